/* peak.h -- the greatest of many numbers of which one changes at a time: a tree of maxima. O(log n) a
 * change. */
#ifndef HC_METRIC_PEAK_H
#define HC_METRIC_PEAK_H

#include "base/mem.h"
#include "base/util.h"

typedef struct hc_peak {
  int64_t *tree; /* [2 leaves]: the root is 1, number i is leaves + i */
  size_t leaves;
} hc_peak;

/* All of `n` numbers are 0. @return 0 or HC_ENOMEM. */
static inline hc_rc hc_peak_init(hc_peak *p, const hc_allocator *a, size_t n)
{
  p->leaves = 1;
  while (p->leaves < n) p->leaves *= 2;
  p->tree = hc_alloc(a, 2 * p->leaves * sizeof *p->tree);
  return p->tree ? 0 : HC_ENOMEM;
}

static inline void hc_peak_fini(hc_peak *p, const hc_allocator *a)
{
  hc_free(a, p->tree, 2 * p->leaves * sizeof *p->tree);
  p->tree = NULL;
}

static inline void hc_peak_set(hc_peak *p, size_t i, int64_t x)
{
  size_t at = p->leaves + i;
  p->tree[at] = x;
  while (at > 1) {
    int64_t most;
    at /= 2;
    most = HC_MAX(p->tree[2 * at], p->tree[2 * at + 1]);
    if (p->tree[at] == most) return;
    p->tree[at] = most;
  }
}

static inline int64_t hc_peak_get(const hc_peak *p, size_t i)
{
  return p->tree[p->leaves + i];
}

static inline int64_t hc_peak_most(const hc_peak *p)
{
  return p->tree[1]; /* with one leaf, that leaf */
}

#endif
