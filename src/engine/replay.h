/* replay.h -- runs whose workload was read before: for studies, which make many runs of one workload. */
#ifndef HC_ENGINE_REPLAY_H
#define HC_ENGINE_REPLAY_H

#include "hindcast/engine.h"
#include "workload/tape.h"

/** Make a run as hc_run_new does, with what is on a tape in place of the configuration's sources. Everything else,
 *  transforms included, is as the configuration says. @param tape borrowed for the run's life; NULL: as hc_run_new
 *  @return as hc_run_new */
hc_rc hc_run_new_on(const hc_allocator *a, hc_config *c, hc_store *store, const hc_tape *tape, hc_run **out,
                    hc_error *e);

#endif
