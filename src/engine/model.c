/* model.c -- tasks whose lengths a model of execution knows (hc_model_type), in place of a fixed delay.
 *
 * The engine tells the model who begins, goes on at another rate, and is stopped, and asks when the first of
 * them ends: one event in the queue, made anew at the end of each round if the answer is another. When it is
 * due, the tasks that the model lets go end as tasks do, by serial, after all other ends of that time.
 *
 * What a task has done when it is stopped is asked of the model; what that saves and loses is computed as
 * ever (execution/work.c). Expected ends stay those of estimates, at the rates that plans set. Not with ends
 * that are looked for before their time (`due_ends_first`), with `end_order: start`, and with tasks whose
 * demand changes by steps, of which the model is not told. Cost: what the model's answers cost, and O(log
 * events) for each that is another. */
#include "engine/model.h"

#include <stdlib.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/event.h"
#include "engine/part.h"
#include "engine/work.h"

hc_rc hc_model_open(hc_engine *e, const hc_model_type *type, const void *options, hc_error *error)
{
  if (e->options->due_ends_first || e->options->end_order == HC_END_BY_START)
    return hc_combine_refuse(
        error, "a model of execution says which tasks end when their time has come, by serial: set "
               "`end_order: serial` and leave out `due_ends_first`");
  e->model_event = HC_NO_EVENT;
  e->model_at = HC_NEVER;
  e->model_type = type;
  return type->init(e->allocator, options, &e->model);
}

hc_rc hc_model_begin(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_live *t = hc_live_of(e, id);
  hc_range *hosts = hc_arena_alloc(&e->scratch, count * sizeof *hosts + 1);
  hc_activity a = {.task = id, .serial = t->serial, .length = t->run, .units = t->units, .hosts = hosts};
  if (!hosts) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    if (a.host_count > 0 && e->cell.hosts && hosts[a.host_count - 1].first == grants[i].host) continue;
    hosts[a.host_count++] = (hc_range){grants[i].host, e->cell.hosts ? 1 : grants[i].slots};
  }
  return e->model_type->begin(e->model, e->now, &a);
}

hc_rc hc_model_arm(hc_engine *e)
{
  const hc_time at = e->model_type->next(e->model);
  if (at == e->model_at) return 0;
  if (e->model_event != HC_NO_EVENT) hc_queue_cancel(e->events, e->model_event);
  e->model_event = HC_NO_EVENT;
  e->model_at = at;
  if (at == HC_NEVER) return 0;
  const hc_event due = hc_event_at(HC_EVENT_model, HC_MAX(at, e->now), 0, 0);
  return hc_queue_push(e->events, &due, &e->model_event);
}

typedef struct ending {
  uint64_t serial;
  hc_task task;
} ending;

static int by_serial(const void *a, const void *b)
{
  const ending *x = a, *y = b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static hc_rc due(hc_engine *e, uint32_t who, uint64_t order, hc_error *error)
{
  ending *all = hc_arena_alloc(&e->scratch, (size_t)(e->running + 1) * sizeof *all);
  size_t n = 0;
  hc_rc more;
  HC_UNUSED(who);
  HC_UNUSED(order);
  e->model_event = HC_NO_EVENT;
  e->model_at = HC_NEVER;
  if (!all) return HC_ENOMEM;
  for (hc_task t; (more = e->model_type->advance(e->model, e->now, &t)) > 0;) {
    HC_ASSERT(t < e->tasks.count && e->tasks.live[t].state == HC_TASK_RUNNING && n < (size_t)e->running);
    all[n++] = (ending){e->tasks.live[t].serial, t};
  }
  if (n > 1) qsort(all, n, sizeof *all, by_serial);
  for (size_t i = 0; i < n && more >= 0; i++)
    more = e->event_types[HC_EVENT_end]->deliver(e, all[i].task, all[i].serial, error);
  return HC_MIN(more, 0);
}

const hc_event_type hc_event_model = {.name = "model", .deliver = due};

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  bool has = e->model != NULL;
  HC_VISIT(v, has);
  if (has != (e->model != NULL)) return HC_EUNSUPPORTED;
  if (!has) return 0;
  HC_VISIT(v, e->model_at);
  if (v->mode != HC_VISIT_HASH) HC_VISIT(v, e->model_event); /* a name within one kind of queue */
  return e->model_type->visit(e->model, v);
}

static void fini(hc_engine *e)
{
  if (e->model) e->model_type->fini(e->model);
}

const hc_part hc_part_model = {.name = "model", .visit = visit, .fini = fini};
