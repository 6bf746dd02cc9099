/* bench_heartbeat.c -- what a report costs, and a decision of the policy `fair`: 10,000 hosts, 1,000 users, whole runs; and how
 * that grows with users, hosts and tasks that wait.
 *
 * Budgets: 2 us a report that leads to nothing, 5 us a task that starts, everything included. A report in vain: every
 * host is full but for a core, and everybody waits with tasks of two. In the adverse case half of the users need little of
 * one dimension and half of the other, so that no subtree of the line can be passed over. */
#define _GNU_SOURCE
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "hindcast/hindcast.h"

enum { HOSTS = 10000, USERS = 1000 };

typedef struct setup {
  const char *path, *policy, *architecture;
  hc_time from, to; /* what is measured */
  uint64_t decisions, started;
  int hosts; /* 0: HOSTS */
} setup;

static int64_t measure(void *ctx)
{
  setup *x = ctx;
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry = NULL;
  hc_config *c = NULL;
  hc_run *run = NULL;
  hc_progress before, after;
  hc_error e = {0};
  char yaml[1024];
  int64_t begin = -1;
  const int n =
      snprintf(yaml, sizeof yaml,
               "source: {use: csv, file: \"%s\", id: id, submit: at, run: run, cpu: cpu, memory: mem, "
               "memory_unit: 1GB, memory_of: task, user: user}\nmetrics: []\nmax_waiting: 0\n"
               "cell: {use: hosts, classes: [{count: %d, name_prefix: c, cpus: 16, memory: 64GB}]}\n"
               "policy: {use: fair%s}\narchitecture: {use: heartbeat%s}\n",
               x->path, x->hosts > 0 ? x->hosts : HOSTS, x->policy, x->architecture);
  hc_rc rc = hc_registry_new(a, &registry);
  if (rc >= 0) rc = hc_config_new(a, registry, &c, &e);
  if (rc >= 0) rc = hc_config_text(c, yaml, (size_t)n, "bench", &e);
  if (rc >= 0) rc = hc_run_new(a, c, NULL, &run, &e);
  if (rc >= 0) rc = hc_run_advance(run, x->from, 0, &e);
  if (rc >= 0) hc_run_progress(run, &before);
  if (rc >= 0) begin = bench_now();
  if (rc >= 0) rc = hc_run_advance(run, x->to, 0, &e);
  if (rc >= 0) {
    begin = bench_now() - begin;
    hc_run_progress(run, &after);
    x->decisions = after.decisions - before.decisions;
    x->started = after.started - before.started;
  } else {
    (void)fprintf(stderr, "%s: %s\n", e.where, e.text);
    begin = -1;
  }
  hc_run_free(run);
  hc_config_free(c);
  hc_registry_free(registry);
  return begin;
}

static void report(const char *name, setup *x, bool per_start)
{
  const int64_t t = bench_min(3, measure, x);
  const uint64_t n = per_start ? x->started : x->decisions;
  if (t < 0) exit(1);
  (void)printf("%-44s %8.0f ns/%s (%" PRIu64 " reports, %" PRIu64 " starts)\n", name,
               n ? (double)t / (double)n : (double)t, per_start ? "start" : "report", x->decisions,
               x->started);
}

/* Every host full but for a core and 4 GB; then 20 tasks of each user. */
static void write_full(FILE *f, bool adverse)
{
  (void)fprintf(f, "id,at,run,cpu,mem,user\n");
  for (int i = 0; i < HOSTS; i++) (void)fprintf(f, "%d,0,100000,15,60,%d\n", i, i % USERS + 1);
  for (int i = 0; i < 20 * USERS; i++) {
    const bool odd = adverse && i % 2;
    (void)fprintf(f, "%d,6,100000,%s,%s,%d\n", HOSTS + i, odd ? "0.5" : "2", odd ? "32" : "1", i % USERS + 1);
  }
}

/* As many tasks as keep the hosts nearly full: 1 to 4 cores, 100 s; 1,600 a second, of 10 shapes a user. */
static void write_busy(FILE *f)
{
  (void)fprintf(f, "id,at,run,cpu,mem,user\n");
  for (int i = 0; i < 320000; i++)
    (void)fprintf(f, "%d,%d,100,%d,%d,%d\n", i, i / 700, 1 + i * 7 % 4, 1 + i * 11 % 10,
                  (int)(i * 7919LL % USERS) + 1);
}

/* ---- how it grows ---- */

typedef struct size {
  int users, hosts, waiting;
} size;

/* Full hosts and tasks of adverse needs, as above; or so many tasks at 0 that, after 250 s of some 6.4 on each host at a time, as
 * many still wait. */
static void write_sized(FILE *f, const size *s, bool full)
{
  const int first = full ? s->hosts : 0, all = first + s->waiting + (full ? 0 : s->hosts * 16);
  (void)fprintf(f, "id,at,run,cpu,mem,user\n");
  for (int i = 0; i < first; i++) (void)fprintf(f, "%d,0,100000,15,60,%d\n", i, i % s->users + 1);
  for (int i = first; full && i < all; i++)
    (void)fprintf(f, "%d,1,100000,%s,%s,%d\n", i, i % 2 ? "0.5" : "2", i % 2 ? "32" : "1", i % s->users + 1);
  for (int i = 0; !full && i < all; i++)
    (void)fprintf(f, "%d,0,%d,%d,%d,%d\n", i, 90 + i % 20, (int)(1 + i * 7LL % 4), (int)(1 + i * 11LL % 10),
                  (int)(i * 7919LL % s->users) + 1);
}

static double cost(const size *s, const char *path, const char *policy, bool full)
{
  setup x = {.path = path,
             .policy = policy,
             .architecture = full ? ", events: every_report" : "",
             .from = (full ? 5 : 100) * HC_SECOND,
             .to = (full ? 15 : 150) * HC_SECOND,
             .hosts = s->hosts};
  const int64_t t = measure(&x);
  const uint64_t n = full ? x.decisions : x.started;
  if (t < 0 || n == 0) exit(1);
  return (double)t / (double)n;
}

static void table(const char *full, const char *busy)
{
  static const size sizes[] = {{10, 10000, 100000},    {100, 10000, 100000},  {1000, 10000, 100000},
                               {10000, 10000, 100000}, {1000, 100, 100000},   {1000, 1000, 100000},
                               {1000, 10000, 10000},   {1000, 10000, 1000000}};
  static const char *const policies[] = {
      "", ", share: hdrf", ", share: divisible, update: 10s", ", half_life: 1h", ", knob: 0.9", ", knob: 0"};
  (void)printf("\n%7s %7s %9s %8s %8s %8s %9s %9s %8s %8s\n", "users", "hosts", "waiting", "in vain", "drf",
               "hdrf", "divisible", "half-life", "knob .9", "knob 0");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    FILE *f = fopen(full, "w"), *g = fopen(busy, "w");
    if (!f || !g) exit(1);
    write_sized(f, &sizes[i], true);
    write_sized(g, &sizes[i], false);
    (void)fclose(f);
    (void)fclose(g);
    (void)printf("%7d %7d %9d %8.0f", sizes[i].users, sizes[i].hosts, sizes[i].waiting,
                 cost(&sizes[i], full, "", true));
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++)
      (void)printf(" %*.0f", k == 2 || k == 3 ? 9 : 8, cost(&sizes[i], busy, policies[k], false));
    (void)printf("\n");
    (void)fflush(stdout);
  }
}

int main(void)
{
  char full[] = "/tmp/hindcast-bench-XXXXXX", adverse[] = "/tmp/hindcast-bench-XXXXXX",
       busy[] = "/tmp/hindcast-bench-XXXXXX";
  char *paths[] = {full, adverse, busy};
  for (int i = 0; i < 3; i++) {
    const int fd = mkstemp(paths[i]);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) return 1;
    if (i < 2) write_full(f, i == 1);
    else write_busy(f);
    (void)fclose(f);
  }
  const hc_time s = HC_SECOND;
  report("in vain, every report an event",
         &(setup){full, "", ", events: every_report", 10 * s, 60 * s, 0, 0, 0}, false);
  report("in vain, only those needed", &(setup){full, "", "", 10 * s, 60 * s, 0, 0, 0}, false);
  report("in vain, adverse needs, every report",
         &(setup){adverse, "", ", events: every_report", 10 * s, 30 * s, 0, 0, 0}, false);
  report("in vain, adverse needs, refusal, needed",
         &(setup){adverse, ", accept: refusal", "", 10 * s, 30 * s, 0, 0, 0}, false);
  report("busy, drf", &(setup){busy, "", "", 100 * s, 400 * s, 0, 0, 0}, true);
  report("busy, hdrf", &(setup){busy, ", share: hdrf", "", 100 * s, 400 * s, 0, 0, 0}, true);
  report("busy, refusal", &(setup){busy, ", accept: refusal", "", 100 * s, 400 * s, 0, 0, 0}, true);
  report("busy, knob 0.9", &(setup){busy, ", knob: 0.9", "", 100 * s, 400 * s, 0, 0, 0}, true);
  report("busy, knob 0", &(setup){busy, ", knob: 0", "", 100 * s, 110 * s, 0, 0, 0}, true);
  report("busy, instant", &(setup){busy, "", ", offer: instant", 100 * s, 400 * s, 0, 0, 0}, true);
  table(full, busy);
  for (int i = 0; i < 3; i++) (void)unlink(paths[i]);
  return 0;
}
