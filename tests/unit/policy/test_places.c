/* test_places.c -- which processors the placements choose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HC_PLACE(name) extern const hc_place_type hc_place_##name;
#include "hindcast/placement.h"
#include "policy/places.def"
#undef HC_PLACE

/* 0-3, 10-15, 20-21, 30-32, 40-45: 21 are free in all. */
static const hc_range holes[] = {{0, 4}, {10, 6}, {20, 2}, {30, 3}, {40, 6}};

typedef struct options {
  int choose;
} options;
static const options choose_first = {0}, choose_best = {1};

static void expect(const hc_place_type *type, const void *o, int64_t units, const hc_range *expected,
                   size_t n)
{
  hc_place_input in = {.free = holes, .free_count = 5, .units = units};
  hc_range out[32];
  assert_int_equal(type->place(o, &in, out), n);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(out[i].first, expected[i].first);
    assert_int_equal(out[i].count, expected[i].count);
  }
}

#define EXPECT(type, o, units, ...) \
  expect(&hc_place_##type, o, units, (const hc_range[]){__VA_ARGS__}, \
         sizeof((const hc_range[]){__VA_ARGS__}) / sizeof(hc_range))

static void first_fit_fills_from_below(void **state)
{
  (void)state;
  EXPECT(first_fit, NULL, 3, {0, 3});
  EXPECT(first_fit, NULL, 4, {0, 4});
  EXPECT(first_fit, NULL, 5, {0, 4}, {10, 1}); /* though 10-15 would hold it alone */
  EXPECT(first_fit, NULL, 21, {0, 4}, {10, 6}, {20, 2}, {30, 3}, {40, 6});
  expect(&hc_place_first_fit, NULL, 22, NULL, 0);
}

static void best_fit_wastes_least(void **state)
{
  (void)state;
  EXPECT(best_fit, NULL, 1, {20, 1});
  EXPECT(best_fit, NULL, 3, {30, 3});
  EXPECT(best_fit, NULL, 5, {10, 5});           /* 10-15 and 40-45 are alike: the lower */
  EXPECT(best_fit, NULL, 8, {10, 6}, {20, 2});  /* the largest, and the smallest that holds two more */
  EXPECT(best_fit, NULL, 10, {0, 4}, {10, 6});  /* ascending, whatever came first */
  EXPECT(best_fit, NULL, 12, {10, 6}, {40, 6}); /* two ranges, not three */
  EXPECT(best_fit, NULL, 17, {0, 4}, {10, 6}, {20, 1}, {40, 6});
  EXPECT(best_fit, NULL, 21, {0, 4}, {10, 6}, {20, 2}, {30, 3}, {40, 6});
  expect(&hc_place_best_fit, NULL, 22, NULL, 0);
  expect(&hc_place_best_fit, NULL, 0, NULL, 0);
}

static void contiguous_takes_one_range(void **state)
{
  (void)state;
  assert_true(hc_place_contiguous.contiguous);
  assert_int_equal(hc_place_contiguous.component.options_size, sizeof(options));
  EXPECT(contiguous, &choose_first, 2, {0, 2});
  EXPECT(contiguous, &choose_first, 5, {10, 5});
  EXPECT(contiguous, &choose_best, 2, {20, 2});
  EXPECT(contiguous, &choose_best, 3, {30, 3});
  EXPECT(contiguous, &choose_best, 5, {10, 5});
  expect(&hc_place_contiguous, &choose_first, 7, NULL, 0); /* 21 are free, but no 7 in a row */
  expect(&hc_place_contiguous, &choose_best, 7, NULL, 0);
}

/* Every processor has the same chance; what is chosen is free, ascending and exactly enough. */
static void random_is_fair(void **state)
{
  (void)state;
  unsigned taken[46] = {0};
  enum { DRAWS = 4000, UNITS = 7 };
  for (uint64_t serial = 0; serial < DRAWS; serial++) {
    hc_place_input in = {.free = holes, .free_count = 5, .units = UNITS, .serial = serial, .seed = 1};
    hc_range out[UNITS];
    size_t n = hc_place_random.place(NULL, &in, out);
    int64_t units = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < n; i++) {
      assert_true(i == 0 || out[i].first > end); /* ascending; touching ones are joined */
      end = out[i].first + out[i].count;
      units += out[i].count;
      for (uint32_t k = out[i].first; k < end; k++) taken[k]++;
    }
    assert_int_equal(units, UNITS);
  }
  for (size_t i = 0; i < 5; i++) {
    for (uint32_t k = holes[i].first; k < holes[i].first + holes[i].count; k++) {
      assert_in_range(taken[k], 1333 - 150,
                      1333 + 150); /* a third of the draws, give or take five deviations */
      taken[k] = 0;
    }
  }
  for (size_t k = 0; k < 46; k++) assert_int_equal(taken[k], 0); /* nothing that was not free */
  EXPECT(random, NULL, 21, {0, 4}, {10, 6}, {20, 2}, {30, 3}, {40, 6});
  expect(&hc_place_random, NULL, 22, NULL, 0);
}

static void random_repeats_itself(void **state)
{
  (void)state;
  hc_place_input in = {.free = holes, .free_count = 5, .units = 9, .serial = 5, .seed = 3};
  hc_range a[9], b[9];
  size_t n = hc_place_random.place(NULL, &in, a);
  assert_int_equal(hc_place_random.place(NULL, &in, b), n);
  assert_memory_equal(a, b, n * sizeof a[0]);
}

/* A task that did not keep its place draws others: 9 of 21, so two draws agree once in 293,930. */
static void random_draws_anew(void **state)
{
  (void)state;
  hc_place_input in = {.free = holes, .free_count = 5, .units = 9, .serial = 5, .seed = 3};
  hc_range a[9], b[9];
  size_t n = hc_place_random.place(NULL, &in, a);
  in.draws = 1;
  assert_true(hc_place_random.place(NULL, &in, b) != n || memcmp(a, b, n * sizeof a[0]) != 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_fit_fills_from_below), cmocka_unit_test(best_fit_wastes_least),
      cmocka_unit_test(contiguous_takes_one_range), cmocka_unit_test(random_is_fair),
      cmocka_unit_test(random_repeats_itself),      cmocka_unit_test(random_draws_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
