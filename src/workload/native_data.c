/* native_data.c -- data items that tasks of the native format read and make.
 *
 * An item is a name; what makes it says its size, and so does what reads one that no task makes. Who makes
 * what is settled where tasks arrive (engine/data.c), since they come in any order. */
#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

static hc_rc read_size(const hc_value *v, int64_t *out, hc_error *e)
{
  hc_field f;
  if (hc_native_scalar(v, &f) && hc_field_size(&f, 1, out) && *out >= 0) return 0;
  return hc_value_fail(v, e, HC_EINPUT,
                       "the size of an item is not negative: a number of bytes, or a size such as 4GB");
}

static hc_rc add(hc_native *n, const hc_value *name, const char *text, const hc_value *size, size_t *count,
                 hc_error *e)
{
  const hc_value of_key = {.kind = HC_VALUE_SCALAR, .line = name->line, .column = name->column};
  hc_data_item x = {.bytes = HC_UNKNOWN};
  hc_value v = of_key;
  v.text = (char *)(uintptr_t)text;
  TRY(hc_native_name(text ? &v : name, "an item", &x.name, e));
  if (size && size->kind != HC_VALUE_NULL) TRY(read_size(size, &x.bytes, e));
  TRY(hc_reserve(n->context->allocator, (void **)&n->items, &n->items_cap, *count + 1, sizeof *n->items));
  n->items[(*count)++] = x;
  return 0;
}

/* A name, or {name: a, size: 600}. */
static hc_rc read_one(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  enum { NAME, SIZE, KEYS };
  static const hc_native_key keys[] = {{"name", NAME}, {"size", SIZE}, {"bytes", SIZE}, {NULL, 0}};
  const hc_value *at[KEYS];
  if (v->kind == HC_VALUE_SCALAR) return add(n, v, NULL, NULL, count, e);
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "an item is a name, or {name: a, size: 600MB}");
  TRY(hc_native_members(v, keys, at, KEYS, NULL, NULL, &n->is_fatal, e));
  if (!at[NAME]) return hc_value_fail(v, e, HC_EINPUT, "this item has no `name`");
  return add(n, at[NAME], NULL, at[SIZE], count, e);
}

/* @param v NULL: there are none */
static hc_rc read_items(hc_native *n, const hc_value *v, size_t *count, hc_error *e)
{
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR) return read_one(n, v, count, e);
  for (size_t i = 0; i < v->count; i++)
    if (v->kind == HC_VALUE_MAP) TRY(add(n, v->items[i], v->items[i]->key, v->items[i], count, e));
    else TRY(read_one(n, v->items[i], count, e));
  return 0;
}

/* Within a list each item is there once. O(n^2), as lists are short. */
static hc_rc check(const hc_value *v, const hc_data_item *items, size_t count, bool makes, hc_error *e)
{
  for (size_t i = 0; i < count; i++) {
    if (makes && items[i].bytes == HC_UNKNOWN)
      return hc_value_fail(v, e, HC_EINPUT, "output %zu has no size: {name: a, size: 600MB}", i + 1);
    for (size_t j = 0; j < i; j++)
      if (items[j].name == items[i].name)
        return hc_value_fail(v, e, HC_EINPUT, "item %zu of this list is there twice: leave one out", i + 1);
  }
  return 0;
}

hc_rc hc_native_read_data(hc_native *n, const hc_value *inputs, const hc_value *outputs,
                          const hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  size_t count = 0;
  if (!inputs && !outputs) return 0;
  if (n->refers == HC_REFERS_NONE)
    return hc_value_fail(inputs ? inputs : outputs, e, HC_EINPUT,
                         "a task waits for those that make what it reads, which `refers` rules out: set it "
                         "to job");
  if (t->count > 1)
    return hc_value_fail(inputs ? inputs : outputs, e, HC_EINPUT,
                         "a bundle (`count`) has no items of its own: write its tasks one by one");
  TRY(read_items(n, inputs, &count, e));
  m->input_count = count;
  TRY(read_items(n, outputs, &count, e));
  m->output_count = count - m->input_count;
  m->inputs = n->items;
  m->outputs = n->items ? n->items + m->input_count : NULL;
  if (inputs) TRY(check(inputs, m->inputs, m->input_count, false, e));
  if (outputs) TRY(check(outputs, m->outputs, m->output_count, true, e));
  for (size_t i = 0; i < m->input_count; i++)
    for (size_t j = 0; j < m->output_count; j++)
      if (m->inputs[i].name == m->outputs[j].name) n->why = HC_REASON_CYCLE;
  return 0;
}
