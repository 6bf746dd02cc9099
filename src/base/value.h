/* value.h -- one tree for everything that is configured: YAML and JSON are read into it, flags patch it.
 *
 * A value is a scalar (kept as text, with whether it was quoted), a list, or a map in the order written.
 * Each knows its place in its file and which layer of the configuration it came from. The tree lives in an
 * arena. */
#ifndef HC_BASE_VALUE_H
#define HC_BASE_VALUE_H

#include "base/mem.h"

typedef enum hc_value_kind { HC_VALUE_NULL, HC_VALUE_SCALAR, HC_VALUE_LIST, HC_VALUE_MAP } hc_value_kind;

/* Where a value came from; later layers win. */
typedef enum hc_origin { HC_FROM_DEFAULT, HC_FROM_COMPAT, HC_FROM_FILE, HC_FROM_SET, HC_FROM_FLAG } hc_origin;

typedef struct hc_value hc_value;
struct hc_value {
  hc_value_kind kind;
  hc_origin origin;
  bool quoted;             /* scalar written in quotes: never a number, bool or null */
  const char *file;        /* NULL if not from a file */
  const char *source_line; /* the text of the line it stands on; NULL if not from a file */
  uint32_t line, column;   /* 1-based */
  const char *text;        /* scalar */
  const char *key;         /* of this value in its map */
  const char *
      key_source_line; /* the text of the line the key stands on: a map's own line is that of its first key */
  uint32_t key_line, key_column;
  hc_value **items; /* list and map */
  size_t count, cap;
};

/** Parse YAML 1.2 (JSON is a subset). @param name what to call the input in errors.
 *  @return 0; HC_EINPUT with place, line and a caret in the text; HC_ELIMIT past 64 levels, 16 MiB or 10^6
 *  nodes; HC_ENOMEM. Duplicate keys are an error. Aliases are expanded within the limits. An empty
 *  document is a NULL value. */
hc_rc hc_value_parse(hc_arena *a, const char *text, size_t size, const char *name, hc_value **out,
                     hc_error *e);

/** Parse a file ("-" is standard input). Texts that begin with `$here/` begin with the file's directory
 *  instead.
 *  @return as hc_value_parse, or HC_EIO. */
hc_rc hc_value_parse_file(hc_arena *a, const char *path, hc_value **out, hc_error *e);

/** Take "path=value" apart; the value is YAML. @param flag  what gave it, for errors ("--set")
 *  @param expected  its shape and one that is right ("option=value, such as table=summary")
 *  @param path  out, in the arena. @return 0, HC_EUSAGE (no path, no =), or as hc_value_parse. */
hc_rc hc_value_parse_setting(hc_arena *a, const char *setting, const char *flag, const char *expected,
                             const char **path, hc_value **out, hc_error *e);

hc_value *hc_value_map(hc_arena *a); /* an empty map */
hc_value *hc_value_scalar(hc_arena *a, const char *text, hc_origin origin);
hc_value *hc_value_get(const hc_value *map, const char *key); /* NULL if absent or not a map */
hc_rc hc_value_put(hc_arena *a, hc_value *map, const char *key,
                   hc_value *item); /* replaces; takes its place in order */
hc_rc hc_value_append(hc_arena *a, hc_value *list_or_map, hc_value *item);

/** Set "policy.select.depth" to a value, making maps on the way. A scalar in the way becomes `{use: scalar}`,
 *  since `select: easy` and `select: {use: easy}` mean the same. List items are addressed by number.
 *  @return 0, HC_EUSAGE (empty step, number out of range), HC_ENOMEM. */
hc_rc hc_value_set_path(hc_arena *a, hc_value *root, const char *path, hc_value *item, hc_error *e);

/** Lay `over` on `under`, `over` winning: maps are merged key by key, everything else is replaced; `easy`
 *  laid on `{use: easy, depth: 2}` keeps the depth, and on another `use` replaces it whole. Returns the
 *  merged tree. */
hc_value *hc_value_merge(hc_arena *a, hc_value *under, hc_value *over);

/** An error about a value: "file:line:column", the text, the line and a caret. */
hc_rc hc_value_fail(const hc_value *v, hc_error *e, hc_rc rc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** The same about its key, "unknown key". */
hc_rc hc_value_fail_key(const hc_value *v, hc_error *e, hc_rc rc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Write as YAML (block style, keys in order, two spaces) or JSON. Scalars that look like numbers, true,
 *  false and null stay bare in JSON unless they were quoted. */
void hc_value_write_yaml(const hc_value *v, hc_buffer *out);
void hc_value_write_json(const hc_value *v, hc_buffer *out, bool pretty);

#endif
