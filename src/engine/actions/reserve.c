/* reserve.c -- a waiting task is promised a start at some time, on hosts that go with it or on none in
 * particular.
 *
 * The hosts belong to the action: they are undone with it, and held again when the plan is carried out after
 * a thought. */
#include "base/util.h"
#include "engine/claims.h"
#include "engine/deferred.h"
#include "engine/plan.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  return hc_apply_reservation(e, a->task, a->at, hc_plan_grants(p, a), a->grant_count);
}

/* What was to be promised for a time may not be free for it any more, be it hosts or processors that are
   counted: what the same plan starts has come to start later. Then there is no promise. One that keeps
   no more than a time stands. */
static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  if (hc_live_of(e, a->task)->state != HC_TASK_WAITING) return HC_ECONFLICT;
  a->at = HC_MAX(a->at, e->now);
  if (!hc_reserve_holds(e->reserve, a->task, a->at, hc_plan_grants(p, a), a->grant_count))
    return HC_ECONFLICT;
  return 0;
}

const hc_action_type hc_action_reserve = {
    .name = "reserve", .apply = apply, .undo = hc_plan_reserve_as_before, .recheck = recheck};

hc_rc hc_plan_reserve(hc_plan *p, hc_task id, hc_time at)
{
  hc_engine *e = p->engine;
  const hc_grant *grants = NULL;
  size_t count = 0;
  if (!hc_plan_can_start(e, id) || at < hc_deferred_from(e, id, e->now) || at == HC_NEVER || !e->expects)
    return HC_EPOLICY;
  if (hc_reserved_of(e, id) == at) return 0;
  if (e->reserve->type->holds_hosts) TRY(hc_reserve_place(e->reserve, id, at, &grants, &count));
  return hc_plan_add(p, &hc_action_reserve, &(hc_action){.task = id, .at = at}, grants, count);
}

/* Where it would be is asked when its new time is known, and its old hosts are no longer held. */
hc_rc hc_plan_reserve_hosts(hc_plan *p, hc_task id, hc_time at)
{
  hc_engine *e = p->engine;
  const hc_grant *grants;
  size_t count;
  hc_action *a;
  hc_rc rc;
  if (!e->cell.hosts || e->reserve->type->holds_hosts) return hc_plan_reserve(p, id, at);
  if (hc_plan_can_start(e, id) && hc_reserved_of(e, id) == at && at != HC_NEVER)
    TRY(hc_plan_add(p, &hc_action_reserve, &(hc_action){.task = id, .at = at}, NULL, 0));
  else TRY(hc_plan_reserve(p, id, at));
  rc = hc_reserve_place(e->reserve, id, at, &grants, &count);
  if (rc < 0 || count == 0) return rc == HC_EPOLICY ? 0 : rc;
  a = &p->actions[p->count - 1];
  TRY(hc_plan_attach(p, a, grants, count));
  return hc_apply_reservation(e, id, at, hc_plan_grants(p, a), count);
}
