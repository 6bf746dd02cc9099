/* expected_ends.c -- what is believed of the ends of running tasks, and ends that may be taken back.
 *
 * Where plans are made with expected ends a task that runs past its own is overdue: all such tasks are
 * believed to end together, a moment from now, whenever now is. Events of ends have no handle, which is
 * cheaper, until the first of them has to be cancelled. */
#include "engine/expected_ends.h"

#include "base/util.h"
#include "engine/event.h"
#include "engine/reservations.h"
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

/* ---- past the expected end ---- */

hc_rc hc_overdue_move(hc_engine *e)
{
  const hc_time was = e->overdue_at;
  if (e->overdue_units == 0) return 0;
  e->overdue_at = hc_time_add(e->now, HC_OVERDUE_MOMENT);
  if (e->overdue_at == was) return 0;
  return hc_reserve_overdue(e->reserve, HC_NO_TASK, e->overdue_units, was, e->overdue_at);
}
