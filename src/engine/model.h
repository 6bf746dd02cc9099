/* model.h -- tasks whose lengths a model of execution knows, in place of a fixed delay. See model.c. */
#ifndef HC_ENGINE_MODEL_H
#define HC_ENGINE_MODEL_H

#include "engine/state.h"

/** From the beginning of the run on. @return 0; HC_EUNSUPPORTED: not with the rest of this configuration;
 *  HC_ENOMEM. */
hc_rc hc_model_open(hc_engine *e, const hc_model_type *type, const void *options, hc_error *error);
/* -- from here on only if e->model -- */
hc_rc hc_model_begin(hc_engine *e, hc_task t, const hc_grant *grants, size_t count, hc_error *error);
/** What this run's configuration chose; nothing if it chose none. Before its sources are opened. */
hc_rc hc_model_choose(hc_engine *e, hc_error *error);
/** What a task does, where its model takes that; NULL: no more than that it lasts. @param size out, bytes */
const char *hc_model_profile(const hc_engine *e, hc_task t, size_t *size);
/** A task that is at a scheduling point goes on. @param changed  on what it holds now; else as before */
hc_rc hc_model_go_on(hc_engine *e, hc_task t, bool changed, hc_error *error);
/** It is over with, or its run: what it has worked is its run. */
void hc_model_ran(hc_engine *e, hc_task t);
/** At the end of a round: an event where the next activity ends. */
hc_rc hc_model_arm(hc_engine *e);

#endif
