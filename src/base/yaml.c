/* yaml.c -- YAML and JSON text into a value tree.
 *
 * One pass over the text, by recursive descent: nesting is bounded, so recursion is. A block collection is
 * known by the column of its first token, counted from the start of its line; whatever stands deeper belongs
 * to it, and the first token that does not ends it. Whether a token begins a map is found by looking along
 * its line for `: `. Each value keeps its place, found from its byte offset by a cursor that moves with the
 * reading; the lines that values point to for error messages are one copy of the text, cut at its line
 * breaks.
 *
 * All memory is the allocator's, so that running out of it is an error like any other; aliases are expanded
 * within the limits. Not read, and said so: tags other than those of YAML's own types, keys that are not
 * scalars, second documents. Merge keys (`<<`) are plain keys, as YAML 1.2 has it; indentation within
 * brackets is free. Cost: some 0.2 us and 150 bytes a node. Source: YAML 1.2.2, RFC 8259. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/util.h"
#include "base/yaml_reader.h"

#define NODE_LIMIT 1000000
#define SIZE_LIMIT ((size_t)16 << 20)
#define DIRECTIVE_LENGTH 32

/* What stands before a value: &anchor and !tag. */
typedef struct marks {
  const char *anchor; /* in the text; NULL: none */
  size_t anchor_length;
  bool any, is_text;
} marks;

/* A block collection begins here: there may be no tab before it, whose width differs between editors. */
static hc_rc check_tabs(hc_yaml *r)
{
  const char *tab = memchr(r->text + r->line, '\t', r->at - r->line);
  if (!tab) return 0;
  return hc_yaml_fail(r, HC_EINPUT, (size_t)(tab - r->text),
                      "a tab character may not be used as indentation; indent with spaces");
}

static hc_rc check_text(hc_yaml *r)
{
  size_t length;
  for (size_t i = 0; i < r->size; i += length) {
    uint32_t code = 0;
    length = hc_utf8_decode(r->text + i, r->size - i, &code);
    if (length == 0)
      return hc_yaml_fail(r, HC_EINPUT, i, "this is not UTF-8; save the file in that encoding");
    if (code == 0)
      return hc_yaml_fail(r, HC_EINPUT, i, "there is a NUL byte here: the file is binary or damaged");
  }
  return 0;
}

/* The copy that error messages quote from. */
static hc_rc copy_lines(hc_yaml *r)
{
  char *lines = hc_arena_text(r->arena, r->text, r->size);
  if (!lines) return hc_yaml_no_memory(r);
  for (size_t i = 0; i < r->size; i++)
    if (lines[i] == '\n' || lines[i] == '\r') lines[i] = '\0';
  r->lines = lines;
  return 0;
}

/* ---- building ---- */

static hc_rc make_node(hc_yaml *r, hc_value_kind kind, hc_value **out)
{
  hc_value *v = NULL;
  if (++r->nodes > NODE_LIMIT)
    return hc_yaml_fail(r, HC_ELIMIT, r->here.at,
                        "this is more than a million values, aliases expanded; split the file");
  v = hc_arena_alloc(r->arena, sizeof *v);
  if (!v) return hc_yaml_no_memory(r);
  v->kind = kind;
  v->origin = HC_FROM_FILE;
  *out = v;
  return 0;
}

static hc_rc set_anchor(hc_yaml *r, const marks *m, hc_value *v)
{
  uint32_t id;
  if (!m->anchor) return 0;
  if (hc_names_add(&r->anchors, m->anchor, m->anchor_length, &id) < 0 ||
      hc_reserve(r->arena->allocator, (void **)&r->anchored, &r->anchored_cap, (size_t)id + 1, sizeof v) < 0)
    return hc_yaml_no_memory(r);
  r->anchored[id] = v; /* a later anchor of the same name counts from there on */
  return 0;
}

/* A list or map becomes the innermost of those that are being read. */
static hc_rc open_node(hc_yaml *r, hc_value_kind kind, size_t at, const marks *m, hc_value **out)
{
  (void)hc_yaml_seek(r, at);
  if (r->depth == HC_YAML_DEPTH)
    return hc_yaml_fail(r, HC_ELIMIT, at, "values nest deeper than 64 levels here");
  TRY(make_node(r, kind, out));
  hc_yaml_set_place(r, *out, at);
  r->open[r->depth++] = *out;
  return set_anchor(r, m, *out);
}

static hc_rc append(hc_yaml *r, hc_value *list, hc_value *item)
{
  item->key = item->key_source_line = NULL; /* a copy by an alias may have had one */
  item->key_line = item->key_column = 0;
  return hc_value_append(r->arena, list, item) < 0 ? hc_yaml_no_memory(r) : 0;
}

/* A key of a map, whose value is still to come. */
static hc_rc take_key(hc_yaml *r, const hc_yaml_scalar *s, hc_value *key)
{
  if (s->length == 0 && !s->quoted)
    return hc_yaml_fail(r, HC_EINPUT, s->at, "a key is missing before ':'; write 'key: value'");
  hc_yaml_set_place(r, key, s->at);
  key->key = s->text;
  return 0;
}

static hc_rc put(hc_yaml *r, hc_value *map, const hc_value *key, hc_value *item)
{
  item->key = key->key;
  item->key_source_line = key->source_line;
  item->key_line = key->line;
  item->key_column = key->column;
  return hc_value_append(r->arena, map, item) < 0 ? hc_yaml_no_memory(r) : 0;
}

/* A value that is left out stands where the one before does. */
static hc_rc make_null(hc_yaml *r, size_t at, const marks *m, hc_value **out)
{
  TRY(make_node(r, m->is_text ? HC_VALUE_SCALAR : HC_VALUE_NULL, out));
  (*out)->quoted = m->is_text;
  (*out)->text = m->is_text ? "" : NULL;
  hc_yaml_set_place(r, *out, at);
  return set_anchor(r, m, *out);
}

static bool is_null(const char *s, size_t n)
{
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0) return true;
  return false;
}

static hc_rc make_scalar(hc_yaml *r, const hc_yaml_scalar *s, const marks *m, hc_value **out)
{
  const bool quoted = s->quoted || m->is_text;
  const bool null = !quoted && is_null(s->text, s->length);
  (void)hc_yaml_seek(r, s->at);
  TRY(make_node(r, null ? HC_VALUE_NULL : HC_VALUE_SCALAR, out));
  (*out)->quoted = quoted;
  (*out)->text = null ? NULL : s->text;
  hc_yaml_set_place(r, *out, s->at);
  return set_anchor(r, m, *out);
}

/* A deep copy: each use of an alias has its own key and may be changed for itself. Bounded by depth and
 * nodes. */
static hc_rc copy_node(hc_yaml *r, const hc_value *from, size_t depth, hc_value **out)
{
  hc_value *v = NULL;
  TRY(make_node(r, from->kind, &v));
  *v = *from;
  v->items = NULL;
  v->count = v->cap = 0;
  if ((from->kind == HC_VALUE_LIST || from->kind == HC_VALUE_MAP) && depth >= HC_YAML_DEPTH)
    return hc_yaml_fail(r, HC_ELIMIT, r->here.at,
                        "with this alias expanded, values nest deeper than 64 levels");
  for (size_t i = 0; i < from->count; i++) {
    hc_value *item = NULL;
    TRY(copy_node(r, from->items[i], depth + 1, &item));
    if (hc_value_append(r->arena, v, item) < 0) return hc_yaml_no_memory(r);
  }
  *out = v;
  return 0;
}

/* ---- anchors, tags and aliases ---- */

/* Only the tags of YAML's own types. `!!str 12` is text, like "12". */
static hc_rc read_tag(hc_yaml *r, size_t at, marks *m)
{
  static const char *const known[] = {"int", "float", "bool", "null", "seq", "map"};
  static const char full[] = "!<tag:yaml.org,2002:";
  const char *name = r->text + at;
  size_t n = r->at - at;
  if (n == 1) m->is_text = true;
  if (n == 1) return 0;
  if (n > sizeof full && memcmp(name, full, sizeof full - 1) == 0 && name[n - 1] == '>') {
    name += sizeof full - 1;
    n -= sizeof full;
  } else if (name[1] == '!') {
    name += 2;
    n -= 2;
  } else {
    n = 0;
  }
  m->is_text = m->is_text || (n == 3 && memcmp(name, "str", 3) == 0);
  if (n == 3 && memcmp(name, "str", 3) == 0) return 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (strlen(known[i]) == n && memcmp(known[i], name, n) == 0) return 0;
  return hc_yaml_fail(r, HC_EINPUT, at, "this tag is not known; remove it, or quote the text");
}

/* Move past the name that a mark gives, or a whole tag. */
static void pass_name(hc_yaml *r)
{
  const bool is_full = hc_yaml_peek(r, r->at) == '!' && hc_yaml_peek(r, r->at + 1) == '<';
  for (r->at++;
       !hc_yaml_is_space(hc_yaml_peek(r, r->at)) && (is_full || !hc_yaml_is_flow(hc_yaml_peek(r, r->at)));
       r->at++) {
  }
}

static hc_rc read_mark(hc_yaml *r, marks *m)
{
  const size_t at = r->at;
  pass_name(r);
  m->any = true;
  if (r->text[at] == '!') return read_tag(r, at, m);
  if (m->anchor)
    return hc_yaml_fail(r, HC_EINPUT, at, "a second anchor of one value stands here; remove one");
  m->anchor = r->text + at + 1;
  m->anchor_length = r->at - at - 1;
  if (m->anchor_length > 0) return 0;
  return hc_yaml_fail(r, HC_EINPUT, at, "a name is missing behind '&'; quote the text if it is no anchor");
}

static bool is_mark(const hc_yaml *r)
{
  return hc_yaml_peek(r, r->at) == '&' || hc_yaml_peek(r, r->at) == '!';
}

static hc_rc read_alias(hc_yaml *r, const marks *m, hc_value **out)
{
  const size_t at = r->at;
  char text[160];
  (void)hc_yaml_seek(r, at);
  pass_name(r);
  const char *name = r->text + at + 1;
  const size_t length = r->at - at - 1;
  const uint32_t id = hc_names_find(&r->anchors, name, length);
  if (m->any)
    return hc_yaml_fail(r, HC_EINPUT, at, "an alias can have no anchor or tag of its own; remove that");
  if (id == HC_MAP_NONE) {
    (void)snprintf(text, sizeof text,
                   "no anchor '&%.*s' stands before this alias; quote the text if it is none",
                   (int)HC_MIN(length, (size_t)60), name);
    return hc_yaml_fail(r, HC_EINPUT, at, text);
  }
  for (size_t i = 0; i < r->depth; i++)
    if (r->open[i] == r->anchored[id])
      return hc_yaml_fail(r, HC_EINPUT, at,
                          "this alias stands inside of what it repeats; it would never end");
  return copy_node(r, r->anchored[id], r->depth, out);
}

/* ---- duplicate keys ---- */

static int by_text(const hc_value *a, const hc_value *b)
{
  return strcmp(a->key, b->key);
}

/* By key, then by place. */
HC_SORT(sort_by_key, hc_value *,
        by_text(*a, *b) != 0               ? by_text(*a, *b) < 0
        : (*a)->key_line != (*b)->key_line ? (*a)->key_line < (*b)->key_line
                                           : (*a)->key_column < (*b)->key_column)

/* By sorting: a file of a million chosen keys is no slower than any other, as it would be with a hash
 * table. */
static hc_rc check_keys(hc_yaml *r, const hc_value *map)
{
  size_t n = map->count;
  if (n < 2) return 0;
  if (hc_reserve(r->arena->allocator, (void **)&r->sorted, &r->sorted_cap, n, sizeof *r->sorted) < 0)
    return hc_yaml_no_memory(r);
  memcpy(r->sorted, map->items, n * sizeof *r->sorted);
  sort_by_key(r->sorted, n);
  for (size_t i = 1; i < n; i++) {
    const hc_value *first = r->sorted[i - 1], *again = r->sorted[i];
    if (strcmp(first->key, again->key) == 0)
      return hc_value_fail_key(again, r->e, HC_EINPUT,
                               "the key '%.100s' stands here again, first on line %u; remove one", again->key,
                               (unsigned)first->key_line);
  }
  return 0;
}

/* ---- within brackets ---- */

static hc_rc read_flow(hc_yaml *r, const marks *m, hc_value **out);

static hc_rc close_node(hc_yaml *r)
{
  const hc_value *v = r->open[--r->depth];
  return v->kind == HC_VALUE_MAP ? check_keys(r, v) : 0;
}

static hc_rc read_flow_scalar(hc_yaml *r, hc_yaml_scalar *s)
{
  const char c = r->text[r->at];
  return c == '"' || c == '\'' ? hc_yaml_quoted(r, -1, true, s) : hc_yaml_plain(r, -1, true, false, s);
}

static hc_rc read_marks(hc_yaml *r, marks *m)
{
  *m = (marks){0};
  for (hc_yaml_skip(r); is_mark(r); hc_yaml_skip(r)) TRY(read_mark(r, m));
  return 0;
}

/* What stands behind `key:`, the key at `from`. */
static hc_rc read_flow_value(hc_yaml *r, size_t from, hc_value **out)
{
  marks m;
  hc_yaml_scalar s;
  TRY(read_marks(r, &m));
  const char c = hc_yaml_peek(r, r->at);
  if (hc_yaml_is_finished(r) || c == ',' || c == ']' || c == '}') return make_null(r, from, &m, out);
  if (c == '*') return read_alias(r, &m, out);
  if (c == '[' || c == '{') return read_flow(r, &m, out);
  TRY(read_flow_scalar(r, &s));
  return make_scalar(r, &s, &m, out);
}

/* Put `key: value` into a map, behind the key. */
static hc_rc read_flow_pair(hc_yaml *r, const hc_yaml_scalar *s, hc_value *map)
{
  hc_value key = {.origin = HC_FROM_FILE}, *v = NULL;
  const marks none = {0};
  const bool has_value = hc_yaml_peek(r, r->at) == ':' && (s->quoted || hc_yaml_ends_key(r, r->at, true));
  TRY(take_key(r, s, &key));
  if (has_value) r->at++;
  TRY(has_value ? read_flow_value(r, s->at, &v) : make_null(r, s->at, &none, &v));
  return put(r, map, &key, v);
}

/* A list, a map or an alias as an entry, which cannot be a key. */
static hc_rc read_flow_node(hc_yaml *r, const marks *m, hc_value *in)
{
  const size_t at = r->at;
  const bool is_alias = r->text[at] == '*';
  hc_value *v = NULL;
  TRY(is_alias ? read_alias(r, m, &v) : read_flow(r, m, &v));
  hc_yaml_skip(r);
  if (in->kind == HC_VALUE_LIST && hc_yaml_peek(r, r->at) != ':') return append(r, in, v);
  return hc_yaml_fail(r, HC_EINPUT, at,
                      is_alias ? "a key cannot be an alias; write the key itself"
                               : "a key must be plain text, not a list or a map");
}

static hc_rc read_flow_entry(hc_yaml *r, hc_value *in)
{
  const marks none = {0};
  hc_value *v = NULL;
  marks m;
  hc_yaml_scalar s;
  const bool asks = hc_yaml_peek(r, r->at) == '?' && hc_yaml_is_space(hc_yaml_peek(r, r->at + 1));
  if (asks) r->at++;
  TRY(read_marks(r, &m));
  const char c = hc_yaml_peek(r, r->at);
  if (hc_yaml_is_finished(r)) return 0;
  if (c == '[' || c == '{' || c == '*') return read_flow_node(r, &m, in);
  if (hc_yaml_ends_key(r, r->at, true))
    return hc_yaml_fail(r, HC_EINPUT, r->at, "a key is missing before ':'; write 'key: value'");
  if (c == ',' || c == ']' || c == '}') {
    if (!m.any || in->kind == HC_VALUE_MAP)
      return hc_yaml_fail(r, HC_EINPUT, r->at, "a value is missing here; remove a comma");
    TRY(make_null(r, r->at, &m, &v));
    return append(r, in, v);
  }
  TRY(read_flow_scalar(r, &s));
  hc_yaml_skip(r);
  if (in->kind == HC_VALUE_MAP) return read_flow_pair(r, &s, in);
  if (asks || (hc_yaml_peek(r, r->at) == ':' &&
               (s.quoted || hc_yaml_ends_key(r, r->at, true)))) { /* [a: 1] is [{a: 1}] */
    TRY(open_node(r, HC_VALUE_MAP, s.at, &none, &v));
    TRY(read_flow_pair(r, &s, v));
    TRY(close_node(r));
  } else {
    TRY(make_scalar(r, &s, &m, &v));
  }
  return append(r, in, v);
}

static hc_rc read_flow(hc_yaml *r, const marks *m, hc_value **out)
{
  const bool is_map = r->text[r->at] == '{';
  const char close = is_map ? '}' : ']';
  TRY(open_node(r, is_map ? HC_VALUE_MAP : HC_VALUE_LIST, r->at, m, out));
  r->at++;
  for (hc_yaml_skip(r); hc_yaml_peek(r, r->at) != close; hc_yaml_skip(r)) {
    if (!hc_yaml_is_finished(r)) TRY(read_flow_entry(r, *out));
    hc_yaml_skip(r);
    if (hc_yaml_is_finished(r))
      return hc_value_fail(*out, r->e, HC_EINPUT, "this bracket is never closed; add a '%c'", close);
    if (hc_yaml_peek(r, r->at) == ',') r->at++;
    else if (hc_yaml_peek(r, r->at) != close)
      return hc_yaml_fail(
          r, HC_EINPUT, r->at,
          "a comma is missing before this; put a comma between the items, and close what was opened");
  }
  r->at++;
  return close_node(r);
}

/* ---- lines ---- */

static hc_rc read_value(hc_yaml *r, int n, bool after_key, size_t from, hc_value **out);

#define NOWHERE SIZE_MAX

/* Where the colon is if this line goes on with `key:`, behind anchors and tags; NOWHERE otherwise. */
static size_t find_colon(const hc_yaml *r)
{
  size_t i = r->at;
  char c;
  while (hc_yaml_peek(r, i) == '&' || hc_yaml_peek(r, i) == '!') {
    while (!hc_yaml_is_space(hc_yaml_peek(r, i))) i++;
    while (hc_yaml_is_blank(hc_yaml_peek(r, i))) i++;
  }
  const char first = hc_yaml_peek(r, i);
  if (first == '[' || first == '{' || first == '|' || first == '>') return NOWHERE;
  if (first == '"' || first == '\'') {
    for (i++; (c = hc_yaml_peek(r, i)) != first || (c == '\'' && hc_yaml_peek(r, i + 1) == c); i++) {
      if (hc_yaml_ends_line(c)) return NOWHERE;
      if ((c == '\\' && first == '"') || c == first) i++;
      if (hc_yaml_ends_line(hc_yaml_peek(r, i))) return NOWHERE;
    }
    for (i++; hc_yaml_is_blank(hc_yaml_peek(r, i));) i++;
    return hc_yaml_is_lone(r, i, ':') ? i : NOWHERE;
  }
  for (; !hc_yaml_is_lone(r, i, ':'); i++) {
    c = hc_yaml_peek(r, i);
    if (hc_yaml_ends_line(c) || (c == '#' && i > r->at && hc_yaml_is_blank(r->text[i - 1]))) return NOWHERE;
  }
  return i;
}

/* What stands behind a value on its line. */
static hc_rc check_end(hc_yaml *r)
{
  hc_yaml_skip_blanks(r);
  const char c = hc_yaml_peek(r, r->at);
  if (hc_yaml_ends_line(c) || (c == '#' && hc_yaml_is_blank(r->text[r->at - 1]))) return 0;
  if (hc_yaml_is_lone(r, r->at, ':'))
    return hc_yaml_fail(
        r, HC_EINPUT, r->at,
        "what stands before this colon cannot be a key: a key must be plain text on one line");
  return hc_yaml_fail(r, HC_EINPUT, r->at, "the value before this has ended; quote the whole value");
}

/* The key of `? key`, which may have several lines. */
static hc_rc read_long_key(hc_yaml *r, int n, hc_yaml_scalar *s)
{
  const size_t line = r->line;
  marks m;
  r->at++;
  TRY(read_marks(r, &m));
  const char c = hc_yaml_peek(r, r->at);
  if (hc_yaml_is_finished(r) || (r->line != line && hc_yaml_column(r) <= n))
    return hc_yaml_fail(r, HC_EINPUT, r->at, "a key is missing behind '?'; write 'key: value'");
  if (c == '*') return hc_yaml_fail(r, HC_EINPUT, r->at, "a key cannot be an alias; write the key itself");
  if (c == '[' || c == '{' || hc_yaml_is_lone(r, r->at, '-') || hc_yaml_is_lone(r, r->at, '?') ||
      find_colon(r) != NOWHERE)
    return hc_yaml_fail(r, HC_EINPUT, r->at, "a key must be plain text, not a list or a map");
  if (c == '|' || c == '>') return hc_yaml_block(r, n, s);
  TRY(c == '"' || c == '\'' ? hc_yaml_quoted(r, n, false, s) : hc_yaml_plain(r, n, false, false, s));
  return check_end(r);
}

static hc_rc read_key(hc_yaml *r, hc_yaml_scalar *s)
{
  for (; is_mark(r); hc_yaml_skip_blanks(r)) {
    marks m = {0};
    TRY(read_mark(r, &m));
  }
  const char c = hc_yaml_peek(r, r->at);
  if (c == '*') return hc_yaml_fail(r, HC_EINPUT, r->at, "a key cannot be an alias; write the key itself");
  if (hc_yaml_is_lone(r, r->at, ':'))
    return hc_yaml_fail(r, HC_EINPUT, r->at, "a key is missing before ':'; write 'key: value'");
  if (find_colon(r) == NOWHERE)
    return hc_yaml_fail(r, HC_EINPUT, r->at,
                        "a key is expected here, and a colon behind it; write 'key: value'");
  TRY(c == '"' || c == '\'' ? hc_yaml_quoted(r, -1, false, s) : hc_yaml_plain(r, -1, false, true, s));
  hc_yaml_skip_blanks(r);
  return 0;
}

/* A key, and its value if there is one. */
static hc_rc read_entry(hc_yaml *r, int n, hc_value *map)
{
  hc_value key = {.origin = HC_FROM_FILE}, *v = NULL;
  const marks none = {0};
  const bool is_long = hc_yaml_is_lone(r, r->at, '?');
  hc_yaml_scalar s;
  TRY(is_long ? read_long_key(r, n, &s) : read_key(r, &s));
  TRY(take_key(r, &s, &key));
  if (is_long) hc_yaml_skip(r);
  if (is_long && (hc_yaml_is_finished(r) || hc_yaml_column(r) != n || !hc_yaml_is_lone(r, r->at, ':'))) {
    TRY(make_null(r, s.at, &none, &v));
  } else {
    r->at++;
    TRY(read_value(r, n, !is_long, s.at, &v));
  }
  return put(r, map, &key, v);
}

/* Behind the last line of a list or map that stands in column n. */
static hc_rc leave(hc_yaml *r, int n)
{
  TRY(close_node(r));
  if (hc_yaml_is_finished(r) || hc_yaml_column(r) <= n) return 0;
  TRY(check_tabs(r));
  return hc_yaml_fail(
      r, HC_EINPUT, r->at,
      "this is indented differently; indent all keys of a map, and all items of a list, alike");
}

static hc_rc read_map(hc_yaml *r, const marks *m, hc_value **out)
{
  const int n = hc_yaml_column(r);
  TRY(open_node(r, HC_VALUE_MAP, r->at, m, out));
  do {
    TRY(check_tabs(r));
    TRY(read_entry(r, n, *out));
    hc_yaml_skip(r);
  } while (!hc_yaml_is_finished(r) && hc_yaml_column(r) == n && !hc_yaml_is_lone(r, r->at, '-'));
  return leave(r, n);
}

static hc_rc read_list(hc_yaml *r, const marks *m, hc_value **out)
{
  const int n = hc_yaml_column(r);
  TRY(open_node(r, HC_VALUE_LIST, r->at, m, out));
  do {
    hc_value *v = NULL;
    const size_t from = r->at;
    TRY(check_tabs(r));
    r->at++;
    TRY(read_value(r, n, false, from, &v));
    TRY(append(r, *out, v));
    hc_yaml_skip(r);
  } while (!hc_yaml_is_finished(r) && hc_yaml_column(r) == n && hc_yaml_is_lone(r, r->at, '-'));
  return leave(r, n);
}

/* A value that is no block collection. */
static hc_rc read_leaf(hc_yaml *r, int n, const marks *m, hc_value **out)
{
  const char c = r->text[r->at];
  hc_yaml_scalar s;
  if (c == '*' || c == '[' || c == '{') {
    TRY(c == '*' ? read_alias(r, m, out) : read_flow(r, m, out));
    return check_end(r);
  }
  if (c == '|' || c == '>') {
    TRY(hc_yaml_block(r, n, &s));
    return make_scalar(r, &s, m, out);
  }
  TRY(c == '"' || c == '\'' ? hc_yaml_quoted(r, n, false, &s) : hc_yaml_plain(r, n, false, false, &s));
  TRY(make_scalar(r, &s, m, out));
  return check_end(r);
}

/* The value behind a key or a dash: what stands deeper than column n.
 * @param after_key  no block collection may begin on this line, and a list may stand in column n itself
 * @param from  where that key or dash is */
static hc_rc read_value(hc_yaml *r, int n, bool after_key, size_t from, hc_value **out)
{
  const size_t start = r->line;
  bool may_open = !after_key;
  marks m = {0};
  for (;;) {
    const size_t line = r->line;
    hc_yaml_skip(r);
    may_open = may_open || r->line != line;
    const bool is_item = hc_yaml_is_lone(r, r->at, '-');
    const bool is_outside =
        r->line != start && hc_yaml_column(r) <= n && !(after_key && hc_yaml_column(r) == n && is_item);
    if (hc_yaml_is_finished(r) || is_outside) return make_null(r, from, &m, out);
    const size_t colon = is_item || hc_yaml_is_lone(r, r->at, '?') ? r->at : find_colon(r);
    if (colon != NOWHERE && !may_open)
      return hc_yaml_fail(
          r, HC_EINPUT, colon,
          is_item ? "a list may not begin behind a key; begin it on the next line, or quote the text"
                  : "a map may not begin behind a key; quote the text if the colon is part of it");
    if (colon != NOWHERE) return is_item ? read_list(r, &m, out) : read_map(r, &m, out);
    if (!is_mark(r)) return read_leaf(r, n, &m, out);
    TRY(read_mark(r, &m));
    may_open = false;
  }
}

/* ---- the text ---- */

static hc_rc read_directive(hc_yaml *r, bool *seen)
{
  const size_t at = r->at;
  while (!hc_yaml_ends_line(hc_yaml_peek(r, r->at))) r->at++;
  if (*seen || r->at - at > DIRECTIVE_LENGTH || strncmp(r->lines + at, "%YAML 1.", 8) != 0)
    return hc_yaml_fail(r, HC_EINPUT, at,
                        "a line that begins with '%' is a directive, and only one '%YAML 1.2' is known; "
                        "remove it, or quote the text");
  *seen = true;
  hc_yaml_skip(r);
  return 0;
}

static hc_rc read_document(hc_yaml *r)
{
  bool directed = false, marked;
  hc_yaml_skip(r);
  while (hc_yaml_peek(r, r->at) == '%' && hc_yaml_column(r) == 0) TRY(read_directive(r, &directed));
  marked = r->at < r->size && hc_yaml_is_finished(r) && r->text[r->at] == '-';
  if (directed && !marked)
    return hc_yaml_fail(r, HC_EINPUT, r->at, "a line '---' is missing behind the directive; add it");
  if (marked) r->at += 3;
  TRY(read_value(r, -1, marked, 0, &r->root));
  hc_yaml_skip(r);
  const bool ended = r->at < r->size && hc_yaml_is_finished(r);
  while (hc_yaml_is_finished(r) && r->at < r->size && r->text[r->at] == '.') {
    r->at += 3;
    TRY(check_end(r));
    hc_yaml_skip(r);
  }
  if (r->at >= r->size) return 0;
  if (ended)
    return hc_yaml_fail(r, HC_EINPUT, r->at,
                        "a second document begins here, and only one is read; remove it");
  TRY(check_tabs(r));
  return hc_yaml_fail(
      r, HC_EINPUT, r->at,
      "this is no part of what stands above; indent all keys of a map, and all items of a list, alike");
}

static hc_rc read_text(hc_yaml *r)
{
  TRY(copy_lines(r));
  TRY(check_text(r));
  r->here = (hc_yaml_cursor){.line = 1, .column = 1};
  return read_document(r);
}

hc_rc hc_value_parse(hc_arena *a, const char *text, size_t size, const char *name, hc_value **out,
                     hc_error *e)
{
  hc_yaml r = {.arena = a, .e = e, .here = {.line = 1, .column = 1}};
  hc_rc rc;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
    text += 3;
    size -= 3;
  }
  if (size > SIZE_LIMIT)
    return hc_fail(e, HC_ELIMIT, name, 0, 0,
                   "the text is larger than 16 MiB; data of that size belongs in a trace");
  r.name = hc_arena_text(a, name, strlen(name));
  if (!r.name) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory while reading");
  r.text = size > 0 ? text : "";
  r.size = size;
  hc_names_init(&r.anchors, a->allocator, NODE_LIMIT + 1);
  hc_buffer_init(&r.scratch, a->allocator);
  rc = read_text(&r);
  hc_buffer_fini(&r.scratch);
  hc_names_fini(&r.anchors);
  hc_free(a->allocator, r.anchored, r.anchored_cap * sizeof *r.anchored);
  hc_free(a->allocator, r.sorted, r.sorted_cap * sizeof *r.sorted);
  if (rc == 0) *out = r.root;
  return rc;
}

/* ---- files ---- */

/* Texts that begin with `$here/` begin with the directory of the file instead. */
static hc_rc replace_here(hc_arena *a, hc_value *v, const char *directory, int length, hc_error *e)
{
  static const char here[] = "$here/";
  if (v->kind == HC_VALUE_SCALAR && v->text && strncmp(v->text, here, sizeof here - 1) == 0) {
    v->text = hc_arena_printf(a, "%.*s%s", length, directory, v->text + sizeof here - 1);
    if (!v->text) return hc_fail(e, HC_ENOMEM, v->file ? v->file : "", 0, 0, "out of memory while reading");
  }
  for (size_t i = 0; i < v->count; i++) TRY(replace_here(a, v->items[i], directory, length, e));
  return 0;
}

hc_rc hc_value_parse_file(hc_arena *a, const char *path, hc_value **out, hc_error *e)
{
  const char *slash = strrchr(path, '/');
  const bool is_standard = strcmp(path, "-") == 0;
  char *text;
  size_t size, cap;
  hc_rc rc;
  /* One byte past the limit tells, and a byte order mark is free. */
  TRY(hc_files_read(a->allocator, path, SIZE_LIMIT + 3, &text, &size, &cap, e));
  rc = hc_value_parse(a, text ? text : "", size, is_standard ? "standard input" : path, out, e);
  hc_free(a->allocator, text, cap);
  if (rc < 0 || is_standard) return rc;
  return replace_here(a, *out, path, slash ? (int)(slash - path) + 1 : 0, e);
}
