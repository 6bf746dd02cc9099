/* bench_omega.c -- a day of the closed world `omega`, and a cell that is nearly full: whole runs, with figures and without a
 * store.
 *
 * The day: 10,000 machines of 4 cpus, 60 % filled beforehand, some 76,000 jobs of 7.3 million tasks. Budgets: 0.5 s
 * monolithic and shared state, 1 s two-level, 300 MiB. Nearly full: 45 % of a day, 32 batch schedulers, a batch job each
 * 0.3 s, 99 % in use; there the original needs 400 s, and the budget is 20 s draw by draw, 4 s when choosing.
 *
 *   quick  the original's draws, probe by probe; ties as they were put in
 *   exact  and the original's heap, an event a task: compat google2013 in every bit
 *   right  as it should be: machines chosen from an index
 *
 * `bench_omega shared` runs only what has the word in its name. */
#define _GNU_SOURCE
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hindcast/hindcast.h"

typedef struct setup {
  const char *world, *how;
  double started, conflicts, probes;
} setup;

#define DEFECTS "defects: [seed, percentile, idle, conflicts, offers, attempted, sequence, blacklist]"
#define QUICK "pick: probe, ties: inserted, " DEFECTS
#define EXACT "pick: probe, ties: heap, " DEFECTS
#define RIGHT "pick: choose"

static hc_rc take_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t n)
{
  setup *x = ctx;
  (void)unit;
  (void)is_count;
  (void)n;
  if (strcmp(name, "failed_probes") == 0) x->probes = value;
  if (strcmp(name, "tasks_started") == 0) x->started = value;
  if (strncmp(name, "tasks_failed_", 13) == 0) x->conflicts += value; /* of each scheduler */
  return 0;
}

static int64_t measure(void *ctx)
{
  setup *x = ctx;
  const hc_allocator *a = hc_default_allocator();
  hc_findings findings = {.ctx = x, .figure = take_figure};
  hc_registry *registry = NULL;
  hc_config *c = NULL;
  hc_run *run = NULL;
  hc_error e = {0};
  char yaml[2048];
  int64_t begin = bench_now();
  const int n = snprintf(yaml, sizeof yaml, "world: {use: omega, %s, %s}\n", x->world, x->how);
  hc_rc rc = hc_registry_new(a, &registry);
  x->conflicts = 0;
  if (rc >= 0) rc = hc_config_new(a, registry, &c, &e);
  if (rc >= 0) rc = hc_config_text(c, yaml, (size_t)n, "bench", &e);
  if (rc >= 0) rc = hc_run_new(a, c, NULL, &run, &e);
  if (rc >= 0) rc = hc_run_advance(run, HC_NEVER, 0, &e);
  if (rc >= 0) rc = hc_run_finish(run, &e);
  if (rc >= 0) rc = hc_run_figures(run, &findings, &e);
  begin = bench_now() - begin;
  if (rc < 0) (void)fprintf(stderr, "%s: %s\n", e.where, e.text);
  hc_run_free(run);
  hc_config_free(c);
  hc_registry_free(registry);
  return rc < 0 ? -1 : begin;
}

static void report(const char *only, const char *name, const char *world, const char *how, int tries)
{
  setup x = {world, how, 0, 0, 0};
  int64_t t;
  if (!strstr(name, only)) return;
  t = bench_min(tries, measure, &x);
  if (t < 0) exit(1);
  (void)printf("%-24s %6.2f s %9.0f tasks %10.0f conflicts %11.0f failed probes %3.0f MiB so far\n", name,
               (double)t / 1e9, x.started, x.conflicts, x.probes, (double)bench_peak_memory() / 1048576);
  (void)fflush(stdout);
}

#define DAY(architecture) \
  "architecture: " architecture ", prefill: {use: even, share: 0.6}, workloads: [" \
  "{name: Batch, arrivals: {use: exp_exp_exp, interarrival: 1.2, tasks: 100, duration: 100}}, " \
  "{name: Service, arrivals: {use: exp_exp_exp, interarrival: 20.5, tasks: 10, duration: 500}}]"
#define NEARLY_FULL \
  "architecture: shared_state, run_time: 39154, prefill: {use: even, share: 0.13}, workloads: [" \
  "{name: Batch, schedulers: 32, arrivals: {use: exp_exp_exp, interarrival: 0.3, tasks: 100, duration: 104}}, " \
  "{name: Service, arrivals: {use: exp_exp_exp, interarrival: 20, tasks: 10, duration: 500}}]"

int main(int argc, char **argv)
{
  const char *only = argc > 1 ? argv[1] : "";
  report(only, "day, monolithic, quick", DAY("monolithic"), QUICK, 3);
  report(only, "day, monolithic, exact", DAY("monolithic"), EXACT, 2);
  report(only, "day, monolithic, right", DAY("monolithic"), RIGHT, 3);
  report(only, "day, shared state, quick", DAY("shared_state"), QUICK, 3);
  report(only, "day, shared state, exact", DAY("shared_state"), EXACT, 2);
  report(only, "day, shared state, right", DAY("shared_state"), RIGHT, 3);
  report(only, "day, two-level, quick", DAY("two_level"), QUICK, 3);
  report(only, "day, two-level, exact", DAY("two_level"), EXACT, 2);
  report(only, "day, two-level, right", DAY("two_level"), RIGHT, 3);
  report(only, "nearly full, quick", NEARLY_FULL, QUICK, 1);
  report(only, "nearly full, right", NEARLY_FULL, RIGHT, 1);
  return 0;
}
