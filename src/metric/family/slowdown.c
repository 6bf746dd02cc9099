/* slowdown.c -- response over run time, unbounded.
 *
 * A task of zero length has no slowdown and is left out; slowdown_tasks says how many count. Very short tasks
 * dominate the mean: that is what bounded_slowdown.c is for. Cost: one division per task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/distribution.h"

HC_PLAIN_FAMILY(hc_ratios, 0)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  hc_ratios s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_time run = hc_task_ran(r);
    if (!hc_task_counts(r) || run <= 0) continue;
    hc_ratios_add(&s, (double)hc_time_between(r->submit, r->end) / (double)run);
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_ratios_find(&self->sums, f, "slowdown"));
  return hc_find_count(f, "slowdown_tasks", "tasks", (int64_t)self->sums.tasks);
}

static const char *const figures[] = {
    "slowdown_mean|1|lower|mean of (end - submit) / (end - start), tasks of zero length left out",
    "slowdown_max|1|lower|greatest (end - submit) / (end - start)",
    "slowdown_tasks|tasks|none|tasks with a run time above zero",
    NULL,
};

const hc_metric_type hc_metric_slowdown = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "slowdown",
         .summary = "response over run time, unbounded",
         .detail = "(end - submit) / (end - start). Tasks of zero length are left out; slowdown_tasks is the "
                   "number of the others. Other simulators differ here: they divide by max(1 s, run), or "
                   "take the wait in its place." HC_RAN_TEXT},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
