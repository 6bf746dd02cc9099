/* batsim_machine_states.c -- how many machines compute, idle, sleep or switch over time, as Batsim's
 * `_machine_states.csv`, which evalys draws as a stack.
 *
 * A row for each instant at which a number changes. Batsim writes times with six significant digits, so
 * that they are rounded beyond 11 days; here they have six decimals. Machines that are away are in no
 * column, as in Batsim. Source: Batsim 4.2.1. */
#include <string.h>

#include "output/states.h"

typedef struct writer {
  hc_emit emit;
  int64_t last[HC_MACHINE_STATES];
  bool has_row;
} writer;

static hc_rc write_row(void *ctx, const hc_machine_counts *c)
{
  writer *w = ctx;
  hc_emit *m = &w->emit;
  if (w->has_row && memcmp(w->last, c->in, sizeof w->last) == 0) return 0;
  memcpy(w->last, c->in, sizeof w->last);
  w->has_row = true;
  hc_emit_fixed(m, c->from);
  for (int s = HC_MACHINE_SLEEPING; s <= HC_MACHINE_COMPUTING; s++) {
    hc_buffer_add(&m->text, ",", 1);
    hc_emit_int(m, c->in[s]);
  }
  hc_buffer_add(&m->text, "\n", 1);
  return hc_emit_row(m);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.has_row = false};
  HC_UNUSED(options);
  hc_emit_init(&w.emit, a, out, e);
  hc_buffer_text(&w.emit.text, "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n");
  return hc_emit_end(&w.emit, hc_machine_states(&w.emit, a, r, "batsim_machine_states", write_row, &w));
}

const hc_exporter_type hc_exporter_batsim_machine_states = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "batsim_machine_states",
         .summary = "how many machines compute, idle or sleep over time, as Batsim's _machine_states.csv",
         .detail =
             "time, nb_sleeping, nb_switching_on, nb_switching_off, nb_idle, nb_computing: a row for each "
             "instant at which one of the numbers changes, with times in seconds and six decimals (Batsim "
             "writes six digits). Machines are processors, or hosts on a cell of hosts; a machine computes "
             "while a task has any part of it. Results with tasks that were stopped, suspended or lost are "
             "refused, since they do not contain which machines these had before.",
         .source = "Batsim 4.2.1"},
    .run = run,
};
