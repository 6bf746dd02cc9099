/* pstate.c -- a host is put into another state of power. What that means is in engine/pstates.c.
 *
 * About no task: its grant names the host. That tasks on it go on at another speed is for actions of
 * their own, behind it. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/power.h"

/* `at` is what it comes into, as a row has it, `every` what was before. */
static hc_power *power_of(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  return hc_power_of(e, hc_plan_grants(p, a)->host);
}

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  power_of(e, p, a)->pstate = a->at;
  return 0;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  power_of(e, p, a)->pstate = a->every;
  return 0;
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  a->every = power_of(e, p, a)->pstate;
  return 0;
}

/* One that is off comes into it when it is on. */
static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  if (power_of(e, p, a)->state != HC_POWER_ON) return 0;
  return hc_power_tell(e, hc_plan_grants(p, a)->host, (uint32_t)a->at, error);
}

const hc_action_type hc_action_pstate = {.name = "pstate",
                                         .of_hosts = true,
                                         .may_join = true,
                                         .apply = apply,
                                         .undo = undo,
                                         .recheck = recheck,
                                         .happened = happened};

hc_rc hc_plan_set_pstate(hc_plan *p, uint32_t host, uint32_t state)
{
  const hc_action wish = {
      .task = HC_NO_TASK, .at = (hc_time)hc_power_at(state), .every = hc_power_of(p->engine, host)->pstate};
  const hc_grant on_host = {.host = host};
  return hc_plan_add(p, &hc_action_pstate, &wish, &on_host, 1);
}
