/* result.c -- the type Result: what a run's store holds, or a stored file. */
#include "native.h"

#include <stdlib.h>

PyTypeObject *result_type;

PyObject *native_result(registry_object *registry, run_object *run, hc_result *result)
{
  result_object *self = native_new(result_type);
  if (!self) {
    hc_result_free(result);
    return NULL;
  }
  self->registry = (registry_object *)Py_NewRef((PyObject *)registry);
  self->run = (run_object *)Py_XNewRef((PyObject *)run);
  self->result = result;
  return (PyObject *)self;
}

static PyObject *result_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  PyObject *registry;
  const char *path;
  hc_result *r;
  hc_error e = {0};
  hc_rc rc;
  (void)type;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!s", registry_type, &registry, &path)) return NULL;
  rc = hc_result_open(hc_default_allocator(), path, &r, &e);
  return rc < 0 ? native_failed(rc, &e) : native_result((registry_object *)registry, NULL, r);
}

static void result_dealloc(PyObject *o)
{
  result_object *self = (result_object *)o;
  hc_result_free(self->result);
  Py_XDECREF((PyObject *)self->run);
  Py_XDECREF((PyObject *)self->registry);
  native_free(o);
}

/* A result is read by one call at a time, and not while its run goes on, which writes the same store.
 * @return NULL with an exception; else to be given back */
static hc_result *take(PyObject *o)
{
  result_object *self = (result_object *)o;
  int *busy = self->run ? &self->run->busy : &self->busy;
  const bool is_closed = self->run && self->run->committed;
  if (*busy) PyErr_SetString(PyExc_RuntimeError, "another thread reads this result or carries its run on");
  else if (is_closed) PyErr_SetString(PyExc_RuntimeError, "the store is a file now: open that");
  if (*busy || is_closed) return NULL;
  *busy = 1;
  return self->result;
}

static void give_back(PyObject *o)
{
  result_object *self = (result_object *)o;
  *(self->run ? &self->run->busy : &self->busy) = 0;
}

/* ---- texts and figures ---- */

static PyObject *text_or_none(const char *s)
{
  return s ? PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace") : Py_NewRef(Py_None);
}

typedef struct rows_list {
  PyObject *list;
  size_t columns;
} rows_list;

static hc_rc add_row(void *ctx, const char *const *values)
{
  rows_list *to = ctx;
  PyObject *row = PyTuple_New((Py_ssize_t)to->columns);
  int rc = row ? 0 : -1;
  for (size_t i = 0; rc == 0 && i < to->columns; i++) {
    PyObject *value = text_or_none(values[i]);
    rc = value ? PyTuple_SetItem(row, (Py_ssize_t)i, value) : -1;
  }
  if (rc == 0) rc = PyList_Append(to->list, row);
  Py_XDECREF(row);
  return rc < 0 ? HC_ENOMEM : 0;
}

static PyObject *result_rows(PyObject *o, PyObject *args)
{
  const char *table;
  Py_ssize_t columns;
  hc_error e = {0};
  hc_result *r;
  if (!PyArg_ParseTuple(args, "sn", &table, &columns)) return NULL;
  if (columns < 1 || columns > 64) return PyErr_Format(PyExc_ValueError, "columns: from 1 to 64");
  if (!(r = take(o))) return NULL;
  rows_list to = {PyList_New(0), (size_t)columns};
  hc_rc rc = to.list ? hc_result_rows(r, table, (size_t)columns, add_row, &to, &e) : HC_ENOMEM;
  give_back(o);
  if (!to.list) return NULL;
  if (rc >= 0) return to.list;
  Py_DECREF(to.list);
  return native_failed(rc, &e);
}

static PyObject *result_config(PyObject *o, PyObject *path)
{
  const char *s = PyUnicode_AsUTF8AndSize(path, NULL);
  hc_result *r = s ? take(o) : NULL;
  PyObject *text = r ? text_or_none(hc_result_config(r, s)) : NULL;
  if (r) give_back(o);
  return text;
}

static PyObject *one_digest(PyObject *o, hc_rc (*compute)(hc_result *, char[33], hc_error *))
{
  char text[33];
  hc_error e = {0};
  hc_result *r = take(o);
  hc_rc rc;
  if (!r) return NULL;
  Py_BEGIN_ALLOW_THREADS
  rc = compute(r, text, &e);
  Py_END_ALLOW_THREADS
  give_back(o);
  return rc < 0 ? native_failed(rc, &e) : PyUnicode_FromString(text);
}

static PyObject *result_digest(PyObject *o, PyObject *none)
{
  (void)none;
  return one_digest(o, hc_result_digest);
}

static PyObject *result_schedule_digest(PyObject *o, PyObject *none)
{
  (void)none;
  return one_digest(o, hc_result_schedule_digest);
}

static PyObject *result_facts(PyObject *o, PyObject *none)
{
  hc_result_facts f;
  hc_result *r = take(o);
  (void)none;
  if (!r) return NULL;
  hc_result_facts_of(r, &f);
  give_back(o);
  return Py_BuildValue("{s:L,s:L,s:N,s:N}", "capacity", (long long)f.capacity, "core_units",
                       (long long)f.core_units, "unix_start",
                       f.unix_start == HC_UNKNOWN ? Py_NewRef(Py_None) : PyLong_FromLongLong(f.unix_start),
                       "zone", text_or_none(f.zone));
}

/* ---- tasks ---- */

#define CHUNK 4096

enum { /* columns of `tasks`, in their order */
       SERIAL,
       ID,
       SUBMIT,
       START,
       END,
       WAIT,
       RESPONSE,
       PROCESSORS,
       LIMIT,
       ESTIMATE,
       RUN,
       USER,
       GROUP,
       EXECUTABLE,
       QUEUE,
       PARTITION,
       STATE,
       FLAGS,
       COLUMNS
};

static const struct {
  const char *name;
  column_kind kind;
} titles[COLUMNS] = {{"serial", COLUMN_INT},        {"id", COLUMN_INT},          {"submit", COLUMN_DURATION},
                     {"start", COLUMN_DURATION},    {"end", COLUMN_DURATION},    {"wait", COLUMN_DURATION},
                     {"response", COLUMN_DURATION}, {"processors", COLUMN_REAL}, {"limit", COLUMN_DURATION},
                     {"estimate", COLUMN_DURATION}, {"run", COLUMN_DURATION},    {"user", COLUMN_INT},
                     {"group", COLUMN_INT},         {"executable", COLUMN_INT},  {"queue", COLUMN_INT},
                     {"partition", COLUMN_INT},     {"state", COLUMN_TEXT},      {"flags", COLUMN_INT}};

/* Where numbers have names the column is one of texts. */
static int called(columns_object *t, hc_result *r, size_t at, hc_called kind, const hc_task_record *records)
{
  int64_t numbers[5];
  const size_t which = at - USER;
  if (!r || !hc_result_has_names(r, kind)) {
    int64_t *out = native_column(t, at, titles[at].name, COLUMN_INT);
    for (size_t i = 0; out && i < t->rows; i++) {
      const hc_task_record *x = &records[i];
      memcpy(numbers, (int64_t[]){x->user, x->group, x->executable, x->queue, x->partition}, sizeof numbers);
      out[i] = numbers[which];
      if (out[i] == -1 && native_null(t, at, i) < 0) return -1;
    }
    return out ? 0 : -1;
  }
  const char **texts = malloc((t->rows + 1) * sizeof *texts);
  char(*plain)[24] = malloc((t->rows + 1) * sizeof *plain);
  int rc = -1;
  for (size_t i = 0; texts && plain && i < t->rows; i++) {
    const hc_task_record *x = &records[i];
    memcpy(numbers, (int64_t[]){x->user, x->group, x->executable, x->queue, x->partition}, sizeof numbers);
    texts[i] = numbers[which] == -1 ? NULL : hc_result_name(r, kind, numbers[which]);
    if (!texts[i] && numbers[which] != -1) {
      (void)PyOS_snprintf(plain[i], sizeof plain[i], "%lld", (long long)numbers[which]);
      texts[i] = plain[i];
    }
  }
  if (texts && plain) rc = native_text_column(t, at, titles[at].name, texts);
  else PyErr_NoMemory();
  free(texts);
  free(plain);
  return rc;
}

static hc_time less(hc_time a, hc_time b)
{
  return a == HC_UNKNOWN || b == HC_UNKNOWN ? HC_UNKNOWN : a - b;
}

static int fill(columns_object *t, hc_result *r, const hc_task_record *records, int64_t core_units)
{
  static const hc_called kinds[] = {HC_CALLED_USER, HC_CALLED_GROUP, HC_CALLED_EXECUTABLE, HC_CALLED_QUEUE,
                                    HC_CALLED_PARTITION};
  int64_t *out[COLUMNS] = {NULL};
  for (size_t k = 0; k < COLUMNS; k++) {
    if (titles[k].kind == COLUMN_TEXT) continue;
    if (k >= USER && k <= PARTITION) {
      if (called(t, r, k, kinds[k - USER], records) < 0) return -1;
    } else if (!(out[k] = native_column(t, k, titles[k].name, titles[k].kind))) return -1;
  }
  for (size_t i = 0; i < t->rows; i++) {
    const hc_task_record *x = &records[i];
    const hc_time times[] = {x->submit, x->start, x->end, less(x->start, x->submit), less(x->end, x->submit)};
    const hc_time lengths[] = {x->limit, x->estimate, x->run};
    out[SERIAL][i] = x->serial;
    out[ID][i] = x->id;
    out[FLAGS][i] = x->flags;
    t->columns[PROCESSORS].reals[i] = (double)x->units / (double)(core_units > 1 ? core_units : 1);
    for (size_t k = SUBMIT; k <= RUN; k++) {
      if (k == PROCESSORS) continue;
      const hc_time v = k < PROCESSORS ? times[k - SUBMIT] : lengths[k - LIMIT];
      out[k][i] = v;
      if ((v == HC_UNKNOWN || v == HC_NEVER) && native_null(t, k, i) < 0) return -1;
    }
  }
  const char **states = malloc((t->rows + 1) * sizeof *states);
  if (!states) return PyErr_NoMemory(), -1;
  for (size_t i = 0; i < t->rows; i++) states[i] = hc_final_name((hc_final)records[i].final);
  const int rc = native_text_column(t, STATE, titles[STATE].name, states);
  free(states);
  return rc;
}

columns_object *native_tasks(hc_result *r, const hc_task_record *records, size_t count, int64_t core_units)
{
  columns_object *t = native_columns(COLUMNS, count);
  if (t && fill(t, r, records, core_units) < 0) Py_CLEAR(t);
  return t;
}

static PyObject *result_tasks(PyObject *o, PyObject *none)
{
  hc_result *r = take(o);
  if (!r) return NULL;
  const size_t n = (size_t)hc_result_task_count(r);
  hc_task_record *records = malloc((n + 1) * sizeof *records);
  columns_object *t = NULL;
  size_t done = 0, count = 0;
  hc_result_facts facts;
  hc_error e = {0};
  hc_rc rc = hc_result_check(r, &e);
  (void)none;
  if (!records) {
    give_back(o);
    return PyErr_NoMemory();
  }
  Py_BEGIN_ALLOW_THREADS
  while (rc >= 0 && done < n) {
    rc = hc_result_tasks(r, done == 0, records + done, n - done < CHUNK ? n - done : CHUNK, &count, &e);
    if (count == 0) break;
    done += count;
  }
  Py_END_ALLOW_THREADS
  if (rc < 0) (void)native_failed(rc, &e);
  else {
    hc_result_facts_of(r, &facts);
    t = native_tasks(r, records, done, facts.core_units);
  }
  free(records);
  give_back(o);
  return (PyObject *)t;
}

/* ---- the series ---- */

enum { CURVES = 5 }; /* columns of the store's table `curves` */

typedef struct curve_rows {
  int64_t *values; /* [count][CURVES] */
  size_t count, cap;
} curve_rows;

static hc_rc add_curve(void *ctx, const char *const *values)
{
  curve_rows *rows = ctx;
  if (rows->count == rows->cap) {
    const size_t cap = rows->cap ? 2 * rows->cap : 64;
    int64_t *more = realloc(rows->values, cap * CURVES * sizeof *more);
    if (!more) return HC_ENOMEM;
    rows->values = more;
    rows->cap = cap;
  }
  for (size_t k = 0; k < CURVES; k++)
    rows->values[rows->count * CURVES + k] = values[k] ? strtoll(values[k], NULL, 10) : 0;
  rows->count++;
  return 0;
}

/* The store has thousandths of units and of tasks, means over a piece of time each. */
static columns_object *curves_table(const curve_rows *rows, int64_t core_units)
{
  static const char *const names[CURVES] = {"at", "busy", "capacity", "waiting", "running"};
  columns_object *t = native_columns(CURVES, rows->count);
  const double units = 1000.0 * (double)(core_units > 1 ? core_units : 1);
  for (size_t k = 0; t && k < CURVES; k++) {
    int64_t *out = native_column(t, k, names[k], k == 0 ? COLUMN_DURATION : COLUMN_REAL);
    if (!out) {
      Py_DECREF((PyObject *)t);
      return NULL;
    }
    for (size_t i = 0; i < rows->count; i++) {
      const int64_t value = rows->values[i * CURVES + k];
      if (k == 0) out[i] = value;
      else t->columns[k].reals[i] = (double)value / (k <= 2 ? units : 1000.0);
    }
  }
  return t;
}

static PyObject *result_series(PyObject *o, PyObject *none)
{
  curve_rows rows = {0};
  hc_result_facts facts;
  hc_error e = {0};
  columns_object *t = NULL;
  hc_result *r = take(o);
  (void)none;
  if (!r) return NULL;
  const hc_rc rc = hc_result_rows(r, "curves", CURVES, add_curve, &rows, &e);
  if (rc >= 0) hc_result_facts_of(r, &facts);
  give_back(o);
  if (rc == HC_EUSAGE)
    e = (hc_error){.text = "this result has no curves: it is older than they are, or of another kind"};
  if (rc < 0) (void)native_failed(rc, &e);
  else t = curves_table(&rows, facts.core_units);
  free(rows.values);
  return (PyObject *)t;
}

/* ---- checks and exports ---- */

static void hear(void *ctx, const hc_violation *v)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *row = Py_BuildValue("{s:s,s:L,s:L,s:N}", "rule", v->rule, "at", (long long)v->at, "id",
                                (long long)v->id, "text", text_or_none(v->text));
  if (!row || PyList_Append(ctx, row) < 0) PyErr_Clear();
  Py_XDECREF(row);
  PyGILState_Release(gil);
}

static PyObject *rule_counts(const uint64_t *counts)
{
  PyObject *dict = PyDict_New();
  for (size_t i = 0; dict && hc_verify_rule_at(i); i++) {
    PyObject *n = counts[i] ? PyLong_FromUnsignedLongLong(counts[i]) : NULL;
    if (counts[i] && (!n || PyDict_SetItemString(dict, hc_verify_rule_at(i)->name, n) < 0)) Py_CLEAR(dict);
    Py_XDECREF(n);
  }
  return dict;
}

/* (holds, what is wrong, how many things were held to each rule) */
static PyObject *result_verify(PyObject *o, PyObject *none)
{
  const hc_verify_request whole = {.promise = -1};
  hc_verify_report report = {0};
  PyObject *list = PyList_New(0);
  hc_result *r = list ? take(o) : NULL;
  hc_error e = {0};
  hc_rc rc;
  (void)none;
  if (!r) {
    Py_XDECREF(list);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS
  rc = hc_verify_result(hc_default_allocator(), r, &whole, hear, list, &report, &e);
  Py_END_ALLOW_THREADS
  give_back(o);
  if (rc == 0 || rc == HC_EREFUTED)
    return Py_BuildValue("(NNN)", PyBool_FromLong(rc == 0), list, rule_counts(report.checked));
  Py_DECREF(list);
  return native_failed(rc, &e);
}

static hc_rc write_bytes(void *ctx, const void *data, size_t size)
{
  hc_buffer *out = ctx;
  hc_buffer_add(out, data, size);
  return out->failed ? HC_ENOMEM : 0;
}

/* @param args  format, then settings as texts */
static PyObject *result_export(PyObject *o, PyObject *args)
{
  result_object *self = (result_object *)o;
  const Py_ssize_t n = PyTuple_Size(args);
  const char **words = malloc(((size_t)n + 1) * sizeof *words);
  hc_error e = {0};
  hc_buffer out;
  hc_rc rc = 0;
  if (!words) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; rc == 0 && i < n; i++)
    if (!(words[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, i), NULL))) rc = HC_EUSAGE;
  hc_buffer_init(&out, hc_default_allocator());
  if (rc == 0 && n > 0) rc = take(o) ? 1 : HC_EUSAGE;
  if (rc == 1) {
    const hc_sink sink = {&out, write_bytes};
    Py_BEGIN_ALLOW_THREADS
    rc = hc_export_result(hc_default_allocator(), self->registry->registry, words[0], words + 1,
                          (size_t)n - 1, self->result, &sink, &e);
    Py_END_ALLOW_THREADS
    give_back(o);
  }
  PyObject *bytes =
      rc < 0 ? native_failed(rc, &e) : PyBytes_FromStringAndSize(out.data, (Py_ssize_t)out.size);
  hc_buffer_fini(&out);
  free(words);
  return bytes;
}

static PyMethodDef methods[] = {
    {"rows", result_rows, METH_VARARGS,
     "The rows of a small table, as texts: its name, its number of columns."},
    {"config", result_config, METH_O, "A key of the configuration, as text; None: there is none."},
    {"digest", result_digest, METH_NOARGS, "Checksum of what was computed, from what."},
    {"schedule_digest", result_schedule_digest, METH_NOARGS, "Checksum of what happened."},
    {"facts", result_facts, METH_NOARGS, "Its machine and its calendar."},
    {"tasks", result_tasks, METH_NOARGS, "The rows of its tasks, as Columns."},
    {"series", result_series, METH_NOARGS, "Use and queue over time, as Columns."},
    {"verify", result_verify, METH_NOARGS,
     "Check it: (holds, violations, how many things were held to each rule)."},
    {"export", result_export, METH_VARARGS, "Bytes in another format: its name, then settings."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, result_new},
                              {Py_tp_dealloc, result_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A result."},
                              {0, NULL}};
static PyType_Spec spec = {"hindcast._native.Result", sizeof(result_object), 0, Py_TPFLAGS_DEFAULT, slots};

int native_add_result(PyObject *module)
{
  result_type = native_add_type(module, &spec);
  return result_type ? 0 : -1;
}
