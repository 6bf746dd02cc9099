/* test_quantile.c -- quantiles against a sorted copy: equal while few, within 2^-11 when many; merged and
 * saved. */
#include "metric_test.h"

#include <stdio.h>

#include "base/quantile.h"
#include "base/survival.h"

static const int permille[] = {0, 1, 10, 250, 500, 900, 950, 990, 999, 1000};
#define Q HC_ARRAY_LEN(permille)

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Times over twelve powers of ten, a tenth of them zero; or ratios from 1. */
static double *values_of(size_t n, uint64_t seed, bool ratios)
{
  double *v = malloc(n * sizeof *v);
  assert_non_null(v);
  for (size_t i = 0; i < n; i++) {
    uint64_t r = next_bits(&seed);
    uint64_t whole = r % 10 ? r >> (2 + (r >> 4) % 50) : 0;
    v[i] = ratios ? 1 + (double)(r >> 40) / 1024 : (double)whole;
  }
  return v;
}

/* Value of rank ceil(q n / 1000), at least 1. */
static double truth(const double *sorted, size_t n, int q)
{
  size_t rank = ((size_t)q * n + 999) / 1000;
  return sorted[rank ? rank - 1 : 0];
}

static void expect_close(const hc_quantile *h, double *v, size_t n, double tolerance)
{
  double got[Q];
  qsort(v, n, sizeof *v, ascending);
  assert_int_equal(hc_quantile_get(h, permille, Q, got), 0);
  for (size_t i = 0; i < Q; i++) {
    double want = truth(v, n, permille[i]), far = got[i] > want ? got[i] - want : want - got[i];
    if (far > want * tolerance)
      fail_msg("quantile %d of %zu: %.17g, not %.17g", permille[i], n, got[i], want);
  }
  assert_true(got[Q - 1] == v[n - 1]); /* the greatest is always exact */
}

static void test_exact_while_few(void **state)
{
  const size_t sizes[] = {1, 2, 3, 10, 33, 1000, HC_QUANTILE_EXACT};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(sizes); i++) {
    hc_quantile h;
    double *v = values_of(sizes[i], i, i % 2);
    hc_quantile_init(&h, hc_default_allocator());
    assert_int_equal(hc_quantile_add(&h, v, sizes[i]), 0);
    assert_int_equal(h.counts, 0);
    expect_close(&h, v, sizes[i], 0);
    hc_quantile_fini(&h);
    free(v);
  }
}

static void test_within_bound_when_many(void **state)
{
  HC_UNUSED(state);
  for (uint64_t seed = 1; seed <= 8; seed++) {
    size_t n = HC_QUANTILE_EXACT + 1 + seed * 1000;
    hc_quantile h;
    double *v = values_of(n, seed, seed % 2);
    hc_quantile_init(&h, hc_default_allocator());
    for (size_t i = 0; i < n; i += 100)
      assert_int_equal(hc_quantile_add(&h, v + i, HC_MIN(n - i, (size_t)100)), 0);
    assert_int_equal(h.counts, 1);
    expect_close(&h, v, n, 0x1p-11);
    hc_quantile_fini(&h);
    free(v);
  }
}

static void test_merge(void **state)
{
  const size_t sizes[][2] = {{10, 20},       {40000, 40000}, {70000, 10}, {10, 70000},
                             {70000, 70000}, {0, 5},         {5, 0}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(sizes); i++) {
    size_t n = sizes[i][0], m = sizes[i][1];
    double *v = values_of(n + m, 99 + i, false);
    hc_quantile a, b;
    hc_quantile_init(&a, hc_default_allocator());
    hc_quantile_init(&b, hc_default_allocator());
    assert_int_equal(hc_quantile_add(&a, v, n), 0);
    assert_int_equal(hc_quantile_add(&b, v + n, m), 0);
    assert_int_equal(hc_quantile_merge(&a, &b), 0);
    assert_int_equal(a.n, n + m);
    expect_close(&a, v, n + m, n + m > HC_QUANTILE_EXACT ? 0x1p-11 : 0);
    hc_quantile_fini(&a);
    hc_quantile_fini(&b);
    free(v);
  }
}

static void test_none_is_nan_and_negatives_are_zero(void **state)
{
  const double v[] = {-3, -0.0, 5};
  hc_quantile h;
  double got[Q];
  HC_UNUSED(state);
  hc_quantile_init(&h, hc_default_allocator());
  assert_int_equal(hc_quantile_get(&h, permille, Q, got), 0);
  for (size_t i = 0; i < Q; i++) assert_true(got[i] != got[i]);
  assert_int_equal(hc_quantile_add(&h, v, 3), 0);
  assert_int_equal(hc_quantile_get(&h, permille, Q, got), 0);
  assert_true(got[4] == 0 && got[Q - 1] == 5);
  hc_quantile_fini(&h);
}

/* ---- what is wanted ---- */

typedef struct found {
  const char *wanted; /* " wait_p50 wait_max " */
  size_t count;
  char names[8][32];
  double values[8];
} found;

static hc_rc note_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  found *f = ctx;
  HC_UNUSED(unit);
  HC_UNUSED(is_count);
  HC_UNUSED(count);
  (void)snprintf(f->names[f->count], sizeof f->names[0], "%s", name);
  f->values[f->count++] = value;
  return 0;
}

static bool is_wanted(void *ctx, const char *name)
{
  char word[40];
  (void)snprintf(word, sizeof word, " %s ", name);
  return strstr(((const found *)ctx)->wanted, word) != NULL;
}

/* Of 0 to 999 the quantile q is ceil(1000 q) - 1, and in seconds a thousandth of it. */
static void test_only_what_is_wanted_is_found(void **state)
{
  static const struct {
    const char *wanted;
    size_t count;
    const char *names[5];
    double values[5];
  } cases[] = {
      {" wait_max ", 1, {"wait_max"}, {0.999}},
      {" wait_p50 wait_p99 ", 2, {"wait_p50", "wait_p99"}, {0.499, 0.989}},
      {" wait_p90 wait_max ", 2, {"wait_p90", "wait_max"}, {0.899, 0.999}},
      {" wait_mean ", 0, {0}, {0}},
      {NULL,
       5,
       {"wait_p50", "wait_p90", "wait_p95", "wait_p99", "wait_max"},
       {0.499, 0.899, 0.949, 0.989, 0.999}},
  };
  hc_quantile h;
  HC_UNUSED(state);
  hc_quantile_init(&h, hc_default_allocator());
  for (int i = 999; i >= 0; i--) assert_int_equal(hc_quantile_add(&h, &(double){i}, 1), 0);
  for (size_t c = 0; c < HC_ARRAY_LEN(cases); c++) {
    found f = {.wanted = cases[c].wanted};
    hc_findings to = {.ctx = &f, .figure = note_figure, .wants = cases[c].wanted ? is_wanted : NULL};
    assert_int_equal(hc_quantile_find(&h, &to, "wait", "s", 1000), 0);
    assert_int_equal(f.count, cases[c].count);
    for (size_t i = 0; i < f.count; i++) {
      assert_string_equal(f.names[i], cases[c].names[i]);
      assert_true(f.values[i] == cases[c].values[i]);
    }
  }
  hc_quantile_fini(&h);
}

static void test_visit(void **state)
{
  const size_t sizes[] = {0, 100, 70000};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(sizes); i++) {
    const hc_allocator *m = hc_default_allocator();
    double *v = values_of(sizes[i] + 1, i, false), was[Q], is[Q];
    hc_quantile a, b;
    hc_buffer out;
    hc_buffer_init(&out, m);
    hc_quantile_init(&a, m);
    hc_quantile_init(&b, m);
    assert_int_equal(hc_quantile_add(&a, v, sizes[i]), 0);
    assert_int_equal(hc_quantile_visit(&a, &(hc_visitor){.mode = HC_VISIT_SAVE, .allocator = m, .out = &out}),
                     0);
    assert_int_equal(hc_quantile_visit(&b, &(hc_visitor){.mode = HC_VISIT_LOAD,
                                                         .allocator = m,
                                                         .in = (const uint8_t *)out.data,
                                                         .left = out.size}),
                     0);
    assert_int_equal(hc_quantile_add(&a, v, 1), 0); /* both go on */
    assert_int_equal(hc_quantile_add(&b, v, 1), 0);
    assert_int_equal(hc_quantile_get(&a, permille, Q, was), 0);
    assert_int_equal(hc_quantile_get(&b, permille, Q, is), 0);
    assert_memory_equal(was, is, sizeof was);
    hc_quantile_fini(&a);
    hc_quantile_fini(&b);
    hc_buffer_fini(&out);
    free(v);
  }
}

/* ---- where some are cut ---- */

/* Weeks of remission of 21 patients, twelve of which were still in it (Freireich et al. 1963, as in
 * Kalbfleisch & Prentice and in most textbooks): S(6) = 0.857, S(7) = 0.807, S(10) = 0.753, S(13) = 0.690,
 * S(16) = 0.627, S(22) = 0.538, S(23) = 0.448, so that the median is 23, and a share above 0.552 is not
 * known. */
static void test_survival_of_the_textbook(void **state)
{
  static const int ended[] = {6, 6, 6, 7, 10, 13, 16, 22, 23};
  static const int cut[] = {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35};
  static const int shares[] = {142, 143, 192, 193, 194, 500, 551, 552, 600};
  static const hc_time covers[] = {6, 7, 7, 7, 10, 23, 23, HC_UNKNOWN, HC_UNKNOWN};
  hc_life lives[HC_ARRAY_LEN(ended) + HC_ARRAY_LEN(cut)];
  hc_time out[HC_ARRAY_LEN(shares)];
  size_t n = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cut); i++) lives[n++] = hc_life_of(cut[i], true);
  for (size_t i = 0; i < HC_ARRAY_LEN(ended); i++) lives[n++] = hc_life_of(ended[i], false);
  hc_survival_covers(lives, n, shares, HC_ARRAY_LEN(shares), out);
  for (size_t i = 0; i < HC_ARRAY_LEN(shares); i++) assert_int_equal(out[i], covers[i]);
}

/* Without cut ones it is the value of rank ceil(q n); of none, and of cut ones alone, nothing is known. */
static void test_survival_without_cuts(void **state)
{
  static const int shares[] = {1, 100, 333, 500, 900, 990, 999, 1000};
  hc_life lives[300];
  hc_time out[HC_ARRAY_LEN(shares)], sorted[300];
  uint64_t seed = 3;
  HC_UNUSED(state);
  for (size_t n = 1; n <= 300; n += n < 20 ? 1 : 40) {
    double values[300];
    for (size_t i = 0; i < n; i++) {
      values[i] = (double)(next_bits(&seed) % 100);
      lives[i] = hc_life_of((hc_time)values[i], false);
    }
    qsort(values, n, sizeof *values, ascending);
    for (size_t i = 0; i < n; i++) sorted[i] = (hc_time)values[i];
    hc_survival_covers(lives, n, shares, HC_ARRAY_LEN(shares), out);
    for (size_t i = 0; i < HC_ARRAY_LEN(shares); i++)
      assert_int_equal(out[i], sorted[((size_t)shares[i] * n + 999) / 1000 - 1]);
  }
  lives[0] = hc_life_of(5, true);
  for (size_t n = 0; n < 2; n++) {
    hc_survival_covers(lives, n, shares, 1, out);
    assert_int_equal(out[0], HC_UNKNOWN);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_while_few),
      cmocka_unit_test(test_within_bound_when_many),
      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_none_is_nan_and_negatives_are_zero),
      cmocka_unit_test(test_only_what_is_wanted_is_found),
      cmocka_unit_test(test_visit),
      cmocka_unit_test(test_survival_of_the_textbook),
      cmocka_unit_test(test_survival_without_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
