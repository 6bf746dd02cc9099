/* test_lines.c -- where lines of each format stand, and tables sorted by them. */
#define _GNU_SOURCE
#include "workload_test.h"

#define READ(x) extern const hc_reader_type hc_reader_##x
READ(csv);
READ(gwf);
READ(sacct);
READ(batsim);

static char *read_file(const char *path)
{
  FILE *f = fopen(path, "rb");
  char *text = test_calloc(1, 1 << 16);
  assert_non_null(f);
  assert_true(fread(text, 1, (1 << 16) - 1, f) < (1 << 16) - 1);
  fclose(f);
  return text;
}

/* Sort a text as lines of a format with an option. */
static hc_rc sort(const hc_reader_type *format, const char *option, const char *text, char **out, hc_error *e)
{
  trace_file in = write_file(text), to = write_file("");
  hc_chosen chosen = choose(&format->component, in.pair, option, NULL);
  const hc_sort_options o = {.format = format, .options = chosen.options, .memory = 1 << 20};
  const hc_rc rc = hc_sort_lines(hc_default_allocator(), in.path, to.path, &o, e);
  *out = read_file(to.path);
  unlink(in.path);
  unlink(to.path);
  drop(&chosen);
  return rc;
}

static void check(const hc_reader_type *format, const char *option, const char *text, const char *expect)
{
  hc_error e = {0};
  char *out;
  const hc_rc rc = sort(format, option, text, &out, &e);
  if (rc != 0) fail_msg("%s", e.text);
  assert_string_equal(out, expect);
  test_free(out);
}

static void check_fails(const hc_reader_type *format, const char *option, const char *text, hc_rc rc,
                        const char *message)
{
  hc_error e = {0};
  char *out;
  assert_int_equal(sort(format, option, text, &out, &e), rc);
  assert_string_equal(e.text, message);
  assert_string_equal(out, ""); /* nothing was written */
  test_free(out);
}

static void test_csv(void **state)
{
  HC_UNUSED(state);
  check(&hc_reader_csv, NULL,
        "id,submit,run\n# a comment\n3,20,1\n1,3.5,2\nbad,,1\n2,20,9\nid,submit,run\n\"4\",\"1\",5\n",
        "id,submit,run\n# a comment\nid,submit,run\nbad,,1\n\"4\",\"1\",5\n1,3.5,2\n2,20,9\n3,20,1\n");
  check(&hc_reader_csv, "submit=when",
        "job;when\n1;2024-03-02T10:00:00\n2;2024-03-01\n", /* seconds since an origin: no dates */
        "job;when\n1;2024-03-02T10:00:00\n2;2024-03-01\n");
  check(&hc_reader_csv, "time_format=iso", "id;submit\n1;2024-03-02T10:00:00\n2;2024-03-01\n",
        "id;submit\n2;2024-03-01\n1;2024-03-02T10:00:00\n");
  check_fails(
      &hc_reader_csv, NULL, "id,submit,text\n1,2,\"one\ntwo\"\n", HC_EUNSUPPORTED,
      "a row that spans several lines: such a file cannot be sorted by lines; `hindcast trace convert` "
      "with a large sort_window writes it in order");
  check_fails(&hc_reader_csv, NULL, "id,when\n1,2\n", HC_EUSAGE,
              "no column says when tasks were submitted: set `submit` to the column's title or number");
}

static void test_gwf(void **state)
{
  HC_UNUSED(state);
  check(&hc_reader_gwf, NULL, "# JobID SubmitTime\n2 9 1\n1  9 1\n3 -1 1\n4 2 1\n",
        "# JobID SubmitTime\n3 -1 1\n4 2 1\n1  9 1\n2 9 1\n");
  check(&hc_reader_gwf, NULL, "WorkflowID, JobID , SubmitTime\n1, 7, 9\n1, 5, 9\n2, 1, 3\n",
        "WorkflowID, JobID , SubmitTime\n2, 1, 3\n1, 5, 9\n1, 7, 9\n");
}

static void test_sacct(void **state)
{
  HC_UNUSED(state);
  check(&hc_reader_sacct, NULL,
        "User|JobID|Submit|State\n"
        "a|12|2024-01-02T00:00:00|COMPLETED\n"
        "|12.batch|2024-01-02T00:00:00|COMPLETED\n"
        "b|7_3|2024-01-02T00:00:00|FAILED\n"
        "b|9|Unknown|PENDING\n"
        "c|11|2024-01-01T23:59:59|COMPLETED\n",
        "User|JobID|Submit|State\n"
        "b|9|Unknown|PENDING\n"
        "c|11|2024-01-01T23:59:59|COMPLETED\n"
        "b|7_3|2024-01-02T00:00:00|FAILED\n"
        "a|12|2024-01-02T00:00:00|COMPLETED\n"
        "|12.batch|2024-01-02T00:00:00|COMPLETED\n");
  check_fails(
      &hc_reader_sacct, NULL, "1|2|3\n", HC_EINPUT,
      "no column is called Submit in the first line: leave out sacct's --noheader, or name the columns in "
      "`fields`");
}

static void test_no_lines(void **state)
{
  HC_UNUSED(state);
  check_fails(
      &hc_reader_batsim, NULL, "{}\n", HC_EUNSUPPORTED,
      "a row of the format batsim is not a line, so that lines cannot be sorted; `hindcast trace convert` "
      "writes it in order as another format, with a sort_window that is large enough");
}

static bool stop(void *ctx, uint64_t done, uint64_t total)
{
  HC_UNUSED(ctx);
  return done > total; /* never */
}

/* The caller that is told of the progress may stop it; nothing is left behind. */
static void test_interrupted(void **state)
{
  const size_t rows = 70000;
  char *text = test_malloc(rows * 16);
  size_t n = 0;
  hc_error e = {0};
  HC_UNUSED(state);
  for (size_t i = 0; i < rows; i++) n += (size_t)sprintf(text + n, "%zu %zu\n", i, rows - i);
  trace_file in = write_file(text);
  const hc_reader_type *swf = &hc_reader_swf;
  const hc_sort_options o = {.format = swf, .memory = 1 << 20, .tick = stop};
  assert_int_equal(hc_sort_lines(hc_default_allocator(), in.path, "/tmp/hindcast-test-never", &o, &e),
                   HC_ECANCELLED);
  assert_int_equal(access("/tmp/hindcast-test-never", F_OK), -1);
  unlink(in.path);
  test_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_gwf),
                                     cmocka_unit_test(test_sacct), cmocka_unit_test(test_no_lines),
                                     cmocka_unit_test(test_interrupted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
