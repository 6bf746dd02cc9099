/* commit.c -- the only mutator: what a plan wished becomes what happened.
 *
 * A plan made on the view that is still open is simply kept (HC_COMMIT_NOW): its effects on the cell are
 * there already. A plan that was thought about for a while is applied action by action to the live cell,
 * and each may find that the cell has changed: that is a conflict, told to the caller by count, and normal
 * for shared state. */
#include <string.h>

#include "base/util.h"
#include "engine/action.h"
#include "engine/claims.h"
#include "engine/commit.h"
#include "engine/conflicts.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

/* ---- what the policy hears of it ---- */

void hc_plan_tell(hc_engine *e, const hc_plan *p, const hc_action *a, hc_rc rc)
{
  const hc_wait_queue *q = &e->queues[p->queue];
  const hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  const bool is_here = t && t->serial == a->serial && t->state != HC_TASK_FREE;
  hc_view v = {.engine = e, .queue = (uint32_t)p->queue};
  if (!q->planning || a->is_forced || (a->task == HC_NO_TASK && !e->actions[a->kind]->of_hosts)) return;
  q->planning->outcome(q->planner, &v, is_here ? a->task : HC_NO_TASK, rc);
}

/* Some actions of a plan, all with one outcome. */
static void tell_each(hc_engine *e, const hc_plan *p, size_t from, size_t to, hc_rc rc)
{
  for (size_t i = from; e->queues[p->queue].planning && i < to; i++) hc_plan_tell(e, p, &p->actions[i], rc);
}

/* ---- a plan from before ---- */

/* Has another plan started something there since the plan's view was opened? */
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

/* Apply one action to the live cell. Its task may be gone, or its slot another's: serials tell. */
static hc_rc apply_again(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const hc_action_type *type = e->actions[a->kind];
  if (a->task != HC_NO_TASK && (a->task >= e->tasks.count || hc_live_of(e, a->task)->serial != a->serial))
    return HC_ECONFLICT;
  if (type->recheck) TRY(type->recheck(e, p, a));
  return hc_action_apply(type, e, p, a);
}

/* Undo the first `count` applied actions, newest first, when all or none was asked. */
static hc_rc take_back(hc_engine *e, const hc_plan *p, size_t count)
{
  hc_plan applied = *p;
  applied.count = count;
  return hc_plan_undo(e, &applied);
}

/* ---- room at the cost of others ---- */

/* Where a commit stands: actions before `kept` are applied, `at` is the one at hand, those behind it are to
   come. */
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

/* The task that is stopped next for one on these hosts; HC_NO_TASK: none may be. */
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
                                      .kind = hc_plan_kind(e, &hc_action_preempt),
                                      .task = id,
                                      .grants = (uint32_t)p->grant_count,
                                      .grant_count = (uint32_t)n,
                                      .how = HC_STOP_REQUEUE,
                                      .is_forced = 1};
  for (size_t i = 0; i < n; i++) p->grants[p->grant_count++] = held[i];
  return hc_apply_preempt(e, id, p->grants + p->grant_count - n, n);
}

/* Start it where it was to start, though others have to go. @return 0, HC_ECONFLICT (no task has been
   stopped), or an error. */
static hc_rc start_by_force(hc_engine *e, committing *c, const hc_action *a)
{
  const size_t before = c->kept;
  const hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  hc_rc rc = HC_ECONFLICT;
  if (!e->cell.hosts || e->reserve->type->holds_hosts || !t || t->serial != a->serial ||
      t->state != HC_TASK_WAITING)
    return rc;
  while (rc == HC_ECONFLICT) {
    const hc_task id = next_ousted(e, a->task, hc_plan_grants(c->plan, a), a->grant_count);
    if (id == HC_NO_TASK) break;
    TRY(oust_one(e, c, id));
    rc = e->actions[HC_ACTION_START]->apply(e, c->plan, a);
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

/* A task that is refused does not draw the same place again. */
static void draw_anew(hc_engine *e, const hc_action *actions, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_action *a = &actions[i];
    if (a->kind != HC_ACTION_START || a->task >= e->tasks.count) continue;
    if (hc_live_of(e, a->task)->serial == a->serial) hc_live_of(e, a->task)->draws++;
  }
  e->choice.version = 0; /* what was chosen last is no more */
}

static inline hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const hc_action_type *type = e->actions[a->kind];
  if (!type->happened) return 0;
  if (!type->is_a_clock) TRY(hc_observe_act(e, error));
  return type->happened(e, p, a, error);
}

/* What a plan promises for a moment, to see what would follow, and takes back or replaces, is no promise:
 * that there is no room for it any more is no conflict. Such actions are left out. Cost: O(actions), and a
 * byte for each task where there are any. @return 0, HC_ENOMEM */
static hc_rc drop_passing(hc_engine *e, hc_plan *p)
{
  const hc_action_type *reserve = &hc_action_reserve, *unreserve = &hc_action_unreserve;
  size_t i = 0, kept = p->count;
  unsigned char *settled; /* [tasks] a later action says what is promised to it */
  while (i < p->count && e->actions[p->actions[i].kind] != reserve) i++;
  if (i == p->count) return 0;
  settled = hc_arena_alloc(&e->scratch, e->tasks.count);
  if (!settled) return HC_ENOMEM;
  for (i = p->count; i-- > 0;) {
    const hc_action a = p->actions[i];
    const hc_action_type *type = e->actions[a.kind];
    const bool settles =
        a.task < e->tasks.count && (type == reserve || type == unreserve || a.kind == HC_ACTION_START);
    if (!settles || type != reserve || !settled[a.task]) p->actions[--kept] = a;
    if (settles) settled[a.task] = 1;
  }
  p->count -= kept;
  memmove(p->actions, p->actions + kept, p->count * sizeof *p->actions);
  return 0;
}

static hc_rc commit_checked(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error)
{
  const bool all_or_none = (mode & HC_COMMIT_ALL_OR_NONE) != 0,
             in_sequence = (mode & HC_COMMIT_IN_SEQUENCE) != 0;
  committing c = {.plan = p};
  hc_rc refused = 0;
  p->heads = 0;
  TRY(drop_passing(e, p));
  for (; c.at < p->count; c.at++) {
    hc_action a = p->actions[c.at];
    hc_rc rc;
    if (a.task != HC_NO_TASK && a.task < e->tasks.count) {
      a.was = hc_reserved_of(e, a.task);
      TRY(hc_plan_note_promise(p, &a));
    }
    rc = in_sequence && is_overtaken(e, p, &a) ? HC_ECONFLICT : apply_again(e, p, &a);
    if (rc == HC_ECONFLICT && (mode & HC_COMMIT_PREEMPT) && a.kind == HC_ACTION_START &&
        !(in_sequence && is_overtaken(e, p, &a)))
      rc = start_by_force(e, &c, &a);
    if (rc < 0 && rc != HC_ECONFLICT) return hc_fail(error, rc, "commit", 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) p->actions[c.kept++] = a;
    if (rc < 0) TRY(hc_conflicts_note(e, p, &a, in_sequence, error));
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
