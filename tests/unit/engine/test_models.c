/* test_models.c -- models of execution: a fixed delay behind the seam is a fixed delay, and tasks that share
 * a resource take as long as can be worked out by hand.
 *
 * Two models of the test's own. `delay` lets each task do its length at the rate that a plan sets. `shared`
 * has one resource of which each running task wants as much as it has units: all of them progress at min(1,
 * capacity / sum of wishes). */
#include "engine_test.h"

#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/wide.h"
#include "engine/model.h"

/* ---- both models are one: the delay has no end of the resource ---- */

typedef struct doing {
  hc_wide done; /* of its length, x HC_RATE_ONE */
  uint64_t serial;
  hc_time length;
  int64_t units, rate; /* rate: that a plan has set */
  uint32_t task, padding;
} doing;

struct hc_model {
  const hc_allocator *allocator;
  int64_t capacity; /* units that go on at full rate at once; 0: any number */
  hc_time at;
  doing *items;
  size_t count, cap;
};

static uint64_t begun, changed, stopped, over;

static hc_rc init(const hc_model_context *c, const void *options, hc_model **out, hc_error *e)
{
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_model){.allocator = c->allocator, .capacity = *(const int64_t *)options};
  return 0;
}

static void fini(hc_model *self)
{
  hc_free(self->allocator, self->items, self->cap * sizeof *self->items);
  hc_free(self->allocator, self, sizeof *self);
}

/* What a task does in a ns, of HC_RATE_ONE. Suspended tasks want nothing. */
static int64_t pace(const hc_model *self, const doing *d)
{
  int64_t sum = 0;
  for (size_t i = 0; i < self->count; i++) sum += self->items[i].rate > 0 ? self->items[i].units : 0;
  if (self->capacity == 0 || sum <= self->capacity) return d->rate;
  return hc_wide_divide(hc_wide_product(d->rate, self->capacity), sum, false);
}

static hc_wide done_by(const hc_model *self, const doing *d, hc_time now)
{
  hc_wide done = d->done;
  hc_wide_add_product(&done, pace(self, d), now - self->at);
  return done;
}

static void move_to(hc_model *self, hc_time now)
{
  for (size_t i = 0; i < self->count; i++) self->items[i].done = done_by(self, &self->items[i], now);
  self->at = now;
}

static doing *find(const hc_model *self, uint32_t task)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->items[i].task == task) return &self->items[i];
  fail_msg("task %u is not known to the model", task);
  return NULL;
}

static hc_rc model_begin(hc_model *self, hc_time now, const hc_activity *a, hc_error *e)
{
  HC_UNUSED(e);
  move_to(self, now);
  begun++;
  TRY(hc_reserve(self->allocator, (void **)&self->items, &self->cap, self->count + 1, sizeof *self->items));
  self->items[self->count++] = (doing){
      .serial = a->serial, .length = a->length, .units = a->units, .rate = HC_RATE_ONE, .task = a->task};
  return 0;
}

static hc_rc model_change(hc_model *self, hc_time now, uint32_t task, int64_t rate, hc_error *e)
{
  HC_UNUSED(e);
  move_to(self, now);
  changed++;
  find(self, task)->rate = rate;
  return 0;
}

static hc_rc model_end(hc_model *self, hc_time now, uint32_t task)
{
  doing *d;
  move_to(self, now);
  stopped++;
  d = find(self, task);
  *d = self->items[--self->count];
  return 0;
}

static hc_time model_done(const hc_model *self, hc_time now, uint32_t task)
{
  return hc_wide_divide(done_by(self, find(self, task), now), HC_RATE_ONE, false);
}

static hc_time end_of_one(const hc_model *self, const doing *d)
{
  const hc_wide left = hc_wide_minus(hc_wide_product(d->length, HC_RATE_ONE), d->done);
  const int64_t rate = pace(self, d);
  if (d->length == HC_NEVER || (rate == 0 && (left.hi > 0 || left.lo > 0))) return HC_NEVER;
  return left.hi < 0 || rate == 0 ? self->at : hc_time_add(self->at, hc_wide_divide(left, rate, true));
}

static hc_time model_next(hc_model *self)
{
  hc_time at = HC_NEVER;
  for (size_t i = 0; i < self->count; i++) at = HC_MIN(at, end_of_one(self, &self->items[i]));
  return at;
}

static hc_rc model_advance(hc_model *self, hc_time now, hc_ended *ended, hc_error *e)
{
  HC_UNUSED(e);
  move_to(self, now);
  for (size_t i = 0; i < self->count; i++) {
    if (end_of_one(self, &self->items[i]) > now) continue;
    *ended = (hc_ended){.task = self->items[i].task};
    self->items[i] = self->items[--self->count];
    over++;
    return 1;
  }
  return 0;
}

static hc_rc model_visit(hc_model *self, hc_visitor *v)
{
  HC_VISIT(v, self->at);
  HC_VISIT_ARRAY(v, self->items, self->count, self->cap);
  return 0;
}

static const hc_model_type sharing = {.init = init,
                                      .fini = fini,
                                      .begin = model_begin,
                                      .change = model_change,
                                      .end = model_end,
                                      .done = model_done,
                                      .next = model_next,
                                      .advance = model_advance,
                                      .visit = model_visit};

static void begin_with(bench *b, const char *yaml, int64_t procs, const job *jobs, size_t count,
                       int64_t capacity)
{
  begin(b, yaml, procs, jobs, count, NULL);
  check(b, hc_model_open((hc_engine *)(void *)b->run, &sharing, &capacity, &b->error));
}

/* ---- a fixed delay behind the seam ---- */

static const char *const configurations[] = {
    "policy: easy\n",
    "policy: conservative\noverrun: run_on\ncell: {use: intervals, procs: 16}\n",
    "policy: conservative\noverrun: run_on\ncell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: "
    "4}]}\n",
    ("policy: easy\ncell: {use: hosts, classes: [{name_prefix: a, count: 2, cpus: 4}, "
     "{name_prefix: b, count: 2, cpus: 4, speed: 1.7}]}\n"),
    "policy: {use: gang, quantum: 7s, switch_cost: 1s}\n",
    "policy: {use: gang, quantum: 5s, alternate: true}\ncell: {use: intervals, procs: 16}\n",
    "policy: {select: scan}\narchitecture: {use: monolithic, think: 3s}\nevent_queue: radix\n",
    ("policy: {select: scan}\ncell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 4}]}\n"
     "events: {use: list, changes: [{at: 50, hosts: all, change: down, until: 60}]}\n"),
};

static void test_delay(void **state)
{
  enum { JOBS = 120 };
  static job jobs[JOBS];
  hc_draws d = {11, 0, 0, 0, 0};
  int64_t at = 0;
  (void)state;
  for (int i = 0; i < JOBS; i++) {
    const int64_t run = (int64_t)hc_random_below(&d, 60);
    at += (int64_t)hc_random_below(&d, 9);
    jobs[i] = (job)J(i + 1, at, run, 1 + (int64_t)hc_random_below(&d, 8),
                     run + (int64_t)hc_random_below(&d, 30) - 5);
    if (jobs[i].limit < 1) jobs[i].limit = 1;
  }
  for (size_t k = 0; k < COUNT(configurations); k++) {
    char yaml[512];
    bench plain, with;
    (void)snprintf(yaml, sizeof yaml, "paranoid: true\n%s", configurations[k]);
    begin(&plain, yaml, 16, jobs, JOBS, NULL);
    finish(&plain);
    begin_with(&with, yaml, 16, jobs, JOBS, 0);
    finish(&with);
    for (int i = 1; i <= JOBS; i++) {
      const hc_task_record *a = record_of(&plain, i), *b = record_of(&with, i);
      if (a->start != b->start || a->end != b->end || a->run != b->run || a->final != b->final ||
          a->flags != b->flags)
        fail_msg("%stask %d: %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64, configurations[k], i,
                 b->start, b->end, a->start, a->end);
    }
    end(&plain);
    end(&with);
  }
  assert_true(begun > 900 && changed > 100 && stopped > 1 && begun == stopped + over);
}

/* ---- a resource that is shared ---- */

static void assert_shared(const char *yaml, int64_t capacity, const job *jobs, size_t count,
                          const int64_t (*times)[2])
{
  static const char *const cells[] = {"", "cell: {use: intervals, procs: 8}\n",
                                      "cell: {use: hosts, classes: [{name_prefix: c, count: 2, cpus: 4}]}\n"};
  for (size_t k = 0; k < COUNT(cells); k++) {
    char text[512];
    bench b;
    (void)snprintf(text, sizeof text, "paranoid: true\n%s%s", yaml, cells[k]);
    begin_with(&b, text, 8, jobs, count,
               k == 2 ? capacity * 1000 : capacity); /* there units are thousandths of cores */
    finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s: task %zu: %" PRId64 " to %" PRId64, text, i + 1, start_of(&b, (int64_t)i + 1),
                 end_of(&b, (int64_t)i + 1));
    end(&b);
  }
}
#define SHARED(yaml, capacity, jobs, ...) \
  assert_shared(yaml, capacity, jobs, COUNT(jobs), (const int64_t[][2]){__VA_ARGS__})

/* 4 of 8 wishes are met. 1 has done 4 of 10 s when 2 comes; at half their rates 1 needs 12 s more, in which
 * 2 does 6; then 2 has 4 left, alone. Where the resource is enough for both, nothing is shared. */
static void test_two(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 4, 10, 4, 10)};
  (void)state;
  SHARED("", 4, jobs, {0, 16}, {4, 20});
  SHARED("", 8, jobs, {0, 10}, {4, 14});
  assert_int_equal(hc_wide_divide(hc_wide_product(HC_RATE_ONE, 4), 8, false) * 2, HC_RATE_ONE);
}

/* n equal tasks of n units in all, of which one may work at full rate: all end together, after n times their
 * length. */
static void test_equal(void **state)
{
  static const job jobs[] = {J(1, 0, 6, 1, 6), J(2, 0, 6, 1, 6), J(3, 0, 6, 1, 6), J(4, 0, 6, 1, 6),
                             J(5, 0, 6, 1, 6), J(6, 0, 6, 1, 6), J(7, 0, 6, 1, 6), J(8, 0, 6, 1, 6)};
  (void)state;
  SHARED("", 1, jobs, {0, 48}, {0, 48}, {0, 48}, {0, 48}, {0, 48}, {0, 48}, {0, 48}, {0, 48});
}

/* As test_two, with 3, which takes the cell. Estimates are believed, so that 1 is overdue at 10 and 2 at 14,
 * where the resource is scarce; 3 starts when both have ended, and takes twice its time. */
static void test_easy(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 4, 10, 4, 10), J(3, 5, 2, 8, 2)};
  (void)state;
  SHARED("policy: easy\n", 8, jobs, {0, 10}, {4, 14}, {14, 16});
  SHARED("policy: easy\n", 4, jobs, {0, 16}, {4, 20}, {20, 24});
  SHARED("policy: conservative\n", 4, jobs, {0, 16}, {4, 20}, {20, 24});
}

/* Two of full width take turns of 3 s: who is suspended wants nothing of the resource, so that each goes on
 * at half its rate, which is all that one gets of it: 10 s of work take 20 of its own. A [0,3) [6,9) ...
 * [36,38): B has done 9 of 10 by then. */
static void test_gang(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 8, 10), J(2, 0, 10, 8, 10)};
  bench b;
  (void)state;
  begin_with(&b, "policy: {use: gang, quantum: 3s}\nparanoid: true\n", 8, jobs, COUNT(jobs), 4);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 38);
  assert_int_equal(end_of(&b, 2), 40);
  end(&b);
}

static void test_combinations(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  const int64_t capacity = 4;
  bench b;
  (void)state;
  begin(&b, "due_ends_first: true\n", 8, jobs, 1, NULL);
  assert_int_equal(hc_model_open((hc_engine *)(void *)b.run, &sharing, &capacity, &b.error), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "end_order: serial"));
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delay), cmocka_unit_test(test_two),  cmocka_unit_test(test_equal),
      cmocka_unit_test(test_easy),  cmocka_unit_test(test_gang), cmocka_unit_test(test_combinations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
