/* test_functions.c -- the closed world `functions`: vectors of DSLab FaaS to the clock's nanosecond, cases
 * worked by hand, and the contended cores against a recomputation at each event. */
#define _GNU_SOURCE
#include "../omega/world_test.h"

#include "base/math.h"
#include "base/util.h"

#define MOST 600

static size_t rows(world *w, hc_task_record *out)
{
  hc_error e = {0};
  size_t n = 0, got;
  bool rewind = true;
  do {
    check(hc_result_tasks(w->result, rewind, out + n, MOST - n, &got, &e), &e);
    rewind = false;
    n += got;
  } while (got > 0);
  return n;
}

/* The end of each invocation, in s, by the order of arrival. */
static size_t ends(world *w, double *out)
{
  static hc_task_record r[MOST];
  const size_t n = rows(w, r);
  for (size_t i = 0; i < n; i++) out[r[i].serial] = (double)r[i].end / 1e9;
  return n;
}

static void ends_are(world *w, const double *want, size_t n)
{
  double got[MOST];
  assert_int_equal(ends(w, got), n);
  for (size_t i = 0; i < n; i++) near(got[i], want[i]);
}

static const double rounded = 1e-9; /* what an end may be late by */

static void about(double got, double want)
{
  if (!(got - want <= rounded && want - got <= rounded)) fail_msg("got %.17g, expected %.17g", got, want);
}

/* ---- vectors: DSLab FaaS, tests of CPU contention ---- */

/* V44. Ten busy containers of one core each on four cores: each is at 0.4. */
static void test_v44(void **state)
{
  world w =
      run("world: {use: functions, nodes: {cores: 4}, applications: [{name: a, memory: 1, start: 0}], "
          "invocations: [{use: laws, application: a, interval: 0, duration: 1, count: 1, bundle: 10}]}");
  double got[MOST];
  (void)state;
  assert_int_equal(ends(&w, got), 10);
  for (int i = 0; i < 10; i++) about(got[i], 2.5);
  about(figure(&w, "execution_slowdown_mean"), 1.5);
  near(figure(&w, "core_utilisation"), 1);
  done(&w);
}

/* V45. Shares of 5 x 2 + 5 x 3 = 25 on 7 cores: the short ones end at 25/7. Then 15 on 7: a second of work is
 * left, which takes 15/7. */
static void test_v45(void **state)
{
  world w = run(
      "world: {use: functions, nodes: {cores: 7}, applications: [{name: a, memory: 1, start: 0, share: 2}, "
      "{name: b, memory: 1, start: 0, share: 3}], invocations: ["
      "{use: laws, application: a, interval: 0, duration: 1, count: 1, bundle: 5}, "
      "{use: laws, application: b, interval: 0, duration: 2, count: 1, bundle: 5}]}");
  double got[MOST];
  (void)state;
  assert_int_equal(ends(&w, got), 10);
  for (int i = 0; i < 10; i++) about(got[i], i < 5 ? 25.0 / 7 : 40.0 / 7);
  about(figure(&w, "execution_slowdown_mean"), 3.142857142857143);
  about(figure(&w, "execution_slowdown_relative_mean"), 2.214285714285714);
  done(&w);
}

/* V46. Until 0.5 the later ones of share 3 are at 7/15, then all at 7/25; the others end alone, at 7/10. */
static void test_v46(void **state)
{
  world w = run(
      "world: {use: functions, nodes: {cores: 7}, applications: [{name: a, memory: 1, start: 0, share: 2}, "
      "{name: b, memory: 1, start: 0, share: 3}], invocations: ["
      "{use: laws, application: a, from: 0.5, interval: 0, duration: 2, count: 1, bundle: 5}, "
      "{use: laws, application: b, interval: 0, duration: 2, count: 1, bundle: 5}]}");
  double got[MOST];
  (void)state;
  assert_int_equal(ends(&w, got), 10);
  for (int i = 0; i < 10; i++) about(got[i], i < 5 ? 6.809523809523810 : 7.142857142857143);
  done(&w);
}

/* V47. Shares of 3 on 2 cores; two in a container are at 1/3, three at 2/9. When the two have ended, at 3,
 * the three have 1/3 left, and go on at 1/3. */
static void test_v47(void **state)
{
  world w = run("world: {use: functions, nodes: {cores: 2}, applications: ["
                "{name: a, memory: 1, start: 0, share: 1, concurrency: 2}, "
                "{name: b, memory: 1, start: 0, share: 2, concurrency: 3}], invocations: ["
                "{use: laws, application: a, interval: 0, duration: 1, count: 1, bundle: 2}, "
                "{use: laws, application: b, interval: 0, duration: 1, count: 1, bundle: 3}]}");
  (void)state;
  ends_are(&w, (const double[]){3, 3, 4, 4, 4}, 5);
  near(figure(&w, "containers"), 2);
  done(&w);
}

#define COLD \
  "nodes: {cores: 1}, applications: [{name: f1, memory: 1}, {name: f2, memory: 1}], keep_alive: 1, " \
  "invocations: [{use: laws, application: f1, interval: 0, duration: 1, count: 1}, " \
  "{use: laws, application: f2, interval: 0, duration: 1, count: 1}, " \
  "{use: laws, application: f1, from: 3999999999ns, interval: 0, duration: 1, count: 1}]}"

/* Both start until 1, share the core until 3. f2's container is idle until 4, f1's until a nanosecond
 * before, when it is used again, and then for a second more. The clock's nanosecond is the 1e-9 of the
 * vector. */
static void test_cold_start(void **state)
{
  world w = run("world: {use: functions, " COLD);
  (void)state;
  near(figure(&w, "invocations"), 3);
  near(figure(&w, "cold_starts"), 2);
  near(figure(&w, "execution_slowdown_mean"), 2.0 / 3);
  near(figure(&w, "total_slowdown_mean"), 4.0 / 3);
  near(figure(&w, "cold_start_latency_mean"), 1);
  if (figure(&w, "wasted_memory_time") != 2.999999999) fail_msg("%.17g", figure(&w, "wasted_memory_time"));
  /* From 0 to 4 and from 0 to 6 - 1e-9. */
  near(figure(&w, "held_memory_time"), 10 - 1e-9);
  done(&w);
}

/* Without reset f1's second began to run at 3, and ends at 4: it is busy then, and not kept when it is
 * done. */
static void test_keep_alive_once(void **state)
{
  world w = run("world: {use: functions, reset: false, " COLD);
  (void)state;
  near(figure(&w, "cold_starts"), 2);
  near(figure(&w, "wasted_memory_time"), 2 - 1e-9);
  near(figure(&w, "held_memory_time"), 4 + 5 - 1e-9);
  done(&w);
}

/* ---- by hand ---- */

/* An invocation at exactly the time at which its container expires is cold; one at exactly the time at which
 * another ends is not. */
static void test_ties(void **state)
{
  world w =
      run("world: {use: functions, keep_alive: 1, nodes: {cores: 1}, applications: [{name: a, memory: 1}], "
          "invocations: [{use: laws, application: a, from: 0, interval: 3, duration: 1, count: 2}]}");
  (void)state; /* at 3 and 6: up at 4, idle at 5, gone at 6 */
  near(figure(&w, "cold_starts"), 2);
  done(&w);
  w = run("world: {use: functions, keep_alive: 1, nodes: {cores: 1}, applications: [{name: a, memory: 1}], "
          "invocations: [{use: laws, application: a, from: 0, interval: 2, duration: 1, count: 2}]}");
  near(figure(&w, "cold_starts"), 1); /* at 2 and 4: up at 3, idle at 4 */
  near(figure(&w, "wasted_memory_time"), 1);
  ends_are(&w, (const double[]){4, 5}, 2);
  done(&w);
}

/* Isolated on four cores: shares 3, 2, 1 of a second each. The second waits for the first; the third fits
 * beside it and begins at once. At 1 both cores are free again, and the second takes until 2. */
static void test_isolated(void **state)
{
  world w = run("world: {use: functions, cpu: isolated, nodes: {cores: 4}, applications: ["
                "{name: a, memory: 1, start: 0, share: 3}, {name: b, memory: 1, start: 0, share: 2}, "
                "{name: c, memory: 1, start: 0, share: 1}], invocations: ["
                "{use: laws, application: a, interval: 0, duration: 1, count: 1}, "
                "{use: laws, application: b, interval: 0, duration: 1, count: 1}, "
                "{use: laws, application: c, interval: 0, duration: 1, count: 1}]}");
  (void)state;
  ends_are(&w, (const double[]){1, 2, 1}, 3);
  near(figure(&w, "execution_slowdown_mean"), 1.0 / 3); /* waiting for cores is execution */
  near(figure(&w, "core_utilisation"), (4.0 + 2) / 8);
  done(&w);
}

/* A container that waits for cores takes further invocations, which wait with it: both of b run from 1 to
 * 2. */
static void test_isolated_together(void **state)
{
  world w =
      run("world: {use: functions, cpu: isolated, nodes: {cores: 1}, applications: ["
          "{name: a, memory: 1, start: 0}, {name: b, memory: 1, start: 0, concurrency: 2}], invocations: ["
          "{use: laws, application: a, interval: 0, duration: 1, count: 1}, "
          "{use: laws, application: b, interval: 0, duration: 1, count: 1}, "
          "{use: laws, application: b, interval: 0.5, duration: 1, count: 1}]}");
  (void)state;
  ends_are(&w, (const double[]){1, 2, 2}, 3);
  done(&w);
}

/* Ignored: whatever the cores, each takes what it takes. */
static void test_ignored(void **state)
{
  world w =
      run("world: {use: functions, cpu: ignored, nodes: {cores: 1}, applications: [{name: a, memory: 1, "
          "start: 0, concurrency: 4}], invocations: [{use: laws, application: a, interval: 0, duration: 2, "
          "count: 1, bundle: 10}]}");
  (void)state;
  near(figure(&w, "makespan"), 2);
  near(figure(&w, "containers"), 3);
  near(figure(&w, "core_utilisation"), 1); /* as much as there is */
  done(&w);
}

/* Memory for two containers of a, or one of b; keep_alive 0. a runs from 0 to 2 and from 0 to 1. b comes at
 * 0.5 and needs both to go, a third a at 0.6 and a fourth at 1.5 need one.
 *   greedy  the third a runs from 1 to 2, the fourth, queued at 1.5, from 2, when the first ends, to 3; b
 *           from 3
 *   fifo    the third a is behind b, but the fourth need not wait at 1.5: it runs to 2.5, b to 3.5, the third
 *           to 4.5
 *   strict  both are behind b, which runs from 2 to 3, and then run together */
static void test_queue(void **state)
{
  static const struct {
    const char *invoker;
    double ends[5];
  } cases[] = {{"greedy", {2, 1, 4, 2, 3}}, {"fifo", {2, 1, 3.5, 4.5, 2.5}}, {"strict", {2, 1, 3, 4, 4}}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[900];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: functions, invoker: %s, keep_alive: 0, nodes: {cores: 8, memory: 2}, applications: "
        "[{name: a, memory: 1, start: 0}, {name: b, memory: 2, start: 0}], invocations: ["
        "{use: laws, application: a, interval: 0, duration: 2, count: 1}, "
        "{use: laws, application: a, interval: 0, duration: 1, count: 1}, "
        "{use: laws, application: b, interval: 0.5, duration: 1, count: 1}, "
        "{use: laws, application: a, interval: 0.6, duration: 1, count: 1}, "
        "{use: laws, application: a, interval: 1.5, duration: 1, count: 1}]}",
        cases[i].invoker);
    w = run(text);
    ends_are(&w, cases[i].ends, 5);
    done(&w);
  }
}

/* Used at 2, 12 and 22, a second each, after a cold start. Prewarm 8: gone at 4, made again at 12: the start
 * is not over when it is used at 12, and it waits for the rest of it: a second. At 14 gone, made at 22: the
 * same. With prewarm 6: made at 10, up at 11, used at 12 while it is idle. */
static void test_prewarm(void **state)
{
  static const char text[] =
      "world: {use: functions, prewarm: %d, nodes: {cores: 1}, applications: [{name: a, memory: 1}], "
      "invocations: ["
      "{use: laws, application: a, from: 2, interval: 0, duration: 1, count: 1}, "
      "{use: laws, application: a, from: 12, interval: 0, duration: 1, count: 1}, "
      "{use: laws, application: a, from: 22, interval: 0, duration: 1, count: 1}], keep_alive: 30}";
  (void)state;
  for (int prewarm = 6; prewarm <= 8; prewarm += 2) {
    char given[600];
    world w;
    (void)snprintf(given, sizeof given, text, prewarm);
    w = run(given);
    near(figure(&w, "cold_starts"), prewarm == 6 ? 1 : 3);
    near(figure(&w, "containers_ahead"), 3);
    done(&w);
  }
}

/* Of three hosts the second is too small for any container. Six invocations at once, each with a
 * container. */
static void test_schedulers(void **state)
{
  static const struct {
    const char *keys;
    int64_t hosts[4];
  } cases[] = {{"scheduler: first_fit", {1, 1, 3, 3}},
               {"scheduler: round_robin", {1, 3, 1, 3}},
               {"scheduler: least_loaded, load: invocations", {1, 3, 1, 3}},
               {"scheduler: hash", {1, 1, 3, 3}},
               {"scheduler: hash, hash_step: 2, warm_first: false", {1, 1, 3, 3}}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    static hc_task_record r[MOST];
    char text[600];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: functions, %s, nodes: [{cores: 4, memory: 2}, {cores: 4, memory: 1}, {cores: 4, "
        "memory: 4}], applications: [{name: a, memory: 2, start: 0}], invocations: ["
        "{use: laws, application: a, interval: 0, duration: 1, count: 4}]}",
        cases[i].keys);
    if (i == 0 || i >= 3) /* the first has memory for two */
      (void)snprintf(
          text, sizeof text,
          "world: {use: functions, %s, nodes: [{cores: 4, memory: 4}, {cores: 4, memory: 1}, {cores: 4, "
          "memory: 4}], applications: [{name: a, memory: 2, start: 0}], invocations: ["
          "{use: laws, application: a, interval: 0, duration: 1, count: 4}]}",
          cases[i].keys);
    w = run(text);
    assert_int_equal(rows(&w, r), 4);
    for (int k = 0; k < 4; k++) assert_int_equal(r[k].partition, cases[i].hosts[r[k].serial]);
    done(&w);
  }
}

/* The host with a container that is up is preferred among equals: a ran on the second, since b was on the
 * first. */
static void test_prefers_warm(void **state)
{
  (void)state;
  for (int prefers = 0; prefers <= 1; prefers++) {
    static hc_task_record r[MOST];
    char text[700];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: functions, scheduler: least_loaded, prefer_warm: %s, nodes: {count: 2, cores: 1}, "
        "applications: [{name: a, memory: 1, start: 0}, {name: b, memory: 1, start: 0}], invocations: ["
        "{use: laws, application: b, interval: 0, duration: 2, count: 1}, "
        "{use: laws, application: a, interval: 0.5, duration: 1, count: 1}, "
        "{use: laws, application: a, interval: 5, duration: 1, count: 1}]}",
        prefers ? "true" : "false");
    w = run(text);
    assert_int_equal(rows(&w, r), 3);
    assert_int_equal(r[2].partition, prefers ? 2 : 1);
    near(figure(&w, "cold_starts"), prefers ? 2 : 3);
    done(&w);
  }
}

/* Cut off at 3, which still happens. They come at 1, 2 and 3: the first begins at 2. At 2 a second container
 * is made, which is up at 3; by then the first has a container to give to the third. */
static void test_until(void **state)
{
  world w =
      run("{until: 3, world: {use: functions, nodes: {cores: 1, memory: 2}, applications: [{name: a, memory: "
          "1}], "
          "invocations: [{use: laws, application: a, interval: 1, duration: 1, count: 4}]}}");
  static hc_task_record r[MOST];
  (void)state;
  assert_int_equal(rows(&w, r), 3);
  assert_int_equal(r[0].final, HC_FINAL_COMPLETED);
  assert_int_equal(r[0].end, 3 * HC_SECOND);
  assert_int_equal(r[1].final, HC_FINAL_RUNNING);
  assert_int_equal(r[1].start, 3 * HC_SECOND);
  assert_int_equal(r[2].final, HC_FINAL_RUNNING);
  near(figure(&w, "makespan"), 3);
  near(figure(&w, "invocations"), 3);
  done(&w);
}

/* ---- the contended model against a recomputation ---- */

#define CALLS 200
#define CORES 3

typedef struct call {
  double arrival, left, end;
  int together; /* of the application whose invocations are all in one container */
  int number;
} call;

static void recompute(call *calls, int n)
{
  double now = 0;
  for (int ended = 0; ended < n;) {
    double load = 0, step = 1e300;
    int together = 0;
    for (int i = 0; i < n; i++) {
      if (calls[i].arrival > now || calls[i].left <= 0) continue;
      if (calls[i].together) together++;
      else load += 0.75;
    }
    if (together > 0) load += 1.5;
    for (int i = 0; i < n; i++) {
      const double speed = HC_MIN(1.0, CORES / load) / (calls[i].together ? together : 1);
      if (calls[i].left <= 0) continue;
      step = HC_MIN(step, calls[i].arrival > now ? calls[i].arrival - now : calls[i].left / speed);
    }
    for (int i = 0; i < n; i++) {
      const double speed = HC_MIN(1.0, CORES / load) / (calls[i].together ? together : 1);
      if (calls[i].arrival > now || calls[i].left <= 0) continue;
      calls[i].left -= step * speed;
      if (calls[i].left > 1e-12) continue;
      calls[i].left = 0;
      calls[i].end = now + step;
      ended++;
    }
    now += step;
  }
}

/* Rounding up to a nanosecond is all that differs: it adds up from no end to another. */
static void test_recomputed(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    char *text = malloc(CALLS * 160 + 600);
    size_t at;
    hc_draws d = {.seed = seed};
    call calls[CALLS];
    double got[MOST];
    world w;
    at = (size_t)sprintf(text,
                         "world: {use: functions, nodes: {cores: %d}, keep_alive: never, applications: ["
                         "{name: a, memory: 1, start: 0, share: 0.75}, {name: b, memory: 1, start: 0, share: "
                         "1.5, concurrency: 1000}], invocations: [",
                         CORES);
    double clock = 0;
    for (int i = 0; i < CALLS; i++) {
      const int64_t gap = (int64_t)hc_random_below(&d, 2000), length = 1 + (int64_t)hc_random_below(&d, 3000);
      clock += (double)gap;
      calls[i] = (call){
          .arrival = clock / 1000, .left = (double)length / 1000, .together = (int)hc_random_below(&d, 2)};
      at += (size_t)sprintf(
          text + at, "%s{use: laws, application: %s, from: %.3f, interval: 0, duration: %.3f, count: 1}",
          i ? ", " : "", calls[i].together ? "b" : "a", calls[i].arrival, calls[i].left);
    }
    (void)sprintf(text + at, "]}");
    w = run(text);
    recompute(calls, CALLS);
    assert_int_equal(ends(&w, got), CALLS);
    for (int i = 0; i < CALLS; i++) {
      const double late = got[i] - calls[i].end;
      if (late > 1.1e-9 || late < -1e-10)
        fail_msg("seed %d, invocation %d: %.12f, not %.12f", (int)seed, i, got[i], calls[i].end);
    }
    done(&w);
    free(text);
  }
}

/* Clocks are set back after 18 minutes: a container is never idle for 10 h, and what ends late is exact. */
static void test_long(void **state)
{
  world w = run(
      "world: {use: functions, nodes: {cores: 1}, applications: [{name: a, memory: 1, start: 0, concurrency: "
      "2}], invocations: [{use: laws, application: a, interval: 0, duration: 36000, count: 1}, "
      "{use: laws, application: a, interval: 10, duration: 1, count: 3000}]}");
  double got[MOST * 6];
  static hc_task_record r[MOST * 6];
  hc_error e = {0};
  size_t n;
  (void)state;
  /* Each of a second takes two beside the long one, which loses one: 36000 + 3000 in all, or a little less at
   * the end, when it is over. They do not overlap: gaps are of 10 s. */
  check(hc_result_tasks(w.result, true, r, HC_ARRAY_LEN(r), &n, &e), &e);
  assert_int_equal(n, 3001);
  for (size_t i = 0; i < n; i++) got[r[i].serial] = (double)r[i].end / 1e9;
  about(got[1], 12);
  about(got[3000], 30002);
  about(got[0], 39000);
  done(&w);
}

/* ---- what is learned of idle times ---- */

/* Invocations of a second, ten minutes after the last end. Until two idle times are known the container is
 * kept, idle for 10 minutes twice. Then head and tail are the bin of 10 to 11 minutes: it ends at once,
 * another is made 9 minutes later and kept until 12.1 minutes: for 1 minute to the fourth invocation, and
 * for 3.1 minutes behind it. 24.1 minutes in all; the first start alone is cold. */
static void test_histogram(void **state)
{
#define EVERY(gap, count) \
  "nodes: {cores: 1}, applications: {name: a, memory: 1, start: 0}, " \
  "invocations: {use: laws, application: a, interval: " gap ", duration: 1, count: " #count "}}"
  world w = run("world: {use: functions, keeper: {use: histogram, samples: 2}, " EVERY("601", 4));
  (void)state;
  near(figure(&w, "cold_starts"), 1);
  near(figure(&w, "containers"), 3);
  near(figure(&w, "containers_ahead"), 2);
  near(figure(&w, "wasted_memory_time"), 24.1 * 60);
  near(figure(&w, "learned_share"), 0.5);
  done(&w);
  /* by the keys: kept for 10 minutes, which is when the next one comes */
  w = run("world: {use: functions, keep_alive: 601, " EVERY("601", 4));
  near(figure(&w, "cold_starts"), 1);
  near(figure(&w, "wasted_memory_time"), 3 * 600 + 601);
  done(&w);
}

/* A head within the first bin: idle for 30 s twice, then kept for 1 minute and a tenth. */
static void test_histogram_of_short_times(void **state)
{
  world w = run("world: {use: functions, keeper: {use: histogram, samples: 2}, " EVERY("31", 4));
  (void)state;
  near(figure(&w, "containers"), 1);
  near(figure(&w, "wasted_memory_time"), 3 * 30 + 66);
  done(&w);
}

/* What keeps for the range, of 20 minutes in bins of 10: too few idle times; most of them beyond, so that
 * each start is cold and 20 minutes are wasted each time; and both bins alike, whose variation is 0: 1 and
 * 11 minutes by turns, the last one for 20. */
static void test_histogram_that_says_little(void **state)
{
#define TWENTY(more) "world: {use: functions, keeper: {use: histogram, bin: 10m, range: 20m" more "}, "
  world w = run(TWENTY("") EVERY("601", 4));
  (void)state;
  near(figure(&w, "wasted_memory_time"), 3 * 600 + 1200);
  near(figure(&w, "learned_share"), 0);
  done(&w);
  w = run(TWENTY(", samples: 1") EVERY("3601", 4));
  near(figure(&w, "cold_starts"), 4);
  near(figure(&w, "wasted_memory_time"), 4 * 1200);
  done(&w);
  w = run(
      TWENTY(", samples: 2") "nodes: {cores: 1}, applications: {name: a, memory: 1, start: 0}, invocations: ["
                             "{use: laws, application: a, interval: 0, duration: 1, count: 1}, "
                             "{use: laws, application: a, from: 61, interval: 0, duration: 1, count: 1}, "
                             "{use: laws, application: a, from: 722, interval: 0, duration: 1, count: 1}]}");
  near(figure(&w, "wasted_memory_time"), 60 + 660 + 1200);
  near(figure(&w, "learned_share"), 0);
  done(&w);
}

/* ---- the dataset of 2019 ---- */

typedef struct texts {
  char invocations[64], durations[64], memory[64];
} texts;

static void write_text(char *path, const char *text)
{
  (void)strcpy(path, "/tmp/functions-XXXXXX");
  const int fd = mkstemp(path);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

#define DURATIONS \
  "HashOwner,HashApp,HashFunction,Average,Count,Minimum,Maximum,percentile_Average_0,percentile_Average_1," \
  "percentile_Average_25,percentile_Average_50,percentile_Average_75,percentile_Average_99," \
  "percentile_Average_100\n"
#define MEMORY "HashOwner,HashApp,SampleCount,AverageAllocatedMb,AverageAllocatedMb_pct100\n"

static void write_day(texts *t, const char *invocations, const char *durations, const char *memory)
{
  write_text(t->invocations, invocations);
  write_text(t->durations, durations);
  write_text(t->memory, memory);
}

static void drop_day(const texts *t)
{
  (void)remove(t->invocations);
  (void)remove(t->durations);
  (void)remove(t->memory);
}

static const char *day_yaml(const texts *t, const char *more)
{
  static char text[1024];
  (void)snprintf(
      text, sizeof text,
      "world: {use: functions, nodes: {cores: 1000, memory: 1TB}, applications: {memory: 1MiB, start: 0}, "
      "invocations: {use: azure2019, file: %s, durations: %s, memory: %s%s}}",
      t->invocations, t->durations, t->memory, more);
  return text;
}

/* Two in the first minute, at 15 and 45 s, one in the third, at 150 s; each takes a second. Its container of
 * 100 MiB is idle between them and for 10 minutes at the end. g has no durations: 4 invocations are none. */
static void test_azure2019_even(void **state)
{
  texts t;
  world w;
  (void)state;
  write_day(&t, "HashOwner,HashApp,HashFunction,Trigger,1,2,3\no,a,f,http,2,0,1\no,a,g,timer,0,4,0\n",
            DURATIONS "o,a,f,1,1,1,1,1000,1000,1000,1000,1000,1000,1000\n", MEMORY "o,a,9,100,200\n");
  w = run(day_yaml(&t, ", spread: even"));
  ends_are(&w, (const double[]){16, 46, 151}, 3);
  near(figure(&w, "wasted_memory_time"), (29 + 104 + 600) * 104857600.0);
  done(&w);
  w = run(day_yaml(&t, ", spread: even, memory_is: pct100, from: 20, begin: 100"));
  ends_are(&w, (const double[]){126, 231}, 2);
  near(figure(&w, "wasted_memory_time"), (104 + 600) * 209715200.0);
  done(&w);
  w = run(day_yaml(&t, ", spread: even, until: 50"));
  ends_are(&w, (const double[]){16, 46}, 2);
  done(&w);
  drop_day(&t);
}

/* Half of them take a second, a quarter two, and a quarter between; all arrive within their minute, at times
 * that another seed draws otherwise. */
static void test_azure2019_drawn(void **state)
{
  static hc_task_record r[MOST];
  texts t;
  size_t short_ones = 0, long_ones = 0, n;
  (void)state;
  write_day(&t, "HashOwner,HashApp,HashFunction,Trigger,1,2\no,a,f,http,0,500\n",
            DURATIONS "o,a,f,1,1,1,1,1000,1000,1000,1000,2000,2000,2000\n", MEMORY);
  world w = run(day_yaml(&t, ""));
  n = rows(&w, r);
  assert_int_equal(n, 500);
  for (size_t i = 0; i < n; i++) {
    assert_in_range(r[i].submit, HC_MINUTE, 2 * HC_MINUTE - 1);
    assert_in_range(r[i].run, HC_SECOND, 2 * HC_SECOND);
    short_ones += r[i].run == HC_SECOND;
    long_ones += r[i].run == 2 * HC_SECOND;
  }
  assert_in_range(short_ones, 205, 295); /* four standard deviations */
  assert_in_range(long_ones, 86, 164);
  done(&w);
  drop_day(&t);
}

static void test_azure2019_refused(void **state)
{
  static const struct {
    const char *invocations, *durations, *memory, *what;
  } cases[] = {
      {"HashOwner,HashApp,Trigger,1\n", DURATIONS, MEMORY, "no column is called HashFunction"},
      {"HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,http,-1\n", DURATIONS, MEMORY,
       "in minute 1, got \"-1\""},
      {"HashOwner,HashApp,HashFunction,Trigger,1\no,,f,http,1\n", DURATIONS, MEMORY, "this field is empty"},
      {"HashOwner,HashApp,HashFunction,Trigger,1\n", DURATIONS "o,a,f,1,1,1,1,x,1,1,1,1,1,1\n", MEMORY,
       "got \"x\""},
      {"HashOwner,HashApp,HashFunction,Trigger,1\n", DURATIONS, "HashOwner,HashApp\n", "AverageAllocatedMb"},
      {"HashOwner,HashApp,HashFunction,Trigger,1\n", "", MEMORY, "the file is empty"},
      {"HashOwner,HashApp,HashFunction,Trigger,1\n", DURATIONS, MEMORY, "nothing is invoked"},
  };
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    texts t;
    world w = {0};
    hc_error e = {0};
    write_day(&t, cases[i].invocations, cases[i].durations, cases[i].memory);
    assert_true(try_run(day_yaml(&t, ""), &w, &e) < 0);
    if (!strstr(e.text, cases[i].what)) fail_msg("%s: %s", cases[i].what, e.text);
    hc_store_free(w.store);
    hc_config_free(w.config);
    hc_registry_free(w.registry);
    drop_day(&t);
  }
}

/* ---- what holds anyway ---- */

static void test_refusals(void **state)
{
  static const struct {
    const char *text, *what;
  } cases[] = {
      {"world: functions", "there are no hosts"},
      {"world: {use: functions, nodes: {}}", "nothing is invoked"},
      {"world: {use: functions, nodes: {}, invocations: table}", "which file"},
      {"world: {use: functions, nodes: {}, invocations: laws}", "of what, how often"},
      {"world: {use: functions, nodes: {}, invocations: {use: laws, application: x, interval: 1, duration: "
       "1, count: 1}}",
       "no application is called \"x\""},
      {"world: {use: functions, nodes: {}, applications: {name: x}, invocations: {use: laws, application: "
       "x, interval: 1, "
       "duration: 1}}",
       "until when"},
      {"world: {use: functions, nodes: {}, applications: {name: x}, invocations: {use: laws, application: "
       "x, interval: 0, "
       "duration: 1, until: 5}}",
       "gaps of 0 never end"},
      {"world: {use: functions, nodes: {}, applications: [{name: x}, {name: x}]}", "two applications"},
      {"world: {use: functions, nodes: {}, applications: {name: x, memory: 2GiB}, invocations: {use: laws, "
       "application: x, "
       "interval: 1, duration: 1, count: 1}}",
       "no host has so much"},
      {"world: {use: functions, nodes: {}, cpu: isolated, applications: {share: 2}, invocations: {use: laws, "
       "application: x, interval: 1, duration: 1, count: 1}}",
       "no host has so much"},
      {"world: {use: functions, nodes: {}, invocations: azure2019}", "which files"},
      {"world: {use: functions, nodes: {}, keeper: histogram, keep_alive: 1m}", "leave out `keep_alive`"},
      {"world: {use: functions, nodes: {}, keeper: {use: histogram, bin: 7m}}", "a whole number of bins"},
      {"world: {use: functions, nodes: {}, keeper: {use: histogram, head: 60, tail: 50}}",
       "more than the tail's"},
      {"world: {use: functions, nodes: {}, prefer_warm: true}", "scheduler: least_loaded"},
      {"world: {use: functions, nodes: {}, hash_step: 3}", "scheduler: hash"},
  };
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) assert_refused(cases[i].text, cases[i].what);
}

/* The n-th allocation fails, for every n: an error, and nothing is kept. */
static void test_out_of_memory(void **state)
{
  static const char text[] =
      "world: {use: functions, nodes: {cores: 2, memory: 4}, keeper: {use: histogram, bin: 1ms, range: 10s, "
      "samples: 3}, applications: {memory: 1}, invocations: [{use: laws, application: x, interval: 0.5, "
      "duration: 1, count: 30}, {use: laws, application: y, interval: 0.7, duration: exponential(1), count: "
      "30}]}";
  (void)state;
  assert_scarce(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_v44),
                                     cmocka_unit_test(test_v45),
                                     cmocka_unit_test(test_v46),
                                     cmocka_unit_test(test_v47),
                                     cmocka_unit_test(test_cold_start),
                                     cmocka_unit_test(test_keep_alive_once),
                                     cmocka_unit_test(test_ties),
                                     cmocka_unit_test(test_isolated),
                                     cmocka_unit_test(test_isolated_together),
                                     cmocka_unit_test(test_ignored),
                                     cmocka_unit_test(test_queue),
                                     cmocka_unit_test(test_prewarm),
                                     cmocka_unit_test(test_schedulers),
                                     cmocka_unit_test(test_prefers_warm),
                                     cmocka_unit_test(test_until),
                                     cmocka_unit_test(test_recomputed),
                                     cmocka_unit_test(test_long),
                                     cmocka_unit_test(test_histogram),
                                     cmocka_unit_test(test_histogram_of_short_times),
                                     cmocka_unit_test(test_histogram_that_says_little),
                                     cmocka_unit_test(test_azure2019_even),
                                     cmocka_unit_test(test_azure2019_drawn),
                                     cmocka_unit_test(test_azure2019_refused),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
