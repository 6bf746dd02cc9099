/* hunger.c -- what an element's usage is against its fair share: satisfaction, starvation, integral volumes.
 *
 * Source: YTsaurus's scheduler. A resource is blocked where the fair share covers the demand: nothing more
 * can come of it. 0 / 0 and x / 0 are as the scheduler has them, and stand where they occur. */
#include "base/util.h"
#include "policy/share/pools.h"

static double ratio(double a, double b, double none)
{
  if (b > 0) return a / b;
  return a > 0 ? HC_POOL_SATED : none;
}

double hc_pool_satisfaction(uint32_t dims, const double *fair, const double *usage, const double *demand)
{
  bool is_due = false, is_over = false, all_blocked = true;
  double over = 0, least = HC_POOL_SATED, most = 0;
  for (uint32_t r = 0; r < dims; r++) {
    bool blocked = fair[r] >= demand[r];
    is_due |= fair[r] > 0;
    is_over |= usage[r] > fair[r];
    all_blocked &= blocked;
    over = HC_MAX(over, ratio(usage[r], fair[r], 0));
    least = HC_MIN(least, ratio(usage[r], fair[r], 1));
    if (!blocked && fair[r] > 0) most = HC_MAX(most, usage[r] / fair[r]);
  }
  if (!is_due) return HC_POOL_SATED;
  if (is_over) return HC_MIN(over, HC_POOL_SATED);
  return all_blocked ? least : most;
}

bool hc_pool_is_below(uint32_t dims, const double *fair, const double *usage, const double *demand,
                      double tolerance)
{
  bool all_blocked = true, below_open = true, below_one = false;
  for (uint32_t r = 0; r < dims; r++) {
    bool blocked = fair[r] >= demand[r], below = HC_MIN(fair[r] * tolerance, demand[r]) > usage[r];
    all_blocked &= blocked;
    below_one |= below;
    if (!blocked) below_open &= below;
  }
  return all_blocked ? below_one : below_open;
}

hc_pool_hunger hc_pool_starves(hc_time below_since, hc_time now, hc_time timeout, hc_time bad)
{
  if (below_since == HC_NEVER || now <= hc_time_add(below_since, timeout)) return HC_POOL_FED;
  return now > hc_time_add(below_since, bad) ? HC_POOL_STARVING_BADLY : HC_POOL_STARVING;
}

void hc_pool_split(const hc_pool *x, uint32_t dims, double *strong, double *integral, double *by_weight)
{
  for (uint32_t r = 0; r < dims; r++) {
    strong[r] = HC_MIN(x->fair[r], x->strong[r]);
    integral[r] = HC_MIN(x->fair[r] - strong[r], x->integral[r]);
    by_weight[r] = x->fair[r] - strong[r] - integral[r];
  }
}

double hc_integral_flow(hc_integral *x, double seconds, double used)
{
  const double day = 86400;
  double most = HC_MAX(x->volume, x->flow * day), over;
  x->volume = HC_MAX(0.0, x->volume + seconds * (x->flow - used));
  over = HC_MAX(0.0, x->volume - most);
  x->volume -= over;
  return over;
}

double hc_integral_share(const hc_integral *x, double most)
{
  const double smoothing = 60;
  return HC_MIN(x->volume / smoothing, most);
}
