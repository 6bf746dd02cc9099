/* native_rules.c -- what a task of the native format waits for, and what it demands of its hosts.
 *
 * A constraint is a text. "ssd" and "!ssd" say that a host has an attribute, or has it not; "kernel>=5"
 * compares one, by = != < > <= >=; "gpu_model=V100|A100" and "ssd|nvme" hold if one of the alternatives does;
 * "ssd & kernel>=5" (or with a comma or semicolon) needs both, as two texts in a list do. An alternative
 * without a sign of its own is another value of the attribute before it, if that had one. "a!=1|2" is neither
 * 1 nor 2. Values that are whole numbers are numbers, all others are names, for which only = and != mean
 * something. */
#include <string.h>

#include "base/util.h"
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

static bool is_sign(char c)
{
  return c == '=' || c == '<' || c == '>' || c == '!';
}

static hc_field trim(const char *s, size_t n)
{
  while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
  for (; n > 0 && (*s == ' ' || *s == '\t'); n--) s++;
  return (hc_field){.text = s, .length = n};
}

/* The comparison that the signs at `*s` spell; `*s` moves past them. */
static bool read_sign(const char **s, const char *end, uint32_t *out)
{
  const bool equals = end - *s > 1 && (*s)[1] == '=';
  switch (**s) {
    case '=': *out = HC_EQUAL; break;
    case '!': *out = HC_UNEQUAL; break;
    case '<': *out = equals ? HC_AT_MOST : HC_LESS; break;
    default: *out = equals ? HC_AT_LEAST : HC_GREATER; break;
  }
  if (**s == '!' && !equals) return false;
  *s += equals ? 2 : 1;
  return *s == end || !is_sign(**s);
}

/* The number of a name in the lexicon. @return 0 or HC_ENOMEM. */
static hc_rc number_of(const hc_native *n, const hc_field *f, uint32_t *out)
{
  *out = hc_lexicon_name(n->context->lexicon, f->text, f->length);
  return *out == HC_NO_NAME ? HC_ENOMEM : 0;
}

/* One alternative. `c` comes in as the one before, if `*has_sign` says that this had a sign.
 * @return 1, 0 if it cannot be understood, or HC_ENOMEM. */
static hc_rc read_alternative(const hc_native *n, hc_field f, hc_constraint *c, bool *has_sign)
{
  const char *end = f.text + f.length, *sign = f.text;
  const bool is_absent = f.length > 0 && *sign == '!';
  hc_field value;
  sign += is_absent;
  while (sign < end && !is_sign(*sign)) sign++;
  if (sign < end) {
    const hc_field name = trim(f.text, (size_t)(sign - f.text));
    if (is_absent || name.length == 0 || !read_sign(&sign, end, &c->compare)) return 0;
    TRY(number_of(n, &name, &c->attribute));
    value = trim(sign, (size_t)(end - sign));
    *has_sign = true;
  } else if (*has_sign && !is_absent) {
    value = f;
  } else {
    const hc_field name = trim(f.text + is_absent, f.length - is_absent);
    if (name.length == 0 || *has_sign) return 0;
    c->compare = is_absent ? HC_ABSENT : HC_PRESENT;
    c->is_text = 0;
    c->value = 0;
    TRY(number_of(n, &name, &c->attribute));
    return 1;
  }
  if (value.length == 0) return 0;
  c->is_text = !hc_field_whole(&value, &c->value);
  if (!c->is_text) return 1;
  uint32_t text;
  if (c->compare != HC_EQUAL && c->compare != HC_UNEQUAL) return 0;
  TRY(number_of(n, &value, &text));
  c->value = text;
  return 1;
}

/* Alternatives with bars between them. */
static hc_rc read_alternatives(hc_native *n, const hc_value *v, const char *at, const char *end,
                               size_t *count, hc_error *e)
{
  hc_constraint c = {.group = *count > 0 ? n->constraints[*count - 1].group + 1 : 0};
  bool has_sign = false;
  for (;;) {
    const char *bar = memchr(at, '|', (size_t)(end - at));
    const hc_rc rc = read_alternative(n, trim(at, (size_t)((bar ? bar : end) - at)), &c, &has_sign);
    if (rc == 0)
      return hc_value_fail(v, e, HC_EINPUT,
                           "this constraint cannot be understood; they are written \"ssd\", \"!ssd\", "
                           "\"kernel>=5\", \"gpu_model=V100|A100\", with & between several");
    TRY(rc);
    TRY(hc_reserve(n->context->allocator, (void **)&n->constraints, &n->constraints_cap, *count + 1,
                   sizeof *n->constraints));
    n->constraints[(*count)++] = c;
    if (c.compare == HC_UNEQUAL) c.group++; /* neither this nor that */
    if (!bar) return 0;
    at = bar + 1;
  }
}

static hc_rc read_constraint(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  hc_field all;
  if (!hc_native_scalar(v, &all))
    return hc_value_fail(v, e, HC_EINPUT, "a constraint is a text: \"kernel>=5\"");
  for (const char *at = all.text;; at++) {
    const size_t length = strcspn(at, "&,;");
    TRY(read_alternatives(n, v, at, at + length, count, e));
    at += length;
    if (!*at) return 0;
  }
}

hc_rc hc_native_read_constraints(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST) return read_constraint(n, v, count, e);
  for (size_t i = 0; i < v->count; i++) TRY(read_constraint(n, v->items[i], count, e));
  return 0;
}
