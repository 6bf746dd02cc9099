/* metric.c -- metrics in Python: tasks(table) hears of tasks that have ended, in blocks; finish() says what
 * was found. */
#include "part.h"

struct hc_metric {
  born born;
  int64_t core_units;
  hc_time last;
};

static void fini(hc_metric *self)
{
  part_bury(self);
}

static hc_rc init(const hc_metric_context *c, const void *opts, hc_metric **out, hc_error *e)
{
  const hc_rc rc = part_bear(c->allocator, opts, (void **)out, e);
  if (rc < 0) return rc;
  (*out)->core_units = c->core_units;
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  columns_object *table = native_tasks(NULL, records, count, self->core_units);
  PyObject *done = table ? PyObject_CallMethod(self->born.self, "_hear_tasks", "O", (PyObject *)table) : NULL;
  hc_rc rc = 0;
  for (size_t i = 0; i < count; i++)
    if (records[i].end != HC_UNKNOWN && records[i].end > self->last) self->last = records[i].end;
  if (!done) rc = part_raised(&self->born, self->last, HC_EPOLICY);
  Py_XDECREF(done);
  Py_XDECREF((PyObject *)table);
  PyGILState_Release(gil);
  return rc;
}

/* ---- what it found: _found() gives (name, unit, number) and (table, key, name, unit, number) ---- */

static hc_rc tell(hc_findings *f, PyObject *row)
{
  const char *table, *name, *unit;
  PyObject *value;
  long long key;
  if (PyTuple_Size(row) == 3) {
    if (!PyArg_ParseTuple(row, "ssO", &name, &unit, &value)) return HC_EPOLICY;
    if (PyLong_Check(value)) return hc_find_count(f, name, unit, PyLong_AsLongLong(value));
    return hc_find_real(f, name, unit, PyFloat_AsDouble(value));
  }
  if (!PyArg_ParseTuple(row, "sLssO", &table, &key, &name, &unit, &value)) return HC_EPOLICY;
  return hc_find_cell(f, table, key, name, unit, PyFloat_AsDouble(value));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *list = PyObject_CallMethod(self->born.self, "_found", NULL);
  const Py_ssize_t n = list ? PyList_Size(list) : 0;
  hc_rc rc = list ? 0 : HC_EPOLICY;
  for (Py_ssize_t i = 0; rc >= 0 && i < n; i++) {
    rc = tell(f, PyList_GetItem(list, i));
    if (PyErr_Occurred()) rc = HC_EPOLICY;
  }
  rc = part_raised(&self->born, self->last, rc);
  Py_XDECREF(list);
  PyGILState_Release(gil);
  return rc;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  hc_rc rc = hc_visit_bytes(v, &self->last, sizeof self->last);
  return rc < 0 ? rc : part_visit(&self->born, v);
}

static void fill(part *p)
{
  hc_metric_type *t = &p->is.metric;
  t->init = init;
  t->tasks = part_has(p, "tasks") ? tasks : NULL;
  t->finish = finish;
  t->visit = visit;
  t->fini = fini;
}

const part_kind part_metric = {.word = "metric",
                               .kind = HC_KIND_METRIC,
                               .size = sizeof(hc_metric_type),
                               .fill = fill,
                               .own_size = sizeof(hc_metric)};
