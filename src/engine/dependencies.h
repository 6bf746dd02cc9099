/* dependencies.h -- dependencies between tasks. See dependencies.c. */
#ifndef HC_ENGINE_DEPENDENCIES_H
#define HC_ENGINE_DEPENDENCIES_H

#include "engine/state.h"

hc_rc hc_dependencies_new(hc_engine *e);
/** Is this task, which is held, held for others rather than for its time? */
bool hc_dependencies_hold(const hc_engine *e, hc_task id);
/** As hc_services.stage. */
bool hc_dependencies_stage(const hc_engine *e, hc_task id, uint64_t *over, uint64_t *all);

/** How many of those that it waits for have not done yet what it waits for. */
uint32_t hc_dependencies_left(const hc_engine *e, hc_task id);

#endif
