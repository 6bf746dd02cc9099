/* host_events.h -- hosts that come and go. See host_events.c. */
#ifndef HC_ENGINE_HOST_EVENTS_H
#define HC_ENGINE_HOST_EVENTS_H

#include "engine/state.h"

hc_rc hc_host_events_open(hc_engine *e, hc_error *error);

#endif
