/* test_thoughts.c -- plans that are carried out some time after they were made, step by step.
 *
 * An architecture of this test's own plays a script: what it does at which second is a function of the test.
 * It saves plans, lets something else happen, loads them and commits them checked. Before it is over it
 * starts what fits, so that every task comes to an end. */
#include "engine_test.h"

#include "engine/reservations.h"
#include "engine/state.h"
#include "engine/tasks.h"

typedef struct thought {
  void *bytes;
  size_t size;
} thought;

struct hc_architecture {
  hc_architecture_context c;
  const hc_services *s;
  uint32_t queue;
  hc_view *v; /* while a view is open */
  hc_plan *p;
  thought saved[2];
};

/* What the architecture does, and what came of it: one run at a time. */
static void (*script)(hc_architecture *self, int64_t second);
static hc_error *failure;

static const hc_engine_services *services_of(const hc_architecture *self)
{
  return self->c.services;
}

static void open_view(hc_architecture *self)
{
  assert_int_equal(services_of(self)->view_open(self->c.engine, self->queue, NULL, 0, &self->v, &self->p), 0);
}

/* Close the view and carry its plan out at once. */
static void carry_out(hc_architecture *self)
{
  assert_int_equal(services_of(self)->view_close(self->c.engine, self->v, true), 0);
  assert_int_equal(services_of(self)->commit(self->c.engine, self->p, HC_COMMIT_NOW, failure), 0);
}

/* Close it, which undoes the plan, and keep that for later. */
static void think(hc_architecture *self, size_t which)
{
  thought *t = &self->saved[which];
  assert_int_equal(services_of(self)->plan_save(self->c.engine, self->p, &t->bytes, &t->size), 0);
  assert_int_equal(services_of(self)->view_close(self->c.engine, self->v, false), 0);
}

/* @return how many of its actions are refused */
static hc_rc conclude(hc_architecture *self, size_t which, hc_commit_mode mode)
{
  thought *t = &self->saved[which];
  hc_plan *p;
  hc_rc rc;
  assert_int_equal(services_of(self)->plan_load(self->c.engine, t->bytes, t->size, &p), 0);
  rc = services_of(self)->commit(self->c.engine, p, mode, failure);
  self->c.allocator->resize(self->c.allocator->ctx, t->bytes, t->size, 0);
  *t = (thought){0};
  return rc;
}

static hc_task task(const hc_architecture *self, uint64_t serial)
{
  const hc_task t = self->s->find(services_of(self)->task_view(self->c.engine), serial);
  assert_true(t != HC_NO_TASK);
  return t;
}

static void start(hc_architecture *self, uint64_t serial)
{
  assert_int_equal(self->s->start(self->p, task(self, serial), NULL, 0), 0);
}

static hc_time reserved(const hc_architecture *self, uint64_t serial)
{
  return hc_reserved_of(self->c.engine, task(self, serial));
}

/* The hosts that are held for a task. */
static size_t hosts_held(const hc_architecture *self, uint64_t serial)
{
  const hc_grant *grants;
  size_t n;
  assert_int_equal(hc_reserve_hosts_of(self->c.engine->reserve, task(self, serial), &grants, &n), 0);
  return n;
}

/* ---- the architecture ---- */

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  const hc_time now = services_of(self)->now(self->c.engine);
  failure = e;
  if (now >= 200 * HC_SECOND) {
    hc_task blocked;
    open_view(self);
    assert_int_equal(self->s->start_heads(self->p, &blocked), 0);
    carry_out(self);
  } else if (now % HC_SECOND == 0) {
    script(self, now / HC_SECOND);
  }
  return 0;
}

static hc_rc hear(hc_architecture *self, const hc_signal *s, hc_error *e)
{
  (void)e;
  if (s->what != HC_WHY_ARRIVAL) return 0;
  return services_of(self)->enqueue(self->c.engine, self->queue, s->task);
}

/* Every ten seconds there is an instant. */
static hc_rc born(const hc_architecture_context *c, const void *options, hc_architecture **out, hc_error *e)
{
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  hc_policy_parts parts = {0};
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_architecture){.c = *c, .s = c->policy_context->services};
  type->parts(c->policy.options, &parts);
  for (hc_time at = 0; at <= 400 * HC_SECOND; at += 10 * HC_SECOND)
    assert_int_equal(c->services->timer(c->engine, at, 1), 0);
  return c->services->queue_new(c->engine, parts.order, parts.candidates, &(*out)->queue);
}

static void gone(hc_architecture *self)
{
  (void)self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

static const hc_architecture_type thoughtful = {
    .component = {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "thoughtful",
                  .summary = "of a test"},
    .init = born,
    .signal = hear,
    .decide = decide,
    .fini = gone,
};
static const hc_component *const own[] = {&thoughtful.component, NULL};

#define TWO_HOSTS \
  "policy: {select: {use: easy, reserve: hosts}}\n" \
  "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}]}\narchitecture: thoughtful\n"
#define COUNTED "policy: easy\narchitecture: thoughtful\n"

#define PLAY(bench_, yaml, jobs, plays) \
  do { \
    script = (plays); \
    begin(bench_, yaml, 8, jobs, COUNT(jobs), own); \
    finish(bench_); \
  } while (0)

/* ---- reservations ---- */

/* Task 0 has all eight processors until 100. */
static const job one_blocks[] = {J(1, 0, 100, 8, 100), J(2, 10, 30, 8, 30)};

static void reserves_and_thinks(hc_architecture *self, int64_t second)
{
  if (second == 0) {
    open_view(self);
    start(self, 0);
    carry_out(self);
  }
  if (second == 10) {
    open_view(self);
    assert_int_equal(self->s->reserve_hosts(self->p, task(self, 1), 100 * HC_SECOND), 0);
    assert_int_equal(hosts_held(self, 1), 2); /* four slots on each: a grant a host */
    think(self, 0);
    assert_int_equal(hosts_held(self, 1), 0); /* undone */
    assert_true(reserved(self, 1) == HC_NEVER);
  }
  if (second == 30) {
    assert_int_equal(conclude(self, 0, HC_COMMIT_CHECKED), 0);
    assert_int_equal(hosts_held(self, 1), 2);
    assert_true(reserved(self, 1) == 100 * HC_SECOND);
  }
  if (second == 40) { /* looking leaves it as it is */
    open_view(self);
    assert_int_equal(self->s->unreserve_all(self->p), 0);
    assert_int_equal(hosts_held(self, 1), 0);
    assert_int_equal(services_of(self)->view_close(self->c.engine, self->v, false), 0);
    assert_int_equal(hosts_held(self, 1), 2);
    assert_true(hc_reserve_window(self->c.engine->reserve, 0) == 100 * HC_SECOND);
  }
}

static void test_hosts_are_held_after_a_thought(void **state)
{
  bench b;
  (void)state;
  PLAY(&b, TWO_HOSTS, one_blocks, reserves_and_thinks);
  assert_int_equal(start_of(&b, 2), 200);
  end(&b);
}

/* Task 0 has half of the machine; task 1, who wants all of it, is promised 100. A plan to stop 0 and start 1
 * is thought about from 20 to 40, and at 30 task 2 takes the other half: at 40 there is no room for 1, whose
 * promise stands as it was. */
static const job one_passes[] = {J(1, 0, 100, 4, 100), J(2, 10, 30, 8, 30), J(3, 30, 40, 4, 40)};
static bool with_hosts;

static void starts_and_conflicts(hc_architecture *self, int64_t second)
{
  if (second == 0 || second == 30) {
    open_view(self);
    start(self, second == 0 ? 0 : 2);
    carry_out(self);
  }
  if (second == 10) {
    open_view(self);
    if (with_hosts) assert_int_equal(self->s->reserve_hosts(self->p, task(self, 1), 100 * HC_SECOND), 0);
    else assert_int_equal(self->s->reserve(self->p, task(self, 1), 100 * HC_SECOND), 0);
    carry_out(self);
  }
  if (second == 20) {
    open_view(self);
    assert_int_equal(self->s->preempt(self->p, task(self, 0), HC_STOP_REQUEUE), 0);
    start(self, 1);
    assert_true(reserved(self, 1) == HC_NEVER);
    think(self, 0);
    assert_true(reserved(self, 1) == 100 * HC_SECOND);
  }
  if (second == 40) {
    const size_t held = hosts_held(self, 1);
    assert_int_equal(conclude(self, 0, HC_COMMIT_CHECKED), 1);
    assert_true(reserved(self, 1) == 100 * HC_SECOND);
    assert_int_equal(hosts_held(self, 1), held);
    assert_int_equal(held, with_hosts ? 2 : 0);
    assert_false(hc_live_of(self->c.engine, task(self, 0))->state == HC_TASK_RUNNING); /* that part went on */
  }
}

static void test_a_conflict_leaves_the_promise(void **state)
{
  static const char *const yaml[] = {COUNTED, TWO_HOSTS};
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) {
    bench b;
    with_hosts = i == 1;
    PLAY(&b, yaml[i], one_passes, starts_and_conflicts);
    assert_int_equal(start_of(&b, 1), 200);
    assert_int_equal(start_of(&b, 2), 300); /* behind task 0, which stands before it */
    end(&b);
  }
}

/* ---- two who stop one ---- */

/* Asked at 20 to go by 70, and at 20, by another, to go by 90: the first request counts, and the task is
 * stopped once. */
static const job one_goes[] = {J(1, 0, 150, 8, 150), J(2, 10, 30, 8, 30)};

static void stops_twice(hc_architecture *self, int64_t second)
{
  if (second == 0) {
    open_view(self);
    start(self, 0);
    carry_out(self);
  }
  for (size_t i = 0; second == 20 && i < 2; i++) {
    const hc_stopping how = {.how = HC_STOP_KILL, .grace = (i == 0 ? 50 : 70) * HC_SECOND};
    open_view(self);
    assert_int_equal(self->s->stop(self->p, task(self, 0), &how), 0);
    think(self, i);
  }
  if (second == 30) {
    const hc_view *v = services_of(self)->task_view(self->c.engine);
    assert_int_equal(conclude(self, 0, HC_COMMIT_CHECKED), 0);
    assert_true(self->s->leaves(v, task(self, 0)) == 70 * HC_SECOND);
    assert_int_equal(conclude(self, 1, HC_COMMIT_CHECKED), 1); /* it knows */
    assert_true(self->s->leaves(v, task(self, 0)) == 70 * HC_SECOND);
  }
}

static void test_a_task_is_told_once(void **state)
{
  bench b;
  (void)state;
  PLAY(&b, COUNTED, one_goes, stops_twice);
  assert_int_equal(end_of(&b, 1), 70);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts_are_held_after_a_thought),
                                     cmocka_unit_test(test_a_conflict_leaves_the_promise),
                                     cmocka_unit_test(test_a_task_is_told_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
