/* test_rates.c -- tasks that a policy of the test's own suspends, lets go on, and lets work at other rates:
 * when they end, what they hold meanwhile, and that no work is lost or won.
 *
 * The policy starts whatever fits, in order, after it has carried out what a script says is to happen now.
 * Tasks are named by their number in the log, which is their serial and 1. */
#include "engine_test.h"
#include "own_policy.h"
#include "verified.h"

#include "base/math.h"
#include "base/wide.h"

typedef enum act { SET, SUSPEND, RESUME, STOP, FAIL } act;

typedef struct step {
  double at; /* s */
  uint64_t task;
  act what;
  int64_t rate;
  hc_rc answer;
} step;

static const step *script;
static size_t script_count;
static uint32_t policy_flags;

static uint32_t flags(const void *options)
{
  (void)options;
  return policy_flags;
}

static hc_rc carry_out(hc_policy *self, hc_view *v, hc_plan *p, const step *x)
{
  const hc_services *s = self->s;
  const hc_task t = s->find(v, x->task - 1);
  const int64_t before = s->rate(v, t);
  hc_rc rc = HC_EPOLICY;
  switch (x->what) {
    case SET: rc = s->set_rate(p, t, x->rate); break;
    case SUSPEND: rc = s->suspend(p, t); break;
    case RESUME: rc = s->resume(p, t); break;
    case STOP: rc = s->stop(p, t, &(hc_stopping){.how = (hc_stop)x->rate}); break;
    case FAIL: return HC_EPOLICY;
  }
  assert_int_equal(rc, x->answer);
  if (rc < 0) assert_int_equal(s->rate(v, t), before);
  else if (x->what == SET) assert_int_equal(s->rate(v, t), x->rate);
  else if (x->what == SUSPEND) assert_int_equal(s->rate(v, t), 0);
  else if (x->what == RESUME) assert_true(s->rate(v, t) > 0);
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_time now = s->now(v);
  hc_cursor at = {0};
  hc_task t;
  (void)why;
  for (size_t i = 0; i < script_count; i++)
    if ((hc_time)(script[i].at * 1e9) == now && script[i].at > 0)
      if (carry_out(self, v, p, &script[i]) < 0) return HC_EPOLICY;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (s->fits(v, t) && s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
  for (size_t i = 0; i < script_count; i++) {
    const hc_time then = (hc_time)(script[i].at * 1e9);
    if (then == now && script[i].at == 0 && carry_out(self, v, p, &script[i]) < 0) return HC_EPOLICY;
    if (now == 0 && then > 0 && s->wake(p, then) < 0) return HC_EPOLICY;
  }
  return 0;
}

static const hc_policy_type scripted = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                      .name = "scripted", .summary = "of a test"},
                                        .flags = flags,
                                        .init = init,
                                        .decide = decide,
                                        .fini = fini};

static const hc_component *const own[] = {&scripted.component, NULL};

static const char *const cells[] = {
    "policy: scripted\nparanoid: true\n",
    "policy: scripted\nparanoid: true\ncell: {use: intervals, procs: 4}\n",
    "policy: scripted\nparanoid: true\ncell: {use: hosts, classes: [{name: a, cpus: 4}]}\n"};

static void set_script(const step *steps, size_t count)
{
  script = steps;
  script_count = count;
  policy_flags = HC_SETS_RATES | HC_MAY_PREEMPT | HC_IGNORES_TIME;
}

/* Starts and ends in ns, on cells of all three kinds. */
static void assert_times(const job *jobs, size_t count, const step *steps, size_t step_count,
                         const double (*times)[2])
{
  for (size_t k = 0; k < COUNT(cells); k++) {
    bench b;
    set_script(steps, step_count);
    begin(&b, cells[k], 4, jobs, count, own);
    finish(&b);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      if (r->start != (hc_time)(times[i][0] * 1e9) || r->end != (hc_time)(times[i][1] * 1e9))
        fail_msg("%stask %zu: %" PRId64 " to %" PRId64 " ns", cells[k], i + 1, r->start, r->end);
    }
    assert_records_hold(&b, 4);
    end(&b);
  }
}
#define TIMES(jobs, steps, ...) \
  assert_times(jobs, COUNT(jobs), steps, COUNT(steps), (const double[][2]){__VA_ARGS__})

/* 1 has done 3 of its 10 s when it makes room at 3; 2 has the cell from 3 to 7; then 7 are left. */
static void test_suspend(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{3, 1, SUSPEND, 0, 0}, {7, 1, RESUME, 0, 0}};
  bench b;
  (void)state;
  TIMES(jobs, steps, {0, 14}, {3, 7});
  set_script(steps, COUNT(steps));
  begin(&b, cells[0], 4, jobs, COUNT(jobs), own);
  finish(&b);
  assert_true(record_of(&b, 1)->run == 10 * HC_SECOND);
  assert_true(record_of(&b, 1)->flags & HC_TASK_RATED);
  assert_false(record_of(&b, 2)->flags & HC_TASK_RATED);
  assert_int_equal(counted(&b, "hindcast", "suspensions"), 1);
  end(&b);
}

/* Suspended and let go on in one instant, before or after its end would have been remade: nothing has
 * changed. */
static void test_at_once(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  static const step steps[] = {{3, 1, SUSPEND, 0, 0}, {3, 1, RESUME, 0, 0}, {5, 1, SET, HC_RATE_ONE / 2, 0},
                               {5, 1, SUSPEND, 0, 0}, {5, 1, RESUME, 0, 0}, {5, 1, SET, HC_RATE_ONE, 0}};
  (void)state;
  TIMES(jobs, steps, {0, 10});
}

/* At half its rate from 2 to 6 it does 2 s: 6 are left then. A third of its own rate is a whole number, so 10
 * s take 30, however often it is set. At twice its rate from 4 on: 3 more. Suspended at half, it goes on at
 * half: 2 + 1 done at 4, 7 left at 10 s take 14. */
static void test_rates(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  static const step half[] = {{2, 1, SET, HC_RATE_ONE / 2, 0}, {6, 1, SET, HC_RATE_ONE, 0}};
  static const step third[] = {{0, 1, SET, HC_RATE_ONE / 3, 0},
                               {1, 1, SET, HC_RATE_ONE / 7, 0},
                               {8, 1, SET, HC_RATE_ONE / 3, 0},
                               {12.5, 1, SET, HC_RATE_ONE / 3, 0}};
  static const step twice[] = {{4, 1, SET, HC_RATE_ONE * 2, 0}};
  static const step zero[] = {{4, 1, SET, 0, 0}, {9, 1, SET, HC_RATE_ONE, 0}};
  static const step slow[] = {{2, 1, SET, HC_RATE_ONE / 2, 0}, {4, 1, SUSPEND, 0, 0}, {10, 1, RESUME, 0, 0}};
  (void)state;
  TIMES(jobs, half, {0, 12});
  TIMES(jobs, third, {0, 34}); /* 1/3 + 7/7 are done at 8; 26/3 left take 26 s */
  TIMES(jobs, twice, {0, 7});
  TIMES(jobs, zero, {0, 15});
  TIMES(jobs, slow, {0, 24});
}

/* At rate 0 it holds what it holds; suspended it does not. */
static void test_what_it_holds(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{4, 1, SET, 0, 0}, {9, 1, SET, HC_RATE_ONE, 0}};
  (void)state;
  TIMES(jobs, steps, {0, 15}, {15, 19});
}

/* What cannot be is refused, and changes nothing. */
static void test_refused(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{2, 2, SUSPEND, 0, HC_EPOLICY}, /* it waits */
                               {2, 2, SET, HC_RATE_ONE, HC_EPOLICY},
                               {2, 1, RESUME, 0, HC_EPOLICY}, /* it runs */
                               {2, 1, SET, -1, HC_EPOLICY},
                               {2, 1, SET, HC_RATE_MOST + 1, HC_EPOLICY},
                               {2, 9, SUSPEND, 0, HC_EPOLICY}, /* there is no such task */
                               {3, 1, SUSPEND, 0, 0},
                               {3, 1, SUSPEND, 0, HC_EPOLICY},
                               {3, 1, SET, HC_RATE_ONE, HC_EPOLICY},
                               {3, 1, STOP, HC_STOP_REQUEUE, HC_EPOLICY},
                               {5, 1, RESUME, 0, HC_EPOLICY}, /* 2 has its processors */
                               {7, 1, RESUME, 0, 0}};
  (void)state;
  TIMES(jobs, steps, {0, 14}, {3, 7});
}

/* A plan that fails is taken back in reverse, and the run says so and cannot go on: nothing leaks. */
static void test_undone(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{3, 1, SET, 5, 0},
                               {3, 1, SUSPEND, 0, 0},
                               {3, 1, RESUME, 0, 0},
                               {3, 1, SUSPEND, 0, 0},
                               {3, 1, FAIL, 0, 0}};
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++) {
    hc_progress now;
    bench b;
    set_script(steps, COUNT(steps));
    begin(&b, cells[k], 4, jobs, COUNT(jobs), own);
    assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EPOLICY);
    hc_run_progress(b.run, &now);
    assert_int_equal(now.running, 1);
    end(&b);
  }
}

/* Random rates at random times, none of which divides anything: the end is the first whole ns at which the
 * work done, added up here step by step, is the run or more. */
static void test_conserved(void **state)
{
  enum { STEPS = 12 };
  hc_draws d = {7, 0, 0, 0, 0};
  (void)state;
  for (int round = 0; round < 200; round++) {
    const job jobs[] = {J(1, 0, 1 + (int64_t)hc_random_below(&d, 50), 4, 1000)};
    const hc_int128 work = (hc_int128)jobs[0].run * HC_SECOND * HC_RATE_ONE;
    step steps[STEPS];
    hc_int128 done = 0;
    hc_time now = 0, end_at = HC_NEVER;
    int64_t rate = HC_RATE_ONE;
    bench b;
    for (int i = 0; i < STEPS; i++) {
      steps[i] = (step){(double)(1 + i * 5) + (double)hc_random_below(&d, 4), 1, SET,
                        (int64_t)hc_random_below(&d, (uint64_t)(2 * HC_RATE_ONE)), 0};
      if (i % 4 == 3) steps[i].rate = HC_RATE_ONE;
    }
    steps[STEPS - 1].rate = HC_RATE_ONE / 1000 + 1;
    for (int i = 0; i <= STEPS && end_at == HC_NEVER; i++) {
      const hc_time next = i < STEPS ? (hc_time)steps[i].at * HC_SECOND : HC_NEVER;
      const hc_int128 left = work - done, wait = rate > 0 ? (left + rate - 1) / rate : HC_NEVER;
      if (now + wait <= next) end_at = now + (hc_time)wait;
      done += (hc_int128)rate * (next - now);
      now = next;
      if (i < STEPS) rate = steps[i].rate;
    }
    for (int i = 0; i < STEPS; i++)
      if ((hc_time)steps[i].at * HC_SECOND >= end_at) steps[i].answer = HC_EPOLICY;
    set_script(steps, STEPS);
    begin(&b, cells[round % 3], 4, jobs, 1, own);
    finish(&b);
    assert_true(record_of(&b, 1)->end == end_at);
    assert_records_hold(&b, 4);
    end(&b);
  }
}

/* Stopped at half its rate after 4 s it has done 2; from 5 on 8 are left, at its own rate. Anew it would have
 * all 10 to do. Killed, its record says that it ran for 2. */
static void test_stop(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  static const hc_stop how[] = {HC_STOP_CHECKPOINT, HC_STOP_REQUEUE, HC_STOP_KILL};
  static const int64_t ends[] = {13, 15, 4};
  (void)state;
  for (size_t k = 0; k < 9; k++) {
    const step steps[] = {
        {0, 1, SET, HC_RATE_ONE / 2, 0}, {4, 1, STOP, how[k % 3], 0}, {5, 9, SUSPEND, 0, HC_EPOLICY}};
    bench b;
    set_script(steps, COUNT(steps));
    begin(&b, cells[k / 3], 4, jobs, 1, own);
    finish(&b);
    assert_int_equal(end_of(&b, 1), ends[k % 3]);
    if (how[k % 3] == HC_STOP_KILL) assert_true(record_of(&b, 1)->run == 2 * HC_SECOND);
    end(&b);
  }
}

/* The only host goes at 5 while 1 is suspended and 2 runs there, and is back at 6. Both begin anew; or both
 * are lost. */
static void test_host_lost(void **state)
{
  static const char *const yaml =
      "policy: scripted\nparanoid: true\ncell: {use: hosts, classes: [{name: a, count: 2, cpus: "
      "2}]}\nhost_loss: %s\n"
      "events: {use: list, changes: [{at: 5, hosts: a-0, change: down, until: 6}]}\n";
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{3, 1, SUSPEND, 0, 0}};
  char text[512];
  (void)state;
  for (int k = 0; k < 2; k++) {
    bench b;
    set_script(steps, COUNT(steps));
    (void)snprintf(text, sizeof text, yaml, k == 0 ? "requeue" : "lost");
    begin(&b, text, 4, jobs, COUNT(jobs), own);
    finish(&b);
    assert_int_equal(record_of(&b, 1)->final, k == 0 ? HC_FINAL_COMPLETED : HC_FINAL_LOST);
    assert_int_equal(start_of(&b, 1), k == 0 ? 6 : 0);
    assert_int_equal(end_of(&b, 1), k == 0 ? 16 : 5);
    assert_int_equal(end_of(&b, 2), k == 0 ? 20 : 5);
    end(&b);
  }
}

/* Saved and restored at every instant, suspended or not. */
static void test_snapshot(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {
      {2, 1, SET, 12345, 0}, {3, 1, SUSPEND, 0, 0}, {7, 1, RESUME, 0, 0}, {9, 1, SET, HC_RATE_ONE, 0}};
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++) {
    bench b;
    set_script(steps, COUNT(steps));
    begin(&b, cells[k], 4, jobs, COUNT(jobs), own);
    finish_in_pieces(&b, 1);
    assert_records_hold(&b, 4);
    assert_int_equal(end_of(&b, 1), 16); /* 2 s and a few millionths are done at 9 */
    end(&b);
  }
}

/* 1 from 0 to 14 with 10 of work, 2 from 3 to 7 with 4: the slowdowns are 14 / 10 and (7 - 1) / 4; the
 * machine is busy for 14 s, and 1 was suspended for 4. Work is 4 x 14. */
static void test_metrics(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 4, 4, 4)};
  static const step steps[] = {{3, 1, SUSPEND, 0, 0}, {7, 1, RESUME, 0, 0}};
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++) {
    char yaml[512];
    bench b;
    set_script(steps, COUNT(steps));
    (void)snprintf(
        yaml, sizeof yaml,
        "%smetrics: [slowdown, {use: bounded_slowdown, tau: 1s}, area_weighted, load, utilisation, "
        "suspension]\n",
        cells[k]);
    begin(&b, yaml, 4, jobs, COUNT(jobs), own);
    finish(&b);
    assert_true(figure(&b, "slowdown_mean") == (14.0 / 10 + 6.0 / 4) / 2);
    assert_true(figure(&b, "bounded_slowdown_mean") == (14.0 / 10 + 6.0 / 4) / 2);
    assert_true(figure(&b, "utilisation") == 1);
    if (k < 2) assert_true(figure(&b, "work") == 4 * 14.0);
    assert_true(figure(&b, "suspension_time") == 4);
    assert_true(figure(&b, "suspension_time_max") == 4);
    assert_true(figure(&b, "suspension_suspensions") == 1);
    assert_true(figure(&b, "suspension_changes") == 2);
    assert_true(figure(&b, "suspension_tasks") == 1);
    assert_true(figure(&b, "suspension_share") == 0.5);
    end(&b);
  }
}

/* Who is never let go on is still there when nothing happens any more. */
static hc_rc count_row(void *ctx, const char *const *row)
{
  int64_t *n = ctx;
  (void)row;
  ++*n;
  return 0;
}

/* What an instant has come to is told: at 3 a task is suspended and goes on, and is not told of; at 4 it is
 * to work at half its rate and then at its own, and neither is; at 5 it has half of its rate, for 2 s.
 * Two rows. */
static void test_for_an_instant(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  static const step steps[] = {
      {3, 1, SUSPEND, 0, 0},       {3, 1, RESUME, 0, 0}, {4, 1, SET, HC_RATE_ONE / 2, 0},
      {4, 1, SET, HC_RATE_ONE, 0}, {5, 1, SET, 0, 0},    {5, 1, SET, HC_RATE_ONE / 2, 0},
      {7, 1, SET, HC_RATE_ONE, 0}};
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++) {
    char yaml[256];
    bench b;
    hc_result *r;
    int64_t rows = 0;
    set_script(steps, COUNT(steps));
    (void)snprintf(yaml, sizeof yaml, "%smetrics: [suspension]\n", cells[k]);
    begin(&b, yaml, 4, jobs, COUNT(jobs), own);
    finish(&b);
    assert_int_equal(record_of(&b, 1)->end, 11 * HC_SECOND);
    assert_true(figure(&b, "suspension_suspensions") == 0);
    assert_true(figure(&b, "suspension_changes") == 2);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "rates", 4, count_row, &rows, &b.error));
    hc_result_free(r);
    assert_int_equal(rows, 2);
    assert_records_hold(&b, 4);
    end(&b);
  }
}

static void test_for_ever(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  static const step steps[] = {{3, 1, SUSPEND, 0, 0}};
  bench b;
  (void)state;
  set_script(steps, COUNT(steps));
  begin(&b, cells[0], 4, jobs, 1, own);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_RUNNING);
  end(&b);
}

static void assert_unsupported(const char *more, const char *says)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  char yaml[512];
  bench b;
  set_script(NULL, 0);
  (void)snprintf(yaml, sizeof yaml, "policy: scripted\n%s", more);
  assert_int_equal(try_begin(&b, yaml, 4, jobs, 1, own), HC_EUNSUPPORTED);
  if (!strstr(b.error.text, says)) fail_msg("%s: %s", more, b.error.text);
  end(&b);
}

static void test_combinations(void **state)
{
  (void)state;
  assert_unsupported("architecture: {use: monolithic, call: per_event}\n", "`call: instant`");
  assert_unsupported("architecture: {use: monolithic, call: [instant, period]}\n", "`call: instant`");
  assert_unsupported("architecture: shared_state\n", "architecture monolithic");
  assert_unsupported("end_order: start\n", "end_order: serial");
  assert_unsupported("trim: full\nmetrics: [utilisation]\n", "leave out the trim, or the metric");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suspend),       cmocka_unit_test(test_at_once),
      cmocka_unit_test(test_rates),         cmocka_unit_test(test_refused),
      cmocka_unit_test(test_what_it_holds), cmocka_unit_test(test_undone),
      cmocka_unit_test(test_conserved),     cmocka_unit_test(test_stop),
      cmocka_unit_test(test_host_lost),     cmocka_unit_test(test_snapshot),
      cmocka_unit_test(test_metrics),       cmocka_unit_test(test_for_ever),
      cmocka_unit_test(test_combinations),  cmocka_unit_test(test_for_an_instant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
