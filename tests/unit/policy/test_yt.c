/* test_yt.c -- the policy yt in runs: fair shares of YTsaurus's own tests, offers, starvation and victims by
 * hand.
 *
 * Fair shares are those of the last tick before a task of no other user arrives, which is how the books hear
 * that time has passed; they are read from the result's tables. */
#include "../engine/engine_test.h"
#include "base/math.h"
#include "hindcast/run.h"
#include "sample.h"

#define NEAR(a, b) assert_true((a) - (b) < 1e-9 && (b) - (a) < 1e-9)
#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, memory: mem, memory_unit: 1GB, " \
  "count: n, job: job, user: user, other: [net=net]}\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,mem,net,n,job,user\n"

/* ---- fair shares ---- */

typedef struct cell {
  const char *table, *name;
  int64_t key;
  double value;
} cell;

static hc_rc take_cell(void *ctx, const char *const *v)
{
  cell *c = ctx;
  if (strcmp(v[0], "all") == 0 && strcmp(v[1], c->table) == 0 && strcmp(v[3], c->name) == 0 &&
      strtoll(v[2], NULL, 10) == c->key)
    c->value = strtod(v[5], NULL);
  return 0;
}

static double cell_of(bench *b, const char *table, int64_t key, const char *name)
{
  cell c = {table, name, key, -1};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "cells", 6, take_cell, &c, &b->error));
  hc_result_free(r);
  return c.value;
}

static void share(bench *b, int64_t key, double cpu, double memory)
{
  NEAR(cell_of(b, "yt_operations", key, "fair_cpu"), cpu);
  NEAR(cell_of(b, "yt_operations", key, "fair_memory"), memory);
}

/* The host reports at 0 and at 1000 only, so that nothing starts. A last task of job 99 comes at 3 s. */
#define STILL(host, options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, " host "}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 1000s}\nuntil: 4s\n" \
         "policy: {use: yt, caps: false, " options "}\n"
#define PROBE "99,3,1,1,1,0,1,99,99\n"

static void still(bench *b, const char *yaml, const char *tasks)
{
  check(b, try_text(b, yaml, tasks));
  check(b, hc_run_advance(b->run, 4 * HC_SECOND, 0, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
}

/* cpu 100, memory 1000: X (100, 2000) and Y (200, 1000) of one pool. */
static void test_y1(void **state)
{
  bench b;
  (void)state;
  still(&b, STILL("cpus: 100, memory: 1000GB", "pools: [{name: p, users: [1, 2]}]"),
        TITLES "1,1,9,1,20,0,100,1,1\n2,1,9,1,5,0,200,2,2\n" PROBE);
  share(&b, 1, 1 / 3.0, 2 / 3.0);
  share(&b, 2, 2 / 3.0, 1 / 3.0);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_cpu"), 1);
  NEAR(cell_of(&b, "yt_pools", 1, "usage_cpu"), 0);
  end(&b);
}

/* A: X (10, 200), Y (3000, 10000); B: Z (2000, 100000). */
static void test_y2(void **state)
{
  bench b;
  (void)state;
  still(&b, STILL("cpus: 100, memory: 1000GB", "pools: [{name: a, users: [1, 2]}, {name: b, users: [3]}]"),
        TITLES "1,1,9,1,20,0,10,1,1\n2,1,9,30,100,0,100,2,2\n3,1,9,20,1000,0,100,3,3\n" PROBE);
  share(&b, 1, 4 / 40.0, 8 / 40.0);
  share(&b, 2, 21 / 40.0, 7 / 40.0);
  share(&b, 3, 5 / 40.0, 25 / 40.0);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_cpu"), 25 / 40.0);
  NEAR(cell_of(&b, "yt_pools", 2, "fair_memory"), 25 / 40.0);
  end(&b);
}

/* cpu, memory, net 100 each: X (10, 10, 40) of weight 10, Y (1000, 1000, 0). */
static void test_y3(void **state)
{
  bench b;
  (void)state;
  still(&b,
        STILL("cpus: 100, memory: 100GB, amounts: [net=100]",
              "pools: [{name: p, users: [1, 2]}], weights: [1=10]"),
        TITLES "1,1,9,1,1,4,10,1,1\n2,1,9,20,20,0,50,2,2\n" PROBE);
  share(&b, 1, .1, .1);
  share(&b, 2, .9, .9);
  NEAR(cell_of(&b, "yt_operations", 1, "fair_net"), .4);
  NEAR(cell_of(&b, "yt_operations", 2, "fair_net"), 0);
  end(&b);
}

#define HUNDRED "cpus: 100, memory: 100GB"
/* Each of two users wants all cores. */
#define BOTH TITLES "1,1,9,1,0,0,100,1,1\n2,1,9,1,0,0,100,2,2\n" PROBE

static void two_pools(const char *yaml, double a, double b)
{
  bench x;
  still(&x, yaml, BOTH);
  NEAR(cell_of(&x, "yt_pools", 1, "fair_cpu"), a);
  NEAR(cell_of(&x, "yt_pools", 2, "fair_cpu"), b);
  end(&x);
}

/* Guarantees of more than there is are scaled: 30 and 90 of 100 by 1/1.2, 30 and 120 by 1/1.5. In cores or as
 * shares. */
static void test_y4_y5(void **state)
{
  (void)state;
  two_pools(
      STILL(HUNDRED,
            "pools: [{name: a, strong: [cpu=30], users: [1]}, {name: b, strong: [cpu=90%], users: [2]}]"),
      .25, .75);
  two_pools(
      STILL(HUNDRED,
            "pools: [{name: a, strong: [cpu=30%], users: [1]}, {name: b, strong: [cpu=120], users: [2]}]"),
      .2, .8);
}

/* Volumes fill from 0 on: at the tick at 60 s, a flow of 0.6 has filled 36, which is 0.6 over the smoothing
 * minute. */
#define LATER(options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, " HUNDRED "}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 1000s}\nuntil: 61s\n" \
         "policy: {use: yt, caps: false, update: 1s, " options "}\n"
static void later(bench *b, const char *yaml, const char *tasks)
{
  check(b, try_text(b, yaml, tasks));
  check(b, hc_run_advance(b->run, 61 * HC_SECOND, 0, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
}

static void test_y6(void **state)
{
  bench b;
  (void)state;
  later(
      &b,
      LATER("pools: [{name: a, strong: [cpu=90%], users: [1]}, {name: b, integral: burst, burst: 0.6, flow: "
            "0.6, users: [2]}]"),
      TITLES "1,59.5,9,1,0,0,100,1,1\n2,59.5,9,1,0,0,100,2,2\n99,60.5,1,1,1,0,1,99,99\n");
  NEAR(cell_of(&b, "yt_pools", 1, "fair_cpu"), .6);
  NEAR(cell_of(&b, "yt_pools", 2, "fair_cpu"), .4);
  end(&b);
}

/* Strong 10, burst 10, relaxed 10 of weight 2, nothing of weight 3: 30 are guaranteed, 70 go 1 : 1 : 2 :
 * 3. */
static void test_y7(void **state)
{
  static const double due[] = {.2, .2, .3, .3};
  bench b;
  (void)state;
  later(
      &b,
      LATER("pools: [{name: a, strong: [cpu=10%], users: [1]}, {name: b, integral: burst, burst: 0.1, flow: "
            "0.1, users: [2]}, {name: c, integral: relaxed, flow: 0.1, weight: 2, users: [3]}, {name: d, "
            "weight: 3, users: [4]}]"),
      TITLES
      "1,59.5,9,1,0,0,100,1,1\n2,59.5,9,1,0,0,100,2,2\n3,59.5,9,1,0,0,100,3,3\n4,59.5,9,1,0,0,100,4,4\n"
      "99,60.5,1,1,1,0,1,99,99\n");
  for (int i = 0; i < 4; i++) NEAR(cell_of(&b, "yt_pools", i + 1, "fair_cpu"), due[i]);
  end(&b);
}

static void test_y8(void **state)
{
  bench b;
  (void)state;
  still(
      &b,
      STILL(HUNDRED,
            "pools: [{name: a, strong: [cpu=100], limit: [cpu=50]}, {name: b, parent: a, strong: [cpu=100%], "
            "users: [1]}]"),
      TITLES "1,1,9,1,0,0,100,1,1\n" PROBE);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_cpu"), .5);
  NEAR(cell_of(&b, "yt_pools", 2, "fair_cpu"), .5);
  end(&b);
}

static void test_y9(void **state)
{
  bench b;
  (void)state;
  still(&b, STILL("cpus: 100, memory: 1000GB", "operation: user"),
        TITLES "1,1,9,1,20,0,100,1,7\n2,1,9,1,20,0,100,2,7\n" PROBE);
  NEAR(cell_of(&b, "yt_operations", 7, "fair_cpu"), .5); /* two jobs of one user are one operation */
  NEAR(cell_of(&b, "yt_operations", 7, "fair_memory"), 1);
  end(&b);
}

/* Ten cores. Operation 1 wants twenty and has all of them from the first offer behind its admission on;
 * operation 2 comes when the first has been there for a while, and wants ten, for which nothing is stopped.
 * The tick at 1 s admits the first, which uses nothing yet: u = 0; it starts ten tasks at the offer of 1 s,
 * and u = 1 at the ticks from 2 s on. So at the tick at T, with m = 2^(-1/H): a = (1 + m + ... + m^(T - 2)) /
 * (1 + m + ... + m^(T - 1)). Operation 2 has used nothing: its weight stays 1, and the shares are w / (w + 1)
 * and 1 / (w + 1), w = 2^(-a). */
static void history_in(bool pieces, const char *options, const char *table, int64_t first, int64_t second,
                       double half_life)
{
  const int64_t last = 40;
  char yaml[700];
  double numerator = 0, denominator = 0, w;
  bench b;
  (void)snprintf(yaml, sizeof yaml,
                 SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 10}]}\n"
                        "architecture: {use: heartbeat, phase: zero, period: 1s}\nuntil: %" PRId64 ".5s\n"
                        "policy: {use: yt, preemption: none, update: 1s, %s}\n",
                 last, options);
  check(&b, try_text(&b, yaml,
                     TITLES "1,0.1,900,1,0,0,20,1,1\n2,20.1,900,1,0,0,10,2,2\n99,40.2,1,1,0,0,1,99,1\n"));
  if (pieces) finish_in_pieces(&b, 3);
  else finish(&b);
  for (int64_t t = 1; t <= last; t++) {
    const double m = hc_pow(2, -1 / half_life);
    denominator = 1 + m * denominator;
    numerator = (t > 1) + m * numerator;
  }
  w = hc_pow(2, -numerator / denominator);
  NEAR(cell_of(&b, table, first, "fair_cpu"), w / (w + 1));
  NEAR(cell_of(&b, table, second, "fair_cpu"), 1 / (w + 1));
  end(&b);
}

static void history(const char *options, const char *table, int64_t first, int64_t second, double half_life)
{
  history_in(false, options, table, first, second, half_life);
  history_in(true, options, table, first, second, half_life);
}

static void test_history(void **state)
{
  (void)state;
  history("history: 10s", "yt_operations", 1, 2, 10);
  history("history: 1s", "yt_operations", 1, 2, 1);
  history("pools: [{name: p, history: 10s, users: [1, 2]}]", "yt_operations", 1, 2, 10);
  /* of pools: what is below them does not count anew */
  history("history: 7s, pools: [{name: a, users: [1]}, {name: b, users: [2]}]", "yt_pools", 1, 2, 7);
}

/* Half of the cores are guaranteed, so half of the memory is too: P has .5 + s of it and Q s, together 1.
 * With 20 % said of the memory: .2 + s and s. */
static void test_guarantees_follow_the_main_dimension(void **state)
{
  static const char *const tasks = TITLES "1,1,9,1,100,0,10,1,1\n2,1,9,1,100,0,10,2,2\n" PROBE;
  bench b;
  (void)state;
  still(&b,
        STILL("cpus: 100, memory: 1000GB",
              "pools: [{name: p, strong: [cpu=50%], users: [1]}, {name: q, users: [2]}]"),
        tasks);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_memory"), .75);
  NEAR(cell_of(&b, "yt_pools", 2, "fair_memory"), .25);
  end(&b);
  still(&b,
        STILL("cpus: 100, memory: 1000GB",
              "pools: [{name: p, strong: [cpu=50%, memory=200GB], users: [1]}, {name: q, users: [2]}]"),
        tasks);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_memory"), .6);
  NEAR(cell_of(&b, "yt_pools", 2, "fair_memory"), .4);
  end(&b);
}

/* Two hosts of three cores hold one task of two each: 4 of 6 at best, though ten are wanted. */
static void test_caps(void **state)
{
#define TWO_HOSTS(caps) \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 3, memory: 9GB}]}\n" \
  "architecture: {use: heartbeat, phase: zero, period: 1000s}\nuntil: 4s\npolicy: {use: yt, caps: " caps \
  "}\n"
  static const char *const tasks = TITLES "1,1,9,2,0,0,10,1,1\n" PROBE;
  bench b;
  (void)state;
  still(&b, TWO_HOSTS("true"), tasks);
  share(&b, 1, 4 / 6.0, 0);
  end(&b);
  still(&b, TWO_HOSTS("false"), tasks);
  share(&b, 1, 1, 0);
  end(&b);
}

/* A pool that names the user goes before one that names the group, and that before one that names the queue;
 * user 4 is in none. All want everything: the pools a (users 1 and 5), b and c, and user 4's operation in the
 * root, are due a quarter each; within a, of priorities 3 and 1, three quarters of that and one. */
static void test_whose_pool(void **state)
{
  static const char *const yaml =
      "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, count: n, job: job, user: "
      "user, group: grp, queue: q, "
      "priority: p}\nmetrics: [tasks]\ncell: {use: hosts, classes: [{count: 1, name: c, cpus: 100}]}\n"
      "architecture: {use: heartbeat, phase: zero, period: 1000s}\nuntil: 4s\n"
      "policy: {use: yt, priorities: true, pools: [{name: c, queues: [7]}, {name: b, groups: [5]}, {name: a, "
      "users: [1, 5]}]}\n";
  bench b;
  (void)state;
  still(&b, yaml,
        "id,at,run,cpu,n,job,user,grp,q,p\n1,1,9,1,100,1,1,5,7,3\n2,1,9,1,100,2,2,5,7,1\n3,1,9,1,100,3,3,6,7,"
        "1\n"
        "4,1,9,1,100,4,4,6,8,1\n5,1,9,1,100,5,5,6,8,1\n99,3,1,1,1,99,99,9,9,1\n");
  for (int i = 1; i <= 3; i++) NEAR(cell_of(&b, "yt_pools", i, "fair_cpu"), .25);
  NEAR(cell_of(&b, "yt_operations", 1, "fair_cpu"), .25 * .75);
  NEAR(cell_of(&b, "yt_operations", 5, "fair_cpu"), .25 * .25);
  NEAR(cell_of(&b, "yt_operations", 2, "fair_cpu"), .25);
  NEAR(cell_of(&b, "yt_operations", 3, "fair_cpu"), .25);
  NEAR(cell_of(&b, "yt_operations", 4, "fair_cpu"), .25);
  end(&b);
}

/* Gangs: together they want 1.2 and neither jumps; alone it has all that it wants. */
static void test_gangs(void **state)
{
  bench b;
  (void)state;
  still(&b, STILL(HUNDRED, "pools: [{name: g, gangs: true, users: [1, 2]}]"),
        TITLES "1,1,9,1,0,0,60,1,1\n2,1,9,1,0,0,60,2,2\n" PROBE);
  share(&b, 1, 0, 0);
  share(&b, 2, 0, 0);
  end(&b);
  still(&b, STILL(HUNDRED, "pools: [{name: g, gangs: true, users: [1, 2]}]"),
        TITLES "1,1,9,1,0,0,60,1,1\n" PROBE);
  share(&b, 1, .6, 0);
  end(&b);
}

/* ---- offers ---- */

/* One host of four cores that reports at 0, 5, 10 ... and when a task ends. */
#define HOST(options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 4, memory: 40GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 5s}\npolicy: {use: yt, " options "}\n"
#define ROW(id, at, run, job) id "," at "," run ",1,1,0,1," job "," job "\n"
#define FOUR(a, b, c, d, at, run, job) \
  ROW(a, at, run, job) ROW(b, at, run, job) ROW(c, at, run, job) ROW(d, at, run, job)

static void run_until(bench *b, const char *yaml, const char *tasks, int64_t seconds)
{
  check(b, try_text(b, yaml, tasks));
  check(b, hc_run_advance(b->run, seconds > 0 ? seconds * HC_SECOND : HC_NEVER, 0, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
  read_records(b);
}

static void assert_text_starts(const char *yaml, const char *tasks, const int64_t *starts, size_t count)
{
  bench b;
  run_until(&b, yaml, tasks, 0);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != starts[i])
      fail_msg("%s\ntask %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
               start_of(&b, (int64_t)i + 1), starts[i]);
  end(&b);
}
#define STARTS(yaml, tasks, ...) \
  assert_text_starts(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

#define EIGHT TITLES FOUR("1", "2", "3", "4", "1", "10", "1") FOUR("5", "6", "7", "8", "1", "10", "2")

/* Three hosts of four cores: one with ssd, one with ssd that is slow, one without. */
#define TAGGED(options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: a, cpus: 4, features: [ssd]}, " \
         "{count: 1, name: b, cpus: 4, features: [ssd, slow]}, {count: 1, name: c, cpus: 4}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 1s}\n" \
         "policy: {use: yt, update: 1s, " options "}\n"
#define SIX \
  TITLES "1,0.1,100,1,0,0,1,1,1\n2,0.1,100,1,0,0,1,1,1\n3,0.1,100,1,0,0,1,1,1\n4,0.1,100,1,0,0,1,1,1\n" \
         "5,0.1,100,1,0,0,1,1,1\n6,0.1,100,1,0,0,1,1,1\n"

/* One operation of six tasks, seen by the tick at 1. On the host of `ssd & !slow` four run at once, and the
 * others when they end at 101; on those with ssd, and on all, six do. A pool in another uses hosts that both
 * allow: here one of four, or none, so that nothing ever starts. Being due 4 of 12 cores, it holds its whole
 * share. */
static void test_tags(void **state)
{
  bench b;
  (void)state;
  STARTS(TAGGED("pools: [{name: p, tags: ssd & !slow, users: [1]}]"), SIX, 1, 1, 1, 1, 101, 101);
  STARTS(TAGGED("pools: [{name: p, tags: ssd, users: [1]}]"), SIX, 1, 1, 1, 1, 1, 1);
  STARTS(TAGGED("pools: [{name: p, tags: slow | !ssd, users: [1]}]"), SIX, 1, 1, 1, 1, 1, 1);
  STARTS(TAGGED("pools: [{name: o, tags: ssd}, {name: p, parent: o, tags: slow || !ssd, users: [1]}]"), SIX,
         1, 1, 1, 1, 101, 101);
  run_until(&b, TAGGED("pools: [{name: p, tags: slow && !ssd, users: [1]}]") "until: 1000s\n", SIX, 0);
  for (int i = 0; i < 6; i++) assert_true(start_of(&b, i + 1) < 0);
  end(&b);
  check(&b, try_text(&b, TAGGED("pools: [{name: p, tags: ssd & !slow, users: [1]}]") "until: 40s\n",
                     SIX "7,30.1,5,1,0,0,1,2,2\n8,38.1,5,1,0,0,1,2,2\n"));
  finish_in_pieces(&b, 2);
  NEAR(cell_of(&b, "yt_pools", 1, "fair_cpu"), 4 / 12.0);
  NEAR(cell_of(&b, "yt_pools", 1, "usage_cpu"), 4 / 12.0);
  end(&b);
}

/* Ten cores. Operation 1, of a graceful pool, has all of them with ten tasks from 1 s on. Operation 2 comes
 * at 20.1 and wants five: at the tick at 21 each is due half. The oldest five tasks of operation 1 start
 * where less than half is held before them; 6 to 10 are beyond its share: they are told at the offer at 21,
 * and go at 31, 10 s later. Operation 2 starts then, before it would starve. Operation 1, which is not below
 * its share, starts nothing while it is there; that ends at 81, which the tick at 82 sees. */
#define GRACEFUL_ROWS \
  TITLES "1,0.1,900,1,0,0,1,1,1\n2,0.1,900,1,0,0,1,1,1\n3,0.1,900,1,0,0,1,1,1\n4,0.1,900,1,0,0,1,1,1\n" \
         "5,0.1,900,1,0,0,1,1,1\n6,0.1,900,1,0,0,1,1,1\n7,0.1,900,1,0,0,1,1,1\n8,0.1,900,1,0,0,1,1,1\n" \
         "9,0.1,900,1,0,0,1,1,1\n10,0.1,900,1,0,0,1,1,1\n" \
         "11,20.1,50,1,0,0,1,2,2\n12,20.1,50,1,0,0,1,2,2\n13,20.1,50,1,0,0,1,2,2\n14,20.1,50,1,0,0,1,2,2\n" \
         "15,20.1,50,1,0,0,1,2,2\n"
#define GRACEFUL(options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 10}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 1s}\n" \
         "policy: {use: yt, update: 1s, grace: 10s, pools: [{name: g, graceful: true, users: [1]}, " \
         "{name: p, users: [2]}], " options "}\n"

static void test_graceful(void **state)
{
  (void)state;
  STARTS(GRACEFUL("on_grace: requeue"), GRACEFUL_ROWS, 1, 1, 1, 1, 1, 82, 82, 82, 82, 82, 31, 31, 31, 31, 31);
  /* no others are stopped for them, however long they starve */
  STARTS(GRACEFUL("starving_after: 1s"), GRACEFUL_ROWS, 1, 1, 1, 1, 1, 82, 82, 82, 82, 82, 31, 31, 31, 31,
         31);
}

/* Two operations of four tasks, at 5. Equal weights: each is due half. Both have nothing: the first to come,
 * then the other; 1/4 over 1/2 each, and again. Weights 3 to 1: due 3/4 and 1/4. Task 1 (1/3 satisfied), 5
 * (1), 2 (2/3), 3. */
static void test_order(void **state)
{
  (void)state;
  STARTS(HOST(""), EIGHT, 5, 5, 15, 15, 5, 5, 15, 15);
  STARTS(HOST("weights: [1=3]"), EIGHT, 5, 5, 5, 15, 5, 15, 15, 15);
}

/* An operation that no tick has seen is not offered anything. Ticks are at 2, 4, 6 ...: a task of 4.5 s is
 * seen at 6 and starts at 10. With ticks of 0.2 s a task that comes with the report at 5 is not seen by it,
 * but at 6, when the others end; with update 0 it is. */
static void test_ticks(void **state)
{
  static const char *const tasks = TITLES FOUR("1", "2", "3", "4", "3", "1", "1") ROW("5", "5", "1", "2");
  (void)state;
  STARTS(HOST("update: 2s"), TITLES ROW("1", "4.5", "1", "1"), 10);
  STARTS(HOST(""), tasks, 5, 5, 5, 5, 6);
  STARTS(HOST("update: 0"), TITLES ROW("1", "5", "1", "1"), 5);
}

/* Of a job due everything and one due nothing the second is sated: a fifo pool serves the first alone. */
static void test_fifo(void **state)
{
  (void)state;
  STARTS(HOST("pools: [{name: f, mode: fifo, users: [1, 2]}]"), EIGHT, 5, 5, 5, 5, 15, 15, 15, 15);
}

/* A limit of two cores, and of one operation at a time: at 15 the first has ended, which the tick at 15.2
 * sees; the second is offered the host at 20. */
static void test_limits(void **state)
{
  bench b;
  (void)state;
  STARTS(HOST("pools: [{name: p, limit: [cpu=2], users: [1]}]"), EIGHT, 5, 5, 15, 15, 5, 5, 15, 15);
  STARTS(HOST("pools: [{name: p, limit: [cpu=25%], users: [1]}]"), EIGHT, 5, 15, 25, 35, 5, 5, 5, 15);
  STARTS(HOST("pools: [{name: p, max_running: 1, users: [1, 2]}]"), EIGHT, 5, 5, 5, 5, 20, 20, 20, 20);
  /* The tick that admits the second sees what it wants, though nothing of it has changed since it came. */
  run_until(&b, HOST("pools: [{name: p, max_running: 1, users: [1, 2]}]"), EIGHT ROW("99", "17", "1", "99"),
            18);
  share(&b, 2, 1, .1);
  end(&b);
  run_until(&b, HOST("pools: [{name: p, limit: [cpu=1], users: [1]}]"),
            TITLES FOUR("1", "2", "3", "4", "1", "10", "1"), 12);
  assert_int_equal((int)figure(&b, "yt_passed_limits"), 2); /* at 5, after the first, and at 10 */
  assert_int_equal((int)figure(&b, "yt_starts"), 1);
  end(&b);
}

/* The first offer is refused since no other is remembered. YTsaurus: then one task starts all the same, and
 * the offer is over. At 10 what was refused, (1, 1) of the cell, is compared with what is left, (3/4, 39/40),
 * for a task of (1/4, 1/40): (1 - cos) |f| / |d| is 1.27 and 1.54, less by more than 0.05 but not by half:
 * accepted, at (1/2, 38/40) too (1.62 at most 1.5 times 1.27 = 1.91). Without the fallback nothing starts at
 * 5, and both at 10. */
static void test_refusal(void **state)
{
  static const char *const tasks = TITLES ROW("1", "1", "100", "1") ROW("2", "1", "100", "1");
  bench b;
  (void)state;
  STARTS(HOST("accept: {use: refusal, at_first: 1}"), tasks, 5, 10);
  STARTS(HOST("accept: {use: refusal, at_first: 1}, fallback: none"), tasks, 10, 10);
  run_until(&b, HOST("accept: {use: refusal, at_first: 1}"), tasks, 12);
  assert_int_equal((int)figure(&b, "yt_passed_packing"), 1);
  assert_int_equal((int)figure(&b, "yt_fallbacks"), 1);
  assert_int_equal((int)figure(&b, "yt_starts"), 2);
  end(&b);
}

/* Each operation remembers its own offers, and a new one none: the user's second job comes at 15, is seen at
 * 15.2, and refuses at 20.
 * Where the operation is the user, it has never gone: at 15, when 1 has ended, it takes what it is
 * offered. */
static void test_memory_is_the_operations(void **state)
{
  static const char *const tasks = TITLES "1,1,5,1,1,0,1,1,1\n2,15,5,1,1,0,1,2,1\n";
  (void)state;
  STARTS(HOST("accept: {use: refusal, at_first: 1}, fallback: none"), tasks, 10, 25);
  STARTS(HOST("accept: {use: refusal, at_first: 1}, fallback: none, operation: user"), tasks, 10, 15);
}

/* What was started makes those who refused look again: user 2's tasks refuse all that is free, and want what
 * user 1 leaves. */
static void test_heads_and_shapes(void **state)
{
  static const char *const tasks = TITLES "1,1,100,3,1,0,1,1,1\n2,1,10,3,1,0,1,1,1\n3,1,10,1,1,0,1,1,1\n";
  (void)state;
  STARTS(HOST("task: first_fit"), tasks, 5, 105, 5);
  STARTS(HOST("task: head"), tasks, 5, 105, 105);
}

/* ---- acceptance ---- */

/* Hosts of random sizes are each offered once, idle. Without tolerances an offer is taken if at most 3 of the
 * 15 before it were better: with probability 4/16. Offers of one run depend on each other, those of runs on
 * other cells do not: of 20 runs of 1,500 hosts the mean share may differ from 1/4 by 3.883 standard errors,
 * which a right one does in one of a thousand cases (t, 19 degrees of freedom). The seeds are fixed. */
#define RUNS 20
static double taken_share(int seed)
{
  char yaml[1024];
  bench b;
  double taken, refused;
  (void)snprintf(
      yaml, sizeof yaml,
      SOURCE
      "cell: {use: lognormal, count: 1500, seed: %d}\nuntil: 1500s\ntask_rows: none\n"
      "architecture: {use: heartbeat, period: 1500s, phase: staggered}\n"
      "policy: {use: yt, preemption: none, fallback: none, eligibility: {use: expr, when: idle}, accept: "
      "{use: refusal, at_first: 15, window: 15, better: 3, absolute: 0, relative: 1}}\n",
      seed);
  check(&b, try_text(&b, yaml, TITLES "1,0,100000,2,3,0,1000,1,1\n"));
  check(&b, hc_run_advance(b.run, 1500 * HC_SECOND, 0, &b.error));
  check(&b, hc_run_finish(b.run, &b.error));
  taken = figure(&b, "yt_starts");
  refused = figure(&b, "yt_passed_packing") - 15;
  end(&b);
  assert_true(taken + refused > 1450);
  return taken / (taken + refused);
}

static void test_acceptance(void **state)
{
  double sum = 0, squares = 0, mean, error;
  (void)state;
  hc_test_skip_repeated();
  for (int i = 0; i < RUNS; i++) {
    const double x = taken_share(i + 1) - .25;
    sum += x;
    squares += x * x;
  }
  mean = sum / RUNS;
  error = (squares - sum * mean) / (RUNS - 1) / RUNS; /* its square */
  assert_true(error < .01 * .01);
  if (mean * mean > 3.883 * 3.883 * error) fail_msg("of all offers %g were taken", .25 + mean);
}

/* ---- starvation ---- */

/* Operation 1 holds all four cores from 5 on. At 10.2, the tick after operation 2 came, each is due two; 2
 * has none and is below its fair share. That has lasted for more than 30 s at 40.4, so at the report at 45
 * one task makes room: of 1's tasks the third and fourth are beyond its two cores, and of tasks that started
 * together the higher goes. Five seconds later the other. Both wait behind: 5 and 6 end at 145 and 150, and
 * 4, the first to wait again, starts first. */
#define LONG \
  TITLES FOUR("1", "2", "3", "4", "1", "1000", "1") ROW("5", "10", "100", "2") ROW("6", "10", "100", "2")
static void test_starvation(void **state)
{
  bench b;
  (void)state;
  STARTS(HOST(""), LONG, 5, 5, 150, 145, 45, 50);
  STARTS(HOST("preemption: none"), LONG, 5, 5, 5, 5, 1005, 1005);
  STARTS(HOST("backoff: 15s"), LONG, 5, 5, 160, 145, 45, 60);
  STARTS(HOST("starving_after: 1m"), LONG, 5, 5, 180, 175, 75, 80);
  run_until(&b, HOST(""), LONG, 60);
  assert_int_equal((int)figure(&b, "yt_preempted"), 2);
  assert_int_equal((int)figure(&b, "yt_preempting"), 2);
  end(&b);
}

/* One core of four held of two that are due is below 0.8 of them; three of four that are due is not, with
 * 0.7. An operation whose whole demand is due to it starves if anything is missing, whatever the tolerance:
 * so this one wants more than that. */
static void test_tolerance(void **state)
{
  static const char *const tasks =
      TITLES "1,1,1000,1,1,0,3,1,1\n2,1,1000,1,1,0,1,2,2\n3,10,1000,1,1,0,4,2,2\n";
  bench b;
  (void)state;
  run_until(&b, HOST("tolerance: 0.8"), tasks, 100);
  assert_int_equal((int)figure(&b, "yt_preempting"), 1);
  end(&b);
  run_until(&b, HOST("tolerance: 0.5"), tasks, 100); /* 1 is not less than 0.5 times 2 */
  assert_int_equal((int)figure(&b, "yt_preempting"), 0);
  end(&b);
}

/* Operation 2 wants three cores at once and is due two. Only two of 1's tasks are beyond its two cores: it
 * starves. Once it does so badly, all may go before which 1 held 0.2 of its fair share: three. */
static void test_aggressive(void **state)
{
  static const char *const tasks = TITLES FOUR("1", "2", "3", "4", "1", "1000", "1") "5,10,100,3,1,0,1,2,2\n";
  bench b;
  (void)state;
  STARTS(HOST(""), tasks, 5, 5, 5, 5, 1005);
  run_until(&b, HOST("badly_after: 1m"), tasks, 80); /* badly at 70.4 */
  assert_int_equal(start_of(&b, 5), 75);
  assert_int_equal(start_of(&b, 1), 5);
  assert_int_equal((int)figure(&b, "yt_preempted"), 3);
  end(&b);
}

/* Twelve cores; pools A (user 1 holds eight), B (user 2 holds four, user 3 comes), C (user 4 comes). C is due
 * the two it wants, A and B five each; of B's, 2 and 3 are due 2.5. At 45 user 4 is first. The newest task
 * that may go is 2's fourth; but B holds less than it is due, so that its tasks go for B only, and A's newest
 * goes. With content: 0 that is not looked at. */
static void test_short_pools_are_spared(void **state)
{
#define POOLS(options) \
  SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 12, memory: 90GB}]}\n" \
         "architecture: {use: heartbeat, phase: zero, period: 5s}\npolicy: {use: yt, " options \
         "pools: [{name: a, users: [1]}, {name: b, users: [2, 3]}, {name: c, users: [4]}]}\n"
  static const char *const tasks =
      TITLES FOUR("1", "2", "3", "4", "1", "1000", "1") FOUR("5", "6", "7", "8", "1", "1000", "1")
          FOUR("9", "10", "11", "12", "6", "1000", "2") ROW("13", "11", "1000", "4")
              ROW("14", "11", "1000", "4") FOUR("15", "16", "17", "18", "12", "1000", "3");
  bench b;
  (void)state;
  run_until(&b, POOLS(""), tasks, 47);
  assert_int_equal(start_of(&b, 13), 45);
  assert_int_equal(start_of(&b, 8), NEVER_STARTED);
  assert_int_equal(start_of(&b, 12), 10);
  end(&b);
  run_until(&b, POOLS("content: 0, "), tasks, 47);
  assert_int_equal(start_of(&b, 13), 45);
  assert_int_equal(start_of(&b, 8), 5);
  assert_int_equal(start_of(&b, 12), NEVER_STARTED);
  end(&b);
}

/* ---- what cannot be ---- */

static void assert_refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_text(&b, yaml, EIGHT);
  assert_true(rc < 0);
  if (!strstr(b.error.text, text)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 4}]}\npolicy: yt\n",
                 "architecture heartbeat");
  assert_refused(HOST("update: 0, history: 1d"), "give update a period");
  assert_refused(HOST("pools: [{name: p, tags: fast}]"), "fast");
  assert_refused(HOST("pools: [{users: [1]}]"), "no name");
  assert_refused(HOST("pools: [{name: a}, {name: a}]"), "two pools a");
  assert_refused(HOST("pools: [{name: a, parent: b}, {name: b, parent: a}]"), "its own ancestor");
  assert_refused(HOST("pools: [{name: a, parent: x}]"), "no pool x");
  assert_refused(HOST("pools: [{name: a, mode: fifo}, {name: b, parent: a}]"), "fifo");
  assert_refused(HOST("pools: [{name: a, weight: 0}]"), "0");
  assert_refused(HOST("pools: [{name: a, users: [1]}, {name: b, users: [1]}]"), "two pools");
  assert_refused(HOST("pools: [{name: a, strong: [cpu]}]"), "cpu=100");
  assert_refused(HOST("pools: [{name: a, limit: [cpu=many]}]"), "cpu=100");
  assert_refused(HOST("pools: [{name: a, integral: burst, flow: 1}]"), "belongs together");
  assert_refused(HOST("pools: [{name: a, flow: 1}]"), "belongs together");
  assert_refused(HOST("weights: [1=0]"), "ann=2");
  assert_refused(HOST("weights: [1=2, 1=3]"), "second entry");
  assert_refused(SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 4}]}\n"
                        "policy: {use: fair, share: hdrf, pools: [{name: a, strong: [cpu=3]}]}\n",
                 "use yt");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_y1),
      cmocka_unit_test(test_y2),
      cmocka_unit_test(test_y3),
      cmocka_unit_test(test_y4_y5),
      cmocka_unit_test(test_y6),
      cmocka_unit_test(test_y7),
      cmocka_unit_test(test_y8),
      cmocka_unit_test(test_y9),
      cmocka_unit_test(test_history),
      cmocka_unit_test(test_tags),
      cmocka_unit_test(test_graceful),
      cmocka_unit_test(test_guarantees_follow_the_main_dimension),
      cmocka_unit_test(test_caps),
      cmocka_unit_test(test_whose_pool),
      cmocka_unit_test(test_gangs),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_ticks),
      cmocka_unit_test(test_fifo),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_refusal),
      cmocka_unit_test(test_memory_is_the_operations),
      cmocka_unit_test(test_heads_and_shapes),
      cmocka_unit_test(test_acceptance),
      cmocka_unit_test(test_starvation),
      cmocka_unit_test(test_tolerance),
      cmocka_unit_test(test_aggressive),
      cmocka_unit_test(test_short_pools_are_spared),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
