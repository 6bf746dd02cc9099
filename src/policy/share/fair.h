/* fair.h -- fair shares of divisible amounts: who should get how much, as pure functions of vectors.
 *
 * Max-min, DRF and asset fairness, and the problem that all of them solve, are in cluster/filling.h, since
 * metrics ask them too; here are the others. Nothing here knows a cell or a task. docs/fair-shares.md has
 * formulas, costs and sources. What discrete tasks do is in choose.h; trees of pools in pools.h. */
#ifndef HC_POLICY_SHARE_FAIR_H
#define HC_POLICY_SHARE_FAIR_H

#include "cluster/filling.h"
#include "hindcast/task.h"

/* What is certain of a market's answer: the allocation is feasible, and sum w log(tasks) is at most `gap`
 * below that of the true one. `prices` [dims] sum, times capacities, to about the sum of weights; all 0 if it
 * was solved in closed form. */
typedef struct hc_market {
  double gap;
  uint32_t steps; /* Newton's; 0: solved in closed form */
  double prices[HC_DIMENSIONS];
} hc_market;

/* CEEI: competitive equilibrium from incomes that are the weights, which maximises sum w log(tasks). Two
 * users: the best of the tangent points and corners of the frontier. More: Newton's method on the prices'
 * dual with a logarithmic barrier; stops when gap <= tolerance x sum of weights or after 200 steps, and says
 * the gap. `most` and `resource_weight` must be NULL. Cost: O(users dims^2) a step, about 40 steps.
 * @param market may be NULL. */
hc_rc hc_fair_ceei(const hc_allocator *a, const hc_fair_problem *p, double tolerance, double *tasks,
                   hc_market *market, hc_error *e);

/* DRFH: servers of several classes; shares are of what all of them have together (p->capacity is not looked
 * at). Lexicographic max-min of dominant shares over placements, by the simplex method. Exact up to rounding,
 * and dear: rows = users (twice with `most`) + servers x dims, columns = users x servers + rows + users, each
 * pivot touches rows x columns cells. @param capacity [servers][dims] of a class in all; tasks [users] out;
 * placed [users][servers] out, or NULL. @return also HC_ELIMIT past 2^23 cells. */
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
/* The next one comes, with shares of the whole that one task takes (any scale). Each user's share is then the
 * largest of what it had and M*, M* the largest with sum of usage <= here / expected of every resource.
 * Cost: O(here dims). @return 0, HC_EINPUT (needs nothing), HC_ELIMIT (all are here). */
hc_rc hc_arrivals_add(hc_arrivals *x, const double *demand, hc_error *e);

#endif
