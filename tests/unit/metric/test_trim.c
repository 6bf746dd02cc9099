/* test_trim.c -- which tasks each rule keeps, and the time it takes integrals over. */
#include "metric_test.h"

#define HC_TRIM(x) extern const hc_trim_type hc_trim_##x;
#include "metric/trims.def"
#undef HC_TRIM

/* 1,000 tasks: number i is submitted at 10 i, ends at 10 i + 100. The machine is full from 50 to 10,000. */
static const hc_trim_input run = {.tasks = 1000,
                                  .first_submit = 0,
                                  .last_submit = S(9990),
                                  .first_start = 0,
                                  .last_end = S(10090),
                                  .full_from = S(50),
                                  .full_to = S(10000)};

static size_t kept(const hc_trim_type *t, const void *options, const hc_trim_input *in, uint64_t *first,
                   uint64_t *last)
{
  size_t n = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    int64_t at = 10 * (int64_t)i;
    hc_task_record r = task_of((int64_t)i, at, at, at + 100, 1, 1);
    if (!t->keeps(options, in, i, &r)) continue;
    if (n++ == 0) *first = i;
    *last = i;
  }
  return n;
}

static void test_pyss(void **state)
{
  uint64_t first = 0, last = 0;
  hc_time from, to;
  HC_UNUSED(state);
  /* 1000 / 100 = 10 dropped in front; 10 i + 100 <= 9990 keeps up to i = 989. */
  assert_int_equal(kept(&hc_trim_pyss, NULL, &run, &first, &last), 980);
  assert_int_equal(first, 10);
  assert_int_equal(last, 989);
  hc_trim_pyss.window(NULL, &run, &from, &to);
  assert_true(from == 0 && to == S(9990));
}

static void test_window(void **state)
{
  void *o = default_options(&hc_trim_window.component);
  uint64_t first = 0, last = 0;
  hc_time from, to;
  HC_UNUSED(state);
  assert_int_equal(kept(&hc_trim_window, o, &run, &first, &last), 1000); /* no bounds */
  hc_trim_window.window(o, &run, &from, &to);
  assert_true(from == 0 && to == S(10090));
  set_option(&hc_trim_window.component, o, "from", 100);
  set_option(&hc_trim_window.component, o, "to", 200);
  assert_int_equal(kept(&hc_trim_window, o, &run, &first, &last), 10); /* 100, 110 ... 190 */
  assert_int_equal(first, 10);
  assert_int_equal(last, 19);
  hc_trim_window.window(o, &run, &from, &to);
  assert_true(from == S(100) && to == S(200));
  free(o);
}

static void test_ranks(void **state)
{
  void *o = default_options(&hc_trim_ranks.component);
  uint64_t first = 0, last = 0;
  HC_UNUSED(state);
  assert_int_equal(kept(&hc_trim_ranks, o, &run, &first, &last), 800); /* a tenth at each end */
  assert_int_equal(first, 100);
  assert_int_equal(last, 899);
  free(o);
}

static void test_full(void **state)
{
  hc_trim_input never = run;
  uint64_t first = 0, last = 0;
  hc_time from, to;
  HC_UNUSED(state);
  assert_int_equal(kept(&hc_trim_full, NULL, &run, &first, &last), 995); /* from 50 on */
  assert_int_equal(first, 5);
  hc_trim_full.window(NULL, &run, &from, &to);
  assert_true(from == S(50) && to == S(9990));
  never.full_from = never.full_to = HC_UNKNOWN;
  assert_int_equal(kept(&hc_trim_full, NULL, &never, &first, &last), 0);
  hc_trim_full.window(NULL, &never, &from, &to);
  assert_true(from == to);
}

static void test_ids(void **state)
{
  void *o = default_options(&hc_trim_ids.component);
  uint64_t first = 0, last = 0;
  HC_UNUSED(state);
  assert_int_equal(kept(&hc_trim_ids, o, &run, &first, &last), 1000);
  set_option(&hc_trim_ids.component, o, "first", 400);
  set_option(&hc_trim_ids.component, o, "last", 499);
  assert_int_equal(kept(&hc_trim_ids, o, &run, &first, &last), 100); /* both included */
  assert_int_equal(first, 400);
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pyss), cmocka_unit_test(test_window), cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_full), cmocka_unit_test(test_ids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
