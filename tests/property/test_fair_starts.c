/* test_fair_starts.c -- fair starts found by forks are those of a brute force: the log, truncated behind each
 * task, run from the beginning.
 *
 * Random logs of a few dozen tasks, several at one instant, on counted processors, named ones and hosts,
 * under orders, selectors and architectures, with thoughts and predecessors. A metric of the test's own hears
 * the fair start of each task. Under FCFS that blocks nothing is missed, since no task passes another. A run
 * that seeks fair starts has the schedule of one that does not, and one that is saved on its way finds the
 * same. */
#include "unit/engine/engine_test.h"

#include "base/math.h"
#include "base/state.h"
#include "sample.h"

enum { TASKS = 36 };

/* ---- a metric that hears ---- */

static hc_time heard[TASKS];

struct hc_metric {
  const hc_allocator *allocator;
};

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  (*out)->allocator = c->allocator;
  return 0;
}

static hc_rc metric_finish(hc_metric *self, hc_findings *f)
{
  (void)self;
  (void)f;
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  (void)self;
  (void)v;
  return 0;
}

static void fini(hc_metric *self)
{
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static bool asks(hc_metric *self, uint64_t serial)
{
  (void)self;
  return serial % 5 != 4; /* not all */
}

static hc_rc fair(hc_metric *self, uint64_t serial, bool is_asked, hc_time start)
{
  (void)self;
  assert_true(serial < TASKS);
  assert_int_equal(is_asked, serial % 5 != 4);
  heard[serial] = is_asked ? start : HC_UNKNOWN;
  return 0;
}

static const char *const figures[] = {"heard|1|none|nothing", NULL};
static const hc_metric_type hears = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "hears",
                  .summary = "fair starts, as they are found", .detail = "For this test."},
    .init = init,
    .finish = metric_finish,
    .visit = visit,
    .fini = fini,
    .asks_fair = asks,
    .fair = fair};
static const hc_component *const extra[] = {&hears.component, NULL};

/* ---- logs ---- */

static void draw_jobs(uint64_t seed, bool follow, job *jobs)
{
  hc_draws d = {seed, 0, 0, HC_PURPOSE_TEST, 0};
  int64_t at = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    at += hc_random_below(&d, 2) ? 0 : (int64_t)hc_random_below(&d, 40);
    const int64_t run = 1 + (int64_t)hc_random_below(&d, 100);
    jobs[i] = (job)J(i + 1, at, run, 1 + (int64_t)hc_random_below(&d, 4),
                     run * (1 + (int64_t)hc_random_below(&d, 3)));
    jobs[i].user = 1 + (int64_t)hc_random_below(&d, 3);
    if (follow && i > 0 && hc_random_below(&d, 4) == 0) {
      jobs[i].after = 1 + (int64_t)hc_random_below(&d, (uint64_t)i);
      jobs[i].think = (int64_t)hc_random_below(&d, 30);
    }
  }
}

/* ---- runs ---- */

static void run_jobs(bench *b, const char *yaml, const job *jobs, size_t count, uint64_t pieces)
{
  begin(b, yaml, 4, jobs, count, extra);
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

/* @return whether there is such a run */
static bool compare(const char *yaml, const job *jobs)
{
  char with[1024];
  hc_time found[TASKS];
  bench b;
  (void)snprintf(with, sizeof with, "%smetrics: [hears]\n", yaml);
  const hc_rc rc = try_begin(&b, with, 4, jobs, TASKS, extra);
  if (rc == HC_EUNSUPPORTED) { /* on this cell */
    end(&b);
    return false;
  }
  check(&b, rc);
  finish(&b);
  memcpy(found, heard, sizeof found);
  end(&b);
  memset(heard, 0, sizeof heard);
  run_jobs(&b, with, jobs, TASKS, 7);
  assert_memory_equal(found, heard, sizeof found);
  end(&b);
  for (size_t i = 0; i < TASKS; i++) {
    if (found[i] == HC_UNKNOWN) continue;
    run_jobs(&b, yaml, jobs, i + 1, 0);
    const hc_time start = record_of(&b, (int64_t)i + 1)->start;
    if (found[i] != (start == HC_UNKNOWN ? HC_NEVER : start))
      fail_msg("%s: the fair start of task %zu is %" PRId64 " by a fork, %" PRId64 " by the truncated log",
               yaml, i + 1, found[i], start);
    end(&b);
  }
  return true;
}

static const char *const cells[] = {"", "cell: {use: intervals, procs: 4}\n",
                                    "cell: {use: hosts, classes: [{count: 2, cpus: 2, name_prefix: h}]}\n"};

static const struct {
  const char *yaml;
  bool follow;
} cases[] = {
    {"policy: fcfs\n", false},
    {"policy: easy\n", false},
    {"policy: {select: {use: easy, sticky: true, depth: 3}}\n", true},
    {"policy: conservative\n", false},
    {"policy: slack\n", false},
    {"policy: sjf+scan\n", true},
    {"policy: wfp3+easy\n", false},
    {"policy: {order: {use: fairshare}, select: easy}\n", false},
    {"policy: random+scan+random\n", false},
    {"policy: lottery\n", false},
    {"policy: sjf+easy\narchitecture: {use: monolithic, think: 7}\n", true},
    {"policy: sjf+easy\narchitecture: {use: monolithic, call: per_event}\n", false},
    {"policy: easy\narchitecture: {use: monolithic, call: [instant, period], period: 25}\n", false},
    {"policy: sjf+scan\narchitecture: two_pass\n", false},
    {"policy: easy\ninstant_order: arrivals_first\nend_order: start\n", false},
    {"policy: easy\noverrun: run_on\n", false},
    {"policy: gang\n", false},
    {"policy: fair\n", false},
    {"policy: fair\narchitecture: heartbeat\n", false},
    {"policy: scan\narchitecture: {use: shared_state, schedulers: [{name: a, takes: user == 1, "
     "think_job: 3}, {name: b, think_job: 1}]}\n",
     false},
    {"policy: easy\nparanoid: true\nthreads: 2\nevent_queue: wheel\n", true},
};

static void test_brute_force(void **state)
{
  const unsigned seeds = hc_test_cases(4, 1);
  unsigned made = 0;
  job jobs[TASKS];
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t c = 0; c < COUNT(cells); c++)
      for (uint64_t seed = 1; seed <= seeds; seed++) {
        char yaml[512];
        (void)snprintf(yaml, sizeof yaml, "%s%s", cases[i].yaml, cells[c]);
        draw_jobs(seed * 100 + i, cases[i].follow, jobs);
        made += compare(yaml, jobs);
      }
  assert_true(made >= COUNT(cases) * 2 * seeds); /* each of them on two kinds of cells, or more */
}

/* ---- figures ---- */

/* Three of four processors until 100; task 2 wants all four. Under scan tasks 3 and 4 pass it, so that it
 * starts at 270 in place of 100: it alone misses its fair start, by 170 s, of four tasks. */
static void test_drawn_by_hand(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 3, 100), J(2, 10, 100, 4, 100), J(3, 20, 50, 1, 50),
                             J(4, 25, 200, 1, 200)};
  bench b;
  (void)state;
  begin(&b, "policy: scan\nmetrics: [fair_start]\n", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_true(figure(&b, "fair_start_submitted") == 4);
  assert_true(figure(&b, "fair_start_tasks") == 4);
  assert_true(figure(&b, "fair_start_missed") == 1);
  assert_true(figure(&b, "fair_start_missed_share") == 0.25);
  assert_true(figure(&b, "fair_start_miss") == 42.5);
  assert_true(figure(&b, "fair_start_miss_of_missed") == 170);
  assert_true(figure(&b, "fair_start_miss_total") == 170);
  assert_true(figure(&b, "fair_start_miss_most") == 170);
  assert_true(figure(&b, "fair_start_never") == 0);
  end(&b);
}

/* No task passes another under FCFS that blocks: nothing is missed, and a sample has as many tasks as it
 * should, the same each time. */
static void test_sample(void **state)
{
  job jobs[TASKS];
  bench b;
  (void)state;
  draw_jobs(5, false, jobs);
  begin(&b, "policy: fcfs\nmetrics: [{use: fair_start, all: 20, sample: 10}]\n", 4, jobs, TASKS, NULL);
  finish(&b);
  assert_true(figure(&b, "fair_start_submitted") == TASKS);
  assert_true(figure(&b, "fair_start_tasks") == 10);
  assert_true(figure(&b, "fair_start_missed") == 0);
  end(&b);
  begin(&b, "policy: scan\nmetrics: [{use: fair_start, all: 20, sample: 10}]\n", 4, jobs, TASKS, NULL);
  finish(&b);
  const double missed = figure(&b, "fair_start_miss_total");
  end(&b);
  begin(&b, "policy: scan\nmetrics: [{use: fair_start, all: 20, sample: 10}]\n", 4, jobs, TASKS, NULL);
  finish_in_pieces(&b, 3);
  assert_true(figure(&b, "fair_start_tasks") == 10);
  assert_true(figure(&b, "fair_start_miss_total") == missed);
  end(&b);
}

static void test_refused(void **state)
{
  static const struct {
    const char *yaml, *phrase;
  } refused[] = {
      {"changes: [{at: 5, set: policy=scan}]\n", "whose policy changes"},
      {"policy: {use: outside}\n", "plans come from outside"},
      {"trim: full\n", "leave it out"},
      {"metrics: [{use: fair_start, all: 5, sample: 6}]\n", "`sample` is larger than `all`"},
  };
  static const job jobs[] = {J(1, 0, 100, 3, 100)};
  (void)state;
  for (size_t i = 0; i < COUNT(refused); i++) {
    char yaml[256];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "%s%s",
                   strstr(refused[i].yaml, "metrics") ? "" : "metrics: [fair_start]\n", refused[i].yaml);
    const hc_rc rc = try_begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
    if (rc >= 0 || !strstr(b.error.text, refused[i].phrase))
      fail_msg("%s gives %s: %s", yaml, hc_rc_name(rc), b.error.text);
    end(&b);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_brute_force),
                                            cmocka_unit_test(test_drawn_by_hand),
                                            cmocka_unit_test(test_sample), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
