/* series.c -- means over equal pieces of time: busy units, waiting tasks, units they ask for, running tasks,
 * and units that are reserved in advance, where some are.
 *
 * Pieces begin at multiples of the interval from the run's origin. Each mean is the exact integral over the
 * time heard in its piece, so the first and the last count too though they may be partial. Nothing is
 * sampled.
 * Cost: five products per interval of state, 112 bytes per row. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define ROWS_MAX 1000000

typedef struct options {
  hc_time interval;
} options;

typedef struct row {
  hc_time from;
  hc_wide time, busy, capacity, waiting, units, running; /* x ns */
} row;

struct hc_metric {
  hc_family family;
  hc_time interval, first; /* first: since when it hears; HC_UNKNOWN */
  row *rows;
  size_t count, cap;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->interval = ((const options *)chosen)->interval;
  (*out)->first = HC_UNKNOWN;
  return 0;
}

/* The row that holds t, which is not before the last one; and where it ends. */
static hc_rc row_at(hc_metric *self, hc_time t, row **out, hc_time *edge)
{
  hc_time from = t - t % self->interval;
  if (from > t && __builtin_sub_overflow(from, self->interval, &from)) from = INT64_MIN + 1;
  if (self->count == 0 || self->rows[self->count - 1].from < from) {
    if (self->count >= ROWS_MAX) return HC_ELIMIT;
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->rows, &self->cap, self->count + 1,
                   sizeof *self->rows));
    self->rows[self->count++] = (row){.from = from};
  }
  *out = &self->rows[self->count - 1];
  *edge = hc_time_add((*out)->from, self->interval);
  return 0;
}

static void add(row *r, const hc_interval *x, hc_time time)
{
  hc_wide_add(&r->time, time);
  hc_wide_add_product(&r->capacity, x->capacity, time);
  hc_wide_add_product(&r->busy, x->busy, time);
  hc_wide_add_product(&r->waiting, x->waiting, time);
  hc_wide_add_product(&r->units, x->waiting_units, time);
  hc_wide_add_product(&r->running, x->running, time);
}

static hc_rc intervals(hc_metric *self, const hc_interval *intervals, size_t count)
{
  row *r = NULL;
  hc_time edge = INT64_MIN;
  if (self->first == HC_UNKNOWN && count > 0) self->first = intervals[0].from;
  if (self->count > 0) {
    r = &self->rows[self->count - 1];
    edge = hc_time_add(r->from, self->interval);
  }
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    for (hc_time t = x->from; t < x->to;) {
      hc_time to;
      if (!r || t >= edge) TRY(row_at(self, t, &r, &edge));
      to = HC_MIN(x->to, edge);
      add(r, x, hc_time_between(t, to));
      t = to;
    }
  }
  return 0;
}

static int64_t second_of(hc_time t)
{
  return t / HC_SECOND - (t % HC_SECOND < 0);
}

/* Of what was heard in a row: it has no gaps, so that begins with the row, or in the first one later. */
static double reserved_in(const hc_metric *self, const row *r)
{
  const hc_metric_context *c = &self->family.context;
  const hc_time from = HC_MAX(r->from, self->first);
  const hc_time to = hc_time_add(from, (hc_time)HC_MIN(r->time.lo, (uint64_t)self->interval));
  hc_wide sum = {0};
  for (size_t i = 0; i < c->reserved_count && c->reserved[i].from < to; i++) {
    const hc_reserved *x = &c->reserved[i];
    const hc_time begin = HC_MAX(x->from, from), end = HC_MIN(x->to, to);
    if (begin < end) hc_wide_add_product(&sum, x->units, end - begin);
  }
  return hc_wide_ratio(sum, r->time);
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  for (size_t i = 0; i < self->count; i++) {
    const row *r = &self->rows[i];
    int64_t key = second_of(r->from);
    TRY(hc_find_cell(f, "series", key, "busy_mean", "units", hc_wide_ratio(r->busy, r->time)));
    TRY(hc_find_cell(f, "series", key, "utilisation", "1", hc_wide_ratio(r->busy, r->capacity)));
    TRY(hc_find_cell(f, "series", key, "queue_mean", "tasks", hc_wide_ratio(r->waiting, r->time)));
    TRY(hc_find_cell(f, "series", key, "queue_units_mean", "units", hc_wide_ratio(r->units, r->time)));
    TRY(hc_find_cell(f, "series", key, "running_mean", "tasks", hc_wide_ratio(r->running, r->time)));
    if (self->family.context.reserved_count > 0)
      TRY(hc_find_cell(f, "series", key, "reserved_mean", "units", reserved_in(self, r)));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->first);
  HC_VISIT_ARRAY(v, self->rows, self->count, self->cap);
  return self->count <= ROWS_MAX ? 0 : HC_EINPUT;
}

static void fini(hc_metric *self)
{
  if (self) hc_free(self->family.context.allocator, self->rows, self->cap * sizeof *self->rows);
  hc_family_free(self);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, interval, "s", "1d", 1, 9e9, "Length of each piece of time."),
    {.name = NULL},
};

static const char *const figures[] = {
    "series.busy_mean|units|none|integral of busy units / time",
    "series.utilisation|1|higher|integral of busy units / integral of capacity",
    "series.queue_mean|tasks|lower|integral of waiting tasks / time",
    "series.queue_units_mean|units|lower|integral of the units waiting tasks ask for / time",
    "series.running_mean|tasks|none|integral of running tasks / time",
    ("series.reserved_mean|units|none|integral of units reserved in advance / time, where there are "
     "reservations"),
    NULL,
};

const hc_metric_type hc_metric_series = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "series",
         .summary = "use and queue of each day, or of any other interval of time",
         .detail =
             "It keeps at most 1000000 rows: give a longer `interval` if the run needs more. The key of a "
             "row is the second, from the run's origin, at which it begins. Means are exact integrals over "
             "the part of the row that the run covers.",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .intervals = intervals,
};
