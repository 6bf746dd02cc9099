/* distribution.c -- one number of each task: mean, quantiles, greatest. See distribution.h. */
#include "metric/distribution.h"

#include <stdio.h>

#include "base/state.h"
#include "base/util.h"

struct hc_metric {
  hc_family family;
  const char *name;
  hc_times_of of;
  /* state */
  uint64_t tasks;
  hc_wide sum; /* ns */
  hc_quantile quantile;
};

hc_rc hc_times_new(const hc_metric_context *c, const char *name, hc_times_of of, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->name = name;
  (*out)->of = of;
  hc_quantile_init(&(*out)->quantile, c->allocator);
  return 0;
}

/* Records are read twice, so that a piece is few enough to stay in the nearest cache. */
#define PIECE 64

static hc_rc piece(hc_metric *self, const hc_task_record *records, size_t count)
{
  hc_time times[PIECE];
  double values[PIECE];
  hc_wide sum = self->sum;
  size_t n = 0;
  self->of(records, count, times);
  for (size_t i = 0; i < count; i++) {
    if (!hc_task_counts(&records[i])) continue;
    hc_wide_add(&sum, times[i]);
    values[n++] = (double)times[i];
  }
  self->sum = sum;
  self->tasks += n;
  return hc_quantile_add(&self->quantile, values, n);
}

hc_rc hc_times_tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i += PIECE) TRY(piece(self, records + i, HC_MIN(count - i, PIECE)));
  return 0;
}

static hc_rc find(hc_findings *f, const char *name, const char *figure, const char *unit, double value)
{
  char whole[64];
  (void)snprintf(whole, sizeof whole, "%s_%s", name, figure);
  return hc_find_real(f, whole, unit, value);
}

hc_rc hc_times_finish(hc_metric *self, hc_findings *f)
{
  TRY(find(f, self->name, "mean", "s", hc_mean_seconds(self->sum, self->tasks)));
  return hc_quantile_find(&self->quantile, f, self->name, "s", (double)HC_SECOND);
}

hc_rc hc_times_visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->tasks);
  HC_VISIT(v, self->sum);
  return hc_quantile_visit(&self->quantile, v);
}

void hc_times_fini(hc_metric *self)
{
  if (self) hc_quantile_fini(&self->quantile);
  hc_family_free(self);
}

hc_rc hc_ratios_find(const hc_ratios *r, hc_findings *f, const char *name)
{
  TRY(find(f, name, "mean", "1", hc_mean_real(r->sum, r->tasks)));
  return find(f, name, "max", "1", r->tasks ? r->max : __builtin_nan(""));
}
