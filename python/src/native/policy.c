/* policy.c -- policies in Python: decide(view, plan), and on_task(event, view, task, amounts). */
#include "part.h"

struct hc_policy {
  born born;
  const hc_services *s;
  PyObject *on_task; /* NULL: it does not follow tasks */
  view_object *view;
  plan_object *plan;
};

static int made(void *o)
{
  hc_policy *self = o;
  if (self->born.part->is.policy.on_task_event) {
    self->on_task = PyObject_GetAttrString(self->born.self, "on_task");
    if (!self->on_task) return -1;
  }
  self->view = native_new_view(NULL);
  self->plan = self->view ? native_new_plan(self->view) : NULL;
  return self->plan ? 0 : -1;
}

static void drop(void *o)
{
  hc_policy *self = o;
  Py_XDECREF(self->on_task);
  Py_XDECREF((PyObject *)self->view);
  Py_XDECREF((PyObject *)self->plan);
}

static void fini(hc_policy *self)
{
  part_bury(self);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_rc rc = part_bear(c->allocator, opts, (void **)out, e);
  if (rc < 0) return rc;
  (*out)->s = c->services;
  (*out)->view->s = c->services;
  (*out)->view->cell = c->cell;
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *done;
  hc_rc rc = 0;
  self->view->view = v;
  self->view->call++;
  self->view->why = *why;
  self->plan->plan = p;
  self->plan->mark_count = 0;
  done =
      PyObject_CallFunctionObjArgs(self->born.method, (PyObject *)self->view, (PyObject *)self->plan, NULL);
  if (!done) rc = part_raised(&self->born, self->s->now(v), HC_EPOLICY);
  Py_XDECREF(done);
  self->view->view = NULL;
  self->plan->plan = NULL;
  PyGILState_Release(gil);
  return rc;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  static const char *const words[] = {"queued", "dequeued", "allocated", "released"}; /* as hc_task_event */
  PyGILState_STATE gil = PyGILState_Ensure();
  hc_view *before = self->view->view; /* an action of `decide` may have led here */
  hc_plan *plan = self->plan->plan;
  PyObject *task, *list, *done = NULL;
  hc_rc rc = 0;
  self->plan->plan = NULL; /* what it does now is not done yet */
  self->view->view = (hc_view *)(uintptr_t)v;
  if (!before) self->view->call++;
  task = native_task(self->view, t);
  list = amounts ? native_amounts(amounts, self->s->dimensions(v)) : Py_NewRef(Py_None);
  if (task && list)
    done = PyObject_CallFunction(self->on_task, "sOOO", words[what], (PyObject *)self->view, task, list);
  if (!done) rc = part_raised(&self->born, self->s->now(v), HC_EPOLICY);
  Py_XDECREF(done);
  Py_XDECREF(list);
  Py_XDECREF(task);
  self->view->view = before;
  self->plan->plan = plan;
  PyGILState_Release(gil);
  return rc;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return part_visit(&self->born, v);
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  PyGILState_STATE gil = PyGILState_Ensure();
  const part *p = part_of(o);
  const hc_order_type *order = (const hc_order_type *)(const void *)o->order.type;
  uint32_t out = p ? p->flags : 0;
  PyGILState_Release(gil);
  if (order && order->flags) out |= order->flags(o->order.options);
  return out;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->order = &o->order;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

static void fill(part *p)
{
  hc_policy_type *t = &p->is.policy;
  t->flags = flags;
  t->parts = parts;
  t->init = init;
  t->decide = decide;
  t->visit = visit;
  t->fini = fini;
  t->on_task_event = part_has(p, "on_task") ? on_task_event : NULL;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "Order in which the queue is shown."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Processors that a start takes if the plan names none."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always", "Hosts that may be used now.")};

const part_kind part_policy = {.word = "policy",
                               .kind = HC_KIND_POLICY,
                               .size = sizeof(hc_policy_type),
                               .params = params,
                               .param_count = sizeof params / sizeof *params,
                               .fill = fill,
                               .own_size = sizeof(hc_policy),
                               .method = "decide",
                               .made = made,
                               .drop = drop};
