/* preempt.c -- a running task is stopped at once: for good, to begin anew, or to go on from what it has
   saved. */
#include <string.h>

#include "base/util.h"
#include "engine/claims.h"
#include "engine/life.h"
#include "engine/plan.h"
#include "engine/tasks.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  return hc_apply_preempt(e, a->task, hc_plan_grants(p, a), a->grant_count);
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  return hc_undo_preempt(e, a->task, hc_plan_grants(p, a), a->grant_count);
}

/* It may have been stopped and started again elsewhere: then it is not what the plan was about. */
static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const hc_grant *held;
  hc_grant one;
  size_t n;
  if (hc_live_of(e, a->task)->state != HC_TASK_RUNNING) return HC_ECONFLICT;
  TRY(hc_tasks_held(e, hc_live_of(e, a->task), &one, &held, &n));
  if (n != a->grant_count) return HC_ECONFLICT;
  return n > 0 && memcmp(held, hc_plan_grants(p, a), n * sizeof *held) != 0 ? HC_ECONFLICT : 0;
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const hc_stopping how = {.how = (hc_stop)a->how, .every = a->every, .overhead = a->overhead};
  return hc_life_stop(e, a->task, &how, hc_plan_grants(p, a), a->grant_count, error);
}

const hc_action_type hc_action_preempt = {
    .name = "preempt", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

hc_rc hc_plan_preempt(hc_plan *p, hc_task id, hc_stop how)
{
  return hc_plan_stop(p, id, &(hc_stopping){.how = how});
}

hc_rc hc_plan_stop(hc_plan *p, hc_task id, const hc_stopping *how)
{
  hc_engine *e = p->engine;
  const hc_grant *held;
  hc_grant one;
  size_t count;
  if (id >= e->tasks.count || hc_live_of(e, id)->state != HC_TASK_RUNNING) return HC_EPOLICY;
  if (how->grace < 0 || how->every < 0 || how->overhead < 0 || how->grace == HC_NEVER) return HC_EPOLICY;
  if (how->grace > 0) return hc_plan_warn(p, id, how);
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &count));
  return hc_plan_add(p, &hc_action_preempt,
                     &(hc_action){.task = id,
                                  .at = e->now,
                                  .how = (uint32_t)how->how,
                                  .every = how->every,
                                  .overhead = how->overhead},
                     held, count);
}
