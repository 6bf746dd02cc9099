/* stat_bootstrap.c -- intervals of a mean by resampling, for figures that are far from normal.
 *
 * Resample b draws its n values from the stream (seed, b, entity, bootstrap), so that its draws do not depend
 * on how many resamples there are. With B = 1999 the 95 % bounds are the 50th and the 1950th of
 * the sorted means. BCa moves these two places by the bias (how many means lie below the value's own) and by
 * the acceleration (the skewness of the mean, by the jackknife). Both are narrower than Student's for a
 * handful of values: they show skewness, they do not cure small samples. Source: Efron and Tibshirani, An
 * Introduction to the Bootstrap, chapters 13 and 14. Cost: B n draws of some nanoseconds. */
#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "study/stat_parts.h"

static double resampled(const double *values, size_t n, const hc_stat_bootstrap *b, uint64_t number)
{
  hc_draws s = {.seed = b->seed, .replication = number, .entity = b->entity, .purpose = HC_PURPOSE_BOOTSTRAP};
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += values[hc_random_below(&s, n)];
  return sum / (double)n;
}

/* The (B + 1) p-th of the sorted means, counted from 1. */
static double order_statistic(const double *sorted, size_t count, double p)
{
  double place = (double)(count + 1) * p;
  size_t below;
  if (!(place > 1)) return sorted[0];
  if (place >= (double)count) return sorted[count - 1];
  below = (size_t)place;
  return sorted[below - 1] + (place - (double)below) * (sorted[below] - sorted[below - 1]);
}

/* Acceleration: for a mean the jackknife's deviations are those of the values, with the sign changed twice.
 * */
static double acceleration(const double *values, size_t n, double mean)
{
  double squares = 0, cubes = 0;
  for (size_t i = 0; i < n; i++) {
    double d = values[i] - mean;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0 ? cubes / (6 * squares * hc_sqrt(squares)) : 0;
}

/* How many resampled means lie below the mean, as a normal quantile; equal ones count half. */
static double bias(const double *sorted, size_t count, double mean)
{
  double below = 0;
  for (size_t i = 0; i < count; i++) below += sorted[i] < mean ? 1.0 : sorted[i] == mean ? 0.5 : 0.0;
  below = HC_MIN(HC_MAX(below, 0.5), (double)count - 0.5);
  return hc_normal_quantile(below / (double)count);
}

static double moved(double p, double z0, double a)
{
  double z = z0 + hc_normal_quantile(p);
  return hc_normal_below(z0 + z / (1 - a * z));
}

static void read_bounds(const double *sorted, size_t count, const double *values, size_t n,
                        const hc_stat_bootstrap *b, double *low, double *high)
{
  double p = 0.5 * (1 - b->level), q = 1 - p;
  if (b->kind == HC_STAT_BCA) {
    double mean = 0, a, z0;
    for (size_t i = 0; i < n; i++) mean += values[i];
    mean /= (double)n;
    a = acceleration(values, n, mean);
    z0 = bias(sorted, count, mean);
    q = moved(1 - p, z0, a);
    p = moved(p, z0, a);
  }
  *low = order_statistic(sorted, count, p);
  *high = order_statistic(sorted, count, q);
}

hc_rc hc_stat_bootstrap_mean(const hc_allocator *a, const double *values, size_t count,
                             const hc_stat_bootstrap *b, double *low, double *high)
{
  size_t resamples = b->resamples ? b->resamples : 1999, n = 0, size = (count + resamples) * sizeof(double);
  double *kept, *means;
  if (!(b->level > 0) || !(b->level < 1) || resamples < 99 || resamples > 1000000) return HC_EUSAGE;
  if (b->kind != HC_STAT_PERCENTILE && b->kind != HC_STAT_BCA) return HC_EUSAGE;
  kept = hc_alloc(a, size);
  if (!kept) return HC_ENOMEM;
  means = kept + count;
  for (size_t i = 0; i < count; i++) {
    if (values[i] == values[i]) kept[n++] = values[i];
  }
  *low = *high = __builtin_nan("");
  if (n >= 2) {
    for (size_t i = 0; i < resamples; i++) means[i] = resampled(kept, n, b, i);
    hc_stat_sort(means, resamples);
    read_bounds(means, resamples, kept, n, b, low, high);
  }
  hc_free(a, kept, size);
  return 0;
}
