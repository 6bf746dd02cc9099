/* test_hosts.c -- runs on a cell of hosts: tasks that wait for others, hosts that come and go, whole hosts
 * and parts of GPUs, reading on a thread of its own. Each case is small enough that its schedule follows by
 * hand. */
#include "engine_test.h"

#define CELL "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4, memory: 20GB, gpus: 2}]}\n"
#define NATIVE "source: {use: native, file: FILE}\npolicy: fcfs+scan\nmetrics: [tasks]\nparanoid: true\n"

/* Tasks are named by `id` in one line each; ids are unique in these tests. */
static void begin_text(bench *b, const char *yaml, const char *tasks)
{
  check(b, try_text(b, yaml, tasks));
}

typedef struct expected {
  int64_t id, start, end;
  hc_final final;
} expected;

static void assert_run(const char *yaml, const char *tasks, const expected *all, size_t count)
{
  bench b;
  begin_text(&b, yaml, tasks);
  finish(&b);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = record_of(&b, all[i].id);
    if (start_of(&b, all[i].id) != all[i].start || end_of(&b, all[i].id) != all[i].end ||
        r->final != all[i].final)
      fail_msg("task %" PRId64 ": %" PRId64 " to %" PRId64 ", %s", all[i].id, start_of(&b, all[i].id),
               end_of(&b, all[i].id), hc_final_name((hc_final)r->final));
  }
  end(&b);
}

#define RUNS(yaml, tasks, ...) \
  assert_run(yaml, tasks, (const expected[]){__VA_ARGS__}, COUNT(((const expected[]){__VA_ARGS__})))
#define DONE(n, from, to) \
  { \
    n, from, to, HC_FINAL_COMPLETED \
  }
#define HELD(n) \
  { \
    n, NEVER_STARTED, NEVER_STARTED, HC_FINAL_HELD \
  }

/* ---- dependencies ---- */

static void test_a_diamond(void **state)
{
  (void)state;
  /* The last row is read first: a job's tasks may come in any order. */
  RUNS(NATIVE CELL,
       "- {id: 4, submit_time: 0, collection_id: 1, start_after: [2, 3], delay: 5, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 2, submit_time: 0, collection_id: 1, start_after: [1], delay: 7, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 3, submit_time: 0, collection_id: 1, start_after: [1], delay: 20, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 1, submit_time: 0, collection_id: 1, delay: 10, resources: {cpu_per_node: 1}}\n",
       DONE(1, 0, 10), DONE(2, 10, 17), DONE(3, 10, 30), DONE(4, 30, 35));
}

static void test_conditions(void **state)
{
  (void)state;
  /* Task 1 is killed at its limit: who needs its success never starts, and who needs that one's end does. */
  RUNS(
      NATIVE CELL,
      "- {id: 1, submit_time: 0, collection_id: 1, wall_time_limit: 5, delay: 9, resources: {cpu_per_node: "
      "1}}\n"
      "- {id: 2, submit_time: 0, collection_id: 1, after_ok: [1], delay: 1, resources: {cpu_per_node: 1}}\n"
      "- {id: 3, submit_time: 0, collection_id: 1, after_not_ok: [1], delay: 1, resources: {cpu_per_node: "
      "1}}\n"
      "- {id: 4, submit_time: 0, collection_id: 1, after_start: [1], delay: 1, resources: {cpu_per_node: "
      "1}}\n"
      "- {id: 5, submit_time: 0, collection_id: 1, start_after: [2], delay: 1, resources: {cpu_per_node: "
      "1}}\n"
      "- {id: 6, submit_time: 0, collection_id: 2, after_job: [1], delay: 1, resources: {cpu_per_node: 1}}\n",
      {1, 0, 5, HC_FINAL_KILLED}, HELD(2), DONE(3, 5, 6), DONE(4, 0, 1), DONE(5, 5, 6), DONE(6, 6, 7));
}

static void test_a_circle_is_held(void **state)
{
  (void)state;
  RUNS(NATIVE CELL,
       "- {id: 1, submit_time: 0, collection_id: 1, start_after: [2], delay: 1, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 2, submit_time: 0, collection_id: 1, start_after: [3], delay: 1, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 3, submit_time: 0, collection_id: 1, start_after: [1], delay: 1, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 4, submit_time: 0, collection_id: 1, start_after: [3], delay: 1, resources: {cpu_per_node: "
       "1}}\n"
       "- {id: 5, submit_time: 0, collection_id: 1, delay: 1, resources: {cpu_per_node: 1}}\n"
       "- {id: 6, submit_time: 0, collection_id: 1, start_after: [5], delay: 1, resources: {cpu_per_node: "
       "1}}\n",
       HELD(1), HELD(2), HELD(3), HELD(4), DONE(5, 0, 1), DONE(6, 1, 2));
}

#define MISSING \
  "- {id: 1, submit_time: 0, collection_id: 1, start_after: [9], delay: 1, resources: {cpu_per_node: 1}}\n" \
  "- {id: 9, submit_time: 5, collection_id: 1, delay: 1, resources: {cpu_per_node: 1}}\n"

static void test_a_missing_predecessor(void **state)
{
  bench b;
  (void)state;
  RUNS(NATIVE CELL, MISSING, DONE(1, 0, 1), DONE(9, 5, 6));
  RUNS(NATIVE CELL "missing_predecessor: hold\n", MISSING, HELD(1), DONE(9, 5, 6));
  RUNS(NATIVE CELL "missing_predecessor: wait\n", MISSING, DONE(1, 6, 7), DONE(9, 5, 6));
  begin_text(&b, NATIVE CELL "missing_predecessor: error\n", MISSING);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EINPUT);
  assert_string_equal(b.error.text,
                      "task 1 waits for task 9 of job 1, which is not in the workload before it; set "
                      "missing_predecessor");
  end(&b);
}

/* With `remember: 0` a task that has ended is as if it had never been: here that changes only who is counted
 * as missing. */
static void test_what_is_forgotten_is_missing(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, collection_id: 1, delay: 1, resources: {cpu_per_node: 1}}\n"
      "- {id: 2, submit_time: 5, collection_id: 2, after_job: [1], delay: 1, resources: {cpu_per_node: 1}}\n";
  (void)state;
  RUNS(NATIVE CELL "missing_predecessor: hold\n", tasks, DONE(1, 0, 1), DONE(2, 5, 6));
  RUNS(NATIVE CELL "missing_predecessor: hold\nremember: 0\n", tasks, DONE(1, 0, 1), HELD(2));
}

static void test_schedule_after(void **state)
{
  (void)state;
  RUNS(NATIVE CELL,
       "- {id: 1, submit_time: 0, schedule_after: 10, delay: 1, resources: {cpu_per_node: 1}}\n"
       "- {id: 2, submit_time: 0, collection_id: 3, delay: 20, resources: {cpu_per_node: 1}}\n"
       "- {id: 3, submit_time: 0, collection_id: 3, start_after: [2], schedule_after: 10, delay: 1,"
       " resources: {cpu_per_node: 1}}\n",
       DONE(1, 10, 11), DONE(2, 0, 20), DONE(3, 20, 21));
}

/* ---- what fits where ---- */

static void test_whole_hosts_and_packed_ones_mix(void **state)
{
  (void)state;
  /* Task 1 takes a core of c-0; task 2 wants two whole hosts and waits; task 3 goes by; task 4 shares c-0. */
  RUNS(NATIVE CELL,
       "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 1}}\n"
       "- {id: 2, submit_time: 1, delay: 10, resources: {nodes_count: 2}}\n"
       "- {id: 3, submit_time: 2, delay: 3, resources: {nodes_count: 1}}\n"
       "- {id: 4, submit_time: 3, delay: 5, resources: {cpu_per_node: 3, memory_per_node: 19GB}}\n",
       DONE(1, 0, 10), DONE(2, 10, 20), DONE(3, 2, 5), DONE(4, 3, 8));
}

/* Two hosts of one core. Task 1 has one of them until 100, task 2 is promised both then; task 3 fits at 2,
 * and would keep one past 100. With depth 2 or more it is asked for a reservation of its own first: that must
 * not let it pass either. */
static void test_no_depth_lets_anybody_delay_the_head(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 100, limit: 100, resources: {cpu_per_node: 1}}\n"
      "- {id: 2, submit_time: 1, delay: 10, limit: 10, resources: {nodes_count: 2, cpu_per_node: 1}}\n"
      "- {id: 3, submit_time: 2, delay: 1000, limit: 1000, resources: {cpu_per_node: 1}}\n"
      "- {id: 4, submit_time: 3, delay: 97, limit: 97, resources: {cpu_per_node: 1}}\n";
#define DEPTH(k) \
  "source: {use: native, file: FILE}\nmetrics: []\nparanoid: true\npolicy: {select: {use: easy, depth: " #k \
  "}}\n" \
  "cell: {use: hosts, classes: [{count: 2, name: h, cpus: 1}]}\n"
  (void)state;
  RUNS(DEPTH(1), tasks, DONE(1, 0, 100), DONE(2, 100, 110), DONE(3, 110, 1110), DONE(4, 3, 100));
  RUNS(DEPTH(2), tasks, DONE(1, 0, 100), DONE(2, 100, 110), DONE(3, 110, 1110), DONE(4, 3, 100));
  RUNS(DEPTH(0), tasks, DONE(1, 0, 100), DONE(2, 100, 110), DONE(3, 110, 1110), DONE(4, 3, 100));
}

static void test_parts_of_gpus(void **state)
{
  (void)state;
  /* One host, two devices: two halves share one; 0.6 and 0.6 need two; what is whole needs a device of its
   * own. */
  RUNS(NATIVE "cell: {use: hosts, classes: [{name: g, cpus: 64, gpus: 2}]}\n",
       "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, gpu: 0.5}}\n"
       "- {id: 2, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, gpu: 0.5}}\n"
       "- {id: 3, submit_time: 0, delay: 5, resources: {cpu_per_node: 1, gpu: 0.6}}\n"
       "- {id: 4, submit_time: 0, delay: 5, resources: {cpu_per_node: 1, gpu: 0.6}}\n"
       "- {id: 5, submit_time: 0, delay: 5, resources: {cpu_per_node: 1, gpu: 2}}\n"
       "- {id: 6, submit_time: 0, delay: 5, resources: {cpu_per_node: 1, gpu: 3}}\n",
       DONE(1, 0, 10), DONE(2, 0, 10), DONE(3, 0, 5), DONE(4, 5, 10), DONE(5, 10, 15));
}

static void test_hosts_with_different_demands(void **state)
{
  bench b;
  (void)state;
  /* Task 1 has three cores of c-0 and, as a chunk, two of c-1, whose disk is not counted; task 2 wants four
   * of one host and waits for either; task 3 goes by. */
  begin_text(
      &b, NATIVE CELL,
      "- {id: 1, submit_time: 0, delay: 10, resources: [{nodes_count: 1, cpu_per_node: 3}, {nodes_count: 1, "
      "cpu_per_node: 2, disk: 5}]}\n"
      "- {id: 2, submit_time: 1, delay: 5, resources: {cpu_per_node: 4}}\n"
      "- {id: 3, submit_time: 2, delay: 4, resources: {cpu_per_node: 2}}\n");
  finish(&b);
  assert_int_equal(b.count, 3);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 10);
  assert_int_equal(start_of(&b, 3), 2);
  assert_int_equal(record_of(&b, 1)->units, 5000); /* thousandths of cores, on both hosts */
  end(&b);
}

static void test_what_can_never_fit_is_rejected(void **state)
{
  bench b;
  (void)state;
  begin_text(
      &b, NATIVE CELL,
      "- {id: 1, submit_time: 0, delay: 1, resources: {cpu_per_node: 5}}\n"
      "- {id: 2, submit_time: 0, delay: 1, resources: {nodes_count: 3}}\n"
      "- {id: 3, submit_time: 0, delay: 1, resources: {cpu_per_node: 1}, constraints: [ssd]}\n"
      "- {id: 4, submit_time: 0, delay: 1, resources: {cpu_per_node: 1}, hosts: [d-7]}\n"
      "- {id: 5, submit_time: 0, delay: 1, spread: false, resources: {nodes_count: 9, cpu_per_node: 1}}\n"
      "- {id: 6, submit_time: 0, delay: 1, spread: false, resources: {nodes_count: 8, cpu_per_node: 1}}\n");
  finish(&b);
  assert_int_equal(b.count, 1); /* eight slots fit two hosts of four cores, nine do not */
  assert_int_equal(b.records[0].id, 6);
  assert_int_equal(counted(&b, "rows", "too_large"), 3);
  assert_int_equal(counted(&b, "rows", "no_host"), 2);
  end(&b);
}

/* A batch log on hosts: processors are cores, wherever they are, so that nothing changes. */
static void test_a_batch_log_runs_as_on_processors(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 6, 12), J(2, 1, 10, 4, 10), J(3, 2, 3, 2, 3),
                             J(4, 3, 30, 2, 30), J(5, 4, 5, 8, 5),   J(6, 5, 9, 1, 9)};
  static const char *const policies[] = {"fcfs+blocking", "scan",        "easy",         "sjf+easy",
                                         "easy+best_fit", "scan+random", "conservative", "slack"};
  (void)state;
  for (size_t i = 0; i < COUNT(policies); i++) {
    hc_task_record on_processors[COUNT(jobs)];
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "policy: %s\n", policies[i]);
    begin(&b, yaml, 8, jobs, COUNT(jobs), NULL);
    finish(&b);
    for (size_t k = 0; k < COUNT(jobs); k++) on_processors[k] = *record_of(&b, jobs[k].id);
    end(&b);
    (void)snprintf(yaml, sizeof yaml, "policy: %s\nparanoid: true\n" CELL, policies[i]);
    begin(&b, yaml, 8, jobs, COUNT(jobs), NULL);
    finish(&b);
    for (size_t k = 0; k < COUNT(jobs); k++) {
      const hc_task_record *r = record_of(&b, jobs[k].id);
      if (r->start != on_processors[k].start || r->end != on_processors[k].end)
        fail_msg("%s: task %" PRId64 " starts at %" PRId64 ", on processors at %" PRId64, policies[i],
                 jobs[k].id, r->start, on_processors[k].start);
    }
    end(&b);
  }
}

/* ---- hosts that come and go ---- */

#define LOSS \
  "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 4}}\n" \
  "- {id: 2, submit_time: 0, delay: 10, resources: {cpu_per_node: 4}}\n" \
  "- {id: 3, submit_time: 1, delay: 10, resources: {cpu_per_node: 4}}\n"
#define DOWN "events: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 30}]}\n"

static void test_a_host_goes_away(void **state)
{
  (void)state;
  /* c-0 is down from 4 to 30. Its task loses four seconds; c-1 is free at 10. */
  RUNS(NATIVE CELL DOWN "host_loss: lost\n", LOSS, {1, 0, 4, HC_FINAL_LOST}, DONE(2, 0, 10), DONE(3, 10, 20));
  RUNS(NATIVE CELL DOWN "host_loss: requeue\n", LOSS, DONE(1, 10, 20), DONE(2, 0, 10), DONE(3, 20, 30));
  RUNS(NATIVE CELL DOWN "host_loss: requeue\n", /* it says itself that it is not to be run again */
       "- {id: 1, submit_time: 0, delay: 10, requeue: false, resources: {cpu_per_node: 4}}\n",
       {1, 0, 4, HC_FINAL_LOST});
  RUNS(NATIVE CELL DOWN "host_loss: restart\n", LOSS, DONE(1, 20, 30), DONE(2, 0, 10), DONE(3, 10, 20));
}

/* Both hosts go at 4, and c-0 is back at 6, when both tasks have waited 2 s at the end of the queue: of 10
 * s and of 2 s that they ask for, the second is the larger share. Task 1 follows at 8. */
static void test_a_restart_waits_from_its_loss(void **state)
{
  (void)state;
  RUNS("source: {use: native, file: FILE}\npolicy: wfp3+scan\nmetrics: [tasks]\nparanoid: true\n" CELL
       "events: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 6},"
       " {at: 4, hosts: c-1, change: down, until: 30}]}\nhost_loss: restart\n",
       "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 4}}\n"
       "- {id: 2, submit_time: 3, delay: 2, resources: {cpu_per_node: 4}}\n",
       DONE(1, 8, 18), DONE(2, 6, 8));
}

/* Both tasks of user 1 want hosts whole. That the first finds no two of them says nothing of the second,
 * which wants one. */
static void test_fair_tries_each_number_of_whole_hosts(void **state)
{
  (void)state;
  RUNS("source: {use: native, file: FILE}\npolicy: fair\nmetrics: [tasks]\nparanoid: true\n" CELL,
       "- {id: 1, submit_time: 0, delay: 10, procs: 1}\n"
       "- {id: 2, submit_time: 1, delay: 5, user: 1, resources: {nodes_count: 2}}\n"
       "- {id: 3, submit_time: 2, delay: 6, user: 1, resources: {nodes_count: 1}}\n",
       DONE(1, 0, 10), DONE(2, 10, 15), DONE(3, 2, 8));
}

static void test_drain_and_resize(void **state)
{
  (void)state;
  /* What runs on a host that drains runs on; after a shrink nothing new fits until it would. */
  RUNS(NATIVE CELL "events: {use: list, changes: [{at: 4, hosts: c-0, change: drain, until: 30}]}\n", LOSS,
       DONE(1, 0, 10), DONE(2, 0, 10), DONE(3, 10, 20));
  RUNS(NATIVE CELL "events: {use: list, changes: [{at: 4, hosts: all, change: resize, amounts: [cpus=2]},"
                   " {at: 25, hosts: c-1, change: resize, amounts: [cpus=4]}]}\n",
       LOSS, DONE(1, 0, 10), DONE(2, 0, 10), DONE(3, 25, 35));
}

#define TWO(a, b) \
  "host_loss: requeue\nevents:\n  - {use: list, changes: [{hosts: c-0, " a "}]}\n" \
  "  - {use: list, changes: [{hosts: c-0, " b "}]}\n"

/* A host is up when every event that took it down has let go. Task 1 is on c-0 and goes back into the queue
 * at
 * 4. */
static void test_two_who_take_a_host_down(void **state)
{
  (void)state;
  /* Until 18, and from 10 until 26: c-0 is of no use before 26, and 3 waits for c-1. */
  RUNS(NATIVE CELL TWO("at: 4, change: down, until: 18", "at: 10, change: down, until: 26"), LOSS,
       DONE(1, 10, 20), DONE(2, 0, 10), DONE(3, 20, 30));
  /* One within the other: until 18, when 3 gets c-0. */
  RUNS(NATIVE CELL TWO("at: 4, change: down, until: 18", "at: 5, change: down, until: 10"), LOSS,
       DONE(1, 10, 20), DONE(2, 0, 10), DONE(3, 18, 28));
  /* One component has one word: what it says last counts, so that c-0 is up at 12. */
  RUNS(NATIVE CELL
       "host_loss: requeue\nevents: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 18},"
       " {at: 10, hosts: c-0, change: down, until: 12}]}\n",
       LOSS, DONE(1, 10, 20), DONE(2, 0, 10), DONE(3, 12, 22));
  /* Drained by one from 4 to 22, down by the other from 12 to 14: at 14 it is there, and takes nothing
   * yet. */
  RUNS(NATIVE CELL TWO("at: 4, change: drain, until: 22", "at: 12, change: down, until: 14"),
       LOSS "- {id: 4, submit_time: 11, delay: 5, resources: {cpu_per_node: 4}}\n", DONE(1, 0, 10),
       DONE(2, 0, 10), DONE(3, 10, 20), DONE(4, 20, 25));
}

/* Hosts may fail for ever; the run ends with its tasks. One that never gets a host waits at the end. */
static void test_endless_failures_end(void **state)
{
  bench b;
  (void)state;
  begin_text(&b, NATIVE CELL "events: {use: drawn, up_time: 7, down_time: 3}\n", LOSS);
  finish(&b);
  assert_int_equal(b.count, 3);
  for (size_t i = 0; i < 3; i++) assert_int_equal(b.records[i].final, HC_FINAL_COMPLETED);
  end(&b);
  RUNS(NATIVE CELL "events: {use: list, changes: [{at: 4, hosts: all, change: down}]}\n", LOSS,
       {1, NEVER_STARTED, NEVER_STARTED, HC_FINAL_WAITING},
       {2, NEVER_STARTED, NEVER_STARTED, HC_FINAL_WAITING},
       {3, NEVER_STARTED, NEVER_STARTED, HC_FINAL_WAITING});
}

/* ---- bounds, threads, snapshots ---- */

static void test_too_many_wait(void **state)
{
  bench b;
  (void)state;
  begin_text(&b, NATIVE CELL "max_waiting: 1\n",
             "- {id: 1, submit_time: 0, delay: 10, count: 4, resources: {cpu_per_node: 4}}\n");
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ELIMIT);
  assert_non_null(strstr(b.error.text, "max_waiting"));
  end(&b);
}

/* Many tasks, some of them rejected, some waiting for others. */
static void many_tasks(hc_buffer *out)
{
  hc_buffer_init(out, hc_default_allocator());
  for (int i = 1; i <= 900; i++) {
    hc_buffer_printf(out, "- {id: %d, submit_time: %d, collection_id: %d, execution_index: %d, delay: %d", i,
                     i / 7, i / 5, i % 5, 1 + i * 37 % 23);
    if (i % 5 != 0 && i % 3 == 0) hc_buffer_printf(out, ", start_after: [%d]", i % 5 - 1);
    hc_buffer_printf(out, ", resources: {cpu_per_node: %d, memory_per_node: %d}}\n", 1 + i % 5,
                     i % 2 * 1000000);
  }
}

/* @param cut stop after so many instants, save, and go on from what was saved; 0: never */
static void digest_of(const char *yaml, const char *tasks, uint64_t cut, char text[33])
{
  bench b;
  hc_result *r;
  begin_text(&b, yaml, tasks);
  if (cut > 0 && hc_run_advance(b.run, HC_NEVER, cut, &b.error) == 1) {
    hc_run *copy;
    hc_store *store;
    check(&b, hc_store_new(b.allocator, NULL, &store, &b.error));
    check(&b, hc_run_fork(b.run, b.config, store, &copy, &b.error));
    hc_run_free(b.run);
    hc_store_free(b.store);
    b.run = copy;
    b.store = store;
  }
  check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_digest(r, text, &b.error));
  hc_result_free(r);
  end(&b);
}

static void test_threads_and_cuts_change_nothing(void **state)
{
  static const char yaml[] =
      "source: {use: native, file: FILE}\npolicy: fcfs+scan\nmetrics: [tasks, wait]\nsort_window: 1\n" CELL
      "events: [{use: drawn, up_time: 50, down_time: 5}, {use: drawn, up_time: 40, down_time: 9}]\n";
  char with_threads[sizeof yaml + 32], plain[33], other[33];
  hc_buffer tasks;
  (void)state;
  many_tasks(&tasks);
  (void)snprintf(with_threads, sizeof with_threads, "%sthreads: 2\n", yaml);
  digest_of(yaml, tasks.data, 0, plain);
  digest_of(with_threads, tasks.data, 0, other);
  assert_string_equal(plain, other);
  for (uint64_t cut = 1; cut < 400; cut += 61) {
    digest_of(yaml, tasks.data, cut, other);
    if (strcmp(plain, other) != 0) fail_msg("cut after %" PRIu64 " instants", cut);
    digest_of(with_threads, tasks.data, cut, other);
    if (strcmp(plain, other) != 0) fail_msg("cut after %" PRIu64 " instants, with threads", cut);
  }
  hc_buffer_fini(&tasks);
}

/* next_fit goes on behind the host on which a task was last started. What EASY asks about the head's
 * reservation at 0 (the licence is free at 10, and b would be the host) starts nothing: at 10 task 2 goes to
 * b, which is twice as fast. */
static void test_asking_does_not_move_next_fit(void **state)
{
  (void)state;
  RUNS("source: {use: native, file: FILE}\npolicy: fcfs+easy+next_fit\nmetrics: [tasks]\nparanoid: true\n"
       "cell: {use: hosts, licences: [lic=2],\n"
       "  classes: [{name: a, cpus: 1}, {name: b, cpus: 1, speed: 2}, {name: c, cpus: 1}]}\n",
       "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, lic: 2}}\n"
       "- {id: 2, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, lic: 1}}\n",
       DONE(1, 0, 10), DONE(2, 10, 15));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_diamond),
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_a_circle_is_held),
      cmocka_unit_test(test_a_missing_predecessor),
      cmocka_unit_test(test_what_is_forgotten_is_missing),
      cmocka_unit_test(test_schedule_after),
      cmocka_unit_test(test_whole_hosts_and_packed_ones_mix),
      cmocka_unit_test(test_no_depth_lets_anybody_delay_the_head),
      cmocka_unit_test(test_parts_of_gpus),
      cmocka_unit_test(test_hosts_with_different_demands),
      cmocka_unit_test(test_what_can_never_fit_is_rejected),
      cmocka_unit_test(test_a_batch_log_runs_as_on_processors),
      cmocka_unit_test(test_a_host_goes_away),
      cmocka_unit_test(test_a_restart_waits_from_its_loss),
      cmocka_unit_test(test_fair_tries_each_number_of_whole_hosts),
      cmocka_unit_test(test_drain_and_resize),
      cmocka_unit_test(test_two_who_take_a_host_down),
      cmocka_unit_test(test_endless_failures_end),
      cmocka_unit_test(test_too_many_wait),
      cmocka_unit_test(test_threads_and_cuts_change_nothing),
      cmocka_unit_test(test_asking_does_not_move_next_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
