/* event.h -- types of events: what a run's queue brings, and who it is brought to.
 *
 * Events of one instant come in the order of phase and key. A type has a phase, a *rank* among the types of
 * its phase (the top three bits of the key, so that all events of a lower rank come first) and, where two
 * types must come in one order of keys, a *mark* (the top bit of the payload). A type is one hc_event_type
 * in the file that owns its events, and one line in events.def; the loop finds it by a table and knows none
 * of them.
 *
 *   phase   rank  mark  type         order in the rank
 *   END     0           end          serial, or number of the start (end_order)
 *   END     0     x     overdue      the same as the end of its task
 *   CELL    0           host_change  source, host
 *   CELL    4           resize       serial
 *   CELL    7     x     load         there is one
 *   TIMER   0           withdrawal   serial
 *   TIMER   1           stop         serial
 *   TIMER   2           eligible     serial
 *   TIMER   4     x     timer        as they were set */
#ifndef HC_ENGINE_EVENT_H
#define HC_ENGINE_EVENT_H

#include "hindcast/engine.h"
#include "kernel/queue.h"

typedef struct hc_event_type {
  const char *name;
  uint32_t phase, rank, mark; /* hc_phase; 0 to 7; 0 or 1 */
  bool is_wake;               /* an architecture's own: no reason to go on when nothing is left to run */
  /** @param who its payload without the mark: a task's slot, a source ... @param order its key without the
   *  rank */
  hc_rc (*deliver)(hc_engine *e, uint32_t who, uint64_t order, hc_error *error);
} hc_event_type;

enum { HC_RANK_SHIFT = 61, HC_MARK_SHIFT = 31, HC_EVENT_SLOTS = 4 * 16 };
#define HC_ORDER_MOST (UINT64_MAX >> 3)
#define HC_WHO_MOST (UINT32_MAX >> 1)

#define HC_EVENT(name) extern const hc_event_type hc_event_##name;
#include "engine/events.def"
#undef HC_EVENT
extern const hc_event_type *const hc_event_list[]; /* events.c; only the birth of a run names it */
extern const uint32_t hc_event_count;

static inline hc_event hc_event_at(const hc_event_type *t, hc_time at, uint64_t order, uint32_t who)
{
  return (hc_event){at, (uint64_t)t->rank << HC_RANK_SHIFT | order, t->phase, who | t->mark << HC_MARK_SHIFT};
}
/* Where the type of an event stands in the table. */
#define HC_EVENT_SLOT(phase, rank, mark) ((uint32_t)(phase) << 4 | (rank) << 1 | (mark))
static inline uint32_t hc_event_slot(const hc_event *x)
{
  return HC_EVENT_SLOT(x->phase, (uint32_t)(x->key >> HC_RANK_SHIFT), x->payload >> HC_MARK_SHIFT);
}
static inline uint32_t hc_event_who(const hc_event *x)
{
  return x->payload & HC_WHO_MOST;
}
static inline uint64_t hc_event_order(const hc_event *x)
{
  return x->key & HC_ORDER_MOST;
}

#endif
