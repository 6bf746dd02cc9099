/** @file component.h The descriptor by which each component (reader, policy, metric, exporter ...) tells the
 *  program, and its user, what it is: its kind, its name, its parameters, its figures; how its state is
 *  saved; and the registry in which components are found by name.
 *
 *  A component is a constant struct that begins with an hc_component. Its options struct is filled from a
 *  configuration by its table of parameters. The registry takes no component that is smaller than the struct
 *  of its kind, so that a member that is known is there: it need not be looked for. */
#ifndef HINDCAST_COMPONENT_H
#define HINDCAST_COMPONENT_H

#include <string.h>

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a component can be: `hindcast list` says of each kind what its components do. A library of components
 *  may have kinds of its own, numbered from HC_KIND_OWN (hc_kind_type in plugin.h). */
typedef enum hc_kind {
  HC_KIND_RUN,
  HC_KIND_READER,
  HC_KIND_WRITER,
  HC_KIND_TRANSFORM,
  HC_KIND_CELL,
  HC_KIND_CLASS,
  HC_KIND_SET,
  HC_KIND_LEVEL,
  HC_KIND_EVENTS,
  HC_KIND_CHANGE,
  HC_KIND_LOAD,
  HC_KIND_ARCHITECTURE,
  HC_KIND_SCHEDULER,
  HC_KIND_POLICY,
  HC_KIND_ORDER,
  HC_KIND_SELECT,
  HC_KIND_PLACE,
  HC_KIND_ELIGIBILITY,
  HC_KIND_ACCEPT,
  HC_KIND_PREEMPT,
  HC_KIND_POOL,
  HC_KIND_METRIC,
  HC_KIND_TRIM,
  HC_KIND_EXPORTER,
  HC_KIND_COMPAT,
  HC_KIND_CARRIER,
  HC_KIND_WORLD,
  HC_KIND_MOLD,
  HC_KIND_RESERVATION,
  HC_KIND_SETTING,
  HC_KIND_PREDICTOR,
  HC_KIND_MODEL,
  HC_KIND_PROFILE,
  HC_KIND_NETWORK,
  HC_KIND_CONNECTION,
  HC_KIND_DISK,
  HC_KIND_SPEEDUP,
  HC_KIND_PLOT,
  HC_KIND_POWER,
  HC_KIND_CHECKPOINT,
  HC_KIND_SLOWDOWN,
  HC_KIND_COUNT,
  HC_KIND_OWN = HC_KIND_COUNT,
  HC_KIND_LIMIT = HC_KIND_OWN + 16
} hc_kind;

/** Type of a parameter, and of the member of the options struct that holds it. */
typedef enum hc_type {
  HC_INT = 1,  /* int64_t */
  HC_REAL,     /* double */
  HC_TIME,     /* hc_time; written "90s", "1h30m", "2d", or a number of seconds */
  HC_SIZE,     /* int64_t bytes; written "64MiB", "1GB", or a number */
  HC_BOOL,     /* bool */
  HC_TEXT,     /* const char *, NULL if absent */
  HC_CHOICE,   /* int, index into `choices` */
  HC_COMPONENT /* hc_chosen: another component of kind `kind` with its own options */
} hc_type;

/** A component that was chosen for a parameter, and its filled options. `type` is NULL if none. */
typedef struct hc_component hc_component;
typedef struct hc_chosen {
  const hc_component *type;
  void *options;
} hc_chosen;

/** Value of a parameter declared as a list: `count` items of the type's C type. */
typedef struct hc_list {
  void *items;
  size_t count;
} hc_list;

/** One parameter of a component. A table of them ends with a row whose name is NULL. */
typedef struct hc_param {
  const char *name;
  hc_type type;
  bool list;            /* the member is an hc_list of the type */
  hc_kind kind;         /* HC_COMPONENT: which kind */
  size_t offset;        /* of the member in the options struct */
  const char *unit;     /* "s", "processors", "1"; NULL if it has none */
  const char *fallback; /* default, spelt as a user would; NULL: absent (0, NULL, HC_UNKNOWN for times) */
  double min, max;      /* inclusive range of int, real, time (in s), size; both 0: any */
  const char *choices;  /* HC_CHOICE: "a|b|c" */
  const char *help;     /* one sentence or more */
} hc_param;

#define HC_FILE_UNIT "file" /* hc_param.unit of a FILE */
/** Whether its values are names of files to be read. A component of a shared object that says TEXT where it
 *  means FILE is believed if it calls it `file`. Since 0.3. */
static inline bool hc_param_names_files(const hc_param *p)
{
  if (p->type != HC_TEXT) return false;
  return strcmp(p->unit ? p->unit : p->name, HC_FILE_UNIT) == 0;
}

/** A row of such a table: where its value lies, what it is if nothing is said, and its help text. The member
 *  must be of the type's C type, which is checked where the row is compiled (in C only); its name is the
 *  parameter's.
 *
 *      static const hc_param params[] = {
 *          HC_PARAM(REAL, options, factor, "1", "2", 1, 1e9, "Estimates are multiplied by this factor."),
 *          HC_PARAM(CHOICE, options, rule, "first|best", "best", "Which host is taken."),
 *          {.name = NULL}};
 *
 *  After the struct and its member come, in the order and with the meaning of hc_param's members,
 *
 *      INT, REAL, TIME, SIZE   unit, fallback, min, max      BOOL, TEXT, FILE   fallback
 *      CHOICE                  choices, fallback             COMPONENT          kind, fallback
 *
 *  and the help text; NULL is none. INTS, REALS ... are lists of them. A FILE is a text that names a file, a
 *  folder or a pattern of files to be read, which are inputs of the result. HC_PARAM_AS takes a name
 *  before the struct: for members of members, and where the parameter's name is another than its member's. */
#define HC_PARAM(type, struct_, member, ...) HC_PARAM_##type(#member, struct_, member, __VA_ARGS__)
#define HC_PARAM_AS(type, name, struct_, member, ...) HC_PARAM_##type(name, struct_, member, __VA_ARGS__)

#define HC_PARAM_ROW_(name_, struct_, member, c_type, ...) \
  { \
    .name = name_, \
    .offset = _Generic(&((struct_ *)0)->member, c_type * \
                       : offsetof(struct_, member)), \
    __VA_ARGS__ \
  }
#define HC_PARAM_NUMBER_(n, s, m, c, type_, unit_, fallback_, min_, max_, help_) \
  HC_PARAM_ROW_(n, s, m, c, .type = type_, .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, \
                .help = help_)
#define HC_PARAM_NUMBERS_(n, s, m, type_, unit_, fallback_, min_, max_, help_) \
  HC_PARAM_ROW_(n, s, m, hc_list, .type = type_, .list = true, .unit = unit_, .fallback = fallback_, \
                .min = min_, .max = max_, .help = help_)
#define HC_PARAM_WORD_(n, s, m, c, type_, list_, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, c, .type = type_, .list = list_, .fallback = fallback_, .help = help_)

#define HC_PARAM_INT(n, s, m, ...) HC_PARAM_NUMBER_(n, s, m, int64_t, HC_INT, __VA_ARGS__)
#define HC_PARAM_REAL(n, s, m, ...) HC_PARAM_NUMBER_(n, s, m, double, HC_REAL, __VA_ARGS__)
#define HC_PARAM_TIME(n, s, m, ...) HC_PARAM_NUMBER_(n, s, m, hc_time, HC_TIME, __VA_ARGS__)
#define HC_PARAM_SIZE(n, s, m, ...) HC_PARAM_NUMBER_(n, s, m, int64_t, HC_SIZE, __VA_ARGS__)
#define HC_PARAM_INTS(n, s, m, ...) HC_PARAM_NUMBERS_(n, s, m, HC_INT, __VA_ARGS__)
#define HC_PARAM_REALS(n, s, m, ...) HC_PARAM_NUMBERS_(n, s, m, HC_REAL, __VA_ARGS__)
#define HC_PARAM_TIMES(n, s, m, ...) HC_PARAM_NUMBERS_(n, s, m, HC_TIME, __VA_ARGS__)
#define HC_PARAM_SIZES(n, s, m, ...) HC_PARAM_NUMBERS_(n, s, m, HC_SIZE, __VA_ARGS__)
#define HC_PARAM_BOOL(n, s, m, ...) HC_PARAM_WORD_(n, s, m, bool, HC_BOOL, false, __VA_ARGS__)
#define HC_PARAM_TEXT(n, s, m, ...) HC_PARAM_WORD_(n, s, m, const char *, HC_TEXT, false, __VA_ARGS__)
#define HC_PARAM_FILE(n, s, m, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, const char *, .type = HC_TEXT, .unit = HC_FILE_UNIT, .fallback = fallback_, \
                .help = help_)
#define HC_PARAM_FILES(n, s, m, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, hc_list, .type = HC_TEXT, .list = true, .unit = HC_FILE_UNIT, \
                .fallback = fallback_, .help = help_)
#define HC_PARAM_BOOLS(n, s, m, ...) HC_PARAM_WORD_(n, s, m, hc_list, HC_BOOL, true, __VA_ARGS__)
#define HC_PARAM_TEXTS(n, s, m, ...) HC_PARAM_WORD_(n, s, m, hc_list, HC_TEXT, true, __VA_ARGS__)
#define HC_PARAM_CHOICE(n, s, m, choices_, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, int, .type = HC_CHOICE, .choices = choices_, .fallback = fallback_, .help = help_)
#define HC_PARAM_CHOICES(n, s, m, choices_, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, hc_list, .type = HC_CHOICE, .list = true, .choices = choices_, \
                .fallback = fallback_, .help = help_)
#define HC_PARAM_COMPONENT(n, s, m, kind_, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, hc_chosen, .type = HC_COMPONENT, .kind = kind_, .fallback = fallback_, .help = help_)
#define HC_PARAM_COMPONENTS(n, s, m, kind_, fallback_, help_) \
  HC_PARAM_ROW_(n, s, m, hc_list, .type = HC_COMPONENT, .list = true, .kind = kind_, .fallback = fallback_, \
                .help = help_)

/** How a component describes itself; the first member of every component's struct. */
struct hc_component {
  uint32_t size, abi; /* sizeof the whole struct, HC_ABI */
  hc_kind kind;
  const char *name;       /* as written in a configuration */
  const char *summary;    /* one line for lists */
  const char *detail;     /* formula, semantics, what it does not do; may be NULL */
  const char *source;     /* publication or program it follows; may be NULL */
  const hc_param *params; /* NULL if none */
  size_t options_size;    /* of the options struct that `params` describes */
  /** What a run finds out by it, one line a figure: "name|unit|direction, role ...|formula", NULL-terminated;
   *  `hindcast describe` prints them. The direction is `higher` or `lower`, whichever is better where all
   *  else is equal, or `none` where neither is: verdicts of studies follow it. Left out: none. Roles say
   *  where a figure is shown without being asked for: usual, compared, primary, performance (hc_figure_role);
   *  most have none. NULL: no figures. Every figure found is declared, and every declared one of a metric is
   *  found. */
  const char *const *figures;
};

/** First member of a component's struct. The others follow by designated initialisers. */
#define HC_COMPONENT_HEAD(struct_type, kind_) \
  .size = (uint32_t)sizeof(struct_type), .abi = HC_ABI, .kind = (kind_)

/* ---- state ---- */

/** Writes, reads or hashes a component's state with one piece of code: see hc_visit_bytes. */
typedef struct hc_visitor hc_visitor;

/** What a visitor can do. A pointer to this is its first member, so that a component in a shared object,
 *  which links against nothing of ours, can save its state too: see hc_visitor_calls_of. */
typedef struct hc_visitor_calls {
  uint32_t size, abi;
  hc_rc (*bytes)(hc_visitor *v, void *p, size_t size);
  hc_rc (*array)(hc_visitor *v, void **items, size_t *count, size_t *cap, size_t item);
  bool (*loading)(const hc_visitor *v);
} hc_visitor_calls;

/** The calls of a visitor: `hc_visitor_calls_of(v)->bytes(v, &self->count, sizeof self->count)`. */
static inline const hc_visitor_calls *hc_visitor_calls_of(const hc_visitor *v)
{
  return *(const hc_visitor_calls *const *)(const void *)v;
}

/** Visit `size` bytes at `p`: saved, loaded over, or hashed. Structs with padding must be zeroed when made.
 *  @return 0, HC_ENOMEM, or HC_EINPUT if a snapshot is too short. */
HC_API hc_rc hc_visit_bytes(hc_visitor *v, void *p, size_t size);
/** Visit an array that grows: its length, then its items. On loading `*items` is resized through the run's
 *  allocator and `*cap` set. @param item size of one item, bytes.
 *  @return as hc_visit_bytes; HC_EINPUT also if a snapshot announces more items than it has bytes for. */
HC_API hc_rc hc_visit_array(hc_visitor *v, void **items, size_t *count, size_t *cap, size_t item);
/** True while state is being read back. */
HC_API bool hc_visit_loading(const hc_visitor *v);

/* ---- the component registry ---- */

/** The set of known components: the built-in ones and those of loaded shared objects. */
typedef struct hc_registry hc_registry;

/** Find a component. @return NULL if there is none of that name. Cost: O(components of the kind). */
HC_API const hc_component *hc_registry_find(const hc_registry *r, hc_kind kind, const char *name);
/** Component number `i` of a kind, in the order of its list; NULL past the last. */
HC_API const hc_component *hc_registry_at(const hc_registry *r, hc_kind kind, size_t i);
/** The known name of that kind nearest to `name`; NULL if nothing is near. */
HC_API const char *hc_registry_nearest(const hc_registry *r, hc_kind kind, const char *name);
/** Load a shared object and add its components: all of them, or none. The same file again is not an error.
 *  Not while another thread uses the registry. @return 0; HC_EIO (cannot be loaded); HC_EVERSION (made for
 *  another ABI); HC_EUSAGE (not one of ours, a name that is taken, a component that is not complete);
 *  HC_ENOMEM. */
HC_API hc_rc hc_registry_load(hc_registry *r, const char *path, hc_error *e);
/** The word of a kind: "order"; "?" if the registry has no such kind. */
HC_API const char *hc_kind_name(const hc_registry *r, hc_kind k);

#ifdef __cplusplus
}
#endif
#endif
