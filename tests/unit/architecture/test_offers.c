/* test_offers.c -- what becomes of offers in a run: fallbacks, a second round, what a miss of data costs, and
 * that a controller's memory survives a cut. */
#include "../engine/engine_test.h"
#include "hindcast/run.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, memory: mem, memory_unit: 1GB, " \
  "memory_of: task, user: user}\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,mem,user\n"
#define BEAT "architecture: {use: heartbeat, period: 10s, phase: staggered}\n"

static void begin_text(bench *b, const char *yaml, const char *tasks)
{
  memset(b, 0, sizeof *b);
  write_log(b->path, tasks, strlen(tasks));
  check(b, configure(b, hc_default_allocator(), yaml, NULL));
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
}

/* ---- every task refused ---- */

/* One core, two tasks of it, of users who refuse whatever they are offered: 1 of 1 GB, 2 of 8 GB. The host
 * reports at 10, 20 ... and, out of turn, when a task of 15 s ends, at 25. The first in the line is user 1,
 * who has no more than user 2; the product with what is free (1 core, 20 GB) is greater for 2. */
static void who_starts_when_all_refuse(void **state)
{
  static const char *const words[] = {"nothing_started", "all_refused", "best_score", "none"};
  static const int64_t starts[4][2] = {{10, 25}, {10, 25}, {25, 10}, {NEVER_STARTED, NEVER_STARTED}};
  (void)state;
  for (size_t i = 0; i < COUNT(words); i++) {
    char yaml[900];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 1, memory: 20GB}]}\n" BEAT
                          "policy: {use: fair, accept: {use: refusal, at_first: 1000000}, fallback: %s}\n",
                   words[i]);
    begin_text(&b, yaml, TITLES "1,1,15,1,1,1\n2,1,15,1,8,2\n");
    finish(&b);
    for (int64_t id = 1; id <= 2; id++)
      if (start_of(&b, id) != starts[i][id - 1])
        fail_msg("%s: task %" PRId64 " starts at %" PRId64, words[i], id, start_of(&b, id));
    assert_true(figure(&b, "offers_forced") == (i < 3 ? 2 : 0) && figure(&b, "offers_taken") == 0);
    assert_true(figure(&b, "offers_refused") > 0);
    end(&b);
  }
}

/* `better: 0` in YTsaurus's form takes nothing; a second round bears five better offers and takes it. The
 * offer is remembered once. */
static void a_second_round_has_a_lower_barrier(void **state)
{
#define ROUNDS(n) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 1, memory: 20GB}]}\n" BEAT \
  "policy: {use: fair, accept: {use: refusal, rule: ytsaurus, better: 0, relaxed: 5}, fallback: none, " \
  "rounds: " n "}\n"
  static const char tasks[] = TITLES "1,1,15,1,1,1\n2,1,15,1,8,2\n";
  bench b;
  (void)state;
  begin_text(&b, ROUNDS("1"), tasks);
  finish(&b);
  assert_int_equal(start_of(&b, 1), NEVER_STARTED);
  end(&b);
  begin_text(&b, ROUNDS("2"), tasks);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 10);
  assert_int_equal(start_of(&b, 2), 25);
  assert_true(figure(&b, "offers_taken") == 2 && figure(&b, "offers_forced") == 0);
  assert_true(figure(&b, "offers_refused") == 3); /* both at 10, user 2 at 25 */
  end(&b);
}

/* ---- data ---- */

/* One copy on one of four hosts in two racks; no task waits, so every one takes the first host that reports,
 * and runs 10 s, 20 or 40 by how far its data is; 60 tasks, alone one after the other. The figures say what
 * the run times say. */
static void a_miss_costs_what_it_is_said_to(void **state)
{
  hc_buffer text;
  int64_t count[3] = {0, 0, 0};
  bench b;
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, TITLES);
  for (int i = 0; i < 60; i++) hc_buffer_printf(&text, "%d,%d,10,1,1,%d\n", i + 1, 1 + 103 * i, 1 + i % 3);
  begin_text(
      &b,
      SOURCE
      "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 4, name_prefix: a, cpus: 1, "
      "memory: 20GB}]}\n" BEAT
      "policy: {use: fair, accept: {use: locality, replicas: 1, delay: offers, rack_factor: 2, any_factor: "
      "4}}\n",
      text.data);
  finish(&b);
  assert_int_equal(b.count, 60);
  for (size_t i = 0; i < b.count; i++) {
    const hc_time ran = (b.records[i].end - b.records[i].start) / HC_SECOND;
    assert_true(ran == 10 || ran == 20 || ran == 40);
    assert_int_equal(b.records[i].run, b.records[i].end - b.records[i].start);
    count[ran == 10 ? 0 : ran == 20 ? 1 : 2]++;
  }
  assert_true(count[0] > 3 && count[1] > 3 && count[2] > 3);
  assert_true(figure(&b, "local_starts") == (double)count[0] / 60);
  assert_true(figure(&b, "rack_local_starts") == (double)count[1] / 60);
  assert_true(figure(&b, "remote_starts") == (double)count[2] / 60);
  assert_true(figure(&b, "locality_skipped") == 0 && figure(&b, "locality_wait_mean") == 0);
  end(&b);
  /* A task that waits for ever is local always; hosts report every 10 s, 2.5 s apart, so none waits for 10
   * s. */
  begin_text(
      &b,
      SOURCE
      "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 4, name_prefix: a, cpus: 1, "
      "memory: 20GB}]}\n" BEAT
      "policy: {use: fair, fallback: none, accept: {use: locality, replicas: 1, rack_wait: never, any_wait: "
      "never, rack_factor: 2, any_factor: 4}}\n",
      text.data);
  finish(&b);
  for (size_t i = 0; i < b.count; i++)
    assert_int_equal(b.records[i].end - b.records[i].start, 10 * HC_SECOND);
  assert_true(figure(&b, "local_starts") == 1 && figure(&b, "locality_skipped") > 30);
  assert_true(figure(&b, "locality_wait_mean") > 0 && figure(&b, "locality_wait_mean") < 10);
  end(&b);
  hc_buffer_fini(&text);
}

/* ---- a cut ---- */

/* What jobs remember, how long they have waited, and paces of tasks that run are in a snapshot: gone on with,
 * the same records and figures as in one piece, and both have one digest where they are cut. */
static void a_cut_changes_nothing(void **state)
{
  static const char yaml[] =
      "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, memory: mem, memory_unit: 1GB, "
      "memory_of: task, user: user, job: user}\nmetrics: [tasks]\nparanoid: true\n"
      "cell: {use: hosts, classes: [{count: 3, name_prefix: a, cpus: 4, memory: 20GB}]}\n" BEAT
      "policy: {use: fair, accept: {use: all_of, of: [{use: locality, replicas: 1, rack_wait: 12s, any_wait: "
      "0s, memory: user, any_factor: 3}, {use: refusal, memory: operation, better: 0, relative: 1, absolute: "
      "0, adapt: 0.5}]}}\n";
  hc_buffer text;
  bench whole, cut;
  hc_store *store;
  hc_run *again;
  char digests[2][33];
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, TITLES);
  for (int i = 0; i < 80; i++)
    hc_buffer_printf(&text, "%d,%d,%d,%d,%d,%d\n", i + 1, 1 + 3 * i, 10 + i * 7 % 31, 1 + i % 3,
                     1 + i * 5 % 9, i % 4);
  begin_text(&whole, yaml, text.data);
  finish(&whole);
  begin_text(&cut, yaml, text.data);
  check(&cut, hc_run_advance(cut.run, 151 * HC_SECOND, 0, &cut.error));
  check(&cut, hc_store_new(cut.allocator, NULL, &store, &cut.error));
  check(&cut, hc_run_fork(cut.run, cut.config, store, &again, &cut.error));
  check(&cut, hc_run_digest(cut.run, digests[0], &cut.error));
  check(&cut, hc_run_digest(again, digests[1], &cut.error));
  assert_string_equal(digests[0], digests[1]);
  hc_run_free(cut.run);
  hc_store_free(cut.store);
  cut.run = again;
  cut.store = store;
  finish(&cut);
  for (size_t i = 0; i < cut.count; i++) {
    const hc_task_record *x = record_of(&whole, cut.records[i].id);
    assert_memory_equal(x, &cut.records[i], sizeof *x);
  }
  assert_true(figure(&whole, "local_starts") == figure(&cut, "local_starts"));
  assert_true(figure(&whole, "locality_wait_mean") == figure(&cut, "locality_wait_mean"));
  assert_true(figure(&whole, "offers_refused") == figure(&cut, "offers_refused"));
  assert_true(figure(&whole, "offers_refused") > 5 && figure(&whole, "locality_skipped") > 5);
  end(&whole);
  end(&cut);
  hc_buffer_fini(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_starts_when_all_refuse),
      cmocka_unit_test(a_second_round_has_a_lower_barrier),
      cmocka_unit_test(a_miss_costs_what_it_is_said_to),
      cmocka_unit_test(a_cut_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
