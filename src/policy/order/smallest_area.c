/* smallest_area.c -- least processors x estimate first. */
#include "policy/area.h"
#include "policy/estimate.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return hc_area_key(task->units, task->estimate);
}

const hc_order_type hc_order_smallest_area = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "smallest_area",
                  .summary = "least processors x estimate first",
                  .detail = "key = processors x estimate, compared exactly up to 4.6e9 processor-seconds, "
                            "and beyond that in steps of 2^20 processor-ns. A task without an estimate is "
                            "last."},
    .flags = hc_by_estimate,
    .key = key,
};
