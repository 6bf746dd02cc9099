/* transform.c -- transforms in Python: apply(task) changes a task in place, and says whether it stays. */
#include "part.h"

static PyTypeObject *changing_type;

struct hc_transform {
  born born;
};

static hc_rc init(const hc_source_context *c, const void *opts, const hc_workload_totals *totals,
                  hc_transform **out, hc_error *e)
{
  (void)totals;
  return part_bear(c->allocator, opts, (void **)out, e);
}

static void fini(hc_transform *self)
{
  part_bury(self);
}

/* None and True: it stays; False: it is left out. */
static hc_rc apply(hc_transform *self, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  part_enters(&self->born);
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *said = part_show(&self->born, task);
  hc_rc rc = 1;
  if (said && said != Py_None) rc = PyObject_IsTrue(said);
  if (rc == 0) *why = HC_REASON_FILTERED;
  if (!said || rc < 0) {
    char what[200];
    rc = hc_fail(e, HC_EINPUT, self->born.part->is.component.name, 0, 0, "its class raised an exception: %s",
                 part_exception(what, sizeof what));
    rc = part_raised(&self->born, task->submit == HC_UNKNOWN ? 0 : task->submit, rc);
  }
  Py_XDECREF(said);
  PyGILState_Release(gil);
  return rc;
}

static hc_rc visit(hc_transform *self, hc_visitor *v)
{
  return part_visit(&self->born, v);
}

static bool reorders(const hc_transform *self)
{
  (void)self;
  return true; /* it may change when a task is submitted */
}

static void fill(part *p)
{
  hc_transform_type *t = &p->is.transform;
  t->init = init;
  t->apply = apply;
  t->visit = visit;
  t->fini = fini;
  t->reorders = reorders;
}

const part_kind part_transform = {.word = "transform",
                                  .kind = HC_KIND_TRANSFORM,
                                  .size = sizeof(hc_transform_type),
                                  .fill = fill,
                                  .own_size = sizeof(hc_transform),
                                  .method = "apply",
                                  .shows = &changing_type};

/* ---- the task ---- */

typedef struct member {
  size_t offset;
  bool is_number; /* -1 is none; else HC_UNKNOWN */
} member;

static PyObject *get(PyObject *o, void *which)
{
  const member *m = which;
  hc_task_spec *t = part_shown(o);
  if (!t) return NULL;
  const int64_t value = *(int64_t *)(void *)((char *)t + m->offset);
  return m->is_number ? native_number(value) : native_time(value);
}

static int set(PyObject *o, PyObject *value, void *which)
{
  const member *m = which;
  hc_task_spec *t = part_shown(o);
  int64_t n = m->is_number ? -1 : HC_UNKNOWN;
  if (!t) return -1;
  if (value && value != Py_None) n = PyLong_AsLongLong(value);
  if (PyErr_Occurred()) return -1;
  *(int64_t *)(void *)((char *)t + m->offset) = n;
  return 0;
}

#define TIME(name) static member member_##name = {offsetof(hc_task_spec, name), false};
#define NUMBER(name) static member member_##name = {offsetof(hc_task_spec, name), true};
TIME(submit)
TIME(wait)
TIME(run)
TIME(limit)
TIME(not_before)
TIME(procs_asked)
TIME(hosts)
NUMBER(id)
NUMBER(user)
NUMBER(group)
NUMBER(executable)
NUMBER(queue)
NUMBER(partition)
NUMBER(job)
TIME(priority)

static PyGetSetDef attributes[] = {
    {"id", get, set, "Its number in the trace.", &member_id},
    {"submit", get, set, "When it arrives, ns.", &member_submit},
    {"wait", get, set, "How long it waited in reality, ns; None.", &member_wait},
    {"run", get, set, "How long it runs, ns.", &member_run},
    {"limit", get, set, "How long it asks for, ns; None.", &member_limit},
    {"not_before", get, set, "It may not start before, ns; None.", &member_not_before},
    {"processors", get, set, "Processors that it asks for; None.", &member_procs_asked},
    {"hosts", get, set, "Slots that it needs at once; None: by its processors.", &member_hosts},
    {"user", get, set, "Number of its user; None.", &member_user},
    {"group", get, set, "Number of its group or account; None.", &member_group},
    {"executable", get, set, "Number of its program or job name; None.", &member_executable},
    {"queue", get, set, "Number of its queue or QOS; None.", &member_queue},
    {"partition", get, set, "Number of its partition; None.", &member_partition},
    {"job", get, set, "Number of the job that it is part of; None.", &member_job},
    {"priority", get, set, "Its priority, higher first.", &member_priority},
    {NULL, NULL, NULL, NULL, NULL}};

int native_add_transform(PyObject *module)
{
  changing_type = part_add_shown(module, "hindcast._native.Changing",
                                 "A task on its way from its source to the engine.", attributes);
  return changing_type ? 0 : -1;
}
