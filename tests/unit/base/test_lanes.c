/* test_lanes.c -- sixteen rows of four numbers at once, against one number after the other. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/lanes.h"
#include "base/util.h"

static uint64_t next_random(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static int number(uint64_t row, int column)
{
  return (int16_t)(uint16_t)(row >> (16 * column));
}

/* Few values, so that equal ones and the extremes are met often. */
static uint64_t some_row(uint64_t *seed)
{
  static const uint16_t values[] = {0x8000, 0x8001, 0xffff, 0, 1, 2, 0x7fff, 0xc000};
  uint64_t row = 0;
  for (int n = 0; n < 4; n++) row |= (uint64_t)values[next_random(seed) % HC_ARRAY_LEN(values)] << (16 * n);
  return row;
}

static void test_against_one_by_one(void **state)
{
  uint64_t seed = 1, rows[3 * HC_LANE_ROWS];
  HC_UNUSED(state);
  for (int round = 0; round < 3000; round++) {
    const uint32_t stride = 1 + (uint32_t)round % 3;
    const uint64_t need = some_row(&seed);
    uint64_t greatest = 0, greater = 0;
    uint32_t cover = 0;
    for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) rows[i] = some_row(&seed);
    for (int n = 0; n < 4; n++) {
      int most = INT16_MIN, more = HC_MAX(number(rows[0], n), number(need, n));
      for (uint32_t i = 0; i < HC_LANE_ROWS; i++) most = HC_MAX(most, number(rows[i * stride], n));
      greatest |= (uint64_t)(uint16_t)most << (16 * n);
      greater |= (uint64_t)(uint16_t)more << (16 * n);
    }
    for (uint32_t i = 0; i < HC_LANE_ROWS; i++) {
      int fits = 1;
      for (int n = 0; n < 4; n++) fits &= number(rows[i * stride], n) >= number(need, n);
      cover |= (uint32_t)fits << i;
    }
    assert_int_equal(hc_lanes_cover(rows, stride, need), cover);
    assert_true(hc_lanes_greatest(rows, stride) == greatest);
    assert_true(hc_lanes_greater(rows[0], need) == greater);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_one_by_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
