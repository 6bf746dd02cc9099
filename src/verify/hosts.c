/* hosts.c -- nothing over capacity on any host: a sweep over starts, ends and changes of hosts.
 *
 * Each grant of a task is taken when it starts and given back when it ends. With a start no host may hold more than it
 * then has, in any dimension; nor may a device hold more than a whole one; a task that takes a host whole must be alone
 * on it; and what a task holds together must be what it asked for. A host that shrank may go on holding what it held.
 * Tasks of no length are checked against the host's size alone. Cost: O((tasks + grants) log n). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

typedef struct state {
  int64_t has[HC_DIMENSIONS], held[HC_DIMENSIONS];
  int64_t device[HC_DEVICES];
  uint32_t tasks, whole; /* on it; of them, those that want it whole */
  bool away;
} state;

typedef struct sweep {
  hc_check *c;
  const hc_verify_hosts *in;
  state *hosts;                   /* [host_count] */
  const hc_verify_grant **grants; /* by serial */
  const hc_verify_demand **demands;
  size_t change; /* next */
} sweep;

static int by_grant(const void *a, const void *b)
{
  const hc_verify_grant *const *x = a, *const *y = b;
  if ((*x)->serial != (*y)->serial) return (*x)->serial < (*y)->serial ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

static int by_demand(const void *a, const void *b)
{
  const hc_verify_demand *const *x = a, *const *y = b;
  return (*x)->serial < (*y)->serial ? -1 : (*x)->serial > (*y)->serial;
}

/* The first grant of a task, or where it would be. */
static size_t first_grant(const sweep *s, int64_t serial)
{
  size_t low = 0, high = s->in->grant_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->grants[middle]->serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

static const hc_verify_demand *demand_of(const sweep *s, int64_t serial)
{
  hc_verify_demand key = {.serial = serial};
  const hc_verify_demand *k = &key;
  const hc_verify_demand *const *found =
      s->in->demand_count ? bsearch(&k, s->demands, s->in->demand_count, sizeof *s->demands, by_demand)
                          : NULL;
  return found ? *found : NULL;
}

static hc_rc find(sweep *s, hc_found what, const hc_happens *h, uint32_t host, uint32_t dimension, int64_t a,
                  int64_t b)
{
  TRY(hc_find(s->c, what, h->at, h->rank, UINT32_MAX, a, b));
  s->c->findings[s->c->finding_count - 1].host = host;
  s->c->findings[s->c->finding_count - 1].dimension = dimension;
  return 0;
}

/* What each of the devices of a grant holds of it: all alike, since nothing says otherwise. */
static int64_t on_each_device(const hc_verify_grant *g)
{
  const int64_t n = __builtin_popcount(g->devices);
  return n > 0 ? (g->amount[HC_DIM_GPU] + n - 1) / n : 0;
}

static void put(sweep *s, const hc_verify_grant *g, bool whole, int sign)
{
  state *host = &s->hosts[g->host];
  for (int d = 0; d < HC_DIMENSIONS; d++) host->held[d] += sign * g->amount[d];
  for (int i = 0; i < HC_DEVICES; i++)
    if (g->devices >> i & 1) host->device[i] += sign * on_each_device(g);
  host->tasks += (uint32_t)sign;
  if (whole) host->whole += (uint32_t)sign;
}

static hc_rc check_grant(sweep *s, const hc_happens *h, const hc_verify_grant *g, bool whole)
{
  const state *host = &s->hosts[g->host];
  if (host->away) TRY(find(s, HC_FOUND_HOST_AWAY, h, g->host, 0, 0, 0));
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++)
    if (g->amount[d] > 0 && host->held[d] > host->has[d] && !host->away)
      TRY(find(s, HC_FOUND_HOST_OVERFULL, h, g->host, d, host->held[d], host->has[d]));
  for (uint32_t i = 0; i < HC_DEVICES; i++)
    if (g->devices >> i & 1 && host->device[i] > HC_DEVICE)
      TRY(find(s, HC_FOUND_DEVICE_OVERFULL, h, g->host, i, host->device[i], HC_DEVICE));
  if (host->whole > 0 && host->tasks > 1) TRY(find(s, HC_FOUND_NOT_ALONE, h, g->host, 0, host->tasks, whole));
  return 0;
}

/* Does it hold what it asked for? Of whole hosts and of unequal ones the records say only which. */
static hc_rc check_sum(sweep *s, const hc_happens *h, const hc_verify_demand *d, size_t first, size_t end)
{
  int64_t slots = 0, sum[HC_DIMENSIONS] = {0};
  if (!d || d->form & 1) return 0;
  for (size_t i = first; i < end; i++) {
    slots += s->grants[i]->slots;
    for (int k = 0; k < HC_DIMENSIONS; k++) sum[k] += s->grants[i]->amount[k];
  }
  if (slots != d->slots)
    return slots < d->slots ? find(s, HC_FOUND_OTHER_DEMAND, h, 0, 0, slots, d->slots) : 0;
  for (uint32_t k = 0; k < HC_DIMENSIONS; k++)
    if (s->in->is_of_hosts[k] && sum[k] != d->need[k] * d->slots)
      return find(s, HC_FOUND_OTHER_DEMAND, h, 0, k, sum[k], d->need[k] * d->slots);
  return 0;
}

static hc_rc starts(sweep *s, const hc_happens *h)
{
  const hc_checked *t = &s->c->tasks[h->rank];
  const hc_task_record *record = &s->c->records[t->record];
  const hc_verify_demand *d = demand_of(s, record->serial);
  const size_t first = first_grant(s, record->serial);
  const bool whole = d && d->form & 1, instant = t->end == t->start;
  size_t end = first;
  while (end < s->in->grant_count && s->grants[end]->serial == record->serial) end++;
  if (first == end) /* what still runs has its grants in no table */
    return record->final == HC_FINAL_RUNNING ? 0 : find(s, HC_FOUND_NO_PLACE, h, 0, 0, 0, 0);
  TRY(check_sum(s, h, d, first, end));
  for (size_t i = first; i < end && !instant; i++) put(s, s->grants[i], whole, 1);
  for (size_t i = first; i < end && !instant; i++) TRY(check_grant(s, h, s->grants[i], whole));
  return 0;
}

static void ends(sweep *s, const hc_happens *h)
{
  const hc_task_record *record = &s->c->records[s->c->tasks[h->rank].record];
  const hc_verify_demand *d = demand_of(s, record->serial);
  for (size_t i = first_grant(s, record->serial);
       i < s->in->grant_count && s->grants[i]->serial == record->serial; i++)
    put(s, s->grants[i], d && d->form & 1, -1);
}

/* Hosts change after tasks have ended and before others start. */
static void change_until(sweep *s, hc_time at, bool included)
{
  const hc_verify_hosts *in = s->in;
  for (; s->change < in->change_count; s->change++) {
    const hc_verify_change *k = &in->changes[s->change];
    if (k->at > at || (k->at == at && !included)) return;
    if (k->change != HC_HOST_RESIZE) s->hosts[k->host].away = k->change != HC_HOST_UP;
    if (k->change == HC_HOST_UP || k->change == HC_HOST_RESIZE)
      memcpy(s->hosts[k->host].has, k->amount, sizeof k->amount);
  }
}

static hc_rc run(sweep *s)
{
  for (size_t i = 0; i < s->c->event_count; i++) {
    const hc_happens *h = &s->c->events[i];
    change_until(s, h->at, h->kind == HC_STARTS);
    if (h->kind == HC_ENDS) ends(s, h);
    if (h->kind == HC_STARTS) TRY(starts(s, h));
  }
  return 0;
}

hc_rc hc_check_hosts(hc_check *c)
{
  const hc_verify_hosts *in = c->options->hosts;
  const hc_allocator *a = c->allocator;
  sweep s = {.c = c, .in = in};
  hc_rc rc = HC_ENOMEM;
  s.hosts = hc_alloc(a, in->host_count * sizeof *s.hosts);
  s.grants = hc_alloc(a, in->grant_count * sizeof *s.grants);
  s.demands = hc_alloc(a, in->demand_count * sizeof *s.demands);
  if (s.hosts && (s.grants || !in->grant_count) && (s.demands || !in->demand_count)) {
    for (size_t i = 0; i < in->host_count; i++)
      memcpy(s.hosts[i].has, in->hosts[i].amount, sizeof s.hosts[i].has);
    for (size_t i = 0; i < in->grant_count; i++) s.grants[i] = &in->grants[i];
    for (size_t i = 0; i < in->demand_count; i++) s.demands[i] = &in->demands[i];
    if (in->grant_count > 1) qsort(s.grants, in->grant_count, sizeof *s.grants, by_grant);
    if (in->demand_count > 1) qsort(s.demands, in->demand_count, sizeof *s.demands, by_demand);
    rc = run(&s);
  }
  hc_free(a, s.hosts, in->host_count * sizeof *s.hosts);
  hc_free(a, s.grants, in->grant_count * sizeof *s.grants);
  hc_free(a, s.demands, in->demand_count * sizeof *s.demands);
  return rc;
}
