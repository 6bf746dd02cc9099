/* changes.h -- keys of the policy that change while a run goes on. See changes.c. */
#ifndef HC_ENGINE_CHANGES_H
#define HC_ENGINE_CHANGES_H

#include "engine/state.h"

/** At birth, when all else is made: what cannot change is refused. @return 0, HC_EUSAGE (a change without a
 *  time, or out of order; as hc_config_resolve), HC_EUNSUPPORTED with the reason, HC_ENOMEM */
hc_rc hc_changes_open(hc_engine *e, hc_error *error);
/** All that is due at hc_engine.now: from now on the policy decides by it, and it is asked at once. */
hc_rc hc_changes_due(hc_engine *e, hc_error *error);
/** How many there have been, and a checksum of these, for what goes on under a configuration that has more to
 *  come. @param out [3] */
void hc_changes_done(const hc_engine *e, uint64_t out[3]);
/** Of a run that is to be loaded: be where another was. Those to come may be others than that one had.
 *  @param now its time @return 0; HC_EVERSION: those that are over are others; HC_EUSAGE: one to come is of a
 *  time that is over */
hc_rc hc_changes_resume(hc_engine *e, const uint64_t done[3], hc_error *error);

#endif
