/* shrink.h -- tasks go from a host that holds more than it has. See shrink.c. */
#ifndef HC_ENGINE_SHRINK_H
#define HC_ENGINE_SHRINK_H

#include "engine/state.h"

/** Can tasks be evicted with the rest of this configuration, if it says so? @return 0 or HC_EUNSUPPORTED */
hc_rc hc_shrink_check(const hc_engine *e, uint32_t flags, hc_error *error);
/** A host has other amounts since this instant: what has no room there is stopped, as `host_shrinks` says.
 *  @return 0, HC_ENOMEM, or what follows from it */
hc_rc hc_shrink_evict(hc_engine *e, uint32_t host, hc_error *error);

#endif
