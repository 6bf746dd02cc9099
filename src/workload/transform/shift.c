/* shift.c -- moves all submissions by one amount, so that the first is at a chosen time.
 *
 * For logs that count from elsewhere, or after a window. The clock time of a task changes with it: per-hour
 * tables then mean the shifted calendar. Tasks without a time of submission stay. Cost: about 1 ns. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef struct options {
  hc_time to;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_time by; /* HC_UNKNOWN before the first task */
};

static hc_rc shift_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given, .by = HC_UNKNOWN};
  return 0;
}

static hc_rc shift_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (task->submit == HC_UNKNOWN) return 1;
  if (t->by == HC_UNKNOWN) t->by = t->o->to - task->submit;
  task->submit = hc_time_add(task->submit, t->by);
  if (task->cancel_at != HC_NEVER) task->cancel_at = hc_time_add(task->cancel_at, t->by);
  return 1;
}

static hc_rc shift_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->by);
  return 0;
}

static void shift_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, to, "s", "0", 0, 9e9, "When the first task is submitted."),
    {.name = NULL},
};

const hc_transform_type hc_transform_shift = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "shift",
                  .summary = "move all submissions so that the first is at a chosen time", .params = params,
                  .options_size = sizeof(options)},
    .init = shift_init,
    .apply = shift_apply,
    .visit = shift_visit,
    .fini = shift_fini,
};
