/* ljf.c -- longest job first, by estimate. An endless estimate is the longest. */
#include "policy/estimate.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return -task->estimate;
}

const hc_order_type hc_order_ljf = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "ljf",
                  .summary = "longest estimate first",
                  .detail = "key = -estimate. A task without an estimate is first."},
    .flags = hc_by_estimate,
    .key = key,
};
