/* run.c -- the type Run: a simulation that is made, carried on, saved, forked and hashed. */
#include "native.h"

#define SLICE 4096 /* instants between two looks at Python's signals */

PyTypeObject *run_type;

/* ---- birth ---- */

static run_object *alloc_run(PyTypeObject *type, config_object *config)
{
  run_object *self = native_new(type);
  if (self) self->config = (config_object *)Py_NewRef((PyObject *)config);
  return self;
}

/* With the store's path or NULL; restored from a snapshot if there is one. */
static PyObject *make(PyTypeObject *type, config_object *config, const char *path, const hc_snapshot *from)
{
  const hc_allocator *a = hc_default_allocator();
  run_object *self = alloc_run(type, config);
  hc_error e = {0};
  hc_rc rc;
  if (!self) return NULL;
  Py_BEGIN_ALLOW_THREADS
  rc = hc_config_resolve(config->config, &e);
  if (rc >= 0) rc = hc_config_protect(config->config, path, &e);
  if (rc >= 0) rc = hc_store_new(a, path, &self->store, &e);
  if (rc >= 0 && from) rc = hc_run_restore(a, config->config, self->store, from, &self->run, &e);
  else if (rc >= 0) rc = hc_run_new(a, config->config, self->store, &self->run, &e);
  Py_END_ALLOW_THREADS
  if (rc >= 0) return (PyObject *)self;
  Py_DECREF(self);
  return native_failed(rc, &e);
}

static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"config", "path", "snapshot", NULL};
  const char *path = NULL, *data = NULL;
  Py_ssize_t size = 0;
  PyObject *config;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|zz#", names, config_type, &config, &path, &data, &size))
    return NULL;
  hc_snapshot s = {(void *)(uintptr_t)data, (size_t)size};
  return make(type, (config_object *)config, path, data ? &s : NULL);
}

/* The view and the plan that were shown are of use no more. */
static void hide(run_object *self)
{
  if (self->view) self->view->view = NULL;
  if (self->plan) self->plan->plan = NULL;
}

static void run_dealloc(PyObject *o)
{
  run_object *self = (run_object *)o;
  hide(self); /* the caller may have kept them */
  Py_XDECREF((PyObject *)self->plan);
  Py_XDECREF((PyObject *)self->view);
  hc_run_free(self->run);
  hc_store_free(self->store);
  Py_XDECREF((PyObject *)self->config);
  native_free(o);
}

/* @return the run, if no other thread carries it on, and no call of it is under way: each call that may
 * run a component of Python, as `decide` and `snapshot` do, makes it busy meanwhile */
static run_object *idle(PyObject *o)
{
  run_object *self = (run_object *)o;
  if (!self->busy) return self;
  PyErr_SetString(PyExc_RuntimeError, "another thread carries this run on, or one of its components asks it");
  return NULL;
}

/* The view and the plan are of use until the plan is handed in. */
static int show(run_object *self, const hc_decision *d)
{
  if (!self->view) self->view = native_new_view(d->services);
  if (self->view && !self->plan) self->plan = native_new_plan(self->view);
  if (!self->plan) return -1;
  self->view->s = d->services;
  self->view->cell = d->context->cell;
  self->view->view = d->view;
  self->view->why = d->why;
  self->view->call++;
  self->plan->plan = d->plan;
  self->plan->mark_count = 0;
  return 0;
}

/* A call of the library that says nothing but whether it failed, without the lock. @return None */
static PyObject *ask(PyObject *o, hc_rc (*call)(run_object *self, hc_error *e))
{
  run_object *self = idle(o);
  hc_error e = {0};
  hc_rc rc;
  if (!self) return NULL;
  self->busy = 1;
  Py_BEGIN_ALLOW_THREADS
  rc = call(self, &e);
  Py_END_ALLOW_THREADS
  self->busy = 0;
  return rc < 0 ? native_failed(rc, &e) : Py_NewRef(Py_None);
}

/* ---- going on ---- */

static uint64_t instants_of(const run_object *self)
{
  hc_progress p;
  hc_run_progress(self->run, &p);
  return p.instants;
}

/* In slices, so that ^C ends it: it can go on afterwards.
 * @return 1, 0, or an error; -100: an exception is set */
static hc_rc advance(run_object *self, hc_time until, uint64_t instants, hc_error *e)
{
  const uint64_t begun = instants_of(self);
  hc_rc rc = 1;
  while (rc == 1) {
    const uint64_t before = instants_of(self), done = before - begun;
    const uint64_t slice = instants > 0 && instants - done < SLICE ? instants - done : SLICE;
    Py_BEGIN_ALLOW_THREADS
    rc = hc_run_advance(self->run, until, slice, e);
    Py_END_ALLOW_THREADS
    if (rc >= 0 && PyErr_CheckSignals() < 0) return -100;
    if (rc >= 0 && native_has_kept()) rc = HC_EPOLICY; /* of an order, whose keys cannot fail */
    if (instants_of(self) - before < slice || (instants > 0 && done + slice >= instants)) break;
  }
  return rc;
}

static PyObject *run_advance(PyObject *o, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"until", "instants", NULL};
  run_object *self;
  long long until = HC_NEVER;
  unsigned long long instants = 0;
  hc_error e = {0};
  hc_rc rc;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|LK", names, &until, &instants) || !(self = idle(o)))
    return NULL;
  hide(self);
  self->busy = 1;
  rc = advance(self, until, instants, &e);
  self->busy = 0;
  if (rc == -100) return NULL;
  return rc < 0 ? native_failed(rc, &e) : PyBool_FromLong(rc == 1);
}

/* ---- plans from outside ---- */

/* (view, plan) where a plan is wanted; True: not until then, but there is more; False: the run is over */
static PyObject *run_wait_decision(PyObject *o, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"until", NULL};
  run_object *self;
  long long until = HC_NEVER;
  hc_error e = {0};
  hc_decision d;
  hc_rc rc;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|L", names, &until) || !(self = idle(o))) return NULL;
  hide(self);
  self->busy = 1;
  Py_BEGIN_ALLOW_THREADS
  rc = hc_run_wait_decision(self->run, until, &d, &e);
  Py_END_ALLOW_THREADS
  self->busy = 0;
  if (rc >= 0 && native_has_kept()) rc = HC_EPOLICY;
  if (rc < 0) return native_failed(rc, &e);
  if (rc != HC_RUN_DECISION) return PyBool_FromLong(rc == HC_RUN_MORE);
  if (show(self, &d) < 0) return NULL;
  return Py_BuildValue("(OO)", (PyObject *)self->view, (PyObject *)self->plan);
}

static hc_rc decide(run_object *self, hc_error *e)
{
  return hc_run_decide(self->run, e);
}

static hc_rc decide_by_policy(run_object *self, hc_error *e)
{
  return hc_run_decide_by_policy(self->run, e);
}

static PyObject *run_decide(PyObject *o, PyObject *none)
{
  (void)none;
  if (!idle(o)) return NULL;
  hide((run_object *)o);
  return ask(o, decide);
}

static PyObject *run_decide_by_policy(PyObject *o, PyObject *none)
{
  (void)none;
  if (!idle(o)) return NULL;
  hide((run_object *)o);
  return ask(o, decide_by_policy);
}

static hc_rc finish(run_object *self, hc_error *e)
{
  return hc_run_finish(self->run, e);
}

static PyObject *run_finish(PyObject *o, PyObject *none)
{
  (void)none;
  return ask(o, finish);
}

static hc_rc commit(run_object *self, hc_error *e)
{
  const hc_rc rc = hc_store_commit(self->store, e);
  self->committed = 1;
  return rc;
}

static PyObject *run_commit(PyObject *o, PyObject *none)
{
  (void)none;
  return ask(o, commit);
}

static PyObject *run_cancel(PyObject *o, PyObject *none)
{
  (void)none;
  hc_run_cancel(((run_object *)o)->run);
  return Py_NewRef(Py_None);
}

/* ---- what it says ---- */

static PyObject *run_progress(PyObject *o, PyObject *none)
{
  run_object *self = idle(o);
  hc_progress p;
  (void)none;
  if (!self) return NULL;
  hc_run_progress(self->run, &p);
  return Py_BuildValue("{s:L,s:N,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "now", (long long)p.now, "unix_start",
                       native_time(p.unix_start), "submitted", (unsigned long long)p.submitted, "started",
                       (unsigned long long)p.started, "ended", (unsigned long long)p.ended, "waiting",
                       (unsigned long long)p.waiting, "running", (unsigned long long)p.running, "instants",
                       (unsigned long long)p.instants, "decisions", (unsigned long long)p.decisions, "read",
                       (unsigned long long)p.source_done, "to_read", (unsigned long long)p.source_total);
}

static PyObject *run_digest(PyObject *o, PyObject *none)
{
  run_object *self = idle(o);
  char text[33];
  hc_error e = {0};
  hc_rc rc;
  (void)none;
  if (!self) return NULL;
  self->busy = 1;
  rc = hc_run_digest(self->run, text, &e);
  self->busy = 0;
  return rc < 0 ? native_failed(rc, &e) : PyUnicode_FromString(text);
}

static PyObject *run_snapshot(PyObject *o, PyObject *none)
{
  run_object *self = idle(o);
  hc_snapshot s;
  hc_error e = {0};
  PyObject *out;
  hc_rc rc;
  (void)none;
  if (!self) return NULL;
  self->busy = 1;
  rc = hc_run_snapshot(self->run, &s, &e);
  self->busy = 0;
  if (rc < 0) return native_failed(rc, &e);
  out = PyBytes_FromStringAndSize(s.data, (Py_ssize_t)s.size);
  hc_snapshot_free(hc_default_allocator(), &s);
  return out;
}

static void hear_why(void *ctx, const hc_why_record *w)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *text = PyUnicode_DecodeUTF8(w->text, (Py_ssize_t)strlen(w->text), "replace");
  PyObject *row = text ? Py_BuildValue("(LO)", (long long)w->time, text) : NULL;
  if (!row || PyList_Append(ctx, row) < 0) PyErr_Clear(); /* one line less: a story is no result */
  Py_XDECREF(row);
  Py_XDECREF(text);
  PyGILState_Release(gil);
}

/* The story of one task goes to a list, which the caller keeps alive. */
static PyObject *run_explain(PyObject *o, PyObject *args)
{
  run_object *self = idle(o);
  unsigned long long serial;
  PyObject *list;
  if (!self || !PyArg_ParseTuple(args, "KO!", &serial, &PyList_Type, &list)) return NULL;
  hc_rc rc = hc_run_explain(self->run, serial, hear_why, list);
  return rc < 0 ? native_failed(rc, &(hc_error){0}) : Py_NewRef(Py_None);
}

static PyObject *run_result(PyObject *o, PyObject *none)
{
  run_object *self = idle(o);
  hc_error e = {0};
  hc_result *r;
  hc_rc rc;
  (void)none;
  if (!self) return NULL;
  if (self->committed) return PyErr_Format(PyExc_RuntimeError, "the store is a file now: open that");
  rc = hc_result_of_store(self->store, &r, &e);
  return rc < 0 ? native_failed(rc, &e) : native_result(self->config->registry, self, r);
}

static PyMethodDef methods[] = {
    {"advance", (PyCFunction)(void (*)(void))run_advance, METH_VARARGS | METH_KEYWORDS,
     "Go on until a time (ns), or for so many instants, or to the end. Returns whether there is more to do."},
    {"wait_decision", (PyCFunction)(void (*)(void))run_wait_decision, METH_VARARGS | METH_KEYWORDS,
     "Go on until a plan is wanted: (view, plan). True: not until then; False: the run is over."},
    {"decide", run_decide, METH_NOARGS, "Hand the plan in."},
    {"decide_by_policy", run_decide_by_policy, METH_NOARGS, "Let the run's own policy decide this once."},
    {"finish", run_finish, METH_NOARGS, "Close the ledgers and write the figures; at the end."},
    {"commit", run_commit, METH_NOARGS, "Bring the store's file to disk under its name."},
    {"cancel", run_cancel, METH_NOARGS, "Stop: the advance that is under way raises Error. From any thread."},
    {"progress", run_progress, METH_NOARGS, "How far it has come."},
    {"digest", run_digest, METH_NOARGS, "Checksum of the state."},
    {"snapshot", run_snapshot, METH_NOARGS, "The whole state, as bytes."},
    {"explain", run_explain, METH_VARARGS, "Append (time, text) of what is said of a task to a list."},
    {"result", run_result, METH_NOARGS, "What its store holds."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, run_new},
                              {Py_tp_dealloc, run_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A simulation."},
                              {0, NULL}};
static PyType_Spec spec = {"hindcast._native.Run", sizeof(run_object), 0, Py_TPFLAGS_DEFAULT, slots};

int native_add_run(PyObject *module)
{
  run_type = native_add_type(module, &spec);
  return run_type ? 0 : -1;
}
