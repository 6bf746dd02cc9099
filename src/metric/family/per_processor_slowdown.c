/* per_processor_slowdown.c -- bounded slowdown divided by the task's processors, and never below 1.
 *
 * Wide tasks may wait longer before they count as slowed. Cost: one division per task.
 * Source: Zotkin, Keleher, HPDC 1999. */
#include "base/state.h"
#include "base/util.h"
#include "metric/distribution.h"

typedef struct options {
  hc_time tau;
} options;

struct hc_metric {
  hc_family family;
  hc_time tau;
  hc_ratios sums;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->tau = ((const options *)chosen)->tau;
  return 0;
}

/* At least one, be it that a task has a part of a core or that units are no cores. */
static double processors_of(const hc_metric *self, const hc_task_record *r)
{
  const double cores = (double)self->family.context.core_units;
  return cores > 0 && (double)r->units > cores ? (double)r->units / cores : 1;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  hc_ratios s = self->sums;
  hc_time tau = self->tau;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_time run = hc_task_ran(r);
    double x;
    if (!hc_task_counts(r)) continue;
    x = (double)hc_time_between(r->submit, r->end) / ((double)HC_MAX(run, tau) * processors_of(self, r));
    hc_ratios_add(&s, x > 1 ? x : 1);
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_ratios_find(&self->sums, f, "per_processor_slowdown");
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->sums);
  return 0;
}

static const hc_param params[] = {HC_TAU_PARAM(options, HC_TAU_TEXT), {.name = NULL}};

#define FORMULA "max(1, (end - submit) / (processors * max(end - start, tau)))"
static const char *const figures[] = {
    "per_processor_slowdown_mean|1|lower, usual, compared|mean of " FORMULA,
    "per_processor_slowdown_max|1|lower|greatest " FORMULA,
    NULL,
};

const hc_metric_type hc_metric_per_processor_slowdown = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures,
                  .name = "per_processor_slowdown", .summary = "bounded slowdown per processor of the task",
                  .detail = FORMULA ", over tasks that started and ended." HC_RAN_TEXT,
                  .source = "Zotkin and Keleher, Job-length estimation and performance in backfilling "
                            "schedulers, HPDC 1999", .params = params,
                  .options_size = sizeof(options)},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
