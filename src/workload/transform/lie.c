/* lie.c -- a user states other demands than its tasks have, or comes as several users.
 *
 * The scheduler sees, and the cell holds, what is stated. What a task truly needs decides how long it runs:
 *
 *   stated more than true   it holds more and runs as long
 *   stated less than true   in its scarcest dimension it has the part q = stated / true of what it needs.
 *                           stretch: all its work takes 1 / q as long, and it asks for a limit longer by as
 *                           much. fail: it runs out of it when it has done the part q of its run, and ends
 *                           there with nothing to show
 *
 * Only amounts that a task states of its hosts are changed (need); a task of a batch log, that states
 * processors, is left alone, and so are licences of the cell that are not named. With `to` a task states, in
 * each dimension given there, as much as makes its share of that the same as its greatest: it asks in the
 * cell's proportions. Amounts never become 0. With `identities` the user's tasks are dealt out in turn to the
 * user and to new users. Nothing is drawn, so all else stays as it was: a run with a lie is comparable, task
 * by task, with the run without it. Cost: a few ns a task. Source: lies after Ghodsi et al., NSDI 2011
 * (strategy-proofness); identities: sybil-proofness. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"
#include "workload/spec.h"

enum { STRETCH, FAIL };

typedef struct options {
  int64_t user, identities, alias;
  const char *dimension; /* NULL: all */
  double factor;
  hc_list to; /* double */
  int under;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  int dimension; /* -1: all */
  uint64_t dealt;
};

static hc_rc wrong(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "transform lie", 0, 0, "%s", text);
}

static hc_rc lie_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                      hc_transform **out, hc_error *e)
{
  const options *o = given;
  int dimension = -1;
  HC_UNUSED(totals);
  if (o->user < 0) return wrong(e, "who lies? Say it with user");
  if (!(o->factor > 0)) return wrong(e, "`factor` must be above 0");
  if (o->to.count > HC_DIMENSIONS) return wrong(e, "`to` has more amounts than there can be dimensions");
  if (o->dimension && o->dimension[0]) {
    dimension = c->lexicon ? hc_lexicon_dimension(c->lexicon, o->dimension, strlen(o->dimension)) : -1;
    if (dimension < 0)
      return hc_fail(e, HC_EUSAGE, "transform lie", 0, 0, "there is no room for the dimension %.80s",
                     o->dimension);
  }
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = o, .dimension = dimension};
  return 0;
}

static int64_t scaled(int64_t amount, double factor)
{
  const double x = (double)amount * factor + 0.5;
  return x >= 0x1p62 ? (int64_t)1 << 62 : HC_MAX((int64_t)x, 1);
}

/* In the dimensions of `to`, the share of the greatest. */
static void even_out(const hc_list *to, int64_t *need)
{
  const double *capacity = to->items;
  double share = 0;
  for (size_t d = 0; d < to->count; d++)
    if (need[d] > 0 && capacity[d] > 0) {
      const double unit = d == HC_DIM_CPU || d == HC_DIM_GPU ? 1000 : 1;
      share = HC_MAX(share, (double)need[d] / (capacity[d] * unit));
    }
  for (size_t d = 0; d < to->count && share > 0; d++)
    if (capacity[d] > 0) {
      const double unit = d == HC_DIM_CPU || d == HC_DIM_GPU ? 1000 : 1;
      const double x = share * capacity[d] * unit;
      need[d] = HC_MAX(need[d], x >= 0x1p62 ? (int64_t)1 << 62 : (int64_t)x);
    }
}

/* What holding the part q of what it needs does to a task. */
static void run_short(const options *o, hc_task_spec *task, double q)
{
  if (task->run > 0) task->run = scaled(task->run, o->under == STRETCH ? 1 / q : q);
  if (task->limit > 0 && task->limit != HC_NEVER && o->under == STRETCH)
    task->limit = scaled(task->limit, 1 / q);
}

static hc_rc lie_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const options *o = t->o;
  int64_t need[HC_DIMENSIONS];
  bool is_short = false;
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (task->user != o->user) return 1;
  hc_spec_needs(task, t->context->lexicon, need);
  for (int d = 0; d < HC_DIMENSIONS; d++) {
    if (need[d] <= 0 || (t->dimension >= 0 && d != t->dimension)) continue;
    is_short |= o->factor < 1;
    need[d] = scaled(need[d], o->factor);
  }
  if (is_short) run_short(o, task, o->factor);
  if (o->to.count > 0) even_out(&o->to, need);
  memcpy(task->need, need, sizeof task->need);
  for (uint32_t d = HC_NEEDS; task->more != 0 && d < HC_DIMENSIONS; d++)
    if (need[d] != hc_spec_need(task, t->context->lexicon, d))
      TRY(hc_spec_say(task, t->context->lexicon, d, need[d]));
  if (o->identities > 1) {
    const int64_t k = (int64_t)(t->dealt++ % (uint64_t)o->identities);
    if (k > 0) task->user = o->alias + k - 1;
  }
  return 1;
}

static hc_rc lie_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->dealt);
  return 0;
}

static void lie_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, user, NULL, "-1", -1, 9e15,
             "The user that lies, as a number of the trace. Required."),
    HC_PARAM(TEXT, options, dimension, NULL,
             "Dimension of the false demand: cpu, memory, disk, gpu or another. Default: all dimensions."),
    HC_PARAM(REAL, options, factor, "1", "1", 1e-6, 1e6, "Stated demand / true demand."),
    HC_PARAM(CHOICE, options, under, "stretch|fail", "stretch",
             "What becomes of a task that states the part q of its true demand. stretch: it runs 1 / q times "
             "as long. fail: it fails after the part q of its run time."),
    HC_PARAM(REALS, options, to, NULL, NULL, 0, 1e18,
             "Amounts of the cell: cores, bytes of memory, bytes of disk, GPUs, then units of other "
             "dimensions. In each of these a task then states the same share of the cell as in the dimension "
             "of its greatest share. Default: it does not."),
    HC_PARAM(INT, options, identities, "users", "1", 1, 1e6,
             "Number of users as which the user appears; its tasks go to them in turn."),
    HC_PARAM(INT, options, alias, NULL, "1000000", 0, 9e15, "Number of the user's first further identity."),
    {.name = NULL},
};

const hc_transform_type hc_transform_lie = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "lie",
                  .summary = "a user states false demands, or appears as several users",
                  .detail = "A task holds the amounts that are stated. With a `factor` above 1 it holds more "
                            "and runs as long as before. With a `factor` q below 1 it runs 1 / q times as "
                            "long, and so does its limit (under: stretch), or it fails after the part q of "
                            "its run time (under: fail). Tasks that state processors instead of amounts stay "
                            "as they are. `hindcast properties` tries lies and says what users gain by them.",
                  .source = "Ghodsi et al., Dominant resource fairness, NSDI 2011, for strategy-proofness",
                  .params = params, .options_size = sizeof(options)},
    .init = lie_init,
    .apply = lie_apply,
    .visit = lie_visit,
    .fini = lie_fini,
};
