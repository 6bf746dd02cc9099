/* states.c -- a straight line for each state of power, one of which hosts are in. */
#include <inttypes.h>

#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  hc_list idles, peaks;
  int64_t pstate;
  hc_list speeds;
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
  out->idle = out->least = ((const double *)o->idles.items)[o->pstate];
  out->peak = ((const double *)o->peaks.items)[o->pstate];
  return 0;
}

static hc_rc state(const void *given, const hc_power_host *host, uint32_t state, hc_power_levels *out,
                   double *speed, hc_error *e)
{
  const options *o = given;
  const double *speeds = o->speeds.items;
  (void)host;
  if (o->speeds.count == 0 || state >= o->idles.count) return 0;
  if (o->speeds.count != o->idles.count)
    return hc_fail(e, HC_EUSAGE, "power", 0, 0,
                   "states: `speeds` has %zu values and `idle` %zu; both take one for each state",
                   o->speeds.count, o->idles.count);
  if (speeds[o->pstate] != 1)
    return hc_fail(e, HC_EUSAGE, "power", 0, 0,
                   "states: `speeds` are of the speed that hosts are declared with, which is that of the "
                   "state "
                   "they begin in: the speed of state %" PRId64 " must be 1, and it is %g",
                   o->pstate, speeds[o->pstate]);
  out->idle = out->least = ((const double *)o->idles.items)[state];
  out->peak = ((const double *)o->peaks.items)[state];
  *speed = speeds[state];
  return 1;
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
    HC_PARAM(INT, options, pstate, NULL, "0", 0, 1000, "The state that hosts begin in, from 0."),
    HC_PARAM(REALS, options, speeds, "1", NULL, 1e-3, 1,
             "Speed of hosts in each state, as a part of the speed that they are declared with; 1 for the "
             "state that they begin in. With `speeds` a policy may put hosts into other states. Default: "
             "hosts stay in the state that they begin in."),
    HC_POWER_OFF_PARAMS(options),
    {0}};

const hc_power_type hc_power_states = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "states",
                  .summary = "in proportion to the load, by one of several states of power",
                  .detail =
                      "P(u) = idle + (peak - idle) u, by the state that a host is in. With `speeds` policies "
                      "such as capped change the state, and what runs on the host goes on at the speed of "
                      "the new one.",
                  .source = "DSLab, dslab-models, StateBasedPowerModel", .params = params,
                  .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts,
    .state = state};
