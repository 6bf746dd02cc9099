/* rates.c -- running tasks that plans suspend, let go on, or let work at another rate.
 *
 * Whenever a rate changes, what has been done since the last change is added to the work done, and the event
 * of the end is made anew: execution/work.c says what is done and when it ends. Metrics, the store and
 * explanations are told at the end of the instant (rates_told.c).
 *
 * A task that is *suspended* does nothing and holds nothing, but keeps its attempt, its place and its work;
 * going on it takes the same again. A rate of 0 without suspension holds all. Limits count work, not the time
 * that has passed: so does a run that its user would have cut off. A task that waits again after a stop
 * begins at its own rate.
 *
 * Expected ends follow: what is left of what is believed of a task, at the rate that is set, is on the
 * timeline of processors or hosts at once, as with any action of a plan, and undone with it. A task that
 * has outlived its estimate is expected to end any moment at every rate. Promises in whose way a task comes
 * to stand are void (promises.c).
 *
 * Cost: O(grants + log events) a change; where promises stand, O(promises x log) more. */
#include "engine/rates.h"

#include "base/util.h"
#include "engine/claims.h"
#include "engine/combine.h"
#include "engine/event.h"
#include "engine/expected_ends.h"
#include "engine/model.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/promises.h"
#include "engine/queues.h"
#include "engine/rates_told.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "engine/work.h"

enum { RATE_SET, RATE_SUSPEND, RATE_RESUME };

/* Its end by what is left, and where it will have outlived its estimate before that. */
hc_rc hc_rates_expect_end(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  hc_event_handle *overdue = e->tasks.plans ? &e->tasks.planned[id].overdue_event : NULL;
  const bool suspended = t->state == HC_TASK_SUSPENDED;
  const bool stands = hc_attempt_of(e, id)->stands != HC_NEVER;
  const hc_time end =
      suspended || stands || e->model ? HC_NEVER : hc_work_until(hc_work_of(e, id), t->start, t->run, e->now);
  TRY(hc_ends_name(e));
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event);
  t->event = HC_NO_EVENT;
  if (overdue && *overdue != HC_NO_EVENT) hc_queue_cancel(e->events, *overdue);
  if (overdue) *overdue = HC_NO_EVENT;
  if (end != HC_NEVER) {
    const hc_event due = hc_event_at(HC_EVENT_end, end, t->serial, id);
    TRY(hc_queue_push(e->events, &due, &t->event));
  }
  if (!e->expects || suspended || (t->bits & HC_LIVE_OVERDUE)) return 0;
  const hc_time expected = hc_expected_end(e, t);
  if (expected >= end) return 0;
  const hc_event outlived = hc_event_at(HC_EVENT_overdue, expected, t->serial, id);
  return hc_queue_push(e->events, &outlived, overdue);
}

/* ---- on a view ---- */

static hc_rc give(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  TRY(hc_reserve_give(e->reserve, id, hc_expected_end(e, t), grants, count));
  TRY(hc_release(e, id, grants, count));
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units -= t->units;
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  t->state = HC_TASK_SUSPENDED;
  e->running--;
  e->suspended++;
  return 0;
}

static hc_rc take(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  if ((t->bits & HC_LIVE_OVERDUE) && e->overdue_units == 0)
    e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  const hc_time end = hc_expected_end(e, t);
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  TRY(hc_claim(e, id, grants, count));
  TRY(hc_reserve_take(e->reserve, id, end, grants, count));
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units += t->units;
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  t->state = HC_TASK_RUNNING;
  e->running++;
  e->suspended--;
  return 0;
}

/* It goes on at another rate: its expected end moves. */
static hc_rc set(hc_engine *e, hc_task id, int64_t rate)
{
  const hc_time was = hc_expected_end(e, hc_live_of(e, id));
  hc_attempt_need(e, id)->work.set = rate;
  return hc_claim_moved(e, id, was);
}

hc_rc hc_apply_rate(hc_engine *e, const hc_action *a)
{
  switch (a->how) {
    case RATE_SUSPEND: return give(e, a->task);
    case RATE_RESUME: return take(e, a->task);
    default: return set(e, a->task, a->at);
  }
}

hc_rc hc_undo_rate(hc_engine *e, const hc_action *a)
{
  switch (a->how) {
    case RATE_SUSPEND: return take(e, a->task);
    case RATE_RESUME: return give(e, a->task);
    default: return set(e, a->task, a->every);
  }
}

hc_rc hc_recheck_rate(hc_engine *e, hc_action *a)
{
  const hc_live *t = hc_live_of(e, a->task);
  const bool starts = t->state == HC_TASK_PLANNED && t->start == e->now;
  const bool can = a->how == RATE_RESUME ? t->state == HC_TASK_SUSPENDED
                                         : t->state == HC_TASK_RUNNING || (a->how == RATE_SET && starts);
  if (!can || (t->bits & HC_LIVE_WARNED)) return HC_ECONFLICT;
  if (!hc_attempt_need(e, a->task)) return HC_ENOMEM;
  a->every = hc_work_of(e, a->task)->set;
  return 0;
}

/* ---- what happened ---- */

static hc_rc observe_holding(hc_engine *e, const hc_action *a)
{
  const bool gives = a->how == RATE_SUSPEND;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, hc_live_of(e, a->task), &one, &grants, &count));
  if (e->past) hc_past_move(e, a->task, grants, count, gives ? -1 : 1);
  if (!e->observers.wants_changes) return 0;
  return hc_observe_claims(e, a->task, gives ? HC_CHANGE_RELEASED : HC_CHANGE_CLAIMED, grants, count);
}

hc_rc hc_happened_rate(hc_engine *e, const hc_action *a, hc_error *error)
{
  if (e->model) TRY(e->model_type->change(e->model, e->now, a->task, a->at, error));
  TRY(hc_rates_note(e, a->task, a->at, a->how != RATE_RESUME, a->how != RATE_SUSPEND));
  hc_work_change(&hc_attempt_need(e, a->task)->work, hc_live_of(e, a->task)->start, e->now, a->at);
  if (a->how != RATE_SET) TRY(observe_holding(e, a));
  return hc_rates_expect_end(e, a->task);
}

/* ---- the services ---- */

static bool may_change(const hc_engine *e, hc_task id)
{
  return (e->policy_flags & HC_SETS_RATES) && id < e->tasks.count &&
         !(e->tasks.live[id].bits & HC_LIVE_WARNED);
}

static hc_rc change(hc_plan *p, hc_task id, uint32_t how, int64_t rate)
{
  hc_engine *e = p->engine;
  hc_action wish = {.task = id, .at = rate, .how = how};
  if (!hc_attempt_need(e, id)) return HC_ENOMEM;
  const int64_t before = hc_work_of(e, id)->set;
  wish.every = before;
  TRY(hc_plan_add(p, &hc_action_rate, &wish, NULL, 0));
  return how == RATE_RESUME || (how == RATE_SET && rate < before) ? hc_promises_void(p) : 0;
}

hc_rc hc_plan_set_rate(hc_plan *p, hc_task id, int64_t rate)
{
  const hc_engine *e = p->engine;
  if (!may_change(e, id) || rate < 0 || rate > HC_RATE_MOST) return HC_EPOLICY;
  const hc_live *t = &e->tasks.live[id];
  if (t->state != HC_TASK_RUNNING && (t->state != HC_TASK_PLANNED || t->start != e->now)) return HC_EPOLICY;
  return hc_view_rate(&e->view, id) == rate ? 0 : change(p, id, RATE_SET, rate);
}

hc_rc hc_plan_suspend(hc_plan *p, hc_task id)
{
  const hc_engine *e = p->engine;
  if (!may_change(e, id) || e->tasks.live[id].state != HC_TASK_RUNNING) return HC_EPOLICY;
  return change(p, id, RATE_SUSPEND, 0);
}

hc_rc hc_plan_resume(hc_plan *p, hc_task id)
{
  const hc_engine *e = p->engine;
  if (!may_change(e, id) || e->tasks.live[id].state != HC_TASK_SUSPENDED) return HC_EPOLICY;
  return change(p, id, RATE_RESUME, hc_work_of(e, id)->set);
}

int64_t hc_view_rate(const hc_view *v, hc_task id)
{
  const hc_engine *e = v->engine;
  if (id >= e->tasks.count) return -1;
  const hc_live *t = &e->tasks.live[id];
  if (t->state == HC_TASK_SUSPENDED) return 0;
  const bool runs = t->state == HC_TASK_RUNNING || t->state == HC_TASK_RESIZING;
  if (!runs && (t->state != HC_TASK_PLANNED || t->start != e->now)) return -1;
  return hc_work_of(e, id)->set;
}

/* ---- what cannot be combined ---- */

static hc_rc refuse(hc_error *error, const char *text)
{
  return hc_fail(error, HC_EUNSUPPORTED, "configuration", 0, 0, "%s", text);
}

hc_rc hc_rates_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_architecture_type *a = e->architecture_type;
  if (!(flags & HC_SETS_RATES)) return 0;
  if (!a->lets_rates)
    return refuse(
        error,
        "a policy that suspends tasks or sets their rates has to be called at instants of its own, and be "
        "shown all that runs: use the architecture monolithic");
  if (o->due_ends_first || o->end_order == HC_END_BY_START)
    return refuse(
        error,
        "ends that are made anew when a task goes on come in order of serial: set `end_order: serial` and "
        "leave out `due_ends_first`");
  return hc_combine_check_trim(e, "when a task was suspended", error);
}
