/* response.c -- how long tasks took from their submission: end - submit (also called turnaround or flow
 * time).
 *
 * The work is in distribution.c. Cost: one sum and one quantile per task. */
#include "metric/distribution.h"

static void times(const hc_task_record *records, size_t n, hc_time *out)
{
  for (size_t i = 0; i < n; i++) out[i] = hc_time_between(records[i].submit, records[i].end);
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  (void)options;
  return hc_times_new(c, "response", times, out, e);
}

static const char *const figures[] = {
    HC_DISTRIBUTION_FIGURES("response", "s", "end - submit", ", usual, compared", "", "", ""), NULL};

const hc_metric_type hc_metric_response = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "response",
                  .summary = "how long tasks took in all, waiting and running: mean, quantiles",
                  .detail = "end - submit, over tasks that started and ended. " HC_QUANTILE_DETAIL},
    .init = init,
    .tasks = hc_times_tasks,
    .finish = hc_times_finish,
    .visit = hc_times_visit,
    .fini = hc_times_fini,
};
