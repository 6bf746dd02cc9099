/* model.h -- tasks whose lengths a model of execution knows, in place of a fixed delay. See model.c. */
#ifndef HC_ENGINE_MODEL_H
#define HC_ENGINE_MODEL_H

#include "engine/state.h"
#include "hindcast/execution.h"

/* Payload of the event at which the model's next activities end: after all other ends of its time. */
#define HC_MODEL_PAYLOAD UINT32_MAX

/** From the beginning of the run on. @return 0; HC_EUNSUPPORTED: not with the rest of this configuration;
 * HC_ENOMEM. */
hc_rc hc_model_open(hc_engine *e, const hc_model_type *type, const void *options, hc_error *error);
/* -- from here on only if e->model -- */
hc_rc hc_model_begin(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** At the end of a round: an event where the next activity ends. */
hc_rc hc_model_arm(hc_engine *e);
/** Which end now, by serial, in the scratch arena. @return 0 or an error */
hc_rc hc_model_due(hc_engine *e, hc_task **ended, size_t *count);
hc_rc hc_model_visit(hc_engine *e, hc_visitor *v); /* with or without one */
void hc_model_close(hc_engine *e);

#endif
