/* ends.h -- the ends of running tasks come. See ends.c. */
#ifndef HC_ENGINE_ENDS_H
#define HC_ENGINE_ENDS_H

#include "engine/state.h"

/** Release the tasks that end now, as expected, before anything is decided (due_ends_first). */
hc_rc hc_ends_due(hc_engine *e, hc_error *error);

#endif
