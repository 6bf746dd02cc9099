/* leave_point.c -- a task goes on from its scheduling point, which the policy has decided on (points_told.c).
 * On the view it is at its point no more; what it is to hold is a resize before it in the plan. */
#include "base/util.h"
#include "engine/choose.h"
#include "engine/model.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/points_table.h"
#include "engine/resizing.h"
#include "engine/tasks.h"

/* NULL: it is at none. */
static at_point *point_of(hc_engine *e, hc_task id)
{
  hc_points *z = e->points;
  for (size_t i = 0; z && i < z->at_count; i++)
    if (z->at[i].told.task == id) return &z->at[i];
  return NULL;
}

static hc_rc set(hc_engine *e, hc_task id, uint32_t goes_on)
{
  at_point *at = point_of(e, id);
  if (!at || at->goes_on == goes_on) return HC_ECONFLICT;
  at->goes_on = goes_on;
  return 0;
}

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return set(e, a->task, 1);
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return set(e, a->task, 0);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const at_point *at = point_of(e, a->task);
  HC_UNUSED(p);
  return at && !at->goes_on ? 0 : HC_ECONFLICT;
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const at_point *at = point_of(e, a->task);
  HC_UNUSED(p);
  if (at->told.wants > 0) e->points->s.requests++;
  if (at->told.wants > 0 && !a->how) e->points->s.refused++;
  hc_points_forget(e, a->task);
  return hc_model_go_on(e, a->task, a->how != 0, error);
}

const hc_action_type hc_action_leave_point = {
    .name = "leave_point", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

hc_rc hc_plan_leave_point(hc_plan *p, hc_task id, const hc_range *hosts, size_t count)
{
  hc_engine *e = p->engine;
  const at_point *at = point_of(e, id);
  int64_t least, most, size = 0;
  hc_rc changed = 0;
  if (!at || at->goes_on || e->tasks.live[id].state != HC_TASK_RUNNING ||
      (e->tasks.live[id].bits & HC_LIVE_WARNED))
    return HC_EPOLICY;
  hc_resize_bounds(e, id, at->told.wants > 0 ? HC_SIZED_BY_ITSELF : HC_SIZED_RUNNING, &least, &most);
  for (size_t i = 0; i < count; i++) {
    if (!hc_choose_may(&e->view, hosts[i])) return HC_EPOLICY;
    size += hosts[i].count;
  }
  if (hosts && (size < least || size > most)) return HC_EPOLICY;
  if (hosts) changed = hc_resize_onto(p, id, hosts, count);
  if (changed < 0) return changed;
  return hc_plan_add(p, &hc_action_leave_point, &(hc_action){.task = id, .how = changed > 0}, NULL, 0);
}
