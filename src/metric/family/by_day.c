/* by_day.c -- a table of tasks by the day on which they were submitted.
 *
 * The calendar is the run's: its Unix origin and one offset from UTC for the whole of it. A change of the
 * clocks moves some tasks by a day at most. The work is in bytable.c. Cost: a division by a constant and a
 * look-up per task. */
#include "metric/bytable.h"

HC_BYTABLE("by_day", self->base_day + hc_floor_div(hc_bytable_local(self, r->submit), HC_DAY))

const hc_metric_type hc_metric_by_day = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_day",
         .summary = "tasks, waits, slowdowns and area by the day on which they were submitted",
         .detail =
             "A table with a row for each day on which a task was submitted that started and ended. The key "
             "is the number of the local day from 1970-01-01; where the run's origin is not known, from the "
             "origin.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    HC_BYTABLE_CALLS,
};
