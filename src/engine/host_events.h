/* host_events.h -- hosts that come and go. See host_events.c. */
#ifndef HC_ENGINE_HOST_EVENTS_H
#define HC_ENGINE_HOST_EVENTS_H

#include "engine/state.h"

/** Make the sources, once it is known what hosts there are and what the policy does; their events come with
 *  hc_host_events_ready. @return 0, HC_EUNSUPPORTED, HC_ENOMEM, or what a source returns */
hc_rc hc_host_events_open(hc_engine *e, hc_error *error);
hc_rc hc_host_events_ready(hc_engine *e, hc_error *error);
/** Downtime number `i` that some source announces ahead. @param source out: which, from 1 @return false:
 * there are no more */
bool hc_host_events_announced(const hc_engine *e, size_t i, uint32_t *source, hc_downtime *out);
/** Is a host away, and will return when its announced downtime is over, as far as is known? Plans count on
 *  it. */
bool hc_host_events_returns(const hc_engine *e, uint32_t host);
/** It is known from now on when a host that a source holds, or brings, is there again.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_host_events_expect(hc_engine *e, uint32_t source, uint32_t host);
/* Whether a source has a change that has not happened yet. */
bool hc_host_events_left(const hc_engine *e);
/** Plans take a host down, or let it go up again: as one more source. @param out changes that follow, in
 *  order @return how many */
size_t hc_host_events_say(hc_engine *e, uint32_t host, hc_host_change change, uint32_t out[2]);
/** A host drains by an incident, or that is over: as one more source. */
hc_rc hc_host_events_hear_incident(hc_engine *e, uint32_t host, hc_host_change change, hc_error *error);

/** Does a task that has started hold anything there? */
bool hc_host_events_is_on(const hc_engine *e, const hc_live *t, uint32_t host);

/* silent.c -- hosts that fail, and that is found later */
/** Can a source of such failures be used with the rest of this configuration? It is from then on.
 *  @return 0, HC_EUNSUPPORTED or HC_ENOMEM */
hc_rc hc_silent_open(hc_engine *e, hc_error *error);
/** A host fails, or goes away and is no more than away. @return 0, HC_ENOMEM or what the store returns */
hc_rc hc_silent_event(hc_engine *e, const hc_host_event *event, hc_error *error);

#endif
