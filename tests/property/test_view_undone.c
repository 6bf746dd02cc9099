/* test_view_undone.c -- a view that is closed without keeping leaves no trace.
 *
 * An architecture of this test's own opens a view at each decision, does random things on it (starts on
 * chosen and on named processors, reservations with and without hosts, preemptions, rejections, rates,
 * suspensions, resizes, questions), closes it with keep = false, and holds that the run's digest is what it
 * was. Then it opens another, does some of the same, and commits: what is undone next stands on a cell with
 * reservations and stopped tasks. Seeds are printed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "engine/plan.h"
#include "engine/state.h"
#include "sample.h"

#define PROCS 16
#define TASKS 150

struct hc_architecture {
  hc_architecture_context c;
  uint32_t queue;
  hc_draws draws;
  hc_time woken; /* the last wake-up that was asked for in earnest */
};

/* What came of it, for the test to look at: one run at a time. */
static uint64_t actions, undone, tried;
/* Actions undone, by granularity of the cell and kind: what the table of actions has and no run undid,
 * fails. */
static uint64_t undone_of[3][32];

static uint64_t below(hc_architecture *self, uint64_t n)
{
  return hc_random_below(&self->draws, n);
}

static hc_task any_waiting(hc_architecture *self, hc_view *v)
{
  const hc_services *s = self->c.policy_context->services;
  hc_cursor at = {0};
  hc_task t = HC_NO_TASK;
  size_t n = s->queued(v);
  for (uint64_t i = n > 0 ? 1 + below(self, n) : 0; i > 0; i--) t = s->next(v, HC_LIST_QUEUE, &at, NULL);
  return t;
}

static hc_task any_running(hc_architecture *self, hc_view *v)
{
  const hc_task *running;
  size_t n = self->c.policy_context->services->running(v, &running);
  return n > 0 ? running[below(self, n)] : HC_NO_TASK;
}

/* The one whose place others hold is not always asked first. */
static hc_task any_suspended(hc_architecture *self)
{
  const hc_tasks *ts = &self->c.engine->tasks;
  const size_t from = ts->count > 0 ? below(self, ts->count) : 0;
  for (size_t i = 0; i < ts->count; i++)
    if (ts->live[(from + i) % ts->count].state == HC_TASK_SUSPENDED) return (hc_task)((from + i) % ts->count);
  return HC_NO_TASK;
}

/* Of a task that runs, or that this plan has started. @param least of halves of its own rate */
static hc_rc change_rate(hc_architecture *self, hc_plan *p, hc_task running, int64_t least)
{
  const hc_services *s = self->c.policy_context->services;
  if (below(self, 3) == 0 || self->c.engine->model) return s->suspend(p, running); /* which knows no rates */
  return s->set_rate(p, running, HC_RATE_ONE * (least + (int64_t)below(self, 4)) / 2);
}

/* A running task gets another size, on processors that the placement chooses or on named ones. */
static hc_rc resize(hc_architecture *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->c.policy_context->services;
  int64_t least, most, size;
  const hc_range r = {(uint32_t)below(self, PROCS), 1};
  if (t == HC_NO_TASK) return HC_EPOLICY;
  s->sizes(v, t, &least, &most);
  size = least + (int64_t)below(self, (uint64_t)(most - least) + 1);
  const hc_time pause = size % 2 * size * HC_SECOND; /* of odd sizes */
  return below(self, 3) ? s->resize_pausing(p, t, size, NULL, 0, pause) : s->resize(p, t, size, &r, 1);
}

/* A waiting task is to start in another size. */
static hc_rc mold(hc_architecture *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->c.policy_context->services;
  int64_t least, most;
  if (t == HC_NO_TASK) return HC_EPOLICY;
  s->sizes(v, t, &least, &most);
  return s->mold(p, t, least + (int64_t)below(self, (uint64_t)(most - least) + 1));
}

/* On named processors: a range that may be free, and often is not. */
static hc_rc start_somewhere(hc_architecture *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->c.policy_context->services;
  hc_range r = {(uint32_t)below(self, PROCS), t == HC_NO_TASK ? 1 : (uint32_t)s->units(v, t)};
  return s->start(p, t, &r, 1);
}

/* The service refuses it where nothing is told. */
static hc_rc report(const hc_services *s, hc_plan *p)
{
  const hc_rc rc = hc_plan_add(p, &hc_action_report, &(hc_action){.task = HC_NO_TASK, .at = 1}, NULL, 0);
  return rc < 0 ? rc : s->join(p);
}

/* A task that is at its scheduling point goes on, as it is or on hosts that may have room. */
static hc_rc leave_point(hc_architecture *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->c.policy_context->services;
  const hc_range r = {(uint32_t)below(self, 8), 1 + (uint32_t)below(self, 3)};
  const hc_at_point *at;
  const size_t n = s->at_points(v, &at);
  if (n == 0) return HC_EPOLICY;
  const hc_task t = at[below(self, n)].task;
  return below(self, 2) ? s->leave_point(p, t, NULL, 0) : s->leave_point(p, t, &r, 1);
}

static hc_rc act(hc_architecture *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->c.policy_context->services;
  hc_task waiting = any_waiting(self, v), running = any_running(self, v);
  hc_time later = s->now(v) + (hc_time)below(self, 50) * HC_SECOND;
  switch (below(self, 20)) {
    case 0:
    case 1: return s->start(p, waiting, NULL, 0);
    case 2: return start_somewhere(self, v, p, waiting);
    case 3:
    case 4: return below(self, 2) ? s->reserve_hosts(p, waiting, later) : s->reserve(p, waiting, later);
    case 5: return s->unreserve(p, waiting);
    case 6: return s->preempt(p, running, below(self, 2) ? HC_STOP_KILL : HC_STOP_REQUEUE);
    case 7: return below(self, 4) ? s->wake(p, later) : s->reject(p, waiting, "why not");
    case 8: return below(self, 8) ? report(s, p) : s->unreserve_all(p);
    case 12: return s->stop(p, running, &(hc_stopping){.how = HC_STOP_REQUEUE, .grace = 5 * HC_SECOND});
    case 9:
    case 10: return change_rate(self, p, running, 0);
    case 11: return s->resume(p, any_suspended(self));
    case 13:
    case 14: return resize(self, v, p, running);
    case 15:
      if (below(self, 2) || self->c.engine->model)
        return s->power(p, (uint32_t)below(self, 8), below(self, 3) > 0, 7 * HC_SECOND);
      return s->pstate(p, (uint32_t)below(self, 8), (uint32_t)below(self, 3));
    case 16:
    case 17: return s->power(p, (uint32_t)below(self, 8), false, 5 * HC_SECOND);
    case 18:
      if (self->c.engine->model || below(self, 2)) return mold(self, v, p, waiting);
      return waiting == HC_NO_TASK ? 0 : s->fetch(p, waiting, (uint32_t)below(self, 8));
    default:
      if (below(self, 2)) return leave_point(self, v, p);
      if (waiting == HC_NO_TASK) return 0;
      (void)s->earliest(v, waiting, later);
      (void)s->harmless(v, waiting);
      return 0;
  }
}

static void digest(const hc_architecture *self, char text[33])
{
  hc_error e = {0};
  assert_int_equal(hc_run_digest((hc_run *)(void *)self->c.engine, text, &e), 0);
}

/* What was done since a mark is taken back. That nothing is left of it, neither in the cell nor in what
 * comes to be undone later, the digest behind the view tells: one of an open view would settle what it
 * saves. */
static hc_rc try_and_take_back(hc_architecture *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->c.policy_context->services;
  const hc_plan_mark mark = s->mark(p);
  const uint64_t n = below(self, 8);
  const int64_t free = s->free_units(v);
  const size_t queued = s->queued(v);
  hc_rc rc = 0;
  for (uint64_t i = 0; i < n; i++) {
    rc = act(self, v, p);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    tried += rc == 0;
  }
  rc = s->take_back(p, &mark);
  assert_int_equal(p->count, mark.actions);
  assert_int_equal(s->free_units(v), free);
  assert_int_equal(s->queued(v), queued);
  return rc;
}

static hc_rc look_and_forget(hc_architecture *self)
{
  const hc_engine_services *s = self->c.services;
  uint64_t seed = self->draws.seed, n = 1 + below(self, 15), begin = self->draws.draw;
  char before[33], after[33];
  hc_view *v;
  hc_plan *p;
  hc_rc rc = s->view_open(self->c.engine, self->queue, NULL, 0, &v, &p);
  if (rc < 0) return rc;
  digest(self, before);
  for (uint64_t i = 0; i < n; i++) {
    rc = act(self, v, p);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    actions += rc == 0;
    if (below(self, 4) == 0 && (rc = try_and_take_back(self, v, p)) < 0) return rc;
  }
  undone += p->count;
  for (size_t i = 0; i < p->count; i++) undone_of[self->c.engine->cell.granularity][p->actions[i].kind]++;
  rc = s->view_close(self->c.engine, v, false);
  digest(self, after);
  if (strcmp(before, after) != 0)
    fail_msg("seed %" PRIu64 ": %" PRIu64 " actions from draw %" PRIu64 " on left a trace", seed, n, begin);
  return rc;
}

/* In earnest: what fits starts, and now and then something else happens. */
static hc_rc go_on(hc_architecture *self, hc_error *error)
{
  const hc_services *s = self->c.policy_context->services;
  const hc_at_point *points;
  hc_cursor at = {0};
  hc_view *v;
  hc_plan *p;
  hc_task t;
  hc_rc rc = self->c.services->view_open(self->c.engine, self->queue, NULL, 0, &v, &p);
  if (rc < 0) return rc;
  if (below(self, 20) == 0) (void)s->preempt(p, any_running(self, v), HC_STOP_REQUEUE);
  if (below(self, 4) == 0) rc = change_rate(self, p, any_running(self, v), 1);
  if (rc == HC_EPOLICY) rc = 0;
  /* not for ever: a task that has grown is in the way of those that are suspended */
  if (rc == 0 && s->now(v) < 400 * HC_SECOND && below(self, 4) == 0)
    rc = resize(self, v, p, any_running(self, v));
  if (rc >= 0 || rc == HC_EPOLICY) rc = s->resume(p, any_suspended(self));
  if (rc < 0 && rc != HC_EPOLICY) return rc;
  if (any_suspended(self) != HC_NO_TASK && self->woken <= s->now(v)) {
    self->woken = s->now(v) + 30 * HC_SECOND;
    rc = s->wake(p, self->woken);
  }
  if (rc < 0 && rc != HC_EPOLICY) return rc;
  if (rc == 0 && s->now(v) < 400 * HC_SECOND && below(self, 4) == 0)
    (void)s->power(p, (uint32_t)below(self, 8), false, 5 * HC_SECOND);
  while (rc == 0 && s->at_points(v, &points) > 0) rc = s->leave_point(p, points[0].task, NULL, 0);
  for (uint32_t h = 0; h < 8 && rc == 0 && below(self, 2); h++) (void)s->power(p, h, true, 7 * HC_SECOND);
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    if (s->fits(v, t)) rc = s->start(p, t, NULL, 0);
    else if (below(self, 2)) rc = s->reserve_hosts(p, t, s->now(v) + (hc_time)below(self, 90) * HC_SECOND);
    if (rc < 0 && rc != HC_EPOLICY) return rc; /* on hosts no task is promised what is not free then */
  }
  rc = self->c.services->view_close(self->c.engine, v, true);
  return rc < 0 ? rc : self->c.services->commit(self->c.engine, p, HC_COMMIT_NOW, error);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  hc_rc rc;
  if (self->c.services->queued(self->c.engine, self->queue) == 0 && any_suspended(self) == HC_NO_TASK)
    return 0;
  rc = look_and_forget(self);
  return rc < 0 ? rc : go_on(self, e);
}

static hc_rc hear(hc_architecture *self, const hc_signal *s, hc_error *e)
{
  (void)e;
  if (s->what != HC_WHY_ARRIVAL) return 0;
  return self->c.services->enqueue(self->c.engine, self->queue, s->task);
}

static hc_rc init(const hc_architecture_context *c, const void *options, hc_architecture **out, hc_error *e)
{
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  hc_policy_parts parts = {0};
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_architecture){.c = *c, .draws = {.seed = c->policy_context->seed, .purpose = HC_PURPOSE_TEST}};
  if (type->parts) type->parts(c->policy.options, &parts);
  /* as a policy says of itself that sets rates, switches hosts, puts them into states, and settles sizes */
  c->engine->policy_flags |= HC_SETS_RATES | HC_MAY_POWER | HC_SETS_PSTATES | HC_MOLDS;
  return c->services->queue_new(c->engine, parts.order, parts.candidates, &(*out)->queue);
}

static void fini(hc_architecture *self)
{
  (void)self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

static const hc_architecture_type looking = {
    .component = {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "looking",
                  .summary = "of a test"},
    .lets_rates = true,
    .init = init,
    .signal = hear,
    .decide = decide,
    .fini = fini,
};

/* Tasks wait for it at their scheduling points; what it decides, the architecture draws. */
static uint32_t may_resize(const void *options)
{
  (void)options;
  return HC_MAY_RESIZE;
}

/* The architecture asks no policy. */
static hc_rc never(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)self;
  (void)v;
  (void)p;
  (void)why;
  return HC_EPOLICY;
}

static const hc_policy_type deciding = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                      .name = "deciding", .summary = "of a test"},
                                        .flags = may_resize,
                                        .decide = never,
                                        .decides_points = true};

/* ---- the runs ---- */

static const char *const configurations[] = {
    "policy: easy\n",
    "policy: {order: wfp3, select: {use: easy, candidates: sjf}}\n",
    "policy: conservative\noverrun: run_on\n",
    "policy: {order: sjf, select: conservative, place: random}\ncell: {use: auto, granularity: intervals}\n",
    "policy: conservative\noverrun: run_on\ncell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: "
    "4}]}\n",
    "policy: {select: {use: easy, reserve: hosts}}\noverrun: run_on\n"
    "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4}]}\n",
    "policy: {select: {use: easy, reserve: hosts}, place: window_fit}\n"
    "cell: {use: hosts, classes: [{count: 8, name_prefix: c, cpus: 2}]}\n",
    "policy: {select: easy, place: contiguous}\noverrun: run_on\nevent_queue: radix\n",
    "policy: conservative\noverrun: run_on\n"
    "reservations: [{units: 3, users: [1], start: 30, end: 90, every: 2m, times: 3}]\n",
    "policy: {select: easy, place: random}\noverrun: run_on\ncell: {use: auto, granularity: intervals}\n"
    "reservations: [{units: 5, users: [2], start: 30, end: 90}]\n",
    "policy: {select: {use: easy, reserve: hosts}}\noverrun: run_on\n"
    "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4}]}\n"
    "reservations: [{count: 2, users: [2], start: 60, end: 2m}]\n",
};

/* Where hosts change, that one is switched off is told, too. */
static const char a_change[] = "events: {use: list, changes: [{at: 50, hosts: c-3, change: up}]}\n";

static void make_jobs(job *jobs, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
  int64_t submit = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    int64_t run = (int64_t)hc_random_below(&d, 60);
    submit += (int64_t)hc_random_below(&d, 12);
    jobs[i] = (job)J(i + 1, submit, run, 1 + (int64_t)hc_random_below(&d, PROCS),
                     1 + (int64_t)hc_random_below(&d, 60));
  }
}

/* ---- tasks of profiles, which are molded, and resized at their points; and tasks that offer sizes ---- */

static const char *const cells[3] = {
    "policy: easy\ncell: {use: count, procs: 16}\n",
    "policy: {select: easy, place: random}\ncell: {use: intervals, procs: 16}\n",
    ("policy: {select: {use: easy, reserve: hosts}}\n"
     "cell: {use: hosts, classes: [{count: 8, name_prefix: c, cpus: 2}]}\n"),
};

static const char *const cells_of_deciding[3] = {
    "policy: deciding\ncell: {use: count, procs: 16}\n",
    "policy: deciding\ncell: {use: intervals, procs: 16}\n",
    "policy: deciding\ncell: {use: hosts, classes: [{count: 8, name_prefix: c, cpus: 2}]}\n",
};

static const char phases[] =
    "malleable: {min: 1, max: 8, when: [start, running]}, profile: {use: phase, iterations: %d, "
    "between: {use: point}, profile: {use: compute_homogeneous, compute_work: 40 / num_nodes}}";
/* Without a profile: with a law, and with times of their own. */
static const char laws[] = "moldable: {min: 1, max: 8, speedup: {amdahl: 0.1}}, delay: %d";
static const char shapes[] =
    "shapes: [{slots: 1, time: 50, limit: 80}, {slots: 2, time: %d}, {slots: 5, time: 9}]";

static void make_tasks(char path[64], uint64_t seed, bool has_profiles)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
  int64_t submit = 0;
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  hc_buffer_text(&b, "[");
  for (int i = 0; i < TASKS; i++) {
    submit += (int64_t)hc_random_below(&d, 12);
    hc_buffer_printf(&b,
                     "%s{id: %d, submit_time: %d, resources: {nodes_count: 2, cpu_per_node: 1}, "
                     "wall_time_limit: 90, ",
                     i > 0 ? ",\n" : "", i, (int)submit);
    const char *what = has_profiles ? phases : i % 2 ? laws : shapes;
    hc_buffer_printf(&b, what, 1 + (int)hc_random_below(&d, has_profiles ? 4 : 60));
    hc_buffer_text(&b, "}");
  }
  hc_buffer_text(&b, "]\n");
  write_log(path, b.data, b.size);
  hc_buffer_fini(&b);
}

static void with_sizes(const char *const texts[3], bool has_profiles)
{
  static const hc_component *const own[] = {&looking.component, &deciding.component, NULL};
  for (size_t i = 0; i < 3; i++)
    for (uint64_t seed = 1; seed <= hc_test_cases(3, 1); seed++) {
      char path[64], yaml[768];
      bench b;
      make_tasks(path, seed, has_profiles);
      (void)snprintf(yaml, sizeof yaml,
                     "source: {use: native, file: %s}\n%s%sarchitecture: looking\nseed: %" PRIu64 "\n", path,
                     has_profiles ? "execution: {use: activities, cpu_speed: 1}\n"
                     : i == HC_CELL_HOSTS ? a_change
                                          : "",
                     texts[i], seed);
      begin(&b, yaml, PROCS, NULL, 0, own);
      finish(&b);
      assert_int_equal(b.count, TASKS);
      for (size_t k = 0; k < b.count; k++) assert_true(b.records[k].end != HC_UNKNOWN);
      end(&b);
      (void)unlink(path);
    }
}

static void test_nothing_is_left(void **state)
{
  static const hc_component *const own[] = {&looking.component, NULL};
  (void)state;
  for (size_t i = 0; i < COUNT(configurations); i++) {
    actions = undone = tried = 0;
    for (uint64_t seed = 1; seed <= hc_test_cases(3, 1); seed++) {
      job jobs[TASKS];
      char yaml[640];
      bench b;
      make_jobs(jobs, seed);
      (void)snprintf(yaml, sizeof yaml,
                     "%s%sarchitecture: looking\nseed: %" PRIu64
                     "\ntransforms: [{use: malleable, least: 0.3, most: 3%s}]\n"
                     "power: {use: states, idle: [100, 90], peak: [200, 150], speeds: [1, 0.5]}\n",
                     configurations[i], strstr(configurations[i], "use: hosts") ? a_change : "", seed,
                     seed % 2 ? ", speedup: {use: amdahl, fraction: 0.2}" : "");
      begin(&b, yaml, PROCS, jobs, TASKS, own);
      finish(&b);
      assert_int_equal(b.count, TASKS);
      for (size_t k = 0; k < b.count; k++) assert_true(b.records[k].end != HC_UNKNOWN);
      end(&b);
    }
    assert_true(actions > 300 && undone > 300 && tried > 300); /* it was not idle */
  }
  with_sizes(cells, true);
  with_sizes(cells, false);
  with_sizes(cells_of_deciding, true);
  for (uint32_t g = 0; g < COUNT(undone_of); g++)
    for (uint32_t k = 0; k < hc_action_count; k++)
      if (undone_of[g][k] == 0 && (g == HC_CELL_HOSTS || !hc_action_table[k]->of_hosts))
        fail_msg("no action `%s` was undone on granularity %u: let `act` do it", hc_action_table[k]->name, g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
