/* sortwindow.h -- rows that come almost in order, put in order within a bounded window. */
#ifndef HC_WORKLOAD_SORTWINDOW_H
#define HC_WORKLOAD_SORTWINDOW_H

#include "base/mem.h"
#include "hindcast/workload.h"

/* A row that came in order. No padding. */
typedef struct hc_held_row {
  hc_task_spec spec;
  hc_time submit; /* the key: of the spec, or of the row before if that has none */
  int64_t id;
  uint64_t seq;
} hc_held_row;

/* A row that came after a later one: its key, and where it is kept. No padding. */
typedef struct hc_late_row {
  hc_time submit;
  int64_t id;
  uint64_t seq;
  uint64_t slot;
} hc_late_row;

typedef struct hc_sort_window {
  const hc_allocator *allocator;
  hc_held_row *ring; /* ascending; [cap] a power of two */
  size_t head, count, cap;
  hc_late_row *heap; /* least first */
  size_t late, late_cap;
  hc_task_spec *slots;
  size_t slots_used, slot_cap;
  uint64_t *free;
  size_t free_count, free_cap;
  uint64_t seq;
  hc_time last_submit, tail_submit; /* keys of the last row given out, and of the last that came in order */
  int64_t last_id, tail_id;
  bool unordered; /* rows may be earlier than those given out */
  bool
      /* rows of one time keep their order, whatever their ids: what one row's window can do at most */
      as_they_come;
} hc_sort_window;

void hc_sort_window_init(hc_sort_window *w, const hc_allocator *a, bool unordered);
void hc_sort_window_fini(hc_sort_window *w);
void hc_sort_window_reset(hc_sort_window *w); /* as after init; keeps its memory */

static inline size_t hc_sort_window_count(const hc_sort_window *w)
{
  return w->count + w->late;
}

/** Put a row in. A row without a time of submission keeps its place behind the one before it.
 *  @return 1, 0 if it is earlier than a row given out already, HC_ENOMEM. Cost: a copy if it comes in order,
 *  else
 *  O(log window). */
hc_rc hc_sort_window_push(hc_sort_window *w, const hc_task_spec *spec);
/** A row goes by an empty window without being put in. @return false if it was submitted before one that went
 *  out already. Rows of one time keep their order, whatever their ids. */
static inline bool hc_sort_window_pass(hc_sort_window *w, hc_time submit)
{
  if (submit < w->last_submit) return false;
  w->last_submit = w->tail_submit = submit;
  w->last_id = w->tail_id = INT64_MIN;
  return true;
}

/** The least row by (submit, id), in order of arrival if equal; borrowed until the next push. NULL if there
 * is none. */
const hc_task_spec *hc_sort_window_pop(hc_sort_window *w);
hc_rc hc_sort_window_visit(hc_sort_window *w, hc_visitor *v);

#endif
