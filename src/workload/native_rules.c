/* native_rules.c -- what a task of the native format waits for, and what it demands of its hosts.
 * Constraints are texts as constraint_text.h has them; those of a list must all hold. */
#include <string.h>

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

static const struct {
  const char *word;
  hc_compare compare;
} comparisons[] = {{"=", HC_EQUAL},     {"!=", HC_UNEQUAL}, {"<", HC_LESS},          {">", HC_GREATER},
                   {">=", HC_AT_LEAST}, {"<=", HC_AT_MOST}, {"present", HC_PRESENT}, {"absent", HC_ABSENT}};

enum { ATTRIBUTE, IS, VALUE, ANY, C_KEYS };

/* One comparison of an attribute. Names and values may have any signs in them. */
static hc_rc read_comparison(hc_native *n, const hc_value *v, const hc_value *const at[C_KEYS],
                             hc_constraint *c, hc_error *e)
{
  hc_lexicon *l = n->context->lexicon;
  hc_field name, f;
  size_t i = 0;
  if (!at[ATTRIBUTE] || !hc_native_scalar(at[ATTRIBUTE], &name) || name.length == 0 || at[ANY])
    return hc_value_fail(
        v, e, HC_EINPUT,
        "a constraint that is a map is {attribute: kernel, is: \">=\", value: 5}, or {any: [...]} of such");
  c->compare = at[VALUE] ? HC_EQUAL : HC_PRESENT;
  if (at[IS]) {
    while (i < HC_ARRAY_LEN(comparisons) &&
           !(hc_native_scalar(at[IS], &f) && strcmp(f.text, comparisons[i].word) == 0))
      i++;
    if (i == HC_ARRAY_LEN(comparisons))
      return hc_value_fail(at[IS], e, HC_EINPUT, "`is` is one of = != < > >= <= present absent");
    c->compare = comparisons[i].compare;
  }
  if ((c->compare >= HC_PRESENT) == (at[VALUE] != NULL) || (at[VALUE] && !hc_native_scalar(at[VALUE], &f)))
    return hc_value_fail(v, e, HC_EINPUT, "a constraint has a `value`, unless it is `present` or `absent`");
  c->attribute = hc_lexicon_name(l, name.text, name.length);
  c->is_text = at[VALUE] && (at[VALUE]->quoted || !hc_field_whole(&f, &c->value));
  if (c->is_text && c->compare != HC_EQUAL && c->compare != HC_UNEQUAL)
    return hc_value_fail(at[VALUE], e, HC_EINPUT, "texts have no order: only = and != compare them");
  if (c->is_text) c->value = hc_lexicon_name(l, f.text, f.length);
  return c->attribute == HC_NO_NAME || (c->is_text && c->value == HC_NO_NAME) ? HC_ENOMEM : 0;
}

/* Alternatives, of which each map is one, into a group of their own. */
static hc_rc read_maps(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  static const hc_native_key keys[] = {
      {"attribute", ATTRIBUTE}, {"is", IS}, {"value", VALUE}, {"any", ANY}, {NULL, 0}};
  const hc_value *at[C_KEYS];
  const uint32_t group = *count > 0 ? n->constraints[*count - 1].group + 1 : 0;
  TRY(hc_native_members(v, keys, at, C_KEYS, NULL, NULL, &n->is_fatal, e));
  const hc_value *any =
      at[ANY] && at[ANY]->kind == HC_VALUE_LIST && at[ANY]->count > 0 && v->count == 1 ? at[ANY] : NULL;
  for (size_t i = 0; i < (any ? any->count : 1); i++) {
    const hc_value *one = any ? any->items[i] : v;
    hc_constraint c = {.group = group};
    if (any && one->kind != HC_VALUE_MAP)
      return hc_value_fail(one, e, HC_EINPUT,
                           "each of `any` is a map: {attribute: kernel, is: \">=\", value: 5}");
    if (any) TRY(hc_native_members(one, keys, at, C_KEYS, NULL, NULL, &n->is_fatal, e));
    TRY(read_comparison(n, one, at, &c, e));
    if (*count >= HC_CONSTRAINT_LIMIT)
      return hc_value_fail(v, e, HC_EINPUT, "a task has at most 1024 constraints");
    TRY(hc_reserve(n->context->allocator, (void **)&n->constraints, &n->constraints_cap, *count + 1,
                   sizeof *n->constraints));
    n->constraints[(*count)++] = c;
  }
  return 0;
}

static hc_rc read_constraint(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  hc_field all;
  if (v->kind == HC_VALUE_MAP) return read_maps(n, v, count, e);
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
