/* place.c -- placements in Python: score(host), and the host that scores highest gets the task's next slot,
 * of equal ones the lowest. Where processors are counted, or have names alone, the lowest that are free. */
#include "part.h"

static PyTypeObject *host_type;

struct hc_policy {
  born born;
};

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return part_bear(c->allocator, opts, (void **)out, e);
}

static void fini(hc_policy *self)
{
  part_bury(self);
}

/* A score cannot fail: the run ends soon after. */
static double score(void *ctx, const hc_host_view *h)
{
  hc_policy *self = ctx;
  PyGILState_STATE gil = PyGILState_Ensure();
  double out = 0;
  if (!native_has_kept()) {
    PyObject *value = part_show(&self->born, (void *)(uintptr_t)h);
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

const part_kind part_place = {.word = "place",
                              .kind = HC_KIND_PLACE,
                              .size = sizeof(hc_place_type),
                              .fill = fill,
                              .own_size = sizeof(hc_policy),
                              .method = "score",
                              .shows = &host_type};

/* ---- the host ---- */

#define HOST(name, convert) \
  static PyObject *host_##name(PyObject *o, void *none) \
  { \
    const hc_host_view *h = part_shown(o); \
    (void)none; \
    return h ? convert(h->name) : NULL; \
  }
HOST(host, PyLong_FromUnsignedLong)
HOST(class_id, PyLong_FromUnsignedLong)
HOST(speed, PyFloat_FromDouble)
HOST(now, PyLong_FromLongLong)
HOST(estimate, native_time)
HOST(window, native_time)

#define AMOUNTS(name) \
  static PyObject *host_##name(PyObject *o, void *none) \
  { \
    const hc_host_view *h = part_shown(o); \
    (void)none; \
    return h ? native_amounts(h->name, h->dimensions) : NULL; \
  }
AMOUNTS(need)
AMOUNTS(free)
AMOUNTS(capacity)

static PyObject *host_load(PyObject *o, void *none)
{
  const hc_host_view *h = part_shown(o);
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

int native_add_place(PyObject *module)
{
  host_type = part_add_shown(module, "hindcast._native.Host", "A host that fits, for one slot of a task.",
                             attributes);
  return host_type ? 0 : -1;
}
