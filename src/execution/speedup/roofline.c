/* roofline.c -- linear up to a knee, and level from there on: what one more core would do is not there to be
 * done. */
#include "hindcast/execution.h"

typedef struct options {
  double knee;
} options;

static double speedup(const void *given, double cores)
{
  const double knee = ((const options *)given)->knee;
  return cores < knee ? cores : knee;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, knee, "cores", "1", 1, 1e9,
             "Number of cores up to which the speed-up is linear; more cores are no faster."),
    {0}};

const hc_speedup_type hc_speedup_roofline = {
    .component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "roofline",
                  .summary = "linear up to a knee, level from there on",
                  .detail = "S(n) = min(n, knee): the parallelism of the work, or a bandwidth that all cores "
                            "share, is used up at the knee.",
                  .source =
                      "Williams, Waterman and Patterson, CACM 52(4), 2009, "
                      "doi:10.1145/1498765.1498785; as a law of moldable tasks: Perotin and Sun, Online "
                      "scheduling of moldable task graphs under common speedup models, ICPP 2022",
                  .params = params, .options_size = sizeof(options)},
    .speedup = speedup};
