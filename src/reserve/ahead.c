/* ahead.c -- see ahead.h. */
#include "reserve/ahead.h"

#include "base/mem.h"
#include "base/util.h"

void hc_ahead_fini(hc_ahead *x, const hc_allocator *a, uint32_t units)
{
  hc_free(a, x->hosts, x->cap * sizeof *x->hosts);
  if (x->place) hc_free(a, x->place, units * sizeof *x->place);
}

void hc_ahead_clear(hc_ahead *x)
{
  for (size_t i = 0; i < x->count; i++) x->place[x->hosts[i].host] = 0;
  x->count = 0;
}

hc_rc hc_ahead_meet(hc_ahead *x, const hc_allocator *a, uint32_t units, uint32_t host, const int64_t *free,
                    uint32_t dimensions)
{
  if (!x->place) x->place = hc_alloc(a, units * sizeof *x->place);
  if (!x->place) return HC_ENOMEM;
  if (x->place[host] == 0) {
    TRY(hc_reserve(a, (void **)&x->hosts, &x->cap, x->count + 1, sizeof *x->hosts));
    x->hosts[x->count] = (hc_ahead_host){.host = host};
    for (uint32_t d = 0; d < dimensions; d++) x->hosts[x->count].least[d] = free[d];
    x->place[host] = (uint32_t)++x->count;
    return 0;
  }
  int64_t *least = x->hosts[x->place[host] - 1].least;
  for (uint32_t d = 0; d < dimensions; d++) least[d] = HC_MIN(least[d], free[d]);
  return 0;
}

/* ---- narrowed and widened ---- */

static void set_amounts(hc_hosts *on, uint32_t host, const int64_t *amounts)
{
  hc_host_event event = {.host = host, .change = HC_HOST_RESIZE};
  for (int d = 0; d < HC_DIMENSIONS; d++) event.capacity[d] = HC_UNKNOWN;
  for (uint32_t d = 0; d < hc_hosts_dimensions(on); d++)
    if (!hc_hosts_is_shared(on, d)) event.capacity[hc_hosts_which(on)[d]] = amounts[d];
  (void)hc_hosts_change(on, &event);
}

/* What is held stays held: so much less as it has is so much less free. */
void hc_ahead_narrow(hc_ahead *x, hc_hosts *on)
{
  const uint32_t dimensions = hc_hosts_dimensions(on);
  for (size_t i = 0; i < x->count; i++) {
    hc_ahead_host *h = &x->hosts[i];
    int64_t to[HC_DIMENSIONS];
    h->is_narrow = false;
    if (!hc_hosts_is_up(on, h->host)) continue;
    const int64_t *has = hc_hosts_capacity_of(on, h->host), *free = hc_hosts_free_of(on, h->host);
    for (uint32_t d = 0; d < dimensions; d++) {
      const int64_t over = HC_MAX(free[d] - h->least[d], 0);
      h->had[d] = has[d];
      to[d] = has[d] - over;
      h->is_narrow |= over > 0 && !hc_hosts_is_shared(on, d);
    }
    if (h->is_narrow) set_amounts(on, h->host, to);
  }
}

void hc_ahead_widen(const hc_ahead *x, hc_hosts *on)
{
  for (size_t i = 0; i < x->count; i++)
    if (x->hosts[i].is_narrow) set_amounts(on, x->hosts[i].host, x->hosts[i].had);
}

/* ---- what was chosen otherwise ---- */

bool hc_ahead_fits(const hc_ahead *x, const hc_hosts *h, const hc_request *r, const hc_grant *grants,
                   size_t count)
{
  const uint32_t dimensions = hc_hosts_dimensions(h);
  int64_t sum[HC_DIMENSIONS] = {0}, amounts[HC_DIMENSIONS];
  hc_hosts_piece piece;
  if (x->count == 0 || r->whole) return true;
  for (size_t i = 0; i < count; i++) {
    const uint32_t place = x->place[grants[i].host];
    const bool goes_on = i > 0 && grants[i - 1].host == grants[i].host;
    if (place == 0) continue;
    hc_hosts_amounts_of(h, r, &grants[i], amounts, &piece);
    for (uint32_t d = 0; d < dimensions; d++) {
      sum[d] = (goes_on ? sum[d] : 0) + amounts[d];
      if (!hc_hosts_is_shared(h, d) && sum[d] > x->hosts[place - 1].least[d]) return false;
    }
  }
  return true;
}
