/* part.c -- energy_bf_subpart_sleeper of batsched: once in a period as many hosts sleep as leave a share
 * of the machine awake, and beyond it those that have been idle for long enough.
 *
 * Those beyond the share are woken for the first queued task alone, if it fits at no time on those that
 * are awake; the share for any. It is never less than the first queued task wants. A host that is busy
 * is looked at again at the next stage. */
#include "base/util.h"
#include "policy/sleep/sleep.h"

static hc_rc decide(hc_sleep *x)
{
  int64_t keep = (int64_t)(x->o->share * (double)x->base.hosts);
  const int64_t asleep = hc_sleep_asleep(x), beyond = (int64_t)x->base.hosts - keep;
  TRY(hc_outlook_copy(&x->plan, &x->base));
  TRY(hc_sleep_put_jobs(x, &x->plan, asleep - beyond));
  if (!x->is_stage && !x->o->at_events) return 0;
  if (x->woken > 0) return 0;
  keep = HC_MAX(keep, hc_sleep_first(x));
  int64_t n = x->is_stage ? hc_sleep_sedate_some(x, &x->plan, hc_sleep_awake(x) - keep) : 0;
  if (n < 0) return (hc_rc)n;
  n = hc_sleep_sedate_idle(x);
  return n < 0 ? (hc_rc)n : 0;
}

const hc_sleep_strategy hc_sleep_part = {
    .name = "part", .uses = HC_SLEEP_IDLE | HC_SLEEP_STAGES | HC_SLEEP_SHARE, .decide = decide};
