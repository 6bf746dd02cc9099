/* fair.h -- fair shares of divisible amounts: who should get how much, as pure functions of vectors.
 *
 * Users run tasks of one shape each, in fractions of a task: `tasks[i]` of `demand[i][r]` on each of the
 * resources. Matrices are rows of users: demand[i * dims + r]. Nothing here knows a cell or a task; amounts are
 * doubles in any unit, and same input, same bits. docs/fair-shares.md has formulas, costs and sources.
 *
 * A user that needs nothing gets `most`, or infinity without one. A user that needs a resource of which there
 * is none gets 0. What discrete tasks do is in fair_choose.h; trees of pools in fair_pools.h. */
#ifndef HC_POLICY_FAIR_H
#define HC_POLICY_FAIR_H

#include "hindcast/base.h"
#include "hindcast/cluster.h"

typedef struct hc_fair_problem {
  uint32_t users, dims;          /* dims <= HC_DIMENSIONS */
  const double *capacity;        /* [dims] >= 0 */
  const double *demand;          /* [users][dims] of one task, >= 0 */
  const double *weight;          /* [users] > 0; NULL: all 1 */
  const double *resource_weight; /* [users][dims] > 0; NULL: all 1; of the dominant share only */
  const double *most;            /* [users] tasks a user can use; NULL: no end */
} hc_fair_problem;

/* 0, or HC_EINPUT with what is wrong: too many dimensions, a negative or infinite amount, a weight <= 0. */
hc_rc hc_fair_check(const hc_fair_problem *p, hc_error *e);

/* Whether user `i` can run at all: it needs something, and nothing that does not exist. If not, *tasks is what
 * it gets. */
bool hc_fair_can_run(const hc_fair_problem *p, uint32_t i, double *tasks);

/* Indices 0 .. n-1 into `index`, by key, equal keys by index. Cost: O(n log n), no memory. */
void hc_fair_sort(const double *key, uint32_t *index, uint32_t n);

/* Max-min of one amount: all unsatisfied users have the same allocation / weight. @param demand [n], may be
 * infinite; weight [n] or NULL; out [n]. Cost: O(n log n). */
hc_rc hc_fair_max_min(const hc_allocator *a, uint32_t n, double capacity, const double *demand,
                      const double *weight, double *out, hc_error *e);

/* DRF: max-min of dominant shares max_r D_r tasks / (C_r w w_r), by progressive filling. A resource that is full
 * freezes those who need it, `most` freezes its user; the others go on. @param tasks [users] out.
 * Cost: O(users log users + users dims^2). */
hc_rc hc_fair_drf(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e);

/* Asset fairness: the same with the sum over resources of shares instead of their maximum. */
hc_rc hc_fair_asset(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e);

/* What is certain of a market's answer: the allocation is feasible, and sum w log(tasks) is at most `gap` below
 * that of the true one. `prices` [dims] sum, times capacities, to about the sum of weights; all 0 if it was solved in closed
 * form. */
typedef struct hc_market {
  double gap;
  uint32_t steps; /* Newton's; 0: solved in closed form */
  double prices[HC_DIMENSIONS];
} hc_market;

/* CEEI: competitive equilibrium from incomes that are the weights, which maximises sum w log(tasks). Two users:
 * the best of the tangent points and corners of the frontier. More: Newton's method on the prices' dual with a
 * logarithmic barrier; stops when gap <= tolerance x sum of weights or after 200 steps, and says the gap.
 * `most` and `resource_weight` must be NULL. Cost: O(users dims^2) a step, about 40 steps.
 * @param market may be NULL. */
hc_rc hc_fair_ceei(const hc_allocator *a, const hc_fair_problem *p, double tolerance, double *tasks,
                   hc_market *market, hc_error *e);

/* DRFH: servers of several classes; shares are of what all of them have together (p->capacity is not looked at).
 * Lexicographic max-min of dominant shares over placements, by the simplex method. Exact up to rounding, and
 * dear: rows = users (twice with `most`) + servers x dims, columns = users x servers + rows + users, each pivot
 * touches rows x columns cells. @param capacity [servers][dims] of a class in all; tasks [users] out; placed
 * [users][servers] out, or NULL. @return also HC_ELIMIT past 2^23 cells. */
hc_rc hc_fair_drfh(const hc_allocator *a, const hc_fair_problem *p, uint32_t servers, const double *capacity,
                   double *tasks, double *placed, hc_error *e);

/* ---- dynamic DRF: users come one by one and nothing is taken back ---- */

typedef struct hc_arrivals {
  const hc_allocator *allocator;
  uint32_t expected, here, dims;
  double *demand;  /* [expected][dims], dominant 1 */
  double *share;   /* [expected] dominant share: out */
  uint32_t *order; /* [expected] by share */
} hc_arrivals;

/* `expected` users will come. @return 0, HC_ENOMEM, HC_EINPUT (too many dimensions). */
hc_rc hc_arrivals_init(hc_arrivals *x, const hc_allocator *a, uint32_t expected, uint32_t dims, hc_error *e);
void hc_arrivals_fini(hc_arrivals *x);
/* The next one comes, with shares of the whole that one task takes (any scale). Everybody's share is then the
 * largest of what it had and M*, M* the largest with sum of usage <= here / expected of every resource.
 * Cost: O(here dims). @return 0, HC_EINPUT (needs nothing), HC_ELIMIT (all are here). */
hc_rc hc_arrivals_add(hc_arrivals *x, const double *demand, hc_error *e);

#endif
