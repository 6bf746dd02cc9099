/* host_events_state.h -- sources of host events and what each says of a host: of host_events.c, and
 * host_voices.c, which holds the sources against each other. */
#ifndef HC_ENGINE_HOST_EVENTS_STATE_H
#define HC_ENGINE_HOST_EVENTS_STATE_H

#include "engine/host_events.h"

/* What a source says of a host, the worse the greater. */
enum {
  HC_SAYS_FINE,
  HC_SAYS_DRAINED,
  HC_SAYS_AWAY,
  /* and when it is back is known: */
  HC_SAYS_AWAY_TILL,
  HC_SAYS_DRAINED_TILL,
  HC_SAYS_COMING /* it is absent, held by none, and this source brings it */
};

/* One source, and the next that it says. */
typedef struct hc_event_source {
  const hc_events_type *type; /* NULL: the cell's own list */
  hc_events *self;
  size_t at;          /* in the cell's list */
  hc_host_event next; /* of HC_ALL_HOSTS: no more come */
} hc_event_source;

struct hc_host_events {
  hc_event_source *sources;
  size_t count;
  uint64_t played;
  size_t voices; /* sources, plans if they switch hosts, and incidents if they are told */
  uint8_t *said; /* [units][voices] what each says of a host */
  size_t said_size;
  uint8_t *dead; /* [units] 1: it has failed, and nothing knows of it; NULL: no source fails so. silent.c */
};

/** What plans take a host for: one that takes nothing until a known time is there, and closed. */
uint8_t hc_host_voices_planned(const hc_host_events *d, uint32_t host);
/** What leads from one state to another. HC_HOST_UP is said anew of a host that is up. @return how many */
size_t hc_host_changes_between(uint8_t before, uint8_t after, uint32_t out[2]);
/** It is known now when a host that a source holds is back. @param is_up the host is there */
void hc_host_voices_expect(hc_host_events *d, uint32_t which, uint32_t host, bool is_up);
/** Note what a source says of a host. @param known it says that the host takes nothing until a known time
 *  @param out changes that follow, in order @return how many */
size_t hc_host_voices_hear(hc_host_events *d, uint32_t which, const hc_host_event *event, bool known,
                           uint32_t out[2]);

#endif
