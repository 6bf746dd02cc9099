/* overcommit.h -- hosts that promise more than they have. See overcommit.c. */
#ifndef HC_ENGINE_OVERCOMMIT_H
#define HC_ENGINE_OVERCOMMIT_H

#include "engine/state.h"

/** The cell that was described promises more, if the run's model says so. Before the cell is made. @return 0;
 *  HC_EUSAGE, HC_EUNSUPPORTED, HC_ENOMEM */
hc_rc hc_overcommit_promise(hc_engine *e, hc_error *error);
/** What its hosts really have, for the model. @return 0; HC_EUNSUPPORTED: not with the rest; HC_ENOMEM */
hc_rc hc_overcommit_open(hc_engine *e, hc_model_context *c, hc_error *error);
/** What a task that begins uses. @return 0; HC_EUNSUPPORTED */
hc_rc hc_overcommit_uses(hc_engine *e, hc_task t, hc_activity *a, hc_error *error);
/** Does what is used on a host leave room for a slot? Only with e->admits_up_to. @param need NULL: all of
 *  it */
bool hc_overcommit_admits(hc_engine *e, uint32_t host, const int64_t *need);
/** What is used may have changed: policies are asked again. */
hc_rc hc_overcommit_used(hc_engine *e, hc_error *error);

#endif
