/* packing.c -- measures of how a task fits what is free. See packing.h. */
#include "policy/packing.h"

#include "base/math.h"
#include "base/util.h"

static double inverse(double x)
{
  return x > 0 ? 1 / x : __builtin_inf();
}

/* One pass. A dimension that one of the two has none of counts with the other's length. */
static double angular(hc_packing measure, uint32_t dims, const double *need, const double *free)
{
  double dot = 0, d = 0, f = 0, cosine;
  for (uint32_t r = 0; r < dims; r++) {
    dot += need[r] * free[r];
    d += need[r] * need[r];
    f += free[r] * free[r];
  }
  if (measure == HC_PACK_DOT) return inverse(dot);
  if (!(d > 0)) return 0;
  if (!(f > 0)) return __builtin_inf();
  cosine = HC_MIN(dot / hc_sqrt(d * f), 1.0);
  if (measure == HC_PACK_COSINE) return inverse(cosine);
  return measure == HC_PACK_ANGLE ? 1 - cosine : (1 - cosine) * hc_sqrt(f / d);
}

static double apart(uint32_t dims, const double *need, const double *free)
{
  uint32_t one = 0;
  double sum = 0;
  while (one < dims && !(need[one] > 0)) one++;
  if (one == dims) return 0;
  if (!(free[one] > 0)) return __builtin_inf();
  for (uint32_t r = 0; r < dims; r++) {
    const double x = need[r] / need[one] - free[r] / free[one];
    sum += x < 0 ? -x : x;
  }
  return sum;
}

double hc_packing_of(hc_packing measure, uint32_t dims, const double *need, const double *free)
{
  return measure == HC_PACK_DRFH ? apart(dims, need, free) : angular(measure, dims, need, free);
}

double hc_packing_alignment(hc_packing measure, uint32_t dims, const double *need, const double *free)
{
  double dot = 0, d = 0, f = 0;
  for (uint32_t r = 0; r < dims; r++) {
    dot += need[r] * free[r];
    d += need[r] * need[r];
    f += free[r] * free[r];
  }
  if (measure == HC_PACK_DOT) return dot;
  return d > 0 && f > 0 ? HC_MIN(dot / hc_sqrt(d * f), 1.0) : 0;
}
