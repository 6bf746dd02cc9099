/* asymptotic.c -- half of it at once, the rest in proportion. */
#include "base/math.h"
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  double tau;
} options;

static double watts(const void *given, const hc_power_levels *l, double load)
{
  const options *o = given;
  return hc_power_between(l, (1 + load - hc_exp(-load / o->tau)) / 2);
}

static const hc_param params[] = {HC_POWER_PARAMS(options),
                                  HC_PARAM(REAL, options, tau, "1", "0.5", 1e-3, 1e3,
                                           "Load at which the part 1 - exp(-u / tau) is 63 %."),
                                  {0}};

const hc_power_type hc_power_asymptotic = {
    .component =
        {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "asymptotic",
         .summary = "the sum of a linear part, u, and of one that saturates, 1 - exp(-u / tau)",
         .detail =
             "P(u) = least + (peak - least) (1 + u - exp(-u / tau)) / 2 for a load u > 0, and idle for none.",
         .source = "Kliazovich, Bouvry and Khan, GreenCloud: a packet-level simulator of energy-aware cloud "
                   "computing data centers, Journal of Supercomputing 62, 2012; DSLab, dslab-models, "
                   "AsymptoticPowerModel",
         .params = params, .options_size = sizeof(options)},
    .watts = watts};
