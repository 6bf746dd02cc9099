/* source.c -- sources in Python: an iterator of jobs, each a dict.
 *
 * Where such a source stands is how many jobs it has yielded: a run that is restored makes the object anew
 * and passes over as many, so that an object has to yield the same each time. */
#include "part.h"

#include <string.h>

struct hc_source {
  born born;
  hc_source_context context;
  PyObject *jobs; /* the iterator */
  hc_task_spec spec;
  hc_trace_info info;
  uint64_t yielded;
};

static int begin(hc_source *self)
{
  PyObject *all = PyObject_CallFunctionObjArgs(self->born.method, NULL);
  Py_XDECREF(self->jobs);
  self->jobs = all ? PyObject_GetIter(all) : NULL;
  Py_XDECREF(all);
  self->yielded = 0;
  return self->jobs ? 0 : -1;
}

static int made(void *o)
{
  hc_source *self = o;
  PyObject *n = PyObject_GetAttrString(self->born.self, "processors"), *start = NULL;
  if (n) start = PyObject_GetAttrString(self->born.self, "unix_start");
  self->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  if (n && n != Py_None) self->info.processors = PyLong_AsLongLong(n);
  if (start && start != Py_None) self->info.unix_start = PyLong_AsLongLong(start);
  Py_XDECREF(n);
  Py_XDECREF(start);
  return PyErr_Occurred() ? -1 : begin(self);
}

static void drop(void *o)
{
  Py_XDECREF(((hc_source *)o)->jobs);
}

static void close_source(hc_source *self)
{
  part_bury(self);
}

static hc_rc open_source(const hc_source_context *c, const void *opts, hc_source **out, hc_error *e)
{
  const hc_rc rc = part_bear(c->allocator, opts, (void **)out, e);
  if (rc < 0) return rc;
  (*out)->context = *c;
  return 0;
}

/* ---- a job out of a dict ---- */

typedef enum field_kind { FIELD_TIME, FIELD_NUMBER, FIELD_NAME, FIELD_NEED } field_kind;

static const struct {
  const char *name;
  field_kind kind;
  size_t offset;
  int which; /* hc_called of a NAME, dimension of a NEED */
} fields[] = {
#define SPEC(member) offsetof(hc_task_spec, member)
    {"id", FIELD_NUMBER, SPEC(id), 0},
    {"submit", FIELD_TIME, SPEC(submit), 0},
    {"wait", FIELD_TIME, SPEC(wait), 0},
    {"run", FIELD_TIME, SPEC(run), 0},
    {"limit", FIELD_TIME, SPEC(limit), 0},
    {"not_before", FIELD_TIME, SPEC(not_before), 0},
    {"processors", FIELD_NUMBER, SPEC(procs_asked), 0},
    {"priority", FIELD_NUMBER, SPEC(priority), 0},
    {"job", FIELD_NUMBER, SPEC(job), 0},
    {"hosts", FIELD_NUMBER, SPEC(hosts), 0},
    {"user", FIELD_NAME, SPEC(user), HC_CALLED_USER},
    {"group", FIELD_NAME, SPEC(group), HC_CALLED_GROUP},
    {"executable", FIELD_NAME, SPEC(executable), HC_CALLED_EXECUTABLE},
    {"queue", FIELD_NAME, SPEC(queue), HC_CALLED_QUEUE},
    {"partition", FIELD_NAME, SPEC(partition), HC_CALLED_PARTITION},
    {"cpu", FIELD_NEED, 0, HC_DIM_CPU},
    {"memory", FIELD_NEED, 0, HC_DIM_MEMORY},
    {"disk", FIELD_NEED, 0, HC_DIM_DISK},
    {"gpu", FIELD_NEED, 0, HC_DIM_GPU}};

static int64_t *member(hc_task_spec *t, size_t offset)
{
  return (int64_t *)(void *)((char *)t + offset);
}

/* A text is a name, which gets a number of its own; cores and GPUs may be fractions. */
static hc_rc read_field(hc_source *self, size_t k, PyObject *value)
{
  hc_task_spec *t = &self->spec;
  if (value == Py_None) return 0;
  if (fields[k].kind == FIELD_NAME && PyUnicode_Check(value)) {
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize(value, &n);
    PyObject *number =
        s ? PyObject_CallMethod(self->born.self, "_number", "iO", fields[k].which, value) : NULL;
    hc_rc rc = HC_EINPUT;
    if (number) {
      *member(t, fields[k].offset) = PyLong_AsLongLong(number);
      rc = self->context.lexicon ? hc_lexicon_call(self->context.lexicon, (hc_called)fields[k].which,
                                                   *member(t, fields[k].offset), s, (size_t)n)
                                 : 0;
    }
    Py_XDECREF(number);
    return rc;
  }
  if (fields[k].kind != FIELD_NEED) *member(t, fields[k].offset) = PyLong_AsLongLong(value);
  else if (fields[k].which == HC_DIM_CPU || fields[k].which == HC_DIM_GPU) {
    const double n = PyFloat_AsDouble(value);
    if (!PyErr_Occurred() && !(n >= 0 && n <= 1e12))
      PyErr_Format(PyExc_ValueError, "%s: a number from 0 to 1e12 is wanted, not %R", fields[k].name, value);
    else t->need[fields[k].which] = (int64_t)(n * 1000 + 0.5);
  } else t->need[fields[k].which] = PyLong_AsLongLong(value);
  return PyErr_Occurred() ? HC_EINPUT : 0;
}

/* @return 0; with an exception HC_EINPUT */
static hc_rc read_job(hc_source *self, PyObject *job)
{
  Py_ssize_t at = 0;
  PyObject *key, *value;
  self->spec = hc_task_spec_none();
  self->spec.line = self->yielded + 1;
  self->spec.id = (int64_t)self->yielded + 1;
  if (!PyDict_Check(job))
    return (void)PyErr_Format(PyExc_TypeError, "a job is a dict, not %R", job), HC_EINPUT;
  while (PyDict_Next(job, &at, &key, &value)) {
    const char *s = PyUnicode_AsUTF8AndSize(key, NULL);
    size_t k = 0;
    hc_rc rc;
    while (s && k < sizeof fields / sizeof *fields && strcmp(fields[k].name, s) != 0) k++;
    if (!s) return HC_EINPUT;
    if (k == sizeof fields / sizeof *fields)
      return (void)PyErr_Format(PyExc_KeyError, "job %lld: there is no field %s", (long long)self->spec.id,
                                s),
             HC_EINPUT;
    Py_INCREF(value); /* the dict is the user's, and what reads it may change it */
    rc = read_field(self, k, value);
    Py_DECREF(value);
    if (rc < 0) return rc;
  }
  if (self->spec.submit != HC_UNKNOWN && self->spec.run != HC_UNKNOWN) return 0;
  PyErr_Format(PyExc_ValueError, "job %lld: it has no submit or no run", (long long)self->spec.id);
  return HC_EINPUT;
}

static hc_rc next_job(hc_source *self, hc_job *job, hc_error *e)
{
  part_enters(&self->born);
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *o = PyIter_Next(self->jobs);
  hc_rc rc = 0;
  if (o) rc = read_job(self, o);
  if (PyErr_Occurred()) {
    char what[200];
    rc = hc_fail(e, HC_EINPUT, self->born.part->is.component.name, 0, 0,
                 "its class raised an exception at job %llu: %s", (unsigned long long)self->yielded + 1,
                 part_exception(what, sizeof what));
    (void)part_raised(&self->born, self->spec.submit == HC_UNKNOWN ? 0 : self->spec.submit, rc);
  }
  if (rc >= 0 && o) {
    self->yielded++;
    if (self->context.ledger) self->context.ledger->read++;
    *job = (hc_job){&self->spec, 1};
    rc = 1;
  }
  Py_XDECREF(o);
  PyGILState_Release(gil);
  return rc;
}

static const hc_trace_info *info(hc_source *self)
{
  return &self->info;
}

static hc_rc visit(hc_source *self, hc_visitor *v, hc_error *e)
{
  uint64_t stands = self->yielded;
  hc_rc rc = hc_visit_bytes(v, &stands, sizeof stands);
  if (rc < 0 || !hc_visit_loading(v)) return rc;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (begin(self) < 0) rc = HC_EINPUT;
  while (rc >= 0 && self->yielded < stands) {
    PyObject *o = PyIter_Next(self->jobs);
    if (o) rc = read_job(self, o); /* so that names get the numbers that they had */
    else
      rc = hc_fail(e, HC_EINPUT, self->born.part->is.component.name, 0, 0,
                   "it yields fewer jobs than when the state was saved");
    Py_XDECREF(o);
    self->yielded++;
  }
  rc = part_raised(&self->born, 0, rc);
  PyGILState_Release(gil);
  return rc;
}

static void fill(part *p)
{
  hc_reader_type *t = &p->is.reader;
  t->open = open_source;
  t->next = next_job;
  t->info = info;
  t->visit = visit;
  t->close = close_source;
}

const part_kind part_source = {.word = "source",
                               .kind = HC_KIND_READER,
                               .size = sizeof(hc_reader_type),
                               .fill = fill,
                               .own_size = sizeof(hc_source),
                               .method = "jobs",
                               .made = made,
                               .drop = drop};
