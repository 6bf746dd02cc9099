/* makespan.c -- how long the whole workload took, from its first submission and from its first start.
 *
 * Programs differ in which of the two they call makespan, so both are named. Cost: three comparisons per
 * task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct extremes {
  uint64_t tasks;
  hc_time first_submit, first_start, last_end;
} extremes;

HC_PLAIN_FAMILY(extremes, .first_submit = INT64_MAX, .first_start = INT64_MAX, .last_end = INT64_MIN)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  extremes x = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    if (!hc_task_counts(r)) continue;
    x.first_submit = HC_MIN(r->submit, x.first_submit);
    x.first_start = HC_MIN(r->start, x.first_start);
    x.last_end = HC_MAX(r->end, x.last_end);
    x.tasks++;
  }
  self->sums = x;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const extremes *x = &self->sums;
  bool any = x->tasks > 0;
  hc_time span = any ? hc_time_between(x->first_submit, x->last_end) : HC_UNKNOWN;
  TRY(hc_find_real(f, "makespan", "s", hc_seconds(span)));
  span = any ? hc_time_between(x->first_start, x->last_end) : HC_UNKNOWN;
  return hc_find_real(f, "makespan_from_start", "s", hc_seconds(span));
}

static const char *const figures[] = {
    "makespan|s|lower, usual, compared, primary|last end - first submit",
    "makespan_from_start|s|lower|last end - first start",
    NULL,
};

const hc_metric_type hc_metric_makespan = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "makespan",
                  .summary = "how long the workload took, from first submission and from first start",
                  .detail = "Over tasks that started and ended."},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
