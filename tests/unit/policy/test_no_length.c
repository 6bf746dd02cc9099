/* test_no_length.c -- tasks that are believed to run for no time at all are promised their processors as
 * others are.
 *
 *   task 1: 1 of 4 processors [0, 10). Task 2, at 1, wants all 4 for no time, and no limit says more: its
 *   promise is 10. Task 3, at 2, wants 3 for 20 s: it would be across 10, and starts behind 2. Task 4, at 3,
 *   wants 3 for 5 s: it is through by 8 and starts at once. */
#include "../engine/engine_test.h"
#include "hindcast/base.h"

static const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 1, 0, 4, -1), J(3, 2, 20, 3, 20), J(4, 3, 5, 3, 5)};

static void test_none_is_planned_across_it(void **state)
{
  static const char *const selects[] = {
      "{use: conservative, replan: none}", "{use: conservative, replan: compress}",
      "{use: conservative, replan: full}", "{use: slack, factor: 0}", "easy"};
  static const int64_t starts[] = {0, 10, 10, 3};
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    char yaml[192];
    (void)snprintf(yaml, sizeof yaml, "policy: {order: fcfs, select: %s}\nparanoid: true\n", selects[i]);
    assert_starts(yaml, 4, jobs, COUNT(jobs), starts);
    if (!strstr(selects[i], "conservative")) continue;
    (void)strncat(yaml, "cell: {use: hosts, classes: [{name: a, cpus: 4}]}\n",
                  sizeof yaml - strlen(yaml) - 1);
    assert_starts(yaml, 4, jobs, COUNT(jobs), starts);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_is_planned_across_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
