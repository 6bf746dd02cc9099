/* view.c -- what a policy may ask, and the table of services that it is handed.
 *
 * Every answer is about the cell with the open plan applied. Nothing here tells the true run time:
 * `estimate` is what the run lets a policy believe. */
#include "base/math.h"
#include "base/sort.h"
#include "base/util.h"
#include "engine/choose.h"
#include "engine/claims.h"
#include "engine/deferred.h"
#include "engine/dependencies.h"
#include "engine/explain.h"
#include "engine/moldable.h"
#include "engine/plan.h"
#include "engine/power.h"
#include "engine/pstates.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/services.h"
#include "engine/tasks.h"
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

/* ---- the queue ---- */

static const hc_sorting *list_of(const hc_view *v, hc_list_id list)
{
  const hc_sorting *s = v->engine->queues[v->queue].sorting;
  return s[list].order ? &s[list] : &s[HC_LIST_QUEUE];
}

/* Of a view that shows the first tasks of its queue alone, the next of these; a second list has them
 * anywhere. */
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
  if (hc_is_stopped(e)) return HC_NO_TASK;
  if (v->is_limited) return next_shown(v, w, at, filter);
  if (!filter || !filter->fits || !hc_asks_shapes(v)) return hc_waitlist_next(w, at, filter);
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
 * all tasks. */
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

static bool view_is_killed(const hc_view *v, hc_task t)
{
  return (task_of(v, t)->bits & HC_LIVE_KILLED) != 0 || hc_cold_of(v->engine, t)->is_killed != 0;
}

static void view_shape(const hc_view *v, hc_task t, hc_task_shape *out)
{
  const hc_request r = hc_request_of(v->engine, t);
  const hc_task_extras *m = r.more ? hc_lexicon_more(v->engine->lexicon, r.more) : NULL;
  *out = (hc_task_shape){.slots = r.slots,
                         .is_spread = r.spread,
                         .is_whole = r.whole,
                         .set = HC_NO_NAME,
                         .reservation = HC_NO_NAME};
  if (!m) return;
  out->sets = m->sets;
  out->set_count = m->set_count;
  out->reservation = m->reservation;
  out->switches = m->switches;
  out->switch_wait = m->switch_wait;
  out->least_limit = m->least_limit;
  out->exclusive = m->exclusive;
  out->component = m->component;
  out->again = m->again;
  out->set = m->set;
  out->least_hosts = m->least_hosts;
  out->most_hosts = m->most_hosts;
  out->at_once = m->at_once;
  out->has_rules = m->constraint_count > 0 || m->host_count > 0 || m->same != HC_NO_NAME ||
                   m->differ != HC_NO_NAME || m->per_host > 0 || m->per_zone > 0;
}

static int64_t view_slots(const hc_view *v, hc_task t)
{
  return task_of(v, t)->slots;
}

static bool view_prefilled(const hc_view *v, hc_task t)
{
  return (task_of(v, t)->flags & HC_TASK_PREFILL) != 0;
}

static bool view_stage(const hc_view *v, hc_task t, uint64_t *over, uint64_t *all)
{
  return hc_dependencies_stage(v->engine, t, over, all);
}

static const uint32_t *view_prefers(const hc_view *v, hc_task t, size_t *count)
{
  const hc_engine *e = v->engine;
  const uint32_t more = t < e->tasks.count ? hc_cold_of(e, t)->more : 0;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  *count = m ? m->prefer_count : 0;
  return *count > 0 ? m->prefers : NULL;
}

/* ---- running tasks ---- */

typedef struct ending {
  hc_time at;
  uint64_t serial;
  hc_task task;
} ending;

HC_SORT(sort_ends, ending, a->at != b->at ? a->at < b->at : a->serial < b->serial)

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
    bool runs = t->state == HC_TASK_RUNNING || t->state == HC_TASK_RESIZING ||
                (t->state == HC_TASK_PLANNED && t->start == e->now);
    if (runs) ends[n++] = (ending){hc_expected_end(e, t), t->serial, (hc_task)i};
  }
  sort_ends(ends, n);
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

static bool view_takes_new(const hc_view *v, uint32_t host)
{
  const hc_engine *e = v->engine;
  return e->cell.hosts && host < e->cell_spec.units && hc_hosts_takes_new(e->cell.hosts, host);
}

static bool view_is_shared(const hc_view *v, uint32_t dimension)
{
  const hc_hosts *h = v->engine->cell.hosts;
  return h && dimension < hc_hosts_dimensions(h) && hc_hosts_is_shared(h, dimension);
}

static uint32_t view_dimension_id(const hc_view *v, uint32_t dimension)
{
  const hc_hosts *h = v->engine->cell.hosts;
  return h && dimension < hc_hosts_dimensions(h) ? hc_hosts_which(h)[dimension] : (uint32_t)HC_DIM_CPU;
}

/* ---- the future ---- */

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

static hc_task view_asked(const hc_view *v)
{
  const hc_task t = v->engine->explain ? hc_explain_asked(v->engine) : HC_NO_TASK;
  return t != HC_NO_TASK && v->engine->tasks.live[t].queue == v->queue ? t : HC_NO_TASK;
}

static void view_note(const hc_view *v, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount)
{
  hc_explain_note(v->engine, t, what, other, at, amount);
}

/* ---- decisions that are not made here ---- */

static hc_rc view_fail(const hc_view *v, hc_rc rc, const char *where, const char *text)
{
  return hc_fail(v->engine->error, rc, where, 0, 0, "%s", text);
}

static int64_t view_source_id(const hc_view *v, hc_task t)
{
  return v->engine->tasks.identities[t].id;
}

static bool view_is_cancelled(const hc_view *v)
{
  return v->engine->cancelled != 0;
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
    .free_units = hc_view_free_units,
    .fits = hc_view_fits,
    .scope = view_scope,
    .earliest = hc_view_earliest,
    .least_free = hc_view_least_free,
    .places_matter = hc_view_places_matter,
    .harmless = hc_view_harmless,
    .harmless_for = hc_view_harmless_for,
    .start = hc_plan_start,
    .reserve = hc_plan_reserve,
    .unreserve = hc_plan_unreserve,
    .unreserve_all = hc_plan_unreserve_all,
    .reserved = view_reserved,
    .preempt = hc_plan_preempt,
    .resize = hc_plan_resize,
    .sizes = hc_view_sizes,
    .power = hc_plan_power,
    .pstate = hc_plan_pstate,
    .pstate_of = hc_view_pstate_of,
    .powered = hc_view_powered,
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
    .resume = hc_pstates_resume,
    .rate = hc_view_rate,
    .not_before = hc_view_not_before,
    .mark = hc_plan_mark_of,
    .take_back = hc_plan_take_back,
    .stage = view_stage,
    .asked = view_asked,
    .note = view_note,
    .prefers = view_prefers,
    .workflow = hc_view_workflow,
    .takes = hc_view_takes,
    .could = hc_view_could,
    .fetch = hc_plan_fetch,
    .is_killed = view_is_killed,
    .takes_new = view_takes_new,
    .is_shared = view_is_shared,
    .shape = view_shape,
    .start_dealt = hc_plan_start_dealt,
    .start_limited = hc_plan_start_limited,
    .starts_in = hc_plan_starts_in,
    .could_slot = hc_view_could_slot,
    .mold = hc_plan_mold,
    .offers = hc_view_offers,
    .earliest_as = hc_view_earliest_as,
    .fits_as = hc_view_fits_as,
    .wished = hc_view_wished,
    .speed_on = hc_view_speed_on,
    .awaited = hc_view_awaited,
    .speed_in = hc_view_speed_in,
    .resize_pausing = hc_plan_resize_pausing,
    .fail = view_fail,
    .is_cancelled = view_is_cancelled,
    .join = hc_plan_join,
    .report = hc_plan_report,
    .at_points = hc_view_at_points,
    .leave_point = hc_plan_leave_point,
    .look = hc_view_look,
    .source_id = view_source_id,
};
