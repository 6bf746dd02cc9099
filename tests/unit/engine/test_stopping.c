/* test_stopping.c -- running tasks that a policy of the test's own stops: what they do again, what they have
 * saved, who hears of it.
 *
 * The policy starts whatever fits, in order. If the newest task that waits does not fit, and is newer than
 * those that run, they are stopped for it, as `stopping` says. */
#include "engine_test.h"
#include "own_policy.h"

static hc_stopping stopping;
static hc_time heard_leave; /* of the first running task, at the last decision */

static uint32_t may_preempt(const void *options)
{
  (void)options;
  return HC_MAY_PREEMPT | HC_NEEDS_TIMELINE;
}

static hc_rc newest_first(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_task t, last = HC_NO_TASK;
  const hc_task *running;
  hc_cursor at = {0};
  size_t n;
  (void)why;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    last = t;
    if (s->fits(v, t) && s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
  }
  if (last == HC_NO_TASK || !s->waits(v, last)) return 0;
  n = s->running(v, &running);
  for (size_t i = 0; i < n; i++)
    if (s->serial(v, running[i]) > s->serial(v, last) || s->leaves(v, running[i]) == HC_UNKNOWN)
      return 0;                                                    /* newer, or started by this very plan */
  if (!s->fits_without(v, last, 0, running, n)) return HC_EPOLICY; /* on an idle cell everything does */
  assert_int_equal(s->fits(v, last), 0);                           /* and nothing was changed by asking */
  for (size_t i = 0; i < n; i++) {
    const bool told = s->leaves(v, running[i]) != HC_NEVER;
    const hc_rc rc = s->stop(p, running[i], &stopping);
    if (rc != (told && stopping.grace > 0 ? HC_EPOLICY : 0)) return HC_EPOLICY;
  }
  if (n > 0) heard_leave = s->leaves(v, running[0]);
  return stopping.grace > 0 ? 0 : s->start(p, last, NULL, 0);
}

static const hc_policy_type newest_policy = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                           .name = "newest", .summary = "of a test"},
                                             .flags = may_preempt,
                                             .init = init,
                                             .decide = newest_first,
                                             .fini = fini};

static const hc_component *const own[] = {&newest_policy.component, NULL};

static const char *const cells[] = {
    "policy: newest\nparanoid: true\n", "policy: newest\nparanoid: true\ncell: {use: intervals, procs: 4}\n",
    "policy: newest\nparanoid: true\ncell: {use: hosts, classes: [{name: a, cpus: 4}]}\n"};

/* Starts and ends in seconds, on cells of all three kinds. */
static void assert_jobs(const char *more, const job *jobs, size_t count, const int64_t (*times)[2])
{
  for (size_t k = 0; k < COUNT(cells); k++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "%s%s", cells[k], more);
    begin(&b, yaml, 4, jobs, count, own);
    finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s: task %zu: %" PRId64 " to %" PRId64, yaml, i + 1, start_of(&b, (int64_t)i + 1),
                 end_of(&b, (int64_t)i + 1));
    end(&b);
  }
}
#define JOBS(more, jobs, ...) assert_jobs(more, jobs, COUNT(jobs), (const int64_t[][2]){__VA_ARGS__})

/* 1 runs from 0, is stopped at 3 for 2, and again at 12 for 3. */
static const job three[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5), J(3, 12, 2, 4, 2)};

/* Anew each time: 8 to 12 is lost too; from 14 for 10 s. */
static void test_requeue(void **state)
{
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_REQUEUE};
  JOBS("", three, {14, 24}, {3, 8}, {12, 14});
}

/* It has done 3 s, then 4: 3 are left at 14. */
static void test_checkpoint(void **state)
{
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT};
  JOBS("", three, {14, 17}, {3, 8}, {12, 14});
}

/* Every 2 s of work: 2 are saved at 3; then it starts again with 1 s of overhead, so from 8 to 12 it does 3
 * s, of which 2 are saved: 6 are left and 1 of overhead. */
static void test_checkpoint_every(void **state)
{
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT, .every = 2 * HC_SECOND, .overhead = HC_SECOND};
  JOBS("", three, {14, 21}, {3, 8}, {12, 14});
}

/* Stopped within its overhead it has done nothing, and starts again with all of it: 10 - 3 + 1 = 8 s from 9..
 */
static void test_stopped_while_it_starts_again(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5), J(3, 9, 2, 4, 2)};
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT, .overhead = 2 * HC_SECOND};
  JOBS("", jobs, {11, 20}, {3, 8}, {9, 11}); /* 8 to 9: one of the two seconds of overhead; 7 left and 2 */
}

/* What is left is believed too: 1 has 7 s left at 8, and a task of 3 s behind it is promised 15. */
static void test_limits_shrink(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 12), J(2, 3, 5, 4, 5)};
  bench b;
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT};
  begin(&b, cells[0], 4, jobs, COUNT(jobs), own);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 15);
  assert_true(record_of(&b, 1)->run == 10 * HC_SECOND); /* in its record nothing has shrunk */
  assert_true(record_of(&b, 1)->estimate == 12 * HC_SECOND);
  assert_true(record_of(&b, 1)->flags & HC_TASK_PREEMPTED);
  assert_false(record_of(&b, 2)->flags & HC_TASK_PREEMPTED);
  end(&b);
}

/* 2 comes at 3; 1 is told, and runs on until 7 (grace of 4 s); then 2 has the cell. A grace of 8 s: 1 ends by
 * itself at 10. */
static void test_grace(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5)};
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_REQUEUE, .grace = 4 * HC_SECOND};
  JOBS("", jobs, {7, 17}, {17, 22}); /* at 7 the policy starts in order: 1 first */
  stopping.how = HC_STOP_KILL;
  JOBS("", jobs, {0, 7}, {7, 12});
  stopping.grace = 8 * HC_SECOND;
  JOBS("", jobs, {0, 10}, {10, 15});
  assert_true(heard_leave == 11 * HC_SECOND);
  stopping.grace = 7 * HC_SECOND; /* both at 10: its end comes first */
  JOBS("", jobs, {0, 10}, {10, 15});
}

static void test_kill(void **state)
{
  bench b;
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_KILL};
  JOBS("", three, {0, 3}, {3, 8}, {12, 14});
  begin(&b, cells[2], 4, three, COUNT(three), own);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  assert_int_equal(counted(&b, "hindcast", "preempt_killed"), 1);
  end(&b);
}

/* On a host of speed 2 a task of 20 s takes 10. At 3 it has done 6: 14 are left, 7 s from 8 on. */
static void test_speed(void **state)
{
  static const job jobs[] = {J(1, 0, 20, 4, 20), J(2, 3, 10, 4, 10)};
  bench b;
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT};
  begin(&b, "policy: newest\nparanoid: true\ncell: {use: hosts, classes: [{name: a, cpus: 4, speed: 2}]}\n",
        4, jobs, COUNT(jobs), own);
  finish(&b);
  assert_int_equal(end_of(&b, 2), 8);
  assert_int_equal(end_of(&b, 1), 15);
  assert_true(record_of(&b, 1)->run == 10 * HC_SECOND);
  end(&b);
}

/* 3 follows 1 in a closed loop, 2 s after it; 1 is stopped at 3 and ends at 18, or is killed at 3. A task
 * that was stopped and starts again does so once for those who count starts. */
static void test_closed_loop(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5),
                             J_WITH(3, 4, 1, 4, 1, .after = 1, .think = 2)};
  bench b;
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_REQUEUE};
  begin(&b, "policy: newest\nsource: {use: swf, file: FILE, follow: think_time}\n", 4, jobs, COUNT(jobs),
        own);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 18);
  assert_int_equal(start_of(&b, 3), 20);
  end(&b);
}

/* Task 3 starts after task 1 has begun, which has begun twice; and 4 only when 1 has ended. */
static void test_dependents(void **state)
{
  static const char *const tasks = "id,at,run,cpu,after\n1,0,10,4,\n2,3,5,4,\n3,4,1,4,1\n4,4,1,4,3\n";
  bench b;
  (void)state;
  memset(&b, 0, sizeof b);
  write_log(b.path, tasks, strlen(tasks));
  stopping = (hc_stopping){.how = HC_STOP_REQUEUE};
  check(&b,
        configure(
            &b, hc_default_allocator(),
            "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, after: after}\npolicy: "
            "newest\nparanoid: true\nmetrics: []\ncell: {use: hosts, classes: [{name: a, cpus: 4}]}\n",
            own));
  check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  assert_int_equal(end_of(&b, 1), 18);
  assert_int_equal(start_of(&b, 3), 18);
  assert_int_equal(start_of(&b, 4), 19);
  end(&b);
}

/* A plan that is thought about for 2 s: at 3 it is decided that 1 goes; at 5 it does, and 2 starts. With a
 * grace of 4 s from 3 on, 1 goes at 7, and at 9 the next plan starts it again. If 1 has ended by itself (run
 * 4), that is a conflict and no more. */
static void test_thought(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5)},
                   brief[] = {J(1, 0, 2, 4, 2), J(2, 3, 5, 4, 5)};
  const char *think = "architecture: {use: monolithic, think: 2s}\n";
  (void)state;
  stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT};
  JOBS(think, jobs, {12, 19},
       {5, 10}); /* 1 starts at 2, has done 3 at 5; at 10 it is decided that it starts at 12 */
  stopping.grace = 4 * HC_SECOND;
  JOBS(think, jobs, {9, 14}, {16, 21}); /* 1 has done 5 at 7; 5 are left at 9 */
  JOBS(think, brief, {2, 4},
       {7, 12}); /* at 3 told; it ends at 4, before that is carried out: decided again at 5 */
}

/* Saved and restored with a grace under way, and with work saved. */
static void test_snapshot(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    bench b;
    stopping = (hc_stopping){.how = HC_STOP_CHECKPOINT, .grace = k * 2 * HC_SECOND, .overhead = HC_SECOND};
    begin(&b, cells[k * 2], 4, three, COUNT(three), own);
    finish_in_pieces(&b, 1);
    if (k == 0)
      assert_int_equal(end_of(&b, 1),
                       19); /* 3 saved, then 3 of 4 with the overhead: 4 left and 1, from 14 on */
    assert_int_equal(b.count, 3);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_requeue),
      cmocka_unit_test(test_checkpoint),
      cmocka_unit_test(test_checkpoint_every),
      cmocka_unit_test(test_stopped_while_it_starts_again),
      cmocka_unit_test(test_limits_shrink),
      cmocka_unit_test(test_grace),
      cmocka_unit_test(test_kill),
      cmocka_unit_test(test_speed),
      cmocka_unit_test(test_closed_loop),
      cmocka_unit_test(test_dependents),
      cmocka_unit_test(test_thought),
      cmocka_unit_test(test_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
