/* test_federation.c -- cells behind a front door: where each way of routing sends jobs, worked by hand; jobs
 * that not every cell could run; one cell alone is a partition; shares of chance. */
#include "schedulers_test.h"

#define CELLS(route, a, b) \
  "architecture: {use: federation, route: " route ", schedulers: [{name: a, think_task: 0, " a \
  "}, {name: b, think_task: 0, " b "}]}\n"
#define QUICK "think_job: 1s"

/* Two hosts of four cores, and tasks that take one of them whole for 5 s: a is sent 1 and 3, b 2 and 4, and
 * tries them again at 3 and 5, when it thinks until the first has ended. */
static void test_round_robin(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,4,1\n2,2,0,5,4,1\n3,3,0,5,4,1\n4,4,0,5,4,1\n";
  (void)state;
  STARTS(SOURCE HOSTS(2, 4) CELLS("round_robin", QUICK, QUICK), tasks, 1, 1, 6, 6);
}

/* a thinks for ten seconds about job 1. Of the jobs at 3 and 5 the next in turn is a's, where it stands
 * behind it until 20; where the fewest jobs are is b, which is idle again by then. */
static void test_fewest_jobs(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n2,2,1,5,1,1\n3,3,3,5,1,1\n4,4,5,5,1,1\n";
  (void)state;
  STARTS(SOURCE HOSTS(2, 4) CELLS("round_robin", "think_job: 10s", QUICK), tasks, 10, 2, 20, 6);
  STARTS(SOURCE HOSTS(2, 4) CELLS("fewest_jobs", "think_job: 10s", QUICK), tasks, 10, 2, 4, 6);
}

static void assert_jobs(const char *yaml, const char *tasks, double a, double b)
{
  bench x;
  check(&x, try_text(&x, yaml, tasks));
  finish(&x);
  if (figure(&x, "jobs_a") != a || figure(&x, "jobs_b") != b)
    fail_msg("%s\nsends %g and %g jobs, should %g and %g", yaml, figure(&x, "jobs_a"), figure(&x, "jobs_b"),
             a, b);
  end(&x);
}

#define UNEQUAL "cell: {use: hosts, classes: [{name: c-0, cpus: 4}, {name: d-0, cpus: 8}]}\n"

/* Four cores and eight, tasks of one that stay. Of equals a: 3/4 is left there; b: 7/8; b: 6/8, as much as in
 * a; a: 2/4; b. When b goes away, tasks and all, nothing of it is free, and the next is a's. */
static void test_most_free(void **state)
{
  static const char *const tasks =
      TITLES "1,1,0,99,1,1\n2,2,2,99,1,1\n3,3,4,99,1,1\n4,4,6,99,1,1\n5,5,8,99,1,1\n";
  (void)state;
  assert_jobs(SOURCE UNEQUAL CELLS("most_free", QUICK, QUICK), tasks, 2, 3);
  assert_jobs(
      SOURCE UNEQUAL
      "events: {use: list, changes: [{at: 7, hosts: d-0, change: down, until: 90}]}\nhost_loss: lost\n" CELLS(
          "most_free", QUICK, QUICK),
      tasks, 3, 2);
}

/* Six cores on one host are in b alone, whatever the way; six tasks of a core are in both. So are those that
 * a does not take. */
static void test_could(void **state)
{
  static const char *const routes[] = {"random", "round_robin", "queue", "fewest_jobs", "most_free"};
  (void)state;
  for (size_t i = 0; i < COUNT(routes); i++) {
    char yaml[1024];
    (void)snprintf(yaml, sizeof yaml, SOURCE UNEQUAL CELLS("%s", QUICK, QUICK), routes[i]);
    assert_jobs(yaml, TITLES "1,1,0,5,6,1\n2,2,0,5,6,1\n3,3,0,5,6,1\n", 0, 3);
    (void)snprintf(yaml, sizeof yaml, SOURCE UNEQUAL CELLS("%s", QUICK ", takes: user == 1", QUICK),
                   routes[i]);
    assert_jobs(yaml, TITLES "1,1,0,5,1,2\n2,2,0,5,1,2\n3,3,0,5,1,2\n", 0, 3);
  }
  /* By slots: 12 of a core find room on three hosts of four, and not on one. */
  assert_jobs("source: {use: csv, file: FILE, id: id, submit: at, run: run, procs: cpu, user: user}\npolicy: "
              "scan\nmetrics: "
              "[tasks]\n" HOSTS(4, 4) CELLS("random", QUICK ", hosts: [\"0\"]", QUICK ", hosts: [\"1-3\"]"),
              TITLES "1,1,0,5,12,1\n2,2,0,5,12,1\n3,3,0,5,12,1\n", 0, 3);
}

/* All tasks of a job go where the first went, and all jobs of a queue to one cell. */
static void test_together(void **state)
{
  (void)state;
  assert_jobs(SOURCE HOSTS(2, 4) CELLS("round_robin", QUICK, QUICK),
              TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n1,3,0,5,1,1\n", 1, 0);
  bench x;
  check(&x, try_text(&x, SOURCE HOSTS(2, 4) CELLS("queue", QUICK, QUICK),
                     TITLES "1,1,0,5,1,1\n2,2,1,5,1,1\n3,3,2,5,1,1\n4,4,3,5,1,1\n"));
  finish(&x);
  assert_true(figure(&x, "jobs_a") == 4 || figure(&x, "jobs_b") == 4);
  end(&x);
}

static void write_crowd(char *out, size_t size)
{
  size_t n = (size_t)snprintf(out, size, TITLES);
  for (int i = 0; i < 400; i++)
    n += (size_t)snprintf(out + n, size - n, "%d,%d,%d,%d,%d,%d\n", i + 1, i + 1, 3 * i, 1 + 7 * i % 30,
                          1 + i % 3, i % 5);
  assert_true(n < size);
}

/* 400 jobs, each with one of two: 200 within four deviations of 10. */
static void test_random(void **state)
{
  static char tasks[16384];
  bench x;
  (void)state;
  write_crowd(tasks, sizeof tasks);
  check(&x, try_text(&x, SOURCE HOSTS(20, 4) CELLS("random", QUICK, QUICK), tasks));
  finish(&x);
  assert_true(figure(&x, "jobs_a") > 160 && figure(&x, "jobs_a") < 240);
  assert_true(figure(&x, "jobs_a") + figure(&x, "jobs_b") == 400);
  end(&x);
}

/* A front door before one cell is none. */
static void test_alone(void **state)
{
  static const char *const kinds[] = {"partitions", "federation"};
  static char tasks[16384];
  static bench x[2];
  (void)state;
  write_crowd(tasks, sizeof tasks);
  for (int i = 0; i < 2; i++) {
    char yaml[1024];
    (void)snprintf(yaml, sizeof yaml,
                   SOURCE HOSTS(5, 4) "architecture: {use: %s, schedulers: [{name: a, count: 3}]}\n",
                   kinds[i]);
    check(&x[i], try_text(&x[i], yaml, tasks));
    finish(&x[i]);
  }
  assert_int_equal(x[0].count, 400);
  assert_memory_equal(x[0].records, x[1].records, x[0].count * sizeof *x[0].records);
  end(&x[0]);
  end(&x[1]);
}

static void test_refused(void **state)
{
  bench x;
  (void)state;
  assert_refused(SOURCE HOSTS(1, 4) CELLS("random", QUICK, QUICK), "1 hosts for 2 schedulers");
  assert_refused(SOURCE HOSTS(4, 4) CELLS("random", "hosts: [\"0-2\"]", "hosts: [\"2-3\"]"),
                 "host 2 belongs to a and to b");
  assert_refused(SOURCE HOSTS(4, 4) CELLS("random", "mold: configured, activities: 9", QUICK),
                 "hosts of its own alone");
  check(&x, try_text(&x, SOURCE HOSTS(2, 4) CELLS("random", "takes: user == 2", "takes: user == 2"),
                     TITLES "1,1,0,5,1,1\n"));
  assert_true(hc_run_advance(x.run, HC_NEVER, 0, &x.error) < 0);
  assert_non_null(strstr(x.error.text, "no scheduler takes task"));
  end(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_robin), cmocka_unit_test(test_fewest_jobs),
                                     cmocka_unit_test(test_most_free),   cmocka_unit_test(test_could),
                                     cmocka_unit_test(test_together),    cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_alone),       cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
