/* test_batsim_moldable.c -- jobs on fewer hosts than they ask for, as the authors of Batsim expect them.
 *
 * Batsim's test platform small_platform has hosts of 48.492 Mflop/s with one core. A job of four executors,
 * each of which computes 1e9, takes 1e9 / 48.492e6 = 20.621958 s on four of them. Its scheduler may run it on
 * fewer, and says which executor is on which host: two on one host take twice as long, four take four times
 * as long. Of a profile whose work is that of all hosts together (parallel_homogeneous_total, 4e9) a fraction
 * f of the hosts takes 1 / f as long. Expected times are those of Batsim's own tests of moldable jobs, and so
 * is the tolerance of 1e-4 s.
 *
 * Here a task says itself on which of its hosts its executors are, and what settles its size is a component
 * of kind `mold`. */
#include "../unit/engine/tasks_test.h"

static const setting here = {
    .cell = "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 1, speed: 48.492}]}\n",
    .execution = "execution: {use: activities, cpu_speed: 1e6}\n"};

#define BASE 20.621958
#define TOLERANCE 1e-4

static void assert_takes(const char *task, const char *policy, int64_t hosts, double seconds)
{
  bench b;
  char file[64];
  begin_tasks(&b, file, task, policy, 0);
  const hc_task_record *r = record_of(&b, 1);
  const double took = (double)(r->end - r->start) / 1e9;
  if (took < seconds - TOLERANCE || took > seconds + TOLERANCE || r->units != hosts * 1000)
    fail_msg("%s%s: %.6f s on %" PRId64 " thousandths of cores, not %.6f on %" PRId64 " hosts", task, policy,
             took, r->units, seconds, hosts);
  end(&b);
  (void)unlink(file);
}

#define EXECUTORS(hosts, where) \
  "- {id: 1, submit_time: 0, resources: {nodes_count: " #hosts ", cpu_per_node: 1}, executors: " where \
  ", profile: {use: parallel_homogeneous, cpu: 1e9, com: 0}}\n"

/* 43 to 46: all on hosts of their own; custom mappings on 2, 3 and 1. */
static void test_mappings(void **state)
{
  (void)state;
  assert_takes(EXECUTORS(4, "4"), "policy: fcfs\n", 4, BASE);
  assert_takes(EXECUTORS(2, "[0, 0, 1, 1]"), "policy: fcfs\n", 2, 2 * BASE);
  assert_takes(EXECUTORS(2, "[0, 1, 0, 1]"), "policy: fcfs\n", 2, 2 * BASE);
  assert_takes(EXECUTORS(3, "[0, 1, 2, 0]"), "policy: fcfs\n", 3, 2 * BASE);
  assert_takes(EXECUTORS(1, "[0, 0, 0, 0]"), "policy: fcfs\n", 1, 4 * BASE);
}

/* 47 to 50: a fraction of the four hosts. */
static void test_fractions(void **state)
{
  static const char task[] =
      "- {id: 1, submit_time: 0, resources: {nodes_count: 4, cpu_per_node: 1}, moldable: {min: 1, max: 4}, "
      "profile: {use: parallel_homogeneous, total: true, cpu: 4e9, com: 0}}\n";
  (void)state;
  assert_takes(task, "policy: fcfs\n", 4, BASE);
  assert_takes(task, "policy: {use: batch, mold: {use: fraction, share: 1}}\n", 4, BASE);
  assert_takes(task, "policy: {use: batch, mold: {use: fraction, share: 0.75}}\n", 3, BASE / 0.75);
  assert_takes(task, "policy: {use: batch, select: easy, mold: {use: fraction, share: 0.5}}\n", 2,
               BASE / 0.5);
  assert_takes(task, "policy: {use: batch, select: scan, mold: {use: fraction, share: 0.25}}\n", 1,
               BASE / 0.25);
  assert_takes(task, "policy: {use: batch, select: conservative, mold: fewest}\n", 1, BASE / 0.25);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mappings), cmocka_unit_test(test_fractions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
