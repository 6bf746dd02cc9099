/* dvfs.c -- with the load, and the more the higher the frequency that the host is at. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  double by_load, by_frequency, frequency;
} options;

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  const options *o = given;
  (void)host, (void)e;
  out->least = out->idle;
  out->peak = out->idle + o->by_load + o->by_frequency * o->frequency;
  return 0;
}

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {
    HC_POWER_CLASSES_PARAM(options),
    HC_PARAM_AS(REAL, "idle", options, power.idle, "W", "0", 0, 1e9,
                "Drawn by a host that is on, whatever it does: s."),
    HC_PARAM(REAL, options, by_load, "W", "0", 0, 1e9,
             "Drawn in addition with all cores busy, at any frequency: a."),
    HC_PARAM(REAL, options, by_frequency, "W", "0", 0, 1e9,
             "Drawn in addition with all cores busy at the highest frequency, in proportion to the "
             "frequency: b."),
    HC_PARAM(REAL, options, frequency, "1", "1", 0, 1,
             "Frequency of hosts, from the lowest (0) to the highest (1): f. It does not change their speed, "
             "which `speed` of the class says."),
    HC_POWER_OFF_PARAMS(options),
    {0}};

const hc_power_type hc_power_dvfs = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "dvfs",
                  .summary = "in proportion to the load, and to the frequency of the cores",
                  .detail = "P(u) = s + a u + b u f, with s = `idle`, a = `by_load`, b = `by_frequency` and "
                            "f = `frequency`.", .source = "DSLab, dslab-models, DVFSAwarePowerModel",
                  .params = params, .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts};
