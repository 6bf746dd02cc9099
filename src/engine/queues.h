/* queues.h -- the queues of a run: queued tasks in the order of their policies, and who follows them. See
 * queues.c. */
#ifndef HC_ENGINE_QUEUES_H
#define HC_ENGINE_QUEUES_H

#include "engine/state.h"
#include "engine/tasks.h"
#include "kernel/waitlist.h"

#define HC_QUEUE_LIMIT 255

typedef struct hc_sorting {
  const hc_order_type *order;          /* NULL: this list does not exist */
  hc_policy *state;                    /* of the order */
  bool varies, by_submission, follows; /* follows: it is told of tasks */
  uint8_t untried;                     /* tasks more at which its keys are tried at two times */
  hc_waitlist *list;
} hc_sorting;

typedef struct hc_wait_queue {
  hc_sorting sorting[2];         /* hc_list_id */
  const hc_policy_type *hearing; /* that hears of its tasks; NULL: none */
  hc_policy *hearer;
  const hc_policy_type *planning; /* whose plans are about it, if it hears what becomes of them; else NULL */
  hc_policy *planner;
  /* [dimensions] the least that any of its tasks has asked for of one slot; NULL: it is not kept */
  int64_t *least;
  uint64_t lessened;
  hc_chosen policy;           /* who decides on it, for messages */
  const char *scheduler;      /* and under which name; NULL or "": there is but one */
  uint32_t number;            /* of that scheduler */
  const hc_place_type *place; /* its own; NULL: the policy's */
  hc_policy *place_state;
  hc_chooser chooser;
} hc_wait_queue;

hc_rc hc_queues_insert(hc_engine *e, uint32_t queue, hc_task t);
/** Of a queue that is made. @param order NULL: that of submission */
hc_rc hc_sorting_init(hc_engine *e, hc_sorting *s, const hc_chosen *order);
/** Sort a list of a queue by another order from now on, all that is in it included. @param order NULL: of
 *  candidates: there are none. @return 0, HC_ENOMEM, or what the order's birth returned. O(n log n) */
hc_rc hc_queues_resort(hc_engine *e, uint32_t queue, int list, const hc_chosen *order);
void hc_queues_remove(hc_engine *e, hc_task t);
hc_rc hc_queues_put_back(hc_engine *e, hc_task t); /* with the keys that it had */
/** Take a waiting task out of the lists of its queue, before something changes that its keys are made of, and
 *  put it where it belongs by them. No policy hears of it. @return 0 or HC_ENOMEM */
void hc_queues_lift(hc_engine *e, hc_task t);
hc_rc hc_queues_settle(hc_engine *e, hc_task t);
hc_rc hc_queues_sort(hc_engine *e, uint32_t queue); /* lists whose keys vary with time */
int64_t hc_queues_units(const hc_engine *e);
int64_t hc_queues_smallest(const hc_engine *e);
hc_rc hc_queues_visit(hc_engine *e, hc_visitor *v);
void hc_queues_fini(hc_engine *e);
/** Tell who hears of its queue: see hc_policy_type.on_task_event. A failure is noted. */
void hc_tell(hc_engine *e, hc_task t, hc_task_event what, const hc_grant *grants, size_t count);
/** The same of the cell (hc_policy_type.cell_changed). @return 0, or what one of them returned. */
hc_rc hc_tell_cell(hc_engine *e);
static inline void hc_tell_claim(hc_engine *e, hc_task t, hc_task_event what, const hc_grant *grants,
                                 size_t count)
{
  if (e->has_hearers) hc_tell(e, t, what, grants, count);
}

#endif
