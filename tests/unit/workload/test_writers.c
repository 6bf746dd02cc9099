/* test_writers.c -- each format's text for tasks whose numbers say what should stand where, and what was
 * lost. */
#define _GNU_SOURCE
#include "workload/spec.h"
#include "writer_test.h"

#define WRITER(x) extern const hc_writer_type hc_writer_##x
WRITER(swf);
WRITER(csv);
WRITER(gwf);
WRITER(batsim);
WRITER(native);
WRITER(alibaba_v2018);
WRITER(alibaba_v2018_instances);
WRITER(google2011);
WRITER(helios);

/* A task of a batch log: 4 processors with 2 MiB each, submitted at 10, waited 5, ran 20.5 of 60 seconds. */
static hc_task_spec batch_task(void)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = 3;
  t.submit = 10 * HC_SECOND;
  t.wait = 5 * HC_SECOND;
  t.run = 20500 * HC_MS;
  t.limit = HC_MINUTE;
  t.procs_asked = 4;
  t.memory_asked = 2 << 20;
  t.status = HC_STATUS_COMPLETED;
  t.user = 17;
  t.group = 2;
  return t;
}

/* A task of a data centre: half a core and 1 GiB on each of two hosts, third of job 9, after its first and
 * second. */
static hc_task_spec vector_task(writing *d)
{
  const hc_after after[] = {{.job = 9, .task = 1}, {.job = 9, .task = 2}};
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  m.after = after;
  m.after_count = 2;
  t.id = 3;
  t.job = 9;
  t.submit = t.run = 100 * HC_SECOND;
  t.hosts = 2;
  t.need[HC_DIM_CPU] = 500;
  t.need[HC_DIM_MEMORY] = 1 << 30;
  t.more = hc_lexicon_keep(d->lexicon, &m);
  assert_true(t.more != 0);
  return t;
}

static void test_facts(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_swf, NULL);
  const hc_task_spec none = hc_task_spec_none(), batch = batch_task(), vector = vector_task(&d);
  hc_task_spec t = none;
  assert_int_equal(hc_task_facts(&t, d.lexicon), HC_FACT_BIT(ID)); /* 0 is a number too */
  t.id = -1;
  assert_int_equal(hc_task_facts(&t, d.lexicon), 0);
  assert_int_equal(hc_task_facts(&batch, d.lexicon),
                   HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
                       HC_FACT_BIT(LIMIT) | HC_FACT_BIT(PROCS_ASKED) | HC_FACT_BIT(MEMORY_ASKED) |
                       HC_FACT_BIT(STATUS) | HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP));
  assert_int_equal(hc_task_facts(&vector, d.lexicon),
                   HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) |
                       HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(AFTER));
  t.hosts = 1; /* one host is what every task has */
  t.count = 1;
  t.flags = HC_SPEC_NO_END;
  assert_int_equal(hc_task_facts(&t, d.lexicon), HC_FACT_BIT(NO_END));
  assert_string_equal(hc_fact_name(HC_FACT_MEMORY), "memory");
  assert_string_equal(hc_fact_text(HC_FACT_MEMORY), "a memory demand");
  assert_string_equal(hc_fact_name(HC_FACT_COUNT), "?");
  hc_lexicon_drop(d.lexicon, vector.more);
  finish(&d, NULL);
}

static void test_numbers(void **state)
{
  static const struct {
    int64_t n, unit;
    const char *text;
  } parts[] = {{0, 1000, "0"},
               {1500, 1000, "1.5"},
               {-2, 1000, "-0.002"},
               {1536, 1024, "1.5"},
               {7, HC_SECOND, "0.000000007"},
               {120 * HC_SECOND, HC_SECOND, "120"},
               {1001, 100, "10.01"},
               {INT64_MAX, HC_SECOND, "9223372036.854775807"},
               {INT64_MIN, 10, "-922337203685477580.8"}};
  char text[64];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++) {
    *hc_put_parts(text, parts[i].n, parts[i].unit) = '\0';
    assert_string_equal(text, parts[i].text);
  }
  for (int shift = 0; shift < 64; shift++) { /* around each power of two, and of ten */
    for (uint64_t x = (UINT64_C(1) << shift) - 1; x <= (UINT64_C(1) << shift) + 1; x++) {
      char expect[24];
      snprintf(expect, sizeof expect, "%llu", (unsigned long long)x);
      *hc_put_uint(text, x) = '\0';
      assert_string_equal(text, expect);
    }
  }
  for (uint64_t x = 1, i = 0; i < 19; i++, x *= 10) {
    char expect[24];
    snprintf(expect, sizeof expect, "%llu", (unsigned long long)(x - 1));
    *hc_put_uint(text, x - 1) = '\0';
    assert_string_equal(text, expect);
  }
  *hc_put_uint(text, UINT64_MAX) = '\0';
  assert_string_equal(text, "18446744073709551615");
  *hc_put_date(text, INT64_C(951782400), ' ') = '\0'; /* 2000 was a leap year */
  assert_string_equal(text, "2000-02-29 00:00:00");
}

static void test_swf(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_swf, NULL);
  hc_task_spec t = batch_task();
  t.priority = 5;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(PRIORITY));
  t = vector_task(&d); /* two hosts of a core each, rounded up; a GiB for each */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost,
                   HC_FACT_BIT(JOB) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(AFTER) | HC_FACT_BIT(PRECISION));
  hc_lexicon_drop(d.lexicon, t.more);
  t = hc_task_spec_none();
  t.id = 4;
  t.count = 2;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.count = HC_ROWS_PER_TASK + 1;
  assert_int_equal(put(&d, &t), HC_ELIMIT);
  assert_string_equal(
      d.error.text,
      "task 4 would be 10000001 rows of swf, and at most 10000000 are written for one task: a format "
      "with bundles (csv, cache) holds it");
  finish(&d, "; Version: 2.2\n"
             "3 10 5 20.5 -1 -1 -1 4 60 2048 1 17 2 -1 -1 -1 -1 -1\n"
             "3 100 -1 100 -1 -1 -1 2 -1 1048576 -1 -1 -1 -1 -1 -1 -1 -1\n"
             "4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
             "4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
}

static void test_csv(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_csv, NULL);
  assert_int_equal(hc_lexicon_dimension(d.lexicon, "licences", 8), HC_DIM_OTHER);
  const uint32_t model = hc_lexicon_name(d.lexicon, "gpu_model", 9),
                 ssd = hc_lexicon_name(d.lexicon, "ssd", 3), v100 = hc_lexicon_name(d.lexicon, "V100", 4);
  const hc_constraint constraints[] = {{.attribute = model, .compare = HC_EQUAL, .is_text = 1, .value = v100},
                                       {.attribute = ssd, .compare = HC_PRESENT},
                                       {.attribute = model, .compare = HC_AT_LEAST, .group = 1, .value = 7}};
  const hc_after other = {.job = 8, .task = 1};
  hc_task_spec t = vector_task(&d);
  hc_task_extras m = *hc_lexicon_more(d.lexicon, t.more);
  t.need[HC_DIM_OTHER] = 3;
  m.constraints = constraints;
  m.constraint_count = 3;
  const uint32_t more = hc_lexicon_keep(d.lexicon, &m);
  hc_lexicon_drop(d.lexicon, t.more);
  t.more = more;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  m.after = &other; /* of another job: the column has no place for it */
  m.after_count = 1;
  m.constraint_count = 0;
  t.more = hc_lexicon_keep(d.lexicon, &m);
  t.count = 5;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(AFTER));
  hc_lexicon_drop(d.lexicon, more);
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, "id,submit,wait,run,limit,procs,procs_used,memory_asked,memory_used,user,group,executable,queue,"
             "partition,"
             "status,priority,job,count,hosts,cpu,memory,disk,gpu,licences,not_before,after,constraints,"
             "label,job_label\n"
             "3,100,,100,,,,,,,,,,,,0,9,,2,0.5,1073741824,,,3,,1 2,ssd|gpu_model=V100 & gpu_model>=7,,\n"
             "3,100,,100,,,,,,,,,,,,0,9,5,2,0.5,1073741824,,,3,,,,,\n");
}

/* Each under its title, whichever of the last columns there are. */
static void test_csv_labels(void **state)
{
  writing d;
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  HC_UNUSED(state);
  begin(&d, &hc_writer_csv, NULL);
  const uint32_t host = hc_lexicon_name(d.lexicon, "h1", 2);
  m.prefers = &host, m.prefer_count = 1;
  t.id = 3, t.job = 9, t.submit = 0, t.run = HC_SECOND, t.hosts = 1;
  t.more = hc_lexicon_keep(d.lexicon, &m);
  assert_int_equal(hc_lexicon_label(d.lexicon, "a,3", 3, &t.label), 0);
  assert_int_equal(hc_lexicon_label(d.lexicon, "j_9", 3, &t.job_label), 0);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  hc_spec_drop(d.lexicon, &t);
  finish(&d, "id,submit,wait,run,limit,procs,procs_used,memory_asked,memory_used,user,group,executable,queue,"
             "partition,status,priority,job,count,hosts,cpu,memory,disk,gpu,not_before,after,constraints,"
             "label,job_label,prefers\n"
             "3,0,,1,,,,,,,,,,,,0,9,,1,,,,,,,,\"a,3\",j_9,h1\n");
}

static void test_csv_of_batch_logs(void **state)
{
  writing d;
  hc_task_spec t = batch_task();
  HC_UNUSED(state);
  begin(&d, &hc_writer_csv, NULL);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.job = 4; /* too late: the columns are there */
  t.cpu_time = HC_SECOND;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(JOB) | HC_FACT_BIT(CPU_TIME));
  finish(&d, "id,submit,wait,run,limit,procs,procs_used,memory_asked,memory_used,user,group,executable,queue,"
             "partition,"
             "status,priority\n"
             "3,10,5,20.5,60,4,,2097152,,17,2,,,,COMPLETED,0\n"
             "3,10,5,20.5,60,4,,2097152,,17,2,,,,COMPLETED,0\n");
}

static void test_gwf(void **state)
{
  writing d;
  hc_task_spec t = batch_task();
  HC_UNUSED(state);
  begin(&d, &hc_writer_gwf, NULL);
  t.need[HC_DIM_DISK] = 1536;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  assert_int_equal(((const hc_writer_type *)d.chosen.type)->finish(d.writer, &d.error), 0);
  assert_non_null(strstr(d.text.data,
                         "\n3 10 5 20.5 -1 -1 -1 4 60 2048 1 17 2 -1 -1 -1 -1 -1 UNITARY -1 -1 -1 -1 -1 -1 "
                         "1.5 -1 -1 -1\n"));
  size_t blanks = 0; /* 29 columns */
  for (const char *p = strrchr(d.text.data, 'U'); *p; p++) blanks += *p == ' ';
  assert_int_equal(blanks, 10);
  finish(&d, NULL);
}

static void test_batsim(void **state)
{
  writing d;
  hc_task_spec t = batch_task();
  HC_UNUSED(state);
  begin(&d, &hc_writer_batsim, NULL);
  d.info.processors = 0;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost,
                   HC_FACT_BIT(WAIT) | HC_FACT_BIT(MEMORY_ASKED) | HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP));
  t.count = 2;
  t.status = HC_STATUS_FAILED;
  assert_int_equal(put(&d, &t), 0);
  t.run = HC_UNKNOWN; /* unknown how long: there is no such job */
  assert_int_equal(put(&d, &t), 1);
  finish(
      &d,
      "{\n\"jobs\": [\n"
      "{\"id\": 3, \"subtime\": 10, \"walltime\": 60, \"res\": 4, \"profile\": \"delay_20.5\"},\n"
      "{\"id\": \"3:0\", \"subtime\": 10, \"walltime\": 60, \"res\": 4, \"profile\": "
      "\"delay_20.5_failed\"},\n"
      "{\"id\": \"3:1\", \"subtime\": 10, \"walltime\": 60, \"res\": 4, \"profile\": \"delay_20.5_failed\"}\n"
      "],\n\"profiles\": {\n"
      "\"delay_20.5\": {\"type\": \"delay\", \"delay\": 20.5},\n"
      "\"delay_20.5_failed\": {\"type\": \"delay\", \"delay\": 20.5, \"ret\": 1}\n"
      "},\n\"nb_res\": 4\n}\n");
  begin(&d, &hc_writer_batsim, "version=5");
  finish(&d, "{\n\"jobs\": [\n],\n\"profiles\": {\n},\n\"nb_res\": 0\n}\n");
}

static void test_native(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_native, "memory_unit=1MiB");
  hc_task_spec t = vector_task(&d);
  t.limit = 200 * HC_SECOND;
  t.priority = -1;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  t.submit = -1; /* before time 0: no entry says so */
  assert_int_equal(put(&d, &t), 1);
  hc_lexicon_drop(d.lexicon, t.more);
  t = batch_task();
  t.need[HC_DIM_GPU] = INT64_C(1) << 53; /* more than the reader takes */
  t.memory_asked = 1;                    /* less than a unit of MiB */
  t.run = HC_UNKNOWN;
  t.job = INT64_C(2000000000000000000); /* would be read as a name */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(GPU) | HC_FACT_BIT(PRECISION) | HC_FACT_BIT(JOB));
  finish(&d, "- id: 3\n  submit_time: 100\n"
             "  resources: {nodes_count: 2, cpu_per_node: 0.5, memory_per_node: 1024}\n  procs: unknown\n"
             "  spread: false\n"
             "  profile: {type: idle, args: {time: 100}}\n"
             "  wall_time_limit: 200\n  priority: -1\n  collection_id: 9\n  execution_index: 3\n"
             "  start_after: [{job: 9, task: 1}, {job: 9, task: 2}]\n"
             "- id: 3\n  submit_time: 10\n  resources: {nodes_count: 1}\n  procs: 4\n  memory_per_proc: 1\n"
             "  delay: unknown\n  wall_time_limit: 60\n  user: 17\n  group: 2\n"
             "  recorded: {wait: 5, status: completed}\n");
  begin(&d, &hc_writer_native, NULL);
  finish(&d, "[]\n");
}

/* A law of a task that may be resized while it runs is written size by size; that of one which is moldable
 * alone as its shapes. */
static void test_native_laws(void **state)
{
  static const hc_task_size sizes[] = {
      {.size = 2, .speed = 1.75, .run = HC_UNKNOWN, .limit = HC_UNKNOWN, .estimate = HC_UNKNOWN},
      {.size = 3, .speed = 2.5, .run = HC_UNKNOWN, .limit = HC_UNKNOWN, .estimate = HC_UNKNOWN}};
  static const struct {
    uint32_t changes;
    const char *text;
  } cases[] = {{0, "  malleable: {min: 2, max: 3, speeds: [1.75, 2.5]}\n"},
               {HC_SIZED_AT_START | HC_SIZED_RUNNING,
                "  malleable: {min: 2, max: 3, speeds: [1.75, 2.5], when: [start, running]}\n"},
               {HC_SIZED_AT_START, "  shapes: [{slots: 2, speedup: 1.75}, {slots: 3, speedup: 2.5}]\n"}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_task_extras m = hc_task_extras_none();
    writing d;
    begin(&d, &hc_writer_native, NULL);
    m.least = m.of = 2;
    m.most = 3;
    m.changes = cases[i].changes;
    m.sizes = sizes;
    m.size_count = HC_ARRAY_LEN(sizes);
    hc_task_spec t = batch_task();
    t.more = hc_lexicon_keep(d.lexicon, &m);
    assert_int_equal(put(&d, &t), 0);
    assert_int_equal(d.lost, 0);
    end(&d);
    if (!strstr(d.text.data, cases[i].text)) fail_msg("%s", d.text.data);
    assert_non_null(strstr(d.text.data, "\n  delay: 20.5\n")); /* beside a profile the reader refuses a law */
    assert_null(strstr(d.text.data, i < 2 ? "shapes" : "malleable"));
    hc_lexicon_drop(d.lexicon, t.more);
    drop_writing(&d);
  }
}

/* What DSLab-CS itself reads: whole cores, and none of our keys. */
static void test_native_for_dslab(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_native, "dialect=dslab");
  hc_task_spec t = vector_task(&d);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(AFTER) | HC_FACT_BIT(PRECISION)); /* half a core is rounded up */
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, "- id: 3\n  submit_time: 100\n"
             "  resources: {nodes_count: 2, cpu_per_node: 1, memory_per_node: 1073741824}\n"
             "  profile: {type: idle, args: {time: 100}}\n  collection_id: 9\n  execution_index: 3\n");
}

/* job_name has the name of the job, and a task's own only where it is of none; task_name has what its reader
 * takes for a name, and not for the number of a task. */
static void test_alibaba_labels(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2018, NULL);
  hc_task_spec t = hc_task_spec_none();
  t.id = 3, t.job = 9, t.submit = HC_SECOND, t.run = HC_SECOND, t.hosts = 1;
  t.need[HC_DIM_CPU] = 1000;
  assert_int_equal(hc_lexicon_label(d.lexicon, "mine", 4, &t.label), 0);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(LABEL));
  assert_int_equal(hc_lexicon_label(d.lexicon, "night run", 9, &t.job_label), 0);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(LABEL));
  t.job = -1;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(JOB_LABEL));
  t.id = hc_name_number("mine", 4); /* as its reader will have it */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(JOB_LABEL));
  t.job = 9; /* of a number beyond those of tasks */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  hc_lexicon_drop(d.lexicon, t.label);
  assert_int_equal(hc_lexicon_label(d.lexicon, "R4_2", 4, &t.label), 0); /* would be 4, and wait for 2 */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(LABEL));
  hc_lexicon_drop(d.lexicon, t.label);
  assert_int_equal(hc_lexicon_label(d.lexicon, "#1", 2, &t.label), 0); /* a comment */
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & HC_FACT_BIT(LABEL));
  hc_spec_drop(d.lexicon, &t);
  finish(&d, "M3,1,j_9,,Terminated,1,2,100,\n"
             "M3,1,night run,,Terminated,1,2,100,\n"
             "mine,1,mine,,Terminated,1,2,100,\n"
             "mine,1,mine,,Terminated,1,2,100,\n"
             "mine,1,night run,,Terminated,1,2,100,\n"
             "task_9060151772124305550,1,night run,,Terminated,1,2,100,\n"
             "task_9060151772124305550,1,night run,,Terminated,1,2,100,\n");
}

/* instance_name has a name that is no number, of a task that is one instance; job_name that of its job. */
static void test_instance_labels(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2018_instances, NULL);
  hc_task_spec t = hc_task_spec_none();
  t.id = hc_name_number("one, two", 8), t.job = 9, t.submit = HC_SECOND, t.run = HC_SECOND, t.hosts = 1;
  t.need[HC_DIM_CPU] = 1000;
  t.need[HC_DIM_MEMORY] = 0;
  assert_int_equal(hc_lexicon_label(d.lexicon, "one, two", 8, &t.label), 0);
  assert_int_equal(hc_lexicon_label(d.lexicon, "night", 5, &t.job_label), 0);
  assert_int_equal(put(&d, &t), 0);
  assert_false(d.lost & (HC_FACT_BIT(ID) | HC_FACT_BIT(LABEL) | HC_FACT_BIT(JOB_LABEL)));
  t.count = 2;
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & HC_FACT_BIT(LABEL));
  assert_true(d.lost & HC_FACT_BIT(ID));
  assert_false(d.lost & HC_FACT_BIT(JOB_LABEL));
  hc_spec_drop(d.lexicon, &t);
  finish(&d, "\"one, two\",\"one, two\",night,1,Terminated,1,2,,1,1,100,100,0,0\n"
             "ins_7_1,\"one, two\",night,1,Terminated,1,2,,1,2,100,100,0,0\n"
             "ins_7_2,\"one, two\",night,1,Terminated,1,2,,2,2,100,100,0,0\n");
}

static void test_alibaba(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_alibaba_v2018, "memory_scale=64GiB");
  hc_task_spec t = vector_task(&d); /* a GiB of 64 is 1.5625 % */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(HOSTS) | HC_FACT_BIT(PRECISION));
  hc_lexicon_drop(d.lexicon, t.more);
  t = batch_task();
  assert_int_equal(put(&d, &t), 0);
  t.submit = t.wait = 0; /* 0 would mean unknown: the first task says if a second is added to all */
  assert_int_equal(put(&d, &t), 0);
  t.flags = HC_SPEC_NO_END; /* it has no end: how long it was seen to run is lost */
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & HC_FACT_BIT(RUN));
  finish(&d, "M3_1_2,2,j_9,,Terminated,100,200,50,1.56\n"
             "task_3,1,j_3,,Terminated,15,36,400,0.01\n"
             "task_3,1,j_3,,Terminated,0,21,400,0.01\n"
             "task_3,1,j_3,,Running,0,0,400,0.01\n");
  begin(&d, &hc_writer_alibaba_v2018, NULL);
  assert_int_equal(put(&d, &t), 0);
  t.need[HC_DIM_CPU] = 1000;
  t.need[HC_DIM_MEMORY] = 2638827907; /* ceil(0.48 % of 512 GiB), which is what a reader takes 0.48 for */
  assert_int_equal(put(&d, &t), 0);
  assert_false(d.lost & HC_FACT_BIT(PRECISION));
  t.need[HC_DIM_MEMORY]++;
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & HC_FACT_BIT(PRECISION));
  finish(&d, NULL);
  begin(&d, &hc_writer_alibaba_v2018_instances, "memory_scale=64GiB");
  t = vector_task(&d);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(PRECISION));
  hc_lexicon_drop(d.lexicon, t.more);
  t.more = 0;
  t.hosts = HC_UNKNOWN; /* the fast way */
  t.need[HC_DIM_MEMORY] = (int64_t)32 << 30;
  t.wait = HC_SECOND;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT));
  t.status = HC_STATUS_FAILED; /* and the other */
  assert_int_equal(put(&d, &t), 0);
  t.run = HC_UNKNOWN;
  t.need[HC_DIM_MEMORY] = HC_UNKNOWN;
  assert_int_equal(put(&d, &t), 0);
  finish(&d, "ins_7_1,M3_1_2,j_9,1,Terminated,100,200,,1,2,50,50,1.56,1.56\n"
             "ins_7_2,M3_1_2,j_9,1,Terminated,100,200,,2,2,50,50,1.56,1.56\n"
             "ins_7,M3,j_9,1,Terminated,101,201,,1,1,50,50,50,50\n"
             "ins_7,M3,j_9,1,Failed,101,201,,1,1,50,50,50,50\n"
             "ins_7,M3,j_9,1,Waiting,0,0,,1,1,50,50,,\n");
}

/* Two tasks that overlap: rows of both in order of time, and at one instant what was to come first. */
static void test_google(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_google2011, "cpu_scale=8");
  hc_task_spec t = batch_task(); /* submitted at 10, starts at 15, ends at 35.5 */
  t.priority = 9;
  t.queue = 3;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost,
                   HC_FACT_BIT(LIMIT) | HC_FACT_BIT(GROUP) | HC_FACT_BIT(PRECISION)); /* 8 MiB of 256 GiB */
  t.id = 4;
  t.submit = 15 * HC_SECOND;
  t.run = HC_UNKNOWN; /* never ran, and was killed in the queue 5 s later */
  t.status = HC_STATUS_CANCELLED;
  t.need[HC_DIM_CPU] = 1;
  t.flags = HC_SPEC_SPREAD;
  t.queue = 4; /* no scheduling class */
  assert_int_equal(put(&d, &t), 0);
  assert_true(d.lost & HC_FACT_BIT(QUEUE));
  finish(&d, "610000000,,3,0,,0,17,3,9,0.5,0.000030518,,0\n"
             "615000000,,3,0,,1,17,3,9,0.5,0.000030518,,0\n"
             "615000000,,4,0,,0,17,,9,0.000125,0.000030518,,1\n"
             "620000000,,4,0,,5,17,,9,0.000125,0.000030518,,1\n"
             "635500000,,3,0,,4,17,3,9,0.5,0.000030518,,0\n");
}

static void test_google_is_bounded(void **state)
{
  writing d;
  hc_task_spec t = batch_task();
  HC_UNUSED(state);
  begin(&d, &hc_writer_google2011, "live=3");
  t.count = 4;
  assert_int_equal(put(&d, &t), HC_ELIMIT);
  assert_string_equal(d.error.text, "more than 3 tasks wait or run at once: raise `live`, at 112 bytes each");
  finish(&d, NULL);
}

static void test_helios(void **state)
{
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_helios, NULL);
  hc_task_spec t = batch_task();
  hc_chunk less = {.hosts = 1};
  hc_task_extras m = hc_task_extras_none();
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(GROUP) | HC_FACT_BIT(LIMIT) | HC_FACT_BIT(MEMORY_ASKED) |
                               HC_FACT_BIT(FRACTION));
  for (int k = 0; k < HC_DIMENSIONS; k++) less.need[k] = HC_UNKNOWN;
  less.need[HC_DIM_CPU] = 2000;
  less.need[HC_DIM_GPU] = 7000;
  t = hc_task_spec_none(); /* 15 GPUs on two hosts: 8 and 7 */
  t.id = 5;
  t.submit = 0;
  t.hosts = 1;
  t.need[HC_DIM_CPU] = 2000;
  t.need[HC_DIM_GPU] = 8000;
  m.chunks = &less;
  m.chunk_count = 1;
  t.more = hc_lexicon_keep(d.lexicon, &m);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
             "3,17,2,0,4,1,COMPLETED,1970-01-01 00:00:10,1970-01-01 00:00:15,1970-01-01 00:00:36,21,5\n"
             "5,,,15,4,2,,1970-01-01 00:00:00,,,,\n");
}

/* Each allocation in turn fails: no crash, no leak, HC_ENOMEM. */
static void test_out_of_memory(void **state)
{
  static const hc_writer_type *const types[] = {
      &hc_writer_swf,    &hc_writer_csv,           &hc_writer_gwf,        &hc_writer_batsim,
      &hc_writer_native, &hc_writer_alibaba_v2018, &hc_writer_google2011, &hc_writer_helios};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(types); i++) {
    const hc_task_spec t = batch_task();
    expect_out_of_memory(types[i], &t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_facts),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_swf),
      cmocka_unit_test(test_csv),
      cmocka_unit_test(test_csv_labels),
      cmocka_unit_test(test_csv_of_batch_logs),
      cmocka_unit_test(test_gwf),
      cmocka_unit_test(test_batsim),
      cmocka_unit_test(test_native),
      cmocka_unit_test(test_native_laws),
      cmocka_unit_test(test_native_for_dslab),
      cmocka_unit_test(test_alibaba),
      cmocka_unit_test(test_alibaba_labels),
      cmocka_unit_test(test_instance_labels),
      cmocka_unit_test(test_google),
      cmocka_unit_test(test_google_is_bounded),
      cmocka_unit_test(test_helios),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
