/* load.h -- local load, and when a decision depends on it. See load.c. */
#ifndef HC_ENGINE_LOAD_H
#define HC_ENGINE_LOAD_H

#include "engine/state.h"

hc_rc hc_load_open(hc_engine *e, hc_error *error);
void hc_load_ready(hc_engine *e); /* the architecture has been born */
/* What a metric asks (hc_metric_context.load); `ctx` is the engine. */
hc_load_level hc_load_ask(void *ctx, uint32_t host, uint32_t dimension, hc_time at);
/** Does local load take so much of a host that this need does not fit there? @param need by the cell's
 *  dimensions; NULL: the host as a whole. For explanations. */
bool hc_load_takes(hc_engine *e, uint32_t host, const int64_t *need);
/** From now on choices leave out hosts that are promised to others before this task would end there. Ends
 *  with HC_NO_TASK. */
void hc_load_spare(hc_engine *e, hc_task t);

#endif
