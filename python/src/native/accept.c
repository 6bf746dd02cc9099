/* accept.c -- controllers in Python: accepts(offer) says whether a host is taken that a policy which shares
 * offers, noted(offer, started) hears what became of it, and forget(user) that a user has no task left.
 *
 * An answer cannot fail: after an exception every offer is taken until the run ends, which is at the next
 * offer that is told of. */
#include <math.h>

#include "part.h"

static PyTypeObject *offer_type;

struct hc_policy {
  born born;
  const hc_services *s;
  PyObject *noted, *forget; /* NULL: it does not hear of that */
};

/* What an offer's attributes are read from. */
typedef struct told {
  const hc_offer *o;
  const hc_services *s;
} told;

static int made(void *o)
{
  struct hc_policy *self = o;
  const part *p = self->born.part;
  if (part_has(p, "noted") && !(self->noted = PyObject_GetAttrString(self->born.self, "noted"))) return -1;
  if (part_has(p, "forget") && !(self->forget = PyObject_GetAttrString(self->born.self, "forget"))) return -1;
  return 0;
}

static void drop(void *o)
{
  struct hc_policy *self = o;
  Py_XDECREF(self->noted);
  Py_XDECREF(self->forget);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_rc rc = part_bear(c->allocator, opts, (void **)out, e);
  if (rc < 0) return rc;
  (*out)->s = c->services;
  return 0;
}

static void fini(hc_policy *self)
{
  part_bury(self);
}

static bool accepts(hc_policy *self, const hc_offer *offer)
{
  told x = {offer, self->s};
  PyGILState_STATE gil = PyGILState_Ensure();
  bool out = true;
  if (!native_has_kept()) {
    PyObject *said = part_show(&self->born, &x);
    if (said) out = PyObject_IsTrue(said) != 0;
    if (PyErr_Occurred()) (void)part_raised(&self->born, offer->now, 0);
    Py_XDECREF(said);
  }
  PyGILState_Release(gil);
  return out;
}

static hc_rc noted(hc_policy *self, const hc_offer *offer, bool started)
{
  told x = {offer, self->s};
  PyGILState_STATE gil = PyGILState_Ensure();
  hc_rc rc = native_has_kept() ? HC_EPOLICY : 0;
  if (rc >= 0 && self->noted) {
    self->born.shown->of = &x;
    PyObject *said =
        PyObject_CallFunction(self->noted, "OO", (PyObject *)self->born.shown, started ? Py_True : Py_False);
    self->born.shown->of = NULL;
    if (!said) rc = part_raised(&self->born, offer->now, HC_EPOLICY);
    Py_XDECREF(said);
  }
  PyGILState_Release(gil);
  return rc;
}

/* It cannot fail, either. */
static void forget(hc_policy *self, uint32_t user)
{
  if (!self->forget) return;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!native_has_kept()) {
    PyObject *said = PyObject_CallFunction(self->forget, "k", (unsigned long)user);
    if (!said) (void)part_raised(&self->born, 0, 0);
    Py_XDECREF(said);
  }
  PyGILState_Release(gil);
}

/* What it answers depends on what it remembers: no offer may be left out as one in vain. */
static uint32_t flags(const void *opts)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  const part *p = part_of(opts);
  const uint32_t out = (p ? p->flags : 0) | HC_TIME_DEPENDENT;
  PyGILState_Release(gil);
  return out;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return part_visit(&self->born, v);
}

static void fill(part *p)
{
  hc_accept_type *t = &p->is.accept;
  t->flags = flags;
  t->init = init;
  t->accepts = accepts;
  t->noted = noted;
  t->forget = forget;
  t->visit = visit;
  t->fini = fini;
}

const part_kind part_accept = {.word = "accept",
                               .kind = HC_KIND_ACCEPT,
                               .size = sizeof(hc_accept_type),
                               .fill = fill,
                               .own_size = sizeof(hc_policy),
                               .method = "accepts",
                               .shows = &offer_type,
                               .made = made,
                               .drop = drop};

/* ---- the offer ---- */

#define OFFER(name, value) \
  static PyObject *offer_##name(PyObject *o, void *none) \
  { \
    const told *x = part_shown(o); \
    (void)none; \
    return x ? (value) : NULL; \
  }
#define OF_TASK(service) x->s->service(x->o->view, x->o->task)
OFFER(member, PyLong_FromUnsignedLong(x->o->user))
OFFER(host, PyLong_FromUnsignedLong(x->o->host))
OFFER(now, PyLong_FromLongLong(x->o->now))
OFFER(round, PyLong_FromUnsignedLong(x->o->round))
OFFER(forced, PyBool_FromLong(x->o->is_forced))
OFFER(need, native_amounts(x->o->need, x->o->dimensions))
OFFER(free, native_amounts(x->o->free, x->o->dimensions))
OFFER(capacity, native_amounts(x->o->capacity, x->o->dimensions))
OFFER(serial, PyLong_FromUnsignedLongLong(OF_TASK(serial)))
OFFER(slots, PyLong_FromLongLong(OF_TASK(slots)))
OFFER(user, native_number(OF_TASK(user)))
OFFER(group, native_number(OF_TASK(group)))
OFFER(job, native_number(OF_TASK(job)))
OFFER(priority, native_number(OF_TASK(priority)))
OFFER(submitted, PyLong_FromLongLong(OF_TASK(submitted)))
OFFER(estimate, native_time(OF_TASK(estimate)))
OFFER(queued, PyLong_FromSize_t(x->s->queued(x->o->view)))

#define ATTRIBUTE(name, doc) \
  { \
#name, offer_##name, NULL, doc, NULL \
  }
static PyGetSetDef attributes[] = {
    ATTRIBUTE(member,
              "Number of the user or operation that is asked, from 0 in the order in which they came."),
    ATTRIBUTE(host, "The host that is offered."),
    ATTRIBUTE(now, "The time, ns."),
    ATTRIBUTE(round, "0; 1: it is asked again, since all have refused."),
    ATTRIBUTE(forced, "In `noted`: the task starts without having been asked about."),
    ATTRIBUTE(need,
              "What a slot of its task needs, by the cell's dimensions: thousandths of a core, bytes ..."),
    ATTRIBUTE(free, "What is free on the host before the task is placed."),
    ATTRIBUTE(capacity, "What the whole cell has."),
    ATTRIBUTE(serial, "Serial of the task."),
    ATTRIBUTE(slots, "Of how many times its need the task is made."),
    ATTRIBUTE(user, "Number of the task's user; None."),
    ATTRIBUTE(group, "Number of its group or account (asks_jobs); None."),
    ATTRIBUTE(job, "The job that it belongs to (asks_jobs); None."),
    ATTRIBUTE(priority, "Its priority, as the log says; None."),
    ATTRIBUTE(submitted, "When it was submitted, ns."),
    ATTRIBUTE(estimate, "Run time that may be believed, ns (needs_estimate); None."),
    ATTRIBUTE(queued, "How many tasks are queued."),
    {NULL, NULL, NULL, NULL, NULL}};

/* ---- offers that are remembered ---- */

/* How badly a task and what is free of the cell go together: (1 - cos) |free| / |need|, as shares, as the
 * packing `angle_length` of the library has it. */
static double measure(const hc_offer *o, const int64_t *free)
{
  double dot = 0, d = 0, f = 0;
  for (uint32_t r = 0; r < o->dimensions; r++) {
    if (o->capacity[r] <= 0) continue;
    const double need = (double)o->need[r] / (double)o->capacity[r];
    const double left = (double)free[r] / (double)o->capacity[r];
    dot += need * left;
    d += need * need;
    f += left * left;
  }
  if (!(d > 0)) return 0;
  if (!(f > 0)) return (double)INFINITY;
  const double cosine = dot / sqrt(d * f);
  return (1 - (cosine < 1.0 ? cosine : 1.0)) * sqrt(f / d);
}

static bool would_fit(const hc_offer *o, const int64_t *free)
{
  for (uint32_t r = 0; r < o->dimensions; r++)
    if (o->need[r] > free[r]) return false;
  return true;
}

/* better(at, free, since, absolute, relative): int64 [n] and [n, dimensions] */
static PyObject *offer_better(PyObject *self, PyObject *args)
{
  PyObject *when, *amounts;
  double absolute, relative;
  long long since;
  Py_buffer at, free;
  const told *x = part_shown(self);
  if (!x || !PyArg_ParseTuple(args, "OOLdd", &when, &amounts, &since, &absolute, &relative)) return NULL;
  if (!native_room_of(when, &at, sizeof(int64_t))) return NULL;
  if (!native_room_of(amounts, &free, sizeof(int64_t))) {
    PyBuffer_Release(&at);
    return NULL;
  }
  const size_t n = (size_t)at.len / sizeof(int64_t);
  const int64_t *row = free.buf;
  const double now = measure(x->o, x->o->free);
  long count = 0;
  const bool fits = (size_t)free.len == n * x->o->dimensions * sizeof(int64_t);
  for (size_t i = 0; fits && i < n; i++, row += x->o->dimensions) {
    if (((const int64_t *)at.buf)[i] < since || !would_fit(x->o, row)) continue;
    const double then = measure(x->o, row);
    count += then < now - absolute && then < now / relative;
  }
  PyBuffer_Release(&free);
  PyBuffer_Release(&at);
  return fits ? PyLong_FromLong(count)
              : PyErr_Format(PyExc_ValueError, "amounts of another shape are wanted");
}

static PyMethodDef better = {
    "better", offer_better, METH_VARARGS,
    "How many of the offers of times `at` (int64 [n], ns, from `since` on) with the amounts `free` (int64\n"
    "[n, dimensions]) on which the task would have fitted were better: better(at, free, since, absolute,\n"
    "relative)."};

int native_add_accept(PyObject *module)
{
  PyObject *method;
  offer_type =
      part_add_shown(module, "hindcast._native.Offer", "A host that is offered for a task.", attributes);
  method = offer_type ? PyDescr_NewMethod(offer_type, &better) : NULL;
  if (!method || PyObject_SetAttrString((PyObject *)offer_type, better.ml_name, method) < 0)
    offer_type = NULL;
  Py_XDECREF(method);
  return offer_type ? 0 : -1;
}
