/* closedloop.h -- tasks that are submitted when another has ended: held, and let go by feedback. */
#ifndef HC_WORKLOAD_CLOSEDLOOP_H
#define HC_WORKLOAD_CLOSEDLOOP_H

#include "hindcast/workload.h"

#define HC_LOOP_REMEMBERED ((size_t)1 << 20) /* ended tasks that can still be followed */

typedef enum hc_missing_predecessor {
  HC_PREDECESSOR_SATISFIED,
  HC_PREDECESSOR_REJECT,
  HC_PREDECESSOR_ERROR
} hc_missing_predecessor;

typedef struct hc_loop hc_loop;

/** @param c, name  of the source; borrowed */
hc_rc hc_loop_new(const hc_source_context *c, const char *name, hc_missing_predecessor missing,
                  hc_loop **out);
void hc_loop_free(hc_loop *l);
/** Take a row in. It becomes ready, is held, or is rejected (and counted) since what it follows is not known.
 *  @return 0, HC_EINPUT (missing predecessor, as an error; or `strict`), HC_ENOMEM. Cost: O(log ready). */
hc_rc hc_loop_add(hc_loop *l, const hc_task_spec *t, hc_error *e);
size_t hc_loop_ready(const hc_loop *l); /* tasks with a known time of submission, not yet given out */
size_t hc_loop_held(const hc_loop *l);  /* tasks that wait for an end */
/** The ready task that is first by (submit, id). @return 1, or 0 if none is ready. */
hc_rc hc_loop_next(hc_loop *l, hc_task_spec *out);
/** As hc_reader_type.feedback. */
hc_rc hc_loop_feedback(hc_loop *l, const hc_feedback *f, hc_error *e);
hc_rc hc_loop_visit(hc_loop *l, hc_visitor *v);

#endif
