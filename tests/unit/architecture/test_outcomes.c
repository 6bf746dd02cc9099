/* test_outcomes.c -- what a policy hears of its plans, under every architecture that asks one.
 *
 * The policy of this test starts whatever fits and counts: the starts that it plans, and what it hears of
 * them. Every start that it planned is carried out or refused, and it hears which, once. */
#include "../engine/engine_test.h"
#include "../engine/own_policy.h"
#include "hindcast/policy.h"
#include "hindcast/run.h"

/* One run at a time; the policies of all schedulers count together. */
static struct {
  uint64_t planned, done, refused, gone;
  uint64_t calls;
  uint32_t whys, all_whys; /* bits of any call; of every call */
} seen;

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  hc_task t;
  seen.calls++;
  seen.whys |= why->bits;
  seen.all_whys &= why->bits;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (s->fits(v, t) && s->start(p, t, NULL, 0) == 0) seen.planned++;
  return 0;
}

static void outcome(hc_policy *self, hc_view *v, hc_task t, hc_rc rc)
{
  seen.gone += t == HC_NO_TASK;
  if (rc == 0) {
    seen.done++;
    assert_true(t != HC_NO_TASK);
    assert_false(self->s->waits(v, t)); /* it starts now */
    return;
  }
  assert_int_equal(rc, HC_ECONFLICT);
  seen.refused++;
}

static const hc_policy_type counts = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                    .name = "counts", .summary = "of a test"},
                                      .init = init,
                                      .decide = decide,
                                      .outcome = outcome,
                                      .fini = fini};
static const hc_component *const own[] = {&counts.component, NULL};

#define JOBS 150
#define HOSTS "cell: {use: hosts, classes: [{count: 8, name_prefix: h, cpus: 2}]}\npolicy: counts\n"

/* Jobs of several tasks, for plans of several starts. */
#define BUNDLES \
  "source: {use: mixture, stream: 1, jobs: 80, interval: exponential(5), run: lognormal(30 0.5), " \
  "tasks_per_job: uniform(1 6), cpu: 1}\n"

/* Jobs of one to six tasks' worth of slots, more at a time than there is room for. */
static void run(bench *b, const char *yaml)
{
  job jobs[JOBS];
  for (int64_t i = 0; i < JOBS; i++) jobs[i] = (job)J(i + 1, i * 4, 10 + i * 31 % 50, 1 + i * 7 % 6, 100);
  seen.planned = seen.done = seen.refused = seen.gone = seen.calls = 0;
  seen.whys = 0;
  seen.all_whys = UINT32_MAX;
  begin(b, yaml, 16, jobs, JOBS, own);
  finish(b);
}

static uint64_t starts(const bench *b)
{
  hc_progress p;
  hc_run_progress(b->run, &p);
  return p.started;
}

static void test_each_start_is_heard_of(void **state)
{
  static const struct {
    const char *yaml;
    bool conflicts; /* some are refused, or the test shows nothing */
  } runs[] = {
      {HOSTS "architecture: monolithic\n", false},
      {"policy: counts\narchitecture: monolithic\n", false},
      {HOSTS "architecture: {use: monolithic, think: 7s}\n", false},
      {HOSTS "architecture: {use: heartbeat, offer: instant}\n", false},
      {HOSTS "architecture: {use: multi_path, schedulers: [{name: a, think_job: 3s}]}\n", false},
      {HOSTS "architecture: {use: partitions, schedulers: [{name: a}]}\n", false},
      {HOSTS "architecture: {use: federation, schedulers: [{name: a}]}\n", false},
      {HOSTS "architecture: {use: shared_state, schedulers: [{name: a, count: 4, think_job: 9s}]}\n", true},
      {BUNDLES HOSTS "architecture: {use: shared_state, schedulers: [{name: a, count: 4, think_job: 9s}]}\n",
       true},
      {BUNDLES HOSTS
       "architecture: {use: shared_state, schedulers: [{name: a, count: 4, think_job: 9s, all_or_nothing: "
       "\"1\"}]}\n",
       true},
      {HOSTS
       "architecture: {use: shared_state, conflict: sequence, schedulers: [{name: a, count: 4, think_job: "
       "9s}]}\n",
       true},
      {HOSTS "architecture: {use: shared_state, schedulers: [{name: a, count: 2, think_job: 9s, max_share: "
             "0.4}]}\n",
       true},
      {HOSTS "architecture: {use: two_level, schedulers: [{name: a, think_job: 1s}]}\n", false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(runs); i++) {
    bench b;
    run(&b, runs[i].yaml);
    if (seen.planned != seen.done + seen.refused)
      fail_msg("%s: %" PRIu64 " planned, %" PRIu64 " done, %" PRIu64 " refused", runs[i].yaml, seen.planned,
               seen.done, seen.refused);
    assert_int_equal(seen.done, starts(&b));
    if (seen.done <= JOBS / 4) fail_msg("%s: only %" PRIu64 " start", runs[i].yaml, seen.done);
    if (runs[i].conflicts != (seen.refused > 0))
      fail_msg("%s: %" PRIu64 " refused", runs[i].yaml, seen.refused);
    end(&b);
  }
}

/* A task that is withdrawn during the thought is refused and gone. It is planned at 0, leaves at 3, and the
 * plan comes at 5. */
static void test_gone_meanwhile(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J_WITH(2, 0, -1, 2, 10, .wait = 3)};
  bench b;
  (void)state;
  seen.planned = seen.done = seen.refused = seen.gone = 0;
  begin(&b, "policy: counts\ncancelled: withdraw\narchitecture: {use: monolithic, think: 5s}\n", 4, jobs,
        COUNT(jobs), own);
  finish(&b);
  assert_int_equal(seen.planned, 2);
  assert_int_equal(seen.done, 1);
  assert_int_equal(seen.refused, 1);
  assert_int_equal(seen.gone, 1);
  end(&b);
}

/* Why it is called: an offer says so, and a job's turn after a conflict. */
static void test_why(void **state)
{
  bench b;
  (void)state;
  run(&b, HOSTS "architecture: {use: heartbeat, offer: instant}\n");
  assert_int_equal(seen.all_whys & (HC_WHY_HEARTBEAT | HC_WHY_OFFER), HC_WHY_HEARTBEAT | HC_WHY_OFFER);
  end(&b);
  run(&b, HOSTS "architecture: {use: two_level, schedulers: [{name: a, think_job: 1s}]}\n");
  assert_true(seen.all_whys & HC_WHY_OFFER);
  end(&b);
  run(&b, HOSTS "architecture: {use: shared_state, schedulers: [{name: a, count: 4, think_job: 9s}]}\n");
  assert_true(seen.whys & HC_WHY_CONFLICT);
  assert_false(seen.all_whys & HC_WHY_CONFLICT);
  assert_false(seen.whys & HC_WHY_OFFER);
  end(&b);
  run(&b, HOSTS "architecture: {use: shared_state, schedulers: [{name: a, think_job: 9s}]}\n");
  assert_false(seen.whys & HC_WHY_CONFLICT); /* alone */
  end(&b);
}

/* ---- every action ---- */

enum { START, RESERVE, UNRESERVE, STOP, WARN, RATE, SUSPEND, RESUME, REJECT, RESIZE, POWER, KINDS };

/* The policy of this part does at random what its flags allow, at most one thing with a task at a time. */
static struct {
  uint32_t flags;
  uint64_t planned[KINDS], heard[KINDS], refused, gone, random;
  uint8_t wish[JOBS]; /* kind + 1 */
  hc_task held[JOBS]; /* suspended; HC_NO_TASK: it is not */
} all;

static uint32_t all_flags(const void *options)
{
  (void)options;
  return all.flags;
}

static uint64_t below(uint64_t n)
{
  all.random = all.random * 6364136223846793005u + 1442695040888963407u;
  return (all.random >> 33) % n;
}

static void wish(hc_policy *self, hc_view *v, hc_task t, int kind, hc_rc rc)
{
  if (rc == HC_EPOLICY) return;
  assert_int_equal(rc, 0);
  all.planned[kind]++;
  if (t != HC_NO_TASK) all.wish[self->s->serial(v, t)] = (uint8_t)(kind + 1);
}

static void act_on_running(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->s;
  const hc_stopping now = {.how = HC_STOP_REQUEUE}, later = {.how = HC_STOP_REQUEUE, .grace = 3 * HC_SECOND};
  int64_t least, most;
  if (all.flags & HC_SETS_RATES) {
    const int64_t rate = HC_RATE_ONE / (1 + (int64_t)below(4));
    if (below(2)) wish(self, v, t, SUSPEND, s->suspend(p, t));
    else if (s->rate(v, t) != rate) wish(self, v, t, RATE, s->set_rate(p, t, rate));
  } else if (all.flags & HC_MAY_PREEMPT) {
    if (s->leaves(v, t) != HC_NEVER) return;
    if (below(2)) wish(self, v, t, STOP, s->stop(p, t, &now));
    else wish(self, v, t, WARN, s->stop(p, t, &later));
  } else if (all.flags & HC_MAY_RESIZE) {
    s->sizes(v, t, &least, &most);
    const int64_t size = least + (int64_t)below((uint64_t)(most - least) + 1);
    if (size != s->slots(v, t)) wish(self, v, t, RESIZE, s->resize(p, t, size, NULL, 0));
  }
}

static void act_on_queued(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->s;
  if (s->fits(v, t) && below(4)) wish(self, v, t, START, s->start(p, t, NULL, 0));
  else if (below(40) == 0) wish(self, v, t, REJECT, s->reject(p, t, "of a test"));
  else if (!(all.flags & HC_MAKES_RESERVATIONS)) return;
  else if (s->reserved(v, t) != HC_NEVER && below(2)) wish(self, v, t, UNRESERVE, s->unreserve(p, t));
  else {
    const hc_time at = s->earliest(v, t, s->now(v)).at;
    if (at != HC_NEVER && at > s->now(v) && at != s->reserved(v, t))
      wish(self, v, t, RESERVE, s->reserve(p, t, at));
  }
}

static hc_rc act(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_task some[64];
  const hc_task *list;
  hc_cursor at = {0};
  size_t n = s->running(v, &list), count = 0;
  (void)why;
  for (size_t i = 0; i < n && count < COUNT(some); i++)
    if (below(3) == 0) some[count++] = list[i];
  for (size_t i = 0; i < count; i++) act_on_running(self, v, p, some[i]);
  for (size_t i = 0; i < JOBS; i++) /* not those of this very plan */
    if (all.held[i] != HC_NO_TASK && all.wish[i] == 0)
      wish(self, v, all.held[i], RESUME, s->resume(p, all.held[i]));
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;)
    if (all.wish[s->serial(v, t)] == 0) act_on_queued(self, v, p, t);
  for (uint32_t h = 0; (all.flags & HC_MAY_POWER) && h < 8; h++)
    if (below(4) == 0) {
      const bool on = s->powered(v, h) == HC_POWER_OFF;
      wish(self, v, HC_NO_TASK, POWER, s->power(p, h, on, (hc_time)below(5) * HC_SECOND));
    }
  return s->wake(p, s->now(v) + 2 * HC_SECOND);
}

static void heard(hc_policy *self, hc_view *v, hc_task t, hc_rc rc)
{
  uint8_t *w = t == HC_NO_TASK ? NULL : &all.wish[self->s->serial(v, t)];
  all.refused += rc < 0;
  if (!w && (all.flags & HC_MAY_POWER)) all.heard[POWER]++; /* no task leaves before it runs there */
  else if (!w) all.gone++;
  else {
    assert_true(*w > 0);
    all.heard[*w - 1]++;
    if (rc == 0 && *w - 1 == SUSPEND) all.held[self->s->serial(v, t)] = t;
    if (rc == 0 && *w - 1 == RESUME) all.held[self->s->serial(v, t)] = HC_NO_TASK;
    *w = 0;
  }
}

static const hc_policy_type acts = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "acts", .summary = "of a test"},
    .flags = all_flags,
    .init = init,
    .decide = act,
    .outcome = heard,
    .fini = fini};

/* Whatever was planned is heard of, kind by kind, and once. While plans are thought about some are refused,
 * and the task of some is gone; the run may be over before the last plan comes. */
static void test_each_action_is_heard_of(void **state)
{
  static const hc_component *const own_acts[] = {&acts.component, NULL};
  static const struct {
    uint32_t flags;
    const char *yaml;
    int kinds[6];
  } runs[] = {
      {HC_SETS_RATES, "", {START, RATE, SUSPEND, RESUME, REJECT, KINDS}},
      {HC_MAY_PREEMPT, "", {START, STOP, WARN, REJECT, KINDS}},
      {HC_MAKES_RESERVATIONS | HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE, "", {START, RESERVE, UNRESERVE, KINDS}},
      {HC_MAY_RESIZE | HC_MAY_POWER,
       "cell: {use: hosts, classes: [{count: 8, name_prefix: h, cpus: 2}]}\n"
       "transforms: [{use: malleable, least: 0.3, most: 3}]\n",
       {START, RESIZE, POWER, REJECT, KINDS}}};
  (void)state;
  for (size_t i = 0; i < 2 * COUNT(runs); i++) {
    const bool thinks = i >= COUNT(runs);
    char yaml[400];
    job jobs[JOBS];
    bench b;
    uint64_t planned = 0, told = 0;
    memset(&all, 0, sizeof all);
    for (size_t k = 0; k < JOBS; k++) all.held[k] = HC_NO_TASK;
    all.flags = runs[i % COUNT(runs)].flags;
    (void)snprintf(yaml, sizeof yaml, "policy: acts\nuntil: 3000s\n%s%s", runs[i % COUNT(runs)].yaml,
                   thinks ? "architecture: {use: monolithic, think: 1s}\n" : "");
    for (int64_t k = 0; k < JOBS; k++) jobs[k] = (job)J(k + 1, k * 4, 5 + k * 31 % 30, 1 + k * 7 % 6, 100);
    begin(&b, yaml, 16, jobs, JOBS, own_acts);
    finish(&b);
    for (int k = 0; k < KINDS; k++) {
      planned += all.planned[k];
      told += all.heard[k];
      if (!thinks && all.heard[k] != all.planned[k])
        fail_msg("run %zu: of kind %d %" PRIu64 " were planned, %" PRIu64 " heard of", i, k, all.planned[k],
                 all.heard[k]);
    }
    if (thinks) assert_in_range(told + all.gone, planned - JOBS, planned);
    assert_true(thinks || all.refused == 0);
    for (const int *k = runs[i % COUNT(runs)].kinds; *k < KINDS; k++)
      if (all.heard[*k] < 2)
        fail_msg("run %zu: kind %d was heard of %" PRIu64 " times", i, *k, all.heard[*k]);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_start_is_heard_of),
                                     cmocka_unit_test(test_gone_meanwhile), cmocka_unit_test(test_why),
                                     cmocka_unit_test(test_each_action_is_heard_of)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
