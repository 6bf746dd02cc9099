/* hosts_minimum.c -- hosts as they would stand at another time than now.
 *
 * Whatever plans ahead keeps a second cell of the same hosts, on which nothing is ever claimed: of each host it is
 * told what is free, and the placement is asked there as it is on the cell itself. So the least that is free over a time,
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

void hc_hosts_mirror(hc_hosts *h, const hc_hosts *of, bool (*is_up)(void *ctx, uint32_t host), void *ctx)
{
  memcpy(h->caps, of->caps, (size_t)h->units * h->dims * sizeof *h->caps);
  hc_hosts_shapes_fini(h); /* made anew when it is asked for */
  for (uint32_t host = 0; host < h->units; host++) {
    hc_hosts_minimum s;
    h->flags[host] = of->flags[host] & (uint8_t)~HC_HOSTS_WHOLE;
    if (is_up && is_up(ctx, host)) h->flags[host] = HC_HOSTS_UP;
    hc_hosts_minimum_idle(h, host, s.at);
    hc_hosts_set_minimum(h, host, s.at);
  }
  hc_hosts_derive(h);
  for (uint32_t d = 0; d < h->dims; d++) {
    h->free_sum[d] = 0;
    for (uint32_t host = 0; host < h->units; host++)
      if (!h->is_shared[d]) h->free_sum[d] += counted(hc_hosts_row(h, host)[d]);
  }
  h->memo_count = 0;
}

uint32_t hc_hosts_minimum_words(const hc_hosts *h)
{
  return 1 + h->dims + (h->device_cap + 1) / 2;
}

static inline int32_t *device_at(hc_hosts_word *devices, uint32_t i)
{
  return &devices[i / 2].part[i % 2];
}

void hc_hosts_minimum_idle(const hc_hosts *h, uint32_t host, hc_hosts_word *out)
{
  hc_hosts_word *free = out + 1, *devices = free + h->dims;
  out[0].amount = 0;
  for (uint32_t i = 0; i < (h->device_cap + 1) / 2; i++) devices[i].amount = 0;
  if (host == h->units) {
    for (uint32_t d = 0; d < h->dims; d++)
      free[d].amount = h->is_shared[d] ? h->spec->shared[h->which[d]] : 0;
    return;
  }
  for (uint32_t d = 0; d < h->dims; d++) free[d].amount = h->caps[(size_t)host * h->dims + d];
  if (!h->has_devices || hc_hosts_class_devices(h, host) == 0) return;
  for (uint32_t i = 0; i < h->device_cap; i++)
    *device_at(devices, i) = hc_hosts_device_size(free[h->gpu].amount, i);
}

static void set_idle(hc_hosts *h, uint32_t host, bool is_idle)
{
  if (hc_hosts_bits_has(&h->idle, host) == is_idle) return;
  if (is_idle) hc_hosts_bits_set(&h->idle, host);
  else hc_hosts_bits_clear(&h->idle, host);
  h->idle_count = is_idle ? h->idle_count + 1 : h->idle_count - 1;
}

void hc_hosts_set_minimum(hc_hosts *h, uint32_t host, const hc_hosts_word *s)
{
  int64_t *row, columns[2];
  bool is_same = true;
  const bool takes = host < h->units && hc_hosts_takes(h, host) && s->part[HC_MINIMUM_WHOLE] == 0;
  const hc_hosts_word *free = s + 1, *devices = free + h->dims;
  const int64_t away = takes ? 0 : HC_HOSTS_AWAY;
  if (host == h->units) {
    for (uint32_t d = 0; d < h->dims; d++) h->shared_free[d] = free[d].amount;
    return;
  }
  row = hc_hosts_row(h, host);
  for (uint32_t d = 0; d < h->dims; d++) {
    const int64_t was = row[d];
    row[d] = (s->part[HC_MINIMUM_WHOLE] ? 0 : free[d].amount) - away;
    h->free_sum[d] += counted(row[d]) - counted(was);
    is_same &= row[d] == was;
  }
  if (h->has_devices) {
    for (uint32_t i = 0; i < h->device_cap; i++) hc_hosts_devices_of(h, host)[i] = devices[i / 2].part[i % 2];
    hc_hosts_device_columns(h, host, columns);
    for (uint32_t i = 0; i < 2; i++) row[h->dims + i] = columns[i] - away;
  }
  h->held[host] = (uint32_t)s->part[HC_MINIMUM_GRANTS];
  set_idle(h, host, takes && h->held[host] == 0);
  if (!h->has_devices && is_same) return;
  hc_hosts_index_sink(h, host); /* some amounts less, others more */
  hc_hosts_index_rise(h, host);
}

/* ---- what one grant takes away ---- */

void hc_hosts_amounts_of(const hc_hosts *h, const hc_request *r, const hc_grant *g, int64_t *amounts,
                         hc_hosts_piece *out)
{
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, r->more);
  bool is_known = false;
  hc_hosts_want w;
  w.gpu = 0;
  *out = (hc_hosts_piece){.whole = r->whole};
  if (!r->whole && g->chunk == 0) is_known = hc_hosts_want_of(h, r->need, &w);
  else if (!r->whole && m && g->chunk <= m->chunk_count)
    is_known = hc_hosts_want_chunk(h, &m->chunks[g->chunk - 1], &w);
  for (uint32_t d = 0; d < h->dims; d++) amounts[d] = is_known ? w.row[d] * g->slots : 0;
  if (r->whole || hc_devices_none(&g->devices)) return;
  out->devices = g->devices;
  out->each = w.gpu >= HC_DEVICE ? HC_DEVICE : (int32_t)(w.gpu * g->slots);
}

bool hc_hosts_shared_amounts(const hc_hosts *h, const hc_request *r, int64_t *amounts)
{
  return h->has_shared && hc_hosts_shared_need(h, r, hc_lexicon_more(h->lexicon, r->more), amounts);
}

void hc_hosts_minimum_move(hc_hosts_word *s, const int64_t *amounts, const hc_hosts_piece *p,
                           uint32_t dimensions, int32_t sign)
{
  hc_hosts_word *devices = s + 1 + dimensions;
  for (uint32_t d = 0; d < dimensions; d++) s[1 + d].amount += sign * amounts[d];
  if (p->is_plain) return;
  for (uint32_t k = 0; k < HC_DEVICES / 64; k++)
    for (uint64_t bits = p->devices.bits[k]; bits != 0; bits &= bits - 1)
      *device_at(devices, k * 64 + (uint32_t)__builtin_ctzll(bits)) += sign * p->each;
  s->part[HC_MINIMUM_GRANTS] -= sign;
  s->part[HC_MINIMUM_WHOLE] -= p->whole ? sign : 0;
}

bool hc_hosts_has_shared(const hc_hosts *h)
{
  return h->has_shared;
}

uint32_t hc_hosts_device_room(const hc_hosts *h)
{
  return h->device_cap;
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

bool hc_hosts_minimum_fits(const hc_hosts *h, const hc_request *r, const hc_hosts_word *s)
{
  const hc_hosts_word *devices = s + 1 + h->dims;
  int32_t free[HC_DEVICES];
  hc_hosts_want w;
  if (r->whole) return s->part[HC_MINIMUM_GRANTS] == 0;
  if (s->part[HC_MINIMUM_WHOLE] > 0 || !hc_hosts_want_of(h, r->need, &w)) return false;
  for (uint32_t d = 0; d < h->dims; d++)
    if (w.row[d] > s[1 + d].amount) return false;
  if (w.gpu == 0 || h->device_cap == 0) return true;
  for (uint32_t i = 0; i < h->device_cap; i++) free[i] = devices[i / 2].part[i % 2];
  return hc_hosts_device_slots(free, h->device_cap, w.gpu) > 0;
}
