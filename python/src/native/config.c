/* config.c -- the types Registry (which components there are) and Config (layers of settings). */
#include "native.h"

PyTypeObject *registry_type, *config_type;

/* ---- Registry ---- */

static PyObject *registry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  registry_object *self = native_new(type);
  (void)args;
  (void)kwargs;
  if (self && hc_registry_new(hc_default_allocator(), &self->registry) < 0) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject *)self;
}

static void registry_dealloc(PyObject *o)
{
  registry_object *self = (registry_object *)o;
  hc_registry_free(self->registry);
  native_free_parts(self->parts);
  native_free(o);
}

static PyObject *registry_add(PyObject *o, PyObject *cls)
{
  return native_part((registry_object *)o, cls) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *registry_load(PyObject *o, PyObject *path)
{
  hc_error e = {0};
  const char *s = PyUnicode_AsUTF8AndSize(path, NULL);
  hc_rc rc = s ? hc_registry_load(((registry_object *)o)->registry, s, &e) : HC_EUSAGE;
  return rc < 0 ? native_failed(rc, &e) : Py_NewRef(Py_None);
}

static PyObject *registry_kinds(PyObject *o, PyObject *none)
{
  const hc_registry *r = ((registry_object *)o)->registry;
  PyObject *list = PyList_New(0);
  (void)none;
  for (int k = 0; list && k < HC_KIND_LIMIT; k++) {
    const hc_kind_type *kind = hc_registry_kind(r, (hc_kind)k);
    PyObject *word = kind ? PyUnicode_FromString(hc_kind_name(r, (hc_kind)k)) : NULL;
    if (kind && (!word || PyList_Append(list, word) < 0)) Py_CLEAR(list);
    Py_XDECREF(word);
  }
  return list;
}

/* [(name, summary)] of a kind */
static PyObject *registry_components(PyObject *o, PyObject *word)
{
  const hc_registry *r = ((registry_object *)o)->registry;
  const char *s = PyUnicode_AsUTF8AndSize(word, NULL);
  const hc_kind k = s ? hc_kind_find(r, s) : HC_KIND_LIMIT;
  PyObject *list;
  if (!s) return NULL;
  if (k == HC_KIND_LIMIT) return PyErr_Format(PyExc_KeyError, "there is no kind of component called %s", s);
  list = PyList_New(0);
  for (size_t i = 0; list && hc_registry_at(r, k, i); i++) {
    const hc_component *c = hc_registry_at(r, k, i);
    PyObject *row = Py_BuildValue("(ss)", c->name, c->summary);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyMethodDef registry_methods[] = {
    {"add", registry_add, METH_O, "Add a component that is a class of Python."},
    {"load", registry_load, METH_O, "Add the components of a shared object."},
    {"kinds", registry_kinds, METH_NOARGS, "The words of all kinds of components."},
    {"components", registry_components, METH_O, "Name and summary of each component of a kind."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot registry_slots[] = {{Py_tp_new, registry_new},
                                       {Py_tp_dealloc, registry_dealloc},
                                       {Py_tp_methods, registry_methods},
                                       {Py_tp_doc, "The components that there are."},
                                       {0, NULL}};
static PyType_Spec registry_spec = {"hindcast._native.Registry", sizeof(registry_object), 0,
                                    Py_TPFLAGS_DEFAULT, registry_slots};

int native_add_registry(PyObject *module)
{
  registry_type = native_add_type(module, &registry_spec);
  return registry_type ? 0 : -1;
}

/* ---- Config ---- */

static PyObject *config_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  hc_error e = {0};
  config_object *self;
  PyObject *registry;
  hc_rc rc;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!", registry_type, &registry)) return NULL;
  self = native_new(type);
  if (!self) return NULL;
  self->registry = (registry_object *)Py_NewRef(registry);
  rc = hc_config_new(hc_default_allocator(), self->registry->registry, &self->config, &e);
  if (rc >= 0) return (PyObject *)self;
  Py_DECREF(self);
  return native_failed(rc, &e);
}

static void config_dealloc(PyObject *o)
{
  config_object *self = (config_object *)o;
  hc_config_free(self->config);
  Py_XDECREF((PyObject *)self->registry);
  native_free(o);
}

static PyObject *config_text(PyObject *o, PyObject *args)
{
  hc_error e = {0};
  const char *text, *name;
  Py_ssize_t size;
  hc_rc rc;
  if (!PyArg_ParseTuple(args, "s#s", &text, &size, &name)) return NULL;
  rc = hc_config_text(((config_object *)o)->config, text, (size_t)size, name, &e);
  return rc < 0 ? native_failed(rc, &e) : Py_NewRef(Py_None);
}

static PyObject *config_one(PyObject *o, PyObject *word, hc_rc (*lay)(hc_config *, const char *, hc_error *))
{
  hc_error e = {0};
  const char *s = PyUnicode_AsUTF8AndSize(word, NULL);
  hc_rc rc;
  if (!s) return NULL;
  rc = lay(((config_object *)o)->config, s, &e);
  return rc < 0 ? native_failed(rc, &e) : Py_NewRef(Py_None);
}

static PyObject *config_file(PyObject *o, PyObject *path)
{
  return config_one(o, path, hc_config_file);
}

static PyObject *config_set(PyObject *o, PyObject *assignment)
{
  return config_one(o, assignment, hc_config_set);
}

static hc_rc add_key(void *ctx, const char *path, const char *value, const char *origin)
{
  PyObject *row = Py_BuildValue("(sss)", path, value, origin);
  int rc = row ? PyList_Append(ctx, row) : -1;
  Py_XDECREF(row);
  return rc < 0 ? HC_ENOMEM : 0;
}

static PyObject *config_keys(PyObject *o, PyObject *none)
{
  hc_config *c = ((config_object *)o)->config;
  hc_error e = {0};
  hc_rc rc = hc_config_resolve(c, &e);
  PyObject *list = rc < 0 ? NULL : PyList_New(0);
  (void)none;
  if (rc < 0) return native_failed(rc, &e);
  if (list && hc_config_each(c, add_key, list) < 0) Py_CLEAR(list);
  return list;
}

static PyMethodDef config_methods[] = {
    {"text", config_text, METH_VARARGS, "Lay a text of YAML or JSON over what was read before: text, name."},
    {"file", config_file, METH_O, "Lay a file of YAML or JSON over what was read before."},
    {"set", config_set, METH_O, "Set one key: \"policy.select.depth=2\"."},
    {"keys", config_keys, METH_NOARGS, "Each key as resolved: path, value, origin."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot config_slots[] = {{Py_tp_new, config_new},
                                     {Py_tp_dealloc, config_dealloc},
                                     {Py_tp_methods, config_methods},
                                     {Py_tp_doc, "A configuration: layers of settings."},
                                     {0, NULL}};
static PyType_Spec config_spec = {"hindcast._native.Config", sizeof(config_object), 0, Py_TPFLAGS_DEFAULT,
                                  config_slots};

int native_add_config(PyObject *module)
{
  config_type = native_add_type(module, &config_spec);
  return config_type ? 0 : -1;
}
