/* pstates.h -- states of power into which plans put hosts. See pstates.c. */
#ifndef HC_ENGINE_PSTATES_H
#define HC_ENGINE_PSTATES_H

#include "engine/state.h"

/** Can a policy that sets states of power be used with the rest of this configuration? @return 0,
 *  HC_EUNSUPPORTED, HC_EUSAGE. */
hc_rc hc_pstates_check(const hc_engine *e, uint32_t flags, hc_error *error);
/** A task that this plan has started, or let go on, does so at the speed of its hosts. Nothing where
 *  plans set no states of power. @return 0, HC_ENOMEM */
hc_rc hc_pstates_follow(hc_plan *p, hc_task t);
/** As hc_plan_resume, at the speed of its hosts. */
hc_rc hc_pstates_resume(hc_plan *p, hc_task t);
hc_rc hc_plan_pstate(hc_plan *p, uint32_t host, uint32_t state);
uint32_t hc_view_pstate_of(const hc_view *v, uint32_t host);

#endif
