/* verify.c -- what every schedule must keep, what FCFS promises, and the report.
 *
 * The records are put in order of submission, and what happened in order of time; then each check sweeps over
 * that once. A task that ends at t frees its processors for one that starts at t. A task of no length must
 * fit among those that run before and after its instant, one at a time. A killed task must have run for
 * exactly its limit.
 *
 * FCFS: a task starts no earlier than every task before it in (submit, serial) has started, or left the
 * queue.
 *
 * It counts processors: who has which is not in the records; hosts.c looks at hosts. EASY is in easy.c, conservative in
 * conservative.c, and on hosts in conservative_hosts.c. Cost: O(n log n) for sorting, O(n) for the sweeps; 120 bytes a task. */
#include "hindcast/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

#define MOST_UNITS ((int64_t)1 << 40)

/* ---- findings ---- */

hc_rc hc_find(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t other, int64_t a, int64_t b)
{
  TRY(hc_reserve(c->allocator, (void **)&c->findings, &c->finding_cap, c->finding_count + 1,
                 sizeof *c->findings));
  c->findings[c->finding_count++] =
      (hc_finding){.at = at, .what = what, .rank = rank, .other = other, .a = a, .b = b};
  return 0;
}

static const hc_task_record *record_of(const hc_check *c, uint32_t rank)
{
  return &c->records[c->tasks[rank].record];
}

static const char *rule_of(hc_found what)
{
  switch (what) {
#define X(name, rule) \
  case HC_FOUND_##name: return rule;
    HC_FINDINGS(X)
#undef X
  }
  return "?";
}

static void describe(const hc_check *c, const hc_finding *f, char *text, size_t size)
{
  char a[32], b[32];
  long long other = f->other == UINT32_MAX ? -1 : (long long)record_of(c, f->other)->id;
  (void)hc_format_seconds(f->a, a);
  (void)hc_format_seconds(f->b, b);
  switch (f->what) {
    case HC_FOUND_NO_TIMES:
      (void)snprintf(text, size, "ended, but its start or its end is not recorded");
      return;
    case HC_FOUND_BACKWARDS: (void)snprintf(text, size, "ends before it starts, at %s s", a); return;
    case HC_FOUND_OTHER_RUN: (void)snprintf(text, size, "ran for %s s; its run time is %s s", a, b); return;
    case HC_FOUND_OTHER_LIMIT:
      (void)snprintf(text, size, "was killed after %s s; its limit is %s s", a, b);
      return;
    case HC_FOUND_ATTEMPTS:
      (void)snprintf(text, size,
                     "an attempt of it begins at %s s or ends before that; the one before it ends at %s s", a,
                     b);
      return;
    case HC_FOUND_SAVED: (void)snprintf(text, size, "saved %s s of work in an attempt of %s s", a, b); return;
    case HC_FOUND_RATES:
      (void)snprintf(
          text, size,
          "is suspended, goes on or changes its rate at %s s, when it cannot; the time before is %s s", a, b);
      return;
    case HC_FOUND_RESIZE:
      (void)snprintf(text, size, "is to hold %lld of dimension %u on host %u from now on, and cannot",
                     (long long)f->a, f->dimension, f->host);
      return;
    case HC_FOUND_GROWS_OVERFULL:
      (void)snprintf(text, size, "as it grows host %u holds %lld of dimension %u, and has %lld", f->host,
                     (long long)f->a, f->dimension, (long long)f->b);
      return;
    case HC_FOUND_EARLY: (void)snprintf(text, size, "starts before its submission at %s s", a); return;
    case HC_FOUND_TOO_EARLY:
      (void)snprintf(text, size, "starts before %s s, when it may by its trace", a);
      return;
    case HC_FOUND_NO_UNITS: (void)snprintf(text, size, "runs on %lld processors", (long long)f->a); return;
    case HC_FOUND_OVERFULL:
      (void)snprintf(text, size, "with its start %lld processors are held, and there are %lld",
                     (long long)f->a, (long long)f->b);
      return;
    case HC_FOUND_HOST_OVERFULL:
      (void)snprintf(text, size, "with its start host %u holds %lld of dimension %u, and has %lld", f->host,
                     (long long)f->a, f->dimension, (long long)f->b);
      return;
    case HC_FOUND_HOST_AWAY: (void)snprintf(text, size, "starts on host %u, which is away", f->host); return;
    case HC_FOUND_DEVICE_OVERFULL:
      (void)snprintf(text, size, "with its start device %u of host %u holds %lld of %lld", f->dimension,
                     f->host, (long long)f->a, (long long)f->b);
      return;
    case HC_FOUND_NOT_ALONE:
      (void)snprintf(text, size, "with its start %lld tasks are on host %u, of which one has it whole",
                     (long long)f->a, f->host);
      return;
    case HC_FOUND_NO_PLACE: (void)snprintf(text, size, "ran, and no host is recorded for it"); return;
    case HC_FOUND_OTHER_DEMAND:
      (void)snprintf(text, size, "holds %lld of dimension %u in all, and asked for %lld", (long long)f->a,
                     f->dimension, (long long)f->b);
      return;
    case HC_FOUND_OUT_OF_ORDER:
      if (f->a == HC_NEVER) (void)snprintf(text, size, "starts, and task %lld before it never does", other);
      else
        (void)snprintf(text, size, "starts before task %lld, which is earlier in order, at %s s", other, a);
      return;
    case HC_FOUND_DELAYS_HEAD:
      (void)snprintf(text, size,
                     "was let past task %lld, reserved for %s s; by its estimate it ends after that, and "
                     "it does not fit in the %lld processors to spare",
                     other, a, (long long)f->b);
      return;
    case HC_FOUND_HEAD_LATE:
      (void)snprintf(text, size, "first in the queue with a reservation for %s s, it starts later", a);
      return;
    case HC_FOUND_HEAD_NEVER:
      (void)snprintf(text, size, "first in the queue with a reservation for %s s, it has not started", a);
      return;
    case HC_FOUND_LATE:
      (void)snprintf(text, size, "starts later than %s s, when its first plan had it", a);
      return;
    case HC_FOUND_NEVER_STARTS:
      (void)snprintf(text, size, "has not started; its first plan had it at %s s", a);
      return;
  }
}

/* ---- sorting: a stable merge of runs, so that equal keys keep their order everywhere ---- */

typedef struct sort_key {
  int64_t first, second;
  size_t item;
} sort_key;

static bool comes_before(const sort_key *x, const sort_key *y)
{
  return x->first != y->first ? x->first < y->first : x->second < y->second;
}

/* @param keys [2 * n]: the keys, and as much room; @return the half in which they are sorted. */
static sort_key *merge_sort(sort_key *keys, size_t n)
{
  sort_key *from = keys, *to = keys + n;
  for (size_t width = 1; width < n; width *= 2) {
    sort_key *swap = from;
    for (size_t low = 0; low < n; low += 2 * width) {
      size_t middle = HC_MIN(low + width, n), high = HC_MIN(low + 2 * width, n), i = low, j = middle;
      for (size_t k = low; k < high; k++) {
        bool second = i >= middle || (j < high && comes_before(&from[j], &from[i]));
        to[k] = second ? from[j++] : from[i++];
      }
    }
    from = to;
    to = swap;
  }
  return from;
}

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
  size_t room = 2 * count * sizeof(sort_key);
  sort_key *keys, *sorted;
  c->tasks = hc_alloc(c->allocator, count * sizeof *c->tasks);
  keys = hc_alloc(c->allocator, room);
  if (!c->tasks || !keys) {
    hc_free(c->allocator, keys, room);
    return HC_ENOMEM;
  }
  for (size_t i = 0; i < count; i++) keys[i] = (sort_key){c->records[i].submit, c->records[i].serial, i};
  sorted = merge_sort(keys, count);
  for (size_t i = 0; i < count; i++) c->tasks[i] = checked_of(c, sorted[i].item);
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
  sort_key *keys, *sorted;
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
  room = 2 * c->event_count * sizeof *keys;
  keys = hc_alloc(c->allocator, room);
  if (!keys) return HC_ENOMEM;
  for (size_t i = 0; i < c->event_count; i++) {
    keys[i] = (sort_key){c->events[i].at, (int64_t)c->events[i].kind << 32 | c->events[i].rank, i};
  }
  sorted = merge_sort(keys, c->event_count);
  for (size_t i = 0; i < c->event_count; i++) {
    c->events[i] = (hc_happens){.at = sorted[i].first,
                                .kind = (uint32_t)(sorted[i].second >> 32),
                                .rank = (uint32_t)sorted[i].second};
    if (i == 0 || sorted[i].first != sorted[i - 1].first) c->report.instants++;
  }
  hc_free(c->allocator, keys, room);
  return 0;
}

/* ---- what every schedule must keep ---- */

static hc_rc check_length(hc_check *c, uint32_t rank)
{
  const hc_task_record *t = record_of(c, rank);
  bool killed = t->final == HC_FINAL_KILLED, ended = killed || t->final == HC_FINAL_COMPLETED;
  /* On hosts a limit shrinks with their speed, as the run does, whose record is what it came to there. */
  const bool by_limit = killed && t->limit != HC_UNKNOWN && !(c->options->hosts && t->run != HC_UNKNOWN);
  hc_time held, meant = by_limit ? t->limit : t->run;
  if (!ended && (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN)) return 0;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) {
    return hc_find(c, HC_FOUND_NO_TIMES, t->submit, rank, UINT32_MAX, 0, 0);
  }
  if (c->options->stops && (t->flags & HC_TASK_PREEMPTED)) return 0; /* stops.c knows how long it is to run */
  if (c->options->rates && (t->flags & HC_TASK_RATED))
    return 0; /* nor does the first stretch end where the task does */
  if (t->end < t->start) return hc_find(c, HC_FOUND_BACKWARDS, t->start, rank, UINT32_MAX, t->end, 0);
  if (!c->options->honours_run || !ended || meant == HC_UNKNOWN) return 0;
  if (__builtin_sub_overflow(t->end, t->start, &held)) held = HC_NEVER;
  if (held == meant) return 0;
  return hc_find(c, by_limit ? HC_FOUND_OTHER_LIMIT : HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, held,
                 meant);
}

static hc_rc check_records(hc_check *c)
{
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const hc_task_record *t = record_of(c, rank);
    TRY(check_length(c, rank));
    if (t->start == HC_UNKNOWN) continue;
    if (t->start < t->submit) TRY(hc_find(c, HC_FOUND_EARLY, t->start, rank, UINT32_MAX, t->submit, 0));
    if (t->units < 1 && !c->options->hosts)
      TRY(hc_find(c, HC_FOUND_NO_UNITS, t->start, rank, UINT32_MAX, t->units, 0));
  }
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
    with = (t->end == t->start ? before : held) + t->units;
    if (t->end > t->start) held = with;
    if (with <= capacity || told) continue;
    told = true;
    TRY(hc_find(c, HC_FOUND_OVERFULL, h->at, h->rank, UINT32_MAX, with, capacity));
  }
  return 0;
}

/* ---- FCFS ---- */

static hc_rc check_fcfs(hc_check *c)
{
  hc_time latest = HC_UNKNOWN;
  uint32_t whose = UINT32_MAX;
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const hc_checked *t = &c->tasks[rank];
    bool starts = t->start != HC_UNKNOWN;
    hc_time out = starts ? t->start : t->gone;
    if (starts && t->start < latest) {
      TRY(hc_find(c, HC_FOUND_OUT_OF_ORDER, t->start, rank, whose, latest, 0));
    }
    if (out > latest) {
      latest = out;
      whose = rank;
    }
  }
  return 0;
}

/* ---- the whole ---- */

static hc_rc run_checks(hc_check *c)
{
  TRY(check_records(c));
  if (c->options->times) TRY(hc_check_times(c));
  if (c->options->stops) TRY(hc_check_stops(c));
  if (c->options->rates) TRY(hc_check_rates(c));
  TRY(c->options->hosts ? hc_check_hosts(c) : check_capacity(c));
  if (c->options->hosts && c->options->promise == HC_PROMISE_EASY) return 0;
  switch (c->options->promise) {
    case HC_PROMISE_NONE: return 0;
    case HC_PROMISE_FCFS: return check_fcfs(c);
    case HC_PROMISE_EASY: return hc_check_easy(c);
    case HC_PROMISE_CONSERVATIVE:
      return c->options->hosts ? hc_check_conservative_hosts(c) : hc_check_conservative(c);
  }
  return 0;
}

int64_t hc_serial_of(const hc_check *c, uint32_t rank)
{
  const int64_t serial = record_of(c, rank)->serial;
  const hc_verify_stops *s = c->options->stops;
  const uint64_t at = (uint64_t)(INT64_MAX - 1 - serial);
  if (c->unfolded && serial >= 0 && at < c->unfolded->stretch_count) return c->unfolded->names[at];
  return s && serial >= 0 && at < s->count ? s->stops[at].serial : serial;
}

static hc_rc tell(hc_check *c, void (*each)(void *ctx, const hc_violation *v), void *ctx)
{
  size_t n = c->finding_count, room = 2 * n * sizeof(sort_key);
  sort_key *keys, *sorted;
  if (!each || n == 0) return 0;
  keys = hc_alloc(c->allocator, room);
  if (!keys) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) keys[i] = (sort_key){c->findings[i].at, c->findings[i].rank, i};
  sorted = merge_sort(keys, n);
  for (size_t i = 0; i < n; i++) {
    const hc_finding *f = &c->findings[sorted[i].item];
    hc_violation v = {.rule = rule_of(f->what),
                      .at = f->at,
                      .id = record_of(c, f->rank)->id,
                      .serial = hc_serial_of(c, f->rank)};
    describe(c, f, v.text, sizeof v.text);
    each(ctx, &v);
  }
  hc_free(c->allocator, keys, room);
  return 0;
}

hc_rc hc_verify(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                size_t count, void (*each)(void *ctx, const hc_violation *v), void *ctx,
                hc_verify_report *report)
{
  hc_check c = {.allocator = a, .options = o, .records = records, .given = records};
  hc_rc rc;
  hc_verify_options unfolded;
  hc_unfolded u = {0};
  if (count >= UINT32_MAX || (o->stops && o->stops->count >= UINT32_MAX - count)) return HC_ENOMEM;
  if (o->rates && (o->stops || o->rates->count >= UINT32_MAX - count)) return HC_EUNSUPPORTED;
  c.report.tasks = count;
  if (o->stops || o->rates) {
    rc = o->stops ? hc_unfold(a, o, records, count, &u) : hc_unfold_rates(a, o, records, count, &u);
    if (rc < 0) {
      hc_unfold_free(a, &u);
      return rc;
    }
    unfolded = *o;
    if (o->hosts) unfolded.hosts = &u.hosts;
    c.options = &unfolded;
    c.records = u.records;
    if (o->rates) c.unfolded = &u;
    count = u.count;
  }
  c.capacity = HC_MAX(0, HC_MIN(o->capacity, MOST_UNITS));
  rc = order_tasks(&c, count);
  if (c.tasks) c.count = count;
  if (rc == 0) rc = order_events(&c);
  if (rc == 0) rc = run_checks(&c);
  c.report.violations = c.finding_count;
  if (rc == 0) rc = tell(&c, each, ctx);
  if (rc == 0 && report) *report = c.report;
  if (rc == 0 && c.finding_count > 0) rc = HC_EREFUTED;
  hc_free(a, c.findings, c.finding_cap * sizeof *c.findings);
  hc_free(a, c.events, c.event_cap * sizeof *c.events);
  hc_free(a, c.tasks, count * sizeof *c.tasks);
  hc_unfold_free(a, &u);
  return rc;
}
