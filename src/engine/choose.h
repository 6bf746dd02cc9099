/* choose.h -- where a task would go. See choose.c. */
#ifndef HC_ENGINE_CHOOSE_H
#define HC_ENGINE_CHOOSE_H

#include "engine/state.h"
#include "reserve/reserve.h"

/** Make the run's placement (hc_engine.place). @return 0, or what its birth returned */
hc_rc hc_choose_open(hc_engine *e, hc_error *error);
/** Is all of `r` in the scope of the view? Without a scope everything is. */
bool hc_choose_may(const hc_view *v, hc_range r);
/** Choose with the configured placement: grants in the scratch arena or borrowed until the next choice; 0 of
 * them on a counted cell. @return 0, or HC_EPOLICY if it does not fit. */
hc_rc hc_choose_place(hc_engine *e, hc_task t, const hc_grant **grants, size_t *count);
/** Hosts or processors that a policy names, as grants. @param count in: ranges; out: grants @return as
 *  hc_choose_place */
/* The same with so many slots on each. */
hc_rc hc_choose_dealt(hc_engine *e, hc_task t, const hc_host_room *dealt, size_t *count,
                      const hc_grant **grants);
hc_rc hc_choose_named(hc_engine *e, hc_task t, const hc_range *hosts, size_t *count, const hc_grant **grants);
/** Could a waiting task start now, placement included? As hc_services.fits. */
bool hc_view_fits(const hc_view *v, hc_task t);
/** Processors or units that are free; where a view has a scope, in that. */
int64_t hc_view_free_units(const hc_view *v);
/** Is the view about the live cell as it is? Then what fails now fails for all of its shape. */
static inline bool hc_asks_shapes(const hc_view *v)
{
  const hc_engine *e = v->engine;
  return e->shapes.is_on && v->scope_count == 0 && !e->blind && e->spare_estimate == HC_UNKNOWN &&
         e->reserve->promised == 0;
}

#endif
