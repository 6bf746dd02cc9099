/* queue_parts.h -- what the files of the event queue share, and no other file sees.
 *
 * An event lies in one array as an entry: the heap, (radix only) one of 64 buckets, or (wheel only) a chunk
 * or the run. Its handle, if it has one, is a slot, which knows where the entry lies; what moves an entry
 * writes its slot. Slots are taken and given back by queue.c alone, so that all kinds give the same handles
 * for the same calls. */
#ifndef HC_KERNEL_QUEUE_PARTS_H
#define HC_KERNEL_QUEUE_PARTS_H

#include "base/mem.h"
#include "kernel/queue.h"

/* 24 bytes together: splitting the key from the payload was measured to lose once the queue leaves the
 * cache. */
typedef struct hc_entry {
  hc_time time;
  uint64_t key;
  uint32_t payload;
  uint32_t tag; /* phase above, slot below */
} hc_entry;

#define HC_TAG_SLOT_BITS 29u
#define HC_TAG_SLOT_MASK ((1u << HC_TAG_SLOT_BITS) - 1)
#define HC_TAG_NO_SLOT HC_TAG_SLOT_MASK                /* in the place of a slot: it has no handle */
#define HC_TAG_PHASES (1u << (32u - HC_TAG_SLOT_BITS)) /* 8: room for more than hc_phase has */

static inline uint32_t hc_tag_slot(uint32_t tag)
{
  return tag & HC_TAG_SLOT_MASK;
}

typedef struct hc_entries {
  hc_entry *items;
  size_t count, cap;
} hc_entries;

#define HC_BUCKETS 64u
#define HC_PLACE_HEAP HC_BUCKETS         /* smaller: number of a bucket */
#define HC_PLACE_FREE (HC_BUCKETS + 1)   /* no event: `index` is the next free slot */
#define HC_PLACE_BUCKET (HC_BUCKETS + 2) /* wheel: chunk and place in it */
#define HC_PLACE_RUN (HC_BUCKETS + 3)    /* wheel: somewhere in the run */

typedef struct hc_queue_slot {
  uint32_t index; /* in its array */
  uint32_t place;
} hc_queue_slot;

typedef struct hc_wheel hc_wheel; /* wheel.c */

struct hc_queue {
  hc_allocator allocator;
  hc_queue_kind kind;
  uint32_t free; /* first free slot, HC_NO_EVENT if none */
  size_t count;  /* events in all arrays */
  hc_queue_slot *slots;
  size_t slot_count, slot_cap;
  hc_entries heap; /* radix: room for `count` entries at all times */
  hc_wheel *wheel; /* NULL: another kind */
  uint64_t base;   /* radix: see radix.c */
  uint64_t filled; /* radix: bit b is set if bucket b holds something */
  hc_entries buckets[HC_BUCKETS];
};

/* Order of events: time, phase, key. */
static inline bool hc_entry_before(const hc_entry *a, const hc_entry *b)
{
  if (a->time != b->time) return a->time < b->time;
  uint32_t p = a->tag >> HC_TAG_SLOT_BITS, r = b->tag >> HC_TAG_SLOT_BITS;
  if (p != r) return p < r;
  return a->key < b->key;
}

/* Lay `x` at `index` of the array that `place` names, and tell its slot if it has one. */
static inline void hc_entry_put(hc_queue_slot *slots, hc_entry *items, size_t index, uint32_t place,
                                const hc_entry *x)
{
  const uint32_t slot = hc_tag_slot(x->tag);
  items[index] = *x;
  if (slot != HC_TAG_NO_SLOT) slots[slot] = (hc_queue_slot){.index = (uint32_t)index, .place = place};
}

/* Called with every entry, and with where it lies. @return 0, or what ends the walk */
typedef hc_rc (*hc_entry_visit)(void *ctx, hc_entry *x, uint32_t index, uint32_t place);
hc_rc hc_entries_walk(hc_entries *items, uint32_t place, hc_entry_visit visit, void *ctx);

/* heap.c: over q->heap; the caller has made room. */
void hc_heap_push(hc_queue *q, const hc_entry *x);
void hc_heap_remove(hc_queue *q, size_t index);
void hc_heap_move(hc_queue *q, size_t index, hc_time time);

/* radix.c: over q->buckets and q->heap. */
hc_rc hc_radix_push(hc_queue *q, const hc_entry *x); /* HC_ENOMEM: nothing changed */
hc_rc hc_radix_move(hc_queue *q, hc_queue_slot at, hc_time time);
void hc_radix_remove(hc_queue *q, hc_queue_slot at);
void hc_radix_settle(hc_queue *q); /* fills an empty heap with the first events; q is not empty */

/* wheel.c: over q->wheel and q->heap. */
hc_rc hc_wheel_new(hc_queue *q);
void hc_wheel_free(hc_queue *q);
void hc_wheel_clear(hc_queue *q);
hc_rc hc_wheel_push(hc_queue *q, hc_time time, uint64_t key, uint32_t payload,
                    uint32_t tag);                            /* HC_ENOMEM: nothing changed */
const hc_entry *hc_wheel_first(hc_queue *q);                  /* q is not empty */
const hc_entry *hc_wheel_due(hc_queue *q, hc_time until);     /* the same; NULL: none by then */
void hc_wheel_drop_first(hc_queue *q, const hc_entry *first); /* what hc_wheel_first has just said */
/* The run's next event, if nothing but it can be the first, and it has no handle: as nearly always. Otherwise
 * false. */
bool hc_wheel_pop_run(hc_queue *q, hc_time until, uint32_t first, uint32_t last, hc_event *event);
void hc_wheel_remove(hc_queue *q, uint32_t slot);
bool hc_wheel_shift(hc_queue *q, uint32_t slot, hc_time time); /* within its bucket, if it can be */
hc_entry hc_wheel_at(const hc_queue *q, uint32_t slot);
hc_rc hc_wheel_walk(hc_queue *q, hc_entry_visit visit, void *ctx); /* but for the heap */
bool hc_wheel_ahead(const hc_queue *q, size_t ahead, uint32_t *payload);

#endif
