/* wheel.c -- a timing wheel: events in buckets of one second, sorted when their second comes.
 *
 * The times of traces are whole seconds, so thousands of events share an instant, and a heap sorts each of
 * them against all others. Here an event is laid into the bucket of its second, which costs nothing, and when
 * that second comes its bucket becomes the *run*: an array, sorted once, by counting if all its events have
 * one time and phase. Everything else is in the heap: what is pushed into the run's second or before it, and
 * what lies further ahead than the wheel has buckets. The next event is the run's or the heap's, whichever is
 * first.
 *
 * A bucket is a list of chunks, of which the first is being filled and the others are full; a chunk that is
 * empty serves the next bucket. Chunks are small: seconds far ahead hold few events each, and unused room
 * would drive what is used out of the cache. The run has room for the fullest bucket at all times, so that a
 * pop never fails. Events that were pushed in their order, as they are where tasks start in the order of
 * their serials, make a run that is sorted already. Memory: 24 bytes an event, 8 for a handle, half a chunk a
 * bucket. Cost: push, cancel O(1) within SPAN seconds; pop O(1) and its share of the sort.
 * Source: Varghese and Lauck 1987, doi:10.1145/37499.37504. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "kernel/queue_parts.h"

enum { SPAN = 8192, WORDS = SPAN / 64, CHUNK = 8, DIGIT = 11 };
#define WIDTH HC_SECOND
#define NONE UINT32_MAX

typedef struct chunk {
  hc_entry items[CHUNK];
  uint32_t next;
} chunk;

typedef struct bucket {
  uint32_t first; /* chunk; NONE if nothing is held */
  uint32_t held;  /* events */
} bucket;

struct hc_wheel {
  chunk *chunks;
  size_t chunk_count, chunk_cap;
  uint32_t free_chunk;
  int64_t second;         /* of the run; buckets hold (second, second + SPAN] */
  uint64_t filled[WORDS]; /* a bit for each bucket that holds something */
  bucket buckets[SPAN];
  hc_entry *run, *other; /* the second is for sorting */
  size_t run_at, run_count, run_cap, other_cap;
  uint32_t fetched; /* chunk of the next bucket that was fetched last; NONE. Decides nothing */
};

static inline int64_t second_of(hc_time t)
{
  return t >= 0 ? (int64_t)((uint64_t)t / (uint64_t)WIDTH) : hc_floor_div(t, WIDTH);
}

/* A bucket's number: right for negative seconds too, since SPAN divides 2^64. */
static inline uint32_t bucket_of(int64_t second)
{
  return (uint32_t)((uint64_t)second % SPAN);
}

static inline bool is_hole(const hc_entry *x)
{
  return x->payload == NONE && x->tag == NONE;
}

/* ---- buckets ---- */

/* How many events the first chunk of a bucket holds. */
static inline uint32_t in_first(const bucket *b)
{
  return (b->held + CHUNK - 1) % CHUNK + 1;
}

/* A chunk more for a bucket whose chunks are full, and room in a run for all that it can hold then. */
static __attribute__((noinline)) hc_rc add_chunk(hc_queue *q, bucket *b)
{
  hc_wheel *w = q->wheel;
  TRY(hc_reserve(&q->allocator, (void **)&w->run, &w->run_cap, b->held + CHUNK, sizeof *w->run));
  TRY(hc_reserve(&q->allocator, (void **)&w->other, &w->other_cap, b->held + CHUNK, sizeof *w->other));
  if (w->free_chunk == NONE) {
    TRY(hc_reserve(&q->allocator, (void **)&w->chunks, &w->chunk_cap, w->chunk_count + 1, sizeof *w->chunks));
    w->chunks[w->chunk_count].next = NONE;
    w->free_chunk = (uint32_t)w->chunk_count++;
  }
  const uint32_t c = w->free_chunk;
  w->free_chunk = w->chunks[c].next;
  w->chunks[c].next = b->first;
  b->first = c;
  return 0;
}

static inline void tell(hc_queue *q, const hc_entry *x, uint32_t index, uint32_t place)
{
  const uint32_t slot = hc_tag_slot(x->tag);
  if (slot != HC_TAG_NO_SLOT) q->slots[slot] = (hc_queue_slot){.index = index, .place = place};
}

/* By its members: an entry that is written and copied as a whole right after makes the processor wait for the
 * store. */
static inline hc_rc push_bucket(hc_queue *q, uint32_t number, hc_time time, uint64_t key, uint32_t payload,
                                uint32_t tag)
{
  hc_wheel *w = q->wheel;
  bucket *b = &w->buckets[number];
  const uint32_t at = b->held % CHUNK;
  if (at == 0) TRY(add_chunk(q, b));
  hc_entry *x = &w->chunks[b->first].items[at];
  x->time = time;
  x->key = key;
  x->payload = payload;
  x->tag = tag;
  if (hc_tag_slot(tag) != HC_TAG_NO_SLOT)
    q->slots[hc_tag_slot(tag)] = (hc_queue_slot){.index = b->first * CHUNK + at, .place = HC_PLACE_BUCKET};
  if (b->held++ == 0) w->filled[number / 64] |= UINT64_C(1) << number % 64;
  return 0;
}

/* A chunk that nothing is in any more. */
static void drop_first(hc_wheel *w, bucket *b)
{
  const uint32_t c = b->first;
  b->first = w->chunks[c].next;
  w->chunks[c].next = w->free_chunk;
  w->free_chunk = c;
}

/* The bucket's last event takes the place of the one that goes. */
static void remove_bucket(hc_queue *q, uint32_t index)
{
  hc_wheel *w = q->wheel;
  hc_entry *x = &w->chunks[index / CHUNK].items[index % CHUNK];
  const uint32_t number = bucket_of(second_of(x->time));
  bucket *b = &w->buckets[number];
  const hc_entry *last = &w->chunks[b->first].items[in_first(b) - 1];
  if (last != x) {
    *x = *last;
    tell(q, x, index, HC_PLACE_BUCKET);
  }
  if (in_first(b) == 1) drop_first(w, b);
  if (--b->held == 0) w->filled[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* ---- sorting a run ---- */

HC_SORT_STABLE(sort_entries, hc_entry, hc_entry_before(a, b))

/* By counting the digits of the keys above the least, lowest digit first. */
static hc_entry *sort_counting(hc_entry *r, hc_entry *other, size_t n, uint64_t least, uint64_t range)
{
  const uint64_t mask = (1 << DIGIT) - 1;
  for (uint32_t shift = 0; shift < 64 && range >> shift > 0; shift += DIGIT) {
    uint32_t count[1 << DIGIT] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) count[(r[i].key - least) >> shift & mask]++;
    for (size_t d = 0; d <= mask; d++) {
      const uint32_t here = count[d];
      count[d] = sum;
      sum += here;
    }
    for (size_t i = 0; i < n; i++) other[count[(r[i].key - least) >> shift & mask]++] = r[i];
    hc_entry *swap = r;
    r = other;
    other = swap;
  }
  return r;
}

static void sort_run(hc_wheel *w)
{
  hc_entry *r = w->run;
  const size_t n = w->run_count;
  uint64_t least = UINT64_MAX, most = 0;
  bool alike = true, in_order = true;
  for (size_t i = 1; i < n && in_order; i++) in_order = hc_entry_before(&r[i - 1], &r[i]);
  if (in_order) return;
  for (size_t i = 0; i < n; i++) {
    alike &= r[i].time == r[0].time && r[i].tag >> HC_TAG_SLOT_BITS == r[0].tag >> HC_TAG_SLOT_BITS;
    least = HC_MIN(least, r[i].key);
    most = HC_MAX(most, r[i].key);
  }
  /* A pass costs as much as its table: not for few events, nor for keys far apart. */
  alike &= (most - least) >> 3 * DIGIT == 0 && n > 256;
  if (!alike) sort_entries(r, n, w->other);
  else if (sort_counting(r, w->other, n, least, most - least) != r) {
    const size_t cap = w->run_cap;
    w->run = w->other;
    w->other = r;
    w->run_cap = w->other_cap;
    w->other_cap = cap;
  }
}

/* ---- turning ---- */

/* The next second that has a bucket with something in it; false if all are empty. */
static bool next_filled(const hc_wheel *w, int64_t *second)
{
  const uint32_t from = bucket_of(w->second + 1);
  for (uint32_t k = 0; k <= WORDS; k++) {
    const uint32_t word = (from / 64 + k) % WORDS;
    uint64_t bits = w->filled[word];
    if (k == 0) bits &= ~UINT64_C(0) << from % 64;
    if (k == WORDS) bits &= ~(~UINT64_C(0) << from % 64);
    if (bits == 0) continue;
    const uint32_t b = word * 64 + (uint32_t)__builtin_ctzll(bits);
    *second = w->second + 1 + (int64_t)((b - from + SPAN) % SPAN);
    return true;
  }
  return false;
}

/* The bucket of the wheel's second becomes the run, in the order in which events were pushed: the chunk
 * filled last is its end. */
static void load_run(hc_queue *q)
{
  hc_wheel *w = q->wheel;
  const uint32_t number = bucket_of(w->second);
  bucket *b = &w->buckets[number];
  w->run_at = 0;
  w->run_count = b->held;
  while (b->held > 0) {
    const uint32_t n = in_first(b);
    b->held -= n;
    memcpy(w->run + b->held, w->chunks[b->first].items, n * sizeof *w->run);
    drop_first(w, b);
  }
  w->filled[number / 64] &= ~(UINT64_C(1) << number % 64);
  sort_run(w);
  for (size_t i = 0; i < w->run_count; i++) tell(q, &w->run[i], (uint32_t)i, HC_PLACE_RUN);
  w->fetched = w->buckets[bucket_of(w->second + 1)].first;
}

const hc_entry *hc_wheel_first(hc_queue *q)
{
  hc_wheel *w = q->wheel;
  const hc_entry *top = q->heap.count > 0 ? &q->heap.items[0] : NULL;
  int64_t second;
  while (w->run_at < w->run_count && is_hole(&w->run[w->run_at])) w->run_at++;
  if (w->run_at >= w->run_count && next_filled(w, &second) && (!top || second <= second_of(top->time))) {
    w->second = second;
    load_run(q);
  }
  if (w->run_at >= w->run_count) return top;
  return !top || hc_entry_before(&w->run[w->run_at], top) ? &w->run[w->run_at] : top;
}

/* A bucket that is not due stays one: what is pushed into its second meanwhile need not go to the heap. */
const hc_entry *hc_wheel_due(hc_queue *q, hc_time until)
{
  const hc_wheel *w = q->wheel;
  const hc_entry *first, *top = q->heap.count > 0 ? &q->heap.items[0] : NULL;
  int64_t second;
  if (!top && w->run_at < w->run_count && !is_hole(&w->run[w->run_at])) /* as it is nearly always */
    return w->run[w->run_at].time <= until ? &w->run[w->run_at] : NULL;
  if (w->run_at >= w->run_count && next_filled(w, &second) && second > second_of(until))
    return top && top->time <= until ? top : NULL;
  first = hc_wheel_first(q);
  return first && first->time <= until ? first : NULL;
}

/* ---- the queue's calls ---- */

/* Into the run's second or before it, or further ahead than there are buckets; or the first of all. */
static __attribute__((noinline)) hc_rc push_elsewhere(hc_queue *q, hc_time time, uint64_t key,
                                                      uint32_t payload, uint32_t tag)
{
  hc_wheel *w = q->wheel;
  const int64_t second = second_of(time);
  if (q->count == 0) w->second = HC_MIN(w->second, second - 1); /* nothing is anywhere: it may turn back */
  if (second > w->second && second - w->second <= SPAN)
    return push_bucket(q, bucket_of(second), time, key, payload, tag);
  TRY(hc_reserve(&q->allocator, (void **)&q->heap.items, &q->heap.cap, q->heap.count + 1,
                 sizeof *q->heap.items));
  hc_heap_push(q, &(hc_entry){.time = time, .key = key, .payload = payload, .tag = tag});
  return 0;
}

hc_rc hc_wheel_push(hc_queue *q, hc_time time, uint64_t key, uint32_t payload, uint32_t tag)
{
  const int64_t second = second_of(time), ahead = second - q->wheel->second;
  if (q->count > 0 && ahead > 0 && ahead <= SPAN)
    return push_bucket(q, bucket_of(second), time, key, payload, tag);
  return push_elsewhere(q, time, key, payload, tag);
}

/* The bucket after the run's will be copied chunk by chunk, each of which names the next. They are fetched
 * meanwhile, one as often as a chunk's worth of events goes. What is fetched in vain, since the bucket has
 * changed, costs nothing. */
static inline void fetch_chunk(hc_wheel *w)
{
  const uint32_t c = w->fetched;
  if (c == NONE || w->run_at % 8 != 0) return;
  w->fetched = w->chunks[c].next;
  if (w->fetched == NONE) return;
  const char *at = (const char *)&w->chunks[w->fetched];
  for (size_t i = 0; i < sizeof(chunk); i += 64) __builtin_prefetch(at + i);
  __builtin_prefetch(at + sizeof(chunk) - 1);
}

bool hc_wheel_pop_run(hc_queue *q, hc_time until, uint32_t first, uint32_t last, hc_event *event)
{
  hc_wheel *w = q->wheel;
  if (q->heap.count > 0 || w->run_at >= w->run_count) return false;
  const hc_entry *x = &w->run[w->run_at];
  const uint32_t phase = x->tag >> HC_TAG_SLOT_BITS;
  if (x->time > until || phase < first || phase > last || hc_tag_slot(x->tag) != HC_TAG_NO_SLOT || is_hole(x))
    return false;
  event->time = x->time;
  event->key = x->key;
  event->phase = phase;
  event->payload = x->payload;
  w->run_at++;
  fetch_chunk(w);
  q->count--;
  return true;
}

void hc_wheel_drop_first(hc_queue *q, const hc_entry *first)
{
  hc_wheel *w = q->wheel;
  if (q->heap.count > 0 && first == &q->heap.items[0]) {
    /* No bucket is earlier: so the wheel keeps up with time, though nothing may be on it. */
    w->second = HC_MAX(w->second, second_of(first->time) - 1);
    hc_heap_remove(q, 0);
  } else {
    w->run_at++;
    fetch_chunk(w);
  }
}

void hc_wheel_remove(hc_queue *q, uint32_t slot)
{
  const hc_queue_slot at = q->slots[slot];
  if (at.place == HC_PLACE_HEAP) {
    hc_heap_remove(q, at.index);
  } else if (at.place == HC_PLACE_BUCKET) {
    remove_bucket(q, at.index);
  } else {
    hc_entry *x = &q->wheel->run[at.index];
    x->payload = x->tag = NONE; /* a hole */
  }
}

hc_entry hc_wheel_at(const hc_queue *q, uint32_t slot)
{
  const hc_queue_slot at = q->slots[slot];
  if (at.place == HC_PLACE_HEAP) return q->heap.items[at.index];
  if (at.place == HC_PLACE_BUCKET) return q->wheel->chunks[at.index / CHUNK].items[at.index % CHUNK];
  return q->wheel->run[at.index];
}

bool hc_wheel_shift(hc_queue *q, uint32_t slot, hc_time time)
{
  const hc_queue_slot at = q->slots[slot];
  hc_entry *x;
  if (at.place != HC_PLACE_BUCKET) return false;
  x = &q->wheel->chunks[at.index / CHUNK].items[at.index % CHUNK];
  if (second_of(x->time) != second_of(time)) return false;
  x->time = time;
  return true;
}

bool hc_wheel_ahead(const hc_queue *q, size_t ahead, uint32_t *payload)
{
  const hc_wheel *w = q->wheel;
  if (w->run_at + ahead >= w->run_count) return false;
  *payload = w->run[w->run_at + ahead].payload;
  return true;
}

hc_rc hc_wheel_walk(hc_queue *q, hc_entry_visit visit, void *ctx)
{
  hc_wheel *w = q->wheel;
  for (size_t i = w->run_at; i < w->run_count; i++)
    if (!is_hole(&w->run[i])) TRY(visit(ctx, &w->run[i], (uint32_t)i, HC_PLACE_RUN));
  for (uint32_t number = 0; number < SPAN; number++) {
    const bucket *b = &w->buckets[number];
    uint32_t left = b->held, in_it = in_first(b);
    for (uint32_t c = b->first; left > 0; c = w->chunks[c].next, in_it = CHUNK) {
      for (uint32_t i = 0; i < in_it; i++)
        TRY(visit(ctx, &w->chunks[c].items[i], c * CHUNK + i, HC_PLACE_BUCKET));
      left -= in_it;
    }
  }
  return 0;
}

/* ---- life ---- */

void hc_wheel_clear(hc_queue *q)
{
  hc_wheel *w = q->wheel;
  memset(w->filled, 0, sizeof w->filled);
  for (uint32_t b = 0; b < SPAN; b++) w->buckets[b] = (bucket){.first = NONE};
  w->chunk_count = w->run_at = w->run_count = 0;
  w->free_chunk = w->fetched = NONE;
  w->second = -1;
}

hc_rc hc_wheel_new(hc_queue *q)
{
  q->wheel = hc_alloc(&q->allocator, sizeof *q->wheel);
  if (!q->wheel) return HC_ENOMEM;
  hc_wheel_clear(q);
  return 0;
}

void hc_wheel_free(hc_queue *q)
{
  hc_wheel *w = q->wheel;
  if (!w) return;
  hc_free(&q->allocator, w->chunks, w->chunk_cap * sizeof *w->chunks);
  hc_free(&q->allocator, w->run, w->run_cap * sizeof *w->run);
  hc_free(&q->allocator, w->other, w->other_cap * sizeof *w->other);
  hc_free(&q->allocator, w, sizeof *w);
}
