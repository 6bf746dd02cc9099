/* test_regrants.c -- schedules in which tasks were resized, and stopped as well: what holds, and each thing
 * that can be wrong with them. Times in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verify/parts.h"

#define S HC_SECOND

/* Four processors. Task 0 asks for two and runs for 20 s. Its first attempt has two from 0 on and four from 4
 * on, until it is stopped at 6: it has done 4 + 2 x 2 = 8, and saves that. The second begins with two at 10
 * and has one from 12 on: 2 of the 12 that are left are done by then, and 10 take 20 s with one, so it ends
 * at 32. Task 1 has the other two from 0 to 4, task 2 the other three from 12 to 32. */
typedef struct world {
  hc_task_record records[3];
  hc_verify_stop stop;
  hc_verify_stops stops;
  hc_verify_regrant rows[4];
  hc_verify_regrants regrants;
  hc_verify_resize_rate rates[2];
  hc_verify_told told;
  size_t found[4]; /* attempts, run_time, capacity, resizes */
} world;

static void set_up(world *w)
{
  static const hc_task_record blank = {.limit = HC_UNKNOWN, .estimate = HC_NEVER, .user = -1};
  memset(w, 0, sizeof *w);
  for (int i = 0; i < 3; i++) {
    w->records[i] = blank;
    w->records[i].serial = w->records[i].id = i;
  }
  w->records[0].start = 10 * S;
  w->records[0].end = 32 * S;
  w->records[0].run = 20 * S;
  w->records[0].units = 1; /* 24 / 22 */
  w->records[0].flags = HC_TASK_PREEMPTED | HC_TASK_RESIZED;
  w->records[1].end = w->records[1].run = 4 * S;
  w->records[1].units = 2;
  w->records[2].submit = w->records[2].start = 12 * S;
  w->records[2].end = 32 * S;
  w->records[2].run = 20 * S;
  w->records[2].units = 3;
  w->stop = (hc_verify_stop){.serial = 0, .end = 6 * S, .how = 2, .saved = 8 * S};
  w->stops = (hc_verify_stops){.stops = &w->stop, .count = 1};
  w->rows[0] = (hc_verify_regrant){.units = 2, .slots = 2};
  w->rows[1] = (hc_verify_regrant){.at = 4 * S, .number = 1, .units = 4, .slots = 4};
  w->rows[2] = (hc_verify_regrant){.at = 10 * S, .units = 2, .slots = 2};
  w->rows[3] = (hc_verify_regrant){.at = 12 * S, .number = 2, .units = 1, .slots = 1};
  w->regrants = (hc_verify_regrants){.rows = w->rows, .count = 4};
}

static void count(void *ctx, const hc_violation *v)
{
  world *w = ctx;
  static const char *const rules[] = {"attempts", "run_time", "capacity", "resizes"};
  for (size_t i = 0; i < 4; i++) w->found[i] += strcmp(v->rule, rules[i]) == 0;
  assert_int_equal(v->serial, v->id); /* a stretch is named by its task */
}

static void assert_found(world *w, size_t attempts, size_t run_time, size_t capacity, size_t resizes)
{
  const hc_verify_options o = {.capacity = 4,
                               .honours_run = true,
                               .stops = &w->stops,
                               .regrants = &w->regrants,
                               .told = w->told.resize_rate_count > 0 ? &w->told : NULL};
  hc_verify_report report;
  const hc_rc rc = hc_verify(hc_default_allocator(), &o, w->records, 3, count, w, &report);
  if (!o.told) assert_int_equal(rc, attempts + run_time + capacity + resizes > 0 ? HC_EREFUTED : 0);
  else assert_true(rc == 0 || rc == HC_EREFUTED); /* by the ledger, which it does not have */
  assert_int_equal(w->found[0], attempts);
  assert_int_equal(w->found[1], run_time);
  assert_int_equal(w->found[2], capacity);
  assert_int_equal(w->found[3], resizes);
  assert_int_equal(report.tasks, 3);
}

static void test_holds(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  assert_found(&w, 0, 0, 0, 0);
  set_up(&w); /* nothing saved: all 20 s are left, 18 of them take 36 with one */
  w.stop.saved = 0;
  w.stop.how = 0;
  w.records[0].end = 48 * S;
  assert_found(&w, 0, 0, 0, 0);
  set_up(&w); /* the second attempt keeps its own size: 12 s */
  w.regrants.count = 3;
  w.records[0].end = 22 * S;
  w.records[0].units = 2;
  w.records[2].units = 2;
  assert_found(&w, 0, 0, 0, 0);
  set_up(&w); /* the first did: 6 s saved, 14 left, 12 of them by 12 + 24 */
  w.rows[0] = w.rows[2];
  w.rows[1] = w.rows[3];
  w.regrants.count = 2;
  w.stop.saved = 6 * S;
  w.records[0].end = 36 * S;
  assert_found(&w, 0, 0, 0, 0);
}

static void test_work(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.stop.saved = 8 * S + 1; /* and then it runs for too long */
  assert_found(&w, 1, 1, 0, 0);
  set_up(&w);
  w.records[0].end = 33 * S;
  assert_found(&w, 0, 1, 0, 0);
  set_up(&w);
  w.records[0].end -= 2; /* one works at half its rate: within a ns is right */
  assert_found(&w, 0, 1, 0, 0);
  set_up(&w);
  w.rows[1].at = 5 * S; /* 5 + 2 = 7 */
  assert_found(&w, 1, 0, 0, 0);
}

/* With a law four work 1.5 times as fast as two, so that 4 + 2 x 1.5 = 7 are saved; one works half as fast,
 * after a pause of 2 s: of the 13 that are left 2 are done by 12, and 11 take 22 s from 14 on. */
static void set_up_rates(world *w)
{
  set_up(w);
  w->rates[0] = (hc_verify_resize_rate){.number = 1, .rate = HC_RATE_ONE / 2 * 3};
  w->rates[1] = (hc_verify_resize_rate){.number = 2, .rate = HC_RATE_ONE / 2, .pause = 2 * S};
  w->told = (hc_verify_told){
      .resize_rates = w->rates, .resize_rate_count = 2, .until = HC_NEVER, .promises_until = HC_NEVER};
  w->stop.saved = 7 * S;
  w->records[0].end = 36 * S;
}

static void test_rates(void **state)
{
  world w;
  (void)state;
  set_up_rates(&w);
  assert_found(&w, 0, 0, 0, 0);
  set_up_rates(&w);
  w.rates[1].pause = 1 * S; /* it would have ended at 35 */
  assert_found(&w, 0, 1, 0, 0);
  set_up_rates(&w);
  w.rates[1].rate = HC_RATE_ONE / 4; /* and so at 58 */
  assert_found(&w, 0, 1, 0, 0);
  set_up_rates(&w);
  w.rates[0].rate = HC_RATE_ONE; /* 4 + 2 = 6 could be saved */
  assert_found(&w, 1, 0, 0, 0);
}

static void test_capacity(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.records[1].end = w.records[1].run = 5 * S; /* over from 4 to 5 */
  assert_found(&w, 0, 0, 1, 0);
  set_up(&w);
  w.records[2].submit = w.records[2].start = 11 * S; /* over from 11 to 12 */
  w.records[2].run = 21 * S;
  assert_found(&w, 0, 0, 1, 0);
  set_up(&w);
  w.rows[3].slots = 2; /* what its rows come to is not its size; it works at its own rate then */
  assert_found(&w, 0, 1, 0, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_holds), cmocka_unit_test(test_work),
                                     cmocka_unit_test(test_rates), cmocka_unit_test(test_capacity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
