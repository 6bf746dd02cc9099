/* events.c -- the types of events by their places. See event.h. */
#include "engine/event.h"

#define HC_EVENT(name, phase, rank, mark) extern const hc_event_type hc_event_##name;
#include "engine/events.def"
#undef HC_EVENT

const hc_event_type *const hc_event_table[HC_EVENT_SLOTS] = {
#define HC_EVENT(name, phase, rank, mark) [HC_EVENT_##name] = &hc_event_##name,
#include "engine/events.def"
#undef HC_EVENT
};
