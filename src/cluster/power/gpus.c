/* gpus.c -- GPUs of a host, beside what its cores draw. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
} options;

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {
    HC_POWER_CLASSES_PARAM(options),
    HC_PARAM_AS(REAL, "idle", options, power.idle, "W", "0", 0, 1e9,
                "Drawn by a GPU that no task holds, of a host that is on."),
    HC_PARAM_AS(REAL, "peak", options, power.peak, "W", "0", 0, 1e9,
                "Drawn by a GPU that tasks hold whole. Required."),
    HC_PARAM_AS(REAL, "least", options, power.least, "W", "-1", -1, 1e9,
                "Drawn by a GPU of which tasks hold next to nothing. -1: as much as `idle`."),
    HC_POWER_OFF_PARAMS(options),
    {0}};

const hc_power_type hc_power_gpus = {
    .component = {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "gpus",
                  .summary = "GPUs of a host, in addition to what its cores draw",
                  .detail = "n GPUs draw n (least + (peak - least) u) if tasks hold the share u > 0 of them, "
                            "and n idle if they hold none. All parameters are those of one GPU.",
                  .source = "as power of cores in proportion to their load", .params = params,
                  .options_size = sizeof(options)},
    .watts = watts,
    .part = HC_POWER_GPUS};
