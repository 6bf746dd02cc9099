/* cpu.c -- how fast what runs in containers goes on: three models of the cores of a host.
 *
 *   ignored    each invocation takes its duration
 *   isolated   the same, but a container begins to be busy only if the shares of the busy containers then are
 *              no more than the cores; else it waits, and what comes to it waits with it. One that fits may
 *              begin while others wait; those that wait begin in their order, as cores are freed
 *   contended  an invocation progresses at the rate min(1, cores / sum of the shares of busy containers) /
 *              invocations in its container
 *
 * Contended: a host has a virtual clock, how far an invocation is that has a container for itself, and a
 * container has one that goes 1 / n as fast. So a change of the load moves no mark: it costs the logarithm of
 * the busy containers, and one of a container the number of its invocations. Clocks are in ns, as doubles,
 * and set back before their last digit is worth 10^-3 ns; what is missing less than that of an end is done.
 * Ends are whole ns, the first at which all is done; what others do in the rest of that ns they do at the
 * rate that they have then, so that nothing is lost by rounding (`lag`). */
#include "base/util.h"
#include "functions/world.h"

#define TOLERANCE 1e-3  /* ns */
#define FURTHEST 0x1p40 /* ns of virtual time, after which clocks are set back */
#define LATEST 9e18     /* ns: beyond it is never */

/* ---- the load ---- */

double hc_fn_cpu_used(const hc_world *w, uint32_t host)
{
  const hc_fn_host *h = &w->hosts[host];
  return h->used + HC_MIN(h->load, h->cores) * (double)(w->now - h->used_until);
}

static void account(hc_world *w, uint32_t host)
{
  w->hosts[host].used = hc_fn_cpu_used(w, host);
  w->hosts[host].used_until = w->now;
}

static void load(hc_world *w, const hc_fn_container *c)
{
  account(w, c->host);
  w->hosts[c->host].load += w->applications[c->application].share;
  w->hosts[c->host].busy++;
}

static void unload(hc_world *w, const hc_fn_container *c)
{
  hc_fn_host *h = &w->hosts[c->host];
  account(w, c->host);
  h->load -= w->applications[c->application].share;
  if (--h->busy == 0) h->load = 0; /* no rounding is left */
}

static hc_rc ends_after(hc_world *w, uint32_t invocation)
{
  const hc_time end = hc_time_add(w->now, w->invocations[invocation].duration);
  return hc_fn_push(w, HC_FN_ENDS, end, invocation, invocation, NULL);
}

/* ---- isolated ---- */

static bool fits(const hc_world *w, const hc_fn_container *c)
{
  const hc_fn_host *h = &w->hosts[c->host];
  return h->load + w->applications[c->application].share <= h->cores + 1e-9;
}

static hc_rc isolated_begins(hc_world *w, uint32_t at, uint32_t invocation)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_host *h = &w->hosts[c->host];
  if (c->waits) return 0;
  if (c->running > 1 || fits(w, c)) {
    if (c->running == 1) load(w, c);
    return ends_after(w, invocation);
  }
  c->waits = true;
  c->place = HC_FN_NONE;
  if (h->last_waiting == HC_FN_NONE) h->first_waiting = at;
  else w->containers[h->last_waiting].place = at;
  h->last_waiting = at;
  return 0;
}

static hc_rc isolated_ended(hc_world *w, uint32_t at)
{
  hc_fn_host *h = &w->hosts[w->containers[at].host];
  if (w->containers[at].running > 0) return 0;
  unload(w, &w->containers[at]);
  while (h->first_waiting != HC_FN_NONE && fits(w, &w->containers[h->first_waiting])) {
    hc_fn_container *c = &w->containers[h->first_waiting];
    h->first_waiting = c->place;
    if (c->place == HC_FN_NONE) h->last_waiting = HC_FN_NONE;
    c->waits = false;
    load(w, c);
    for (uint32_t i = c->first; i != HC_FN_NONE; i = w->invocations[i].next) TRY(ends_after(w, i));
  }
  return 0;
}

/* ---- contended: busy containers of a host, by when the first of their invocations ends ---- */

static bool is_before(const hc_world *w, uint32_t a, uint32_t b)
{
  const hc_fn_container *x = &w->containers[a], *y = &w->containers[b];
  return x->due != y->due ? x->due < y->due : x->number < y->number;
}

static void lay(hc_world *w, hc_fn_host *h, size_t place, uint32_t at)
{
  h->heap[place] = at;
  w->containers[at].place = (uint32_t)place;
}

/* Lay `at` into the hole `place`, or above it, or below. */
static void settle(hc_world *w, hc_fn_host *h, size_t place, uint32_t at)
{
  for (; place > 0 && is_before(w, at, h->heap[(place - 1) / 2]); place = (place - 1) / 2)
    lay(w, h, place, h->heap[(place - 1) / 2]);
  for (size_t child; (child = 2 * place + 1) < h->busy; place = child) {
    if (child + 1 < h->busy && is_before(w, h->heap[child + 1], h->heap[child])) child++;
    if (!is_before(w, h->heap[child], at)) break;
    lay(w, h, place, h->heap[child]);
  }
  lay(w, h, place, at);
}

static hc_rc enter(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_host *h = &w->hosts[c->host];
  TRY(hc_reserve(w->allocator, (void **)&h->heap, &h->heap_cap, h->busy + 1, sizeof *h->heap));
  load(w, c);
  settle(w, h, h->busy - 1, at);
  return 0;
}

static void exit_heap(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_host *h = &w->hosts[c->host];
  const size_t place = c->place;
  const uint32_t last = h->heap[h->busy - 1];
  unload(w, c);
  c->place = HC_FN_NONE;
  if (last != at) settle(w, h, place, last);
}

/* ---- contended: clocks ---- */

/* How many ns pass while the virtual clock of the host goes on by one. */
static double slowness(const hc_fn_host *h)
{
  return h->load > h->cores ? h->load / h->cores : 1;
}

static void bring(hc_fn_container *c, const hc_fn_host *h, uint32_t running)
{
  if (running > 0) c->done += (h->virtual - c->at) / running;
  c->at = h->virtual;
}

static void set_back(hc_world *w, hc_fn_host *h)
{
  for (size_t k = 0; k < h->busy; k++) {
    hc_fn_container *c = &w->containers[h->heap[k]];
    bring(c, h, c->running);
    for (uint32_t i = c->first; i != HC_FN_NONE; i = w->invocations[i].next)
      w->invocations[i].mark -= c->done;
    c->done = c->at = 0;
    c->due -= h->virtual;
  }
  h->virtual = 0;
}

/* To the present. */
static void go_on(const hc_world *w, hc_fn_host *h)
{
  h->virtual += ((double)(w->now - h->updated) + h->lag) / slowness(h);
  h->updated = w->now;
  h->lag = 0;
  if (h->busy == 0) h->virtual = 0;
}

/* The first to end; of equals the one that came first. */
static uint32_t first_of(const hc_world *w, const hc_fn_container *c)
{
  uint32_t best = c->first;
  for (uint32_t i = c->first; i != HC_FN_NONE; i = w->invocations[i].next) {
    if (w->invocations[i].mark < w->invocations[best].mark) best = i;
  }
  return best;
}

static void set_due(hc_world *w, hc_fn_container *c)
{
  c->due = c->at + (w->invocations[first_of(w, c)].mark - c->done) * c->running;
}

/* ns until the first end on the host */
static double ahead(const hc_world *w, const hc_fn_host *h)
{
  return (w->containers[h->heap[0]].due - h->virtual) * slowness(h);
}

static hc_rc set_event(hc_world *w, uint32_t host)
{
  hc_fn_host *h = &w->hosts[host];
  double gap, whole;
  hc_time at;
  if (h->busy == 0) {
    if (h->event != HC_NO_EVENT) hc_queue_cancel(w->events, h->event);
    h->event = HC_NO_EVENT;
    return 0;
  }
  if (h->virtual > FURTHEST) set_back(w, h);
  gap = HC_MIN(ahead(w, h) - h->lag - TOLERANCE, LATEST);
  whole = gap > 0 ? (double)(int64_t)gap : 0;
  at = hc_time_add(w->now, (hc_time)whole + (gap > whole));
  if (h->event != HC_NO_EVENT) return hc_queue_move(w->events, h->event, at);
  return hc_fn_push(w, HC_FN_MOVES, at, host, host, &h->event);
}

static hc_rc contended_begins(hc_world *w, uint32_t at, uint32_t invocation)
{
  hc_fn_container *c = &w->containers[at];
  const uint32_t host = c->host;
  hc_fn_host *h = &w->hosts[host];
  go_on(w, h);
  if (c->running == 1) c->done = 0;
  bring(c, h, c->running - 1);
  w->invocations[invocation].mark = c->done + (double)w->invocations[invocation].duration;
  /* Those of its list that await it have no mark yet: they are none of those that run. */
  for (uint32_t i = w->invocations[invocation].next; i != HC_FN_NONE; i = w->invocations[i].next)
    w->invocations[i].mark = LATEST;
  set_due(w, c);
  if (c->running == 1) TRY(enter(w, at));
  else settle(w, h, c->place, at);
  return set_event(w, host);
}

static hc_rc contended_ended(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_host *h = &w->hosts[c->host]; /* whose clock is at that end */
  bring(c, h, c->running + 1);
  if (c->running == 0) {
    exit_heap(w, at);
  } else {
    set_due(w, c);
    settle(w, h, c->place, at);
  }
  return set_event(w, c->host);
}

hc_rc hc_fn_cpu_moves(hc_world *w, uint32_t host)
{
  hc_fn_host *h = &w->hosts[host];
  h->event = HC_NO_EVENT;
  h->lag += (double)(w->now - h->updated);
  h->updated = w->now;
  while (h->busy > 0 && ahead(w, h) <= h->lag + TOLERANCE) {
    const double gap = HC_MAX(ahead(w, h), 0.0);
    h->lag = HC_MAX(h->lag - gap, 0.0);
    h->virtual += gap / slowness(h);
    TRY(hc_fn_host_ends(w, first_of(w, &w->containers[h->heap[0]])));
  }
  return set_event(w, host);
}

/* ---- any of them ---- */

hc_rc hc_fn_cpu_begins(hc_world *w, uint32_t at, uint32_t invocation)
{
  switch ((hc_fn_cpu)w->options->cpu) {
    case HC_FN_IGNORED:
      if (w->containers[at].running == 1) load(w, &w->containers[at]);
      return ends_after(w, invocation);
    case HC_FN_ISOLATED: return isolated_begins(w, at, invocation);
    case HC_FN_CONTENDED: return contended_begins(w, at, invocation);
  }
  return 0;
}

hc_rc hc_fn_cpu_ended(hc_world *w, uint32_t at)
{
  switch ((hc_fn_cpu)w->options->cpu) {
    case HC_FN_IGNORED:
      if (w->containers[at].running == 0) unload(w, &w->containers[at]);
      return 0;
    case HC_FN_ISOLATED: return isolated_ended(w, at);
    case HC_FN_CONTENDED: return contended_ended(w, at);
  }
  return 0;
}
