/* unreserve.c -- a waiting task is promised nothing any more. */
#include "base/util.h"
#include "engine/claims.h"
#include "engine/plan.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return hc_apply_reservation(e, a->task, HC_NEVER, NULL, 0);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  HC_UNUSED(e);
  HC_UNUSED(p);
  HC_UNUSED(a);
  return 0;
}

const hc_action_type hc_action_unreserve = {
    .name = "unreserve", .apply = apply, .undo = hc_plan_reserve_as_before, .recheck = recheck};

hc_rc hc_plan_unreserve(hc_plan *p, hc_task id)
{
  const hc_action wish = {.task = id, .at = HC_NEVER};
  if (!hc_plan_can_start(p->engine, id) || hc_reserved_of(p->engine, id) == HC_NEVER) return 0;
  return hc_plan_add(p, &hc_action_unreserve, &wish, NULL, 0);
}

hc_rc hc_plan_unreserve_all(hc_plan *p)
{
  const hc_tasks *ts = &p->engine->tasks;
  for (size_t i = ts->reserved_count; i-- > 0;) /* the last takes the place of one that goes */
    if (ts->live[ts->reserved[i]].queue == p->queue) TRY(hc_plan_unreserve(p, ts->reserved[i]));
  return 0;
}
