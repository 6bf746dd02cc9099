/* fragmentation.c -- what is free and cannot be used: stranded amounts, and how large a task still fits.
 *
 * What is free of a dimension on a host is stranded if less than the least that any task asks for is free
 * there of some other dimension: memory without a core to go with it. The least is over tasks, a task that
 * needs none of a dimension asking for 0 of it, and over hosts declared whole nothing is said. Which tasks:
 * those that wait, those that have arrived so far, or a demand that is given.
 *
 * When a least changes every host is looked at again, once for the instant in which it did. Beside that a
 * change costs its host and a tree of maxima. Cost: O(log hosts) per claim; O(hosts) for each instant in
 * which a least changes, which for tasks that have arrived are few; memory 130 bytes per host and 24 per
 * different amount that waits. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/peak.h"
#include "metric/spans.h"

enum { WAITING, ARRIVED, GIVEN };
enum { FREE, STRANDED, LARGEST, LEVELS }; /* of each dimension */

typedef struct options {
  hc_span_options spans;
  int against;
  hc_list demand; /* double */
} options;

typedef struct amounts {
  int64_t of[HC_DIMENSIONS];
} amounts;

/* The least of many numbers: a heap of different ones, and how often each is there. One that is there no
 * more stays until it comes to the top. */
typedef struct leasts {
  int64_t *heap;
  size_t count, cap;
  hc_map times;
} leasts;

typedef struct state {
  amounts least;   /* INT64_MIN: no task is known */
  amounts settled; /* the least that hosts were looked at with */
  hc_time stale;   /* since when the two may differ; HC_UNKNOWN: they do not */
} state;

struct hc_metric {
  hc_family family;
  int against;
  hc_machine machine;
  uint32_t hosts; /* of the cell, or one for all of its processors */
  hc_spans spans;
  hc_peak largest[HC_DIMENSIONS]; /* free, over hosts; by the machine's own dimensions */
  int64_t *claimed;               /* [hosts][width] by the lexicon's number */
  amounts *stranded;              /* [hosts] what is counted of it now */
  leasts waiting[HC_DIMENSIONS];
  state state;
};

static size_t column(uint32_t dimension, int level)
{
  return (size_t)dimension * LEVELS + (size_t)level;
}

/* ---- the least of what waits ---- */

HC_HEAP(heap, int64_t, *a < *b)

static hc_rc put(leasts *l, const hc_allocator *a, int64_t x)
{
  uint32_t times = hc_map_get(&l->times, (uint64_t)x);
  if (times != HC_MAP_NONE) return hc_map_set(&l->times, (uint64_t)x, times + 1);
  TRY(hc_reserve(a, (void **)&l->heap, &l->cap, l->count + 1, sizeof *l->heap));
  TRY(hc_map_set(&l->times, (uint64_t)x, 1));
  heap_rise(l->heap, l->count++, x);
  return 0;
}

static hc_rc take(leasts *l, int64_t x)
{
  uint32_t times = hc_map_get(&l->times, (uint64_t)x);
  return times == HC_MAP_NONE || times == 0 ? 0 : hc_map_set(&l->times, (uint64_t)x, times - 1);
}

/* INT64_MIN if there is none. */
static int64_t least_of(leasts *l)
{
  while (l->count > 0 && hc_map_get(&l->times, (uint64_t)l->heap[0]) == 0)
    hc_map_remove(&l->times, (uint64_t)heap_pop(l->heap, &l->count));
  return l->count > 0 ? l->heap[0] : INT64_MIN;
}

/* ---- hosts ---- */

static int64_t free_of(const hc_metric *self, uint32_t host, uint8_t which)
{
  int64_t has =
      self->machine.hosts > 0 ? hc_machine_capacity(&self->machine, host)[which] : self->machine.total[which];
  int64_t free = hc_amount_minus(has, self->claimed[(size_t)host * self->machine.width + which]);
  return HC_MAX(free, 0);
}

/* Dimensions of which so little is free that nothing else can be used; the last of them. */
static uint32_t lacking(const hc_metric *self, uint32_t host, uint8_t *last)
{
  uint32_t n = 0;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    if (self->machine.shared[which] || free_of(self, host, which) >= self->state.settled.of[which]) continue;
    *last = which;
    n++;
  }
  return n;
}

/* What is stranded on a host changes from what it was. `sums` are over hosts. */
static void strand(hc_metric *self, uint32_t host, int64_t sums[HC_DIMENSIONS])
{
  uint8_t last = 0;
  uint32_t n = lacking(self, host, &last);
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    bool is_stranded = n > 1 || (n == 1 && which != last);
    int64_t now = is_stranded ? free_of(self, host, which) : 0;
    sums[d] = hc_amount_plus(sums[d], hc_amount_minus(now, self->stranded[host].of[which]));
    self->stranded[host].of[which] = now;
  }
}

static hc_rc set_stranded(hc_metric *self, hc_time t, const int64_t sums[HC_DIMENSIONS])
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++)
    TRY(hc_spans_set(&self->spans, column(d, STRANDED), t, sums[d]));
  return 0;
}

static void stranded_now(const hc_metric *self, int64_t sums[HC_DIMENSIONS])
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++)
    sums[d] = hc_spans_value(&self->spans, column(d, STRANDED));
}

/* Time goes on. If the least has changed, hosts are looked at again with what it was left at: what came
 * and went in one instant costs nothing. */
static hc_rc settle(hc_metric *self)
{
  int64_t sums[HC_DIMENSIONS];
  hc_time t = self->state.stale;
  if (t == HC_UNKNOWN) return 0;
  self->state.stale = HC_UNKNOWN;
  if (memcmp(&self->state.least, &self->state.settled, sizeof self->state.least) == 0) return 0;
  self->state.settled = self->state.least;
  stranded_now(self, sums);
  for (uint32_t h = 0; h < self->hosts; h++) strand(self, h, sums);
  return set_stranded(self, t, sums);
}

/* What a host has or holds has changed. */
static hc_rc touch(hc_metric *self, uint32_t host, hc_time t, const int64_t before[HC_DIMENSIONS])
{
  int64_t sums[HC_DIMENSIONS];
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    int64_t free = free_of(self, host, self->machine.which[d]);
    size_t c = column(d, FREE);
    if (free == before[d]) continue;
    hc_peak_set(&self->largest[d], host, free);
    TRY(hc_spans_set(&self->spans, column(d, LARGEST), t, hc_peak_most(&self->largest[d])));
    TRY(hc_spans_set(&self->spans, c, t,
                     hc_amount_plus(hc_spans_value(&self->spans, c), hc_amount_minus(free, before[d]))));
  }
  stranded_now(self, sums);
  strand(self, host, sums);
  return set_stranded(self, t, sums);
}

/* ---- birth and death ---- */

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    for (int d = 0; d < HC_DIMENSIONS; d++) {
      if (self->largest[d].tree) hc_peak_fini(&self->largest[d], a);
      hc_free(a, self->waiting[d].heap, self->waiting[d].cap * sizeof(int64_t));
      if (self->waiting[d].times.allocator) hc_map_fini(&self->waiting[d].times);
    }
    hc_free(a, self->claimed, self->hosts * self->machine.width * sizeof *self->claimed);
    hc_free(a, self->stranded, self->hosts * sizeof *self->stranded);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

static void set_given(hc_metric *self, const options *o)
{
  for (uint8_t d = 0; d < HC_DIMENSIONS; d++) {
    double x = d < o->demand.count ? ((const double *)o->demand.items)[d] * hc_machine_per_unit(d) : 0;
    self->state.least.of[d] = o->against == GIVEN ? (int64_t)(HC_MIN(x, 9e18) + 0.5) : INT64_MIN;
  }
  self->state.settled = self->state.least;
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  int64_t sums[HC_DIMENSIONS] = {0};
  self->against = o->against;
  self->state.stale = HC_UNKNOWN;
  hc_spans_init(&self->spans, a, &o->spans);
  for (int d = 0; d < HC_DIMENSIONS; d++) hc_map_init(&self->waiting[d].times, a);
  if (o->against == GIVEN && o->demand.count == 0)
    return hc_fail(e, HC_EUSAGE, "metric fragmentation", 0, 0,
                   "against: given, but no demand; give the least demand in cores, bytes, bytes, GPUs, as "
                   "demand: [1, 2e9]");
  TRY(hc_machine_init(&self->machine, &self->family.context));
  self->hosts = HC_MAX(self->machine.hosts, 1);
  self->claimed = hc_alloc(a, self->hosts * self->machine.width * sizeof *self->claimed);
  self->stranded = hc_alloc(a, self->hosts * sizeof *self->stranded);
  if (!self->claimed || !self->stranded) return HC_ENOMEM;
  TRY(hc_spans_widen(&self->spans, (size_t)self->machine.dimensions * LEVELS));
  set_given(self, o);
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    int64_t sum = 0;
    TRY(hc_peak_init(&self->largest[d], a, self->hosts));
    for (uint32_t h = 0; h < self->hosts; h++) {
      int64_t free = free_of(self, h, self->machine.which[d]);
      hc_peak_set(&self->largest[d], h, free);
      sum = hc_amount_plus(sum, free);
    }
    hc_spans_start(&self->spans, column(d, FREE), sum);
    hc_spans_start(&self->spans, column(d, LARGEST), hc_peak_most(&self->largest[d]));
  }
  for (uint32_t h = 0; h < self->hosts; h++) strand(self, h, sums);
  for (uint32_t d = 0; d < self->machine.dimensions; d++)
    hc_spans_start(&self->spans, column(d, STRANDED), sums[d]);
  return 0;
}

HC_FAMILY_INIT

/* ---- hearing ---- */

/* A task waits, or does so no more. One that wants hosts whole says nothing of amounts. */
static hc_rc queue(hc_metric *self, const hc_change *c)
{
  const hc_allocator *a = self->family.context.allocator;
  const bool joins = c->kind == HC_CHANGE_QUEUED || c->kind == HC_CHANGE_QUEUED_MORE;
  if (self->against == GIVEN || c->whole) return 0;
  if (self->against == ARRIVED && !joins) return 0;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    int64_t *least = &self->state.least.of[which], need = HC_MAX(c->amount[which], 0), now;
    if (self->against == ARRIVED) now = *least == INT64_MIN ? need : HC_MIN(*least, need);
    else {
      TRY(joins ? put(&self->waiting[d], a, need) : take(&self->waiting[d], need));
      now = least_of(&self->waiting[d]);
    }
    if (now != *least) self->state.stale = c->at;
    *least = now;
  }
  return 0;
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  uint32_t host = self->machine.hosts == 0 && c->host == HC_NO_HOST ? 0 : c->host;
  int64_t before[HC_DIMENSIONS], more[HC_DIMENSIONS];
  if (c->kind == HC_CHANGE_QUEUED || c->kind == HC_CHANGE_UNQUEUED || c->kind > HC_CHANGE_HOST)
    return queue(self, c);
  if (host >= self->hosts) return 0; /* of the cell as a whole */
  for (uint32_t d = 0; d < self->machine.dimensions; d++)
    before[d] = free_of(self, host, self->machine.which[d]);
  if (c->kind == HC_CHANGE_HOST) (void)hc_machine_change(&self->machine, c, more);
  else
    for (uint32_t d = 0; d < self->machine.width; d++) {
      int64_t *x = &self->claimed[(size_t)host * self->machine.width + d];
      *x =
          c->kind == HC_CHANGE_CLAIMED ? hc_amount_plus(*x, c->amount[d]) : hc_amount_minus(*x, c->amount[d]);
    }
  return touch(self, host, c->at, before);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (self->state.stale != HC_UNKNOWN && changes[i].at > self->state.stale) TRY(settle(self));
    hc_spans_hear(&self->spans, changes[i].at);
    TRY(hear(self, &changes[i]));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(settle(self));
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

/* Stranded over free, and the three amounts as means. */
static hc_rc find(const hc_metric *self, hc_findings *f, uint32_t d, const char *table, int64_t key,
                  const hc_wide sums[LEVELS], hc_time time)
{
  static const char *const names[] = {"stranded", "stranded_amount", "free_amount", "largest_amount"};
  uint8_t which = self->machine.which[d];
  const hc_wide per_unit = hc_wide_product(time, (int64_t)hc_machine_per_unit(which));
  const double values[] = {hc_wide_ratio(sums[STRANDED], sums[FREE]), hc_wide_ratio(sums[STRANDED], per_unit),
                           hc_wide_ratio(sums[FREE], per_unit), hc_wide_ratio(sums[LARGEST], per_unit)};
  char buffer[32], name[96];
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const char *unit = i == 0 ? "1" : hc_machine_unit(which);
    (void)snprintf(name, sizeof name, "%s%.30s_%s", table ? "" : "fragmentation_",
                   hc_machine_name(&self->machine, which, buffer), names[i]);
    if (table) TRY(hc_find_cell(f, table, key, name, unit, values[i]));
    else TRY(hc_find_real(f, name, unit, values[i]));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  hc_wide sums[LEVELS];
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    if (self->machine.shared[self->machine.which[d]]) continue;
    for (int l = 0; l < LEVELS; l++) sums[l] = hc_spans_total(s, column(d, l));
    TRY(find(self, f, d, NULL, 0, sums, s->times.begin == HC_UNKNOWN ? 0 : s->times.end - s->times.begin));
  }
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "fragmentation"));
    for (uint32_t d = 0; d < self->machine.dimensions; d++) {
      if (self->machine.shared[self->machine.which[d]]) continue;
      for (int l = 0; l < LEVELS; l++) sums[l] = hc_spans_sum(s, r, column(d, l));
      TRY(find(self, f, d, "fragmentation", hc_spans_key(s, r), sums,
               hc_spans_until(s, r) - hc_spans_from(s, r)));
    }
  }
  return 0;
}

/* The trees are made again from what is free. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_visit_bytes(v, self->claimed, self->hosts * self->machine.width * sizeof *self->claimed));
  TRY(hc_visit_bytes(v, self->stranded, self->hosts * sizeof *self->stranded));
  HC_VISIT(v, self->state);
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    leasts *l = &self->waiting[d];
    HC_VISIT_ARRAY(v, l->heap, l->count, l->cap);
    TRY(hc_map_visit(&l->times, v));
    if (l->count != l->times.count) return HC_EINPUT;
    for (uint32_t h = 0; h < self->hosts && hc_visit_loading(v); h++)
      hc_peak_set(&self->largest[d], h, free_of(self, h, self->machine.which[d]));
  }
  return self->spans.columns == (size_t)self->machine.dimensions * LEVELS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(CHOICE, options, against, "waiting|arrived|given", "arrived",
             "Which tasks' least demand decides what is stranded: that of waiting tasks (while no task waits "
             "nothing is stranded, and every host is looked at whenever that least demand changes), that of "
             "all tasks that have arrived so far, or `demand`."),
    HC_PARAM(REALS, options, demand, NULL, NULL, 0, 1e18,
             "With against: given, the least demand for each dimension: cores, memory and disk in bytes, "
             "GPUs, then the others in their units."),
    {.name = NULL},
};

#define AMOUNT "cores, B, GPUs, units"

static const char *const figures[] = {
    ("fragmentation_*_stranded|1|lower|integral of what is stranded / integral of what is free, of each "
     "dimension"),
    "fragmentation_*_stranded_amount|" AMOUNT "|lower|mean of what is stranded",
    "fragmentation_*_free_amount|" AMOUNT "|none|mean of what is free",
    "fragmentation_*_largest_amount|" AMOUNT
    "|higher|mean of the most that is free on one host: the largest slot that fits",
    "fragmentation.until|s|none|where the piece of time ends; the key is where it begins",
    "fragmentation.*_stranded|1|lower|stranded over free during it",
    "fragmentation.*_stranded_amount|" AMOUNT "|lower|mean of what is stranded during it",
    "fragmentation.*_free_amount|" AMOUNT "|none|mean of what is free during it",
    "fragmentation.*_largest_amount|" AMOUNT "|higher|mean of the most that is free on one host during it",
    NULL,
};

const hc_metric_type hc_metric_fragmentation = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "fragmentation",
         .summary = "what is free but stranded, and the largest task that fits, over time",
         .detail =
             "A free amount of one dimension on a host is stranded if less of another dimension is free "
             "there than the least demand of any task for it (0 if a task does not need it). Tasks that take "
             "whole hosts do not count for that least demand. Amounts of the cell as a whole are left out. "
             "This metric is not told which GPUs are in part free: fragments in the sense of FGD are counted "
             "by the metric gpu_fragments." HC_SPANS_TEXT,
         .source = "after Verma et al., EuroSys 2015, for stranded amounts", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
