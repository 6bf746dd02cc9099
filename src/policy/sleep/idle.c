/* idle.c -- energy_bf_idle_sleeper of batsched: once in a period those sleep that have been idle for
 * long enough, and any queued task may have them woken. */
#include "base/util.h"
#include "policy/sleep/sleep.h"

static hc_rc decide(hc_sleep *x)
{
  TRY(hc_outlook_copy(&x->plan, &x->base));
  TRY(hc_sleep_put_jobs(x, &x->plan, hc_sleep_asleep(x)));
  if (!x->is_stage && !x->o->at_events) return 0;
  const int64_t n = hc_sleep_sedate_idle(x);
  return n < 0 ? (hc_rc)n : 0;
}

const hc_sleep_strategy hc_sleep_idle = {
    .name = "idle", .uses = HC_SLEEP_IDLE | HC_SLEEP_STAGES, .decide = decide};
