/* changes.c -- one sweep over what tasks and hosts did. See changes.h.
 *
 * Events are sorted by time, then serial; those of an instant are gone through once for each kind, in the
 * order in which an engine tells them. A task of no length takes and gives back in two rounds of its instant.
 */
#include "metric/changes.h"

#include "base/mem.h"
#include "base/radix.h"
#include "base/util.h"
#include "metric/family.h"

enum { RELEASE, HOST, QUEUE, UNQUEUE, CLAIM, RELEASE_AT_ONCE, KINDS };

typedef struct sweep {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  const hc_task_record *records;
  const hc_host_story *hosts;
  hc_pair *events; /* time; index << 3 | kind */
  size_t event_count, event_cap;
  hc_change block[HC_BLOCK];
  size_t block_count;
  hc_change_hearer each;
  void *ctx;
} sweep;

/* ---- events ---- */

static void add_event(sweep *s, hc_time t, size_t index, unsigned kind)
{
  if (t == HC_UNKNOWN || t == HC_NEVER) return;
  s->events[s->event_count++] = (hc_pair){hc_pair_key(t), (uint64_t)index << 3 | kind};
}

static void add_task(sweep *s, size_t i)
{
  const hc_task_record *r = &s->records[i];
  if (r->submit == HC_UNKNOWN || r->final == HC_FINAL_REJECTED || r->final == HC_FINAL_HELD) return;
  add_event(s, r->submit, i, QUEUE);
  add_event(s, r->start != HC_UNKNOWN ? r->start : r->end, i, UNQUEUE);
  if (r->start == HC_UNKNOWN) return;
  add_event(s, r->start, i, CLAIM);
  add_event(s, r->end, i, r->end == r->start ? RELEASE_AT_ONCE : RELEASE);
}

/* In order of serial, so that those of an instant are told in the order in which an engine tells them. */
static hc_rc add_tasks(sweep *s, size_t n)
{
  hc_pair *order = NULL;
  size_t cap = 0;
  TRY(hc_reserve(s->allocator, (void **)&order, &cap, n + 1, sizeof *order));
  for (size_t i = 0; i < n; i++) order[i] = (hc_pair){hc_pair_key(s->records[i].serial), i};
  const hc_rc rc = hc_pairs_sort(s->allocator, order, n);
  for (size_t i = 0; i < n && rc == 0; i++) add_task(s, (size_t)order[i].value);
  hc_free(s->allocator, order, cap * sizeof *order);
  return rc;
}

/* ---- telling ---- */

static hc_rc flush(sweep *s)
{
  size_t n = s->block_count;
  s->block_count = 0;
  return n ? s->each(s->ctx, s->block, n) : 0;
}

static hc_rc put(sweep *s, const hc_change *c)
{
  s->block[s->block_count++] = *c;
  return s->block_count == HC_BLOCK ? flush(s) : 0;
}

static const hc_story_asked *find_asked(const hc_host_story *h, int64_t serial)
{
  size_t low = 0, high = h->asked_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (h->asked[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low < h->asked_count && h->asked[low].serial == serial ? &h->asked[low] : NULL;
}

static size_t first_held(const hc_host_story *h, int64_t serial)
{
  size_t low = 0, high = h->held_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (h->held[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* What belongs to the cell as a whole a task has once, wherever it runs. */
static hc_rc put_shared(sweep *s, hc_change c, const hc_story_asked *asked)
{
  bool has_any = false;
  c.host = HC_NO_HOST;
  c.devices = (hc_devices){0};
  for (uint32_t d = 0; d < s->hosts->width; d++) {
    c.amount[d] = s->cell->shared[d] > 0 ? asked->amount[d] : 0;
    has_any |= c.amount[d] != 0;
  }
  return has_any ? put(s, &c) : 0;
}

static hc_rc tell_claims(sweep *s, hc_change c, const hc_story_asked *asked)
{
  const hc_host_story *h = s->hosts;
  size_t i = first_held(h, (int64_t)c.serial);
  if (i == h->held_count || h->held[i].serial != (int64_t)c.serial) return HC_EUNSUPPORTED;
  for (; i < h->held_count && h->held[i].serial == (int64_t)c.serial; i++) {
    c.host = h->held[i].host;
    c.devices = h->held[i].devices;
    for (uint32_t d = 0; d < h->width; d++) c.amount[d] = h->held[i].amount[d];
    TRY(put(s, &c));
  }
  return put_shared(s, c, asked);
}

static hc_rc tell(sweep *s, hc_time t, uint64_t event)
{
  static const uint32_t kinds[KINDS] = {HC_CHANGE_RELEASED, HC_CHANGE_HOST,    HC_CHANGE_QUEUED,
                                        HC_CHANGE_UNQUEUED, HC_CHANGE_CLAIMED, HC_CHANGE_RELEASED};
  const uint32_t kind = event & 7;
  const bool is_queue = kind == QUEUE || kind == UNQUEUE;
  if (kind == HOST) return put(s, &s->hosts->changes[event >> 3]);
  const hc_task_record *r = &s->records[event >> 3];
  hc_change c = {.at = t,
                 .serial = (uint64_t)r->serial,
                 .user = r->user,
                 .kind = kinds[kind],
                 .host = HC_NO_HOST,
                 .slots = 1,
                 .used_cpu = HC_UNKNOWN,
                 .used_memory = HC_UNKNOWN,
                 .job = -1};
  if (!s->hosts) {
    c.slots = is_queue ? (uint32_t)HC_MIN(HC_MAX(r->units, 0), UINT32_MAX) : 1;
    c.amount[HC_DIM_CPU] = is_queue ? 1000 : (int64_t)((uint64_t)r->units * 1000);
    return put(s, &c);
  }
  const hc_story_asked *asked = find_asked(s->hosts, r->serial);
  if (!asked) return HC_EUNSUPPORTED;
  c.whole = asked->whole;
  if (!is_queue) return tell_claims(s, c, asked);
  c.slots = asked->slots;
  for (uint32_t d = 0; d < s->hosts->width; d++) c.amount[d] = asked->amount[d];
  return put(s, &c);
}

static hc_rc run(sweep *s, int64_t *serial)
{
  for (size_t i = 0, end; i < s->event_count; i = end) {
    const hc_time t = (hc_time)hc_pair_key((int64_t)s->events[i].key);
    for (end = i; end < s->event_count && s->events[end].key == s->events[i].key;) end++;
    for (uint32_t kind = 0; kind < KINDS; kind++)
      for (size_t k = i; k < end; k++) {
        hc_rc rc;
        if ((s->events[k].value & 7) != kind) continue;
        rc = tell(s, t, s->events[k].value);
        if (rc == HC_EUNSUPPORTED && kind != HOST) *serial = s->records[s->events[k].value >> 3].serial;
        TRY(rc);
      }
  }
  return flush(s);
}

hc_rc hc_metric_replay_changes(const hc_allocator *a, const hc_cell_spec *cell, const hc_task_record *records,
                               size_t n, const hc_host_story *hosts, hc_change_hearer each, void *ctx,
                               int64_t *serial)
{
  sweep *s = hc_alloc(a, sizeof *s); /* the block is too large for a stack that may be a thread's */
  hc_rc rc = n > SIZE_MAX / 16 ? HC_ENOMEM : 0;
  if (!s) return HC_ENOMEM;
  s->allocator = a;
  s->cell = cell;
  s->records = records;
  s->hosts = hosts;
  s->each = each;
  s->ctx = ctx;
  const size_t host_count = hosts ? hosts->change_count : 0;
  if (rc == 0)
    rc = hc_reserve(a, (void **)&s->events, &s->event_cap, 4 * n + host_count + 1, sizeof *s->events);
  if (rc == 0) rc = add_tasks(s, n);
  for (size_t i = 0; i < host_count && rc == 0; i++) add_event(s, hosts->changes[i].at, i, HOST);
  if (rc == 0) rc = hc_pairs_sort(a, s->events, s->event_count);
  if (rc == 0) rc = run(s, serial);
  hc_free(a, s->events, s->event_cap * sizeof *s->events);
  hc_free(a, s, sizeof *s);
  return rc;
}
