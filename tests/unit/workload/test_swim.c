/* test_swim.c -- Hadoop workloads: tasks and run times that are derived from bytes, and what ties them. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_swim;
#define SWIM &hc_reader_swim

/* The rest of what lines become is in tests/rows/swim.rows. */
static void test_says(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, SWIM, "job0\t49\t49\t250\t1500\t500\n", NULL, NULL, NULL);
  assert_int_equal(r.type->refers(r.source), HC_REFERS_JOB);
  assert_non_null(strstr(r.type->info(r.source)->derived, "bytes only"));
  end_reading(&r);
}

static void test_resumed(void **state)
{
  const char *text = "a\t0\t0\t1\t1\t1\nbad\nb\t1\t1\t1\t0\t1\nc\t2\t1\t1\t1\t1\n";
  HC_UNUSED(state);
  for (size_t after = 0; after < 4; after++) expect_resumable(SWIM, text, after, NULL);
}

static void test_lines(void **state)
{
  hc_chosen c = choose(&hc_reader_swim.component, "file=x", NULL);
  const hc_allocator *a = hc_default_allocator();
  const char text[] = "job5\t12\t1\t1\t1\t1\n";
  void *layout = NULL;
  hc_error e = {0};
  hc_time submit = 0;
  int64_t id = 9;
  HC_UNUSED(state);
  assert_int_equal(hc_reader_swim.line_begin(a, c.options, text, sizeof text - 1, &layout, &e), 0);
#define KIND(line) hc_reader_swim.line_key(layout, line, strlen(line), &submit, &id)
  assert_int_equal(KIND("# x"), HC_LINE_HEAD);
  assert_int_equal(KIND("job5\t12\t1\t1\t1\t1\r"), HC_LINE_ROW);
  assert_int_equal(submit, 12 * HC_SECOND);
  assert_int_equal(id, 0);
  assert_int_equal(KIND("job5\tx\t1\t1\t1\t1"), HC_LINE_BROKEN);
  assert_int_equal(KIND("job5\t1"), HC_LINE_BROKEN);
#undef KIND
  hc_reader_swim.line_end(a, layout);
  drop(&c);
}

static void test_recognised(void **state)
{
  const char *yes = "job0\t49\t49\t740773\t2339561\t627471\n", *no = "1\t49\t49\t740773\t2339561\t627471\n";
  HC_UNUSED(state);
  assert_int_equal(hc_reader_swim.recognise("x", yes, strlen(yes)), 90);
  assert_int_equal(hc_reader_swim.recognise("x", no, strlen(no)), 0);
  assert_int_equal(hc_reader_swim.recognise("x", "", 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_says),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
