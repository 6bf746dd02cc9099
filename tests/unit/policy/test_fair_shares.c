/* test_fair_shares.c -- fair shares of divisible amounts: published examples and cases worked by hand.
 *
 * The examples called "paper" are those of Ghodsi et al., NSDI 2011; fractions are their exact answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/share/fair.h"
#include "policy/share/usage.h"

#define NEAR(a, b) assert_true((a) - (b) < 1e-9 && (b) - (a) < 1e-9)
#define A hc_default_allocator()

/* The paper's cluster: 9 CPUs, 18 GB; A's tasks take (1, 4), B's (3, 1). */
static const double cluster[] = {9, 18}, tasks_of[] = {1, 4, 3, 1};
static const hc_fair_problem paper = {.users = 2, .dims = 2, .capacity = cluster, .demand = tasks_of};

static void the_papers_example(void **state)
{
  double t[2];
  (void)state;
  assert_int_equal(hc_fair_drf(A, &paper, t, NULL), 0);
  NEAR(t[0], 3); /* (3, 12) and (6, 2): both have 2/3 of what they need most; CPUs are gone */
  NEAR(t[1], 2);
  assert_int_equal(hc_fair_asset(A, &paper, t, NULL), 0);
  NEAR(t[0], 63 / 25.0); /* (1/9 + 4/18) a = (3/9 + 1/18) b, a + 3 b = 9 */
  NEAR(t[1], 54 / 25.0);
  assert_int_equal(hc_fair_ceei(A, &paper, 1e-12, t, NULL, NULL), 0);
  NEAR(t[0], 45 / 11.0); /* the corner: both resources are gone */
  NEAR(t[1], 18 / 11.0);
}

/* Asset fairness gives U2 less than half of both resources, so it had better not share. DRF does not. */
static void asset_fairness_breaks_the_sharing_incentive(void **state)
{
  const double c[] = {30, 30}, d[] = {1, 3, 1, 1};
  const hc_fair_problem p = {.users = 2, .dims = 2, .capacity = c, .demand = d};
  double t[2];
  (void)state;
  assert_int_equal(hc_fair_asset(A, &p, t, NULL), 0);
  NEAR(t[0], 6);
  NEAR(t[1], 12);
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 5);
  NEAR(t[1], 15);
}

/* U1 says (16, 8) instead of (16, 1): more tasks in a market, none more under DRF. */
static void a_market_can_be_lied_to(void **state)
{
  const double c[] = {100, 100}, d[] = {16, 1, 1, 2}, lie[] = {16, 8, 1, 2};
  hc_fair_problem p = {.users = 2, .dims = 2, .capacity = c, .demand = d};
  double t[2];
  (void)state;
  assert_int_equal(hc_fair_ceei(A, &p, 1e-12, t, NULL, NULL), 0);
  NEAR(t[0], 100 / 31.0);
  NEAR(t[1], 1500 / 31.0);
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 25 / 6.0);
  NEAR(t[1], 100 / 3.0);
  p.demand = lie;
  assert_int_equal(hc_fair_ceei(A, &p, 1e-12, t, NULL, NULL), 0);
  NEAR(t[0], 25 / 6.0);
  NEAR(t[1], 100 / 3.0);
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 25 / 6.0);
  NEAR(t[1], 100 / 3.0);
}

static void weights_of_users_and_of_resources(void **state)
{
  const double w[] = {2, 1}, rw[] = {1, 2, 1, 1}; /* A's dominant resource is memory: the same thing */
  hc_fair_problem p = paper;
  double t[2];
  (void)state;
  p.weight = w;
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 54 / 13.0); /* (2/9) a / 2 = (1/3) b, 4 a + b = 18 */
  NEAR(t[1], 18 / 13.0);
  p.weight = NULL;
  p.resource_weight = rw;
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 54 / 13.0);
  NEAR(t[1], 18 / 13.0);
}

static void max_min_of_one_resource(void **state)
{
  const double inf = __builtin_inf(), d[] = {2, 2.6, 4, 5}, capped[] = {2, inf, inf, inf}, w[] = {1, 2};
  double t[4];
  (void)state;
  assert_int_equal(hc_fair_max_min(A, 4, 10, d, NULL, t, NULL), 0);
  NEAR(t[0], 2); /* less than 10 / 4; the other 8 in three: 2.6 is less; 5.4 in two */
  NEAR(t[1], 2.6);
  NEAR(t[2], 2.7);
  NEAR(t[3], 2.7);
  assert_int_equal(hc_fair_max_min(A, 4, 10, capped, NULL, t, NULL), 0);
  NEAR(t[0], 2);
  for (int i = 1; i < 4; i++) NEAR(t[i], 8 / 3.0);
  assert_int_equal(hc_fair_max_min(A, 2, 9, capped + 1, w, t, NULL), 0);
  NEAR(t[0], 3);
  NEAR(t[1], 6);
}

static void caps_and_zero_demands_take_more_rounds(void **state)
{
  const double most[] = {1, 1e9}, one[] = {1, 1}, d[] = {.5, 0, .5, .5, 0, .1};
  hc_fair_problem p = paper, q = {.users = 3, .dims = 2, .capacity = one, .demand = d};
  double t[3];
  (void)state;
  p.most = most;
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 1);
  NEAR(t[1], 8 / 3.0); /* 8 CPUs */
  assert_int_equal(hc_fair_drf(A, &q, t, NULL), 0);
  NEAR(t[0],
       1); /* the first resource is gone at 1/2 each; user 2 does not need it, and goes on to 1/2 of the */
  NEAR(t[1], 1); /* second, where user 1 holds the other half */
  NEAR(t[2], 5);
}

static void three_resources_and_three_users(void **state)
{
  const double c[] = {18, 36, 90}, d[] = {1, 1, 10, 1, 4, 5, 3, 1, 1};
  const double c2[] = {12, 24}, d2[] = {1, 2, 2, 1, 1, 4};
  const hc_fair_problem p = {.users = 3, .dims = 3, .capacity = c, .demand = d};
  const hc_fair_problem q = {.users = 3, .dims = 2, .capacity = c2, .demand = d2};
  double t[3];
  (void)state;
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 4.5); /* steps 1/9, 1/9, 1/6: level 1/2, where the CPUs are gone: 4.5 + 4.5 + 9 */
  NEAR(t[1], 4.5);
  NEAR(t[2], 3);
  assert_int_equal(hc_fair_drf(A, &q, t, NULL), 0);
  NEAR(t[0], 4.8); /* steps 1/12, 1/6, 1/6: level 2/5, CPUs 4.8 + 4.8 + 2.4 */
  NEAR(t[1], 2.4);
  NEAR(t[2], 2.4);
}

static void what_cannot_run_does_not_count(void **state)
{
  const double c[] = {4, 0}, d[] = {1, 0, 1, 1, 0, 0}, most[] = {9, 9, 7};
  hc_fair_problem p = {.users = 3, .dims = 2, .capacity = c, .demand = d, .most = most};
  double t[3];
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_fair_drf(A, &p, t, NULL), 0);
  NEAR(t[0], 4);
  NEAR(t[1], 0);
  NEAR(t[2], 7);
  p.most = NULL;
  assert_int_equal(hc_fair_ceei(A, &p, 1e-12, t, NULL, NULL), 0);
  NEAR(t[0], 4);
  NEAR(t[1], 0);
  assert_true(t[2] > 1e300);
  p.weight = (const double[]){1, 0, 1};
  assert_int_equal(hc_fair_drf(A, &p, t, &e), HC_EINPUT);
  assert_string_equal(e.text, "weight 1 is 0: give a finite number above 0");
  e = (hc_error){0};
  p = (hc_fair_problem){.users = 3, .dims = 2, .capacity = c, .demand = d, .most = most};
  assert_int_equal(hc_fair_ceei(A, &p, 1e-12, t, NULL, &e), HC_EUNSUPPORTED);
}

/* The general method has to find what the closed form of two users gives; a third user of its own resource
 * changes nothing for them. */
static void a_market_of_many(void **state)
{
  const double c[] = {9, 18, 5}, d[] = {1, 4, 0, 3, 1, 0, 0, 0, 2}, w[] = {1, 3, 2};
  hc_fair_problem p = {.users = 3, .dims = 3, .capacity = c, .demand = d};
  double t[3], two[2];
  hc_market m;
  (void)state;
  assert_int_equal(hc_fair_ceei(A, &p, 1e-13, t, &m, NULL), 0);
  assert_true(m.gap <= 3e-13 && m.steps > 0);
  assert_true(t[0] - 45 / 11.0 < 1e-7 && 45 / 11.0 - t[0] < 1e-7);
  assert_true(t[1] - 18 / 11.0 < 1e-7 && 18 / 11.0 - t[1] < 1e-7);
  assert_true(t[2] - 2.5 < 1e-7 && 2.5 - t[2] < 1e-7);
  NEAR(m.prices[0] * 9 + m.prices[1] * 18 + m.prices[2] * 5, 3); /* all income is spent */
  p.weight = w;
  assert_int_equal(hc_fair_ceei(A, &p, 1e-13, t, &m, NULL), 0);
  assert_int_equal(
      hc_fair_ceei(A,
                   &(hc_fair_problem){.users = 2, .dims = 2, .capacity = c, .demand = tasks_of, .weight = w},
                   0, two, NULL, NULL),
      0);
  for (int i = 0; i < 2; i++) assert_true(t[i] - two[i] < 1e-7 && two[i] - t[i] < 1e-7);
}

/* Wang, Li and Liang's example: each user fits one server. Server by server, DRF makes both spread. */
static void servers_that_differ(void **state)
{
  const double d[] = {.2, 1, 1, .2}, c[] = {2, 12, 12, 2};
  const hc_fair_problem p = {.users = 2, .dims = 2, .demand = d};
  double t[2], placed[4], sum[2] = {0, 0};
  (void)state;
  assert_int_equal(hc_fair_drfh(A, &p, 2, c, t, placed, NULL), 0);
  NEAR(t[0], 10); /* 10 of 14 GB, 10 of 14 CPUs */
  NEAR(t[1], 10);
  NEAR(placed[0] + placed[1], 10);
  for (int r = 0; r < 2; r++)
    for (int l = 0; l < 2; l++)
      assert_true(placed[l] * d[r] + placed[2 + l] * d[2 + r] <= c[2 * l + r] + 1e-9);
  for (int l = 0; l < 2; l++) {
    hc_fair_problem one = p;
    one.capacity = c + 2 * l;
    assert_int_equal(hc_fair_drf(A, &one, t, NULL), 0);
    sum[0] += t[0];
    sum[1] += t[1];
  }
  NEAR(sum[0], 6);
  NEAR(sum[1], 6);
}

/* On one server DRFH is DRF, also where it takes more than one level or users have enough. */
static void one_server_is_a_cluster(void **state)
{
  const double one[] = {1, 1}, d[] = {.5, 0, .5, .5, 0, .1}, most[] = {1, 1e9};
  hc_fair_problem p = {.users = 3, .dims = 2, .demand = d}, q = paper;
  double t[3];
  (void)state;
  assert_int_equal(hc_fair_drfh(A, &p, 1, one, t, NULL, NULL), 0);
  NEAR(t[0], 1);
  NEAR(t[1], 1);
  NEAR(t[2], 5);
  q.most = most;
  assert_int_equal(hc_fair_drfh(A, &q, 1, cluster, t, NULL, NULL), 0);
  NEAR(t[0], 1);
  NEAR(t[1], 8 / 3.0);
}

static void arrivals_one_by_one(void **state)
{
  static const double first[] = {1, 1 / 9.0}, second[] = {1 / 9.0, 1}, a[] = {1, .5}, b[] = {.5, 1};
  hc_arrivals x;
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_arrivals_init(&x, A, 3, 2, NULL), 0);
  assert_int_equal(hc_arrivals_add(&x, first, NULL), 0);
  NEAR(x.share[0], 1 / 3.0);
  assert_int_equal(hc_arrivals_add(&x, second, NULL), 0);
  NEAR(x.share[0], 3 / 5.0); /* M (1 + 1/9) = 2/3 */
  NEAR(x.share[1], 3 / 5.0);
  assert_int_equal(hc_arrivals_add(&x, first, NULL), 0);
  NEAR(x.share[0], 3 / 5.0); /* 3/5 + 1/15 + M = 1: it gets 1/3, nothing is taken back */
  NEAR(x.share[1], 3 / 5.0);
  NEAR(x.share[2], 1 / 3.0);
  assert_int_equal(hc_arrivals_add(&x, first, &e), HC_ELIMIT);
  hc_arrivals_fini(&x);
  assert_int_equal(hc_arrivals_init(&x, A, 2, 2, NULL), 0);
  assert_int_equal(hc_arrivals_add(&x, a, NULL), 0);
  NEAR(x.share[0], 1 / 2.0);
  assert_int_equal(hc_arrivals_add(&x, b, NULL), 0);
  NEAR(x.share[0], 2 / 3.0);
  NEAR(x.share[1], 2 / 3.0);
  hc_arrivals_fini(&x);
}

static void usage_that_decays(void **state)
{
  hc_usage u = {.half_life = HC_HOUR}, v = {.half_life = 7 * HC_DAY}, w = {.half_life = HC_NEVER};
  const double life = 3600 / 0.69314718055994531; /* s */
  double once, last, x;
  (void)state;
  hc_usage_set(&u, 0, 10);
  NEAR(hc_usage_decayed(&u, HC_HOUR) / (10 * life / 2), 1); /* half of what is held for ever */
  NEAR(hc_usage_decayed(&u, 100 * HC_HOUR) / (10 * life), 1);
  hc_usage_set(&u, HC_HOUR, 0);
  NEAR(hc_usage_decayed(&u, 3 * HC_HOUR) / (10 * life / 8), 1);
  assert_int_equal(hc_wide_clamp(hc_usage_total(&u, 3 * HC_HOUR)), 10 * HC_HOUR);
  hc_usage_set(&v, 0, 1); /* a second is 10^-6 half-lives: 1 - e^-x keeps its digits */
  last = hc_usage_decayed(&v, HC_SECOND);
  assert_true(last < 1 && last > 1 - 0.6e-6);
  x = 0.69314718055994531 / (7 * 86400);
  NEAR((1 - last) * 1e6, (x / 2 - x * x / 6) * 1e6);
  once = hc_usage_decayed(&v, 1000 * HC_SECOND);
  for (int i = 1; i <= 1000; i++) hc_usage_set(&v, i * HC_SECOND, 1); /* as often as one likes */
  assert_true((v.decayed - once) / once < 1e-12 && (once - v.decayed) / once < 1e-12);
  hc_usage_set(&w, 5, 93312);
  NEAR(hc_usage_decayed(&w, 5 + HC_DAY) / (93312.0 * 86400), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_example),
      cmocka_unit_test(asset_fairness_breaks_the_sharing_incentive),
      cmocka_unit_test(a_market_can_be_lied_to),
      cmocka_unit_test(weights_of_users_and_of_resources),
      cmocka_unit_test(max_min_of_one_resource),
      cmocka_unit_test(caps_and_zero_demands_take_more_rounds),
      cmocka_unit_test(three_resources_and_three_users),
      cmocka_unit_test(what_cannot_run_does_not_count),
      cmocka_unit_test(a_market_of_many),
      cmocka_unit_test(servers_that_differ),
      cmocka_unit_test(one_server_is_a_cluster),
      cmocka_unit_test(arrivals_one_by_one),
      cmocka_unit_test(usage_that_decays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
