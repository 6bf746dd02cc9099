/* test_evict.c -- tasks that are evicted from hosts that drain, by hand.
 *
 * Two hosts of four cores. Tasks 1 and 2 take one each from 0 on, for 300 and 200 s. h-0 drains at 100. */
#include "../architecture/starts_test.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, priority: p}\n" \
  "metrics: [tasks]\nparanoid: true\ncell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 4}]}\n"
#define SCAN "policy: fcfs+scan\n"
#define DRAIN(more) "events: {use: list, changes: [{at: 100, hosts: h-0, change: drain" more "}]}\n"
#define TWO "id,at,run,cpu,p\n1,0,300,4,5\n2,0,200,4,0\n"

static void expect(const char *yaml, const char *tasks, int64_t start, int64_t end_at)
{
  for (uint64_t pieces = 0; pieces < 2; pieces++) {
    bench b;
    check(&b, try_text(&b, yaml, tasks));
    if (pieces > 0) finish_in_pieces(&b, pieces);
    else finish(&b);
    if (start_of(&b, 1) != start || end_of(&b, 1) != end_at)
      fail_msg("%s\ntask 1 is from %" PRId64 " to %" PRId64 ", should be from %" PRId64 " to %" PRId64, yaml,
               start_of(&b, 1), end_of(&b, 1), start, end_at);
    assert_int_equal(end_of(&b, 2), 200);
    end(&b);
  }
}

/* What runs on h-0 runs on; or it goes at 150 and waits for h-1, which is free at 200: 300 s anew, or, of
 * what it has saved, the 150 that are left. */
static void test_when_and_how(void **state)
{
  (void)state;
  expect(SOURCE SCAN DRAIN(""), TWO, 0, 300);
  expect(SOURCE SCAN DRAIN(", evict_after: 50"), TWO, 200, 500);
  expect(SOURCE SCAN DRAIN(", evict_after: 0"), TWO, 200, 500);
  expect(SOURCE SCAN DRAIN(", evict_after: 50, evict: checkpoint"), TWO, 200, 350);
  expect(SOURCE SCAN DRAIN(", evict_after: 50, evict: stop"), TWO, 0, 150);
  /* up again at 160, before h-1 is free */
  expect(SOURCE SCAN DRAIN(", evict_after: 50, until: 160"), TWO, 160, 460);
}

/* Of priority 5 it is evicted if 6 stay, and not if 5 do. */
static void test_tolerations(void **state)
{
  (void)state;
  expect(SOURCE SCAN DRAIN(", evict_after: 50, tolerate: 6"), TWO, 200, 500);
  expect(SOURCE SCAN DRAIN(", evict_after: 50, tolerate: 5"), TWO, 0, 300);
}

/* Up at 140, and drained again at 145: not drained from 100 to 150. With an eviction of its own the second
 * drain counts. Two drains of one source are one: it is drained from the first on. */
static void test_what_is_up_in_between(void **state)
{
  (void)state;
  expect(SOURCE SCAN DRAIN(", evict_after: 50}, {at: 140, hosts: h-0, change: up"), TWO, 0, 300);
  expect(SOURCE SCAN DRAIN(
             ", evict_after: 50}, {at: 140, hosts: h-0, change: up}, {at: 145, hosts: h-0, change: "
             "drain"),
         TWO, 0, 300);
  expect(SOURCE SCAN DRAIN(
             ", evict_after: 50}, {at: 140, hosts: h-0, change: up}, {at: 145, hosts: h-0, change: "
             "drain, evict_after: 50"),
         TWO, 200, 500);
  expect(SOURCE SCAN DRAIN("}, {at: 120, hosts: h-0, change: drain, evict_after: 10"), TWO, 200, 500);
}

/* By every kind of decision. Under kubernetes and heartbeat a start at 0 is one at the first turn or
 * report; the parts that differ are under a second. */
static void test_architectures(void **state)
{
  (void)state;
  expect(SOURCE "policy: easy\n" DRAIN(", evict_after: 50"), TWO, 200, 500);
  expect(SOURCE "policy: conservative\n" DRAIN(", evict_after: 50"), TWO, 200, 500);
  expect(SOURCE "policy: {use: fair}\n" DRAIN(", evict_after: 50"), TWO, 200, 500);
  expect(SOURCE "policy: {use: fair}\narchitecture: {use: heartbeat, period: 1s, phase: zero}\n" DRAIN(
             ", evict_after: 50"),
         TWO, 200, 500);
  expect(SOURCE "policy: fcfs\narchitecture: {use: kubernetes, think: 0}\n" DRAIN(", evict_after: 50"), TWO,
         200, 500);
  expect(SOURCE SCAN "architecture: {use: shared_state, schedulers: [{name: s, think_job: 0}]}\n" DRAIN(
             ", evict_after: 50"),
         TWO, 200, 500);
}

/* A task on both hosts goes as a whole, from the one that does not drain too: both are free at 150. */
static void test_several_hosts(void **state)
{
  bench b;
  (void)state;
  check(&b,
        try_text(
            &b,
            "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, hosts: n}\n"
            "metrics: [tasks]\nparanoid: true\ncell: {use: hosts, classes: [{count: 2, name_prefix: h, "
            "cpus: 4}]}\n" SCAN DRAIN(", evict_after: 50, evict: stop"),
            "id,at,run,cpu,n\n1,0,300,4,2\n2,10,50,4,1\n"));
  finish(&b);
  assert_int_equal(end_of(&b, 1), 150);
  assert_int_equal(start_of(&b, 2), 150);
  end(&b);
}

static void test_refused(void **state)
{
  static const struct {
    const char *yaml, *text;
  } wrong[] = {
      {SOURCE SCAN "events: {use: list, changes: [{at: 1, hosts: h-0, change: down, evict_after: 5}]}\n",
       "goes with drain"},
      {SOURCE SCAN DRAIN(", tolerate: 5"), "say when with evict_after"},
      {SOURCE SCAN DRAIN(", evict: stop"), "say when with evict_after"},
      {SOURCE SCAN DRAIN(", evict_after: 50, until: 150"), "make until later"},
      {SOURCE "policy: {use: gang}\n" DRAIN(", evict_after: 50"), "leave `evict_after` out"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(wrong); i++) {
    bench b;
    assert_true(try_text(&b, wrong[i].yaml, TWO) < 0);
    if (!strstr(b.error.text, wrong[i].text)) fail_msg("%s\nsays %s", wrong[i].yaml, b.error.text);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_when_and_how),          cmocka_unit_test(test_tolerations),
      cmocka_unit_test(test_what_is_up_in_between), cmocka_unit_test(test_architectures),
      cmocka_unit_test(test_several_hosts),         cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
