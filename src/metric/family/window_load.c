/* window_load.c -- how much of the machine is claimed in a window of time, and how much of it is not for
 * nothing.
 *
 * A measurement leaves out the filling of the machine: it begins at `from`, and the state then is what came
 * before. In a closed loop there always are tasks under way when the run ends, so that a trim, which counts
 * from rows, cannot say it. An attempt that is stopped for another task has to be done again: what it held in
 * the window, for the time that is lost, is taken off the useful part when the stop is heard. What is stopped
 * after the window was useful for all that is known.
 *
 * Integrals are exact (128 bits). Cost: a product a change and dimension. */
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/wide.h"
#include "metric/family.h"
#include "metric/machine.h"

typedef struct options {
  hc_time from, to;
} options;

enum { CLAIMED, CAPACITY, LEVELS };

typedef struct integral {
  int64_t value;
  hc_wide sum; /* amount x ns */
} integral;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  const options *o;
  integral levels[LEVELS][HC_DIMENSIONS];
  hc_wide lost[HC_DIMENSIONS];
  hc_time now; /* integrated up to here; HC_UNKNOWN: nothing has happened */
  uint64_t started, stopped;
};

static void fini(hc_metric *self)
{
  if (self) hc_machine_fini(&self->machine);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  HC_UNUSED(e);
  self->o = o;
  self->now = HC_UNKNOWN;
  TRY(hc_machine_init(&self->machine, &self->family.context));
  for (uint32_t d = 0; d < self->machine.width; d++) self->levels[CAPACITY][d].value = self->machine.total[d];
  return 0;
}

HC_FAMILY_INIT

/* Time that counts, of the time from `a` to `b`. */
static hc_time counted(const hc_metric *self, hc_time a, hc_time b)
{
  a = HC_MAX(a, self->o->from);
  b = HC_MIN(b, self->o->to);
  return HC_MAX(b - a, 0);
}

static void pass(hc_metric *self, hc_time t)
{
  const hc_time length = self->now == HC_UNKNOWN ? 0 : counted(self, self->now, t);
  for (uint32_t i = 0; i < self->machine.dimensions && length > 0; i++)
    for (int k = 0; k < LEVELS; k++) {
      integral *x = &self->levels[k][self->machine.which[i]];
      hc_wide_add_product(&x->sum, x->value, length);
    }
  self->now = t;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    const bool host = c->kind == HC_CHANGE_HOST && hc_machine_change(&self->machine, c, more);
    if (c->at != self->now) pass(self, c->at);
    for (uint32_t d = 0; d < self->machine.width; d++) {
      integral *claimed = &self->levels[CLAIMED][d], *capacity = &self->levels[CAPACITY][d];
      if (c->kind == HC_CHANGE_CLAIMED) claimed->value = hc_amount_plus(claimed->value, c->amount[d]);
      if (c->kind == HC_CHANGE_RELEASED) claimed->value = hc_amount_minus(claimed->value, c->amount[d]);
      if (host) capacity->value = hc_amount_plus(capacity->value, more[d]);
    }
    self->started += c->kind == HC_CHANGE_UNQUEUED && c->at >= self->o->from && c->at < self->o->to;
  }
  return 0;
}

static hc_rc stops(hc_metric *self, const hc_stop_record *r)
{
  const hc_time lost = counted(self, r->at - r->lost, r->at);
  for (uint32_t d = 0; d < self->machine.width; d++) hc_wide_add_product(&self->lost[d], r->amount[d], lost);
  self->stopped += r->at >= self->o->from && r->at < self->o->to;
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  if (self->now != HC_UNKNOWN) pass(self, end);
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  for (uint32_t i = 0; i < self->machine.dimensions; i++) {
    const uint8_t d = self->machine.which[i];
    const hc_wide claimed = self->levels[CLAIMED][d].sum, capacity = self->levels[CAPACITY][d].sum;
    char buffer[32], name[96];
    const char *word = hc_machine_name(&self->machine, d, buffer);
    (void)snprintf(name, sizeof name, "window_load_%.40s", word);
    TRY(hc_find_real(f, name, "1", hc_wide_ratio(claimed, capacity)));
    (void)snprintf(name, sizeof name, "window_useful_%.40s", word);
    TRY(hc_find_real(f, name, "1", hc_wide_ratio(hc_wide_minus(claimed, self->lost[d]), capacity)));
  }
  TRY(hc_find_count(f, "window_stops", "attempts", (int64_t)self->stopped));
  return hc_find_real(f, "window_stopped_share", "1",
                      self->started > 0 ? (double)self->stopped / (double)self->started : __builtin_nan(""));
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->levels);
  HC_VISIT(v, self->lost);
  HC_VISIT(v, self->now);
  HC_VISIT(v, self->started);
  HC_VISIT(v, self->stopped);
  return hc_machine_visit(&self->machine, v);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e10, "Where the window begins, from the run's origin."),
    HC_PARAM(TIME, options, to, "s", "never", 0, 1e10, "Where it ends; never: with the run."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("window_load_*|1|higher|integral of what is claimed / integral of capacity over the window, of each "
     "dimension"),
    ("window_useful_*|1|higher|the same, less what stopped attempts held in the window for work that has to "
     "be done again"),
    "window_stops|attempts|lower|attempts that a plan stopped in the window",
    "window_stopped_share|1|lower|window_stops / starts in the window",
    NULL,
};

const hc_metric_type hc_metric_window_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "window_load",
         .summary =
             "how much of the machine is claimed in a window of time, with and without work that was lost",
         .detail =
             "The window begins at the first change if that is after `from`. Utilisation counts what is "
             "claimed. Only a run knows what was saved when an attempt was stopped, so these figures cannot "
             "be computed from stored rows.",
         .source = "the two utilisations of the thesis on packing in YTsaurus, table 4.3", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
    .needs_use = true,
    .stops = stops,
};
