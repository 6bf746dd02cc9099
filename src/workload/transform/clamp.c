/* clamp.c -- bounds on run time, limit and processors.
 *
 * What is above a bound is set to it, or the task is left out. Unknown values are within every bound. A
 * clamped number of processors is clamped in both fields, asked and used. Cost: about 2 ns. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef enum action { CLAMP, REJECT } action;

typedef struct options {
  hc_time run, limit;
  int64_t procs;
  int action;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
};

static hc_rc clamp_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given};
  return 0;
}

static bool clamp(int64_t *value, int64_t most)
{
  if (*value <= most) return false; /* HC_UNKNOWN is the least of all */
  *value = most;
  return true;
}

static hc_rc clamp_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const options *o = t->o;
  bool above = false;
  HC_UNUSED(e);
  if (o->run != HC_UNKNOWN) above |= clamp(&task->run, o->run);
  if (o->limit != HC_UNKNOWN) above |= clamp(&task->limit, o->limit);
  if (o->procs > 0) {
    above |= clamp(&task->procs_asked, o->procs);
    above |= clamp(&task->procs_used, o->procs);
  }
  *why = HC_REASON_FILTERED;
  return !(above && o->action == REJECT);
}

static void clamp_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, run, "s", NULL, 0, 9e9, "Longest run time. Default: no bound."),
    HC_PARAM(TIME, options, limit, "s", NULL, 0, 9e9, "Longest limit. Default: no bound."),
    HC_PARAM(INT, options, procs, "processors", "0", 0, 1e15, "Greatest number of processors. 0: any."),
    HC_PARAM(CHOICE, options, action, "clamp|reject", "clamp",
             "What becomes of a task above a bound. clamp: its value is set to the bound. reject: the task "
             "is left out."),
    {.name = NULL},
};

const hc_transform_type hc_transform_clamp = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "clamp",
         .summary = "bound run time, limit and processors, or leave out what exceeds a bound",
         .detail =
             "Unknown values are within every bound. Tasks that are left out are counted as `filtered`.",
         .params = params, .options_size = sizeof(options)},
    .init = clamp_init,
    .apply = clamp_apply,
    .fini = clamp_fini,
};
