/* test_rates_ahead.c -- rates of running tasks change where ends are expected: EASY and conservative
 * backfilling, on counted and named processors and on hosts, at once and after a thought.
 *
 * The policy of this test is the batch policy, which decides after the rates have been set that a script
 * says are to be set now. Closed forms first; then random rates of random tasks, which must give one
 * schedule on every kind of cell, though what is to come is kept in three ways: a timeline of counts,
 * replays of expected ends, and hosts over time. */
#include "engine_test.h"
#include "verified.h"

#include "base/math.h"
#include "base/mem.h"

extern const hc_policy_type hc_policy_batch;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  hc_policy *batch;
};

typedef enum act { SET, SUSPEND, RESUME } act;

typedef struct step {
  double at; /* s */
  uint64_t task;
  act what;
  int64_t rate;
} step;

static const step *script;
static size_t script_count;
static uint64_t carried_out, refused;

static uint32_t flags(const void *options)
{
  return (hc_policy_batch.flags(options) | HC_SETS_RATES) & ~(uint32_t)HC_IGNORES_TIME;
}

static void parts(const void *options, hc_policy_parts *out)
{
  hc_policy_batch.parts(options, out);
}

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  (*out)->s = c->services;
  (*out)->allocator = c->allocator;
  return hc_policy_batch.init(c, options, &(*out)->batch, e);
}

static void fini(hc_policy *self)
{
  if (self->batch) hc_policy_batch.fini(self->batch);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return hc_policy_batch.visit(self->batch, v);
}

static hc_rc carry_out(hc_policy *self, hc_view *v, hc_plan *p, const step *x, bool *better)
{
  const hc_services *s = self->s;
  const hc_task t = s->find(v, x->task - 1);
  const int64_t was = s->rate(v, t);
  hc_rc rc = HC_EPOLICY;
  if (t == HC_NO_TASK) return 0;
  if (x->what == SET) rc = s->set_rate(p, t, x->rate);
  if (x->what == SUSPEND) rc = s->suspend(p, t);
  if (x->what == RESUME) rc = s->resume(p, t);
  carried_out += rc == 0;
  refused += rc == HC_EPOLICY;
  *better |= rc == 0 && (x->what == SUSPEND || (x->what == SET && x->rate > was));
  return rc == HC_EPOLICY ? 0 : rc;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_time now = self->s->now(v);
  hc_why also = *why;
  hc_rc rc = 0;
  for (size_t i = 0; i < script_count && rc >= 0; i++) {
    const hc_time at = (hc_time)(script[i].at * 1e9);
    if (at == now) rc = carry_out(self, v, p, &script[i], &also.early_end);
    else if (now == 0 && rc >= 0) rc = self->s->wake(p, at);
  }
  return rc < 0 ? rc : hc_policy_batch.decide(self->batch, v, p, &also);
}

static hc_policy_type drifting;
static const hc_component *own[] = {&drifting.component, NULL};

static const char *const cells[] = {"", "cell: {use: intervals, procs: %d}\n",
                                    "cell: {use: hosts, classes: [{name: a, cpus: %d}]}\n"};

static void begin_on(bench *b, size_t cell, const char *select, const char *more, int procs, const job *jobs,
                     size_t count, const step *steps, size_t step_count)
{
  char yaml[512], where[128];
  drifting = hc_policy_batch;
  drifting.component.name = "drifting";
  drifting.flags = flags;
  drifting.parts = parts;
  drifting.init = init;
  drifting.decide = decide;
  drifting.visit = visit;
  drifting.fini = fini;
  script = steps;
  script_count = step_count;
  (void)snprintf(where, sizeof where, cells[cell], procs);
  (void)snprintf(yaml, sizeof yaml, "policy: {use: drifting, select: %s}\nparanoid: true\n%s%s", select,
                 where, more);
  begin(b, yaml, procs, jobs, count, own);
}

static void assert_times(const char *select, const char *more, const job *jobs, size_t count,
                         const step *steps, size_t step_count, const int64_t (*times)[2])
{
  for (size_t k = 0; k < COUNT(cells); k++) {
    bench b;
    begin_on(&b, k, select, more, 4, jobs, count, steps, step_count);
    finish_in_pieces(&b, 1); /* saved and restored at every instant */
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s, cell %zu, task %zu: %" PRId64 " to %" PRId64, select, k, i + 1,
                 start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1));
    assert_records_hold(&b, 4);
    end(&b);
  }
}
#define TIMES(select, more, jobs, steps, ...) \
  assert_times(select, more, jobs, COUNT(jobs), steps, COUNT(steps), (const int64_t[][2]){__VA_ARGS__})

/* 2 is promised 10, when 1 ends. From 4 on 1 works at half its rate: 6 of work take until 16, and so does
 * the promise, so that 3, which would be there until 14, may start at 5. At twice its rate 1 ends at 7, and
 * 3 may not. */
static void test_shadow(void **state)
{
  static const job slower[] = {J(1, 0, 10, 3, 10), J(2, 1, 10, 4, 10), J(3, 5, 9, 1, 9)};
  static const job faster[] = {J(1, 0, 10, 3, 10), J(2, 1, 10, 4, 10), J(3, 5, 3, 1, 3)};
  static const step half[] = {{4, 1, SET, HC_RATE_ONE / 2}}, twice[] = {{4, 1, SET, HC_RATE_ONE * 2}};
  (void)state;
  TIMES("easy", "", slower, half, {0, 16}, {16, 26}, {5, 14});
  TIMES("easy", "", faster, twice, {0, 7}, {7, 17}, {17, 20});
  TIMES("{use: easy, depth: 2}", "", slower, half, {0, 16}, {16, 26}, {5, 14});
  TIMES("{use: easy, reserve: hosts}", "", slower, half, {0, 16}, {16, 26}, {5, 14});
}

/* The promise of 2, for 10, cannot be kept once 1 ends at 16, and is renewed. If all is planned anew, so is
 * that of 3, for 20; if promises never move back (compress), it is kept, and 2 is promised the first 10 s
 * that are left. */
static void test_renewed(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 4, 10), J(3, 2, 5, 4, 5)};
  static const step half[] = {{4, 1, SET, HC_RATE_ONE / 2}}, twice[] = {{4, 1, SET, HC_RATE_ONE * 2}};
  (void)state;
  TIMES("conservative", "", jobs, half, {0, 16}, {16, 26}, {26, 31});
  TIMES("{use: conservative, replan: always}", "", jobs, half, {0, 16}, {16, 26}, {26, 31});
  TIMES("{use: conservative, replan: compress}", "", jobs, half, {0, 16}, {25, 35}, {20, 25});
  TIMES("conservative", "", jobs, twice, {0, 7}, {7, 17}, {17, 22});
  TIMES("{use: conservative, replan: always}", "", jobs, twice, {0, 7}, {7, 17}, {17, 22});
  TIMES("{use: conservative, replan: compress}", "", jobs, twice, {0, 7}, {7, 17}, {17, 22});
}

/* 2 is there until 20. The promise of 3, for 10, is in the way of 1; that of 4, for 20, is not, and is
 * kept. */
static void test_kept(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 0, 20, 2, 20), J(3, 1, 10, 2, 10), J(4, 2, 6, 2, 6)};
  static const step half[] = {{4, 1, SET, HC_RATE_ONE / 2}};
  (void)state;
  TIMES("conservative", "", jobs, half, {0, 16}, {0, 20}, {16, 26}, {20, 26});
  TIMES("{use: conservative, replan: none}", "", jobs, half, {0, 16}, {0, 20}, {16, 26}, {20, 26});
}

/* What 1 gives back while it is suspended is there to be planned; it goes on where that leaves room: [0,4)
 * [7,13). */
static void test_suspended(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 2, 4, 2), J(3, 8, 1, 4, 1)};
  static const step steps[] = {{4, 1, SUSPEND, 0}, {7, 1, RESUME, 0}};
  (void)state;
  TIMES("easy", "", jobs, steps, {0, 13}, {4, 6}, {13, 14});
  TIMES("conservative", "", jobs, steps, {0, 13}, {4, 6}, {13, 14});
}

/* It is believed to run for 5 s and runs for 10. At half its rate from 2 on it is expected to end at 8, from
 * when on it may end any moment, at every rate: 8 are done at 14, 9 at 15, and from 17 on the last. */
static void test_overdue(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 5), J(2, 1, 10, 4, 10)};
  static const step steps[] = {
      {2, 1, SET, HC_RATE_ONE / 2}, {14, 1, SET, HC_RATE_ONE}, {15, 1, SUSPEND, 0},
      {15, 1, RESUME, 0},           {15, 1, SET, 0},           {17, 1, SET, HC_RATE_ONE}};
  (void)state;
  TIMES("easy", "overrun: run_on\n", jobs, steps, {0, 18}, {18, 28});
  TIMES("conservative", "overrun: run_on\n", jobs, steps, {0, 18}, {18, 28});
}

/* Everything happens 2 s later: 1 works at half its rate from 6 on, when it has done 4, so that it ends at
 * 18. The change that is decided at 17 finds it gone at 19: a conflict, after which EASY decides anew, and 2
 * starts at 21. Under conservative 2 was promised 20 at 4, when 1 was to end then; at 20 the thought that
 * the conflict began is not over, and at 21 it is started. */
static void test_thought(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 4, 10)};
  static const step steps[] = {{4, 1, SET, HC_RATE_ONE / 2}, {17, 1, SET, HC_RATE_ONE / 4}};
  static const char *const think = "architecture: {use: monolithic, think: 2s}\n";
  (void)state;
  TIMES("easy", think, jobs, steps, {2, 18}, {21, 31});
  TIMES("conservative", think, jobs, steps, {2, 18}, {23, 33});
}

/* ---- at random ---- */

enum { JOBS = 40, STEPS = 300, PROCS = 8 };

static void make(hc_draws *d, bool suspends, job *jobs, step *steps)
{
  static const int64_t rates[] = {0,           HC_RATE_ONE / 3, HC_RATE_ONE / 2,
                                  HC_RATE_ONE, HC_RATE_ONE * 2, 12345678901};
  int64_t at = 0;
  for (int i = 0; i < JOBS; i++) {
    const int64_t run = 1 + (int64_t)hc_random_below(d, 40);
    at += i == 0 ? 0 : (int64_t)hc_random_below(d, 9);
    jobs[i] =
        (job)J(i + 1, at, run, 1 + (int64_t)hc_random_below(d, PROCS), run + (int64_t)hc_random_below(d, 20));
  }
  for (int i = 0; i < STEPS; i++)
    steps[i] = (step){1 + (double)hc_random_below(d, 900), 1 + hc_random_below(d, JOBS),
                      suspends ? (act)hc_random_below(d, 3) : SET, rates[hc_random_below(d, COUNT(rates))]};
  for (int i = 0; i < JOBS * 2; i++) /* in the end all go on */
    steps[STEPS + i] =
        (step){2000 + 300 * (double)(i / 2), 1 + (uint64_t)(i / 2), i % 2 ? SET : RESUME, HC_RATE_ONE};
}

/* Processors with names are left out where a task is suspended: it wants its own back. A thought is left out
 * on hosts: what is to be promised there is looked at again when it is over, a count is not. There the
 * schedules are verified only. */
static void compare(const char *select, bool suspends, bool thinks, const job *jobs, const step *steps,
                    uint64_t seed)
{
  const char *const more = thinks ? "architecture: {use: monolithic, think: 1500ms}\n" : "";
  hc_time first[JOBS][2];
  for (size_t k = 0; k < COUNT(cells); k++) {
    const bool is_like = k == 0 || (k == 1 ? !suspends : !thinks);
    bench b;
    begin_on(&b, k, select, more, PROCS, jobs, JOBS, steps, STEPS + JOBS * 2);
    finish(&b);
    for (int i = 0; i < JOBS && is_like; i++) {
      const hc_task_record *r = record_of(&b, i + 1);
      if (k == 0) first[i][0] = r->start, first[i][1] = r->end;
      if (first[i][0] != r->start || first[i][1] != r->end)
        fail_msg("seed %" PRIu64 ", %s, cell %zu, task %d: %" PRId64 " to %" PRId64 ", not %" PRId64
                 " to %" PRId64,
                 seed, select, k, i + 1, r->start, r->end, first[i][0], first[i][1]);
    }
    assert_records_hold(&b, PROCS);
    end(&b);
  }
}

static void test_cells_agree(void **state)
{
  static const char *const selects[] = {"conservative", "{use: conservative, replan: compress}", "easy"};
  static job jobs[JOBS];
  static step steps[STEPS + JOBS * 2];
  (void)state;
  carried_out = refused = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    const bool suspends = seed % 2;
    hc_draws d = {seed, 0, 0, 0, 0};
    make(&d, suspends, jobs, steps);
    for (size_t i = 0; i < COUNT(selects); i++) compare(selects[i], suspends, false, jobs, steps, seed);
    compare(selects[seed % 3], suspends, true, jobs, steps, seed);
  }
  assert_in_range(carried_out, 500, UINT64_MAX);
  assert_in_range(refused, 100, UINT64_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shadow),      cmocka_unit_test(test_renewed), cmocka_unit_test(test_kept),
      cmocka_unit_test(test_suspended),   cmocka_unit_test(test_overdue), cmocka_unit_test(test_thought),
      cmocka_unit_test(test_cells_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
