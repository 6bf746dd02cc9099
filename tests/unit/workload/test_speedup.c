/* test_speedup.c -- Downey's and Sevcik's speed-ups against what their formulas must have in common.
 *
 * Each branch of Downey's curve is a formula of its own; where two meet they must agree, at sigma = 1 both
 * families are the same function, one processor gives 1 and enough of them give A. */
#define _GNU_SOURCE
#include "generator_test.h"

#include "base/speedup.h"

static const double parallelisms[] = {1, 1.5, 2, 7.25, 64, 1000};
static const double sigmas[] = {0, 0.3, 0.999, 1, 1.001, 1.7, 2, 10};

#define EACH \
  for (size_t i = 0; i < HC_ARRAY_LEN(parallelisms); i++) \
    for (size_t k = 0; k < HC_ARRAY_LEN(sigmas); k++)

static void one_processor_is_no_faster(void **state)
{
  HC_UNUSED(state);
  EACH is_near("S(1)", hc_speedup_by_downey(1, parallelisms[i], sigmas[k]), 1, 1e-15);
}

/* A step of 1e-9 across the joint moves S by less than 1e-9 times the greatest slope, which is 1. */
static void branches_meet(void **state)
{
  HC_UNUSED(state);
  EACH
  {
    const double a = parallelisms[i], sigma = sigmas[k], joints[] = {a, hc_speedup_downey_knee(a, sigma)};
    for (size_t j = 0; j < 2; j++) {
      const double below = hc_speedup_by_downey(joints[j] - 1e-9, a, sigma),
                   at = hc_speedup_by_downey(joints[j], a, sigma),
                   above = hc_speedup_by_downey(joints[j] + 1e-9, a, sigma);
      is_near("from below", below, at, 2e-9 + 1e-13 * a);
      is_near("from above", above, at, 2e-9 + 1e-13 * a);
    }
    is_near("at its knee", hc_speedup_by_downey(joints[1], a, sigma), a, 1e-12 * a);
  }
}

static void the_families_meet_at_one(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(parallelisms); i++) {
    const double a = parallelisms[i];
    for (double n = 1; n < 3 * a; n += 0.37)
      is_near("sigma = 1", hc_speedup_by_downey(n, a, 1 - 1e-12), hc_speedup_by_downey(n, a, 1), 1e-11 * a);
  }
}

/* It never falls, never exceeds n nor A, and each processor is used no better than the one before. */
static void it_grows_to_the_average_parallelism(void **state)
{
  HC_UNUSED(state);
  EACH
  {
    const double a = parallelisms[i], sigma = sigmas[k];
    double last = 1;
    for (double n = 1; n < 4 * a * (1 + sigma); n += 1) {
      const double s = hc_speedup_by_downey(n, a, sigma);
      assert_true(s >= last - 1e-12 * a && s <= a * (1 + 1e-12) && s <= n * (1 + 1e-12));
      last = s;
    }
    is_near("the limit", hc_speedup_by_downey(1e15, a, sigma), a, 0);
  }
}

/* Worked by hand. sigma 0: linear up to A. A = 4, sigma = 1/2: S(2) = 8 / 4.25; S(5) = 20 / (1.75 + 3.75) =
 * 40 / 11. A = 4, sigma = 2: S(2) = 2 4 3 / (2 5 + 4) = 12 / 7, knee at 4 + 8 - 2 = 10. */
static void worked_values(void **state)
{
  HC_UNUSED(state);
  is_near("linear", hc_speedup_by_downey(3, 4, 0), 3, 0);
  is_near("S(2; 4, 1/2)", hc_speedup_by_downey(2, 4, 0.5), 8 / 4.25, 1e-15);
  is_near("S(5; 4, 1/2)", hc_speedup_by_downey(5, 4, 0.5), 40.0 / 11, 1e-15);
  is_near("S(2; 4, 2)", hc_speedup_by_downey(2, 4, 2), 12.0 / 7, 1e-15);
  is_near("knee", hc_speedup_downey_knee(4, 2), 10, 0);
}

/* Mild: 1.02 1000 / 10 + 0.05. Steep: T has its least at sqrt(phi W / beta) = sqrt(52) processors. */
static void sevcik(void **state)
{
  HC_UNUSED(state);
  is_near("mild, 10", hc_sevcik_time(HC_SEVCIK_MILD, 1000, 10), 102.05, 1e-12);
  is_near("steep, 1", hc_sevcik_time(HC_SEVCIK_STEEP, 1000, 1), 1350, 1e-12);
  is_near("steep, 10", hc_sevcik_time(HC_SEVCIK_STEEP, 1000, 10), 130 + 25 + 250, 1e-12);
  is_near("S(1)", hc_sevcik_speedup(HC_SEVCIK_STEEP, 1000, 1), 1, 0);
  assert_true(hc_sevcik_speedup(HC_SEVCIK_STEEP, 1000, 7) > hc_sevcik_speedup(HC_SEVCIK_STEEP, 1000, 6));
  assert_true(hc_sevcik_speedup(HC_SEVCIK_STEEP, 1000, 8) < hc_sevcik_speedup(HC_SEVCIK_STEEP, 1000, 7));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_processor_is_no_faster),
      cmocka_unit_test(branches_meet),
      cmocka_unit_test(the_families_meet_at_one),
      cmocka_unit_test(it_grows_to_the_average_parallelism),
      cmocka_unit_test(worked_values),
      cmocka_unit_test(sevcik),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
