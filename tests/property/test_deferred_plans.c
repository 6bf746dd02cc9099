/* test_deferred_plans.c -- tasks that may not start before some time, planned from their submission on: the
 * same schedules as a planner that looks at every second.
 *
 * The planner here knows hosts, each an array of what is held in each second, and no more: a task is put
 * where, and when, all seconds of its limit have room, the earliest first, the lowest host first; a machine
 * whose processors are only counted is one host. It goes from second to second, with the rules of
 * conservative backfilling and of EASY with `ahead` as their descriptions have them. Random workloads must
 * come out of a run as they come out of it, in one go and in pieces; and `verify` must find nothing in them,
 * the promise of conservative backfilling included. A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/run.h"
#include "hindcast/verify.h"
#include "sample.h"

enum { TASKS = 40, HOSTS = 3, CORES = 8, SECONDS = 4096, SEEDS = 60 };

typedef struct task {
  int64_t submit, begin, run, limit, units; /* begin: 0 is none */
  int64_t plan, start;                      /* -1: none */
  int host;
} task;

typedef struct world {
  int hosts;
  bool exact; /* limits are run times */
  task tasks[TASKS];
  int64_t held[HOSTS][SECONDS];
} world;

/* ---- workloads ---- */

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void make_world(world *w, hc_draws *d, bool defers)
{
  const int64_t pause = 1 + below(d, 12), length = 2 + below(d, 40);
  int64_t submit = 0;
  memset(w, 0, sizeof *w);
  w->hosts = below(d, 2) ? HOSTS : 1;
  w->exact = below(d, 2) == 0;
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    submit += below(d, 3) ? below(d, pause) : 0;
    t->submit = submit;
    t->run = 1 + below(d, length);
    t->limit = w->exact ? t->run : 1 + below(d, t->run + 20); /* too short now and then: it is killed */
    t->units = below(d, 3) ? 1 + below(d, CORES / 2) : 1 + below(d, CORES);
    if (defers && below(d, 3) == 0)
      t->begin = submit + below(d, 60); /* its submission: as if there were none */
    t->plan = t->start = -1;
  }
}

/* ---- the planner ---- */

static void hold(world *w, const task *t, int64_t from, int64_t to, int sign)
{
  for (int64_t x = from; x < to; x++) w->held[t->host][x] += sign * t->units;
}

static bool has_room(const world *w, const task *t, int host, int64_t at)
{
  for (int64_t x = at; x < at + t->limit; x++)
    if (w->held[host][x] + t->units > CORES) return false;
  return true;
}

/* Its place from `from` on, or at that time only. @return whether there is one */
static bool find(const world *w, task *t, int64_t from, bool only)
{
  for (int64_t at = HC_MAX(from, t->begin); at < SECONDS - t->limit && (!only || at == from); at++)
    for (int h = 0; h < w->hosts; h++)
      if (has_room(w, t, h, at)) {
        t->plan = at;
        t->host = h;
        return true;
      }
  return false;
}

static int64_t end_of_task(const task *t)
{
  return t->start + HC_MIN(t->run, t->limit);
}

static bool waits(const task *t, int64_t now)
{
  return t->submit <= now && t->start < 0;
}

/* What ends now gives back what it was believed to keep. @return whether anything did so before its limit */
static bool end_tasks(world *w, int64_t now)
{
  bool early = false;
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    if (t->start < 0 || end_of_task(t) != now || t->run >= t->limit) continue;
    hold(w, t, now, t->start + t->limit, -1);
    early = true;
  }
  return early;
}

static void unplan(world *w, task *t)
{
  if (t->plan >= 0) hold(w, t, t->plan, t->plan + t->limit, -1);
  t->plan = -1;
}

/* A task without a plan gets one; a task whose time it is starts, and keeps what its plan holds. */
static void plan_one(world *w, task *t, int64_t now)
{
  if (t->plan < 0) {
    assert_true(find(w, t, now, false));
    hold(w, t, t->plan, t->plan + t->limit, 1);
  }
  if (t->plan == now) t->start = now;
}

enum { FULL, COMPRESS, NONE };

static void conservative(world *w, int replan)
{
  for (int64_t now = 0; now < SECONDS / 2; now++) {
    const bool early = end_tasks(w, now);
    for (int i = 0; early && replan == FULL && i < TASKS; i++)
      if (waits(&w->tasks[i], now)) unplan(w, &w->tasks[i]);
    for (int i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      if (!waits(t, now)) continue;
      if (early && replan == COMPRESS) unplan(w, t);
      plan_one(w, t, now);
    }
  }
}

/* Does anything happen in this second? EASY decides only then; its reservations last no longer than a
 * decision. */
static bool happens(const world *w, int64_t now)
{
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    if (t->submit == now || t->begin == now || (t->start >= 0 && end_of_task(t) == now)) return true;
  }
  return false;
}

/* In order: who may not start yet is promised its earliest start, who may and can without delaying those
 * starts, and the first that cannot is promised its own; of those behind it any that delays none starts. */
static void easy_decides(world *w, int64_t now)
{
  bool head = false;
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    const bool deferred = t->begin > now;
    if (!waits(t, now) || (head && deferred)) continue;
    if (!deferred && find(w, t, now, true)) {
      t->start = now;
    } else if (head || !find(w, t, now, false)) {
      continue;
    }
    head |= t->start < 0 && !deferred;
    hold(w, t, t->plan, t->plan + t->limit, 1);
  }
  for (int i = 0; i < TASKS; i++)
    if (waits(&w->tasks[i], now)) unplan(w, &w->tasks[i]);
}

static void easy(world *w)
{
  for (int64_t now = 0; now < SECONDS / 2; now++) {
    (void)end_tasks(w, now);
    if (happens(w, now)) easy_decides(w, now);
  }
}

/* ---- runs ---- */

static void begin_world(bench *b, const world *w, const char *policy)
{
  static const char *const cells[] = {"cell: {use: count, procs: 8}\n",
                                      "cell: {use: hosts, classes: [{name: h, count: 3, cpus: 8}]}\n"};
  char yaml[640];
  hc_buffer text;
  hc_rc rc;
  memset(b, 0, sizeof *b);
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_printf(&text, "id,submit,run,limit,%s,not_before\n", w->hosts > 1 ? "cpu" : "procs");
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    hc_buffer_printf(&text, "%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", i + 1, t->submit, t->run,
                     t->limit, t->units);
    if (t->begin > 0) hc_buffer_printf(&text, "%" PRId64, t->begin);
    hc_buffer_text(&text, "\n");
  }
  write_log(b->path, text.data, text.size);
  hc_buffer_fini(&text);
  (void)snprintf(
      yaml, sizeof yaml,
      "source: {use: csv, file: FILE}\n%soverrun: kill\nparanoid: true\nmetrics: []\npolicy: {select: %s}\n",
      cells[w->hosts > 1], policy);
  rc = configure(b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  check(b, rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
}

static void hear(void *ctx, const hc_violation *v)
{
  print_error("%s: %s, task %" PRId64 ": %s\n", (const char *)ctx, v->rule, v->id, v->text);
}

static void assert_verified(bench *b, const world *w, const char *policy, hc_promise promise)
{
  hc_verify_options o = {.capacity = CORES, .promise = promise, .honours_run = true};
  hc_verify_hosts hosts;
  hc_verify_times times;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_verify_hosts_read(b->allocator, r, &hosts, &b->error));
  check(b, hc_verify_times_read(b->allocator, r, &times, &b->error));
  if (w->hosts > 1) o.hosts = &hosts;
  if (times.count > 0) o.times = &times;
  assert_int_equal(hc_verify(b->allocator, &o, b->records, b->count, hear, (void *)(uintptr_t)policy, NULL),
                   0);
  hc_verify_times_free(b->allocator, &times);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

/* @param pieces in how many instants at once; 0: in one go */
static void assert_same(const world *w, const char *policy, hc_promise promise, uint64_t pieces,
                        uint64_t seed)
{
  static bench b; /* too large for a stack */
  begin_world(&b, w, policy);
  if (pieces > 0) finish_in_pieces(&b, pieces);
  else finish(&b);
  assert_int_equal(b.count, TASKS);
  for (int i = 0; i < TASKS; i++)
    if (start_of(&b, i + 1) != w->tasks[i].start)
      fail_msg("seed %" PRIu64 ", %s on %d hosts: task %d, submitted at %" PRId64 ", not before %" PRId64
               ", starts at %" PRId64 " and should at %" PRId64,
               seed, policy, w->hosts, i + 1, w->tasks[i].submit, w->tasks[i].begin, start_of(&b, i + 1),
               w->tasks[i].start);
  assert_verified(&b, w, policy, promise);
  end(&b);
}

static void test_plans_are_those_of_a_planner(void **state)
{
  static const char *const replans[] = {"{use: conservative}", "{use: conservative, replan: compress}",
                                        "{use: conservative, replan: none}"};
  static world w;
  int deferred = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 15); seed++)
    for (int k = FULL; k <= NONE; k++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
      make_world(&w, &d, true);
      conservative(&w, k);
      const hc_promise promise = w.exact || k != FULL ? HC_PROMISE_CONSERVATIVE : HC_PROMISE_NONE;
      assert_same(&w, replans[k], promise, 0, seed);
      assert_same(&w, replans[k], promise, 1 + seed % 5, seed);
      if (k == FULL) assert_same(&w, "{use: conservative, replan: always}", promise, 0, seed);
      if (k == FULL && w.exact) assert_same(&w, "{use: slack, factor: 0}", promise, 3, seed);
      for (int i = 0; i < TASKS; i++)
        deferred += w.tasks[i].begin > w.tasks[i].submit && w.tasks[i].start > w.tasks[i].begin;
    }
  assert_true(deferred > (int)hc_test_cases(SEEDS, 15)); /* not all of them could start at their time */
}

static void test_easy_is_that_of_a_planner(void **state)
{
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(2 * SEEDS, 30); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
    make_world(&w, &d, true);
    easy(&w);
    assert_same(&w, "{use: easy, ahead: true}", HC_PROMISE_NONE, 0, seed);
    assert_same(&w, "{use: easy, ahead: true}", HC_PROMISE_NONE, 1 + seed % 5, seed);
  }
}

/* Where no task is deferred, `ahead` changes nothing: on a counted cell the reservation that is written down
 * says the same as the shadow time and the extra processors. The planner agrees, and EASY's own promise is
 * kept. */
static void test_ahead_changes_nothing_where_nobody_is_deferred(void **state)
{
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 15); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
    do make_world(&w, &d, false);
    while (w.hosts > 1);
    easy(&w);
    assert_same(&w, "easy", HC_PROMISE_EASY, 0, seed);
    assert_same(&w, "{use: easy, ahead: true}", HC_PROMISE_EASY, 0, seed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plans_are_those_of_a_planner),
      cmocka_unit_test(test_easy_is_that_of_a_planner),
      cmocka_unit_test(test_ahead_changes_nothing_where_nobody_is_deferred),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
