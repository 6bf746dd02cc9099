/* test_downtime.c -- downtime that events announce ahead, in cases small enough to follow by hand, and what
 * is refused. Random ones: tests/property/test_advance.c. */
#include "engine_test.h"

#define CELL(n) \
  "cell: {use: hosts, classes: [{name: h, count: " #n ", cpus: 1}]}\nparanoid: true\noverrun: run_on\n"
#define DOWN(rest) "events: {use: list, changes: [{at: 100, hosts: 1, change: down, until: 200" rest "}]}\n"

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
#define SCHEDULE(yaml, jobs, ...) assert_schedule(yaml, jobs, COUNT(jobs), (const int64_t[]){__VA_ARGS__})

/* Two hosts of one core, the second away in [100, 200). Task 1 (150 s) takes the first; task 2 (150 s) would
 * be cut on the second and waits for the first, until 150; task 3 (80 s, from 10) is over at 90. Task 4 (90
 * s) would end at 180: it waits until the second host is back. Task 5 (10 s) has the ten seconds from 90 to
 * 100. */
static const job five[] = {J(1, 0, 150, 1, 150), J(2, 0, 150, 1, 150), J(3, 10, 80, 1, 80),
                           J(4, 20, 90, 1, 90), J(5, 30, 10, 1, 10)};

static void test_nothing_is_cut(void **state)
{
  static const char *const selects[] = {"scan",
                                        "easy",
                                        "{use: easy, reserve: hosts}",
                                        "{use: easy, ahead: true}",
                                        "conservative",
                                        "{use: conservative, replan: none}",
                                        "slack"};
  char yaml[500];
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    (void)snprintf(yaml, sizeof yaml, CELL(2) DOWN(", announced: 0") "policy: {select: %s}\n", selects[i]);
    SCHEDULE(yaml, five, 0, 150, 10, 200, 90);
    /* of an amount of processors the same is a reservation */
    (void)snprintf(
        yaml, sizeof yaml,
        "cell: {use: count, procs: 2}\nparanoid: true\npolicy: {select: %s}\nreservations: [{units: 1, "
        "maintenance: true, start: 100, end: 200}]\n",
        strcmp(selects[i], "{use: easy, reserve: hosts}") == 0 ? "easy" : selects[i]);
    SCHEDULE(yaml, five, 0, 150, 10, 200, 90);
  }
  /* in order: task 2 blocks, then 3 has the second host from 200, 4 after it and 5 the first at 300 */
  SCHEDULE(CELL(2) DOWN(", announced: 0") "policy: {select: blocking}\n", five, 0, 150, 200, 280, 300);
}

/* Nothing is known of a failure: task 2 starts at 0, is lost at 100, and begins again at 150. */
static void test_failures_are_not_known(void **state)
{
  static const job two[] = {J(1, 0, 150, 1, 150), J(2, 0, 150, 1, 150)};
  (void)state;
  assert_schedule(CELL(2) DOWN("") "policy: easy\n", two, 2, (int64_t[]){0, 150});
  assert_schedule(CELL(2) DOWN(", announced: never") "policy: easy\nhost_loss: lost\n", two, 2,
                  (int64_t[]){0, 0});
  assert_schedule(CELL(2) DOWN(", announced: 0") "policy: easy\nhost_loss: lost\n", two, 2,
                  (int64_t[]){0, 150});
}

/* Announced at 50: task 1 (150 s) has started on the second host by then and is lost, and has the third host
 * at 100. Task 2, of 60, would be cut, and waits until that one is free again; task 3, of 61, takes 39 s. */
static void test_late_announcement(void **state)
{
  static const job jobs[] = {J(1, 0, 400, 1, 400), J(2, 1, 150, 1, 150), J(3, 60, 40, 1, 41),
                             J(4, 61, 39, 1, 39)};
  (void)state;
  SCHEDULE(CELL(3) "events: {use: list, changes: [{at: 100, hosts: [1, 2], until: 200, announced: 50}]}\n"
                   "policy: easy\n",
           jobs, 0, 200, 200, 61);
}

/* Three hosts, the second away in [100, 200), the first busy until 250. Task 2 wants all three: it is
 * promised 250, since the second is known to return by then. Task 3 (200 s, from 120) would keep the third
 * until 320: it waits. What does not return is no promise: as with a failure task 3 starts at once and task 2
 * waits for it. */
static void test_returns_are_known(void **state)
{
  static const job jobs[] = {J(1, 0, 250, 1, 250), J(2, 110, 50, 3, 50), J(3, 120, 200, 1, 200)};
  static const char *const selects[] = {"easy", "{use: easy, reserve: hosts}", "conservative"};
  char yaml[500];
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    (void)snprintf(yaml, sizeof yaml, CELL(3) DOWN(", announced: 0") "policy: {select: %s}\n", selects[i]);
    assert_schedule(yaml, jobs, 3, (int64_t[]){0, 250, 300});
    (void)snprintf(yaml, sizeof yaml, CELL(3) DOWN("") "policy: {select: %s}\n", selects[i]);
    assert_schedule(yaml, jobs, 3, (int64_t[]){0, 320, 120});
    /* another source holds the host beyond the downtime, from 150 to 290: from 150 on nothing is promised,
       and task 3 starts */
    (void)snprintf(
        yaml, sizeof yaml,
        CELL(3) "events: [{use: list, changes: [{at: 100, hosts: 1, until: 200, announced: 0}]},\n"
                "  {use: list, changes: [{at: 150, hosts: 1, until: 290}]}]\npolicy: {select: %s}\n",
        selects[i]);
    assert_schedule(yaml, jobs, 3, (int64_t[]){0, 350, 150});
  }
}

/* For good: a task that would be cut never has that host, and the other one when it is free. */
static void test_for_good(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 1, 150), J(2, 0, 150, 1, 150), J(3, 10, 90, 1, 90)};
  static const char *const selects[] = {"scan", "easy", "conservative", "slack"};
  char yaml[500];
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    (void)snprintf(
        yaml, sizeof yaml,
        CELL(2) "events: {use: list, changes: [{at: 100, hosts: 1, announced: 0}]}\npolicy: {select: "
                "%s}\n",
        selects[i]);
    SCHEDULE(yaml, jobs, 0, 150, 10);
  }
}

static const char *const tables[] = {
    "at,host,change,announced\n100,h-1,down,0\n200,h-1,up,\n",
    /* back by another row of the same hosts; a second downtime concerns none of these */
    "at,host,change,announced\n100,1,down,0s\n200,0-1,up,\n600,0,down,500\n700,0,up,\n",
    "announced,cpus,at,host,change\n,,50,0,drain\n,,60,0,up\n0,,100,h-1,down\n,,200,h-1,up\n",
};

/* The same as in test_nothing_is_cut, from tables. */
static void test_file(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(tables); i++) {
    char path[64], yaml[500];
    write_log(path, tables[i], strlen(tables[i]));
    (void)snprintf(yaml, sizeof yaml, CELL(2) "events: {use: file, file: %s}\npolicy: easy\n", path);
    SCHEDULE(yaml, five, 0, 150, 10, 200, 90);
    (void)unlink(path);
  }
}

static void refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_begin(&b, yaml, 8, five, COUNT(five), NULL);
  if (rc >= 0) fail_msg("%s is accepted", yaml);
  if (!strstr(b.error.text, text)) fail_msg("%s: says \"%s\", not \"%s\"", yaml, b.error.text, text);
  end(&b);
}

static void refused_file(const char *table, const char *text)
{
  char path[64], yaml[500];
  write_log(path, table, strlen(table));
  (void)snprintf(yaml, sizeof yaml, CELL(2) "events: {use: file, file: %s}\n", path);
  refused(yaml, text);
  (void)unlink(path);
}

static void test_refusals(void **state)
{
  (void)state;
#define CHANGES(text) CELL(2) "events: {use: list, changes: [" text "]}\n"
  refused(CHANGES("{at: 5, hosts: 1, change: drain, announced: 6}"), "announced after it has begun");
  refused(CHANGES("{at: 5, hosts: 1, until: 9, announced: 6}"), "announced after it has begun");
  refused(CHANGES("{at: 5, hosts: 1, until: 9, announced: 0}, {at: 7, hosts: 1, until: 8, announced: 0}"),
          "a host of this announced downtime is in events list, change 1 at the same time");
  refused(CHANGES("{at: 5, hosts: 1, until: 9, announced: 0}") "reservations: [{hosts: 0-1, users: [2], "
                                                               "start: 1, end: 6}]\n",
          "is in reservation 1 at the same time");
  refused(CELL(2) DOWN(", announced: 0") "architecture: shared_state\n", "leave out `announced`");
  refused(CELL(2) DOWN(", announced: 0") "policy: gang\n", "suspends tasks");
  refused(CELL(2) DOWN(", announced: 0") "policy: malleable\n", "resizes tasks");
  refused(CELL(2) DOWN(", announced: 0") "policy: sleeping\n", "`announced`");
  refused("cell: {use: count, procs: 2}\n" DOWN(", announced: 0"), "{units: N, maintenance: true}");
  refused_file("at,host,change,announced\n5,1,up,0\n", "host 1 is not away by then");
  refused_file("at,host,change,announced\n5,1,down,x\n", "announced: expected a time");
  refused_file("at,host,change,announced\n5,1,down,6\n", "announced after it has begun");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_is_cut),    cmocka_unit_test(test_failures_are_not_known),
      cmocka_unit_test(test_late_announcement), cmocka_unit_test(test_returns_are_known),
      cmocka_unit_test(test_for_good),          cmocka_unit_test(test_file),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
