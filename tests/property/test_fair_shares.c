/* test_fair_shares.c -- what fair shares promise, on random instances: nothing is wasted, no user envies,
 * sharing pays, lying does not; and against algorithms that share nothing with ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "metric/fairness.h"
#include "policy/share/choose.h"
#include "policy/share/fair.h"
#include "policy/share/pools.h"

#define A hc_default_allocator()

enum { USERS = 6, DIMS = 3, CASES = 400 };

static uint64_t seed = 88172645463325252u;

static uint64_t draw(uint64_t n)
{
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (seed >> 11) % n;
}

typedef struct instance {
  hc_fair_problem p;
  double capacity[DIMS], demand[USERS * DIMS], weight[USERS];
} instance;

/* A user needs something; one demand in five is 0 unless `is_positive`. */
static void make(instance *x, bool is_positive)
{
  x->p = (hc_fair_problem){.users = 2 + (uint32_t)draw(USERS - 1), .dims = 1 + (uint32_t)draw(DIMS)};
  x->p.capacity = x->capacity;
  x->p.demand = x->demand;
  x->p.weight = x->weight;
  for (uint32_t r = 0; r < x->p.dims; r++) x->capacity[r] = (double)(1 + draw(100));
  for (uint32_t i = 0; i < x->p.users; i++) {
    x->weight[i] = (double)(1 + draw(4));
    for (uint32_t r = 0; r < x->p.dims; r++)
      x->demand[i * x->p.dims + r] = !is_positive && draw(5) == 0 ? 0 : (double)(1 + draw(50)) / 10;
    x->demand[i * x->p.dims] += x->demand[i * x->p.dims] > 0 ? 0 : 0.1;
  }
}

static void held_of(const instance *x, const double *tasks, double *held, double *used)
{
  for (uint32_t r = 0; r < x->p.dims; r++) used[r] = 0;
  for (uint32_t i = 0; i < x->p.users; i++)
    for (uint32_t r = 0; r < x->p.dims; r++)
      used[r] += held[i * x->p.dims + r] = tasks[i] * x->demand[i * x->p.dims + r];
}

static void fits_and_wastes_nothing(const instance *x, const double *used, double slack)
{
  for (uint32_t r = 0; r < x->p.dims; r++) assert_true(used[r] <= x->capacity[r] * (1 + 1e-9));
  for (uint32_t i = 0; i < x->p.users; i++) { /* each needs something that is gone */
    bool stuck = false;
    for (uint32_t r = 0; r < x->p.dims; r++)
      stuck |= x->demand[i * x->p.dims + r] > 0 && used[r] >= x->capacity[r] * (1 - slack);
    assert_true(stuck);
  }
}

static void drf_keeps_its_promises(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    instance x;
    double t[USERS], held[USERS * DIMS], used[DIMS];
    make(&x, false);
    assert_int_equal(hc_fair_drf(A, &x.p, t, NULL), 0);
    held_of(&x, t, held, used);
    fits_and_wastes_nothing(&x, used, 1e-9);
    for (uint32_t i = 0; i < x.p.users; i++) {
      assert_true(hc_fairness_envy(x.p.users, x.p.dims, x.demand, held, x.weight, i) < 1 + 1e-9);
      assert_true(hc_fairness_sharing(x.p.users, x.p.dims, x.demand, x.capacity, x.weight, i, t[i]) >
                  1 - 1e-9);
    }
  }
}

/* A user says another shape than its own; what it gets is worth to it what its true demand makes of it. */
static void lying_does_not_pay_under_drf(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    instance x, lie;
    double t[USERS], u[USERS], held[DIMS];
    uint32_t who;
    make(&x, false);
    assert_int_equal(hc_fair_drf(A, &x.p, t, NULL), 0);
    for (int n = 0; n < 10; n++) {
      lie = x;
      lie.p.demand = lie.demand;
      lie.p.capacity = lie.capacity;
      lie.p.weight = lie.weight;
      who = (uint32_t)draw(x.p.users);
      for (uint32_t r = 0; r < x.p.dims; r++) lie.demand[who * x.p.dims + r] *= (double)(1 + draw(40)) / 10;
      lie.demand[who * x.p.dims + draw(x.p.dims)] += (double)draw(3);
      assert_int_equal(hc_fair_drf(A, &lie.p, u, NULL), 0);
      for (uint32_t r = 0; r < x.p.dims; r++) held[r] = u[who] * lie.demand[who * x.p.dims + r];
      assert_true(hc_fairness_worth(x.p.dims, x.demand + who * x.p.dims, held) <= t[who] * (1 + 1e-9));
    }
  }
}

/* At the optimum of sum w log t, no small feasible exchange gains: prices say so. sum_i w_i t_i / t*_i <= sum
 * w for every feasible t, of which vertices "all to one user" are enough to be a test. */
static void a_market_is_optimal(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    instance x;
    double t[USERS], held[USERS * DIMS], used[DIMS], sum = 0, drf[USERS], gain = 0;
    hc_market m;
    make(&x, true);
    assert_int_equal(hc_fair_ceei(A, &x.p, 1e-13, t, &m, NULL), 0);
    held_of(&x, t, held, used);
    fits_and_wastes_nothing(&x, used, 1e-5);
    for (uint32_t i = 0; i < x.p.users; i++) sum += x.weight[i];
    assert_true(m.gap <= 1e-12 * sum);
    for (uint32_t i = 0; i < x.p.users; i++) {
      double alone = hc_fairness_worth(x.p.dims, x.demand + i * x.p.dims, x.capacity);
      assert_true(x.weight[i] * alone / t[i] <= sum * (1 + 1e-5));
    }
    assert_int_equal(hc_fair_drf(A, &x.p, drf, NULL), 0);
    for (uint32_t i = 0; i < x.p.users; i++) gain += x.weight[i] * drf[i] / t[i];
    assert_true(gain <= sum * (1 + 1e-5));
  }
}

/* The tableau against progressive filling, which know nothing of each other, on one server. */
static void drfh_on_one_server_is_drf(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    instance x;
    double t[USERS], u[USERS], most[USERS];
    make(&x, false);
    for (uint32_t i = 0; i < x.p.users; i++) most[i] = (double)draw(12);
    if (k % 2) x.p.most = most;
    assert_int_equal(hc_fair_drf(A, &x.p, t, NULL), 0);
    assert_int_equal(hc_fair_drfh(A, &x.p, 1, x.capacity, u, NULL, NULL), 0);
    for (uint32_t i = 0; i < x.p.users; i++) assert_true(t[i] - u[i] < 1e-7 && u[i] - t[i] < 1e-7);
  }
}

/* On servers in proportion to the whole, pooling changes nothing; on any, what is placed fits. */
static void drfh_on_servers(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    enum { SERVERS = 4 };
    instance x;
    double t[USERS], u[USERS], c[SERVERS * DIMS], placed[USERS * SERVERS];
    make(&x, false);
    for (uint32_t l = 0; l < SERVERS; l++)
      for (uint32_t r = 0; r < x.p.dims; r++) c[l * x.p.dims + r] = x.capacity[r] * (l + 1) / 10;
    assert_int_equal(hc_fair_drf(A, &x.p, t, NULL), 0);
    assert_int_equal(hc_fair_drfh(A, &x.p, SERVERS, c, u, placed, NULL), 0);
    for (uint32_t i = 0; i < x.p.users; i++) assert_true(t[i] - u[i] < 1e-7 && u[i] - t[i] < 1e-7);
    for (uint32_t l = 0; l < SERVERS; l++)
      for (uint32_t r = 0; r < x.p.dims; r++) c[l * x.p.dims + r] = (double)draw(20);
    assert_int_equal(hc_fair_drfh(A, &x.p, SERVERS, c, u, placed, NULL), 0);
    for (uint32_t l = 0; l < SERVERS; l++)
      for (uint32_t r = 0; r < x.p.dims; r++) {
        double used = 0;
        for (uint32_t i = 0; i < x.p.users; i++) used += placed[i * SERVERS + l] * x.demand[i * x.p.dims + r];
        assert_true(used <= c[l * x.p.dims + r] + 1e-7);
      }
    for (uint32_t i = 0; i < x.p.users; i++) {
      double n = 0;
      for (uint32_t l = 0; l < SERVERS; l++) n += placed[i * SERVERS + l];
      assert_true(n - u[i] < 1e-7 && u[i] - n < 1e-7);
    }
  }
}

/* Whole tasks: every state that the rule reaches is one where the chosen user had the least share, by a
 * search over users that is written the other way round; and the least share of those left out is within a
 * task of DRF's. */
static void discrete_drf_agrees_with_the_plain_loop(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    uint32_t users = 2 + (uint32_t)draw(4), dims = 1 + (uint32_t)draw(DIMS), got[512], n = 0;
    int64_t c[DIMS], d[USERS * DIMS], free[DIMS], room[DIMS], left[USERS], held[USERS] = {0};
    bool gone[USERS] = {false};
    hc_drf x;
    size_t count;
    for (uint32_t r = 0; r < dims; r++) free[r] = room[r] = c[r] = 5 + (int64_t)draw(30);
    for (uint32_t i = 0; i < users * dims; i++) d[i] = (int64_t)draw(5);
    for (uint32_t i = 0; i < users; i++) {
      d[i * dims] += 1;
      left[i] = 1000;
    }
    assert_int_equal(hc_drf_init(&x, A, users, dims, c, NULL, NULL, HC_TIE_INDEX, NULL), 0);
    count = hc_drf_fill(&x, free, d, left, false, got, 512);
    for (;;) {
      uint32_t best = users;
      for (uint32_t i = users; i-- > 0;) { /* shares as fractions: a / b <= p / q */
        int64_t a = 0, b = 1, p = 0, q = 1;
        if (gone[i]) continue;
        for (uint32_t r = 0; r < dims; r++) {
          if (held[i] * d[i * dims + r] * b > a * c[r]) a = held[i] * d[i * dims + r], b = c[r];
          if (best < users && held[best] * d[best * dims + r] * q > p * c[r])
            p = held[best] * d[best * dims + r], q = c[r];
        }
        if (best == users || a * q <= p * b) best = i;
      }
      if (best == users) break;
      for (uint32_t r = 0; r < dims; r++) gone[best] |= d[best * dims + r] > room[r];
      if (gone[best]) continue; /* room only shrinks */
      for (uint32_t r = 0; r < dims; r++) room[r] -= d[best * dims + r];
      held[best]++;
      assert_true(n < count && got[n] == best);
      n++;
    }
    assert_int_equal(n, count);
    hc_drf_fini(&x);
  }
}

/* ---- H-DRF against its definition ---- */

enum { NODES = 14 };

/* The vector of a node as the rule says, from nothing kept: recursively, members one after the other. */
static void plain_vector(const uint32_t *parent, const double *w, double held[][2], const bool *blocked,
                         uint32_t i, double *v, double *share, bool *is_blocked)
{
  double most = 0, members[NODES][2], shares[NODES], least = -1;
  bool out[NODES] = {false}, any = false;
  v[0] = held[i][0];
  v[1] = held[i][1];
  *is_blocked = blocked[i];
  for (uint32_t k = i + 1; k < NODES; k++) {
    if (parent[k] != i) continue;
    any = true;
    plain_vector(parent, w, held, blocked, k, members[k], &shares[k], &out[k]);
    if (!out[k] && (least < 0 || shares[k] < least)) least = shares[k];
  }
  if (any) {
    *is_blocked = least < 0;
    v[0] = v[1] = 0;
    for (uint32_t k = i + 1; k < NODES; k++)
      for (int r = 0; r < 2 && parent[k] == i; r++)
        if (shares[k] > 0) v[r] += members[k][r] * (least < 0 ? 1 : least) / shares[k];
  }
  most = v[0] > v[1] ? v[0] : v[1];
  *share = most / w[i];
}

/* The choice has the least share of its siblings, on each level. Nothing is blocked, so that the definition
 * is complete. */
static void groups_follow_the_definition(void **state)
{
  (void)state;
  for (int n = 0; n < 40; n++) {
    static const int64_t c[] = {1000, 1000};
    uint32_t parent[NODES] = {0}, members[NODES] = {0};
    double w[NODES], held[NODES][2] = {{0}};
    bool blocked[NODES] = {false};
    hc_hdrf h;
    for (uint32_t i = 0; i < NODES; i++) {
      parent[i] = i < 4 ? 0 : (uint32_t)draw(4);
      w[i] = (double)(1 + draw(3));
      if (i > 0) members[parent[i]]++;
    }
    parent[0] = UINT32_MAX;
    assert_int_equal(hc_hdrf_init(&h, A, NODES, parent, w, 2, c, HC_HDRF_RESCALED, NULL), 0);
    for (uint32_t i = 0; i < NODES; i++)
      if (members[i] == 0) hc_hdrf_block(&h, i, false);
    for (int k = 0; k < 60; k++) {
      int64_t amount[2] = {(int64_t)draw(9), 1 + (int64_t)draw(9)};
      uint32_t leaf = hc_hdrf_next(&h);
      for (uint32_t i = leaf; i != 0; i = parent[i]) {
        double v[2], own, other;
        bool out;
        plain_vector(parent, w, held, blocked, i, v, &own, &out);
        assert_true(h.share[i] - own < 1e-12 && own - h.share[i] < 1e-12);
        for (uint32_t j = 1; j < NODES; j++) {
          if (parent[j] != parent[i]) continue;
          plain_vector(parent, w, held, blocked, j, v, &other, &out);
          assert_true(own <= other + 1e-12);
        }
      }
      hc_hdrf_start(&h, leaf, amount);
      for (int r = 0; r < 2; r++) held[leaf][r] += (double)amount[r] / 1000;
    }
    hc_hdrf_fini(&h);
  }
}

/* ---- pools against bisection ----
 *
 * The same definitions with no curve at all: F from its formula, M by halving, recursively. Without usage and
 * gangs F does not jump, so halving finds M. */

typedef struct node {
  uint32_t first, count; /* members; 0: a job */
  double weight, demand[2], limit[2], strong[2];
} node;

static void taken(const node *t, uint32_t i, double s, double *out);

static void at_fit(const node *t, uint32_t i, double f, double *out)
{
  const node *x = &t[i];
  double least = 1e300;
  out[0] = x->count ? 0 : f * x->demand[0];
  out[1] = x->count ? 0 : f * x->demand[1];
  for (uint32_t k = 0; k < x->count; k++)
    if (t[x->first + k].weight < least) least = t[x->first + k].weight;
  for (uint32_t k = 0; k < x->count; k++) {
    double s = f * t[x->first + k].weight / least, v[2];
    taken(t, x->first + k, s < 1 ? s : 1, v);
    out[0] += v[0];
    out[1] += v[1];
  }
}

static double fit(const node *t, uint32_t i, double s)
{
  double low = 0, high = 1, v[2];
  for (int k = 0; k < 44; k++) {
    double f = k == 0 ? 1 : (low + high) / 2;
    bool ok = true;
    at_fit(t, i, f, v);
    for (int r = 0; r < 2; r++) {
      double most = t[i].strong[r] + s < t[i].limit[r] ? t[i].strong[r] + s : t[i].limit[r];
      ok &= v[r] <= most + 1e-13;
    }
    if (ok) low = f;
    else high = f;
    if (low == 1) break;
  }
  return low;
}

static void taken(const node *t, uint32_t i, double s, double *out)
{
  at_fit(t, i, fit(t, i, s), out);
}

static void pools_agree_with_bisection(void **state)
{
  (void)state;
  for (int k = 0; k < 60; k++) {
    /* root 0: pools 1, 2 and job 3; 1: jobs 4, 5; 2: jobs 6, 7, 8 */
    node t[9] = {
        [0] = {.first = 1, .count = 3}, [1] = {.first = 4, .count = 2}, [2] = {.first = 6, .count = 3}};
    static const uint32_t parent[] = {0, 0, 0, 0, 1, 1, 2, 2, 2};
    uint32_t id[9] = {0};
    hc_pools p;
    double f, total[2], least = 1e300;
    assert_int_equal(hc_pools_init(&p, A, 2, NULL), 0);
    t[0].limit[0] = t[0].limit[1] = 1;
    for (uint32_t i = 1; i < 9; i++) {
      hc_pool_wish w = hc_pool_plain();
      t[i].weight = w.weight = (double)(1 + draw(5));
      for (int r = 0; r < 2; r++) {
        t[i].limit[r] = w.limit[r] = draw(3) ? 1 : .1 + (double)draw(90) / 100;
        if (i > 2) t[i].demand[r] = w.demand[r] = (double)(1 + draw(300)) / 200;
        else if (k % 2) t[i].strong[r] = w.strong[r] = (double)draw(40) / 100 * w.limit[r];
      }
      assert_int_equal(
          hc_pools_add(&p, id[parent[i]], t[i].count ? HC_POOL_FAIR : HC_POOL_JOB, &w, &id[i], NULL), 0);
    }
    assert_int_equal(hc_pools_update(&p, NULL), 0);
    f = fit(t, 0, 1);
    for (uint32_t i = 1; i < 4; i++) least = t[i].weight < least ? t[i].weight : least;
    for (uint32_t i = 1; i < 4; i++) {
      double s = f * t[i].weight / least;
      taken(t, i, s < 1 ? s : 1, total);
      for (int r = 0; r < 2; r++) {
        double d = total[r] - hc_pools_at(&p, id[i])->fair[r];
        assert_true(d < 1e-8 && d > -1e-8);
      }
    }
    hc_pools_fini(&p);
  }
}

/* Jumps, usage, gangs, guarantees: shares fit limits, demands and pools. */
static void pools_fit(void **state)
{
  (void)state;
  for (int k = 0; k < CASES; k++) {
    hc_pools p;
    uint32_t id[20] = {0};
    assert_int_equal(hc_pools_init(&p, A, 3, NULL), 0);
    for (uint32_t i = 1; i < 20; i++) {
      hc_pool_wish w = hc_pool_plain();
      w.weight = (double)(1 + draw(5));
      w.is_gang = draw(4) == 0;
      for (int r = 0; r < 3; r++) {
        w.limit[r] = draw(3) ? 1 : (double)draw(100) / 100;
        w.usage[r] = i > 4 ? (double)draw(20) / 200 : 0;
        w.demand[r] = w.usage[r] + (i > 4 ? (double)draw(30) / 100 : 0);
        w.strong[r] = i <= 4 ? (double)draw(40) / 100 : 0;
      }
      assert_int_equal(hc_pools_add(&p, i < 3 ? 0 : id[i < 5 ? i - 2 : 1 + i % 4],
                                    i > 4 ? HC_POOL_JOB : HC_POOL_FAIR, &w, &id[i], NULL),
                       0);
    }
    assert_int_equal(hc_pools_update(&p, NULL), 0);
    for (uint32_t i = 0; i < 20; i++) {
      const hc_pool *x = hc_pools_at(&p, id[i]);
      double sum[3] = {0};
      for (uint32_t j = x->first; j != HC_POOL_NONE; j = hc_pools_at(&p, j)->next)
        for (int r = 0; r < 3; r++) sum[r] += hc_pools_at(&p, j)->fair[r];
      for (int r = 0; r < 3; r++) {
        assert_true(x->fair[r] >= 0 && x->fair[r] <= x->wish.limit[r] + 1e-9);
        if (i > 0) assert_true(x->fair[r] <= x->demand[r] + 1e-9);
        if (x->kind != HC_POOL_JOB) assert_true(sum[r] <= x->fair[r] + 1e-9 && sum[r] >= x->fair[r] - 1e-9);
      }
    }
    hc_pools_fini(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drf_keeps_its_promises),
      cmocka_unit_test(lying_does_not_pay_under_drf),
      cmocka_unit_test(a_market_is_optimal),
      cmocka_unit_test(drfh_on_one_server_is_drf),
      cmocka_unit_test(drfh_on_servers),
      cmocka_unit_test(discrete_drf_agrees_with_the_plain_loop),
      cmocka_unit_test(groups_follow_the_definition),
      cmocka_unit_test(pools_agree_with_bisection),
      cmocka_unit_test(pools_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
