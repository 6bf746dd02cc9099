/* bounded_slowdown.c -- max(1, response / max(run, tau)): slowdown in which very short tasks weigh no more
 * than tau.
 *
 * One tau per use of the family; its default of 10 s is the field's custom, and a table that shows the figure
 * must say which it was. Cost: one division and one quantile per task.
 * Source: Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong, JSSPP 1997, doi:10.1007/3-540-63574-2_14. */
#include "base/state.h"
#include "base/util.h"
#include "metric/distribution.h"

typedef struct options {
  hc_time tau;
} options;

struct hc_metric {
  hc_family family;
  hc_time tau;
  hc_real_sum sum;
  hc_quantile quantile;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->tau = ((const options *)chosen)->tau;
  hc_quantile_init(&(*out)->quantile, c->allocator);
  return 0;
}

static hc_rc piece(hc_metric *self, const hc_task_record *records, size_t count)
{
  double values[HC_BLOCK];
  hc_real_sum sum = self->sum;
  hc_time tau = self->tau;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    hc_time run = hc_task_ran(&records[i]);
    double x;
    if (!hc_task_counts(&records[i])) continue;
    x = (double)hc_time_between(records[i].submit, records[i].end) / (double)HC_MAX(run, tau);
    x = x > 1 ? x : 1;
    hc_real_sum_add(&sum, x);
    values[n++] = x;
  }
  self->sum = sum;
  return hc_quantile_add(&self->quantile, values, n);
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i += HC_BLOCK) TRY(piece(self, records + i, HC_MIN(count - i, HC_BLOCK)));
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_find_real(f, "bounded_slowdown_mean", "1", hc_mean_real(self->sum, self->quantile.n)));
  TRY(hc_quantile_find(&self->quantile, f, "bounded_slowdown", "1", 1));
  return hc_find_real(f, "bounded_slowdown_tau", "s", hc_seconds(self->tau));
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->sum);
  return hc_quantile_visit(&self->quantile, v);
}

static void fini(hc_metric *self)
{
  if (self) hc_quantile_fini(&self->quantile);
  hc_family_free(self);
}

static const hc_param params[] = {HC_TAU_PARAM(options, HC_TAU_TEXT), {.name = NULL}};

#define FORMULA "max(1, (end - submit) / max(end - start, tau))"
static const char *const figures[] = {
    HC_DISTRIBUTION_FIGURES("bounded_slowdown", "1", FORMULA, ", usual, compared, performance", "",
                            ", usual, compared", ""),
    "bounded_slowdown_tau|s|none|the tau that was used",
    NULL,
};

const hc_metric_type hc_metric_bounded_slowdown = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures,
                  .name = "bounded_slowdown",
                  .summary = "slowdown in which tasks shorter than tau count as long as tau",
                  .detail = FORMULA ", over tasks that started and ended. " HC_QUANTILE_DETAIL HC_RAN_TEXT,
                  .source = "Feitelson et al., JSSPP 1997, doi:10.1007/3-540-63574-2_14", .params = params,
                  .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .tasks = tasks,
};
