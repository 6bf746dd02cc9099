/* arrivals.c -- dynamic DRF: users come one by one, and what was given is not taken back.
 *
 * When the k-th of n is here, at most k / n of every resource is used. Shares are then raised from below: all
 * have the larger of what they had and M*. With shares in order, sum_i max(x_i, M) d_ir is linear in M
 * between two of them, so one walk from the smallest finds M*. The order survives each step, since those
 * below M* all become M* and the next one starts at 0.
 *
 * Source: Kash, Procaccia and Shah, No agent left behind: dynamic fair division of multiple resources, JAIR
 * 51, 2014 (from memory; the closed form is re-derived). */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/share/fair.h"

hc_rc hc_arrivals_init(hc_arrivals *x, const hc_allocator *a, uint32_t expected, uint32_t dims, hc_error *e)
{
  *x = (hc_arrivals){.allocator = a, .expected = expected, .dims = dims};
  if (dims == 0 || dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "dynamic DRF", 0, 0, "%u dimensions: there can be 1 to %d", dims,
                   HC_DIMENSIONS);
  x->demand = hc_alloc(a, (size_t)expected * dims * sizeof *x->demand);
  x->share = hc_alloc(a, expected * sizeof *x->share);
  x->order = hc_alloc(a, expected * sizeof *x->order);
  if (x->demand && x->share && x->order) return 0;
  hc_arrivals_fini(x);
  return hc_fail(e, HC_ENOMEM, "dynamic DRF", 0, 0, "no memory for %u users", expected);
}

void hc_arrivals_fini(hc_arrivals *x)
{
  hc_free(x->allocator, x->demand, (size_t)x->expected * x->dims * sizeof *x->demand);
  hc_free(x->allocator, x->share, x->expected * sizeof *x->share);
  hc_free(x->allocator, x->order, x->expected * sizeof *x->order);
  *x = (hc_arrivals){0};
}

/* M*. `low` sums the demands of those that rise with M, `high` the usage of those above it. */
static double level(const hc_arrivals *x)
{
  double low[HC_DIMENSIONS] = {0}, high[HC_DIMENSIONS] = {0}, most = 0;
  const double room = (double)x->here / x->expected;
  for (uint32_t i = 0; i < x->here; i++)
    for (uint32_t r = 0; r < x->dims; r++) high[r] += x->share[i] * x->demand[(size_t)i * x->dims + r];
  for (uint32_t k = 0; k < x->here; k++) {
    uint32_t i = x->order[k];
    double m = __builtin_inf();
    for (uint32_t r = 0; r < x->dims; r++) {
      double d = x->demand[(size_t)i * x->dims + r];
      low[r] += d;
      high[r] -= x->share[i] * d;
      if (low[r] > 0) m = HC_MIN(m, (room - high[r]) / low[r]);
    }
    most = HC_MAX(x->share[i], m);
    if (k + 1 == x->here || most <= x->share[x->order[k + 1]]) break;
  }
  return most;
}

hc_rc hc_arrivals_add(hc_arrivals *x, const double *demand, hc_error *e)
{
  double dominant = 0, m;
  uint32_t k = x->here;
  if (k == x->expected)
    return hc_fail(e, HC_ELIMIT, "dynamic DRF", 0, 0, "%u users were announced: announce more", x->expected);
  for (uint32_t r = 0; r < x->dims; r++) dominant = HC_MAX(dominant, demand[r]);
  if (!(dominant > 0) || dominant > 1e300)
    return hc_fail(e, HC_EINPUT, "dynamic DRF", 0, 0, "user %u needs %g: leave out users that need nothing",
                   k, dominant);
  for (uint32_t r = 0; r < x->dims; r++) x->demand[(size_t)k * x->dims + r] = demand[r] / dominant;
  x->share[k] = 0;
  memmove(x->order + 1, x->order, k * sizeof *x->order);
  x->order[0] = k;
  x->here++;
  m = level(x);
  for (uint32_t i = 0; i < x->here; i++) x->share[i] = HC_MAX(x->share[i], m);
  return 0;
}
