/* native.h -- what the files of the module hindcast._native know of each other.
 *
 * The module is thin: each of its types holds one thing of the library (a registry, a configuration, a run, a
 * result), each method is one call of it, and everything that makes these pleasant to use is Python
 * (../hindcast). It is written against Python's stable interface, so that one binary is of use from 3.11 on.
 *
 * The interpreter's lock is given up while a run goes on and taken back for each call of a component that is
 * written in Python (part.h). An exception that such a component raises ends the run, is kept for the thread
 * that it was raised in, and is raised again where the run was carried on (native_failed). */
#ifndef HINDCAST_NATIVE_H
#define HINDCAST_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "hindcast/hindcast.h"

/* ---- errors ---- */

extern PyObject *native_error, *native_refused; /* hindcast.Error, hindcast.Refused */

/* Raise what the library says, or what a component has raised meanwhile. @return NULL */
PyObject *native_failed(hc_rc rc, const hc_error *e);
/* Keep the exception that is set; @param what  "policy mine", for a note at it; @param now  ns */
void native_keep(const char *what, const char *name, hc_time now);
/* Is there one? */
int native_has_kept(void);

/* ---- views and plans (view.c) ---- */

/* A view and a plan in Python, of use during one call of a component. */
typedef struct view_object {
  PyObject ob_base;
  const hc_services *s;
  const hc_cell_spec *cell; /* the machine as it is declared; NULL: not known */
  hc_view *view;            /* NULL: no call is under way */
  uint64_t call; /* tasks are of use during the call in which they were met */
  hc_why why;
} view_object;

typedef struct plan_object {
  PyObject ob_base;
  view_object *of;
  hc_plan *plan; /* NULL: no call is under way */
  hc_plan_mark *marks;
  size_t mark_count;
} plan_object;

view_object *native_new_view(const hc_services *s);
plan_object *native_new_plan(view_object *of);
/* A task as this call meets it. @return NULL with an exception; None for HC_NO_TASK */
PyObject *native_task(view_object *v, hc_task t);

/* The view, while a call is under way. @return NULL with an exception */
view_object *native_open_view(PyObject *o);
/* @return whether it is a task that this very call has shown; with an exception if not */
int native_task_of(view_object *v, PyObject *o, hc_task *out);

/* ---- what an agent observes (observe.c): methods of View ---- */

PyObject *native_observe(PyObject *view, PyObject *args);
PyObject *native_observe_hosts(PyObject *view, PyObject *args);
PyObject *native_machine(PyObject *view, PyObject *none);
#define NATIVE_OBSERVED 6 /* numbers of a queued task */
/* Rows of the first queued tasks, which of them fit, and the cell.
 * @param rows  [most][NATIVE_OBSERVED] @param mask  [most + 1] @param cell  [2]
 * @param first  out: which is the first that fits @return that task, or HC_NO_TASK */
hc_task native_see_queue(const hc_services *s, const hc_view *v, float *rows, int8_t *mask, size_t most,
                         float *cell, size_t *first);
/* A buffer of so many items of a size, to be released. @return whether it is one, with an exception if not */
int native_room_of(PyObject *o, Py_buffer *b, size_t item);

/* ---- numbers as Python has them ---- */

PyObject *native_number(int64_t n);                      /* None: -1 */
PyObject *native_time(hc_time t);                        /* None: HC_NEVER, HC_UNKNOWN */
PyObject *native_amounts(const int64_t *of, uint32_t n); /* a tuple */

/* ---- the types ---- */

typedef struct registry_object {
  PyObject ob_base;
  hc_registry *registry;
  struct part *parts; /* components in Python, the newest first */
} registry_object;

typedef struct config_object {
  PyObject ob_base;
  registry_object *registry;
  hc_config *config;
} config_object;

typedef struct run_object {
  PyObject ob_base;
  config_object *config;
  hc_store *store;
  hc_run *run;
  view_object *view; /* where a plan is wanted from outside; NULL: none was yet */
  plan_object *plan;
  int busy;      /* a thread carries it on, or a call of it or of its results is under way */
  int committed; /* its store is closed, and no result may be taken of it */
} run_object;

typedef struct result_object {
  PyObject ob_base;
  registry_object *registry;
  run_object *run; /* whose store it reads; NULL: a file's */
  hc_result *result;
  int busy; /* of a file's: a call reads it; else run->busy says so */
} result_object;

extern PyTypeObject *registry_type, *config_type, *run_type, *result_type, *columns_type, *view_type,
    *plan_type, *task_type, *queue_type;

/* Each file makes its types and adds them. @return 0, or -1 with an exception */
int native_add_errors(PyObject *module);
int native_add_registry(PyObject *module);
int native_add_config(PyObject *module);
int native_add_run(PyObject *module);
int native_add_result(PyObject *module);
int native_add_columns(PyObject *module);
int native_add_view(PyObject *module);
int native_add_order(PyObject *module);
int native_add_transform(PyObject *module);
int native_add_study(PyObject *module);
int native_add_place(PyObject *module);
int native_add_accept(PyObject *module);
int native_add_batches(PyObject *module);

/* A type of a specification, added under the last word of its name.
 * @return borrowed; NULL with an exception */
PyTypeObject *native_add_type(PyObject *module, PyType_Spec *spec);
/* @return a new object, zeroed but for its head; NULL with an exception */
void *native_new(PyTypeObject *type);
/* Free an object of a heap type. */
void native_free(PyObject *self);

/* ---- results ---- */

/* @param run  whose store is read; NULL: a file's. @param result  is taken over, also where this fails */
PyObject *native_result(registry_object *registry, run_object *run, hc_result *result);

/* ---- columns of numbers (columns.c) ---- */

/* A table: named columns of 64-bit numbers, or of texts, in Arrow's layout. */
typedef enum column_kind { COLUMN_INT, COLUMN_DURATION, COLUMN_REAL, COLUMN_TEXT } column_kind;
typedef struct column {
  char *name;
  column_kind kind;
  size_t count;
  int64_t nulls;
  union {
    int64_t *ints; /* [count] COLUMN_INT, COLUMN_DURATION (ns) */
    double *reals; /* [count] COLUMN_REAL */
  };
  uint8_t *valid;   /* a bit each, the lowest first; NULL: all are there */
  int64_t *offsets; /* [count + 1] COLUMN_TEXT: of `text` */
  char *text;
} column;

typedef struct columns_object {
  PyObject ob_base;
  column *columns; /* [count] */
  size_t count, rows;
} columns_object;

/* @return a new table of so many columns, all of them empty; NULL with an exception */
columns_object *native_columns(size_t count, size_t rows);
/* Make a column of numbers. @return where they go, [rows]; NULL with an exception */
int64_t *native_column(columns_object *t, size_t at, const char *name, column_kind kind);
/* Make one of texts that Python holds. @param texts  [rows], NULL: none; borrowed. @return 0, or -1 */
int native_text_column(columns_object *t, size_t at, const char *name, const char *const *texts);
/* Row `row` of a column has no value. @return 0, or -1 with an exception */
int native_null(columns_object *t, size_t at, size_t row);

/* Records as a table, with the columns of Result.tasks. @param r  knows what numbers are called; NULL:
 * nothing does @param core_units  units of a core; 0 or 1: units are processors
 * @return NULL with an exception */
columns_object *native_tasks(hc_result *r, const hc_task_record *records, size_t count, int64_t core_units);

/* ---- components in Python (part.h) ---- */

/* @return the component's new part; NULL with an exception. The registry owns it */
struct part *native_part(registry_object *registry, PyObject *cls);
void native_free_parts(struct part *parts);

#endif
