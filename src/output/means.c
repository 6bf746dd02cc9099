/* means.c -- see means.h. */
#include "output/means.h"

#include "base/util.h"

void hc_means_add(hc_means *s, double from, double to, double amount)
{
  const double length = (s->to - s->from) / (double)s->count;
  const double a = (HC_MAX(from, s->from) - s->from) / length, b = (HC_MIN(to, s->to) - s->from) / length;
  if (!(b > a)) return;
  const size_t first = HC_MIN((size_t)a, s->count - 1), last = HC_MIN((size_t)b, s->count - 1);
  if (first == last) {
    s->values[first] += amount * (b - a);
    return;
  }
  s->values[first] += amount * ((double)(first + 1) - a);
  s->values[last] += amount * (b - (double)last);
  s->steps[first + 1] += amount;
  s->steps[last] -= amount;
}

void hc_means_end(hc_means *s)
{
  double level = 0;
  for (size_t i = 0; i < s->count; i++) {
    level += s->steps[i];
    s->values[i] += level;
    if (s->values[i] < 0) s->values[i] = 0; /* steps that cancel leave a rounding */
  }
}
