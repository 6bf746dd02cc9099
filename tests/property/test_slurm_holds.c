/* test_slurm_holds.c -- random workloads under the policy slurm on hosts: what each schedule must keep, it
 * keeps.
 *
 *   - the result verifies (hc_verify_result), and each task that the hosts suffice for has run
 *   - with looks and ends at whole seconds each start is at one
 *   - under sched/builtin, with priority/basic, tasks start in the order in which they came
 *   - saved and taken up again after every few instants the history is the same
 *   - so it is where jobs of three partitions preempt each other, in every way; some are preempted, and each
 *     of them ends
 *
 * A failure prints the seed, which makes the run again. */
#include "../unit/architecture/starts_test.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/verify.h"
#include "sample.h"

enum { TASKS = 60, SEEDS = 40 };

typedef struct workload {
  int64_t hosts;
  bool is_builtin;
  job jobs[TASKS];
  char keys[256];
} workload;

static int64_t below(hc_draws *d, uint64_t n)
{
  return (int64_t)hc_random_below(d, n);
}

static void make(workload *w, hc_draws *d)
{
  static const int64_t sizes[] = {4, 13, 70};
  static const char *const lists[] = {"bf_resolution=1",        "bf_interval=5,bf_resolution=1",
                                      "bf_max_job_test=3",      "batch_sched_delay=0,default_queue_depth=2",
                                      "bf_min_age_reserve=100", "bf_window=1,bf_window_linear=20",
                                      "sched_max_job_start=1"};
  const uint64_t pause = 1 + (uint64_t)below(d, 40), length = 2 + (uint64_t)below(d, 300);
  int64_t submit = 0;
  w->hosts = sizes[below(d, 3)];
  w->is_builtin = below(d, 3) == 0;
  for (int64_t i = 0; i < TASKS; i++) {
    const int64_t run = 1 + below(d, length), most = below(d, 3) > 0 ? 1 + w->hosts / 4 : w->hosts;
    submit += below(d, 3) ? below(d, pause) : 0;
    w->jobs[i] = (job)J(i + 1, submit, run, 1 + below(d, (uint64_t)most), 1 + below(d, 2 * (uint64_t)run));
  }
  (void)snprintf(
      w->keys, sizeof w->keys,
      "tick: 1s, per_job: 0, killed: %ds, completes: %ds, epilog: %s, scheduler_parameters: \"%s\"",
      (int)below(d, 3), (int)below(d, 3), below(d, 2) ? "none" : "present",
      w->is_builtin ? "batch_sched_delay=2" : lists[below(d, COUNT(lists))]);
}

static void hear(void *ctx, const hc_violation *v)
{
  print_error("seed %" PRIu64 ": %s at %" PRId64 " s, task %" PRId64 ": %s\n", *(const uint64_t *)ctx,
              v->rule, v->at / HC_SECOND, v->id, v->text);
}

static void assert_holds(bench *b, const workload *w, uint64_t seed)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report;
  hc_result *r;
  hc_time last = 0;
  assert_int_equal(b->count, TASKS);
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_result(b->allocator, r, &q, hear, &seed, &report, &b->error), 0);
  hc_result_free(r);
  for (int64_t id = 1; id <= TASKS; id++) {
    const hc_time start = record_of(b, id)->start;
    if (start == HC_UNKNOWN || start % HC_SECOND != 0)
      fail_msg("seed %" PRIu64 ": task %" PRId64 " starts at %" PRId64 " ns\n%s", seed, id, start, w->keys);
    if (w->is_builtin && start < last)
      fail_msg("seed %" PRIu64 ": task %" PRId64 " passes one that came before it\n%s", seed, id, w->keys);
    last = start;
  }
}

static void open_run(bench *b, const workload *w, char path[64])
{
  char yaml[1024];
  const char *conf = w->is_builtin ? "SchedulerType=sched/builtin\n" : "SchedulerType=sched/backfill\n";
  write_log(path, conf, strlen(conf));
  (void)snprintf(yaml, sizeof yaml,
                 "cell: {use: hosts, classes: [{count: %d, name_prefix: n, cpus: 1}]}\nparanoid: true\n"
                 "policy: {use: slurm, conf: %s, %s}\n",
                 (int)w->hosts, path, w->keys);
  begin(b, yaml, w->hosts, w->jobs, TASKS, NULL);
}

static void test_slurm_holds(void **state)
{
  static bench whole, cut; /* too large for a stack */
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 10); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
    workload w;
    char path[64];
    make(&w, &d);
    open_run(&whole, &w, path);
    finish(&whole);
    (void)unlink(path);
    assert_holds(&whole, &w, seed);
    open_run(&cut, &w, path);
    finish_in_pieces(&cut, 1 + (uint64_t)below(&d, 20));
    (void)unlink(path);
    assert_int_equal(cut.count, whole.count);
    assert_memory_equal(cut.records, whole.records, whole.count * sizeof *whole.records);
    end(&whole);
    end(&cut);
  }
}

/* ---- preemption ---- */

/* Among the first are two suspended jobs of which each keeps what the other had (83). HC_SOAK: many. */
enum { FIRST = 61, FEW = 24, MANY = 3000 };

static void write_preempting(hc_draws *d, char *conf, char *tasks, size_t size)
{
  static const char *const modes[] = {"", "PreemptMode=REQUEUE", "PreemptMode=CANCEL", "PreemptMode=OFF",
                                      "PreemptMode=SUSPEND"};
  static const char *const stopping[] = {"PreemptMode=REQUEUE", "PreemptMode=CANCEL", "PreemptMode=OFF"};
  static const char *const pausing[] = {"PreemptMode=SUSPEND", "PreemptMode=OFF"};
  static const char *const parts[] = {"low", "mid", "high"};
  const int64_t hosts = 3 + below(d, 6), which = below(d, 3);
  const char *const *ways = which == 0 ? modes : which == 1 ? stopping : pausing;
  const uint64_t count = which == 0 ? COUNT(modes) : which == 1 ? COUNT(stopping) : COUNT(pausing);
  size_t n = 0;
  int64_t at = 0;
  /* One draw after the other: arguments of a call are drawn in an order of the compiler's. */
  const bool pauses = below(d, 2) > 0;
  const int reorder = (int)below(d, 4);
  const bool is_youngest = below(d, 2) > 0, is_strict = below(d, 2) > 0;
  const int exempt = (int)below(d, 2), grace = below(d, 3) ? 0 : 15;
  const char *low = ways[below(d, count)], *mid = ways[below(d, count)], *high = ways[below(d, count)];
  (void)snprintf(
      conf, size,
      "PreemptType=preempt/partition_prio\nPreemptMode=%s,GANG\nSchedulerParameters=bf_resolution=1,"
      "preempt_reorder_count=%d%s%s\nPreemptExemptTime=%d\nAuthInfo=cred_expire=5\nKillWait=2\n"
      "NodeName=n[1-%d] CPUs=4\nPartitionName=low Nodes=n[1-%d] %s GraceTime=%d\n"
      "PartitionName=mid Nodes=n[2-%d] PriorityTier=5 %s\nPartitionName=high Nodes=n[1-%d] "
      "PriorityTier=9 %s\n",
      pauses ? "SUSPEND" : "REQUEUE", reorder, is_youngest ? ",preempt_youngest_first" : "",
      is_strict ? ",preempt_strict_order" : "", exempt, (int)hosts, (int)hosts, low, grace, (int)hosts, mid,
      (int)hosts, high);
  for (int i = 1; i <= TASKS; i++) {
    const int64_t run = 1 + below(d, 90), limit = run + below(d, (uint64_t)run + 1);
    const char *part = parts[below(d, 3)];
    const bool is_small = below(d, 3) > 0;
    const int64_t nodes = 1 + below(d, is_small ? 2 : (uint64_t)hosts - 1), cpus = 1 + below(d, 4);
    at += below(d, 3) ? below(d, 30) : 0;
    n += (size_t)snprintf(tasks + n, 128 * TASKS - n,
                          "- {id: %d, submit_time: %d, delay: %d, limit: %d, partition: %s, resources: "
                          "{nodes_count: %d, cpu_per_node: %d}}\n",
                          i, (int)at, (int)run, (int)limit, part, (int)nodes, (int)cpus);
  }
}

static void open_preempting(bench *b, const char *conf, const char *tasks, const char *keys, char path[64])
{
  char yaml[1024];
  write_log(path, conf, strlen(conf));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                 "paranoid: true\npolicy: {use: slurm, conf: %s, tick: 1s, %s}\n",
                 path, path, keys);
  check(b, try_text(b, yaml, tasks));
}

static void test_preempting_holds(void **state)
{
  static bench whole, cut;
  static char tasks[128 * TASKS];
  const hc_verify_request q = {.promise = -1};
  double stopped = 0, suspended = 0;
  int checked = 0;
  (void)state;
  const uint64_t count = getenv("HC_SOAK") ? MANY : FEW;
  for (uint64_t seed = FIRST; seed < FIRST + count; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
    hc_verify_report report;
    char conf[1024], keys[64], path[64];
    hc_result *r;
    write_preempting(&d, conf, tasks, sizeof conf);
    const int killed = (int)below(&d, 3), completes = (int)below(&d, 3);
    (void)snprintf(keys, sizeof keys, "killed: %ds, completes: %ds", killed, completes);
    open_preempting(&whole, conf, tasks, keys, path);
    finish(&whole);
    (void)unlink(path);
    check(&whole, hc_result_of_store(whole.store, &r, &whole.error));
    const double stops = hc_result_figure(r, "all", "slurm_preempted");
    const double pauses = hc_result_figure(r, "all", "slurm_suspended");
    /* verify checks no run with both */
    if ((stops == 0 || pauses == 0) &&
        hc_verify_result(whole.allocator, r, &q, hear, &seed, &report, &whole.error) != 0)
      fail_msg("seed %" PRIu64 ": %s\n%s%s", seed, whole.error.text, conf, keys);
    stopped += stops;
    suspended += pauses;
    checked += stops + pauses > 0 && (stops == 0 || pauses == 0);
    hc_result_free(r);
    open_preempting(&cut, conf, tasks, keys, path);
    finish_in_pieces(&cut, 1 + (uint64_t)below(&d, 20));
    (void)unlink(path);
    if (whole.count != TASKS || cut.count != TASKS ||
        memcmp(cut.records, whole.records, whole.count * sizeof *whole.records) != 0)
      fail_msg("seed %" PRIu64 ": %zu and %zu tasks, or another history\n%s%s", seed, whole.count, cut.count,
               conf, keys);
    for (size_t i = 0; i < whole.count; i++)
      if (whole.records[i].end == HC_UNKNOWN)
        fail_msg("seed %" PRIu64 ": task %" PRId64 " never ends\n%s%s", seed, whole.records[i].id, conf,
                 keys);
    end(&whole);
    end(&cut);
  }
  assert_true(stopped > 50 && suspended > 50 && checked >= (int)count / 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slurm_holds),
                                     cmocka_unit_test(test_preempting_holds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
