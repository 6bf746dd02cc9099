/* hosts_simple.c -- claims of one slot on each of several hosts, without devices, limits or amounts of the whole cell:
 * amounts, and nothing else, move. What is general in hosts.c is left out here, and what is the same for each host is
 * done once: that is half the cost. */
#include "cluster/hosts_parts.h"

bool hc_hosts_is_simple(const hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count)
{
  uint32_t other = 0;
  bool possible = r->more == 0 && !r->whole && !h->has_shared && !h->has_devices;
  if (!possible) return false;
  for (size_t i = 0; i < count; i++) other |= (grants[i].slots ^ 1) | grants[i].devices | grants[i].chunk;
  for (uint32_t d = 0; d < h->dims; d++) possible &= (uint64_t)r->need[d] <= (uint64_t)HC_HOSTS_MOST;
  return possible && other == 0;
}

/* Sums wrap around rather than overflow. */
static void move_sums(hc_hosts *h, const int64_t *need, uint64_t times)
{
  for (uint32_t d = 0; d < h->dims; d++)
    h->free_sum[d] = (int64_t)((uint64_t)h->free_sum[d] + (uint64_t)need[d] * times);
}

/* On at most sixteen hosts nothing is kept of them but two words (hosts_index.c): these can be kept here. */
static inline bool is_small(const hc_hosts *h)
{
  return h->units <= HC_HOSTS_FAN && h->memo_count == 0 && !h->shapes;
}

static inline void went_up(hc_hosts *h, uint32_t host, bool small)
{
  const uint64_t bit = UINT64_C(1) << (host & 63);
  if (!small) {
    hc_hosts_vacate(h, host);
    hc_hosts_index_rise(h, host);
    return;
  }
  if (hc_hosts_row(h, host)[0] > 0) h->open |= bit;
  HC_ASSERT(h->held[host] > 0);
  if (--h->held[host] > 0 || !hc_hosts_takes(h, host)) return;
  h->idle.words[0][0] |= bit;
  h->idle_count++;
}

static inline void went_down(hc_hosts *h, uint32_t host, bool small)
{
  const uint64_t bit = UINT64_C(1) << (host & 63);
  if (!small) {
    hc_hosts_occupy(h, host);
    hc_hosts_index_sink(h, host);
    return;
  }
  if (hc_hosts_row(h, host)[0] <= 0) h->open &= ~bit;
  if (h->held[host]++ > 0) return;
  h->idle.words[0][0] &= ~bit;
  h->idle_count--;
}

void hc_hosts_give_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  const uint32_t dims = h->dims;
  const bool small = is_small(h);
  uint64_t up = 0;
  for (size_t i = count; i-- > 0;) {
    const uint32_t host = grants[i].host;
    int64_t *row = h->rows + (size_t)host * dims;
    up += h->flags[host] & HC_HOSTS_UP;
    row[0] += need[0];
    if (dims > 1) row[1] += need[1];
    if (dims > 2) row[2] += need[2];
    for (uint32_t d = 3; d < dims; d++) row[d] += need[d];
    went_up(h, host, small);
  }
  move_sums(h, need, up);
}

/* Take it off, or leave it: @return whether there is so much. */
static inline bool take_off(int64_t *row, const int64_t *need, uint32_t dims)
{
  int64_t left = row[0] - need[0];
  if (dims > 1) left |= row[1] - need[1];
  if (dims > 2) left |= row[2] - need[2];
  for (uint32_t d = 3; d < dims; d++) left |= row[d] - need[d];
  if (left < 0) return false;
  row[0] -= need[0];
  if (dims > 1) row[1] -= need[1];
  if (dims > 2) row[2] -= need[2];
  for (uint32_t d = 3; d < dims; d++) row[d] -= need[d];
  return true;
}

hc_rc hc_hosts_take_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  const uint32_t dims = h->dims;
  const bool small = is_small(h);
  for (size_t i = 0; i < count; i++) {
    const uint32_t host = grants[i].host;
    /* A host that takes nothing has nothing. */
    if (host >= h->units || !take_off(h->rows + (size_t)host * dims, need, dims)) {
      move_sums(h, need, 0 - (uint64_t)i);
      hc_hosts_give_simply(h, need, grants, i);
      return HC_ECONFLICT;
    }
    went_down(h, host, small);
  }
  move_sums(h, need, 0 - (uint64_t)count);
  return 0;
}
