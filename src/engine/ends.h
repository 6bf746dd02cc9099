/* ends.h -- ends of running tasks as events. See ends.c. */
#ifndef HC_ENGINE_ENDS_H
#define HC_ENGINE_ENDS_H

#include "engine/state.h"

/* A task that runs past its expected end is believed to end this much after now, whenever now is. */
#define HC_OVERDUE_MOMENT HC_SECOND

/** Until the first task of the run is stopped, or its rate changed, no end can be cancelled, and from then
 *  on each. */
hc_rc hc_ends_name(hc_engine *e);
/** Release the tasks that end now, as expected, before anything is decided (due_ends_first). */
hc_rc hc_ends_due(hc_engine *e, hc_error *error);
/** At each view: tasks past their expected end are believed to end "any moment now". */
hc_rc hc_overdue_move(hc_engine *e);

#endif
