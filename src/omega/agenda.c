/* agenda.c -- see agenda.h. A binary heap from index 1, sifted as scala.collection.mutable.PriorityQueue does: up while
 * the parent is less urgent; down from the root into which the last was put, to the more urgent child (the right one only
 * if the left is less urgent), until nothing below is more urgent. */
#include "omega/agenda.h"

#include "base/util.h"

void hc_omega_agenda_init(hc_omega_agenda *a, const hc_allocator *allocator, hc_omega_ties ties)
{
  *a = (hc_omega_agenda){.allocator = allocator, .ties = ties};
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

/* The last item would sink from the root until nothing below it is more urgent. Along that path items get less urgent, and
 * the last is mostly less urgent than all of them: so the path is gone down to its end first, by one comparison a level
 * that chooses and does not branch, and then back up to where it would have stopped. */
static inline void sink(hc_omega_event *items, size_t n, hc_omega_event x, hc_omega_ties ties)
{
  size_t k = 1;
  while (2 * k < n) {
    const size_t left = 2 * k, j = left + (size_t)is_less(&items[left], &items[left + 1], ties);
    items[k] = items[j];
    k = j;
  }
  if (2 * k == n) {
    items[k] = items[n];
    k = n;
  }
  while (k > 1 && !is_less(&x, &items[k / 2], ties)) {
    items[k] = items[k / 2];
    k /= 2;
  }
  items[k] = x;
}

hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a)
{
  const hc_omega_event top = a->items[1], last = a->items[a->count--];
  if (a->count == 0) return top;
  if (a->ties == HC_OMEGA_TIES_HEAP) sink(a->items, a->count, last, HC_OMEGA_TIES_HEAP);
  else sink(a->items, a->count, last, HC_OMEGA_TIES_INSERTED);
  return top;
}
