/* needs.c -- tasks ask for an amount of something that a formula says: of a licence, of the machine's power.
 *
 * What the cell has of it for all tasks together (`licences`) selectors count, and promise ahead, as they do
 * cores. So a cap on what the machine draws is a licence of watts of which each task asks for what its cores
 * draw: what is running never asks for more than there is. Cost: about 2 ns per operation of the formula. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/task_formula.h"

typedef struct options {
  const char *of, *amount;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_task_formula amount;
  int dimension;
};

static void needs_fini(hc_transform *t)
{
  hc_task_formula_fini(&t->amount);
  hc_free(t->context->allocator, t, sizeof *t);
}

static hc_rc set_up(hc_transform *t, const options *o, hc_error *e)
{
  hc_lexicon *l = t->context->lexicon;
  if (!o->of || !o->of[0] || !o->amount || !o->amount[0])
    return hc_fail(e, HC_EUSAGE, "transform needs", 0, 0,
                   "give `of`, a licence of the cell, and `amount`, how much of it a task asks for");
  if (!l) return hc_fail(e, HC_EUSAGE, "transform needs", 0, 0, "only a run has licences");
  t->dimension = hc_lexicon_dimension(l, o->of, strlen(o->of));
  if (t->dimension < 0)
    return hc_fail(e, HC_ELIMIT, "transform needs", 0, 0,
                   "there is no room for \"%.60s\": a run has at most %d", o->of, HC_DIMENSIONS);
  if (t->dimension < HC_DIM_OTHER || t->dimension >= HC_NEEDS)
    return hc_fail(
        e, HC_EUSAGE, "transform needs", 0, 0,
        "%.60s: cores, memory, disk and GPUs are for the source to say, and of others the first %d can "
        "be asked for by a formula",
        o->of, HC_NEEDS - HC_DIM_OTHER);
  return hc_task_formula_init(&t->amount, t->context->allocator, o->amount, e);
}

static hc_rc needs_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
  HC_UNUSED(totals);
  if (!t) return HC_ENOMEM;
  *t = (hc_transform){.context = c, .o = given};
  hc_task_formula_init(&t->amount, c->allocator, NULL, NULL); /* none so far */
  const hc_rc rc = set_up(t, given, e);
  if (rc < 0) needs_fini(t);
  else *out = t;
  return rc;
}

static hc_rc needs_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const double amount = hc_task_formula_value(&t->amount, task);
  HC_UNUSED(why);
  if (!(amount >= 0 && amount < 1e15))
    return hc_fail(e, HC_EINPUT, "transform needs", 0, 0,
                   "task %" PRId64
                   " would ask for %g of %s: an amount is from 0 to 1e15; what a task does not say "
                   "is -1 in the formula",
                   task->id, amount, t->o->of);
  const int64_t whole = (int64_t)amount;
  task->need[t->dimension] = whole + ((double)whole < amount);
  return 1;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, of, NULL, "Name of the licence of the cell that tasks ask for. Required."),
    HC_PARAM(TEXT, options, amount, NULL,
             "Amount for each task, rounded up to a whole number: an expression over " HC_TASK_FORMULA_NAMES
             ", such as \"procs * 25\"; unknown values are -1. Required."),
    {.name = NULL},
};

const hc_transform_type hc_transform_needs = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "needs",
         .summary =
             "tasks ask for an amount of a licence that a formula gives: for caps on power or bandwidth",
         .detail = "All tasks together never hold more of the licence than the cell has (`licences: "
                   "[watts=30000]`). A task that does not find enough of it waits, as for cores, and "
                   "selectors promise it ahead. A task holds the amount once, on any number of hosts.",
         .params = params, .options_size = sizeof(options)},
    .init = needs_init,
    .apply = needs_apply,
    .fini = needs_fini,
};
