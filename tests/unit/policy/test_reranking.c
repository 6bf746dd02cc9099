/* test_reranking.c -- policies that rank all tasks anew at each decision (las, gittins, srtf): schedules
 * drawn by hand, all schedules of small instances, and random runs against a simulator of this test's own
 * that goes second by second.
 *
 * Times are seconds; a task is T(submission, run time, processors). */
#include "../engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/run.h"
#include "policy/gittins_index.h"

enum { MOST = 24 };

typedef struct task {
  int64_t submit, run, procs;
  int64_t start, end; /* the last start, and the end */
} task;
#define T(at, time, units) \
  { \
    .submit = (at), .run = (time), .procs = (units) \
  }

static hc_rc try_tasks(bench *b, const char *yaml, const task *tasks, size_t count)
{
  char head[1024];
  hc_buffer text;
  hc_rc rc;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, "id,submit,run,procs,limit\n");
  for (size_t i = 0; i < count; i++)
    hc_buffer_printf(&text, "%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", i + 1, tasks[i].submit,
                     tasks[i].run, tasks[i].procs, tasks[i].run);
  hc_buffer_add(&text, "", 1);
  (void)snprintf(head, sizeof head, "source: {use: csv, file: FILE}\nmetrics: []\nparanoid: true\n%s", yaml);
  rc = try_text(b, head, text.data);
  hc_buffer_fini(&text);
  return rc;
}

static void run_tasks(bench *b, const char *yaml, const task *tasks, size_t count)
{
  check(b, try_tasks(b, yaml, tasks, count));
  finish(b);
}

static void assert_records(const bench *b, const char *yaml, const int64_t (*times)[2], size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (start_of(b, (int64_t)i + 1) != times[i][0] || end_of(b, (int64_t)i + 1) != times[i][1])
      fail_msg("%s: task %zu runs %" PRId64 " to %" PRId64 ", should %" PRId64 " to %" PRId64, yaml, i + 1,
               start_of(b, (int64_t)i + 1), end_of(b, (int64_t)i + 1), times[i][0], times[i][1]);
}

static void assert_tasks(const char *yaml, const task *tasks, size_t count, const int64_t (*times)[2])
{
  bench b;
  run_tasks(&b, yaml, tasks, count);
  assert_records(&b, yaml, times, count);
  end(&b);
}

/* Last starts and ends of each. */
#define EXPECT(yaml, tasks, ...) \
  do { \
    const int64_t times_[][2] = {__VA_ARGS__}; \
    assert_int_equal(COUNT(times_), COUNT(tasks)); \
    assert_tasks(yaml, tasks, COUNT(tasks), times_); \
  } while (0)

#define PROCS(n) "cell: {use: count, procs: " #n "}\n"
#define LINE(n) "cell: {use: intervals, procs: " #n "}\n"
#define HOSTS(n) "cell: {use: hosts, classes: [{count: " #n ", name_prefix: h, cpus: 1}]}\n"

/* ---- least attained service ---- */

/* One processor, a queue that ends at 10 s. Each runs its first 10 s, and then in the order in which they
 * started: 1 from 30 for its other 20 s, and so on. */
static const task equal[] = {T(0, 30, 1), T(0, 30, 1), T(0, 30, 1)};

static void test_las_drawn(void **state)
{
  static const char *const cells[] = {PROCS(1), LINE(1), HOSTS(1)};
  (void)state;
  for (size_t i = 0; i < COUNT(cells); i++) {
    char yaml[256];
    (void)snprintf(yaml, sizeof yaml, "policy: {use: las, thresholds: [10]}\n%s", cells[i]);
    EXPECT(yaml, equal, {30, 50}, {50, 70}, {70, 90});
  }
}

/* Starting again takes 5 s. What is saved of every 4 s: of 10 s done 8 are kept. Begun anew, 10 s are lost;
 * each then runs 30 s more. */
static void test_las_stops(void **state)
{
  (void)state;
  EXPECT("policy: {use: las, thresholds: [10], restart_overhead: 5s}\n" PROCS(1), equal, {30, 55}, {55, 80},
         {80, 105});
  EXPECT("policy: {use: las, thresholds: [10], checkpoint_every: 4s}\n" PROCS(1), equal, {30, 52}, {52, 74},
         {74, 96});
  EXPECT("policy: {use: las, thresholds: [10], on_preempt: requeue}\n" PROCS(1), equal, {30, 60}, {60, 90},
         {90, 120});
}

/* Told at 10 s, when 1 has had its service, it runs on for 3 s, and what it does is not lost: 2 has the
 * processor from 13 on, and is told at 23, 3 from 26. Then 1 goes on, which started first: 3, told at 36,
 * leaves at 39. What begins anew loses those 13 s. */
static void test_las_grace(void **state)
{
  static const char *const cells[] = {PROCS(1), LINE(1), HOSTS(1)};
  char yaml[256];
  (void)state;
  for (size_t i = 0; i < COUNT(cells); i++) {
    (void)snprintf(yaml, sizeof yaml, "policy: {use: las, thresholds: [10], grace: 3s}\n%s", cells[i]);
    EXPECT(yaml, equal, {39, 56}, {56, 73}, {73, 90});
  }
  EXPECT("policy: {use: las, thresholds: [10], grace: 3s, on_preempt: requeue}\n" PROCS(1), equal, {39, 69},
         {69, 99}, {99, 129});
}

/* 2 (two processors, 4 s) comes before 1 (3 of them), which has more left, and is told at 1 s to leave at
 * 6. 3 (one processor, 9 s) would fit on the one that is free, and stands behind 2: it waits. 4 (1 s) stands
 * before 2 and starts at once. A task that ends in its grace is not stopped: 1 of 5 s. */
static void test_grace_bars(void **state)
{
  static const task tasks[] = {T(0, 20, 3), T(1, 4, 2), T(2, 9, 1), T(3, 1, 1)};
  static const task ends[] = {T(0, 5, 3), T(1, 2, 2)};
  (void)state;
  EXPECT("policy: {use: srtf, grace: 5s}\n" PROCS(4), tasks, {10, 24}, {6, 10}, {6, 15}, {3, 4});
  EXPECT("policy: {use: srtf, grace: 5s}\n" PROCS(4), ends, {0, 5}, {5, 7});
}

/* Two queues' ends, 10 and 20 s: all three get 10 s each, then 10 more each, in order. */
static void test_las_two_thresholds(void **state)
{
  (void)state;
  EXPECT("policy: {use: las, thresholds: [10, 20]}\n" PROCS(1), equal, {60, 70}, {70, 80}, {80, 90});
}

/* Two processors, a queue that ends at 20 processor-seconds. 1 (two processors) is there at 10 s and 2 takes
 * its place, until it is there as well, at 30 s; then 1, which started first, stops it. By time alone 1 is
 * there at 20 s, 2 at 40 s. */
static void test_las_area(void **state)
{
  static const task tasks[] = {T(0, 30, 2), T(1, 30, 1)};
  (void)state;
  EXPECT("policy: {use: las, thresholds: [20]}\n" PROCS(2), tasks, {30, 50}, {50, 60});
  EXPECT("policy: {use: las, thresholds: [20], service: time}\n" PROCS(2), tasks, {40, 50}, {50, 60});
}

/* Until 5 s 1 runs, then one new task after the other. Never promoted it goes on at 20. With promote: 2 it
 * has waited twice its 5 s at 15, and runs its next 5 s before 4, which has come; then 4, then 1 again. */
static void test_las_promote(void **state)
{
  static const task tasks[] = {T(0, 20, 1), T(4, 5, 1), T(9, 5, 1), T(14, 5, 1)};
  (void)state;
  EXPECT("policy: {use: las, thresholds: [5]}\n" PROCS(1), tasks, {20, 35}, {5, 10}, {10, 15}, {15, 20});
  EXPECT("policy: {use: las, thresholds: [5], promote: 2}\n" PROCS(1), tasks, {25, 35}, {5, 10}, {10, 15},
         {20, 25});
}

#define GPU_TASK(id, at, run, nodes, gpus) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", resources: {nodes_count: " #nodes \
  ", cpu_per_node: 1, gpu: " #gpus "}}\n"
#define GPU_HOSTS "cell: {use: hosts, classes: [{count: 2, name_prefix: g, cpus: 8, gpus: 4}]}\n"

/* Two hosts of four GPUs. 1 and 2 have a host each; at 25 s they have had 100 GPU-seconds. 3 wants all GPUs
 * of both at 50: they go, and come back at 60. 4, without a GPU, is never in their way. */
static void test_las_gpus(void **state)
{
  static const int64_t times[][2] = {{60, 110}, {60, 110}, {50, 60}, {10, 40}};
  static const char yaml[] = "source: {use: native, file: FILE}\nmetrics: []\nparanoid: true\n"
                             "policy: {use: las, thresholds: [100], place: gpu_packing}\n" GPU_HOSTS;
  bench b;
  (void)state;
  check(&b, try_text(&b, yaml,
                     GPU_TASK(1, 0, 100, 1, 4) GPU_TASK(2, 0, 100, 1, 4) GPU_TASK(3, 50, 10, 2, 4)
                         GPU_TASK(4, 10, 30, 1, 0)));
  finish(&b);
  assert_records(&b, yaml, times, COUNT(times));
  end(&b);
}

/* ---- shortest remaining time ---- */

/* 1 has 5 s left at 5, 2 needs 3: 2 goes first. Starting again takes 2 s. */
static void test_srtf_drawn(void **state)
{
  static const task tasks[] = {T(0, 10, 1), T(5, 3, 1)};
  (void)state;
  EXPECT("policy: srtf\n" PROCS(1), tasks, {8, 13}, {5, 8});
  EXPECT("policy: {use: srtf, restart_overhead: 2s}\n" PROCS(1), tasks, {8, 15}, {5, 8});
}

/* At 2 s 1 has 8 left, 2 needs 6 on both processors: by time it stops 1, by service 12 is more than 8. */
static void test_srtf_service(void **state)
{
  static const task tasks[] = {T(0, 10, 1), T(2, 6, 2)};
  (void)state;
  EXPECT("policy: srtf\n" PROCS(2), tasks, {8, 16}, {2, 8});
  EXPECT("policy: {use: srtf, by: service}\n" PROCS(2), tasks, {0, 10}, {10, 16});
}

/* Equal tasks do not stop each other. */
static void test_srtf_equal(void **state)
{
  static const task tasks[] = {T(0, 10, 1), T(4, 6, 1)};
  (void)state;
  EXPECT("policy: srtf\n" PROCS(1), tasks, {0, 10}, {10, 16});
}

/* At 2 s 1 has 8 s left. 2 is believed to run 20 s, and runs 5, which it is first by if that is known. */
static void test_srtf_oracle(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 2, 5, 1, 20)};
  (void)state;
  assert_starts("policy: srtf\n", 1, jobs, COUNT(jobs), (const int64_t[]){0, 10});
  assert_starts("policy: srtf\noracle: true\nbelieve_waiting: run\nbelieve_running: run\n", 1, jobs,
                COUNT(jobs), (const int64_t[]){7, 2});
}

/* The least sum of response times of any preemptive schedule that changes at whole seconds, on one processor:
 * at each second every task that is there is tried. */
static int64_t least_sum(const task *tasks, size_t count, int64_t now, const int64_t *left)
{
  int64_t best = INT64_MAX, next[5];
  bool any = false, waits = false;
  for (size_t i = 0; i < count; i++) {
    any |= left[i] > 0;
    waits |= left[i] > 0 && tasks[i].submit <= now;
  }
  if (!any) return 0;
  if (!waits) return least_sum(tasks, count, now + 1, left);
  for (size_t i = 0; i < count; i++) {
    int64_t sum;
    if (left[i] == 0 || tasks[i].submit > now) continue;
    memcpy(next, left, count * sizeof *next);
    next[i]--;
    sum = least_sum(tasks, count, now + 1, next) + (next[i] == 0 ? now + 1 - tasks[i].submit : 0);
    best = HC_MIN(best, sum);
  }
  return best;
}

static void test_srtf_is_optimal(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
    const size_t count = 2 + (size_t)hc_random_below(&d, 4);
    task tasks[5] = {0};
    int64_t left[5], sum = 0;
    bench b;
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
      at += (int64_t)hc_random_below(&d, 3);
      left[i] = 1 + (int64_t)hc_random_below(&d, count < 5 ? 4 : 3);
      tasks[i] = (task)T(at, left[i], 1);
    }
    run_tasks(&b, "policy: srtf\n" PROCS(1), tasks, count);
    for (size_t i = 0; i < count; i++) sum += end_of(&b, (int64_t)i + 1) - tasks[i].submit;
    end(&b);
    if (sum != least_sum(tasks, count, 0, left))
      fail_msg("seed %" PRIu64 ": %" PRId64 " s in all, the best is %" PRId64, seed, sum,
               least_sum(tasks, count, 0, left));
  }
}

/* ---- the Gittins index ---- */

static void assert_near(double is, double should)
{
  if (!(is >= should * (1 - 1e-12) && is <= should * (1 + 1e-12)))
    fail_msg("%.17g, should be %.17g", is, should);
}

/* Two services, 1 and 10. New: to 1 half end for (1 + 1) / 2. Past 1: all end for 9. Of equal services: 1 /
 * what is left. Of 1 .. n, all as likely: the best is to go on to n, 1 / mean. */
static void test_index_known(void **state)
{
  static const double two[] = {1, 10}, equals[] = {5, 5, 5}, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  (void)state;
  assert_near(hc_gittins_index(two, 2, 0), 0.5);
  assert_near(hc_gittins_index(two, 2, 1), 1.0 / 9);
  assert_true(hc_gittins_index(two, 2, 10) == 0);
  assert_true(hc_gittins_index(NULL, 0, 3) == 0);
  assert_near(hc_gittins_index(equals, 3, 0), 0.2);
  assert_near(hc_gittins_index(equals, 3, 4), 1);
  assert_near(hc_gittins_index(ten, 10, 0), 1 / 5.5);
  assert_near(hc_gittins_index(ten, 10, 8), 1 / 1.5);
}

/* By the definition, for every D that ends at a value. */
static double index_by_definition(const double *s, size_t n, double a)
{
  double best = 0;
  for (size_t k = 0; k < n; k++) {
    double ends = 0, service = 0;
    if (s[k] <= a) continue;
    for (size_t i = 0; i < n; i++) {
      if (s[i] <= a) continue;
      ends += s[i] <= s[k];
      service += HC_MIN(s[i], s[k]) - a;
    }
    best = HC_MAX(best, ends / service);
  }
  return best;
}

static void test_index_random(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
    const size_t n = 1 + (size_t)hc_random_below(&d, 12);
    double s[12] = {0}, at = 0;
    for (size_t i = 0; i < n; i++) s[i] = at += (double)hc_random_below(&d, 4) + (i == 0);
    for (int a = 0; a < 12; a++) {
      const double is = hc_gittins_index(s, n, a), should = index_by_definition(s, n, a);
      if (should == 0) assert_true(is == 0);
      else assert_near(is, should);
    }
  }
}

/* Services are 2 or 20. At 1 s task 1 is nearly through a short service: its index is 1 / 2, that of 2 a
 * quarter. At 2 s it proves to be long, 1 / 18, and 2 is first, if indices are computed anew then. */
static void test_gittins_drawn(void **state)
{
  static const task tasks[] = {T(0, 20, 1), T(1, 2, 1)};
  (void)state;
  EXPECT("policy: {use: gittins, services: [2, 20], history: 0, quantum: 1s}\n" PROCS(1), tasks, {4, 22},
         {2, 4});
  EXPECT("policy: {use: gittins, services: [2, 20], history: 0, quantum: 0}\n" PROCS(1), tasks, {0, 20},
         {20, 22});
}

/* Of equal services the one that has had most is nearest to its end: first come, first served. */
static void test_gittins_of_equal(void **state)
{
  (void)state;
  EXPECT("policy: {use: gittins, services: [30], history: 0, quantum: 1s}\n" PROCS(1), equal, {0, 30},
         {30, 60}, {60, 90});
}

/* 1 ends, and its 2 s are known. 3 comes at 6, when 2 has had 4 s, more than any: 3 is first. Without a
 * history, and with a list whose services are longer, 2 goes on. */
static void test_gittins_learns(void **state)
{
  static const task tasks[] = {T(0, 2, 1), T(2, 20, 1), T(6, 3, 1)};
  (void)state;
  EXPECT("policy: {use: gittins, quantum: 1s}\n" PROCS(1), tasks, {0, 2}, {9, 25}, {6, 9});
  EXPECT("policy: {use: gittins, history: 1, quantum: 1s}\n" PROCS(1), tasks, {0, 2}, {9, 25}, {6, 9});
  EXPECT("policy: {use: gittins, history: 0, services: [1000], quantum: 1s}\n" PROCS(1), tasks, {0, 2},
         {2, 22}, {22, 25});
}

/* Tiresias-G: queues come first. By the index alone 1, all of whose like have ended after 3 s, goes on; with
 * a queue that ends at 2 s 2 gets 2 s then. At 4 both have had as much, and the one that runs goes on. */
static void test_gittins_queues(void **state)
{
  static const task tasks[] = {T(0, 3, 1), T(1, 3, 1)};
  (void)state;
  EXPECT("policy: {use: gittins, services: [3], history: 0, quantum: 1s}\n" PROCS(1), tasks, {0, 3}, {3, 6});
  EXPECT("policy: {use: gittins, services: [3], history: 0, quantum: 1s, thresholds: [2]}\n" PROCS(1), tasks,
         {5, 6}, {2, 5});
}

/* ---- finish-time fairness ---- */

/* Leases of 10 s, one processor, two tasks: alone on half of it they take 60 and 200 s. Under f: 1 the worst
 * comes first. 10: rho of 1 is (10 + 20) / 60 = 0.5, of 2 (9 + 100) / 200 = 0.545: 2 stops it. 20: 40 / 60 =
 * 0.667 against (19 + 90) / 200 = 0.545: 1 goes on. 30: 0.667 against 119 / 200 = 0.595, and it ends at 40.
 * Under f: 0 both bid. 10: another lease makes 40 / 60 of the 30 / 60 of 1, 4 / 3 as much, and 119 of 109 of
 * 2: 1 goes on. 20: 40 of 30 against 129 of 119, and so it ends at 30. */
static void test_themis_drawn(void **state)
{
  static const task tasks[] = {T(0, 30, 1), T(1, 100, 1)};
  (void)state;
  EXPECT("policy: {use: themis, f: 1, lease: 10s}\n" PROCS(1), tasks, {20, 40}, {40, 130});
  EXPECT("policy: {use: themis, f: 0, lease: 10s}\n" PROCS(1), tasks, {0, 30}, {30, 130});
}

/* No task is stopped within its lease: 2 would be worse off from 1 s on, and waits to the end of it. */
static void test_themis_lease(void **state)
{
  static const task tasks[] = {T(0, 30, 1), T(1, 1, 1)};
  (void)state;
  EXPECT("policy: {use: themis, f: 1, lease: 25s}\n" PROCS(1), tasks, {26, 31}, {25, 26});
}

/* The filter. At 20 s 1 ends; rho of 2 is (19 + 100) / 200 = 0.595, of 3 (1 + 10) / 20 = 0.55. By rho alone 2
 * is first, until its lease of 40 s ends at 60, when 3 is at 51 / 20. Where both bid 3, which would wait 51 s
 * in place of 11, gains more than 2, 159 in place of 119. */
static void test_themis_filter(void **state)
{
  static const task tasks[] = {T(0, 20, 1), T(1, 100, 1), T(19, 10, 1)};
  (void)state;
  EXPECT("policy: {use: themis, f: 1, lease: 40s}\n" PROCS(1), tasks, {0, 20}, {70, 130}, {60, 70});
  EXPECT("policy: {use: themis, f: 0, lease: 40s}\n" PROCS(1), tasks, {0, 20}, {30, 130}, {20, 30});
}

/* ---- random runs ---- */

typedef struct world {
  task tasks[MOST];
  size_t count;
  int64_t procs;
} world;

static void draw_world(world *w, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  int64_t submit = 0;
  *w = (world){.count = 4 + (size_t)hc_random_below(&d, MOST - 4),
               .procs = 2 + (int64_t)hc_random_below(&d, 3)};
  for (size_t i = 0; i < w->count; i++) {
    submit += (int64_t)hc_random_below(&d, 8);
    w->tasks[i] = (task)T(submit, 1 + (int64_t)hc_random_below(&d, 40),
                          1 + (int64_t)hc_random_below(&d, (uint64_t)w->procs));
    w->tasks[i].start = w->tasks[i].end = -1;
  }
}

/* Where a task stands at a second; the simulator's own. */
typedef struct place {
  int64_t level, key, first, held;
  bool runs;
} place;

/* 12 and 48 processor-seconds are whole seconds for 1, 2, 3 and 4 processors. */
static void rank_las(const task *t, place *p)
{
  p->level = (p->held * t->procs >= 12) + (p->held * t->procs >= 48);
  p->key = p->first < 0 ? INT64_MAX : p->first;
}

static void rank_srtf(const task *t, place *p)
{
  p->level = 0;
  p->key = t->run - p->held;
}

static bool goes_before(const place *a, const place *b)
{
  const int64_t x = a->first < 0 ? INT64_MAX : a->first, y = b->first < 0 ? INT64_MAX : b->first;
  if (a->level != b->level) return a->level < b->level;
  if (a->key != b->key) return a->key < b->key;
  if (a->runs != b->runs) return a->runs;
  return x < y; /* of equal ones the first in the list */
}

/* Second by second: in the order of their ranks each that fits into what is left runs. */
static void simulate(world *w, void (*rank)(const task *, place *))
{
  place at[MOST] = {0};
  size_t over = 0;
  for (size_t i = 0; i < w->count; i++) at[i].first = -1;
  for (int64_t now = 0; over < w->count; now++) {
    bool taken[MOST] = {false};
    int64_t free = w->procs;
    for (size_t i = 0; i < w->count; i++)
      if (at[i].runs && at[i].held == w->tasks[i].run) {
        w->tasks[i].end = now;
        at[i].runs = false;
        over++;
      }
    for (size_t i = 0; i < w->count; i++) rank(&w->tasks[i], &at[i]);
    for (;;) {
      size_t best = MOST;
      for (size_t i = 0; i < w->count; i++)
        if (!taken[i] && w->tasks[i].submit <= now && w->tasks[i].end < 0 &&
            (best == MOST || goes_before(&at[i], &at[best])))
          best = i;
      if (best == MOST) break;
      taken[best] = true;
      const bool runs = w->tasks[best].procs <= free;
      if (runs) free -= w->tasks[best].procs;
      if (runs && !at[best].runs) w->tasks[best].start = now;
      if (runs && at[best].first < 0) at[best].first = now;
      at[best].runs = runs;
    }
    for (size_t i = 0; i < w->count; i++) at[i].held += at[i].runs;
  }
}

static void assert_as_simulated(const char *policy, void (*rank)(const task *, place *))
{
  for (uint64_t seed = 1; seed <= 150; seed++) {
    int64_t times[MOST][2];
    char yaml[512];
    world w;
    draw_world(&w, seed);
    simulate(&w, rank);
    for (size_t i = 0; i < w.count; i++) {
      times[i][0] = w.tasks[i].start;
      times[i][1] = w.tasks[i].end;
    }
    for (int k = 0; k < 2; k++) {
      (void)snprintf(yaml, sizeof yaml,
                     k == 0 ? "policy: {%s}\ncell: {use: count, procs: %" PRId64 "}\n"
                            : "policy: {%s}\ncell: {use: hosts, classes: [{count: %" PRId64
                              ", name_prefix: h, cpus: 1}]}\n",
                     policy, w.procs);
      assert_tasks(yaml, w.tasks, w.count, (const int64_t(*)[2])times);
    }
  }
}

static void test_as_simulated(void **state)
{
  (void)state;
  assert_as_simulated("use: las, thresholds: [12, 48]", rank_las);
  assert_as_simulated("use: srtf", rank_srtf);
}

/* With one queue nothing is stopped, and it is first come, first served. */
static void test_one_queue(void **state)
{
  static const char *const pairs[][2] = {
      {"policy: {use: las, thresholds: []}\n" PROCS(4), "policy: {select: scan}\n" PROCS(4)},
      {"policy: {use: las, thresholds: [], queue: blocking}\n" HOSTS(4),
       "policy: {select: blocking}\n" HOSTS(4)},
      {"policy: {use: gittins, services: [1e9], history: 0}\n" LINE(4), "policy: {select: scan}\n" LINE(4)}};
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++)
    for (size_t i = 0; i < COUNT(pairs); i++) {
      bench b, c;
      world w;
      draw_world(&w, seed);
      run_tasks(&b, pairs[i][0], w.tasks, w.count);
      run_tasks(&c, pairs[i][1], w.tasks, w.count);
      assert_int_equal(b.count, c.count);
      for (size_t k = 0; k < b.count; k++) {
        assert_int_equal(start_of(&b, (int64_t)k + 1), start_of(&c, (int64_t)k + 1));
        assert_int_equal(end_of(&b, (int64_t)k + 1), end_of(&c, (int64_t)k + 1));
      }
      assert_int_equal(counted(&b, "hindcast", "preempted"), 0);
      end(&b);
      end(&c);
    }
}

static const char *const all[] = {
    "policy: {use: las, thresholds: [20, 60], promote: 2, restart_overhead: 3s}\n" LINE(5),
    "policy: {use: gittins, quantum: 4s, thresholds: [30]}\n" PROCS(5),
    "policy: {use: themis, f: 0.5, lease: 7s, restart_overhead: 1s}\n" PROCS(5),
    "policy: {use: srtf, by: service, checkpoint_every: 4s}\n" HOSTS(5)};

/* A run is a value: cut at every third instant it goes on as it would have. */
static void test_cut(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(all); i++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      bench b, c;
      world w;
      draw_world(&w, seed);
      run_tasks(&b, all[i], w.tasks, w.count);
      check(&c, try_tasks(&c, all[i], w.tasks, w.count));
      finish_in_pieces(&c, 3);
      assert_int_equal(b.count, c.count);
      for (size_t k = 0; k < b.count; k++) assert_int_equal(b.records[k].end, c.records[k].end);
      end(&b);
      end(&c);
    }
}

/* ---- what they meet ---- */

/* Decisions that take a second. 1 starts at 1; 2 comes at 5, and 1 is stopped for it at 6 with 5 s done; what
 * follows the end of 2 at 9 is carried out at 10. */
static void test_thinks(void **state)
{
  static const task tasks[] = {T(0, 10, 1), T(5, 3, 1)};
  (void)state;
  EXPECT("policy: srtf\narchitecture: {use: monolithic, think: 1s}\n" PROCS(1), tasks, {10, 15}, {6, 9});
}

/* A host that fails: 1 begins anew when it is back, and what it held before still counts: it is in the second
 * queue, and 2 is first. */
static void test_host_fails(void **state)
{
  static const task tasks[] = {T(0, 30, 1), T(18, 10, 1)};
  (void)state;
  EXPECT("policy: {use: las, thresholds: [10]}\nhost_loss: requeue\n"
         "events: {use: list, changes: [{at: 15, hosts: h-0, change: down, until: 20}]}\n" HOSTS(1),
         tasks, {30, 60}, {20, 30});
}

static void assert_refused(const char *yaml, const char *part)
{
  static const task one[] = {T(0, 10, 1)};
  bench b;
  const hc_rc rc = try_tasks(&b, yaml, one, 1);
  if (rc >= 0) fail_msg("%s: was not refused", yaml);
  if (!strstr(b.error.text, part)) fail_msg("%s: says %s", yaml, b.error.text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused("policy: {use: las, thresholds: [10, 5]}\n" PROCS(1), "thresholds must ascend");
  assert_refused("policy: {use: gittins, history: 0}\n" PROCS(1), "nothing is known");
  assert_refused("policy: {use: srtf, on_preempt: requeue, restart_overhead: 1s}\n" PROCS(1),
                 "set on_preempt: checkpoint");
  assert_refused("policy: srtf\narchitecture: heartbeat\n" HOSTS(1), "only some hosts are offered");
  assert_refused("policy: srtf\narchitecture: multi_path\n" HOSTS(1), "stops tasks of one job");
  assert_refused("policy: {use: elastic, policy: las}\n" PROCS(1), "keeps books");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_las_drawn),
      cmocka_unit_test(test_las_stops),
      cmocka_unit_test(test_las_grace),
      cmocka_unit_test(test_grace_bars),
      cmocka_unit_test(test_las_two_thresholds),
      cmocka_unit_test(test_las_area),
      cmocka_unit_test(test_las_promote),
      cmocka_unit_test(test_las_gpus),
      cmocka_unit_test(test_srtf_drawn),
      cmocka_unit_test(test_srtf_service),
      cmocka_unit_test(test_srtf_equal),
      cmocka_unit_test(test_srtf_oracle),
      cmocka_unit_test(test_srtf_is_optimal),
      cmocka_unit_test(test_index_known),
      cmocka_unit_test(test_index_random),
      cmocka_unit_test(test_gittins_drawn),
      cmocka_unit_test(test_gittins_of_equal),
      cmocka_unit_test(test_gittins_learns),
      cmocka_unit_test(test_gittins_queues),
      cmocka_unit_test(test_themis_drawn),
      cmocka_unit_test(test_themis_lease),
      cmocka_unit_test(test_themis_filter),
      cmocka_unit_test(test_as_simulated),
      cmocka_unit_test(test_one_queue),
      cmocka_unit_test(test_cut),
      cmocka_unit_test(test_thinks),
      cmocka_unit_test(test_host_fails),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
