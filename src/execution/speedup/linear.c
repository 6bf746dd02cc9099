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
                  .detail = "S(n) = n: what a computation does where no law is named.",
                  .source = "DSLab, dslab-compute, Linear"},
    .speedup = speedup};
