/* load.c -- makes the workload offer a chosen load.
 *
 * Offered load = sum of run x processors / (machine x (last submission - first submission)), over the tasks
 * that would be admitted, with the run times that they would have (cut at their limits if the run kills). The
 * source is read once to measure it; the factor is the ratio of the load wanted to the one found. What the
 * methods do and distort is in workload/scaling.c; with `processors` the load reached is only near the one
 * asked for. With several sources each is brought to this load by itself. */
#include "base/util.h"
#include "workload/scaling.h"

typedef struct options {
  double to;
  hc_scaling_options scaling;
} options;

static hc_rc measure(const options *o, const hc_workload_totals *totals, int64_t processors, double *load,
                     hc_error *e)
{
  const double span = ((double)totals->last_submit - (double)totals->first_submit) / 1e9;
  if (!(o->to > 0))
    return hc_fail(e, HC_EUSAGE, "transform load", 0, 0, "`to` must be above 0: 0.9 is 90 %%");
  if (processors <= 0)
    return hc_fail(e, HC_EUSAGE, "transform load", 0, 0,
                   "the machine's size is not known: set `processors` of this transform or of the cell");
  if (!(span > 0) || !(totals->area > 0))
    return hc_fail(
        e, HC_EINPUT, "transform load", 0, 0,
        "the load of %llu tasks is not defined: there must be work, and two different times of submission",
        (unsigned long long)totals->tasks);
  *load = totals->area / ((double)processors * span);
  return 0;
}

static hc_rc init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                  hc_transform **out, hc_error *e)
{
  const options *o = given;
  hc_scaling_options scaling = o->scaling;
  double load = 0;
  if (scaling.processors <= 0) scaling.processors = totals->processors;
  TRY(measure(o, totals, scaling.processors, &load, e));
  return hc_scaling_new(c, "transform load", &scaling, o->to / load, out);
}

static const hc_param params[] = {
    {.name = "to",
     .type = HC_REAL,
     .offset = offsetof(options, to),
     .unit = "1",
     .fallback = "0.9",
     .min = 1e-9,
     .max = 1e6,
     .help = "the offered load to reach: 0.9 is 90 % of the machine"},
    HC_SCALING_PARAMS(options,
                      "arrivals: inter-arrival times are scaled. run: run times and limits. processors: numbers of "
                      "processors, rounded, so that the load is only near",
                      "size of the machine; 0: that of the run"),
    {.name = NULL},
};

const hc_transform_type hc_transform_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "load",
         .summary = "make the workload offer a chosen load",
         .detail = "Load = sum of run x processors / (machine x (last submission - first submission)), over "
                   "the tasks that would be admitted. Reads the source twice, which standard input does not "
                   "allow. Each source is brought to this load by itself.",
         .source = "Ernemann, Song and Yahyapour, Scaling of workload traces, JSSPP 2003, "
                   "doi:10.1007/10968987_9",
         .params = params, .options_size = sizeof(options)},
    .needs_totals = true,
    .init = init,
    .apply = hc_scaling_apply,
    .visit = hc_scaling_visit,
    .fini = hc_scaling_fini,
};
