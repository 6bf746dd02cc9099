/* test_fair_runs.c -- published allocations, reached through the engine one task after another.
 *
 * Divisible ones are scaled up until they are whole: capacity times the denominator. Then the discrete rule
 * has to end at the very numbers, since they fill what is scarce to the last unit. Sources: Ghodsi et al.,
 * NSDI 2011 (their example is 9 cores and 18 GB; A needs 1 and 4, B 3 and 1); Parkes, Procaccia and Shah, EC
 * 2012 (needs of nothing); Wang, Li and Liang, INFOCOM 2014 (servers); Kash, Procaccia and Shah, JAIR 2014
 * (arrivals); Bhattacharya et al., SoCC 2013 (the tree). */
#include "../architecture/turns_test.h"
#include "hindcast/policy.h"
#include "hindcast/record.h"
#include "sample.h"

typedef struct group {
  int64_t user;
  double cpu, memory;
  int tasks, at;
} group;

static char text[1 << 18];

/* A log of groups of equal tasks, one after another, all of which run for `run` s. */
static const char *log_of(const group *groups, size_t count, int run)
{
  size_t n = (size_t)snprintf(text, sizeof text, "%s", TITLES);
  int id = 0;
  for (size_t g = 0; g < count; g++)
    for (int i = 0; i < groups[g].tasks; i++) {
      assert_true(n < sizeof text - 100);
      n += (size_t)snprintf(text + n, sizeof text - n, "%d,%d,%d,%g,%g,%" PRId64 "\n", ++id, groups[g].at,
                            run, groups[g].cpu, groups[g].memory, groups[g].user);
    }
  return text;
}

static char yaml[4096];

static const char *host_of(const char *cpus, const char *memory, const char *policy)
{
  (void)snprintf(yaml, sizeof yaml,
                 SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: %s, memory: %sGB}]}\n"
                        "architecture: {use: heartbeat, phase: zero}\npolicy: {use: spy%s}\n",
                 cpus, memory, policy);
  return yaml;
}

/* How many tasks of each user run at `at`. */
static void count_running(bench *b, hc_time at, int64_t *out, size_t users)
{
  memset(out, 0, users * sizeof *out);
  for (size_t i = 0; i < b->count; i++)
    if (b->records[i].start <= at * HC_SECOND && at * HC_SECOND < b->records[i].end)
      out[b->records[i].user - 1]++;
}

static void assert_counts(const char *config, const char *tasks, hc_time at, const int64_t *expected,
                          size_t users)
{
  static hc_policy_type same;
  const hc_component *const extra[] = {&same.component, NULL};
  int64_t counts[8];
  bench b;
  same = hc_policy_fair;
  same.component.name = "spy";
  check(&b, try_text_with(&b, config, tasks, extra));
  finish(&b);
  count_running(&b, at, counts, users);
  for (size_t i = 0; i < users; i++)
    if (counts[i] != expected[i])
      fail_msg("%s\nuser %zu runs %" PRId64 " tasks at %" PRId64 " s, should run %" PRId64, config, i + 1,
               counts[i], at, expected[i]);
  end(&b);
}
#define COUNTS(config, tasks, at, ...) \
  assert_counts(config, tasks, at, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))
#define LOG(...) log_of((const group[]){__VA_ARGS__}, COUNT(((const group[]){__VA_ARGS__})), 100)

/* ---- in which order ---- */

/* Ties to B, who is user 1 here: shares 0 0, so B; A 0 of 3/9; A 4/18 of 3/9; A 8/18, so B; A 8/18 of 6/9. */
static void test_tie_to_b(void **state)
{
  (void)state;
  TURNS(host_of("9", "18", ""), LOG({1, 3, 1, 5, 0}, {2, 1, 4, 5, 0}), 1, 2, 2, 1, 2);
}

/* A's memory weighs twice: its dominant share is halved, as if it had weight 2. */
static void test_weights_by_dimension(void **state)
{
  (void)state;
  TURNS(host_of("9", "18", ", weights: [1=cpu:1 memory:2]"), LOG({1, 1, 4, 5, 0}, {2, 3, 1, 5, 0}), 1, 2, 1,
        1, 1);
  /* A weight on the dimension that is not scarce to it changes nothing. */
  TURNS(host_of("9", "18", ", weights: [1=cpu:2]"), LOG({1, 1, 4, 5, 0}, {2, 3, 1, 5, 0}), 1, 2, 1, 2, 1);
}

/* Three users, (12, 24): ends with everything used. */
static void test_three_users(void **state)
{
  (void)state;
  TURNS(host_of("12", "24", ""), LOG({1, 1, 2, 9, 0}, {2, 2, 1, 9, 0}, {3, 1, 4, 9, 0}), 1, 2, 3, 1, 1, 2, 3,
        1, 1, 3);
}

/* One of four may have 6 of 30: by turns until it has them, then the others, 8 each. As a share it is a
 * fifth. */
static void test_limits(void **state)
{
  int64_t turns_due[30];
  size_t n = 0;
  (void)state;
  for (int round = 0; round < 8; round++)
    for (int64_t user = round < 6 ? 1 : 2; user <= 4; user++) turns_due[n++] = user;
  LOG({1, 1, 0, 30, 0}, {2, 1, 0, 30, 0}, {3, 1, 0, 30, 0}, {4, 1, 0, 30, 0});
  assert_turns(host_of("30", "1", ", limits: [1=cpu:6]"), text, turns_due, n);
  assert_turns(host_of("30", "1", ", limits: [1=20%]"), text, turns_due, n);
  assert_turns(host_of("30", "1", ", share: max_min, limits: [1=cpu:6.5]"), text, turns_due, n);
  /* A is capped at one task of (1, 4): then B's fill the cores that are left, 2 and not 8/3. */
  TURNS(host_of("9", "18", ", limits: [1=memory:4GB]"), LOG({1, 1, 4, 5, 0}, {2, 3, 1, 5, 0}), 1, 2, 2);
}

/* User 3 is guaranteed half of the cores: its five come first; then those who have nothing. */
static void test_guarantees(void **state)
{
  (void)state;
  LOG({1, 1, 0, 9, 0}, {2, 1, 0, 9, 0}, {3, 1, 0, 9, 0});
  TURNS(host_of("10", "1", ", guarantees: [3=cpu:50%]"), text, 3, 3, 3, 3, 3, 1, 2, 1, 2, 1);
  /* 90 % and 60 % are promised of one: scaled, 60 % and 40 %. By parts: 0 0: 2; 0 1/6: 3; 1/4 1/6: 2; 1/4
   * 2/6: 3; 2/4 2/6: 2; 2/4 3/6, a tie: 2; 2/4 4/6: 3; 3/4 4/6: 2; 3/4 5/6: 3; 1 5/6: 2. */
  TURNS(host_of("10", "1", ", guarantees: [2=90%, 3=60%]"), text, 2, 3, 2, 3, 2, 2, 3, 2, 3, 2);
}

/* Quotas of 2 and 4 cores: shares of them 0 0; 1/2 0; 1/2 1/4; 1/2 1/2; 1 1/2; 1 3/4; and over quota as far
 * as there is room. */
static void test_quotas(void **state)
{
  (void)state;
  LOG({1, 1, 0, 9, 0}, {2, 1, 0, 9, 0});
  TURNS(host_of("6", "1", ", share: quota, quotas: [1=cpu:2, 2=cpu:4]"), text, 1, 2, 2, 1, 2, 2);
  TURNS(host_of("6", "1", ", share: quota, quotas: [\"*=cpu:4\", 1=cpu:2]"), text, 1, 2, 2, 1, 2, 2);
  TURNS(host_of("9", "1", ", share: quota, quotas: [1=cpu:2, 2=cpu:4]"), text, 1, 2, 2, 1, 2, 2, 1, 2, 2);
}

/* ---- how many ---- */

static void test_published_shares(void **state)
{
  (void)state;
  /* 2.52 and 2.16 times 25 */
  COUNTS(host_of("225", "450", ", share: asset"), LOG({1, 1, 4, 99, 0}, {2, 3, 1, 99, 0}), 1, 63, 54);
  /* Asset fairness gives user 2 less than half of everything; DRF does not. */
  COUNTS(host_of("30", "30", ", share: asset"), LOG({1, 1, 3, 30, 0}, {2, 1, 1, 30, 0}), 1, 6, 12);
  COUNTS(host_of("30", "30", ""), LOG({1, 1, 3, 30, 0}, {2, 1, 1, 30, 0}), 1, 5, 15);
  /* 25/6 and 100/3 times 6, also if user 1 says that it needs 8 and not 1 of the second: a lie gains
   * nothing. */
  COUNTS(host_of("600", "600", ""), LOG({1, 16, 1, 50, 0}, {2, 1, 2, 250, 0}), 1, 25, 200);
  COUNTS(host_of("600", "600", ""), LOG({1, 16, 8, 50, 0}, {2, 1, 2, 250, 0}), 1, 25, 200);
  /* 54/13 and 18/13 times 13, with weights 2 and 1 */
  COUNTS(host_of("117", "234", ", weights: [1=2]"), LOG({1, 1, 4, 99, 0}, {2, 3, 1, 99, 0}), 1, 54, 18);
  /* 2, 2.6, 2.7, 2.7 of 10, times 10 */
  COUNTS(host_of("100", "1", ", share: max_min"),
         LOG({1, 1, 0, 20, 0}, {2, 1, 0, 26, 0}, {3, 1, 0, 40, 0}, {4, 1, 0, 50, 0}), 1, 20, 26, 27, 27);
  /* Needs of nothing: the first two fill the cores, the third what is left of the other. */
  COUNTS(host_of("10", "10", ""), LOG({1, 5, 0, 9, 0}, {2, 5, 5, 9, 0}, {3, 0, 1, 9, 0}), 1, 1, 1, 5);
}

/* The market of equal incomes: 45/11 and 18/11 times 11; 100/31 and 1500/31 times 31; and with the lie, 25/6
 * and 100/3 times 6: here it pays. Divisible DRF as a target ends where DRF ends, 54/13 and 18/13 with
 * weights. */
static void test_targets(void **state)
{
  (void)state;
  COUNTS(host_of("99", "198", ", share: ceei"), LOG({1, 1, 4, 99, 0}, {2, 3, 1, 99, 0}), 1, 45, 18);
  COUNTS(host_of("3100", "3100", ", share: ceei"), LOG({1, 16, 1, 200, 0}, {2, 1, 2, 1600, 0}), 1, 100, 1500);
  COUNTS(host_of("600", "600", ", share: ceei"), LOG({1, 16, 8, 50, 0}, {2, 1, 2, 250, 0}), 1, 25, 200);
  COUNTS(host_of("117", "234", ", share: divisible, weights: [1=2]"), LOG({1, 1, 4, 99, 0}, {2, 3, 1, 99, 0}),
         1, 54, 18);
  COUNTS(host_of("117", "234", ", share: divisible, weights: [1=cpu:1 memory:2]"),
         LOG({1, 1, 4, 99, 0}, {2, 3, 1, 99, 0}), 1, 54, 18);
}

/* Servers of (2, 12) and (12, 2); user 1 needs (0.2, 1), user 2 (1, 0.2). Shares of the pool, and the server
 * whose free amounts look most like the task: 10 tasks each. Each server by itself: 5 and 1, so 6 each. */
static void test_servers(void **state)
{
#define SERVERS(policy, architecture) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 1, name: a, cpus: 2, memory: 12GB}, {count: 1, name: b, cpus: 12, " \
  "memory: 2GB}]}\n" architecture "policy: {use: spy, " policy "}\n"
#define BEATING "architecture: {use: heartbeat, phase: zero}\n"
  (void)state;
  LOG({1, 0.2, 1, 20, 0}, {2, 1, 0.2, 20, 0});
  COUNTS(SERVERS("share: drfh, place: drfh", ""), text, 1, 10, 10);
  COUNTS(SERVERS("share: drfh, place: drfh", "architecture: {use: heartbeat, phase: zero, batch: 2}\n"), text,
         1, 10, 10);
  COUNTS(SERVERS("share: server_drf", BEATING), text, 1, 6, 6);
}

/* Users who need (1, 1/9), (1/9, 1), (1, 1/9) of what there is come one by one, three are expected: shares
 * 1/3; 3/5, 3/5; 3/5, 3/5, 1/3. A task is 1/15 of 135. Two who need (1, 1/2), (1/2, 1): 1/2; 2/3, 2/3; a task
 * is 1/6. */
static void test_arrivals(void **state)
{
  static const group three[] = {{1, 9, 1, 20, 0}, {2, 1, 9, 20, 10}, {3, 9, 1, 20, 20}},
                     two[] = {{1, 2, 1, 9, 0}, {2, 1, 2, 9, 10}};
  (void)state;
  log_of(three, 3, 1000);
  COUNTS(host_of("135", "135", ", share: dynamic, expected: 3"), text, 5, 5, 0, 0);
  COUNTS(host_of("135", "135", ", share: dynamic, expected: 3"), text, 15, 9, 9, 0);
  COUNTS(host_of("135", "135", ", share: dynamic, expected: 3"), text, 25, 9, 9, 5);
  log_of(two, 2, 1000);
  COUNTS(host_of("12", "12", ", share: dynamic, expected: 2"), text, 5, 3, 0);
  COUNTS(host_of("12", "12", ", share: dynamic, expected: 2"), text, 15, 4, 4);
}

/* 10 cores and 10 GB; user 1 needs a core; in a pool beside it, user 2 needs a core and user 3 a GB. Tasks
 * end at different times. Rescaled, both pools come to 1/2 of the cores; naive, the pool counts as having all
 * memory, and user 2 starves. */
static void test_tree(void **state)
{
#define TREE(rule) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 10, memory: 10GB}]}\n" \
  "architecture: {use: heartbeat, phase: zero, period: 1s}\npolicy: {use: spy, share: hdrf, " \
  "tree_rule: " rule ", pools: [{name: a, users: [1]}, {name: b, users: [2, 3]}]}\n"
  size_t n = strlen(TITLES);
  (void)state;
  memcpy(text, TITLES, n + 1);
  for (int i = 0; i < 6000; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%d,0,%d.%03d,%d,%d,%d\n", i + 1,
                          5 + i * 7919 % 1009 % 11, i * 7919 % 997, i % 3 < 2, i % 3 == 2, i % 3 + 1);
  for (hc_time at = 100; at < 1000; at += hc_test_cases(100, 450)) {
    COUNTS(TREE("rescaled"), text, at, 5, 5, 10);
    COUNTS(TREE("naive"), text, at, 10, 0, 10);
  }
}

/* ---- slots ---- */

/* A host of 10 cores and 10 GB is cut into 3 slots of (2, 3): 3 tasks of (1, 1) where 10 fit; 2 and 1 of two
 * users. Larger ones take two if they may. */
static void test_slots(void **state)
{
#define SLOTS ", share: slots, slot: [\"cpu:2\", \"memory:3GB\"]"
  (void)state;
  LOG({1, 1, 1, 9, 0}, {2, 1, 1, 9, 0});
  COUNTS(host_of("10", "10", SLOTS), text, 1, 2, 1);
  COUNTS(host_of("10", "10", ""), text, 1, 5, 5);
  COUNTS(host_of("10", "10", SLOTS ", oversized: more"), LOG({1, 3, 1, 9, 0}, {2, 2, 3, 9, 0}), 1, 1, 1);
  /* Two hosts, 3 slots each, of 6 in all; the second user's tasks take 2. On the first host 0 0: 1; 1 0: 2.
   * On the second 1 2: 1; 2 2, a tie: 1; 3 2, but 2 finds one slot: 1. */
  COUNTS(SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 10, memory: 10GB}]}\n"
                "policy: {use: spy, share: slots, slot: [\"cpu:2\", \"memory:3GB\"], oversized: more}\n"
                "architecture: {use: heartbeat, phase: zero, batch: 2}\n",
         LOG({1, 1, 1, 9, 0}, {2, 4, 1, 9, 0}), 1, 4, 1);
}

/* What is larger than a slot is rejected, and counted as that. */
static void test_oversized(void **state)
{
  bench b;
  static hc_policy_type same;
  const hc_component *const extra[] = {&same.component, NULL};
  size_t rejected = 0;
  (void)state;
  same = hc_policy_fair;
  same.component.name = "spy";
  check(&b, try_text_with(&b, host_of("10", "10", SLOTS), LOG({1, 3, 1, 2, 0}, {2, 1, 1, 4, 0}), extra));
  finish(&b);
  for (size_t i = 0; i < b.count; i++) rejected += b.records[i].final == HC_FINAL_REJECTED;
  assert_int_equal(rejected, 2);
  assert_int_equal(b.count, 6);
  end(&b);
}

/* ---- the past ---- */

/* One core. User 1 alone has it until 100; then both have a task. They hold nothing, so the lower user is
 * first, unless the past counts. With a half-life of 10 s it counts until 100 s later: user 2's first task of
 * 5 s at 100, and 1 again at 105, when the averages are 2^-0.5 of 1 less 2^-10, and 1 - 2^-0.5: 0.71 against
 * 0.29, so it is 2 again until 110: 1/2 and 1/2 less 2^-11: 1. */
static void test_half_life(void **state)
{
#define PAST(more) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 1, memory: 9GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 1s}\npolicy: {use: fair" more "}\n"
  static const char *const tasks = TITLES "1,0,100,1,1,1\n2,50,5,1,1,1\n3,50,5,1,1,2\n4,50,5,1,1,2\n";
  (void)state;
  STARTS(PAST(""), tasks, 0, 100, 105, 110);
  STARTS(PAST(", half_life: 10s"), tasks, 0, 110, 100, 105);
  STARTS(PAST(", half_life: 100s, share: asset"), tasks, 0, 110, 100, 105);
  /* Weights divide it: user 1 is due ten times as much, and at 105 its 0.071 is less than 0.29. */
  STARTS(PAST(", half_life: 10s, weights: [1=10]"), tasks, 0, 105, 100, 110);
}

/* ---- who is who ---- */

/* Users that a log names are found by their names: zoe has weight 3, so she is next after ann until she has
 * three. */
static void test_names_of_a_log(void **state)
{
  static const char *const tasks = TITLES "1,0,99,1,1,ann\n2,0,99,1,1,ann\n3,0,99,1,1,ann\n4,0,99,1,1,zoe\n"
                                          "5,0,99,1,1,zoe\n6,0,99,1,1,zoe\n7,0,99,1,1,zoe\n";
  (void)state;
  TURNS(host_of("4", "9", ", weights: [zoe=3]"), tasks, 1, 2, 2, 2);
  TURNS(host_of("4", "9", ", limits: [zoe=cpu:1]"), tasks, 1, 2, 1, 1);
  TURNS(host_of("4", "9",
                ", share: hdrf, pools: [{name: a, users: [ann]}, {name: b, weight: 3, users: [zoe]}]"),
        tasks, 1, 2, 2, 2);
}

/* ---- what cannot be ---- */

static void assert_refused(const char *policy, const char *expected)
{
  static hc_policy_type same;
  const hc_component *const extra[] = {&same.component, NULL};
  bench b;
  hc_rc rc;
  same = hc_policy_fair;
  same.component.name = "spy";
  rc = try_text_with(&b, host_of("9", "18", policy), TITLES "1,0,9,1,1,1\n", extra);
  assert_true(rc == HC_EUSAGE || rc == HC_EUNSUPPORTED);
  if (!strstr(b.error.text, expected)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, expected);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(", weights: [ann=0]", "weight of zero");
  assert_refused(", weights: [ann=-1]", "negative");
  assert_refused(", weights: [ann=cpu:2 cpu:3]", "dimension twice");
  assert_refused(", weights: [ann=wine:2]", "this run has not");
  assert_refused(", limits: [ann=cpu:-2]", "negative");
  assert_refused(", limits: [ann=130%]", "more than the whole cell");
  assert_refused(", limits: [ann=memory:many]", "no size");
  assert_refused(", limits: [ann=]", "has no value");
  assert_refused(", guarantees: [ann=70%, ben=60%], oversold: refuse", "130 %");
  assert_refused(", guarantees: [\"*=10%\"]", "name each");
  assert_refused(", share: fifo, guarantees: [ann=10%]", "guarantees");
  assert_refused(", quotas: [ann=cpu:1]", "share: quota");
  assert_refused(", share: quota, half_life: 1h", "half_life");
  assert_refused(", share: dynamic", "expected");
  assert_refused(", share: slots", "slot:");
  assert_refused(", share: slots, slot: [\"cpu:0\"]", "above 0");
  assert_refused(", share: slots, slot: [\"cpu:1\"], knob: 0.5", "has none to pack");
  assert_refused(", share: hdrf, weights: [ann=cpu:2 memory:1]", "one for all");
  assert_refused(", share: hdrf, pools: [{name: a}]", "neither users nor pools");
  assert_refused(", share: hdrf, pools: [{name: a, parent: b, users: [1]}, {name: b, parent: a}]",
                 "own ancestor");
  assert_refused(", share: hdrf, pools: [{name: a, parent: a}]", "own ancestor");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tie_to_b),
      cmocka_unit_test(test_weights_by_dimension),
      cmocka_unit_test(test_three_users),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_guarantees),
      cmocka_unit_test(test_quotas),
      cmocka_unit_test(test_published_shares),
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_servers),
      cmocka_unit_test(test_arrivals),
      cmocka_unit_test(test_tree),
      cmocka_unit_test(test_slots),
      cmocka_unit_test(test_oversized),
      cmocka_unit_test(test_half_life),
      cmocka_unit_test(test_names_of_a_log),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
