/* packing.h -- how badly a task and what is free on a host go together: less is better.
 *
 * d is the task's need, f what is free, both divided by something common before. The published measures
 * differ by more than a constant, so that a tolerance on one is none on another:
 *   angle         1 - cos(d, f)                         in [0, 1]
 *   angle_length  (1 - cos(d, f)) |f| / |d|             least waste of direction and of length
 *   cosine        1 / cos(d, f)                         as angle, in [1, inf)
 *   dot           1 / (d . f)                           prefers large tasks on empty hosts
 *   drfh          sum_r |d_r / d_1 - f_r / f_1|          1: the first dimension that is needed
 * Sources: YTsaurus (angle, angle_length); Grandl et al., Tetris, SIGCOMM 2014 (dot); Wang, Li and Liang,
 * DRFH, INFOCOM 2014. */
#ifndef HC_POLICY_PACKING_H
#define HC_POLICY_PACKING_H

#include "hindcast/base.h"

#define HC_PACKINGS "angle|angle_length|cosine|dot|drfh" /* in the order of hc_packing */
typedef enum hc_packing {
  HC_PACK_ANGLE,
  HC_PACK_ANGLE_LENGTH,
  HC_PACK_COSINE,
  HC_PACK_DOT,
  HC_PACK_DRFH
} hc_packing;

/* Infinite where a quotient has nothing below it; 0 for a task that needs nothing. Cost: O(dims). */
double hc_packing_of(hc_packing measure, uint32_t dims, const double *need, const double *free);

/* Of those that are alignments, the alignment itself, greater for what goes better: dot is d . f, cosine is
 * cos(d, f). Others have none. */
static inline bool hc_packing_aligns(hc_packing measure)
{
  return measure == HC_PACK_DOT || measure == HC_PACK_COSINE;
}
double hc_packing_alignment(hc_packing measure, uint32_t dims, const double *need, const double *free);

#endif
