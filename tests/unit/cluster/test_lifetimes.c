/* test_lifetimes.c -- laws of times between failures: their means, and the number of failures that renewal
 * theory says. */
#include "cluster/lifetimes.h"

#include "base/math.h"
#include "base/util.h"
#include "cell_test.h"

enum { STREAMS = 4000 };

/* Failures of one renewal process up to `until`: each repair takes no time. */
static double failures(const hc_lifetime *l, uint64_t entity, hc_time until)
{
  const hc_draws s = {.seed = 11, .entity = entity, .purpose = HC_PURPOSE_TEST};
  hc_time at = 0;
  for (uint64_t n = 0;; n++) {
    at = hc_time_add(at, hc_lifetime_draw(l, &s, n));
    if (at > until) return (double)n;
  }
}

/* The mean over many processes is `expected`, within 4 of its own standard errors (one of 16,000 is
 * not). */
static void must_fail(const hc_lifetime *l, double seconds, double expected)
{
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < STREAMS; i++) {
    const double n = failures(l, i, (hc_time)(seconds * 1e9));
    sum += n;
    squares += n * n;
  }
  const double mean = sum / STREAMS, error = hc_sqrt((squares / STREAMS - mean * mean) / STREAMS);
  if (!(error > 0) || mean < expected - 4 * error || mean > expected + 4 * error)
    fail_msg("%g failures, and %g are expected (standard error %g)", mean, expected, error);
}

static hc_lifetime by_mean(int law, double mean, double shape)
{
  hc_lifetime l;
  hc_lifetime_fit(&l, law, (hc_time)(mean * 1e9), HC_UNKNOWN, shape);
  return l;
}

static hc_lifetime by_scale(int law, double scale, double shape)
{
  hc_lifetime l;
  hc_lifetime_fit(&l, law, HC_UNKNOWN, (hc_time)(scale * 1e9), shape);
  return l;
}

static void exponential_failures_are_a_poisson_process(void **state)
{
  HC_UNUSED(state);
  const hc_lifetime l = by_mean(HC_LIFE_EXPONENTIAL, 100, 1);
  must_fail(&l, 1000, 10); /* t / mean */
  must_fail(&l, 50, 0.5);
}

/* The sum of two exponential times of mean s: m(t) = t / 2s - (1 - exp(-2 t / s)) / 4, for every t. */
static void gamma_failures_of_shape_two_have_a_closed_form(void **state)
{
  HC_UNUSED(state);
  static const double times[] = {20, 100, 350, 2000};
  const hc_lifetime l = by_mean(HC_LIFE_GAMMA, 100, 2);
  for (size_t i = 0; i < HC_ARRAY_LEN(times); i++)
    must_fail(&l, times[i], times[i] / 100 - (1 - hc_exp(-4 * times[i] / 100)) / 4);
}

/* After long m(t) is t / m + (c^2 - 1) / 2, where m is the mean and c the coefficient of variation (Cox,
 * Renewal Theory, 1962, section 4.2). What is left of it dies out: at 40 means it is below a hundredth. */
static void failures_of_any_law_are_those_of_renewal_theory(void **state)
{
  HC_UNUSED(state);
  hc_lifetime l = by_mean(HC_LIFE_WEIBULL, 100, 0.7);
  const double one = hc_exp(hc_gamma_log(1 + 1 / 0.7)), two = hc_exp(hc_gamma_log(1 + 2 / 0.7));
  must_fail(&l, 4000, 40 + (two / (one * one) - 1 - 1) / 2);
  l = by_mean(HC_LIFE_WEIBULL, 100, 3);
  const double one3 = hc_exp(hc_gamma_log(1 + 1.0 / 3)), two3 = hc_exp(hc_gamma_log(1 + 2.0 / 3));
  must_fail(&l, 4000, 40 + (two3 / (one3 * one3) - 1 - 1) / 2);
  l = by_mean(HC_LIFE_LOGNORMAL, 100, 0.8);
  must_fail(&l, 4000, 40 + (hc_exp(0.64) - 1 - 1) / 2);
  l = by_mean(HC_LIFE_GAMMA, 100, 0.5);
  must_fail(&l, 4000, 40 + (1 / 0.5 - 1) / 2);
}

/* The mean that follows from a scale, as each law's formula has it. */
static void a_scale_is_that_of_the_formula(void **state)
{
  HC_UNUSED(state);
  hc_lifetime l = by_scale(HC_LIFE_EXPONENTIAL, 50, 2);
  assert_int_equal(l.mean, INT64_C(50000000000));
  l = by_scale(HC_LIFE_FIXED, 50, 2);
  assert_int_equal(l.mean, INT64_C(50000000000));
  assert_int_equal(hc_lifetime_draw(&l, &(hc_draws){0}, 7), INT64_C(50000000000));
  l = by_scale(HC_LIFE_GAMMA, 50, 2);
  assert_int_equal(l.mean, INT64_C(100000000000));
  l = by_scale(HC_LIFE_WEIBULL, 50, 0.5); /* Gamma(3) = 2 */
  assert_true(l.mean > INT64_C(99999999000) && l.mean < INT64_C(100000001000));
  l = by_scale(HC_LIFE_LOGNORMAL, 50, 1); /* 50 sqrt(e) */
  assert_true(l.mean > INT64_C(82436063000) && l.mean < INT64_C(82436064000));
  /* The median of a log-normal law is its scale: half of the draws are below it. */
  int below = 0;
  for (uint64_t i = 0; i < 10000; i++)
    below += hc_lifetime_draw(&l, &(hc_draws){.seed = 3}, i) < INT64_C(50000000000);
  assert_true(below > 4800 && below < 5200); /* 4 standard errors of 50 */
}

/* What is drawn before does not change a time, and a law of the same mean by its scale draws the same. */
static void a_time_depends_on_its_number_alone(void **state)
{
  HC_UNUSED(state);
  static const int laws[] = {HC_LIFE_EXPONENTIAL, HC_LIFE_WEIBULL, HC_LIFE_LOGNORMAL, HC_LIFE_GAMMA};
  const hc_draws s = {.seed = 5, .entity = 9, .purpose = HC_PURPOSE_REPAIR};
  for (size_t i = 0; i < HC_ARRAY_LEN(laws); i++) {
    const hc_lifetime l = by_mean(laws[i], 10, 0.9);
    const hc_time third = hc_lifetime_draw(&l, &s, 3);
    for (uint64_t n = 0; n < 3; n++) assert_true(hc_lifetime_draw(&l, &s, n) != third);
    assert_int_equal(hc_lifetime_draw(&l, &s, 3), third);
  }
  /* The first is -mean ln(1 - u) of the stream's first draw. */
  const hc_lifetime l = by_mean(HC_LIFE_EXPONENTIAL, 10, 1);
  hc_draws again = s;
  assert_int_equal(hc_lifetime_draw(&l, &s, 0), (hc_time)(hc_random_exponential(&again, 10) * 1e9));
}

/* What the clock cannot hold never happens. */
static void times_out_of_range_never_come(void **state)
{
  HC_UNUSED(state);
  const hc_lifetime l = by_scale(HC_LIFE_LOGNORMAL, 8e9, 0.1);
  int never = 0;
  for (uint64_t i = 0; i < 100; i++) never += hc_lifetime_draw(&l, &(hc_draws){0}, i) == HC_NEVER;
  assert_true(never > 0 && never < 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exponential_failures_are_a_poisson_process),
      cmocka_unit_test(gamma_failures_of_shape_two_have_a_closed_form),
      cmocka_unit_test(failures_of_any_law_are_those_of_renewal_theory),
      cmocka_unit_test(a_scale_is_that_of_the_formula),
      cmocka_unit_test(a_time_depends_on_its_number_alone),
      cmocka_unit_test(times_out_of_range_never_come),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
