/* priority.c -- a waiting task of higher priority takes the room of running tasks of lower ones.
 *
 * On a host that is offered, of each user the first task that could fit if all tasks of lower priority were
 * gone is looked at, the highest priority first, then by turns. Whose priority is lowest is stopped first, of
 * these the last to start; and once the task fits, those go on that it does not need. A task that
 * starts in this way may belong to the user whose task it stops. With the order `priority` a user's first
 * task is its most important one; with another, those behind it are not seen.
 *
 * With a grace, no other task is told on a host where one has been.
 *
 * In a queue that is decided on as a whole (policy batch) tasks are stopped wherever they are: outranking.c.
 * Source: what batch systems call preemption by priority; victims as in Slurm's preempt/qos with
 * youngest_first. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"
#include "policy/outranking.h"
#include "policy/preempt_how.h"

typedef struct options {
  hc_preempt_how how;
} options;

/* How many tasks of a priority there are. */
typedef struct level {
  int64_t priority;
  uint64_t waiting, running;
} level;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_preempt_asks asks;
  hc_preempting books;
  level *levels; /* ascending */
  size_t level_count, level_cap;
  bool *tried; /* scratch */
  size_t tried_cap;
  const hc_view *view; /* while it is asked */
  bool has_queue;      /* then this is all that is used */
  hc_outranking outranking;
};

/* ---- who is there ---- */

static hc_rc level_of(hc_policy *self, int64_t priority, level **out)
{
  size_t at = self->level_count;
  while (at > 0 && self->levels[at - 1].priority > priority) at--;
  if (at == 0 || self->levels[at - 1].priority != priority) {
    TRY(hc_reserve(self->allocator, (void **)&self->levels, &self->level_cap, self->level_count + 1,
                   sizeof *self->levels));
    memmove(&self->levels[at + 1], &self->levels[at], (self->level_count - at) * sizeof *self->levels);
    self->levels[at++] = (level){.priority = priority};
    self->level_count++;
  }
  *out = &self->levels[at - 1];
  return 0;
}

static hc_rc advance_to(hc_policy *self, hc_time now)
{
  HC_UNUSED(self);
  HC_UNUSED(now);
  return 0;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user,
                           const int64_t *amounts)
{
  level *l;
  if (self->has_queue) return hc_outranking_hear(&self->outranking, v, what, t);
  TRY(level_of(self, self->services->priority(v, t), &l));
  switch (what) {
    case HC_TASK_EVENT_QUEUED: l->waiting++; break;
    case HC_TASK_EVENT_DEQUEUED: l->waiting--; break;
    case HC_TASK_EVENT_ALLOCATED: l->running++; break;
    case HC_TASK_EVENT_RELEASED: l->running--; break;
  }
  if (l->waiting == 0 && l->running == 0) {
    const size_t at = (size_t)(l - self->levels);
    memmove(l, l + 1, (--self->level_count - at) * sizeof *l);
  }
  return hc_preempting_hear(&self->books, self->services, v, what, t, user, amounts);
}

/* Does a task wait that is more important than one that runs? */
static bool is_wanted(const hc_policy *self)
{
  bool runs = false;
  for (size_t i = 0; i < self->level_count; i++) {
    if (runs && self->levels[i].waiting > 0) return true;
    runs |= self->levels[i].running > 0;
  }
  return false;
}

static hc_time next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  hc_time ready = HC_UNKNOWN;
  if (!is_wanted(self)) return HC_NEVER;
  if (host != HC_NO_HOST) ready = hc_preempting_ready(&self->books, host);
  return ready == HC_UNKNOWN ? now : HC_MAX(now, ready);
}

/* ---- a host ---- */

static bool may_stop(void *ctx, const hc_runner *victim, hc_task taker)
{
  const hc_policy *self = ctx;
  return taker == HC_NO_TASK || victim->priority < self->services->priority(self->view, taker);
}

static int64_t rank(void *ctx, const hc_runner *victim)
{
  HC_UNUSED(ctx);
  return victim->priority;
}

/* The most important task that could fit, of users who were not tried. */
static hc_task next(const hc_policy *self, const int64_t *room, uint32_t *user)
{
  const hc_preempt_asks *asks = &self->asks;
  const uint32_t users = asks->count(asks->ctx);
  hc_task best = HC_NO_TASK;
  for (uint32_t i = 0; i < users; i++) {
    hc_preempt_member m;
    hc_task t;
    asks->member(asks->ctx, i, &m);
    if (m.waiting == 0 || self->tried[i]) continue;
    t = asks->first(asks->ctx, i, room);
    if (t == HC_NO_TASK) continue;
    if (best != HC_NO_TASK) {
      const int64_t it = self->services->priority(self->view, t),
                    was = self->services->priority(self->view, best);
      if (it < was || (it == was && !asks->before(asks->ctx, i, *user))) continue;
    }
    best = t;
    *user = i;
  }
  return best;
}

static hc_rc run(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host)
{
  const hc_services *s = self->services;
  const hc_preempting_stage x = {.host = host, .ctx = self, .may_stop = may_stop, .rank = rank};
  const hc_time ready = hc_preempting_ready(&self->books, host);
  const int64_t *free = s->host_free(v, host, NULL);
  const uint32_t users = self->asks.count(self->asks.ctx);
  int64_t room[HC_DIMENSIONS];
  hc_task t;
  hc_rc rc = 0;
  uint32_t user = 0;
  if (!is_wanted(self) || (ready != HC_UNKNOWN && s->now(v) < ready)) return 0;
  self->view = v;
  TRY(hc_preempting_discount(&self->books, s, v, &x, HC_NO_RUNNER, room));
  if (!free) room[0] += s->free_units(v);
  for (uint32_t d = 0; free && d < s->dimensions(v); d++) room[d] += free[d];
  TRY(hc_reserve(self->allocator, (void **)&self->tried, &self->tried_cap, users, sizeof *self->tried));
  memset(self->tried, 0, users * sizeof *self->tried);
  while (rc == 0 && (t = next(self, room, &user)) != HC_NO_TASK) {
    self->tried[user] = true;
    rc = hc_preempting_make_room(&self->books, s, v, p, &x, user, t);
  }
  self->view = NULL;
  return rc;
}

static hc_rc run_queue(hc_policy *self, hc_view *v, hc_plan *p, bool promises)
{
  return hc_outranking_run(&self->outranking, v, p, promises);
}

/* ---- life ---- */

static hc_rc init(const hc_policy_context *c, const void *opts, const hc_preempt_asks *asks, hc_policy **out,
                  hc_error *e)
{
  const options *o = opts;
  const hc_preempting_options books = {
      .backoff = o->how.backoff, .stopping = hc_preempt_how_stopping(&o->how), .fewest = true};
  hc_policy *self;
  TRY(hc_preempt_how_check(&o->how, "preempt priority", e));
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  *out = self;
  if (!asks) {
    self->has_queue = true;
    hc_outranking_init(&self->outranking, c, &books.stopping, o->how.backoff);
    return 0;
  }
  self->asks = *asks;
  hc_preempting_init(&self->books, c->allocator, &books);
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  if (self->has_queue) return hc_outranking_visit(&self->outranking, v);
  TRY(hc_preempting_visit(&self->books, v));
  HC_VISIT_ARRAY(v, self->levels, self->level_count, self->level_cap);
  return 0;
}

static void fini(hc_policy *self)
{
  hc_preempting_fini(&self->books);
  hc_outranking_fini(&self->outranking);
  hc_free(self->allocator, self->levels, self->level_cap * sizeof *self->levels);
  hc_free(self->allocator, self->tried, self->tried_cap * sizeof *self->tried);
  hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {HC_PREEMPT_HOW_PARAMS(options, how, "0"), {0}};

const hc_preempt_type hc_preempt_priority = {
    .component =
        {HC_COMPONENT_HEAD(hc_preempt_type, HC_KIND_PREEMPT), .name = "priority",
         .summary = "a waiting task of higher priority takes the room of running ones of lower",
         .detail =
             "Tasks are stopped in the order of lowest priority, then of latest start, and no more than are "
             "needed. Under the policy batch: at each decision, before the selector, the queued tasks with a "
             "higher priority than some running or queued task are taken by priority, then in the queue's "
             "order; each starts if it fits, or fits once running tasks of lower priority, anywhere, are "
             "stopped; the first that does not fit even then ends the round. So a selector's promises give "
             "way only to tasks of higher priority, and are made anew; stopped tasks are queued, and may "
             "start again, in the same instant. With a grace, only one task at a time is told to stop, and "
             "`backoff` holds for the whole cell. Under fair: on a host that is offered at most one task "
             "starts in this way. Of each user only the first task that could fit is looked at; with order: "
             "priority that is the most important one.",
         .source = "Slurm, PreemptType and preempt_youngest_first", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .advance_to = advance_to,
    .on_task_event = on_task_event,
    .run = run,
    .next_preemption = next_preemption,
    .visit = visit,
    .fini = fini,
    .run_queue = run_queue,
};
