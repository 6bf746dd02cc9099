/* deferred.c -- tasks that a policy may see and plan before they may start.
 *
 * A trace may say of a task that it does not start before some time (schedule_after), though it is known from
 * its submission on. A policy that plans more than the head of its queue (HC_PLANS_AHEAD) can promise such a
 * task a start, and let others fill the time until then only as far as the promise allows. So its task joins
 * the queue when it is submitted, at the place that its order gives it by its submission, and is marked until
 * its time has come: then an event takes the mark away, and the architecture hears that it may start.
 *
 * Under every other policy such a task is held out of sight until its time: a policy that starts what fits,
 * or protects one head, could do nothing with it, and a blocking selector would stand still for a task that
 * no policy can start.
 *
 * A task that is marked waits in every respect but these: it does not fit, cannot be started, and cannot be
 * reserved before its time (view.c, plan.c); and observers of the run are not told of it, for which a
 * task queues when it might start. So queue lengths, losses of capacity and ready_wait mean the same whether
 * a policy planned ahead or not; the wait from submission is in the records. What stands between submission
 * and its time may be other tasks too: it is held for them first (dependencies.c), and joins before its time
 * when they are through.
 *
 * The mark goes with the event and not with the clock: at the very instant of its time a task may start from
 * the phase of timers on, as one that was held, so that a decision after each event sees the same
 * instant in both cases. */
#include "engine/deferred.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/signals.h"
#include "engine/tasks.h"

void hc_deferred_open(hc_engine *e, uint32_t flags)
{
  e->plans_ahead = (flags & HC_PLANS_AHEAD) && e->architecture_type->lets_ahead;
}

/* The event has no handle: should the task leave before, its serial tells. */
hc_rc hc_deferred_join(hc_engine *e, hc_task id, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_event due = hc_event_at(HC_EVENT_eligible, hc_cold_of(e, id)->eligible, t->serial, id);
  t->state = HC_TASK_ARRIVED;
  t->deferred = 1;
  e->deferred++;
  e->deferred_units += t->units;
  TRY(hc_queue_push(e->events, &due, NULL));
  return hc_signal_task(e, id, error);
}

bool hc_deferred_leaves(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  if (!t->deferred) return false;
  t->deferred = 0;
  e->deferred--;
  e->deferred_units -= t->units;
  return true;
}

hc_rc hc_deferred_due(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_signal due = {.what = HC_WHY_TIMER, .task = id, .timer = HC_TIMER_DUE};
  (void)hc_deferred_leaves(e, id);
  if (e->explain) hc_explain_text(e, id, "may start from now on");
  TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_QUEUED, .task = id, .error = error}));
  return hc_signal_send(e, &due, error);
}

/* ---- questions ---- */

hc_time hc_view_not_before(const hc_view *v, hc_task id)
{
  const hc_engine *e = v->engine;
  HC_ASSERT(id < e->tasks.count);
  return HC_MAX(e->tasks.live[id].submit, hc_cold_of(e, id)->eligible); /* HC_UNKNOWN is before all times */
}

/* ---- state ---- */

hc_rc hc_deferred_visit(hc_engine *e, hc_visitor *v)
{
  bool is_there = e->plans_ahead;
  if (v->mode != HC_VISIT_HASH) HC_VISIT(v, is_there); /* it may go on with changes that it did not have */
  if (!is_there) return 0;
  HC_VISIT(v, e->deferred);
  HC_VISIT(v, e->deferred_units);
  if (e->plans_ahead || e->deferred == 0) return 0;
  return hc_fail(
      e->error, HC_EUNSUPPORTED, "changes", 0, 0,
      "tasks are planned before they may start, which the policy of a change does not do: choose one "
      "that does, or branch where none is");
}

const hc_part hc_part_deferred = {.name = "deferred", .visit = hc_deferred_visit};
