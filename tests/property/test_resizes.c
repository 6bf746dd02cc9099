/* test_resizes.c -- tasks whose demand changes while they run, against a simulator that knows nothing but
 * seconds.
 *
 *   - on a few hosts, under each choice of `cannot_grow`, first come first served with and without looking
 *     past who does not fit: starts, ends, mean sizes, counts, and core-seconds are those of a walk over
 *     every second
 *   - cut anywhere and gone on with, and under another event queue, it is the same
 *   - whatever else decides and however decisions are organised, the schedule holds
 *
 * A failure prints the seed, which makes the case again. */
#include "../unit/engine/engine_test.h"

#include <math.h>

#include "base/math.h"
#include "base/util.h"
#include "hindcast/run.h"
#include "hindcast/verify.h"

#define MOST_TASKS 14
#define MOST_STEPS 3
#define MOST_HOSTS 3
#define SEEDS 400
#define LAST_SECOND 2000

enum { CORES, MEMORY, DIMS };
enum { KEEP, DEFER, REQUEUE, MODES };
static const char *const modes[MODES] = {"keep", "defer", "requeue"};

typedef struct step {
  int64_t after;
  int64_t need[DIMS]; /* -1: as before */
} step;

typedef struct task {
  int64_t submit, run, need[DIMS];
  int steps;
  step step[MOST_STEPS];
} task;

typedef struct world {
  uint64_t seed;
  int hosts, tasks, mode;
  bool looks_past;
  int64_t has[MOST_HOSTS][DIMS];
  task task[MOST_TASKS];
} world;

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void make_world(world *w, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  *w = (world){.seed = seed, .hosts = 1 + (int)below(&d, MOST_HOSTS), .mode = (int)below(&d, MODES)};
  w->tasks = 2 + (int)below(&d, MOST_TASKS - 1);
  w->looks_past = below(&d, 2) == 0;
  for (int h = 0; h < w->hosts; h++)
    for (int k = 0; k < DIMS; k++) w->has[h][k] = 4 + below(&d, 4);
  for (int i = 0; i < w->tasks; i++) {
    task *t = &w->task[i];
    int64_t after = 0;
    *t = (task){.submit = i == 0 ? 0 : w->task[i - 1].submit + below(&d, 4), .run = 1 + below(&d, 15)};
    for (int k = 0; k < DIMS; k++) t->need[k] = 1 + below(&d, 4);
    t->steps = (int)below(&d, MOST_STEPS + 1);
    for (int s = 0; s < t->steps; s++) {
      t->step[s].after = after += 1 + below(&d, 5);
      for (int k = 0; k < DIMS; k++)
        t->step[s].need[k] = below(&d, 3) == 0 ? -1 : below(&d, k == CORES ? 8 : 6);
    }
  }
}

/* ---- second by second ---- */

typedef struct life {
  int64_t start, end, area; /* core-seconds of the attempt */
  int64_t now[DIMS], first[DIMS];
  int host, done, skipped, grows; /* steps done, done before its start, waiting for room + 1 */
  enum { TO_COME, WAITS, RUNS, OVER } state;
} life;

typedef struct walk {
  const world *w;
  life life[MOST_TASKS];
  int64_t free[MOST_HOSTS][DIMS];
  int growers[MOST_TASKS], grower_count;
  bool tried[MOST_TASKS], freed;
  int64_t done, refused, deferred, requeued, core_seconds, t;
} walk;

static void hold(walk *x, int i, const int64_t *to)
{
  life *l = &x->life[i];
  for (int k = 0; k < DIMS; k++) {
    x->free[l->host][k] -= to[k] - l->now[k];
    x->freed |= to[k] < l->now[k];
    l->now[k] = to[k];
  }
}

static void give(walk *x, int i)
{
  static const int64_t nothing[DIMS] = {0};
  life *l = &x->life[i];
  if (l->grows > 0) { /* it waited in vain */
    int n = 0;
    for (int g = 0; g < x->grower_count; g++)
      if (x->growers[g] != i) x->growers[n++] = x->growers[g];
    x->grower_count = n;
    x->refused++;
    l->grows = 0;
  }
  hold(x, i, nothing);
}

static void asked(const walk *x, int i, int steps, int64_t *to)
{
  memcpy(to, x->life[i].first, DIMS * sizeof *to);
  for (int s = x->life[i].skipped; s < steps; s++)
    for (int k = 0; k < DIMS; k++)
      if (x->w->task[i].step[s].need[k] >= 0) to[k] = x->w->task[i].step[s].need[k];
}

static bool is_possible(const world *w, const int64_t *to)
{
  for (int h = 0; h < w->hosts; h++)
    if (to[CORES] <= w->has[h][CORES] && to[MEMORY] <= w->has[h][MEMORY]) return true;
  return false;
}

static void take_step(walk *x, int i)
{
  life *l = &x->life[i];
  int64_t to[DIMS];
  if (l->grows > 0) {
    int n = 0;
    for (int g = 0; g < x->grower_count; g++)
      if (x->growers[g] != i) x->growers[n++] = x->growers[g];
    x->grower_count = n;
    x->refused++;
    l->grows = 0;
  }
  asked(x, i, ++l->done, to);
  if (to[CORES] == l->now[CORES] && to[MEMORY] == l->now[MEMORY]) return;
  if (!is_possible(x->w, to)) {
    x->refused++;
  } else if (to[CORES] > l->now[CORES] || to[MEMORY] > l->now[MEMORY]) {
    l->grows = l->done;
    x->tried[i] = false;
    x->growers[x->grower_count++] = i;
  } else {
    x->done++;
    hold(x, i, to);
  }
}

static bool has_room(const walk *x, int i, const int64_t *to)
{
  const life *l = &x->life[i];
  for (int k = 0; k < DIMS; k++)
    if (to[k] > l->now[k] && to[k] - l->now[k] > x->free[l->host][k]) return false;
  return true;
}

static void no_room(walk *x, int i, const int64_t *to)
{
  life *l = &x->life[i];
  const int steps = l->grows;
  if (x->w->mode == KEEP) {
    x->refused++;
    l->grows = 0;
  } else if (x->w->mode == REQUEUE) {
    x->requeued++;
    l->grows = 0;
    give(x, i);
    memcpy(l->first, to, sizeof l->first);
    l->skipped = l->done = steps;
    l->state = WAITS;
    l->start = -1;
  } else {
    x->deferred += !x->tried[i];
    x->tried[i] = true;
    x->growers[x->grower_count++] = i;
  }
}

static void grow_all(walk *x)
{
  do {
    const int n = x->grower_count;
    int list[MOST_TASKS];
    memcpy(list, x->growers, sizeof list);
    x->grower_count = 0;
    x->freed = false;
    for (int g = 0; g < n; g++) {
      int64_t to[DIMS];
      asked(x, list[g], x->life[list[g]].grows, to);
      if (has_room(x, list[g], to)) {
        x->done++;
        x->life[list[g]].grows = 0;
        hold(x, list[g], to);
      } else {
        no_room(x, list[g], to);
      }
    }
  } while (x->freed && x->grower_count > 0);
}

static bool start_one(walk *x, int i)
{
  life *l = &x->life[i];
  for (int h = 0; h < x->w->hosts; h++) {
    if (l->first[CORES] > x->free[h][CORES] || l->first[MEMORY] > x->free[h][MEMORY]) continue;
    l->host = h;
    l->start = x->t;
    l->area = 0;
    l->done = l->skipped;
    l->state = RUNS;
    hold(x, i, l->first);
    return true;
  }
  return false;
}

static void one_second(walk *x)
{
  const world *w = x->w;
  for (int i = 0; i < w->tasks; i++) {
    life *l = &x->life[i];
    if (l->state != RUNS || l->start + w->task[i].run != x->t) continue;
    give(x, i);
    l->end = x->t;
    l->state = OVER;
  }
  for (int i = 0; i < w->tasks; i++) {
    const life *l = &x->life[i];
    if (l->state == RUNS && l->done < w->task[i].steps && l->start + w->task[i].step[l->done].after == x->t)
      take_step(x, i);
  }
  grow_all(x);
  for (int i = 0; i < w->tasks; i++)
    if (w->task[i].submit == x->t) x->life[i].state = WAITS;
  for (int i = 0; i < w->tasks; i++)
    if (x->life[i].state == WAITS && !start_one(x, i) && !w->looks_past) break;
  for (int i = 0; i < w->tasks; i++) {
    x->life[i].area += x->life[i].state == RUNS ? x->life[i].now[CORES] : 0;
    x->core_seconds += x->life[i].state == RUNS ? x->life[i].now[CORES] : 0;
  }
}

static void walk_through(walk *x, const world *w)
{
  *x = (walk){.w = w};
  memcpy(x->free, w->has, sizeof x->free);
  for (int i = 0; i < w->tasks; i++) memcpy(x->life[i].first, w->task[i].need, sizeof x->life[i].first);
  for (; x->t < LAST_SECOND; x->t++) {
    bool over = true;
    one_second(x);
    for (int i = 0; i < w->tasks; i++) over &= x->life[i].state == OVER;
    if (over) return;
  }
  fail_msg("seed %" PRIu64 ": the walk does not come to an end", w->seed);
}

/* ---- the same as a run ---- */

static void put_need(hc_buffer *b, const int64_t *need)
{
  hc_buffer_text(b, "resources: {");
  if (need[CORES] >= 0) hc_buffer_printf(b, "cpu: %" PRId64 "%s", need[CORES], need[MEMORY] >= 0 ? ", " : "");
  if (need[MEMORY] >= 0) hc_buffer_printf(b, "memory: %" PRId64, need[MEMORY]);
  hc_buffer_text(b, "}");
}

static void put_tasks(hc_buffer *b, const world *w)
{
  for (int i = 0; i < w->tasks; i++) {
    const task *t = &w->task[i];
    hc_buffer_printf(b, "- {id: %d, user: %d, submit_time: %" PRId64 ", delay: %" PRId64 ", ", i + 1, i % 3,
                     t->submit, t->run);
    put_need(b, t->need);
    hc_buffer_text(b, ", resizes: [");
    for (int s = 0; s < t->steps; s++) {
      hc_buffer_printf(b, "%s{after: %" PRId64 ", ", s ? ", " : "", t->step[s].after);
      put_need(b, t->step[s].need);
      hc_buffer_text(b, "}");
    }
    hc_buffer_text(b, "]}\n");
  }
}

/* @param more  keys of the configuration */
static void begin_world(bench *b, const world *w, const char *more)
{
  hc_buffer tasks, yaml;
  hc_rc rc;
  hc_buffer_init(&tasks, hc_default_allocator());
  hc_buffer_init(&yaml, hc_default_allocator());
  put_tasks(&tasks, w);
  hc_buffer_printf(
      &yaml,
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: [usage]\ncannot_grow: %s\n%s\n"
      "cell: {use: hosts, classes: [",
      modes[w->mode], more);
  for (int h = 0; h < w->hosts; h++)
    hc_buffer_printf(&yaml, "%s{count: 1, name_prefix: h%d, cpus: %" PRId64 ", memory: %" PRId64 "}",
                     h ? ", " : "", h, w->has[h][CORES], w->has[h][MEMORY]);
  hc_buffer_text(&yaml, "]}\n");
  memset(b, 0, sizeof *b);
  write_log(b->path, tasks.data, tasks.size);
  rc = configure(b, hc_default_allocator(), yaml.data, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  if (rc >= 0) rc = hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
  if (rc < 0) fail_msg("seed %" PRIu64 ", %s: %s", w->seed, more, b->error.text);
  hc_buffer_fini(&tasks);
  hc_buffer_fini(&yaml);
}

static void say(void *ctx, const hc_violation *v)
{
  print_error("%s: task %lld at %lld: %s\n", (const char *)ctx, (long long)v->id, (long long)v->at, v->text);
}

static void assert_holds(bench *b, const world *w, const char *more)
{
  hc_verify_hosts hosts;
  hc_verify_stops stops;
  hc_verify_options o = {.honours_run = true, .hosts = &hosts};
  hc_verify_report report;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_hosts_read(b->allocator, r, &hosts, &b->error), 1);
  if (hc_verify_stops_read(b->allocator, r, hosts.host_count, &stops, &b->error) == 1) o.stops = &stops;
  if (hc_verify(b->allocator, &o, b->records, b->count, say, (void *)(uintptr_t)more, &report) < 0)
    fail_msg("seed %" PRIu64 " does not hold", w->seed);
  if (o.stops) hc_verify_stops_free(b->allocator, &stops);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

static void assert_walked(bench *b, const world *w, const walk *x)
{
  hc_result *r;
  double mean;
  for (int i = 0; i < w->tasks; i++) {
    const life *l = &x->life[i];
    const hc_task_record *t = record_of(b, i + 1);
    const int64_t length = (l->end - l->start) * HC_SECOND;
    const int64_t units = (l->area * 1000 * HC_SECOND + length / 2) / length;
    if (t->start != l->start * HC_SECOND || t->end != l->end * HC_SECOND || t->units != units)
      fail_msg("seed %" PRIu64 ": task %d from %" PRId64 " to %" PRId64 " with %" PRId64 "; walked %" PRId64
               " to %" PRId64 " with %" PRId64,
               w->seed, i + 1, start_of(b, i + 1), end_of(b, i + 1), t->units, l->start, l->end, units);
  }
  assert_int_equal(counted(b, "hindcast", "resizes"), x->done);
  assert_int_equal(counted(b, "hindcast", "resizes_refused"), x->refused);
  assert_int_equal(counted(b, "hindcast", "resizes_deferred"), x->deferred);
  assert_int_equal(counted(b, "hindcast", "resizes_requeued"), x->requeued);
  check(b, hc_result_of_store(b->store, &r, &b->error));
  mean = hc_result_figure(r, "all", "usage_cpu_claimed_amount");
  hc_result_free(r);
  if (!(fabs(mean * (double)x->t - (double)x->core_seconds) <=
        1e-9 * (double)x->core_seconds)) /* rounding of a quotient */
    fail_msg("seed %" PRIu64 ": %.17g cores over %" PRId64 " s, walked %" PRId64, w->seed, mean, x->t,
             x->core_seconds);
}

static void test_as_walked(void **state)
{
  int64_t seen[4] = {0};
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    char more[128];
    world w;
    walk x;
    bench b;
    make_world(&w, seed);
    walk_through(&x, &w);
    (void)snprintf(more, sizeof more, "policy: fcfs+%s+first_fit\nevent_queue: %s",
                   w.looks_past ? "scan" : "blocking", seed % 2 ? "heap" : "wheel");
    begin_world(&b, &w, more);
    if (seed % 4 == 0) finish_in_pieces(&b, 1 + seed % 3);
    else finish(&b);
    assert_walked(&b, &w, &x);
    assert_holds(&b, &w, more);
    end(&b);
    seen[0] += x.done;
    seen[1] += x.refused;
    seen[2] += x.deferred;
    seen[3] += x.requeued;
  }
  for (int i = 0; i < 4; i++) assert_true(seen[i] >= SEEDS / 8); /* each was put to the test */
}

/* ---- the policy that decides ---- */

static void test_holds_under_all(void **state)
{
  static const char *const all[] = {
      "policy: sjf+easy+best_fit",
      "policy: fcfs+lottery",
      "policy: fair",
      "policy: {use: fair, share: hdrf}",
      "policy: yt\narchitecture: heartbeat",
      "policy: {use: fair, preempt: {use: starving, timeout: 2s}}\narchitecture: heartbeat",
      "policy: {use: fair, share: server_drf}\narchitecture: heartbeat",
      "policy: fair\narchitecture: heartbeat",
      "policy: fcfs+scan\narchitecture: {use: monolithic, think: 2s}",
      "policy: fcfs+scan\narchitecture: two_level",
      "policy: fcfs+scan\narchitecture: shared_state",
      "policy: fcfs+scan\narchitecture: multi_path",
      "policy: fcfs\narchitecture: kubernetes",
  };
  (void)state;
  for (uint64_t seed = 1; seed <= 15; seed++)
    for (size_t k = 0; k < COUNT(all); k++) {
      world w;
      bench b;
      make_world(&w, 1000 * seed + k);
      begin_world(&b, &w, all[k]);
      finish(&b);
      assert_int_equal(b.count, w.tasks);
      assert_holds(&b, &w, all[k]);
      end(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_walked),
                                     cmocka_unit_test(test_holds_under_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
