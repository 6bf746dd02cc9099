/* by_group.c -- a table of tasks by group of users. The work is in bytable.c. Cost: one look-up per task. */
#include "metric/bytable.h"

HC_BYTABLE("by_group", r->group)

const hc_metric_type hc_metric_by_group = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_group",
         .summary = "tasks, waits, slowdowns and area of each group of users",
         .detail =
             "A table with a row for each group of users that has tasks which started and ended; the key is "
             "its number in the trace, -1 where the trace gives none.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    HC_BYTABLE_CALLS,
};
