/* observe.c -- what agents that learn observe: the queue, or the hosts for a task, as numbers in buffers.
 *
 * A step of an environment is one of these calls and one action, so that they fill what the agent reads, in
 * one go and without an object for each task or host. */
#include <math.h>
#include <string.h>

#include "native.h"

/* ---- the queue ---- */

static float log_seconds(hc_time t)
{
  return t == HC_NEVER ? 0 : (float)log10(1 + (double)(t > 0 ? t : 0) * 1e-9);
}

static void see_task_of_queue(const hc_services *s, const hc_view *v, hc_task t, hc_time now, double units,
                              float *out)
{
  out[0] = log_seconds(now - s->submitted(v, t));
  out[1] = log_seconds(s->estimate(v, t));
  out[2] = units > 0 ? (float)((double)s->units(v, t) / units) : 0;
  out[3] = s->fits(v, t) ? 1 : 0;
  out[4] = (float)s->user(v, t);
  out[5] = (float)s->priority(v, t);
}

/* A buffer of so many items of a size. @return whether it is one, with an exception if not */
int native_room_of(PyObject *o, Py_buffer *b, size_t item)
{
  if (PyObject_GetBuffer(o, b, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return 0;
  if ((size_t)b->itemsize == item) return 1;
  PyErr_Format(PyExc_TypeError, "a buffer of items of %zu bytes is wanted", item);
  PyBuffer_Release(b);
  return 0;
}

hc_task native_see_queue(const hc_services *s, const hc_view *v, float *rows, int8_t *mask, size_t most,
                         float *cell, size_t *first)
{
  const double units = (double)s->capacity(v, 0);
  const hc_time now = s->now(v);
  hc_task found = HC_NO_TASK;
  hc_cursor at = {0};
  size_t n = 0;
  for (; n < most; n++, rows += NATIVE_OBSERVED) {
    const hc_task t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    if (t == HC_NO_TASK) break;
    see_task_of_queue(s, v, t, now, units, rows);
    mask[n] = rows[3] > 0;
    if (mask[n] && found == HC_NO_TASK) {
      found = t;
      *first = n;
    }
  }
  memset(rows, 0, (most - n) * NATIVE_OBSERVED * sizeof *rows);
  memset(mask + n, 0, most - n);
  mask[most] = 1;
  cell[0] = units > 0 ? (float)((double)s->free_units(v) / units) : 0;
  cell[1] = (float)log10(1 + (double)s->queued(v));
  return found;
}

/* observe(tasks, mask, cell): buffers of float32 [rows, 6], int8 [rows + 1] and float32 [2] */
PyObject *native_observe(PyObject *o, PyObject *args)
{
  view_object *v = native_open_view(o);
  PyObject *tasks, *mask, *cell, *out = NULL;
  Py_buffer t, m, c;
  size_t first = 0;
  if (!v || !PyArg_ParseTuple(args, "OOO", &tasks, &mask, &cell)) return NULL;
  if (!native_room_of(tasks, &t, sizeof(float))) return NULL;
  if (native_room_of(mask, &m, 1)) {
    if (native_room_of(cell, &c, sizeof(float))) {
      const size_t rows = (size_t)t.len / (NATIVE_OBSERVED * sizeof(float));
      if ((size_t)m.len != rows + 1 || (size_t)c.len != 2 * sizeof(float))
        PyErr_Format(PyExc_ValueError, "of %zu tasks the mask has %zu items, and the cell 2", rows, rows + 1);
      else if (!native_open_view(o)) out = NULL;
      else if (native_see_queue(v->s, v->view, t.buf, m.buf, rows, c.buf, &first) == HC_NO_TASK)
        out = Py_NewRef(Py_None);
      else out = PyLong_FromSize_t(first);
      PyBuffer_Release(&c);
    }
    PyBuffer_Release(&m);
  }
  PyBuffer_Release(&t);
  return out;
}

/* ---- the hosts ---- */

#define HOST_MORE 3 /* speed, tasks, when the last ends: behind the amounts */
#define TASK_MORE 4 /* slots left, waited, estimate, queued: behind the need */

typedef struct hosts_seen {
  const view_object *v;
  uint32_t hosts, dims;
  double most[HC_DIMENSIONS];    /* by the cell's dimensions: what a host has at most, or 1 */
  bool is_shared[HC_DIMENSIONS]; /* it is the cell's as a whole */
  float *rows, *of;
  int8_t *mask;
  const int32_t *dealt;
} hosts_seen;

static void find_most(hosts_seen *x)
{
  const hc_cell_spec *cell = x->v->cell;
  for (uint32_t d = 0; d < x->dims; d++) {
    const uint32_t id = x->v->s->dimension_id(x->v->view, d);
    int64_t most = 0;
    for (uint32_t c = 0; c < cell->class_count; c++)
      if (cell->classes[c].capacity[id] > most) most = cell->classes[c].capacity[id];
    x->is_shared[d] = x->v->s->is_shared(x->v->view, d);
    if (x->is_shared[d]) most = x->v->s->capacity(x->v->view, d);
    x->most[d] = most > 0 ? (double)most : 1;
  }
}

static size_t width_of(const hosts_seen *x)
{
  return 2 * (size_t)x->dims + HOST_MORE;
}

/* How many tasks are on each host, and until when they are believed to run. */
static void count_running(hosts_seen *x)
{
  const hc_services *s = x->v->s;
  const hc_view *v = x->v->view;
  const hc_time now = s->now(v);
  const hc_task *tasks;
  const size_t n = s->running(v, &tasks);
  for (size_t i = 0; i < n; i++) {
    const hc_time started = s->started(v, tasks[i]), length = s->estimate(v, tasks[i]);
    const float left = length == HC_NEVER ? 0 : log_seconds(started + length - now);
    const hc_holding *held;
    const size_t count = s->held(v, tasks[i], &held);
    for (size_t k = 0; k < count; k++) {
      float *row = x->rows + held[k].host * width_of(x) + 2 * (size_t)x->dims + 1;
      row[0] += 1;
      if (left > row[1]) row[1] = left;
    }
  }
}

/* One more slot of the task on a host, beside those that it has been given there? */
static bool has_room(const hosts_seen *x, hc_task t, const hc_task_shape *shape, uint32_t host,
                     const int64_t *free, const int64_t *capacity)
{
  const hc_services *s = x->v->s;
  const float *row = x->rows + host * width_of(x);
  if (!s->takes_new(x->v->view, host)) return false;
  if (shape->is_spread && x->dealt[host] > 0) return false;
  if (shape->is_whole && (x->dealt[host] > 0 || row[2 * x->dims + 1] > 0)) return false;
  for (uint32_t d = 0; d < x->dims; d++) {
    const int64_t need = s->demand(x->v->view, t, d);
    if (x->is_shared[d]) continue;
    if (shape->is_whole ? free[d] < capacity[d] : free[d] < need * (x->dealt[host] + 1)) return false;
  }
  return s->could_slot(x->v->view, t, host);
}

static size_t see_hosts(hosts_seen *x, hc_task t)
{
  const hc_services *s = x->v->s;
  const hc_cell_spec *cell = x->v->cell;
  hc_task_shape shape;
  size_t found = 0;
  s->shape(x->v->view, t, &shape);
  for (uint32_t h = 0; h < x->hosts; h++) {
    float *row = x->rows + h * width_of(x);
    const int64_t *capacity, *free = s->host_free(x->v->view, h, &capacity);
    for (uint32_t d = 0; d < x->dims; d++) {
      const int64_t given = x->is_shared[d] ? 0 : s->demand(x->v->view, t, d) * x->dealt[h];
      row[d] = (float)((double)(free[d] - given) / x->most[d]);
      row[x->dims + d] = (float)((double)capacity[d] / x->most[d]);
    }
    row[2 * x->dims] = (float)cell->classes[cell->class_of[h]].speed;
    x->mask[h] = has_room(x, t, &shape, h, free, capacity);
    found += (size_t)x->mask[h];
  }
  return found;
}

static void see_task(const hosts_seen *x, hc_task t)
{
  const hc_services *s = x->v->s;
  const hc_view *v = x->v->view;
  int64_t left = s->slots(v, t);
  for (uint32_t h = 0; h < x->hosts; h++) left -= x->dealt[h];
  for (uint32_t d = 0; d < x->dims; d++) x->of[d] = (float)((double)s->demand(v, t, d) / x->most[d]);
  x->of[x->dims] = (float)left;
  x->of[x->dims + 1] = log_seconds(s->now(v) - s->submitted(v, t));
  x->of[x->dims + 2] = log_seconds(s->estimate(v, t));
  x->of[x->dims + 3] = (float)log10(1 + (double)s->queued(v));
}

/* @return whether the buffers are of the machine's shape, with an exception if not */
static int begin(hosts_seen *x, PyObject *o, Py_buffer b[4])
{
  x->v = native_open_view(o);
  if (!x->v) return 0;
  if (!x->v->cell || x->v->cell->granularity != HC_CELL_HOSTS)
    return PyErr_Format(PyExc_ValueError, "the cell counts processors: it has no hosts to be observed"), 0;
  x->hosts = x->v->cell->units;
  x->dims = x->v->s->dimensions(x->v->view);
  if ((size_t)b[0].len != x->hosts * sizeof(int32_t) ||
      (size_t)b[1].len != x->hosts * width_of(x) * sizeof(float) || (size_t)b[2].len != x->hosts ||
      (size_t)b[3].len != (x->dims + TASK_MORE) * sizeof(float))
    return PyErr_Format(PyExc_ValueError, "%u hosts of %u dimensions: buffers of another shape are wanted",
                        (unsigned)x->hosts, (unsigned)x->dims),
           0;
  x->dealt = b[0].buf;
  x->rows = b[1].buf;
  x->mask = b[2].buf;
  x->of = b[3].buf;
  return 1;
}

/* observe_hosts(task, dealt, rows, mask, of) */
PyObject *native_observe_hosts(PyObject *o, PyObject *args)
{
  static const size_t items[] = {sizeof(int32_t), sizeof(float), 1, sizeof(float)};
  PyObject *task, *rooms[4], *out = NULL;
  hosts_seen x = {0};
  Py_buffer b[4];
  int n = 0;
  hc_task t;
  if (!PyArg_ParseTuple(args, "OOOOO", &task, &rooms[0], &rooms[1], &rooms[2], &rooms[3])) return NULL;
  while (n < 4 && native_room_of(rooms[n], &b[n], items[n])) n++;
  if (n == 4 && begin(&x, o, b) && native_task_of((view_object *)o, task, &t)) {
    memset(x.rows, 0, (size_t)b[1].len);
    find_most(&x);
    count_running(&x);
    out = PyLong_FromSize_t(see_hosts(&x, t));
    see_task(&x, t);
  }
  while (n > 0) PyBuffer_Release(&b[--n]);
  return out;
}

/* (hosts, names of the dimensions); None: processors are counted */
PyObject *native_machine(PyObject *o, PyObject *none)
{
  static const char *const names[] = {
      [HC_DIM_CPU] = "cpu", [HC_DIM_MEMORY] = "memory", [HC_DIM_DISK] = "disk", [HC_DIM_GPU] = "gpu"};
  view_object *v = native_open_view(o);
  (void)none;
  if (!v) return NULL;
  if (!v->cell || v->cell->granularity != HC_CELL_HOSTS) return Py_NewRef(Py_None);
  const uint32_t n = v->s->dimensions(v->view);
  PyObject *tuple = PyTuple_New((Py_ssize_t)n);
  for (uint32_t d = 0; tuple && d < n; d++) {
    const uint32_t id = v->s->dimension_id(v->view, d);
    PyObject *name = id < sizeof names / sizeof *names ? PyUnicode_FromString(names[id])
                                                       : PyUnicode_FromFormat("resource %u", (unsigned)id);
    if (!name || PyTuple_SetItem(tuple, (Py_ssize_t)d, name) < 0) Py_CLEAR(tuple);
  }
  return tuple ? Py_BuildValue("(kN)", (unsigned long)v->cell->units, tuple) : NULL;
}
