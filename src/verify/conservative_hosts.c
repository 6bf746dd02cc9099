/* conservative_hosts.c -- what conservative backfilling promises, on hosts: no task could have been planned
 * earlier.
 *
 * A plan on hosts is a start and the hosts that are held from then on for as long as the estimate says.
 * Records say where a task was and when it started, not what was planned meanwhile; but as long as nothing
 * unforeseen happens plans do not move, so that what was planned is what came. So a task is judged if
 * nothing unforeseen happened from its arrival until it, and every task that waited before it, had started:
 * no task ended before its estimate or outlived it, none left the queue, no host and no key of the policy
 * changed. Then its start must be the earliest time at which enough hosts had room for it during all its
 * estimate, beside those who came before: times to try are its arrival, or the time that its trace names,
 * and their expected ends. Room is the least of what is free, dimension by dimension, added up here anew
 * for each host and time.
 *
 * Not judged: who asks for GPUs, licences, whole hosts or unequal ones, since records do not say which would
 * have done, and where form bit 4 says that more than amounts decided where it could be, or that hosts have
 * speeds. They hold what they hold all the same. A task that takes hosts whole holds all of them. Cost: O(n
 * k^2) for k tasks that wait or run at once. Source: Mu'alem & Feitelson 2001, doi:10.1109/71.932708. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/parts.h"

/* One grant of who came before. */
typedef struct held {
  hc_time from, to;
  const hc_verify_grant *grant;
} held;

typedef struct judging {
  hc_check *c;
  const hc_verify_hosts *in;
  const hc_verify_grant **grants; /* by serial */
  const hc_verify_demand **demands;
  held *held; /* [held_count] of tasks before the one at hand that hold or will hold something */
  size_t held_count, held_cap;
  hc_time *surprises; /* [surprise_count] ascending */
  size_t surprise_count;
  hc_time settled; /* when the last of those before it had started */
  int64_t *
      now; /* [host_count][dimensions] what each has as the task at hand is submitted; nothing while it is away */
  size_t change; /* next */
} judging;

HC_SORT(sort_grants, const hc_verify_grant *,
        (*a)->serial != (*b)->serial ? (*a)->serial < (*b)->serial : *a < *b)

static int by_demand(const void *a, const void *b)
{
  const hc_verify_demand *x = *(const hc_verify_demand *const *)a, *y = *(const hc_verify_demand *const *)b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

HC_SORT(sort_times, hc_time, *a < *b)

static const hc_task_record *record_of(const judging *j, uint32_t rank)
{
  return &j->c->records[j->c->tasks[rank].record];
}

static hc_time believed_end(const hc_checked *t)
{
  return hc_time_add(t->start, t->estimate);
}

/* Even a task of no length is planned for some time. */
static hc_time length_of(const hc_checked *t)
{
  return HC_MAX(t->estimate, 1);
}

/* ---- what was not foreseen ---- */

static size_t surprise_room(const hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  return (c->count + c->options->hosts->change_count + (told ? told->change_count : 0)) * sizeof(hc_time) + 1;
}

static hc_rc find_surprises(judging *j)
{
  const hc_verify_told *told = j->c->options->told;
  j->surprises = hc_alloc(j->c->allocator, surprise_room(j->c));
  if (!j->surprises) return HC_ENOMEM;
  for (uint32_t i = 0; i < j->c->count; i++) {
    const hc_checked *t = &j->c->tasks[i];
    hc_time at = HC_NEVER;
    if (t->start == HC_UNKNOWN) at = t->gone;
    else if (t->end != believed_end(t)) at = HC_MIN(t->end, believed_end(t));
    if (at != HC_NEVER) j->surprises[j->surprise_count++] = at;
  }
  for (size_t i = 0; i < j->in->change_count; i++) j->surprises[j->surprise_count++] = j->in->changes[i].at;
  for (size_t i = 0; told && i < told->change_count; i++)
    j->surprises[j->surprise_count++] = told->changes[i];
  sort_times(j->surprises, j->surprise_count);
  return 0;
}

static bool is_foreseen(const judging *j, hc_time from, hc_time to)
{
  size_t low = 0, high = j->surprise_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (j->surprises[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low == j->surprise_count || j->surprises[low] > to;
}

/* ---- room ---- */

static const hc_verify_demand *demand_of(const judging *j, int64_t serial)
{
  const hc_verify_demand key = {.serial = serial}, *k = &key;
  const hc_verify_demand *const *found =
      j->in->demand_count > 0 ? bsearch(&k, j->demands, j->in->demand_count, sizeof *j->demands, by_demand)
                              : NULL;
  return found ? *found : NULL;
}

/* Slots that fit on a host at one time. */
static int64_t slots_at(const judging *j, const hc_verify_demand *d, size_t host, hc_time at)
{
  int64_t free[HC_DIMENSIONS], slots = d->slots;
  memcpy(free, j->now + host * j->in->dimensions, j->in->dimensions * sizeof *free);
  for (size_t i = 0; i < j->held_count; i++) {
    const held *h = &j->held[i];
    if (h->grant->host != host || h->from > at || h->to <= at) continue;
    for (uint32_t k = 0; k < j->in->dimensions; k++)
      if (__builtin_sub_overflow(free[k], h->grant->amount[k], &free[k])) free[k] = INT64_MIN;
  }
  for (uint32_t k = 0; k < j->in->dimensions; k++)
    if (d->need[k] > 0 && j->in->is_of_hosts[k]) slots = HC_MIN(slots, HC_MAX(free[k], 0) / d->need[k]);
  return slots;
}

/* Less is free only from when something is taken on. */
static int64_t slots_during(const judging *j, const hc_verify_demand *d, size_t host, hc_time from,
                            hc_time to)
{
  int64_t least = slots_at(j, d, host, from);
  for (size_t i = 0; i < j->held_count && least > 0; i++) {
    const held *h = &j->held[i];
    if (h->grant->host == host && h->from > from && h->from < to)
      least = HC_MIN(least, slots_at(j, d, host, h->from));
  }
  return d->form & 2 ? HC_MIN(least, 1) : least; /* each on another host */
}

static bool has_room(const judging *j, const hc_verify_demand *d, hc_time at, hc_time length)
{
  int64_t slots = 0;
  for (size_t host = 0; host < j->in->host_count && slots < d->slots; host++)
    slots += slots_during(j, d, host, at, hc_time_add(at, length));
  return slots >= d->slots;
}

/* ---- one task after the other ---- */

static bool is_judged(const judging *j, const hc_checked *t, const hc_verify_demand *d)
{
  if (!d || (d->form & ~2) != 0 || t->start == HC_UNKNOWN || !hc_promises_at(j->c, t->start)) return false;
  for (uint32_t k = 0; k < j->in->dimensions; k++)
    if (d->need[k] > 0 && (!j->in->is_of_hosts[k] || k == HC_DIM_GPU)) return false;
  return is_foreseen(j, t->submit, HC_MAX(t->start, j->settled));
}

static hc_rc judge(judging *j, uint32_t rank, const hc_verify_demand *d)
{
  const hc_checked *t = &j->c->tasks[rank];
  hc_time first = HC_NEVER;
  j->c->report.reservations++;
  if (t->start > t->earliest && has_room(j, d, t->earliest, length_of(t))) first = t->earliest;
  for (size_t i = 0; i < j->held_count; i++) {
    const hc_time at = j->held[i].to;
    if (at > t->earliest && at < t->start && at < first && has_room(j, d, at, length_of(t))) first = at;
  }
  return first == HC_NEVER ? 0 : hc_find(j->c, HC_FOUND_LATE, t->start, rank, UINT32_MAX, first, 0);
}

static hc_rc hold(judging *j, uint32_t rank)
{
  const hc_checked *t = &j->c->tasks[rank];
  const hc_verify_grant key = {.serial = record_of(j, rank)->serial};
  size_t low = 0, high = j->in->grant_count;
  if (t->start == HC_UNKNOWN) return 0;
  j->settled = HC_MAX(j->settled, t->start);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (j->grants[middle]->serial < key.serial) low = middle + 1;
    else high = middle;
  }
  if (low == j->in->grant_count || j->grants[low]->serial != key.serial)
    j->settled = HC_NEVER; /* it runs as the records end: where, they do not say */
  for (; low < j->in->grant_count && j->grants[low]->serial == key.serial; low++) {
    TRY(hc_reserve(j->c->allocator, (void **)&j->held, &j->held_cap, j->held_count + 1, sizeof *j->held));
    j->held[j->held_count++] = (held){t->start, believed_end(t), j->grants[low]};
  }
  return 0;
}

/* Until a task that is judged has started nothing changes, so that what hosts have then is what they have
 * now. A host that drains takes nothing new, and one that returns says what it has. */
static void change_until(judging *j, hc_time at)
{
  for (; j->change < j->in->change_count && j->in->changes[j->change].at <= at; j->change++) {
    const hc_verify_change *k = &j->in->changes[j->change];
    int64_t *now = j->now + (size_t)k->host * j->in->dimensions;
    bool is_there = k->change == HC_HOST_UP;
    for (uint32_t d = 0; d < j->in->dimensions; d++) is_there |= k->change == HC_HOST_RESIZE && now[d] > 0;
    for (uint32_t d = 0; d < j->in->dimensions; d++) now[d] = is_there ? k->amount[d] : 0;
  }
}

static void forget_before(judging *j, hc_time at)
{
  size_t n = 0;
  for (size_t i = 0; i < j->held_count; i++)
    if (j->held[i].to > at) j->held[n++] = j->held[i];
  j->held_count = n;
}

static hc_rc judge_all(judging *j)
{
  for (size_t i = 0; i < j->in->host_count; i++)
    memcpy(j->now + i * j->in->dimensions, j->in->hosts[i].amount, j->in->dimensions * sizeof *j->now);
  for (size_t i = 0; i < j->in->grant_count; i++) j->grants[i] = &j->in->grants[i];
  for (size_t i = 0; i < j->in->demand_count; i++) j->demands[i] = &j->in->demands[i];
  sort_grants(j->grants, j->in->grant_count);
  if (j->in->demand_count > 1) qsort(j->demands, j->in->demand_count, sizeof *j->demands, by_demand);
  TRY(find_surprises(j));
  for (uint32_t rank = 0; rank < j->c->count; rank++) {
    const hc_verify_demand *d = demand_of(j, record_of(j, rank)->serial);
    change_until(j, j->c->tasks[rank].submit);
    forget_before(j, j->c->tasks[rank].submit);
    if (is_judged(j, &j->c->tasks[rank], d)) TRY(judge(j, rank, d));
    TRY(hold(j, rank));
  }
  return 0;
}

hc_rc hc_check_conservative_hosts(hc_check *c)
{
  const hc_allocator *a = c->allocator;
  judging j = {.c = c, .in = c->options->hosts, .settled = INT64_MIN};
  hc_rc rc = HC_ENOMEM;
  j.grants = hc_alloc(a, j.in->grant_count * sizeof *j.grants);
  j.demands = hc_alloc(a, j.in->demand_count * sizeof *j.demands);
  j.now = hc_alloc(a, j.in->host_count * j.in->dimensions * sizeof *j.now + 1);
  if (j.now && (j.grants || !j.in->grant_count) && (j.demands || !j.in->demand_count)) rc = judge_all(&j);
  hc_free(a, j.now, j.in->host_count * j.in->dimensions * sizeof *j.now + 1);
  hc_free(a, j.surprises, surprise_room(c));
  hc_free(a, j.held, j.held_cap * sizeof *j.held);
  hc_free(a, j.grants, j.in->grant_count * sizeof *j.grants);
  hc_free(a, j.demands, j.in->demand_count * sizeof *j.demands);
  return rc;
}
