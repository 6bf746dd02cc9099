/* test_tables.c -- tables by user, group, queue, day and hour, and the series. */
#include "metric_test.h"

static hc_finding_list found;

static void test_by_user(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  hc_metric_context c = context_of(4);
  HC_UNUSED(state);
  gantt(t, x);
  find_all(&hc_metric_by_user, &c, NULL, t, GANTT_TASKS, NULL, 0, &found);
  expect_found(&found, "by_user", 1, "tasks", 2);
  expect_found(&found, "by_user", 1, "wait_mean", 7.5); /* A 0, C 15 */
  expect_found(&found, "by_user", 1, "wait_max", 15);
  expect_found(&found, "by_user", 1, "response_mean", 17.5); /* 10, 25 */
  expect_found(&found, "by_user", 1, "bounded_slowdown_mean", 1.75);
  expect_found(&found, "by_user", 1, "area", 60);
  expect_found(&found, "by_user", 2, "wait_mean", 2.5); /* D 5, B 0 */
  expect_found(&found, "by_user", 2, "area", 45);
  assert_int_equal(found.count, 2 * 6);
  hc_finding_list_fini(&found);
}

static void test_keys_come_in_order_and_unknown_is_a_row(void **state)
{
  hc_task_record t[3] = {task_of(0, 0, 0, 1, 1, 70000), task_of(1, 0, 0, 1, 1, -1),
                         task_of(2, 0, 0, 1, 1, 3)};
  hc_metric_context c = context_of(4);
  const int64_t keys[] = {-1, 3, 70000};
  HC_UNUSED(state);
  find_all(&hc_metric_by_queue, &c, NULL, t, 3, NULL, 0, &found);
  assert_int_equal(found.count, 3 * 6);
  for (size_t i = 0; i < 3; i++) assert_true(found.items[i * 6].key == keys[i]);
  hc_finding_list_fini(&found);
  find_all(&hc_metric_by_group, &c, NULL, t, 3, NULL, 0, &found);
  for (size_t i = 0; i < 3; i++) assert_true(found.items[i * 6].key == keys[i]);
  hc_finding_list_fini(&found);
}

static void test_days_and_hours_are_local(void **state)
{
  /* Origin 2000-01-01 22:30 UTC, which is day 10957; in a zone one hour east that is 23:30. */
  hc_metric_context c = context_of(4);
  hc_task_record t[3] = {task_of(0, 0, 0, 1, 1, 1), task_of(1, 1799, 1800, 1801, 1, 1),
                         task_of(2, 1800, 1810, 1820, 1, 1)};
  HC_UNUSED(state);
  c.unix_start = INT64_C(10957) * 86400 + 22 * 3600 + 1800;
  c.zone_offset = 3600;
  find_all(&hc_metric_by_day, &c, NULL, t, 3, NULL, 0, &found);
  expect_found(&found, "by_day", 10957, "tasks", 2); /* 23:30:00 and 23:59:59 */
  expect_found(&found, "by_day", 10958, "tasks", 1); /* 00:00:00 */
  expect_found(&found, "by_day", 10958, "wait_mean", 10);
  hc_finding_list_fini(&found);
  find_all(&hc_metric_by_hour, &c, NULL, t, 3, NULL, 0, &found);
  expect_found(&found, "by_hour", 23, "tasks", 2);
  expect_found(&found, "by_hour", 0, "tasks", 1);
  hc_finding_list_fini(&found);
}

static void test_days_without_an_origin_count_from_it(void **state)
{
  hc_metric_context c = context_of(4);
  hc_task_record t[2] = {task_of(0, 86399, 86400, 90000, 1, 1), task_of(1, 86400, 86400, 90000, 1, 1)};
  HC_UNUSED(state);
  c.zone_offset = 3600; /* of no meaning without an origin */
  find_all(&hc_metric_by_day, &c, NULL, t, 2, NULL, 0, &found);
  expect_found(&found, "by_day", 0, "tasks", 1);
  expect_found(&found, "by_day", 1, "tasks", 1);
  hc_finding_list_fini(&found);
}

static void test_series(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  hc_metric_context c = context_of(4);
  void *o = default_options(&hc_metric_series.component);
  HC_UNUSED(state);
  gantt(t, x);
  set_option(&hc_metric_series.component, o, "interval", 8);
  find_all(&hc_metric_series, &c, o, NULL, 0, x, GANTT_INTERVALS, &found);
  assert_int_equal(found.count, 4 * 5); /* 0, 8, 16 and the partial row 24 to 30 */
  expect_found(&found, "series", 0, "busy_mean", 4);
  expect_found(&found, "series", 0, "queue_mean", 6.0 / 8);        /* 2 tasks for 3 s */
  expect_found(&found, "series", 0, "queue_units_mean", 15.0 / 8); /* 5 units for 3 s */
  expect_found(&found, "series", 8, "busy_mean", 25.0 / 8);        /* 4 x 2 + 3 x 5 + 2 x 1 */
  expect_found(&found, "series", 8, "utilisation", 25.0 / 32);
  expect_found(&found, "series", 8, "queue_mean", 10.0 / 8); /* 2 x 2 + 1 x 5 + 1 x 1 */
  expect_found(&found, "series", 16, "running_mean", 1);     /* B to 20, then C */
  expect_found(&found, "series", 24, "busy_mean", 4);        /* over 6 s, not 8 */
  hc_finding_list_fini(&found);
  free(o);
}

static void test_series_refuses_too_many_rows(void **state)
{
  const hc_metric_type *m = &hc_metric_series;
  const hc_interval x = {S(0), S(1000001), 1, 4, 0, 0, 0, 1};
  hc_metric_context c = context_of(4);
  void *o = default_options(&m->component);
  hc_metric *self = NULL;
  hc_error e = {0};
  HC_UNUSED(state);
  set_option(&m->component, o, "interval", 1);
  assert_int_equal(m->init(&c, o, &self, &e), 0);
  assert_int_equal(m->intervals(self, &x, 1), HC_ELIMIT);
  assert_int_equal(hc_metric_fail(m, HC_ELIMIT, &e), HC_ELIMIT);
  assert_non_null(strstr(e.text, "longer `interval`")); /* the remedy */
  m->fini(self);
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_user),
      cmocka_unit_test(test_keys_come_in_order_and_unknown_is_a_row),
      cmocka_unit_test(test_days_and_hours_are_local),
      cmocka_unit_test(test_days_without_an_origin_count_from_it),
      cmocka_unit_test(test_series),
      cmocka_unit_test(test_series_refuses_too_many_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
