/* survival.c -- see survival.h. */
#include "base/survival.h"

#include "base/sort.h"

#define ROUNDING 1e-12 /* of a product of n factors, far below 1 / n */

HC_SORT(sort_lives, hc_life, *a < *b)

void hc_survival_covers(hc_life *lives, size_t n, const int *permille, size_t count, hc_time *out)
{
  double left = 1; /* S */
  size_t q = 0;
  sort_lives(lives, n);
  for (size_t i = 0; i < count; i++) out[i] = HC_UNKNOWN;
  for (size_t i = 0; i < n && q < count;) {
    const hc_life life = lives[i];
    const size_t seen = n - i;
    size_t same = 0;
    while (i < n && lives[i] == life) i++, same++;
    if (life & 1) continue;
    left *= (double)(seen - same) / (double)seen;
    while (q < count && 1 - left >= permille[q] / 1000.0 - ROUNDING) out[q++] = (hc_time)(life >> 1);
  }
}
