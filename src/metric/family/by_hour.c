/* by_hour.c -- a table of tasks by the hour of the day at which they were submitted.
 *
 * The calendar is the run's: its Unix origin and one offset from UTC for the whole of it. After a
 * change of the clocks the hours are those before it. The work is in bytable.c.
 * Cost: two divisions by constants and a look-up per task. */
#include "metric/bytable.h"

static int64_t hour_of(hc_time local)
{
  const int64_t hour = hc_floor_div(local, HC_HOUR);
  return hour - 24 * hc_floor_div(hour, 24);
}

HC_BYTABLE("by_hour", hour_of(hc_bytable_local(self, r->submit)))

const hc_metric_type hc_metric_by_hour = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_hour",
         .summary = "tasks, waits, slowdowns and area by the hour of the day at which they were submitted",
         .detail =
             "A table with a row for each hour of the local day, 0 to 23, in which a task was submitted that "
             "started and ended. Where the run's origin is not known, its days begin at the origin.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    HC_BYTABLE_CALLS,
};
