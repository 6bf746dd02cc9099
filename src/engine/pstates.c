/* pstates.c -- states of power into which plans put hosts: how fast they are from then on, and what they
 * draw.
 *
 * A state has a speed, of the one that the host is declared with, and tasks go on at the speed of their
 * slowest host. That is a rate (rates.c) of all that they do: the plan that puts a host into a state also
 * sets the rate of each task on it, and a later start there sets that of the task that starts. So work is
 * conserved, expected ends and promises follow, each change is a row, and what is undone with a plan is
 * undone as any other of its actions. A host keeps its state while it is off, fails, or is drained. The
 * change takes no time, as in Batsim.
 *
 * What a host draws in a state the run's `power` says (cluster/watts.h), and the metric energy counts.
 * Cost: O(live tasks + log events) a change. Source: Batsim 4.2.1, computation states. */
#include "engine/pstates.h"

#include "base/util.h"
#include "cluster/watts.h"
#include "engine/combine.h"
#include "engine/host_events.h"
#include "engine/plan.h"
#include "engine/power.h"
#include "engine/tasks.h"

/* ---- what cannot be combined ---- */

static bool has_states(const hc_engine *e)
{
  for (uint32_t i = 0; i < e->cell_spec.class_count; i++)
    if (e->watts->classes[i].parts[HC_POWER_CORES].state_count > 0) return true;
  return false;
}

hc_rc hc_pstates_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  if (!(flags & HC_SETS_PSTATES)) return 0;
  if (!e->watts)
    return hc_fail(error, HC_EUSAGE, "power", 0, 0,
                   "the policy puts hosts into states of power, and nothing says what they draw: add "
                   "`power`, such as `power: {use: states, idle: [100, 80], peak: [200, 120], speeds: [1, "
                   "0.5]}`");
  if (!has_states(e)) return 0;
  if (e->options->execution.type)
    return hc_combine_refuse(
        error, "a state of power changes how fast tasks are as a whole, and `execution` says it "
               "of each of their activities: leave one of the two out");
  return flags & HC_MAY_RESIZE
             ? hc_combine_refuse(error,
                                 "a policy that resizes tasks cannot put hosts into states of power, too: a "
                                 "task would get hosts of another speed while it runs")
             : 0;
}

/* ---- speeds ---- */

static double speed_of(hc_engine *e, uint32_t host)
{
  const uint32_t pstate = hc_pstate_of_code((uint32_t)hc_power_of(e, host)->pstate);
  const hc_part_watts *x = hc_watts_cores(e->watts, host);
  return pstate < x->state_count ? x->speeds[pstate] : 1;
}

static bool sets_states(const hc_engine *e)
{
  return (e->policy_flags & HC_SETS_PSTATES) && e->powers && e->watts;
}

static hc_rc follow(hc_plan *p, hc_task id)
{
  hc_engine *e = p->engine;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  double least = 1;
  TRY(hc_view_grants(e, id, &one, &grants, &count));
  for (size_t i = 0; i < count; i++) least = HC_MIN(least, speed_of(e, grants[i].host));
  const hc_rc rc = hc_plan_set_rate(p, id, (int64_t)(least * HC_RATE_ONE + 0.5));
  return rc == HC_EPOLICY ? 0 : rc; /* it has been told to go */
}

hc_rc hc_pstates_follow(hc_plan *p, hc_task t)
{
  return sets_states(p->engine) ? follow(p, t) : 0;
}

hc_rc hc_pstates_resume(hc_plan *p, hc_task t)
{
  TRY(hc_plan_resume(p, t));
  return hc_pstates_follow(p, t);
}

/* Does it run on the host, or start there by this plan? */
static hc_rc is_on(hc_engine *e, hc_task id, uint32_t host, bool *out)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  *out = false;
  if (t->state == HC_TASK_RUNNING) {
    *out = hc_host_events_is_on(e, t, host);
    return 0;
  }
  if (t->state != HC_TASK_PLANNED || t->start != e->now) return 0;
  TRY(hc_view_grants(e, id, &one, &grants, &count));
  for (size_t i = 0; i < count; i++) *out |= grants[i].host == host;
  return 0;
}

/* ---- services ---- */

hc_rc hc_plan_pstate(hc_plan *p, uint32_t host, uint32_t state)
{
  hc_engine *e = p->engine;
  if (!sets_states(e) || host >= e->cell_spec.units) return HC_EPOLICY;
  if (state >= hc_watts_cores(e->watts, host)->state_count) return HC_EPOLICY;
  if (hc_power_of(e, host)->pstate == hc_power_at(state)) return 0;
  TRY(hc_plan_set_pstate(p, host, state));
  for (uint32_t id = 0; id < e->tasks.count; id++) {
    bool found;
    TRY(is_on(e, id, host, &found));
    if (found) TRY(follow(p, id));
  }
  return 0;
}

uint32_t hc_view_pstate_of(const hc_view *v, uint32_t host)
{
  hc_engine *e = v->engine;
  if (!e->powers || host >= e->cell_spec.units) return HC_POWER_STATES;
  return hc_pstate_of_code((uint32_t)hc_power_of(e, host)->pstate);
}
