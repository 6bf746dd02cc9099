/* hold.c -- hosts that are promised to a task that waits, and how much each host has been used.
 *
 * A reservation that names hosts (reserve_hosts) stands on each of them as a time: until then others may use it. A
 * host's window is the time to the first of these. Promises are made anew at each decision, a handful of tasks have
 * one, and windows are rebuilt when one goes: a list, ascending by serial, is enough. They belong to the reservation: what
 * undoes that, or carries it out later, does the same with them; when it changes in any other way its hosts are free of it.
 *
 * The past of a host, the mean of what tasks have held of its first dimension, is kept if the placement looks at it. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/part.h"

hc_rc hc_hold_open(hc_engine *e)
{
  if (!e->cell.hosts || !e->chooser.reads_past) return 0;
  e->holds.past = hc_alloc(e->allocator, e->cell_spec.units * sizeof *e->holds.past);
  return e->holds.past ? 0 : HC_ENOMEM;
}

void hc_hold_close(hc_engine *e)
{
  hc_holds *h = &e->holds;
  hc_free(e->allocator, e->promised.grants, e->promised.cap * sizeof *e->promised.grants);
  hc_free(e->allocator, h->items, h->cap * sizeof *h->items);
  hc_free(e->allocator, h->window, e->cell_spec.units * sizeof *h->window);
  hc_free(e->allocator, h->past, e->cell_spec.units * sizeof *h->past);
}

/* ---- hosts promised ---- */

bool hc_hold_has(const hc_engine *e, hc_task id)
{
  const uint64_t serial = e->tasks.live[id].serial;
  for (size_t i = 0; i < e->holds.count; i++)
    if (e->holds.items[i].serial == serial) return true;
  return false;
}

void hc_hold_drop(hc_engine *e, hc_task id)
{
  hc_holds *h = &e->holds;
  const uint64_t serial = hc_live_of(e, id)->serial;
  size_t n = 0;
  if (h->count == 0) return;
  for (size_t i = 0; i < h->count; i++) h->window[h->items[i].host] = HC_NEVER;
  for (size_t i = 0; i < h->count; i++)
    if (h->items[i].serial != serial) h->items[n++] = h->items[i];
  h->count = n;
  for (size_t i = 0; i < n; i++) {
    hc_time *w = &h->window[h->items[i].host];
    *w = HC_MIN(*w, h->items[i].at);
  }
}

static hc_rc need_windows(hc_engine *e)
{
  hc_holds *h = &e->holds;
  if (h->window) return 0;
  h->window = hc_alloc(e->allocator, e->cell_spec.units * sizeof *h->window);
  if (!h->window) return HC_ENOMEM;
  for (uint32_t i = 0; i < e->cell_spec.units; i++) h->window[i] = HC_NEVER;
  return 0;
}

hc_rc hc_hold_hosts(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  hc_holds *h = &e->holds;
  const uint64_t serial = hc_live_of(e, id)->serial;
  size_t first = 0;
  hc_hold_drop(e, id);
  TRY(need_windows(e));
  TRY(hc_reserve(e->allocator, (void **)&h->items, &h->cap, h->count + count, sizeof *h->items));
  while (first < h->count && h->items[first].serial < serial) first++;
  if (first < h->count)
    memmove(&h->items[first + count], &h->items[first], (h->count - first) * sizeof *h->items);
  h->count += count;
  for (size_t i = 0; i < count; i++) {
    hc_time *w = &h->window[grants[i].host];
    h->items[first + i] = (hc_hold){.serial = serial, .at = at, .host = grants[i].host};
    *w = HC_MIN(*w, at);
  }
  return 0;
}

hc_rc hc_hold_get(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_holds *h = &e->holds;
  const uint64_t serial = hc_live_of(e, id)->serial;
  hc_grant *out = hc_arena_alloc(&e->scratch, h->count * sizeof *out);
  if (!out) return HC_ENOMEM;
  *grants = out;
  for (size_t i = 0; i < h->count; i++)
    if (h->items[i].serial == serial) out[(*count)++] = (hc_grant){.host = h->items[i].host, .slots = 1};
  return 0;
}

bool hc_hold_breaks(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_time end)
{
  const hc_holds *h = &e->holds;
  const uint64_t serial = e->tasks.live[id].serial;
  for (size_t i = 0; i < h->count; i++) {
    const hc_hold *x = &h->items[i];
    if (x->serial == serial || x->at >= end) continue;
    for (size_t g = 0; g < count; g++)
      if (grants[g].host == x->host) return true;
  }
  return false;
}

/* ---- the past ---- */

void hc_past_move(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, int sign)
{
  const bool whole = (e->tasks.live[id].bits & HC_LIVE_WHOLE) != 0;
  int64_t amount[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    hc_past *p = &e->holds.past[grants[i].host];
    if (i == 0 || !hc_same_amounts(&grants[i - 1], &grants[i], whole))
      hc_demand_of_grant(e, id, &grants[i], amount);
    p->sum += (double)p->held * (double)(e->now - p->since);
    p->since = e->now;
    p->held += sign * amount[hc_hosts_which(e->cell.hosts)[0]];
  }
}

/* Windows are made of the promises. */
static hc_rc rebuild_windows(hc_engine *e)
{
  hc_holds *h = &e->holds;
  if (h->count > 0) TRY(need_windows(e));
  for (size_t i = 0; i < h->count; i++) {
    if (h->items[i].host >= e->cell_spec.units) return HC_EINPUT;
    h->window[h->items[i].host] = HC_MIN(h->window[h->items[i].host], h->items[i].at);
  }
  return 0;
}

hc_rc hc_hold_visit(hc_engine *e, hc_visitor *v)
{
  hc_holds *h = &e->holds;
  HC_VISIT_ARRAY(v, h->items, h->count, h->cap);
  if (h->past) TRY(hc_visit_bytes(v, h->past, e->cell_spec.units * sizeof *h->past));
  return hc_visit_loading(v) ? rebuild_windows(e) : 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_past_move(e, n->task, n->grants, n->count, n->kind == HC_ON_STARTED ? 1 : -1);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->holds.past != NULL;
}

const hc_part hc_part_hold = {.name = "hold",
                              .wanted = wanted,
                              .hears = HC_HEARS(STARTED) | HC_HEARS(RELEASED),
                              .on = on,
                              .visit = hc_hold_visit,
                              .fini = hc_hold_close};
