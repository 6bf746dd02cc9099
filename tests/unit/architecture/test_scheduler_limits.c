/* test_scheduler_limits.c -- what a scheduler may not pass when it commits, jobs of which all start or none,
 * objectives of waits. */
#include "schedulers_test.h"

#define IMPORTANT \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, priority: priority}\n" \
  "policy: scan\nmetrics: [tasks]\nparanoid: true\n"
#define LIMITED(limits, more) \
  IMPORTANT HOSTS( \
      1, 4) "architecture: {use: shared_state, schedulers: [{name: a, think_job: 1s, think_task: 0, " limits \
            "}]" more "}\n"

static void assert_limited(const char *yaml, const char *tasks, const int64_t *starts, size_t count,
                           const char *name, double broken)
{
  bench b;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != starts[i])
      fail_msg("%s\ntask %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
               start_of(&b, (int64_t)i + 1), starts[i]);
  if (figure(&b, name) != broken)
    fail_msg("%s\n%s is %g, should be %g", yaml, name, figure(&b, name), broken);
  assert_true(figure(&b, "conflicts_a") == 0); /* a limit is no conflict */
  end(&b);
}
#define STARTS_AND(yaml, tasks, name, broken, ...) \
  assert_limited(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})), name, \
                 broken)

/* Two of four cores are the limit: the third task is refused at 1, 3 and 5, and starts at 7, when two have
 * ended at 6. */
static void test_resources(void **state)
{
  static const char *const tasks = "job,id,at,run,cpu,priority\n1,1,0,5,1,0\n1,2,0,5,1,0\n1,3,0,5,1,0\n";
  (void)state;
  STARTS_AND(LIMITED("max_cpus: 2", ""), tasks, "limit_resources_a", 3, 1, 1, 7);
  STARTS_AND(LIMITED("max_share: 0.5", ""), tasks, "limit_resources_a", 3, 1, 1, 7);
  STARTS_AND(LIMITED("max_cpus: 2, limits: report", ""), tasks, "limit_resources_a", 1, 1, 1, 1);
  /* Under an architecture that commits what it sees, as well. */
  STARTS_AND(IMPORTANT HOSTS(
                 1, 4) "architecture: {use: partitions, schedulers: [{name: a, think_job: 1s, think_task: 0, "
                       "max_cpus: 2}]}\n",
             tasks, "limit_resources_a", 3, 1, 1, 7);
  /* Offered hosts, the job is not shown them again until something changes: it is refused less often, and
   * starts as soon. */
  STARTS(IMPORTANT HOSTS(
             1, 4) "architecture: {use: two_level, interval: 0s, schedulers: [{name: a, think_job: 1s, "
                   "think_task: 0, max_cpus: 2}]}\n",
         tasks, 1, 1, 7);
  /* All or nothing: three tasks are never two cores, and after three attempts the job is given up. */
  STARTS_AND(LIMITED("max_cpus: 2, all_or_nothing: 1", ", attempts_in_vain: 3"), tasks, "limit_resources_a",
             3, NEVER_STARTED, NEVER_STARTED, NEVER_STARTED);
}

/* Job 2 is refused at 2 and 4, and starts at 6, when job 1 ends. */
static void test_jobs(void **state)
{
  static const char *const tasks = "job,id,at,run,cpu,priority\n1,1,0,5,1,0\n2,2,0,5,1,0\n";
  (void)state;
  STARTS_AND(LIMITED("max_jobs: 1", ""), tasks, "limit_jobs_a", 2, 1, 6);
  STARTS_AND(LIMITED("max_jobs: 2", ""), tasks, "limit_jobs_a", 0, 1, 2);
}

static void test_priorities(void **state)
{
  static const char *const tasks = "job,id,at,run,cpu,priority\n1,1,0,5,1,9\n2,2,0,5,1,1\n";
  (void)state;
  STARTS_AND(LIMITED("max_priority: 8", ", attempts_in_vain: 3"), tasks, "limit_priority_a", 3, NEVER_STARTED,
             2);
  STARTS_AND(LIMITED("min_priority: 2", ", attempts_in_vain: 3"), tasks, "limit_priority_a", 3, 1,
             NEVER_STARTED);
}

/* The rivals of test_schedulers.c: of two cores one is left at 10 for a job of two tasks. Here the job says
 * whether one of them starts, not the architecture. */
static void test_gangs(void **state)
{
  static const char *const tasks = TITLES "1,1,0,50,1,1\n1,2,0,50,1,1\n2,3,3,5,1,2\n";
#define GANGS(when, commit) \
  SOURCE HOSTS( \
      1, 2) "architecture: {use: shared_state, schedulers: [{name: one, takes: user == 1, think_job: 10s, " \
            "think_task: 0, all_or_nothing: " when \
            "}, {name: two, think_job: 5s, think_task: 0}], commit: " commit "}\n"
  (void)state;
  STARTS(GANGS("user == 1", "incremental"), tasks, 21, 32, 8);
  STARTS(GANGS("user == 2", "incremental"), tasks, 10, 32, 8);
  STARTS(GANGS("0", "all_or_nothing"), tasks, 10, 32, 8);
}

/* Three jobs of one line wait for 0, 20 and 40 s: 20 in the mean. A fourth, on the next day, does not
 * wait. */
static void test_objectives(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n2,2,0,5,1,1\n3,3,0,5,1,1\n4,4,90000,5,1,1\n";
  static const struct {
    const char *yaml;
    double jobs, days;
  } cases[] = {
#define AIM(more) \
  SOURCE HOSTS( \
      1, 4) "architecture: {use: multi_path, schedulers: [{name: a, think_job: 20s, think_task: 0" more \
            "}]}\n"
      {AIM(""), 0.75, 1}, {AIM(", objective: 40s"), 1, 1}, {AIM(", objective: 10s"), 0.5, 0.5}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    check(&b, try_text(&b, cases[i].yaml, tasks));
    finish(&b);
    assert_true(figure(&b, "jobs_within_a") == cases[i].jobs);
    assert_true(figure(&b, "days_within_a") == cases[i].days);
    end(&b);
  }
}

/* Two cores. Job 2 (priority 1, one core) is thought about from 3 to 8 and starts; job 1 (priority 9, two of
 * one core) from 0 to 10, and saw both free. Task 2 does not fit: it stops task 3, which has the line of its
 * scheduler to itself. Its thoughts of 5 s, with rests of 1 s between, begin at 10, 16 ... 58, 64: at 64 both
 * cores are free, since 60. */
#define FORCE(more) \
  IMPORTANT HOSTS( \
      1, \
      2) "architecture: {use: shared_state, schedulers: [{name: one, takes: priority == 9, think_job: 10s, " \
         "think_task: 0" more "}, {name: two, think_job: 5s, think_task: 0}]}\n"
static void test_by_force(void **state)
{
  static const char *const tasks = "job,id,at,run,cpu,priority\n1,1,0,50,1,9\n1,2,0,50,1,9\n2,3,3,50,1,1\n";
  bench b;
  (void)state;
  /* Off: task 2 is thought about from 11, 22, 33, 44, 55, 66 on, and at 66 a core is free: task 3 has ended
   * at 58. */
  STARTS(FORCE(""), tasks, 10, 76, 8);
  check(&b, try_text(&b, FORCE(", preempts: true"), tasks));
  finish(&b);
  assert_int_equal(start_of(&b, 1), 10);
  assert_int_equal(start_of(&b, 2), 10);
  assert_int_equal(start_of(&b, 3), 69);
  assert_int_equal(end_of(&b, 3), 119);
  assert_true(record_of(&b, 3)->flags & HC_TASK_PREEMPTED);
  assert_int_equal(counted(&b, "hindcast", "preempted"), 1);
  assert_true(figure(&b, "conflicts_one") == 0);
  end(&b);
}

/* Task 1 needs both cores, and task 3 is as important: task 2 would go in vain, and runs on. So it does where
 * a gang of two finds room for one of them only. */
static void test_not_by_force(void **state)
{
  static const char *const texts[] = {
      "job,id,at,run,cpu,priority\n1,1,0,50,2,9\n2,2,3,5,1,8\n2,3,3,5,1,9\n",
      "job,id,at,run,cpu,priority\n1,1,0,50,1,9\n1,4,0,50,1,9\n2,2,3,5,1,8\n2,3,3,5,1,9\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    bench b;
    check(&b,
          try_text(&b,
                   IMPORTANT HOSTS(
                       1, 2) "architecture: {use: shared_state, schedulers: [{name: one, takes: estimate == "
                             "50, think_job: 10s, think_task: 0, preempts: true, all_or_nothing: 1}, {name: "
                             "two, think_job: 5s, think_task: 0}]}\n",
                   texts[i]));
    finish(&b);
    assert_int_equal(end_of(&b, 2), 13);
    assert_int_equal(end_of(&b, 3), 13);
    assert_int_equal(counted(&b, "hindcast", "preempted"), 0);
    assert_true(figure(&b, "conflicts_one") == 1);
    /* Thoughts end at 10, at 21 (in vain: from 11 on both cores were seen taken), and at 32. */
    assert_int_equal(start_of(&b, 1), 32);
    end(&b);
  }
}

static void test_bad(void **state)
{
  (void)state;
#define LIST(use, list) SOURCE HOSTS(2, 2) "architecture: {use: " use ", schedulers: [" list "]}\n"
  assert_refused(LIST("multi_path", "{name: a, max_jobs: 2}"), "one scheduler serves all");
  assert_refused(LIST("shared_state", "{name: a, max_share: 2}"), "max_share");
  assert_refused(LIST("shared_state", "{name: a, all_or_nothing: usr == 1}"), "user");
  assert_refused(LIST("shared_state", "{name: a, min_priority: 5, max_priority: 4}"), "exchange them");
  assert_refused(
      SOURCE
      "cell: {use: count, procs: 4}\narchitecture: {use: shared_state, schedulers: [{name: a, preempts: "
      "true}]}\n",
      "on hosts");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resources),  cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_priorities), cmocka_unit_test(test_gangs),
      cmocka_unit_test(test_objectives), cmocka_unit_test(test_bad),
      cmocka_unit_test(test_by_force),   cmocka_unit_test(test_not_by_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
