/* scale.c -- makes the workload heavier or lighter by a factor, in one pass.
 *
 * What the three methods do and distort is in workload/scaling.c. To aim at a load instead, use load.c, which
 * has to read the source twice. */
#include "base/util.h"
#include "workload/scaling.h"

typedef struct options {
  double factor;
  hc_scaling_options scaling;
} options;

static hc_rc init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                  hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  if (!(o->factor > 0)) return hc_fail(e, HC_EUSAGE, "transform scale", 0, 0, "`factor` must be above 0");
  return hc_scaling_new(c, "transform scale", &o->scaling, o->factor, out);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, factor, "1", "1", 1e-9, 1e9,
             "Factor of the load: 1.2 is 20 % more, with any method."),
    HC_SCALING_PARAMS(
        options,
        "What is scaled. arrivals: inter-arrival times are divided by the factor. run: run times and limits "
        "are multiplied by it. processors: numbers of processors are multiplied by it and rounded.",
        "Number of processors beyond which `method: processors` makes no task larger. 0: no bound."),
    {.name = NULL},
};

const hc_transform_type hc_transform_scale = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "scale",
                  .summary = "make the workload heavier or lighter by a factor",
                  .detail =
                      "Scaling arrivals makes days shorter; scaling run times ignores the limits of the "
                      "site; scaling processors changes the common sizes (powers of two) and how they pack.",
                  .source = "Ernemann, Song and Yahyapour, Scaling of workload traces, JSSPP 2003, "
                            "doi:10.1007/10968987_9",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .apply = hc_scaling_apply,
    .visit = hc_scaling_visit,
    .fini = hc_scaling_fini,
};
