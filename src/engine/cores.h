/* cores.h -- tasks whose cores are chosen when they start. See cores.c. */
#ifndef HC_ENGINE_CORES_H
#define HC_ENGINE_CORES_H

#include "engine/state.h"

/** Does it leave open how many cores it has? */
bool hc_cores_are_chosen(const hc_engine *e, hc_task t);
/** It is about to start there, and is in no queue: it asks for as many cores as are free. */
void hc_cores_choose(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** What it asked for as it was queued, the least, among the amounts of a slot by the lexicon's numbers. */
void hc_cores_queued(const hc_engine *e, hc_task t, int64_t *amount);
/** It is in no queue and holds nothing: it asks for the least again. */
void hc_cores_reset(hc_engine *e, hc_task t);

#endif
