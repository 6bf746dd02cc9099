/* stat_parts.h -- what the files of statistics share. */
#ifndef HC_STUDY_STAT_PARTS_H
#define HC_STUDY_STAT_PARTS_H

#include "hindcast/study.h"

/* Ascending; NaN must have been left out. */
void hc_stat_sort(double *values, size_t count);

/* The two rank tests of differences, into p_sign, p_wilcoxon, rank_sum, above, below. NaN are left out. */
hc_rc hc_stat_ranks(const hc_allocator *a, const double *differences, size_t count, hc_stat_pairs *out);

/* How likely signed ranks as great, or as small, as those of the differences to a bound are if the
 * differences lie about it: that they lie above, and below. Zeros and NaN are left out; nothing left: 1 and
 * 1. */
typedef struct hc_stat_sides {
  double above, below;
} hc_stat_sides;
hc_rc hc_stat_signed_sides(const hc_allocator *a, const double *differences, size_t count, double bound,
                           hc_stat_sides *out);

/* t, its p value and the interval, into `out`. */
hc_rc hc_stat_paired_t(const double *differences, size_t count, double level, hc_stat_pairs *out);

#endif
