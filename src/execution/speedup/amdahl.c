/* amdahl.c -- a part of the work is done by one core, whatever there is. */
#include "hindcast/execution.h"

typedef struct options {
  double fraction;
} options;

static double speedup(const void *given, double cores)
{
  const double f = ((const options *)given)->fraction;
  return 1 / (f + (1 - f) / cores);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, fraction, "1", "0", 0, 1, "Part f of the work that is done by one core only."),
    {0}};

const hc_speedup_type hc_speedup_amdahl = {
    .component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "amdahl",
                  .summary = "a part of the work is done by one core, the rest by all",
                  .detail = "S(n) = 1 / (f + (1 - f) / n), never above 1 / f.",
                  .source = "Amdahl, AFIPS 1967, doi:10.1145/1465482.1465560; DSLab "
                            "(github.com/osukhoroslov/dslab), dslab-compute, LinearWithFixed",
                  .params = params, .options_size = sizeof(options)},
    .speedup = speedup};
