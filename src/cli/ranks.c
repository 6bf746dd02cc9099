/* ranks.c -- values in ascending order, and where their quantiles lie. */
#include "cli/cli.h"

int cli_by_real(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int cli_by_time(const void *a, const void *b)
{
  const hc_time x = *(const hc_time *)a, y = *(const hc_time *)b;
  return (x > y) - (x < y);
}

size_t cli_rank(size_t n, double q)
{
  const double rank = q * (double)n;
  size_t at = (size_t)rank;
  at += (double)at < rank;
  return at > 0 ? at - 1 : 0;
}
