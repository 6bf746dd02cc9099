/* wake.c -- the policy wants to be asked again at some time. About no task, and nothing of it shows on the
   view. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/timers.h"

/* A plan that was thought about may be late for it. */
static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  HC_UNUSED(p);
  HC_UNUSED(error);
  return hc_timer_set(e, HC_MAX(a->at, e->now), HC_TIMER_WAKE);
}

const hc_action_type hc_action_wake = {.name = "wake", .is_a_clock = true, .happened = happened};

hc_rc hc_plan_wake(hc_plan *p, hc_time at)
{
  if (at < p->engine->now) return HC_EPOLICY;
  return hc_plan_add(p, &hc_action_wake, &(hc_action){.task = HC_NO_TASK, .at = at}, NULL, 0);
}
