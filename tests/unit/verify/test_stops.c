/* test_stops.c -- attempts that a plan stopped: what holds, and each thing that can be wrong with them. Times
 * in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hindcast/verify.h"

#define S HC_SECOND

/* Task 0 takes three of four processors and runs 10 s: from 0 to 3, of which 2 are saved, then from 8 to 17,
 * with 1 s of starting again. Task 1 takes four from 3 to 8. */
typedef struct world {
  hc_task_record records[2];
  hc_verify_stop stops[2];
  hc_verify_stops list;
  size_t found[3]; /* attempts, run_time, capacity */
} world;

static void set_up(world *w)
{
  static const hc_task_record blank = {.limit = HC_UNKNOWN, .estimate = HC_NEVER, .user = -1};
  memset(w, 0, sizeof *w);
  w->records[0] = w->records[1] = blank;
  w->records[0].start = 8 * S;
  w->records[0].end = 17 * S;
  w->records[0].units = 3;
  w->records[0].run = 10 * S;
  w->records[0].flags = HC_TASK_PREEMPTED;
  w->records[1].serial = w->records[1].id = 1;
  w->records[1].submit = w->records[1].start = 3 * S;
  w->records[1].end = 8 * S;
  w->records[1].units = 4;
  w->records[1].run = 5 * S;
  w->stops[0] =
      (hc_verify_stop){.serial = 0, .start = 0, .end = 3 * S, .how = 2, .saved = 2 * S, .restart = S};
  w->list = (hc_verify_stops){.stops = w->stops, .count = 1};
}

static void count(void *ctx, const hc_violation *v)
{
  world *w = ctx;
  static const char *const rules[] = {"attempts", "run_time", "capacity"};
  for (size_t i = 0; i < 3; i++) w->found[i] += strcmp(v->rule, rules[i]) == 0;
  assert_int_equal(v->serial, v->id); /* an attempt is named by its task */
}

static void assert_found(world *w, size_t attempts, size_t run_time, size_t capacity)
{
  const hc_verify_options o = {.capacity = 4, .honours_run = true, .stops = &w->list};
  hc_verify_report report;
  const hc_rc rc = hc_verify(hc_default_allocator(), &o, w->records, 2, count, w, &report);
  assert_int_equal(rc, attempts + run_time + capacity > 0 ? HC_EREFUTED : 0);
  assert_int_equal(w->found[0], attempts);
  assert_int_equal(w->found[1], run_time);
  assert_int_equal(w->found[2], capacity);
  assert_int_equal(report.tasks, 2);
}

static void test_holds(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  assert_found(&w, 0, 0, 0);
  set_up(&w); /* what is not known of speeds is not checked */
  w.records[0].end = 16 * S;
  w.list.speeds_differ = true;
  assert_found(&w, 0, 0, 0);
  set_up(&w); /* stopped for good: its end is that of the stop, whatever its run */
  w.stops[0].how = HC_STOPPED_FOR_GOOD;
  w.records[0].start = 0;
  w.records[0].end = 3 * S;
  w.records[0].final = HC_FINAL_KILLED;
  assert_found(&w, 0, 0, 0);
}

static void test_is_wrong(void **state)
{
  world w;
  (void)state;
  set_up(&w); /* it did not run for 10 - 2 + 1 */
  w.records[0].end = 16 * S;
  assert_found(&w, 0, 1, 0);
  set_up(&w); /* the attempt held its processors until 4, and task 1 took all at 3 */
  w.stops[0].end = 4 * S;
  assert_found(&w, 0, 0, 1);
  set_up(&w); /* it saved more than it ran, and then ran for what that leaves */
  w.stops[0].saved = 4 * S;
  w.records[0].end = 15 * S;
  assert_found(&w, 1, 0, 0);
  set_up(&w); /* the second attempt begins within the first: at 2 it is twice there as well */
  w.stops[1] = (hc_verify_stop){.serial = 0, .start = 2 * S, .end = 3 * S, .how = 2, .restart = S};
  w.list.count = 2;
  assert_found(&w, 1, 0, 1);
  set_up(&w); /* before its submission */
  w.records[0].submit = S;
  w.found[0] = 0;
  assert_found(&w, 1, 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds),
      cmocka_unit_test(test_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
