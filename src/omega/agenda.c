/* agenda.c -- see agenda.h. A binary heap from index 1, sifted as scala.collection.mutable.PriorityQueue does: up while
 * the parent is less urgent; down from the root into which the last was put, to the more urgent child (the right one only
 * if the left is less urgent), until nothing below is more urgent. */
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

/* The event at x is less urgent than that at y. */
static inline bool is_less(const uint64_t *times, const hc_omega_tag *tags, size_t x, size_t y,
                           hc_omega_ties ties)
{
  if (ties == HC_OMEGA_TIES_HEAP || times[x] != times[y]) return times[x] > times[y];
  return (int32_t)(tags[x].number - tags[y].number) > 0;
}

static inline void move(uint64_t *times, hc_omega_tag *tags, size_t to, size_t from)
{
  times[to] = times[from];
  tags[to] = tags[from];
}

hc_rc hc_omega_agenda_push(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject)
{
  size_t k;
  HC_ASSERT(subject < HC_OMEGA_SUBJECTS && time >= 0);
  TRY(hc_reserve(a->allocator, (void **)&a->times, &a->times_cap, a->count + 2, sizeof *a->times));
  TRY(hc_reserve(a->allocator, (void **)&a->tags, &a->tags_cap, a->count + 2, sizeof *a->tags));
  memcpy(&a->times[0], &time, sizeof time);
  a->tags[0] = (hc_omega_tag){a->next_number++, (uint32_t)kind << 28 | subject};
  for (k = ++a->count; k > 1 && is_less(a->times, a->tags, k / 2, 0, a->ties); k /= 2)
    move(a->times, a->tags, k, k / 2);
  move(a->times, a->tags, k, 0);
  return 0;
}

hc_omega_event hc_omega_agenda_first(const hc_omega_agenda *a)
{
  hc_omega_event x = {.what = a->tags[1].what};
  memcpy(&x.time, &a->times[1], sizeof x.time);
  return x;
}

/* The last item, at 0, would sink from `top` until nothing below it is more urgent. Along that path items get less urgent,
 * and the last is mostly less urgent than all of them: so the path is gone down to its end first, by one comparison a
 * level that chooses and does not branch, and then back up to where it would have stopped. */
static inline void sink(hc_omega_agenda *a, size_t top, hc_omega_ties ties)
{
  uint64_t *const times = a->times;
  hc_omega_tag *const tags = a->tags;
  const size_t n = a->count;
  size_t k = top;
  while (2 * k < n) {
    const size_t left = 2 * k, j = left + (size_t)is_less(times, tags, left, left + 1, ties);
    move(times, tags, k, j);
    k = j;
  }
  if (2 * k == n) {
    move(times, tags, k, n);
    k = n;
  }
  while (k > top && !is_less(times, tags, 0, k / 2, ties)) {
    move(times, tags, k, k / 2);
    k /= 2;
  }
  move(times, tags, k, 0);
}

hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a)
{
  const hc_omega_event top = hc_omega_agenda_first(a);
  move(a->times, a->tags, 0, a->count--);
  if (a->count == 0) return top;
  if (a->ties == HC_OMEGA_TIES_HEAP) sink(a, 1, HC_OMEGA_TIES_HEAP);
  else sink(a, 1, HC_OMEGA_TIES_INSERTED);
  return top;
}

/* ---- equal events ----
 *
 * The events of the earliest time are a tree at the root. A pop moves them up along the path that goes left where it can,
 * and puts the last item in the place of the path's end, from where it sinks. If they are equal nobody sees that they moved,
 * so a pop is the sinking from there; and the ends of these paths are the tree's nodes in post-order. */

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
    move(a->times, a->tags, 0, a->count--);
    if (a->times[0] != time) sink(a, k, HC_OMEGA_TIES_HEAP);
    else if (k <= a->count) continue; /* it is of them, and stays at the root */
    k = next_end(a->times, a->count, k, time);
  }
  return top;
}
