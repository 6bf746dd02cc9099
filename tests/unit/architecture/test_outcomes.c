/* test_outcomes.c -- what a policy hears of its plans, under every architecture that asks one.
 *
 * The policy of this test starts whatever fits and counts: the starts that it plans, and what it hears of them. Every start
 * that it planned is carried out or refused, and it hears which, once. */
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
       "architecture: {use: shared_state, schedulers: [{name: a, count: 4, think_job: 9s, all_or_nothing: \"1\"}]}\n",
       true},
      {HOSTS
       "architecture: {use: shared_state, conflict: sequence, schedulers: [{name: a, count: 4, think_job: 9s}]}\n",
       true},
      {HOSTS
       "architecture: {use: shared_state, schedulers: [{name: a, count: 2, think_job: 9s, max_share: 0.4}]}\n",
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

/* A task that is withdrawn during the thought is refused and gone. It is planned at 0, leaves at 3, and the plan comes at 5. */
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_start_is_heard_of),
                                     cmocka_unit_test(test_gone_meanwhile), cmocka_unit_test(test_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
