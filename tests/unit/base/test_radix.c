/* test_radix.c -- pairs in the order of their keys, stable, and single ranks: as qsort has them, for keys of
 * every kind that samples are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/radix.h"

enum { MOST = 5000 };

static uint64_t state = 1;

static uint64_t drawn(void)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ state >> 29;
}

static uint64_t bits_of(double x)
{
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

enum { ALL_BITS, FEW_KEYS, EQUAL, ASCENDING, LOW_BITS, TWO_FAR, TIMES, PATTERNS };

static uint64_t key_of(int pattern, size_t i)
{
  switch (pattern) {
    case ALL_BITS: return drawn();
    case FEW_KEYS: return drawn() % 4;
    case EQUAL: return 42;
    case ASCENDING: return i / 3;
    case LOW_BITS: return (uint64_t)7 << 40 | (drawn() & 1023);
    case TWO_FAR: return drawn() & 1 ? drawn() & 255 : UINT64_MAX - (drawn() & 255);
    default: return bits_of(drawn() % 3 == 0 ? 0 : (double)(drawn() % 1000000) * 1e9); /* waits */
  }
}

static int by_key(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void check(const uint64_t *keys, size_t n)
{
  static uint64_t sorted[MOST], ranks[MOST], out[MOST];
  static hc_pair pairs[MOST];
  memcpy(sorted, keys, n * sizeof *keys);
  qsort(sorted, n, sizeof *sorted, by_key);
  for (size_t i = 0; i < n; i++) pairs[i] = (hc_pair){keys[i], i};
  assert_int_equal(hc_pairs_sort(hc_default_allocator(), pairs, n), 0);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(pairs[i].key, sorted[i]);
    if (i > 0 && pairs[i].key == pairs[i - 1].key) assert_true(pairs[i].value > pairs[i - 1].value);
  }
  const size_t every[] = {1, 7, n / 2 + 1, n};
  for (size_t k = 0; k < sizeof every / sizeof *every; k++) {
    size_t count = 0;
    for (size_t i = k % 2; i < n; i += every[k]) ranks[count++] = i;
    if (n > 0) ranks[count++] = n - 1; /* one may be asked for twice */
    memset(out, 0xee, sizeof out);
    assert_int_equal(hc_keys_at(hc_default_allocator(), keys, n, ranks, count, out), 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(out[i], sorted[ranks[i]]);
  }
}

static void test_orders(void **unused)
{
  static uint64_t keys[MOST];
  (void)unused;
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    for (size_t n = 0; n < MOST; n = n < 70 ? n + 1 : n * 3 / 2) {
      for (size_t i = 0; i < n; i++) keys[i] = key_of(pattern, i);
      check(keys, n);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
