/* test_philly.c -- job logs of Philly: hosts and GPUs of the first attempt, run times of attempts, dates of a
 * zone. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_philly;
#define PHILLY &hc_reader_philly

#define GPUS2 "[\"gpu0\", \"gpu1\"]"
#define GPUS4 "[\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\"]"
#define MACHINE(ip, gpus) "{\"ip\": \"" ip "\", \"gpus\": " gpus "}"
#define ATTEMPT(start, end, detail) \
  "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": [" detail "]}"
#define JOB(more, attempts) \
  "{\"jobid\": \"application_1_17\", \"vc\": \"ee9e8c\", \"user\": \"ce2f4c\", \"status\": \"Pass\"," \
  "\"submitted_time\": \"2017-10-07 01:11:39\"" more ", \"attempts\": [" attempts "]}"

/* Two attempts of 74 s and 2 d 05:39:42, on one machine of 8 GPUs each; 7 October is summer time, UTC-7. */
static void test_original(void **state)
{
  reading r;
  const char *text =
      "[\n{\n\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1506638472019_14199\","
      "\"attempts\": [{\"start_time\": \"2017-10-07 01:12:09\", \"end_time\": \"2017-10-07 01:13:23\", "
      "\"detail\":"
      "[{\"ip\": \"m47\", \"gpus\": [\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"]}]},"
      "{\"start_time\": \"2017-10-07 01:13:30\", \"end_time\": \"2017-10-09 06:53:12\", \"detail\":"
      "[{\"ip\": \"m412\", \"gpus\": [\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"]}]}],"
      "\"submitted_time\": \"2017-10-07 01:11:39\", \"user\": \"ce2f4c\"}\n]\n";
  HC_UNUSED(state);
  read_all(&r, PHILLY, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 1);
  const hc_task_spec *t = &r.tasks[0];
  assert_int_equal(t->line, 2);
  assert_int_equal(t->submit, (1 * 3600 + 11 * 60 + 39) * HC_SECOND); /* of the day of its submission */
  assert_int_equal(r.type->info(r.source)->unix_start, 1507359600);   /* 2017-10-07T00:00:00-07:00 */
  assert_int_equal(t->wait, 30 * HC_SECOND);
  assert_int_equal(t->run, (74 + 2 * 86400 + 5 * 3600 + 39 * 60 + 42) * HC_SECOND);
  assert_int_equal(t->hosts, 1);
  assert_int_equal(t->need[HC_DIM_GPU], 8 * HC_DEVICE);
  assert_true(t->need[HC_DIM_CPU] == HC_UNKNOWN && t->need[HC_DIM_MEMORY] == HC_UNKNOWN);
  assert_int_equal(t->procs_asked, 8);
  assert_int_equal(t->flags, HC_SPEC_SPREAD);
  assert_int_equal(t->more, 0);
  assert_int_equal(t->status, HC_STATUS_COMPLETED);
  assert_true(t->user == 1 && t->queue == 1 && t->group == -1 && t->job == -1);
  assert_true(t->id > (int64_t)1 << 61); /* a hash: the id is no number */
  end_reading(&r);
}

static hc_time run_of(const char *attempts, const char *option)
{
  reading r;
  char text[4096];
  snprintf(text, sizeof text, "[" JOB("", "%s") "]", attempts);
  read_all(&r, PHILLY, text, option, NULL, NULL);
  assert_int_equal(r.count, 1);
  const hc_time run = r.tasks[0].run;
  end_reading(&r);
  return run;
}

static void test_attempts(void **state)
{
  const char *three =
      ATTEMPT("\"2017-10-07 02:00:00\"", "\"2017-10-07 02:00:10\"", MACHINE("m1", GPUS2)) "," ATTEMPT(
          "null", "\"2017-10-07 03:00:00\"", "") "," /* whose start was not recorded */
      ATTEMPT("\"2017-10-07 04:00:00\"", "\"2017-10-07 04:00:05\"", MACHINE("m2", GPUS4));
  HC_UNUSED(state);
  assert_int_equal(run_of(three, NULL), 15 * HC_SECOND);
  assert_int_equal(run_of(three, "attempts=sum"), 15 * HC_SECOND);
  assert_int_equal(run_of(three, "attempts=first"), 10 * HC_SECOND);
  assert_int_equal(run_of(three, "attempts=last"), 5 * HC_SECOND);
  assert_true(run_of("", NULL) == HC_UNKNOWN); /* never ran, which is for the run to judge */
  assert_true(run_of(ATTEMPT("\"None\"", "\"\"", ""), NULL) == HC_UNKNOWN);
  /* From summer to winter time: 01:50 to what the clock shows as 01:10 are twenty minutes. */
  assert_int_equal(run_of(ATTEMPT("\"2017-11-05 01:50:00\"", "\"2017-11-05 01:10:00\"", ""), NULL),
                   20 * HC_MINUTE);
  /* 00:30 to 03:30 across the same hour are four hours. */
  assert_int_equal(run_of(ATTEMPT("\"2017-11-05 00:30:00\"", "\"2017-11-05 03:30:00\"", ""), NULL),
                   4 * HC_HOUR);
}

static void test_still_running(void **state)
{
  reading r;
  const char *open =
      "[" JOB("", ATTEMPT("\"2017-10-07 02:00:00\"", "\"2017-10-07 02:00:10\"",
                          MACHINE("m1", GPUS2)) "," ATTEMPT("\"2017-10-07 04:00:00\"", "null", "")) "]";
  HC_UNUSED(state);
  read_all(&r, PHILLY, open, NULL, NULL, NULL);
  assert_int_equal(r.count, 0);
  assert_int_equal(r.ledger.rejected[HC_REASON_STILL_RUNNING], 1);
  end_reading(&r);
  read_all(&r, PHILLY, open, "attempts=first", NULL, NULL);
  assert_int_equal(r.count, 1); /* which is known */
  assert_int_equal(r.tasks[0].run, 10 * HC_SECOND);
  end_reading(&r);
}

/* Machines with 4, 2, 4 and 2 GPUs: two hosts of four, and a chunk of two hosts of two. */
static void test_unequal_machines(void **state)
{
  reading r;
  const char *text =
      "[" JOB("", ATTEMPT("\"2017-10-07 02:00:00\"", "\"2017-10-07 02:00:10\"",
                          MACHINE("m1", GPUS4) "," MACHINE("m2", GPUS2) "," MACHINE("m3", GPUS4) "," MACHINE(
                              "m4", "[]") "," MACHINE("m5", GPUS2))) "]";
  HC_UNUSED(state);
  read_all(&r, PHILLY, text, "cpus_per_gpu=2.5", "memory_per_gpu=1GiB", NULL);
  const hc_task_spec *t = &r.tasks[0];
  const hc_task_extras *m = more_of(&r, 0);
  assert_int_equal(t->hosts, 2);
  assert_int_equal(t->need[HC_DIM_GPU], 4000);
  assert_int_equal(t->need[HC_DIM_CPU], 10000); /* 4 x 2.5 cores */
  assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)4 << 30);
  assert_int_equal(m->chunk_count, 1);
  assert_int_equal(m->chunks[0].hosts, 2);
  assert_int_equal(m->chunks[0].need[HC_DIM_GPU], 2000);
  assert_int_equal(m->chunks[0].need[HC_DIM_CPU], 5000);
  assert_int_equal(m->chunks[0].need[HC_DIM_MEMORY], (int64_t)2 << 30);
  assert_true(m->chunks[0].need[HC_DIM_DISK] == HC_UNKNOWN);
  assert_int_equal(t->procs_asked, 12);
  end_reading(&r);
}

/* The extract has a number of GPUs and a run time in minutes, which counts for the sum of its attempts. */
static void test_extract(void **state)
{
  reading r;
  const char *text =
      "[{\"id\": \"application_2\", \"num_gpus\": 12, \"runtime\": 3221.05, \"attempts\": [{\"start_time\":"
      "\"2017-12-01 10:00:00\", \"end_time\": \"2017-12-01 10:01:00\"}], \"submitted_time\": \"2017-12-01 "
      "09:00:00\"},\n"
      " {\"id\": 7, \"num_gpus\": 16, \"runtime\": null, \"attempts\": [{\"start_time\": \"2017-11-30 "
      "10:00:00\","
      "\"end_time\": \"2017-11-30 10:01:00\"}], \"submitted_time\": \"2017-11-30 09:00:00\"}]";
  HC_UNUSED(state);
  read_all(&r, PHILLY, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[0].run, 193263 * HC_SECOND); /* 3221.05 x 60 */
  assert_int_equal(r.tasks[0].hosts, 1);
  assert_int_equal(r.tasks[0].need[HC_DIM_GPU], 8000);
  assert_int_equal(more_of(&r, 0)->chunks[0].hosts, 1);
  assert_int_equal(more_of(&r, 0)->chunks[0].need[HC_DIM_GPU], 4000);
  assert_int_equal(r.tasks[0].flags, 0); /* how it lay is not recorded */
  assert_int_equal(r.tasks[1].run, 60 * HC_SECOND);
  assert_int_equal(r.tasks[1].hosts, 2);
  assert_int_equal(r.tasks[1].more, 0);
  assert_int_equal(r.tasks[1].id, 7);
  /* The second was submitted first: time 0 is the begin of its day. Winter time, UTC-8. */
  assert_int_equal(r.type->info(r.source)->unix_start, 1512028800);
  assert_int_equal(r.tasks[1].submit, 9 * HC_HOUR);
  assert_int_equal(r.tasks[0].submit, 33 * HC_HOUR);
  end_reading(&r);
  read_all(&r, PHILLY, text, "gpus_per_host=4", "attempts=first", NULL);
  assert_int_equal(r.tasks[0].hosts, 3); /* 12 = 3 x 4 */
  assert_int_equal(r.tasks[0].more, 0);
  assert_int_equal(r.tasks[0].run, 60 * HC_SECOND);
  end_reading(&r);
}

static void test_origin_and_zone(void **state)
{
  reading r;
  const char *text = "[" JOB("", "") "]";
  HC_UNUSED(state);
  read_all(&r, PHILLY, text, "zone=+02:00", "origin=2017-10-07T00:11:39", NULL);
  assert_int_equal(r.tasks[0].submit, HC_HOUR);
  assert_int_equal(r.type->info(r.source)->unix_start, 1507327899);
  end_reading(&r);
  read_all(&r, PHILLY, text, "origin=2018-01-01", NULL, NULL);
  assert_int_equal(r.count, 0);
  assert_int_equal(r.ledger.rejected[HC_REASON_OUTSIDE], 1);
  end_reading(&r);
  expect_error(PHILLY, text, "zone=Mars/Olympus", HC_EUSAGE, 0, "no time zone \"Mars/Olympus\"");
  expect_error(PHILLY, text, "origin=soon", HC_EUSAGE, 0, "origin: \"soon\" is no date");
}

static void test_rejected(void **state)
{
  HC_UNUSED(state);
#define BAD(text, words) expect_rejected(PHILLY, "[\n" text "]", NULL, HC_REASON_MALFORMED, 2, words)
  BAD("5", "a job is an object");
  BAD("{}", "it has no submitted_time");
  BAD("{\"submitted_time\": \"yesterday\"}", "submitted_time is a date");
  BAD("{\"submitted_time\": \"2017-10-07\", \"submitted_time\": \"2017-10-07\"}", "stands there twice");
  BAD("{\"submitted_time\": \"2017-10-07\", \"num_gpus\": 1.5}", "num_gpus is a whole number");
  BAD("{\"submitted_time\": \"2017-10-07\", \"num_gpus\": -1}", "num_gpus is a whole number");
  BAD("{\"submitted_time\": \"2017-10-07\", \"runtime\": -1}", "runtime is a number of minutes");
  BAD("{\"submitted_time\": \"2017-10-07\", \"runtime\": 1e300}", "runtime is a number of minutes");
  BAD("{\"submitted_time\": \"2017-10-07\", \"user\": []}", "a user or virtual cluster is a text");
  BAD("{\"submitted_time\": \"2017-10-07\", \"jobid\": {}}", "the id or the status");
  BAD("{\"submitted_time\": \"2017-10-07\", \"attempts\": {}}", "`attempts` is an array");
  BAD("{\"submitted_time\": \"2017-10-07\", \"attempts\": [1]}", "an attempt is an object");
  BAD(JOB("", ATTEMPT("\"2017-10-07 02:00:00\"", "\"2017-10-07 01:59:59\"", "")),
      "an attempt ends before it starts");
  BAD(JOB("", ATTEMPT("\"soon\"", "null", "")), "start_time and end_time are dates");
  BAD(JOB("", ATTEMPT("null", "null", MACHINE("m", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"))),
      "more than 16 GPUs");
#undef BAD
}

static void test_files_that_are_none(void **state)
{
  HC_UNUSED(state);
  expect_error(PHILLY, "", NULL, HC_EINPUT, 1, "empty or truncated");
  expect_error(PHILLY, "{}", NULL, HC_EINPUT, 1, "not a Philly job log");
  expect_error(PHILLY, "[1, 2]", NULL, HC_EINPUT, 1,
               "nothing in this file can be read as a job of Philly. The first: a job");
  expect_error(PHILLY, "[\n{\"jobid\": ", NULL, HC_EINPUT, 2, "truncated");
  expect_error(PHILLY, "[]\n[]", NULL, HC_EINPUT, 2, "follows the end");
  reading r;
  read_all(&r, PHILLY, "[]", NULL, NULL, NULL);
  assert_int_equal(r.count, 0);
  end_reading(&r);
}

static void test_resumed(void **state)
{
#define AT(id, user, day) \
  "{\"id\": " id ", \"user\": \"" user "\", \"submitted_time\": \"2017-10-" day "\", \"num_gpus\": 8}"
  const char *text =
      "[" AT("1", "a", "02") "," AT("2", "b", "01") ", 5," AT("3", "a", "03") "," AT("4", "c", "04") "]";
  HC_UNUSED(state);
  for (size_t after = 0; after < 5; after++) expect_resumable(PHILLY, text, after, NULL);
}

static void test_recognised(void **state)
{
  const char *log = " [{\"jobid\": 1, \"submitted_time\": \"x\", \"attempts\": []}]";
  HC_UNUSED(state);
  assert_int_equal(hc_reader_philly.recognise("x", log, strlen(log)), 95);
  assert_int_equal(hc_reader_philly.recognise("x", "[]", 2), 0);
  assert_int_equal(hc_reader_philly.recognise("x", "", 0), 0);
  assert_int_equal(hc_reader_philly.recognise("data/cluster_job_log", "", 0), 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_original),      cmocka_unit_test(test_attempts),
      cmocka_unit_test(test_still_running), cmocka_unit_test(test_unequal_machines),
      cmocka_unit_test(test_extract),       cmocka_unit_test(test_origin_and_zone),
      cmocka_unit_test(test_rejected),      cmocka_unit_test(test_files_that_are_none),
      cmocka_unit_test(test_resumed),       cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
