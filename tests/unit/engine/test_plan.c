/* test_plan.c -- what a policy may do, by policies of the tests' own: each is one `decide`. What cannot be
 * is refused at the call with HC_EPOLICY, and changes nothing. */
#include "engine_test.h"
#include "own_policy.h"

static uint32_t plans(const void *options)
{
  (void)options;
  return HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_MAY_PREEMPT | HC_PLACES_HOSTS;
}

#define POLICY(word, may) \
  static const hc_policy_type word##_policy = { \
      .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = #word, \
                    .summary = "of a test"}, \
      .flags = may, \
      .init = init, \
      .decide = word, \
      .fini = fini}

#define RUN(bench_, yaml, procs, jobs) begin(bench_, yaml, procs, jobs, COUNT(jobs), own)

static hc_task head(const hc_policy *self, const hc_view *v)
{
  hc_cursor at = {0};
  return self->s->next(v, HC_LIST_QUEUE, &at, NULL);
}

static hc_rc start_what_fits(const hc_policy *self, hc_view *v, hc_plan *p)
{
  hc_cursor at = {0};
  hc_task t;
  while ((t = self->s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (self->s->fits(v, t) && self->s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
  return 0;
}

/* ---- the policies ---- */

/* Starts nothing. */
static hc_rc idle(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)self;
  (void)v;
  (void)p;
  (void)why;
  return 0;
}

/* Wakes itself at once, for ever. */
static hc_rc spin(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)why;
  return self->s->wake(p, self->s->now(v));
}

/* Refuses tasks of more than two processors. */
static hc_rc choosy(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_cursor at = {0};
  hc_task t;
  (void)why;
  while ((t = self->s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (self->s->units(v, t) > 2 && self->s->reject(p, t, NULL) < 0) return HC_EPOLICY;
  return start_what_fits(self, v, p);
}

/* The newest task goes first: what runs is stopped for it. */
static hc_rc newest_first(hc_policy *self, hc_view *v, hc_plan *p, hc_stop how)
{
  const hc_services *s = self->s;
  hc_task t = HC_NO_TASK, next;
  const hc_task *running;
  hc_cursor at = {0};
  size_t n;
  while ((next = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) t = next;
  n = s->running(v, &running);
  for (size_t i = 0; t != HC_NO_TASK && !s->fits(v, t) && i < n; i++) {
    if (s->serial(v, running[i]) > s->serial(v, t)) continue;
    if (s->preempt(p, running[i], how) < 0) return HC_EPOLICY;
  }
  if (t != HC_NO_TASK && s->fits(v, t)) return s->start(p, t, NULL, 0);
  return 0;
}

static hc_rc requeuing(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)why;
  return newest_first(self, v, p, HC_STOP_REQUEUE);
}

static hc_rc killing(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)why;
  return newest_first(self, v, p, HC_STOP_KILL);
}

/* Each second what runs is stopped for the first task that waits. */
static hc_rc swapping(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_task t = head(self, v), *running;
  (void)why;
  if (t == HC_NO_TASK) return 0;
  if (s->running(v, &running) > 0 && s->preempt(p, running[0], HC_STOP_REQUEUE) < 0) return HC_EPOLICY;
  if (s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
  return s->wake(p, s->now(v) + HC_SECOND);
}

/* Starts the head twice, and lets the refusal be its own failure. */
static hc_rc twice(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_task t = head(self, v);
  (void)why;
  assert_int_equal(self->s->start(p, t, NULL, 0), 0);
  assert_false(self->s->waits(v, t));
  return self->s->start(p, t, NULL, 0);
}

/* Tries everything that cannot be, on an empty machine of four named processors and with a first task of
 * two. */
static hc_rc wrong(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  static const hc_range low = {0, 2}, same[] = {{2, 1}, {2, 1}}, crossing[] = {{2, 2}, {1, 1}},
                        beyond = {3, 2}, few = {2, 1}, many = {1, 3}, none = {2, 0};
  const hc_services *s = self->s;
  hc_task first = head(self, v), second;
  (void)why;
  if (first == HC_NO_TASK || s->now(v) > 0) return start_what_fits(self, v, p);
  assert_int_equal(s->start(p, first, &low, 1), 0);
  assert_int_equal(s->free_units(v), 2);
  second = head(self, v);
  assert_true(s->units(v, second) == 2);
  assert_int_equal(s->reserve(p, second, 50 * HC_SECOND), 0);
  assert_int_equal(s->start(p, first, NULL, 0), HC_EPOLICY);      /* it runs */
  assert_int_equal(s->start(p, second, &low, 1), HC_EPOLICY);     /* taken */
  assert_int_equal(s->start(p, second, same, 2), HC_EPOLICY);     /* one processor twice */
  assert_int_equal(s->start(p, second, crossing, 2), HC_EPOLICY); /* taken, and not ascending */
  assert_int_equal(s->start(p, second, &beyond, 1), HC_EPOLICY);  /* 4 does not exist */
  assert_int_equal(s->start(p, second, &few, 1), HC_EPOLICY);
  assert_int_equal(s->start(p, second, &many, 1), HC_EPOLICY);
  assert_int_equal(s->start(p, second, &none, 1), HC_EPOLICY);
  assert_int_equal(s->start(p, second, &none, 0), HC_EPOLICY); /* named, and no name */
  assert_int_equal(s->start(p, 12345, NULL, 0), HC_EPOLICY);
  assert_int_equal(s->start(p, HC_NO_TASK, NULL, 0), HC_EPOLICY);
  assert_int_equal(s->reserve(p, first, 10 * HC_SECOND), HC_EPOLICY); /* it does not wait */
  assert_int_equal(s->reserve(p, second, -1), HC_EPOLICY);
  assert_int_equal(s->reserve(p, second, HC_NEVER), HC_EPOLICY);
  assert_int_equal(s->preempt(p, second, HC_STOP_KILL), HC_EPOLICY);
  assert_int_equal(s->preempt(p, HC_NO_TASK, HC_STOP_KILL), HC_EPOLICY);
  assert_int_equal(s->reject(p, first, "it runs"), HC_EPOLICY);
  assert_int_equal(s->wake(p, -1), HC_EPOLICY);
  assert_int_equal(s->unreserve(p, HC_NO_TASK), 0);
  assert_int_equal(s->free_units(v), 2); /* and nothing has changed */
  assert_true(s->reserved(v, second) == 50 * HC_SECOND);
  assert_true(s->waits(v, second));
  assert_int_equal(s->queued(v), 1);
  assert_true(s->least_free(v, 50 * HC_SECOND, 51 * HC_SECOND) == 2); /* 4, less the promise of 2 */
  return s->start(p, second, (const hc_range[]){{2, 2}}, 1);
}

/* Names no parts and declares nothing: by submission, on the lowest processors, and no future to ask
 * (test_declares.c). */
static hc_rc plain(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_task t = head(self, v);
  (void)why;
  if (t == HC_NO_TASK) return 0;
  return start_what_fits(self, v, p);
}

POLICY(idle, NULL);
POLICY(spin, NULL);
POLICY(choosy, NULL);
POLICY(requeuing, plans);
POLICY(swapping, plans);
POLICY(killing, plans);
POLICY(twice, NULL);
POLICY(wrong, plans);
POLICY(plain, NULL);

static const hc_component *const own[] = {&spin_policy.component,      &choosy_policy.component,
                                          &requeuing_policy.component, &killing_policy.component,
                                          &swapping_policy.component,  &twice_policy.component,
                                          &wrong_policy.component,     &plain_policy.component,
                                          &idle_policy.component,      NULL};

/* ---- what becomes of their runs ---- */

static void assert_livelock(const char *yaml)
{
  static const job jobs[] = {J(1, 7, 10, 4, 10)};
  bench b;
  RUN(&b, yaml, 4, jobs);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ELIVELOCK);
  assert_non_null(strstr(b.error.text, "t=7 s"));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ELIVELOCK); /* it stays failed */
  end(&b);
}

static void test_livelock(void **state)
{
  (void)state;
  assert_livelock("policy: spin\nmax_rounds: 100\n");
  assert_livelock("policy: spin\nmax_rounds: 100\narchitecture: {use: monolithic, call: per_event}\n");
}

/* From 1 on tasks are stopped in turn, each second: the 101st stop is at 101, of task 1, which starts at even
 * seconds. A run that ends before is none the worse. */
static void test_endless_stops(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 0, 10, 4, 10)};
  bench b;
  (void)state;
  RUN(&b, "policy: swapping\nmax_rounds: 100\n", 4, jobs);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ELIVELOCK);
  assert_non_null(strstr(b.error.text, "t=101 s"));
  assert_non_null(strstr(b.error.text, "task 1 at"));
  end(&b);
  RUN(&b, "policy: swapping\nmax_rounds: 100\nuntil: 100s\n", 4, jobs);
  finish(&b);
  end(&b);
}

/* Saved, thrown away and restored, with its store: what was in vain so far goes on to count. */
static void cut(bench *b)
{
  hc_snapshot s;
  check(b, hc_run_snapshot(b->run, &s, &b->error));
  hc_run_free(b->run);
  hc_store_free(b->store);
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_restore(b->allocator, b->config, b->store, &s, &b->run, &b->error));
  hc_snapshot_free(b->allocator, &s);
}

static void test_endless_stops_in_pieces(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 0, 10, 4, 10)};
  bench b;
  (void)state;
  RUN(&b, "policy: swapping\nmax_rounds: 100\n", 4, jobs);
  for (hc_time at = 0; at < 100 * HC_SECOND; at += 7 * HC_SECOND) {
    assert_int_equal(hc_run_advance(b.run, at, 0, &b.error), 1);
    cut(&b);
  }
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_ELIVELOCK);
  assert_non_null(strstr(b.error.text, "t=101 s"));
  end(&b);
}

/* A host comes and goes for ever, and the task that waits is never started: a run ends after the
 * 11,000th change (10,000, and 1,000 for the host) since anything else happened. One that stops and is
 * saved on its way, before a change that it has seen coming, ends by the same change. */
static void test_endless_changes(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 10)};
  static const char yaml[] =
      "policy: idle\ncell: {use: hosts, classes: [{name: h, cpus: 4}]}\n"
      "events: {use: drawn, up_time: 1s, up_distribution: fixed, down_time: 1s, down_distribution: fixed}\n";
  hc_progress whole, pieces;
  bench b;
  (void)state;
  RUN(&b, yaml, 4, jobs);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
  hc_run_progress(b.run, &whole);
  assert_int_equal(whole.now, 11000 * HC_SECOND);
  end(&b);
  RUN(&b, yaml, 4, jobs);
  for (hc_time at = HC_SECOND / 2; at < 11000 * HC_SECOND; at += 550 * HC_SECOND) {
    for (int again = 0; again < 5; again++) assert_int_equal(hc_run_advance(b.run, at, 0, &b.error), 1);
    cut(&b);
  }
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
  hc_run_progress(b.run, &pieces);
  assert_int_equal(pieces.now, whole.now);
  assert_int_equal(pieces.instants, whole.instants);
  end(&b);
}

/* Task 2 is refused and has no times; the others do not notice. */
static void test_reject(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 1, 10, 3, 10), J(3, 2, 10, 2, 10)};
  bench b;
  (void)state;
  RUN(&b, "policy: choosy\n", 4, jobs);
  finish(&b);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_REJECTED);
  assert_int_equal(start_of(&b, 2), NEVER_STARTED);
  assert_true(record_of(&b, 2)->end == HC_UNKNOWN);
  assert_int_equal(start_of(&b, 3), 2);
  assert_int_equal(counted(&b, "finals", "rejected"), 1);
  end(&b);
}

/* Task 1 is stopped at 3 for task 2, waits until 8, and begins anew: 18. */
static void test_preempt_and_requeue(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5)};
  static const char *const yaml[] = {
      "policy: requeuing\nmetrics: [utilisation]\n",
      "policy: requeuing\nmetrics: [utilisation]\ncell: {use: intervals, procs: 4}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) {
    bench b;
    RUN(&b, yaml[i], 4, jobs);
    finish(&b);
    assert_int_equal(start_of(&b, 2), 3);
    assert_int_equal(end_of(&b, 2), 8);
    assert_int_equal(start_of(&b, 1), 8);
    assert_int_equal(end_of(&b, 1), 18);
    assert_int_equal(record_of(&b, 1)->final, HC_FINAL_COMPLETED);
    assert_int_equal(b.count, 2); /* one record a task, however often it started */
    end(&b);
  }
}

static void test_preempt_and_kill(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 3, 5, 4, 5)};
  hc_progress p;
  bench b;
  (void)state;
  RUN(&b, "policy: killing\n", 4, jobs);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  assert_int_equal(end_of(&b, 1), 3);
  assert_int_equal(start_of(&b, 2), 3);
  hc_run_progress(b.run, &p);
  assert_int_equal(p.ended, 2);
  end(&b);
}

/* A task that is past its expected end is stopped like any other, and its overdue units with it: later,
 * task 3 (limit 1) counts on no other any more. */
static void test_preempt_the_overdue(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 4, 2), J(2, 5, 5, 4, 5), J(3, 20, 4, 4, 1)};
  bench b;
  (void)state;
  RUN(&b, "policy: killing\noverrun: run_on\n", 4, jobs);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 5);
  assert_int_equal(end_of(&b, 2), 10);
  assert_int_equal(end_of(&b, 3), 24);
  end(&b);
}

static void test_policy_that_fails(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10)};
  bench b;
  (void)state;
  RUN(&b, "policy: twice\n", 4, jobs);
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EPOLICY);
  assert_string_equal(b.error.where, "twice");
  end(&b);
}

static void test_what_cannot_be(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 0, 10, 2, 10)};
  bench b;
  (void)state;
  RUN(&b, "policy: wrong\ncell: {use: intervals, procs: 4}\n", 4, jobs);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 0);
  end(&b);
}

static void test_policy_without_parts(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 1, 10, 2, 10), J(3, 2, 10, 1, 10)};
  static const char *const yaml[] = {"policy: plain\n", "policy: plain\ncell: {use: intervals, procs: 4}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(yaml); i++) {
    bench b;
    RUN(&b, yaml[i], 4, jobs);
    finish(&b);
    assert_int_equal(start_of(&b, 1), 0);
    assert_int_equal(start_of(&b, 2), 10);
    assert_int_equal(start_of(&b, 3), 2);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_livelock),
      cmocka_unit_test(test_endless_stops),
      cmocka_unit_test(test_endless_stops_in_pieces),
      cmocka_unit_test(test_endless_changes),
      cmocka_unit_test(test_reject),
      cmocka_unit_test(test_preempt_and_requeue),
      cmocka_unit_test(test_preempt_and_kill),
      cmocka_unit_test(test_preempt_the_overdue),
      cmocka_unit_test(test_policy_that_fails),
      cmocka_unit_test(test_what_cannot_be),
      cmocka_unit_test(test_policy_without_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
