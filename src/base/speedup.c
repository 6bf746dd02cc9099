/* speedup.c -- how much faster a parallel program is on n processors: see the header for the formulas. */
#include "base/speedup.h"

#include "base/util.h"

double hc_speedup_downey_knee(double a, double sigma)
{
  return sigma <= 1 ? 2 * a - 1 : a + a * sigma - sigma;
}

double hc_speedup_by_downey(double n, double a, double sigma)
{
  if (n >= hc_speedup_downey_knee(a, sigma)) return a;
  if (sigma >= 1) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  if (n <= a) return a * n / (a + 0.5 * sigma * (n - 1));
  return a * n / (sigma * (a - 0.5) + n * (1 - 0.5 * sigma));
}

double hc_sevcik_time(hc_sevcik p, double work, double n)
{
  return p.phi * work / n + p.alpha + p.beta * n;
}

double hc_sevcik_speedup(hc_sevcik p, double work, double n)
{
  return hc_sevcik_time(p, work, 1) / hc_sevcik_time(p, work, n);
}
