/* test_random.c -- Philox against published and independently computed words; streams; the shape of the
 * variates.
 *
 * The statistical tests draw from fixed streams, so they pass always or never. Their tolerances are five
 * standard errors: a wrong variate is far outside, and a right one would have been refused for one seed in
 * 10^6. */
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

#define DRAWS 1000000

static void words(const uint64_t got[4], uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  assert_int_equal(got[0], a);
  assert_int_equal(got[1], b);
  assert_int_equal(got[2], c);
  assert_int_equal(got[3], d);
}

/* The first three are the known answers of the Random123 distribution: zeros, ones, the digits of pi. */
static void philox_gives_the_published_words(void **state)
{
  HC_UNUSED(state);
  uint64_t out[4];
  const uint64_t ones = UINT64_MAX;
  hc_philox((uint64_t[4]){0, 0, 0, 0}, (uint64_t[2]){0, 0}, out);
  words(out, 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b);
  hc_philox((uint64_t[4]){ones, ones, ones, ones}, (uint64_t[2]){ones, ones}, out);
  words(out, 0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0);
  hc_philox((uint64_t[4]){0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
            (uint64_t[2]){0x452821e638d01377, 0xbe5466cf34e90c6c}, out);
  words(out, 0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6);
}

/* A thousand blocks, each the next one's counter; the end was computed with whole numbers of any size
 * elsewhere. */
static void philox_survives_a_chain(void **state)
{
  HC_UNUSED(state);
  uint64_t c[4] = {1, 2, 3, 4}, k[2] = {5, 6};
  for (int i = 0; i < 1000; i++) {
    uint64_t out[4];
    hc_philox(c, k, out);
    memcpy(c, out, sizeof c);
    uint64_t first = c[0] ^ k[1], second = c[3] ^ k[0];
    k[0] = first;
    k[1] = second;
  }
  words(c, 0x604612fd3062fad1, 0x6d9e7afe37ea7f88, 0xa8802a85f2d54e1e, 0x87ecb4536aaf4e11);
}

static void a_stream_is_a_function_of_its_name(void **state)
{
  HC_UNUSED(state);
  /* (draw / 4, 3, 2, 0) under the key (1, 0), computed independently */
  const uint64_t want[10] = {0x75ee287bbc6c8508, 0xa4dcf71997084fd7, 0xf33a4777b0cc43df, 0xec87a6a43766c1ea,
                             0xef09df5b3442a5d7, 0x63f0c461d06f4fa5, 0xb3384849f3496354, 0x8c1c36f9671f7e6d,
                             0xdf5efc6a1eda15a9, 0x2ba6e812ab5ca6aa};
  hc_draws s = {.seed = 1, .replication = 2, .entity = 3};
  for (int i = 0; i < 10; i++) assert_int_equal(hc_random_bits(&s), want[i]);
  assert_int_equal(s.draw, 10); /* the whole of its state */
  hc_draws later = {.seed = 1, .replication = 2, .entity = 3, .draw = 7};
  assert_int_equal(hc_random_bits(&later), want[7]); /* any draw at once */
  for (int i = 0; i < 4; i++) {                      /* each part of the name matters */
    hc_draws other = {
        .seed = 1 + (i == 0), .replication = 2 + (i == 1), .entity = 3 + (i == 2), .purpose = i == 3};
    assert_int_not_equal(hc_random_bits(&other), want[0]);
  }
}

static void draws_used_are_as_documented(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 2};
  (void)hc_random_unit(&s);
  (void)hc_random_exponential(&s, 1);
  (void)hc_random_below(&s, 10); /* refused with probability 10 / 2^64 */
  assert_int_equal(s.draw, 3);
  for (int i = 0; i < 100000; i++) (void)hc_random_normal(&s, 0, 1);
  assert_true(fabs((double)(s.draw - 3) / 100000 - 8 / 3.141592653589793) <
              0.02); /* 2 / (pi/4), s.e. 0.004 */
}

static double chi_square(const uint32_t *seen, size_t n, double expected)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (seen[i] - expected) * (seen[i] - expected) / expected;
  return sum;
}

static void uniform_numbers_are_uniform(void **state)
{
  HC_UNUSED(state);
  static uint32_t cells[1024], digits[7], first[256], last[256];
  hc_draws s = {.seed = 3}, t = {.seed = 4};
  for (int i = 0; i < DRAWS; i++) {
    double u = hc_random_unit(&s);
    assert_true(u >= 0 && u < 1);
    cells[(size_t)(u * 1024)]++;
    digits[hc_random_below(&s, 7)]++;
    t.entity = (uint64_t)i; /* one draw from each of many streams must be as good as many from one */
    t.draw = 0;
    uint64_t bits = hc_random_bits(&t);
    first[bits >> 56]++;
    last[bits & 255]++;
  }
  /* mean n - 1, standard deviation sqrt(2 (n - 1)) */
  assert_true(fabs(chi_square(cells, 1024, DRAWS / 1024.0) - 1023) < 5 * sqrt(2 * 1023.0));
  assert_true(chi_square(digits, 7, DRAWS / 7.0) < 6 + 5 * sqrt(2 * 6.0));
  assert_true(fabs(chi_square(first, 256, DRAWS / 256.0) - 255) < 5 * sqrt(2 * 255.0));
  assert_true(fabs(chi_square(last, 256, DRAWS / 256.0) - 255) < 5 * sqrt(2 * 255.0));
}

static void below_refuses_the_surplus(void **state)
{
  HC_UNUSED(state);
  /* n = 3 * 2^62: without refusal a third of the results would come twice as often; a quarter of draws is
   * refused. */
  const uint64_t n = (uint64_t)3 << 62;
  uint32_t thirds[3] = {0};
  hc_draws s = {.seed = 5};
  for (int i = 0; i < 300000; i++) {
    uint64_t x = hc_random_below(&s, n);
    assert_true(x < n);
    thirds[x % 3]++;
  }
  assert_true(chi_square(thirds, 3, 100000) < 2 + 5 * sqrt(2 * 2.0));
  assert_true(fabs((double)s.draw / 300000 - 4.0 / 3) <
              0.006); /* tries are geometric with p = 3/4, s.e. 0.0012 */
  for (int i = 0; i < 100; i++) assert_int_equal(hc_random_below(&s, 1), 0);
  (void)hc_random_below(&s, UINT64_MAX);
}

/* Draws from a block that is kept are those of the stream, from wherever in a block it begins; a surplus that
 * is refused takes a draw of both. */
static void kept_blocks_give_the_same_draws(void **state)
{
  (void)state;
  for (uint64_t first = 0; first < 5; first++) {
    hc_draws s = {.seed = 3, .entity = 8, .draw = first};
    hc_draw_block b = {.s = s};
    for (uint64_t i = 1; i < 300; i++) {
      const uint64_t n = i % 5 == 0 ? UINT64_C(3) << 62 : i;
      assert_int_equal(hc_random_block_below(&b, n), hc_random_below(&s, n));
      assert_int_equal(b.s.draw, s.draw);
    }
    assert_true(s.draw > first + 310); /* some were refused */
  }
}

/* Mean, variance, third and fourth moments about the mean. */
static void moments(const double *x, double m[4])
{
  double mean = 0;
  for (int i = 0; i < DRAWS; i++) mean += x[i] / DRAWS;
  m[0] = mean;
  m[1] = m[2] = m[3] = 0;
  for (int i = 0; i < DRAWS; i++) {
    double d = x[i] - mean;
    m[1] += d * d / DRAWS;
    m[2] += d * d * d / DRAWS;
    m[3] += d * d * d * d / DRAWS;
  }
}

static double sample[DRAWS];

static void exponential_has_its_moments(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 6};
  double m[4];
  uint32_t above = 0;
  for (int i = 0; i < DRAWS; i++) {
    sample[i] = hc_random_exponential(&s, 20) / 20;
    assert_true(sample[i] >= 0 && sample[i] < 37); /* 53 ln 2 */
    above += sample[i] > 5;
  }
  moments(sample, m);
  assert_true(fabs(m[0] - 1) < 5e-3); /* standard error 1 / 1000 */
  assert_true(fabs(m[1] - 1) < 5 * sqrt(8e-6));
  assert_true(fabs(m[2] - 2) < 5 * sqrt(220e-6));
  assert_true(fabs(above / (double)DRAWS - exp(-5)) < 5 * sqrt(exp(-5) / DRAWS));
}

static void normal_has_its_moments(void **state)
{
  HC_UNUSED(state);
  hc_draws s = {.seed = 7};
  double m[4];
  uint32_t within[3] = {0};
  for (int i = 0; i < DRAWS; i++) {
    sample[i] = (hc_random_normal(&s, 100, 3) - 100) / 3;
    for (int k = 0; k < 3; k++) within[k] += fabs(sample[i]) < k + 1;
  }
  moments(sample, m);
  assert_true(fabs(m[0]) < 5e-3); /* standard errors 1, sqrt 2, sqrt 6, sqrt 96 thousandths */
  assert_true(fabs(m[1] - 1) < 5 * sqrt(2e-6));
  assert_true(fabs(m[2]) < 5 * sqrt(6e-6));
  assert_true(fabs(m[3] - 3) < 5 * sqrt(96e-6));
  for (int k = 0; k < 3; k++) {
    double p = erf((k + 1) / sqrt(2));
    assert_true(fabs(within[k] / (double)DRAWS - p) < 5 * sqrt(p * (1 - p) / DRAWS));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_gives_the_published_words),
      cmocka_unit_test(philox_survives_a_chain),
      cmocka_unit_test(a_stream_is_a_function_of_its_name),
      cmocka_unit_test(draws_used_are_as_documented),
      cmocka_unit_test(uniform_numbers_are_uniform),
      cmocka_unit_test(below_refuses_the_surplus),
      cmocka_unit_test(kept_blocks_give_the_same_draws),
      cmocka_unit_test(exponential_has_its_moments),
      cmocka_unit_test(normal_has_its_moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
