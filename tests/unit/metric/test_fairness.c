/* test_fairness.c -- measures of fairness against numbers worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric/fairness.h"

#define NEAR(a, b) assert_true((a) - (b) < 1e-12 && (b) - (a) < 1e-12)

static void jain(void **state)
{
  static const double alike[] = {3, 3, 3}, one[] = {5, 0, 0, 0}, two[] = {1, 3}, w[] = {1, 3},
                      none[] = {0, 0};
  (void)state;
  NEAR(hc_fairness_jain(3, alike, NULL), 1);
  NEAR(hc_fairness_jain(4, one, NULL), .25);
  NEAR(hc_fairness_jain(2, two, NULL), .8); /* 16 / (2 x 10) */
  NEAR(hc_fairness_jain(2, two, w), 1);
  NEAR(hc_fairness_jain(2, none, NULL), 1);
  assert_true(hc_fairness_jain(0, none, NULL) != hc_fairness_jain(0, none, NULL));
}

/* 9 CPUs, 18 GB; A's tasks take (1, 4), B's (3, 1). */
static void envy_and_sharing(void **state)
{
  static const double need[] = {1, 4, 3, 1}, drf[] = {3, 12, 6, 2}, greedy[] = {1, 4, 8, 14}, c[] = {9, 18};
  static const double w[] = {2, 1}, nothing[] = {0, 0, 9, 18};
  (void)state;
  NEAR(hc_fairness_envy(2, 2, need, drf, NULL, 0), 1);      /* (6, 2) is half a task of A's */
  NEAR(hc_fairness_envy(2, 2, need, drf, NULL, 1), 1);      /* (3, 12) is one of B's */
  NEAR(hc_fairness_envy(2, 2, need, greedy, NULL, 0), 3.5); /* (8, 14) is 3.5 of A's, it has 1 */
  NEAR(hc_fairness_envy(2, 2, need, greedy, w, 0), 7);      /* and ought to have twice as much */
  NEAR(hc_fairness_envy_tasks(2, 2, need, greedy, NULL, 0), 1.5);
  assert_true(hc_fairness_envy_tasks(2, 2, need, drf, NULL, 1) < 0);
  assert_true(hc_fairness_envy(2, 2, need, nothing, NULL, 0) > 1e300);
  NEAR(hc_fairness_sharing(2, 2, need, c, NULL, 0, 3), 3 / 2.25); /* alone on 4.5 CPUs, 9 GB: 2.25 */
  NEAR(hc_fairness_sharing(2, 2, need, c, NULL, 1, 2), 2 / 1.5);  /* 4.5 / 3 */
  NEAR(hc_fairness_sharing(2, 2, need, c, w, 1, 2), 2);           /* alone on 3 CPUs: 1 */
}

static void deficit(void **state)
{
  /* Two users, four samples; the first is short by .2, then .2, then gets .3 too much, then just its
   * share. */
  static const double fair[] = {.5, .5, .5, .5, .5, .5, .5, .5};
  static const double usage[] = {.3, .7, .3, .7, .8, .2, .5, .5};
  double d[4];
  (void)state;
  hc_fairness_deficit(4, 2, fair, usage, 2, d);
  NEAR(d[0], .2);
  NEAR(d[1], .4);
  NEAR(d[2], 0 + .1); /* first: .2 - .3 < 0; second: -.2 + .3 */
  NEAR(d[3], .3);     /* second: .3 + 0 */
  hc_fairness_deficit(4, 2, fair, usage, 1, d);
  NEAR(d[2], .3);
  NEAR(d[3], 0);
}

static void underserved_periods(void **state)
{
  static const hc_time at[] = {0, 10 * HC_SECOND, 15 * HC_SECOND, 30 * HC_SECOND, 31 * HC_SECOND};
  static const double fair[] = {1, 1, 1, 1, 1}, usage[] = {.5, .7, .8, .1, .2};
  hc_fairness_period p[2];
  (void)state;
  assert_int_equal(hc_fairness_underserved(5, at, 40 * HC_SECOND, fair, usage, .8, 0, p, 2), 2);
  assert_int_equal(p[0].begin, 0);
  assert_int_equal(p[0].end, 15 * HC_SECOND); /* .8 is not below .8 x 1 */
  assert_int_equal(p[1].begin, 30 * HC_SECOND);
  assert_int_equal(p[1].end, 40 * HC_SECOND);
  NEAR(hc_fairness_penalty(p, 2, 1), 25);
  NEAR(hc_fairness_penalty(p, 2, 2), 325); /* 225 + 100 */
  assert_int_equal(hc_fairness_underserved(5, at, 40 * HC_SECOND, fair, usage, .8, 10 * HC_SECOND, p, 2), 1);
  assert_int_equal(p[0].end, 15 * HC_SECOND);
}

static void finish_times(void **state)
{
  (void)state;
  NEAR(hc_fairness_finish(HC_HOUR, 4 * HC_HOUR, 2 * HC_HOUR), 1.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jain),         cmocka_unit_test(envy_and_sharing),
      cmocka_unit_test(deficit),      cmocka_unit_test(underserved_periods),
      cmocka_unit_test(finish_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
