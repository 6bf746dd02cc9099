/* order.c -- orders in Python: key(task), an int of 64 bits or a float. */
#include "part.h"

typedef struct order_input {
  PyObject ob_base;
  const hc_order_input *of; /* NULL: no call is under way */
} order_input;

static PyTypeObject *input_type;

struct hc_policy {
  born born;
  PyObject *key;
  order_input *input;
};

static int made(void *o)
{
  hc_policy *self = o;
  self->key = PyObject_GetAttrString(self->born.self, "key");
  self->input = self->key ? native_new(input_type) : NULL;
  return self->input ? 0 : -1;
}

static void drop(void *o)
{
  hc_policy *self = o;
  Py_XDECREF(self->key);
  Py_XDECREF((PyObject *)self->input);
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

/* A key cannot fail: the run ends soon after. */
static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  int64_t out = 0;
  if (!native_has_kept()) {
    self->input->of = task;
    PyObject *value = PyObject_CallFunctionObjArgs(self->key, (PyObject *)self->input, NULL);
    self->input->of = NULL;
    if (value && PyFloat_Check(value)) out = hc_key_of_real(PyFloat_AsDouble(value));
    else if (value) out = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) (void)part_raised(&self->born, task->now, 0);
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

const part_kind part_order = {"order", HC_KIND_ORDER, sizeof(hc_order_type), NULL, 0, fill};

/* ---- what an order sees ---- */

static const hc_order_input *input_of(PyObject *o)
{
  const hc_order_input *x = ((order_input *)o)->of;
  if (!x) PyErr_SetString(PyExc_RuntimeError, "what an order is given is of use during the call");
  return x;
}

#define INPUT(name, convert) \
  static PyObject *input_##name(PyObject *o, void *none) \
  { \
    const hc_order_input *x = input_of(o); \
    (void)none; \
    return x ? convert(x->name) : NULL; \
  }
INPUT(serial, PyLong_FromUnsignedLongLong)
INPUT(units, PyLong_FromLongLong)
INPUT(procs, PyFloat_FromDouble)
INPUT(user, part_number)
INPUT(group, part_number)
INPUT(queue, part_number)
INPUT(priority, part_number)
INPUT(partition, part_number)
INPUT(executable, part_number)
INPUT(job, part_number)
INPUT(submitted, PyLong_FromLongLong)
INPUT(eligible, PyLong_FromLongLong)
INPUT(estimate, part_time)
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

static void input_dealloc(PyObject *o)
{
  native_free(o);
}

static PyType_Slot input_slots[] = {{Py_tp_dealloc, input_dealloc},
                                    {Py_tp_getset, input_attributes},
                                    {Py_tp_doc, "A task that an order gives a key."},
                                    {0, NULL}};
static PyType_Spec input_spec = {"hindcast._native.Ordered", sizeof(order_input), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, input_slots};

int native_add_order(PyObject *module)
{
  input_type = native_add_type(module, &input_spec);
  return input_type ? 0 : -1;
}
