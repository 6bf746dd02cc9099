/* test_families.c -- each family on the schedule of metric_test.h; the arithmetic is beside each number. */
#include "metric_test.h"

static hc_task_record tasks[GANTT_TASKS];
static hc_interval states[GANTT_INTERVALS];
static hc_finding_list found;

static void run_on_gantt(const hc_metric_type *m, const void *options)
{
  hc_metric_context c = context_of(4);
  gantt(tasks, states);
  find_all(m, &c, options, tasks, GANTT_TASKS, states, GANTT_INTERVALS, &found);
}

static void expect(const char *name, double value)
{
  expect_found(&found, NULL, 0, name, value);
}

static void test_tasks(void **state)
{
  hc_task_record t[8];
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  for (int i = 0; i < 8; i++) t[i] = task_of(i, 0, 1, 2, 1, 1);
  t[1].final = HC_FINAL_KILLED;
  t[2].final = HC_FINAL_REJECTED;
  t[3].final = HC_FINAL_WITHDRAWN;
  t[4].final = HC_FINAL_WAITING;
  t[5].final = HC_FINAL_RUNNING;
  t[5].flags = HC_TASK_BACKFILLED | HC_TASK_NO_LIMIT;
  t[6].flags = HC_TASK_CLAMPED;
  find_all(&hc_metric_tasks, &c, NULL, t, 8, NULL, 0, &found);
  expect("tasks", 8);
  expect("tasks_started", 5); /* 0, 6, 7 completed, 1 killed, 5 running */
  expect("tasks_completed", 3);
  expect("tasks_killed", 1);
  expect("tasks_rejected", 1);
  expect("tasks_withdrawn", 1);
  expect("tasks_waiting", 1);
  expect("tasks_running", 1);
  expect("tasks_backfilled", 1);
  expect("backfilled_share", 0.2); /* 1 / 5 */
  expect("tasks_clamped", 1);
  expect("tasks_no_limit", 1);
  assert_true(hc_finding_list_get(&found, NULL, 0, "tasks")->is_count);
  hc_finding_list_fini(&found);
}

static void test_only_started_tasks_count(void **state)
{
  hc_task_record t[2] = {task_of(0, 0, 3, 5, 1, 1), task_of(1, 0, 1000, 2000, 1, 1)};
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  t[1].final = HC_FINAL_WAITING;
  find_all(&hc_metric_wait, &c, NULL, t, 2, NULL, 0, &found);
  expect("wait_mean", 3);
  hc_finding_list_fini(&found);
  t[1].final = HC_FINAL_KILLED; /* started, and ended at its limit */
  find_all(&hc_metric_wait, &c, NULL, t, 2, NULL, 0, &found);
  expect("wait_mean", 501.5); /* (3 + 1000) / 2 */
  hc_finding_list_fini(&found);
}

static void test_wait(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_wait, NULL); /* waits 0 (A), 5 (D), 0 (B), 15 (C); sorted 0 0 5 15 */
  expect("wait_mean", 5);
  expect("wait_p50", 0);  /* rank ceil(0.5 x 4) = 2 */
  expect("wait_p90", 15); /* rank ceil(3.6) = 4 */
  expect("wait_max", 15);
  hc_finding_list_fini(&found);
}

static void test_response(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_response, NULL); /* 10, 10, 20, 25 */
  expect("response_mean", 16.25);
  expect("response_p50", 10);
  expect("response_max", 25);
  hc_finding_list_fini(&found);
}

static void test_slowdown(void **state)
{
  hc_task_record t[2] = {task_of(0, 0, 5, 5, 1, 1), task_of(1, 0, 5, 10, 1, 1)};
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_slowdown, NULL); /* 10/10, 10/5, 20/20, 25/10 */
  expect("slowdown_mean", 1.625);          /* 6.5 / 4 */
  expect("slowdown_max", 2.5);
  expect("slowdown_tasks", 4);
  hc_finding_list_fini(&found);
  find_all(&hc_metric_slowdown, &c, NULL, t, 2, NULL, 0, &found);
  expect("slowdown_mean", 2); /* the first ran for no time and is left out; 10 / 5 */
  expect("slowdown_tasks", 1);
  hc_finding_list_fini(&found);
}

static void test_bounded_slowdown(void **state)
{
  void *o = default_options(&hc_metric_bounded_slowdown.component);
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_bounded_slowdown, o); /* tau 10: 10/10, 10/10, 20/20, 25/10 */
  expect("bounded_slowdown_mean", 1.375);       /* 5.5 / 4 */
  expect("bounded_slowdown_p50", 1);
  expect("bounded_slowdown_max", 2.5);
  expect("bounded_slowdown_tau", 10);
  hc_finding_list_fini(&found);
  set_option(&hc_metric_bounded_slowdown.component, o, "tau", 20);
  run_on_gantt(&hc_metric_bounded_slowdown, o); /* tau 20: max(1, 10/20), same, 20/20, 25/20 */
  expect("bounded_slowdown_mean", 1.0625);      /* 4.25 / 4 */
  hc_finding_list_fini(&found);
  free(o);
}

static void test_per_processor_slowdown(void **state)
{
  hc_task_record t[2] = {task_of(0, 0, 80, 100, 2, 1), task_of(1, 0, 1, 3, 1, 1)};
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  c.core_units = 1;
  find_all(&hc_metric_per_processor_slowdown, &c, NULL, t, 2, NULL, 0, &found);
  expect("per_processor_slowdown_mean", 1.75); /* 100 / (2 x 20) = 2.5; max(1, 3 / (1 x 10)) = 1 */
  expect("per_processor_slowdown_max", 2.5);
  hc_finding_list_fini(&found);
  /* Where 1000 units are a core: 2 cores, and half a core, which is no less than one: 3 / (1 x 10) again. */
  t[0].units = 2000;
  t[1].units = 500;
  c.core_units = 1000;
  find_all(&hc_metric_per_processor_slowdown, &c, NULL, t, 2, NULL, 0, &found);
  expect("per_processor_slowdown_mean", 1.75);
  hc_finding_list_fini(&found);
}

static void test_area_weighted(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_area_weighted, NULL);   /* areas A 20, D 5, B 40, C 40: 105 in all */
  expect("area_weighted_response", 2050.0 / 105); /* 20x10 + 5x10 + 40x20 + 40x25 */
  expect("area_weighted_wait", 625.0 / 105);      /* 5x5 + 40x15 */
  expect("area_weighted_slowdown", 170.0 / 105);  /* units x response: 2x10 + 1x10 + 2x20 + 4x25 */
  hc_finding_list_fini(&found);
}

static void test_area_weighted_does_not_overflow(void **state)
{
  /* A century on a million processors: area x response is 10^6 x (3.15e18 ns)^2 = 10^43, past 128 bits. */
  const hc_time century = 36500 * HC_DAY;
  hc_task_record t = task_of(0, 0, 0, 0, 1000000, 1);
  hc_metric_context c = context_of(1000000);
  HC_UNUSED(state);
  t.end = century;
  find_all(&hc_metric_area_weighted, &c, NULL, &t, 1, NULL, 0, &found);
  expect("area_weighted_response", 36500 * 86400.0);
  expect("area_weighted_slowdown", 1);
  hc_finding_list_fini(&found);
}

static void test_makespan(void **state)
{
  hc_task_record t = task_of(0, 7, 9, 20, 1, 1);
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  find_all(&hc_metric_makespan, &c, NULL, &t, 1, NULL, 0, &found);
  expect("makespan", 13);
  expect("makespan_from_start", 11);
  hc_finding_list_fini(&found);
}

static void test_load(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_load, NULL);
  expect("work", 105);
  expect("offered_load", 5.25);       /* 105 / (4 x (5 - 0)) */
  expect("offered_load_span", 0.875); /* 105 / (4 x 30) */
  hc_finding_list_fini(&found);
}

static void test_predictions(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_predictions, NULL); /* A 10/20, B 20/20, C 10/5; D has none */
  expect("predictions", 3);
  expect("prediction_accuracy", 3.5 / 3);
  expect("prediction_error", 5); /* (10 + 0 + 5) / 3 */
  expect("underestimated_share", 1.0 / 3);
  hc_finding_list_fini(&found);
}

static void test_fairness(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_fairness, NULL);
  expect("users", 2);
  expect("jain_slowdown", 7.5625 / 8.125); /* means 1.75 (A 1, C 2.5) and 1: 2.75^2 / (2 (3.0625 + 1)) */
  expect("jain_usage", 0.98);              /* areas 60 and 45: 105^2 / (2 (3600 + 2025)) */
  expect("nuwt_unfairness", 2 * (5.0 / 72) * (5.0 / 72)); /* 15/60 and 5/45: each 5/72 from their mean */
  hc_finding_list_fini(&found);
}

static void test_fairness_extremes(void **state)
{
  hc_task_record t[4];
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  for (int i = 0; i < 4; i++) t[i] = task_of(i, 0, 10, 20, 2, i);
  find_all(&hc_metric_fairness, &c, NULL, t, 4, NULL, 0, &found);
  expect("jain_usage", 1); /* all alike */
  expect("jain_slowdown", 1);
  expect("nuwt_unfairness", 0);
  hc_finding_list_fini(&found);
  for (int i = 1; i < 4; i++) t[i].end = t[i].start; /* three users got nothing */
  find_all(&hc_metric_fairness, &c, NULL, t, 4, NULL, 0, &found);
  expect("jain_usage", 0.25); /* 1 / n */
  hc_finding_list_fini(&found);
}

static void test_resource_equality(void **state)
{
  HC_UNUSED(state);
  /* Tasks in the system 2 4 3 2 1; 4/N integrates to 10, 15, 65/3, 95/3, 215/3 at 5, 10, 15, 20, 30 s. A: 20
   * - 15 = 5. D: 5 - (65/3 - 10) = -20/3. B: 40 - 95/3 = 25/3. C: 40 - (215/3 - 10) = -65/3. Mean -15/4.
   * Squared distances: (35/4)^2 + (35/12)^2 + (145/12)^2 + (215/12)^2 = (105^2 + 35^2 + 145^2 + 215^2) /
   * 144. */
  run_on_gantt(&hc_metric_resource_equality, NULL);
  expect("discrimination_variance", 79500.0 / 144 / 4);
  expect("discrimination_negative_mean", -85.0 / 6);
  expect("discrimination_negative_share", 0.5);
  hc_finding_list_fini(&found);
}

/* Each task alone, for 10 s in every 100, with one of four units: it consumed 10 and deserved 40. What lies
 * before an idle time is forgotten, so the state stays small. */
static void test_resource_equality_forgets(void **state)
{
  const hc_metric_type *m = &hc_metric_resource_equality;
  hc_metric_context c = context_of(4);
  hc_metric *self = NULL;
  hc_buffer saved;
  HC_UNUSED(state);
  assert_int_equal(m->init(&c, NULL, &self, NULL), 0);
  for (int64_t i = 0; i < 5000; i++) {
    const hc_interval x[] = {{S(100 * i), S(100 * i + 10), 1, 4, 0, 0, 0, 1},
                             {S(100 * i + 10), S(100 * i + 100), 0, 4, 0, 0, 0, 0}};
    hc_task_record t = task_of(i, 100 * i, 100 * i, 100 * i + 10, 1, 1);
    assert_int_equal(m->intervals(self, x, 2), 0);
    assert_int_equal(m->tasks(self, &t, 1), 0);
  }
  hc_buffer_init(&saved, hc_default_allocator());
  assert_int_equal(
      m->visit(self, &(hc_visitor){.mode = HC_VISIT_SAVE, .allocator = c.allocator, .out = &saved}), 0);
  assert_true(saved.size < 1024);
  hc_buffer_fini(&saved);
  hc_finding_list_init(&found, hc_default_allocator());
  assert_int_equal(m->finish(self, &found.findings), 0);
  expect("discrimination_variance", 0);
  expect("discrimination_negative_mean", -30);
  expect("discrimination_negative_share", 1);
  hc_finding_list_fini(&found);
  m->fini(self);
}

static void test_queue(void **state)
{
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_queue, NULL);
  expect("queue_mean", 20.0 / 30); /* 2x5 + 1x5 + 1x5; by Little's law also the sum of waits, 15 + 5 */
  expect("queue_max", 2);
  expect("queue_units_mean", 65.0 / 30); /* 5x5 + 4x5 + 4x5 */
  expect("queue_units_max", 5);
  expect("queue_nonempty_share", 0.5);
  expect("running_mean", 1.5); /* 2x5 + 2x5 + 2x5 + 1x5 + 1x10 = 45 */
  hc_finding_list_fini(&found);
}

static void test_capacity_loss(void **state)
{
  /* Ten units. 4 s idle 3 with a task of 2 waiting; 6 s idle 3 with a task of 5; empty before, between and
   * after. */
  const hc_interval x[] = {
      {S(0), S(100), 0, 10, 0, 0, 0, 0},    {S(100), S(104), 7, 10, 1, 2, 2, 3},
      {S(104), S(110), 7, 10, 1, 5, 5, 3},  {S(110), S(115), 0, 10, 0, 0, 0, 0},
      {S(115), S(120), 10, 10, 1, 5, 5, 3}, {S(120), S(300), 0, 10, 0, 0, 0, 0},
  };
  hc_metric_context c = context_of(10);
  HC_UNUSED(state);
  find_all(&hc_metric_capacity_loss, &c, NULL, NULL, 0, x, HC_ARRAY_LEN(x), &found);
  expect("capacity_loss_zhang", 0.15); /* 3 x 10 / (10 x (120 - 100)) */
  expect("capacity_loss_leung", 0.13); /* 2 x 4 + 3 x 6 = 26 of 200 */
  expect("capacity_loss_tang", 0.06);  /* 3 x 4 = 12 of 200: only the task of 2 would fit */
  hc_finding_list_fini(&found);
  run_on_gantt(&hc_metric_capacity_loss, NULL);
  expect("capacity_loss_zhang", 0.125); /* 1 x 5 + 2 x 5 = 15 of 120 */
  expect("capacity_loss_tang", 0);      /* C needs all four */
  hc_finding_list_fini(&found);
}

static void test_utilisation(void **state)
{
  void *o = default_options(&hc_metric_utilisation.component);
  const hc_component *c = &hc_metric_utilisation.component;
  HC_UNUSED(state);
  run_on_gantt(&hc_metric_utilisation, o);
  expect("utilisation", 0.875);      /* 105 / (4 x 30) */
  expect("utilisation_arrivals", 1); /* full from 0 to 5 */
  expect("utilisation_window", 1);
  expect("utilisation_window_from", 0);
  expect("utilisation_window_until", 5);
  hc_finding_list_fini(&found);
  set_option(c, o, "until", 1); /* queue_empty: C leaves it at 20 */
  run_on_gantt(&hc_metric_utilisation, o);
  expect("utilisation_window", 65.0 / 80); /* 20 + 20 + 15 + 10 */
  expect("utilisation_window_until", 20);
  hc_finding_list_fini(&found);
  set_option(c, o, "until", 2);
  set_option(c, o, "from", 0);
  run_on_gantt(&hc_metric_utilisation, o);
  expect("utilisation_window", 0.875);
  hc_finding_list_fini(&found);
  free(o);
}

static void test_utilisation_with_capacity_down(void **state)
{
  /* Half of ten units is down for half of the time; five are busy all the time. Origin long before. */
  const hc_interval x[] = {{S(0), S(1000), 0, 10, 0, 0, 0, 0},
                           {S(1000), S(1010), 5, 10, 0, 0, 0, 1},
                           {S(1010), S(1020), 5, 5, 0, 0, 0, 1},
                           {S(1020), S(1030), 0, 10, 0, 0, 0, 0}};
  hc_task_record t[2] = {task_of(0, 1000, 1000, 1020, 4, 1), task_of(1, 1015, 1015, 1020, 1, 1)};
  hc_metric_context c = context_of(10);
  HC_UNUSED(state);
  find_all(&hc_metric_utilisation, &c, NULL, t, 2, x, HC_ARRAY_LEN(x), &found);
  expect("utilisation", 100.0 / 150);
  expect("utilisation_arrivals", 75.0 / 125); /* 1000 to 1015: 5 x 15 of 10 x 10 + 5 x 5 */
  expect("utilisation_window_from", 1010);    /* full when only five exist */
  expect("utilisation_window", 1);
  hc_finding_list_fini(&found);
}

static void test_nothing_is_null(void **state)
{
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  find_all(&hc_metric_wait, &c, NULL, NULL, 0, NULL, 0, &found);
  expect_nothing(&found, "wait_mean");
  expect_nothing(&found, "wait_p50");
  hc_finding_list_fini(&found);
  find_all(&hc_metric_utilisation, &c, NULL, NULL, 0, NULL, 0, &found);
  expect_nothing(&found, "utilisation");
  expect_nothing(&found, "utilisation_window");
  hc_finding_list_fini(&found);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tasks),
      cmocka_unit_test(test_only_started_tasks_count),
      cmocka_unit_test(test_wait),
      cmocka_unit_test(test_response),
      cmocka_unit_test(test_slowdown),
      cmocka_unit_test(test_bounded_slowdown),
      cmocka_unit_test(test_per_processor_slowdown),
      cmocka_unit_test(test_area_weighted),
      cmocka_unit_test(test_area_weighted_does_not_overflow),
      cmocka_unit_test(test_makespan),
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_predictions),
      cmocka_unit_test(test_fairness),
      cmocka_unit_test(test_fairness_extremes),
      cmocka_unit_test(test_resource_equality),
      cmocka_unit_test(test_resource_equality_forgets),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_capacity_loss),
      cmocka_unit_test(test_utilisation),
      cmocka_unit_test(test_utilisation_with_capacity_down),
      cmocka_unit_test(test_nothing_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
