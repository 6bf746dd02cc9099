/* advance_events.c -- windows of advance reservations are announced, begin and end.
 *
 * A window is announced, where it is not known from the beginning, and promises that it breaks are void. It
 * begins: what of others still runs there that should have ended by its estimate, or started before the
 * announcement, is written down and stays (`overruns`), or is stopped as the reservation says (`at_start`),
 * as if a plan had asked for that. It ends, and decisions are called for, since hosts open. The next of all
 * these stands in the queue, and no other.
 *
 * Cost: a walk over the live tasks for each beginning. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "engine/advance_state.h"
#include "engine/event.h"
#include "engine/host_events.h"
#include "engine/promises.h"
#include "engine/rows.h"
#include "engine/signals.h"
#include "engine/stopping.h"
#include "engine/tasks.h"
#include "reserve/reserve.h"

enum { BEGINS, ENDS, IS_ANNOUNCED };

/* The next beginning, end or announcement stands in the queue; of one time ends come first, then
 * announcements. The event's payload says which it is. */
static hc_rc expect(hc_engine *e)
{
  const hc_advances *x = e->advance;
  const hc_advance *a = &x->plan;
  const hc_time start = x->begun < a->count ? a->windows[x->begun].start : HC_NEVER;
  const hc_time end = x->ended < a->count ? a->ends[x->ended] : HC_NEVER;
  const hc_time notice = x->announced < a->count ? a->windows[x->notices[x->announced]].announced : HC_NEVER;
  const hc_time first = HC_MIN(HC_MIN(start, end), notice);
  if (first == HC_NEVER) return 0;
  const hc_event due = hc_event_at(HC_EVENT_advance, first, 0,
                                   end == first      ? ENDS
                                   : notice == first ? IS_ANNOUNCED
                                                     : BEGINS);
  return hc_queue_push(e->events, &due, NULL);
}

/* Hosts that are away are known to return. */
static hc_rc expect_hosts(hc_engine *e, const hc_advance_window *w)
{
  const hc_advance *a = &e->advance->plan;
  const uint32_t source = e->advance->items[w->reservation].source;
  if (w->kind != HC_ADVANCE_AWAY || w->end <= e->now) return 0;
  for (uint32_t k = w->first; k < w->first + w->count; k++)
    for (uint32_t i = 0; i < a->hosts[k].count; i++)
      TRY(hc_host_events_expect(e, source, a->hosts[k].first + i));
  return 0;
}

hc_rc hc_advance_ready(hc_engine *e)
{
  if (!e->advance) return 0;
  for (size_t i = 0; i < e->advance->plan.count; i++)
    if (e->advance->plan.windows[i].is_known) TRY(expect_hosts(e, &e->advance->plan.windows[i]));
  return expect(e);
}

static hc_rc write_down(hc_engine *e, const hc_advance_window *w, int64_t serial, int64_t units,
                        hc_error *error)
{
  const int64_t row[4] = {w->reservation, e->now, serial, units};
  e->advance->overruns++;
  return hc_keeps_rows(e) ? hc_store_numbers(e->store, "overruns", 4, row, error) : 0;
}

static bool is_on(const hc_advance *a, const hc_advance_window *w, const hc_grant *held, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = w->first; k < w->first + w->count; k++)
      if (held[i].host >= a->hosts[k].first && held[i].host - a->hosts[k].first < a->hosts[k].count)
        return true;
  return false;
}

/* A task of others that still has what is reserved from now on, or of processors perhaps has. */
typedef struct other {
  uint64_t serial;
  hc_time start;
  hc_task task;
  uint32_t units;
  bool is_overdue;
} other;

typedef struct others {
  other *items; /* [count], in the order in which they have to go */
  size_t count, cap;
  int64_t units; /* of processors, all that others hold */
} others;

/* Those past their estimates go first, then the latest starts: of hosts all go, in order of serial. */
HC_SORT(sort_others, other,
        a->is_overdue != b->is_overdue ? a->is_overdue
        : a->start != b->start         ? a->start > b->start
                                       : a->serial > b->serial)
HC_SORT(sort_by_serial, other, a->serial < b->serial)

static hc_rc find_others(hc_engine *e, const hc_advance_window *w, others *out)
{
  for (hc_task t = 0; t < e->tasks.count; t++) {
    const hc_live *x = hc_live_of(e, t);
    const hc_grant *held;
    hc_grant one;
    size_t count;
    if (x->state != HC_TASK_RUNNING || hc_advance_may(e, w->reservation, t)) continue;
    if (w->units == 0) {
      TRY(hc_tasks_held(e, x, &one, &held, &count));
      if (!is_on(&e->advance->plan, w, held, count)) continue;
    }
    TRY(hc_reserve(e->allocator, (void **)&out->items, &out->cap, out->count + 1, sizeof *out->items));
    out->items[out->count++] = (other){x->serial, x->start, t, x->units, (x->bits & HC_LIVE_OVERDUE) != 0};
    out->units += x->units;
  }
  if (w->units > 0) sort_others(out->items, out->count);
  else sort_by_serial(out->items, out->count);
  return 0;
}

/* @param over of processors: so many have to be given back */
static hc_rc stop_others(hc_engine *e, const others *all, hc_stop how, int64_t over, bool of_hosts,
                         hc_error *error)
{
  const hc_stopping stopping = {.how = how};
  for (size_t i = 0; i < all->count && (of_hosts || over > 0); i++) {
    const other *x = &all->items[i];
    const hc_live *t = hc_live_of(e, x->task);
    if (t->serial != x->serial || t->state != HC_TASK_RUNNING) continue;
    over -= x->units;
    TRY(hc_stopping_now(e, x->task, &stopping, error));
  }
  return 0;
}

/* What others still have of what is reserved from now on: each task on its hosts; of processors, how many
 * more than are left to them. */
static hc_rc meet_others(hc_engine *e, const hc_advance_window *w, const others *all, hc_error *error)
{
  const int64_t over = w->units > 0 ? all->units - (e->cell.capacity - w->units) : 0;
  switch ((hc_at_start)hc_advance_item_of(e->advance, w->reservation)->at_start) {
    case HC_AT_START_REQUEUE: return stop_others(e, all, HC_STOP_REQUEUE, over, w->units == 0, error);
    case HC_AT_START_CHECKPOINT: return stop_others(e, all, HC_STOP_CHECKPOINT, over, w->units == 0, error);
    case HC_AT_START_STOP: return stop_others(e, all, HC_STOP_KILL, over, w->units == 0, error);
    case HC_AT_START_KEEP: break;
  }
  for (size_t i = 0; i < all->count && w->units == 0; i++)
    TRY(write_down(e, w, (int64_t)all->items[i].serial, all->items[i].units, error));
  return over > 0 ? write_down(e, w, -1, over, error) : 0;
}

static hc_rc begin(hc_engine *e, const hc_advance_window *w, hc_error *error)
{
  others all = {0};
  if (w->kind != HC_ADVANCE_KEPT) return 0; /* what runs there runs on */
  hc_rc rc = find_others(e, w, &all);
  if (rc >= 0) rc = meet_others(e, w, &all, error);
  hc_free(e->allocator, all.items, all.cap * sizeof *all.items);
  return rc;
}

/* Windows that end now do not count any more. */
static hc_rc end_all(hc_engine *e)
{
  hc_advances *x = e->advance;
  for (size_t i = 0; i < x->plan.count; i++)
    if (x->plan.windows[i].end == e->now) TRY(hc_reserve_passed(e->reserve, i));
  while (x->ended < x->plan.count && x->plan.ends[x->ended] <= e->now) x->ended++;
  return 0;
}

/* From now on policies know of them: what they have promised may not be kept any more. */
static hc_rc announce_all(hc_engine *e)
{
  hc_advances *x = e->advance;
  for (; x->announced < x->plan.count; x->announced++) {
    const uint32_t i = x->notices[x->announced];
    if (x->plan.windows[i].announced > e->now) break;
    x->plan.windows[i].is_known = true;
    TRY(expect_hosts(e, &x->plan.windows[i]));
    TRY(hc_reserve_announced(e->reserve, i));
  }
  e->choice.version = 0; /* what was chosen last may be closed */
  return hc_promises_void_broken(e);
}

static hc_rc deliver(hc_engine *e, uint32_t what, uint64_t order, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK, .early = e->reserve->type->holds_hosts};
  hc_advances *x = e->advance;
  HC_UNUSED(order);
  if (what == ENDS) TRY(end_all(e));
  if (what == IS_ANNOUNCED) TRY(announce_all(e));
  for (; what == BEGINS && x->begun < x->plan.count && x->plan.windows[x->begun].start <= e->now;)
    TRY(begin(e, &x->plan.windows[x->begun++], error));
  TRY(expect(e));
  return what == BEGINS ? 0 : hc_signal_send(e, &changed, error);
}

const hc_event_type hc_event_advance = {.name = "advance", .deliver = deliver};
