/* test_run.c -- what a run does with instants, limits, sources and its end. Times are seconds. Policies of
 * the tests' own are in test_plan.c. */
#include "engine_test.h"

#include "engine/state.h"

/* ---- instants ---- */

/* All four processors in turn, at 10, in rounds of one instant; the next after them at 10 too. A second
 * each: 10, 11, 12. Dropped: two rows fewer. */
static void test_tasks_of_no_length(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 5, 0, 4, 1), J(3, 5, 0, 4, 1), J(4, 5, 10, 4, 10)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  for (int64_t id = 2; id <= 4; id++) assert_int_equal(start_of(&b, id), 10);
  assert_int_equal(end_of(&b, 2), 10);
  assert_int_equal(end_of(&b, 4), 20);
  end(&b);
  begin(&b, "policy: fcfs\nzero_length: second\n", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 3), 11);
  assert_int_equal(start_of(&b, 4), 12);
  end(&b);
  begin(&b, "policy: fcfs\nzero_length: drop\n", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(b.count, 2);
  assert_int_equal(counted(&b, "rows", "zero_length"), 2);
  end(&b);
}

/* At 10 task 1 ends and task 3, the shorter, arrives. Decided once, after both: 3 goes first. Decided
 * after each event, it depends on which comes first: after the end alone there is only task 2. */
static void test_end_and_arrival_at_once(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 5, 4, 5), J(3, 10, 1, 4, 1)};
  static const int64_t late[] = {0, 11, 10}, early[] = {0, 10, 15};
#define EACH "policy: {order: sjf, select: blocking}\narchitecture: {use: monolithic, call: per_event}\n"
#define ONCE "policy: {order: sjf, select: blocking}\n"
  (void)state;
  assert_starts(ONCE "instant_order: ends_first\n", 4, jobs, 3, late);
  assert_starts(ONCE "instant_order: arrivals_first\n", 4, jobs, 3, late);
  assert_starts(EACH "instant_order: ends_first\n", 4, jobs, 3, early);
  assert_starts(EACH "instant_order: arrivals_first\n", 4, jobs, 3, late);
}

/* Two tasks arrive at 0 and only one fits. Seen together sjf takes the short one; one by one, the first
 * has started. */
static void test_per_event_sees_less(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 0, 1, 4, 1)};
  static const int64_t together[] = {1, 0}, apart[] = {0, 10};
  (void)state;
  assert_starts(ONCE, 4, jobs, 2, together);
  assert_starts(EACH, 4, jobs, 2, apart);
}

/* ---- the clock and the thought ---- */

/* Ticks at whole multiples of 30: a task that arrives at a tick is seen by it. Between 100 and 10^7 no task
 * waits, and the clock stands: five decisions in all, and as many instants as events. */
static void test_period(void **state)
{
  static const job jobs[] = {J(1, 0, 1, 1, 1), J(2, 5, 1, 1, 1), J(3, 60, 1, 1, 1), J(4, 61, 1, 1, 1),
                             J(5, 10000001, 1, 1, 1)};
  hc_progress p;
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\narchitecture: {use: monolithic, call: period, period: 30s}\n", 4, jobs,
        COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 30);
  assert_int_equal(start_of(&b, 3), 60);
  assert_int_equal(start_of(&b, 4), 90);
  assert_int_equal(start_of(&b, 5), 10000020);
  hc_run_progress(b.run, &p);
  assert_int_equal(p.decisions, 5);
  assert_true(p.instants <= 14); /* 5 arrivals, 5 ends, 5 ticks, two of them together with an arrival */
  end(&b);
}

/* Whether anything else has kept the clock going or not, task 3 is seen by the tick at its arrival. Task 2
 * waits for the whole machine, until the tick after 70. */
static void test_period_is_the_same_for_all(void **state)
{
  static const job alone[] = {J(3, 60, 1, 1, 1)};
  static const job behind[] = {J(1, 0, 70, 3, 70), J(2, 10, 1, 4, 1), J(3, 60, 1, 1, 1)};
  static const int64_t at[] = {60}, then[] = {0, 90, 60};
#define CLOCK "policy: scan\narchitecture: {use: monolithic, call: period, period: 30s}\n"
  (void)state;
  assert_starts(CLOCK, 4, alone, 1, at);
  assert_starts(CLOCK, 4, behind, 3, then);
}

/* A host is gone for good, and task 2 wants both. After the end of task 1 nothing but the clock is left: the
 * run ends with its millionth tick since then, at 40 + 10 x 999,999 s, and not 292 years from now. */
static void test_period_in_vain(void **state)
{
  static const job jobs[] = {J(1, 0, 31, 1, 31), J(2, 10, 10, 2, 10)};
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    hc_progress p;
    bench b;
    begin(&b,
          "cell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 1}]}\npolicy: scan\n"
          "events: {use: list, changes: [{at: 5, hosts: '1', change: down}]}\n"
          "architecture: {use: monolithic, call: period, period: 10s}\n",
          2, jobs, 2, NULL);
    if (pieces) {
      assert_int_equal(hc_run_advance(b.run, 5000000 * HC_SECOND, 0, &b.error), 1);
      hc_snapshot s;
      hc_run *rest;
      hc_store *store;
      check(&b, hc_run_snapshot(b.run, &s, &b.error));
      check(&b, hc_store_new(b.allocator, NULL, &store, &b.error));
      check(&b, hc_run_restore(b.allocator, b.config, store, &s, &rest, &b.error));
      assert_int_equal(hc_run_advance(rest, HC_NEVER, 0, &b.error), 0);
      hc_run_progress(rest, &p);
      hc_run_free(rest);
      hc_store_free(store);
      hc_snapshot_free(b.allocator, &s);
    } else {
      assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
      hc_run_progress(b.run, &p);
    }
    assert_int_equal(p.waiting, 1);
    assert_int_equal(p.now / HC_SECOND, 40 + 10 * INT64_C(999999));
    end(&b);
  }
}

/* It is decided on task 1 at 0 and carried out at 5. Task 2 arrives meanwhile: decided on at 5, and again
 * when 1 ends at 105: a thought that starts nothing is not thought again while nothing happens. */
static void test_think(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 4, 100), J(2, 1, 10, 4, 10)};
  hc_progress p;
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\narchitecture: {use: monolithic, think: 5s}\n", 4, jobs, 2, NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 5);
  assert_int_equal(start_of(&b, 2), 110);
  hc_run_progress(b.run, &p);
  assert_int_equal(p.decisions, 3);
  end(&b);
}

/* Task 1 leaves the queue at 3, while it is decided that it starts: one conflict, told, and no error. */
static void test_think_meets_a_conflict(void **state)
{
  static const job jobs[] = {J_WITH(1, 0, -1, 4, 0, .wait = 3), J(2, 1, 10, 4, 10)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\ncancelled: withdraw\narchitecture: {use: monolithic, think: 5s}\n", 4, jobs, 2,
        NULL);
  finish(&b);
  assert_int_equal(b.run->engine.counters.conflicts, 1);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_WITHDRAWN);
  assert_int_equal(start_of(&b, 2), 10);
  end(&b);
}

/* A wish to be woken that the thought outlasts: conservative wants to be called at 12, and its plan is
 * carried out at 16. */
static void test_think_past_a_wake(void **state)
{
  static const job jobs[] = {J(1, 0, 4, 4, 4), J(2, 1, 3, 4, 3), J(3, 2, 3, 4, 3)};
  bench b;
  (void)state;
  begin(&b, "policy: conservative\narchitecture: {use: monolithic, think: 8s}\n", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  for (int64_t id = 1; id <= 3; id++) assert_int_equal(record_of(&b, id)->final, HC_FINAL_COMPLETED);
  end(&b);
}

/* ---- limits ---- */

static void overrun(const char *choice, int64_t second, int64_t final, int64_t estimate)
{
  static const job jobs[] = {J(1, 0, 20, 4, 10), J(2, 1, 5, 4, 5)};
  char yaml[64];
  bench b;
  (void)snprintf(yaml, sizeof yaml, "policy: easy\noverrun: %s\n", choice);
  begin(&b, yaml, 4, jobs, 2, NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 2), second);
  assert_int_equal(end_of(&b, 1), second);
  assert_int_equal(record_of(&b, 1)->final, final);
  assert_int_equal(record_of(&b, 1)->estimate, estimate * HC_SECOND);
  end(&b);
}

static void test_overrun(void **state)
{
  (void)state;
  overrun("kill", 10, HC_FINAL_KILLED, 10);
  overrun("run_on", 20, HC_FINAL_COMPLETED, 10);
  overrun("extend", 20, HC_FINAL_COMPLETED, 20);
  overrun("kill_planned_long", 10, HC_FINAL_KILLED, 20);
}

/* Past its limit at 10, task 1 is believed to end in one second, whenever that is asked. At 15 task 3 (1
 * s) ends by that and passes; at 16 it is the same for 4 (1 s) and not for 5 (2 s). */
static void test_run_on_is_any_moment_now(void **state)
{
  static const job jobs[] = {J(1, 0, 30, 3, 10), J(2, 1, 5, 4, 5), J(3, 15, 1, 1, 1), J(4, 16, 1, 1, 1),
                             J(5, 17, 2, 1, 2)};
  static const int64_t starts[] = {0, 30, 15, 16, 35};
  (void)state;
  assert_starts("policy: easy\noverrun: run_on\n", 4, jobs, COUNT(jobs), starts);
}

/* ---- withdrawal ---- */

/* Task 2 blocks 3 until it leaves at 6. Skipped, it never was. */
static void test_withdraw(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J_WITH(2, 1, -1, 2, 0, .wait = 5), J(3, 2, 5, 1, 5)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\ncancelled: withdraw\n", 4, jobs, 3, NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_WITHDRAWN);
  assert_int_equal(end_of(&b, 2), 6);
  assert_int_equal(start_of(&b, 3), 6);
  assert_int_equal(counted(&b, "finals", "withdrawn"), 1);
  end(&b);
  begin(&b, "policy: fcfs\n", 4, jobs, 3, NULL);
  finish(&b);
  assert_int_equal(counted(&b, "rows", "never_ran"), 1);
  assert_int_equal(start_of(&b, 3), 2);
  end(&b);
}

/* On an empty machine the task starts before its user takes it away, at 6: it runs until then, and what
 * follows it can start. With a limit of 2 it ends at 3. */
static void test_withdrawn_too_late(void **state)
{
  static const job jobs[] = {J_WITH(1, 1, -1, 4, 0, .wait = 5), J(2, 2, 5, 4, 5)};
  static const job limited[] = {J_WITH(1, 1, -1, 4, 2, .wait = 5), J(2, 2, 5, 4, 5)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\ncancelled: withdraw\n", 4, jobs, 2, NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 1);
  assert_int_equal(end_of(&b, 1), 6);
  assert_int_equal(start_of(&b, 2), 6);
  end(&b);
  begin(&b, "policy: fcfs\ncancelled: withdraw\n", 4, limited, 2, NULL);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 3);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  end(&b);
}

/* ---- the end ---- */

static void assert_ledgers_balance(bench *b)
{
  int64_t finals = 0, rows = counted(b, "rows", "used") + counted(b, "rows", "merged");
  for (int f = 0; f < HC_FINAL_COUNT; f++) finals += counted(b, "finals", hc_final_name((hc_final)f));
  for (int r = 0; r < HC_REASON_COUNT; r++) rows += counted(b, "rows", hc_reason_name((hc_reason)r));
  assert_int_equal(finals, b->run->engine.counters.submitted);
  assert_int_equal(rows, counted(b, "rows", "read"));
}

/* At 12 task 1 has ended, 2 runs, 3 waits; 4 has not arrived, and has no state. Times at which nothing
 * happened are not known. Time ends at 12, the bound included. */
static void test_until(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 4, 10), J(3, 12, 10, 4, 10), J(4, 50, 1, 1, 1)};
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\nuntil: 12s\n", 4, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(b.count, 3);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_COMPLETED);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_RUNNING);
  assert_int_equal(record_of(&b, 2)->end, HC_UNKNOWN);
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_WAITING);
  assert_int_equal(record_of(&b, 3)->start, HC_UNKNOWN);
  end(&b);
  /* ended by hand at 11, when nothing has happened since 10: task 3 has not come */
  begin(&b, "policy: fcfs\n", 4, jobs, COUNT(jobs), NULL);
  assert_int_equal(hc_run_advance(b.run, 11 * HC_SECOND, 0, &b.error), 1);
  check(&b, hc_run_stop(b.run, 11 * HC_SECOND, &b.error));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
  finish(&b);
  assert_int_equal(b.count, 2);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_RUNNING);
  assert_int_equal(b.run->engine.options->until, 11 * HC_SECOND);
  end(&b);
  /* what has happened stays: a time before it is that time; and one after `until` is `until` */
  begin(&b, "policy: fcfs\nuntil: 12s\n", 4, jobs, COUNT(jobs), NULL);
  check(&b, hc_run_stop(b.run, 20 * HC_SECOND, &b.error));
  assert_int_equal(b.run->engine.options->until, 12 * HC_SECOND);
  assert_int_equal(hc_run_advance(b.run, 10 * HC_SECOND, 0, &b.error), 1);
  check(&b, hc_run_stop(b.run, 0, &b.error));
  assert_int_equal(b.run->engine.options->until, 10 * HC_SECOND);
  finish(&b);
  end(&b);
}

static void test_ledgers(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 5),
                             J(2, 1, 10, 9, 10),
                             J_WITH(3, 2, -1, 1, 0, .wait = 1),
                             J_WITH(4, 3, 5, 1, 5, .status = 2),
                             J_WITH(4, 3, 5, 1, 5, .status = 1),
                             J(5, 4, 0, 1, 5)};
  static const char *const yaml[] = {"policy: easy\n",
                                     "policy: easy\ncancelled: withdraw\nzero_length: drop\n",
                                     "policy: easy\ntoo_large: clamp\ntransforms: {use: first, count: 2}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) {
    bench b;
    begin(&b, yaml[i], 4, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_ledgers_balance(&b);
    assert_int_equal(b.count, b.run->engine.counters.submitted);
    end(&b);
  }
}

/* ---- sources ---- */

/* Two files, merged by time of submission; at one time the first source goes first. Numbers of tasks
 * repeat, and those of the second file count from 10^12. */
static void test_sources_are_merged(void **state)
{
  static const job first[] = {J(1, 0, 10, 4, 10), J(2, 5, 10, 4, 10)};
  static const job second[] = {J(1, 5, 10, 4, 10), J(2, 2, 10, 4, 10)};
  static const struct {
    int64_t id, submit, start;
  } expected[] = {{1, 0, 0}, {1000000000002, 2, 10}, {2, 5, 20}, {1000000000001, 5, 30}};
  char other[64], yaml[256];
  bench b;
  (void)state;
  write_jobs(other, 4, second, 2);
  (void)snprintf(yaml, sizeof yaml, "source: [{use: swf, file: FILE}, {use: swf, file: %s}]\npolicy: fcfs\n",
                 other);
  begin(&b, yaml, 4, first, 2, NULL);
  finish(&b);
  assert_int_equal(b.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(b.records[i].serial, i);
    assert_int_equal(b.records[i].id, expected[i].id);
    assert_int_equal(b.records[i].submit, expected[i].submit * HC_SECOND);
    assert_int_equal(b.records[i].start, expected[i].start * HC_SECOND);
  }
  end(&b);
  (void)unlink(other);
}

/* Task 2 waits until 20 and ends at 30; its user thinks for 7 s, then submits 3 at 37, not at 15 as in the
 * log. Task 4 follows 3 at 42 + 1. */
static const job chain[] = {J(1, 0, 20, 4, 20), J(2, 1, 10, 4, 10),
                            J_WITH(3, 15, 5, 4, 5, .after = 2, .think = 7),
                            J_WITH(4, 25, 5, 4, 5, .after = 3, .think = 1), J(5, 90, 1, 1, 1)};
#define LOOP "source: {use: swf, file: FILE, follow: think_time}\npolicy: easy\n"

static void test_closed_loop(void **state)
{
  bench b;
  (void)state;
  begin(&b, LOOP, 4, chain, COUNT(chain), NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 3)->submit, 37 * HC_SECOND);
  assert_int_equal(start_of(&b, 3), 37);
  assert_int_equal(record_of(&b, 4)->submit, 43 * HC_SECOND);
  assert_int_equal(start_of(&b, 5), 90);
  assert_ledgers_balance(&b);
  end(&b);
}

/* Cut after every instant: the loop's tasks that are held come back with the snapshot. */
static void test_closed_loop_cut_and_resumed(void **state)
{
  bench b;
  hc_rc rc;
  (void)state;
  begin(&b, LOOP, 4, chain, COUNT(chain), NULL);
  while ((rc = hc_run_advance(b.run, HC_NEVER, 1, &b.error)) == 1) {
    hc_store *store;
    hc_run *next;
    check(&b, hc_store_new(b.allocator, NULL, &store, &b.error));
    check(&b, hc_run_fork(b.run, b.config, store, &next, &b.error));
    hc_run_free(b.run);
    hc_store_free(b.store);
    b.run = next;
    b.store = store;
  }
  check(&b, rc);
  finish(&b);
  assert_int_equal(b.count, COUNT(chain));
  assert_int_equal(record_of(&b, 3)->submit, 37 * HC_SECOND);
  assert_int_equal(record_of(&b, 4)->submit, 43 * HC_SECOND);
  end(&b);
}

/* ---- what is stored ---- */

typedef struct rows {
  int count;
  char text[512];
  const char *file; /* which each row has to name */
} rows;

static hc_rc collect(void *ctx, const char *const *values)
{
  rows *r = ctx;
  size_t n = strlen(r->text);
  r->count++;
  assert_string_equal(values[0], r->file);
  (void)snprintf(r->text + n, sizeof r->text - n, "%s %s;", values[1], values[2]);
  return 0;
}

static void test_rejected_rows(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 9, 10), J_WITH(2, 1, -1, 1, 0, .wait = 1), J(3, 2, 10, 4, 10)};
  char side[64], partial[80], yaml[128], line[256];
  rows found = {0};
  hc_result *r;
  FILE *f;
  bench b;
  (void)state;
  write_log(side, "", 0);
  (void)unlink(side);
  (void)snprintf(partial, sizeof partial, "%s.partial", side);
  (void)snprintf(yaml, sizeof yaml, "policy: fcfs\nrejected: %s\n", side);
  begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
  assert_int_equal(access(side, F_OK), -1); /* not under its name before the end */
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  found.file = b.path;
  check(&b, hc_result_rows(r, "rejected", 4, collect, &found, &b.error));
  hc_result_free(r);
  assert_string_equal(found.text, "2 too_large;3 never_ran;"); /* line 1 is the header */
  f = fopen(side, "r");
  assert_non_null(f);
  assert_non_null(fgets(line, sizeof line, f));
  assert_string_equal(line, "file\tline\treason\ttext\n");
  assert_non_null(fgets(line, sizeof line, f));
  assert_int_equal(strncmp(line, b.path, strlen(b.path)), 0);
  assert_int_equal(strncmp(line + strlen(b.path), "\t2\ttoo_large\t", 13), 0);
  (void)fclose(f);
  assert_int_equal(access(partial, F_OK), -1);
  end(&b);
  (void)unlink(side);
}

/* What a run that is given up leaves behind: nothing. */
static void test_cancelled_run_leaves_no_file(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 9, 10), J(2, 2, 10, 4, 10), J(3, 3, 10, 4, 10)};
  char side[64], stored[64], partial[80], yaml[128];
  bench b;
  (void)state;
  write_log(side, "", 0);
  write_log(stored, "", 0);
  (void)unlink(side);
  (void)unlink(stored);
  (void)snprintf(partial, sizeof partial, "%s.partial", side);
  (void)snprintf(yaml, sizeof yaml, "policy: fcfs\nrejected: %s\n", side);
  begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
  hc_run_free(b.run);
  hc_store_free(b.store);
  check(&b, hc_store_new(b.allocator, stored, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 1, &b.error), 1);
  hc_run_cancel(b.run);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ECANCELLED);
  assert_int_equal(hc_run_finish(b.run, &b.error), HC_ECANCELLED); /* there is no half of a result */
  end(&b);
  assert_int_equal(access(side, F_OK), -1);
  assert_int_equal(access(partial, F_OK), -1);
  assert_int_equal(access(stored, F_OK), -1);
}

/* Waits are 0, 9, 18: 9 in the mean, and 13.5 without the first to end. Both are stored. */
static void test_trimmed_scope(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 4, 10), J(3, 2, 10, 4, 10)};
  hc_result *r;
  bench b;
  (void)state;
  begin(&b, "policy: fcfs\nmetrics: [wait, tasks]\ntrim: {use: ids, first: 1}\n", 4, jobs, 3, NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "all", "wait_mean") == 9);
  assert_true(hc_result_figure(r, "trimmed", "wait_mean") == 13.5);
  assert_true(hc_result_figure(r, "trimmed", "tasks") == 2);
  hc_result_free(r);
  end(&b);
}

/* Totals do not depend on which rows are kept; a trimmed summary needs them all. */
static void test_task_rows(void **state)
{
  job jobs[600];
  static const char *const yaml[] = {"policy: fcfs\nmetrics: tasks\ntask_rows: none\n",
                                     "policy: fcfs\nmetrics: tasks\ntask_rows: sample\nsample: 10\n"};
  bench b;
  (void)state;
  for (int64_t i = 0; i < 600; i++) jobs[i] = (job)J(i + 1, i, 1, 1, 1);
  for (size_t i = 0; i < COUNT(yaml); i++) {
    hc_result *r;
    begin(&b, yaml[i], 4, jobs, COUNT(jobs), NULL);
    finish(&b);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    assert_true(hc_result_figure(r, "all", "tasks_completed") == 600);
    hc_result_free(r);
    if (i == 0) assert_int_equal(b.count, 0);
    else assert_in_range(b.count, 30, 90); /* 600 draws of 1 in 10: 60, and four deviations of 7.3 */
    end(&b);
  }
  begin(&b, "policy: fcfs\ntask_rows: none\ntrim: full\n", 4, jobs, 3, NULL);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
  assert_int_equal(hc_run_finish(b.run, &b.error), HC_EUNSUPPORTED);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tasks_of_no_length),
      cmocka_unit_test(test_end_and_arrival_at_once),
      cmocka_unit_test(test_per_event_sees_less),
      cmocka_unit_test(test_period),
      cmocka_unit_test(test_period_is_the_same_for_all),
      cmocka_unit_test(test_think),
      cmocka_unit_test(test_think_meets_a_conflict),
      cmocka_unit_test(test_think_past_a_wake),
      cmocka_unit_test(test_overrun),
      cmocka_unit_test(test_run_on_is_any_moment_now),
      cmocka_unit_test(test_withdraw),
      cmocka_unit_test(test_withdrawn_too_late),
      cmocka_unit_test(test_until),
      cmocka_unit_test(test_ledgers),
      cmocka_unit_test(test_sources_are_merged),
      cmocka_unit_test(test_closed_loop),
      cmocka_unit_test(test_closed_loop_cut_and_resumed),
      cmocka_unit_test(test_period_in_vain),
      cmocka_unit_test(test_rejected_rows),
      cmocka_unit_test(test_cancelled_run_leaves_no_file),
      cmocka_unit_test(test_trimmed_scope),
      cmocka_unit_test(test_task_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
