/* test_moldable_plans.c -- random workloads of moldable tasks, against a walk that shares nothing with the
 * engine.
 *
 * Tasks offer shapes with times of their own, or sizes that are theirs times a power of two with their work
 * conserved, and estimates are exact. Then nothing unforeseen happens, and conservative backfilling with
 * `mold: earliest` comes to this: each task, in order of submission, takes the shape and the start in which
 * it ends first beside those that came before it, and of two such the smaller. The walk does that on a list
 * of rectangles, and the run must agree start by start, size by size. It says at once that no task ends later
 * than in any shape that a fixed one would have been promised, that lengths are those of the shapes, and that
 * no more is held than there is.
 *
 * Under the other selectors and components the schedule is held to what every schedule is: each task runs
 * once, in a shape that it offers, as long as that says, and never more than the cell is in use. Then the
 * result is verified. Seeds are told. */
#include "../unit/engine/engine_test.h"
#include "../unit/engine/verified.h"

#include "base/math.h"
#include "base/util.h"

#define PROCS 16
#define TASKS 40
#define SHAPES 5

typedef struct shape {
  int64_t size, time; /* s */
} shape;

typedef struct task {
  int64_t submit;
  size_t count, own; /* own: the shape that it asks for */
  shape shapes[SHAPES];
  int64_t start, size, end; /* of the walk */
} task;

static task tasks[TASKS];
static hc_draws draws;

static int64_t from(int64_t least, int64_t most)
{
  return least + (int64_t)hc_random_below(&draws, (uint64_t)(most - least + 1));
}

/* ---- a workload ---- */

static void add_shape(task *t, int64_t size, int64_t time)
{
  size_t i = t->count++;
  for (; i > 0 && t->shapes[i - 1].size > size; i--) t->shapes[i] = t->shapes[i - 1];
  t->shapes[i] = (shape){size, time};
}

static bool has_size(const task *t, int64_t size)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->shapes[i].size == size) return true;
  return false;
}

/* Times need not fall with the size. */
static void draw_shapes(task *t, hc_buffer *out)
{
  const size_t count = (size_t)from(1, SHAPES);
  int64_t first = 0;
  hc_buffer_text(out, ", shapes: [");
  while (t->count < count) {
    const int64_t size = from(1, PROCS), time = from(1, 200);
    if (has_size(t, size)) continue;
    hc_buffer_printf(out, "%s{slots: %" PRId64 ", time: %" PRId64 "}", t->count > 0 ? ", " : "", size, time);
    if (t->count == 0) first = size;
    add_shape(t, size, time);
  }
  hc_buffer_text(out, "]");
  while (t->shapes[t->own].size != first) t->own++;
}

/* 1, 2, 4 or 8 processors, and work that each of them divides. */
static void draw_law(task *t, hc_buffer *out)
{
  const int64_t own = INT64_C(1) << from(0, 3), work = 16 * from(1, 60);
  hc_buffer_printf(out, ", procs: %" PRId64 ", delay: %" PRId64 ", shapes: [", own, work / own);
  for (int64_t size = 1; size <= PROCS; size *= 2) {
    hc_buffer_printf(out, "%s{slots: %" PRId64 ", speedup: %" PRId64 "}", size > 1 ? ", " : "", size, size);
    if (size < own) t->own++;
    add_shape(t, size, work / size);
  }
  hc_buffer_text(out, "]");
}

static void draw(uint64_t seed, hc_buffer *out)
{
  int64_t at = 0;
  draws = (hc_draws){.seed = seed, .purpose = HC_PURPOSE_TEST};
  memset(tasks, 0, sizeof tasks);
  for (size_t i = 0; i < TASKS; i++) {
    tasks[i].submit = at += from(0, 60);
    hc_buffer_printf(out, "- {id: %zu, submit_time: %" PRId64, i + 1, at);
    if (from(0, 2) > 0) draw_shapes(&tasks[i], out);
    else draw_law(&tasks[i], out);
    hc_buffer_text(out, "}\n");
  }
}

/* ---- the walk ---- */

/* The most that the first `count` tasks hold at any time in [at, to). It changes where one starts. */
static int64_t most_held(size_t count, int64_t at, int64_t to)
{
  int64_t most = 0;
  for (size_t k = 0; k <= count; k++) {
    const int64_t when = k == 0 ? at : tasks[k - 1].start;
    int64_t held = 0;
    if (when < at || when >= to) continue;
    for (size_t i = 0; i < count; i++)
      if (tasks[i].start <= when && when < tasks[i].end) held += tasks[i].size;
    most = HC_MAX(most, held);
  }
  return most;
}

/* A task starts when it comes, or where another ends. */
static int64_t earliest(size_t count, int64_t submit, const shape *s)
{
  int64_t best = INT64_MAX;
  for (size_t k = 0; k <= count; k++) {
    const int64_t at = k == 0 ? submit : tasks[k - 1].end;
    if (at < submit || at >= best || most_held(count, at, at + s->time) + s->size > PROCS) continue;
    best = at;
  }
  return best;
}

static void walk(void)
{
  for (size_t i = 0; i < TASKS; i++) {
    task *t = &tasks[i];
    t->end = INT64_MAX;
    for (size_t k = 0; k < t->count; k++) {
      const int64_t at = earliest(i, t->submit, &t->shapes[k]);
      if (at + t->shapes[k].time >= t->end) continue;
      t->start = at;
      t->size = t->shapes[k].size;
      t->end = at + t->shapes[k].time;
    }
  }
}

/* ---- a run ---- */

static void begin_run(bench *b, char file[64], uint64_t seed, const char *policy, int pieces)
{
  char text[512];
  hc_buffer out;
  hc_buffer_init(&out, hc_default_allocator());
  draw(seed, &out);
  write_log(file, out.data, out.size);
  hc_buffer_fini(&out);
  (void)snprintf(
      text, sizeof text,
      "paranoid: true\nsource: {use: native, file: %s}\ncell: {use: count, procs: %d}\npolicy: %s\n", file,
      PROCS, policy);
  check(b, try_begin(b, text, 8, NULL, 0, NULL));
  if (pieces) finish_in_pieces(b, 1);
  else finish(b);
  if (b->count != TASKS) fail_msg("seed %" PRIu64 ": %zu of %d tasks", seed, b->count, TASKS);
}

static void agree(uint64_t seed, int pieces)
{
  bench b;
  char file[64];
  begin_run(&b, file, seed, "{use: batch, select: conservative, mold: earliest}", pieces);
  walk();
  for (size_t i = 0; i < TASKS; i++) {
    const hc_task_record *r = record_of(&b, (int64_t)i + 1);
    const task *t = &tasks[i];
    if (r->start == t->start * HC_SECOND && r->end == t->end * HC_SECOND && r->units == t->size) continue;
    fail_msg("seed %" PRIu64 ": task %zu starts at %g on %" PRId64 " until %g, and by the walk at %" PRId64
             " on %" PRId64 " until %" PRId64,
             seed, i + 1, (double)r->start / 1e9, (int64_t)r->units, (double)r->end / 1e9, t->start, t->size,
             t->end);
  }
  end(&b);
  (void)unlink(file);
}

static void test_conservative(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) agree(seed, seed % 10 == 0);
}

/* ---- every schedule ---- */

static const shape *shape_of(const task *t, int64_t size)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->shapes[i].size == size) return &t->shapes[i];
  return NULL;
}

static int64_t held_at(const bench *b, hc_time at)
{
  int64_t sum = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->records[i].start <= at && at < b->records[i].end) sum += b->records[i].units;
  return sum;
}

static void hold(uint64_t seed, const char *policy, bool is_as_asked)
{
  bench b;
  char file[64];
  begin_run(&b, file, seed, policy, seed % 10 == 0);
  for (size_t i = 0; i < TASKS; i++) {
    const hc_task_record *r = record_of(&b, (int64_t)i + 1);
    const task *t = &tasks[i];
    const shape *s = shape_of(t, r->units);
    if (!s || r->start < t->submit * HC_SECOND || r->end - r->start != s->time * HC_SECOND ||
        (is_as_asked && s != &t->shapes[t->own]))
      fail_msg("%s, seed %" PRIu64 ": task %zu runs for %g s on %" PRId64, policy, seed, i + 1,
               (double)(r->end - r->start) / 1e9, (int64_t)r->units);
    if (held_at(&b, r->start) > PROCS)
      fail_msg("%s, seed %" PRIu64 ": more is held than there is", policy, seed);
  }
  assert_verified(&b);
  end(&b);
  (void)unlink(file);
}

static void test_all(void **state)
{
  static const char *const selects[] = {"blocking",
                                        "scan",
                                        "easy",
                                        "{use: easy, depth: 3}",
                                        "{use: easy, depth: 0}",
                                        "conservative",
                                        "{use: conservative, replan: always}",
                                        "{use: conservative, replan: compress}"};
  static const char *const molds[] = {"configured", "fewest",           "most", "preferred",
                                      "efficiency", "earliest",         "load", "max_parallelism",
                                      "global_cap", "relative_job_size"};
  static const char *const orders[] = {"fcfs", "sjf", "largest"};
  char policy[160];
  (void)state;
  for (size_t s = 0; s < COUNT(selects); s++)
    for (size_t m = 0; m < COUNT(molds); m++) {
      (void)snprintf(policy, sizeof policy, "{use: batch, order: %s, select: %s, mold: %s}",
                     orders[(s + m) % COUNT(orders)], selects[s], molds[m]);
      hold(100 + s * COUNT(molds) + m, policy, m == 0);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_conservative), cmocka_unit_test(test_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
