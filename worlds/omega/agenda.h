/* agenda.h -- what is to happen when: a heap of events by time.
 *
 * The original keeps everything in one binary heap that orders by time alone, so that events of one time come
 * in an order that falls out of the heap's shape. Two ways of keeping them are offered:
 *
 *   HC_OMEGA_TIES_INSERTED  events of one time come in the order in which they were put in. Arrivals need not
 *                           be in the heap (they are merged from lists), and tasks that end together are one
 *                           event.
 *   HC_OMEGA_TIES_HEAP      the original's heap, step by step: all arrivals are in it from the beginning,
 *                           each task's end is an event of its own. Slower; differs from the other only where
 *                           different things happen at exactly the same time, which is counted.
 *
 * Both hold 16 bytes an event. Cost: O(log events) a push or pop; k equal events that are taken out together
 * cost k sifts from where they stood, not from the root. */
#ifndef HC_OMEGA_AGENDA_H
#define HC_OMEGA_AGENDA_H

#include "base/mem.h"

typedef enum hc_omega_event_kind {
  HC_OMEGA_NO_EVENT,
  HC_OMEGA_END,     /* of tasks: subject = their batch */
  HC_OMEGA_ARRIVAL, /* subject = job */
  HC_OMEGA_MONITOR, /* the utilisation is looked at */
  HC_OMEGA_RETRY,   /* a job that was not placed whole comes back: subject = job */
  HC_OMEGA_THOUGHT, /* subject = scheduler, whose think time is over */
  HC_OMEGA_OFFERS,  /* two-level: the allocator makes an offer */
  HC_OMEGA_OFFER,   /* two-level: an offer arrives: subject = offer */
  HC_OMEGA_ANSWER   /* two-level: an offer comes back: subject = offer */
} hc_omega_event_kind;

#define HC_OMEGA_SUBJECTS (UINT32_C(1) << 28) /* subjects are below this */

typedef struct hc_omega_event {
  double time;
  uint32_t what;   /* kind, and 28 bits of subject */
  uint32_t number; /* of insertion: which of several that are equal it is */
} hc_omega_event;

static inline hc_omega_event_kind hc_omega_event_what(const hc_omega_event *x)
{
  return (hc_omega_event_kind)(x->what >> 28);
}

static inline uint32_t hc_omega_event_subject(const hc_omega_event *x)
{
  return x->what & (HC_OMEGA_SUBJECTS - 1);
}

typedef enum hc_omega_ties { HC_OMEGA_TIES_INSERTED, HC_OMEGA_TIES_HEAP } hc_omega_ties;

typedef struct hc_omega_tag {
  uint32_t number; /* of insertion; wraps around, so that two are compared by their difference */
  uint32_t what;
} hc_omega_tag;

/* The heap begins at 1. Times are kept as words that are ordered as doubles are, and apart from the rest, so
 * that a search down the heap reads them alone. */
typedef struct hc_omega_agenda {
  const hc_allocator *allocator;
  hc_omega_ties ties;
  uint64_t *times;    /* [count + 1] */
  hc_omega_tag *tags; /* [count + 1] */
  size_t count, times_cap, tags_cap;
  uint32_t next_number;
  uint64_t mixed; /* a time at which different things happen; 0: none is known */
} hc_omega_agenda;

void hc_omega_agenda_init(hc_omega_agenda *a, const hc_allocator *allocator, hc_omega_ties ties);
void hc_omega_agenda_fini(hc_omega_agenda *a);
/** @return 0 or HC_ENOMEM */
hc_rc hc_omega_agenda_push(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject);
/** The same n times. */
hc_rc hc_omega_agenda_push_equal(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject,
                                 size_t n);
/** The earliest. Only if there is one. */
hc_omega_event hc_omega_agenda_first(const hc_omega_agenda *a);
/** Take it out. */
hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a);
/** Take the earliest out, and, in the original's heap, all that are equal to it, unless something else is to
 *  happen at their time. As if they were taken out one by one, with nothing put in between; if there are
 *  several, its number is any of theirs.
 *  @param n  out: how many */
hc_omega_event hc_omega_agenda_pop_equal(hc_omega_agenda *a, size_t *n);

#endif
