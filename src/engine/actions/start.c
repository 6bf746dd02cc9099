/* start.c -- a waiting task starts on hosts that the placement chooses or the policy names.
 *
 * On the plan's view it holds them and has left its queue; its reservation is gone. When the plan is
 * committed its end becomes an event: at its run time, or when its user takes it away if the log says no
 * more than that, and before that an event where it runs past what was believed of it, if plans are made
 * with expected ends. */
#include "base/util.h"
#include "engine/choose.h"
#include "engine/claims.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/model.h"
#include "engine/names.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/predict.h"
#include "engine/pstates.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- on the view ---- */

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  hc_rc rc;
  if (a->was != HC_NEVER) TRY(hc_apply_reservation(e, a->task, HC_NEVER, NULL, 0));
  rc = hc_apply_start(e, a->task, hc_plan_grants(p, a), a->grant_count);
  if (rc < 0) TRY(hc_plan_reserve_as_before(e, p, a)); /* processors that are taken */
  return rc;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  TRY(hc_undo_start(e, a->task, hc_plan_grants(p, a), a->grant_count));
  return hc_plan_reserve_as_before(e, p, a);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  HC_UNUSED(p);
  return hc_live_of(e, a->task)->state == HC_TASK_WAITING ? 0 : HC_ECONFLICT;
}

/* ---- what happened ---- */

/* The log says when its user took the task away and not how long it would have run: it runs until then, if
 * its limit lets it. */
static __attribute__((noinline)) void run_until_cancelled(const hc_engine *e, hc_task id, hc_live *t)
{
  const hc_time at = hc_cold_of(e, id)->cancel_at;
  const hc_time believed = e->forecasts ? hc_predict_bound(e, id) : hc_running_estimate_of(e, id);
  size_t size;
  if (at == HC_NEVER || hc_model_profile(e, id, &size)) return;
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
  const hc_event overdue = hc_event_at(HC_EVENT_overdue, expected, key, id);
  return hc_queue_push(e->events, &overdue, &p->overdue_event);
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const hc_task id = a->task;
  const hc_grant *grants = hc_plan_grants(p, a);
  hc_live *t = hc_live_of(e, id);
  uint64_t key = e->options->end_order == HC_END_BY_START ? e->counters.started : t->serial;
  hc_time end;
  if (t->event != HC_NO_EVENT) hc_queue_cancel(e->events, t->event); /* its withdrawal */
  if (t->run == HC_NEVER) run_until_cancelled(e, id, t);
  end = e->model ? HC_NEVER : hc_time_add(e->now, t->run);
  if (e->model) TRY(hc_model_begin(e, id, grants, a->grant_count, error));
  t->event = HC_NO_EVENT;
  t->state = HC_TASK_RUNNING;
  if (a->grant_count == 1 && hc_is_one(e, grants)) hc_tasks_hold_one(t, grants->host);
  else if (a->grant_count > 0) TRY(hc_tasks_hold(e, id, grants, a->grant_count));
  if (end != HC_NEVER) {
    const hc_event due = hc_event_at(HC_EVENT_end, end, key, id);
    TRY(hc_queue_push(e->events, &due, e->names_ends ? &t->event : NULL));
  }
  if (e->tasks.plans) TRY(expect_overdue(e, id, key, end));
  if (a->how > 0) TRY(hc_names_started_in(e, id, a->how - 1, error));
  e->running++;
  e->counters.started++;
  if (e->counters.first_start == HC_UNKNOWN) e->counters.first_start = e->now;
  if (!hc_hears(e, HC_ON_STARTED)) return 0;
  return hc_notify(
      e, &(hc_notice){
             .kind = HC_ON_STARTED, .task = id, .grants = grants, .count = a->grant_count, .error = error});
}

const hc_action_type hc_action_start = {
    .name = "start", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

/* ---- the service ---- */

static hc_rc add(hc_plan *p, hc_task id, const hc_grant *grants, size_t count)
{
  TRY(hc_plan_add(p, &hc_action_start, &(hc_action){.task = id, .at = p->engine->now}, grants, count));
  return p->engine->powers ? hc_pstates_follow(p, id) : 0;
}

/* It has no reservation that could be kept: a policy that deals makes none. @param limit 0: its own */
static hc_rc start_dealt(hc_plan *p, hc_task id, const hc_host_room *dealt, size_t count, hc_time limit)
{
  hc_engine *e = p->engine;
  const hc_grant *grants = NULL;
  if (!hc_plan_can_start(e, id) || count == 0) return HC_EPOLICY;
  if (hc_live_of(e, id)->units > hc_free_most(e) || hc_live_of(e, id)->deferred) return HC_EPOLICY;
  for (size_t i = 0; i < count; i++)
    if (!hc_choose_may(&e->view, (hc_range){dealt[i].host, 1})) return HC_EPOLICY;
  TRY(hc_choose_dealt(e, id, dealt, &count, &grants));
  if (e->stretches) TRY(hc_work_pace(e, id, 1));
  if (e->cuts) TRY(hc_work_limit(e, id, limit));
  return add(p, id, grants, count);
}

hc_rc hc_plan_start_dealt(hc_plan *p, hc_task id, const hc_host_room *dealt, size_t count)
{
  return start_dealt(p, id, dealt, count, 0);
}

hc_rc hc_plan_start_limited(hc_plan *p, hc_task id, const hc_host_room *dealt, size_t count, hc_time limit)
{
  if (limit <= 0 || !p->engine->cuts) return HC_EPOLICY;
  return start_dealt(p, id, dealt, count, limit);
}

hc_rc hc_plan_starts_in(hc_plan *p, hc_task id, uint32_t set)
{
  hc_action *a = p->count > 0 ? &p->actions[p->count - 1] : NULL;
  const hc_request r = hc_request_of(p->engine, id);
  const hc_task_extras *m = r.more ? hc_lexicon_more(p->engine->lexicon, r.more) : NULL;
  if (!a || a->kind != HC_ACTION_START || a->task != id) return HC_EPOLICY;
  if (m && m->set_count > 0 && set != HC_NO_NAME) a->how = set + 1;
  return 0;
}

static hc_rc start(hc_plan *p, hc_task id, const hc_range *hosts, size_t count, double pace)
{
  hc_engine *e = p->engine;
  const hc_grant *grants = NULL;
  const hc_live *t;
  if (!hc_plan_can_start(e, id)) return HC_EPOLICY;
  t = hc_live_of(e, id);
  if (t->units > hc_free_most(e) || t->deferred) return HC_EPOLICY;
  for (size_t i = 0; hosts && i < count; i++)
    if (!hc_choose_may(&e->view, hosts[i])) return HC_EPOLICY;
  if (hosts && count > 0) TRY(hc_choose_named(e, id, hosts, &count, &grants));
  else if (!hosts) TRY(hc_choose_place(e, id, &grants, &count));
  if (e->reserve->type->chosen && !hosts) e->reserve->type->chosen(e->reserve, id);
  else if (e->cell.hosts && !hosts) hc_hosts_set_turn(e->cell.hosts, e->choice.turn);
  if (e->stretches) TRY(hc_work_pace(e, id, pace));
  if (e->cuts) TRY(hc_work_limit(e, id, 0));
  return add(p, id, grants, count);
}

hc_rc hc_plan_start(hc_plan *p, hc_task id, const hc_range *hosts, size_t count)
{
  return start(p, id, hosts, count, 1);
}

hc_rc hc_plan_start_paced(hc_plan *p, hc_task id, const hc_range *hosts, size_t count, double pace)
{
  if (!(p->engine->policy_flags & HC_PACES) || !(pace > 0) || !(pace < 1e18)) return HC_EPOLICY;
  return start(p, id, hosts, count, pace);
}
