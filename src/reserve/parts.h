/* parts.h -- what the implementations of this room share. */
#ifndef HC_RESERVE_PARTS_H
#define HC_RESERVE_PARTS_H

#include "base/mem.h"
#include "reserve/later.h"
#include "reserve/reserve.h"

extern const hc_reserve_type hc_reserve_none, hc_reserve_counts, hc_reserve_windows, hc_reserve_host_timeline;

static inline void hc_reserve_note(const hc_reserve_book *r, hc_rc rc)
{
  if (rc < 0) r->c.note(r->c.ctx, rc);
}
static inline hc_request hc_reserve_request(const hc_reserve_book *r, hc_task t)
{
  return r->c.request(r->c.ctx, t);
}
static inline int64_t hc_reserve_units(const hc_reserve_book *r, hc_task t)
{
  return r->c.units(r->c.ctx, t);
}
static inline hc_time hc_reserve_estimate(const hc_reserve_book *r, hc_task t)
{
  return r->c.estimate(r->c.ctx, t);
}
static inline hc_time hc_reserve_on(const hc_reserve_book *r, hc_task t, const hc_grant *grants, size_t count)
{
  return r->c.on(r->c.ctx, t, grants, count);
}
static inline hc_time hc_reserve_at(const hc_reserve_book *r, hc_task t)
{
  return r->c.reserved_at(r->c.ctx, t);
}
static inline bool hc_reserve_sees(const hc_reserve_book *r, hc_task t)
{
  return r->c.is_seen(r->c.ctx, t);
}
static inline size_t hc_reserve_tasks(const hc_reserve_book *r, const hc_task **tasks)
{
  return r->c.reserved(r->c.ctx, tasks);
}

/** Fill r->ahead for a task that starts at `at`. @return 0 or HC_ENOMEM */
hc_rc hc_reserve_look_ahead(hc_reserve_book *r, hc_task t, hc_time at, hc_time length);
/** A window is a change of amounts that is known and that a task would see which starts at `at` and runs for
 *  so long at most. */
static inline bool hc_reserve_sees_resize(const hc_reserve_book *r, const hc_advance_window *w, hc_time at,
                                          hc_time length)
{
  return w->kind == HC_ADVANCE_RESIZE && w->is_known && w->start > HC_MAX(at, *r->c.now) &&
         w->start < hc_promised_until(at, length);
}
/** How long a task runs on this host. @param length HC_UNKNOWN: as the host's speed has it */
static inline hc_time hc_reserve_length_on(const hc_reserve_book *r, hc_task t, uint32_t host, hc_time length)
{
  const hc_grant one = {.host = host, .slots = 1};
  return length == HC_UNKNOWN ? hc_reserve_on(r, t, &one, 1) : length;
}

/** Would each task that has a reservation still find room by its time, beside `t` on these hosts from now on
 *  for so long? @param rises, fits as hc_later_first takes them; `self` of `fits` is the task */
bool hc_later_allows(hc_later *l, hc_task t, hc_time length, const hc_grant *grants, size_t count,
                     bool (*rises)(const hc_reserve_book *r, hc_task t),
                     hc_rc (*fits)(hc_later *l, void *self));

#endif
