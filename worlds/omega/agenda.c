/* agenda.c -- see agenda.h. A binary heap from index 1, sifted as scala.collection.mutable.PriorityQueue
 * does: up while the parent is less urgent; down from the root into which the last was put, to the more
 * urgent child (the right one only if the left is less urgent), until nothing below is more urgent. */
#include "omega/agenda.h"

#include <string.h>

#include "base/util.h"

void hc_omega_agenda_init(hc_omega_agenda *a, const hc_allocator *allocator, hc_omega_ties ties)
{
  *a = (hc_omega_agenda){.allocator = allocator, .ties = ties};
}

void hc_omega_agenda_fini(hc_omega_agenda *a)
{
  hc_free(a->allocator, a->times, a->times_cap * sizeof *a->times);
  hc_free(a->allocator, a->tags, a->tags_cap * sizeof *a->tags);
  *a = (hc_omega_agenda){0};
}

/* Doubles as words that are ordered as they are: those below 0 are turned round, and -0 is 0. No double is
 * the word 0. */
static uint64_t word_of(double time)
{
  const double x = time + 0.0;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double time_of(uint64_t word)
{
  const uint64_t bits = word >> 63 ? word ^ UINT64_C(1) << 63 : ~word;
  double time;
  memcpy(&time, &bits, sizeof time);
  return time;
}

/* An event on its way to its place. */
typedef struct item {
  uint64_t time;
  hc_omega_tag tag;
} item;

static inline item at(const hc_omega_agenda *a, size_t k)
{
  return (item){a->times[k], a->tags[k]};
}

static inline void put(hc_omega_agenda *a, size_t k, item x)
{
  a->times[k] = x.time;
  a->tags[k] = x.tag;
}

/* x is less urgent than y. */
static inline bool is_less(item x, item y, hc_omega_ties ties)
{
  if (ties == HC_OMEGA_TIES_HEAP || x.time != y.time) return x.time > y.time;
  return (int32_t)(x.tag.number - y.tag.number) > 0;
}

hc_rc hc_omega_agenda_push_equal(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject,
                                 size_t n)
{
  item x = {.time = word_of(time), .tag.what = (uint32_t)kind << 28 | subject};
  HC_ASSERT(subject < HC_OMEGA_SUBJECTS);
  TRY(hc_reserve(a->allocator, (void **)&a->times, &a->times_cap, a->count + n + 1, sizeof *a->times));
  TRY(hc_reserve(a->allocator, (void **)&a->tags, &a->tags_cap, a->count + n + 1, sizeof *a->tags));
  for (size_t i = 0; i < n; i++) {
    size_t k = ++a->count;
    x.tag.number = a->next_number++;
    for (; k > 1 && is_less(at(a, k / 2), x, a->ties); k /= 2) put(a, k, at(a, k / 2));
    put(a, k, x);
  }
  return 0;
}

hc_rc hc_omega_agenda_push(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject)
{
  return hc_omega_agenda_push_equal(a, time, kind, subject, 1);
}

hc_omega_event hc_omega_agenda_first(const hc_omega_agenda *a)
{
  return (hc_omega_event){time_of(a->times[1]), a->tags[1].what, a->tags[1].number};
}

/* x sinks from k until nothing below it is more urgent. */
static inline void sink(hc_omega_agenda *a, size_t k, item x, hc_omega_ties ties)
{
  const hc_omega_agenda heap = *a; /* what is written below is none of it */
  const size_t n = heap.count;
  for (size_t j = 2 * k; j <= n; j = 2 * k) {
    if (j < n) j += (size_t)is_less(at(&heap, j), at(&heap, j + 1), ties);
    if (!is_less(x, at(&heap, j), ties)) break;
    put(a, k, at(&heap, j));
    k = j;
  }
  put(a, k, x);
}

hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a)
{
  const hc_omega_event top = hc_omega_agenda_first(a);
  const item last = at(a, a->count--);
  if (a->count == 0) return top;
  if (a->ties == HC_OMEGA_TIES_HEAP) sink(a, 1, last, HC_OMEGA_TIES_HEAP);
  else sink(a, 1, last, HC_OMEGA_TIES_INSERTED);
  return top;
}

/* ---- equal events ----
 *
 * The events of the earliest time are a tree at the root. A pop moves them up along the path that goes left
 * where it can, and puts the last item in the place of the path's end, from where it sinks. If they are equal
 * it makes no difference that they moved, so a pop is the sinking from there; and the ends of these paths are
 * the tree's nodes in post-order. */

/* From a node of the tree to where the path through it ends. */
static size_t path_end(const uint64_t *times, size_t n, size_t k, uint64_t time)
{
  for (;;) {
    if (2 * k <= n && times[2 * k] == time) k = 2 * k;
    else if (2 * k < n && times[2 * k + 1] == time) k = 2 * k + 1;
    else return k;
  }
}

/* The end of the next path, when what is at k has left the tree. 0: the root was the last. */
static size_t next_end(const uint64_t *times, size_t n, size_t k, uint64_t time)
{
  const bool has_right = k % 2 == 0 && k < n && times[k + 1] == time;
  return has_right ? path_end(times, n, k + 1, time) : k / 2;
}

/* How many events there are of the earliest time, if they are equal; else 1. */
static size_t equals(hc_omega_agenda *a)
{
  const uint64_t time = a->times[1];
  size_t n = 0;
  if (time == a->mixed) return 1;
  for (size_t k = path_end(a->times, a->count, 1, time); k > 0; k = next_end(a->times, a->count, k, time)) {
    if (a->tags[k].what != a->tags[1].what) {
      a->mixed = time;
      return 1;
    }
    n++;
  }
  return n;
}

hc_omega_event hc_omega_agenda_pop_equal(hc_omega_agenda *a, size_t *n)
{
  const hc_omega_event top = hc_omega_agenda_first(a);
  uint64_t time;
  size_t k;
  *n = a->ties == HC_OMEGA_TIES_HEAP ? equals(a) : 1;
  if (*n == 1) return hc_omega_agenda_pop(a);
  time = a->times[1];
  k = path_end(a->times, a->count, 1, time);
  for (size_t i = 0; i < *n; i++) {
    const item last = at(a, a->count--);
    if (last.time != time) sink(a, k, last, HC_OMEGA_TIES_HEAP);
    else if (k <= a->count) continue; /* it is of them, and stays at the root */
    k = next_end(a->times, a->count, k, time);
  }
  return top;
}
