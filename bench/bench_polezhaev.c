/* bench_polezhaev.c -- many small runs: what one run of 500 tasks on 14 hosts costs, by scenario, load and scheduler.
 *
 *   bench_polezhaev [SCENARIO [LOAD [SELECTION [PLACEMENT [TRACES]]]]]     0 or nothing: all of them; 1 trace
 *
 * The workload is read once per trace and played from memory to all its runs, as a study does. A run is counted from the
 * configuration as parsed to the figures: it is resolved, built, carried out, its metrics asked, and freed. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/replay.h"
#include "hindcast/hindcast.h"
#include "setup/config.h"
#include "setup/options.h"
#include "workload/tape.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const selections[][2] = {{"fcfs", "blocking"},
                                            {"fcfs", "scan"},
                                            {"priority", "blocking"},
                                            {"priority", "scan"},
                                            {"sjf", "blocking"},
                                            {"sjf", "scan"},
                                            {"ljf", "blocking"},
                                            {"ljf", "scan"},
                                            {"largest", "blocking"},
                                            {"largest", "scan"},
                                            {"smallest", "blocking"},
                                            {"smallest_area", "blocking"},
                                            {"smallest_area", "scan"},
                                            {"largest_area", "blocking"},
                                            {"largest_area", "scan"},
                                            {"fcfs", "lottery"},
                                            {"fcfs", "{use: easy, reserve: hosts}"}};

static const char *const placements[4][5] = {
    {"first_fit", "random"},
    {"first_fit", "least_utilised", "random"},
    {"first_fit", "fastest", "{use: least_utilised, by: past}", "random"},
    {"first_fit", "fastest", "least_utilised", "random", "window_fit"}};

#define EQUAL_SOURCE "class_count: [14], class_memory: [1GiB], class_disk: [40GiB]"
#define OTHER_SOURCE \
  "class_count: [2, 2, 2, 2, 2, 2, 2], class_memory: [1GiB, 1GiB, 512MiB, 512MiB, 2GiB, 2GiB, 256MiB], " \
  "class_disk: [40GiB, 40GiB, 40GiB, 20GiB, 40GiB, 40GiB, 20GiB]"
#define EQUAL_CELL "{count: 14, cpus: 1, memory: 1GiB, disk: 40GiB, name_prefix: n}"
#define OTHER_CELL \
  "{count: 2, cpus: 1, memory: 1GiB, disk: 40GiB, name_prefix: a}, " \
  "{count: 2, cpus: 1, memory: 1GiB, disk: 40GiB, name_prefix: b}, " \
  "{count: 2, cpus: 1, memory: 512MiB, disk: 40GiB, name_prefix: c}, " \
  "{count: 2, cpus: 1, memory: 512MiB, disk: 20GiB, speed: 3, name_prefix: d}, " \
  "{count: 2, cpus: 1, memory: 2GiB, disk: 40GiB, name_prefix: e}, " \
  "{count: 2, cpus: 1, memory: 2GiB, disk: 40GiB, speed: 4, name_prefix: f}, " \
  "{count: 2, cpus: 1, memory: 256MiB, disk: 20GiB, speed: 4, name_prefix: g}"
#define LOAD \
  "local_load: [{dimension: cpu, shape: 0.5, scale: 0.5, rate: 0.08, takes: false}, " \
  "{dimension: memory, shape: 0.2, scale: 0.3, rate: 0.04}, " \
  "{dimension: disk, shape: 0.2, scale: 0.2, rate: 0.02}]\n"

static double cpu_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(hc_rc rc, const hc_error *e)
{
  if (rc >= 0) return;
  (void)fprintf(stderr, "bench_polezhaev: %s:%u: %s\n", e->where, e->line, e->text);
  exit(1);
}

static void write_yaml(char *out, size_t size, int scenario, double load, size_t selection, const char *place,
                       int trace)
{
  const bool other = scenario >= 3, loaded = scenario % 2 == 0;
  const char *wake = getenv("HC_BENCH_WAKE");
  (void)snprintf(out, size,
                 "source: {use: polezhaev, %s}\nreplication: %d\n"
                 "transforms: [{use: load, to: %g, definition: polezhaev, processors: 14, speed: %.17g}]\n"
                 "cell: {use: hosts, classes: [%s]}\n%s%s%s%s"
                 "policy: {use: batch, order: %s, select: %s, place: %s, eligibility: %s}\n"
                 "metrics: [from_origin, wait, wait_spread, bounded_slowdown, host_balance]\n",
                 other ? OTHER_SOURCE : EQUAL_SOURCE, trace, load, other ? 30.0 / 14 : 1.0,
                 other ? OTHER_CELL : EQUAL_CELL, loaded ? LOAD : "", loaded && wake ? "load_wake: " : "",
                 loaded && wake ? wake : "", loaded && wake ? "\n" : "", selections[selection][0],
                 selections[selection][1], place, loaded ? "utilisation" : "always");
}

/* The workload of this trace, read once while it is asked for again and again. */
static hc_tape *record(const hc_allocator *a, const hc_config *c, int key, hc_error *e)
{
  static hc_tape *tape;
  static int known = -1;
  const hc_run_options *o = hc_config_options(c);
  const hc_source_context context = {
      .allocator = a, .seed = (uint64_t)o->seed, .replication = (uint64_t)o->replication};
  if (key == known) return tape;
  hc_tape_free(tape);
  known = key;
  check(hc_tape_record(&context, o->source.items, o->source.count, (size_t)1 << 30,
                       &(hc_tape_need){.until = HC_UNKNOWN}, &tape, e),
        e);
  return tape;
}

static hc_rc figure(void *ctx, const char *name, const char *unit, double value, bool is_count, int64_t count)
{
  (void)unit;
  (void)is_count;
  (void)count;
  if (strcmp(name, "wait_mean") == 0) *(double *)ctx = value;
  return 0;
}

/* One run. @return its CPU time, s */
static double run_one(const char *yaml, int key, double *wait, uint64_t *instants, uint64_t *decisions)
{
  const hc_allocator *a = hc_default_allocator();
  static hc_registry *registry;
  hc_error e = {0};
  hc_config *config;
  hc_run *run;
  hc_findings findings = {.ctx = wait, .figure = figure};
  hc_progress p;
  hc_tape *tape;
  double begin, sum;
  if (!registry) check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, yaml, strlen(yaml), "bench", &e), &e);
  begin = cpu_now();
  check(hc_config_resolve(config, &e), &e);
  sum = cpu_now() - begin;
  tape = record(a, config, key, &e);
  begin = cpu_now();
  check(hc_run_new_on(a, config, NULL, &(hc_replay){.tape = tape}, &run, &e), &e);
  check(hc_run_advance(run, HC_NEVER, 0, &e), &e);
  check(hc_run_finish(run, &e), &e);
  check(hc_run_figures(run, &findings, &e), &e);
  hc_run_progress(run, &p);
  hc_run_free(run);
  sum += cpu_now() - begin;
  *instants += p.instants;
  *decisions += p.decisions;
  hc_config_free(config);
  return sum;
}

int main(int argc, char **argv)
{
  const int only = argc > 1 ? atoi(argv[1]) : 0, which = argc > 3 ? atoi(argv[3]) : 0;
  const int placement = argc > 4 ? atoi(argv[4]) : 0, traces = argc > 5 ? atoi(argv[5]) : 1;
  const double one_load = argc > 2 ? atof(argv[2]) : 0;
  const bool each = getenv("HC_BENCH_EACH") != NULL;
  static const double loads[] = {1.0, 0.5, 0.1};
  (void)printf("%8s %5s %6s %10s %10s %10s\n", "scenario", "load", "runs", "ms a run", "worst ms",
               "instants");
  for (int s = 1; s <= 4; s++)
    for (size_t l = 0; l < COUNT(loads); l++) {
      double sum = 0, worst = 0;
      uint64_t instants = 0, decisions = 0;
      int runs = 0;
      if ((only && only != s) || (one_load > 0 && one_load != loads[l])) continue;
      for (size_t i = 0; i < COUNT(selections); i++)
        for (size_t k = 0; k < 5 && placements[s - 1][k]; k++)
          for (int t = 0; t < traces; t++) {
            char yaml[4096];
            double wait = 0, ms;
            if ((which && which != (int)i + 1) || (placement && placement != (int)k + 1)) continue;
            write_yaml(yaml, sizeof yaml, s, loads[l], i, placements[s - 1][k], t + 1);
            ms = 1e3 * run_one(yaml, (s >= 3) * 10000 + t, &wait, &instants, &decisions);
            sum += ms;
            runs++;
            if (ms > worst) worst = ms;
            if (each)
              (void)printf("  %-14s %-28s %-32s %8.2f ms  wait %.1f\n", selections[i][0], selections[i][1],
                           placements[s - 1][k], ms, wait);
          }
      if (runs > 0)
        (void)printf("%8d %5.1f %6d %10.3f %10.3f %10.0f\n", s, loads[l], runs, sum / runs, worst,
                     (double)instants / runs);
    }
  return 0;
}
