/* ends.c -- the ends of running tasks come: one by one in the order of their events, or, if the run says so,
 * all that are due before anything is decided. So are corrections of what was predicted, where something was.
 * What is believed of ends is expected_ends.c. */
#include "engine/ends.h"

#include "base/util.h"
#include "engine/event.h"
#include "engine/expected_ends.h"
#include "engine/life.h"
#include "engine/predict.h"
#include "engine/reservations.h"
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

/* ---- past the expected end ---- */

/* What was predicted is corrected first, where it can be: expected_ends.c says what is believed then. */
static hc_rc overdue(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  const hc_time was = hc_expected_end(e, t);
  if (e->forecasts) {
    const hc_rc rc = hc_predict_outlived(e, id, order, error);
    if (rc != 0) return HC_MIN(rc, 0);
  }
  if (e->overdue_units == 0) e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  t->bits |= HC_LIVE_OVERDUE;
  e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  e->overdue_units += t->units;
  return hc_reserve_overdue(e->reserve, id, t->units, was, e->overdue_at);
}

const hc_event_type hc_event_overdue = {.name = "overdue", .deliver = overdue};

/* ---- before anything is decided ---- */

/* What is believed is corrected before anything happens that it is asked for. */
static hc_rc correct(hc_engine *e, hc_event *events, size_t *n, hc_error *error)
{
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) {
    const hc_event *x = &events[i];
    if (hc_event_slot(x) == HC_EVENT_overdue)
      TRY(overdue(e, hc_event_who(x), hc_event_order(x), error));
    else events[kept++] = *x;
  }
  *n = kept;
  return 0;
}

/* Their events stay where they are in the order of the instant, and only say then that some task ended. */
static hc_rc end_if_due(hc_engine *e, hc_event *x, hc_error *error)
{
  const hc_task id = hc_event_who(x);
  const bool is_end = hc_event_slot(x) == HC_EVENT_end;
  hc_event_handle *handle = NULL;
  if (id != HC_GONE_PAYLOAD && is_end) handle = &hc_live_of(e, id)->event;
  if (id != HC_GONE_PAYLOAD && hc_event_slot(x) == HC_EVENT_overdue)
    handle = &e->tasks.planned[id].overdue_event;
  if (handle && is_end && e->options->due_ends_first && hc_expected_end(e, hc_live_of(e, id)) <= e->now) {
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
  if (rc >= 0 && e->forecasts) rc = correct(e, ends, &n, error);
  for (size_t i = 0; i < n && rc >= 0; i++) rc = end_if_due(e, &ends[i], error);
  hc_free(e->allocator, ends, cap * sizeof *ends);
  return rc;
}
