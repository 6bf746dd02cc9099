/* test_gavel.c -- shares of time on types of hosts against optima by hand and against grids, and the rounds
 * that bring them about, drawn by hand.
 *
 * Times are seconds. */
#include "../engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "policy/gavel_shares.h"

enum { KINDS = 4, TYPES = 3 };

/* What a kind has, its level: gain x sum of speed x share. */
static double level_of(const hc_gavel_problem *p, const double *share, uint32_t m)
{
  double sum = 0;
  for (uint32_t k = 0; k < p->types; k++) sum += p->speed[m * p->types + k] * share[m * p->types + k];
  return p->gain[m] * sum;
}

static void assert_feasible(const hc_gavel_problem *p, const double *share)
{
  for (uint32_t m = 0; m < p->kinds; m++) {
    double time = 0;
    for (uint32_t k = 0; k < p->types; k++) {
      assert_true(share[m * p->types + k] >= 0);
      time += share[m * p->types + k];
    }
    assert_true(time <= 1 + 1e-9);
  }
  for (uint32_t k = 0; k < p->types; k++) {
    double held = 0;
    for (uint32_t m = 0; m < p->kinds; m++) held += p->tasks[m] * p->gpus[m] * share[m * p->types + k];
    assert_true(held <= p->workers[k] + 1e-9);
  }
}

static void solve(const hc_gavel_problem *p, hc_gavel_aim aim, double *share)
{
  assert_int_equal(hc_gavel_shares(hc_default_allocator(), p, aim, share), 0);
  assert_feasible(p, share);
}

static void assert_shares(const hc_gavel_problem *p, hc_gavel_aim aim, const double *right)
{
  double share[KINDS * TYPES];
  solve(p, aim, share);
  for (uint32_t x = 0; x < p->kinds * p->types; x++)
    if (!(share[x] > right[x] - 1e-9 && share[x] < right[x] + 1e-9))
      fail_msg("share %u is %.12f, should be %.12f", x, share[x], right[x]);
}

static const double ones[KINDS] = {1, 1, 1, 1};

/* Three tasks of speeds (10, 1), (2, 1), (1, 1), a GPU of each type. Over both types alike they would have
 * 5.5, 1.5 and 1. The first gains most by the first type, the last least, and the second has of both: with
 * the level l  x1 = 0.55 l, y3 = l, x1 + x2 = 1, y2 + y3 = 1, 2 x2 + y2 = 1.5 l,  so that l = 5/6. */
static void test_two_types(void **state)
{
  static const double speed[] = {10, 1, 2, 1, 1, 1}, gain[] = {1 / 5.5, 1 / 1.5, 1};
  static const double share[] = {0.55 * 5 / 6, 0, 1 - 0.55 * 5 / 6, 1.0 / 6, 0, 5.0 / 6};
  const hc_gavel_problem p = {3, 2, speed, ones, ones, gain, ones};
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, share);
  assert_shares(&p, HC_GAVEL_ONE_LEVEL, share);
}

/* Each is three times as fast on a type of its own: it is there all the time. */
static void test_three_types(void **state)
{
  static const double speed[] = {3, 1, 1, 1, 3, 1, 1, 1, 3}, share[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const hc_gavel_problem p = {3, 3, speed, ones, ones, ones, ones};
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, share);
}

/* The third can run on the second type alone, and has 1 x 1 there, which is the least that any has. The first
 * two can have more, and share the first type, of two GPUs, by 2 to 1: the second is worth half as much. */
static void test_levels(void **state)
{
  static const double speed[] = {1, 0, 1, 0, 0, 1}, gain[] = {6, 3, 1}, workers[] = {1, 1};
  static const double share[] = {1.0 / 3, 0, 2.0 / 3, 0, 0, 1};
  const hc_gavel_problem p = {3, 2, speed, ones, ones, gain, workers};
  double one[KINDS * TYPES];
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, share);
  solve(&p, HC_GAVEL_ONE_LEVEL, one);
  for (uint32_t m = 0; m < 3; m++) assert_true(level_of(&p, one, m) >= 1 - 1e-9);
}

/* Tasks that are alike count once: two of a kind on a GPU have half of it each. With two GPUs each only one
 * of them is on a type of two, and a type of one GPU is none for them. */
static void test_alike(void **state)
{
  static const double speed[] = {2, 1}, two[] = {2}, three[] = {3}, half[] = {1.0 / 3, 1.0 / 3};
  static const double gpus[] = {2}, workers[] = {2, 2};
  const hc_gavel_problem p = {1, 2, speed, three, ones, ones, ones};
  const hc_gavel_problem wide = {1, 2, speed, two, gpus, ones, workers};
  static const double each[] = {0.5, 0.5};
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, half);
  assert_shares(&wide, HC_GAVEL_ALL_LEVELS, each);
}

/* 10 and 20 s of work on one GPU: done together after 30 s. */
static void test_makespan(void **state)
{
  static const double speed[] = {1, 1}, gain[] = {0.1, 0.05}, share[] = {1.0 / 3, 2.0 / 3};
  const hc_gavel_problem p = {2, 1, speed, ones, ones, gain, ones};
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, share);
}

/* 2 (4, 1) / 4 and 1 (2, 1) / 2: 2 + 0.5 with the first on the first type, 0.5 + 1 the other way round. */
static void test_sum(void **state)
{
  static const double speed[] = {4, 1, 2, 1}, gain[] = {0.5, 0.5}, share[] = {1, 0, 0, 1};
  const hc_gavel_problem p = {2, 2, speed, ones, ones, gain, ones};
  (void)state;
  assert_shares(&p, HC_GAVEL_SUM, share);
}

/* One that can run nowhere has nothing, and holds no other up. */
static void test_nowhere(void **state)
{
  static const double speed[] = {0, 0, 1, 1}, share[] = {0, 0, 1, 0}, workers[] = {1, 0};
  const hc_gavel_problem p = {2, 2, speed, ones, ones, ones, workers};
  (void)state;
  assert_shares(&p, HC_GAVEL_ALL_LEVELS, share);
  assert_shares(&p, HC_GAVEL_ONE_LEVEL, share);
}

/* ---- against a grid ---- */

enum { STEPS = 16 };

static hc_draws draws;

static double draw(double least, double most)
{
  return least + (most - least) * hc_random_unit(&draws);
}

/* The best of the least levels, or of the sums, of all shares that are multiples of 1 / STEPS. */
static double best_on_grid(const hc_gavel_problem *p, bool is_sum)
{
  double best = 0;
  for (uint32_t i = 0; i < (STEPS + 1) * (STEPS + 1) * (STEPS + 1) * (STEPS + 1); i++) {
    double share[4], least = __builtin_inf(), sum = 0;
    uint32_t rest = i;
    for (int x = 0; x < 4; x++, rest /= STEPS + 1) share[x] = (double)(rest % (STEPS + 1)) / STEPS;
    if (share[0] + share[1] > 1 || share[2] + share[3] > 1) continue;
    if (p->gpus[0] * p->tasks[0] * share[0] + p->gpus[1] * p->tasks[1] * share[2] > p->workers[0]) continue;
    if (p->gpus[0] * p->tasks[0] * share[1] + p->gpus[1] * p->tasks[1] * share[3] > p->workers[1]) continue;
    for (uint32_t m = 0; m < 2; m++) {
      least = HC_MIN(least, level_of(p, share, m));
      sum += p->tasks[m] * level_of(p, share, m);
    }
    best = HC_MAX(best, is_sum ? sum : least);
  }
  return best;
}

/* Shares rounded down to the grid are feasible, so that the grid's best is short of the optimum by no more
 * than a step of each share is worth. */
static void test_grid(void **state)
{
  (void)state;
  draws = (hc_draws){.seed = 1};
  for (int n = 0; n < 60; n++) {
    const double speed[] = {draw(0.1, 4), draw(0.1, 4), draw(0.1, 4), draw(0.1, 4)};
    const double gpus[] = {1 + (double)(n % 4), 1 + (double)(n / 4 % 4)}, tasks[] = {1, 1 + (double)(n % 3)};
    const double gain[] = {draw(0.2, 2), draw(0.2, 2)}, workers[] = {draw(1, 8), draw(1, 8)};
    const hc_gavel_problem p = {2, 2, speed, tasks, gpus, gain, workers};
    for (int is_sum = 0; is_sum < 2; is_sum++) {
      double share[4], found = 0, slip = 0, least = __builtin_inf();
      solve(&p, is_sum ? HC_GAVEL_SUM : HC_GAVEL_ONE_LEVEL, share);
      for (uint32_t m = 0; m < 2; m++) {
        const double step = gain[m] * (speed[2 * m] + speed[2 * m + 1]) / STEPS;
        least = HC_MIN(least, level_of(&p, share, m));
        found += tasks[m] * level_of(&p, share, m);
        slip = is_sum ? slip + tasks[m] * step : HC_MAX(slip, step);
      }
      if (!is_sum) found = least;
      const double best = best_on_grid(&p, is_sum);
      if (!(best <= found + 1e-9 && best >= found - slip))
        fail_msg("problem %d, sum %d: %.9f, and %.9f on the grid", n, is_sum, found, best);
    }
  }
}

static void test_too_many(void **state)
{
  static const hc_gavel_problem p = {.kinds = HC_GAVEL_KINDS + 1, .types = 2};
  (void)state;
  assert_int_equal(hc_gavel_most(2), HC_GAVEL_KINDS);
  assert_true(hc_gavel_most(100) > 100 && hc_gavel_most(100) < HC_GAVEL_KINDS);
  assert_int_equal(hc_gavel_most(3000), 0);
  assert_int_equal(hc_gavel_shares(hc_default_allocator(), &p, HC_GAVEL_SUM, NULL), HC_ELIMIT);
}

/* ---- rounds ---- */

#define HEAD "source: {use: native, file: FILE}\nmetrics: []\nparanoid: true\n"
#define GPUS(v, k) \
  "cell: {use: hosts, classes: [{count: " #v ", name_prefix: v, cpus: 16, gpus: 1, gpu_model: V100}, " \
  "{count: " #k ", name_prefix: k, cpus: 16, gpus: 1, gpu_model: K80}]}\n"
#define MODELS \
  "slowdowns: [{use: throughput, tasks: [ten], table: [V100/1=10, K80/1=1], reference: V100}, " \
  "{use: throughput, tasks: [two], table: [V100/1=2, K80/1=1], reference: V100}]\n"
#define TASK(id, name, at, run) \
  "- {id: " #id ", name: " #name ", submit_time: " #at ", delay: " #run ", limit: " #run \
  ", resources: {nodes_count: 1, cpu_per_node: 1, gpu: 1}}\n"

static void assert_runs(const char *yaml, const char *tasks, const int64_t (*times)[2], size_t count)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    check(&b, try_text(&b, yaml, tasks));
    if (pieces) finish_in_pieces(&b, 3);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s: task %zu runs %" PRId64 " to %" PRId64 ", should %" PRId64 " to %" PRId64, yaml, i + 1,
                 start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1), times[i][0], times[i][1]);
    end(&b);
  }
}

#define EXPECT(yaml, tasks, ...) \
  do { \
    const int64_t times_[][2] = {__VA_ARGS__}; \
    assert_runs(yaml, tasks, times_, COUNT(times_)); \
  } while (0)

/* 2, ten times as fast on the V100, is there, and 1, which does not care, on the K80. Without shares by speed
 * (fcfs) 1, which comes first, has the V100, and 2 takes 1,000 s. */
static void test_each_on_its_own(void **state)
{
  static const char tasks[] = TASK(1, one, 0, 100) TASK(2, ten, 0, 100);
  (void)state;
  EXPECT(HEAD GPUS(1, 1) MODELS "policy: {use: gavel, round: 60s}\n", tasks, {0, 100}, {0, 100});
  EXPECT(HEAD GPUS(1, 1) MODELS "policy: fcfs+scan\n", tasks, {0, 100}, {0, 1000});
}

/* The three of test_two_types. X: 1 has 0.458 of the V100, 2 0.542 of it and 0.167 of the K80, 3 0.833 of the
 * K80. Where none was had X decides, before those that had some, X over their part:
 *     0 s  3 K80 .833, 2 V100 .542                                          3 K80, 2 V100
 *    60 s  1 V100 and 2 K80 had none                                        1 V100, 2 K80
 *   120 s  3 K80 1.667, 2 V100 1.083, 1 V100 .917, 2 K80 .333               3 K80, 2 V100
 *   180 s  1 V100 1.375, 3 K80 1.25, 2 V100 .813                            1 V100, 3 K80
 *   240 s  1 has had its 120 s. 2 has the V100 and 3 the K80 from now on.
 * 2 has done 60 + 60 / 2 + 60 of its 250 s, and 3 180 of its 300. */
static void test_rounds(void **state)
{
  static const char tasks[] = TASK(1, ten, 0, 120) TASK(2, two, 0, 250) TASK(3, one, 0, 300);
  (void)state;
  EXPECT(HEAD GPUS(1, 1) MODELS "policy: {use: gavel, round: 60s}\n", tasks, {180, 240}, {240, 340},
         {120, 360});
  EXPECT(HEAD GPUS(1, 1) MODELS "policy: {use: gavel, round: 60s, settle: 0}\n", tasks, {180, 240},
         {240, 340}, {120, 360});
}

/* One GPU, two tasks that are alike: by turns of 30 s. What starts again takes 10 s longer. 1 has done 30 s
 * at 30, 20 more from 60 to 90, and ends 20 s after it started at 120; until the next round nothing runs. */
static void test_overhead(void **state)
{
  static const char tasks[] = TASK(1, one, 0, 60) TASK(2, one, 0, 60);
  (void)state;
  EXPECT(HEAD "cell: {use: hosts, classes: [{count: 1, name_prefix: v, cpus: 16, gpus: 1}]}\n"
              "policy: {use: gavel, round: 30s, restart_overhead: 10s}\n",
         tasks, {120, 140}, {150, 170});
}

/* What comes within a round waits for the next, or starts on what is free. */
static void test_between(void **state)
{
#define V "cell: {use: hosts, classes: [{count: 2, name_prefix: v, cpus: 16, gpus: 1}]}\n"
  static const char tasks[] = TASK(1, one, 10, 100) TASK(2, one, 20, 100);
  (void)state;
  EXPECT(HEAD V "policy: {use: gavel, round: 60s}\n", tasks, {60, 160}, {60, 160});
  EXPECT(HEAD V "policy: {use: gavel, round: 60s, between: fill}\n", tasks, {10, 110}, {20, 120});
}

/* Tasks that are alike have half of their time on each type, though these are alike for them, too: they
 * change places. */
static void test_turns(void **state)
{
  static const char tasks[] = TASK(1, one, 0, 100) TASK(2, one, 0, 100);
  (void)state;
  EXPECT(HEAD GPUS(1, 1) "policy: {use: gavel, round: 60s}\n", tasks, {60, 100}, {60, 100});
}

/* 1 comes first and has the V100, and 2 the K80, on which it does 12 s of its 500 in 120. Then it moves,
 * though nothing waits. */
static void test_moves(void **state)
{
  static const char tasks[] = TASK(1, ten, 0, 100) TASK(2, ten, 0, 500);
  (void)state;
  EXPECT(HEAD GPUS(1, 1) MODELS "policy: {use: gavel, round: 120s, objective: fifo}\n", tasks, {0, 100},
         {120, 608});
}

/* A K80 is gone for good at 150, and 2, which wants both, can start no more. When 1 has ended nothing is left
 * to be looked at: the run ends with the round after that, and not at the end of time. */
static void test_left_waiting(void **state)
{
  static const char tasks[] = TASK(1, one, 0, 200)
      "- {id: 2, submit_time: 160, delay: 10, resources: {nodes_count: 2, cpu_per_node: 1, gpu: 1}}\n";
  bench b;
  (void)state;
  check(&b, try_text(&b,
                     HEAD GPUS(1, 2) "events: {use: list, changes: [{at: 150, hosts: '2', change: down}]}\n"
                                     "policy: {use: gavel, round: 60s}\n",
                     tasks));
  finish(&b);
  assert_int_equal(start_of(&b, 2), NEVER_STARTED);
  hc_progress p;
  hc_run_progress(b.run, &p);
  assert_int_equal(p.now / HC_SECOND, 240);
  end(&b);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  static const char two[] = "- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 2, cpu_per_node: "
                            "1, gpu: 1}}\n";
  bench b;
  (void)state;
  assert_int_equal(try_text(&b, HEAD "cell: {use: count, procs: 4}\npolicy: gavel\n", TASK(1, one, 0, 10)),
                   HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "this cell has no hosts"));
  end(&b);
  check(&b, try_text(&b, HEAD GPUS(1, 1) "policy: gavel\n", two));
  finish(&b);
  assert_int_equal(start_of(&b, 1), NEVER_STARTED);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_types), cmocka_unit_test(test_three_types),
      cmocka_unit_test(test_levels),    cmocka_unit_test(test_alike),
      cmocka_unit_test(test_makespan),  cmocka_unit_test(test_sum),
      cmocka_unit_test(test_nowhere),   cmocka_unit_test(test_grid),
      cmocka_unit_test(test_too_many),  cmocka_unit_test(test_each_on_its_own),
      cmocka_unit_test(test_rounds),    cmocka_unit_test(test_overhead),
      cmocka_unit_test(test_between),   cmocka_unit_test(test_turns),
      cmocka_unit_test(test_moves),     cmocka_unit_test(test_refused),
      cmocka_unit_test(test_left_waiting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
