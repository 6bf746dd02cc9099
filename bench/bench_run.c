/* bench_run.c -- whole runs: parse, simulate, count, write the result. CPU time, least of three, a process
 * each.
 *
 * Four tables: the budgets (docs/performance.md), cost and memory against size, cost a task against the length
 * of the queue, and the same of equal tasks on hosts. Each measurement runs in a child, so that its peak memory is its own. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hindcast/hindcast.h"

typedef struct measure {
  double cpu;     /* s, whole */
  double advance; /* s, the simulation with its reading, without opening and writing */
  long rss;       /* KiB */
  uint64_t tasks;
} measure;

static double cpu_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(hc_rc rc, const hc_error *e)
{
  if (rc >= 0) return;
  (void)fprintf(stderr, "bench_run: %s:%u: %s\n", e->where, e->line, e->text);
  _exit(1);
}

static measure run_here(const char *yaml, bool stored)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store = NULL;
  hc_run *run;
  hc_progress p;
  struct rusage u;
  measure m;
  double begin = cpu_now();
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, yaml, strlen(yaml), "bench", &e), &e);
  if (stored) check(hc_store_new(a, "bench_run.db", &store, &e), &e);
  check(hc_run_new(a, config, store, &run, &e), &e);
  m.advance = cpu_now();
  check(hc_run_advance(run, HC_NEVER, 0, &e), &e);
  m.advance = cpu_now() - m.advance;
  check(hc_run_finish(run, &e), &e);
  if (stored) check(hc_store_commit(store, &e), &e);
  m.cpu = cpu_now() - begin;
  hc_run_progress(run, &p);
  getrusage(RUSAGE_SELF, &u);
  m.rss = u.ru_maxrss;
  m.tasks = p.submitted;
  if (stored) (void)remove("bench_run.db");
  return m;
}

static measure best_of_three(const char *yaml, bool stored)
{
  measure best = {.cpu = 1e9, .advance = 1e9};
  for (int i = 0; i < 3; i++) {
    int fd[2];
    measure m;
    if (pipe(fd) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
      m = run_here(yaml, stored);
      _exit(write(fd[1], &m, sizeof m) == (ssize_t)sizeof m ? 0 : 1);
    }
    close(fd[1]);
    if (read(fd[0], &m, sizeof m) != (ssize_t)sizeof m) exit(1);
    close(fd[0]);
    (void)waitpid(child, NULL, 0);
    if (m.cpu < best.cpu) best.cpu = m.cpu;
    if (m.advance < best.advance) best.advance = m.advance;
    best.rss = m.rss;
    best.tasks = m.tasks;
  }
  return best;
}

static const char *oracle(const char *name)
{
  static char path[1024];
  (void)snprintf(path, sizeof path, "%s/tests/oracles/swf/%s.swf.zst", HC_TEST_SOURCE_DIR, name);
  return path;
}

/* The saturated log: lub20k five times over, end to end, arrivals scaled to load 0.9 on 256 processors. */
static void saturated(char *yaml, size_t size, int times, long first, const char *policy)
{
  (void)snprintf(yaml, size,
                 "source: {use: swf, file: \"%s\"}\ncell: {use: count, procs: 256}\npolicy: %s\n"
                 "transforms: [{use: repeat, times: %d}, {use: load, to: 0.9}, {use: first, count: %ld}]\n",
                 oracle("lub20k_256_l55"), policy, times, first);
}

static void make_file(const char *path, char *yaml, int times)
{
  char command[4096];
  (void)yaml;
  (void)snprintf(command, sizeof command,
                 "'%s/hindcast' trace convert '%s' --repeat %d --load 0.9 --procs 256 --output '%s'",
                 HC_BUILD_DIR, oracle("lub20k_256_l55"), times, path);
  if (system(command) != 0) exit(1);
}

static void budgets(void)
{
  struct {
    const char *what, *file, *policy;
    double budget;
  } rows[] = {
      {"EASY, 100,000 tasks, saturated", "bench_lub100k.swf", "easy", 0.15},
      {"FCFS, 200,000 independent tasks", NULL, "fcfs", 0.20},
      {"conservative, lub20k_256_l55", NULL, "conservative", 1.0},
      {"EASY, CEA-Curie (if here)", NULL, "easy", 1.0},
  };
  char yaml[4096], curie[1024];
  (void)snprintf(curie, sizeof curie, "%s/../shared/data/swf/CEA-Curie-2011-2.1-cln.swf.zst",
                 HC_TEST_SOURCE_DIR);
  make_file("bench_lub100k.swf", yaml, 5);
  (void)printf("%-36s %10s %10s %10s %10s\n", "budgets (whole run, result written)", "tasks", "CPU s",
               "budget", "peak MiB");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *file = rows[i].file ? rows[i].file
                       : i == 1     ? oracle("simple200k_1000c_l80")
                       : i == 2     ? oracle("lub20k_256_l55")
                                    : curie;
    measure m;
    if (access(file, R_OK) != 0) continue;
    (void)snprintf(yaml, sizeof yaml, "source: {use: swf, file: \"%s\"}\npolicy: %s\n", file, rows[i].policy);
    m = best_of_three(yaml, true);
    (void)printf("%-36s %10" PRIu64 " %10.3f %10.2f %10.1f\n", rows[i].what, m.tasks, m.cpu, rows[i].budget,
                 (double)m.rss / 1024);
  }
}

static void sizes(void)
{
  char yaml[4096];
  (void)printf("\n%-36s %10s %10s %10s %10s\n", "size (saturated, result written)", "tasks", "CPU s",
               "ns/task", "peak MiB");
  for (int p = 0; p < 2; p++) {
    const char *policy = p == 0 ? "fcfs" : "easy";
    for (long n = 1000; n <= 1000000; n *= 10) {
      measure m;
      saturated(yaml, sizeof yaml, (int)((n + 19999) / 20000), n, policy);
      m = best_of_three(yaml, true);
      (void)printf("%-36s %10" PRIu64 " %10.3f %10.0f %10.1f\n", policy, m.tasks, m.cpu,
                   1e9 * m.cpu / (double)m.tasks, (double)m.rss / 1024);
    }
  }
}

/* 100,000 tasks that arrive in batches of `batch`, each when the last has long ended: so many wait at a
 * time. */
static void make_batches(const char *path, long batch)
{
  FILE *f = fopen(path, "w");
  uint64_t x = 1;
  if (!f) exit(1);
  (void)fprintf(f, "; MaxProcs: 256\n");
  for (long i = 0; i < 100000; i++) {
    long procs, run;
    x = x * 6364136223846793005u + 1442695040888963407u;
    procs = 1 + (long)(x >> 33) % ((x >> 60) < 4 ? 128 : 16);
    run = 60 + (long)(x >> 40) % 3600;
    (void)fprintf(f, "%ld %ld -1 %ld %ld -1 -1 %ld %ld -1 1 1 1 1 1 1 -1 -1\n", i + 1,
                  i / batch * (batch * 600 + 40000), run, procs, procs, run * 2);
  }
  if (fclose(f) != 0) exit(1);
}

static void queues(void)
{
  static const char *const policies[] = {"fcfs", "scan", "easy", "sjf+easy"};
  char yaml[4096];
  (void)printf("\n%-24s %10s %10s %10s %10s %10s\n", "ns a task, so many wait", "100", "1,000", "10,000",
               "100,000", "ratio");
  for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
    double first = 0, ns = 0;
    (void)printf("%-24s", policies[p]);
    for (long batch = 100; batch <= 100000; batch *= 10) {
      make_batches("bench_batches.swf", batch);
      (void)snprintf(yaml, sizeof yaml, "source: bench_batches.swf\npolicy: %s\nmetrics: []\n", policies[p]);
      ns = best_of_three(yaml, false).advance * 1e9 / 100000;
      if (batch == 100) first = ns;
      (void)printf(" %10.0f", ns);
    }
    (void)printf(" %9.1fx\n", ns / first);
  }
  (void)remove("bench_batches.swf");
}

/* Equal tasks that all come at once to 500 hosts, on which some room is left that is of no use to them. */
static void backlogs(void)
{
  static const char *const demands[] = {"cpu: 3, memory: 2GiB", "cpu: 1, memory: 6GiB"};
  char yaml[4096];
  (void)printf("\n%-36s %10s %10s %10s %10s\n", "scan on hosts, us a task, all wait", "20,000", "40,000",
               "80,000", "ratio");
  for (size_t d = 0; d < sizeof demands / sizeof *demands; d++) {
    double first = 0, us = 0;
    (void)printf("%-36s", demands[d]);
    for (long n = 20000; n <= 80000; n *= 2) {
      (void)snprintf(yaml, sizeof yaml,
                     "source: {use: mixture, jobs: %ld, interval: 0.001, run: exponential(600) from 1, %s}\n"
                     "cell: {use: hosts, classes: [{count: 500, name_prefix: h, cpus: 4, memory: 16GiB}]}\n"
                     "policy: fcfs+scan\nmetrics: []\n",
                     n, demands[d]);
      us = best_of_three(yaml, false).advance * 1e6 / (double)n;
      if (n == 20000) first = us;
      (void)printf(" %10.2f", us);
    }
    (void)printf(" %9.1fx\n", us / first);
  }
}

/* @param argv[1] the one table that is wanted: budgets, sizes, queues or backlogs; none: all */
int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*print)(void);
  } tables[] = {{"budgets", budgets}, {"sizes", sizes}, {"queues", queues}, {"backlogs", backlogs}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (argc < 2 || strcmp(argv[1], tables[i].name) == 0) tables[i].print();
  (void)remove("bench_lub100k.swf");
  return 0;
}
