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
#include "oracles/ours.h"

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

typedef struct comparison {
  const waits *theirs;
  hc_time unit;
  size_t seen;
  long differ;
} comparison;

static void compare_wait(void *ctx, const hc_task_record *t)
{
  comparison *c = ctx;
  const int64_t wait = t->start == HC_UNKNOWN ? -2 : (t->start - t->submit) / c->unit;
  const int64_t want = (size_t)t->id < c->theirs->cap ? c->theirs->of[t->id] : -1;
  c->seen++;
  c->differ += wait != want;
  if (wait != want && c->differ <= 3 && getenv("HC_SHOW"))
    print_message("  job %" PRId64 ": ours %" PRId64 ", theirs %" PRId64 "\n", t->id, wait, want);
}

/* Jobs whose wait differs, over all that either side has. */
static long run_and_compare(const oracle *o, const char *input, const waits *theirs)
{
  our_run run;
  size_t expected = 0;
  char text[2048];
  bool fine = strstr(o->input, "_notie") != NULL; /* one unit of these files is a millisecond */
  comparison c = {.theirs = theirs, .unit = fine ? HC_MS : HC_SECOND};
  (void)snprintf(text, sizeof text,
                 "source: {use: swf, file: \"%s\", time_unit: %s}\npolicy: %s\nmetrics: []\n%s", input,
                 fine ? "1ms" : "1s", o->policy, o->more);
  run_ours(text, &run);
  each_of_ours(&run, compare_wait, &c);
  for (size_t i = 0; i < theirs->cap; i++) expected += theirs->of[i] >= 0;
  if (c.seen < expected) c.differ += (long)(expected - c.seen);
  free_ours(&run);
  return c.differ;
}

/* ---- what EASY++ predicted ---- */

enum { JOBS = 28481 };

typedef struct predictions {
  int64_t predicted[2 * JOBS];                           /* by number */
  uint32_t corrected[JOBS], their_corrections[2 * JOBS]; /* by serial, by number */
  size_t seen;
} predictions;

static hc_rc count_correction(void *ctx, const char *const *values)
{
  predictions *p = ctx;
  p->corrected[strtoll(values[0], NULL, 10)]++;
  return 0;
}

static void compare_prediction(void *ctx, const hc_task_record *t)
{
  predictions *p = ctx;
  assert_int_equal(t->estimate, p->predicted[t->id] * HC_SECOND);
  assert_int_equal(p->corrected[t->serial], p->their_corrections[t->id]);
  p->seen++;
}

/* For each job what it was predicted when it came (field 18), and how often that was corrected (field 17 plus
 * 1), of 28,481 jobs in the order of their numbers, whose serials are their places in it. */
static void test_predictions(void **state)
{
  static const char file[] = HC_TEST_SOURCE_DIR "/tests/oracles/predictsim/KTH-SP2_easypp.swf.zst";
  static predictions p;
  hc_error e = {0};
  our_run run;
  hc_input *in;
  char text[1024], *line;
  size_t n;
  (void)state;
  if (hc_input_open(hc_default_allocator(), file, &in, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  while (hc_input_line(in, &line, &n, &e) == 1) {
    int64_t job, times, prediction;
    if (line[0] == ';') continue;
    assert_int_equal(sscanf(line,
                            "%" SCNd64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64
                            " %" SCNd64,
                            &job, &times, &prediction),
                     3);
    assert_in_range(job, 1, 2 * JOBS - 1);
    p.predicted[job] = prediction;
    p.their_corrections[job] = (uint32_t)(times + 1);
  }
  hc_input_free(in);
  (void)snprintf(text, sizeof text, "source: %s\ncompat: easypp\nmetrics: []\n", file);
  run_ours(text, &run);
  check(hc_result_rows(run.result, "corrections", 3, count_correction, &p, &e), &e);
  each_of_ours(&run, compare_prediction, &p);
  assert_int_equal(p.seen, JOBS);
  free_ours(&run);
}

/* ---- AccaSim's allocators, on nodes with memory and GPUs ---- */

typedef struct placed {
  const char *policy, *system, *file, *plan;
  long differ; /* lines of the plan, each of which is a job: its times, and the node of each processor */
} placed;

static hc_rc to_buffer(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A line of a plan with its assignations in order of text: AccaSim lists nodes in the order of best fit. */
static void put_line(hc_buffer *out, const char *line)
{
  const char *tokens[64], *first = strstr(line, "__");
  const char *second = first ? strstr(first + 2, "__") : NULL;
  char part[4096], *at, *next;
  size_t n = 0;
  if (second) {
    assert_in_range(second - first, 2, sizeof part);
    memcpy(part, first + 2, (size_t)(second - first - 2));
    part[second - first - 2] = '\0';
    for (at = part; *at && n < 64; at = next) {
      next = at + strcspn(at, "#");
      tokens[n++] = at;
      if (*next) *next++ = '\0';
    }
    qsort(tokens, n, sizeof *tokens, by_text);
    hc_buffer_add(out, line, (size_t)(first + 2 - line));
    for (size_t i = 0; i < n; i++) hc_buffer_printf(out, "%s#", tokens[i]);
    line = second;
  }
  hc_buffer_printf(out, "%s\n", line);
}

/* Of the file of the benchmark its first two columns: the others are times on a clock. */
static hc_buffer two_columns(const char *text)
{
  hc_buffer out;
  hc_buffer_init(&out, hc_default_allocator());
  while (*text) {
    const size_t n = strcspn(text, "\n"), first = strcspn(text, ";");
    hc_buffer_add(&out, text, first + 1 + strcspn(text + first + 1, ";\n"));
    hc_buffer_text(&out, "\n");
    text += n + (text[n] != '\0');
  }
  return out;
}

static hc_buffer sorted_places(const char *text)
{
  hc_buffer out;
  char line[8192];
  hc_buffer_init(&out, hc_default_allocator());
  while (*text) {
    const size_t n = strcspn(text, "\n");
    assert_in_range(n, 0, sizeof line - 1);
    memcpy(line, text, n);
    line[n] = '\0';
    put_line(&out, line);
    text += n + (text[n] != '\0');
  }
  return out;
}

/* Lines that are not in the other text at the same place. */
static long lines_differ(const char *a, const char *b)
{
  long differ = 0;
  while (*a || *b) {
    const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
    differ += n != m || memcmp(a, b, n) != 0;
    a += n + (a[n] != '\0');
    b += m + (b[m] != '\0');
  }
  return differ;
}

static void read_text(const char *name, hc_buffer *out)
{
  char path[512];
  hc_input *in;
  hc_error e = {0};
  char *line;
  size_t n;
  (void)snprintf(path, sizeof path, "%s/tests/oracles/accasim/%s", HC_TEST_SOURCE_DIR, name);
  if (hc_input_open(hc_default_allocator(), path, &in, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  while (hc_input_line(in, &line, &n, &e) == 1) {
    hc_buffer_add(out, line, n);
    hc_buffer_text(out, "\n");
  }
  hc_input_free(in);
}

/* What AccaSim 1.0 wrote of 2,000 jobs (README.md there), against the exporter: its dispatching plan and the
 * same in columns byte by byte; its statistics but for the time on a clock and the name of the method; how
 * long the queue was at each time of its benchmark. Its best fit keeps the order that nodes of equal sums
 * had for the job before; with the lowest node first among them (one line of it changed, README.md) it is
 * ours, and as it is 1,817 jobs are elsewhere or at another time. */
static void test_accasim_nodes(void **state)
{
  static const placed cases[] = {
      {"FIFO+FF", "nodes", "plan", "nodes_FIFO_FF.sched.zst", 0},
      {"FIFO+FF", "nodes", "pretty", "nodes_FIFO_FF.pprint.zst", 0},
      {"FIFO+FF", "nodes", "statistics", "nodes_FIFO_FF.stats", 2},
      {"FIFO+FF", "nodes_gpu", "plan", "nodes_gpu_FIFO_FF.sched.zst", 0},
      {"FIFO+BF", "nodes", "plan", "nodes_FIFO_BF_lowest.sched.zst", 0},
      {"FIFO+BF", "nodes", "plan", "nodes_FIFO_BF.sched.zst", 1817},
      {"FIFO+FF", "nodes", "benchmark", "nodes_FIFO_FF.bench.zst", 0},
  };
  const hc_allocator *a = hc_default_allocator();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const placed *x = &cases[i];
    hc_error e = {0};
    our_run run;
    hc_buffer ours, theirs;
    char text[2048], file[64], cores[64];
    const bool has_gpus = strcmp(x->system, "nodes_gpu") == 0;
    hc_buffer_init(&ours, a);
    hc_buffer_init(&theirs, a);
    read_text(x->plan, &theirs);
    (void)snprintf(
        text, sizeof text,
        "source: %s/tests/oracles/accasim/nodes.swf.zst\ncompat: accasim\npolicy: %s\nmetrics: []\n"
        "cell: {use: accasim, as: hosts, file: %s/tests/oracles/accasim/%s.system.json}\n",
        HC_TEST_SOURCE_DIR, x->policy, HC_TEST_SOURCE_DIR, x->system);
    (void)snprintf(file, sizeof file, "file=%s", x->file);
    (void)snprintf(cores, sizeof cores, "processor=%s", has_gpus ? "[2, 1]" : "[1]");
    run_ours(text, &run);
    check(hc_export_result(a, run.registry, "accasim", (const char *const[]){file, cores}, 2, run.result,
                           &(hc_sink){&ours, to_buffer}, &e),
          &e);
    const bool counts = strcmp(x->file, "benchmark") == 0;
    const bool in_order = strstr(x->plan, "_BF") == NULL; /* of nodes, too */
    hc_buffer one = counts ? two_columns(ours.data) : sorted_places(ours.data);
    hc_buffer two = counts ? two_columns(theirs.data) : sorted_places(theirs.data);
    /* AccaSim's clock begins a second before the first submission, with a queue of none. */
    const char *expected = counts ? strchr(two.data, '\n') + 1 : two.data;
    const long differ =
        in_order && !counts ? lines_differ(ours.data, theirs.data) : lines_differ(one.data, expected);
    hc_buffer_fini(&one);
    hc_buffer_fini(&two);
    print_message("accasim/%-34s %-8s %-10s %ld lines differ%s\n", x->plan, x->policy, x->file, differ,
                  differ == x->differ ? "" : "   <- not as expected");
    assert_int_equal(differ, x->differ);
    hc_buffer_fini(&ours);
    hc_buffer_fini(&theirs);
    free_ours(&run);
  }
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
                                     cmocka_unit_test(test_predictions),
                                     cmocka_unit_test(test_accasim_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
