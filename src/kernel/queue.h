/* queue.h -- the event queue: what happens next.
 *
 * Order is (time, phase, key), all of it stated, none of it insertion: all queues, one thread and two, agree.
 * Two events never share all three. Three implementations stand behind one interface and a property test
 * makes them agree; the choice is the run's (`event_queue: heap | radix | wheel`).
 *
 *   heap   4-ary heap with handles; O(log n) for everything
 *   wheel  buckets of a second, sorted when their second comes: the fastest where times are whole seconds
 *   radix  radix heap over the time; amortised O(log(span)) with a small constant. Within one instant a small
 *          heap keeps (phase, key) order, and takes what is pushed before a time already looked at.
 *
 * State is a few arrays of plain structs, so a run can save it. Source of the radix heap: Ahuja, Mehlhorn,
 * Orlin, Tarjan 1990, doi:10.1145/77600.77615. */
#ifndef HC_KERNEL_QUEUE_H
#define HC_KERNEL_QUEUE_H

#include "base/mem.h"

/* Phases of an instant, in the order in which they happen (design of time: docs/time.md). */
typedef enum hc_phase {
  HC_PHASE_END,     /* activities and tasks end */
  HC_PHASE_CELL,    /* hosts change */
  HC_PHASE_ARRIVAL, /* tasks arrive */
  HC_PHASE_TIMER    /* timers, heartbeats, messages */
} hc_phase;

typedef struct hc_event {
  hc_time time;
  uint64_t key;     /* task serial, host or timer id: the order within a phase */
  uint32_t phase;   /* hc_phase */
  uint32_t payload; /* what the pusher wants back */
} hc_event;

typedef uint32_t hc_event_handle; /* valid until its event is popped or cancelled */
#define HC_NO_EVENT UINT32_MAX

typedef enum hc_queue_kind { HC_QUEUE_HEAP, HC_QUEUE_RADIX, HC_QUEUE_WHEEL } hc_queue_kind;

typedef struct hc_queue hc_queue;

hc_rc hc_queue_new(const hc_allocator *a, hc_queue_kind kind, hc_queue **out); /* 0 or HC_ENOMEM */
void hc_queue_free(hc_queue *q);
/** @param handle NULL: it gets none, which is cheaper; see hc_queue_name. The time must be >= the last popped
 *  time.
 *  @return 0 or HC_ENOMEM. */
hc_rc hc_queue_push(hc_queue *q, const hc_event *event, hc_event_handle *handle);
bool hc_queue_peek(hc_queue *q, hc_event *event); /* false if empty */
/** The next event if it is due by `until`; false if none is. Cheaper than a peek, which has to look into the
 *  future. */
bool hc_queue_due(hc_queue *q, hc_time until, hc_event *event);
/** Pop the next event if it is due by `until` and in one of these phases; false if it is not. */
bool hc_queue_pop_due(hc_queue *q, hc_time until, hc_phase first, hc_phase last, hc_event *event);
bool hc_queue_pop(hc_queue *q, hc_event *event); /* false if empty */
void hc_queue_cancel(hc_queue *q, hc_event_handle handle);
hc_rc hc_queue_move(hc_queue *q, hc_event_handle handle, hc_time time); /* same phase, key, payload, handle */
/** Give every event that has none a handle, and tell whose it is: for a caller that finds that events may
 *  have to be cancelled after all. In no order; O(n). @return 0, or HC_ENOMEM with some of them named */
hc_rc hc_queue_name(hc_queue *q, void (*named)(void *ctx, const hc_event *event, hc_event_handle handle),
                    void *ctx);
size_t hc_queue_count(const hc_queue *q);
/** Payload of the event `ahead` places behind the next, if it costs nothing to know: for a caller that
 *  fetches what it stands for before it is needed. */
bool hc_queue_ahead(const hc_queue *q, size_t ahead, uint32_t *payload);
/** Save, load or hash. The hash is of the *set* of events in order, so that both kinds give the same. */
hc_rc hc_queue_visit(hc_queue *q, hc_visitor *v);

#endif
