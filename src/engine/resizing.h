/* resizing.h -- running tasks that get another number of slots. See actions/resize.c. */
#ifndef HC_ENGINE_RESIZING_H
#define HC_ENGINE_RESIZING_H

#include "engine/state.h"

/** What sizes it may have, by whose will. @param when  of hc_size_change: what its bounds have to allow; else
 *  both are the size that it has. */
void hc_resize_bounds(const hc_engine *e, hc_task t, uint32_t when, int64_t *least, int64_t *most);
/** As hc_services.resize of a running task, whatever its model and its bounds: the placement chooses. */
hc_rc hc_resize_to(hc_plan *p, hc_task t, uint32_t size);
/** It holds just these hosts, [count] ascending and disjoint, a slot on each, whatever its bounds.
 *  @return 1; 0: it does already; HC_EPOLICY, HC_ENOMEM */
hc_rc hc_resize_onto(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
/** How many tasks keep their size though they may be resized, and why; nothing: none does. */
hc_rc hc_resize_note(const hc_engine *e, hc_buffer *out);
/** What a policy that declares these flags cannot be combined with, if it resizes tasks. */
hc_rc hc_resize_check(const hc_engine *e, uint32_t flags, hc_error *error);

#endif
