/* later.h -- the cell as it will be: a second one that stands at a later time, and moves.
 *
 * What fits now says the cell; what will fit at a time t is asked on a second cell, on which only those
 * claims lie whose expected end is after t. It stands somewhere, follows each claim and each change of a host
 * as it happens, and goes to another time by giving back what ends on the way, or taking it again on the way
 * back. From one decision to the next the time that is asked about hardly moves, so neither does it: a
 * question costs what lies between, not what runs.
 *
 * It begins with the first question, as a copy of the cell, and is not part of the state: a run that was
 * loaded copies again. Which answer comes out does not depend on where it stood. Cost: a claim or its end
 * O(log running) and the same on the second cell; a move the same for each claim that is passed. */
#ifndef HC_RESERVE_LATER_H
#define HC_RESERVE_LATER_H

#include "kernel/queue.h"
#include "reserve/reserve.h"

/* What one task holds. */
typedef struct hc_later_claim {
  hc_time end;
  int64_t units;
  hc_event_handle handle; /* in the queue that it is in; HC_NO_EVENT: the task holds nothing */
  bool is_given;          /* back on the second cell, as it ends by `at` */
  bool is_overdue;
} hc_later_claim;

typedef struct hc_later {
  hc_reserve_book *r;
  bool is_open;
  hc_cell cell;
  hc_time at;
  hc_queue *given, *held; /* claims that end by `at`, the last first, and those after, the first first */
  hc_later_claim *claims; /* [claim_cap] by task */
  size_t claim_cap;
  hc_task *overdue; /* past their expected end */
  size_t overdue_count, overdue_cap;
  int64_t given_units; /* of all that is given back */
  size_t first_resize,
      next_resize;       /* windows of announced changes of amounts: of those between them it has seen */
  hc_host_event *before; /* [before_count] what hosts had before each of these */
  size_t before_count, before_cap;
  struct
  { /* a start that is tried: on the cell whatever the time, though it is believed to be over by `end` */
    const hc_grant *grants;
    size_t count;
    hc_task task;
    hc_time end;
  } tried;
} hc_later;

void hc_later_close(hc_later *l);
hc_rc hc_later_take(hc_later *l, hc_task t, hc_time end, const hc_grant *grants, size_t count);
hc_rc hc_later_give(hc_later *l, hc_task t, const hc_grant *grants, size_t count);
hc_rc hc_later_overdue(hc_later *l, hc_task t, hc_time end);
hc_rc hc_later_moved(hc_later *l, hc_task t, hc_time end);
hc_rc hc_later_host_changed(hc_later *l, const hc_host_event *event);
/** Of each host whose amounts are known to change while a task would run from `at` on, the least that will be
 *  free then, into l->r->ahead. It stands at `at`, or at now, behind that. @return 0 or HC_ENOMEM */
hc_rc hc_later_ahead(hc_later *l, hc_task t, hc_time at, hc_time length);
hc_rc hc_later_resized(hc_later *l, hc_task t, const hc_request *had, const int64_t *to,
                       const hc_grant *grants, size_t count);
/** See that there is one, and that it is at or after now. @return 0 or HC_ENOMEM */
hc_rc hc_later_ready(hc_later *l);
/** Go to a time. @return 0 or HC_ENOMEM */
hc_rc hc_later_go(hc_later *l, hc_time at);
/** The first time in [from, until] at which `fits` says 1; HC_NEVER: none. The second cell stands there then.
 *  @param rises what fits at a time fits at all later ones: only then is it looked for from where the second
 *  cell stands @return 1, 0, or an error, `fits`'s own included */
hc_rc hc_later_first(hc_later *l, hc_time from, hc_time until, bool rises,
                     hc_rc (*fits)(hc_later *l, void *self), void *self, hc_time *at);
/** Put a claim on it that belongs to no task, for a question, and take it away again. */
hc_rc hc_later_put(hc_later *l, hc_task t, const hc_grant *grants, size_t count);
hc_rc hc_later_remove(hc_later *l, hc_task t, const hc_grant *grants, size_t count);

#endif
