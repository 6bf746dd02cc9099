/* linear.c -- as much more as there is load. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
} options;

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {HC_POWER_PARAMS(options), {0}};

const hc_power_type hc_power_linear = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "linear",
                  .summary = "in proportion to the load",
                  .detail = "P(u) = least + (peak - least) u for a load u > 0, and idle for none.",
                  .source = "Fan, Weber and Barroso, Power provisioning for a warehouse-sized computer, ISCA "
                            "2007; DSLab, dslab-models, LinearPowerModel",
                  .params = params, .options_size = sizeof(options)},
    .watts = watts};
