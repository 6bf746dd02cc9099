/* by_user.c -- a table of tasks by user. The work is in bytable.c. Cost: one look-up per task. */
#include "metric/bytable.h"

HC_BYTABLE("by_user", r->user)

const hc_metric_type hc_metric_by_user = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_user",
         .summary = "tasks, waits, slowdowns and area of each user",
         .detail = "A table with a row for each user that has tasks which started and ended; the key is its "
                   "number in the trace, -1 where the trace gives none.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    HC_BYTABLE_CALLS,
};
