/* patience.c -- tasks that have waited for so long are given up: an event for each that arrives.
 *
 * A task that starts before, or leaves, is not looked for: when its event comes, its state or its serial
 * tells. */
#include "base/util.h"
#include "engine/event.h"
#include "engine/life.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/signals.h"

#define PATIENCE (5 * HC_SECOND) /* in earnest a key of the run: hc_run_options in setup/options.h */

/* ---- the event: at the time until which the task waits, by its serial ---- */

static hc_rc deliver(hc_engine *e, uint32_t task, uint64_t serial, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK};
  const hc_live *t = hc_live_of(e, task);
  if (t->serial != serial || t->state != HC_TASK_WAITING) return 0;
  TRY(hc_apply_reservation(e, task, HC_NEVER, NULL, 0));
  hc_queues_remove(e, task);
  TRY(hc_life_reject(e, task, error));
  return hc_signal_send(e, &changed, error); /* a blocked head may be gone */
}

const hc_event_type hc_event_patience = {.name = "patience", .deliver = deliver};

/* ---- the part: sets one for each task that arrives ---- */

static hc_rc on_arrived(hc_engine *e, const hc_notice *n)
{
  const hc_live *t = hc_live_of(e, n->task);
  const hc_event up = hc_event_at(HC_EVENT_patience, hc_time_add(t->submit, PATIENCE), t->serial, n->task);
  return hc_queue_push(e->events, &up, NULL);
}

static bool is_wanted(const hc_engine *e)
{
  HC_UNUSED(e);
  return true; /* in earnest: if the key is set */
}

const hc_part hc_part_patience = {
    .name = "patience", .wanted = is_wanted, .hears = HC_HEARS(ARRIVED), .on = on_arrived};
