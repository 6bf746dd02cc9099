/* plan.c -- what a policy may do. Each action is checked against the view, applied to it at once, and written
 * down.
 *
 * The view is the live cell with an undo log: applying an action changes the cell, the timeline and the
 * queues, and the list of actions, walked backwards, is what takes it back. So a private view costs what
 * the plan costs, not what the cell costs. What has *happened* (a task runs, its end is an event,
 * observers are told) is not touched here: that is commit.c's. */
#include "engine/plan.h"

#include "base/util.h"
#include "engine/rates.h"
#include "engine/state.h"
#include "engine/stopping.h"

/* ---- placement ---- */

/* What a policy without a placement gets. */
static size_t lowest(const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t n = 0;
  for (; n < in->free_count && left > 0; n++) {
    out[n] = in->free[n];
    out[n].count = (uint32_t)HC_MIN(left, (int64_t)out[n].count);
    left -= out[n].count;
  }
  return left == 0 ? n : 0;
}

/* Is all of `r` in the scope of the open view? Without a scope everything is. */
static bool in_scope(const hc_view *v, hc_range r)
{
  if (!v->open || v->scope_count == 0) return true;
  for (size_t i = 0; i < v->scope_count; i++)
    if (r.first >= v->scope[i].first &&
        (uint64_t)r.first + r.count <= (uint64_t)v->scope[i].first + v->scope[i].count)
      return true;
  return false;
}

/* Let a placement choose only from what the view may use. Both lists ascend, so one walk makes their
 * common part. */
static hc_rc narrow(hc_engine *e, hc_place_input *in)
{
  const hc_view *v = &e->view;
  hc_range *both;
  size_t n = 0;
  if (!v->open || v->scope_count == 0) return 0;
  both = hc_arena_alloc(&e->scratch, (in->free_count + v->scope_count) * sizeof *both);
  if (!both) return HC_ENOMEM;
  for (size_t i = 0, k = 0; i < in->free_count && k < v->scope_count;) {
    uint64_t free_end = (uint64_t)in->free[i].first + in->free[i].count;
    uint64_t scope_end = (uint64_t)v->scope[k].first + v->scope[k].count;
    uint64_t from = HC_MAX(in->free[i].first, v->scope[k].first), to = HC_MIN(free_end, scope_end);
    if (from < to) both[n++] = (hc_range){(uint32_t)from, (uint32_t)(to - from)};
    if (free_end <= scope_end) i++;
    else k++;
  }
  in->free = both;
  in->free_count = n;
  return 0;
}

/* On a cell of hosts the placement's chooser looks for each slot. */
static hc_rc choose_hosts(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_view *v = &e->view;
  const bool scoped = v->open && v->scope_count > 0;
  const uint64_t serial = hc_live_of(e, id)->serial;
  hc_rc n = e->choice.count;
  if (!scoped && e->choice.serial == serial && e->choice.version == e->cell.version) {
    *grants = e->choice.grants;
  } else {
    const hc_request r = hc_request_of(e, id);
    const uint32_t turn = hc_hosts_turn(e->cell.hosts);
    e->choice.version = 0;
    n = hc_hosts_choose(e->cell.hosts, &r, &e->chooser, scoped ? v->scope : NULL, scoped ? v->scope_count : 0,
                        grants);
    e->choice.turn = hc_hosts_turn(e->cell.hosts);
    hc_hosts_set_turn(e->cell.hosts, turn); /* to be asked about is not to be chosen: a start moves it */
    hc_engine_note(e, n); /* who only asks whether it fits hears of no failure */
    if (n < 0) return n;
    if (!scoped) {
      e->choice.serial = serial;
      e->choice.version = e->cell.version;
      e->choice.grants = *grants;
      e->choice.count = n;
    }
  }
  *count = (size_t)n;
  return n > 0 ? 0 : HC_EPOLICY;
}

/* Ranges of processors as grants, in the scratch arena. */
static hc_rc as_grants(hc_engine *e, const hc_range *ranges, size_t count, const hc_grant **out)
{
  hc_grant *grants = hc_arena_alloc(&e->scratch, count * sizeof *grants);
  *out = grants;
  if (!grants) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++)
    grants[i] = (hc_grant){.host = ranges[i].first, .slots = ranges[i].count};
  return 0;
}

static hc_rc choose_processors(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_live *t = hc_live_of(e, id);
  hc_place_input in = {.free = e->cell.ids.ranges,
                       .free_count = e->cell.ids.count,
                       .units = t->units,
                       .serial = t->serial,
                       .seed = (uint64_t)e->options->seed,
                       .replication = (uint64_t)e->options->replication,
                       .draws = t->draws};
  hc_range *out;
  TRY(narrow(e, &in));
  out = hc_arena_alloc(&e->scratch, t->units * sizeof *out);
  if (!out) return HC_ENOMEM;
  *count = e->place ? e->place->place(e->place_options, &in, out) : lowest(&in, out);
  return *count > 0 ? as_grants(e, out, *count, grants) : HC_EPOLICY;
}

hc_rc hc_choose_place(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  *grants = NULL;
  *count = 0;
  if (hc_live_of(e, id)->units > hc_free_most(e)) return HC_EPOLICY;
  switch (e->cell.granularity) {
    case HC_CELL_COUNT: break;
    case HC_CELL_INTERVALS: return choose_processors(e, id, grants, count);
    case HC_CELL_HOSTS:
      return e->future ? hc_future_choose(e, id, grants, count) : choose_hosts(e, id, grants, count);
  }
  return 0;
}

/* ---- apply and undo ---- */

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

/* Even a task of no length needs its processors at one time: else others would be planned across it for ever. */
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

static hc_rc undo_preempt(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
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

hc_rc hc_plan_note_promise(hc_plan *p, hc_action *a)
{
  hc_engine *e = p->engine;
  const hc_grant *grants;
  size_t count;
  a->was_grants = (uint32_t)p->grant_count;
  a->was_count = 0;
  if (a->was == HC_NEVER) return 0;
  TRY(hc_reservation_hosts(e, a->task, &grants, &count));
  TRY(hc_reserve(e->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + count,
                 sizeof *p->grants));
  for (size_t i = 0; i < count; i++) p->grants[p->grant_count++] = grants[i];
  a->was_count = (uint32_t)count;
  return 0;
}

static hc_rc record(hc_plan *p, hc_action_kind kind, hc_task id, hc_time at, hc_action **out)
{
  hc_live *t = id == HC_NO_TASK ? NULL : hc_live_of(p->engine, id);
  TRY(hc_reserve(p->engine->allocator, (void **)&p->actions, &p->cap, p->count + 1, sizeof *p->actions));
  *out = &p->actions[p->count++];
  **out = (hc_action){.serial = t ? t->serial : 0,
                      .at = at,
                      .was = t ? hc_reserved_of(p->engine, id) : HC_NEVER,
                      .kind = kind,
                      .task = id};
  (*out)->grants = (*out)->was_grants = (uint32_t)p->grant_count;
  return 0;
}

hc_rc hc_plan_record(hc_plan *p, hc_action_kind kind, hc_task id, hc_time at, hc_action **out)
{
  return record(p, kind, id, at, out);
}

const hc_grant *hc_plan_grants(const hc_plan *p, const hc_action *a)
{
  return a->grant_count > 0 ? p->grants + a->grants : NULL;
}

/* Give a task the reservation that it had before an action, and the hosts that it stood on. */
static hc_rc reserve_as_before(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  if (e->holds.count > 0) hc_hold_drop(e, a->task);
  return hc_apply_reservation(e, a->task, a->was, p->grants ? p->grants + a->was_grants : NULL, a->was_count);
}

static hc_rc undo_action(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  switch ((hc_action_kind)a->kind) {
    case HC_ACTION_START: {
      TRY(hc_undo_start(e, a->task, hc_plan_grants(p, a), a->grant_count));
      return reserve_as_before(e, p, a);
    }
    case HC_ACTION_RESERVE:
    case HC_ACTION_UNRESERVE: return reserve_as_before(e, p, a);
    case HC_ACTION_PREEMPT: return undo_preempt(e, a->task, hc_plan_grants(p, a), a->grant_count);
    case HC_ACTION_WARN: hc_undo_warn(e, a->task); return 0;
    case HC_ACTION_RATE: return hc_undo_rate(e, a);
    case HC_ACTION_REJECT: {
      TRY(hc_queues_put_back(e, a->task));
      return reserve_as_before(e, p, a);
    }
    case HC_ACTION_WAKE: return 0;
  }
  return 0;
}

hc_rc hc_plan_undo(hc_engine *e, hc_plan *p)
{
  for (size_t i = p->count; i-- > 0;) TRY(undo_action(e, p, &p->actions[i]));
  return 0;
}

void hc_plan_clear(hc_plan *p)
{
  p->count = p->grant_count = p->heads = 0;
}

hc_rc hc_plan_grow(hc_plan *p, size_t count)
{
  const hc_allocator *a = p->engine->allocator;
  TRY(hc_reserve(a, (void **)&p->actions, &p->cap, p->count + count, sizeof *p->actions));
  return hc_reserve(a, (void **)&p->grants, &p->grant_cap, p->grant_count + count, sizeof *p->grants);
}

void hc_plan_fini(hc_plan *p)
{
  hc_free(p->engine->allocator, p->actions, p->cap * sizeof *p->actions);
  hc_free(p->engine->allocator, p->grants, p->grant_cap * sizeof *p->grants);
}

/* ---- the services ---- */

static bool waits(hc_engine *e, hc_task id)
{
  return id < e->tasks.count && hc_live_of(e, id)->state == HC_TASK_WAITING;
}

/* Hosts or processors that the policy names, as grants. */
static hc_rc named_grants(hc_engine *e, hc_task id, const hc_range *hosts, size_t *count,
                          const hc_grant **grants)
{
  hc_request r;
  hc_rc n;
  if (e->cell.granularity != HC_CELL_HOSTS) return as_grants(e, hosts, *count, grants);
  r = hc_request_of(e, id);
  e->choice.version = 0; /* what was chosen last is no more */
  n = hc_hosts_choose_on(e->cell.hosts, &r, hosts, *count, grants);
  if (n < 0) return n;
  *count = (size_t)n;
  return n > 0 ? 0 : HC_EPOLICY;
}

/* Write what a start or a stop is about behind the action that was recorded last. */
static hc_rc keep_grants(hc_plan *p, const hc_grant *grants, size_t count)
{
  TRY(hc_reserve(p->engine->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + count,
                 sizeof *p->grants));
  for (size_t i = 0; i < count; i++) p->grants[p->grant_count + i] = grants[i];
  return 0;
}

/* An action that takes something from a task: what it is about, and the hosts it was promised before. */
static hc_rc record_with(hc_plan *p, hc_action_kind kind, hc_task id, hc_time at, const hc_grant *grants,
                         size_t count, hc_action **out)
{
  const size_t before = p->grant_count;
  hc_rc rc;
  TRY(record(p, kind, id, at, out));
  rc = hc_plan_note_promise(p, *out);
  if (rc >= 0) rc = keep_grants(p, grants, count);
  (*out)->grants = (uint32_t)p->grant_count;
  if (rc >= 0) return 0;
  p->count--;
  p->grant_count = before;
  return rc;
}

static hc_rc plan_start(hc_plan *p, hc_task id, const hc_range *hosts, size_t count, double pace)
{
  hc_engine *e = p->engine;
  const hc_grant *grants = NULL;
  hc_live *t;
  hc_action *a;
  hc_rc rc;
  if (!waits(e, id)) return HC_EPOLICY;
  t = hc_live_of(e, id);
  if (t->units > hc_free_most(e) || t->deferred) return HC_EPOLICY;
  for (size_t i = 0; hosts && i < count; i++)
    if (!in_scope(&e->view, hosts[i])) return HC_EPOLICY;
  if (hosts && count > 0) TRY(named_grants(e, id, hosts, &count, &grants));
  else if (!hosts) TRY(hc_choose_place(e, id, &grants, &count));
  if (e->future && !hosts) hc_future_took(e, id);
  else if (e->cell.hosts && !hosts) hc_hosts_set_turn(e->cell.hosts, e->choice.turn);
  if (e->stretches) TRY(hc_work_pace(e, id, pace));
  TRY(record_with(p, HC_ACTION_START, id, e->now, grants, count, &a));
  if (a->was != HC_NEVER) TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
  rc = hc_apply_start(e, id, p->grants + p->grant_count, count);
  if (rc < 0) { /* named processors that are taken */
    p->count--;
    p->grant_count = a->was_grants;
    TRY(reserve_as_before(e, p, a));
    return rc == HC_ECONFLICT ? HC_EPOLICY : rc;
  }
  p->grant_count += count;
  a->grant_count = (uint32_t)count;
  return 0;
}

hc_rc hc_plan_start(hc_plan *p, hc_task id, const hc_range *hosts, size_t count)
{
  return plan_start(p, id, hosts, count, 1);
}

hc_rc hc_plan_start_paced(hc_plan *p, hc_task id, const hc_range *hosts, size_t count, double pace)
{
  if (!(p->engine->policy_flags & HC_PACES) || !(pace > 0) || !(pace < 1e18)) return HC_EPOLICY;
  return plan_start(p, id, hosts, count, pace);
}

hc_rc hc_plan_reserve(hc_plan *p, hc_task id, hc_time at)
{
  hc_engine *e = p->engine;
  const hc_grant *grants = NULL;
  size_t count = 0;
  hc_action *a;
  if (!waits(e, id) || at < hc_deferred_from(e, id, e->now) || at == HC_NEVER || !e->expects)
    return HC_EPOLICY;
  if (hc_reserved_of(e, id) == at) return 0;
  if (e->future) TRY(hc_future_place(e, id, at, &grants, &count));
  TRY(record_with(p, HC_ACTION_RESERVE, id, at, grants, count, &a));
  a->grant_count = (uint32_t)count;
  TRY(hc_apply_reservation(e, id, at, count > 0 ? p->grants + p->grant_count : NULL, count));
  p->grant_count += count;
  return 0;
}

/* The hosts belong to the action: undone with it, and held again when the plan is carried out after a thought. */
hc_rc hc_plan_reserve_hosts(hc_plan *p, hc_task id, hc_time at)
{
  hc_engine *e = p->engine;
  const hc_grant *grants;
  size_t count;
  hc_action *a;
  if (!e->cell.hosts || e->future) return hc_plan_reserve(p, id, at);
  if (waits(e, id) && hc_reserved_of(e, id) == at && at != HC_NEVER)
    TRY(record_with(p, HC_ACTION_RESERVE, id, at, NULL, 0, &a));
  else TRY(hc_plan_reserve(p, id, at));
  count = hc_view_hosts_at(&e->view, id, at, &grants);
  if (count == 0) return 0;
  TRY(keep_grants(p, grants, count));
  a = &p->actions[p->count - 1];
  a->grants = (uint32_t)p->grant_count;
  a->grant_count = (uint32_t)count;
  p->grant_count += count;
  return hc_hold_hosts(e, id, at, hc_plan_grants(p, a), count);
}

hc_rc hc_plan_unreserve(hc_plan *p, hc_task id)
{
  hc_engine *e = p->engine;
  hc_action *a;
  if (!waits(e, id) || hc_reserved_of(e, id) == HC_NEVER) return 0;
  TRY(record_with(p, HC_ACTION_UNRESERVE, id, HC_NEVER, NULL, 0, &a));
  return hc_apply_reservation(e, id, HC_NEVER, NULL, 0);
}

hc_rc hc_plan_unreserve_all(hc_plan *p)
{
  hc_tasks *ts = &p->engine->tasks;
  while (ts->reserved_count > 0) TRY(hc_plan_unreserve(p, ts->reserved[ts->reserved_count - 1]));
  return 0;
}

/* The room for a plan comes first: what has been applied must be written down. */
static hc_rc warn(hc_plan *p, hc_task id, const hc_stopping *how)
{
  hc_engine *e = p->engine;
  const hc_time at = hc_time_add(e->now, how->grace);
  hc_action *a;
  if (hc_live_of(e, id)->bits & HC_LIVE_WARNED) return HC_EPOLICY;
  if (!hc_attempt_need(e, id)) return HC_ENOMEM;
  TRY(record(p, HC_ACTION_WARN, id, at, &a));
  a->how = (uint32_t)how->how;
  a->every = how->every;
  a->overhead = how->overhead;
  return hc_apply_warn(e, id, at, how);
}

hc_rc hc_plan_preempt(hc_plan *p, hc_task id, hc_stop how)
{
  return hc_plan_stop(p, id, &(hc_stopping){.how = how});
}

hc_rc hc_plan_stop(hc_plan *p, hc_task id, const hc_stopping *how)
{
  hc_engine *e = p->engine;
  const hc_grant *held;
  hc_grant one;
  size_t count;
  hc_action *a;
  if (id >= e->tasks.count || hc_live_of(e, id)->state != HC_TASK_RUNNING) return HC_EPOLICY;
  if (how->grace < 0 || how->every < 0 || how->overhead < 0 || how->grace == HC_NEVER) return HC_EPOLICY;
  if (how->grace > 0) return warn(p, id, how);
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &count));
  TRY(record_with(p, HC_ACTION_PREEMPT, id, e->now, held, count, &a));
  a->how = (uint32_t)how->how;
  a->every = how->every;
  a->overhead = how->overhead;
  a->grant_count = (uint32_t)count;
  p->grant_count += count;
  return hc_apply_preempt(e, id, held, count);
}

/* Every task of a batch log is rigid: it has no other size to run at. */
hc_rc hc_plan_resize(hc_plan *p, hc_task id, int64_t units)
{
  const hc_engine *e = p->engine;
  if (id < e->tasks.count && e->tasks.live[id].state == HC_TASK_RUNNING && e->tasks.live[id].units == units)
    return 0;
  return HC_EPOLICY;
}

hc_rc hc_plan_reject(hc_plan *p, hc_task id, const char *reason)
{
  hc_engine *e = p->engine;
  hc_action *a;
  if (!waits(e, id)) return HC_EPOLICY;
  hc_explain_text(e, id, "rejected: %s", reason ? reason : "no reason given");
  TRY(record_with(p, HC_ACTION_REJECT, id, e->now, NULL, 0, &a));
  TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
  hc_queues_remove(e, id);
  hc_live_of(e, id)->state = HC_TASK_PLANNED;
  return 0;
}

hc_rc hc_plan_wake(hc_plan *p, hc_time at)
{
  hc_action *a;
  return at < p->engine->now ? HC_EPOLICY : record(p, HC_ACTION_WAKE, HC_NO_TASK, at, &a);
}
