/* test_yt_operations.c -- operations of YTsaurus's simulator: going back to a state. What becomes of them:
 * tests/rows/yt_operations.rows. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_yt_operations;
#define TYPE (&hc_reader_yt_operations)

/* A map-reduce operation of three jobs that count, and, two seconds earlier, one of one job: the latter as
 * JSON. */
static const char two[] =
    "{operation_id=\"1-1-1-1\"; start_time=\"2017-01-24T10:00:00.5Z\"; authenticated_user=ann;\n"
    " spec={pool=research; weight=2.; other=<a=1>[1; {b=#}]};\n"
    " job_descriptions=[[20.; 1024; 1.5; 1; 7; j2; partition_reduce; completed];\n"
    "  [10.5; 2048; 1; 2; 0; j1; partition_map; failed]; [3.; 1; 1.; 1; 0; j3; partition_map; "
    "aborted_by_preemption];\n"
    "  [4.; 1; 0.0005; 0; 0; j4; partition_map; completed]]};\n"
    "{\"operation_id\": \"2\", \"start_time\": \"2017-01-24T09:59:58Z\", \"authenticated_user\": \"ben\",\n"
    " \"job_descriptions\": [[5, 1e9, 2, 1, 0, \"x\", \"vanilla\", \"completed\"]]}\n";

static void test_resumes(void **state)
{
  (void)state;
  expect_resumable(TYPE, two, 2, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_resumes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
