/* lxf.c -- largest expansion factor first. */
#include "policy/estimate.h"

/* An estimate of zero counts as one nanosecond. A task without an estimate has none: inf / inf is
 * no number, hence last, also among those that have not waited. */
static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  double wait = (double)(task->now - task->submitted);
  double request = hc_request(task);
  (void)self;
  return hc_key_of_real(-(wait + request) / request);
}

const hc_order_type hc_order_lxf = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "lxf",
                  .summary = "largest expansion factor (wait + estimate) / estimate first",
                  .detail = "key = -(wait + estimate) / estimate, sorted anew at each decision. An "
                            "estimate of 0 counts as 1 ns; a task without an estimate is last.",
                  .source = "Srinivasan, Kettimuthu, Subramani and Sadayappan, ICPP Workshops 2002"},
    .flags = hc_by_wait_and_estimate,
    .key = key,
};
