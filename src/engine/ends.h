/* ends.h -- the ends of running tasks come. See ends.c. */
#ifndef HC_ENGINE_ENDS_H
#define HC_ENGINE_ENDS_H

#include "engine/state.h"

/** Before anything is decided: correct predictions that are outlived now, and release the tasks that end now,
 *  as expected (due_ends_first). */
hc_rc hc_ends_due(hc_engine *e, hc_error *error);

#endif
