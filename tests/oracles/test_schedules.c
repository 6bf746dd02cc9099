/* test_schedules.c -- the same schedule as the peers, job by job.
 *
 * Each row names an input, a configuration, and what another program did with that input. The two
 * schedules are compared by job number; `differ` is the number of jobs whose wait is not the same, and it
 * is exact: a hard oracle (independent programs agree) has 0, and a program whose rules are only partly
 * known has what is left, explained in docs/oracles.md. Inputs with a real log come from a folder beside
 * the project and are skipped where it is absent. */
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
#include "hindcast/hindcast.h"

typedef struct oracle {
  const char *input, *schedule; /* in tests/oracles, or "shared:..." */
  const char *policy, *more;    /* configuration: policy, other keys as YAML lines */
  long differ;
} oracle;

#define KILL_LONG "overrun: kill_planned_long\n"

static const oracle oracles[] = {
#include "oracles/schedules.inc"
};

/* ---- another program's schedule ---- */

typedef struct waits {
  int64_t *of; /* by job number, -1: not in it */
  size_t cap;
} waits;

static void set_wait(waits *w, int64_t job, int64_t wait)
{
  if ((size_t)job >= w->cap) {
    size_t cap = (size_t)job * 2 + 16;
    w->of = realloc(w->of, cap * sizeof *w->of);
    assert_non_null(w->of);
    for (size_t i = w->cap; i < cap; i++) w->of[i] = -1;
    w->cap = cap;
  }
  w->of[job] = wait;
}

/* Lines of `job submit start end procs`, or a log whose third field is the simulated wait. */
static waits read_schedule(const char *path)
{
  bool is_log = strstr(path, ".swf") != NULL;
  waits w = {0};
  hc_input *in;
  hc_error e = {0};
  char *line;
  size_t n;
  if (hc_input_open(hc_default_allocator(), path, &in, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  while (hc_input_line(in, &line, &n, &e) == 1) {
    int64_t job, submit, start;
    if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &job, &submit, &start) == 3)
      set_wait(&w, job, is_log ? start : start - submit);
  }
  assert_int_equal(e.rc, 0);
  hc_input_free(in);
  return w;
}

/* ---- ours ---- */

static void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u: %s", e->where, e->line, e->text);
}

/* Jobs whose wait differs, over all that either side has. */
static long run_and_compare(const oracle *o, const char *input, const waits *theirs)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_result *result;
  hc_task_record records[256];
  size_t n, seen = 0, expected = 0;
  long differ = 0;
  char text[2048];
  bool fine = strstr(o->input, "_notie") != NULL; /* one unit of these files is a millisecond */
  hc_time unit = fine ? HC_MS : HC_SECOND;
  (void)snprintf(text, sizeof text,
                 "source: {use: swf, file: \"%s\", time_unit: %s}\npolicy: %s\nmetrics: []\n%s", input,
                 fine ? "1ms" : "1s", o->policy, o->more);
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, text, strlen(text), "oracle", &e), &e);
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, config, store, &run, &e), &e);
  check(hc_run_advance(run, HC_NEVER, 0, &e), &e);
  check(hc_run_finish(run, &e), &e);
  check(hc_result_of_store(store, &result, &e), &e);
  for (bool first = true;; first = false) {
    check(hc_result_tasks(result, first, records, 256, &n, &e), &e);
    if (n == 0) break;
    for (size_t i = 0; i < n; i++) {
      int64_t wait = records[i].start == HC_UNKNOWN ? -2 : (records[i].start - records[i].submit) / unit;
      int64_t want = (size_t)records[i].id < theirs->cap ? theirs->of[records[i].id] : -1;
      seen++;
      differ += wait != want;
      if (wait != want && differ <= 3 && getenv("HC_SHOW"))
        print_message("  job %" PRId64 ": ours %" PRId64 ", theirs %" PRId64 "\n", records[i].id, wait, want);
    }
  }
  for (size_t i = 0; i < theirs->cap; i++) expected += theirs->of[i] >= 0;
  if (seen < expected) differ += (long)(expected - seen);
  hc_result_free(result);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  return differ;
}

/* ---- what EASY++ predicted ---- */

static hc_rc count_correction(void *ctx, const char *const *values)
{
  uint32_t *times = ctx;
  times[strtoll(values[0], NULL, 10)]++;
  return 0;
}

/* For each job what it was predicted when it came (field 18), and how often that was corrected (field 17 plus
 * 1), of 28,481 jobs in the order of their numbers, whose serials are their places in it. */
static void test_predictions(void **state)
{
  enum { JOBS = 28481 };
  static const char file[] = HC_TEST_SOURCE_DIR "/tests/oracles/predictsim/KTH-SP2_easypp.swf.zst";
  static uint32_t corrected[JOBS], their_corrections[2 * JOBS];
  static int64_t predicted[2 * JOBS];
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_result *result;
  hc_input *in;
  hc_task_record records[256];
  char text[1024], *line;
  size_t n, seen = 0;
  (void)state;
  if (hc_input_open(a, file, &in, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  while (hc_input_line(in, &line, &n, &e) == 1) {
    int64_t job, times, prediction;
    if (line[0] == ';') continue;
    assert_int_equal(sscanf(line,
                            "%" SCNd64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64
                            " %" SCNd64,
                            &job, &times, &prediction),
                     3);
    assert_in_range(job, 1, 2 * JOBS - 1);
    predicted[job] = prediction;
    their_corrections[job] = (uint32_t)(times + 1);
  }
  hc_input_free(in);
  (void)snprintf(text, sizeof text, "source: %s\ncompat: easypp\nmetrics: []\n", file);
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, text, strlen(text), "oracle", &e), &e);
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, config, store, &run, &e), &e);
  check(hc_run_advance(run, HC_NEVER, 0, &e), &e);
  check(hc_run_finish(run, &e), &e);
  check(hc_result_of_store(store, &result, &e), &e);
  check(hc_result_rows(result, "corrections", 3, count_correction, corrected, &e), &e);
  for (bool first = true;; first = false) {
    check(hc_result_tasks(result, first, records, 256, &n, &e), &e);
    if (n == 0) break;
    for (size_t i = 0; i < n; i++) {
      assert_int_equal(records[i].estimate, predicted[records[i].id] * HC_SECOND);
      assert_int_equal(corrected[records[i].serial], their_corrections[records[i].id]);
      seen++;
    }
  }
  assert_int_equal(seen, JOBS);
  hc_result_free(result);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
}

static void find(const char *name, char *path, size_t size)
{
  if (strncmp(name, "shared:", 7) == 0)
    (void)snprintf(path, size, "%s/../shared/data/oracles/%s", HC_TEST_SOURCE_DIR, name + 7);
  else (void)snprintf(path, size, "%s/tests/oracles/%s", HC_TEST_SOURCE_DIR, name);
}

static void test_every_schedule(void **state)
{
  long wrong = 0, skipped = 0;
  (void)state;
  for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++) {
    const oracle *o = &oracles[i];
    char input[512], schedule[512];
    waits theirs;
    long differ;
    find(o->input, input, sizeof input);
    find(o->schedule, schedule, sizeof schedule);
    if (access(input, R_OK) != 0 && strncmp(o->input, "shared:", 7) == 0) {
      skipped++;
      continue;
    }
    theirs = read_schedule(schedule);
    differ = run_and_compare(o, input, &theirs);
    print_message("%-46s %-34s %ld differ%s\n", o->schedule, o->policy, differ,
                  differ == o->differ ? "" : "   <- not as expected");
    wrong += differ != o->differ;
    free(theirs.of);
  }
  if (skipped > 0) print_message("skipped: %ld schedules of real logs, whose folder is not here\n", skipped);
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_schedule),
                                     cmocka_unit_test(test_predictions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
