/* undeclared.h -- what a component may ask, by what it declared. See undeclared.c. */
#ifndef HC_ENGINE_UNDECLARED_H
#define HC_ENGINE_UNDECLARED_H

#include "engine/state.h"

/* The selector, which is all of the policy `batch` that asks anything and decides, or the policy itself. */
const hc_component *hc_who_asks(const hc_chosen *policy);

hc_rc hc_policy_context_for(hc_engine *e, uint32_t queue, const char *name, const hc_chosen *policy,
                            const hc_policy_context **out);
hc_rc hc_architecture_context_for(hc_engine *e, bool asks_jobs, const hc_policy_context **out);

#endif
