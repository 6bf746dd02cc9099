/* test_lanes.c -- where stretches lie, by hand: which gap is taken, what is cut in pieces, what joins
 * again; and numbers packed as the head of packed.h says, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/lanes.h"
#include "output/packed.h"

static hc_lanes lanes;

static int make(void **state)
{
  (void)state;
  hc_lanes_init(&lanes, hc_default_allocator());
  return 0;
}

static int drop(void **state)
{
  (void)state;
  hc_lanes_fini(&lanes);
  return 0;
}

/* What the last stretch got, as "0+3 7+1". */
static void assert_given(uint32_t band, hc_time start, hc_time end, int64_t amount, const char *expected)
{
  char text[200] = "";
  assert_int_equal(hc_lanes_take(&lanes, band, start, end, amount), 0);
  for (size_t i = 0; i < lanes.given_count; i++)
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld+%lld", i ? " " : "",
                   (long long)lanes.given[i].first, (long long)lanes.given[i].count);
  assert_string_equal(text, expected);
}

/* 10 lanes: 3, 2 and 4 lie above each other and 1 is left. The 2 end: of gaps of 2 and 1 a single takes the
 * smaller. */
static void takes_the_tightest_gap(void **state)
{
  (void)state;
  assert_int_equal(hc_lanes_add(&lanes, 10), 0);
  assert_given(0, 0, 100, 3, "0+3");
  assert_given(0, 0, 10, 2, "3+2");
  assert_given(0, 0, 100, 4, "5+4");
  assert_given(0, 10, 20, 1, "9+1");
  assert_given(0, 10, 20, 1, "3+1");
}

/* Where no gap is large enough the lowest are filled: 3 of 2 and 1. What ends joins its neighbours: then
 * all is one. */
static void cuts_and_joins(void **state)
{
  (void)state;
  assert_int_equal(hc_lanes_add(&lanes, 10), 0);
  assert_given(0, 0, 100, 3, "0+3");
  assert_given(0, 0, 10, 2, "3+2");
  assert_given(0, 0, 100, 4, "5+4");
  assert_given(0, 10, 50, 3, "3+2 9+1");
  assert_given(0, 100, 200, 10, "0+10");
}

/* A host has no more than it has; another band begins behind it; what takes no time takes no lanes. */
static void keeps_to_its_band(void **state)
{
  (void)state;
  assert_int_equal(hc_lanes_add(&lanes, 4), 0);
  assert_int_equal(hc_lanes_add(&lanes, 2), 0);
  assert_given(1, 0, 10, 5, "4+2");
  assert_given(0, 0, 10, 1, "0+1");
  assert_given(0, 5, 5, 1, "");
  assert_given(1, 9, 20, 1, "");
  assert_given(1, 10, 20, 1, "4+1");
}

/* A column as it is written, without its packing, which a core has not. */
static void assert_packed(const int64_t *values, size_t count, const char *head)
{
  hc_buffer text;
  hc_packed p;
  hc_json_writer j = {.out = &text, .compact = true};
  hc_buffer_init(&text, hc_default_allocator());
  hc_packed_init(&p, hc_default_allocator(), &j);
  assert_int_equal(hc_packed_begin(&p, count), 0);
  for (size_t i = 0; i < count; i++) hc_packed_add(&p, values[i]);
  assert_int_equal(hc_packed_end(&p, "x"), 0);
  assert_memory_equal(text.data, head, strlen(head));
  hc_packed_fini(&p);
  hc_buffer_fini(&text);
}

/* 1000, 1001, ... 1009 are nine differences of 1 (2 as written) behind 2000: 11 bytes, where each needs one
 * above its lowest: 9; so it is plain. 300 apart they need two bytes each but the first, and their
 * differences (600) as well: one that rises by 100, of which the eleven last need two, is shorter by
 * differences of 200. */
static void packs_the_shorter_way(void **state)
{
  int64_t near[10], far[20];
  (void)state;
  for (int i = 0; i < 10; i++) near[i] = 1000 + i;
  for (int i = 0; i < 20; i++) far[i] = 100 * i;
  assert_packed(near, 10,
                "{\"name\":\"x\",\"count\":10,\"low\":1000,\"width\":1,\"delta\":false,\"missing\":false");
  assert_packed(far, 20,
                "{\"name\":\"x\",\"count\":20,\"low\":0,\"width\":1,\"delta\":true,\"missing\":false");
}

/* What is not known is one below the lowest; numbers that are all one take no bytes. */
static void packs_what_is_missing(void **state)
{
  static const int64_t some[] = {5, HC_UNKNOWN, 7}, one[] = {8, 8, 8}, none[] = {HC_UNKNOWN, HC_UNKNOWN};
  (void)state;
  assert_packed(some, 3,
                "{\"name\":\"x\",\"count\":3,\"low\":4,\"width\":1,\"delta\":false,\"missing\":true");
  assert_packed(one, 3,
                "{\"name\":\"x\",\"count\":3,\"low\":8,\"width\":0,\"delta\":false,\"missing\":false");
  assert_packed(none, 2,
                "{\"name\":\"x\",\"count\":2,\"low\":-1,\"width\":0,\"delta\":false,\"missing\":true");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(takes_the_tightest_gap, make, drop),
      cmocka_unit_test_setup_teardown(cuts_and_joins, make, drop),
      cmocka_unit_test_setup_teardown(keeps_to_its_band, make, drop),
      cmocka_unit_test(packs_the_shorter_way),
      cmocka_unit_test(packs_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
