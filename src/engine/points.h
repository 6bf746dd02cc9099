/* points.h -- tasks of profiles whose hosts change at scheduling points. See points.c. */
#ifndef HC_ENGINE_POINTS_H
#define HC_ENGINE_POINTS_H

#include "engine/state.h"

/* A running task comes to a scheduling point of its profile by the event `point`, whose order is how many
 * slots it asks for; 0: it asks for nothing. */

/* -- wishes.c -- */
/** Can it be resized at its next point? O(1). */
bool hc_points_has(const hc_engine *e, hc_task t);
/** What it is to have from then on; 0: nothing was said. */
uint32_t hc_points_wish(const hc_engine *e, hc_task t);
void hc_points_set_wish(hc_engine *e, hc_task t, uint32_t size);
/** With `cannot_grow: reserve`: units of room that a task waits for at its point, of which nothing else may
 *  be taken; HC_NO_TASK: that all of them do. 0: none. Cost: O(those that wait). */
int64_t hc_points_awaited(const hc_engine *e, hc_task t);
/* -- points_told.c: of a policy that decides at points -- */
/** Does that policy decide at this point? @param wants  what it asks for; 0: nothing */
bool hc_points_is_told(const hc_engine *e, hc_task t, int64_t wants);
/** It waits at its point until the policy lets it go on. @return 0 or HC_ENOMEM */
hc_rc hc_points_tell(hc_engine *e, hc_task t, int64_t wants);
void hc_points_forget(hc_engine *e, hc_task t); /* it is there no more */
/* -- points.c -- */
/** Counts, by their names in the store. */
hc_rc hc_points_note(const hc_engine *e, hc_buffer *out); /* worth a sentence at its end; nothing: none */
hc_rc hc_points_each(const hc_engine *e, hc_rc (*each)(void *ctx, const char *key, uint64_t n), void *ctx);

#endif
