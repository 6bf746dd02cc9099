/* fcfs.c -- first come, first served: by submission, ties by serial. */
#include "hindcast/policy.h"

static uint32_t flags(const void *options)
{
  (void)options;
  return HC_BY_SUBMISSION;
}

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return task->submitted;
}

const hc_order_type hc_order_fcfs = {
    .component =
        {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "fcfs",
         .summary = "first come, first served",
         .detail =
             "key = submission time, or schedule_after if that is later; for a task that was put at the end "
             "of the queue, the time of that. Tasks with equal keys go by serial: in order of submission, "
             "then of id, then of row (with sort_window: 1, of row alone)."},
    .flags = flags,
    .key = key,
};
