/* outside.h -- plans that come from the caller of a run. See outside.c. */
#ifndef HC_ENGINE_OUTSIDE_H
#define HC_ENGINE_OUTSIDE_H

#include "engine/state.h"

/** As hc_engine_services.decide. */
hc_rc hc_outside_decide(hc_engine *e, uint32_t scheduler, hc_policy *policy, hc_view *v, hc_plan *p,
                        const hc_why *why, hc_error *error);
/** The next policy of the run, and what it is born with. @return 0 or HC_ENOMEM */
hc_rc hc_outside_note(hc_engine *e, const char *name, const hc_chosen *policy,
                      const hc_policy_context *context);
/** Can its plans come from outside? @return 0 or HC_EUNSUPPORTED, with the reason */
hc_rc hc_outside_check(const hc_engine *e, hc_error *error);
/** May the policies of a run be saved? @return 0, or HC_EUNSUPPORTED with the reason */
hc_rc hc_outside_may_save(const hc_engine *e, hc_error *error);
/** Open the view for the caller, with the plan as far as it has been made. */
hc_rc hc_outside_show(hc_engine *e, hc_decision *out, hc_error *error);
/** Close it and keep the plan as bytes, and the other way round: for saving a run. Where no view is open they
 *  do nothing. @param was out, in: it was open */
hc_rc hc_outside_park(hc_engine *e, bool *was);
hc_rc hc_outside_resume(hc_engine *e, bool was);

#endif
