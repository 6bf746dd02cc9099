/* verify.c -- what every schedule must keep, and the report.
 *
 * The records are put in order of submission, and what happened in order of time; then each check sweeps over
 * that once. A task that ends at t frees its processors for one that starts at t. A task of no length must
 * fit among those that run before and after its instant, one at a time. A killed task must have run for
 * exactly its limit, and where limits kill none runs past it.
 *
 * Here processors are counted; places.c looks at those that have names, hosts.c at hosts. What policies
 * promise: FCFS in fcfs.c, EASY in easy.c, conservative in conservative.c, and on hosts in
 * conservative_hosts.c. Rules and findings are in words.h. Cost: O(n log n) for
 * sorting, O(n) for the sweeps; 130 bytes a task. */

#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

#define MOST_UNITS ((int64_t)1 << 40)

static const hc_task_record *record_of(const hc_check *c, uint32_t rank)
{
  return &c->records[c->tasks[rank].record];
}

/* ---- sorting ---- */

typedef struct sort_key {
  int64_t first, second;
  size_t item;
} sort_key;

/* Items with equal keys keep their order. */
HC_SORT(sort_keys, sort_key,
        a->first != b->first     ? a->first < b->first
        : a->second != b->second ? a->second < b->second
                                 : a->item < b->item)

/* ---- the tasks and the events ---- */

static hc_checked checked_of(const hc_check *c, size_t i)
{
  const hc_task_record *t = &c->records[i];
  bool started = t->start != HC_UNKNOWN;
  return (hc_checked){
      .submit = t->submit,
      .earliest = t->submit,
      .start = t->start,
      .end = !started || t->end == HC_UNKNOWN ? HC_NEVER : HC_MAX(t->end, t->start),
      .estimate = t->estimate == HC_UNKNOWN ? HC_NEVER : HC_MAX(t->estimate, 0),
      .gone = t->final == HC_FINAL_REJECTED                            ? t->submit
              : t->final == HC_FINAL_WITHDRAWN && t->end != HC_UNKNOWN ? t->end
                                                                       : HC_NEVER,
      .units = t->units < 0 ? 0 : HC_MIN(t->units, c->capacity + 1),
      .record = i,
  };
}

static hc_rc order_tasks(hc_check *c, size_t count)
{
  const size_t room = count * sizeof(sort_key);
  sort_key *keys;
  c->tasks = hc_alloc(c->allocator, count * sizeof *c->tasks);
  keys = hc_alloc(c->allocator, room);
  if (!c->tasks || !keys) {
    hc_free(c->allocator, keys, room);
    return HC_ENOMEM;
  }
  for (size_t i = 0; i < count; i++) keys[i] = (sort_key){c->records[i].submit, c->records[i].serial, i};
  sort_keys(keys, count);
  for (size_t i = 0; i < count; i++) c->tasks[i] = checked_of(c, keys[i].item);
  hc_free(c->allocator, keys, room);
  return 0;
}

static void add_event(hc_check *c, hc_time at, hc_happening kind, size_t rank)
{
  c->events[c->event_count++] = (hc_happens){.at = at, .kind = (uint32_t)kind, .rank = (uint32_t)rank};
}

static hc_rc order_events(hc_check *c)
{
  size_t room;
  sort_key *keys;
  c->event_cap = 3 * c->count;
  c->events = hc_alloc(c->allocator, c->event_cap * sizeof *c->events);
  if (!c->events) return HC_ENOMEM;
  for (size_t i = 0; i < c->count; i++) {
    const hc_checked *t = &c->tasks[i];
    add_event(c, t->submit, HC_ARRIVES, i);
    if (t->start != HC_UNKNOWN) add_event(c, t->start, HC_STARTS, i);
    else if (t->gone != HC_NEVER) add_event(c, t->gone, HC_LEAVES, i);
    if (t->start != HC_UNKNOWN && t->end != HC_NEVER && t->end > t->start) add_event(c, t->end, HC_ENDS, i);
  }
  room = c->event_count * sizeof *keys;
  keys = hc_alloc(c->allocator, room);
  if (!keys) return HC_ENOMEM;
  for (size_t i = 0; i < c->event_count; i++) {
    keys[i] = (sort_key){c->events[i].at, (int64_t)c->events[i].kind << 32 | c->events[i].rank, i};
  }
  sort_keys(keys, c->event_count);
  for (size_t i = 0; i < c->event_count; i++) {
    c->events[i] = (hc_happens){
        .at = keys[i].first, .kind = (uint32_t)(keys[i].second >> 32), .rank = (uint32_t)keys[i].second};
    if (i == 0 || keys[i].first != keys[i - 1].first) c->report.instants++;
  }
  hc_free(c->allocator, keys, room);
  return 0;
}

/* ---- what every schedule must keep ---- */

/* Where limits kill: never past it, and killed at it. On hosts of other speeds, or with other numbers of
 * slots, a limit shrinks as the run does, whose record is what it came to there. */
static hc_rc check_limit(hc_check *c, uint32_t rank, const hc_task_record *t, hc_time held)
{
  const hc_verify_told *told = c->options->told;
  const bool killed = t->final == HC_FINAL_KILLED;
  if (t->limit == HC_UNKNOWN || !c->options->honours_run) return 0;
  if ((t->flags & HC_TASK_NO_LIMIT) != 0) return 0;
  if (killed && told && told->plain_times && held != t->limit)
    return hc_find(c, HC_FOUND_OTHER_LIMIT, t->start, rank, UINT32_MAX, held, t->limit);
  if (!killed && told && told->plain_limits && told->kills && held > t->limit)
    return hc_find(c, HC_FOUND_PAST_LIMIT, t->start, rank, UINT32_MAX, held, t->limit);
  return 0;
}

static hc_rc check_length(hc_check *c, uint32_t rank)
{
  const hc_task_record *t = record_of(c, rank);
  const bool killed = t->final == HC_FINAL_KILLED, ended = killed || t->final == HC_FINAL_COMPLETED;
  /* On hosts a limit shrinks with their speed, as the run does, whose record is what it came to there. */
  const bool by_limit = killed && t->limit != HC_UNKNOWN && !(c->options->hosts && t->run != HC_UNKNOWN);
  hc_time held, meant = by_limit ? t->limit : t->run;
  if (!ended && (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN)) return 0;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN)
    return hc_find(c, HC_FOUND_NO_TIMES, t->submit, rank, UINT32_MAX, 0, 0);
  if (c->options->stops && (t->flags & HC_TASK_PREEMPTED)) return 0; /* stops.c knows how long it is to run */
  if ((c->options->rates && (t->flags & HC_TASK_RATED)) ||
      (c->options->regrants && (t->flags & HC_TASK_RESIZED)))
    return 0; /* nor does the first stretch end where the task does */
  if (t->end < t->start) return hc_find(c, HC_FOUND_BACKWARDS, t->start, rank, UINT32_MAX, t->end, 0);
  if (!c->options->honours_run || !ended) return 0;
  if (__builtin_sub_overflow(t->end, t->start, &held)) held = HC_NEVER;
  if (meant != HC_UNKNOWN && held != meant)
    return hc_find(c, by_limit ? HC_FOUND_OTHER_LIMIT : HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, held,
                   meant);
  return by_limit ? 0 : check_limit(c, rank, t, held);
}

static hc_rc check_records(hc_check *c)
{
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const hc_task_record *t = record_of(c, rank);
    TRY(check_length(c, rank));
    if (t->start == HC_UNKNOWN) continue;
    hc_held_to(c, HC_RULE_RUN_TIME, c->options->honours_run);
    if (t->start < t->submit) TRY(hc_find(c, HC_FOUND_EARLY, t->start, rank, UINT32_MAX, t->submit, 0));
    if (t->units < 1 && !c->options->hosts)
      TRY(hc_find(c, HC_FOUND_NO_UNITS, t->start, rank, UINT32_MAX, t->units, 0));
  }
  hc_held_to(c, HC_RULE_SUBMISSION, c->count);
  return 0;
}

/* One finding an instant: the first start, in order, that goes over. */
static hc_rc check_capacity(hc_check *c)
{
  int64_t held = 0, before = 0, capacity = c->capacity;
  bool told = false;
  for (size_t i = 0; i < c->event_count; i++) {
    const hc_happens *h = &c->events[i];
    const hc_checked *t = &c->tasks[h->rank];
    int64_t with;
    if (i == 0 || c->events[i - 1].at != h->at || c->events[i - 1].kind != h->kind) {
      before = held;
      told = false;
    }
    if (h->kind == HC_ENDS) held -= t->units;
    if (h->kind != HC_STARTS) continue;
    c->report.checked[HC_RULE_CAPACITY]++;
    with = (t->end == t->start ? before : held) + t->units;
    if (t->end > t->start) held = with;
    if (with <= capacity || told) continue;
    told = true;
    TRY(hc_find(c, HC_FOUND_OVERFULL, h->at, h->rank, UINT32_MAX, with, capacity));
  }
  return 0;
}

/* ---- the whole ---- */

/* Plans made anew here do not know advance reservations; and by the end of a thought one may have come too
 * near for the first task of it, and not for the next. */
static bool keeps_promise(const hc_verify_options *o)
{
  if (!o->told || o->told->window_count + o->told->announcement_count == 0) return true;
  return o->promise == HC_PROMISE_FCFS && (o->told->gaps >> HC_GAP_THINKING & 1) == 0;
}

/* What is not checked of what the policy promises; a result has said why there is no promise. */
static uint32_t unkept_of(const hc_verify_options *o)
{
  if (o->promise == HC_PROMISE_NONE) return o->told ? 0 : UINT32_C(1) << HC_GAP_POLICY;
  if (o->promise == HC_PROMISE_EASY && o->hosts) return UINT32_C(1) << HC_GAP_WHERE;
  return keeps_promise(o) ? 0 : UINT32_C(1) << HC_GAP_WINDOWS;
}

static hc_rc check_promise(hc_check *c)
{
  const hc_verify_options *o = c->options;
  const uint64_t before = c->report.reservations;
  hc_rc rc = 0;
  if (!keeps_promise(o)) return 0;
  if (o->promise == HC_PROMISE_FCFS) return hc_check_fcfs(c);
  if (o->promise == HC_PROMISE_EASY && !o->hosts) rc = hc_check_easy(c);
  if (o->promise == HC_PROMISE_CONSERVATIVE)
    rc = o->hosts ? hc_check_conservative_hosts(c) : hc_check_conservative(c);
  hc_held_to(c, o->promise == HC_PROMISE_EASY ? HC_RULE_RESERVATION : HC_RULE_PROMISE,
             c->report.reservations - before);
  return rc;
}

/* ---- one check after another ---- */

static hc_rc activity(hc_check *c)
{
  return c->as_given->activity ? hc_check_activity(c) : 0;
}

static hc_rc times(hc_check *c)
{
  return c->options->times ? hc_check_times(c) : 0;
}

static hc_rc together(hc_check *c)
{
  return c->options->components ? hc_check_together(c) : 0;
}

static hc_rc stops(hc_check *c)
{
  return c->options->stops ? hc_check_stops(c) : 0;
}

static hc_rc rates(hc_check *c)
{
  return c->options->rates ? hc_check_rates(c) : 0;
}

static hc_rc regrants(hc_check *c)
{
  return c->options->regrants ? hc_check_regrants(c) : 0;
}

static hc_rc machine(hc_check *c)
{
  return c->options->hosts ? hc_check_hosts(c) : check_capacity(c);
}

static hc_rc outranks(hc_check *c)
{
  return c->as_given->stops_by_priority && c->as_given->priorities ? hc_check_outranks(c) : 0;
}

/* The ledger comes first: it finds the records by their serials for those after it. */
static hc_rc run_checks(hc_check *c)
{
  static hc_rc (*const checks[])(hc_check * c) = {hc_check_ledger,
                                                  hc_check_figures,
                                                  hc_check_finals,
                                                  check_records,
                                                  activity,
                                                  times,
                                                  together,
                                                  stops,
                                                  rates,
                                                  regrants,
                                                  hc_check_losses,
                                                  hc_check_power,
                                                  machine,
                                                  hc_check_places,
                                                  hc_check_licences,
                                                  hc_check_reserved,
                                                  hc_check_booked,
                                                  hc_check_announced,
                                                  outranks,
                                                  check_promise};
  const hc_verify_ticks *t = &c->as_given->ticks;
  for (size_t i = 0; i < HC_ARRAY_LEN(checks); i++) {
    /* what was read before, and put in order, is half of the work */
    const uint64_t done = HC_ARRAY_LEN(checks) + i;
    if (t->tick && !t->tick(t->ctx, done, 2 * HC_ARRAY_LEN(checks))) return HC_ECANCELLED;
    TRY(checks[i](c));
  }
  return 0;
}

/* Attempts come first among the serials that are no task's, then stretches. */
int64_t hc_serial_of(const hc_check *c, uint32_t rank)
{
  const int64_t serial = record_of(c, rank)->serial;
  const hc_verify_stops *s = c->options->stops;
  const uint64_t at = serial < 0 ? UINT64_MAX : (uint64_t)(INT64_MAX - 1 - serial);
  const uint64_t stops = s ? s->count : 0;
  if (serial < 0) return serial;
  if (at < stops) return s->stops[at].serial;
  return c->unfolded && at - stops < c->unfolded->stretch_count ? c->unfolded->names[at - stops] : serial;
}

static hc_rc tell(hc_check *c, void (*each)(void *ctx, const hc_violation *v), void *ctx)
{
  const size_t n = c->finding_count, room = n * sizeof(sort_key);
  sort_key *keys;
  if (!each || n == 0) return 0;
  keys = hc_alloc(c->allocator, room);
  if (!keys) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) keys[i] = (sort_key){c->findings[i].at, c->findings[i].rank, i};
  sort_keys(keys, n);
  for (size_t i = 0; i < n; i++) {
    const hc_finding *f = &c->findings[keys[i].item];
    const bool has_task = f->rank != UINT32_MAX;
    hc_violation v = {.rule = hc_verify_rule_at(hc_rule_of(f->what))->name,
                      .at = f->at,
                      .id = has_task ? record_of(c, f->rank)->id : -1,
                      .serial = has_task ? hc_serial_of(c, f->rank) : -1};
    hc_finding_text(c, f, v.text, sizeof v.text);
    each(ctx, &v);
  }
  hc_free(c->allocator, keys, room);
  return 0;
}

static void use(hc_check *c, hc_verify_options *unfolded, const hc_unfolded *u)
{
  if (u->places) unfolded->told = &u->told;
  if (unfolded->hosts) unfolded->hosts = &u->hosts;
  c->records = u->records;
}

/* Attempts and stretches become tasks of their own. @param u out: attempts, and stretches, which may be of
 * these
 * @param count out: of c->records */
static hc_rc unfold(hc_check *c, hc_verify_options *unfolded, hc_unfolded u[2], size_t *count)
{
  const hc_verify_options *o = c->as_given;
  *count = (size_t)c->report.tasks;
  if (!o->stops && !o->rates && !o->regrants) return 0;
  *unfolded = *o;
  if (o->stops) {
    TRY(hc_unfold(c->allocator, o, c->given, (size_t)c->report.tasks, &u[0]));
    use(c, unfolded, &u[0]);
    *count = u[0].count;
  }
  c->options = unfolded;
  if (!o->rates && !o->regrants) return 0;
  if (o->rates)
    TRY(hc_unfold_rates(c->allocator, unfolded, c->records, *count, (size_t)c->report.tasks, &u[1]));
  else TRY(hc_unfold_regrants(c->allocator, unfolded, c->records, *count, (size_t)c->report.tasks, &u[1]));
  use(c, unfolded, &u[1]);
  *count = u[1].count;
  c->unfolded = &u[1];
  return 0;
}

static hc_rc check_all(hc_check *c, hc_verify_options *unfolded, hc_unfolded u[2], size_t *room)
{
  hc_rc rc = hc_check_bounds(c);
  if (rc != 0) {
    c->report.by_bounds = rc > 0;
    return HC_MIN(rc, 0);
  }
  TRY(unfold(c, unfolded, u, room));
  rc = order_tasks(c, *room);
  if (c->tasks) c->count = *room;
  if (rc >= 0) rc = order_events(c);
  return rc < 0 ? rc : run_checks(c);
}

hc_rc hc_verify(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                size_t count, void (*each)(void *ctx, const hc_violation *v), void *ctx,
                hc_verify_report *report)
{
  hc_check c = {.allocator = a, .options = o, .as_given = o, .records = records, .given = records};
  hc_verify_options unfolded;
  hc_unfolded u[2] = {{0}};
  size_t room = 0;
  hc_rc rc;
  if (count >= UINT32_MAX || (o->stops && o->stops->count >= UINT32_MAX - count)) return HC_ENOMEM;
  if (o->rates && (o->regrants || o->rates->count >= UINT32_MAX - count)) return HC_EUNSUPPORTED;
  if (o->regrants &&
      (o->rates || o->regrants->count >= UINT32_MAX - count - (o->stops ? o->stops->count : 0)))
    return HC_EUNSUPPORTED;
  c.report.tasks = count;
  c.report.promise = o->promise;
  c.report.capacity = o->capacity;
  c.report.hosts = o->hosts ? o->hosts->host_count : 0;
  c.report.gaps = o->told ? o->told->gaps : 0;
  if (o->sets && o->sets->may_name) c.report.gaps |= UINT32_C(1) << HC_GAP_SETS;
  c.report.gaps |= unkept_of(o);
  c.capacity = HC_MAX(0, HC_MIN(o->capacity, MOST_UNITS));
  rc = check_all(&c, &unfolded, u, &room);
  c.report.violations = c.finding_count;
  if (rc == 0) rc = tell(&c, each, ctx);
  if (rc == 0 && report) *report = c.report;
  if (rc == 0 && c.finding_count > 0) rc = HC_EREFUTED;
  hc_free(a, c.findings, c.finding_cap * sizeof *c.findings);
  hc_free(a, c.events, c.event_cap * sizeof *c.events);
  hc_free(a, c.tasks, room * sizeof *c.tasks);
  hc_free(a, c.ranks, count * sizeof *c.ranks + 1);
  hc_free(a, c.serials, count * sizeof *c.serials + 1);
  for (size_t i = 0; i < HC_ARRAY_LEN(u); i++) hc_unfold_free(a, &u[i]);
  return rc;
}
