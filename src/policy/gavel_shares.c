/* gavel_shares.c -- see gavel_shares.h. */
#include "policy/gavel_shares.h"

#include "base/mem.h"
#include "base/util.h"
#include "policy/simplex.h"

/* Rows: levels of the kinds, their time, the types. Columns: X, levels, slacks. */
static void lay_out(hc_simplex *t, const hc_gavel_problem *p)
{
  t->members = p->kinds;
  t->rows = 2 * p->kinds + p->types;
  t->level0 = p->kinds * p->types;
  t->slack0 = t->level0 + p->kinds;
  t->columns = t->slack0 + t->rows;
}

/* What a whole second on a type is worth to a kind, of the most that it is to any. */
static double worth_most(const hc_gavel_problem *p)
{
  double most = 0;
  for (uint32_t m = 0; m < p->kinds; m++)
    for (uint32_t k = 0; k < p->types; k++)
      most = HC_MAX(most, p->gain[m] * p->speed[(size_t)m * p->types + k]);
  return most > 0 ? most : 1;
}

static void build(hc_simplex *t, const hc_gavel_problem *p, hc_gavel_aim aim)
{
  const double most = worth_most(p);
  hc_simplex_begin(t);
  for (uint32_t m = 0; m < p->kinds; m++) {
    for (uint32_t k = 0; k < p->types; k++) {
      const uint32_t x = m * p->types + k;
      const double worth = p->gain[m] * p->speed[x] / most;
      t->dead[x] = !(worth > 0 && p->workers[k] > 0);
      if (t->dead[x]) continue;
      hc_simplex_row(t, m)[x] = -worth;
      hc_simplex_row(t, p->kinds + m)[x] = 1;
      hc_simplex_row(t, 2 * p->kinds + k)[x] = p->tasks[m] * p->gpus[m] / p->workers[k];
      if (aim == HC_GAVEL_SUM) hc_simplex_row(t, t->rows)[x] = -worth * p->tasks[m];
    }
    hc_simplex_row(t, p->kinds + m)[t->columns] = 1;
  }
  for (uint32_t k = 0; k < p->types; k++) hc_simplex_row(t, 2 * p->kinds + k)[t->columns] = 1;
}

/* A kind that can run nowhere has no part in a level, which it would keep at 0 for all. */
static bool has_none(const hc_simplex *t, const hc_gavel_problem *p, uint32_t m)
{
  for (uint32_t k = 0; k < p->types; k++)
    if (!t->dead[m * p->types + k]) return false;
  return true;
}

static void answer(const hc_simplex *t, double *share)
{
  for (uint32_t x = 0; x < t->level0; x++) share[x] = 0;
  for (uint32_t i = 0; i < t->rows; i++)
    if (t->basic[i] < t->level0) share[t->basic[i]] = HC_MIN(HC_MAX(hc_simplex_row(t, i)[t->columns], 0), 1);
}

uint32_t hc_gavel_most(uint32_t types)
{
  hc_gavel_problem p = {.kinds = HC_GAVEL_KINDS, .types = types};
  hc_simplex t;
  for (; p.kinds > 0; p.kinds--) {
    lay_out(&t, &p);
    if (hc_simplex_cells(&t) <= HC_SIMPLEX_CELLS) return p.kinds;
  }
  return 0;
}

hc_rc hc_gavel_shares(const hc_allocator *a, const hc_gavel_problem *p, hc_gavel_aim aim, double *share)
{
  hc_simplex t = {0};
  size_t cells, bytes;
  bool *frozen;
  if (p->kinds == 0) return 0;
  if (p->kinds > hc_gavel_most(p->types)) return HC_ELIMIT;
  lay_out(&t, p);
  cells = hc_simplex_cells(&t);
  bytes = cells * sizeof *t.cell + t.rows * sizeof *t.basic + t.columns + t.members;
  t.cell = hc_alloc(a, bytes);
  if (!t.cell) return HC_ENOMEM;
  t.basic = (uint32_t *)(void *)(t.cell + cells);
  t.dead = (bool *)(void *)(t.basic + t.rows);
  frozen = t.dead + t.columns;
  build(&t, p, aim);
  for (uint32_t m = 0; m < p->kinds; m++) frozen[m] = has_none(&t, p, m);
  if (aim == HC_GAVEL_SUM) hc_simplex_maximise(&t);
  else hc_simplex_levels(&t, frozen, aim == HC_GAVEL_ONE_LEVEL ? 1 : p->kinds);
  answer(&t, share);
  hc_free(a, t.cell, bytes);
  return 0;
}
