/* columns.c -- the type Columns: a table in Arrow's layout, given away without a copy.
 *
 * Two ways out: Arrow's C data interface (__arrow_c_schema__, __arrow_c_array__ and __arrow_c_stream__, which
 * pandas, polars, DuckDB and pyarrow take), and a memoryview of one column of numbers, for numpy. Either
 * keeps the table alive. Times are durations in ns since the run's origin. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *columns_type;

/* ---- making one ---- */

columns_object *native_columns(size_t count, size_t rows)
{
  columns_object *t = native_new(columns_type);
  if (!t) return NULL;
  t->columns = calloc(count + 1, sizeof *t->columns);
  if (!t->columns) {
    Py_DECREF((PyObject *)t);
    PyErr_NoMemory();
    return NULL;
  }
  t->count = count;
  t->rows = rows;
  return t;
}

static column *name_column(columns_object *t, size_t at, const char *name, column_kind kind)
{
  column *c = &t->columns[at];
  const size_t n = strlen(name) + 1;
  c->name = malloc(n);
  if (!c->name) {
    PyErr_NoMemory();
    return NULL;
  }
  memcpy(c->name, name, n);
  c->kind = kind;
  c->count = t->rows;
  return c;
}

int64_t *native_column(columns_object *t, size_t at, const char *name, column_kind kind)
{
  column *c = name_column(t, at, name, kind);
  if (c) c->ints = malloc(t->rows * sizeof *c->ints + 1); /* a double is as large */
  if (c && !c->ints) PyErr_NoMemory();
  return c ? c->ints : NULL;
}

int native_text_column(columns_object *t, size_t at, const char *name, const char *const *texts)
{
  column *c = name_column(t, at, name, COLUMN_TEXT);
  size_t size = 0;
  if (!c) return -1;
  for (size_t i = 0; i < t->rows; i++) size += texts[i] ? strlen(texts[i]) : 0;
  c->offsets = malloc((t->rows + 1) * sizeof *c->offsets);
  c->text = malloc(size + 1);
  if (!c->offsets || !c->text) return PyErr_NoMemory(), -1;
  c->offsets[0] = 0;
  for (size_t i = 0; i < t->rows; i++) {
    const size_t n = texts[i] ? strlen(texts[i]) : 0;
    if (n > 0) memcpy(c->text + c->offsets[i], texts[i], n);
    c->offsets[i + 1] = c->offsets[i] + (int64_t)n;
    if (!texts[i] && native_null(t, at, i) < 0) return -1;
  }
  return 0;
}

int native_null(columns_object *t, size_t at, size_t row)
{
  column *c = &t->columns[at];
  if (!c->valid) {
    c->valid = malloc(t->rows / 8 + 1);
    if (!c->valid) return PyErr_NoMemory(), -1;
    memset(c->valid, 0xff, t->rows / 8 + 1);
  }
  c->valid[row / 8] &= (uint8_t) ~(1u << row % 8);
  c->nulls++;
  return 0;
}

static void columns_dealloc(PyObject *o)
{
  columns_object *t = (columns_object *)o;
  for (size_t i = 0; i < t->count; i++) {
    column *c = &t->columns[i];
    free(c->name);
    free(c->ints);
    free(c->valid);
    free(c->offsets);
    free(c->text);
  }
  free(t->columns);
  native_free(o);
}

/* ---- Arrow's C data interface (the layout is its specification's) ---- */

struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#define ARROW_NULLABLE 2

/* Each piece of Arrow's holds a reference to the table. Called from any thread. */
static void hold(columns_object *t)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_INCREF((PyObject *)t);
  PyGILState_Release(gil);
}

static void let_go(void *t)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject *)t);
  PyGILState_Release(gil);
}

static void release_field(struct ArrowSchema *s)
{
  s->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
  for (int64_t i = 0; i < s->n_children; i++)
    if (s->children[i]->release) s->children[i]->release(s->children[i]);
  free(s->children);
  let_go(s->private_data);
  s->release = NULL;
}

static int fill_schema(columns_object *t, struct ArrowSchema *out)
{
  static const char *const formats[] = {"l", "tDn", "g", "U"}; /* in the order of column_kind */
  struct ArrowSchema **children = malloc((t->count + 1) * (sizeof *children + sizeof **children));
  struct ArrowSchema *field = (struct ArrowSchema *)(void *)(children + t->count + 1);
  if (!children) return -1;
  for (size_t i = 0; i < t->count; i++, field++) {
    children[i] = field;
    *field = (struct ArrowSchema){.format = formats[t->columns[i].kind],
                                  .name = t->columns[i].name,
                                  .flags = ARROW_NULLABLE,
                                  .release = release_field};
  }
  *out = (struct ArrowSchema){.format = "+s",
                              .name = "",
                              .n_children = (int64_t)t->count,
                              .children = children,
                              .release = release_schema,
                              .private_data = t};
  hold(t);
  return 0;
}

/* A column may be moved out of its table, and then lives on by itself: it has its own buffers' list. */
static void release_column(struct ArrowArray *a)
{
  free(a->buffers);
  let_go(a->private_data);
  a->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
  for (int64_t i = 0; i < a->n_children; i++)
    if (a->children[i]->release) a->children[i]->release(a->children[i]);
  free(a->children);
  free(a->buffers);
  let_go(a->private_data);
  a->release = NULL;
}

static int fill_column(columns_object *t, const column *c, struct ArrowArray *out)
{
  const void **buffers = malloc(3 * sizeof *buffers);
  if (!buffers) return -1;
  buffers[0] = c->valid;
  buffers[1] = c->kind == COLUMN_TEXT ? (const void *)c->offsets : (const void *)c->ints;
  buffers[2] = c->text;
  *out = (struct ArrowArray){.length = (int64_t)c->count,
                             .null_count = c->nulls,
                             .n_buffers = c->kind == COLUMN_TEXT ? 3 : 2,
                             .buffers = buffers,
                             .release = release_column,
                             .private_data = t};
  hold(t);
  return 0;
}

static int fill_array(columns_object *t, struct ArrowArray *out)
{
  struct ArrowArray **children = malloc((t->count + 1) * (sizeof *children + sizeof **children));
  struct ArrowArray *child = (struct ArrowArray *)(void *)(children + t->count + 1);
  const void **buffers = calloc(1, sizeof *buffers);
  *out = (struct ArrowArray){.length = (int64_t)t->rows,
                             .n_buffers = 1,
                             .buffers = buffers,
                             .children = children,
                             .release = release_array,
                             .private_data = t};
  if (!children || !buffers) {
    free(children);
    free(buffers);
    out->release = NULL;
    return -1;
  }
  hold(t);
  for (size_t i = 0; i < t->count; i++) {
    children[i] = child++;
    if (fill_column(t, &t->columns[i], children[i]) < 0) {
      release_array(out);
      return -1;
    }
    out->n_children++;
  }
  return 0;
}

/* A stream of one batch. private_data: the table, until that batch was taken; then too, for the schema. */
typedef struct stream {
  columns_object *t;
  int taken;
} stream;

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
  return fill_schema(((stream *)s->private_data)->t, out) < 0 ? 12 : 0; /* ENOMEM */
}

static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
  stream *of = s->private_data;
  if (of->taken) {
    out->release = NULL;
    return 0;
  }
  of->taken = 1;
  return fill_array(of->t, out) < 0 ? 12 : 0;
}

static const char *stream_error(struct ArrowArrayStream *s)
{
  (void)s;
  return "out of memory";
}

static void stream_release(struct ArrowArrayStream *s)
{
  let_go(((stream *)s->private_data)->t);
  free(s->private_data);
  s->release = NULL;
}

/* What was not taken out of its capsule is released with it. */
#define FREE_CAPSULE(type, name) \
  static void free_##type(PyObject *capsule) \
  { \
    struct type *x = PyCapsule_GetPointer(capsule, name); \
    if (x->release) x->release(x); \
    free(x); \
  }
FREE_CAPSULE(ArrowSchema, "arrow_schema")
FREE_CAPSULE(ArrowArray, "arrow_array")
FREE_CAPSULE(ArrowArrayStream, "arrow_array_stream")

static PyObject *schema_capsule(columns_object *t)
{
  struct ArrowSchema *s = calloc(1, sizeof *s);
  if (!s || fill_schema(t, s) < 0) {
    free(s);
    return PyErr_NoMemory();
  }
  return PyCapsule_New(s, "arrow_schema", free_ArrowSchema);
}

static PyObject *arrow_c_schema(PyObject *o, PyObject *none)
{
  (void)none;
  return schema_capsule((columns_object *)o);
}

static PyObject *arrow_c_array(PyObject *o, PyObject *args, PyObject *kwargs)
{
  columns_object *t = (columns_object *)o;
  PyObject *schema = schema_capsule(t), *array;
  struct ArrowArray *a = schema ? calloc(1, sizeof *a) : NULL;
  (void)args; /* another schema may be wished for, and need not be given */
  (void)kwargs;
  if (!a || fill_array(t, a) < 0) {
    free(a);
    Py_XDECREF(schema);
    return schema ? PyErr_NoMemory() : NULL;
  }
  array = PyCapsule_New(a, "arrow_array", free_ArrowArray);
  return array ? Py_BuildValue("(NN)", schema, array) : NULL;
}

static PyObject *arrow_c_stream(PyObject *o, PyObject *args, PyObject *kwargs)
{
  struct ArrowArrayStream *s = calloc(1, sizeof *s);
  stream *of = calloc(1, sizeof *of);
  (void)args;
  (void)kwargs;
  if (!s || !of) {
    free(s);
    free(of);
    return PyErr_NoMemory();
  }
  of->t = (columns_object *)o;
  hold(of->t);
  *s = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, of};
  return PyCapsule_New(s, "arrow_array_stream", free_ArrowArrayStream);
}

/* ---- one column ---- */

/* A column of numbers as a buffer. It holds the table. */
typedef struct slice_object {
  PyObject ob_base;
  columns_object *t;
  Py_ssize_t at, shape, stride;
} slice_object;

static PyTypeObject *slice_type;

static int slice_buffer(PyObject *o, Py_buffer *view, int flags)
{
  static char format_int[] = "q", format_real[] = "d";
  slice_object *self = (slice_object *)o;
  const column *c = &self->t->columns[self->at];
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "columns of a result cannot be written to");
    return -1;
  }
  view->buf = c->ints;
  view->obj = Py_NewRef(o);
  view->len = self->shape * 8;
  view->readonly = 1;
  view->itemsize = 8;
  view->format = flags & PyBUF_FORMAT ? (c->kind == COLUMN_REAL ? format_real : format_int) : NULL;
  view->ndim = 1;
  view->shape = &self->shape;
  view->strides = &self->stride;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static void slice_dealloc(PyObject *o)
{
  Py_XDECREF((PyObject *)((slice_object *)o)->t);
  native_free(o);
}

static PyType_Slot slice_slots[] = {
    {Py_bf_getbuffer, slice_buffer}, {Py_tp_dealloc, slice_dealloc}, {0, NULL}};
static PyType_Spec slice_spec = {"hindcast._native.Column", sizeof(slice_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slice_slots};

static const column *find(columns_object *t, PyObject *name, size_t *at)
{
  const char *s = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!s) return NULL;
  for (*at = 0; *at < t->count; ++*at)
    if (strcmp(t->columns[*at].name, s) == 0) return &t->columns[*at];
  PyErr_SetObject(PyExc_KeyError, name);
  return NULL;
}

static PyObject *columns_buffer(PyObject *o, PyObject *name)
{
  columns_object *t = (columns_object *)o;
  size_t at;
  const column *c = find(t, name, &at);
  slice_object *s;
  if (!c) return NULL;
  if (c->kind == COLUMN_TEXT)
    return PyErr_Format(PyExc_TypeError, "%s is a column of texts: use list()", c->name);
  s = native_new(slice_type);
  if (!s) return NULL;
  s->t = (columns_object *)Py_NewRef(o);
  s->at = (Py_ssize_t)at;
  s->shape = (Py_ssize_t)t->rows;
  s->stride = 8;
  PyObject *view = PyMemoryView_FromObject((PyObject *)s);
  Py_DECREF((PyObject *)s);
  return view;
}

static int is_null(const column *c, size_t row)
{
  return c->valid && !(c->valid[row / 8] >> row % 8 & 1);
}

static PyObject *value_of(const column *c, size_t row)
{
  if (is_null(c, row)) return Py_NewRef(Py_None);
  if (c->kind == COLUMN_REAL) return PyFloat_FromDouble(c->reals[row]);
  if (c->kind != COLUMN_TEXT) return PyLong_FromLongLong(c->ints[row]);
  return PyUnicode_DecodeUTF8(c->text + c->offsets[row], (Py_ssize_t)(c->offsets[row + 1] - c->offsets[row]),
                              "replace");
}

static PyObject *columns_list(PyObject *o, PyObject *name)
{
  columns_object *t = (columns_object *)o;
  size_t at;
  const column *c = find(t, name, &at);
  PyObject *list = c ? PyList_New((Py_ssize_t)t->rows) : NULL;
  for (size_t i = 0; list && i < t->rows; i++) {
    PyObject *value = value_of(c, i);
    if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *columns_row(PyObject *o, PyObject *number)
{
  columns_object *t = (columns_object *)o;
  const Py_ssize_t row = PyLong_AsSsize_t(number);
  PyObject *dict;
  if (row == -1 && PyErr_Occurred()) return NULL;
  if (row < 0 || (size_t)row >= t->rows) return PyErr_Format(PyExc_IndexError, "there are %zu rows", t->rows);
  dict = PyDict_New();
  for (size_t i = 0; dict && i < t->count; i++) {
    PyObject *value = value_of(&t->columns[i], (size_t)row);
    if (!value || PyDict_SetItemString(dict, t->columns[i].name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

/* {name: "int", "duration", "real" or "text"} in their order */
static PyObject *columns_types(PyObject *o, PyObject *none)
{
  static const char *const words[] = {"int", "duration", "real", "text"};
  columns_object *t = (columns_object *)o;
  PyObject *dict = PyDict_New();
  (void)none;
  for (size_t i = 0; dict && i < t->count; i++) {
    PyObject *word = PyUnicode_FromString(words[t->columns[i].kind]);
    if (!word || PyDict_SetItemString(dict, t->columns[i].name, word) < 0) Py_CLEAR(dict);
    Py_XDECREF(word);
  }
  return dict;
}

static PyObject *columns_nulls(PyObject *o, PyObject *name)
{
  size_t at;
  const column *c = find((columns_object *)o, name, &at);
  return c ? PyLong_FromLongLong(c->nulls) : NULL;
}

static Py_ssize_t columns_length(PyObject *o)
{
  return (Py_ssize_t)((columns_object *)o)->rows;
}

static PyMethodDef methods[] = {
    {"__arrow_c_schema__", arrow_c_schema, METH_NOARGS, "Arrow's PyCapsule interface."},
    {"__arrow_c_array__", (PyCFunction)(void (*)(void))arrow_c_array, METH_VARARGS | METH_KEYWORDS,
     "Arrow's PyCapsule interface."},
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))arrow_c_stream, METH_VARARGS | METH_KEYWORDS,
     "Arrow's PyCapsule interface."},
    {"buffer", columns_buffer, METH_O, "A column of numbers, as a memoryview that is not a copy."},
    {"list", columns_list, METH_O, "A column as a list; None: there is no value."},
    {"row", columns_row, METH_O, "A row as a dict."},
    {"types", columns_types, METH_NOARGS, "The type of each column: int, duration (ns), real, text."},
    {"nulls", columns_nulls, METH_O, "How many rows have no value in a column."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_dealloc, columns_dealloc},
                              {Py_tp_methods, methods},
                              {Py_sq_length, columns_length},
                              {Py_tp_doc, "A table of columns."},
                              {0, NULL}};
static PyType_Spec spec = {"hindcast._native.Columns", sizeof(columns_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int native_add_columns(PyObject *module)
{
  columns_type = native_add_type(module, &spec);
  slice_type = columns_type ? native_add_type(module, &slice_spec) : NULL;
  return slice_type ? 0 : -1;
}
