/* utilisation.c -- units busy over units that existed, in three windows.
 *
 * The windows: from the first instant with a task in the system to the last (first submission to last end,
 * the tail included); from there to the last submission (the steady part); and one bounded by conditions, by
 * default from the first instant at which the machine is full to the last submission.
 *
 * Integrals of busy and of capacity run from the first instant on, and a window is the difference of two
 * marks. All marks but one are known when they pass. The last submission is not: a later task may be heard
 * only when it ends. So changes of the two levels are kept back to the last submission heard of, and the
 * integral after it is taken off at the end. By Little's law that is about as many changes as tasks wait: 32
 * bytes for each.
 *
 * What was busy counts whatever kept it so: a trimmed summary divides the machine's use, not that of the
 * tasks kept.
 * Cost: two products per interval, one comparison per task. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

enum { FROM_FIRST_SUBMIT, FROM_FULL };
enum { UNTIL_LAST_SUBMIT, UNTIL_QUEUE_EMPTY, UNTIL_LAST_END };

typedef struct options {
  int from, until;
} options;

/* A level that holds from an instant on. */
typedef struct level {
  hc_time from;
  int64_t value;
} level;

typedef struct levels {
  level *items;
  size_t head, count, cap;
} levels;

/* The integrals up to an instant. */
typedef struct mark {
  hc_time at; /* HC_UNKNOWN: has not come */
  hc_wide busy, capacity;
} mark;

typedef struct sums {
  mark now, first, full;
  mark queue_empty; /* when a task waited last; stale while one waits */
  mark last;        /* when a task was in the system last; stale while one is */
  hc_time last_submit;
  uint64_t waiting, active; /* in the last interval */
} sums;

struct hc_metric {
  hc_family family;
  options options;
  sums sums;
  levels busy, capacity;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  const mark never = {.at = HC_UNKNOWN};
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->options = *(const options *)chosen;
  (*out)->sums = (sums){.now = never,
                        .first = never,
                        .full = never,
                        .queue_empty = never,
                        .last = never,
                        .last_submit = HC_UNKNOWN};
  return 0;
}

/* ---- levels ---- */

static hc_rc push(levels *l, const hc_allocator *a, hc_time from, int64_t value)
{
  if (l->count > l->head && l->items[l->count - 1].value == value) return 0;
  TRY(hc_reserve(a, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  l->items[l->count++] = (level){from, value};
  return 0;
}

static void compact(levels *l)
{
  if (l->head == 0) return;
  memmove(l->items, l->items + l->head, (l->count - l->head) * sizeof *l->items);
  l->count -= l->head;
  l->head = 0;
}

/* Forget what ended by t. */
static void prune(levels *l, hc_time t)
{
  while (l->head + 1 < l->count && l->items[l->head + 1].from <= t) l->head++;
  if (l->head > 64 && l->head > l->count / 2) compact(l);
}

/* Integral from t to `end`. */
static hc_wide integral_after(const levels *l, hc_time t, hc_time end)
{
  hc_wide sum = {0};
  for (size_t i = l->head; i < l->count; i++) {
    hc_time to = i + 1 < l->count ? l->items[i + 1].from : end, from = HC_MAX(l->items[i].from, t);
    if (from < to) hc_wide_add_product(&sum, l->items[i].value, hc_time_between(from, to));
  }
  return sum;
}

/* ---- hearing ---- */

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  hc_time last = self->sums.last_submit;
  for (size_t i = 0; i < count; i++)
    if (hc_task_counts(&records[i]) && records[i].submit > last) last = records[i].submit;
  self->sums.last_submit = last;
  prune(&self->busy, last);
  prune(&self->capacity, last);
  return 0;
}

/* Marks that an interval's beginning may set. */
static void mark_turns(sums *s, const hc_interval *x)
{
  bool waiting = x->waiting > 0, active = waiting || x->running > 0;
  if (s->full.at == HC_UNKNOWN && x->capacity > 0 && x->busy >= x->capacity) {
    s->full = s->now;
    s->full.at = x->from;
  }
  if (s->waiting && !waiting) s->queue_empty = s->now;
  if (s->active && !active) s->last = s->now;
  s->waiting = waiting;
  s->active = active;
}

static hc_rc intervals(hc_metric *self, const hc_interval *intervals, size_t count)
{
  const hc_allocator *a = self->family.context.allocator;
  sums *s = &self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    hc_time time = hc_time_between(x->from, x->to);
    if (s->first.at == HC_UNKNOWN) {
      if ((x->waiting | x->running) == 0) continue;
      s->first.at = x->from;
    }
    if (s->full.at == HC_UNKNOWN || s->waiting != (x->waiting > 0) ||
        s->active != ((x->waiting | x->running) > 0))
      mark_turns(s, x);
    TRY(push(&self->busy, a, x->from, x->busy));
    TRY(push(&self->capacity, a, x->from, x->capacity));
    hc_wide_add_product(&s->now.busy, x->busy, time);
    hc_wide_add_product(&s->now.capacity, x->capacity, time);
    s->now.at = x->to;
  }
  return 0;
}

/* ---- figures ---- */

static mark last_submit_mark(const hc_metric *self)
{
  const sums *s = &self->sums;
  mark m = s->now;
  if (s->last_submit == HC_UNKNOWN || s->now.at == HC_UNKNOWN) return (mark){.at = HC_UNKNOWN};
  if (s->last_submit >= s->now.at) return m;
  m.at = s->last_submit;
  m.busy = hc_wide_minus(m.busy, integral_after(&self->busy, m.at, s->now.at));
  m.capacity = hc_wide_minus(m.capacity, integral_after(&self->capacity, m.at, s->now.at));
  return m;
}

static double use_between(const mark *from, const mark *to)
{
  if (from->at == HC_UNKNOWN || to->at == HC_UNKNOWN || to->at <= from->at) return __builtin_nan("");
  return hc_wide_ratio(hc_wide_minus(to->busy, from->busy), hc_wide_minus(to->capacity, from->capacity));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  mark arrivals = last_submit_mark(self), last = s->active ? s->now : s->last;
  mark empty = s->waiting ? s->now : s->queue_empty;
  mark from = self->options.from == FROM_FULL ? s->full : s->first;
  mark until = self->options.until == UNTIL_LAST_SUBMIT   ? arrivals
               : self->options.until == UNTIL_QUEUE_EMPTY ? empty
                                                          : last;
  TRY(hc_find_real(f, "utilisation", "1", use_between(&s->first, &last)));
  TRY(hc_find_real(f, "utilisation_arrivals", "1", use_between(&s->first, &arrivals)));
  TRY(hc_find_real(f, "utilisation_window", "1", use_between(&from, &until)));
  TRY(hc_find_real(f, "utilisation_window_from", "s", hc_seconds(from.at)));
  return hc_find_real(f, "utilisation_window_until", "s", hc_seconds(until.at));
}

/* Pruned and compacted first, so that equal histories are equal bytes however they were cut into blocks. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  levels *both[] = {&self->busy, &self->capacity};
  HC_VISIT(v, self->sums);
  for (size_t i = 0; i < HC_ARRAY_LEN(both); i++) {
    prune(both[i], self->sums.last_submit);
    compact(both[i]);
    HC_VISIT_ARRAY(v, both[i]->items, both[i]->count, both[i]->cap);
  }
  return 0;
}

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_free(a, self->busy.items, self->busy.cap * sizeof(level));
    hc_free(a, self->capacity.items, self->capacity.cap * sizeof(level));
  }
  hc_family_free(self);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, from, "first_submit|full", "full",
             "Where the window begins: the first instant with a task in the system, or the first at which "
             "the machine is full."),
    HC_PARAM(CHOICE, options, until, "last_submit|queue_empty|last_end", "last_submit",
             "Where the window ends: the last submission, the last instant at which a task waits, or the "
             "last at which one is in the system."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("utilisation|1|higher, usual, compared, primary|integral of busy / integral of capacity, first "
     "submission to last end"),
    "utilisation_arrivals|1|higher|the same, first submission to last submission",
    "utilisation_window|1|higher|the same, in the window of the options from and until",
    "utilisation_window_from|s|none|where that window began",
    "utilisation_window_until|s|none|where that window ended",
    NULL,
};

const hc_metric_type hc_metric_utilisation = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "utilisation",
         .summary = "share of the existing units that are busy: to the last end, to the last submission, and "
                    "in a window",
         .detail =
             "Integrals of busy and of available capacity over the same time, so that units that are down do "
             "not count as idle. The first submission is the first instant after which a task waits or runs: "
             "a held task does neither, and a task of zero length that starts at once has ended by then. The "
             "last submission is the last one of a task that started and ended. A window that never began, "
             "or is empty, has no figure.",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .intervals = intervals,
};
