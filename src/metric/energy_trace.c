/* energy_trace.c -- what a machine has drawn up to each start and end of a task, and each switch of its
 * hosts.
 *
 * A row has the time, the energy since the run's origin, and what all hosts would draw from then on if
 * no core was busy: what Batsim writes into `_consumed_energy.csv`. One task on many hosts is one row,
 * and so are hosts that come into one state at one time. Cost: O(1) a change; 48 bytes a row. Source:
 * Batsim 4.2.1. */
#include "metric/energy_trace.h"

#include "base/state.h"
#include "base/util.h"
#include "metric/sum128.h"

void hc_energy_trace_init(hc_energy_trace *t, const hc_allocator *a)
{
  *t = (hc_energy_trace){.allocator = a};
}

void hc_energy_trace_fini(hc_energy_trace *t)
{
  if (t->allocator) hc_free(t->allocator, t->rows, t->cap * sizeof *t->rows);
}

static void advance(hc_energy_trace *t, hc_time at)
{
  if (at <= t->s.since) return;
  hc_wide_add_product(&t->s.energy, t->s.draws, hc_time_between(t->s.since, at));
  t->s.since = at;
}

void hc_energy_trace_draws(hc_energy_trace *t, hc_time at, int64_t draws)
{
  advance(t, at);
  t->s.draws = draws;
}

void hc_energy_trace_least(hc_energy_trace *t, hc_time at, int64_t more)
{
  t->s.least += more;
  if (t->count > 0 && t->rows[t->count - 1].at == at) t->rows[t->count - 1].least = t->s.least;
}

hc_rc hc_energy_trace_tell(hc_energy_trace *t, hc_time at, hc_energy_event what, uint64_t of)
{
  const hc_energy_row *last = t->count > 0 ? &t->rows[t->count - 1] : NULL;
  advance(t, at);
  if (last && last->at == at && last->what == (uint64_t)what && t->s.of == of) return 0;
  TRY(hc_reserve(t->allocator, (void **)&t->rows, &t->cap, t->count + 1, sizeof *t->rows));
  t->rows[t->count++] =
      (hc_energy_row){.at = at, .energy = t->s.energy, .least = t->s.least, .what = (uint64_t)what};
  t->s.of = of;
  return 0;
}

hc_rc hc_energy_trace_find(const hc_energy_trace *t, hc_findings *f)
{
  static const char table[] = "energy_trace";
  for (size_t i = 0; i < t->count; i++) {
    const hc_energy_row *x = &t->rows[i];
    TRY(hc_find_cell(f, table, (int64_t)i, "at", "s", hc_seconds(x->at)));
    TRY(hc_find_cell(f, table, (int64_t)i, "what", "1", (double)x->what));
    TRY(hc_find_cell(f, table, (int64_t)i, "energy", "J", hc_wide_real(x->energy) / 1e15));
    TRY(hc_find_cell(f, table, (int64_t)i, "least", "W", (double)x->least / 1e6));
  }
  return 0;
}

hc_rc hc_energy_trace_visit(hc_energy_trace *t, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, t->rows, t->count, t->cap);
  HC_VISIT(v, t->s);
  for (size_t i = 0; i < t->count; i++)
    if (t->rows[i].what > HC_ENERGY_SWITCH) return HC_EINPUT;
  return 0;
}
