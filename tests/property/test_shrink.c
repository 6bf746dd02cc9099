/* test_shrink.c -- tasks that go from hosts that shrink (`host_shrinks`), by a planner that looks at every
 * second.
 *
 * The planner knows hosts with cores and memory, which change at given times. At each second tasks end, hosts
 * change, tasks arrive, and what waits starts in order, each on the lowest host that has room (scan). A host
 * that holds more than it has after a change gives up tasks one by one, of those that hold something of what
 * is missing: the latest start first, or the lowest priority, until it has enough. They begin anew, go on, or
 * are killed. A run must start and end each task when the planner does, in one go and in pieces, and `verify`
 * finds nothing; where they are kept none goes. A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

enum { TASKS = 24, HOSTS = 3, CHANGES = 8, SEEDS = 60, SECONDS = 3000, CORES = 8, GIB = 8 };
enum { KEEP, REQUEUE, CHECKPOINT, STOP };
static const char *const hows[] = {"keep", "requeue", "checkpoint", "stop"};

typedef struct task {
  int64_t submit, run, cores, memory, priority, left, start, end; /* end: of the last attempt, -1: none */
  int host;
  bool is_over;
} task;

typedef struct change {
  int64_t at, cores, memory;
  int host;
} change;

typedef struct world {
  task tasks[TASKS];
  change changes[CHANGES];
  int64_t has[HOSTS][2], held[HOSTS][2];
  int how;
  bool by_priority;
  uint64_t evicted;
} world;

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void make_world(world *w, hc_draws *d)
{
  int64_t submit = 0, at = 0;
  memset(w, 0, sizeof *w);
  w->how = (int)below(d, 4);
  w->by_priority = below(d, 2);
  for (int i = 0; i < TASKS; i++) {
    submit += below(d, 8);
    w->tasks[i] = (task){.submit = submit,
                         .run = 1 + below(d, 60),
                         .cores = 1 + below(d, CORES / 2),
                         .memory = below(d, 3),
                         .priority = below(d, 3),
                         .start = -1};
    w->tasks[i].left = w->tasks[i].run;
  }
  for (int i = 0; i < CHANGES; i++) {
    at += below(d, 40);
    w->changes[i] = (change){at, 1 + below(d, CORES), below(d, GIB + 1), (int)below(d, HOSTS)};
  }
  at += 1;
  for (int h = 0; h < HOSTS; h++) { /* in the end all have all, so that each task ends */
    w->changes[CHANGES - HOSTS + h] = (change){at, CORES, GIB, h};
    w->has[h][0] = CORES;
    w->has[h][1] = GIB;
  }
}

/* ---- the planner ---- */

static bool runs(const task *t)
{
  return t->start >= 0 && !t->is_over;
}

static void hold(world *w, const task *t, int64_t sign)
{
  w->held[t->host][0] += sign * t->cores;
  w->held[t->host][1] += sign * t->memory;
}

static void leave(world *w, task *t, int64_t now)
{
  w->evicted++;
  hold(w, t, -1);
  if (w->how == STOP) {
    t->end = now;
    t->is_over = true;
    return;
  }
  if (w->how == CHECKPOINT) t->left -= now - t->start;
  t->start = -1;
}

static void evict(world *w, int host, int64_t now)
{
  for (;;) {
    const bool cores = w->held[host][0] > w->has[host][0], memory = w->held[host][1] > w->has[host][1];
    task *first = NULL;
    for (int i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      if (!runs(t) || t->host != host || !((cores && t->cores > 0) || (memory && t->memory > 0))) continue;
      const bool is_less = first && w->by_priority && t->priority != first->priority
                               ? t->priority < first->priority
                           : first ? t->start >= first->start
                                   : true;
      if (is_less) first = t;
    }
    if (!first || w->how == KEEP) return;
    leave(w, first, now);
  }
}

static void decide(world *w, int64_t now)
{
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    if (t->start >= 0 || t->submit > now) continue;
    for (int h = 0; h < HOSTS && t->start < 0; h++) {
      if (w->held[h][0] + t->cores > w->has[h][0]) continue;
      if (t->memory > 0 && w->held[h][1] + t->memory > w->has[h][1]) continue;
      if (w->held[h][1] > w->has[h][1]) continue; /* a host that lacks anything takes nothing new */
      t->host = h;
      t->start = now;
      hold(w, t, 1);
    }
  }
}

static void plan(world *w)
{
  for (int64_t now = 0; now < SECONDS; now++) {
    for (int i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      if (!runs(t) || t->start + t->left != now) continue;
      hold(w, t, -1);
      t->end = now;
      t->is_over = true;
    }
    for (int i = 0; i < CHANGES; i++) {
      const change *c = &w->changes[i];
      if (c->at != now) continue;
      w->has[c->host][0] = c->cores;
      w->has[c->host][1] = c->memory;
      evict(w, c->host, now);
    }
    decide(w, now);
  }
}

/* ---- runs ---- */

static void carry_out(bench *b, const world *w, uint64_t pieces)
{
  char yaml[4096];
  hc_buffer text;
  size_t n;
  memset(b, 0, sizeof *b);
  hc_buffer_init(&text, hc_default_allocator());
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    hc_buffer_printf(&text,
                     "- {id: %d, submit: %" PRId64 ", run: %" PRId64 ", priority: %" PRId64
                     ", resources: {cpu: %" PRId64,
                     i + 1, t->submit, t->run, t->priority, t->cores);
    if (t->memory > 0) hc_buffer_printf(&text, ", memory: %" PRId64 "GiB", t->memory);
    hc_buffer_printf(&text, "}}\n");
  }
  write_log(b->path, text.data, text.size);
  hc_buffer_fini(&text);
  n = (size_t)snprintf(
      yaml, sizeof yaml,
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: []\npolicy: {select: scan}\n"
      "cell: {use: hosts, classes: [{name: h, count: %d, cpus: %d, memory: %dGiB}]}\n"
      "host_shrinks: %s\nshrink_first: %s\nevents:\n  use: list\n  changes:\n",
      HOSTS, CORES, GIB, hows[w->how], w->by_priority ? "priority" : "latest");
  for (int i = 0; i < CHANGES; i++) {
    const change *c = &w->changes[i];
    n += (size_t)snprintf(yaml + n, sizeof yaml - n,
                          "  - {at: %" PRId64 ", hosts: %d, change: resize, amounts: [cpus=%" PRId64
                          ", memory=%" PRId64 "GiB]}\n",
                          c->at, c->host, c->cores, c->memory);
  }
  check(b, try_run(b, yaml, NULL));
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
  for (int i = 0; i < TASKS; i++)
    if (start_of(&b, i + 1) != w->tasks[i].start || end_of(&b, i + 1) != w->tasks[i].end)
      fail_msg("seed %" PRIu64 ", %s: task %d runs from %" PRId64 " to %" PRId64 " and should from %" PRId64
               " to %" PRId64,
               seed, hows[w->how], i + 1, start_of(&b, i + 1), end_of(&b, i + 1), w->tasks[i].start,
               w->tasks[i].end);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  if (hc_verify_result(b.allocator, r, &q, hear, NULL, &report, &b.error) != 0)
    fail_msg("seed %" PRIu64 ", %s: the schedule does not hold", seed, hows[w->how]);
  hc_result_free(r);
  end(&b);
}

static void test_schedules_are_those_of_a_planner(void **state)
{
  static world w;
  uint64_t evicted = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(4 * SEEDS, 30); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
    make_world(&w, &d);
    plan(&w);
    evicted += w.evicted;
    assert_same(&w, 0, seed);
    if (seed % 3 == 0) assert_same(&w, 1 + seed % 4, seed);
  }
  assert_true(evicted > 20);
}

/* Two GPUs of four, and then one: tasks 1 to 4 have one each, of which 3 and 4 are on those that go, whatever
 * started last. A result in which they are kept does not hold where they should have gone. */
static void test_devices(void **state)
{
  static const char tasks[] = "- {id: 1, submit: 0, run: 50, resources: {cpu: 1, gpu: 1}}\n"
                              "- {id: 2, submit: 0, run: 50, resources: {cpu: 1, gpu: 1}}\n"
                              "- {id: 3, submit: 0, run: 50, resources: {cpu: 1, gpu: 1}}\n"
                              "- {id: 4, submit: 0, run: 20, resources: {cpu: 1, gpu: 1}}\n";
  static const char yaml[] =
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: []\npolicy: {select: scan}\n"
      "cell: {use: hosts, classes: [{name: h, count: 1, cpus: 8, gpus: 4}]}\nhost_shrinks: stop\n"
      "events: {use: list, changes: [{at: 30, hosts: 0, change: resize, amounts: [gpus=2]}]}\n";
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report = {0};
  bench b = {0};
  hc_result *r;
  (void)state;
  write_log(b.path, tasks, strlen(tasks));
  check(&b, configure(&b, hc_default_allocator(), yaml, NULL));
  check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
  check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
  finish(&b);
  assert_int_equal(end_of(&b, 1), 50);
  assert_int_equal(end_of(&b, 2), 50);
  assert_int_equal(end_of(&b, 3), 30);
  assert_int_equal(end_of(&b, 4), 20);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_int_equal(hc_verify_result(b.allocator, r, &q, hear, NULL, &report, &b.error), 0);
  hc_result_free(r);
  end(&b);
}

static void test_refusals(void **state)
{
  static const char *const yamls[][2] = {
      {"cell: {use: count, procs: 8}\nhost_shrinks: requeue\n", "this cell counts processors"},
      {"cell: {use: hosts, classes: [{name: h, count: 1, cpus: 8}]}\nhost_shrinks: stop\npolicy: gang\n",
       "leave `host_shrinks` at keep"},
      {"cell: {use: hosts, classes: [{name: h, count: 1, cpus: 8}]}\nhost_shrinks: stop\npolicy: malleable\n",
       "leave `host_shrinks` at keep"},
  };
  static const job one[] = {J(1, 0, 5, 1, 5)};
  (void)state;
  for (size_t i = 0; i < COUNT(yamls); i++) {
    bench b;
    assert_true(try_begin(&b, yamls[i][0], 8, one, 1, NULL) < 0);
    if (!strstr(b.error.text, yamls[i][1])) fail_msg("%s", b.error.text);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schedules_are_those_of_a_planner),
      cmocka_unit_test(test_devices),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
