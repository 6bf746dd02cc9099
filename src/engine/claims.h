/* claims.h -- what tasks take of the cell, give back and are promised. See claims.c. */
#ifndef HC_ENGINE_CLAIMS_H
#define HC_ENGINE_CLAIMS_H

#include "engine/state.h"

/** Take what a task asks for, and give it back. @return 0, HC_ECONFLICT: it is taken, HC_ENOMEM */
hc_rc hc_claim(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** Take again what it held and was given back for a look: a host that drains or owes may have no room for
 *  it. */
hc_rc hc_claim_again(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
hc_rc hc_release(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);

/** The expected end of a running task has moved. @param was  where it was @return 0 or HC_ENOMEM */
hc_rc hc_claim_moved(hc_engine *e, hc_task t, hc_time was);

/** A waiting task starts there, or waits again where it waited. @return as hc_claim */
hc_rc hc_apply_start(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
hc_rc hc_undo_start(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** A running task gives up what it holds, or has it again. @param grants [count] what it holds */
hc_rc hc_apply_preempt(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
hc_rc hc_undo_preempt(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);

#endif
