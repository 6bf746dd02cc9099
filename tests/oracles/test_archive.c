/* test_archive.c -- logs of the Parallel Workloads Archive, of Slurm and others, read in full: every line
 * accounted for.
 *
 * The counts of job lines are those of the collection's own index (header records minus what its cleaning
 * removed). The KTH log ships with the project; the others come from a folder beside it and are skipped
 * where it is absent. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracles/ours.h"

typedef struct archived {
  const char *file;
  uint64_t rows, never_ran, no_processors; /* read = used + the other two */
} archived;

static const archived logs[] = {
    {"examples/data/KTH-SP2-1996-2.swf.zst", 28489, 2, 0},
    {"../shared/data/swf/ALCF-Mira-2018.swf.zst", 22508, 0, 0},
    {"../shared/data/swf/ALCF-Mira-2018-walltime.swf.zst", 22508, 0, 0}, /* 19 columns */
    {"../shared/data/swf/CEA-Curie-2011-2.1-cln.swf.zst", 312826, 15940, 3},
    {"../shared/data/swf/HPC2N-2002-2.1-cln.swf.zst", 202876, 0, 0}, /* decimals */
    {"../shared/data/swf/LCG-2005-1.swf.zst", 188041, 0, 0},
    {"../shared/data/swf/LLNL-Atlas-2006-2.1-cln.swf.zst", 43778, 5212, 0},
    {"../shared/data/swf/METACENTRUM-2009-2.swf.zst", 103656, 2467, 0}, /* no header at all */
    {"../shared/data/swf/NASA-iPSC-1993-3.1-cln.swf.zst", 18239, 0, 0},
    {"../shared/data/swf_extended/jaros1.swf", 12, 0, 0}, /* a title line, 20 columns */
    {"../shared/data/swf_extended/jaros2.swf", 12, 0, 0},
    {"../shared/data/swf_extended/jaros3.swf", 16, 0, 0},
    {"../shared/data/reference_schedules/CTC-SP2.easy.pyss.swf.zst", 77199, 0,
     0}, /* lines in order of completion */
    {"../shared/data/reference_schedules/KTH-SP2.easypp-tsafrir.pyss.swf.zst", 28481, 0, 0},
    {"../shared/data/reference_schedules/KTH-SP2.filtered-input.swf.zst", 28481, 0, 0},
};

/* Slurm's accounting: of two sites, and of real runs whose makers computed how long jobs waited. */
typedef struct accounted {
  archived log;
  const char *options;         /* of the reader */
  int64_t wait_mean, wait_max; /* s, rounded; -1: not stated */
} accounted;

static const accounted accounts[] = {
    {{"../shared/data/slurm/cirrus_2024Q1_cpu.sacct.csv.zst", 11635, 201, 0}, "", -1, -1},
    {{"../shared/data/slurm/phillips_2017.sacct.psv.zst", 4285, 239, 0},
     "layout: xdmod, zone: US/Eastern, ",
     -1,
     -1},
    {{"../shared/data/slurm/ubccr_micro_cluster/real_slurm_run.slurm_acct.out", 500, 0, 0}, "", 12301, 42226},
    {{"../shared/data/slurm_real/r1/sacct.psv", 240, 13, 0}, "", 299, -1},
    {{"../shared/data/slurm_real/r2/sacct.psv", 240, 12, 0}, "", 194, -1},
    {{"../shared/data/slurm_real/r3/sacct.psv", 240, 13, 0}, "", 257, -1},
    {{"../shared/data/slurm_real/r4/sacct.psv", 240, 10, 0}, "", 213, -1},
    {{"../shared/data/slurm_real/r5/sacct.psv", 300, 3, 0}, "", 20, -1}, /* two could never fit */
    {{"../shared/data/slurm_real/r7/sacct.psv", 349, 14, 0}, "", 27, -1},
};

typedef struct waited {
  double sum, longest; /* s */
} waited;

static waited read_whole(const archived *log, const char *path, const char *reader)
{
  hc_error e = {0};
  our_run o;
  hc_trace *trace;
  hc_trace_task task;
  const hc_row_ledger *rows;
  hc_time last = 0;
  uint64_t tasks = 0;
  waited waits = {0};
  hc_rc rc;
  char yaml[2048];
  (void)snprintf(yaml, sizeof yaml, "source: {%s, file: \"%s\"}\ncell: {use: count, procs: 1000000}\n",
                 reader, path);
  configure_ours(yaml, "test", &o);
  trace = open_ours(&o);
  while ((rc = hc_trace_next(trace, &task, &e)) == 1) {
    assert_true(task.spec.submit >= last); /* in order of submission, whatever the file's */
    last = task.spec.submit;
    tasks++;
    const double wait = task.spec.wait == HC_UNKNOWN ? 0 : (double)task.spec.wait / 1e9;
    waits.sum += wait;
    if (wait > waits.longest) waits.longest = wait;
  }
  check(rc, &e);
  rows = hc_trace_rows(trace);
  assert_int_equal(rows->read, log->rows);
  assert_int_equal(rows->rejected[HC_REASON_NEVER_RAN], log->never_ran);
  assert_int_equal(rows->rejected[HC_REASON_NO_PROCESSORS], log->no_processors);
  assert_int_equal(rows->used, log->rows - log->never_ran - log->no_processors);
  assert_int_equal(rows->merged, 0);
  assert_int_equal(tasks, rows->used);
  hc_trace_close(trace);
  free_ours(&o);
  return waits;
}

static bool is_here(const char *file, char path[1024])
{
  (void)snprintf(path, 1024, "%s/%s", HC_TEST_SOURCE_DIR, file);
  if (access(path, R_OK) != 0 && strncmp(file, "../", 3) == 0) return false;
  print_message("%s\n", file);
  return true;
}

static void test_every_line_is_accounted_for(void **state)
{
  long skipped = 0;
  (void)state;
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    char path[1024];
    if (is_here(logs[i].file, path)) (void)read_whole(&logs[i], path, "use: swf");
    else skipped++;
  }
  if (skipped > 0) print_message("skipped: %ld logs whose folder is not here\n", skipped);
}

/* The waits are those that the makers of the runs computed from the same records. */
static void test_accounts(void **state)
{
  long skipped = 0;
  (void)state;
  for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++) {
    const accounted *a = &accounts[i];
    char path[1024], reader[128];
    if (!is_here(a->log.file, path)) {
      skipped++;
      continue;
    }
    (void)snprintf(reader, sizeof reader, "%suse: sacct", a->options);
    const waited w = read_whole(&a->log, path, reader);
    const double tasks = (double)(a->log.rows - a->log.never_ran);
    if (a->wait_mean >= 0) assert_int_equal((int64_t)(w.sum / tasks + 0.5), a->wait_mean);
    if (a->wait_max >= 0) assert_int_equal((int64_t)w.longest, a->wait_max);
  }
  if (skipped > 0) print_message("skipped: %ld records whose folder is not here\n", skipped);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_line_is_accounted_for),
                                     cmocka_unit_test(test_accounts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
