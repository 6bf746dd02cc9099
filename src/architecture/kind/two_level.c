/* two_level.c -- an allocator offers free hosts to one framework or another, and each places its own jobs on
 * them: Mesos.
 *
 * A framework is a scheduler of the list. Every `interval` in which something has changed, the allocator goes
 * through the frameworks that have jobs and hold no offer, by their dominant shares over their weights, and
 * offers each what no other has been offered: everything that is free, as many hosts as would bring it to
 * its fair share, or some hosts. What is offered is locked until the framework answers, and that takes as
 * long as it thinks: an offer to a slow framework is idle all that time. It takes job after job from its
 * queue while something of the offer can be used, then gives the rest back, and is not offered that again for
 * `refuse_for`: a host unless more of it is free than it gave back, everything unless something has ended.
 * What another framework gives back is no news to one that refused it. Nothing is no offer. With
 * `offer_timeout` an offer is withdrawn, and what the framework then wishes may be refused.
 *
 * With `gang: hoard` a job, or one that its scheduler calls a gang, starts as a whole: a framework whose
 * offers do not suffice keeps them, idle, and waits for more. Two that hoard may wait for each other: after
 * `hoard_timeout` a framework gives all back, and its job stands back for a random time that doubles with
 * each time-out. What is offered, refused and locked is kept in offers.h.
 *
 * An offer of everything costs nothing per host; one of some hosts, their number. Sources: Hindman et al.,
 * Mesos, NSDI 2011; Schwarzkopf et al., Omega, EuroSys 2013, section 3.3; allocator and filters as in the
 * Mesos documentation. */
#include <stdio.h>

#include "architecture/offers.h"
#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

enum { GANG_NONE, GANG_HOARD };
enum { TIMER_ROUND = 2000, TIMER_FILTER = 2001, TIMER_TIMEOUT = 3000 };

static hc_time now_of(const hc_architecture *self)
{
  return self->all.c.services->now(self->all.c.engine);
}

/* ---- rounds ---- */

static hc_rc call_round(hc_architecture *self)
{
  const hc_time now = now_of(self);
  hc_time at = now;
  if (self->is_armed) return 0;
  self->is_armed = 1;
  if (self->o->interval > 0) at = hc_time_add(now - now % self->o->interval, self->o->interval);
  return self->all.c.services->timer(self->all.c.engine, at, TIMER_ROUND);
}

static hc_rc set_deadline(hc_architecture *self, uint32_t scheduler, hc_time after)
{
  self->f[scheduler].deadline = after == HC_UNKNOWN ? HC_NEVER : hc_time_add(now_of(self), after);
  if (self->f[scheduler].deadline == HC_NEVER) return 0;
  return self->all.c.services->timer(self->all.c.engine, self->f[scheduler].deadline,
                                     TIMER_TIMEOUT + scheduler);
}

/* Until something changes, or till `again`, there is nothing to offer it. */
static void skip(const hc_architecture *self, hc_framework *f)
{
  f->looked = self->changes;
}

/* ---- a framework at work ---- */

static const hc_range *scope_of(const hc_framework *f)
{
  return f->count > 0 ? f->hosts : NULL;
}

/* Is its job one for which offers are kept until they suffice? */
static bool is_hoarded(const hc_architecture *self, uint32_t scheduler)
{
  return self->o->gang == GANG_HOARD &&
         (!self->has_gangs || hc_schedulers_is_gang(&self->all, hc_schedulers_at(&self->all, scheduler)));
}

/* The whole job can start, or it need not. */
static bool suffices(const hc_architecture *self, uint32_t scheduler, const hc_attempt *a)
{
  return a->planned == hc_schedulers_at(&self->all, scheduler)->count || !is_hoarded(self, scheduler);
}

/* What it holds does not suffice: it keeps that and waits for more. */
static hc_rc hoard(hc_architecture *self, uint32_t scheduler)
{
  hc_framework *f = &self->f[scheduler];
  hc_schedulers_forget(&self->all, scheduler);
  if (self->o->offer == HC_OFFER_ALL) skip(self, f); /* it has all there is */
  if (f->hoards) return 0;
  f->hoards = 1;
  self->hoards++;
  return set_deadline(self, scheduler, self->o->hoard_timeout);
}

/* Decide on what it has been offered. @return 1 if it thinks, or hoards; 0: it has no use for it */
static hc_rc work(hc_architecture *self, uint32_t scheduler, hc_error *e)
{
  hc_framework *f = &self->f[scheduler];
  hc_attempt a;
  hc_rc rc = 1;
  if (f->hoards) hc_schedulers_think_again(&self->all, scheduler);
  else rc = hc_schedulers_begin(&self->all, scheduler);
  if (rc <= 0) return rc;
  TRY(hc_schedulers_decide(&self->all, scheduler, scope_of(f), f->count, false, &a, e));
  if (!suffices(self, scheduler, &a)) {
    TRY(hoard(self, scheduler));
    return 1;
  }
  if (f->hoards) {
    hc_offers_count_locked(self, scheduler);
    f->hoards = 0;
    TRY(set_deadline(self, scheduler, self->o->offer_timeout));
  }
  TRY(hc_schedulers_timer(&self->all, scheduler));
  return 1;
}

/* It has no more use for the offer. */
static hc_rc give_back(hc_architecture *self, uint32_t scheduler)
{
  TRY(hc_offers_refuse(self, &self->f[scheduler]));
  hc_offers_unlock(self, scheduler);
  self->declined++;
  return call_round(self);
}

/* Its decision is over: start what it wished, and go on with the next job while that leads to anything. */
static hc_rc answer(hc_architecture *self, uint32_t scheduler, hc_error *e)
{
  hc_framework *f = &self->f[scheduler];
  const hc_commit_mode mode = is_hoarded(self, scheduler) ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED;
  hc_attempt a;
  TRY(hc_schedulers_commit(&self->all, scheduler, mode, &a, e));
  TRY(hc_schedulers_done(&self->all, scheduler, &a, e));
  f->timeouts = 0;
  if (a.planned > a.refused + a.limited) self->changes++;
  if (f->has_offer && a.planned > a.refused + a.limited) {
    hc_offers_count_locked(self, scheduler);
    hc_offers_lock(self, scheduler);
    const hc_rc rc = work(self, scheduler, e);
    if (rc != 0) return HC_MIN(rc, 0);
  }
  return f->has_offer ? give_back(self, scheduler) : call_round(self);
}

/* Does it want an offer, and is nothing in the way of one? */
static bool is_ready(const hc_architecture *self, uint32_t scheduler)
{
  const hc_scheduler *x = &self->all.one[scheduler];
  return self->f[scheduler].hoards || (self->holder == HC_OFFERED_NOBODY && !self->f[scheduler].has_offer &&
                                       x->at == HC_NO_JOB && x->waiting.count > 0);
}

static bool may_be_offered(const hc_architecture *self, uint32_t scheduler)
{
  const hc_framework *f = &self->f[scheduler];
  return is_ready(self, scheduler) && (f->looked != self->changes || now_of(self) >= f->again);
}

static hc_rc round_of_offers(hc_architecture *self, hc_error *e)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < self->all.count; i++) {
    uint32_t at = n;
    if (!may_be_offered(self, i)) continue;
    const double share = hc_offers_share(self, &self->f[i]);
    for (; at > 0 && hc_offers_share(self, &self->f[self->rank[at - 1]]) > share; at--)
      self->rank[at] = self->rank[at - 1];
    self->rank[at] = i;
    n++;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t scheduler = self->rank[i];
    hc_rc rc = hc_offers_make(self, scheduler);
    if (rc == 0) skip(self, &self->f[scheduler]);
    if (rc > 0 && !self->f[scheduler].hoards) TRY(set_deadline(self, scheduler, self->o->offer_timeout));
    if (rc > 0 && (rc = work(self, scheduler, e)) == 0) rc = give_back(self, scheduler);
    TRY(rc);
  }
  return 0;
}

/* ---- time-outs ---- */

/* Is every framework hoarding that has anything to do? Then none will ever give anything back. */
static bool is_deadlock(const hc_architecture *self)
{
  uint32_t hoarders = 0;
  for (uint32_t i = 0; i < self->all.count; i++) {
    hoarders += self->f[i].hoards;
    if (self->all.one[i].at != HC_NO_JOB && !self->f[i].hoards) return false;
    for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++)
      if (self->f[i].usage.used[d] > 0) return false;
  }
  return hoarders > 1;
}

static hc_rc end_hoarding(hc_architecture *self, uint32_t scheduler, hc_error *e)
{
  const hc_policy_context *c = self->all.c.policy_context;
  hc_framework *f = &self->f[scheduler];
  hc_draws draws = {c->seed, c->replication, scheduler, HC_PURPOSE_THINK, self->hoard_timeouts << 8 | 1};
  double most = (double)self->o->back_off;
  self->deadlocks += is_deadlock(self);
  self->hoard_timeouts++;
  for (uint32_t i = 0; i < f->timeouts && i < 10; i++) most *= 2;
  f->timeouts++;
  TRY(hc_schedulers_back_off(&self->all, scheduler, (hc_time)(hc_random_unit(&draws) * most), e));
  return give_back(self, scheduler);
}

static hc_rc time_out(hc_architecture *self, uint32_t scheduler, hc_error *e)
{
  hc_framework *f = &self->f[scheduler];
  if (!f->has_offer || now_of(self) < f->deadline) return 0; /* an older offer's */
  if (f->hoards) return end_hoarding(self, scheduler, e);
  hc_offers_unlock(self, scheduler);
  self->withdrawn++;
  return call_round(self);
}

/* ---- what happens ---- */

/* Where a task asks for less than any before, there may be room where there was none. */
static void note_least(hc_architecture *self)
{
  uint64_t least = 0;
  for (uint32_t i = 0; i < self->all.count; i++)
    least += self->all.c.services->least(self->all.c.engine, self->all.one[i].staging);
  if (least == self->least) return;
  self->least = least;
  self->changes++;
}

/* A job has come that has refused nothing yet. */
static void revive(hc_architecture *self, hc_framework *f)
{
  if (!self->o->revive) return;
  f->revived = now_of(self);
  f->looked = 0;
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  uint32_t scheduler;
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_ROUND) {
    self->is_armed = 0;
    return round_of_offers(self, e);
  }
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_FILTER) return 0; /* `decide` looks again */
  if (sig->what == HC_WHY_TIMER && sig->timer >= TIMER_TIMEOUT &&
      sig->timer - TIMER_TIMEOUT < self->all.count)
    return time_out(self, sig->timer - TIMER_TIMEOUT, e);
  self->all.newest = HC_NO_SCHEDULER;
  TRY(hc_schedulers_signal(&self->all, sig, &scheduler, e));
  if (self->all.newest != HC_NO_SCHEDULER) revive(self, &self->f[self->all.newest]);
  if (sig->what == HC_WHY_END || sig->what == HC_WHY_CELL) {
    self->changes++;
    self->freed++;
  }
  note_least(self);
  return scheduler == HC_NO_SCHEDULER ? 0 : answer(self, scheduler, e);
}

/* Some framework has jobs and no offer: there will be a round, when there is something to offer or what it
 * declined may be offered anew. */
static hc_rc decide(hc_architecture *self, hc_error *e)
{
  hc_time at = HC_NEVER;
  HC_UNUSED(e);
  for (uint32_t i = 0; i < self->all.count; i++) {
    if (may_be_offered(self, i)) return call_round(self);
    if (is_ready(self, i)) at = HC_MIN(at, self->f[i].again);
  }
  if (at == HC_NEVER || self->wakes_at == at) return 0;
  self->wakes_at = at;
  return self->all.c.services->timer(self->all.c.engine, at, TIMER_FILTER);
}

/* ---- life ---- */

static hc_rc read_weights(hc_architecture *self, hc_error *e)
{
  const double *weights = self->o->weights.items;
  const hc_schedulers *all = &self->all;
  if (self->o->weights.count != 0 && self->o->weights.count != all->kind_count)
    return hc_fail(e, HC_EUSAGE, "architecture two_level", 0, 0,
                   "%zu weights for %u schedulers: give one for each, in their order, or none",
                   self->o->weights.count, all->kind_count);
  for (uint32_t k = 0; k < all->kind_count; k++)
    for (uint32_t i = all->first[k]; i < all->first[k + 1]; i++) {
      self->f[i].weight = self->o->weights.count ? weights[k] : 1;
      if (!(self->f[i].weight > 0))
        return hc_fail(e, HC_EUSAGE, "architecture two_level", 0, 0,
                       "the weight of scheduler %s is not above 0: it would be offered nothing",
                       all->kinds[k]->name);
    }
  return 0;
}

static hc_rc make(hc_architecture *self, const hc_offers_options *o, hc_error *e)
{
  hc_schedulers *all = &self->all;
  self->hosts = all->c.services->hosts(all->c.engine);
  if (o->offer != HC_OFFER_ALL && self->hosts == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture two_level", 0, 0,
        "some hosts can be offered only of a cell of hosts: use `cell: {use: hosts, ...}`, or `offer: all`");
  self->f = hc_arena_alloc(&all->build, all->count * sizeof *self->f);
  self->rank = hc_arena_alloc(&all->build, all->count * sizeof *self->rank);
  if (o->offer != HC_OFFER_ALL) self->owner = hc_arena_alloc(&all->build, self->hosts * sizeof *self->owner);
  if (!self->f || !self->rank || (o->offer != HC_OFFER_ALL && !self->owner)) return HC_ENOMEM;
  for (uint32_t i = 0; i < all->count; i++) {
    self->f[i].deadline = HC_NEVER;
    self->f[i].again = HC_NEVER;
    self->f[i].refused_at = -1;
    hc_usage_of_follow(&self->f[i].usage, all->ask, all->c.services, all->c.engine, all->one[i].queue,
                       all->one[i].limits.is_on ? &all->one[i].limits.type : all->one[i].type,
                       all->one[i].limits.is_on ? (hc_policy *)(void *)&all->one[i].limits
                                                : all->one[i].policy);
  }
  hc_usage_of_follow(&self->prefill, all->ask, all->c.services, all->c.engine, all->prefill, NULL, NULL);
  for (uint32_t k = 0; k < all->kind_count; k++) self->has_gangs |= all->gangs[k] != NULL;
  self->changes = 1; /* 0: none has been looked at yet */
  return read_weights(self, e);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const hc_offers_options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->o = o;
  self->wakes_at = HC_NEVER;
  TRY(hc_schedulers_init(&self->all, c, &o->schedulers, false, e));
  self->all.offers = HC_WHY_OFFER;
  TRY(hc_schedulers_refuse_hosts(&self->all, e));
  TRY(hc_schedulers_refuse_pass(&self->all, "a framework answers an offer job by job", e));
  TRY(hc_schedulers_never_mold(&self->all, "it is offered hosts and does not see the cell", e));
  return make(self, o, e);
}

static hc_rc visit_framework(hc_framework *f, hc_visitor *v)
{
  HC_VISIT(v, f->usage.used);
  HC_VISIT(v, f->has_offer);
  HC_VISIT(v, f->hoards);
  HC_VISIT(v, f->timeouts);
  HC_VISIT(v, f->looked);
  HC_VISIT(v, f->again);
  HC_VISIT(v, f->refused_freed);
  HC_VISIT(v, f->revived);
  HC_VISIT(v, f->refused_at);
  HC_VISIT_ARRAY(v, f->filters, f->filter_count, f->filter_cap);
  HC_VISIT_ARRAY(v, f->filter_free, f->filter_free_count, f->filter_free_cap);
  HC_VISIT(v, f->deadline);
  HC_VISIT(v, f->locked_since);
  HC_VISIT(v, f->locked);
  HC_VISIT_ARRAY(v, f->hosts, f->count, f->cap);
  return 0;
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  for (uint32_t i = 0; i < self->all.count; i++) TRY(visit_framework(&self->f[i], v));
  if (self->owner) TRY(hc_visit_bytes(v, self->owner, self->hosts * sizeof *self->owner));
  HC_VISIT(v, self->prefill.used);
  HC_VISIT(v, self->holder);
  HC_VISIT(v, self->next);
  HC_VISIT(v, self->is_armed);
  HC_VISIT(v, self->wakes_at);
  HC_VISIT(v, self->changes);
  HC_VISIT(v, self->least);
  HC_VISIT(v, self->freed);
  HC_VISIT(v, self->offers);
  HC_VISIT(v, self->declined);
  HC_VISIT(v, self->withdrawn);
  HC_VISIT(v, self->hoards);
  HC_VISIT(v, self->hoard_timeouts);
  HC_VISIT(v, self->deadlocks);
  HC_VISIT(v, self->locked_time);
  HC_VISIT(v, self->hoarded_time);
  return hc_schedulers_visit(&self->all, v);
}

static hc_rc find_locked(hc_architecture *self, hc_findings *f)
{
  const hc_view *v = self->all.c.services->task_view(self->all.c.engine);
  const hc_lexicon *lexicon = self->all.c.policy_context->lexicon;
  const double span = (double)now_of(self);
  for (uint32_t i = 0; i < self->all.count; i++)
    if (self->f[i].has_offer) hc_offers_count_locked(self, i);
  for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++) {
    const char *name = hc_lexicon_dimension_name(lexicon, self->all.ask->dimension_id(v, d));
    const double whole = (double)hc_offers_capacity(self, d) * span;
    char figure[100];
    (void)snprintf(figure, sizeof figure, "locked_%s", name);
    TRY(hc_find_real(f, figure, "1", whole > 0 ? self->locked_time[d] / whole : __builtin_nan("")));
    (void)snprintf(figure, sizeof figure, "hoarded_%s", name);
    TRY(hc_find_real(f, figure, "1", whole > 0 ? self->hoarded_time[d] / whole : __builtin_nan("")));
  }
  return 0;
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  TRY(hc_schedulers_finish(&self->all, f));
  TRY(hc_find_count(f, "offers", "offers", (int64_t)self->offers));
  TRY(hc_find_count(f, "offers_returned", "offers", (int64_t)self->declined));
  TRY(hc_find_count(f, "offers_withdrawn", "offers", (int64_t)self->withdrawn));
  TRY(hc_find_count(f, "hoards", "times", (int64_t)self->hoards));
  TRY(hc_find_count(f, "hoard_timeouts", "times", (int64_t)self->hoard_timeouts));
  TRY(hc_find_count(f, "deadlocks", "times", (int64_t)self->deadlocks));
  return find_locked(self, f);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->all.c.allocator;
  for (uint32_t i = 0; self->f && i < self->all.count; i++) {
    const hc_framework *f = &self->f[i];
    hc_free(a, f->hosts, f->cap * sizeof *f->hosts);
    hc_free(a, f->filters, f->filter_cap * sizeof *f->filters);
    hc_free(a, f->filter_free, f->filter_free_cap * sizeof *f->filter_free);
  }
  hc_schedulers_fini(&self->all);
  hc_free(a, self, sizeof *self);
}

static const char *const figures[] = {
#include "architecture/scheduler/figures.h"
    "offers|offers|none|offers made",
    "offers_returned|offers|none|offers that were given back by their framework, used or not",
    "offers_withdrawn|offers|lower|offers that were withdrawn after `offer_timeout`",
    "hoards|times|none|times that a framework began to keep offers that did not suffice for a job",
    "hoard_timeouts|times|lower|times that a framework gave them back after `hoard_timeout`",
    "deadlocks|times|lower|time-outs of hoarding at which nothing ran and every framework with anything to "
    "do hoarded",
    "locked_*|1|lower|mean over time of the amount that was offered and not held by a task / what the cell "
    "has",
    "hoarded_*|1|lower|the part of this that was hoarded",
    NULL};

static const hc_param params[] = {
#include "architecture/scheduler/params.h"
    HC_PARAM(CHOICE, hc_offers_options, offer, "all|fair_share|hosts", "all",
             "What an offer holds. all: everything that is free, for one framework at a time. fair_share: "
             "hosts with room, until the framework would have its share of the cell by weight. hosts: as "
             "many hosts with room as `hosts` says. The latter two leave hosts for other frameworks at the "
             "same time."),
    HC_PARAM(INT, hc_offers_options, hosts, "hosts", "100", 1, 1e9,
             "How many hosts make an offer, for `offer: hosts`."),
    HC_PARAM(TIME, hc_offers_options, interval, "s", "1s", 0, 1e9,
             "Offers are made at whole multiples of this time, if something has changed. 0: at once. A host "
             "with less free than the least demand of all queued tasks is not offered."),
    HC_PARAM(TIME, hc_offers_options, refuse_for, "s", "5s", 0, 1e9,
             "For how long a framework is not offered what it gave back (Mesos: a filter): a host, unless "
             "more of it is free than then; with offer: all, everything, unless a task has ended since. "
             "Other frameworks may be offered it."),
    HC_PARAM(BOOL, hc_offers_options, revive, "true",
             "A job that arrives ends the refusals (`refuse_for`) of its framework, which were those of "
             "other jobs (Mesos: reviveOffers)."),
    HC_PARAM(TIME, hc_offers_options, offer_timeout, "s", NULL, 0, 1e9,
             "An offer is withdrawn after this time, and may go to other frameworks. Default: never."),
    HC_PARAM(CHOICE, hc_offers_options, gang, "none|hoard", "none",
             "Whether all tasks of a job start together. none: tasks start as there is room. hoard: all "
             "start at once; until its offers suffice, a framework keeps them idle. If a scheduler has a "
             "`gang`, this holds only for jobs that are gangs by that."),
    HC_PARAM(TIME, hc_offers_options, hoard_timeout, "s", "60s", 0, 1e9,
             "A framework that has hoarded for this long gives everything back."),
    HC_PARAM(TIME, hc_offers_options, back_off, "s", "10s", 0, 1e9,
             "After `hoard_timeout` the job waits for a random time, uniform between 0 and a bound: this "
             "value, doubled with each time-out in a row, up to 1,024 times this value."),
    HC_PARAM(REALS, hc_offers_options, weights, "1", NULL, 0, 0,
             "Weights of the schedulers, in their order: the one with the least dominant share over its "
             "weight gets an offer first. Default: 1 each."),
    {0}};

const hc_architecture_type hc_architecture_two_level = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures,
         .name = "two_level",
         .summary = "an allocator offers free hosts to frameworks, which place their own jobs on them: Mesos",
         .detail =
             "What is offered is locked until the framework has thought and answers. Offers go to frameworks "
             "in the order of their dominant shares over their weights, the least first. A framework takes "
             "job after job while something of its offer can be used. A job is given up as `attempts` says; "
             "hoarding in vain counts as an attempt.",
         .source = "Hindman et al., Mesos, NSDI 2011; Schwarzkopf et al., EuroSys 2013, "
                   "doi:10.1145/2465351.2465386, section 3.3",
         .params = params, .options_size = sizeof(hc_offers_options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .offers_hosts = true,
    .asks_jobs = true,
    .reach = HC_REACH_JOB,
    .places_prefill = true,
    .is_thinking = hc_schedulers_kind_is_thinking,
    .note = hc_schedulers_kind_note,
};
