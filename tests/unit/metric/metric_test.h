/* metric_test.h -- what the tests of the metric room share: options from a component's own table, one small
 * schedule worked out by hand, random schedules, and a metric run from beginning to end. */
#ifndef HC_METRIC_TEST_H
#define HC_METRIC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/metric.h"
#include "metric/findings.h"
#include "metric/replay.h"

#define S(x) ((hc_time)(x)*HC_SECOND)

#define HC_METRIC(x) extern const hc_metric_type hc_metric_##x;
#include "metric/metrics.def"
#undef HC_METRIC

static const hc_metric_type *const all_metrics[] __attribute__((unused)) = {
#define HC_METRIC(x) &hc_metric_##x,
#include "metric/metrics.def"
#undef HC_METRIC
};

/* ---- options, as the resolver fills them from `fallback`; only the types that this room uses ---- */

static inline void fill_option(const hc_param *p, void *options)
{
  void *at = (char *)options + p->offset;
  const char *text = p->fallback;
  switch (p->type) {
    case HC_INT: *(int64_t *)at = text ? strtoll(text, NULL, 10) : 0; break;
    case HC_REAL: *(double *)at = text ? strtod(text, NULL) : 0; break;
    case HC_TIME: {
      char *end = NULL;
      hc_time n = text ? strtoll(text, &end, 10) : 0;
      *(hc_time *)at = !text ? HC_UNKNOWN : *end == 'd' ? n * HC_DAY : S(n);
      break;
    }
    case HC_CHOICE: {
      int index = 0;
      for (const char *c = p->choices; strncmp(c, text, strlen(text)) != 0; index++) {
        c = strchr(c, '|');
        assert_non_null(c);
        c++;
      }
      *(int *)at = index;
      break;
    }
    case HC_SIZE:
    case HC_BOOL:
    case HC_TEXT:
    case HC_COMPONENT: fail_msg("no component of this room has such a parameter");
  }
}

/* Zeroed room for options, filled with defaults. */
static inline void *default_options(const hc_component *c)
{
  void *options = calloc(1, c->options_size + 1);
  assert_non_null(options);
  for (const hc_param *p = c->params; p && p->name; p++) fill_option(p, options);
  return options;
}

/* Set one of them by name: a time in seconds, an integer, a choice's index, a real. */
static inline void set_option(const hc_component *c, void *options, const char *name, double value)
{
  for (const hc_param *p = c->params; p && p->name; p++) {
    void *at = (char *)options + p->offset;
    if (strcmp(p->name, name) != 0) continue;
    if (p->type == HC_TIME) *(hc_time *)at = (hc_time)(value * 1e9);
    else if (p->type == HC_INT) *(int64_t *)at = (int64_t)value;
    else if (p->type == HC_REAL) *(double *)at = value;
    else *(int *)at = (int)value;
    return;
  }
  fail_msg("%s has no option %s", c->name, name);
}

/* ---- schedules ---- */

static inline hc_task_record task_of(int64_t serial, int64_t submit, int64_t start, int64_t end,
                                     int64_t units, int64_t user)
{
  return (hc_task_record){.serial = serial,
                          .id = serial + 1,
                          .submit = S(submit),
                          .start = S(start),
                          .end = S(end),
                          .units = units,
                          .limit = HC_UNKNOWN,
                          .estimate = HC_NEVER,
                          .run = S(end - start),
                          .user = user,
                          .group = user,
                          .executable = -1,
                          .queue = user,
                          .partition = -1,
                          .final = HC_FINAL_COMPLETED};
}

/* Four units. In the order of their ends:
 *
 *   task  submit start end units user     0    5    10   15   20        30
 *    A      0     0    10   2     1       AAAAAAAAAA
 *    D      5    10    15   1     2                 DDDDD              (backfilled past C)
 *    B      0     0    20   2     2       BBBBBBBBBBBBBBBBBBBB
 *    C      5    20    30   4     1                           CCCCCCCCCC
 *
 *   from  to  busy waiting units smallest running
 *     0    5    4     0      0      0       2
 *     5   10    4     2      5      1       2
 *    10   15    3     1      4      4       2
 *    15   20    2     1      4      4       1
 *    20   30    4     0      0      0       1 */
#define GANTT_TASKS 4
#define GANTT_INTERVALS 5

static inline void gantt(hc_task_record t[GANTT_TASKS], hc_interval x[GANTT_INTERVALS])
{
  const hc_interval states[GANTT_INTERVALS] = {
      {S(0), S(5), 4, 4, 0, 0, 0, 2},   {S(5), S(10), 4, 4, 2, 5, 1, 2},  {S(10), S(15), 3, 4, 1, 4, 4, 2},
      {S(15), S(20), 2, 4, 1, 4, 4, 1}, {S(20), S(30), 4, 4, 0, 0, 0, 1},
  };
  t[0] = task_of(0, 0, 0, 10, 2, 1);
  t[1] = task_of(3, 5, 10, 15, 1, 2);
  t[2] = task_of(1, 0, 0, 20, 2, 2);
  t[3] = task_of(2, 5, 20, 30, 4, 1);
  t[0].estimate = S(20);
  t[2].estimate = S(20);
  t[3].estimate = S(5);
  t[1].flags = HC_TASK_BACKFILLED;
  memcpy(x, states, sizeof states);
}

static inline uint64_t next_bits(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline int by_end(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return x->serial < y->serial ? -1 : 1;
}

/* Any times will do for a metric: nothing here respects a capacity. Whole seconds, so that instants
 * coincide. */
static inline hc_task_record *random_tasks(size_t n, uint64_t seed)
{
  hc_task_record *t = calloc(n, sizeof *t);
  uint64_t state = seed;
  int64_t submit = 0;
  assert_non_null(t);
  for (size_t i = 0; i < n; i++) {
    uint64_t r = next_bits(&state);
    int64_t wait = r & 3 ? (int64_t)(r >> 8 & 255) : 0, run = (int64_t)(r >> 16 & 511);
    submit += (int64_t)(r >> 32 & 63);
    t[i] = task_of((int64_t)i, submit, submit + wait, submit + wait + run, 1 + (int64_t)(r >> 40 & 31),
                   (int64_t)(r >> 48 & 15) - 1);
    t[i].estimate = r >> 60 & 1 ? S(run + 1) : HC_NEVER;
  }
  qsort(t, n, sizeof *t, by_end);
  return t;
}

/* ---- running a metric ---- */

typedef struct recorded {
  hc_interval *items;
  size_t count;
} recorded;

static inline hc_rc record(void *ctx, const hc_interval *intervals, size_t count)
{
  recorded *r = ctx;
  r->items = realloc(r->items, (r->count + count) * sizeof *r->items);
  memcpy(r->items + r->count, intervals, count * sizeof *intervals);
  r->count += count;
  return 0;
}

static inline hc_metric_context context_of(int64_t capacity)
{
  return (hc_metric_context){
      .allocator = hc_default_allocator(), .capacity = capacity, .unix_start = HC_UNKNOWN};
}

/* From birth to findings; options NULL: the defaults. */
static inline void find_all(const hc_metric_type *m, const hc_metric_context *c, const void *options,
                            const hc_task_record *t, size_t n, const hc_interval *x, size_t k,
                            hc_finding_list *l)
{
  void *defaults = default_options(&m->component);
  hc_metric *self = NULL;
  hc_error e = {0};
  hc_finding_list_init(l, hc_default_allocator());
  assert_int_equal(m->init(c, options ? options : defaults, &self, &e), 0);
  if (m->tasks) assert_int_equal(m->tasks(self, t, n), 0);
  if (m->intervals) assert_int_equal(m->intervals(self, x, k), 0);
  assert_int_equal(m->finish(self, &l->findings), 0);
  m->fini(self);
  free(defaults);
}

static inline void expect_found(const hc_finding_list *l, const char *table, int64_t key, const char *name,
                                double value)
{
  const hc_finding *f = hc_finding_list_get(l, table, key, name);
  double far;
  if (!f) fail_msg("%s was not found", name);
  far = f->value - value;
  if (!(far <= 1e-12 * (value < 0 ? -value : value) + 1e-15 &&
        -far <= 1e-12 * (value < 0 ? -value : value) + 1e-15))
    fail_msg("%s is %.17g, not %.17g", name, f->value, value);
}

static inline void expect_nothing(const hc_finding_list *l, const char *name)
{
  const hc_finding *f = hc_finding_list_get(l, NULL, 0, name);
  if (!f) fail_msg("%s was not found", name);
  assert_true(f->value != f->value);
}

#endif
