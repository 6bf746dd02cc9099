/* servers.c -- DRFH: dominant shares of the pool, over servers that each have their own amounts.
 *
 * With y_il the share that user i has on class l, the best common level g_1 is a linear programme:
 *   g_1 <= sum_l y_il for each user,   what the y use of (l, r) <= what is there,   y >= 0.
 * Zero is feasible, so there is no first phase. At the optimum, users whose row has a price can only have
 * more if another has less: they are frozen. The others go on with a level g_2 on top of g_1, in the same
 * tableau: its column is the sum of the slack columns of their rows. What would lower an earlier level (a
 * column with a reduced cost) may never come in again, which makes the result the lexicographic max-min. At
 * least one user is frozen a round.
 *
 * Columns: y | levels | slacks | right side. Entering: the least reduced cost, the first column that has one
 * after a step without progress (Bland), so that it cannot cycle. Leaving: the least ratio, ties to the
 * lowest column.
 *
 * Source: Wang, Li and Liang, Dominant resource fairness in cloud computing systems with heterogeneous
 * servers, INFOCOM 2014 (from memory); the levels after the first are ours. */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/share/fair.h"

#define CELLS ((size_t)1 << 23)
#define ZERO 1e-11 /* entries are shares, of order 1 */

typedef struct table {
  uint32_t users, servers, dims, rows, columns; /* without the right side */
  uint32_t level0, slack0;                      /* first columns of the levels and of the slacks */
  double *cell;                                 /* [rows + 1][columns + 1]; the last row is the objective */
  uint32_t *basic;                              /* [rows] */
  bool *dead;                                   /* [columns] */
  double *step;                                 /* [users] level of one task; 0: does not run */
} table;

static double *row_of(const table *t, uint32_t row)
{
  return t->cell + (size_t)row * (t->columns + 1);
}

static void pivot(table *t, uint32_t row, uint32_t column)
{
  double *p = row_of(t, row), by = 1 / p[column];
  for (uint32_t k = 0; k <= t->columns; k++) p[k] *= by;
  p[column] = 1;
  for (uint32_t i = 0; i <= t->rows; i++) {
    double *x = row_of(t, i), f = x[column];
    if (i == row || f == 0) continue;
    for (uint32_t k = 0; k <= t->columns; k++) x[k] -= f * p[k];
    x[column] = 0;
    if (i < t->rows && x[t->columns] < 0) x[t->columns] = 0; /* by rounding only */
  }
  t->basic[row] = column;
}

static uint32_t entering(const table *t, bool first)
{
  const double *z = row_of(t, t->rows);
  uint32_t best = t->columns;
  for (uint32_t k = 0; k < t->columns; k++) {
    if (t->dead[k] || !(z[k] < -ZERO) || (best < t->columns && !(z[k] < z[best]))) continue;
    best = k;
    if (first) break;
  }
  return best;
}

static uint32_t leaving(const table *t, uint32_t column)
{
  uint32_t best = t->rows;
  double least = 0;
  for (uint32_t i = 0; i < t->rows; i++) {
    const double *x = row_of(t, i);
    double ratio;
    if (!(x[column] > ZERO)) continue;
    ratio = x[t->columns] / x[column];
    if (best < t->rows && (ratio > least || (ratio == least && t->basic[i] > t->basic[best]))) continue;
    best = i;
    least = ratio;
  }
  return best;
}

static void maximise(table *t)
{
  bool stuck = false;
  for (;;) {
    uint32_t column = entering(t, stuck), row;
    double before = row_of(t, t->rows)[t->columns];
    if (column == t->columns) return;
    row = leaving(t, column);
    if (row == t->rows) { /* no bound, which rounding alone can make: leave the column where it is */
      t->dead[column] = true;
      continue;
    }
    pivot(t, row, column);
    stuck = !(row_of(t, t->rows)[t->columns] > before);
  }
}

/* A level on top of the earlier ones for the users that are not frozen: its column, and the objective. */
static void next_level(table *t, uint32_t round, const bool *frozen)
{
  uint32_t column = t->level0 + round;
  for (uint32_t i = 0; i < t->rows; i++) {
    double *x = row_of(t, i), sum = 0;
    for (uint32_t u = 0; u < t->users; u++)
      if (!frozen[u]) sum += x[t->slack0 + u];
    x[column] = sum;
  }
  memset(row_of(t, t->rows), 0, (t->columns + 1) * sizeof *t->cell);
  row_of(t, t->rows)[column] = -1;
  t->dead[column] = false;
}

/* Freeze users that have a price; what costs something stays out for good. @return how many were frozen */
static uint32_t settle(table *t, bool *frozen)
{
  const double *z = row_of(t, t->rows);
  uint32_t n = 0;
  for (uint32_t u = 0; u < t->users; u++) {
    if (frozen[u] || !(z[t->slack0 + u] > ZERO)) continue;
    frozen[u] = true;
    n++;
  }
  for (uint32_t k = 0; k < t->columns; k++) t->dead[k] |= z[k] > ZERO;
  return n;
}

static void solve(table *t, bool *frozen)
{
  uint32_t left = 0;
  for (uint32_t u = 0; u < t->users; u++) left += !frozen[u];
  for (uint32_t round = 0; left > 0 && round < t->users; round++) {
    uint32_t n;
    next_level(t, round, frozen);
    maximise(t);
    n = settle(t, frozen);
    if (n == 0) return; /* by rounding only: no user has anything left to gain */
    left -= n;
  }
}

/* ---- building it ---- */

static void pooled(const hc_fair_problem *p, uint32_t servers, const double *capacity, double *total)
{
  for (uint32_t r = 0; r < p->dims; r++) {
    total[r] = 0;
    for (uint32_t l = 0; l < servers; l++) total[r] += capacity[(size_t)l * p->dims + r];
  }
}

static void build(table *t, const hc_fair_problem *p, const double *capacity, const double *total)
{
  uint32_t amounts = t->users, ends = amounts + t->servers * t->dims;
  for (uint32_t i = 0; i < t->rows; i++) {
    row_of(t, i)[t->slack0 + i] = 1;
    t->basic[i] = t->slack0 + i;
  }
  for (uint32_t k = t->level0; k < t->slack0; k++) t->dead[k] = true; /* until their round */
  for (uint32_t u = 0; u < t->users; u++) {
    const double *d = p->demand + (size_t)u * t->dims;
    for (uint32_t l = 0; l < t->servers; l++) {
      uint32_t y = u * t->servers + l;
      t->dead[y] = !(t->step[u] > 0);
      row_of(t, u)[y] = -1;
      if (p->most && p->most[u] < 1e300) row_of(t, ends + u)[y] = 1;
      for (uint32_t r = 0; r < t->dims && t->step[u] > 0; r++)
        if (d[r] > 0) row_of(t, amounts + l * t->dims + r)[y] = d[r] / t->step[u] / total[r];
    }
    if (p->most && p->most[u] < 1e300) row_of(t, ends + u)[t->columns] = p->most[u] * t->step[u];
  }
  for (uint32_t l = 0; l < t->servers; l++)
    for (uint32_t r = 0; r < t->dims; r++)
      if (total[r] > 0)
        row_of(t, amounts + l * t->dims + r)[t->columns] = capacity[(size_t)l * t->dims + r] / total[r];
}

static void answer(const table *t, const hc_fair_problem *p, double *tasks, double *placed)
{
  for (uint32_t i = 0; i < t->rows; i++) {
    uint32_t y = t->basic[i], u = y / t->servers;
    double n;
    if (y >= t->level0) continue;
    n = row_of(t, i)[t->columns] / t->step[u];
    tasks[u] += n;
    if (placed) placed[y] = n;
  }
  for (uint32_t u = 0; p->most && u < t->users; u++) tasks[u] = HC_MIN(tasks[u], p->most[u]);
}

static double step_of(const hc_fair_problem *p, uint32_t u)
{
  double step = 0, w = p->weight ? p->weight[u] : 1;
  for (uint32_t r = 0; r < p->dims; r++) {
    size_t at = (size_t)u * p->dims + r;
    if (p->demand[at] > 0)
      step = HC_MAX(step,
                    p->demand[at] / (p->capacity[r] * w * (p->resource_weight ? p->resource_weight[at] : 1)));
  }
  return step;
}

/* One block for all of it: cells, steps, basic columns, flags. */
static hc_rc lay_out(table *t, const hc_allocator *a, void **memory, size_t *bytes, bool **frozen,
                     hc_error *e)
{
  size_t cells = (size_t)(t->rows + 1) * (t->columns + 1);
  *bytes = (cells + t->users) * sizeof(double) + t->rows * sizeof *t->basic + t->columns + t->users;
  *memory = cells > CELLS ? NULL : hc_alloc(a, *bytes);
  if (cells > CELLS)
    return hc_fail(e, HC_ELIMIT, "DRFH", 0, 0,
                   "%u users on %u classes of servers need a table of %zu cells, the "
                   "limit is %zu: merge equal servers",
                   t->users, t->servers, cells, CELLS);
  if (!*memory) return hc_fail(e, HC_ENOMEM, "DRFH", 0, 0, "no memory for a table of %zu cells", cells);
  t->cell = *memory;
  t->step = t->cell + cells;
  t->basic = (uint32_t *)(void *)(t->step + t->users);
  t->dead = (bool *)(void *)(t->basic + t->rows);
  *frozen = t->dead + t->columns;
  return 0;
}

hc_rc hc_fair_drfh(const hc_allocator *a, const hc_fair_problem *problem, uint32_t servers,
                   const double *capacity, double *tasks, double *placed, hc_error *e)
{
  hc_fair_problem p = *problem;
  double total[HC_DIMENSIONS];
  table t = {.users = p.users, .servers = servers, .dims = p.dims};
  uint64_t columns;
  size_t bytes;
  void *memory = NULL;
  bool *frozen = NULL;
  if (servers == 0 || p.dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "DRFH", 0, 0,
                   "%u servers, %u dimensions: there must be a server and at most %d "
                   "dimensions",
                   servers, p.dims, HC_DIMENSIONS);
  pooled(&p, servers, capacity, total);
  p.capacity = total;
  TRY(hc_fair_check(&p, e));
  columns = (uint64_t)p.users * servers + p.users;
  if (columns > CELLS || (uint64_t)servers * p.dims > CELLS)
    return hc_fail(e, HC_ELIMIT, "DRFH", 0, 0, "%u users on %u classes of servers: merge equal ones", p.users,
                   servers);
  t.rows = p.users + servers * p.dims + (p.most ? p.users : 0);
  t.level0 = p.users * servers;
  t.slack0 = t.level0 + p.users;
  t.columns = t.slack0 + t.rows;
  TRY(lay_out(&t, a, &memory, &bytes, &frozen, e));
  if (placed) memset(placed, 0, (size_t)p.users * servers * sizeof *placed);
  for (uint32_t u = 0; u < p.users; u++) {
    frozen[u] = !hc_fair_can_run(&p, u, &tasks[u]);
    if (!frozen[u]) t.step[u] = step_of(&p, u);
  }
  build(&t, &p, capacity, total);
  solve(&t, frozen);
  answer(&t, &p, tasks, placed);
  hc_free(a, memory, bytes);
  return 0;
}
