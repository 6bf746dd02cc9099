/* table.c -- measured at equal steps of the load, as SPECpower does; straight lines between them. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  hc_list watts;
} options;

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  const options *o = given;
  const double *w = o->watts.items;
  (void)host;
  if (o->watts.count < 2)
    return hc_fail(
        e, HC_EUSAGE, "power", 0, 0,
        "table: `watts` has %zu values; it takes two or more, the first without load and the last with "
        "all cores busy",
        o->watts.count);
  out->idle = out->least = w[0];
  out->peak = w[o->watts.count - 1];
  return 0;
}

static double watts(const void *given, const hc_power_levels *l, double load)
{
  const options *o = given;
  const double *w = o->watts.items;
  const double at = load * (double)(o->watts.count - 1);
  const size_t below = (size_t)at;
  (void)l;
  if (below >= o->watts.count - 1) return w[o->watts.count - 1];
  return w[below] + (at - (double)below) * (w[below + 1] - w[below]);
}

static const hc_param params[] = {
    HC_POWER_CLASSES_PARAM(options),
    HC_PARAM(
        REALS, options, watts, "W", NULL, 0, 1e9,
        "What a host draws at loads in equal steps from none to all of its cores: eleven values are those "
        "at 0, 10 ... 100 %. Required."),
    HC_POWER_OFF_PARAMS(options),
    {0}};

const hc_power_type hc_power_table = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "table",
                  .summary = "as measured at equal steps of the load",
                  .detail =
                      "P(u) is linear between the measurements, which need not grow with the load.",
                  .source =
                      "SPECpower_ssj2008, results of target loads; DSLab, dslab-models, EmpiricalPowerModel",
                  .params = params, .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts,
    .may_fall = true};
