/* hosts_resize.c -- what a task holds becomes more or less, where it is.
 *
 * Each slot's vector changes by the same amounts on every host that the task is on; chunks, and GPUs, which are devices,
 * stay as they are. No task comes or goes, so that limits on rivals and idleness are not touched. Less always fits, also
 * on a host that drains, is away, or holds more than it has. More has to fit what is free. */
#include "cluster/hosts_parts.h"

/* How much more is wanted of a host than it was, in grants [from, to) on it; INT64_MAX: too much to say. */
static int64_t more_on(const hc_grant *grants, size_t from, size_t to, int64_t each)
{
  int64_t sum = 0, part;
  for (size_t i = from; i < to; i++) {
    if (grants[i].chunk != 0) continue;
    if (__builtin_mul_overflow(each, (int64_t)grants[i].slots, &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return INT64_MAX;
  }
  return sum;
}

bool hc_hosts_resize_fits(const hc_hosts *h, const hc_request *r, const int64_t *to, const hc_grant *grants,
                          size_t count)
{
  size_t end;
  for (uint32_t d = 0; d < h->dims; d++)
    if (h->is_shared[d] && to[d] > r->need[d] && to[d] - r->need[d] > h->shared_free[d]) return false;
  for (size_t i = 0; i < count; i = end) {
    const int64_t *free = hc_hosts_free_of(h, grants[i].host);
    for (end = i + 1; end < count && grants[end].host == grants[i].host; end++) continue;
    for (uint32_t d = 0; d < h->dims; d++) {
      if (h->is_shared[d] || to[d] <= r->need[d]) continue;
      const int64_t more = more_on(grants, i, end, to[d] - r->need[d]);
      if (more > 0 && more > free[d]) return false;
    }
  }
  return true;
}

static void move_row(hc_hosts *h, const hc_grant *g, const int64_t *from, const int64_t *to)
{
  int64_t *row = hc_hosts_row(h, g->host);
  const bool is_up = (h->flags[g->host] & HC_HOSTS_UP) != 0;
  for (uint32_t d = 0; d < h->dims; d++) {
    const int64_t more = h->is_shared[d] ? 0 : (to[d] - from[d]) * (int64_t)g->slots;
    row[d] -= more;
    if (is_up) h->free_sum[d] = (int64_t)((uint64_t)h->free_sum[d] - (uint64_t)more);
  }
  hc_hosts_index_sink(h, g->host); /* some amounts less, others more */
  hc_hosts_index_rise(h, g->host);
}

void hc_hosts_resize(hc_hosts *h, const hc_request *r, const int64_t *to, const hc_grant *grants,
                     size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (grants[i].chunk == 0) move_row(h, &grants[i], r->need, to);
  for (uint32_t d = 0; d < h->dims; d++)
    if (h->is_shared[d]) h->shared_free[d] -= to[d] - r->need[d];
}
