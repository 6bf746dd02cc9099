/* yaml_scalar.c -- the texts of YAML: plain, in quotes, and in blocks behind | and >; and places in the text.
 *
 * A scalar of one line without escapes is copied from the text as it stands; any other is built in a buffer
 * first: its line breaks are folded, its escapes replaced. Source: YAML 1.2.2, chapters 5.7, 7.3 and 8.1. */
#include <stdio.h>

#include "base/utf8.h"
#include "base/yaml_reader.h"

/* ---- places ---- */

static bool is_break(const hc_yaml *r, size_t i)
{
  return r->text[i] == '\n' || (r->text[i] == '\r' && !(i + 1 < r->size && r->text[i + 1] == '\n'));
}

/* Events come nearly in order, so the cursor moves little; going back it first walks to the start of the
 * line. */
hc_yaml_cursor *hc_yaml_seek(hc_yaml *r, size_t to)
{
  hc_yaml_cursor *c = &r->here;
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

void hc_yaml_set_place(hc_yaml *r, hc_value *v, size_t at)
{
  const hc_yaml_cursor *c = hc_yaml_seek(r, at);
  v->file = r->name;
  v->source_line = r->lines + c->line_start;
  v->line = c->line;
  v->column = c->column;
}

hc_rc hc_yaml_fail(hc_yaml *r, hc_rc rc, size_t at, const char *message)
{
  hc_value v = {.origin = HC_FROM_FILE};
  hc_yaml_set_place(r, &v, at);
  return hc_value_fail(&v, r->e, rc, "%s", message);
}

hc_rc hc_yaml_no_memory(hc_yaml *r)
{
  return hc_fail(r->e, HC_ENOMEM, r->name, 0, 0, "out of memory while reading");
}

/* ---- scalars ---- */

/* What line breaks within a scalar become. */
static void fold(hc_buffer *out, size_t breaks)
{
  if (breaks == 1) hc_buffer_add(out, " ", 1);
  for (; breaks > 1; breaks--) hc_buffer_add(out, "\n", 1);
}

/* To the next line with something on it. @return how many lines were ended */
static size_t next_text(hc_yaml *r)
{
  for (size_t breaks = 0;; breaks++) {
    hc_yaml_skip_blanks(r);
    if (r->at >= r->size || !hc_yaml_ends_line(r->text[r->at])) return breaks;
    hc_yaml_end_line(r);
  }
}

static int indent(const hc_yaml *r)
{
  size_t i = r->line;
  while (hc_yaml_peek(r, i) == ' ') i++;
  return (int)(i - r->line);
}

static hc_rc take_scratch(hc_yaml *r, hc_yaml_scalar *s)
{
  if (r->scratch.failed) return hc_yaml_no_memory(r);
  s->length = r->scratch.size;
  s->text = hc_arena_text(r->arena, s->length > 0 ? r->scratch.data : "", s->length);
  return s->text ? 0 : hc_yaml_no_memory(r);
}

/* Move past what a line holds of a plain scalar. @return its end, without the blanks behind it */
static size_t plain_end(hc_yaml *r, bool flow)
{
  for (size_t end = r->at;; r->at++) {
    const char c = hc_yaml_peek(r, r->at);
    const bool comment = c == '#' && r->at > r->line && hc_yaml_is_blank(r->text[r->at - 1]);
    if (hc_yaml_ends_line(c) || comment || hc_yaml_ends_key(r, r->at, flow) || (flow && hc_yaml_is_flow(c)))
      return end;
    if (!hc_yaml_is_blank(c)) end = r->at + 1;
  }
}

/* Whether a plain scalar goes on in a later line, where r->at then is. */
static bool goes_on(hc_yaml *r, int n, bool flow, size_t *breaks)
{
  const size_t at = r->at, line = r->line;
  if (at < r->size && hc_yaml_ends_line(r->text[at])) {
    *breaks = next_text(r);
    const char c = hc_yaml_peek(r, r->at);
    const bool is_part = flow ? !hc_yaml_is_flow(c) && !hc_yaml_ends_key(r, r->at, true) : indent(r) > n;
    if (!hc_yaml_is_finished(r) && c != '#' && is_part) return true;
  }
  r->at = at;
  r->line = line;
  return false;
}

static hc_rc check_start(hc_yaml *r, bool flow)
{
  const char c = r->text[r->at], next = hc_yaml_peek(r, r->at + 1);
  const bool indicates = c == '-' || c == '?' || c == ':';
  if (indicates ? !hc_yaml_is_space(next) && !(flow && hc_yaml_is_flow(next))
                : !strchr("&*!|>'\"%@`,[]{}#", c))
    return 0;
  return hc_yaml_fail(r, HC_EINPUT, r->at,
                      "a text cannot begin with this character as it is; put the text in quotes");
}

/* @param n  the indentation of what it is in: its lines stand deeper */
hc_rc hc_yaml_plain(hc_yaml *r, int n, bool flow, bool one_line, hc_yaml_scalar *s)
{
  size_t from = r->at, end, breaks = 0;
  TRY(check_start(r, flow));
  end = plain_end(r, flow);
  *s = (hc_yaml_scalar){.at = from, .length = end - from};
  if (one_line || !goes_on(r, n, flow, &breaks)) {
    s->text = hc_arena_text(r->arena, r->text + from, s->length);
    return s->text ? 0 : hc_yaml_no_memory(r);
  }
  r->scratch.size = 0;
  do {
    hc_buffer_add(&r->scratch, r->text + from, end - from);
    fold(&r->scratch, breaks);
    from = r->at;
    end = plain_end(r, flow);
    if (!flow && hc_yaml_ends_key(r, r->at, false))
      return hc_yaml_fail(
          r, HC_EINPUT, from,
          "this line goes on with the text above, so it cannot be a key; indent all keys of a map alike, by "
          "spaces, or quote the text");
  } while (goes_on(r, n, flow, &breaks));
  hc_buffer_add(&r->scratch, r->text + from, end - from);
  return take_scratch(r, s);
}

static void add_utf8(hc_buffer *out, uint32_t c)
{
  char s[4];
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1; c >>= 6) s[i] = (char)(0x80 | (c & 0x3f));
  s[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
  hc_buffer_add(out, s, n);
}

/* @return whether `n` hexadecimal digits stand at r->at, which is moved past them */
static bool read_hex(hc_yaml *r, size_t n, uint32_t *out)
{
  static const char digits[] = "0123456789abcdefABCDEF";
  *out = 0;
  for (; n > 0; n--, r->at++) {
    const char c = hc_yaml_peek(r, r->at), *d = c ? strchr(digits, c) : NULL;
    if (!d) return false;
    *out = *out << 4 | (uint32_t)(d - digits < 16 ? d - digits : d - digits - 6);
  }
  return true;
}

/* Behind a backslash. @return whether it is an escape of YAML; `*code` may be half a character */
static bool read_escape(hc_yaml *r, uint32_t *code)
{
  static const char names[] = "0abt\tnvfre \"/\\N_LP";
  static const uint32_t codes[] = {0,  7,   8,   '\t', '\t', '\n', 11,   12,     '\r',
                                   27, ' ', '"', '/',  '\\', 0x85, 0xa0, 0x2028, 0x2029};
  const char c = hc_yaml_peek(r, r->at++), *name = c ? strchr(names, c) : NULL;
  uint32_t low;
  if (name) *code = codes[name - names];
  else if (c == 'x') return read_hex(r, 2, code);
  else if (c == 'U') return read_hex(r, 8, code);
  else if (c != 'u' || !read_hex(r, 4, code)) return false;
  if (!name && *code >= 0xd800 && *code < 0xdc00 && hc_yaml_peek(r, r->at) == '\\' &&
      hc_yaml_peek(r, r->at + 1) == 'u') {
    r->at += 2; /* JSON writes what is beyond 16 bits as two */
    if (!read_hex(r, 4, &low)) return false;
    *code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00) : 0;
  }
  return true;
}

/* A backslash: an escaped character, or a line break that counts for nothing. */
static hc_rc take_escape(hc_yaml *r, const hc_yaml_scalar *s)
{
  const size_t from = r->at++;
  uint32_t code = 0;
  if (r->at < r->size && hc_yaml_ends_line(r->text[r->at])) {
    for (size_t breaks = next_text(r); breaks > 1; breaks--) hc_buffer_add(&r->scratch, "\n", 1);
    return 0;
  }
  if (!read_escape(r, &code))
    return hc_yaml_fail(r, HC_EINPUT, from,
                        "this escape is not known; double a backslash that is meant literally");
  if (code == 0 || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
    return hc_yaml_fail(r, HC_EINPUT, s->at,
                        "this text holds a NUL or half a character by its escapes; remove them");
  add_utf8(&r->scratch, code);
  return 0;
}

hc_rc hc_yaml_quoted(hc_yaml *r, int n, bool flow, hc_yaml_scalar *s)
{
  const char quote = r->text[r->at];
  hc_buffer *out = &r->scratch;
  size_t least = 0; /* up to here blanks stay, also at the end of a line: they were escaped */
  *s = (hc_yaml_scalar){.at = r->at++, .quoted = true};
  out->size = 0;
  while (!hc_yaml_is_finished(r) &&
         (hc_yaml_peek(r, r->at) != quote || (quote == '\'' && hc_yaml_peek(r, r->at + 1) == quote))) {
    const size_t from = r->at, line = r->line;
    if (quote == '"' && r->text[from] == '\\') {
      TRY(take_escape(r, s));
      least = out->size;
    } else if (hc_yaml_ends_line(r->text[from])) {
      while (out->size > least && hc_yaml_is_blank(out->data[out->size - 1])) out->size--;
      fold(out, next_text(r));
      least = out->size;
    } else {
      r->at += r->text[from] == '\'' && quote == '\'' ? 2 : 1;
      hc_buffer_add(out, r->text + from, 1);
    }
    if (r->line != line && !flow && indent(r) <= n) break;
  }
  if (hc_yaml_is_finished(r) || r->text[r->at] != quote || (!flow && r->line > s->at && indent(r) <= n))
    return hc_yaml_fail(
        r, HC_EINPUT, s->at,
        "this quote is never closed; add the closing quote, or indent the lines that go on with the text");
  r->at++;
  return take_scratch(r, s);
}

#define UNKNOWN_DEPTH -1

/* The rest of the line of a `|` or `>`. @param deep  by how much the text is indented, if that is given
 * @param end  what becomes of the line breaks at its end: '-' none stays, '+' all do, 0: one does */
static hc_rc read_header(hc_yaml *r, int *deep, char *end)
{
  *deep = UNKNOWN_DEPTH;
  *end = 0;
  for (r->at++;; r->at++) {
    const char c = hc_yaml_peek(r, r->at);
    if (c >= '1' && c <= '9' && *deep == UNKNOWN_DEPTH) *deep = c - '0';
    else if ((c == '+' || c == '-') && *end == 0) *end = c;
    else break;
  }
  if (!hc_yaml_is_space(hc_yaml_peek(r, r->at)))
    return hc_yaml_fail(r, HC_EINPUT, r->at,
                        "nothing may follow '|' or '>' on its line; begin the text on the next one");
  hc_yaml_skip_blanks(r);
  if (hc_yaml_peek(r, r->at) == '#')
    while (!hc_yaml_ends_line(hc_yaml_peek(r, r->at))) r->at++;
  if (!hc_yaml_ends_line(hc_yaml_peek(r, r->at)))
    return hc_yaml_fail(r, HC_EINPUT, r->at,
                        "nothing may follow '|' or '>' on its line; begin the text on the next one");
  if (r->at < r->size) hc_yaml_end_line(r);
  return 0;
}

/* To the text of the next line of a block scalar. @param deep  its indentation; UNKNOWN_DEPTH: as its first
 * line has it
 * @return whether there is one; `*breaks` grows by the lines without text */
static bool next_line(hc_yaml *r, int n, int *deep, size_t *breaks)
{
  while (!hc_yaml_is_finished(r)) {
    while (hc_yaml_peek(r, r->at) == ' ' && (*deep == UNKNOWN_DEPTH || hc_yaml_column(r) < *deep)) r->at++;
    if (r->at >= r->size) return false;
    if (!hc_yaml_ends_line(r->text[r->at])) {
      if (hc_yaml_column(r) <= n || hc_yaml_column(r) < *deep) break;
      if (*deep == UNKNOWN_DEPTH) *deep = hc_yaml_column(r);
      return true;
    }
    hc_yaml_end_line(r);
    ++*breaks;
  }
  r->at = r->line;
  return false;
}

hc_rc hc_yaml_block(hc_yaml *r, int n, hc_yaml_scalar *s)
{
  const bool folds = r->text[r->at] == '>';
  bool was_deeper =
      true; /* line breaks before the first line, and around lines that are indented more, stay */
  size_t breaks = 0;
  int deep;
  char end;
  *s = (hc_yaml_scalar){.at = r->at, .quoted = true};
  r->scratch.size = 0;
  TRY(read_header(r, &deep, &end));
  if (deep != UNKNOWN_DEPTH) deep += HC_MAX(n, 0);
  while (next_line(r, n, &deep, &breaks)) {
    const size_t from = r->at;
    const bool is_deeper = hc_yaml_is_blank(r->text[from]);
    if (folds && !is_deeper && !was_deeper) fold(&r->scratch, breaks);
    else
      for (; breaks > 0; breaks--) hc_buffer_add(&r->scratch, "\n", 1);
    while (!hc_yaml_ends_line(hc_yaml_peek(r, r->at))) r->at++;
    hc_buffer_add(&r->scratch, r->text + from, r->at - from);
    was_deeper = is_deeper;
    breaks = r->at < r->size;
    if (breaks > 0) hc_yaml_end_line(r);
  }
  if (end == '-' || (end == 0 && r->scratch.size == 0)) breaks = 0;
  for (breaks = end == '+' ? breaks : HC_MIN(breaks, (size_t)1); breaks > 0; breaks--)
    hc_buffer_add(&r->scratch, "\n", 1);
  return take_scratch(r, s);
}
