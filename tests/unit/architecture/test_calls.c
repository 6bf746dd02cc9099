/* test_calls.c -- when a batch system's scheduler is called: which calls are passed over, by hand. */
#include "../engine/outcomes_test.h"

#define BASE \
  "source: {use: native, file: FILE}\nparanoid: true\npolicy: fcfs\nmetrics: [tasks]\n" \
  "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 4}]}\n"
#define TASK(id, at, run) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", resources: {cpu_per_node: 4}}\n"

/* The call at 0 comes too soon after the beginning, that at 12 starts task 1; its end at 17 is 5 s later, and
 * passed over; task 3 calls at 25, and task 2 starts, until 45, when task 3 does. Without `apart` nothing
 * waits longer than for the host. */
static void calls_that_come_too_soon_are_passed_over(void **state)
{
  const char *tasks = TASK(1, 0, 5) TASK(2, 12, 20) TASK(3, 25, 1);
  (void)state;
  RUNS(BASE "architecture: {use: monolithic, apart: 10s}\n", tasks, DONE(1, 12, 17), DONE(2, 25, 45),
       DONE(3, 45, 46));
  RUNS(BASE "architecture: {use: monolithic, call: per_event, apart: 10s}\n", tasks, DONE(1, 12, 17),
       DONE(2, 25, 45), DONE(3, 45, 46));
  RUNS(BASE, tasks, DONE(1, 0, 5), DONE(2, 12, 32), DONE(3, 32, 33));
}

/* Two tasks at 20 that both fit: the first one's arrival calls, and the second's comes no time later, so that
 * it waits for the end of the first; with a call an instant both start. */
static void each_event_is_a_call_by_itself(void **state)
{
  const char *tasks = "- {id: 1, submit_time: 20, delay: 30, resources: {cpu_per_node: 2}}\n"
                      "- {id: 2, submit_time: 20, delay: 30, resources: {cpu_per_node: 2}}\n";
  (void)state;
  RUNS(BASE "architecture: {use: monolithic, call: per_event, apart: 10s}\n", tasks, DONE(1, 20, 50),
       DONE(2, 50, 80));
  RUNS(BASE "architecture: {use: monolithic, apart: 10s}\n", tasks, DONE(1, 20, 50), DONE(2, 20, 50));
}

/* A clock of 7 s: at 7 it is too soon, at 14 not, at 21 again, at 28 not. So the task that comes at 16 is
 * passed over, after the tick at 14 at which nothing waited, and at 21, and starts at 28. So it is with the
 * one that comes at 45, after the tick at 42: it starts at 56. */
static void the_clock_calls_though_nothing_waits(void **state)
{
  (void)state;
  RUNS(BASE "architecture: {use: monolithic, call: [per_event, period], period: 7s, apart: 10s}\n",
       TASK(1, 16, 5) TASK(2, 45, 5), DONE(1, 28, 33), DONE(2, 56, 61));
  RUNS(BASE "architecture: {use: monolithic, call: [instant, period], period: 7s, apart: 7s}\n",
       TASK(1, 16, 5) TASK(2, 49, 5), DONE(1, 21, 26), DONE(2, 49, 54));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_that_come_too_soon_are_passed_over),
      cmocka_unit_test(each_event_is_a_call_by_itself),
      cmocka_unit_test(the_clock_calls_though_nothing_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
