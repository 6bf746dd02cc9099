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
  if (p->list) return; /* none */
  switch (p->type) {
    case HC_INT: *(int64_t *)at = text ? strtoll(text, NULL, 10) : 0; break;
    case HC_REAL: *(double *)at = text ? strtod(text, NULL) : 0; break;
    case HC_TIME:
      *(hc_time *)at = HC_UNKNOWN;
      if (text) assert_int_equal(hc_parse_time(text, strlen(text), at), 0);
      break;
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
    case HC_TEXT: *(const char **)at = text; break;
    case HC_BOOL: *(bool *)at = text && strcmp(text, "true") == 0; break;
    case HC_SIZE:
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

static inline bool has_option(const hc_component *c, const char *name)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return true;
  return false;
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
    else if (p->type == HC_BOOL) *(bool *)at = value != 0;
    else *(int *)at = (int)value;
    return;
  }
  fail_msg("%s has no option %s", c->name, name);
}

/* Set one that is a list: the items are not copied. */
static inline void set_list(const hc_component *c, void *options, const char *name, const void *items,
                            size_t count)
{
  for (const hc_param *p = c->params; p && p->name; p++) {
    if (strcmp(p->name, name) != 0) continue;
    *(hc_list *)(void *)((char *)options + p->offset) = (hc_list){(void *)(uintptr_t)items, count};
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

/* A host, or a processor, that draws 100 W idle and 200 W with all of its cores busy. */
static inline double test_watts(const void *ctx, uint32_t host, hc_power_state state,
                                const double *loads)
{
  static const double of[] = {
      [HC_POWER_ON] = 100, [HC_POWER_STOPPING] = 50, [HC_POWER_OFF] = 10, [HC_POWER_STARTING] = 150};
  (void)ctx;
  (void)host;
  return of[state] + (state == HC_POWER_ON ? 100 * loads[HC_POWER_CORES] : 0);
}

static inline hc_metric_context context_of(int64_t capacity)
{
  return (hc_metric_context){.allocator = hc_default_allocator(),
                             .capacity = capacity,
                             .unix_start = HC_UNKNOWN,
                             .watts = test_watts};
}

/* ---- changes ---- */

/* Six hosts: four of 8 cores, 16 GiB, 1 TB and two GPUs, two of 4 cores and 8 GiB; the last is away at
 * first. Ten licences belong to the cell, and the first class has two of something else. Racks of three;
 * two failure domains that overlap in host 2; a partition. */
#define GIB ((int64_t)1 << 30)
#define LICENCE HC_DIM_OTHER
#define THING (HC_DIM_OTHER + 1)

static const hc_host_class test_classes[] = {
    {.name = "big", .capacity = {8000, 16 * GIB, 1000000000000, 2000, 0, 2}, .devices = 2, .speed = 1},
    {.name = "small", .capacity = {4000, 8 * GIB}, .speed = 1}};
static const uint32_t test_class_of[] = {0, 0, 0, 0, 1, 1}, test_racks[] = {0, 0, 0, 1, 1, HC_NO_NAME};
static const uint8_t test_absent[] = {0, 0, 0, 0, 0, 1};
static const char *const test_hosts[] = {"h0", "h1", "h2", "h3", "h4", "h5"}, *const test_rack_names[] = {
                                                                                  "a", "b"};
static const hc_range test_sets_hosts[] = {{0, 3}, {2, 2}, {0, 2}, {4, 2}};
static const hc_host_set test_sets[] = {
    {.name = "power1", .hosts = test_sets_hosts, .host_count = 1, .is_failure_domain = true},
    {.name = "batch", .hosts = test_sets_hosts + 2, .host_count = 2, .is_partition = true},
    {.name = "power2", .hosts = test_sets_hosts + 1, .host_count = 1, .is_failure_domain = true}};
static const hc_zone_level test_levels[] = {
    {.name = "rack", .zone_of = test_racks, .zone_names = test_rack_names, .zone_count = 2}};
static const hc_cell_spec test_cell __attribute__((unused)) = {.granularity = HC_CELL_HOSTS,
                                                               .units = 6,
                                                               .classes = test_classes,
                                                               .class_count = 2,
                                                               .class_of = test_class_of,
                                                               .host_names = test_hosts,
                                                               .levels = test_levels,
                                                               .level_count = 1,
                                                               .sets = test_sets,
                                                               .set_count = 3,
                                                               .shared = {[LICENCE] = 10},
                                                               .absent = test_absent};

static inline hc_change change(hc_change_kind kind, int64_t at, uint64_t serial, int64_t user, uint32_t on)
{
  return (hc_change){.at = S(at),
                     .serial = serial,
                     .user = user,
                     .kind = kind,
                     .host = on,
                     .slots = 1,
                     .used_cpu = HC_UNKNOWN,
                     .used_memory = HC_UNKNOWN};
}

static inline int by_time(const void *a, const void *b)
{
  const hc_change *x = a, *y = b;
  static const int turn[] = {3, 4, 5, 1, 2}; /* released, hosts, queued, unqueued, claimed */
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (turn[x->kind] != turn[y->kind]) return turn[x->kind] - turn[y->kind];
  return x->serial < y->serial ? -1 : x->serial > y->serial ? 1 : (x->host > y->host) - (x->host < y->host);
}

/* What tasks do: they wait, take one or two hosts and perhaps licences, and end. Nothing respects a
 * capacity. Hosts go and come back with other amounts. @return how many, in order of time, in *out. */
static inline size_t random_changes(size_t tasks, uint64_t seed, hc_change **out)
{
  hc_change *c = calloc(tasks * 9, sizeof *c);
  uint64_t state = seed;
  size_t n = 0;
  int64_t submit = 0;
  assert_non_null(c);
  for (size_t i = 0; i < tasks; i++) {
    uint64_t r = next_bits(&state), q = next_bits(&state);
    int64_t start, user = (int64_t)(r >> 8 & 15) - 1, amounts[HC_DIMENSIONS] = {0};
    submit += (int64_t)(r & 63);
    start = submit + (int64_t)(r >> 16 & 127);
    amounts[HC_DIM_CPU] = 500 * (1 + (int64_t)(q & 3));
    amounts[HC_DIM_MEMORY] = GIB * (int64_t)(q >> 2 & 3);
    amounts[HC_DIM_GPU] = q >> 4 & 1 ? 500 : 0;
    for (uint32_t k = 0; k < 1 + (q >> 5 & 1); k++) {
      hc_change x = change(HC_CHANGE_CLAIMED, start, i, user, (uint32_t)((q >> 8) + k) % 6);
      memcpy(x.amount, amounts, sizeof amounts);
      if (q >> 6 & 1) x.used_cpu = 300, x.used_memory = GIB / 2;
      c[n++] = x;
      x.kind = HC_CHANGE_RELEASED;
      x.at = S(start + (int64_t)(r >> 24 & 511));
      c[n++] = x;
    }
    amounts[LICENCE] = q >> 7 & 1;
    c[n] = change(HC_CHANGE_QUEUED, submit, i, user, HC_NO_HOST);
    c[n].slots = 1 + (q >> 5 & 1);
    memcpy(c[n].amount, amounts, sizeof amounts);
    n++;
    c[n] = c[n - 1];
    c[n].kind = HC_CHANGE_UNQUEUED;
    c[n++].at = S(start);
    if (q >> 40 & 31) continue;
    c[n] = change(HC_CHANGE_HOST, submit, i, -1, (uint32_t)(q >> 45) % 6);
    memcpy(c[n].amount, test_classes[test_class_of[c[n].host]].capacity, sizeof amounts);
    for (int d = 0; d < HC_DIMENSIONS; d++) c[n].amount[d] = c[n].amount[d] / 2 * (int64_t)(q >> 50 & 3);
    n++;
  }
  qsort(c, n, sizeof *c, by_time);
  *out = c;
  return n;
}

/* From birth to findings of a family that hears changes; options NULL: the defaults. */
static inline void find_changes(const hc_metric_type *m, const hc_metric_context *c, const void *options,
                                const hc_change *changes, size_t n, int64_t end, hc_finding_list *l)
{
  void *defaults = default_options(&m->component);
  hc_metric *self = NULL;
  hc_error e = {0};
  hc_finding_list_init(l, hc_default_allocator());
  if (m->init(c, options ? options : defaults, &self, &e) < 0) fail_msg("%s: %s", m->component.name, e.text);
  if (m->changes) assert_int_equal(m->changes(self, changes, n), 0);
  if (m->until) assert_int_equal(m->until(self, S(end)), 0);
  assert_int_equal(m->finish(self, &l->findings), 0);
  m->fini(self);
  free(defaults);
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

/* ---- a cell of hosts, and what happens on it ---- */

static inline hc_metric_context context_with(const hc_cell_spec *cell)
{
  hc_metric_context c = context_of(10);
  c.cell = cell;
  return c;
}

static inline hc_change amounts(hc_change c, int64_t cpu, int64_t memory)
{
  c.amount[HC_DIM_CPU] = cpu;
  c.amount[HC_DIM_MEMORY] = memory;
  return c;
}

static inline hc_change claim(int64_t at, uint64_t serial, int64_t user, uint32_t on, int64_t cpu,
                              int64_t memory)
{
  return amounts(change(HC_CHANGE_CLAIMED, at, serial, user, on), cpu, memory);
}

static inline hc_change release(int64_t at, uint64_t serial, int64_t user, uint32_t on, int64_t cpu,
                                int64_t memory)
{
  return amounts(change(HC_CHANGE_RELEASED, at, serial, user, on), cpu, memory);
}

static inline void *options_of(const hc_metric_type *m, int64_t every, int64_t rows)
{
  void *o = default_options(&m->component);
  set_option(&m->component, o, "every", (double)every);
  set_option(&m->component, o, "rows", (double)rows);
  return o;
}

#endif
