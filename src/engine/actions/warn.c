/* warn.c -- a running task is warned that it will be stopped when a grace is over (Slurm: GraceTime). It
 * runs on, holds what it holds, and may end first. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/stopping.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const hc_stopping how = {.how = (hc_stop)a->how, .every = a->every, .overhead = a->overhead};
  HC_UNUSED(p);
  return hc_apply_warn(e, a->task, a->at, &how);
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  hc_undo_warn(e, a->task);
  return 0;
}

/* What it is about may have ended, or been warned by another plan. A grace that began while this was thought
 * about ends when it was to. */
static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const hc_live *t = hc_live_of(e, a->task);
  HC_UNUSED(p);
  if (t->state != HC_TASK_RUNNING || (t->bits & HC_LIVE_WARNED)) return HC_ECONFLICT;
  a->at = HC_MAX(a->at, e->now);
  return 0;
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  HC_UNUSED(p);
  HC_UNUSED(error);
  return hc_happened_warn(e, a->task);
}

const hc_action_type hc_action_warn = {
    .name = "warn", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

hc_rc hc_plan_warn(hc_plan *p, hc_task id, const hc_stopping *how)
{
  hc_engine *e = p->engine;
  if (hc_live_of(e, id)->bits & HC_LIVE_WARNED) return HC_EPOLICY;
  return hc_plan_add(p, &hc_action_warn,
                     &(hc_action){.task = id,
                                  .at = hc_time_add(e->now, how->grace),
                                  .how = (uint32_t)how->how,
                                  .every = how->every,
                                  .overhead = how->overhead},
                     NULL, 0);
}
