/* test_load_wake.c -- deciding only at changes of local load that matter gives the schedule of deciding at
 * every one.
 *
 * Runs of a few dozen tasks on small cells, over orders, selectors, placements and criteria, are made with
 * `load_wake: every_change` and with `needed`; each task must start at the same nanosecond, and the second
 * must have had fewer instants. With `never` some schedule must differ, or the load of these runs would not
 * matter at all. A run that is saved and restored on its way must end the same, too. All of it twice: with
 * load that changes on one host at a time, and with shifts, which begin on all hosts at the same instant. And
 * once more under architectures to which a decision in vain is not nothing: they think, or count it. Failures
 * name the configuration. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hindcast/hindcast.h"
#include "sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
enum { TASKS = 40 };

static const char *const policies[] = {
    "order: fcfs, select: blocking, place: first_fit",
    "order: fcfs, select: scan, place: random",
    "order: largest, select: scan, place: least_utilised",
    "order: priority, select: blocking, place: fastest",
    "order: wfp3, select: blocking, place: first_fit",
    "order: fcfs, select: lottery, place: first_fit",
    "order: fcfs, select: {use: easy, reserve: hosts}, place: first_fit",
    "order: fcfs, select: {use: easy, reserve: hosts}, place: least_utilised",
    "order: fcfs, select: {use: easy, reserve: hosts}, place: {use: least_utilised, by: past}",
    "order: fcfs, select: {use: easy, reserve: hosts}, place: window_fit",
    "order: fcfs, select: {use: easy, reserve: hosts}, place: {use: window_fit, free: load}",
    "order: fcfs, select: {use: easy, reserve: hosts, depth: 3}, place: random",
    "order: sjf, select: {use: easy, reserve: room}, place: fastest",
    "order: fcfs, select: {use: easy, reserve: room}, place: best_fit",
};

static const char *const criteria[] = {
    "utilisation",
    "always",
    "{use: utilisation, threshold: 0.25}",
    "{use: expr, when: \"cpu_load < 0.3 && (speed >= 2 || memory_used < 0.2)\"}",
};

static const char *const cells[] = {
    "classes: [{count: 6, cpus: 1, memory: 1GiB, disk: 40GiB, name_prefix: n}]",
    ("classes: [{count: 2, cpus: 1, memory: 1GiB, disk: 40GiB, name_prefix: a}, "
     "{count: 2, cpus: 1, memory: 512MiB, disk: 40GiB, speed: 3, name_prefix: b}, "
     "{count: 2, cpus: 1, memory: 2GiB, disk: 40GiB, speed: 2.5, name_prefix: c}]"),
    /* hosts that tasks share */
    ("classes: [{count: 2, cpus: 3, memory: 2GiB, disk: 80GiB, name_prefix: a}, "
     "{count: 1, cpus: 2, memory: 1GiB, disk: 40GiB, speed: 2, name_prefix: b}]")};

/* ---- load that changes everywhere at once ---- */

typedef struct shift_options {
  hc_time length;
} shift_options;

struct hc_load {
  const hc_allocator *allocator;
  hc_time length;
  uint64_t seed;
};

static hc_rc shift_open(const hc_load_context *c, const void *options, hc_load **out, uint32_t *dimension,
                        bool *takes, hc_error *e)
{
  hc_load *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_load){c->allocator, ((const shift_options *)options)->length, c->seed};
  *dimension = 0;
  *takes = true;
  *out = self;
  return 0;
}

/* No load in every third shift; else 0 to 9 tenths, which differ by host and shift. */
static hc_load_level shift_level(hc_load *self, uint32_t host, hc_time at)
{
  const uint64_t shift = (uint64_t)(at / self->length);
  const double level = shift % 3 == 0 ? 0 : (double)((7 * host + 3 * shift + self->seed) % 10) / 10;
  return (hc_load_level){level, (hc_time)(shift + 1) * self->length};
}

static void shift_close(hc_load *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param shift_params[] = {
    HC_PARAM(TIME, shift_options, length, NULL, "8h", 1, 1e9, "How long a shift lasts."), {0}};
static const hc_load_type shifts = {.component = {HC_COMPONENT_HEAD(hc_load_type, HC_KIND_LOAD),
                                                  .name = "shifts", .summary = "a level a shift",
                                                  .source = "a test", .params = shift_params,
                                                  .options_size = sizeof(shift_options)},
                                    .open = shift_open,
                                    .level = shift_level,
                                    .close = shift_close};

static const char *const loads[] = {
    "[{use: redrawn, dimension: cpu, shape: 0.5, scale: 0.5, rate: 0.03, takes: false}, "
    "{use: redrawn, dimension: memory, shape: 0.3, scale: 0.5, rate: 0.02}, "
    "{use: redrawn, dimension: disk, law: uniform, scale: 0.4, rate: 0.01}]",
    "[{use: shifts, length: 17m}, {use: redrawn, dimension: memory, shape: 0.3, scale: 0.5, rate: 0.0002}]",
};

typedef struct outcome {
  hc_time start[TASKS];
  uint64_t instants;
} outcome;

static void check(const char *yaml, hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s\n%s:%u: %s", yaml, e->where, e->line, e->text);
}

static void read_starts(const char *yaml, hc_store *store, outcome *out)
{
  hc_task_record records[TASKS];
  hc_error e = {0};
  hc_result *r;
  size_t n;
  check(yaml, hc_result_of_store(store, &r, &e), &e);
  check(yaml, hc_result_tasks(r, true, records, TASKS, &n, &e), &e);
  assert_true(n > TASKS / 2); /* the smallest cell has no room for the largest tasks */
  for (size_t i = 0; i < n; i++) out->start[records[i].serial] = records[i].start;
  hc_result_free(r);
}

static hc_config *configure(const char *yaml, hc_registry *registry)
{
  hc_error e = {0};
  hc_config *c;
  check(yaml, hc_config_new(hc_default_allocator(), registry, &c, &e), &e);
  check(yaml, hc_config_text(c, yaml, strlen(yaml), "test", &e), &e);
  return c;
}

/* @param cut the instant at which it is saved and restored; 0: it is not */
static outcome run(const char *yaml, uint64_t cut)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *r;
  hc_progress p;
  outcome out = {.instants = 0};
  check(yaml, hc_registry_new(a, &registry), &e);
  check(yaml, hc_registry_add(registry, &shifts.component, &e), &e);
  config = configure(yaml, registry);
  check(yaml, hc_store_new(a, NULL, &store, &e), &e);
  check(yaml, hc_run_new(a, config, store, &r, &e), &e);
  if (cut > 0) {
    hc_snapshot s;
    check(yaml, hc_run_advance(r, HC_NEVER, cut, &e), &e);
    check(yaml, hc_run_snapshot(r, &s, &e), &e);
    hc_run_free(r);
    hc_store_free(store);
    hc_config_free(config);
    config = configure(yaml, registry);
    check(yaml, hc_store_new(a, NULL, &store, &e), &e);
    check(yaml, hc_run_restore(a, config, store, &s, &r, &e), &e);
    hc_snapshot_free(a, &s);
  }
  check(yaml, hc_run_advance(r, HC_NEVER, 0, &e), &e);
  check(yaml, hc_run_finish(r, &e), &e);
  hc_run_progress(r, &p);
  out.instants = p.instants;
  read_starts(yaml, store, &out);
  hc_run_free(r);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  return out;
}

static void write_yaml(char *out, size_t size, const char *policy, const char *criterion, const char *cell,
                       const char *load, const char *architecture, int seed, const char *wake)
{
  (void)snprintf(out, size,
                 "seed: %d\nload_wake: %s\nmetrics: [tasks]\nparanoid: true\narchitecture: %s\n"
                 "source: {use: polezhaev, tasks: %d, class_count: [5], class_memory: [512MiB], "
                 "class_disk: [40GiB], rate: 0.0004}\n"
                 "cell: {use: hosts, %s}\npolicy: {use: batch, %s, eligibility: %s}\n"
                 "local_load: %s\n",
                 seed, wake, architecture, TASKS, cell, policy, criterion, load);
}

static bool same(const outcome *a, const outcome *b)
{
  return memcmp(a->start, b->start, sizeof a->start) == 0;
}

/* What the three ways of deciding came to, over all configurations. */
typedef struct sums {
  uint64_t each, needed;
  int differ;
} sums;

/* @param p which policy; beyond the list: that of an architecture which asks none which task is next */
static void compare(size_t p, size_t i, const char *load, const char *architecture, sums *sum)
{
  const char *policy = p < COUNT(policies) ? policies[p] : "order: fcfs";
  char yaml[2048];
  outcome all, few, none, cut;
  const char *cell = cells[(p + i) % COUNT(cells)];
  const int seed = (int)(p * 10 + i + 1);
  write_yaml(yaml, sizeof yaml, policy, criteria[i], cell, load, architecture, seed, "every_change");
  all = run(yaml, 0);
  write_yaml(yaml, sizeof yaml, policy, criteria[i], cell, load, architecture, seed, "needed");
  few = run(yaml, 0);
  for (int k = 0; k < TASKS; k++)
    if (all.start[k] != few.start[k])
      fail_msg("%s\ntask %d starts at %.3f s, at every change %.3f s", yaml, k, (double)few.start[k] * 1e-9,
               (double)all.start[k] * 1e-9);
  cut = run(yaml, few.instants / 2);
  if (!same(&cut, &few)) fail_msg("%s\nthe run restored goes another way", yaml);
  write_yaml(yaml, sizeof yaml, policy, criteria[i], cell, load, architecture, seed, "never");
  none = run(yaml, 0);
  sum->differ += !same(&none, &few);
  sum->each += all.instants;
  sum->needed += few.instants;
}

static sums compare_all(const char *load)
{
  const size_t step = hc_test_cases(1, 12);
  int configurations = 0;
  sums sum = {.each = 0};
  for (size_t p = 0; p < COUNT(policies); p += hc_test_cases(1, 2))
    for (size_t i = p % step; i < COUNT(criteria); i += step, configurations++)
      compare(p, i, load, "monolithic", &sum);
  /* in most runs the load decides some task's start */
  print_message("%" PRIu64 " instants, %" PRIu64 " with every change; %d of %d schedules depend on load\n",
                sum.needed, sum.each, sum.differ, configurations);
  assert_true(sum.differ * 2 > configurations);
  return sum;
}

static void test_needed_is_every_change(void **state)
{
  const sums sum = compare_all(loads[0]);
  (void)state;
  assert_true(sum.needed * 2 < sum.each); /* or little was gained */
}

static void test_hosts_that_change_together(void **state)
{
  (void)state;
  (void)compare_all(loads[1]);
}

/* A decision in vain keeps a scheduler from the next one, which may not be in vain; it makes a pod wait
 * longer, or a framework decline. So there every change of load is a decision, whatever `load_wake` says, but
 * for `never`. */
static const char *const mindful[] = {"{use: monolithic, think: 20m}",
                                      "{use: monolithic, call: per_event, think: 20m}",
                                      "{use: monolithic, call: [instant, period], period: 1h, think: 20m}",
                                      "two_level",
                                      "eagle",
                                      "kubernetes"};

static void test_decisions_in_vain_that_matter(void **state)
{
  static const size_t some[] = {0, 1, 6},
                      none[] = {COUNT(policies), COUNT(policies)}; /* blocking, scan, easy */
  int differ = 0;
  (void)state;
  for (size_t k = 0; k < COUNT(mindful); k++) {
    sums sum = {.each = 0};
    for (size_t p = 0; p < (k < 3 ? 3 : 2); p++)
      for (size_t i = p; i < COUNT(criteria); i += 2)
        compare(k < 4 ? some[p] : none[p], i, loads[0], mindful[k], &sum);
    assert_int_equal(sum.each, sum.needed); /* it was every change */
    differ += sum.differ;
  }
  assert_true(differ > 10); /* and load mattered */
}

/* Schedulers of jobs think too, but no change of load makes them: so they lose nothing by leaving it out. */
static void test_schedulers_of_jobs(void **state)
{
  sums sum = {.each = 0};
  (void)state;
  for (size_t i = 0; i < COUNT(criteria); i++) {
    compare(1, i, loads[0], "{use: shared_state, schedulers: [{name: a, count: 2, think_job: 10m}]}", &sum);
    compare(1, i, loads[0], "{use: partitions, schedulers: [{name: a, think_job: 10m}]}", &sum);
  }
  assert_true(sum.needed < sum.each);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_needed_is_every_change), cmocka_unit_test(test_hosts_that_change_together),
      cmocka_unit_test(test_decisions_in_vain_that_matter), cmocka_unit_test(test_schedulers_of_jobs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
