/* host_voices.c -- what each source of events says of a host, and what the host is by all of them.
 *
 * Apart from host_events.c, where tasks are lost with a host: plans ask here whether a host will return. */
#include "engine/host_events_state.h"

/* What holds for the host, whatever is known of later. */
static uint8_t plain(uint8_t said)
{
  switch (said) {
    case HC_SAYS_AWAY_TILL: return HC_SAYS_AWAY;
    case HC_SAYS_DRAINED_TILL: return HC_SAYS_DRAINED;
    case HC_SAYS_COMING: return HC_SAYS_FINE;
    default: return said;
  }
}

static uint8_t worst_said(const hc_host_events *d, uint32_t host)
{
  const uint8_t *said = d->said + d->voices * (size_t)host;
  uint8_t worst = HC_SAYS_FINE;
  for (size_t i = 0; i < d->voices; i++)
    if (plain(said[i]) > worst) worst = plain(said[i]);
  return worst;
}

/* It takes nothing, as announced alone: plans take such a host to be there, and closed. */
static bool returns(const hc_host_events *d, uint32_t host)
{
  const uint8_t *said = d->said + d->voices * (size_t)host;
  bool is_known = false;
  for (size_t i = 0; i < d->voices; i++) {
    if (said[i] == HC_SAYS_DRAINED || said[i] == HC_SAYS_AWAY) return false;
    is_known |= said[i] > HC_SAYS_AWAY;
  }
  return is_known;
}

bool hc_host_events_returns(const hc_engine *e, uint32_t host)
{
  return e->host_events && returns(e->host_events, host);
}

uint8_t hc_host_voices_planned(const hc_host_events *d, uint32_t host)
{
  return returns(d, host) ? HC_SAYS_FINE : worst_said(d, host);
}

size_t hc_host_changes_between(uint8_t before, uint8_t after, uint32_t out[2])
{
  size_t n = 0;
  switch (after) {
    case HC_SAYS_FINE: out[n++] = HC_HOST_UP; break;
    case HC_SAYS_DRAINED:
      if (before == HC_SAYS_AWAY) out[n++] = HC_HOST_UP;
      if (before != HC_SAYS_DRAINED) out[n++] = HC_HOST_DRAIN;
      break;
    default:
      if (before != HC_SAYS_AWAY) out[n++] = HC_HOST_DOWN;
  }
  return n;
}

static void hear(hc_host_events *d, uint32_t which, const hc_host_event *event, bool known)
{
  uint8_t *all = d->said + d->voices * (size_t)event->host, *said = all + which;
  switch ((hc_host_change)event->change) {
    case HC_HOST_RESIZE:
    case HC_HOST_EVICT:
    case HC_HOST_FAIL: break;
    case HC_HOST_UP:
      *said = HC_SAYS_FINE;
      for (size_t i = 0; i < d->voices; i++) /* who else would bring it is late */
        if (all[i] == HC_SAYS_COMING) all[i] = HC_SAYS_FINE;
      break;
    case HC_HOST_DRAIN:
      if (plain(*said) == HC_SAYS_FINE) *said = known ? HC_SAYS_DRAINED_TILL : HC_SAYS_DRAINED;
      break;
    case HC_HOST_DOWN: *said = known ? HC_SAYS_AWAY_TILL : HC_SAYS_AWAY; break;
  }
}

void hc_host_voices_expect(hc_host_events *d, uint32_t which, uint32_t host, bool is_up)
{
  uint8_t *said = d->said + d->voices * (size_t)host + which;
  if (*said == HC_SAYS_AWAY) *said = HC_SAYS_AWAY_TILL;
  else if (*said == HC_SAYS_DRAINED) *said = HC_SAYS_DRAINED_TILL;
  else if (*said == HC_SAYS_FINE && !is_up && worst_said(d, host) == HC_SAYS_FINE) *said = HC_SAYS_COMING;
}

size_t hc_host_voices_hear(hc_host_events *d, uint32_t which, const hc_host_event *event, bool known,
                           uint32_t out[2])
{
  const uint8_t before = worst_said(d, event->host);
  hear(d, which, event, known);
  if (event->change == HC_HOST_RESIZE) {
    out[0] = HC_HOST_RESIZE;
    return 1;
  }
  return hc_host_changes_between(before, worst_said(d, event->host), out);
}
