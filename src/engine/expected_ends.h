/* expected_ends.h -- what is believed of the ends of running tasks. See expected_ends.c. */
#ifndef HC_ENGINE_EXPECTED_ENDS_H
#define HC_ENGINE_EXPECTED_ENDS_H

#include "engine/state.h"

/* A task that runs past its expected end is believed to end this much after now, whenever now is. */
#define HC_OVERDUE_MOMENT HC_SECOND

/** Until the first task of the run is stopped, or its rate changed, no end can be cancelled, and from then
 *  on each. */
hc_rc hc_ends_name(hc_engine *e);
/** At each view: tasks past their expected end are believed to end "any moment now". */
hc_rc hc_overdue_move(hc_engine *e);

#endif
