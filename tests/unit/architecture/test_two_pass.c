/* test_two_pass.c -- a main pass and a backfill pass with clocks of their own: when each task starts, by
   hand. */
#include "starts_test.h"

#define TABLE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: limit, procs: procs, " \
  "priority: priority}\nmetrics: []\nparanoid: true\ncell: {use: count, procs: 4}\n"
#define TITLES "id,at,run,limit,procs,priority\n"

/* Task 1 holds three of four processors till 1000, task 2 wants all four, 3 and 4 fit beside 1 one after the
   other. */
static const char *const four = TITLES "1,0,1000,1000,3,0\n2,1,100,100,4,0\n3,2,450,500,1,0\n4,3,50,50,1,0\n";

static void test_clocks(void **state)
{
  (void)state;
  /* 3 waits for the tick at 100, 4 for the first after the end of 3 at 550; 2 starts when 1 ends, which is
     an event. */
  STARTS(TABLE "policy: easy\narchitecture: {use: two_pass, backfill_interval: 100s}\n", four, 0, 1000, 100,
         600);
  /* A monolithic scheduler lets them start at once. */
  STARTS(TABLE "policy: easy\n", four, 0, 1000, 2, 452);
  /* Heads wait for a clock, too: 1 is seen by the tick at 0, and 2, for which there is room from 1010 on, by
     that at 1020. */
  STARTS(TABLE "policy: easy\narchitecture: {use: two_pass, main_interval: 60s, backfill_interval: 100s}\n",
         TITLES "1,0,1010,1010,3,0\n2,1,100,100,4,0\n3,2,450,500,1,0\n", 0, 1020, 100);
  /* A backfill pass more often than the main pass starts heads as well. */
  STARTS(TABLE "policy: easy\narchitecture: {use: two_pass, main_interval: 900s, backfill_interval: 100s}\n",
         four, 0, 1000, 100, 600);
}

static void test_max_jobs(void **state)
{
  (void)state;
  /* The first of the queue is 2, which cannot start: nothing is backfilled. */
  STARTS(TABLE "policy: easy\narchitecture: {use: two_pass, backfill_interval: 100s, max_jobs: 1}\n", four, 0,
         1000, 1100, 1100);
  STARTS(TABLE "policy: easy\narchitecture: {use: two_pass, backfill_interval: 100s, max_jobs: 2}\n", four, 0,
         1000, 100, 600);
  /* Of two in the order of the queue, the larger priority first: 2, then 4, for which 3 waits. */
  STARTS(TABLE "policy: priority+easy\narchitecture: {use: two_pass, backfill_interval: 100s, max_jobs: 2}\n",
         TITLES "1,0,1000,1000,3,9\n2,1,100,100,4,9\n3,2,450,500,1,1\n4,3,50,50,1,5\n", 0, 1000, 200, 100);
  /* Candidates in an order of their own are those of the first two all the same. */
  STARTS(TABLE
         "policy: {select: {use: easy, candidates: sjf}}\narchitecture: {use: two_pass, backfill_interval: "
         "100s, max_jobs: 2}\n",
         four, 0, 1000, 100, 600);
}

/* The main pass may look past a head that does not fit; then a promise is no more than a plan. */
static void test_main_scans(void **state)
{
  (void)state;
  STARTS(TABLE "policy: conservative\narchitecture: {use: two_pass, main: scan, backfill_interval: 100s}\n",
         four, 0, 1000, 2, 452);
  STARTS(TABLE "policy: conservative\narchitecture: {use: two_pass, backfill_interval: 100s}\n", four, 0,
         1000, 100, 600);
  STARTS(TABLE "policy: slack\narchitecture: {use: two_pass, backfill_interval: 100s}\n", four, 0, 1000, 100,
         600);
}

/* Saved and taken up again it is the same. */
static void test_pieces(void **state)
{
  bench b;
  (void)state;
  check(&b, try_text(&b,
                     TABLE
                     "policy: conservative\narchitecture: {use: two_pass, main_interval: 60s, max_jobs: 3}\n",
                     four));
  finish_in_pieces(&b, 1);
  assert_int_equal(start_of(&b, 3), 30);
  assert_int_equal(start_of(&b, 4), 480);
  end(&b);
}

static void refuses(const char *architecture, const char *why)
{
  char yaml[512];
  bench b;
  (void)snprintf(yaml, sizeof yaml, TABLE "policy: easy\narchitecture: {use: two_pass, %s}\n", architecture);
  assert_true(try_text(&b, yaml, four) < 0);
  if (!strstr(b.error.text, why)) fail_msg("%s\nis refused by\n%s", yaml, b.error.text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  refuses("main: easy", "cannot be the main pass");
  refuses("main: fair", "cannot be the main pass");
  refuses("main: sjf", "the queue has one, that of the run's `policy`");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clocks), cmocka_unit_test(test_max_jobs),
                                     cmocka_unit_test(test_main_scans), cmocka_unit_test(test_pieces),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
