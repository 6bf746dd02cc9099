/* test_slurm_runs.c -- whole runs under the policy slurm, by hand. */
#include "slurm_runs_test.h"

/* ---- clocks ---- */

/* Task 1 has all from 0 to 10. 2 and 3 come at 1: the pass at 3 is 3 s after that at 0; 2 does not fit,
 * and 3 may not pass it. The end of 1 asks for the pass at 10. 4 comes at 11: the pass at 13. With a delay
 * of 7 s passes are at 7 and, the end of 1 being seen then, at 14. */
static void test_fifo(void **state)
{
  static const char tasks[] =
      T(1, 0, 10, 10, 4, 8) T(2, 1, 10, 10, 2, 8) T(3, 1, 10, 10, 1, 8) T(4, 11, 10, 10, 1, 8);
  (void)state;
  RUN(BUILTIN FOUR, NULL, NULL, tasks, 0, 10000, 10000, 13000);
  RUN(BUILTIN "SchedulerParameters=batch_sched_delay=7\n" FOUR, NULL, NULL, tasks, 0, 14000, 14000, 14000);
}

/* The looks lie at 0.4, 1.4, ...: task 1 from 0.4 to 10.4. */
static void test_phase_of_the_main_loop(void **state)
{
  static const char tasks[] = T(1, 0, 10, 10, 4, 8) T(2, 1, 10, 10, 2, 8) T(3, 10, 1, 1, 2, 8);
  (void)state;
  RUN(BUILTIN FOUR, "tick_at: 0.4s", NULL, tasks, 400, 10400, 10400);
}

/* One task a pass: default_queue_depth 0 is one more than none. Of three that fit the next two come 3 s
 * later each, and but for a pass that is asked for only every 60 s. Nothing asks for one but starts of
 * tasks do not; the end of task 1 at 10 does. */
static void test_depth_of_a_pass(void **state)
{
  static const char tasks[] = T(1, 0, 10, 10, 1, 8) T(2, 0, 100, 100, 1, 8) T(3, 0, 100, 100, 1, 8);
  (void)state;
  RUN(BUILTIN "SchedulerParameters=default_queue_depth=0\n" FOUR, NULL, NULL, tasks, 0, 10000, 60000);
}

/* Task 1 ends at 10, by itself, or at 10 because its limit of 10 s is up, and its nodes come free 0.3 s
 * later. Nothing waits for that but the look at 11; with an epilog, or of a job that was killed, the main
 * scheduler runs at once. */
static void test_ends_that_run_the_main_scheduler(void **state)
{
  static const char ends[] = T(1, 0, 10, 20, 4, 8) T(2, 1, 10, 10, 4, 8);
  static const char killed[] = T(1, 0, 100, 10, 4, 8) T(2, 1, 10, 10, 4, 8);
  (void)state;
  RUN(BUILTIN FOUR, "completes: 0.3s", NULL, ends, 0, 11000);
  RUN(BUILTIN FOUR, "completes: 0.3s, epilog: present", NULL, ends, 0, 10300);
  RUN(BUILTIN "Epilog=/bin/clean\n" FOUR, "completes: 0.3s", NULL, ends, 0, 10300);
  RUN(BUILTIN "Epilog=/bin/clean\n" FOUR, "completes: 0.3s, epilog: none", NULL, ends, 0, 11000);
  RUN(BUILTIN FOUR, NULL, NULL, killed, 0, 10100);
  RUN(BUILTIN FOUR, "killed: 0.3s", NULL, killed, 0, 10300);
  RUN(BUILTIN "SchedulerParameters=defer\n" FOUR, "killed: 0.3s", NULL, killed, 0, 11000);
}

/* At 60 both schedulers have looked at all, when the nodes of 1 are still to be cleaned: when they are, at
 * 61, 2 is sought nodes again, in the pass at 63. */
static void test_nodes_cleaned_after_a_pass_over_all(void **state)
{
  (void)state;
  RUN(FOUR, "completes: 1s", NULL, T(1, 0, 60, 70, 4, 8) T(2, 1, 10, 10, 4, 8), 0, 63000);
}

/* ---- the backfill ---- */

#define BLOCKED T(1, 0, 100, 100, 3, 8) T(2, 1, 50, 60, 4, 8)

/* Three nodes are taken until 100, which is when task 2 is planned: until 160. The pass at 3 stops at it.
 * Task 3 may have the fourth node from the cycle at 30 if it ends before the plan begins; 100 itself is
 * not before it, since both ends count. In steps of 60 s the plan begins at 60. */
static void test_backfill_starts(void **state)
{
  (void)state;
  RUN(FINE FOUR, NULL, NULL, BLOCKED T(3, 2, 20, 69, 1, 8), 0, 100000, 30000);
  RUN(FINE FOUR, NULL, NULL, BLOCKED T(3, 2, 20, 70, 1, 8), 0, 100000, 150000);
  RUN(FOUR, NULL, NULL, BLOCKED T(3, 2, 20, 29, 1, 8), 0, 100000, 30000);
  RUN(FOUR, NULL, NULL, BLOCKED T(3, 2, 20, 69, 1, 8), 0, 100000, 150000);
  RUN("SchedulerParameters=bf_resolution=1,bf_interval=20\n" FOUR, NULL, NULL, BLOCKED T(3, 2, 20, 69, 1, 8),
      0, 100000, 20000);
  RUN(FINE FOUR, "backfill_at: 2.5s", NULL, BLOCKED T(3, 2, 20, 69, 1, 8), 0, 100000, 2500);
}

/* 0-1 are taken until 100, 2 until 200. Task 3 is planned on 0-1 from 100 on, 4 on all from 200. Task 5
 * would not be in the way of 3, the first of the queue, on node 3: but in that of 4. Where nothing is
 * planned for tasks that wait for less than 1000 s, it does not keep them from being overtaken, by the
 * pass at 3 already: 4 starts when 5 ends. */
static void test_every_task_is_planned(void **state)
{
  static const char tasks[] = T(1, 0, 100, 100, 2, 8) T(2, 0, 200, 200, 1, 8) T(3, 1, 50, 60, 2, 8)
      T(4, 1, 50, 60, 4, 8) T(5, 2, 300, 300, 1, 8);
  (void)state;
  RUN(FINE FOUR, NULL, NULL, tasks, 0, 0, 100000, 200000, 250000);
  RUN("SchedulerParameters=bf_min_age_reserve=1000\n" FOUR, NULL, NULL, tasks, 0, 0, 100000, 303000, 3000);
}

/* As many as bf_max_job_test are tried: 2 is the first, and the only one with 1; then 3 waits for the pass
 * at 150, when 2 has ended. */
static void test_depth_of_the_backfill(void **state)
{
  (void)state;
  RUN("SchedulerParameters=bf_resolution=1,bf_max_job_test=1\n" FOUR, NULL, NULL,
      BLOCKED T(3, 2, 20, 69, 1, 8), 0, 100000, 150000);
  RUN("SchedulerParameters=bf_resolution=1,bf_max_job_user=1\n" FOUR, NULL, NULL,
      BLOCKED T(3, 2, 20, 69, 1, 8), 0, 100000, 150000);
}

/* Task 3 starts at 30 and runs past its limit of 40 s, to 130. At 100 three nodes are free and 2 does not
 * fit; task 4 comes at 101. Planned is that 3 ends 30 s (KillWait) after it should have, or a second from
 * now: 2 is planned from 121 s of the cycle at 120 on, and 4, of 60 s, is not in time. */
static void test_running_past_the_limit(void **state)
{
  (void)state;
  RUN(FINE FOUR, NULL, "overrun: run_on\n", BLOCKED T(3, 2, 100, 40, 1, 8) T(4, 101, 50, 60, 1, 8), 0, 130000,
      30000, 180000);
}

/* ---- partitions ---- */

#define TWO(low, high) \
  "NodeName=n[0-3] CPUs=8\nPartitionName=low Nodes=n[0-3] " low "\nPartitionName=high Nodes=n[0-3] " high "\n"

/* Task 3 came later than 2, to a partition of a higher tier. Tier 1 is the default, and Priority its old
 * name. */
static void test_tiers(void **state)
{
  static const char tasks[] =
      T_IN(1, 0, 100, 100, 4, 8, "low") T_IN(2, 1, 10, 10, 4, 8, "low") T_IN(3, 2, 10, 10, 4, 8, "high");
  (void)state;
  RUN(BUILTIN TWO("", "PriorityTier=5"), NULL, NULL, tasks, 0, 110000, 100000);
  RUN(BUILTIN TWO("", "Priority=2"), NULL, NULL, tasks, 0, 110000, 100000);
  RUN(BUILTIN TWO("PriorityTier=5", "PriorityTier=5"), NULL, NULL, tasks, 0, 100000, 110000);
  RUN(BUILTIN "PartitionName=DEFAULT PriorityTier=7\n" TWO("", "PriorityTier=5"), NULL, NULL, tasks, 0,
      100000, 110000);
}

/* n0 is taken until 100, and task 2 wants all of a: it blocks n0-n3. Of b n4 and n5 are left: task 3 has
 * them till 53, and 4 waits for that though n2 and n3 are free. If 2 has not waited long enough to block,
 * 4 starts with 3. */
static void test_blocked_partition_blocks_its_nodes(void **state)
{
  static const char both[] =
      "NodeName=n[0-5] CPUs=8\nPartitionName=a Nodes=n[0-3]\nPartitionName=b Nodes=n[2-5]\n"
      "SchedulerType=sched/builtin\n";
  static const char tasks[] = T_IN(1, 0, 100, 100, 1, 8, "a") T_IN(2, 1, 10, 10, 4, 8, "a")
      T_IN(3, 2, 50, 50, 2, 8, "b") T_IN(4, 2, 10, 10, 1, 8, "b");
  char late[512];
  (void)state;
  RUN(both, NULL, NULL, tasks, 0, 100000, 3000, 53000);
  (void)snprintf(late, sizeof late, "%sSchedulerParameters=bf_min_age_reserve=60\n", both);
  RUN(late, NULL, NULL, tasks, 0, 100000, 3000, 3000);
}

/* MaxTime of a partition is the limit of a job that says none, and of one that says more: the plan of 2
 * begins when 1 must have ended, at 120, so that 3 (60 s) fits before it at 30; without MaxTime 1 ends in
 * a year and there is no plan at all, so that a task 3 of 100 h starts as well. */
static void test_max_time(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, resources: {nodes_count: 3, cpu_per_node: 8}}\n" T(
          2, 1, 50, 60, 4, 8) T(3, 2, 20, 60, 1, 8) T(4, 3, 20, 360000, 1, 8);
  (void)state;
  RUN(FINE "NodeName=n[0-3] CPUs=8\nPartitionName=all Nodes=n[0-3] MaxTime=2\n", NULL, NULL, tasks, 0, 100000,
      30000, 150000);
  RUN(FINE FOUR, "lines: [PartitionName=all MaxTime=2]", NULL, tasks, 0, 100000, 30000, 150000);
}

/* What a partition is told wrong is an error of that line; the cell has read another file. */
static void refuses(const char *conf, uint32_t line, const char *words)
{
  char nodes[64], site[64], yaml[512];
  bench b;
  write_log(nodes, FOUR, strlen(FOUR));
  write_log(site, conf, strlen(conf));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                 "policy: {use: slurm, conf: %s}\n",
                 nodes, site);
  assert_int_equal(try_text(&b, yaml, T(1, 0, 1, 1, 1, 1)), HC_EINPUT);
  assert_int_equal(b.error.line, line);
  if (!strstr(b.error.text, words)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, words);
  end(&b);
  (void)unlink(nodes);
  (void)unlink(site);
}

static void test_partitions_that_are_wrong(void **state)
{
  (void)state;
  refuses("NodeName=n[0-3]\nPartitionName=all Nodes=n[0-3] MaxTime=soon\n", 2, "MaxTime=soon: expected");
  refuses("PartitionName=all PriorityJobFactor=70000\n", 1, "PriorityJobFactor=70000 is no number from 0");
  refuses("PartitionName=DEFAULT PriorityTier=high\nPartitionName=all\n", 2,
          "PriorityTier=high is no number");
  refuses("AuthInfo=cred_expire=soon\n", 1, "cred_expire=soon is no number of seconds");
}

/* ---- nodes ---- */

/* Where a task was, as nodes with what it had of each: "2:6" are 6 processors of the third. */
typedef struct place {
  int64_t serial;
  char text[64];
} place;

static hc_rc take_place(void *ctx, const char *const *values)
{
  place *p = ctx;
  if (strtoll(values[0], NULL, 10) != p->serial) return 0;
  (void)snprintf(p->text + strlen(p->text), sizeof p->text - strlen(p->text), "%s%s:%s",
                 p->text[0] ? " " : "", values[1], values[2]);
  return 0;
}

static void is_on(bench *b, int64_t id, const char *nodes)
{
  place p = {record_of(b, id)->serial, ""};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "grants", 4 + HC_NEEDS, take_place, &p, &b->error));
  hc_result_free(r);
  if (strcmp(p.text, nodes) != 0) fail_msg("task %" PRId64 " was on %s, should on %s", id, p.text, nodes);
}

/* Lower weights first: n2-n3. The task of one processor goes on the node with the fewest that are free. */
static void test_weights_and_best_fit(void **state)
{
  bench b;
  char path[64];
  const given g = {
      "NodeName=n[0-1] CPUs=8 Weight=5\nNodeName=n[2-3] CPUs=8 Weight=2\nPartitionName=all Nodes=n[0-3]\n",
      NULL, NULL};
  (void)state;
  begin_run(&b, &g, T(1, 0, 50, 50, 1, 6) T(2, 0, 50, 50, 1, 1) T(3, 0, 50, 50, 1, 8) T(4, 0, 50, 50, 1, 8),
            path);
  finish(&b);
  is_on(&b, 1, "2:1");
  is_on(&b, 2, "2:1");
  is_on(&b, 3, "3:1");
  is_on(&b, 4, "0:1");
  for (int64_t i = 1; i <= 4; i++) assert_int_equal(start_of(&b, i), 0);
  end(&b);
  (void)unlink(path);
}

#define SLOTS(id, n, hosts) \
  "- {id: " #id ", submit_time: 0, delay: 50, limit: 50, spread: false, resources: {nodes_count: " #n \
  ", cpu_per_node: 1}, host_count: " hosts "}\n"

/* So many hosts as a task says: 4 processors on two nodes at least, 3 on the first and the one that is
 * kept; 20 on three at most, 5, 7 and 8; six on one. Of the last node 2 are left: three on one wait for
 * the ends at 50. More hosts than processors never are. */
static void test_host_counts(void **state)
{
  bench b;
  char path[64];
  const given g = {FOUR, NULL, NULL};
  (void)state;
  begin_run(&b, &g,
            SLOTS(1, 4, "[2, 4]") SLOTS(2, 20, "[1, 3]") SLOTS(3, 6, "1") SLOTS(4, 3, "1") SLOTS(5, 2, "3"),
            path);
  finish(&b);
  is_on(&b, 1, "0:3 1:1");
  is_on(&b, 2, "0:5 1:7 2:8");
  is_on(&b, 3, "3:6");
  is_on(&b, 4, "0:3");
  for (int64_t i = 1; i <= 3; i++) assert_int_equal(start_of(&b, i), 0);
  assert_int_equal(start_of(&b, 4), 50);
  assert_int_equal(start_of(&b, 5), NEVER_STARTED);
  end(&b);
  (void)unlink(path);
}

#define OF_SIZE \
  BUILTIN \
  "PriorityType=priority/multifactor\nPriorityWeightJobSize=1000\n" \
  "AccountingStorageType=accounting_storage/slurmdbd\n" FOUR

/* The size of a job is half its share of the nodes that its -N asked for and half that of the processors.
 * Both come while task 1 runs, and find no room beside each other: task 2 on four nodes has
 * (4/4 + 20/32) / 2 = 0.81, task 3 on three (3/4 + 24/32) / 2 = 0.75. A job of --ntasks-per-node whose tasks
 * take four nodes asked for one: (1/4 + 20/32) / 2 = 0.44. */
static void test_size_counts_nodes_asked_for(void **state)
{
  (void)state;
  RUN(OF_SIZE, NULL, NULL, T(1, 0, 10, 10, 4, 8) T(2, 1, 20, 20, 4, 5) T(3, 1, 40, 40, 3, 8), 0, 10000,
      30000);
  RUN(OF_SIZE, NULL, NULL,
      T(1, 0, 10, 10, 4, 8) T_WITH(2, 1, 20, 20, 4, 5, ", host_count: [1, 4]") T(3, 1, 40, 40, 3, 8), 0,
      50000, 10000);
}

/* Both nodes with the feature are wanted, each of which has room for half of the task. */
static void test_features_of_several_nodes(void **state)
{
  (void)state;
  RUN("NodeName=n0 CPUs=8\nNodeName=n[1-2] CPUs=8 Feature=big\nPartitionName=all Nodes=ALL\n", NULL, NULL,
      T_WITH(1, 0, 10, 10, 2, 8, ", spread: true, constraints: [big]")
          T_WITH(2, 0, 10, 10, 2, 4, ", spread: true, constraints: [big]"),
      0, 10000);
}

/* ---- limits ---- */

#define OF(id, at, run, limit, nodes, user) \
  T_WITH(id, at, run, limit, nodes, 8, ", spread: true, group: a, user: " user)

/* Two nodes, one of which task 1 has until 100. Task 2 of ann wants both, 16 cores of the 8 that she may
 * have: it finds no nodes and would not get them if it did, so that it blocks no other, and 3 starts with the
 * pass at 3. Where no pass comes after the first, neither does it get a plan: the cycle at 30 starts 3, which
 * would run past 100. Without the limit it blocks both. */
static void test_what_a_limit_forbids_blocks_nothing(void **state)
{
  static const char tasks[] =
      OF(1, 0, 100, 100, 1, "bob") OF(2, 1, 50, 50, 2, "ann") OF(3, 1, 200, 200, 1, "bob");
  static const char names[] = "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
                              "Parent - 'a'\nUser - 'ann':DefaultAccount='a':GrpTRES=cpu=8\n"
                              "User - 'bob':DefaultAccount='a'\n";
#define TWO_OF "AccountingStorageEnforce=limits\nNodeName=n[0-1] CPUs=8\nPartitionName=all Nodes=n[0-1]\n"
  char path[64], keys[128];
  (void)state;
  write_log(path, names, strlen(names));
  (void)snprintf(keys, sizeof keys, "accounting: [%s]", path);
  RUN(BUILTIN TWO_OF, keys, NULL, tasks, 0, -1, 3000);
  RUN("SchedulerParameters=batch_sched_delay=1000,sched_interval=-1\n" TWO_OF, keys, NULL, tasks, 0, -1,
      30000);
  RUN(BUILTIN TWO_OF, NULL, NULL, tasks, 0, 100000, 150000);
  (void)unlink(path);
}

/* 8 cores of ann's account may have been used for 2 minutes. Task 1 adds 60 x 8 x (1 - 0.693/60)^60 = 239
 * core-seconds in the period of 60, and in that of 120 as many to the 119 that are left of these: 5 minutes.
 * They are 2 at 180 and 1 at 240, when a pass over all lets task 2 start, though nothing happened meanwhile.
 * A limit of 0 never does. */
static void test_usage_decays_while_nothing_runs(void **state)
{
  static const char names[] = "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
                              "Parent - 'a'\nUser - 'ann':DefaultAccount='a':GrpTRESMins=cpu=2\n"
                              "User - 'bob':DefaultAccount='a':GrpTRESMins=cpu=0\n";
  static const char conf[] =
      "AccountingStorageEnforce=limits\nPriorityType=priority/multifactor\n"
      "AccountingStorageType=accounting_storage/slurmdbd\nPriorityDecayHalfLife=00:01:00\n"
      "PriorityCalcPeriod=1\n" FOUR;
  char path[64], keys[128];
  (void)state;
  write_log(path, names, strlen(names));
  (void)snprintf(keys, sizeof keys, "accounting: [%s]", path);
  RUN(conf, keys, NULL,
      OF(1, 0, 120, 120, 1, "ann") OF(2, 121, 10, 10, 1, "ann") OF(3, 121, 10, 10, 1, "bob"), 0, 240000, -1);
  (void)unlink(path);
}

/* ---- arrays ---- */

#define ELEMENT(id, at, run, job) \
  T_WITH(id, at, run, 10, 1, 8, ", spread: true, collection_id: " #job ", at_once: 2")

/* Of four tasks two run at once, and the next two once these have ended, with the pass 3 s after that which
 * the end of task 6 at 8 has asked for. Task 5 behind them is not held up, and task 6 of another job is not
 * counted. */
static void test_arrays_under_a_limit(void **state)
{
  (void)state;
  RUN(FOUR, NULL, NULL,
      ELEMENT(1, 0, 10, 7) ELEMENT(2, 0, 10, 7) ELEMENT(3, 0, 10, 7) ELEMENT(4, 0, 10, 7)
          T(5, 1, 50, 50, 1, 8) ELEMENT(6, 1, 5, 8),
      0, 0, 11000, 11000, 3000, 3000);
}

/* ---- licences ---- */

#define LICENCES "cell: {use: hosts, licences: [tool=4], classes: [{count: 4, name_prefix: n, cpus: 8}]}\n"
#define TOOL(id, at, run, tools) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", limit: " #run \
  ", resources: {cpu: 1, tool: " #tools "}}\n"

/* Task 2 finds one licence of two, and blocks nothing: 3 takes it, and 2 waits for the end of 1 and the
 * look at it. */
static void test_licences(void **state)
{
  static const char yaml[] =
      "source: {use: native, file: FILE}\nmetrics: []\n" LICENCES "policy: {use: slurm, tick: 1s}\n";
  (void)state;
  STARTS(yaml, TOOL(1, 0, 100, 3) TOOL(2, 1, 10, 2) TOOL(3, 1, 200, 1), 0, 100, 3);
}

/* ---- what ran before ---- */

/* Of the array 7 task 1 runs already: one more may. Task 3 waits for the end of 1 at 20, and the pass
 * then. */
static void test_arrays_that_ran_before(void **state)
{
  (void)state;
  RUN(FOUR, NULL, NULL,
      T_WITH(1, 0, 20, 20, 1, 8,
             ", spread: true, collection_id: 7, at_once: 2, recorded: {prefill: true}, hosts: [n0]")
          T_WITH(2, 0, 40, 40, 1, 8, ", spread: true, collection_id: 7, at_once: 2") ELEMENT(3, 0, 10, 7),
      0, 0, 20000);
}

/* Tasks 1 and 2 ran before, on n1-n2 and n0; 5 did on n0, too, and finds no room there. 4 has n3 at once,
 * and ends by its limit before 3 may start, which has all four nodes when 1 ends. First come, first served
 * without a look past the head lets 4 wait until 3 has ended. */
static void test_what_ran_before(void **state)
{
#define BEFORE(hosts) ", recorded: {prefill: true}, hosts: [" hosts "]"
  static const char tasks[] =
      T_WITH(1, 0, 100, 150, 2, 8, BEFORE("n1, n2")) T_WITH(2, 0, 50, 60, 1, 8, BEFORE("n0"))
          T(3, 0, 50, 60, 4, 8) T(4, 0, 30, 60, 1, 8) T_WITH(5, 0, 30, 60, 1, 8, BEFORE("n0"));
  static const char *const others[] = {"policy: easy\n", "policy: fcfs\n",
                                       "policy: fcfs\narchitecture: {use: monolithic, call: per_event}\n"};
  char path[64], yaml[512];
  (void)state;
  RUN(FINE FOUR, NULL, NULL, tasks, 0, 0, 100000, 0, -1);
  write_log(path, FOUR, strlen(FOUR));
  for (size_t i = 0; i < COUNT(others); i++) {
    (void)snprintf(
        yaml, sizeof yaml,
        "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\nparanoid: true\n%s",
        path, others[i]);
    STARTS(yaml, tasks, 0, 0, 100, i == 0 ? 0 : 150, NEVER_STARTED);
  }
  (void)unlink(path);
}

/* ---- hosts that go and come ---- */

/* n3 is down from 5 on. Task 1 wants more nodes than there are, and blocks its partition: task 2 is left to
 * the cycle at 35, 30 s after that of the change. Task 1 starts with the pass that the return asks for, or
 * not at all: the run ends all the same, with it waiting. */
static void test_host_down_and_up(void **state)
{
  static const char tasks[] = T(1, 10, 5, 5, 4, 8) T(2, 11, 5, 5, 1, 8);
  (void)state;
  RUN(FOUR, NULL, EVENTS("{at: 5, hosts: n3, change: down}, {at: 50, hosts: n3, change: up}"), tasks, 50000,
      35000);
  RUN(FOUR, NULL, EVENTS("{at: 5, hosts: n3, change: down}"), tasks, -1, 35000);
  RUN(FOUR, NULL, EVENTS("{at: 5, hosts: n3, change: drain}"), tasks, -1, 35000);
}

/* Nothing that arrives later changes it. What does is served by the backfill, and without one waits as well:
 * its partition is blocked. */
static void test_what_never_fits_waits(void **state)
{
  static const char tasks[] = T(1, 10, 5, 5, 4, 8) T(2, 5000, 5, 5, 1, 8);
  (void)state;
  RUN(FOUR, NULL, EVENTS("{at: 5, hosts: n3, change: down}"), tasks, -1, 5000000);
  RUN(BUILTIN FOUR, NULL, EVENTS("{at: 5, hosts: n3, change: down}"), tasks, -1, -1);
}

/* Task 1 has all from 0 on, n3 goes at 20 and comes back at 40: it starts again then. Task 2, of one node, is
 * behind it in the queue: while n3 is away 1 could not run, and 2 starts when the pass at 20 sees that. The
 * requeued task is looked at once the credential of its first run has expired, 121 s later: at 141, and so
 * with the pass over all at 180; with a credential of 9 s at 30, and so when n3 is back. */
static void test_requeued_after_a_loss(void **state)
{
  bench b;
  char path[64];
  const given g = {
      FOUR, NULL,
      "host_loss: requeue\n" EVENTS("{at: 20, hosts: n3, change: down}, {at: 40, hosts: n3, change: up}")};
  static const char tasks[] = T(1, 0, 100, 100, 4, 8) T(2, 1, 10, 10, 1, 8);
  (void)state;
  for (uint64_t pieces = 0; pieces < 2; pieces++) {
    begin_run(&b, &g, tasks, path);
    if (pieces > 0) finish_in_pieces(&b, pieces);
    else finish(&b);
    assert_int_equal(start_of(&b, 2), 20);
    assert_int_equal(end_of(&b, 1), 280);
    end(&b);
    (void)unlink(path);
  }
  begin_run(&b, &(given){"AuthInfo=socket=/run/munge,cred_expire=9\n" FOUR, g.keys, g.run}, tasks, path);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 140);
  end(&b);
  (void)unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fifo),
      cmocka_unit_test(test_phase_of_the_main_loop),
      cmocka_unit_test(test_depth_of_a_pass),
      cmocka_unit_test(test_ends_that_run_the_main_scheduler),
      cmocka_unit_test(test_nodes_cleaned_after_a_pass_over_all),
      cmocka_unit_test(test_backfill_starts),
      cmocka_unit_test(test_every_task_is_planned),
      cmocka_unit_test(test_depth_of_the_backfill),
      cmocka_unit_test(test_running_past_the_limit),
      cmocka_unit_test(test_tiers),
      cmocka_unit_test(test_blocked_partition_blocks_its_nodes),
      cmocka_unit_test(test_max_time),
      cmocka_unit_test(test_weights_and_best_fit),
      cmocka_unit_test(test_host_counts),
      cmocka_unit_test(test_size_counts_nodes_asked_for),
      cmocka_unit_test(test_features_of_several_nodes),
      cmocka_unit_test(test_what_a_limit_forbids_blocks_nothing),
      cmocka_unit_test(test_usage_decays_while_nothing_runs),
      cmocka_unit_test(test_arrays_under_a_limit),
      cmocka_unit_test(test_partitions_that_are_wrong),
      cmocka_unit_test(test_licences),
      cmocka_unit_test(test_arrays_that_ran_before),
      cmocka_unit_test(test_what_ran_before),
      cmocka_unit_test(test_host_down_and_up),
      cmocka_unit_test(test_what_never_fits_waits),
      cmocka_unit_test(test_requeued_after_a_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
