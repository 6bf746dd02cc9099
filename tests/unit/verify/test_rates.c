/* test_rates.c -- schedules in which tasks were suspended: what holds, and each thing that can be wrong with
 * them. Times in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verify/parts.h"

#define S HC_SECOND

/* Task 0 has three of four processors from 0 to 3 and, suspended meanwhile, from 8 to 15: 10 s of work. Task
 * 1 has four from 3 to 8. Of task 2 nothing is said but that it has one from 0 to 3 and from 8 to 10, at half
 * its rate. */
typedef struct world {
  hc_task_record records[3];
  hc_verify_rate rates[5];
  hc_verify_rates list;
  const hc_verify_told *told; /* of lost attempts; NULL: of none */
  size_t found[3];            /* rates, run_time, capacity */
} world;

static void set_up(world *w)
{
  static const hc_task_record blank = {.limit = HC_UNKNOWN, .estimate = HC_NEVER, .user = -1};
  memset(w, 0, sizeof *w);
  for (int i = 0; i < 3; i++) {
    w->records[i] = blank;
    w->records[i].serial = w->records[i].id = i;
    w->records[i].flags = i == 1 ? 0 : HC_TASK_RATED;
  }
  w->records[0].end = 15 * S;
  w->records[0].units = 3;
  w->records[0].run = 10 * S;
  w->records[1].submit = w->records[1].start = 3 * S;
  w->records[1].end = 8 * S;
  w->records[1].units = 4;
  w->records[1].run = 5 * S;
  w->records[2].end = 10 * S;
  w->records[2].units = 1;
  w->records[2].run = 4 * S;
  w->rates[0] = (hc_verify_rate){0, 3 * S, 0, false};
  w->rates[1] = (hc_verify_rate){2, 3 * S, 0, false};
  w->rates[2] = (hc_verify_rate){0, 8 * S, HC_RATE_ONE, true};
  w->rates[3] = (hc_verify_rate){2, 8 * S, HC_RATE_ONE, true};
  w->rates[4] = (hc_verify_rate){2, 8 * S, HC_RATE_ONE / 2, true};
  w->list = (hc_verify_rates){w->rates, 5};
}

static void count(void *ctx, const hc_violation *v)
{
  world *w = ctx;
  static const char *const rules[] = {"rates", "run_time", "capacity"};
  for (size_t i = 0; i < 3; i++) w->found[i] += strcmp(v->rule, rules[i]) == 0;
  assert_int_equal(v->serial, v->id); /* a stretch is named by its task */
}

static void assert_found(world *w, size_t rates, size_t run_time, size_t capacity)
{
  const hc_verify_options o = {.capacity = 4, .honours_run = true, .rates = &w->list, .told = w->told};
  hc_verify_report report;
  const hc_rc rc = hc_verify(hc_default_allocator(), &o, w->records, 3, count, w, &report);
  if (!w->told) /* with it there would have to be a ledger, too */
    assert_int_equal(rc, rates + run_time + capacity > 0 ? HC_EREFUTED : 0);
  assert_int_equal(w->found[0], rates);
  assert_int_equal(w->found[1], run_time);
  assert_int_equal(w->found[2], capacity);
  assert_int_equal(report.tasks, 3);
}

static void test_holds(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  assert_found(&w, 0, 0, 0);
  set_up(&w); /* still running, or suspended, when the records end */
  w.records[0].end = w.records[2].end = HC_UNKNOWN;
  w.records[0].final = w.records[2].final = HC_FINAL_RUNNING;
  assert_found(&w, 0, 0, 0);
  w.list.count = 2;
  assert_found(&w, 0, 0, 0);
}

/* 2 does 3 s and then 1 in two: 4. A ns less of its run, and it has run for one too many; half a ns is
 * rounding. */
static void test_work(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.records[0].run += S;
  assert_found(&w, 0, 1, 0);
  set_up(&w);
  w.records[0].run--;
  assert_found(&w, 0, 1, 0);
  set_up(&w);
  w.records[0].run++;
  assert_found(&w, 0, 1, 0);
  set_up(&w);
  w.records[2].end++; /* half a ns at half its rate */
  assert_found(&w, 0, 0, 0);
  w.records[2].end++;
  assert_found(&w, 0, 1, 0);
}

/* A task that is not suspended while 1 has the machine is one too many; 1 then starts into what is held. */
static void test_capacity(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.rates[1].holds = true; /* rate 0, and holds: 5 on 4 from 3 to 8 */
  w.rates[3].rate = 0;
  assert_found(&w, 0, 0, 1);
  set_up(&w);
  w.records[1].units = 5;
  assert_found(&w, 0, 0, 1);
  set_up(&w); /* goes on a second early */
  w.rates[2].at = 7 * S;
  w.records[0].end = 14 * S;
  assert_found(&w, 0, 0, 1);
}

static void test_order(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.rates[2].holds = false; /* suspended twice */
  w.rates[2].rate = 0;
  assert_found(&w, 1, 0, 0);
  set_up(&w);
  w.rates[1].rate = HC_RATE_ONE; /* suspended at work */
  assert_found(&w, 1, 0, 0);
  set_up(&w);
  w.rates[3].rate = -1;
  assert_found(&w, 1, 0, 0);
  set_up(&w);
  w.rates[4].at = 11 * S; /* after its end */
  assert_found(&w, 1, 0, 0);
  set_up(&w);
  w.records[2].start = 5 * S; /* before it starts */
  assert_found(&w, 1, 0, 0);
}

/* Task 0 was stopped at 6, with 1 s saved: it had worked for 4 s, from 0 to 2 and from 4. It began anew at
 * 8 and, suspended from 10 to 11, did the 9 s that were left till 18. It has three of four processors, and
 * 1 four from 2 to 4, while it is suspended. Each attempt's changes count for itself: had it been suspended
 * at 3, it would hold what 1 has; of more than it did it cannot have saved anything; and nothing goes on
 * that was not suspended. */
static void test_stopped_and_suspended(void **state)
{
  static const hc_task_record blank = {.limit = HC_UNKNOWN, .estimate = HC_NEVER, .user = -1};
  (void)state;
  for (int wrong = 0; wrong < 5; wrong++) {
    hc_verify_rate rates[] = {{0, 2 * S, 0, false},
                              {0, 4 * S, HC_RATE_ONE, true},
                              {0, 10 * S, 0, false},
                              {0, 11 * S, HC_RATE_ONE, true}};
    hc_verify_stop stop = {.serial = 0, .start = 0, .end = 6 * S, .how = 2, .saved = S};
    const hc_verify_stops stops = {.stops = &stop, .count = 1};
    const hc_verify_rates list = {rates, 4};
    const hc_verify_options o = {.capacity = 4, .honours_run = true, .rates = &list, .stops = &stops};
    hc_task_record records[2] = {blank, blank};
    hc_verify_report report;
    world w = {0};
    records[0].flags = HC_TASK_RATED | HC_TASK_PREEMPTED;
    records[0].start = 8 * S;
    records[0].end = 18 * S;
    records[0].run = 10 * S;
    records[0].units = 3;
    records[1].serial = records[1].id = 1;
    records[1].submit = records[1].start = 2 * S;
    records[1].end = 4 * S;
    records[1].run = 2 * S;
    records[1].units = 4;
    if (wrong == 1) rates[0].at = 3 * S;
    if (wrong == 2) stop.saved = 5 * S;
    if (wrong == 3) records[0].end = 19 * S;
    if (wrong == 4) rates[0] = (hc_verify_rate){0, 2 * S, -1, true};
    const hc_rc rc = hc_verify(hc_default_allocator(), &o, records, 2, count, &w, &report);
    assert_int_equal(rc, wrong > 0 ? HC_EREFUTED : 0);
    assert_int_equal(w.found[2], wrong == 1 || wrong == 4);
    assert_int_equal(w.found[0], wrong == 4);
  }
}

/* Task 2 was lost with its host at 9 and began anew at 10: what was done to it before is of an attempt that
 * its record does not have. Of an only attempt it would be before its start. */
static void test_began_anew(void **state)
{
  static const hc_verify_loss loss = {.serial = 2, .attempt = 1, .start = 0, .end = 9 * S};
  hc_verify_told told = {.losses = &loss, .loss_count = 1, .until = HC_NEVER};
  world w;
  (void)state;
  for (int d = 0; d < HC_DIMENSIONS; d++) told.licences[d] = -1;
  for (int k = 0; k < 2; k++) {
    set_up(&w);
    w.records[2].start = 10 * S;
    w.records[2].end = 14 * S;
    if (k == 0) w.told = &told;
    assert_found(&w, k == 0 ? 0 : 1, 0, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds),      cmocka_unit_test(test_work),
      cmocka_unit_test(test_capacity),   cmocka_unit_test(test_order),
      cmocka_unit_test(test_began_anew), cmocka_unit_test(test_stopped_and_suspended)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
