/** @file base.h What every other header stands on: time, errors, memory, values, and the descriptor by which
 *  each component (reader, policy, metric, exporter ...) tells the program, and its user, what it is.
 *
 *  Units: times are `hc_time`, whole nanoseconds. Amounts are `int64_t`. Text is UTF-8, NUL-terminated.
 *  Ownership: `hc_x_new/free` allocates; `hc_x_init/fini` uses the caller's memory; everything else borrows.
 *  Threads: no function touches a global; two threads may use two different runs at once. */
#ifndef HINDCAST_BASE_H
#define HINDCAST_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HC_VERSION "0.1.0"
#define HC_ABI 4u /* changes only when the meaning of an existing member of a component changes */
#define HC_API __attribute__((visibility("default")))

/* ---- time ---- */

/** Virtual time or a duration: nanoseconds since the origin of the run. */
typedef int64_t hc_time;
#define HC_NEVER INT64_MAX   /* later than everything; adding to it stays there */
#define HC_UNKNOWN INT64_MIN /* "not recorded", where a time or an amount may be missing */
#define HC_US ((hc_time)1000)
#define HC_MS ((hc_time)1000000)
#define HC_SECOND ((hc_time)1000000000)
#define HC_MINUTE (60 * HC_SECOND)
#define HC_HOUR (3600 * HC_SECOND)
#define HC_DAY (86400 * HC_SECOND)

/** A task's own rate. All of 1 / k up to k = 24 are whole numbers of it (it is the least number of which 1 to
 *  24 are divisors), so that sharing among so many loses nothing; others are rounded by the policy that sets
 *  them. Work done is kept in 128 bits, rate x ns, never rounded: a task ends at the first whole ns at which
 *  sum of rate x time >= run x HC_RATE_ONE. */
#define HC_RATE_ONE INT64_C(5354228880)
#define HC_RATE_MOST (HC_RATE_ONE * 1000)

/* ---- errors ---- */

/** Every code a function can return, and what it means. Zero is success; codes are negative. */
#define HC_ERRORS(X) \
  X(EINPUT, -1, "the input is wrong") \
  X(EUSAGE, -2, "the command or the configuration is wrong") \
  X(ENOMEM, -3, "out of memory") \
  X(EIO, -4, "the system refused a read or a write") \
  X(ENOTFOUND, -5, "there is no such thing") \
  X(ELIMIT, -6, "a limit was exceeded") \
  X(EPOLICY, -7, "a policy asked for what cannot be") \
  X(ECONFLICT, -8, "the cell changed since the plan was made") \
  X(EUNSUPPORTED, -9, "these parts cannot be combined") \
  X(ELIVELOCK, -10, "time stands still") \
  X(ECANCELLED, -11, "interrupted") \
  X(EREFUTED, -12, "a check failed") \
  X(EVERSION, -13, "made by another version")

enum {
#define X(name, value, text) HC_##name = value,
  HC_ERRORS(X)
#undef X
};

/** 0 or a negative HC_E* code; a positive value only where the function says what it counts. */
typedef int hc_rc;

/** One error, with a place. The first failure fills it; later ones do not overwrite it. */
typedef struct hc_error {
  hc_rc rc;              /* HC_E*, 0 while nothing failed */
  uint32_t line, column; /* 1-based; 0 if not about a file */
  char where[256];       /* "cluster.yaml", "policy easy", "task 17"; may be empty */
  char text[768];        /* what is wrong, then what to do */
} hc_error;

/** Fill `e` (may be NULL) unless it already holds an error; return `rc`. @param text printf format. */
HC_API hc_rc hc_fail(hc_error *e, hc_rc rc, const char *where, uint32_t line, uint32_t column,
                     const char *text, ...) __attribute__((format(printf, 6, 7)));

/** Name of a code ("HC_EINPUT") and its meaning; both constant. Unknown codes give "?" */
HC_API const char *hc_rc_name(hc_rc rc);
HC_API const char *hc_rc_text(hc_rc rc);

/* ---- memory ---- */

/** Where memory comes from. `resize(ctx, NULL, 0, n)` allocates, `resize(ctx, p, n, 0)` frees and returns
 *  NULL; NULL for n > 0 means out of memory and leaves `p` as it was. */
typedef struct hc_allocator {
  void *ctx;
  void *(*resize)(void *ctx, void *p, size_t old_size, size_t new_size);
} hc_allocator;

/** The C library's allocator. */
HC_API const hc_allocator *hc_default_allocator(void);

/* ---- text ---- */

/** A text that grows: `data` ends in a NUL that `size` does not count; NULL while nothing was added. */
typedef struct hc_buffer {
  const hc_allocator *allocator;
  char *data;
  size_t size, cap; /* bytes */
  bool failed;      /* an allocation failed: the text is incomplete */
} hc_buffer;

/** Make it empty; give back what it holds. */
HC_API void hc_buffer_init(hc_buffer *b, const hc_allocator *allocator);
HC_API void hc_buffer_fini(hc_buffer *b);
/** Append. Running out of memory sets `failed` and is otherwise silent, so that only the end needs a look.
 *  @param size bytes of `data`; @param format as printf's. */
HC_API void hc_buffer_add(hc_buffer *b, const void *data, size_t size);
HC_API void hc_buffer_text(hc_buffer *b, const char *s);
HC_API void hc_buffer_printf(hc_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Append `s` as a JSON string with quotes and escapes; invalid UTF-8 becomes U+FFFD. @param n bytes. */
HC_API void hc_json_string(hc_buffer *out, const char *s, size_t n);
/** Append `s` as one CSV field (RFC 4180), quoted only if needed. @param n bytes. */
HC_API void hc_csv_field(hc_buffer *out, const char *s, size_t n);

/** Append `s` as it may be shown on a terminal and in errors: control characters (C0 but for those in `keep`,
 *  DEL, and C1 as UTF-8) become \\x1b and \\u009b, everything else stays. @param n bytes; @param keep such as
 *  "\\n\\t". */
HC_API void hc_shown_text(hc_buffer *out, const char *s, size_t n, const char *keep);

/** Where something is written to: a file, standard output, a growing text. @return 0, or an error that stops
 *  the writing. */
typedef struct hc_sink {
  void *ctx;
  hc_rc (*write)(void *ctx, const void *data, size_t size);
} hc_sink;

/** Whether two names are of one file: the same device and inode. False if one of them is not there. */
HC_API bool hc_same_file(const char *a, const char *b);

/** Whether a file is of the kind of what begins with `data`: whether it is empty, or its first line (the
 *  first bytes, where that is short) is the same but for numbers. What is of the kind of what is written may
 *  be replaced by it. @param size  bytes known; HC_BEGIN are enough */
HC_API bool hc_begins_alike(const char *path, const char *data, size_t size);
#define HC_BEGIN 64

/** A file that is being written, beside the target whose name it takes when it is whole. It is locked as long
 *  as it is open; left-overs of processes that were killed are removed when the next one for the same target
 *  is opened. */
typedef struct hc_partial {
  const hc_allocator *allocator;
  char *name; /* NULL: none is open */
  size_t size;
  int fd; /* for writing */
} hc_partial;

/** @return 0, HC_EIO with a remedy, HC_ENOMEM. Cost: one listing of the directory. */
HC_API hc_rc hc_partial_open(const hc_allocator *a, const char *path, hc_partial *out, hc_error *e);
/** Bring it to disk and give it its name. @return 0; HC_EIO: it is still there, to be dropped. */
HC_API hc_rc hc_partial_commit(hc_partial *p, const char *path, hc_error *e);
/** Remove it; nothing if none is open. */
HC_API void hc_partial_drop(hc_partial *p);
/** Make the directory of `path` if it is missing and below the working directory, one level only. @param made
 *  out @return 0; HC_EIO if it is outside, or cannot be made, with the remedy; HC_ENOMEM. */
HC_API hc_rc hc_target_directory(const hc_allocator *a, const char *path, bool *made, hc_error *e);

/** Read numbers as people write them: 1_000 and 1e6; 90, 1.5h, 1h30m, D-HH:MM:SS, never; 64MiB. No locale.
 *  @param n bytes of `s`, of which all must be the number; @return 0, or HC_EINPUT with `out` untouched. */
HC_API hc_rc hc_parse_int(const char *s, size_t n, int64_t *out);
HC_API hc_rc hc_parse_real(const char *s, size_t n, double *out);
HC_API hc_rc hc_parse_time(const char *s, size_t n, hc_time *out);
HC_API hc_rc hc_parse_size(const char *s, size_t n, int64_t *out);
/** A decimal number of seconds, as traces write times: "12", "-1", "12.5", "1e3". @return 0 or HC_EINPUT. */
HC_API hc_rc hc_parse_seconds(const char *s, size_t n, hc_time *out);

/** Write numbers. @param buf [32] out; @return bytes written, without the NUL. The shortest text that
 *  reads back as the same double ("null" if it is none); seconds with the decimals they need ("0.5"); "1d
 *  02:03:04"; "1,234,567"; "1.5 GiB". */
HC_API size_t hc_format_real(double x, char *buf);
HC_API size_t hc_format_seconds(hc_time t, char *buf);
HC_API size_t hc_format_duration(hc_time t, char *buf);
HC_API size_t hc_format_count(int64_t n, char *buf);
HC_API size_t hc_format_size(int64_t bytes, char *buf);

/** Number of edits (insert, delete, replace, swap) between two words, for "did you mean"; stops at
 *  `limit`. */
HC_API size_t hc_edit_distance(const char *a, const char *b, size_t limit);

/** Calendar of a Unix time in a zone given as seconds east of UTC. Proleptic Gregorian. */
typedef struct hc_calendar {
  int64_t year;
  int month, day, hour, minute, second; /* month and day from 1 */
  int weekday;                          /* 0 = Monday */
} hc_calendar;
HC_API hc_calendar hc_calendar_of(int64_t unix_seconds, int32_t offset);

/** The release of the tz database whose zones are part of the program, "2026f". */
HC_API const char *hc_zone_version(void);

/* ---- ids and ranges ---- */

/** `count` consecutive ids from `first`: processors or hosts. Sets of them are ascending and disjoint. */
typedef struct hc_range {
  uint32_t first, count;
} hc_range;

/* ---- components ---- */

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
 *      INT, REAL, TIME, SIZE   unit, fallback, min, max      BOOL, TEXT   fallback
 *      CHOICE                  choices, fallback             COMPONENT    kind, fallback
 *
 *  and the help text; NULL is none. INTS, REALS ... are lists of them. HC_PARAM_AS takes a name before the
 *  struct: for members of members, and where the parameter's name is another than its member's. */
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

/* ---- figures ---- */

/** Where a component says what it found: two functions, so that one in a shared object needs no symbol of
 *  ours. Rows come out in the order of the calls. */
typedef struct hc_findings {
  void *ctx;
  /** A figure of the summary: `count` is its exact value if `is_count`, and `value` the same as a real. */
  hc_rc (*figure)(void *ctx, const char *name, const char *unit, double value, bool is_count, int64_t count);
  /** A cell of a table. */
  hc_rc (*cell)(void *ctx, const char *table, int64_t key, const char *name, const char *unit, double value);
  /** Whether a figure of the summary is wanted: one that is not need not be found, nor worked for. NULL: all
   *  are. */
  bool (*wants)(void *ctx, const char *name);
} hc_findings;

/** Before work that is for some figures only. Who finds them all the same does no harm. */
static inline bool hc_find_wants(const hc_findings *f, const char *name)
{
  return !f->wants || f->wants(f->ctx, name);
}

/** One figure of the summary. @param name "wait_mean"; @param unit "s", "1"; NaN is stored as NULL.
 *  @return 0, or what keeping it returned. */
static inline hc_rc hc_find_real(hc_findings *f, const char *name, const char *unit, double value)
{
  return f->figure(f->ctx, name, unit, value, false, 0);
}
/** The same for a whole number, which stays exact. */
static inline hc_rc hc_find_count(hc_findings *f, const char *name, const char *unit, int64_t value)
{
  return f->figure(f->ctx, name, unit, (double)value, true, value);
}
/** A cell of a table: table "by_user", key 17 (or a time), figure "wait_mean". */
static inline hc_rc hc_find_cell(hc_findings *f, const char *table, int64_t key, const char *name,
                                 const char *unit, double value)
{
  return f->cell(f->ctx, table, key, name, unit, value);
}

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
