/* tasks.h -- the table of live tasks: tasks.c adds and removes them, and keeps what they hold. */
#ifndef HC_ENGINE_TASKS_H
#define HC_ENGINE_TASKS_H

#include "engine/state.h"

/* The slot that the event of an end names whose task has been released already: see ends.c. No task has
 * it. */
#define HC_GONE_PAYLOAD (UINT32_MAX >> 1)

extern const hc_task_cold hc_task_cold_none; /* of a task that has nothing rare */

hc_rc hc_tasks_add(hc_engine *e, const hc_arrival *a, hc_task *out);
void hc_tasks_remove(hc_engine *e, hc_task t);
hc_rc hc_tasks_visit(hc_engine *e, hc_visitor *v);
void hc_tasks_fini(hc_engine *e);
/** Is it one slot on one host, and no device? Then the host is all that need be remembered. */
static inline bool hc_is_one(const hc_engine *e, const hc_grant *g)
{
  return e->cell.hosts && g->slots == 1 && hc_devices_none(&g->devices) && g->chunk == 0;
}
/** Most tasks have the same on each of their hosts. */
static inline bool hc_same_amounts(const hc_grant *a, const hc_grant *b, bool whole)
{
  return !whole && a->chunk == 0 && b->chunk == 0 && a->slots == b->slots;
}
static inline void hc_tasks_hold_one(hc_live *t, uint32_t host)
{
  t->bits |= HC_LIVE_ONE;
  t->held = host;
}
hc_rc hc_tasks_hold(hc_engine *e, hc_task t, const hc_grant *grants, size_t count); /* remember what it has */
/** What a task holds, in the scratch arena. @return 0 or HC_ENOMEM */
hc_rc hc_tasks_held_many(hc_engine *e, const hc_live *t, const hc_grant **grants, size_t *count);
/** The same, or in `one`. */
static inline hc_rc hc_tasks_held(hc_engine *e, const hc_live *t, hc_grant *one, const hc_grant **grants,
                                  size_t *count)
{
  if (!(t->bits & HC_LIVE_ONE)) return hc_tasks_held_many(e, t, grants, count);
  *one = (hc_grant){.host = t->held, .slots = 1};
  *grants = one;
  *count = 1;
  return 0;
}
void hc_tasks_drop_grants(hc_engine *e, hc_live *t);
/** See that a task can have what few tasks have. @return 0 or HC_ENOMEM. */
hc_rc hc_tasks_need_cold(hc_engine *e);

static inline hc_task hc_task_of(const hc_engine *e, const hc_live *t)
{
  return (hc_task)(t - e->tasks.live);
}
static inline const hc_task_cold *hc_cold_of(const hc_engine *e, hc_task t)
{
  return e->tasks.cold ? &e->tasks.cold[t] : &hc_task_cold_none;
}
static inline hc_time hc_estimate_of(const hc_engine *e, hc_task t)
{
  if (e->tasks.plans) return e->tasks.planned[t].estimate;
  return e->tasks.cold ? e->tasks.cold[t].estimate : e->tasks.live[t].run;
}
static inline hc_time hc_running_estimate_of(const hc_engine *e, hc_task t)
{
  return e->tasks.plans ? e->tasks.planned[t].running_estimate : hc_estimate_of(e, t);
}
static inline hc_time hc_reserved_of(const hc_engine *e, hc_task t)
{
  return e->tasks.plans ? e->tasks.planned[t].reserved_at : HC_NEVER;
}
static inline const int64_t *hc_need_of(const hc_engine *e, hc_task t)
{
  return e->tasks.need + (size_t)t * e->tasks.dimensions;
}
/** One slot, part of a host, nothing rare: as nearly every task of a data centre's trace. */
static inline bool hc_asks_plainly(const hc_engine *e, hc_task t)
{
  const hc_live *x = &e->tasks.live[t];
  return x->slots == 1 && !(x->bits & HC_LIVE_WHOLE) && hc_cold_of(e, t)->more == 0;
}
/** How many slots it has, or asks for; on a cell of processors, processors. */
static inline uint32_t hc_size_of(const hc_engine *e, hc_task t)
{
  return e->cell.hosts ? e->tasks.live[t].slots : e->tasks.live[t].units;
}
/** It is of that size, each slot with what it has. Nothing else changes. */
static inline void hc_set_size(hc_engine *e, hc_task t, uint32_t size)
{
  hc_live *x = &e->tasks.live[t];
  x->units = e->cell.hosts ? x->units / x->slots * size : size;
  if (e->cell.hosts) x->slots = size;
}
/** What it asks of the cell. */
hc_request hc_request_of(const hc_engine *e, hc_task t);

#endif
