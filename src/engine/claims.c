/* claims.c -- what a task takes of the cell and gives back, and what it is promised: applied at once, undone
 * exactly.
 *
 * The view of a policy is the live cell with an undo log, and this is what the log is made of: a start
 * claims, a stop releases, a reservation promises, and each has its reverse. Nothing here has happened yet:
 * no event is made, no observer is told. What a policy follows of its queue and its claims (on_task_event)
 * it hears here, since its books are of the view. */
#include "engine/claims.h"

#include "base/util.h"
#include "engine/work.h"

/* ---- reservations ---- */

/* Keep the list of tasks that hold a reservation; each knows its place in it. */
static hc_rc list_reservation(hc_tasks *ts, const hc_allocator *a, hc_task id, bool holds)
{
  hc_planned *t = &ts->planned[id];
  if (holds && t->reserved_at == HC_NEVER) {
    TRY(hc_reserve(a, (void **)&ts->reserved, &ts->reserved_cap, ts->reserved_count + 1,
                   sizeof *ts->reserved));
    t->reserved_index = (uint32_t)ts->reserved_count;
    ts->reserved[ts->reserved_count++] = id;
  } else if (!holds && t->reserved_at != HC_NEVER) {
    hc_task last = ts->reserved[--ts->reserved_count];
    ts->reserved[t->reserved_index] = last;
    ts->planned[last].reserved_index = t->reserved_index;
  }
  return 0;
}

/* Even a task of no length needs its processors at one time: else others would be planned across it for
   ever. */
hc_time hc_promised_until(hc_time at, hc_time estimate)
{
  return hc_time_add(at, HC_MAX(estimate, 1));
}

hc_rc hc_apply_reservation(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  const uint32_t units = hc_live_of(e, id)->units;
  hc_planned *t;
  const bool holds = !e->future && at != HC_NEVER && count > 0;
  if (hc_reserved_of(e, id) == at && (!e->future || at == HC_NEVER))
    return holds ? hc_hold_hosts(e, id, at, grants, count) : 0;
  if (e->future) hc_promise_drop(e, id);
  if (e->holds.count > 0) hc_hold_drop(e, id);
  t = &e->tasks.planned[id];
  if (t->reserved_at != HC_NEVER)
    TRY(hc_cell_unpromise(&e->cell, units, t->reserved_at, hc_promised_until(t->reserved_at, t->estimate)));
  TRY(list_reservation(&e->tasks, e->allocator, id, at != HC_NEVER));
  t->reserved_at = at;
  if (e->future && at != HC_NEVER) return hc_promise_make(e, id, at, grants, count);
  if (at != HC_NEVER) TRY(hc_cell_promise(&e->cell, units, at, hc_promised_until(at, t->estimate)));
  return holds ? hc_hold_hosts(e, id, at, grants, count) : 0;
}

/* The hosts that a reservation stands on: for the time that it plans, or from then on. */
hc_rc hc_reservation_hosts(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  *grants = NULL;
  *count = 0;
  if (e->future) return hc_promise_get(e, id, grants, count);
  return e->holds.count > 0 ? hc_hold_get(e, id, grants, count) : 0;
}

/* ---- claims ---- */

hc_rc hc_claim(hc_engine *e, hc_task id, hc_time expected, const hc_grant *grants, size_t count)
{
  if (e->cell.hosts) {
    const hc_request r = hc_request_of(e, id);
    return hc_cell_take_hosts(&e->cell, &r, grants, count);
  }
  return hc_cell_take(&e->cell, hc_live_of(e, id)->units, expected, grants, count);
}

hc_rc hc_claim_again(hc_engine *e, hc_task id, hc_time expected, const hc_grant *grants, size_t count)
{
  const hc_request r = hc_request_of(e, id);
  if (!e->cell.hosts) return hc_claim(e, id, expected, grants, count);
  return hc_cell_take_hosts_again(&e->cell, &r, grants, count);
}

hc_rc hc_release(hc_engine *e, hc_task id, hc_time expected, const hc_grant *grants, size_t count)
{
  if (e->cell.hosts) {
    const hc_request r = hc_request_of(e, id);
    hc_cell_give_hosts(&e->cell, &r, grants, count);
    return 0;
  }
  return hc_cell_give(&e->cell, hc_live_of(e, id)->units, expected, grants, count);
}

hc_rc hc_apply_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  hc_rc rc;
  if (e->stretches) TRY(hc_work_start(e, id, grants, count));
  const hc_time end = hc_time_add(e->now, hc_running_estimate_of(e, id));
  rc = hc_claim(e, id, end, grants, count);
  if (rc >= 0 && e->future) {
    rc = hc_future_add(e, id, INT64_MIN, end, false, grants, count);
    if (rc < 0) TRY(hc_release(e, id, end, grants, count));
  }
  if (rc < 0 && e->stretches) hc_work_unstart(e, id);
  if (rc < 0) return rc;
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  hc_queues_remove(e, id);
  if (e->cell.hosts) hc_demand_started(e, id, grants, count);
  t->state = HC_TASK_PLANNED;
  t->start = e->now;
  return 0;
}

hc_rc hc_undo_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  TRY(hc_release(e, id, hc_time_add(e->now, hc_running_estimate_of(e, id)), grants, count));
  if (e->future) hc_future_remove(e, id);
  if (e->stretches) hc_work_unstart(e, id);
  hc_live_of(e, id)->start = HC_UNKNOWN;
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (e->cell.hosts) hc_demand_waits(e, id);
  return hc_queues_put_back(e, id);
}

hc_rc hc_apply_preempt(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_release(e, id, hc_expected_end(e, t), grants, count));
  if (e->future) hc_future_remove(e, id);
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units -= t->units;
  t->state = HC_TASK_STOPPED;
  e->running--;
  return 0;
}

hc_rc hc_undo_preempt(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_claim_again(e, id, hc_expected_end(e, t), grants, count));
  if (e->future) TRY(hc_future_add(e, id, INT64_MIN, hc_expected_end(e, t), false, grants, count));
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units += t->units;
  t->state = HC_TASK_RUNNING;
  e->running++;
  return 0;
}
