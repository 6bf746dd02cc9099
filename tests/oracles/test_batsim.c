/* test_batsim.c -- the same schedule as Batsim, job by job.
 *
 * Each row names a workload of delays, a run of Batsim 4.2.1 on it, and a configuration. Starts and ends are
 * compared by job number. In Batsim each message between scheduler and machines takes simulated time,
 * fractions of a millisecond that add up, so a start is the same if it is less than a tenth of a second away;
 * the workloads' own gaps are longer. `differ` is the number of jobs that are not the same, and is exact:
 * what is left is explained in docs/oracles.md. All of it lies in a folder beside the project, and is skipped
 * where that is absent. */
#include <inttypes.h>
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
#include "oracles/ours.h"

#define DATA "../shared/data/"
#define NEAR (100 * HC_MS)
#define JOBS 1024      /* more than any of them has */
#define LATE_ID 424242 /* medium_late has one job of this number */
#define FAST "{select: {use: easy, sticky: true, extra: false}}"
#define NAMED "{select: {use: easy, reserve: hosts}}"

typedef struct oracle {
  const char *workload, *platform, *run; /* no platform: the schedule that comes with the workload */
  const char *policy;
  int procs; /* 0: as the workload says; below 0: so many hosts of one core */
  long differ;
} oracle;

static const oracle oracles[] = {
#include "oracles/batsim.inc"
};

typedef struct times {
  hc_time start, end;
  bool known;
} times;

static size_t place_of(int64_t id)
{
  if (id == LATE_ID) id = JOBS - 1;
  assert_in_range(id, 0, JOBS - 1);
  return (size_t)id;
}

/* The column of that name, counted from 0. */
static size_t column_of(const char *header, const char *name)
{
  const size_t n = strlen(name);
  size_t column = 0;
  for (const char *p = header; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL, column++)
    if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0')) return column;
  fail_msg("no column %s", name);
  return 0;
}

static hc_time field(const char *line, size_t column)
{
  hc_time t = HC_UNKNOWN;
  while (column-- > 0 && line) line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
  assert_non_null(line);
  assert_int_equal(hc_parse_seconds(line, strcspn(line, ","), &t), 0);
  return t;
}

static size_t read_theirs(const char *path, times *out)
{
  hc_input *in;
  hc_error e = {0};
  char *line;
  size_t n, jobs = 0, start, end;
  check(hc_input_open(hc_default_allocator(), path, &in, &e), &e);
  assert_int_equal(hc_input_line(in, &line, &n, &e), 1);
  start = column_of(line, "starting_time");
  end = column_of(line, "finish_time");
  for (; hc_input_line(in, &line, &n, &e) == 1; jobs++)
    out[place_of(strtol(line, NULL, 10))] =
        (times){.start = field(line, start), .end = field(line, end), .known = true};
  assert_int_equal(e.rc, 0);
  hc_input_free(in);
  return jobs;
}

static void put_times(void *ctx, const hc_task_record *t)
{
  times *out = ctx;
  out[place_of(t->id)] = (times){.start = t->start, .end = t->end, .known = true};
}

/* Run it, and write down when each task started and ended. */
static void read_ours(const char *text, times *out)
{
  our_run run;
  run_ours(text, &run);
  each_of_ours(&run, put_times, out);
  free_ours(&run);
}

static bool is_near(hc_time a, hc_time b)
{
  return a - b < NEAR && b - a < NEAR;
}

static long compare(const times *ours, const times *theirs)
{
  long differ = 0;
  for (size_t i = 0; i < JOBS; i++) {
    if (ours[i].known == theirs[i].known &&
        (!ours[i].known || (is_near(ours[i].start, theirs[i].start) && is_near(ours[i].end, theirs[i].end))))
      continue;
    if (differ++ < 3 && getenv("HC_SHOW"))
      print_message("  job %zu: ours starts %.3f s, theirs %.3f s\n", i, (double)ours[i].start / 1e9,
                    (double)theirs[i].start / 1e9);
  }
  return differ;
}

/* @return false if the files are not here. */
static bool run_row(const oracle *o, bool *right)
{
  const char *late = HC_TEST_SOURCE_DIR "/" DATA "reference_schedules/batsim_medium_late";
  char workload[512], schedule[512], text[2048], cell[128] = "";
  times *ours, *theirs;
  size_t jobs;
  long differ;
  (void)snprintf(workload, sizeof workload, "%s/" DATA "batsim_workloads/%s.json", HC_TEST_SOURCE_DIR,
                 o->workload);
  (void)snprintf(schedule, sizeof schedule, "%s/" DATA "batsim_runs/%s__%s__%s.jobs.csv", HC_TEST_SOURCE_DIR,
                 o->platform ? o->platform : "", o->workload, o->run ? o->run : "");
  if (!o->platform) {
    (void)snprintf(workload, sizeof workload, "%s/%s.json", late, o->workload);
    (void)snprintf(schedule, sizeof schedule, "%s/easy/out_jobs.csv", late);
  }
  if (access(workload, R_OK) != 0 || access(schedule, R_OK) != 0) return false;
  ours = calloc(JOBS, sizeof *ours);
  theirs = calloc(JOBS, sizeof *theirs);
  assert_true(ours && theirs);
  if (o->procs > 0) (void)snprintf(cell, sizeof cell, "cell: {use: count, procs: %d}\n", o->procs);
  if (o->procs < 0)
    (void)snprintf(cell, sizeof cell, "cell: {use: hosts, classes: [{count: %d, name_prefix: m, cpus: 1}]}\n",
                   -o->procs);
  (void)snprintf(text, sizeof text, "source: {use: batsim, file: \"%s\"}\npolicy: %s\nmetrics: []\n%s",
                 workload, o->policy, cell);
  jobs = read_theirs(schedule, theirs);
  read_ours(text, ours);
  differ = compare(ours, theirs);
  *right = differ == o->differ;
  print_message("%-36s %-16s %ld of %zu differ%s\n", o->workload, o->run ? o->run : "easy", differ, jobs,
                *right ? "" : "   <- not as expected");
  free(ours);
  free(theirs);
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
