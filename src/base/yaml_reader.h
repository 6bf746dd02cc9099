/* yaml_reader.h -- what reading lists and maps (yaml.c) and reading scalars (yaml_scalar.c) share: where they
 * are in the text, what a character is, and how to say that something is wrong.
 *
 * Nothing here reads past the end of the text: there hc_yaml_peek() gives a NUL, which the text itself never
 * holds. */
#ifndef HC_BASE_YAML_READER_H
#define HC_BASE_YAML_READER_H

#include <string.h>

#include "base/util.h"
#include "base/value.h"

#define HC_YAML_DEPTH 64

/* Where a byte offset stands. */
typedef struct hc_yaml_cursor {
  size_t at, line_start; /* bytes */
  uint32_t line, column; /* from 1 */
} hc_yaml_cursor;

/* A text that is being read. */
typedef struct hc_yaml {
  hc_arena *arena;
  hc_error *e;
  const char *name, *text, *lines; /* `lines`: the text with NULs for line breaks */
  size_t size;
  size_t at, line; /* what is read next, and where its line begins */
  hc_yaml_cursor here;
  hc_names anchors;
  hc_value **anchored; /* by the anchor's id */
  size_t anchored_cap;
  hc_value **sorted; /* scratch for the search of duplicate keys */
  size_t sorted_cap;
  size_t nodes, depth;
  hc_buffer scratch;             /* a scalar of several lines, or with escapes */
  hc_value *open[HC_YAML_DEPTH]; /* lists and maps that are being read */
  hc_value *root;
} hc_yaml;

/* A scalar that was read, and not yet what it is for. */
typedef struct hc_yaml_scalar {
  size_t at; /* where it begins */
  const char *text;
  size_t length;
  bool quoted;
} hc_yaml_scalar;

/* ---- errors ---- */

hc_yaml_cursor *hc_yaml_seek(hc_yaml *r, size_t to);
void hc_yaml_set_place(hc_yaml *r, hc_value *v, size_t at);
hc_rc hc_yaml_fail(hc_yaml *r, hc_rc rc, size_t at, const char *message);
hc_rc hc_yaml_no_memory(hc_yaml *r);

/* ---- scalars: from r->at on, which is moved behind them ---- */

/* @param n  the indentation of what the scalar is in: its lines stand deeper  @param flow  it is within
 * brackets, where
 * indentation counts for nothing  @param one_line  it may not go on in the next
 * @return 0, HC_EINPUT, HC_ENOMEM */
hc_rc hc_yaml_plain(hc_yaml *r, int n, bool flow, bool one_line, hc_yaml_scalar *s);
hc_rc hc_yaml_quoted(hc_yaml *r, int n, bool flow, hc_yaml_scalar *s);
hc_rc hc_yaml_block(hc_yaml *r, int n, hc_yaml_scalar *s); /* behind | or > */

/* ---- characters and lines ---- */

static inline char hc_yaml_peek(const hc_yaml *r, size_t i)
{
  return i < r->size ? r->text[i] : '\0';
}

static inline bool hc_yaml_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static inline bool hc_yaml_ends_line(char c)
{
  return c == '\0' || c == '\n' || c == '\r';
}

static inline bool hc_yaml_is_space(char c)
{
  return hc_yaml_is_blank(c) || hc_yaml_ends_line(c);
}

/* What ends a plain scalar, an anchor or a tag within brackets. */
static inline bool hc_yaml_is_flow(char c)
{
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* One of the indicators that a blank must follow. */
static inline bool hc_yaml_is_lone(const hc_yaml *r, size_t i, char c)
{
  return hc_yaml_peek(r, i) == c && hc_yaml_is_space(hc_yaml_peek(r, i + 1));
}

static inline void hc_yaml_end_line(hc_yaml *r)
{
  r->at += r->text[r->at] == '\r' && hc_yaml_peek(r, r->at + 1) == '\n' ? 2 : 1;
  r->line = r->at;
}

static inline void hc_yaml_skip_blanks(hc_yaml *r)
{
  while (hc_yaml_is_blank(hc_yaml_peek(r, r->at))) r->at++;
}

/* Past blanks, comments and ends of lines, to the next token. */
static inline void hc_yaml_skip(hc_yaml *r)
{
  for (;;) {
    hc_yaml_skip_blanks(r);
    if (hc_yaml_peek(r, r->at) == '#' && (r->at == r->line || hc_yaml_is_blank(r->text[r->at - 1])))
      while (!hc_yaml_ends_line(hc_yaml_peek(r, r->at))) r->at++;
    if (r->at >= r->size || !hc_yaml_ends_line(r->text[r->at])) return;
    hc_yaml_end_line(r);
  }
}

/* Whether a line begins with `---` or `...`. */
static inline bool hc_yaml_is_marker(const hc_yaml *r, size_t line)
{
  return line + 3 <= r->size &&
         (memcmp(r->text + line, "---", 3) == 0 || memcmp(r->text + line, "...", 3) == 0) &&
         hc_yaml_is_space(hc_yaml_peek(r, line + 3));
}

static inline bool hc_yaml_is_finished(const hc_yaml *r)
{
  return r->at >= r->size || (r->at == r->line && hc_yaml_is_marker(r, r->at));
}

static inline int hc_yaml_column(const hc_yaml *r)
{
  return (int)(r->at - r->line);
}

/* The colon behind a key. @param flow  within brackets */
static inline bool hc_yaml_ends_key(const hc_yaml *r, size_t i, bool flow)
{
  return hc_yaml_peek(r, i) == ':' &&
         (hc_yaml_is_space(hc_yaml_peek(r, i + 1)) || (flow && hc_yaml_is_flow(hc_yaml_peek(r, i + 1))));
}

#endif
