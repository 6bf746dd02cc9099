/* place.c -- placements in Python: score(host), and the host that scores highest gets the task's next slot,
 * of equal ones the lowest. Where processors are counted, or have names alone, the lowest that are free. */
#include "part.h"

typedef struct host_object { /* a host that fits, for one slot of a task */
  PyObject ob_base;
  const hc_host_view *of; /* NULL: no call is under way */
} host_object;

static PyTypeObject *host_type;

struct hc_policy {
  born born;
  PyObject *score;
  host_object *host;
};

static int made(void *o)
{
  hc_policy *self = o;
  self->score = PyObject_GetAttrString(self->born.self, "score");
  self->host = self->score ? native_new(host_type) : NULL;
  return self->host ? 0 : -1;
}

static void drop(void *o)
{
  hc_policy *self = o;
  Py_XDECREF(self->score);
  Py_XDECREF((PyObject *)self->host);
}

static void fini(hc_policy *self)
{
  part_bury(self, drop);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  void *self;
  const hc_rc rc = part_bear(c->allocator, opts, sizeof **out, made, &self, e);
  if (rc < 0) part_bury(self, drop);
  else *out = self;
  return rc;
}

/* A score cannot fail: the run ends soon after. */
static double score(void *ctx, const hc_host_view *h)
{
  hc_policy *self = ctx;
  PyGILState_STATE gil = PyGILState_Ensure();
  double out = 0;
  if (!native_has_kept()) {
    self->host->of = h;
    PyObject *value = PyObject_CallFunctionObjArgs(self->score, (PyObject *)self->host, NULL);
    self->host->of = NULL;
    if (value) out = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) (void)part_raised(&self->born, h->now, 0);
    Py_XDECREF(value);
  }
  PyGILState_Release(gil);
  return out;
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  (void)opts;
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = self, .score = score, .reads_load = true};
}

static size_t place(const void *opts, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t n = 0;
  (void)opts;
  for (size_t i = 0; left > 0 && i < in->free_count; i++) {
    const int64_t take = in->free[i].count < left ? in->free[i].count : left;
    out[n++] = (hc_range){in->free[i].first, (uint32_t)take};
    left -= take;
  }
  return left > 0 ? 0 : n;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return part_visit(&self->born, v);
}

static void fill(part *p)
{
  hc_place_type *t = &p->is.place;
  t->place = place;
  t->chooser = chooser;
  t->init = init;
  t->visit = visit;
  t->fini = fini;
}

const part_kind part_place = {"place", HC_KIND_PLACE, sizeof(hc_place_type), NULL, 0, fill};

/* ---- the host ---- */

static const hc_host_view *host_of(PyObject *o)
{
  const hc_host_view *h = ((host_object *)o)->of;
  if (!h) PyErr_SetString(PyExc_RuntimeError, "what a placement is given is of use during the call");
  return h;
}

#define HOST(name, convert) \
  static PyObject *host_##name(PyObject *o, void *none) \
  { \
    const hc_host_view *h = host_of(o); \
    (void)none; \
    return h ? convert(h->name) : NULL; \
  }
HOST(host, PyLong_FromUnsignedLong)
HOST(class_id, PyLong_FromUnsignedLong)
HOST(speed, PyFloat_FromDouble)
HOST(now, PyLong_FromLongLong)
HOST(estimate, part_time)
HOST(window, part_time)

static PyObject *amounts(const int64_t *of, uint32_t n)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)n);
  for (uint32_t d = 0; tuple && d < n; d++) {
    PyObject *x = PyLong_FromLongLong(of[d]);
    if (!x || PyTuple_SetItem(tuple, (Py_ssize_t)d, x) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

#define AMOUNTS(name) \
  static PyObject *host_##name(PyObject *o, void *none) \
  { \
    const hc_host_view *h = host_of(o); \
    (void)none; \
    return h ? amounts(h->name, h->dimensions) : NULL; \
  }
AMOUNTS(need)
AMOUNTS(free)
AMOUNTS(capacity)

static PyObject *host_load(PyObject *o, void *none)
{
  const hc_host_view *h = host_of(o);
  (void)none;
  if (!h) return NULL;
  PyObject *tuple = PyTuple_New((Py_ssize_t)h->dimensions);
  for (uint32_t d = 0; tuple && d < h->dimensions; d++) {
    PyObject *x = PyFloat_FromDouble(h->load ? h->load[d] : 0);
    if (!x || PyTuple_SetItem(tuple, (Py_ssize_t)d, x) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

#define ATTRIBUTE(name, doc) \
  { \
#name, host_##name, NULL, doc, NULL \
  }
static PyGetSetDef attributes[] = {
    ATTRIBUTE(host, "Its number."),
    ATTRIBUTE(class_id, "The number of its class."),
    ATTRIBUTE(need, "What the slot needs, by the cell's dimensions: thousandths of a core, bytes ..."),
    ATTRIBUTE(free, "What is free before it is placed; at least that."),
    ATTRIBUTE(capacity, "What the host has."),
    ATTRIBUTE(load, "Local load of each, from 0 to 1."),
    ATTRIBUTE(speed, "The speed of its class."),
    ATTRIBUTE(now, "The time, ns."),
    ATTRIBUTE(estimate, "Run time of the task that may be believed, at speed 1, ns; None."),
    ATTRIBUTE(window, "How long until it is reserved for another task, ns; None: it is not."),
    {NULL, NULL, NULL, NULL, NULL}};

static void host_dealloc(PyObject *o)
{
  native_free(o);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, host_dealloc},
                              {Py_tp_getset, attributes},
                              {Py_tp_doc, "A host that fits, for one slot of a task."},
                              {0, NULL}};
static PyType_Spec type = {"hindcast._native.Host", sizeof(host_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int native_add_place(PyObject *module)
{
  host_type = native_add_type(module, &type);
  return host_type ? 0 : -1;
}
