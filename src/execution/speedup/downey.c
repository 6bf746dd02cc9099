/* downey.c -- a parallelism that varies about an average: linear at first, level at the end. */
#include "base/speedup.h"
#include "hindcast/execution.h"

typedef struct options {
  double parallelism, sigma;
} options;

static double speedup(const void *given, double cores)
{
  const options *o = given;
  return hc_speedup_by_downey(cores, o->parallelism, o->sigma);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, parallelism, "cores", "1", 1, 1e9,
             "Average parallelism A, which is also the greatest speed-up."),
    HC_PARAM(REAL, options, sigma, "1", "0", 0, 1e9,
             "Variance of the parallelism, sigma. 0: the speed-up is linear up to A."),
    {0}};

const hc_speedup_type hc_speedup_downey = {
    .component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "downey",
                  .summary = "Downey's curve of an average parallelism and its variance",
                  .detail = "S(n) for sigma <= 1: A n / (A + sigma (n - 1) / 2) up to n = A, A n / (sigma (A "
                            "- 1/2) + n (1 - sigma / 2)) up to n = 2 A - 1, then A. For sigma >= 1: n A "
                            "(sigma + 1) / (sigma (n + A - 1) + A) up to n = A + A sigma - sigma, then A.",
                  .source = "Downey, A model for speedup of parallel programs, UCB/CSD-97-933, 1997",
                  .params = params, .options_size = sizeof(options)},
    .speedup = speedup};
