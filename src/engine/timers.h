/* timers.h -- timers of the architecture, and the wakes of policies. See timers.c. */
#ifndef HC_ENGINE_TIMERS_H
#define HC_ENGINE_TIMERS_H

#include "engine/state.h"

/** Signal the architecture with this id at `at`. @return 0; HC_EPOLICY: a time that has passed, or no id;
 *  HC_ENOMEM */
hc_rc hc_timer_set(hc_engine *e, hc_time at, uint32_t id);

#endif
