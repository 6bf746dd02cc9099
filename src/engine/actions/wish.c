/* wish.c -- what size a running task of a profile is to have from its next scheduling point on. Nothing
 * changes until then (points.c): on the plan's view the task holds what it holds. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/tasks.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  hc_points_set_wish(e, a->task, (uint32_t)a->at);
  return 0;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  hc_points_set_wish(e, a->task, (uint32_t)a->every);
  return 0;
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const hc_live *t = hc_live_of(e, a->task);
  HC_UNUSED(p);
  if (t->state != HC_TASK_RUNNING || (t->bits & HC_LIVE_WARNED)) return HC_ECONFLICT;
  a->every = hc_points_wish(e, a->task);
  return 0;
}

const hc_action_type hc_action_wish = {.name = "wish", .apply = apply, .undo = undo, .recheck = recheck};
