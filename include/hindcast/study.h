/** @file study.h
 *  Statistics over results: how two runs of one workload differ. */
#ifndef HINDCAST_STUDY_H
#define HINDCAST_STUDY_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A mean and how sure it is. */
typedef struct hc_estimate {
  uint64_t count;   /* values */
  uint32_t batches; /* means that the interval is made of */
  double mean;
  double half_width; /* of the 95 % interval, in the values' unit; NaN below two batches */
} hc_estimate;

/** Mean of a correlated series and its 95 % confidence interval by batch means: the series is cut into
 * `batches` consecutive parts of equal length (the first ones longer by one), whose means are taken as
 * independent, and the interval is Student's t over them. Fewer values than batches: each is a batch.
 *  @param values [count] in order of submission; @param batches 2 to 1000, 30 is usual
 *  @return 0, or HC_EUSAGE if `batches` is out of range. Cost: O(count), no memory. Deterministic.
 *  Source: Law and Kelton, Simulation Modeling and Analysis, section 9.5.3. */
HC_API hc_rc hc_estimate_mean(const double *values, size_t count, uint32_t batches, hc_estimate *out);

#ifdef __cplusplus
}
#endif
#endif
