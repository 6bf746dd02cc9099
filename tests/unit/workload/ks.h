/* ks.h -- the Kolmogorov-Smirnov test, for draws against the law that they should follow.
 *
 * D = sup |F_n - F|; sqrt(n) D has, for a continuous F and n above 35, a distribution without parameters, of
 * which 1.9495 is exceeded once in a thousand streams (1.6276 once in a hundred). For a law with steps the
 * test is conservative. */
#ifndef HC_KS_H
#define HC_KS_H

#include "generator_test.h"

/* How far the empirical cdf of x[n], which is sorted, is from `cdf`, times sqrt(n). Equal values are one
 * step. */
static inline double ks_statistic(double *x, size_t n, double (*cdf)(const void *ctx, double x),
                                  const void *ctx)
{
  double most = 0;
  qsort(x, n, sizeof *x, by_value);
  for (size_t i = 0; i < n;) {
    const double p = cdf(ctx, x[i]), below = p - (double)i / (double)n;
    while (i + 1 < n && x[i + 1] <= x[i]) i++;
    i++;
    const double above = (double)i / (double)n - p;
    most = HC_MAX(most, HC_MAX(below, above));
  }
  return most * hc_sqrt((double)n);
}

/* The draws follow the law, at a level of one in a thousand. */
static inline void ks_accepts(const char *what, double *x, size_t n, double (*cdf)(const void *, double),
                              const void *ctx)
{
  const double d = ks_statistic(x, n, cdf, ctx);
  if (!(d < KS_LEVEL_001)) fail_msg("%s: sqrt(n) D = %.3f, n = %zu, above %.4f", what, d, n, KS_LEVEL_001);
}

/* Laws that several tests need: ctx is double[2]. */
static inline double exponential_cdf(const void *ctx, double x)
{
  return x <= 0 ? 0 : 1 - hc_exp(-x / *(const double *)ctx);
}

static inline double uniform_cdf(const void *ctx, double x)
{
  const double *bounds = ctx;
  return x <= bounds[0] ? 0 : x >= bounds[1] ? 1 : (x - bounds[0]) / (bounds[1] - bounds[0]);
}

static inline double loguniform_cdf(const void *ctx, double x)
{
  const double *bounds = ctx;
  return x <= bounds[0] ? 0 : x >= bounds[1] ? 1 : hc_log(x / bounds[0]) / hc_log(bounds[1] / bounds[0]);
}

#endif
