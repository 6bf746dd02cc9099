/* test_verify.c -- schedules made by hand, right and wrong, with the arithmetic that decides. Times are
 * seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/parts.h"

typedef struct heard {
  int count;
  hc_violation all[16];
} heard;

static void hear(void *ctx, const hc_violation *v)
{
  heard *h = ctx;
  if (h->count < 16) h->all[h->count] = *v;
  h->count++;
}

static hc_task_record task(int64_t id, int64_t submit, int64_t start, int64_t end, int64_t units,
                           int64_t estimate, int64_t run)
{
  return (hc_task_record){.serial = id - 1,
                          .id = id,
                          .submit = submit * HC_SECOND,
                          .start = start * HC_SECOND,
                          .end = end * HC_SECOND,
                          .units = units,
                          .limit = estimate * HC_SECOND,
                          .estimate = estimate * HC_SECOND,
                          .run = run * HC_SECOND,
                          .final = HC_FINAL_COMPLETED};
}

static heard check(hc_promise promise, int64_t capacity, const hc_task_record *t, size_t n)
{
  const hc_verify_options o = {.capacity = capacity, .promise = promise, .honours_run = true};
  hc_verify_report report = {0};
  heard h = {0};
  hc_rc rc = hc_verify(hc_default_allocator(), &o, t, n, hear, &h, &report);
  assert_int_equal(rc, h.count ? HC_EREFUTED : 0);
  assert_int_equal(report.violations, h.count);
  assert_int_equal(report.tasks, n);
  return h;
}

static void assert_found(const heard *h, int i, const char *rule, int64_t id, int64_t at)
{
  assert_true(i < h->count);
  assert_string_equal(h->all[i].rule, rule);
  assert_int_equal(h->all[i].id, id);
  assert_int_equal(h->all[i].at, at * HC_SECOND);
}

/* ---- what every schedule must keep ---- */

static void test_empty(void **state)
{
  (void)state;
  assert_int_equal(check(HC_PROMISE_EASY, 4, NULL, 0).count, 0); /* nothing breaks nothing */
}

static void test_general_rules(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 10, 3, 10, 10),  task(2, 5, 4, 6, 1, 2, 2), /* starts at 4, submitted at 5 */
      task(3, 0, 10, 19, 1, 10, 10),                            /* runs for 9, should for 10 */
      task(4, 0, 10, 30, 0, 20, 20),                            /* on no processors */
      task(5, 0, 50, 40, 1, 20, 20),                            /* backwards */
      task(6, 0, 60, 70, 1, 10, 99),                            /* killed at its limit of 10: right */
      task(7, 0, 60, 70, 1, 20, 99),                            /* killed before its limit */
  };
  heard h;
  (void)state;
  t[5].final = t[6].final = HC_FINAL_KILLED;
  h = check(HC_PROMISE_NONE, 4, t, 7);
  assert_int_equal(h.count, 5);
  assert_found(&h, 0, "before_submission", 2, 4);
  assert_found(&h, 1, "run_time", 3, 10);
  assert_found(&h, 2, "capacity", 4, 10);
  assert_found(&h, 3, "run_time", 5, 50);
  assert_found(&h, 4, "run_time", 7, 60);
}

static void test_capacity(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 10, 3, 10, 10), task(2, 0, 10, 20, 4, 10, 10), /* what ends at 10 is free at 10 */
      task(3, 0, 19, 25, 1, 6, 6),                                 /* 4 + 1 > 4 at 19 */
      task(4, 0, 25, 25, 4, 5, 0), /* of no length: fits beside nothing else that lasts */
      task(5, 0, 25, 25, 4, 5, 0), /* and another, one after the other */
      task(6, 0, 25, 30, 4, 5, 5),
  };
  heard h = check(HC_PROMISE_NONE, 4, t, 6);
  (void)state;
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "capacity", 3, 19);
}

static void test_unfinished_tasks(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 0, 3, 10, 10), /* still running when the run ended */
      task(2, 0, 0, 0, 1, 10, 10), /* refused */
      task(3, 1, 5, 9, 2, 4, 4),   /* 3 + 2 > 4: the running one holds on for ever */
  };
  heard h;
  (void)state;
  t[0].end = HC_UNKNOWN, t[0].final = HC_FINAL_RUNNING;
  t[1].start = t[1].end = HC_UNKNOWN, t[1].final = HC_FINAL_REJECTED;
  h = check(HC_PROMISE_NONE, 4, t, 3);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "capacity", 3, 5);
  t[1].final = HC_FINAL_COMPLETED; /* completed, without times */
  h = check(HC_PROMISE_NONE, 4, t, 2);
  assert_int_equal(h.count, 1);
  assert_string_equal(h.all[0].rule, "run_time");
}

/* ---- tasks that start together ---- */

static heard check_together(const hc_verify_component *all, size_t count, const hc_task_record *t, size_t n)
{
  const hc_verify_components given = {all, count};
  const hc_verify_options o = {.capacity = 8, .honours_run = true, .components = &given};
  heard h = {0};
  const hc_rc rc = hc_verify(hc_default_allocator(), &o, t, n, hear, &h, NULL);
  assert_int_equal(rc, h.count ? HC_EREFUTED : 0);
  return h;
}

/* Tasks 1 to 3 are of job 7, 4 and 5 of job 8. Task 2 starts 5 s later than task 1, and task 3 was withdrawn
 * before; of job 8 one waits to the end. */
static void test_components_that_start_apart(void **state)
{
  const hc_verify_component all[] = {{4, 8}, {0, 7}, {1, 7}, {2, 7}, {3, 8}, {99, 8}};
  hc_task_record t[] = {task(1, 0, 20, 30, 1, 10, 10), task(2, 0, 25, 35, 1, 10, 10),
                        task(3, 0, 0, 0, 1, 10, 10), task(4, 0, 40, 50, 1, 10, 10),
                        task(5, 0, 0, 0, 1, 10, 10)};
  heard h;
  (void)state;
  t[2].start = HC_UNKNOWN, t[2].end = 10 * HC_SECOND, t[2].final = HC_FINAL_WITHDRAWN;
  t[4].start = t[4].end = HC_UNKNOWN, t[4].final = HC_FINAL_WAITING;
  h = check_together(all, 6, t, 5);
  assert_int_equal(h.count, 2);
  assert_found(&h, 0, "together", 2, 20);
  assert_string_equal(h.all[0].text, "does not start at 20 s, when task 1 does, a component of the same job");
  assert_found(&h, 1, "together", 5, 40);
  t[1] = task(2, 0, 20, 30, 1, 10, 10);
  t[4] = task(5, 0, 40, 50, 1, 10, 10);
  assert_int_equal(check_together(all, 6, t, 5).count, 0);
  t[2].end = 21 * HC_SECOND; /* it was there when the others started */
  assert_int_equal(check_together(all, 6, t, 5).count, 1);
}

/* ---- times before which tasks may not start ---- */

static heard check_times(hc_promise promise, const hc_verify_time *times, size_t time_count,
                         const hc_verify_stops *stops, const hc_task_record *t, size_t n)
{
  const hc_verify_times given = {times, time_count};
  const hc_verify_options o = {
      .capacity = 4, .promise = promise, .honours_run = true, .stops = stops, .times = &given};
  heard h = {0};
  hc_rc rc = hc_verify(hc_default_allocator(), &o, t, n, hear, &h, NULL);
  assert_int_equal(rc, h.count ? HC_EREFUTED : 0);
  return h;
}

/* Serials are one less than the numbers of the tasks. What is said of a task that is not there is of no
 * matter. */
static void test_nobody_starts_before_its_time(void **state)
{
  const hc_verify_time times[] = {
      {98, 5 * HC_SECOND}, {2, 60 * HC_SECOND}, {1, 60 * HC_SECOND}, {3, 70 * HC_SECOND}};
  hc_task_record t[] = {
      task(1, 0, 0, 10, 1, 10, 10), task(2, 0, 60, 70, 1, 10, 10), /* at its time */
      task(3, 0, 59, 69, 1, 10, 10),                               /* a second before it */
      task(4, 0, 0, 0, 1, 10, 10),                                 /* never */
  };
  heard h;
  (void)state;
  t[3].start = t[3].end = HC_UNKNOWN, t[3].final = HC_FINAL_WAITING;
  h = check_times(HC_PROMISE_NONE, times, 4, NULL, t, 4);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "before_time", 3, 59);
  assert_string_equal(h.all[0].text, "starts before 60 s, when it may by its trace");
  assert_int_equal(check_times(HC_PROMISE_NONE, times, 0, NULL, t, 4).count, 0);
}

/* An attempt that was stopped has its task's time: it ran [50, 55), and what its row says is the second
 * one. */
static void test_a_stopped_attempt_has_its_tasks_time(void **state)
{
  const hc_verify_time time = {0, 60 * HC_SECOND};
  const hc_verify_stop stop = {.start = 50 * HC_SECOND, .end = 55 * HC_SECOND};
  const hc_verify_stops stops = {.stops = &stop, .count = 1};
  hc_task_record t[] = {task(1, 0, 60, 70, 1, 10, 10)};
  heard h;
  (void)state;
  t[0].flags = HC_TASK_PREEMPTED;
  h = check_times(HC_PROMISE_NONE, &time, 1, &stops, t, 1);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "before_time", 1, 50);
  assert_int_equal(h.all[0].serial, 0);
}

/* The five tasks of tests/unit/engine/test_deferred.c, of which the second may start from 60 on. Planned as
 * they came the second has [100, 150). Where it was unknown before 60 the fourth is in its way until 210:
 * what conservative backfilling promises, if it sees the task at its submission, is broken. And on an empty
 * machine a task that may not start before 60 has been planned for that, not for its submission. */
static void test_conservative_plans_for_a_time(void **state)
{
  const hc_verify_time times[] = {{1, 60 * HC_SECOND}};
  hc_task_record seen[] = {task(1, 0, 0, 100, 2, 100, 100), task(2, 0, 100, 150, 4, 50, 50),
                           task(3, 10, 10, 90, 2, 80, 80), task(4, 10, 150, 270, 2, 120, 120),
                           task(5, 95, 95, 100, 1, 5, 5)};
  hc_task_record unseen[] = {task(1, 0, 0, 100, 2, 100, 100), task(2, 0, 210, 260, 4, 50, 50),
                             task(3, 10, 10, 90, 2, 80, 80), task(4, 10, 90, 210, 2, 120, 120),
                             task(5, 95, 100, 105, 1, 5, 5)};
  hc_task_record alone[] = {task(2, 0, 60, 70, 4, 10, 10)};
  heard h;
  (void)state;
  assert_int_equal(check_times(HC_PROMISE_CONSERVATIVE, times, 1, NULL, seen, 5).count, 0);
  h = check_times(HC_PROMISE_CONSERVATIVE, times, 1, NULL, unseen, 5);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "promise", 2, 210);
  assert_int_equal(check_times(HC_PROMISE_CONSERVATIVE, times, 1, NULL, alone, 1).count, 0);
  h = check_times(HC_PROMISE_CONSERVATIVE, times, 0, NULL, alone, 1);
  assert_found(&h, 0, "promise", 2, 60);
}

/* ---- FCFS ---- */

static void test_fcfs(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 10, 3, 10, 10),
      task(2, 1, 10, 20, 4, 10, 10),
      task(3, 2, 2, 5, 1, 3, 3), /* passes task 2 */
      task(4, 3, 20, 21, 1, 1, 1),
  };
  heard h;
  (void)state;
  h = check(HC_PROMISE_FCFS, 4, t, 4);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "order", 3, 2);
  t[1].start = HC_UNKNOWN, t[1].end = 2 * HC_SECOND,
  t[1].final = HC_FINAL_WITHDRAWN; /* left at 2: it may go on */
  assert_int_equal(check(HC_PROMISE_FCFS, 4, t, 4).count, 0);
  t[1].end = HC_UNKNOWN, t[1].final = HC_FINAL_WAITING; /* never started: no task behind it may */
  h = check(HC_PROMISE_FCFS, 4, t, 4);
  assert_int_equal(h.count, 2);
  assert_found(&h, 0, "order", 3, 2);
  assert_found(&h, 1, "order", 4, 20);
}

/* ---- EASY ---- */

/* Four processors. Task 1 holds 3 until 100. At 1 task 2 wants 4: its reservation is 100, 4 - 4 = 0 are to
 * spare. At 2 task 3 (1 processor, 1000 s) starts: it ends at 1002 > 100 and takes 1 > 0. Task 2 starts at
 * 1002 > 100. */
static void test_easy_broken_reservation(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 100, 3, 100, 100),
      task(2, 1, 1002, 1102, 4, 100, 100),
      task(3, 2, 2, 1002, 1, 1000, 1000),
  };
  hc_task_record right[] = {
      task(1, 0, 0, 100, 3, 100, 100),
      task(2, 1, 100, 200, 4, 100, 100),
      task(3, 2, 200, 1200, 1, 1000, 1000),
  };
  heard h;
  (void)state;
  h = check(HC_PROMISE_EASY, 4, t, 3);
  assert_int_equal(h.count, 2);
  assert_found(&h, 0, "reservation", 3, 2);
  assert_found(&h, 1, "reservation", 2, 1002);
  assert_non_null(strstr(h.all[1].text, "100 s"));
  assert_int_equal(check(HC_PROMISE_EASY, 4, right, 3).count, 0);
}

/* Task 1 (3 of 4, believed to take 1000) ends at 10. Task 2 (4 processors), reserved for 1000 at 1, could
 * start at 10 and starts at 5000: later than either. */
static void test_easy_sticky_reservation(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 10, 3, 1000, 10),
      task(2, 1, 5000, 5100, 4, 100, 100),
      task(3, 5000, 5100, 5105, 1, 5, 5),
  };
  heard h;
  (void)state;
  h = check(HC_PROMISE_EASY, 4, t, 3);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "reservation", 2, 5000);
  t[1] = task(2, 1, 10, 110, 4, 100, 100);
  t[2] = task(3, 5000, 5000, 5005, 1, 5, 5);
  assert_int_equal(check(HC_PROMISE_EASY, 4, t, 3).count, 0);
}

/* Ten processors. Task 1 holds 6 until 100. Task 2 wants 8 at 1: reservation 100, to spare 10 - 8 = 2.
 * Task 3 (2, long) takes what is to spare; task 4 (1, until 3 + 97 = 100) ends by the reservation; task 5 (1,
 * 98 s) would end at 101, and nothing is to spare any more. */
static void test_easy_extra_processors(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 100, 6, 100, 100), task(2, 1, 100, 150, 8, 50, 50), task(3, 2, 2, 502, 2, 500, 500),
      task(4, 3, 3, 100, 1, 97, 97),   task(5, 3, 150, 248, 1, 98, 98),
  };
  heard h;
  (void)state;
  assert_int_equal(check(HC_PROMISE_EASY, 10, t, 5).count, 0);
  t[4] = task(5, 3, 3, 101, 1, 98, 98);
  h = check(HC_PROMISE_EASY, 10, t, 5);
  assert_found(&h, 0, "reservation", 5, 3);
}

/* Task 1 outlives its estimate (believed 10, runs 50): the head's reservation for 10 is no fault of the
 * policy. */
static void test_easy_outlived_estimate(void **state)
{
  const hc_task_record t[] = {
      task(1, 0, 0, 50, 4, 10, 50),
      task(2, 1, 50, 60, 4, 10, 10),
  };
  (void)state;
  assert_int_equal(check(HC_PROMISE_EASY, 4, t, 2).count, 0);
}

static void test_easy_head_never_starts(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 10, 4, 10, 10), task(2, 1, 0, 0, 4, 10, 10),
      task(3, 2, 10, 500, 1, 490, 490), /* goes first at 10, and on until 500 */
  };
  heard h;
  (void)state;
  t[1].start = t[1].end = HC_UNKNOWN, t[1].final = HC_FINAL_WAITING;
  h = check(HC_PROMISE_EASY, 4, t, 3);
  assert_int_equal(h.count, 2);
  assert_found(&h, 0, "reservation", 3, 10);
  assert_found(&h, 1, "reservation", 2, 500);
}

/* ---- a policy that changes ---- */

/* What is found of promises, where keys of the policy change at `at` and, if it promises no more, until
 * then. */
static heard check_changed(hc_promise promise, int64_t capacity, const hc_task_record *t, size_t n,
                           int64_t at, bool goes_on)
{
  const hc_time change = at * HC_SECOND;
  const hc_verify_told told = {.until = HC_NEVER,
                               .changes = &change,
                               .change_count = 1,
                               .promises_until = goes_on ? HC_NEVER : change,
                               .units_dimension = -1};
  const hc_verify_options o = {.capacity = capacity, .promise = promise, .honours_run = true, .told = &told};
  heard h = {0}, promised = {0};
  const hc_rc rc = hc_verify(hc_default_allocator(), &o, t, n, hear, &h, NULL);
  assert_true(rc == 0 || rc == HC_EREFUTED);
  for (int i = 0; i < h.count && i < 16; i++)
    if (strcmp(h.all[i].rule, "order") == 0 || strcmp(h.all[i].rule, "reservation") == 0 ||
        strcmp(h.all[i].rule, "promise") == 0)
      promised.all[promised.count++] = h.all[i];
  return promised;
}

/* Task 3 passes task 2 at 2: under another policy from 2 on it may. */
static void test_fcfs_that_ends(void **state)
{
  const hc_task_record t[] = {task(1, 0, 0, 10, 3, 10, 10), task(2, 1, 10, 20, 4, 10, 10),
                              task(3, 2, 2, 5, 1, 3, 3)};
  heard h = check_changed(HC_PROMISE_FCFS, 4, t, 3, 3, false);
  (void)state;
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "order", 3, 2);
  assert_int_equal(check_changed(HC_PROMISE_FCFS, 4, t, 3, 2, false).count, 0);
}

/* As in test_easy_broken_reservation: at 2 task 3 delays task 2, which was promised 100 and starts at 1002. A
 * change at 100 or before makes that promise void, and what passed before stays wrong; a later one comes when
 * the promise was broken. The policy of before 2 let nothing pass. */
static void test_easy_that_changes(void **state)
{
  const hc_task_record t[] = {task(1, 0, 0, 100, 3, 100, 100), task(2, 1, 1002, 1102, 4, 100, 100),
                              task(3, 2, 2, 1002, 1, 1000, 1000)};
  (void)state;
  for (int goes_on = 0; goes_on < 2; goes_on++) {
    heard h = check_changed(HC_PROMISE_EASY, 4, t, 3, 101, goes_on);
    assert_int_equal(h.count, 2);
    assert_found(&h, 0, "reservation", 3, 2);
    assert_found(&h, 1, "reservation", 2, 1002);
    h = check_changed(HC_PROMISE_EASY, 4, t, 3, 50, goes_on);
    assert_found(&h, 0, "reservation", 3, 2);
    assert_int_equal(h.count, 1); /* anew at 100: task 3 is believed to end at 1002, and that is kept */
  }
  assert_int_equal(check_changed(HC_PROMISE_EASY, 4, t, 3, 2, false).count, 0);
}

/* As in test_conservative: task 3 was planned for 150, and starts at 210. */
static void test_conservative_that_changes(void **state)
{
  const hc_task_record t[] = {
      task(1, 0, 0, 100, 6, 100, 100), task(2, 1, 100, 150, 8, 50, 50), task(3, 2, 210, 260, 6, 50, 50),
      task(4, 3, 3, 123, 2, 120, 120), task(5, 4, 150, 210, 4, 60, 60),
  };
  (void)state;
  for (int goes_on = 0; goes_on < 2; goes_on++) {
    heard h = check_changed(HC_PROMISE_CONSERVATIVE, 10, t, 5, 160, goes_on);
    assert_int_equal(h.count, 1);
    assert_found(&h, 0, "promise", 3, 210);
    assert_int_equal(check_changed(HC_PROMISE_CONSERVATIVE, 10, t, 5, 120, goes_on).count, 0);
    /* it came after the change, to the same policy or to another */
    assert_int_equal(check_changed(HC_PROMISE_CONSERVATIVE, 10, t, 5, 1, goes_on).count, goes_on ? 1 : 0);
  }
}

/* ---- conservative ---- */

/* Ten processors. Task 1 holds 6 until 100. Plans: task 2 (8) at 100 until 150; task 3 (6) at 150 until 200;
 * task 4 (2, 120 s) fits beside 6 until 100 and beside 8 until 150: at once. Task 5 (4, 60 s) arrives at 4: 2
 * are free until 100, none until 124 (8 + 2), 2 until 150, then 4 beside task 3: planned at 150. */
static void test_conservative(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 100, 6, 100, 100), task(2, 1, 100, 150, 8, 50, 50), task(3, 2, 150, 200, 6, 50, 50),
      task(4, 3, 3, 123, 2, 120, 120), task(5, 4, 150, 210, 4, 60, 60),
  };
  heard h;
  (void)state;
  assert_int_equal(check(HC_PROMISE_CONSERVATIVE, 10, t, 5).count, 0);
  t[2] = task(3, 2, 210, 260, 6, 50, 50); /* 210 > 150 */
  h = check(HC_PROMISE_CONSERVATIVE, 10, t, 5);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "promise", 3, 210);
  t[2] = task(3, 2, 150, 200, 6, 50, 50);
  t[4] = task(5, 4, 200, 260, 4, 60, 60); /* 200 > 150 */
  h = check(HC_PROMISE_CONSERVATIVE, 10, t, 5);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "promise", 5, 200);
}

/* Ten processors. Task 1 is predicted to end at 10, outlives that and ends at 50. The plan of task 2, for 10,
 * is void then, and task 3, which comes at 12, has none that is known: it may go first. Task 5 (8) comes when
 * that is over: task 4 holds 6 until 160, which is its plan. */
static void test_conservative_predicted(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 50, 10, 10, 50),     task(2, 1, 52, 55, 6, 3, 3),      task(3, 12, 50, 53, 4, 3, 3),
      task(4, 60, 60, 160, 6, 100, 100), task(5, 61, 160, 210, 8, 50, 50),
  };
  const hc_verify_options o = {.capacity = 10, .promise = HC_PROMISE_CONSERVATIVE, .honours_run = true};
  hc_verify_report report;
  heard h;
  (void)state;
  assert_int_equal(check(HC_PROMISE_CONSERVATIVE, 10, t, 5).count, 0);
  assert_int_equal(hc_verify(hc_default_allocator(), &o, t, 5, NULL, NULL, &report), 0);
  assert_int_equal(report.reservations, 4); /* of all but task 3 */
  t[4] = task(5, 61, 161, 211, 8, 50, 50);
  h = check(HC_PROMISE_CONSERVATIVE, 10, t, 5);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "promise", 5, 161);
}

/* Task 1 ends at 20 instead of 100: task 2 may move up from 100 to 20, or stay. Both keep the promise; 101
 * does not. */
static void test_conservative_early_end(void **state)
{
  hc_task_record t[] = {
      task(1, 0, 0, 20, 6, 100, 20),
      task(2, 1, 20, 70, 8, 50, 50),
  };
  heard h;
  (void)state;
  assert_int_equal(check(HC_PROMISE_CONSERVATIVE, 10, t, 2).count, 0);
  t[1] = task(2, 1, 100, 150, 8, 50, 50);
  assert_int_equal(check(HC_PROMISE_CONSERVATIVE, 10, t, 2).count, 0);
  t[1] = task(2, 1, 101, 151, 8, 50, 50);
  h = check(HC_PROMISE_CONSERVATIVE, 10, t, 2);
  assert_int_equal(h.count, 1);
  assert_found(&h, 0, "promise", 2, 101);
}

/* ---- against a slow replay: many steps, so that blocks of the profile are halved, healed and skipped ----
 * */

enum { MANY = 1500, HORIZON = 40000, MACHINE = 16 };

static void test_conservative_against_an_array(void **state)
{
  static int64_t used[HORIZON]; /* one place a second */
  hc_task_record *t = calloc(MANY, sizeof *t);
  uint64_t x = 42;
  (void)state;
  assert_non_null(t);
  memset(used, 0, sizeof used);
  for (int64_t i = 0; i < MANY; i++) { /* exact estimates: each starts at its first plan */
    int64_t submit = i * 5, s, k, units, run;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    units = (int64_t)(x % 12) + 1;
    run = (int64_t)(x >> 32) % 40 + 1;
    for (s = submit, k = 0; k < run; k++) {
      assert_true(s + k < HORIZON);
      if (used[s + k] + units > MACHINE) s = s + k + 1, k = -1;
    }
    for (k = 0; k < run; k++) used[s + k] += units;
    t[i] = task(i + 1, submit, s, s + run, units, run, run);
  }
  assert_int_equal(check(HC_PROMISE_CONSERVATIVE, MACHINE, t, MANY).count, 0);
  for (int64_t i = MANY;
       i-- > 0;) { /* the last that waited, a second later: the machine may overflow, the plan is broken */
    if (t[i].start == t[i].submit) continue;
    t[i].start += HC_SECOND, t[i].end += HC_SECOND;
    heard h = check(HC_PROMISE_CONSERVATIVE, MACHINE, t, MANY);
    bool found = false;
    for (int k = 0; k < h.count && k < 16; k++) {
      found = found || (h.all[k].id == t[i].id && strcmp(h.all[k].rule, "promise") == 0);
    }
    assert_true(found);
    break;
  }
  free(t);
}

/* ---- hostile records and little memory ---- */

static void test_hostile_records(void **state)
{
  static const int64_t odd[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  hc_task_record t[12];
  uint64_t x = 7;
  (void)state;
  for (int round = 0; round < 4000; round++) {
    for (size_t i = 0; i < 12; i++) {
      int64_t values[16];
      for (int c = 0; c < 16; c++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        values[c] = x % 3 ? (int64_t)(x >> 8) % 20 : odd[(x >> 8) % 7];
      }
      memcpy(&t[i], values, sizeof t[i]);
    }
    for (int p = HC_PROMISE_NONE; p <= HC_PROMISE_CONSERVATIVE; p++) {
      const hc_verify_options o = {.capacity = odd[round % 7], .promise = (hc_promise)p, .honours_run = true};
      hc_rc rc = hc_verify(hc_default_allocator(), &o, t, 12, NULL, NULL, NULL);
      assert_true(rc == 0 || rc == HC_EREFUTED); /* any answer, but an answer: no overflow, no stray access */
    }
  }
}

typedef struct failing {
  int left;
} failing;

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *f = ctx;
  (void)old_size;
  if (new_size == 0) {
    free(p);
    return NULL;
  }
  return f->left-- > 0 ? realloc(p, new_size) : NULL;
}

static void test_out_of_memory(void **state)
{
  const hc_task_record t[] = {
      task(1, 0, 0, 100, 3, 100, 100),
      task(2, 1, 1002, 1102, 4, 100, 100),
      task(3, 2, 2, 1002, 1, 900, 1000),
  };
  (void)state;
  for (int p = HC_PROMISE_NONE; p <= HC_PROMISE_CONSERVATIVE; p++) {
    const hc_verify_time time = {1, 1000 * HC_SECOND};
    const hc_verify_times times = {&time, 1};
    const hc_verify_options o = {
        .capacity = 4, .promise = (hc_promise)p, .honours_run = true, .times = &times};
    hc_rc rc = HC_ENOMEM;
    for (int n = 0; rc == HC_ENOMEM; n++) {
      failing f = {n};
      const hc_allocator a = {&f, failing_resize, NULL};
      rc = hc_verify(&a, &o, t, 3, NULL, NULL, NULL);
      assert_true(n < 40);
    }
    assert_true(rc == 0 || rc == HC_EREFUTED);
  }
}

typedef struct ticking {
  uint64_t last, total, calls, most; /* most: calls that are answered with yes */
} ticking;

static bool tick(void *ctx, uint64_t done, uint64_t total)
{
  ticking *t = ctx;
  assert_true(done >= t->last && done < total);
  assert_true(t->total == 0 || t->total == total);
  t->last = done;
  t->total = total;
  return ++t->calls <= t->most;
}

/* How far it has come only grows, from a half on, since records are given; a no ends the check. */
static void test_ticks(void **state)
{
  const hc_task_record t[] = {task(1, 0, 0, 10, 3, 10, 10)};
  ticking x = {.most = UINT64_MAX};
  const hc_verify_options o = {.capacity = 4, .honours_run = true, .ticks = {tick, &x}};
  (void)state;
  assert_int_equal(hc_verify(hc_default_allocator(), &o, t, 1, NULL, NULL, NULL), 0);
  assert_true(x.calls > 10);
  assert_int_equal(x.last, x.total - 1);
  assert_int_equal(x.last - x.calls, x.total / 2 - 1);
  x = (ticking){.most = 3};
  assert_int_equal(hc_verify(hc_default_allocator(), &o, t, 1, NULL, NULL, NULL), HC_ECANCELLED);
  assert_int_equal(x.calls, 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_general_rules),
      cmocka_unit_test(test_capacity),
      cmocka_unit_test(test_unfinished_tasks),
      cmocka_unit_test(test_components_that_start_apart),
      cmocka_unit_test(test_nobody_starts_before_its_time),
      cmocka_unit_test(test_a_stopped_attempt_has_its_tasks_time),
      cmocka_unit_test(test_conservative_plans_for_a_time),
      cmocka_unit_test(test_fcfs),
      cmocka_unit_test(test_easy_broken_reservation),
      cmocka_unit_test(test_easy_sticky_reservation),
      cmocka_unit_test(test_easy_extra_processors),
      cmocka_unit_test(test_easy_outlived_estimate),
      cmocka_unit_test(test_easy_head_never_starts),
      cmocka_unit_test(test_fcfs_that_ends),
      cmocka_unit_test(test_easy_that_changes),
      cmocka_unit_test(test_conservative_that_changes),
      cmocka_unit_test(test_conservative),
      cmocka_unit_test(test_conservative_predicted),
      cmocka_unit_test(test_conservative_early_end),
      cmocka_unit_test(test_conservative_against_an_array),
      cmocka_unit_test(test_hostile_records),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_ticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
