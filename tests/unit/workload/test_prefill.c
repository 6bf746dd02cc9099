/* test_prefill.c -- what the generator `prefill` draws keeps its bounds: at least a thousandth of a core, at
 * most 1e9 seconds left, each drawn once, so that means and counts are those of a law with an end piled up on
 * its bound. */
#define _GNU_SOURCE
#include "base/util.h"
#include "generator_test.h"

extern const hc_reader_type hc_reader_prefill;
#define CHOOSE(...) choose(&hc_reader_prefill.component, "memory=1GiB", __VA_ARGS__, NULL)

/* Cores uniform on (0, 0.002), at least 0.001: half of the jobs have just that, the others 0.0015 on average.
 * The mean is 0.00125 with a deviation of 0.000323, so that 10 cores are reached with 8,000 jobs, give or
 * take 23. */
static void cores_have_a_least_amount(void **state)
{
  generator g;
  int jobs = 0;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("cpus=10", "tasks_per_job=1", "cpu=uniform(0 0.002)", "remaining=1h"));
  while (next_row(&g)) jobs++;
  close_generator(&g);
  assert_in_range(jobs, 8000 - 5 * 23, 8000 + 5 * 23);
}

/* Exponential with a mean of 1e9 s, at most 1e9 s: 1/e of them have just that, the mean of all is (1 - 1/e)
 * 1e9 s with a deviation of 0.36e9. */
static void what_is_left_has_a_greatest_length(void **state)
{
  enum { N = 10000 };
  generator g;
  const hc_task_spec *t;
  double sum = 0;
  int whole = 0, n = 0;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("cpus=10000", "tasks_per_job=1", "cpu=1", "remaining=exponential(1000000000)"));
  for (; (t = next_row(&g)) != NULL; n++) {
    assert_true(t->run <= 1000000000 * HC_SECOND);
    whole += t->run == 1000000000 * HC_SECOND;
    sum += (double)t->run / 1e18;
  }
  close_generator(&g);
  assert_int_equal(n, N);
  assert_in_range(whole, 3679 - 5 * 48, 3679 + 5 * 48);
  assert_true(distance(sum / N, 0.63212) < 5 * 0.36 / 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_have_a_least_amount),
      cmocka_unit_test(what_is_left_has_a_greatest_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
