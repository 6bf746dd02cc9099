/* full.c -- from the first instant at which the machine is full to the last submission.
 *
 * A run begins with an empty machine, on which every task is served at once; what counts begins when that is
 * over. If the machine was never full, no task counts and the time is empty: there was no steady part. */
#include "base/util.h"
#include "hindcast/metric.h"

static bool keeps(const void *options, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  HC_UNUSED(options);
  HC_UNUSED(rank);
  return in->full_from != HC_UNKNOWN && task->submit >= in->full_from && task->submit <= in->last_submit;
}

static void window(const void *options, const hc_trim_input *in, hc_time *from, hc_time *to)
{
  HC_UNUSED(options);
  *from = in->full_from == HC_UNKNOWN ? in->last_submit : in->full_from;
  *to = HC_MAX(*from, in->last_submit);
}

const hc_trim_type hc_trim_full = {
    .component = {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "full",
                  .summary = "tasks submitted since the machine was first full",
                  .detail =
                      "Keeps tasks submitted from the first instant at which every unit is busy to the last "
                      "submission. Integrals run over that time. No task counts if the machine was never "
                      "full."},
    .keeps = keeps,
    .window = window,
};
