/* test_declares.c -- who asks what was not declared is stopped, with the name of the flag; and everything
 * that is built in declares what it asks.
 *
 * A policy of this test's own asks one service, once, while task 1 runs and task 2 waits. Its flags are the
 * test's. */
#include "engine_test.h"
#include "own_policy.h"
#include "sample.h"

typedef enum question {
  ASK_ESTIMATE,
  ASK_EXPECTED_END,
  ASK_EARLIEST,
  ASK_LEAST_FREE,
  ASK_HARMLESS,
  ASK_RESERVE,
  ASK_RESERVE_HOSTS,
  ASK_PREEMPT,
  ASK_STOP,
  ASK_POWER,
  ASK_RESIZE,
  ASK_LEAVE_POINT,
  ASK_START_PACED,
  ASK_START_LIMITED,
  ASK_SET_RATE,
  ASK_SUSPEND,
  ASK_RESUME,
  ASK_JOB,
  ASK_GROUP,
  ASK_QUEUE,
  ASK_NOTHING
} question;

/* One run at a time. */
static question asked;
static uint32_t declared;
static int answers;

static uint32_t flags(const void *options)
{
  (void)options;
  return declared;
}

static void ask(const hc_services *s, hc_view *v, hc_plan *p, hc_task waits, hc_task runs)
{
  const hc_time later = s->now(v) + 1000 * HC_SECOND;
  const hc_stopping how = {.how = HC_STOP_REQUEUE};
  const hc_host_room dealt = {0};
  switch (asked) {
    case ASK_ESTIMATE: (void)s->estimate(v, waits); break;
    case ASK_EXPECTED_END: (void)s->expected_end(v, runs); break;
    case ASK_EARLIEST: (void)s->earliest(v, waits, s->now(v)); break;
    case ASK_LEAST_FREE: (void)s->least_free(v, s->now(v), later); break;
    case ASK_HARMLESS: (void)s->harmless(v, waits); break;
    case ASK_RESERVE: (void)s->reserve(p, waits, later); break;
    case ASK_RESERVE_HOSTS: (void)s->reserve_hosts(p, waits, later); break;
    case ASK_PREEMPT: (void)s->preempt(p, runs, HC_STOP_REQUEUE); break;
    case ASK_STOP: (void)s->stop(p, runs, &how); break;
    case ASK_POWER: (void)s->power(p, 0, true, 0); break;
    case ASK_RESIZE: (void)s->resize(p, runs, 1, NULL, 0); break;
    case ASK_LEAVE_POINT: (void)s->leave_point(p, runs, NULL, 0); break;
    case ASK_START_PACED: (void)s->start_paced(p, waits, NULL, 0, 2); break;
    case ASK_START_LIMITED: (void)s->start_limited(p, waits, &dealt, 1, HC_SECOND); break;
    case ASK_SET_RATE: (void)s->set_rate(p, runs, HC_RATE_ONE); break;
    case ASK_SUSPEND: (void)s->suspend(p, runs); break;
    case ASK_RESUME: (void)s->resume(p, runs); break;
    case ASK_JOB: (void)s->job(v, waits); break;
    case ASK_GROUP: (void)s->group(v, waits); break;
    case ASK_QUEUE: (void)s->queue(v, waits); break;
    case ASK_NOTHING: break;
  }
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_task *running;
  const size_t n = s->running(v, &running);
  const hc_task runs = n > 0 ? running[0] : HC_NO_TASK;
  hc_task blocked;
  (void)why;
  if (s->start_heads(p, &blocked) < 0) return HC_EPOLICY;
  if (blocked != HC_NO_TASK && runs != HC_NO_TASK && answers++ == 0) ask(s, v, p, blocked, runs);
  if (s->rate(v, runs) == 0) return s->resume(p, runs);
  return 0;
}

static const hc_policy_type asks = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "asks", .summary = "of a test"},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini};
static const hc_select_type asking = {.component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT),
                                                    .name = "asking", .summary = "of a test"},
                                      .flags = flags,
                                      .init = init,
                                      .decide = decide,
                                      .fini = fini};
static const hc_component *const own[] = {&asks.component, &asking.component, NULL};

/* Four processors: task 1 has two of them until 50, task 2 wants all four from 10 on. */
static const job two[] = {J(1, 0, 50, 2, 50), J(2, 10, 20, 4, 20)};
static const char *const cells[] = {"",
                                    "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2}]}\n"};

/* @return what the run came to; its message is in b->error */
static hc_rc run(bench *b, const char *yaml, question what, uint32_t says)
{
  hc_rc rc;
  asked = what;
  declared = says;
  answers = 0;
  rc = try_begin(b, yaml, 4, two, COUNT(two), own);
  if (rc >= 0) rc = hc_run_advance(b->run, HC_NEVER, 0, &b->error);
  return rc;
}

static void assert_stopped(const char *yaml, question what, uint32_t says, const char *text)
{
  bench b;
  assert_int_equal(run(&b, yaml, what, says), HC_EPOLICY);
  if (!strstr(b.error.text, text)) fail_msg("%s\nsays: %s\nnot: %s", yaml, b.error.text, text);
  assert_true(hc_run_finish(b.run, &b.error) < 0); /* there is no result */
  end(&b);
}

static void assert_goes_on(const char *yaml, question what, uint32_t says)
{
  bench b;
  const hc_rc rc = run(&b, yaml, what, says);
  if (rc < 0) fail_msg("%s, question %d with %u: %s", yaml, (int)what, says, b.error.text);
  assert_true(answers > 0);
  check(&b, hc_run_finish(b.run, &b.error));
  end(&b);
}

#define ALL_BUT(flag) \
  ((HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS | HC_MAY_PREEMPT | HC_ASKS_JOBS) & \
   ~(uint32_t)(flag))

/* What each needs to be declared, on a cell that counts and on one of hosts. `without` has all else. */
static void test_each_service(void **state)
{
  static const struct {
    question what;
    uint32_t with, without;
    const char *text;
  } table[] = {
      {ASK_ESTIMATE, 0, HC_IGNORES_TIME, "asks `estimate`, and its `flags` declare HC_IGNORES_TIME"},
      {ASK_EXPECTED_END, HC_NEEDS_TIMELINE, 0,
       "asks `expected_end`, and its `flags` do not declare HC_NEEDS_TIMELINE"},
      {ASK_EARLIEST, HC_NEEDS_TIMELINE, ALL_BUT(HC_NEEDS_TIMELINE),
       "asks `earliest`, and its `flags` do not declare HC_NEEDS_TIMELINE"},
      {ASK_LEAST_FREE, HC_NEEDS_TIMELINE, ALL_BUT(HC_NEEDS_TIMELINE),
       "asks `least_free`, and its `flags` do not declare HC_NEEDS_TIMELINE"},
      {ASK_HARMLESS, HC_ASKS_HARMLESS, HC_NEEDS_TIMELINE,
       "asks `harmless`, and its `flags` do not declare HC_ASKS_HARMLESS"},
      {ASK_HARMLESS, HC_MAKES_RESERVATIONS, 0, "HC_ASKS_HARMLESS"},
      {ASK_RESERVE, HC_MAKES_RESERVATIONS, ALL_BUT(HC_MAKES_RESERVATIONS),
       "asks `reserve`, and its `flags` do not declare HC_MAKES_RESERVATIONS"},
      {ASK_RESERVE_HOSTS, HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS, ALL_BUT(HC_MAKES_RESERVATIONS),
       "asks `reserve_hosts`, and its `flags` do not declare HC_MAKES_RESERVATIONS"},
      {ASK_PREEMPT, HC_MAY_PREEMPT, ALL_BUT(HC_MAY_PREEMPT),
       "asks `preempt`, and its `flags` do not declare HC_MAY_PREEMPT"},
      {ASK_STOP, HC_MAY_PREEMPT, ALL_BUT(HC_MAY_PREEMPT),
       "asks `stop`, and its `flags` do not declare HC_MAY_PREEMPT"},
      {ASK_START_PACED, HC_PACES, ALL_BUT(0), "asks `start_paced`, and its `flags` do not declare HC_PACES"},
      {ASK_START_LIMITED, HC_CUTS_LIMITS, ALL_BUT(0),
       "asks `start_limited`, and its `flags` do not declare HC_CUTS_LIMITS"},
      {ASK_SET_RATE, HC_SETS_RATES, ALL_BUT(0),
       "asks `set_rate`, and its `flags` do not declare HC_SETS_RATES"},
      {ASK_SUSPEND, HC_SETS_RATES, ALL_BUT(0),
       "asks `suspend`, and its `flags` do not declare HC_SETS_RATES"},
      {ASK_RESIZE, HC_MAY_RESIZE, ALL_BUT(0), "asks `resize`, and its `flags` do not declare HC_MAY_RESIZE"},
      {ASK_LEAVE_POINT, HC_MAY_RESIZE, ALL_BUT(0),
       "asks `leave_point`, and its `flags` do not declare HC_MAY_RESIZE"},
      {ASK_RESUME, HC_SETS_RATES, ALL_BUT(0), "asks `resume`, and its `flags` do not declare HC_SETS_RATES"},
      {ASK_JOB, HC_ASKS_JOBS, ALL_BUT(HC_ASKS_JOBS),
       "asks `job`, and its `flags` do not declare HC_ASKS_JOBS"},
      {ASK_GROUP, HC_ASKS_JOBS, ALL_BUT(HC_ASKS_JOBS),
       "asks `group`, and its `flags` do not declare HC_ASKS_JOBS"},
      {ASK_QUEUE, HC_ASKS_JOBS, ALL_BUT(HC_ASKS_JOBS),
       "asks `queue`, and its `flags` do not declare HC_ASKS_JOBS"},
  };
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++)
    for (size_t i = 0; i < COUNT(table); i++) {
      char yaml[256];
      (void)snprintf(yaml, sizeof yaml, "policy: asks\n%s", cells[k]);
      assert_stopped(yaml, table[i].what, table[i].without, table[i].text);
      assert_goes_on(yaml, table[i].what, table[i].with);
    }
}

/* It is the selector that asks, not the policy of which it is a part; and a scheduler's own policy, not the
 * run's. */
static void test_who_it_was(void **state)
{
  (void)state;
  assert_stopped("policy: {select: asking}\n", ASK_EARLIEST, 0, "the selector asking asks `earliest`");
  assert_stopped("policy: asks\n", ASK_EARLIEST, 0, "the policy asks asks `earliest`");
  assert_stopped("policy: fcfs+scan\ncell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 2}]}\n"
                 "architecture: {use: partitions, schedulers: [{name: x, policy: asks}]}\n",
                 ASK_JOB, 0, "the policy asks asks `job`");
}

/* What no policy can do, and what none can mean. */
static void test_refused(void **state)
{
  bench b;
  char yaml[256];
  (void)state;
  (void)snprintf(yaml, sizeof yaml, "policy: asks\n%s", cells[1]); /* only hosts can be switched */
  assert_stopped(yaml, ASK_POWER, ALL_BUT(0), "asks `power`, and its `flags` do not declare HC_MAY_POWER");
  assert_goes_on(yaml, ASK_POWER, HC_MAY_POWER);
  assert_int_equal(run(&b, "policy: asks\n", ASK_NOTHING, HC_MAY_RESIZE | HC_SETS_RATES), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "either resizes running tasks or suspends them"));
  end(&b);
  assert_int_equal(run(&b, "policy: asks\n", ASK_NOTHING, HC_IGNORES_TIME | HC_NEEDS_TIMELINE),
                   HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "HC_IGNORES_TIME"));
  end(&b);
}

/* ---- an architecture ---- */

struct hc_architecture {
  hc_architecture_context c;
};

static hc_rc architecture_init(const hc_architecture_context *c, const void *options, hc_architecture **out,
                               hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_architecture){.c = *c};
  return 0;
}

static hc_rc hear(hc_architecture *self, const hc_signal *s, hc_error *e)
{
  (void)e;
  if (s->what == HC_WHY_ARRIVAL)
    (void)self->c.policy_context->services->job(self->c.services->task_view(self->c.engine), s->task);
  return 0;
}

static hc_rc idle(hc_architecture *self, hc_error *e)
{
  (void)self;
  (void)e;
  return 0;
}

static void architecture_fini(hc_architecture *self)
{
  (void)self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

#define CURIOUS(word, asks_) \
  static const hc_architecture_type word = { \
      .component = {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = #word, \
                    .summary = "of a test"}, \
      .init = architecture_init, \
      .signal = hear, \
      .decide = idle, \
      .fini = architecture_fini, \
      .asks_jobs = asks_}
CURIOUS(curious, false);
CURIOUS(frank, true);

static void test_architecture(void **state)
{
  static const hc_component *const both[] = {&curious.component, &frank.component, NULL};
  bench b;
  (void)state;
  begin(&b, "architecture: curious\n", 4, two, COUNT(two), both);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EPOLICY);
  assert_non_null(
      strstr(b.error.text, "the architecture curious asks `job`, and its type does not say `asks_jobs`"));
  end(&b);
  begin(&b, "architecture: frank\n", 4, two, COUNT(two), both);
  check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
  end(&b);
}

/* ---- what is built in ---- */

/* Jobs of all sizes, more than there is room for, some with limits that they overrun. */
static void run_many(const char *yaml)
{
  job jobs[120];
  bench b;
  for (int64_t i = 0; i < (int64_t)COUNT(jobs); i++)
    jobs[i] = (job)J(i + 1, i * 7, 20 + i * 37 % 90, 1 + i * 5 % 8, 30 + i * 11 % 60);
  begin(&b, yaml, 16, jobs, COUNT(jobs), NULL);
  if (hc_run_advance(b.run, HC_NEVER, 0, &b.error) < 0) fail_msg("%s\n%s", yaml, b.error.text);
  end(&b);
}

#define HOSTS "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4, memory: 8GiB}]}\n"

static void test_selectors_declare(void **state)
{
  static const char *const machines[] = {"", HOSTS, "cell: {use: auto, granularity: intervals}\n"};
  static const char *const more[] = {"{use: easy, reserve: hosts}", "{use: easy, depth: 3}",
                                     "{use: easy, ahead: true}",    "{use: easy, retry: at_reservation}",
                                     "{use: easy, relax: 1}",       "{use: easy, protect: false}",
                                     "{use: slack, factor: 0}"};
  hc_registry *r;
  const hc_component *c;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &r), 0);
  for (size_t k = 0; k < COUNT(machines); k++) {
    char yaml[256];
    for (size_t i = 0; (c = hc_registry_at(r, HC_KIND_SELECT, i)); i++) {
      if (strcmp(c->name, "easy_book") == 0 && k != 1) continue; /* books hosts */
      if (strcmp(c->name, "capped") == 0) continue;              /* asks for `watts`: below */
      if (hc_test_is_sample() && i % COUNT(machines) != k) continue;
      (void)snprintf(yaml, sizeof yaml, "overrun: run_on\npolicy: {order: sjf, select: %s}\n%s", c->name,
                     machines[k]);
      run_many(yaml);
    }
    for (size_t i = 0; i < COUNT(more); i++) {
      (void)snprintf(yaml, sizeof yaml, "overrun: run_on\npolicy: {select: %s}\n%s", more[i], machines[k]);
      run_many(yaml);
    }
  }
  run_many("policy: {order: sjf, select: {use: capped, watts: 700}}\n" HOSTS
           "power: {use: states, idle: [100, 90], peak: [200, 150], speeds: [1, 0.5]}\n");
  run_many("policy: {select: {use: capped, watts: 700, slow: false}}\n" HOSTS
           "power: {use: linear, idle: 100, peak: 200}\n");
  for (size_t i = 0; (c = hc_registry_at(r, HC_KIND_ORDER, i)); i++) {
    char yaml[256];
    if (strcmp(c->name, "expr") == 0) continue; /* has no default */
    (void)snprintf(yaml, sizeof yaml, "policy: {order: %s, select: scan}\n", c->name);
    run_many(yaml);
  }
  hc_registry_free(r);
}

static void test_policies_declare(void **state)
{
  static const char *const yaml[] = {
      "policy: fair\n" HOSTS,
      "policy: {use: fair, preempt: {use: starving}}\n" HOSTS,
      "policy: {use: fair, preempt: {use: priority}}\n" HOSTS,
      "policy: {use: fair, accept: {use: refusal}}\narchitecture: {use: heartbeat, offer: instant}\n" HOSTS,
      "policy: {use: fair, accept: {use: locality}}\narchitecture: {use: heartbeat, offer: instant}\n" HOSTS,
      "policy: {use: fair, accept: {use: all_of, of: [refusal, locality]}}\n"
      "architecture: {use: heartbeat, offer: instant}\n" HOSTS,
      "policy: yt\narchitecture: {use: heartbeat, offer: instant}\n" HOSTS,
      "policy: {use: yt, preemption: none}\narchitecture: {use: heartbeat, offer: instant}\n" HOSTS,
      "policy: gang\n",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) run_many(yaml[i]);
}

/* ---- an order ---- */

/* Small tasks first; one that has waited for a day before all others. */
static int64_t patient_key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return task->now - task->submitted > HC_DAY ? INT64_MIN : task->units;
}

static const hc_order_type patient = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "patient", .summary = "of a test"},
    .flags = flags,
    .key = patient_key};

/* It is not called again where its keys are said to stand. */
static void test_an_order_says_that_it_varies(void **state)
{
  static const hc_component *const orders[] = {&patient.component, NULL};
  static const job jobs[] = {J(1, 0, 50, 8, 60), J(2, 1, 50, 2, 60)};
  (void)state;
  for (declared = 0; declared <= HC_VARIES; declared += HC_VARIES) {
    bench b;
    begin(&b, "policy: {order: patient, select: scan}\n", 16, jobs, COUNT(jobs), orders);
    const hc_rc rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
    assert_int_equal(rc, declared ? 0 : HC_EPOLICY);
    assert_true(declared || (strstr(b.error.text, "order patient") && strstr(b.error.text, "HC_VARIES")));
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_service),      cmocka_unit_test(test_who_it_was),
      cmocka_unit_test(test_refused),           cmocka_unit_test(test_architecture),
      cmocka_unit_test(test_selectors_declare), cmocka_unit_test(test_policies_declare),
      cmocka_unit_test(test_an_order_says_that_it_varies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
