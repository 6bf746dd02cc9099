/* window.c -- tasks submitted within a span of time.
 *
 * [from, to): a task submitted at `from` is in, one at `to` is out. Times count from the origin of the
 * source, which in some logs is the Unix epoch. Reading stops at the first task past the end. What still
 * waited or ran when the span begins is not in it: warm-up is for the trimming of metrics. Cost: about 1 ns.
 * */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef struct options {
  hc_time from, to;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
};

static hc_rc window_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                         hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  if (o->from != HC_UNKNOWN && o->to != HC_UNKNOWN && o->to <= o->from)
    return hc_fail(e, HC_EUSAGE, "transform window", 0, 0,
                   "the end is not after the beginning: set `to` above `from`");
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = o};
  return 0;
}

static hc_rc window_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(e);
  *why = task->submit == HC_UNKNOWN ? HC_REASON_NO_SUBMIT : HC_REASON_OUTSIDE;
  if (task->submit == HC_UNKNOWN) return 0;
  if (t->o->from != HC_UNKNOWN && task->submit < t->o->from) return 0;
  if (t->o->to != HC_UNKNOWN && task->submit >= t->o->to) return 2;
  return 1;
}

static void window_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, from, "s", NULL, 0, 0,
             "First time of submission that is kept. Default: the begin of the trace."),
    HC_PARAM(TIME, options, to, "s", NULL, 0, 0,
             "First time of submission that is no longer kept. Default: the end of the trace."),
    {.name = NULL},
};

const hc_transform_type hc_transform_window = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "window",
                  .summary = "keep tasks submitted in [from, to)",
                  .detail = "Times are those of the trace. Tasks submitted at other times are counted as "
                            "`outside`; reading stops at the first task past the end.",
                  .params = params, .options_size = sizeof(options)},
    .init = window_init,
    .apply = window_apply,
    .fini = window_fini,
};
