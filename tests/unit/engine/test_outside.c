/* test_outside.c -- a run stops where a plan is wanted, and its caller makes the plan.
 *
 * The plan that the run's own policy would have made, made from outside, gives the run as it would have been:
 * the digests of the result and of the schedule are those of a run that does not stop, however it is cut into
 * snapshots. That is held over cells, architectures, thoughts, losses of hosts. Then what can go wrong. */
#include "engine_test.h"

#include "base/math.h"

#define LOG \
  "source: {use: swf, file: \"" HC_TEST_SOURCE_DIR "/tests/oracles/swf/lub5k_128_l85_over5pct.swf.zst\"}\n"
#define HEAD LOG "sort_window: 64\ntransforms: {use: first, count: 150}\nparanoid: true\n"
#define HOSTS "cell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 4}]}\n"
#define ONE "schedulers: [{name: wide, takes: units > 16, think_job: 300s}, {name: rest, think_job: 20s}]}\n"
#define TWO \
  "schedulers: [{name: wide, takes: units > 16, think_job: 300s}, {name: rest, count: 2, think_job: 20s}]}\n"

static const char *const configurations[] = {
    "policy: easy\n",
    "policy: easy\n" HOSTS,
    "policy: easy\ncell: {use: auto, granularity: intervals}\n",
    "policy: sjf+scan+random\ncell: {use: auto, granularity: intervals}\n",
    "policy: sjf+easy+next_fit\n" HOSTS,
    "policy: conservative\n" HOSTS,
    "policy: {select: {use: easy, candidates: sjf}}\noverrun: run_on\n",
    "policy: easy\narchitecture: {use: monolithic, think: 30s}\n",
    "policy: easy\narchitecture: {use: monolithic, think: 300s}\n" HOSTS,
    "policy: easy\narchitecture: {use: monolithic, call: [instant, period], period: 600s}\n",
    "policy: easy\n" HOSTS "host_loss: requeue\nevents: {use: drawn, up_time: 5d, down_time: 1h}\n",
    "policy: easy\narchitecture: {use: two_pass, backfill_interval: 600s, max_jobs: 5}\n",
    "policy: scan\narchitecture: {use: shared_state, retry: 60s, " TWO,
    "policy: easy\narchitecture: {use: shared_state, decision: pass, retry: 60s, " TWO,
    "policy: easy\narchitecture: {use: shared_state, decision: pass, spread: round_robin, "
    "schedulers: [{name: a, count: 2}]}\n",
    "policy: scan\narchitecture: {use: multi_path, " ONE,
    "policy: easy\n" HOSTS "architecture: {use: partitions, decision: pass, attempts_in_vain: 50, " TWO,
    "policy: easy\n" HOSTS "architecture: {use: federation, decision: pass, route: round_robin, schedulers: "
    "[{name: x, hosts: [0-31], think_job: 100s}]}\n",
    "policy: easy\n" HOSTS "architecture: {use: messages, latency: 7s}\n",
    "policy: sjf+scan\n" HOSTS "architecture: {use: messages, latency: 40s, report: 100s}\n",
    "policy: scan\n" HOSTS "architecture: {use: federation, route: round_robin, retry: 60s, "
    "schedulers: [{name: x, hosts: [0-31], think_job: 100s}]}\n",
};

typedef enum driver {
  STRAIGHT, /* hc_run_advance: nothing stops */
  POLICIES, /* policies of the caller's own, born with the decision's context */
  LEFT,     /* each decision is left to the run's policy */
  MIXED     /* now this, now that, now a while of hc_run_advance; saved and restored at every turn */
} driver;

/* ---- a policy of the caller's, by scheduler ---- */

#define MOST 8
static hc_policy *policies[MOST];
static const hc_policy_type *types[MOST];

static void bury(void)
{
  for (size_t i = 0; i < MOST; i++) {
    if (policies[i] && types[i]->fini) types[i]->fini(policies[i]);
    policies[i] = NULL;
  }
}

static void plan(bench *b, const hc_decision *d)
{
  const hc_policy_type *t = (const hc_policy_type *)d->policy->type;
  assert_true(d->scheduler < MOST);
  types[d->scheduler] = t;
  if (!policies[d->scheduler] && t->init)
    check(b, t->init(d->context, d->policy->options, &policies[d->scheduler], &b->error));
  check(b, t->decide(policies[d->scheduler], d->view, d->plan, &d->why));
}

/* ---- cutting ---- */

/* The run becomes what was saved of it. */
static void cut(bench *b)
{
  char one[33], two[33];
  hc_snapshot s;
  hc_store *store;
  bury(); /* their context is the run's */
  check(b, hc_store_new(b->allocator, NULL, &store, &b->error));
  check(b, hc_run_digest(b->run, one, &b->error));
  check(b, hc_run_snapshot(b->run, &s, &b->error));
  hc_run_free(b->run);
  hc_store_free(b->store);
  b->store = store;
  check(b, hc_run_restore(b->allocator, b->config, store, &s, &b->run, &b->error));
  check(b, hc_run_digest(b->run, two, &b->error));
  assert_string_equal(one, two);
  hc_snapshot_free(b->allocator, &s);
}

/* A decision in one of several ways, cut before, while and after it is made. */
static void decide_somehow(bench *b, hc_decision *d, hc_draws *draws)
{
  const uint64_t way = hc_random_below(draws, 15);
  if (way == 0) cut(b);
  if (way == 0) assert_int_equal(hc_run_wait_decision(b->run, 0, d, &b->error), HC_RUN_DECISION);
  if (way == 1) {
    check(b, hc_run_decide_by_policy(b->run, &b->error));
    return;
  }
  plan(b, d);
  if (way == 2) { /* a copy has the plan as far as it is made, and hands it in unseen */
    cut(b);
  } else if (way == 3) {
    hc_task t = HC_NO_TASK;
    hc_cursor at = {0};
    cut(b);
    assert_int_equal(hc_run_wait_decision(b->run, 0, d, &b->error), HC_RUN_DECISION);
    t = d->services->next(d->view, HC_LIST_QUEUE, &at, NULL);
    assert_true(t == HC_NO_TASK || d->services->waits(d->view, t));
  }
  check(b, hc_run_decide(b->run, &b->error));
  if (way == 4) cut(b);
}

static uint64_t carry_out(bench *b, driver how, uint64_t seed)
{
  hc_draws draws = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  uint64_t decisions = 0;
  hc_decision d;
  hc_rc rc = how == STRAIGHT ? hc_run_advance(b->run, HC_NEVER, 0, &b->error) : HC_RUN_MORE;
  while (rc > 0) {
    if (how == MIXED && hc_random_below(&draws, 10) == 0) rc = hc_run_advance(b->run, HC_NEVER, 7, &b->error);
    else rc = hc_run_wait_decision(b->run, HC_NEVER, &d, &b->error);
    check(b, rc);
    if (rc != HC_RUN_DECISION) continue;
    decisions++;
    if (how == MIXED) decide_somehow(b, &d, &draws);
    else if (how == POLICIES) plan(b, &d);
    if (how == POLICIES) check(b, hc_run_decide(b->run, &b->error));
    if (how == LEFT) check(b, hc_run_decide_by_policy(b->run, &b->error));
  }
  check(b, rc);
  return decisions;
}

static void digests(const char *more, driver how, char result[33], char schedule[33])
{
  char yaml[2048];
  bench b;
  hc_progress at;
  hc_result *r;
  (void)snprintf(yaml, sizeof yaml, HEAD "%s", more);
  begin(&b, yaml, 1, NULL, 0, NULL);
  const uint64_t decisions = carry_out(&b, how, 1);
  bury();
  hc_run_progress(b.run, &at);
  if (how == POLICIES || how == LEFT) assert_true(decisions > 0 && decisions <= at.decisions);
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_digest(r, result, &b.error));
  check(&b, hc_result_schedule_digest(r, schedule, &b.error));
  hc_result_free(r);
  end(&b);
}

static void test_as_its_policy(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(configurations); i++) {
    char result[33], schedule[33], r[33], s[33];
    digests(configurations[i], STRAIGHT, result, schedule);
    for (driver how = POLICIES; how <= MIXED; how++) {
      digests(configurations[i], how, r, s);
      if (strcmp(r, result) != 0 || strcmp(s, schedule) != 0)
        fail_msg("driver %d: %sresult %s, not %s\nschedule %s, not %s", (int)how, configurations[i], r,
                 result, s, schedule);
    }
  }
}

/* ---- what can go wrong ---- */

/* Four processors: task 1 has three of them until 50, task 2 wants all four from 10 on. */
static const job two[] = {J(1, 0, 50, 3, 50), J(2, 10, 20, 4, 20)};

static void wait_first(bench *b, const char *yaml, hc_decision *d)
{
  begin(b, yaml, 4, two, COUNT(two), NULL);
  assert_int_equal(hc_run_wait_decision(b->run, HC_NEVER, d, &b->error), HC_RUN_DECISION);
}

static void assert_says(hc_rc rc, hc_rc expected, const hc_error *e, const char *text)
{
  if (rc != expected || !strstr(e->text, text)) fail_msg("%s: %s\nnot: %s", hc_rc_name(rc), e->text, text);
}

/* Nothing decided: task 1 starts when the next event calls again, which is task 2's arrival at 10. Task 2 is
 * never decided on while anything happens but 1's end, at 60. */
static void test_empty_plans(void **state)
{
  bench b;
  hc_decision d;
  hc_task t;
  hc_cursor at = {0};
  (void)state;
  wait_first(&b, "policy: outside\n", &d);
  assert_int_equal(d.scheduler, 0);
  assert_string_equal(d.name, "");
  assert_string_equal(d.policy->type->name, "outside");
  assert_int_equal(d.why.bits, HC_WHY_ARRIVAL);
  check(&b, hc_run_decide(b.run, &b.error));
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
  assert_int_equal(d.services->now(d.view), 10 * HC_SECOND);
  t = d.services->next(d.view, HC_LIST_QUEUE, &at, NULL);
  check(&b, d.services->start(d.plan, t, NULL, 0));
  check(&b, hc_run_decide(b.run, &b.error));
  assert_int_equal(hc_run_wait_decision(b.run, 59 * HC_SECOND, &d, &b.error), HC_RUN_MORE);
  assert_int_equal(hc_run_wait_decision(b.run, 60 * HC_SECOND, &d, &b.error), HC_RUN_DECISION);
  assert_int_equal(d.why.bits, HC_WHY_END);
  at = (hc_cursor){0};
  t = d.services->next(d.view, HC_LIST_QUEUE, &at, NULL);
  check(&b, d.services->start(d.plan, t, NULL, 0));
  check(&b, hc_run_decide(b.run, &b.error));
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_OVER);
  check(&b, hc_run_finish(b.run, &b.error));
  read_records(&b);
  assert_int_equal(start_of(&b, 1), 10);
  assert_int_equal(start_of(&b, 2), 60);
  end(&b);
}

static void test_invalid_starts(void **state)
{
  bench b;
  hc_decision d;
  hc_error e = {0};
  hc_task t;
  hc_cursor at = {0};
  (void)state;
  wait_first(&b, "policy: outside\n", &d);
  t = d.services->next(d.view, HC_LIST_QUEUE, &at, NULL);
  check(&b, hc_run_why_not(b.run, t, &b.error)); /* it can */
  check(&b, d.services->start(d.plan, t, NULL, 0));
  assert_int_equal(d.services->start(d.plan, t, NULL, 0), HC_EPOLICY);
  assert_says(hc_run_why_not(b.run, t, &e), HC_EPOLICY, &e, "is not one that waits");
  check(&b, hc_run_decide(b.run, &b.error)); /* what was refused is not in the plan */
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
  at = (hc_cursor){0};
  t = d.services->next(d.view, HC_LIST_QUEUE, &at, NULL);
  assert_int_equal(d.services->start(d.plan, t, NULL, 0), HC_EPOLICY);
  e = (hc_error){0};
  assert_says(hc_run_why_not(b.run, t, &e), HC_EPOLICY, &e, "asks for 4 processors, and 1 are free");
  end(&b); /* freed while a plan is wanted and made */
}

static void test_undeclared(void **state)
{
  bench b;
  hc_decision d;
  hc_cursor at = {0};
  (void)state;
  wait_first(&b, "policy: outside\n", &d);
  (void)d.services->earliest(d.view, d.services->next(d.view, HC_LIST_QUEUE, &at, NULL), 0);
  assert_says(hc_run_decide(b.run, &b.error), HC_EPOLICY, &b.error, "do not declare HC_NEEDS_TIMELINE");
  end(&b);
  wait_first(&b, "policy: {use: outside, asks: [needs_timeline]}\n", &d);
  at = (hc_cursor){0};
  assert_int_equal(d.services->earliest(d.view, d.services->next(d.view, HC_LIST_QUEUE, &at, NULL), 0).at, 0);
  check(&b, hc_run_decide(b.run, &b.error));
  end(&b);
}

static void test_out_of_turn(void **state)
{
  bench b;
  hc_decision d, again;
  hc_error e = {0};
  (void)state;
  begin(&b, "policy: outside\n", 4, two, COUNT(two), NULL);
  assert_says(hc_run_decide(b.run, &e), HC_EUSAGE, &e, "waits for no plan");
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
  e = (hc_error){0};
  assert_says(hc_run_advance(b.run, HC_NEVER, 0, &e), HC_EUSAGE, &e, "hc_run_decide");
  e = (hc_error){0};
  assert_says(hc_run_finish(b.run, &e), HC_EUSAGE, &e, "hc_run_decide");
  e = (hc_error){0};
  assert_says(hc_run_decide_by_policy(b.run, &e), HC_EUSAGE, &e, "makes no plan");
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &again, &b.error), HC_RUN_DECISION);
  assert_ptr_equal(d.view, again.view);
  check(&b, hc_run_decide(b.run, &b.error));
  e = (hc_error){0};
  assert_says(hc_run_advance(b.run, HC_NEVER, 0, &e), HC_EUSAGE, &e, "hc_run_wait_decision");
  end(&b);
  wait_first(&b, "policy: easy\n", &d);
  hc_run_cancel(b.run);
  assert_int_equal(hc_run_decide(b.run, &b.error), 0);
  assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_ECANCELLED);
  end(&b);
}

static void test_refused(void **state)
{
  static const struct {
    const char *yaml, *text;
  } cases[] = {
      {"policy: outside\narchitecture: {use: monolithic, call: per_event}\n", "in the midst of an event"},
      {"policy: outside\ncell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 1}]}\narchitecture: "
       "heartbeat\n",
       "plans cannot come from outside"},
      {"policy: easy\narchitecture: {use: monolithic, call: per_event}\n", "in the midst of an event"},
      {"policy: scan\ncell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 1}]}\narchitecture: "
       "heartbeat\n",
       "no plan can come from outside"},
      {"policy: fair\n", "keeps books by its own plans"},
      {"policy: gang\n", "keeps books by its own plans"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    hc_decision d;
    hc_rc rc = try_begin(&b, cases[i].yaml, 4, two, COUNT(two), NULL);
    if (rc >= 0) rc = hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error);
    assert_says(rc, HC_EUNSUPPORTED, &b.error, cases[i].text);
    end(&b);
  }
}

/* ---- news, and plans in parts: under messages ---- */

/* First come, first served, told what has come, the plan at once or in two parts, 30 s apart. What it is
 * told, and its schedule, are the same however it is cut.
 * @param told out: a sum over all news in their order @return how many there were */
static uint64_t by_news(bool in_parts, bool cuts, uint64_t *told, char schedule[33])
{
  static const char yaml[] =
      HEAD HOSTS "policy: outside\narchitecture: {use: messages, latency: 7s, report: 20s}\n";
  uint64_t count = 0, sum = 0;
  bool has_more = false;
  hc_decision d;
  hc_result *r;
  hc_task blocked;
  bench b;
  hc_rc rc;
  begin(&b, yaml, 1, NULL, 0, NULL);
  while ((rc = hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error)) == HC_RUN_DECISION) {
    if (cuts) cut(&b);
    if (cuts) assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
    for (size_t i = 0; i < d.news_count; i++, count++) {
      const hc_news *n = &d.news[i];
      assert_in_range(n->at, n->kind == HC_NEWS_ENDED ? n->end + 20 * HC_SECOND : 0, d.services->now(d.view));
      sum = sum * 31 + (uint64_t)n->at + n->kind + 7 * n->serial;
    }
    has_more = in_parts && !has_more;
    if (!has_more) check(&b, d.services->start_heads(d.plan, &blocked));
    if (has_more) check(&b, hc_run_decide_more(b.run, d.services->now(d.view) + 30 * HC_SECOND, &b.error));
    else check(&b, hc_run_decide(b.run, &b.error));
    if (cuts) cut(&b);
  }
  check(&b, rc);
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_schedule_digest(r, schedule, &b.error));
  hc_result_free(r);
  end(&b);
  *told = sum;
  return count;
}

static void test_news(void **state)
{
  (void)state;
  for (int in_parts = 0; in_parts < 2; in_parts++) {
    uint64_t one, two_;
    char s[33], t[33];
    const uint64_t count = by_news(in_parts, false, &one, s);
    assert_int_equal(count, 2 * 150 + 1); /* each task comes and ends; and that no more come */
    assert_int_equal(by_news(in_parts, true, &two_, t), count);
    assert_true(one == two_);
    assert_string_equal(s, t);
  }
}

/* Pairs of hosts by turns, 60 times, are told to sleep, which takes 50 s and 90 s, and when that is told to
 * wake, in 40 s. What it is told, when, and what hosts have drawn then, is the same however the run is cut;
 * no pair is told of before its later host has been switched and has said so.
 * @return how many pairs were told of */
static uint64_t by_switches(bool cuts, uint64_t *told, char schedule[33])
{
  static const char yaml[] = HEAD HOSTS
      "policy: {use: outside, asks: [may_power]}\narchitecture: {use: messages, latency: 7s, report: 20s}\n"
      "power: {use: linear, idle: 100, peak: 200, off: 10}\nmetrics: [{use: energy, trace: true}]\n";
  hc_time earliest[16] = {0};
  bool is_asked[16] = {false}, sleeps[16] = {false};
  uint64_t count = 0, sum = 0, turn = 0, asked = 0;
  hc_decision d;
  hc_result *r;
  hc_task blocked;
  bench b;
  hc_rc rc;
  begin(&b, yaml, 1, NULL, 0, NULL);
  while ((rc = hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error)) == HC_RUN_DECISION) {
    if (cuts) cut(&b);
    if (cuts) assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
    const hc_time now = d.services->now(d.view);
    for (size_t i = 0; i < d.news_count; i++) {
      const hc_news *n = &d.news[i];
      sum = sum * 31 + (uint64_t)n->at + n->kind + 7 * n->serial;
      if (n->kind != HC_NEWS_DONE) continue;
      assert_in_range(n->id, 0, 15);
      assert_true(is_asked[n->id] && n->at >= earliest[n->id] && n->energy >= 0);
      is_asked[n->id] = false;
      sleeps[n->id] = !sleeps[n->id];
      sum = sum * 31 + (uint64_t)(n->energy * 1000);
      count++;
    }
    for (uint32_t k = 0; k < 16; k++) {
      const uint32_t host = 2 * k;
      const hc_plan_mark before = d.services->mark(d.plan);
      if (is_asked[k] || (!sleeps[k] && (k != turn % 16 || asked == 60))) continue;
      rc = d.services->power(d.plan, host, sleeps[k], (sleeps[k] ? 40 : 50) * HC_SECOND);
      if (rc == 0) rc = d.services->power(d.plan, host + 1, sleeps[k], (sleeps[k] ? 40 : 90) * HC_SECOND);
      if (rc == 0) rc = d.services->join(d.plan);
      if (rc == 0) rc = d.services->report(d.plan, k, true);
      if (rc == 0) rc = d.services->join(d.plan);
      if (rc == HC_EPOLICY) { /* one of the two is not idle */
        check(&b, d.services->take_back(d.plan, &before));
        continue;
      }
      check(&b, rc);
      is_asked[k] = true;
      asked += !sleeps[k];
      earliest[k] = now + ((sleeps[k] ? 40 : 90) + 7 + 20) * HC_SECOND;
    }
    turn++;
    check(&b, d.services->start_heads(d.plan, &blocked));
    check(&b, hc_run_decide(b.run, &b.error));
    if (cuts) cut(&b);
  }
  check(&b, rc);
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_schedule_digest(r, schedule, &b.error));
  hc_result_free(r);
  end(&b);
  for (int k = 0; k < 16; k++) assert_false(is_asked[k]); /* the run has waited for the last of them */
  *told = sum;
  return count;
}

static void test_switches(void **state)
{
  uint64_t one, two_;
  char s[33], t[33];
  const uint64_t count = by_switches(false, &one, s);
  (void)state;
  assert_int_equal(count, 120);
  assert_int_equal(by_switches(true, &two_, t), count);
  assert_true(one == two_);
  assert_string_equal(s, t);
}

/* Two lists of what happens outside of the run: half of the hosts drain for a day, and something of no host.
 * All of it is told, in its order, before the run is over, and the same however it is cut. */
static uint64_t by_incidents(bool cuts, uint64_t *told, char schedule[33])
{
  static const char yaml[] = HEAD HOSTS
      "policy: outside\narchitecture: {use: messages, latency: 7s, report: 20s, incidents: true}\n";
  static const hc_range half = {0, 16};
  static const hc_incident one[] = {{HC_HOUR, HC_HOST_DRAIN, &half, 1}, {HC_DAY, HC_HOST_UP, &half, 1}};
  static const hc_incident two_[] = {{0, HC_INCIDENT_ALONE, NULL, 0},
                                     {300 * HC_DAY, HC_INCIDENT_ALONE, NULL, 0}};
  const hc_time at[] = {HC_HOUR, HC_DAY, 0, 300 * HC_DAY};
  uint64_t count = 0, sum = 0;
  bool is_said = false;
  hc_decision d;
  hc_result *r;
  hc_task blocked;
  bench b;
  hc_rc rc;
  begin(&b, yaml, 1, NULL, 0, NULL);
  while ((rc = hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error)) == HC_RUN_DECISION) {
    if (!is_said) check(&b, hc_run_incidents(b.run, one, 2, &b.error));
    if (!is_said) check(&b, hc_run_incidents(b.run, two_, 2, &b.error));
    is_said = true;
    if (cuts) cut(&b);
    if (cuts) assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
    for (size_t i = 0; i < d.news_count; i++) {
      const hc_news *n = &d.news[i];
      sum = sum * 31 + (uint64_t)n->at + n->kind + 7 * n->serial;
      if (n->kind == HC_NEWS_INCIDENT) {
        assert_in_range(n->id, 0, 3);
        assert_in_range(n->at, at[n->id] + 7 * HC_SECOND, at[n->id] + HC_MINUTE);
        sum = sum * 31 + (uint64_t)n->id;
        count++;
      }
      if (n->kind == HC_NEWS_NO_MORE_INCIDENTS) assert_int_equal(count, 4);
      count += n->kind == HC_NEWS_NO_MORE_INCIDENTS;
    }
    check(&b, d.services->start_heads(d.plan, &blocked));
    check(&b, hc_run_decide(b.run, &b.error));
    if (cuts) cut(&b);
  }
  check(&b, rc);
  assert_int_equal(hc_run_incidents(b.run, one, 2, &b.error), HC_EUSAGE); /* it is too late */
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_schedule_digest(r, schedule, &b.error));
  hc_result_free(r);
  end(&b);
  *told = sum;
  return count;
}

static void test_incidents(void **state)
{
  uint64_t one, two_;
  char s[33], t[33];
  (void)state;
  assert_int_equal(by_incidents(false, &one, s), 5);
  assert_int_equal(by_incidents(true, &two_, t), 5);
  assert_true(one == two_);
  assert_string_equal(s, t);
}

/* Twenty jobs that the scheduler submits itself, each with a profile of its own; every other one starts in
 * the same plan. They wait at once, no news says so, and the schedule is the same however the run is cut. */
static uint64_t by_submissions(bool cuts, uint64_t *told, char schedule[33])
{
  static const char workload[] =
      "{\"nb_res\": 32, \"jobs\": [{\"id\": \"a\", \"subtime\": 0, \"res\": 4, \"profile\": \"d\"},"
      "{\"id\": \"b\", \"subtime\": 900, \"res\": 32, \"profile\": \"d\"}],"
      "\"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 100}}}";
  char path[64] = "", yaml[512], text[256];
  uint64_t count = 0, sum = 0, serial;
  hc_decision d;
  hc_result *r;
  hc_task blocked;
  bench b;
  hc_rc rc;
  write_log(path, workload, strlen(workload));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: batsim, file: %s, ties: id, dynamic: true, executables: profiles}\n"
                 "cell: {use: hosts, classes: [{count: 32, name_prefix: h, cpus: 1}]}\npolicy: outside\n"
                 "paranoid: true\narchitecture: {use: messages, latency: 7s, report: 20s}\n",
                 path);
  begin(&b, yaml, 1, NULL, 0, NULL);
  while ((rc = hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error)) == HC_RUN_DECISION) {
    for (size_t i = 0; i < d.news_count; i++)
      sum = sum * 31 + (uint64_t)d.news[i].at + d.news[i].kind + 7 * d.news[i].serial;
    if (count < 20) {
      (void)snprintf(text, sizeof text,
                     "{\"profiles\": {\"p%d\": {\"type\": \"delay\", \"delay\": %d}}, \"jobs\": [{\"id\": "
                     "\"x%d\", \"subtime\": %g, \"res\": 2, \"profile\": \"p%d\"}]}",
                     (int)count, 5 + 10 * (int)count, (int)count,
                     (double)d.services->now(d.view) / (double)HC_SECOND, (int)count);
      assert_int_equal(hc_run_submit(b.run, text, strlen(text), &serial, 1, &b.error), 1);
      const hc_task t = d.services->find(d.view, serial);
      assert_true(t != HC_NO_TASK && d.services->waits(d.view, t));
      if (count++ % 2 == 0) check(&b, d.services->start(d.plan, t, NULL, 0));
    }
    if (cuts) cut(&b);
    if (cuts) assert_int_equal(hc_run_wait_decision(b.run, HC_NEVER, &d, &b.error), HC_RUN_DECISION);
    check(&b, d.services->start_heads(d.plan, &blocked));
    check(&b, hc_run_decide(b.run, &b.error));
    if (cuts) cut(&b);
  }
  check(&b, rc);
  assert_int_equal(hc_run_submit(b.run, text, strlen(text), &serial, 1, &b.error), HC_EUSAGE);
  hc_progress p;
  hc_run_progress(b.run, &p);
  assert_int_equal(p.ended, 22);
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_schedule_digest(r, schedule, &b.error));
  hc_result_free(r);
  end(&b);
  (void)unlink(path);
  *told = sum;
  return count;
}

static void test_submissions(void **state)
{
  uint64_t one, two_;
  char s[33], t[33];
  (void)state;
  assert_int_equal(by_submissions(false, &one, s), 20);
  assert_int_equal(by_submissions(true, &two_, t), 20);
  assert_true(one == two_);
  assert_string_equal(s, t);
}

/* What is joined has to be a switch or a report, and there has to be something before it; nothing is told
 * under another architecture. */
static void test_reports_refused(void **state)
{
  bench b;
  hc_decision d;
  (void)state;
  wait_first(&b, "policy: outside\n", &d);
  assert_int_equal(d.services->join(d.plan), HC_EPOLICY);
  assert_int_equal(d.services->report(d.plan, 1, false), HC_EPOLICY);
  check(&b, d.services->wake(d.plan, d.services->now(d.view)));
  check(&b, d.services->wake(d.plan, d.services->now(d.view)));
  assert_int_equal(d.services->join(d.plan), HC_EPOLICY);
  end(&b);
}

static void test_parts_refused(void **state)
{
  bench b;
  hc_decision d;
  (void)state;
  wait_first(&b, "policy: outside\n", &d);
  assert_says(hc_run_decide_more(b.run, HC_SECOND, &b.error), HC_EUNSUPPORTED, &b.error,
              "needs the architecture messages");
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_incidents),      cmocka_unit_test(test_submissions),
      cmocka_unit_test(test_switches),       cmocka_unit_test(test_reports_refused),
      cmocka_unit_test(test_news),           cmocka_unit_test(test_parts_refused),
      cmocka_unit_test(test_as_its_policy),  cmocka_unit_test(test_empty_plans),
      cmocka_unit_test(test_invalid_starts), cmocka_unit_test(test_undeclared),
      cmocka_unit_test(test_out_of_turn),    cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("engine/outside", tests, NULL, NULL);
}
