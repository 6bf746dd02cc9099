/* ddr3.c -- memory modules: a part for being there, and one with what is held, or read and written. */
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  int64_t module;
  double watts, reads, writes;
} options;

enum { NOT_SAID = -1 };

/* Of the whole: refreshing; what reading and writing share; reading; writing. */
#define THERE 0.26
#define SHARED 0.28
#define READ 0.26
#define WRITE 0.20

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  const options *o = given;
  const int64_t memory = host->of ? host->of->capacity[HC_DIM_MEMORY] : 0;
  const int64_t modules = memory / o->module + (memory % o->module > 0);
  const double all = (double)modules * o->watts;
  const bool is_said = o->reads >= 0;
  if (is_said != (o->writes >= 0))
    return hc_fail(e, HC_EUSAGE, "power", 0, 0, "ddr3: give both `reads` and `writes`, or neither");
  out->idle = out->least = THERE * all;
  out->peak = all;
  if (is_said) {
    const double used = SHARED * (o->reads + o->writes) / 2 + READ * o->reads + WRITE * o->writes;
    out->idle = out->least = out->peak = (THERE + used) * all;
  }
  out->stopping = out->starting = out->idle;
  return 0;
}

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {
    HC_POWER_CLASSES_PARAM(options),
    HC_PARAM(SIZE, options, module, "B", "8GiB", 1, 1e18,
             "Memory of a module: a host has as many as its memory takes, rounded up."),
    HC_PARAM(REAL, options, watts, "W", "3", 0, 1e6, "Drawn by a module at its greatest load."),
    HC_PARAM(REAL, options, reads, "1", "-1", NOT_SAID, 1,
             "Share of the time in which memory is read, whatever tasks hold. -1: not known; give both "
             "`reads` and `writes`, or neither."),
    HC_PARAM(REAL, options, writes, "1", "-1", NOT_SAID, 1,
             "Share of the time in which memory is written, whatever tasks hold. -1: not known."),
    HC_PARAM_AS(REAL, "off", options, power.off, "W", "0", 0, 1e9,
                "Drawn by all modules of a host that is off, or away."),
    {0}};

const hc_power_type hc_power_ddr3 = {
    .component =
        {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "ddr3",
         .summary = "memory of a host, in addition to what its cores draw: modules of DDR3",
         .detail = "m modules of W watts draw (0.26 + 0.74 u) W m, where u is the share of the host's memory "
                   "that tasks hold; with `reads` r and `writes` w they draw (0.26 + 0.28 (r + w) / 2 + 0.26 "
                   "r + 0.20 w) W m at any load. While a host is switched off or on they draw what they draw "
                   "without load.",
         .source = "DSLab, dslab-models, MemoryPowerModelDDR3", .params = params,
         .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts,
    .part = HC_POWER_MEMORY};
