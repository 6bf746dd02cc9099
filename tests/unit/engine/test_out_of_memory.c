/* test_out_of_memory.c -- every allocation of a small run fails once: never a crash, always an error,
 * nothing lost.
 *
 * The n-th allocation of run, advance, snapshot and finish fails (those of a configuration fail in
 * test_config), and those after it succeed; then n + 1, until the run comes through. A part that can do
 * without (the radix queue can) must then give the same result. Under the address sanitizer this finds leaks
 * and what an undo left half done. The store's memory is SQLite's.
 *
 * Started with `PART OF`, it runs each OF-th test from PART on, so that they can run side by side.
 * HC_TEST_EVERY in the environment: only each so many'th allocation; 1 where `./dev soak` asks for all. */
#include "engine_test.h"

#ifndef HC_TEST_EVERY
#define HC_TEST_EVERY 1
#endif

typedef struct scarce {
  const hc_allocator *below;
  uint64_t count, fails_at; /* allocations so far; which fails */
  int64_t held;             /* bytes */
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  void *out;
  if (new_size > 0 && ++s->count == s->fails_at) return NULL;
  out = s->below->resize(s->below->ctx, p, old_size, new_size);
  s->held += (int64_t)new_size - (int64_t)old_size;
  return out;
}

/* More than fits, for a while, so that everything that grows does so while the run advances. One row is
 * too large. */
#define JOBS 150
static void make_jobs(job *jobs)
{
  for (int64_t i = 0; i < JOBS; i++)
    jobs[i] = (job)J(i + 1, i / 3, i % 11, 1 + i * 7 % 40, i % 5 == 0 ? 8 : 12);
  jobs[JOBS - 1].procs = 1000;
}

/* What came out of a run. */
typedef struct outcome {
  bool reached;        /* the allocation that was to fail was asked for */
  uint64_t configured; /* allocations before the run was made */
  size_t count;
  hc_task_record records[JOBS];
  char text[768]; /* of the error */
} outcome;

/* One run with one allocation failing. @return its rc. */
static hc_rc attempt(const char *yaml, uint64_t fails_at, outcome *out)
{
  scarce s = {.below = hc_default_allocator(), .fails_at = fails_at};
  const hc_allocator a = {&s, scarce_resize, NULL};
  hc_snapshot snapshot = {0};
  job jobs[JOBS];
  bench b;
  hc_rc rc;
  make_jobs(jobs);
  memset(&b, 0, sizeof b);
  write_jobs(b.path, 64, jobs, COUNT(jobs));
  rc = configure(&b, &a, yaml, NULL);
  out->configured = s.count;
  if (rc >= 0) check(&b, hc_store_new(hc_default_allocator(), NULL, &b.store, &b.error));
  if (rc >= 0) rc = hc_run_new(&a, b.config, b.store, &b.run, &b.error);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 30, &b.error);
  if (rc >= 0) rc = hc_run_snapshot(b.run, &snapshot, &b.error);
  if (rc >= 0) {
    hc_store *store;
    hc_run *copy;
    check(&b, hc_store_new(hc_default_allocator(), NULL, &store, &b.error));
    rc = hc_run_restore(&a, b.config, store, &snapshot, &copy, &b.error);
    if (rc >= 0) hc_run_free(copy);
    hc_store_free(store);
    hc_snapshot_free(&a, &snapshot);
  }
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0) rc = hc_run_finish(b.run, &b.error);
  if (rc >= 0) read_records(&b);
  out->reached = s.count >= fails_at;
  if (rc >= 0) assert_int_equal(b.count, COUNT(jobs) - 1);
  out->count = b.count;
  memcpy(out->records, b.records, sizeof out->records);
  (void)snprintf(out->text, sizeof out->text, "%s", b.error.text);
  if (rc < 0 && b.config) assert_int_equal(b.error.rc, rc); /* it said so */
  end(&b);
  assert_int_equal(s.held, 0);
  return rc;
}

static void every_allocation(const char *yaml)
{
  static outcome plain, out; /* too large for a stack */
  assert_int_equal(attempt(yaml, UINT64_MAX, &plain), 0);
  out.reached = true;
  const char *given = getenv("HC_TEST_EVERY");
  const uint64_t every = given ? strtoull(given, NULL, 10) : HC_TEST_EVERY;
  assert_true(every > 0);
  for (uint64_t n = plain.configured + 1; out.reached; n += every) {
    hc_rc rc = attempt(yaml, n, &out);
    bool same = rc == 0 && memcmp(plain.records, out.records, sizeof out.records) == 0;
    if (!same && (rc != HC_ENOMEM || !out.reached))
      fail_msg("%s: %s: allocation %" PRIu64 " failed and the run returned %s", out.text, yaml, n,
               rc < 0 ? hc_rc_name(rc) : "0");
  }
}

static void test_easy(void **state)
{
  (void)state;
  every_allocation(
      "policy: {select: {use: easy, depth: 2, candidates: sjf}}\nmetrics: [tasks, wait, utilisation]\n");
}

static void test_places(void **state)
{
  (void)state;
  every_allocation(
      "policy: {select: easy, place: contiguous}\nmetrics: []\noverrun: run_on\nevent_queue: radix\n");
}

static void test_conservative(void **state)
{
  (void)state;
  every_allocation(
      "policy: {order: wfp3, select: conservative}\nmetrics: by_user\narchitecture: {use: monolithic, "
      "think: 1s}\ncell: {use: auto, granularity: intervals}\n");
}

static void test_time_slices(void **state)
{
  (void)state;
  every_allocation(
      "policy: {use: gang, quantum: 2s, rows: 6, switch_cost: 1s, alternate: true, unify: true, queue: "
      "scan}\n"
      "metrics: [suspension, usage]\ncell: {use: auto, granularity: intervals}\n");
  every_allocation("policy: {use: gang, quantum: 2s, pack: buddy}\nmetrics: []\n");
}

static void test_promised_hosts(void **state)
{
  (void)state;
  every_allocation("cell: {use: hosts, classes: [{name: a, cpus: 64}, {name: b, cpus: 64, speed: 2}]}\n"
                   "policy: conservative\nmetrics: []\narchitecture: {use: monolithic, think: 1s}\n");
}

static void test_sharing_hosts_that_report(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{name: a, cpus: 24}, {name: b, cpus: 24}]}\n"
      "policy: {use: fair, knob: 0.4, rounds: 2, fallback: best_score, accept: {use: all_of, of: [{use: "
      "locality, "
      "any_factor: 2}, {use: refusal, memory: operation, adapt: 1, never: \"user > 9\"}]}}\nmetrics: []\n"
      "architecture: {use: heartbeat, latency: 1s}\n");
  every_allocation("cell: {use: hosts, classes: [{name: a, cpus: 24}, {name: b, cpus: 24}]}\nmetrics: []\n"
                   "policy: {use: fair, share: hdrf, weights: [2=3], pools: [{name: p, users: [1]}]}\n"
                   "architecture: {use: heartbeat, offer: instant}\n");
}

static void test_schedulers_that_share(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: shared_state, conflict: sequence, schedulers: [{name: wide, takes: units > 2, "
      "place: random}, {name: rest, count: 2, think_job: 100s}]}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: partitions, schedulers: [{name: wide, takes: units > 2}, {name: rest}]}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: two_level, offer: fair_share, gang: hoard, schedulers: [{name: wide, takes: units "
      "> 2}, {name: rest}]}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\npolicy: scan\nmetrics: "
      "queue_load\n"
      "architecture: {use: shared_state, schedulers: [{name: all, mold: max_parallelism, activities: 2 * "
      "slots}]}\n");
}

static void test_a_prepared_cell(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\npolicy: scan\nmetrics: []\n"
      "transforms: [{use: prefill, at: 0s}]\n"
      "architecture: {use: two_level, prefill_place: worst_fit, schedulers: [{name: wide, takes: units > 2, "
      "blacklist: 0.1, max_share: 0.9}, {name: rest, blacklist: 0.2, max_jobs: 40, preempts: true, "
      "all_or_nothing: units > 1}]}\n");
}

static void test_operations_in_pools(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{name: a, cpus: 24}, {name: b, cpus: 40}]}\nmetrics: []\n"
      "policy: {use: yt, update: 1s, starving_after: 1s, backoff: 1s, accept: refusal, pools: [{name: p, "
      "strong: "
      "[cpu=30%], max_running: 20}, {name: q, parent: p, users: [1], integral: relaxed, flow: 0.1}]}\n"
      "architecture: {use: heartbeat, period: 3s}\n");
}

static void test_schedulers_that_sample(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 8}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: sparrow, latency: 1s, cancel: true, think_job: 1s}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 8}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: sparrow, latency: 1s, binding: early}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 8}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: eagle, latency: 1s, cutoff: 10s}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 8}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: kubernetes, think: 1s, place: balanced}\n");
  every_allocation(
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 8}]}\npolicy: fcfs\nmetrics: []\n"
      "architecture: {use: parsync, parts: 4, gap: 4s, attempts_in_vain: 2, schedulers: [{name: all, count: "
      "2, think_job: 1s}]}\n");
}

static void test_slack_and_a_loop(void **state)
{
  (void)state;
  every_allocation(
      "source: {use: swf, file: FILE, follow: think_time}\npolicy: slack\nmetrics: [wait]\ntrim: full\n");
}

static void test_hosts_with_load(void **state)
{
  (void)state;
  every_allocation(
      "cell: {use: hosts, classes: [{name_prefix: a, count: 32, cpus: 1, memory: 1GiB}, "
      "{name_prefix: b, count: 32, cpus: 1, memory: 1GiB, speed: 2}]}\n"
      "local_load: [{dimension: cpu, takes: false}, {dimension: memory}]\n"
      "policy: {use: batch, select: {use: easy, reserve: hosts}, place: {use: least_utilised, by: past}, "
      "eligibility: utilisation}\nmetrics: [host_balance, occupancy, wait_spread, from_origin]\n");
  every_allocation(
      "cell: {use: hosts, classes: [{name_prefix: a, count: 64, cpus: 1, features: [ssd]}]}\n"
      "policy: {use: batch, select: lottery, place: fastest, eligibility: {use: expr, when: ssd}}\n"
      "metrics: []\n");
  every_allocation("cell: {use: hosts, classes: [{count: 64, name_prefix: a, cpus: 1}]}\n"
                   "policy: {select: easy_book}\nmetrics: []\n");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_easy),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_conservative),
      cmocka_unit_test(test_time_slices),
      cmocka_unit_test(test_promised_hosts),
      cmocka_unit_test(test_sharing_hosts_that_report),
      cmocka_unit_test(test_schedulers_that_share),
      cmocka_unit_test(test_a_prepared_cell),
      cmocka_unit_test(test_operations_in_pools),
      cmocka_unit_test(test_schedulers_that_sample),
      cmocka_unit_test(test_slack_and_a_loop),
      cmocka_unit_test(test_hosts_with_load),
  };
  struct CMUnitTest part[COUNT(tests)];
  const size_t of = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  size_t count = 0;
  for (size_t i = argc > 2 ? strtoull(argv[1], NULL, 10) : 0; i < COUNT(tests) && of > 0; i += of)
    part[count++] = tests[i];
  return count > 0 ? _cmocka_run_group_tests("out of memory", part, count, NULL, NULL) : 1;
}
