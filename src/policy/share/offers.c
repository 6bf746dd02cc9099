/* offers.c -- members take turns at what is offered. See offers.h. */
#include "policy/share/offers.h"

#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/share/asks.h"
#include "policy/share/reasons.h"

/* An offer, while it is decided on. */
typedef struct offer {
  hc_policy *self;
  hc_view *view;
  hc_plan *plan;
  const hc_range *hosts; /* [host_count] ranges; none: the whole cell */
  size_t host_count;
  uint32_t host;               /* the only one, where the rule looks at one at a time; else HC_NO_HOST */
  int64_t most[HC_DIMENSIONS]; /* that is free on any host of the offer */
  bool is_bounded;             /* `most` is known */
  uint32_t round;              /* 0: first */
  bool is_last;                /* all hosts were offered before this, and nothing was started */
  size_t turns, started;       /* turns that were had, and tasks started */
  uint64_t limited;            /* members whose turn a limit ended */
  hc_reasons reasons;
  hc_task last; /* that a turn started */
} offer;

/* What became of a member's turn. */
typedef enum turn { TURN_STARTED, TURN_UNFIT, TURN_LIMITED, TURN_REFUSED } turn;

/* Are hosts offered one by one, and is a member asked about one task at a time? */
static bool is_one_by_one(const hc_policy *self)
{
  return hc_share_does(self->o.turns.rule, HC_SHARE_ONE_HOST);
}

/* ---- what is offered ---- */

static const int64_t *free_on(const offer *f, uint32_t host, const int64_t **capacity)
{
  return f->self->services->host_free(f->view, host, capacity);
}

static void look(offer *f)
{
  f->is_bounded = f->host_count > 0;
  hc_turns_rewind(&f->self->turns);
  for (uint32_t d = 0; d < f->self->turns.books.dims; d++) f->most[d] = INT64_MIN;
  if (hc_turns_is_full(&f->self->turns)) return; /* nothing fits */
  for (size_t i = 0; i < f->host_count && f->is_bounded; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      const int64_t *free = free_on(f, f->hosts[i].first + k, NULL);
      f->is_bounded = free != NULL;
      for (uint32_t d = 0; free && d < f->self->turns.books.dims; d++)
        f->most[d] = HC_MAX(f->most[d], free[d]);
    }
}

static const int64_t *bound_of(const offer *f)
{
  return f->is_bounded ? f->most : NULL;
}

static bool holds(uint32_t dims, const int64_t *need, const int64_t *free)
{
  for (uint32_t d = 0; d < dims; d++)
    if (need[d] > free[d]) return false;
  return true;
}

/* ---- a member's turn ---- */

static hc_rc stand_back(offer *f, uint32_t member, turn why)
{
  hc_policy *self = f->self;
  f->limited += why == TURN_LIMITED;
  TRY(hc_reserve(self->allocator, (void **)&self->out, &self->out_cap, self->out_count + 1,
                 sizeof *self->out));
  self->out[self->out_count++] = member;
  if (why == TURN_REFUSED) { /* members that refused come first */
    self->out[self->out_count - 1] = self->out[self->refused];
    self->out[self->refused++] = member;
    self->n.refused++;
  }
  hc_turns_leave(&self->turns, member, true);
  return 0;
}

/* Members that refused may want what is left now, and may be asked anew about what they refused. */
static void ask_again(hc_policy *self)
{
  const size_t n = self->refused;
  for (size_t i = 0; i < n; i++) hc_turns_leave(&self->turns, self->out[i], false);
  for (size_t i = n; i < self->out_count; i++) self->out[i - n] = self->out[i];
  self->out_count -= n;
  self->refused = 0;
  if (!is_one_by_one(self)) self->number++;
}

static void all_back(hc_policy *self)
{
  for (size_t i = 0; i < self->out_count; i++) hc_turns_leave(&self->turns, self->out[i], false);
  self->out_count = self->refused = 0;
}

/* A start that its controller heard of, or may pace. @return a turn, or an error */
static hc_rc start_there(offer *f, hc_offer *o)
{
  hc_policy *self = f->self;
  const hc_accept_type *accept = self->accept_type;
  const hc_range one = {o->host, 1};
  const double pace = accept->pace ? accept->pace(self->accept, o) : 1;
  hc_rc rc = pace == 1 ? self->services->start(f->plan, o->task, &one, 1)
                       : self->services->start_paced(f->plan, o->task, &one, 1, pace);
  if (rc == HC_EPOLICY) return TURN_UNFIT;
  f->last = o->task;
  if (rc == 0 && accept->noted) rc = accept->noted(self->accept, o, true);
  return rc < 0 ? rc : TURN_STARTED;
}

/* Ask the member about one host, and start the task there if it wants it, or is not asked. @return a turn, or
 * an error */
static hc_rc ask(offer *f, uint32_t member, const hc_shape *shape, uint32_t host, bool asks)
{
  hc_policy *self = f->self;
  const hc_turns *t = &self->turns;
  const hc_task task = shape->heap[0].task;
  int64_t need[HC_DIMENSIONS], free[HC_DIMENSIONS];
  hc_offer o = {.user = member,
                .host = host,
                .dimensions = t->books.dims,
                .which = t->which,
                .need = need,
                .free = free};
  hc_rc rc;
  memcpy(need, shape->need, t->books.dims * sizeof *need);
  memcpy(free, free_on(f, host, NULL), t->books.dims * sizeof *free);
  o.capacity = t->capacity;
  o.now = self->services->now(f->view);
  o.view = f->view;
  o.task = task;
  o.round = f->round;
  o.is_forced = !asks;
  if (asks && is_one_by_one(self) && !self->services->fits(f->view, task)) return TURN_UNFIT;
  if (asks && !self->accept_type->accepts(self->accept, &o)) {
    if (self->services->explaining(f->view))
      self->services->explain(f->view, task, "its %s refuses host %u (%s)", self->o.member, host,
                              self->accept_type->component.name);
    rc = self->accept_type->noted ? self->accept_type->noted(self->accept, &o, false) : 0;
    return rc < 0 ? rc : TURN_REFUSED;
  }
  return start_there(f, &o);
}

/* Ask about every host of the offer that has room, until it wants one. */
static hc_rc ask_each(offer *f, uint32_t member, uint32_t at, bool asks)
{
  const uint32_t dims = f->self->turns.books.dims;
  hc_rc result = TURN_UNFIT;
  for (size_t i = 0; i < f->host_count; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      const hc_shape *shape = &f->self->turns.books.shapes[at];
      const uint32_t host = f->hosts[i].first + k;
      hc_rc rc;
      if (!holds(dims, shape->need, free_on(f, host, NULL))) continue;
      rc = ask(f, member, shape, host, asks);
      if (rc < 0 || rc == TURN_STARTED) return rc;
      if (rc == TURN_REFUSED) result = rc;
    }
  return result;
}

/* Start a task of this shape. @param host the only one that will do, or HC_NO_HOST @param asks the member may
 * refuse */
static hc_rc start(offer *f, uint32_t member, uint32_t at, uint32_t host, bool asks)
{
  hc_policy *self = f->self;
  const hc_accept_type *accept = self->accept_type;
  const hc_range one = {host, 1};
  const hc_shape *shape = &self->turns.books.shapes[at];
  hc_task task;
  hc_rc rc;
  if (accept->accepts && host != HC_NO_HOST) return ask(f, member, shape, host, asks);
  if (accept->accepts && (asks || accept->pace)) return ask_each(f, member, at, asks);
  task = shape->heap[0].task;
  rc = self->services->start(f->plan, task, host == HC_NO_HOST ? NULL : &one, host != HC_NO_HOST);
  if (rc == HC_EPOLICY) return TURN_UNFIT;
  f->last = task;
  if (rc == 0 && !asks && accept->noted) {
    const hc_offer o = {.user = member,
                        .host = host,
                        .now = self->services->now(f->view),
                        .view = f->view,
                        .task = task,
                        .is_forced = true};
    rc = accept->noted(self->accept, &o, true);
  }
  return rc < 0 ? rc : TURN_STARTED;
}

/* Are there as many slots as this takes? */
static bool has_slots(const hc_turns *t, uint32_t at)
{
  return !t->sites.is_cut || hc_sites_need(&t->sites, t->books.shapes[at].need) <= t->free_slots;
}

/* The shape whose first task is tried next, of those that were not: the first that fits, or the first of all.
 * HC_MAP_NONE: there is none. */
static uint32_t next_shape(const offer *f, uint32_t member)
{
  const hc_policy *self = f->self;
  const hc_turns *t = &self->turns;
  uint32_t at;
  if (self->o.task == HC_TASK_FIRST_FIT) return hc_turns_first(t, member, bound_of(f), self->number);
  at = hc_turns_first(t, member, NULL, self->number);
  if (at == HC_MAP_NONE || !f->is_bounded) return at;
  return holds(t->books.dims, t->books.shapes[at].need, f->most) ? at : HC_MAP_NONE;
}

/* Is the host that is offered no host for the member's tasks? */
static bool is_kept_off(const offer *f, uint32_t member)
{
  const hc_policy *self = f->self;
  const hc_turns *t = &self->turns;
  if (!t->keeper->admits || t->keeper->admits(t, member, f->host)) return false;
  if (self->services->explaining(f->view)) {
    const uint32_t at = next_shape(f, member);
    char why[200];
    t->keeper->say_why_not(t, member, f->host, why, sizeof why);
    if (at != HC_MAP_NONE) self->services->explain(f->view, t->books.shapes[at].heap[0].task, "%s", why);
  }
  return true;
}

/* The member's first task that fits, or only its first of all. */
static hc_rc take_turn(offer *f, uint32_t member, bool asks)
{
  hc_policy *self = f->self;
  const bool one_task = is_one_by_one(self);
  hc_rc result = TURN_UNFIT;
  if (is_kept_off(f, member)) return TURN_UNFIT;
  for (;;) {
    const uint32_t at = next_shape(f, member);
    hc_rc rc;
    if (at == HC_MAP_NONE) return result;
    if (!hc_turns_allows(&self->turns, at)) return TURN_LIMITED;
    rc = has_slots(&self->turns, at) ? start(f, member, at, f->host, asks) : TURN_UNFIT;
    if (rc < 0 || rc == TURN_STARTED || (rc == TURN_REFUSED && one_task)) return rc;
    if (rc == TURN_REFUSED) result = rc;
    if (self->o.task == HC_TASK_HEAD && !one_task) return result;
    self->turns.books.shapes[at].tried = self->number;
  }
}

/* The best of the candidates; its user is HC_NOBODY if there is none. */
static hc_rc choose(offer *f, hc_tetris_choice *best)
{
  const hc_tetris_offer offered = {.services = f->self->services,
                                   .view = f->view,
                                   .hosts = f->hosts,
                                   .host_count = f->host_count,
                                   .preferred = &f->self->preferred,
                                   .most = bound_of(f),
                                   .number = f->self->number};
  return hc_tetris_choose(&f->self->tetris, &f->self->turns, &offered, best);
}

/* ---- the decision ---- */

/* The task that was chosen does not really fit: may others of the user's do? */
static bool may_try_others(offer *f, const hc_tetris_choice *of)
{
  hc_policy *self = f->self;
  if (!hc_tetris_mixes(&self->o.tetris) && (!is_one_by_one(self) || self->o.task == HC_TASK_HEAD))
    return false;
  self->turns.books.shapes[of->shape].tried = self->number;
  return !is_one_by_one(self) || next_shape(f, of->user) != HC_MAP_NONE;
}

/* One turn. @return 1: there may be another; 0: no member can, or wants; or an error */
static hc_rc next_turn(offer *f)
{
  hc_policy *self = f->self;
  const bool packs = self->o.tetris.knob < 1, stops = self->o.misfit == HC_MISFIT_STOP;
  hc_tetris_choice best = {.host = HC_NO_HOST};
  hc_rc rc;
  if (packs) TRY(choose(f, &best));
  else best.user = hc_turns_next(&self->turns, stops ? NULL : bound_of(f));
  if (best.user == HC_NOBODY) return 0;
  f->turns++;
  if (hc_reasons_wanted(&f->reasons)) hc_reasons_turn(&f->reasons, &self->turns, best.user);
  if (!packs) rc = take_turn(f, best.user, true);
  else if (is_one_by_one(self) && !hc_turns_allows(&self->turns, best.shape)) rc = TURN_LIMITED;
  else rc = start(f, best.user, best.shape, best.host, true);
  if (rc < 0) return rc;
  if (rc == TURN_UNFIT && packs && may_try_others(f, &best)) return 1;
  if (rc == TURN_STARTED) {
    f->started++;
    self->n.starts++;
    if (hc_reasons_wanted(&f->reasons)) hc_reasons_started(&f->reasons, &self->turns, best.user, f->last);
    ask_again(self);
    look(f);
    return 1;
  }
  if (hc_reasons_wanted(&f->reasons) && rc != TURN_REFUSED)
    hc_reasons_passed(&f->reasons, &self->turns, best.user, rc == TURN_LIMITED);
  if (rc == TURN_UNFIT && stops) return 0;
  TRY(stand_back(f, best.user, (turn)rc));
  return 1;
}

static hc_rc forced(offer *f, hc_rc rc)
{
  if (rc != TURN_STARTED) return HC_MIN(rc, 0);
  f->self->n.starts++;
  f->self->n.fallbacks++;
  return 0;
}

/* Of the members that refused, the one whose task goes best with a host of the offer. They alone are in the
 * line. */
static hc_rc insist_on_best(offer *f)
{
  hc_policy *self = f->self;
  const double knob = self->tetris.o.knob;
  hc_tetris_choice best = {.host = HC_NO_HOST};
  hc_rc rc;
  self->tetris.o.knob = 0; /* all of them are candidates */
  rc = choose(f, &best);
  self->tetris.o.knob = knob;
  if (rc < 0 || best.user == HC_NOBODY) return rc;
  return forced(f, start(f, best.user, best.shape, best.host, false));
}

/* Every member that could have started a task refused: the first of them in the line that can gets one
 * whether it wants it or not. */
static hc_rc insist(offer *f)
{
  hc_policy *self = f->self;
  const int when = self->o.fallback;
  uint32_t member;
  if (self->refused == 0 || when == HC_FALLBACK_NONE) return 0;
  if (when != HC_FALLBACK_ALL_REFUSED && f->started > 0) return 0;
  if (when == HC_FALLBACK_ROUND_REFUSED && !f->is_last) return 0;
  ask_again(self);
  if (when == HC_FALLBACK_BEST_SCORE) return insist_on_best(f);
  while ((member = hc_turns_next(&self->turns, bound_of(f))) != HC_NOBODY) {
    const hc_rc rc = take_turn(f, member, false);
    if (rc < 0 || rc == TURN_STARTED) return forced(f, rc);
    self->n.misfits += rc == TURN_UNFIT;
    self->n.limited += rc == TURN_LIMITED;
    TRY(stand_back(f, member, (turn)rc));
  }
  return 0;
}

/* ---- preemption ---- */

/* Where no hosts are offered, nothing else looks at the clock. */
static hc_rc wake_up(offer *f, uint32_t hosts)
{
  hc_policy *self = f->self;
  const hc_time now = self->services->now(f->view);
  hc_time at = HC_NEVER;
  for (uint32_t i = 0; i < hosts; i++) {
    const hc_time t = self->o.preempt->next_preemption(self->preempt, now, i);
    if (t > now) at = HC_MIN(at, t);
  }
  if (at == HC_NEVER || (self->woken != HC_UNKNOWN && self->woken > now && self->woken <= at)) return 0;
  self->woken = at;
  return self->services->wake(f->plan, at);
}

/* What fits has been started: now what does not, in the place of others. */
static hc_rc stop_for_others(offer *f)
{
  hc_policy *self = f->self;
  const hc_preempt_type *type = self->o.preempt;
  uint32_t hosts = 1;
  if (type->advance_to) TRY(type->advance_to(self->preempt, self->services->now(f->view)));
  for (size_t i = 0; i < f->host_count; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      const hc_rc rc = type->run(self->preempt, f->view, f->plan, f->hosts[i].first + k);
      if (rc < 0) return rc;
    }
  if (f->host_count > 0) return 0;
  if (free_on(f, 0, NULL))
    while (free_on(f, hosts, NULL)) hosts++;
  for (uint32_t i = 0; i < hosts; i++) {
    const hc_rc rc = type->run(self->preempt, f->view, f->plan, i);
    if (rc < 0) return rc;
  }
  return wake_up(f, hosts);
}

hc_time hc_offers_next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  if (!self->preempt) return HC_NEVER;
  if (self->o.preempt->advance_to && self->o.preempt->advance_to(self->preempt, now) < 0) {
    self->turns.is_broken = true; /* whatever happens next says so */
    return now;
  }
  return self->o.preempt->next_preemption(self->preempt, now, host);
}

/* Members that could not start a task, or not one more: all that were in the line, but those that have
 * refused and those whose turn a limit ended. */
static void count(offer *f, uint32_t in_line)
{
  hc_offers_counts *n = &f->self->n;
  if (f->turns == 0) return; /* nothing to say of an offer that no member could use */
  n->offers++;
  n->limited += f->limited;
  n->misfits += in_line - f->limited - f->self->refused;
}

/* Share what these hosts have, until no member can or wants. */
static hc_rc share_out(offer *f)
{
  hc_policy *self = f->self;
  const uint32_t in_line = hc_turns_in_line(&self->turns);
  hc_rc rc = 1;
  self->number++;
  f->turns = f->started = 0;
  f->limited = 0;
  look(f);
  while (rc > 0) rc = next_turn(f);
  if (rc == 0 && self->o.rounds > 1 && f->started == 0 && self->refused > 0) {
    f->round = 1; /* asked again, with a lower barrier */
    ask_again(self);
    for (rc = 1; rc > 0;) rc = next_turn(f);
    f->round = 0;
  }
  count(f, in_line);
  if (rc == 0) rc = insist(f);
  all_back(self);
  return rc;
}

/* The same, one host after the other. */
static hc_rc share_each(offer *f)
{
  const hc_range *hosts = f->hosts;
  const size_t count = f->host_count;
  hc_turns *t = &f->self->turns;
  hc_rc rc = 0;
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < hosts[i].count && rc >= 0; k++) {
      const hc_range one = {hosts[i].first + k, 1};
      const int64_t *capacity;
      if (!free_on(f, one.first, &capacity)) continue;
      f->hosts = &one;
      f->host_count = 1;
      f->host = one.first;
      if (hc_turns_by_host(t)) hc_turns_enter(t, one.first, capacity);
      rc = share_out(f);
      if (rc == 0 && f->self->preempt && is_one_by_one(f->self)) rc = stop_for_others(f);
    }
  if (hc_turns_by_host(t)) hc_turns_enter(t, HC_NO_SITE, NULL);
  f->hosts = hosts;
  f->host_count = count;
  f->host = HC_NO_HOST;
  return rc;
}

/* Tasks that no slot holds have waited long enough. */
static hc_rc reject_oversized(hc_policy *self, hc_view *v, hc_plan *p)
{
  hc_turns *t = &self->turns;
  while (t->oversized_count > 0) {
    const hc_task task = self->services->find(v, t->oversized[--t->oversized_count]);
    if (task != HC_NO_TASK && self->services->waits(v, task))
      TRY(self->services->reject(p, task,
                                 t->sites.is_cut
                                     ? "it is larger than a slot, or needs several hosts at once"
                                     : "it needs several hosts at once, and each shares by itself"));
  }
  return 0;
}

hc_rc hc_offers_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  offer f = {.self = self, .view = v, .plan = p, .host = HC_NO_HOST, .is_last = why->bits & HC_WHY_LAST_CALL};
  hc_rc rc;
  if (self->turns.books.dims == 0) return 0; /* no task has come yet */
  f.host_count = self->services->scope(v, &f.hosts);
  TRY(hc_turns_open(&self->turns, v));
  hc_reasons_open(&f.reasons, &self->turns, v, self->o.member);
  TRY(reject_oversized(self, v, p));
  rc = hc_turns_by_host(&self->turns) || is_one_by_one(self) ? share_each(&f) : share_out(&f);
  if (rc == 0 && self->preempt && !is_one_by_one(self)) rc = stop_for_others(&f);
  if (hc_reasons_wanted(&f.reasons)) hc_reasons_close(&f.reasons, &self->turns);
  return rc == 0 && self->turns.is_broken ? HC_ENOMEM : rc;
}

hc_rc hc_offers_on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                              const int64_t *amounts)
{
  uint32_t member;
  if (self->preempt && self->o.preempt->advance_to)
    TRY(self->o.preempt->advance_to(self->preempt, self->services->now(v)));
  if (self->turns.works) TRY(hc_works_hear_first(&self->works, v, what, t));
  TRY(hc_turns_hear(&self->turns, v, what, t, amounts, &member));
  if (self->turns.works) hc_works_hear_last(&self->works, what, t);
  if (self->preempt) TRY(self->o.preempt->on_task_event(self->preempt, v, what, t, member, amounts));
  if (!self->accept_type->on_task_event) return 0;
  return self->accept_type->on_task_event(self->accept, v, what, t, member);
}

hc_rc hc_offers_cell_changed(hc_policy *self, const hc_view *v)
{
  return hc_turns_cell_changed(&self->turns, v);
}

/* ---- life ---- */

static void gone(void *ctx, uint32_t member)
{
  const hc_policy *self = ctx;
  if (self->accept_type->forget) self->accept_type->forget(self->accept, member);
}

hc_rc hc_offers_init(const hc_policy_context *c, const hc_offers_setup *o, hc_policy **out, hc_error *e)
{
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_preempt_asks asks;
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = *o;
  self->accept_type = (const hc_accept_type *)o->accept->type;
  self->woken = HC_UNKNOWN;
  *out = self;
  hc_tetris_init(&self->tetris, c->allocator, &o->tetris);
  TRY(hc_turns_init(&self->turns, c, &o->turns, e));
  hc_works_init(&self->works, c->allocator, c->services);
  hc_preferred_init(&self->preferred, c, NULL);
  if (o->tetris.mix > 0) self->turns.works = &self->works;
  self->turns.gone = gone;
  self->turns.ctx = self;
  asks = hc_turns_asks(&self->turns);
  if (o->preempt->init) TRY(o->preempt->init(c, o->preempt_options, &asks, &self->preempt, e));
  return self->accept_type->init ? self->accept_type->init(c, o->accept->options, &self->accept, e) : 0;
}

hc_rc hc_offers_note(const hc_policy *self, hc_buffer *out)
{
  hc_turns_note(&self->turns, out);
  return out->failed ? HC_ENOMEM : 0;
}

hc_rc hc_offers_visit(hc_policy *self, hc_visitor *v)
{
  if (self->turns.works) TRY(hc_works_visit(&self->works, v));
  TRY(hc_turns_visit(&self->turns, v));
  HC_VISIT(v, self->woken);
  HC_VISIT(v, self->n);
  if (self->preempt) TRY(self->o.preempt->visit(self->preempt, v));
  return self->accept_type->visit ? self->accept_type->visit(self->accept, v) : 0;
}

hc_rc hc_offers_finish(hc_policy *self, hc_findings *f)
{
  return self->accept_type->finish ? self->accept_type->finish(self->accept, f) : 0;
}

void hc_offers_fini(hc_policy *self)
{
  if (self->accept && self->accept_type->fini) self->accept_type->fini(self->accept);
  if (self->preempt) self->o.preempt->fini(self->preempt);
  hc_turns_fini(&self->turns);
  hc_works_fini(&self->works);
  hc_preferred_fini(&self->preferred);
  hc_free(self->allocator, self->out, self->out_cap * sizeof *self->out);
  hc_tetris_fini(&self->tetris);
  hc_free(self->allocator, self, sizeof *self);
}
