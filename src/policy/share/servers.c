/* servers.c -- DRFH: dominant shares of the pool, over servers that each have their own amounts.
 *
 * With y_il the share that user i has on class l, the best common level g_1 is a linear programme:
 *   g_1 <= sum_l y_il for each user,   what the y use of (l, r) <= what is there,   y >= 0.
 * Zero is feasible, and users at their levels are frozen one by one: simplex.h.
 *
 * Source: Wang, Li and Liang, Dominant resource fairness in cloud computing systems with heterogeneous
 * servers, INFOCOM 2014 (from memory). */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/share/fair.h"
#include "policy/simplex.h"

typedef struct table {
  hc_simplex s; /* members are users */
  uint32_t servers, dims;
  double *step; /* [users] level of one task; 0: does not run */
} table;

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
  uint32_t amounts = t->s.members, ends = amounts + t->servers * t->dims;
  hc_simplex_begin(&t->s);
  for (uint32_t u = 0; u < t->s.members; u++) {
    const double *d = p->demand + (size_t)u * t->dims;
    for (uint32_t l = 0; l < t->servers; l++) {
      uint32_t y = u * t->servers + l;
      t->s.dead[y] = !(t->step[u] > 0);
      hc_simplex_row(&t->s, u)[y] = -1;
      if (p->most && p->most[u] < 1e300) hc_simplex_row(&t->s, ends + u)[y] = 1;
      for (uint32_t r = 0; r < t->dims && t->step[u] > 0; r++)
        if (d[r] > 0) hc_simplex_row(&t->s, amounts + l * t->dims + r)[y] = d[r] / t->step[u] / total[r];
    }
    if (p->most && p->most[u] < 1e300)
      hc_simplex_row(&t->s, ends + u)[t->s.columns] = p->most[u] * t->step[u];
  }
  for (uint32_t l = 0; l < t->servers; l++)
    for (uint32_t r = 0; r < t->dims; r++)
      if (total[r] > 0)
        hc_simplex_row(&t->s, amounts + l * t->dims + r)[t->s.columns] =
            capacity[(size_t)l * t->dims + r] / total[r];
}

static void answer(const table *t, const hc_fair_problem *p, double *tasks, double *placed)
{
  for (uint32_t i = 0; i < t->s.rows; i++) {
    uint32_t y = t->s.basic[i], u = y / t->servers;
    double n;
    if (y >= t->s.level0) continue;
    n = hc_simplex_row(&t->s, i)[t->s.columns] / t->step[u];
    tasks[u] += n;
    if (placed) placed[y] = n;
  }
  for (uint32_t u = 0; p->most && u < t->s.members; u++) tasks[u] = HC_MIN(tasks[u], p->most[u]);
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
  size_t cells = hc_simplex_cells(&t->s);
  *bytes = (cells + t->s.members) * sizeof(double) + t->s.rows * sizeof *t->s.basic + t->s.columns +
           t->s.members;
  *memory = cells > HC_SIMPLEX_CELLS ? NULL : hc_alloc(a, *bytes);
  if (cells > HC_SIMPLEX_CELLS)
    return hc_fail(e, HC_ELIMIT, "DRFH", 0, 0,
                   "%u users on %u classes of servers need a table of %zu cells, the "
                   "limit is %zu: merge equal servers",
                   t->s.members, t->servers, cells, HC_SIMPLEX_CELLS);
  if (!*memory) return hc_fail(e, HC_ENOMEM, "DRFH", 0, 0, "no memory for a table of %zu cells", cells);
  t->s.cell = *memory;
  t->step = t->s.cell + cells;
  t->s.basic = (uint32_t *)(void *)(t->step + t->s.members);
  t->s.dead = (bool *)(void *)(t->s.basic + t->s.rows);
  *frozen = t->s.dead + t->s.columns;
  return 0;
}

hc_rc hc_fair_drfh(const hc_allocator *a, const hc_fair_problem *problem, uint32_t servers,
                   const double *capacity, double *tasks, double *placed, hc_error *e)
{
  hc_fair_problem p = *problem;
  double total[HC_DIMENSIONS];
  table t = {.s = {.members = p.users}, .servers = servers, .dims = p.dims};
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
  if (columns > HC_SIMPLEX_CELLS || (uint64_t)servers * p.dims > HC_SIMPLEX_CELLS)
    return hc_fail(e, HC_ELIMIT, "DRFH", 0, 0, "%u users on %u classes of servers: merge equal ones", p.users,
                   servers);
  t.s.rows = p.users + servers * p.dims + (p.most ? p.users : 0);
  t.s.level0 = p.users * servers;
  t.s.slack0 = t.s.level0 + p.users;
  t.s.columns = t.s.slack0 + t.s.rows;
  TRY(lay_out(&t, a, &memory, &bytes, &frozen, e));
  if (placed) memset(placed, 0, (size_t)p.users * servers * sizeof *placed);
  for (uint32_t u = 0; u < p.users; u++) {
    frozen[u] = !hc_fair_can_run(&p, u, &tasks[u]);
    if (!frozen[u]) t.step[u] = step_of(&p, u);
  }
  build(&t, &p, capacity, total);
  hc_simplex_levels(&t.s, frozen, p.users);
  answer(&t, &p, tasks, placed);
  hc_free(a, memory, bytes);
  return 0;
}
