/* value.c -- the tree of configuration: building it, laying layers over each other, errors with a caret,
 * writers.
 *
 * Everything lives in the caller's arena and nothing is freed. Merging builds new maps and shares what is
 * below them unchanged, so that neither layer is written to. Reading is in yaml.c.
 *
 * Keys are looked for one after another: maps of a configuration are short, and one that is long costs
 * O(keys) a look. Walks recurse once per level, and levels are bounded: 64 from a file, 64 more by a path. */
#include "base/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/util.h"

#define PATH_STEPS 64

/* ---- building ---- */

hc_value *hc_value_map(hc_arena *a)
{
  hc_value *v = hc_arena_alloc(a, sizeof *v);
  if (v) v->kind = HC_VALUE_MAP;
  return v;
}

hc_value *hc_value_scalar(hc_arena *a, const char *text, hc_origin origin)
{
  hc_value *v = hc_arena_alloc(a, sizeof *v);
  if (!v) return NULL;
  v->kind = HC_VALUE_SCALAR;
  v->origin = origin;
  v->text = hc_arena_text(a, text, strlen(text));
  return v->text ? v : NULL;
}

static bool find(const hc_value *map, const char *key, size_t *at)
{
  if (!map || map->kind != HC_VALUE_MAP) return false;
  for (size_t i = 0; i < map->count; i++) {
    if (strcmp(map->items[i]->key, key) != 0) continue;
    *at = i;
    return true;
  }
  return false;
}

hc_value *hc_value_get(const hc_value *map, const char *key)
{
  size_t i;
  return find(map, key, &i) ? map->items[i] : NULL;
}

hc_rc hc_value_append(hc_arena *a, hc_value *list_or_map, hc_value *item)
{
  hc_value *v = list_or_map;
  HC_ASSERT(v->kind == HC_VALUE_LIST || (v->kind == HC_VALUE_MAP && item->key));
  if (v->count == v->cap) {
    size_t cap = v->cap ? v->cap * 2 : 4;
    hc_value **items = hc_arena_alloc(a, cap * sizeof(hc_value *));
    if (!items) return HC_ENOMEM;
    if (v->count > 0) memcpy(items, v->items, v->count * sizeof(hc_value *));
    v->items = items;
    v->cap = cap;
  }
  v->items[v->count++] = item;
  return 0;
}

hc_rc hc_value_put(hc_arena *a, hc_value *map, const char *key, hc_value *item)
{
  size_t i;
  const char *copy;
  HC_ASSERT(map->kind == HC_VALUE_MAP);
  copy = hc_arena_text(a, key, strlen(key));
  if (!copy) return HC_ENOMEM;
  if (find(map, key, &i)) {
    map->items[i] = item;
    item->key = copy;
    return 0;
  }
  item->key = copy;
  return hc_value_append(a, map, item);
}

/* ---- paths ---- */

/* Turn what stands in the way of a path into a map, keeping its key and place: null becomes {}, easy {use:
 * easy}. */
static hc_rc become_map(hc_arena *a, hc_value *v)
{
  hc_value *use = NULL;
  if (v->kind == HC_VALUE_SCALAR) {
    use = hc_arena_alloc(a, sizeof *use);
    if (!use) return HC_ENOMEM;
    *use = *v;
  }
  v->kind = HC_VALUE_MAP;
  v->text = NULL;
  v->quoted = false;
  v->items = NULL;
  v->count = v->cap = 0;
  return use ? hc_value_put(a, v, "use", use) : 0;
}

/* @param next  the number behind the last item will do */
static bool list_index(const hc_value *list, const char *step, bool next, size_t *at)
{
  int64_t i;
  if (hc_parse_int(step, strlen(step), &i) < 0 || i < 0 || (uint64_t)i >= list->count + next) return false;
  *at = (size_t)i;
  return true;
}

/* The value that one step leads to, made if need be; with `item` the step is the last one, and sets it. */
static hc_rc take_step(hc_arena *a, hc_value **at, const char *step, hc_value *item, const char *path,
                       hc_error *e)
{
  hc_value *v = *at, *next;
  size_t i;
  if (v->kind == HC_VALUE_LIST) {
    if (!list_index(v, step, item != NULL, &i))
      return hc_fail(e, HC_EUSAGE, path, 0, 0,
                     "'%.100s' is not an item of a list of %zu; items are numbered from 0", step, v->count);
    if (i == v->count) {
      *at = item;
      return hc_value_append(a, v, item);
    }
    if (item) v->items[i] = item;
    *at = v->items[i];
    return 0;
  }
  if (v->kind != HC_VALUE_MAP) TRY(become_map(a, v));
  next = item ? item : hc_value_get(v, step);
  if (!next) {
    next = hc_value_map(a);
    if (!next) return HC_ENOMEM;
    next->origin = v->origin;
  } else if (!item) {
    *at = next;
    return 0;
  }
  *at = next;
  return hc_value_put(a, v, step, next);
}

/* Whether a path is well formed, found out before anything is changed. */
static hc_rc check_path(const char *path, hc_error *e)
{
  size_t steps = 1, length = 0;
  for (const char *p = path;; p++) {
    if (*p != '.' && *p != '\0') {
      length++;
      continue;
    }
    if (length == 0)
      return hc_fail(e, HC_EUSAGE, path, 0, 0,
                     "a step of the path is empty; write it like policy.select.depth");
    if (*p == '\0') break;
    steps++;
    length = 0;
  }
  if (steps > PATH_STEPS)
    return hc_fail(e, HC_EUSAGE, path, 0, 0, "the path has %zu steps; %d are allowed", steps, PATH_STEPS);
  return 0;
}

hc_rc hc_value_set_path(hc_arena *a, hc_value *root, const char *path, hc_value *item, hc_error *e)
{
  hc_rc rc = check_path(path, e);
  const char *p = path;
  TRY(rc);
  for (;;) {
    size_t length = strcspn(p, ".");
    bool last = p[length] == '\0';
    char *step = hc_arena_text(a, p, length);
    rc = step ? take_step(a, &root, step, last ? item : NULL, path, e) : HC_ENOMEM;
    if (rc == HC_ENOMEM) return hc_fail(e, rc, path, 0, 0, "out of memory");
    if (rc < 0 || last) return rc;
    p += length + 1;
  }
}

hc_rc hc_value_parse_setting(hc_arena *a, const char *setting, const char *flag, const char *expected,
                             const char **path, hc_value **out, hc_error *e)
{
  const char *equals = strchr(setting, '='), *name;
  if (!equals || equals == setting)
    return hc_fail(e, HC_EUSAGE, flag, 0, 0, "expected %s, got \"%.200s\"", expected, setting);
  *path = hc_arena_text(a, setting, (size_t)(equals - setting));
  name = *path ? hc_arena_printf(a, "%s %s", flag, *path) : NULL;
  if (!name) return hc_fail(e, HC_ENOMEM, flag, 0, 0, "out of memory");
  return hc_value_parse(a, equals + 1, strlen(equals + 1), name, out, e);
}

/* ---- layers ---- */

/* The component that a value names: itself if it is a scalar, else its `use`. */
static const char *component_of(const hc_value *v)
{
  const hc_value *use = v->kind == HC_VALUE_MAP ? hc_value_get(v, "use") : v;
  return use && use->kind == HC_VALUE_SCALAR ? use->text : NULL;
}

/* `v` as a map: {use: v} for a scalar. It takes over the place and the key. */
static hc_value *as_map(hc_arena *a, hc_value *v)
{
  hc_value *map;
  if (v->kind == HC_VALUE_MAP) return v;
  map = hc_arena_alloc(a, sizeof *map);
  if (!map) return NULL;
  *map = *v;
  return become_map(a, map) < 0 ? NULL : map;
}

static hc_value *merge_maps(hc_arena *a, hc_value *under, hc_value *over)
{
  hc_value *map = hc_arena_alloc(a, sizeof *map);
  if (!map) return NULL;
  *map = *over;
  map->items = NULL;
  map->count = map->cap = 0;
  for (size_t i = 0; i < under->count; i++) {
    hc_value *below = under->items[i], *above = hc_value_get(over, below->key);
    hc_value *item = above ? hc_value_merge(a, below, above) : below;
    if (!item || hc_value_append(a, map, item) < 0) return NULL;
  }
  for (size_t i = 0; i < over->count; i++) {
    if (hc_value_get(under, over->items[i]->key)) continue;
    if (hc_value_append(a, map, over->items[i]) < 0) return NULL;
  }
  return map;
}

/* NULL if out of memory, or if both are. */
hc_value *hc_value_merge(hc_arena *a, hc_value *under, hc_value *over)
{
  const char *below, *above;
  if (!under || !over) return over ? over : under;
  if (under->kind != HC_VALUE_MAP && over->kind != HC_VALUE_MAP) return over;
  if (under->kind == HC_VALUE_LIST || under->kind == HC_VALUE_NULL) return over;
  if (over->kind == HC_VALUE_LIST || over->kind == HC_VALUE_NULL) return over;
  below = component_of(under);
  above = component_of(over);
  if (above && below && strcmp(above, below) != 0)
    return over; /* another component: the old one's options are void */
  if (over->kind == HC_VALUE_SCALAR && !below)
    return over; /* a map that names no component is just replaced */
  under = as_map(a, under);
  over = as_map(a, over);
  return under && over ? merge_maps(a, under, over) : NULL;
}

/* ---- errors ---- */

#define SHOWN_COLUMNS 100
#define SHOWN_BEFORE 60 /* of them before the place, if the line is cut */

typedef struct place {
  const char *file, *source_line;
  uint32_t line, column;
} place;

/* Append one character as it may be shown on a terminal. Returns the bytes of `s` used. */
static size_t show(const char *s, size_t n, char *out, size_t *size)
{
  uint32_t code = 0;
  size_t length = hc_utf8_decode(s, n, &code);
  if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
    out[(*size)++] = code == '\t' ? ' ' : '?';
    return length ? length : 1;
  }
  memcpy(out + *size, s, length);
  *size += length;
  return length;
}

/* "\n" line "\n" caret into `out`, which has room for 4 bytes a column and the caret's line. */
static size_t draw(const place *p, char *out)
{
  const char *s = p->source_line;
  size_t size = 0, left = strlen(s), column = p->column > 0 ? p->column : 1, first = 1, shown = 0;
  if (column > SHOWN_COLUMNS - 10) first = column - SHOWN_BEFORE;
  out[size++] = '\n';
  for (size_t i = 1; i < first && left > 0; i++) { /* skip what is cut away on the left */
    uint32_t code;
    size_t length = hc_utf8_decode(s, left, &code);
    s += length ? length : 1;
    left -= length ? length : 1;
  }
  if (first > 1) size += (size_t)snprintf(out + size, 4, "...");
  for (; shown < SHOWN_COLUMNS && left > 0; shown++) {
    size_t used = show(s, left, out, &size);
    s += used;
    left -= used;
  }
  if (left > 0) size += (size_t)snprintf(out + size, 4, "...");
  out[size++] = '\n';
  for (size_t i = first > 1 ? first - 3 : 1; i < column && i < first + shown; i++) out[size++] = ' ';
  out[size++] = '^';
  out[size] = '\0';
  return size;
}

static const char *place_name(const hc_value *v)
{
  if (v->file) return v->file;
  switch (v->origin) {
    case HC_FROM_DEFAULT: return "default";
    case HC_FROM_COMPAT: return "compat preset";
    case HC_FROM_FILE: return "";
    case HC_FROM_SET: return "--set";
    case HC_FROM_FLAG: return "command line";
  }
  return "";
}

/* The line and its caret are always kept whole; a message that is too long for what is left is cut. */
static hc_rc fail_at(const place *p, hc_error *e, hc_rc rc, const char *format, va_list args)
{
  char message[sizeof e->text], picture[5 * SHOWN_COLUMNS + 64] = "";
  size_t room = sizeof e->text - 1;
  if (!e || e->rc != 0) return rc;
  if (p->source_line) room -= draw(p, picture);
  (void)vsnprintf(message, sizeof message, format, args);
  if (strlen(message) > room) {
    size_t end = room - 3;
    while (end > 0 && ((uint8_t)message[end] & 0xc0) == 0x80) end--;
    memcpy(message + end, "...", 4);
  }
  return hc_fail(e, rc, p->file, p->line, p->column, "%s%s", message, picture);
}

hc_rc hc_value_fail(const hc_value *v, hc_error *e, hc_rc rc, const char *format, ...)
{
  place p = {.file = v ? place_name(v) : ""};
  va_list args;
  if (v) {
    p.source_line = v->source_line;
    p.line = v->line;
    p.column = v->column;
  }
  va_start(args, format);
  (void)fail_at(&p, e, rc, format, args);
  va_end(args);
  return rc;
}

hc_rc hc_value_fail_key(const hc_value *v, hc_error *e, hc_rc rc, const char *format, ...)
{
  place p = {
      .file = place_name(v), .source_line = v->key_source_line, .line = v->key_line, .column = v->key_column};
  va_list args;
  va_start(args, format);
  (void)fail_at(&p, e, rc, format, args);
  va_end(args);
  return rc;
}

/* ---- writing JSON ---- */

static bool is_one_of(const char *s, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(s, words[i]) == 0) return true;
  return false;
}

/* What YAML reads as null, true or false, as JSON spells it; else NULL. */
static const char *json_word(const char *s)
{
  static const char *const nothing[] = {"null", "Null", "NULL", "~"};
  static const char *const yes[] = {"true", "True", "TRUE"}, *const no[] = {"false", "False", "FALSE"};
  if (s[0] >= '0' && s[0] <= '9') return NULL; /* as nearly all are */
  if (is_one_of(s, nothing, HC_ARRAY_LEN(nothing))) return "null";
  if (is_one_of(s, yes, HC_ARRAY_LEN(yes))) return "true";
  if (is_one_of(s, no, HC_ARRAY_LEN(no))) return "false";
  return NULL;
}

static size_t digits(const char *s)
{
  return strspn(s, "0123456789");
}

/* Write a decimal number as JSON wants it: no plus sign, no bare point ("+.5" is 0.5), no underscores in
 * 1_000. Returns false, with nothing written, for what is no number here: "007" is more often a name than a
 * seven. */
static bool write_number(const char *s, hc_buffer *out)
{
  const char *start, *whole, *fraction = "", *tail;
  size_t whole_size, fraction_size = 0, groups = 0;
  start = *s == '-' || *s == '+' ? s + 1 : s;
  for (whole = tail = start; (*tail >= '0' && *tail <= '9') || *tail == '_'; tail++) {
    if (*tail != '_') continue;
    if (tail == whole || tail[-1] == '_' || digits(tail + 1) == 0) return false;
    groups++;
  }
  whole_size = (size_t)(tail - whole);
  if (*tail == '.') {
    fraction = tail + 1;
    fraction_size = digits(fraction);
    tail = fraction + fraction_size;
  }
  if (whole_size + fraction_size == 0 || (whole_size > 1 && whole[0] == '0')) return false;
  if (*tail == 'e' || *tail == 'E') {
    const char *power = tail + 1 + (tail[1] == '-' || tail[1] == '+');
    if (digits(power) == 0 || power[digits(power)] != '\0') return false;
  } else if (*tail != '\0') {
    return false;
  }
  if (*s == '-') hc_buffer_text(out, "-");
  if (whole_size == 0) hc_buffer_text(out, "0");
  if (groups == 0) hc_buffer_add(out, whole, whole_size);
  else
    for (size_t i = 0; i < whole_size; i++)
      if (whole[i] != '_') hc_buffer_add(out, whole + i, 1);
  if (fraction_size > 0) hc_buffer_text(out, ".");
  hc_buffer_add(out, fraction, fraction_size);
  hc_buffer_text(out, tail);
  return true;
}

static void json_scalar(const hc_value *v, hc_buffer *out)
{
  const char *word = v->quoted ? NULL : json_word(v->text);
  if (word) hc_buffer_text(out, word);
  else if (v->quoted || !write_number(v->text, out)) hc_json_string(out, v->text, strlen(v->text));
}

static void indent(hc_buffer *out, size_t level)
{
  for (size_t i = 0; i < level; i++) hc_buffer_text(out, "  ");
}

static void json_node(const hc_value *v, hc_buffer *out, bool pretty, size_t level)
{
  bool map = v->kind == HC_VALUE_MAP;
  switch (v->kind) {
    case HC_VALUE_NULL: hc_buffer_text(out, "null"); return;
    case HC_VALUE_SCALAR: json_scalar(v, out); return;
    case HC_VALUE_LIST:
    case HC_VALUE_MAP: break;
  }
  hc_buffer_text(out, map ? "{" : "[");
  for (size_t i = 0; i < v->count; i++) {
    const hc_value *item = v->items[i];
    if (i > 0) hc_buffer_text(out, ",");
    if (pretty) {
      hc_buffer_text(out, "\n");
      indent(out, level + 1);
    }
    if (map) {
      hc_json_string(out, item->key, strlen(item->key));
      hc_buffer_text(out, pretty ? ": " : ":");
    }
    json_node(item, out, pretty, level + 1);
  }
  if (pretty && v->count > 0) {
    hc_buffer_text(out, "\n");
    indent(out, level);
  }
  hc_buffer_text(out, map ? "}" : "]");
}

/* No newline at the end: what is written may be a part of something larger. */
void hc_value_write_json(const hc_value *v, hc_buffer *out, bool pretty)
{
  json_node(v, out, pretty, 0);
}

/* ---- writing YAML ---- */

#define IMPLICIT_KEY 1000 /* YAML ends "key: value" at 1024 characters; a longer key needs "? key" */

/* Text that stays itself without quotes in block style: printable ASCII, no indicator at a place where it
 * counts. */
static bool is_plain(const char *s)
{
  size_t n = strlen(s);
  if (n == 0 || s[0] == ' ' || s[n - 1] == ' ' || s[n - 1] == ':' || strchr(",[]{}#&*!|>'\"%@`", s[0]))
    return false;
  if (strchr("-?:", s[0]) && (n == 1 || s[1] == ' ')) return false;
  if (strncmp(s, "---", 3) == 0 || strncmp(s, "...", 3) == 0) return false;
  for (size_t i = 0; i < n; i++) {
    if (s[i] < 0x20 || s[i] > 0x7e) return false;
    if (i > 0 && ((s[i] == '#' && s[i - 1] == ' ') || (s[i] == ' ' && s[i - 1] == ':'))) return false;
  }
  return true;
}

/* Double quotes, with escapes for all that YAML does not call printable. */
static void yaml_quoted(const char *s, hc_buffer *out)
{
  size_t left = strlen(s);
  hc_buffer_text(out, "\"");
  while (left > 0) {
    uint32_t c = 0xfffd;
    size_t length = hc_utf8_decode(s, left, &c);
    if (c == '"' || c == '\\') hc_buffer_printf(out, "\\%c", (char)c);
    else if (c == '\n') hc_buffer_text(out, "\\n");
    else if (c == '\t') hc_buffer_text(out, "\\t");
    else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) hc_buffer_printf(out, "\\x%02x", (unsigned)c);
    else if (c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff || length == 0)
      hc_buffer_printf(out, "\\u%04x", (unsigned)c);
    else hc_buffer_add(out, s, length);
    s += length ? length : 1;
    left -= length ? length : 1;
  }
  hc_buffer_text(out, "\"");
}

/* Unquoted text that would read as null when it is none: an empty scalar that a program made. */
static void yaml_text(const char *s, bool quoted, hc_buffer *out)
{
  if (!quoted && is_plain(s)) hc_buffer_text(out, s);
  else yaml_quoted(s, out);
}

static void yaml_block(const hc_value *v, hc_buffer *out, size_t level);

/* A value behind "key:" or "-": on the same line, or as a block one level deeper. */
static void yaml_item(const hc_value *v, hc_buffer *out, size_t level, bool dashed)
{
  bool block = (v->kind == HC_VALUE_LIST || v->kind == HC_VALUE_MAP) && v->count > 0;
  if (!block || dashed) {
    hc_buffer_text(out, " "); /* "- - a" and "- key: a": a block may begin behind a dash, on its line */
    yaml_block(v, out, level + 1);
    return;
  }
  hc_buffer_text(out, "\n");
  indent(out, level + 1);
  yaml_block(v, out, level + 1);
}

/* The indentation of the first line is already written. */
static void yaml_block(const hc_value *v, hc_buffer *out, size_t level)
{
  switch (v->kind) {
    case HC_VALUE_NULL: hc_buffer_text(out, "null\n"); return;
    case HC_VALUE_SCALAR:
      yaml_text(v->text, v->quoted, out);
      hc_buffer_text(out, "\n");
      return;
    case HC_VALUE_LIST:
    case HC_VALUE_MAP: break;
  }
  if (v->count == 0) hc_buffer_text(out, v->kind == HC_VALUE_MAP ? "{}\n" : "[]\n");
  for (size_t i = 0; i < v->count; i++) {
    const hc_value *item = v->items[i];
    bool is_long;
    if (i > 0) indent(out, level);
    if (v->kind == HC_VALUE_LIST) {
      hc_buffer_text(out, "-");
      yaml_item(item, out, level, true);
      continue;
    }
    is_long = strlen(item->key) > IMPLICIT_KEY / 4; /* escapes make it up to four times as long */
    if (is_long) hc_buffer_text(out, "? ");
    yaml_text(item->key, false, out);
    if (is_long) {
      hc_buffer_text(out, "\n");
      indent(out, level);
    }
    hc_buffer_text(out, ":");
    yaml_item(item, out, level, false);
  }
}

void hc_value_write_yaml(const hc_value *v, hc_buffer *out)
{
  yaml_block(v, out, 0);
}
