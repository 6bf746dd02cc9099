/* host_events.h -- hosts that come and go. See host_events.c. */
#ifndef HC_ENGINE_HOST_EVENTS_H
#define HC_ENGINE_HOST_EVENTS_H

#include "engine/state.h"

hc_rc hc_host_events_open(hc_engine *e, hc_error *error);
/* Whether a source has a change that has not happened yet. */
bool hc_host_events_left(const hc_engine *e);
/** Plans take a host down, or let it go up again: as one more source. @param out changes that follow, in
 *  order @return how many */
size_t hc_host_events_say(hc_engine *e, uint32_t host, hc_host_change change, uint32_t out[2]);

#endif
