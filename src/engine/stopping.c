/* stopping.c -- running tasks that plans stop: at once or after a grace, for good, to begin anew, or to go
 * on.
 *
 * What a task saves, and what is lost of an attempt, is computed in execution/work.c. A grace is an event:
 * its task runs on, holds what it holds, and may end first; then the event finds no task.
 *
 * Attempts that plans stop do not count towards `attempts`, the bound on what a task may lose with its
 * hosts: a policy that stops a task for ever is wrong in another way than a host that breaks. */
#include "engine/stopping.h"

#include <inttypes.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/checkpoints.h"
#include "engine/choose.h"
#include "engine/claims.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/life.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/resizes.h"
#include "engine/rows.h"
#include "engine/signals.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- how much is saved ---- */

static hc_time gained(const hc_engine *e, hc_task id)
{
  return hc_work_gained(hc_work_of(e, id), hc_work_so_far(e, id), hc_work_run(e, id));
}

hc_time hc_stopping_saves(const hc_engine *e, hc_task id, const hc_stopping *how)
{
  const hc_time done = how->how == HC_STOP_CHECKPOINT ? gained(e, id) : 0;
  const hc_time own = how->how == HC_STOP_KILL ? 0 : hc_checkpoints_saved(e, id, false, NULL);
  return HC_MAX(how->every > 0 ? done - done % how->every : done, own);
}

/* What it runs longer for that when it starts again. */
static hc_time overhead_of(const hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  if (how->how == HC_STOP_CHECKPOINT) return how->overhead;
  return how->how == HC_STOP_REQUEUE && saved > 0 ? hc_attempt_of(e, id)->read : 0;
}

hc_rc hc_stopping_shorten(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  const hc_time more = overhead_of(e, id, how, saved);
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a;
  hc_time by;
  if (how->how != HC_STOP_CHECKPOINT && saved == 0) return 0;
  a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  a->phase = hc_marks_phase(&a->marks, hc_time_add(a->phase, saved));
  by = hc_work_save(&a->work, saved, more);
  t->run = hc_work_less(t->run, by, more);
  if (e->tasks.cold) e->tasks.cold[id].estimate = hc_work_less(e->tasks.cold[id].estimate, by, more);
  if (e->tasks.plans) {
    hc_planned *p = &e->tasks.planned[id];
    p->estimate = hc_work_less(p->estimate, by, more);
    p->running_estimate = hc_work_less(p->running_estimate, by, more);
  }
  return 0;
}

/* ---- what happened ---- */

static hc_rc store_stop(hc_engine *e, hc_task id, const hc_stop_record *r, const hc_stopping *how,
                        hc_time saved, const hc_grant *grants, size_t count, hc_error *error)
{
  if (!e->store || e->options->task_rows != HC_ROWS_ALL) return 0;
  TRY(hc_store_numbers(e->store, "stops", 7,
                       (const int64_t[]){(int64_t)r->serial, r->times, r->start, r->at, r->how, saved,
                                         how->how == HC_STOP_CHECKPOINT || saved > 0
                                             ? overhead_of(e, id, how, saved)
                                             : hc_work_of(e, id)->restart},
                       error));
  if (!e->cell.hosts || r->how == HC_STOP_KILL) return 0;
  if (e->resizes) hc_resizes_swap(e, id); /* what it held at its start */
  for (size_t i = 0; i < count; i++) {
    int64_t held[5 + HC_ROW_AMOUNTS];
    held[0] = (int64_t)r->serial;
    held[1] = r->times;
    held[2] = grants[i].host;
    held[3] = grants[i].slots;
    held[4] = hc_row_devices(&grants[i].devices);
    hc_demand_of_grant(e, id, &grants[i], held + 5);
    TRY(hc_rows_put(e, "stop_grants", 5, held, &grants[i].devices, error));
  }
  if (e->resizes) hc_resizes_swap(e, id);
  return 0;
}

/* What it held in all, by the lexicon's number; how many hosts that were. */
static uint32_t sum_up(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count, int64_t *out)
{
  uint32_t hosts = 0;
  if (!e->cell.hosts) out[HC_DIM_CPU] = (int64_t)e->tasks.live[id].units * 1000;
  for (size_t i = 0; i < count && e->cell.hosts; i++) {
    int64_t amounts[HC_DIMENSIONS];
    hc_demand_of_grant(e, id, &grants[i], amounts);
    for (uint32_t d = 0; d < e->gauge.width; d++) out[d] += amounts[d];
    hosts += i == 0 || grants[i].host != grants[i - 1].host;
  }
  return hosts;
}

/* Tasks that are stopped in turn, each before it ends and with nothing saved, go on so for ever, and no
 * instant has many rounds. A task that ends or comes meanwhile is progress. */
static hc_rc note_vain(hc_engine *e, hc_task id, hc_time saved, hc_error *error)
{
  const uint64_t progress = e->counters.ended + e->counters.submitted;
  char when[32];
  if (saved > 0 || e->stops_since != progress) e->stops_in_vain = 0;
  e->stops_since = progress;
  if (++e->stops_in_vain <= (uint64_t)e->options->max_rounds) return 0;
  hc_format_seconds(e->now, when);
  return hc_fail(error, HC_ELIVELOCK, "preemption", 0, 0,
                 "%" PRId64 " times a task was stopped with nothing saved, and none has ended or come "
                 "meanwhile; the last is task %" PRId64
                 " at t=%s s. Let tasks that are stopped keep what they did "
                 "(a checkpoint), have them stopped less often, or end the run with `until`; `max_rounds` is "
                 "the bound",
                 e->options->max_rounds, e->tasks.identities[id].id, when);
}

hc_rc hc_stopping_note(hc_engine *e, hc_task id, const hc_stopping *how, const hc_grant *grants, size_t count,
                       hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time saved = hc_stopping_saves(e, id, how);
  const hc_work_loss loss = hc_work_stop(hc_work_of(e, id), hc_work_so_far(e, id), hc_work_run(e, id), saved);
  hc_stop_record r = {.at = e->now,
                      .start = t->start,
                      .serial = t->serial,
                      .user = e->tasks.identities[id].user,
                      .job = hc_cold_of(e, id)->job,
                      .how = (uint32_t)how->how,
                      .restart = loss.restart,
                      .lost = loss.lost,
                      .overhead = overhead_of(e, id, how, saved)};
  hc_attempt *a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  TRY(note_vain(e, id, saved, error));
  t->flags |= HC_TASK_PREEMPTED;
  if (how->how == HC_STOP_KILL) e->counters.preempt_killed++;
  else e->counters.preempted++;
  r.times = a->work.times += how->how != HC_STOP_KILL;
  r.hosts = sum_up(e, id, grants, count, r.amount);
  if (e->explain)
    hc_explain_text(e, id, how->how == HC_STOP_KILL ? "is stopped for good" : "is stopped, and waits again");
  if (e->observers.wants_stops) TRY(hc_observe_stop(e, &r));
  return store_stop(e, id, &r, how, saved, grants, count, error);
}

enum { LOST = HC_STOP_CHECKPOINT + 1 }; /* `how` of its row: by no plan */

hc_rc hc_stopping_note_lost(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a = hc_attempt_need(e, id);
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  if (!a) return HC_ENOMEM;
  const hc_stop_record r = {
      .at = e->now, .start = t->start, .serial = t->serial, .how = LOST, .times = ++a->work.times};
  t->flags |= HC_TASK_PREEMPTED;
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  return store_stop(e, id, &r, how, saved, grants, count, error);
}

/* ---- a grace ---- */

hc_rc hc_apply_warn(hc_engine *e, hc_task id, hc_time at, const hc_stopping *how)
{
  hc_attempt *a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  a->leaves = at;
  a->notice = *how;
  hc_live_of(e, id)->bits |= HC_LIVE_WARNED;
  return 0;
}

void hc_undo_warn(hc_engine *e, hc_task id)
{
  hc_attempt *a = hc_attempt_need(e, id);
  a->leaves = HC_NEVER;
  a->notice = (hc_stopping){0};
  hc_live_of(e, id)->bits &= (uint8_t)~HC_LIVE_WARNED;
}

hc_rc hc_happened_warn(hc_engine *e, hc_task id)
{
  const hc_event stop =
      hc_event_at(HC_EVENT_stop, hc_attempt_of(e, id)->leaves, hc_live_of(e, id)->serial, id);
  e->counters.warned++;
  if (e->explain) hc_explain_text(e, id, "is told to go");
  return hc_queue_push(e->events, &stop, NULL);
}

hc_rc hc_stopping_now(hc_engine *e, hc_task id, const hc_stopping *how, hc_error *error)
{
  const hc_grant *grants;
  hc_grant one;
  size_t count, hosts;
  TRY(hc_signal_note_hosts(e, id, &hosts));
  if (hc_live_of(e, id)->bits & HC_LIVE_WARNED) hc_undo_warn(e, id);
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  TRY(hc_apply_preempt(e, id, grants, count));
  TRY(hc_life_stop(e, id, how, grants, count, error));
  return hc_signal_free(e, hosts, error);
}

/* A task that was warned has not ended by itself. It may have gone before, and perhaps come back: its serial
 * tells. What it held is free now, as at an end. */
static hc_rc deliver(hc_engine *e, hc_task id, uint64_t serial, hc_error *error)
{
  const hc_live *t = &e->tasks.live[id];
  const bool is_due = t->serial == serial && t->state == HC_TASK_RUNNING && (t->bits & HC_LIVE_WARNED) &&
                      hc_attempt_of(e, id)->leaves == e->now;
  if (!is_due) return 0;
  const hc_stopping how = hc_attempt_of(e, id)->notice;
  return hc_stopping_now(e, id, &how, error);
}

const hc_event_type hc_event_stop = {.name = "stop", .deliver = deliver};

/* ---- what a policy may ask ---- */

static bool runs(const hc_engine *e, hc_task id)
{
  return id < e->tasks.count && e->tasks.live[id].state == HC_TASK_RUNNING;
}

hc_time hc_view_leaves(const hc_view *v, hc_task id)
{
  const hc_engine *e = v->engine;
  if (!runs(e, id)) return HC_UNKNOWN;
  return e->tasks.live[id].bits & HC_LIVE_WARNED ? hc_attempt_of(e, id)->leaves : HC_NEVER;
}

hc_time hc_view_loses(const hc_view *v, hc_task id, const hc_stopping *how)
{
  const hc_engine *e = v->engine;
  return runs(e, id) ? gained(e, id) - hc_stopping_saves(e, id, how) : HC_UNKNOWN;
}

/* Amounts of a grant by the cell's own dimensions; those of the whole cell stand with the first. */
static void hold(const hc_engine *e, hc_task id, const hc_grant *g, bool first, hc_holding *h)
{
  const uint8_t *which = hc_hosts_which(e->cell.hosts);
  int64_t amounts[HC_DIMENSIONS];
  hc_demand_of_grant(e, id, g, amounts);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    const bool shared = hc_hosts_is_shared(e->cell.hosts, d);
    if (!shared) h->amount[d] += amounts[which[d]];
    else if (first) h->amount[d] = HC_MAX(hc_need_of(e, id)[d], 0);
  }
  h->slots += g->slots;
}

static void begin_holding(const hc_engine *e, uint32_t host, hc_holding *h)
{
  h->host = host;
  h->slots = 0;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) h->amount[d] = 0;
}

size_t hc_view_held(const hc_view *v, hc_task id, const hc_holding **out)
{
  hc_engine *e = v->engine;
  const hc_grant *grants = e->telling.grants;
  size_t count = e->telling.count, n = 0;
  hc_grant one;
  hc_rc rc = 0;
  if (e->telling.task != id) {
    const bool is_here = id < e->tasks.count && e->tasks.live[id].start != HC_UNKNOWN;
    if (!is_here) return 0;
    rc = hc_view_grants(e, id, &one, &grants, &count);
  }
  if (rc >= 0)
    rc = hc_reserve(e->allocator, (void **)&e->holdings, &e->holding_cap, HC_MAX(count, 1),
                    sizeof *e->holdings);
  hc_engine_note(e, rc);
  if (rc < 0) return 0;
  *out = e->holdings;
  if (!e->cell.hosts) {
    e->holdings[0].host = 0;
    e->holdings[0].slots = e->tasks.live[id].units;
    e->holdings[0].amount[0] = e->tasks.live[id].units;
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    if (n == 0 || e->holdings[n - 1].host != grants[i].host)
      begin_holding(e, grants[i].host, &e->holdings[n++]);
    hold(e, id, &grants[i], i == 0, &e->holdings[n - 1]);
  }
  return n;
}

/* Where what there will be is known to change, plans hear of what is lent. */
static bool looks_ahead(const hc_engine *e)
{
  return hc_advance_plan(e) && hc_advance_plan(e)->has_resizes;
}

/* Give back what a running task holds, or take it again. Where only some room is asked for, no task's
 * expected end matters otherwise. */
static hc_rc lend(hc_engine *e, hc_task id, bool gives)
{
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  TRY(gives ? hc_release(e, id, grants, count) : hc_claim_again(e, id, grants, count));
  if (!looks_ahead(e)) return 0;
  const hc_time until = hc_expected_end(e, hc_live_of(e, id));
  return gives ? hc_reserve_give(e->reserve, id, until, grants, count)
               : hc_reserve_take(e->reserve, id, until, grants, count);
}

/* Does it fit on this one host, with what is lent? */
static bool fits_on(hc_engine *e, hc_task id, uint32_t host)
{
  const hc_request r = hc_request_of(e, id);
  const hc_range on = {host, 1};
  const hc_grant *grants;
  hc_rc rc = hc_reserve_narrow(e->reserve, id, HC_UNKNOWN);
  if (rc >= 0) {
    hc_advance_ask(e, id, e->now, HC_UNKNOWN);
    rc = hc_hosts_choose_on(e->cell.hosts, &r, &on, 1, &grants);
    hc_advance_ask(e, HC_NO_TASK, 0, 0);
    hc_reserve_widen(e->reserve);
  }
  hc_engine_note(e, HC_MIN(rc, 0));
  return rc > 0;
}

bool hc_view_fits_without(const hc_view *v, hc_task id, uint32_t host, const hc_task *running, size_t count)
{
  hc_engine *e = v->engine;
  const uint64_t grown = e->cell.grown;
  const hc_grant *grants;
  size_t given = 0, n;
  hc_rc rc = 0;
  bool fits;
  if (id >= e->tasks.count || hc_live_of(e, id)->state != HC_TASK_WAITING || hc_live_of(e, id)->deferred)
    return false;
  if (looks_ahead(e)) rc = hc_reserve_ready(e->reserve);
  while (given < count && rc >= 0) {
    if (!runs(e, running[given])) break;
    rc = lend(e, running[given], true);
    given += rc >= 0;
  }
  hc_engine_note(e, rc);
  e->choice.version = 0;
  if (given < count) fits = false;
  else if (e->cell.hosts) fits = fits_on(e, id, host);
  else fits = hc_choose_place(e, id, &grants, &n) == 0;
  while (given-- > 0) hc_engine_note(e, lend(e, running[given], false));
  e->choice.version = 0;
  e->cell.grown = grown; /* it is as it was */
  return fits;
}
