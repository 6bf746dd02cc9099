/* test_speed_and_load.c -- hosts of other speeds, local load, criteria and the placements that look at them:
 * cases whose schedule follows by hand. Submissions, runs and limits are in seconds; hosts have one core
 * each, so that a host is one task's at a time. */
#include "engine_test.h"

#define SLOW_FAST \
  "cell: {use: hosts, classes: [{name_prefix: a, count: 2, cpus: 1}, {name_prefix: b, count: 2, cpus: 1, " \
  "speed: 2}]}\n"
#define BATCH(order, select, place) \
  "policy: {use: batch, order: " order ", select: " select ", place: " place "}\nparanoid: true\n"

/* Where a task was, as hosts in the order of declaration: "0 3". */
typedef struct place {
  int64_t serial;
  char text[64];
} place;

static hc_rc take_place(void *ctx, const char *const *values)
{
  place *p = ctx;
  if (strtoll(values[0], NULL, 10) != p->serial) return 0;
  (void)snprintf(p->text + strlen(p->text), sizeof p->text - strlen(p->text), "%s%s", p->text[0] ? " " : "",
                 values[1]);
  return 0;
}

static void assert_hosts(bench *b, int64_t id, const char *hosts)
{
  place p = {record_of(b, id)->serial, ""};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "grants", 4 + HC_NEEDS, take_place, &p, &b->error));
  hc_result_free(r);
  if (strcmp(p.text, hosts) != 0) fail_msg("task %" PRId64 " was on %s, should on %s", id, p.text, hosts);
}

/* Times in ns, since halves of a second matter. */
static void assert_times(const bench *b, int64_t id, double start, double end_)
{
  const hc_task_record *r = record_of(b, id);
  if (r->start != (hc_time)(start * 1e9) || r->end != (hc_time)(end_ * 1e9))
    fail_msg("task %" PRId64 " from %.3f to %.3f, should from %.3f to %.3f", id, (double)r->start * 1e-9,
             (double)r->end * 1e-9, start, end_);
}

/* ---- speed ---- */

static void test_the_slowest_host_sets_the_pace(void **state)
{
  const job jobs[] = {J(1, 0, 10, 1, 10), /* a-0 */
                      J(2, 0, 10, 3, 10), /* a-1 and both fast ones: the slow one counts */
                      J(3, 20, 10, 4, 10), J(4, 40, 7, 2, 9)};
  bench b;
  (void)state;
  begin(&b, BATCH("fcfs", "blocking", "first_fit") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 1, 0, 10);
  assert_times(&b, 2, 0, 10);
  assert_times(&b, 3, 20, 30);
  assert_times(&b, 4, 40, 47);
  end(&b);
  /* The fastest hosts first: 3.5 s for the last, and its estimate of 9 s becomes 4.5 s. */
  begin(&b, BATCH("fcfs", "blocking", "fastest") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 1, 0, 5);
  assert_hosts(&b, 1, "2");
  assert_times(&b, 2, 0, 10);
  assert_hosts(&b, 2, "0 1 3");
  assert_times(&b, 4, 40, 43.5);
  assert_hosts(&b, 4, "2 3");
  assert_int_equal(record_of(&b, 4)->run, 3500000000);
  assert_int_equal(record_of(&b, 4)->estimate, 4500000000);
  end(&b);
}

/* Hosts of two amounts, tasks of one slot: the way that most tasks of a data centre go. */
static void test_speed_where_tasks_are_plain(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, memory_per_node: 1MiB}}\n"
      "- {id: 2, submit_time: 0, delay: 10, resources: {cpu_per_node: 1, memory_per_node: 1MiB}}\n";
  bench b;
  (void)state;
  memset(&b, 0, sizeof b);
  write_log(b.path, tasks, sizeof tasks - 1);
  check(&b,
        configure(
            &b, hc_default_allocator(),
            "source: {use: native, file: FILE}\nmetrics: []\npolicy: fcfs\ncell: {use: hosts, classes: ["
            "{name_prefix: a, cpus: 1, memory: 1GiB, speed: 2}, {name_prefix: b, cpus: 1, memory: 1GiB}]}\n",
            NULL));
  check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  assert_times(&b, 1, 0, 5);
  assert_times(&b, 2, 0, 10);
  end(&b);
}

/* A time that a speed does not divide is rounded up to a whole nanosecond. */
static void test_rounding_up(void **state)
{
  const job jobs[] = {J(1, 0, 10, 1, 10)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\ncell: {use: hosts, classes: [{name_prefix: a, cpus: 1, speed: 3}]}\n", 1, jobs, 1,
        NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->end, INT64_C(3333333334));
  end(&b);
}

/* A limit is an estimate that kills: it shrinks as the run does. */
static void test_limits_shrink_with_speed(void **state)
{
  const job jobs[] = {J(1, 0, 100, 1, 10)};
  bench b;
  (void)state;
  begin(&b, BATCH("fcfs", "blocking", "fastest") SLOW_FAST, 4, jobs, 1, NULL);
  finish(&b);
  assert_times(&b, 1, 0, 5);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  end(&b);
}

/* Its fast host goes away after 2 s and it begins anew on a slow one, for as long as it runs there: the times
 * of the first attempt leave no trace. */
static void test_a_second_attempt_has_its_own_time(void **state)
{
  const job jobs[] = {J(1, 0, 10, 1, 10)};
  bench b;
  (void)state;
  begin(&b,
        BATCH("fcfs", "blocking", "fastest") SLOW_FAST
        "host_loss: requeue\nevents: [{use: list, changes: [{at: 2s, hosts: [b-0, b-1], change: down}]}]\n",
        4, jobs, 1, NULL);
  finish(&b);
  assert_times(&b, 1, 2, 12);
  end(&b);
}

/* ---- EASY on hosts of two speeds ---- */

/* 1 holds a-0 and a-1 until 20, 2 holds b-0 for 60 / 2 s, until 30. The head, 3, wants three hosts: a-0, a-1
 * and b-1 from 20 on. b-1 is idle until then. On it 4 would run 40 / 2 s, from 1 to 21: too long. 5 would run
 * 38 / 2 s, from 1 to 20: it may, though by its estimate of 38 s it would not. */
static void test_easy_believes_the_time_on_the_hosts(void **state)
{
  const job jobs[] = {J(1, 0, 20, 2, 20), J(2, 0, 60, 1, 60), J(3, 1, 10, 3, 10), J(4, 1, 40, 1, 40),
                      J(5, 1, 38, 1, 38)};
  static const char *const selects[] = {"{use: easy, reserve: hosts}", "{use: easy, reserve: room}"};
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    char yaml[1024];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "policy: {use: batch, order: fcfs, select: %s, place: first_fit}\nparanoid: true\n%s",
                   selects[i], SLOW_FAST);
    begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_times(&b, 5, 1, 20);
    assert_hosts(&b, 5, "3");
    assert_times(&b, 3, 20, 30);
    assert_hosts(&b, 3, "0 1 3");
    assert_times(&b, 4, 30, 70); /* on a-0, slowly */
    end(&b);
  }
}

/* What is promised, room or hosts. 1 and 2 end at 10 on a-0 and a-1; b-0 and b-1 are idle. The head wants
 * three hosts: at 10 the first fit takes a-0, a-1 and b-0. A task of 100 s that the placement puts on b-0 now
 * takes a host of the promise, but leaves room: b-1. With hosts promised it gets b-1 itself. */
static void test_room_and_hosts(void **state)
{
  const job jobs[] = {J(1, 0, 10, 2, 10), J(3, 1, 10, 3, 10), J(4, 1, 100, 1, 100)};
  bench b;
  (void)state;
  begin(&b, BATCH("fcfs", "{use: easy, reserve: room}", "first_fit") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 4, 1, 51);
  assert_times(&b, 3, 10, 20);
  assert_hosts(&b, 3, "0 1 3");
  end(&b);
  begin(&b, BATCH("fcfs", "{use: easy, reserve: hosts}", "first_fit") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 3, 10, 20);
  assert_hosts(&b, 3, "0 1 2");
  assert_times(&b, 4, 1, 51); /* on b-1, which is not promised */
  assert_hosts(&b, 4, "3");
  end(&b);
  /* The best fit over windows avoids the host that is promised: it has nothing left over there. */
  begin(&b, BATCH("fcfs", "{use: easy, reserve: hosts}", "window_fit") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 3, 10, 20);
  assert_times(&b, 4, 1, 51);
  end(&b);
}

/* Of two windows the smaller that holds the task. b-0 and a-1 end at 10 and 30; the head wants all four hosts
 * at 30, so that every idle host has a window of 29 s. One slot of 20 s goes on a-0, where 9 s are left over,
 * not on b-1, where it would run 10 s and leave 19 s. */
static void test_window_fit_fills_the_smaller_rest(void **state)
{
  const job jobs[] = {J(1, 0, 30, 1, 30), J(3, 1, 10, 4, 10), J(4, 1, 20, 1, 20)};
  bench b;
  (void)state;
  begin(&b, BATCH("fcfs", "{use: easy, reserve: hosts}", "window_fit") SLOW_FAST, 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_times(&b, 1, 0, 30);
  assert_hosts(&b, 1, "0");
  assert_times(&b, 4, 1, 21);
  assert_hosts(&b, 4, "1");
  assert_times(&b, 3, 30, 40);
  end(&b);
}

/* The past: a-0 has been used for 10 s of 20, the others not at all, then a-1 and so on. */
static void test_least_utilised_by_the_past(void **state)
{
  const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 20, 10, 1, 10), J(3, 40, 10, 3, 10), J(4, 60, 1, 2, 1)};
  bench b;
  (void)state;
  begin(&b, BATCH("fcfs", "blocking", "{use: least_utilised, by: past}") SLOW_FAST, 4, jobs, COUNT(jobs),
        NULL);
  finish(&b);
  assert_hosts(&b, 1, "0");
  assert_hosts(&b, 2, "1");
  assert_hosts(&b, 3, "0 2 3"); /* nothing on b; a-0 and a-1 10 s each: the lower */
  assert_hosts(&b, 4, "1 2");   /* a-0 20 s; a-1, b-0 and b-1 10 s each */
  end(&b);
}

/* ---- local load ---- */

#define ONE "cell: {use: hosts, classes: [{name_prefix: a, count: 2, cpus: 1, memory: 1GiB, disk: 10GiB}]}\n"
#define CONSTANT(what, level, takes) \
  "{dimension: " what ", law: constant, rate: 0, scale: " level ", takes: " takes "}"
#define UNDER(criterion) \
  "source: {use: native, file: FILE}\npolicy: {use: batch, eligibility: " criterion "}\nmetrics: [tasks]\n"
#define NEEDS(amount) \
  "- {id: 1, submit_time: 0, delay: 10, resources: {nodes: 1, cpu_per_node: 1, memory_per_node: " amount \
  "}}\n"

/* Does the only task ever start? */
static bool starts(const char *yaml, const char *tasks)
{
  bench b;
  bool did;
  hc_rc rc;
  memset(&b, 0, sizeof b);
  write_log(b.path, tasks, strlen(tasks));
  rc = configure(&b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b.allocator, NULL, &b.store, &b.error);
  check(&b, rc < 0 ? rc : hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  assert_int_equal(b.count, 1);
  did = start_of(&b, 1) == 0;
  assert_int_equal(b.records[0].final, did ? HC_FINAL_COMPLETED : HC_FINAL_WAITING);
  end(&b);
  return did;
}

/* 0.6 x 0.5 + 0.3 x 0.5 = 0.45 with disk 0.5 more is 0.5, which passes; with disk 0.6 it is 0.51. */
static void test_the_criterion_of_utilisation(void **state)
{
#define LOADS(disk) \
  "local_load: [" CONSTANT("cpu", "0.5", "false") ", " CONSTANT("memory", "0.5", "true") ", " CONSTANT( \
      "disk", disk, "true") "]\n"
  (void)state;
  assert_true(starts(UNDER("utilisation") ONE LOADS("0.5"), NEEDS("1MiB")));
  assert_false(starts(UNDER("utilisation") ONE LOADS("0.6"), NEEDS("1MiB")));
  assert_true(starts(UNDER("{use: utilisation, threshold: 0.52}") ONE LOADS("0.6"), NEEDS("1MiB")));
  assert_true(starts(UNDER("{use: utilisation, weights: [0.5, 0.5]}") ONE LOADS("0.6"), NEEDS("1MiB")));
  assert_true(starts(UNDER("always") ONE LOADS("0.6"), NEEDS("1MiB")));
  assert_false(starts(UNDER("unloaded") ONE LOADS("0.6"), NEEDS("1MiB")));
  assert_true(starts(UNDER("unloaded") ONE, NEEDS("1MiB")));
  /* the same as a formula */
#define FORMULA "{use: expr, when: \"0.3 * memory_used + 0.1 * disk_used + 0.6 * cpu_used <= 0.5\"}"
  assert_true(starts(UNDER(FORMULA) ONE LOADS("0.5"), NEEDS("1MiB")));
  assert_false(starts(UNDER(FORMULA) ONE LOADS("0.6"), NEEDS("1MiB")));
}

/* Load of 0.25 leaves 768 MiB of 1 GiB, unless it is only seen. */
static void test_what_load_leaves(void **state)
{
  (void)state;
  assert_true(
      starts(UNDER("always") ONE "local_load: [" CONSTANT("memory", "0.25", "true") "]\n", NEEDS("768MiB")));
  assert_false(
      starts(UNDER("always") ONE "local_load: [" CONSTANT("memory", "0.25", "true") "]\n", NEEDS("769MiB")));
  assert_true(
      starts(UNDER("always") ONE "local_load: [" CONSTANT("memory", "0.25", "false") "]\n", NEEDS("1GiB")));
  /* two processes of one dimension: 0.5 x 0.5 of it is left */
#define TWICE "local_load: [" CONSTANT("memory", "0.5", "true") ", " CONSTANT("memory", "0.5", "true") "]\n"
  assert_true(starts(UNDER("always") ONE TWICE, NEEDS("256MiB")));
  assert_false(starts(UNDER("always") ONE TWICE, NEEDS("257MiB")));
}

/* Left over, in GiB of memory and sixths of the disk: a-0 768/1024 + 9/6 = 2.25, b-0 1792/1024 + 4/6 = 2.42.
 * Half of the memory is loaded: a-0 256/1024 + 9/6 = 1.75, b-0 768/1024 + 4/6 = 1.42. The default does not
 * look at load: the study of examples/polezhaev is made with it. */
static void test_window_fit_with_load(void **state)
{
  static const char task[] = "- {id: 1, submit_time: 0, delay: 10, resources: {nodes: 1, cpu_per_node: 1, "
                             "memory_per_node: 256MiB, disk_per_node: 1GiB}}\n";
  static const char *const free_of[] = {"", ", free: tasks", ", free: load"}, *const host[] = {"0", "0", "1"};
  (void)state;
  for (size_t i = 0; i < COUNT(free_of); i++) {
    char yaml[1024];
    bench b;
    memset(&b, 0, sizeof b);
    write_log(b.path, task, sizeof task - 1);
    (void)snprintf(
        yaml, sizeof yaml,
        "source: {use: native, file: FILE}\nmetrics: [tasks]\npolicy: {use: batch, place: {use: window_fit, "
        "weights: [0, 1, 1], normalise: amounts, amounts: [1, 1073741824, 6442450944]%s}}\n"
        "cell: {use: hosts, classes: [{name_prefix: a, cpus: 1, memory: 1GiB, disk: 10GiB}, "
        "{name_prefix: b, cpus: 1, memory: 2GiB, disk: 5GiB}]}\n"
        "local_load: [" CONSTANT("memory", "0.5", "true") "]\n",
        free_of[i]);
    check(&b, configure(&b, hc_default_allocator(), yaml, NULL));
    check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
    check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
    finish(&b);
    assert_hosts(&b, 1, host[i]);
    end(&b);
  }
}

/* Any attribute: only hosts with ssd, or of zone 3. */
static void test_a_formula_over_attributes(void **state)
{
#define MARKED \
  "cell: {use: hosts, classes: [{name_prefix: a, cpus: 1, memory: 1GiB}, " \
  "{name_prefix: b, cpus: 1, memory: 1GiB, features: [ssd], attributes: [\"zone=3\"]}]}\n"
  (void)state;
  assert_true(starts(UNDER("{use: expr, when: \"ssd\"}") MARKED, NEEDS("1MiB")));
  assert_true(starts(UNDER("{use: expr, when: \"zone == 3 && idle && host == 1\"}") MARKED, NEEDS("1MiB")));
  assert_false(starts(UNDER("{use: expr, when: \"ssd && zone < 3\"}") MARKED, NEEDS("1MiB")));
  assert_true(starts(UNDER("{use: expr, when: \"cpu == 1 && memory == 1073741824 && speed == 1\"}") MARKED,
                     NEEDS("1MiB")));
}

/* A reservation leaves load out: the head, which load keeps from every host, is promised what is idle, and
 * no task that would still run then passes it: 2 runs until 10 on one host, the head wants both, 3 would run
 * from 0 to 5. */
static void test_the_future_has_no_load(void **state)
{
  bench b;
  (void)state;
  static const char tasks[] =
      "- {id: 1, submit_time: 0, delay: 10, wall_time_limit: 10, resources: {nodes: 1, cpu_per_node: 1}}\n"
      "- {id: 2, submit_time: 0, delay: 9, wall_time_limit: 9, resources: {nodes: 2, cpu_per_node: 1, "
      "memory_per_node: 900MiB}}\n"
      "- {id: 3, submit_time: 0, delay: 5, wall_time_limit: 5, resources: {nodes: 1, cpu_per_node: 1}}\n"
      "- {id: 4, submit_time: 0, delay: 11, wall_time_limit: 11, resources: {nodes: 1, cpu_per_node: 1}}\n";
  memset(&b, 0, sizeof b);
  write_log(b.path, tasks, sizeof tasks - 1);
  check(&b, configure(&b, hc_default_allocator(),
                      "source: {use: native, file: FILE}\nmetrics: [tasks]\n"
                      "policy: {use: batch, select: {use: easy, reserve: hosts}}\n" ONE
                      "local_load: [" CONSTANT("memory", "0.5", "true") "]\n",
                      NULL));
  check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  assert_int_equal(start_of(&b, 3), 0);
  assert_int_equal(start_of(&b, 4), NEVER_STARTED); /* from 10 on both hosts are promised, for ever */
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_WAITING);
  end(&b);
}

static void test_processors_have_no_load(void **state)
{
  const job jobs[] = {J(1, 0, 10, 1, 10)};
  static const char *const yaml[] = {"policy: fcfs\nlocal_load: [" CONSTANT("cpu", "0.5", "true") "]\n",
                                     "policy: {use: batch, eligibility: utilisation}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) {
    bench b;
    assert_int_equal(try_begin(&b, yaml[i], 4, jobs, 1, NULL), HC_EUNSUPPORTED);
    assert_string_equal(b.error.text,
                        "local_load and eligibility are about hosts, and this cell counts processors: use "
                        "a cell of hosts");
    end(&b);
  }
}

/* All tasks are drawn anew at each decision: with one that never fits in the queue the order `random` may
 * block for ever behind it, and the lottery does not. */
static void test_the_lottery_draws_anew(void **state)
{
  const job jobs[] = {J(1, 0, 100, 1, 100), J(2, 0, 1, 4, 1), J(3, 0, 1, 1, 1), J(4, 0, 1, 1, 1),
                      J(5, 5, 1, 1, 1),     J(6, 6, 1, 1, 1), J(7, 7, 1, 1, 1), J(8, 8, 1, 1, 1)};
  int passed = 0;
  (void)state;
  for (int seed = 1; seed <= 20; seed++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "seed: %d\npolicy: {use: batch, order: fcfs, select: lottery}\n" SLOW_FAST, seed);
    begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
    finish(&b);
    /* Of seven small tasks none passes the large one with probability far below 1e-3 a seed if drawn anew. */
    for (int64_t id = 3; id <= 8; id++) passed += start_of(&b, id) < 100;
    assert_int_equal(b.count, 8);
    end(&b);
  }
  assert_true(passed > 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_slowest_host_sets_the_pace),
      cmocka_unit_test(test_speed_where_tasks_are_plain),
      cmocka_unit_test(test_rounding_up),
      cmocka_unit_test(test_limits_shrink_with_speed),
      cmocka_unit_test(test_a_second_attempt_has_its_own_time),
      cmocka_unit_test(test_easy_believes_the_time_on_the_hosts),
      cmocka_unit_test(test_room_and_hosts),
      cmocka_unit_test(test_window_fit_fills_the_smaller_rest),
      cmocka_unit_test(test_least_utilised_by_the_past),
      cmocka_unit_test(test_window_fit_with_load),
      cmocka_unit_test(test_the_criterion_of_utilisation),
      cmocka_unit_test(test_what_load_leaves),
      cmocka_unit_test(test_a_formula_over_attributes),
      cmocka_unit_test(test_the_future_has_no_load),
      cmocka_unit_test(test_processors_have_no_load),
      cmocka_unit_test(test_the_lottery_draws_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
