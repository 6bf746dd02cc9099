/* test_native.c -- the native format: every key, profiles, jobs, what waits for what, and what is wrong with
 * a list. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "workload/items.h"

extern const hc_reader_type hc_reader_native;
#define NATIVE &hc_reader_native

/* A text with other files beside it. */
static void read_with(reading *r, const char *text, const char *profiles, const char *jobs,
                      const char *option)
{
  trace_file p = {0}, j = {0};
  char a[80] = "cpu_speed=1000", b[80] = "time_unit=1s";
  if (profiles) {
    p = write_file(profiles);
    snprintf(a, sizeof a, "profiles=%s", p.path);
  }
  if (jobs) {
    j = write_file(jobs);
    snprintf(b, sizeof b, "collections=%s", j.path);
  }
  begin_reading(r, NATIVE, text, a, b, option);
  open_reading(r);
  read_on(r);
  if (profiles) unlink(p.path);
  if (jobs) unlink(j.path);
}

static void read_fine(reading *r, const char *text, const char *profiles, const char *jobs,
                      const char *option)
{
  read_with(r, text, profiles, jobs, option);
  if (r->rc < 0) fail_msg("%s\nline %u, column %u: %s", text, r->error.line, r->error.column, r->error.text);
  assert_true(hc_ledger_balances(&r->ledger));
}

static void test_every_key(void **state)
{
  reading r;
  const char *text =
      "---\n# tasks\n- id: 17\n  name: solver\n  submit_time: 12.25\n  schedule_after: 1m\n"
      "  resources:\n    nodes_count: 2\n    cpu_per_node: 1.5\n    memory_per_node: 4GiB\n    disk: 100\n   "
      " gpu: 0.5\n"
      "    fpga: 3\n    tpu_per_node: 1\n"
      "  profile: {type: delay, args: {time: 100.}}\n  wall_time_limit: 2h\n  priority: -3\n  count: 5\n"
      "  user: alice\n  group: 7\n  queue: long\n  partition: fat\n  hosts: [n1, n2]\n  same: rack\n  "
      "differ: row\n";
  HC_UNUSED(state);
  read_fine(&r, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 1);
  const hc_task_spec *t = &r.tasks[0];
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(t->id == 17 && t->line == 3 && t->job == -1);
  assert_int_equal(t->submit, 12250 * HC_MS);
  assert_int_equal(t->not_before, HC_MINUTE);
  assert_int_equal(t->run, 100 * HC_SECOND);
  assert_int_equal(t->limit, 2 * HC_HOUR);
  assert_true(t->priority == -3 && t->count == 5 && t->hosts == 2 && t->flags == HC_SPEC_SPREAD);
  assert_int_equal(t->need[HC_DIM_CPU], 1500);
  assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)4 << 30);
  assert_int_equal(t->need[HC_DIM_DISK], 100);
  assert_int_equal(t->need[HC_DIM_GPU], 500);
  assert_int_equal(t->need[HC_DIM_OTHER], 3);
  assert_string_equal(hc_lexicon_dimension_name(r.lexicon, HC_DIM_OTHER), "fpga");
  assert_int_equal(t->need[HC_DIM_OTHER + 1], 1);
  assert_string_equal(hc_lexicon_dimension_name(r.lexicon, HC_DIM_OTHER + 1), "tpu");
  assert_int_equal(t->procs_asked, 3); /* two hosts with one and a half */
  assert_int_equal(t->memory_asked, ((int64_t)8 << 30) / 3 + 1);
  assert_true(t->user == 1 && t->group == 7 && t->queue == 1 && t->partition == 1 && t->executable > 0);
  assert_string_equal(hc_lexicon_text(r.lexicon, m->set), "fat");
  assert_string_equal(hc_lexicon_text(r.lexicon, m->same), "rack");
  assert_string_equal(hc_lexicon_text(r.lexicon, m->differ), "row");
  assert_int_equal(m->host_count, 2);
  assert_string_equal(hc_lexicon_text(r.lexicon, m->hosts[1]), "n2");
  assert_true(t->wait == HC_UNKNOWN && t->status == HC_STATUS_UNKNOWN && t->cancel_at == HC_NEVER);
  end_reading(&r);
}

/* DSLab's own words, as its file would have them, and nothing more than they say. */
static void refuse_resizes(const char *resizes, const char *words)
{
  char text[400];
  snprintf(text, sizeof text, "- {submit_time: 0, delay: 9, resources: {cpu: 1}, resizes: %s}\n", resizes);
  expect_rejected(NATIVE, text, NULL, HC_REASON_MALFORMED, 1, words);
}

/* In hosts, or in processors where no hosts are named. */
static void test_malleable(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_fine(&r,
            "- {submit_time: 0, delay: 9, procs: 4, malleable: {min: 2, max: 8}}\n"
            "- {submit_time: 0, delay: 9, resources: {nodes_count: 3, cpu: 2}, malleable: {most: 6}}\n"
            "- {submit_time: 0, delay: 9, procs: 2, malleable: {min: 1, max: 3, speeds: [1, 1.5, 1.75]}}\n",
            NULL, NULL, NULL);
  const hc_task_extras *a = more_of(&r, 0), *b = more_of(&r, 1), *law = more_of(&r, 2);
  assert_true(law && law->least == 1 && law->of == 2 && law->most == 3 && law->changes == 0);
  assert_int_equal(law->size_count, 3);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(law->sizes[k].size, k + 1);
  assert_true(law->sizes[0].speed == 1 && law->sizes[1].speed == 1.5 && law->sizes[2].speed == 1.75);
  assert_true(a && a->least == 2 && a->of == 4 && a->most == 8);
  assert_true(b && b->least == 3 && b->of == 3 && b->most == 6);
  end_reading(&r);
}

static void test_resizes(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_fine(&r,
            "- {submit_time: 0, delay: 9, resources: {cpu: 1, memory: 1KiB, fpga: 2}, resizes: [{after: 1m, "
            "resources: {cpu: 2.5, fpga: 3}}, {after: 90, need: {memory: 2KiB}}]}\n"
            "- {submit_time: 0, delay: 9, resources: {cpu: 1}, resizes: []}\n",
            NULL, NULL, NULL);
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(m && m->resize_count == 2 && r.tasks[1].more == 0);
  assert_true(m->resizes[0].after == HC_MINUTE && m->resizes[1].after == 90 * HC_SECOND);
  assert_true(m->resizes[0].need[HC_DIM_CPU] == 2500 && m->resizes[0].need[HC_DIM_MEMORY] == HC_UNKNOWN);
  assert_int_equal(m->resizes[0].need[HC_DIM_OTHER], 3);
  assert_true(m->resizes[1].need[HC_DIM_CPU] == HC_UNKNOWN && m->resizes[1].need[HC_DIM_MEMORY] == 2048);
  assert_true(hc_task_facts(&r.tasks[0], r.lexicon) & HC_FACT_BIT(RESIZES));
  assert_false(hc_task_facts(&r.tasks[1], r.lexicon) & HC_FACT_BIT(RESIZES));
  end_reading(&r);
  refuse_resizes("{after: 1, resources: {cpu: 2}}", "resizes are a list");
  refuse_resizes("[5]", "a resize is a map");
  refuse_resizes("[{after: 5}]", "a resize says `after`");
  refuse_resizes("[{after: 0, resources: {cpu: 2}}]", "resizes follow each other");
  refuse_resizes("[{after: 2, resources: {cpu: 2}}, {after: 2, resources: {cpu: 1}}]",
                 "resizes follow each other");
  refuse_resizes("[{after: 2, resources: {gpu: 1}}]", "GPUs are devices");
  refuse_resizes("[{after: 2, resources: {hosts: 2, cpu: 1}}]", "not how many hosts");
}

static void test_dslab(void **state)
{
  reading r;
  const char *text =
      "- submit_time: 10.0\n  resources:\n    nodes_count: 4\n    cpu_per_node: 2\n    memory_per_node: 4\n"
      "  profile:\n    type: compute-homogenous\n    args:\n      compute_work: 2000.\n"
      "  wall_time_limit: null\n";
  HC_UNUSED(state);
  read_fine(&r, text, NULL, NULL, NULL);
  const hc_task_spec *t = &r.tasks[0];
  assert_int_equal(t->id, 1);
  assert_int_equal(t->submit, 10 * HC_SECOND);
  assert_int_equal(t->hosts, 4);
  assert_int_equal(t->need[HC_DIM_CPU], 2000);
  assert_int_equal(t->need[HC_DIM_MEMORY], 4);
  assert_int_equal(t->run, HC_SECOND); /* 2000 / (1000 x 2) on each of the four */
  assert_true(t->limit == HC_UNKNOWN && t->not_before == HC_UNKNOWN && t->more == 0 && t->count == 0);
  assert_int_equal(t->procs_asked, 8);
  end_reading(&r);
  read_fine(&r, text, NULL, NULL, "memory_unit=1GB");
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], INT64_C(4000000000));
  end_reading(&r);
  begin_reading(&r, NATIVE, text, "time_unit=1m", "cpu_speed=1", NULL);
  open_reading(&r);
  read_on(&r);
  assert_int_equal(r.tasks[0].run, 1000 * HC_MINUTE); /* 2000 / (1 x 2) minutes */
  assert_int_equal(r.tasks[0].submit, 10 * HC_MINUTE);
  end_reading(&r);
  read_fine(&r, "- {submit: 0, delay: 1, resources: {cpu: 16.1, memory: 40000000000, disk: 2.5}}\n", NULL,
            NULL, NULL);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 16100); /* exact, though 16.1 x 1000 is more as a double */
  assert_int_equal(r.tasks[0].need[HC_DIM_MEMORY], INT64_C(40000000000));
  assert_int_equal(r.tasks[0].need[HC_DIM_DISK], 3);
  assert_int_equal(r.ledger.rounded, 1);
  end_reading(&r);
}

/* ---- profiles ---- */

#define PROFILES \
  "ten: {type: delay, args: {time: 10}}\n" \
  "alias: ten\n" \
  "work: {type: compute-homogenous, args: {compute_work: 6000}}\n" \
  "vector: {type: compute-vector, args: {compute_work: [1000, 4000, 2000]}}\n" \
  "twice: {type: sequence, args: {repeat: 2, profiles: [ten, alias, {delay: 2.5}]}}\n" \
  "both: {type: sequence, args: {profiles: [ten, work]}}\n" \
  "longest: {type: parallel, args: {profiles: [ten, twice]}}\n" \
  "shared: {type: parallel, args: {repeat: 3, profiles: [work, work]}}\n" \
  "mixed: {type: parallel, args: {profiles: [ten, work]}}\n" \
  "talk: {type: communication-homogenous, args: {size: 5}}\n" \
  "deep: {type: sequence, args: {profiles: [ten, {type: parallel, args: {profiles: [ten, talk]}}]}}\n"

/* On hosts with so many cores: the run time; HC_UNKNOWN if the row is rejected for its profile. */
static hc_time length(const char *profile, const char *hosts, const char *cores)
{
  char text[512];
  reading r;
  hc_time run = HC_UNKNOWN;
  snprintf(text, sizeof text,
           "[{\"submit_time\": 0, \"resources\": {\"nodes_count\": %s%s%s}, \"profile\": %s}]", hosts,
           cores ? ", \"cpu_per_node\": " : "", cores ? cores : "", profile);
  read_fine(&r, text, PROFILES, NULL, NULL);
  if (r.count == 1) run = r.tasks[0].run;
  else assert_int_equal(r.ledger.rejected[HC_REASON_PROFILE], 1);
  end_reading(&r);
  return run;
}

static void test_profiles(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(length("\"alias\"", "1", "1"), 10 * HC_SECOND);
  assert_int_equal(length("{\"type\": \"idle\", \"args\": {\"time\": 7}}", "9", NULL), 7 * HC_SECOND);
  assert_int_equal(length("{\"delay\": \"1h30m\"}", "1", "1"), 90 * HC_MINUTE);
  assert_int_equal(length("{\"type\": \"work\"}", "1", "2"), 3 * HC_SECOND); /* 6000 / (1000 x 2) */
  assert_int_equal(length("\"work\"", "5", "4"), 1500 * HC_MS);
  assert_int_equal(length("\"work\"", "1", "0.7"), INT64_C(8571428572)); /* to the next nanosecond */
  assert_true(length("\"work\"", "1", NULL) == HC_UNKNOWN);              /* of how many cores is unknown */
  assert_true(length("\"work\"", "1", "0") == HC_UNKNOWN);
  assert_int_equal(length("\"vector\"", "3", "2"), 2 * HC_SECOND); /* the one with 4000 */
  assert_int_equal(length("\"twice\"", "1", "1"), 45 * HC_SECOND); /* 2 x (10 + 10 + 2.5) */
  assert_int_equal(length("\"both\"", "1", "3"), 12 * HC_SECOND);  /* 10 + 6000 / 3000 */
  assert_int_equal(length("\"longest\"", "1", "1"), 45 * HC_SECOND);
  assert_int_equal(length("\"shared\"", "1", "2"),
                   18 * HC_SECOND); /* 3 x 12000 / 2000: they share the cores */
  assert_true(length("\"mixed\"", "1", "1") == HC_UNKNOWN);
  assert_true(length("\"talk\"", "1", "1") == HC_UNKNOWN);
  assert_true(length("\"deep\"", "1", "1") == HC_UNKNOWN);
  assert_true(length("{\"type\": \"disk-ops\", \"args\": {\"any\": 1}}", "1", "1") == HC_UNKNOWN);
  assert_int_equal(length("{\"type\": \"sequence\", \"args\": {\"profiles\": []}}", "1", "1"), 0);
}

static void refuse_profiles(const char *text, uint32_t line, const char *words)
{
  reading r;
  read_with(&r, "- {submit_time: 0, delay: 1}\n", text, NULL, NULL);
  if (r.rc != HC_EINPUT || r.error.line != line || !strstr(r.error.text, words))
    fail_msg("%s\ngave %d, line %u: %s", text, r.rc, r.error.line, r.error.text);
  end_reading(&r);
}

static void test_wrong_profiles(void **state)
{
  HC_UNUSED(state);
  refuse_profiles("- a\n", 1, "a file of profiles maps names to profiles");
  refuse_profiles("a: b\n", 1, "no profile \"b\" is defined");
  refuse_profiles("a: {delay: 1}\nb: {type: sequence, args: {profiles: [a, b]}}\n", 2,
                  "no profile \"b\" is defined");
  refuse_profiles("a: {type: dealy, args: {time: 1}}\n", 1, "did you mean \"delay\"?");
  refuse_profiles("a: {type: delay}\n", 1, "a delay needs its `time`");
  refuse_profiles("a: {type: delay, args: {time: -1}}\n", 1,
                  "the time of a delay is a time that is not negative");
  refuse_profiles("a: {type: delay, args: {tiem: 1}}\n", 1, "did you mean \"time\"?");
  refuse_profiles("a: {type: compute-homogenous, args: {}}\n", 1, "a computation needs its `compute_work`");
  refuse_profiles("a: {type: compute-vector, args: {compute_work: 5}}\n", 1,
                  "a list with the work of each process");
  refuse_profiles("a: {type: sequence, args: {repeat: 2}}\n", 1, "needs `profiles`");
  refuse_profiles("a: {type: sequence, args: {profiles: [], repeat: 0}}\n", 1,
                  "repeat is a whole number from 1");
  refuse_profiles("a: {delay: 1}\nb: {type: sequence, args: {profiles: [a], repeat: 1099511627776}}\n", 2,
                  "292 years");
  refuse_profiles("a: [1]\n", 1, "a profile is the name of one");
  refuse_profiles("a: {type: sequence, args: {profiles: [{type: compute-vector, args: {work: [1]}},"
                  "{type: compute-vector, args: {work: [1, 2]}}]}}\n",
                  1, "for 2 processes, one before it for 1");
  refuse_profiles("a: {delay: 1}\na: {delay: 2}\n", 2, "a");
}

/* ---- jobs ---- */

static void test_jobs(void **state)
{
  reading r;
  const char *jobs =
      "[{\"id\": 1, \"time\": 5, \"user\": \"bob\", \"priority\": 9, \"queue\": \"q\"},\n"
      " {\"id\": \"two\", \"time\": 6, \"user\": \"alice\", \"start_after_collection_ids\": [1, 7]}]";
  const char *text = "- {collection_id: 1, execution_index: 4, id: 99, delay: 1}\n"
                     "- {collection_id: 1, delay: 1, user: alice, priority: 2, time: 7}\n"
                     "- {collection_id: two, delay: 1, after_job: 5}\n"
                     "- {collection_id: 3, delay: 1, time: 1}\n";
  HC_UNUSED(state);
  read_fine(&r, text, NULL, jobs, NULL);
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[0].job == 1 && r.tasks[0].id == 4); /* what others wait for */
  assert_int_equal(r.tasks[0].submit, 5 * HC_SECOND);
  assert_true(r.tasks[0].user == 1 && r.tasks[0].priority == 9 && r.tasks[0].queue == 1);
  assert_true(r.tasks[1].user == 2 && r.tasks[1].priority == 2 && r.tasks[1].submit == 7 * HC_SECOND);
  assert_int_equal(r.tasks[1].id, 2);
  const hc_task_extras *m = more_of(&r, 2);
  assert_int_equal(m->after_count, 3);
  assert_true(m->after[0].job == 5 && m->after[1].job == 1 && m->after[2].job == 7);
  assert_true(m->after[1].task == HC_UNKNOWN && m->after[1].how == HC_AFTER_ENDED);
  assert_true(r.tasks[3].job == 3 && r.tasks[3].user == -1); /* the file of jobs does not know it */
  end_reading(&r);
}

static void refuse_jobs(const char *jobs, const char *option, uint32_t line, const char *words)
{
  reading r;
  read_with(&r, "- {submit_time: 0, delay: 1}\n", NULL, jobs, option);
  if (r.rc != HC_EINPUT || r.error.line != line || !strstr(r.error.text, words))
    fail_msg("%s\ngave %d, line %u: %s", jobs, r.rc, r.error.line, r.error.text);
  end_reading(&r);
}

static void test_wrong_jobs(void **state)
{
  HC_UNUSED(state);
  refuse_jobs("- {user: bob}\n", NULL, 1, "this job has no `id`");
  refuse_jobs("- {id: 1}\n- {id: 1}\n", NULL, 2, "a job with this id stands above");
  refuse_jobs("- {id: 1}\n- {id: 2, usr: 1}\n", NULL, 2, "unknown key \"usr\"; did you mean \"user\"?");
  refuse_jobs("- {id: 1, time: soon}\n", NULL, 1, "the time of a job is a time");
  refuse_jobs("- {id: 1, user: bob}\n- {id: 2, user: 3}\n- {id: 3, user: [1]}\n", NULL, 3,
              "user is a name or a number");
  refuse_jobs("- {id: 1, after_job: 1}\n", NULL, 1, "this job waits for itself");
  refuse_jobs("- {id: 1, after_job: 2}\n", "refers=job", 1, "`refers` rules out");
  refuse_jobs("- 5\n", NULL, 1, "a job is a map");
  refuse_jobs("- {id: 1\n", NULL, 1, "bracket");
  refuse_jobs("id: 1\n", NULL, 1, "a list is expected here");
}

/* ---- waiting ---- */

static void test_after(void **state)
{
  reading r;
  const char *text =
      "- {job: 1, index: 0, submit: 0, delay: 1}\n"
      "- {job: 1, index: 1, submit: 0, delay: 1, start_after: [0], after_ok: {job: 2, task: 3},\n"
      "   after_not_ok: [{job: x}], after_start: 0}\n"
      "- {job: 1, index: 2, submit: 0, delay: 1, start_after: 2}\n"
      "- {job: 1, index: 3, submit: 0, delay: 1, after_job: 1}\n";
  HC_UNUSED(state);
  read_fine(&r, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.ledger.rejected[HC_REASON_CYCLE], 2); /* those that wait for themselves */
  const hc_task_extras *m = more_of(&r, 1);
  assert_int_equal(m->after_count, 4);
  assert_true(m->after[0].job == 1 && m->after[0].task == 0 && m->after[0].how == HC_AFTER_ENDED);
  assert_true(m->after[1].job == 2 && m->after[1].task == 3 && m->after[1].how == HC_AFTER_COMPLETED);
  assert_true(m->after[2].task == HC_UNKNOWN && m->after[2].how == HC_AFTER_FAILED);
  assert_true(m->after[3].job == 1 && m->after[3].task == 0 && m->after[3].how == HC_AFTER_STARTED);
  assert_int_equal(r.type->refers(r.source), HC_REFERS_ANY);
  end_reading(&r);
  begin_reading(&r, NATIVE, text, "refers=job", NULL, NULL);
  open_reading(&r);
  assert_int_equal(r.type->refers(r.source), HC_REFERS_JOB);
  read_on(&r);
  assert_int_equal(r.ledger.rejected[HC_REASON_MALFORMED], 1); /* the one that waits for another job */
  end_reading(&r);
  expect_rejected(NATIVE, "- {submit: 0, delay: 1, start_after: 1}\n", NULL, HC_REASON_MALFORMED, 1,
                  "only a task with a collection_id can wait for one by its index");
  expect_rejected(NATIVE, "- {submit: 0, job: 1, delay: 1, start_after: 5}\n", "refers=none",
                  HC_REASON_MALFORMED, 1, "`refers` rules out: set it to job");
  expect_rejected(NATIVE, "- {submit: 0, job: 1, delay: 1, start_after: {}}\n", NULL, HC_REASON_MALFORMED, 1,
                  "what it waits for is the index of a task");
}

/* ---- constraints ---- */

/* Written back: "group attribute sign value", one after the other. */
static void constraints_of(const char *text, char *out, size_t size)
{
  static const char *const signs[] = {"=", "!=", "<", ">", ">=", "<=", "is there", "is not there"};
  char yaml[256];
  reading r;
  size_t n = 0;
  snprintf(yaml, sizeof yaml, "- {submit: 0, delay: 1, constraints: %s}\n", text);
  read_fine(&r, yaml, NULL, NULL, NULL);
  const hc_task_extras *m = more_of(&r, 0);
  out[0] = '\0';
  for (size_t i = 0; i < m->constraint_count && n < size; i++) {
    const hc_constraint *c = &m->constraints[i];
    n += (size_t)snprintf(out + n, size - n, "%s%u %s %s", i ? "; " : "", c->group,
                          hc_lexicon_text(r.lexicon, c->attribute), signs[c->compare]);
    if (c->compare >= HC_PRESENT || n >= size) continue;
    if (c->is_text)
      n += (size_t)snprintf(out + n, size - n, " %s", hc_lexicon_text(r.lexicon, (uint32_t)c->value));
    else n += (size_t)snprintf(out + n, size - n, " %lld", (long long)c->value);
  }
  end_reading(&r);
}

static void test_constraints(void **state)
{
  const char *const cases[][2] = {
      {"ssd", "0 ssd is there"},
      {"\"!ssd\"", "0 ssd is not there"},
      {"[ssd, nvme]", "0 ssd is there; 1 nvme is there"},
      {"ssd|nvme", "0 ssd is there; 0 nvme is there"},
      {"\"kernel >= 5\"", "0 kernel >= 5"},
      {"[\"a<1\", \"a<=2\", \"a>3\", \"a==4\", \"a!=5\"]", "0 a < 1; 1 a <= 2; 2 a > 3; 3 a = 4; 4 a != 5"},
      {"\"gpu_model=V100|A100\"", "0 gpu_model = V100; 0 gpu_model = A100"},
      {"\"a=1|!b\"", "0 a = 1; 0 b is not there"},
      {"\"a!=1|b=2\"", "0 a != 1; 0 b = 2"}, /* either: both are named */
      {"\"a!=1|2\"", "0 a != 1; 1 a != 2"},  /* neither */
      {"[\"a!=1|2\", b]", "0 a != 1; 1 a != 2; 2 b is there"},
      {"\"x=-7|ssd\"", "0 x = -7; 0 x = ssd"},
      {"\"ssd|kernel>=5\"", "0 ssd is there; 0 kernel >= 5"},
      {"\"ssd & a=1|2, !b\"", "0 ssd is there; 1 a = 1; 1 a = 2; 2 b is not there"},
      {"{attribute: \"a=b\"}", "0 a=b is there"}, /* as maps, with signs in names and values */
      {"[ssd, {attribute: a, is: absent}, {attribute: a, value: 5}]",
       "0 ssd is there; 1 a is not there; 2 a = 5"},
      {"{attribute: a, is: \"!=\", value: \"x|y\"}", "0 a != x|y"},
      {"[{any: [{attribute: a, is: \">\", value: -1}, {attribute: b, value: c}]}, d]",
       "0 a > -1; 0 b = c; 1 d is there"},
  };
  const char *const wrong[] = {"\"\"",     "\"!\"",    "\"a>b\"",        "\"a>=\"",  "\"=5\"",
                               "\"a=!5\"", "\"a=1|\"", "\"a!=1|2|b=3\"", "\"!a=1\"", "\"a!5\"",
                               "[[a]]",    "{}",       "\"|\"",          "\"a&\"",   "\"&\""};
  char got[256], text[256];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    constraints_of(cases[i][0], got, sizeof got);
    if (strcmp(got, cases[i][1]) != 0) fail_msg("%s: %s", cases[i][0], got);
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    snprintf(text, sizeof text, "- {submit: 0, delay: 1, constraints: %s}\n", wrong[i]);
    expect_rejected(NATIVE, text, NULL, HC_REASON_MALFORMED, 1, "constraint");
  }
}

/* ---- groups, rivals ---- */

static void test_groups(void **state)
{
  reading r;
  const char *text = "- submit: 0\n  delay: 1\n  resources:\n  - {hosts: 1, cpu: 2, memory: 8}\n"
                     "  - {hosts: 3, cpu: 0.0005, licence: 2}\n"
                     "- {submit: 0, resources: [{cpu: 2}, {cpu: 4}], profile: {compute-homogenous: 8kflop}}\n"
                     "- {submit: 0, resources: [{cpu: 2}, {cpu: 4}], profile: {compute-vector: [1, 2]}}\n"
                     "- {submit: 0, delay: 1, resources: {hosts: 2}, spread: no}\n";
  HC_UNUSED(state);
  read_fine(&r, text, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(r.tasks[0].hosts == 1 && r.tasks[0].need[HC_DIM_CPU] == 2000 &&
              r.tasks[0].flags == HC_SPEC_SPREAD);
  assert_int_equal(m->chunk_count, 1);
  assert_true(m->chunks[0].hosts == 3 && m->chunks[0].need[HC_DIM_CPU] == 1);
  assert_true(m->chunks[0].need[HC_DIM_MEMORY] == HC_UNKNOWN && m->chunks[0].need[HC_DIM_OTHER] == 2);
  assert_int_equal(r.tasks[0].procs_asked, 3); /* 2 + 3 x 0.001 cores, rounded up */
  assert_int_equal(r.ledger.rounded, 1);       /* half a thousandth became one */
  assert_true(r.ledger.rounding > 0.99 && r.ledger.rounding < 1.01);
  assert_int_equal(r.tasks[1].run, 4 * HC_SECOND);           /* the host with two cores takes longest */
  assert_int_equal(r.ledger.rejected[HC_REASON_PROFILE], 1); /* which host has which work is not said */
  assert_true(r.tasks[2].flags == 0 && r.tasks[2].hosts == 2 && r.tasks[2].need[HC_DIM_CPU] == HC_UNKNOWN);
  assert_int_equal(r.tasks[2].procs_asked, 2);
  end_reading(&r);
}

static void test_rivals(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_fine(&r,
            "- {submit: 0, delay: 1, job: 8, rivals: {per_host: 1, per_zone: 3, level: rack}}\n"
            "- {submit: 0, delay: 1, rivals: {of: 5, per_host: 2}}\n",
            NULL, NULL, NULL);
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(m->rival == 8 && m->per_host == 1 && m->per_zone == 3);
  assert_string_equal(hc_lexicon_text(r.lexicon, m->zone_level), "rack");
  m = more_of(&r, 1);
  assert_true(m->rival == 5 && m->per_host == 2 && m->per_zone == 0 && m->zone_level == HC_NO_NAME);
  end_reading(&r);
  expect_rejected(NATIVE, "- {submit: 0, delay: 1, rivals: {per_host: 1}}\n", NULL, HC_REASON_MALFORMED, 1,
                  "rivals need `of`");
  expect_rejected(NATIVE, "- {submit: 0, delay: 1, job: 1, rivals: {per_zone: 1}}\n", NULL,
                  HC_REASON_MALFORMED, 1, "with the latter `level`");
}

/* ---- what is wrong ---- */

static void test_rejected(void **state)
{
  HC_UNUSED(state);
#define BAD(item, words) expect_rejected(NATIVE, "# one\n" item "\n", NULL, HC_REASON_MALFORMED, 2, words)
  BAD("- 5", "a task is a map");
  BAD("-", "a task is a map");
  BAD("- {submit: 0}", "this task has no `profile`");
  BAD("- {submit: 0, delay: 1, profile: x}", "a task has a `profile` or a `delay`, not both");
  BAD("- {submit: 0, profile: x}", "no profile \"x\" is defined");
  BAD("- {submit: -1, delay: 1}", "submit_time is a time that is not negative");
  BAD("- {submit: 0, time: 1, delay: 1}", "\"time\" says once more what \"submit\" says");
  BAD("- {submit: 0, delay: [1]}", "delay is a time");
  BAD("- {submit: 0, delay: 1, priority: high}", "priority is a whole number from");
  BAD("- {submit: 0, delay: 1, count: 0}", "count is a whole number from 1 to 16777216");
  BAD("- {submit: 0, delay: 1, resources: 5}", "resources are a map");
  BAD("- {submit: 0, delay: 1, resources: []}", "this list of resources is empty");
  BAD("- {submit: 0, delay: 1, resources: {nodes_count: 0}}", "nodes_count is a whole number from 1");
  BAD("- {submit: 0, delay: 1, resources: {cpu: -1}}", "cpu is an amount that is not negative: a number");
  BAD("- {submit: 0, delay: 1, resources: {memory: much}}",
      "memory is an amount that is not negative: a number, or");
  BAD("- {submit: 0, delay: 1, resources: {gpu: 1e300}}", "gpu is an amount");
  BAD("- {submit: 0, delay: 1, spread: maybe}", "spread is true or false");
  BAD("- {submit: 0, delay: 1, at_once: 2}", "this one has no collection_id");
  BAD("- {submit: 0, delay: 1, set: a, partition: b}", "one `partition` or one `set`");
  BAD("- {submit: 0, delay: 1, user: []}", "user is a name or a number");
  BAD("- {submit: 0, delay: 1, user: {}}", "user with a number and a name is {3: ann}");
  BAD("- {submit: 0, delay: 1, queue: {long: 3}}", "queue with a number and a name is {3: ann}");
  BAD("- {submit: 0, delay: 1, user: {3: [ann]}}", "user with a number and a name is {3: ann}");
  BAD("- {submit: 0, delay: 1, procs: -1}", "procs is a whole number from 0");
  BAD("- {submit: 0, delay: 1, procs: 1, memory_per_proc: all}", "memory_per_proc is an amount");
  BAD("- {submit: 0, delay: 1, cancel_at: soon}", "cancel_at is a time");
  BAD("- {submit: 0, delay: 1, resources: [{cpu: 1}, {nodes_count: unknown, cpu: 2}]}",
      "how many hosts of this kind");
  BAD("- {submit: 0, delay: 1, recorded: 5}", "what was recorded is a map");
  BAD("- {submit: 0, delay: 1, recorded: {status: astray}}", "status is completed, failed");
  BAD("- {submit: 0, delay: 1, recorded: {no_end: 7}}", "no_end is true or false");
  BAD("- {submit: 0, delay: 1, recorded: {memory_used: much}}", "memory_used is a size");
  BAD("- {submit: 0, delay: 1, constraints: {attribute: a, is: like, value: b}}", "`is` is one of");
  BAD("- {submit: 0, delay: 1, constraints: {attribute: a, is: absent, value: b}}", "unless it is `present`");
  BAD("- {submit: 0, delay: 1, constraints: {attribute: a, is: \"<\", value: b}}", "texts have no order");
  BAD("- {submit: 0, delay: 1, constraints: {any: [a]}}", "each of `any` is a map");
  BAD("- {submit: 0, delay: 1, constraints: {any: []}}", "a constraint that is a map is");
  BAD("- {submit: 0, delay: 1, hosts: [[]]}", "a host is a name");
  BAD("- {submit: 0, delay: 1, id: [1]}", "id is a number or a name");
  BAD("- {submit: 0, resources: {hosts: 2}, profile: {compute-vector: [1]}}", "another number of processes");
  BAD("- {submit: 0, resources: {cpu: 1}, profile: {compute-homogenous: 1e300}}", "longer than 292 years");
  BAD("- {submit: 0, delay: 1", "bracket");
  BAD("- {submit: 0, delay: *x}", "no anchor");
#undef BAD
}

/* A key that means nothing is an error of the file, whether strict or not, with its place and the nearest
 * word. */
static void test_unknown_keys(void **state)
{
  reading r;
  HC_UNUSED(state);
  expect_error(NATIVE, "- submit: 0\n  delay: 1\n- submit: 0\n  prioirty: 5\n", NULL, HC_EINPUT, 4,
               "unknown key \"prioirty\"; did you mean \"priority\"?");
  expect_error(NATIVE, "- {submit: 0, zzzzzzzzzzz: 5}\n", NULL, HC_EINPUT, 1, "set `unknown_keys: ignore`");
  expect_error(NATIVE, "- {submit: 0, delay: 1, resources: {memroy_per_node: 5}}\n", NULL, HC_EINPUT, 1,
               "did you mean \"memory\"?");
  char many[1200];
  size_t at = (size_t)snprintf(many, sizeof many, "- {submit: 0, delay: 1, resources: {");
  for (int i = 0; i <= HC_DIMENSIONS - HC_DIM_OTHER; i++)
    at += (size_t)snprintf(many + at, sizeof many - at, "%sd%dx: 1", i > 0 ? ", " : "", i);
  (void)snprintf(many + at, sizeof many - at, "}}\n");
  expect_error(NATIVE, many, NULL, HC_ELIMIT, 1,
               "there is no room for a dimension \"d60x\": a run has at most 64");
  read_all(&r, NATIVE, "- {submit: 0, delay: 1, color: red}\n", "unknown_keys=ignore", NULL, NULL);
  assert_int_equal(r.count, 1);
  end_reading(&r);
}

static void test_files_that_are_none(void **state)
{
  reading r;
  HC_UNUSED(state);
  expect_error(NATIVE, "tasks:\n- {submit: 0}\n", NULL, HC_EINPUT, 1, "a list is expected here");
  expect_error(NATIVE, "- {submit: 0, delay: 1}\noops\n", NULL, HC_EINPUT, 2, "this line belongs to no item");
  expect_error(NATIVE, "  - {submit: 0, delay: 1}\n - {submit: 0}\n", NULL, HC_EINPUT, 2,
               "this line belongs to no item");
  expect_error(NATIVE, "[{\"submit\": 0, \"delay\": 1},\n", NULL, HC_EINPUT, 2,
               "the text stops within the list");
  expect_error(NATIVE, "[{\"submit\": 0, \"delay\": 1}\n{}]", NULL, HC_EINPUT, 2,
               "a comma or ] is expected here");
  expect_error(NATIVE, "[{\"submit\": 0, \"delay\": 1},]", NULL, HC_EINPUT, 1, "an item is expected here");
  expect_error(NATIVE, "[5]", NULL, HC_EINPUT, 1, "an item is expected here: {...}");
  expect_error(NATIVE, "\n{\"submit\": \"}", NULL, HC_EINPUT, 2,
               "the text stops within the item that begins here");
  expect_error(NATIVE, "- 1\n- 2\n", NULL, HC_EINPUT, 1,
               "nothing in this file can be read as a task. The first: a task");
  expect_error(NATIVE, "- {submit: 0, delay: 1}\n", "origin=x", HC_EUSAGE, 0, "origin: \"x\" is no date");
  expect_error(NATIVE, "- {submit: 0, delay: 1}\n", "profiles=/nonexistent", HC_EIO, 0,
               "No such file or directory");
  read_all(&r, NATIVE, "# nothing\n\n", NULL, NULL, NULL);
  assert_int_equal(r.count, 0);
  end_reading(&r);
}

/* Where an item begins and ends, in each form; comments, marks, blank lines and carriage returns between
 * them. */
static void test_forms(void **state)
{
  const char *const forms[] = {
      "- {id: 1, submit: 0, delay: 1}\n- {id: 2, submit: 0, delay: 1}\n- {id: 3, submit: 0, delay: 1}",
      "\xef\xbb\xbf---\r\n-  id: 1\r\n   submit: 0\r\n   delay: 1\r\n# here\r\n- id: 2\r\n  submit: "
      "0\r\n\r\n  delay: 1\r\n"
      "- {id: 3, submit: 0, delay: 1}\r\n",
      "  # indented\n  -\n    id: 1\n    submit: 0\n# out\n    delay: 1\n  - id: 2\n    submit: 0\n    "
      "delay: 1\n...\n---\n"
      "- id: 3\n  submit: 0\n  delay: 1\n",
      "- id: 1\n  submit: 0\n  delay: 1\n  hosts:\n  - \"- a\"\n  - b\n- id: 2\n  submit: 0\n  delay: 1\n"
      "- id: 3\n  submit: 0\n  delay: 1\n",
      "[{\"id\": 1, \"submit\": 0, \"delay\": 1},{\"id\": 2, \"submit\": 0, \"delay\": 1, \"name\": "
      "\"}]\\\"{\"},\n"
      "{\"id\": 3, \"submit\": 0, \"delay\": 1}]",
      "{\"id\": 1, \"submit\": 0, \"delay\": 1}\n{\"id\": 2, \"submit\": 0, \"delay\": 1}\n\n"
      "{\"id\": 3,\n \"submit\": 0, \"delay\": 1}\n",
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(forms); i++) {
    reading r;
    read_all(&r, NATIVE, forms[i], NULL, NULL, NULL);
    if (r.count != 3 || r.tasks[0].id != 1 || r.tasks[1].id != 2 || r.tasks[2].id != 3)
      fail_msg("form %zu: %zu tasks", i, r.count);
    end_reading(&r);
    for (size_t after = 0; after < 4; after++) expect_resumable(NATIVE, forms[i], after, NULL);
  }
}

/* One bad item is no matter for the next, and places are those of the file. */
static void test_bad_item_between(void **state)
{
  reading r;
  const char *text =
      "- {id: 1, submit: 0, delay: 1}\n- {id: 2, submit: [}\n- id: 3\n  submit: soon\n- {id: 4, submit: 0, "
      "delay: 1}\n";
  HC_UNUSED(state);
  read_all(&r, NATIVE, text, NULL, NULL, NULL);
  assert_true(r.count == 2 && r.tasks[1].id == 4 && r.tasks[1].line == 5);
  assert_int_equal(r.ledger.rejected[HC_REASON_MALFORMED], 2);
  end_reading(&r);
  begin_reading(&r, NATIVE, "- {submit: 0, delay: 1}\n- id: 3\n  submit: soon\n", NULL, NULL, NULL);
  r.context.strict = true;
  open_reading(&r);
  read_on(&r);
  assert_true(r.error.line == 3 && r.error.column == 11);
  assert_non_null(strstr(r.error.text, "go on\n  submit: soon\n          ^")); /* the picture comes last */
  end_reading(&r);
  expect_error(NATIVE, "[{\"submit\": 0, \"delay\": 1}, {\"submit\": 0, \"dealy\": 1}]", NULL, HC_EINPUT, 1,
               "did you mean");
}

static void test_too_long(void **state)
{
  const size_t n = HC_ITEM_LIMIT;
  char *text = test_calloc(n + 64, 1);
  HC_UNUSED(state);
  strcpy(text, "- {submit: 0, delay: 1}\n- {name: ");
  memset(text + strlen(text), 'x', n);
  expect_error(NATIVE, text, NULL, HC_EINPUT, 2, "longer than 1 MiB");
  strcpy(text, "{\"submit\": 0, \"delay\": 1}\n{\"name\": \"");
  memset(text + strlen(text), 'x', n);
  expect_error(NATIVE, text, NULL, HC_EINPUT, 2, "longer than 1 MiB");
  test_free(text);
}

/* ---- the workload of the examples ---- */

static void test_example(void **state)
{
  reading r;
  const char *dir = HC_TEST_SOURCE_DIR "/tests/data/native";
  char file[512], profiles[512], jobs[512];
  HC_UNUSED(state);
  snprintf(file, sizeof file, "file=%s/tasks.yaml", dir);
  snprintf(profiles, sizeof profiles, "profiles=%s/profiles.yaml", dir);
  snprintf(jobs, sizeof jobs, "collections=%s/collections.yaml", dir);
  begin_reading(&r, NATIVE, "", NULL, NULL, NULL);
  drop(&r.chosen);
  r.chosen = choose(&hc_reader_native.component, file, profiles, jobs, "memory_unit=1GB", NULL);
  open_reading(&r);
  read_on(&r);
  if (r.rc < 0) fail_msg("line %u: %s", r.error.line, r.error.text);
  assert_int_equal(r.count, 20);
  assert_int_equal(r.ledger.read, 20);
  int64_t tasks = 0, hosts = 0;
  for (size_t i = 0; i < r.count; i++) {
    const hc_task_spec *t = &r.tasks[i];
    const hc_task_extras *m = hc_lexicon_more(r.lexicon, t->more);
    tasks += t->count > 0 ? t->count : 1;
    hosts += t->hosts;
    for (size_t k = 0; m && k < m->chunk_count; k++) hosts += m->chunks[k].hosts;
    assert_true(t->run > 0 && (t->user == 1 || t->user == 2));
    assert_true(t->hosts >= 1 && t->hosts <= 10);
    if (t->need[HC_DIM_CPU] > 5000) assert_true(t->need[HC_DIM_MEMORY] <= INT64_C(20000000000));
  }
  assert_int_equal(tasks, 23);
  assert_int_equal(hosts, 29);                       /* 20 + 2 + 1 + 4 further ones, and 2 of the chunk */
  assert_int_equal(r.tasks[1].run, 480 * HC_SECOND); /* 2,400,000 / (1000 x 5) */
  assert_int_equal(r.tasks[3].run, 130 * HC_SECOND); /* 10 + 2,400,000 / (1000 x 20) */
  assert_int_equal(r.tasks[4].run, 300 * HC_SECOND); /* 3,000,000 / (1000 x 10) */
  assert_int_equal(r.tasks[5].run, 240 * HC_SECOND); /* 2 x (30 + 60 + 30) */
  assert_int_equal(r.tasks[5].not_before, 100 * HC_SECOND);
  assert_int_equal(r.tasks[16].submit, 120 * HC_SECOND); /* its job's */
  end_reading(&r);
}

static void test_recognised(void **state)
{
  const char *yaml = "# c\n---\n\n- submit_time: 1\n  resources: {nodes_count: 1}\n";
  const char *json = "{\"submit_time\": 1, \"resources\": {}, \"profile\": \"x\"}";
  const char *other = "{\"jobs\": [{\"type\": \"rigid\", \"submit_time\": 1, \"num_nodes\": 4}]}";
  HC_UNUSED(state);
  assert_int_equal(hc_reader_native.recognise("x", yaml, strlen(yaml)), 95);
  assert_int_equal(hc_reader_native.recognise("x", json, strlen(json)), 92);
  assert_int_equal(hc_reader_native.recognise("x", other, strlen(other)), 0);
  assert_int_equal(hc_reader_native.recognise("x", "# only", 6), 0);
  assert_int_equal(hc_reader_native.recognise("x", "", 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_key),
      cmocka_unit_test(test_malleable),
      cmocka_unit_test(test_resizes),
      cmocka_unit_test(test_dslab),
      cmocka_unit_test(test_profiles),
      cmocka_unit_test(test_wrong_profiles),
      cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_wrong_jobs),
      cmocka_unit_test(test_after),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_rivals),
      cmocka_unit_test(test_rejected),
      cmocka_unit_test(test_unknown_keys),
      cmocka_unit_test(test_files_that_are_none),
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_bad_item_between),
      cmocka_unit_test(test_too_long),
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
