/* sortwindow.c -- rows that come almost in order, put in order within a bounded window.
 *
 * Rows that come in order are appended to a ring, so that sorted input pays one copy and a comparison. A row
 * that comes after a later one goes to a heap beside it; what goes out is the lesser of the ring's head and
 * the heap's. Nothing is ever moved within the ring, hence even random input costs O(log window) per row.
 * The caller that fills the window decides how far it reads ahead. Keys are (submit, id, rank of arrival), a
 * total order: stable by construction. */
#include "workload/sortwindow.h"

#include "base/sort.h"
#include "base/util.h"

#define FIRST_RING ((size_t)64)

void hc_sort_window_init(hc_sort_window *w, const hc_allocator *a, bool unordered)
{
  *w = (hc_sort_window){.allocator = a, .unordered = unordered};
  hc_sort_window_reset(w);
}

void hc_sort_window_fini(hc_sort_window *w)
{
  hc_free(w->allocator, w->ring, w->cap * sizeof *w->ring);
  hc_free(w->allocator, w->heap, w->late_cap * sizeof *w->heap);
  hc_free(w->allocator, w->slots, w->slot_cap * sizeof *w->slots);
  hc_free(w->allocator, w->free, w->free_cap * sizeof *w->free);
  *w = (hc_sort_window){.allocator = w->allocator};
}

void hc_sort_window_reset(hc_sort_window *w)
{
  w->head = w->count = w->late = w->slots_used = w->free_count = 0;
  w->seq = 0;
  w->last_submit = w->tail_submit = HC_UNKNOWN;
  w->last_id = w->tail_id = INT64_MIN;
}

static bool before(hc_time submit, int64_t id, hc_time other, int64_t other_id)
{
  return submit != other ? submit < other : id < other_id;
}

/* While the window first fills, nothing has left it: then it grows in place, which costs no copy for a
 * large block. */
static hc_rc grow_ring(hc_sort_window *w)
{
  const size_t cap = w->cap ? 2 * w->cap : FIRST_RING;
  const bool in_place = w->head == 0;
  hc_held_row *ring;
  if (cap > SIZE_MAX / sizeof *ring) return HC_ENOMEM;
  ring = w->allocator->resize(w->allocator->ctx, in_place ? w->ring : NULL,
                              in_place ? w->cap * sizeof *ring : 0, cap * sizeof *ring);
  if (!ring) return HC_ENOMEM;
  if (!in_place) {
    for (size_t i = 0; i < w->count; i++) ring[i] = w->ring[(w->head + i) & (w->cap - 1)];
    hc_free(w->allocator, w->ring, w->cap * sizeof *w->ring);
  }
  w->ring = ring;
  w->cap = cap;
  w->head = 0;
  return 0;
}

HC_HEAP(late, hc_late_row,
        a->submit != b->submit ? a->submit < b->submit
        : a->id != b->id       ? a->id < b->id
                               : a->seq < b->seq)

static hc_rc push_late(hc_sort_window *w, const hc_task_spec *spec, hc_time submit, int64_t id)
{
  hc_late_row row = {.submit = submit, .id = id, .seq = w->seq};
  TRY(hc_reserve(w->allocator, (void **)&w->heap, &w->late_cap, w->late + 1, sizeof *w->heap));
  /* Room to give every slot back is made now, so that giving back cannot fail. */
  TRY(hc_reserve(w->allocator, (void **)&w->free, &w->free_cap, w->slots_used + 1, sizeof *w->free));
  if (w->free_count > 0) {
    row.slot = w->free[--w->free_count];
  } else {
    TRY(hc_reserve(w->allocator, (void **)&w->slots, &w->slot_cap, w->slots_used + 1, sizeof *w->slots));
    row.slot = w->slots_used++;
  }
  w->slots[row.slot] = *spec;
  late_rise(w->heap, w->late++, row);
  w->seq++;
  return 1;
}

hc_rc hc_sort_window_push(hc_sort_window *w, const hc_task_spec *spec)
{
  hc_held_row *row;
  hc_time submit = spec->submit;
  int64_t id = w->as_they_come ? 0 : spec->id;
  if (submit == HC_UNKNOWN) {
    submit = w->tail_submit;
    id = w->tail_id;
  } else if (before(submit, id, w->tail_submit, w->tail_id)) {
    if (!w->unordered && before(submit, id, w->last_submit, w->last_id)) return 0;
    return push_late(w, spec, submit, id);
  }
  if (w->count == w->cap) TRY(grow_ring(w));
  row = &w->ring[(w->head + w->count) & (w->cap - 1)];
  row->spec = *spec;
  row->submit = w->tail_submit = submit;
  row->id = w->tail_id = id;
  row->seq = w->seq++;
  w->count++;
  return 1;
}

static const hc_task_spec *pop_late(hc_sort_window *w)
{
  const hc_late_row top = late_pop(w->heap, &w->late);
  w->last_submit = top.submit;
  w->last_id = top.id;
  w->free[w->free_count++] = top.slot;
  return &w->slots[top.slot];
}

const hc_task_spec *hc_sort_window_pop(hc_sort_window *w)
{
  const hc_held_row *row;
  if (w->count == 0) return w->late > 0 ? pop_late(w) : NULL;
  row = &w->ring[w->head];
  if (w->late > 0) {
    const hc_late_row held = {.submit = row->submit, .id = row->id, .seq = row->seq};
    if (late_before(&w->heap[0], &held)) return pop_late(w);
  }
  w->head = (w->head + 1) & (w->cap - 1);
  w->count--;
  w->last_submit = row->submit;
  w->last_id = row->id;
  return &row->spec;
}

static hc_rc visit_ring(hc_sort_window *w, hc_visitor *v)
{
  uint64_t n = w->count;
  TRY(hc_visit_bytes(v, &n, sizeof n));
  if (hc_visit_loading(v)) w->head = w->count = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (hc_visit_loading(v)) {
      if (w->count == w->cap) TRY(grow_ring(w));
      w->count++;
    }
    TRY(hc_visit_bytes(v, &w->ring[(w->head + i) & (w->cap - 1)], sizeof *w->ring));
  }
  return 0;
}

/* A damaged snapshot must not lead outside the slots. */
static bool slots_are_sound(const hc_sort_window *w)
{
  for (size_t i = 0; i < w->late; i++)
    if (w->heap[i].slot >= w->slots_used) return false;
  for (size_t i = 0; i < w->free_count; i++)
    if (w->free[i] >= w->slots_used) return false;
  return w->late + w->free_count == w->slots_used;
}

hc_rc hc_sort_window_visit(hc_sort_window *w, hc_visitor *v)
{
  TRY(visit_ring(w, v));
  TRY(hc_visit_array(v, (void **)&w->heap, &w->late, &w->late_cap, sizeof *w->heap));
  TRY(hc_visit_array(v, (void **)&w->slots, &w->slots_used, &w->slot_cap, sizeof *w->slots));
  TRY(hc_visit_array(v, (void **)&w->free, &w->free_count, &w->free_cap, sizeof *w->free));
  TRY(hc_visit_bytes(v, &w->seq, sizeof w->seq));
  TRY(hc_visit_bytes(v, &w->last_submit, sizeof w->last_submit));
  TRY(hc_visit_bytes(v, &w->tail_submit, sizeof w->tail_submit));
  TRY(hc_visit_bytes(v, &w->last_id, sizeof w->last_id));
  TRY(hc_visit_bytes(v, &w->tail_id, sizeof w->tail_id));
  if (!hc_visit_loading(v)) return 0;
  if (!slots_are_sound(w)) return HC_EINPUT;
  return hc_reserve(w->allocator, (void **)&w->free, &w->free_cap, w->slots_used + 1, sizeof *w->free);
}
