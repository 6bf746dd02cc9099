/* test_advance.c -- advance reservations in cases small enough to follow by hand, what is refused and how it
 * is said, what is told of overruns and of users that never come. Random ones:
 * tests/property/test_advance.c. */
#include "engine_test.h"

#define COUNTED "cell: {use: count, procs: 8}\nparanoid: true\noverrun: run_on\n"
#define ON_HOSTS \
  "cell: {use: hosts, classes: [{name: h, count: 4, cpus: 2}]}\nparanoid: true\noverrun: run_on\n"
#define KEPT "reservations: [{units: 4, users: [2], start: 100, end: 200}]\n"
#define HOSTS_KEPT "reservations: [{hosts: [0, 1], users: [2], start: 100, end: 200}]\n"

/* Eight processors, four of them user 2's in [100, 200). Task 1 (4, to 50) is over; task 2 would run into it
 * with 5 and waits until 200; task 3 fits beside it; task 4 is user 2's, task 5 too: more than is kept,
 * while there is room. */
static const job five[] = {
    J(1, 0, 50, 4, 50),
    J(2, 60, 50, 5, 50),
    J(3, 61, 60, 4, 60),
    J_WITH(4, 110, 30, 3, 30, .user = 2),
    J_WITH(5, 125, 90, 3, 90, .user = 2),
};

static void test_processors(void **state)
{
  (void)state;
  assert_starts(COUNTED KEPT "policy: {select: scan}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 61, 110, 125});
  assert_starts(COUNTED KEPT "policy: {select: easy}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 61, 110, 125});
  /* in order: task 2 blocks the others until its window is over, and more are there then */
  assert_starts(COUNTED KEPT "policy: {select: blocking}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 250, 250, 280});
}

/* Tasks of two cores have a host whole. Of four hosts 0 and 1 are user 2's in [100, 200). */
static void test_hosts(void **state)
{
  static const job jobs[] = {
      J(1, 60, 40, 1, 40),                   /* over at 100: any host */
      J(2, 61, 40, 1, 40),                   /* would end at 101: host 2 */
      J_WITH(3, 62, 100, 1, 100, .user = 2), /* its users' own: host 0, beside task 1 */
      J(4, 150, 10, 3, 10),                  /* three cores on hosts 2 and 3: there are four */
      J(5, 151, 10, 3, 10),                  /* one is left there, and 0 and 1 are closed */
  };
  (void)state;
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: scan}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: easy}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: conservative}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
}

/* Nothing else happens at 200: the end of a window is a reason to decide. It comes back twice, and the task
 * is too long to run in between. */
static void test_recurs(void **state)
{
  static const job jobs[] = {J(1, 0, 60, 8, 60)};
  (void)state;
  assert_starts(COUNTED "reservations: [{units: 1, users: [2], start: 50, end: 100, every: 100, times: 3}]\n",
                8, jobs, 1, (int64_t[]){300});
}

static void note_of(bench *b, char *out, size_t size);

static hc_rc take_note(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "reservation_note") == 0) (void)snprintf(ctx, 512, "%s", values[1]);
  return 0;
}

static void note_of(bench *b, char *out, size_t size)
{
  hc_result *r;
  assert_true(size >= 512);
  out[0] = '\0';
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "hindcast", 2, take_note, out, &b->error));
  hc_result_free(r);
}

static hc_rc take_overrun(void *ctx, const char *const *values)
{
  int64_t *row = ctx;
  for (int i = 0; i < 4; i++) row[i] = strtoll(values[i], NULL, 10);
  row[4]++;
  return 0;
}

/* Task 1 should end at 90 and has six of eight until 150: of four that are kept two are missing. User 9
 * never comes. */
static void test_overruns_are_told(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 6, 90), J_WITH(2, 110, 10, 4, 10, .user = 2)};
  int64_t row[5] = {0};
  char note[512];
  bench b;
  hc_result *r;
  (void)state;
  begin(&b, COUNTED "reservations: [{units: 4, users: [2, 9], start: 100, end: 200}]\n", 8, jobs, 2, NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 150);
  note_of(&b, note, sizeof note);
  assert_non_null(strstr(note, "1 time others still held"));
  assert_non_null(strstr(note, "no task came from user 9, which reservation 1 names"));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "overruns", 4, take_overrun, row, &b.error));
  hc_result_free(r);
  const int64_t expected[5] = {0, 100 * HC_SECOND, -1, 2, 1};
  assert_memory_equal(row, expected, sizeof row);
  end(&b);
}

static void refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_begin(&b, yaml, 8, five, COUNT(five), NULL);
  if (rc >= 0) fail_msg("%s is accepted", yaml);
  if (!strstr(b.error.text, text)) fail_msg("%s: says \"%s\", not \"%s\"", yaml, b.error.text, text);
  end(&b);
}

static void test_refusals(void **state)
{
  (void)state;
#define COUNTED_WITH(text) COUNTED "reservations: [" text "]\n"
#define HOSTS_WITH(text) ON_HOSTS "reservations: [" text "]\n"
  refused(COUNTED_WITH("{units: 4, users: [1], end: 5}"), "`start` and `end`");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 5, end: 5}"), "it ends before it begins");
  refused(COUNTED_WITH("{units: 4, start: 1, end: 5}"), "no task may use it");
  refused(COUNTED_WITH("{users: [1], start: 1, end: 5}"), "an amount of 0");
  refused(COUNTED_WITH("{units: 9, users: [1], start: 1, end: 5}"),
          "9 processors are reserved, and the cell has 8");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 1, end: 5, every: 3, times: 2}"),
          "begins again before it ends");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 1, end: 5, times: 2}"),
          "`every` and `times` go together");
  refused(COUNTED_WITH("{hosts: all, users: [1], start: 1, end: 5}"), "this cell counts processors");
  refused(COUNTED_WITH("{units: 5, users: [1], start: 1, end: 5}, "
                       "{units: 4, users: [2], start: 4, end: 9}"),
          "9 processors are reserved when reservation 2 begins");
  refused(COUNTED_WITH("{units: 1, users: [1], start: 1, end: 5}, "
                       "{units: 4, users: [1], start: 4, end: 9}"),
          "of one user or account");
  refused(HOSTS_WITH("{units: 5, users: [1], start: 1, end: 5}"), "this cell has hosts");
  refused(HOSTS_WITH("{users: [1], start: 1, end: 5}"), "no host");
  refused(HOSTS_WITH("{hosts: h-9, users: [1], start: 1, end: 5}"), "there is no host");
  refused(HOSTS_WITH("{count: 5, users: [1], start: 1, end: 5}"), "5 hosts are reserved, and 4");
  refused(HOSTS_WITH("{hosts: 0-2, users: [1], start: 1, end: 5}, "
                     "{hosts: 2, users: [2], start: 4, end: 9}"),
          "have a host at one time");
  refused(HOSTS_WITH("{hosts: 0-2, users: [1], start: 1, end: 5}, "
                     "{count: 2, users: [2], start: 4, end: 9}"),
          "2 hosts are reserved, and 1");
  refused(ON_HOSTS HOSTS_KEPT "architecture: shared_state\n", "one job at a time");
  refused(ON_HOSTS HOSTS_KEPT "policy: gang\n", "suspends");
  refused(COUNTED KEPT "policy: {place: contiguous}\n", "one range");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_processors), cmocka_unit_test(test_hosts),
      cmocka_unit_test(test_recurs),     cmocka_unit_test(test_overruns_are_told),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
