/* fair.c -- users share: the user with the least is next, and starts the first of its tasks that fits what is
 * offered.
 *
 * At an offer (a host that reports, or the whole cell under the architecture monolithic): the user whose turn
 * it is tries its first task that fits. If it starts, the order is looked at anew; if nothing of the user's
 * fits, or the user refuses the host, the user stands back for this offer. So until no user can, or wants.
 * With `knob` below 1 the first ceil((1 - knob) U) of the U users that wait are candidates, and the one whose
 * task goes best with what is free is taken: Tetris between fairness and packing.
 *
 * What every user has is known from books that the policy keeps by hearing of every task (books.h), so an
 * offer in vain costs one look at the head of the line, and a start O(dimensions log users).
 *
 * Of a user's tasks of the same demand only the first is tried: behind a task whose constraints no host on
 * offer meets, its like wait too. Tasks of several slots get them where the placement puts them within the
 * offer. Sources: Ghodsi et al., DRF, NSDI 2011; Bhattacharya et al., H-DRF, SoCC 2013; Grandl et al.,
 * Tetris, SIGCOMM 2014. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/packing.h"
#include "policy/placing.h"
#include "policy/share/asks.h"
#include "policy/share/options.h"
#include "policy/share/rule.h"
#include "policy/share/tetris.h"

typedef hc_fair_options options;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  const options *o;
  const hc_accept_type *accept_type;
  hc_policy *accept;
  const hc_preempt_type *preempt_type;
  hc_policy *preempt;
  hc_time woken; /* the latest time at which it asked to be called; HC_UNKNOWN: never */
  hc_turns turns;
  uint64_t number; /* of the decision, or of its part since the last start */
  uint32_t *out;   /* users who stand back for this offer: in front those who refused it */
  size_t out_count, out_cap, refused;
  hc_tetris tetris;
};

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
} offer;

/* What became of a user's turn. */
typedef enum turn { TURN_STARTED, TURN_UNFIT, TURN_REFUSED } turn;

/* ---- what is offered ---- */

static const int64_t *free_on(const offer *f, uint32_t host, const int64_t **capacity)
{
  return f->self->services->host_free(f->view, host, capacity);
}

static void look(offer *f)
{
  f->is_bounded = f->host_count > 0;
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

/* ---- a user's turn ---- */

static hc_rc stand_back(hc_policy *self, uint32_t user, bool refuses)
{
  TRY(hc_reserve(self->allocator, (void **)&self->out, &self->out_cap, self->out_count + 1,
                 sizeof *self->out));
  self->out[self->out_count++] = user;
  if (refuses) { /* those who refused come first */
    self->out[self->out_count - 1] = self->out[self->refused];
    self->out[self->refused++] = user;
  }
  hc_turns_leave(&self->turns, user, true);
  return 0;
}

/* Those who refused may want what is left now. */
static void ask_again(hc_policy *self)
{
  const size_t n = self->refused;
  for (size_t i = 0; i < n; i++) hc_turns_leave(&self->turns, self->out[i], false);
  for (size_t i = n; i < self->out_count; i++) self->out[i - n] = self->out[i];
  self->out_count -= n;
  self->refused = 0;
  self->number++;
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
  if (rc == 0 && accept->noted) rc = accept->noted(self->accept, o, true);
  return rc < 0 ? rc : TURN_STARTED;
}

/* Ask the user about one host, and start the task there if it wants it, or is not asked. @return a turn, or an error */
static hc_rc ask(offer *f, uint32_t user, const hc_shape *shape, uint32_t host, bool asks)
{
  hc_policy *self = f->self;
  const hc_turns *t = &self->turns;
  const hc_task task = shape->heap[0].task;
  int64_t need[HC_DIMENSIONS], free[HC_DIMENSIONS];
  hc_offer o = {
      .user = user, .host = host, .dimensions = t->books.dims, .which = t->which, .need = need, .free = free};
  hc_rc rc;
  memcpy(need, shape->need, t->books.dims * sizeof *need);
  memcpy(free, free_on(f, host, NULL), t->books.dims * sizeof *free);
  o.capacity = t->capacity;
  o.now = self->services->now(f->view);
  o.view = f->view;
  o.task = task;
  o.round = f->round;
  o.is_forced = !asks;
  if (asks && !self->accept_type->accepts(self->accept, &o)) {
    if (self->services->explaining(f->view))
      self->services->explain(f->view, task, "its user refuses host %u (%s)", host,
                              self->accept_type->component.name);
    rc = self->accept_type->noted ? self->accept_type->noted(self->accept, &o, false) : 0;
    return rc < 0 ? rc : TURN_REFUSED;
  }
  return start_there(f, &o);
}

/* Ask about every host of the offer that has room, until it wants one. */
static hc_rc ask_each(offer *f, uint32_t user, uint32_t at, bool asks)
{
  const uint32_t dims = f->self->turns.books.dims;
  hc_rc result = TURN_UNFIT;
  for (size_t i = 0; i < f->host_count; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      const hc_shape *shape = &f->self->turns.books.shapes[at];
      const uint32_t host = f->hosts[i].first + k;
      hc_rc rc;
      if (!holds(dims, shape->need, free_on(f, host, NULL))) continue;
      rc = ask(f, user, shape, host, asks);
      if (rc < 0 || rc == TURN_STARTED) return rc;
      if (rc == TURN_REFUSED) result = rc;
    }
  return result;
}

/* Start a task of this shape. @param host the only one that will do, or HC_NO_HOST @param asks the user may refuse */
static hc_rc start(offer *f, uint32_t user, uint32_t at, uint32_t host, bool asks)
{
  hc_policy *self = f->self;
  const hc_range one = {host, 1};
  const hc_shape *shape = &self->turns.books.shapes[at];
  hc_task task;
  hc_rc rc;
  if (self->accept_type->accepts && (asks || self->accept_type->pace))
    return host == HC_NO_HOST ? ask_each(f, user, at, asks) : ask(f, user, shape, host, asks);
  task = shape->heap[0].task;
  rc = self->services->start(f->plan, task, host == HC_NO_HOST ? NULL : &one, host != HC_NO_HOST);
  if (rc == HC_EPOLICY) return TURN_UNFIT;
  if (rc == 0 && !asks && self->accept_type->noted) {
    const hc_offer o = {.user = user, .host = host, .view = f->view, .task = task, .is_forced = true};
    rc = self->accept_type->noted(self->accept, &o, true);
  }
  return rc < 0 ? rc : TURN_STARTED;
}

/* Are there as many slots as this takes? */
static bool has_slots(const hc_turns *t, uint32_t at)
{
  return !t->sites.is_cut || hc_sites_need(&t->sites, t->books.shapes[at].need) <= t->free_slots;
}

/* The user's first task that fits, or only its first of all. */
static hc_rc take_turn(offer *f, uint32_t user, bool asks)
{
  hc_policy *self = f->self;
  hc_books *b = &self->turns.books;
  hc_rc result = TURN_UNFIT;
  for (;;) {
    const bool only_head = self->o->task == TASK_HEAD;
    const uint32_t at = only_head ? hc_turns_first(&self->turns, user, NULL, UINT64_MAX)
                                  : hc_turns_first(&self->turns, user, bound_of(f), self->number);
    hc_rc rc;
    if (at == HC_MAP_NONE) return result;
    rc = has_slots(&self->turns, at) ? start(f, user, at, f->host, asks) : TURN_UNFIT;
    if (rc < 0 || rc == TURN_STARTED) return rc;
    if (rc == TURN_REFUSED) result = rc;
    if (only_head) return result;
    b->shapes[at].tried = self->number;
  }
}

/* The best of the candidates; its user is HC_NOBODY if there is none. */
static hc_rc choose(offer *f, hc_tetris_choice *best)
{
  const hc_tetris_offer offered = {.services = f->self->services,
                                   .view = f->view,
                                   .hosts = f->hosts,
                                   .host_count = f->host_count,
                                   .most = bound_of(f),
                                   .number = f->self->number};
  return hc_tetris_choose(&f->self->tetris, &f->self->turns, &offered, best);
}

/* ---- the decision ---- */

/* One turn. @return 1: there may be another; 0: nobody can, or wants; or an error */
static hc_rc next_turn(offer *f, size_t *started)
{
  hc_policy *self = f->self;
  const bool packs = self->o->knob < 1;
  hc_tetris_choice best = {.host = HC_NO_HOST};
  hc_rc rc;
  if (packs) TRY(choose(f, &best));
  else best.user = hc_turns_next(&self->turns, self->o->misfit == MISFIT_STOP ? NULL : bound_of(f));
  if (best.user == HC_NOBODY) return 0;
  rc = packs ? start(f, best.user, best.shape, best.host, true) : take_turn(f, best.user, true);
  if (rc < 0) return rc;
  if (rc == TURN_STARTED) {
    ++*started;
    ask_again(self);
    look(f);
    return 1;
  }
  if (rc == TURN_UNFIT && self->o->misfit == MISFIT_STOP) return 0;
  TRY(stand_back(self, best.user, rc == TURN_REFUSED));
  return 1;
}

/* Of those who refused, the one whose task goes best with a host of the offer. They alone are in the line. */
static hc_rc insist_on_best(offer *f)
{
  hc_policy *self = f->self;
  const double knob = self->tetris.o.knob;
  hc_tetris_choice best = {.host = HC_NO_HOST};
  hc_rc rc;
  self->tetris.o.knob = 0; /* all of them are candidates */
  rc = choose(f, &best);
  self->tetris.o.knob = knob;
  if (rc == 0 && best.user != HC_NOBODY) rc = start(f, best.user, best.shape, best.host, false);
  return HC_MIN(rc, 0);
}

/* Everybody who could have started a task refused: the first of them in the line that can gets one whether it wants it or
 * not. */
static hc_rc insist(offer *f, size_t started)
{
  hc_policy *self = f->self;
  uint32_t user;
  if (self->refused == 0 || self->o->fallback == FALLBACK_NONE) return 0;
  if (self->o->fallback != FALLBACK_ALL_REFUSED && started > 0) return 0;
  if (self->o->fallback == FALLBACK_ROUND_REFUSED && !f->is_last) return 0;
  ask_again(self);
  if (self->o->fallback == FALLBACK_BEST_SCORE) return insist_on_best(f);
  while ((user = hc_turns_next(&self->turns, bound_of(f))) != HC_NOBODY) {
    const hc_rc rc = take_turn(f, user, false);
    if (rc < 0 || rc == TURN_STARTED) return HC_MIN(rc, 0);
    TRY(stand_back(self, user, false));
  }
  return 0;
}

/* ---- preemption ---- */

/* Where no hosts are offered, nobody else looks at the clock. */
static hc_rc wake_up(offer *f, uint32_t hosts)
{
  hc_policy *self = f->self;
  const hc_time now = self->services->now(f->view);
  hc_time at = HC_NEVER;
  for (uint32_t i = 0; i < hosts; i++) {
    const hc_time t = self->preempt_type->next_preemption(self->preempt, now, i);
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
  const hc_preempt_type *type = self->preempt_type;
  uint32_t hosts = 1;
  TRY(type->advance_to(self->preempt, self->services->now(f->view)));
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

static hc_time next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  if (!self->preempt) return HC_NEVER;
  if (self->preempt_type->advance_to(self->preempt, now) < 0) {
    self->turns.is_broken = true; /* whatever happens next says so */
    return now;
  }
  return self->preempt_type->next_preemption(self->preempt, now, host);
}

/* Share what these hosts have, until nobody can or wants. */
static hc_rc share_out(offer *f)
{
  size_t started = 0;
  hc_rc rc = 1;
  f->self->number++;
  look(f);
  while (rc > 0) rc = next_turn(f, &started);
  if (rc == 0 && f->self->o->rounds > 1 && started == 0 &&
      f->self->refused > 0) { /* asked again, with a lower barrier */
    f->round = 1;
    ask_again(f->self);
    for (rc = 1; rc > 0;) rc = next_turn(f, &started);
    f->round = 0;
  }
  if (rc == 0) rc = insist(f, started);
  all_back(f->self);
  return rc;
}

/* The same with a rule that looks at one host at a time. */
static hc_rc share_each(offer *f, const hc_range *hosts, size_t count)
{
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
      hc_turns_enter(t, one.first, capacity);
      rc = share_out(f);
    }
  hc_turns_enter(t, HC_NO_SITE, NULL);
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

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  offer f = {.self = self, .view = v, .plan = p, .host = HC_NO_HOST, .is_last = why->bits & HC_WHY_LAST_CALL};
  hc_rc rc;
  if (self->turns.books.dims == 0) return 0; /* nobody has come yet */
  f.host_count = self->services->scope(v, &f.hosts);
  TRY(hc_turns_open(&self->turns, self->services, v));
  TRY(reject_oversized(self, v, p));
  if (hc_turns_by_host(&self->turns)) {
    const offer whole = f;
    rc = share_each(&f, f.hosts, f.host_count);
    f = whole;
  } else {
    rc = share_out(&f);
  }
  if (rc == 0 && self->preempt) rc = stop_for_others(&f);
  return rc == 0 && self->turns.is_broken ? HC_ENOMEM : rc;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  uint32_t idle;
  if (self->preempt) TRY(self->preempt_type->advance_to(self->preempt, self->services->now(v)));
  TRY(hc_turns_hear(&self->turns, self->services, v, what, t, amounts, &idle));
  if (self->preempt)
    TRY(self->preempt_type->on_task_event(
        self->preempt, v, what, t, hc_map_get(&self->turns.books.index, (uint64_t)self->services->user(v, t)),
        amounts));
  if (self->accept_type->on_task_event) {
    const uint32_t user = hc_map_get(&self->turns.books.index, (uint64_t)self->services->user(v, t));
    if (user != HC_MAP_NONE) TRY(self->accept_type->on_task_event(self->accept, v, what, t, user));
  }
  if (idle != HC_NOBODY && self->accept_type->forget) self->accept_type->forget(self->accept, idle);
  return 0;
}

/* ---- life ---- */

static bool looks_at_one(const options *o)
{
  return hc_share_rules[o->share]->flags & HC_SHARE_BY_HOST;
}

static bool changes_with_time(const options *o)
{
  return o->half_life > 0 || hc_share_rules[o->share]->solve;
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *order = (const hc_order_type *)o->order.type;
  const hc_accept_type *accept = (const hc_accept_type *)o->accept.type;
  uint32_t out = HC_SHARES | (order->flags ? order->flags(o->order.options) : 0);
  if (!(out & (HC_NEEDS_ESTIMATE | HC_VARIES))) out |= HC_IGNORES_TIME;
  if (accept->flags) out |= accept->flags(o->accept.options);
  if (((const hc_preempt_type *)o->preempt.type)->run) out |= HC_MAY_PREEMPT;
  if (o->knob < 1 || accept->accepts || looks_at_one(o)) out |= HC_NEEDS_SCOPE;
  if (o->misfit == MISFIT_STOP && changes_with_time(o))
    out |= HC_TIME_DEPENDENT; /* who is first may stop all others */
  if (accept->accepts && o->fallback == FALLBACK_ROUND_REFUSED) out |= HC_WANTS_LAST_CALL;
  return out & ~(uint32_t)HC_BY_SUBMISSION;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->order = &o->order;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

static hc_rc check_options(const options *o, hc_error *e)
{
  if (flags(o) & HC_VARIES)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy fair", 0, 0,
        "the order %s changes with time, and users' tasks stand where they stood when they came: use one "
        "such as fcfs or sjf",
        o->order.type->name);
  if ((hc_share_rules[o->share]->flags & HC_SHARE_TREE) && o->knob < 1)
    return hc_fail(
        e, HC_EUSAGE, "policy fair", 0, 0,
        "a knob below 1 chooses among the first users of a line, and hdrf has a tree: set share: drf, or leave "
        "the knob out");
  if (looks_at_one(o) && (o->knob < 1 || ((const hc_accept_type *)o->accept.type)->accepts))
    return hc_fail(
        e, HC_EUSAGE, "policy fair", 0, 0,
        "slots and server_drf name the host themselves: leave the knob at 1 and `accept` at always, or set "
        "share: drf");
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_turns_options turns = {.rule = hc_share_rules[o->share],
                                  .tree_rule = (hc_hdrf_rule)o->tree_rule,
                                  .dimension = o->dimension,
                                  .lists = {&o->weights, &o->quotas, &o->limits, &o->guarantees},
                                  .pools = &o->pools,
                                  .slot = &o->slot,
                                  .scales = o->oversold == OVERSOLD_SCALE,
                                  .takes_more = o->oversized == OVERSIZED_MORE,
                                  .half_life = o->half_life,
                                  .update = o->update,
                                  .expected = o->expected,
                                  .walks = o->knob < 1 || o->fallback == FALLBACK_BEST_SCORE,
                                  .lexicon = c->lexicon};
  const hc_tetris_options tetris = {.knob = o->knob,
                                    .rounds_doubles = o->rounding == ROUND_DOUBLE,
                                    .heads = o->task == TASK_HEAD,
                                    .stops = o->misfit == MISFIT_STOP,
                                    .score = (hc_packing)o->score,
                                    .scale = &o->scale};
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_preempt_asks asks;
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = o;
  self->accept_type = (const hc_accept_type *)o->accept.type;
  self->preempt_type = (const hc_preempt_type *)o->preempt.type;
  self->woken = HC_UNKNOWN;
  *out = self;
  TRY(check_options(o, e));
  hc_tetris_init(&self->tetris, c->allocator, &tetris);
  TRY(hc_turns_init(&self->turns, c->allocator, &turns, e));
  asks = hc_turns_asks(&self->turns);
  if (self->preempt_type->init)
    TRY(self->preempt_type->init(c, o->preempt.options, &asks, &self->preempt, e));
  return self->accept_type->init ? self->accept_type->init(c, o->accept.options, &self->accept, e) : 0;
}

static hc_rc note(const hc_policy *self, hc_buffer *out)
{
  hc_turns_note(&self->turns, out);
  return out->failed ? HC_ENOMEM : 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  TRY(hc_turns_visit(&self->turns, v));
  HC_VISIT(v, self->woken);
  if (self->preempt) TRY(self->preempt_type->visit(self->preempt, v));
  return self->accept_type->visit ? self->accept_type->visit(self->accept, v) : 0;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  return self->accept_type->finish ? self->accept_type->finish(self->accept, f) : 0;
}

static void fini(hc_policy *self)
{
  if (self->accept && self->accept_type->fini) self->accept_type->fini(self->accept);
  if (self->preempt) self->preempt_type->fini(self->preempt);
  hc_turns_fini(&self->turns);
  hc_free(self->allocator, self->out, self->out_cap * sizeof *self->out);
  hc_tetris_fini(&self->tetris);
  hc_free(self->allocator, self, sizeof *self);
}

/* ---- what it is ---- */

const hc_policy_type hc_policy_fair = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "fair",
         .summary = "users share: the user with the least starts the first of its tasks that fits",
         .detail =
             "Meant for the architecture heartbeat, which offers hosts as they report; under monolithic the whole "
             "cell is one offer, and neither a knob nor refusals are possible. DSLab's "
             "FairTetris is share: drf, knob, rounding: double, task: head, misfit: stop, score: cosine, normalise: "
             "amounts, amounts: [1, 1e9].",
         .source = "Ghodsi et al., NSDI 2011; Bhattacharya et al., SoCC 2013; Grandl et al., SIGCOMM 2014",
         .params = hc_fair_params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .note = note,
    .next_preemption = next_preemption,
    .finish = finish,
};
