/* host.c -- containers on a host, and the invocations that wait for one.
 *
 * An invocation goes to a container of its application that has room: one that is up before one that still
 * starts, of those the one that is up first, of equals the oldest. If there is none a container is made, if
 * the host has memory for it; else the invocation is queued on its host, which never gives it away. An idle
 * container is kept for a time, and its memory with it. What is idle and held is summed up exactly, bytes x
 * ns. */
#include "base/util.h"
#include "functions/world.h"

static hc_fn_application *application_of(hc_world *w, const hc_fn_container *c)
{
  return &w->applications[c->application];
}

/* ---- the containers of an application that have room ---- */

static void open_up(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_application *a = application_of(w, c);
  if (c->is_open) return;
  c->is_open = true;
  c->before = HC_FN_NONE;
  c->after = a->first_open;
  if (c->after != HC_FN_NONE) w->containers[c->after].before = at;
  a->first_open = at;
}

static void close_up(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  if (!c->is_open) return;
  c->is_open = false;
  if (c->after != HC_FN_NONE) w->containers[c->after].before = c->before;
  if (c->before != HC_FN_NONE) w->containers[c->before].after = c->after;
  else application_of(w, c)->first_open = c->after;
}

static uint32_t find_open(const hc_world *w, uint32_t host, uint32_t application)
{
  uint32_t best = HC_FN_NONE;
  hc_time least = HC_NEVER;
  for (uint32_t i = w->applications[application].first_open; i != HC_FN_NONE; i = w->containers[i].after) {
    const hc_fn_container *c = &w->containers[i];
    const hc_time wait = c->phase == HC_FN_STARTING ? c->up - w->now : 0;
    if (c->host != host) continue;
    if (best != HC_FN_NONE && (wait > least || (wait == least && c->number > w->containers[best].number)))
      continue;
    best = i;
    least = wait;
  }
  return best;
}

/* ---- containers come and go ---- */

static hc_rc take_slot(hc_world *w, uint32_t *out)
{
  if (w->vacant != HC_FN_NONE) {
    *out = w->vacant;
    w->vacant = w->containers[w->vacant].after;
    return 0;
  }
  TRY(hc_reserve(w->allocator, (void **)&w->containers, &w->container_cap, w->container_count + 1,
                 sizeof *w->containers));
  *out = (uint32_t)w->container_count++;
  return 0;
}

static hc_rc make(hc_world *w, uint32_t host, uint32_t application, uint32_t *out)
{
  const hc_fn_application *a = &w->applications[application];
  hc_fn_container *c;
  TRY(take_slot(w, out));
  c = &w->containers[*out];
  *c = (hc_fn_container){.number = w->made++,
                         .made = w->now,
                         .since = w->now,
                         .up = hc_time_add(w->now, a->start),
                         .expires = HC_UNKNOWN,
                         .application = application,
                         .host = host,
                         .first = HC_FN_NONE,
                         .last = HC_FN_NONE,
                         .place = HC_FN_NONE,
                         .event = HC_NO_EVENT,
                         .phase = HC_FN_STARTING};
  w->hosts[host].free -= a->memory;
  open_up(w, *out);
  return hc_fn_push(w, HC_FN_UP, c->up, c->number, *out, &c->event);
}

static void account_idle(hc_world *w, hc_fn_container *c)
{
  hc_fn_application *a = application_of(w, c);
  if (c->phase == HC_FN_IDLE) hc_wide_add_product(&a->sums.wasted, a->memory, w->now - c->since);
  c->since = w->now;
}

static void account_held(hc_world *w, hc_fn_container *c)
{
  hc_fn_application *a = application_of(w, c);
  hc_wide_add_product(&a->sums.held, a->memory, w->now - c->made);
  c->made = w->now;
}

static void drop_event(hc_world *w, hc_fn_container *c)
{
  if (c->event != HC_NO_EVENT) hc_queue_cancel(w->events, c->event);
  c->event = HC_NO_EVENT;
}

static void unmake(hc_world *w, uint32_t at)
{
  hc_fn_container *c = &w->containers[at];
  account_idle(w, c);
  account_held(w, c);
  drop_event(w, c);
  close_up(w, at);
  w->hosts[c->host].free += application_of(w, c)->memory;
  c->phase = HC_FN_VACANT;
  c->after = w->vacant;
  w->vacant = at;
}

static hc_keeper_windows windows_of(const hc_world *w, uint32_t application)
{
  if (w->keeper) return w->keeper->windows(w->kept_by, application);
  return (hc_keeper_windows){w->options->prewarm, w->options->keep_alive, false};
}

/* It has nothing to do. Without `reset` its time began when it was so first. */
static hc_rc keep(hc_world *w, uint32_t at, hc_time length)
{
  hc_fn_container *c = &w->containers[at];
  c->phase = HC_FN_IDLE;
  c->since = w->now;
  if (w->options->reset || c->expires == HC_UNKNOWN) c->expires = hc_time_add(w->now, length);
  if (c->expires <= w->now) {
    unmake(w, at);
    return 0;
  }
  if (c->expires == HC_NEVER) return 0;
  return hc_fn_push(w, HC_FN_EXPIRES, c->expires, c->number, at, &c->event);
}

static hc_rc make_ahead(hc_world *w, uint32_t application, hc_time wait)
{
  TRY(hc_reserve(w->allocator, (void **)&w->expected, &w->expected_cap, (size_t)w->prewarms + 1,
                 sizeof *w->expected));
  w->expected[w->prewarms] = w->applications[application].sums.invoked;
  w->prewarms++;
  return hc_fn_push(w, HC_FN_PREWARM, hc_time_add(w->now, wait), w->prewarms - 1, application, NULL);
}

/* What a keeper has made ahead is one container, when the application has no invocation any more. */
static hc_rc rest(hc_world *w, uint32_t at)
{
  const uint32_t application = w->containers[at].application;
  const hc_keeper_windows x = windows_of(w, application);
  w->rests++;
  w->learned += x.is_learned;
  if (x.ahead == 0) return keep(w, at, x.keep);
  unmake(w, at);
  if (w->keeper && w->applications[application].active > 0) return 0;
  return make_ahead(w, application, x.ahead);
}

/* ---- invocations ---- */

static hc_rc begin(hc_world *w, uint32_t at, uint32_t invocation)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_invocation *x = &w->invocations[invocation];
  hc_fn_sums *s = &application_of(w, c)->sums;
  if (c->phase != HC_FN_BUSY) {
    account_idle(w, c);
    drop_event(w, c);
    c->phase = HC_FN_BUSY;
  }
  c->running++;
  x->start = w->now;
  x->state = HC_FN_RUNS;
  w->started++;
  w->running++;
  s->started++;
  if (x->is_cold) {
    s->cold++;
    hc_wide_add(&s->cold_wait, x->start - x->arrival);
  }
  return hc_fn_cpu_begins(w, at, invocation);
}

static hc_rc join(hc_world *w, uint32_t at, uint32_t invocation)
{
  hc_fn_container *c = &w->containers[at];
  hc_fn_invocation *x = &w->invocations[invocation];
  x->container = at;
  x->placed = w->now;
  x->is_cold = c->phase == HC_FN_STARTING;
  x->state = HC_FN_AWAITS;
  x->next = HC_FN_NONE;
  if (c->last == HC_FN_NONE) c->first = invocation;
  else w->invocations[c->last].next = invocation;
  c->last = invocation;
  c->count++;
  if (c->count == application_of(w, c)->concurrency) close_up(w, at);
  if (x->was_queued) {
    hc_fn_sums *s = &application_of(w, c)->sums;
    s->queued++;
    hc_wide_add(&s->queue_wait, x->placed - x->arrival);
  }
  return x->is_cold ? 0 : begin(w, at, invocation);
}

static void leave(hc_world *w, uint32_t at, uint32_t invocation)
{
  hc_fn_container *c = &w->containers[at];
  uint32_t before = HC_FN_NONE, i = c->first;
  for (; i != invocation; i = w->invocations[i].next) before = i;
  if (before == HC_FN_NONE) c->first = w->invocations[i].next;
  else w->invocations[before].next = w->invocations[i].next;
  if (c->last == i) c->last = before;
  c->count--;
  c->running--;
  open_up(w, at);
}

/* @return 1: it has a container now; 0; HC_ENOMEM */
static hc_rc place(hc_world *w, uint32_t host, uint32_t invocation)
{
  const uint32_t application = w->invocations[invocation].application;
  uint32_t at = find_open(w, host, application);
  if (at == HC_FN_NONE) {
    if (!hc_fn_host_has_room(w, host, application)) return 0;
    TRY(make(w, host, application, &at));
  }
  TRY(join(w, at, invocation));
  return 1;
}

static void enqueue(hc_world *w, uint32_t host, uint32_t invocation)
{
  hc_fn_host *h = &w->hosts[host];
  hc_fn_invocation *x = &w->invocations[invocation];
  x->state = HC_FN_QUEUED;
  x->was_queued = true;
  x->next = HC_FN_NONE;
  if (h->last == HC_FN_NONE) h->first = invocation;
  else w->invocations[h->last].next = invocation;
  h->last = invocation;
}

hc_rc hc_fn_host_takes(hc_world *w, uint32_t host, uint32_t invocation)
{
  hc_fn_host *h = &w->hosts[host];
  const uint32_t application = w->invocations[invocation].application;
  hc_fn_application *a = &w->applications[application];
  hc_rc rc = 0;
  w->invocations[invocation].host = host;
  a->sums.invoked++;
  if (w->keeper && a->active == 0 && a->idle_since != HC_UNKNOWN)
    TRY(w->keeper->idle(w->kept_by, application, w->now - a->idle_since));
  a->active++;
  h->invocations++;
  if (w->options->invoker != HC_FN_STRICT || h->first == HC_FN_NONE) rc = place(w, host, invocation);
  if (rc == 0) enqueue(w, host, invocation);
  return rc < 0 ? rc : 0;
}

/* Something on the host has changed: what is queued may go on. The first blocks the others, unless the
 * invoker is greedy. */
static hc_rc dequeue(hc_world *w, uint32_t host)
{
  hc_fn_host *h = &w->hosts[host];
  uint32_t before = HC_FN_NONE;
  for (uint32_t i = h->first, next; i != HC_FN_NONE; i = next) {
    hc_rc rc;
    next = w->invocations[i].next;
    rc = place(w, host, i);
    if (rc < 0) return rc;
    if (rc == 0) {
      if (w->options->invoker != HC_FN_GREEDY) return 0;
      before = i;
      continue;
    }
    if (before == HC_FN_NONE) h->first = next;
    else w->invocations[before].next = next;
    if (h->last == i) h->last = before;
  }
  return 0;
}

static void count_end(hc_world *w, uint32_t invocation)
{
  hc_fn_invocation *x = &w->invocations[invocation];
  hc_fn_sums *s = &w->applications[x->application].sums;
  const hc_time execution = x->end - x->start - x->duration, total = x->end - x->arrival - x->duration;
  s->ended++;
  hc_wide_add(&s->execution, execution);
  hc_wide_add(&s->total, total);
  if (x->duration == 0) return;
  s->timed++;
  s->execution_relative += (double)execution / (double)x->duration;
  s->total_relative += (double)total / (double)x->duration;
}

hc_rc hc_fn_host_ends(hc_world *w, uint32_t invocation)
{
  hc_fn_invocation *x = &w->invocations[invocation];
  const uint32_t host = x->host, at = x->container;
  x->end = w->last_end = w->now;
  x->state = HC_FN_ENDED;
  w->ended[w->ended_count++] = invocation;
  w->running--;
  w->hosts[host].invocations--;
  if (--w->applications[x->application].active == 0) w->applications[x->application].idle_since = w->now;
  count_end(w, invocation);
  leave(w, at, invocation);
  TRY(hc_fn_cpu_ended(w, at));
  if (w->containers[at].count == 0) TRY(rest(w, at));
  return dequeue(w, host);
}

hc_rc hc_fn_container_up(hc_world *w, uint32_t at)
{
  const uint32_t host = w->containers[at].host;
  uint32_t i = w->containers[at].first;
  w->containers[at].event = HC_NO_EVENT;
  if (i == HC_FN_NONE) TRY(keep(w, at, windows_of(w, w->containers[at].application).keep));
  for (uint32_t next; i != HC_FN_NONE; i = next) {
    next = w->invocations[i].next;
    TRY(begin(w, at, i));
  }
  return dequeue(w, host);
}

hc_rc hc_fn_container_expires(hc_world *w, uint32_t at)
{
  const uint32_t host = w->containers[at].host;
  w->containers[at].event = HC_NO_EVENT;
  unmake(w, at);
  return dequeue(w, host);
}

hc_rc hc_fn_container_prewarmed(hc_world *w, uint32_t host, uint32_t application)
{
  uint32_t at;
  w->prewarmed++;
  return make(w, host, application, &at);
}

void hc_fn_account(hc_world *w)
{
  for (size_t i = 0; i < w->container_count; i++) {
    hc_fn_container *c = &w->containers[i];
    if (c->phase == HC_FN_VACANT) continue;
    account_idle(w, c);
    account_held(w, c);
  }
}

bool hc_fn_host_can_ever(const hc_world *w, uint32_t host, uint32_t application)
{
  const hc_fn_application *a = &w->applications[application];
  const hc_fn_host *h = &w->hosts[host];
  return a->memory <= h->memory && (w->options->cpu != HC_FN_ISOLATED || a->share <= h->cores + 1e-9);
}
