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

/** As hc_engine_services has them: is_outside, tell, next_news, rest. */
bool hc_outside_is_wanted(const hc_engine *e);
hc_rc hc_outside_tell(hc_engine *e, const hc_news *news);
bool hc_outside_next_news(hc_engine *e, hc_news *out);
hc_time hc_outside_rest(const hc_engine *e);
bool hc_outside_is_submitting(const hc_engine *e);

/** Does the run's architecture bring a scheduler outside its news? */
bool hc_outside_hears(const hc_engine *e);
/** Something has happened of which the architecture is to hear. @return 0 or HC_ENOMEM */
hc_rc hc_outside_note_news(hc_engine *e, const hc_news *news);

#endif
