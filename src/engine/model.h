/* model.h -- tasks whose lengths a model of execution knows, in place of a fixed delay. See model.c. */
#ifndef HC_ENGINE_MODEL_H
#define HC_ENGINE_MODEL_H

#include "engine/state.h"

/** From the beginning of the run on. @return 0; HC_EUNSUPPORTED: not with the rest of this configuration;
 *  HC_ENOMEM. */
hc_rc hc_model_open(hc_engine *e, const hc_model_type *type, const void *options, hc_error *error);
/* -- from here on only if e->model -- */
hc_rc hc_model_begin(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** At the end of a round: an event where the next activity ends. */
hc_rc hc_model_arm(hc_engine *e);

#endif
