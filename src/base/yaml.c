/* yaml.c -- YAML and JSON text into a value tree, by the events of libfyaml, which only this file knows.
 *
 * Events, not libfyaml's own documents: so we count depth and nodes ourselves, expand aliases within these
 * limits, and nothing recurses on hostile input. Before libfyaml sees a text, whatever could make it slow or
 * confuse it is refused: bytes that are not UTF-8, NUL, directives, and brackets nested so deep that its
 * look-ahead would take seconds. Each value keeps its place, found from its byte offset by a cursor that
 * moves with the events; the lines that values point to for error messages are one copy of the text, cut at
 * its line breaks.
 *
 * Tags other than those of YAML's own types, keys that are not scalars, merge keys (`<<` is a plain key, as
 * YAML 1.2 has it), escaped line breaks and second documents are not read. libfyaml takes its memory from the
 * C library, not from the allocator. Cost: about 0.5 us and 150 bytes a node. Source: YAML 1.2.2, RFC 8259.
 */
#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/util.h"
#include "base/value.h"

#define DEPTH_LIMIT 64
#define NODE_LIMIT 1000000
#define SIZE_LIMIT ((size_t)16 << 20)
#define BRACKET_LIMIT 1000 /* open brackets anywhere, comments included; far from any honest file */
#define DIRECTIVE_LENGTH 32

/* A list or map that is being read. */
typedef struct frame {
  hc_value *v;
  const char *key; /* a map's next key, if it was read; NULL while one is expected */
  const char *key_source_line;
  uint32_t key_line, key_column;
  bool flow; /* written with brackets */
} frame;

/* Where a byte offset stands. */
typedef struct cursor {
  size_t at, line_start; /* bytes */
  uint32_t line, column; /* from 1 */
} cursor;

typedef struct reader {
  hc_arena *arena;
  hc_error *e;
  const char *name, *text, *lines; /* `lines`: the text with NULs for line breaks */
  size_t size;
  cursor here;
  struct fy_diag *diag;
  struct fy_parser *parser;
  hc_names anchors;
  hc_value **anchored; /* by the anchor's id */
  size_t anchored_cap;
  hc_value **sorted; /* scratch for the search of duplicate keys */
  size_t sorted_cap;
  size_t nodes, depth, documents;
  frame frames[DEPTH_LIMIT];
  hc_value *root;
} reader;

/* ---- places ---- */

static bool is_break(const reader *r, size_t i)
{
  return r->text[i] == '\n' || (r->text[i] == '\r' && !(i + 1 < r->size && r->text[i + 1] == '\n'));
}

/* Events come nearly in order, so the cursor moves little; going back it first walks to the start of the
 * line. */
static cursor *seek(reader *r, size_t to)
{
  cursor *c = &r->here;
  if (to > r->size) to = r->size;
  if (to < c->at) {
    c->at = c->line_start;
    while (c->at > to) {
      c->at--;
      if (is_break(r, c->at)) c->line--;
    }
    while (c->at > 0 && !is_break(r, c->at - 1)) c->at--;
    c->line_start = c->at;
    c->column = 1;
  }
  while (c->at < to) {
    bool ends_line = is_break(r, c->at++);
    if (ends_line) {
      c->line++;
      c->column = 1;
      c->line_start = c->at;
    } else if (c->at >= r->size || ((uint8_t)r->text[c->at] & 0xc0) != 0x80) {
      c->column++;
    }
  }
  return c;
}

static void set_place(reader *r, hc_value *v, size_t at)
{
  const cursor *c = seek(r, at);
  v->file = r->name;
  v->source_line = r->lines + c->line_start;
  v->line = c->line;
  v->column = c->column;
}

static hc_rc fail_at(reader *r, hc_rc rc, size_t at, const char *message)
{
  hc_value v = {.origin = HC_FROM_FILE};
  set_place(r, &v, at);
  return hc_value_fail(&v, r->e, rc, "%s", message);
}

static hc_rc out_of_memory(reader *r)
{
  return hc_fail(r->e, HC_ENOMEM, r->name, 0, 0, "out of memory while reading");
}

/* ---- what libfyaml is not shown ---- */

static hc_rc check_directive(reader *r, size_t at, size_t *seen)
{
  const char *line = r->text + at;
  size_t length = 0;
  while (at + length < r->size && !is_break(r, at + length)) length++;
  if (length > DIRECTIVE_LENGTH || strncmp(r->lines + at, "%YAML 1.", 8) != 0 ||
      memchr(line + 1, '%', length - 1) || ++*seen > 1)
    return fail_at(r, HC_EINPUT, at,
                   "a line that begins with '%' is a directive, and only one '%YAML 1.2' is known; "
                   "remove it, or quote the text");
  return 0;
}

/* Whether a line begins with an explicit key, "? key", behind dashes, tags and anchors. */
static bool opens_key(const reader *r, size_t i)
{
  const char *s = r->lines;
  for (;;) {
    while (s[i] == ' ' || s[i] == '\t') i++;
    bool lone = s[i] && (s[i + 1] == '\0' || s[i + 1] == ' ' || s[i + 1] == '\t');
    if (s[i] == '?' && lone) return true;
    if (s[i] == '&' || s[i] == '!') i += strcspn(s + i, " \t");
    else if ((s[i] == '-' || s[i] == ':') && lone) i++;
    else return false;
  }
}

/* libfyaml 0.7.12 writes to freed memory on "? a:<tab>- b", so behind "? key" no tab may follow an indicator.
 */
static hc_rc check_text(reader *r)
{
  size_t open = 0, directives = 0, length;
  uint32_t last = 0; /* character of this line that is not blank */
  bool starts_line = true, explicit_keys = false;
  for (size_t i = 0; i < r->size; i += length) {
    uint32_t code = 0;
    length = hc_utf8_decode(r->text + i, r->size - i, &code);
    if (length == 0) return fail_at(r, HC_EINPUT, i, "this is not UTF-8; save the file in that encoding");
    if (code == 0) return fail_at(r, HC_EINPUT, i, "there is a NUL byte here: the file is binary or damaged");
    if (code == '[' || code == '{') open++;
    if ((code == ']' || code == '}') && open > 0) open--;
    if (open > BRACKET_LIMIT)
      return fail_at(r, HC_ELIMIT, i, "too many brackets are open here; 64 levels of nesting are allowed");
    if (code == '%' && starts_line) TRY(check_directive(r, i, &directives));
    if (starts_line) explicit_keys = explicit_keys || opens_key(r, i);
    if (code == '\t' && explicit_keys && (last == ':' || last == '-' || last == '?'))
      return fail_at(r, HC_EINPUT, i, "a tab stands here, in a text with '? key' lines; use spaces");
    starts_line = is_break(r, i);
    if (code != ' ' && code != '\t') last = starts_line ? 0 : code;
  }
  return 0;
}

/* The copy that error messages quote from. */
static hc_rc copy_lines(reader *r)
{
  char *lines = hc_arena_text(r->arena, r->text, r->size);
  if (!lines) return out_of_memory(r);
  for (size_t i = 0; i < r->size; i++)
    if (lines[i] == '\n' || lines[i] == '\r') lines[i] = '\0';
  r->lines = lines;
  return 0;
}

/* ---- libfyaml's complaints ---- */

/* What to do about the commonest ones. */
static const char *remedy_of(const char *message)
{
  static const char *const remedies[][2] = {
      {"nested block mapping", "quote the text if the colon is part of it"},
      {"plain scalar cannot start", "put the text in quotes"},
      {"tab", "indent with spaces"},
      {"without closing quote", "add the closing quote"},
      {"without a closing bracket", "add the closing bracket"},
      {"missing comma", "put a comma between the items"},
      {"indent", "indent all keys of a map, and all items of a list, alike"},
      {"could not find expected ':'", "write 'key: value'"},
      {"missing ':'", "write 'key: value'"},
      {"escape", "double a backslash that is meant literally"},
      {"trailing content", "quote the whole value"},
      {"multiline plain key",
       "the next lines are indented as part of it; indent all keys of a map alike, by spaces"},
      {"multiline", "write a key on one line"},
  };
  for (size_t i = 0; i < HC_ARRAY_LEN(remedies); i++)
    if (strstr(message, remedies[i][0])) return remedies[i][1];
  return "check the indentation, colons and quotes here and on the line above";
}

/* libfyaml counts a line too many at the end of the text; the byte offset of its token is right. */
static hc_rc fail_syntax(reader *r)
{
  struct fy_diag_error *found;
  void *walk = NULL;
  char text[256];
  while ((found = fy_diag_errors_iterate(r->diag, &walk))) {
    const struct fy_mark *mark;
    const frame *top = r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
    size_t at;
    if (found->type != FYET_ERROR || !found->msg) continue;
    mark = found->fyt ? fy_token_start_mark(found->fyt) : NULL;
    at = mark ? mark->input_pos : r->here.at;
    if (at >= r->size && top && top->flow) {
      hc_value *v = top->v;
      return hc_value_fail(v, r->e, HC_EINPUT, "this bracket is never closed; add a '%c'",
                           v->kind == HC_VALUE_MAP ? '}' : ']');
    }
    (void)snprintf(text, sizeof text, "%.120s; %s", found->msg, remedy_of(found->msg));
    return fail_at(r, HC_EINPUT, at, text);
  }
  return fail_at(r, HC_EINPUT, r->here.at,
                 "this is not YAML from here on; check the colons, quotes and brackets");
}

/* ---- building ---- */

static hc_rc make_node(reader *r, hc_value_kind kind, hc_value **out)
{
  hc_value *v = NULL;
  if (++r->nodes > NODE_LIMIT)
    return fail_at(r, HC_ELIMIT, r->here.at,
                   "this is more than a million values, aliases expanded; split the file");
  v = hc_arena_alloc(r->arena, sizeof *v);
  if (!v) return out_of_memory(r);
  v->kind = kind;
  v->origin = HC_FROM_FILE;
  *out = v;
  return 0;
}

/* Hang a value where the next one is expected. */
static hc_rc add_node(reader *r, hc_value *v)
{
  frame *f = r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
  if (!f) {
    r->root = v;
    return 0;
  }
  v->key = f->key; /* in a list NULL, which a copy by an alias must forget too */
  v->key_source_line = f->key_source_line;
  v->key_line = f->key_line;
  v->key_column = f->key_column;
  f->key = NULL;
  return hc_value_append(r->arena, f->v, v) < 0 ? out_of_memory(r) : 0;
}

static bool expects_key(const reader *r)
{
  const frame *f = r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
  return f && f->v->kind == HC_VALUE_MAP && !f->key;
}

static hc_rc set_anchor(reader *r, struct fy_token *anchor, hc_value *v)
{
  size_t length = 0;
  const char *name = anchor ? fy_token_get_text(anchor, &length) : NULL;
  uint32_t id;
  if (!name) return 0;
  if (hc_names_add(&r->anchors, name, length, &id) < 0 ||
      hc_reserve(r->arena->allocator, (void **)&r->anchored, &r->anchored_cap, (size_t)id + 1, sizeof v) < 0)
    return out_of_memory(r);
  r->anchored[id] = v; /* a later anchor of the same name counts from there on */
  return 0;
}

/* A deep copy: each use of an alias has its own key and may be changed for itself. Bounded by depth and
 * nodes. */
static hc_rc copy_node(reader *r, const hc_value *from, size_t depth, hc_value **out)
{
  hc_value *v = NULL;
  TRY(make_node(r, from->kind, &v));
  *v = *from;
  v->items = NULL;
  v->count = v->cap = 0;
  if ((from->kind == HC_VALUE_LIST || from->kind == HC_VALUE_MAP) && depth >= DEPTH_LIMIT)
    return fail_at(r, HC_ELIMIT, r->here.at, "with this alias expanded, values nest deeper than 64 levels");
  for (size_t i = 0; i < from->count; i++) {
    hc_value *item = NULL;
    TRY(copy_node(r, from->items[i], depth + 1, &item));
    if (hc_value_append(r->arena, v, item) < 0) return out_of_memory(r);
  }
  *out = v;
  return 0;
}

static hc_rc read_alias(reader *r, struct fy_token *anchor, size_t at)
{
  char text[160];
  size_t length = 0;
  const char *name = fy_token_get_text(anchor, &length);
  uint32_t id = name ? hc_names_find(&r->anchors, name, length) : HC_MAP_NONE;
  hc_value *v = NULL;
  (void)seek(r, at > 0 ? at - 1 : 0); /* the token begins behind its asterisk */
  if (expects_key(r))
    return fail_at(r, HC_EINPUT, r->here.at, "a key cannot be an alias; write the key itself");
  if (id == HC_MAP_NONE) {
    (void)snprintf(text, sizeof text,
                   "no anchor '&%.*s' stands before this alias; quote the text if it is none",
                   (int)HC_MIN(length, (size_t)60), name ? name : "");
    return fail_at(r, HC_EINPUT, r->here.at, text);
  }
  for (size_t i = 0; i < r->depth; i++)
    if (r->frames[i].v == r->anchored[id])
      return fail_at(r, HC_EINPUT, r->here.at,
                     "this alias stands inside of what it repeats; it would never end");
  TRY(copy_node(r, r->anchored[id], r->depth, &v));
  return add_node(r, v);
}

/* Only the tags of YAML's own types. `!!str 12` is text, like "12". */
static hc_rc read_tag(reader *r, struct fy_token *tag, size_t at, bool *is_text)
{
  static const char *const known[] = {"tag:yaml.org,2002:int",  "tag:yaml.org,2002:float",
                                      "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null",
                                      "tag:yaml.org,2002:seq",  "tag:yaml.org,2002:map"};
  size_t length = 0;
  const char *name = tag ? fy_token_get_text(tag, &length) : NULL;
  *is_text = false;
  if (!name) return 0;
  *is_text =
      (length == 1 && name[0] == '!') || (length == 21 && memcmp(name, "tag:yaml.org,2002:str", 21) == 0);
  if (*is_text) return 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0) return 0;
  return fail_at(r, HC_EINPUT, at, "the tag before this value is not known; remove it, or quote the text");
}

static bool is_null(const char *s, size_t n)
{
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0) return true;
  return false;
}

static hc_rc read_key(reader *r, const char *s, size_t n, bool quoted)
{
  frame *f = &r->frames[r->depth - 1];
  if (n == 0 && !quoted)
    return fail_at(r, HC_EINPUT, r->here.at, "a key is missing before ':'; write 'key: value'");
  f->key = hc_arena_text(r->arena, s, n);
  if (!f->key) return out_of_memory(r);
  f->key_source_line = r->lines + r->here.line_start;
  f->key_line = r->here.line;
  f->key_column = r->here.column;
  return 0;
}

/* The text of a scalar in single quotes that begins at `raw`: '' is a quote, and lines are folded. Only used
 * where there is a '', on which libfyaml 0.7.12 loses memory. */
static const char *read_single(reader *r, size_t raw, size_t *n)
{
  size_t end = raw, i = raw, size = 0;
  char *out;
  while (end < r->size && (r->text[end] != '\'' || (end + 1 < r->size && r->text[end + 1] == '\'')))
    end += r->text[end] == '\'' ? 2 : 1;
  out = hc_arena_alloc(r->arena, end - raw + 1);
  if (!out) return NULL;
  while (i < end) {
    size_t breaks = 0;
    if (r->text[i] != '\n' && r->text[i] != '\r') {
      out[size++] = r->text[i];
      i += r->text[i] == '\'' ? 2 : 1;
      continue;
    }
    while (size > 0 && (out[size - 1] == ' ' || out[size - 1] == '\t')) size--;
    for (; i < end && strchr(" \t\r\n", r->text[i]); i++) breaks += is_break(r, i);
    if (breaks == 1) out[size++] = ' ';
    for (; breaks > 1; breaks--) out[size++] = '\n';
  }
  *n = size;
  return out;
}

/* Whether a text in double quotes that begins at `raw` breaks a line behind a backslash. */
static bool escapes_break(const reader *r, size_t raw)
{
  for (size_t i = raw; i + 1 < r->size && r->text[i] != '"'; i++)
    if (r->text[i] == '\\' && (r->text[++i] == '\n' || r->text[i] == '\r')) return true;
  return false;
}

static const char *read_token(reader *r, struct fy_token *token, size_t at, size_t *n)
{
  *n = 0;
  if (!token) return "";
  if (fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED) {
    const char *quote = memchr(r->text + at, '\'', r->size - at);
    const char *last = r->text + r->size - 1;
    /* a first quote that is not the last of the scalar stands for itself, doubled */
    if (quote && quote < last && quote[1] == '\'') return read_single(r, at, n);
  }
  return fy_token_get_text(token, n);
}

static hc_rc read_scalar(reader *r, struct fy_event *event, size_t at)
{
  struct fy_token *token = event->scalar.value;
  enum fy_scalar_style style = fy_token_scalar_style(token);
  size_t n = 0, length;
  const char *s = read_token(r, token, at, &n);
  bool quoted = token && style != FYSS_PLAIN, is_text;
  uint32_t code = 0;
  hc_value *v = NULL;
  if (at > 0 && (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED))
    at--; /* the token is inside its quotes */
  (void)seek(r, at);
  if (!s) return out_of_memory(r);
  if (style == FYSS_DOUBLE_QUOTED &&
      escapes_break(r, at + 1)) /* libfyaml 0.7.12 loses the last characters of some */
    return fail_at(r, HC_EINPUT, at,
                   "this text escapes a line break, which is not read; write it on one line");
  for (size_t i = 0; i < n; i += length) { /* escapes can make what the text itself may not hold */
    length = hc_utf8_decode(s + i, n - i, &code);
    if (length == 0 || code == 0)
      return fail_at(r, HC_EINPUT, at,
                     "this text holds a NUL or half a character by its escapes; remove them");
  }
  TRY(read_tag(r, event->scalar.tag, at, &is_text));
  quoted = quoted || is_text;
  if (expects_key(r)) return read_key(r, s, n, quoted);
  TRY(make_node(r, !quoted && is_null(s, n) ? HC_VALUE_NULL : HC_VALUE_SCALAR, &v));
  v->quoted = quoted;
  if (v->kind == HC_VALUE_SCALAR && !(v->text = hc_arena_text(r->arena, s, n))) return out_of_memory(r);
  set_place(r, v, at);
  TRY(set_anchor(r, event->scalar.anchor, v));
  return add_node(r, v);
}

static hc_rc open_node(reader *r, struct fy_event *event, hc_value_kind kind, size_t at)
{
  hc_value *v = NULL;
  bool is_text;
  (void)seek(r, at);
  if (expects_key(r)) return fail_at(r, HC_EINPUT, at, "a key must be plain text, not a list or a map");
  if (r->depth == DEPTH_LIMIT) return fail_at(r, HC_ELIMIT, at, "values nest deeper than 64 levels here");
  TRY(make_node(r, kind, &v));
  TRY(read_tag(r, fy_event_get_tag_token(event), at, &is_text));
  set_place(r, v, at);
  TRY(set_anchor(r, fy_event_get_anchor_token(event), v));
  TRY(add_node(r, v));
  r->frames[r->depth++] = (frame){.v = v, .flow = at < r->size && (r->text[at] == '[' || r->text[at] == '{')};
  return 0;
}

/* ---- duplicate keys ---- */

/* By key, then by place. */
static bool sorts_before(const hc_value *a, const hc_value *b)
{
  int order = strcmp(a->key, b->key);
  if (order != 0) return order < 0;
  return a->key_line != b->key_line ? a->key_line < b->key_line : a->key_column < b->key_column;
}

static void sift(hc_value **items, size_t root, size_t count)
{
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    hc_value *v = items[root];
    if (child + 1 < count && sorts_before(items[child], items[child + 1])) child++;
    if (!sorts_before(v, items[child])) return;
    items[root] = items[child];
    items[child] = v;
  }
}

/* Heap sort: a file of a million chosen keys is no slower than any other, as it would be with a hash table.
 */
static hc_rc check_keys(reader *r, const hc_value *map)
{
  size_t n = map->count;
  if (n < 2) return 0;
  if (hc_reserve(r->arena->allocator, (void **)&r->sorted, &r->sorted_cap, n, sizeof *r->sorted) < 0)
    return out_of_memory(r);
  memcpy(r->sorted, map->items, n * sizeof *r->sorted);
  for (size_t i = n / 2; i-- > 0;) sift(r->sorted, i, n);
  for (size_t i = n; i-- > 1;) {
    hc_value *largest = r->sorted[0];
    r->sorted[0] = r->sorted[i];
    r->sorted[i] = largest;
    sift(r->sorted, 0, i);
  }
  for (size_t i = 1; i < n; i++) {
    const hc_value *first = r->sorted[i - 1], *again = r->sorted[i];
    if (strcmp(first->key, again->key) == 0)
      return hc_value_fail_key(again, r->e, HC_EINPUT,
                               "the key '%.100s' stands here again, first on line %u; remove one", again->key,
                               (unsigned)first->key_line);
  }
  return 0;
}

/* ---- the walk ---- */

static hc_rc read_event(reader *r, struct fy_event *event)
{
  const struct fy_mark *mark = fy_event_start_mark(event);
  size_t at = mark ? mark->input_pos : r->here.at; /* what is left out has no place: take the one before */
  switch (event->type) {
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END: return 0;
    case FYET_DOCUMENT_START:
      if (r->documents++ == 0) return 0;
      return fail_at(r, HC_EINPUT, at, "a second document begins here, and only one is read; remove it");
    case FYET_SCALAR: return read_scalar(r, event, at);
    case FYET_ALIAS: return read_alias(r, event->alias.anchor, at);
    case FYET_SEQUENCE_START: return open_node(r, event, HC_VALUE_LIST, at);
    case FYET_MAPPING_START: return open_node(r, event, HC_VALUE_MAP, at);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
      if (r->depth == 0) return fail_syntax(r);
      r->depth--;
      return r->frames[r->depth].v->kind == HC_VALUE_MAP ? check_keys(r, r->frames[r->depth].v) : 0;
  }
  return 0;
}

static hc_rc read_events(reader *r)
{
  struct fy_event *event;
  while ((event = fy_parser_parse(r->parser))) {
    hc_rc rc = read_event(r, event);
    fy_parser_event_free(r->parser, event);
    TRY(rc);
  }
  if (fy_parser_get_stream_error(r->parser)) return fail_syntax(r);
  if (r->root) return 0;
  TRY(make_node(r, HC_VALUE_NULL, &r->root));
  set_place(r, r->root, 0);
  return 0;
}

/* Errors are collected and nothing is printed: the output function is never called, and there is no file. */
static void drop_output(struct fy_diag *diag, void *user, const char *text, size_t size)
{
  HC_UNUSED(diag);
  HC_UNUSED(user);
  HC_UNUSED(text);
  HC_UNUSED(size);
}

static hc_rc open_parser(reader *r)
{
  struct fy_diag_cfg talk;
  struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 |
                                         FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE};
  fy_diag_cfg_default(&talk);
  talk.fp = NULL;
  talk.output_fn = drop_output;
  talk.level = FYET_ERROR;
  talk.colorize = false;
  r->diag = fy_diag_create(&talk);
  if (!r->diag) return out_of_memory(r);
  fy_diag_set_collect_errors(r->diag, true);
  config.diag = r->diag;
  r->parser = fy_parser_create(&config);
  if (!r->parser || fy_parser_set_string(r->parser, r->text, r->size) < 0) return out_of_memory(r);
  return 0;
}

static hc_rc read_text(reader *r)
{
  TRY(copy_lines(r));
  TRY(check_text(r));
  r->here = (cursor){.line = 1, .column = 1};
  TRY(open_parser(r));
  return read_events(r);
}

hc_rc hc_value_parse(hc_arena *a, const char *text, size_t size, const char *name, hc_value **out,
                     hc_error *e)
{
  reader r = {.arena = a, .e = e, .here = {.line = 1, .column = 1}};
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
  rc = read_text(&r);
  fy_parser_destroy(r.parser);
  if (r.diag) fy_diag_destroy(r.diag); /* unref alone would keep the collected errors */
  hc_names_fini(&r.anchors);
  hc_free(a->allocator, r.anchored, r.anchored_cap * sizeof *r.anchored);
  hc_free(a->allocator, r.sorted, r.sorted_cap * sizeof *r.sorted);
  if (rc == 0) *out = r.root;
  return rc;
}

/* ---- files ---- */

static hc_rc fail_system(const char *name, int code, hc_error *e)
{
  switch (code) {
    case ENOENT: return hc_fail(e, HC_EIO, name, 0, 0, "there is no such file; check the path");
    case EACCES: return hc_fail(e, HC_EIO, name, 0, 0, "the file may not be read; change its permissions");
    case EISDIR: return hc_fail(e, HC_EIO, name, 0, 0, "this is a directory; name a file in it");
    default:
      return hc_fail(e, HC_EIO, name, 0, 0, "the file cannot be read (system error %d); check the path",
                     code);
  }
}

static hc_rc parse_stream(hc_arena *a, FILE *f, const char *name, hc_value **out, hc_error *e)
{
  const hc_allocator *memory = a->allocator;
  char *text = NULL;
  size_t size = 0, cap = 0, got = 1;
  hc_rc rc = 0;
  while (got > 0 &&
         size <= SIZE_LIMIT + 3) { /* one byte past the limit tells, and a byte order mark is free */
    rc = hc_reserve(memory, (void **)&text, &cap, size + 65536, 1);
    if (rc < 0) {
      (void)hc_fail(e, rc, name, 0, 0, "out of memory while reading");
      goto done;
    }
    got = fread(text + size, 1, 65536, f);
    size += got;
  }
  rc = ferror(f) ? fail_system(name, errno, e) : hc_value_parse(a, text, size, name, out, e);
done:
  hc_free(memory, text, cap);
  return rc;
}

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
  FILE *f;
  hc_rc rc;
  if (strcmp(path, "-") == 0) return parse_stream(a, stdin, "standard input", out, e);
  f = fopen(path, "rb");
  if (!f) return fail_system(path, errno, e);
  rc = parse_stream(a, f, path, out, e);
  (void)fclose(f);
  return rc < 0 ? rc : replace_here(a, *out, path, slash ? (int)(slash - path) + 1 : 0, e);
}
