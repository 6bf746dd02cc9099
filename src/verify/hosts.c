/* hosts.c -- nothing over capacity on any host: a sweep over starts, ends and changes of hosts.
 *
 * Each grant of a task is taken when it starts and given back when it ends. With a start no host may hold
 * more than it then has, in any dimension; nor may a device hold more than a whole one; a task that takes a
 * host whole must be alone on it; and what a task holds must be what it asked for (demands.c). A host that
 * shrank may go on holding what it held; one that goes away has nothing left on it. Tasks of no length are
 * held to their demand alone. Where the order is first come, first served, the first in the queue (fcfs.c) is
 * asked for after each instant. Amounts add up without overflow: a sum that would is a host overfull, after
 * which nothing more is added. Cost: O((tasks + grants) log n), and the grants of the first in the queue at
 * each instant, up to the first for which there is no room. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/sweep.h"

/* A task that changes while it runs. */
typedef struct changing {
  int64_t serial; /* as its rows have it */
  hc_time start;
  size_t first; /* its first grant */
  uint32_t rank;
  bool runs;
} changing;

typedef struct sweep {
  hc_check *c;
  const hc_verify_hosts *in;
  hc_host_now *hosts;             /* [host_count] */
  const hc_verify_grant **grants; /* by serial */
  const hc_verify_demand **demands;
  size_t change;                /* next */
  uint32_t dimensions, devices; /* of a host, at most */
  int64_t *room;                /* of `hosts` */
  int64_t *now; /* [grant_count][dimensions] in their order: what it is by now; NULL: nothing ever changes */
  changing *tasks;           /* [task_count] by serial: those of the rows of resizes */
  size_t task_count, resize; /* next */
  hc_line line;
  bool asks_heads;
  size_t blocker; /* the grant of the head for which there was no room last */
  int64_t running;
  bool is_full;  /* a sum would overflow */
  bool is_blind; /* a task started of which nothing says where */
} sweep;

HC_SORT(sort_grants, const hc_verify_grant *,
        (*a)->serial != (*b)->serial ? (*a)->serial < (*b)->serial : *a < *b)

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
  return hc_find_on(s->c, what, h->at, h->rank, host, dimension, a, b);
}

static void move(sweep *s, int64_t *held, int64_t amount)
{
  int64_t sum;
  if (__builtin_add_overflow(*held, amount, &sum)) s->is_full = true;
  else *held = sum;
}

static int64_t *now_of(const sweep *s, size_t grant)
{
  return s->now + grant * s->dimensions;
}

static void put(sweep *s, size_t grant, bool whole, int sign)
{
  const hc_verify_grant *g = s->grants[grant];
  hc_host_now *host = &s->hosts[g->host];
  const int64_t *amount = s->now ? now_of(s, grant) : g->amount;
  for (uint32_t d = 0; d < s->dimensions; d++) move(s, &host->held[d], sign * amount[d]);
  for (uint32_t i = 0; !hc_devices_none(&g->devices) && i < s->devices; i++)
    if (hc_devices_have(&g->devices, i)) move(s, &host->device[i], sign * hc_on_each_device(g));
  host->tasks += (uint32_t)sign;
  if (whole) host->whole += (uint32_t)sign;
}

static hc_rc check_grant(sweep *s, const hc_happens *h, const hc_verify_grant *g, bool whole)
{
  const hc_host_now *host = &s->hosts[g->host];
  if (g->kept) return 0; /* it was there before the host drained or shrank */
  if (host->away) TRY(find(s, HC_FOUND_HOST_AWAY, h, g->host, 0, 0, 0));
  for (uint32_t d = 0; d < s->dimensions; d++)
    if (g->amount[d] > 0 && host->held[d] > host->has[d] && !host->away)
      TRY(find(s, HC_FOUND_HOST_OVERFULL, h, g->host, d, host->held[d], host->has[d]));
  for (uint32_t i = 0; !hc_devices_none(&g->devices) && i < s->devices; i++)
    if (hc_devices_have(&g->devices, i) && host->device[i] > HC_DEVICE)
      TRY(find(s, HC_FOUND_DEVICE_OVERFULL, h, g->host, i, host->device[i], HC_DEVICE));
  if (host->whole > 0 && host->tasks > 1) TRY(find(s, HC_FOUND_NOT_ALONE, h, g->host, 0, host->tasks, whole));
  return 0;
}

/* ---- who changes ---- */

static int by_changing(const void *a, const void *b)
{
  const changing *x = a, *y = b;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static changing *find_changing(const sweep *s, int64_t serial)
{
  const changing key = {.serial = serial};
  return s->task_count ? bsearch(&key, s->tasks, s->task_count, sizeof *s->tasks, by_changing) : NULL;
}

/* By the serial of a record: that of an attempt which was stopped is one of stops.c's own. */
static changing *changing_of(const sweep *s, int64_t serial)
{
  const hc_verify_stops *stops = s->c->options->stops;
  const int64_t stop = INT64_MAX - 1 - serial;
  if (stops && stop >= 0 && (uint64_t)stop < stops->count) serial = stops->stops[stop].serial;
  return find_changing(s, serial);
}

static void note_start(sweep *s, const hc_happens *h, size_t first)
{
  changing *t = changing_of(s, s->c->records[s->c->tasks[h->rank].record].serial);
  if (t) *t = (changing){t->serial, h->at, first, h->rank, true};
}

static hc_rc prepare_changes(sweep *s)
{
  const hc_verify_hosts *in = s->in;
  size_t n = 0;
  if (in->resize_count == 0) return 0;
  s->now = hc_alloc(s->c->allocator, in->grant_count * s->dimensions * sizeof *s->now + 1);
  s->tasks = hc_alloc(s->c->allocator, in->resize_count * sizeof *s->tasks);
  if (!s->now || !s->tasks) return HC_ENOMEM;
  for (size_t i = 0; i < in->grant_count; i++)
    memcpy(now_of(s, i), s->grants[i]->amount, s->dimensions * sizeof *s->now);
  for (size_t i = 0; i < in->resize_count; i++) s->tasks[i] = (changing){.serial = in->resizes[i].serial};
  qsort(s->tasks, in->resize_count, sizeof *s->tasks, by_changing);
  for (size_t i = 0; i < in->resize_count; i++)
    if (i == 0 || s->tasks[i].serial != s->tasks[n - 1].serial) s->tasks[n++] = s->tasks[i];
  s->task_count = n;
  return 0;
}

/* Rows of demands stand side by side. */
static size_t count_demands(const sweep *s, const hc_verify_demand *d, int64_t serial)
{
  size_t low = 0, high = s->in->demand_count, n = 0;
  while (d && low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->demands[middle]->serial < serial) low = middle + 1;
    else high = middle;
  }
  while (d && low + n < s->in->demand_count && s->demands[low + n]->serial == serial) n++;
  return n;
}

static size_t past_grants(const sweep *s, size_t first, int64_t serial)
{
  while (first < s->in->grant_count && s->grants[first]->serial == serial) first++;
  return first;
}

/* What still runs has its grants in tables that older results have not. */
static bool may_lack_grants(const sweep *s, const hc_task_record *t)
{
  const hc_verify_told *told = s->c->options->told;
  return t->final == HC_FINAL_RUNNING && !(told && told->keeps_standing);
}

static hc_rc starts(sweep *s, const hc_happens *h)
{
  const hc_checked *t = &s->c->tasks[h->rank];
  const hc_task_record *record = &s->c->records[t->record];
  const hc_verify_demand *d = demand_of(s, record->serial);
  const size_t first = first_grant(s, record->serial), end = past_grants(s, first, record->serial);
  const bool whole = d && d->form & 1, instant = t->end == t->start;
  const hc_asked asked = {.record = record,
                          .rank = h->rank,
                          .demand = d,
                          .demand_count = count_demands(s, d, record->serial),
                          .grants = s->grants + first,
                          .grant_count = end - first};
  s->is_blind |= first == end;
  if (first == end) return may_lack_grants(s, record) ? 0 : find(s, HC_FOUND_NO_PLACE, h, 0, 0, 0, 0);
  TRY(hc_check_demand(s->c, s->hosts, &asked));
  TRY(hc_check_sets(s->c, &asked));
  hc_held_to(s->c, HC_RULE_CAPACITY, end - first);
  if (instant) return 0;
  note_start(s, h, first);
  s->running++;
  for (size_t i = first; i < end; i++) {
    put(s, i, whole, 1);
    s->hosts[s->grants[i]->host].latest = h->rank;
  }
  for (size_t i = first; i < end; i++) TRY(check_grant(s, h, s->grants[i], whole));
  return s->is_full ? find(s, HC_FOUND_HOST_OVERFULL, h, s->grants[first]->host, 0, INT64_MAX, 0) : 0;
}

static void ends(sweep *s, const hc_happens *h)
{
  const hc_task_record *record = &s->c->records[s->c->tasks[h->rank].record];
  const hc_verify_demand *d = demand_of(s, record->serial);
  const size_t first = first_grant(s, record->serial), end = past_grants(s, first, record->serial);
  changing *t = changing_of(s, record->serial);
  if (t) t->runs = false;
  if (first < end) s->running--;
  for (size_t i = first; i < end; i++) put(s, i, d && d->form & 1, -1);
}

/* ---- the first in the queue ---- */

/* Is there room for what it had later, here and now? */
static bool has_room(const sweep *s, const hc_verify_grant *g, bool whole)
{
  const hc_host_now *host = &s->hosts[g->host];
  if (host->away || host->whole > 0 || (whole && host->tasks > 0)) return false;
  for (uint32_t d = 0; d < s->dimensions; d++)
    if (g->amount[d] > 0 && g->amount[d] > host->has[d] - host->held[d]) return false;
  for (uint32_t i = 0; !hc_devices_none(&g->devices) && i < s->devices; i++)
    if (hc_devices_have(&g->devices, i) && ((int64_t)i * HC_DEVICE >= host->has[HC_DIM_GPU] ||
                                            hc_on_each_device(g) > HC_DEVICE - host->device[i]))
      return false;
  return true;
}

/* Amounts of the cell as a whole are no host's. */
static bool is_of_hosts(const sweep *s, const hc_verify_demand *d)
{
  for (uint32_t k = 0; k < s->dimensions; k++)
    if (d->need[k] > 0 && !s->in->is_of_hosts[k]) return false;
  return true;
}

static hc_rc check_head(sweep *s, hc_time now)
{
  const uint32_t head = hc_line_head(&s->line);
  const int64_t serial = head == UINT32_MAX ? -1 : s->c->records[s->c->tasks[head].record].serial;
  const hc_verify_demand *d = head == UINT32_MAX ? NULL : demand_of(s, serial);
  size_t first, end;
  if (!d || s->is_blind || !is_of_hosts(s, d) || (!s->c->options->told->plain_tasks && s->running > 0))
    return 0;
  first = first_grant(s, serial);
  end = past_grants(s, first, serial);
  hc_held_to(s->c, HC_RULE_HEAD, 1);
  if (s->blocker >= first && s->blocker < end && !has_room(s, s->grants[s->blocker], d->form & 1)) return 0;
  for (size_t i = first; i < end; i++) {
    s->blocker = i;
    if (!has_room(s, s->grants[i], d->form & 1)) return 0;
  }
  return first == end ? 0 : hc_line_find(&s->line, head, now);
}

/* ---- what else changes ---- */

/* What ran on it has ended by now. */
static hc_rc lose(sweep *s, const hc_verify_change *k)
{
  const hc_host_now *host = &s->hosts[k->host];
  const hc_checked *t = host->tasks > 0 ? &s->c->tasks[host->latest] : NULL;
  const bool runs = t && t->start < k->at && t->end > k->at;
  hc_held_to(s->c, HC_RULE_HOST_LOSS, 1);
  if (host->tasks == 0) return 0;
  return hc_find_on(s->c, HC_FOUND_RUNS_ON, k->at, runs ? host->latest : UINT32_MAX, k->host, 0, host->tasks,
                    0);
}

/* Where tasks are evicted, what has no room on a host that shrank has ended by now. */
static hc_rc shrink(sweep *s, const hc_verify_change *k)
{
  const hc_host_now *host = &s->hosts[k->host];
  hc_held_to(s->c, HC_RULE_CAPACITY, 1);
  for (uint32_t d = 0; d < s->dimensions && host->whole == 0; d++)
    if (host->held[d] > host->has[d])
      return hc_find_on(s->c, HC_FOUND_SHRINKS_OVERFULL, k->at, UINT32_MAX, k->host, d, host->held[d],
                        host->has[d]);
  for (uint32_t i = 0; i < s->devices && host->whole == 0; i++)
    if (host->device[i] > 0 && (int64_t)i * HC_DEVICE >= host->has[HC_DIM_GPU])
      return hc_find_on(s->c, HC_FOUND_SHRINKS_OVERFULL, k->at, UINT32_MAX, k->host, HC_DIM_GPU,
                        host->device[i], 0);
  return 0;
}

static bool in_time(const sweep *s, hc_time at)
{
  const hc_verify_told *told = s->c->options->told;
  return told && told->evicts && at < told->until;
}

/* Hosts change after tasks have ended and before others start. */
static hc_rc change_until(sweep *s, hc_time at, bool included)
{
  const hc_verify_hosts *in = s->in;
  for (; s->change < in->change_count; s->change++) {
    const hc_verify_change *k = &in->changes[s->change];
    if (k->at > at || (k->at == at && !included)) return 0;
    if (k->change == HC_HOST_DOWN) TRY(lose(s, k));
    if (k->change != HC_HOST_RESIZE) s->hosts[k->host].away = k->change != HC_HOST_UP;
    if (k->change == HC_HOST_UP || k->change == HC_HOST_RESIZE)
      memcpy(s->hosts[k->host].has, k->amount, s->dimensions * sizeof *k->amount);
    if (k->change == HC_HOST_RESIZE && in_time(s, k->at)) TRY(shrink(s, k));
  }
  return 0;
}

/* The other amounts of what it has on a host stand with its first grant there. */
static hc_rc change_task(sweep *s, const changing *t, const hc_verify_resize *z)
{
  const hc_happens h = {.at = z->at, .rank = t->rank};
  const int64_t serial = s->grants[t->first]->serial;
  hc_host_now *host = &s->hosts[z->host];
  int64_t more[HC_DIMENSIONS];
  size_t at = s->in->grant_count;
  memcpy(more, z->amount, s->dimensions * sizeof *more);
  for (size_t i = t->first; i < s->in->grant_count && s->grants[i]->serial == serial; i++) {
    if (s->grants[i]->host != z->host) continue;
    for (uint32_t d = 0; d < s->dimensions; d++) move(s, &more[d], -now_of(s, i)[d]);
    if (at == s->in->grant_count) at = i;
  }
  if (at == s->in->grant_count) return find(s, HC_FOUND_RESIZE, &h, z->host, 0, z->amount[0], 0);
  for (uint32_t d = 0; d < s->dimensions; d++) {
    if (z->amount[d] < 0 || (d == HC_DIM_GPU && more[d] != 0))
      return find(s, HC_FOUND_RESIZE, &h, z->host, d, z->amount[d], 0);
    move(s, &now_of(s, at)[d], more[d]);
    move(s, &host->held[d], more[d]);
    if (more[d] > 0 && host->held[d] > host->has[d] && !host->away)
      TRY(find(s, HC_FOUND_GROWS_OVERFULL, &h, z->host, d, host->held[d], host->has[d]));
  }
  return 0;
}

/* After ends and changes of hosts, before starts. What does not run belongs to an attempt that was lost with
 * its host, of which nothing else is recorded; or, at its end, was over at once. */
static hc_rc resize_until(sweep *s, hc_time at, bool included)
{
  for (; s->resize < s->in->resize_count; s->resize++) {
    const hc_verify_resize *z = &s->in->resizes[s->resize];
    const changing *t = find_changing(s, z->serial);
    if (z->at > at || (z->at == at && !included)) return 0;
    TRY(change_until(s, z->at, true));
    if (t && t->runs && t->start < z->at && !s->is_full) TRY(change_task(s, t, z));
  }
  return 0;
}

static hc_rc run(sweep *s)
{
  const hc_check *c = s->c;
  for (size_t i = 0; i < c->event_count && !s->is_full; i++) {
    const hc_happens *h = &c->events[i];
    const bool is_last = i + 1 == c->event_count || c->events[i + 1].at != h->at;
    TRY(resize_until(s, h->at, h->kind != HC_ENDS));
    TRY(change_until(s, h->at, h->kind == HC_STARTS));
    if (s->asks_heads) hc_line_hear(&s->line, h);
    if (h->kind == HC_ENDS) ends(s, h);
    if (h->kind == HC_STARTS) TRY(starts(s, h));
    if (!s->asks_heads || !is_last || h->at >= c->options->told->until) continue;
    TRY(change_until(s, h->at, true));
    TRY(check_head(s, h->at));
  }
  if (s->is_full) return 0;
  hc_held_to(s->c, HC_RULE_RESIZES, s->in->resize_count);
  TRY(resize_until(s, HC_NEVER, true));
  return change_until(s, HC_NEVER, true);
}

/* Room for what hosts have, hold, and hold of each device. */
static size_t room_size(const sweep *s)
{
  return s->in->host_count * (2 * (size_t)s->dimensions + s->devices) * sizeof *s->room + 1;
}

static void find_devices(sweep *s)
{
  enum { LEAST = 16 };
  const hc_verify_hosts *in = s->in;
  int64_t most = LEAST;
  for (size_t i = 0; i < in->host_count; i++) most = HC_MAX(most, in->hosts[i].devices);
  for (size_t i = 0; i < in->change_count; i++)
    most = HC_MAX(most, in->changes[i].amount[HC_DIM_GPU] / HC_DEVICE + 1);
  s->devices = (uint32_t)HC_MIN(most, HC_DEVICES);
}

static void begin_hosts(sweep *s)
{
  int64_t *at = s->room;
  for (size_t i = 0; i < s->in->host_count; i++) {
    hc_host_now *h = &s->hosts[i];
    h->has = at;
    h->held = h->has + s->dimensions;
    h->device = h->held + s->dimensions;
    at = h->device + s->devices;
    memcpy(h->has, s->in->hosts[i].amount, s->dimensions * sizeof *h->has);
  }
}

hc_rc hc_check_hosts(hc_check *c)
{
  const hc_verify_hosts *in = c->options->hosts;
  const hc_allocator *a = c->allocator;
  sweep s = {.c = c, .in = in, .dimensions = in->dimensions};
  hc_rc rc = HC_ENOMEM;
  find_devices(&s);
  s.room = hc_alloc(a, room_size(&s));
  s.hosts = hc_alloc(a, in->host_count * sizeof *s.hosts);
  s.grants = hc_alloc(a, in->grant_count * sizeof *s.grants);
  s.demands = hc_alloc(a, in->demand_count * sizeof *s.demands);
  if (s.room && s.hosts && (s.grants || !in->grant_count) && (s.demands || !in->demand_count)) {
    begin_hosts(&s);
    for (size_t i = 0; i < in->grant_count; i++) s.grants[i] = &in->grants[i];
    for (size_t i = 0; i < in->demand_count; i++) s.demands[i] = &in->demands[i];
    sort_grants(s.grants, in->grant_count);
    if (in->demand_count > 1) qsort(s.demands, in->demand_count, sizeof *s.demands, by_demand);
    s.asks_heads =
        c->options->promise == HC_PROMISE_FCFS && c->options->told && c->options->told->starts_heads;
    rc = prepare_changes(&s);
    if (rc >= 0 && s.asks_heads) rc = hc_line_open(&s.line, c);
    if (rc >= 0) rc = run(&s);
  }
  if (s.line.out) hc_line_close(&s.line);
  if (s.now) hc_free(a, s.now, in->grant_count * s.dimensions * sizeof *s.now + 1);
  if (s.tasks) hc_free(a, s.tasks, in->resize_count * sizeof *s.tasks);
  if (s.room) hc_free(a, s.room, room_size(&s));
  hc_free(a, s.hosts, in->host_count * sizeof *s.hosts);
  hc_free(a, s.grants, in->grant_count * sizeof *s.grants);
  hc_free(a, s.demands, in->demand_count * sizeof *s.demands);
  return rc;
}
