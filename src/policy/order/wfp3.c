/* wfp3.c -- WFP3: long waits, short requests and large tasks first. */
#include "policy/estimate.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  double request = hc_request(task);
  double x = (double)(task->now - task->submitted) / request;
  (void)self;
  return hc_key_of_real(-(x * x * x) * (double)task->units);
}

const hc_order_type hc_order_wfp3 = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "wfp3",
                  .summary = "largest (wait / estimate)^3 x processors first",
                  .detail = "key = -(wait / estimate)^3 x processors, sorted anew at each decision. An "
                            "estimate of 0 counts as 1 ns. Tasks that have not waited, or have no "
                            "estimate, come last, in order of serial.",
                  .source = "Tang, Lan, Desai and Buettner, CLUSTER 2009, doi:10.1109/CLUSTR.2009.5289206"},
    .flags = hc_by_wait_and_estimate,
    .key = key,
};
