/* evict.h -- tasks go from a host that drains. See evict.c. */
#ifndef HC_ENGINE_EVICT_H
#define HC_ENGINE_EVICT_H

#include "engine/state.h"

/** Can tasks be evicted with the rest of this configuration? @return 0 or HC_EUNSUPPORTED */
hc_rc hc_evict_check(const hc_engine *e, hc_error *error);
/*  What runs on a host is stopped, as an event of HC_HOST_EVICT says. @return 0, HC_ENOMEM, or what
 * follows from  it */
hc_rc hc_evict_host(hc_engine *e, const hc_host_event *event, hc_error *error);

#endif
