/* run.h -- the birth of a run. See run.c. */
#ifndef HC_ENGINE_RUN_H
#define HC_ENGINE_RUN_H

#include "engine/state.h"

hc_rc hc_engine_new(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *e);

/** A snapshot without the rows that its store has, for what keeps these itself (src/save), and a run that
 *  goes on from one: the store has the rows already. @return as hc_run_snapshot, hc_run_restore */
hc_rc hc_run_state(hc_run *r, hc_snapshot *out, hc_error *e);
hc_rc hc_run_of_state(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s,
                      hc_run **out, hc_error *e);

#endif
