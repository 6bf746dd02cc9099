/* test_trim.c -- which tasks each rule keeps, and the time it takes integrals over. */
#include "metric/contention.h"
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

/* Four processors. At 0 user 1 takes three and user 3 one, for a second. At 2 users 1 and 2 ask for one and
 * four: the first would fit and is not started, the second does not. At 3 user 4 has the last one: nothing
 * fits. User 3 had its last task before all that; user 4 ran out at 3, which ends what began at 2; user 2 at
 * 10, which ends what began at 3. */
static void test_contended(void **state)
{
  const hc_task_record t[] = {task_of(0, 0, 0, 10, 3, 1),  task_of(1, 0, 0, 1, 1, 3),
                              task_of(2, 2, 10, 20, 4, 2), task_of(3, 2, 5, 8, 1, 1),
                              task_of(4, 3, 3, 5, 1, 4),   task_of(5, 7, 20, 25, 1, 1)};
  void *o = default_options(&hc_trim_contended.component);
  hc_metric_context context = context_of(4);
  hc_trim_input in = run;
  int64_t serial;
  hc_time from, to;
  HC_UNUSED(state);
  assert_true(hc_trim_contended.needs_contention);
  assert_false(hc_trim_full.needs_contention);
  assert_int_equal(hc_contention_find(&context, t, 6, NULL, &in, &serial), 0);
  hc_trim_contended.window(o, &in, &from, &to);
  assert_true(from == S(3) && to == S(10));
  assert_true(hc_trim_contended.keeps(o, &in, 0, &t[4]) && hc_trim_contended.keeps(o, &in, 0, &t[2]));
  assert_false(hc_trim_contended.keeps(o, &in, 0, &t[0]) || hc_trim_contended.keeps(o, &in, 0, &t[5]));
  set_option(&hc_trim_contended.component, o, "fits", 0); /* not_all */
  hc_trim_contended.window(o, &in, &from, &to);
  assert_true(from == S(2) && to == S(3));
  /* User 1 alone never waits in vain: no window, and no task is in it. */
  assert_int_equal(hc_contention_find(&context, t, 2, NULL, &in, &serial), 0);
  assert_true(in.contended_from[0] == HC_UNKNOWN && in.contended_from[1] == HC_UNKNOWN);
  hc_trim_contended.window(o, &in, &from, &to);
  assert_true(from == to);
  assert_false(hc_trim_contended.keeps(o, &in, 0, &t[0]));
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pyss), cmocka_unit_test(test_window), cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_full), cmocka_unit_test(test_ids),    cmocka_unit_test(test_contended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
