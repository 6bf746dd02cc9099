/* outranking.c -- see outranking.h. Which tasks have to go is tried on the view: room.h. */
#include "policy/outranking.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

void hc_outranking_init(hc_outranking *o, const hc_policy_context *c, const hc_stopping *how, hc_time backoff)
{
  *o = (hc_outranking){.allocator = c->allocator,
                       .services = c->services,
                       .stopping = *how,
                       .backoff = backoff,
                       .stopped = HC_UNKNOWN,
                       .armed = HC_NEVER};
}

void hc_outranking_fini(hc_outranking *o)
{
  const hc_allocator *a = o->allocator;
  if (!a) return;
  hc_free(a, o->running, o->running_cap * sizeof *o->running);
  hc_free(a, o->ranks, o->rank_cap * sizeof *o->ranks);
  hc_free(a, o->victims, o->victim_cap * sizeof *o->victims);
  *o = (hc_outranking){0};
}

hc_rc hc_outranking_visit(hc_outranking *o, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, o->running, o->running_count, o->running_cap);
  HC_VISIT_ARRAY(v, o->ranks, o->rank_count, o->rank_cap);
  HC_VISIT(v, o->stopped);
  HC_VISIT(v, o->armed);
  HC_VISIT(v, o->taker);
  HC_VISIT(v, o->taking);
  HC_VISIT(v, o->is_strict);
  return 0;
}

/* ---- books ---- */

/* Does `x` go before `y`? */
static bool before(const hc_outranked *x, const hc_outranked *y)
{
  if (x->priority != y->priority) return x->priority < y->priority;
  if (x->started != y->started) return x->started > y->started;
  return x->serial > y->serial;
}

static size_t place_of(const hc_outranking *o, const hc_outranked *x)
{
  size_t low = 0, high = o->running_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (before(&o->running[middle], x)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* A stop that is taken back is heard as a start, of a task that has been running for a while. */
static hc_rc begin(hc_outranking *o, const hc_view *v, hc_task t)
{
  const hc_services *s = o->services;
  const hc_time started = s->started(v, t);
  const hc_outranked x = {.priority = s->priority(v, t),
                          .started = started == HC_UNKNOWN ? s->now(v) : started,
                          .serial = s->serial(v, t),
                          .units = s->units(v, t),
                          .task = t};
  const size_t at = place_of(o, &x);
  TRY(hc_reserve(o->allocator, (void **)&o->running, &o->running_cap, o->running_count + 1,
                 sizeof *o->running));
  memmove(&o->running[at + 1], &o->running[at], (o->running_count - at) * sizeof *o->running);
  o->running[at] = x;
  o->running_count++;
  return 0;
}

static void end(hc_outranking *o, const hc_view *v, hc_task t)
{
  const uint64_t serial = o->services->serial(v, t);
  size_t at = 0;
  while (at < o->running_count && o->running[at].serial != serial) at++;
  if (at == o->running_count) return;
  o->running_count--;
  memmove(&o->running[at], &o->running[at + 1], (o->running_count - at) * sizeof *o->running);
}

static hc_rc count_waiting(hc_outranking *o, int64_t priority, bool more)
{
  size_t at = 0;
  while (at < o->rank_count && o->ranks[at].priority > priority) at++;
  if (at == o->rank_count || o->ranks[at].priority != priority) {
    TRY(hc_reserve(o->allocator, (void **)&o->ranks, &o->rank_cap, o->rank_count + 1, sizeof *o->ranks));
    memmove(&o->ranks[at + 1], &o->ranks[at], (o->rank_count - at) * sizeof *o->ranks);
    o->ranks[at] = (hc_rank){.priority = priority};
    o->rank_count++;
  }
  if (more) o->ranks[at].waiting++;
  else o->ranks[at].waiting--;
  if (o->ranks[at].waiting > 0) return 0;
  o->rank_count--;
  memmove(&o->ranks[at], &o->ranks[at + 1], (o->rank_count - at) * sizeof *o->ranks);
  return 0;
}

hc_rc hc_outranking_hear(hc_outranking *o, const hc_view *v, hc_task_event what, hc_task t)
{
  switch (what) {
    case HC_TASK_EVENT_QUEUED: return count_waiting(o, o->services->priority(v, t), true);
    case HC_TASK_EVENT_DEQUEUED: return count_waiting(o, o->services->priority(v, t), false);
    case HC_TASK_EVENT_ALLOCATED: return begin(o, v, t);
    case HC_TASK_EVENT_RELEASED: end(o, v, t); break;
  }
  return 0;
}

/* ---- room for a task ---- */

/* Those that run on a while after they have been told are not told again. */
static bool is_leaving(const hc_outranking *o, const hc_view *v)
{
  if (o->stopping.grace == 0) return false;
  for (size_t i = 0; i < o->running_count; i++) {
    const hc_time at = o->services->leaves(v, o->running[i].task);
    if (at != HC_NEVER && at != HC_UNKNOWN) return true;
  }
  return false;
}

/* All running tasks of lower priority than this, the first to go in front. A task that this plan has started
 * outranks none that waits. */
static hc_rc gather(hc_outranking *o, const hc_view *v, hc_task t)
{
  const int64_t priority = o->services->priority(v, t);
  o->victim_count = 0;
  TRY(hc_reserve(o->allocator, (void **)&o->victims, &o->victim_cap, o->running_count, sizeof *o->victims));
  for (size_t i = 0; i < o->running_count && o->running[i].priority < priority; i++)
    o->victims[o->victim_count++] = (hc_room_task){o->running[i].units, o->running[i].task, 0};
  return 0;
}

/* @return 1: the task has started, or room is made for it; 0: there is none */
static hc_rc make_room(hc_outranking *o, hc_view *v, hc_plan *p, hc_task t, bool promises)
{
  const hc_services *s = o->services;
  const hc_plan_mark mark = s->mark(p);
  hc_rc rc;
  if (promises) TRY(s->unreserve_all(p));
  TRY(gather(o, v, t));
  TRY(rc = hc_room_make(s, v, p, t, o->victims, &o->victim_count));
  if (rc == 1) {
    TRY(hc_room_stop(s, p, o->victims, o->victim_count, &o->stopping));
    rc = o->victim_count > 0 && o->stopping.grace > 0 ? 0 : s->start(p, t, NULL, 0);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    rc = rc == 0;
  }
  if (rc == 0) return s->take_back(p, &mark);
  if (o->victim_count == 0) return 1;
  o->stopped = s->now(v);
  if (o->stopping.grace > 0) {
    o->taker = s->serial(v, t) + 1;
    o->taking = t;
  }
  if (s->explaining(v))
    s->explain(v, t, "%zu running task%s of lower priority %s for it", o->victim_count,
               o->victim_count == 1 ? "" : "s", o->stopping.grace > 0 ? "told to go" : "stopped");
  return 1;
}

/* ---- the decision ---- */

static hc_rc wake_at(hc_outranking *o, hc_plan *p, hc_time at)
{
  if (o->armed == at) return 0;
  o->armed = at;
  return o->services->wake(p, at);
}

/* Those have gone that were told to: the task for which they were told starts, though none that it
 * outranks may be running any more. */
static hc_rc start_taker(hc_outranking *o, hc_view *v, hc_plan *p, bool promises)
{
  const hc_services *s = o->services;
  const hc_plan_mark mark = s->mark(p);
  const bool is_here = s->serial(v, o->taking) + 1 == o->taker && s->waits(v, o->taking);
  hc_rc rc;
  o->taker = o->is_strict = 0;
  if (!is_here) return 0;
  if (promises) TRY(s->unreserve_all(p));
  rc = s->fits(v, o->taking) ? s->start(p, o->taking, NULL, 0) : HC_EPOLICY;
  o->is_strict = rc == HC_EPOLICY;
  return rc == HC_EPOLICY ? s->take_back(p, &mark) : rc;
}

/* The lowest priority of any task, running or waiting. */
static int64_t lowest(const hc_outranking *o)
{
  int64_t least = INT64_MAX;
  if (o->running_count > 0) least = o->running[0].priority;
  if (o->rank_count > 0) least = HC_MIN(least, o->ranks[o->rank_count - 1].priority);
  return least;
}

/* All waiting tasks of a priority, in order. @return 1: each has started; 0: one has not, or tasks were
 * told */
static hc_rc take_rank(hc_outranking *o, hc_view *v, hc_plan *p, int64_t priority, bool promises)
{
  const hc_services *s = o->services;
  hc_cursor at = {0};
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    hc_rc rc;
    if (s->priority(v, t) != priority || s->not_before(v, t) > s->now(v)) continue;
    if (lowest(o) >= priority) return 1; /* it outranks none any more */
    TRY(rc = make_room(o, v, p, t, promises));
    if (rc == 0 || (o->stopping.grace > 0 && o->victim_count > 0)) return 0;
  }
  return 1;
}

/* Rank after rank, as long as each task of one starts. */
static hc_rc take_ranks(hc_outranking *o, hc_view *v, hc_plan *p, bool promises)
{
  int64_t last = INT64_MAX;
  hc_rc rc = 1;
  while (rc == 1) {
    size_t at = 0;
    while (at < o->rank_count && o->ranks[at].priority > last) at++;
    if (at == o->rank_count || o->ranks[at].priority <= lowest(o)) break;
    last = o->ranks[at].priority;
    TRY(rc = take_rank(o, v, p, last, promises));
    if (last == INT64_MIN) break;
    last--;
  }
  return 0;
}

hc_rc hc_outranking_run(hc_outranking *o, hc_view *v, hc_plan *p, bool promises)
{
  const hc_time now = o->services->now(v), was_stopped = o->stopped,
                ready = was_stopped == HC_UNKNOWN ? now : hc_time_add(was_stopped, o->backoff);
  if (is_leaving(o, v)) return o->is_strict ? 2 : 0;
  if (o->taker != 0) TRY(start_taker(o, v, p, promises));
  if (o->rank_count == 0 || o->ranks[0].priority <= lowest(o)) {
    o->is_strict = 0;
    return 0;
  }
  if (now < ready && !o->is_strict) return wake_at(o, p, ready);
  o->taker = 0;
  TRY(take_ranks(o, v, p, promises));
  if (o->taker == 0) o->is_strict = 0;
  if (o->stopping.grace > 0) return o->is_strict ? 2 : 0;
  if (o->stopped == was_stopped) return 0;
  TRY(o->services->wake(p, now)); /* those that were stopped wait again: what of them? */
  return 1;
}
