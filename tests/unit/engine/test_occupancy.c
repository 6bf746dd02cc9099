/* test_occupancy.c -- use of hosts by tasks and by local load, against hand-worked integrals and against a
 * brute force that walks every piece of load of every host over the whole run and cuts it against the tasks'
 * intervals. */
#include "engine_test.h"

#include <math.h>

#include "cluster/lexicon.h"
#include "setup/config.h"

#define HOSTS 3
#define CELL \
  "cell: {use: hosts, classes: [{name_prefix: n, count: 3, cpus: 1, memory: 1GiB}]}\nmetrics: [occupancy]\n"

static void near(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.17g, expected %.17g", found, expected);
}

static const job three[] = {J(1, 0, 40, 1, 40), J(2, 10, 20, 2, 20), J(3, 50, 50, 1, 50)};

/* Task 1 has n-0 from 0 to 40, task 2 n-1 and n-2 from 10 to 30, task 3 n-0 from 50 to 100 = T. With a job:
 * 0.9, 0.2, 0.2; mean 1.3 / 3. A load of 0.25 in what is left: 0.925, 0.4, 0.4; mean 0.575, variance 2
 * (0.175)^2 + (0.35)^2 over 3 = 0.06125. */
static void a_constant_load_fills_what_is_left(void **state)
{
  bench b;
  (void)state;
  begin(&b,
        "policy: fcfs\nlocal_load: [{dimension: cpu, law: constant, scale: 0.25, rate: 0.1, takes: "
        "false}]\n" CELL,
        3, three, COUNT(three), NULL);
  finish(&b);
  near(figure(&b, "occupancy_tasks"), 1.3 / 3, 1e-15);
  near(figure(&b, "occupancy"), 0.575, 1e-13);
  near(figure(&b, "occupancy_variance"), 0.06125, 1e-13);
  end(&b);
  begin(&b, "policy: fcfs\n" CELL, 3, three, COUNT(three), NULL); /* no load: u is 0 without a task */
  finish(&b);
  near(figure(&b, "occupancy"), 1.3 / 3, 1e-15);
  end(&b);
  /* Two processes of one dimension leave (1 - 0.5)(1 - 0.5): 0.75 is used. */
  begin(&b,
        "policy: fcfs\nlocal_load: [{dimension: cpu, law: constant, scale: 0.5, rate: 0.1, takes: false}, "
        "{dimension: cpu, law: constant, scale: 0.5, rate: 3, takes: false}, "
        "{dimension: memory, law: constant, scale: 0.9, rate: 3, takes: false}]\n" CELL,
        3, three, COUNT(three), NULL);
  finish(&b);
  near(figure(&b, "occupancy"), (1.3 + 0.75 * 1.7) / 3, 1e-12);
  end(&b);
}

/* ---- brute force ---- */

typedef struct interval {
  hc_time from, to;
} interval;
typedef struct intervals {
  const bench *b;
  interval of[HOSTS][64];
  size_t count[HOSTS];
} intervals;

static hc_rc take_grant(void *ctx, const char *const *values)
{
  intervals *x = ctx;
  const int64_t serial = strtoll(values[0], NULL, 10);
  const size_t host = (size_t)strtoll(values[1], NULL, 10);
  for (size_t i = 0; i < x->b->count; i++)
    if (x->b->records[i].serial == serial)
      x->of[host][x->count[host]++] = (interval){x->b->records[i].start, x->b->records[i].end};
  return 0;
}

static double uncovered(const intervals *x, uint32_t host, hc_time from, hc_time to)
{
  hc_time left = to - from;
  for (size_t i = 0; i < x->count[host]; i++) {
    const hc_time a = x->of[host][i].from > from ? x->of[host][i].from : from;
    const hc_time z = x->of[host][i].to < to ? x->of[host][i].to : to;
    if (a < z) left -= z - a;
  }
  return (double)left;
}

static void open_load(bench *b, hc_load **load, const hc_load_type **type)
{
  static const hc_host_class class = {.name = "n"};
  static const uint32_t class_of[HOSTS] = {0};
  static hc_cell_spec cell = {.granularity = HC_CELL_HOSTS, .units = HOSTS, .class_count = 1};
  const hc_chosen *chosen = hc_config_options(b->config)->local_load.items;
  hc_lexicon *lexicon;
  hc_load_context c = {.allocator = b->allocator, .cell = &cell, .seed = 7, .replication = 0, .index = 0};
  uint32_t dimension;
  bool takes;
  cell.classes = &class;
  cell.class_of = class_of;
  check(b, hc_lexicon_new(b->allocator, &lexicon));
  c.lexicon = lexicon;
  *type = (const hc_load_type *)chosen[0].type;
  check(b, (*type)->open(&c, chosen[0].options, load, &dimension, &takes, &b->error));
  assert_int_equal(dimension, HC_DIM_CPU);
  hc_lexicon_free(lexicon);
}

static void a_brute_force_finds_the_same(void **state)
{
  static const char yaml[] =
      "policy: {use: batch, order: sjf, select: scan, place: least_utilised, eligibility: "
      "utilisation}\nseed: 7\n"
      "local_load: [{dimension: cpu, law: gamma, shape: 0.5, scale: 0.5, rate: 0.8, takes: false}]\n" CELL;
  job jobs[40];
  bench b;
  intervals x = {.b = &b};
  const hc_load_type *type;
  hc_load *load;
  hc_result *r;
  hc_time last = 0;
  double use[HOSTS], mean = 0, variance = 0;
  (void)state;
  for (int64_t i = 0; i < 40; i++) jobs[i] = (job)J(i + 1, 37 * i, 11 + i * i * 7 % 90, 1 + i % 3, 200);
  begin(&b, yaml, 3, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(b.count, 40);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "grants", 4 + HC_NEEDS, take_grant, &x, &b.error));
  hc_result_free(r);
  for (size_t i = 0; i < b.count; i++) last = b.records[i].end > last ? b.records[i].end : last;
  open_load(&b, &load, &type);
  for (uint32_t h = 0; h < HOSTS; h++) {
    use[h] = ((double)last - uncovered(&x, h, 0, last)) / (double)last;
    for (hc_time at = 0; at < last;) {
      const hc_load_level l = type->level(load, h, at);
      const hc_time to = l.until < last ? l.until : last;
      use[h] += l.level * uncovered(&x, h, at, to) / (double)last;
      at = to;
    }
    mean += use[h] / HOSTS;
  }
  for (uint32_t h = 0; h < HOSTS; h++) variance += (use[h] - mean) * (use[h] - mean) / HOSTS;
  assert_true(x.count[0] > 5 && x.count[1] > 5 && mean > 0.3 && mean < 0.99);
  near(figure(&b, "occupancy"), mean, 1e-12);
  near(figure(&b, "occupancy_variance"), variance, 1e-12);
  assert_true(figure(&b, "occupancy") > figure(&b, "occupancy_tasks") + 0.01);
  type->close(load);
  end(&b);
}

/* Hearing the metric changes nothing of the run, although it asks for times that have passed; and a dimension
 * that no host has is refused. */
static void it_only_looks(void **state)
{
#define RUN \
  "policy: {use: batch, order: sjf, select: easy, place: least_utilised, eligibility: utilisation}\nseed: " \
  "3\n" \
  "local_load: [{dimension: cpu, law: gamma, shape: 0.5, scale: 0.5, rate: 0.8, takes: false}]\n" \
  "cell: {use: hosts, classes: [{name_prefix: n, count: 3, cpus: 1, memory: 1GiB}]}\n"
  job jobs[40];
  bench with, without;
  (void)state;
  for (int64_t i = 0; i < 40; i++) jobs[i] = (job)J(i + 1, 37 * i, 11 + i * i * 7 % 90, 1 + i % 3, 200);
  begin(&with, RUN "metrics: [{use: occupancy, dimension: memory}]\n", 3, jobs, COUNT(jobs), NULL);
  begin(&without, RUN, 3, jobs, COUNT(jobs), NULL);
  finish(&with);
  finish(&without);
  assert_int_equal(with.count, without.count);
  assert_memory_equal(with.records, without.records, with.count * sizeof *with.records);
  near(figure(&with, "occupancy"), figure(&with, "occupancy_tasks"), 0); /* no task loads memory */
  end(&with);
  end(&without);
  assert_int_equal(try_begin(&with, RUN "metrics: [{use: occupancy, dimension: gpu}]\n", 3, jobs, 40, NULL),
                   HC_EUSAGE);
  assert_non_null(strstr(with.error.text, "no host has any gpu"));
  end(&with);
}

/* Saved in the middle and gone on with: the same figures to the last bit. */
static void a_cut_changes_nothing(void **state)
{
  job jobs[40];
  bench whole, cut;
  hc_store *store;
  hc_run *again;
  (void)state;
  for (int64_t i = 0; i < 40; i++) jobs[i] = (job)J(i + 1, 37 * i, 11 + i * i * 7 % 90, 1 + i % 3, 200);
  begin(&whole, RUN "metrics: [occupancy]\n", 3, jobs, COUNT(jobs), NULL);
  finish(&whole);
  begin(&cut, RUN "metrics: [occupancy]\n", 3, jobs, COUNT(jobs), NULL);
  check(&cut, hc_run_advance(cut.run, 700 * HC_SECOND, 0, &cut.error));
  check(&cut, hc_store_new(cut.allocator, NULL, &store, &cut.error));
  check(&cut, hc_run_fork(cut.run, cut.config, store, &again, &cut.error));
  hc_run_free(cut.run);
  hc_store_free(cut.store);
  cut.run = again;
  cut.store = store;
  finish(&cut);
  assert_true(figure(&whole, "occupancy") == figure(&cut, "occupancy"));
  assert_true(figure(&whole, "occupancy_variance") == figure(&cut, "occupancy_variance"));
  end(&whole);
  end(&cut);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_load_fills_what_is_left),
      cmocka_unit_test(a_brute_force_finds_the_same),
      cmocka_unit_test(it_only_looks),
      cmocka_unit_test(a_cut_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
