/* ends.c -- ends of running tasks as events: the true one, and the one that was believed.
 *
 * The true end is an event from the start on. Where plans are made with expected ends there is a second one
 * if the task runs past what was believed: then it is overdue, and all such tasks are believed to end
 * together, a moment from now, whenever now is. Events of ends have no handle, which is cheaper, until the
 * first of them has to be cancelled. */
#include "engine/ends.h"

#include "base/util.h"
#include "engine/event.h"
#include "engine/life.h"
#include "engine/reservations.h"
#include "engine/signals.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- handles ---- */

static void name_end(void *ctx, const hc_event *event, hc_event_handle handle)
{
  hc_engine *e = ctx;
  if (event->phase == HC_PHASE_END && event->payload < e->tasks.count)
    hc_live_of(e, event->payload)->event = handle;
}

hc_rc hc_ends_name(hc_engine *e)
{
  if (!e->names_ends) TRY(hc_queue_name(e->events, name_end, e));
  e->names_ends = true;
  return 0;
}

/* ---- the true end ---- */

static hc_rc end(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  bool early = false;
  size_t hosts = 0;
  HC_UNUSED(order);
  if (id != HC_GONE_PAYLOAD) {
    early = e->tasks.plans && hc_expected_end(e, hc_live_of(e, id)) > e->now;
    TRY(hc_signal_note_hosts(e, id, &hosts));
    TRY(hc_life_end(e, id, error));
  }
  return hc_signal_end(e, early, hosts, error);
}

const hc_event_type hc_event_end = {.name = "end", .phase = HC_PHASE_END, .deliver = end};

/* Their events stay where they are in the order of the instant, and only say then that some task has ended.
   */
static hc_rc end_if_due(hc_engine *e, hc_event *x, hc_error *error)
{
  const hc_task id = hc_event_who(x);
  const bool is_end = e->event_types[hc_event_slot(x)] == &hc_event_end;
  hc_event_handle *handle = NULL;
  if (id != HC_GONE_PAYLOAD)
    handle = is_end ? &hc_live_of(e, id)->event : &e->tasks.planned[id].overdue_event;
  if (handle && is_end && hc_expected_end(e, hc_live_of(e, id)) <= e->now) {
    TRY(hc_life_end(e, id, error));
    x->payload = HC_GONE_PAYLOAD;
    handle = NULL;
  }
  return hc_queue_push(e->events, x, handle);
}

hc_rc hc_ends_due(hc_engine *e, hc_error *error)
{
  hc_event next, *ends = NULL;
  size_t n = 0, cap = 0;
  hc_rc rc = 0;
  while (rc >= 0 && hc_queue_due(e->events, e->now, &next) && next.phase == HC_PHASE_END) {
    (void)hc_queue_pop(e->events, &next);
    rc = hc_reserve(e->allocator, (void **)&ends, &cap, n + 1, sizeof *ends);
    if (rc >= 0) ends[n++] = next;
  }
  for (size_t i = 0; i < n && rc >= 0; i++) rc = end_if_due(e, &ends[i], error);
  hc_free(e->allocator, ends, cap * sizeof *ends);
  return rc;
}

/* ---- past the expected end ---- */

static hc_rc overdue(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time was = hc_expected_end(e, t);
  HC_UNUSED(order);
  HC_UNUSED(error);
  if (e->overdue_units == 0) e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  t->bits |= HC_LIVE_OVERDUE;
  e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  e->overdue_units += t->units;
  return hc_reserve_overdue(e->reserve, id, t->units, was, e->overdue_at);
}

const hc_event_type hc_event_overdue = {
    .name = "overdue", .phase = HC_PHASE_END, .mark = 1, .deliver = overdue};

hc_rc hc_overdue_move(hc_engine *e)
{
  const hc_time was = e->overdue_at;
  if (e->overdue_units == 0) return 0;
  e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  if (e->overdue_at == was) return 0;
  return hc_reserve_overdue(e->reserve, HC_NO_TASK, e->overdue_units, was, e->overdue_at);
}
