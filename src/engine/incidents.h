/* incidents.h -- what happens outside of a run, of which a scheduler outside is told. See incidents.c. */
#ifndef HC_ENGINE_INCIDENTS_H
#define HC_ENGINE_INCIDENTS_H

#include "engine/state.h"

/** Does the run's architecture tell them? Then hosts can change by them. */
bool hc_incidents_are_heard(const hc_engine *e);
/** As hc_engine_services has them. */
size_t hc_incidents_lists(const hc_engine *e);
size_t hc_incidents_of(const hc_engine *e, size_t list, const hc_time **at);
hc_rc hc_incidents_happen(hc_engine *e, size_t list, size_t k, hc_error *error);

#endif
