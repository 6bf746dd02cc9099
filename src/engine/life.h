/* life.h -- what becomes of tasks, once it has happened. See life.c. */
#ifndef HC_ENGINE_LIFE_H
#define HC_ENGINE_LIFE_H

#include "engine/state.h"

/** It has arrived, or nothing holds it back any more: it waits for its time, or the architecture sees it. */
hc_rc hc_life_eligible(hc_engine *e, hc_task t, hc_error *error);
/** What it waits for will not happen. */
hc_rc hc_life_never(hc_engine *e, hc_task t, hc_error *error);
/** A policy has turned it away. */
hc_rc hc_life_reject(hc_engine *e, hc_task t, hc_error *error);
/** It runs, and has come to its end. */
hc_rc hc_life_end(hc_engine *e, hc_task t, hc_error *error);
/** A plan has stopped it, and what it held was given back on the view. @param grants [count] which was that
 *  */
hc_rc hc_life_stop(hc_engine *e, hc_task t, const hc_stopping *how, const hc_grant *grants, size_t count,
                   hc_error *error);
/** A host of it has gone. What becomes of it is the run's option. */
hc_rc hc_life_lost(hc_engine *e, hc_task t, hc_error *error);
/** Its user takes it away at `cancel_at`, should it wait then. */
hc_rc hc_life_expect_withdrawal(hc_engine *e, hc_task t, hc_time cancel_at);

#endif
