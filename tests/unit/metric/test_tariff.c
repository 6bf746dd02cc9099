/* test_tariff.c -- what energy costs by the time of its use: steps of a table, dates, and what is none. */
#include <stdio.h>
#include <unistd.h>

#include "metric_test.h"

#include "metric/tariff.h"

static void write_file(char path[64], const char *text)
{
  FILE *f;
  (void)snprintf(path, 64, "/tmp/hindcast-tariff-%d.csv", (int)getpid());
  f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static hc_rc read_text(hc_tariff *t, const char *text, const char *column, int64_t unix_start, hc_error *e)
{
  char path[64];
  write_file(path, text);
  const hc_tariff_options o = {.file = path, .column = column};
  const hc_rc rc = hc_tariff_init(t, hc_default_allocator(), &o, unix_start, e);
  (void)unlink(path);
  return rc;
}

#define KW INT64_C(1000000000) /* microwatts */
#define HOUR (3600 * HC_SECOND)

static bool is_near(double a, double b)
{
  return a - b < 1e-12 * b + 1e-15 && b - a < 1e-12 * b + 1e-15;
}

/* A kilowatt from 0:30 on, two from 1:30 to 4:00: half an hour at 0.10, half an hour of one and half of two
 * at 0.30, two hours of two at 0.20, whose row is the last. */
static void steps(void **state)
{
  hc_tariff t;
  hc_error e = {0};
  (void)state;
  assert_int_equal(
      read_text(&t, "at,price,carbon\n0,0.10,100\n3600,0.30,300\n7200,0.20,50\n", NULL, HC_UNKNOWN, &e), 0);
  hc_tariff_draws(&t, HOUR / 2, KW);
  hc_tariff_draws(&t, HOUR * 3 / 2, 2 * KW);
  hc_tariff_draws(&t, HOUR * 4, 0);
  assert_true(is_near(hc_real_sum_value(t.s.cost), 0.5 * 0.1 + 0.5 * 0.3 + 0.5 * 2 * 0.3 + 2 * 2 * 0.2));
  assert_true(is_near(hc_real_sum_value(t.s.carbon), 0.5 * 100 + 0.5 * 300 + 0.5 * 2 * 300 + 2 * 2 * 50));
  hc_tariff_fini(&t);
}

/* Electricity Maps' columns, of which the second carbon is asked for; the run begins an hour before the first
 * row, which holds from its beginning. */
static void dates(void **state)
{
  static const char text[] = "Datetime (UTC),Country,Zone Name,Carbon Intensity gCO\xe2\x82\x82"
                             "eq/kWh (direct),Carbon Intensity (LCA)\n"
                             "2024-01-01 00:00:00,Sweden,SE,20,30\n2024-01-01T01:00:00Z,Sweden,SE,40,50\n";
  const int64_t begin = 1704067200 - 3600; /* 2023-12-31 23:00 UTC */
  hc_tariff t;
  hc_error e = {0};
  (void)state;
  assert_int_equal(read_text(&t, text, NULL, begin, &e), 0);
  hc_tariff_draws(&t, 0, KW);
  hc_tariff_draws(&t, 3 * HOUR, 0);
  assert_true(is_near(hc_real_sum_value(t.s.carbon), 20 * 2 + 40));
  assert_true(hc_real_sum_value(t.s.cost) == 0);
  hc_tariff_fini(&t);
  assert_int_equal(read_text(&t, text, "Carbon Intensity (LCA)", begin, &e), 0);
  hc_tariff_draws(&t, 0, KW);
  hc_tariff_draws(&t, 3 * HOUR, 0);
  assert_true(is_near(hc_real_sum_value(t.s.carbon), 30 * 2 + 50));
  hc_tariff_fini(&t);
}

/* OpenDC's columns of a trace of carbon, as CSV: its times are dates. */
static void opendc(void **state)
{
  hc_tariff t;
  hc_error e = {0};
  (void)state;
  assert_int_equal(read_text(&t,
                             "timestamp,carbon_intensity\n2022-01-01T00:00:00.000Z,164\n"
                             "2022-01-01T00:15:00.000Z,200\n",
                             NULL, 1640995200, &e),
                   0);
  hc_tariff_draws(&t, 0, KW);
  hc_tariff_draws(&t, HOUR / 2, 0);
  assert_true(is_near(hc_real_sum_value(t.s.carbon), 0.25 * 164 + 0.25 * 200));
  hc_tariff_fini(&t);
}

static void assert_wrong(const char *text, const char *column, uint32_t line, const char *says)
{
  hc_tariff t;
  hc_error e = {0};
  assert_true(read_text(&t, text, column, HC_UNKNOWN, &e) < 0);
  hc_tariff_fini(&t);
  if (e.line != line || !strstr(e.text, says))
    fail_msg("line %u: %s; not line %u: %s", e.line, e.text, line, says);
}

static void what_is_no_tariff(void **state)
{
  (void)state;
  assert_wrong("when,price\n0,1\n", NULL, 1, "column of times");
  assert_wrong("at,wind\n0,1\n", NULL, 1, "one of price or carbon");
  assert_wrong("at,price\n", NULL, 0, "no rows");
  assert_wrong("at,price\n0,1\n10,cheap\n", NULL, 3, "no number");
  assert_wrong("at,price\n10,1\n10,2\n", NULL, 3, "in order of time");
  assert_wrong("at,price\nnoon,1\n", NULL, 2, "neither seconds nor a date");
  assert_wrong("at,price\n2024-01-01T00:00,1\n", NULL, 2, "say `unix_start`");
  assert_wrong("at,carbon\n0,-1\n", NULL, 2, "less than nothing");
  assert_wrong("at,price\n0,1\n", "Coal", 1, "no column \"Coal\"");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(dates),
                                     cmocka_unit_test(opendc),
                                     cmocka_unit_test(what_is_no_tariff)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
