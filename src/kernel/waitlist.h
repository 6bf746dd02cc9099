/* waitlist.h -- a queue of waiting tasks in the order of their keys, that answers "who is next that fits?".
 *
 * A B+-tree by (key, serial). Leaves hold up to 31 entries in arrays. Each inner node keeps, for each of its
 * children, the least units and, for each *size class* (1, 2, 3, 4, 5-6, 7-8, 9-12, 13-16 ...: two classes an
 * octave), the least estimate of the child's tasks of that class or a smaller one. A query "units <= u and
 * (estimate <= e or units <= o)" follows only children that hold a task which passes, or may hold one in the
 * class that u cuts through: with the sizes that real logs ask for, a query is one or two descents. Nodes
 * that are nearly empty are merged. The rare query that u's class deceives costs a scan of the leaves that
 * look promising.
 *
 * Before the tree stands a line for tasks that come in order and go soon: see waitlist_line.c.
 *
 * Cost: insert, remove, next: O(log n). Measured by bench/bench_waitlist, with the adversarial case. */
#ifndef HC_KERNEL_WAITLIST_H
#define HC_KERNEL_WAITLIST_H

#include "base/mem.h"
#include "hindcast/task.h"

typedef struct hc_waitlist hc_waitlist;

typedef struct hc_waiting {
  int64_t key;     /* of the order; lower first */
  uint64_t serial; /* ties */
  hc_task task;
  int64_t units;
  hc_time estimate; /* HC_NEVER: unknown */
} hc_waiting;

/* What tasks are of: a bit for each, below 64. Tasks from `count` on are of bit 63, as all are without it. */
typedef struct hc_kinds {
  uint8_t *of; /* [count] by task */
  size_t count;
} hc_kinds;

hc_rc hc_waitlist_new(const hc_allocator *a, hc_waitlist **out); /* 0 or HC_ENOMEM */
/** Nodes know of which bits the tasks in them are: before anything is inserted. A task's bit stays while it
 *  is in the list, and is known before. @param kinds borrowed for the list's life */
void hc_waitlist_know(hc_waitlist *w, const hc_kinds *kinds);
void hc_waitlist_free(hc_waitlist *w);
hc_rc hc_waitlist_insert(hc_waitlist *w, const hc_waiting *entry); /* 0 or HC_ENOMEM */
/** The same, by its members, for one who comes last in a line: @return 1; 0: he does not, or there is no
 *  room; insert. */
hc_rc hc_waitlist_append(hc_waitlist *w, int64_t key, uint64_t serial, hc_task task, int64_t units,
                         hc_time estimate);
void hc_waitlist_remove(hc_waitlist *w, int64_t key, uint64_t serial); /* must be there */
size_t hc_waitlist_count(const hc_waitlist *w);
/** The first entry behind the cursor that passes the filter (NULL: any); moves the cursor there.
 *  @return HC_NO_TASK if none does (the cursor stays). Removing and inserting leave cursors valid. */
hc_task hc_waitlist_next(hc_waitlist *w, hc_cursor *at, const hc_filter *filter);
/** The same, of tasks of none of the bits in `without`: what is of these alone is passed over as a whole. */
hc_task hc_waitlist_next_of(hc_waitlist *w, hc_cursor *at, const hc_filter *filter, uint64_t without);
/** Number `k` in the order of the list, from 0, which must be there. O(entries / 31). */
hc_task hc_waitlist_at(hc_waitlist *w, size_t k);
/** The first entry, if that is known at once; NULL if not, or if there is none. Borrowed until the next call.
 *  */
const hc_waiting *hc_waitlist_head(const hc_waitlist *w);
/** The task that stands so many behind the first, if that is known at once, or left a hole there; NULL if
 *  not. */
const hc_waiting *hc_waitlist_later(const hc_waitlist *w, size_t k);
void hc_waitlist_drop_head(hc_waitlist *w);      /* who has just been told of leaves */
int64_t hc_waitlist_units(const hc_waitlist *w); /* sum of units of all entries, saturating */
int64_t hc_waitlist_smallest(hc_waitlist *w);    /* least units of any entry; 0 if empty. O(classes + leaf) */
/** Give every entry the key that `key(ctx, task)` says and sort anew. O(n log n), allocates nothing that
 *  lasts. */
hc_rc hc_waitlist_rekey(hc_waitlist *w, int64_t (*key)(void *ctx, hc_task task), void *ctx);
hc_rc hc_waitlist_visit(hc_waitlist *w, hc_visitor *v); /* saved entry by entry, in order */

#endif
