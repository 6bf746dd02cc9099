/* arrivals.h -- tasks from the stream, one known ahead. See arrivals.c. */
#ifndef HC_ENGINE_ARRIVALS_H
#define HC_ENGINE_ARRIVALS_H

#include "engine/state.h"

hc_rc hc_arrivals_pull(hc_engine *e, hc_error *error); /* make sure the next arrival is known */
void hc_arrivals_hold(hc_engine *e);                   /* and that it is the engine's own, not the stream's */
/** A task is gone: sources of closed loops hear it. @return 1 if the stream may have other tasks now: see
 *  _again; 0; or an error */
hc_rc hc_arrivals_answer(hc_engine *e, hc_task t, hc_time end, bool completed, hc_error *error);
/** The arrival that is known may not be the next one any more. */
hc_rc hc_arrivals_again(hc_engine *e);

#endif
