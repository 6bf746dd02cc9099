/* per_processor_slowdown.c -- bounded slowdown divided by the task's processors, and never below 1.
 *
 * Wide tasks may wait longer before they count as slowed. Cost: one division per task.
 * Source: Zotkin, Keleher, HPDC 1999. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct options {
  hc_time tau;
} options;

typedef struct sums {
  uint64_t tasks;
  hc_real_sum slowdown;
  double max;
} sums;

struct hc_metric {
  hc_family family;
  hc_time tau;
  sums sums;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->tau = ((const options *)chosen)->tau;
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  sums s = self->sums;
  hc_time tau = self->tau;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_time run = hc_time_between(r->start, r->end);
    double x;
    if (!hc_task_counts(r)) continue;
    x = (double)hc_time_between(r->submit, r->end) / ((double)HC_MAX(run, tau) * (double)HC_MAX(r->units, 1));
    x = x > 1 ? x : 1;
    hc_real_sum_add(&s.slowdown, x);
    s.max = x > s.max ? x : s.max;
    s.tasks++;
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  TRY(hc_find_real(f, "per_processor_slowdown_mean", "1", hc_mean_real(s->slowdown, s->tasks)));
  return hc_find_real(f, "per_processor_slowdown_max", "1", s->tasks ? s->max : __builtin_nan(""));
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->sums);
  return 0;
}

static const hc_param params[] = {
    {.name = "tau",
     .type = HC_TIME,
     .offset = offsetof(options, tau),
     .unit = "s",
     .fallback = "10s",
     .min = 0.001,
     .max = 1e9,
     .help = "Tasks that ran for less are taken to have run for this long."},
    {.name = NULL},
};

#define FORMULA "max(1, (end - submit) / (units * max(end - start, tau)))"
static const char *const figures[] = {
    "per_processor_slowdown_mean|1|mean of " FORMULA,
    "per_processor_slowdown_max|1|greatest " FORMULA,
    NULL,
};

const hc_metric_type hc_metric_per_processor_slowdown = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "per_processor_slowdown",
                  .summary = "bounded slowdown per processor of the task",
                  .detail = FORMULA ", over tasks that started and ended.",
                  .source = "Zotkin and Keleher, HPDC 1999", .params = params,
                  .options_size = sizeof(options)},
    .init = init,
    .tasks = tasks,
    .finish = finish,
    .visit = visit,
    .fini = hc_family_free,
    .figures = figures,
};
