/* test_run_is_value.c -- a run cut anywhere and resumed is the run itself.
 *
 * For each configuration the straight run's state digest and stored result are computed once. Then the run
 * is cut at random instants: its snapshot is restored into a new run, the old one is thrown away, and the
 * new one goes on. The digests must be the same at the end, and at every cut. Seeds are printed. */
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

static const char *const configurations[] = {
    "policy: fcfs\n",
    "policy: sjf+scan\n",
    "policy: easy\n",
    "policy: easy\nevent_queue: radix\n",
    "policy: {order: fcfs, select: {use: easy, depth: 3, candidates: sjf}}\n",
    "policy: {order: wfp3, select: easy}\n",
    "policy: {order: fcfs, select: easy, place: contiguous}\n",
    "policy: {order: random, select: scan, place: random}\ncell: {use: auto, granularity: intervals}\n",
    "policy: conservative\n",
    "policy: {select: {use: conservative, replan: compress}}\narchitecture: {use: monolithic, call: "
    "per_event}\n",
    "policy: slack\n",
    "policy: fair\narchitecture: {use: monolithic, think: 30s}\n",
    "policy: {use: fair, share: asset, weights: [1=2], order: sjf}\n",
    "policy: easy\noverrun: run_on\narchitecture: {use: monolithic, call: [instant, period], period: 600s}\n",
    "policy: easy\narchitecture: {use: monolithic, think: 30s}\n",
    "policy: {select: {use: easy, sticky: true, relax: 0.5}}\n",
    "policy: scan\narchitecture: {use: two_level, schedulers: [{name: wide, takes: units > 16, think_job: "
    "300s}, {name: rest, count: 3, think_job: 20s}]}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 4}]}\narchitecture: {use: "
    "two_level, offer: hosts, hosts: 6, gang: hoard, offer_timeout: 100s, schedulers: [{name: wide, takes: "
    "units > 16, think_job: 30s}, {name: rest, think_job: 200s}]}\n",
    "policy: fcfs\narchitecture: {use: multi_path, schedulers: [{name: wide, takes: units > 16, think_job: "
    "300s}, {name: rest, think_law: exponential}]}\n",
    "policy: scan\narchitecture: {use: shared_state, retry: 60s, schedulers: [{name: wide, takes: units > "
    "16, think_job: 300s}, {name: rest, count: 3, think_job: 200s}]}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 4}]}\narchitecture: {use: "
    "shared_state, conflict: sequence, commit: all_or_nothing, spread: round_robin, retry: 60s, schedulers: "
    "[{name: all, count: 4, think_job: 200s, place: random, think_law: lognormal}]}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 4}]}\narchitecture: {use: "
    "partitions, "
    "attempts_in_vain: 50, schedulers: [{name: wide, takes: units > 16, think_job: 100s}, {name: rest}]}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 40, name_prefix: h, cpus: 4}]}\narchitecture: {use: "
    "federation, route: round_robin, retry: 60s, schedulers: [{name: large, hosts: [0-31], think_job: 100s}, "
    "{name: small, hosts: [32-39], count: 2, think_job: 300s}]}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "sparrow, latency: 100s, cancel: true, think_job: 10s, schedulers: 2}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "sparrow, latency: 100s, binding: early}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "hawk, latency: 100s, cutoff: 1h, error: 0.5}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "eagle, latency: 100s, cutoff: 1h}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "kubernetes, think: 100s, back_off: 300s, back_off_most: 1h, feasible: 4, share: 20, place: "
    "least_allocated}\n",
    "policy: fcfs\ncell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 32}]}\narchitecture: {use: "
    "parsync, parts: 4, gap: 1h, retry: 600s, threshold: 900s, schedulers: [{name: wide, takes: units > 16, "
    "think_job: 300s}, {name: rest, count: 3, think_job: 200s}]}\n",
    "policy: scan\ncell: {use: hosts, classes: [{count: 128, name_prefix: h, cpus: 1}]}\narchitecture: {use: "
    "shared_state, schedulers: [{name: all, max_share: 0.3, max_jobs: 20, preempts: true, count: 3, "
    "think_job: 200s, blacklist: 0.1, place: random}]}\n",
    "policy: scan\ncell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 4}, {count: 8, "
    "name_prefix: f, cpus: 4, speed: 2}]}\nhost_loss: requeue\nevents: {use: drawn, up_time: 5d, down_time: "
    "1h}\narchitecture: {use: shared_state, retry: 60s, schedulers: [{name: wide, takes: slots > 8, "
    "think_job: 300s, preempts: true, mold: global_cap, activities: 3 * slots}, {name: rest, think_job: "
    "200s, blacklist: 0.1, mold: max_parallelism, activities: 1e6, place: random}]}\n",
    /* an architecture in a shared object */
    "policy: sjf+easy\nplugin: " HC_TEST_PLUGINS "/turns.so\narchitecture: {use: turns, narrow: 8}\n",
    "policy: conservative\nplugin: " HC_TEST_PLUGINS "/turns.so\narchitecture: turns\n",
};

static hc_config *configure(hc_registry *registry, const char *more)
{
  const hc_allocator *a = hc_default_allocator();
  char text[1024];
  hc_error e = {0};
  hc_config *c;
  (void)snprintf(text, sizeof text,
                 "source: {use: swf, file: \"%s/tests/oracles/swf/lub5k_128_l85_over5pct.swf.zst\"}\n"
                 "sort_window: 64\ntransforms: {use: first, count: %u}\nparanoid: true\n%s",
                 HC_TEST_SOURCE_DIR, hc_test_cases(600, 250), more);
  check(hc_config_new(a, registry, &c, &e), &e);
  check(hc_config_text(c, text, strlen(text), "test", &e), &e);
  return c;
}

static void result_digest(hc_store *store, char text[33])
{
  hc_error e = {0};
  hc_result *r;
  check(hc_result_of_store(store, &r, &e), &e);
  check(hc_result_digest(r, text, &e), &e);
  hc_result_free(r);
}

/* Advance to the end, cutting with probability 1/`cuts` after each burst of instants. */
static void carry_out(hc_registry *registry, const char *more, unsigned cuts, uint64_t seed, char digest[33])
{
  const hc_allocator *a = hc_default_allocator();
  hc_draws draws = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  hc_config *c = configure(registry, more);
  hc_error e = {0};
  hc_store *store;
  hc_run *run;
  hc_rc rc;
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, c, store, &run, &e), &e);
  while ((rc = hc_run_advance(run, HC_NEVER, 1 + hc_random_below(&draws, 40), &e)) == 1) {
    if (cuts > 0 && hc_random_below(&draws, cuts) == 0) cut_here(a, c, &run, &store);
  }
  check(rc, &e);
  check(hc_run_finish(run, &e), &e);
  result_digest(store, digest);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(c);
}

static void test_cut_and_resumed(void **state)
{
  hc_registry *registry;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i += hc_test_cases(1, 3)) {
    char straight[33], cut[33];
    carry_out(registry, configurations[i], 0, 1, straight);
    for (uint64_t seed = 1; seed <= hc_test_cases(3, 1); seed++) {
      carry_out(registry, configurations[i], hc_test_cases(6, 60), seed, cut);
      if (strcmp(straight, cut) != 0)
        fail_msg("seed %" PRIu64 ": %s\n%s straight\n%s cut", seed, configurations[i], straight, cut);
    }
  }
  hc_registry_free(registry);
}

/* The event queues must give one history: same state at every 50th instant, same result. */
static void test_queues_give_one_history(void **state)
{
  static const char *const yaml[] = {"policy: conservative\noverrun: run_on\nevent_queue: heap\n",
                                     "policy: conservative\noverrun: run_on\nevent_queue: radix\n",
                                     "policy: conservative\noverrun: run_on\nevent_queue: wheel\n"};
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry;
  hc_config *c[3];
  hc_run *run[3];
  hc_error e = {0};
  hc_rc rc = 1;
  (void)state;
  check(hc_registry_new(a, &registry), &e);
  for (int i = 0; i < 3; i++) {
    c[i] = configure(registry, yaml[i]);
    check(hc_run_new(a, c[i], NULL, &run[i], &e), &e);
  }
  while (rc == 1) {
    char digest[3][33];
    for (int i = 0; i < 3; i++) {
      check(rc = hc_run_advance(run[i], HC_NEVER, hc_test_cases(50, 1000), &e), &e);
      check(hc_run_digest(run[i], digest[i], &e), &e);
    }
    assert_string_equal(digest[0], digest[1]);
    assert_string_equal(digest[0], digest[2]);
  }
  for (int i = 0; i < 3; i++) {
    hc_run_free(run[i]);
    hc_config_free(c[i]);
  }
  hc_registry_free(registry);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_and_resumed),
                                     cmocka_unit_test(test_queues_give_one_history)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
