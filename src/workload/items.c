/* items.c -- a list in a file, one item at a time, so that memory does not grow with the file.
 *
 * In a YAML list of maps an item begins with a dash at the indentation of the first one and ends where the
 * next begins: nothing within an item can stand there, since all of it is indented deeper. Only blank lines
 * and comments may stand less deep. A line of "---" or "..." ends an item, and a list may go on behind it. In
 * JSON an item is an object, whose end is found by counting brackets outside strings; whether objects stand
 * in an array or one after another makes no difference.
 *
 * An item is then parsed as a document of its own, whatever is wrong with it being no matter for the next
 * one. So an anchor is known within its item only. Which form a file has is told by its first byte that is
 * neither blank nor comment. Invariant: between two calls the state says where the next item begins, by bytes
 * of the unpacked text. Cost: two copies of a text, and what parsing costs (base/yaml.c). Source: YAML 1.2.2,
 * RFC 8259. */
#include "workload/items.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

enum { FORM_UNKNOWN, FORM_YAML, FORM_JSON };
enum { EXPECT_ANY, EXPECT_COMMA, EXPECT_ITEM }; /* within an array: what may come next */

/* What a line of a YAML list is. */
typedef enum line_kind { LINE_EMPTY, LINE_MARK, LINE_ITEM, LINE_DEEPER, LINE_OTHER } line_kind;

hc_rc hc_items_open(hc_items *l, const hc_allocator *a, const char *path, hc_error *e)
{
  memset(l, 0, sizeof *l);
  l->allocator = a;
  l->s.next_line = l->s.next_column = 1;
  hc_buffer_init(&l->text, a);
  hc_buffer_init(&l->ahead, a);
  hc_arena_init(&l->arena, a);
  TRY(hc_input_open(a, path, &l->in, e));
  l->name = hc_input_name(l->in);
  return 0;
}

void hc_items_close(hc_items *l)
{
  if (!l->allocator) return;
  hc_input_free(l->in);
  hc_buffer_fini(&l->text);
  hc_buffer_fini(&l->ahead);
  hc_arena_fini(&l->arena);
}

/* ---- bytes ---- */

static hc_rc fail(const hc_items *l, uint64_t line, uint64_t column, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, l->name, (uint32_t)HC_MIN(line, UINT32_MAX),
                 (uint32_t)HC_MIN(column, UINT32_MAX), "%s", what);
}

static hc_rc too_long(const hc_items *l, hc_error *e)
{
  return fail(
      l, l->line, l->column,
      "the item that begins here is longer than 1 MiB, which no task needs: is a quote or a bracket open?",
      e);
}

/* See that there is a byte at `at`. @return 1, 0 at the end, or an error. */
static hc_rc fill(hc_items *l, hc_error *e)
{
  char *data;
  size_t size;
  if (l->at < l->end) return 1;
  const hc_rc rc = hc_input_block(l->in, &data, &size, e);
  if (rc != 1) return rc;
  l->at = data;
  l->end = data + size;
  return 1;
}

/* Go past the byte at hand. */
static void pass(hc_items *l)
{
  const bool is_break = *l->at++ == '\n';
  l->s.position++;
  l->s.next_line += is_break;
  l->s.next_column = is_break ? 1 : l->s.next_column + 1;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Pass over blanks. @return 1 with a byte at hand, 0 at the end, or an error. */
static hc_rc pass_blanks(hc_items *l, hc_error *e)
{
  hc_rc rc;
  while ((rc = fill(l, e)) == 1 && is_blank(*l->at)) pass(l);
  return rc;
}

/* ---- JSON ---- */

/* From the opening bracket to the one that closes it. */
static hc_rc take_object(hc_items *l, hc_error *e)
{
  size_t depth = 0;
  bool quoted = false, escaped = false;
  hc_rc rc;
  l->line = l->s.next_line;
  l->column = l->s.next_column;
  while ((rc = fill(l, e)) == 1) {
    const char *from = l->at;
    bool ends = false;
    while (l->at < l->end && !ends) {
      const char c = *l->at;
      pass(l);
      if (quoted) {
        quoted = escaped || c != '"';
        escaped = !escaped && c == '\\';
        continue;
      }
      quoted = c == '"';
      depth += c == '{' || c == '[';
      if (c == '}' || c == ']') ends = --depth == 0;
    }
    if (l->text.size + (size_t)(l->at - from) > HC_ITEM_LIMIT) return too_long(l, e);
    hc_buffer_add(&l->text, from, (size_t)(l->at - from));
    if (l->text.failed) return HC_ENOMEM;
    if (ends) return 1;
  }
  if (rc < 0) return rc;
  return fail(l, l->line, l->column, "the text stops within the item that begins here: the file is truncated",
              e);
}

/* What stands between two objects. @return 1 at an object, 0 at the end, or an error. */
static hc_rc find_object(hc_items *l, hc_error *e)
{
  hc_rc rc;
  while ((rc = pass_blanks(l, e)) == 1) {
    const char c = *l->at;
    if (c == '{' && l->s.expects != EXPECT_COMMA) return 1;
    if (c == '[' && !l->s.in_array) {
      l->s.in_array = 1;
      l->s.expects = EXPECT_ANY;
    } else if (c == ']' && l->s.in_array && l->s.expects != EXPECT_ITEM) {
      l->s.in_array = 0;
      l->s.expects = EXPECT_ANY;
    } else if (c == ',' && l->s.expects == EXPECT_COMMA) {
      l->s.expects = EXPECT_ITEM;
    } else {
      return fail(l, l->s.next_line, l->s.next_column,
                  l->s.expects == EXPECT_COMMA ? "a comma or ] is expected here"
                                               : "an item is expected here: {...}",
                  e);
    }
    pass(l);
  }
  if (rc < 0 || !l->s.in_array) return rc;
  return fail(l, l->s.next_line, l->s.next_column, "the text stops within the list: the file is truncated",
              e);
}

static hc_rc next_object(hc_items *l, hc_error *e)
{
  hc_rc rc = find_object(l, e);
  if (rc != 1) return rc;
  rc = take_object(l, e);
  l->s.expects = l->s.in_array ? EXPECT_COMMA : EXPECT_ANY;
  return rc;
}

/* ---- YAML ---- */

/* The next line, with its break, into `ahead`. @return 1, 0 at the end, or an error. */
static hc_rc read_line(hc_items *l, hc_error *e)
{
  hc_rc rc;
  l->ahead.size = 0;
  l->s.ahead_position = l->s.position;
  l->s.ahead_line = l->s.next_line;
  while ((rc = fill(l, e)) == 1) {
    const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
    const size_t n = end ? (size_t)(end - l->at) + 1 : (size_t)(l->end - l->at);
    if (l->ahead.size + n > HC_ITEM_LIMIT) {
      l->line = l->s.ahead_line;
      l->column = 1;
      return too_long(l, e);
    }
    hc_buffer_add(&l->ahead, l->at, n);
    if (l->ahead.failed) return HC_ENOMEM;
    l->at += n;
    l->s.position += n;
    l->s.next_line += end != NULL;
    l->s.next_column = end ? 1 : l->s.next_column + n;
    if (end) return 1;
  }
  return rc < 0 ? rc : l->ahead.size > 0;
}

/* Past all that is among some characters. */
static size_t past(const char *s, size_t n, size_t i, const char *which)
{
  while (i < n && s[i] && strchr(which, s[i])) i++;
  return i;
}

/* @param indent  of the list; UINT64_MAX: not known yet, and then written */
static line_kind kind_of(const hc_items *l, uint64_t *indent)
{
  static const char blanks[] = " \t\r\n";
  const char *s = l->ahead.data;
  const size_t n = l->ahead.size;
  const size_t first = past(s, n, 0, " "), content = past(s, n, first, blanks);
  if (content == n || s[content] == '#') return LINE_EMPTY;
  if (n >= 3 && (memcmp(s, "---", 3) == 0 || memcmp(s, "...", 3) == 0)) {
    const size_t rest = past(s, n, 3, blanks);
    if (rest == n || s[rest] == '#') return LINE_MARK;
  }
  const bool has_dash = s[first] == '-' && (first + 1 == n || is_blank(s[first + 1]));
  if (*indent == UINT64_MAX && has_dash) *indent = first;
  if (has_dash && first == *indent) return LINE_ITEM;
  if (*indent == UINT64_MAX) return LINE_OTHER;
  return first > *indent || (content > first && first == *indent) ? LINE_DEEPER : LINE_OTHER;
}

/* Find the line with which the list begins, or goes on behind a mark. @return 1, 0 at the end, an error. */
static hc_rc find_first(hc_items *l, hc_error *e)
{
  hc_rc rc;
  l->s.indent = UINT64_MAX;
  while ((rc = read_line(l, e)) == 1) {
    const line_kind kind = kind_of(l, &l->s.indent);
    if (kind == LINE_ITEM) return 1;
    if (kind == LINE_OTHER || kind == LINE_DEEPER)
      return fail(
          l, l->s.ahead_line, 1,
          "a list is expected here: a line that begins with a dash and a blank for each item, or a JSON "
          "array",
          e);
  }
  return rc;
}

static hc_rc take_line(hc_items *l, hc_error *e)
{
  if (l->text.size + l->ahead.size > HC_ITEM_LIMIT) return too_long(l, e);
  hc_buffer_add(&l->text, l->ahead.data, l->ahead.size);
  return l->text.failed ? HC_ENOMEM : 0;
}

static hc_rc next_map(hc_items *l, hc_error *e)
{
  hc_rc rc = 1;
  if (!l->has_ahead) rc = find_first(l, e);
  if (rc != 1) return rc;
  l->has_ahead = false;
  l->line = l->s.ahead_line;
  l->column = 1;
  TRY(take_line(l, e));
  while ((rc = read_line(l, e)) == 1) {
    switch (kind_of(l, &l->s.indent)) {
      case LINE_EMPTY:
      case LINE_DEEPER: TRY(take_line(l, e)); break;
      case LINE_ITEM: l->has_ahead = true; return 1;
      case LINE_MARK: return 1;
      case LINE_OTHER:
        return fail(
            l, l->s.ahead_line, 1,
            "this line belongs to no item of the list: indent it deeper than the dashes, or begin it with "
            "one",
            e);
    }
  }
  return rc < 0 ? rc : 1;
}

/* ---- both ---- */

/* By the first byte that is neither blank nor comment. What is passed over here is no part of an item. */
static hc_rc begin(hc_items *l, hc_error *e)
{
  bool comment = false;
  hc_rc rc;
  while ((rc = fill(l, e)) == 1) {
    const char c = *l->at;
    const bool is_mark = l->s.position < 3 && c == "\xef\xbb\xbf"[l->s.position]; /* a byte order mark */
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (!comment && !is_mark && c != '\r' && c != '\n') break;
    pass(l);
  }
  if (rc != 1) return rc;
  const char *p = l->at;
  while (p < l->end && (*p == ' ' || *p == '\t')) p++;
  l->s.form = p < l->end && (*p == '[' || *p == '{') ? FORM_JSON : FORM_YAML;
  return 1;
}

hc_rc hc_items_next(hc_items *l, hc_error *e)
{
  l->text.size = 0;
  if (l->s.form == FORM_UNKNOWN) {
    const hc_rc rc = begin(l, e);
    if (rc != 1) return rc;
  }
  return l->s.form == FORM_JSON ? next_object(l, e) : next_map(l, e);
}

void hc_items_place(const hc_items *l, uint32_t *line, uint32_t *column)
{
  if (*line == 1 && *column > 0) *column = (uint32_t)HC_MIN(*column + l->column - 1, UINT32_MAX);
  if (*line > 0) *line = (uint32_t)HC_MIN(*line + l->line - 1, UINT32_MAX);
}

hc_rc hc_items_parse(hc_items *l, hc_value **out, hc_error *e)
{
  hc_error mine = {0};
  hc_value *v;
  hc_arena_reset(&l->arena);
  const hc_rc rc = hc_value_parse(&l->arena, l->text.data, l->text.size, l->name, &v, &mine);
  if (rc < 0) {
    hc_items_place(l, &mine.line, &mine.column);
    if (e && e->rc == 0) *e = mine;
    return rc;
  }
  *out = l->s.form == FORM_YAML && v->kind == HC_VALUE_LIST && v->count == 1 ? v->items[0] : v;
  return 0;
}

hc_rc hc_items_visit(hc_items *l, hc_visitor *v, hc_error *e)
{
  if (!hc_visit_loading(v)) { /* a line ahead is read again */
    const uint64_t position = l->s.position, line = l->s.next_line;
    if (l->has_ahead) {
      l->s.position = l->s.ahead_position;
      l->s.next_line = l->s.ahead_line;
    }
    l->s.ahead_position = l->s.ahead_line = 0;
    const hc_rc rc = hc_visit_bytes(v, &l->s, sizeof l->s);
    l->s.ahead_position = l->has_ahead ? l->s.position : 0;
    l->s.ahead_line = l->has_ahead ? l->s.next_line : 0;
    l->s.position = position;
    l->s.next_line = line;
    return rc;
  }
  TRY(hc_visit_bytes(v, &l->s, sizeof l->s));
  l->has_ahead = false;
  l->at = l->end = NULL;
  return hc_input_seek(l->in, l->s.position, l->s.next_line > 0 ? l->s.next_line - 1 : 0, e);
}
