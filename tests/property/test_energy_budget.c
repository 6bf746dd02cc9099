/* test_energy_budget.c -- a budget of energy that accrues over a period: it holds at every instant, whatever
 * runs, and what is promised is kept; by hand, and what is refused. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

#define TASKS 60
#define WATTS "power: {use: linear, idle: 10, peak: 110}\n"

static hc_draws draws;

static int64_t below(uint64_t n)
{
  return (int64_t)hc_random_below(&draws, n);
}

/* Four processors draw 40 W idle, and 100 W accrue. Task 1 would draw 440 W for 100 s: so it may start when
 * 60 W more than what is drawn have accrued to 34,000 J, at 566.67. Task 2, of one processor for 50 s, is
 * covered from 33.33 on, but would delay it: it starts when 2,000 J have accrued once more, at 700. */
static void test_by_hand(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 4, 100), J(2, 0, 50, 1, 50)};
  bench b;
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    begin(&b, WATTS "policy: {use: energy_budget, budget: 100000, period: 1000s}\nparanoid: true\n", 4, jobs,
          2, NULL);
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    const double first = (double)record_of(&b, 1)->start / 1e9,
                 second = (double)record_of(&b, 2)->start / 1e9;
    if (first < 34000 / 60.0 - 1e-6 || first > 34000 / 60.0 + 1e-6 || second < 700 - 1e-6 ||
        second > 700 + 1e-6)
      fail_msg("they start at %.9f and %.9f", first, second);
    end(&b);
  }
}

/* With a budget for all that there is it is EASY: start by start. */
static void make_jobs(job *jobs)
{
  int64_t submit = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    const int64_t run = 1 + below(60);
    submit += below(12);
    jobs[i] = (job)J(i + 1, submit, run, 1 + below(8), run + below(60));
  }
}

static void test_plenty_is_easy(void **state)
{
  (void)state;
  for (uint64_t k = 0; k < 10; k++) {
    static const char *const yaml[] = {WATTS "policy: {use: energy_budget, budget: 1e9, period: 1s}\n",
                                       WATTS "policy: {use: energy_budget, budget: 1e12, period: 1d}\n",
                                       "policy: easy\n"};
    hc_time starts[TASKS] = {0};
    job jobs[TASKS];
    draws = (hc_draws){.seed = k, .purpose = HC_PURPOSE_TEST};
    make_jobs(jobs);
    for (int i = 2; i >= 0; i--) {
      bench b;
      begin(&b, yaml[i], 8, jobs, TASKS, NULL);
      finish(&b);
      for (int t = 0; t < TASKS; t++) {
        if (i == 2) starts[t] = record_of(&b, t + 1)->start;
        assert_int_equal(record_of(&b, t + 1)->start, starts[t]);
      }
      end(&b);
    }
  }
}

typedef struct walk {
  double at, rate, over; /* W that accrue; the most that was drawn beyond what had accrued, J */
  double period;
} walk;

/* Rows of energy_trace: drawn by when, from the run's origin. Between them the draw is constant, so that
 * what is drawn beyond what accrues is most at one of them. */
static hc_rc look(void *ctx, const char *const *v)
{
  walk *w = ctx;
  if (strcmp(v[1], "energy_trace") != 0) return 0;
  if (strcmp(v[3], "at") == 0) w->at = strtod(v[5], NULL);
  if (strcmp(v[3], "energy") == 0 && w->at <= w->period)
    w->over = HC_MAX(w->over, strtod(v[5], NULL) - w->rate * w->at);
  return 0;
}

static void test_it_holds(void **state)
{
  uint64_t waited = 0;
  (void)state;
  for (uint64_t k = 0; k < hc_test_cases(40, 10); k++) {
    const double rate = 120 + (double)below(600);
    walk w = {.rate = rate, .period = 3000, .over = -1e9};
    job jobs[TASKS];
    char yaml[512];
    hc_result *r;
    bench b;
    draws = (hc_draws){.seed = k, .purpose = HC_PURPOSE_TEST};
    make_jobs(jobs);
    (void)snprintf(yaml, sizeof yaml,
                   WATTS
                   "policy: {use: energy_budget, budget: %.0f, period: 3000s, order: %s}\nparanoid: true\n"
                   "metrics: [{use: energy, trace: true}]\n",
                   rate * 3000, k % 2 ? "sjf" : "fcfs");
    begin(&b, yaml, 8, jobs, TASKS, NULL);
    if (k % 4 < 2) finish(&b);
    else finish_in_pieces(&b, 5);
    assert_int_equal(b.count, TASKS);
    for (size_t i = 0; i < b.count; i++) {
      assert_true(b.records[i].end != HC_UNKNOWN);
      waited += b.records[i].start > b.records[i].submit;
    }
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "cells", 6, look, &w, &b.error));
    hc_result_free(r);
    if (w.over > 1e-3) fail_msg("seed %" PRIu64 ": %.6f J more were drawn than had accrued", k, w.over);
    end(&b);
  }
  assert_true(waited > 100);
}

static void test_refused(void **state)
{
  static const char *const table[][2] = {
      {"policy: {use: energy_budget, budget: 1e6}\n", "nothing says what processors draw"},
      {WATTS "policy: energy_budget\n", "give `budget`"},
      {WATTS "policy: {use: energy_budget, budget: 1e9}\narchitecture: shared_state\n", "the only scheduler"},
      {WATTS "policy: {use: energy_budget, budget: 1e9}\narchitecture: {use: monolithic, think: 3s}\n",
       "neither `think`"},
      {WATTS "policy: {use: energy_budget, budget: 1e9}\n"
             "reservations: [{units: 2, users: [1], start: 30, end: 90}]\n",
       "knows nothing of advance reservations"},
      {WATTS "policy: {use: energy_budget, budget: 100, period: 10s}\n",
       "draw 80 W, and the budget accrues by 10 W"},
      {WATTS "policy: {use: energy_budget, budget: 1e6}\n"
             "cell: {use: hosts, classes: [{count: 4, name_prefix: a, cpus: 2}]}\n",
       "this cell has hosts"}};
  (void)state;
  assert_each_refused(table, COUNT(table), 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_plenty_is_easy),
                                     cmocka_unit_test(test_it_holds), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
