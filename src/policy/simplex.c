/* simplex.c -- see simplex.h. */
#include "policy/simplex.h"

#include <string.h>

#include "base/util.h"

void hc_simplex_begin(hc_simplex *t)
{
  for (uint32_t i = 0; i < t->rows; i++) {
    hc_simplex_row(t, i)[t->slack0 + i] = 1;
    t->basic[i] = t->slack0 + i;
  }
  for (uint32_t k = t->level0; k < t->slack0; k++) t->dead[k] = true; /* until their round */
}

static void pivot(hc_simplex *t, uint32_t row, uint32_t column)
{
  double *p = hc_simplex_row(t, row), by = 1 / p[column];
  for (uint32_t k = 0; k <= t->columns; k++) p[k] *= by;
  p[column] = 1;
  for (uint32_t i = 0; i <= t->rows; i++) {
    double *x = hc_simplex_row(t, i), f = x[column];
    if (i == row || f == 0) continue;
    for (uint32_t k = 0; k <= t->columns; k++) x[k] -= f * p[k];
    x[column] = 0;
    if (i < t->rows && x[t->columns] < 0) x[t->columns] = 0; /* by rounding only */
  }
  t->basic[row] = column;
}

static uint32_t entering(const hc_simplex *t, bool first)
{
  const double *z = hc_simplex_row(t, t->rows);
  uint32_t best = t->columns;
  for (uint32_t k = 0; k < t->columns; k++) {
    if (t->dead[k] || !(z[k] < -HC_SIMPLEX_ZERO) || (best < t->columns && !(z[k] < z[best]))) continue;
    best = k;
    if (first) break;
  }
  return best;
}

static uint32_t leaving(const hc_simplex *t, uint32_t column)
{
  uint32_t best = t->rows;
  double least = 0;
  for (uint32_t i = 0; i < t->rows; i++) {
    const double *x = hc_simplex_row(t, i);
    double ratio;
    if (!(x[column] > HC_SIMPLEX_ZERO)) continue;
    ratio = x[t->columns] / x[column];
    if (best < t->rows && (ratio > least || (ratio == least && t->basic[i] > t->basic[best]))) continue;
    best = i;
    least = ratio;
  }
  return best;
}

void hc_simplex_maximise(hc_simplex *t)
{
  bool stuck = false;
  for (;;) {
    uint32_t column = entering(t, stuck), row;
    double before = hc_simplex_row(t, t->rows)[t->columns];
    if (column == t->columns) return;
    row = leaving(t, column);
    if (row == t->rows) { /* no bound, which rounding alone can make: leave the column where it is */
      t->dead[column] = true;
      continue;
    }
    pivot(t, row, column);
    stuck = !(hc_simplex_row(t, t->rows)[t->columns] > before);
  }
}

/* A level on top of the earlier ones for the members that are not frozen: its column, and the objective. */
static void next_level(hc_simplex *t, uint32_t round, const bool *frozen)
{
  uint32_t column = t->level0 + round;
  for (uint32_t i = 0; i < t->rows; i++) {
    double *x = hc_simplex_row(t, i), sum = 0;
    for (uint32_t u = 0; u < t->members; u++)
      if (!frozen[u]) sum += x[t->slack0 + u];
    x[column] = sum;
  }
  memset(hc_simplex_row(t, t->rows), 0, (t->columns + 1) * sizeof *t->cell);
  hc_simplex_row(t, t->rows)[column] = -1;
  t->dead[column] = false;
}

/* Freeze members that have a price; what costs something stays out for good. @return how many were frozen */
static uint32_t settle(hc_simplex *t, bool *frozen)
{
  const double *z = hc_simplex_row(t, t->rows);
  uint32_t n = 0;
  for (uint32_t u = 0; u < t->members; u++) {
    if (frozen[u] || !(z[t->slack0 + u] > HC_SIMPLEX_ZERO)) continue;
    frozen[u] = true;
    n++;
  }
  for (uint32_t k = 0; k < t->columns; k++) t->dead[k] |= z[k] > HC_SIMPLEX_ZERO;
  return n;
}

void hc_simplex_levels(hc_simplex *t, bool *frozen, uint32_t most)
{
  uint32_t left = 0;
  for (uint32_t u = 0; u < t->members; u++) left += !frozen[u];
  for (uint32_t round = 0; left > 0 && round < most; round++) {
    uint32_t n;
    next_level(t, round, frozen);
    hc_simplex_maximise(t);
    n = settle(t, frozen);
    if (n == 0) return; /* by rounding only: no member has anything left to gain */
    left -= n;
  }
}
