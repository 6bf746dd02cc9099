/* malleable.c -- says of tasks that they are malleable: between which sizes a policy may resize them while
 * they run.
 *
 * The bounds are in proportion to what a task asks for (hosts, or processors where it names none): at least
 * one, and never so that what it asks for is out of them. Traces do not say of any of their tasks that it is
 * malleable; how many are is a question for a study. Which they are is a pure function of the seed and of a
 * task's rank, so that a larger share has a superset. Cost: one draw, and one look into the table of what few
 * tasks have. */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/task_formula.h"

typedef struct options {
  double least, most, share;
  const char *where;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_task_formula where;
  uint64_t rank;
};

static void malleable_fini(hc_transform *t)
{
  hc_task_formula_fini(&t->where);
  hc_free(t->context->allocator, t, sizeof *t);
}

static hc_rc malleable_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                            hc_transform **out, hc_error *e)
{
  const options *o = given;
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
  HC_UNUSED(totals);
  if (!t) return HC_ENOMEM;
  *t = (hc_transform){.context = c, .o = o};
  const hc_rc rc = hc_task_formula_init(&t->where, c->allocator, o->where, e);
  if (rc < 0) malleable_fini(t);
  else *out = t;
  return rc;
}

static int64_t size_of(const hc_task_spec *t)
{
  const int64_t procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  return HC_MAX(t->hosts > 0 ? t->hosts : procs, 1);
}

/* Neither 0 nor undefined. */
static bool holds(const hc_transform *t, const hc_task_spec *task)
{
  const double value = t->where.expr ? hc_task_formula_value(&t->where, task) : 1;
  return value < 0 || value > 0;
}

static hc_rc malleable_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  hc_draws stream = {.seed = t->context->seed,
                     .replication = t->context->replication,
                     .purpose = HC_PURPOSE_MALLEABLE,
                     .entity = t->rank++};
  hc_lexicon *l = t->context->lexicon;
  const int64_t of = size_of(task);
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (of > UINT32_MAX || !holds(t, task)) return 1;
  if (t->o->share < 1 && hc_random_unit(&stream) >= t->o->share) return 1;
  const hc_task_extras *had = hc_lexicon_more(l, task->more);
  hc_task_extras m = had ? *had : hc_task_extras_none();
  const double least = t->o->least * (double)of;
  m.of = (uint32_t)of;
  m.least = (uint32_t)least;
  if (m.least == 0 || m.least < least) m.least++;
  m.most = (uint32_t)HC_MIN(t->o->most * (double)of, (double)UINT32_MAX);
  const uint32_t handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (task->more) hc_lexicon_calls_of(l)->drop(l, task->more);
  task->more = handle;
  return 1;
}

static hc_rc malleable_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->rank);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, least, "1", "0.5", 0, 1,
             "The smallest size of a task, as a part of what it asks for."),
    HC_PARAM(REAL, options, most, "1", "2", 1, 1e6,
             "The largest size of a task, as a multiple of what it asks for."),
    HC_PARAM(REAL, options, share, "1", "1", 0, 1, "The part of the tasks that becomes malleable."),
    HC_PARAM(TEXT, options, where, "",
             "Only tasks for which this holds: an expression over " HC_TASK_FORMULA_NAMES
             ", such as \"procs >= 8 && user != 3\"; what is unknown is -1. Default: all tasks."),
    {.name = NULL},
};

const hc_transform_type hc_transform_malleable = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "malleable",
                  .summary = "make tasks malleable: a policy may resize them while they run",
                  .detail =
                      "Only policies that resize tasks make use of it (policy: malleable). Sizes are counted "
                      "in what a task asks for: hosts, or processors where it names none.",
                  .params = params, .options_size = sizeof(options)},
    .init = malleable_init,
    .apply = malleable_apply,
    .visit = malleable_visit,
    .fini = malleable_fini,
};
