/* test_alibaba_gpu.c -- Alibaba's GPU traces of 2020, 2023, 2025 and 2026. All rows are made here. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_alibaba_v2020, hc_reader_alibaba_v2023, hc_reader_alibaba_v2025,
    hc_reader_alibaba_v2026;
#define V2020 &hc_reader_alibaba_v2020
#define V2023 &hc_reader_alibaba_v2023
#define V2025 &hc_reader_alibaba_v2025
#define V2026 &hc_reader_alibaba_v2026

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

/* "T4|V100" for a task that wants one of these. */
static void expect_models(const reading *r, size_t i, const char *want)
{
  const hc_task_extras *m = more_of(r, i);
  char got[128] = "";
  for (size_t k = 0; k < m->constraint_count; k++) {
    const hc_constraint *c = &m->constraints[k];
    assert_string_equal(hc_lexicon_text(r->lexicon, c->attribute), "gpu_model");
    assert_true(c->compare == HC_EQUAL && c->is_text == 1 && c->group == 0);
    if (k > 0) strcat(got, "|");
    strcat(got, hc_lexicon_text(r->lexicon, (uint32_t)c->value));
  }
  assert_string_equal(got, want);
}

/* ---- 2023 ---- */

#define PODS \
  "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time," \
  "scheduled_time\n"

static void test_pods(void **state)
{
  const char *text =
      PODS "openb-pod-0000,12000,16384,1,1000,,LS,Running,0,12537496,0\n"
           "openb-pod-0001,6000,12288,1,460,V100M16|V100M32,BE,Failed,427061,427161,427071\n"
           "openb-pod-0017,88000,327680,8,1000,G2,Burstable,Succeeded,9437497,10769854,9437497\n"
           "openb-pod-0018,32000,65536,0,0,,Guaranteed,Running,100,12902960,110\n"
           "openb-pod-0061,11908,0,1,1000,,BE,Pending,10001278,10001403,\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2023, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 5);
  const hc_task_spec *t = r.tasks;
  assert_true(t[0].id == 0 && t[0].line == 2 && t[0].submit == 0 && t[0].wait == 0 && t[0].job == -1);
  assert_int_equal(t[0].run, 12537496 * HC_SECOND);
  assert_int_equal(t[0].need[HC_DIM_CPU], 12000);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], 16384 * MIB);
  assert_int_equal(t[0].need[HC_DIM_GPU], 1000);
  assert_true(t[0].hosts == 1 && t[0].flags == 0 && t[0].more == 0 && t[0].status == HC_STATUS_UNKNOWN);
  assert_true(t[0].queue == 3 && t[0].priority == 2); /* latency-sensitive */
  assert_true(t[1].queue == 1 && t[1].priority == 0);
  assert_int_equal(t[1].wait, 10 * HC_SECOND);
  assert_int_equal(t[1].run, 90 * HC_SECOND);
  assert_int_equal(t[1].need[HC_DIM_GPU], 460);
  assert_int_equal(t[1].status, HC_STATUS_FAILED);
  expect_models(&r, 1, "V100M16|V100M32");
  assert_int_equal(t[2].need[HC_DIM_GPU], 8000); /* on one host */
  assert_int_equal(t[2].status, HC_STATUS_COMPLETED);
  expect_models(&r, 2, "G2");
  assert_true(t[3].need[HC_DIM_GPU] == HC_UNKNOWN &&
              t[3].flags == HC_SPEC_NO_END); /* until the trace's end */
  assert_int_equal(t[4].status, HC_STATUS_CANCELLED);
  assert_true(t[4].run == HC_UNKNOWN && t[4].wait == 125 * HC_SECOND && t[4].need[HC_DIM_MEMORY] == 0);
  assert_int_equal(r.ledger.rounded, 0);
  end_reading(&r);
  read_all(&r, V2023, text, "pending=run", "cpu_scale=500", NULL);
  assert_true(r.tasks[4].run == 125 * HC_SECOND && r.tasks[4].wait == HC_UNKNOWN);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 24000);
  end_reading(&r);
  expect_resumable(V2023, text, 2, NULL);
}

static void test_pods_without_times(void **state)
{
  const char *text = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nopenb-pod-0000,12000,16384,1,1000\n"
                     "broken,12000,many,1,1000\nopenb-pod-0009,6000,12288,1,460\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2023, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_true(r.tasks[0].submit == 0 && r.tasks[1].submit == HC_SECOND); /* a broken row is none */
  assert_true(r.tasks[0].run == HC_HOUR && r.tasks[1].id == 9 && r.tasks[1].queue == -1);
  assert_non_null(strstr(r.type->info(r.source)->derived, "no times"));
  end_reading(&r);
  read_all(&r, V2023, text, "interval=0", "run=90s", NULL);
  assert_true(r.tasks[1].submit == 0 && r.tasks[1].run == 90 * HC_SECOND);
  end_reading(&r);
  expect_resumable(V2023, text, 1, "interval=7");
  expect_error(V2023, "name,cpu_milli,memory_mib,num_gpu\nx,1,1,1\n", NULL, HC_EINPUT, 1,
               "no column has the title gpu_milli");
}

static void test_pod_rejects(void **state)
{
  char many[2048] = PODS "p,1,1,1,1000,A";
  HC_UNUSED(state);
  expect_rejected(V2023, PODS "p,1,1,1,1001,,LS,Running,1,2,1\n", NULL, HC_REASON_MALFORMED, 2,
                  "gpu_milli holds \"1001\", which is no number that it can be");
  expect_rejected(V2023, PODS "p,1,1,-1,0,,LS,Running,1,2,1\n", NULL, HC_REASON_MALFORMED, 2,
                  "num_gpu holds \"-1\"");
  expect_rejected(V2023, PODS "p,1,1,1,500,,LS,Running,5,9,4\n", NULL, HC_REASON_MALFORMED, 2,
                  "scheduled_time holds \"4\", which is before it was created");
  expect_rejected(V2023, PODS "p,1,1,1,500,,LS,Running,5,6,7\n", NULL, HC_REASON_MALFORMED, 2,
                  "deletion_time holds \"6\", which is before it could have run");
  expect_rejected(V2023, PODS "p,1,1,1,500,,LS,Running,,6,7\n", NULL, HC_REASON_NO_SUBMIT, 2, "no_submit");
  expect_rejected(V2023, PODS "p,,0,0,0,,LS,Running,1,6,1\n", NULL, HC_REASON_NO_DEMAND, 2, "no_demand");
  expect_rejected(V2023, PODS "p,5000000000000000,0,0,0,,LS,Running,1,6,1\n", NULL, HC_REASON_MALFORMED, 2,
                  "more than there can be");
  for (int i = 0; i < 64; i++) strcat(many, "|A");
  strcat(many, ",LS,Running,1,2,1\n");
  expect_rejected(V2023, many, NULL, HC_REASON_MALFORMED, 2, "more models than there can be");
}

/* ---- 2020 ---- */

#define TASK_ROWS \
  "j1,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.296875,50.0,MISC\n" \
  "j2,ps,2,Terminated,1000,1100,400,8,,CPU\nj2,worker,4.0,Terminated,1000,1090.5,800,16,200,V100\n" \
  "j3,worker,,Failed,5,6,,,25,T4\nj4,worker,1,Waiting,,,100,1,100,T4\nj5,worker,1,Running,7,,100,1,100,T4\n"

static void test_pai_tasks(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2020, TASK_ROWS, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  const hc_task_spec *t = r.tasks;
  assert_true(t[0].id == 1 && t[0].job >= INT64_C(1) << 62 && t[0].user == -1);
  assert_int_equal(t[0].submit, 1739162 * HC_SECOND);
  assert_int_equal(t[0].run, 38 * HC_SECOND);
  assert_int_equal(t[0].flags, HC_SPEC_AT_START);
  assert_true(t[0].hosts == 1 && t[0].count == 0 && t[0].executable == 1);
  assert_int_equal(t[0].need[HC_DIM_CPU], 6000);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], 30000 * MIB); /* 29.296875 GiB */
  assert_int_equal(t[0].need[HC_DIM_GPU], 500);            /* half of one */
  expect_models(&r, 0, "MISC");
  assert_true(t[1].hosts == 2 && t[1].need[HC_DIM_GPU] == HC_UNKNOWN &&
              t[1].more == 0); /* a gang without GPUs */
  assert_int_equal(t[1].job, t[2].job);
  assert_true(t[2].hosts == 4 && t[2].need[HC_DIM_GPU] == 2000 && t[2].executable == 3);
  assert_int_equal(t[2].run, 90500 * HC_MS);
  assert_int_equal(r.ledger.rejected[HC_REASON_FILTERED], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_STILL_RUNNING], 1);
  const hc_trace_info *info = r.type->info(r.source);
  assert_int_equal(info->unix_start, 0);
  assert_string_equal(info->zone, "+08:00");
  end_reading(&r);
  read_all(&r, V2020, TASK_ROWS, "gang=false", "gpu_type=ignore", "statuses=ended");
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[2].hosts == 1 && r.tasks[2].count == 4 && r.tasks[2].more == 0);
  assert_int_equal(r.tasks[3].status, HC_STATUS_FAILED);
  assert_true(r.tasks[3].need[HC_DIM_GPU] == 250 && r.tasks[3].need[HC_DIM_CPU] == HC_UNKNOWN);
  assert_true(r.tasks[3].count == 1); /* none said: one */
  end_reading(&r);
  expect_resumable(V2020, TASK_ROWS, 1, NULL);
}

static void test_pai_jobs(void **state)
{
  trace_file jobs = write_file("j2,i2,alice,Terminated,990,1100\nj1,i1,bob,Terminated,1739162.0,1739200.0\n"
                               "j9,i9,alice,Running,3,\n");
  char option[96];
  reading r;
  HC_UNUSED(state);
  snprintf(option, sizeof option, "jobs=%s", jobs.path);
  read_all(&r, V2020, TASK_ROWS "j8,worker,1,Terminated,5,6,100,1,,\n", option, NULL, NULL);
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[0].user == 2 && r.tasks[0].flags == 0 && r.tasks[0].wait == 0);
  assert_true(r.tasks[1].user == 1 && r.tasks[2].user == 1);
  assert_int_equal(r.tasks[1].submit, 990 * HC_SECOND);
  assert_int_equal(r.tasks[1].wait, 10 * HC_SECOND);
  assert_int_equal(r.tasks[3].flags, HC_SPEC_AT_START); /* a job that the table does not have */
  end_reading(&r);
  expect_resumable(V2020, TASK_ROWS, 1, option);
  unlink(jobs.path);
}

static void test_pai_instances(void **state)
{
  const char *text =
      "job_name,task_name,inst_name,worker_name,inst_id,status,start_time,end_time,machine\n"
      "j2,worker,n1,w1,i1,Terminated,1000,1090,m1\nj2,worker,n2,w2,i1,Terminated,1001,1090,m2\n"
      "j7,worker,n2,w2,i1,Terminated,1001,1090,m2\n";
  trace_file tasks = write_file(TASK_ROWS);
  char option[96];
  reading r;
  HC_UNUSED(state);
  snprintf(option, sizeof option, "tasks=%s", tasks.path);
  read_all(&r, V2020, text, option, NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_true(r.tasks[1].hosts == 1 && r.tasks[1].need[HC_DIM_CPU] == 8000 &&
              r.tasks[1].need[HC_DIM_GPU] == 2000);
  assert_int_equal(r.tasks[1].submit, 1001 * HC_SECOND);
  expect_models(&r, 1, "V100");
  assert_int_equal(r.ledger.rejected[HC_REASON_INCOMPLETE], 1);
  end_reading(&r);
  unlink(tasks.path);
  expect_error(V2020, text, NULL, HC_EUSAGE, 2, "set `tasks` to pai_task_table.csv");
}

/* ---- 2025 ---- */

#define DLRM \
  "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit," \
  "memory_request," \
  "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"

static void test_dlrm(void **state)
{
  const char *text =
      DLRM "instance_7185,HN,app_3,12,12,1,1,25,25,120.0,120.0,680.0,800.0,8,,,\n"
           "instance_13574,CN,app_130,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,1000.0,1010.0,2000.0\n"
           "instance_9,CN,app_130,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,1000.0,1010.0,\n"
           "instance_8,CN,app_130,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,1000.0,,\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2025, text, "trace_end=5000", NULL, NULL);
  assert_int_equal(r.count, 4);
  const hc_task_spec *t = r.tasks;
  const int rdma = hc_lexicon_dimension(r.lexicon, "rdma", 4);
  assert_true(t[0].id == 7185 && t[0].group == 3 && t[0].queue == 2 && t[0].submit == 0);
  assert_int_equal(t[0].run, 5000 * HC_SECOND);
  assert_int_equal(t[0].flags, HC_SPEC_AT_START | HC_SPEC_NO_END);
  assert_int_equal(t[0].need[HC_DIM_CPU], 12000);
  assert_int_equal(t[0].need[HC_DIM_MEMORY], 120 * GIB);
  assert_int_equal(t[0].need[HC_DIM_DISK], 680 * GIB);
  assert_int_equal(t[0].need[HC_DIM_GPU], 1000);
  assert_int_equal(t[0].need[rdma], 25);
  assert_true(more_of(&r, 0)->per_host == 8 && more_of(&r, 0)->rival == 3);
  assert_true(t[1].submit == 1000 * HC_SECOND && t[1].wait == 10 * HC_SECOND && t[1].run == 990 * HC_SECOND);
  assert_true(t[1].queue == 1 && t[1].more == 0 && t[1].flags == 0 && t[1].need[HC_DIM_GPU] == HC_UNKNOWN);
  assert_true(t[2].run == 3990 * HC_SECOND && t[2].flags == HC_SPEC_NO_END);
  assert_true(t[3].status == HC_STATUS_CANCELLED && t[3].run == HC_UNKNOWN && t[3].wait == 4000 * HC_SECOND);
  end_reading(&r);
  read_all(&r, V2025, text, "before=reject", "rdma=ignore", NULL);
  assert_int_equal(r.ledger.rejected[HC_REASON_ALREADY_RUNNING], 1);
  assert_true(r.tasks[0].need[HC_DIM_OTHER] == HC_UNKNOWN);
  end_reading(&r);
  expect_resumable(V2025, text, 1, NULL);
  expect_rejected(V2025, DLRM "i,CN,a,64,64,0,0,1,1,320,320,255,300,-2,1,2,3\n", NULL, HC_REASON_MALFORMED, 2,
                  "max_instance_per_node holds \"-2\"");
  expect_rejected(V2025, DLRM "i,CN,a,64,64,0,0,1,1,320,320,255,300,-1,9,2,3\n", NULL, HC_REASON_MALFORMED, 2,
                  "scheduled_time holds \"2\", which is before it was created");
}

/* ---- 2026 ---- */

static void test_spot(void **state)
{
  const char *text =
      "gpu_model,job_name,organization,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
      "A100-SXM4-80GB,437260,57,15,1,16,9589663,41060,Spot\nA10,239255,13,20,0.5,1,0,2764799,HP\n"
      ",7,13,20,0,1,0,9,HP\nA10,8,13,20,1,1,,9,HP\nA10,8,13,20,1,1,5,,HP\nA10,9,13,,,1,5,6,HP\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, V2026, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  const hc_task_spec *t = r.tasks;
  assert_true(t[0].id == 437260 && t[0].user == 57 && t[0].queue == 1 && t[0].priority == 0 &&
              t[0].hosts == 16);
  assert_true(t[0].submit == 9589663 * HC_SECOND && t[0].run == 41060 * HC_SECOND && t[0].count == 0);
  assert_true(t[0].need[HC_DIM_CPU] == 15000 && t[0].need[HC_DIM_GPU] == 1000);
  assert_true(t[0].need[HC_DIM_MEMORY] == HC_UNKNOWN);
  expect_models(&r, 0, "A100-SXM4-80GB");
  assert_true(t[1].queue == 2 && t[1].priority == 1 && t[1].need[HC_DIM_GPU] == 500);
  assert_true(t[2].more == 0 && t[2].need[HC_DIM_GPU] == HC_UNKNOWN);
  assert_int_equal(r.ledger.rejected[HC_REASON_NO_SUBMIT], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  assert_int_equal(r.ledger.rejected[HC_REASON_NO_DEMAND], 1);
  end_reading(&r);
  read_all(&r, V2026, text, "gang=false", "gpu_model=ignore", NULL);
  assert_true(r.tasks[0].hosts == 1 && r.tasks[0].count == 16 && r.tasks[0].more == 0);
  end_reading(&r);
  expect_resumable(V2026, text, 1, NULL);
}

/* ---- which is which ---- */

static void test_recognise(void **state)
{
  static const struct {
    const char *head;
    const hc_reader_type *type;
  } cases[] = {
      {PODS, V2023},
      {"name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", V2023},
      {DLRM, V2025},
      {"job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n",
       V2026},
      {TASK_ROWS, V2020},
      {"job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n", V2020},
      {"job_name,task_name,inst_name,worker_name,inst_id,status,start_time,end_time,machine\n", V2020},
  };
  const hc_reader_type *const types[] = {V2020, V2023, V2025, V2026};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(types); k++)
      assert_int_equal(types[k]->recognise("log", cases[i].head, strlen(cases[i].head)) > 90,
                       types[k] == cases[i].type);
}

static void test_line_keys(void **state)
{
  const char *text = "\xef\xbb\xbf" DLRM;
  reading r;
  void *layout;
  hc_error e = {0};
  hc_time submit;
  int64_t id;
  HC_UNUSED(state);
  begin_reading(&r, V2025, text, NULL, NULL, NULL);
  assert_int_equal(
      r.type->line_begin(hc_default_allocator(), r.chosen.options, text, strlen(text), &layout, &e), 0);
#define KEY(line, n) r.type->line_key(layout, line, n, &submit, &id)
  assert_int_equal(KEY(text, strlen(text) - 1), HC_LINE_HEAD);
  const char *row = "instance_7,CN,a,64,64,0,0,1,1,320,320,255,300,-1,1000.5,2,3";
  assert_int_equal(KEY(row, strlen(row)), HC_LINE_ROW);
  assert_true(submit == 1000500 * HC_MS && id == 7);
  row = "instance_8,CN,a,64,64,0,0,1,1,320,320,255,300,-1,,2,3";
  assert_int_equal(KEY(row, strlen(row)), HC_LINE_ROW); /* it was there before */
  assert_true(submit == 0 && id == 8);
#undef KEY
  r.type->line_end(hc_default_allocator(), layout);
  end_reading(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pods),        cmocka_unit_test(test_pods_without_times),
      cmocka_unit_test(test_pod_rejects), cmocka_unit_test(test_pai_tasks),
      cmocka_unit_test(test_pai_jobs),    cmocka_unit_test(test_pai_instances),
      cmocka_unit_test(test_dlrm),        cmocka_unit_test(test_spot),
      cmocka_unit_test(test_recognise),   cmocka_unit_test(test_line_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
