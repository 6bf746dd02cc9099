/* stopping.c -- running tasks that plans stop: at once or after a grace, for good, to begin anew, or to go
 * on.
 *
 * What a task has saved is its own for ever: its run is then what is left, and what is left is what a later
 * stop, or the loss of its host, can make it do again. Saving takes no time; starting again from what was
 * saved takes `overhead`, which is a part of the new attempt's run and is saved by nobody. Work is counted at
 * speed 1, so that it can go on on a host of another speed. A grace is an event: its task runs on, holds what
 * it holds, and may end first; then the event finds nobody.
 *
 * Attempts that plans stop do not count towards `attempts`, the bound on what a task may lose with its hosts:
 * a policy that stops a task for ever is wrong in another way than a host that breaks. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/plan.h"
#include "engine/resizes.h"
#include "engine/state.h"

static const hc_stops none = {.at = HC_NEVER};

hc_rc hc_stopping_need(hc_engine *e)
{
  hc_tasks *ts = &e->tasks;
  if (ts->stops) return 0;
  TRY(hc_reserve(e->allocator, (void **)&ts->stops, &ts->stops_cap, HC_MAX(ts->cap, 16), sizeof *ts->stops));
  for (size_t i = 0; i < ts->count; i++) ts->stops[i] = none;
  return 0;
}

static const hc_stops *stops_of(const hc_engine *e, hc_task id)
{
  return e->tasks.stops ? &e->tasks.stops[id] : &none;
}

/* ---- how much is saved ---- */

/* What the attempt has done of the task's work, at speed 1, and what it has left. */
static hc_time work_done(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_time *left)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_time run = e->tasks.has_nominal ? e->tasks.nominal[id].run : t->run;
  const hc_time restart = stops_of(e, id)->restart;
  const hc_time work = HC_MIN(hc_speed_work(e, id, hc_rates_ran(e, id), grants, count), run);
  *left = run == HC_NEVER ? HC_NEVER : run - restart;
  return HC_MAX(work - restart, 0);
}

hc_time hc_stopping_saves(const hc_engine *e, hc_task id, const hc_stopping *how, const hc_grant *grants,
                          size_t count)
{
  hc_time left, done;
  if (how->how != HC_STOP_CHECKPOINT) return 0;
  done = work_done(e, id, grants, count, &left);
  return how->every > 0 ? done - done % how->every : done;
}

/* An estimate may have been shorter than what it has done. */
static hc_time shortened(hc_time time, hc_time by, hc_time more)
{
  return time == HC_NEVER ? HC_NEVER : hc_time_add(HC_MAX(time - by, 0), more);
}

void hc_stopping_shorten(hc_engine *e, hc_task id, const hc_stopping *how, hc_time saved)
{
  hc_stops *s = &e->tasks.stops[id];
  hc_live *t = hc_live_of(e, id);
  const hc_time by = s->restart + saved;
  if (how->how != HC_STOP_CHECKPOINT) return;
  t->run = shortened(t->run, by, how->overhead);
  if (e->tasks.cold) e->tasks.cold[id].estimate = shortened(e->tasks.cold[id].estimate, by, how->overhead);
  if (e->tasks.plans) {
    hc_planned *p = &e->tasks.planned[id];
    p->estimate = shortened(p->estimate, by, how->overhead);
    p->running_estimate = shortened(p->running_estimate, by, how->overhead);
  }
  s->saved = hc_time_add(s->saved, saved);
  s->restart = how->overhead;
}

hc_time hc_stopping_whole(const hc_engine *e, hc_task id, hc_time left)
{
  const hc_stops *s = stops_of(e, id);
  hc_time more = s->saved - s->restart;
  if (more == 0 || left == HC_NEVER || left == HC_UNKNOWN) return left;
  if (e->tasks.has_nominal && e->tasks.nominal[id].run > 0 && e->tasks.live[id].start != HC_UNKNOWN)
    more = (hc_time)((double)more * ((double)e->tasks.live[id].run / (double)e->tasks.nominal[id].run));
  return hc_time_add(left, more);
}

/* ---- what happened ---- */

static hc_rc store_stop(hc_engine *e, hc_task id, const hc_stop_record *r, const hc_stopping *how,
                        hc_time saved, const hc_grant *grants, size_t count, hc_error *error)
{
  if (!e->store || e->options->task_rows != HC_ROWS_ALL) return 0;
  TRY(hc_store_numbers(
      e->store, "stops", 7,
      (const int64_t[]){(int64_t)r->serial, r->times, r->start, r->at, r->how, saved,
                        how->how == HC_STOP_CHECKPOINT ? how->overhead : stops_of(e, id)->restart},
      error));
  if (!e->cell.hosts || r->how == HC_STOP_KILL) return 0;
  if (e->resizes) hc_resizes_swap(e, id); /* what it held at its start */
  for (size_t i = 0; i < count; i++) {
    int64_t held[5 + HC_DIMENSIONS] = {(int64_t)r->serial, r->times, grants[i].host, grants[i].slots,
                                       grants[i].devices};
    hc_demand_of_grant(e, id, &grants[i], held + 5);
    TRY(hc_store_numbers(e->store, "stop_grants", HC_ARRAY_LEN(held), held, error));
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
    for (int d = 0; d < HC_DIMENSIONS; d++) out[d] += amounts[d];
    hosts += i == 0 || grants[i].host != grants[i - 1].host;
  }
  return hosts;
}

hc_rc hc_stopping_note(hc_engine *e, hc_task id, const hc_stopping *how, const hc_grant *grants, size_t count,
                       hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time ran = hc_rates_ran(e, id), saved = hc_stopping_saves(e, id, how, grants, count);
  hc_stop_record r = {.at = e->now,
                      .start = t->start,
                      .serial = t->serial,
                      .user = e->tasks.identities[id].user,
                      .job = hc_cold_of(e, id)->job,
                      .how = (uint32_t)how->how,
                      .overhead = how->how == HC_STOP_CHECKPOINT ? how->overhead : 0};
  hc_time left;
  TRY(hc_stopping_need(e));
  t->flags |= HC_TASK_PREEMPTED;
  if (how->how == HC_STOP_KILL) e->counters.preempt_killed++;
  else e->counters.preempted++;
  r.times = e->tasks.stops[id].times += how->how != HC_STOP_KILL;
  r.hosts = sum_up(e, id, grants, count, r.amount);
  const hc_time done = work_done(e, id, grants, count, &left);
  const hc_time work = hc_speed_work(e, id, ran, grants, count);
  r.restart = work > 0 ? HC_MIN((hc_time)((double)(work - done) / ((double)work / (double)ran)), ran) : 0;
  if (work == ran) r.restart = ran - done;
  r.lost = ran - r.restart;
  if (saved > 0) /* at this speed; rounded up, so that it is never more than the attempt */
    r.lost = work == ran ? ran - r.restart - saved
                         : HC_MAX(r.lost - (hc_time)((double)saved / ((double)work / (double)ran)), 0);
  if (e->explain)
    hc_explain_text(e, id, how->how == HC_STOP_KILL ? "is stopped for good" : "is stopped, and waits again");
  if (e->observers.wants_stops) TRY(hc_observe_stop(e, &r));
  return store_stop(e, id, &r, how, saved, grants, count, error);
}

/* ---- a grace ---- */

hc_rc hc_apply_warn(hc_engine *e, hc_task id, hc_time at, const hc_stopping *how)
{
  TRY(hc_stopping_need(e));
  e->tasks.stops[id].at = at;
  e->tasks.stops[id].notice = *how;
  hc_live_of(e, id)->bits |= HC_LIVE_WARNED;
  return 0;
}

void hc_undo_warn(hc_engine *e, hc_task id)
{
  e->tasks.stops[id].at = HC_NEVER;
  e->tasks.stops[id].notice = (hc_stopping){0};
  hc_live_of(e, id)->bits &= (uint8_t)~HC_LIVE_WARNED;
}

hc_rc hc_happened_warn(hc_engine *e, hc_task id)
{
  const hc_event stop = {e->tasks.stops[id].at, hc_live_of(e, id)->serial | HC_STOP_KEY, HC_PHASE_TIMER, id};
  e->counters.warned++;
  if (e->explain) hc_explain_text(e, id, "is told to go");
  return hc_queue_push(e->events, &stop, NULL);
}

bool hc_stop_is_due(const hc_engine *e, const hc_event *event)
{
  const hc_task id = event->payload;
  const hc_live *t = &e->tasks.live[id];
  return t->serial == (event->key & ~HC_STOP_KEY) && t->state == HC_TASK_RUNNING &&
         (t->bits & HC_LIVE_WARNED) && e->tasks.stops[id].at == e->now;
}

hc_rc hc_stop_due(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_stopping how = e->tasks.stops[id].notice;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_undo_warn(e, id);
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  TRY(hc_apply_preempt(e, id, grants, count));
  return hc_commit_stop(e, id, &how, grants, count, error);
}

/* ---- what a policy may ask ---- */

static bool runs(const hc_engine *e, hc_task id)
{
  return id < e->tasks.count && e->tasks.live[id].state == HC_TASK_RUNNING;
}

hc_time hc_view_leaves(const hc_view *v, hc_task id)
{
  const hc_engine *e = v->engine;
  if (!runs(e, id)) return HC_UNKNOWN;
  return e->tasks.live[id].bits & HC_LIVE_WARNED ? e->tasks.stops[id].at : HC_NEVER;
}

hc_time hc_view_loses(const hc_view *v, hc_task id, const hc_stopping *how)
{
  hc_engine *e = v->engine;
  const hc_grant *grants;
  hc_time left;
  hc_grant one;
  size_t count;
  if (!runs(e, id)) return HC_UNKNOWN;
  const hc_rc rc = hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count);
  hc_engine_note(e, rc);
  if (rc < 0) return HC_UNKNOWN;
  return work_done(e, id, grants, count, &left) - hc_stopping_saves(e, id, how, grants, count);
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
    e->holdings[0] = (hc_holding){.slots = e->tasks.live[id].units, .amount = {e->tasks.live[id].units}};
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    if (n == 0 || e->holdings[n - 1].host != grants[i].host)
      e->holdings[n++] = (hc_holding){.host = grants[i].host};
    hold(e, id, &grants[i], i == 0, &e->holdings[n - 1]);
  }
  return n;
}

/* Give back what a running task holds, or take it again. Where only some room is asked for, nobody's expected
 * end matters. */
static hc_rc lend(hc_engine *e, hc_task id, bool gives)
{
  const hc_time end = hc_expected_end(e, hc_live_of(e, id));
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  return gives ? hc_release(e, id, end, grants, count) : hc_claim_again(e, id, end, grants, count);
}

bool hc_view_fits_without(const hc_view *v, hc_task id, uint32_t host, const hc_task *running, size_t count)
{
  hc_engine *e = v->engine;
  const uint64_t grown = e->cell.grown;
  const hc_range on = {host, 1};
  const hc_grant *grants;
  size_t given = 0, n;
  hc_rc rc = 0;
  bool fits;
  if (id >= e->tasks.count || hc_live_of(e, id)->state != HC_TASK_WAITING || hc_live_of(e, id)->deferred)
    return false;
  while (given < count && rc >= 0) {
    if (!runs(e, running[given])) break;
    rc = lend(e, running[given], true);
    given += rc >= 0;
  }
  hc_engine_note(e, rc);
  e->choice.version = 0;
  if (given < count) fits = false;
  else if (e->cell.hosts) {
    const hc_request r = hc_request_of(e, id);
    rc = hc_hosts_choose_on(e->cell.hosts, &r, &on, 1, &grants);
    hc_engine_note(e, HC_MIN(rc, 0));
    fits = rc > 0;
  } else fits = hc_choose_place(e, id, &grants, &n) == 0;
  while (given-- > 0) hc_engine_note(e, lend(e, running[given], false));
  e->choice.version = 0;
  e->cell.grown = grown; /* it is as it was */
  return fits;
}

/* ---- state ---- */

hc_rc hc_stopping_visit(hc_engine *e, hc_visitor *v)
{
  hc_tasks *ts = &e->tasks;
  bool has = ts->stops != NULL;
  size_t count = ts->count;
  HC_VISIT(v, has);
  if (!has || v->mode == HC_VISIT_HASH) return 0; /* the hash has them task by task */
  HC_VISIT_ARRAY(v, ts->stops, count, ts->stops_cap);
  return hc_visit_loading(v) && !ts->stops ? hc_stopping_need(e) : 0;
}

void hc_stopping_fini(hc_engine *e)
{
  hc_free(e->allocator, e->tasks.stops, e->tasks.stops_cap * sizeof *e->tasks.stops);
}
