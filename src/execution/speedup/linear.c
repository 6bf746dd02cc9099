/* linear.c -- n cores are n times as fast as one. */
#include "hindcast/execution.h"

static double speedup(const void *options, double cores)
{
  (void)options;
  return cores;
}

const hc_speedup_type hc_speedup_linear = {
    .component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "linear",
                  .summary = "n cores are n times as fast as one",
                  .detail = "S(n) = n. A computation without a law of speed-up follows it.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), dslab-compute, Linear"},
    .speedup = speedup};
