/* order.c -- orders in Python: key(task), an int of 64 bits or a float. */
#include "part.h"

static PyTypeObject *input_type;

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

/* A key cannot fail: the run ends soon after. */
static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  born *b = (born *)(uintptr_t)&self->born; /* which keeps what is shown */
  PyGILState_STATE gil = PyGILState_Ensure();
  int64_t out = 0;
  if (!native_has_kept()) {
    PyObject *value = part_show(b, (void *)(uintptr_t)task);
    if (value && PyFloat_Check(value)) out = hc_key_of_real(PyFloat_AsDouble(value));
    else if (value) out = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) (void)part_raised(b, task->now, 0);
    Py_XDECREF(value);
  }
  PyGILState_Release(gil);
  return out;
}

static uint32_t flags(const void *opts)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  const part *p = part_of(opts);
  const uint32_t out = p ? p->flags : 0;
  PyGILState_Release(gil);
  return out;
}

static void fill(part *p)
{
  hc_order_type *t = &p->is.order;
  t->flags = flags;
  t->init = init;
  t->key = key;
  t->fini = fini;
}

const part_kind part_order = {.word = "order",
                              .kind = HC_KIND_ORDER,
                              .size = sizeof(hc_order_type),
                              .fill = fill,
                              .own_size = sizeof(hc_policy),
                              .method = "key",
                              .shows = &input_type};

/* ---- what an order sees ---- */

#define INPUT(name, convert) \
  static PyObject *input_##name(PyObject *o, void *none) \
  { \
    const hc_order_input *x = part_shown(o); \
    (void)none; \
    return x ? convert(x->name) : NULL; \
  }
INPUT(serial, PyLong_FromUnsignedLongLong)
INPUT(units, PyLong_FromLongLong)
INPUT(procs, PyFloat_FromDouble)
INPUT(user, native_number)
INPUT(group, native_number)
INPUT(queue, native_number)
INPUT(priority, native_number)
INPUT(partition, native_number)
INPUT(executable, native_number)
INPUT(job, native_number)
INPUT(submitted, PyLong_FromLongLong)
INPUT(eligible, PyLong_FromLongLong)
INPUT(estimate, native_time)
INPUT(now, PyLong_FromLongLong)

#define ATTRIBUTE(name, doc) \
  { \
#name, input_##name, NULL, doc, NULL \
  }
static PyGetSetDef input_attributes[] = {
    ATTRIBUTE(serial, "Its name for ever: its rank of submission."),
    ATTRIBUTE(units, "Processors; on hosts, of the first dimension in all."),
    ATTRIBUTE(procs, "The same as processors: on a cell of hosts cores."),
    ATTRIBUTE(user, "Number of its user; None."),
    ATTRIBUTE(group, "Number of its group or account; None."),
    ATTRIBUTE(queue, "Number of its queue or QOS; None."),
    ATTRIBUTE(priority, "Its priority, as the log says; None."),
    ATTRIBUTE(partition, "Number of its partition; None."),
    ATTRIBUTE(executable, "Number of its program or job name; None."),
    ATTRIBUTE(job, "The job that it belongs to; None."),
    ATTRIBUTE(submitted, "When it was submitted, ns."),
    ATTRIBUTE(eligible, "Since when it may start, ns."),
    ATTRIBUTE(estimate, "Run time that may be believed, ns; None."),
    ATTRIBUTE(now, "The time, ns: for orders that vary."),
    {NULL, NULL, NULL, NULL, NULL}};

int native_add_order(PyObject *module)
{
  input_type = part_add_shown(module, "hindcast._native.Ordered", "A task that an order gives a key.",
                              input_attributes);
  return input_type ? 0 : -1;
}
