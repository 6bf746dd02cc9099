/* at_once.c -- energy_bf of batsched: a host sleeps from when nothing is planned on it any more.
 *
 * So an idle machine sleeps whole, and tasks come to the hosts that are woken for the first of them:
 * others are woken only for one that is larger. */
#include "base/util.h"
#include "policy/sleep/sleep.h"

static hc_rc decide(hc_sleep *x)
{
  TRY(hc_outlook_copy(&x->plan, &x->base));
  TRY(hc_sleep_put_jobs(x, &x->plan, 0));
  const int64_t n = hc_sleep_sedate_some(x, &x->plan, x->plan.hosts);
  return n < 0 ? (hc_rc)n : 0;
}

const hc_sleep_strategy hc_sleep_at_once = {.name = "at_once", .decide = decide};
