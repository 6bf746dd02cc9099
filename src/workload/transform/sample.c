/* sample.c -- a random part of the tasks, or all tasks of a random part of the users.
 *
 * Whether a task is kept is a pure function of the run's seed and of its rank (or its user's number), so that
 * a larger fraction keeps a superset. By user keeps sessions and flurries whole, which sampling single tasks
 * tears apart. Cost: one draw, about 20 ns. */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef enum by { BY_TASK, BY_USER } by;

typedef struct options {
  double fraction;
  int by;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  uint64_t rank;
};

static hc_rc sample_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                         hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given};
  return 0;
}

static hc_rc sample_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  hc_draws stream = {
      .seed = t->context->seed, .replication = t->context->replication, .purpose = HC_PURPOSE_SAMPLE};
  HC_UNUSED(e);
  *why = HC_REASON_FILTERED;
  stream.entity = t->o->by == BY_USER ? (uint64_t)task->user : t->rank;
  t->rank++;
  return hc_random_unit(&stream) < t->o->fraction;
}

static hc_rc sample_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->rank);
  return 0;
}

static void sample_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, fraction, "1", "0.1", 0, 1,
             "The part of the tasks, or of the users, that is kept."),
    HC_PARAM(CHOICE, options, by, "task|user", "task",
             "What is drawn. task: single tasks. user: users, each with all tasks."),
    {.name = NULL},
};

const hc_transform_type hc_transform_sample = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "sample",
         .summary = "keep a random part of the tasks or of the users",
         .detail = "Whether a task is kept depends only on the seed and on the task's rank (or on its user); "
                   "a larger fraction keeps a superset. Tasks that are left out are counted as `filtered`.",
         .params = params, .options_size = sizeof(options)},
    .init = sample_init,
    .apply = sample_apply,
    .visit = sample_visit,
    .fini = sample_fini,
};
