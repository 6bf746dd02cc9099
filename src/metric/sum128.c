/* sum128.c -- the last step from an exact sum to a figure. */
#include "metric/sum128.h"

double hc_mean_seconds(hc_wide sum, uint64_t n)
{
  return hc_wide_ratio(sum, hc_wide_product((int64_t)n, HC_SECOND));
}

double hc_mean_real(hc_real_sum sum, uint64_t n)
{
  return n ? hc_real_sum_value(sum) / (double)n : __builtin_nan("");
}

double hc_wide_seconds(hc_wide ns)
{
  return hc_wide_real(ns) / (double)HC_SECOND;
}

double hc_seconds(hc_time t)
{
  return t == HC_UNKNOWN ? __builtin_nan("") : (double)t / (double)HC_SECOND;
}
