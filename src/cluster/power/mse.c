/* mse.c -- steep at first, less so with more load: fitted to measurements. */
#include "base/math.h"
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  double exponent;
} options;

static double watts(const void *given, const hc_power_levels *l, double load)
{
  const options *o = given;
  return hc_power_between(l, 2 * load - hc_pow(load, o->exponent));
}

static const hc_param params[] = {
    HC_POWER_PARAMS(options), HC_PARAM(REAL, options, exponent, "1", "1.4", 1, 2, "The exponent r."), {0}};

const hc_power_type hc_power_mse = {
    .component =
        {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "mse",
         .summary = "by 2 u - u^r, a curve fitted to measurements of servers",
         .detail =
             "P(u) = least + (peak - least) (2 u - u^r) for a load u > 0, and idle for none. r = 1.4 was "
             "found for thousands of servers.",
         .source = "Fan, Weber and Barroso, Power provisioning for a warehouse-sized computer, ISCA 2007; "
                   "DSLab, dslab-models, MsePowerModel", .params = params,
         .options_size = sizeof(options)},
    .watts = watts};
