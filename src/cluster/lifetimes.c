/* lifetimes.c -- how long something lasts, at random: five laws, each by its mean or by its scale.
 *
 * With shape k and scale s:
 *   exponential   cdf 1 - exp(-x / s)            mean s
 *   weibull       cdf 1 - exp(-(x / s)^k)        mean s Gamma(1 + 1/k)
 *   lognormal     ln x is normal (ln s, k)       mean s exp(k^2 / 2); s is the median
 *   gamma         density ~ x^(k-1) exp(-x / s)  mean s k
 *   fixed         x = s
 * Weibull and gamma distributions of shape 1 are exponential; below it failures come in bursts, as large
 * machines show them (Weibull of 0.7 to 0.8, and log-normal repairs: Schroeder and Gibson, DSN 2006,
 * doi:10.1109/DSN.2006.5).
 *
 * A time is a function of its number alone. Exponential and Weibull times take one draw each; log-normal
 * and gamma ones refuse some draws, and have a room of MOST of them. */
#include "cluster/lifetimes.h"

#include "base/util.h"
#include "base/variates.h"

enum { MOST = 65536 }; /* that many refusals in turn: less than 10^-3000 */

static double mean_of_scale_one(int law, double shape)
{
  switch ((hc_lifetime_law)law) {
    case HC_LIFE_WEIBULL: return hc_exp(hc_gamma_log(1 + 1 / shape));
    case HC_LIFE_LOGNORMAL: return hc_exp(shape * shape / 2);
    case HC_LIFE_GAMMA: return shape;
    case HC_LIFE_EXPONENTIAL:
    case HC_LIFE_FIXED: break;
  }
  return 1;
}

static hc_time time_of(double seconds)
{
  if (!(seconds < 9e9)) return HC_NEVER;
  return HC_MAX((hc_time)(seconds * 1e9), 1);
}

void hc_lifetime_fit(hc_lifetime *l, int law, hc_time mean, hc_time scale, double shape)
{
  const double one = mean_of_scale_one(law, shape);
  *l = (hc_lifetime){.law = (hc_lifetime_law)law, .mean = mean, .shape = shape};
  if (mean == HC_UNKNOWN) {
    l->scale = (double)scale / 1e9;
    l->mean = one == 1 ? scale : time_of(l->scale * one);
  } else l->scale = (double)mean / 1e9 / one;
}

hc_time hc_lifetime_draw(const hc_lifetime *l, const hc_draws *stream, uint64_t n)
{
  hc_draws s = *stream;
  s.draw = n;
  switch (l->law) {
    case HC_LIFE_FIXED: return l->mean;
    case HC_LIFE_EXPONENTIAL: return time_of(hc_random_exponential(&s, l->scale));
    case HC_LIFE_WEIBULL: return time_of(hc_random_weibull(&s, l->shape, l->scale));
    case HC_LIFE_LOGNORMAL:
      s.draw = n * MOST;
      return l->scale > 0 ? time_of(hc_random_lognormal(&s, hc_log(l->scale), l->shape)) : 1;
    case HC_LIFE_GAMMA: s.draw = n * MOST; return time_of(hc_random_gamma(&s, l->shape, l->scale));
  }
  return HC_NEVER;
}
