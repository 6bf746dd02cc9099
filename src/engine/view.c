/* view.c -- what a policy may ask, and the table of services that it is handed.
 *
 * Every answer is about the cell with the open plan applied. Nothing here tells the true run time:
 * `estimate` is what the run lets a policy believe. */
#include <stdlib.h>

#include "base/math.h"
#include "base/util.h"
#include "engine/choose.h"
#include "engine/claims.h"
#include "engine/plan.h"
#include "engine/work.h"

/* ---- time and chance ---- */

static hc_time view_now(const hc_view *v)
{
  return v->engine->now;
}

static uint64_t view_random(const hc_view *v, uint64_t entity, uint64_t draw)
{
  const hc_run_options *o = v->engine->options;
  hc_draws s = {(uint64_t)o->seed, (uint64_t)o->replication, entity, HC_PURPOSE_POLICY, draw};
  return hc_random_bits(&s);
}

static void *view_scratch(hc_view *v, size_t size)
{
  return hc_arena_alloc(&v->engine->scratch, size);
}

/* The run was told to stop while a policy decides: it is told that nothing is there, so that it comes to its end, and the
 * instant fails when it has. */
static bool is_stopped(const hc_view *v)
{
  if (!v->engine->cancelled) return false;
  hc_engine_note(v->engine, HC_ECANCELLED);
  return true;
}

/* ---- the queue ---- */

static const hc_sorting *list_of(const hc_view *v, hc_list_id list)
{
  const hc_sorting *s = v->engine->queues[v->queue].sorting;
  return s[list].order ? &s[list] : &s[HC_LIST_QUEUE];
}

/* Is it about the live cell as it is? Then what fails now fails for all of its shape. */
static bool asks_shapes(const hc_view *v)
{
  const hc_engine *e = v->engine;
  return e->shapes.is_on && v->scope_count == 0 && !e->blind && e->spare_estimate == HC_UNKNOWN &&
         e->holds.count == 0;
}

/* Of a view that shows the first tasks of its queue alone, the next of these; a second list has them anywhere. */
static __attribute__((noinline)) hc_task next_shown(const hc_view *v, hc_waitlist *w, hc_cursor *at,
                                                    const hc_filter *filter)
{
  for (;;) {
    const hc_task t = hc_waitlist_next(w, at, filter);
    const hc_live *x = t == HC_NO_TASK ? NULL : &v->engine->tasks.live[t];
    if (!x || x->key < v->last.key || (x->key == v->last.key && x->serial <= v->last.serial)) return t;
    if (w == v->engine->queues[v->queue].sorting[HC_LIST_QUEUE].list) return HC_NO_TASK;
  }
}

static hc_task view_next(const hc_view *v, hc_list_id list, hc_cursor *at, const hc_filter *filter)
{
  hc_engine *e = v->engine;
  hc_waitlist *w = list_of(v, list)->list;
  hc_task t;
  if (is_stopped(v)) return HC_NO_TASK;
  if (v->is_limited) return next_shown(v, w, at, filter);
  if (!filter || !filter->fits || !asks_shapes(v)) return hc_waitlist_next(w, at, filter);
  do t = hc_waitlist_next_of(w, at, filter, hc_shapes_mask(&e->shapes, e->cell.grown));
  while (t != HC_NO_TASK && hc_shapes_failed(&e->shapes, t, e->cell.grown) && !e->cancelled);
  return t;
}

static size_t view_queued(const hc_view *v)
{
  hc_waitlist *w = list_of(v, HC_LIST_QUEUE)->list;
  hc_cursor at = {0};
  size_t n = 0;
  if (!v->is_limited) return hc_waitlist_count(w);
  while (next_shown(v, w, &at, NULL) != HC_NO_TASK) n++;
  return n;
}

static hc_task view_queued_at(const hc_view *v, hc_list_id list, size_t k)
{
  hc_waitlist *w = list_of(v, list)->list;
  if (v->is_limited) { /* rare: the shown ones are counted off */
    hc_cursor at = {0};
    hc_task t;
    do t = next_shown(v, w, &at, NULL);
    while (t != HC_NO_TASK && k-- > 0);
    return t;
  }
  return k < hc_waitlist_count(w) ? hc_waitlist_at(w, k) : HC_NO_TASK;
}

static void view_behind(const hc_view *v, hc_list_id list, hc_task id, hc_cursor *at)
{
  const hc_live *t = &v->engine->tasks.live[id];
  int which = v->engine->queues[v->queue].sorting[list].order ? (int)list : 0;
  const int64_t key = which == 0 ? t->key : v->engine->tasks.planned[id].second_key;
  *at = (hc_cursor){key, t->serial, true};
}

/* ---- a task ---- */

static const hc_live *task_of(const hc_view *v, hc_task t)
{
  HC_ASSERT(t < v->engine->tasks.count);
  return &v->engine->tasks.live[t];
}

static uint64_t view_serial(const hc_view *v, hc_task t)
{
  return task_of(v, t)->serial;
}

/* Policies hold few serials (a sticky reservation, a promise), so a search is cheaper than an index for
 * everybody. */
static hc_task view_find(const hc_view *v, uint64_t serial)
{
  const hc_tasks *ts = &v->engine->tasks;
  for (size_t i = 0; i < ts->count; i++)
    if (ts->live[i].serial == serial && ts->live[i].state >= HC_TASK_WAITING) return (hc_task)i;
  return HC_NO_TASK;
}

static bool view_waits(const hc_view *v, hc_task t)
{
  return task_of(v, t)->state == HC_TASK_WAITING;
}

static int64_t view_units(const hc_view *v, hc_task t)
{
  return task_of(v, t)->units;
}

static int64_t view_demand(const hc_view *v, hc_task t, uint32_t dimension)
{
  const hc_tasks *ts = &v->engine->tasks;
  if (!ts->need)
    return dimension == 0 ? 1 : 0; /* each unit of a counted cell is one processor and nothing else */
  return dimension < ts->dimensions ? ts->need[(size_t)t * ts->dimensions + dimension] : 0;
}

static hc_time view_estimate(const hc_view *v, hc_task t)
{
  HC_ASSERT(t < v->engine->tasks.count);
  return hc_estimate_of(v->engine, t);
}

static hc_time view_submitted(const hc_view *v, hc_task t)
{
  return task_of(v, t)->submit;
}

static int64_t view_user(const hc_view *v, hc_task t)
{
  return v->engine->tasks.identities[t].user;
}

static int64_t view_priority(const hc_view *v, hc_task t)
{
  return hc_cold_of(v->engine, t)->priority;
}

static int64_t view_job(const hc_view *v, hc_task t)
{
  const int64_t job = hc_cold_of(v->engine, t)->job;
  return job < 0 ? -1 : (int64_t)((uint64_t)job | (uint64_t)(hc_live_of(v->engine, t)->source & 0x7f) << 56);
}

static int64_t view_group(const hc_view *v, hc_task t)
{
  return hc_cold_of(v->engine, t)->group;
}

static int64_t view_queue(const hc_view *v, hc_task t)
{
  return hc_cold_of(v->engine, t)->queue;
}

static int64_t view_slots(const hc_view *v, hc_task t)
{
  return task_of(v, t)->slots;
}

static bool view_prefilled(const hc_view *v, hc_task t)
{
  return (task_of(v, t)->flags & HC_TASK_PREFILL) != 0;
}

/* ---- running tasks ---- */

typedef struct ending {
  hc_time at;
  uint64_t serial;
  hc_task task;
} ending;

static int by_end(const void *a, const void *b)
{
  const ending *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* All keys differ, so the C library's sort, stable or not, gives one order. */
static size_t view_running(const hc_view *v, const hc_task **tasks)
{
  hc_engine *e = v->engine;
  size_t n = 0;
  ending *ends = hc_arena_room(&e->scratch, e->tasks.count * sizeof *ends);
  hc_task *out = hc_arena_room(&e->scratch, e->tasks.count * sizeof *out);
  *tasks = out;
  if (!ends || !out) hc_engine_note(e, HC_ENOMEM);
  if (!ends || !out) return 0;
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    bool runs = t->state == HC_TASK_RUNNING || (t->state == HC_TASK_PLANNED && t->start == e->now);
    if (runs) ends[n++] = (ending){hc_expected_end(e, t), t->serial, (hc_task)i};
  }
  qsort(ends, n, sizeof *ends, by_end);
  for (size_t i = 0; i < n; i++) out[i] = ends[i].task;
  return n;
}

static hc_time view_started(const hc_view *v, hc_task t)
{
  return task_of(v, t)->start;
}

static hc_time view_expected_end(const hc_view *v, hc_task t)
{
  return hc_expected_end(v->engine, task_of(v, t));
}

/* ---- the cell ---- */

static uint32_t view_dimensions(const hc_view *v)
{
  return v->engine->cell.hosts ? hc_hosts_dimensions(v->engine->cell.hosts) : 1;
}

static int64_t view_capacity(const hc_view *v, uint32_t dimension)
{
  const hc_cell *c = &v->engine->cell;
  if (c->hosts) return dimension < hc_hosts_dimensions(c->hosts) ? hc_hosts_capacity(c->hosts, dimension) : 0;
  return dimension == 0 ? c->capacity : 0;
}

/* Where a view has a scope, only what is free in it counts. Both lists ascend. */
static int64_t view_free_units(const hc_view *v)
{
  const hc_freeset *ids = &v->engine->cell.ids;
  int64_t sum = 0;
  if (v->scope_count == 0 || v->engine->cell.hosts) return hc_free_most(v->engine);
  for (size_t i = 0, k = 0; i < ids->count && k < v->scope_count;) {
    uint64_t free_end = (uint64_t)ids->ranges[i].first + ids->ranges[i].count;
    uint64_t scope_end = (uint64_t)v->scope[k].first + v->scope[k].count;
    uint64_t from = HC_MAX(ids->ranges[i].first, v->scope[k].first), to = HC_MIN(free_end, scope_end);
    if (from < to) sum += (int64_t)(to - from);
    if (free_end <= scope_end) i++;
    else k++;
  }
  return sum;
}

/* While nothing is given back, who did not fit does not: those who wait are asked about again and again. */
static bool fits_hosts(const hc_view *v, hc_task t)
{
  hc_engine *e = v->engine;
  const bool remembers =
      e->tasks.remembers && v->scope_count == 0 && !e->blind && e->spare_estimate == HC_UNKNOWN;
  const bool by_shape = asks_shapes(v);
  const hc_grant *grants;
  size_t count;
  hc_rc rc;
  if (remembers && e->tasks.failed[t] == e->cell.grown) return false;
  if (by_shape && hc_shapes_failed(&e->shapes, t, e->cell.grown)) return false;
  rc = hc_choose_place(e, t, &grants, &count);
  if (by_shape && rc == HC_EPOLICY) hc_shapes_fail(&e->shapes, t, e->cell.grown);
  if (remembers && rc == HC_EPOLICY) e->tasks.failed[t] = e->cell.grown;
  return rc == 0;
}

static bool view_fits(const hc_view *v, hc_task t)
{
  hc_engine *e = v->engine;
  uint32_t units = task_of(v, t)->units;
  const hc_grant *grants;
  size_t count;
  if (is_stopped(v)) return false;
  if (units > view_free_units(v) || task_of(v, t)->deferred) return false;
  if (e->cell.hosts) return fits_hosts(v, t);
  if (!e->contiguous) return true;
  return v->scope_count > 0 ? hc_choose_place(e, t, &grants, &count) == 0
                            : hc_freeset_longest(&e->cell.ids) >= units;
}

static size_t view_scope(const hc_view *v, const hc_range **hosts)
{
  *hosts = v->scope;
  return v->scope_count;
}

static const int64_t *view_host_free(const hc_view *v, uint32_t host, const int64_t **capacity)
{
  const hc_engine *e = v->engine;
  if (!e->cell.hosts || host >= e->cell_spec.units) return NULL;
  if (capacity) *capacity = hc_hosts_capacity_of(e->cell.hosts, host);
  return hc_hosts_free_of(e->cell.hosts, host);
}

static uint32_t view_dimension_id(const hc_view *v, uint32_t dimension)
{
  const hc_hosts *h = v->engine->cell.hosts;
  return h && dimension < hc_hosts_dimensions(h) ? hc_hosts_which(h)[dimension] : (uint32_t)HC_DIM_CPU;
}

/* ---- the future ---- */

/* Where places matter (a task needs one contiguous range), counting is not enough: the earliest start is
 * found by replaying the expected ends in order on a copy of the free set until the placement succeeds. */
static hc_time replay_ranges(const hc_view *v, uint32_t units, hc_time from, hc_time until, bool *fits)
{
  hc_engine *e = v->engine;
  const hc_task *running;
  size_t n = view_running(v, &running), i = 0;
  hc_time at = from;
  hc_freeset copy;
  hc_freeset_init(&copy, e->allocator);
  for (size_t r = 0; r < e->cell.ids.count; r++)
    hc_engine_note(e, hc_freeset_add(&copy, e->cell.ids.ranges[r]));
  for (;;) {
    while (i < n && hc_expected_end(e, task_of(v, running[i])) <= at) {
      const hc_grant *held;
      hc_grant one;
      size_t count;
      hc_rc rc = hc_view_grants(e, running[i++], &one, &held, &count);
      for (size_t r = 0; rc == 0 && r < count; r++)
        rc = hc_freeset_add(&copy, (hc_range){held[r].host, held[r].slots});
      hc_engine_note(e, rc);
    }
    *fits = hc_freeset_longest(&copy) >= units;
    if (*fits || i >= n || at >= until) break;
    at = HC_MIN(hc_expected_end(e, task_of(v, running[i])), until);
  }
  hc_freeset_fini(&copy);
  return *fits ? at : HC_NEVER;
}

/* Where a task would be, for a promise of these hosts. */
static hc_rc remember(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  TRY(hc_reserve(e->allocator, (void **)&e->promised.grants, &e->promised.cap, count, sizeof *grants));
  for (size_t i = 0; i < count; i++) e->promised.grants[i] = grants[i];
  e->promised.serial = hc_live_of(e, id)->serial;
  e->promised.at = at;
  e->promised.now = e->now;
  e->promised.count = count;
  return 0;
}

/* The same on a cell of hosts: claims are given back in the order in which they are expected to end, and taken again
 * when the answer is known. Giving and taking are each other's inverse. */
static hc_time replay_hosts(const hc_view *v, hc_task id, hc_time from, hc_time until, bool *fits)
{
  hc_engine *e = v->engine;
  const hc_task *running;
  const size_t n = view_running(v, &running);
  const uint64_t grown = e->cell.grown;
  size_t i = 0;
  hc_time at = from;
  e->blind = true;
  e->choice.version = 0;
  for (;;) {
    const hc_grant *grants;
    hc_grant one;
    size_t count;
    while (i < n && hc_expected_end(e, task_of(v, running[i])) <= at) {
      const hc_request r = hc_request_of(e, running[i]);
      hc_engine_note(e, hc_view_grants(e, running[i++], &one, &grants, &count));
      hc_cell_give_hosts(&e->cell, &r, grants, count);
    }
    *fits = hc_choose_place(e, id, &grants, &count) == 0;
    if (*fits) hc_engine_note(e, remember(e, id, at, grants, count));
    if (*fits || i >= n || at >= until) break;
    at = HC_MIN(hc_expected_end(e, task_of(v, running[i])), until);
  }
  while (i-- > 0) {
    const hc_request r = hc_request_of(e, running[i]);
    const hc_grant *grants;
    hc_grant one;
    size_t count;
    hc_engine_note(e, hc_view_grants(e, running[i], &one, &grants, &count));
    hc_engine_note(e, hc_cell_take_hosts_again(&e->cell, &r, grants, count));
  }
  e->blind = false;
  e->choice.version = 0;
  e->cell.grown = grown; /* it is as it was */
  return *fits ? at : HC_NEVER;
}

size_t hc_view_hosts_at(const hc_view *v, hc_task id, hc_time at, const hc_grant **out)
{
  hc_engine *e = v->engine;
  bool fits;
  if (e->promised.serial != hc_live_of(e, id)->serial || e->promised.at != at || e->promised.now != e->now) {
    if (replay_hosts(v, id, at, at, &fits) != at) return 0;
  }
  *out = e->promised.grants;
  return e->promised.count;
}

static hc_time replay_until_fits(const hc_view *v, hc_task id, hc_time from, hc_time until, bool *fits)
{
  if (v->engine->cell.hosts) return replay_hosts(v, id, from, until, fits);
  return replay_ranges(v, task_of(v, id)->units, from, until, fits);
}

static hc_slot view_earliest(const hc_view *v, hc_task id, hc_time from)
{
  hc_engine *e = v->engine;
  const uint32_t units = hc_live_of(e, id)->units;
  const hc_time held = hc_reserved_of(e, id), estimate = hc_estimate_of(e, id);
  hc_slot slot;
  bool fits;
  if (is_stopped(v)) return (hc_slot){HC_NEVER, 0};
  from = hc_deferred_from(e, id, from);
  if (e->future) return (hc_slot){hc_future_earliest(e, id, from), 0};
  if (e->cell.hosts) return (hc_slot){replay_hosts(v, id, from, HC_NEVER, &fits), 0};
  if (!e->cell.timeline) return (hc_slot){HC_NEVER, 0};
  if (held != HC_NEVER)
    hc_engine_note(e, hc_cell_unpromise(&e->cell, units, held, hc_promised_until(held, estimate)));
  slot.at = hc_timeline_earliest(e->cell.timeline, from, HC_MAX(estimate, 1), units);
  if (e->contiguous && slot.at != HC_NEVER) slot.at = replay_ranges(v, units, slot.at, HC_NEVER, &fits);
  slot.spare = slot.at == HC_NEVER ? 0 : hc_timeline_level(e->cell.timeline, slot.at) - units;
  if (held != HC_NEVER)
    hc_engine_note(e, hc_cell_promise(&e->cell, units, held, hc_promised_until(held, estimate)));
  return slot;
}

static int64_t view_least_free(const hc_view *v, hc_time from, hc_time to)
{
  const hc_cell *c = &v->engine->cell;
  const hc_task *running;
  int64_t free = hc_free_most(v->engine);
  size_t n;
  if (!c->hosts) return c->timeline ? hc_timeline_least(c->timeline, from, to) : free;
  if (free == INT64_MAX) return free;
  n = view_running(v, &running); /* more and more is free: least at the beginning */
  for (size_t i = 0; i < n && hc_expected_end(v->engine, task_of(v, running[i])) <= from; i++)
    free += task_of(v, running[i])->units;
  return free;
}

static bool view_places_matter(const hc_view *v)
{
  return v->engine->contiguous || v->engine->cell.hosts;
}

/* What was chosen is borrowed until the next choice, which a replay makes. */
static hc_rc keep_copy(hc_engine *e, const hc_grant **grants, size_t count)
{
  hc_grant *copy = hc_arena_alloc(&e->scratch, count * sizeof *copy + 1);
  if (!copy) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) copy[i] = (*grants)[i];
  *grants = copy;
  return 0;
}

/* A scheduler knows the promises to the tasks of its own queue, and no others. */
static bool is_own(const hc_view *v, hc_task id)
{
  return v->engine->tasks.live[id].queue == v->queue;
}

/* Does each reservation stand on hosts of its own? */
static bool all_hold(const hc_view *v)
{
  const hc_engine *e = v->engine;
  for (size_t i = 0; i < e->tasks.reserved_count; i++)
    if (is_own(v, e->tasks.reserved[i]) && !hc_hold_has(e, e->tasks.reserved[i])) return false;
  return true;
}

/* If the hosts that were chosen are promised to others before it would end, others are sought among those that are not:
 * what backfilling calls extra. @return 0, or HC_EPOLICY if there are not enough. */
static hc_rc keep_promises(const hc_view *v, hc_task id, const hc_grant **grants, size_t *count)
{
  hc_engine *e = v->engine;
  const hc_time estimate = hc_running_estimate_of(e, id);
  hc_rc rc;
  if (!hc_hold_breaks(e, id, *grants, *count, hc_time_add(e->now, hc_work_on(e, estimate, *grants, *count))))
    return 0;
  hc_load_spare(e, id);
  rc = hc_choose_place(e, id, grants, count);
  if (rc == 0 &&
      hc_hold_breaks(e, id, *grants, *count, hc_time_add(e->now, hc_work_on(e, estimate, *grants, *count))))
    rc = HC_EPOLICY;
  const uint64_t version = e->choice.version;
  hc_load_spare(e, HC_NO_TASK);
  if (rc == 0) e->choice.version = version;
  return rc;
}

/* With counted processors a start is harmless if, reservations included, enough stays free while it would
 * run. With places, the start is tried, and each reserved task that it overlaps must still find its place
 * at its time. */
static bool view_harmless(const hc_view *v, hc_task id)
{
  hc_engine *e = v->engine;
  const hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  hc_time ends;
  size_t count;
  const uint64_t grown = e->cell.grown;
  bool fits = true;
  hc_rc rc;
  if (is_stopped(v)) return false;
  if ((!e->cell.timeline && !e->cell.hosts) || e->future) return view_fits(v, id);
  if (t->deferred) return false;
  if (e->cell.timeline &&
      hc_timeline_least(e->cell.timeline, e->now, hc_time_add(e->now, hc_estimate_of(e, id))) < t->units)
    return false;
  if (!view_places_matter(v)) return true;
  rc = hc_choose_place(e, id, &grants, &count);
  if (rc >= 0 && e->holds.count > 0) {
    rc = keep_promises(v, id, &grants, &count);
    if (rc >= 0 && all_hold(v)) return true; /* the start that follows takes what was chosen */
  }
  if (rc >= 0) rc = keep_copy(e, &grants, count);
  if (rc >= 0) rc = hc_apply_start(e, id, grants, count);
  if (rc < 0) {
    if (rc == HC_ENOMEM) hc_engine_note(e, rc); /* otherwise it does not fit */
    return false;
  }
  ends = hc_time_add(e->now, hc_running_estimate_of(e, id));
  for (size_t i = 0; i < e->tasks.reserved_count && fits; i++) {
    const hc_task other = e->tasks.reserved[i];
    if (e->tasks.live[other].state != HC_TASK_WAITING || hc_reserved_of(e, other) >= ends) continue;
    if (!is_own(v, other)) continue;
    /* It would hold what it took until after the reservation: try that with its claim in place. */
    (void)replay_until_fits(v, other, e->now, hc_reserved_of(e, other), &fits);
  }
  hc_engine_note(e, hc_undo_start(e, id, grants, count));
  e->cell.grown = grown;
  return fits;
}

static hc_time view_reserved(const hc_view *v, hc_task t)
{
  HC_ASSERT(t < v->engine->tasks.count);
  return hc_reserved_of(v->engine, t);
}

/* ---- explanations ---- */

static bool view_explaining(const hc_view *v)
{
  return hc_explaining(v->engine);
}

static void view_explain(const hc_view *v, hc_task t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hc_explain_args(v->engine, t, format, args);
  va_end(args);
}

/* Every task of a batch log is rigid: it has no other size to run at. */
static hc_rc plan_resize(hc_plan *p, hc_task id, int64_t units)
{
  const hc_engine *e = p->engine;
  if (id < e->tasks.count && e->tasks.live[id].state == HC_TASK_RUNNING && e->tasks.live[id].units == units)
    return 0;
  return HC_EPOLICY;
}

const hc_services hc_policy_services = {
    .size = (uint32_t)sizeof(hc_services),
    .abi = HC_ABI,
    .now = view_now,
    .random = view_random,
    .scratch = view_scratch,
    .queued = view_queued,
    .next = view_next,
    .behind = view_behind,
    .serial = view_serial,
    .find = view_find,
    .waits = view_waits,
    .units = view_units,
    .demand = view_demand,
    .estimate = view_estimate,
    .submitted = view_submitted,
    .user = view_user,
    .priority = view_priority,
    .running = view_running,
    .started = view_started,
    .expected_end = view_expected_end,
    .dimensions = view_dimensions,
    .capacity = view_capacity,
    .free_units = view_free_units,
    .fits = view_fits,
    .scope = view_scope,
    .earliest = view_earliest,
    .least_free = view_least_free,
    .places_matter = view_places_matter,
    .harmless = view_harmless,
    .start = hc_plan_start,
    .reserve = hc_plan_reserve,
    .unreserve = hc_plan_unreserve,
    .unreserve_all = hc_plan_unreserve_all,
    .reserved = view_reserved,
    .preempt = hc_plan_preempt,
    .resize = plan_resize,
    .reject = hc_plan_reject,
    .wake = hc_plan_wake,
    .explaining = view_explaining,
    .explain = view_explain,
    .reserve_hosts = hc_plan_reserve_hosts,
    .start_heads = hc_plan_start_heads,
    .host_free = view_host_free,
    .dimension_id = view_dimension_id,
    .job = view_job,
    .group = view_group,
    .queue = view_queue,
    .stop = hc_plan_stop,
    .leaves = hc_view_leaves,
    .held = hc_view_held,
    .fits_without = hc_view_fits_without,
    .loses = hc_view_loses,
    .start_paced = hc_plan_start_paced,
    .slots = view_slots,
    .queued_at = view_queued_at,
    .prefilled = view_prefilled,
    .set_rate = hc_plan_set_rate,
    .suspend = hc_plan_suspend,
    .resume = hc_plan_resume,
    .rate = hc_view_rate,
    .not_before = hc_view_not_before,
};
