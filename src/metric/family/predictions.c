/* predictions.c -- how good the estimates were that the policy believed.
 *
 * Accuracy is run / estimate: 1 is exact, below 1 the estimate was too long (as requests are), above 1 the
 * task ran past it. Tasks without an estimate, or with one of zero, are left out. Cost: one division per
 * task.
 * Source: the accuracy of Mu'alem and Feitelson, TPDS 2001, doi:10.1109/71.932708. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  uint64_t tasks, underestimated;
  hc_real_sum accuracy;
  hc_wide error; /* ns, absolute */
} sums;

HC_PLAIN_FAMILY(sums, 0)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  sums s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_time run = hc_task_ran(r), error;
    if (!hc_task_counts(r) || r->estimate <= 0 || r->estimate == HC_NEVER) continue;
    error = hc_time_between(run, r->estimate);
    s.tasks++;
    s.underestimated += error < 0;
    hc_real_sum_add(&s.accuracy, (double)run / (double)r->estimate);
    hc_wide_add(&s.error, error < 0 ? hc_time_between(error, 0) : error);
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  TRY(hc_find_count(f, "predictions", "tasks", (int64_t)s->tasks));
  TRY(hc_find_real(f, "prediction_accuracy", "1", hc_mean_real(s->accuracy, s->tasks)));
  TRY(hc_find_real(f, "prediction_error", "s", hc_mean_seconds(s->error, s->tasks)));
  return hc_find_real(f, "underestimated_share", "1",
                      s->tasks ? (double)s->underestimated / (double)s->tasks : __builtin_nan(""));
}

static const char *const figures[] = {
    "predictions|tasks|none|tasks with an estimate above zero",
    "prediction_accuracy|1|none|mean of (end - start) / estimate",
    "prediction_error|s|lower|mean of |estimate - (end - start)|",
    "underestimated_share|1|none|share of tasks that ran longer than estimated",
    NULL,
};

const hc_metric_type hc_metric_predictions = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures,
                  .name = "predictions", .summary = "how good the estimates were that the policy believed",
                  .detail =
                      "Over tasks that started and ended and had an estimate above zero; run = end - start.",
                  .source = "Mu'alem and Feitelson, TPDS 2001, doi:10.1109/71.932708"},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
