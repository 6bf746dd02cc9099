/* agenda.c -- see agenda.h. A binary heap from index 1, sifted as scala.collection.mutable.PriorityQueue does: up while
 * the parent is less urgent; down from the root into which the last was put, to the more urgent child (the right one only
 * if the left is less urgent), until nothing below is more urgent. */
#include "omega/agenda.h"

#include "base/util.h"

void hc_omega_agenda_init(hc_omega_agenda *a, const hc_allocator *allocator, hc_omega_ties ties)
{
  *a = (hc_omega_agenda){.allocator = allocator, .ties = ties, .mixed = -1};
}

void hc_omega_agenda_fini(hc_omega_agenda *a)
{
  hc_free(a->allocator, a->items, a->cap * sizeof *a->items);
  *a = (hc_omega_agenda){0};
}

/* x is less urgent than y. */
static inline bool is_less(const hc_omega_event *x, const hc_omega_event *y, hc_omega_ties ties)
{
  if (ties == HC_OMEGA_TIES_HEAP) return x->time > y->time;
  return x->time > y->time || (x->time == y->time && (int32_t)(x->number - y->number) > 0);
}

hc_rc hc_omega_agenda_push(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject)
{
  const hc_omega_event x = {time, a->next_number++, (uint32_t)kind << 28 | subject};
  size_t k;
  HC_ASSERT(subject < HC_OMEGA_SUBJECTS);
  TRY(hc_reserve(a->allocator, (void **)&a->items, &a->cap, a->count + 3, sizeof *a->items));
  for (k = ++a->count; k > 1 && is_less(&a->items[k / 2], &x, a->ties); k /= 2) a->items[k] = a->items[k / 2];
  a->items[k] = x;
  return 0;
}

/* The last item would sink from k until nothing below it is more urgent. Along that path items get less urgent, and
 * the last is mostly less urgent than all of them: so the path is gone down to its end first, by one comparison a level
 * that chooses and does not branch, and then back up to where it would have stopped. */
static inline void sink(hc_omega_event *items, size_t n, size_t top, hc_omega_event x, hc_omega_ties ties)
{
  size_t k = top;
  while (2 * k < n) {
    const size_t left = 2 * k, j = left + (size_t)is_less(&items[left], &items[left + 1], ties);
    items[k] = items[j];
    k = j;
  }
  if (2 * k == n) {
    items[k] = items[n];
    k = n;
  }
  while (k > top && !is_less(&x, &items[k / 2], ties)) {
    items[k] = items[k / 2];
    k /= 2;
  }
  items[k] = x;
}

hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a)
{
  const hc_omega_event top = a->items[1], last = a->items[a->count--];
  if (a->count == 0) return top;
  if (a->ties == HC_OMEGA_TIES_HEAP) sink(a->items, a->count, 1, last, HC_OMEGA_TIES_HEAP);
  else sink(a->items, a->count, 1, last, HC_OMEGA_TIES_INSERTED);
  return top;
}

/* ---- equal events ----
 *
 * The events of the earliest time are a tree at the root. A pop moves them up along the path that goes left where it can,
 * and puts the last item in the place of the path's end, from where it sinks. If they are equal nobody sees that they moved,
 * so a pop is the sinking from there; and the ends of these paths are the tree's nodes in post-order. */

/* From a node of the tree to where the path through it ends. */
static size_t path_end(const hc_omega_event *items, size_t n, size_t k, double time)
{
  for (;;) {
    if (2 * k <= n && items[2 * k].time == time) k = 2 * k;
    else if (2 * k < n && items[2 * k + 1].time == time) k = 2 * k + 1;
    else return k;
  }
}

/* The end of the next path, when what is at k has left the tree. 0: the root was the last. */
static size_t next_end(const hc_omega_event *items, size_t n, size_t k, double time)
{
  const bool has_right = k % 2 == 0 && k < n && items[k + 1].time == time;
  return has_right ? path_end(items, n, k + 1, time) : k / 2;
}

/* How many events there are of the earliest time, if they are equal; else 1. */
static size_t equals(hc_omega_agenda *a)
{
  const hc_omega_event top = a->items[1];
  size_t n = 0;
  if (top.time == a->mixed) return 1;
  for (size_t k = path_end(a->items, a->count, 1, top.time); k > 0;
       k = next_end(a->items, a->count, k, top.time), n++) {
    if (a->items[k].what == top.what) continue;
    a->mixed = top.time;
    return 1;
  }
  return n;
}

hc_omega_event hc_omega_agenda_pop_equal(hc_omega_agenda *a, size_t *n)
{
  hc_omega_event *items = a->items;
  const hc_omega_event top = items[1];
  size_t k;
  *n = a->ties == HC_OMEGA_TIES_HEAP ? equals(a) : 1;
  if (*n == 1) return hc_omega_agenda_pop(a);
  k = path_end(items, a->count, 1, top.time);
  for (size_t i = 0; i < *n; i++) {
    const hc_omega_event last = items[a->count--];
    if (last.time != top.time) sink(items, a->count, k, last, HC_OMEGA_TIES_HEAP);
    else if (k <= a->count) continue; /* it is of them, and stays at the root */
    k = next_end(items, a->count, k, top.time);
  }
  return top;
}
