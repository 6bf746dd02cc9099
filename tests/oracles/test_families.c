/* test_families.c -- real files of every family of traces that we have some of, read whole and simulated.
 *
 * A row says how many rows of the file are used, merged and rejected, and what they add up to: tasks,
 * seconds, cores and GPUs. The numbers are not ours. Rows are those of the collection's own index; sums were
 * made with awk, and Python's json, from the files themselves (docs/oracles.md has the recipes). Then the
 * workload runs on the machine that it came from, or, where a family has only machines here, on them with a
 * generated one; every task must end, and the schedule is checked by code that shares nothing with the
 * engine. Logs that test_archive.c reads are only run here.
 *
 * All of it lies in a folder beside the project; files that are absent are skipped. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracles/ours.h"

#define DATA HC_TEST_SOURCE_DIR "/../shared/data"

typedef struct family {
  const char *file;           /* what is read; the test is skipped without it */
  const char *source;         /* the source's keys; $ stands for the file */
  const char *cell, *policy;  /* of the run; no policy: not run */
  uint64_t read, merged;      /* rows; read = merged + rejected + used */
  uint64_t never_ran, other;  /* rejected; other: a profile without a length, no processors */
  uint64_t tasks;             /* those of bundles counted one by one */
  double run, cpu, gpu, area; /* sums over tasks of seconds, cores, GPUs, processors x seconds; 0: not made */
  const char *machine;        /* as the result says it */
} family;

static const family families[] = {
#include "oracles/families.inc"
};

/* A run file from the row's words. */
static void configure(const family *f, our_run *o)
{
  char yaml[2048], *p = yaml, *const end = yaml + sizeof yaml - 512;
  p += snprintf(p, 16, "source: {");
  for (const char *s = f->source; *s && p < end; s++)
    if (*s == '$') p += snprintf(p, (size_t)(end - p), "%s", f->file);
    else *p++ = *s;
  (void)snprintf(p, 512, "}\ncell: {%s}\npolicy: %s\nmetrics: [tasks]\n%s", f->cell, f->policy,
                 f->tasks > 1000000 ? "task_rows: none\n" : "");
  configure_ours(yaml, f->file, o);
}

/* Sums to the thousandth of what amounts are counted in: far less than one task would make. */
static void assert_sum(const char *file, const char *what, double got, double want)
{
  if (want == 0) return;
  const double off = got > want ? got - want : want - got;
  if (off > 0.001 + want * 1e-12) fail_msg("%s: %s add up to %.6f, not %.6f", file, what, got, want);
}

static double amount(int64_t milli, double times)
{
  return milli == HC_UNKNOWN ? 0 : (double)milli / 1000 * times;
}

static void read_whole(const family *f)
{
  our_run o;
  hc_error e = {0};
  hc_trace *trace;
  hc_trace_task t;
  const hc_row_ledger *rows;
  hc_time last = 0;
  double run = 0, cpu = 0, gpu = 0, area = 0, tasks = 0;
  hc_rc rc;
  configure(f, &o);
  trace = open_ours(&o);
  while ((rc = hc_trace_next(trace, &t, &e)) == 1) {
    const double times = t.spec.count > 1 ? t.spec.count : 1, seconds = (double)t.spec.run / 1e9;
    assert_true(t.spec.submit >= last); /* in order of submission */
    last = t.spec.submit;
    tasks += times;
    run += seconds * times;
    cpu += amount(t.spec.need[HC_DIM_CPU], times);
    gpu += amount(t.spec.need[HC_DIM_GPU], times);
    area += seconds * (double)t.units * times;
  }
  check(rc, &e);
  rows = hc_trace_rows(trace);
  assert_int_equal(rows->read, f->read);
  assert_int_equal(rows->merged, f->merged);
  assert_int_equal(rows->rejected[HC_REASON_NEVER_RAN], f->never_ran);
  assert_int_equal(rows->rejected[HC_REASON_PROFILE] + rows->rejected[HC_REASON_NO_PROCESSORS], f->other);
  assert_int_equal(rows->rejections, f->never_ran + f->other);
  assert_int_equal(rows->used, f->read - f->merged - f->never_ran - f->other);
  assert_int_equal((uint64_t)tasks, f->tasks);
  assert_sum(f->file, "run times", run, f->run);
  assert_sum(f->file, "cores", cpu, f->cpu);
  assert_sum(f->file, "GPUs", gpu, f->gpu);
  assert_sum(f->file, "processors x run times", area, f->area);
  hc_trace_close(trace);
  free_ours(&o);
}

typedef struct said {
  const char *key;
  char value[256];
} said;

static hc_rc hear(void *ctx, const char *const *values)
{
  said *s = ctx;
  if (strcmp(values[0], s->key) == 0) (void)snprintf(s->value, sizeof s->value, "%s", values[1]);
  return 0;
}

static void refuted(void *ctx, const hc_violation *v)
{
  print_message("%s: %s: task %" PRId64 ": %s\n", (const char *)ctx, v->rule, v->id, v->text);
}

/* Every row for a task ended, and no task had what was not there. */
static void check_schedule(const family *f, hc_result *result)
{
  const hc_allocator *a = hc_default_allocator();
  const size_t all = (size_t)hc_result_task_count(result);
  hc_task_record *records = a->resize(a->ctx, NULL, 0, (all + 1) * sizeof *records);
  hc_verify_hosts hosts = {0};
  hc_verify_report report;
  hc_error e = {0};
  said processors = {.key = "processors"};
  size_t n = 0, more;
  assert_non_null(records);
  do {
    check(hc_result_tasks(result, n == 0, records + n, all + 1 - n, &more, &e), &e);
    n += more;
  } while (more > 0);
  assert_int_equal(n, f->tasks);
  check(hc_result_rows(result, "hindcast", 2, hear, &processors, &e), &e);
  check(hc_verify_hosts_read(a, result, &hosts, &e), &e);
  const hc_verify_options o = {.capacity = strtoll(processors.value, NULL, 10),
                               .honours_run = true,
                               .hosts = hosts.host_count > 0 ? &hosts : NULL};
  char name[256];
  (void)snprintf(name, sizeof name, "%s", f->file);
  assert_int_equal(hc_verify(a, &o, records, n, refuted, name, &report), 0);
  assert_int_equal(report.tasks, n);
  hc_verify_hosts_free(a, &hosts);
  (void)a->resize(a->ctx, records, (all + 1) * sizeof *records, 0);
}

static void run_whole(const family *f)
{
  our_run o;
  hc_error e = {0};
  said machine = {.key = "machine"};
  configure(f, &o);
  finish_ours(&o);
  assert_int_equal((uint64_t)hc_result_figure(o.result, "all", "tasks"), f->tasks);
  if (f->machine) {
    check(hc_result_rows(o.result, "hindcast", 2, hear, &machine, &e), &e);
    assert_string_equal(machine.value, f->machine);
  }
  if (f->tasks <= 1000000) check_schedule(f, o.result);
  free_ours(&o);
}

static void test_files(void **state)
{
  long skipped = 0;
  (void)state;
  if (chdir(DATA) != 0) {
    print_message("skipped: the folder of the traces is not here\n");
    return;
  }
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const family *f = &families[i];
    if (access(f->file, R_OK) != 0) {
      skipped++;
      continue;
    }
    print_message("%s\n", f->file);
    if (f->read > 0) read_whole(f);
    if (f->policy) run_whole(f);
  }
  if (skipped > 0) print_message("skipped: %ld files that are not here\n", skipped);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
