/* test_special.c -- distributions against closed forms and published tables. */
#define _GNU_SOURCE /* M_PI */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"
#include "base/variates.h"

static void near_to(double got, double want, double relative)
{
  if (!(fabs(got - want) <= relative * fmax(fabs(want), 1e-300)))
    fail_msg("got %.17g, want %.17g", got, want);
}

/* Gamma(n + 1) = n!, Gamma(1/2) = sqrt(pi), Gamma(3/2) = sqrt(pi) / 2. */
static void gamma_is_the_factorial(void **state)
{
  double factorial = 1;
  HC_UNUSED(state);
  for (int n = 1; n < 30; n++) {
    factorial *= n;
    if (n > 1) near_to(hc_gamma_log(n + 1.0), log(factorial), 1e-14);
  }
  near_to(hc_gamma_log(0.5), 0.5 * log(M_PI), 1e-14);
  near_to(hc_gamma_log(1.5), log(sqrt(M_PI) / 2), 1e-13);
  assert_true(fabs(hc_gamma_log(1)) < 1e-14 && fabs(hc_gamma_log(2)) < 1e-14);
  assert_true(isnan(hc_gamma_log(0)) && isnan(hc_gamma_log(-1)));
}

/* Q(1, x) = exp(-x); Q(n, x) = exp(-x) sum x^k / k!, a Poisson probability; Q(1/2, x) = erfc(sqrt x). */
static void incomplete_gamma_matches_closed_forms(void **state)
{
  HC_UNUSED(state);
  for (double x = 0.01; x < 60; x *= 1.3) {
    double sum = 0, term = 1;
    near_to(hc_gamma_above(1, x), exp(-x), 1e-12);
    for (int k = 0; k < 7; k++) {
      sum += term;
      term *= x / (k + 1);
    }
    near_to(hc_gamma_above(7, x), exp(-x) * sum, 1e-11);
    near_to(hc_gamma_above(0.5, x), erfc(sqrt(x)), 1e-11);
  }
  assert_true(hc_gamma_above(3, 0) == 1 && hc_gamma_above(3, INFINITY) == 0 && isnan(hc_gamma_above(3, -1)));
  /* chi-square table (NIST e-Handbook 1.3.6.7.4): upper 5 % of 1, 5, 10 degrees 3.841, 11.070, 18.307 */
  near_to(hc_gamma_above(0.5, 3.841 / 2), 0.05, 1e-3);
  near_to(hc_gamma_above(2.5, 11.070 / 2), 0.05, 1e-3);
  near_to(hc_gamma_above(5, 18.307 / 2), 0.05, 1e-3);
}

static void normal_matches_its_table(void **state)
{
  /* Abramowitz and Stegun, table 26.1 and 26.5; tails by erfc. */
  HC_UNUSED(state);
  near_to(hc_normal_below(1), 0.841344746068543, 1e-13);
  near_to(hc_normal_below(-1.96), 0.0249978951482204, 1e-12);
  near_to(hc_normal_below(-10), 0.5 * erfc(10 / sqrt(2)), 1e-10);
  near_to(hc_normal_below(-37), 0.5 * erfc(37 / sqrt(2)), 1e-9);
  assert_true(hc_normal_below(0) == 0.5 && hc_normal_below(INFINITY) == 1 && hc_normal_below(-INFINITY) == 0);
  near_to(hc_normal_quantile(0.975), 1.959963984540054, 1e-13);
  near_to(hc_normal_quantile(0.95), 1.644853626951473, 1e-13);
  near_to(hc_normal_quantile(0.005), -2.575829303548901, 1e-13);
  near_to(hc_normal_quantile(1e-10), -6.361340902404056, 1e-12);
  for (double p = 1e-300; p < 1; p = p * 1.7 + 1e-3) near_to(hc_normal_below(hc_normal_quantile(p)), p, 1e-9);
}

/* I_x(1, b) = 1 - (1 - x)^b; I_x(a, 1) = x^a; I_x(1/2, 1/2) = 2/pi asin sqrt x; P(X <= k) of a binomial. */
static void incomplete_beta_matches_closed_forms(void **state)
{
  HC_UNUSED(state);
  for (double x = 0.03; x < 1; x += 0.07) {
    near_to(hc_beta_below(1, 4.5, x), 1 - pow(1 - x, 4.5), 1e-12);
    near_to(hc_beta_below(3.25, 1, x), pow(x, 3.25), 1e-12);
    near_to(hc_beta_below(0.5, 0.5, x), 2 / M_PI * asin(sqrt(x)), 1e-12);
  }
  near_to(hc_beta_below(10 - 2, 2 + 1, 0.5), 56.0 / 1024, 1e-12); /* 1 + 10 + 45 of 2^10 */
  assert_true(hc_beta_below(2, 3, 0) == 0 && hc_beta_below(2, 3, 1) == 1 && isnan(hc_beta_below(2, 3, 1.5)));
}

static void student_tail_inverts_its_quantile(void **state)
{
  static const double degrees[] = {1, 2, 3, 9, 29, 99, 1000};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(degrees); i++) {
    near_to(hc_student_outside(hc_student_t(0.95, degrees[i]), degrees[i]), 0.05, 1e-10);
    near_to(hc_student_outside(-hc_student_t(0.999, degrees[i]), degrees[i]), 0.001, 1e-10);
  }
  near_to(hc_student_outside(1, 1), 0.5, 1e-13);      /* Cauchy: quartiles at -1 and 1 */
  near_to(hc_student_outside(2.228, 10), 0.05, 1e-3); /* any t table */
  assert_true(hc_student_outside(0, 5) == 1 && hc_student_outside(INFINITY, 5) == 0 &&
              isnan(hc_student_outside(NAN, 5)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gamma_is_the_factorial),
      cmocka_unit_test(incomplete_gamma_matches_closed_forms),
      cmocka_unit_test(normal_matches_its_table),
      cmocka_unit_test(incomplete_beta_matches_closed_forms),
      cmocka_unit_test(student_tail_inverts_its_quantile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
