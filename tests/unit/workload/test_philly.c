/* test_philly.c -- job logs of Philly: going back to a state, and telling one. What becomes of jobs:
 * tests/rows/philly.rows. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_philly;
#define PHILLY &hc_reader_philly

static void test_resumed(void **state)
{
#define AT(id, user, day) \
  "{\"id\": " id ", \"user\": \"" user "\", \"submitted_time\": \"2017-10-" day "\", \"num_gpus\": 8}"
  const char *text =
      "[" AT("1", "a", "02") "," AT("2", "b", "01") ", 5," AT("3", "a", "03") "," AT("4", "c", "04") "]";
  HC_UNUSED(state);
  for (size_t after = 0; after < 5; after++) expect_resumable(PHILLY, text, after, NULL);
}

static void test_recognised(void **state)
{
  const char *log = " [{\"jobid\": 1, \"submitted_time\": \"x\", \"attempts\": []}]";
  HC_UNUSED(state);
  assert_int_equal(hc_reader_philly.recognise("x", log, strlen(log)), 95);
  assert_int_equal(hc_reader_philly.recognise("x", "[]", 2), 0);
  assert_int_equal(hc_reader_philly.recognise("x", "", 0), 0);
  assert_int_equal(hc_reader_philly.recognise("data/cluster_job_log", "", 0), 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
