/* test_energy_runs.c -- what hosts draw while tasks compute, wait and send: energies that follow by hand, and
 * vectors of Batsim and of DSLab. */
#include "figures_test.h"

#include "base/math.h"
#include "hindcast/workload.h"

#define OF(serial, value) \
  { \
    "energy_by_task", serial, "energy", value \
  }
#define USER(user, value) \
  { \
    "energy_by_user", user, "energy", value \
  }
#define RUNS "execution: {use: activities, cpu_speed: 1}\n"
#define TASKS "metrics: [{use: energy, by: tasks}]\n"
#define LINEAR "power: {use: linear, idle: 100, peak: 200}\n"

/* ---- Batsim: usage traces (its test_energy_usage_trace; batsim.md vectors 31 to 41) ---- */

/* Two hosts of a hundred cores: `fast` ones compute 1000 in 10 s on one core and draw 50, 100 and 200 W,
 * `slow` ones take 20 s and draw 50, 90 and 150. What a core is busy with does not change its time. */
#define PAIR(speed, least, peak) \
  "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 100, speed: " speed "}]}\n" RUNS \
  "power: {use: linear, idle: 50, least: " least ", peak: " peak "}\n" TASKS
#define FAST PAIR("1", "100", "200")
#define SLOW PAIR("0.5", "90", "150")
/* One computation of 1000 on one of a hundred cores is one of 100,000 on all of them. */
#define RANK(number, work, busy) "{trace_rank: {rank: " number ", work: [" work "], busy: [" busy "]}}"
#define RANKS(a, b) ON(1, 0, 2, 100, "{replay: {ranks: [" a ", " b "]}}")
#define ONE "1000"
#define TWICE "1000, 1000"

static void test_usage_traces(void **state)
{
  const char *full = RANKS(RANK("0", ONE, "1"), RANK("1", ONE, "1"));
  const char *half = RANKS(RANK("0", ONE, "0.5"), RANK("1", ONE, "0.5"));
  const char *falls = RANKS(RANK("0", TWICE, "1, 0.1"), RANK("1", TWICE, "1, 0.1"));
  const char *apart = RANKS(RANK("0", ONE, "0.2"), RANK("1", ONE, "0.6"));
  const char *rest = RANKS(RANK("0", ONE, "0.1"), RANK("1", TWICE, "0.01, 0.97"));
  (void)state;
  FIGURES(ON(1, 0, 2, 100, "{delay: 10}"), FAST, OF(0, 1000), ALL("energy", 1000));
  FIGURES(full, FAST, OF(0, 4000));
  FIGURES(full, SLOW, OF(0, 6000));
  FIGURES(half, FAST, OF(0, 3000));
  FIGURES(half, SLOW, OF(0, 4800));
  FIGURES(falls, FAST, OF(0, 6200));
  FIGURES(falls, SLOW, OF(0, 9840));
  FIGURES(apart, FAST, OF(0, 2800));
  FIGURES(apart, SLOW, OF(0, 4560));
  FIGURES(rest, FAST, OF(0, 4580));
  FIGURES(rest, SLOW, OF(0, 7696));
}

/* ---- by hand ---- */

#define TWO "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 4}]}\n"

/* Two of four cores: 150 W while they compute, 100 while they do not, a host each; the other draws 100. */
static void test_phases(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 1, 2, "{sequence: [{compute_homogeneous: 20}, {idle: 5}, {compute_homogeneous: 10}]}"),
          TWO RUNS LINEAR TASKS, OF(0, 150 * 15 + 100 * 5), ALL("energy", 150 * 15 + 100 * 5 + 100 * 20),
          ALL("energy_busy", 2750), ALL("energy_idle", 2000), ALL("power_max", 250));
  /* A task without a profile computes on all that it holds for all of its time. */
  FIGURES("- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 2}, delay: 20}\n",
          TWO RUNS LINEAR TASKS, OF(0, 150 * 20));
}

/* 10 of work on each of two cores and 2000 bytes over a link of 100, at one rate: 20 s, in which a core is
 * half busy on each host, an eighth of its four. Two of them share the link, and have half the rate: 40 s,
 * in which both together are as busy as one alone. */
static void test_parallel_tasks(void **state)
{
  const char *network = TWO "execution: {use: activities, cpu_speed: 1, network: {use: shared, bandwidth: "
                            "100}}\n" LINEAR TASKS;
  const char *profile = "{parallel_task: {cpu: [10, 10], com: [0, 2000, 0, 0]}}";
  char tasks[1024];
  (void)state;
  (void)snprintf(tasks, sizeof tasks,
                 "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n",
                 profile);
  FIGURES(tasks, network, OF(0, 2 * 20 * 112.5), ALL("energy", 4500));
  (void)snprintf(tasks, sizeof tasks,
                 "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n"
                 "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n",
                 profile, profile);
  FIGURES(tasks, network, OF(0, 40 * 112.5), OF(1, 40 * 112.5), ALL("energy", 2 * 40 * 112.5));
}

/* One clock for two processes, the slower of which takes 20 s: the other has done its part in half of them.
 */
static void test_several_speeds(void **state)
{
  (void)state;
  FIGURES(
      ON(1, 0, 2, 1, "{compute_homogeneous: 20}"),
      "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 1, speed: 2}]}\n" RUNS LINEAR TASKS,
      OF(0, 20 * 200 + 10 * 200 + 10 * 100));
}

/* Three of four cores are held until 10: the draw of 175 W is 2 : 1, and all of it is one's from then on.
 * User 7 waits for both hosts, and has 400 W for 5 s. */
static void test_shares(void **state)
{
  (void)state;
  FIGURES("- {id: 1, user: 5, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 2}, delay: 10}\n"
          "- {id: 2, user: 6, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 1}, delay: 20}\n"
          "- {id: 3, user: 7, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 4}, delay: 5}\n",
          TWO LINEAR "policy: fcfs\nmetrics: [{use: energy, by: users}]\n", USER(5, 175 * 10 * 2.0 / 3),
          USER(6, 175 * 10 / 3.0 + 125 * 10), USER(7, 400 * 5), ALL("energy_busy", 1750 + 1250 + 2000));
}

/* On hosts that promise more cores than they have: two tasks that would use four of four each have two, and
 * the host is full, not twice so. V42 of DSLab: 94 tasks of 100 of 200 cores that use a hundredth of them. */
static void test_promised_twice(void **state)
{
  char tasks[16384] = "";
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 4}, profile: "
          "{compute_homogeneous: 40}}\n"
          "- {id: 2, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 4}, profile: "
          "{compute_homogeneous: 40}}\n",
          "cell: {use: hosts, classes: [{name: one, cpus: 4}]}\n"
          "execution: {use: activities, cpu_speed: 1, overcommit: [cpu=2]}\n" LINEAR TASKS,
          OF(0, 200 * 20 / 2), OF(1, 200 * 20 / 2), ALL("energy", 200 * 20));
  for (int i = 1; i <= 94; i++) {
    char one[160];
    (void)snprintf(
        one, sizeof one,
        "- {id: %d, submit_time: 0, delay: 10, resources: {nodes_count: 1, cpu_per_node: 100}, usage: ["
        "{cpu: 1}]}\n",
        i);
    (void)strcat(tasks, one);
  }
  FIGURES(tasks,
          "cell: {use: hosts, classes: [{name: one, cpus: 200}]}\n"
          "execution: {use: activities, cpu_speed: 1, overcommit: [cpu=50]}\n" LINEAR TASKS,
          ALL("energy", 10 * (100 + 100 * 0.47)), OF(93, 10 * 147 / 94.0));
}

/* V41 of DSLab: 10 of 30 cores for 3.5 s of 10, on a host of 0.4 to 1 W. */
static void test_window(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, delay: 3.5, resources: {nodes_count: 1, cpu_per_node: 10}}\n"
      "- {id: 2, submit_time: 0, delay: 10, resources: {nodes_count: 1, cpu_per_node: 0, memory_per_node: "
      "1}}\n",
      "cell: {use: hosts, classes: [{name: one, cpus: 30, memory: 1GiB}]}\n"
      "power: {use: linear, idle: 0.4, peak: 1}\nmetrics: [energy]\n",
      ALL("energy", 4.7));
}

/* Two tasks of all four cores take turns of 10 s: a suspended one keeps none busy, and the host is full all
 * the time. */
static void test_turns(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 1, 4, "{compute_homogeneous: 80}") ON(2, 0, 1, 4, "{compute_homogeneous: 80}"),
          "cell: {use: hosts, classes: [{name: one, cpus: 4}]}\n" RUNS LINEAR
          "policy: {use: gang, quantum: 10s, rows: 2}\nmetrics: [energy]\n",
          ALL("energy", 200 * 40), ALL("energy_busy", 200 * 40));
}

/* A host of 16 GiB in two modules of 3 W and two GPUs of 50 to 300 W: a task that holds a core of four, a
 * quarter of the memory and one GPU for 10 s of 20. */
static void test_parts(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 1, cpu_per_node: 1, "
          "memory_per_node: 4GiB, gpu: 1}}\n"
          "- {id: 2, submit_time: 0, delay: 20, resources: {nodes_count: 1, cpu_per_node: 1}}\n",
          "cell: {use: hosts, classes: [{name: one, cpus: 4, memory: 16GiB, gpus: 2}]}\n"
          "power: [{use: linear, idle: 100, peak: 200}, {use: ddr3}, {use: gpus, idle: 50, peak: 300}]\n"
          "metrics: [energy]\n",
          ALL("energy", 150 * 10 + 125 * 10 + 6 * (0.26 * 20 + 0.74 * 0.25 * 10) + 350 * 10 + 100 * 10));
}

/* A licence of watts, of which tasks ask for what their cores draw, is a cap: 16 hosts draw 1600 W idle and
 * may draw 600 more. Random tasks of up to 6 cores under each selector, by the greatest draw of all
 * instants; and some task must have waited for it, since 16 cores fit. */
static void test_cap(void **state)
{
  static const char *const selects[] = {"blocking", "scan", "easy", "conservative", "slack"};
  static const expected most = {NULL, 0, "power_max", 0};
  hc_draws stream = {20, 0, 0, 0, 0};
  (void)state;
  for (int round = 0; round < 20; round++) {
    char tasks[16384] = "", file[64], yaml[512];
    bench b;
    for (int i = 1; i <= 80; i++) {
      char one[128];
      const double at = hc_random_unit(&stream) * 100, run = hc_random_unit(&stream) * 30 + 1;
      const int procs = 1 + (int)(hc_random_unit(&stream) * 6);
      (void)snprintf(one, sizeof one,
                     "- {id: %d, submit_time: %.3f, procs: %d, delay: %.3f, wall_time_limit: %.3f}\n", i, at,
                     procs, run, run * 2);
      (void)strcat(tasks, one);
    }
    (void)snprintf(
        yaml, sizeof yaml,
        "cell: {use: hosts, classes: [{name_prefix: h, count: 16, cpus: 1}], licences: [watts=600]}\n"
        "transforms: [{use: needs, of: watts, amount: procs * 100}]\n"
        "policy: {select: %s}\n" LINEAR "metrics: [energy]\n",
        selects[round % 5]);
    check(&b, try_tasks(&b, file, tasks, yaml));
    finish(&b);
    assert_true(find(&b, &most) == 1600 + 600);
    end(&b);
    (void)unlink(file);
  }
}

/* 300 W for 20 s, and half as much again for the building, at 0.36 for a kWh and 500 g: saved and restored on
 * the way. */
static void test_cost(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 1, 4, "{compute_homogeneous: 80}"),
          TWO RUNS LINEAR "metrics: [{use: energy, pue: 1.5, price: 0.36, carbon: 500}]\n",
          ALL("energy", 6000), ALL("energy_facility", 9000), ALL("energy_cost", 9000 / 3.6e6 * 0.36),
          ALL("energy_co2", 9000 / 3.6e6 * 0.5));
}

/* Host 0 runs until 10, and is the lowest idle one then: it stays on, and the task of 100 starts at once.
 * Host 1 goes off at 10, when it is idle beside it. Without `keep` it goes off at 5 and host 0 at 15, and
 * the second task waits for 20 s, in which host 0 starts. */
static void test_kept(void **state)
{
  const char *tasks =
      ON(1, 0, 1, 4, "{compute_homogeneous: 40}") ON(2, 100, 1, 4, "{compute_homogeneous: 40}");
  (void)state;
  FIGURES(tasks,
          TWO RUNS LINEAR "policy: {use: sleeping, policy: easy, idle_after: 5s, off: 0s, on: 20s, keep: 1}\n"
                          "metrics: [energy, wait]\n",
          ALL("wait_mean", 0), ALL("energy", 200 * 10 + 100 * 90 + 200 * 10 + 100 * 10), ALL("energy_off", 0),
          ALL("energy_switching", 0));
  FIGURES(tasks,
          TWO RUNS LINEAR "policy: {use: sleeping, policy: easy, idle_after: 5s, off: 0s, on: 20s}\n"
                          "metrics: [energy, wait]\n",
          ALL("wait_mean", 10), ALL("energy", 200 * 10 + 100 * 5 + 100 * 20 + 200 * 10 + 100 * 5),
          ALL("energy_switching", 100 * 20));
}

/* On processors: those that compute are full, those that are held and wait draw what idle ones do. */
static void test_processors(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, procs: 3, profile: {sequence: [{compute_homogeneous: 10}, {idle: 10}]}}\n",
      "cell: {use: count, procs: 5}\n" RUNS LINEAR "metrics: [{use: energy, by: tasks}]\n",
      ALL("energy", 5 * 100 * 20 + 3 * 100 * 10), ALL("energy_busy", 3 * 200 * 10 + 3 * 100 * 10),
      OF(0, 9000));
}

/* Batsim's issue 51: a job of 10 s on two hosts of 203 W, killed at its limit of 3 s. */
static void test_killed(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, procs: 2, delay: 10, wall_time_limit: 3}\n",
          "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 1}]}\n"
          "power: {use: constant, watts: 203}\n"
          "metrics: [{use: energy, by: tasks, wasted: true}]\n",
          OF(0, 1218), ALL("energy", 1218), ALL("energy_killed", 1218), ALL("energy_lost", 0),
          ALL("energy_wasted", 1));
}

/* All four cores of a host that is gone from 6 to 8: 6 s at 200 W are done again, until 18. With
 * checkpoints each 4 s that cost nothing, 2 s of the 6 are, so a third of 1,200 J; and it ends at 14. Of
 * the same task with a limit of 9 s, that is killed then, the second attempt is the killed one's. */
#define GONE \
  "cell: {use: hosts, classes: [{name: one, cpus: 4}]}\n" LINEAR \
  "host_loss: requeue\nevents: {use: list, changes: [{at: 6s, hosts: one, change: down, until: 8s}]}\n" \
  "metrics: [{use: energy, by: tasks, wasted: true}]\n"

static void test_lost(void **state)
{
  const char *task = "- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 1, cpu_per_node: 4}}\n";
  (void)state;
  FIGURES(task, GONE, OF(0, 3200), ALL("energy_busy", 3200), ALL("energy_lost", 1200),
          ALL("energy_killed", 0), ALL("energy_wasted", 1200 / 3200.0));
  FIGURES(task, GONE "checkpoint: {use: fixed, every: 4s}\n", OF(0, 2400), ALL("energy_lost", 400),
          ALL("energy_wasted", 400 / 2400.0));
  FIGURES(
      "- {id: 1, submit_time: 0, delay: 10, wall_time_limit: 9, resources: {nodes_count: 1, cpu_per_node: "
      "4}}\n",
      GONE, OF(0, 1200 + 1800), ALL("energy_lost", 1200), ALL("energy_killed", 1800),
      ALL("energy_wasted", 1));
}

/* Two tasks of a host that is lost, of which one is not to be run again: all that it took was for
 * nothing. The other runs alone from 8 to 18, at 125 W. */
static void test_given_up(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 1, cpu_per_node: 1}}\n"
          "- {id: 2, submit_time: 0, delay: 10, requeue: false, resources: {nodes_count: 1, cpu_per_node: "
          "2}}\n",
          GONE, OF(0, 175 * 6 / 3.0 + 1250), OF(1, 175 * 6 * 2 / 3.0), ALL("energy_lost", 175 * 6),
          ALL("energy_killed", 0), ALL("energy_busy", 175 * 6 + 1250));
}

/* Records of tasks are told before changes of the same time, or long after: neither may make energy of a
 * group or queue no one's. User 5 and 6 of one group share a host; user 7 of another has both. */
static void test_groups(void **state)
{
  static const char tasks[] =
      "- {id: 1, user: 5, group: 1, queue: 3, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 2}, "
      "delay: "
      "10}\n"
      "- {id: 2, user: 6, group: 1, queue: 4, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 1}, "
      "delay: "
      "20}\n"
      "- {id: 3, user: 7, group: 2, queue: 4, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 4}, "
      "delay: "
      "5}\n";
  (void)state;
  FIGURES(tasks, TWO LINEAR "policy: fcfs\nmetrics: [{use: energy, by: [groups, queues]}]\n",
          {"energy_by_group", 1, "energy", 1750 + 1250}, {"energy_by_group", 2, "energy", 2000},
          {"energy_by_group", 1, "tasks", 2}, {"energy_by_queue", 3, "energy", 1750 * 2 / 3.0},
          {"energy_by_queue", 4, "energy", 1750 / 3.0 + 1250 + 2000});
}

/* What was drawn by when: a host of four cores beside one that is switched off from 5 to 6, which draws
 * 10 W then, and 120 while it stops. */
#define ROW(number, seconds, what_, joules, watts) \
  {"energy_trace", number, "at", seconds}, {"energy_trace", number, "what", what_}, \
      {"energy_trace", number, "energy", joules}, \
  { \
    "energy_trace", number, "least", watts \
  }

static void test_trace(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 4}, delay: 10}\n",
          TWO "power: {use: linear, idle: 100, peak: 200, off: 10, stopping: 120}\n"
              "policy: {use: sleeping, policy: fcfs, idle_after: 5s, off: 1s}\n"
              "metrics: [{use: energy, trace: true}]\n",
          ROW(0, 0, 0, 0, 200), ROW(1, 5, 2, 300 * 5, 220), ROW(2, 6, 2, 300 * 5 + 320, 110),
          ROW(3, 10, 1, 300 * 5 + 320 + 210 * 4, 110));
}

/* A kWh costs 0.30 in the first hour and 0.10 from then on. A host draws 200 W busy and 100 idle; of a
 * task of an hour that comes at 600 s and can wait, all is cheap; the machine is counted from when it
 * may start. */
static void test_cheapest_hours(void **state)
{
  static const char task[] = "- {id: 1, submit_time: 600, delay: 3600, wall_time_limit: 3600, procs: 1}\n";
  char file[64], yaml[512];
  (void)state;
  write_log(file, "at,price\n0,0.30\n3600,0.10\n", 26);
  (void)snprintf(yaml, sizeof yaml,
                 "cell: {use: hosts, classes: [{name: one, cpus: 1}]}\n" LINEAR
                 "metrics: [{use: energy, tariff: %s}, wait]\n",
                 file);
  FIGURES(task, yaml, ALL("energy_cost", 0.2 * (3000 * 0.3 + 600 * 0.1) / 3600), ALL("wait_mean", 0));
  (void)snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml),
                 "transforms: [{use: greenest, tariff: %s, by: price, delay: 2h}]\n", file);
  FIGURES(task, yaml, ALL("energy_cost", 0.2 * 0.1), ALL("wait_mean", 3000));
  (void)unlink(file);
}

/* ---- links and switches ---- */

/* 2000 bytes from the first host to the second, over links of 100 bytes/s. */
#define SEND "{parallel_task: {com: [0, 2000, 0, 0]}}"
#define MATRIX "{communication_matrix: {matrix: [[0, 2000], [0, 0]]}}"
#define PAUSED "{sequence: [{idle: 5}, " SEND ", {idle: 5}]}"
#define NETWORK(text) \
  TWO "execution: {use: activities, cpu_speed: 1, network: {bandwidth: 100, " text "}}\n" LINEAR
#define COUNTED "metrics: [energy]\n"

/* B bytes over one link: idle x T + (busy - idle) x B / bandwidth, whether one flow carries them or two. */
static void test_link(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 2, 1, SEND), NETWORK("use: shared, link_watts: [3, 7]") COUNTED,
          ALL("energy_links", 3 * 20 + 4 * 20), ALL("energy_switches", 0), ALL("energy_network", 140),
          ALL("energy", 2 * 100 * 20), ALL("energy_facility", 4140));
  FIGURES(ON(1, 0, 2, 1, PAUSED), NETWORK("use: shared, link_watts: [3, 7]") COUNTED,
          ALL("energy_links", 3 * 30 + 4 * 20));
  FIGURES(ON(1, 0, 2, 1, SEND) ON(2, 0, 2, 1, SEND), NETWORK("use: shared, link_watts: [3, 7]") COUNTED,
          ALL("energy_links", 3 * 40 + 4 * 40));
  FIGURES(ON(1, 0, 2, 1, "{idle: 10}"), NETWORK("use: shared, link_watts: [3, 7]") COUNTED,
          ALL("energy_links", 3 * 10));
  FIGURES(ON(1, 10, 2, 1, SEND), NETWORK("use: shared") "metrics: [{use: energy, pue: 2}]\n",
          ALL("energy_network", __builtin_nan("")), ALL("energy_facility", 2 * 2 * 100 * 20));
}

/* 2000 bytes, 100 a second from 5 to 25: of pieces of 10 s they take 5, 10 and 5, and 4 W more all the time.
 * The last ends with the task, at 30; so does one of an hour. Of pieces of a second 16 are kept: those of 30
 * become 15 of two. Between two tasks links draw what they draw empty. Switches draw the same all the time,
 * and a price costs what it costs without the table. */
static void test_over_time(void **state)
{
#define OVER(more) "metrics: [{use: energy, network: true" more "}]\n"
#define SHARED NETWORK("use: shared, link_watts: [3, 7]")
#define DRAWN(second, column, watts) \
  { \
    "network_power", second, column, watts \
  }
  (void)state;
  FIGURES(ON(1, 0, 2, 1, PAUSED), SHARED OVER(", every: 10s"), DRAWN(0, "links", 5), DRAWN(10, "links", 7),
          DRAWN(20, "links", 5), DRAWN(20, "until", 30), DRAWN(20, "all", 5), DRAWN(20, "switches", 0),
          ALL("energy_links", 50 + 70 + 50));
  FIGURES(ON(1, 0, 2, 1, PAUSED), SHARED OVER(""), DRAWN(0, "links", 170 / 30.0), DRAWN(0, "until", 30));
  FIGURES(ON(1, 0, 2, 1, PAUSED), SHARED OVER(", every: 1s, rows: 16"), DRAWN(2, "links", 3),
          DRAWN(4, "links", 5), DRAWN(6, "links", 7), DRAWN(22, "links", 7), DRAWN(24, "links", 5),
          DRAWN(26, "links", 3), DRAWN(28, "until", 30));
  FIGURES(ON(1, 7, 2, 1, SEND) ON(2, 50, 2, 1, SEND), SHARED OVER(", every: 10s"), DRAWN(0, "links", 3 + 1.2),
          DRAWN(10, "links", 7), DRAWN(20, "links", 3 + 2.8), DRAWN(30, "links", 3), DRAWN(40, "links", 3),
          DRAWN(50, "links", 7), DRAWN(60, "links", 7), DRAWN(60, "until", 70));
  FIGURES(ON(1, 0, 2, 1, SEND),
          NETWORK("use: star, link_watts: [1, 2], switch_watts: 150") OVER(", every: 8s, price: 3600000"),
          DRAWN(8, "links", 6), DRAWN(8, "switches", 150), DRAWN(16, "all", 156), DRAWN(16, "until", 20),
          ALL("energy_network", 3120), ALL("energy_cost", 2 * 100 * 20 + 3120));
  assert_refused(ON(1, 0, 2, 1, SEND), NETWORK("use: shared") OVER(""), HC_EUSAGE,
                 "is a table of what links");
}

/* Of the four links of a star two carry 100 bytes/s for 20 s. Of two half-duplex ones each carries both
 * directions, for 40 s. Flows that get half the rate of what they take have links in full use for 40 s; those
 * that take a twentieth of their rate on the way back use all four. */
static void test_star(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 2, 1, SEND), NETWORK("use: star, link_watts: [1, 2], switch_watts: 150") COUNTED,
          ALL("energy_links", 4 * 20 + 2 * 20), ALL("energy_switches", 150 * 20),
          ALL("energy_network", 3120));
  FIGURES(ON(1, 0, 2, 1, "{parallel_task: {com: [0, 2000, 2000, 0]}}"),
          NETWORK("use: star, duplex: half, link_watts: [1, 2]") COUNTED,
          ALL("energy_links", 2 * 40 + 2 * 40));
  FIGURES(ON(1, 0, 2, 1, MATRIX), NETWORK("use: star, bandwidth_factor: 0.5, link_watts: [1, 2]") COUNTED,
          ALL("energy_links", 4 * 40 + 2 * 40));
  FIGURES(ON(1, 0, 2, 1, MATRIX), NETWORK("use: star, cross_traffic: 0.05, link_watts: [1, 2]") COUNTED,
          ALL("energy_links", 4 * 20 + 2 * 20 + 2 * 0.05 * 20));
  /* A loopback draws nothing, and a fatpipe the same with any load. */
  FIGURES(ON(1, 0, 2, 1, SEND),
          NETWORK("use: star, local_bandwidth: 50, duplex: fatpipe, link_watts: [1, 1]") COUNTED,
          ALL("energy_links", 2 * 20));
}

/* A switch for each host and one above: four links of [1, 2] W and four of [3, 6], of which two each are full
 * for 20 s. Of a backbone the second pair is its own. */
static void test_kinds_of_links(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 2, 1, SEND),
          NETWORK("use: tree, children: [1, 2], link_watts: [1, 2, 3, 6], switch_watts: 10") COUNTED,
          ALL("energy_links", (4 * 1 + 4 * 3 + 2 * 1 + 2 * 3) * 20), ALL("energy_switches", 3 * 10 * 20));
  FIGURES(ON(1, 0, 2, 1, SEND), NETWORK("use: tree, children: [1, 2], link_watts: [1, 2]") COUNTED,
          ALL("energy_links", (8 * 1 + 4 * 1) * 20));
  FIGURES(ON(1, 0, 2, 1, SEND),
          NETWORK("use: backbone, backbone_bandwidth: 200, link_watts: [1, 2, 10, 14]") COUNTED,
          ALL("energy_links", (4 * 1 + 10 + 2 * 1 + 4 * 0.5) * 20));
}

/* A kWh costs 0.36 until 10 and 0.72 from then on, and its making emits 500 g and then 100. Hosts, links that
 * carry nothing and the switch draw 200 + 4 + 50 W for 30 s; for what they carry links draw 2 W from 5 to 25.
 * The building draws half as much again. */
static void test_network_cost(void **state)
{
  static const char prices[] = "at,price,carbon\n0,0.36,500\n10,0.72,100\n";
  const double before = 254 * 10 + 2 * 5, after = 254 * 20 + 2 * 15;
  char file[64], yaml[512];
  (void)state;
  write_log(file, prices, sizeof prices - 1);
  (void)snprintf(yaml, sizeof yaml, "%smetrics: [{use: energy, pue: 1.5, tariff: %s}]\n",
                 NETWORK("use: star, link_watts: [1, 2], switch_watts: 50"), file);
  FIGURES(ON(1, 0, 2, 1, PAUSED), yaml, ALL("energy_facility", (before + after) * 1.5),
          ALL("energy_cost", 1.5 * (before * 0.36 + after * 0.72) / 3.6e6),
          ALL("energy_co2", 1.5 * (before * 0.5 + after * 0.1) / 3.6e6));
  (void)unlink(file);
}

static void test_network_refused(void **state)
{
  const char *task = ON(1, 0, 2, 1, SEND);
  (void)state;
  assert_refused(task, NETWORK("use: constant, link_watts: [1, 2]") COUNTED, HC_EUSAGE, "has no links");
  assert_refused(task, NETWORK("use: shared, switch_watts: 1") COUNTED, HC_EUSAGE, "has no switches");
  assert_refused(task, NETWORK("use: torus, dimensions: [1000], link_watts: [1e9, 1e9]") COUNTED, HC_EUSAGE,
                 "more than 1e+12 W");
  assert_refused(task, NETWORK("use: star, link_watts: [1]") COUNTED, HC_EUSAGE, "two numbers");
  assert_refused(task, NETWORK("use: star, link_watts: [1, 2, 3, 4]") COUNTED, HC_EUSAGE, "two numbers");
  assert_refused(task, NETWORK("use: star, link_watts: [2, 1]") COUNTED, HC_EUSAGE, "lesser number first");
  assert_refused(task, NETWORK("use: star, duplex: fatpipe, link_watts: [1, 2]") COUNTED, HC_EUSAGE,
                 "is a fatpipe");
  assert_refused(task,
                 TWO "execution: {use: activities, cpu_speed: 1, overcommit: [cpu=2], network: {use: shared, "
                     "link_watts: [1, 2]}}\n" LINEAR COUNTED,
                 HC_EUNSUPPORTED, "leave execution.overcommit out");
  assert_refused(task,
                 TWO "architecture: {use: messages, master: m, network: {use: star, link_watts: [1, 2]}}\n"
                     "execution: {use: activities, cpu_speed: 1}\n" LINEAR COUNTED,
                 HC_EUSAGE, "is not counted");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_usage_traces),   cmocka_unit_test(test_phases),
      cmocka_unit_test(test_parallel_tasks), cmocka_unit_test(test_several_speeds),
      cmocka_unit_test(test_shares),         cmocka_unit_test(test_promised_twice),
      cmocka_unit_test(test_window),         cmocka_unit_test(test_turns),
      cmocka_unit_test(test_processors),     cmocka_unit_test(test_parts),
      cmocka_unit_test(test_cost),           cmocka_unit_test(test_cap),
      cmocka_unit_test(test_kept),           cmocka_unit_test(test_killed),
      cmocka_unit_test(test_lost),           cmocka_unit_test(test_given_up),
      cmocka_unit_test(test_groups),         cmocka_unit_test(test_trace),
      cmocka_unit_test(test_cheapest_hours), cmocka_unit_test(test_link), cmocka_unit_test(test_over_time),
      cmocka_unit_test(test_star),           cmocka_unit_test(test_kinds_of_links),
      cmocka_unit_test(test_network_cost),   cmocka_unit_test(test_network_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
