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

#include "hindcast/hindcast.h"

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

static void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u: %s", e->where, e->line, e->text);
}

typedef struct bench {
  const hc_allocator *a;
  hc_registry *registry;
  hc_config *config;
  hc_error e;
} bench;

/* A run file from the row's words. */
static void begin(bench *b, const family *f)
{
  char yaml[2048], *p = yaml, *const end = yaml + sizeof yaml - 512;
  memset(b, 0, sizeof *b);
  b->a = hc_default_allocator();
  p += snprintf(p, 16, "source: {");
  for (const char *s = f->source; *s && p < end; s++)
    if (*s == '$') p += snprintf(p, (size_t)(end - p), "%s", f->file);
    else *p++ = *s;
  (void)snprintf(p, 512, "}\ncell: {%s}\npolicy: %s\nmetrics: [tasks]\n%s", f->cell, f->policy,
                 f->tasks > 1000000 ? "task_rows: none\n" : "");
  check(hc_registry_new(b->a, &b->registry), &b->e);
  check(hc_config_new(b->a, b->registry, &b->config, &b->e), &b->e);
  check(hc_config_text(b->config, yaml, strlen(yaml), f->file, &b->e), &b->e);
}

static void end(bench *b)
{
  hc_config_free(b->config);
  hc_registry_free(b->registry);
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
  bench b;
  hc_trace *trace;
  hc_trace_task t;
  const hc_row_ledger *rows;
  hc_time last = 0;
  double run = 0, cpu = 0, gpu = 0, area = 0, tasks = 0;
  hc_rc rc;
  begin(&b, f);
  check(hc_trace_open(b.a, b.config, &(hc_trace_options){.mode = HC_TRACE_TASKS}, &trace, &b.e), &b.e);
  while ((rc = hc_trace_next(trace, &t, &b.e)) == 1) {
    const double times = t.spec.count > 1 ? t.spec.count : 1, seconds = (double)t.spec.run / 1e9;
    assert_true(t.spec.submit >= last); /* in order of submission */
    last = t.spec.submit;
    tasks += times;
    run += seconds * times;
    cpu += amount(t.spec.need[HC_DIM_CPU], times);
    gpu += amount(t.spec.need[HC_DIM_GPU], times);
    area += seconds * (double)t.units * times;
  }
  check(rc, &b.e);
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
  end(&b);
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
  bench b;
  hc_store *store;
  hc_run *run;
  hc_result *result;
  said machine = {.key = "machine"};
  begin(&b, f);
  check(hc_store_new(b.a, NULL, &store, &b.e), &b.e);
  check(hc_run_new(b.a, b.config, store, &run, &b.e), &b.e);
  check(hc_run_advance(run, HC_NEVER, 0, &b.e), &b.e);
  check(hc_run_finish(run, &b.e), &b.e);
  check(hc_result_of_store(store, &result, &b.e), &b.e);
  assert_int_equal((uint64_t)hc_result_figure(result, "all", "tasks"), f->tasks);
  if (f->machine) {
    check(hc_result_rows(result, "hindcast", 2, hear, &machine, &b.e), &b.e);
    assert_string_equal(machine.value, f->machine);
  }
  if (f->tasks <= 1000000) check_schedule(f, result);
  hc_result_free(result);
  hc_run_free(run);
  hc_store_free(store);
  end(&b);
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
