/* test_place_preferred.c -- the placement `preferred` in runs, by hand.
 *
 * Hosts h-0 and h-1 are in rack-0, h-2 and h-3 in rack-1, each of one core; all tasks come at 0, in the
 * order of their numbers, and run for 100 s. */
#include "../architecture/starts_test.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, user: user, " \
  "prefers: at_}\n" \
  "metrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,user,at_\n"
#define RACKS \
  "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 4, name_prefix: h, cpus: 1}]}\n"

typedef struct wanted_row {
  int64_t serial, host;
} wanted_row;

static hc_rc take_host(void *ctx, const char *const *values)
{
  wanted_row *w = ctx;
  if (strtoll(values[0], NULL, 10) == w->serial) w->host = strtoll(values[1], NULL, 10);
  return 0;
}

static int64_t host_of(bench *b, int64_t id)
{
  wanted_row w = {record_of(b, id)->serial, -1};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "grants", 12, take_host, &w, &b->error));
  hc_result_free(r);
  return w.host;
}

static void expect_hosts(const char *yaml, const char *tasks, const int64_t *hosts, size_t count)
{
  for (uint64_t pieces = 0; pieces < 2; pieces++) {
    bench b;
    check(&b, try_text(&b, yaml, tasks));
    if (pieces > 0) finish_in_pieces(&b, pieces);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++)
      if (host_of(&b, (int64_t)i + 1) != hosts[i])
        fail_msg("%s\ntask %zu is on host %" PRId64 ", should be on %" PRId64, yaml, i + 1,
                 host_of(&b, (int64_t)i + 1), hosts[i]);
    end(&b);
  }
}
#define HOSTS(yaml, tasks, ...) \
  expect_hosts(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* 1 and 2 fill h-3, which they prefer. 3 prefers it too, and has its rack-mate. 4 has either host of
 * rack-0: the lower of equal ones. 5 prefers nothing: by best_fit the lowest host that is used. 6 prefers
 * a host of another cell, which none of this is nearer to: best_fit again, behind 5. */
#define SIX \
  TITLES "1,0,100,0.5,1,h-3\n2,0,100,0.5,1,h-3\n3,0,100,0.5,1,h-3\n4,0,100,0.5,1,rack-0\n5,0,100,0.5,1,\n" \
         "6,0,100,0.5,1,elsewhere-7\n"

static void test_what_a_task_prefers(void **state)
{
  (void)state;
  HOSTS(SOURCE RACKS "policy: {select: scan, place: preferred}\n", SIX, 3, 3, 2, 0, 0, 2);
  HOSTS(SOURCE RACKS "policy: {select: easy, place: preferred}\n", SIX, 3, 3, 2, 0, 0, 2);
  HOSTS(SOURCE RACKS "policy: {select: conservative, place: preferred}\n", SIX, 3, 3, 2, 0, 0, 2);
  HOSTS(SOURCE RACKS "policy: {place: preferred}\narchitecture: kubernetes\n", SIX, 3, 3, 2, 0, 0, 2);
  HOSTS(SOURCE RACKS "policy: {use: fair, place: preferred}\n", SIX, 3, 3, 2, 0, 0, 2);
  HOSTS(SOURCE RACKS
        "policy: {place: preferred}\narchitecture: {use: shared_state, schedulers: [{name: s}]}\n",
        SIX, 3, 3, 2, 0, 0, 2);
  /* the whole cell is one zone of the level that is named; by worst_fit 5 has the lowest empty host */
  HOSTS("source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, user: user, "
        "prefers: at_}\nmetrics: [tasks]\n"
        "cell: {use: hosts, zones: [{name: rack, size: 2}, {name: row, size: 4}], classes: [{count: 4, "
        "name_prefix: h, cpus: 1}]}\n"
        "policy: {select: scan, place: {use: preferred, level: row, by: worst_fit}}\n",
        TITLES "1,0,100,0.5,1,h-3\n2,0,100,0.5,1,h-3\n3,0,100,0.5,1,h-3\n4,0,100,0.5,1,\n", 3, 3, 0, 1);
}

/* a-0 has 10, a-1 10 - 20, b-0 and b-1 in rack-1 5: tasks of a host each take them in that order, and the one
 * that is kept off is used last. The task that prefers a-1 adds 100 to its -10. */
#define TERMS \
  SOURCE "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 2, name_prefix: a, cpus: 1, " \
         "features: [ssd]}, {count: 2, name_prefix: b, cpus: 1}]}\n" \
         "policy: {select: scan, place: {use: preferred, terms: [ssd=10, rack-1=5, a-1=-20]}}\n"

static void test_terms(void **state)
{
  (void)state;
  HOSTS(TERMS, TITLES "1,0,100,1,1,\n2,0,100,1,1,\n3,0,100,1,1,\n4,0,100,1,1,\n", 0, 2, 3, 1);
  HOSTS(TERMS, TITLES "1,0,100,1,1,a-1\n2,0,100,1,1,\n3,0,100,1,1,\n4,0,100,1,1,\n", 1, 0, 2, 3);
}

/* Task 1 is on h-0, half of which it takes: with nothing to prefer, of equal hosts the lowest. Of 2, which
 * prefers h-0, a quarter leaves 1/4 of h-0 and 3/4 of h-1: 25 and 75 by least_allocated, 100 and 0 by what
 * it prefers. So it is on h-0 from a weight of 1/2 on. */
static void test_weighted(void **state)
{
  static const char *const tasks = TITLES "1,0,100,0.5,1,\n2,0,100,0.25,1,h-0\n";
  static const char *const weights[] = {"0.4", "0.6"};
  static const int64_t hosts[][2] = {{0, 1}, {0, 0}};
  (void)state;
  for (size_t i = 0; i < COUNT(weights); i++) {
    char yaml[768];
    (void)snprintf(yaml, sizeof yaml,
                   SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 1}]}\n"
                          "architecture: kubernetes\npolicy: {place: {use: weighted, of: [least_allocated, "
                          "preferred], weights: [1, %s], scales: [share, most]}}\n",
                   weights[i]);
    expect_hosts(yaml, tasks, hosts[i], 2);
  }
}

static void test_refused(void **state)
{
  static const struct {
    const char *place, *text;
  } wrong[] = {{"{use: preferred, terms: [ssd]}", "NAME=WEIGHT"},
               {"{use: preferred, terms: [ssd=often]}", "NAME=WEIGHT"},
               {"{use: preferred, terms: [ssd=5]}", "no feature of any host"},
               {"{use: preferred, level: row}", "no level"},
               {"{use: preferred, by: first_fit}", "does not compare hosts"}};
  bench b;
  (void)state;
  for (size_t i = 0; i < COUNT(wrong); i++) {
    char yaml[768];
    (void)snprintf(yaml, sizeof yaml, SOURCE RACKS "policy: {select: scan, place: %s}\n", wrong[i].place);
    assert_true(try_text(&b, yaml, SIX) < 0);
    if (!strstr(b.error.text, wrong[i].text)) fail_msg("%s: %s", wrong[i].place, b.error.text);
    end(&b);
  }
  assert_true(try_text(&b, SOURCE RACKS "architecture: {use: kubernetes, place: preferred}\n", SIX) < 0);
  if (!strstr(b.error.text, "make it the policy's")) fail_msg("%s", b.error.text);
  end(&b);
  assert_true(try_text(&b,
                       SOURCE
                       "cell: {use: intervals, procs: 8}\npolicy: {select: scan, place: {use: preferred, "
                       "terms: [ssd=5]}}\n",
                       TITLES "1,0,100,1,1,\n") < 0);
  if (!strstr(b.error.text, "use a cell of hosts")) fail_msg("%s", b.error.text);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_a_task_prefers), cmocka_unit_test(test_terms),
                                     cmocka_unit_test(test_weighted), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
