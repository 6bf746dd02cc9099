/* run.h -- the birth of a run. See run.c. */
#ifndef HC_ENGINE_RUN_H
#define HC_ENGINE_RUN_H

#include "engine/state.h"

hc_rc hc_engine_new(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *e);

#endif
