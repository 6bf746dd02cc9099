/* test_caps.c -- caps of the machine, of parts of it and of users, several at once: none is exceeded at
 * any instant, by a walk over the records that shares nothing with the engine; by hand; and what is
 * refused. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

#define HOSTS 6
#define TASKS 50
#define USERS 3
#define ROWS 4000

static hc_draws draws;

static int64_t below(uint64_t n)
{
  return (int64_t)hc_random_below(&draws, n);
}

/* ---- the walk ---- */

typedef struct row {
  int64_t at, who, what, slots; /* a state of a host; a grant: task, host, cores */
} row;
static row states[ROWS], grants[ROWS];
static size_t state_count, grant_count;

static hc_rc add_state(void *ctx, const char *const *v)
{
  const int64_t code = atoll(v[2]);
  (void)ctx;
  assert_true(state_count < ROWS);
  if (code >= 4) states[state_count++] = (row){.at = atoll(v[0]), .who = atoll(v[1]), .what = code / 4 - 1};
  return 0;
}

static hc_rc add_grant(void *ctx, const char *const *v)
{
  (void)ctx;
  assert_true(grant_count < ROWS);
  grants[grant_count++] = (row){.who = atoll(v[0]), .what = atoll(v[1]), .slots = atoll(v[2])};
  return 0;
}

static void read_rows(bench *b)
{
  hc_result *r;
  state_count = grant_count = 0;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "power", 3, add_state, NULL, &b->error));
  check(b, hc_result_rows(r, "grants", 12, add_grant, NULL, &b->error));
  hc_result_free(r);
}

static const double idle[] = {100, 90, 80}, peak[] = {200, 150, 120};

static size_t state_of(int64_t host, int64_t at)
{
  size_t state = 0;
  for (size_t i = 0; i < state_count; i++)
    if (states[i].who == host && states[i].at <= at) state = (size_t)states[i].what;
  return state;
}

static bool runs_at(const hc_task_record *t, int64_t at)
{
  return t->start <= at && at < t->end;
}

/* What each host draws, and what each user adds, from this time on. */
static void draw_at(const bench *b, int64_t at, double *hosts, double *users)
{
  for (int64_t h = 0; h < HOSTS; h++) hosts[h] = idle[state_of(h, at)];
  for (int u = 0; u <= USERS; u++) users[u] = 0;
  for (size_t i = 0; i < b->count; i++)
    for (size_t g = 0; g < grant_count && runs_at(&b->records[i], at); g++) {
      if (grants[g].who != (int64_t)b->records[i].serial) continue;
      const size_t k = state_of(grants[g].what, at);
      const double more = (peak[k] - idle[k]) * (double)grants[g].slots / 2;
      hosts[grants[g].what] += more;
      users[b->records[i].user] += more;
    }
}

typedef struct most {
  double all, racks[2], users[USERS + 1];
} most;

static void look(const bench *b, int64_t at, most *m)
{
  double hosts[HOSTS], users[USERS + 1], racks[2] = {0};
  draw_at(b, at, hosts, users);
  for (int h = 0; h < HOSTS; h++) racks[h / 3] += hosts[h];
  for (int r = 0; r < 2; r++) m->racks[r] = HC_MAX(m->racks[r], racks[r]);
  for (int u = 0; u <= USERS; u++) m->users[u] = HC_MAX(m->users[u], users[u]);
  m->all = HC_MAX(m->all, racks[0] + racks[1]);
}

/* Draw changes at a start, an end, or a change of state, and at no other time. */
static most walk(bench *b)
{
  most m = {0};
  read_rows(b);
  for (size_t i = 0; i < b->count; i++) {
    look(b, b->records[i].start, &m);
    look(b, b->records[i].end, &m);
  }
  for (size_t i = 0; i < state_count; i++) look(b, states[i].at, &m);
  return m;
}

#define CELL \
  "cell: {use: hosts, zones: [{name: rack, size: 3}], classes: [{count: 6, name_prefix: a, cpus: 2}]}\n"
#define STATES "power: {use: states, idle: [100, 90, 80], peak: [200, 150, 120], speeds: [1, 0.5, 0.25]}\n"

/* Racks of three hosts draw 300 W idle: the first may draw 480, the second 420, both 860; each user adds
 * up to 200 W, and user 2 up to 120. What may not be slowed down is small enough for these. */
static void test_all_hold(void **state)
{
  uint64_t slow = 0, full[4] = {0};
  (void)state;
  for (uint64_t k = 0; k < hc_test_cases(48, 16); k++) {
    job jobs[TASKS];
    int64_t submit = 0;
    char yaml[768];
    bench b;
    draws = (hc_draws){.seed = k, .purpose = HC_PURPOSE_TEST};
    for (int64_t i = 0; i < TASKS; i++) {
      submit += below(25);
      jobs[i] = (job)J_WITH(i + 1, submit, 1 + below(60), 1 + below(k % 4 == 3 ? 2 : 4), 100,
                            .user = 1 + below(USERS));
    }
    (void)snprintf(yaml, sizeof yaml,
                   CELL STATES
                   "paranoid: true\nmetrics: [energy]\npolicy: {select: {use: capped, watts: 860, hosts: ["
                   "rack-0=480, \"a-[3-5]=420\"], users: [\"*=200\", \"2=120\"], slow: %s, raise: %s}}\n",
                   k % 4 == 3 ? "false" : "true", k % 2 == 0 ? "true" : "false");
    begin(&b, yaml, 12, jobs, TASKS, NULL);
    if (k % 8 < 4) finish(&b);
    else finish_in_pieces(&b, 7);
    assert_int_equal(b.count, TASKS);
    for (size_t i = 0; i < b.count; i++) {
      assert_true(b.records[i].end != HC_UNKNOWN);
      slow += b.records[i].end - b.records[i].start > jobs[b.records[i].id - 1].run * HC_SECOND;
    }
    const most m = walk(&b);
    if (m.all > 860 + 1e-6 || m.racks[0] > 480 + 1e-6 || m.racks[1] > 420 + 1e-6 || m.users[1] > 200 + 1e-6 ||
        m.users[2] > 120 + 1e-6 || m.users[3] > 200 + 1e-6)
      fail_msg("seed %" PRIu64 ": %g W; racks %g, %g; users %g, %g, %g", k, m.all, m.racks[0], m.racks[1],
               m.users[1], m.users[2], m.users[3]);
    full[0] += m.all > 800;
    full[1] += m.racks[0] > 440;
    full[2] += m.racks[1] > 390;
    full[3] += m.users[2] > 100;
    end(&b);
  }
  assert_true(slow > 50); /* and each of the caps was in the way */
  for (int i = 0; i < 4; i++) assert_true(full[i] > 5);
}

/* ---- by hand ---- */

/* Two hosts of one core draw 200 W idle, and 300 with one task, of 350. The second task starts at half
 * its speed and has done 5 s of 10 when the first ends: it is put to its full speed and ends at 15. In
 * all 350 x 10 + 300 x 5 + 200 x 15 + 300 x 10. */
static void test_raised(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 100), J(2, 0, 10, 1, 100), J(3, 30, 10, 1, 100)};
  bench b;
  (void)state;
  begin(
      &b,
      "cell: {use: hosts, classes: [{count: 2, name_prefix: a, cpus: 1}]}\nparanoid: true\nmetrics: "
      "[energy]\npower: {use: states, idle: [100, 100], peak: [200, 150], speeds: [1, 0.5]}\npolicy: "
      "{select: {use: capped, watts: 350, raise: true}}\n",
      2, jobs, COUNT(jobs), NULL);
  finish_in_pieces(&b, 1);
  assert_int_equal(record_of(&b, 2)->start, 0);
  assert_int_equal(record_of(&b, 2)->end, 15 * HC_SECOND);
  assert_int_equal(record_of(&b, 3)->end, 40 * HC_SECOND);
  assert_true(figure(&b, "power_max") == 350);
  assert_true(figure(&b, "energy") == 350 * 10 + 300 * 5 + 200 * 15 + 300 * 10);
  end(&b);
}

/* A task adds 100 W. User 1 may add 100: its second task waits for the first, and that of user 2 does
 * not. Where queue 1 may add 100 all wait for each other, and where group 1 may the third goes first.
 * Where a host may add nothing they are on the two others. */
static void test_owners(void **state)
{
  static const job jobs[] = {J_WITH(1, 0, 10, 1, 100, .user = 1, .group = 1),
                             J_WITH(2, 0, 10, 1, 100, .user = 1, .group = 1),
                             J_WITH(3, 0, 10, 1, 100, .user = 2, .group = 2)};
  static const struct {
    const char *cap;
    int64_t starts[3];
  } table[] = {{"users: [\"1=100\"]", {0, 10, 0}},
               {"users: [\"*=100\"]", {0, 10, 0}},
               {"users: [\"2=50\", \"*=1000\"]", {0, 0, -1}},
               {"groups: [\"1=150\"]", {0, 10, 0}},
               {"queues: [\"1=199\"]", {0, 10, 20}},
               {"queues: [\"1=200\"]", {0, 0, 10}},
               {"hosts: [\"a-[0,2]=300\"]", {0, 0, 10}}, /* one on these, one on the other */
               {"hosts: [\"a=500\"]", {0, 0, 10}},
               {"hosts: [\"a-[0]=150\"]", {0, 0, 10}}};
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    char yaml[512];
    bench b;
    (void)snprintf(
        yaml, sizeof yaml,
        "cell: {use: hosts, classes: [{count: 3, name_prefix: a, cpus: 1}]}\nparanoid: true\nsource: "
        "{use: swf, file: FILE}\npower: {use: linear, idle: 100, peak: 200}\npolicy: {select: {use: "
        "capped, %s}}\n",
        table[i].cap);
    begin(&b, yaml, 3, jobs, COUNT(jobs), NULL);
    finish(&b);
    for (int64_t t = 0; t < 3; t++) {
      const hc_time at = record_of(&b, t + 1)->start;
      if (at != (table[i].starts[t] < 0 ? HC_UNKNOWN : table[i].starts[t] * HC_SECOND))
        fail_msg("%s: task %" PRId64 " starts at %" PRId64, table[i].cap, t + 1, at);
    }
    end(&b);
  }
}

static void test_refused(void **state)
{
  static const char *const table[][2] = {
      {"policy: {select: capped}\n" CELL STATES, "nothing is capped"},
      {"policy: {select: {use: capped, watts: 900, slow: false, raise: true}}\n" CELL STATES,
       "leave one out"},
      {"policy: {select: {use: capped, hosts: [rack-1=299]}}\n" CELL STATES,
       "the hosts of rack-1 draw 300 W"},
      {"policy: {select: {use: capped, hosts: [rack-9=299]}}\n" CELL STATES, "\"rack-9\" is no zone"},
      {"policy: {select: {use: capped, hosts: [rack-1]}}\n" CELL STATES, "is not a name and its watts"},
      {"policy: {select: {use: capped, users: [a=b]}}\n" CELL STATES, "no number of watts"},
      {"policy: {select: {use: capped, users: [a=1, a=2]}}\n" CELL STATES, "the second entry of that name"},
      {"policy: {select: {use: capped, users: [a=1]}}\npower: {use: square, idle: 100, peak: 200}\n" CELL,
       "not in proportion to its load"},
      {"policy: {select: {use: capped, users: [a=1]}}\npower: {use: linear, idle: 9, least: 10, peak: 20}\n"
       CELL,
       "not in proportion to its load"}};
  (void)state;
  assert_each_refused(table, COUNT(table), 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_hold), cmocka_unit_test(test_raised),
                                     cmocka_unit_test(test_owners), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
