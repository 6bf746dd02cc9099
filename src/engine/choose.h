/* choose.h -- where a task would go. See choose.c. */
#ifndef HC_ENGINE_CHOOSE_H
#define HC_ENGINE_CHOOSE_H

#include "engine/state.h"

/** Is all of `r` in the scope of the view? Without a scope everything is. */
bool hc_choose_may(const hc_view *v, hc_range r);
/** Choose with the configured placement: grants in the scratch arena or borrowed until the next choice; 0 of
 * them on a counted cell. @return 0, or HC_EPOLICY if it does not fit. */
hc_rc hc_choose_place(hc_engine *e, hc_task t, const hc_grant **grants, size_t *count);
/** Hosts or processors that a policy names, as grants. @param count in: ranges; out: grants @return as
 *  hc_choose_place */
hc_rc hc_choose_named(hc_engine *e, hc_task t, const hc_range *hosts, size_t *count, const hc_grant **grants);

#endif
