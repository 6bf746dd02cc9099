/* test_slurm_together.c -- heterogeneous jobs under the policy slurm, by hand. What slurmctld did is in
 * test_slurm_placed.c. */
#include "slurm_runs_test.h"

#define PARTS(more) \
  "SchedulerParameters=bf_resolution=1" more \
  "\nNodeName=n[0-3] CPUs=8\nPartitionName=a Nodes=n[0-3]\nPartitionName=c Nodes=n[2-3]\n"
#define COMPONENT(id, at, run, limit, nodes, part, job, number) \
  T_WITH(id, at, run, limit, nodes, 8, ", partition: " part ", job: " #job ", component: " #number)
#define WHOLE_OF(id, at, run, limit, nodes, part) T_IN(id, at, run, limit, nodes, 8, part)

/* Cycles come at 0, 30, 60 s to the millisecond. */
#define EVEN "per_job: 0"

/* Though all nodes are free when they come at 6, components start with the cycle at 30, and keep their
 * partitions from what stands behind them in the passes before: task 4 starts beside them in that cycle. */
static void test_by_the_backfill_alone(void **state)
{
  (void)state;
  RUN(PARTS(""), EVEN, NULL,
      WHOLE_OF(1, 0, 5, 5, 1, "a") COMPONENT(2, 6, 50, 100, 1, "a", 7, 0)
          COMPONENT(3, 6, 60, 100, 1, "c", 7, 1) WHOLE_OF(4, 7, 10, 10, 1, "a"),
      0, 30000, 30000, 30000);
  /* sched/builtin has no backfill, and starts none. */
  RUN(BUILTIN PARTS(""), NULL, NULL, COMPONENT(1, 1, 5, 9, 1, "a", 7, 0) COMPONENT(2, 1, 6, 9, 1, "c", 7, 1),
      -1, -1);
}

/* Task 1 has n2 and n3 until 100, its limit. Component 0 finds n0 at once, 1 the two of c at 100: neither
 * starts before. From 30 on component 0 keeps n0 from task 4, which has n1: task 5 finds nothing till the
 * job is gone. At 100 the pass starts no component, the cycle at 120 both. */
static void test_when_all_can(void **state)
{
  (void)state;
  RUN(PARTS(""), EVEN, NULL,
      WHOLE_OF(1, 0, 100, 100, 2, "c") COMPONENT(2, 1, 50, 200, 1, "a", 7, 0)
          COMPONENT(3, 1, 60, 200, 2, "c", 7, 1) WHOLE_OF(4, 2, 300, 300, 1, "a")
              WHOLE_OF(5, 3, 10, 300, 1, "a"),
      0, 120000, 120000, 30000, 170000);
}

/* Both want n2 and n3: the second is planned behind the first, and so the job never starts. A component
 * alone in the trace is a job by itself. */
static void test_never_together(void **state)
{
  (void)state;
  RUN(PARTS(""), EVEN, NULL,
      COMPONENT(1, 0, 5, 9, 2, "c", 7, 0) COMPONENT(2, 0, 6, 9, 1, "c", 7, 1)
          COMPONENT(3, 0, 6, 9, 1, "a", 8, 1),
      -1, -1, 0);
}

/* An account of 16 cores: two components of 8 start, three do not, be each of them within the limit; and
 * none of the three is started. */
static void test_limits_of_all(void **state)
{
  static const char keys[] = "sacctmgr: [\"add account x GrpTRES=cpu=16\", \"add user ann account=x\"]";
#define OF_ANN(id, job, number) \
  T_WITH(id, 0, 50, 100, 1, 8, ", partition: a, user: ann, group: x, job: " #job ", component: " #number)
  (void)state;
  RUN("AccountingStorageEnforce=limits\n" PARTS(""), keys, NULL, OF_ANN(1, 7, 0) OF_ANN(2, 7, 1), 0, 0);
  RUN("AccountingStorageEnforce=limits\n" PARTS(""), keys, NULL,
      OF_ANN(1, 7, 0) OF_ANN(2, 7, 1) OF_ANN(3, 7, 2) OF_ANN(4, 8, 0), -1, -1, -1, 0);
#undef OF_ANN
}

/* Components 0, in a, and 1, in c, want n0 and n1; task 4 wants one of these, in a partition of tier
 * `between`. By their own tiers, 1 and 10, component 1 goes before it and component 0 behind; by the
 * greatest both go before, by the least both behind, and by the mean, 5, before one of 5 that came later.
 * One that goes before the components starts in the pass at 8, and is over when the cycle at 60 comes. */
static void test_prio_of_components(void **state)
{
#define TIERED(more, between) \
  "SchedulerParameters=bf_resolution=1" more \
  "\nNodeName=n[0-1] CPUs=8\nPartitionName=a Nodes=n0 PriorityTier=1\nPartitionName=c Nodes=n1 " \
  "PriorityTier=10\nPartitionName=b0 Nodes=n0 PriorityTier=" between \
  "\nPartitionName=b1 Nodes=n1 PriorityTier=" between "\n"
#define BESIDE(part) \
  WHOLE_OF(1, 0, 5, 5, 1, "a") \
  COMPONENT(2, 6, 50, 100, 1, "a", 7, 0) \
  COMPONENT(3, 6, 50, 100, 1, "c", 7, 1) WHOLE_OF(4, 6, 40, 40, 1, part)
#define THEY_GO_FIRST 0, 30000, 30000, 80000
#define TASK_4_GOES_FIRST 0, 60000, 60000, 8000
  (void)state;
  RUN(TIERED("", "5"), EVEN, NULL, BESIDE("b0"), TASK_4_GOES_FIRST);
  RUN(TIERED("", "5"), EVEN, NULL, BESIDE("b1"), THEY_GO_FIRST);
  RUN(TIERED(",bf_hetjob_prio=max", "5"), EVEN, NULL, BESIDE("b0"), THEY_GO_FIRST);
  RUN(TIERED(",bf_hetjob_prio=min", "5"), EVEN, NULL, BESIDE("b1"), TASK_4_GOES_FIRST);
  RUN(TIERED(",bf_hetjob_prio=avg", "5"), EVEN, NULL, BESIDE("b0"), THEY_GO_FIRST);
  RUN(TIERED(",bf_hetjob_prio=avg", "6"), EVEN, NULL, BESIDE("b1"), TASK_4_GOES_FIRST);
#undef BESIDE
}

/* With bf_hetjob_immediate they start when the second is planned, before task 4 is looked at:
 * bf_max_job_start=2 leaves that to the pass at 60. Without it bf_max_job_start=1 lets task 4 start, and
 * them a cycle later. */
static void test_immediate(void **state)
{
  static const char tasks[] = WHOLE_OF(1, 0, 5, 5, 1, "a") COMPONENT(2, 6, 50, 100, 1, "a", 7, 0)
      COMPONENT(3, 6, 50, 100, 1, "c", 7, 1) WHOLE_OF(4, 6, 10, 10, 1, "a");
  (void)state;
  RUN(PARTS(",bf_hetjob_immediate,bf_max_job_start=2"), EVEN, NULL, tasks, 0, 30000, 30000, 60000);
  RUN(PARTS(",bf_max_job_start=1"), EVEN, NULL, tasks, 0, 60000, 60000, 30000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_the_backfill_alone), cmocka_unit_test(test_when_all_can),
      cmocka_unit_test(test_never_together),        cmocka_unit_test(test_limits_of_all),
      cmocka_unit_test(test_prio_of_components),    cmocka_unit_test(test_immediate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
