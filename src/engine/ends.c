/* ends.c -- the ends of running tasks come: one by one in the order of their events, or, if the run says so,
 * all that are due before anything is decided. What is believed of ends is expected_ends.c. */
#include "engine/ends.h"

#include "base/util.h"
#include "engine/event.h"
#include "engine/life.h"
#include "engine/signals.h"
#include "engine/tasks.h"
#include "engine/work.h"

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

const hc_event_type hc_event_end = {.name = "end", .deliver = end};

/* Their events stay where they are in the order of the instant, and only say then that some task ended. */
static hc_rc end_if_due(hc_engine *e, hc_event *x, hc_error *error)
{
  const hc_task id = hc_event_who(x);
  const bool is_end = hc_event_slot(x) == HC_EVENT_end;
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
