/* beside.h -- what advance reservations of processors leave to a task, over time.
 *
 * A reservation keeps `units` processors for its users during its windows. What they hold counts first as
 * part of that, so at any time it takes max(0, units - held by its users) of the level of a timeline. A task
 * of its users is not kept out by it: for a question its share is lifted from the timeline, and put back.
 *
 * The timeline is another's (counts.c has two); here are only, for each window, how many processors its
 * users hold in it when. What a task holds at a time counts for one reservation: that two share a user at
 * one time is refused when they are read. Cost: a claim of a user O(changes within the window), else
 * nothing. */
#ifndef HC_RESERVE_BESIDE_H
#define HC_RESERVE_BESIDE_H

#include "reserve/advance.h"
#include "reserve/timeline.h"

typedef struct hc_beside {
  const hc_advance *advance;
  hc_timeline *line;  /* borrowed */
  hc_timeline **held; /* [windows] by its users; NULL: the window is over */
  int64_t *overdue;   /* [windows] units of its users that run past their estimates */
} hc_beside;

/** @param line has the windows taken off from now on @return 0 or HC_ENOMEM; close it in either case */
hc_rc hc_beside_open(hc_beside *b, const hc_advance *a, hc_timeline *line);
void hc_beside_close(hc_beside *b);
hc_rc hc_beside_visit(hc_beside *b, hc_visitor *v);
/** A task holds so many more during [from, to). @param units negative: the opposite, exactly */
hc_rc hc_beside_hold(hc_beside *b, hc_task t, hc_time from, hc_time to, int64_t units);
/** So many more units of a task are overdue. */
void hc_beside_overdue(hc_beside *b, hc_task t, int64_t units);
/** All that is overdue is held to `to` rather than to `from`. @return 0 or HC_ENOMEM */
hc_rc hc_beside_all_overdue(hc_beside *b, hc_time from, hc_time to);
/** Take what is kept for a task's users off (sign 1) the timeline for a question of it, or put it back (-1).
 *  @return 0 or HC_ENOMEM */
hc_rc hc_beside_lift(hc_beside *b, hc_task t, int sign);
/** How much windows keep at a time of what tasks hold nothing of, as far as is known. */
int64_t hc_beside_kept(const hc_beside *b, hc_time at);
/** A window is known from now on. @return 0 or HC_ENOMEM */
hc_rc hc_beside_announced(hc_beside *b, size_t window);
/** A window is over: forget it. @return 0 or HC_ENOMEM */
hc_rc hc_beside_passed(hc_beside *b, size_t window);

#endif
