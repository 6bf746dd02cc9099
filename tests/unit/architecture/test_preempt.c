/* test_preempt.c -- users who starve, and tasks of higher priority, take room from others: schedules that
 * follow by hand, and random ones that other code judges. */
#include "../engine/engine_test.h"
#include "hindcast/run.h"
#include "hindcast/verify.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, memory: mem, memory_unit: 1GB, " \
  "memory_of: task, user: user, priority: prio}\nmetrics: [preemption]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,mem,user,prio\n"
#define TWO SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2, memory: 20GB}]}\n"
#define BEATS(more) TWO "architecture: {use: heartbeat, period: 5s, phase: staggered" more "}\n"
#define STARVING(more) "policy: {use: fair, preempt: {use: starving" more "}}\n"

/* In tenths of a second. */
static int64_t tenths(hc_time t)
{
  return t == HC_UNKNOWN ? -1 : t / (HC_SECOND / 10);
}

static void run_text(bench *b, const char *yaml, const char *tasks)
{
  check(b, try_text(b, yaml, tasks));
  finish(b);
}

static void assert_times(const bench *b, const char *yaml, const int64_t (*times)[2], size_t count)
{
  assert_int_equal(b->count, count);
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = record_of(b, (int64_t)i + 1);
    if (tenths(r->start) != times[i][0] || tenths(r->end) != times[i][1])
      fail_msg("%s\ntask %zu: %" PRId64 " to %" PRId64 ", should be %" PRId64 " to %" PRId64, yaml, i + 1,
               tenths(r->start), tenths(r->end), times[i][0], times[i][1]);
  }
}

static void assert_schedule(const char *yaml, const char *tasks, const int64_t (*times)[2], size_t count)
{
  bench b;
  run_text(&b, yaml, tasks);
  assert_times(&b, yaml, times, count);
  end(&b);
}
#define SCHEDULE(yaml, tasks, ...) \
  assert_schedule(yaml, tasks, (const int64_t[][2]){__VA_ARGS__}, COUNT(((const int64_t[][2]){__VA_ARGS__})))

/* ---- a figure of the summary ---- */

#define FIGURE(b, name, expected) assert_true(figure(b, name) == (expected))

/* ---- who starves ---- */

/* Two hosts of two cores; c0 reports at 0, 5, 10 ..., c1 at 2.5, 7.5 ... User 1 has four tasks of 1,000 s: 1
 * and 2 start on c0 at 0, 3 and 4 on c1 at 2.5. User 2 comes at 10 with three of 20 s; nothing is free. Its
 * demand is 3 cores, user 1's 4; four cores are shared 2 and 2. From the update at 10.2 on user 2 is below
 * 0.8 x 2, so after 40.2 it starves. */
static const char *const SEVEN =
    TITLES "1,0,1000,1,1,1,0\n2,0,1000,1,1,1,0\n3,0,1000,1,1,1,0\n4,0,1000,1,1,1,0\n"
           "5,10,20,1,1,2,0\n6,10,20,1,1,2,0\n7,10,20,1,1,2,0\n";

/* User 1's oldest task is never stopped (nothing is below 0.2 x 2), 2 only aggressively (1 core is below 2),
 * 3 and 4 freely. c1 reports at 42.5: the newest goes, 4; 5 starts. At 45 c0 has no task to stop. At 47.5
 * c1's five seconds are over, and user 2's one core is below 1.6: 3 goes for 6. At 50 user 2 has its share. 5
 * ends at 62.5: users have 2 and 1, so 7 is next; 6 ends at 67.5: user 1 waits alone, 3 starts anew; 4 does
 * at 82.5, when 7 ends. */
static void test_starving(void **state)
{
  static const int64_t times[][2] = {{0, 10000}, {0, 10000}, {675, 10675}, {825, 10825},
                                     {425, 625}, {475, 675}, {625, 825}};
  const char *yaml = BEATS("") STARVING("");
  bench b;
  (void)state;
  run_text(&b, yaml, SEVEN);
  assert_times(&b, yaml, times, COUNT(times));
  assert_int_equal(counted(&b, "hindcast", "preempted"), 2);
  /* Lost: 4 from 2.5 to 42.5, and 3 from 2.5 to 47.5: 85 s of one core and 1 GB. Claimed until 1082.5: four
   * tasks of 1,000 s, three of 20 s, and the 85 s. Of each core-second that was, with four cores from 0 on.
   */
  FIGURE(&b, "preemption_stops", 2);
  FIGURE(&b, "preemption_tasks", 2);
  FIGURE(&b, "preemption_killed", 0);
  FIGURE(&b, "preemption_share", 2.0 / 9);
  FIGURE(&b, "preemption_lost_time", 85);
  FIGURE(&b, "preemption_lost_host_time", 85);
  FIGURE(&b, "preemption_cpu_lost", 85);
  FIGURE(&b, "preemption_memory_lost", 85e9);
  FIGURE(&b, "preemption_cpu_utilisation", 4145.0 / 4330);
  FIGURE(&b, "preemption_cpu_useful", 4060.0 / 4330);
  end(&b);
  SCHEDULE(BEATS(", events: every_report") STARVING(""), SEVEN, {0, 10000}, {0, 10000}, {675, 10675},
           {825, 10825}, {425, 625}, {475, 675}, {625, 825});
}

/* User 2 wants a task of two slots of one core each: a demand of two cores, so four are shared 2 and 2, and
 * of user 1's tasks 3 and 4 may both be stopped. They are at 42.5, and start anew when 5 ends. Were the
 * demand that of one slot, user 1 would be due three cores and keep 3, and 5 would wait until 1000. */
static void test_all_slots_count(void **state)
{
  (void)state;
  SCHEDULE("source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, user: user, hosts: n}\n"
           "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2}]}\n"
           "architecture: {use: heartbeat, period: 5s, phase: staggered}\n" STARVING(""),
           "id,at,run,cpu,user,n\n1,0,1000,1,1,1\n2,0,1000,1,1,1\n3,0,1000,1,1,1\n4,0,1000,1,1,1\n"
           "5,10,20,1,2,2\n",
           {0, 10000}, {0, 10000}, {625, 10625}, {625, 10625}, {425, 625});
}

/* Killed tasks do not come back; 7 starts when 5 ends. */
static void test_killed(void **state)
{
  const char *yaml = BEATS("") STARVING(", on_preempt: kill");
  static const int64_t times[][2] = {{0, 10000}, {0, 10000}, {25, 475}, {25, 425},
                                     {425, 625}, {475, 675}, {625, 825}};
  bench b;
  (void)state;
  run_text(&b, yaml, SEVEN);
  assert_times(&b, yaml, times, COUNT(times));
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_KILLED);
  assert_int_equal(counted(&b, "finals", "killed"), 2);
  assert_int_equal(counted(&b, "hindcast", "preempt_killed"), 2);
  FIGURE(&b, "preemption_share", 2.0 / 7);
  FIGURE(&b, "preemption_lost_time", 85);
  end(&b);
}

/* 4 has done 40 s when it is stopped, 3 has done 45. Saved at any moment: 960 and 955 s are left. Every 30 s:
 * 970 and 970, and 10 + 15 lost; with an overhead of 5 s: 975 each. */
static void test_checkpoint(void **state)
{
  bench b;
  (void)state;
  SCHEDULE(BEATS("") STARVING(", on_preempt: checkpoint"), SEVEN, {0, 10000}, {0, 10000}, {675, 10225},
           {825, 10425}, {425, 625}, {475, 675}, {625, 825});
  SCHEDULE(BEATS("") STARVING(", on_preempt: checkpoint, checkpoint_every: 30s"), SEVEN, {0, 10000},
           {0, 10000}, {675, 10375}, {825, 10525}, {425, 625}, {475, 675}, {625, 825});
  run_text(&b, BEATS("") STARVING(", on_preempt: checkpoint, checkpoint_every: 30s, restart_overhead: 5s"),
           SEVEN);
  assert_int_equal(tenths(record_of(&b, 3)->end), 10425);
  assert_int_equal(tenths(record_of(&b, 4)->end), 10575);
  assert_true(record_of(&b, 4)->run == 1000 * HC_SECOND); /* what it was to run is what it was */
  FIGURE(&b, "preemption_lost_time", 25);
  FIGURE(&b, "preemption_restarts", 2);
  FIGURE(&b, "preemption_restart_time", 10);
  end(&b);
}

/* At 42.5 task 4 is told, and goes at 49.5: c1 says so, and 5 is next. What 4 still held was promised to 5,
 * so at 47.5 (c1 has been told) and at 45 nothing happens. At 49.5 the promise is over: 5 runs, 1 < 1.6, 3 is
 * told and goes at 56.5. */
static void test_grace(void **state)
{
  (void)state;
  SCHEDULE(BEATS("") STARVING(", grace: 7s"), SEVEN, {0, 10000}, {0, 10000}, {765, 10765}, {895, 10895},
           {495, 695}, {565, 765}, {695, 895});
}

/* The newest, 4, ends by itself at 45, within its grace of 7 s: no task is stopped for good, and 5 starts
 * then. */
static void test_ends_in_its_grace(void **state)
{
  static const char *const tasks =
      TITLES "1,0,1000,1,1,1,0\n2,0,1000,1,1,1,0\n3,0,1000,1,1,1,0\n4,0,425,1,1,1,0\n"
             "5,390,20,1,1,2,0\n";
  bench b;
  (void)state;
  /* User 2 wants one core of four and is due it: tolerance 1. It comes at 390, is below from 390.2 on,
   * starves after 420.2; c1 reports at 422.5. 4 ran from 2.5 to 427.5. */
  run_text(&b, BEATS("") STARVING(", grace: 7s"), tasks);
  assert_int_equal(tenths(record_of(&b, 4)->end), 4275);
  assert_int_equal(tenths(record_of(&b, 5)->start), 4275);
  assert_int_equal(counted(&b, "hindcast", "preempted"), 0);
  end(&b);
}

/* c0 at 0: users 1 and 3 take turns: tasks 1 and 3; c1 at 2.5: 2 and 4. User 2 wants one core, which is its
 * share; the others' are 1.5. Before each one's second task stands 1 core, below 1.5: nothing may be stopped
 * freely, but aggressively (1 >= 0.2 x 1.5) both may. User 2 has been below since 10.2, so badly after 70.2:
 * c1 reports at 72.5, and of two tasks that started together the one with the higher serial goes. 5 ends at
 * 122.5, before user 3 has starved for 60 s. */
static void test_aggressive(void **state)
{
  static const char *const tasks =
      TITLES "1,0,1000,1,1,1,0\n2,0,1000,1,1,1,0\n3,0,1000,1,1,3,0\n4,0,1000,1,1,3,0\n"
             "5,10,50,1,1,2,0\n";
  (void)state;
  SCHEDULE(BEATS("") STARVING(""), tasks, {0, 10000}, {25, 10025}, {0, 10000}, {25, 10025}, {10000, 10500});
  SCHEDULE(BEATS("") STARVING(", aggressive_timeout: 60s"), tasks, {0, 10000}, {25, 10025}, {0, 10000},
           {1225, 11225}, {725, 1225});
}

/* ---- priorities ---- */

/* One host of four cores. Two tasks of priority 1 and 2 (two cores each) run; at 3 one of priority 5 that
 * needs two: the lowest goes. At 5 one of priority 9 that needs four: both that run go. At 15 the two that
 * are most important start, 1 when 3 ends. */
static void test_priority(void **state)
{
#define ONE SOURCE "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 4, memory: 20GB}]}\n"
#define PRIORITY "policy: {use: fair, share: fifo, order: priority, preempt: priority}\n"
  static const char *const tasks =
      TITLES "1,0,100,2,1,1,1\n2,0,100,2,1,2,2\n3,3,50,2,1,3,5\n4,5,10,4,1,1,9\n";
  (void)state;
  SCHEDULE(ONE PRIORITY, tasks, {650, 1650}, {150, 1150}, {150, 650}, {50, 150});
  SCHEDULE(ONE PRIORITY "architecture: {use: heartbeat, period: 1s, phase: zero}\n", tasks, {650, 1650},
           {150, 1150}, {150, 650}, {50, 150});
}

/* Lowest first would stop 1 (one core), then 2 (three): a task of three cores fits without 1 going as well.
 */
static void test_fewest(void **state)
{
  static const char *const tasks = TITLES "1,0,100,1,1,1,1\n2,0,100,3,1,2,2\n3,3,50,3,1,3,5\n";
  (void)state;
  SCHEDULE(ONE PRIORITY, tasks, {0, 1000}, {530, 1530}, {30, 530});
}

/* ---- monolithic, processors ---- */

/* Four processors without hosts; the policy asks to be called when user 2 starves, a moment after 40.2, and
 * again 5 s later. */
static void test_monolithic(void **state)
{
  const char *yaml = SOURCE "cell: {use: count, procs: 4}\n" STARVING("");
  bench b;
  (void)state;
  run_text(&b, yaml, SEVEN);
  assert_true(record_of(&b, 5)->start == 40200000001);
  assert_true(record_of(&b, 6)->start == 45200000001);
  assert_true(record_of(&b, 7)->start == 60200000001);
  assert_true(record_of(&b, 1)->end == 1000 * HC_SECOND);
  assert_true(record_of(&b, 2)->end == 1000 * HC_SECOND);
  end(&b);
}

/* ---- random workloads ---- */

static uint64_t drawn;
static uint64_t draw(uint64_t below)
{
  drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (drawn >> 33) % below;
}

static void random_tasks(char *text, size_t size, uint64_t seed)
{
  size_t n = (size_t)snprintf(text, size, "%s", TITLES);
  uint64_t at = 0;
  drawn = seed;
  for (int i = 1; i <= 150; i++) {
    at += draw(8);
    n += (size_t)snprintf(text + n, size - n, "%d,%d,%d,%d,%d,%d,%d\n", i, (int)at, 1 + (int)draw(120),
                          1 + (int)draw(3), 1 + (int)draw(9), 1 + (int)draw(4), (int)draw(3));
  }
}

#define FIVE \
  SOURCE \
  "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4, memory: 16GB}, {count: 1, name: d, " \
  "cpus: 3, memory: 30GB}]}\n"
#define RANDOM_BEATS(more) FIVE "architecture: {use: heartbeat, period: 3s" more "}\n"

static const char *const rules[] = {
    "policy: {use: fair, preempt: {use: starving, timeout: 5s, backoff: 2s}}\n",
    ("policy: {use: fair, preempt: {use: starving, timeout: 5s, victims: least_lost, on_preempt: checkpoint, "
     "checkpoint_every: 4s, restart_overhead: 2s, update: 1s}}\n"),
    "policy: {use: fair, preempt: {use: starving, timeout: 5s, grace: 4s, victims: most_over_share, "
    "aggressive_timeout: 15s}}\n",
    "policy: {use: fair, preempt: {use: starving, timeout: 2s, on_preempt: kill, victims: oldest, threshold: "
    "0.8}}\n",
    "policy: {use: fair, order: priority, preempt: {use: priority, on_preempt: checkpoint, restart_overhead: "
    "1s}}\n",
    "policy: {use: fair, order: priority, preempt: {use: priority, grace: 3s, backoff: 4s}}\n",
};

static void complain(void *ctx, const hc_violation *v)
{
  fail_msg("%s\n%s at %" PRId64 ": task %" PRId64 " %s", (const char *)ctx, v->rule, v->at, v->id, v->text);
}

/* The records, by code that knows nothing of the engine. */
static void assert_verified(bench *b, const char *yaml)
{
  hc_verify_options o = {.honours_run = true};
  hc_verify_hosts hosts = {0};
  hc_verify_stops stops = {0};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_hosts_read(b->allocator, r, &hosts, &b->error), 1);
  assert_int_equal(hc_verify_stops_read(b->allocator, r, hosts.host_count, &stops, &b->error), 1);
  o.hosts = &hosts;
  o.stops = &stops;
  assert_int_equal(hc_verify(b->allocator, &o, b->records, b->count, complain, (void *)(uintptr_t)yaml, NULL),
                   0);
  hc_verify_stops_free(b->allocator, &stops);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

/* Every report an event, or only those that can matter: the same schedule; it holds; and no task is lost. */
static void test_random(void **state)
{
  static bench a, b;
  static char tasks[8192];
  (void)state;
  for (size_t i = 0; i < COUNT(rules); i++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      char needed[2048], every[2048];
      (void)snprintf(needed, sizeof needed, "%s%s", RANDOM_BEATS(""), rules[i]);
      (void)snprintf(every, sizeof every, "%s%s", RANDOM_BEATS(", events: every_report"), rules[i]);
      random_tasks(tasks, sizeof tasks, seed);
      run_text(&a, needed, tasks);
      run_text(&b, every, tasks);
      assert_int_equal(a.count, 150);
      assert_int_equal(b.count, 150);
      for (size_t k = 0; k < a.count; k++)
        if (memcmp(&a.records[k], &b.records[k], sizeof a.records[k]) != 0)
          fail_msg("%s\nseed %" PRIu64 ": record %zu (task %" PRId64 ") differs", needed, seed, k,
                   a.records[k].id);
      assert_verified(&a, needed);
      end(&a);
      end(&b);
    }
}

/* A run that is saved and restored in its middle, again and again, is the run that was not. */
static void test_snapshots(void **state)
{
  static bench a, b;
  static char tasks[8192];
  (void)state;
  for (size_t i = 0; i < COUNT(rules); i++) {
    char yaml[2048];
    (void)snprintf(yaml, sizeof yaml, "%s%s", RANDOM_BEATS(""), rules[i]);
    random_tasks(tasks, sizeof tasks, 99);
    run_text(&a, yaml, tasks);
    check(&b, try_text(&b, yaml, tasks));
    finish_in_pieces(&b, 40);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.records, b.records, a.count * sizeof *a.records);
    assert_true(figure(&a, "preemption_lost_time") == figure(&b, "preemption_lost_time"));
    end(&a);
    end(&b);
  }
}

/* ---- without memory ---- */

typedef struct scarce {
  const hc_allocator *below;
  uint64_t count, fails_at;
  int64_t held;
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  void *out;
  if (new_size > 0 && ++s->count == s->fails_at) return NULL;
  out = s->below->resize(s->below->ctx, p, old_size, new_size);
  s->held += (int64_t)new_size - (int64_t)old_size;
  return out;
}

/* A run, saved and restored on its way, with one allocation failing. @return whether that was reached */
static bool attempt(const char *yaml, uint64_t fails_at, hc_rc *rc, size_t *count)
{
  scarce s = {.below = hc_default_allocator(), .fails_at = fails_at};
  const hc_allocator a = {&s, scarce_resize, NULL};
  hc_snapshot snapshot = {0};
  hc_run *copy = NULL;
  bench b;
  memset(&b, 0, sizeof b);
  write_log(b.path, SEVEN, strlen(SEVEN));
  *rc = configure(&b, &a, yaml, NULL);
  if (*rc >= 0) check(&b, hc_store_new(hc_default_allocator(), NULL, &b.store, &b.error));
  if (*rc >= 0) *rc = hc_run_new(&a, b.config, b.store, &b.run, &b.error);
  if (*rc >= 0) *rc = hc_run_advance(b.run, 50 * HC_SECOND, 0, &b.error);
  if (*rc >= 0) *rc = hc_run_snapshot(b.run, &snapshot, &b.error);
  if (*rc >= 0) *rc = hc_run_restore(&a, b.config, b.store, &snapshot, &copy, &b.error);
  hc_run_free(copy);
  hc_snapshot_free(&a, &snapshot);
  if (*rc >= 0) *rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (*rc >= 0) *rc = hc_run_finish(b.run, &b.error);
  if (*rc >= 0) read_records(&b);
  *count = b.count;
  end(&b);
  assert_int_equal(s.held, 0);
  return s.count >= fails_at;
}

static void test_out_of_memory(void **state)
{
  static const char *const more[] = {STARVING(", on_preempt: checkpoint"), STARVING(", grace: 4s"),
                                     "policy: {use: fair, preempt: {use: priority, grace: 2s}}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(more); i++) {
    char yaml[2048];
    bool reached = true;
    (void)snprintf(yaml, sizeof yaml, "%s%s", BEATS(""), more[i]);
    for (uint64_t n = 1; reached; n++) {
      size_t count;
      hc_rc rc;
      reached = attempt(yaml, n, &rc, &count);
      if (rc < 0 ? rc != HC_ENOMEM || !reached : count != 7)
        fail_msg("%s: allocation %" PRIu64 " failed and the run returned %d", yaml, n, (int)rc);
    }
  }
}

/* ---- what cannot be ---- */

static void assert_refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_text(&b, yaml, SEVEN);
  assert_true(rc == HC_EUNSUPPORTED || rc == HC_EUSAGE);
  if (!strstr(b.error.text, text)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(TWO STARVING(", restart_overhead: 5s"), "on_preempt: checkpoint");
  assert_refused(TWO STARVING(", aggressive_threshold: 2"), "at most 1");
  assert_refused(TWO STARVING(", aggressive_timeout: 10s"), "shorter than timeout");
  assert_refused(TWO STARVING(", tolerance: 2"), "tolerance");
  assert_refused(TWO STARVING(", victims: eldest"), "oldest");
  assert_refused(TWO "policy: {use: fair, preempt: {use: priority, checkpoint_every: 3s}}\n", "checkpoint");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_starving),      cmocka_unit_test(test_all_slots_count),
      cmocka_unit_test(test_killed),        cmocka_unit_test(test_checkpoint),
      cmocka_unit_test(test_grace),         cmocka_unit_test(test_ends_in_its_grace),
      cmocka_unit_test(test_aggressive),    cmocka_unit_test(test_priority),
      cmocka_unit_test(test_fewest),        cmocka_unit_test(test_monolithic),
      cmocka_unit_test(test_random),        cmocka_unit_test(test_snapshots),
      cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
