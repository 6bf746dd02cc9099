/* load.c -- offered load: the work that came, over what the machine could have done while it came.
 *
 * Work is units x (end - start) of tasks that started and ended, so that it is what was executed; a policy
 * cannot change it unless it kills. The denominators of the literature differ in the time: from first to last
 * submission, or the length of the log, for which we take first submission to last end. Both are named. Cost:
 * one product per task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  uint64_t tasks;
  hc_wide area; /* units x ns */
  hc_time first_submit, last_submit, last_end;
} sums;

HC_PLAIN_FAMILY(sums, .first_submit = INT64_MAX, .last_submit = INT64_MIN, .last_end = INT64_MIN)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  sums s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    if (!hc_task_counts(r)) continue;
    hc_wide_add_product(&s.area, hc_task_ran(r), r->units);
    s.first_submit = HC_MIN(r->submit, s.first_submit);
    s.last_submit = HC_MAX(r->submit, s.last_submit);
    s.last_end = HC_MAX(r->end, s.last_end);
    s.tasks++;
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  int64_t capacity = self->family.context.capacity;
  hc_time arrivals = s->tasks ? hc_time_between(s->first_submit, s->last_submit) : 0;
  hc_time span = s->tasks ? hc_time_between(s->first_submit, s->last_end) : 0;
  TRY(hc_find_real(f, "work", "units*s", hc_wide_seconds(s->area)));
  TRY(hc_find_real(f, "offered_load", "1", hc_wide_ratio(s->area, hc_wide_product(capacity, arrivals))));
  return hc_find_real(f, "offered_load_span", "1", hc_wide_ratio(s->area, hc_wide_product(capacity, span)));
}

static const char *const figures[] = {
    "work|units*s|none|sum of units x (end - start)",
    "offered_load|1|none, usual|work / (capacity x (last submit - first submit))",
    "offered_load_span|1|none|work / (capacity x (last end - first submit))",
    NULL,
};

const hc_metric_type hc_metric_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "load",
         .summary = "work done, and offered load over both customary times",
         .detail = "Over tasks that started and ended. The capacity is that of the whole machine, hosts that "
                   "are down included. With one submission only, offered_load is not defined." HC_RAN_TEXT},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
