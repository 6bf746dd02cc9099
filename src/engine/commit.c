/* commit.c -- the only mutator: what a plan wished becomes what happened.
 *
 * A plan made on the view that is still open is simply kept (HC_COMMIT_NOW): its effects on the cell are
 * there already. A plan that was thought about for a while is applied action by action to the live cell,
 * and each may find that the cell has changed: that is a conflict, told to the caller by count, and normal
 * for shared state. */
#include <string.h>

#include "base/util.h"
#include "engine/plan.h"
#include "engine/state.h"

/* ---- what happened ---- */

/* A task is gone: closed-loop sources hear it, and may now have a task that comes before the one taken
 * last. */
static hc_rc leave(hc_engine *e, hc_task id, hc_time end, bool completed, hc_error *error)
{
  hc_feedback f = {e->tasks.passengers[id].id, end, completed};
  hc_rc rc = 0;
  if (hc_stream_listens(e->stream)) rc = hc_stream_feedback(e->stream, hc_live_of(e, id)->source, &f, error);
  hc_tasks_remove(e, id);
  if (rc <= 0) return rc;
  e->source_waits = e->source_ended = false;
  if (!e->has_arrival) return 0;
  e->has_arrival = false;
  return hc_stream_return(e->stream, &e->arrival);
}

/* The log says when its user took the task away and not how long it would have run: it runs until then, if
 * its limit lets it. */
static void run_until_cancelled(const hc_engine *e, hc_task id, hc_live *t)
{
  hc_time at = e->tasks.passengers[id].cancel_at;
  if (at == HC_NEVER) return;
  t->killed = t->running_estimate < at - e->now;
  t->run = HC_MIN(HC_MAX(at - e->now, 0), t->running_estimate);
}

static hc_rc happened_start(hc_engine *e, hc_task id, const hc_range *ranges, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  hc_time end, expected = hc_time_add(e->now, t->running_estimate);
  uint64_t key = e->options->end_order == HC_END_BY_START ? e->counters.started : t->serial;
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event); /* its withdrawal */
  if (t->run == HC_NEVER) run_until_cancelled(e, id, t);
  end = hc_time_add(e->now, t->run);
  t->event = t->overdue_event = HC_NO_EVENT;
  t->state = HC_TASK_RUNNING;
  if (count > 0) TRY(hc_tasks_hold(e, t, ranges, count));
  if (end != HC_NEVER) TRY(hc_queue_push(e->events, (hc_event){end, key, HC_PHASE_END, id}, &t->event));
  if (e->cell.timeline && expected < end)
    TRY(hc_queue_push(e->events, (hc_event){expected, key, HC_PHASE_END, id | HC_OVERDUE_BIT},
                      &t->overdue_event));
  e->running++;
  e->counters.started++;
  if (e->counters.first_start == HC_UNKNOWN) e->counters.first_start = e->now;
  if (e->explain) hc_explain_text(e, id, "starts");
  return 0;
}

static hc_rc happened_preempt(hc_engine *e, hc_task id, hc_stop how, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event);
  if (t->overdue_event != HC_NO_EVENT) hc_queue_cancel(e->events, t->overdue_event);
  t->event = t->overdue_event = HC_NO_EVENT;
  t->overdue = 0;
  hc_tasks_drop_ranges(e, t);
  if (how == HC_STOP_KILL) {
    e->counters.ended++;
    e->counters.last_end = e->now;
    TRY(hc_observe_final(e, id, HC_FINAL_KILLED, e->now, error));
    return leave(e, id, e->now, false, error);
  }
  t->start = HC_UNKNOWN; /* it begins anew: nothing of what it did is kept */
  return hc_queues_insert(e, t->queue, id);
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  switch ((hc_action_kind)a->kind) {
    case HC_ACTION_START: return happened_start(e, a->task, hc_plan_ranges(p, a), a->range_count);
    case HC_ACTION_PREEMPT: return happened_preempt(e, a->task, (hc_stop)a->how, error);
    case HC_ACTION_REJECT:
      TRY(hc_observe_final(e, a->task, HC_FINAL_REJECTED, HC_UNKNOWN, error));
      return leave(e, a->task, e->now, false, error);
    case HC_ACTION_WAKE: /* a plan that was thought about may be late for it */
      return hc_architecture_services.timer(e, HC_MAX(a->at, e->now), HC_TIMER_WAKE);
    case HC_ACTION_RESERVE:
    case HC_ACTION_UNRESERVE: return 0;
  }
  return 0;
}

/* ---- a plan from before ---- */

/* A start that finds its processors taken leaves the task's reservation as it was. */
static hc_rc start_again(hc_engine *e, hc_task id, const hc_range *ranges, size_t count)
{
  hc_time was = hc_live_of(e, id)->reserved_at;
  hc_rc rc;
  TRY(hc_apply_reservation(e, id, HC_NEVER));
  rc = hc_apply_start(e, id, ranges, count);
  if (rc == HC_ECONFLICT) TRY(hc_apply_reservation(e, id, was));
  return rc;
}

/* It may have been stopped and started again elsewhere: then it is not what the plan was about. */
static hc_rc preempt_again(hc_engine *e, hc_task id, const hc_range *ranges, size_t count)
{
  const hc_range *held;
  size_t n;
  if (hc_live_of(e, id)->state != HC_TASK_RUNNING) return HC_ECONFLICT;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &held, &n));
  if (n != count || (n > 0 && memcmp(held, ranges, n * sizeof *held) != 0)) return HC_ECONFLICT;
  return hc_apply_preempt(e, id, ranges, count);
}

/* Apply one wish to the live cell. The task may be gone, or its slot another's: serials tell. */
static hc_rc apply_again(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  const hc_range *ranges = hc_plan_ranges(p, a);
  if (a->kind == HC_ACTION_WAKE) return 0;
  if (!t || t->serial != a->serial) return HC_ECONFLICT;
  switch ((hc_action_kind)a->kind) {
    case HC_ACTION_START:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      return start_again(e, a->task, ranges, a->range_count);
    case HC_ACTION_PREEMPT: return preempt_again(e, a->task, ranges, a->range_count);
    case HC_ACTION_REJECT:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      TRY(hc_apply_reservation(e, a->task, HC_NEVER));
      hc_queues_remove(e, a->task);
      t->state = HC_TASK_PLANNED;
      return 0;
    case HC_ACTION_RESERVE:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      return hc_apply_reservation(e, a->task, HC_MAX(a->at, e->now));
    case HC_ACTION_UNRESERVE: return hc_apply_reservation(e, a->task, HC_NEVER);
    case HC_ACTION_WAKE: return 0;
  }
  return 0;
}

/* Undo the first `count` applied actions, newest first, when all or none was asked. */
static hc_rc take_back(hc_engine *e, const hc_plan *p, size_t count)
{
  hc_plan applied = *p;
  applied.count = count;
  return hc_plan_undo(e, &applied);
}

/* A task that starts while one before it in its queue goes on waiting was backfilled. */
static void mark_backfilled(hc_engine *e, const hc_plan *p)
{
  uint32_t queue = UINT32_MAX;
  hc_cursor first = {0};
  for (size_t i = 0; i < p->count; i++) {
    hc_live *t;
    if (p->actions[i].kind != HC_ACTION_START) continue;
    t = hc_live_of(e, p->actions[i].task);
    if (t->queue != queue) {
      queue = t->queue;
      first = (hc_cursor){0};
      (void)hc_waitlist_next(e->queues[queue].sorting[HC_LIST_QUEUE].list, &first, NULL);
    }
    if (first.inside && (first.key < t->key[0] || (first.key == t->key[0] && first.serial < t->serial)))
      t->flags |= HC_TASK_BACKFILLED;
  }
}

static hc_rc commit_checked(hc_engine *e, hc_plan *p, bool all_or_none, hc_error *error)
{
  size_t kept = 0;
  hc_rc refused = 0;
  for (size_t i = 0; i < p->count; i++) {
    hc_action a = p->actions[i];
    hc_rc rc;
    if (a.task != HC_NO_TASK && a.task < e->tasks.count) a.was = hc_live_of(e, a.task)->reserved_at;
    rc = apply_again(e, p, &a);
    if (rc < 0 && rc != HC_ECONFLICT) return hc_fail(error, rc, "commit", 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) p->actions[kept++] = a;
    refused += rc < 0;
    if (rc < 0 && all_or_none) {
      TRY(take_back(e, p, kept));
      kept = 0;
      break;
    }
  }
  p->count = kept;
  mark_backfilled(e, p);
  e->counters.conflicts += (uint64_t)refused;
  for (size_t i = 0; i < kept; i++) TRY(happened(e, p, &p->actions[i], error));
  return refused;
}

hc_rc hc_commit(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error)
{
  hc_rc rc = 0;
  if (mode == HC_COMMIT_NOW) {
    mark_backfilled(e, p);
    for (size_t i = 0; i < p->count; i++) TRY(happened(e, p, &p->actions[i], error));
  } else {
    rc = commit_checked(e, p, mode == HC_COMMIT_ALL_OR_NONE, error);
  }
  hc_plan_clear(p);
  return rc;
}

/* ---- events of tasks ---- */

hc_rc hc_commit_end(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_range *ranges;
  size_t count;
  TRY(hc_tasks_held(e, t, &ranges, &count));
  TRY(hc_cell_give(&e->cell, t->units, hc_expected_end(e, t), ranges, count));
  if (t->overdue) e->overdue_units -= t->units;
  if (t->overdue_event != HC_NO_EVENT) hc_queue_cancel(e->events, t->overdue_event);
  if (e->store && count > 0 && e->options->task_rows == HC_ROWS_ALL)
    TRY(hc_store_placement(e->store, (int64_t)t->serial, ranges, count, error));
  e->running--;
  e->counters.ended++;
  e->counters.last_end = e->now;
  TRY(hc_observe_final(e, id, t->killed ? HC_FINAL_KILLED : HC_FINAL_COMPLETED, e->now, error));
  return leave(e, id, e->now, !t->killed, error);
}

hc_rc hc_commit_withdraw(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live_of(e, id)->event = HC_NO_EVENT;
  TRY(hc_apply_reservation(e, id, HC_NEVER));
  hc_queues_remove(e, id);
  TRY(hc_observe_final(e, id, HC_FINAL_WITHDRAWN, e->now, error));
  return leave(e, id, e->now, false, error);
}

/* Its expected end has passed and it runs on. All such tasks are believed to end together, a moment from
 * now. */
hc_rc hc_commit_overdue(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  hc_time was = hc_expected_end(e, t);
  if (e->overdue_units == 0) e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  t->overdue = 1;
  t->overdue_event = HC_NO_EVENT;
  e->overdue_units += t->units;
  return hc_cell_postpone(&e->cell, t->units, was, e->overdue_at);
}

hc_rc hc_commit_overdue_move(hc_engine *e)
{
  hc_time was = e->overdue_at;
  if (e->overdue_units == 0) return 0;
  e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  if (e->overdue_at == was) return 0;
  return hc_cell_postpone(&e->cell, e->overdue_units, was, e->overdue_at);
}
