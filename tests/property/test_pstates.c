/* test_pstates.c -- states of power that plans set: work is conserved whatever happens to hosts and tasks,
 * the cap that `capped` keeps holds at every instant, and what cannot be is refused.
 *
 * A policy of this test's own puts hosts into states at random, suspends tasks and lets them go on, and
 * switches hosts, while hosts fail. A walk that shares nothing with the engine then reads the result: of
 * each task's last attempt, piece by piece between rows of any kind, the speed of its slowest host x the
 * time in which it held anything must come to its run time. */
#include "../unit/engine/engine_test.h"
#include "../unit/engine/own_policy.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

#define HOSTS 6
#define TASKS 50
#define ROWS 20000

/* ---- the policy ---- */

static hc_draws draws;
static hc_task asleep[TASKS];
static size_t asleep_count;
static uint64_t suspended, resumed, changed;
static hc_time armed;

static uint64_t below(uint64_t n)
{
  return hc_random_below(&draws, n);
}

static uint32_t flags(const void *options)
{
  (void)options;
  return HC_MAY_POWER | HC_SETS_RATES | HC_SETS_PSTATES | HC_IGNORES_TIME;
}

/* One that has lost its host meanwhile waits again, and is suspended no more. */
static hc_rc wake_some(const hc_services *s, hc_view *v, hc_plan *p)
{
  for (size_t i = 0; i < asleep_count;) {
    const bool is_asleep = s->rate(v, asleep[i]) == 0;
    const hc_rc rc = is_asleep && below(2) == 0 ? s->resume(p, asleep[i]) : HC_EPOLICY;
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    resumed += rc == 0;
    if (rc == 0 || !is_asleep) asleep[i] = asleep[--asleep_count];
    else i++;
  }
  return 0;
}

static hc_rc suspend_one(const hc_services *s, hc_view *v, hc_plan *p)
{
  const hc_task *running;
  const size_t n = s->running(v, &running);
  if (n == 0 || asleep_count == TASKS) return 0;
  const hc_task t = running[below(n)];
  const hc_rc rc = s->rate(v, t) > 0 ? s->suspend(p, t) : HC_EPOLICY;
  if (rc == 0) asleep[asleep_count++] = t;
  suspended += rc == 0;
  return rc == HC_EPOLICY ? 0 : rc;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const bool is_late = s->now(v) > 3000 * HC_SECOND;
  hc_cursor at = {0};
  hc_task t;
  (void)why;
  if (wake_some(s, v, p) < 0) return HC_EPOLICY;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (s->fits(v, t) && s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
  for (uint32_t h = 0; h < HOSTS; h++) {
    const uint32_t state = (uint32_t)below(3);
    if (below(3) == 0) {
      if (s->pstate(p, h, state) < 0 || s->pstate_of(v, h) != state) return HC_EPOLICY;
      changed++;
    }
    if (is_late || below(4) == 0) (void)s->power(p, h, true, 7 * HC_SECOND);
    else if (below(8) == 0) (void)s->power(p, h, false, 3 * HC_SECOND);
  }
  if (s->pstate(p, 0, 3) != HC_EPOLICY || s->pstate(p, HOSTS, 0) != HC_EPOLICY) return HC_EPOLICY;
  if (!is_late && below(3) == 0 && suspend_one(s, v, p) < 0) return HC_EPOLICY;
  if (asleep_count + (size_t)s->queued(v) == 0 || armed > s->now(v)) return 0;
  armed = s->now(v) + 11 * HC_SECOND;
  return s->wake(p, armed);
}

static const hc_policy_type changing = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                      .name = "changing", .summary = "of a test"},
                                        .flags = flags,
                                        .init = init,
                                        .decide = decide,
                                        .fini = fini};

/* ---- the walk ---- */

typedef struct row {
  int64_t at, who, what; /* ns; host or task; code of power or whether it holds */
} row;

typedef struct rows {
  row items[ROWS];
  size_t count;
} rows;

static rows power, held, grants;

static hc_rc add(rows *r, int64_t at, int64_t who, int64_t what)
{
  assert_true(r->count < ROWS);
  r->items[r->count++] = (row){at, who, what};
  return 0;
}

static int64_t number(const char *text)
{
  return text ? strtoll(text, NULL, 10) : 0;
}

static hc_rc add_power(void *ctx, const char *const *v)
{
  const int64_t code = number(v[2]);
  (void)ctx;
  return code >= 4 ? add(&power, number(v[0]), number(v[1]), code / 4 - 1) : 0;
}

static hc_rc add_held(void *ctx, const char *const *v)
{
  (void)ctx;
  return add(&held, number(v[1]), number(v[0]), number(v[3]));
}

static hc_rc add_grant(void *ctx, const char *const *v)
{
  (void)ctx;
  return add(&grants, 0, number(v[0]), number(v[1]));
}

/* The last row about it that is not later. */
static int64_t last(const rows *r, int64_t who, int64_t at, int64_t from, int64_t otherwise)
{
  int64_t value = otherwise;
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].who == who && r->items[i].at <= at && r->items[i].at >= from) value = r->items[i].what;
  return value;
}

static int64_t next_change(int64_t after, int64_t end)
{
  int64_t next = end;
  for (size_t i = 0; i < power.count; i++)
    if (power.items[i].at > after) next = HC_MIN(next, power.items[i].at);
  for (size_t i = 0; i < held.count; i++)
    if (held.items[i].at > after) next = HC_MIN(next, held.items[i].at);
  return next;
}

static double work_of(const hc_task_record *t)
{
  static const double speeds[] = {1, 0.5, 0.25};
  double work = 0;
  for (int64_t at = t->start, to; at < t->end; at = to) {
    double least = 1;
    to = next_change(at, t->end);
    for (size_t i = 0; i < grants.count; i++)
      if (grants.items[i].who == t->serial)
        least = HC_MIN(least, speeds[last(&power, grants.items[i].what, at, INT64_MIN, 0)]);
    if (last(&held, t->serial, at, t->start, 1) == 1) work += least * (double)(to - at);
  }
  return work;
}

#define CELL "cell: {use: hosts, classes: [{count: 6, name_prefix: a, cpus: 2}]}\n"
#define STATES "power: {use: states, idle: [100, 90, 80], peak: [200, 150, 120], speeds: [1, 0.5, 0.25]}\n"
#define FAILS \
  "host_loss: requeue\nevents: {use: list, changes: [{at: 100.5s, hosts: a-2, change: down, until: 150s}, " \
  "{at: 300s, hosts: a-4, change: down, until: 420.25s}]}\n"

static void read_rows(bench *b)
{
  hc_result *r;
  power.count = held.count = grants.count = 0;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "power", 3, add_power, NULL, &b->error));
  check(b, hc_result_rows(r, "rates", 4, add_held, NULL, &b->error));
  check(b, hc_result_rows(r, "grants", 12, add_grant, NULL, &b->error));
  hc_result_free(r);
}

static void tell(void *ctx, const hc_violation *v)
{
  (void)ctx;
  print_message("%s at %.9f s: task %" PRId64 ": %s\n", v->rule, (double)v->at / 1e9, v->id, v->text);
}

static void assert_verified(bench *b)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_verify_result(b->allocator, r, &q, tell, NULL, &report, &b->error));
  hc_result_free(r);
}

static void make_jobs(job *jobs)
{
  int64_t submit = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    submit += (int64_t)below(25);
    jobs[i] = (job)J(i + 1, submit, 1 + (int64_t)below(60), 1 + (int64_t)below(6), 100);
  }
}

static void test_work_is_conserved(void **state)
{
  static const hc_component *const own[] = {&changing.component, NULL};
  uint64_t slow = 0;
  (void)state;
  for (uint64_t k = 0; k < hc_test_cases(24, 4); k++) {
    job jobs[TASKS];
    bench b;
    draws = (hc_draws){.seed = k, .purpose = HC_PURPOSE_TEST};
    asleep_count = suspended = resumed = changed = 0;
    armed = 0;
    make_jobs(jobs);
    begin(&b, CELL STATES FAILS "policy: changing\nparanoid: true\n", 12, jobs, TASKS, own);
    finish(&b);
    read_rows(&b);
    assert_int_equal(b.count, TASKS);
    for (size_t i = 0; i < b.count; i++) {
      const hc_task_record *t = &b.records[i];
      const double run = (double)jobs[t->id - 1].run * 1e9, work = work_of(t);
      assert_true(t->end != HC_UNKNOWN);
      if (work < run - 20 || work > run + 20) /* a whole ns at each change */
        fail_msg("seed %" PRIu64 ": task %" PRId64 " did %.3f ns of %.3f", k, t->id, work, run);
      slow += t->end - t->start > (int64_t)run;
    }
    assert_true(changed > 50 && suspended > 3 && resumed > 3);
    assert_verified(&b);
    end(&b);
  }
  assert_true(slow > 50); /* it was not idle */
}

/* ---- a cap ---- */

/* Six hosts of two cores draw 600 W idle, and may draw 900. Fast ones draw 200, and the slow 150 and
 * 120, so that tasks wait, or are slowed; hosts fail and come back meanwhile. */
static void test_cap_holds(void **state)
{
  uint64_t slow = 0, full = 0;
  (void)state;
  for (uint64_t k = 0; k < 40; k++) {
    job jobs[TASKS];
    bench b;
    char yaml[768];
    draws = (hc_draws){.seed = k, .purpose = HC_PURPOSE_TEST};
    make_jobs(jobs);
    (void)snprintf(yaml, sizeof yaml,
                   CELL STATES FAILS "paranoid: true\nmetrics: [energy]\n"
                                     "policy: {select: {use: capped, watts: 900, slow: %s, pass: %s}}\n",
                   k % 2 ? "true" : "false", k % 4 < 2 ? "true" : "false");
    begin(&b, yaml, 12, jobs, TASKS, NULL);
    if (k % 8 < 4) finish(&b);
    else finish_in_pieces(&b, 7);
    assert_int_equal(b.count, TASKS);
    for (size_t i = 0; i < b.count; i++) {
      const hc_task_record *t = &b.records[i];
      slow += t->end - t->start > jobs[t->id - 1].run * HC_SECOND;
    }
    if (figure(&b, "power_max") > 900 + 1e-6)
      fail_msg("seed %" PRIu64 ": %.6f W", k, figure(&b, "power_max"));
    full += figure(&b, "power_max") > 890;
    assert_verified(&b);
    end(&b);
  }
  assert_true(slow > 50 && full > 20); /* some were slowed, and the cap was used */
}

/* Two hosts of one core draw 200 W, and 300 with one task, of 350. The second task starts at half its
 * speed, at 50 W more, and ends at 20. With the third at 30 the hosts are fast again. Where it may not
 * be slow, the second waits until 10. Power is 350 at most, or 300. */
static void test_closed_form(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 100), J(2, 0, 10, 1, 100), J(3, 30, 10, 1, 100)};
  static const char cell[] = "cell: {use: hosts, classes: [{count: 2, name_prefix: a, cpus: 1}]}\n"
                             "power: {use: states, idle: [100, 100], peak: [200, 150], speeds: [1, 0.5]}\n"
                             "paranoid: true\nmetrics: [energy]\n";
  (void)state;
  for (int slow = 0; slow < 2; slow++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml, "%spolicy: {select: {use: capped, watts: 350, slow: %s}}\n", cell,
                   slow ? "true" : "false");
    begin(&b, yaml, 2, jobs, COUNT(jobs), NULL);
    finish_in_pieces(&b, 1);
    assert_int_equal(record_of(&b, 2)->start, slow ? 0 : 10 * HC_SECOND);
    assert_int_equal(record_of(&b, 2)->end, 20 * HC_SECOND);
    assert_int_equal(record_of(&b, 3)->end, 40 * HC_SECOND);
    assert_true(figure(&b, "power_max") == (slow ? 350 : 300));
    assert_true(figure(&b, "energy") == 200 * 40 + 100 * 10 + (slow ? 50 * 20 : 100 * 10) + 100 * 10);
    assert_verified(&b);
    end(&b);
  }
}

/* The same schedule on a platform of SimGrid whose hosts have a speed and a draw for each state. The
 * third is the way to sleep, and no state to compute in: where the second would break the cap the task
 * waits. */
static void test_simgrid(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 100), J(2, 0, 10, 1, 100), J(3, 30, 10, 1, 100)};
  static const char platform[] =
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"None\">"
      "<cluster id=\"c\" prefix=\"a\" suffix=\"\" radical=\"0-1\" speed=\"100Mf, 50Mf, 1f\" bw=\"1GBps\" "
      "lat=\"0ms\"><prop id=\"wattage_per_state\" value=\"100:100:200, 100:100:150, 100:100:101\"/>"
      "<prop id=\"sleep_pstates\" value=\"2\"/></cluster></zone></platform>\n";
  char path[64];
  (void)state;
  write_log(path, platform, sizeof platform - 1);
  for (int low = 0; low < 2; low++) {
    char yaml[512];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "cell: {use: simgrid, file: %s}\npower: simgrid\nparanoid: true\nmetrics: [energy]\n"
                   "policy: {select: {use: capped, watts: %d}}\n",
                   path, low ? 340 : 350);
    begin(&b, yaml, 2, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_int_equal(record_of(&b, 2)->start, low ? 10 * HC_SECOND : 0);
    assert_int_equal(record_of(&b, 2)->end, 20 * HC_SECOND);
    assert_true(figure(&b, "power_max") == (low ? 300 : 350));
    assert_true(figure(&b, "energy") == 200 * 40 + 100 * 10 + (low ? 100 * 10 : 50 * 20) + 100 * 10);
    end(&b);
  }
  (void)unlink(path);
}

static void test_refused(void **state)
{
  static const char *const table[][2] = {
      {"policy: {select: {use: capped, watts: 900}}\n" STATES, "this cell has none"},
      {"policy: {select: {use: capped, watts: 900, slow: false}}\n" CELL, "nothing says what hosts draw"},
      {"policy: {select: {use: capped, watts: 900}}\n" CELL, "nothing says what they draw"},
      {"policy: {preempt: priority, select: {use: capped, watts: 900}}\n" CELL STATES, "leave `preempt` out"},
      {"policy: {select: {use: capped, watts: 900, slow: false}}\narchitecture: shared_state\n" CELL STATES,
       "use the architecture monolithic"},
      {"policy: {select: {use: capped, watts: 599}}\n" CELL STATES, "draw 600 W when all are idle"},
      {"policy: {select: {use: capped, watts: 900}}\nexecution: {use: activities, cpu_speed: 1}\n" CELL
           STATES,
       "`execution` says it of each of their activities"},
      {"power: {use: states, idle: [100, 90], peak: [200, 150], speeds: [1]}\n" CELL,
       "both take one for each state"},
      {"power: {use: states, idle: [100, 90], peak: [200, 150], speeds: [0.5, 1]}\n" CELL,
       "the speed of state 0 must be 1, and it is 0.5"},
      {"power: {use: states, idle: [100, 90], peak: [200, 80], speeds: [1, 0.5]}\n" CELL,
       "only a table that was measured may fall"}};
  (void)state;
  assert_each_refused(table, COUNT(table), 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_is_conserved),
                                     cmocka_unit_test(test_cap_holds), cmocka_unit_test(test_closed_form),
                                     cmocka_unit_test(test_simgrid), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
