/* timers.c -- timers of the architecture, and the wakes of policies: due in the order in which they were
 * set. */
#include "engine/timers.h"

#include "base/util.h"
#include "engine/event.h"
#include "engine/signals.h"

static hc_rc deliver(hc_engine *e, uint32_t id, uint64_t order, hc_error *error)
{
  const hc_signal s = {.what = HC_WHY_TIMER, .task = HC_NO_TASK, .timer = id};
  HC_UNUSED(order);
  return hc_signal_send(e, &s, error);
}

const hc_event_type hc_event_timer = {.name = "timer", .is_wake = true, .deliver = deliver};

hc_rc hc_timer_set(hc_engine *e, hc_time at, uint32_t id)
{
  const hc_event due = hc_event_at(HC_EVENT_timer, at, e->next_timer++, id);
  if (at < e->now || id > HC_TIMER_WAKE || id == HC_TIMER_DUE) return HC_EPOLICY;
  return hc_queue_push(e->events, &due, NULL);
}
