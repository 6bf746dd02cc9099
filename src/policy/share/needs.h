/* needs.h -- vectors of needs, each kept once and known by a number: kinds.
 *
 * Many users ask for the same few things, so what depends on a need alone (does it fit, how well does it go
 * with a host) is worked out once for all that share it. A number is used again when it is not held any
 * more. */
#ifndef HC_POLICY_SHARE_NEEDS_H
#define HC_POLICY_SHARE_NEEDS_H

#include "base/set.h"

#define HC_NO_KIND UINT32_MAX

typedef struct hc_needs {
  const hc_allocator *allocator;
  uint32_t dims;
  int64_t *need;  /* [count][dims] */
  uint32_t *held; /* [count] 0: the number is free */
  uint32_t *next; /* [count] of the free ones */
  size_t count, need_cap, held_cap, next_cap;
  hc_set known;
  uint32_t vacant;
} hc_needs;

void hc_needs_init(hc_needs *n, const hc_allocator *a, uint32_t dims);
void hc_needs_fini(hc_needs *n);
/* Hold the number of a need, a new one if it is new. @return 0, HC_ENOMEM. */
hc_rc hc_needs_hold(hc_needs *n, const int64_t *need, uint32_t *kind);
void hc_needs_drop(hc_needs *n, uint32_t kind);
static inline const int64_t *hc_needs_of(const hc_needs *n, uint32_t kind)
{
  return n->need + (size_t)kind * n->dims;
}

#endif
