/* smallest.c -- fewest processors first. */
#include "hindcast/policy.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return task->units;
}

const hc_order_type hc_order_smallest = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "smallest",
                  .summary = "fewest processors first", .detail = "key = processors."},
    .key = key,
};
