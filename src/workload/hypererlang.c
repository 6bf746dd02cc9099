/* hypererlang.c -- the hyper-Erlang law of common order, and its fit to three moments: see the header.
 *
 * A sum of n exponentials of one rate is drawn as a gamma variate of shape n, the same law at the same cost
 * for every n. Cost of a draw: 60 to 150 ns. */
#include "workload/hypererlang.h"

#include "base/util.h"
#include "base/variates.h"

void hc_power_sums_add(hc_power_sums *m, double x)
{
  m->count++;
  m->first += x;
  m->second += x * x;
  m->third += x * x * x;
}

/* The two means for order n; false if no such law has these moments. */
static bool fit_order(hc_hyper_erlang *h, double n, double mu1, double mu2, double mu3)
{
  const double m1 = mu1 / n, m2 = mu2 / (n * (n + 1)), m3 = mu3 / (n * (n + 1) * (n + 2));
  const double spread = m2 - m1 * m1;
  if (!(spread > 1e-12 * m2)) return false;
  const double s = (m3 - m1 * m2) / spread, q = (m1 * m3 - m2 * m2) / spread, root = s * s - 4 * q;
  if (!(q > 0 && root > 0)) return false;
  const double x = 0.5 * (s + hc_sqrt(root)), y = q / x, p = (m1 - y) / (x - y);
  if (!(x > 0 && y > 0 && p >= 0 && p <= 1)) return false;
  *h = (hc_hyper_erlang){(int64_t)n, p, x, y};
  return true;
}

int hc_hyper_erlang_fit(hc_hyper_erlang *h, double mu1, double mu2, double mu3)
{
  if (!(mu1 > 0 && mu2 > 0 && mu3 > 0 && mu3 < 1e300)) return 0;
  for (int n = 1; n <= HC_ERLANG_MOST; n++)
    if (fit_order(h, n, mu1, mu2, mu3)) return 3;
  *h = (hc_hyper_erlang){HC_ERLANG_MOST, 1, mu1 / HC_ERLANG_MOST, mu1 / HC_ERLANG_MOST};
  return 1;
}

double hc_hyper_erlang_moment(const hc_hyper_erlang *h, int k)
{
  double rising = 1, x = 1, y = 1;
  for (int i = 0; i < k; i++) {
    rising *= (double)(h->order + i);
    x *= h->mean1;
    y *= h->mean2;
  }
  return rising * (h->p * x + (1 - h->p) * y);
}

double hc_hyper_erlang_cdf(const hc_hyper_erlang *h, double x)
{
  const double n = (double)h->order;
  if (!(x > 0)) return 0;
  return h->p * hc_gamma_below(n, x / h->mean1) + (1 - h->p) * hc_gamma_below(n, x / h->mean2);
}

double hc_hyper_erlang_draw(const hc_hyper_erlang *h, hc_draws *d)
{
  const double mean = hc_random_unit(d) < h->p ? h->mean1 : h->mean2;
  return h->order == 1 ? hc_random_exponential(d, mean) : hc_random_gamma(d, (double)h->order, mean);
}
