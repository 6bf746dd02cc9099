/* bench_metric.c -- what it costs to count: nanoseconds per task and per interval, by family and all
 * together.
 *
 * 200,000 tasks on 256 processors under first come, first served at high load, with log-like spreads of run
 * times, and 200 users. Blocks of 256 records and of 256 intervals are heard by turns, as an engine delivers
 * them. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "metric/findings.h"
#include "metric/replay.h"
#include "options.h"

#define TASKS ((size_t)200000)
#define BLOCK ((size_t)256)
#define UNITS 256

#define HC_METRIC(x) extern const hc_metric_type hc_metric_##x;
#include "metric/metrics.def"
#undef HC_METRIC
static const hc_metric_type *const families[] = {
#define HC_METRIC(x) &hc_metric_##x,
#include "metric/metrics.def"
#undef HC_METRIC
};
#define FAMILIES HC_ARRAY_LEN(families)

typedef struct bench {
  hc_task_record *tasks;
  hc_interval *intervals;
  size_t count;
  bool counts[FAMILIES]; /* families that have something to count here */
  bool which[FAMILIES];  /* families heard */
  bool hears_tasks, hears_intervals;
  double checksum;
} bench;

static uint64_t next_bits(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int by_end(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return x->serial < y->serial ? -1 : 1;
}

/* Each unit's time of release; a task takes the ones that are free first. Kept sorted by insertion. */
static void schedule(hc_task_record *t, hc_time *release)
{
  size_t n = (size_t)t->units, i;
  t->start = HC_MAX(t->submit, release[n - 1]);
  t->end = t->start + t->run;
  for (i = n; i < UNITS && release[i] < t->end; i++) release[i - n] = release[i];
  for (size_t k = 0; k < n; k++) release[i - n + k] = t->end;
}

static bool make(bench *b)
{
  hc_time release[UNITS] = {0}, submit = 0, last_start = 0;
  uint64_t state = 1;
  b->tasks = calloc(TASKS, sizeof *b->tasks);
  if (!b->tasks) return false;
  for (size_t i = 0; i < TASKS; i++) {
    uint64_t r = next_bits(&state), user = next_bits(&state);
    hc_task_record *t = &b->tasks[i];
    submit += (hc_time)(r & 1023) * HC_SECOND;
    *t = (hc_task_record){.serial = (int64_t)i,
                          .submit = HC_MAX(submit, last_start - 100 * HC_HOUR),
                          .units = (int64_t)1 << (r >> 10) % 7,
                          .user = (int64_t)(user % 15 * (user >> 8) % 200),
                          .group = (int64_t)(user % 7),
                          .queue = (int64_t)(user % 3)};
    t->run = (hc_time)((r >> 20) % ((uint64_t)16 << (r >> 60))) * HC_SECOND;
    t->limit = t->estimate = t->run + (hc_time)(r >> 40 & 4095) * HC_SECOND;
    schedule(t, release);
    t->start = last_start = HC_MAX(t->start, last_start);
    t->end = t->start + t->run;
  }
  qsort(b->tasks, TASKS, sizeof *b->tasks, by_end);
  return true;
}

static hc_rc keep(void *ctx, const hc_interval *intervals, size_t n)
{
  bench *b = ctx;
  hc_interval *grown = realloc(b->intervals, (b->count + n) * sizeof *grown);
  if (!grown) return HC_ENOMEM;
  memcpy(grown + b->count, intervals, n * sizeof *grown);
  b->intervals = grown;
  b->count += n;
  return 0;
}

static int64_t replay(void *ctx)
{
  bench *b = ctx;
  int64_t began = bench_now();
  b->count = 0;
  if (hc_metric_replay(hc_default_allocator(), UNITS, b->tasks, TASKS, keep, b) < 0) return -1;
  return bench_now() - began;
}

static hc_rc hear(bench *b, hc_metric **m)
{
  for (size_t t = 0, x = 0; t < TASKS || x < b->count;) {
    size_t n = HC_MIN(BLOCK, TASKS - t), k = HC_MIN(2 * BLOCK, b->count - x);
    for (size_t i = 0; i < FAMILIES; i++) {
      if (!b->which[i]) continue;
      if (b->hears_tasks && families[i]->tasks) TRY(families[i]->tasks(m[i], b->tasks + t, n));
      if (!b->hears_intervals || !families[i]->intervals) continue;
      for (size_t at = 0; at < k; at += BLOCK)
        TRY(families[i]->intervals(m[i], b->intervals + x + at, HC_MIN(BLOCK, k - at)));
    }
    t += n;
    x += k;
  }
  return 0;
}

static int64_t run(void *ctx)
{
  bench *b = ctx;
  hc_metric_context c = {.allocator = hc_default_allocator(), .capacity = UNITS, .unix_start = 946684800};
  hc_metric *m[FAMILIES] = {0};
  char *options[FAMILIES] = {0};
  hc_finding_list found;
  int64_t began, took = -1;
  for (size_t i = 0; i < FAMILIES; i++) {
    if (!b->which[i]) continue;
    options[i] = bench_options(&families[i]->component, NULL);
    if (!options[i] || families[i]->init(&c, options[i], &m[i], NULL) < 0) return -1;
  }
  began = bench_now();
  if (hear(b, m) >= 0) took = bench_now() - began;
  hc_finding_list_init(&found, hc_default_allocator());
  for (size_t i = 0; i < FAMILIES; i++) {
    if (!b->which[i]) continue;
    if (families[i]->finish(m[i], &found.findings) < 0) took = -1;
    families[i]->fini(m[i]);
    free(options[i]);
  }
  for (size_t i = 0; i < found.count; i++) b->checksum += found.items[i].value;
  hc_finding_list_fini(&found);
  return took;
}

/* One line for tasks and one for intervals, of the families that were chosen. */
static bool measure(bench *b, const char *name, bool hears_tasks, bool hears_intervals)
{
  char line[64];
  int64_t ns;
  b->hears_tasks = hears_tasks;
  b->hears_intervals = hears_intervals;
  ns = bench_min(5, run, b);
  if (ns < 0) return false;
  (void)snprintf(line, sizeof line, "metric/%s", name);
  if (hears_tasks) bench_print(line, (double)ns / (double)TASKS, "task");
  else bench_print(line, (double)ns / (double)b->count, "interval");
  return true;
}

/* Families of hosts, energy, pools and the like have nothing to count on processors that are only counted. */
static bool counts_here(const hc_metric_type *family)
{
  const hc_metric_context c = {.allocator = hc_default_allocator(), .capacity = UNITS};
  char *options = bench_options(&family->component, NULL);
  hc_error e = {0};
  hc_metric *m;
  const bool does = options && family->init(&c, options, &m, &e) >= 0;
  if (does) family->fini(m);
  free(options);
  return does && (family->tasks || family->intervals);
}

/* Families that a run which only wants a summary does without. */
static bool is_dear(const char *name)
{
  return strncmp(name, "by_", 3) == 0 || strcmp(name, "resource_equality") == 0;
}

int main(void)
{
  bench b = {0};
  bool ok = make(&b);
  int64_t ns = ok ? bench_min(3, replay, &b) : -1;
  if (ns < 0) return 1;
  bench_print("metric/replay", (double)ns / (double)TASKS, "task");
  for (size_t i = 0; ok && i < FAMILIES; i++) b.counts[i] = counts_here(families[i]);
  for (size_t i = 0; ok && i < FAMILIES; i++) {
    memset(b.which, 0, sizeof b.which);
    b.which[i] = b.counts[i];
    if (!b.which[i]) continue;
    if (families[i]->tasks) ok = measure(&b, families[i]->component.name, true, false);
    if (ok && families[i]->intervals) ok = measure(&b, families[i]->component.name, false, true);
  }
  for (size_t i = 0; i < FAMILIES; i++) b.which[i] = b.counts[i] && !is_dear(families[i]->component.name);
  ok = ok && measure(&b, "all but tables and equality", true, false) &&
       measure(&b, "all but tables and equality", false, true);
  memcpy(b.which, b.counts, sizeof b.which);
  ok = ok && measure(&b, "all", true, false) && measure(&b, "all", false, true);
  free(b.tasks);
  free(b.intervals);
  return ok ? 0 : 1;
}
