/* test_math.c -- the elementary functions against the C library's in long double, which has 11 more bits
 * (or, where long double is no wider, against the same with a tolerance that allows for the library's own
 * error). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"

#define POINTS 400000
#define LIBRARY_ULP (LDBL_MANT_DIG > 53 ? 0.0 : 1.0)

/* Distance from the true value in units of the last place of a double there; 0 for two equal infinities. */
static double ulps(double got, long double want)
{
  if (want != want) return got != got ? 0 : INFINITY;
  if ((long double)got == want || (double)want == got) {
    if (isinf(got)) return 0;
  }
  if (isinf((double)want)) return got == DBL_MAX ? 1 : INFINITY; /* the edge of overflow */
  int exponent = 0;
  (void)frexpl(want, &exponent);
  if (exponent < -1021) exponent = -1021;
  return (double)fabsl(((long double)got - want) / ldexpl(1.0L, exponent - 53));
}

static double uniform(hc_draws *s, double low, double high)
{
  return low + (high - low) * hc_random_unit(s);
}

static double positive(hc_draws *s)
{
  for (;;) { /* every finite positive double is equally likely, subnormals included */
    uint64_t u = hc_random_bits(s) >> 1;
    double x;
    memcpy(&x, &u, sizeof x);
    if (x > 0 && isfinite(x)) return x;
  }
}

static void worst(const char *what, double most, double bound)
{
  print_message("%s: at most %.4f ulp\n", what, most);
  if (!(most < bound + LIBRARY_ULP))
    fail_msg("%s is off by %.4f ulp; the header promises less than 1", what, most);
}

static void exp_is_within_an_ulp(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 1};
  double most = 0, small = 0;
  for (int i = 0; i < POINTS; i++) {
    double x = uniform(&s, -708, 709.78), y = uniform(&s, -1, 1), z = uniform(&s, -746, -708);
    most = HC_MAX(most, HC_MAX(ulps(hc_exp(x), expl(x)), ulps(hc_exp(y), expl(y))));
    small = HC_MAX(small, ulps(hc_exp(z), expl(z)));
  }
  worst("exp", most, 0.52);
  worst("exp, subnormal results", small, 1);
  assert_true(hc_exp(0) == 1);                    /* exactly, as the standard has it */
  assert_true(hc_exp(1) == 0x1.5bf0a8b145769p+1); /* e, rounded */
  assert_true(hc_exp(709.782712893384) >
              1.797693134862e308);               /* the largest argument that does not overflow */
  assert_true(isinf(hc_exp(709.7827128933841))); /* the next double does */
  assert_true(hc_exp(-INFINITY) == 0);
  assert_true(hc_exp(INFINITY) == INFINITY);
  assert_true(isnan(hc_exp(NAN)));
  assert_true(hc_exp(-745.13) == 0x1p-1074); /* the smallest number there is */
  assert_true(hc_exp(-745.14) == 0);
}

static void logarithms_are_within_an_ulp(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 2};
  double most = 0, most2 = 0, most10 = 0;
  for (int i = 0; i < POINTS; i++) {
    double near = uniform(&s, 0.98, 1.02),
           x[4] = {positive(&s), uniform(&s, 0.5, 2), near, 1 + (near - 1) * 1e-9};
    for (int k = 0; k < 4; k++) {
      most = HC_MAX(most, ulps(hc_log(x[k]), logl(x[k])));
      most2 = HC_MAX(most2, ulps(hc_log2(x[k]), log2l(x[k])));
      most10 = HC_MAX(most10, ulps(hc_log10(x[k]), log10l(x[k])));
    }
  }
  worst("log", most, 0.52);
  worst("log2", most2, 0.52);
  worst("log10", most10, 0.52);
  for (int k = -1074; k <= 1023; k++) assert_true(hc_log2(ldexp(1, k)) == k); /* powers of two are exact */
  double ten = 1;
  for (int k = 0; k <= 22; k++, ten *= 10) assert_true(hc_log10(ten) == k); /* 10^22 is the last exact one */
  assert_true(hc_log(1) == 0);
  assert_true(hc_log(0) == -INFINITY && hc_log(-0.0) == -INFINITY);
  assert_true(isnan(hc_log(-1)) && isnan(hc_log2(-INFINITY)) && isnan(hc_log10(NAN)));
  assert_true(hc_log(INFINITY) == INFINITY);
}

static void pow_is_within_an_ulp(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 3};
  double most = 0, small = 0, whole = 0;
  for (int i = 0; i < POINTS; i++) {
    double x = positive(&s), y = uniform(&s, -700, 700) / log(x), wide = uniform(&s, 0, 100),
           n = (double)(i % 41 - 20);
    most = HC_MAX(most, ulps(hc_pow(x, y), powl(x, y)));
    y = uniform(&s, -8, 8);
    most = HC_MAX(most, ulps(hc_pow(wide, y), powl(wide, y)));
    double near = 1 + uniform(&s, -1e-6, 1e-6);
    y = uniform(&s, -7e8, 7e8);
    most = HC_MAX(most, ulps(hc_pow(near, y), powl(near, y)));
    whole = HC_MAX(whole, ulps(hc_pow(-wide - 0.01, n), powl(-wide - 0.01, n)));
    y = uniform(&s, -744, -709) / log(x);
    small = HC_MAX(small, ulps(hc_pow(x, y), powl(x, y)));
  }
  worst("pow", most, 0.53);
  worst("pow, whole exponents", whole, 0.53);
  worst("pow, subnormal results", small, 1);
  assert_true(hc_pow(10, 22) == 1e22); /* exact results stay exact */
  assert_true(hc_pow(3, 33) == 5559060566555523.0);
  assert_true(hc_pow(7, 3) == 343 && hc_pow(-7, 3) == -343);
  assert_true(hc_pow(2, -1074) == 0x1p-1074 && hc_pow(2, 1024) == INFINITY);
}

/* Each pair of special operands against the C library's answer, sign of zero included. */
static void pow_has_the_standards_special_cases(void **state)
{
  HC_UNUSED(state);
  const double v[] = {0,          -0.0,        1,           -1,         2,        -2,        3,      -3,
                      0.5,        -0.5,        1.5,         -1.5,       1e300,    -1e300,    1e-300, -1e-300,
                      DBL_MAX,    -DBL_MAX,    0x1p-1074,   -0x1p-1074, INFINITY, -INFINITY, NAN,    0x1p53,
                      0x1p53 - 1, 1 - 0x1p-53, 1 + 0x1p-52, 1025,       -1075};
  for (size_t i = 0; i < HC_ARRAY_LEN(v); i++) {
    for (size_t k = 0; k < HC_ARRAY_LEN(v); k++) {
      double got = hc_pow(v[i], v[k]), want = pow(v[i], v[k]);
      bool same = isnan(want) ? isnan(got) : ulps(got, want) <= 1 && !signbit(got) == !signbit(want);
      if (!same) fail_msg("pow(%a, %a) is %a, the standard has %a", v[i], v[k], got, want);
    }
  }
}

static void sqrt_is_correctly_rounded(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 4};
  for (int i = 0; i < POINTS; i++) {
    double x = positive(&s);
    assert_true(hc_sqrt(x) == sqrt(x)); /* IEEE 754 leaves one answer */
  }
  assert_true(hc_sqrt(0) == 0 && signbit(hc_sqrt(-0.0)) && hc_sqrt(INFINITY) == INFINITY);
  assert_true(isnan(hc_sqrt(-1)) && isnan(hc_sqrt(NAN)));
}

static void near(double level, double degrees, double want)
{
  double got = hc_student_t(level, degrees), bound = 1e-6 * HC_MAX(1.0, fabs(want) * 1e-3);
  if (!(fabs(got - want) < bound)) fail_msg("t(%g, %g) is %.9f, not %.9f", level, degrees, got, want);
}

static void student_t_matches_closed_forms(void **state)
{
  HC_UNUSED(state);
  const double pi = 3.14159265358979323846;
  hc_draws s = {.seed = 5};
  for (int i = 0; i < 2000; i++) {
    double p = uniform(&s, 0, 0.9999);
    near(p, 1, tan(0.5 * pi * p));         /* Cauchy */
    near(p, 2, p * sqrt(2 / (1 - p * p))); /* from P = t / sqrt(2 + t^2) */
    double a = (1 - p) * (1 + p),
           q = cos(acos(sqrt(a)) / 3) / sqrt(a); /* Shaw, J. Comput. Finance 9(4), 2006 */
    near(p, 4, 2 * sqrt(q - 1));
  }
}

static void student_t_matches_tables(void **state)
{
  HC_UNUSED(state);
  near(0.95, 1, 12.706204736);
  near(0.95, 10, 2.228138852);
  near(0.95, 30, 2.042272456);
  near(0.99, 5, 4.032142984);
  near(0.999, 7, 5.407882521);
  near(0.90, 120, 1.657650899);
  near(0.95, 1e6, 1.959966355);  /* z + (z^3 + z) / 4n */
  near(0.95, 1e12, 1.959963985); /* the normal quantile */
  near(0.95, INFINITY, 1.959963985);
  near(0.50, 1e9, 0.674489750);
  assert_true(hc_student_t(0, 3) == 0);
  assert_true(hc_student_t(1, 3) == INFINITY);
  assert_true(isnan(hc_student_t(NAN, 3)) && isnan(hc_student_t(0.95, 0.5)) && isnan(hc_student_t(-0.1, 3)));
}

/* Not a test of the values but of their sameness: 10^5 results through a checksum that was recorded once.
 * A compiler or a flag that contracts, reorders or widens fails here. */
static void results_have_the_recorded_bits(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 6};
  uint64_t sum = 0;
  for (int i = 0; i < 100000; i++) {
    double x = uniform(&s, 0, 50), y = uniform(&s, -30, 30);
    double v[] = {hc_exp(y), hc_log(x), hc_log2(x), hc_log10(x), hc_pow(x, y)};
    for (size_t k = 0; k < HC_ARRAY_LEN(v); k++) {
      uint64_t u;
      memcpy(&u, &v[k], sizeof u);
      sum = (sum ^ u) * 0x9e3779b97f4a7c15u;
      sum ^= sum >> 29;
    }
  }
  assert_int_equal(sum, 0x2f870ea996dfc901u);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exp_is_within_an_ulp),      cmocka_unit_test(logarithms_are_within_an_ulp),
      cmocka_unit_test(pow_is_within_an_ulp),      cmocka_unit_test(pow_has_the_standards_special_cases),
      cmocka_unit_test(sqrt_is_correctly_rounded), cmocka_unit_test(student_t_matches_closed_forms),
      cmocka_unit_test(student_t_matches_tables),  cmocka_unit_test(results_have_the_recorded_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
