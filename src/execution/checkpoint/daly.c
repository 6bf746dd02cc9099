/* daly.c -- the interval of Daly's higher-order formula, for the cost C of a checkpoint and the mean time M
 * between failures of the task:
 *   sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + (C / 2M) / 9) - C   where C < 2 M, else M. */
#include "base/math.h"
#include "hindcast/execution.h"

typedef struct options {
  hc_checkpoint_options all;
} options;

static double every(const void *opts, double cost, double mtbf)
{
  const double x = cost / (2 * mtbf);
  (void)opts;
  return x < 1 ? hc_sqrt(2 * cost * mtbf) * (1 + hc_sqrt(x) / 3 + x / 9) - cost : mtbf;
}

static const hc_param params[] = {HC_CHECKPOINT_MTBF_PARAM(options), HC_CHECKPOINT_PARAMS(options), {0}};

const hc_checkpoint_type hc_checkpoint_daly = {
    .component =
        {HC_COMPONENT_HEAD(hc_checkpoint_type, HC_KIND_CHECKPOINT), .name = "daly",
         .summary = "after work by Daly's formula of higher order, from the cost of a checkpoint and the "
                    "mean time between failures",
         .detail =
             "Work between checkpoints: sqrt(2 C M) (1 + sqrt(C / (2 M)) / 3 + (C / (2 M)) / 9) - C where C "
             "< 2 M, else M; C and M as in young.",
         .source = "Daly, FGCS 22(3), 2006, doi:10.1016/j.future.2004.11.016, equation 37", .params = params,
         .options_size = sizeof(options)},
    .every = every};
