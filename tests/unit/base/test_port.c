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
    char texts[6][32];
    const char *ends[4];
    uint64_t words[2];
    uint32_t lengths[4], want[6], got[6];
    for (int i = 0; i < 6; i++) {
      const uint32_t n = 1 + (uint32_t)next_random(&seed) % 8;
      uint32_t most = 1;
      for (uint32_t k = 0; k < n; k++) most *= 10;
      want[i] = (uint32_t)next_random(&seed) % most;
      snprintf(texts[i], sizeof texts[i], "xx12345,%0*u", (int)n, want[i]);
      if (i >= 4) {
        words[i - 4] = hc_digits(texts[i] + 8 + n, n);
        continue;
      }
      ends[i] = texts[i] + 8 + n;
      lengths[i] = n;
    }
    assert_true(hc_six_numbers(ends, lengths, words, got));
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
        char texts[6][9];
        const char *ends[4];
        const uint32_t lengths[4] = {8, 8, 8, 8};
        uint64_t words[2];
        uint32_t got[6];
        for (int w = 0; w < 6; w++) {
          memcpy(texts[w], "99999999", 9);
          if (w == i) texts[w][k] = (char)c;
          if (w < 4) ends[w] = texts[w] + 8;
          else words[w - 4] = hc_digits(texts[w] + 8, 8);
        }
        assert_int_equal(hc_six_numbers(ends, lengths, words, got), c >= '0' && c <= '9');
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
