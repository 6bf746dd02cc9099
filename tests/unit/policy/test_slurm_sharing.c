/* test_slurm_sharing.c -- who may be beside a job under the policy slurm, how many nodes a partition lets
 * it have, and which are the least loaded: by hand. What slurmctld did is in test_slurm_recorded.c. */
#include "slurm_runs_test.h"

#define OF(who) ", user: " who
#define SLOTS(id, at, run, limit, cpus, more) T_WITH(id, at, run, limit, cpus, 1, ", spread: false" more)
#define WHOLE_HOST(id, part) \
  "- {id: " #id ", submit_time: 0, delay: 10, limit: 10, resources: {nodes_count: 1}, partition: " part "}\n"
#define NODES4 "NodeName=n[0-3] CPUs=8\n"

/* ---- nodes of one job ---- */

/* Task 1 has a core of n0, 2 one of n1, which are 2's alone, 3 has n2. 4 wants 7 cores of two nodes each:
 * n0 and n3, since n1 is taken though 7 cores of it are idle. 5 wants a node that nothing is on, and blocks
 * both partitions' nodes: it is planned when 3 and 4 end, at 53. The cycle at 30 starts 6 on the last core
 * of n3, which it has left by then. */
static void test_exclusive_partition(void **state)
{
  (void)state;
  RUN(FINE NODES4 "PartitionName=s Nodes=n[0-3]\nPartitionName=x Nodes=n[0-3] OverSubscribe=EXCLUSIVE\n",
      NULL, NULL,
      T_IN(1, 0, 100, 100, 1, 1, "s") T_IN(2, 0, 100, 100, 1, 1, "x") T_IN(3, 1, 50, 50, 1, 8, "s")
          T_IN(4, 1, 50, 50, 2, 7, "s") T_IN(5, 5, 10, 10, 1, 1, "x") T_IN(6, 5, 10, 10, 1, 1, "s"),
      0, 0, 3000, 3000, 53000, 30000);
}

/* 12 cores on nodes of its own are all of n0 and half of n1: the rest of that is no other's. 2 has n2, 3 and
 * 4 share n3, and 5, of one core, has to wait. */
static void test_exclusive_job(void **state)
{
  (void)state;
  RUN(FINE FOUR, NULL, NULL,
      SLOTS(1, 0, 100, 100, 12, ", exclusive: true") T(2, 0, 200, 200, 1, 8) T(3, 0, 200, 200, 1, 4)
          T(4, 1, 200, 200, 1, 4) T(5, 1, 10, 10, 1, 1),
      0, 0, 0, 3000, 100000);
  /* Planned behind others it has whole nodes, too: task 2 wants four empty nodes, which there are at 100. 3
   * ends before on n3, where 4 would not. */
  RUN(FINE FOUR, NULL, NULL,
      T(1, 0, 100, 100, 3, 1) SLOTS(2, 1, 10, 10, 25, ", exclusive: true") T(3, 2, 50, 50, 1, 8)
          T(4, 2, 50, 500, 1, 8),
      0, 100000, 30000, 110000);
}

/* What a job has of its nodes beside what it asked for counts: an account of 8 cores has one such job at a
 * time. Without `exclusive` both run at once. */
static void test_exclusive_counts_whole_nodes(void **state)
{
  static const char keys[] = "sacctmgr: [\"add account a GrpTRES=cpu=8\", \"add user ann account=a\"]";
  (void)state;
  RUN(FINE "AccountingStorageEnforce=limits\n" FOUR, keys, NULL,
      T_WITH(1, 0, 100, 100, 1, 1, ", user: ann, group: a")
          T_WITH(2, 0, 100, 100, 1, 1, ", user: ann, group: a"),
      0, 0);
  RUN(FINE "AccountingStorageEnforce=limits\n" FOUR, keys, NULL,
      T_WITH(1, 0, 100, 100, 1, 1, ", user: ann, group: a, exclusive: true")
          T_WITH(2, 0, 100, 100, 1, 1, ", user: ann, group: a, exclusive: true"),
      0, 100000);
}

/* A node that grows under a job that has it alone is still that job's: task 2 starts when task 1 ends. */
static void test_exclusive_node_that_grows(void **state)
{
  (void)state;
  RUN(FINE "NodeName=n0 CPUs=8\nPartitionName=x Nodes=n0\n", NULL,
      EVENTS("{at: 10, hosts: n0, change: resize, amounts: [cpus=16]}"),
      T_WITH(1, 0, 100, 100, 1, 1, ", exclusive: true") T(2, 1, 10, 10, 1, 1), 0, 100000);
}

/* Task 1 has n0 alone. Task 2 suspends it, and goes on alone for 50 s; 3, of the lower partition, gets
 * nothing of n0 meanwhile, nor before task 1 has ended, 50 s later than it would have. */
static void test_exclusive_and_suspended(void **state)
{
  static const char conf[] = FINE
      "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nNodeName=n0 CPUs=8\nPartitionName=low "
      "Nodes=n0\nPartitionName=high Nodes=n0 PriorityTier=10\n";
  (void)state;
  RUN(conf, NULL, NULL,
      T_WITH(1, 0, 100, 100, 1, 1, ", partition: low, exclusive: true")
          T_WITH(2, 10, 50, 50, 1, 4, ", partition: high, exclusive: true") T_IN(3, 12, 10, 10, 1, 1, "low"),
      0, 10000, 150000);
}

/* ---- nodes of one user ---- */

#define OWNED FINE NODES4 "PartitionName=s Nodes=n[0-3]\nPartitionName=u Nodes=n[0-3] ExclusiveUser=YES\n"

/* n0 is ann's, n1 bob's. Task 3, of ann, wants all nodes, in the other partition: it waits for bob's job,
 * and no plan is made for it. The cycle at 30 starts 4 on n2, which is then no node for 5, that wants two
 * free of others: n1 and n2 at 60. */
static void test_exclusive_user(void **state)
{
  (void)state;
  RUN(OWNED, NULL, NULL,
      T_WITH(1, 0, 100, 100, 1, 1, OF("ann") ", partition: u")
          T_WITH(2, 0, 50, 50, 1, 1, OF("bob") ", partition: u")
              T_WITH(3, 1, 10, 10, 4, 1, OF("ann") ", partition: s")
                  T_WITH(4, 1, 5, 5, 1, 1, OF("cat") ", partition: s")
                      T_WITH(5, 1, 10, 300, 2, 1, OF("dan") ", partition: u"),
      0, 0, 50000, 30000, 60000);
}

/* The same asked for by a job: 2 keeps others off n1, but for those of its user, and waits for no one. */
static void test_exclusive_user_of_a_job(void **state)
{
  (void)state;
  RUN(FINE "NodeName=n[0-1] CPUs=8\nPartitionName=all Nodes=n[0-1]\n", NULL, NULL,
      T_WITH(1, 0, 100, 100, 1, 8, OF("ann")) T_WITH(2, 0, 100, 100, 1, 1, OF("bob") ", exclusive: user")
          T_WITH(3, 1, 50, 50, 1, 1, OF("bob")) T_WITH(4, 2, 10, 10, 1, 1, OF("ann")),
      0, 0, 3000, 100000);
}

/* ---- partitions ---- */

/* One node is too few and four are too many, for good: neither keeps another from running. Without a number
 * of nodes 24 cores lie on three, and 25 on none. */
static void test_nodes_of_a_partition(void **state)
{
  (void)state;
  RUN(FINE NODES4 "PartitionName=m Nodes=n[0-3] MinNodes=2 MaxNodes=3\n", NULL, NULL,
      T_IN(1, 0, 10, 10, 1, 8, "m") T_IN(2, 0, 10, 10, 4, 1, "m") T_IN(3, 0, 10, 10, 2, 8, "m"), -1, -1, 0);
  RUN(FINE NODES4 "PartitionName=m Nodes=n[0-3] MaxNodes=3\n", NULL, NULL,
      SLOTS(1, 0, 10, 10, 24, ", partition: m") SLOTS(2, 0, 10, 10, 25, ", partition: m"), 0, -1);
  /* MaxNodes=1 keeps 10 cores on one node: 8 and 2 free cores of two are none for it. */
  RUN(FINE "NodeName=n[0-1] CPUs=16\nPartitionName=m Nodes=n[0-1] MaxNodes=1\n", NULL, NULL,
      SLOTS(1, 0, 100, 100, 8, ", partition: m") SLOTS(2, 0, 200, 200, 14, ", partition: m")
          SLOTS(3, 1, 10, 10, 10, ", partition: m"),
      0, 0, 100000);
}

/* MaxCPUsPerNode=6: jobs of m have 6 cores of each of two nodes together, 12 in all, whatever those of o
 * have there. Task 3 finds none left, and blocks m; the cycle at 30 finds that there will be when task 1
 * ends, at 100. Task 4 has what is left of both. A job that wants more of one node than the bound, or a node
 * for itself, never runs. */
static void test_cores_of_a_partition(void **state)
{
#define BOUND(more) \
  FINE "NodeName=n[0-1] CPUs=8\nPartitionName=m Nodes=n[0-1] MaxCPUsPerNode=6 " more \
       "\nPartitionName=o Nodes=n[0-1]\n"
  (void)state;
  RUN(BOUND(""), NULL, NULL,
      SLOTS(1, 0, 100, 100, 6, ", partition: m") SLOTS(2, 0, 200, 200, 6, ", partition: m")
          SLOTS(3, 1, 10, 10, 2, ", partition: m") SLOTS(4, 2, 50, 50, 4, ", partition: o"),
      0, 0, 100000, 30000);
  RUN(BOUND(""), NULL, NULL,
      T_IN(1, 0, 10, 10, 1, 7, "m") SLOTS(2, 0, 10, 10, 12, ", partition: m")
          T_WITH(3, 0, 10, 10, 1, 1, ", partition: m, exclusive: true") WHOLE_HOST(4, "m"),
      -1, 0, -1, -1);
  RUN(BOUND("LLN=YES"), NULL, NULL,
      SLOTS(1, 0, 100, 100, 5, ", partition: m") SLOTS(2, 0, 100, 100, 6, ", partition: m")
          SLOTS(3, 1, 10, 10, 2, ", partition: m") SLOTS(4, 1, 10, 10, 1, ", partition: m"),
      0, 0, 100000, 30000);
#undef BOUND
}

/* ---- what is wrong ---- */

static void test_lines_that_are_wrong(void **state)
{
  static const struct {
    const char *keys, *error;
  } cases[] = {{"OverSubscribe=MAYBE", "OverSubscribe=MAYBE is none of NO, EXCLUSIVE"},
               {"OverSubscribe=FORCE:0", "OverSubscribe=FORCE:0 is none of NO, EXCLUSIVE"},
               {"OverSubscribe=EXCLUSIVE:2", "OverSubscribe=EXCLUSIVE:2 is none of NO, EXCLUSIVE"},
               {"ExclusiveUser=ann", "ExclusiveUser=ann is neither YES nor NO"},
               {"LLN=2", "LLN=2 is neither YES nor NO"},
               {"MaxNodes=few", "MaxNodes=few is no number"},
               {"MaxCPUsPerNode=0", "MaxCPUsPerNode=0 is no number"}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    char path[64], yaml[512], conf[256];
    (void)snprintf(conf, sizeof conf, NODES4 "PartitionName=all Nodes=n[0-3] %s\n", cases[i].keys);
    write_log(path, conf, strlen(conf));
    (void)snprintf(yaml, sizeof yaml,
                   "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                   "policy: {use: slurm, conf: %s}\n",
                   path, path);
    assert_int_equal(try_text(&b, yaml, T(1, 0, 1, 1, 1, 1)), HC_EINPUT);
    if (!strstr(b.error.text, cases[i].error)) fail_msg("%s: %s", cases[i].keys, b.error.text);
    assert_int_equal(b.error.line, 2);
    end(&b);
    (void)unlink(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exclusive_partition),          cmocka_unit_test(test_exclusive_job),
      cmocka_unit_test(test_exclusive_counts_whole_nodes), cmocka_unit_test(test_exclusive_node_that_grows),
      cmocka_unit_test(test_exclusive_and_suspended),      cmocka_unit_test(test_exclusive_user),
      cmocka_unit_test(test_exclusive_user_of_a_job),      cmocka_unit_test(test_nodes_of_a_partition),
      cmocka_unit_test(test_cores_of_a_partition),         cmocka_unit_test(test_lines_that_are_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
