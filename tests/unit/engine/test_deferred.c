/* test_deferred.c -- tasks that a policy may plan before they may start (schedule_after): what it sees of
 * them, what it may do, and what becomes of the schedule. Each case is small enough that its schedule follows
 * by hand. */
#include "engine_test.h"
#include "own_policy.h"

#define HOSTS "source: {use: native, file: FILE}\nmetrics: []\nparanoid: true\n"
#define COUNTED HOSTS "cell: {use: count, procs: 4}\n"
#define TABLE \
  "source: {use: csv, file: FILE, id: id, submit: submit, end: end, run: run, limit: limit, procs: procs, " \
  "status: status, not_before: begin}\nmetrics: []\nparanoid: true\ncell: {use: count, procs: 4}\n"

static void begin_text(bench *b, const char *yaml, const char *tasks, const hc_component *const *extra)
{
  check(b, try_text_with(b, yaml, tasks, extra));
}

static void assert_all_start(const bench *b, const char *yaml, const int64_t *starts, size_t count)
{
  assert_int_equal(b->count, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(b, (int64_t)i + 1) != starts[i])
      fail_msg("%s: task %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
               start_of(b, (int64_t)i + 1), starts[i]);
}

/* Tasks 1, 2 ... start at these seconds: in one go, and saved and taken up again after every instant. */
static void assert_run(const char *head, const char *more, const char *tasks, const int64_t *starts,
                       size_t count)
{
  char yaml[1024];
  bench b;
  (void)snprintf(yaml, sizeof yaml, "%s%s\n", head, more);
  begin_text(&b, yaml, tasks, NULL);
  finish(&b);
  assert_all_start(&b, yaml, starts, count);
  end(&b);
  begin_text(&b, yaml, tasks, NULL);
  finish_in_pieces(&b, 1);
  assert_all_start(&b, yaml, starts, count);
  end(&b);
}

#define STARTS(head, more, tasks, ...) \
  assert_run(head, more, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* ---- what planning ahead changes ---- */

/* Four processors. Task 1 has two of them during [0, 100). Task 2 wants all four for 50 s, is there at 0 and
 * may start from 60 on; task 3 wants two for 80 s from 10 on, task 4 two for 120 s, and task 5 one for 5 s
 * from 95 on. */
static const char five[] =
    "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 2}}\n"
    "- {id: 2, submit_time: 0, schedule_after: 60, delay: 50, limit: 50, resources: {cpu_per_node: 4}}\n"
    "- {id: 3, submit_time: 10, delay: 80, limit: 80, resources: {cpu_per_node: 2}}\n"
    "- {id: 4, submit_time: 10, delay: 120, limit: 120, resources: {cpu_per_node: 2}}\n"
    "- {id: 5, submit_time: 95, delay: 5, limit: 5, resources: {cpu_per_node: 1}}\n";

/* Seen from its submission on, task 2 is promised [100, 150), when task 1 is gone. Task 3 ends at 90 and may
 * start at 10; task 4 could have two processors from 90 on, but would keep them past 100: it follows at 150;
 * task 5 is over by 100. Out of sight until 60, task 2 comes when task 4 has been promised [90, 210), and
 * waits for that; task 5 finds nothing free at 95, and two processors at 100. */
static void test_a_task_seen_ahead_moves_others(void **state)
{
  static const char *const planned[] = {
      "policy: conservative",
      "policy: {select: {use: conservative, replan: always}}",
      "policy: {select: {use: conservative, replan: compress}}",
      "policy: {select: {use: conservative, replan: none}}",
      "policy: {select: {use: slack, factor: 0}}",
      "policy: {select: {use: easy, ahead: true}}",
      "policy: {select: {use: easy, ahead: true, depth: 3}}",
      "policy: {select: {use: easy, ahead: true, candidates: sjf}}",
      "policy: conservative\narchitecture: {use: monolithic, call: per_event}",
      "policy: conservative\nevent_queue: radix\nthreads: 2",
  };
  static const char *const unseen[] = {"policy: easy",
                                       "policy: {select: {use: easy, ahead: true, protect: false}}",
                                       "policy: {select: {use: conservative, ahead: false}}",
                                       "policy: {select: {use: slack, factor: 0, ahead: false}}"};
  (void)state;
  for (size_t i = 0; i < COUNT(planned); i++) STARTS(COUNTED, planned[i], five, 0, 100, 10, 150, 95);
  for (size_t i = 0; i < COUNT(unseen); i++) STARTS(COUNTED, unseen[i], five, 0, 210, 10, 90, 100);
}

/* By a clock: at 30 task 3 would run into task 2's [100, 150), and follows it, beside task 4. A plan is kept
 * at its time, between ticks; task 5 is seen at 100, and at 150 tasks 3 and 4 take all until 230. That task 2
 * may start at 60 is no tick. */
static void test_a_clock_does_not_tick_for_it(void **state)
{
  (void)state;
  STARTS(COUNTED, "policy: conservative\narchitecture: {use: monolithic, call: period, period: 30s}", five, 0,
         100, 150, 150, 230);
}

/* The same on hosts of four cores: a plan names hosts. Here task 2 wants both hosts whole; task 1 has two
 * cores of the first, tasks 3 and 4 three cores each, which the second alone has. */
static void test_hosts_are_promised_ahead(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 2}}\n"
      "- {id: 2, submit_time: 0, schedule_after: 60, delay: 50, limit: 50, resources: {nodes_count: 2}}\n"
      "- {id: 3, submit_time: 10, delay: 80, limit: 80, resources: {cpu_per_node: 3}}\n"
      "- {id: 4, submit_time: 10, delay: 120, limit: 120, resources: {cpu_per_node: 3}}\n"
      "- {id: 5, submit_time: 95, delay: 5, limit: 5, resources: {cpu_per_node: 1}}\n";
#define TWO HOSTS "cell: {use: hosts, classes: [{name: h, count: 2, cpus: 4}]}\n"
  (void)state;
  STARTS(TWO, "policy: conservative", tasks, 0, 100, 10, 150, 95);
  STARTS(TWO, "policy: {select: {use: slack, factor: 0}}", tasks, 0, 100, 10, 150, 95);
  STARTS(TWO, "policy: {select: {use: easy, ahead: true}}", tasks, 0, 100, 10, 150, 95);
  STARTS(TWO, "policy: {select: {use: easy, ahead: true, reserve: hosts}}", tasks, 0, 100, 10, 150, 95);
  STARTS(TWO, "policy: {select: {use: conservative, ahead: false}}", tasks, 0, 210, 10, 90, 95);
}

/* Hosts that are promised are free until the promise begins, so that no task can be made to end before it. */
static void test_strict_and_ahead_are_refused_on_hosts(void **state)
{
  bench b;
  (void)state;
  assert_int_equal(
      try_text_with(&b, TWO "policy: {select: {use: easy, ahead: true, window: strict}}\n", "[]", NULL),
      HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "leave out `window: strict`, or `ahead`"));
  end(&b);
}

/* EASY's one promise stays with the first that may start. Four processors, of which task 1 has three until
 * 100. Task 2 may not start before 1000, and is promised [1000, 1010) of all four. Task 3 is the head: four
 * processors at 100. Task 4, one processor for 150 s, would delay that, though not task 2, and starts at 110
 * when task 3 is through: were task 2 the head, it would have started at 10 and task 3 at 160. Task 5 ends by
 * 100, and starts. Task 6 would run into task 2. */
static void test_the_head_is_the_first_that_may_start(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 3}}\n"
      "- {id: 2, submit_time: 5, schedule_after: 1000, delay: 10, limit: 10, resources: {cpu_per_node: 4}}\n"
      "- {id: 3, submit_time: 6, delay: 10, limit: 10, resources: {cpu_per_node: 4}}\n"
      "- {id: 4, submit_time: 10, delay: 150, limit: 150, resources: {cpu_per_node: 1}}\n"
      "- {id: 5, submit_time: 20, delay: 80, limit: 80, resources: {cpu_per_node: 1}}\n"
      "- {id: 6, submit_time: 950, delay: 51, limit: 51, resources: {cpu_per_node: 1}}\n";
  (void)state;
  STARTS(COUNTED, "policy: {select: {use: easy, ahead: true}}", tasks, 0, 1000, 100, 110, 20, 1010);
  STARTS(COUNTED, "policy: easy", tasks, 0, 1001, 100, 110, 20, 950);
}

/* A policy that plans no task ahead is not stopped by one that may not start yet. */
static void test_others_hold_it_out_of_sight(void **state)
{
  (void)state;
  /* At 90 and 95 the head is task 4; at 210 task 2 is, and task 5 behind it. */
  STARTS(COUNTED, "policy: {select: blocking}", five, 0, 210, 10, 90, 260);
  STARTS(COUNTED, "policy: {select: scan}", five, 0, 210, 10, 90, 100);
}

/* ---- with all that may happen to it ---- */

/* Task 2 waits for task 1, and for 60: the later of both. While task 1 runs no policy sees it, so that task 3
 * is promised [50, 150); at 30 it is seen, and follows at 150 though it was submitted first; with
 * `schedule_after` past that it waits until then. */
static void test_predecessors_come_first(void **state)
{
#define PAIR(begin) \
  "- {id: 1, submit_time: 0, collection_id: 1, delay: 30, limit: 50, resources: {cpu_per_node: 4}}\n" \
  "- {id: 2, submit_time: 0, collection_id: 1, start_after: [1], schedule_after: " begin \
  ", delay: 40, limit: 40, resources: {cpu_per_node: 4}}\n" \
  "- {id: 3, submit_time: 10, delay: 100, limit: 100, resources: {cpu_per_node: 4}}\n"
  (void)state;
  /* Task 1 ends early, and all is planned anew in the order of submission: task 2 could have [60, 100), task
   * 3 comes after it. With `compress`, task 3 moves to 30 before task 2 is seen, for it keeps its place in
   * the plan. */
  STARTS(COUNTED, "policy: conservative", PAIR("60"), 0, 60, 100);
  STARTS(COUNTED, "policy: {select: {use: conservative, ahead: false}}", PAIR("60"), 0, 130, 30);
  STARTS(COUNTED, "policy: conservative", PAIR("20"), 0, 30, 70);
  STARTS(COUNTED, "policy: conservative", PAIR("170"), 0, 170, 30);
}

/* Task 2 may start from 60 on, is promised [60, 160) of all processors, and is taken away at 20. Task 3,
 * which does not fit before it, was promised what follows, and keeps that, since no task ended early; task 4
 * finds the time free when it comes at 25.
 * EASY makes its plan anew at each decision: task 3 starts at 20. Task 5 is to be there until 400 and would
 * start at 500: it never does. */
static void test_it_may_be_cancelled_before_its_time(void **state)
{
  static const char tasks[] = "id,submit,end,run,limit,procs,status,begin\n"
                              "1,0,,10,10,1,completed,\n"
                              "2,0,20,-1,100,4,cancelled,60\n"
                              "3,5,,90,90,4,completed,\n"
                              "4,25,,50,50,4,completed,30\n"
                              "5,30,400,-1,10,4,cancelled,500\n";
  bench b;
  (void)state;
  STARTS(TABLE, "cancelled: withdraw\npolicy: conservative", tasks, 0, NEVER_STARTED, 160, 30, NEVER_STARTED);
  STARTS(TABLE, "cancelled: withdraw\npolicy: {select: {use: easy, ahead: true}}", tasks, 0, NEVER_STARTED,
         20, 110, NEVER_STARTED);
  begin_text(&b, TABLE "cancelled: withdraw\npolicy: conservative\n", tasks, NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_WITHDRAWN);
  assert_int_equal(end_of(&b, 2), 20);
  assert_int_equal(end_of(&b, 5), 400);
  end(&b);
}

/* What stops early lets a plan be better, but never earlier than it may: task 1 asked for 200 s and runs
 * 20. */
static void test_an_early_end_moves_it_to_its_time(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 20, limit: 200, resources: {cpu_per_node: 4}}\n"
      "- {id: 2, submit_time: 0, schedule_after: 60, delay: 9, limit: 10, resources: {cpu_per_node: 4}}\n"
      "- {id: 3, submit_time: 1, delay: 50, limit: 40, resources: {cpu_per_node: 4}}\n";
  (void)state;
  /* Task 3 fits before it: [20, 60), when its limit ends it. */
  STARTS(COUNTED, "policy: conservative", tasks, 0, 60, 20);
  STARTS(COUNTED, "policy: {select: {use: conservative, replan: compress}}", tasks, 0, 60, 20);
  /* Nothing moves: at 200 and after it, as planned. */
  STARTS(COUNTED, "policy: {select: {use: conservative, replan: none}}", tasks, 0, 200, 210);
}

/* ---- what a policy sees ---- */

static uint32_t ahead(const void *options)
{
  (void)options;
  return HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_PLANS_AHEAD;
}

#define S HC_SECOND

/* Task 2 may start from 60 on. Task 1 has one processor of four until 100. */
static hc_rc looks(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_time now = s->now(v);
  const hc_task t = s->find(v, 1);
  hc_task blocked;
  if (t == HC_NO_TASK || !s->waits(v, t)) return s->start_heads(p, &blocked);
  assert_true(s->not_before(v, t) == 60 * S);
  assert_true(why->bits & HC_WHY_ARRIVAL);
  if (now < 60 * S) {
    assert_true(now == 0); /* and the policy is not called before 60, since nothing happens */
    assert_false(s->fits(v, t));
    assert_false(s->harmless(v, t));
    assert_false(s->fits_without(v, t, 0, NULL, 0));
    assert_int_equal(s->start(p, t, NULL, 0), HC_EPOLICY);
    assert_int_equal(s->reserve(p, t, 60 * S - 1), HC_EPOLICY);
    assert_true(s->reserved(v, t) == HC_NEVER);
    assert_true(s->earliest(v, t, now).at == 60 * S);
    assert_true(s->earliest(v, t, 70 * S).at == 70 * S);
    assert_int_equal(s->reserve(p, t, 60 * S), 0);
    assert_int_equal(s->queued(v), 2);
    assert_int_equal(s->start_heads(p, &blocked), 0);
    assert_int_equal(blocked, t); /* all before it have started */
    assert_true(s->least_free(v, 0, 60 * S) == 3 && s->least_free(v, 0, 61 * S) == 0);
    assert_true(s->submitted(v, t) == 0);
    return 0;
  }
  assert_true(now == 60 * S && s->reserved(v, t) == now && s->fits(v, t) && s->earliest(v, t, now).at == now);
  return s->start(p, t, NULL, 0);
}

static const hc_policy_type looks_policy = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "looks", .summary = "of a test"},
    .flags = ahead,
    .init = init,
    .decide = looks,
    .fini = fini};

/* The same policy, where tasks are not let into the queue before their time: it must not see task 2 until
 * 60. */
static hc_rc sees_late(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_task blocked;
  (void)why;
  assert_true(s->find(v, 1) == HC_NO_TASK || !s->waits(v, s->find(v, 1)) || s->now(v) >= 60 * S);
  return s->start_heads(p, &blocked);
}

static const hc_policy_type sees_late_policy = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "sees_late",
                  .summary = "of a test"},
    .init = init,
    .decide = sees_late,
    .fini = fini};

static const hc_component *const own[] = {&looks_policy.component, &sees_late_policy.component, NULL};

static const char two[] =
    "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 1}}\n"
    "- {id: 2, submit_time: 0, schedule_after: 60, delay: 50, limit: 50, resources: {cpu_per_node: 3}}\n";

static void test_what_a_policy_sees(void **state)
{
  static const char *const words[] = {"looks", "sees_late"};
  (void)state;
  for (size_t i = 0; i < COUNT(words); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml, COUNTED "policy: %s\n", words[i]);
    begin_text(&b, yaml, two, own);
    finish(&b);
    assert_all_start(&b, yaml, (const int64_t[]){0, 60}, 2);
    end(&b);
  }
}

/* ---- what observers see ---- */

/* To those who observe the run task 2 queues at 60, seen ahead or not. In both schedules the queue then
 * holds: tasks 4 and 5 and 2 (see above). Seen: 2 during [60, 100), 4 during [10, 150), no other: (40 +
 * 140) / 270 tasks, of which 4 x 40 + 2 x 140 processors. ready_wait: 40, 140 and three times 0 in the mean
 * of five; wait: 100, 140 and 0. The run is 270 s long. */
static void test_figures_count_from_its_time(void **state)
{
  bench b;
  (void)state;
  begin_text(&b,
             "source: {use: native, file: FILE}\nmetrics: [queue, ready_wait, wait, tasks]\nparanoid: true\n"
             "cell: {use: count, procs: 4}\npolicy: conservative\n",
             five, NULL);
  finish_in_pieces(&b, 2);
  assert_true(figure(&b, "queue_mean") == 180.0 / 270);
  assert_true(figure(&b, "queue_max") == 2);
  assert_true(figure(&b, "queue_units_mean") == (4.0 * 40 + 2 * 140) / 270);
  assert_true(figure(&b, "ready_wait_mean") == 180.0 / 5);
  assert_true(figure(&b, "wait_mean") == 240.0 / 5);
  /* Task 5 passed task 4. Task 3 passed only one that might not start. */
  assert_true(figure(&b, "tasks_backfilled") == 1);
  assert_int_equal(counted(&b, "hindcast", "held_back"), 0);
  end(&b);
}

/* tang: idle processors count while the smallest waiting task would fit. Task 2 wants one and may start from
 * 50 on, which it does; no queued task fits before, since none is queued. Task 3 wants four while task 1 has
 * one: three are idle during [10, 50), two from then until 100, and it does not fit. */
static void test_losses_do_not_count_it(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 1}}\n"
      "- {id: 2, submit_time: 0, schedule_after: 50, delay: 50, limit: 50, resources: {cpu_per_node: 1}}\n"
      "- {id: 3, submit_time: 10, delay: 100, limit: 100, resources: {cpu_per_node: 4}}\n";
  bench b;
  (void)state;
  begin_text(&b,
             "source: {use: native, file: FILE}\nmetrics: [capacity_loss]\nparanoid: true\n"
             "cell: {use: count, procs: 4}\npolicy: conservative\n",
             tasks, NULL);
  finish(&b);
  assert_all_start(&b, "capacity_loss", (const int64_t[]){0, 50, 100}, 3);
  assert_true(figure(&b, "capacity_loss_tang") == 0);
  assert_true(figure(&b, "capacity_loss_zhang") == (3.0 * 40 + 2 * 50) / (4 * 200));
  end(&b);
}

/* ---- what it cannot be combined with ---- */

/* EASY with `ahead` promises hosts as the planners do, and is refused where they are. */
static void test_what_is_refused(void **state)
{
  bench b;
  (void)state;
  assert_int_equal(try_text_with(&b,
                            HOSTS "cell: {use: intervals, procs: 4}\n"
                                  "policy: {select: {use: easy, ahead: true}, place: contiguous}\n",
                            two, NULL),
                   HC_EUNSUPPORTED);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_task_seen_ahead_moves_others),
      cmocka_unit_test(test_a_clock_does_not_tick_for_it),
      cmocka_unit_test(test_hosts_are_promised_ahead),
      cmocka_unit_test(test_strict_and_ahead_are_refused_on_hosts),
      cmocka_unit_test(test_the_head_is_the_first_that_may_start),
      cmocka_unit_test(test_others_hold_it_out_of_sight),
      cmocka_unit_test(test_predecessors_come_first),
      cmocka_unit_test(test_it_may_be_cancelled_before_its_time),
      cmocka_unit_test(test_an_early_end_moves_it_to_its_time),
      cmocka_unit_test(test_what_a_policy_sees),
      cmocka_unit_test(test_figures_count_from_its_time),
      cmocka_unit_test(test_losses_do_not_count_it),
      cmocka_unit_test(test_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
