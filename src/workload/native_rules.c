/* native_rules.c -- what a task of the native format waits for, and what it demands of its hosts.
 * Constraints are texts as constraint_text.h has them; those of a list must all hold. */
#include "base/util.h"
#include "workload/constraint_text.h"
#include "workload/native.h"
#include "workload/spec.h"

/* ---- waiting ---- */

static hc_rc add_after(hc_native *n, const hc_value *v, const hc_after *a, const hc_task_spec *t,
                       size_t *count, hc_error *e)
{
  if (n->refers == HC_REFERS_NONE)
    return hc_value_fail(v, e, HC_EINPUT,
                         "this task waits for another, which `refers` rules out: set it to job");
  if (n->refers == HC_REFERS_JOB && a->job != t->job)
    return hc_value_fail(v, e, HC_EINPUT,
                         "this task waits for another job, which `refers` rules out: set it to any");
  TRY(hc_reserve(n->context->allocator, (void **)&n->afters, &n->afters_cap, *count + 1, sizeof *n->afters));
  n->afters[(*count)++] = *a;
  if (a->job == t->job && (a->task == t->id || a->task == HC_UNKNOWN)) n->why = HC_REASON_CYCLE;
  return 0;
}

static hc_rc read_one(hc_native *n, const hc_value *v, hc_after_how how, const hc_task_spec *t, size_t *count,
                      hc_error *e)
{
  enum { JOB, TASK, KEYS };
  static const hc_native_key keys[] = {{"job", JOB},    {"collection_id", JOB},    {"task", TASK},
                                       {"index", TASK}, {"execution_index", TASK}, {NULL, 0}};
  const hc_value *at[KEYS] = {0};
  hc_after a = {.job = t->job, .task = HC_UNKNOWN, .how = (uint32_t)how};
  bool unknown;
  if (v->kind == HC_VALUE_SCALAR) at[TASK] = v;
  else if (v->kind == HC_VALUE_MAP) TRY(hc_native_members(v, keys, at, KEYS, NULL, NULL, &unknown, e));
  if (!at[JOB] && !at[TASK])
    return hc_value_fail(v, e, HC_EINPUT,
                         "what it waits for is the index of a task in its job, or {job: 1, task: 2}");
  if (at[JOB]) TRY(hc_native_name(at[JOB], "a job", &a.job, e));
  if (at[TASK]) TRY(hc_native_name(at[TASK], "a task", &a.task, e));
  if (a.job < 0)
    return hc_value_fail(v, e, HC_EINPUT, "only a task with a collection_id can wait for one by its index");
  return add_after(n, v, &a, t, count, e);
}

hc_rc hc_native_read_after(hc_native *n, const hc_value *v, hc_after_how how, const hc_task_spec *t,
                           size_t *count, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST) return read_one(n, v, how, t, count, e);
  for (size_t i = 0; i < v->count; i++) TRY(read_one(n, v->items[i], how, t, count, e));
  return 0;
}

/* ---- constraints ---- */

static hc_rc read_constraint(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  hc_field all;
  if (!hc_native_scalar(v, &all))
    return hc_value_fail(v, e, HC_EINPUT, "a constraint is a text: \"kernel>=5\"");
  const char *wrong = hc_constraints_read(n->context->allocator, n->context->lexicon, all.text, all.length,
                                          &n->constraints, count, &n->constraints_cap);
  if (!wrong) return 0;
  if (!*wrong) return HC_ENOMEM;
  return hc_value_fail(v, e, HC_EINPUT,
                       "this constraint cannot be understood, %s; they are written \"ssd\", \"!ssd\", "
                       "\"kernel>=5\", \"gpu_model=V100|A100\", with & between several",
                       wrong);
}

hc_rc hc_native_read_constraints(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST) return read_constraint(n, v, count, e);
  for (size_t i = 0; i < v->count; i++) TRY(read_constraint(n, v->items[i], count, e));
  return 0;
}
