/* test_swf.c -- the Standard Workload Format: headers, closed loops, writing. What rows hold, and what they
 * must not: tests/rows/swf.rows. */
#define _GNU_SOURCE
#include "workload_test.h"

#define ROW(id, submit) #id " " #submit " 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n"

static hc_task_spec only_row(const char *row)
{
  bench b;
  hc_arrival a;
  set_up(&b, row, NULL);
  b.options.raw = true;
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  tear_down(&b);
  return a.spec;
}

static void test_header(void **state)
{
  const char *text = "; Version: 2.2\n"
                     ";   --- a line without a key ---\n"
                     "; Computer: IBM SP2\n"
                     "; Acknowledge: Lars\n"
                     ";              and others\n"
                     "; MaxProcs: 338 (430 total)\n"
                     "; maxprocs: 7\n"
                     "; MaxNodes: -1\n"
                     "; UnixStartTime: 843480031\n"
                     "; TimeZoneString: Europe/Stockholm\n"
                     "; MaxJobs: 28490\n"
                     "; Computer: another\n"
                     "; Note: not MaxRecords: 5\n" ROW(1, 0) "; MaxRecords: 3\n" ROW(2, 1);
  const hc_trace_info *i;
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up(&b, text, NULL);
  assert_int_equal(open_bench(&b), 0);
  i = hc_stream_info(b.stream);         /* before the first task is taken */
  assert_int_equal(i->processors, 338); /* the leading number, of the first such key */
  assert_int_equal(i->nodes, 0);        /* -1 says nothing */
  assert_int_equal(i->unix_start, 843480031);
  assert_string_equal(i->zone, "Europe/Stockholm");
  assert_string_equal(i->computer, "IBM SP2");
  assert_string_equal(i->acknowledge, "Lars and others"); /* continued on the next line */
  assert_int_equal(i->jobs, 28490);
  assert_true(i->records == HC_UNKNOWN);
  assert_true(strncmp(i->header, "; Version: 2.2\n;   ---", 22) == 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2"); /* a comment between rows is passed over */
  assert_int_equal(b.ledger.read, 2);
  tear_down(&b);
}

static void test_no_header(void **state)
{
  bench b;
  HC_UNUSED(state);
  set_up(&b, ROW(1, 0), NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_info(b.stream)->processors, 0);
  assert_true(hc_stream_info(b.stream)->unix_start == HC_UNKNOWN);
  assert_null(hc_stream_info(b.stream)->header);
  tear_down(&b);
}

/* ---- closed loop ---- */

static void set_up_loop(bench *b, const char *text, const char *missing)
{
  set_up(b, text, NULL);
  drop(&b->sources[0]);
  b->sources[0] = choose(&hc_reader_swf.component, b->files[0].pair, "follow=think_time", missing, NULL);
}

static hc_rc end_task(bench *b, int64_t id, hc_time end)
{
  const hc_feedback f = {.id = id, .end = end, .completed = true};
  return hc_stream_feedback(b->stream, 0, &f, &b->error);
}

#define LOOP \
  "1 0 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n" \
  "2 50 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n" \
  "3 300 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 1 10\n" /* ten seconds after 1 */ \
  "4 400 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n" \
  "5 500 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 3 0\n"

static void test_closed_loop(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  set_up_loop(&b, LOOP, NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_true(hc_stream_listens(b.stream));
  for (int64_t id = 1; id <= 2; id++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.spec.id, id);
  }
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 4); /* taken ahead of its time, as an engine does */
  assert_int_equal(end_task(&b, 1, 80 * HC_SECOND), 1);
  assert_int_equal(hc_stream_return(b.stream, &a), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 3);
  assert_int_equal(a.spec.submit, 90 * HC_SECOND); /* end 80 + think 10, whatever the log says */
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 4);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 2); /* 5 waits for 3 */
  assert_int_equal(end_task(&b, 2, 150 * HC_SECOND), 0);
  assert_int_equal(end_task(&b, 3, 190 * HC_SECOND), 1);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 5);
  assert_int_equal(a.spec.submit, 190 * HC_SECOND);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 0);
  assert_int_equal(b.ledger.used, 5);
  assert_true(balances(&b.ledger));
  tear_down(&b);
}

static void test_missing_predecessor(void **state)
{
  const char *text = ROW(1, 0) "2 50 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 77 10\n"
                               "3 60 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 2 10\n";
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up_loop(&b, text, "missing_predecessor=satisfied");
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2 wait"); /* 2 comes when the log says; 3 waits for it */
  tear_down(&b);
  set_up_loop(&b, text, "missing_predecessor=reject");
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1"); /* 2 is left out, and 3 with it */
  assert_int_equal(b.ledger.rejected[HC_REASON_WAITS_FOR_NONE], 2);
  tear_down(&b);
  set_up_loop(&b, text, "missing_predecessor=error");
  assert_int_equal(open_bench(&b), HC_EINPUT);
  assert_int_equal(b.error.line, 2);
  tear_down(&b);
}

static void test_rejected_tasks_are_not_waited_for(void **state)
{
  const char *text = ROW(1, 0) "2 50 -1 -1 -1 -1 -1 4 200 -1 5 7 8 9 1 2 -1 -1\n" /* never ran */
                               "3 60 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 2 10\n"
                               "4 70 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 3 10\n";
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up_loop(&b, text, "missing_predecessor=satisfied");
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 3 wait"); /* 3 comes when the log says */
  tear_down(&b);
  set_up_loop(&b, text, "missing_predecessor=reject");
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1");
  assert_int_equal(b.ledger.rejected[HC_REASON_WAITS_FOR_NONE], 2); /* 4 followed 3 */
  assert_int_equal(b.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  tear_down(&b);
}

/* ---- writing ---- */

static void test_written_rows_read_back(void **state)
{
  const char *rows[] = {"11 22 33 44 55 66 77 88 99 10 1 12 13 14 15 16 17 18\n",
                        "1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
                        "1 2.5 0.25 100 3 31.125 0.5 2 7.000000001 1.5 1 4 -1 -1 -1 -1 -1 0.5\n"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) {
    const hc_task_spec t = only_row(rows[i]);
    hc_buffer out;
    hc_buffer_init(&out, hc_default_allocator());
    hc_swf_write_spec(&out, &t);
    assert_string_equal(out.data, rows[i]); /* as short as it can be */
    hc_buffer_fini(&out);
  }
}

static void test_every_byte_comes_back(void **state)
{
  hc_task_spec t = only_row("11 22 33 44 55 66 77 88 99 10 1 12 13 14 15 16 17 18\n");
  HC_UNUSED(state);
  for (int64_t bytes = 1; bytes < 3000; bytes += 7) { /* KB with decimals is exact */
    hc_buffer out;
    t.memory_used = bytes;
    t.run = bytes * 1234567;
    hc_buffer_init(&out, hc_default_allocator());
    hc_swf_write_spec(&out, &t);
    const hc_task_spec back = only_row(out.data);
    assert_int_equal(back.memory_used, t.memory_used);
    assert_int_equal(back.run, t.run);
    hc_buffer_fini(&out);
  }
}

static void test_written_header(void **state)
{
  const hc_trace_info info = {
      .processors = 128, .unix_start = 5, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN, .zone = "UTC"};
  hc_buffer out;
  HC_UNUSED(state);
  hc_buffer_init(&out, hc_default_allocator());
  hc_swf_write_header(&out, &info, "two\nlines");
  assert_string_equal(out.data, "; Version: 2.2\n; UnixStartTime: 5\n; TimeZoneString: UTC\n; MaxProcs: 128\n"
                                "; Note: two lines\n"); /* a note cannot break the header */
  hc_buffer_fini(&out);
}

/* ---- in order ---- */

static bool is_sorted(const char *path)
{
  char pair[80];
  hc_error e = {0};
  hc_source *s;
  const hc_source_context c = {.allocator = hc_default_allocator()};
  snprintf(pair, sizeof pair, "file=%s", path);
  hc_chosen chosen = choose(&hc_reader_swf.component, pair, NULL);
  assert_int_equal(hc_reader_swf.open(&c, chosen.options, &s, &e), 0);
  const bool is_so = hc_reader_swf.is_sorted(s);
  hc_reader_swf.close(s);
  drop(&chosen);
  return is_so;
}

static bool text_is_sorted(const char *text)
{
  const trace_file f = write_file(text);
  const bool is_so = is_sorted(f.path);
  unlink(f.path);
  return is_so;
}

/* Sorted is what a window of any size would hand out as it stands: by submission, then by number. What is not
 * plainly so is held back as before. */
static void test_rows_that_ascend(void **state)
{
  HC_UNUSED(state);
  assert_true(text_is_sorted("; MaxProcs: 3\n; Queue: 1 long\n\n" ROW(1, 0) ROW(2, 0) ROW(3, 7)));
  assert_true(text_is_sorted(ROW(1, 0) ROW(2, 0.5) ROW(3, 0.75) "\n"));
  assert_true(text_is_sorted("; a header alone\n"));
  assert_false(text_is_sorted(ROW(1, 7) ROW(2, 6)));
  assert_false(text_is_sorted(ROW(2, 7) ROW(1, 7)));
  assert_false(text_is_sorted(ROW(1, 0) ROW(2, -1)));                /* its time is not known */
  assert_false(text_is_sorted(ROW(1, 0) "no row\n" ROW(2, 5)));
  assert_false(text_is_sorted(ROW(1, 0) "; Queue: 1 long\n" ROW(2, 5))); /* for the first row, too */
}

/* To unpack a log twice costs more than to sort its rows. */
static void test_packed_rows_that_ascend(void **state)
{
  const char *zstd = HC_TEST_SOURCE_DIR "/tests/oracles/swf/lub20k_256_l55.swf.zst";
  HC_UNUSED(state);
  assert_false(is_sorted(zstd));
}

static void test_recognise(void **state)
{
  const char *row = ROW(1, 0), *header = "; Version: 2.2\n; MaxProcs: 3\n", *json = "{ \"a\": 1 }\n";
  HC_UNUSED(state);
  assert_true(hc_reader_swf.recognise("x", row, strlen(row)) > 90);
  assert_true(hc_reader_swf.recognise("x", header, strlen(header)) >= 50);
  assert_int_equal(hc_reader_swf.recognise("x.json", json, strlen(json)), 0);
  assert_true(hc_reader_swf.recognise("x.swf.gz", "", 0) > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {

      cmocka_unit_test(test_header),
      cmocka_unit_test(test_no_header),

      cmocka_unit_test(test_closed_loop),
      cmocka_unit_test(test_missing_predecessor),
      cmocka_unit_test(test_rejected_tasks_are_not_waited_for),
      cmocka_unit_test(test_written_rows_read_back),
      cmocka_unit_test(test_every_byte_comes_back),
      cmocka_unit_test(test_written_header),
      cmocka_unit_test(test_rows_that_ascend),
      cmocka_unit_test(test_packed_rows_that_ascend),
      cmocka_unit_test(test_recognise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
