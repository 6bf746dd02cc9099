/* quantile.h -- quantiles of times and of ratios: exact while few, then within 2^-11.
 *
 * Up to 2^16 values are kept and the answer is exact. One more, and they are counted in a log-linear
 * histogram of fixed size: 2^10 equal steps in each power of two from 1 to 2^64. A quantile is then the
 * middle of its step, clamped to the exact least and greatest, so its relative error is at most half a step:
 * 2^-11. Adding counts merges two.
 *
 * The quantile q of n values is the one of rank ceil(q n), from 1 (nearest rank, no interpolation).
 * Values: times in ns (whole, >= 0) or ratios (0 or >= 1); what lies between 0 and 1 is counted as 0.
 * Source: log-linear histograms as in G. Tene's HdrHistogram and in DDSketch (Masson et al., VLDB 2019).
 * Memory: 512 KiB at most, either way. Cost: 1 ns per value kept, 2 to 4 counted. */
#ifndef HC_BASE_QUANTILE_H
#define HC_BASE_QUANTILE_H

#include "hindcast/figure.h"

#define HC_QUANTILE_EXACT ((size_t)1 << 16) /* values kept before they are counted */
#define HC_QUANTILE_BITS 10                 /* log2 of the steps in a power of two */

/* For the detail of families that use it. */
#define HC_QUANTILE_DETAIL \
  "Quantiles are the value of rank ceil(q n): exact up to 65536 tasks, above that from a log-linear " \
  "histogram, within 2^-11 (0.05 %) of the value. The maximum is always exact."

typedef struct hc_quantile {
  const hc_allocator *allocator;
  uint64_t *items;   /* the doubles' bits (which sort as the values do), or the counts */
  size_t count, cap; /* of items */
  uint64_t n;        /* values heard */
  double least, greatest;
  uint64_t counts; /* 1: items are counts */
} hc_quantile;

void hc_quantile_init(hc_quantile *q, const hc_allocator *a);
void hc_quantile_fini(hc_quantile *q);
/* @return 0 or HC_ENOMEM. */
hc_rc hc_quantile_add(hc_quantile *q, const double *values, size_t n);
/* Count all of `from` in `q` too. @return 0 or HC_ENOMEM. */
hc_rc hc_quantile_merge(hc_quantile *q, const hc_quantile *from);
/* @param q_permille [n] ascending, 0 .. 1000. @param out [n] NaN if there are no values. @return 0 or
 * HC_ENOMEM. */
hc_rc hc_quantile_get(const hc_quantile *q, const int *q_permille, size_t n, double *out);
hc_rc hc_quantile_visit(hc_quantile *q, hc_visitor *v);

/* Find p50 p90 p95 p99 max: five figures named prefix_p50 ... prefix_max, each divided by `divisor`; of
 * these, what is wanted. Exact ones are sorted for, but for the greatest. */
hc_rc hc_quantile_find(const hc_quantile *q, hc_findings *f, const char *prefix, const char *unit,
                       double divisor);

#endif
