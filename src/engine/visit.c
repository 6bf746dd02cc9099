/* visit.c -- what the state of a run is, and in which order it is visited: for snapshots, hashes and forks. */
#include "engine/visit.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/arrivals.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/rejected.h"
#include "engine/tasks.h"

/* Field by field: what lies between them is not state. */
static hc_rc visit_arrival(hc_arrival *a, hc_visitor *v)
{
  HC_VISIT(v, a->spec);
  HC_VISIT(v, a->units);
  HC_VISIT(v, a->run);
  HC_VISIT(v, a->estimate);
  HC_VISIT(v, a->running_estimate);
  HC_VISIT(v, a->killed);
  HC_VISIT(v, a->flags);
  HC_VISIT(v, a->source);
  HC_VISIT(v, a->slots);
  HC_VISIT(v, a->whole);
  HC_VISIT(v, a->spread);
  HC_VISIT(v, a->plain);
  return 0;
}

static hc_rc visit_scalars(hc_engine *e, hc_visitor *v)
{
  HC_VISIT(v, e->now);
  HC_VISIT(v, e->told);
  HC_VISIT(v, e->next_serial);
  HC_VISIT(v, e->next_timer);
  HC_VISIT(v, e->waiting);
  HC_VISIT(v, e->running);
  HC_VISIT(v, e->tasks_held);
  HC_VISIT(v, e->overdue_units);
  if (e->overdue_units == 0) e->overdue_at = 0; /* of no meaning */
  HC_VISIT(v, e->overdue_at);
  TRY(visit_arrival(&e->arrival, v));
  if (hc_visit_loading(v)) e->next = &e->arrival;
  HC_VISIT(v, e->has_arrival);
  HC_VISIT(v, e->source_waits);
  HC_VISIT(v, e->source_ended);
  HC_VISIT(v, e->names_ends);
  HC_VISIT(v, e->counters);
  TRY(hc_namer_visit(&e->names, v));
  HC_VISIT(v, e->commits);
  HC_VISIT(v, e->changes_in_vain);
  HC_VISIT(v, e->timers_in_vain);
  HC_VISIT(v, e->stops_in_vain);
  HC_VISIT(v, e->stops_since);
  return e->last_start ? hc_visit_bytes(v, e->last_start, e->cell_spec.units * sizeof *e->last_start) : 0;
}

static hc_rc visit_rejects(hc_engine *e, hc_visitor *v, hc_error *error)
{
  const hc_rc rc = hc_rejects_visit(e, v);
  if (rc != HC_EUNSUPPORTED) return rc;
  return hc_fail(
      error, rc, "rejected", 0, 0,
      "rejected rows go to a file, which two runs that go on from one state would both write: leave "
      "out `rejected`; the result has the first thousand");
}

/* What is in memory of a run, without its source. */
static hc_rc visit_run(hc_engine *e, hc_visitor *v)
{
  TRY(visit_scalars(e, v));
  TRY(hc_lexicon_visit(e->lexicon, v));
  TRY(hc_tasks_visit(e, v));
  TRY(hc_parts_save(e, v));
  if (e->place_state && e->place->visit) TRY(e->place->visit(e->place_state, v));
  TRY(hc_queues_visit(e, v));
  TRY(hc_cell_visit(&e->cell, v));
  return hc_queue_visit(e->events, v);
}

hc_rc hc_engine_visit(hc_engine *e, hc_visitor *v, hc_error *error)
{
  if (e->options->world.type)
    return hc_fail(error, HC_EUNSUPPORTED, "snapshot", 0, 0,
                   "a closed world cannot be saved, forked or hashed while it runs");
  hc_arrivals_hold(e);
  TRY(hc_stream_settle(e->stream, error));
  TRY(visit_run(e, v));
  TRY(hc_stream_visit(e->stream, v, error));
  TRY(visit_rejects(e, v, error));
  if (e->architecture_type->visit) TRY(e->architecture_type->visit(e->architecture, v));
  return hc_observe_visit(e, v);
}

hc_rc hc_engine_visit_lent(hc_engine *e, hc_visitor *v)
{
  hc_arrivals_hold(e);
  TRY(visit_run(e, v));
  return e->architecture_type->visit ? e->architecture_type->visit(e->architecture, v) : 0;
}
