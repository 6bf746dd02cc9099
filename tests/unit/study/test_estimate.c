/* test_estimate.c -- means and their intervals, against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/study.h"

static bool is_near(double a, double b)
{
  double d = a - b;
  return d < 1e-9 && d > -1e-9;
}

/* Batches {1,3} {5,7} {9,11}: means 2, 6, 10; their mean 6, variance 16, so t(0.975, 2) * 4 / sqrt(3). */
static void interval_is_student_t_over_batch_means(void **state)
{
  const double values[] = {1, 3, 5, 7, 9, 11};
  hc_estimate e;
  HC_UNUSED(state);
  assert_int_equal(hc_estimate_mean(values, 6, 3, &e), 0);
  assert_int_equal(e.batches, 3);
  assert_true(is_near(e.mean, 6));
  assert_true(e.half_width > 9.9365 && e.half_width < 9.9366); /* 4.302653 * 4 / 1.7320508 */
}

static void left_over_values_go_to_the_first_batches(void **state)
{
  const double values[] = {0, 0, 0, 6, 6, 12, 12}; /* {0,0,0} {6,6} {12,12} */
  hc_estimate e;
  HC_UNUSED(state);
  assert_int_equal(hc_estimate_mean(values, 7, 3, &e), 0);
  assert_true(is_near(e.mean, 36.0 / 7));                        /* of the values, not of the batches */
  assert_true(e.half_width > 14.9048 && e.half_width < 14.9049); /* 4.302653 * 6 / sqrt(3) */
}

static void fewer_values_than_batches_are_a_batch_each(void **state)
{
  const double values[] = {1, 2};
  hc_estimate e;
  HC_UNUSED(state);
  assert_int_equal(hc_estimate_mean(values, 2, 30, &e), 0);
  assert_int_equal(e.batches, 2);
  assert_true(e.half_width > 6.353 && e.half_width < 6.354); /* 12.7062 * 0.7071 / sqrt(2) */
}

static void what_cannot_be_known_is_nan(void **state)
{
  const double one[] = {5};
  hc_estimate e;
  HC_UNUSED(state);
  assert_int_equal(hc_estimate_mean(one, 1, 30, &e), 0);
  assert_true(e.mean == 5 && e.half_width != e.half_width);
  assert_int_equal(hc_estimate_mean(one, 0, 30, &e), 0);
  assert_true(e.mean != e.mean);
  assert_int_equal(hc_estimate_mean(one, 1, 1, &e), HC_EUSAGE);
  assert_int_equal(hc_estimate_mean(one, 1, 1001, &e), HC_EUSAGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interval_is_student_t_over_batch_means),
      cmocka_unit_test(left_over_values_go_to_the_first_batches),
      cmocka_unit_test(fewer_values_than_batches_are_a_batch_each),
      cmocka_unit_test(what_cannot_be_known_is_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
