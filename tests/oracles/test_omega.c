/* test_omega.c -- Google's Omega simulator, repeated: each run of the original that tests/oracles/omega
 * holds.
 *
 * Sixteen runs of an hour on 500 machines, and two-level days on 10,000 with one, two and three schedulers
 * that are made offers. HC_SOAK=1 in the environment adds the other orders of equal shares that the days were
 * made in.
 *
 * Counts of jobs are equal; times of jobs are equal but for a nanosecond an attempt, since the store rounds
 * them. Figures of the whole (utilisation, busy times, conflicts, probes that failed) are equal to the last
 * bit. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/table.h"
#include "oracles/ours.h"
#include "sample.h"

#define FOLDER HC_TEST_SOURCE_DIR "/tests/oracles/omega/"

/* ---- what the original said ---- */

typedef struct key {
  char arch[24], conflict[64], transaction[24], schedulers[8], c[16];
} key;

static void next_row(hc_table *t, bool *more)
{
  hc_error e = {0};
  hc_rc rc = hc_table_next(t, &e);
  check(rc, &e);
  *more = rc > 0;
}

static void open_table(hc_table *t, const char *name)
{
  char path[512];
  hc_error e = {0};
  (void)snprintf(path, sizeof path, FOLDER "%s.zst", name);
  check(hc_table_open(t, hc_default_allocator(), path, &e), &e);
}

static double number(const hc_table *t, size_t column)
{
  char *end;
  const double x = strtod(hc_table_text(t, column), &end);
  assert_true(*end == '\0');
  return x;
}

static bool is_of(const hc_table *t, const key *k)
{
  return strcmp(hc_table_text(t, 2), k->arch) == 0 && strcmp(hc_table_text(t, 3), k->conflict) == 0 &&
         strcmp(hc_table_text(t, 4), k->transaction) == 0 &&
         strcmp(hc_table_text(t, 5), k->schedulers) == 0 && strcmp(hc_table_text(t, 6), k->c) == 0;
}

static void describe(const key *k, const char *more, char *out, size_t size)
{
  const bool shared = strcmp(k->arch, "omega") == 0;
  const char *arch = shared ? "shared_state" : strcmp(k->arch, "mesos") == 0 ? "two_level" : "monolithic";
  char conflict[80] = "";
  if (shared)
    (void)snprintf(conflict, sizeof conflict, ", conflict: %s, transaction: %s",
                   strstr(k->conflict, "fit") ? "resource_fit" : "sequence_numbers",
                   strstr(k->transaction, "all") ? "all_or_nothing" : "incremental");
  (void)snprintf(
      out, size,
      "compat: google2013\n"
      "world: {architecture: %s%s, machines: 500, run_time: 3600, prefill: {use: even, cores: 600}%s,\n"
      "  workloads: [\n"
      "    {name: Batch, arrivals: {use: table, file: \"%ssmall_jobs.csv.zst\"}, think_job: %s, "
      "schedulers: %s},\n"
      "    {name: Service, arrivals: {use: table, file: \"%ssmall_jobs.csv.zst\"}, think_job: %s}]}\n",
      arch, conflict, more, FOLDER, strcmp(k->arch, "mono-single") == 0 ? k->c : "0.1", k->schedulers, FOLDER,
      k->c);
}

/* ---- comparing ---- */

static void same(our_run *o, const char *name, const char *of, double want, double within)
{
  char figure[128];
  double got;
  (void)snprintf(figure, sizeof figure, "%s%s%s", name, *of ? "_" : "", of);
  got = hc_result_figure(o->result, "all", figure);
  if (!(got - want <= within && want - got <= within))
    fail_msg("%s: ours %.17g, theirs %.17g", figure, got, want);
}

static size_t compare_summary(our_run *o, const char *file, const key *k, bool same_ties)
{
  static const char *const of_scheduler[] = {"useful_busy", "wasted_busy",     "succeeded",    "failed",
                                             "retried",     "tasks_succeeded", "tasks_failed", "no_resources",
                                             "timed_out",   "queue_left",      "failed_probes"};
  hc_table t;
  bool more;
  size_t rows = 0;
  open_table(&t, file);
  for (next_row(&t, &more); more; next_row(&t, &more)) {
    const char *kind = hc_table_text(&t, 1), *name = hc_table_text(&t, 11);
    if (!is_of(&t, k)) continue;
    rows++;
    if (strcmp(kind, "GRUN") == 0) {
      same(o, "makespan", "", number(&t, 13), 0);
      if (same_ties) same(o, "cpu_utilisation", "", number(&t, 14), 0);
      if (same_ties) same(o, "cpu_locked", "", number(&t, 15), 0);
    } else if (strcmp(kind, "GSCHED") == 0) {
      for (size_t i = 0; i < 11; i++) same(o, of_scheduler[i], name, number(&t, 12 + i), 0);
    } else if (strcmp(kind, "GWL") == 0) {
      same(o, "jobs", name, number(&t, 12), 0);
      same(o, "jobs_attempted", name, number(&t, 13), 0);
      same(o, "wait_first_mean", name, number(&t, 14), 1e-9); /* of a sum in another order */
      same(o, "wait_full_mean", name, number(&t, 15), 1e-9);
      same(o, "tasks_unscheduled", name, number(&t, 16), 0);
    }
  }
  hc_table_close(&t);
  return rows;
}

typedef struct jobs {
  hc_table theirs;
  size_t differ, seen;
} jobs;

static bool near(const char *ns, double s, double attempts)
{
  const double d = strtod(ns, NULL) - s * 1e9;
  return d <= attempts + 2 && -d <= attempts + 2;
}

/* job, workload, scheduler, submit, tasks, duration, attempts, task_attempts, wait_first ... of ours; job_id,
 * workload, attempts, task_attempts, wait_first ... of theirs. */
static hc_rc compare_job(void *ctx, const char *const *v)
{
  jobs *j = ctx;
  bool more, equal;
  next_row(&j->theirs, &more);
  assert_true(more);
  assert_string_equal(v[0], hc_table_text(&j->theirs, 1));
  equal = strcmp(v[6], hc_table_text(&j->theirs, 3)) == 0 &&
          strcmp(v[7], hc_table_text(&j->theirs, 4)) == 0 && strcmp(v[12], hc_table_text(&j->theirs, 9)) == 0;
  for (size_t i = 0; i < 4; i++) equal &= near(v[8 + i], number(&j->theirs, 5 + i), number(&j->theirs, 3));
  j->seen++;
  j->differ += !equal;
  if (!equal && j->differ <= 3 && getenv("HC_SHOW"))
    print_message("  job %s: ours %s attempts, waits %s and %s ns\n", v[0], v[6], v[8], v[9]);
  return 0;
}

/* @return how many jobs were compared: 0 if the run has no rows of jobs */
static size_t compare_jobs(our_run *o, const key *k)
{
  char name[160], path[512];
  jobs j = {0};
  hc_error e = {0};
  FILE *f;
  bool more;
  (void)snprintf(name, sizeof name, "small_perjob_%s-%s-%s-%s-C%s.csv", k->arch, k->conflict, k->transaction,
                 k->schedulers, strcmp(k->c, "10.0") == 0 ? "10" : k->c);
  (void)snprintf(path, sizeof path, FOLDER "%s.zst", name);
  f = fopen(path, "rb");
  if (!f) return 0;
  (void)fclose(f);
  open_table(&j.theirs, name);
  next_row(&j.theirs, &more);
  check(hc_result_rows(o->result, "jobs", 16, compare_job, &j, &e), &e);
  next_row(&j.theirs, &more);
  assert_false(more);
  hc_table_close(&j.theirs);
  assert_int_equal(j.differ, 0);
  return j.seen;
}

static void read_key(const hc_table *t, key *k)
{
  (void)snprintf(k->arch, sizeof k->arch, "%s", hc_table_text(t, 2));
  (void)snprintf(k->conflict, sizeof k->conflict, "%s", hc_table_text(t, 3));
  (void)snprintf(k->transaction, sizeof k->transaction, "%s", hc_table_text(t, 4));
  (void)snprintf(k->schedulers, sizeof k->schedulers, "%s", hc_table_text(t, 5));
  (void)snprintf(k->c, sizeof k->c, "%s", hc_table_text(t, 6));
}

/* Every run of the summary, with a change to our configuration that must not show. */
static void every_run(const char *more, bool is_quick, size_t *runs, size_t *job_rows)
{
  hc_table t;
  bool left;
  *runs = *job_rows = 0;
  open_table(&t, "small_summary.csv");
  for (next_row(&t, &left); left; next_row(&t, &left)) {
    char text[2048];
    key k;
    our_run o;
    if (strcmp(hc_table_text(&t, 1), "GRUN") != 0) continue;
    read_key(&t, &k);
    if (is_quick && strcmp(k.arch, "mesos") == 0 && strcmp(k.c, "10.0") == 0) continue;
    describe(&k, more, text, sizeof text);
    run_ours(text, &o);
    assert_true(compare_summary(&o, "small_summary.csv", &k, !is_quick) >=
                4); /* GRUN, GSCHED at least once, GWL twice */
    *job_rows += compare_jobs(&o, &k);
    free_ours(&o);
    ++*runs;
  }
  hc_table_close(&t);
}

/* 16 runs; 13 of them with 1,320 rows of jobs. */
static void test_every_run(void **state)
{
  size_t runs, rows;
  (void)state;
  every_run("", false, &runs, &rows);
  assert_int_equal(runs, 16);
  assert_int_equal(rows, 13 * 1320);
}

/* The quick way to keep events differs in what the monitor sees when the prefill ends, at the run's end; and
 * in the two-level run with long think times, where an answer and a request for offers meet at exactly one
 * time. */
static void test_quick_ties(void **state)
{
  size_t runs, rows;
  (void)state;
  every_run(", ties: inserted", true, &runs, &rows);
  assert_int_equal(runs, 15);
  assert_int_equal(rows, 13 * 1320);
}

/* ---- days of a full-size cell under offers ---- */

/* `conflict` of such a row is the order in which the original's hash set yielded the schedulers: names, with
 * blanks. */
static void describe_day(const key *k, bool with_order, char *out, size_t size)
{
  char order[128] = "", service[512] = "";
  if (with_order) (void)snprintf(order, sizeof order, ", offer_order: [%s]", k->conflict);
  for (char *c = order + 15; with_order && *c; c++)
    if (*c == ' ') *c = ',';
  if (strcmp(k->schedulers, "1") != 0)
    (void)snprintf(service, sizeof service,
                   ", {name: Service, arrivals: {use: table, file: \"%sday_jobs.csv.zst\"}, think_job: %s}",
                   FOLDER, k->c);
  (void)snprintf(
      out, size,
      "compat: google2013\n"
      "world: {architecture: two_level, machines: 10000, run_time: 86400, prefill: {use: even, cores: "
      "24000}%s,\n"
      "  workloads: [{name: Batch, arrivals: {use: table, file: \"%sday_jobs.csv.zst\"}, think_job: 0.1, "
      "schedulers: %s}%s]}\n",
      order, FOLDER, strcmp(k->schedulers, "3") == 0 ? "2" : "1", service);
}

/* The default, the last scheduler first, is the order of the second day with two schedulers and of the second
 * with three. */
static bool is_default(const key *k)
{
  return strcmp(k->conflict, "MesosBatch") == 0 || strncmp(k->conflict, "MesosService", 12) == 0;
}

static bool is_soak_only(const key *k)
{
  return strncmp(k->conflict, "MesosBatch ", 11) == 0 || strncmp(k->conflict, "MesosBatch-2 ", 13) == 0 ||
         strncmp(k->conflict, "MesosService MesosBatch-2", 25) == 0;
}

/* One, two and three frameworks: of equal dominant shares the one that the original's set yields first is
 * offered to. */
static void test_days_of_offers(void **state)
{
  const bool all = hc_test_is_soak();
  size_t runs = 0, lines = 0;
  hc_table t;
  bool left;
  (void)state;
  hc_test_skip_repeated();
  open_table(&t, "day_summary.csv");
  for (next_row(&t, &left); left; next_row(&t, &left)) {
    char text[2048];
    key k;
    our_run o;
    if (strcmp(hc_table_text(&t, 1), "GRUN") != 0) continue;
    read_key(&t, &k);
    if (!all && is_soak_only(&k)) continue;
    describe_day(&k, !is_default(&k), text, sizeof text);
    run_ours(text, &o);
    lines += compare_summary(&o, "day_summary.csv", &k, true);
    free_ours(&o);
    runs++;
  }
  hc_table_close(&t);
  assert_int_equal(runs, all ? 6 : 3);
  assert_int_equal(lines, all ? 3 + 2 * 5 + 3 * 6 : 3 + 5 + 6); /* GRUN, GSCHED a scheduler, GWL a workload */
}

static void test_offer_order_is_checked(void **state)
{
  static const char *const wrong[][2] = {
      {"two_level, offer_order: [MesosBatch, Absent]", "there is no scheduler \"Absent\""},
      {"two_level, offer_order: [MesosBatch, MesosBatch]", "there is no scheduler \"MesosBatch\""},
      {"shared_state, offer_order: [OmegaBatch-1]", "nothing is offered here"}};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    char text[512];
    our_run o;
    hc_error e = {0};
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, architecture: %s, workloads: [{name: Batch, arrivals: uniform}]}\n",
                   wrong[i][0]);
    configure_ours(text, "oracle", &o);
    assert_int_equal(hc_run_new(hc_default_allocator(), o.config, NULL, &o.run, &e), HC_EUSAGE);
    if (!strstr(e.text, wrong[i][1])) fail_msg("\"%s\" does not say \"%s\"", e.text, wrong[i][1]);
    free_ours(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_run), cmocka_unit_test(test_quick_ties),
                                     cmocka_unit_test(test_days_of_offers),
                                     cmocka_unit_test(test_offer_order_is_checked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
