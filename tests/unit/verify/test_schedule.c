/* test_schedule.c -- schedules of other programs: the three formats, and what is wrong with bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/verify.h"

#define FILE_NAME "test_schedule.tmp"

static hc_rc read_text(const char *text, hc_schedule *out, hc_error *e)
{
  FILE *f = fopen(FILE_NAME, "wb");
  hc_rc rc;
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
  *e = (hc_error){0};
  rc = hc_schedule_read(hc_default_allocator(), FILE_NAME, out, e);
  (void)remove(FILE_NAME);
  return rc;
}

static void assert_refused(const char *text, uint32_t line, const char *words)
{
  hc_schedule s;
  hc_error e;
  assert_int_equal(read_text(text, &s, &e), HC_EINPUT);
  assert_int_equal(e.line, line);
  if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
}

static void lines_are_read_with_title_comments_and_fractions(void **state)
{
  hc_schedule s;
  hc_error e;
  HC_UNUSED(state);
  assert_int_equal(
      read_text("job submit start end procs\n# c\n7 1 2.5 4.5 3\n\n8 2 -1 -1 1\n9 2 2 2 4\n", &s, &e), 0);
  assert_string_equal(s.format, "lines");
  assert_int_equal(s.count, 2); /* 8 never started */
  assert_int_equal(s.records[0].id, 7);
  assert_int_equal(s.records[0].start, 2500 * HC_MS);
  assert_int_equal(s.records[0].run, 2 * HC_SECOND);
  assert_int_equal(s.records[0].units, 3);
  assert_int_equal(s.records[1].run, 0);
  hc_schedule_free(hc_default_allocator(), &s);
}

static void swf_starts_at_submit_plus_wait_on_the_processors_asked_for(void **state)
{
  hc_schedule s;
  hc_error e;
  HC_UNUSED(state);
  assert_int_equal(read_text("; MaxProcs: 4\n1 10 5 20 2 -1 -1 3 60 -1 1 8 9 -1 2 -1 -1 -1\n"
                             "2 11 -1 20 2 -1 -1 3 60 -1 5 8 9 -1 2 -1 -1 -1\n",
                             &s, &e),
                   0);
  assert_string_equal(s.format, "swf");
  assert_int_equal(s.count, 1); /* the second has no wait */
  assert_int_equal(s.records[0].start, 15 * HC_SECOND);
  assert_int_equal(s.records[0].end, 35 * HC_SECOND);
  assert_int_equal(s.records[0].units, 3);
  assert_int_equal(s.records[0].estimate, HC_MINUTE);
  assert_int_equal(s.records[0].user, 8);
  hc_schedule_free(hc_default_allocator(), &s);
}

static void accasim_lines_are_read(void **state)
{
  hc_schedule s;
  hc_error e;
  HC_UNUSED(state);
  assert_int_equal(
      read_text("3;1;1970-01-01 00:00:02__1;1#__1970-01-01 00:00:02;1970-01-01 00:16:42;1;1;NA;1000;\n"
                "2;5;1970-01-01 00:00:01__1;1#1;1#__1970-01-02 00:16:42;1970-01-02 00:18:22;2;2;NA;100;\n",
                &s, &e),
      0);
  assert_string_equal(s.format, "accasim");
  assert_int_equal(s.count, 2);
  assert_int_equal(s.records[0].id, 3);
  assert_int_equal(s.records[0].end, 1002 * HC_SECOND);
  assert_int_equal(s.records[1].start, HC_DAY + 1002 * HC_SECOND);
  assert_int_equal(s.records[1].units, 2);
  assert_int_equal(s.records[1].user, 5);
  hc_schedule_free(hc_default_allocator(), &s);
}

static void bad_lines_are_refused_with_their_number(void **state)
{
  HC_UNUSED(state);
  assert_refused("1 0 0 5 1\n2 0 0 5\n", 2, "five fields");
  assert_refused("1 0 0 5 1\n2 0 nan 5 1\n", 2, "no number");
  assert_refused("", 0, "no schedule");
  assert_refused("1;2;3__4;\n", 1, "AccaSim");
  assert_refused("1;2;1970-01-01 00:00:00__1__1970-13-01 00:00:00;1970-01-01 00:00:01;1;1\n", 1, "AccaSim");
  assert_refused("1;2;1970-01-01 00:00:00__1;1#__1970-01-01 00:00:00;", 1, "AccaSim");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_read_with_title_comments_and_fractions),
      cmocka_unit_test(swf_starts_at_submit_plus_wait_on_the_processors_asked_for),
      cmocka_unit_test(accasim_lines_are_read),
      cmocka_unit_test(bad_lines_are_refused_with_their_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
