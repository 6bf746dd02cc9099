/* test_heartbeat.c -- hosts that report, and a policy that shares them: schedules that follow by hand. */
#include "turns_test.h"

static hc_rc keep_host(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "0") == 0) *(long *)ctx = strtol(values[1], NULL, 10);
  return 0;
}

/* The host that task 1 has had. */
static long host_of_first(hc_result *r)
{
  hc_error e = {0};
  long host = -1;
  assert_int_equal(hc_result_rows(r, "grants", 4 + HC_NEEDS, keep_host, &host, &e), 0);
  return host;
}

/* ---- two hosts of 2 cores, two users ---- */

#define TWO \
  SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\npolicy: fair\n"
#define BEATS(more) TWO "architecture: {use: heartbeat, period: 10s, phase: staggered" more "}\n"

/* Each task takes a core. User 1 has tasks 1 to 3 of 12 s, user 2 tasks 4 to 6 of 7 s; all come at 1 s. */
static const char *const SIX = TITLES "1,1,12,1,1,1\n2,1,12,1,1,1\n3,1,12,1,1,1\n"
                                      "4,1,7,1,1,2\n5,1,7,1,1,2\n6,1,7,1,1,2\n";

/* c0 reports at 0, 10, 20 ..., c1 at 5, 15, 25 ... At 5 both users have nothing, so user 1 is first: 1, then
 * 4. At 10 each has a core: 2, then 5. At 15 one core of c1 is free since 12; user 1 holds 2, user 2 holds
 * 1: 6. At 17 tasks 1 and 5 end; at 20 c0 has the core of 5: 3. */
static void test_in_turn(void **state)
{
  (void)state;
  STARTS(BEATS(", out_of_turn: false"), SIX, 5, 10, 20, 5, 10, 15);
  STARTS(BEATS(", out_of_turn: false, events: every_report"), SIX, 5, 10, 20, 5, 10, 15);
}

/* The same, but c1 says at 12 that task 4 has ended: 6 starts then; and c0 at 17 that 5 has: 3. */
static void test_out_of_turn(void **state)
{
  (void)state;
  STARTS(BEATS(""), SIX, 5, 10, 17, 5, 10, 12);
}

/* Reports arrive 1 s later: c0's of 0 at 1, when the tasks are there: 1 and 4. c1's of 5 at 6: 2 and 5. At 11
 * c0 has the core of 4, which ended at 8; user 1 holds two, user 2 one: 6. At 16 c1 has that of 5; only 3
 * waits. */
static void test_latency(void **state)
{
  (void)state;
  STARTS(BEATS(", out_of_turn: false, latency: 1s"), SIX, 1, 6, 16, 1, 6, 11);
}

/* With reports out of turn that take 1 s too, 6 starts on c0 at 9 (4 ends at 8), 3 on c1 at 14 (5 ends at
 * 13). */
static void test_latency_out_of_turn(void **state)
{
  (void)state;
  STARTS(BEATS(", latency: 1s"), SIX, 1, 6, 14, 1, 6, 9);
}

/* Both hosts are offered at 5, when the second has reported: four cores. At 15 those of 4 and 5 are free. */
static void test_batch(void **state)
{
  (void)state;
  STARTS(BEATS(", out_of_turn: false, batch: 2"), SIX, 5, 5, 15, 5, 5, 15);
}

/* c0's report of 0 is seen at 0 (or 10), c1's of 5 at 10, the end of its window of 10 s: both at 10. */
static void test_window(void **state)
{
  (void)state;
  STARTS(BEATS(", out_of_turn: false, window: 10s"), SIX, 10, 10, 20, 10, 10, 20);
}

/* No task waits for a report: four start at 1, and when 4 and 5 end at 8, the other two. */
static void test_instant(void **state)
{
  (void)state;
  STARTS(BEATS(", offer: instant"), SIX, 1, 1, 8, 1, 1, 8);
}

/* Offered together, the hosts are the placement's to choose from: worst fit takes the larger, c1. One by one,
 * c0 is first. */
static void test_instant_batch(void **state)
{
  (void)state;
  for (int together = 0; together < 2; together++) {
    char yaml[512];
    bench b;
    hc_result *r;
    (void)snprintf(
        yaml, sizeof yaml,
        SOURCE "cell: {use: hosts, classes: [{count: 1, name: c-0, cpus: 2, memory: 9GB}, {count: 1, name: "
               "c-1, cpus: 4, memory: 9GB}]}\narchitecture: {use: heartbeat, offer: instant, batch: %d}\n"
               "policy: {use: fair, place: worst_fit}\n",
        together + 1);
    check(&b, try_text_with(&b, yaml, TITLES "1,1,5,1,1,1\n", NULL));
    finish(&b);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    assert_int_equal(host_of_first(r), together);
    hc_result_free(r);
    end(&b);
  }
}

/* Of three hosts of one core, which is offered first? Each task of one core starts on the first of a round,
 * so task 1 shows it: over 120 workloads each host comes 40 times, give or take four deviations of sqrt(120 x
 * 2 / 9) = 5.2. */
static void test_instant_order(void **state)
{
  size_t first[3] = {0, 0, 0};
  (void)state;
  for (int i = 0; i < 120; i++) {
    char yaml[512];
    bench b;
    hc_result *r;
    (void)snprintf(
        yaml, sizeof yaml,
        SOURCE "seed: %d\ncell: {use: hosts, classes: [{count: 3, name_prefix: c, cpus: 1, memory: 9GB}]}\n"
               "policy: fair\narchitecture: {use: heartbeat, offer: instant, order: random}\n",
        i);
    check(&b, try_text_with(&b, yaml, TITLES "1,1,5,1,1,1\n2,1,5,1,1,1\n3,1,5,1,1,2\n", NULL));
    finish(&b);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    first[host_of_first(r)]++;
    hc_result_free(r);
    assert_int_equal(start_of(&b, 3), 1); /* and a round goes through all of them */
    end(&b);
  }
  for (int h = 0; h < 3; h++) assert_in_range(first[h], 20, 60);
}

/* No offer is taken before three offers are remembered. A round of two hosts is refused; at the last call
 * the first host is refused again, and the task starts there all the same. With no fallback there is no such
 * call, and no start. */
static void test_last_call(void **state)
{
#define CALL(fallback) \
  SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\n" \
         "architecture: {use: heartbeat, offer: instant}\npolicy: {use: fair, fallback: " fallback \
         ", accept: {use: refusal, at_first: 3, window: 3}}\n"
  static const char *const tasks = TITLES "1,1,5,1,1,1\n";
  bench b;
  hc_result *r;
  (void)state;
  check(&b, try_text_with(&b, CALL("round_refused"), tasks, NULL));
  finish(&b);
  assert_int_equal(start_of(&b, 1), 1);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "all", "offers_refused") == 3);
  assert_true(hc_result_figure(r, "all", "offers_forced") == 1);
  assert_true(hc_result_figure(r, "all", "offers") == 3);
  assert_true(hc_result_figure(r, "all", "offers_in_vain") == 2);
  hc_result_free(r);
  end(&b);
  check(&b, try_text_with(&b, CALL("none"), tasks, NULL));
  finish(&b);
  assert_int_equal(start_of(&b, 1), NEVER_STARTED);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "all", "offers_refused") == 2);
  assert_true(hc_result_figure(r, "all", "offers_forced") == 0);
  hc_result_free(r);
  end(&b);
}

/* The same two hosts. User 1 refuses c0; user 2, who refuses nothing, starts there; user 1 refuses what is
 * left of it, then c1: three offers remembered. Since something was started there is another round. c0 has
 * half of its cores and most of its memory left, which goes worse with a task of a core and little memory
 * than the two empty hosts that are remembered: more than one, so it is refused; c1 is as good as the best of
 * them, and taken. Four of five. */
static void test_refused_shares(void **state)
{
#define TAKES(never) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\n" \
  "architecture: {use: heartbeat, offer: instant}\npolicy: {use: fair, fallback: round_refused" \
  ", accept: {use: refusal, at_first: 3, window: 3" never "}}\n"
  static const char *const tasks = TITLES "1,1,5,1,1,1\n2,1,5,1,1,2\n";
  bench b;
  hc_result *r;
  (void)state;
  check(&b, try_text_with(&b, TAKES(", by_user: true, never_users: [2]"), tasks, NULL));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "all", "refused_share_of_2") == 0);
  assert_true(hc_result_figure(r, "all", "refused_share_of_1") == 0.8);
  assert_true(hc_result_figure(r, "all", "refused_share") == 4 / 6.);
  assert_true(hc_result_figure(r, "all", "offers_forced") == 0);
  hc_result_free(r);
  end(&b);
}

/* A task that comes at the very time of a report is seen by it; c0 reports at 10. */
static void test_arrives_with_a_report(void **state)
{
  (void)state;
  STARTS(BEATS(", out_of_turn: false"), TITLES "1,10,5,1,1,1\n", 10);
}

/* A host reports once at a time: task 1, of no length, starts and ends at 10, in two rounds of one instant,
 * and 2 waits for the next report, or for the one out of turn. */
static void test_once_at_a_time(void **state)
{
  static const char *const tasks = TITLES "1,1,0,2,1,1\n2,1,5,2,1,1\n";
#define LONE(more) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 2, memory: 20GB}]}\npolicy: fair\nzero_length: " \
  "keep\n" \
  "architecture: {use: heartbeat, period: 10s, phase: staggered" more "}\n"
  (void)state;
  STARTS(LONE(", out_of_turn: false"), tasks, 10, 20);
  STARTS(LONE(""), tasks, 10, 10);
}

/* Task 2 wants three cores of hosts that have two, and are offered one by one: it waits for ever, and the run
 * ends all the same, also where a policy that remembers no offer would have hosts report for ever. Offered
 * together they hold it. */
static void test_ends_in_vain(void **state)
{
  static const job jobs[] = {J(1, 1, 5, 2, 9), J(2, 1, 5, 3, 9)};
  static const int64_t alone[] = {5, NEVER_STARTED}, together[] = {5, 15};
  (void)state;
#define VAIN(policy, more) \
  "metrics: [tasks]\ncell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2}]}\npolicy: " policy \
  "\n" \
  "architecture: {use: heartbeat, period: 10s, phase: staggered" more "}\n"
  assert_starts(VAIN("fair", ""), 4, jobs, 2, alone);
  assert_starts(VAIN("fair", ", events: every_report"), 4, jobs, 2, alone);
  assert_starts(VAIN("{use: fair, accept: refusal}", ""), 4, jobs, 2, alone);
  assert_starts(VAIN("fair", ", batch: 2, out_of_turn: false"), 4, jobs, 2, together);
  /* Hosts that fail for ever, which lets nothing start either, are no reason to go on. */
#define FAILS "events: {use: drawn, up_time: 1000, down_time: 100, up_distribution: fixed}\n"
  assert_starts(VAIN("fair", "") FAILS, 4, jobs, 2, alone);
  assert_starts(VAIN("{use: fair, accept: refusal}", "") FAILS, 4, jobs, 2, alone);
}

/* Task 2 wants the cores of two hosts at once, which are offered one by one; task 3 waits for task 2.
 * Neither is a reason to go on: ben starves for ever, and after 1,000 periods hosts report no more. Task 4
 * has a time, which comes long after: until then hosts report. */
static void test_ends_though_a_task_is_held(void **state)
{
#define HELD(preempt, more) \
  "source: {use: native, file: FILE}\nmetrics: [tasks]\n" \
  "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2}]}\n" \
  "policy: {use: fair, task: head, misfit: stop, preempt: " preempt "}\n" \
  "architecture: {use: heartbeat, period: 10s, phase: staggered" more "}\n"
#define WAITING \
  "- {id: 1, user: ann, submit_time: 1, delay: 5, resources: {cpu: 2}}\n" \
  "- {id: 2, collection_id: 2, execution_index: 2, user: ben, submit_time: 1, delay: 5, " \
  "resources: {nodes_count: 2, cpu_per_node: 2}}\n" \
  "- {id: 3, user: ben, submit_time: 1, delay: 5, resources: {cpu: 1}, after_ok: [{job: 2, task: 2}]}\n"
  static const char *const late =
      WAITING "- {id: 4, user: ann, submit_time: 2, schedule_after: 30000, delay: 5, resources: {cpu: 1}}\n";
  (void)state;
  STARTS(HELD("starving", ""), WAITING, 5, NEVER_STARTED, NEVER_STARTED);
  STARTS(HELD("starving", ", events: every_report"), WAITING, 5, NEVER_STARTED, NEVER_STARTED);
  STARTS(HELD("none", ", events: every_report"), WAITING, 5, NEVER_STARTED, NEVER_STARTED);
  STARTS(HELD("starving", ""), late, 5, NEVER_STARTED, NEVER_STARTED, 30000);
}

/* Batch policies run under it too. Task 1 wants both cores of a host and blocks 2 only with `blocking`. */
static void test_batch_policy(void **state)
{
  static const char *const tasks = TITLES "1,1,50,2,1,1\n2,1,50,1,1,1\n3,1,50,2,1,1\n";
  (void)state;
  /* c1 at 5 takes 1, c0 at 10 takes 2 and cannot take 3: c1 reports at 55, when 1 has ended. */
  STARTS(
      SOURCE
      "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\npolicy: fcfs+scan\n"
      "architecture: {use: heartbeat, period: 10s, phase: staggered, out_of_turn: false}\n",
      tasks, 5, 10, 55);
}

/* ---- whose turn it is ---- */

#define ONE(policy) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 9, memory: 18GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero}\npolicy: {use: spy" policy "}\n"

/* User 1 needs (1 core, 4 GB), user 2 (3, 1). */
static const char *const GHODSI =
    TITLES "1,0,99,1,4,1\n2,0,99,1,4,1\n3,0,99,1,4,1\n4,0,99,1,4,1\n5,0,99,1,4,1\n"
           "6,0,99,3,1,2\n7,0,99,3,1,2\n8,0,99,3,1,2\n9,0,99,3,1,2\n10,0,99,3,1,2\n";

/* Ghodsi et al., NSDI 2011: 3 tasks of user 1 and 2 of user 2, both at a dominant share of 2/3. One by one,
 * ties to user 1: shares 0 0; 4/18 0; 4/18 3/9; 8/18 3/9; 8/18 6/9; 12/18 6/9; and then nothing fits. */
static void test_drf(void **state)
{
  (void)state;
  TURNS(ONE(""), GHODSI, 1, 2, 1, 2, 1);
  TURNS(SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 9, memory: 18GB}]}\npolicy: spy\n",
        GHODSI, 1, 2, 1, 2, 1);
}

/* User 1 is due twice as much: shares / weight 0 0; 2/18 0; 2/18 6/18; 4/18 6/18; 6/18 6/18, a tie; 8/18
 * 6/18: user 2 needs 3 cores of the 2 that are left, so it stands back, and user 1 needs 4 GB of 1. Used (7,
 * 17). */
static void test_weights(void **state)
{
  (void)state;
  TURNS(ONE(", weights: [1=2]"), GHODSI, 1, 2, 1, 1, 1);
}

/* Cores alone: 0 0; 1 0; 1 3; 2 3; 3 3, a tie; 4 cores and 16 GB 3: user 2 is next, and it has 1 GB more to
 * take, of 1: (7, 18). */
static void test_max_min(void **state)
{
  (void)state;
  TURNS(ONE(", share: max_min"), GHODSI, 1, 2, 1, 1, 1);
  /* Memory alone: 0 0; 4 0; 4 1; 4 2, of 7 cores; then user 2 does not fit (10 cores), so 1 again: (8, 10)
   * (9, 14). */
  TURNS(ONE(", share: max_min, dimension: memory"), GHODSI, 1, 2, 2, 1, 1);
}

/* Sums of shares: user 1's tasks are 1/9 + 4/18 = 6/18 each, user 2's 6/18 + 1/18 = 7/18: 0 0; 6 0; 6 7; 12
 * 7; 12 14; 18 14 */
static void test_asset(void **state)
{
  (void)state;
  TURNS(ONE(", share: asset"), GHODSI, 1, 2, 1, 2, 1);
}

/* In order of submission: user 1's tasks came first and take 16 GB; then the first of user 2's that fits. */
static void test_fifo(void **state)
{
  (void)state;
  TURNS(ONE(", share: fifo"), GHODSI, 1, 1, 1, 1, 2);
}

/* Three users, each with 8 tasks of a core, on 8 cores, so that shares are exact. Flat, they take turns. User
 * 1 in a pool beside that of 2 and 3: naive, the pools take turns; rescaled, the pool of 2 and 3 counts as
 * having nothing until both have something, since the least share among its members is 0, and as twice the
 * lesser of them later. With weight 2 for their pool it is as if it were flat. */
static void test_pools(void **state)
{
  char tasks[4096] = TITLES;
  size_t n = strlen(tasks);
  (void)state;
  for (int i = 0; i < 24; i++)
    n += (size_t)snprintf(tasks + n, sizeof tasks - n, "%d,0,99,1,1,%d\n", i + 1, i / 8 + 1);
#define EIGHT(policy) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 8, memory: 99GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero}\npolicy: {use: spy, share: hdrf" policy "}\n"
#define PAIR(weight) ", pools: [{name: a, users: [1]}, {name: b, weight: " weight ", users: [2, 3]}]"
  TURNS(EIGHT(""), tasks, 1, 2, 3, 1, 2, 3, 1, 2);
  TURNS(EIGHT(", tree_rule: naive" PAIR("1")), tasks, 1, 2, 1, 3, 1, 2, 1, 3);
  /* What the pools count as having, in cores: 0 0: 1; 1 0: 2; 1 0: 3; 1 2: 1; 2 2: 1; 3 2: 2; 3 2: 3; 3 4:
   * 1 */
  TURNS(EIGHT(PAIR("1")), tasks, 1, 2, 3, 1, 1, 2, 3, 1);
  TURNS(EIGHT(PAIR("2")), tasks, 1, 2, 3, 1, 2, 3, 1, 2);
}

/* Users that have names are found by them: ann came first, and is due less. At 100 three cores are for two
 * users with plenty to do: ann (a share of 1/3 for a weight of 0.4), zoe, and zoe again; without the weight
 * it would be ann. */
static void test_named_users(void **state)
{
#define NAMED(user, stream) \
  "  - {use: random, user: " user ", stream: " stream \
  ", execution_count: 9, cpu_min: 1, cpu_max: 1, memory_min: 1GB, " \
  "memory_max: 1GB, delay_min: 1, delay_max: 1, duration_mean: 1000, duration_dev: 0}\n"
  bench b;
  int64_t at_100 = 0;
  (void)state;
  check(&b,
        try_text_with(&b,
                 "source:\n" NAMED("ann", "1") NAMED(
                     "zoe", "2") "metrics: [tasks]\n"
                                 "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 3, memory: 9GB}]}\n"
                                 "architecture: {use: heartbeat, phase: zero, period: 100s}\n"
                                 "policy: {use: fair, weights: [ann=0.4]}\nuntil: 150s\n",
                 "", NULL));
  finish(&b);
  for (size_t i = 0; i < b.count; i++)
    if (b.records[i].start == 100 * HC_SECOND) at_100 += b.records[i].user == b.records[0].user ? 1 : 100;
  assert_int_equal(at_100, 201); /* one of ann's, who submits first, and two of zoe's */
  end(&b);
}

/* ---- Tetris ---- */

/* Ten users, a task each of 60 cores and 6 i GB, on a host of 100 cores and 100 GB: one fits, and the higher
 * the user's number the smaller the angle. */
static int64_t chosen_by(const char *policy)
{
  char tasks[1024] = TITLES, yaml[1024];
  size_t n = strlen(tasks);
  int64_t out = 0;
  bench b;
  for (int i = 1; i <= 10; i++)
    n += (size_t)snprintf(tasks + n, sizeof tasks - n, "%d,0,1000,60,%d,%d\n", i, 6 * i, i);
  (void)snprintf(yaml, sizeof yaml,
                 SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 100, memory: 100GB}]}\n"
                        "architecture: {use: heartbeat, phase: zero}\npolicy: {use: fair, %s}\n",
                 policy);
  check(&b, try_text_with(&b, yaml, tasks, NULL));
  finish(&b);
  for (int64_t i = 1; i <= 10; i++)
    if (start_of(&b, i) == 0) out = i;
  end(&b);
  return out;
}

/* Candidates are the first ceil((1 - f) 10): 1, 1, 2, 3, 4 ... on paper. In doubles (1 - 0.7) 10 is
 * 3.0000000000000004. */
static void test_candidates(void **state)
{
  static const int exact[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1},
                   doubles[] = {10, 9, 8, 7, 6, 5, 4, 4, 2, 1, 1};
  (void)state;
  for (int i = 0; i <= 10; i++) {
    char policy[128];
    (void)snprintf(policy, sizeof policy, "knob: %d.%d, score: cosine", i / 10, i % 10);
    assert_int_equal(chosen_by(policy), exact[i]);
    (void)snprintf(policy, sizeof policy,
                   "knob: %d.%d, score: cosine, rounding: double, misfit: stop, task: head", i / 10, i % 10);
    assert_int_equal(chosen_by(policy), doubles[i]);
  }
}

/* All ten are candidates. Cosine, angle and their length-scaled form want 10, as |d| grows too; the product
 * prefers the largest as well; DRFH's distance is 0 for 10. Weighing memory by nothing, all directions are
 * equal: the first. */
static void test_scores(void **state)
{
  (void)state;
  assert_int_equal(chosen_by("knob: 0, score: cosine"), 10);
  assert_int_equal(chosen_by("knob: 0, score: angle"), 10);
  assert_int_equal(chosen_by("knob: 0, score: angle_length"), 10);
  assert_int_equal(chosen_by("knob: 0, score: dot"), 10);
  assert_int_equal(chosen_by("knob: 0, score: drfh"), 10);
  assert_int_equal(chosen_by("knob: 0, score: cosine, dimension_weights: [1, 0]"), 1);
}

/* Three equal tasks, of users 3, 2 and 1 in order of submission; two are candidates, as good as each other:
 * the first in the line gets it. */
static void test_equal_candidates(void **state)
{
  static const char *const tasks = TITLES "1,0,99,1,1,3\n2,0,99,1,1,2\n3,0,99,1,1,1\n";
  (void)state;
  TURNS(ONE(", share: fifo, knob: 0.4"), tasks, 3, 2, 1);
  TURNS(ONE(", share: drf, knob: 0.4"), tasks, 1, 2, 3);
}

/* A task that does not fit is first: `stop` ends the offer there, `next` goes on with the other user. */
static void test_misfit(void **state)
{
  static const char *const tasks = TITLES "1,0,10,2,1,1\n2,0,30,1,1,1\n3,0,10,2,1,1\n4,5,10,1,1,2\n";
#define MISFIT(policy) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 3, memory: 9GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 5s}\npolicy: {use: fair, share: fifo, " policy \
         "}\n"
  (void)state;
  /* 1 and 2 start at 0 and fill the host; 3 and 4 wait for 1's end at 10. 3 is first and takes both cores. */
  STARTS(MISFIT("misfit: stop"), tasks, 0, 0, 10, 20);
  STARTS(MISFIT("misfit: next"), tasks, 0, 0, 10, 20);
  /* By shares user 2 is first at 10; then 3 needs 2 cores of 1, until 4 ends at 20. */
  STARTS(SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 3, memory: 9GB}]}\n"
                "architecture: {use: heartbeat, phase: zero, period: 5s}\npolicy: fair\n",
         tasks, 0, 0, 20, 10);
}

/* A user's first task needs more than is free: with task: head its second waits behind it. */
static void test_first_fit_or_head(void **state)
{
  static const char *const tasks = TITLES "1,0,10,2,1,1\n2,1,10,2,1,1\n3,2,10,1,1,1\n";
#define HEADS(policy) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 3, memory: 9GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 5s}\npolicy: {use: fair, " policy "}\n"
  (void)state;
  STARTS(HEADS("task: first_fit"), tasks, 0, 10, 5);
  STARTS(HEADS("task: head"), tasks, 0, 10, 10);
}

/* ---- what cannot be ---- */

static void assert_refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_text_with(&b, yaml, SIX, NULL);
  assert_true(rc == HC_EUNSUPPORTED || rc == HC_EUSAGE);
  if (!strstr(b.error.text, text)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, text);
  end(&b);
}

#define CELL "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\n"

static void test_refused(void **state)
{
  (void)state;
  assert_refused(SOURCE CELL "policy: {use: fair, knob: 0.5}\n", "architecture heartbeat");
  assert_refused(SOURCE CELL "policy: {use: fair, accept: refusal}\n", "architecture heartbeat");
  assert_refused(SOURCE CELL "policy: easy\narchitecture: heartbeat\n", "reserves hosts");
  assert_refused(SOURCE "cell: {use: count, procs: 4}\npolicy: fcfs\narchitecture: heartbeat\n",
                 "only hosts report");
  assert_refused(SOURCE CELL "policy: fair\narchitecture: {use: heartbeat, window: 3s}\n",
                 "multiple of the window");
  assert_refused(SOURCE CELL "policy: fair\narchitecture: {use: heartbeat, window: 1s, batch: 2}\n",
                 "two ways");
  assert_refused(SOURCE CELL "policy: {use: fair, weights: [ann]}\n", "ann=2");
  assert_refused(SOURCE CELL "policy: {use: fair, weights: [1=2, 1=3]}\n", "second entry");
  assert_refused(SOURCE CELL "policy: {use: fair, order: wfp3}\n", "changes with time");
  assert_refused(SOURCE CELL "policy: {use: fair, pools: [{name: a}]}\n", "hdrf");
  assert_refused(SOURCE CELL "policy: {use: fair, share: hdrf, pools: [{name: a, parent: b}, {name: b}]}\n",
                 "before");
  assert_refused(SOURCE CELL
                 "policy: {use: fair, share: hdrf, pools: [{name: a, users: [1]}, {name: b, users: [1]}]}\n",
                 "two pools");
  assert_refused(
      SOURCE CELL
      "architecture: heartbeat\npolicy: {use: fair, accept: {use: refusal, rule: ytsaurus, at_first: 11}}\n",
      "refuse for ever");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_in_turn),
      cmocka_unit_test(test_out_of_turn),
      cmocka_unit_test(test_latency),
      cmocka_unit_test(test_latency_out_of_turn),
      cmocka_unit_test(test_batch),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_instant),
      cmocka_unit_test(test_arrives_with_a_report),
      cmocka_unit_test(test_instant_batch),
      cmocka_unit_test(test_instant_order),
      cmocka_unit_test(test_last_call),
      cmocka_unit_test(test_refused_shares),
      cmocka_unit_test(test_once_at_a_time),
      cmocka_unit_test(test_ends_in_vain),
      cmocka_unit_test(test_ends_though_a_task_is_held),
      cmocka_unit_test(test_batch_policy),
      cmocka_unit_test(test_drf),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_max_min),
      cmocka_unit_test(test_asset),
      cmocka_unit_test(test_fifo),
      cmocka_unit_test(test_pools),
      cmocka_unit_test(test_named_users),
      cmocka_unit_test(test_candidates),
      cmocka_unit_test(test_equal_candidates),
      cmocka_unit_test(test_scores),
      cmocka_unit_test(test_misfit),
      cmocka_unit_test(test_first_fit_or_head),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
