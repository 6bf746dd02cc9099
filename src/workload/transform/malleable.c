/* malleable.c -- says of tasks that they are malleable: between which sizes a policy may resize them while
 * they run; or that they are moldable: with which of these they may start.
 *
 * The bounds are in proportion to what a task asks for (hosts, or processors where it names none): at least
 * one, and never so that what it asks for is out of them. Traces do not say of any of their tasks that it is
 * malleable; how many are is a question for a study. Which they are is a pure function of the seed and of a
 * task's rank, so that a larger share has a superset.
 *
 * A task is as fast in each size as the law says, which becomes a speed of each; a law that scales (no law,
 * the default) needs none of that. Of a moldable one every size is offered, or those that are the size asked
 * for times a power of two: fewer sizes are fewer questions for a policy that asks about each. What a profile
 * says, or several groups of resources, the law knows nothing of: such tasks are left as they are. Cost: one
 * draw, and one look into the table of what few tasks have; with a law a call of it for each size. */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/execution.h"
#include "workload/task_formula.h"

#define SIZES_MOST 65536 /* of one task, under a law */

enum { AT_RUNNING, AT_START, AT_BOTH };
enum { SIZES_ALL, SIZES_POWERS };

typedef struct options {
  double least, most, share;
  const char *where;
  int at, sizes;
  hc_chosen speedup;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_task_formula where;
  uint64_t rank;
  hc_task_size *items; /* of the task at hand */
  size_t cap;
};

static void malleable_fini(hc_transform *t)
{
  hc_task_formula_fini(&t->where);
  hc_free(t->context->allocator, t->items, t->cap * sizeof *t->items);
  hc_free(t->context->allocator, t, sizeof *t);
}

static hc_rc malleable_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                            hc_transform **out, hc_error *e)
{
  const options *o = given;
  const hc_speedup_type *law = (const hc_speedup_type *)o->speedup.type;
  HC_UNUSED(totals);
  if (o->at != AT_START && o->sizes != SIZES_ALL)
    return hc_fail(e, HC_EUSAGE, "transform malleable", 0, 0,
                   "a task that is resized while it runs may have any size between its bounds: leave out "
                   "`sizes`, or set `at: start`");
  if (law && law->check) TRY(law->check(o->speedup.options, e));
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
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

/* ---- sizes of a moldable task ---- */

static hc_rc add(hc_transform *t, size_t *n, int64_t size, hc_error *e)
{
  const hc_chosen *law = &t->o->speedup;
  const double s = hc_speedup(law, (double)size);
  if (!(s > 0) || !(s - s == 0))
    return hc_fail(e, HC_EINPUT, "transform malleable", 0, 0,
                   "the law of speed-up %s says %g for %lld slots, and has to be above zero",
                   law->type ? law->type->name : "linear", s, (long long)size);
  if (*n == SIZES_MOST)
    return hc_fail(e, HC_ELIMIT, "transform malleable", 0, 0,
                   "a task would offer more than %d sizes: set `sizes: powers`, or a smaller `most`",
                   SIZES_MOST);
  TRY(hc_reserve(t->context->allocator, (void **)&t->items, &t->cap, *n + 1, sizeof *t->items));
  t->items[(*n)++] = (hc_task_size){
      .size = (uint32_t)size, .speed = s, .run = HC_UNKNOWN, .limit = HC_UNKNOWN, .estimate = HC_UNKNOWN};
  return 0;
}

/* Halves as long as they are whole, and doubles. */
static hc_rc add_powers(hc_transform *t, const hc_task_extras *m, size_t *n, hc_error *e)
{
  int64_t size = m->of;
  while (size % 2 == 0 && size / 2 >= m->least) size /= 2;
  for (; size <= m->most; size *= 2) TRY(add(t, n, size, e));
  return 0;
}

static hc_rc offer_sizes(hc_transform *t, hc_task_extras *m, hc_error *e)
{
  size_t n = 0;
  static const uint32_t when[] = {[AT_RUNNING] = HC_SIZED_RUNNING,
                                  [AT_START] = HC_SIZED_AT_START,
                                  [AT_BOTH] = HC_SIZED_AT_START | HC_SIZED_RUNNING};
  m->changes = when[t->o->at];
  m->sizes = NULL;
  m->size_count = 0;
  if (!t->o->speedup.type && t->o->sizes == SIZES_ALL) return 0;
  if (t->o->sizes == SIZES_POWERS) TRY(add_powers(t, m, &n, e));
  else
    for (int64_t size = m->least; size <= m->most; size++) TRY(add(t, &n, size, e));
  m->least = t->items[0].size;
  m->most = t->items[n - 1].size;
  m->sizes = t->items;
  m->size_count = n;
  return 0;
}

/* The law would say what its profile says, or is not of one kind of slots. */
static bool is_left(const hc_task_extras *m)
{
  return m->profile_size > 0 || m->chunk_count + m->resize_count + m->executor_count > 0 || m->most_cpu > 0 ||
         m->size_count > 0;
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
  if (of > UINT32_MAX || !hc_task_formula_holds(&t->where, task)) return 1;
  if (t->o->share < 1 && hc_random_unit(&stream) >= t->o->share) return 1;
  const hc_task_extras *had = hc_lexicon_more(l, task->more);
  hc_task_extras m = had ? *had : hc_task_extras_none();
  const bool has_sizes = t->o->at != AT_RUNNING || t->o->speedup.type;
  if (has_sizes && is_left(&m)) return 1;
  const double least = t->o->least * (double)of;
  m.of = (uint32_t)of;
  m.least = (uint32_t)least;
  if (m.least == 0 || m.least < least) m.least++;
  m.most = (uint32_t)HC_MIN(t->o->most * (double)of, (double)UINT32_MAX);
  if (has_sizes) TRY(offer_sizes(t, &m, e));
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
    HC_PARAM(REAL, options, share, "1", "1", 0, 1,
             "The part of the tasks that becomes malleable or moldable; which ones is drawn."),
    HC_PARAM(TEXT, options, where, "",
             "Which tasks: an expression over " HC_TASK_FORMULA_NAMES
             ", such as \"procs >= 8 && user != 3\"; unknown values are -1. Default: all tasks."),
    HC_PARAM(CHOICE, options, at, "running|start|both", "running",
             "When a policy may settle their size. running: while they run (malleable). start: when they "
             "start (moldable). both: at either time."),
    HC_PARAM(COMPONENT, options, speedup, HC_KIND_SPEEDUP, NULL,
             "Law of how fast a task is in each size. Default: linear, so that slots x run time is the same "
             "in each size."),
    HC_PARAM(CHOICE, options, sizes, "all|powers", "all",
             "With `at: start`, which sizes are offered. all: each from the smallest to the largest. powers: "
             "those that are the size asked for x a power of two."),
    {.name = NULL},
};

const hc_transform_type hc_transform_malleable = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "malleable",
         .summary = "make tasks malleable or moldable, so that a policy settles their sizes",
         .detail =
             "Only policies that resize tasks make use of it (policy: malleable), or with `at: start` those "
             "that settle sizes at the start (`mold` of the policy batch). Sizes are numbers of hosts, or of "
             "processors for a task that asks for no hosts. A task that its limit would end is ended by it "
             "in each size. With `at: start`, `at: both` or a law of speed-up, tasks with a profile, with "
             "several groups of resources or with shapes of their own stay as they are.",
         .source = "Downey, A parallel workload model and its implications for processor allocation, "
                   "HPDC 1997, for sizes by a law of speed-up",
         .params = params, .options_size = sizeof(options)},
    .init = malleable_init,
    .apply = malleable_apply,
    .visit = malleable_visit,
    .fini = malleable_fini,
};
