/* offers.c -- what a framework is offered, what it may not be offered again for a while, and what that locks:
 * see offers.h. */
#include "architecture/offers.h"

#include "base/mem.h"
#include "base/util.h"

static hc_time now_of(const hc_architecture *self)
{
  return self->all.c.services->now(self->all.c.engine);
}

/* ---- shares ---- */

/* Through a view of nothing. */
int64_t hc_offers_capacity(const hc_architecture *self, uint32_t d)
{
  return self->all.ask->capacity(self->all.c.services->task_view(self->all.c.engine), d);
}

uint32_t hc_offers_dimensions(const hc_architecture *self)
{
  return self->all.ask->dimensions(self->all.c.services->task_view(self->all.c.engine));
}

double hc_offers_share(const hc_architecture *self, const hc_framework *f)
{
  double most = 0;
  for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++) {
    const double capacity = (double)hc_offers_capacity(self, d);
    if (capacity > 0) most = HC_MAX(most, (double)f->usage.used[d] / capacity);
  }
  return most / f->weight;
}

/* ---- what is locked ---- */

void hc_offers_lock(hc_architecture *self, uint32_t scheduler)
{
  hc_framework *f = &self->f[scheduler];
  const hc_view *v = self->all.c.services->task_view(self->all.c.engine);
  f->locked_since = now_of(self);
  for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++) {
    f->locked[d] = 0;
    if (f->count == 0) {
      f->locked[d] = hc_offers_capacity(self, d);
      for (uint32_t i = 0; i < self->all.count; i++) f->locked[d] -= self->f[i].usage.used[d];
      f->locked[d] -= self->prefill.used[d];
    }
    for (size_t i = 0; i < f->count; i++)
      for (uint32_t k = 0; k < f->hosts[i].count; k++)
        f->locked[d] += self->all.ask->host_free(v, f->hosts[i].first + k, NULL)[d];
  }
}

void hc_offers_count_locked(hc_architecture *self, uint32_t scheduler)
{
  hc_framework *f = &self->f[scheduler];
  const double time = (double)(now_of(self) - f->locked_since);
  for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++) {
    self->locked_time[d] += (double)f->locked[d] * time;
    if (f->hoards) self->hoarded_time[d] += (double)f->locked[d] * time;
  }
  f->locked_since = now_of(self);
}

void hc_offers_unlock(hc_architecture *self, uint32_t scheduler)
{
  hc_framework *f = &self->f[scheduler];
  if (!f->has_offer) return;
  hc_offers_count_locked(self, scheduler);
  for (size_t i = 0; i < f->count && self->owner; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) self->owner[f->hosts[i].first + k] = HC_OFFERED_NOBODY;
  if (self->holder == scheduler + 1) self->holder = HC_OFFERED_NOBODY;
  f->count = 0;
  f->has_offer = f->hoards = 0;
  f->deadline = HC_NEVER;
  self->changes++;
}

/* ---- offers ---- */

hc_rc hc_offers_refuse(hc_architecture *self, hc_framework *f)
{
  const hc_allocator *a = self->all.c.allocator;
  const hc_view *v = self->all.c.services->task_view(self->all.c.engine);
  const uint32_t n = hc_offers_dimensions(self);
  const size_t amounts = (size_t)self->hosts * n;
  f->refused_freed = self->freed;
  f->refused_at = now_of(self);
  if (self->o->offer == HC_OFFER_ALL) return 0;
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
      const int64_t *free = self->all.ask->host_free(v, h, NULL);
      f->filters[h] = f->refused_at;
      for (uint32_t d = 0; d < n; d++) f->filter_free[(size_t)h * n + d] = free[d];
    }
  return 0;
}

/* What it refused then is not offered to it till when? @return a time that is over if that is forgotten */
static hc_time kept_till(const hc_architecture *self, const hc_framework *f, hc_time refused_at)
{
  return refused_at < f->revived ? -1 : hc_time_add(refused_at, self->o->refuse_for);
}

/* Has it refused this host lately, when as much of it was free as is now? */
static bool is_refused(const hc_architecture *self, hc_framework *f, uint32_t host, const int64_t *free)
{
  const uint32_t n = hc_offers_dimensions(self);
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
static bool may_have_all(hc_architecture *self, hc_framework *f, uint32_t scheduler)
{
  const hc_engine_services *s = self->all.c.services;
  if (self->holder == scheduler + 1) return true;
  if (self->holder != HC_OFFERED_NOBODY ||
      !s->room(self->all.c.engine, self->all.one[scheduler].staging, HC_ALL_HOSTS))
    return false;
  if (f->refused_freed != self->freed || now_of(self) >= kept_till(self, f, f->refused_at)) return true;
  f->again = kept_till(self, f, f->refused_at);
  return false;
}

/* Add a host to what the framework has been offered, where it belongs. */
static hc_rc take_host(hc_architecture *self, hc_framework *f, uint32_t scheduler, uint32_t host)
{
  size_t at = f->count;
  if (at > 0 && f->hosts[at - 1].first + f->hosts[at - 1].count == host) {
    f->hosts[at - 1].count++;
  } else {
    TRY(hc_reserve(self->all.c.allocator, (void **)&f->hosts, &f->cap, f->count + 1, sizeof *f->hosts));
    for (; at > 0 && f->hosts[at - 1].first > host; at--) f->hosts[at] = f->hosts[at - 1];
    f->hosts[at] = (hc_range){host, 1};
    f->count++;
  }
  self->owner[host] = scheduler + 1;
  return 0;
}

/* How much more a framework is due: its part of everything, less what it has. */
static void left_of_share(const hc_architecture *self, const hc_framework *f, double *left)
{
  double weights = 0;
  for (uint32_t i = 0; i < self->all.count; i++) weights += self->f[i].weight;
  for (uint32_t d = 0, n = hc_offers_dimensions(self); d < n; d++)
    left[d] = (double)hc_offers_capacity(self, d) * f->weight / weights - (double)f->usage.used[d];
}

static bool is_used_up(const double *left, uint32_t n)
{
  for (uint32_t d = 0; d < n; d++)
    if (left[d] <= 0) return true;
  return false;
}

/* Gather hosts with room that have not been offered, from where the last offer ended. */
static hc_rc gather_hosts(hc_architecture *self, uint32_t scheduler, bool *some)
{
  const hc_engine_services *s = self->all.c.services;
  const hc_view *v = s->task_view(self->all.c.engine);
  hc_framework *f = &self->f[scheduler];
  const uint32_t n = hc_offers_dimensions(self);
  int64_t wanted = self->o->offer == HC_OFFER_HOSTS ? self->o->hosts : INT64_MAX;
  double left[HC_DIMENSIONS];
  left_of_share(self, f, left);
  *some = false;
  for (uint32_t i = 0, from = self->next; i < self->hosts && wanted > 0; i++) {
    const uint32_t host = (from + i) % self->hosts;
    if (self->o->offer == HC_OFFER_FAIR_SHARE && is_used_up(left, n)) break;
    if (self->owner[host] != HC_OFFERED_NOBODY ||
        !s->room(self->all.c.engine, self->all.one[scheduler].staging, host))
      continue;
    if (is_refused(self, f, host, self->all.ask->host_free(v, host, NULL))) continue;
    TRY(take_host(self, f, scheduler, host));
    for (uint32_t d = 0; d < n; d++) left[d] -= (double)self->all.ask->host_free(v, host, NULL)[d];
    self->next = (host + 1) % self->hosts;
    wanted--;
    *some = true;
  }
  return 0;
}

hc_rc hc_offers_make(hc_architecture *self, uint32_t scheduler)
{
  hc_framework *f = &self->f[scheduler];
  bool some;
  f->again = HC_NEVER;
  if (f->has_offer) hc_offers_count_locked(self, scheduler);
  if (self->o->offer != HC_OFFER_ALL) TRY(gather_hosts(self, scheduler, &some));
  else if ((some = may_have_all(self, f, scheduler))) self->holder = scheduler + 1;
  if (!some) return 0;
  f->has_offer = 1;
  hc_offers_lock(self, scheduler);
  self->offers++;
  return 1;
}
