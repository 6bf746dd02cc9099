/* reject.c -- a waiting task will never start: the policy turns it away. */
#include "base/util.h"
#include "engine/claims.h"
#include "engine/explain.h"
#include "engine/life.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/reservations.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  TRY(hc_apply_reservation(e, a->task, HC_NEVER, NULL, 0));
  hc_queues_remove(e, a->task);
  hc_live_of(e, a->task)->state = HC_TASK_PLANNED;
  return 0;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  TRY(hc_queues_put_back(e, a->task));
  return hc_plan_reserve_as_before(e, p, a);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  HC_UNUSED(p);
  return hc_live_of(e, a->task)->state == HC_TASK_WAITING ? 0 : HC_ECONFLICT;
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  HC_UNUSED(p);
  return hc_life_reject(e, a->task, error);
}

const hc_action_type hc_action_reject = {
    .name = "reject", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

hc_rc hc_plan_reject(hc_plan *p, hc_task id, const char *reason)
{
  hc_engine *e = p->engine;
  if (!hc_plan_can_start(e, id)) return HC_EPOLICY;
  hc_explain_text(e, id, "rejected: %s", reason ? reason : "no reason given");
  return hc_plan_add(p, &hc_action_reject, &(hc_action){.task = id, .at = e->now}, NULL, 0);
}
