/* test_port.c -- what reads text fast, against loops that do the same one character after the other. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/port.h"
#include "base/util.h"

static uint64_t next_random(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static void test_match(void **state)
{
  uint64_t seed = 1;
  char text[64 + 7];
  HC_UNUSED(state);
  for (int round = 0; round < 2000; round++) {
    const size_t shift = next_random(&seed) % 8; /* any alignment */
    uint64_t bits = 0;
    uint32_t count = 0, got = 77;
    for (size_t i = 0; i < sizeof text; i++) {
      const char few[] = {',', '\n', '-', '\v', (char)0x80, (char)0xac};
      text[i] = round % 2 ? few[next_random(&seed) % sizeof few] : (char)next_random(&seed);
    }
    for (int i = 0; i < 64; i++) {
      const bool hit = text[shift + (size_t)i] == ',' || text[shift + (size_t)i] == '\n';
      bits |= (uint64_t)hit << i;
      count += hit;
    }
    assert_true(hc_match64(text + shift, ',', '\n', &got) == bits);
    assert_int_equal(got, count);
  }
}

static void test_load(void **state)
{
  HC_UNUSED(state);
  assert_true(hc_load64("\1\2\3\4\5\6\7\10") == UINT64_C(0x0807060504030201));
}

/* All lengths, with what stands before a number left out of it. */
static void test_numbers(void **state)
{
  uint64_t seed = 2;
  HC_UNUSED(state);
  for (int round = 0; round < 5000; round++) {
    uint64_t words[6];
    uint32_t want[6], got[6];
    for (int i = 0; i < 6; i++) {
      char text[32] = "xx12345,";
      const uint32_t n = 1 + (uint32_t)next_random(&seed) % 8;
      uint32_t most = 1;
      for (uint32_t k = 0; k < n; k++) most *= 10;
      want[i] = (uint32_t)next_random(&seed) % most;
      snprintf(text + 8, sizeof text - 8, "%0*u", (int)n, want[i]);
      words[i] = hc_digits(text + 8 + n, n);
    }
    assert_true(hc_six_numbers(words, got));
    for (int i = 0; i < 6; i++) assert_int_equal(got[i], want[i]);
  }
}

/* One character that is no digit, anywhere in any of the numbers. */
static void test_no_numbers(void **state)
{
  HC_UNUSED(state);
  for (int c = 0; c < 256; c++) {
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < 8; k++) {
        uint64_t words[6];
        uint32_t got[6];
        for (int w = 0; w < 6; w++) {
          char text[9] = "99999999";
          if (w == i) text[k] = (char)c;
          words[w] = hc_digits(text + 8, 8);
        }
        assert_int_equal(hc_six_numbers(words, got), c >= '0' && c <= '9');
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_match),
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
