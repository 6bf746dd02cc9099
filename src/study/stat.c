/* stat.c -- a mean and Student's interval, Wilson's interval of a share, and how many replications are
 * enough.
 *
 * Values are taken as independent: replications, not tasks of one run (those: estimate.c). Sums run in the
 * order of the input, the deviation is taken in a second pass. It does not resample (stat_bootstrap.c).
 * Sources: at each function's declaration. Cost: two passes. */
#include "base/math.h"
#include "base/util.h"
#include "hindcast/study.h"

#define NOT_A_NUMBER __builtin_nan("")

hc_rc hc_stat_mean_of(const double *values, size_t count, double level, hc_stat_mean *out)
{
  double sum = 0, squares = 0, size;
  uint64_t n = 0;
  if (!(level > 0) || !(level < 1)) return HC_EUSAGE;
  for (size_t i = 0; i < count; i++) {
    if (values[i] != values[i]) continue;
    sum += values[i];
    n++;
  }
  *out =
      (hc_stat_mean){.count = n, .mean = NOT_A_NUMBER, .deviation = NOT_A_NUMBER, .half_width = NOT_A_NUMBER};
  out->relative = out->low = out->high = NOT_A_NUMBER;
  if (n == 0) return 0;
  out->mean = sum / (double)n;
  if (n < 2) return 0;
  for (size_t i = 0; i < count; i++) {
    double d = values[i] - out->mean;
    if (d == d) squares += d * d;
  }
  out->deviation = hc_sqrt(squares / (double)(n - 1));
  out->half_width = hc_student_t(level, (double)(n - 1)) * out->deviation / hc_sqrt((double)n);
  out->low = out->mean - out->half_width;
  out->high = out->mean + out->half_width;
  size = out->mean < 0 ? -out->mean : out->mean;
  if (size > 0) out->relative = out->half_width / size;
  return 0;
}

void hc_stat_wilson(uint64_t hits, uint64_t count, double level, double *low, double *high)
{
  double z, n = (double)count, share, center, spread;
  *low = *high = NOT_A_NUMBER;
  if (count == 0 || !(level > 0) || !(level < 1)) return;
  z = hc_normal_quantile(0.5 + 0.5 * level);
  share = (double)hits / n;
  center = (share + z * z / (2 * n)) / (1 + z * z / n);
  spread = z / (1 + z * z / n) * hc_sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  *low = hits == 0 ? 0.0 : center - spread; /* at the ends the two are equal but for rounding */
  *high = hits == count ? 1.0 : center + spread;
}

/* The half width that is wanted of this mean; 0 if it cannot be reached (a mean of zero and a relative wish).
 * */
static double wanted(const hc_stat_precision *wish, double mean)
{
  double size = mean < 0 ? -mean : mean, relative = wish->relative / (1 + wish->relative) * size;
  if (wish->relative == 0) return wish->half_width;
  if (wish->half_width == 0) return relative;
  return HC_MIN(relative, wish->half_width);
}

/* (t s / d)^2, rounded up; the deviation is that of `count` values. */
static uint64_t enough(const hc_stat_mean *m, double level, double width)
{
  double t = hc_student_t(level, (double)(m->count - 1)), root, n;
  if (m->deviation == 0) return 0;
  if (!(width > 0)) return UINT32_MAX;
  root = t * m->deviation / width;
  n = root * root;
  if (!(n < 4e9)) return UINT32_MAX;
  return (uint64_t)n + ((double)(uint64_t)n < n);
}

hc_rc hc_stat_needed(const double *values, size_t count, const hc_stat_precision *wish, uint64_t *needed)
{
  uint64_t first = wish->first ? wish->first : 10, n, most = wish->most ? wish->most : UINT32_MAX;
  hc_stat_mean m;
  size_t used;
  if (first < 2 || !(wish->level > 0) || !(wish->level < 1)) return HC_EUSAGE;
  if (!(wish->half_width >= 0) || !(wish->relative >= 0) || (wish->half_width == 0 && wish->relative == 0))
    return HC_EUSAGE;
  if (most < first) first = most;
  if (count < first || first < 2) {
    *needed = first;
    return 0;
  }
  used = wish->rule == HC_STAT_TWO_STAGE ? (size_t)first : count;
  TRY(hc_stat_mean_of(values, used, wish->level, &m));
  if (m.count != used) return HC_EUSAGE; /* a NaN */
  n = enough(&m, wish->level, wanted(wish, m.mean));
  if (wish->rule == HC_STAT_SEQUENTIAL && n <= count) n = count; /* narrow enough now */
  *needed = HC_MIN(HC_MAX(n, first), most);
  return 0;
}
