/* event.h -- types of events: what a run's queue brings, and who it is brought to.
 *
 * Events of one instant come in the order of phase and key. A type has a phase, a *rank* among the types of
 * its phase (the top three bits of the key, so that all events of a lower rank come first) and, where two
 * types must come in one order of keys, a *mark* (the top bit of the payload): they stand in its line of
 * events.def, and together are its place in the table by which the loop finds it. What is done with it is one
 * hc_event_type in the file that owns it; a file that only sets such an event needs to know nothing of that
 * one. */
#ifndef HC_ENGINE_EVENT_H
#define HC_ENGINE_EVENT_H

#include "hindcast/architecture.h"
#include "kernel/queue.h"

typedef struct hc_event_type {
  const char *name;
  bool is_wake; /* an architecture's own: no reason to go on when nothing is left to run */
  /** @param who its payload without the mark: a task's slot, a source ... @param order its key without the
   *  rank */
  hc_rc (*deliver)(hc_engine *e, uint32_t who, uint64_t order, hc_error *error);
} hc_event_type;

enum { HC_RANK_SHIFT = 61, HC_MARK_SHIFT = 31, HC_EVENT_SLOTS = 4 * 16 };
#define HC_ORDER_MOST (UINT64_MAX >> 3)
#define HC_WHO_MOST (UINT32_MAX >> 1)

/* Where the type of an event stands in the table. */
#define HC_EVENT_SLOT(phase, rank, mark) ((uint32_t)(phase) << 4 | (uint32_t)(rank) << 1 | (uint32_t)(mark))
typedef enum hc_event_place {
#define HC_EVENT(name, phase, rank, mark) HC_EVENT_##name = HC_EVENT_SLOT(HC_PHASE_##phase, rank, mark),
#include "engine/events.def"
#undef HC_EVENT
} hc_event_place;

/** The types by their places; NULL where there is none. events.c; only the birth of a run names it. */
extern const hc_event_type *const hc_event_table[HC_EVENT_SLOTS];

static inline hc_event hc_event_at(hc_event_place type, hc_time at, uint64_t order, uint32_t who)
{
  const uint32_t slot = type;
  return (hc_event){at, (uint64_t)(slot >> 1 & 7) << HC_RANK_SHIFT | order, slot >> 4,
                    who | (slot & 1) << HC_MARK_SHIFT};
}
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
