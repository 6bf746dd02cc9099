/* estimate.c -- a mean and its confidence interval by batch means.
 *
 * Waiting times of one run are correlated: a long wait is followed by others. Means of long consecutive
 * batches hardly are, so Student's t over them gives an interval that holds, where the same over single
 * values would be far too narrow. It does not choose the number of batches: 30 is what the literature
 * recommends for one long run. Source: Law and Kelton, Simulation Modeling and Analysis, section 9.5.3. Cost:
 * one pass. */
#include "hindcast/study.h"

#include "base/math.h"

#define BATCH_LIMIT 1000u

hc_rc hc_estimate_mean(const double *values, size_t count, uint32_t batches, hc_estimate *out)
{
  double means[BATCH_LIMIT], total = 0, squares = 0, center = 0, degrees;
  size_t n, at = 0;
  if (batches < 2 || batches > BATCH_LIMIT) return HC_EUSAGE;
  *out = (hc_estimate){.count = count};
  out->half_width = hc_sqrt(-1.0); /* NaN: not known */
  n = count < batches ? count : batches;
  out->batches = (uint32_t)n;
  if (n == 0) {
    out->mean = out->half_width;
    return 0;
  }
  for (size_t b = 0; b < n; b++) {
    size_t length = count / n + (b < count % n);
    double sum = 0;
    for (size_t i = 0; i < length; i++) sum += values[at++];
    total += sum;
    means[b] = sum / (double)length;
    center += means[b];
  }
  out->mean = total / (double)count;
  center /= (double)n;
  if (n < 2) return 0;
  for (size_t b = 0; b < n; b++) squares += (means[b] - center) * (means[b] - center);
  degrees = (double)(n - 1);
  out->half_width = hc_student_t(0.95, degrees) * hc_sqrt(squares / degrees / (double)n);
  return 0;
}
