/* test_yt_operations.c -- operations of YTsaurus's simulator: what becomes of their jobs, who waits for whom, what is wrong
 * with a file. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_yt_operations;
#define TYPE (&hc_reader_yt_operations)

/* A map-reduce operation of three jobs that count, and, two seconds earlier, one of one job: the latter as JSON. */
static const char two[] =
    "{operation_id=\"1-1-1-1\"; start_time=\"2017-01-24T10:00:00.5Z\"; authenticated_user=ann;\n"
    " spec={pool=research; weight=2.; other=<a=1>[1; {b=#}]};\n"
    " job_descriptions=[[20.; 1024; 1.5; 1; 7; j2; partition_reduce; completed];\n"
    "  [10.5; 2048; 1; 2; 0; j1; partition_map; failed]; [3.; 1; 1.; 1; 0; j3; partition_map; aborted_by_preemption];\n"
    "  [4.; 1; 0.0005; 0; 0; j4; partition_map; completed]]};\n"
    "{\"operation_id\": \"2\", \"start_time\": \"2017-01-24T09:59:58Z\", \"authenticated_user\": \"ben\",\n"
    " \"job_descriptions\": [[5, 1e9, 2, 1, 0, \"x\", \"vanilla\", \"completed\"]]}\n";

static void test_jobs_become_tasks(void **state)
{
  reading r;
  (void)state;
  read_all(&r, TYPE, two, NULL, NULL, NULL);
  assert_int_equal(r.count, 4);
  const int network = hc_lexicon_dimension(r.lexicon, "network", 7);
  const int slots = hc_lexicon_dimension(r.lexicon, "user_slots", 10);
  /* the second operation of the file came first: job 2, of vanilla (16) */
  const hc_task_spec *first = &r.tasks[0], *map = &r.tasks[1], *reduce = &r.tasks[3];
  assert_int_equal(first->id, 216);
  assert_int_equal(first->job, 2);
  assert_int_equal(first->submit, 0);
  assert_int_equal(first->run, 5 * HC_SECOND);
  assert_int_equal(first->need[HC_DIM_CPU], 2000);
  assert_int_equal(first->need[HC_DIM_MEMORY], 1000000000);
  assert_int_equal(first->queue, -1);
  assert_int_equal(first->priority, 1);
  assert_string_equal(hc_lexicon_called(r.lexicon, HC_CALLED_USER, first->user), "ben");
  /* then job 1: its partition_map (2) before its partition_reduce (8), though they stand the other way round */
  assert_int_equal(map->id, 102);
  assert_int_equal(map->submit, 5 * HC_SECOND / 2);
  assert_int_equal(map->run, 21 * HC_SECOND / 2);
  assert_int_equal(map->status, HC_STATUS_FAILED);
  assert_int_equal(map->need[slots], 2);
  assert_int_equal(map->need[network], HC_UNKNOWN);
  assert_int_equal(map->priority, 2);
  assert_string_equal(hc_lexicon_called(r.lexicon, HC_CALLED_QUEUE, map->queue), "research");
  assert_int_equal(r.tasks[2].need[HC_DIM_CPU], 1); /* rounded up, never to nothing */
  assert_int_equal(reduce->id, 108);
  assert_int_equal(reduce->need[network], 7);
  assert_int_equal(reduce->need[HC_DIM_CPU], 1500);
  assert_int_equal(r.ledger.rejected[HC_REASON_FILTERED], 1);     /* the preempted one */
  assert_int_equal(TYPE->info(r.source)->unix_start, 1485251998); /* date -u -d 2017-01-24T09:59:58Z +%s */
  end_reading(&r);
}

static void test_buckets_wait(void **state)
{
  reading r;
  (void)state;
  read_all(&r, TYPE, two, NULL, NULL, NULL);
  assert_int_equal(r.tasks[0].more, 0);
  assert_int_equal(r.tasks[1].more, 0);
  const hc_task_extras *m = more_of(&r, 3); /* only partition_map of those before it is there */
  assert_int_equal(m->after_count, 1);
  assert_int_equal(m->after[0].job, 1);
  assert_int_equal(m->after[0].task, 102);
  assert_int_equal(m->after[0].how, HC_AFTER_ENDED);
  end_reading(&r);
}

/* How many buckets a bucket waits for if the operation has all that its table row may name. */
static void expect_before(const char *type, const char *others, size_t count)
{
  reading r;
  char text[2048] = "{start_time=0; job_descriptions=[";
  char words[256];
  char *save = NULL;
  (void)snprintf(words, sizeof words, "%s %s", others, type);
  for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "[1; 1; 1; 1; 0; x; %s; completed];", w);
  strcat(text, "]}");
  read_all(&r, TYPE, text, NULL, NULL, NULL);
  size_t most = 0;
  for (size_t i = 0; i < r.count; i++) {
    const hc_task_extras *m = hc_lexicon_more(r.lexicon, r.tasks[i].more);
    if (m && m->after_count > most) most = m->after_count;
  }
  if (most != count) fail_msg("%s behind %s: %zu", type, others, most);
  end_reading(&r);
}

/* The rows of the simulator's table, one by one. */
static void test_who_follows_whom(void **state)
{
  (void)state;
  expect_before("sorted_merge", "partition intermediate_sort final_sort simple_sort", 4);
  expect_before("sorted_merge", "partition_map", 0); /* partition alone goes before it */
  expect_before("sorted_reduce", "partition_map reduce_combiner", 2);
  expect_before("unordered_merge", "map partition", 2);
  expect_before("final_sort", "intermediate_sort", 0);
  expect_before("final_sort", "partition_sort partition",
                1); /* both wait for partition, neither for the other */
  expect_before("vanilla", "ordered_map ordered_merge join_reduce remote_copy map", 0);
}

static void test_options(void **state)
{
  reading r;
  (void)state;
  read_all(&r, TYPE, two, "shift_operations_to_start=true", "weight_unit=0.5", NULL);
  for (size_t i = 0; i < r.count; i++) assert_int_equal(r.tasks[i].submit, 0);
  assert_int_equal(r.tasks[0].priority, 2); /* weight 1 is two halves */
  assert_int_equal(r.tasks[1].priority, 4);
  end_reading(&r);
  read_all(&r, TYPE, "[{start_time=5; spec={weight=0.25}; job_descriptions=[[1;1;1;1;0;x;map;completed]]}]",
           NULL, NULL, NULL);
  assert_int_equal(r.tasks[0].priority, 1); /* 0.25 of a unit: rounded up, and counted */
  assert_int_equal(r.ledger.rounded, 1);
  end_reading(&r);
}

static void test_what_is_wrong(void **state)
{
  (void)state;
  expect_error(TYPE, "{start_time=0;\njob_descriptions=[[1;1;1;1;0;x;mapp;completed]]}", NULL, HC_EINPUT, 2,
               "\"mapp\" is no type of job");
  expect_error(TYPE, "{job_descriptions=[]}", NULL, HC_EINPUT, 1, "without `start_time`");
  expect_error(TYPE, "{start_time=0}\n{start_time=\"2017-01-24T10:00:00Z\"}", NULL, HC_EINPUT, 2,
               "write all alike");
  expect_error(TYPE, "{start_time=-1}", NULL, HC_EINPUT, 1, "must be a date");
  expect_error(TYPE, "{start_time=0; spec={weight=0}}", NULL, HC_EINPUT, 1, "above 0");
  expect_error(TYPE, "{start_time=0; job_descriptions=7}", NULL, HC_EINPUT, 1, "list of lists");
  expect_error(TYPE, "{start_time=0; job_descriptions=[]; job_descriptions=[]", NULL, HC_EINPUT, 1,
               "the file is truncated");
  expect_error(TYPE, "17", NULL, HC_EINPUT, 1, "an operation is a map");
  expect_error(TYPE, "{start_time 0}", NULL, HC_EINPUT, 1, "expected = or :");
  expect_error(TYPE, "{start_time=\"0", NULL, HC_EINPUT, 1, "the file is truncated");
  expect_error(TYPE, "\x01\x02", NULL, HC_EINPUT, 1, "binary YSON");
  expect_rejected(TYPE, "{start_time=0;\njob_descriptions=[\n[1;1;1]]}", NULL, HC_REASON_MALFORMED, 3, "");
  expect_rejected(TYPE, "{start_time=0;job_descriptions=[[x;1;1;1;0;x;map;completed]]}", NULL,
                  HC_REASON_MALFORMED, 1, "");
}

static void test_resumes(void **state)
{
  (void)state;
  expect_resumable(TYPE, two, 2, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jobs_become_tasks), cmocka_unit_test(test_buckets_wait),
      cmocka_unit_test(test_who_follows_whom),  cmocka_unit_test(test_options),
      cmocka_unit_test(test_what_is_wrong),     cmocka_unit_test(test_resumes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
