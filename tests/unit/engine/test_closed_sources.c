/* test_closed_sources.c -- sources that depend on the run, in the run: a closed loop hears of every end, also
 * after a snapshot; what was put in a new order stays in it; a load on hosts is that of their cores. */
#include "engine_test.h"

static const job none[] = {J(1, 0, 1, 1, 1)};

/* ---- a closed loop ---- */

/* One user, one processor: run 100 and think 60, so tasks start at 60 + 160 k and never wait. */
static void one_user_never_waits(void **state)
{
  bench b;
  (void)state;
  begin(
      &b,
      "source: {use: users, users: 1, think: 60, tasks: 50, from: {use: mixture, jobs: 0, interval: 1, run: "
      "100, procs: 1}}\npolicy: fcfs\n",
      1, none, 1, NULL);
  finish(&b);
  assert_int_equal(b.count, 50);
  for (size_t k = 0; k < 50; k++) {
    assert_int_equal(b.records[k].submit, (60 + 160 * (int64_t)k) * HC_SECOND);
    assert_int_equal(b.records[k].start, b.records[k].submit);
  }
  end(&b);
}

/* 35 s of work, a limit of 10, and twice that, and twice that again: killed, killed, completed. */
static void the_engine_kills_and_the_user_tries_again(void **state)
{
  static const int64_t submit[] = {0, 10, 30, 125},
                       final[] = {HC_FINAL_KILLED, HC_FINAL_KILLED, HC_FINAL_COMPLETED, HC_FINAL_KILLED};
  bench b;
  (void)state;
  begin(
      &b,
      "source: {use: users, users: 1, start: 0, think: 60, tasks: 4, resubmit: timeout, from: {use: mixture, "
      "jobs: 0, interval: 1, run: 35, limit_factor: 0.2857142857142857, limit_round: 1, procs: 1}}\npolicy: "
      "fcfs\n",
      1, none, 1, NULL);
  finish(&b);
  assert_int_equal(b.count, 4);
  for (size_t k = 0; k < 4; k++) {
    assert_int_equal(b.records[k].submit, submit[k] * HC_SECOND);
    assert_int_equal(b.records[k].final, final[k]);
  }
  end(&b);
}

/* ---- snapshots ---- */

/* Straight through, and cut after so many instants and carried on from the snapshot: the same records. */
static void cut_and_carried_on(const char *yaml, uint64_t instants)
{
  bench straight, cut;
  hc_snapshot s;
  begin(&straight, yaml, 8, none, 1, NULL);
  finish(&straight);
  begin(&cut, yaml, 8, none, 1, NULL);
  assert_int_equal(hc_run_advance(cut.run, HC_NEVER, instants, &cut.error), 1);
  check(&cut, hc_run_snapshot(cut.run, &s, &cut.error));
  hc_run_free(cut.run);
  hc_store_free(cut.store);
  cut.run = NULL;
  assert_int_equal(hc_store_new(cut.allocator, NULL, &cut.store, &cut.error), 0);
  check(&cut, hc_run_restore(cut.allocator, cut.config, cut.store, &s, &cut.run, &cut.error));
  hc_snapshot_free(cut.allocator, &s);
  finish(&cut);
  assert_true(straight.count > 100);
  assert_int_equal(cut.count, straight.count);
  assert_memory_equal(cut.records, straight.records, straight.count * sizeof *cut.records);
  end(&cut);
  end(&straight);
}

static void a_run_can_be_cut(void **state)
{
  (void)state;
  cut_and_carried_on(
      "source: {use: users, users: 6, think: exponential(60), batch: uniform(1 3), session: 3, rest: 10m, "
      "resubmit: any, tasks: 400, from: {use: mixture, jobs: 0, interval: 1, run: exponential(100), "
      "size: uniform(1 8), limit_factor: uniform(0.5 3), procs: 8}}\npolicy: easy\n",
      300);
  cut_and_carried_on(
      "source: {use: resample, tasks: 400, from: {use: synthetic, procs: 8, tasks: 300, load: 0.9}}\n"
      "transforms: [{use: load, to: 0.8}, {use: shake, submit: 10m, run: 0.2}]\nsort_window: 50\n"
      "policy: easy\n",
      300);
}

/* ---- several sources ---- */

static void write_table(const char *path, const char *first, const char *second)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  (void)fprintf(f, "id,submit,run,procs,user,queue\n");
  for (int i = 0; i < 200; i++)
    (void)fprintf(f, "%d,%d,%d,%d,%s,%s\n", i + 1, 20 * i, 30 + i % 50, 1 + i % 4, i % 3 ? first : second,
                  i % 2 ? "day" : "night");
  assert_int_equal(fclose(f), 0);
}

/* Who is who is kept by a snapshot: names that were shared, and numbers that a policy knows by name. A closed
 * loop is told of the ids that it knows itself, or it would not go on: 50 of its tasks come. */
static void several_sources_can_be_cut(void **state)
{
  static const char sources[] =
      "source: [{use: csv, file: several_a.csv}, {use: csv, file: several_b.csv}, {use: users, users: 5, "
      "think: 60, tasks: 50, from: {use: mixture, jobs: 0, interval: 1, run: 100, procs: 1}}]\n"
      "policy: {use: fair, share: max_min, half_life: 10m, weights: [bob=3, \"several_a/ann=3\"]}\n"
      "cell: {use: count, procs: 8}\n";
  static const char *const users[] = {"apart", "[shared, shared, apart]"};
  char yaml[700];
  (void)state;
  write_table("several_a.csv", "ann", "bob");
  write_table("several_b.csv", "bob", "cem");
  for (size_t i = 0; i < 2; i++) {
    for (int threads = 1; threads <= 2; threads++) {
      (void)snprintf(yaml, sizeof yaml, "%susers: %s\nthreads: %d\n", sources, users[i], threads);
      cut_and_carried_on(yaml, 90);
    }
  }
}

static uint32_t tasks_of(const bench *b, int64_t user)
{
  uint32_t n = 0;
  for (size_t i = 0; i < b->count; i++) n += b->records[i].user == user;
  return n;
}

/* Of 200 rows every third is the second user's: 67 and 133. b's second, cem, takes the number that is free
 * next. */
static void several_sources_are_told_apart(void **state)
{
  const int64_t next = INT64_C(1000000000000);
  bench b;
  (void)state;
  write_table("several_a.csv", "bob", "ann"); /* row 0 is ann's: 1, and bob is 2 */
  write_table("several_b.csv", "cem", "bob"); /* bob 1, cem 2 */
  begin(&b, "source: [several_a.csv, several_b.csv]\npolicy: fcfs\ncell: {use: count, procs: 8}\n", 8, none,
        1, NULL);
  finish(&b);
  assert_int_equal(tasks_of(&b, 1), 67);
  assert_int_equal(tasks_of(&b, 2), 133);
  assert_int_equal(tasks_of(&b, 1 + next), 67);
  assert_int_equal(tasks_of(&b, 2 + next), 133);
  end(&b);
  begin(&b,
        "source: [several_a.csv, several_b.csv]\nusers: shared\npolicy: fcfs\ncell: {use: count, procs: 8}\n",
        8, none, 1, NULL);
  finish(&b);
  assert_int_equal(tasks_of(&b, 1), 67);       /* ann */
  assert_int_equal(tasks_of(&b, 2), 133 + 67); /* bob, of both */
  assert_int_equal(tasks_of(&b, 3), 133);      /* cem */
  end(&b);
}

/* ---- load on hosts ---- */

/* 14 hosts of 4 cores; tasks of 2 cores on 1 to 4 hosts. Work over 56 cores and the time from the first to
 * the last submission is 0.8, to the rounding of submissions to seconds. */
static void a_load_on_hosts_is_that_of_their_cores(void **state)
{
  double work = 0;
  hc_time first = HC_NEVER, last = 0;
  bench b;
  (void)state;
  begin(&b,
        "source: {use: mixture, jobs: 300, interval: exponential(60), hosts: uniform(1 4), cpu: 2, run: "
        "exponential(1h)}\ntransforms: [{use: load, to: 0.8}]\ncell: {use: hosts, classes: [{count: 14, "
        "name_prefix: n, cpus: 4, memory: 60}]}\npolicy: fcfs+scan\n",
        1, none, 1, NULL);
  finish(&b);
  assert_int_equal(b.count, 300);
  for (size_t i = 0; i < b.count; i++) {
    const hc_task_record *r = &b.records[i];
    work += (double)r->units / 1000 * ((double)r->run / 1e9);
    first = r->submit < first ? r->submit : first;
    last = r->submit > last ? r->submit : last;
  }
  const double span = (double)(last - first) / 1e9, load = work / (56 * span);
  assert_true(load > 0.8 * (1 - 1 / span) && load < 0.8 * (1 + 1 / span));
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_user_never_waits),
      cmocka_unit_test(the_engine_kills_and_the_user_tries_again),
      cmocka_unit_test(a_run_can_be_cut),
      cmocka_unit_test(several_sources_can_be_cut),
      cmocka_unit_test(several_sources_are_told_apart),
      cmocka_unit_test(a_load_on_hosts_is_that_of_their_cores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
