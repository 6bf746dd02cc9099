/* closed.h -- runs that carry out a closed world in place of the engine: see hindcast/world.h. */
#ifndef HC_ENGINE_CLOSED_H
#define HC_ENGINE_CLOSED_H

#include "engine/state.h"

/** Make the world that the options name. @return as hc_world_type.init */
hc_rc hc_closed_open(hc_run *r, hc_error *e);
void hc_closed_close(hc_run *r);
hc_rc hc_closed_advance(hc_run *r, hc_time until, uint64_t events, hc_error *e);
void hc_closed_progress(const hc_run *r, hc_progress *p);
/** Configuration, inputs, rows and figures into the run's store, if it has one. */
hc_rc hc_closed_finish(hc_run *r, hc_error *e);
hc_rc hc_closed_figures(hc_run *r, hc_findings *f, hc_error *e);

#endif
