/* cubic.c -- hardly more until there is much load. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
} options;

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load * load * load);
}

static const hc_param params[] = {HC_POWER_PARAMS(options), {0}};

const hc_power_type hc_power_cubic = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "cubic",
                  .summary = "with the cube of the load",
                  .detail = "P(u) = least + (peak - least) u^3 for a load u > 0, and idle for none.",
                  .source = "CloudSim, PowerModelCubic; DSLab, dslab-models, CubicPowerModel",
                  .params = params, .options_size = sizeof(options)},
    .watts = watts};
