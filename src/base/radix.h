/* radix.h -- a stable sort of (key, value) pairs by unsigned key, for finishing tables and replaying
 * records. */
#ifndef HC_BASE_RADIX_H
#define HC_BASE_RADIX_H

#include "hindcast/base.h"

typedef struct hc_pair {
  uint64_t key, value;
} hc_pair;

/* Signed numbers in unsigned order. */
static inline uint64_t hc_pair_key(int64_t x)
{
  return (uint64_t)x ^ (uint64_t)1 << 63;
}

/* Sort in place through scratch of the same size. @return 0 or HC_ENOMEM (order unchanged).
 * Cost: two passes for each of the eight bytes in which the keys differ. */
hc_rc hc_pairs_sort(const hc_allocator *a, hc_pair *pairs, size_t n);


/* The keys that have these ranks, from 0, in ascending order; the sample itself is left as it is.
 * @param ranks [count] ascending, below n @param out [count] @return 0 or HC_ENOMEM
 * Cost: two passes, and a sort of the keys whose first eleven bits that differ are those of one asked for. */
hc_rc hc_keys_at(const hc_allocator *a, const uint64_t *keys, size_t n, const uint64_t *ranks, size_t count,
                 uint64_t *out);

#endif
