/* dag.c -- shapes of jobs: which of its tasks wait for which. A task only ever waits for one of a lower
 * number, so that no shape has a cycle. Draws are those of one task: the shape of a job is known anywhere
 * without its other tasks. */
#include "workload/dag.h"

#include "base/util.h"

hc_dag hc_dag_of_job(hc_dag shape, hc_draws *d)
{
  static const struct {
    hc_dag shape;
    double share;
  } mix[] = {{HC_DAG_CHAIN, 0.35}, {HC_DAG_FAN_IN, 0.25}, {HC_DAG_TREE, 0.2}, {HC_DAG_DIAMOND, 0.1}};
  if (shape != HC_DAG_MIXED) return shape;
  double u = hc_random_unit(d);
  for (size_t i = 0; i < HC_ARRAY_LEN(mix); i++) {
    if (u < mix[i].share) return mix[i].shape;
    u -= mix[i].share;
  }
  return HC_DAG_LAYERS;
}

/* Numbers from..to. */
static uint32_t all_of(uint32_t from, uint32_t to, uint32_t *out)
{
  uint32_t n = 0;
  for (uint32_t k = from; k <= to; k++) out[n++] = k;
  return n;
}

/* One to three different numbers below i, ascending; fewer if there are not as many. */
static uint32_t some_before(uint32_t i, hc_draws *d, uint32_t *out)
{
  const uint32_t drawn = 1 + (uint32_t)hc_random_below(d, 3), want = HC_MIN(drawn, i - 1);
  uint32_t n = 0;
  while (n < want) {
    const uint32_t k = 1 + (uint32_t)hc_random_below(d, i - 1);
    uint32_t at = 0;
    while (at < n && out[at] < k) at++;
    if (at < n && out[at] == k) continue;
    for (uint32_t j = n++; j > at; j--) out[j] = out[j - 1];
    out[at] = k;
  }
  return n;
}

uint32_t hc_dag_before(hc_dag shape, uint32_t i, uint32_t count, hc_draws *d, uint32_t *out)
{
  if (i <= 1) return 0;
  switch (shape) {
    case HC_DAG_NONE:
    case HC_DAG_MIXED: return 0;
    case HC_DAG_CHAIN: return all_of(i - 1, i - 1, out);
    case HC_DAG_FAN_IN: return i == count ? all_of(1, i - 1, out) : 0;
    case HC_DAG_FAN_OUT: return all_of(1, 1, out);
    case HC_DAG_DIAMOND: return i == count && count > 2 ? all_of(2, i - 1, out) : all_of(1, 1, out);
    case HC_DAG_TREE: out[0] = 1 + (uint32_t)hc_random_below(d, i - 1); return 1;
    case HC_DAG_LAYERS: return 3 * i <= count + 2 ? 0 : some_before(i, d, out);
  }
  return 0;
}
