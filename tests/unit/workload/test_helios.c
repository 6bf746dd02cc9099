/* test_helios.c -- tables of GPU clusters: columns by title, demands dealt out to hosts, lines that are
 * sorted. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_helios;
#define HELIOS &hc_reader_helios
#define HEAD "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"

static void test_rows(void **state)
{
  reading r;
  const char *text = HEAD
      "1425511,uA,vcX,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-10 04:55:19,36848,10\n"
      "1425512,uB,vcY,16,96,2,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0\n"
      "1425513,uA,vcX,0,5,3,CANCELLED by 1001,2020-06-09 18:41:28,,2020-06-09 18:42:28,0,0\n";
  HC_UNUSED(state);
  read_all(&r, HELIOS, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  assert_int_equal(r.tasks[0].id, 1425511);
  assert_int_equal(r.tasks[0].line, 2);
  assert_int_equal(r.tasks[0].submit, (18 * 3600 + 41 * 60 + 1) * HC_SECOND);
  assert_int_equal(r.type->info(r.source)->unix_start, 1591660800); /* 2020-06-09, UTC */
  assert_int_equal(r.tasks[0].wait, 10 * HC_SECOND);
  assert_int_equal(r.tasks[0].run, 36848 * HC_SECOND);
  assert_int_equal(r.tasks[0].hosts, 1);
  assert_int_equal(r.tasks[0].need[HC_DIM_GPU], 1000);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 1000);
  assert_true(r.tasks[0].need[HC_DIM_MEMORY] == HC_UNKNOWN);
  assert_true(r.tasks[0].user == 1 && r.tasks[0].queue == 1 && r.tasks[1].user == 2 && r.tasks[2].user == 1);
  assert_int_equal(r.tasks[1].hosts, 2);
  assert_int_equal(r.tasks[1].need[HC_DIM_GPU], 8000);
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 48000);
  assert_int_equal(r.tasks[1].procs_asked, 96);
  assert_int_equal(r.tasks[1].status, HC_STATUS_FAILED);
  assert_int_equal(r.tasks[2].need[HC_DIM_GPU], 0);    /* it was said: none */
  assert_int_equal(r.tasks[2].need[HC_DIM_CPU], 1667); /* 5 cores on 3 hosts, rounded up */
  assert_int_equal(r.ledger.rounded, 1);
  assert_true(r.ledger.rounding > 0.00019 && r.ledger.rounding < 0.00021); /* 1667 for 1666 2/3 */
  assert_true(r.tasks[2].run == HC_UNKNOWN); /* it never started; its duration of 0 says nothing */
  assert_int_equal(r.tasks[2].wait, HC_MINUTE);
  assert_int_equal(r.tasks[2].status, HC_STATUS_CANCELLED);
  end_reading(&r);
  read_all(&r, HELIOS, text, "processors=gpu", NULL, NULL);
  assert_int_equal(r.tasks[1].procs_asked, 16);
  end_reading(&r);
}

/* Eight GPUs on three hosts: two with three, and a chunk with two. */
static void test_uneven(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, HELIOS, HEAD "1,u,v,8,12,3,COMPLETED,2020-06-09,2020-06-09,2020-06-10,1,0\n", NULL, NULL,
           NULL);
  assert_int_equal(r.tasks[0].hosts, 2);
  assert_int_equal(r.tasks[0].need[HC_DIM_GPU], 3000);
  assert_int_equal(more_of(&r, 0)->chunk_count, 1);
  assert_int_equal(more_of(&r, 0)->chunks[0].hosts, 1);
  assert_int_equal(more_of(&r, 0)->chunks[0].need[HC_DIM_GPU], 2000);
  assert_int_equal(more_of(&r, 0)->chunks[0].need[HC_DIM_CPU], 4000);
  assert_int_equal(r.ledger.rounded, 0);
  end_reading(&r);
}

/* Acme: other columns, in another order, with offsets; its duration holds the wait, and is not believed. */
static void test_acme(void **state)
{
  reading r;
  const char *text =
      "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,"
      "start_time,"
      "end_time,"
      "fail_time,stop_time,duration,queue,gpu_time\n"
      "dlctk696,uf794,8,64,960,1000,100.0,Pretrain,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 "
      "19:01:08+08:00,"
      "2023-05-17 11:01:16+00:00,,,18,10.0,1152.0\n";
  HC_UNUSED(state);
  read_all(&r, HELIOS, text, NULL, NULL, NULL);
  assert_int_equal(r.tasks[0].hosts, 8);
  assert_int_equal(r.tasks[0].need[HC_DIM_GPU], 8000);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 120000);
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], (int64_t)1000 << 30);
  assert_int_equal(r.tasks[0].run, 8 * HC_SECOND);
  assert_int_equal(r.tasks[0].wait, 10 * HC_SECOND);
  assert_int_equal(r.tasks[0].executable, 1);
  assert_int_equal(r.tasks[0].queue, -1); /* there, `queue` is a wait */
  assert_true(r.tasks[0].id > (int64_t)1 << 61);
  end_reading(&r);
}

/* Numbers instead of dates, other titles, no start: the duration counts. */
static void test_variants(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, HELIOS, "Id,Num_GPUs,Submit,RunTime\n5,4,1000.5,90\n", "time_unit=1m", NULL, NULL);
  assert_int_equal(r.tasks[0].id, 5);
  assert_int_equal(r.tasks[0].submit, 60030 * HC_SECOND);
  assert_int_equal(r.tasks[0].run, 5400 * HC_SECOND);
  assert_int_equal(r.tasks[0].hosts, 1);
  assert_int_equal(r.tasks[0].need[HC_DIM_GPU], 4000);
  end_reading(&r);
}

static void test_rejected(void **state)
{
  HC_UNUSED(state);
#define BAD(row, words) expect_rejected(HELIOS, HEAD row "\n", NULL, HC_REASON_MALFORMED, 2, words)
  BAD("1,u,v,1,1,1,COMPLETED,2020-06-09,2020-06-09,2020-06-10,1", "it has 11 fields, where 12 are expected");
  BAD("1,u,v,x,1,1,COMPLETED,2020-06-09,2020-06-09,2020-06-10,1,0",
      "gpu_num holds \"x\", which is no number of GPUs");
  BAD("1,u,v,1,-2,1,COMPLETED,2020-06-09,2020-06-09,2020-06-10,1,0", "cpu_num holds \"-2\"");
  BAD("1,u,v,1,1,1,COMPLETED,then,2020-06-09,2020-06-10,1,0", "submit_time holds \"then\", which is no date");
  BAD("1,u,v,1,1,1,COMPLETED,2020-06-09,2020-06-08,2020-06-10,1,0", "which is before the submission");
  BAD("1,u,v,1,1,1,COMPLETED,2020-06-09,2020-06-11,2020-06-10,1,0", "which is before the start");
  BAD("1,\"u\"x,v,1,1,1,COMPLETED,2020-06-09,2020-06-09,2020-06-10,1,0", "text follows a closed quote");
#undef BAD
  expect_rejected(HELIOS, HEAD "1,u,v,7,1,2,RUNNING,2020-06-09,2020-06-09,,1,0\n", NULL,
                  HC_REASON_STILL_RUNNING, 2, "still_running");
}

static void test_files_that_are_none(void **state)
{
  HC_UNUSED(state);
  expect_error(HELIOS, "", NULL, HC_EINPUT, 0, "no header line");
  expect_error(HELIOS, "a,b\n1,2\n", NULL, HC_EINPUT, 1, "no column submit_time is in this header");
  expect_error(HELIOS, "submit_time,duration\n1,2\n", NULL, HC_EINPUT, 1, "no column gpu_num or cpu_num");
  expect_error(HELIOS, "submit_time,gpu_num,end_time\n1,2,3\n", NULL, HC_EINPUT, 1,
               "start_time and end_time");
  expect_error(HELIOS, HEAD "x\n", NULL, HC_EINPUT, 2, "no row of this file can be read as a log of Helios");
  expect_error(HELIOS,
               HEAD "1,u,v,7,1,2,FAILED,2020-06-09,2020-06-09,2020-06-09,1,0\n"
                    "1,u,v,7,1,2,FAILED,2020-06-08,2020-06-09,2020-06-09,1,0\n",
               NULL, HC_EINPUT, 3, "submitted before the day of the first row");
}

static void test_resumed(void **state)
{
  const char *text = HEAD "1,a,v,8,8,3,COMPLETED,2020-06-09 01:00:00,,,1,0\n"
                          "bad\n"
                          "2,b,w,8,8,3,COMPLETED,2020-06-09 02:00:00,,,1,0\n"
                          "3,c,w,8,8,2,COMPLETED,2020-06-09 03:00:00,,,1,0\n";
  HC_UNUSED(state);
  for (size_t after = 0; after < 4; after++) expect_resumable(HELIOS, text, after, NULL);
}

static void test_lines(void **state)
{
  const hc_reader_type *h = HELIOS;
  hc_chosen c = choose(&h->component, "file=x", NULL);
  const char *head =
      "\xef\xbb\xbf# a comment\n\nstate,\"submit_time\",job_id,gpu_num\r\nDONE,2020-01-01,5,1\n";
  void *layout = NULL;
  hc_error e = {0};
  hc_time submit = 0;
  int64_t id = 0;
  HC_UNUSED(state);
  assert_int_equal(h->line_begin(hc_default_allocator(), c.options, head, strlen(head), &layout, &e), 0);
#define KIND(line) h->line_key(layout, line, strlen(line), &submit, &id)
  assert_int_equal(KIND("# a comment"), HC_LINE_HEAD);
  assert_int_equal(KIND(""), HC_LINE_HEAD);
  assert_int_equal(KIND("state,\"submit_time\",job_id,gpu_num\r"), HC_LINE_HEAD);
  assert_int_equal(KIND("\"a,b\",2020-01-01 00:00:10,77,1\r"), HC_LINE_ROW);
  assert_int_equal(submit, 1577836810 * HC_SECOND);
  assert_int_equal(id, 77);
  assert_int_equal(KIND("DONE,soon,77,1"), HC_LINE_BROKEN);
  assert_int_equal(KIND("DONE"), HC_LINE_BROKEN);
  assert_int_equal(KIND("\"DONE,2020-01-01,77,1"), HC_LINE_PART);
#undef KIND
  h->line_end(hc_default_allocator(), layout);
  assert_int_equal(h->line_begin(hc_default_allocator(), c.options, "a,b\n", 4, &layout, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "no column submit_time"));
  drop(&c);
}

static void test_recognised(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(hc_reader_helios.recognise("x", HEAD, strlen(HEAD)), 96);
  assert_int_equal(hc_reader_helios.recognise("x", "a,b\n", 4), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),       cmocka_unit_test(test_uneven),
      cmocka_unit_test(test_acme),       cmocka_unit_test(test_variants),
      cmocka_unit_test(test_rejected),   cmocka_unit_test(test_files_that_are_none),
      cmocka_unit_test(test_resumed),    cmocka_unit_test(test_lines),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
