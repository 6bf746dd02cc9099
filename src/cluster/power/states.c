/* states.c -- a straight line for each state of power, one of which hosts are in. */
#include <inttypes.h>

#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  hc_list idles, peaks;
  int64_t pstate;
} options;

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  const options *o = given;
  const size_t count = o->idles.count;
  (void)host;
  if (count == 0 || o->peaks.count != count)
    return hc_fail(e, HC_EUSAGE, "power", 0, 0,
                   "states: `idle` has %zu values and `peak` %zu; both take one for each state", count,
                   o->peaks.count);
  if ((uint64_t)o->pstate >= count)
    return hc_fail(e, HC_EUSAGE, "power", 0, 0, "states: `pstate` %" PRId64 ": there are %zu, from 0 on",
                   o->pstate, count);
  const double before = out->idle;
  out->idle = out->least = ((const double *)o->idles.items)[o->pstate];
  out->peak = ((const double *)o->peaks.items)[o->pstate];
  if (out->stopping == before) out->stopping = out->idle;
  if (out->starting == before) out->starting = out->idle;
  return 0;
}

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {
    HC_POWER_CLASSES_PARAM(options),
    HC_PARAM_AS(REALS, "idle", options, idles, "W", NULL, 0, 1e9,
                "Drawn in each state by a host that is on, and on which nothing computes. Required."),
    HC_PARAM_AS(REALS, "peak", options, peaks, "W", NULL, 0, 1e9,
                "Drawn in each state by a host all of whose cores compute. Required."),
    HC_PARAM(INT, options, pstate, NULL, "0", 0, 1000, "The state that hosts are in, from 0."),
    HC_POWER_OFF_PARAMS(options),
    {0}};

const hc_power_type hc_power_states = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "states",
                  .summary = "in proportion to the load, by one of several states of power",
                  .detail = "P(u) = idle + (peak - idle) u of the state `pstate`.",
                  .source = "DSLab, dslab-models, StateBasedPowerModel", .params = params,
                  .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts};
