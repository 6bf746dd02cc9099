/* test_workflows.c -- tasks that read what others make, through whole runs: when items are there, what
 * planners of workflows do with them, what else goes on meanwhile, and what is refused.
 *
 * V31, V32 and V33 are vectors of DSLab (its tests of DAGs); all others are worked out by hand. */
#include "scarce_test.h"
#include "tasks_test.h"

/* A task of job 1 with one core, so much work, and what else it says. */
#define T(id, work, ...) \
  "- {id: " #id ", submit_time: 0, collection_id: 1, execution_index: " #id \
  ", resources: {cpu_per_node: 1}, profile: {compute_homogeneous: " #work "}" __VA_ARGS__ "}\n"

/* ---- DSLab's vectors ---- */

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
  "speed: " \
  "4}, {name: d, cpus: 1, speed: 4}]}\n" \
  "execution: {use: activities, cpu_speed: 1, network: {use: constant, bandwidth: 1}}\n"

static void assert_makespan(const char *tasks, const char *yaml, double expected)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char path[64];
    double last = 0;
    check(&b, try_tasks(&b, path, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < b.count; i++)
      last = (double)b.records[i].end / 1e9 > last ? (double)b.records[i].end / 1e9 : last;
    if (last < expected - 1e-6 || last > expected + 1e-6) fail_msg("%s: %.9g", yaml, last);
    end(&b);
    (void)unlink(path);
  }
}

/* V31. */
static void test_policies(void **state)
{
  (void)state;
  assert_makespan(GRAPH, FOUR "policy: heft\n", 98);
  assert_makespan(GRAPH, FOUR "policy: lookahead\n", 94);
  assert_makespan(GRAPH, FOUR "policy: dls\n", 96);
  assert_makespan(GRAPH, FOUR "policy: peft\n", 95);
  assert_makespan(GRAPH, FOUR "policy: simple\n", 256);
  assert_makespan(GRAPH, FOUR "policy: scan\n", 256);
}

/* HEFT's plan by hand. Lengths are work / (1, 2, 4, 4), their mean work / 2, transfers as long as what they
 * bring. Ranks: J 14, G 61, H 47, I 51, B 108, C 110, D 90, E 92, F 94, A 158. So A C B F E D G I H J. A
 * ends first on c: 16. C there 16..29 (d: 16 + 12 + 13). B: c 29..48 (d: 34..53). F: d 30..46. E: b 27..55
 * (c 48..62, d 46..60). D: d 46..54 (c 48..56). G: c 48..63. I reads of B (48 + 16), D (54) and E (55 + 13)
 * on d: 68..80. H on d: of B 67, D, F: 80..91 (c: 81..92). J on d: of G 80, H 91: 91..98. */
static void test_heft(void **state)
{
  (void)state;
  TIMES(GRAPH, FOUR "policy: heft\n", {0, 16}, {29, 48}, {16, 29}, {46, 54}, {16, 55}, {16, 46}, {48, 63},
        {80, 91}, {55, 80}, {91, 98});
}

#define CHAIN \
  T(1, 20, ", inputs: [{name: in, size: 600}], outputs: {a: 200}") \
  T(2, 30, ", inputs: [a], outputs: {b: 300}") \
  T(3, 40, ", inputs: [b], outputs: {c: 400}") \
  T(4, 50, ", inputs: [c], outputs: {d: 500}") \
  T(5, 60, ", inputs: [d], outputs: {e: 600}") T(6, 70, ", inputs: [e], outputs: {f: 700}") \
      T(7, 80, ", inputs: [f], outputs: {g: 800}") T(8, 90, ", inputs: [g], outputs: {h: 900}") \
          T(9, 100, ", inputs: [h], outputs: {i: 1000}") T(10, 110, ", inputs: [i], outputs: {out: 700}")
#define NET "network: {use: constant, bandwidth: 10, latency: 0.1}"

/* V32 with one core at speed 10 in place of two at 5: 65 of work, 60.1 and 70.1 for what is given and
 * delivered. Over the master each of eleven items goes twice: 2 (6700 / 10 + 11 x 0.1) more. */
static void test_chain(void **state)
{
  const char *cell = "cell: {use: hosts, classes: [{name: r, cpus: 1}, {name: store, memory: 1}, {name: hub, "
                     "memory: 1}]}\n";
  char yaml[512];
  (void)state;
  (void)snprintf(yaml, sizeof yaml,
                 "%sexecution: {use: activities, cpu_speed: 10, " NET ", data_storage: store}\n", cell);
  assert_makespan(CHAIN, yaml, 195.2);
  (void)snprintf(yaml, sizeof yaml,
                 "%sexecution: {use: activities, cpu_speed: 10, " NET
                 ", data_transfers: via_master, data_master: hub, data_storage: store}\n",
                 cell);
  assert_makespan(CHAIN, yaml, 1407.2);
  /* A master that is the storage host: what is given and delivered goes once: 60.1 and 70.1 less. */
  (void)snprintf(yaml, sizeof yaml,
                 "%sexecution: {use: activities, cpu_speed: 10, " NET
                 ", data_transfers: via_master, data_master: hub}\n",
                 cell);
  assert_makespan(CHAIN, yaml, 1277);
}

/* V33: 2, 10.1, 10, 20.1, 2. */
static void test_fork(void **state)
{
  (void)state;
  assert_makespan(
      T(1, 10, ", outputs: {a: 100, b: 100, c: 100, d: 100, e: 100}")
          T(2, 50, ", inputs: [a], outputs: {f: 200}") T(3, 50, ", inputs: [b], outputs: {g: 200}")
              T(4, 50, ", inputs: [c], outputs: {h: 200}") T(5, 50, ", inputs: [d], outputs: {i: 200}")
                  T(6, 50, ", inputs: [e], outputs: {j: 200}") T(7, 10, ", inputs: [f, g, h, i, j]"),
      "cell: {use: hosts, classes: [{name: r, count: 5, cpus: 1}]}\nexecution: {use: activities, "
      "cpu_speed: 5, " NET "}\npolicy: scan\n",
      44.2);
}

/* ---- items ---- */

#define STORE(hosts) \
  "cell: {use: hosts, classes: [" hosts \
  ", {name: store, memory: 1}]}\nexecution: {use: activities, cpu_speed: " \
  "1, network: {use: shared, bandwidth: 10}}\n"

/* An item is brought to a host once: 100 bytes take 10, and both compute then. With a third reader on another
 * host two flows share the 10 bytes a second: 20. What is made on a host is there. */
static void test_copies(void **state)
{
#define TWO "{name: a, cpus: 3}, {name: b, cpus: 1}"
  (void)state;
  TIMES(T(1, 5, ", hosts: [a], inputs: [{name: x, size: 100}]") T(2, 6, ", hosts: [a], inputs: [x]"),
        STORE(TWO) "policy: scan\n", {0, 15}, {0, 16});
  TIMES(T(1, 5, ", hosts: [a], inputs: [{name: x, size: 100}]") T(2, 6, ", hosts: [a], inputs: [x]")
            T(3, 7, ", hosts: [b], inputs: [x]"),
        STORE(TWO) "policy: scan\n", {0, 25}, {0, 26}, {0, 27});
  TIMES(T(1, 5, ", hosts: [a], outputs: {y: 100}") T(2, 6, ", hosts: [a], inputs: [y]")
            T(3, 7, ", hosts: [b], inputs: [y]"),
        STORE(TWO) "policy: scan\n", {0, 5}, {5, 11}, {5, 22});
  /* A task without a profile waits for its items too; one that delivers ends when that is done. */
  TIMES(
      "- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, resources: {cpu_per_node: 1}, delay: "
      "5, outputs: {y: 100, z: 50}}\n" T(2, 1, ", hosts: [a], inputs: [y]"),
      STORE(TWO) "policy: scan\n", {0, 10}, {10, 11});
}

/* An item of no bytes takes the latency, and a run without a network moves nothing that has none. */
static void test_empty(void **state)
{
  (void)state;
  TIMES(T(1, 5, ", outputs: {y: 0}") T(2, 6, ", inputs: [y]"),
        "cell: {use: hosts, classes: [{name: r, count: 2, cpus: 1}]}\nexecution: {use: activities, "
        "cpu_speed: 1}\n",
        {0, 5}, {5, 11});
  /* Without a model they only order: 5000 of work in 5 at DSLab's 1000. */
  TIMES(T(1, 5000, ", outputs: {y: 7}") T(2, 6000, ", inputs: [y]"),
        "cell: {use: hosts, classes: [{name: r, count: 2, cpus: 1}]}\n", {0, 5}, {5, 11});
  TIMES(T(1, 5000, ", outputs: {y: 7}") T(2, 6000, ", inputs: [y]"), "cell: {use: count, procs: 4}\n", {0, 5},
        {5, 11});
}

/* Time slices of 3: what is on its way goes on while its task is suspended. It is there at 5, and the task
 * computes 10 from 6 on: 6..9, 12..15, 18..21, and the last when the other has had its 10th, at 22. */
static void test_suspended(void **state)
{
  (void)state;
  TIMES(
      "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, wall_time_limit: 20, profile: "
      "{compute_homogeneous: 10}, inputs: [{name: x, size: 50}]}\n"
      "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, wall_time_limit: 20, profile: "
      "{idle: 10}}\n",
      STORE("{name_prefix: a, count: 2, cpus: 1}") "policy: {use: gang, quantum: 3s}\n", {0, 23}, {3, 22});
}

/* The item is there at 2, the host is away from 4 to 6, and the item is still there then. */
static void test_host_away(void **state)
{
  (void)state;
  TIMES(
      T(1, 10, ", hosts: [a], inputs: [{name: x, size: 20}]"),
      STORE(
          "{name: a, cpus: 1}") "policy: scan\nevents: {use: list, changes: [{at: 4, hosts: a, change: down, "
                                "until: 6}]}\n",
      {6, 16});
  /* Away while it is on its way: it comes all the same, at 10. */
  TIMES(
      T(1, 10, ", hosts: [a], inputs: [{name: x, size: 100}]"),
      STORE(
          "{name: a, cpus: 1}") "policy: scan\nevents: {use: list, changes: [{at: 4, hosts: a, change: down, "
                                "until: 6}]}\n",
      {6, 20});
}

/* A task that fails makes nothing, and those that would read it never start. */
static void test_failed(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, resources: {cpu_per_node: 1}, "
        "profile: "
        "{sequence: [{idle: 3}, {fail: {}}]}, outputs: {y: 7}}\n" T(2, 6, ", inputs: [y]"),
        STORE("{name: a, cpus: 1}"), {0, 3}, {-1, -1});
}

/* ---- planners ---- */

/* One host. The first reads 100 bytes that are given: they come while the second computes, 0..10, or late
 * when it has started. */
static void test_early_late(void **state)
{
  const char *tasks = T(1, 5, ", inputs: [{name: x, size: 100}]") T(2, 10, "");
  (void)state;
  TIMES(tasks, STORE("{name: a, cpus: 1}") "policy: heft\n", {10, 15}, {0, 10});
  TIMES(tasks, STORE("{name: a, cpus: 1}") "policy: {use: heft, transfers: late}\n", {10, 25}, {0, 10});
}

/* Insertion: the first, of the higher rank, is planned for 10..30, since what it reads takes 10; the other
 * fits before it. The first starts when the core is free, and computes when it has what it reads. On two
 * cores both start at once. */
static void test_insertion(void **state)
{
  const char *tasks = T(1, 20, ", inputs: [{name: x, size: 100}]") T(2, 5, "");
  (void)state;
  TIMES(tasks, STORE("{name: a, cpus: 1}") "policy: heft\n", {5, 30}, {0, 5});
  TIMES(tasks, STORE("{name: a, cpus: 2}") "policy: heft\n", {0, 30}, {0, 5});
}

/* The fast host goes at 4: what ran there is planned anew, on the slow one. When it is back, what has not
 * started moves. */
static void test_replanned(void **state)
{
  const char *down =
      "policy: heft\nevents: {use: list, changes: [{at: 4, hosts: f, change: down, until: 10}]}\n";
  char yaml[512];
  (void)state;
  (void)snprintf(yaml, sizeof yaml, "%s%s", STORE("{name: f, cpus: 1, speed: 2}, {name: s, cpus: 1}"), down);
  TIMES(T(1, 20, ""), yaml, {4, 24});
  TIMES(T(1, 20, "") T(2, 18, ""), yaml, {10, 20}, {0, 18});
}

/* What waits for a task that has not come is left alone, and holds no host: the third takes it. */
static void test_open(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 20, collection_id: 1, execution_index: 1, resources: {cpu_per_node: 1}, "
        "profile: "
        "{compute_homogeneous: 5}}\n" T(2, 5, ", start_after: 1") T(3, 5, ""),
        STORE("{name: a, cpus: 1}") "policy: heft\nmissing_predecessor: wait\n", {20, 25}, {25, 30}, {0, 5});
  /* A whole job is waited for: 10 and 5 on one core, then the one of job 2. */
  TIMES(T(1, 10, "") T(2, 5, "") "- {id: 3, submit_time: 0, collection_id: 2, execution_index: 3, resources: "
                                 "{cpu_per_node: 1}, profile: {compute_homogeneous: 5}, after_job: 1}\n",
        STORE("{name: a, cpus: 1}") "policy: heft\n", {0, 10}, {10, 15}, {15, 20});
}

/* A task with two hosts is rejected, and what waits for it never starts. */
static void test_wide(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, collection_id: 1, execution_index: 1, resources: {nodes_count: 2, "
        "cpu_per_node: 1}, profile: {compute_homogeneous: 5}}\n" T(2, 5, ", after_ok: 1") T(3, 5, ""),
        STORE("{name_prefix: a, count: 2, cpus: 1}") "policy: peft\n", {-1, -1}, {-1, -1}, {0, 5});
}

/* Dynamic list: three tasks are ready, hosts of speed 2 and 1. The longest first, on the fastest: 20 in 10,
 * then 10; the last goes where room is first, at 10 on both, to the faster. By children the second is
 * first. */
static void test_dynamic_list(void **state)
{
  const char *tasks = T(1, 6, "") T(2, 10, ", outputs: {y: 1}") T(3, 20, "") T(4, 2, ", inputs: [y]");
  const char *cell = STORE("{name: s, cpus: 1}, {name: f, cpus: 1, speed: 2}");
  char yaml[512];
  (void)state;
  (void)snprintf(yaml, sizeof yaml, "%spolicy: {use: dynamic_list, task: work}\n", cell);
  TIMES(tasks, yaml, {10, 13}, {0, 10}, {0, 10}, {10, 12});
  (void)snprintf(yaml, sizeof yaml, "%spolicy: {use: dynamic_list, task: children}\n", cell);
  TIMES(tasks, yaml, {5, 8}, {0, 5}, {0, 20}, {8, 9});
  /* Hosts choose: the fast one the task with the highest rank, which is the longest way. */
  (void)snprintf(yaml, sizeof yaml, "%spolicy: {use: dynamic_list, task: rank_pack, rank_weight: 1}\n", cell);
  TIMES(tasks, yaml, {10, 13}, {0, 10}, {0, 10}, {10, 12});
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  const char *one = STORE("{name: a, cpus: 1}"), *reads = T(1, 1, ", inputs: [{name: x, size: 5}]");
  (void)state;
  assert_refused(T(1, 1, ", inputs: [x]"), one, HC_EINPUT, "no task of its job makes its input 1");
  assert_refused(T(1, 1, ", outputs: {x: 1}") T(2, 1, ", outputs: {x: 1}"), one, HC_EINPUT, "makes too");
  assert_refused(T(1, 1, ", outputs: [x]"), one, HC_EINPUT, "output 1 has no size");
  assert_refused(reads, "cell: {use: count, procs: 4}\nexecution: activities\n", HC_EUNSUPPORTED,
                 "lie on hosts");
  assert_refused(reads, "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\nexecution: activities\n",
                 HC_EUSAGE, "not said where that lies");
  assert_refused(reads,
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: s, memory: 1}]}\nexecution: "
                 "activities\n",
                 HC_EUNSUPPORTED, "no network");
  assert_refused(reads,
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\nexecution: {use: activities, "
                 "data_transfers: via_master}\n",
                 HC_EUSAGE, "needs a master");
  assert_refused(reads,
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\nexecution: {use: activities, "
                 "data_storage: nowhere}\n",
                 HC_EUSAGE, "no host of that name");
  assert_refused(reads,
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\nexecution: {use: activities, "
                 "data_master: a}\n",
                 HC_EUSAGE, "has no effect");
  assert_refused(T(1, 1, ""), "cell: {use: count, procs: 4}\npolicy: heft\n", HC_EUNSUPPORTED,
                 "plans on hosts");
  assert_refused(T(1, 1, ""),
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\npolicy: dls\narchitecture: "
                 "shared_state\n",
                 HC_EUNSUPPORTED, "the only scheduler");
}

/* Two that read of each other wait for ever. */
static void test_circle(void **state)
{
  (void)state;
  TIMES(T(1, 1, ", inputs: [y], outputs: {x: 1}") T(2, 1, ", inputs: [x], outputs: {y: 1}") T(3, 4, ""),
        STORE("{name: a, cpus: 1}") "policy: lookahead\n", {-1, -1}, {-1, -1}, {0, 4});
}

/* Each allocation of a small run fails once: an error, and nothing is lost. */
static void test_scarce(void **state)
{
  static const char tasks[] = T(1, 5, ", inputs: [{name: x, size: 20}], outputs: {y: 10}")
      T(2, 6, ", inputs: [y], outputs: {z: 5}") T(3, 2, ", inputs: [x]");
  char path[64], text[512];
  (void)state;
  write_log(path, tasks, strlen(tasks));
  (void)snprintf(text, sizeof text, "metrics: []\nsource: {use: native, file: %s}\n%spolicy: lookahead\n",
                 path, STORE("{name_prefix: a, count: 2, cpus: 1}"));
  assert_scarce(text);
  (void)unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_policies),     cmocka_unit_test(test_heft),
      cmocka_unit_test(test_chain),        cmocka_unit_test(test_fork),
      cmocka_unit_test(test_copies),       cmocka_unit_test(test_empty),
      cmocka_unit_test(test_suspended),    cmocka_unit_test(test_host_away),
      cmocka_unit_test(test_failed),       cmocka_unit_test(test_early_late),
      cmocka_unit_test(test_insertion),    cmocka_unit_test(test_replanned),
      cmocka_unit_test(test_open),         cmocka_unit_test(test_wide),
      cmocka_unit_test(test_dynamic_list), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_circle),       cmocka_unit_test(test_scarce),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
