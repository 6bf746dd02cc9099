/* priority.c -- highest priority first. */
#include "hindcast/policy.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return task->priority == INT64_MIN ? INT64_MAX : -task->priority;
}

const hc_order_type hc_order_priority = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "priority",
                  .summary = "highest priority first",
                  .detail = "key = -priority, as the trace or a transform gives it; ties by serial."},
    .key = key,
};
