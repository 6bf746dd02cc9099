/* visit.h -- the state of a run, visited. See visit.c. */
#ifndef HC_ENGINE_VISIT_H
#define HC_ENGINE_VISIT_H

#include "engine/state.h"

/** All of it, where no view is open. @return 0; HC_EUNSUPPORTED with the reason; HC_ENOMEM, HC_EINPUT */
hc_rc hc_engine_visit(hc_engine *e, hc_visitor *v, hc_error *error);
/** What happens next depends on, but for the source: with a visitor that saves, and one that loads it in a
 *  fork (hc_replay.of). Between two instants. @return 0, HC_ENOMEM, HC_EINPUT */
hc_rc hc_engine_visit_lent(hc_engine *e, hc_visitor *v);

#endif
