/* test_passes.c -- a policy that is shown a scheduler's whole queue acts as it does alone.
 *
 * Random tables of tasks, with users, priorities, jobs of several tasks and limits that are longer than the
 * run:
 *
 *   one scheduler, no time of thinking   every architecture starts each task when `monolithic` does
 *   one scheduler that thinks            shared_state starts it when `monolithic` with that `think` does
 * cells of one's own                   partitions and federation of k cells start it as k runs of their own
 * do
 *   several that share hosts             the invariants hold (`paranoid`), saved and restored on the way
 *
 * for each order and selector, reservations and shares included. Failures name the configuration and the
 * seed. */
#include "../unit/engine/engine_test.h"
#include "hindcast/run.h"
#include "sample.h"

enum { TASKS = 90, CELLS = 3, SEEDS = 4, HOSTS_EACH = 4 };

static const char *const policies[] = {
    "fcfs",
    "{order: sjf, select: scan}",
    "{order: wfp3, select: scan}",
    "{order: priority, select: blocking, place: best_fit}",
    "easy",
    "{order: priority, select: easy}",
    "{order: sjf, select: {use: easy, depth: 3}}",
    "{select: {use: easy, sticky: true, relax: 0.5}}",
    "{select: {use: easy, reserve: hosts}}",
    "conservative",
    "{order: sjf, select: {use: conservative, replan: compress}}",
    "{select: {use: conservative, replan: none}}",
    "slack",
    "fair",
    "{use: fair, order: sjf}",
};

/* ---- tables ---- */

static uint64_t next_random(uint64_t *x)
{
  *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *x >> 33;
}

/* @param user 0: the tasks of all users */
static void write_table(char path[64], uint64_t seed, uint64_t user)
{
  hc_buffer text;
  uint64_t x = seed, at = 0;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, "id,job,submit,run,limit,cpu,user,priority\n");
  for (uint64_t id = 1; id <= TASKS; id++) {
    at += next_random(&x) % 30;
    const uint64_t run = next_random(&x) % 200, limit = run + 1 + next_random(&x) % 150,
                   cpu = 1 + next_random(&x) % 4, whose = 1 + next_random(&x) % CELLS,
                   priority = next_random(&x) % 5, group = id - id % 3 + whose * 1000;
    if (user > 0 && whose != user) continue;
    hc_buffer_printf(&text, "%d,%d,%d,%d,%d,%d,%d,%d\n", (int)id, (int)group, (int)at, (int)run, (int)limit,
                     (int)cpu, (int)whose, (int)priority);
  }
  write_log(path, text.data, text.size);
  hc_buffer_fini(&text);
}

/* ---- runs ---- */

#define READ \
  "source: {use: csv, file: FILE, id: id, job: job, submit: submit, run: run, limit: limit, cpu: cpu, " \
  "user: user, priority: priority}\nmetrics: []\nparanoid: true\n"
#define ON(hosts) "cell: {use: hosts, classes: [{count: " #hosts ", name_prefix: h, cpus: 4}]}\n"

static void run_with(bench *b, const char *cell, const char *policy, const char *architecture, uint64_t seed,
                     uint64_t user, uint64_t pieces)
{
  char yaml[2048];
  memset(b, 0, sizeof *b);
  write_table(b->path, seed, user);
  (void)snprintf(yaml, sizeof yaml, READ "%spolicy: %s\narchitecture: %s\n", cell, policy, architecture);
  hc_rc rc = configure(b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  if (rc >= 0) rc = hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
  if (rc < 0) fail_msg("%s\n%s", yaml, b->error.text);
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

/* Every task of `part` starts when it does in `whole`. */
static void assert_same_starts(const bench *whole, const bench *part, const char *policy,
                               const char *architecture, uint64_t seed)
{
  assert_true(part->count > 0);
  for (size_t i = 0; i < part->count; i++) {
    const int64_t id = part->records[i].id;
    const hc_time is = record_of(whole, id)->start, should = part->records[i].start;
    if (is != should)
      fail_msg("%s under %s, seed %d: task %" PRId64 " starts at %" PRId64 " ns, should at %" PRId64, policy,
               architecture, (int)seed, id, is, should);
  }
}

static void compare(const char *cell, const char *policy, const char *alone, const char *architecture,
                    uint64_t seed)
{
  static bench one, two;
  run_with(&one, cell, policy, alone, seed, 0, 0);
  run_with(&two, cell, policy, architecture, seed, 0, 0);
  assert_int_equal(one.count, two.count);
  assert_same_starts(&two, &one, policy, architecture, seed);
  end(&one);
  end(&two);
}

#define ONE "decision: pass, schedulers: [{name: a, think_job: 0s, think_task: 0s}]}"

static void test_one_scheduler(void **state)
{
  static const char *const kinds[] = {"{use: multi_path, " ONE, "{use: shared_state, " ONE,
                                      "{use: partitions, " ONE, "{use: federation, " ONE};
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (size_t k = 0; k < COUNT(kinds); k++)
      for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 2); seed++)
        compare(ON(5), policies[p], "monolithic", kinds[k], seed);
}

/* Processors that are counted, or have names. */
static void test_processors(void **state)
{
  static const char *const cells[] = {"cell: {use: count, procs: 12}\n",
                                      "cell: {use: intervals, procs: 12}\n"};
  static const char *const kinds[] = {"{use: multi_path, " ONE, "{use: shared_state, " ONE};
  static const char *const some[] = {"{order: sjf, select: scan}",
                                     "easy",
                                     "{order: sjf, select: {use: easy, depth: 3}}",
                                     "conservative",
                                     "slack",
                                     "fair"};
  (void)state;
  for (size_t p = 0; p < COUNT(some); p++)
    for (size_t c = 0; c < COUNT(cells); c++)
      for (size_t k = 0; k < COUNT(kinds); k++) compare(cells[c], some[p], "monolithic", kinds[k], c + 10);
}

static void test_thinking(void **state)
{
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 2); seed++)
      compare(ON(5), policies[p], "{use: monolithic, think: 20s}",
              "{use: shared_state, decision: pass, schedulers: [{name: a, think_job: 20s, think_task: 0s}]}",
              seed);
}

#define MINE(name, user) "{name: " name ", takes: user == " user ", think_job: 0s, think_task: 0s}"
#define CELLS_OF_THREE \
  "decision: pass, schedulers: [" MINE("a", "1") ", " MINE("b", "2") ", " MINE("c", "3") "]}"

static void test_own_cells(void **state)
{
  static const char *const kinds[] = {"{use: partitions, " CELLS_OF_THREE,
                                      "{use: federation, " CELLS_OF_THREE};
  static bench whole, part;
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (size_t k = 0; k < COUNT(kinds); k++)
      for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 2); seed++) {
        if (strstr(policies[p], "fair")) continue; /* shares are of the whole cell, not of a part */
        run_with(&whole, ON(12), policies[p], kinds[k], seed, 0, 0);
        for (uint64_t user = 1; user <= CELLS; user++) {
          run_with(&part, ON(4), policies[p], "monolithic", seed, user, 0);
          assert_same_starts(&whole, &part, policies[p], kinds[k], seed);
          end(&part);
        }
        end(&whole);
      }
}

/* What several do to each other has no twin; but it is a run: nothing is over capacity, and cut into pieces
   it is the same. */
static void test_several(void **state)
{
  static const char *const kinds[] = {
      "{use: shared_state, decision: pass, schedulers: [{name: a, count: 3, think_job: 9s}]}",
      "{use: shared_state, decision: pass, conflict: sequence, schedulers: [{name: a, takes: "
      "user == 1, think_job: 40s}, {name: b, think_job: 0s, think_task: 0s}]}",
      "{use: shared_state, decision: pass, schedulers: [{name: a, takes: user == 1, preempts: true, "
      "think_job: 7s}, {name: b, max_share: 0.5, think_job: 3s}]}",
      "{use: partitions, decision: pass, schedulers: [{name: a, takes: user == 1, count: 2, think_job: 5s}, "
      "{name: b}]}",
      "{use: federation, route: fewest_jobs, decision: pass, schedulers: [{name: a, think_job: 5s}, {name: "
      "b}]}",
      "{use: multi_path, decision: pass, schedulers: [{name: a, think_job: 15s}]}"};
  static bench one, two;
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (size_t k = 0; k < COUNT(kinds); k++) {
      run_with(&one, ON(5), policies[p], kinds[k], 7, 0, 0);
      run_with(&two, ON(5), policies[p], kinds[k], 7, 0, 23);
      assert_int_equal(one.count, TASKS);
      assert_same_starts(&two, &one, policies[p], kinds[k], 7);
      for (size_t i = 0; i < one.count; i++)
        if (one.records[i].start == HC_UNKNOWN)
          fail_msg("%s under %s: a task never starts", policies[p], kinds[k]);
      end(&one);
      end(&two);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_scheduler), cmocka_unit_test(test_processors),
                                     cmocka_unit_test(test_thinking), cmocka_unit_test(test_own_cells),
                                     cmocka_unit_test(test_several)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
