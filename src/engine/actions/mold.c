/* mold.c -- a waiting task is to start with another number of slots than it asks for.
 *
 * Of one with a profile any between its bounds (hc_task_extras.least, most): how long it runs follows from
 * its profile and from how many it has; what is believed of it stays what its user said. Of another one a
 * size that it offers, whose times go with it (moldable.c).
 *
 * While it waits it is a task of that size to all who look at it, and its place in its queue is that of one.
 * A task that waits again after it ran has its own size. */
#include "base/util.h"
#include "engine/moldable.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/queues.h"
#include "engine/resizing.h"
#include "engine/tasks.h"
#include "engine/work.h"

static hc_rc set_offered(hc_engine *e, hc_task id, uint32_t size)
{
  hc_queues_lift(e, id);
  const hc_rc rc = hc_moldable_set(e, id, size);
  TRY(hc_queues_settle(e, id));
  return rc;
}

/* `width` is what it asks for by itself, while it has another size. */
static hc_rc set(hc_engine *e, hc_task id, uint32_t size, uint32_t width)
{
  hc_attempt *a = hc_attempt_need(e, id);
  if (!hc_points_has(e, id)) return set_offered(e, id, size);
  if (!a) return HC_ENOMEM;
  e->choice.version = 0; /* what was chosen last was for another size */
  hc_queues_lift(e, id);
  hc_set_size(e, id, size);
  a->work.width = width;
  return hc_queues_settle(e, id);
}

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const uint32_t had = hc_work_of(e, a->task)->width, own = had > 0 ? had : (uint32_t)a->every;
  HC_UNUSED(p);
  return set(e, a->task, (uint32_t)a->at, (uint32_t)a->at == own ? 0 : own);
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return set(e, a->task, (uint32_t)a->every, (uint32_t)a->overhead);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  HC_UNUSED(p);
  if (hc_live_of(e, a->task)->state != HC_TASK_WAITING) return HC_ECONFLICT;
  if (!hc_points_has(e, a->task) && (!hc_moldable_is(e, a->task) || hc_reserved_of(e, a->task) != HC_NEVER))
    return HC_ECONFLICT;
  a->every = hc_size_of(e, a->task);
  a->overhead = hc_work_of(e, a->task)->width;
  return 0;
}

/* To those who count what waits it leaves its queue in one size and comes into it in another. It may have
 * started since: for a moment it has the size that it had. */
static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  hc_live *t = hc_live_of(e, a->task);
  const uint32_t units = t->units, slots = t->slots;
  hc_rc rc;
  HC_UNUSED(p);
  HC_UNUSED(error);
  if (!e->observers.wants_changes) return 0;
  t->units = e->cell.hosts ? t->units / t->slots * (uint32_t)a->every : (uint32_t)a->every;
  if (e->cell.hosts) t->slots = (uint32_t)a->every;
  rc = hc_observe_queue(e, a->task, HC_CHANGE_UNQUEUED);
  t->units = e->cell.hosts ? units / slots * (uint32_t)a->at : (uint32_t)a->at;
  if (e->cell.hosts) t->slots = (uint32_t)a->at;
  if (rc >= 0) rc = hc_observe_queue(e, a->task, HC_CHANGE_QUEUED);
  t->units = units;
  t->slots = slots;
  return rc;
}

const hc_action_type hc_action_mold = {
    .name = "mold", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};

/* What a task is promised, it is in the size that it has. */
static bool may_be(const hc_engine *e, hc_task id, int64_t size)
{
  int64_t least, most;
  if (!hc_points_has(e, id))
    return hc_moldable_is(e, id) && hc_reserved_of(e, id) == HC_NEVER && hc_moldable_offers(e, id, size);
  hc_resize_bounds(e, id, HC_SIZED_AT_START, &least, &most);
  return size >= least && size <= most;
}

hc_rc hc_plan_mold(hc_plan *p, hc_task id, int64_t size)
{
  hc_engine *e = p->engine;
  if (id >= e->tasks.count || e->tasks.live[id].state != HC_TASK_WAITING || e->tasks.live[id].deferred ||
      !may_be(e, id, size))
    return HC_EPOLICY;
  const uint32_t now = hc_size_of(e, id);
  if (size == now) return 0;
  return hc_plan_add(p, &hc_action_mold,
                     &(hc_action){.task = id, .at = size, .every = now, .overhead = hc_work_of(e, id)->width},
                     NULL, 0);
}
