/* hosts_minimum.c -- hosts as they would stand at another time than now.
 *
 * Who plans ahead keeps a second cell of the same hosts, on which nothing is ever claimed: of each host it is told
 * what is free, and the placement is asked there as it is on the cell itself. So the least that is free over a time,
 * which is no state that the cell is ever in, can be asked about like one. A host on which nothing is at any time is
 * idle; one that is taken whole at some time has nothing. Sums count what is free only where it is more than nothing:
 * plans that turned out wrong may owe amounts, which take nothing away from other hosts.
 *
 * Cost: that of one claim for each host that is told anew, nothing if it stands as it stood. */
#include <string.h>

#include "cluster/hosts_parts.h"

static inline int64_t counted(int64_t free)
{
  return HC_MAX(free, 0);
}

void hc_hosts_mirror(hc_hosts *h, const hc_hosts *of)
{
  memcpy(h->caps, of->caps, (size_t)h->units * h->dims * sizeof *h->caps);
  hc_hosts_shapes_fini(h); /* made anew when it is asked for */
  for (uint32_t host = 0; host < h->units; host++) {
    hc_hosts_minimum s;
    h->flags[host] = of->flags[host] & (uint8_t)~HC_HOSTS_WHOLE;
    hc_hosts_minimum_idle(h, host, &s);
    hc_hosts_set_minimum(h, host, &s);
  }
  hc_hosts_derive(h);
  for (uint32_t d = 0; d < h->dims; d++) {
    h->free_sum[d] = 0;
    for (uint32_t host = 0; host < h->units; host++)
      if (!h->is_shared[d]) h->free_sum[d] += counted(hc_hosts_row(h, host)[d]);
  }
  h->memo_count = 0;
}

void hc_hosts_minimum_idle(const hc_hosts *h, uint32_t host, hc_hosts_minimum *out)
{
  memset(out, 0, sizeof *out);
  if (host == h->units) {
    for (uint32_t d = 0; d < h->dims; d++) out->free[d] = h->is_shared[d] ? h->spec->shared[h->which[d]] : 0;
    return;
  }
  for (uint32_t d = 0; d < h->dims; d++) out->free[d] = h->caps[(size_t)host * h->dims + d];
  if (!h->has_devices || hc_hosts_class_devices(h, host) == 0) return;
  for (uint32_t i = 0; i < HC_DEVICES; i++) out->devices[i] = hc_hosts_device_size(out->free[h->gpu], i);
}

static void set_idle(hc_hosts *h, uint32_t host, bool is_idle)
{
  if (hc_hosts_bits_has(&h->idle, host) == is_idle) return;
  if (is_idle) hc_hosts_bits_set(&h->idle, host);
  else hc_hosts_bits_clear(&h->idle, host);
  h->idle_count = is_idle ? h->idle_count + 1 : h->idle_count - 1;
}

void hc_hosts_set_minimum(hc_hosts *h, uint32_t host, const hc_hosts_minimum *s)
{
  int64_t *row, was[HC_HOSTS_COLUMNS], columns[2];
  const bool takes = host < h->units && hc_hosts_takes(h, host) && s->whole == 0;
  const int64_t away = takes ? 0 : HC_HOSTS_AWAY;
  if (host == h->units) {
    for (uint32_t d = 0; d < h->dims; d++) h->shared_free[d] = s->free[d];
    return;
  }
  row = hc_hosts_row(h, host);
  memcpy(was, row, h->columns * sizeof *row);
  for (uint32_t d = 0; d < h->dims; d++) {
    row[d] = (s->whole ? 0 : s->free[d]) - away;
    h->free_sum[d] += counted(row[d]) - counted(was[d]);
  }
  if (h->has_devices) {
    memcpy(h->devices + (size_t)host * HC_DEVICES, s->devices, sizeof s->devices);
    hc_hosts_device_columns(h, host, columns);
    for (uint32_t i = 0; i < 2; i++) row[h->dims + i] = columns[i] - away;
  }
  h->held[host] = s->on_it;
  set_idle(h, host, takes && s->on_it == 0);
  if (!h->has_devices && memcmp(was, row, h->columns * sizeof *row) == 0) return;
  hc_hosts_index_sink(h, host); /* some amounts less, others more */
  hc_hosts_index_rise(h, host);
}

/* ---- what one grant takes away ---- */

void hc_hosts_amounts_of(const hc_hosts *h, const hc_request *r, const hc_grant *g, hc_hosts_amounts *out)
{
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, r->more);
  hc_hosts_want w = {0};
  *out = (hc_hosts_amounts){.whole = r->whole};
  if (r->whole) return;
  if (g->chunk == 0) (void)hc_hosts_want_of(h, r->need, &w);
  else if (m && g->chunk <= m->chunk_count) (void)hc_hosts_want_chunk(h, &m->chunks[g->chunk - 1], &w);
  for (uint32_t d = 0; d < h->dims; d++) out->amount[d] = w.row[d] * g->slots;
  if (g->devices == 0) return;
  out->devices = g->devices;
  out->each = w.gpu >= HC_DEVICE ? HC_DEVICE : (int32_t)(w.gpu * g->slots);
}

bool hc_hosts_shared_amounts(const hc_hosts *h, const hc_request *r, hc_hosts_amounts *out)
{
  *out = (hc_hosts_amounts){0};
  return h->has_shared && hc_hosts_shared_need(h, r, hc_lexicon_more(h->lexicon, r->more), out->amount);
}

void hc_hosts_minimum_move(hc_hosts_minimum *s, const hc_hosts_amounts *p, uint32_t dimensions, int32_t sign)
{
  for (uint32_t d = 0; d < dimensions; d++) s->free[d] += sign * p->amount[d];
  for (uint32_t i = 0, bits = p->devices; bits != 0; bits >>= 1, i++)
    if (bits & 1) s->devices[i] += sign * p->each;
  s->on_it -= (uint32_t)sign;
  s->whole -= (uint32_t)(p->whole ? sign : 0);
}

void hc_hosts_minimum_meet(hc_hosts_minimum *least, const hc_hosts_minimum *s, uint32_t dimensions,
                           bool devices)
{
  for (uint32_t d = 0; d < dimensions; d++) least->free[d] = HC_MIN(least->free[d], s->free[d]);
  for (uint32_t i = 0; devices && i < HC_DEVICES; i++)
    least->devices[i] = HC_MIN(least->devices[i], s->devices[i]);
  least->on_it = HC_MAX(least->on_it, s->on_it);
  least->whole = HC_MAX(least->whole, s->whole);
}

bool hc_hosts_has_shared(const hc_hosts *h)
{
  return h->has_shared;
}

bool hc_hosts_has_devices(const hc_hosts *h)
{
  return h->has_devices;
}

/* ---- rivals ---- */

bool hc_hosts_limits(const hc_hosts *h, uint32_t more, int64_t *rival)
{
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, more);
  if (!hc_hosts_is_limited(m)) return false;
  *rival = m->rival;
  return true;
}

hc_rc hc_hosts_rivals_add(hc_hosts *h, uint32_t more, const hc_grant *grants, size_t count)
{
  const hc_hosts_facts f = hc_hosts_facts_levels(h, more);
  return hc_hosts_limits_add(h, &f, grants, count);
}

void hc_hosts_rivals_remove(hc_hosts *h, uint32_t more, const hc_grant *grants, size_t count)
{
  const hc_hosts_facts f = hc_hosts_facts_levels(h, more);
  hc_hosts_limits_remove(h, &f, grants, count);
}

bool hc_hosts_rivals_allow(const hc_hosts *h, uint32_t more, uint32_t host)
{
  const hc_hosts_facts f = hc_hosts_facts_levels(h, more);
  return hc_hosts_limits_allow(h, &f, host);
}
