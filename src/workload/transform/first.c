/* first.c -- the first n tasks in order of submission.
 *
 * Counts what reaches it: rows that admission rejects afterwards are among the n. Reading stops behind the
 * last. Cost: about 1 ns. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef struct options {
  int64_t count;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  int64_t seen;
};

static hc_rc first_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given};
  return 0;
}

static hc_rc first_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(task);
  HC_UNUSED(e);
  *why = HC_REASON_OUTSIDE;
  if (t->seen >= t->o->count) return 2;
  t->seen++;
  return 1;
}

static hc_rc first_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->seen);
  return 0;
}

static void first_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, count, "tasks", "1000", 0, 1e18, "How many tasks to keep."),
    {.name = NULL},
};

const hc_transform_type hc_transform_first = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "first",
         .summary = "keep the first n tasks in order of submission",
         .detail =
             "It counts the tasks that reach it: tasks that are not admitted afterwards are among the n.",
         .params = params, .options_size = sizeof(options)},
    .init = first_init,
    .apply = first_apply,
    .visit = first_visit,
    .fini = first_fini,
};
