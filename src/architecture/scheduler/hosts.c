/* hosts.c -- which hosts a scheduler may use: see hosts.h. */
#include "architecture/scheduler/hosts.h"

#include <string.h>

#include "base/util.h"

/* Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S): going through the
 * hosts in their order, one is left out with the probability (still to be left out) / (hosts to come). */
static void leave_out(bool *is_out, uint32_t hosts, uint32_t count, hc_draws *draws)
{
  for (uint32_t h = 0; h < hosts && count > 0; h++)
    if (hc_random_below(draws, hosts - h) < count) {
      is_out[h] = true;
      count--;
    }
}

/* Ranges of the hosts that are not out. @param out NULL: only count them. */
static size_t as_ranges(const bool *is_out, uint32_t hosts, hc_range *out)
{
  size_t n = 0;
  for (uint32_t h = 0; h < hosts; h++) {
    if (is_out[h]) continue;
    if (h == 0 || is_out[h - 1]) {
      if (out) out[n] = (hc_range){h, 0};
      n++;
    }
    if (out) out[n - 1].count++;
  }
  return n;
}

hc_rc hc_scheduler_hosts_draw(hc_scheduler_hosts *h, hc_arena *build, const hc_allocator *a, uint32_t hosts,
                              double share, hc_draws draws)
{
  const uint32_t count = (uint32_t)(share * (double)hosts);
  bool *is_out;
  *h = (hc_scheduler_hosts){0};
  if (count == 0) return 0;
  is_out = hc_alloc(a, hosts * sizeof *is_out);
  if (!is_out) return HC_ENOMEM;
  memset(is_out, 0, hosts * sizeof *is_out);
  leave_out(is_out, hosts, count, &draws);
  h->count = as_ranges(is_out, hosts, NULL);
  h->ranges = hc_arena_alloc(build, h->count * sizeof *h->ranges);
  if (h->ranges) (void)as_ranges(is_out, hosts, h->ranges);
  hc_free(a, is_out, hosts * sizeof *is_out);
  return h->ranges ? 0 : HC_ENOMEM;
}

size_t hc_scheduler_hosts_both(const hc_scheduler_hosts *h, const hc_range *scope, size_t scope_count,
                               hc_range *out)
{
  size_t n = 0;
  for (size_t i = 0, k = 0; i < h->count && k < scope_count;) {
    const uint64_t end = (uint64_t)h->ranges[i].first + h->ranges[i].count,
                   scope_end = (uint64_t)scope[k].first + scope[k].count;
    const uint64_t from = HC_MAX(h->ranges[i].first, scope[k].first), to = HC_MIN(end, scope_end);
    if (from < to) out[n++] = (hc_range){(uint32_t)from, (uint32_t)(to - from)};
    if (end <= scope_end) i++;
    else k++;
  }
  return n;
}
