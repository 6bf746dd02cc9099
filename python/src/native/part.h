/* part.h -- a class of Python as a component: what all kinds of them share.
 *
 * A class becomes a component of the library's own shape: a constant struct with a table of parameters, whose
 * functions call the methods of an object that is born with each run. The functions of the library get the
 * options and nothing else of the component, so the first option names the class: its key `python` stands in
 * the configuration of each result.
 *
 * A kind is a file (policy.c, order.c, metric.c ...) and a word in PART_KINDS. State is what `__getstate__`
 * gives (the object's attributes), pickled: snapshots, forks and digests of a run hold it, as they hold that
 * of components in C. */
#ifndef HINDCAST_PART_H
#define HINDCAST_PART_H

#include "native.h"

/* ---- a class as a component ---- */

typedef union slot { /* an option of the class's own */
  int64_t number;    /* INT, TIME, SIZE */
  double real;
  bool yes;
  const char *text;
} slot;

typedef struct options {
  const char *python;                  /* part.key */
  hc_chosen order, place, eligibility; /* of policies */
  slot own[];
} options;

typedef struct part_kind part_kind;

typedef struct part {
  const part_kind *kind;
  union {
    hc_component component;
    hc_policy_type policy;
    hc_order_type order;
    hc_metric_type metric;
    hc_reader_type reader;
    hc_transform_type transform;
    hc_place_type place;
    hc_accept_type accept;
  } is;
  struct part *next; /* of its registry */
  struct part *next_of_all;
  PyObject *cls;
  char *key; /* "module.Class", made unique */
  uint32_t flags;
  hc_param *params;
  size_t own_first, own_count; /* of params */
  const char **figures;        /* of metrics; NULL-terminated */
  PyObject *texts;             /* keeps what params and figures point to */
} part;

/* What is known of a kind. Its own struct begins with a `born`. */
struct part_kind {
  const char *word; /* the class's `kind` */
  hc_kind kind;
  size_t size;            /* of the component's struct */
  const hc_param *params; /* [param_count] that all of the kind have */
  size_t param_count;
  void (*fill)(part *p); /* its functions */
  size_t own_size;       /* of its own struct */
  const char *method;    /* that each class of it has: born.method; NULL */
  PyTypeObject **shows;  /* the type of what that is shown: born.shown; NULL */
  /* With the lock, after these: the rest of the struct. NULL: there is none. @return 0, or -1 with an
   * exception */
  int (*made)(void *self);
  void (*drop)(void *self); /* with the lock: gives the rest up; NULL */
};

extern const part_kind part_policy, part_order, part_metric, part_source, part_transform, part_place,
    part_accept;
#define PART_KINDS \
  &part_policy, &part_order, &part_metric, &part_source, &part_transform, &part_place, &part_accept

/* The part that options are of. With the lock. @return NULL: there is none */
const part *part_of(const void *opts);
/* Whether the class has a method of its own, which is not None. With the lock */
bool part_has(const part *p, const char *method);

/* ---- an object of it, in a run ---- */

/* What a method is shown during one call of it. */
typedef struct shown_object {
  PyObject ob_base;
  void *of; /* NULL: no call is under way */
} shown_object;

typedef struct born {
  const hc_allocator *allocator;
  const part *part;
  PyObject *self, *method; /* method: part_kind.method, of this object */
  shown_object *shown;     /* of part_kind.shows */
  char *state;             /* pickled, while it is visited */
  size_t used, cap;
  bool is_apart; /* the call that is under way is in a thread of the library (`threads`) */
} born;

/* Make the struct, zeroed, and the object. Takes the lock.
 * @return 0, HC_EUSAGE, HC_ENOMEM, HC_EPOLICY with the exception kept; `out` is set on success alone */
hc_rc part_bear(const hc_allocator *a, const void *opts, void **out, hc_error *e);
/* Free it. Takes the lock; NULL is fine. */
void part_bury(void *self);
/* Call the method with what it is shown. With the lock. @return as a call of Python */
PyObject *part_show(born *b, void *of);
/* What an object of part_kind.shows is of now. @return NULL with an exception: no call is under way */
void *part_shown(PyObject *o);
/* A type of what a method is shown, with these attributes. @return NULL with an exception */
PyTypeObject *part_add_shown(PyObject *module, const char *name, const char *doc, PyGetSetDef *attributes);
/* Of what the library may ask for in a thread of its own. Before the lock is taken. */
void part_enters(born *b);
/* The exception that is set, as "ValueError: what it says". With the lock. @return to */
const char *part_exception(char *to, size_t size);
/* A method raised: keep its exception for the caller of the run; in a thread of the library, where the caller
 * would not find it, drop it: the error says what it was. With the lock. @return rc */
hc_rc part_raised(const born *b, hc_time now, hc_rc rc);
/* Save, load or hash its state. Takes the lock. */
hc_rc part_visit(born *b, hc_visitor *v);

#endif
