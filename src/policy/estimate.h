/* estimate.h -- what orders that read estimates have in common. */
#ifndef HC_POLICY_ESTIMATE_H
#define HC_POLICY_ESTIMATE_H

#include "hindcast/policy.h"

/* The `flags` of an order by estimate, whose keys stay. */
static inline uint32_t hc_by_estimate(const void *options)
{
  (void)options;
  return HC_NEEDS_ESTIMATE;
}

/* The `flags` of an order by estimate and wait, whose keys change with time. */
static inline uint32_t hc_by_wait_and_estimate(const void *options)
{
  (void)options;
  return HC_VARIES | HC_NEEDS_ESTIMATE;
}

/* The estimate in ns as a divisor: one of zero counts as one nanosecond, none is infinite. */
static inline double hc_request(const hc_order_input *task)
{
  if (task->estimate == HC_NEVER) return __builtin_inf();
  return task->estimate > 0 ? (double)task->estimate : 1.0;
}

#endif
