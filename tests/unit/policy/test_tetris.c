/* test_tetris.c -- Tetris's remaining work and barrier, and its knob over every order of users.
 *
 * By reference: score = a - eps p, a = sum_r need_r / capacity_r x free_r / capacity_r of the host, p =
 * sum over the job's unfinished tasks of sum_r need_r / capacity_r x estimate, eps = m mean(a) / mean(p)
 * (Grandl et al., SIGCOMM 2014). Times are seconds, one host reports every second and whenever a task
 * ends. */
#include "../architecture/starts_test.h"

#include "base/math.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, memory: mem, " \
  "memory_unit: 1GiB, user: user, job: job, after: after, count: count}\nmetrics: []\nparanoid: true\n"
#define TITLES "id,at,run,cpu,mem,user,job,after,count\n"
#define HOST "cell: {use: hosts, classes: [{name: h, cpus: 10, memory: 10GiB}]}\n"
#define BEATS "architecture: {use: heartbeat, period: 1s}\n"

/* Starts in the order of serials. */
static void starts_of(const char *yaml, const char *tasks, int64_t *starts, size_t count)
{
  bench b;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++) starts[b.records[i].serial] = b.records[i].start / HC_SECOND;
  end(&b);
}

static void expect(const char *more, const char *tasks, const int64_t *expected, size_t count)
{
  char yaml[768];
  int64_t starts[16];
  (void)snprintf(yaml, sizeof yaml, SOURCE HOST BEATS "policy: {use: fair, share: fifo, knob: 0%s}\n", more);
  starts_of(yaml, tasks, starts, count);
  for (size_t i = 0; i < count; i++)
    if (starts[i] != expected[i])
      fail_msg("%s: task %zu starts at %" PRId64 ", should at %" PRId64, more, i, starts[i], expected[i]);
}
#define EXPECT(more, tasks, ...) \
  expect(more, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* On an empty host of (10, 10), A needs (6, 4) for 100 s: a = 0.6 + 0.4 = 1, p = 1 x 100. B needs (5, 1)
 * for 50 s: a = 0.6, p = 0.6 x 50 = 30. Both do not fit together. mean(a) = 0.8, mean(p) = 65, eps = m x
 * 0.8 / 65. A: 1 - 100 eps, B: 0.6 - 30 eps: equal at eps = 0.4 / 70, m = (0.4 / 70) x 65 / 0.8 =
 * 0.464286. Below it A is first and B starts at 100; above it B is, and A starts at 50. */
static void test_exchange(void **state)
{
  static const char *const tasks = TITLES "1,0,100,6,4,1,1,,1\n2,0,50,5,1,2,2,,1\n";
  (void)state;
  EXPECT("", tasks, 0, 100);
  EXPECT(", mix: 0.4642", tasks, 0, 100);
  EXPECT(", mix: 0.4643", tasks, 50, 0);
  EXPECT(", mix: 1", tasks, 50, 0);
}

/* By cosine: A (6, 4) with (10, 10): 10 / sqrt(52 x 2) = 0.980581, B (5, 1): 6 / sqrt(26 x 2) = 0.832050.
 * mean(a) = 0.906315; equal at m = 0.148531 / 70 x 65 / 0.906315 = 0.152178. */
static void test_exchange_by_cosine(void **state)
{
  static const char *const tasks = TITLES "1,0,100,6,4,1,1,,1\n2,0,50,5,1,2,2,,1\n";
  (void)state;
  EXPECT(", score: cosine, mix: 0.1521", tasks, 0, 100);
  EXPECT(", score: cosine, mix: 0.1523", tasks, 50, 0);
}

/* Work is the job's: equal tasks, job 1 has three (p = 3 x 20), job 2 has one (p = 20). Job 2 is first;
 * then the rest. Without a job each is by itself, and the order of the queue decides. */
static void test_of_the_job(void **state)
{
  (void)state;
  EXPECT(", mix: 1", TITLES "1,0,10,10,10,1,1,,3\n2,0,10,10,10,1,2,,1\n", 10, 20, 30, 0);
  EXPECT("", TITLES "1,0,10,10,10,1,1,,3\n2,0,10,10,10,1,2,,1\n", 0, 10, 20, 30);
  EXPECT(", mix: 1", TITLES "1,0,10,10,10,1,,,3\n2,0,10,10,10,1,,,1\n", 0, 10, 20, 30);
}

/* What is over does not count. Job 1: 2 x 10 s, job 2: 15 s whole at 0. 0: p = 40 and 30: job 2. 5: job 3
 * of 25 s comes (p = 50). 15: job 1 (40). 25: one of job 1 is over: 20 against 50: job 1 again. 35: job
 * 3. With order by work at arrival alone it would be the same; so job 4 (12 s, p = 24) comes at 20: at 25
 * job 1 has 20 left and is before it, though it had 40. */
static void test_unfinished(void **state)
{
  (void)state;
  EXPECT(", mix: 1",
         TITLES "1,0,10,10,10,1,1,,2\n2,0,15,10,10,1,2,,1\n3,5,25,10,10,1,3,,1\n4,20,12,10,10,1,4,,1\n", 15,
         25, 0, 47, 35);
}

/* Users 1 (job 1: four tasks of 10 s and one that waits for them) and 2 (job 2: four tasks), each filling
 * the host, by turns in the order of submission: 0 4 1 5 2 6 3 7. Of job 1 two of four are over at 30,
 * when task 1 has ended: with b = 0.5 tasks 2 and 3 are next, and then the one that has waited. With b =
 * 0.75 only task 3 is before its turn, at 50. */
static void test_barrier(void **state)
{
  static const char *const tasks =
      TITLES "1,0,10,10,10,1,1,,1\n2,1,10,10,10,2,2,,1\n1,2,10,10,10,1,1,,1\n2,3,10,10,10,2,2,,1\n"
             "1,4,10,10,10,1,1,,1\n2,5,10,10,10,2,2,,1\n1,6,10,10,10,1,1,,1\n2,7,10,10,10,2,2,,1\n"
             "3,8,10,10,10,1,1,1,1\n";
  (void)state;
  EXPECT("", tasks, 0, 10, 20, 30, 40, 50, 60, 70, 80);
  EXPECT(", barrier: 0.5", tasks, 0, 10, 20, 50, 30, 60, 40, 70, 80);
  EXPECT(", barrier: 0.75", tasks, 0, 10, 20, 30, 40, 60, 50, 70, 80);
  EXPECT(", barrier: 0.9", tasks, 0, 10, 20, 30, 40, 50, 60, 70, 80);
}

/* ---- over every order of users ---- */

static void random_tasks(hc_buffer *out, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  int64_t at = 0;
  hc_buffer_init(out, hc_default_allocator());
  hc_buffer_text(out, TITLES);
  for (int i = 1; i <= 60; i++) {
    at += (int64_t)hc_random_below(&d, 4);
    /* no two of one need, and of two needs one is less in both: what fits of a user's is told by its least */
    const int cores = 1 + (int)hc_random_below(&d, 4);
    hc_buffer_printf(out, "%d,%" PRId64 ",%d,%d.%03d,%d.%03d,%d,%d,,1\n", i, at,
                     5 + (int)hc_random_below(&d, 40), cores, i, cores, i, 1 + (int)hc_random_below(&d, 5),
                     i % 9);
  }
}

static void run_share(int64_t *starts, const char *share, const char *more, const char *tasks)
{
  char yaml[1024];
  (void)snprintf(yaml, sizeof yaml,
                 SOURCE
                 "cell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 10, memory: 10GiB}]}\n" BEATS
                 "policy: {use: fair, share: %s%s}\n",
                 share, more);
  starts_of(yaml, tasks, starts, 60);
}

#define TREE \
  "hdrf, pools: [{name: x, users: [\"1\", \"2\"]}, {name: y, weight: 2}, " \
  "{name: z, parent: y, users: [\"3\", \"4\"]}]"

/* A knob of next to 1 has one candidate, who is the one whose turn it is; a knob of 0 makes the order
 * matter for ties alone, of which there are none here. */
static void test_every_order(void **state)
{
  static const char *const shares[] = {"drf", "max_min", "asset", "drfh", TREE, "fifo", "server_drf"};
  (void)state;
  for (size_t i = 0; i < COUNT(shares); i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      int64_t fair[60], one[60], mixed[60], all[60], other[60];
      size_t moved = 0;
      hc_buffer tasks;
      random_tasks(&tasks, seed);
      run_share(fair, shares[i], "", tasks.data);
      run_share(one, shares[i], ", knob: 0.9999", tasks.data);
      run_share(all, shares[i], ", knob: 0, mix: 0.5", tasks.data);
      run_share(other, "drf", ", knob: 0, mix: 0.5", tasks.data);
      run_share(mixed, shares[i], ", knob: 0.5, mix: 1, barrier: 0.9", tasks.data);
      for (size_t k = 0; k < 60; k++) {
        if (fair[k] != one[k])
          fail_msg("%s, seed %" PRIu64 ": task %zu starts at %" PRId64
                   " with a knob of next to 1, at %" PRId64 " with 1",
                   shares[i], seed, k, one[k], fair[k]);
        if (i < 6 && all[k] != other[k])
          fail_msg("%s, seed %" PRIu64 ": task %zu starts at %" PRId64 " with knob 0, under drf at %" PRId64,
                   shares[i], seed, k, all[k], other[k]);
        moved += mixed[k] != fair[k];
      }
      assert_true(moved > 0);
      hc_buffer_fini(&tasks);
    }
}

/* A run is a value, books of jobs and all. */
static void test_in_pieces(void **state)
{
  static const char *const yaml = SOURCE HOST BEATS
      "policy: {use: fair, share: " TREE ", knob: 0.3, mix: 1, barrier: 0.8, preempt: {use: priority}}\n";
  hc_buffer tasks;
  bench b, c;
  (void)state;
  random_tasks(&tasks, 9);
  check(&b, try_text(&b, yaml, tasks.data));
  finish(&b);
  check(&c, try_text(&c, yaml, tasks.data));
  finish_in_pieces(&c, 5);
  for (int64_t i = 1; i <= 60; i++) assert_int_equal(start_of(&b, i), start_of(&c, i));
  end(&b);
  end(&c);
  hc_buffer_fini(&tasks);
}

/* ---- refused ---- */

static void test_refused(void **state)
{
  static const struct {
    const char *policy, *part;
  } refused[] = {
      {"knob: 1, mix: 1", "a knob below 1"},
      {"knob: 1, barrier: 0.9", "a knob below 1"},
      {"knob: 0.5, mix: 1, score: angle", "set score: dot, or cosine"},
      {"knob: 0.5, mix: 1, task: head", "leave `task` at first_fit"},
      {"knob: 0.5, share: slots, slot: [\"cpu:1\"], accept: locality", "leave `accept` at always"}};
  (void)state;
  for (size_t i = 0; i < COUNT(refused); i++) {
    char yaml[768];
    bench b;
    (void)snprintf(yaml, sizeof yaml, SOURCE HOST BEATS "policy: {use: fair, %s}\n", refused[i].policy);
    if (try_text(&b, yaml, TITLES "1,0,1,1,1,1,1,,1\n") >= 0)
      fail_msg("%s: is not refused", refused[i].policy);
    if (!strstr(b.error.text, refused[i].part)) fail_msg("%s: %s", refused[i].policy, b.error.text);
    end(&b);
  }
}

/* ---- under the rule yt ---- */

static void expect_yt(const char *cell, const char *more, const char *tasks, const int64_t *expected,
                      size_t count)
{
  char yaml[1024];
  int64_t starts[16];
  (void)snprintf(yaml, sizeof yaml,
                 SOURCE "%s" BEATS "policy: {use: yt, update: 1s, starving_after: 1h, preemption: none%s}\n",
                 cell, more);
  starts_of(yaml, tasks, starts, count);
  for (size_t i = 0; i < count; i++)
    if (starts[i] != expected[i])
      fail_msg("yt%s: task %zu starts at %" PRId64 ", should at %" PRId64, more, i, starts[i], expected[i]);
}
#define EXPECT_YT(cell, more, tasks, ...) \
  expect_yt(cell, more, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* Three operations want the whole host's cores, and the more memory the later they came: so they go the
 * better with an empty host. The tick at 1 sees them; none has anything, and of equal ones the first to
 * come is first. Of U = 3 at f = 0.5 ceil(1.5) = 2 are candidates, the second is taken; then of 2 one; at
 * f = 0 all are. */
static void test_knob_under_yt(void **state)
{
  static const char *const tasks =
      TITLES "1,0.1,10,10,1,1,1,,1\n2,0.1,10,10,5,2,2,,1\n3,0.1,10,10,10,3,3,,1\n";
  (void)state;
  EXPECT_YT(HOST, "", tasks, 1, 11, 21);
  EXPECT_YT(HOST, ", knob: 0.5", tasks, 11, 1, 21);
  EXPECT_YT(HOST, ", knob: 0", tasks, 21, 11, 1);
  EXPECT_YT(HOST, ", knob: 0, task: head", tasks, 21, 11, 1);
  /* (1 - 0.7) 3 = 0.9: one candidate */
  EXPECT_YT(HOST, ", knob: 0.7", tasks, 1, 11, 21);
}

/* Of two hosts the first goes to 3. The second would go to 2, but their pool has a limit of ten cores; it
 * goes to 1. Where the pool may not use the first host, that goes to 1, and the second to 3. */
static void test_knob_under_yt_within_limits(void **state)
{
  static const char *const tasks =
      TITLES "1,0.1,10,10,1,1,1,,1\n2,0.1,10,10,5,2,2,,1\n3,0.1,10,10,10,3,3,,1\n";
  static const char *const cell =
      "cell: {use: hosts, classes: [{count: 1, name: g, cpus: 10, memory: 10GiB}, "
      "{count: 1, name: h, cpus: 10, memory: 10GiB, features: [ssd]}]}\n";
  (void)state;
  EXPECT_YT(cell, ", knob: 0", tasks, 11, 1, 1);
  EXPECT_YT(cell, ", knob: 0, pools: [{name: p, users: [2, 3], limit: [cpu=10]}]", tasks, 1, 11, 1);
  EXPECT_YT(cell, ", knob: 0, pools: [{name: p, users: [2, 3], tags: ssd}]", tasks, 1, 11, 1);
}

/* As test_exchange has them, a second later. */
static void test_exchange_under_yt(void **state)
{
  static const char *const tasks = TITLES "1,0.1,100,6,4,1,1,,1\n2,0.1,50,5,1,2,2,,1\n";
  (void)state;
  EXPECT_YT(HOST, ", knob: 0", tasks, 1, 101);
  EXPECT_YT(HOST, ", knob: 0, mix: 0.4642", tasks, 1, 101);
  EXPECT_YT(HOST, ", knob: 0, mix: 0.4643", tasks, 51, 1);
}

static void test_yt_in_pieces(void **state)
{
  static const char *const yaml =
      SOURCE HOST BEATS "policy: {use: yt, update: 1s, knob: 0.3, mix: 0.5, barrier: 0.8}\n";
  static const char *const tasks = TITLES "1,0.1,10,6,1,1,1,,3\n2,0.1,20,5,5,2,2,,2\n3,5.1,10,3,9,3,3,,2\n";
  bench whole, cut;
  (void)state;
  check(&whole, try_text(&whole, yaml, tasks));
  finish(&whole);
  check(&cut, try_text(&cut, yaml, tasks));
  finish_in_pieces(&cut, 1);
  assert_int_equal(whole.count, cut.count);
  for (size_t i = 0; i < whole.count; i++) assert_int_equal(whole.records[i].start, cut.records[i].start);
  end(&whole);
  end(&cut);
}

static void test_refused_under_yt(void **state)
{
  static const struct {
    const char *says, *text;
  } wrong[] = {{"mix: 1", "several operations"},
               {"knob: 0.5, mix: 1, score: angle", "set score: dot, or cosine"},
               {"knob: 0.5, barrier: 0.9, task: head", "leave `task` at first_fit"}};
  (void)state;
  for (size_t i = 0; i < COUNT(wrong); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml, SOURCE HOST BEATS "policy: {use: yt, %s}\n", wrong[i].says);
    assert_true(try_text(&b, yaml, TITLES "1,0,1,1,1,1,1,,1\n") < 0);
    if (!strstr(b.error.text, wrong[i].text)) fail_msg("%s: %s", wrong[i].says, b.error.text);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exchange),          cmocka_unit_test(test_exchange_by_cosine),
      cmocka_unit_test(test_of_the_job),        cmocka_unit_test(test_unfinished),
      cmocka_unit_test(test_barrier),           cmocka_unit_test(test_every_order),
      cmocka_unit_test(test_in_pieces),         cmocka_unit_test(test_refused),
      cmocka_unit_test(test_knob_under_yt),     cmocka_unit_test(test_knob_under_yt_within_limits),
      cmocka_unit_test(test_exchange_under_yt), cmocka_unit_test(test_yt_in_pieces),
      cmocka_unit_test(test_refused_under_yt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
