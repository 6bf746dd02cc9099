/* test_announced.c -- hosts that drain, return and change in size as events announce it, in cases small
 * enough to follow by hand, and what is refused. Downtime: test_downtime.c. */
#include "engine_test.h"

#define CELL(n, cores) \
  "cell: {use: hosts, classes: [{name: h, count: " #n ", cpus: " #cores "}]}\nparanoid: true\n" \
  "overrun: run_on\n"
#define CHANGES(text) "events: {use: list, changes: [" text "]}\n"

static void assert_schedule(const char *yaml, const job *jobs, size_t count, const int64_t *starts)
{
  const hc_verify_request q = {.promise = -1};
  for (int pieces = 0; pieces < 2; pieces++) {
    hc_verify_report report = {0};
    bench b;
    hc_result *r;
    begin(&b, yaml, 8, jobs, count, NULL);
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != starts[i])
        fail_msg("%s: task %zu starts at %" PRId64 ", and not at %" PRId64, yaml, i + 1,
                 start_of(&b, (int64_t)i + 1), starts[i]);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    assert_int_equal(hc_verify_result(b.allocator, r, &q, NULL, NULL, &report, &b.error), 0);
    hc_result_free(r);
    end(&b);
  }
}

static const char *const all[] = {"scan",
                                  "easy",
                                  "{use: easy, reserve: hosts}",
                                  "{use: easy, ahead: true}",
                                  "conservative",
                                  "{use: conservative, replan: none}",
                                  "slack"};

/* Under each of these selectors. */
static void assert_all(const char *const *selects, size_t n, const char *run, const job *jobs, size_t count,
                       const int64_t *starts)
{
  for (size_t i = 0; i < n; i++) {
    char yaml[900];
    (void)snprintf(yaml, sizeof yaml, "%spolicy: {select: %s}\n", run, selects[i]);
    assert_schedule(yaml, jobs, count, starts);
  }
}
#define STARTS(...) ((const int64_t[]){__VA_ARGS__})

/* ---- drain ---- */

/* Two hosts of one core, the second drains in [100, 200). Task 2 (150 s) starts there all the same, and runs
 * on to 150. Then nothing starts there: task 3 has the first host at 150, task 4 at 180, and task 5 the
 * second one when it is up again, at 200. */
static void test_drain(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 1, 150), J(2, 0, 150, 1, 150), J(3, 10, 30, 1, 30),
                             J(4, 20, 60, 1, 60), J(5, 30, 10, 1, 10)};
  (void)state;
#define DRAIN(rest) CHANGES("{at: 100, hosts: 1, change: drain, until: 200" rest "}")
  assert_all(all, COUNT(all), CELL(2, 1) DRAIN(", announced: 0"), jobs, COUNT(jobs),
             STARTS(0, 0, 150, 180, 200));
  assert_schedule(CELL(2, 1) DRAIN(", announced: 0") "policy: {select: blocking}\n", jobs, COUNT(jobs),
                  STARTS(0, 0, 150, 180, 200));
}

/* Three hosts, the second drains in [100, 200) or is away, the first is busy until 250. Task 2 wants all
 * three: it is promised 250, if it is known by then that the second returns, and task 3 (200 s, from 120)
 * would keep the third until 320: it waits. What nothing knows of is no promise: task 3 starts at once, and
 * task 2 waits for it. */
static const job three[] = {J(1, 0, 250, 1, 250), J(2, 110, 50, 3, 50), J(3, 120, 200, 1, 200)};
static const char *const promising[] = {"easy", "{use: easy, reserve: hosts}", "conservative",
                                        "{use: slack, factor: 0}"};

static void test_return_of_drain(void **state)
{
  (void)state;
  assert_all(promising, 4, CELL(3, 1) DRAIN(", announced: 0"), three, 3, STARTS(0, 250, 300));
  assert_all(promising, 4, CELL(3, 1) DRAIN(", announced: 90"), three, 3, STARTS(0, 250, 300));
  assert_all(promising, 4, CELL(3, 1) DRAIN(""), three, 3, STARTS(0, 320, 120));
  /* it goes down while it drains, which is announced as well: it is one time away */
  assert_all(promising, 4,
             CELL(3, 1) CHANGES("{at: 100, hosts: 1, change: drain, announced: 0},\n"
                                "  {at: 150, hosts: 1, change: down, until: 200, announced: 20}"),
             three, 3, STARTS(0, 250, 300));
  /* or is not: it still returns when the drain said */
  assert_all(promising, 4,
             CELL(3, 1) CHANGES("{at: 100, hosts: 1, change: drain, until: 200, announced: 0},\n"
                                "  {at: 150, hosts: 1, change: down}"),
             three, 3, STARTS(0, 250, 300));
  /* another source holds it until 290: from 150 on nothing is promised, and task 3 starts */
  assert_all(promising, 4,
             CELL(3, 1) "events: [{use: list, changes: [{at: 100, hosts: 1, change: drain, until: 200, "
                        "announced: 0}]},\n"
                        "  {use: list, changes: [{at: 150, hosts: 1, until: 290}]}]\n",
             three, 3, STARTS(0, 350, 150));
}

/* For good: task 3 never has the second host, which is free from 90 on. */
static void test_drain_for_good(void **state)
{
  static const job jobs[] = {J(1, 0, 250, 1, 250), J(2, 0, 90, 1, 90), J(3, 95, 30, 1, 30),
                             J(4, 130, 10, 1, 10)};
  (void)state;
  assert_all(all, COUNT(all), CELL(2, 1) CHANGES("{at: 100, hosts: 1, change: drain, announced: 0}"), jobs,
             COUNT(jobs), STARTS(0, 0, 95, 250));
}

/* ---- return ---- */

static void test_return(void **state)
{
  static const char *const leaves[] = {"down", "drain"};
  (void)state;
  for (size_t i = 0; i < COUNT(leaves); i++) {
    static const struct {
      const char *announced;
      int64_t starts[3];
    } cases[] = {
        {"0", {0, 250, 300}}, {"105", {0, 250, 300}}, {"115", {0, 250, 300}}, {"130", {0, 320, 120}}};
    for (size_t k = 0; k < COUNT(cases); k++) {
      char run[600];
      (void)snprintf(run, sizeof run,
                     CELL(3, 1) CHANGES("{at: 100, hosts: 1, change: %s},\n"
                                        "  {at: 200, hosts: 1, change: up, announced: %s}"),
                     leaves[i], cases[k].announced);
      assert_all(promising, 4, run, three, 3, cases[k].starts);
    }
  }
}

/* ---- size ---- */

/* One host of two cores has one in [100, 200). Task 1 (150 s) has one of them, so that task 2 (150 s)
 * would be cut at 100: it starts at 150. Task 3 is over at 90. Task 5 would be cut from 90 on, finds none
 * free at 150, and the second core at 200. Task 4 wants both, when task 2 is over, at 300. */
static const job sizes[] = {J(1, 0, 150, 1, 150), J(2, 0, 150, 1, 150), J(3, 10, 80, 1, 80),
                            J(4, 20, 100, 2, 100), J(5, 30, 50, 1, 50)};

static void test_shrink(void **state)
{
  (void)state;
#define SHRINK(rest) \
  CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1]" rest "},\n" \
          "  {at: 200, hosts: 0, change: resize, amounts: [cpus=2]" rest "}")
  assert_all(all, COUNT(all), CELL(1, 2) SHRINK(", announced: 0"), sizes, COUNT(sizes),
             STARTS(0, 150, 10, 300, 200));
  assert_schedule(CELL(1, 2) SHRINK(", announced: 0") "policy: {select: blocking}\n", sizes, COUNT(sizes),
                  STARTS(0, 150, 200, 300, 400));
  /* nothing knows of it: task 2 starts, and goes on */
  assert_schedule(CELL(1, 2) SHRINK("") "policy: {select: scan}\n", sizes, 2, STARTS(0, 0));
}

/* What starts is never cut, whatever becomes of what has no room: none has to go. */
static void test_none_is_cut(void **state)
{
  (void)state;
  assert_all(all, COUNT(all), CELL(1, 2) SHRINK(", announced: 0") "host_shrinks: stop\n", sizes, COUNT(sizes),
             STARTS(0, 150, 10, 300, 200));
}

/* One core until 100, then two. Task 1 is over at 61. Task 2 wants two: it is promised 100, and task 3 (80 s)
 * would be in its way: it starts at 150. Not announced, it starts at 61, and task 2 after it. */
static void test_growth(void **state)
{
  static const job jobs[] = {J(1, 1, 60, 1, 60), J(2, 2, 50, 2, 50), J(3, 3, 80, 1, 80)};
  (void)state;
#define GROW(rest) \
  CHANGES("{at: 0, hosts: 0, change: resize, amounts: [cpus=1]},\n" \
          "  {at: 100, hosts: 0, change: resize, amounts: [cpus=2]" rest "}")
  assert_all(promising, 4, CELL(1, 2) GROW(", announced: 0"), jobs, 3, STARTS(1, 100, 150));
  assert_all(promising, 4, CELL(1, 2) GROW(", announced: 50"), jobs, 3, STARTS(1, 100, 150));
  assert_all(promising, 4, CELL(1, 2) GROW(""), jobs, 3, STARTS(1, 141, 61));
}

/* One host of three cores has two in [100, 200). Task 1 has two of them until 90, task 2 wants two for 60
 * s and is promised 90. Task 3 (one core, 70 s, from 25) is over at 95, before the shrink, and delays it
 * not. Task 4 would still be there at 100, and then one of the two would be missing. */
static void test_over_by_then(void **state)
{
  static const job jobs[] = {J(1, 0, 90, 2, 90), J(2, 10, 60, 2, 60), J(3, 25, 70, 1, 70),
                             J(4, 26, 75, 1, 75)};
  static const char *const selects[] = {"easy", "conservative", "{use: slack, factor: 0}"};
  (void)state;
  assert_all(selects, 3,
             CELL(1, 3) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=2], announced: 0},\n"
                                "  {at: 200, hosts: 0, change: resize, amounts: [cpus=3], announced: 0}"),
             jobs, 3, STARTS(0, 90, 25));
  assert_all(selects, 3,
             CELL(1, 3) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=2], announced: 0},\n"
                                "  {at: 200, hosts: 0, change: resize, amounts: [cpus=3], announced: 0}"),
             jobs, 4, STARTS(0, 90, 25, 150));
}

/* One core of two goes at 100, which is announced at 50. Task 3 was promised 90, when task 1 is over, and
 * would be cut, as task 2 runs until 120: it starts then. */
static void test_late_shrink(void **state)
{
  static const job jobs[] = {J(1, 0, 90, 1, 90), J(2, 0, 120, 1, 120), J(3, 10, 50, 1, 50)};
  (void)state;
  assert_all(all, COUNT(all),
             CELL(1, 2) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1], announced: 50}"),
             jobs, 3, STARTS(0, 0, 120));
  assert_all(all, COUNT(all), CELL(1, 2) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1]}"),
             jobs, 3, STARTS(0, 0, 90));
}

/* Two slots of one core each on two hosts of two, of which the first has one from 100 on: both would be
 * cut on the first, beside task 1, and so one of them is on each, wherever the first fit would have them.
 * Task 3 finds one core beside that, on the second. */
static void test_slots(void **state)
{
  static const job jobs[] = {J(1, 0, 50, 1, 50), J(2, 10, 150, 2, 150), J(3, 20, 150, 1, 150),
                             J(4, 30, 20, 1, 20)};
  (void)state;
  assert_all(all, COUNT(all),
             CELL(2, 2) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1], announced: 0}"), jobs,
             4, STARTS(0, 10, 20, 50));
}

/* ---- for good ---- */

/* Half of eight processors, or of four hosts of two cores, are out of order from 100 on, for good. Task 1
 * would run into that with six, and never starts; task 3 wants all. Tasks 2 and 4 want four. */
static void test_maintenance_for_good(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 6, 150), J(2, 10, 50, 4, 50), J(3, 120, 20, 8, 20),
                             J(4, 130, 20, 4, 20)};
  static const char *const cells[] = {
      "cell: {use: count, procs: 8}\nparanoid: true\nreservations: [{units: 4, maintenance: true, start: 100",
      "cell: {use: intervals, procs: 8}\nparanoid: true\n"
      "reservations: [{units: 4, maintenance: true, start: 100",
      CELL(4, 2) "reservations: [{hosts: 0-1, maintenance: true, start: 100"};
  static const char *const selects[] = {"scan", "easy", "conservative", "{use: conservative, replan: none}",
                                        "slack"};
  (void)state;
  for (size_t i = 0; i < COUNT(cells); i++) {
    char run[400];
    (void)snprintf(run, sizeof run, "%s}]\n", cells[i]);
    assert_all(selects, COUNT(selects), run, jobs, 4, STARTS(NEVER_STARTED, 10, NEVER_STARTED, 130));
    /* announced at 60, task 1 has started, and is stopped at 100; task 2 has its room then */
    (void)snprintf(run, sizeof run, "%s, announced: 60, at_start: stop}]\n", cells[i]);
    assert_all(selects, 3, run, jobs, 4, STARTS(0, 100, NEVER_STARTED, 150));
  }
}

/* ---- with other things ---- */

/* A decision takes 30 s. Task 1 is decided at 80, and the host drains when it would start, at 110: it starts
 * 30 s after the host is up again. */
static void test_think(void **state)
{
  static const job jobs[] = {J(1, 80, 10, 1, 10)};
  (void)state;
  assert_schedule(CELL(1, 1) "architecture: {use: monolithic, think: 30s}\npolicy: easy\n" CHANGES(
                      "{at: 100, hosts: 0, change: drain, until: 200, announced: 0}"),
                  jobs, 1, STARTS(230));
}

/* One core of two goes at 100. Task 2 is decided at 50, and would be over at 95; but it would start at 80,
 * and be cut beside task 1: that start is refused, and it has its turn when task 1 is over, at 180. */
static void test_think_into_shrink(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 1, 150), J(2, 50, 45, 1, 45)};
  (void)state;
  assert_all(promising, 4,
             CELL(1, 2) "architecture: {use: monolithic, think: 30s}\n" CHANGES(
                 "{at: 100, hosts: 0, change: resize, amounts: [cpus=1], announced: 0}"),
             jobs, 2, STARTS(30, 210));
}

static void assert_table(const char *yaml, const char *table, size_t count, const int64_t *starts)
{
  char text[900];
  bench b;
  memset(&b, 0, sizeof b);
  write_log(b.path, table, strlen(table));
  (void)snprintf(text, sizeof text, "source: {use: csv, file: FILE}\nmetrics: []\n%s", yaml);
  check(&b, configure(&b, hc_default_allocator(), text, NULL));
  check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  for (size_t i = 0; i < count; i++) assert_int_equal(start_of(&b, (int64_t)i + 1), starts[i]);
  end(&b);
}

#define BY_PRIORITY "policy: {order: priority, select: %s, preempt: priority}\n"

/* The same host. Task 2 has the higher priority, and would be cut beside task 1: that is stopped for it, and
 * starts anew when it is over, since both would not fit at 100. Not announced both run. */
static void test_preemption(void **state)
{
  static const char table[] = "id,submit,run,limit,cpu,priority\n1,0,200,200,1,1\n2,10,150,150,1,9\n";
  static const char *const selects[] = {"scan", "easy"};
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    char yaml[600];
    (void)snprintf(yaml, sizeof yaml,
                   CELL(1, 2) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1], announced: 0}")
                       BY_PRIORITY,
                   selects[i]);
    assert_table(yaml, table, 2, STARTS(160, 10));
    (void)snprintf(yaml, sizeof yaml,
                   CELL(1, 2) CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1]}") BY_PRIORITY,
                   selects[i]);
    assert_table(yaml, table, 2, STARTS(0, 10));
  }
}

/* The same as in test_shrink, and in test_return_of_drain, from tables. */
static void test_file(void **state)
{
  static const char shrink[] = "at,host,change,announced,cpus\n100,0,resize,0,1\n200,0,resize,0,2\n";
  static const char drain[] = "at,host,change,announced\n100,1,drain,90\n200,1,up,\n";
  static const char back[] = "at,host,change,announced\n100,1,down,\n200,1,up,105\n";
  char path[64], run[400];
  (void)state;
  write_log(path, shrink, strlen(shrink));
  (void)snprintf(run, sizeof run, CELL(1, 2) "events: {use: file, file: %s}\n", path);
  assert_all(all, COUNT(all), run, sizes, COUNT(sizes), STARTS(0, 150, 10, 300, 200));
  (void)unlink(path);
  for (int i = 0; i < 2; i++) {
    write_log(path, i ? drain : back, strlen(i ? drain : back));
    (void)snprintf(run, sizeof run, CELL(3, 1) "events: {use: file, file: %s}\n", path);
    assert_all(promising, 4, run, three, 3, STARTS(0, 250, 300));
    (void)unlink(path);
  }
}

static void refused(const char *yaml, const char *text)
{
  static const job jobs[] = {J(1, 80, 10, 1, 10)};
  bench b;
  const hc_rc rc = try_begin(&b, yaml, 8, jobs, 1, NULL);
  if (rc >= 0) fail_msg("%s is accepted", yaml);
  if (!strstr(b.error.text, text)) fail_msg("%s: says \"%s\", not \"%s\"", yaml, b.error.text, text);
  end(&b);
}

/* ---- what verify finds ---- */

static void hear(void *ctx, const hc_violation *v)
{
  assert_string_equal(v->rule, "announced");
  *(int64_t *)ctx = v->id;
}

/* A schedule of a run that knew nothing, held against what was announced all the same.
 * @return the task that should not have started; 0: it holds */
static int64_t broken_by(const char *yaml, const job *jobs, size_t count, const int64_t *announcement)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report = {0};
  int64_t broken = 0;
  bench b;
  hc_result *r;
  begin(&b, yaml, 8, jobs, count, NULL);
  finish(&b);
  check(&b, hc_store_numbers(b.store, "announcements", 6, announcement, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  const hc_rc rc = hc_verify_result(b.allocator, r, &q, hear, &broken, &report, &b.error);
  assert_int_equal(rc, broken > 0 ? HC_EREFUTED : 0);
  hc_result_free(r);
  end(&b);
  return broken;
}

/* Two hosts of one core: task 3 starts on the second at 50. And one host of two cores that shrinks to one
 * at 100: task 2 starts beside task 1 at 10, and both are believed to run then. */
static void test_verify_finds(void **state)
{
  static const job on_two[] = {J(1, 0, 90, 1, 90), J(2, 0, 50, 1, 50), J(3, 10, 30, 1, 30)};
  static const job on_one[] = {J(1, 0, 150, 1, 150), J(2, 10, 150, 1, 150)};
#define AT(kind, start, end, announced, host) \
  ((const int64_t[]){kind, (start)*HC_SECOND, (end)*HC_SECOND, (announced)*HC_SECOND, host, 1})
#define SMALLER CHANGES("{at: 100, hosts: 0, change: resize, amounts: [cpus=1]}")
  (void)state;
  assert_int_equal(broken_by(CELL(2, 1) "policy: easy\n", on_two, 3, AT(1, 40, 60, 0, 1)), 3);
  assert_int_equal(broken_by(CELL(2, 1) "policy: easy\n", on_two, 3, AT(1, 51, 60, 0, 1)), 0);
  assert_int_equal(broken_by(CELL(2, 1) "policy: easy\n", on_two, 3, AT(2, 40, 60, 0, 1)), 0);
  assert_int_equal(broken_by(CELL(1, 2) SMALLER "policy: easy\n", on_one, 2, AT(3, 100, 100, 5, 0)), 2);
  assert_int_equal(broken_by(CELL(1, 2) SMALLER "policy: easy\n", on_one, 2, AT(3, 100, 100, 11, 0)), 0);
  assert_int_equal(broken_by(CELL(1, 2) SMALLER "policy: easy\n", on_one, 1, AT(3, 100, 100, 0, 0)), 0);
}

static void test_refusals(void **state)
{
  (void)state;
#define REFUSED(text, says) refused(CELL(2, 1) CHANGES(text), says)
  REFUSED("{at: 5, hosts: 1, change: drain, announced: 6}", "announced after it has begun");
  REFUSED("{at: 5, hosts: 1, change: up, announced: 1}", "host 1 is not away by then");
  REFUSED("{at: 5, hosts: 1, announced: 0}, {at: 9, hosts: 1, change: up, announced: 1}",
          "was announced by change 1");
  REFUSED(
      "{at: 5, hosts: 1, until: 9, announced: 0}, {at: 7, hosts: 1, change: drain, until: 8, announced: 0}",
      "a host of this announced change is in events list, change 1 at the same time");
  refused("cell: {use: hosts, classes: [{name: h, count: 2, cpus: 4, gpus: 2}]}\n" CHANGES(
              "{at: 5, hosts: 1, change: resize, amounts: [gpus=1], announced: 1}"),
          "a change of GPUs that is announced");
  refused("cell: {use: count, procs: 8}\n"
          "reservations: [{units: 4, maintenance: true, start: 9, every: 5, times: 2}]\n",
          "it is for good");
  refused("cell: {use: count, procs: 8}\nreservations: [{units: 4, users: [1], start: 9}]\n",
          "a maintenance without `end` is for good");
  refused(CELL(2, 1) DRAIN(", announced: 0") "policy: gang\n", "suspends tasks");
  refused(CELL(2, 1) SHRINK(", announced: 0") "architecture: shared_state\n", "leave out `announced`");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drain),
      cmocka_unit_test(test_return_of_drain),
      cmocka_unit_test(test_drain_for_good),
      cmocka_unit_test(test_return),
      cmocka_unit_test(test_shrink),
      cmocka_unit_test(test_none_is_cut),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_late_shrink),
      cmocka_unit_test(test_over_by_then),
      cmocka_unit_test(test_slots),
      cmocka_unit_test(test_think),
      cmocka_unit_test(test_maintenance_for_good),
      cmocka_unit_test(test_think_into_shrink),
      cmocka_unit_test(test_preemption),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_verify_finds),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
