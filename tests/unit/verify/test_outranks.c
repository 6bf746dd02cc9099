/* test_outranks.c -- tasks of a batch queue that are stopped by priority: what holds, and what can be wrong.
 * Times in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verify/parts.h"

#define S HC_SECOND

/* Four processors. Task 0 (priority 0) holds three from 0 and is stopped at 3 for task 1 (priority 1,
 * four, 5 s); it runs again from 8 to 18. Task 2 (priority 0, one) comes at 4 and starts at 8. */
typedef struct world {
  hc_task_record records[3];
  hc_verify_stop stop;
  hc_verify_stops stops;
  hc_verify_priority of[3];
  hc_verify_priorities priorities;
  char found[2][160];
  size_t count;
} world;

static void set_up(world *w)
{
  static const int64_t submit[] = {0, 3, 4}, start[] = {8, 3, 8}, end[] = {18, 8, 12}, units[] = {3, 4, 1};
  memset(w, 0, sizeof *w);
  for (int i = 0; i < 3; i++) {
    w->records[i] = (hc_task_record){.serial = i,
                                     .id = i,
                                     .submit = submit[i] * S,
                                     .start = start[i] * S,
                                     .end = end[i] * S,
                                     .run = (end[i] - start[i]) * S,
                                     .units = units[i],
                                     .limit = HC_UNKNOWN,
                                     .estimate = HC_NEVER,
                                     .user = -1};
    w->of[i] = (hc_verify_priority){i, i == 1};
  }
  w->records[0].flags = HC_TASK_PREEMPTED;
  w->stop = (hc_verify_stop){.serial = 0, .start = 0, .end = 3 * S};
  w->stops = (hc_verify_stops){.stops = &w->stop, .count = 1};
  w->priorities = (hc_verify_priorities){w->of, 3};
}

static void keep(void *ctx, const hc_violation *v)
{
  world *w = ctx;
  if (strcmp(v->rule, "outranks") != 0 || w->count == 2) return;
  (void)strncpy(w->found[w->count++], v->text, sizeof w->found[0] - 1);
}

static void expect(world *w, size_t count, const char *part)
{
  const hc_verify_told told = {.until = HC_NEVER, .by_run = true, .units_dimension = -1};
  const hc_verify_options o = {.told = &told,
                               .capacity = 4,
                               .honours_run = true,
                               .stops = &w->stops,
                               .priorities = &w->priorities,
                               .stops_by_priority = true};
  hc_verify_report report;
  w->count = 0;
  (void)hc_verify(hc_default_allocator(), &o, w->records, 3, keep, w, &report);
  if (w->count != count) fail_msg("%zu found, not %zu: %s", w->count, count, w->found[0]);
  if (part && !strstr(w->found[0], part)) fail_msg("%s", w->found[0]);
}

static void test_holds(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  expect(&w, 0, NULL);
}

/* The task that starts when 0 is stopped has no higher priority; or starts a second later, and waits till
 * then. */
static void test_stopped_for_none(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.of[1].priority = 0;
  expect(&w, 1, "has priority 0 and is stopped");
  set_up(&w);
  w.records[1].start = 4 * S;
  w.records[1].end = 9 * S;
  w.records[0].start = w.records[2].start = 9 * S;
  w.records[0].end = 19 * S;
  w.records[2].end = 13 * S;
  expect(&w, 2, "has priority 0 and is stopped");
}

/* Task 1 waits from 2 on: one processor is free, and task 0 of lower priority has three. */
static void test_waits_in_vain(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.records[1].submit = 2 * S;
  expect(&w, 1, "wants 4 processors, and 4 are free or held");
  w.records[1].units = 5; /* it could not have started */
  w.records[1].start = w.records[1].end = HC_UNKNOWN;
  w.records[1].final = HC_FINAL_WAITING;
  w.stops.count = 0;
  w.records[0].flags = 0;
  expect(&w, 0, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_holds), cmocka_unit_test(test_stopped_for_none),
                                     cmocka_unit_test(test_waits_in_vain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
