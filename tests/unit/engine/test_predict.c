/* test_predict.c -- predicted run times in runs small enough to follow by hand: what is backfilled by them,
 * how they are corrected, what is learned when, and what they cannot be combined with. What predictors say
 * is tests/unit/policy/test_predictors.c; EASY++ of a whole log, job by job, tests/oracles. */
#include "engine_test.h"

#define LAST_TWO "predictor: last_two\nparanoid: true\n"

/* ---- corrections, as they are stored ---- */

typedef struct correction {
  int64_t serial, at, estimate; /* s */
} correction;

typedef struct corrections {
  correction rows[64];
  size_t count;
} corrections;

static hc_rc take_correction(void *ctx, const char *const *values)
{
  corrections *c = ctx;
  assert_true(c->count < COUNT(c->rows));
  c->rows[c->count++] = (correction){strtoll(values[0], NULL, 10), strtoll(values[1], NULL, 10) / HC_SECOND,
                                     strtoll(values[2], NULL, 10) / HC_SECOND};
  return 0;
}

static void read_corrections(bench *b, corrections *out)
{
  hc_result *r;
  out->count = 0;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "corrections", 3, take_correction, out, &b->error));
  hc_result_free(r);
}

static void assert_corrections(const char *yaml, bench *b, const correction *want, size_t count)
{
  corrections got;
  read_corrections(b, &got);
  for (size_t i = 0; i < got.count && i < count; i++)
    if (memcmp(&got.rows[i], &want[i], sizeof *want) != 0)
      fail_msg("%s: correction %zu is of serial %" PRId64 " at %" PRId64 " to %" PRId64, yaml, i,
               got.rows[i].serial, got.rows[i].at, got.rows[i].estimate);
  assert_int_equal(got.count, count);
}

/* ---- backfilling by predictions ---- */

/* Four processors. User 1 runs 10 s twice, and asks for 1000. Task 3 has three of the four until 200, task 4
 * wants all and is promised 200. Task 5 of user 1 is predicted 10 s: it may pass, while 1000 s would not let
 * it. Task 6, predicted the same, passes at 120 and runs for 90 s: it is believed to end at 130, from then on
 * at 120 + 70 = 190, and from then on at 120 + 310; it ends at 210, and task 4 starts then. */
static const job passing[] = {
    J(1, 0, 10, 1, 1000),
    J(2, 20, 10, 1, 1000),
    J_WITH(3, 100, 100, 3, 100, .user = 2),
    J_WITH(4, 101, 50, 4, 50, .user = 2),
    J(5, 102, 10, 1, 1000),
    J(6, 120, 90, 1, 1000),
};

static void test_backfills(void **state)
{
  static const int64_t estimates[] = {1000, 1000, 100, 50, 10, 10}; /* as they were when tasks came */
  bench b;
  (void)state;
  assert_starts("policy: easy\n", 4, passing, COUNT(passing), (int64_t[]){0, 20, 100, 200, 250, 250});
  assert_starts("policy: easy\npredictor: none\n", 4, passing, COUNT(passing),
                (int64_t[]){0, 20, 100, 200, 250, 250});
  for (uint64_t pieces = 0; pieces < 3;
       pieces++) { /* in one go, and saved after each instant, and each second */
    begin(&b, "policy: easy\n" LAST_TWO, 4, passing, COUNT(passing), NULL);
    if (pieces > 0) finish_in_pieces(&b, pieces);
    else finish(&b);
    for (size_t i = 0; i < COUNT(passing); i++) {
      static const int64_t starts[] = {0, 20, 100, 210, 102, 120};
      assert_int_equal(start_of(&b, passing[i].id), starts[i]);
      assert_int_equal(record_of(&b, passing[i].id)->estimate, estimates[i] * HC_SECOND);
      assert_int_equal(record_of(&b, passing[i].id)->final, HC_FINAL_COMPLETED);
    }
    assert_corrections("steps", &b, (correction[]){{5, 130, 70}, {5, 190, 310}}, 2);
    end(&b);
  }
}

/* How else the same task is corrected: to its limit at once; doubled, at 130, 140, 160 and 200; never. */
static void test_ways(void **state)
{
  static const struct {
    const char *way;
    correction rows[4];
    size_t count;
  } ways[] = {{"limit", {{5, 130, 1000}}, 1},
              {"double", {{5, 130, 20}, {5, 140, 40}, {5, 160, 80}, {5, 200, 160}}, 4},
              {"any_moment", {{0}}, 0}};
  (void)state;
  for (size_t i = 0; i < COUNT(ways); i++) {
    char yaml[128];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "policy: easy\ncorrection: %s\n" LAST_TWO, ways[i].way);
    begin(&b, yaml, 4, passing, COUNT(passing), NULL);
    finish(&b);
    assert_corrections(yaml, &b, ways[i].rows, ways[i].count);
    assert_int_equal(start_of(&b, 4), 210);
    end(&b);
  }
}

/* The whole ladder, on a task that runs for 200 h after two of 10 s: 1, 5, 15, 30 min, 1, 2, 5, 10, 20, 50,
 * 100 h more than 10 s, each when the one before is over, and then its limit of 300 h. Nothing comes of its
 * being there alone but the rows, and they are there also under policies that look at no time to come. */
static void test_ladder(void **state)
{
  static const char *const policies[] = {"policy: easy\n" LAST_TWO, "policy: blocking\n" LAST_TWO,
                                         "policy: scan\n" LAST_TWO};
  static const int64_t steps[] = {0, 60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000};
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 10, 1, 1000), J(3, 100, 720000, 1, 1080000)};
  correction want[12];
  bench b;
  (void)state;
  for (size_t i = 0; i < 12; i++)
    want[i] = (correction){2, 100 + 10 + steps[i], i < 11 ? 10 + steps[i + 1] : 1080000};
  for (size_t k = 0; k < COUNT(policies); k++) {
    begin(&b, policies[k], 1, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_corrections(policies[k], &b, want, 12);
    assert_int_equal(end_of(&b, 3), 720100);
    end(&b);
  }
}

/* ---- limits ---- */

/* A task of 10 s by prediction, that would run for 100, is killed at its limit of 50: that, not 70, is what
 * is believed past 10 s. Its user's next is predicted (10 + 50) / 2. */
static void test_limit_kills(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 10, 1, 1000), J(3, 100, 100, 1, 50),
                             J(4, 200, 5, 1, 1000), J(5, 300, 5, 1, 7)};
  bench b;
  (void)state;
  begin(&b, "policy: easy\n" LAST_TWO, 2, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(end_of(&b, 3), 150);
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_KILLED);
  assert_corrections("limit", &b, (correction[]){{2, 110, 50}}, 1);
  assert_int_equal(record_of(&b, 4)->estimate, 30 * HC_SECOND);
  assert_int_equal(record_of(&b, 5)->estimate, 7 * HC_SECOND); /* (50 + 5) / 2 is more than it asked for */
  end(&b);
}

/* Past its limit there is nothing left to correct: it is expected to end any moment, as it would be without
 * a predictor. */
static void test_runs_on(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 10, 1, 1000), J(3, 100, 200, 1, 50)};
  bench b;
  (void)state;
  begin(&b, "policy: easy\noverrun: run_on\n" LAST_TWO, 2, jobs, COUNT(jobs), NULL);
  finish_in_pieces(&b, 1);
  assert_int_equal(end_of(&b, 3), 300);
  assert_corrections("limit", &b, (correction[]){{2, 110, 50}}, 1);
  end(&b);
}

/* Its user took it away after 100 s, and it would have run on: until then it runs, not until its
 * prediction. */
static void test_taken_away(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 10, 1, 1000),
                             J_WITH(3, 100, -1, 1, 1000, .wait = 100)};
  bench b;
  (void)state;
  begin(&b, "policy: easy\ncancelled: withdraw\n" LAST_TWO, 2, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 3), 100);
  assert_int_equal(end_of(&b, 3), 200);
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_COMPLETED);
  end(&b);
}

/* ---- when it is learned ---- */

/* Task 3 comes as task 2 ends: what that ran is known to its prediction, or not, by which comes first. */
static void test_same_instant(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 20, 1, 1000), J(3, 20, 5, 1, 100)};
  static const struct {
    const char *yaml;
    int64_t estimate;
  } orders[] = {{"instant_order: ends_first\n", 15},
                {"instant_order: arrivals_first\n", 100},
                {"instant_order: arrivals_first\ndue_ends_first: true\nend_order: start\n", 100},
                {"instant_order: ends_first\ndue_ends_first: true\n", 15}};
  (void)state;
  for (size_t i = 0; i < COUNT(orders); i++) {
    char yaml[256];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "policy: easy\n%s" LAST_TWO, orders[i].yaml);
    begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_int_equal(record_of(&b, 3)->estimate, orders[i].estimate * HC_SECOND);
    end(&b);
  }
}

/* By program: two programs of one user, which the user's own history would mix. */
static void test_by_program(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J_WITH(2, 0, 300, 1, 1000, .executable = 2),
                             J(3, 400, 10, 1, 1000), J_WITH(4, 400, 300, 1, 1000, .executable = 2),
                             J_WITH(5, 400, 10, 1, 1000, .executable = 3)};
  bench b;
  (void)state;
  begin(&b, "policy: easy\npredictor: {use: quantile, by: [user_executable, user], q: 1, least: 1}\n", 4,
        jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 3)->estimate, 10 * HC_SECOND);
  assert_int_equal(record_of(&b, 4)->estimate, 300 * HC_SECOND);
  assert_int_equal(record_of(&b, 5)->estimate, 300 * HC_SECOND); /* a new program: the longest of the user */
  end(&b);
}

/* ---- hosts ---- */

/* On a host twice as fast tasks of 20 s take 10: 20 s of work are learned, and predicted; on that host the
 * third is believed to run for 10, and runs for 50. Steps are of work too: 20 + 60 s take 40 s. */
static void test_speed(void **state)
{
  static const job jobs[] = {J(1, 0, 20, 1, 1000), J(2, 0, 20, 1, 1000), J(3, 100, 100, 1, 1000)};
  bench b;
  (void)state;
  begin(&b, "policy: easy\ncell: {use: hosts, classes: [{name: c, count: 1, cpus: 4, speed: 2}]}\n" LAST_TWO,
        4, jobs, COUNT(jobs), NULL);
  finish_in_pieces(&b, 1);
  assert_int_equal(end_of(&b, 1), 10);
  assert_int_equal(record_of(&b, 3)->estimate, 10 * HC_SECOND);
  assert_int_equal(end_of(&b, 3), 150);
  assert_corrections("speed", &b, (correction[]){{2, 110, 40}, {2, 140, 160}}, 2);
  end(&b);
}

/* Its host goes away at 150, when 70 s are believed of it, and comes back at 160. It begins anew, believed to
 * run for 70 s: the ladder stands on that. */
static void test_requeued(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J(2, 0, 10, 1, 1000), J(3, 100, 100, 1, 1000)};
  bench b;
  (void)state;
  begin(&b,
        "policy: easy\ncell: {use: hosts, classes: [{name: c, count: 1, cpus: 4}]}\nhost_loss: requeue\n"
        "events: {use: list, changes: [{at: 150, hosts: c, change: down, until: 160}]}\n" LAST_TWO,
        4, jobs, COUNT(jobs), NULL);
  finish_in_pieces(&b, 1);
  assert_int_equal(start_of(&b, 3), 160);
  assert_int_equal(end_of(&b, 3), 260);
  assert_corrections("requeued", &b, (correction[]){{2, 110, 70}, {2, 230, 130}}, 2);
  end(&b);
}

/* ---- promises ---- */

/* Two processors. Task 3 of user 1 is predicted 10 s and runs for 50. Task 4 wants both and is promised 110,
 * when task 3 should have ended and task 5 has; then task 3 is believed to end at 170, and the promise with
 * it. So task 6 of 55 s may pass at 111, until 166, when task 4 starts: task 3 had ended at 150. */
static const job broken[] = {
    J(1, 0, 10, 1, 1000),
    J(2, 20, 10, 1, 1000),
    J(3, 100, 50, 1, 1000),
    J_WITH(4, 101, 20, 2, 20, .user = 2),
    J_WITH(5, 102, 8, 1, 8, .user = 3),
    J_WITH(6, 111, 55, 1, 55, .user = 3),
};

static void test_promises(void **state)
{
  static const char *const policies[] = {"easy", "conservative",
                                         "{select: {use: conservative, replan: compress}}",
                                         "{select: {use: easy, depth: 2}}"};
  static const char *const cells[] = {"", "cell: {use: hosts, classes: [{name: c, count: 1, cpus: 2}]}\n",
                                      "cell: {use: hosts, classes: [{name: c, count: 2, cpus: 1}]}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(policies); i++)
    for (size_t k = 0; k < COUNT(cells); k++) {
      char yaml[256];
      (void)snprintf(yaml, sizeof yaml, "policy: %s\n%s" LAST_TWO, policies[i], cells[k]);
      assert_starts(yaml, 2, broken, COUNT(broken), (int64_t[]){0, 20, 100, 166, 102, 111});
    }
  /* a plan that is kept when tasks end early: 170 */
  assert_starts("policy: {select: {use: conservative, replan: none}}\n" LAST_TWO, 2, broken, COUNT(broken),
                (int64_t[]){0, 20, 100, 170, 102, 111});
}

/* The same schedule, checked from its records: with its corrections it keeps EASY's promise; without them
 * task 6 would have delayed task 4, whose start is then believed to be any moment. */
static void test_verified(void **state)
{
  const hc_verify_request ask = {.promise = -1};
  hc_verify_corrections rows;
  hc_verify_report report;
  hc_result *r;
  bench b;
  (void)state;
  begin(&b, "policy: easy\n" LAST_TWO, 2, broken, COUNT(broken), NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_verify_result(b.allocator, r, &ask, NULL, NULL, &report, &b.error));
  assert_int_equal(report.promise, HC_PROMISE_EASY);
  assert_int_equal(hc_verify_corrections_read(b.allocator, r, &rows, &b.error), 1);
  assert_int_equal(rows.count, 1);
  hc_verify_options o = {
      .capacity = 2, .promise = HC_PROMISE_EASY, .honours_run = true, .corrections = &rows};
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), 0);
  o.corrections = NULL;
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), HC_EREFUTED);
  assert_int_equal(report.violations, 1);
  hc_verify_corrections_free(b.allocator, &rows);
  hc_result_free(r);
  end(&b);
}

/* ---- what is said, and refused ---- */

static hc_rc take_note(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "predictor_note") == 0) (void)snprintf(ctx, 512, "%s", values[1]);
  return 0;
}

static void test_note(void **state)
{
  char note[512] = "";
  hc_result *r;
  bench b;
  (void)state;
  begin(&b, "policy: easy\n" LAST_TWO, 4, passing, COUNT(passing), NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "hindcast", 2, take_note, note, &b.error));
  assert_string_equal(note, "2 of 6 run times were predicted (last_two), and corrected 2 times");
  hc_result_free(r);
  end(&b);
}

static void test_refused(void **state)
{
  static const char *const cases[][2] = {
      {"policy: easy\ncorrection: limit\n", "there is no `predictor`"},
      {"policy: easy\npredictor: last_two\nbelieve_waiting: run\noracle: true\n", "leave one of them out"},
      {"policy: easy\npredictor: {use: average, by: [user, all, user]}\n", "names a template twice"}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    assert_true(try_begin(&b, cases[i][0], 4, passing, COUNT(passing), NULL) < 0);
    if (!strstr(b.error.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], b.error.text);
    end(&b);
  }
}

/* ---- predictions that are renewed ---- */

#define RENEWED(yes) "predictor: {use: average, least: 1, renew: " yes "}\nparanoid: true\n"

static void assert_both(const char *yaml, int64_t procs, const job *jobs, size_t count, const int64_t *starts)
{
  for (uint64_t pieces = 0; pieces < 2; pieces++) {
    bench b;
    begin(&b, yaml, procs, jobs, count, NULL);
    if (pieces > 0) finish_in_pieces(&b, pieces);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, jobs[i].id) != starts[i])
        fail_msg("%s: task %" PRId64 " starts at %" PRId64 ", and not at %" PRId64, yaml, jobs[i].id,
                 start_of(&b, jobs[i].id), starts[i]);
    end(&b);
  }
}

/* Four processors. Task 1 of user 1 has three until 100, and was believed to until 1000; task 2 the fourth
 * until 200. Task 3 wants all, and is promised 200 from 100 on. Task 4 of user 1 came when nothing was
 * known of it: for 1000 s it may not pass, and starts at 250. Renewed it is believed to run for the 100 s
 * of task 1: it may, until 200. On hosts as on processors. */
static void test_renewed_backfills(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 3, 1000), J_WITH(2, 0, 200, 1, 200, .user = 2),
                             J_WITH(3, 1, 50, 4, 50, .user = 2), J(4, 2, 10, 1, 1000)};
  static const char *const cells[] = {"", "cell: {use: intervals, procs: 4}\n",
                                      "cell: {use: hosts, classes: [{name: h, count: 2, cpus: 2}]}\n"};
  static const char *const selects[] = {"easy", "conservative"};
  bench b;
  (void)state;
  for (size_t c = 0; c < COUNT(cells); c++)
    for (size_t s = 0; s < COUNT(selects); s++)
      for (int renew = 0; renew < 2; renew++) {
        char yaml[400];
        (void)snprintf(yaml, sizeof yaml, "%spolicy: %s\n%s", cells[c], selects[s],
                       renew ? RENEWED("true") : RENEWED("false"));
        assert_both(yaml, 4, jobs, 4, (int64_t[]){0, 0, 200, renew ? 100 : 250});
      }
  begin(&b, "policy: easy\n" RENEWED("true"), 4, jobs, 4, NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 4)->estimate, 100 * HC_SECOND); /* believed when it started */
  assert_int_equal(record_of(&b, 1)->estimate, 1000 * HC_SECOND);
  end(&b);
}

/* One processor, the shortest first. When task 1 is over task 2 asks for 400 s and task 3 for 300: renewed
 * task 2 is the shorter one. */
static void test_renewed_order(void **state)
{
  static const job jobs[] = {J(1, 0, 50, 1, 500), J(2, 1, 10, 1, 400), J_WITH(3, 2, 10, 1, 300, .user = 2)};
  static const char *const policies[] = {"sjf", "sjf+scan", "sjf+easy", "sjf+conservative",
                                         "{order: fcfs, select: {use: easy, candidates: sjf}}"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    char yaml[300];
    (void)snprintf(yaml, sizeof yaml, "policy: %s\n" RENEWED("false"), policies[i]);
    assert_both(yaml, 1, jobs, 3, (int64_t[]){0, 60, 50});
    (void)snprintf(yaml, sizeof yaml, "policy: %s\n" RENEWED("true"), policies[i]);
    assert_both(yaml, 1, jobs, 3, (int64_t[]){0, 50, 60});
  }
}

/* Two processors. Task 1 has one until 300, task 2 the other until 40; task 3 wants both and is promised
 * 300. Task 4 asks for 500 s and is promised 350; at 40 it is believed to run for 40. Plans that get
 * better take it forward; those that never do keep what was promised. */
static void test_renewed_promises(void **state)
{
  static const job jobs[] = {J_WITH(1, 0, 300, 1, 300, .user = 2), J(2, 0, 40, 1, 100),
                             J_WITH(3, 1, 50, 2, 50, .user = 2), J(4, 2, 10, 1, 500)};
  static const struct {
    const char *replan;
    int64_t start;
  } cases[] = {{"full", 40}, {"compress", 40}, {"none", 350}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char yaml[300];
    (void)snprintf(yaml, sizeof yaml, "policy: {select: {use: conservative, replan: %s}}\n" RENEWED("true"),
                   cases[i].replan);
    assert_both(yaml, 2, jobs, 4, (int64_t[]){0, 0, 300, cases[i].start});
    (void)snprintf(yaml, sizeof yaml, "policy: {select: {use: conservative, replan: %s}}\n" RENEWED("false"),
                   cases[i].replan);
    assert_both(yaml, 2, jobs, 4, (int64_t[]){0, 0, 300, 350});
  }
}

/* Two processors; task 1 ran for 10 s. Task 3 is believed to run as long, and is corrected to its limit at
 * 30: until 120. Task 4, believed to run for 10 s, is promised 120, and task 5, which wants both, 150,
 * when task 2 is over. At 120 task 4 is believed to run for (10 + 100) / 2 = 55 s: it keeps 120, and task
 * 5 what is left to it, 175. */
static void test_renewed_breaks(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 1000), J_WITH(2, 20, 130, 1, 130, .user = 2),
                             J(3, 20, 100, 1, 100), J(4, 40, 5, 1, 400), J_WITH(5, 41, 50, 2, 50, .user = 2)};
#define NEVER_BETTER "policy: {select: {use: conservative, replan: none}}\ncorrection: limit\n"
  (void)state;
  assert_both(NEVER_BETTER RENEWED("false"), 2, jobs, 5, (int64_t[]){0, 20, 20, 120, 150});
  assert_both(NEVER_BETTER RENEWED("true"), 2, jobs, 5, (int64_t[]){0, 20, 20, 120, 175});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_backfills),
      cmocka_unit_test(test_ways),
      cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_limit_kills),
      cmocka_unit_test(test_runs_on),
      cmocka_unit_test(test_taken_away),
      cmocka_unit_test(test_same_instant),
      cmocka_unit_test(test_by_program),
      cmocka_unit_test(test_speed),
      cmocka_unit_test(test_requeued),
      cmocka_unit_test(test_promises),
      cmocka_unit_test(test_verified),
      cmocka_unit_test(test_note),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_renewed_backfills),
      cmocka_unit_test(test_renewed_order),
      cmocka_unit_test(test_renewed_promises),
      cmocka_unit_test(test_renewed_breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
