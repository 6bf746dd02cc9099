/* by_queue.c -- a table of tasks by the queue they were submitted to. The work is in bytable.c. Cost: one
 * look-up per task. */
#include "metric/bytable.h"

HC_BYTABLE("by_queue", r->queue)

const hc_metric_type hc_metric_by_queue = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_queue",
         .summary = "tasks, waits, slowdowns and area of each queue",
         .detail = "A table with a row for each queue that has tasks which started and ended; the key is its "
                   "number in the trace, -1 where the trace gives none.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    HC_BYTABLE_CALLS,
};
