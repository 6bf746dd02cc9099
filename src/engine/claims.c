/* claims.c -- what a task takes of the cell and gives back, and what it is promised: applied at once, undone
 * exactly.
 *
 * The view of a policy is the live cell with an undo log, and this is what the log is made of: a start
 * claims, a stop releases, a reservation promises, and each has its reverse. Nothing here has happened yet:
 * no event is made, no observer is told. What a policy follows of its queue and its claims (on_task_event)
 * it hears here, since its books are of the view. */
#include "engine/claims.h"

#include "base/util.h"
#include "engine/cores.h"
#include "engine/demand.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- claims ---- */

hc_rc hc_claim(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_request r = hc_request_of(e, id);
  return hc_cell_take(&e->cell, &r, grants, count);
}

hc_rc hc_claim_again(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_request r = hc_request_of(e, id);
  return hc_cell_take_again(&e->cell, &r, grants, count);
}

hc_rc hc_release(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_request r = hc_request_of(e, id);
  return hc_cell_give(&e->cell, &r, grants, count);
}

hc_rc hc_claim_moved(hc_engine *e, hc_task id, hc_time was)
{
  const hc_time end = hc_expected_end(e, hc_live_of(e, id));
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  if (end == was) return 0;
  TRY(hc_view_grants(e, id, &one, &grants, &count));
  return hc_reserve_moved(e->reserve, id, was, end, grants, count);
}

/* What a start took goes back, and the task into its queue. */
static hc_rc unclaim(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  TRY(hc_release(e, id, grants, count));
  if (e->cuts) hc_work_uncut(e, id);
  if (e->stretches) hc_work_unstart(e, id);
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (e->cell.hosts) hc_demand_waits(e, id);
  return hc_queues_put_back(e, id);
}

/* Asked before the cell is claimed: plans know nothing of a claim that they have not been told of. */
static bool may_begin(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  return hc_reserve_begins(e->reserve, id, hc_running_estimate_of(e, id), grants, count);
}

/* It leaves its queue before its cores are chosen: there it asks for the least. */
static hc_rc claim_with_cores(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_rc rc;
  hc_queues_remove(e, id);
  hc_cores_choose(e, id, grants, count);
  if (!may_begin(e, id, grants, count)) hc_cores_reset(e, id);
  rc = may_begin(e, id, grants, count) ? hc_claim(e, id, grants, count) : HC_ECONFLICT;
  if (rc >= 0) {
    hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
    return 0;
  }
  hc_cores_reset(e, id);
  TRY(hc_queues_put_back(e, id));
  return rc;
}

static hc_rc claim_plainly(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  TRY(may_begin(e, id, grants, count) ? hc_claim(e, id, grants, count) : HC_ECONFLICT);
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  hc_queues_remove(e, id);
  return 0;
}

hc_rc hc_apply_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  hc_rc rc;
  if (e->stretches) TRY(hc_work_start(e, id, grants, count));
  if (e->cuts) hc_work_cut(e, id);
  rc = e->book && hc_cores_are_chosen(e, id) ? claim_with_cores(e, id, grants, count)
                                             : claim_plainly(e, id, grants, count);
  if (rc < 0 && e->cuts) hc_work_uncut(e, id);
  if (rc < 0 && e->stretches) hc_work_unstart(e, id);
  if (rc < 0) return rc;
  if (e->cell.hosts) hc_demand_started(e, id, grants, count);
  rc = hc_reserve_take(e->reserve, id, hc_time_add(e->now, hc_running_estimate_of(e, id)), grants, count);
  if (rc < 0) {
    TRY(unclaim(e, id, grants, count));
    return rc;
  }
  t->state = HC_TASK_PLANNED;
  t->start = e->now;
  return 0;
}

hc_rc hc_undo_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_time end = hc_time_add(e->now, hc_running_estimate_of(e, id));
  TRY(hc_reserve_give(e->reserve, id, end, grants, count));
  hc_live_of(e, id)->start = HC_UNKNOWN;
  return unclaim(e, id, grants, count);
}

hc_rc hc_apply_preempt(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_reserve_give(e->reserve, id, hc_expected_end(e, t), grants, count));
  TRY(hc_release(e, id, grants, count));
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units -= t->units;
  t->state = HC_TASK_STOPPED;
  e->running--;
  return 0;
}

hc_rc hc_undo_preempt(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_claim_again(e, id, grants, count));
  TRY(hc_reserve_take(e->reserve, id, hc_expected_end(e, t), grants, count));
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units += t->units;
  t->state = HC_TASK_RUNNING;
  e->running++;
  return 0;
}
