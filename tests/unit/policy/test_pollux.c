/* test_pollux.c -- which sizes Pollux's search chooses, against all that there are, and its rounds, drawn by
 * hand.
 *
 * Times are seconds. */
#include "../engine/engine_test.h"
#include "../engine/verified.h"

#include "base/math.h"
#include "base/util.h"
#include "policy/pollux_sizes.h"

enum { TASKS = 4, SIZES = 5 };

typedef struct problem {
  hc_pollux_option options[TASKS][SIZES];
  hc_pollux_task tasks[TASKS];
  size_t count;
  int64_t room;
} problem;

static hc_draws draws;

static double unit(void)
{
  return hc_random_unit(&draws);
}

/* Of what is chosen. */
static double value_of(const problem *p)
{
  double sum = 0;
  int64_t room = p->room;
  for (size_t i = 0; i < p->count; i++) {
    const hc_pollux_option *o = &p->tasks[i].options[p->tasks[i].chosen];
    sum += o->value;
    room -= o->cost - p->tasks[i].options[0].cost;
  }
  assert_true(room >= 0);
  return sum;
}

/* The greatest of all combinations from task number i on. */
static double best_of(const problem *p, size_t i, int64_t room)
{
  double best = -1e300;
  if (i == p->count) return 0;
  for (uint32_t k = 0; k < p->tasks[i].count; k++) {
    const int64_t cost = p->tasks[i].options[k].cost - p->tasks[i].options[0].cost;
    if (cost > room) break;
    best = HC_MAX(best, p->tasks[i].options[k].value + best_of(p, i + 1, room - cost));
  }
  return best;
}

/* @param power of the law: S(n) = n^power */
static void make_tasks(problem *p, bool concave, double exponent)
{
  p->count = 1 + hc_random_below(&draws, TASKS);
  p->room = (int64_t)hc_random_below(&draws, 12);
  for (size_t i = 0; i < p->count; i++) {
    const double power = 0.2 + 0.8 * unit(), fair = 0.5 + unit();
    int64_t cost = 1;
    double s = 0;
    p->tasks[i] =
        (hc_pollux_task){.options = p->options[i], .count = 1 + (uint32_t)hc_random_below(&draws, SIZES)};
    for (uint32_t k = 0; k < p->tasks[i].count; k++) {
      if (concave) s = hc_pow((double)(k + 1), power) / fair;
      else s += unit() * unit();
      p->options[i][k] = (hc_pollux_option){hc_pollux_value(s + 1e-6, exponent), cost};
      cost += concave ? 1 : 1 + (int64_t)hc_random_below(&draws, 3);
    }
  }
}

/* With laws that are concave, and slots that cost the same, the sum is the greatest that there is, for each
 * exponent: all of them leave s^p / p concave in s. */
static void test_exact_for_concave_laws(void **state)
{
  static const double exponents[] = {1, 0.5, 0, -1, -3};
  (void)state;
  draws = (hc_draws){.seed = 7, .purpose = HC_PURPOSE_TEST};
  for (int n = 0; n < 2000; n++) {
    problem p;
    make_tasks(&p, true, exponents[n % 5]);
    assert_int_equal(hc_pollux_choose(hc_default_allocator(), p.tasks, p.count, p.room), 0);
    const double got = value_of(&p), best = best_of(&p, 0, p.room);
    if (got < best - 1e-12 * HC_MAX(1, best < 0 ? -best : best))
      fail_msg("case %d: %.17g of %.17g", n, got, best);
  }
}

/* With any laws and costs what is missing is less than the greatest step of a task, from its first option to
 * its best one: the last step of the search that did not fit is no greater. */
static void test_bound_for_any_laws(void **state)
{
  int less = 0;
  (void)state;
  draws = (hc_draws){.seed = 8, .purpose = HC_PURPOSE_TEST};
  for (int n = 0; n < 2000; n++) {
    problem p;
    double step = 0;
    make_tasks(&p, false, 1);
    assert_int_equal(hc_pollux_choose(hc_default_allocator(), p.tasks, p.count, p.room), 0);
    const double got = value_of(&p), best = best_of(&p, 0, p.room);
    for (size_t i = 0; i < p.count; i++)
      for (uint32_t k = 0; k < p.tasks[i].count; k++)
        step = HC_MAX(step, p.options[i][k].value - p.options[i][0].value);
    assert_true(got <= best + 1e-12 && got > best - step - 1e-12);
    less += got < best - 1e-12;
  }
  assert_true(less > 20 && less < 400); /* it is not exact there, and mostly is */
}

/* Between whole numbers a straight line; below the least in proportion; beyond the last as much as there. */
static void test_between(void **state)
{
  static const double speed[] = {2, 3, 3.5};
  (void)state;
  assert_true(hc_pollux_between(speed, 3, 2, 2.5) == 2.5);
  assert_true(hc_pollux_between(speed, 3, 2, 3.5) == 3.25);
  assert_true(hc_pollux_between(speed, 3, 2, 1) == 1);
  assert_true(hc_pollux_between(speed, 3, 2, 9) == 3.5);
  assert_true(hc_pollux_value(4, 0.5) == 4 && hc_pollux_value(4, -1) == -0.25 && hc_pollux_value(1, 0) == 0);
}

/* ---- rounds ---- */

/* S is 1, 1.5, 1.75, 1.875 on 1 to 4 of 4 processors; rounds of 10 s.
 *
 * A comes at 0, asks for one, has 100 s of work there and gets all 4: it does 1.875 a second. B comes at 3,
 * with 30 s of work on one, and waits for the round at 10, when A has done 18.75. Both have 2 then, as their
 * fair share is, and both sums of 1 / s would be more with 3 and 1: 1 / 1.75 + 1 against 2 / 1.5. So A
 * shrinks, stands still until 14 (a pause of 4 s), and B runs at 1.5 from 10 to 30. A has done 18.75 + 16 x
 * 1.5 = 42.75 by then, and grows to 4 at the round that falls there; it pauses until 34 and does the 57.25
 * that are left in 57.25 / 1.875 = 30.533 s.
 *
 * Is it worth it to A, at 30? (T - R d) / (T + d) is (30 - 4) / 34 of 1.875, 1.434: less than 1.5, so that it
 * stays at 2. At 40 it is 36 / 44 x 1.875 = 1.534: it grows then, has done 57.75, pauses until 44, and ends
 * 42.25 / 1.875 = 22.533 s later. */
#define LAW "malleable: {min: 1, max: 4, when: [start, running], speeds: [1, 1.5, 1.75, 1.875]}"
#define TWO \
  "- {id: 1, submit_time: 0, procs: 1, delay: 100, " LAW "}\n" \
  "- {id: 2, submit_time: 3, procs: 1, delay: 30, " LAW "}\n"

/* On processors, named ones and hosts it is the same, and in pieces as in one go. */
static void run_tasks(const char *tasks, const char *policy, const double *times, size_t count)
{
  static const char *const cells[] = {"cell: {procs: 4}\n", "cell: {use: intervals, procs: 4}\n",
                                      "cell: {use: hosts, classes: [{count: 2, name_prefix: a, cpus: 2}]}\n"};
  for (size_t k = 0; k < 2 * COUNT(cells); k++) {
    bench b;
    char yaml[600];
    (void)snprintf(yaml, sizeof yaml, "source: {use: native, file: FILE}\nparanoid: true\n%s%s", cells[k / 2],
                   policy);
    check(&b, try_text(&b, yaml, tasks));
    if (k % 2) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const double start = (double)r->start / HC_SECOND, end_at = (double)r->end / HC_SECOND;
      if (start != times[2 * i] || end_at < times[2 * i + 1] - 1e-7 || end_at > times[2 * i + 1] + 1e-7)
        fail_msg("%s: task %zu from %.9f to %.9f, not %.9f to %.9f", cells[k / 2], i + 1, start, end_at,
                 times[2 * i], times[2 * i + 1]);
    }
    assert_verified(&b);
    end(&b);
  }
}

static void test_rounds(void **state)
{
  (void)state;
  run_tasks(TWO, "policy: {use: pollux, round: 10, restart: 4}\n",
            (const double[]){0, 44 + 42.25 / 1.875, 10, 30}, 2);
}

/* Without a pause A has all again from 30 on, when B is done: 18.75 + 20 x 1.5 = 48.75 are, and 51.25 are
 * left. */
static void test_without_pause(void **state)
{
  (void)state;
  run_tasks(TWO, "policy: {use: pollux, round: 10, restart: 0}\n",
            (const double[]){0, 30 + 51.25 / 1.875, 10, 30}, 2);
}

/* A asks for 2 and may have no other number, so B has the other 2 when the round comes, or at once with
 * `fill`. */
static void test_of_one_size(void **state)
{
  static const char tasks[] = "- {id: 1, submit_time: 0, procs: 2, delay: 100}\n"
                              "- {id: 2, submit_time: 3, procs: 1, delay: 30, " LAW "}\n";
  (void)state;
  run_tasks(tasks, "policy: {use: pollux, round: 10}\n", (const double[]){0, 100, 10, 30}, 2);
  run_tasks(tasks, "policy: {use: pollux, round: 10, between: fill}\n", (const double[]){0, 100, 3, 23}, 2);
}

#define A_GPU "resources: {nodes_count: 1, cpu_per_node: 1, gpu: 1}, spread: false, "

/* Whole GPUs go with the slots of a task that has a law: on two hosts of two GPUs A has 4, then 2, then 4, as
 * in test_without_pause. */
static void test_gpus(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, " A_GPU LAW "}\n"
      "- {id: 2, submit_time: 3, delay: 30, " A_GPU LAW "}\n";
  (void)state;
  for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
    bench b;
    check(
        &b,
        try_text(&b,
                 "source: {use: native, file: FILE}\nparanoid: true\ncell: {use: hosts, classes: [{count: 2, "
                 "name_prefix: a, cpus: 8, gpus: 2}]}\npolicy: {use: pollux, round: 10, restart: 0}\n",
                 tasks));
    if (in_pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(start_of(&b, 2), 10);
    assert_int_equal(end_of(&b, 2), 30);
    const double off = (double)record_of(&b, 1)->end / HC_SECOND - (30 + 51.25 / 1.875);
    assert_true(off > -1e-7 && off < 1e-7);
    assert_int_equal(counted(&b, "hindcast", "plan_resizes"), 2);
    assert_verified(&b);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_for_concave_laws),
                                     cmocka_unit_test(test_bound_for_any_laws),
                                     cmocka_unit_test(test_between),
                                     cmocka_unit_test(test_rounds),
                                     cmocka_unit_test(test_without_pause),
                                     cmocka_unit_test(test_of_one_size),
                                     cmocka_unit_test(test_gpus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
