/* test_survey.c -- sketches against sorted values, and a survey whose figures can be counted by hand. */
#define _GNU_SOURCE
#include "workload_test.h"

#include "workload/sketch.h"

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void test_sketch_is_exact(void **state)
{
  static const double shares[] = {0, 0.25, 0.5, 0.75, 0.99, 1};
  double out[6];
  hc_sketch s;
  HC_UNUSED(state);
  hc_sketch_init(&s, hc_default_allocator(), 100, 10);
  hc_sketch_quantiles(&s, shares, 6, out);
  assert_true(out[0] != out[0]); /* nothing: NaN */
  for (int64_t i = 4; i >= 1; i--) assert_int_equal(hc_sketch_add(&s, i * 10, 1), 0);
  hc_sketch_quantiles(&s, shares, 6, out); /* rank ceil(q 4): 1, 1, 2, 3, 4, 4 */
  assert_true(out[0] == 10 && out[1] == 10 && out[2] == 20 && out[3] == 30 && out[4] == 40 && out[5] == 40);
  assert_true(hc_sketch_is_exact(&s) && s.sum == 100 && s.least == 10 && s.most == 40);
  hc_sketch_fini(&s);
}

/* More than are kept: each quantile within half a step of the true one. */
static void test_sketch_is_near(void **state)
{
  enum { N = 50000 };
  static const double shares[] = {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
  int64_t *values = test_malloc(N * sizeof *values);
  double out[8], both[8];
  hc_sketch s, half[2];
  uint64_t x = 88172645463325252u;
  HC_UNUSED(state);
  hc_sketch_init(&s, hc_default_allocator(), 1000, 7);
  for (int i = 0; i < 2; i++) hc_sketch_init(&half[i], hc_default_allocator(), 1000, 7);
  for (size_t i = 0; i < N; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    values[i] = (int64_t)(x >> (1 + x % 60));
    assert_int_equal(hc_sketch_add(&s, values[i], 1), 0);
    assert_int_equal(hc_sketch_add(&half[i % 2], values[i], 1), 0);
  }
  qsort(values, N, sizeof *values, by_value);
  hc_sketch_quantiles(&s, shares, 8, out);
  assert_false(hc_sketch_is_exact(&s));
  for (size_t i = 0; i < 8; i++) {
    size_t rank = (size_t)(shares[i] * N);
    if ((double)rank < shares[i] * N) rank++;
    const double truth = (double)values[rank - 1], error = out[i] > truth ? out[i] - truth : truth - out[i];
    assert_true(error <= truth / 256);
  }
  assert_int_equal(hc_sketch_merge(&half[0], &half[1]), 0); /* two halves are one whole */
  hc_sketch_quantiles(&half[0], shares, 8, both);
  assert_int_equal(half[0].n, N);
  for (size_t i = 0; i < 8; i++) assert_true(both[i] == out[i]);
  hc_sketch_fini(&s);
  for (int i = 0; i < 2; i++) hc_sketch_fini(&half[i]);
  test_free(values);
}

static void add(hc_survey *s, hc_time submit, hc_time run, int64_t job, int64_t priority, int64_t cores)
{
  hc_trace_task t = {.spec = hc_task_spec_none(), .units = cores, .run = run * HC_SECOND};
  t.spec.submit = submit * HC_SECOND;
  t.spec.run = run * HC_SECOND;
  t.spec.job = job;
  t.spec.priority = priority;
  t.spec.need[HC_DIM_CPU] = cores * 1000;
  t.spec.need[HC_DIM_MEMORY] = cores * 100;
  t.spec.user = priority;
  assert_int_equal(hc_survey_add(s, &t), 0);
}

/* Two jobs of the low band (one of three tasks), one of the high one that has most of the work. */
static void test_classes(void **state)
{
  static const int64_t bands[] = {5};
  static const double half = 0.5;
  const hc_trace_info info = {.unix_start = 3600 * 5}; /* five in the morning */
  const hc_survey_options o = {.by = HC_BY_BAND, .bands = bands, .band_count = 1, .info = &info};
  hc_survey *s;
  double median;
  HC_UNUSED(state);
  assert_int_equal(hc_survey_new(hc_default_allocator(), &o, &s), 0);
  add(s, 0, 10, 1, 0, 1);
  add(s, 0, 20, 1, 0, 1);
  add(s, 100, 10, 1, 0, 2); /* the same job, later: it lasts from 0 to 110 */
  add(s, 200, 30, -1, 4, 1);
  add(s, 3600, 1000, 2, 5, 4);
  assert_int_equal(hc_survey_end(s), 0);
  const hc_survey_totals *t = hc_survey_get(s);
  assert_true(t->all.jobs == 3 && t->all.tasks == 5);
  assert_true(t->all.cpu_time == 10 + 20 + 20 + 30 + 4000 && t->all.memory_time == 408000);
  assert_true(t->first_submit == 0 && t->last_submit == HC_HOUR && t->last_end == 4600 * HC_SECOND);
  assert_true(t->submitted[5] == 4 && t->submitted[6] == 1 && t->work[6] == 4000);
  assert_int_equal(t->users, 3);
  assert_int_equal(hc_survey_classes(s), 2);
  const hc_class_totals *low = hc_survey_class(s, 0), *high = hc_survey_class(s, 1);
  assert_true(low->key == 0 && low->jobs == 2 && low->tasks == 4 && low->cpu_time == 80);
  assert_true(high->key == 1 && high->jobs == 1 && high->tasks == 1 && high->cpu_time == 4000);
  hc_spread p = hc_survey_class_spread(s, 0, HC_CLASS_DURATION, &half, 1, &median);
  assert_true(p.known == 2 && median == 30 && p.most == 110 && p.mean == 70 && p.exact);
  p = hc_survey_class_spread(s, 0, HC_CLASS_SIZE, &half, 1, &median);
  assert_true(p.known == 2 && p.least == 1 && p.most == 3);
  p = hc_survey_class_spread(s, 0, HC_CLASS_INTERARRIVAL, &half, 1, &median); /* of jobs: 0, then 200 */
  assert_true(p.known == 1 && median == 200);
  p = hc_survey_spread(s, HC_MEASURE_CPU, &half, 1, &median);
  assert_true(p.known == 5 && median == 1 && p.most == 4);
  p = hc_survey_spread(s, HC_MEASURE_WAIT, &half, 1, &median);
  assert_true(p.known == 0 && p.missing == 5 && median != median);
  hc_survey_free(s);
}

/* More classes than are told apart: the rest is one, and nothing is lost. */
static void test_many_classes(void **state)
{
  const hc_survey_options o = {.by = HC_BY_USER};
  hc_survey *s;
  uint64_t tasks = 0;
  HC_UNUSED(state);
  assert_int_equal(hc_survey_new(hc_default_allocator(), &o, &s), 0);
  for (int64_t i = 0; i < 1000; i++) add(s, i, 1, -1, i, 1);
  assert_int_equal(hc_survey_end(s), 0);
  const size_t n = hc_survey_classes(s);
  assert_int_equal(n, 257);
  for (size_t i = 0; i < n; i++) tasks += hc_survey_class(s, i)->tasks;
  assert_int_equal(tasks, 1000);
  assert_int_equal(hc_survey_class(s, n - 1)->key, INT64_MAX);
  hc_survey_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sketch_is_exact),
                                     cmocka_unit_test(test_sketch_is_near), cmocka_unit_test(test_classes),
                                     cmocka_unit_test(test_many_classes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
