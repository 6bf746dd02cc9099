/* fair_line.h -- the least of n keys among those whose need fits.
 *
 * A tournament that knows, at each node, the least that anybody below it needs, dimension by dimension: who cannot fit
 * is passed over by the subtree. Without a bound on what is free it is a plain tournament. */
#ifndef HC_POLICY_FAIR_LINE_H
#define HC_POLICY_FAIR_LINE_H

#include "hindcast/base.h"

typedef struct hc_line {
  const hc_allocator *allocator;
  uint32_t dims, leaves; /* leaves: a power of two, or 0 */
  double *key;           /* [leaves] */
  uint64_t *tie;         /* [leaves] decides between equal keys; then the lower index */
  uint32_t *winner;      /* [2 leaves] node 1 is the root, leaf i is leaves + i; HC_NOBODY */
  int64_t *least;        /* [2 leaves][dims] */
} hc_line;

/* Room for `count` places; what is in it stays. @return 0 or HC_ENOMEM. */
hc_rc hc_line_grow(hc_line *l, const hc_allocator *a, uint32_t dims, uint32_t count);
void hc_line_fini(hc_line *l);
/* Put somebody in, or change its key or its need. @param need [dims]; NULL: take it out. Cost: O(dims log count). */
void hc_line_set(hc_line *l, uint32_t i, double key, uint64_t tie, const int64_t *need);
/* The first that needs at most `free` [dims] (NULL: anybody), or HC_NOBODY. Cost: O(1) if the first of all does, else
 * O(dims log count) where needs are alike, and at worst O(dims count). */
uint32_t hc_line_first(const hc_line *l, const int64_t *free);
static inline bool hc_line_has(const hc_line *l, uint32_t i)
{
  return l->winner[l->leaves + i] == i;
}

#endif
