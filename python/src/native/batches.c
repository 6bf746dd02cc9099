/* batches.c -- the type Batches: many episodes of hindcast/Batch-v0 side by side, a step of all in one call.
 *
 * A lane is one episode after another: a run that stops where a plan is wanted, and its place in the arrays
 * that are observed. Lanes share nothing but the tasks of the workload, which nothing changes; so a step of
 * all gives Python's lock up, and threads take lanes as they come to them. A lane does what gym.Batch does,
 * in the same order, and earns the same to the bit (python/tests/test_gym.py).
 *
 * The tasks of an episode come from a source of this file's own: rows of the workload from a given one on. */
#include "native.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject *batches_type;

enum { ROW = 8 }; /* submit, run, limit (ns), processors, user, group, executable, queue; or HC_UNKNOWN */

typedef struct batches_object batches_object;

typedef struct lane {
  batches_object *of;
  hc_config *config;
  hc_run *run;
  hc_decision d;
  size_t start, first; /* of the workload's rows; which queued task fits first */
  size_t queued;
  hc_time at;
  double passed, figure;
  int64_t invalid;
  bool over, any, failed; /* any: `first` is one */
  hc_rc rc;
  hc_error error;
} lane;

struct batches_object {
  PyObject ob_base;
  registry_object *registry;
  int64_t *rows; /* [row_count][ROW] ascending in time */
  size_t row_count, window, episode, lane_count;
  int64_t processors;
  char figure[64];
  bool dense;
  lane *lanes;
  /* a step of all */
  const int64_t *actions, *starts;
  float *tasks, *cells;
  int8_t *masks, *over;
  double *rewards;
  /* threads beside the caller's */
  pthread_t *threads;
  size_t thread_count, next, busy;
  uint64_t turn;           /* one more for each step */
  bool ends, is_under_way; /* a step is; guarded by Python's lock */
  pthread_mutex_t lock;
  pthread_cond_t begins, done;
};

/* ---- the tasks of an episode ---- */

typedef struct options {
  int64_t at; /* the address of its lane */
} options;

struct hc_source {
  hc_source_context context;
  const lane *l;
  uint64_t yielded;
  hc_task_spec spec;
  hc_trace_info info;
};

static hc_rc open_source(const hc_source_context *c, const void *opts, hc_source **out, hc_error *e)
{
  hc_source *s = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *s);
  (void)e;
  if (!s) return HC_ENOMEM;
  *s = (hc_source){.context = *c, .l = (const lane *)(uintptr_t)((const options *)opts)->at};
  s->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  s->info.processors = s->l->of->processors;
  *out = s;
  return 0;
}

static hc_rc next_job(hc_source *s, hc_job *job, hc_error *e)
{
  const batches_object *b = s->l->of;
  (void)e;
  if (s->yielded == b->episode) return 0;
  const int64_t *first = b->rows + s->l->start * ROW, *row = first + s->yielded * ROW;
  s->spec = hc_task_spec_none();
  s->yielded++;
  s->spec.line = s->yielded;
  s->spec.id = (int64_t)s->yielded;
  s->spec.submit = row[0] - first[0];
  s->spec.run = row[1];
  s->spec.procs_asked = row[3];
  if (row[2] != HC_UNKNOWN) s->spec.limit = row[2];
  if (row[4] != HC_UNKNOWN) s->spec.user = row[4];
  if (row[5] != HC_UNKNOWN) s->spec.group = row[5];
  if (row[6] != HC_UNKNOWN) s->spec.executable = row[6];
  if (row[7] != HC_UNKNOWN) s->spec.queue = row[7];
  if (s->context.ledger) s->context.ledger->read++;
  *job = (hc_job){&s->spec, 1};
  return 1;
}

static const hc_trace_info *info(hc_source *s)
{
  return &s->info;
}

static hc_rc visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  (void)e;
  return hc_visit_bytes(v, &s->yielded, sizeof s->yielded);
}

static void close_source(hc_source *s)
{
  s->context.allocator->resize(s->context.allocator->ctx, s, sizeof *s, 0);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, at, NULL, "0", 0, 0, "Which episode, as the environment says it."), {0}};

static const hc_reader_type reader = {
    .component = {.size = sizeof(hc_reader_type),
                  .abi = HC_ABI,
                  .kind = HC_KIND_READER,
                  .name = "episode_of_agents",
                  .summary = "the tasks of an episode of an environment of hindcast.gym",
                  .params = params,
                  .options_size = sizeof(options)},
    .open = open_source,
    .next = next_job,
    .info = info,
    .visit = visit,
    .close = close_source};

/* ---- a lane ---- */

static size_t number_of(const lane *l)
{
  return (size_t)(l - l->of->lanes);
}

static void look(lane *l)
{
  const batches_object *b = l->of;
  const size_t i = number_of(l), w = b->window;
  l->any = native_see_queue(l->d.services, l->d.view, b->tasks + i * w * NATIVE_OBSERVED,
                            b->masks + i * (w + 1), w, b->cells + i * 2, &l->first) != HC_NO_TASK;
}

static hc_rc hear_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  lane *l = ctx;
  (void)unit;
  (void)is_count;
  (void)count;
  if (strcmp(name, l->of->figure) == 0) l->figure = value;
  return 0;
}

static bool wants(void *ctx, const char *name)
{
  return strcmp(name, ((lane *)ctx)->of->figure) == 0;
}

/* The run is over: nothing is seen any more, and the figure is known. */
static hc_rc end(lane *l)
{
  const batches_object *b = l->of;
  const size_t i = number_of(l), w = b->window;
  hc_findings f = {.ctx = l, .figure = hear_figure, .wants = wants};
  memset(b->tasks + i * w * NATIVE_OBSERVED, 0, w * NATIVE_OBSERVED * sizeof *b->tasks);
  memset(b->masks + i * (w + 1), 0, w);
  b->masks[i * (w + 1) + w] = 1;
  memset(b->cells + i * 2, 0, 2 * sizeof *b->cells);
  l->over = true;
  hc_rc rc = hc_run_finish(l->run, &l->error);
  return rc < 0 ? rc : hc_run_figures(l->run, &f, &l->error);
}

/* To the next decision in which there is a choice, or to the end. */
static hc_rc go_on(lane *l)
{
  hc_rc rc;
  while ((rc = hc_run_wait_decision(l->run, HC_NEVER, &l->d, &l->error)) == HC_RUN_DECISION) {
    const hc_time now = l->d.services->now(l->d.view);
    l->passed += (double)l->queued * (double)(now - l->at);
    l->at = now;
    l->queued = l->d.services->queued(l->d.view);
    if (l->queued > 0) {
      look(l);
      return 0;
    }
    rc = hc_run_decide(l->run, &l->error);
    if (rc < 0) return rc;
  }
  return rc < 0 ? rc : end(l);
}

static hc_rc begin(lane *l, size_t start)
{
  hc_run_free(l->run);
  l->run = NULL;
  l->start = start;
  l->queued = 0;
  l->at = 0;
  l->passed = 0;
  l->figure = NAN;
  l->invalid = 0;
  l->over = l->failed = false;
  const hc_rc rc = hc_run_new(hc_default_allocator(), l->config, NULL, &l->run, &l->error);
  return rc < 0 ? rc : go_on(l);
}

/* As Batch.step. */
static hc_rc act(lane *l, int64_t action)
{
  const batches_object *b = l->of;
  const hc_services *s = l->d.services;
  const int8_t *mask = b->masks + number_of(l) * (b->window + 1);
  const size_t k = (size_t)action;
  bool starts = k != b->window && mask[k];
  size_t which = k;
  if (!starts) {
    l->invalid += k != b->window;
    starts = l->any && s->free_units(l->d.view) == b->processors;
    which = l->first;
  }
  if (starts) {
    const hc_task t = s->queued_at(l->d.view, HC_LIST_QUEUE, which);
    const hc_rc rc = s->start(l->d.plan, t, NULL, 0);
    if (rc < 0) return rc;
    l->queued = s->queued(l->d.view);
    if (l->queued > 0) {
      look(l);
      return 0;
    }
  }
  const hc_rc rc = hc_run_decide(l->run, &l->error);
  return rc < 0 ? rc : go_on(l);
}

static void step_lane(lane *l)
{
  const batches_object *b = l->of;
  const size_t i = number_of(l);
  const double before = l->passed;
  b->rewards[i] = 0;
  if (b->starts[i] >= 0) l->rc = begin(l, (size_t)b->starts[i]);
  else {
    l->rc = act(l, b->actions[i]);
    if (b->dense) b->rewards[i] = (before - l->passed) / (double)b->episode / (double)HC_SECOND / 3600;
    else if (l->over) b->rewards[i] = -l->figure;
  }
  b->over[i] = l->over;
}

/* ---- all lanes ---- */

/* Take lanes until there are no more. With the lock, which is given up meanwhile. */
static void take_lanes(batches_object *b)
{
  while (b->next < b->lane_count) {
    lane *l = &b->lanes[b->next++];
    (void)pthread_mutex_unlock(&b->lock);
    step_lane(l);
    (void)pthread_mutex_lock(&b->lock);
  }
}

static void *work(void *ctx)
{
  batches_object *b = ctx;
  uint64_t seen = 0;
  (void)pthread_mutex_lock(&b->lock);
  for (;;) {
    while (!b->ends && b->turn == seen) (void)pthread_cond_wait(&b->begins, &b->lock);
    if (b->ends) break;
    seen = b->turn;
    take_lanes(b);
    if (--b->busy == 0) (void)pthread_cond_signal(&b->done);
  }
  (void)pthread_mutex_unlock(&b->lock);
  return NULL;
}

static void step_all(batches_object *b)
{
  (void)pthread_mutex_lock(&b->lock);
  b->next = 0;
  b->busy = b->thread_count;
  b->turn++;
  (void)pthread_cond_broadcast(&b->begins);
  take_lanes(b);
  while (b->busy > 0) (void)pthread_cond_wait(&b->done, &b->lock);
  (void)pthread_mutex_unlock(&b->lock);
}

/* What each array of a step is of. */
typedef struct room {
  size_t item, count;
} room;

static int check_step(const batches_object *b)
{
  for (size_t i = 0; i < b->lane_count; i++) {
    const lane *l = &b->lanes[i];
    if (b->starts[i] >= 0 && (size_t)b->starts[i] + b->episode > b->row_count)
      return PyErr_Format(PyExc_ValueError, "start: from 0 to %zu", b->row_count - b->episode), 0;
    if (b->starts[i] >= 0) continue;
    if (!l->run || l->over || l->failed)
      return PyErr_Format(PyExc_RuntimeError, "environment %zu: the episode is over: reset()", i), 0;
    if (b->actions[i] < 0 || (size_t)b->actions[i] > b->window)
      return PyErr_Format(PyExc_ValueError, "an action from 0 to %zu is wanted", b->window), 0;
  }
  return 1;
}

/* step(actions, starts, tasks, cells, masks, rewards, over): where a start is not below 0, an episode begins
 * there instead */
static PyObject *batches_step(PyObject *o, PyObject *args)
{
  batches_object *b = (batches_object *)o;
  const size_t n = b->lane_count, w = b->window;
  const room rooms[] = {{8, n}, {8, n}, {4, n * w * NATIVE_OBSERVED}, {4, n * 2}, {1, n * (w + 1)},
                        {8, n}, {1, n}};
  PyObject *arrays[7], *out = NULL;
  Py_buffer v[7];
  size_t k = 0;
  int ok = 1;
  if (!PyArg_ParseTuple(args, "OOOOOOO", &arrays[0], &arrays[1], &arrays[2], &arrays[3], &arrays[4],
                        &arrays[5], &arrays[6]))
    return NULL;
  if (b->is_under_way)
    return PyErr_Format(PyExc_RuntimeError, "another thread carries these environments on");
  while (k < 7 && native_room_of(arrays[k], &v[k], rooms[k].item)) k++;
  for (size_t i = 0; i < k; i++) ok &= (size_t)v[i].len == rooms[i].item * rooms[i].count;
  if (k == 7 && !ok) PyErr_SetString(PyExc_ValueError, "an array of another shape is wanted");
  if (k == 7 && ok && b->is_under_way) { /* begun by a buffer's own code */
    PyErr_SetString(PyExc_RuntimeError, "another thread carries these environments on");
    ok = 0;
  }
  if (k == 7 && ok) {
    b->actions = v[0].buf;
    b->starts = v[1].buf;
    b->tasks = v[2].buf;
    b->cells = v[3].buf;
    b->masks = v[4].buf;
    b->rewards = v[5].buf;
    b->over = v[6].buf;
    if (check_step(b)) {
      b->is_under_way = true;
      Py_BEGIN_ALLOW_THREADS
      step_all(b);
      Py_END_ALLOW_THREADS
      b->is_under_way = false;
      out = Py_NewRef(Py_None);
    }
  }
  for (size_t i = 0; out && i < n; i++)
    if (b->lanes[i].rc < 0) {
      b->lanes[i].failed = true;
      Py_CLEAR(out);
      (void)native_failed(b->lanes[i].rc, &b->lanes[i].error);
    }
  while (k > 0) PyBuffer_Release(&v[--k]);
  return out;
}

/* How many actions of each lane could not be carried out in this episode. */
static PyObject *batches_invalid(PyObject *o, PyObject *none)
{
  batches_object *b = (batches_object *)o;
  PyObject *list = PyList_New(0);
  (void)none;
  for (size_t i = 0; list && i < b->lane_count; i++) {
    PyObject *n = PyLong_FromLongLong(b->lanes[i].invalid);
    if (!n || PyList_Append(list, n) < 0) Py_CLEAR(list);
    Py_XDECREF(n);
  }
  return list;
}

/* ---- birth and death ---- */

static hc_rc make_lane(lane *l, const char *keys, size_t size)
{
  char at[64];
  hc_rc rc = hc_config_new(hc_default_allocator(), l->of->registry->registry, &l->config, &l->error);
  (void)PyOS_snprintf(at, sizeof at, "source.at=%lld", (long long)(intptr_t)l);
  if (rc >= 0) rc = hc_config_text(l->config, keys, size, "configuration", &l->error);
  if (rc >= 0) rc = hc_config_set(l->config, "source.use=episode_of_agents", &l->error);
  if (rc >= 0) rc = hc_config_set(l->config, at, &l->error);
  if (rc >= 0) rc = hc_config_set(l->config, "policy.use=outside", &l->error);
  if (rc >= 0) rc = hc_config_set(l->config, "policy.asks=[needs_estimate]", &l->error);
  return rc < 0 ? rc : hc_config_resolve(l->config, &l->error);
}

/* @return 0, or -1 with an exception */
static int make_lanes(batches_object *b, const char *keys, size_t size)
{
  hc_error e = {0};
  hc_rc rc = hc_registry_add(b->registry->registry, &reader.component, &e);
  if (rc < 0) return (void)native_failed(rc, &e), -1;
  b->lanes = calloc(b->lane_count, sizeof *b->lanes);
  if (!b->lanes) return PyErr_NoMemory(), -1;
  for (size_t i = 0; i < b->lane_count; i++) {
    b->lanes[i].of = b;
    rc = make_lane(&b->lanes[i], keys, size);
    if (rc < 0) return (void)native_failed(rc, &b->lanes[i].error), -1;
  }
  return 0;
}

static int make_threads(batches_object *b, size_t count)
{
  b->threads = calloc(count + 1, sizeof *b->threads);
  if (!b->threads) return PyErr_NoMemory(), -1;
  for (; b->thread_count < count; b->thread_count++)
    if (pthread_create(&b->threads[b->thread_count], NULL, work, b) != 0) {
      PyErr_SetString(PyExc_OSError, "no further thread can be had: ask for fewer `threads`");
      return -1;
    }
  return 0;
}

/* Batches(registry, keys, rows, processors, window, episode, lanes, threads, figure, dense): rows: int64
 * [tasks, 8] */
static PyObject *batches_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  const char *keys, *figure;
  Py_ssize_t size, window, episode, lanes, threads;
  long long processors;
  PyObject *registry, *rows;
  Py_buffer r;
  int dense;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!s#OLnnnnsp", registry_type, &registry, &keys, &size, &rows, &processors,
                        &window, &episode, &lanes, &threads, &figure, &dense))
    return NULL;
  if (window < 1 || episode < 1 || lanes < 1 || threads < 1)
    return PyErr_Format(PyExc_ValueError, "window, episode, num_envs, threads: at least 1");
  if (!native_room_of(rows, &r, sizeof(int64_t))) return NULL;
  batches_object *b = native_new(type);
  if (b) {
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->begins, NULL);
    (void)pthread_cond_init(&b->done, NULL);
    b->registry = (registry_object *)Py_NewRef(registry);
    b->rows = malloc((size_t)r.len + 1);
    if (b->rows) memcpy(b->rows, r.buf, (size_t)r.len);
    b->row_count = (size_t)r.len / sizeof(int64_t) / ROW;
    b->processors = processors;
    b->window = (size_t)window;
    b->episode = (size_t)episode;
    b->lane_count = (size_t)lanes;
    b->dense = dense != 0;
    (void)PyOS_snprintf(b->figure, sizeof b->figure, "%s", figure);
  }
  PyBuffer_Release(&r);
  if (!b) return NULL;
  const size_t more = (size_t)(threads < lanes ? threads : lanes) - 1;
  if (!b->rows) PyErr_NoMemory();
  if (b->rows && make_lanes(b, keys, (size_t)size) == 0 && make_threads(b, more) == 0) return (PyObject *)b;
  Py_DECREF((PyObject *)b);
  return NULL;
}

static void batches_dealloc(PyObject *o)
{
  batches_object *b = (batches_object *)o;
  (void)pthread_mutex_lock(&b->lock);
  b->ends = true;
  (void)pthread_cond_broadcast(&b->begins);
  (void)pthread_mutex_unlock(&b->lock);
  for (size_t i = 0; i < b->thread_count; i++) (void)pthread_join(b->threads[i], NULL);
  for (size_t i = 0; b->lanes && i < b->lane_count; i++) {
    hc_run_free(b->lanes[i].run);
    hc_config_free(b->lanes[i].config);
  }
  free(b->threads);
  free(b->lanes);
  free(b->rows);
  (void)pthread_cond_destroy(&b->done);
  (void)pthread_cond_destroy(&b->begins);
  (void)pthread_mutex_destroy(&b->lock);
  Py_XDECREF((PyObject *)b->registry);
  native_free(o);
}

static PyMethodDef methods[] = {
    {"step", batches_step, METH_VARARGS,
     "A step of all: step(actions, starts, tasks, cells, masks, rewards, over), arrays of int64 [n] twice,\n"
     "float32 [n, window, 6] and [n, 2], int8 [n, window + 1], float64 [n], int8 [n]. Where a start is not\n"
     "below 0, an episode begins there instead."},
    {"invalid", batches_invalid, METH_NOARGS, "How many actions of each could not be carried out."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, batches_new},
                              {Py_tp_dealloc, batches_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "Episodes of Batch-v0 side by side."},
                              {0, NULL}};
static PyType_Spec spec = {"hindcast._native.Batches", sizeof(batches_object), 0, Py_TPFLAGS_DEFAULT, slots};

int native_add_batches(PyObject *module)
{
  batches_type = native_add_type(module, &spec);
  return batches_type ? 0 : -1;
}
