/* room.h -- which running tasks have to go for a waiting task to fit, and no more than have to.
 *
 * The caller says which may go, the first to go in front. They are stopped on the view one after the other
 * until the task fits, which says what a cell of any kind and every promise on it say; then those go on that
 * prove not to be needed, the dearest first. The view is left as it was. Counted processors are added up
 * instead. */
#ifndef HC_POLICY_ROOM_H
#define HC_POLICY_ROOM_H

#include "hindcast/policy.h"

/* A running task that may have to go. */
typedef struct hc_room_task {
  int64_t units;
  hc_task task;
  uint32_t padding;
} hc_room_task;

/** @param may_go [*count] in: those that may, the first to go in front; out: those that must; none: it fits
 *  as it is @return 1; 0: it would not fit without all of them; or an error. Cost: on counted processors
 *  O(*count); elsewhere a stop on the view for each, and one for each pair of those chosen */
hc_rc hc_room_make(const hc_services *s, hc_view *v, hc_plan *p, hc_task t, hc_room_task *may_go,
                   size_t *count);
/** Stop all of them on the plan. */
hc_rc hc_room_stop(const hc_services *s, hc_plan *p, const hc_room_task *tasks, size_t count,
                   const hc_stopping *how);

#endif
