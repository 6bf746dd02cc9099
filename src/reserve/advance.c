/* advance.c -- windows of advance reservations in order of time, and by host. See advance.h. */
#include "reserve/advance.h"

#include "base/sort.h"
#include "base/util.h"

void hc_advance_fini(hc_advance *a)
{
  hc_free(a->allocator, a->windows, a->cap * sizeof *a->windows);
  hc_free(a->allocator, a->hosts, a->host_cap * sizeof *a->hosts);
  hc_free(a->allocator, a->ends, a->count * sizeof *a->ends);
  if (a->first) hc_free(a->allocator, a->first, ((size_t)a->units + 1) * sizeof *a->first);
  hc_free(a->allocator, a->on, a->on_count * sizeof *a->on);
}

hc_rc hc_advance_add(hc_advance *a, const hc_advance_window *w, const hc_range *hosts, size_t count)
{
  TRY(hc_reserve(a->allocator, (void **)&a->windows, &a->cap, a->count + 1, sizeof *a->windows));
  TRY(hc_reserve(a->allocator, (void **)&a->hosts, &a->host_cap, a->host_count + count, sizeof *a->hosts));
  hc_advance_window *x = &a->windows[a->count++];
  *x = *w;
  a->has_others |= w->kind != HC_ADVANCE_KEPT;
  a->has_resizes |= w->kind == HC_ADVANCE_RESIZE;
  x->first = (uint32_t)a->host_count;
  x->count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) a->hosts[a->host_count++] = hosts[i];
  return 0;
}

/* ---- in order ---- */

HC_SORT(sort_windows, hc_advance_window,
        a->start != b->start ? a->start < b->start : a->reservation < b->reservation)
HC_SORT(sort_ends, hc_time, *a < *b)

static uint32_t end_of(const hc_range *r)
{
  return r->first + r->count;
}

static hc_rc settle_ends(hc_advance *a)
{
  a->ends = hc_alloc(a->allocator, a->count * sizeof *a->ends);
  if (!a->ends) return HC_ENOMEM;
  for (size_t i = 0; i < a->count; i++) a->ends[i] = a->windows[i].end;
  sort_ends(a->ends, a->count);
  return 0;
}

/* A host after another: how many windows it has, then where they stand, in order of start. An instant closes
 * nothing, and is not among them. */
static hc_rc settle_hosts(hc_advance *a)
{
  a->first = hc_alloc(a->allocator, ((size_t)a->units + 1) * sizeof *a->first);
  if (!a->first) return HC_ENOMEM;
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *w = &a->windows[i];
    for (uint32_t k = w->first; w->kind != HC_ADVANCE_RESIZE && k < w->first + w->count; k++)
      for (uint32_t h = a->hosts[k].first; h < end_of(&a->hosts[k]); h++) a->first[h]++;
  }
  for (uint32_t h = 0, sum = 0; h <= a->units; h++) {
    sum += a->first[h];
    a->first[h] = sum;
  }
  a->on_count = a->first[a->units];
  a->on = hc_alloc(a->allocator, a->on_count * sizeof *a->on + 1);
  if (!a->on) return HC_ENOMEM;
  for (size_t i = a->count; i-- > 0;) {
    const hc_advance_window *w = &a->windows[i];
    for (uint32_t k = w->first; w->kind != HC_ADVANCE_RESIZE && k < w->first + w->count; k++)
      for (uint32_t h = a->hosts[k].first; h < end_of(&a->hosts[k]); h++) a->on[--a->first[h]] = (uint32_t)i;
  }
  return 0;
}

hc_rc hc_advance_settle(hc_advance *a, uint32_t units, const hc_advance_window *clash[2])
{
  a->units = units;
  sort_windows(a->windows, a->count);
  TRY(settle_ends(a));
  if (units == 0) return 0;
  TRY(settle_hosts(a));
  for (uint32_t h = 0; h < units; h++)
    for (uint32_t i = a->first[h]; i + 1 < a->first[h + 1]; i++) {
      clash[0] = &a->windows[a->on[i]];
      clash[1] = &a->windows[a->on[i + 1]];
      if (clash[0]->end > clash[1]->start) return HC_EUSAGE;
    }
  return 0;
}

/* ---- questions ---- */

/* Does a window that is not over close a host at some time from `at` on? What runs when hosts begin to drain
 * runs on; and that a host returns says nothing of when it goes. */
static bool closes(const hc_advance *a, uint32_t i, hc_task t, uint32_t host, hc_time at)
{
  const hc_advance_window *w = &a->windows[i];
  if (!hc_advance_bars_task(a, i, t)) return false;
  switch (w->kind) {
    case HC_ADVANCE_KEPT: return true;
    case HC_ADVANCE_DRAIN: return w->start <= at;
    case HC_ADVANCE_AWAY: return w->start <= at && a->is_away(a->ctx, host);
    case HC_ADVANCE_RESIZE: break;
  }
  return false;
}

/* Windows of one host do not overlap: in order of start they are in order of end. */
hc_time hc_advance_closes(const hc_advance *a, hc_task t, uint32_t host, hc_time at)
{
  uint32_t low = a->first[host], high = a->first[host + 1];
  const uint32_t last = high;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (a->windows[a->on[middle]].end <= at) low = middle + 1;
    else high = middle;
  }
  while (low < last && !closes(a, a->on[low], t, host, at)) low++;
  return low < last ? HC_MAX(a->windows[a->on[low]].start, at) : HC_NEVER;
}

bool hc_advance_is_open(const hc_advance *a, hc_task t, hc_time from, hc_time to, const hc_grant *grants,
                        size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (hc_advance_closes(a, t, grants[i].host, from) < HC_MAX(to, hc_time_add(from, 1))) return false;
  return true;
}

/* The number of ends at or before a time. */
static size_t ended(const hc_advance *a, hc_time by)
{
  size_t low = 0, high = a->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (a->ends[middle] <= by) low = middle + 1;
    else high = middle;
  }
  return low;
}

hc_time hc_advance_opens(const hc_advance *a, hc_time after)
{
  const size_t i = ended(a, after);
  return i < a->count ? a->ends[i] : HC_NEVER;
}

bool hc_advance_opened(const hc_advance *a, hc_time by, hc_time *at)
{
  const size_t i = ended(a, by);
  if (i > 0) *at = a->ends[i - 1];
  return i > 0;
}

/* It runs into a window that starts at s from s - length + 1 on. */
hc_time hc_advance_bars(const hc_advance *a, hc_task t, hc_time from, hc_time length)
{
  size_t low = 0, high = a->count;
  if (length == HC_NEVER) return HC_NEVER; /* it is in its way from the beginning */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (a->windows[middle].start - length + 1 <= from) low = middle + 1;
    else high = middle;
  }
  while (low < a->count && !hc_advance_bars_task(a, low, t)) low++;
  return low < a->count ? a->windows[low].start - length + 1 : HC_NEVER;
}
