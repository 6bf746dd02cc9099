/* test_measures.c -- what is measured of running tasks: figures of the metrics activity and resource_use that
 * follow by hand from what tasks do, in one piece and saved and restored after each instant; and that nothing
 * else is another for being measured.
 *
 * V14, V18 and V30 are vectors of DSLab: a cable that flows share, one medium for all, a series of a load. */
#include "figures_test.h"

#include "base/math.h"

#define TWO "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 8}]}\n"
#define SENDS(from, to, size) \
  "{type: communication-src-dst, args: {src: [" #from "], dst: [" #to "], size: " #size "}}"
#define RUNS "execution: {use: activities, cpu_speed: 1}\n"
#define CABLE(duplex) \
  "execution: {use: activities, cpu_speed: 1, network: {use: graph, connections: [{from: h-0, to: h-1, " \
  "bandwidth: 100, duplex: " duplex "}]}}\n"
#define ACTIVITY "metrics: [{use: activity, contention: true, rows: true}]\n"
#define USE(every, detail) "metrics: [{use: resource_use, every: " #every ", detail: " detail "}]\n"

#define ROW(serial, name, value) \
  { \
    "activity", serial, name, value \
  }
#define PIECE(from, name, value) \
  { \
    "resource_use", from, name, value \
  }

/* ---- one bottleneck ---- */

/* All of 600 processes to each other one, whose links follow from the shape of the network and not from
 * 359,400 routes, sent as many bytes as if these had been walked, and all the time. */
static void test_many_to_all(void **state)
{
  (void)state;
  FIGURES("- {id: 1, submit_time: 0, resources: {nodes_count: 600, cpu_per_node: 1}, "
          "profile: {all_to_all: {size: 1000, together: true}}}\n",
          "cell: {use: hosts, classes: [{name_prefix: h, count: 600, cpus: 1}]}\n"
          "execution: {use: activities, network: {use: shared, bandwidth: 1000}}\n" ACTIVITY,
          ALL("activity_sent", 359400e3), ALL("activity_network_time", 359400), ROW(0, "worked", 359400));
}

/* n tasks send 1000 each over one medium of 100: all until 10 n, which is n times as long as alone. All of
 * its bandwidth is taken all the time. */
static void test_one_bottleneck(void **state)
{
  (void)state;
  for (int n = 1; n <= 4; n++) {
    char tasks[2048] = "";
    for (int i = 1; i <= n; i++) {
      char one[256];
      (void)snprintf(
          one, sizeof one,
          "- {id: %d, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: " SENDS(
              0, 1, 1000) "}\n",
          i);
      (void)strcat(tasks, one);
    }
    FIGURES(tasks,
            TWO "execution: {use: activities, network: {use: shared, bandwidth: 100}}\n"
                "metrics: [{use: activity, contention: true, rows: true}, {use: resource_use, every: 5s}]\n",
            ALL("activity_attempts", n), ALL("activity_slowdown_mean", n), ALL("activity_slowdown_max", n),
            ALL("activity_slowed", n > 1 ? n : 0), ALL("activity_alone", 10.0 * n),
            ALL("activity_lost", 10.0 * n * (n - 1)), ALL("activity_sent", 1000.0 * n),
            ALL("activity_waits_network", 1), ROW(n - 1, "slowdown", n), ROW(n - 1, "sent", 1000),
            ALL("resource_use_sent", 1000.0 * n), ALL("resource_use_links", 1),
            ALL("resource_use_link_max", 1), ALL("resource_use_link_peak", 1),
            ALL("resource_use_cores_held", 2.0 * n), ALL("resource_use_cores_used", 0), PIECE(5, "sent", 100),
            PIECE(5, "links", 1), PIECE(5, "until", 10));
  }
}

/* V14, 3 one way and 1 the other: with both ways on one link it is full until 40. With two the one is full
 * until 30, and the other has 1000 of the 3000 that it could carry. */
static void test_duplex(void **state)
{
  const char *tasks = ON(1, 0, 2, 1,
                         "{parallel: [" SENDS(0, 1, 1000) ", " SENDS(0, 1, 1000) ", " SENDS(
                             0, 1, 1000) ", " SENDS(1, 0, 1000) "]}");
  (void)state;
  FIGURES(tasks, TWO CABLE("half") USE(10s, "each"), ALL("resource_use_links", 1),
          ALL("resource_use_link_max", 1), ALL("resource_use_sent", 4000), {"link_use", 0, "taken", 4000},
          PIECE(30, "until", 40), PIECE(0, "sent", 100));
  FIGURES(tasks, TWO CABLE("full") USE(10s, "each"), ALL("resource_use_links", 2.0 / 3),
          ALL("resource_use_link_max", 1), {"link_use", 0, "taken", 3000}, {"link_use", 1, "taken", 1000},
          {"link_use", 1, "use", 1.0 / 3}, {"link_use", 1, "peak", 1}, PIECE(0, "links", 1),
          PIECE(20, "links", 0.5), PIECE(20, "until", 30));
}

/* V18: ends at 150.1 and 110.1 of 1000 and, from 10 on, 500 bytes over a medium of 10; what stays on a host
 * does not count. Alone they take 100.1 and 50.1. */
static void test_medium(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 1, 1, "{type: communication-matrix, args: {matrix: [[1000]]}}")
              ON(2, 0, 2, 1, "{type: communication-matrix, args: {matrix: [[0, 1000], [0, 0]]}}")
                  ON(3, 10, 1, 1, "{communication_matrix: [500]}") ON(4, 10, 2, 1, SENDS(0, 1, 500)),
          TWO "execution: {use: activities, network: {use: shared, bandwidth: 10, latency: 0.1, "
              "local_bandwidth: 1000}}\n"
              "metrics: [{use: activity, contention: true, rows: true}, {use: resource_use, every: 1h, "
              "detail: each}]\n",
          ROW(1, "alone", 100.1), ROW(1, "slowdown", 150.1 / 100.1), ROW(3, "alone", 50.1),
          ROW(3, "slowdown", 100.1 / 50.1), ROW(0, "slowdown", 1), ROW(0, "sent", 0), ROW(3, "sent", 500),
          ALL("activity_slowed", 2), ALL("activity_sent", 1500), {"link_use", 0, "use", 1500 / (10 * 150.1)});
}

/* V30: of 100 in all 50 are used from 5 to 11, in pieces of 10: a quarter of the first. 300 bytes cross a
 * cable of 100 and one of 50. */
static void test_series(void **state)
{
  (void)state;
  FIGURES(ON(1, 5, 2, 1, SENDS(0, 1, 300)),
          TWO
          "execution: {use: activities, network: {use: graph, connections: [{from: h-0, to: s, bandwidth: "
          "100, duplex: half}, {from: s, to: h-1, bandwidth: 50, duplex: half}]}}\n" USE(10s, "series"),
          PIECE(5, "until", 10), PIECE(10, "until", 11), {"link_use", 0, "taken", 300},
          {"link_use", 0, "use", 0.5}, {"link_use", 1, "use", 1});
  FIGURES(ON(1, 0, 1, 1, "{idle: 1}") ON(2, 5, 2, 1, SENDS(0, 1, 300)),
          TWO
          "execution: {use: activities, network: {use: graph, connections: [{from: h-0, to: s, bandwidth: "
          "100, duplex: half}, {from: s, to: h-1, bandwidth: 50, duplex: half}]}}\n" USE(10s, "series"),
          {"link_series:0:h-0-s", 0, "use", 0.25}, {"link_series:0:h-0-s", 0, "until", 10},
          {"link_series:0:h-0-s", 10, "use", 0.5}, {"link_series:0:h-0-s", 10, "until", 11},
          {"link:1:s-h-1", 1, "bandwidth", 50}, {"link_series:1:s-h-1", 0, "use", 0.5},
          PIECE(0, "links", 500.0 / 1500));
}

/* ---- samples ---- */

#define SENSED(table, sample, name, value) \
  { \
    table, sample, name, value \
  }
#define SENSES(every, more) "metrics: [wait, {use: sensing, every: " every more "}]\n"

/* 20 of work on 2 of 8 cores from 2 to 12, and 1000 bytes over a cable of 100 until 22. What begins at a
 * sample's time shows in the next one. A cable that is the file system's has bytes, and the network none that
 * counts. */
static void test_samples(void **state)
{
  const char *tasks = ON(1, 2, 2, 2, "{sequence: [{compute_homogeneous: 20}, " SENDS(0, 1, 1000) "]}");
  (void)state;
  FIGURES(tasks, TWO CABLE("half") SENSES("1s", ""), ALL("sensing_samples", 23), ALL("sensing_every", 1),
          SENSED("sensing_cpu:0", 3, "load", 0.25), SENSED("sensing_cpu:0", 13, "load", 0),
          SENSED("sensing_cpu:1", 3, "load", 0.25), SENSED("sensing", 13, "network", 1),
          SENSED("sensing", 13, "pfs_read", 0), ALL("sensing_pfs_read_bandwidth", 0));
  FIGURES(tasks, TWO CABLE("half") SENSES("5s", ", pfs_read: ['0:h-0-h-1']"), ALL("sensing_samples", 5),
          SENSED("sensing_cpu:1", 1, "load", 0.25), SENSED("sensing_cpu:1", 3, "load", 0),
          SENSED("sensing", 3, "pfs_read", 100), SENSED("sensing", 3, "network", 0),
          ALL("sensing_pfs_read_bandwidth", 100));
}

/* 5 of work and 2 x 1000 bytes on a cable of 100 at one rate: 20 s, in which a quarter of a core computes of
 * 8. Beside it each of two GPUs of four does 20 at 10 a second. A task that queues in between is looked at
 * without the model, which has been asked for rates then at later times than it was told of. */
static void test_samples_of_rates(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1, gpu_per_node: 2}, profile: "
      "{parallel: [{parallel_homogeneous: {cpu: 5, com: 1000}}, {gpus: {work: 40, gpus: num_gpus / "
      "2}}]}}\n" ON(
          2, 3.5, 2, 8, "{idle: 1}"),
      "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 8, gpus: 4}]}\n"
      "execution: {use: activities, cpu_speed: 1, gpu_speed: 10, network: {use: graph, connections: [{from: "
      "h-0, "
      "to: h-1, bandwidth: 100, duplex: half}]}}\n" SENSES("1s", ""),
      SENSED("sensing_cpu:0", 1, "load", 0.03125), SENSED("sensing_gpu:0", 1, "load", 0.5),
      SENSED("sensing_gpu:0", 3, "load", 0), SENSED("sensing", 1, "network", 1), ALL("sensing_samples", 22));
}

/* ---- phases ---- */

#define CROSS SENDS(0, 1, 1000)

/* 20 of work in 10 on 2 cores, 1000 sent in 10, 500 read in 5, 3 of nothing, then 30 of work for 15 beside
 * 1000 for 10: so the last 5 are the cores' alone. 8 cores are used of 2 x 2 in 25 of 43 s. */
static void test_phases(void **state)
{
  const char *tasks = "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 2}, profile: "
                      "{sequence: [{compute_homogeneous: 20}, " CROSS
                      ", {disk_ops: {processes: [1], read_size: 500}}, {idle: 3}, "
                      "{parallel: [{compute_homogeneous: 30}, " CROSS
                      "]}, {disk_ops: {processes: [0], write_size: 100}}]}}\n";
  (void)state;
  FIGURES(tasks,
          TWO "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}, disks: "
              "[{read_bandwidth: 100, write_bandwidth: 50}]}\n"
              "metrics: [{use: activity, contention: true, rows: true}, {use: resource_use, every: 10s, "
              "detail: each}]\n",
          ROW(0, "worked", 45), ROW(0, "end", 45), ROW(0, "compute_time", 25), ROW(0, "network_time", 20),
          ROW(0, "disk_time", 7), ROW(0, "idle_time", 3), ROW(0, "waits_cores", 15.0 / 45),
          ROW(0, "waits_network", 10.0 / 45), ROW(0, "waits_disk", 7.0 / 45), ROW(0, "overlap", 10.0 / 45),
          ROW(0, "sent", 2000), ROW(0, "read", 500), ROW(0, "written", 100), ROW(0, "slowdown", 1),
          ALL("activity_worked", 45), ALL("activity_overlap", 10.0 / 45), ALL("resource_use_cores_held", 4),
          ALL("resource_use_cores_used", 4 * 25.0 / 45), ALL("resource_use_cores", 25.0 / 45),
          PIECE(0, "cores", 1), PIECE(10, "cores", 0), PIECE(20, "cores", 0.2),
          PIECE(20, "disks", 500.0 / 3000), PIECE(20, "disk_max", 0.5), PIECE(20, "read", 50),
          {"disk_use", 2, "taken", 500}, {"disk_use", 1, "taken", 100},
          {"disk_use", 1, "use", 100 / (50.0 * 45)}, {"disk_use", 1, "peak", 100 / (50.0 * 5)});
}

/* Two disk operations at once on one process, of a disk that serves one: the second waits, which is time of
 * the disk's. Alone each task takes 10; together 10 and 20. */
static void test_disks(void **state)
{
  (void)state;
  FIGURES(
      ON(1, 0, 1, 1, "{disk_ops: {read_size: 1000}}") ON(2, 0, 1, 1, "{disk_ops: {read_size: 1000}}"),
      "cell: {use: hosts, classes: [{name_prefix: h, count: 1, cpus: 8}]}\n"
      "execution: {use: activities, disks: [{read_bandwidth: 100, write_bandwidth: 100, operations: 1}]}\n"
      "metrics: [{use: activity, contention: true, rows: true}, {use: resource_use, every: 8s}]\n",
      ROW(0, "slowdown", 1), ROW(1, "slowdown", 2), ROW(1, "disk_time", 20), ROW(1, "waits_disk", 1),
      ALL("activity_read", 2000), ALL("resource_use_disk_max", 1), ALL("resource_use_disks", 0.5),
      ALL("resource_use_read", 2000), PIECE(8, "read", 100));
}

/* Three computations at once on one process share its 2 cores: it uses both until 15. A parallel task whose
 * cable holds it back: 30 for 40 of work on one core, 10 on another, so it uses 50 / 60 of a core. */
static void test_cores(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 1, 2,
             "{parallel: [{compute_homogeneous: 10}, {compute_homogeneous: 10}, {compute_homogeneous: 10}]}")
              ON(2, 0, 1, 1, "{idle: 30}"),
          TWO RUNS USE(10s, "none"), ALL("resource_use_cores_used", 1), ALL("resource_use_cores_held", 2),
          PIECE(0, "cores_used", 2), PIECE(10, "cores_used", 1), PIECE(20, "cores_used", 0),
          PIECE(10, "cores_held", 2));
  FIGURES(ON(1, 0, 2, 1, "{parallel_task: {cpu: [40, 10], com: [[0, 6000], [0, 0]]}}"),
          TWO CABLE("full") "metrics: [{use: activity, contention: true, rows: true}, {use: resource_use, "
                            "every: 12s}]\n",
          PIECE(0, "cores_used", 50.0 / 60), PIECE(12, "cores_used", 50.0 / 60), PIECE(0, "cores_held", 2),
          PIECE(12, "sent", 100), ROW(0, "overlap", 1), ROW(0, "compute_time", 60), ROW(0, "sent", 6000),
          ALL("resource_use_cores", 50.0 / 120));
  /* Two processes of speed 1 and 1/2, treated alike: 20 of work in 20 and 40. */
  FIGURES(
      ON(1, 0, 2, 1, "{compute_homogeneous: 20}"),
      "cell: {use: hosts, classes: [{name_prefix: a, count: 1, cpus: 1}, {name_prefix: b, count: 1, cpus: "
      "1, speed: 0.5}]}\n" RUNS USE(1h, "none"),
      ALL("resource_use_cores_used", 60.0 / 40), ALL("resource_use_cores_held", 2));
}

/* An item of 600 is brought from the store in 6, and one of 200 delivered there in 2: neither is part of the
 * 10 that the task takes alone. What it computes on its two processes is one thing, though one is slower. */
static void test_items(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, resources: {nodes_count: 2, "
      "cpu_per_node: 1}, profile: {compute_homogeneous: 5}, inputs: [{name: in, size: 600}], outputs: {out: "
      "200}}\n"
      "- {id: 2, submit_time: 30, resources: {cpu_per_node: 1}, profile: {idle: 1}}\n",
      "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 1, speed: 0.5}, {name: s, memory: "
      "1GiB}]}\n"
      "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}}\n" ACTIVITY,
      ROW(0, "item_time", 8), ROW(0, "idle_time", 8), ROW(0, "worked", 18), ROW(0, "alone", 10),
      ROW(0, "at_once", 1), ALL("activity_item_time", 8), ALL("activity_idle_time", 9));
}

/* A task that is shorter for having another beside it. Alone its two flows from host 0 have 50 each: the
 * second has its 1500 at 25, when the first has had its 1000, and 100 s of nothing come after that. Beside
 * three flows to host 1 the first has 25, so that the second has 75 and is done at 20. */
static void test_shorter_than_alone(void **state)
{
  (void)state;
  FIGURES(
      ON(1, 0, 3, 1, "{parallel: [" SENDS(0, 1, 1000) ", {sequence: [" SENDS(0, 2, 1500) ", {idle: 100}]}]}")
          ON(2, 0, 4, 1,
             "{parallel: [" SENDS(3, 1, 10000) ", " SENDS(3, 1, 10000) ", " SENDS(3, 1, 10000) "]}"),
      "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 8}]}\n"
      "execution: {use: activities, network: {use: star, bandwidth: 100}}\n" ACTIVITY,
      ROW(0, "worked", 120), ROW(0, "alone", 125), ROW(0, "network_time", 40), ROW(0, "at_once", 2),
      ROW(1, "at_once", 3));
}

/* ---- what it meets ---- */

/* In turns of 3 s each sends its 1000 in its own 10: 19 and 20 s, of which each has worked 10; what is
 * suspended holds no cores. Alone it takes 10 too. The turn that begins at 18 would end at 21, behind all. */
static void test_turns(void **state)
{
  (void)state;
  FIGURES(ON(1, 0, 2, 8, SENDS(0, 1, 1000)) ON(2, 0, 2, 8, SENDS(0, 1, 1000)),
          "policy: {use: gang, quantum: 3s}\n" TWO CABLE(
              "full") "metrics: [{use: activity, contention: true, rows: true}, "
                      "{use: resource_use, every: 4s}]\n",
          ROW(0, "end", 19), ROW(0, "worked", 10), ROW(0, "network_time", 10), ROW(0, "alone", 10),
          ROW(1, "worked", 10), ROW(1, "slowdown", 1), ALL("resource_use_cores_held", 16),
          ALL("resource_use_sent", 2000), ALL("resource_use_link_max", 1), PIECE(4, "sent", 100));
}

/* 1 and 2 send to each other's host over cables that each way has for itself; at 4 host 2 goes, with 400 of
 * the 1000 of task 2: its attempt counts with what it did, and has no time alone. */
static void test_stopped(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c-0, c-1], "
      "profile: " SENDS(
          0, 1,
          1000) "}\n"
                "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c-1, c-2], "
                "profile: " SENDS(1, 0, 1000) "}\n",
      "cell: {use: hosts, classes: [{name_prefix: c, count: 3, cpus: 4}]}\n"
      "execution: {use: activities, network: {use: star, bandwidth: 100}}\n"
      "host_loss: lost\nevents: {use: list, changes: [{at: 4, hosts: c-2, change: down}]}\n" ACTIVITY,
      ALL("activity_attempts", 2), ROW(1, "worked", 4), ROW(1, "sent", 200), ROW(0, "sent", 1000),
      ROW(0, "worked", 12), ROW(0, "alone", 10), ALL("activity_slowdown_mean", 1.2),
      ALL("activity_sent", 1200));
}

/* At its limit of 7 a task has sent 700 of 1000; one whose profile fails counts too. Neither has a time
 * alone. Nor does a task of which only its length is known count, though it uses the cores that it holds. */
static void test_ends(void **state)
{
  (void)state;
  FIGURES(
      "- {id: 1, submit_time: 0, wall_time_limit: 7, "
      "resources: {nodes_count: 2, cpu_per_node: 1}, profile: " SENDS(
          0, 1,
          1000) "}\n"
                "- {id: 2, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 1}, profile: fail}\n",
      TWO CABLE("half") ACTIVITY, ALL("activity_attempts", 2), ROW(0, "worked", 7), ROW(0, "sent", 700),
      ALL("activity_slowed", 0), ALL("activity_alone", 0));
  FIGURES("- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 4}, delay: 10}\n",
          TWO RUNS "metrics: [activity, {use: resource_use, every: 5s}]\n", ALL("activity_attempts", 0),
          ALL("resource_use_cores_used", 4), PIECE(5, "cores", 1));
}

/* ---- what a running task waits for ---- */

typedef struct story {
  char text[2048];
} story;

static void hear(void *ctx, const hc_why_record *w)
{
  story *s = ctx;
  char line[512];
  (void)snprintf(line, sizeof line, "%g %s\n", (double)w->time / 1e9, w->text);
  assert_true(strlen(s->text) + strlen(line) < sizeof s->text);
  (void)strcat(s->text, line);
}

/* From its start on, what is said of a task. */
static void assert_story(const char *tasks, const char *yaml, uint64_t serial, const char *expected_text)
{
  story s = {{0}};
  char file[64];
  const char *from;
  bench b;
  check(&b, try_tasks(&b, file, tasks, yaml));
  check(&b, hc_run_explain(b.run, serial, hear, &s));
  finish(&b);
  from = strstr(s.text, " starts on ");
  assert_non_null(from);
  from = strchr(from, '\n');
  assert_string_equal(from + 1, expected_text);
  end(&b);
  (void)unlink(file);
}

/* 1 KiB each over one cable of 128 B/s: 2 is alone from 2 on, as 1 has its latency of 4, has half from 4 on,
 * and all again when 1 has stopped at its limit of 8. Of its 1024 bytes 256 are done at 4, 512 at 8. */
static void test_story_of_a_transfer(void **state)
{
  const char *yaml =
      TWO "execution: {use: activities, cpu_speed: 1, network: {use: graph, connections: [{from: "
          "h-0, to: h-1, bandwidth: 128, latency: 2}]}}\n";
  const char *tasks =
      "- {id: 1, submit_time: 2, wall_time_limit: 6, resources: {nodes_count: 2, cpu_per_node: 1}, "
      "profile: " SENDS(0, 1, 1024) "}\n" ON(2, 0, 2, 1, SENDS(0, 1, 1024));
  (void)state;
  assert_story(
      tasks, yaml, 0,
      "0 transfer of 1 KiB from h-0 to h-1, in its latency\n"
      "2 transfer of 1 KiB from h-0 to h-1 at 128 B/s, bottleneck: link 0:h-0-h-1, which no other flow "
      "uses\n"
      "4 transfer of 1 KiB from h-0 to h-1 at 64 B/s, bottleneck: link 0:h-0-h-1, shared by 2 flows\n"
      "8 transfer of 1 KiB from h-0 to h-1 at 128 B/s, bottleneck: link 0:h-0-h-1, which no other flow "
      "uses\n12 ends\n");
  assert_story(
      tasks, yaml, 1,
      "2 transfer of 1 KiB from h-0 to h-1, in its latency\n"
      "4 transfer of 1 KiB from h-0 to h-1 at 64 B/s, bottleneck: link 0:h-0-h-1, shared by 2 flows\n"
      "8 is ended\n");
}

/* Two computations on one process, one on the other, then a wait, then two reads on a disk that serves one,
 * then a parallel task that its work of 8 holds back; suspended in between by turns of 40 s. */
static void test_story_of_the_rest(void **state)
{
  const char *task =
      "{sequence: [{parallel: [{compute_vector: [8, 4]}, {compute_vector: [8, 0]}]}, {idle: 3}, {parallel: "
      "[{disk_ops: {processes: [0], read_size: 1024}}, {disk_ops: {processes: [0], read_size: 1024}}]}, "
      "{parallel_task: {cpu: [8, 1]}}]}";
  char tasks[1024];
  (void)state;
  (void)snprintf(tasks, sizeof tasks,
                 "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n",
                 task);
  assert_story(
      tasks,
      TWO "execution: {use: activities, cpu_speed: 1, disks: [{read_bandwidth: 128, write_bandwidth: 1, "
          "operations: 1}]}\n",
      0,
      "0 computes on 2 of 2 processes (2 at once share the cores) until 16 s\n"
      "4 computes on h-0 (2 at once share the cores) until 16 s\n"
      "16 lets time pass until 19 s\n"
      "19 the longest of 2 disk operations: read of 1 KiB on the disk of h-0 waits for its turn: 1 of 2 "
      "go on\n"
      "27 read of 1 KiB on the disk of h-0 at 128 B/s, which no other read shares\n"
      "35 computes and sends at one rate, until 43 s at that of now, held back by its own work and "
      "routes\n"
      "43 ends\n");
  assert_story(ON(1, 0, 2, 8, "{compute_homogeneous: 64}") ON(2, 0, 2, 8, "{compute_homogeneous: 64}"),
               "policy: {use: gang, quantum: 3s}\n" TWO RUNS, 1,
               "3 computes on all of its 2 processes until 11 s\n"
               "6 is suspended\n"
               "9 goes on\n"
               "9 computes on all of its 2 processes until 14 s\n"
               "12 is suspended\n14 goes on\n"
               "14 computes on all of its 2 processes until 16 s\n16 ends\n");
}

/* Asked why it waits alone, a run with a model says that of a task as any other, and nothing of what it
 * computes: 2 waits for both nodes until 1 has had them for 8 s. */
static void test_story_of_a_wait(void **state)
{
  const char *tasks = ON(1, 0, 2, 8, "{compute_homogeneous: 64}") ON(2, 1, 2, 8, "{compute_homogeneous: 64}");
  story s = {{0}};
  char file[64];
  bench b;
  (void)state;
  check(&b, try_tasks(&b, file, tasks, TWO RUNS));
  check(&b, hc_run_explain_waits(b.run, 1, hear, &s));
  finish(&b);
  assert_non_null(strstr(s.text, "1 waits at place 1 of 1: wants 16 cores, 0 "));
  assert_non_null(strstr(s.text, "8 starts on 2 hosts"));
  assert_null(strstr(s.text, "computes"));
  end(&b);
  (void)unlink(file);
}

/* A run is the same whether it is measured or not, and is refused where nothing is known of what tasks do. */
static void test_only_looks(void **state)
{
  const char *tasks = ON(1, 0, 2, 1, "{parallel: [" SENDS(0, 1, 700) ", {compute_homogeneous: 3}]}")
      ON(2, 1, 2, 2,
         "{type: sequence, args: {repeat: 7, profiles: [" SENDS(1, 0, 33) ", {compute_vector: [1, 2]}]}}")
          ON(3, 2, 2, 3, SENDS(1, 0, 1234.5));
  static const char *const metrics[] = {
      "", "metrics: [{use: activity, contention: true}, {use: resource_use, every: 1s, detail: series}]\n"};
  hc_task_record first[3];
  const job jobs[] = {J(1, 0, 10, 1, 10)};
  bench b;
  (void)state;
  for (int i = 0; i < 2; i++) {
    char file[64], yaml[1024];
    (void)snprintf(yaml, sizeof yaml, "%s%s%s", TWO, CABLE("half"), metrics[i]);
    check(&b, try_tasks(&b, file, tasks, yaml));
    finish(&b);
    assert_int_equal(b.count, 3);
    if (i == 0) memcpy(first, b.records, sizeof first);
    else assert_memory_equal(first, b.records, sizeof first);
    end(&b);
    (void)unlink(file);
  }
  assert_int_equal(try_begin(&b, "cell: {use: count, procs: 4}\nmetrics: [resource_use]\n", 8, jobs, 1, NULL),
                   HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "execution: {use: activities"));
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_bottleneck),
      cmocka_unit_test(test_many_to_all),
      cmocka_unit_test(test_duplex),
      cmocka_unit_test(test_medium),
      cmocka_unit_test(test_samples), cmocka_unit_test(test_samples_of_rates),
      cmocka_unit_test(test_series),
      cmocka_unit_test(test_phases),
      cmocka_unit_test(test_disks),
      cmocka_unit_test(test_cores),
      cmocka_unit_test(test_items),
      cmocka_unit_test(test_shorter_than_alone),
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_story_of_a_transfer),
      cmocka_unit_test(test_story_of_the_rest),
      cmocka_unit_test(test_story_of_a_wait),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_only_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
