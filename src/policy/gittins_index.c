/* gittins_index.c -- see gittins_index.h. */
#include "policy/gittins_index.h"

double hc_gittins_index(const double *services, size_t n, double attained)
{
  size_t first = 0, high = n;
  double best = 0, done = 0;
  while (first < high) {
    const size_t middle = first + (high - first) / 2;
    if (services[middle] > attained) high = middle;
    else first = middle + 1;
  }
  for (size_t k = first; k < n; k++) {
    const double more = services[k] - attained;
    done += more;
    if (k + 1 < n && services[k + 1] == services[k]) continue; /* all that are as long end together */
    const double rate = (double)(k + 1 - first) / (done + (double)(n - k - 1) * more);
    if (rate > best) best = rate;
  }
  return best;
}
