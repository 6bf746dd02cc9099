/* test_alibaba.c -- Alibaba's traces of 2017 and 2018: jobs by the names of their tasks, instances read fast
 * and in general, containers. All rows are made here. */
#define _GNU_SOURCE
#include "reader_test.h"

#include "base/input.h"
#include "workload/alibaba_job.h"

extern const hc_reader_type hc_reader_alibaba_v2017, hc_reader_alibaba_v2018,
    hc_reader_alibaba_v2018_instances, hc_reader_alibaba_v2018_containers;
#define V2017 &hc_reader_alibaba_v2017
#define V2018 &hc_reader_alibaba_v2018
#define INSTANCES &hc_reader_alibaba_v2018_instances
#define CONTAINERS &hc_reader_alibaba_v2018_containers

/* Of 512 GiB: 100 stand for all, so 0.5 for 2,748,779,069.44 bytes. */
#define HALF_PERCENT INT64_C(2748779070)

/* "1 2" for a task after 1 and 2. */
static void after(const reading *r, size_t i, char *out, size_t size)
{
  size_t n = 0;
  out[0] = '\0';
  if (r->tasks[i].more == 0) return;
  const hc_task_extras *m = more_of(r, i);
  for (size_t k = 0; k < m->after_count; k++) {
    assert_int_equal(m->after[k].job, r->tasks[i].job);
    assert_int_equal(m->after[k].how, HC_AFTER_ENDED);
    n += (size_t)snprintf(out + n, size - n, "%s%lld", k ? " " : "", (long long)m->after[k].task);
  }
}

static void expect_after(const reading *r, size_t i, const char *want)
{
  char got[64];
  after(r, i, got, sizeof got);
  assert_string_equal(got, want);
}

/* ---- names and graphs ---- */

static void test_names(void **state)
{
  static const struct {
    const char *name;
    int64_t number; /* -1: a hash */
    const char *after;
    int parts;
  } cases[] = {
      {"M1", 1, "", 0},         {"R4_2", 4, "2", 0},      {"J5_3_4", 5, "3 4", 0},  {"M10_Stg1", 10, "", 1},
      {"R2_1_Stg3", 2, "1", 1}, {"MergeTask", -1, "", 0}, {"task_Nzg3", -1, "", 0}, {"task_17", 17, "", 0},
      {"7_1", -1, "", 0},       {"", -1, "", 0},          {"M", -1, "", 0},         {"M1x_2", -1, "", 0},
      {"M1_", 1, "", 1},        {"M1__2", 1, "2", 1},     {"AB12_007", 12, "7", 0}, {"M1_2x", 1, "", 1},
      {"M1_-2", 1, "", 1},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_alibaba_numbers n = {.allocator = hc_default_allocator()};
    char got[64] = "";
    int64_t number;
    assert_int_equal(hc_alibaba_task_name(cases[i].name, strlen(cases[i].name), &number, &n), cases[i].parts);
    if (cases[i].number < 0) assert_true(number >= INT64_C(1) << 62);
    else assert_int_equal(number, cases[i].number);
    for (size_t k = 0; k < n.count; k++)
      snprintf(got + strlen(got), 16, "%s%lld", k ? " " : "", (long long)n.items[k]);
    assert_string_equal(got, cases[i].after);
    hc_free(n.allocator, n.items, n.cap * sizeof *n.items);
  }
}

/* Tasks as "number: predecessors;", settled and written the same way. */
static void settle(const char *text, bool whole, hc_alibaba_doubts *d, char *out)
{
  hc_alibaba_graph g;
  hc_alibaba_graph_init(&g, hc_default_allocator());
  *d = (hc_alibaba_doubts){0};
  for (const char *p = text; *p;) {
    char *end;
    assert_int_equal(hc_alibaba_graph_add(&g, strtoll(p, &end, 10)), 0);
    assert_int_equal(*end, ':');
    for (p = end + 1; *p != ';'; p = end) {
      assert_int_equal(
          hc_reserve(g.allocator, (void **)&g.after.items, &g.after.cap, g.after.count + 1, sizeof(int64_t)),
          0);
      g.after.items[g.after.count++] = strtoll(p, &end, 10);
      assert_true(end > p);
    }
    hc_alibaba_graph_close(&g);
    p++;
  }
  assert_int_equal(hc_alibaba_graph_settle(&g, whole, d), 0);
  *out = '\0';
  for (size_t i = 0; i < g.count; i++) {
    out += sprintf(out, "%lld:", (long long)g.tasks[i].number);
    for (size_t k = 0; k < g.tasks[i].count; k++)
      out += sprintf(out, " %lld", (long long)g.after.items[g.tasks[i].first + k]);
    out += sprintf(out, ";");
  }
  hc_alibaba_graph_fini(&g);
}

static void test_graphs(void **state)
{
  hc_alibaba_doubts d;
  char got[256];
  HC_UNUSED(state);
  settle("1:;2: 1;3: 2 1 2;", true, &d, got); /* ascending, each once */
  assert_string_equal(got, "1:;2: 1;3: 1 2;");
  assert_true(d.missing == 0 && d.self == 0 && d.cycles == 0);
  settle("2: 1 2 9;", true, &d, got);
  assert_string_equal(got, "2:;");
  assert_true(d.missing == 2 && d.self == 1);
  settle("2: 1 2 9;", false, &d, got); /* the rest of the job may have them */
  assert_string_equal(got, "2: 1 9;");
  assert_true(d.missing == 0 && d.self == 1);
  settle("5: 1;1: 5;", true, &d, got); /* from 5 to 1, which waits for 5: that one goes */
  assert_string_equal(got, "5: 1;1:;");
  assert_int_equal(d.cycles, 1);
  settle("1: 5;5: 1;", true, &d, got);
  assert_string_equal(got, "1: 5;5:;");
  settle("1: 3;2: 1;3: 2;4: 3;", true, &d, got); /* 1 -> 3 -> 2 -> 1; 4 only waits for the circle */
  assert_string_equal(got, "1: 3;2:;3: 2;4: 3;");
  assert_int_equal(d.cycles, 1);
  settle("7:;7: 8;8: 7;", true, &d, got); /* two rows with one number: 8 waits for both */
  assert_string_equal(got, "7:;7: 8;8:;");
  settle("7: 9;7: 8;8: 7;9:;", true, &d, got);
  assert_string_equal(got, "7: 9;7: 8;8:;9:;");
}

/* A chain against the order of rows, as long as memory likes: no stack runs out. */
static void test_long_chain(void **state)
{
  enum { N = 50000 };
  hc_alibaba_graph g;
  hc_alibaba_doubts d = {0};
  HC_UNUSED(state);
  hc_alibaba_graph_init(&g, hc_default_allocator());
  assert_int_equal(hc_reserve(g.allocator, (void **)&g.after.items, &g.after.cap, N, sizeof(int64_t)), 0);
  for (int64_t i = 0; i < N; i++) {
    assert_int_equal(hc_alibaba_graph_add(&g, i), 0);
    g.after.items[g.after.count++] = (i + 1) % N; /* the last closes a circle */
    hc_alibaba_graph_close(&g);
  }
  assert_int_equal(hc_alibaba_graph_settle(&g, true, &d), 0);
  assert_int_equal(d.cycles, 1);
  assert_int_equal(g.after.count, N - 1);
  hc_alibaba_graph_fini(&g);
}

/* ---- 2018: tasks ---- */

#define JOB_2 "R2_1,1,j_2,1,Terminated,87076,87086,50,0.5\nM1,3,j_2,4,Terminated,87070,87083,100,0.5\n"

static void test_tasks(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018, "M1,1,j_1,1,Terminated,419912,419915,100,0.5\n" JOB_2, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  const hc_task_spec *t = r.tasks;
  assert_int_equal(t[0].job, 1);
  assert_int_equal(t[0].id, 1);
  assert_int_equal(t[0].line, 1);
  assert_int_equal(t[0].submit, 419912 * HC_SECOND);
  assert_int_equal(t[0].run, 3 * HC_SECOND);
  assert_int_equal(t[0].need[HC_DIM_CPU], 1000);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], HALF_PERCENT);
  assert_true(t[0].need[HC_DIM_GPU] == HC_UNKNOWN && t[0].user == -1 && t[0].wait == HC_UNKNOWN);
  assert_int_equal(t[0].executable, 1);
  assert_int_equal(t[0].status, HC_STATUS_COMPLETED);
  assert_true(t[0].hosts == 1 && t[0].count == 1 && t[0].flags == 0);
  assert_int_equal(t[1].id, 2);
  assert_int_equal(t[1].submit, 87070 * HC_SECOND); /* when the first task of the job started */
  assert_int_equal(t[1].run, 10 * HC_SECOND);
  assert_int_equal(t[1].need[HC_DIM_CPU], 500);
  expect_after(&r, 1, "1");
  assert_int_equal(t[2].submit, 87070 * HC_SECOND);
  assert_true(t[2].count == 3 && t[2].executable == 4);
  expect_after(&r, 2, "");
  assert_int_equal(r.ledger.rounded, 3); /* 0.5 % of 512 GiB is no whole number of bytes */
  assert_true(r.ledger.rounding > 2.0e-10 && r.ledger.rounding < 2.1e-10); /* 0.56 of 2,748,779,069.44 */
  assert_int_equal(r.type->refers(r.source), HC_REFERS_JOB);
  end_reading(&r);
}

static void test_task_options(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018, JOB_2, "submit=task", "run=ready", "memory_scale=100GB");
  assert_int_equal(r.tasks[0].submit, 87076 * HC_SECOND);
  assert_int_equal(r.tasks[0].run, 3 * HC_SECOND); /* task 1 ended at 87083, this one at 87086 */
  assert_int_equal(r.tasks[1].run, 13 * HC_SECOND);
  assert_int_equal(r.tasks[1].need[HC_DIM_MEMORY], 500000000);
  assert_int_equal(r.ledger.rounded, 0);
  end_reading(&r);
  read_all(&r, V2018, JOB_2, "cpu_scale=1", "time_unit=1ms", "origin=2018-01-31");
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 100000);
  assert_int_equal(r.tasks[1].run, 13 * HC_MS);
  assert_int_equal(r.type->info(r.source)->unix_start, 1517356800);
  end_reading(&r);
}

static void test_task_header(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018,
           "job_name,task_name,start_time,end_time,plan_cpu,plan_mem,status\n" /* fewer, in another order */
           "j_9,M3,5,9,100,1,Terminated\n",
           NULL, NULL, NULL);
  assert_int_equal(r.count, 1);
  assert_true(r.tasks[0].job == 9 && r.tasks[0].id == 3 && r.tasks[0].run == 4 * HC_SECOND &&
              r.tasks[0].line == 2);
  end_reading(&r);
  read_all(&r, V2018, "name,n,job,type,state,from,to,cpu,mem\nM1,1,j_1,1,Terminated,4,5,100,0.5\n", NULL,
           NULL, NULL);
  assert_int_equal(r.count, 1); /* unknown titles: the published order */
  end_reading(&r);
  expect_error(V2018, "task_name,job_name,start_time\nM1,j_1,4\n", NULL, HC_EINPUT, 1,
               "this is not batch_task.csv of Alibaba's trace of 2018: no column has the title end_time");
}

/* Every reason for which a row is none, and what it says. */
static void test_task_rejects(void **state)
{
  static const struct {
    const char *row;
    hc_reason why;
  } cases[] = {
      {"M1,1,j_1,1,Failed,4,5,100,1\n", HC_REASON_FILTERED},
      {"M1,1,j_1,1,Waiting,0,0,100,1\n", HC_REASON_NEVER_RAN},
      {"M1,1,j_1,1,Ready,4,5,100,1\n", HC_REASON_NEVER_RAN},
      {"M1,1,j_1,1,Running,4,0,100,1\n", HC_REASON_STILL_RUNNING},
      {"M1,1,j_1,1,Terminated,4,0,100,1\n", HC_REASON_STILL_RUNNING},
      {"M1,1,j_1,1,Terminated,0,5,100,1\n", HC_REASON_ALREADY_RUNNING},
      {"M1,1,j_1,1,Terminated,0,0,100,1\n", HC_REASON_NEVER_RAN},
      {"M1,1,j_1,1,Terminated,,,100,1\n", HC_REASON_NEVER_RAN},
      {"M1,1,j_1,1,Terminated,4,5,,\n", HC_REASON_NO_DEMAND},
      {"M1,1,j_1,1,Terminated,4,5,0,101\n", HC_REASON_NO_DEMAND},
      {"M1,1,j_1,1,Terminated,4,5,-1,-1\n", HC_REASON_NO_DEMAND},
      {"M1,1,j_1,1,Terminated,5,4,100,1\n", HC_REASON_MALFORMED},
      {"M1,0,j_1,1,Terminated,4,5,100,1\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Asleep,4,5,100,1\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Terminated,4,5,lots,1\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Terminated,4,5,100,1,7\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Terminated\n", HC_REASON_MALFORMED},
      {",1,j_1,1,Terminated,4,5,100,1\n", HC_REASON_MALFORMED},
      {"M1,1,,1,Terminated,4,5,100,1\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Terminated,4,99999999999999999999,100,1\n", HC_REASON_MALFORMED},
      {"M1,1,j_1,1,Terminated,4,5,1e300,1\n", HC_REASON_MALFORMED},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[256];
    reading r;
    snprintf(text, sizeof text, "M1,1,j_1,1,Terminated,4,5,100,1\n%sM1,1,j_2,1,Terminated,4,5,100,1\n",
             cases[i].row);
    read_all(&r, V2018, text, NULL, NULL, NULL);
    if (r.count != 2 || r.ledger.rejected[cases[i].why] != 1)
      fail_msg("%s is not %s", cases[i].row, hc_reason_name(cases[i].why));
    end_reading(&r);
  }
  expect_rejected(V2018, "M1,1,j_1,1,Terminated,4,5,100,1\nM1,1,j_1,1,Terminated,4,5,lots,1\n", NULL,
                  HC_REASON_MALFORMED, 2,
                  "row rejected (malformed): plan_cpu holds \"lots\", which is no amount");
  expect_rejected(V2018, "M1,1,j_1,1,Terminated,5,4,100,1\n", NULL, HC_REASON_MALFORMED, 1,
                  "end_time holds \"4\", which is before it started");
  expect_rejected(V2018, "M1,1,j_1,1,Waiting,0,0,100,1\n", NULL, HC_REASON_NEVER_RAN, 1,
                  "row rejected (never_ran)");
  expect_error(V2018, "", NULL, HC_EINPUT, 0, "the file has no rows: give batch_task.csv");
  expect_error(
      V2018, "lots\n", NULL, HC_EINPUT, 1,
      "no row of this file can be read as batch_task.csv of Alibaba's trace of 2018. The first: it has 1 "
      "fields");
}

static void test_task_defaults(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018, "M1,1,j_1,1,Terminated,4,5,,\nM2,1,j_1,1,Failed,4,5,50,\n", "default_cpu=0.25",
           "default_memory=1GiB", "statuses=ended");
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 250);
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], INT64_C(1) << 30);
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 500);
  assert_int_equal(r.tasks[1].need[HC_DIM_MEMORY], INT64_C(1) << 30);
  assert_int_equal(r.tasks[1].status, HC_STATUS_FAILED);
  end_reading(&r);
}

/* A job's name that no number says is kept beside its hash, for each task of the job. */
static void test_job_labels(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018,
           "M1,1,night run,1,Terminated,4,5,100,1\nM2,1,night run,1,Terminated,4,5,100,1\n"
           "M1,1,j_7,1,Terminated,6,7,100,1\n",
           NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  for (size_t i = 0; i < 2; i++)
    assert_string_equal(hc_lexicon_label_text(r.lexicon, r.tasks[i].job_label, NULL), "night run");
  assert_int_equal(r.tasks[0].job, r.tasks[1].job);
  assert_int_equal(r.tasks[2].job, 7);
  assert_int_equal(r.tasks[2].job_label, 0);
  end_reading(&r);
}

#define ROW(name, job, start) #name ",1," #job ",1,Terminated," #start ",99,100,1\n"

/* What makes no sense is dropped, and the trace says so. */
static void test_doubts(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018,
           ROW(R2_1_7, j_1, 5) ROW(M1, j_1, 6) ROW(M3_3, j_1, 7) ROW(R5_6_Stg1, j_2, 8) ROW(R6_5, j_2, 8)
               ROW(MergeTask, j_2, 9),
           NULL, NULL, NULL);
  assert_int_equal(r.count, 6);
  expect_after(&r, 0, "1"); /* 7 is no task of the job */
  expect_after(&r, 2, "");
  expect_after(&r, 3, "6");
  expect_after(&r, 4, "");
  const char *said = r.type->info(r.source)->derived;
  assert_non_null(strstr(said, "1 predecessors that their job does not have"));
  assert_non_null(strstr(said, "1 tasks after themselves"));
  assert_non_null(strstr(said, "1 waits that close a circle"));
  assert_non_null(strstr(said, "1 parts of names that are no numbers"));
  assert_null(strstr(said, "too far apart"));
  end_reading(&r);
}

/* Rows in order of time: those of a job stand apart, and are put together within the window. */
static void test_rows_apart(void **state)
{
  const char *text = ROW(M1, j_1, 1) ROW(M1, j_2, 2) ROW(R2_1, j_1, 3) ROW(R2_1, j_2, 4) ROW(R3_1_2, j_1, 5);
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 5);
  for (int i = 0; i < 3; i++) assert_true(r.tasks[i].job == 1 && r.tasks[i].submit == HC_SECOND);
  for (int i = 3; i < 5; i++) assert_true(r.tasks[i].job == 2 && r.tasks[i].submit == 2 * HC_SECOND);
  expect_after(&r, 2, "1 2");
  end_reading(&r);
  read_all(&r, V2018, text, "window=4", NULL, NULL); /* the last row comes when its job has been given out */
  assert_int_equal(r.count, 5);
  assert_int_equal(r.tasks[4].line, 5);
  assert_int_equal(r.tasks[4].submit, 5 * HC_SECOND);
  expect_after(&r, 4, "1 2"); /* whether they are there is for the run to know */
  assert_non_null(strstr(r.type->info(r.source)->derived, "1 parts of jobs whose rows stand too far apart"));
  end_reading(&r);
  read_all(&r, V2018, ROW(R2_1, j_1, 3) ROW(R3_2, j_1, 4) ROW(M1, j_1, 5), "window=1", NULL, NULL);
  expect_after(&r, 0, "1"); /* cut while more of it may come */
  end_reading(&r);
}

static void test_tasks_resume(void **state)
{
  const char *text = ROW(M1, j_1, 1) ROW(M1, j_2, 2) ROW(R2_1, j_1, 3) ROW(R2_1_3_4_5_6_7_8_9_10, j_2, 4)
      ROW(R3_1_2, j_1, 5) ROW(M1, j_3, 6) ROW(R2_1_77, j_3, 7) ROW(R4_1, j_1, 8) ROW(M1, j_4, 9);
  HC_UNUSED(state);
  expect_resumable(V2018, text, 1, "window=4");
  expect_resumable(V2018, text, 2, "window=4");
  expect_resumable(V2018, text, 3, "window=2");
  expect_resumable(V2018, text, 1, "window=1");
  expect_resumable(V2018, text, 0, "window=3");
}

/* ---- 2018: instances ---- */

#define INSTANCE(id, rest) "ins_" #id ",M1,j_7,3,Terminated," rest "\n"

static void test_instances(void **state)
{
  const char *text =
      "ins_74901673,task_LTg0MTU=,j_217,10,Terminated,673795,673797,m_2637,1,1,13,16,0.02,0.5\n"
      "ins_5,R2_1,j_218,10,Terminated,673796,673799,,1,1,13.5,27.25,1,3\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, INSTANCES, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 2);
  const hc_task_spec *t = r.tasks;
  assert_int_equal(t[0].id, 74901673);
  assert_int_equal(t[0].job, 217);
  assert_int_equal(t[0].line, 1);
  assert_int_equal(t[0].submit, 673795 * HC_SECOND);
  assert_int_equal(t[0].run, 2 * HC_SECOND);
  assert_int_equal(t[0].need[HC_DIM_CPU], 160);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], HALF_PERCENT);
  assert_int_equal(t[0].flags, HC_SPEC_AT_START);
  assert_true(t[0].hosts == 1 && t[0].count == 0 && t[0].more == 0 && t[0].user == -1 &&
              t[0].executable == -1);
  assert_int_equal(t[0].status, HC_STATUS_COMPLETED);
  assert_int_equal(t[1].need[HC_DIM_CPU], 273); /* 0.2725 cores, rounded up */
  assert_int_equal(r.type->refers(r.source), HC_REFERS_NONE);
  end_reading(&r);
  read_all(&r, INSTANCES, text, "amount=avg", NULL, NULL);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 130);
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 135);
  end_reading(&r);
  read_all(&r, INSTANCES, text, "dependencies=names", NULL, NULL);
  assert_true(r.tasks[0].id >= INT64_C(1) << 62);
  assert_int_equal(r.tasks[1].id, 2);
  expect_after(&r, 1, "1");
  assert_int_equal(r.type->refers(r.source), HC_REFERS_JOB);
  end_reading(&r);
}

static void test_instance_rejects(void **state)
{
  static const struct {
    const char *row;
    hc_reason why; /* HC_REASON_COUNT: it is one */
  } cases[] = {
      {INSTANCE(1, "5,9,m_1,1,1,1,1,0,0"),
       HC_REASON_COUNT}, /* the least that counts: a hundredth of a core */
      {INSTANCE(1, "5,9,m_1,1,1,1,9600,0,100"), HC_REASON_COUNT},
      {INSTANCE(1, "5,9,m_1,1,1,1,0.99,0,0"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "5,9,m_1,1,1,1,9600.01,0,1"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "5,9,m_1,1,1,1,50,0,101"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "5,9,m_1,1,1,1,-1,0,1"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "5,9,m_1,1,1,1,,0,1"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "5,9,m_1,1,1,1,50,,"), HC_REASON_NO_DEMAND},
      {INSTANCE(1, "0,9,m_1,1,1,1,50,0,1"), HC_REASON_ALREADY_RUNNING},
      {INSTANCE(1, "5,0,m_1,1,1,1,50,0,1"), HC_REASON_STILL_RUNNING},
      {INSTANCE(1, "0,0,m_1,1,1,1,50,0,1"), HC_REASON_NEVER_RAN},
      {"ins_1,M1,j_7,3,Failed,5,9,m_1,1,1,1,50,0,1\n", HC_REASON_FILTERED},
      {"ins_1,M1,j_7,3,Interrupted,5,9,m_1,1,1,1,50,0,1\n", HC_REASON_FILTERED},
      {"ins_1,M1,j_7,3,Waiting,0,0,,0,0,,,,\n", HC_REASON_NEVER_RAN},
      {"ins_1,M1,j_7,3,Running,5,0,m_1,1,1,1,50,0,1\n", HC_REASON_STILL_RUNNING},
      {INSTANCE(1, "9,5,m_1,1,1,1,50,0,1"), HC_REASON_MALFORMED},
      {INSTANCE(1, "5,9,m_1,1,1,1,5:,0,1"), HC_REASON_MALFORMED},
      {INSTANCE(1, "5,9,m_1,1,1,1,5..,0,1"), HC_REASON_MALFORMED},
      {INSTANCE(1, "5,9,m_1,1,1,1,50,0,1,1"), HC_REASON_MALFORMED},
      {"ins_1,M1\nj_7,3,Terminated,5,9,m_1,1,1,1,50,0,1,1\n", HC_REASON_MALFORMED},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[1024] = "";
    reading r;
    /* Rows before, so that the fast way is tried; and behind, so that it may look that far. */
    for (int k = 0; k < 3; k++) strcat(text, INSTANCE(2, "5,9,m_1,1,1,1,50,0.25,0.5"));
    strcat(text, cases[i].row);
    for (int k = 0; k < 5; k++) strcat(text, INSTANCE(3, "6,9,m_1,1,1,1,50,0.25,0.5"));
    read_all(&r, INSTANCES, text, NULL, NULL, NULL);
    const size_t good = cases[i].why == HC_REASON_COUNT;
    if (r.count != 8 + good || (!good && r.ledger.rejected[cases[i].why] == 0))
      fail_msg("%s is not %s", cases[i].row, hc_reason_name(cases[i].why));
    end_reading(&r);
  }
  expect_rejected(INSTANCES, INSTANCE(1, "5,9,m_1,1,1,1,50,0,1") INSTANCE(1, "9,5,m_1,1,1,1,50,0,1"), NULL,
                  HC_REASON_MALFORMED, 2, "end_time holds \"5\", which is before it started");
}

/* Rows of all kinds, again and again. @param crlf  ends that only the general way reads */
static char *many_rows(size_t rows, bool crlf, uint64_t seed)
{
  char *text = test_calloc(rows, 160), *p = text;
  for (size_t i = 0; i < rows; i++) {
    static const char *const amounts[] = {"1",   "13",  "100.5", "0.02", "99.99", "9600",
                                          "0.5", "7.0", "",      "1e1",  "-1",    "0"};
    uint64_t x[8];
    for (int k = 0; k < 8; k++) x[k] = (seed = seed * UINT64_C(6364136223846793005) + 99) >> 33;
    p +=
        sprintf(p, "ins_%llu,%s%llu,j_%llu,%llu,%s,%llu,%llu,m_%llu,1,%llu,%s,%s,%s,%s%s",
                (unsigned long long)(x[0] % (x[1] % 9 ? 100000000 : 10000000000)), x[1] % 2 ? "R2_" : "task_",
                (unsigned long long)x[2], (unsigned long long)(x[3] % (x[2] % 7 ? 4000000 : 10000000000)),
                (unsigned long long)(x[4] % 13), x[5] % 50 ? "Terminated" : "Failed",
                (unsigned long long)(x[6] % 1000 == 0 ? 0 : 80000 + i / 2),
                (unsigned long long)(80000 + i / 2 + x[7] % 500), (unsigned long long)(x[2] % 4034),
                (unsigned long long)(x[3] % 3), amounts[x[4] % 8], amounts[x[5] % 12], amounts[x[6] % 8],
                amounts[x[7] % 12], crlf ? "\r\n" : "\n");
  }
  return text;
}

/* The same from both ways: tasks, lines, and what was counted. */
static void test_fast_is_general(void **state)
{
  enum { ROWS = 20000 };
  HC_UNUSED(state);
  for (int cut = 0; cut < 2; cut++) {
    char *texts[2] = {many_rows(ROWS, false, 7), many_rows(ROWS, true, 7)};
    uint64_t used[2] = {0}, sums[2] = {0};
    hc_row_ledger ledgers[2];
    for (int way = 0; way < 2; way++) {
      reading r;
      hc_job job;
      const size_t n = strlen(texts[way]);
      if (cut) texts[way][n - 1 - (size_t)way] = '\0'; /* a last line without an end */
      begin_reading(&r, INSTANCES, texts[way], NULL, NULL, NULL);
      open_reading(&r);
      assert_int_equal(r.rc, 0);
      while ((r.rc = r.type->next(r.source, &job, &r.error)) == 1) {
        for (uint32_t i = 0; i < job.task_count; i++) {
          hc_hash h;
          uint64_t out[2];
          hc_hash_init(&h);
          hc_hash_add(&h, &sums[way], sizeof sums[way]);
          hc_hash_add(&h, &job.tasks[i], sizeof job.tasks[i]);
          hc_hash_end(&h, out);
          sums[way] = out[0];
          used[way]++;
        }
      }
      assert_int_equal(r.rc, 0);
      ledgers[way] = r.ledger;
      end_reading(&r);
      test_free(texts[way]);
    }
    assert_true(used[0] > ROWS / 3);
    assert_int_equal(used[0], used[1]);
    assert_true(sums[0] == sums[1]);
    assert_memory_equal(&ledgers[0], &ledgers[1], sizeof ledgers[0]);
  }
}

/* The state in the middle of what was read fast. */
static void test_instances_resume(void **state)
{
  char *text = many_rows(40, false, 3);
  HC_UNUSED(state);
  for (size_t i = 0; i < 4; i++) expect_resumable(INSTANCES, text, i, NULL);
  test_free(text);
}

static void test_requested(void **state)
{
  const char *tasks =
      "M1,2,j_7,1,Terminated,1,9,200,1\nR2_1,1,j_7,1,Terminated,3,9,50,\nbad\nM1,1,j_8,1,Waiting,0,0,,\n";
  const char *text = "ins_1,M1,j_7,1,Terminated,2,5,m_1,1,1,1,1,1,1\n"
                     "ins_2,R2_1,j_7,1,Terminated,4,5,m_1,1,1,1,1,1,1\n"
                     "ins_3,M1,j_8,1,Terminated,4,5,m_1,1,1,1,1,1,1\n"
                     "ins_4,M1,j_9,1,Terminated,4,5,m_1,1,1,1,1,1,1\n";
  trace_file plans = write_file(tasks);
  char option[96];
  reading r;
  HC_UNUSED(state);
  snprintf(option, sizeof option, "tasks=%s", plans.path);
  read_all(&r, INSTANCES, text, "reading=requested", option, "memory_scale=100GB");
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 2000);
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], 1000000000);
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 500);
  assert_true(r.tasks[1].need[HC_DIM_MEMORY] == HC_UNKNOWN);
  assert_int_equal(r.ledger.rejected[HC_REASON_NO_DEMAND], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_INCOMPLETE], 1);
  end_reading(&r);
  /* One row of the tasks is held: that of j_7, M1 has made room when the second instance asked for the
   * next. */
  read_all(&r, INSTANCES,
           "ins_1,M1,j_7,1,Terminated,2,5,m_1,1,1,1,1,1,1\nins_2,R2_1,j_7,1,Terminated,4,5,m_1,1,1,1,1,1,1\n"
           "ins_3,M1,j_7,1,Terminated,4,5,m_1,1,1,1,1,1,1\n",
           "reading=requested", option, "tasks_window=1");
  assert_int_equal(r.count, 2);
  assert_int_equal(r.ledger.rejected[HC_REASON_INCOMPLETE], 1);
  end_reading(&r);
  unlink(plans.path);
  expect_error(INSTANCES, text, "reading=requested", HC_EUSAGE, 0, "set `tasks` to that file");
}

/* ---- 2018: containers ---- */

static void test_containers(void **state)
{
  const char *text =
      "c_1,m_2556,0,app_5052,started,400,800,1.5\nc_1,m_2556,287942,app_5052,started,400,800,1.5\n"
      "c_2,m_1,100,app_7,started,1600,1600,3\nc_2,m_1,700,app_7,stopped,1600,1600,3\n"
      "c_3,m_1,50,app_7,started,,,\nc_1,m_9,600000,app_5052,started,400,800,1.5\n"
      "c_4,m_1,9,,unknown,100,100,0.5\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, CONTAINERS, text, "memory_scale=100GB", NULL, NULL);
  assert_int_equal(r.count, 3);
  const hc_task_spec *t = r.tasks; /* in order of submission: c_1, c_4, c_2 */
  assert_true(t[0].id == 1 && t[0].group == 5052 && t[0].line == 1);
  assert_int_equal(t[0].submit, 0);
  assert_int_equal(t[0].run, 8 * HC_DAY);
  assert_int_equal(t[0].flags, HC_SPEC_AT_START | HC_SPEC_NO_END);
  assert_int_equal(t[0].need[HC_DIM_CPU], 4000);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], 1500000000);
  assert_int_equal(t[2].submit, 100 * HC_SECOND);
  assert_int_equal(t[2].run, 600 * HC_SECOND); /* it stopped */
  assert_int_equal(t[2].flags, HC_SPEC_AT_START);
  assert_int_equal(t[2].status, HC_STATUS_COMPLETED);
  assert_int_equal(t[1].group, -1);
  assert_int_equal(r.ledger.merged, 3);
  assert_int_equal(r.ledger.rejected[HC_REASON_NO_DEMAND], 1);
  assert_int_equal(r.ledger.read, 7);
  end_reading(&r);
  /* The same rows by time, and backwards, are the same containers. */
  read_all(&r, CONTAINERS,
           "c_1,m_1,0,a,started,400,,1\nc_2,m_1,100,a,started,400,,1\nc_2,m_1,700,a,stopped,400,,1\n"
           "c_1,m_1,900,a,stopped,400,,1\n",
           NULL, NULL, NULL);
  assert_true(r.count == 2 && r.tasks[0].run == 900 * HC_SECOND && r.tasks[1].run == 600 * HC_SECOND);
  end_reading(&r);
  read_all(&r, CONTAINERS,
           "c_1,m_1,900,a,stopped,400,,1\nc_2,m_1,700,a,stopped,400,,1\nc_2,m_1,100,a,started,400,,1\n"
           "c_1,m_1,0,a,started,400,,1\n",
           NULL, NULL, NULL);
  assert_true(r.count == 2 && r.tasks[0].id == 1 && r.tasks[0].submit == 0 &&
              r.tasks[0].flags == HC_SPEC_AT_START);
  assert_true(r.tasks[0].run == 900 * HC_SECOND && r.tasks[1].run == 600 * HC_SECOND);
  end_reading(&r);
  expect_resumable(CONTAINERS, text, 1, "trace_end=1000");
  expect_resumable(CONTAINERS, text, 2, NULL);
  expect_rejected(CONTAINERS, "c_1,m_1,-5,app_1,started,100,100,1\n", NULL, HC_REASON_MALFORMED, 1,
                  "time_stamp holds \"-5\", which is no time");
}

/* ---- quotes, and rows that were cut off ---- */

/* Some exports quote texts, or everything. A quote that is not closed costs its row alone, not the rows after
 * it. */
static void test_quotes(void **state)
{
  const char *text = "\"M1\",\"2\",\"j_7\",1,\"Terminated\",100,\"160\",\"100\",0.5\n"
                     "R2_1,1,\"j_7,1,Terminated,160,170,100,0.5\n" /* an ordinary character */
                     "R2_1,1,j_7,1,Terminated,160,170,100,\"0.5\"x\n"
                     "R2_1,1,j_7,1,Terminated,160,170,100,0.5\n";
  const char *instance = "\"ins_9\",\"M1\",\"j_43\",\"1\",\"Terminated\",130,131,\"m_1\",1,1,50,60,0.04,0.5\n"
                         "ins_10,M1,j_43,1,Terminated,130,131,m_1,1,1,50,60,0.04,0.5\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2018, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  assert_true(r.tasks[0].id == 1 && r.tasks[0].job == 7 && r.tasks[0].count == 2);
  assert_int_equal(r.tasks[0].run, 60 * HC_SECOND);
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], HALF_PERCENT);
  assert_int_equal(r.ledger.rejected[HC_REASON_MALFORMED], 1); /* text behind a closed quote */
  end_reading(&r);
  read_all(&r, INSTANCES, instance, NULL, NULL, NULL); /* in general, and fast */
  assert_int_equal(r.count, 2);
  assert_true(r.tasks[0].id == 9 && r.tasks[1].id == 10 && r.tasks[0].job == 43 && r.tasks[1].job == 43);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 600);
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], r.tasks[1].need[HC_DIM_MEMORY]);
  end_reading(&r);
}

/* Whether a row that was cut off ended well is unknown. */
static void test_short_rows(void **state)
{
  HC_UNUSED(state);
  expect_rejected(V2017, "100,160,5,51,12,Terminated,50,0.015625\n100,160,5,52\n", NULL, HC_REASON_MALFORMED,
                  2, "it has 4 fields, where 8 are expected");
  expect_rejected(INSTANCES,
                  "ins_10,M1,j_43,1,Terminated,130,131,m_1,1,1,50,60,0.04,0.5\n"
                  "ins_10,M1,j_43,1,Terminated,130,131,m_1,1,1,50,6\n",
                  NULL, HC_REASON_MALFORMED, 2, "it has 12 fields, where 14 are expected");
}

/* ---- 2017 ---- */

static void test_2017(void **state)
{
  const char *tasks =
      "create time, modify time, job id, task id, instance number, status, plan cpu, plan mem\n"
      "100,160,5,51,12,Terminated,50,0.015625\n"
      "-1078,160,5,52,1,Terminated,100,0.5\n0,160,5,53,1,Terminated,100,0.5\n"
      "200,0,5,54,1,Terminated,100,0.5\n210,260,6,55,1,Running,100,0.5\n"
      "220,260,6,56,1,Terminated,,\n230,260,6,57,1,Waiting,100,0.5\n";
  const char *instances = "41,50,5,51,1010,Terminated,1,1,1.5,0.25,0.015625,0.0078125\n"
                          "42,50,,,1010,Terminated,1,1,0.5,0.25,0.5,0.5\n43,0,5,51,1010,Failed,1,1,,,,\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2017, tasks, "memory_scale=64GiB", NULL, NULL);
  assert_int_equal(r.count, 1);
  const hc_task_spec *t = r.tasks;
  assert_true(t[0].job == 5 && t[0].id == 51 && t[0].count == 12 && t[0].hosts == 1 && t[0].flags == 0);
  assert_int_equal(t[0].submit, 100 * HC_SECOND);
  assert_int_equal(t[0].run, 60 * HC_SECOND);
  assert_int_equal(t[0].need[HC_DIM_CPU], 500); /* 100 is a core */
  assert_int_equal(t[0].need[HC_DIM_MEMORY], INT64_C(1) << 30);
  assert_int_equal(r.ledger.rejected[HC_REASON_ALREADY_RUNNING], 2);
  assert_int_equal(r.ledger.rejected[HC_REASON_STILL_RUNNING], 2);
  assert_int_equal(r.ledger.rejected[HC_REASON_NO_DEMAND], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_reading(&r);
  read_all(&r, V2017, tasks, "default_cpu=1", NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[1].need[HC_DIM_CPU], 1000);
  end_reading(&r);
  read_all(&r, V2017, instances, "memory_scale=64GiB", NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 1500); /* in cores */
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], INT64_C(1) << 30);
  assert_int_equal(r.tasks[0].flags, HC_SPEC_AT_START);
  assert_true(r.tasks[1].job == -1 && r.tasks[1].id == 2);
  assert_int_equal(r.ledger.rejected[HC_REASON_FILTERED], 1);
  end_reading(&r);
  read_all(&r, V2017, instances, "amount=avg", "statuses=ended", "table=instance");
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 250);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_reading(&r);
  expect_resumable(V2017, instances, 1, NULL);
  expect_error(V2017, instances, "table=task", HC_EINPUT, 1,
               "The first: it has 12 fields, where 8 are expected");
}

/* ---- no memory ---- */

typedef struct meter {
  long until_failure, held;
} meter;

static void *metered(void *ctx, void *p, size_t old_size, size_t new_size)
{
  meter *m = ctx;
  void *made = NULL;
  if (new_size > 0 && m->until_failure-- <= 0) return NULL;
  if (new_size > 0) made = realloc(p, new_size);
  else free(p);
  m->held += (long)new_size - (long)old_size;
  return made;
}

/* Each allocation in turn fails: an error, nothing lost, nothing kept. */
static void test_out_of_memory(void **state)
{
  const char *tasks = ROW(M1, j_1, 1) ROW(R2_1, j_1, 3) ROW(R3_1_2, j_1, 5) ROW(M1, j_2, 6) ROW(R2_1, j_2, 7);
  const char *instance = "ins_1,R2_1,j_1,1,Terminated,4,5,m_1,1,1,50,50,1,1\n";
  trace_file plans = write_file(tasks);
  char option[96];
  HC_UNUSED(state);
  snprintf(option, sizeof option, "tasks=%s", plans.path);
  for (int which = 0; which < 3; which++) {
    const hc_reader_type *type = which == 0 ? V2018 : INSTANCES;
    hc_rc rc = HC_ENOMEM;
    for (long n = 0; rc < 0; n++) {
      meter m = {.until_failure = n};
      const hc_allocator a = {&m, metered, NULL};
      reading r;
      begin_reading(&r, type, which == 0 ? tasks : instance, which == 0 ? "run=ready" : "dependencies=names",
                    which == 0   ? "window=2"
                    : which == 1 ? "reading=requested"
                                 : "amount=avg",
                    which == 1 ? option : NULL);
      r.context.allocator = &a;
      open_reading(&r);
      read_on(&r);
      rc = r.rc;
      if (rc < 0) assert_int_equal(rc, HC_ENOMEM);
      else assert_int_equal(r.count, which == 0 ? 5 : 1);
      if (r.source) type->close(r.source);
      r.source = NULL;
      assert_int_equal(m.held, 0);
      end_reading(&r);
      if (n > 200) fail_msg("it asks for memory without end");
    }
  }
  unlink(plans.path);
}

/* ---- names of files, first lines, keys ---- */

static void test_recognise(void **state)
{
  static const struct {
    const char *head;
    const hc_reader_type *type;
  } cases[] = {
      {JOB_2, V2018},
      {INSTANCE(1, "5,9,m_1,1,1,1,50,0,1"), INSTANCES},
      {"instance_name,task_name,job_name,task_type,status,start_time,end_time,total_seq_no,cpu_max,mem_max\n",
       INSTANCES},
      {"c_1,m_2556,0,app_5052,started,400,800,1.5\n", CONTAINERS},
      {"100,160,5,51,12,Terminated,50,0.015625\n", V2017},
      {"a, b, c, d, e, f, g, h\n100,160,5,51,12,Terminated,50,0.015625\n", V2017},
      {"41,50,5,51,1010,Terminated,1,1,1.5,0.25,0.015625,0.0078125\n", V2017},
  };
  const hc_reader_type *const types[] = {V2017, V2018, INSTANCES, CONTAINERS};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(types); k++)
      assert_int_equal(types[k]->recognise("log", cases[i].head, strlen(cases[i].head)) > 90,
                       types[k] == cases[i].type);
  assert_int_equal(hc_reader_alibaba_v2018.recognise("batch_task.csv.gz", "?", 1), 30);
  assert_int_equal(hc_reader_alibaba_v2018.recognise("log", "", 0), 0);
}

static void test_line_keys(void **state)
{
  const char *text =
      "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n" JOB_2;
  reading r;
  void *layout;
  hc_error e = {0};
  hc_time submit;
  int64_t id;
  HC_UNUSED(state);
  begin_reading(&r, V2018, text, NULL, NULL, NULL);
  assert_int_equal(
      r.type->line_begin(hc_default_allocator(), r.chosen.options, text, strlen(text), &layout, &e), 0);
#define KEY(line) r.type->line_key(layout, line, strlen(line), &submit, &id)
  assert_int_equal(
      KEY("task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem"),
      HC_LINE_HEAD);
  assert_int_equal(KEY(""), HC_LINE_HEAD);
  assert_int_equal(KEY("# note"), HC_LINE_HEAD);
  assert_int_equal(KEY("R2_1,1,j_2,1,Terminated,87076,87086,50,0.5\r"), HC_LINE_ROW);
  assert_true(submit == 87076 * HC_SECOND && id == 2);
  assert_int_equal(KEY("R2_1,1,j_2,1,Terminated,later,87086,50,0.5"), HC_LINE_BROKEN);
  assert_int_equal(KEY("R2_1,1,j_2"), HC_LINE_BROKEN);
#undef KEY
  r.type->line_end(hc_default_allocator(), layout);
  text = "task_name,job_name\n";
  assert_int_equal(
      r.type->line_begin(hc_default_allocator(), r.chosen.options, text, strlen(text), &layout, &e),
      HC_EINPUT);
  end_reading(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_graphs),
      cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_tasks),
      cmocka_unit_test(test_task_options),
      cmocka_unit_test(test_task_header),
      cmocka_unit_test(test_task_rejects),
      cmocka_unit_test(test_task_defaults),
      cmocka_unit_test(test_job_labels),
      cmocka_unit_test(test_doubts),
      cmocka_unit_test(test_rows_apart),
      cmocka_unit_test(test_tasks_resume),
      cmocka_unit_test(test_instances),
      cmocka_unit_test(test_instance_rejects),
      cmocka_unit_test(test_fast_is_general),
      cmocka_unit_test(test_instances_resume),
      cmocka_unit_test(test_requested),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_quotes),
      cmocka_unit_test(test_short_rows),
      cmocka_unit_test(test_2017),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_recognise),
      cmocka_unit_test(test_line_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
