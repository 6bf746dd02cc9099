/* test_fairshare.c -- the fair-share factor in closed form, and what an order that follows tasks does to
 * runs. */
#include "../engine/engine_test.h"

#include "policy/fairshare.h"

#define EXPECT(yaml, procs, jobs, ...) \
  do { \
    const int64_t starts_[] = {__VA_ARGS__}; \
    assert_int_equal(COUNT(starts_), COUNT(jobs)); \
    assert_starts(yaml, procs, jobs, COUNT(jobs), starts_); \
  } while (0)

/* ---- the factor: a task is its owner's, on a cell of 8 processors ---- */

static hc_time clock_of_world;

static hc_time world_now(const hc_view *v)
{
  (void)v;
  return clock_of_world;
}
static int64_t world_user(const hc_view *v, hc_task t)
{
  (void)v;
  return (int64_t)t;
}
static int64_t world_group(const hc_view *v, hc_task t)
{
  (void)v;
  return (int64_t)t / 10;
}
static uint32_t world_dimensions(const hc_view *v)
{
  (void)v;
  return 1;
}
static uint32_t world_dimension_id(const hc_view *v, uint32_t d)
{
  (void)v;
  return d;
}

static const hc_services world = {.now = world_now,
                                  .user = world_user,
                                  .group = world_group,
                                  .dimensions = world_dimensions,
                                  .dimension_id = world_dimension_id};

static void open_share(hc_fairshare *f, const hc_fairshare_options *o)
{
  const hc_policy_context c = {.services = &world, .allocator = hc_default_allocator()};
  hc_error e = {0};
  assert_int_equal(hc_fairshare_init(f, &c, o, "test", &e), 0);
}

static void hold(hc_fairshare *f, hc_time at, hc_task owner, int64_t units)
{
  const hc_task_event what = units < 0 ? HC_TASK_EVENT_RELEASED : HC_TASK_EVENT_ALLOCATED;
  const int64_t amounts[1] = {units < 0 ? -units : units};
  clock_of_world = at;
  assert_int_equal(hc_fairshare_follow(f, NULL, HC_TASK_EVENT_QUEUED, owner, NULL), 0);
  if (units != 0) assert_int_equal(hc_fairshare_follow(f, NULL, what, owner, amounts), 0);
}

static double factor(const hc_fairshare *f, int64_t user)
{
  return hc_fairshare_of(f, &(hc_order_input){.user = user, .group = user / 10});
}

static void near(double x, double y)
{
  if (!(x - y < 1e-12 && y - x < 1e-12)) fail_msg("%.17g is not %.17g", x, y);
}

/* 1 uses 2 processors for [0, H), 2 uses 4 for [H, 2 H), 3 nothing. With L = H / ln 2 the usages at 2 H are 2
 * L (1 - 1/2) / 2 = L / 2 and 4 L (1 - 1/2) = 2 L: parts of 1/5 and 4/5. Shares are 1/3: 2^-(3/5), 2^-(12/5),
 * 1. */
static void halves_usage_with_time(void **state)
{
  const hc_time h = 100 * HC_SECOND;
  const hc_fairshare_options o = {.half_life = h, .dimension = "cpu"};
  hc_fairshare f;
  (void)state;
  open_share(&f, &o);
  hold(&f, 0, 1, 2);
  hold(&f, 0, 3, 0);
  hold(&f, h, 1, -2);
  hold(&f, h, 2, 4);
  hold(&f, 2 * h, 2, -4);
  near(factor(&f, 1), 1); /* not computed yet */
  hc_fairshare_advance(&f, 2 * h);
  near(factor(&f, 1), 0.65975395538644710);
  near(factor(&f, 2), 0.18946457081379978);
  near(factor(&f, 3), 1);
  near(factor(&f, 4), 1);          /* has not come */
  hc_fairshare_advance(&f, 5 * h); /* all is an eighth of what it was: its parts are the same */
  near(factor(&f, 1), 0.65975395538644710);
  hc_fairshare_fini(&f);
}

/* Half of all usage each. Weights 3 : 1 are shares of 3/4 and 1/4: 2^-(2/3) and 2^-2. Nothing is forgotten.
 * */
static void weighs_owners(void **state)
{
  const char *weights[] = {"1=3"};
  const hc_fairshare_options o = {
      .half_life = HC_NEVER, .dimension = "cpu", .weights = {.items = weights, .count = 1}};
  hc_fairshare f;
  (void)state;
  open_share(&f, &o);
  hold(&f, 0, 1, 1);
  hold(&f, 0, 2, 1);
  hc_fairshare_advance(&f, HC_DAY);
  near(factor(&f, 1), 0.62996052494743658);
  near(factor(&f, 2), 0.25);
  hc_fairshare_fini(&f);
}

/* 11 and 12 are of account 1, which has used all: both have 2^-2, and 21 of account 2 has 1. */
static void sums_by_account(void **state)
{
  const hc_fairshare_options o = {.half_life = HC_HOUR, .dimension = "cpu", .owner = HC_FAIRSHARE_ACCOUNT};
  hc_fairshare f;
  (void)state;
  open_share(&f, &o);
  hold(&f, 0, 11, 1);
  hold(&f, 0, 21, 0);
  hc_fairshare_advance(&f, HC_HOUR);
  near(factor(&f, 11), 0.25);
  near(factor(&f, 12), 0.25);
  near(factor(&f, 21), 1);
  hc_fairshare_fini(&f);
}

/* With a period of 60 s factors at 119 s are those of 60 s, and a start at 60 s is not seen by them. */
static void looks_at_whole_periods(void **state)
{
  const hc_fairshare_options o = {.half_life = HC_NEVER, .dimension = "cpu", .period = HC_MINUTE};
  hc_fairshare f;
  (void)state;
  open_share(&f, &o);
  hold(&f, 0, 1, 1);
  hold(&f, HC_MINUTE, 2, 1);
  hc_fairshare_advance(&f, 2 * HC_MINUTE - 1);
  near(factor(&f, 1), 0.5); /* all usage, and the only owner that had come */
  near(factor(&f, 2), 1);
  hc_fairshare_advance(&f, 2 * HC_MINUTE); /* 2/3 and 1/3 of it, shares of 1/2 */
  near(factor(&f, 1), 0.39685026299204984);
  near(factor(&f, 2), 0.62996052494743658);
  hc_fairshare_fini(&f);
}

/* ---- runs: one processor ---- */

/* User 1 runs task 1 until 10; then user 2 has used nothing, and 3 goes before 2. At 20 both have used 10 s,
 * and user 1 further back: 2 before 4, which came first in its place by submission. At 30 user 1 has had 20
 * s, user 2 10. */
static const job turns[] = {J_WITH(1, 0, 10, 1, 10, .user = 1), J_WITH(2, 1, 10, 1, 10, .user = 1),
                            J_WITH(3, 2, 10, 1, 10, .user = 2), J_WITH(4, 3, 10, 1, 10, .user = 2),
                            J_WITH(5, 4, 10, 1, 10, .user = 1)};

static void sorts_a_queue(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: blocking}", 1, turns, 0, 10, 20, 30, 40);
  EXPECT("policy: {order: {use: fairshare, period: 0, half_life: 100s}, select: blocking}", 1, turns, 0, 20,
         10, 30, 40);
  EXPECT("policy: {order: {use: fairshare, period: 0, half_life: 100s}, select: easy}", 1, turns, 0, 20, 10,
         30, 40);
  /* As a formula; and one in which the factor weighs too little to matter. */
  EXPECT("policy: {order: {use: expr, key: \"-fairshare\", period: 0, half_life: 100s}, select: blocking}", 1,
         turns, 0, 20, 10, 30, 40);
  EXPECT("policy: {order: {use: expr, key: \"serial - fairshare / 2\", period: 0}, select: blocking}", 1,
         turns, 0, 10, 20, 30, 40);
}

/* Partition 2 before 1, then the account with the higher number, then the job name. */
static void sees_what_tasks_are(void **state)
{
  static const job jobs[] = {J_WITH(1, 0, 10, 1, 10, .partition = 1),
                             J_WITH(2, 1, 10, 1, 10, .partition = 1),
                             J_WITH(3, 1, 10, 1, 10, .partition = 2),
                             J_WITH(4, 1, 10, 1, 10, .partition = 2, .group = 2),
                             J_WITH(5, 1, 10, 1, 10, .partition = 2, .executable = 9),
                             J_WITH(6, 1, 10, 1, 10, .partition = 1, .queue = 7)};
  (void)state;
  EXPECT("policy: {order: {use: expr, key: \"-(1000 * partition + 100 * account + 10 * qos + executable)\"}, "
         "select: blocking}",
         1, jobs, 0, 50, 30, 10, 20, 40);
}

/* Saved between any two instants and restored, a run goes on as it would have: usage is a part of its state.
 * */
static void goes_on_after_a_cut(void **state)
{
  bench b;
  (void)state;
  begin(&b, "policy: {order: {use: fairshare, period: 7s, half_life: 20s}, select: blocking}", 1, turns,
        COUNT(turns), NULL);
  finish(&b);
  const int64_t whole[] = {start_of(&b, 2), start_of(&b, 3), start_of(&b, 4), start_of(&b, 5)};
  end(&b);
  begin(&b, "policy: {order: {use: fairshare, period: 7s, half_life: 20s}, select: blocking}", 1, turns,
        COUNT(turns), NULL);
  finish_in_pieces(&b, 1);
  for (int i = 0; i < 4; i++) assert_int_equal(start_of(&b, i + 2), whole[i]);
  end(&b);
}

static void refuses_bad_weights(void **state)
{
  bench b;
  (void)state;
  assert_int_equal(
      try_begin(&b, "policy: {order: {use: fairshare, weights: [\"1=0\"]}}", 1, turns, COUNT(turns), NULL),
      HC_EUSAGE);
  assert_non_null(strstr(b.error.text, "weights: \"1=0\" is a weight of zero"));
  assert_string_equal(b.error.where, "order fairshare");
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(halves_usage_with_time), cmocka_unit_test(weighs_owners),
      cmocka_unit_test(sums_by_account),        cmocka_unit_test(looks_at_whole_periods),
      cmocka_unit_test(sorts_a_queue),          cmocka_unit_test(sees_what_tasks_are),
      cmocka_unit_test(goes_on_after_a_cut),    cmocka_unit_test(refuses_bad_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
