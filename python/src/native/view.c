/* view.c -- the types View, Plan, Task and Queue: what a policy in Python asks and does.
 *
 * They are the tables of functions of hindcast/view.h under the same names, with tasks as objects: what is
 * asked about one task alone is an attribute of the task. A view and its plan are of use during one call, and
 * so are the tasks that it has shown; what outlives a call is a task's serial. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *view_type, *plan_type, *task_type, *queue_type;

typedef struct task_object {
  PyObject ob_base;
  view_object *of;
  uint64_t call;
  hc_task t;
} task_object;

typedef struct queue_object {
  PyObject ob_base;
  view_object *of;
  uint64_t call;
  hc_list_id list;
  hc_cursor at;
  hc_filter filter;
} queue_object;

/* ---- what may be asked now ---- */

/* Arguments are turned into numbers before this is asked: doing so may run Python that ends the call. */
view_object *native_open_view(PyObject *o)
{
  view_object *v = (view_object *)o;
  if (v->view) return v;
  PyErr_SetString(PyExc_RuntimeError, "a view is of use during the call that it was given to");
  return NULL;
}

static plan_object *open_plan(PyObject *o)
{
  plan_object *p = (plan_object *)o;
  if (p->plan) return p;
  PyErr_SetString(PyExc_RuntimeError, "a plan is of use during the call that it was given to");
  return NULL;
}

/* @return whether it is a task that this very call has shown */
int native_task_of(view_object *v, PyObject *o, hc_task *out)
{
  task_object *t = (task_object *)o;
  if (Py_TYPE(o) != task_type) {
    PyErr_Format(PyExc_TypeError, "a task of this view is wanted, not %R", o);
    return 0;
  }
  *out = t->t;
  if (t->of == v && t->call == v->call && v->view) return 1;
  PyErr_SetString(
      PyExc_RuntimeError,
      "a task is of use during the call that has shown it: keep its serial, and ask view.find(serial)");
  return 0;
}

PyObject *native_task(view_object *v, hc_task t)
{
  task_object *o;
  if (t == HC_NO_TASK) return Py_NewRef(Py_None);
  o = native_new(task_type);
  if (!o) return NULL;
  o->of = (view_object *)Py_NewRef((PyObject *)v);
  o->call = v->call;
  o->t = t;
  return (PyObject *)o;
}

static int to_time(PyObject *o, hc_time *out)
{
  if (o == Py_None) {
    *out = HC_NEVER;
    return 1;
  }
  *out = PyLong_AsLongLong(o);
  return !(*out == -1 && PyErr_Occurred());
}

/* ---- Task ---- */

static void task_dealloc(PyObject *o)
{
  Py_XDECREF((PyObject *)((task_object *)o)->of);
  native_free(o);
}

static view_object *view_of(PyObject *o, hc_task *t)
{
  view_object *v = ((task_object *)o)->of;
  return native_task_of(v, o, t) ? v : NULL;
}

#define TASK_ATTRIBUTE(name, call, convert) \
  static PyObject *task_##name(PyObject *o, void *none) \
  { \
    hc_task t; \
    view_object *v = view_of(o, &t); \
    (void)none; \
    return v ? convert(v->s->call(v->view, t)) : NULL; \
  }
TASK_ATTRIBUTE(serial, serial, PyLong_FromUnsignedLongLong)
TASK_ATTRIBUTE(waits, waits, PyBool_FromLong)
TASK_ATTRIBUTE(prefilled, prefilled, PyBool_FromLong)
TASK_ATTRIBUTE(units, units, PyLong_FromLongLong)
TASK_ATTRIBUTE(slots, slots, PyLong_FromLongLong)
TASK_ATTRIBUTE(estimate, estimate, native_time)
TASK_ATTRIBUTE(submitted, submitted, PyLong_FromLongLong)
TASK_ATTRIBUTE(not_before, not_before, PyLong_FromLongLong)
TASK_ATTRIBUTE(user, user, native_number)
TASK_ATTRIBUTE(job, job, native_number)
TASK_ATTRIBUTE(group, group, native_number)
TASK_ATTRIBUTE(queue, queue, native_number)
TASK_ATTRIBUTE(priority, priority, native_number)
TASK_ATTRIBUTE(started, started, native_time)
TASK_ATTRIBUTE(expected_end, expected_end, native_time)
TASK_ATTRIBUTE(leaves, leaves, native_time)
TASK_ATTRIBUTE(reserved, reserved, native_time)
TASK_ATTRIBUTE(fits, fits, PyBool_FromLong)
TASK_ATTRIBUTE(harmless, harmless, PyBool_FromLong)

static PyObject *task_rate(PyObject *o, void *none)
{
  hc_task t;
  view_object *v = view_of(o, &t);
  (void)none;
  return v ? PyFloat_FromDouble((double)v->s->rate(v->view, t) / (double)HC_RATE_ONE) : NULL;
}

static PyObject *task_sizes(PyObject *o, void *none)
{
  hc_task t;
  view_object *v = view_of(o, &t);
  int64_t least, most;
  (void)none;
  if (!v) return NULL;
  v->s->sizes(v->view, t, &least, &most);
  return Py_BuildValue("(LL)", (long long)least, (long long)most);
}

static PyObject *task_demand(PyObject *o, PyObject *dimension)
{
  hc_task t;
  const unsigned long d = PyLong_AsUnsignedLong(dimension);
  view_object *v = PyErr_Occurred() ? NULL : view_of(o, &t);
  if (!v) return NULL;
  if (d >= v->s->dimensions(v->view))
    return PyErr_Format(PyExc_IndexError, "the cell has no dimension %lu", d);
  return PyLong_FromLongLong(v->s->demand(v->view, t, (uint32_t)d));
}

/* [(host, slots, amounts)] */
static PyObject *task_held(PyObject *o, void *none)
{
  hc_task t;
  view_object *v = view_of(o, &t);
  const hc_holding *h;
  PyObject *list;
  (void)none;
  if (!v) return NULL;
  const size_t n = v->s->held(v->view, t, &h);
  list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *amounts = native_amounts(h[i].amount, v->s->dimensions(v->view));
    PyObject *row =
        amounts ? Py_BuildValue("(kkN)", (unsigned long)h[i].host, (unsigned long)h[i].slots, amounts) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *task_repr(PyObject *o)
{
  hc_task t;
  view_object *v = view_of(o, &t);
  if (v)
    return PyUnicode_FromFormat("<task %llu: %lld units>", (unsigned long long)v->s->serial(v->view, t),
                                (long long)v->s->units(v->view, t));
  PyErr_Clear();
  return PyUnicode_FromString("<task of a call that is over>");
}

static PyObject *task_compare(PyObject *a, PyObject *b, int how)
{
  const task_object *x = (task_object *)a, *y = (task_object *)b;
  if (Py_TYPE(b) != task_type || (how != Py_EQ && how != Py_NE)) return Py_NewRef(Py_NotImplemented);
  const int same = x->of == y->of && x->call == y->call && x->t == y->t;
  return PyBool_FromLong(how == Py_EQ ? same : !same);
}

static Py_hash_t task_hash(PyObject *o)
{
  return (Py_hash_t)((task_object *)o)->t;
}

#define ATTRIBUTE(name, doc) \
  { \
#name, task_##name, NULL, doc, NULL \
  }
static PyGetSetDef task_attributes[] = {
    ATTRIBUTE(serial, "Its name for ever: its rank of submission."),
    ATTRIBUTE(waits, "Whether it waits."),
    ATTRIBUTE(prefilled, "Whether it ran before the run began."),
    ATTRIBUTE(units, "Processors; on hosts, of the first dimension in all."),
    ATTRIBUTE(slots, "On a cell of hosts: of how many times its demand it is made; else 0."),
    ATTRIBUTE(estimate, "Run time that may be believed, ns; None: there is none."),
    ATTRIBUTE(submitted, "When it was submitted, ns."),
    ATTRIBUTE(not_before, "The earliest time at which it may start, ns."),
    ATTRIBUTE(user, "Number of its user; None: not known."),
    ATTRIBUTE(job, "The job that it belongs to (asks_jobs); None."),
    ATTRIBUTE(group, "Number of its group or account (asks_jobs); None."),
    ATTRIBUTE(queue, "Number of its queue or QOS (asks_jobs); None."),
    ATTRIBUTE(priority, "Its priority, as the log says; None."),
    ATTRIBUTE(started, "When it started, ns; None: it waits."),
    ATTRIBUTE(expected_end, "When it is expected to end, ns (needs_timeline)."),
    ATTRIBUTE(leaves, "When one that has been told to go will be stopped, ns; None: it has not been told."),
    ATTRIBUTE(reserved, "The start that it is promised, ns; None: none."),
    ATTRIBUTE(fits, "Whether it could start now."),
    ATTRIBUTE(harmless, "Whether its start now would leave every reservation possible (asks_harmless)."),
    ATTRIBUTE(rate, "Its rate, of its own; 0 while it is suspended; below 0: it does not run."),
    ATTRIBUTE(sizes, "The least and the most that it may be resized to."),
    ATTRIBUTE(held, "What it holds: [(host, slots, amounts)]."),
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef task_methods[] = {
    {"demand", task_demand, METH_O, "What each of its units or slots needs of a dimension."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot task_parts[] = {{Py_tp_dealloc, task_dealloc},
                                   {Py_tp_getset, task_attributes},
                                   {Py_tp_methods, task_methods},
                                   {Py_tp_repr, task_repr},
                                   {Py_tp_richcompare, task_compare},
                                   {Py_tp_hash, task_hash},
                                   {Py_tp_doc, "A task, as the call that shows it sees it."},
                                   {0, NULL}};
static PyType_Spec task_spec = {"hindcast._native.Task", sizeof(task_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, task_parts};

/* ---- Queue: an iterator ---- */

static void queue_dealloc(PyObject *o)
{
  Py_XDECREF((PyObject *)((queue_object *)o)->of);
  native_free(o);
}

static PyObject *queue_next(PyObject *o)
{
  queue_object *q = (queue_object *)o;
  hc_task t;
  if (!q->of->view || q->call != q->of->call) {
    PyErr_SetString(PyExc_RuntimeError, "a queue is of use during the call that has shown it");
    return NULL;
  }
  t = q->of->s->next(q->of->view, q->list, &q->at, &q->filter);
  return t == HC_NO_TASK ? NULL : native_task(q->of, t);
}

static PyObject *queue_itself(PyObject *o)
{
  return Py_NewRef(o);
}

static PyType_Slot queue_slots[] = {
    {Py_tp_dealloc, queue_dealloc},
    {Py_tp_iter, queue_itself},
    {Py_tp_iternext, queue_next},
    {Py_tp_doc, "Queued tasks one by one; those started meanwhile are skipped."},
    {0, NULL}};
static PyType_Spec queue_spec = {"hindcast._native.Queue", sizeof(queue_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, queue_slots};

/* ---- View ---- */

view_object *native_new_view(const hc_services *s)
{
  view_object *v = native_new(view_type);
  if (v) v->s = s;
  return v;
}

static void view_dealloc(PyObject *o)
{
  native_free(o);
}

#define VIEW_ATTRIBUTE(name, call, convert) \
  static PyObject *view_##name(PyObject *o, void *none) \
  { \
    view_object *v = native_open_view(o); \
    (void)none; \
    return v ? convert(v->s->call(v->view)) : NULL; \
  }
VIEW_ATTRIBUTE(now, now, PyLong_FromLongLong)
VIEW_ATTRIBUTE(queued, queued, PyLong_FromSize_t)
VIEW_ATTRIBUTE(dimensions, dimensions, PyLong_FromUnsignedLong)
VIEW_ATTRIBUTE(free_units, free_units, PyLong_FromLongLong)
VIEW_ATTRIBUTE(places_matter, places_matter, PyBool_FromLong)

static PyObject *view_why(PyObject *o, void *none)
{
  (void)none;
  return PyLong_FromUnsignedLong(((view_object *)o)->why.bits);
}

static PyObject *view_early_end(PyObject *o, void *none)
{
  (void)none;
  return PyBool_FromLong(((view_object *)o)->why.early_end);
}

static PyObject *view_host(PyObject *o, void *none)
{
  const view_object *v = (view_object *)o;
  (void)none;
  if (!(v->why.bits & HC_WHY_HEARTBEAT)) return Py_NewRef(Py_None);
  return PyLong_FromUnsignedLong(v->why.host);
}

static PyObject *view_task(PyObject *o, void *none)
{
  view_object *v = native_open_view(o);
  (void)none;
  return v ? native_task(v, v->why.task) : NULL;
}

static PyObject *view_running(PyObject *o, void *none)
{
  view_object *v = native_open_view(o);
  const hc_task *tasks;
  PyObject *list;
  (void)none;
  if (!v) return NULL;
  const size_t n = v->s->running(v->view, &tasks);
  list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *t = native_task(v, tasks[i]);
    if (!t || PyList_Append(list, t) < 0) Py_CLEAR(list);
    Py_XDECREF(t);
  }
  return list;
}

/* [(first, count)] of what this call may use; None: everything */
static PyObject *view_scope(PyObject *o, void *none)
{
  view_object *v = native_open_view(o);
  const hc_range *hosts;
  PyObject *list;
  (void)none;
  if (!v) return NULL;
  const size_t n = v->s->scope(v->view, &hosts);
  if (n == 0) return Py_NewRef(Py_None);
  list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *row = Py_BuildValue("(kk)", (unsigned long)hosts[i].first, (unsigned long)hosts[i].count);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *view_queue(PyObject *o, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"after", "max_units", "max_estimate", "or_units", "fits", "candidates", NULL};
  view_object *v = (view_object *)o;
  PyObject *after = Py_None, *max_units = Py_None, *max_estimate = Py_None;
  hc_filter filter = {INT64_MAX, HC_NEVER, 0, false};
  long long or_units = 0;
  int fits = 0, candidates = 0;
  hc_task t = HC_NO_TASK;
  queue_object *q;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOLpp", names, &after, &max_units, &max_estimate,
                                   &or_units, &fits, &candidates))
    return NULL;
  if (max_units != Py_None) filter.max_units = PyLong_AsLongLong(max_units);
  if (PyErr_Occurred() || !to_time(max_estimate, &filter.max_estimate) || !native_open_view(o)) return NULL;
  if (after != Py_None && !native_task_of(v, after, &t)) return NULL;
  filter.or_units = or_units;
  filter.fits = fits != 0;
  q = native_new(queue_type);
  if (!q) return NULL;
  q->of = (view_object *)Py_NewRef(o);
  q->call = v->call;
  q->list = candidates ? HC_LIST_CANDIDATES : HC_LIST_QUEUE;
  q->filter = filter;
  if (t != HC_NO_TASK) v->s->behind(v->view, q->list, t, &q->at);
  return (PyObject *)q;
}

static PyObject *view_find(PyObject *o, PyObject *serial)
{
  const unsigned long long s = PyLong_AsUnsignedLongLong(serial);
  view_object *v = PyErr_Occurred() ? NULL : native_open_view(o);
  if (!v) return NULL;
  return native_task(v, v->s->find(v->view, s));
}

static PyObject *view_random(PyObject *o, PyObject *args)
{
  view_object *v;
  unsigned long long entity, draw;
  if (!PyArg_ParseTuple(args, "KK", &entity, &draw) || !(v = native_open_view(o))) return NULL;
  return PyLong_FromUnsignedLongLong(v->s->random(v->view, entity, draw));
}

static PyObject *view_capacity(PyObject *o, PyObject *dimension)
{
  const unsigned long d = PyLong_AsUnsignedLong(dimension);
  view_object *v = PyErr_Occurred() ? NULL : native_open_view(o);
  if (!v) return NULL;
  if (d >= v->s->dimensions(v->view))
    return PyErr_Format(PyExc_IndexError, "the cell has no dimension %lu", d);
  return PyLong_FromLongLong(v->s->capacity(v->view, (uint32_t)d));
}

static PyObject *view_host_free(PyObject *o, PyObject *host)
{
  const unsigned long h = PyLong_AsUnsignedLong(host);
  const int64_t *capacity, *amounts;
  view_object *v = PyErr_Occurred() ? NULL : native_open_view(o);
  if (!v) return NULL;
  amounts = h > UINT32_MAX ? NULL : v->s->host_free(v->view, (uint32_t)h, &capacity);
  if (!amounts) return Py_NewRef(Py_None);
  const uint32_t n = v->s->dimensions(v->view);
  return Py_BuildValue("(NN)", native_amounts(amounts, n), native_amounts(capacity, n));
}

/* (at, spare); None: never */
static PyObject *view_earliest(PyObject *o, PyObject *args)
{
  view_object *v = (view_object *)o;
  PyObject *task, *from = NULL;
  hc_time at = 0;
  hc_task t;
  if (!PyArg_ParseTuple(args, "O|O", &task, &from) || (from && !to_time(from, &at)) || !native_open_view(o) ||
      !native_task_of(v, task, &t))
    return NULL;
  if (!from) at = v->s->now(v->view);
  const hc_slot slot = v->s->earliest(v->view, t, at);
  if (slot.at == HC_NEVER) return Py_NewRef(Py_None);
  return Py_BuildValue("(LL)", (long long)slot.at, (long long)slot.spare);
}

static PyObject *view_least_free(PyObject *o, PyObject *args)
{
  view_object *v;
  PyObject *from, *to;
  hc_time a, b;
  if (!PyArg_ParseTuple(args, "OO", &from, &to) || !to_time(from, &a) || !to_time(to, &b) ||
      !(v = native_open_view(o)))
    return NULL;
  return PyLong_FromLongLong(v->s->least_free(v->view, a, b));
}

/* The k-th queued task; None: there are fewer. */
static PyObject *view_queued_at(PyObject *o, PyObject *k)
{
  const size_t n = PyLong_AsSize_t(k);
  view_object *v = PyErr_Occurred() ? NULL : native_open_view(o);
  if (!v) return NULL;
  return native_task(v, v->s->queued_at(v->view, HC_LIST_QUEUE, n));
}

static PyObject *view_explain(PyObject *o, PyObject *args)
{
  view_object *v = native_open_view(o);
  PyObject *task;
  const char *text;
  hc_task t;
  if (!v || !PyArg_ParseTuple(args, "Os", &task, &text) || !native_task_of(v, task, &t)) return NULL;
  if (v->s->explaining(v->view)) v->s->explain(v->view, t, "%s", text);
  return Py_NewRef(Py_None);
}

#undef ATTRIBUTE
#define ATTRIBUTE(name, doc) \
  { \
#name, view_##name, NULL, doc, NULL \
  }
static PyGetSetDef view_attributes[] = {
    ATTRIBUTE(now, "The time, ns from the run's origin."),
    ATTRIBUTE(queued, "How many tasks wait and may start."),
    ATTRIBUTE(dimensions, "How many resources the cell has: 1 where it counts processors."),
    ATTRIBUTE(free_units, "Processors, or whole hosts, that nothing holds now."),
    ATTRIBUTE(places_matter, "Whether fitting is more than counting: ask task.harmless then."),
    ATTRIBUTE(running, "The running tasks, in the order of their expected end."),
    ATTRIBUTE(scope, "What this call may use: [(first host, count)]; None: everything."),
    ATTRIBUTE(why, "Why the policy is called: bits of hindcast.Why."),
    ATTRIBUTE(early_end, "Whether a task ended before its expected end, so that promises may improve."),
    ATTRIBUTE(host, "The host that reports; None: none does."),
    ATTRIBUTE(task, "The task that has arrived or ended, where the policy is called for each; None."),
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef view_methods[] = {
    {"queue", (PyCFunction)(void (*)(void))view_queue, METH_VARARGS | METH_KEYWORDS,
     "The queued tasks in their order: queue(after=None, max_units=None, max_estimate=None, or_units=0,\n"
     "fits=False, candidates=False). Those that have no more than max_units, and no longer estimate than\n"
     "max_estimate (ns) or no more units than or_units."},
    {"queued_at", view_queued_at, METH_O, "The k-th of the queued tasks, from 0; None: there are fewer."},
    {"observe", native_observe, METH_VARARGS,
     "What an agent sees: observe(tasks, mask, cell) fills buffers of float32 [rows, 6] (log10 of 1 + s\n"
     "waited and of the estimate, share of the machine, whether it fits, user, priority), int8 [rows + 1]\n"
     "(which fit; the last is 1) and float32 [2] (free share, log10 of 1 + queued tasks). Returns the\n"
     "number of the first task that fits; None: none does."},
    {"observe_hosts", native_observe_hosts, METH_VARARGS,
     "What an agent that places sees: observe_hosts(task, dealt, rows, mask, of) fills float32\n"
     "[hosts, 2 D + 3] (by dimension what is free and what the host has, of the most that a host has; speed,\n"
     "tasks on it, log10 of 1 + s until the last of them is believed to end), int8 [hosts] (which have room\n"
     "for one more slot) and float32 [D + 4] (a slot's need, alike; slots left; log10 of 1 + s waited, of the\n"
     "estimate, of 1 + queued tasks). dealt: int32 [hosts], slots that the task has been given. Returns how\n"
     "many have room."},
    {"machine", native_machine, METH_NOARGS,
     "Hosts and the names of their dimensions: (hosts, (\"cpu\", \"memory\", ...)); None: processors."},
    {"find", view_find, METH_O, "The task of a serial; None: it neither waits nor runs."},
    {"random", view_random, METH_VARARGS, "64 uniform bits, the same for the same (entity, draw)."},
    {"capacity", view_capacity, METH_O, "What the cell has of a dimension."},
    {"host_free", view_host_free, METH_O,
     "What is free on a host, and what it has, by dimension; None: no such host."},
    {"earliest", view_earliest, METH_VARARGS,
     "When a task could start, and how many units are left then: (ns, spare); None: never.\n"
     "earliest(task, from=now)"},
    {"least_free", view_least_free, METH_VARARGS, "Fewest units free at any time in [from, to)."},
    {"explain", view_explain, METH_VARARGS, "Say something of a task: `why` tells it."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot view_slots[] = {{Py_tp_dealloc, view_dealloc},
                                   {Py_tp_getset, view_attributes},
                                   {Py_tp_methods, view_methods},
                                   {Py_tp_doc, "What a policy may see, during one call."},
                                   {0, NULL}};
static PyType_Spec view_spec = {"hindcast._native.View", sizeof(view_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots};

/* ---- Plan ---- */

plan_object *native_new_plan(view_object *of)
{
  plan_object *p = native_new(plan_type);
  if (p) p->of = (view_object *)Py_NewRef((PyObject *)of);
  return p;
}

static void plan_dealloc(PyObject *o)
{
  plan_object *p = (plan_object *)o;
  free(p->marks);
  Py_XDECREF((PyObject *)p->of);
  native_free(o);
}

static PyObject *done(hc_rc rc, const char *what)
{
  hc_error e = {0};
  if (rc >= 0) return Py_NewRef(Py_None);
  (void)PyOS_snprintf(e.where, sizeof e.where, "plan.%s", what);
  (void)PyOS_snprintf(e.text, sizeof e.text, "%s", "the view does not allow it now");
  return native_failed(rc, &e);
}

static int read_range(PyObject *pair, unsigned long *first, unsigned long *count)
{
  PyObject *a, *b;
  if (!PyArg_ParseTuple(pair, "OO", &a, &b)) return 0;
  *first = PyLong_AsUnsignedLong(a);
  *count = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLong(b);
  return !PyErr_Occurred();
}

/* Ranges out of a list of hosts, or of (first, count). @return how many, -1 with an exception */
static Py_ssize_t ranges_of(PyObject *list, hc_range **out)
{
  const Py_ssize_t n = PySequence_Size(list);
  *out = n < 0 ? NULL : malloc(((size_t)n + 1) * sizeof **out);
  if (n < 0) return -1;
  if (!*out) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *x = PySequence_GetItem(list, i);
    unsigned long first = 0, count = 1;
    int ok = x != NULL;
    if (ok && PyTuple_Check(x)) ok = read_range(x, &first, &count);
    else if (ok) first = PyLong_AsUnsignedLong(x);
    Py_XDECREF(x);
    if (ok && !PyErr_Occurred() && (first > UINT32_MAX || count > UINT32_MAX))
      PyErr_SetString(PyExc_ValueError, "there is no such host");
    if (!ok || PyErr_Occurred()) {
      free(*out);
      return -1;
    }
    (*out)[i] = (hc_range){(uint32_t)first, (uint32_t)count};
  }
  return n;
}

static PyObject *plan_start(PyObject *o, PyObject *const *args, Py_ssize_t n)
{
  plan_object *p;
  hc_range *ranges = NULL;
  Py_ssize_t count = 0;
  hc_task t;
  hc_rc rc;
  if (n < 1 || n > 2) return PyErr_Format(PyExc_TypeError, "start(task, hosts=None)");
  if (n == 2 && args[1] != Py_None && (count = ranges_of(args[1], &ranges)) < 0) return NULL;
  p = open_plan(o);
  if (!p || !native_task_of(p->of, args[0], &t)) {
    free(ranges);
    return NULL;
  }
  rc = p->of->s->start(p->plan, t, ranges, (size_t)count);
  free(ranges);
  return done(rc, "start");
}

/* start_dealt(task, dealt): int32 [hosts], how many slots each of them gets */
static PyObject *plan_start_dealt(PyObject *o, PyObject *args)
{
  PyObject *task, *dealt;
  plan_object *p;
  size_t count = 0;
  Py_buffer b;
  hc_task t;
  hc_rc rc;
  if (!PyArg_ParseTuple(args, "OO", &task, &dealt)) return NULL;
  if (!native_room_of(dealt, &b, sizeof(int32_t))) return NULL;
  const size_t hosts = (size_t)b.len / sizeof(int32_t);
  const int32_t *slots = b.buf;
  hc_host_room *rooms = (p = open_plan(o)) ? malloc((hosts + 1) * sizeof *rooms) : NULL;
  if (p && !rooms) PyErr_NoMemory();
  const bool ok = rooms && native_task_of(p->of, task, &t);
  for (size_t h = 0; ok && h < hosts; h++)
    if (slots[h] > 0) rooms[count++] = (hc_host_room){(uint32_t)h, (uint32_t)slots[h]};
  rc = ok ? p->of->s->start_dealt(p->plan, t, rooms, count) : 0;
  free(rooms);
  PyBuffer_Release(&b);
  return ok ? done(rc, "start_dealt") : NULL;
}

static PyObject *plan_start_heads(PyObject *o, PyObject *none)
{
  plan_object *p = open_plan(o);
  hc_task blocked;
  (void)none;
  if (!p) return NULL;
  const hc_rc rc = p->of->s->start_heads(p->plan, &blocked);
  return rc < 0 ? done(rc, "start_heads") : native_task(p->of, blocked);
}

#define PLAN_OF_TASK(name) \
  static PyObject *plan_##name(PyObject *o, PyObject *task) \
  { \
    plan_object *p = open_plan(o); \
    hc_task t; \
    return p && native_task_of(p->of, task, &t) ? done(p->of->s->name(p->plan, t), #name) : NULL; \
  }
PLAN_OF_TASK(unreserve)
PLAN_OF_TASK(suspend)
PLAN_OF_TASK(resume)

#define PLAN_AT(name) \
  static PyObject *plan_##name(PyObject *o, PyObject *args) \
  { \
    plan_object *p; \
    long long at; \
    PyObject *task; \
    hc_task t; \
    if (!PyArg_ParseTuple(args, "OL", &task, &at)) return NULL; \
    if (!(p = open_plan(o)) || !native_task_of(p->of, task, &t)) return NULL; \
    return done(p->of->s->name(p->plan, t, at), #name); \
  }
PLAN_AT(reserve)
PLAN_AT(reserve_hosts)

static PyObject *plan_unreserve_all(PyObject *o, PyObject *none)
{
  plan_object *p = open_plan(o);
  (void)none;
  return p ? done(p->of->s->unreserve_all(p->plan), "unreserve_all") : NULL;
}

static PyObject *plan_reject(PyObject *o, PyObject *args)
{
  plan_object *p = open_plan(o);
  const char *reason;
  PyObject *task;
  hc_task t;
  if (!p || !PyArg_ParseTuple(args, "Os", &task, &reason) || !native_task_of(p->of, task, &t)) return NULL;
  return done(p->of->s->reject(p->plan, t, reason), "reject");
}

static PyObject *plan_wake(PyObject *o, PyObject *at)
{
  const long long when = PyLong_AsLongLong(at);
  plan_object *p = PyErr_Occurred() ? NULL : open_plan(o);
  if (!p) return NULL;
  return done(p->of->s->wake(p->plan, when), "wake");
}

/* stop(task, how="requeue", grace=0, every=0, overhead=0) */
static PyObject *plan_stop(PyObject *o, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"task", "how", "grace", "every", "overhead", NULL};
  static const char *const words[] = {"requeue", "kill", "checkpoint"}; /* in the order of hc_stop */
  plan_object *p;
  const char *how = "requeue";
  long long grace = 0, every = 0, overhead = 0;
  PyObject *task;
  hc_task t;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|sLLL", names, &task, &how, &grace, &every, &overhead) ||
      !(p = open_plan(o)) || !native_task_of(p->of, task, &t))
    return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], how) == 0) {
      const hc_stopping stopping = {(hc_stop)i, grace, every, overhead};
      return done(p->of->s->stop(p->plan, t, &stopping), "stop");
    }
  return PyErr_Format(PyExc_ValueError, "how: one of requeue, kill, checkpoint, not %s", how);
}

static PyObject *plan_set_rate(PyObject *o, PyObject *args)
{
  plan_object *p;
  PyObject *task;
  double rate;
  hc_task t;
  if (!PyArg_ParseTuple(args, "Od", &task, &rate) || !(p = open_plan(o)) || !native_task_of(p->of, task, &t))
    return NULL;
  if (!(rate >= 0 && rate <= 1000)) return PyErr_Format(PyExc_ValueError, "a rate is from 0 to 1000");
  return done(p->of->s->set_rate(p->plan, t, (int64_t)(rate * (double)HC_RATE_ONE + 0.5)), "set_rate");
}

static PyObject *plan_resize(PyObject *o, PyObject *args)
{
  plan_object *p;
  PyObject *task;
  long long size;
  hc_task t;
  if (!PyArg_ParseTuple(args, "OL", &task, &size) || !(p = open_plan(o)) || !native_task_of(p->of, task, &t))
    return NULL;
  return done(p->of->s->resize(p->plan, t, size, NULL, 0), "resize");
}

static PyObject *plan_power(PyObject *o, PyObject *args)
{
  plan_object *p;
  PyObject *which;
  unsigned long host;
  int on;
  long long takes;
  if (!PyArg_ParseTuple(args, "OpL", &which, &on, &takes)) return NULL;
  host = PyLong_AsUnsignedLong(which);
  if (PyErr_Occurred() || !(p = open_plan(o))) return NULL;
  if (host > UINT32_MAX) return PyErr_Format(PyExc_ValueError, "there is no such host");
  return done(p->of->s->power(p->plan, (uint32_t)host, on != 0, takes), "power");
}

/* Marks are numbers of this call: what Python holds cannot be another plan's. */
static PyObject *plan_mark(PyObject *o, PyObject *none)
{
  plan_object *p = open_plan(o);
  (void)none;
  if (!p) return NULL;
  hc_plan_mark *more = realloc(p->marks, (p->mark_count + 1) * sizeof *more);
  if (!more) return PyErr_NoMemory();
  p->marks = more;
  p->marks[p->mark_count] = p->of->s->mark(p->plan);
  return PyLong_FromSize_t(p->mark_count++);
}

static PyObject *plan_take_back(PyObject *o, PyObject *mark)
{
  const size_t k = PyLong_AsSize_t(mark);
  plan_object *p = PyErr_Occurred() ? NULL : open_plan(o);
  if (!p) return NULL;
  if (k >= p->mark_count)
    return PyErr_Format(PyExc_ValueError, "this plan has no mark %zu, or was taken back past it", k);
  p->mark_count = k + 1;
  return done(p->of->s->take_back(p->plan, &p->marks[k]), "take_back");
}

static PyMethodDef plan_methods[] = {
    {"start", (PyCFunction)(void (*)(void))plan_start, METH_FASTCALL,
     "Start a waiting task now: start(task, hosts=None). hosts: a list of them, or of (first, count); None:\n"
     "the configured placement chooses. Drops its reservation."},
    {"start_dealt", plan_start_dealt, METH_VARARGS,
     "Start a waiting task on a cell of hosts: start_dealt(task, dealt), a buffer of int32 [hosts] with the\n"
     "number of its slots that each host gets."},
    {"start_heads", plan_start_heads, METH_NOARGS,
     "Start from the head of the queue until a task does not fit, which is returned; None: none waits."},
    {"reserve", plan_reserve, METH_VARARGS,
     "Promise a task a start: reserve(task, at) (makes_reservations)."},
    {"reserve_hosts", plan_reserve_hosts, METH_VARARGS,
     "The same on the very hosts that the placement would choose then (makes_reservations, asks_harmless)."},
    {"unreserve", plan_unreserve, METH_O, "Take a task's reservation back."},
    {"unreserve_all", plan_unreserve_all, METH_NOARGS, "Take all reservations back."},
    {"reject", plan_reject, METH_VARARGS, "Give a task up: reject(task, reason)."},
    {"wake", plan_wake, METH_O, "Call the policy again at a time, ns."},
    {"stop", (PyCFunction)(void (*)(void))plan_stop, METH_VARARGS | METH_KEYWORDS,
     "Stop a running task: stop(task, how=\"requeue\", grace=0, every=0, overhead=0); how: requeue, kill or\n"
     "checkpoint (may_preempt)."},
    {"set_rate", plan_set_rate, METH_VARARGS,
     "Let a task work at another rate: set_rate(task, 0.5) (sets_rates)."},
    {"suspend", plan_suspend, METH_O,
     "A running task gives back what it holds, and keeps its place (sets_rates)."},
    {"resume", plan_resume, METH_O, "It takes again what it held (sets_rates)."},
    {"resize", plan_resize, METH_VARARGS,
     "A running task has another size: resize(task, size) (may_resize)."},
    {"power", plan_power, METH_VARARGS, "Switch a host on or off: power(host, on, takes) (may_power)."},
    {"mark", plan_mark, METH_NOARGS, "Where the plan stands, for take_back."},
    {"take_back", plan_take_back, METH_O, "Undo what was planned since a mark."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot plan_slots[] = {{Py_tp_dealloc, plan_dealloc},
                                   {Py_tp_methods, plan_methods},
                                   {Py_tp_doc, "What a policy decides, applied to its view at once."},
                                   {0, NULL}};
static PyType_Spec plan_spec = {"hindcast._native.Plan", sizeof(plan_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, plan_slots};

int native_add_view(PyObject *module)
{
  task_type = native_add_type(module, &task_spec);
  queue_type = task_type ? native_add_type(module, &queue_spec) : NULL;
  view_type = queue_type ? native_add_type(module, &view_spec) : NULL;
  plan_type = view_type ? native_add_type(module, &plan_spec) : NULL;
  return plan_type ? 0 : -1;
}
