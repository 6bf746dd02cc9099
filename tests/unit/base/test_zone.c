/* test_zone.c -- the calendar, and offsets of tz database zones, which are the program's own: every zone
 * against what another implementation said of the same release (tests/data/zones). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/util.h"

static void expect_date(int64_t t, int64_t year, int month, int day, int weekday)
{
  hc_calendar c = hc_calendar_of(t, 0);
  assert_int_equal(c.year, year);
  assert_int_equal(c.month, month);
  assert_int_equal(c.day, day);
  assert_int_equal(c.weekday, weekday);
  assert_int_equal(hc_calendar_unix(&c, 0), t);
}

static void test_dates(void **state)
{
  HC_UNUSED(state);
  expect_date(0, 1970, 1, 1, 3); /* a Thursday */
  expect_date(-1, 1969, 12, 31, 2);
  expect_date(951782400, 2000, 2, 29, 1); /* divisible by 400: a leap year */
  expect_date(-2203977600, 1900, 2, 28, 2);
  expect_date(-2203891200, 1900, 3, 1, 3); /* divisible by 100 only: no 29 February */
  expect_date(4107542400, 2100, 3, 1, 0);
  expect_date(-62167219200, 0, 1, 1, 5);
  expect_date(843480031, 1996, 9, 23, 0);
}

static void test_clock(void **state)
{
  hc_calendar c = hc_calendar_of(843480031, 7200);
  HC_UNUSED(state);
  assert_int_equal(c.hour, 14); /* 12:00:31 in UTC */
  assert_int_equal(c.minute, 0);
  assert_int_equal(c.second, 31);
  assert_int_equal(hc_calendar_unix(&c, 7200), 843480031);
  c = hc_calendar_of(-1, -3600);
  assert_int_equal(c.hour, 22);
  assert_int_equal(c.day, 31);
}

/* Every day of 800 years is there once, in order, and extremes do not overflow. */
static void test_all_days(void **state)
{
  hc_calendar last = hc_calendar_of(-86400, 0);
  HC_UNUSED(state);
  for (int64_t day = 0; day < 2 * 146097; day++) {
    hc_calendar c = hc_calendar_of(day * 86400 + 86399, 0);
    assert_int_equal(hc_calendar_unix(&c, 0), day * 86400 + 86399);
    assert_int_equal(c.weekday, (last.weekday + 1) % 7);
    assert_true(c.day == last.day + 1 || (c.day == 1 && last.day >= 28));
    last = c;
  }
  hc_calendar c = hc_calendar_of(INT64_MAX, 0);
  assert_int_equal(hc_calendar_unix(&c, 0), INT64_MAX);
  c = hc_calendar_of(INT64_MIN, 0);
  assert_int_equal(hc_calendar_unix(&c, 0), INT64_MIN);
  (void)hc_calendar_of(INT64_MAX, 93599);
  (void)hc_calendar_of(INT64_MIN, -93599);
}

static void test_carry(void **state)
{
  hc_calendar c = {.year = 2023, .month = 14, .day = 30, .hour = 25};
  HC_UNUSED(state);
  hc_calendar d = hc_calendar_of(hc_calendar_unix(&c, 0), 0); /* 30 February 2024, 25 o'clock */
  assert_int_equal(d.year, 2024);
  assert_int_equal(d.month, 3);
  assert_int_equal(d.day, 2);
  assert_int_equal(d.hour, 1);
  c = (hc_calendar){.year = INT64_MAX, .month = 1, .day = 1};
  assert_int_equal(hc_calendar_unix(&c, 0), INT64_MAX);
}

static void expect_offset(const char *name, int64_t t, int32_t offset)
{
  hc_zone *z = NULL;
  assert_int_equal(hc_zone_open(hc_default_allocator(), name, &z), 0);
  assert_int_equal(hc_zone_offset(z, t), offset);
  hc_zone_free(z);
}

static void test_zones(void **state)
{
  HC_UNUSED(state);
  expect_offset("Europe/Stockholm", 843480031, 7200);  /* summer 1996 */
  expect_offset("Europe/Stockholm", 1711846799, 3600); /* 31 March 2024, 00:59:59 UTC: one second before */
  expect_offset("Europe/Stockholm", 1711846800, 7200);
  expect_offset("Europe/Stockholm", 1729990799, 7200); /* 27 October 2024 */
  expect_offset("Europe/Stockholm", 1729990800, 3600);
  expect_offset("Europe/Stockholm", 4109878800 - 1, 3600); /* 28 March 2100, 01:00 UTC: past the table */
  expect_offset("Europe/Stockholm", 4109878800, 7200);
  expect_offset("America/New_York", 1710054000 - 1, -18000); /* 10 March 2024, 07:00 UTC */
  expect_offset("America/New_York", 1710054000, -14400);
  expect_offset("Australia/Sydney", 1712419200 - 1,
                39600); /* 6 April 2024, 16:00 UTC: summer ends in autumn */
  expect_offset("Australia/Sydney", 1712419200, 36000);
  expect_offset("Asia/Kolkata", 1700000000, 19800);
  expect_offset("Asia/Tokyo", 1446700000, 32400);
}

/* Past the table, which ends in 2037, the footer's rule holds. */
static void test_rule(void **state)
{
  hc_calendar c = {.year = 2124, .month = 3, .day = 26, .hour = 1}; /* the last Sunday of March 2124 */
  HC_UNUSED(state);
  expect_offset("Europe/Stockholm", hc_calendar_unix(&c, 0) - 1, 3600);
  expect_offset("Europe/Stockholm", hc_calendar_unix(&c, 0), 7200);
  c = (hc_calendar){.year = 2124, .month = 10, .day = 29, .hour = 1};
  expect_offset("Europe/Stockholm", hc_calendar_unix(&c, 0) - 1, 7200);
  expect_offset("Europe/Stockholm", hc_calendar_unix(&c, 0), 3600);
  c = (hc_calendar){.year = 2124, .month = 1, .day = 15};
  expect_offset("Australia/Sydney", hc_calendar_unix(&c, 0), 39600);
  c.month = 7;
  expect_offset("Australia/Sydney", hc_calendar_unix(&c, 0), 36000);
  expect_offset("Europe/Dublin", hc_calendar_unix(&c, 0), 3600); /* its winter is the saving time, by -1 h */
  expect_offset("Asia/Tokyo", hc_calendar_unix(&c, 0), 32400);
  expect_offset("Europe/Stockholm", INT64_MAX, 3600);
  expect_offset("Europe/Stockholm", INT64_MIN, 3600); /* before 1970: as at its beginning */
}

/* "Europe/Berlin 1700000000 3600 ..." */
static int expect_line(char *line)
{
  int pairs = 0;
  char *p = strchr(line, ' ');
  assert_non_null(p);
  *p++ = '\0';
  for (; *p && *p != '\n'; pairs++) {
    const int64_t t = strtoll(p, &p, 10);
    expect_offset(line, t, (int32_t)strtol(p, &p, 10));
  }
  return pairs;
}

/* Every zone of the release, at random instants and on both sides of a change, is as Python's zoneinfo has
 * it. */
static void test_every_zone(void **state)
{
  char line[512];
  size_t zones = 0;
  int pairs = 0;
  FILE *f = fopen(HC_TEST_SOURCE_DIR "/tests/data/zones/vectors.txt", "r");
  HC_UNUSED(state);
  assert_non_null(f);
  assert_non_null(fgets(line, sizeof line, f));
  line[strcspn(line, "\n")] = '\0';
  assert_string_equal(line + strlen("# version "), hc_zone_version());
  for (; fgets(line, sizeof line, f); zones++) {
    pairs += expect_line(line);
    assert_string_equal(line, hc_zone_name(zones)); /* in order, and none is missing */
  }
  (void)fclose(f);
  assert_null(hc_zone_name(zones));
  assert_true(zones > 590 && pairs > 3 * (int)zones);
}

/* What a log says as a number of seconds, as a name. */
static void test_fixed_names(void **state)
{
  static const struct {
    int64_t offset;
    const char *name;
  } known[] = {
      {0, "+00:00"}, {3600, "+01:00"}, {-12600, "-03:30"}, {-2670, "-00:44:30"}, {86399, "+23:59:59"}};
  char name[HC_ZONE_FIXED];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++) {
    assert_true(hc_zone_fixed(known[i].offset, name));
    assert_string_equal(name, known[i].name);
    expect_offset(name, 1700000000, (int32_t)known[i].offset);
  }
  assert_false(hc_zone_fixed(86400, name));
  assert_false(hc_zone_fixed(INT64_MIN + 1, name));
  assert_true(hc_zone_is_known("US/Pacific") && hc_zone_is_known("+02"));
  assert_false(
      hc_zone_is_known("localtime")); /* what the machine's clock shows is nothing that a log can mean */
}

static void test_fixed(void **state)
{
  HC_UNUSED(state);
  expect_offset("UTC", 0, 0);
  expect_offset("+01:00", 0, 3600);
  expect_offset("-05:30", 0, -19800);
  expect_offset("+0545", 0, 20700);
  expect_offset("+02", INT64_MAX, 7200);
}

static void test_refused(void **state)
{
  const char *const names[] = {"",
                               "Mars/Olympus",
                               "../../etc/passwd",
                               "/etc/passwd",
                               "Europe",
                               "localtime",
                               "posix/Europe/Berlin",
                               "Europe/../UTC",
                               "+1:00",
                               "+25:00:00",
                               "+01:",
                               "a b",
                               "+99:00"};
  hc_zone *z = NULL;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    assert_int_equal(hc_zone_open(hc_default_allocator(), names[i], &z), HC_ENOTFOUND);
    assert_null(z);
  }
  hc_zone_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dates),      cmocka_unit_test(test_clock),
                                     cmocka_unit_test(test_all_days),   cmocka_unit_test(test_carry),
                                     cmocka_unit_test(test_zones),      cmocka_unit_test(test_rule),
                                     cmocka_unit_test(test_every_zone), cmocka_unit_test(test_fixed_names),
                                     cmocka_unit_test(test_fixed),      cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
