/* unicep.c -- UNICEF: small tasks that have waited first.
 *
 * The formula divides by log2(processors), which is 0 for one processor: such a task, or one of less than
 * a core, comes before all others once it has waited, and among its like the serial decides. */
#include "base/math.h"
#include "policy/estimate.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  double wait = (double)(task->now - task->submitted);
  double request = hc_request(task);
  double weight = task->procs > 1 ? hc_log2(task->procs) * request : 0;
  (void)self;
  return wait <= 0 ? 0 : hc_key_of_real(weight > 0 ? -wait / weight : -__builtin_inf());
}

const hc_order_type hc_order_unicep = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "unicep",
                  .summary = "largest wait / (log2(processors) x estimate) first (UNICEF)",
                  .detail = "key = -wait / (log2(processors) x estimate), sorted anew at each decision. A "
                            "task of one processor, or less, comes before all others once it has waited. An "
                            "estimate of 0 counts as 1 ns; a task of several processors without an estimate "
                            "is last.",
                  .source = "Tang, Lan, Desai and Buettner, CLUSTER 2009, doi:10.1109/CLUSTR.2009.5289206"},
    .flags = hc_by_wait_and_estimate,
    .key = key,
};
