/* test_scheduler_mold.c -- batch jobs that schedulers start with more slots than they ask for: closed forms
 * on an idle cell, jobs that meet worked by hand, work that no policy changes, hosts that go away, snapshots,
 * and who is refused. */
#include "starts_test.h"

#define SOURCE "source: {use: csv, file: FILE, id: id, submit: at, run: run, procs: procs, user: user}\n"
#define TITLES "id,at,run,procs,user\n"
#define REST "metrics: [tasks]\nparanoid: true\n"
#define CELL(count) "cell: {use: hosts, classes: [{count: " #count ", name_prefix: c, cpus: 4}]}\n"
/* One scheduler that thinks for a second. */
#define ONE(mold, activities) \
  SOURCE "policy: scan\n" REST CELL( \
      10) "architecture: {use: shared_state, schedulers: [{name: a, think_job: 1s, " \
          "think_task: 0, mold: " mold ", activities: \"" activities "\"}]}\n"

/* ---- closed forms ---- */

/* A job of 5 cores for 100 s, and ten hosts of four: it starts at 1 s and ends 500 / width s later, to the
 * ns. */
static void assert_width(const char *yaml, const char *tasks, int64_t width)
{
  bench b;
  hc_time run = 500 * HC_SECOND;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  run = run / width + (run % width > 0);
  assert_int_equal(record_of(&b, 1)->start, HC_SECOND);
  assert_int_equal(record_of(&b, 1)->end - HC_SECOND, run);
  assert_int_equal(record_of(&b, 1)->units, width * 1000); /* thousandths of cores */
  assert_true(figure(&b, "speed_up_mean_a") == (double)width / 5);
  assert_true(figure(&b, "speed_up_p80_a") == (double)width / 5);
  assert_true(figure(&b, "jobs_sped_up_share_a") == (width > 5));
  end(&b);
}

static void test_widths(void **state)
{
  static const char *const alone = TITLES "1,0,100,5,1\n";
  (void)state;
  assert_width(ONE("max_parallelism", "20"), alone, 20);
  assert_width(ONE("max_parallelism", "1e6"), alone, 40); /* all there is */
  assert_width(ONE("max_parallelism", "3 * slots"), alone, 15);
  assert_width(ONE("max_parallelism", "slots"), alone, 5);
  assert_width(ONE("max_parallelism", "-7"), alone, 5);
  assert_width(ONE("relative_job_size", "1e6"), alone, 20);
  assert_width(ONE("{use: relative_job_size, factor: 2.5}", "1e6"), alone, 12);
  assert_width(ONE("global_cap", "1e6"), alone, 24); /* 60 % of 40 */
  assert_width(ONE("{use: global_cap, cap: 0.1}", "1e6"), alone, 5);
  assert_width(ONE("configured", "1e6"), alone, 5);
  assert_width(SOURCE "policy: scan\n" REST CELL(
                   10) "architecture: {use: multi_path, schedulers: [{name: a, think_job: 1s, "
                       "think_task: 0, mold: max_parallelism, activities: \"1e6\"}]}\n",
               alone, 40);
  /* A fifth of the hosts are never its own. */
  assert_width(SOURCE "policy: scan\n" REST CELL(
                   10) "architecture: {use: shared_state, schedulers: [{name: a, think_job: 1s, think_task: "
                       "0, blacklist: 0.2, mold: max_parallelism, activities: \"1e6\"}]}\n",
               alone, 32);
}

/* ---- jobs that meet ---- */

/* Both see an idle cell at 0. A commits 40 cores at 1, for 12.5 s; B's wish of 40 is refused at 2. It comes
 * back at 3 with its own five, finds no room, and is done with that at 5; at 6, 9 and 12 it asks for more and
 * nothing is idle. At 15 all is, and at 17 it starts with 40. */
static void test_rivals(void **state)
{
#define RIVALS(mold) \
  SOURCE "policy: scan\n" REST CELL(10) "architecture: {use: shared_state, schedulers: [" \
                                        "{name: a, takes: user == 1, think_job: 1s, think_task: 0, " mold \
                                        "}, {name: b, think_job: 2s, think_task: 0, " mold "}]}\n"
  static const char *const tasks = TITLES "1,0,100,5,1\n2,0,100,5,2\n";
  bench b;
  (void)state;
  STARTS(RIVALS(""), tasks, 1, 5); /* first fit: both want the same places, and B wants others at 3 */
  STARTS(RIVALS("mold: relative_job_size, activities: 1e6"), tasks, 1, 5); /* the same */
  STARTS(RIVALS("mold: max_parallelism, activities: 1e6"), tasks, 1, 17);
  check(&b, try_text(&b, RIVALS("mold: max_parallelism, activities: 1e6"), tasks));
  finish(&b);
  assert_true(figure(&b, "conflicts_b") == 1);
  assert_true(figure(&b, "speed_up_mean_b") == 8);
  assert_int_equal(record_of(&b, 2)->end, 17 * HC_SECOND + 12500000000);
  end(&b);
}

/* A job of four cores has all eight of two hosts from 1 on. At 10 one of them goes: it begins anew at once,
 * with its own size, since there is room for no more, and starts at 11. */
static void test_host_loss(void **state)
{
#define LOSS(loss) \
  SOURCE "policy: scan\n" REST CELL( \
      2) "events: {use: list, changes: [{at: 10, hosts: c-1, change: down}]}\nhost_loss: " loss \
         "\narchitecture: {use: shared_state, schedulers: [{name: a, think_job: 1s, " \
         "think_task: 0, mold: max_parallelism, activities: 8}]}\n"
  bench b;
  (void)state;
  check(&b, try_text(&b, LOSS("requeue"), TITLES "1,0,100,4,1\n"));
  finish(&b);
  assert_int_equal(record_of(&b, 1)->start, 11 * HC_SECOND);
  assert_int_equal(record_of(&b, 1)->end, 111 * HC_SECOND); /* it had 41 s to go with eight */
  assert_int_equal(record_of(&b, 1)->units, 4000);
  end(&b);
}

/* ---- laws ---- */

static void write_crowd(char *out, size_t size)
{
  size_t n = (size_t)snprintf(out, size, TITLES);
  for (int i = 0; i < 60; i++) /* widths of 1 to 9, runs of 30 to 239 s, every 31 s */
    n += (size_t)snprintf(out + n, size - n, "%d,%d,%d,%d,%d\n", i + 1, 31 * i, 30 + 37 * i % 210,
                          1 + 5 * i % 9, i % 3);
  assert_true(n < size);
}

#define CROWD(mold) \
  SOURCE \
  "policy: {use: batch, select: scan, place: random}\nparanoid: true\nmetrics: [tasks, queue_load]\n" CELL( \
      10) "architecture: {use: shared_state, attempts_in_vain: 100000, attempts: 100000, schedulers: " \
          "[{name: a, takes: user == 1, " \
          "think_job: 3s, think_task: 0" mold "}, {name: b, think_job: 1s, think_task: 0" mold "}]}\n"

/* Core-seconds are those of the log, but for a run that is rounded up to a whole ns on each core. */
static void test_conservation(void **state)
{
  static const char *const runs[] = {CROWD(""), CROWD(", mold: configured, activities: 3 * slots"),
                                     CROWD(", mold: global_cap, activities: 3 * slots"),
                                     CROWD(", mold: relative_job_size, activities: 3 * slots"),
                                     CROWD(", mold: max_parallelism, activities: 1e6")};
  static char tasks[8192];
  int64_t want = 0;
  (void)state;
  write_crowd(tasks, sizeof tasks);
  for (int i = 0; i < 60; i++) want += (30 + 37 * i % 210) * (int64_t)(1 + 5 * i % 9) * HC_SECOND;
  for (size_t k = 0; k < COUNT(runs); k++) {
    int64_t got = 0, wide = 0;
    bench b;
    check(&b, try_text(&b, runs[k], tasks));
    finish(&b);
    assert_int_equal(b.count, 60);
    for (int i = 0; i < 60; i++) {
      const hc_task_record *r = record_of(&b, i + 1);
      assert_int_equal(r->final, HC_FINAL_COMPLETED);
      got += (r->end - r->start) * (r->units / 1000);
      wide += r->units / 1000 > 1 + 5 * i % 9;
    }
    if (got < want || got > want + 60 * 40) fail_msg("%zu: %" PRId64 " core-ns, not %" PRId64, k, got, want);
    assert_true(k < 2 ? wide == 0 : wide > 10);
    end(&b);
  }
}

/* To the last bit the same with `configured` as without, and from a snapshot as in one go. */
static void digest(bench *b, const char *yaml, const char *tasks, uint64_t events, char *out)
{
  hc_snapshot s;
  check(b, try_text(b, yaml, tasks));
  if (events > 0) {
    assert_int_equal(hc_run_advance(b->run, HC_NEVER, events, &b->error), 1);
    check(b, hc_run_snapshot(b->run, &s, &b->error));
    hc_run_free(b->run);
    check(b, hc_run_restore(b->allocator, b->config, b->store, &s, &b->run, &b->error));
    hc_snapshot_free(b->allocator, &s);
  }
  check(b, hc_run_advance(b->run, HC_NEVER, 0, &b->error));
  check(b, hc_run_digest(b->run, out, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
  read_records(b);
}

static void test_nothing(void **state)
{
  static char tasks[8192];
  bench a, b;
  char x[33], y[33];
  (void)state;
  write_crowd(tasks, sizeof tasks);
  digest(&a, CROWD(""), tasks, 0, x);
  digest(&b, CROWD(", mold: configured, activities: 9 * slots"), tasks, 0, y);
  for (int i = 1; i <= 60; i++) {
    assert_int_equal(record_of(&a, i)->start, record_of(&b, i)->start);
    assert_int_equal(record_of(&a, i)->end, record_of(&b, i)->end);
  }
  end(&a);
  end(&b);
}

static void test_snapshots(void **state)
{
  static char tasks[8192];
  char x[33], y[33];
  bench a;
  (void)state;
  write_crowd(tasks, sizeof tasks);
  digest(&a, CROWD(", mold: max_parallelism, activities: 1e6"), tasks, 0, x);
  end(&a);
  for (uint64_t events = 5; events < 200; events += 13) {
    bench b;
    digest(&b, CROWD(", mold: max_parallelism, activities: 1e6"), tasks, events, y);
    assert_string_equal(x, y);
    end(&b);
  }
}

/* ---- who is refused ---- */

static void refused(const char *yaml, const char *why)
{
  bench b;
  assert_true(try_text(&b, yaml, TITLES "1,0,5,1,1\n") < 0);
  if (!strstr(b.error.text, why))
    fail_msg("%s\nis refused by\n%s\nwhich does not say: %s", yaml, b.error.text, why);
  end(&b);
}

static void test_refused(void **state)
{
#define UNDER(cell, policy, architecture) \
  SOURCE policy "\n" cell "architecture: {use: " architecture \
                ", schedulers: [{name: a, mold: max_parallelism, activities: \"4 * slots\"}]}\n"
  (void)state;
  refused(UNDER("cell: {use: count, procs: 8}\n", "policy: scan", "shared_state"), "this cell has none");
  refused(UNDER(CELL(2), "policy: easy", "shared_state"), "reservations");
  refused(UNDER(CELL(2), "policy: scan", "two_level"), "does not see the cell");
  refused(UNDER(CELL(2), "policy: scan", "partitions"), "hosts of its own alone");
  refused(UNDER(CELL(2), "policy: fcfs", "parsync"), "several times");
  refused(SOURCE "policy: scan\n" CELL(
              2) "architecture: {use: shared_state, schedulers: [{name: a, mold: configured}]}\n",
          "how many slots are of use");
  refused(
      SOURCE "policy: scan\n" CELL(
          2) "architecture: {use: shared_state, schedulers: [{name: a, mold: configured, activities: \"4 * "
             "slot\"}]}\n",
      "slot");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_widths),    cmocka_unit_test(test_rivals),
                                     cmocka_unit_test(test_host_loss), cmocka_unit_test(test_conservation),
                                     cmocka_unit_test(test_nothing),   cmocka_unit_test(test_snapshots),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
