/* test_silent.c -- hosts that fail, and that is found later. By hand, on two hosts of four cores. */
#include "outcomes_test.h"

#define CELL "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}]}\n"
#define NATIVE "source: {use: native, file: FILE}\nmetrics: [tasks]\nparanoid: true\n" CELL
#define FAILS(more) \
  "events: {use: list, changes: [{at: 4, hosts: c-0, change: fail}, " \
  "{at: 25, hosts: c-0, change: down, until: 40}" more "]}\n"

#define TASK(id, at, run) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", wall_time_limit: " #run \
  ", resources: {cpu_per_node: 4}}\n"

/* c-0 fails at 4, and that is found at 25. Task 1 stands from 4 on, and task 2 ends on c-1 at 10. Task 3
 * waits for either: c-1 is free at 10. Task 4 comes at 15 and finds none free until 20. At 25 task 1 is
 * lost; it begins anew on c-1, behind task 4 which is there from 20 to 30. */
static void what_stands_is_lost_when_it_is_found(void **state)
{
  (void)state;
  RUNS(NATIVE "policy: fcfs+scan\n" FAILS(""), TASK(1, 0, 10) TASK(2, 0, 10) TASK(3, 1, 10) TASK(4, 15, 10),
       DONE(1, 30, 40), DONE(2, 0, 10), DONE(3, 10, 20), DONE(4, 20, 30));
  RUNS(NATIVE "policy: fcfs+scan\nhost_loss: lost\n" FAILS(""), TASK(1, 0, 10) TASK(2, 0, 10),
       {1, 0, 25, HC_FINAL_LOST}, DONE(2, 0, 10));
}

/* Nothing ran on c-0 when it failed: task 1 is started there at 6 and does nothing. It is found at 25. A
 * task that ends in the instant of the failure has ended. */
static void what_starts_there_does_nothing(void **state)
{
  (void)state;
  RUNS(NATIVE "policy: fcfs+scan\n" FAILS(""), TASK(1, 6, 10), DONE(1, 25, 35));
  RUNS(NATIVE "policy: fcfs+scan\n" FAILS(""), TASK(1, 0, 4) TASK(2, 30, 4), DONE(1, 0, 4), DONE(2, 30, 34));
}

/* A task on both hosts stands as a whole. It is lost at 25, and needs both again: from 40 on. */
static void a_task_on_several_hosts_stands_as_a_whole(void **state)
{
  (void)state;
  RUNS(NATIVE "policy: fcfs+scan\n" FAILS(""),
       "- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 2, cpu_per_node: 4}}\n",
       DONE(1, 40, 50));
}

/* EASY believes limits: the task that stands is past its own from 10 on, and expected to end any moment, as
 * any that outlives its estimate. */
static void plans_take_it_for_a_task_that_outlives_its_estimate(void **state)
{
  static const char *const selects[] = {"easy", "conservative", "{use: slack, factor: 1}"};
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    char yaml[1024];
    (void)snprintf(yaml, sizeof yaml, NATIVE "policy: {order: fcfs, select: %s}\n" FAILS(""), selects[i]);
    RUNS(yaml, TASK(1, 0, 10) TASK(2, 0, 10) TASK(3, 1, 10), DONE(1, 25, 35), DONE(2, 0, 10),
         DONE(3, 10, 20));
  }
}

static void must_refuse(const char *yaml, const char *text)
{
  bench b;
  assert_int_equal(try_text(&b, yaml, TASK(1, 0, 10)), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, text));
  hc_store_free(b.store);
  b.store = NULL;
  end(&b);
}

static void what_counts_on_work_is_refused(void **state)
{
  (void)state;
  must_refuse(NATIVE "policy: gang\n" FAILS(""), "counts on what they do");
  must_refuse(NATIVE "policy: fcfs+scan\nexecution: activities\n" FAILS(""), "leave out `silent`");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stands_is_lost_when_it_is_found),
      cmocka_unit_test(what_starts_there_does_nothing),
      cmocka_unit_test(a_task_on_several_hosts_stands_as_a_whole),
      cmocka_unit_test(plans_take_it_for_a_task_that_outlives_its_estimate),
      cmocka_unit_test(what_counts_on_work_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
