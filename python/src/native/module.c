/* module.c -- the module hindcast._native: its types, its errors, and what it says of the library. */
#include "native.h"

PyTypeObject *native_add_type(PyObject *module, PyType_Spec *spec)
{
  const char *dot = strrchr(spec->name, '.');
  PyObject *type = PyType_FromSpec(spec);
  if (!type) return NULL;
  if (PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0) {
    Py_DECREF(type);
    return NULL;
  }
  Py_DECREF(type); /* the module holds it for as long as there is an interpreter */
  return (PyTypeObject *)type;
}

void *native_new(PyTypeObject *type)
{
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return alloc(type, 0);
}

void native_free(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
  free_it(self);
  Py_DECREF(type);
}

/* ---- numbers ---- */

PyObject *native_number(int64_t n)
{
  return n == -1 ? Py_NewRef(Py_None) : PyLong_FromLongLong(n);
}

PyObject *native_time(hc_time t)
{
  return t == HC_NEVER || t == HC_UNKNOWN ? Py_NewRef(Py_None) : PyLong_FromLongLong(t);
}

PyObject *native_amounts(const int64_t *of, uint32_t n)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)n);
  for (uint32_t d = 0; tuple && d < n; d++) {
    PyObject *x = PyLong_FromLongLong(of[d]);
    if (!x || PyTuple_SetItem(tuple, (Py_ssize_t)d, x) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

/* ---- errors ---- */

PyObject *native_error, *native_refused;

static _Thread_local struct {
  PyObject *type, *value, *trace;
} kept;

int native_add_errors(PyObject *module)
{
  native_error = PyErr_NewExceptionWithDoc(
      "hindcast.Error",
      "What cannot be: a wrong configuration, a damaged input, a plan that is no plan.\n\n"
      "Attributes: `code` (\"HC_EINPUT\"), `where` (a file, a component, a task; may be empty), `line` and "
      "`column` (from 1; 0 if it is not about a file), `text` (what is wrong, then what to do).",
      NULL, NULL);
  if (!native_error || PyModule_AddObjectRef(module, "Error", native_error) < 0) return -1;
  native_refused = PyErr_NewExceptionWithDoc(
      "hindcast.Refused",
      "An action of a plan that cannot be now, such as a start of a task that does not fit.", native_error,
      NULL);
  if (!native_refused || PyModule_AddObjectRef(module, "Refused", native_refused) < 0) return -1;
  return 0;
}

void native_keep(const char *what, const char *name, hc_time now)
{
  char seconds[32];
  if (kept.value) { /* the first is what is told */
    PyErr_Clear();
    return;
  }
  PyErr_Fetch(&kept.type, &kept.value, &kept.trace);
  PyErr_NormalizeException(&kept.type, &kept.value, &kept.trace);
  if (!kept.value) return;
  if (kept.trace) PyException_SetTraceback(kept.value, kept.trace);
  (void)PyOS_snprintf(seconds, sizeof seconds, "%.9g", (double)now / 1e9);
  PyObject *note = PyUnicode_FromFormat("in the %s %s, at t = %s s of the run", what, name, seconds);
  PyObject *done = note ? PyObject_CallMethod(kept.value, "add_note", "O", note) : NULL;
  if (!done) PyErr_Clear();
  Py_XDECREF(done);
  Py_XDECREF(note);
}

int native_has_kept(void)
{
  return kept.value != NULL;
}

static int put(PyObject *to, const char *name, PyObject *value)
{
  int rc = value ? PyObject_SetAttrString(to, name, value) : -1;
  Py_XDECREF(value);
  return rc;
}

static PyObject *text_of(const char *s)
{
  return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace");
}

/* "run.yaml:3:7: policy: no such policy ..." */
static PyObject *message_of(const hc_error *e)
{
  PyObject *where = text_of(e->where), *text = text_of(e->text), *out = NULL;
  if (where && text) {
    if (e->line && e->column) out = PyUnicode_FromFormat("%U:%u:%u: %U", where, e->line, e->column, text);
    else if (e->line) out = PyUnicode_FromFormat("%U:%u: %U", where, e->line, text);
    else if (e->where[0]) out = PyUnicode_FromFormat("%U: %U", where, text);
    else out = Py_NewRef(text);
  }
  Py_XDECREF(where);
  Py_XDECREF(text);
  return out;
}

PyObject *native_failed(hc_rc rc, const hc_error *e)
{
  hc_error said = *e;
  if (kept.value) {
    PyErr_Restore(kept.type, kept.value, kept.trace);
    kept.type = kept.value = kept.trace = NULL;
    return NULL;
  }
  if (PyErr_Occurred()) return NULL;
  if (rc == HC_ENOMEM) return PyErr_NoMemory();
  if (said.text[0] == '\0') (void)PyOS_snprintf(said.text, sizeof said.text, "%s", hc_rc_text(rc));
  PyObject *message = message_of(&said);
  PyObject *type = rc == HC_EPOLICY || rc == HC_ECONFLICT ? native_refused : native_error;
  PyObject *x = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
  if (x && put(x, "code", PyUnicode_FromString(hc_rc_name(rc))) == 0 &&
      put(x, "where", text_of(said.where)) == 0 && put(x, "line", PyLong_FromUnsignedLong(said.line)) == 0 &&
      put(x, "column", PyLong_FromUnsignedLong(said.column)) == 0 && put(x, "text", text_of(said.text)) == 0)
    PyErr_SetObject(type, x);
  Py_XDECREF(x);
  Py_XDECREF(message);
  return NULL;
}

/* ---- the module ---- */

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "hindcast._native",
    .m_doc = "The library, call by call. Use the package hindcast.",
    .m_size = -1,
};

static int (*const adds[])(PyObject *) = {
    native_add_errors, native_add_registry, native_add_config, native_add_run,       native_add_columns,
    native_add_result, native_add_view,     native_add_order,  native_add_place,     native_add_study,
    native_add_accept, native_add_batches,  native_add_transform};

PyMODINIT_FUNC PyInit__native(void)
{
  PyObject *m = PyModule_Create(&definition);
  if (!m) return NULL;
  for (size_t i = 0; i < sizeof adds / sizeof *adds; i++)
    if (adds[i](m) < 0) {
      Py_DECREF(m);
      return NULL;
    }
  if (PyModule_AddStringConstant(m, "version", HC_PYTHON_VERSION) < 0 ||
      PyModule_AddIntConstant(m, "SECOND", (long)HC_SECOND) < 0) {
    Py_DECREF(m);
    return NULL;
  }
  return m;
}
