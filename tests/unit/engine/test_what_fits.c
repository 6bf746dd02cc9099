/* test_what_fits.c -- who is tried at all: tasks that need nothing of the first dimension, hosts that hold
 * more than they have, hosts taken whole that differ; and what those who watch hear of them. Each schedule
 * follows by hand. */
#include "engine_test.h"

#include <math.h>

#define NATIVE(select) "source: {use: native, file: FILE}\nparanoid: true\npolicy: fcfs+" select "\n"

static void near(double found, double expected)
{
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

static void run_text(bench *b, const char *yaml, const char *tasks)
{
  check(b, try_text(b, yaml, tasks));
  finish(b);
}

static void assert_start(const bench *b, int64_t id, int64_t start)
{
  if (start_of(b, id) != start)
    fail_msg("task %" PRId64 " starts at %" PRId64 ", not %" PRId64, id, start_of(b, id), start);
}

/* Task 1 has all cores. Task 2 waits for some. Tasks 3 and 4 need memory and a GPU alone, of which enough is
 * free. */
static void who_needs_no_cores_starts_without(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 10, wall_time_limit: 10, resources: {cpu: 4}}\n"
      "- {id: 2, submit_time: 1, delay: 5, wall_time_limit: 5, resources: {cpu: 1}}\n"
      "- {id: 3, submit_time: 2, delay: 2, wall_time_limit: 2, resources: {memory: 1GiB}}\n"
      "- {id: 4, submit_time: 2, delay: 3, wall_time_limit: 3, resources: {gpu: 0.5}}\n";
  static const char *const selectors[] = {"scan", "easy", "slack"};
  (void)state;
  for (size_t i = 0; i < COUNT(selectors); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(
        yaml, sizeof yaml,
        NATIVE("%s") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 4, memory: 8GiB, gpus: 1}]}\n",
        selectors[i]);
    run_text(&b, yaml, tasks);
    assert_start(&b, 2, 10);
    assert_start(&b, 3, 2);
    assert_start(&b, 4, 2);
    end(&b);
  }
}

/* c-0 holds 8 cores when it shrinks to 1 at time 2: it owes 7, and c-1 has 4 free all the same. Had it 1, at
 * 12, task 4 fits on c-0 too. */
static void a_debt_is_not_the_others(void **state)
{
  static const char tasks[] = "- {id: 1, submit_time: 0, delay: 12, resources: {cpu: 8}}\n"
                              "- {id: 2, submit_time: 3, delay: 20, resources: {cpu: 3}}\n"
                              "- {id: 3, submit_time: 4, delay: 20, resources: {cpu: 1}}\n"
                              "- {id: 4, submit_time: 5, delay: 1, resources: {cpu: 1}}\n";
  static const char *const selectors[] = {"blocking", "scan", "easy", "conservative"};
  (void)state;
  for (size_t i = 0; i < COUNT(selectors); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(
        yaml, sizeof yaml,
        NATIVE(
            "%s") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 8}, {name_prefix: d, cpus: 4}]}\n"
                  "events: {use: list, changes: [{at: 2, hosts: c-0, change: resize, amounts: [cpus=1]}]}\n",
        selectors[i]);
    run_text(&b, yaml, tasks);
    assert_start(&b, 2, 3);
    assert_start(&b, 3, 4);
    assert_start(&b, 4, 12);
    end(&b);
  }
}

/* The large host is taken, the small one is free: who wants a host whole gets that, and has 2 cores then, not
 * 16. */
static void a_small_host_is_a_host(void **state)
{
  static const char tasks[] = "- {id: 1, submit_time: 0, delay: 20, resources: {cpu: 16}}\n"
                              "- {id: 2, submit_time: 1, delay: 10}\n";
  bench b;
  (void)state;
  run_text(
      &b,
      NATIVE(
          "blocking") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 16}, {name_prefix: d, cpus: 2}]}\n"
                      "metrics: [area_weighted]\n",
      tasks);
  assert_start(&b, 2, 1);
  assert_int_equal(record_of(&b, 1)->units, 16000);
  assert_int_equal(record_of(&b, 2)->units, 2000);
  end(&b);
  /* Shrunk below the least that any class has, it still is one. */
  run_text(
      &b,
      NATIVE(
          "blocking") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 16}, {name_prefix: d, cpus: 2}]}\n"
                      "events: {use: list, changes: [{at: 0, hosts: d-0, change: resize, amounts: "
                      "[cpus=1]}]}\n",
      tasks);
  assert_start(&b, 2, 1);
  assert_int_equal(record_of(&b, 2)->units, 1000);
  end(&b);
}

/* Only d-0 has a disk. Tasks 1 and 2 name no cores, so they want hosts whole, with so much disk: they follow
 * each other there, and no host has 20 GiB for task 3. */
static void a_whole_host_has_what_was_asked_for(void **state)
{
  bench b;
  (void)state;
  run_text(&b,
           NATIVE("scan") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 4}, "
                          "{name_prefix: d, cpus: 4, disk: 10GiB}]}\n",
           "- {id: 1, submit_time: 0, delay: 5, resources: {disk: 5GiB}}\n"
           "- {id: 2, submit_time: 0, delay: 5, resources: {disk: 1GiB}}\n"
           "- {id: 3, submit_time: 0, delay: 5, resources: {disk: 20GiB}}\n"
           "- {id: 4, submit_time: 0, delay: 5}\n");
  assert_int_equal(b.count, 3);
  assert_start(&b, 1, 0);
  assert_start(&b, 2, 5);
  assert_start(&b, 4, 0);
  end(&b);
}

/* A host is taken whole at 0, with 4 cores; it goes away at 5, comes back at 10 with its task, and the task
 * has it until
 * 30. Of 4 cores 4 are held from 0 to 5 and from 10 to 30: all that there are. Had what was taken first not
 *     been given
 * back, the load would be above 1. */
static void what_was_taken_whole_is_given_back(void **state)
{
  bench b;
  (void)state;
  run_text(&b,
           NATIVE("blocking") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 4, memory: 8GiB}]}\n"
                              "events: {use: list, changes: [{at: 5, hosts: c-0, change: down, until: 10}]}\n"
                              "metrics: [{use: host_load, every: 10s}, dominant_share]\n",
           "- {id: 1, submit_time: 0, delay: 20, user: 1}\n");
  assert_start(&b, 1, 10);
  near(figure(&b, "host_load_cpu"), 1);
  near(figure(&b, "host_load_memory"), 1);
  near(figure(&b, "host_load_cpu_amount"), 4 * 25 / 30.);
  near(figure(&b, "dominant_share_max"), 1);
  end(&b);
  /* It shrinks to 2 under its task at 5: the task holds the 4 that it took until its end at 20, and nothing
   * of that is left when the next one, at 30, takes 2. */
  run_text(&b,
           NATIVE("blocking") "cell: {use: hosts, classes: [{name_prefix: c, cpus: 4}]}\n"
                              "events: {use: list, changes: [{at: 5, hosts: c-0, change: resize, amounts: "
                              "[cpus=2]}]}\n"
                              "metrics: [{use: host_load, every: 10s}]\n",
           "- {id: 1, submit_time: 0, delay: 20}\n- {id: 2, submit_time: 30, delay: 10}\n");
  near(figure(&b, "host_load_cpu_amount"), (4 * 20 + 2 * 10) / 40.);
  end(&b);
}

/* Task 2 waits for 10 s, for 3 cores, 2 x 1 more, and a licence beside the one of its first slot: 5 cores, 2
 * licences. */
static void what_waits_is_all_of_it(void **state)
{
  bench b;
  (void)state;
  run_text(
      &b,
      NATIVE("blocking") "cell: {use: hosts, classes: [{name_prefix: c, count: 2, cpus: 4}], licences: "
                         "[lic=4]}\n"
                         "metrics: [{use: queue_load, every: 10s}, {use: host_load, every: 10s}]\n",
      "- {id: 1, submit_time: 0, delay: 10, resources: {nodes_count: 2, cpu: 4}}\n"
      "- {id: 2, submit_time: 0, delay: 10, spread: false, resources: [{cpu: 3, lic: 1}, {cpu: 1, lic: 1, "
      "nodes_count: 2}]}\n");
  assert_start(&b, 2, 10);
  near(figure(&b, "queue_load_tasks_mean"), 10 / 20.);
  near(figure(&b, "queue_load_cpu_amount"), 5 * 10 / 20.);
  near(figure(&b, "queue_load_lic_amount"), 2 * 10 / 20.);
  near(figure(&b, "host_load_lic_amount"), 2 * 10 / 20.);
  near(figure(&b, "host_load_cpu_amount"), (8 + 5) * 10 / 20.);
  end(&b);
}

/* c-0 has all its cores taken until 12 and drains, or owes 7 of them: EASY, which asks when there will be
 * room for task 3, gives back what others hold and takes it again, though no other task could. c-1 has one
 * core until 23; task 4, gone by 6, may have it. */
static void looking_ahead_past_a_host_that_takes_nothing(void **state)
{
  static const char tasks[] = "- {id: 1, submit_time: 0, delay: 12, resources: {cpu: 8}}\n"
                              "- {id: 2, submit_time: 3, delay: 20, resources: {cpu: 3}}\n"
                              "- {id: 3, submit_time: 4, delay: 20, resources: {cpu: 2}}\n"
                              "- {id: 4, submit_time: 5, delay: 1, resources: {cpu: 1}}\n";
  static const char *const selects[] = {"{use: easy}", "{use: easy, depth: 3}",
                                        "{use: easy, reserve: hosts}"};
  static const char *const changes[] = {"drain", "resize, amounts: [cpus=1]"};
  (void)state;
  for (size_t i = 0; i < COUNT(selects) * COUNT(changes); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "source: {use: native, file: FILE}\nparanoid: true\npolicy: {select: %s}\n"
                   "cell: {use: hosts, classes: [{name_prefix: c, cpus: 8}, {name_prefix: d, cpus: 4}]}\n"
                   "events: {use: list, changes: [{at: 2, hosts: c-0, change: %s}]}\n",
                   selects[i / COUNT(changes)], changes[i % COUNT(changes)]);
    run_text(&b, yaml, tasks);
    assert_start(&b, 2, 3);
    assert_start(&b, 3, 23);
    assert_start(&b, 4, 5);
    end(&b);
  }
}

/* The partition allows 10 s. Task 1 asks for that; 2 for more; 3 says nothing and runs for longer, which
 * counts as its limit; 4 asks for as much as 2 and does not name the partition. */
static void a_partition_has_a_longest_limit(void **state)
{
  bench b;
  (void)state;
  run_text(&b,
           NATIVE("scan") "cell: {use: hosts, classes: [{name_prefix: c, count: 2, cpus: 4}], "
                          "sets: [{name: short, hosts: [c-1], partition: true, max_time: 10s}]}\n",
           "- {id: 1, submit_time: 0, delay: 5, wall_time_limit: 10, partition: short, resources: {cpu: 1}}\n"
           "- {id: 2, submit_time: 0, delay: 5, wall_time_limit: 11, partition: short, resources: {cpu: 1}}\n"
           "- {id: 3, submit_time: 0, delay: 12, partition: short, resources: {cpu: 1}}\n"
           "- {id: 4, submit_time: 0, delay: 5, wall_time_limit: 11, resources: {cpu: 1}}\n");
  assert_int_equal(b.count, 2);
  assert_start(&b, 1, 0);
  assert_start(&b, 4, 0);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_needs_no_cores_starts_without),
      cmocka_unit_test(a_debt_is_not_the_others),
      cmocka_unit_test(a_small_host_is_a_host),
      cmocka_unit_test(what_was_taken_whole_is_given_back),
      cmocka_unit_test(what_waits_is_all_of_it),
      cmocka_unit_test(a_partition_has_a_longest_limit),
      cmocka_unit_test(a_whole_host_has_what_was_asked_for),
      cmocka_unit_test(looking_ahead_past_a_host_that_takes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
