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
static inline bool is_less(const hc_omega_agenda *a, const hc_omega_event *x, const hc_omega_event *y)
{
  if (x->time > y->time) return true;
  return a->ties == HC_OMEGA_TIES_INSERTED && x->time == y->time && x->number > y->number;
}

hc_rc hc_omega_agenda_push(hc_omega_agenda *a, double time, hc_omega_event_kind kind, uint32_t subject)
{
  const hc_omega_event x = {time, a->next_number++, (uint32_t)kind, subject};
  size_t k;
  TRY(hc_reserve(a->allocator, (void **)&a->items, &a->cap, a->count + 2, sizeof *a->items));
  for (k = ++a->count; k > 1 && is_less(a, &a->items[k / 2], &x); k /= 2) a->items[k] = a->items[k / 2];
  a->items[k] = x;
  return 0;
}

hc_omega_event hc_omega_agenda_pop(hc_omega_agenda *a)
{
  const hc_omega_event top = a->items[1], x = a->items[a->count];
  const size_t n = --a->count;
  size_t k = 1;
  while (n >= 2 * k) {
    size_t j = 2 * k;
    if (j < n && is_less(a, &a->items[j], &a->items[j + 1])) j++;
    if (!is_less(a, &x, &a->items[j])) break;
    a->items[k] = a->items[j];
    k = j;
  }
  if (n > 0) a->items[k] = x;
  return top;
}
