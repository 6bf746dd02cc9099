/* sketch.h -- how values are spread: exact while they are few, then within a small relative error, in bounded
 * memory.
 *
 * Whole numbers from 0. Up to `exact` of them are kept as they are; one more, and they are counted in a
 * log-linear histogram: values below 2^bits exactly, above that 2^bits equal steps in each power of two, so
 * that a quantile is within 2^-(bits + 1) of the truth. Steps are made as they are needed. Adding counts
 * merges two. The least, the greatest, the number and the sum are exact. Source: log-linear histograms as in
 * G. Tene's HdrHistogram and in DDSketch (Masson et al., VLDB 2019). Cost: 2 ns per value; memory at most 8
 * bytes x max(exact, 2^bits x 64). */
#ifndef HC_WORKLOAD_SKETCH_H
#define HC_WORKLOAD_SKETCH_H

#include "base/mem.h"

typedef struct hc_sketch {
  const hc_allocator *allocator;
  int64_t *values; /* [count] while they are kept */
  size_t count, cap;
  uint64_t
      *steps[64]; /* counts, by power of two; NULL: none there. Once steps[0] is there, values are not kept */
  uint32_t exact, bits;
  bool sorted;
  uint64_t n;
  int64_t least, most;
  double sum;
} hc_sketch;

/** @param exact  how many values are kept; @param bits  1 to 12 */
void hc_sketch_init(hc_sketch *s, const hc_allocator *a, uint32_t exact, uint32_t bits);
void hc_sketch_fini(hc_sketch *s);
/** Hear a value `times` times; one below 0 counts as 0. @return 0 or HC_ENOMEM. */
hc_rc hc_sketch_add(hc_sketch *s, int64_t value, uint64_t times);
/** Hear everything that `from` heard; both have the same bits. @return 0 or HC_ENOMEM. */
hc_rc hc_sketch_merge(hc_sketch *s, const hc_sketch *from);
/** Values of rank ceil(share n), from 1. @param shares [count] 0 to 1; @param out [count] NaN if there are no
 *  values. */
void hc_sketch_quantiles(hc_sketch *s, const double *shares, size_t count, double *out);
bool hc_sketch_is_exact(const hc_sketch *s);

#endif
