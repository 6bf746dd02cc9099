/* part.c -- a class of Python as a component: read from the class, added to a registry, born with a run. */
#include "part.h"

#include <stdlib.h>
#include <string.h>

static part *all_parts; /* guarded by the interpreter's lock */

const part *part_of(const void *opts)
{
  const options *o = opts;
  for (part *p = all_parts; p; p = p->next_of_all)
    if (o->python && strcmp(p->key, o->python) == 0) return p;
  return NULL;
}

void native_free_parts(struct part *parts)
{
  while (parts) {
    part *p = parts;
    for (part **at = &all_parts; *at; at = &(*at)->next_of_all)
      if (*at == p) {
        *at = p->next_of_all;
        break;
      }
    parts = p->next;
    Py_XDECREF(p->cls);
    Py_XDECREF(p->texts);
    free(p->figures);
    free(p->params);
    free(p->key);
    free(p);
  }
}

bool part_has(const part *p, const char *method)
{
  PyObject *own = PyObject_GetAttrString(p->cls, method);
  const bool has = own && own != Py_None;
  if (!own) PyErr_Clear();
  Py_XDECREF(own);
  return has;
}

/* ---- an object of it, in a run ---- */

hc_rc part_raised(const born *b, hc_time now, hc_rc rc)
{
  if (b->is_apart) PyErr_Clear();
  else if (PyErr_Occurred()) native_keep(b->part->kind->word, b->part->is.component.name, now);
  return rc;
}

void part_enters(born *b)
{
  b->is_apart = PyGILState_GetThisThreadState() == NULL;
}

const char *part_exception(char *to, size_t size)
{
  PyObject *type, *value, *trace, *name;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *text = value ? PyObject_Str(value) : NULL;
  name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
  PyObject *both = text && name ? PyUnicode_FromFormat("%U: %U", name, text) : NULL;
  const char *s = both ? PyUnicode_AsUTF8AndSize(both, NULL) : NULL;
  (void)PyOS_snprintf(to, size, "%.190s", s ? s : "one that has no text");
  Py_XDECREF(both);
  Py_XDECREF(name);
  Py_XDECREF(text);
  PyErr_Restore(type, value, trace);
  return to;
}

/* The options of the class's own as arguments by name. */
static PyObject *arguments(const part *p, const options *o)
{
  PyObject *dict = PyDict_New();
  for (size_t i = 0; dict && i < p->own_count; i++) {
    const hc_param *param = &p->params[p->own_first + i];
    const slot *s = &o->own[i];
    PyObject *value = NULL;
    switch (param->type) {
      case HC_REAL: value = PyFloat_FromDouble(s->real); break;
      case HC_BOOL: value = PyBool_FromLong(s->yes); break;
      case HC_TEXT: value = s->text ? PyUnicode_FromString(s->text) : Py_NewRef(Py_None); break;
      default: value = PyLong_FromLongLong(s->number);
    }
    if (!value || PyDict_SetItemString(dict, param->name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

/* With the lock. @return 0, or -1 with an exception */
static int be_born(born *b, const options *o)
{
  const part_kind *kind = b->part->kind;
  PyObject *none = PyTuple_New(0), *named = arguments(b->part, o);
  if (none && named) b->self = PyObject_Call(b->part->cls, none, named);
  Py_XDECREF(none);
  Py_XDECREF(named);
  if (b->self && kind->method) b->method = PyObject_GetAttrString(b->self, kind->method);
  if (!b->self || (kind->method && !b->method)) return -1;
  if (kind->shows && !(b->shown = native_new(*kind->shows))) return -1;
  return kind->made ? kind->made(b) : 0;
}

hc_rc part_bear(const hc_allocator *a, const void *opts, void **out, hc_error *e)
{
  const options *o = opts;
  PyGILState_STATE gil = PyGILState_Ensure();
  const part *p = part_of(o);
  born *b = p ? a->resize(a->ctx, NULL, 0, p->kind->own_size) : NULL;
  hc_rc rc = 0;
  if (!p) rc = hc_fail(e, HC_EUSAGE, "python", 0, 0, "there is no class %s here", o->python ? o->python : "");
  else if (!b) rc = HC_ENOMEM;
  else {
    memset(b, 0, p->kind->own_size);
    *b = (born){.allocator = a, .part = p};
    if (be_born(b, o) < 0) {
      rc = hc_fail(e, HC_EPOLICY, p->is.component.name, 0, 0,
                   "its class raised an exception when it was made");
      rc = part_raised(b, 0, rc);
    }
  }
  PyGILState_Release(gil);
  if (rc < 0) part_bury(b);
  else *out = b;
  return rc;
}

void part_bury(void *self)
{
  born *b = self;
  if (!b) return;
  const part_kind *kind = b->part->kind;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (kind->drop) kind->drop(self);
  Py_XDECREF((PyObject *)b->shown);
  Py_XDECREF(b->method);
  Py_XDECREF(b->self);
  PyGILState_Release(gil);
  b->allocator->resize(b->allocator->ctx, b->state, b->cap, 0);
  b->allocator->resize(b->allocator->ctx, b, kind->own_size, 0);
}

/* ---- what a method is shown ---- */

PyObject *part_show(born *b, void *of)
{
  b->shown->of = of;
  PyObject *said = PyObject_CallFunctionObjArgs(b->method, (PyObject *)b->shown, NULL);
  b->shown->of = NULL;
  return said;
}

void *part_shown(PyObject *o)
{
  void *of = ((shown_object *)o)->of;
  if (!of) PyErr_SetString(PyExc_RuntimeError, "what a component is given is of use during the call");
  return of;
}

static void shown_dealloc(PyObject *o)
{
  native_free(o);
}

PyTypeObject *part_add_shown(PyObject *module, const char *name, const char *doc, PyGetSetDef *attributes)
{
  PyType_Slot slots[] = {{Py_tp_dealloc, shown_dealloc},
                         {Py_tp_getset, attributes},
                         {Py_tp_doc, (void *)(uintptr_t)doc},
                         {0, NULL}};
  PyType_Spec spec = {name, sizeof(shown_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  return native_add_type(module, &spec);
}

/* ---- its state ---- */

static PyObject *pickle(const char *call, PyObject *argument)
{
  PyObject *module = PyImport_ImportModule("pickle"), *out = NULL;
  if (module) out = PyObject_CallMethod(module, call, "(O)", argument); /* which may be a tuple */
  Py_XDECREF(module);
  return out;
}

static int save(born *self)
{
  PyObject *state = PyObject_CallMethod(self->self, "__getstate__", NULL);
  PyObject *bytes = state ? pickle("dumps", state) : NULL;
  const Py_ssize_t n = bytes ? PyBytes_Size(bytes) : 0;
  int rc = bytes ? 0 : -1;
  if (rc == 0) {
    char *room = self->allocator->resize(self->allocator->ctx, self->state, self->cap, (size_t)n + 1);
    if (!room) rc = (PyErr_NoMemory(), -1);
    else {
      self->state = room;
      self->cap = (size_t)n + 1;
      self->used = (size_t)n;
      memcpy(room, PyBytes_AsString(bytes), (size_t)n);
    }
  }
  Py_XDECREF(bytes);
  Py_XDECREF(state);
  return rc;
}

/* None or a dict of attributes. @return 0, or -1 with an exception */
static int put_attributes(PyObject *self, PyObject *state)
{
  PyObject *items = state == Py_None ? PyList_New(0) : PyObject_CallMethod(state, "items", NULL);
  PyObject *list = items ? PySequence_List(items) : NULL;
  const Py_ssize_t n = list ? PyList_Size(list) : -1;
  int rc = n < 0 ? -1 : 0;
  for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
    PyObject *name, *value;
    rc = PyArg_ParseTuple(PyList_GetItem(list, i), "OO", &name, &value) ? PyObject_SetAttr(self, name, value)
                                                                        : -1;
  }
  Py_XDECREF(list);
  Py_XDECREF(items);
  return rc;
}

/* As pickle does it: of a class with __slots__ the state is a pair, whose second has these. */
static int load(born *self)
{
  PyObject *bytes = PyBytes_FromStringAndSize(self->state, (Py_ssize_t)self->used);
  PyObject *state = bytes ? pickle("loads", bytes) : NULL;
  int rc = -1;
  if (state && PyObject_HasAttrString(self->self, "__setstate__")) {
    PyObject *done = PyObject_CallMethod(self->self, "__setstate__", "(O)", state);
    rc = done ? 0 : -1;
    Py_XDECREF(done);
  } else if (state && PyTuple_Check(state) && PyTuple_Size(state) == 2) {
    rc = put_attributes(self->self, PyTuple_GetItem(state, 0));
    if (rc == 0) rc = put_attributes(self->self, PyTuple_GetItem(state, 1));
  } else if (state) rc = put_attributes(self->self, state);
  Py_XDECREF(state);
  Py_XDECREF(bytes);
  return rc;
}

hc_rc part_visit(born *b, hc_visitor *v)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  hc_rc rc = 0;
  if (!hc_visit_loading(v) && save(b) < 0) rc = part_raised(b, 0, HC_EPOLICY);
  if (rc >= 0) rc = hc_visit_array(v, (void **)&b->state, &b->used, &b->cap, 1);
  if (rc >= 0 && hc_visit_loading(v) && load(b) < 0) rc = part_raised(b, 0, HC_EPOLICY);
  PyGILState_Release(gil);
  return rc;
}

/* ---- what a class says of itself ---- */

static const struct {
  const char *word;
  uint32_t flag;
} asks[] = {{"needs_estimate", HC_NEEDS_ESTIMATE},
            {"needs_timeline", HC_NEEDS_TIMELINE},
            {"may_preempt", HC_MAY_PREEMPT},
            {"may_resize", HC_MAY_RESIZE},
            {"makes_reservations", HC_MAKES_RESERVATIONS},
            {"places_hosts", HC_PLACES_HOSTS},
            {"varies", HC_VARIES},
            {"asks_harmless", HC_ASKS_HARMLESS},
            {"ignores_time", HC_IGNORES_TIME},
            {"time_dependent", HC_TIME_DEPENDENT},
            {"asks_jobs", HC_ASKS_JOBS},
            {"sets_rates", HC_SETS_RATES},
            {"asks_fits", HC_ASKS_FITS},
            {"shares", HC_SHARES},
            {"may_power", HC_MAY_POWER}};

static int read_asks(PyObject *cls, uint32_t *out)
{
  PyObject *list = PyObject_GetAttrString(cls, "asks");
  const Py_ssize_t n = list ? PySequence_Size(list) : -1;
  int rc = n < 0 ? -1 : 0;
  for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
    PyObject *word = PySequence_GetItem(list, i);
    const char *s = word ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
    size_t k = 0;
    while (s && k < sizeof asks / sizeof *asks && strcmp(asks[k].word, s) != 0) k++;
    if (!s) rc = -1;
    else if (k < sizeof asks / sizeof *asks) *out |= asks[k].flag;
    else rc = (PyErr_Format(PyExc_ValueError, "asks: there is no %s", s), -1);
    Py_XDECREF(word);
  }
  Py_XDECREF(list);
  return rc;
}

/* A text that lives as long as the part. NULL without an exception: None */
static const char *keep(part *p, PyObject *o)
{
  if (!o || o == Py_None) return NULL;
  PyObject *text = PyObject_Str(o);
  const char *s = text && PyList_Append(p->texts, text) == 0 ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  Py_XDECREF(text);
  return s;
}

static const char *keep_attribute(part *p, const char *name)
{
  PyObject *o = PyObject_GetAttrString(p->cls, name);
  const char *s = o ? keep(p, o) : NULL;
  Py_XDECREF(o);
  return s;
}

/* (name, type, default as text, least, most, unit, help) of hindcast.Param */
static int read_param(part *p, PyObject *row, hc_param *out, size_t offset)
{
  PyObject *name, *fallback, *unit, *help;
  const char *type;
  double min, max;
  if (!PyArg_ParseTuple(row, "OsOddOO", &name, &type, &fallback, &min, &max, &unit, &help)) return -1;
  static const struct {
    const char *word;
    hc_type type;
  } types[] = {{"int", HC_INT},   {"real", HC_REAL}, {"time", HC_TIME},
               {"size", HC_SIZE}, {"bool", HC_BOOL}, {"text", HC_TEXT}};
  *out = (hc_param){.name = keep(p, name),
                    .offset = offset,
                    .unit = keep(p, unit),
                    .fallback = keep(p, fallback),
                    .min = min,
                    .max = max,
                    .help = keep(p, help)};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].word, type) == 0) out->type = types[i].type;
  if (PyErr_Occurred()) return -1;
  if (out->type == 0) return PyErr_Format(PyExc_ValueError, "there is no type of parameters %s", type), -1;
  return 0;
}

static int read_params(part *p)
{
  const part_kind *kind = p->kind;
  PyObject *list = PyObject_CallMethod(p->cls, "_params", NULL);
  const Py_ssize_t n = list ? PyList_Size(list) : -1;
  size_t at = 0;
  int rc = n < 0 ? -1 : 0;
  p->params = rc == 0 ? calloc((size_t)n + kind->param_count + 2, sizeof *p->params) : NULL;
  if (rc == 0 && !p->params) rc = (PyErr_NoMemory(), -1);
  if (rc == 0) {
    p->params[at++] = (hc_param)HC_PARAM(TEXT, options, python, NULL, "The class that carries it out.");
    p->params[0].fallback = p->key;
    for (size_t i = 0; i < kind->param_count; i++) p->params[at++] = kind->params[i];
    p->own_first = at;
    p->own_count = (size_t)n;
  }
  for (Py_ssize_t i = 0; rc == 0 && i < n; i++)
    rc = read_param(p, PyList_GetItem(list, i), &p->params[at++], sizeof(options) + (size_t)i * sizeof(slot));
  Py_XDECREF(list);
  return rc;
}

/* "name|unit|direction|formula", as hc_component has them; of a class that declares none, nothing. */
static int read_figures(part *p)
{
  PyObject *list = PyObject_CallMethod(p->cls, "_figures", NULL);
  const Py_ssize_t n = list ? PyList_Size(list) : -1;
  if (n > 0) p->figures = calloc((size_t)n + 1, sizeof *p->figures);
  if (n > 0 && !p->figures) PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) p->figures[i] = keep(p, PyList_GetItem(list, i));
  Py_XDECREF(list);
  return PyErr_Occurred() ? -1 : 0;
}

/* A class that is defined again, as in a notebook, is another one. */
static int name_key(part *p)
{
  PyObject *module = PyObject_GetAttrString(p->cls, "__module__"),
           *name = PyObject_GetAttrString(p->cls, "__qualname__");
  const char *m = module ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
  const char *q = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  const size_t room = m && q ? strlen(m) + strlen(q) + 32 : 0;
  p->key = room > 0 ? malloc(room) : NULL;
  for (unsigned k = 1, taken = 1; p->key && taken; k++) {
    taken = 0;
    if (k == 1) (void)PyOS_snprintf(p->key, room, "%s.%s", m, q);
    else (void)PyOS_snprintf(p->key, room, "%s.%s#%u", m, q, k);
    for (const part *other = all_parts; other; other = other->next_of_all)
      taken |= strcmp(other->key, p->key) == 0;
  }
  Py_XDECREF(module);
  Py_XDECREF(name);
  if (!p->key && !PyErr_Occurred()) PyErr_NoMemory();
  return p->key ? 0 : -1;
}

static const part_kind *const kinds[] = {PART_KINDS};

static const part_kind *kind_of(const char *word)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i]->word, word) == 0) return kinds[i];
  return NULL;
}

static int describe(part *p)
{
  const part_kind *kind = p->kind;
  p->is.component = (hc_component){.size = (uint32_t)kind->size,
                                   .abi = HC_ABI,
                                   .kind = kind->kind,
                                   .name = keep_attribute(p, "name"),
                                   .summary = keep_attribute(p, "summary"),
                                   .detail = keep_attribute(p, "detail"),
                                   .source = keep_attribute(p, "source"),
                                   .params = p->params,
                                   .figures = p->figures,
                                   .options_size = sizeof(options) + p->own_count * sizeof(slot)};
  if (PyErr_Occurred()) return -1;
  kind->fill(p);
  return 0;
}

static int read_class(part *p)
{
  p->texts = PyList_New(0);
  if (!p->texts || name_key(p) < 0 || read_asks(p->cls, &p->flags) < 0 || read_params(p) < 0 ||
      read_figures(p) < 0)
    return -1;
  return describe(p);
}

struct part *native_part(registry_object *registry, PyObject *cls)
{
  PyObject *text = PyObject_GetAttrString(cls, "kind");
  const char *word = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  const part_kind *kind = word ? kind_of(word) : NULL;
  part *p = kind ? calloc(1, sizeof *p) : NULL;
  hc_error e = {0};
  hc_rc rc = 0;
  if (word && !kind) PyErr_Format(PyExc_ValueError, "components in Python are of no kind %s", word);
  else if (kind && !p) PyErr_NoMemory();
  Py_XDECREF(text);
  if (!p) return NULL;
  p->kind = kind;
  p->cls = Py_NewRef(cls);
  if (read_class(p) < 0) rc = HC_EUSAGE;
  else rc = hc_registry_add(registry->registry, &p->is.component, &e);
  if (rc < 0) {
    (void)native_failed(rc, &e);
    native_free_parts(p);
    return NULL;
  }
  p->next = registry->parts;
  registry->parts = p;
  p->next_of_all = all_parts;
  all_parts = p;
  return p;
}
