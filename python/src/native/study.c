/* study.c -- the type Study: many runs from one file, carried out by processes of this machine, or as shards
 * that an executor of the caller's distributes. */
#include "native.h"

#include <stdlib.h>

typedef struct study_object {
  PyObject ob_base;
  registry_object *registry;
  hc_study *study;
} study_object;

static PyTypeObject *study_type;

static PyObject *study_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  const char *text, *name;
  Py_ssize_t size;
  PyObject *registry;
  hc_error e = {0};
  hc_rc rc;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!s#s", registry_type, &registry, &text, &size, &name)) return NULL;
  study_object *self = native_new(type);
  if (!self) return NULL;
  self->registry = (registry_object *)Py_NewRef(registry);
  rc = hc_study_parse(hc_default_allocator(), self->registry->registry, text, (size_t)size, name,
                      &self->study, &e);
  if (rc >= 0) return (PyObject *)self;
  Py_DECREF((PyObject *)self);
  return native_failed(rc, &e);
}

static void study_dealloc(PyObject *o)
{
  study_object *self = (study_object *)o;
  hc_study_free(self->study);
  Py_XDECREF((PyObject *)self->registry);
  native_free(o);
}

static PyObject *study_facts(PyObject *o, PyObject *none)
{
  hc_study_facts f;
  PyObject *axes;
  (void)none;
  hc_study_facts_of(((study_object *)o)->study, &f);
  axes = PyDict_New();
  for (uint32_t a = 0; axes && a < f.axis_count; a++) {
    PyObject *labels = PyList_New(0);
    for (uint32_t k = 0; labels && k < f.axes[a].count; k++) {
      PyObject *label = PyUnicode_FromString(f.axes[a].labels[k]);
      if (!label || PyList_Append(labels, label) < 0) Py_CLEAR(labels);
      Py_XDECREF(label);
    }
    if (!labels || PyDict_SetItemString(axes, f.axes[a].name, labels) < 0) Py_CLEAR(axes);
    Py_XDECREF(labels);
  }
  return axes ? Py_BuildValue("{s:s,s:K,s:N}", "name", f.name ? f.name : "", "points",
                              (unsigned long long)f.points, "axes", axes)
              : NULL;
}

static PyObject *progress_of(const hc_study_progress *p)
{
  PyObject *failure = PyUnicode_DecodeUTF8(p->failure, (Py_ssize_t)strlen(p->failure), "replace");
  if (!failure) return NULL;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:N}", "points", (unsigned long long)p->points, "done",
                       (unsigned long long)p->done, "failed", (unsigned long long)p->failed, "crashed",
                       (unsigned long long)p->crashed, "late", (unsigned long long)p->late, "failure",
                       failure);
}

/* ^C, and a function of the caller's, stop it; what is done is kept. */
static bool tick(void *ctx, const hc_study_progress *p)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *tell = ctx, *said = NULL, *how;
  bool go_on = PyErr_CheckSignals() == 0;
  if (go_on && tell != Py_None) {
    how = progress_of(p);
    said = how ? PyObject_CallFunctionObjArgs(tell, how, NULL) : NULL;
    Py_XDECREF(how);
    go_on = said && said != Py_False;
    Py_XDECREF(said);
  }
  PyGILState_Release(gil);
  return go_on;
}

static PyObject *study_carry_out(PyObject *o, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"out", "jobs", "shard", "shards", "resume", "again", "retry", "tell", NULL};
  hc_study_carrying how = {0};
  unsigned long jobs = 0;
  unsigned long long shard = 0, shards = 0;
  int resume = 0, again = 0, retry = 0;
  PyObject *tell = Py_None;
  hc_study_progress p = {0};
  hc_error e = {0};
  hc_rc rc;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|kKKpppO", names, &how.out, &jobs, &shard, &shards,
                                   &resume, &again, &retry, &tell))
    return NULL;
  how.jobs = (uint32_t)jobs;
  how.shard = shard;
  how.shards = shards;
  how.resume = resume != 0;
  how.again = again != 0;
  how.retry = retry != 0;
  how.tick = tick;
  how.ctx = tell;
  Py_BEGIN_ALLOW_THREADS
  rc = hc_study_carry_out(((study_object *)o)->study, &how, &p, &e);
  Py_END_ALLOW_THREADS
  return rc < 0 ? native_failed(rc, &e) : progress_of(&p);
}

/* ---- what there is of one ---- */

/* merge_study(registry, out, paths) */
static PyObject *merge(PyObject *module, PyObject *args)
{
  const char *out;
  PyObject *registry, *list;
  hc_study_progress p = {0};
  hc_error e = {0};
  hc_rc rc = 0;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!sO!", registry_type, &registry, &out, &PyList_Type, &list)) return NULL;
  const Py_ssize_t n = PyList_Size(list);
  const char **paths = malloc(((size_t)n + 1) * sizeof *paths);
  if (!paths) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; rc == 0 && i < n; i++)
    if (!(paths[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) rc = HC_EUSAGE;
  if (rc == 0)
    rc = hc_study_merge(hc_default_allocator(), ((registry_object *)registry)->registry, paths, (size_t)n,
                        out, false, &p, &e);
  free(paths);
  return rc < 0 ? native_failed(rc, &e) : progress_of(&p);
}

static int fill_axes(columns_object *t, const hc_study_data *d)
{
  const char **labels = malloc((t->rows + 1) * sizeof *labels);
  int rc = labels ? 0 : (PyErr_NoMemory(), -1);
  for (uint32_t a = 0; rc == 0 && a < d->axis_count; a++) {
    for (size_t p = 0; p < t->rows; p++) labels[p] = d->axes[a].labels[d->level[p * d->axis_count + a]];
    rc = native_text_column(t, a, d->axes[a].name, labels);
  }
  free(labels);
  return rc;
}

static int fill_state(columns_object *t, size_t at, const hc_study_data *d)
{
  static const char *const words[] = {"open", "done", "failed", "crashed", "late"}; /* as hc_point_state */
  const char **texts = malloc((t->rows + 1) * sizeof *texts);
  int rc = texts ? 0 : (PyErr_NoMemory(), -1);
  for (size_t p = 0; rc == 0 && p < t->rows; p++) texts[p] = words[d->state[p]];
  if (rc == 0) rc = native_text_column(t, at, "state", texts);
  free(texts);
  return rc;
}

static int fill_figures(columns_object *t, size_t first, const hc_study_data *d)
{
  for (uint32_t f = 0; f < d->figure_count; f++) {
    if (!native_column(t, first + f, d->figures[f].name, COLUMN_REAL)) return -1;
    for (size_t p = 0; p < t->rows; p++) {
      t->columns[first + f].reals[p] = d->value[f][p];
      if (d->value[f][p] != d->value[f][p] && native_null(t, first + f, p) < 0) return -1;
    }
  }
  return 0;
}

/* study_table(path): a row for each point: its levels, its state, its figures */
static PyObject *table(PyObject *module, PyObject *path)
{
  const char *s = PyUnicode_AsUTF8AndSize(path, NULL);
  hc_study_data *d;
  hc_study_progress p;
  hc_error e = {0};
  hc_rc rc;
  (void)module;
  if (!s) return NULL;
  rc = hc_study_data_so_far(hc_default_allocator(), NULL, s, &d, &p, &e);
  if (rc < 0) return native_failed(rc, &e);
  columns_object *t = native_columns(d->axis_count + 1 + d->figure_count, (size_t)d->point_count);
  if (t && (fill_axes(t, d) < 0 || fill_state(t, d->axis_count, d) < 0 ||
            fill_figures(t, d->axis_count + 1, d) < 0))
    Py_CLEAR(t);
  hc_study_data_free(hc_default_allocator(), d);
  return (PyObject *)t;
}

static PyMethodDef methods[] = {
    {"facts", study_facts, METH_NOARGS, "Its name, its number of points, and its axes with their labels."},
    {"carry_out", (PyCFunction)(void (*)(void))study_carry_out, METH_VARARGS | METH_KEYWORDS,
     "Carry it out, or one of its shards. Returns how far it came."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, study_new},
                              {Py_tp_dealloc, study_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A study: Study(registry, text, name)."},
                              {0, NULL}};
static PyType_Spec spec = {"hindcast._native.Study", sizeof(study_object), 0, Py_TPFLAGS_DEFAULT, slots};

static PyMethodDef functions[] = {
    {"merge_study", merge, METH_VARARGS, "Write the store from the parts of shards: registry, out, paths."},
    {"study_table", table, METH_O, "A row for each point of a stored study: its levels, state and figures."},
    {NULL, NULL, 0, NULL}};

int native_add_study(PyObject *module)
{
  study_type = native_add_type(module, &spec);
  return study_type ? PyModule_AddFunctions(module, functions) : -1;
}
