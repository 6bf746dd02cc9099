/* test_sums.c -- wide integers, the compensated sum, and the sort that finishes tables. */
#include "metric_test.h"

#include "base/radix.h"
#include "metric/sum128.h"

static void test_wide(void **state)
{
  hc_wide w = {0};
  HC_UNUSED(state);
  hc_wide_add(&w, -1);
  assert_true(w.lo == UINT64_MAX && w.hi == -1);
  hc_wide_add(&w, 1);
  assert_true(w.lo == 0 && w.hi == 0);
  hc_wide_add_product(&w, INT64_MAX, INT64_MAX); /* (2^63 - 1)^2 = 2^126 - 2^64 + 1 */
  assert_true(w.lo == 1 && w.hi == ((int64_t)1 << 62) - 1);
  assert_true(hc_wide_real(w) == 0x1p126);
  assert_true(hc_wide_clamp(w) == INT64_MAX);
  w = hc_wide_minus((hc_wide){0}, w);
  assert_true(hc_wide_real(w) == -0x1p126);
  assert_true(hc_wide_clamp(w) == INT64_MIN);
  assert_true(hc_wide_real(hc_wide_times(hc_wide_product(1 << 20, 3), -5)) == -15 * 0x1p20);
  assert_true(hc_wide_ratio(hc_wide_product(7, 3), hc_wide_product(2, 3)) == 3.5);
  assert_true(hc_wide_ratio(w, (hc_wide){0}) != hc_wide_ratio(w, (hc_wide){0})); /* NaN */
}

static void test_wider(void **state)
{
  hc_wider s = {{0}};
  HC_UNUSED(state);
  /* (2^126 - 2^64 + 1) x (2^63 - 1), eight times: 2^192 less what rounds away, so just below the top. */
  for (int i = 0; i < 7; i++) hc_wider_add_product(&s, hc_wide_product(INT64_MAX, INT64_MAX), INT64_MAX);
  assert_true(s.word[0] == (uint64_t)7 * INT64_MAX); /* modulo 2^64: 1 x (2^63 - 1) each */
  assert_true(hc_wider_real(s) == 7 * 0x1p189);
  s = (hc_wider){{UINT64_MAX, UINT64_MAX, 0}};
  hc_wider_add_product(&s, hc_wide_product(1, 1), 1); /* the carry runs through */
  assert_true(s.word[0] == 0 && s.word[1] == 0 && s.word[2] == 1);
  assert_true(hc_wider_real(s) == 0x1p128);
}

static void test_compensated_sum(void **state)
{
  hc_real_sum s = {0};
  HC_UNUSED(state);
  hc_real_sum_add(&s, 1);
  hc_real_sum_add(&s, 1e100);
  hc_real_sum_add(&s, 1);
  hc_real_sum_add(&s, -1e100);
  assert_true(hc_real_sum_value(s) == 2); /* Neumaier's example: plain and Kahan sums give 0 */
  s = (hc_real_sum){0};
  for (int i = 0; i < 10000000; i++) hc_real_sum_add(&s, 0.1);
  assert_true(hc_real_sum_value(s) == 0.1 * 1e7); /* a plain sum is off by 1.6e-4 */
}

static void test_sort(void **state)
{
  const size_t sizes[] = {0, 1, 2, 32, 33, 40, 129, 500, 1500, 1501, 5000};
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(sizes); k++) {
    size_t n = sizes[k];
    hc_pair *p = calloc(n + 1, sizeof *p);
    uint64_t seed = k;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) p[i] = (hc_pair){hc_pair_key((int64_t)(next_bits(&seed) % 997) - 500), i};
    assert_int_equal(hc_pairs_sort(hc_default_allocator(), p, n), 0);
    for (size_t i = 1; i < n; i++)
      assert_true(p[i - 1].key < p[i].key ||
                  (p[i - 1].key == p[i].key && p[i - 1].value < p[i].value)); /* stable */
    free(p);
  }
}

static void test_names_of_states(void **state)
{
  HC_UNUSED(state);
  assert_string_equal(hc_final_name(HC_FINAL_COMPLETED), "completed");
  assert_string_equal(hc_final_name(HC_FINAL_RUNNING), "running");
  assert_string_equal(hc_final_text(HC_FINAL_KILLED), "ended at its limit, unfinished");
  assert_string_equal(hc_final_name(HC_FINAL_COUNT), "?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wide),
      cmocka_unit_test(test_wider),
      cmocka_unit_test(test_compensated_sum),
      cmocka_unit_test(test_sort),
      cmocka_unit_test(test_names_of_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
