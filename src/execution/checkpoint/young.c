/* young.c -- the interval of Young's first-order formula: sqrt(2 C M), for the cost C of a checkpoint and
 * the mean time M between failures of the task. It is near the best where C is much less than M. */
#include "base/math.h"
#include "hindcast/execution.h"

typedef struct options {
  hc_checkpoint_options all;
} options;

static double every(const void *opts, double cost, double mtbf)
{
  (void)opts;
  return hc_sqrt(2 * cost * mtbf);
}

static const hc_param params[] = {HC_CHECKPOINT_MTBF_PARAM(options), HC_CHECKPOINT_PARAMS(options), {0}};

const hc_checkpoint_type hc_checkpoint_young = {
    .component =
        {HC_COMPONENT_HEAD(hc_checkpoint_type, HC_KIND_CHECKPOINT), .name = "young",
         .summary = "after work of sqrt(2 C M), from the cost of a checkpoint and the mean time between "
                    "failures",
         .detail =
             "C is the time to write a checkpoint; M is the mean time between failures of the task, which is "
             "`mtbf` divided by the number of its hosts.",
         .source = "Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974, "
                   "doi:10.1145/361147.361115", .params = params,
         .options_size = sizeof(options)},
    .every = every};
