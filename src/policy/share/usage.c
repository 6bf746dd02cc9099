/* usage.c -- usage that decays: see policy/share/usage.h.
 *
 * With L = H / ln 2 and x = dt / L: decayed(t + dt) = decayed(t) e^-x + amount L (1 - e^-x). For small x the
 * bracket is summed as a series, because the subtraction would lose what a second is to a week.
 *
 * Slurm decays in steps (every PriorityCalcPeriod, by the same factor), which agrees at its steps for usage
 * that ended before the last one. */
#include "policy/share/usage.h"

#include "base/math.h"
#include "base/util.h"

#define LN2 0x1.62e42fefa39efp-1

/* 1 - e^-x, x >= 0. */
static double forgotten(double x)
{
  if (x > 0.01) return 1 - hc_exp(-x);
  return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7))))));
}

void hc_usage_set(hc_usage *u, hc_time now, int64_t amount)
{
  u->decayed = hc_usage_decayed(u, now);
  u->total = hc_usage_total(u, now);
  u->at = now;
  u->amount = amount;
}

hc_wide hc_usage_total(const hc_usage *u, hc_time now)
{
  hc_wide total = u->total;
  HC_ASSERT(now >= u->at);
  hc_wide_add_product(&total, u->amount, now - u->at);
  return total;
}

double hc_usage_decayed(const hc_usage *u, hc_time now)
{
  double life, x;
  HC_ASSERT(now >= u->at);
  if (u->half_life == HC_NEVER) return hc_wide_real(hc_usage_total(u, now)) / 1e9;
  life = (double)u->half_life / LN2;
  x = (double)(now - u->at) / life;
  return u->decayed * hc_exp(-x) + (double)u->amount * (life / 1e9) * forgotten(x);
}
