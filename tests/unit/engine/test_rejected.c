/* test_rejected.c -- a task that is rejected is gone, with all that was to happen to it.
 *
 * Job 3 asks for more than a host has, and its user would take it away after 3 s. Its architecture rejects it
 * at once; by then job 5 stands in its place in the table of live tasks, and runs. It is not to be withdrawn
 * for job 3. */
#include "engine_test.h"

#define KUBERNETES \
  "cell: {use: hosts, classes: [{count: 5, name_prefix: c, cpus: 4}]}\ncancelled: withdraw\nparanoid: " \
  "true\n" \
  "architecture: kubernetes\n"

static void test_its_withdrawal_does_not_come(void **state)
{
  static const job jobs[] = {J(1, 0, 32, 3, 47), J_WITH(2, 0, -1, 7, 3, .wait = 3), J(3, 0, 1, 3, 20),
                             J(4, 2, 3, 4, 10), J(5, 2, 3, 2, 3)};
  bench b;
  (void)state;
  begin(&b, KUBERNETES, 20, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(b.count, COUNT(jobs));
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_REJECTED);
  for (size_t i = 0; i < COUNT(jobs); i++) {
    if (jobs[i].id == 2) continue;
    assert_int_equal(record_of(&b, jobs[i].id)->final, HC_FINAL_COMPLETED);
    assert_int_equal(record_of(&b, jobs[i].id)->end - record_of(&b, jobs[i].id)->start,
                     jobs[i].run * HC_SECOND);
  }
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_its_withdrawal_does_not_come)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
