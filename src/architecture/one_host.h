/* one_host.h -- tasks that run on one host: what they need of it, and whether amounts leave room.
 *
 * For architectures that look at hosts one by one. Whether a task could run on a host at all is
 * hc_engine_services.could; whether it fits now is a start's to say: devices and limits on rivals are more
 * than amounts. */
#ifndef HC_ARCHITECTURE_ONE_HOST_H
#define HC_ARCHITECTURE_ONE_HOST_H

#include "base/util.h"
#include "hindcast/view.h"

typedef struct hc_one_host_need {
  int64_t amount[HC_DIMENSIONS]; /* by the cell's dimensions, all slots together */
  uint32_t is_whole, dimensions; /* it takes its host whole; so many amounts are told */
} hc_one_host_need;

/* A task without an amount of the first dimension that takes some of it takes its host whole. */
static inline void hc_one_host_measure(const hc_services *ask, const hc_view *v, hc_task t,
                                       hc_one_host_need *out)
{
  const int64_t units = ask->units(v, t), each = ask->demand(v, t, 0);
  const int64_t slots = each > 0 ? units / each : 1;
  out->is_whole = each <= 0 && units > 0;
  out->dimensions = ask->dimensions(v);
  for (uint32_t d = 0; d < out->dimensions; d++) out->amount[d] = HC_MAX(ask->demand(v, t, d), 0) * slots;
}

/* Is there room, besides what is `held` (NULL: nothing)? What belongs to the whole cell is not looked at. */
static inline bool hc_one_host_has_room(const hc_services *ask, const hc_view *v, uint32_t host,
                                        const hc_one_host_need *need, const int64_t *held)
{
  const int64_t *capacity, *free = ask->host_free(v, host, &capacity);
  bool is_there = false;
  for (uint32_t d = 0, n = ask->dimensions(v); d < n; d++) {
    if (capacity[d] <= 0) continue; /* it belongs to the whole cell, or the host is away */
    is_there = true;
    if (free[d] - (held ? held[d] : 0) < (need->is_whole ? capacity[d] : need->amount[d])) return false;
  }
  return is_there;
}

#endif
