/* scale.c -- makes the workload heavier or lighter by a factor, in one pass.
 *
 * What the three methods do and distort is in workload/scaling.c. To aim at a load instead, use load.c, which
 * has to read the source twice. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"
#include "workload/scaling.h"

typedef struct options {
  double factor;
  int method;
  hc_time grain;
  int64_t processors;
} options;

struct hc_transform {
  const hc_source_context *context;
  hc_scaling scaling;
};

static hc_rc scale_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  if (!(o->factor > 0)) return hc_fail(e, HC_EUSAGE, "transform scale", 0, 0, "`factor` must be above 0");
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  (*out)->context = c;
  (*out)->scaling = (hc_scaling){.method = (hc_scaling_method)o->method,
                                 .factor = o->factor,
                                 .grain = o->grain,
                                 .processors = o->processors,
                                 .anchor = HC_UNKNOWN};
  return 0;
}

static hc_rc scale_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  return hc_scaling_apply(&t->scaling, "transform scale", task, e);
}

static hc_rc scale_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->scaling.anchor);
  return 0;
}

static void scale_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    {.name = "factor",
     .type = HC_REAL,
     .offset = offsetof(options, factor),
     .unit = "1",
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "how many times the load: 1.2 is 20 % more, whatever the method"},
    {.name = "method",
     .type = HC_CHOICE,
     .offset = offsetof(options, method),
     .fallback = "arrivals",
     .choices = HC_SCALING_METHODS,
     .help =
         "arrivals: inter-arrival times are divided by the factor. run: run times and limits are multiplied. "
         "processors: numbers of processors are multiplied and rounded"},
    {.name = "grain",
     .type = HC_TIME,
     .offset = offsetof(options, grain),
     .unit = "s",
     .fallback = "1s",
     .min = 0,
     .max = 1e6,
     .help = "scaled times are rounded to whole multiples of it; 0: to nanoseconds"},
    {.name = "processors",
     .type = HC_INT,
     .offset = offsetof(options, processors),
     .unit = "processors",
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .help = "method processors makes no task larger than this; 0: no bound"},
    {.name = NULL},
};

const hc_transform_type hc_transform_scale = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "scale",
                  .summary = "make the workload heavier or lighter by a factor",
                  .detail =
                      "Scaling arrivals shortens days with everything in them; scaling run times breaks the "
                      "site's limits; scaling processors breaks sizes and their packing.",
                  .source = "Ernemann, Song and Yahyapour, Scaling of workload traces, JSSPP 2003, "
                            "doi:10.1007/10968987_9",
                  .params = params, .options_size = sizeof(options)},
    .init = scale_init,
    .apply = scale_apply,
    .visit = scale_visit,
    .fini = scale_fini,
};
