/* test_alibaba_writers.c -- the tables of Alibaba's traces as they are written: each field of a row by hand,
 * what is lost, and what the reader of the same name makes of it. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "workload/alibaba_rows.h"
#include "writer_test.h"

#define PAIR(x) \
  extern const hc_writer_type hc_writer_##x; \
  extern const hc_reader_type hc_reader_##x
PAIR(alibaba_v2017);
PAIR(alibaba_v2018_containers);
PAIR(alibaba_v2020);
PAIR(alibaba_v2025);
PAIR(alibaba_v2026);

#define FACT(name) HC_FACT_BIT(name)
#define GIB (INT64_C(1) << 30)

/* Number 3 of job 9: 1.5 cores and 3 GiB on each of two hosts, submitted at 100, waited 10, ran 50
 * seconds. */
static hc_task_spec gang(void)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = 3;
  t.job = 9;
  t.submit = 100 * HC_SECOND;
  t.wait = 10 * HC_SECOND;
  t.run = 50 * HC_SECOND;
  t.hosts = 2;
  t.need[HC_DIM_CPU] = 1500;
  t.need[HC_DIM_MEMORY] = 3 * GIB;
  t.status = HC_STATUS_COMPLETED;
  return t;
}

/* One core on one host, and nothing else but a number. */
static hc_task_spec single(int64_t id, hc_time submit, hc_time run)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = id;
  t.submit = submit;
  t.run = run;
  t.hosts = 1;
  t.need[HC_DIM_CPU] = 1000;
  return t;
}

/* Alternatives for an attribute, as rare facts. */
static uint32_t wants(writing *d, const char *attribute, const char *a, const char *b)
{
  hc_constraint c[2];
  hc_task_extras m = hc_task_extras_none();
  for (int i = 0; i < 2; i++) {
    const char *text = i == 0 ? a : b;
    if (!text) break;
    c[i] = (hc_constraint){.attribute = hc_lexicon_name(d->lexicon, attribute, strlen(attribute)),
                           .compare = HC_EQUAL,
                           .is_text = 1,
                           .value = hc_lexicon_name(d->lexicon, text, strlen(text))};
    m.constraint_count++;
  }
  m.constraints = c;
  const uint32_t more = hc_lexicon_keep(d->lexicon, &m);
  assert_true(more != 0);
  return more;
}

/* ---- amounts ---- */

/* The shortest decimal that a reader, who rounds up, takes for an amount: brute force over all decimals of
 * fewer digits shows that there is no shorter one. */
static void test_amounts(void **state)
{
  static const struct {
    int64_t amount;
    uint64_t num, den;
    const char *text;
  } cases[] = {
      {-1, 1000, 100, ""},
      {0, 1000, 100, "0"},
      {1500, 1000, 100, "150"}, /* thousandths of a core, 100 for a core */
      {333, 1000, 100, "33.3"}, /* of a GPU */
      {INT64_C(30000) << 20, 1 << 30, 1, "29.296875"},
      {3 * GIB, 1 << 30, 1, "3"},
      {2199023256, (uint64_t)1 << 39, 1, "0.004"}, /* ceil(0.004 x 2^39): the published value comes back */
      {1, (uint64_t)1 << 39, 1, "0.000000000001"}, /* 10^-12 x 2^39 = 0.55 */
      {(int64_t)1 << 39, (uint64_t)1 << 39, 1, "1"},
      {8374980069, (uint64_t)1 << 39, 100, "1.5234"}, /* ceil(1.5234 x 2^39 / 100) */
  };
  char text[64];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    uint64_t lost = 0;
    *hc_put_decimal(text, cases[i].amount, cases[i].num, cases[i].den, &lost) = '\0';
    assert_string_equal(text, cases[i].text);
    assert_int_equal(lost, 0);
  }
  for (int64_t amount = 1; amount < 5000;
       amount += 7) { /* in units of 768, as 100ths: a unit that is no power */
    uint64_t lost = 0;
    const char *point;
    int64_t scale = 100, digits = 0;
    *hc_put_decimal(text, amount, 768, 100, &lost) = '\0';
    point = strchr(text, '.');
    for (const char *p = text; *p; p++) digits = *p == '.' ? digits : digits * 10 + (*p - '0');
    for (size_t k = point ? strlen(point + 1) : 0; k > 0; k--) scale *= 10;
    assert_int_equal((digits * 768 + scale - 1) / scale, amount);
    if (!point) continue;
    for (int64_t x = digits / 10 - 1; x <= digits / 10 + 1; x++) /* one digit less */
      assert_int_not_equal((x * 768 + scale / 10 - 1) / (scale / 10), amount);
  }
  uint64_t lost = 0;
  *hc_put_decimal(text, INT64_MAX, 1, 1, &lost) = '\0';
  assert_string_equal(text, "4503599627370496"); /* 2^52: more is no row to any reader */
  assert_int_equal(lost, FACT(PRECISION));
  lost = 0;
  *hc_put_decimal(text, 1, (uint64_t)1 << 50, 100, &lost) = '\0'; /* 10^-13 x 2^50 / 100 = 1.1: fourteen */
  assert_string_equal(text, "0.00000000000008");
  assert_int_equal(lost, 0);
}

/* ---- 2017 ---- */

static void test_2017(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2017, "memory_scale=512GiB");
  hc_task_spec t = gang();
  t.count = 4;
  assert_int_equal(put(&d, &t),
                   0); /* from its submission for as long as it ran: 3 GiB of 512 are 0.005859375 */
  assert_int_equal(d.lost, FACT(WAIT) | FACT(HOSTS));
  t = single(7, 100500 * HC_MS, 20 * HC_SECOND);
  t.status = HC_STATUS_CANCELLED;
  t.need[HC_DIM_MEMORY] = 513 * GIB; /* more than the largest machine has */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(FRACTION) | FACT(MEMORY));
  t = single(8, 101 * HC_SECOND, 20 * HC_SECOND);
  t.flags = HC_SPEC_NO_END | HC_SPEC_AT_START;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(RUN) | FACT(AT_START));
  t.flags = 0;
  t.run = HC_UNKNOWN;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.submit = 0; /* time 0 is before the trace, and the first task has said that nothing is added */
  assert_int_equal(put(&d, &t), 1);
  end(&d);
  assert_string_equal(d.text.data, "100,150,9,3,8,Terminated,150,0.005859375\n"
                                   "101,121,7,7,1,Cancelled,100,\n"
                                   "101,0,8,8,1,Running,100,\n"
                                   "101,0,8,8,1,Waiting,100,\n");
  read_all(&r, &hc_reader_alibaba_v2017, d.text.data, "statuses=ended", NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_true(r.tasks[0].id == 3 && r.tasks[0].job == 9 && r.tasks[0].count == 8);
  assert_true(r.tasks[0].submit == 100 * HC_SECOND && r.tasks[0].run == 50 * HC_SECOND);
  assert_true(r.tasks[0].need[HC_DIM_CPU] == 1500 && r.tasks[0].need[HC_DIM_MEMORY] == 3 * GIB);
  assert_int_equal(r.tasks[1].status, HC_STATUS_CANCELLED);
  assert_int_equal(r.ledger.rejected[HC_REASON_STILL_RUNNING], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_reading(&r);
  drop_writing(&d);
}

static void test_2017_instances(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2017, "table=instance");
  hc_task_spec t = gang();
  t.submit = 0; /* the first task begins at 0, which would say that it is unknown: a second is added to all */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(SUBMIT) | FACT(WAIT) | FACT(HOSTS));
  t = single(4, HC_SECOND, 0);
  t.flags = HC_SPEC_AT_START;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.count = HC_ROWS_PER_TASK + 1;
  assert_int_equal(put(&d, &t), HC_ELIMIT);
  end(&d);
  assert_string_equal(d.text.data, "11,61,9,3,,Terminated,1,1,1.5,1.5,0.005859375,0.005859375\n"
                                   "11,61,9,3,,Terminated,1,1,1.5,1.5,0.005859375,0.005859375\n"
                                   "2,2,4,4,,Terminated,1,1,1,1,,\n");
  read_all(&r, &hc_reader_alibaba_v2017, d.text.data, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  assert_true(r.tasks[1].hosts == 1 && r.tasks[1].need[HC_DIM_CPU] == 1500 &&
              r.tasks[1].need[HC_DIM_MEMORY] == 3 * GIB && r.tasks[1].flags == HC_SPEC_AT_START);
  assert_true(r.tasks[2].id == 4 && r.tasks[2].job == 4 && r.tasks[2].run == 0);
  end_reading(&r);
  drop_writing(&d);
}

/* ---- containers ---- */

static void test_containers(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2018_containers, "memory_scale=300GiB");
  hc_task_spec t = single(17, 0, 60 * HC_SECOND);
  t.group = 5;
  t.need[HC_DIM_MEMORY] = 3 * GIB;
  t.status = HC_STATUS_COMPLETED;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.count = 2; /* a container needs a name that no other has */
  t.status = HC_STATUS_FAILED;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(ID) | FACT(STATUS));
  t = single(18, 10 * HC_SECOND, 8 * 24 * HC_HOUR - 10 * HC_SECOND);
  t.flags = HC_SPEC_NO_END | HC_SPEC_AT_START; /* seen until the end of the trace, as its reader takes it */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.run--;
  t.id = 19;
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & FACT(RUN));
  t = single(20, 20 * HC_SECOND, HC_MS); /* ends when it begins: no row says so */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(FRACTION) | FACT(RUN));
  t.run = HC_UNKNOWN;
  assert_int_equal(put(&d, &t), 1);
  end(&d);
  assert_string_equal(d.text.data, "c_17,,0,app_5,started,100,100,1\nc_17,,60,app_5,stopped,100,100,1\n"
                                   "c_17_0,,0,app_5,started,100,100,1\nc_17_0,,60,app_5,stopped,100,100,1\n"
                                   "c_17_1,,0,app_5,started,100,100,1\nc_17_1,,60,app_5,stopped,100,100,1\n"
                                   "c_18,,10,,started,100,100,\nc_19,,10,,started,100,100,\n"
                                   "c_20,,20,,started,100,100,\n");
  assert_true(hc_reader_alibaba_v2018_containers.recognise("x", d.text.data, d.text.size - 1) > 90);
  read_all(&r, &hc_reader_alibaba_v2018_containers, d.text.data, "memory_scale=300GiB", NULL, NULL);
  assert_int_equal(r.count, 6);
  assert_true(r.tasks[0].id == 17 && r.tasks[0].group == 5 && r.tasks[0].need[HC_DIM_MEMORY] == 3 * GIB);
  assert_true(r.tasks[1].run == 60 * HC_SECOND && r.tasks[2].run == 60 * HC_SECOND);
  assert_true(r.tasks[3].run == 8 * 24 * HC_HOUR - 10 * HC_SECOND);
  assert_int_equal(r.ledger.merged, 3);
  end_reading(&r);
  drop_writing(&d);
}

/* ---- 2020 ---- */

/* What the three tables say of: a gang with a role, half a GPU of a type, a second task of its job, and one
 * of no job. */
static void write_2020(writing *d, const char *table)
{
  begin(d, &hc_writer_alibaba_v2020, table);
  assert_int_equal(hc_lexicon_call(d->lexicon, HC_CALLED_USER, 6, "alice", 5), 0);
  hc_task_spec t = gang();
  t.executable = 4;
  t.user = 6;
  t.id = 1; /* of its row */
  assert_int_equal(put(d, &t), 0);
  t = single(5, 100 * HC_SECOND, 90500 * HC_MS);
  t.job = 9;
  t.user = 6;
  t.need[HC_DIM_GPU] = 500;
  t.more = wants(d, "gpu_model", "T4", NULL);
  assert_int_equal(put(d, &t), 0);
  hc_lexicon_drop(d->lexicon, t.more);
  t = single(21, 101 * HC_SECOND, HC_SECOND);
  t.status = HC_STATUS_FAILED;
  t.user = 8;
  assert_int_equal(put(d, &t), 0);
}

static void test_2020(void **state)
{
  writing d, jobs, instances;
  reading r;
  char a[96], b[96];
  HC_UNUSED(state);
  write_2020(&d, "table=task");
  end(&d);
  assert_string_equal(d.text.data, "9,role_4,2.0,Terminated,110.0,160.0,150.0,3.0,,CPU\n"
                                   "9,task_5,1.0,Terminated,100.0,190.5,100.0,,50.0,T4\n"
                                   "21,task_21,1.0,Failed,101.0,102.0,100.0,,,CPU\n");
  write_2020(&jobs, "table=job");
  end(&jobs);
  assert_string_equal(jobs.text.data, "9,9,alice,Terminated,100.0,190.5\n21,21,8,Failed,101.0,102.0\n");
  write_2020(&instances, "table=instance");
  end(&instances);
  assert_string_equal(instances.text.data, "9,role_4,inst_7_0,worker_7_0,9,Terminated,110.0,160.0,\n"
                                           "9,role_4,inst_7_1,worker_7_1,9,Terminated,110.0,160.0,\n"
                                           "9,task_5,inst_7_0,worker_7_0,9,Terminated,100.0,190.5,\n"
                                           "21,task_21,inst_7_0,worker_7_0,21,Failed,101.0,102.0,\n");
  assert_true(hc_reader_alibaba_v2020.recognise("x", instances.text.data, instances.text.size - 1) > 90);
  const trace_file job_file = write_file(jobs.text.data), task_file = write_file(d.text.data);
  snprintf(a, sizeof a, "jobs=%s", job_file.path);
  snprintf(b, sizeof b, "tasks=%s", task_file.path);
  read_all(&r, &hc_reader_alibaba_v2020, d.text.data, a, "statuses=ended", NULL);
  assert_int_equal(r.count, 3);
  assert_true(r.tasks[0].id == 1 && r.tasks[0].job == 9 && r.tasks[0].hosts == 2 &&
              r.tasks[0].executable == 1);
  assert_true(r.tasks[0].submit == 100 * HC_SECOND && r.tasks[0].wait == 10 * HC_SECOND &&
              r.tasks[0].run == 50 * HC_SECOND && r.tasks[0].flags == 0);
  assert_true(r.tasks[0].need[HC_DIM_CPU] == 1500 && r.tasks[0].need[HC_DIM_MEMORY] == 3 * GIB);
  assert_true(r.tasks[1].id == 5 && r.tasks[1].executable == -1 && r.tasks[1].run == 90500 * HC_MS);
  assert_true(r.tasks[1].need[HC_DIM_GPU] == 500 && more_of(&r, 1)->constraint_count == 1);
  assert_true(r.tasks[0].user == r.tasks[1].user && r.tasks[2].user != r.tasks[1].user);
  assert_int_equal(r.tasks[2].status, HC_STATUS_FAILED);
  end_reading(&r);
  read_all(&r, &hc_reader_alibaba_v2020, instances.text.data, a, b, "statuses=ended");
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[1].hosts == 1 && r.tasks[1].need[HC_DIM_MEMORY] == 3 * GIB);
  assert_true(r.tasks[2].id == 5 && r.tasks[2].need[HC_DIM_GPU] == 500);
  end_reading(&r);
  unlink(job_file.path);
  unlink(task_file.path);
  drop_writing(&d);
  drop_writing(&jobs);
  drop_writing(&instances);
}

static void test_2020_losses(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2020, NULL);
  hc_task_spec t = gang();
  t.executable = 4;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(ID) | FACT(SUBMIT) | FACT(WAIT)); /* 3 is not the row's number */
  t = single(9, 0, HC_SECOND);
  t.need[HC_DIM_GPU] = 1000;
  t.more = wants(&d, "gpu_model", "T4", "P100"); /* the column names one */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(CONSTRAINTS));
  hc_lexicon_drop(d.lexicon, t.more);
  t.more = 0;
  t.run = HC_UNKNOWN;
  t.status = HC_STATUS_CANCELLED;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(STATUS));
  t.submit = HC_UNKNOWN;
  assert_int_equal(put(&d, &t), 1);
  finish(&d, "9,role_4,2.0,Terminated,110.0,160.0,150.0,3.0,,CPU\n"
             "9,task_9,1.0,Terminated,0.0,1.0,100.0,,100.0,\n"
             "9,task_9,1.0,Waiting,,,100.0,,100.0,\n");
  begin(&d, &hc_writer_alibaba_v2020, "table=instance");
  t = single(9, 0, HC_SECOND);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.need[HC_DIM_CPU] = 2000; /* the same job and name: what it needs would be read from the other's row */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(CPU));
  finish(&d, NULL);
  begin(&d, &hc_writer_alibaba_v2020, "table=job");
  t = gang();
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(ID) | FACT(WAIT) | FACT(RUN) | FACT(HOSTS) | FACT(CPU) | FACT(MEMORY));
  t.job = 10;
  assert_int_equal(put(&d, &t), 0);
  t.job = 9; /* it has its row */
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & FACT(SUBMIT));
  finish(&d, "9,9,,Terminated,100.0,160.0\n10,10,,Terminated,100.0,160.0\n");
}

/* ---- 2025 ---- */

#define DLRM \
  "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit," \
  "memory_request," \
  "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"

static void test_2025(void **state)
{
  writing d;
  reading r;
  hc_task_extras m = hc_task_extras_none();
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2025, "trace_end=5000");
  const int other = hc_lexicon_dimension(d.lexicon, "licences", 8),
            rdma = hc_lexicon_dimension(d.lexicon, "rdma", 4);
  hc_task_spec t = single(7185, 0, 5000 * HC_SECOND); /* a row of the published form */
  t.group = m.rival = 3;
  m.per_host = 8;
  t.queue = 2;
  t.flags = HC_SPEC_AT_START | HC_SPEC_NO_END;
  t.need[HC_DIM_CPU] = 12000;
  t.need[HC_DIM_GPU] = 1000;
  t.need[HC_DIM_MEMORY] = 120 * GIB;
  t.need[HC_DIM_DISK] = 680 * GIB;
  t.need[rdma] = 25;
  t.more = hc_lexicon_keep(d.lexicon, &m);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.group = 4; /* of another group than the bound counts */
  t.queue = 3;
  t.run--;
  t.need[other] = 1;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(RIVALS) | FACT(QUEUE) | FACT(RUN) | FACT(OTHER));
  hc_lexicon_drop(d.lexicon, t.more);
  t = gang();
  t.job = -1;
  t.queue = 1;
  t.status = HC_STATUS_UNKNOWN;
  t.wait = 10500 * HC_MS;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(HOSTS));
  t = single(8, 100 * HC_SECOND, HC_UNKNOWN); /* left the queue after 20 s */
  t.wait = 20 * HC_SECOND;
  t.cancel_at = 120 * HC_SECOND;
  t.status = HC_STATUS_CANCELLED;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t = single(9, 30 * HC_SECOND, HC_SECOND); /* known from its start on */
  t.flags = HC_SPEC_AT_START;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.submit = -HC_SECOND;
  assert_int_equal(put(&d, &t), 1);
  end(&d);
  assert_string_equal(d.text.data,
                      DLRM "instance_7185,HN,app_3,12,12,1,1,25,25,120.0,120.0,680.0,680.0,8,,,\n"
                           "instance_7185,,app_4,12,12,1,1,25,25,120.0,120.0,680.0,680.0,-1,,,\n"
                           "instance_3,CN,,1.5,1.5,0,0,0,0,3.0,3.0,,,-1,100.0,110.5,160.5\n"
                           "instance_3,CN,,1.5,1.5,0,0,0,0,3.0,3.0,,,-1,100.0,110.5,160.5\n"
                           "instance_8,,,1,1,0,0,0,0,,,,,-1,100.0,,120.0\n"
                           "instance_9,,,1,1,0,0,0,0,,,,,-1,,30.0,31.0\n");
  read_all(&r, &hc_reader_alibaba_v2025, d.text.data, "trace_end=5000", NULL, NULL);
  assert_int_equal(r.count, 6);
  const hc_task_spec *x = r.tasks;
  const int back = hc_lexicon_dimension(r.lexicon, "rdma", 4);
  assert_true(x[0].id == 7185 && x[0].group == 3 && x[0].queue == 2 && x[0].submit == 0);
  assert_true(x[0].run == 5000 * HC_SECOND && x[0].flags == (HC_SPEC_AT_START | HC_SPEC_NO_END));
  assert_true(x[0].need[HC_DIM_CPU] == 12000 && x[0].need[HC_DIM_GPU] == 1000 && x[0].need[back] == 25);
  assert_true(x[0].need[HC_DIM_MEMORY] == 120 * GIB && x[0].need[HC_DIM_DISK] == 680 * GIB);
  assert_true(more_of(&r, 0)->per_host == 8 && more_of(&r, 0)->rival == 3);
  assert_true(x[2].submit == 100 * HC_SECOND && x[2].wait == 10500 * HC_MS && x[2].run == 50 * HC_SECOND);
  assert_true(x[4].run == HC_UNKNOWN && x[4].wait == 20 * HC_SECOND && x[4].status == HC_STATUS_CANCELLED);
  assert_true(x[5].submit == 30 * HC_SECOND && x[5].flags == HC_SPEC_AT_START && x[5].run == HC_SECOND);
  end_reading(&r);
  drop_writing(&d);
}

/* ---- 2026 ---- */

static void test_2026(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2026, NULL);
  hc_task_spec t = gang();
  t.user = 57;
  t.queue = 1;
  t.need[HC_DIM_GPU] = 500;
  t.more = wants(&d, "gpu_model", "A10", "T4");
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(WAIT) | FACT(JOB) | FACT(MEMORY) | FACT(STATUS));
  t.need[HC_DIM_GPU] = HC_UNKNOWN; /* without GPUs, its reader does not look at their model */
  t.queue = 2;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost,
                   FACT(WAIT) | FACT(JOB) | FACT(MEMORY) | FACT(STATUS) | FACT(CONSTRAINTS) | FACT(PRIORITY));
  hc_lexicon_drop(d.lexicon, t.more);
  t = single(4, 1500 * HC_MS, 7 * HC_SECOND);
  t.queue = 2;
  t.priority = 1;
  t.count = 2;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.need[HC_DIM_GPU] = 8000;
  t.more = wants(&d, "kind", "A10", NULL); /* of another attribute */
  t.run = HC_UNKNOWN;
  t.count = 0;
  t.queue = 7;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, FACT(CONSTRAINTS) | FACT(QUEUE) | FACT(PRIORITY));
  hc_lexicon_drop(d.lexicon, t.more);
  end(&d);
  assert_string_equal(
      d.text.data,
      "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
      "3,57,A10|T4,1.5,0.5,2,100,50,Spot\n"
      "3,57,,1.5,0,2,100,50,HP\n"
      "4,,,1,0,1,1.5,7,HP\n"
      "4,,,1,0,1,1.5,7,HP\n"
      "4,,,1,8,1,1.5,,\n");
  read_all(&r, &hc_reader_alibaba_v2026, d.text.data, NULL, NULL, NULL);
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[0].id == 3 && r.tasks[0].user == 57 && r.tasks[0].queue == 1 && r.tasks[0].hosts == 2);
  assert_true(r.tasks[0].need[HC_DIM_GPU] == 500 && more_of(&r, 0)->constraint_count == 2);
  assert_true(r.tasks[2].submit == 1500 * HC_MS && r.tasks[2].run == 7 * HC_SECOND &&
              r.tasks[2].priority == 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_reading(&r);
  drop_writing(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_amounts),    cmocka_unit_test(test_2017), cmocka_unit_test(test_2017_instances),
      cmocka_unit_test(test_containers), cmocka_unit_test(test_2020), cmocka_unit_test(test_2020_losses),
      cmocka_unit_test(test_2025),       cmocka_unit_test(test_2026),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
