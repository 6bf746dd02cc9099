/* wait.c -- how long tasks waited: start - submit. The work is in distribution.c.
 * Cost: one sum and one quantile per task. */
#include "metric/distribution.h"

static void times(const hc_task_record *records, size_t n, hc_time *out)
{
  for (size_t i = 0; i < n; i++) out[i] = hc_time_between(records[i].submit, records[i].start);
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  (void)options;
  return hc_times_new(c, "wait", times, out, e);
}

static const char *const figures[] = {HC_DISTRIBUTION_FIGURES("wait", "s", "start - submit",
                                                              ", usual, compared, performance", ", usual",
                                                              ", usual, compared", ", usual, compared"),
                                      NULL};

const hc_metric_type hc_metric_wait = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "wait",
                  .summary = "how long tasks waited: mean, quantiles",
                  .detail = "start - submit, over tasks that started and ended. " HC_QUANTILE_DETAIL},
    .init = init,
    .tasks = hc_times_tasks,
    .finish = hc_times_finish,
    .visit = hc_times_visit,
    .fini = hc_times_fini,
};
