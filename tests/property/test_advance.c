/* test_advance.c -- advance reservations: the schedules of a planner that looks at every second.
 *
 * The planner knows hosts, each an array of what is believed to be held in each second, and no more. On
 * the one host of a counted machine a reservation takes what its users do not hold of its amount; on
 * several each has hosts of its own, closed to others. A task fits if each second of its limit has room
 * beside that. With blocking, scan and EASY as their descriptions have them, random workloads with random
 * reservations, which may recur, must come out of a run as they come out of the planner, in one go and in
 * pieces: so a start is refused where it would break a reservation, and nowhere else, and the start that
 * EASY promises is the first that is possible. Selectors that plan every task, and workloads in which
 * tasks outlive their limits, are held to the records alone: `verify` must find nothing. Reservations may
 * be announced late, and stop what of others is there when they begin. Some are downtime instead, which
 * events announce: no user's, its hosts are away, what runs on them is lost and queued again, and when
 * they are back is known. Others are drains, shrinks that grow again, and downtime of which only the end
 * is announced. A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

enum { TASKS = 30, HOSTS = 3, CORES = 8, SECONDS = 8192, SEEDS = 40, KEPT = 3, USERS = 5 };
enum { BLOCKING, SCAN, EASY };
enum { NOTHING, DRAINS, SHRINKS, RETURNS }; /* what a host does otherwise */

typedef struct task {
  int64_t submit, run, limit, units, user, start, end; /* start -1: none */
  int host;
} task;

typedef struct kept {
  int64_t start, length, every, times, units; /* for user number i + 1, on host i */
  int64_t announced;
  int at_start; /* of `words` */
  bool is_down; /* no user's: announced downtime of host i */
  int change;   /* nor is this: host i drains, has `units` less, or is away and known to return */
} kept;

typedef struct world {
  int hosts, kept_count;
  bool fails; /* hosts fail beside, which nothing announces: not known to the planner */
  int64_t now;
  task tasks[TASKS];
  kept kept[KEPT];
  int64_t held[HOSTS][SECONDS], by_user[USERS + 1][SECONDS];
} world;

enum { KEEP, REQUEUE, CHECKPOINT, KILL };
static const char *const words[] = {"keep", "requeue", "checkpoint", "stop"};

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

/* ---- workloads ---- */

static void make_world(world *w, hc_draws *d, bool overruns)
{
  int64_t submit = 0;
  memset(w, 0, sizeof *w);
  w->hosts = below(d, 2) ? HOSTS : 1;
  w->kept_count = 1 + (int)below(d, KEPT);
  for (int i = 0; i < w->kept_count; i++) {
    kept *k = &w->kept[i];
    k->start = below(d, 120);
    k->length = 1 + below(d, 60);
    k->times = 1 + below(d, 3);
    k->every = k->length + below(d, 40);
    k->units = 1 + below(d, CORES / w->kept_count);
    if (below(d, 2)) k->announced = below(d, k->start + 1);
    k->at_start = below(d, 2) ? REQUEUE : KEEP;
  }
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    submit += below(d, 3) ? below(d, 12) : 0;
    t->submit = submit;
    t->run = 1 + below(d, 30);
    t->limit = overruns ? 1 + below(d, 2 * t->run) : t->run + (below(d, 2) ? below(d, 30) : 0);
    t->units = below(d, 3) ? 1 + below(d, CORES / 2) : 1 + below(d, CORES);
    t->user = 1 + below(d, USERS);
    t->start = -1;
  }
}

/* ---- the planner ---- */

static bool is_kept(const kept *k, int64_t at)
{
  for (int64_t i = 0; i < k->times; i++)
    if (at >= k->start + i * k->every && at < k->start + i * k->every + k->length) return true;
  return false;
}

static bool begins_at(const kept *k, int64_t at)
{
  const int64_t since = at - k->start;
  return since >= 0 && since % k->every == 0 && since / k->every < k->times;
}

static bool ends_at(const kept *k, int64_t at)
{
  const int64_t since = at - k->start - k->length;
  return since >= 0 && since % k->every == 0 && since / k->every < k->times;
}

static bool is_own(const kept *k, int i, const task *t)
{
  return !k->is_down && k->change == NOTHING && t->user == i + 1;
}

/* That a host is away is known from when it is; when it returns, from the announcement on. */
static bool is_away(const world *w, const kept *k, int64_t at)
{
  return is_kept(k, w->now) && (k->announced > w->now || is_kept(k, at));
}

/* @param from when it would start */
static bool has_room(const world *w, const task *t, int host, int64_t at, int64_t from)
{
  int64_t taken = w->held[host][at] + t->units;
  for (int i = 0; i < w->kept_count; i++) {
    const kept *k = &w->kept[i];
    if (k->change == RETURNS && host == i && is_away(w, k, at)) return false;
    if (k->change == DRAINS && host == i && k->announced <= w->now && is_kept(k, from)) return false;
    if (k->change == SHRINKS && host == i && k->announced <= w->now && is_kept(k, at)) taken += k->units;
    if (k->change != NOTHING) continue;
    if (is_own(&w->kept[i], i, t) || w->kept[i].announced > w->now || !is_kept(&w->kept[i], at)) continue;
    if (w->hosts == 1) taken += HC_MAX(w->kept[i].units - w->by_user[i + 1][at], 0);
    else if (host == i) return false;
  }
  return taken <= CORES;
}

/* The lowest host that has room from then on for its limit; -1: none. */
static int find(const world *w, const task *t, int64_t from)
{
  for (int host = 0; host < w->hosts; host++) {
    int64_t s = from;
    while (s < from + t->limit && has_room(w, t, host, s, from)) s++;
    if (s == from + t->limit) return host;
  }
  return -1;
}

static void hold(world *w, const task *t, int host, int64_t from, int64_t to, int64_t sign)
{
  for (int64_t s = from; s < to; s++) {
    w->held[host][s] += sign * t->units;
    w->by_user[t->user][s] += sign * t->units;
  }
}

static void start(world *w, task *t, int host, int64_t now)
{
  t->start = now;
  t->host = host;
  t->end = now + t->run;
  hold(w, t, host, now, now + t->limit, 1);
}

static bool waits(const task *t, int64_t now)
{
  return t->submit <= now && t->start < 0;
}

static int64_t earliest(const world *w, const task *t, int64_t from)
{
  while (from < SECONDS - t->limit && find(w, t, from) < 0) from++;
  return from;
}

/* The head is promised a time; a later task starts if the head still finds room by then. */
static void backfill(world *w, int head, int64_t now)
{
  task *first = &w->tasks[head];
  const int64_t promised = earliest(w, first, now);
  const int where = find(w, first, promised);
  for (int i = head + 1; i < TASKS; i++) {
    task *t = &w->tasks[i];
    int host;
    if (!waits(t, now)) continue;
    if (w->hosts == 1) hold(w, first, where, promised, promised + first->limit, 1);
    host = find(w, t, now);
    if (w->hosts == 1) hold(w, first, where, promised, promised + first->limit, -1);
    if (host < 0) continue;
    start(w, t, host, now);
    if (w->hosts > 1 && earliest(w, first, now) > promised) {
      hold(w, t, host, now, now + t->limit, -1);
      t->start = -1;
    }
  }
}

static void decide(world *w, int how, int64_t now)
{
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    if (!waits(t, now)) continue;
    const int host = find(w, t, now);
    if (host >= 0) start(w, t, host, now);
    else if (how == EASY) backfill(w, i, now);
    if (host < 0 && how != SCAN) return;
  }
}

static bool runs(const task *t, int64_t now)
{
  return t->start >= 0 && t->end > now;
}

/* A window begins: others go that are on its host, or of processors the latest starts, until it has its
 * amount.
 * @return one has gone */
static bool meet(world *w, int i, int64_t now)
{
  const kept *k = &w->kept[i];
  int64_t others = 0;
  bool any = k->is_down || k->change == RETURNS;
  if (k->at_start != REQUEUE || !begins_at(k, now)) return false;
  for (int j = 0; j < TASKS; j++)
    if (runs(&w->tasks[j], now) && w->tasks[j].user != i + 1) others += w->tasks[j].units;
  while (w->hosts > 1 || others > CORES - k->units) {
    task *last = NULL;
    for (int j = 0; j < TASKS; j++) {
      task *t = &w->tasks[j];
      if (!runs(t, now) || is_own(k, i, t) || (w->hosts > 1 && t->host != i)) continue;
      if (!last || t->start >= last->start) last = t;
    }
    if (!last) break;
    hold(w, last, last->host, now, last->start + last->limit, -1);
    others -= last->units;
    last->start = -1;
    any = true;
  }
  return any;
}

/* Nothing is decided where nothing happens: on hosts another host may come to be chosen as time goes by. */
static void plan(world *w, int how)
{
  int ended = 0;
  for (int64_t now = 0; ended < TASKS && now < SECONDS / 2; now++) {
    bool happens = false;
    w->now = now;
    for (int i = 0; i < w->kept_count; i++)
      happens |= ((w->kept[i].is_down || w->kept[i].change != NOTHING) && begins_at(&w->kept[i], now)) ||
                 ends_at(&w->kept[i], now) || (now > 0 && w->kept[i].announced == now);
    for (int i = 0; i < TASKS; i++) {
      const task *t = &w->tasks[i];
      if (t->start < 0 || t->end != now) continue;
      hold(w, t, t->host, now, t->start + t->limit, -1);
      ended++;
      happens = true;
    }
    for (int i = 0; i < w->kept_count; i++) happens |= meet(w, i, now);
    for (int i = 0; i < TASKS; i++) happens |= w->tasks[i].submit == now;
    if (happens) decide(w, how, now);
  }
  assert_int_equal(ended, TASKS);
}

/* ---- runs ---- */

static size_t write_downtimes(const world *w, char *out, size_t size)
{
  size_t n = 0;
  for (int i = 0; i < w->kept_count; i++) {
    const kept *k = &w->kept[i];
    for (int64_t j = 0; k->is_down && j < k->times; j++)
      n +=
          (size_t)snprintf(out + n, size - n,
                           "%s  - {at: %" PRId64 ", hosts: %d, until: %" PRId64 ", announced: %" PRId64 "}\n",
                           n == 0 ? "events:\n- use: list\n  changes:\n" : "", k->start + j * k->every, i,
                           k->start + j * k->every + k->length, k->announced);
  }
  return n;
}

/* @param n of what stands there already */
static size_t write_changes(const world *w, char *out, size_t size, size_t n)
{
  size_t first = n;
  for (int i = 0; i < w->kept_count; i++) {
    const kept *k = &w->kept[i];
    for (int64_t j = 0; k->change != NOTHING && j < k->times; j++) {
      const int64_t at = k->start + j * k->every, until = at + k->length;
      if (first == n)
        n += (size_t)snprintf(out + n, size - n, "%s- use: list\n  changes:\n", n ? "" : "events:\n");
      if (k->change == DRAINS)
        n += (size_t)snprintf(out + n, size - n,
                              "  - {at: %" PRId64 ", hosts: %d, change: drain, until: %" PRId64
                              ", announced: %" PRId64 "}\n",
                              at, i, until, k->announced);
      else if (k->change == RETURNS)
        n += (size_t)snprintf(out + n, size - n,
                              "  - {at: %" PRId64 ", hosts: %d}\n  - {at: %" PRId64
                              ", hosts: %d, change: up, announced: %" PRId64 "}\n",
                              at, i, until, i, k->announced);
      else
        n += (size_t)snprintf(out + n, size - n,
                              "  - {at: %" PRId64 ", hosts: %d, change: resize, amounts: [cpus=%" PRId64
                              "], announced: %" PRId64 "}\n  - {at: %" PRId64
                              ", hosts: %d, change: resize, amounts: [cpus=8], announced: %" PRId64 "}\n",
                              at, i, CORES - k->units, k->announced, until, i, k->announced);
    }
  }
  return n;
}

static void write_yaml(const world *w, const char *policy, char *out, size_t size)
{
  static const char *const cells[] = {"cell: {use: count, procs: 8}\n",
                                      "cell: {use: hosts, classes: [{name: h, count: 3, cpus: 8}]}\n"};
  size_t n =
      (size_t)snprintf(out, size,
                       "source: {use: csv, file: FILE}\n%soverrun: run_on\nparanoid: true\nmetrics: []\n"
                       "policy: %s\nattempts: 100\n",
                       cells[w->hosts > 1], policy);
  const size_t begin = n;
  n += write_downtimes(w, out + n, size - n);
  n = begin + write_changes(w, out + begin, size - begin, n - begin);
  if (w->fails)
    n += (size_t)snprintf(out + n, size - n, "- {use: drawn, up_time: 60, down_time: 20, until: 300}\n");
  for (int i = 0, some = 0; i < w->kept_count; i++) {
    const kept *k = &w->kept[i];
    if (k->is_down || k->change != NOTHING) continue;
    if (some++ == 0) n += (size_t)snprintf(out + n, size - n, "reservations:\n");
    n += (size_t)snprintf(
        out + n, size - n, "  - {%s: %" PRId64 ", users: [%d], start: %" PRId64 ", end: %" PRId64,
        w->hosts > 1 ? "hosts" : "units", w->hosts > 1 ? i : k->units, i + 1, k->start, k->start + k->length);
    if (k->times > 1)
      n += (size_t)snprintf(out + n, size - n, ", every: %" PRId64 ", times: %" PRId64, k->every, k->times);
    n += (size_t)snprintf(out + n, size - n, ", announced: %" PRId64 ", at_start: %s}\n", k->announced,
                          words[k->at_start]);
  }
}

static void begin_world(bench *b, const world *w, const char *policy)
{
  char yaml[4096];
  hc_buffer text;
  hc_rc rc;
  memset(b, 0, sizeof *b);
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_printf(&text, "id,submit,run,limit,%s,user\n", w->hosts > 1 ? "cpu" : "procs");
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    hc_buffer_printf(&text, "%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", i + 1,
                     t->submit, t->run, t->limit, t->units, t->user);
  }
  write_log(b->path, text.data, text.size);
  hc_buffer_fini(&text);
  write_yaml(w, policy, yaml, sizeof yaml);
  rc = configure(b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  check(b, rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
}

static void hear(void *ctx, const hc_violation *v)
{
  print_error("%s: %s, task %" PRId64 ": %s\n", (const char *)ctx, v->rule, v->id, v->text);
}

static void assert_verified(bench *b, const char *policy, uint64_t seed)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report = {0};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  if (hc_verify_result(b->allocator, r, &q, hear, (void *)(uintptr_t)policy, &report, &b->error) != 0)
    fail_msg("seed %" PRIu64 ", %s: the schedule does not hold", seed, policy);
  hc_result_free(r);
}

static void assert_same(const world *w, const char *policy, uint64_t pieces, uint64_t seed)
{
  static bench b; /* too large for a stack */
  begin_world(&b, w, policy);
  if (pieces > 0) finish_in_pieces(&b, pieces);
  else finish(&b);
  assert_int_equal(b.count, TASKS);
  for (int i = 0; i < TASKS; i++)
    if (start_of(&b, i + 1) != w->tasks[i].start)
      fail_msg("seed %" PRIu64 ", %s on %d hosts: task %d, submitted at %" PRId64 ", starts at %" PRId64
               " and should at %" PRId64,
               seed, policy, w->hosts, i + 1, w->tasks[i].submit, start_of(&b, i + 1), w->tasks[i].start);
  assert_verified(&b, policy, seed);
  end(&b);
}

static void test_schedules_are_those_of_a_planner(void **state)
{
  static const char *const policies[] = {"{select: blocking}", "{select: scan}", "{select: easy}"};
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= 2 * hc_test_cases(SEEDS, 4); seed++)
    for (int how = 0; how < 3; how++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
      make_world(&w, &d, false);
      plan(&w, how);
      assert_same(&w, policies[how], 0, seed);
      assert_same(&w, policies[how], 1 + seed % 5, seed);
    }
}

/* Two windows that follow at once are one reason to decide more: hosts are up, and down again. */
static void some_are_down(world *w, hc_draws *d)
{
  w->hosts = HOSTS;
  for (int i = 0; i < w->kept_count; i++) {
    kept *k = &w->kept[i];
    k->is_down = i == 0 || below(d, 2);
    if (k->is_down) k->at_start = REQUEUE;
  }
}

static void test_downtime_is_that_of_a_planner(void **state)
{
  static const char *const policies[] = {"{select: blocking}", "{select: scan}", "{select: easy}"};
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= 2 * hc_test_cases(SEEDS, 4); seed++)
    for (int how = 0; how < 3; how++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 4};
      make_world(&w, &d, false);
      some_are_down(&w, &d);
      plan(&w, how);
      assert_same(&w, policies[how], 0, seed);
      assert_same(&w, policies[how], 1 + seed % 5, seed);
    }
}

/* Drains, shrinks, and downtime of which the end is announced alone, beside downtime and reservations. */
static void some_change(world *w, hc_draws *d)
{
  some_are_down(w, d);
  for (int i = 0; i < w->kept_count; i++) {
    kept *k = &w->kept[i];
    if (i > 0 && below(d, 3) == 0) continue;
    k->change = 1 + (int)below(d, 3);
    k->is_down = false;
    k->at_start = k->change == RETURNS ? REQUEUE : KEEP;
    k->units = 1 + below(d, CORES);
    if (k->change != RETURNS) continue;
    k->times = 1;
    k->announced = below(d, 2) ? below(d, k->start + k->length) : 0;
  }
}

static void test_changes_are_those_of_a_planner(void **state)
{
  static const char *const policies[] = {"{select: blocking}", "{select: scan}", "{select: easy}"};
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= 4 * hc_test_cases(SEEDS, 4); seed++)
    for (int how = 0; how < 3; how++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 6};
      make_world(&w, &d, false);
      some_change(&w, &d);
      plan(&w, how);
      assert_same(&w, policies[how], 0, seed);
      assert_same(&w, policies[how], 1 + seed % 5, seed);
    }
}

/* Hosts fail before, in and across downtime, and what plans know of it is the same after a pause. */
static void with_failures(void (*change)(world *w, hc_draws *d), uint64_t entity)
{
  static const char *const policies[] = {"{select: easy}", "{select: {use: easy, reserve: hosts}}",
                                         "{select: conservative}",
                                         "{select: {use: conservative, replan: none}}", "{select: slack}"};
  static bench b;
  static world w;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 4); seed++)
    for (size_t k = 0; k < COUNT(policies); k++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = entity};
      int64_t starts[TASKS];
      make_world(&w, &d, seed % 2 == 0);
      change(&w, &d);
      w.fails = true;
      for (int pieces = 0; pieces < 2; pieces++) {
        begin_world(&b, &w, policies[k]);
        if (pieces) finish_in_pieces(&b, 1 + seed % 3);
        else finish(&b);
        assert_int_equal(b.count, TASKS);
        for (int i = 0; i < TASKS; i++) {
          if (pieces && starts[i] != start_of(&b, i + 1))
            fail_msg("seed %" PRIu64 ", %s: task %d starts at %" PRId64 ", and in pieces at %" PRId64, seed,
                     policies[k], i + 1, starts[i], start_of(&b, i + 1));
          starts[i] = start_of(&b, i + 1);
        }
        assert_verified(&b, policies[k], seed);
        end(&b);
      }
    }
}

static void test_failures_beside_downtime(void **state)
{
  (void)state;
  with_failures(some_are_down, 5);
}

static void test_failures_beside_changes(void **state)
{
  (void)state;
  with_failures(some_change, 7);
}

static void test_schedules_hold(void **state)
{
  static const char *const policies[] = {"{select: blocking}",
                                         "{select: scan}",
                                         "{select: easy}",
                                         "{select: {use: easy, depth: 3}}",
                                         "{select: {use: easy, reserve: hosts}}",
                                         "{select: {use: easy, ahead: true}}",
                                         "{select: conservative}",
                                         "{select: {use: conservative, replan: none}}",
                                         "{select: {use: conservative, replan: always}}",
                                         "{select: slack}",
                                         "{select: lottery}",
                                         "{order: sjf, select: scan}",
                                         "{use: fair}"};
  static bench b;
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 4); seed++)
    for (size_t k = 0; k < COUNT(policies); k++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
      make_world(&w, &d, seed % 2 == 0);
      for (int i = 0; i < w.kept_count; i++) w.kept[i].at_start = (int)below(&d, 4);
      if (seed % 4 == 1) some_are_down(&w, &d);
      if (seed % 4 == 2) some_change(&w, &d);
      begin_world(&b, &w, policies[k]);
      if (seed % 3 == 0) finish_in_pieces(&b, 1 + seed % 4);
      else finish(&b);
      assert_int_equal(b.count, TASKS);
      assert_verified(&b, policies[k], seed);
      end(&b);
    }
}

/* Where the policy is shown a whole queue: of the cell, of a part of it, of a view that grows old. */
static void test_schedules_hold_under_architectures(void **state)
{
  static const char *const architectures[] = {
      "two_pass",
      "{use: monolithic, think: 3}",
      "heartbeat",
      "{use: partitions, decision: pass}",
      "{use: federation, decision: pass}",
      "{use: shared_state, decision: pass, schedulers: [{name: a, think_job: 2s}]}"};
  static const char *const selectors[] = {"scan", "blocking", "easy", "conservative"};
  static bench b;
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 4); seed++)
    for (size_t k = 0; k < COUNT(architectures); k++) {
      const size_t how =
          seed % (k == 2 ? 2 : COUNT(selectors)); /* heartbeat takes none that promises hosts */
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 3};
      char policy[256];
      make_world(&w, &d, seed % 3 == 0);
      for (int i = 0; i < w.kept_count; i++) w.kept[i].at_start = (int)below(&d, 4);
      w.hosts = HOSTS;
      if (seed % 4 == 2) some_are_down(&w, &d);
      if (seed % 4 == 3) some_change(&w, &d);
      (void)snprintf(policy, sizeof policy, "{select: %s}\narchitecture: %s", selectors[how],
                     architectures[k]);
      begin_world(&b, &w, policy);
      finish(&b);
      for (int i = 0; i < TASKS; i++) assert_true(start_of(&b, i + 1) >= 0);
      assert_verified(&b, policy, seed);
      end(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schedules_are_those_of_a_planner),
      cmocka_unit_test(test_downtime_is_that_of_a_planner),
      cmocka_unit_test(test_changes_are_those_of_a_planner),
      cmocka_unit_test(test_failures_beside_downtime),
      cmocka_unit_test(test_failures_beside_changes),
      cmocka_unit_test(test_schedules_hold),
      cmocka_unit_test(test_schedules_hold_under_architectures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
