/* radix.c -- a radix heap over the time, with a heap in front.
 *
 * `base` divides the events. Those at or before it lie in the heap, in full order. Those after it lie
 * unordered in buckets: bucket b holds the times whose highest bit that differs from `base` is bit b, so
 * every time in a lower bucket is earlier than every time in a higher one. When the heap runs empty, the
 * lowest bucket is spread: its earliest time becomes the base, events at that time go to the heap, the others
 * to lower buckets. An event thus only descends, at most once per bit of the span between it and the base,
 * and mostly two or three times.
 *
 * The heap in front does three things: it keeps (phase, key) order within an instant; it takes events that
 * are pushed before the base, which looking ahead may have put past the last popped time; and it is where a
 * bucket goes whole if there is no memory to spread it, so that a pop never fails. For this it has room for
 * all events.
 *
 * Buckets are not compacted and keep their room: memory is a few times that of the heap kind. Cost: push,
 * move, remove O(1) outside the heap; pop amortised O(log span). Source: Ahuja, Mehlhorn, Orlin, Tarjan
 * 1990, doi:10.1145/77600.77615 (their one-level form; the heap in front is ours). */
#include "base/util.h"
#include "kernel/queue_parts.h"

/* Times as unsigned numbers of the same order. */
static inline uint64_t place_of_time(hc_time t)
{
  return (uint64_t)t ^ ((uint64_t)1 << 63);
}

/* Bucket of a time after the base. */
static inline uint32_t bucket_of(uint64_t base, uint64_t time)
{
  return 63u - (uint32_t)__builtin_clzll(time ^ base);
}

static inline hc_rc make_room(hc_queue *q, uint32_t b, size_t need)
{
  hc_entries *bucket = &q->buckets[b];
  if (need <= bucket->cap) return 0;
  return hc_reserve(&q->allocator, (void **)&bucket->items, &bucket->cap, need, sizeof *bucket->items);
}

static inline void add(hc_queue *q, uint32_t b, const hc_entry *x)
{
  hc_entries *bucket = &q->buckets[b];
  hc_entry_put(q->slots, bucket->items, bucket->count++, b, x);
  q->filled |= (uint64_t)1 << b;
}

hc_rc hc_radix_push(hc_queue *q, const hc_entry *x)
{
  uint64_t time = place_of_time(x->time);
  if (time <= q->base) {
    hc_heap_push(q, x);
    return 0;
  }
  uint32_t b = bucket_of(q->base, time);
  TRY(make_room(q, b, q->buckets[b].count + 1));
  add(q, b, x);
  return 0;
}

void hc_radix_remove(hc_queue *q, hc_queue_slot at)
{
  if (at.place == HC_PLACE_HEAP) {
    hc_heap_remove(q, at.index);
    return;
  }
  hc_entries *bucket = &q->buckets[at.place];
  hc_entry last = bucket->items[--bucket->count];
  if (at.index < bucket->count) hc_entry_put(q->slots, bucket->items, at.index, at.place, &last);
  if (bucket->count == 0) q->filled &= ~((uint64_t)1 << at.place);
}

hc_rc hc_radix_move(hc_queue *q, hc_queue_slot at, hc_time time)
{
  uint64_t to = place_of_time(time);
  uint32_t place = to <= q->base ? HC_PLACE_HEAP : bucket_of(q->base, to);
  hc_entry *items = at.place == HC_PLACE_HEAP ? q->heap.items : q->buckets[at.place].items;
  if (place == at.place) {
    if (place == HC_PLACE_HEAP) hc_heap_move(q, at.index, time);
    else items[at.index].time = time;
    return 0;
  }
  hc_entry x = items[at.index];
  x.time = time;
  if (place != HC_PLACE_HEAP) TRY(make_room(q, place, q->buckets[place].count + 1));
  hc_radix_remove(q, at);
  return hc_radix_push(q, &x);
}

/* Hand the whole bucket `b` to the heap, from entry `i` on. */
static void pour(hc_queue *q, uint32_t b, size_t i)
{
  hc_entries *from = &q->buckets[b];
  for (; i < from->count; i++) hc_heap_push(q, &from->items[i]);
  from->count = 0;
  q->filled &= ~((uint64_t)1 << b);
}

/* Deal the lowest bucket out: its first events to the heap, the others to the empty buckets below. */
static void spread(hc_queue *q, uint32_t b)
{
  hc_entries *from = &q->buckets[b];
  uint64_t first = UINT64_MAX, last = 0;
  for (size_t i = 0; i < from->count; i++) {
    uint64_t time = place_of_time(from->items[i].time);
    first = HC_MIN(first, time);
    last = HC_MAX(last, time);
  }
  q->base = first;
  for (size_t i = 0; i < from->count; i++) {
    const hc_entry *x = &from->items[i];
    uint64_t time = place_of_time(x->time);
    if (time == first) {
      hc_heap_push(q, x);
      continue;
    }
    uint32_t to = bucket_of(first, time);
    if (make_room(q, to, q->buckets[to].count + 1) < 0) {
      /* No memory: the heap takes all that this bucket held, and the base moves past it. */
      q->base = last;
      pour(q, b, i);
      while (q->filled & (((uint64_t)1 << b) - 1)) pour(q, (uint32_t)__builtin_ctzll(q->filled), 0);
      return;
    }
    add(q, to, x);
  }
  from->count = 0;
  q->filled &= ~((uint64_t)1 << b);
}

void hc_radix_settle(hc_queue *q)
{
  uint32_t b = (uint32_t)__builtin_ctzll(q->filled);
  if (q->buckets[b].count > 1) {
    spread(q, b);
    return;
  }
  q->base = place_of_time(q->buckets[b].items[0].time);
  pour(q, b, 0);
}
