/* simplex.h -- linear programmes whose origin is feasible, and max-min fairness by them, level by level.
 *
 *   maximise  c x   where  A x <= b,  x >= 0,  and no b is negative.
 *
 * Zero is feasible, so there is no first phase. The tableau is dense; its columns are
 *   x | levels | slacks | right side,
 * and its last row is the objective, -c. The first `members` rows are those of members: row i says
 *   level - (what member i has by x) <= 0.
 *
 * Max-min: a level is raised for all members as far as it goes. At the optimum, members whose row has a price
 * can only have more if another has less: they are frozen. The others go on with a further level on top, in
 * the same tableau: its column is the sum of the slack columns of their rows. What would lower an earlier
 * level (a column with a reduced cost) may never come in again, which makes the result the lexicographic
 * max-min. At least one member is frozen a level.
 *
 * Entering: the least reduced cost, the first column that has one after a step without progress (Bland), so
 * that it cannot cycle. Leaving: the least ratio, ties to the lowest column. Coefficients are meant to be of
 * order 1. Cost: O(rows x columns) a step.
 *
 * Source: Dantzig, Linear programming and extensions, 1963; Bland, Mathematics of Operations Research 2(2),
 * 1977, doi:10.1287/moor.2.2.103. The levels after the first are ours. */
#ifndef HC_POLICY_SIMPLEX_H
#define HC_POLICY_SIMPLEX_H

#include <stddef.h>
#include <stdint.h>

#include "hindcast/base.h"

#define HC_SIMPLEX_CELLS ((size_t)1 << 23) /* most that a tableau may have */
#define HC_SIMPLEX_ZERO 1e-11

typedef struct hc_simplex {
  uint32_t members, rows, columns; /* without the objective, without the right side */
  uint32_t level0, slack0;         /* first columns of the levels, one a member, and of the slacks */
  double *cell;                    /* [rows + 1][columns + 1] */
  uint32_t *basic;                 /* [rows] column */
  bool *dead;                      /* [columns] it may not come in */
} hc_simplex;

static inline double *hc_simplex_row(const hc_simplex *t, uint32_t row)
{
  return t->cell + (size_t)row * (t->columns + 1);
}
static inline size_t hc_simplex_cells(const hc_simplex *t)
{
  return (size_t)(t->rows + 1) * (t->columns + 1);
}

/** All slacks are basic, no level counts. @param t zeroed memory, sizes set */
void hc_simplex_begin(hc_simplex *t);
/** As far as it goes, by the objective's row. */
void hc_simplex_maximise(hc_simplex *t);
/** Max-min. @param frozen [members] in: which have no part in it; out: which can have no more
 *  @param most so many levels at most: 1 is plain max-min, `members` the lexicographic one */
void hc_simplex_levels(hc_simplex *t, bool *frozen, uint32_t most);

#endif
