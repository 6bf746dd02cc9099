/* sum128.h -- how figures are summed: times and areas exactly, ratios with compensation, both in record
 * order.
 *
 * Exact sums are hc_wide (base/wide.h) and become a double in one final division. Ratios (slowdowns) have no
 * exact sum worth its cost, so their rounding errors are carried along: Neumaier's variant of Kahan's sum
 * with the branch-free two-sum of Knuth. The result of n terms of one sign is within 2^-52 + n 2^-104 of the
 * truth.
 * Source: Neumaier, ZAMM 54 (1974), doi:10.1002/zamm.19740540106. Cost: one dependent addition per term. */
#ifndef HC_METRIC_SUM128_H
#define HC_METRIC_SUM128_H

#include "base/wide.h"
#include "hindcast/record.h"

typedef struct hc_real_sum {
  double sum, rest;
} hc_real_sum;

static inline void hc_real_sum_add(hc_real_sum *s, double x)
{
  double t = s->sum + x, y = t - s->sum;
  s->rest += (s->sum - (t - y)) + (x - y);
  s->sum = t;
}

static inline double hc_real_sum_value(hc_real_sum s)
{
  return s.sum + s.rest;
}

/* a - b without the undefined behaviour that a damaged record could cause. */
static inline int64_t hc_time_between(hc_time from, hc_time to)
{
  return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* How long it ran: from its start to its end. One that was suspended in between, or worked at another rate,
 * ran for as long as its work takes, which it did. */
static inline hc_time hc_task_ran(const hc_task_record *r)
{
  return r->flags & HC_TASK_RATED && r->run != HC_UNKNOWN ? r->run : hc_time_between(r->start, r->end);
}
#define HC_RAN_TEXT \
  " For a task that was suspended, end - start stands for its run time without the suspensions."

/* Mean in seconds of `n` times in ns; NaN for none. */
double hc_mean_seconds(hc_wide sum, uint64_t n);
/* Mean of `n` ratios; NaN for none. */
double hc_mean_real(hc_real_sum sum, uint64_t n);
/* ns (x amount) to s (x amount). */
double hc_wide_seconds(hc_wide ns);
/* A time in seconds; NaN if unknown. */
double hc_seconds(hc_time t);

#endif
