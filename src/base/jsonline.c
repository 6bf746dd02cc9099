/* jsonline.c -- one JSON value in a line of text, token by token.
 *
 * base/json.h reads a file that is one value, from its blocks; here a line is in memory already, another
 * value stands in the next, and a broken one costs its line alone. Texts are handed out where they lie;
 * escapes are resolved only in those that are wanted. As RFC 8259 has it, but that texts may hold any
 * bytes and that a number is not looked at closely: its user reads it strictly. */
#include "base/jsonline.h"

#include <string.h>

void hc_jsonline_begin(hc_jsonline *j, const char *text, size_t size)
{
  *j = (hc_jsonline){.at = text, .end = text + size};
}

static void skip_blanks(hc_jsonline *j)
{
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\r' || *j->at == '\n')) j->at++;
}

static hc_jsonline_token wrong(hc_jsonline *j)
{
  j->wrong = true;
  return (hc_jsonline_token){.kind = HC_JSONLINE_WRONG, .text = j->at};
}

static bool in_object(const hc_jsonline *j)
{
  return j->depth > 0 && (j->objects >> (j->depth - 1) & 1);
}

/* From its first quote. */
static hc_jsonline_token quoted(hc_jsonline *j, hc_jsonline_kind kind)
{
  hc_jsonline_token t = {.kind = kind, .text = ++j->at};
  for (; j->at < j->end && *j->at != '"'; j->at++) {
    if (*j->at != '\\') continue;
    t.escaped = true;
    if (++j->at == j->end) break;
  }
  if (j->at >= j->end) return wrong(j);
  t.size = (size_t)(j->at++ - t.text);
  return t;
}

static hc_jsonline_token word(hc_jsonline *j, const char *text, hc_jsonline_kind kind)
{
  const size_t n = strlen(text);
  const hc_jsonline_token t = {.kind = kind, .text = j->at, .size = n};
  if ((size_t)(j->end - j->at) < n || memcmp(j->at, text, n) != 0) return wrong(j);
  j->at += n;
  return t;
}

static bool is_of_number(char c)
{
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static hc_jsonline_token number(hc_jsonline *j)
{
  hc_jsonline_token t = {.kind = HC_JSONLINE_NUMBER, .text = j->at};
  while (j->at < j->end && is_of_number(*j->at)) j->at++;
  t.size = (size_t)(j->at - t.text);
  return t.size > 0 ? t : wrong(j);
}

static hc_jsonline_token open_bracket(hc_jsonline *j, bool object)
{
  const uint64_t bit = UINT64_C(1) << j->depth;
  if (j->depth == HC_JSONLINE_DEPTH) return wrong(j);
  j->objects = object ? j->objects | bit : j->objects & ~bit;
  j->depth++;
  j->has_item = false;
  return (hc_jsonline_token){.kind = object ? HC_JSONLINE_OBJECT : HC_JSONLINE_ARRAY, .text = j->at++};
}

static hc_jsonline_token value(hc_jsonline *j)
{
  j->after_key = false;
  j->has_item = true;
  switch (*j->at) {
    case '{': return open_bracket(j, true);
    case '[': return open_bracket(j, false);
    case '"': return quoted(j, HC_JSONLINE_TEXT);
    case 't': return word(j, "true", HC_JSONLINE_TRUE);
    case 'f': return word(j, "false", HC_JSONLINE_FALSE);
    case 'n': return word(j, "null", HC_JSONLINE_NULL);
    default: return number(j);
  }
}

static hc_jsonline_token key(hc_jsonline *j)
{
  hc_jsonline_token t;
  if (*j->at != '"') return wrong(j);
  t = quoted(j, HC_JSONLINE_KEY);
  if (t.kind == HC_JSONLINE_WRONG) return t;
  skip_blanks(j);
  if (j->at == j->end || *j->at != ':') return wrong(j);
  j->at++;
  j->after_key = true;
  return t;
}

static hc_jsonline_token close_bracket(hc_jsonline *j)
{
  if (*j->at != (in_object(j) ? '}' : ']')) return wrong(j);
  j->depth--;
  j->has_item = true;
  return (hc_jsonline_token){.kind = HC_JSONLINE_END, .text = j->at++};
}

hc_jsonline_token hc_jsonline_next(hc_jsonline *j)
{
  skip_blanks(j);
  if (j->wrong) return wrong(j);
  if (j->depth == 0 && j->has_item)
    return j->at == j->end ? (hc_jsonline_token){.kind = HC_JSONLINE_DONE, .text = j->at} : wrong(j);
  if (j->at == j->end) return wrong(j);
  if (j->after_key || j->depth == 0) return value(j);
  if (*j->at == '}' || *j->at == ']') return close_bracket(j);
  if (j->has_item) {
    if (*j->at++ != ',') return wrong(j);
    skip_blanks(j);
    if (j->at == j->end) return wrong(j);
  }
  return in_object(j) ? key(j) : value(j);
}

bool hc_jsonline_skip(hc_jsonline *j, hc_jsonline_token t)
{
  const uint32_t outside = j->depth - (t.kind == HC_JSONLINE_OBJECT || t.kind == HC_JSONLINE_ARRAY);
  if (t.kind == HC_JSONLINE_KEY) t = hc_jsonline_next(j);
  while (t.kind != HC_JSONLINE_WRONG && j->depth > outside) t = hc_jsonline_next(j);
  return t.kind != HC_JSONLINE_WRONG;
}

/* ---- escapes ---- */

static bool hexadecimal(const char *s, const char *end, uint32_t *out)
{
  uint32_t v = 0;
  if (end - s < 4) return false;
  for (int i = 0; i < 4; i++) {
    const char c = s[i];
    uint32_t digit;
    if (c >= '0' && c <= '9') digit = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f') digit = (uint32_t)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F') digit = (uint32_t)(c - 'A') + 10;
    else return false;
    v = v * 16 + digit;
  }
  *out = v;
  return true;
}

static void add_character(hc_buffer *b, uint32_t c)
{
  char bytes[4];
  size_t n = 0;
  if (c < 0x80) {
    bytes[n++] = (char)c;
  } else if (c < 0x800) {
    bytes[n++] = (char)(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    bytes[n++] = (char)(0xe0 | c >> 12);
    bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
  } else {
    bytes[n++] = (char)(0xf0 | c >> 18);
    bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
    bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
  }
  if (c >= 0x80) bytes[n++] = (char)(0x80 | (c & 0x3f));
  hc_buffer_add(b, bytes, n);
}

/* \u0041, or two of them for one character past U+FFFF. @return where it ends; NULL: it is none. */
static const char *unicode(const char *s, const char *end, hc_buffer *b)
{
  uint32_t c, low;
  if (!hexadecimal(s, end, &c) || c == 0) return NULL; /* texts end with a NUL here */
  s += 4;
  if (c >= 0xdc00 && c < 0xe000) return NULL;
  if (c >= 0xd800 && c < 0xdc00) {
    if (end - s < 6 || s[0] != '\\' || s[1] != 'u' || !hexadecimal(s + 2, end, &low)) return NULL;
    if (low < 0xdc00 || low >= 0xe000) return NULL;
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    s += 6;
  }
  add_character(b, c);
  return s;
}

bool hc_jsonline_text(const hc_jsonline_token *t, hc_buffer *scratch, hc_field *out)
{
  static const char marks[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  const char *end = t->text + t->size;
  *out = (hc_field){.text = t->text, .length = t->size};
  if (!t->escaped) return true;
  scratch->size = 0;
  for (const char *s = t->text; s < end;) {
    const char *mark;
    if (*s != '\\') {
      hc_buffer_add(scratch, s++, 1);
      continue;
    }
    if (++s == end) return false;
    if (*s == 'u') {
      s = unicode(s + 1, end, scratch);
      if (!s) return false;
      continue;
    }
    mark = *s != '\0' ? strchr(marks, *s) : NULL;
    if (!mark) return false;
    hc_buffer_add(scratch, &meant[mark - marks], 1);
    s++;
  }
  if (scratch->failed) return false;
  *out = (hc_field){.text = scratch->size > 0 ? scratch->data : "", .length = scratch->size};
  return true;
}
