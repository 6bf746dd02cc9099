/* constant.c -- the same with any load. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
} options;

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  (void)given, (void)host;
  if (out->idle < 0) return hc_fail(e, HC_EUSAGE, "power", 0, 0, "constant: give `watts`, which hosts draw");
  out->least = out->peak = out->idle;
  return 0;
}

static double watts(const void *given, const hc_power_levels *l, double load)
{
  (void)given, (void)load;
  return l->idle;
}

static const hc_param params[] = {HC_POWER_CLASSES_PARAM(options),
                                  HC_PARAM_AS(REAL, "watts", options, power.idle, "W", "-1", -1, 1e9,
                                              "Drawn by a host that is on. Required."),
                                  HC_POWER_OFF_PARAMS(options),
                                  {0}};

const hc_power_type hc_power_constant = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "constant",
                  .summary = "the same at any load", .detail = "P(u) = watts, also without load.",
                  .source = "DSLab, dslab-models, ConstantPowerModel", .params = params,
                  .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts};
