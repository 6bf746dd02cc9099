/* test_think_agrees.c -- what is thought about comes to the same on hosts and on counted processors.
 *
 * A plan that is carried out later finds another timeline than the one it was made on. Where only amounts
 * matter there are two implementations of that timeline that share nothing: levels of a count, and what is
 * claimed on each host. So random workloads must start at the same times on
 *
 *   N counted processors, and one host of N cores         tasks of any size
 *   N counted processors, and N hosts of one core each    tasks of one processor
 *
 * for thoughts that take no time, less than a task and more than most, in one go and in pieces. The
 * first holds under each selector that promises, but for EASY with `depth` beyond its head: on hosts
 * these promises are times without an end. The second holds for EASY alone, whose promise names no host:
 * plans that do can be cut up by the hosts that they name, with a thought or without. Two cases by hand
 * say what is right: a promise for which there is no room any more is none, and its task is planned
 * again before those behind it. A failure prints the seed and the configuration.
 */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "engine/state.h"
#include "engine/tasks.h"
#include "hindcast/run.h"
#include "sample.h"

enum { TASKS = 40, SEEDS = 8 };

static const char *const selects[] = {"easy",
                                      "{use: easy, extra: false}",
                                      "{use: easy, ahead: true}",
                                      "conservative",
                                      "{use: conservative, replan: always}",
                                      "{use: conservative, replan: compress}",
                                      "{use: conservative, replan: none}",
                                      "slack",
                                      "{use: slack, factor: 0, depth: 5}"};
static const char *const orders[] = {"fcfs", "sjf", "largest"};
static const char *const overruns[] = {"kill", "run_on", "extend"};
static const int thoughts[] = {0, 1, 6, 31};

/* ---- workloads ---- */

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

/* @param widest processors of a task at most */
static void make_jobs(job *jobs, hc_draws *d, int64_t procs, int64_t widest)
{
  const int64_t pause = 1 + below(d, widest == 1 ? 12 / procs + 1 : 14), length = 2 + below(d, 40);
  const bool exact = below(d, 2) == 0;
  int64_t submit = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    const int64_t run = 1 + below(d, length), limit = exact ? run : 1 + below(d, run + 20);
    submit += below(d, 3) ? below(d, pause) : 0;
    jobs[i] = (job)J(i + 1, submit, run, 1 + below(d, below(d, 3) ? (widest + 1) / 2 : widest), limit);
  }
}

/* ---- two cells ---- */

static void run_on(bench *b, const char *cell, const char *yaml, const job *jobs, int64_t procs,
                   uint64_t pieces)
{
  char text[640];
  (void)snprintf(text, sizeof text, "cell: %s\n%s", cell, yaml);
  begin(b, text, procs, jobs, TASKS, NULL);
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

static void assert_same(const job *jobs, int64_t procs, const char *hosts, const char *yaml, uint64_t seed)
{
  static bench one, two; /* too large for a stack */
  char counted[64];
  (void)snprintf(counted, sizeof counted, "{use: count, procs: %" PRId64 "}", procs);
  run_on(&one, counted, yaml, jobs, procs, 0);
  run_on(&two, hosts, yaml, jobs, procs, seed % 3 == 0 ? 7 : 0);
  for (int64_t id = 1; id <= TASKS; id++)
    if (start_of(&one, id) != start_of(&two, id))
      fail_msg("seed %" PRIu64 ": task %" PRId64 " starts at %" PRId64
               " on counted processors, and at %" PRId64 " on %s\n%s",
               seed, id, start_of(&one, id), start_of(&two, id), hosts, yaml);
  end(&one);
  end(&two);
}

/* The first selectors with every thought; orders and what an overrun does are drawn. */
static void compare(bool is_wide, size_t count)
{
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 1); seed++)
    for (size_t s = 0; s < count; s++)
      for (size_t t = 0; t < COUNT(thoughts); t++) {
        hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = s * COUNT(thoughts) + t};
        const int64_t procs = 2 + below(&d, 7);
        char yaml[384], hosts[96];
        job jobs[TASKS];
        make_jobs(jobs, &d, procs, is_wide ? procs : 1);
        (void)snprintf(hosts, sizeof hosts,
                       "{use: hosts, classes: [{name: h, count: %" PRId64 ", cpus: %" PRId64 "}]}",
                       is_wide ? 1 : procs, is_wide ? procs : 1);
        (void)snprintf(yaml, sizeof yaml,
                       "policy: {order: %s, select: %s}\narchitecture: {use: monolithic, think: %ds}\n"
                       "overrun: %s\nparanoid: true\n",
                       orders[below(&d, COUNT(orders))], selects[s], thoughts[t],
                       overruns[below(&d, COUNT(overruns))]);
        assert_same(jobs, procs, hosts, yaml, seed);
      }
}

static void test_one_host_is_a_count(void **state)
{
  (void)state;
  compare(true, COUNT(selects));
}

static void test_many_hosts_are_a_count(void **state)
{
  (void)state;
  compare(false, 2);
}

/* ---- by hand ---- */

static const char *const cells[] = {"cell: {use: count, procs: 2}\n",
                                    "cell: {use: hosts, classes: [{name: h, count: 1, cpus: 2}]}\n"};

static void advance_to(bench *b, int64_t seconds)
{
  check(b, hc_run_advance(b->run, seconds * HC_SECOND, 0, &b->error));
}

/* @return the time promised to the task at this place of the table, in seconds; NEVER_STARTED: none */
static int64_t promised(const bench *b, hc_task t)
{
  const hc_time at = hc_reserved_of(&b->run->engine, t);
  return at == HC_NEVER ? NEVER_STARTED : at / HC_SECOND;
}

/* At 0 task 1 is to start and to end at 10, then 2 until 20, then 3. At 5 task 1 starts, to end at 15:
 * there is no room for 2 at 10, while 3 at 20 would have some. 2 is planned anew, before 3, at once: at
 * 15, and 3 at 25, which holds at 10. 1 ends at 15; that 2 starts is carried out at 20, and reaches into
 * what 3 was promised. At 25 it does not fit, and is planned at 30, which is written down then; 2 ends;
 * and 3 starts at 35. */
static void test_what_has_no_room_is_not_promised(void **state)
{
  static const char *const replans[] = {"full", "always", "compress", "none"};
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 0, 10, 2, 10), J(3, 0, 8, 1, 8)};
  static bench b;
  (void)state;
  for (size_t c = 0; c < COUNT(cells); c++)
    for (size_t k = 0; k < COUNT(replans); k++) {
      char yaml[384];
      (void)snprintf(yaml, sizeof yaml,
                     "%spolicy: {select: {use: conservative, replan: %s}}\nparanoid: true\n"
                     "architecture: {use: monolithic, think: 5s}\n",
                     cells[c], replans[k]);
      begin(&b, yaml, 2, jobs, 3, NULL);
      advance_to(&b, 5);
      assert_int_equal(promised(&b, 1), NEVER_STARTED);
      assert_int_equal(promised(&b, 2), 20);
      advance_to(&b, 10);
      assert_int_equal(promised(&b, 1), 15);
      assert_int_equal(promised(&b, 2), 25);
      finish(&b);
      assert_int_equal(start_of(&b, 1), 5);
      assert_int_equal(start_of(&b, 2), 20);
      if (k != 1) assert_int_equal(start_of(&b, 3), 35);
      end(&b);
    }
}

/* The promise of EASY's head is a time, and stands: 10, though 1 runs until 15. */
static void test_a_time_stands(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 0, 10, 2, 10)};
  static bench b;
  (void)state;
  for (size_t c = 0; c < COUNT(cells); c++) {
    char yaml[384];
    (void)snprintf(yaml, sizeof yaml,
                   "%spolicy: easy\nparanoid: true\narchitecture: {use: monolithic, think: 5s}\n", cells[c]);
    begin(&b, yaml, 2, jobs, 2, NULL);
    finish(&b);
    assert_int_equal(start_of(&b, 1), 5);
    assert_int_equal(start_of(&b, 2), 20);
    end(&b);
  }
}

/* At 5 task 1 starts, until 35. Then slack tries whether 3 may go before 2, which would have to wait until
 * 50 and more and is due at 40: it may not, and that is tried again only when something has happened.
 * What the trial promised is taken back in the plan itself, and its room is not missed when the plan is
 * carried out. */
static void test_a_trial_is_no_promise(void **state)
{
  static const job jobs[] = {J(1, 0, 30, 2, 30), J(2, 1, 10, 4, 10), J(3, 2, 45, 1, 45)};
  static bench b;
  (void)state;
  for (size_t c = 0; c < COUNT(cells); c++) {
    char yaml[384];
    (void)snprintf(yaml, sizeof yaml,
                   "%spolicy: {select: {use: slack, factor: 0.5}}\nparanoid: true\n"
                   "architecture: {use: monolithic, think: 5s}\n",
                   c == 0 ? "cell: {use: count, procs: 4}\n"
                          : "cell: {use: hosts, classes: [{name: h, count: 1, cpus: 4}]}\n");
    begin(&b, yaml, 4, jobs, 3, NULL);
    finish(&b);
    assert_int_equal(b.run->engine.counters.conflicts, 0);
    assert_int_equal(start_of(&b, 1), 5);
    assert_int_equal(start_of(&b, 2), 40);
    assert_int_equal(start_of(&b, 3), 55);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_host_is_a_count), cmocka_unit_test(test_many_hosts_are_a_count),
      cmocka_unit_test(test_what_has_no_room_is_not_promised), cmocka_unit_test(test_a_time_stands),
      cmocka_unit_test(test_a_trial_is_no_promise)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
