/* queue.c -- the event queue's interface: handles, the choice between the two kinds, and saving.
 *
 * A handle is a slot of a table; free slots form a chain, last freed first used. The chain is saved with
 * the events, so a resumed run gives out the same handles as one that was never cut. A snapshot holds
 * events by slot, then those without, and nothing of the arrays' layout: it may be loaded into any kind.
 * Cost: see heap.c, radix.c and wheel.c; handles add O(1), and a line of the cache whenever an event moves:
 * nearly no event of a data centre's run is ever cancelled, so that its engine asks for handles only once one
 * is (hc_queue_name). */
#include "kernel/queue.h"

#include "base/state.h"
#include "base/util.h"
#include "kernel/queue_parts.h"

hc_rc hc_queue_new(const hc_allocator *a, hc_queue_kind kind, hc_queue **out)
{
  hc_queue *q = hc_alloc(a, sizeof *q);
  if (!q) return HC_ENOMEM;
  q->allocator = *a;
  q->kind = kind;
  q->free = HC_NO_EVENT;
  if (kind == HC_QUEUE_WHEEL && hc_wheel_new(q) < 0) {
    hc_free(a, q, sizeof *q);
    return HC_ENOMEM;
  }
  *out = q;
  return 0;
}

void hc_queue_free(hc_queue *q)
{
  if (!q) return;
  hc_allocator a = q->allocator;
  hc_wheel_free(q);
  hc_free(&a, q->slots, q->slot_cap * sizeof *q->slots);
  hc_free(&a, q->heap.items, q->heap.cap * sizeof *q->heap.items);
  for (uint32_t b = 0; b < HC_BUCKETS; b++) {
    hc_free(&a, q->buckets[b].items, q->buckets[b].cap * sizeof *q->buckets[b].items);
  }
  hc_free(&a, q, sizeof *q);
}

size_t hc_queue_count(const hc_queue *q)
{
  return q->count;
}

bool hc_queue_ahead(const hc_queue *q, size_t ahead, uint32_t *payload)
{
  return q->wheel && hc_wheel_ahead(q, ahead, payload);
}

/* ---- slots ---- */

static hc_queue_slot slot_of(const hc_queue *q, hc_event_handle handle)
{
  HC_ASSERT(handle < q->slot_count && q->slots[handle].place != HC_PLACE_FREE);
  return q->slots[handle];
}

static void give_back(hc_queue *q, uint32_t slot)
{
  if (slot == HC_TAG_NO_SLOT) return;
  q->slots[slot] = (hc_queue_slot){.index = q->free, .place = HC_PLACE_FREE};
  q->free = slot;
}

/* A slot; it is taken when q->free moves on. */
static hc_rc need_slot(hc_queue *q)
{
  if (q->free != HC_NO_EVENT) return 0;
  if (q->slot_count >= HC_TAG_NO_SLOT) return HC_ENOMEM;
  TRY(hc_reserve(&q->allocator, (void **)&q->slots, &q->slot_cap, q->slot_count + 1, sizeof *q->slots));
  give_back(q, (uint32_t)q->slot_count++);
  return 0;
}

/* A place in the heap, which must be able to hold all, but for a wheel. */
static hc_rc need_place(hc_queue *q)
{
  if (q->heap.cap > q->count || q->wheel) return 0;
  return hc_reserve(&q->allocator, (void **)&q->heap.items, &q->heap.cap, q->count + 1,
                    sizeof *q->heap.items);
}

static hc_event event_of(const hc_entry *x)
{
  return (hc_event){
      .time = x->time, .key = x->key, .phase = x->tag >> HC_TAG_SLOT_BITS, .payload = x->payload};
}

/* @return 0, or HC_ENOMEM with nothing changed. */
static hc_rc push_entry(hc_queue *q, const hc_entry *x)
{
  if (q->wheel) return hc_wheel_push(q, x->time, x->key, x->payload, x->tag);
  if (q->kind == HC_QUEUE_RADIX) return hc_radix_push(q, x);
  hc_heap_push(q, x);
  return 0;
}

/* ---- the interface ---- */

static __attribute__((noinline)) hc_rc push_any(hc_queue *q, const hc_event *event, hc_event_handle *handle)
{
  uint32_t slot = HC_TAG_NO_SLOT, next = q->free;
  if (handle) {
    TRY(need_slot(q));
    slot = q->free;
    next = q->slots[slot].index;
  }
  const uint32_t tag = event->phase << HC_TAG_SLOT_BITS | slot;
  if (q->wheel) {
    TRY(hc_wheel_push(q, event->time, event->key, event->payload, tag));
  } else {
    TRY(need_place(q));
    TRY(push_entry(
        q, &(hc_entry){.time = event->time, .key = event->key, .payload = event->payload, .tag = tag}));
  }
  q->free = next;
  q->count++;
  if (handle) *handle = slot;
  return 0;
}

/* An event without a handle on a wheel, as nearly all of a data centre's, needs nothing of the rest. */
hc_rc hc_queue_push(hc_queue *q, const hc_event *event, hc_event_handle *handle)
{
  HC_ASSERT(event->phase < HC_TAG_PHASES);
  if (handle || !q->wheel) return push_any(q, event, handle);
  TRY(hc_wheel_push(q, event->time, event->key, event->payload,
                    event->phase << HC_TAG_SLOT_BITS | HC_TAG_NO_SLOT));
  q->count++;
  return 0;
}

bool hc_queue_peek(hc_queue *q, hc_event *event)
{
  if (q->count == 0) return false;
  if (q->wheel) {
    *event = event_of(hc_wheel_first(q));
    return true;
  }
  if (q->heap.count == 0) hc_radix_settle(q);
  *event = event_of(&q->heap.items[0]);
  return true;
}

bool hc_queue_due(hc_queue *q, hc_time until, hc_event *event)
{
  const hc_entry *first;
  if (!q->wheel) return hc_queue_peek(q, event) && event->time <= until;
  first = q->count > 0 ? hc_wheel_due(q, until) : NULL;
  if (first) *event = event_of(first);
  return first != NULL;
}

bool hc_queue_pop_due(hc_queue *q, hc_time until, hc_phase first, hc_phase last, hc_event *event)
{
  const hc_entry *x;
  uint32_t slot;
  if (q->count == 0) return false;
  if (!q->wheel) {
    if (q->heap.count == 0) hc_radix_settle(q);
    x = &q->heap.items[0];
    if (x->time > until || x->tag >> HC_TAG_SLOT_BITS < (uint32_t)first ||
        x->tag >> HC_TAG_SLOT_BITS > (uint32_t)last)
      return false;
    return hc_queue_pop(q, event);
  }
  if (hc_wheel_pop_run(q, until, (uint32_t)first, (uint32_t)last, event)) return true;
  x = hc_wheel_due(q, until);
  if (!x) return false;
  *event = event_of(x);
  if (event->phase < (uint32_t)first || event->phase > (uint32_t)last) return false;
  slot = hc_tag_slot(x->tag);
  hc_wheel_drop_first(q, x);
  give_back(q, slot);
  q->count--;
  return true;
}

bool hc_queue_pop(hc_queue *q, hc_event *event)
{
  if (q->count == 0) return false;
  if (!q->wheel && q->heap.count == 0) hc_radix_settle(q);
  const hc_entry *first = q->wheel ? hc_wheel_first(q) : &q->heap.items[0];
  uint32_t slot = hc_tag_slot(first->tag);
  *event = event_of(first);
  if (q->wheel) hc_wheel_drop_first(q, first);
  else hc_heap_remove(q, 0);
  give_back(q, slot);
  q->count--;
  return true;
}

void hc_queue_cancel(hc_queue *q, hc_event_handle handle)
{
  hc_queue_slot at = slot_of(q, handle);
  if (q->wheel) hc_wheel_remove(q, handle);
  else if (q->kind == HC_QUEUE_HEAP) hc_heap_remove(q, at.index);
  else hc_radix_remove(q, at);
  give_back(q, handle);
  q->count--;
}

/* In before out: if there is no room for it there, it stays where it was. */
static hc_rc move_on_wheel(hc_queue *q, hc_event_handle handle, hc_time time)
{
  const hc_queue_slot was = q->slots[handle];
  hc_entry x = hc_wheel_at(q, handle), old = x;
  x.time = time;
  if (hc_wheel_shift(q, handle, time)) return 0;
  if (was.place == HC_PLACE_HEAP) { /* its room in the heap becomes free */
    hc_wheel_remove(q, handle);
    if (hc_wheel_push(q, x.time, x.key, x.payload, x.tag) == 0) return 0;
    hc_heap_push(q, &old);
    return HC_ENOMEM;
  }
  TRY(hc_wheel_push(q, x.time, x.key, x.payload, x.tag));
  const hc_queue_slot is = q->slots[handle];
  q->slots[handle] = was;
  hc_wheel_remove(q, handle);
  q->slots[handle] = is;
  return 0;
}

hc_rc hc_queue_move(hc_queue *q, hc_event_handle handle, hc_time time)
{
  hc_queue_slot at = slot_of(q, handle);
  if (q->wheel) return move_on_wheel(q, handle, time);
  if (q->kind == HC_QUEUE_RADIX) return hc_radix_move(q, at, time);
  hc_heap_move(q, at.index, time);
  return 0;
}

/* ---- every event ---- */

hc_rc hc_entries_walk(hc_entries *items, uint32_t place, hc_entry_visit visit, void *ctx)
{
  for (size_t i = 0; i < items->count; i++) TRY(visit(ctx, &items->items[i], (uint32_t)i, place));
  return 0;
}

static hc_rc walk(hc_queue *q, hc_entry_visit visit, void *ctx)
{
  TRY(hc_entries_walk(&q->heap, HC_PLACE_HEAP, visit, ctx));
  for (uint32_t b = 0; b < HC_BUCKETS; b++) TRY(hc_entries_walk(&q->buckets[b], b, visit, ctx));
  return q->wheel ? hc_wheel_walk(q, visit, ctx) : 0;
}

typedef struct naming {
  hc_queue *q;
  void (*named)(void *ctx, const hc_event *event, hc_event_handle handle);
  void *ctx;
} naming;

static hc_rc name(void *ctx, hc_entry *x, uint32_t index, uint32_t place)
{
  const naming *n = ctx;
  hc_queue *q = n->q;
  const hc_event event = event_of(x);
  if (hc_tag_slot(x->tag) != HC_TAG_NO_SLOT) return 0;
  TRY(need_slot(q));
  const uint32_t slot = q->free;
  q->free = q->slots[slot].index;
  q->slots[slot] = (hc_queue_slot){.index = index, .place = place};
  x->tag = event.phase << HC_TAG_SLOT_BITS | slot;
  n->named(n->ctx, &event, slot);
  return 0;
}

hc_rc hc_queue_name(hc_queue *q, void (*named)(void *ctx, const hc_event *event, hc_event_handle handle),
                    void *ctx)
{
  return walk(q, name, &(naming){q, named, ctx});
}

/* ---- saving ---- */

/* One slot of a snapshot. */
typedef struct hc_saved_slot {
  hc_event event; /* zero in a free slot */
  uint32_t next;  /* free slot: the next one */
  uint32_t is_free;
} hc_saved_slot;

static hc_entry entry_at(const hc_queue *q, uint32_t slot)
{
  const hc_queue_slot at = q->slots[slot];
  if (q->wheel) return hc_wheel_at(q, slot);
  return at.place == HC_PLACE_HEAP ? q->heap.items[at.index] : q->buckets[at.place].items[at.index];
}

/* The sum of the events' checksums: that of the set, whatever the layout, with no need to sort a copy. */
static hc_rc add_hash(void *ctx, hc_entry *x, uint32_t index, uint32_t place)
{
  uint64_t *sum = ctx, one[2];
  const hc_event event = event_of(x);
  hc_hash h;
  HC_UNUSED(index);
  HC_UNUSED(place);
  hc_hash_init(&h);
  hc_hash_add(&h, &event, sizeof event);
  hc_hash_end(&h, one);
  sum[1] += one[0];
  sum[2] += one[1];
  return 0;
}

static hc_rc hash_events(hc_queue *q, hc_visitor *v)
{
  uint64_t sum[3] = {q->count, 0, 0};
  TRY(walk(q, add_hash, sum));
  return hc_visit_bytes(v, sum, sizeof sum);
}

static size_t count_named(const hc_queue *q)
{
  size_t n = 0;
  for (size_t i = 0; i < q->slot_count; i++) n += q->slots[i].place != HC_PLACE_FREE;
  return n;
}

static hc_rc save_nameless(void *ctx, hc_entry *x, uint32_t index, uint32_t place)
{
  hc_event event = event_of(x);
  HC_UNUSED(index);
  HC_UNUSED(place);
  return hc_tag_slot(x->tag) == HC_TAG_NO_SLOT ? hc_visit_bytes(ctx, &event, sizeof event) : 0;
}

static hc_rc save(hc_queue *q, hc_visitor *v)
{
  uint64_t n = q->slot_count, nameless = q->count - count_named(q);
  HC_VISIT(v, n);
  HC_VISIT(v, q->free);
  for (size_t i = 0; i < q->slot_count; i++) {
    hc_saved_slot s = {.next = HC_NO_EVENT, .is_free = q->slots[i].place == HC_PLACE_FREE};
    if (s.is_free) s.next = q->slots[i].index;
    const hc_entry x = s.is_free ? (hc_entry){0} : entry_at(q, (uint32_t)i);
    if (!s.is_free) s.event = event_of(&x);
    HC_VISIT(v, s);
  }
  HC_VISIT(v, nameless);
  return walk(q, save_nameless, v);
}

static void clear(hc_queue *q)
{
  for (uint32_t b = 0; b < HC_BUCKETS; b++) q->buckets[b].count = 0;
  q->heap.count = q->count = q->slot_count = 0;
  q->base = q->filled = 0;
  if (q->wheel) hc_wheel_clear(q);
  q->free = HC_NO_EVENT;
}

/* The chain of free slots must hold each of them once: a damaged snapshot may not make us loop or write
 * astray. */
static bool chain_holds(const hc_queue *q, uint32_t first)
{
  size_t left = q->slot_count - q->count;
  for (; left > 0; left--) {
    if (first >= q->slot_count || q->slots[first].place != HC_PLACE_FREE) return false;
    first = q->slots[first].index;
  }
  return first == HC_NO_EVENT;
}

static hc_rc load_nameless(hc_queue *q, hc_visitor *v)
{
  uint64_t n = 0;
  HC_VISIT(v, n);
  if (n > v->left / sizeof(hc_event)) return HC_EINPUT;
  for (uint64_t i = 0; i < n; i++) {
    hc_event event;
    HC_VISIT(v, event);
    if (event.phase >= HC_TAG_PHASES) return HC_EINPUT;
    TRY(hc_queue_push(q, &event, NULL));
  }
  return 0;
}

/* Rebuild the arrays from the events; q was cleared. */
static hc_rc load(hc_queue *q, hc_visitor *v)
{
  uint64_t n = 0;
  uint32_t first = HC_NO_EVENT;
  HC_VISIT(v, n);
  HC_VISIT(v, first);
  if (n > v->left / sizeof(hc_saved_slot) || n > HC_TAG_NO_SLOT) return HC_EINPUT;
  TRY(hc_reserve(&q->allocator, (void **)&q->slots, &q->slot_cap, (size_t)n, sizeof *q->slots));
  TRY(hc_reserve(&q->allocator, (void **)&q->heap.items, &q->heap.cap, (size_t)n, sizeof *q->heap.items));
  for (uint32_t i = 0; i < n; i++) {
    hc_saved_slot s;
    HC_VISIT(v, s);
    q->slot_count = i + 1u;
    q->slots[i] = (hc_queue_slot){.index = s.next, .place = HC_PLACE_FREE};
    if (s.is_free) continue;
    if (s.event.phase >= HC_TAG_PHASES) return HC_EINPUT;
    hc_entry x = {.time = s.event.time,
                  .key = s.event.key,
                  .payload = s.event.payload,
                  .tag = s.event.phase << HC_TAG_SLOT_BITS | i};
    TRY(push_entry(q, &x));
    q->count++;
  }
  if (!chain_holds(q, first)) return HC_EINPUT;
  q->free = first;
  return load_nameless(q, v);
}

hc_rc hc_queue_visit(hc_queue *q, hc_visitor *v)
{
  hc_rc rc;
  switch (v->mode) {
    case HC_VISIT_SAVE: return save(q, v);
    case HC_VISIT_HASH: return hash_events(q, v);
    case HC_VISIT_LOAD:
      clear(q);
      rc = load(q, v);
      if (rc < 0) clear(q);
      return rc;
  }
  return HC_EINPUT;
}
