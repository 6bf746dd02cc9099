/* test_replay.c -- intervals made from records: against the hand-made ones, against a count by brute force,
 * and by Little's law, which ties integrals over time to sums over tasks exactly. */
#include "metric_test.h"

static void expect_intervals(const hc_task_record *t, size_t n, const hc_interval *want, size_t count)
{
  recorded got = {0};
  assert_int_equal(hc_metric_replay(hc_default_allocator(), 4, t, n, record, &got), 0);
  assert_int_equal(got.count, count);
  for (size_t i = 0; i < count; i++) assert_memory_equal(&got.items[i], &want[i], sizeof *want);
  free(got.items);
}

static void test_gantt(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  HC_UNUSED(state);
  gantt(t, x);
  expect_intervals(t, GANTT_TASKS, x, GANTT_INTERVALS);
}

static void test_unfinished_tasks(void **state)
{
  /* 0: runs 0 to 10. 1: submitted 2, still waits. 2: submitted 3, withdrawn at 6. 3: rejected. 4: started 4,
   * runs on. 5: of no length, at 8: holds nothing, but its instant is an event. */
  hc_task_record t[6] = {task_of(0, 0, 0, 10, 2, 1), task_of(1, 2, 0, 0, 3, 1), task_of(2, 3, 0, 6, 1, 1),
                         task_of(3, 3, 0, 0, 9, 1),  task_of(4, 4, 4, 0, 1, 1), task_of(5, 8, 8, 8, 1, 1)};
  const hc_interval want[] = {
      {S(0), S(2), 2, 4, 0, 0, 0, 1}, {S(2), S(3), 2, 4, 1, 3, 3, 1}, {S(3), S(4), 2, 4, 2, 4, 1, 1},
      {S(4), S(6), 3, 4, 2, 4, 1, 2}, {S(6), S(8), 3, 4, 1, 3, 3, 2}, {S(8), S(10), 3, 4, 1, 3, 3, 2},
  };
  HC_UNUSED(state);
  t[1].final = HC_FINAL_WAITING;
  t[1].start = t[1].end = HC_UNKNOWN;
  t[2].final = HC_FINAL_WITHDRAWN;
  t[2].start = HC_UNKNOWN;
  t[3].final = HC_FINAL_REJECTED;
  t[3].start = t[3].end = HC_UNKNOWN;
  t[4].final = HC_FINAL_RUNNING;
  t[4].end = HC_UNKNOWN;
  expect_intervals(t, 6, want, HC_ARRAY_LEN(want));
}

static void test_nothing(void **state)
{
  HC_UNUSED(state);
  expect_intervals(NULL, 0, NULL, 0);
}

static void test_brute_force(void **state)
{
  const size_t n = 300;
  hc_task_record *t = random_tasks(n, 3);
  recorded got = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_metric_replay(hc_default_allocator(), 64, t, n, record, &got), 0);
  assert_true(got.count > n);
  for (size_t i = 0; i < got.count; i++) {
    const hc_interval *x = &got.items[i];
    hc_interval want = {.from = x->from, .to = x->to, .capacity = 64};
    assert_true(x->from < x->to && (i == 0 || got.items[i - 1].to == x->from));
    for (size_t k = 0; k < n; k++) {
      bool waits = t[k].submit <= x->from && x->from < t[k].start,
           runs = t[k].start <= x->from && x->from < t[k].end;
      want.busy += runs ? t[k].units : 0;
      want.running += runs;
      want.waiting += waits;
      want.waiting_units += waits ? t[k].units : 0;
      if (waits && (want.smallest_waiting == 0 || t[k].units < want.smallest_waiting))
        want.smallest_waiting = t[k].units;
    }
    assert_memory_equal(x, &want, sizeof want);
  }
  free(got.items);
  free(t);
}

static double value_of(const hc_finding_list *l, const char *name)
{
  const hc_finding *f = hc_finding_list_get(l, NULL, 0, name);
  assert_non_null(f);
  return f->value;
}

/* Mean queue x time = tasks x mean wait; running alike; busy x time = work. */
static void test_littles_law(void **state)
{
  HC_UNUSED(state);
  for (uint64_t seed = 10; seed < 14; seed++) {
    const size_t n = 2000;
    hc_task_record *t = random_tasks(n, seed);
    hc_metric_context c = context_of(64);
    recorded x = {0};
    hc_finding_list queue, wait, response, load, span, use;
    double time;
    assert_int_equal(hc_metric_replay(hc_default_allocator(), 64, t, n, record, &x), 0);
    find_all(&hc_metric_queue, &c, NULL, t, n, x.items, x.count, &queue);
    find_all(&hc_metric_wait, &c, NULL, t, n, x.items, x.count, &wait);
    find_all(&hc_metric_response, &c, NULL, t, n, x.items, x.count, &response);
    find_all(&hc_metric_load, &c, NULL, t, n, x.items, x.count, &load);
    find_all(&hc_metric_makespan, &c, NULL, t, n, x.items, x.count, &span);
    find_all(&hc_metric_utilisation, &c, NULL, t, n, x.items, x.count, &use);
    time = value_of(&span, "makespan");
    expect_found(&queue, NULL, 0, "queue_mean", (double)n * value_of(&wait, "wait_mean") / time);
    expect_found(&queue, NULL, 0, "running_mean",
                 (double)n * (value_of(&response, "response_mean") - value_of(&wait, "wait_mean")) / time);
    expect_found(&use, NULL, 0, "utilisation", value_of(&load, "work") / (64 * time));
    expect_found(&load, NULL, 0, "offered_load_span", value_of(&use, "utilisation"));
    hc_finding_list_fini(&queue);
    hc_finding_list_fini(&wait);
    hc_finding_list_fini(&response);
    hc_finding_list_fini(&load);
    hc_finding_list_fini(&span);
    hc_finding_list_fini(&use);
    free(x.items);
    free(t);
  }
}

static hc_rc refuse(void *ctx, const hc_interval *intervals, size_t count)
{
  HC_UNUSED(ctx);
  HC_UNUSED(intervals);
  HC_UNUSED(count);
  return HC_ECANCELLED;
}

static void test_hearer_may_stop_it(void **state)
{
  hc_task_record t = task_of(0, 0, 1, 2, 1, 1);
  HC_UNUSED(state);
  assert_int_equal(hc_metric_replay(hc_default_allocator(), 4, &t, 1, refuse, NULL), HC_ECANCELLED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gantt),       cmocka_unit_test(test_unfinished_tasks),
      cmocka_unit_test(test_nothing),     cmocka_unit_test(test_brute_force),
      cmocka_unit_test(test_littles_law), cmocka_unit_test(test_hearer_may_stop_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
