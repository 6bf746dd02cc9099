/* area.h -- processors x time as a 64-bit key that keeps the order of the 128-bit product. */
#ifndef HC_POLICY_AREA_H
#define HC_POLICY_AREA_H

#include "base/wide.h"

/* The product itself up to 2^62 (4.6e9 processor-seconds); from there on in steps of 2^20 ns (a processor
 * for 1 ms), so that tasks of weeks on 100,000 processors still differ. An unknown estimate is larger than
 * everything. */
static inline int64_t hc_area_key(int64_t units, hc_time estimate)
{
  const uint64_t exact = UINT64_C(1) << 62;
  hc_wide area = hc_wide_product(units, estimate);
  uint64_t lo = area.lo, hi = (uint64_t)area.hi;
  if (estimate == HC_NEVER) return INT64_MAX;
  if (area.hi == 0 && lo < exact) return (int64_t)lo;
  if (hi >= UINT64_C(1) << 17) return INT64_MAX - 1;
  return (int64_t)(exact + (hi << 44 | lo >> 20) - (exact >> 20));
}

#endif
