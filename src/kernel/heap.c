/* heap.c -- a 4-ary heap of events whose places their slots know.
 *
 * Children of i are 4i+1 .. 4i+4: half the levels of a binary heap, and the four siblings share two cache
 * lines. An entry is lifted out, the hole travels, and the entry is laid down once. It neither allocates
 * nor frees: queue.c makes room beforehand. Cost: O(log n) each; about 3 comparisons per level down, 1 per
 * level up. */
#include "kernel/queue_parts.h"

/* Move the hole at `i` towards the root until `x` may lie in it. */
static void rise(hc_queue *q, size_t i, const hc_entry *x)
{
  hc_entry *items = q->heap.items;
  while (i > 0) {
    size_t parent = (i - 1) / 4;
    if (!hc_entry_before(x, &items[parent])) break;
    hc_entry_put(q->slots, items, i, HC_PLACE_HEAP, &items[parent]);
    i = parent;
  }
  hc_entry_put(q->slots, items, i, HC_PLACE_HEAP, x);
}

/* Move the hole at `i` towards the leaves until `x` may lie in it. */
static void sink(hc_queue *q, size_t i, const hc_entry *x)
{
  hc_entry *items = q->heap.items;
  size_t n = q->heap.count;
  for (;;) {
    size_t child = 4 * i + 1, best = child;
    if (child >= n) break;
    size_t end = child + 4 < n ? child + 4 : n;
    for (size_t c = child + 1; c < end; c++) {
      if (hc_entry_before(&items[c], &items[best])) best = c;
    }
    if (!hc_entry_before(&items[best], x)) break;
    hc_entry_put(q->slots, items, i, HC_PLACE_HEAP, &items[best]);
    i = best;
  }
  hc_entry_put(q->slots, items, i, HC_PLACE_HEAP, x);
}

/* Fill the hole at `i`, whose right way is not known. */
static void settle(hc_queue *q, size_t i, const hc_entry *x)
{
  if (i > 0 && hc_entry_before(x, &q->heap.items[(i - 1) / 4])) rise(q, i, x);
  else sink(q, i, x);
}

void hc_heap_push(hc_queue *q, const hc_entry *x)
{
  rise(q, q->heap.count++, x);
}

void hc_heap_remove(hc_queue *q, size_t index)
{
  hc_entry last = q->heap.items[--q->heap.count];
  if (index < q->heap.count) settle(q, index, &last);
}

void hc_heap_move(hc_queue *q, size_t index, hc_time time)
{
  hc_entry x = q->heap.items[index];
  x.time = time;
  settle(q, index, &x);
}
