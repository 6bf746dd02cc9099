/* test_statistics.c -- intervals, tests and corrections against published values and worked examples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"
#include "study/stat_parts.h"

static void near_to(double got, double want, double tolerance)
{
  if (!(fabs(got - want) <= tolerance)) fail_msg("got %.10g, want %.10g", got, want);
}

/* Law and Kelton, example 4.26: ten values 1.20 1.50 1.68 1.89 0.95 1.49 1.58 1.55 0.50 1.09 have mean 1.34,
 * variance 0.17 and the 90 % interval 1.34 +- 0.24. */
static void a_mean_has_students_interval(void **state)
{
  const double values[] = {1.20, 1.50, 1.68, NAN, 1.89, 0.95, 1.49, 1.58, 1.55, 0.50, 1.09};
  hc_stat_mean m;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_mean_of(values, HC_ARRAY_LEN(values), 0.90, &m), 0);
  assert_int_equal(m.count, 10); /* the NaN does not count */
  near_to(m.mean, 1.343, 1e-12);
  near_to(m.deviation * m.deviation, 0.17, 0.005);
  near_to(m.half_width, 0.24, 0.005);
  near_to(m.relative, m.half_width / 1.343, 1e-12);
  near_to(m.high - m.low, 2 * m.half_width, 1e-12);
  assert_int_equal(hc_stat_mean_of(values, 1, 0.95, &m), 0);
  assert_true(m.mean == 1.20 && isnan(m.half_width) && isnan(m.low));
  assert_int_equal(hc_stat_mean_of(values, 0, 0.95, &m), 0);
  assert_true(m.count == 0 && isnan(m.mean));
  assert_int_equal(hc_stat_mean_of(values, 3, 1.0, &m), HC_EUSAGE);
}

/* Student's sleep data (Biometrika 6, 1908): t = -4.0621 with 9 degrees, p = 0.002833, 95 % interval of the
 * mean difference -2.4598858 to -0.7001142. */
static void paired_t_matches_students_sleep_data(void **state)
{
  const double x[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const double y[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  hc_stat_pairs p;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, y, 10, 0.95, &p), 0);
  near_to(p.t, -4.0621, 5e-5);
  near_to(p.p_t, 0.002833, 5e-7);
  near_to(p.difference.low, -2.4598858, 5e-7);
  near_to(p.difference.high, -0.7001142, 5e-7);
  assert_int_equal(p.above, 0);
  assert_int_equal(p.below, 9); /* one pair is equal */
  near_to(p.p_sign, 2.0 / 512, 1e-12);
  near_to(p.p_wilcoxon, 2.0 / 512, 1e-12); /* of 2^9 signs, all below and all above are as extreme */
}

/* Critical values of the smaller rank sum, two-sided 5 %, from the usual table (Wilcoxon and Wilcox 1964): n
 * 6: 0, 8: 3, 10: 8, 15: 25, 20: 52, 25: 89. The p value at the critical value is at most 0.05, and above it
 * at the next. */
static void wilcoxon_has_the_tabulated_critical_values(void **state)
{
  static const uint32_t table[][2] = {{6, 0}, {8, 3}, {10, 8}, {15, 25}, {20, 52}, {25, 89}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++) {
    for (uint32_t extra = 0; extra < 2; extra++) {
      double x[25], zero[25] = {0};
      uint32_t n = table[i][0], left = table[i][1] + extra;
      hc_stat_pairs p;
      for (uint32_t k = n; k-- > 0;) { /* positive ranks that add up to `left`, greedily from the largest */
        bool up = k + 1 <= left;
        x[k] = up ? k + 1.0 : -(k + 1.0);
        if (up) left -= k + 1;
      }
      assert_int_equal(left, 0);
      assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, zero, n, 0.95, &p), 0);
      near_to(p.rank_sum, table[i][1] + extra, 0);
      assert_true(p.is_exact);
      if ((p.p_wilcoxon <= 0.05) != (extra == 0))
        fail_msg("n %u, W %u: p %.6f", n, table[i][1] + extra, p.p_wilcoxon);
    }
  }
}

/* Hollander and Wolfe, depression scale factor (R's wilcox.test example): V = 40 of n = 9, one-sided p
 * 0.01953, two-sided 0.03906. Ties: differences 1 1 -1 2: mid-ranks 2 2 2 4, W+ = 8; of 16 signs the sums at
 * most 2 are 0 and 2 (thrice): p = 2 * 4 / 16. */
static void wilcoxon_matches_worked_examples(void **state)
{
  const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  const double ties[] = {1, 1, -1, 2, 0}, zero[5] = {0};
  hc_stat_pairs p;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, y, 9, 0.95, &p), 0);
  near_to(p.rank_sum, 40, 0);
  near_to(p.p_wilcoxon, 0.0390625, 1e-12);
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), ties, zero, 5, 0.95, &p), 0);
  near_to(p.rank_sum, 8, 0);
  near_to(p.p_wilcoxon, 0.5, 1e-12);
  near_to(p.p_sign, 2 * 5.0 / 16, 1e-12); /* 1 + 4 of 2^4 */
}

/* Upper tails of the sum of positive ranks from the published table (Hollander and Wolfe, Nonparametric
 * Statistical Methods, table A.4), three decimals, n = 10 and n = 7: one-sided, above and, by symmetry,
 * below. A bound shifts the differences. */
static void one_sided_ranks_have_the_tabulated_probabilities(void **state)
{
  static const struct {
    uint32_t n, sum;
    double p;
  } table[] = {{10, 44, .053}, {10, 45, .042}, {10, 47, .024}, {10, 50, .010}, {10, 52, .005}, {10, 55, .001},
               {7, 22, .109},  {7, 24, .055},  {7, 26, .023},  {7, 28, .008},  {5, 14, .062},  {5, 15, .031}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++) {
    const uint32_t n = table[i].n;
    uint32_t left = table[i].sum;
    double x[10], turned[10];
    hc_stat_sides s;
    for (uint32_t k = n; k-- > 0;) {
      bool up = k + 1 <= left;
      x[k] = (up ? k + 1.0 : -(k + 1.0)) + 3;
      turned[k] = -x[k];
      if (up) left -= k + 1;
    }
    assert_int_equal(left, 0);
    assert_int_equal(hc_stat_signed_sides(hc_default_allocator(), x, n, 3, &s), 0);
    near_to(s.above, table[i].p, 5.01e-4);
    assert_true(s.below > 0.9);
    assert_int_equal(hc_stat_signed_sides(hc_default_allocator(), turned, n, -3, &s), 0);
    near_to(s.below, table[i].p, 5.01e-4);
  }
}

/* 60 differences 1 ... 60 of which every third is negative: no longer exact. Negative ranks 3 + 6 + ... + 60
 * = 630, mean 60 * 61 / 4 = 915, variance 60 * 61 * 121 / 24 = 18452.5: z = (630 - 915 + 0.5) / 135.84 =
 * -2.0944. */
static void wilcoxon_beyond_fifty_is_normal(void **state)
{
  double x[60], zero[60] = {0};
  hc_stat_pairs p;
  HC_UNUSED(state);
  for (int i = 0; i < 60; i++) x[i] = (i + 1) % 3 == 0 ? -(i + 1.0) : i + 1.0;
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, zero, 60, 0.95, &p), 0);
  assert_false(p.is_exact);
  near_to(p.p_wilcoxon, erfc(284.5 / sqrt(18452.5) / sqrt(2)), 1e-10);
  for (int i = 0; i < 60; i++) x[i] = i < 20 ? -1 : 1; /* all tied: rank 30.5, variance 60 * 30.5^2 / 4 */
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, zero, 60, 0.95, &p), 0);
  near_to(p.p_wilcoxon, erfc((915 - 610 - 0.5) / (0.5 * 30.5 * sqrt(60)) / sqrt(2)), 1e-10);
}

static void pairs_without_spread_are_decided(void **state)
{
  const double x[] = {2, 3, 4}, y[] = {1, 2, 3};
  hc_stat_pairs p;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, y, 3, 0.95, &p), 0);
  assert_true(p.p_t == 0 && isinf(p.t) && p.difference.half_width == 0);
  assert_int_equal(hc_stat_pairs_of(hc_default_allocator(), x, x, 3, 0.95, &p), 0);
  assert_true(p.p_t == 1 && p.p_sign == 1 && p.p_wilcoxon == 1 && p.above == 0 && p.below == 0);
}

/* Holm by hand: p 0.01 0.04 0.03 0.005, times 3 1 2 4 in order of size, running maximum: 0.03 0.06 0.06 0.02.
 * Benjamini and Hochberg 1995, section 3.1, fifteen p values of Neuhaus et al.: at 0.05, BH rejects the four
 * smallest, Bonferroni three. */
static void corrections_match_worked_examples(void **state)
{
  const double four[] = {0.01, 0.04, NAN, 0.03, 0.005};
  const double fifteen[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                            0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  double out[15];
  size_t rejected[3] = {0, 0, 0};
  HC_UNUSED(state);
  assert_int_equal(hc_stat_adjust(hc_default_allocator(), HC_STAT_HOLM, four, 5, out), 0);
  near_to(out[0], 0.03, 1e-15);
  near_to(out[1], 0.06, 1e-15);
  assert_true(isnan(out[2]));
  near_to(out[3], 0.06, 1e-15);
  near_to(out[4], 0.02, 1e-15);
  assert_int_equal(hc_stat_adjust(hc_default_allocator(), HC_STAT_BENJAMINI, four, 5, out), 0);
  near_to(out[0], 0.02, 1e-15); /* min(4/2 * 0.01, 4/3 * 0.03, 4/4 * 0.04) */
  near_to(out[1], 0.04, 1e-15);
  near_to(out[3], 0.04, 1e-15);
  near_to(out[4], 0.02, 1e-15);
  for (int how = HC_STAT_HOLM; how <= HC_STAT_BENJAMINI; how++) {
    assert_int_equal(hc_stat_adjust(hc_default_allocator(), (hc_stat_adjustment)how, fifteen, 15, out), 0);
    for (size_t i = 0; i < 15; i++) rejected[how] += out[i] <= 0.05;
  }
  assert_int_equal(rejected[HC_STAT_BENJAMINI], 4);
  assert_int_equal(rejected[HC_STAT_BONFERRONI], 3);
  assert_int_equal(rejected[HC_STAT_HOLM], 3); /* 12 * 0.0095 = 0.114 */
  assert_int_equal(hc_stat_adjust(hc_default_allocator(), HC_STAT_NONE, four, 5, out), 0);
  assert_true(out[0] == 0.01 && out[4] == 0.005);
}

/* The percentile interval of n normal values tends to mean -+ z s' / sqrt(n), s' with n in the denominator,
 * so it covers with probability P(|T| < z sqrt((n - 1) / n)), T Student's with n - 1 degrees; 600 sets of 20
 * must show that within four of their binomial deviations. */
static void bootstrap_covers_as_often_as_theory_says(void **state)
{
  enum { SETS = 600, N = 20 };
  const double expected = 1 - hc_student_outside(1.959963984540054 * sqrt((N - 1.0) / N), N - 1);
  hc_draws draws = {.seed = 5, .purpose = HC_PURPOSE_TEST};
  HC_UNUSED(state);
  for (int kind = HC_STAT_PERCENTILE; kind <= HC_STAT_BCA; kind++) {
    double covered = 0, deviation = sqrt(expected * (1 - expected) / SETS);
    for (uint64_t i = 0; i < SETS; i++) {
      hc_stat_bootstrap b = {
          .kind = (hc_stat_interval)kind, .level = 0.95, .resamples = 399, .seed = 11, .entity = i};
      double x[N], low, high;
      for (int k = 0; k < N; k++) x[k] = hc_random_normal(&draws, 100, 15);
      assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), x, N, &b, &low, &high), 0);
      covered += low <= 100 && 100 <= high;
    }
    if (!(fabs(covered / SETS - expected) < 4 * deviation))
      fail_msg("kind %d covers %.4f, theory %.4f", kind, covered / SETS, expected);
  }
}

/* Two values 0 and 1: a mean is 0, 0.5 or 1 with 1/4, 1/2, 1/4; at 40 % the bounds (30 % and 70 % points) are
 * 0.5, at 60 % (20 % and 80 %) 0 and 1. Skewed values pull both BCa bounds to the long tail. */
static void bootstrap_bounds_are_order_statistics(void **state)
{
  const double two[] = {0, 1}, skewed[] = {0, 0, 0, 1, 1, 2, 3, 5, 9, 40};
  hc_stat_bootstrap b = {.kind = HC_STAT_PERCENTILE, .level = 0.4, .seed = 1};
  double low, high, low_bca, high_bca;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), two, 2, &b, &low, &high), 0);
  assert_true(low == 0.5 && high == 0.5);
  b.level = 0.6;
  assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), two, 2, &b, &low, &high), 0);
  assert_true(low == 0 && high == 1);
  b.level = 0.95;
  assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), skewed, 10, &b, &low, &high), 0);
  b.kind = HC_STAT_BCA;
  assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), skewed, 10, &b, &low_bca, &high_bca), 0);
  assert_true(low_bca > low && high_bca > high);
  b.kind = HC_STAT_T;
  assert_int_equal(hc_stat_bootstrap_mean(hc_default_allocator(), skewed, 10, &b, &low, &high), HC_EUSAGE);
}

/* Wilson 1927; Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662, 15 of 148 0.0624 to 0.1605, 0 of 20
 * 0 to 0.1611. */
static void wilsons_interval_matches_newcombe(void **state)
{
  double low, high;
  HC_UNUSED(state);
  hc_stat_wilson(81, 263, 0.95, &low, &high);
  near_to(low, 0.2553, 5e-5);
  near_to(high, 0.3662, 5e-5);
  hc_stat_wilson(15, 148, 0.95, &low, &high);
  near_to(low, 0.0624, 5e-5);
  near_to(high, 0.1605, 5e-5);
  hc_stat_wilson(0, 20, 0.95, &low, &high);
  assert_true(low == 0);
  near_to(high, 0.1611, 5e-5);
  hc_stat_wilson(0, 0, 0.95, &low, &high);
  assert_true(isnan(low) && isnan(high));
}

/* 1 2 3 4 5 6 7 8 9 10: mean 5.5, s = 3.02765, t(0.975, 9) = 2.262157, so (t s / 0.5)^2 = 187.64 and relative
 * 0.1 is 0.1 / 1.1 * 5.5 = 0.5 just the same. */
static void replications_needed_are_steins(void **state)
{
  double values[200];
  hc_stat_precision wish = {.rule = HC_STAT_TWO_STAGE, .level = 0.95, .half_width = 0.5};
  uint64_t needed;
  HC_UNUSED(state);
  for (int i = 0; i < 200; i++) values[i] = i % 10 + 1;
  assert_int_equal(hc_stat_needed(values, 4, &wish, &needed), 0);
  assert_int_equal(needed, 10); /* the first stage */
  assert_int_equal(hc_stat_needed(values, 10, &wish, &needed), 0);
  assert_int_equal(needed, 188);
  assert_int_equal(hc_stat_needed(values, 200, &wish, &needed), 0);
  assert_int_equal(needed, 188); /* later values do not count */
  wish.half_width = 0;
  wish.relative = 0.1;
  assert_int_equal(hc_stat_needed(values, 10, &wish, &needed), 0);
  assert_int_equal(needed, 188);
  wish.rule = HC_STAT_SEQUENTIAL;
  assert_int_equal(hc_stat_needed(values, 100, &wish, &needed), 0);
  assert_true(needed > 100 && needed < 188); /* t is smaller now: (1.9842 * 2.8868 / 0.5)^2 = 131.2 */
  assert_int_equal(needed, 132);
  assert_int_equal(hc_stat_needed(values, 140, &wish, &needed), 0);
  assert_int_equal(needed, 140); /* stop */
  wish.most = 50;
  assert_int_equal(hc_stat_needed(values, 20, &wish, &needed), 0);
  assert_int_equal(needed, 50);
  wish.relative = 0;
  assert_int_equal(hc_stat_needed(values, 20, &wish, &needed), HC_EUSAGE);
}

/* A = (1 2 3), B = A + 10, C = A + (0, 0.3, -0.3), less is better. A - B has no spread: B is out. A and C:
 * mean difference 0, so both may be the best. Widths: deviation 0.3, w = t(one-sided 0.025 with two others,
 * 2) * 0.3 / sqrt 3 = 4.302653 * 0.1732051. */
static void who_may_be_the_best_is_hsus(void **state)
{
  const double a[] = {1, 2, 3}, b[] = {11, 12, 13}, c[] = {1, 2.3, 2.7};
  const double *const all[] = {a, b, c};
  hc_stat_choice out[3];
  const double w = 4.302653 * 0.1732051;
  HC_UNUSED(state);
  assert_int_equal(hc_stat_best(hc_default_allocator(), all, 3, 3, 0.95, false, out), 0);
  assert_true(out[0].may_be_best && !out[1].may_be_best && out[2].may_be_best);
  near_to(out[0].high, w, 1e-5);
  near_to(out[0].low, -w, 1e-5);
  near_to(out[1].high, 0, 0);
  near_to(out[1].low, -10 - w, 1e-5);
  assert_int_equal(hc_stat_best(hc_default_allocator(), all, 2, 3, 0.95, true, out), 0);
  assert_true(!out[0].may_be_best && out[1].may_be_best && out[1].low == 0); /* now more is better */
  near_to(out[1].high, 10, 1e-12);
  assert_int_equal(hc_stat_best(hc_default_allocator(), all, 1, 3, 0.95, true, out), 0);
  assert_true(out[0].may_be_best);
  const double *const same[] = {a, a};
  assert_int_equal(hc_stat_best(hc_default_allocator(), same, 2, 3, 0.95, true, out), 0);
  assert_true(out[0].may_be_best && out[1].may_be_best); /* equal to the last bit */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mean_has_students_interval),
      cmocka_unit_test(paired_t_matches_students_sleep_data),
      cmocka_unit_test(wilcoxon_has_the_tabulated_critical_values),
      cmocka_unit_test(wilcoxon_matches_worked_examples),
      cmocka_unit_test(one_sided_ranks_have_the_tabulated_probabilities),
      cmocka_unit_test(wilcoxon_beyond_fifty_is_normal),
      cmocka_unit_test(pairs_without_spread_are_decided),
      cmocka_unit_test(corrections_match_worked_examples),
      cmocka_unit_test(bootstrap_covers_as_often_as_theory_says),
      cmocka_unit_test(bootstrap_bounds_are_order_statistics),
      cmocka_unit_test(wilsons_interval_matches_newcombe),
      cmocka_unit_test(replications_needed_are_steins),
      cmocka_unit_test(who_may_be_the_best_is_hsus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
