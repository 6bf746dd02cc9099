/* test_world.c -- whole runs of the closed world `omega`: cases worked by hand, laws that hold of any run,
 * and equal results from parts that should not matter. What the original did is in
 * tests/oracles/test_omega.c. */
#include "world_test.h"

/* ---- by hand ---- */

/* One job of ten tasks at time 0. It is thought about for 0.1 + 10 x 0.005 = 0.15 s, and its tasks of a cpu
 * hold ten of 40 from 0.15 to 50.15. The monitor looks at 0, 1 ... 51, where nothing is left to come and it
 * stops: 50 of 52 looks (1 to 50)
 * see ten cpus. */
static void test_one_job(void **state)
{
  static const char *const architectures[] = {"monolithic", "shared_state"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[512], name[64];
    world w;
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, architecture: %s, machines: 10, run_time: 100, workloads: "
                   "[{name: J, arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 50}}]}",
                   architectures[i]);
    w = run(text);
    near(figure(&w, "makespan"), 51);
    near(figure(&w, "cpu_utilisation"), 50.0 * 10 / 40 / 52);
    near(figure(&w, "memory_utilisation"), 50.0 * 20 / 160 / 52);
    near(figure(&w, "wait_first_mean_J"), 0);
    (void)snprintf(name, sizeof name, "useful_busy_%s", i ? "OmegaJ-1" : "Monolithic");
    near(figure(&w, name), 0.15);
    done(&w);
  }
}

/* The second job comes at 0.1, and its scheduler thinks about the first until 0.15. Two schedulers: no job
 * waits. */
/* What is asked of them is 0.3 s of thought in 0.2 s; the run ends with the last thought, at 0.3 s or 0.25 s.
 * One of them alone lets the second job wait 0.05 s, longer than the objective. */
static void test_queue(void **state)
{
  (void)state;
  for (int schedulers = 1; schedulers <= 2; schedulers++) {
    char text[512];
    world w;
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, machines: 10, run_time: 0.2, objective: 0.01, workloads: [{name: J, "
                   "schedulers: %d, arrivals: {use: uniform, interarrival: 0.1, tasks: 10, duration: 50}}]}",
                   schedulers);
    w = run(text);
    near(figure(&w, "jobs_J"), 2);
    near(figure(&w, "wait_first_mean_J"), schedulers == 1 ? 0.025 : 0);
    near(figure(&w, "jobs_within_J"), schedulers == 1 ? 0.5 : 1);
    near(figure(&w, "busyness_J"), schedulers == 1 ? 1 : 0.6);
    near(figure(&w, "busyness_offered_J"), schedulers == 1 ? 1.5 : 0.75);
    near(figure(&w, "busyness_per_offered_J"), schedulers == 1 ? 1 / 1.5 : 0.8);
    near(figure(&w, "conflict_fraction_J"), 0);
    done(&w);
  }
}

/* The run ends before the world does, whether it is asked to go on to its end or by few events at a time.
 * Looks at 0, 1 ... 10, then the one that is later, which still happens: 11 of 12 see ten cpus. */
static void test_until(void **state)
{
  static const char text[] =
      "{until: 10, world: {use: omega, machines: 10, run_time: 100, workloads: [{name: J, "
      "arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 50}}]}}";
  (void)state;
  for (uint64_t stride = 0; stride <= 3; stride++) {
    const hc_allocator *a = hc_default_allocator();
    hc_error e = {0};
    hc_run *r;
    hc_rc rc;
    world w = {0};
    check(hc_registry_new(a, &w.registry), &e);
    check(hc_config_new(a, w.registry, &w.config, &e), &e);
    check(hc_config_text(w.config, text, sizeof text - 1, "test", &e), &e);
    check(hc_store_new(a, NULL, &w.store, &e), &e);
    check(hc_run_new(a, w.config, w.store, &r, &e), &e);
    for (int n = 0; (rc = hc_run_advance(r, HC_NEVER, stride, &e)) == 1; n++) assert_true(n < 100);
    check(rc, &e);
    check(hc_run_finish(r, &e), &e);
    hc_run_free(r);
    check(hc_result_of_store(w.store, &w.result, &e), &e);
    near(figure(&w, "makespan"), 11);
    near(figure(&w, "cpu_utilisation"), 11.0 * 10 / 40 / 12);
    done(&w);
  }
}

/* A sweep sets think times of the last workload, or of all: a job of ten tasks is thought about for 2 s + 10
 * x 0.3 s. */
static void test_sweeps(void **state)
{
  (void)state;
  for (int all = 0; all <= 1; all++) {
    char text[512];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, machines: 10, run_time: 10, swept: 2, swept_task: 0.3, sweeps: %s, workloads: "
        "[{name: A, arrivals: {use: uniform, interarrival: 10, tasks: 10, duration: 50}}, "
        "{name: B, arrivals: {use: uniform, interarrival: 10, tasks: 10, duration: 50}}]}",
        all ? "all" : "last");
    w = run(text);
    near(figure(&w, "busyness_offered_A"), all ? 0.5 : 0.015);
    near(figure(&w, "busyness_offered_B"), 0.5);
    done(&w);
  }
}

/* A task of five cpus fits nowhere. 101 attempts of 0.105 s, a second apart, and the job is given up; the
 * time was wasted, which the original does not count. */
static void test_giving_up(void **state)
{
  (void)state;
  for (int wrong = 0; wrong < 2; wrong++) {
    char text[512];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, architecture: monolithic, machines: 10, run_time: 1000, defects: %s, workloads: "
        "[{name: J, arrivals: {use: uniform, interarrival: 1000, tasks: 1, cpus: 5}}]}",
        wrong ? "idle" : "[]");
    w = run(text);
    near(figure(&w, "jobs_given_up_J"), 1);
    near(figure(&w, "tasks_unscheduled_share_J"), 1);
    near(figure(&w, "attempts_p90_J"), 101);
    near(figure(&w, "wasted_busy_Monolithic"), wrong ? 0 : 101 * 0.105);
    near(figure(&w, "no_resources_Monolithic"), wrong ? 0 : 101);
    done(&w);
  }
}

/* Two schedulers see the same empty machine of one cpu and both choose it: the second to think it over
 * conflicts. */
static void test_conflict(void **state)
{
  static const char *const conflicts[] = {"resource_fit", "sequence_numbers"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[512];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, machines: 1, cpus: 1, run_time: 0.5, conflict: %s, workloads: ["
        "{name: A, think_job: 0.1, think_task: 0, arrivals: {use: uniform, interarrival: 9, tasks: 1}}, "
        "{name: B, think_job: 0.3, think_task: 0, arrivals: {use: uniform, interarrival: 9, tasks: 1}}]}",
        conflicts[i]);
    w = run(text);
    near(figure(&w, "succeeded_OmegaA-1"), 1);
    near(figure(&w, "failed_OmegaB-1"), 1);
    near(figure(&w, "wasted_busy_OmegaB-1"), 0.3);
    near(figure(&w, "tasks_failed_OmegaB-1"), 1);
    near(figure(&w, "conflict_share_OmegaB-1"), 1);
    done(&w);
  }
}

/* A's task holds the one machine from 0.1 to 0.3. B's first job, thought about from 0 to 0.2, conflicts with
 * it; the second, from 0.2 to 0.4, was decided on a full cell: it finds nothing, though all is free by then.
 * What was probed for it is counted when the thought is over, and not if the run ends before, with the
 * arrival at 0.3. */
static void test_decided_at_first(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const bool probes = i % 2, ends = i / 2;
    char text[512];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, machines: 1, cpus: 1, run_time: %s, pick: %s, workloads: ["
        "{name: A, think_job: 0.1, think_task: 0, arrivals: {use: uniform, interarrival: 9, tasks: 1, "
        "duration: 0.2}}, "
        "{name: B, think_job: 0.2, think_task: 0, arrivals: {use: uniform, interarrival: 0.15, tasks: 1}}]}",
        ends ? "0.35" : "0.25", probes ? "probe" : "choose");
    w = run(text);
    near(figure(&w, "succeeded_OmegaA-1"), 1);
    near(figure(&w, "failed_OmegaB-1"), 1);
    near(figure(&w, "succeeded_OmegaB-1"), 0);
    near(figure(&w, "no_resources_OmegaB-1"), ends);
    near(figure(&w, "failed_probes"), ends && probes);
    done(&w);
  }
}

/* Requests at 0 are answered at 1 by an offer, which arrives a millisecond later; ten tasks start 0.15 s
 * after that, at 1.151, and the cell is locked from 1 on until then: one look, at 1, after the offer that was
 * put in for the same time before it. The tasks end at 21.151; the allocator wakes at 22.151, and the last of
 * 24 looks is at 23. */
static void test_offer(void **state)
{
  world w = run("world: {use: omega, architecture: two_level, machines: 100, run_time: 50, workloads: "
                "[{name: J, arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 20}}]}");
  (void)state;
  near(figure(&w, "wait_first_mean_J"), 1.001);
  near(figure(&w, "useful_busy_MesosJ"), 0.15);
  near(figure(&w, "cpu_utilisation"), 20.0 * 10 / 400 / 24); /* looks at 2 to 21 */
  near(figure(&w, "cpu_locked"), 1.0 / 24);
  done(&w);
}

/* The offer comes at 1.001 s, and is thought about for 100.05 s; the run ends at 11 s. The thought was begun
 * for all of it, but busyness is what the run saw of it. Nothing runs: all is free. */
static void test_half_a_thought(void **state)
{
  world w =
      run("world: {use: omega, machines: 100, architecture: two_level, run_time: 10, swept: 100, workloads: "
          "[{name: J, arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 20}}]}");
  (void)state;
  near(figure(&w, "makespan"), 11);
  near(figure(&w, "useful_busy_MesosJ"), 100.05);
  near(figure(&w, "busyness_J"), (11 - 1.001) / 11);
  near(figure(&w, "cpu_locked_of_free"), figure(&w, "cpu_locked"));
  done(&w);
}

/* Half of ten machines are never used, whichever they are: five tasks of a cpu on machines of one. */
static void test_blacklist(void **state)
{
  static const char *const how[] = {"pick: choose", "pick: probe", "pick: probe, defects: blacklist"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[512];
    world w;
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, machines: 10, cpus: 1, run_time: 20, blacklist: 0.5, %s, workloads: "
                   "[{name: J, arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 900}}]}",
                   how[i]);
    w = run(text);
    near(figure(&w, "tasks_started"), 5);
    near(figure(&w, "tasks_unscheduled_J"), 5);
    done(&w);
  }
}

/* ---- laws ---- */

typedef struct job_check {
  double jobs, tasks, left, mean_tasks, mean_duration;
  bool is_clock;
} job_check;

/* With the clock for a seed, tasks and duration of a job come from one number u: tasks = ceil(-m ln u) and
 * duration = -d ln u, so that tasks = ceil(m x duration / d); a rounding of the nanosecond may be in it. */
static hc_rc check_job(void *ctx, const char *const *v)
{
  job_check *c = ctx;
  const double tasks = strtod(v[4], NULL), duration = strtod(v[5], NULL) / 1e9;
  const double size = c->mean_tasks * duration / c->mean_duration;
  c->jobs++;
  c->tasks += tasks;
  c->left += strtod(v[12], NULL);
  if (c->is_clock) assert_true(tasks > size - 1e-6 && tasks < size + 1 + 1e-6);
  return 0;
}

static hc_rc sum_finals(void *ctx, const char *const *v)
{
  *(double *)ctx += strtod(v[1], NULL);
  return 0;
}

/* Every generator and prefill, each architecture: tasks in the ledger are those of the jobs, and what is left
 * is what did not start. */
static void test_ledger(void **state)
{
  static const char *const architectures[] = {"monolithic", "shared_state", "two_level"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    char text[1024];
    job_check c = {.mean_tasks = 20, .mean_duration = 60, .is_clock = i >= 3};
    double finals = 0;
    hc_error e = {0};
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, architecture: %s, machines: 100, run_time: 900, %s"
        "prefill: [{use: even, share: 0.2}, {use: random_jobs, share: 0.2, remaining: 300}], workloads: ["
        "{name: A, arrivals: {use: exp_exp_exp, interarrival: 5, tasks: 20, duration: 60}}]}",
        architectures[i % 3], i >= 3 ? "defects: all, " : "");
    w = run(text);
    check(hc_result_rows(w.result, "jobs", 16, check_job, &c, &e), &e);
    check(hc_result_rows(w.result, "finals", 2, sum_finals, &finals, &e), &e);
    assert_true(c.jobs > 100);
    near(finals, c.tasks);
    near(figure(&w, "tasks_unscheduled_A"), c.left);
    if (i % 3 != 2)
      near(figure(&w, "tasks_started"), c.tasks - c.left); /* an answer may still be under way */
    done(&w);
  }
}

/* ---- what should not matter ---- */

static void same_figures(const char *a, const char *b, const char *const *names)
{
  world x = run(a), y = run(b);
  for (; *names; names++) {
    const double p = figure(&x, *names), q = figure(&y, *names);
    if (!(p == q)) fail_msg("%s: %.17g and %.17g", *names, p, q);
  }
  done(&x);
  done(&y);
}

#define TWO_LEVEL(memory) \
  "world: {use: omega, architecture: two_level, machines: 200, run_time: 3000, defects: all, " \
  "least_offer_cpus: 20, " \
  "least_offer_memory: 1, memory: " memory ", prefill: {use: even, share: 0.3}, workloads: [" \
  "{name: A, arrivals: {use: exp_exp_exp, interarrival: 4, tasks: 10, duration: 60}}, " \
  "{name: B, think_job: 7, arrivals: {use: exp_exp_exp, interarrival: 20, tasks: 5, duration: 90}}]}"

/* Memory is never scarce: four tasks of 2 GB. With 16 GB all sums are exact and offers hold everything
 * together; with 16.1 GB they hold machine by machine. */
static void test_locks(void **state)
{
  static const char *const names[] = {"wait_full_mean_A",    "wait_full_mean_B",    "useful_busy_MesosA",
                                      "useful_busy_MesosB",  "cpu_utilisation",     "cpu_locked",
                                      "failed_probes",       "tasks_started",       "makespan",
                                      "no_resources_MesosA", "task_attempts_p90_A", NULL};
  (void)state;
  same_figures(TWO_LEVEL("16"), TWO_LEVEL("16.1"), names);
}

#define SHARED(ties) \
  "world: {use: omega, machines: 200, run_time: 3000, pick: probe, ties: " ties \
  ", prefill: {use: even, share: 0.3}, workloads: [{name: A, schedulers: 3, arrivals: {use: exp_exp_exp, " \
  "interarrival: 3, tasks: 10, duration: 60}}, {name: B, think_job: 7, arrivals: {use: exp_exp_exp, " \
  "interarrival: 20, tasks: 5, duration: 90}}]}"

/* Nothing happens at one time but that the prefill ends with the run, which jobs do not see. */
static void test_heap(void **state)
{
  static const char *const names[] = {"wait_full_mean_A",
                                      "wait_full_mean_B",
                                      "useful_busy_OmegaA-1",
                                      "wasted_busy_OmegaA-2",
                                      "failed_probes",
                                      "tasks_started",
                                      NULL};
  (void)state;
  same_figures(SHARED("heap"), SHARED("inserted"), names);
}

/* ---- failures ---- */

/* The n-th allocation fails, for every n: an error, and nothing is kept. */
static void test_out_of_memory(void **state)
{
  static const char *const kinds[] = {"architecture: two_level, least_offer_cpus: 1, least_offer_memory: 1",
                                      "architecture: two_level, memory: 16.1, defects: all", "pick: probe",
                                      "ties: heap", "architecture: monolithic"};
  (void)state;
  for (int kind = 0; kind < 5; kind++) {
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "world: {use: omega, machines: 20, run_time: 30, blacklist: 0.1, prefill: {use: even, share: 0.2}, "
        "%s, workloads: [{name: A, %s}]}",
        kinds[kind],
        kind < 4
            ? "arrivals: {use: exp_exp_exp, interarrival: 4, tasks: 3, duration: 9}"
            : "mold: max_parallelism, arrivals: {use: mapreduce, interarrival: 4, workers: [3], duration: "
              "9}");
    assert_scarce(text);
  }
}

static void test_refusals(void **state)
{
  (void)state;
  assert_refused("world: omega", "nothing arrives");
  assert_refused("world: {use: omega, workloads: [{name: A}]}", "which file?");
  assert_refused("world: {use: omega, workloads: [{name: A, arrivals: measured}]}", "no file is named");
  assert_refused("world: {use: omega, prefill: even, workloads: [{name: A, arrivals: uniform}]}",
                 "how much?");
  assert_refused("world: {use: omega, machine: 3, workloads: [{name: A, arrivals: uniform}]}",
                 "did you mean \"machines\"");
  /* What a run has only if it is asked for is not passed over. */
  static const char *const parts[] = {"execution: activities",
                                      "transforms: [prefill]",
                                      "events: {use: drawn, up_time: 20m, down_time: 5m}",
                                      "local_load: [{dimension: cpu, rate: 0.02, scale: 0.3}]",
                                      "predictor: last_two",
                                      "changes: [{at: 5m, set: policy.order=sjf}]",
                                      "reservations: [{count: 2, maintenance: true, start: 5m, end: 10m}]"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[256];
    (void)snprintf(text, sizeof text, "%s\nworld: {use: omega, workloads: [{name: A, arrivals: uniform}]}",
                   parts[i]);
    assert_refused(text, "or the world");
  }
}

/* What the engine offers of a run and a world does not: refused, not undefined. */
static void test_no_snapshot(void **state)
{
  static const char text[] =
      "world: {use: omega, machines: 1, run_time: 1, workloads: [{name: A, arrivals: uniform}]}";
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry;
  hc_config *config;
  hc_run *r;
  hc_snapshot s;
  char digest[33];
  hc_error e = {0};
  (void)state;
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, text, strlen(text), "test", &e), &e);
  check(hc_run_new(a, config, NULL, &r, &e), &e);
  assert_int_equal(hc_run_snapshot(r, &s, NULL), HC_EUNSUPPORTED);
  assert_int_equal(hc_run_digest(r, digest, NULL), HC_EUNSUPPORTED);
  hc_run_free(r);
  hc_config_free(config);
  hc_registry_free(registry);
}

/* ---- the export ---- */

typedef struct bytes {
  unsigned char data[65536];
  size_t n;
} bytes;

static hc_rc gather(void *ctx, const void *data, size_t size)
{
  bytes *b = ctx;
  assert_true(b->n + size <= sizeof b->data);
  memcpy(b->data + b->n, data, size);
  b->n += size;
  return 0;
}

static size_t length_at(const bytes *b, size_t *at)
{
  size_t n = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char c = b->data[(*at)++];
    n |= (size_t)(c & 0x7f) << shift;
    if (c < 0x80) return n;
  }
}

/* Field 1 holds all; in it field 1 is the cell's name, 3 the run time as a double, and 4 the result, whose
 * field 4 is the utilisation. Numbers by hand from the encoding: key = field x 8 + wire type. */
static void test_export(void **state)
{
  bytes b = {.n = 0};
  const hc_sink sink = {&b, gather};
  size_t at = 1, n;
  double x;
  hc_error e = {0};
  world w = run("name: cell\nworld: {use: omega, machines: 10, run_time: 100, workloads: "
                "[{name: J, arrivals: {use: uniform, interarrival: 100, tasks: 10, duration: 50}}]}");
  (void)state;
  check(hc_export_result(hc_default_allocator(), w.registry, "omega", NULL, 0, w.result, &sink, &e), &e);
  assert_int_equal(b.data[0], 1 << 3 | 2);
  n = length_at(&b, &at);
  assert_int_equal(n, b.n - at);
  assert_memory_equal(b.data + at,
                      "\x0a\x04"
                      "cell",
                      6);
  at += 6;
  assert_memory_equal(b.data + at, "\x12\x09workloads\x19", 12);
  memcpy(&x, b.data + at + 12, 8); /* little-endian, as this machine */
  near(x, 100);
  at += 20;
  assert_int_equal(b.data[at++], 4 << 3 | 2);
  (void)length_at(&b, &at);
  assert_int_equal(b.data[at], 4 << 3 | 1);
  memcpy(&x, b.data + at + 1, 8);
  near(x, 50.0 * 10 / 40 / 52);
  done(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_job),
                                     cmocka_unit_test(test_queue),
                                     cmocka_unit_test(test_until),
                                     cmocka_unit_test(test_sweeps),
                                     cmocka_unit_test(test_giving_up),
                                     cmocka_unit_test(test_conflict),
                                     cmocka_unit_test(test_decided_at_first),
                                     cmocka_unit_test(test_offer),
                                     cmocka_unit_test(test_half_a_thought),
                                     cmocka_unit_test(test_blacklist),
                                     cmocka_unit_test(test_ledger),
                                     cmocka_unit_test(test_locks),
                                     cmocka_unit_test(test_heap),
                                     cmocka_unit_test(test_out_of_memory),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_no_snapshot),
                                     cmocka_unit_test(test_export)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
