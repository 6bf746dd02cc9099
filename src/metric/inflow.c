/* inflow.c -- what comes in the course of time, by pieces: see inflow.h. */
#include "metric/inflow.h"

#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

#define LONGEST (INT64_MAX / 8) /* a piece that lasts for ever */

void hc_inflow_init(hc_inflow *p, const hc_allocator *a, hc_time every, size_t most)
{
  *p = (hc_inflow){.allocator = a, .times = {.every = every, .from = HC_UNKNOWN}, .most = HC_MAX(most, 2)};
}

void hc_inflow_fini(hc_inflow *p)
{
  hc_free(p->allocator, p->sums, p->cap * sizeof *p->sums);
}

static hc_time begin_of(const hc_inflow *p, hc_time t)
{
  return hc_floor_div(t, p->times.every) * p->times.every;
}

hc_time hc_inflow_border(const hc_inflow *p, hc_time t)
{
  return hc_time_add(begin_of(p, t), p->times.every);
}

/* Two pieces become one: the first may now begin earlier. */
static void coarsen(hc_inflow *p)
{
  p->times.every *= 2;
  const hc_time from = begin_of(p, p->times.from);
  const size_t shift = from < p->times.from;
  for (size_t i = 0; i < p->count; i++) {
    const size_t to = (i + shift) / 2;
    const bool is_second = i > 0 && (i + shift) % 2 == 1;
    p->sums[to] = is_second ? p->sums[to] + p->sums[i] : p->sums[i];
  }
  if (p->count > 0) p->count = (p->count - 1 + shift) / 2 + 1;
  p->times.from = from;
}

hc_rc hc_inflow_add(hc_inflow *p, hc_time from, double more)
{
  if (p->times.from == HC_UNKNOWN) p->times.from = begin_of(p, from);
  if (from < p->times.from) return HC_EINPUT; /* of a damaged file */
  while ((uint64_t)(from - p->times.from) / (uint64_t)p->times.every >= p->most && p->times.every < LONGEST)
    coarsen(p);
  const size_t at = (size_t)((from - p->times.from) / p->times.every);
  if (at >= p->count) {
    TRY(hc_reserve(p->allocator, (void **)&p->sums, &p->cap, at + 1, sizeof *p->sums));
    memset(p->sums + p->count, 0, (at + 1 - p->count) * sizeof *p->sums);
    p->count = at + 1;
  }
  p->sums[at] += more;
  return 0;
}

double hc_inflow_sum(const hc_inflow *p, hc_time from, hc_time to)
{
  double sum = 0;
  if (p->times.from == HC_UNKNOWN) return 0;
  const hc_time first = HC_MAX(from, p->times.from) - p->times.from + p->times.every - 1;
  for (size_t i = (size_t)(first / p->times.every); i < p->count; i++) {
    if (p->times.from + (hc_time)i * p->times.every >= to) break;
    sum += p->sums[i];
  }
  return sum;
}

hc_rc hc_inflow_visit(hc_inflow *p, hc_visitor *v)
{
  HC_VISIT(v, p->times);
  HC_VISIT_ARRAY(v, p->sums, p->count, p->cap);
  return p->times.every > 0 && p->count <= p->most ? 0 : HC_EINPUT;
}
