/* events.c -- the list of types of events, in the order of events.def. */
#include "engine/event.h"

const hc_event_type *const hc_event_list[] = {
#define HC_EVENT(name) &hc_event_##name,
#include "engine/events.def"
#undef HC_EVENT
};
const uint32_t hc_event_count = sizeof hc_event_list / sizeof *hc_event_list;
