/* filling.h -- max-min fair shares of divisible amounts by progressive filling: one amount, DRF, asset
 * fairness.
 *
 * Users run tasks of one shape each, in fractions of a task: `tasks[i]` of `demand[i][r]` on each of the
 * resources. Matrices are rows of users: demand[i * dims + r]. It stands in this room because both policies
 * and metrics ask it; what only policies ask is in policy/share/fair.h. Amounts are doubles in any unit, and
 * same input, same bits.
 *
 * A user that needs nothing gets `most`, or infinity without one. A user that needs a resource of which there
 * is none gets 0. */
#ifndef HC_CLUSTER_FILLING_H
#define HC_CLUSTER_FILLING_H

#include "hindcast/base.h"

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
 * freezes those that need it, `most` freezes its user; the others go on. @param tasks [users] out.
 * Cost: O(users log users + users dims^2). */
hc_rc hc_fair_drf(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e);

/* Asset fairness: the same with the sum over resources of shares instead of their maximum. */
hc_rc hc_fair_asset(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e);

/* DRF for callers that ask again and again: nothing is checked, nothing is allocated.
 * @param p        as hc_fair_check accepts it
 * @param scratch  [hc_fair_scratch(users)] bytes, aligned as a double */
static inline size_t hc_fair_scratch(uint32_t users)
{
  return (size_t)users * (2 * sizeof(double) + sizeof(uint32_t));
}
void hc_fair_drf_in(const hc_fair_problem *p, void *scratch, double *tasks);

#endif
