/* test_batsim_profiles.c -- the same schedule as Batsim to the microsecond, profiles and messages included.
 *
 * Each row is a run of Batsim 4.2.1 under `compat: batsim`: its workload, its platform, the network that its
 * messages go through. Starts and ends of each job are compared, and whether it succeeded. `coarse` jobs
 * differ by more than a millisecond, `fine` by more than a microsecond, which is what Batsim writes; both
 * numbers are exact, and what is left is explained in docs/oracles.md. All of it lies in a folder beside the
 * project, and is skipped where that is absent. The platform cluster512 of these runs has the links of
 * cluster512_pfs. */
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

typedef struct job {
  char id[32];
  hc_time submit, start, end;
  bool succeeds;
} job;

typedef struct ours {
  hc_time start, end;
  bool known, succeeds;
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

/* Columns: 0 job_id, 3 submission_time, 6 success, 8 starting_time, 10 finish_time. */
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
  (void)snprintf(text, size,
                 "compat: batsim\nsource: {use: batsim, file: \"%s\"}\n"
                 "cell: {use: simgrid, file: \"%s\", most: %d%s}\n"
                 "execution: {use: activities, network: {use: simgrid, file: \"%s\"}%s}\n"
                 "architecture: {use: messages, network: {use: simgrid, file: \"%s\"}, master: %s}\n"
                 "policy: %s\nmetrics: []\n",
                 workload, file, most_of(o), is_slow ? ", flops: 100" : "", file,
                 is_slow ? ", cpu_speed: 100" : "", file, is_small ? "master_host" : "master_host0",
                 o->policy);
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
  free_ours(&run);
  compare(mine, theirs, jobs, &coarse, &fine);
  *right = coarse == o->coarse && fine == o->fine;
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
