/* square_root.c -- most of it at little load. */
#include "base/math.h"
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
} options;

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, hc_sqrt(load));
}

static const hc_param params[] = {HC_POWER_PARAMS(options), {0}};

const hc_power_type hc_power_square_root = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "square_root",
                  .summary = "with the square root of the load",
                  .detail = "P(u) = least + (peak - least) sqrt(u) for a load u > 0, and idle for none.",
                  .source = "CloudSim, PowerModelSqrt", .params = params, .options_size = sizeof(options)},
    .watts = watts};
