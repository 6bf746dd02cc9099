/* commit.c -- the only mutator: what a plan wished becomes what happened.
 *
 * A plan made on the view that is still open is simply kept (HC_COMMIT_NOW): its effects on the cell are
 * there already. A plan that was thought about for a while is applied action by action to the live cell,
 * and each may find that the cell has changed: that is a conflict, told to the caller by count, and normal
 * for shared state. */
#include <string.h>

#include "base/util.h"
#include "engine/plan.h"
#include "engine/rates.h"
#include "engine/resizes.h"
#include "engine/state.h"
#include "engine/stopping.h"

/* ---- what happened ---- */

/* A task is gone: those who wait for it hear it, and so do closed-loop sources, which may now have a task that comes
 * before the one taken last. */
static hc_rc leave(hc_engine *e, hc_task id, hc_time end, bool completed, hc_error *error)
{
  hc_feedback f = {e->tasks.identities[id].id, end, completed};
  hc_rc rc = 0;
  if (hc_live_of(e, id)->bits & HC_LIVE_DEPENDS) TRY(hc_dependencies_ends(e, id, completed, error));
  if (hc_stream_listens(e->stream)) {
    hc_engine_hold(e); /* the stream may make others */
    rc = hc_stream_feedback(e->stream, hc_live_of(e, id)->source, &f, error);
  }
  hc_tasks_remove(e, id);
  if (rc <= 0) return rc;
  e->source_waits = e->source_ended = false;
  if (!e->has_arrival) return 0;
  e->has_arrival = false;
  return hc_stream_return(e->stream, e->next);
}

/* The log says when its user took the task away and not how long it would have run: it runs until then, if
 * its limit lets it. */
static __attribute__((noinline)) void run_until_cancelled(const hc_engine *e, hc_task id, hc_live *t)
{
  const hc_time at = hc_cold_of(e, id)->cancel_at, believed = hc_running_estimate_of(e, id);
  if (at == HC_NEVER) return;
  if (believed < at - e->now) t->bits |= HC_LIVE_KILLED;
  else t->bits &= (uint8_t)~HC_LIVE_KILLED;
  t->run = HC_MIN(HC_MAX(at - e->now, 0), believed);
  t->bits |= HC_LIVE_UNTIL;
}

/* It may run past what was believed: then plans have to know. */
static __attribute__((noinline)) hc_rc expect_overdue(hc_engine *e, hc_task id, uint64_t key, hc_time end)
{
  hc_planned *p = &e->tasks.planned[id];
  const hc_time expected = hc_time_add(e->now, p->running_estimate);
  p->overdue_event = HC_NO_EVENT;
  if (!e->expects || expected >= end) return 0;
  return hc_queue_push(e->events, &(hc_event){expected, key, HC_PHASE_END, id | HC_OVERDUE_BIT},
                       &p->overdue_event);
}

/* What only some runs want to know of a start. */
static __attribute__((noinline)) hc_rc note_start(hc_engine *e, hc_task id, const hc_grant *grants,
                                                  size_t count)
{
  if (e->observers.wants_changes) {
    TRY(hc_observe_queue(e, id, HC_CHANGE_UNQUEUED));
    TRY(hc_observe_claims(e, id, HC_CHANGE_CLAIMED, grants, count));
  }
  if (e->explain) hc_explain_text(e, id, "starts");
  return 0;
}

static hc_rc happened_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  uint64_t key = e->options->end_order == HC_END_BY_START ? e->counters.started : t->serial;
  hc_time end;
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event); /* its withdrawal */
  if (t->run == HC_NEVER) run_until_cancelled(e, id, t);
  end = hc_time_add(e->now, t->run);
  t->event = HC_NO_EVENT;
  t->state = HC_TASK_RUNNING;
  if (count == 1 && hc_is_one(e, grants)) hc_tasks_hold_one(t, grants->host);
  else if (count > 0) TRY(hc_tasks_hold(e, id, grants, count));
  if (e->holds.past) hc_past_move(e, id, grants, count, 1);
  if (end != HC_NEVER)
    TRY(hc_queue_push(e->events, &(hc_event){end, key, HC_PHASE_END, id}, e->names_ends ? &t->event : NULL));
  if (e->tasks.plans) TRY(expect_overdue(e, id, key, end));
  if (e->resizes) TRY(hc_resizes_start(e, id));
  e->running++;
  e->counters.started++;
  if (e->counters.first_start == HC_UNKNOWN) e->counters.first_start = e->now;
  if (e->observers.wants_changes || e->explain) TRY(note_start(e, id, grants, count));
  return t->bits & HC_LIVE_DEPENDS ? hc_dependencies_starts(e, id, error) : 0;
}

static void name_end(void *ctx, const hc_event *event, hc_event_handle handle)
{
  hc_engine *e = ctx;
  if (event->phase == HC_PHASE_END && event->payload < e->tasks.count)
    hc_live_of(e, event->payload)->event = handle;
}

hc_rc hc_commit_name_ends(hc_engine *e)
{
  if (!e->names_ends) TRY(hc_queue_name(e->events, name_end, e));
  e->names_ends = true;
  return 0;
}

/* It runs no more: its events are cancelled, what it held is nobody's. What it held was given back before. */
static hc_rc stop(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  TRY(hc_commit_name_ends(e));
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event);
  if (e->tasks.plans && e->tasks.planned[id].overdue_event != HC_NO_EVENT) {
    hc_queue_cancel(e->events, e->tasks.planned[id].overdue_event);
    e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  }
  t->event = HC_NO_EVENT;
  t->bits &= (uint8_t) ~(HC_LIVE_OVERDUE | HC_LIVE_WARNED);
  hc_tasks_drop_grants(e, t);
  return 0;
}

static hc_rc stopped_for_good(hc_engine *e, hc_task id, hc_final final, hc_error *error)
{
  e->counters.ended++;
  e->counters.last_end = e->now;
  TRY(hc_observe_final(e, id, final, e->now, error));
  return leave(e, id, e->now, false, error);
}

/* Its user may take it away while it waits again; and if its run was until then, it is so still. */
static hc_rc expect_withdrawal(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time at = hc_cold_of(e, id)->cancel_at;
  if (t->bits & HC_LIVE_UNTIL) t->run = HC_NEVER;
  t->bits &= (uint8_t)~HC_LIVE_UNTIL;
  if (at == HC_NEVER || at <= e->now) return 0;
  return hc_queue_push(e->events, &(hc_event){at, t->serial, HC_PHASE_TIMER, id}, &t->event);
}

/* It begins anew: nothing is kept of what it did, but what it has saved. */
static hc_rc wait_again(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  hc_live_of(e, id)->start = HC_UNKNOWN;
  hc_work_anew(e, id);
  hc_live_of(e, id)->draws++;
  if (e->cell.hosts) hc_demand_waits(e, id);
  if (how) TRY(hc_stopping_shorten(e, id, how, saved));
  TRY(expect_withdrawal(e, id));
  if (e->observers.wants_changes) TRY(hc_observe_queue(e, id, HC_CHANGE_QUEUED));
  return hc_queues_insert(e, hc_live_of(e, id)->queue, id);
}

static hc_rc store_placement(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error);
static bool keeps_rows(const hc_engine *e);

hc_rc hc_commit_stop(hc_engine *e, hc_task id, const hc_stopping *how, const hc_grant *grants, size_t count,
                     hc_error *error)
{
  const hc_time saved = hc_stopping_saves(e, id, how);
  TRY(hc_stopping_note(e, id, how, grants, count, error));
  if (e->observers.wants_changes) TRY(hc_observe_claims(e, id, HC_CHANGE_RELEASED, grants, count));
  if (e->holds.past) hc_past_move(e, id, grants, count, -1);
  if (e->resizes) hc_resizes_stop(e, id, how->how == HC_STOP_KILL);
  TRY(stop(e, id));
  if (how->how != HC_STOP_KILL) return wait_again(e, id, how, saved);
  if (hc_live_of(e, id)->flags & HC_TASK_RATED) hc_live_of(e, id)->run = hc_work_so_far(e, id);
  if (count > 0 && keeps_rows(e)) TRY(store_placement(e, id, grants, count, error));
  return stopped_for_good(e, id, HC_FINAL_KILLED, error);
}

static hc_rc happened_preempt(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const hc_stopping how = {.how = (hc_stop)a->how, .every = a->every, .overhead = a->overhead};
  return hc_commit_stop(e, a->task, &how, hc_plan_grants(p, a), a->grant_count, error);
}

static hc_rc happened_reject(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event); /* its withdrawal */
  t->event = HC_NO_EVENT;
  if (!hc_deferred_leaves(e, id) && e->observers.wants_changes)
    TRY(hc_observe_queue(e, id, HC_CHANGE_UNQUEUED));
  TRY(hc_observe_final(e, id, HC_FINAL_REJECTED, HC_UNKNOWN, error));
  return leave(e, id, e->now, false, error);
}

static __attribute__((noinline)) hc_rc happened_else(hc_engine *e, const hc_plan *p, const hc_action *a,
                                                     hc_error *error)
{
  switch ((hc_action_kind)a->kind) {
    case HC_ACTION_PREEMPT: return happened_preempt(e, p, a, error);
    case HC_ACTION_WARN: return hc_happened_warn(e, a->task);
    case HC_ACTION_RATE: return hc_happened_rate(e, a, error);
    case HC_ACTION_REJECT: return happened_reject(e, a->task, error);
    case HC_ACTION_WAKE: /* a plan that was thought about may be late for it */
      return hc_architecture_services.timer(e, HC_MAX(a->at, e->now), HC_TIMER_WAKE);
    case HC_ACTION_START: /* see happened */
    case HC_ACTION_RESERVE:
    case HC_ACTION_UNRESERVE: return 0;
  }
  return 0;
}

static inline hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  if (a->kind != HC_ACTION_START) return happened_else(e, p, a, error);
  return happened_start(e, a->task, hc_plan_grants(p, a), a->grant_count, error);
}

/* ---- what the policy hears of it ---- */

void hc_plan_tell(hc_engine *e, const hc_plan *p, const hc_action *a, hc_rc rc)
{
  const hc_wait_queue *q = &e->queues[p->queue];
  const hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  const bool is_here = t && t->serial == a->serial && t->state != HC_TASK_FREE;
  hc_view v = {.engine = e, .queue = (uint32_t)p->queue};
  if (!q->planning || a->is_forced || a->kind == HC_ACTION_WAKE) return;
  q->planning->outcome(q->planner, &v, is_here ? a->task : HC_NO_TASK, rc);
}

/* Some actions of a plan, all with one outcome. */
static void tell_each(hc_engine *e, const hc_plan *p, size_t from, size_t to, hc_rc rc)
{
  for (size_t i = from; e->queues[p->queue].planning && i < to; i++) hc_plan_tell(e, p, &p->actions[i], rc);
}

/* ---- a plan from before ---- */

/* A start that finds its processors taken leaves the task's reservation as it was. */
static hc_rc start_again(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_time was = hc_reserved_of(e, id);
  const hc_grant *hosts = NULL;
  size_t host_count = 0;
  hc_rc rc;
  TRY(hc_reservation_hosts(e, id, &hosts, &host_count));
  TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
  rc = hc_apply_start(e, id, grants, count);
  if (rc == HC_ECONFLICT) TRY(hc_apply_reservation(e, id, was, hosts, host_count));
  return rc;
}

/* It may have been stopped and started again elsewhere: then it is not what the plan was about. */
static hc_rc preempt_again(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_grant *held;
  hc_grant one;
  size_t n;
  if (hc_live_of(e, id)->state != HC_TASK_RUNNING) return HC_ECONFLICT;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &n));
  if (n != count || (n > 0 && memcmp(held, grants, n * sizeof *held) != 0)) return HC_ECONFLICT;
  return hc_apply_preempt(e, id, grants, count);
}

/* What it is about may have ended, or been told by another. A grace that began while this was thought about ends when it was to. */
static hc_rc warn_again(hc_engine *e, const hc_action *a)
{
  const hc_stopping how = {.how = (hc_stop)a->how, .every = a->every, .overhead = a->overhead};
  const hc_live *t = hc_live_of(e, a->task);
  if (t->state != HC_TASK_RUNNING || (t->bits & HC_LIVE_WARNED)) return HC_ECONFLICT;
  return hc_apply_warn(e, a->task, HC_MAX(a->at, e->now), &how);
}

/* Hosts that were to be promised for a time may not be free for it any more; those that are held from a time on are held. */
static hc_rc reserve_again(hc_engine *e, const hc_action *a, const hc_grant *grants)
{
  const hc_time at = HC_MAX(a->at, e->now);
  if (e->future && !hc_future_holds(e, a->task, at, grants, a->grant_count)) return HC_ECONFLICT;
  return hc_apply_reservation(e, a->task, at, grants, a->grant_count);
}

/* Has anybody else started something there since the plan's view was opened? */
static bool is_overtaken(const hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const hc_grant *grants = hc_plan_grants(p, a);
  for (uint32_t i = 0; a->kind == HC_ACTION_START && i < a->grant_count; i++)
    if (e->last_start[grants[i].host] > p->seen) return true;
  return false;
}

static void number_starts(hc_engine *e, const hc_plan *p)
{
  for (size_t k = 0; k < p->count; k++) {
    const hc_action *a = &p->actions[k];
    const hc_grant *grants = hc_plan_grants(p, a);
    for (uint32_t i = 0; a->kind == HC_ACTION_START && i < a->grant_count; i++)
      e->last_start[grants[i].host] = e->commits;
  }
}

/* Apply one wish to the live cell. The task may be gone, or its slot another's: serials tell. */
static hc_rc apply_again(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  const hc_grant *grants = hc_plan_grants(p, a);
  if (a->kind == HC_ACTION_WAKE) return 0;
  if (!t || t->serial != a->serial) return HC_ECONFLICT;
  switch ((hc_action_kind)a->kind) {
    case HC_ACTION_START:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      return start_again(e, a->task, grants, a->grant_count);
    case HC_ACTION_PREEMPT: return preempt_again(e, a->task, grants, a->grant_count);
    case HC_ACTION_WARN: return warn_again(e, a);
    case HC_ACTION_REJECT:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      TRY(hc_apply_reservation(e, a->task, HC_NEVER, NULL, 0));
      hc_queues_remove(e, a->task);
      t->state = HC_TASK_PLANNED;
      return 0;
    case HC_ACTION_RESERVE:
      if (t->state != HC_TASK_WAITING) return HC_ECONFLICT;
      return reserve_again(e, a, grants);
    case HC_ACTION_UNRESERVE: return hc_apply_reservation(e, a->task, HC_NEVER, NULL, 0);
    case HC_ACTION_RATE:
      return HC_ECONFLICT; /* committed at once or not at all: hc_architecture_type.lets_rates */
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

/* ---- room at the cost of others ---- */

/* Where a commit stands: actions before `kept` are applied, `at` is the one at hand, those behind it are to come. */
typedef struct committing {
  hc_plan *plan;
  size_t at, kept;
} committing;

static bool shares_host(hc_engine *e, const hc_live *t, const hc_grant *grants, size_t count)
{
  const hc_grant *held;
  hc_grant one;
  size_t n;
  hc_engine_note(e, hc_tasks_held(e, t, &one, &held, &n));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < count; k++)
      if (held[i].host == grants[k].host) return true;
  return false;
}

/* Who is stopped next for a task on these hosts; HC_NO_TASK: nobody may be. */
static hc_task next_ousted(hc_engine *e, hc_task taker, const hc_grant *grants, size_t count)
{
  const int64_t mine = hc_cold_of(e, taker)->priority;
  hc_task best = HC_NO_TASK;
  for (hc_task id = 0; id < e->tasks.count; id++) {
    const hc_live *t = hc_live_of(e, id), *b = best == HC_NO_TASK ? NULL : hc_live_of(e, best);
    const int64_t its = t->state == HC_TASK_RUNNING ? hc_cold_of(e, id)->priority : INT64_MAX;
    if (its >= mine || (t->bits & HC_LIVE_WARNED)) continue;
    if (b) {
      const int64_t best_its = hc_cold_of(e, best)->priority;
      if (its > best_its || (its == best_its && t->start < b->start) ||
          (its == best_its && t->start == b->start && t->serial < b->serial))
        continue;
    }
    if (shares_host(e, t, grants, count)) best = id;
  }
  return best;
}

/* Stop it, and write that down before the action at hand. */
static hc_rc oust_one(hc_engine *e, committing *c, hc_task id)
{
  hc_plan *p = c->plan;
  const hc_grant *held;
  hc_grant one;
  size_t n;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &n));
  TRY(hc_plan_grow(p, HC_MAX(n, 1)));
  if (c->kept == c->at) {
    memmove(&p->actions[c->at + 2], &p->actions[c->at + 1], (p->count - c->at - 1) * sizeof *p->actions);
    c->at++;
    p->count++;
  }
  p->actions[c->kept++] = (hc_action){.serial = hc_live_of(e, id)->serial,
                                      .at = e->now,
                                      .was = HC_NEVER,
                                      .kind = HC_ACTION_PREEMPT,
                                      .task = id,
                                      .grants = (uint32_t)p->grant_count,
                                      .grant_count = (uint32_t)n,
                                      .how = HC_STOP_REQUEUE,
                                      .is_forced = 1};
  for (size_t i = 0; i < n; i++) p->grants[p->grant_count++] = held[i];
  return hc_apply_preempt(e, id, p->grants + p->grant_count - n, n);
}

/* Start it where it was to start, though others have to go. @return 0, HC_ECONFLICT (nobody has been stopped), or an error. */
static hc_rc start_by_force(hc_engine *e, committing *c, const hc_action *a)
{
  const size_t before = c->kept;
  const hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  hc_rc rc = HC_ECONFLICT;
  if (!e->cell.hosts || e->future || !t || t->serial != a->serial || t->state != HC_TASK_WAITING) return rc;
  while (rc == HC_ECONFLICT) {
    const hc_task id = next_ousted(e, a->task, hc_plan_grants(c->plan, a), a->grant_count);
    if (id == HC_NO_TASK) break;
    TRY(oust_one(e, c, id));
    rc = start_again(e, a->task, hc_plan_grants(c->plan, a), a->grant_count);
  }
  if (rc == HC_ECONFLICT && c->kept > before) {
    hc_plan stops = *c->plan;
    stops.actions += before;
    stops.count = c->kept - before;
    c->kept = before;
    TRY(hc_plan_undo(e, &stops));
  }
  return rc;
}

/* The first task of a queue that may start, as a cursor behind it. */
static hc_cursor first_that_may(const hc_engine *e, uint32_t queue)
{
  hc_waitlist *list = e->queues[queue].sorting[HC_LIST_QUEUE].list;
  hc_cursor at = {0};
  hc_task id;
  do id = hc_waitlist_next(list, &at, NULL);
  while (id != HC_NO_TASK && e->tasks.live[id].deferred);
  return id == HC_NO_TASK ? (hc_cursor){0} : at;
}

/* A task that starts while one before it in its queue goes on waiting was backfilled. */
static void mark_backfilled(hc_engine *e, const hc_plan *p)
{
  uint32_t queue = UINT32_MAX;
  hc_cursor first = {0};
  for (size_t i = p->heads; i < p->count; i++) {
    hc_live *t;
    if (p->actions[i].kind != HC_ACTION_START) continue;
    t = hc_live_of(e, p->actions[i].task);
    if (t->queue != queue) {
      queue = t->queue;
      first = first_that_may(e, queue);
    }
    if (first.inside && (first.key < t->key || (first.key == t->key && first.serial < t->serial)))
      t->flags |= HC_TASK_BACKFILLED;
  }
}

/* Whoever is refused does not draw the same place again. */
static void draw_anew(hc_engine *e, const hc_action *actions, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_action *a = &actions[i];
    if (a->kind != HC_ACTION_START || a->task >= e->tasks.count) continue;
    if (hc_live_of(e, a->task)->serial == a->serial) hc_live_of(e, a->task)->draws++;
  }
  e->choice.version = 0; /* what was chosen last is no more */
}

static hc_rc commit_checked(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error)
{
  const bool all_or_none = (mode & HC_COMMIT_ALL_OR_NONE) != 0,
             in_sequence = (mode & HC_COMMIT_IN_SEQUENCE) != 0;
  committing c = {.plan = p};
  hc_rc refused = 0;
  p->heads = 0;
  for (; c.at < p->count; c.at++) {
    hc_action a = p->actions[c.at];
    hc_rc rc;
    if (a.task != HC_NO_TASK && a.task < e->tasks.count) {
      a.was = hc_reserved_of(e, a.task);
      TRY(hc_plan_note_promise(p, &a));
    }
    rc = in_sequence && is_overtaken(e, p, &a) ? HC_ECONFLICT : apply_again(e, p, &a);
    if (rc == HC_ECONFLICT && (mode & HC_COMMIT_OUST) && a.kind == HC_ACTION_START &&
        !(in_sequence && is_overtaken(e, p, &a)))
      rc = start_by_force(e, &c, &a);
    if (rc < 0 && rc != HC_ECONFLICT) return hc_fail(error, rc, "commit", 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) p->actions[c.kept++] = a;
    refused += rc < 0;
    if (rc < 0) draw_anew(e, &a, 1);
    if (rc < 0) hc_plan_tell(e, p, &a, HC_ECONFLICT);
    if (rc < 0 && all_or_none) {
      TRY(take_back(e, p, c.kept));
      tell_each(e, p, 0, c.kept, HC_ECONFLICT);
      tell_each(e, p, c.at + 1, p->count, HC_ECONFLICT);
      draw_anew(e, p->actions, c.kept);
      draw_anew(e, p->actions + c.at + 1, p->count - c.at - 1);
      c.kept = 0;
      break;
    }
  }
  p->count = c.kept;
  mark_backfilled(e, p);
  if (e->last_start) number_starts(e, p);
  e->counters.conflicts += (uint64_t)refused;
  tell_each(e, p, 0, p->count, 0);
  for (size_t i = 0; i < p->count; i++) TRY(happened(e, p, &p->actions[i], error));
  return refused;
}

hc_rc hc_commit(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error)
{
  hc_rc rc = 0;
  e->commits++;
  if (mode == HC_COMMIT_NOW) {
    mark_backfilled(e, p);
    if (e->last_start) number_starts(e, p);
    tell_each(e, p, 0, p->count, 0);
    for (size_t i = 0; i < p->count; i++) {
      if (i + 4 < p->count && p->actions[i + 4].task < e->tasks.count)
        __builtin_prefetch(&e->tasks.live[p->actions[i + 4].task], 1);
      TRY(happened(e, p, &p->actions[i], error));
    }
  } else {
    rc = commit_checked(e, p, mode, error);
  }
  hc_plan_clear(p);
  return rc;
}

/* ---- events of tasks ---- */

static hc_rc store_placement(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  const int64_t serial = (int64_t)hc_live_of(e, id)->serial;
  if (e->cell.hosts) return hc_demand_store(e, id, true, grants, count, error);
  for (size_t i = 0; i < count; i++) {
    const hc_range r = {grants[i].host, grants[i].slots};
    TRY(hc_store_placement(e->store, serial, &r, 1, error));
  }
  return 0;
}

static bool keeps_rows(const hc_engine *e)
{
  return e->store && e->options->task_rows == HC_ROWS_ALL;
}

static __attribute__((noinline)) hc_rc give_all_back(hc_engine *e, hc_task id, bool stays, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  TRY(hc_release(e, id, e->cell.timeline ? hc_expected_end(e, t) : 0, grants, count));
  if (e->future) hc_future_remove(e, id);
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units -= t->units;
  if (e->holds.past) hc_past_move(e, id, grants, count, -1);
  if (e->observers.wants_changes) TRY(hc_observe_claims(e, id, HC_CHANGE_RELEASED, grants, count));
  if (e->resizes) hc_resizes_stop(e, id, stays);
  if (stays && count > 0 && keeps_rows(e)) TRY(store_placement(e, id, grants, count, error));
  e->running--;
  return 0;
}

/* What a running task holds is free. @param stays its record will say that it was there */
static inline hc_rc give_back(hc_engine *e, hc_task id, bool stays, hc_error *error)
{
  if (e->is_plain && !e->observers.wants_changes && !(stays && keeps_rows(e)) && hc_asks_plainly(e, id)) {
    hc_cell_give_one(&e->cell, hc_need_of(e, id), hc_live_of(e, id)->held);
    e->running--;
    return 0;
  }
  return give_all_back(e, id, stays, error);
}

hc_rc hc_commit_end(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const bool killed = (t->bits & HC_LIVE_KILLED) != 0;
  TRY(give_back(e, id, true, error));
  if (e->tasks.plans && e->tasks.planned[id].overdue_event != HC_NO_EVENT)
    hc_queue_cancel(e->events, e->tasks.planned[id].overdue_event);
  e->counters.ended++;
  e->counters.last_end = e->now;
  TRY(hc_observe_final(e, id, killed ? HC_FINAL_KILLED : HC_FINAL_COMPLETED, e->now, error));
  return leave(e, id, e->now, !killed, error);
}

/* On a cell of processors a grant's host is the first of a range. */
hc_rc hc_commit_open(hc_engine *e, hc_task id, hc_error *error)
{
  const int64_t serial = (int64_t)hc_live_of(e, id)->serial;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_rc rc = 0;
  if (!keeps_rows(e)) return 0;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  if (e->resizes) hc_resizes_swap(e, id); /* what it held at its start */
  if (e->cell.hosts && count > 0) rc = hc_demand_store(e, id, false, grants, count, error);
  for (size_t i = 0; i < count && !e->cell.hosts && rc >= 0; i++) {
    const int64_t row[4 + HC_DIMENSIONS] = {serial, grants[i].host, grants[i].slots};
    rc = hc_store_numbers(e->store, "open_grants", HC_ARRAY_LEN(row), row, error);
  }
  if (e->resizes) hc_resizes_swap(e, id);
  return rc;
}

/* It held nothing, but had its place. */
static hc_rc lose_suspended(hc_engine *e, hc_task id, bool for_good, hc_error *error)
{
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_rates_lost(e, id);
  if (!for_good || !keeps_rows(e)) return 0;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  return count > 0 ? store_placement(e, id, grants, count, error) : 0;
}

/* Its host has gone. What becomes of it is the run's option. */
hc_rc hc_commit_lost(hc_engine *e, hc_task id, hc_error *error)
{
  const bool for_good = e->options->host_loss == HC_LOSS_LOST ||
                        hc_cold_of(e, id)->attempts + 1 >= (uint64_t)e->options->attempts;
  if (hc_live_of(e, id)->state == HC_TASK_SUSPENDED) TRY(lose_suspended(e, id, for_good, error));
  else TRY(give_back(e, id, for_good, error));
  TRY(stop(e, id));
  if (for_good) return stopped_for_good(e, id, HC_FINAL_LOST, error);
  TRY(hc_tasks_need_cold(e));
  e->tasks.cold[id].attempts++;
  if (e->store && e->options->task_rows == HC_ROWS_ALL)
    TRY(hc_store_numbers(e->store, "attempts", 4,
                         (const int64_t[]){(int64_t)hc_live_of(e, id)->serial, e->tasks.cold[id].attempts,
                                           hc_live_of(e, id)->start, e->now},
                         error));
  e->counters.requeued++;
  return wait_again(e, id, NULL, 0);
}

hc_rc hc_commit_withdraw(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  t->event = HC_NO_EVENT;
  if (t->state == HC_TASK_HELD) e->tasks_held--;
  if (t->state == HC_TASK_WAITING) {
    TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
    hc_queues_remove(e, id);
    if (!hc_deferred_leaves(e, id) && e->observers.wants_changes)
      TRY(hc_observe_queue(e, id, HC_CHANGE_UNQUEUED));
  }
  TRY(hc_observe_final(e, id, HC_FINAL_WITHDRAWN, e->now, error));
  return leave(e, id, e->now, false, error);
}

hc_rc hc_commit_never(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event);
  e->tasks_held--;
  hc_explain_text(
      e, id,
      "can never start: a task that it waits for did not end as it must, is missing, or waits for "
      "it in turn");
  TRY(hc_observe_final(e, id, HC_FINAL_HELD, HC_UNKNOWN, error));
  return leave(e, id, e->now, false, error);
}

/* Its time has not come: it waits in the queue, or out of everybody's sight. */
static __attribute__((noinline)) hc_rc wait_for_time(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  if (!e->dependencies) TRY(hc_deferred_store(e, id, error)); /* else it was when it arrived */
  if (e->plans_ahead) return hc_deferred_join(e, id, error);
  e->tasks_held++;
  e->counters.held_back++;
  t->state = HC_TASK_HELD; /* the event has no handle: should the task go before, its serial tells */
  return hc_queue_push(
      e->events, &(hc_event){hc_cold_of(e, id)->eligible, t->serial | HC_ELIGIBLE_KEY, HC_PHASE_TIMER, id},
      NULL);
}

/* Wait for its time, or be seen by the architecture now. */
hc_rc hc_commit_eligible(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_task_cold *r = hc_cold_of(e, id);
  if (t->state == HC_TASK_HELD) e->tasks_held--;
  if (r->eligible != HC_UNKNOWN && r->eligible > e->now) return wait_for_time(e, id, error);
  t->state = HC_TASK_ARRIVED;
  if (e->observers.wants_changes)
    TRY(hc_observe_queue(e, id, HC_CHANGE_QUEUED)); /* it may start in this very call */
  return hc_engine_queues(e, id, error);
}

/* Its expected end has passed and it runs on. All such tasks are believed to end together, a moment from
 * now. */
hc_rc hc_commit_overdue(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  hc_time was = hc_expected_end(e, t);
  if (e->overdue_units == 0) e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  t->bits |= HC_LIVE_OVERDUE;
  hc_future_spoil(e);
  e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  e->overdue_units += t->units;
  return hc_cell_postpone(&e->cell, t->units, was, e->overdue_at);
}

hc_rc hc_commit_overdue_move(hc_engine *e)
{
  hc_time was = e->overdue_at;
  if (e->overdue_units == 0) return 0;
  e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  if (e->overdue_at == was) return 0;
  hc_future_spoil(e);
  return hc_cell_postpone(&e->cell, e->overdue_units, was, e->overdue_at);
}
