/* test_yt_export.c -- the table of operations of YTsaurus's simulator, from records of one small history to
 * the text.
 *
 * Operation "a" is job 1, submitted at 0.5. Its first job of 10 s starts at 1, is stopped at 3, starts again
 * at 5 and ends at 15; its second, of 4.95 s, runs from 1 on. Its third was preempted in reality, and is
 * none. So two jobs ended and one attempt was preempted; 2 + 10 + 4.95 = 16.95 s in all, of which 2 for
 * nothing; from 0 to 14.5 on its own clock. Operation "b" is job 2, and still runs: it has no row. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/metric.h"
#include "hindcast/output.h"

extern const hc_exporter_type hc_exporter_yt_operations;
extern const hc_metric_type hc_metric_by_job;

static const char operations[] =
    "{operation_id=a; operation_type=map_reduce; state=completed; in_timeframe=%true;\n"
    " start_time=\"2026-02-28T23:59:50Z\"; finish_time=\"2026-03-01T00:00:20.25Z\";\n"
    " job_descriptions=[[10;1;1;1;0;x;map;completed];[4.95;1;1;1;0;x;map;failed];[9;1;1;1;0;x;map;"
    "aborted_preempted]]};\n"
    "{operation_id=\"b,c\"; start_time=7; finish_time=9.5; job_descriptions=[[1;1;1;1;0;x;map;completed]]}\n";

static hc_rc keep_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  (void)count;
  return hc_store_figure(ctx, "all", name, unit, value, is_count, NULL);
}

static hc_rc keep_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  return hc_store_cell(ctx, "all", table, key, name, unit, value, NULL);
}

static hc_change change(hc_change_kind kind, double at, int64_t job, uint64_t serial)
{
  return (hc_change){
      .at = (hc_time)(at * 1e9), .serial = serial, .user = 1, .kind = kind, .job = job, .slots = 1};
}

/* @param late  the stop is told before what it stops began, as records of one block may be */
static void count(hc_store *s, bool late)
{
  const hc_change changes[] = {
      change(HC_CHANGE_QUEUED, 0.5, 1, 0),    change(HC_CHANGE_QUEUED, 0.5, 1, 1),
      change(HC_CHANGE_CLAIMED, 1, 1, 0),     change(HC_CHANGE_CLAIMED, 1, 1, 0), /* on two hosts */
      change(HC_CHANGE_CLAIMED, 1, 1, 1),     change(HC_CHANGE_QUEUED, 2, 2, 2),
      change(HC_CHANGE_RELEASED, 3, 1, 0),    change(HC_CHANGE_RELEASED, 3, 1, 0),
      change(HC_CHANGE_QUEUED, 3, 1, 0),      change(HC_CHANGE_CLAIMED, 5, 1, 0),
      change(HC_CHANGE_RELEASED, 5.95, 1, 1), change(HC_CHANGE_CLAIMED, 7, 2, 2),
      change(HC_CHANGE_CLAIMED, 8, -1, 3), /* of no job */
      change(HC_CHANGE_RELEASED, 9, -1, 3),   change(HC_CHANGE_RELEASED, 15, 1, 0)};
  const hc_stop_record stop = {.at = 3 * HC_SECOND, .start = HC_SECOND, .serial = 0, .job = 1};
  const hc_metric_context c = {.allocator = hc_default_allocator(), .unix_start = HC_UNKNOWN};
  hc_findings f = {.ctx = s, .figure = keep_figure, .cell = keep_cell};
  const size_t n = HC_ARRAY_LEN(changes), half = late ? 0 : n;
  hc_metric *self = NULL;
  assert_int_equal(hc_metric_by_job.init(&c, NULL, &self, NULL), 0);
  assert_int_equal(hc_metric_by_job.changes(self, changes, half), 0);
  assert_int_equal(hc_metric_by_job.stops(self, &stop), 0);
  assert_int_equal(hc_metric_by_job.changes(self, changes + half, n - half), 0);
  assert_int_equal(hc_metric_by_job.finish(self, &f), 0);
  hc_metric_by_job.fini(self);
}

static hc_rc keep(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

/* @param expected  the text; NULL: an error that says `words` */
static void expect(bool counted, bool late, const char *file, const char *expected, const char *words)
{
  struct {
    const char *file;
    bool header;
  } o = {file, false};
  hc_store *s = NULL;
  hc_result *r = NULL;
  hc_buffer text;
  hc_sink sink = {&text, keep};
  hc_error e = {0};
  hc_buffer_init(&text, hc_default_allocator());
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &s, NULL), 0);
  if (counted) count(s, late);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  const hc_rc rc = hc_exporter_yt_operations.run(hc_default_allocator(), &o, r, &sink, &e);
  if (words && (rc >= 0 || !strstr(e.text, words))) fail_msg("%d: %s", rc, e.text);
  if (!words && rc < 0) fail_msg("%s", e.text);
  if (expected) {
    hc_buffer_add(&text, "", 1);
    assert_string_equal(text.data, expected);
  }
  hc_result_free(r);
  hc_store_free(s);
  hc_buffer_fini(&text);
}

static void test_rows(void **state)
{
  static const char row[] = "a,2,1,0s,14.5s,30.25s,16.95s,10s,2s,MapReduce,completed,1\n";
  char path[] = "/tmp/hindcast_test_XXXXXX";
  const int fd = mkstemp(path);
  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, operations, sizeof operations - 1), (ssize_t)sizeof operations - 1);
  close(fd);
  expect(true, false, path, row, NULL);
  expect(true, true, path, row, NULL);
  expect(false, false, path, NULL, "run it with the metric `by_job`");
  unlink(path);
  expect(true, false, NULL, NULL, "which operations were run?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
