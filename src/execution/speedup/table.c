/* table.c -- speed-ups that were measured, one for each number of cores; straight lines between them. */
#include "hindcast/execution.h"

typedef struct options {
  hc_list speedups;
} options;

static double speedup(const void *given, double cores)
{
  const options *o = given;
  const double *s = o->speedups.items;
  const size_t n = o->speedups.count;
  if (n == 0) return cores;
  if (cores >= (double)n) return s[n - 1];
  const size_t below = cores > 1 ? (size_t)cores : 1;
  return s[below - 1] + (cores - (double)below) * (s[below] - s[below - 1]);
}

static const hc_param params[] = {HC_PARAM(REALS, options, speedups, "1", NULL, 1e-9, 1e9,
                                           "Speed-up on 1, 2, 3 ... cores, over one core that counts as 1; "
                                           "the last number holds for more cores. Default: linear."),
                                  {0}};

const hc_speedup_type hc_speedup_table = {
    .component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "table",
                  .summary = "a table of measured speed-ups, one for each number of cores",
                  .detail = "Between two numbers of cores the speed-up is a straight line; below one core it "
                            "is proportional to the cores. It may fall: more cores can be slower.",
                  .params = params, .options_size = sizeof(options)},
    .speedup = speedup};
