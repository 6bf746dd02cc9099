/* by_hour.c -- a table of tasks by the hour of the day at which they were submitted.
 *
 * The calendar is the run's: its Unix origin and one offset from UTC for the whole of it. After a
 * change of the clocks the hours are those before it. The work is in bytable.c.
 * Cost: two divisions by constants and a look-up per task. */
#include "base/util.h"
#include "metric/bytable.h"

static void keys(const hc_metric *self, const hc_task_record *records, size_t n, int64_t *out)
{
  for (size_t i = 0; i < n; i++) {
    int64_t hour = hc_floor_div(hc_bytable_local(self, records[i].submit), HC_HOUR);
    out[i] = hour - 24 * hc_floor_div(hour, 24);
  }
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  return hc_bytable_new(c, options, "by_hour", keys, out, e);
}

static const char *const figures[] = {HC_GROUP_FIGURES("by_hour"), NULL};

const hc_metric_type hc_metric_by_hour = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_hour",
         .summary = "tasks, waits, slowdowns and area by the hour of the day at which they were submitted",
         .detail =
             "A table with a row for each hour of the local day, 0 to 23, in which a task was submitted that "
             "started and ended. Where the run's origin is not known, its days begin at the origin.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    .tasks = hc_bytable_tasks,
    .finish = hc_bytable_finish,
    .visit = hc_bytable_visit,
    .fini = hc_bytable_fini,
};
