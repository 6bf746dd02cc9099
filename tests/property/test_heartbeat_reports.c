/* test_heartbeat_reports.c -- reports that are left out change nothing, and a run under them is a value.
 *
 * Random workloads of several users on hosts of different sizes are run three times: with the reports that
 * are needed, with every report an event, and cut at random instants and restored. All must give the same
 * schedule; the first two must not take the same number of decisions everywhere, or nothing was left out.
 * Seeds are printed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "cuts.h"
#include "hindcast/hindcast.h"
#include "sample.h"

#define MOST 1000

static const char *const policies[] = {
    "policy: fair\n",
    "policy: {use: fair, share: fifo}\n",
    "policy: {use: fair, share: asset, weights: [u1=3]}\n",
    "policy: {use: fair, share: hdrf, pools: [{name: a, weight: 2, users: [u0]}, {name: b, users: [u1, "
    "u2]}]}\n",
    "policy: {use: fair, knob: 0.5, score: cosine}\n",
    "policy: {use: fair, knob: 0, score: angle_length, order: sjf}\n",
    "policy: {use: fair, knob: 0.7, rounding: double, task: head, misfit: stop, score: cosine}\n",
    "policy: {use: fair, accept: refusal}\n",
    "policy: {use: fair, share: drfh, place: drfh, half_life: 20s, limits: [u1=40%]}\n",
    "policy: {use: fair, share: max_min, half_life: 30s, update: 7s, misfit: stop, guarantees: [u3=30%, "
    "u2=cpu:90%]}\n",
    "policy: {use: fair, share: quota, quotas: [u1=cpu:2 memory:9GB, \"*=20%\"], limits: [u0=cpu:3]}\n",
    "policy: {use: fair, share: divisible, weights: [u1=2, u2=cpu:1 memory:3], update: 5s}\n",
    "policy: {use: fair, share: ceei, update: 3s, knob: 0.5}\n",
    "policy: {use: fair, share: dynamic, expected: 4}\n",
    "policy: {use: fair, share: slots, slot: [\"cpu:1\", \"memory:2GB\"], oversized: more}\n",
    "policy: {use: fair, share: server_drf, weights: [u0=2]}\n",
    "policy: {use: fair, knob: 0.4, accept: {use: refusal, at_first: 3, window: 6, in_a_row: 9}, fallback: "
    "all_refused}\n",
    "policy: {use: fair, accept: {use: refusal, memory: operation, rule: ytsaurus, better: 1, adapt: 0.5}, "
    "rounds: 2, fallback: best_score}\n",
    "policy: {use: fair, accept: {use: locality, replicas: 1, rack_wait: 9s, any_wait: 9s, any_factor: "
    "1.5}}\n",
    "policy: {use: fair, fallback: none, accept: {use: all_of, of: [{use: locality, replicas: 2, delay: "
    "offers, any_offers: 3, memory: user, rack_factor: 2}, refusal]}}\n",
    "policy: {use: yt, starving_after: 5s, backoff: 2s}\n",
    "policy: {use: yt, starving_after: 3s, accept: refusal}\nevents: {use: drawn, up_time: 60, down_time: "
    "9}\n"
    "host_loss: requeue\nattempts: 1000000\n",
    "policy: {use: yt, operation: user, starving_after: 4s, badly_after: 12s, accept: {use: refusal, "
    "at_first: 2}, pools: [{name: a, strong: [cpu=30%], users: [u0]}, {name: b, limit: [cpu=50%], weight: 3, "
    "users: [u1, u2]}]}\n",
    "policy: {use: yt, preemption: none, update: 3s, fallback: all_refused, accept: refusal, pools: [{name: "
    "a, mode: fifo, max_running: 5, users: [u0, u1]}, {name: b, integral: burst, burst: 0.5, flow: 0.2, "
    "gangs: true, users: [u2]}]}\n",
    "policy: {order: fcfs, select: scan, place: worst_fit}\n",
    "policy: {order: sjf, select: blocking}\n",
};
static const char *const architectures[] = {
    "period: 10s",
    "period: 7s, out_of_turn: false",
    "period: 10s, phase: zero, latency: 3s",
    "period: 20s, phase: staggered, batch: 3",
    "period: 12s, window: 4s",
    "offer: instant",
};

static hc_config *configure(hc_registry *registry, const char *policy, const char *architecture,
                            const char *events, uint64_t seed)
{
  hc_config *c;
  hc_error e = {0};
  char text[4096];
  size_t n =
      (size_t)snprintf(text, sizeof text,
                       "seed: %" PRIu64 "\nparanoid: true\nmetrics: [tasks]\n"
                       "cell: {use: hosts, classes: [{count: 3, name_prefix: a, cpus: 16, memory: 40GiB},"
                       " {count: 3, name_prefix: b, cpus: 6, memory: 60GiB}]}\n%s"
                       "architecture: {use: heartbeat, %s, events: %s}\nsource:\n",
                       seed, policy, architecture, events);
  for (int u = 0; u < 4; u++)
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "  - {use: random, user: u%d, stream: %d, execution_count: 60, cpu_min: 1, cpu_max: %d, memory_min: "
        "1GiB, memory_max: %dGiB, delay_min: 0, delay_max: 4, duration_mean: 25, duration_dev: 12}\n",
        u, u + 1, 1 + u, 10 - 2 * u);
  check(hc_config_new(hc_default_allocator(), registry, &c, &e), &e);
  check(hc_config_text(c, text, n, "test", &e), &e);
  return c;
}

typedef struct schedule {
  hc_task_record records[MOST];
  size_t count;
  uint64_t decisions;
  char digest[33]; /* of the store */
} schedule;

static void read_all(hc_store *store, schedule *out)
{
  hc_error e = {0};
  hc_result *r;
  size_t n = 1;
  check(hc_result_of_store(store, &r, &e), &e);
  out->count = 0;
  for (bool first = true; n > 0; first = false) {
    check(hc_result_tasks(r, first, out->records + out->count, MOST - out->count, &n, &e), &e);
    out->count += n;
  }
  check(hc_result_digest(r, out->digest, &e), &e);
  hc_result_free(r);
}

/* To the end, cutting with probability 1 / `cuts` after each burst of instants; 0: never. */
static void carry_out(hc_config *c, unsigned cuts, uint64_t seed, schedule *out)
{
  const hc_allocator *a = hc_default_allocator();
  hc_draws draws = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  hc_progress progress;
  hc_store *store;
  hc_error e = {0};
  hc_run *run;
  hc_rc rc;
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, c, store, &run, &e), &e);
  while ((rc = hc_run_advance(run, HC_NEVER, 1 + hc_random_below(&draws, 20), &e)) == 1) {
    if (cuts > 0 && hc_random_below(&draws, cuts) == 0) cut_here(a, c, &run, &store);
  }
  check(rc, &e);
  hc_run_progress(run, &progress);
  out->decisions = progress.decisions;
  check(hc_run_finish(run, &e), &e);
  read_all(store, out);
  hc_run_free(run);
  hc_store_free(store);
}

static void same_schedule(const schedule *x, const schedule *y, const char *policy, const char *architecture,
                          uint64_t seed)
{
  assert_int_equal(x->count, y->count);
  for (size_t i = 0; i < x->count; i++)
    if (x->records[i].start != y->records[i].start || x->records[i].end != y->records[i].end)
      fail_msg("seed %" PRIu64 ", %s, %stask %" PRId64 " starts at %" PRId64
               " and, with every report, at %" PRId64,
               seed, architecture, policy, x->records[i].serial, x->records[i].start, y->records[i].start);
}

static void test_reports_left_out(void **state)
{
  static schedule needed, every;
  hc_registry *registry;
  uint64_t left_out = 0;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
      for (uint64_t seed = 1; seed <= hc_test_cases(3, 1); seed++) {
        hc_config *c = configure(registry, policies[p], architectures[i], "needed", seed);
        hc_config *d = configure(registry, policies[p], architectures[i], "every_report", seed);
        carry_out(c, 0, seed, &needed);
        carry_out(d, 0, seed, &every);
        assert_int_equal(needed.count, 240);
        same_schedule(&needed, &every, policies[p], architectures[i], seed);
        assert_true(needed.decisions <= every.decisions);
        left_out += every.decisions - needed.decisions;
        hc_config_free(c);
        hc_config_free(d);
      }
  assert_true(left_out > 1000);
  hc_registry_free(registry);
}

static void test_cut_and_resumed(void **state)
{
  static schedule straight, cut;
  hc_registry *registry;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
    for (size_t i = p % hc_test_cases(1, 2); i < sizeof architectures / sizeof *architectures;
         i += hc_test_cases(1, 2)) {
      hc_config *c = configure(registry, policies[p], architectures[i], "needed", 1);
      carry_out(c, 0, 1, &straight);
      carry_out(c, hc_test_cases(4, 64), 1 + p + i, &cut);
      if (strcmp(straight.digest, cut.digest) != 0) fail_msg("%s, %s", architectures[i], policies[p]);
      hc_config_free(c);
    }
  hc_registry_free(registry);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reports_left_out),
      cmocka_unit_test(test_cut_and_resumed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
