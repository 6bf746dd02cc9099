/** @file base.h What every other header stands on: time, errors, memory, text, numbers, ranges of ids.
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
/** Of components: changes only when the meaning of an existing member of a component changes. "Since 0.2" at
 *  a member or a function says with which round of additions it came, and is no version: members are added
 *  at the end of a structure, so that a shared object that was built before still loads. */
#define HC_ABI 5u
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

/** What the library has of the program around it: memory, and the files that inputs are read from.
 *  `resize(ctx, NULL, 0, n)` allocates, `resize(ctx, p, n, 0)` frees and returns NULL; NULL for n > 0 means
 *  out of memory and leaves `p` as it was. `files` (hindcast/files.h) is where every input that is named is
 *  looked for; NULL: among the system's files, of which a core has none. */
typedef struct hc_allocator {
  void *ctx;
  void *(*resize)(void *ctx, void *p, size_t old_size, size_t new_size);
  const struct hc_files *files;
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
/** A JSON document on its way into a text, which may be emptied in between: commas, quotes and indentation
 *  follow from the nesting. Members begin on lines of their own, but for those of what is entered by
 *  hc_json_enter_line; a document ends with a newline. In a `compact` one there is no space and no newline.
 *  Begin with {.out = text}. */
typedef struct hc_json_writer {
  hc_buffer *out;
  size_t depth, line; /* line: at which depth the one began that is written on one line; 0: none */
  bool compact, has_any;
} hc_json_writer;

/** Begin a member, whose value the caller appends next to `out`. @param key NULL in a list */
HC_API void hc_json_key(hc_json_writer *w, const char *key);
/** Begin and end an object or a list. @param bracket one of {[ and of ]} */
HC_API void hc_json_enter(hc_json_writer *w, const char *key, char bracket);
HC_API void hc_json_enter_line(hc_json_writer *w, const char *key, char bracket);
HC_API void hc_json_leave(hc_json_writer *w, char bracket);
/** Write a member: a text (NULL: null), a number, true or false, or `value` as it is, which is JSON. */
HC_API void hc_json_put_text(hc_json_writer *w, const char *key, const char *value);
HC_API void hc_json_put_int(hc_json_writer *w, const char *key, int64_t value);
HC_API void hc_json_put_real(hc_json_writer *w, const char *key, double value);
HC_API void hc_json_put_bool(hc_json_writer *w, const char *key, bool value);
HC_API void hc_json_put_raw(hc_json_writer *w, const char *key, const char *value);
/** Append `s` as one CSV field (RFC 4180), quoted only if needed. @param n bytes. */
HC_API void hc_csv_field(hc_buffer *out, const char *s, size_t n);

/** Append `s` as it may be shown on a terminal and in errors: control characters (C0 but for those in `keep`,
 *  DEL, and C1 as UTF-8) become \\x1b and \\u009b, everything else stays. @param n bytes; @param keep such as
 *  "\\n\\t". */
HC_API void hc_shown_text(hc_buffer *out, const char *s, size_t n, const char *keep);
/** Append text that stands within an element of XML or HTML. These have no control characters, not even as
 *  references, and no text that is not UTF-8: the former are shown as above, in place of the latter stands
 *  U+FFFD. @param n bytes */
HC_API void hc_xml_text(hc_buffer *out, const char *s, size_t n);
/** Append bytes as base64 (RFC 4648, with padding). @param size bytes. Since 0.3. */
HC_API void hc_base64(hc_buffer *out, const void *data, size_t size);
/** Append bytes in zlib's format (RFC 1950). @param size bytes
 *  @return 0, HC_EUNSUPPORTED from a core, which packs nothing (`out` is as it was), HC_ENOMEM. Cost: about
 *  20 ns a byte. Since 0.3. */
HC_API hc_rc hc_pack(const hc_allocator *a, const void *data, size_t size, hc_buffer *out);

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

/** The functions above that read and write numbers, for components in shared objects, which can call no
 *  function of the library by its name: the contexts of readers, policies and metrics have them.
 *  Since 0.3. */
typedef struct hc_number_calls {
  uint32_t size, abi;
  hc_rc (*parse_int)(const char *s, size_t n, int64_t *out);
  hc_rc (*parse_real)(const char *s, size_t n, double *out);
  hc_rc (*parse_time)(const char *s, size_t n, hc_time *out);
  hc_rc (*parse_size)(const char *s, size_t n, int64_t *out);
  hc_rc (*parse_seconds)(const char *s, size_t n, hc_time *out);
  /** A date, 2024-01-31 or 2024-01-31T09:30:00.5, with Z or +01:00; without, it is of UTC. A blank may stand
   *  in place of the T. @param out  Unix time, ns @return 0, or HC_EINPUT with `out` untouched */
  hc_rc (*parse_date)(const char *s, size_t n, hc_time *out);
  size_t (*format_real)(double x, char *buf);
  size_t (*format_seconds)(hc_time t, char *buf);
  size_t (*format_duration)(hc_time t, char *buf);
  size_t (*format_count)(int64_t n, char *buf);
  size_t (*format_size)(int64_t bytes, char *buf);
  hc_calendar (*calendar_of)(int64_t unix_seconds, int32_t offset);
} hc_number_calls;

/** The release of the tz database whose zones are part of the program, "2026f". */
HC_API const char *hc_zone_version(void);

/* ---- ids and ranges ---- */

/** `count` consecutive ids from `first`: processors or hosts. Sets of them are ascending and disjoint. */
typedef struct hc_range {
  uint32_t first, count;
} hc_range;

#ifdef __cplusplus
}
#endif
#endif
