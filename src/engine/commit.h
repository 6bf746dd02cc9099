/* commit.h -- a plan becomes what happened. See commit.c. */
#ifndef HC_ENGINE_COMMIT_H
#define HC_ENGINE_COMMIT_H

#include "engine/state.h"

/** @return as hc_engine_services.commit */
hc_rc hc_commit(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error);
/** Tell the policy whose plan it is what became of an action of it (hc_policy_type.outcome). */
void hc_plan_tell(hc_engine *e, const hc_plan *p, const hc_action *a, hc_rc rc);

#endif
