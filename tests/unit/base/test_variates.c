/* test_variates.c -- special functions against libm, and every variate by its moments and against its own
 * cdf.
 *
 * The Kolmogorov-Smirnov statistic D is the greatest distance between the cdf and the share of n = 100,000
 * draws. For a right variate sqrt(n) D exceeds 1.9495 once in a thousand streams (level 0.001, asymptotic).
 * The streams are fixed, so that a test passes always or never. The checksum is over the bits of draws: any
 * compiler must give the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/util.h"
#include "base/variates.h"

#define DRAWS 100000
#define KS_LEVEL_001 1.9495

static double sample[DRAWS];

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void near(double got, double want, double tolerance, const char *what)
{
  if (!(fabs(got - want) <= tolerance))
    fail_msg("%s: %.17g where %.17g is right, tolerance %.3g", what, got, want, tolerance);
}

/* ---- special functions ---- */

static void log_gamma_agrees_with_libm(void **state)
{
  HC_UNUSED(state);
  for (double x = 0.01; x < 1e7; x *= 1.07)
    near(hc_gamma_log(x), lgamma(x), 1e-13 * fmax(1, fabs(lgamma(x))), "log gamma");
}

/* P(n, x) for whole n is 1 - exp(-x) sum x^k / k!; P(1/2, x) is erf(sqrt x). */
static void gamma_share_agrees_with_closed_forms(void **state)
{
  HC_UNUSED(state);
  for (double x = 0.001; x < 1e3; x *= 1.13) {
    double term = exp(-x), sum = 0;
    for (int n = 1; n <= 40; n++) {
      sum += term;
      term *= x / n;
      near(hc_gamma_below(n, x), 1 - sum, 1e-13, "gamma share, whole shape");
    }
    near(hc_gamma_below(0.5, x), erf(sqrt(x)), 1e-14, "gamma share, shape 1/2");
  }
  assert_true(hc_gamma_below(3, 0) == 0 && hc_gamma_below(3, -1) == 0);
  /* for a large shape nearly normal (Wilson & Hilferty: error below 1e-4 here) */
  for (double x = 560; x < 720; x += 20)
    near(hc_gamma_below(639.1, x),
         0.5 * erfc(-(cbrt(x / 639.1) - (1 - 1 / (9 * 639.1))) * sqrt(9 * 639.1) / sqrt(2)), 1e-4,
         "shape 639.1");
}

static void normal_share_agrees_with_libm(void **state)
{
  HC_UNUSED(state);
  for (double x = -9; x < 9; x += 0.01)
    near(hc_normal_share(x), 0.5 * erfc(-x / sqrt(2)), 1e-14, "normal cdf");
}

/* ---- moments and distances ---- */

typedef struct wanted {
  hc_shape shape;
  double mean, cv;
} wanted;

static const wanted cases[] = {
    {HC_SHAPE_EXPONENTIAL, 20, 1},     {HC_SHAPE_LOGNORMAL, 3600, 0.5},     {HC_SHAPE_LOGNORMAL, 7, 2},
    {HC_SHAPE_WEIBULL, 0.1, 0.3},      {HC_SHAPE_WEIBULL, 100, 1},          {HC_SHAPE_WEIBULL, 5000, 3},
    {HC_SHAPE_HYPEREXPONENTIAL, 9, 1}, {HC_SHAPE_HYPEREXPONENTIAL, 1e4, 4}, {HC_SHAPE_GAMMA, 50, 0.2},
    {HC_SHAPE_GAMMA, 50, 1.7},
};

static void draw_all(const hc_truncated *t, uint64_t seed)
{
  hc_draws s = {.seed = seed};
  for (int i = 0; i < DRAWS; i++) sample[i] = hc_truncated_draw(t, &s);
}

/* Mean and mean square within five standard errors, of which the second is the sample's own. */
static void check_moments(double mean, double cv)
{
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < DRAWS; i++) {
    const double x = sample[i] / mean;
    sum += x / DRAWS;
    squares += x * x / DRAWS;
    fourths += x * x * x * x / DRAWS;
  }
  near(sum, 1, 5 * cv / sqrt(DRAWS), "mean");
  near(squares, 1 + cv * cv, 5 * sqrt((fourths - squares * squares) / DRAWS), "mean square");
}

static void check_distance(const hc_truncated *t)
{
  const double below = hc_variate_cdf(&t->of, t->low);
  double d = 0;
  qsort(sample, DRAWS, sizeof *sample, by_value);
  for (int i = 0; i < DRAWS; i++) {
    const double f = (hc_variate_cdf(&t->of, sample[i]) - below) / t->inside;
    d = fmax(d, fmax(f - (double)i / DRAWS, (i + 1.0) / DRAWS - f));
  }
  if (d * sqrt(DRAWS) >= KS_LEVEL_001)
    fail_msg("shape %d: sqrt(n) D = %.3f", (int)t->of.shape, d * sqrt(DRAWS));
}

static void variates_have_their_moments_and_cdf(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_variate v;
    hc_truncated t;
    assert_true(hc_variate_fit(&v, cases[i].shape, cases[i].mean, cases[i].cv));
    assert_true(hc_truncated_fit(&t, &v, 0, 1e12));
    near(t.mean, cases[i].mean, 1e-9 * cases[i].mean, "nothing is outside");
    draw_all(&t, 100 + i);
    check_moments(cases[i].mean, cases[i].cv);
    check_distance(&t);
  }
}

/* Mean of a log-uniform: (b - a) / ln(b / a); mean square: (b^2 - a^2) / 2 ln(b / a). */
static void loguniform_has_its_moments_and_cdf(void **state)
{
  HC_UNUSED(state);
  hc_variate v;
  hc_truncated t;
  const double mean = 990 / log(100), square = (1e6 - 100) / (2 * log(100));
  hc_variate_loguniform(&v, 10, 1000);
  near(v.mean, mean, 1e-10, "log-uniform mean");
  assert_true(hc_truncated_fit(&t, &v, 10, 1000));
  near(t.mean, mean, 1e-10, "bounds of its own cut nothing");
  draw_all(&t, 200);
  check_moments(mean, sqrt(square / (mean * mean) - 1));
  check_distance(&t);
  /* One number of the stream a draw: low (high / low)^u, and never above `high`. */
  hc_draws d = {9, 0, 0, HC_PURPOSE_TEST, 0}, same = d;
  for (int i = 0; i < 1000; i++) {
    const double x = hc_variate_draw(&v, &d);
    assert_true(x >= 10 && x <= 1000);
    near(x, 10 * pow(100, hc_random_unit(&same)), 1e-9 * x, "log-uniform draw");
  }
  assert_int_equal(d.draw, 1000);
}

/* The mean under truncation is exact: against a sum over the cdf, E[X | l..h] = l + integral of (1 - F given
 * l..h). */
static void truncated_means_are_exact(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    const double low = 0.3 * cases[i].mean, high = 1.7 * cases[i].mean;
    const int steps = 100000;
    double area = 0;
    hc_variate v;
    hc_truncated t;
    assert_true(hc_variate_fit(&v, cases[i].shape, cases[i].mean, cases[i].cv));
    assert_true(hc_truncated_fit(&t, &v, low, high));
    for (int k = 0; k < steps; k++) {
      const double x = low + (high - low) * (k + 0.5) / steps;
      area += (1 - (hc_variate_cdf(&v, x) - hc_variate_cdf(&v, low)) / t.inside) * (high - low) / steps;
    }
    near(t.mean, low + area, 1e-8 * cases[i].mean, "truncated mean");
    draw_all(&t, 300 + i);
    assert_true(sample[0] >= low && sample[0] <= high);
    check_distance(&t);
  }
}

/* Of x = quantile(p) the cdf, by libm, is p again; the symmetry is exact. */
static void normal_quantile_inverts_the_cdf(void **state)
{
  HC_UNUSED(state);
  for (double p = 1e-300; p < 1e-3; p *= 7.3)
    near(0.5 * erfc(-hc_normal_quantile(p) / sqrt(2)), p, 1e-11 * p,
         "quantile in the tail"); /* 37 times 1e-13 */
  for (double p = 0.001; p < 1; p += 0.001) {
    near(0.5 * erfc(-hc_normal_quantile(p) / sqrt(2)), p, 1e-14, "quantile");
    near(hc_normal_quantile(1 - p), -hc_normal_quantile(p), 1e-12, "symmetry");
  }
  assert_true(hc_normal_quantile(0.5) == 0);
}

/* Chi-square over the values up to the mean and 4 deviations; what lies above is the last class. Five
 * deviations of sqrt(2 (classes - 1)) are allowed. */
static void poisson_has_its_probabilities(void **state)
{
  const double means[] = {0, 0.3, 4, 9.999, 10, 37.5, 1727};
  HC_UNUSED(state);
  for (size_t m = 0; m < HC_ARRAY_LEN(means); m++) {
    static double seen[3000];
    const double mean = means[m];
    const int last = (int)(mean + 4 * sqrt(mean)) + 2;
    double chi = 0, rest = DRAWS, left = DRAWS;
    int classes = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < DRAWS; i++) {
      hc_draws d = {.seed = 1, .entity = i, .purpose = m};
      const uint64_t k = hc_random_poisson(&d, mean);
      seen[k < (uint64_t)last ? k : (uint64_t)last]++;
    }
    for (int k = 0; k < last; k++) {
      const double want = DRAWS * exp((mean > 0 ? k * log(mean)
                                       : k == 0 ? 0
                                                : -INFINITY) -
                                      mean - lgamma(k + 1.0));
      if (want < 5) continue;
      chi += (seen[k] - want) * (seen[k] - want) / want;
      rest -= want;
      left -= seen[k];
      classes++;
    }
    if (rest > 5) chi += (left - rest) * (left - rest) / rest, classes++;
    near(chi, classes - 1, 5 * sqrt(2.0 * classes), "chi-square of a Poisson number");
  }
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  hc_variate v;
  hc_truncated t;
  assert_false(hc_variate_fit(&v, HC_SHAPE_HYPEREXPONENTIAL, 1, 0.9)); /* a mixture is never more regular */
  assert_false(hc_variate_fit(&v, HC_SHAPE_WEIBULL, 1, 500));
  assert_false(hc_variate_fit(&v, HC_SHAPE_LOGNORMAL, 1, 0));
  assert_false(hc_variate_fit(&v, HC_SHAPE_LOGNORMAL, 0, 1));
  assert_false(hc_variate_fit(&v, HC_SHAPE_LOGNORMAL, 1, NAN));
  assert_true(hc_variate_fit(&v, HC_SHAPE_EXPONENTIAL, 10, 7)); /* has a cv of its own */
  assert_false(hc_truncated_fit(&t, &v, 60, 100));              /* exp(-6) is less than one in a hundred */
  assert_true(hc_variate_fit(&v, HC_SHAPE_CONSTANT, 10, 0));
  assert_true(hc_truncated_fit(&t, &v, 10, 10));
  assert_false(hc_truncated_fit(&t, &v, 11, 12));
}

/* Weibull at the ends of its range of cv still has that cv. */
static void weibull_fits_its_whole_range(void **state)
{
  HC_UNUSED(state);
  for (double cv = 0.02; cv <= 400; cv *= 1.9) {
    hc_variate v;
    assert_true(hc_variate_fit(&v, HC_SHAPE_WEIBULL, 3, cv));
    near(v.b * tgamma(1 + 1 / v.a), 3, 1e-11, "weibull mean");
    near(sqrt(tgamma(1 + 2 / v.a) / pow(tgamma(1 + 1 / v.a), 2) - 1), cv, 1e-6 * cv, "weibull cv");
  }
}

/* ---- Zipf ---- */

/* A discrete distribution: chi-square over 50 values, whose mean is 49 and deviation sqrt 98; five
 * deviations. */
static void zipf_has_its_weights(void **state)
{
  HC_UNUSED(state);
  static const double exponents[] = {0, 0.5, 0.99999, 1, 1.00001, 2.5};
  for (size_t e = 0; e < HC_ARRAY_LEN(exponents); e++) {
    uint32_t seen[51] = {0};
    double total = 0, chi = 0;
    hc_zipf z;
    hc_draws s = {.seed = 400 + e};
    hc_zipf_fit(&z, 50, exponents[e]);
    for (int i = 0; i < DRAWS; i++) {
      const uint64_t k = hc_zipf_draw(&z, &s);
      assert_in_range(k, 1, 50);
      seen[k]++;
    }
    for (int k = 1; k <= 50; k++) total += pow(k, -exponents[e]);
    for (int k = 1; k <= 50; k++) {
      const double want = DRAWS * pow(k, -exponents[e]) / total;
      chi += (seen[k] - want) * (seen[k] - want) / want;
    }
    if (!(fabs(chi - 49) < 5 * sqrt(98))) fail_msg("exponent %g: chi-square %.1f", exponents[e], chi);
  }
}

static void zipf_of_one_and_of_many(void **state)
{
  HC_UNUSED(state);
  hc_zipf z;
  hc_draws s = {.seed = 500};
  hc_zipf_fit(&z, 1, 1.5);
  for (int i = 0; i < 100; i++) assert_int_equal(hc_zipf_draw(&z, &s), 1);
  hc_zipf_fit(&z, (uint64_t)1 << 53, 1); /* the first has 1 / (53 ln 2 + 0.577) */
  int first = 0;
  for (int i = 0; i < DRAWS; i++) {
    const uint64_t k = hc_zipf_draw(&z, &s);
    assert_in_range(k, 1, (uint64_t)1 << 53);
    first += k == 1;
  }
  const double p = 1 / (53 * log(2) + 0.57722);
  near(first / (double)DRAWS, p, 5 * sqrt(p / DRAWS), "share of the first");
}

/* ---- the same bits everywhere ---- */

static void draws_are_the_same_bits_everywhere(void **state)
{
  HC_UNUSED(state);
  hc_hash hash;
  hc_zipf z;
  uint64_t words[2];
  char text[40];
  hc_hash_init(&hash);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_variate v;
    hc_draws s = {.seed = 600 + i};
    assert_true(hc_variate_fit(&v, cases[i].shape, cases[i].mean, cases[i].cv));
    for (int k = 0; k < 1000; k++) {
      double x = hc_variate_draw(&v, &s);
      hc_hash_add(&hash, &x, sizeof x);
      x = hc_variate_cdf(&v, x) + hc_variate_mean_below(&v, x);
      hc_hash_add(&hash, &x, sizeof x);
    }
  }
  hc_zipf_fit(&z, 1000, 1.2);
  hc_draws s = {.seed = 700};
  for (int k = 0; k < 1000; k++) {
    const uint64_t x = hc_zipf_draw(&z, &s);
    hc_hash_add(&hash, &x, sizeof x);
  }
  hc_hash_end(&hash, words);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)words[0]);
  assert_string_equal(text, "2b20ad04ac9de44d");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(log_gamma_agrees_with_libm),
      cmocka_unit_test(gamma_share_agrees_with_closed_forms),
      cmocka_unit_test(normal_share_agrees_with_libm),
      cmocka_unit_test(variates_have_their_moments_and_cdf),
      cmocka_unit_test(loguniform_has_its_moments_and_cdf),
      cmocka_unit_test(truncated_means_are_exact),
      cmocka_unit_test(normal_quantile_inverts_the_cdf),
      cmocka_unit_test(poisson_has_its_probabilities),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(weibull_fits_its_whole_range),
      cmocka_unit_test(zipf_has_its_weights),
      cmocka_unit_test(zipf_of_one_and_of_many),
      cmocka_unit_test(draws_are_the_same_bits_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
