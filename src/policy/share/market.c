/* market.c -- CEEI: every user has an income (its weight), prices clear the market, and with Leontief demands
 * that is the allocation which maximises sum w log(tasks).
 *
 * In units of capacity, with d the shares one task takes, the dual is to minimise over prices p >= 0
 *   sum_r p_r - sum_i w_i log(p . d_i),   and tasks_i = w_i / (p . d_i).
 * It has as many variables as there are resources, so Newton's method with a barrier - mu sum log p costs
 * users x dims^2 a step. On the way of the barrier every resource is used to 1 - mu / p_r. What is certain
 * does not lean on convergence: with usage u at most, tasks / u is feasible, the dual at any p is an upper
 * bound, and
 *   gap = sum p - W + W log u,   W the sum of weights.
 *
 * Sources: Varian, Equity, envy and efficiency, 1974 (CEEI); Eisenberg and Gale, 1959 (the programme); Ghodsi
 * et al., NSDI 2011 (as a rival of DRF); Boyd and Vandenberghe, Convex optimization, 11 (the barrier). */
#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "policy/share/fair.h"

enum { STEPS = 200 };

typedef struct market {
  uint32_t users, dims;  /* those that take part */
  double *share;         /* [users][dims] of one task */
  double *income;        /* [users] */
  double *tasks;         /* [users] */
  double incomes, least; /* sum and least of them */
  double barrier, price[HC_DIMENSIONS], gradient[HC_DIMENSIONS];
  double hessian[HC_DIMENSIONS][HC_DIMENSIONS];
} market;

static double dot(const double *a, const double *b, uint32_t n)
{
  double sum = 0;
  for (uint32_t r = 0; r < n; r++) sum += a[r] * b[r];
  return sum;
}

/* ---- two users ---- */

/* Keeps (x, y) if nothing is overused and it is better than the best so far. */
static void try_point(market *m, double x, double y, double *best)
{
  double value;
  if (!(x > 0) || !(y > 0)) return;
  for (uint32_t r = 0; r < m->dims; r++)
    if (x * m->share[r] + y * m->share[m->dims + r] > 1 + 1e-12) return;
  value = m->income[0] * hc_log(x) + m->income[1] * hc_log(y);
  if (value <= *best) return;
  *best = value;
  m->tasks[0] = x;
  m->tasks[1] = y;
}

/* The best point of the frontier touches an edge, or is a corner. */
static void two_users(market *m)
{
  const double *a = m->share, *b = m->share + m->dims;
  double best = -__builtin_inf();
  for (uint32_t r = 0; r < m->dims; r++) {
    if (a[r] > 0 && b[r] > 0)
      try_point(m, m->income[0] / (m->incomes * a[r]), m->income[1] / (m->incomes * b[r]), &best);
    for (uint32_t s = r + 1; s < m->dims; s++) {
      double det = a[r] * b[s] - a[s] * b[r];
      if (det != 0) try_point(m, (b[s] - b[r]) / det, (a[r] - a[s]) / det, &best);
    }
  }
}

/* ---- any number ---- */

static void derive(market *m)
{
  memset(m->hessian, 0, sizeof m->hessian);
  for (uint32_t r = 0; r < m->dims; r++) {
    m->gradient[r] = 1 - m->barrier / m->price[r];
    m->hessian[r][r] = m->barrier / (m->price[r] * m->price[r]);
  }
  for (uint32_t i = 0; i < m->users; i++) {
    const double *d = m->share + (size_t)i * m->dims;
    double tasks = m->income[i] / dot(m->price, d, m->dims), curve = tasks * tasks / m->income[i];
    for (uint32_t r = 0; r < m->dims; r++) {
      m->gradient[r] -= tasks * d[r];
      for (uint32_t s = 0; s <= r; s++) m->hessian[r][s] += curve * d[r] * d[s];
    }
  }
}

/* Newton's direction, by Cholesky's decomposition; returns - gradient . direction, the square of the
 * decrement. */
static double newton(const market *m, double *direction)
{
  double l[HC_DIMENSIONS][HC_DIMENSIONS], slope = 0;
  for (uint32_t r = 0; r < m->dims; r++) {
    for (uint32_t s = 0; s <= r; s++) {
      double sum = m->hessian[r][s];
      for (uint32_t k = 0; k < s; k++) sum -= l[r][k] * l[s][k];
      l[r][s] = s < r ? sum / l[s][s] : hc_sqrt(HC_MAX(sum, 1e-14 * m->hessian[r][r]));
    }
  }
  for (uint32_t r = 0; r < m->dims; r++) {
    double sum = -m->gradient[r];
    for (uint32_t k = 0; k < r; k++) sum -= l[r][k] * direction[k];
    direction[r] = sum / l[r][r];
  }
  for (uint32_t r = m->dims; r-- > 0;) {
    for (uint32_t k = r + 1; k < m->dims; k++) direction[r] -= l[k][r] * direction[k];
    direction[r] /= l[r][r];
  }
  for (uint32_t r = 0; r < m->dims; r++) slope -= m->gradient[r] * direction[r];
  return slope;
}

/* One step towards the least objective. Over `scale` it is self-concordant, so that with a decrement of l a
 * step of 1 / (1 + l) stays inside and descends, and from 1/4 on a whole one does: no search that looks at
 * the objective, whose last digits would end it early. False if it was near enough. */
static bool descend(market *m)
{
  double direction[HC_DIMENSIONS], scale = HC_MIN(m->barrier, m->least), l, step;
  derive(m);
  l = hc_sqrt(HC_MAX(0.0, newton(m, direction)) / scale);
  step = l > 0.25 ? 1 / (1 + l) : 1;
  for (uint32_t r = 0; r < m->dims; r++) {
    double price = m->price[r] + step * direction[r];
    m->price[r] = price > 0 ? price : m->price[r] / 2; /* by rounding only */
  }
  return l > 1e-2;
}

/* Tasks at these prices, shrunk until they fit; returns the gap. */
static double settle(market *m)
{
  double used[HC_DIMENSIONS] = {0}, most = 0, prices = 0;
  for (uint32_t i = 0; i < m->users; i++) {
    const double *d = m->share + (size_t)i * m->dims;
    m->tasks[i] = m->income[i] / dot(m->price, d, m->dims);
    for (uint32_t r = 0; r < m->dims; r++) used[r] += m->tasks[i] * d[r];
  }
  for (uint32_t r = 0; r < m->dims; r++) {
    most = HC_MAX(most, used[r]);
    prices += m->price[r];
  }
  for (uint32_t i = 0; i < m->users; i++) m->tasks[i] /= most;
  return HC_MAX(0.0, prices - m->incomes + m->incomes * hc_log(most));
}

static double many_users(market *m, double tolerance, uint32_t *steps)
{
  double gap;
  m->barrier = m->incomes / m->dims;
  for (uint32_t r = 0; r < m->dims; r++) m->price[r] = m->incomes / m->dims;
  *steps = 0;
  do {
    while (*steps < STEPS && (++*steps, descend(m))) {
    }
    gap = settle(m);
    m->barrier /= 8;
  } while (gap > tolerance * m->incomes && *steps < STEPS && m->barrier > 1e-18 * m->incomes);
  return gap;
}

/* ---- in and out ---- */

/* Users that can run, in units of capacity, over the resources that one of them needs: `column` says
 * which. */
static void gather(market *m, const hc_fair_problem *p, double *tasks, uint32_t *column)
{
  bool used[HC_DIMENSIONS] = {false};
  double nothing;
  for (uint32_t i = 0; i < p->users; i++) {
    if (!hc_fair_can_run(p, i, &tasks[i])) continue;
    for (uint32_t r = 0; r < p->dims; r++) used[r] |= p->demand[(size_t)i * p->dims + r] > 0;
  }
  for (uint32_t r = 0; r < p->dims; r++)
    if (used[r]) column[m->dims++] = r;
  for (uint32_t i = 0; i < p->users; i++) {
    if (!hc_fair_can_run(p, i, &nothing)) continue;
    for (uint32_t k = 0; k < m->dims; k++)
      m->share[(size_t)m->users * m->dims + k] =
          p->demand[(size_t)i * p->dims + column[k]] / p->capacity[column[k]];
    m->income[m->users] = p->weight ? p->weight[i] : 1;
    m->least = m->users ? HC_MIN(m->least, m->income[m->users]) : m->income[m->users];
    m->incomes += m->income[m->users++];
  }
}

hc_rc hc_fair_ceei(const hc_allocator *a, const hc_fair_problem *p, double tolerance, double *tasks,
                   hc_market *result, hc_error *e)
{
  market m = {0};
  hc_market told = {0};
  uint32_t column[HC_DIMENSIONS], k = 0;
  size_t n = p->users, bytes;
  double nothing, *memory;
  if (p->most || p->resource_weight)
    return hc_fail(e, HC_EUNSUPPORTED, "CEEI", 0, 0,
                   "a market has no ends and no weights of resources: leave "
                   "them out, or use DRF");
  TRY(hc_fair_check(p, e));
  bytes = n * (p->dims + 2) * sizeof *memory;
  memory = hc_alloc(a, bytes);
  if (!memory) return hc_fail(e, HC_ENOMEM, "CEEI", 0, 0, "no memory for %u users", p->users);
  m.income = memory;
  m.tasks = memory + n;
  m.share = memory + 2 * n;
  gather(&m, p, tasks, column);
  if (m.users == 2) two_users(&m);
  else if (m.users > 0) told.gap = many_users(&m, tolerance, &told.steps);
  for (uint32_t i = 0; i < p->users; i++)
    if (hc_fair_can_run(p, i, &nothing)) tasks[i] = m.tasks[k++];
  for (uint32_t r = 0; r < m.dims; r++) told.prices[column[r]] = m.price[r] / p->capacity[column[r]];
  if (result) *result = told;
  hc_free(a, memory, bytes);
  return 0;
}
