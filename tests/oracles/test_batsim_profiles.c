/* test_batsim_profiles.c -- the same schedule as Batsim to the microsecond, profiles and messages included.
 *
 * Each row is a run of Batsim 4.2.1 under `compat: batsim`: its workload, its platform, the network that its
 * messages go through. Starts and ends of each job are compared, and whether it succeeded. `coarse` jobs
 * differ by more than a millisecond, `fine` by more than a microsecond, which is what Batsim writes; both
 * numbers are exact, and what is left is explained in docs/oracles.md. Of runs with energy (`__E`) that of
 * each job and of all hosts is compared too. All of it lies in a folder beside the project, and is skipped
 * where that is absent. The platform cluster512 of these runs has the links of cluster512_pfs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/util.h"
#include "oracles/ours.h"

#define DATA HC_TEST_SOURCE_DIR "/../shared/data/"
#define JOBS 1024 /* more than any run has */
#define FCFS "fcfs"
#define FILLER "scan"
#define FAST "{select: {use: easy_book, promise: time}}"
#define BOOK "{select: easy_book}"

typedef struct oracle {
  const char *platform, *workload, *run, *policy;
  long coarse, fine;
} oracle;

static const oracle oracles[] = {
#include "oracles/batsim_profiles.inc"
};

/* All that hosts drew in runs with energy (consumed_joules of summary.log). Batsim counts from when it hears
 * of the first job, one message later than it comes, in which idle hosts draw `idle`, in W. While the latency
 * of a parallel task passes, 0.6 ms, SimGrid counts its cores as if it were under way: `early` for each job,
 * here of two hosts that are half busy, at 95.738 W more than idle. */
static const struct {
  const char *platform, *workload;
  double joules, idle, message, early;
} drawn[] = {
    {"cluster_energy_128", "test_energy_minimal_load0", 1337629.184389, 128 * 95, 0.0006, 0},
    {"cluster_energy_128", "test_energy_minimal_load50", 1339551.355275, 128 * 95, 0.0006,
     2 * 0.5 * 95.738 * 0.0006},
    {"cluster_energy_128", "test_energy_minimal_load100", 1341458.704389, 128 * 95, 0.0006, 0},
    {"energy_platform_homogeneous_no_net_128", "test_energy_minimal_load0", 1337600, 128 * 95, 0, 0},
    {"energy_platform_homogeneous_no_net_128", "test_energy_minimal_load50", 1278714.76, 128 * 95, 0, 0},
    {"energy_platform_homogeneous_no_net_128", "test_energy_minimal_load100", 1341429.52, 128 * 95, 0, 0},
    {"small_platform_usage_replay", "test_usage_trace", 974191.807871, 4 * 50, 0.000015, 0},
};
#define ENERGY_TOLERANCE 1e-9 /* relative, beside the millionths of a joule that Batsim writes */

typedef struct job {
  char id[32];
  hc_time submit, start, end;
  bool succeeds;
  double energy; /* J */
} job;

typedef struct ours {
  hc_time start, end;
  bool known, succeeds;
  int64_t serial;
  double energy;
} ours;

/* Field `column` of a line, cut out. */
static const char *field(const char *line, size_t column, char *room, size_t size)
{
  while (column-- > 0 && line) line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
  assert_non_null(line);
  (void)snprintf(room, size, "%.*s", (int)strcspn(line, ","), line);
  return room;
}

static hc_time time_of(const char *line, size_t column)
{
  char room[64];
  hc_time t;
  (void)field(line, column, room, sizeof room);
  assert_int_equal(hc_parse_seconds(room, strlen(room), &t), 0);
  return t;
}

/* Tasks of `ties: id` are numbered in the order in which Batsim submits jobs. */
static int by_submission(const void *a, const void *b)
{
  const job *x = a, *y = b;
  if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
  return strcmp(x->id, y->id);
}

/* Columns: 0 job_id, 3 submission_time, 6 success, 8 starting_time, 10 finish_time, 15 consumed_energy. */
static size_t read_theirs(const char *path, job *out)
{
  hc_input *in;
  hc_error e = {0};
  char *line, room[64];
  size_t n, jobs = 0;
  check(hc_input_open(hc_default_allocator(), path, &in, &e), &e);
  assert_int_equal(hc_input_line(in, &line, &n, &e), 1);
  assert_non_null(strstr(line, "final_state,starting_time,execution_time,finish_time"));
  for (; hc_input_line(in, &line, &n, &e) == 1; jobs++) {
    assert_in_range(jobs, 0, JOBS - 1);
    out[jobs] = (job){.submit = time_of(line, 3),
                      .start = time_of(line, 8),
                      .end = time_of(line, 10),
                      .succeeds = field(line, 6, room, sizeof room)[0] == '1'};
    out[jobs].energy = strtod(field(line, 15, room, sizeof room), NULL);
    (void)field(line, 0, out[jobs].id, sizeof out[jobs].id);
  }
  assert_int_equal(e.rc, 0);
  hc_input_free(in);
  qsort(out, jobs, sizeof *out, by_submission);
  return jobs;
}

static void put_times(void *ctx, const hc_task_record *t)
{
  ours *out = ctx;
  assert_in_range(t->id, 1, JOBS - 1);
  out[t->id] = (ours){.start = t->start,
                      .end = t->end,
                      .serial = t->serial,
                      .known = t->start != HC_UNKNOWN && t->end != HC_UNKNOWN,
                      .succeeds = t->final == HC_FINAL_COMPLETED};
}

/* As it is written: rounded to microseconds. */
static hc_time apart(hc_time mine, hc_time theirs)
{
  const hc_time d = (mine + HC_US / 2) / HC_US * HC_US - theirs;
  return d < 0 ? -d : d;
}

static void compare(const ours *o, const job *theirs, size_t jobs, long *coarse, long *fine)
{
  for (size_t i = 0; i < jobs; i++) {
    const ours *x = &o[i + 1];
    const hc_time d = HC_MAX(apart(x->start, theirs[i].start), apart(x->end, theirs[i].end));
    const bool is_other = !x->known || x->succeeds != theirs[i].succeeds;
    *coarse += is_other || d > HC_MS;
    *fine += is_other || d > HC_US;
    if ((is_other || d > HC_US) && getenv("HC_SHOW"))
      print_message("  job %s: starts %.6f s, ends %.6f s; theirs %.6f s and %.6f s\n", theirs[i].id,
                    (double)x->start / 1e9, (double)x->end / 1e9, (double)theirs[i].start / 1e9,
                    (double)theirs[i].end / 1e9);
  }
}

/* ---- energy ---- */

static bool has_energy(const oracle *o)
{
  return strstr(o->run, "__E") != NULL;
}

/* Columns of the table cells: scope, tab, key, name, unit, value. */
static hc_rc put_energy(void *ctx, const char *const *values)
{
  ours *all = ctx;
  if (strcmp(values[1], "energy_by_task") != 0) return 0;
  for (size_t i = 0; i < JOBS; i++)
    if (all[i].known && all[i].serial == strtoll(values[2], NULL, 10))
      all[i].energy = strtod(values[5], NULL);
  return 0;
}

static bool is_near(const oracle *o, const char *of, double mine, double theirs)
{
  const double d = mine > theirs ? mine - theirs : theirs - mine;
  if (d <= ENERGY_TOLERANCE * theirs + 1e-6) return true;
  print_message("  %s, %s: %s: %.6f J, theirs %.6f J\n", o->platform, o->workload, of, mine, theirs);
  return false;
}

static bool is_same_energy(const oracle *o, our_run *run, ours *mine, const job *theirs, size_t jobs)
{
  hc_error e = {0};
  bool right = false;
  if (!has_energy(o)) return true;
  check(hc_result_rows(run->result, "cells", 6, put_energy, mine, &e), &e);
  for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
    if (strcmp(drawn[i].platform, o->platform) != 0 || strcmp(drawn[i].workload, o->workload) != 0) continue;
    right = is_near(o, "all hosts", hc_result_figure(run->result, "all", "energy"),
                    drawn[i].joules + drawn[i].idle * drawn[i].message - (double)jobs * drawn[i].early);
    for (size_t k = 0; k < jobs; k++)
      right &= is_near(o, theirs[k].id, mine[k + 1].energy, theirs[k].energy - drawn[i].early);
  }
  return right;
}

static int most_of(const oracle *o)
{
  if (!strstr(o->run, "__mw")) return 0;
  return strstr(o->workload, "paper") ? 32 : 128; /* nb_res */
}

static void configure(const oracle *o, const char *workload, char *text, size_t size)
{
  const bool is_small = strstr(o->platform, "small") || strstr(o->platform, "no_net");
  const bool is_slow = strstr(o->platform, "usage") != NULL; /* hosts of 50 and 100 flop/s */
  const char *name = strcmp(o->platform, "cluster512") == 0 ? "cluster512_pfs" : o->platform;
  char file[512];
  (void)snprintf(file, sizeof file, DATA "platforms/batsim/%s.xml", name);
  (void)snprintf(
      text, size,
      "compat: batsim\nsource: {use: batsim, file: \"%s\"}\n"
      "cell: {use: simgrid, file: \"%s\", most: %d%s}\n"
      "execution: {use: activities, network: {use: simgrid, file: \"%s\"}%s}\n"
      "architecture: {use: messages, network: {use: simgrid, file: \"%s\"}, master: %s}\n"
      "policy: %s\n%s\n",
      workload, file, most_of(o), is_slow ? ", flops: 100" : "", file, is_slow ? ", cpu_speed: 100" : "",
      file, is_small ? "master_host" : "master_host0", o->policy,
      has_energy(o) ? "power: {use: simgrid}\nmetrics: [{use: energy, by: tasks}]" : "metrics: []");
}

/* @return false if the files are not here. */
static bool run_row(const oracle *o, bool *right)
{
  char workload[512], schedule[512], text[4096];
  long coarse = 0, fine = 0;
  our_run run;
  (void)snprintf(workload, sizeof workload, DATA "batsim_workloads/%s.json", o->workload);
  (void)snprintf(schedule, sizeof schedule, DATA "batsim_runs/%s__%s__%s.jobs.csv", o->platform, o->workload,
                 o->run);
  if (access(workload, R_OK) != 0 || access(schedule, R_OK) != 0) return false;
  job *theirs = calloc(JOBS, sizeof *theirs);
  ours *mine = calloc(JOBS, sizeof *mine);
  assert_true(theirs && mine);
  const size_t jobs = read_theirs(schedule, theirs);
  configure(o, workload, text, sizeof text);
  run_ours(text, &run);
  each_of_ours(&run, put_times, mine);
  compare(mine, theirs, jobs, &coarse, &fine);
  *right = is_same_energy(o, &run, mine, theirs, jobs) && coarse == o->coarse && fine == o->fine;
  free_ours(&run);
  print_message("%-42s %-34s %-16s %ld and %ld of %zu%s\n", o->platform, o->workload, o->run, coarse, fine,
                jobs, *right ? "" : "   <- not as expected");
  free(theirs);
  free(mine);
  return true;
}

static void test_every_run(void **state)
{
  long wrong = 0, skipped = 0;
  (void)state;
  for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++) {
    bool right = true;
    if (!run_row(&oracles[i], &right)) skipped++;
    wrong += !right;
  }
  if (skipped > 0) print_message("skipped: %ld runs of Batsim, whose folder is not here\n", skipped);
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
