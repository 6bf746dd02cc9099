/* closed.c -- see closed.h. A run of a closed world is made, advanced and finished by the calls that an
 * engine's run has; what it cannot do, such as snapshots, is refused. */
#include "engine/closed.h"

#include "base/util.h"
#include "setup/inputs.h"

static const hc_world_type *type_of(const hc_run *r)
{
  return (const hc_world_type *)r->engine.options->world.type;
}

/* What a run has only if it is asked for, and a world never: nothing of that is passed over in silence. */
static hc_rc refuse_parts(const hc_run_options *o, hc_error *e)
{
  const struct {
    bool is_given;
    const char *key, *what;
  } parts[] = {{o->execution.type != NULL, "execution", "no model of what tasks do"},
               {o->transforms.count > 0, "transforms", "no transforms of a workload"},
               {o->slowdowns.count > 0, "slowdowns", "no slowdowns by where tasks run"},
               {o->checkpoint.type != NULL, "checkpoint", "no checkpoints of tasks"},
               {o->events.count > 0, "events", "no events of hosts"},
               {o->local_load.count > 0, "local_load", "no local load"},
               {o->power.count > 0, "power", "no model of power"},
               {o->predictor.type != NULL, "predictor", "no predictions of run times"},
               {o->changes.count > 0, "changes", "no changes of the configuration on the way"},
               {o->reservations.count > 0, "reservations", "no advance reservations"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++)
    if (parts[i].is_given)
      return hc_fail(e, HC_EUNSUPPORTED, "configuration", 0, 0,
                     "a closed world knows %s: leave out `%s`, or the world", parts[i].what, parts[i].key);
  return 0;
}

hc_rc hc_closed_open(hc_run *r, hc_error *e)
{
  const hc_run_options *o = r->engine.options;
  TRY(refuse_parts(o, e));
  if (o->conflicts)
    return hc_fail(
        e, HC_EUNSUPPORTED, "configuration", 0, 0,
        "a closed world counts conflicts and does not tell them one by one: leave out `conflicts`, or the "
        "world");
  const hc_world_context c = {r->engine.allocator, (uint64_t)o->seed, (uint64_t)o->replication};
  return type_of(r)->init(&c, o->world.options, &r->world, e);
}

void hc_closed_close(hc_run *r)
{
  if (r->world) type_of(r)->fini(r->world);
}

static uint64_t events_of(const hc_run *r)
{
  hc_world_progress w = {0};
  if (type_of(r)->progress) type_of(r)->progress(r->world, &w);
  return w.events;
}

/* A world knows of no end but its own. Where the run's comes first, and all that the world may do until then
 * is done, fewer events than were allowed have happened. */
hc_rc hc_closed_advance(hc_run *r, hc_time until, uint64_t events, hc_error *e)
{
  const hc_time last = r->engine.options->until;
  const uint64_t before = events_of(r);
  hc_rc rc;
  if (r->engine.cancelled) return hc_fail(e, HC_ECANCELLED, "world", 0, 0, "interrupted");
  rc = type_of(r)->advance(r->world, HC_MIN(until, last), events, e);
  if (rc == 1 && until >= last && (events == 0 || events_of(r) - before < events)) rc = 0;
  return rc;
}

void hc_closed_progress(const hc_run *r, hc_progress *p)
{
  hc_world_progress w = {0};
  if (type_of(r)->progress) type_of(r)->progress(r->world, &w);
  *p = (hc_progress){.now = w.now,
                     .unix_start = HC_UNKNOWN,
                     .submitted = w.submitted,
                     .started = w.started,
                     .ended = w.ended,
                     .waiting = w.waiting,
                     .running = w.running,
                     .instants = w.events};
}

/* ---- the end ---- */

static hc_rc find_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  HC_UNUSED(count);
  return hc_store_figure(ctx, "all", name, unit, value, is_count, NULL);
}

static hc_rc find_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  return hc_store_cell(ctx, "all", table, key, name, unit, value, NULL);
}

hc_rc hc_closed_finish(hc_run *r, hc_error *e)
{
  hc_engine *engine = &r->engine;
  hc_findings f = {.ctx = engine->store, .figure = find_figure, .cell = find_cell};
  if (engine->finished) return 0;
  engine->finished = true;
  if (!engine->store) return 0;
  TRY(hc_config_store(engine->config, engine->store, e));
  TRY(hc_inputs_store(engine->allocator, engine->options, NULL, engine->store, e));
  return type_of(r)->finish(r->world, &f, engine->store, e);
}

hc_rc hc_closed_figures(hc_run *r, hc_findings *f, hc_error *e)
{
  return type_of(r)->finish(r->world, f, NULL, e);
}
