/* response.c -- how long tasks took from their submission: end - submit (also called turnaround or flow
 * time).
 *
 * Exact mean: the sum is kept in 128 bits. Cost: one sum and one quantile per task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/quantile.h"
#include "metric/sum128.h"

struct hc_metric {
  hc_family family;
  uint64_t tasks;
  hc_wide sum; /* ns */
  hc_quantile quantile;
};

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  HC_UNUSED(options);
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  hc_quantile_init(&(*out)->quantile, c->allocator);
  return 0;
}

static hc_rc piece(hc_metric *self, const hc_task_record *records, size_t count)
{
  double values[HC_BLOCK];
  hc_wide sum = self->sum;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    hc_time t = hc_time_between(records[i].submit, records[i].end);
    if (!hc_task_counts(&records[i])) continue;
    hc_wide_add(&sum, t);
    values[n++] = (double)t;
  }
  self->sum = sum;
  self->tasks += n;
  return hc_quantile_add(&self->quantile, values, n);
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i += HC_BLOCK) TRY(piece(self, records + i, HC_MIN(count - i, HC_BLOCK)));
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_find_real(f, "response_mean", "s", hc_mean_seconds(self->sum, self->tasks)));
  return hc_quantile_find(&self->quantile, f, "response", "s", (double)HC_SECOND);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->tasks);
  HC_VISIT(v, self->sum);
  return hc_quantile_visit(&self->quantile, v);
}

static void fini(hc_metric *self)
{
  if (self) hc_quantile_fini(&self->quantile);
  hc_family_free(self);
}

static const char *const figures[] = {
    "response_mean|s|mean of end - submit",
    "response_p50|s|median of end - submit",
    "response_p90|s|quantile 0.90 of end - submit",
    "response_p95|s|quantile 0.95 of end - submit",
    "response_p99|s|quantile 0.99 of end - submit",
    "response_max|s|greatest end - submit",
    NULL,
};

const hc_metric_type hc_metric_response = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "response",
                  .summary = "how long tasks took in all, waiting and running: mean, quantiles",
                  .detail = "end - submit, over tasks that started and ended. " HC_QUANTILE_DETAIL},
    .init = init,
    .tasks = tasks,
    .finish = finish,
    .visit = visit,
    .fini = fini,
    .figures = figures,
};
