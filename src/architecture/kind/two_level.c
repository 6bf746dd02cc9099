/* two_level.c -- an allocator offers free hosts to one framework or another, and each places its own jobs on them: Mesos.
 *
 * A framework is a scheduler of the list. Every `interval` in which something has changed, the allocator goes through the
 * frameworks that have jobs and hold no offer, by their dominant shares over their weights, and offers each what nobody
 * else has been offered: everything that is free, as many hosts as would bring it to its fair share, or some hosts. What is
 * offered is locked until the framework answers, and that takes as long as it thinks: an offer to a slow framework is
 * idle all that time. It takes job after job from its line while something of the offer can be used, then gives the rest
 * back, and is not offered that again for `refuse_for`: a host unless more of it is free than it gave back, everything unless
 * something has ended. What another framework gives back is no news to one that refused it. Nothing is no offer. With
 * `offer_timeout` an offer is withdrawn, and what the framework then wishes may be refused.
 *
 * With `gang: hoard` a job, or one that its scheduler calls a gang, starts as a whole: a framework whose offers do not suffice keeps them, idle, and waits for
 * more. Two that hoard may wait for each other: after `hoard_timeout` a framework gives all back, and its job stands
 * back for a random time that doubles with each time-out.
 *
 * An offer of everything costs nothing per host; one of some hosts, their number. Sources: Hindman et al., Mesos, NSDI 2011;
 * Schwarzkopf et al., Omega, EuroSys 2013, section 3.3; allocator and filters as in the Mesos documentation. */
#include <stdio.h>

#include "architecture/desks.h"
#include "architecture/usage_of.h"
#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

enum { OFFER_ALL, OFFER_FAIR_SHARE, OFFER_HOSTS };
enum { GANG_NONE, GANG_HOARD };
enum { TIMER_ROUND = 2000, TIMER_FILTER = 2001, TIMER_TIMEOUT = 3000 };
#define NOBODY 0 /* owner of a host; else number of the framework and 1 */

typedef struct options {
  hc_desks_options desks;
  int offer, gang;
  int64_t hosts;
  bool revive;
  hc_time interval, refuse_for, offer_timeout, hoard_timeout, back_off;
  hc_list weights; /* double, by scheduler of the list */
} options;

typedef struct framework {
  hc_usage_of usage;
  double weight;
  uint32_t has_offer; /* of hosts, or of everything */
  uint32_t hoards;
  uint32_t timeouts; /* of its hoarding, for this job */
  uint64_t looked;   /* `changes` when there was nothing to offer it; 0: never */
  hc_time again; /* from then on there may be, though nothing changes: it has refused something until then */
  uint64_t refused_freed; /* OFFER_ALL: `freed` when it refused everything */
  hc_time revived;        /* what it refused before this is forgotten */
  hc_time refused_at;     /* and when; -1: it has not */
  hc_time *filters;       /* [filter_count] by host: when it refused it; -1: it has not */
  int64_t *filter_free;   /* [filter_free_count] by host and dimension: what was free of it then */
  size_t filter_count, filter_cap, filter_free_count, filter_free_cap;
  hc_time deadline; /* of its offer, or of its hoarding */
  hc_time locked_since;
  int64_t locked[HC_DIMENSIONS];
  hc_range *hosts; /* [count] that it has been offered; ascending; none: everything */
  size_t count, cap;
} framework;

struct hc_architecture {
  hc_desks desks;
  const options *o;
  framework *f; /* [desks.count] */
  hc_usage_of prefill;
  uint32_t *rank; /* [desks.count] */
  uint32_t hosts;
  bool has_gangs;  /* some scheduler says which jobs are; else all are, if offers are hoarded */
  uint32_t *owner; /* [hosts] who has been offered it; not for OFFER_ALL */
  /* state */
  uint32_t holder;   /* OFFER_ALL: who has been offered everything */
  uint32_t next;     /* host from which the next offer of some hosts looks on */
  uint32_t is_armed; /* a round is to come */
  hc_time wakes_at;  /* when what was declined may be offered anew, as armed last */
  uint64_t changes;  /* of what may be offered */
  uint64_t least;    /* of what tasks in line have asked for, as it was known last */
  uint64_t freed;    /* of them, those by which more became free, whoever had been offered it */
  uint64_t offers, declined, withdrawn, hoards, hoard_timeouts, deadlocks;
  double locked_time[HC_DIMENSIONS], hoarded_time[HC_DIMENSIONS]; /* amounts x ns */
};

static hc_time now_of(const hc_architecture *self)
{
  return self->desks.c.services->now(self->desks.c.engine);
}

/* ---- rounds ---- */

static hc_rc call_round(hc_architecture *self)
{
  const hc_time now = now_of(self);
  hc_time at = now;
  if (self->is_armed) return 0;
  self->is_armed = 1;
  if (self->o->interval > 0) at = hc_time_add(now - now % self->o->interval, self->o->interval);
  return self->desks.c.services->timer(self->desks.c.engine, at, TIMER_ROUND);
}

/* What the whole cell has of each dimension, through a view of nothing. */
static int64_t capacity_of(const hc_architecture *self, uint32_t d)
{
  return self->desks.ask->capacity(self->desks.c.services->look(self->desks.c.engine), d);
}

static uint32_t dimensions_of(const hc_architecture *self)
{
  return self->desks.ask->dimensions(self->desks.c.services->look(self->desks.c.engine));
}

static double share_of(const hc_architecture *self, const framework *f)
{
  double most = 0;
  for (uint32_t d = 0, n = dimensions_of(self); d < n; d++) {
    const double capacity = (double)capacity_of(self, d);
    if (capacity > 0) most = HC_MAX(most, (double)f->usage.used[d] / capacity);
  }
  return most / f->weight;
}

/* ---- what is locked ---- */

static void lock(hc_architecture *self, uint32_t desk)
{
  framework *f = &self->f[desk];
  const hc_view *v = self->desks.c.services->look(self->desks.c.engine);
  f->locked_since = now_of(self);
  for (uint32_t d = 0, n = dimensions_of(self); d < n; d++) {
    f->locked[d] = 0;
    if (f->count == 0) {
      f->locked[d] = capacity_of(self, d);
      for (uint32_t i = 0; i < self->desks.count; i++) f->locked[d] -= self->f[i].usage.used[d];
      f->locked[d] -= self->prefill.used[d];
    }
    for (size_t i = 0; i < f->count; i++)
      for (uint32_t k = 0; k < f->hosts[i].count; k++)
        f->locked[d] += self->desks.ask->host_free(v, f->hosts[i].first + k, NULL)[d];
  }
}

/* Count what was locked until now, and lock no more. */
static void count_locked(hc_architecture *self, uint32_t desk)
{
  framework *f = &self->f[desk];
  const double time = (double)(now_of(self) - f->locked_since);
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    self->locked_time[d] += (double)f->locked[d] * time;
    if (f->hoards) self->hoarded_time[d] += (double)f->locked[d] * time;
  }
  f->locked_since = now_of(self);
}

static void unlock(hc_architecture *self, uint32_t desk)
{
  framework *f = &self->f[desk];
  if (!f->has_offer) return;
  count_locked(self, desk);
  for (size_t i = 0; i < f->count && self->owner; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) self->owner[f->hosts[i].first + k] = NOBODY;
  if (self->holder == desk + 1) self->holder = NOBODY;
  f->count = 0;
  f->has_offer = f->hoards = 0;
  f->deadline = HC_NEVER;
  self->changes++;
}

/* ---- offers ---- */

static hc_rc set_deadline(hc_architecture *self, uint32_t desk, hc_time after)
{
  self->f[desk].deadline = after == HC_UNKNOWN ? HC_NEVER : hc_time_add(now_of(self), after);
  if (self->f[desk].deadline == HC_NEVER) return 0;
  return self->desks.c.services->timer(self->desks.c.engine, self->f[desk].deadline, TIMER_TIMEOUT + desk);
}

/* Until something changes, or till `again`, there is nothing to offer it. */
static void skip(const hc_architecture *self, framework *f)
{
  f->looked = self->changes;
}

/* It has had everything that is free, or hosts, and had no use for what is left: for a while that is not offered to it. */
static hc_rc refuse(hc_architecture *self, framework *f)
{
  const hc_allocator *a = self->desks.c.allocator;
  const hc_view *v = self->desks.c.services->look(self->desks.c.engine);
  const uint32_t n = dimensions_of(self);
  const size_t amounts = (size_t)self->hosts * n;
  f->refused_freed = self->freed;
  f->refused_at = now_of(self);
  if (self->o->offer == OFFER_ALL) return 0;
  if (f->filter_count == 0) {
    TRY(hc_reserve(a, (void **)&f->filters, &f->filter_cap, self->hosts, sizeof *f->filters));
    TRY(hc_reserve(a, (void **)&f->filter_free, &f->filter_free_cap, amounts, sizeof *f->filter_free));
    for (uint32_t h = 0; h < self->hosts; h++) f->filters[h] = -1;
    for (size_t i = 0; i < amounts; i++) f->filter_free[i] = 0;
    f->filter_count = self->hosts;
    f->filter_free_count = amounts;
  }
  for (size_t i = 0; i < f->count; i++)
    for (uint32_t h = f->hosts[i].first, k = 0; k < f->hosts[i].count; k++, h++) {
      const int64_t *free = self->desks.ask->host_free(v, h, NULL);
      f->filters[h] = f->refused_at;
      for (uint32_t d = 0; d < n; d++) f->filter_free[(size_t)h * n + d] = free[d];
    }
  return 0;
}

/* What it refused then is not offered to it till when? @return a time that is over if that is forgotten */
static hc_time kept_till(const hc_architecture *self, const framework *f, hc_time refused_at)
{
  return refused_at < f->revived ? -1 : hc_time_add(refused_at, self->o->refuse_for);
}

/* Has it refused this host lately, when as much of it was free as is now? */
static bool is_refused(const hc_architecture *self, framework *f, uint32_t host, const int64_t *free)
{
  const uint32_t n = dimensions_of(self);
  hc_time till;
  if (f->filter_count == 0) return false;
  till = kept_till(self, f, f->filters[host]);
  if (now_of(self) >= till) return false;
  for (uint32_t d = 0; d < n; d++)
    if (free[d] > f->filter_free[(size_t)host * n + d]) return false;
  f->again = HC_MIN(f->again, till);
  return true;
}

/* May it be offered everything, and is there anything? */
static bool may_have_all(hc_architecture *self, framework *f, uint32_t desk)
{
  const hc_engine_services *s = self->desks.c.services;
  if (self->holder == desk + 1) return true;
  if (self->holder != NOBODY || !s->room(self->desks.c.engine, self->desks.lobby, HC_ALL_HOSTS)) return false;
  if (f->refused_freed != self->freed || now_of(self) >= kept_till(self, f, f->refused_at)) return true;
  f->again = kept_till(self, f, f->refused_at);
  return false;
}

/* Add a host to what the framework has been offered, where it belongs. */
static hc_rc take_host(hc_architecture *self, framework *f, uint32_t desk, uint32_t host)
{
  size_t at = f->count;
  if (at > 0 && f->hosts[at - 1].first + f->hosts[at - 1].count == host) {
    f->hosts[at - 1].count++;
  } else {
    TRY(hc_reserve(self->desks.c.allocator, (void **)&f->hosts, &f->cap, f->count + 1, sizeof *f->hosts));
    for (; at > 0 && f->hosts[at - 1].first > host; at--) f->hosts[at] = f->hosts[at - 1];
    f->hosts[at] = (hc_range){host, 1};
    f->count++;
  }
  self->owner[host] = desk + 1;
  return 0;
}

/* How much more a framework is due: its part of everything, less what it has. */
static void left_of_share(const hc_architecture *self, const framework *f, double *left)
{
  double weights = 0;
  for (uint32_t i = 0; i < self->desks.count; i++) weights += self->f[i].weight;
  for (uint32_t d = 0, n = dimensions_of(self); d < n; d++)
    left[d] = (double)capacity_of(self, d) * f->weight / weights - (double)f->usage.used[d];
}

static bool is_used_up(const double *left, uint32_t n)
{
  for (uint32_t d = 0; d < n; d++)
    if (left[d] <= 0) return true;
  return false;
}

/* Gather hosts with room that nobody has been offered, from where the last offer ended. */
static hc_rc gather_hosts(hc_architecture *self, uint32_t desk, bool *some)
{
  const hc_engine_services *s = self->desks.c.services;
  const hc_view *v = s->look(self->desks.c.engine);
  framework *f = &self->f[desk];
  const uint32_t n = dimensions_of(self);
  int64_t wanted = self->o->offer == OFFER_HOSTS ? self->o->hosts : INT64_MAX;
  double left[HC_DIMENSIONS];
  left_of_share(self, f, left);
  *some = false;
  for (uint32_t i = 0, from = self->next; i < self->hosts && wanted > 0; i++) {
    const uint32_t host = (from + i) % self->hosts;
    if (self->o->offer == OFFER_FAIR_SHARE && is_used_up(left, n)) break;
    if (self->owner[host] != NOBODY || !s->room(self->desks.c.engine, self->desks.lobby, host)) continue;
    if (is_refused(self, f, host, self->desks.ask->host_free(v, host, NULL))) continue;
    TRY(take_host(self, f, desk, host));
    for (uint32_t d = 0; d < n; d++) left[d] -= (double)self->desks.ask->host_free(v, host, NULL)[d];
    self->next = (host + 1) % self->hosts;
    wanted--;
    *some = true;
  }
  return 0;
}

/* @return 1 if there was something to offer */
static hc_rc make_offer(hc_architecture *self, uint32_t desk)
{
  framework *f = &self->f[desk];
  bool some;
  f->again = HC_NEVER;
  if (f->has_offer) count_locked(self, desk);
  if (self->o->offer != OFFER_ALL) TRY(gather_hosts(self, desk, &some));
  else if ((some = may_have_all(self, f, desk))) self->holder = desk + 1;
  if (!some) return 0;
  f->has_offer = 1;
  lock(self, desk);
  self->offers++;
  if (!f->hoards) TRY(set_deadline(self, desk, self->o->offer_timeout));
  return 1;
}

/* ---- a framework at work ---- */

static const hc_range *scope_of(const framework *f)
{
  return f->count > 0 ? f->hosts : NULL;
}

/* Is its job one for which offers are kept until they suffice? */
static bool is_hoarded(const hc_architecture *self, uint32_t desk)
{
  return self->o->gang == GANG_HOARD &&
         (!self->has_gangs || hc_desks_is_gang(&self->desks, hc_desks_at(&self->desks, desk)));
}

/* The whole job can start, or it need not. */
static bool suffices(const hc_architecture *self, uint32_t desk, const hc_attempt *a)
{
  return a->planned == hc_desks_at(&self->desks, desk)->count || !is_hoarded(self, desk);
}

/* What it holds does not suffice: it keeps that and waits for more. */
static hc_rc hoard(hc_architecture *self, uint32_t desk)
{
  framework *f = &self->f[desk];
  hc_desks_forget(&self->desks, desk);
  if (self->o->offer == OFFER_ALL) skip(self, f); /* it has all there is */
  if (f->hoards) return 0;
  f->hoards = 1;
  self->hoards++;
  return set_deadline(self, desk, self->o->hoard_timeout);
}

/* Decide on what it has been offered. @return 1 if it thinks, or hoards; 0: it has no use for it */
static hc_rc work(hc_architecture *self, uint32_t desk, hc_error *e)
{
  framework *f = &self->f[desk];
  hc_attempt a;
  hc_rc rc = 1;
  if (f->hoards) hc_desks_think_again(&self->desks, desk);
  else rc = hc_desks_begin(&self->desks, desk);
  if (rc <= 0) return rc;
  TRY(hc_desks_decide(&self->desks, desk, scope_of(f), f->count, false, &a, e));
  if (!suffices(self, desk, &a)) {
    TRY(hoard(self, desk));
    return 1;
  }
  if (f->hoards) {
    count_locked(self, desk);
    f->hoards = 0;
    TRY(set_deadline(self, desk, self->o->offer_timeout));
  }
  TRY(hc_desks_timer(&self->desks, desk));
  return 1;
}

/* It has no more use for the offer. */
static hc_rc give_back(hc_architecture *self, uint32_t desk)
{
  TRY(refuse(self, &self->f[desk]));
  unlock(self, desk);
  self->declined++;
  return call_round(self);
}

/* Its thought is over: start what it wished, and go on with the next job while that leads to anything. */
static hc_rc answer(hc_architecture *self, uint32_t desk, hc_error *e)
{
  framework *f = &self->f[desk];
  const hc_commit_mode mode = is_hoarded(self, desk) ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED;
  hc_attempt a;
  TRY(hc_desks_commit(&self->desks, desk, mode, &a, e));
  TRY(hc_desks_done(&self->desks, desk, &a, e));
  f->timeouts = 0;
  if (a.planned > a.refused + a.limited) self->changes++;
  if (f->has_offer && a.planned > a.refused + a.limited) {
    count_locked(self, desk);
    lock(self, desk);
    const hc_rc rc = work(self, desk, e);
    if (rc != 0) return HC_MIN(rc, 0);
  }
  return f->has_offer ? give_back(self, desk) : call_round(self);
}

/* Does it want an offer, and is nothing in the way of one? */
static bool is_ready(const hc_architecture *self, uint32_t desk)
{
  const hc_desk *x = &self->desks.desks[desk];
  return self->f[desk].hoards ||
         (self->holder == NOBODY && !self->f[desk].has_offer && x->at == HC_NO_WORK && x->line.count > 0);
}

static bool may_be_offered(const hc_architecture *self, uint32_t desk)
{
  const framework *f = &self->f[desk];
  return is_ready(self, desk) && (f->looked != self->changes || now_of(self) >= f->again);
}

static hc_rc round_of_offers(hc_architecture *self, hc_error *e)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < self->desks.count; i++) {
    uint32_t at = n;
    if (!may_be_offered(self, i)) continue;
    const double share = share_of(self, &self->f[i]);
    for (; at > 0 && share_of(self, &self->f[self->rank[at - 1]]) > share; at--)
      self->rank[at] = self->rank[at - 1];
    self->rank[at] = i;
    n++;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t desk = self->rank[i];
    hc_rc rc = make_offer(self, desk);
    if (rc == 0) skip(self, &self->f[desk]);
    if (rc > 0 && (rc = work(self, desk, e)) == 0) rc = give_back(self, desk);
    TRY(rc);
  }
  return 0;
}

/* ---- time-outs ---- */

/* Is everybody who has anything to do hoarding? Then nobody will ever give anything back. */
static bool is_deadlock(const hc_architecture *self)
{
  uint32_t hoarders = 0;
  for (uint32_t i = 0; i < self->desks.count; i++) {
    hoarders += self->f[i].hoards;
    if (self->desks.desks[i].at != HC_NO_WORK && !self->f[i].hoards) return false;
    for (uint32_t d = 0; d < HC_DIMENSIONS; d++)
      if (self->f[i].usage.used[d] > 0) return false;
  }
  return hoarders > 1;
}

static hc_rc end_hoarding(hc_architecture *self, uint32_t desk, hc_error *e)
{
  const hc_policy_context *c = self->desks.c.policy_context;
  framework *f = &self->f[desk];
  hc_draws draws = {c->seed, c->replication, desk, HC_PURPOSE_THINK, self->hoard_timeouts << 8 | 1};
  double most = (double)self->o->back_off;
  self->deadlocks += is_deadlock(self);
  self->hoard_timeouts++;
  for (uint32_t i = 0; i < f->timeouts && i < 10; i++) most *= 2;
  f->timeouts++;
  TRY(hc_desks_stand_back(&self->desks, desk, (hc_time)(hc_random_unit(&draws) * most), e));
  return give_back(self, desk);
}

static hc_rc time_out(hc_architecture *self, uint32_t desk, hc_error *e)
{
  framework *f = &self->f[desk];
  if (!f->has_offer || now_of(self) < f->deadline) return 0; /* an older offer's */
  if (f->hoards) return end_hoarding(self, desk, e);
  unlock(self, desk);
  self->withdrawn++;
  return call_round(self);
}

/* ---- what happens ---- */

/* Where somebody asks for less than anybody before, there may be room where there was none. */
static void note_least(hc_architecture *self)
{
  const uint64_t least = self->desks.c.services->least(self->desks.c.engine, self->desks.lobby);
  if (least == self->least) return;
  self->least = least;
  self->changes++;
}

/* A job has come that has refused nothing yet. */
static void revive(hc_architecture *self, framework *f)
{
  if (!self->o->revive) return;
  f->revived = now_of(self);
  f->looked = 0;
}

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  uint32_t desk;
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_ROUND) {
    self->is_armed = 0;
    return round_of_offers(self, e);
  }
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_FILTER) return 0; /* `decide` looks again */
  if (sig->what == HC_WHY_TIMER && sig->timer >= TIMER_TIMEOUT &&
      sig->timer - TIMER_TIMEOUT < self->desks.count)
    return time_out(self, sig->timer - TIMER_TIMEOUT, e);
  self->desks.newest = HC_NO_WORK;
  TRY(hc_desks_hear(&self->desks, sig, &desk, e));
  if (self->desks.newest != HC_NO_WORK) revive(self, &self->f[self->desks.newest]);
  if (sig->what == HC_WHY_END || sig->what == HC_WHY_CELL) {
    self->changes++;
    self->freed++;
  }
  note_least(self);
  return desk == HC_NO_WORK ? 0 : answer(self, desk, e);
}

/* Somebody has jobs and no offer: there will be a round, when there is something to offer or what it declined may be
 * offered anew. */
static hc_rc decide(hc_architecture *self, hc_error *e)
{
  hc_time at = HC_NEVER;
  HC_UNUSED(e);
  for (uint32_t i = 0; i < self->desks.count; i++) {
    if (may_be_offered(self, i)) return call_round(self);
    if (is_ready(self, i)) at = HC_MIN(at, self->f[i].again);
  }
  if (at == HC_NEVER || self->wakes_at == at) return 0;
  self->wakes_at = at;
  return self->desks.c.services->timer(self->desks.c.engine, at, TIMER_FILTER);
}

/* ---- life ---- */

static hc_rc read_weights(hc_architecture *self, hc_error *e)
{
  const double *weights = self->o->weights.items;
  const hc_desks *d = &self->desks;
  if (self->o->weights.count != 0 && self->o->weights.count != d->kind_count)
    return hc_fail(e, HC_EUSAGE, "architecture two_level", 0, 0,
                   "%zu weights for %u schedulers: give one for each, in their order, or none",
                   self->o->weights.count, d->kind_count);
  for (uint32_t k = 0; k < d->kind_count; k++)
    for (uint32_t i = d->first[k]; i < d->first[k + 1]; i++) {
      self->f[i].weight = self->o->weights.count ? weights[k] : 1;
      if (!(self->f[i].weight > 0))
        return hc_fail(e, HC_EUSAGE, "architecture two_level", 0, 0,
                       "the weight of scheduler %s is not above 0: it would be offered nothing",
                       d->kinds[k]->name);
    }
  return 0;
}

static hc_rc make(hc_architecture *self, const options *o, hc_error *e)
{
  hc_desks *d = &self->desks;
  self->hosts = d->c.services->hosts(d->c.engine);
  if (o->offer != OFFER_ALL && self->hosts == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture two_level", 0, 0,
        "some hosts can be offered only of a cell of hosts: use `cell: {use: hosts, ...}`, or `offer: all`");
  self->f = hc_arena_alloc(&d->build, d->count * sizeof *self->f);
  self->rank = hc_arena_alloc(&d->build, d->count * sizeof *self->rank);
  if (o->offer != OFFER_ALL) self->owner = hc_arena_alloc(&d->build, self->hosts * sizeof *self->owner);
  if (!self->f || !self->rank || (o->offer != OFFER_ALL && !self->owner)) return HC_ENOMEM;
  for (uint32_t i = 0; i < d->count; i++) {
    self->f[i].deadline = HC_NEVER;
    self->f[i].again = HC_NEVER;
    self->f[i].refused_at = -1;
    hc_usage_of_follow(&self->f[i].usage, d->c.services, d->c.engine, d->desks[i].queue,
                       d->desks[i].limits.is_on ? &d->desks[i].limits.type : d->desks[i].type,
                       d->desks[i].limits.is_on ? (hc_policy *)(void *)&d->desks[i].limits
                                                : d->desks[i].policy);
  }
  hc_usage_of_follow(&self->prefill, d->c.services, d->c.engine, d->prefill, NULL, NULL);
  for (uint32_t k = 0; k < d->kind_count; k++) self->has_gangs |= d->gangs[k] != NULL;
  self->changes = 1; /* 0: nobody has been looked at yet */
  return read_weights(self, e);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->o = o;
  self->wakes_at = HC_NEVER;
  TRY(hc_desks_init(&self->desks, c, &o->desks, false, e));
  TRY(hc_desks_refuse_hosts(&self->desks, e));
  TRY(hc_desks_never_mold(&self->desks, "it is offered hosts and does not see the cell", e));
  return make(self, o, e);
}

static hc_rc visit_framework(framework *f, hc_visitor *v)
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
  for (uint32_t i = 0; i < self->desks.count; i++) TRY(visit_framework(&self->f[i], v));
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
  return hc_desks_visit(&self->desks, v);
}

static hc_rc find_locked(hc_architecture *self, hc_findings *f)
{
  const hc_view *v = self->desks.c.services->look(self->desks.c.engine);
  const hc_lexicon *lexicon = self->desks.c.policy_context->lexicon;
  const double span = (double)now_of(self);
  for (uint32_t i = 0; i < self->desks.count; i++)
    if (self->f[i].has_offer) count_locked(self, i);
  for (uint32_t d = 0, n = dimensions_of(self); d < n; d++) {
    const char *name = hc_lexicon_dimension_name(lexicon, self->desks.ask->dimension_id(v, d));
    const double whole = (double)capacity_of(self, d) * span;
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
  TRY(hc_desks_finish(&self->desks, f));
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
  const hc_allocator *a = self->desks.c.allocator;
  for (uint32_t i = 0; self->f && i < self->desks.count; i++) {
    const framework *f = &self->f[i];
    hc_free(a, f->hosts, f->cap * sizeof *f->hosts);
    hc_free(a, f->filters, f->filter_cap * sizeof *f->filters);
    hc_free(a, f->filter_free, f->filter_free_cap * sizeof *f->filter_free);
  }
  hc_desks_fini(&self->desks);
  hc_free(a, self, sizeof *self);
}

static const char *const figures[] = {
    HC_DESKS_FIGURES,
    "offers|offers|offers made",
    "offers_returned|offers|offers that were given back by their framework, used or not",
    "offers_withdrawn|offers|offers that were withdrawn after `offer_timeout`",
    "hoards|times|times that a framework began to keep offers that did not suffice for a job",
    "hoard_timeouts|times|times that it gave them back after `hoard_timeout`",
    "deadlocks|times|of those, times at which nothing ran and all that had anything to do hoarded",
    "locked_*|1|amount that was offered and not held by a task, over time / what the cell has",
    "hoarded_*|1|the part of it that was hoarded",
    NULL};

static const hc_param params[] = {
    HC_DESKS_PARAMS(options, desks),
    {.name = "offer",
     .type = HC_CHOICE,
     .choices = "all|fair_share|hosts",
     .fallback = "all",
     .offset = offsetof(options, offer),
     .help =
         "all: everything that is free, to one framework at a time. fair_share: hosts with room, until a framework "
         "would have its share of the cell by weight. hosts: so many hosts with room as `hosts` says. The latter two "
         "leave hosts for other frameworks at the same time."},
    {.name = "hosts",
     .type = HC_INT,
     .unit = "hosts",
     .fallback = "100",
     .min = 1,
     .max = 1e9,
     .offset = offsetof(options, hosts),
     .help = "How many hosts make an offer, for `offer: hosts`."},
    {.name = "interval",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "1s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, interval),
     .help =
         "Offers are made at whole multiples of this, if something has changed. 0: at once. What has too little free for "
         "the least that any task in line asks for is not offered."},
    {.name = "refuse_for",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "5s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, refuse_for),
     .help =
         "What a framework gave back is not offered to it for so long (Mesos: a filter): a host, unless more of it is free "
         "than then; or, with offer: all, everything, unless a task has ended since. Others may have it."},
    {.name = "revive",
     .type = HC_BOOL,
     .fallback = "true",
     .offset = offsetof(options, revive),
     .help =
         "A job that comes lifts what its framework has refused (Mesos: reviveOffers), since it is not the job that did."},
    {.name = "offer_timeout",
     .type = HC_TIME,
     .unit = "s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, offer_timeout),
     .help = "An offer is withdrawn after so long, and may go to others. Not given: never."},
    {.name = "gang",
     .type = HC_CHOICE,
     .choices = "none|hoard",
     .fallback = "none",
     .offset = offsetof(options, gang),
     .help =
         "none: tasks of a job start as there is room. hoard: all at once; until its offers suffice, a framework keeps "
         "them idle. If a scheduler has a `gang`, only the jobs that are gangs by that."},
    {.name = "hoard_timeout",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "60s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, hoard_timeout),
     .help = "A framework that hoards for so long gives everything back."},
    {.name = "back_off",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "10s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, back_off),
     .help =
         "The job then stands back for a time that is uniform between 0 and this, doubled with each time-out in a row up "
         "to 1,024 times."},
    {.name = "weights",
     .type = HC_REAL,
     .list = true,
     .offset = offsetof(options, weights),
     .help =
         "Of the schedulers, in their order: who has least of the cell over its weight is offered first. Empty: 1 each."},
    {0}};

const hc_architecture_type hc_architecture_two_level = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures,
         .name = "two_level",
         .summary = "an allocator offers free hosts to frameworks, which place their own jobs on them: Mesos",
         .detail =
             "What is offered is locked until the framework has thought and answers. Frameworks are offered in the "
             "order of their dominant shares over their weights. A framework takes job after job while something of "
             "its offer can be used. A job is given up as `attempts` says; to hoard in vain is an attempt.",
         .source =
             "Hindman et al., Mesos, NSDI 2011; Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, "
             "section 3.3",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = hear,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .offers_hosts = true,
    .asks_jobs = true,
};
