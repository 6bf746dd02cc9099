/* host_events.c -- hosts that come and go: events of the cell's own description and of the run's `events`,
 * merged.
 *
 * A source that takes a host down holds it down until the same source says that it is up, and so with
 * draining: a host is up when no source holds it, whichever lets go last. A host that is absent at first is
 * held by none: any source may bring it.
 *
 * What a source announces ahead is a window that no task may use (advance.c). When it begins the host is
 * away, or drains, like any other, but plans go on knowing that it will be there again when the window ends,
 * as long as no other source holds it too: on the cell that `reserve` looks at later times on, it stays up,
 * and is closed. Where it is announced later that a host returns, it is so from then on.
 *
 * Of each source the next event stands in the event queue and no more, so a source may be endless. At an
 * instant hosts change after tasks have ended and before others arrive; of two sources the one named first
 * comes first. When all tasks are done the rest of the events is not played. Finding the tasks on a host that
 * goes away is a walk over the live tasks: hosts seldom do. */
#include <stdlib.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/event.h"
#include "engine/evict.h"
#include "engine/host_events_state.h"
#include "engine/incidents.h"
#include "engine/life.h"
#include "engine/part.h"
#include "engine/reservations.h"
#include "engine/shrink.h"
#include "engine/signals.h"

static void take(const hc_cell_event *from, hc_host_event *out)
{
  *out = (hc_host_event){.at = from->at, .host = from->host, .change = from->change};
  for (int d = 0; d < HC_DIMENSIONS; d++) out->capacity[d] = from->capacity ? from->capacity[d] : HC_UNKNOWN;
}

/* Put the next event of a source into the queue. */
static hc_rc announce(hc_engine *e, uint32_t which, hc_error *error)
{
  hc_event_source *d = &e->host_events->sources[which];
  d->next.host = HC_ALL_HOSTS;
  if (!d->type) {
    if (d->at >= e->cell_spec.event_count) return 0;
    take(&e->cell_spec.events[d->at++], &d->next);
  } else {
    hc_host_event next = {0};
    const hc_rc rc = d->type->next(d->self, &next, error);
    if (rc <= 0) return rc;
    d->next = next;
  }
  if (d->next.change == HC_HOST_EVICT && d->next.how > HC_EVICT_STOP)
    return hc_fail(error, HC_EINPUT, d->type ? d->type->component.name : "cell", 0, 0,
                   "an event evicts tasks, and says of what becomes of them %u, which is none of hc_evict",
                   d->next.how);
  if (d->next.host >= e->cell_spec.units)
    return hc_fail(error, HC_EINPUT, d->type ? d->type->component.name : "cell", 0, 0,
                   "an event names host %u, and there are %u", d->next.host, e->cell_spec.units);
  d->next.at = HC_MAX(d->next.at, e->now);
  const hc_event due =
      hc_event_at(HC_EVENT_host_change, d->next.at, (uint64_t)which << 32 | d->next.host, which);
  return hc_queue_push(e->events, &due, NULL);
}

/* Plans that switch hosts are one more source. */
static bool plans_switch(const hc_engine *e)
{
  return (e->policy_flags & HC_MAY_POWER) && e->cell.hosts;
}

hc_rc hc_host_events_open(hc_engine *e, hc_error *error)
{
  const hc_chosen *chosen = e->options->events.items;
  const size_t n = e->options->events.count;
  const hc_events_context context = {.allocator = e->allocator,
                                     .cell = &e->cell_spec,
                                     .lexicon = e->lexicon,
                                     .seed = (uint64_t)e->options->seed,
                                     .replication = (uint64_t)e->options->replication};
  hc_host_events *d;
  if (n == 0 && e->cell_spec.event_count == 0 && !plans_switch(e) && !hc_incidents_are_heard(e)) return 0;
  if (e->cell.granularity != HC_CELL_HOSTS)
    return hc_fail(
        error, HC_EUNSUPPORTED, "configuration", 0, 0,
        "`events` happen to hosts, and this cell counts processors: use a cell of hosts; downtime of an "
        "amount of processors is a reservation, {units: N, maintenance: true}");
  d = hc_alloc(e->allocator, sizeof *d);
  if (!d) return HC_ENOMEM;
  e->host_events = d;
  d->sources = hc_alloc(e->allocator, (n + 1) * sizeof *d->sources);
  if (!d->sources) return HC_ENOMEM;
  d->count = 1; /* the cell's own */
  for (size_t i = 0; i < n; i++) {
    hc_event_source *s = &d->sources[d->count];
    s->type = (const hc_events_type *)chosen[i].type;
    TRY(hc_blame(chosen[i].type, s->type->open(&context, chosen[i].options, &s->self, error), error));
    d->count++;
    if (s->type->evicts && s->type->evicts(s->self)) TRY(hc_evict_check(e, error));
    if (s->type->fails && s->type->fails(s->self)) TRY(hc_silent_open(e, error));
  }
  d->voices = d->count + plans_switch(e) + hc_incidents_are_heard(e);
  d->said_size = d->voices * (size_t)e->cell_spec.units;
  d->said = hc_alloc(e->allocator, d->said_size);
  return d->said ? 0 : HC_ENOMEM;
}

hc_rc hc_host_events_ready(hc_engine *e, hc_error *error)
{
  for (uint32_t i = 0; e->host_events && i < e->host_events->count; i++) TRY(announce(e, i, error));
  return 0;
}

bool hc_host_events_announced(const hc_engine *e, size_t i, uint32_t *source, hc_downtime *out)
{
  const hc_host_events *d = e->host_events;
  for (uint32_t s = 1; d && s < d->count; s++) {
    const hc_event_source *x = &d->sources[s];
    for (size_t n = 0; x->type->announced; n++) {
      *out = (hc_downtime){0}; /* a component may know less of it */
      if (!x->type->announced(x->self, n, out)) break;
      *source = s;
      if (i-- == 0) return true;
    }
  }
  return false;
}

bool hc_host_events_left(const hc_engine *e)
{
  const hc_host_events *d = e->host_events;
  for (size_t i = 0; d && i < d->count; i++)
    if (d->sources[i].next.host != HC_ALL_HOSTS) return true;
  return false;
}

/* ---- as one more source ---- */

hc_rc hc_host_events_expect(hc_engine *e, uint32_t source, uint32_t host)
{
  const bool returned = hc_host_events_returns(e, host);
  const hc_host_event up = {.at = e->now, .host = host, .change = HC_HOST_UP};
  hc_host_voices_expect(e->host_events, source, host, hc_hosts_is_up(e->cell.hosts, host));
  if (returned || !hc_host_events_returns(e, host)) return 0;
  return hc_reserve_host_changed(e->reserve, &up, false);
}

size_t hc_host_events_say(hc_engine *e, uint32_t host, hc_host_change change, uint32_t out[2])
{
  const hc_host_event event = {.at = e->now, .host = host, .change = change};
  return hc_host_voices_hear(e->host_events, (uint32_t)e->host_events->count, &event, false, out);
}

/* The last of them. */
hc_rc hc_host_events_hear_incident(hc_engine *e, uint32_t host, hc_host_change change, hc_error *error)
{
  hc_host_event event = {.at = e->now, .host = host, .change = change};
  const uint32_t voice = (uint32_t)e->host_events->voices - 1;
  uint32_t changes[2];
  const size_t count = hc_host_voices_hear(e->host_events, voice, &event, false, changes);
  for (size_t i = 0; i < count; i++) {
    event.change = changes[i];
    hc_notice n = {
        .kind = HC_ON_HOST, .event = &event, .error = error, .worse = event.change != HC_HOST_UP};
    TRY(hc_cell_change(&e->cell, &event));
    TRY(hc_notify(e, &n));
    n.kind = HC_ON_HOST_DONE;
    TRY(hc_notify(e, &n));
  }
  return 0;
}

/* ---- a host goes away ---- */

static int by_serial(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return x[0] < y[0] ? -1 : x[0] > y[0];
}

bool hc_host_events_is_on(const hc_engine *e, const hc_live *t, uint32_t host)
{
  if (t->state != HC_TASK_RUNNING && t->state != HC_TASK_SUSPENDED) return false;
  if (t->bits & HC_LIVE_ONE) return t->held == host;
  for (uint32_t at = t->held; at != HC_NO_GRANT; at = e->tasks.held[at].next)
    if (e->tasks.held[at].host == host) return true;
  return false;
}

/* Those on it lose it, in order of serial. */
static hc_rc strand(hc_engine *e, uint32_t host, hc_error *error)
{
  uint64_t(*on)[2] = NULL;
  size_t n = 0, cap = 0;
  hc_rc rc = 0;
  for (size_t i = 0; i < e->tasks.count && rc >= 0; i++) {
    if (!hc_host_events_is_on(e, &e->tasks.live[i], host)) continue;
    rc = hc_reserve(e->allocator, (void **)&on, &cap, n + 1, sizeof *on);
    if (rc < 0) break;
    on[n][0] = e->tasks.live[i].serial;
    on[n++][1] = i;
  }
  if (n > 1) qsort(on, n, sizeof *on, by_serial);
  for (size_t i = 0; i < n && rc >= 0; i++) rc = hc_life_lost(e, (hc_task)on[i][1], error);
  hc_free(e->allocator, on, cap * sizeof *on);
  return rc;
}

/* Has it less to give from now on than it had? */
static bool makes_worse(const hc_engine *e, const hc_host_event *event)
{
  const int64_t *has = hc_hosts_capacity_of(e->cell.hosts, event->host);
  if (event->change != HC_HOST_RESIZE) return event->change != HC_HOST_UP;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    const int64_t next = event->capacity[hc_hosts_which(e->cell.hosts)[d]];
    if (next != HC_UNKNOWN && next < has[d] && !hc_hosts_is_shared(e->cell.hosts, d)) return true;
  }
  return false;
}

/* The cell on which plans look at later times follows what they know. @param before what they took it for */
static hc_rc tell_plans(hc_engine *e, const hc_host_event *event, uint8_t before)
{
  const uint8_t after = hc_host_voices_planned(e->host_events, event->host);
  hc_host_event change = *event;
  uint32_t changes[2];
  const size_t count =
      before == after && after == HC_SAYS_FINE ? 0 : hc_host_changes_between(before, after, changes);
  for (size_t i = 0; i < count; i++) {
    change.change = changes[i];
    TRY(hc_reserve_host_changed(e->reserve, &change, changes[i] != HC_HOST_UP));
  }
  return 0;
}

/* Where hosts are promised, plans may get better as they do after an early end. */
static hc_rc deliver(hc_engine *e, uint32_t which, uint64_t order, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK, .early = e->reserve->type->holds_hosts};
  hc_host_event event = e->host_events->sources[which].next;
  hc_notice n = {.event = &event, .error = error};
  uint32_t changes[2];
  const bool leaves = event.change == HC_HOST_DOWN || event.change == HC_HOST_DRAIN;
  const bool known = leaves && hc_advance_is_downtime(e, which, event.host);
  const bool resizes = event.change == HC_HOST_RESIZE && hc_advance_is_resize(e, which, event.host);
  const uint8_t before = hc_host_voices_planned(e->host_events, event.host);
  const bool returned = hc_host_events_returns(e, event.host);
  const size_t count = hc_host_voices_hear(e->host_events, which, &event, known, changes);
  HC_UNUSED(order);
  e->host_events->played++;
  if (event.change == HC_HOST_FAIL) {
    TRY(hc_silent_event(e, &event, error));
    return announce(e, which, error);
  }
  if (event.change == HC_HOST_EVICT) {
    TRY(hc_evict_host(e, &event, error));
    TRY(announce(e, which, error));
    return hc_signal_send(e, &changed, error);
  }
  n.is_planned = event.change != HC_HOST_RESIZE && (returned || hc_host_events_returns(e, event.host));
  if (n.is_planned) TRY(tell_plans(e, &event, before));
  for (size_t i = 0; i < count; i++) {
    event.change = changes[i];
    n.worse = makes_worse(e, &event) && !resizes; /* plans knew of it */
    TRY(hc_cell_change(&e->cell, &event));
    e->small_host |=
        event.change == HC_HOST_RESIZE && hc_hosts_capacity_of(e->cell.hosts, event.host)[0] < e->gauge.least;
    n.kind = HC_ON_HOST;
    TRY(hc_notify(e, &n));
    if (event.change == HC_HOST_DOWN) TRY(strand(e, event.host, error));
    if (event.change == HC_HOST_RESIZE) TRY(hc_shrink_evict(e, event.host, error));
    n.kind = HC_ON_HOST_DONE;
    TRY(hc_notify(e, &n));
  }
  event.change = e->host_events->sources[which].next.change;
  if (event.change == HC_HOST_DOWN && e->host_events->dead) TRY(hc_silent_event(e, &event, error));
  TRY(announce(e, which, error));
  return hc_signal_send(e, &changed, error);
}

const hc_event_type hc_event_host_change = {.name = "host_change", .deliver = deliver};

/* ---- state and death ---- */

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_host_events *d = e->host_events;
  if (!d) return 0;
  HC_VISIT(v, d->played);
  HC_VISIT(v, e->small_host);
  TRY(hc_visit_bytes(v, d->said, d->said_size));
  for (size_t i = 0; i < d->said_size; i++)
    if (d->said[i] > HC_SAYS_COMING) return HC_EINPUT;
  if (d->dead) TRY(hc_visit_bytes(v, d->dead, e->cell_spec.units));
  for (size_t i = 0; i < d->count; i++) {
    hc_event_source *s = &d->sources[i];
    HC_VISIT(v, s->at);
    HC_VISIT(v, s->next);
    if (s->type && s->type->visit) TRY(s->type->visit(s->self, v));
  }
  return 0;
}

static void finish(hc_engine *e)
{
  hc_host_events *d = e->host_events;
  if (!d) return;
  for (size_t i = 0; i < d->count; i++)
    if (d->sources[i].type && d->sources[i].type->close && d->sources[i].self)
      d->sources[i].type->close(d->sources[i].self);
  hc_free(e->allocator, d->said, d->said_size);
  hc_free(e->allocator, d->dead, e->cell_spec.units);
  hc_free(e->allocator, d->sources, (e->options->events.count + 1) * sizeof *d->sources);
  hc_free(e->allocator, d, sizeof *d);
}

const hc_part hc_part_host_events = {.name = "host_events", .visit = visit, .fini = finish};
