/* batsim_consumed_energy.c -- what all machines consumed up to each start and end of a task and each switch
 * of machines, as Batsim's `_consumed_energy.csv`, which evalys reads.
 *
 * Its rows are the table `energy_trace` of the metric energy. Energy counts from the run's origin, as in
 * Batsim; `wattmin` is what machines would draw from then on with no core busy; `epower` is the mean
 * draw since the row before, and NA where no time has passed. Batsim writes six significant digits: here
 * numbers have six decimals. Source: Batsim 4.2.1. */
#include <string.h>

#include "base/text.h"
#include "output/emit.h"

typedef struct row {
  double at, what, energy, least;
} row;

typedef struct writer {
  hc_emit emit;
  row now, last;
  int64_t key; /* of `now`; -1: none yet */
} writer;

static void real_field(writer *w, double value)
{
  hc_emit_real_fixed(&w->emit, value);
  hc_buffer_add(&w->emit.text, ",", 1);
}

static hc_rc write_row(writer *w)
{
  static const char *const words[] = {"s,", "e,", "p,"};
  const row *x = &w->now;
  const double passed = x->at - w->last.at;
  real_field(w, x->at);
  real_field(w, x->energy);
  hc_buffer_text(&w->emit.text, words[x->what == 1 ? 1 : x->what == 2 ? 2 : 0]);
  real_field(w, x->least);
  if (passed > 0) hc_emit_real_fixed(&w->emit, (x->energy - w->last.energy) / passed);
  else hc_buffer_text(&w->emit.text, "NA");
  hc_buffer_add(&w->emit.text, "\n", 1);
  w->last = *x;
  return hc_emit_row(&w->emit);
}

/* Columns of the table cells: scope, tab, key, name, unit, value. Those of a row follow each other. */
static hc_rc take_cell(void *ctx, const char *const *values)
{
  writer *w = ctx;
  int64_t key;
  double value;
  if (strcmp(values[1], "energy_trace") != 0 || !values[2] || !values[5]) return 0;
  if (hc_parse_int(values[2], strlen(values[2]), &key) < 0 ||
      hc_parse_real(values[5], strlen(values[5]), &value) < 0)
    return HC_EINPUT;
  if (key != w->key && w->key >= 0) TRY(write_row(w));
  w->key = key;
  if (strcmp(values[3], "at") == 0) w->now.at = value;
  else if (strcmp(values[3], "what") == 0) w->now.what = value;
  else if (strcmp(values[3], "energy") == 0) w->now.energy = value;
  else w->now.least = value;
  return 0;
}

static hc_rc write_all(writer *w, hc_result *r, hc_error *e)
{
  TRY(hc_result_rows(r, "cells", 6, take_cell, w, e));
  if (w->key < 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "batsim_consumed_energy", 0, 0,
        "%.200s does not say what was consumed by when: run it with `metrics: [{use: energy, trace: "
        "true}]`",
        hc_result_path(r));
  return write_row(w);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.key = -1};
  HC_UNUSED(options);
  hc_emit_init(&w.emit, a, out, e);
  hc_buffer_text(&w.emit.text, "time,energy,event_type,wattmin,epower\n");
  return hc_emit_end(&w.emit, write_all(&w, r, e));
}

const hc_exporter_type hc_exporter_batsim_consumed_energy = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "batsim_consumed_energy",
         .summary =
             "what machines consumed up to each start and end of a task, as Batsim's _consumed_energy.csv",
         .detail = "time, energy, event_type, wattmin, epower: a row for each start (s) and end (e) of a "
                   "task and for each switch of machines (p), with the joules since the run's origin, the "
                   "watts that machines would draw from then on with no core busy, and the mean watts since "
                   "the row before (NA where no time has passed). Times are in seconds, numbers have six "
                   "decimals (Batsim writes six digits). The metric energy must have `trace: true`.",
         .source = "Batsim 4.2.1"},
    .run = run,
};
