/* native_called.c -- what a task's numbers are called, where its other keys have only the numbers: its
 * program, its partition, and its own id and its job's, as their source wrote them. */
#include "base/state.h"
#include "base/util.h"
#include "workload/names.h"
#include "workload/native.h"
#include "workload/spec.h"

enum { EXECUTABLE, PARTITION, ID, JOB, KEYS };

static const hc_native_key keys[] = {
    {"executable", EXECUTABLE}, {"partition", PARTITION}, {"id", ID}, {"job", JOB}, {NULL, 0}};

/* The name of a number that the task has; of a kind so many are kept. */
static hc_rc call(hc_native *n, const hc_value *v, hc_called kind, int64_t number, uint64_t *count,
                  hc_error *e)
{
  hc_lexicon *l = n->context->lexicon;
  hc_field f;
  if (!v) return 0;
  if (!hc_native_scalar(v, &f) || f.length == 0)
    return hc_value_fail(v, e, HC_EINPUT, "%.20s is a text: what the number is called", v->key);
  if (number < 0)
    return hc_value_fail(v, e, HC_EINPUT, "%.20s names a number that this task does not have", v->key);
  if (!l || hc_lexicon_called(l, kind, number)) return 0;
  if (*count >= HC_NAME_LIMIT) {
    hc_name_unkept(n->context->ledger);
    return 0;
  }
  ++*count;
  return hc_lexicon_call(l, kind, number, f.text, f.length);
}

static hc_rc label(hc_native *n, const hc_value *v, uint32_t *out, hc_error *e)
{
  hc_field f;
  if (!v) return 0;
  if (!hc_native_scalar(v, &f))
    return hc_value_fail(v, e, HC_EINPUT, "%.20s is a text: what its source calls it", v->key);
  return n->context->lexicon ? hc_lexicon_label(n->context->lexicon, f.text, f.length, out) : 0;
}

/* An id that is a name is what the task is called. */
static hc_rc by_id(hc_native *n, const hc_value *v, int64_t number, uint32_t *out)
{
  hc_field f;
  if (!v || !hc_native_scalar(v, &f)) return 0;
  return hc_spec_label(n->context->lexicon, f.text, f.length, number, out);
}

hc_rc hc_native_label(hc_native *n, const hc_value *id, const hc_value *job, hc_task_spec *t)
{
  if (t->label == 0) TRY(by_id(n, id, t->id, &t->label));
  return t->job_label == 0 ? by_id(n, job, t->job, &t->job_label) : 0;
}

hc_rc hc_native_read_called(hc_native *n, const hc_value *v, hc_task_spec *t, hc_error *e)
{
  const hc_value *at[KEYS];
  if (!v) return 0;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT,
                         "what numbers are called is a map: {executable: solve, id: \"123_4\"}");
  TRY(hc_native_members(v, keys, at, KEYS, NULL, NULL, &n->is_fatal, e));
  TRY(call(n, at[EXECUTABLE], HC_CALLED_EXECUTABLE, t->executable, &n->programs, e));
  TRY(call(n, at[PARTITION], HC_CALLED_PARTITION, t->partition, &n->partitions, e));
  TRY(label(n, at[ID], &t->label, e));
  const hc_rc rc = label(n, at[JOB], &t->job_label, e);
  if (rc < 0) hc_spec_drop_labels(n->context->lexicon, t);
  return rc;
}
