/* test_energy_bf.c -- backfilling in which hosts sleep: each strategy against a schedule that was made
 * by hand, whatever comes against the records' own rules, and what is refused. */
#include "../engine/engine_test.h"
#include "../engine/verified.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

#define HOSTS(count) \
  "cell: {use: hosts, classes: [{count: " #count ", name_prefix: h, cpus: 1}]}\nparanoid: true\n"
#define WITH(options) "policy: {use: energy_bf, off: 10s, on: 20s, " options "}\n"
#define POWER(more) "power: {use: linear, idle: 100, peak: 200, off: 10" more "}\n"

/* The rows of the table `power`, as text: "at host state;" in thousandths of a second. */
static hc_rc add_row(void *ctx, const char *const *values)
{
  hc_buffer_printf(ctx, "%lld %s %s;", strtoll(values[0], NULL, 10) / HC_MS, values[1], values[2]);
  return 0;
}

static void assert_states(bench *b, const char *expected)
{
  hc_buffer text;
  hc_result *r;
  hc_buffer_init(&text, b->allocator);
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "power", 3, add_row, &text, &b->error));
  assert_string_equal(text.size > 0 ? text.data : "", expected);
  hc_result_free(r);
  hc_buffer_fini(&text);
}

static hc_rc count_row(void *ctx, const char *const *values)
{
  const int code = atoi(values[2]);
  ((uint64_t *)ctx)[code] += code < 4;
  return 0;
}

/* How often hosts were stopped, and started. */
static void count_switches(bench *b, uint64_t rows[4])
{
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "power", 3, count_row, rows, &b->error));
  hc_result_free(r);
}

/* @param starts  ms, of jobs 1, 2 ... @param states  NULL: they are not looked at */
static void assert_run(const char *yaml, int64_t hosts, const job *jobs, size_t count, const int64_t *starts,
                       const char *states)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    begin(&b, yaml, hosts, jobs, count, NULL);
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++) {
      const hc_time at = record_of(&b, (int64_t)i + 1)->start;
      if (at / HC_MS != starts[i]) fail_msg("%s: job %zu starts at %.3f s", yaml, i + 1, (double)at / 1e9);
    }
    if (states) assert_states(&b, states);
    assert_verified(&b);
    end(&b);
  }
}
#define RUN(yaml, hosts, jobs, states, ...) \
  assert_run(yaml, hosts, jobs, COUNT(jobs), (const int64_t[]){__VA_ARGS__}, states)

/* 1 has two of four hosts until 100, and the others sleep from the beginning. 2 fits on an awake host
 * then, so that none is woken for it, and 3 wants them all. */
static void test_at_once(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 2, 100), J(2, 50, 30, 1, 30), J(3, 200, 10, 4, 10)};
  static const job early[] = {J(1, 0, 5, 1, 5), J(2, 12, 10, 2, 10)};
  (void)state;
  RUN(HOSTS(4) WITH("sleep: at_once"), 4, jobs,
      "0 2 1;0 3 1;10000 2 2;10000 3 2;100000 1 1;110000 1 2;130000 0 1;140000 0 2;"
      "200000 0 3;200000 1 3;200000 2 3;200000 3 3;220000 0 0;220000 1 0;220000 2 0;220000 3 0;"
      "230000 0 1;230000 1 1;230000 2 1;230000 3 1;",
      0, 100000, 220000);
  /* 20 W x 10 s and 50 W x 20 s are 1,200 J, which 90 W save in 13.333 s: the first host stops at 5, is
   * off at 15 and may be woken at 28.333, the second at 23.333; both are woken at the later of these. */
  RUN(HOSTS(2) POWER(", stopping: 120, starting: 150") WITH("sleep: at_once"), 2, early,
      "0 1 1;5000 0 1;10000 1 2;15000 0 2;28333 0 3;28333 1 3;48333 0 0;48333 1 0;58333 0 1;58333 1 1;", 0,
      48333);
  RUN(HOSTS(2) POWER(", stopping: 120, starting: 150") WITH("sleep: at_once, least: 1m"), 2, early, NULL, 0,
      95000);
}

/* The first host sleeps, since 1 may have the other, and would start at 30 (slowdown 1.3) if both did.
 * When 2 comes, at 50, it would start at 100 (slowdown 2) as it is, and at 70 (1.4) if the first is
 * woken: with that of 1, which is 1, means of 1.5 and 1.2. So the host is woken if no more than 1.2
 * times the least is allowed, and sleeps on with 1.28 times. */
static void test_dichotomy(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 1, 100), J(2, 50, 50, 1, 50)};
  (void)state;
  RUN(HOSTS(2) POWER("") WITH("sleep: dichotomy, slowdown: 1.2"), 2, jobs,
      "0 0 1;10000 0 2;50000 0 3;70000 0 0;100000 1 1;110000 1 2;120000 0 1;", 0, 70000);
  RUN(HOSTS(2) POWER("") WITH("sleep: dichotomy, slowdown: 1.28"), 2, jobs, NULL, 0, 100000);
}

/* Stages are at 60, 120 ...: both have been idle for 100 s by the second. 2 has the first woken at 500,
 * and 3 the second at 530, where at_once would have it wait for the first. */
static void test_idle(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 500, 1000, 1, 1000), J(3, 530, 10, 1, 10)};
  static const char *const states =
      "120000 0 1;120000 1 1;130000 0 2;130000 1 2;500000 0 3;520000 0 0;530000 1 3;"
      "550000 1 0;660000 1 1;670000 1 2;1620000 0 1;";
  (void)state;
  RUN(HOSTS(2) WITH("sleep: idle, idle_after: 100s, period: 60s"), 2, jobs, states, 0, 520000, 550000);
  RUN(HOSTS(2) WITH("sleep: idle, plan: first, idle_after: 100s, period: 60s"), 2, jobs, states, 0, 520000,
      550000);
  RUN(HOSTS(2) WITH("sleep: at_once"), 2, jobs, NULL, 0, 520000, 1520000);
}

/* Half of four hosts sleep from the first stage on. 2 wants three, so that one is woken, which sleeps
 * again at the first stage after its end; one of the two that stay awake has been idle for 1,000 s at
 * 1,130. */
static void test_part(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 100, 10, 3, 10), J(3, 300, 10, 1, 10)};
  (void)state;
  RUN(HOSTS(4) WITH("sleep: part, share: 0.5, idle_after: 1000s, period: 60s"), 4, jobs,
      "60000 0 1;60000 1 1;70000 0 2;70000 1 2;100000 0 3;120000 0 0;180000 0 1;190000 0 2;"
      "1140000 3 1;",
      0, 120000, 300000);
}

/* Nothing waits: the third stage is the first that has two others before it and sees that the load does
 * not grow. One host sleeps, then two, then four, and then the one that is left; 2 has the first woken.
 * While it waits there is no end to the load, so that the stage at 1,020 turns to waking, the one at
 * 1,080 back, and the host sleeps at 1,140. */
static void test_inertia(void **state)
{
  static const job jobs[] = {J(1, 0, 1, 1, 1), J(2, 1000, 10, 1, 10)};
  (void)state;
  RUN(HOSTS(8) WITH("sleep: inertia, idle_after: 5000s, period: 60s"), 8, jobs,
      "180000 0 1;190000 0 2;240000 1 1;240000 2 1;250000 1 2;250000 2 2;300000 3 1;300000 4 1;300000 5 "
      "1;300000 6 1;310000 3 2;310000 4 2;310000 5 2;310000 6 2;360000 7 1;370000 7 2;1000000 0 "
      "3;1020000 0 0;1140000 0 1;",
      0, 1020000);
  RUN(HOSTS(8) WITH("sleep: inertia, grow: plus, step: 3, idle_after: 5000s, period: 60s"), 8, jobs,
      "180000 0 1;180000 1 1;180000 2 1;190000 0 2;190000 1 2;190000 2 2;240000 3 1;240000 4 1;240000 5 "
      "1;240000 6 1;240000 7 1;250000 3 2;250000 4 2;250000 5 2;250000 6 2;250000 7 2;1000000 0 "
      "3;1020000 0 0;1140000 0 1;",
      0, 1020000);
}

/* A host is gone for good, so that 2 can start at no time. Hosts that have been idle for long enough sleep as
 * far as they may; then nothing is left, and the run ends, with a stage in which no host was switched. */
static void test_left_waiting(void **state)
{
  static const char *const ways[] = {"sleep: idle", "sleep: part", "sleep: idle, plan: first",
                                     "sleep: inertia"};
  static const job jobs[] = {J(1, 0, 100, 1, 100), J(2, 10, 100, 4, 100)};
  (void)state;
  for (size_t i = 0; i < COUNT(ways); i++) {
    char yaml[512];
    hc_progress p;
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   HOSTS(4) "events: {use: list, changes: [{at: 5, hosts: '3', change: down}]}\n" WITH(
                       "%s, idle_after: 100s, period: 60s"),
                   ways[i]);
    begin(&b, yaml, 4, jobs, 2, NULL);
    finish(&b);
    assert_int_equal(start_of(&b, 2), NEVER_STARTED);
    hc_run_progress(b.run, &p);
    if (i < 3 && p.now > 400 * HC_SECOND) fail_msg("%s: it ends at %.0f s", ways[i], (double)p.now / 1e9);
    end(&b);
  }
}

/* Whatever comes, each strategy: all tasks run, what was saved and restored between any two instants
 * goes on the same, hosts are switched, and the records hold. */
static void test_random(void **state)
{
  static const char *const ways[] = {
      "sleep: at_once",
      "sleep: dichotomy, slowdown: 1.1",
      "sleep: idle, plan: first, idle_after: 20s, period: 15s",
      "sleep: inertia, plan: first, idle_after: 60s, period: 15s, busy: 50s",
      "sleep: part, plan: first, share: 0.3, idle_after: 40s, period: 15s, at_events: true",
      "sleep: idle, order: sjf, idle_after: 0, period: 10s",
      "sleep: at_once, plan: first, order: wfp3"};
  static const char *const cells[] = {
      "{count: 10, name_prefix: a, cpus: 1}",
      "{count: 3, name_prefix: a, cpus: 4}, {count: 4, name_prefix: b, cpus: 2}"};
  uint64_t rows[COUNT(ways)][4] = {{0}};
  (void)state;
  for (uint64_t k = 0; k < hc_test_cases(42, 14); k++) {
    hc_draws draws = {.seed = k, .purpose = HC_PURPOSE_TEST};
    job jobs[50];
    hc_time starts[50] = {0};
    char yaml[1024];
    int64_t submit = 0;
    for (int64_t i = 0; i < 50; i++) {
      const int64_t run = 1 + (int64_t)hc_random_below(&draws, 60);
      submit += (int64_t)hc_random_below(&draws, k % 3 == 0 ? 12 : 90);
      jobs[i] = (job)J(i + 1, submit, run, 1 + (int64_t)hc_random_below(&draws, 9),
                       run + (int64_t)hc_random_below(&draws, 60));
    }
    (void)snprintf(
        yaml, sizeof yaml,
        "metrics: [energy]\ncell: {use: hosts, classes: [%s]}\n" POWER(", starting: 150") WITH("%s") "%s",
        cells[k / 7 % 2], ways[k % 7],
        k % 4 == 1 ? "events: {use: drawn, up_time: 5m, down_time: 1m}\nhost_loss: requeue\n" : "");
    for (int pieces = 0; pieces < 2; pieces++) {
      bench b;
      begin(&b, yaml, 20, jobs, 50, NULL);
      if (pieces) finish_in_pieces(&b, 7);
      else finish(&b);
      assert_int_equal(b.count, 50);
      for (int64_t i = 0; i < 50; i++) {
        const hc_task_record *r = record_of(&b, i + 1);
        if (r->end == HC_UNKNOWN)
          fail_msg("seed %" PRIu64 ": job %" PRId64 " never ends: %s", k, i + 1, yaml);
        if (pieces) assert_int_equal(starts[i], r->start);
        starts[i] = r->start;
      }
      count_switches(&b, rows[k % 7]);
      assert_verified(&b);
      end(&b);
    }
  }
  for (size_t i = 0; i < COUNT(ways); i++)
    if (rows[i][HC_POWER_STOPPING] < 20 || rows[i][HC_POWER_STARTING] < 10)
      fail_msg("%s: few are switched", ways[i]);
}

/* After each event: when 1 comes nothing is planned on the second host, which stops, so that 2, of the same
 * time, has the first when 1 has ended. By a clock of 30 s: 1 starts at 30, and the other host stops; at 60 2
 * would have to wait for the first, which is free at 130, until the tick at 150. While none waits the clock
 * does not tick, and the first host stays as it is. A stage is a call of its own. */
static void test_calls(void **state)
{
#define CALL(how) "architecture: {use: monolithic, call: " how ", period: 30}\n"
  static const job pair[] = {J(1, 0, 10, 1, 10), J(2, 0, 10, 1, 10)};
  static const job two[] = {J(1, 5, 100, 1, 100), J(2, 50, 10, 1, 10)};
  static const job one[] = {J(1, 5, 10, 1, 10)};
  (void)state;
  RUN(HOSTS(2) WITH("sleep: at_once"), 2, pair, NULL, 0, 0);
  RUN(HOSTS(2) WITH("sleep: at_once") CALL("per_event"), 2, pair, "0 1 1;10000 1 2;20000 0 1;", 0, 10000);
  RUN(HOSTS(2) WITH("sleep: at_once") CALL("period"), 2, two, "30000 1 1;40000 1 2;", 30000, 150000);
  RUN(HOSTS(2) WITH("sleep: at_once") CALL("[instant, period]"), 2, two, NULL, 5000, 105000);
  RUN(HOSTS(2) WITH("sleep: idle, idle_after: 20s, period: 25s") CALL("period"), 2, one, "55000 1 1;", 30000);
}

static void test_refused(void **state)
{
  static const char *const table[][2] = {
      {"policy: energy_bf\n", "this cell has none"},
      {HOSTS(4) "policy: {use: energy_bf, sleep: dichotomy}\n", "nothing says what hosts do"},
      {HOSTS(4) POWER("") "policy: {use: energy_bf, sleep: dichotomy, plan: first}\n",
       "leave out `plan: first`"},
      {HOSTS(4) "policy: {use: energy_bf, period: 5m}\n", "`period` means nothing with `sleep: at_once`"},
      {HOSTS(4) "policy: {use: energy_bf, sleep: part, grow: plus}\n",
       "`grow` means nothing with `sleep: part`"},
      {HOSTS(4) "policy: {use: sleeping, policy: energy_bf}\n", "switches hosts off and on itself"},
      {HOSTS(4) "policy: energy_bf\narchitecture: {use: monolithic, think: 3s}\n", "neither `think`"},
      {HOSTS(4) "policy: energy_bf\narchitecture: {use: monolithic, apart: 3s}\n", "nor `apart`"},
      {HOSTS(4) "policy: energy_bf\narchitecture: {use: monolithic, triggers: [arrival]}\n",
       "all `triggers`"},
      {"cell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 1}]}\npolicy: slurm\n"
       "architecture: {use: monolithic, call: per_event}\n",
       "has clocks of its own"},
      {HOSTS(4) "policy: energy_bf\narchitecture: shared_state\n", "the only scheduler"},
      {HOSTS(4) "policy: energy_bf\nreservations: [{count: 2, users: [1], start: 30, end: 90}]\n",
       "reservations"}};
  (void)state;
  assert_each_refused(table, COUNT(table), 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_once), cmocka_unit_test(test_dichotomy), cmocka_unit_test(test_idle),
      cmocka_unit_test(test_part),    cmocka_unit_test(test_inertia),   cmocka_unit_test(test_left_waiting),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_calls),     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
