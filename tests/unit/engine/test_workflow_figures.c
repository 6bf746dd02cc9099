/* test_workflow_figures.c -- workflows against their lower bounds and one host: figures of the metric
 * workflow that follow by hand, in one piece and saved and restored after each instant.
 *
 * The graph is V31 of DSLab, which HEFT brings to 98. */
#include "figures_test.h"

#define T(id, work, ...) \
  "- {id: " #id ", submit_time: 0, collection_id: 1, execution_index: " #id \
  ", resources: {cpu_per_node: 1}, profile: {compute_homogeneous: " #work "}" __VA_ARGS__ "}\n"
#define GRAPH \
  T(1, 64, ", outputs: {ab: 18, ac: 12, ad: 9, ae: 11, af: 14}") \
  T(2, 76, ", inputs: [ab], outputs: {bh: 19, bi: 16}") \
  T(3, 52, ", inputs: [ac], outputs: {cg: 23}") \
  T(4, 32, ", inputs: [ad], outputs: {dh: 27, di: 23}") \
  T(5, 56, ", inputs: [ae], outputs: {ei: 13}") \
  T(6, 64, ", inputs: [af], outputs: {fh: 15}") \
  T(7, 60, ", inputs: [cg], outputs: {gj: 17}") \
  T(8, 44, ", inputs: [bh, dh, fh], outputs: {hj: 11}") \
  T(9, 48, ", inputs: [bi, di, ei], outputs: {ij: 13}") T(10, 28, ", inputs: [gj, hj, ij]")
#define FOUR \
  "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 1, speed: 2}, {name: c, cpus: 1, " \
  "speed: 4}, {name: d, cpus: 1, speed: 4}]}\n" \
  "execution: {use: activities, cpu_speed: 1, network: {use: constant, bandwidth: 1}}\n"
#define COUNTS "metrics: [makespan, {use: workflow, rows: true}]\n"

static const setting here = {.metrics = COUNTS};

#define ROW(name, value) \
  { \
    "workflow", 0, name, value \
  }
#define NONE __builtin_nan("")

/* 98 on b, c and d (test_workflows.c has the plan). On hosts of speed 4 the way 1, 2, 9, 10 takes 16 + 19 +
 * 12 + 7; all of the 524 take 131 on one of these, and 524 / 11 on all hosts together. The 15 edges carry
 * 241 at 1 a second; a task takes 52.4, and half of that on a host on average (1, 1/2, 1/4, 1/4). */
static void test_heft(void **state)
{
  (void)state;
  FIGURES(GRAPH, FOUR "policy: heft\n", ROW("makespan", 98), ROW("critical_path", 54), ROW("tasks", 10),
          ROW("edges", 15), ROW("work_bound", 524.0 / 11), ROW("lower_bound", 54), ROW("sequential", 131),
          ROW("slr", 98.0 / 54), ROW("bound_ratio", 98.0 / 54), ROW("speedup", 131.0 / 98), ROW("hosts", 3),
          ROW("efficiency", 131.0 / 98 / 3), ROW("ccr", 241.0 / 15 / 26.2), ALL("workflows", 1),
          ALL("workflow_slr_mean", 98.0 / 54), ALL("workflow_slr_max", 98.0 / 54),
          ALL("workflow_speedup_mean", 131.0 / 98), ALL("workflow_ccr_mean", 241.0 / 15 / 26.2),
          ALL("workflow_makespan_mean", 98));
}

/* The second wants 2 GiB, which only d of speed 4 has; the first takes 40 / 8 on a. All on d would take
 * 15. */
#define TWO_TASKS \
  "- {id: 1, submit_time: 5, collection_id: 7, execution_index: 1, resources: {cpu_per_node: 1}, profile: " \
  "{compute_homogeneous: 40}}\n" \
  "- {id: 2, submit_time: 5, collection_id: 7, execution_index: 2, start_after: [1], resources: {" \
  "cpu_per_node: 1, memory_per_node: 2GiB}, profile: {compute_homogeneous: 20}}\n"
static void test_which_hosts(void **state)
{
  (void)state;
  FIGURES(
      TWO_TASKS,
      "cell: {use: hosts, classes: [{name: a, cpus: 1, memory: 1GiB, speed: 8}, {name: d, cpus: 1, memory: "
      "4GiB, speed: 4}]}\nexecution: {use: activities, cpu_speed: 1}\npolicy: fcfs\n",
      ROW("makespan", 10), ROW("critical_path", 10), ROW("sequential", 15), ROW("speedup", 1.5),
      ROW("hosts", 2), ROW("efficiency", 0.75), ROW("work_bound", 5), ROW("slr", 1), ROW("ccr", 0));
}

/* Task i of a job and source, with what else it says, one core and so much to do. */
#define OF(job, id, profile, more) \
  "- {id: 1" #job #id ", submit_time: 0, collection_id: " #job ", execution_index: " #id \
  ", resources: {cpu_per_node: 1}, profile: {" profile "}" more "}\n"
#define HOSTS "cell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 2}]}\n"
#define ACTS "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 10}}\n"

/* A killed task, one whose length is not known ahead, a circle that never runs, and jobs without edges count
 * in no mean: only job 4 is left. Its first two tasks run at once. */
static void test_left_out(void **state)
{
  (void)state;
  FIGURES(OF(1, 1, "idle: 10", ", wall_time_limit: 5") OF(1, 2, "idle: 1", ", start_after: [1]")
              OF(2, 1, "idle: 10", "") OF(2, 2, "communication_homogeneous: 5", ", start_after: [1]")
                  OF(3, 1, "idle: 10", "") OF(3, 2, "idle: 10", "") OF(4, 1, "idle: 10", "")
                      OF(4, 2, "idle: 20", "") OF(4, 3, "idle: 5", ", start_after: [1, 2]")
                          OF(5, 1, "idle: 1", ", start_after: [2]") OF(5, 2, "idle: 1", ", start_after: [1]"),
          "cell: {use: hosts, classes: [{count: 8, name_prefix: h, cpus: 2}]}\n" ACTS "policy: fcfs\n",
          ALL("workflows", 4), ALL("workflows_incomplete", 2), ALL("workflows_unknown", 1),
          ALL("workflow_makespan_mean", 25), ALL("workflow_lower_bound_mean", 25),
          ALL("workflow_slr_mean", 1), ALL("workflow_speedup_mean", 35.0 / 25));
}

/* On counted processors and without a model of execution: three tasks of 10 one after the other on one, of
 * work 30 on 8, in 30 + 2 x 0; a wide one leaves no speed-up. */
static void test_processors(void **state)
{
#define JOB(procs) \
  "- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, procs: " #procs ", delay: 10}\n" \
  "- {id: 2, submit_time: 0, collection_id: 1, execution_index: 2, procs: 1, delay: 10, start_after: [1]}\n" \
  "- {id: 3, submit_time: 0, collection_id: 1, execution_index: 3, procs: 1, delay: 10, after_ok: [1]}\n"
  (void)state;
  FIGURES(JOB(1), "cell: {use: count, procs: 8}\npolicy: fcfs\n", ROW("makespan", 20),
          ROW("critical_path", 20), ROW("work_bound", 30.0 / 8), ROW("sequential", 30), ROW("speedup", 1.5),
          ROW("hosts", 8), ROW("efficiency", 1.5 / 8), ROW("ccr", 0), ROW("edges", 2));
  FIGURES(JOB(8), "cell: {use: count, procs: 8}\npolicy: fcfs\n", ROW("work_bound", 100.0 / 8),
          ROW("speedup", NONE), ROW("slr", 1), ALL("workflow_speedup_mean", NONE));
  FIGURES(JOB(1), "cell: {use: count, procs: 1}\npolicy: fcfs\n", ROW("makespan", 30),
          ROW("critical_path", 20), ROW("lower_bound", 30), ROW("slr", 1.5), ROW("bound_ratio", 1));
}

/* A task on two hosts is as long as on the fastest host, and nothing could have it alone. Two items of one
 * task are one edge. */
static void test_wide(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, resources: {nodes_count: 2, "
          "cpu_per_node: 1}, profile: {compute_homogeneous: 10}, outputs: {a: 20, b: 40}}\n" OF(
              1, 2, "compute_homogeneous: 10", ", inputs: [a, b]"),
          HOSTS ACTS "policy: scan\n", ROW("critical_path", 20), ROW("speedup", NONE), ROW("edges", 1),
          ROW("ccr", 0.6), ROW("work_bound", 30.0 / 8), ALL("workflow_efficiency_mean", NONE));
}

/* Forks that are made for fair starts count nothing. */
static void test_forks(void **state)
{
  (void)state;
  FIGURES(TWO_TASKS,
          "cell: {use: hosts, classes: [{name: d, cpus: 1, memory: 4GiB, speed: 4}]}\npolicy: fcfs\n"
          "metrics: [{use: workflow, rows: true}, fair_start]\n",
          ROW("makespan", 0.015), ROW("slr", 1), ALL("fair_start_missed", 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heft),       cmocka_unit_test(test_which_hosts), cmocka_unit_test(test_left_out),
      cmocka_unit_test(test_processors), cmocka_unit_test(test_wide),        cmocka_unit_test(test_forks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
