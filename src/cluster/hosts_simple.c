/* hosts_simple.c -- claims of one slot on each of several hosts, without devices, limits or amounts of the
 * whole cell: amounts, and nothing else, move. What is general in hosts.c is left out here, and what is the
 * same for each host is done once: that is half the cost. Without it Polezhaev's scenario 3 takes 5 % more
 * instructions, scenario 1 under blocking FCFS 8 % (docs/notes/003). */
#include "cluster/hosts_parts.h"

/* Sums wrap around rather than overflow. */
static void move_sums(hc_hosts *h, const int64_t *need, uint64_t times)
{
  for (uint32_t d = 0; d < h->dims; d++)
    h->free_sum[d] = (int64_t)((uint64_t)h->free_sum[d] + (uint64_t)need[d] * times);
}

/* ---- cells of which nothing is kept but rows and words ---- */

/* On at most sixteen hosts there are no bounds over them (hosts_index.c): which are idle and which have any
 * of the first dimension are two words, and what happens to those is gathered as bits and done at the end.
 * Whether a host becomes idle is a toss-up, so a branch on it would be guessed wrong. */
static inline bool is_small(const hc_hosts *h)
{
  return h->units <= HC_HOSTS_FAN && h->memo_count == 0 && !h->shapes;
}

static inline void give_row(int64_t *row, const int64_t *need, uint32_t dims)
{
  row[0] += need[0];
  if (dims > 1) row[1] += need[1];
  if (dims > 2) row[2] += need[2];
  for (uint32_t d = 3; d < dims; d++) row[d] += need[d];
}

/* Take it off, or leave it: @return whether there is so much. */
static inline bool take_row(int64_t *row, const int64_t *need, uint32_t dims)
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

/* @return how many of the hosts are up */
static inline uint64_t give_small(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  const uint32_t dims = h->dims;
  uint64_t up = 0, open = 0, idle = 0;
  for (size_t i = count; i-- > 0;) {
    const uint32_t host = grants[i].host;
    int64_t *row = h->rows + (size_t)host * dims;
    give_row(row, need, dims);
    up += h->flags[host] & HC_HOSTS_UP;
    open |= (uint64_t)(row[0] > 0) << host;
    HC_ASSERT(h->held[host] > 0);
    idle |= ((uint64_t)(--h->held[host] == 0) & (uint64_t)hc_hosts_takes(h, host)) << host;
  }
  h->open |= open;
  h->idle.words[0][0] |= idle;
  h->idle_count += hc_hosts_few_count(idle);
  return up;
}

/* @return how many were taken: `count`, or the place of the first that has not so much */
static inline size_t take_small(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  const uint32_t dims = h->dims;
  uint64_t shut = 0, busy = 0;
  size_t i;
  for (i = 0; i < count; i++) {
    const uint32_t host = grants[i].host;
    int64_t *row = h->rows + (size_t)host * dims;
    if (host >= h->units || !take_row(row, need, dims)) break;
    shut |= (uint64_t)(row[0] <= 0) << host;
    busy |= (uint64_t)(h->held[host]++ == 0) << host;
  }
  h->open &= ~shut;
  h->idle.words[0][0] &= ~busy;
  h->idle_count -= hc_hosts_few_count(busy);
  return i;
}

/* ---- any ---- */

static uint64_t give_any(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  uint64_t up = 0;
  for (size_t i = count; i-- > 0;) {
    const uint32_t host = grants[i].host;
    up += h->flags[host] & HC_HOSTS_UP;
    give_row(h->rows + (size_t)host * h->dims, need, h->dims);
    hc_hosts_vacate(h, host);
    hc_hosts_index_rise(h, host);
  }
  return up;
}

static size_t take_any(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  size_t i;
  for (i = 0; i < count; i++) {
    const uint32_t host = grants[i].host;
    if (host >= h->units || !take_row(h->rows + (size_t)host * h->dims, need, h->dims)) break;
    hc_hosts_occupy(h, host);
    hc_hosts_index_sink(h, host);
  }
  return i;
}

void hc_hosts_give_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  uint64_t up;
  if (!is_small(h)) up = give_any(h, need, grants, count);
  else up = give_small(h, need, grants, count);
  move_sums(h, need, up);
}

/* A host that takes nothing has nothing. */
hc_rc hc_hosts_take_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count)
{
  size_t taken;
  if (!is_small(h)) taken = take_any(h, need, grants, count);
  else taken = take_small(h, need, grants, count);
  move_sums(h, need, 0 - (uint64_t)taken);
  if (taken == count) return 0;
  hc_hosts_give_simply(h, need, grants, taken);
  return HC_ECONFLICT;
}
