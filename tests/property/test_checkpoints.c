/* test_checkpoints.c -- failures, checkpoints, evictions and back-off against a walk by seconds, of tasks of
 * a known length and of tasks whose profiles come to that length.
 *
 * The walker knows hosts with cores, and what happens to them at given times: they go down, fail unseen,
 * drain and lose what runs on them, come back. At each second each running task does one second of what it
 * is at: reads its last checkpoint, works, or writes one; on a host that has failed it does nothing. At a
 * loss it goes back to the last checkpoint that is left, and waits; so work is conserved second by second: a
 * task ends when it has done all of its work, and nothing that it had saved is done twice. A run must start
 * and end each task when the walker does, in one go and in pieces, and `verify` finds nothing. A failure
 * prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

enum { TASKS = 14, HOSTS = 3, CYCLES = 4, SEEDS = 150, SECONDS = 6000, CORES = 4 };
enum { DOWN, SILENT, EVICT_REQUEUE, EVICT_CHECKPOINT, EVICT_STOP, KINDS };

/* How far a task is. */
typedef struct progress {
  int64_t done;           /* work */
  int64_t since, writing; /* work since the last checkpoint; of the one at hand, seconds written */
  int64_t count;          /* local ones since the last global one */
} progress;

typedef struct task {
  int64_t submit, run, cores, start, end, reading, losses, ready;
  int nodes, host[2];
  bool is_over, is_lost;
  progress now, base; /* base: what the next attempt begins with, if nothing more is saved */
  int64_t base_reading;
  progress global, local;
  bool has_global, has_local; /* of this attempt */
} task;

/* One cycle of a host: at `at` something happens, at `then` it goes on (a failure is found, tasks are
 * evicted), and at `until` it is up again. */
typedef struct cycle {
  int64_t at, then, until;
  int kind;
} cycle;

typedef struct world {
  task tasks[TASKS];
  cycle cycles[HOSTS][CYCLES];
  int64_t held[HOSTS];
  bool away[HOSTS], dead[HOSTS];
  int64_t every, write, read, each, local_write, local_read, after, most, attempts;
  bool survives, checkpoints, profiles;
  uint64_t losses, resumed;
} world;

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void make_world(world *w, hc_draws *d, bool profiles)
{
  int64_t submit = 0;
  memset(w, 0, sizeof *w);
  w->profiles = profiles;
  w->checkpoints = below(d, 6) > 0;
  w->every = 3 + below(d, 20);
  w->write = below(d, 4);
  w->read = below(d, 6);
  w->each = below(d, 4);
  w->local_write = w->each == 1 ? 0 : below(d, 3);
  w->local_read = below(d, 3);
  w->survives = below(d, 2);
  w->after = below(d, 3) * 5;
  w->most = 5 + below(d, 40);
  w->attempts = below(d, 4) == 0 ? 2 : 100;
  for (int i = 0; i < TASKS; i++) {
    submit += below(d, 12);
    w->tasks[i] = (task){.submit = submit,
                         .run = 1 + below(d, 90),
                         .cores = 1 + below(d, CORES),
                         .nodes = below(d, 5) == 0 ? 2 : 1,
                         .start = -1};
    w->tasks[i].ready = submit;
  }
  for (int h = 0; h < HOSTS; h++) {
    int64_t at = 0;
    for (int i = 0; i < CYCLES; i++) {
      cycle *c = &w->cycles[h][i];
      c->at = at += 1 + below(d, 60);
      c->then = at += 1 + below(d, 25);
      c->until = at += 1 + below(d, 25);
      c->kind = (int)below(d, KINDS);
      if (profiles && (c->kind == SILENT || c->kind == EVICT_CHECKPOINT)) c->kind = DOWN;
    }
  }
}

/* ---- the walker ---- */

static bool runs(const task *t)
{
  return t->start >= 0 && !t->is_over;
}

static void finish_task(world *w, task *t, int64_t now)
{
  for (int k = 0; k < t->nodes; k++) w->held[t->host[k]] -= t->cores;
  t->end = now;
  t->is_over = true;
}

static void wait_again(world *w, task *t)
{
  for (int k = 0; k < t->nodes; k++) w->held[t->host[k]] -= t->cores;
  t->start = -1;
}

/* The last checkpoint of this attempt that is left is what the next one begins with. */
static void go_back(world *w, task *t, bool locals)
{
  const bool is_local = locals && t->has_local && (!t->has_global || t->local.done > t->global.done);
  if (is_local) {
    t->base = t->local;
    t->base_reading = w->local_read;
  } else if (t->has_global) {
    t->base = t->global;
    t->base_reading = w->read;
  }
  w->resumed += is_local || t->has_global;
}

static void lose(world *w, task *t, int64_t now)
{
  int64_t delay = w->after;
  w->losses++;
  if (++t->losses >= w->attempts) {
    finish_task(w, t, now);
    t->is_lost = true;
    return;
  }
  go_back(w, t, w->survives);
  wait_again(w, t);
  for (int64_t n = 1; n < t->losses && delay < w->most; n++) delay *= 2;
  t->ready = w->after > 0 ? now + HC_MIN(delay, w->most) : now;
}

static void evict(world *w, task *t, int kind, int64_t now)
{
  if (kind == EVICT_STOP) {
    finish_task(w, t, now);
    return;
  }
  if (kind == EVICT_CHECKPOINT) {
    t->base = t->now;
    t->base_reading = 0;
  } else go_back(w, t, false);
  wait_again(w, t);
}

static void write_done(world *w, task *t)
{
  const bool is_global = w->each > 0 && t->now.count + 1 == w->each;
  t->now.since = t->now.writing = 0;
  t->now.count = is_global ? 0 : t->now.count + 1;
  if (is_global) {
    t->global = t->now;
    t->has_global = true;
    t->has_local = false;
  } else {
    t->local = t->now;
    t->has_local = true;
  }
}

/* One second of a task. */
static void do_second(world *w, task *t)
{
  for (int k = 0; k < t->nodes; k++)
    if (w->dead[t->host[k]]) return;
  if (t->reading > 0) {
    t->reading--;
    return;
  }
  const int64_t cost = w->each > 0 && t->now.count + 1 == w->each ? w->write : w->local_write;
  const bool writes = w->checkpoints && t->now.since == w->every;
  if (writes) t->now.writing++;
  else {
    t->now.done++;
    t->now.since++;
  }
  if (!w->checkpoints || t->now.done == t->run || t->now.since < w->every) return;
  if (t->now.writing == cost) write_done(w, t);
}

static void happen(world *w, int64_t now)
{
  for (int h = 0; h < HOSTS; h++) {
    for (int i = 0; i < CYCLES; i++) {
      const cycle *c = &w->cycles[h][i];
      const bool goes = (c->kind == DOWN && now == c->at) || (c->kind == SILENT && now == c->then);
      if (c->kind == SILENT && now == c->at) w->dead[h] = true;
      if (c->kind >= EVICT_REQUEUE && now == c->at) w->away[h] = true;
      for (int k = 0; k < TASKS; k++) {
        task *t = &w->tasks[k];
        if (!runs(t) || (t->host[0] != h && (t->nodes == 1 || t->host[1] != h))) continue;
        if (goes) lose(w, t, now);
        else if (c->kind >= EVICT_REQUEUE && now == c->then) evict(w, t, c->kind, now);
      }
      if (goes) {
        w->away[h] = true;
        w->dead[h] = false;
      }
      if (now == c->until) w->away[h] = false;
    }
  }
}

static void decide(world *w, int64_t now)
{
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    int found = 0;
    if (t->start >= 0 || t->is_over || t->ready > now) continue;
    for (int h = 0; h < HOSTS && found < t->nodes; h++)
      if (!w->away[h] && w->held[h] + t->cores <= CORES) t->host[found++] = h;
    if (found < t->nodes) continue;
    for (int k = 0; k < t->nodes; k++) w->held[t->host[k]] += t->cores;
    t->start = now;
    t->now = t->base;
    t->reading = t->base_reading;
    t->has_global = t->has_local = false;
  }
}

static void walk(world *w)
{
  for (int64_t now = 0; now < SECONDS; now++) {
    for (int i = 0; i < TASKS; i++)
      if (runs(&w->tasks[i]) && w->tasks[i].now.done == w->tasks[i].run) finish_task(w, &w->tasks[i], now);
    happen(w, now);
    decide(w, now);
    for (int i = 0; i < TASKS; i++)
      if (runs(&w->tasks[i])) do_second(w, &w->tasks[i]);
  }
}

/* ---- runs ---- */

static const char *const evicts[] = {
    [EVICT_REQUEUE] = "requeue", [EVICT_CHECKPOINT] = "checkpoint", [EVICT_STOP] = "stop"};

/* A profile that takes so long: what computes is never twice at once. */
static void write_profile(hc_buffer *out, hc_draws *d, const task *t, int64_t length, bool computes,
                          int depth)
{
  const int64_t part = length > 1 ? 1 + below(d, length - 1) : 0, way = below(d, depth > 3 ? 3 : 7);
  int64_t times = 2 + below(d, 4);
  if (way == 0 || (way < 3 && !computes) || part == 0)
    hc_buffer_printf(out, "{idle: %" PRId64 "}", length);
  else if (way == 1)
    hc_buffer_printf(out, "{compute_homogeneous: %" PRId64 "}", length * t->cores);
  else if (way == 2 && t->nodes == 2)
    hc_buffer_printf(out, "{compute_vector: [%" PRId64 ", %" PRId64 "]}", length * t->cores, part * t->cores);
  else if (way < 5) {
    hc_buffer_printf(out, "{sequence: [");
    write_profile(out, d, t, part, computes, depth + 1);
    hc_buffer_printf(out, ", ");
    write_profile(out, d, t, length - part, computes, depth + 1);
    hc_buffer_printf(out, "]}");
  } else if (way == 5 && length % times == 0) {
    hc_buffer_printf(out, "{sequence: {profiles: [");
    write_profile(out, d, t, length / times, computes, depth + 1);
    hc_buffer_printf(out, "], repeat: %" PRId64 "}}", times);
  } else {
    hc_buffer_printf(out, "{parallel: [");
    write_profile(out, d, t, part, false, depth + 1);
    hc_buffer_printf(out, ", ");
    write_profile(out, d, t, length, computes, depth + 1);
    hc_buffer_printf(out, "]}");
  }
}

static void write_tasks(hc_buffer *text, const world *w)
{
  hc_draws d = {.seed = (uint64_t)w->every, .purpose = HC_PURPOSE_TEST, .entity = (uint64_t)w->tasks[0].run};
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    hc_buffer_printf(text,
                     "- {id: %d, submit_time: %" PRId64
                     ", resources: {nodes_count: %d, cpu_per_node: %" PRId64 "}, ",
                     i + 1, t->submit, t->nodes, t->cores);
    if (w->profiles && i % 5 != 0) {
      hc_buffer_printf(text, "profile: ");
      write_profile(text, &d, t, t->run, true, 0);
      hc_buffer_printf(text, "}\n");
    } else {
      hc_buffer_printf(text, "delay: %" PRId64 "}\n", t->run);
    }
  }
}

static void carry_out(bench *b, const world *w, uint64_t pieces)
{
  hc_buffer text, yaml;
  memset(b, 0, sizeof *b);
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_init(&yaml, hc_default_allocator());
  write_tasks(&text, w);
  write_log(b->path, text.data, text.size);
  hc_buffer_printf(&yaml,
                   "source: {use: native, file: FILE}\nparanoid: true\nmetrics: [failures]\n"
                   "policy: {select: scan}\nattempts: %" PRId64 "\nrequeue_after: %" PRId64
                   "s\nrequeue_growth: 2\nrequeue_most: %" PRId64
                   "s\ncell: {use: hosts, classes: [{name: h, count: %d, cpus: %d}]}\n",
                   w->attempts, w->after, w->most, HOSTS, CORES);
  if (w->profiles) hc_buffer_printf(&yaml, "execution: {use: activities, cpu_speed: 1}\n");
  if (w->checkpoints)
    hc_buffer_printf(&yaml,
                     "checkpoint: {use: fixed, every: %" PRId64 "s, write: %" PRId64 "s, read: %" PRId64
                     "s, global_each: %" PRId64 ", local_write: %" PRId64 "s, local_read: %" PRId64
                     "s, local_survives: %d}\n",
                     w->every, w->write, w->read, w->each, w->local_write, w->local_read, w->survives);
  hc_buffer_printf(&yaml, "events:\n  use: list\n  changes:\n");
  for (int h = 0; h < HOSTS; h++) {
    for (int i = 0; i < CYCLES; i++) {
      const cycle *c = &w->cycles[h][i];
      if (c->kind == SILENT)
        hc_buffer_printf(&yaml, "  - {at: %" PRId64 ", hosts: %d, change: fail}\n", c->at, h);
      hc_buffer_printf(&yaml, "  - {at: %" PRId64 ", hosts: %d, change: %s, until: %" PRId64,
                       c->kind == SILENT ? c->then : c->at, h, c->kind >= EVICT_REQUEUE ? "drain" : "down",
                       c->until);
      if (c->kind >= EVICT_REQUEUE)
        hc_buffer_printf(&yaml, ", evict_after: %" PRId64 "s, evict: %s", c->then - c->at, evicts[c->kind]);
      hc_buffer_printf(&yaml, "}\n");
    }
  }
  check(b, try_run(b, yaml.data, NULL));
  hc_buffer_fini(&text);
  hc_buffer_fini(&yaml);
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

static void hear(void *ctx, const hc_violation *v)
{
  (void)ctx;
  print_error("%s, task %" PRId64 ": %s\n", v->rule, v->id, v->text);
}

static void assert_same(const world *w, uint64_t pieces, uint64_t seed)
{
  static bench b;
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report = {0};
  hc_result *r;
  carry_out(&b, w, pieces);
  assert_int_equal(b.count, TASKS);
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    const bool is_lost = record_of(&b, i + 1)->final == HC_FINAL_LOST;
    if (start_of(&b, i + 1) != t->start || end_of(&b, i + 1) != t->end || is_lost != t->is_lost)
      fail_msg("seed %" PRIu64 ": task %d runs from %" PRId64 " to %" PRId64 " and should from %" PRId64
               " to %" PRId64,
               seed, i + 1, start_of(&b, i + 1), end_of(&b, i + 1), t->start, t->end);
  }
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  if (hc_verify_result(b.allocator, r, &q, hear, NULL, &report, &b.error) != 0)
    fail_msg("seed %" PRIu64 ": the schedule does not hold", seed);
  hc_result_free(r);
  end(&b);
}

static void assert_conserved(bool profiles)
{
  static world w;
  uint64_t losses = 0, resumed = 0;
  for (uint64_t seed = 1; seed <= hc_test_cases(4 * SEEDS, 40); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
    make_world(&w, &d, profiles);
    walk(&w);
    losses += w.losses;
    resumed += w.resumed;
    assert_same(&w, 0, seed);
    if (seed % 3 == 0) assert_same(&w, 1 + seed % 4, seed);
  }
  assert_true(losses > 100 && resumed > 40);
}

static void test_work_is_conserved_as_by_a_walk(void **state)
{
  (void)state;
  assert_conserved(false);
}

static void test_so_is_that_of_profiles(void **state)
{
  (void)state;
  assert_conserved(true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_is_conserved_as_by_a_walk),
                                     cmocka_unit_test(test_so_is_that_of_profiles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
