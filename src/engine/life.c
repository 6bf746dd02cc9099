/* life.c -- what becomes of tasks: they may start, they end, are stopped, lost, withdrawn, turned away, or
 * can never be.
 *
 * Here is the order in which it happens, and the states that it goes through; what else comes of it, parts
 * hear as notices (part.h): records, dependencies, steps of a demand, rows of the store. Each task that
 * arrived leaves by `leave`, with one final state. */
#include "engine/life.h"

#include <inttypes.h>

#include "base/util.h"
#include "engine/arrivals.h"
#include "engine/checkpoints.h"
#include "engine/claims.h"
#include "engine/deferred.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/expected_ends.h"
#include "engine/explain.h"
#include "engine/model.h"
#include "engine/moldable.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/rates_told.h"
#include "engine/reservations.h"
#include "engine/rows.h"
#include "engine/signals.h"
#include "engine/stopping.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- leaving ---- */

/* It is gone: parts hear it, and so do closed-loop sources, which may now have a task that comes before the
 * one taken last. */
static hc_rc leave(hc_engine *e, hc_task id, hc_time end, bool completed, hc_error *error)
{
  hc_rc more;
  if (hc_hears(e, HC_ON_GONE))
    TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_GONE, .task = id, .completed = completed, .error = error}));
  more = hc_arrivals_answer(e, id, end, completed, error);
  hc_tasks_remove(e, id);
  return more > 0 ? hc_arrivals_again(e) : more;
}

static hc_rc stopped_for_good(hc_engine *e, hc_task id, hc_final final, hc_error *error)
{
  e->counters.ended++;
  e->counters.last_end = e->now;
  TRY(hc_observe_final(e, id, final, e->now, error));
  return leave(e, id, e->now, false, error);
}

/* It waits, and waits no more without a start. */
static hc_rc dequeue(hc_engine *e, hc_task id, hc_error *error)
{
  if (hc_deferred_leaves(e, id)) return 0; /* observers do not know it */
  return hc_notify(e, &(hc_notice){.kind = HC_ON_DEQUEUED, .task = id, .error = error});
}

static void cancel_event(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event);
  t->event = HC_NO_EVENT;
}

hc_rc hc_life_reject(hc_engine *e, hc_task id, hc_error *error)
{
  cancel_event(e, id); /* its withdrawal */
  TRY(dequeue(e, id, error));
  TRY(hc_observe_final(e, id, HC_FINAL_REJECTED, HC_UNKNOWN, error));
  return leave(e, id, e->now, false, error);
}

hc_rc hc_life_never(hc_engine *e, hc_task id, hc_error *error)
{
  cancel_event(e, id);
  e->tasks_held--;
  hc_explain_text(
      e, id,
      "can never start: a task that it waits for did not end as it must, is missing, or waits for "
      "it in turn");
  TRY(hc_observe_final(e, id, HC_FINAL_HELD, HC_UNKNOWN, error));
  return leave(e, id, e->now, false, error);
}

/* ---- withdrawals ---- */

static hc_rc withdraw(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  /* The queue changed without a start: a blocked head may be gone. */
  const hc_signal gone = {.what = HC_WHY_CELL, .task = HC_NO_TASK};
  hc_live *t = hc_live_of(e, id);
  HC_UNUSED(order);
  t->event = HC_NO_EVENT;
  if (t->state == HC_TASK_HELD) e->tasks_held--;
  if (t->state == HC_TASK_WAITING) {
    TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
    hc_queues_remove(e, id);
    TRY(dequeue(e, id, error));
  }
  TRY(hc_observe_final(e, id, HC_FINAL_WITHDRAWN, e->now, error));
  TRY(leave(e, id, e->now, false, error));
  return hc_signal_send(e, &gone, error);
}

const hc_event_type hc_event_withdrawal = {.name = "withdrawal", .deliver = withdraw};

hc_rc hc_life_expect_withdrawal(hc_engine *e, hc_task id, hc_time cancel_at)
{
  hc_live *t = hc_live_of(e, id);
  const hc_event leave_at = hc_event_at(HC_EVENT_withdrawal, HC_MAX(cancel_at, e->now), t->serial, id);
  return hc_queue_push(e->events, &leave_at, &t->event);
}

/* ---- waiting ---- */

/* Its time has not come: it waits in the queue, or out of the sight of every policy. */
static __attribute__((noinline)) hc_rc wait_for_time(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_event due = hc_event_at(HC_EVENT_eligible, hc_cold_of(e, id)->eligible, t->serial, id);
  if (e->plans_ahead) return hc_deferred_join(e, id, error);
  e->tasks_held++;
  e->counters.held_back++;
  t->state = HC_TASK_HELD; /* the event has no handle: should the task go before, its serial tells */
  return hc_queue_push(e->events, &due, NULL);
}

hc_rc hc_life_eligible(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_task_cold *c = hc_cold_of(e, id);
  if (t->state == HC_TASK_HELD) e->tasks_held--;
  if (c->eligible != HC_UNKNOWN && c->eligible > e->now) return wait_for_time(e, id, error);
  t->state = HC_TASK_ARRIVED;
  if (hc_hears(e, HC_ON_QUEUED)) /* it may start in this very call */
    TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_QUEUED, .task = id, .error = error}));
  return hc_signal_task(e, id, error);
}

static hc_rc time_has_come(hc_engine *e, hc_task id, uint64_t serial, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  if (t->serial != serial) return 0;
  if (e->plans_ahead && t->state != HC_TASK_HELD) return t->deferred ? hc_deferred_due(e, id, error) : 0;
  return t->state == HC_TASK_HELD ? hc_life_eligible(e, id, error) : 0;
}

const hc_event_type hc_event_eligible = {.name = "eligible", .deliver = time_has_come};

/* It begins anew: nothing is kept of what it did, but what it has saved. Its user may take it away while it
 * waits again; and if its run was until then, it is so still. */
static hc_rc begin_anew(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time cancel_at = hc_cold_of(e, id)->cancel_at;
  t->start = HC_UNKNOWN;
  hc_work_anew(e, id);
  t->draws++;
  if (e->cell.hosts) hc_demand_waits(e, id);
  if (how) TRY(hc_stopping_shorten(e, id, how, saved));
  hc_moldable_reset(e, id);
  if (t->bits & HC_LIVE_UNTIL) t->run = HC_NEVER;
  t->bits &= (uint8_t)~HC_LIVE_UNTIL;
  return cancel_at != HC_NEVER && cancel_at > e->now ? hc_life_expect_withdrawal(e, id, cancel_at) : 0;
}

static hc_rc wait_again(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  TRY(begin_anew(e, id, how, saved));
  TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_QUEUED, .task = id}));
  return hc_queues_insert(e, hc_live_of(e, id)->queue, id);
}

/* How long it may not start again: the longer, the more often it has lost its host. */
static hc_time back_off(const hc_engine *e, hc_task id)
{
  const hc_run_options *o = e->options;
  double delay = (double)o->requeue_after;
  if (o->requeue_after == 0) return 0;
  for (uint32_t n = 1; n < e->tasks.cold[id].attempts && delay < (double)o->requeue_most; n++)
    delay *= o->requeue_growth;
  return delay < (double)o->requeue_most ? (hc_time)delay : o->requeue_most;
}

/* It comes back as a task whose time has come. */
static hc_rc wait_apart(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved, hc_time delay)
{
  hc_live *t = hc_live_of(e, id);
  const hc_event due = hc_event_at(HC_EVENT_eligible, hc_time_add(e->now, delay), t->serial, id);
  TRY(begin_anew(e, id, how, saved));
  e->tasks_held++;
  t->state = HC_TASK_HELD;
  e->tasks.cold[id].lost_at = due.time;
  return hc_queue_push(e->events, &due, NULL);
}

/* ---- an attempt is over ---- */

/* What it held is free; what parts have of the attempt comes to its end. */
static hc_rc over(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, bool for_good,
                  hc_error *error)
{
  hc_notice n = {.kind = HC_ON_RELEASED,
                 .task = id,
                 .grants = grants,
                 .count = count,
                 .for_good = for_good,
                 .error = error};
  TRY(hc_notify(e, &n));
  n.kind = HC_ON_OVER;
  return hc_notify(e, &n);
}

/* It runs no more: its events are cancelled, what it held is forgotten. */
static hc_rc stop(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_ends_name(e));
  cancel_event(e, id);
  if (e->tasks.plans && e->tasks.planned[id].overdue_event != HC_NO_EVENT) {
    hc_queue_cancel(e->events, e->tasks.planned[id].overdue_event);
    e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  }
  if (e->model) TRY(e->model_type->end(e->model, e->now, id));
  t->bits &= (uint8_t) ~(HC_LIVE_OVERDUE | HC_LIVE_WARNED);
  hc_tasks_drop_grants(e, t);
  return 0;
}

/* Has it said that it is not to be run again? */
static bool is_not_to_wait_again(const hc_engine *e, hc_task id)
{
  const hc_request r = hc_request_of(e, id);
  const hc_task_extras *m = r.more ? hc_lexicon_more(e->lexicon, r.more) : NULL;
  return m && m->again == HC_AGAIN_NEVER;
}

hc_rc hc_life_stop(hc_engine *e, hc_task id, const hc_stopping *how, const hc_grant *grants, size_t count,
                   hc_error *error)
{
  const hc_time saved = hc_stopping_saves(e, id, how), ran = hc_work_so_far(e, id);
  size_t profile;
  if (how->how == HC_STOP_CHECKPOINT && hc_model_profile(e, id, &profile))
    return hc_fail(error, HC_EUNSUPPORTED, "preemption", 0, 0,
                   "task %" PRId64
                   " is stopped and is to go on later, and what it does by its profile cannot be "
                   "taken up again: let it begin anew (requeue), or leave out `execution`",
                   e->tasks.identities[id].id);
  const bool for_good = how->how == HC_STOP_KILL;
  TRY(hc_rates_leave(e, id, error));
  if (e->observers.wants_attempts) TRY(hc_checkpoints_tell(e, id, HC_ATTEMPT_STOPPED, saved));
  TRY(hc_stopping_note(e, id, how, grants, count, error));
  TRY(over(e, id, grants, count, for_good, error));
  hc_checkpoints_lose(e, id, how);
  TRY(stop(e, id));
  e->counters.made_again += !for_good && is_not_to_wait_again(e, id);
  if (!for_good) return wait_again(e, id, how, saved);
  if (hc_live_of(e, id)->flags & HC_TASK_RATED) hc_live_of(e, id)->run = ran;
  if (e->book) hc_model_ran(e, id);
  return stopped_for_good(e, id, HC_FINAL_KILLED, error);
}

static __attribute__((noinline)) hc_rc give_all_back(hc_engine *e, hc_task id, bool for_good, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  if (e->reserve->type->give) TRY(hc_reserve_give(e->reserve, id, hc_expected_end(e, t), grants, count));
  TRY(hc_release(e, id, grants, count));
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units -= t->units;
  TRY(over(e, id, grants, count, for_good, error));
  e->running--;
  return 0;
}

/* What a running task holds is free. Where a task holds one slot of two amounts and no part hears of it, that
 * is all: by the other way a stream of small tasks takes 6 % more instructions (docs/notes/003). @param
 * for_good its record will say that it was there */
static inline hc_rc give_back(hc_engine *e, hc_task id, bool for_good, hc_error *error)
{
  if (e->is_plain && !(e->heard & (HC_HEARS(RELEASED) | HC_HEARS(OVER))) && hc_asks_plainly(e, id)) {
    hc_cell_give_one(&e->cell, hc_need_of(e, id), hc_live_of(e, id)->held);
    e->running--;
    return 0;
  }
  return give_all_back(e, id, for_good, error);
}

hc_rc hc_life_end(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const bool killed = (t->bits & HC_LIVE_KILLED) != 0;
  TRY(hc_rates_leave(e, id, error));
  if (e->observers.wants_attempts) TRY(hc_checkpoints_tell(e, id, HC_ATTEMPT_ENDED, 0));
  TRY(give_back(e, id, true, error));
  if (e->model && e->now - t->start != t->run) t->flags |= HC_TASK_RATED;
  if (e->tasks.plans && e->tasks.planned[id].overdue_event != HC_NO_EVENT)
    hc_queue_cancel(e->events, e->tasks.planned[id].overdue_event);
  e->counters.ended++;
  e->counters.last_end = e->now;
  TRY(hc_observe_final(e, id, killed ? HC_FINAL_KILLED : HC_FINAL_COMPLETED, e->now, error));
  return leave(e, id, e->now, !killed, error);
}

/* It held nothing, but had its place. */
static hc_rc lose_suspended(hc_engine *e, hc_task id, bool for_good, hc_error *error)
{
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_live_of(e, id)->state = HC_TASK_RUNNING; /* as its like, until it waits or is gone */
  e->suspended--;
  if (!for_good) return 0;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  return hc_rows_placement(e, id, grants, count, error);
}

hc_rc hc_life_lost(hc_engine *e, hc_task id, hc_error *error)
{
  const bool for_good = e->options->host_loss == HC_LOSS_LOST || is_not_to_wait_again(e, id) ||
                        hc_cold_of(e, id)->attempts + 1 >= (uint64_t)e->options->attempts;
  hc_stopping how = {.how = HC_STOP_CHECKPOINT};
  const hc_time saved = for_good ? 0 : hc_checkpoints_kept(e, id, &how.overhead);
  TRY(hc_rates_leave(e, id, error));
  if (e->observers.wants_attempts)
    TRY(hc_checkpoints_tell(e, id, for_good ? HC_ATTEMPT_GIVEN_UP : HC_ATTEMPT_LOST, saved));
  if (saved > 0) TRY(hc_stopping_note_lost(e, id, &how, saved, error));
  if (hc_live_of(e, id)->state == HC_TASK_SUSPENDED) TRY(lose_suspended(e, id, for_good, error));
  else TRY(give_back(e, id, for_good, error));
  TRY(stop(e, id));
  if (for_good && e->book) hc_model_ran(e, id);
  if (for_good) return stopped_for_good(e, id, HC_FINAL_LOST, error);
  TRY(hc_tasks_need_cold(e));
  e->tasks.cold[id].attempts++;
  e->tasks.cold[id].lost_at = e->now;
  TRY(hc_rows_attempt(e, id, error));
  e->counters.requeued++;
  const hc_time delay = back_off(e, id);
  if (delay > 0) return wait_apart(e, id, saved > 0 ? &how : NULL, saved, delay);
  return wait_again(e, id, saved > 0 ? &how : NULL, saved);
}
