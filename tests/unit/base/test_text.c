/* test_text.c -- numbers, times and sizes to text and back; quoting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/util.h"

/* Each returns `none` where the text is refused. */
static int64_t int_of(const char *s, int64_t none)
{
  int64_t out = none;
  return hc_parse_int(s, strlen(s), &out) < 0 ? none : out;
}

static hc_time seconds_of(const char *s, hc_time none)
{
  hc_time out = none;
  return hc_parse_seconds(s, strlen(s), &out) < 0 ? none : out;
}

static hc_time time_of(const char *s, hc_time none)
{
  hc_time out = none;
  return hc_parse_time(s, strlen(s), &out) < 0 ? none : out;
}

static int64_t size_of(const char *s, int64_t none)
{
  int64_t out = none;
  return hc_parse_size(s, strlen(s), &out) < 0 ? none : out;
}

static bool is_real(const char *s)
{
  double out;
  return hc_parse_real(s, strlen(s), &out) == 0;
}

static double real_of(const char *s)
{
  double out = -1;
  assert_int_equal(hc_parse_real(s, strlen(s), &out), 0);
  return out;
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void test_int(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(int_of("0", -1), 0);
  assert_int_equal(int_of("-12", -1), -12);
  assert_int_equal(int_of("+7", -1), 7);
  assert_int_equal(int_of("1_000_000", -1), 1000000);
  assert_int_equal(int_of("1e6", -1), 1000000);
  assert_int_equal(int_of("1.5e3", -1), 1500); /* whole, though it has a point */
  assert_int_equal(int_of("2.0", -1), 2);
  assert_int_equal(int_of("1200e-2", -1), 12);
  assert_int_equal(int_of("9223372036854775807", -1), INT64_MAX);
  assert_int_equal(int_of("-9223372036854775808", -1), INT64_MIN);
  assert_int_equal(int_of("000000000000000000000000012", -1), 12); /* leading zeros take no room */
  const char *const wrong[] = {"",
                               "-",
                               "1.5",
                               "1_",
                               "_1",
                               "1__0",
                               "1e",
                               "e3",
                               "9223372036854775808",
                               "1e19",
                               "0x10",
                               "1 ",
                               " 1",
                               "1,0",
                               ".",
                               "1e-1",
                               "--1",
                               "1e99999999999999999999999",
                               "1.0000000000000000000000001"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_int_equal(int_of(wrong[i], -1), -1);
}

static void test_real(void **state)
{
  HC_UNUSED(state);
  assert_true(real_of("0.1") == 0.1);
  assert_true(real_of("-2.5e3") == -2500);
  assert_true(real_of(".5") == 0.5);
  assert_true(real_of("123456789012345678901234567890") == 123456789012345678901234567890.0);
  assert_true(real_of("1e-400") == 0);
  assert_true(real_of("5e-324") == 5e-324);
  assert_true(bits_of(real_of("-0")) == bits_of(-0.0)); /* the sign of zero is kept */
  /* halfway between 2^53 and 2^53 + 2: to even; a digit far behind decides for the upper one */
  assert_true(real_of("9007199254740993") == 9007199254740992.0);
  assert_true(real_of("9007199254740993.00000000000000000000000000000000001") == 9007199254740994.0);
  assert_true(real_of("0.000000000000000000000000000000000000000000001e45") == 1.0);
  const char *const wrong[] = {"",    "inf", "nan", "-inf",     "0x1p3", "1e400",
                               "1,5", "1e",  "1 ",  "infinity", "."};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_false(is_real(wrong[i]));
}

static void test_real_long(void **state)
{
  char text[2000];
  HC_UNUSED(state);
  /* 1 and 2^-53 exactly is a tie, to even; one more digit behind 1,500 zeros breaks it upwards */
  const char *tie = "1.00000000000000011102230246251565404236316680908203125";
  (void)strcpy(text, tie);
  assert_true(real_of(text) == 1.0);
  size_t n = strlen(tie);
  memset(text + n, '0', 1500);
  (void)strcpy(text + n + 1500, "1");
  assert_true(real_of(text) == 1.0000000000000002);
}

static void test_format_real(void **state)
{
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0"},
               {1, "1"},
               {-1234567, "-1234567"},
               {0.1, "0.1"},
               {0.30000000000000004, "0.30000000000000004"},
               {1.0 / 3, "0.3333333333333333"},
               {100000000000000000000.0, "1e20"},
               {1e16, "10000000000000000"},
               {12345678901234567.0, "12345678901234568"},
               {0.00001, "0.00001"},
               {0.000001234, "1.234e-6"},
               {5e-324, "5e-324"},
               {1.7976931348623157e308, "1.7976931348623157e308"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {2.5, "2.5"}};
  char buf[32];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    assert_int_equal(hc_format_real(cases[i].x, buf), strlen(cases[i].text));
    assert_string_equal(buf, cases[i].text);
  }
  double zero = 0;
  assert_int_equal(hc_format_real(1 / zero, buf), 4);
  assert_string_equal(buf, "null");
  hc_format_real(zero / zero, buf);
  assert_string_equal(buf, "null");
}

/* Any bits of a finite double survive the way to text and back. */
static void test_round_trip(void **state)
{
  uint64_t x = 88172645463325252u; /* xorshift, a fixed seed */
  char buf[32];
  HC_UNUSED(state);
  for (int i = 0; i < 100000; i++) {
    double d;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    memcpy(&d, &x, sizeof d);
    if (d - d != 0) continue;
    size_t n = hc_format_real(d, buf);
    assert_true(n < 32);
    assert_int_equal(bits_of(real_of(buf)), x);
    assert_int_equal(bits_of(strtod(buf, NULL)), x); /* the C library agrees */
  }
}

static void test_seconds(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(seconds_of("12", -1), 12 * HC_SECOND);
  assert_int_equal(seconds_of("843480031", -1), 843480031 * HC_SECOND);
  assert_int_equal(seconds_of("12.5", -1), 12500 * HC_MS);
  assert_int_equal(seconds_of("-1", 0), -HC_SECOND);
  assert_int_equal(seconds_of("1e3", -1), 1000 * HC_SECOND);
  assert_int_equal(seconds_of("1.000000001", -1), HC_SECOND + 1);
  assert_int_equal(seconds_of("0.0000000005", -1), 1); /* halves up */
  assert_int_equal(seconds_of("0.00000000049999999999999999999", -1), 0);
  assert_int_equal(seconds_of("-0.0000000005", -1), 0); /* up is towards later */
  assert_int_equal(seconds_of("-0.00000000051", 0), -1);
  assert_int_equal(seconds_of("1446700000.123456789012345678901", -1), 1446700000123456789);
  assert_int_equal(seconds_of("9223372036.854775806", -1), HC_NEVER - 1);
  assert_int_equal(seconds_of("9223372036.8547758074", -1), HC_NEVER);
  assert_int_equal(seconds_of("9223372036854775807", -1), HC_NEVER);
  assert_int_equal(seconds_of("-1e30", 0), -HC_NEVER); /* HC_UNKNOWN is never read */
  assert_int_equal(seconds_of("1e-30", -1), 0);
  assert_int_equal(seconds_of("0e99999", -1), 0);
  const char *const wrong[] = {"",   "-",     "a",    "1s",  "1 ",        "nan", "inf",
                               "1e", "1.2.3", "1:00", "0x1", "12345678x", "1_0"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_int_equal(seconds_of(wrong[i], -7), -7);
}

static void test_time(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(time_of("90", -1), 90 * HC_SECOND);
  assert_int_equal(time_of("1.5h", -1), 90 * HC_MINUTE);
  assert_int_equal(time_of("2d12h", -1), 60 * HC_HOUR);
  assert_int_equal(time_of("1h30m", -1), 90 * HC_MINUTE);
  assert_int_equal(time_of("1h10min", -1), 70 * HC_MINUTE);
  assert_int_equal(time_of("100ms", -1), 100 * HC_MS);
  assert_int_equal(time_of("3us", -1), 3 * HC_US);
  assert_int_equal(time_of("4ns", -1), 4);
  assert_int_equal(time_of("1w", -1), 7 * HC_DAY);
  assert_int_equal(time_of("1m500ms", -1), HC_MINUTE + 500 * HC_MS);
  assert_int_equal(time_of("-1h", 0), -HC_HOUR);
  assert_int_equal(time_of("0.1w", -1), 7 * HC_DAY / 10);
  assert_int_equal(time_of("0.5ns", -1), 1);
  assert_int_equal(time_of("01:02:03", -1), HC_HOUR + 2 * HC_MINUTE + 3 * HC_SECOND);
  assert_int_equal(time_of("100:00:00", -1), 100 * HC_HOUR);
  assert_int_equal(time_of("2-03:04:05", -1), 2 * HC_DAY + 3 * HC_HOUR + 4 * HC_MINUTE + 5 * HC_SECOND);
  assert_int_equal(time_of("00:00:01.25", -1), 1250 * HC_MS);
  assert_int_equal(time_of("-00:00:01", 0), -HC_SECOND);
  assert_int_equal(time_of("never", -1), HC_NEVER);
  assert_int_equal(time_of("99999999999w", -1), HC_NEVER);
  assert_int_equal(time_of("99999999999:00:00", -1), HC_NEVER);
  const char *const wrong[] = {"",          "h",      "1h30",     "30m1h", "1h1h",    "1 h",
                               "1x",        "1h-3m",  "1:60:00",  "01:02", "1:2:3:4", "1-24:00:00",
                               "1-",        "Never",  "00:00:60", "1:00:", "1e3s",    "-",
                               "00:00:1e1", "-never", "1..5h",    "--1h"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_int_equal(time_of(wrong[i], -7), -7);
}

static void test_size(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(size_of("64MiB", -1), 64 << 20);
  assert_int_equal(size_of("1GB", -1), 1000000000);
  assert_int_equal(size_of("512k", -1), 512000); /* without an i the prefixes are decimal */
  assert_int_equal(size_of("512Ki", -1), 512 << 10);
  assert_int_equal(size_of("10B", -1), 10);
  assert_int_equal(size_of("4096", -1), 4096);
  assert_int_equal(size_of("1.5GiB", -1), (int64_t)3 << 29);
  assert_int_equal(size_of("0.1kB", -1), 100);
  assert_int_equal(size_of("7EiB", -1), (int64_t)7 << 60);
  const char *const wrong[] = {"",    "B",   "8EiB", "-1", "1iB", "1 MB", "1Mx", "9223372036854775808",
                               "1e3", "1QB", "MB"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_int_equal(size_of(wrong[i], -7), -7);
}

static double amount_of(const char *s, const char *unit)
{
  double out = -7;
  return hc_parse_amount(s, strlen(s), unit, &out) < 0 ? -7 : out;
}

/* Amounts may be any real number, with an exponent if no unit follows. */
static void test_amount(void **state)
{
  HC_UNUSED(state);
  assert_true(amount_of("4GiB", "B") == 4294967296.0);
  assert_true(amount_of("1.5kB", "B") == 1500);
  assert_true(amount_of("10M", "B") == 1e7);
  assert_true(amount_of("2.5e9", "B") == 2.5e9);
  assert_true(amount_of("1E", "B") == 1e18);
  assert_true(amount_of("-1", "B") == -1);        /* a number alone may be negative: a range says whether */
  assert_true(amount_of("16EiB", "B") == 0x1p64); /* more than a size holds */
  assert_true(amount_of("2Gflop", "work") == 2e9);
  assert_true(amount_of("2.5Tflops", "work") == 2.5e12);
  assert_true(amount_of("100f", "work") == 100);
  assert_true(amount_of("10Gf", "work/s") == 1e10);
  assert_true(amount_of("1Mflop/s", "work/s") == 1e6);
  const char *const wrong[] = {"", "B", "10 MB", "1e3kB", "-1kB", "1_000kB", "2Gflop", "1iB", "1BB"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_true(amount_of(wrong[i], "B") == -7);
  assert_true(amount_of("4GiB", "work") == -7); /* bytes are no work, and work is no rate */
  assert_true(amount_of("1Mflop/s", "work") == -7);
  assert_true(amount_of("4GiB", NULL) == -7);
  assert_true(amount_of("4GiB", "1") == -7);
}

static void test_bool(void **state)
{
  bool b = false;
  HC_UNUSED(state);
  assert_int_equal(hc_parse_bool("true", 4, &b), 0);
  assert_true(b);
  assert_int_equal(hc_parse_bool("OFF", 3, &b), 0);
  assert_false(b);
  assert_int_equal(hc_parse_bool("yes!", 3, &b), 0); /* the length counts, not a NUL */
  assert_true(b);
  assert_int_equal(hc_parse_bool("ye", 2, &b), HC_EINPUT);
  assert_int_equal(hc_parse_bool("yess", 4, &b), HC_EINPUT);
  assert_int_equal(hc_parse_bool("1", 1, &b), HC_EINPUT);
  assert_int_equal(hc_parse_bool("", 0, &b), HC_EINPUT);
}

static void test_formats(void **state)
{
  char buf[32];
  HC_UNUSED(state);
#define EXPECT(call, text) \
  do { \
    assert_int_equal(call, strlen(text)); \
    assert_string_equal(buf, text); \
  } while (0)
  EXPECT(hc_format_seconds(12 * HC_SECOND, buf), "12");
  EXPECT(hc_format_seconds(500 * HC_MS, buf), "0.5");
  EXPECT(hc_format_seconds(-1, buf), "-0.000000001");
  EXPECT(hc_format_seconds(HC_NEVER, buf), "never");
  EXPECT(hc_format_seconds(HC_NEVER - 1, buf), "9223372036.854775806");
  EXPECT(hc_format_duration(0, buf), "0 s");
  EXPECT(hc_format_duration(HC_DAY + 2 * HC_HOUR + 3 * HC_MINUTE + 4 * HC_SECOND, buf), "1d 02:03:04");
  EXPECT(hc_format_duration(3200 * HC_MS, buf), "3.2 s");
  EXPECT(hc_format_duration(250 * HC_MS, buf), "250 ms");
  EXPECT(hc_format_duration(999960 * HC_US, buf), "1 s"); /* not 1000 ms */
  EXPECT(hc_format_duration(59960 * HC_MS, buf), "00:01:00");
  EXPECT(hc_format_duration(-90 * HC_SECOND, buf), "-00:01:30");
  EXPECT(hc_format_duration(HC_NEVER - 1, buf), "106751d 23:47:17");
  EXPECT(hc_format_duration(7, buf), "7 ns");
  EXPECT(hc_format_duration(1500, buf), "1.5 us");
  EXPECT(hc_format_count(1234567, buf), "1,234,567");
  EXPECT(hc_format_count(-999, buf), "-999");
  EXPECT(hc_format_count(INT64_MIN, buf), "-9,223,372,036,854,775,808");
  EXPECT(hc_format_size((int64_t)64 << 20, buf), "64 MiB");
  EXPECT(hc_format_size((int64_t)3 << 29, buf), "1.5 GiB");
  EXPECT(hc_format_size(1023, buf), "1023 B");
  EXPECT(hc_format_size((1 << 20) - 1, buf), "1 MiB");
  EXPECT(hc_format_size(INT64_MIN, buf), "-8 EiB");
#undef EXPECT
}

static void test_edit_distance(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(hc_edit_distance("depth", "depth", 3), 0);
  assert_int_equal(hc_edit_distance("detph", "depth", 3), 1); /* one swap */
  assert_int_equal(hc_edit_distance("dept", "depth", 3), 1);
  assert_int_equal(hc_edit_distance("easy", "fcfs", 9), 4); /* nothing in common at its place */
  assert_int_equal(hc_edit_distance("kitten", "sitting", 9), 3);
  assert_int_equal(hc_edit_distance("a", "abcdefgh", 3), 3); /* stopped */
  assert_int_equal(hc_edit_distance("", "ab", 9), 2);
}

static void test_quoting(void **state)
{
  hc_buffer b;
  HC_UNUSED(state);
  hc_buffer_init(&b, hc_default_allocator());
  hc_json_string(&b, "a\"\\\n\t\x01\x7f/\xc3\xa9", 10);
  assert_string_equal(b.data, "\"a\\\"\\\\\\n\\t\\u0001\x7f/\xc3\xa9\"");
  b.size = 0;
  hc_json_string(&b, "x\xff\xc3", 3); /* half a character */
  assert_string_equal(b.data, "\"x\xef\xbf\xbd\xef\xbf\xbd\"");
  b.size = 0;
  hc_json_string(&b, "a\0b", 3);
  assert_string_equal(b.data, "\"a\\u0000b\"");
  b.size = 0;
  hc_csv_field(&b, "plain text", 10);
  hc_csv_field(&b, "a,\"b\"", 5);
  assert_string_equal(b.data, "plain text\"a,\"\"b\"\"\"");
  hc_buffer_fini(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_int),        cmocka_unit_test(test_real),
                                     cmocka_unit_test(test_real_long),  cmocka_unit_test(test_format_real),
                                     cmocka_unit_test(test_round_trip), cmocka_unit_test(test_seconds),
                                     cmocka_unit_test(test_time),       cmocka_unit_test(test_size),
                                     cmocka_unit_test(test_amount),     cmocka_unit_test(test_bool),
                                     cmocka_unit_test(test_formats),    cmocka_unit_test(test_edit_distance),
                                     cmocka_unit_test(test_quoting)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
