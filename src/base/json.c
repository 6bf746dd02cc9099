/* json.c -- JSON, and YSON, read token by token.
 *
 * Bytes come in blocks and are looked at once. What is open is a stack of closing signs; what may come next
 * follows from the top of it and from the token before. Only one string or number is held at a time. JSON is
 * strictly RFC 8259, with a byte order mark allowed in front: no comments, no comma before a closing bracket,
 * no bare words. YSON may have all of these but comments, and its strings are bytes.
 *
 * Duplicate keys are not looked for: who reads the members knows which may come twice. A number is checked
 * for its form (in JSON) and handed out as text. A \u0000 in a string is refused, because texts end with a
 * NUL here. Cost: about 8 ns a byte. Source: RFC 8259; the YSON page of the manual of YTsaurus. */
#include "base/json.h"

#include <string.h>

#include "base/input.h"
#include "base/utf8.h"
#include "base/util.h"

enum { NOTHING = -1 }; /* instead of a byte: the text has ended, or reading failed */

struct hc_json {
  const hc_allocator *allocator;
  hc_input *in;         /* NULL: all of it is in memory, and called `name` */
  const char *name;
  const char *at, *end; /* what is left of the block */
  hc_rc failed;         /* of reading; what is said of it is in `e` of that call */
  hc_error *e;          /* of the call under way */
  uint64_t line, column;
  hc_buffer text;
  size_t depth;
  char closing[HC_JSON_DEPTH]; /* '}', ']' or '>', of what is open */
  bool is_yson, heeds_attributes;
  bool has_item;     /* the innermost object or array, or the text, has one already */
  bool before_value; /* a key or attributes stood before: their value is to come */
  bool begun;
};

/* ---- bytes ---- */

static int refill(hc_json *j)
{
  char *data;
  size_t size;
  if (j->failed < 0 || !j->in) return NOTHING;
  const hc_rc rc = hc_input_block(j->in, &data, &size, j->e);
  if (rc < 0) j->failed = rc;
  if (rc != 1) return NOTHING;
  j->at = data;
  j->end = data + size;
  return (unsigned char)*data;
}

static inline int peek(hc_json *j)
{
  return j->at < j->end ? (unsigned char)*j->at : refill(j);
}

/* Go past the byte that peek() showed. */
static inline void pass(hc_json *j)
{
  if (*j->at++ == '\n') {
    j->line++;
    j->column = 0;
  }
  j->column++;
}

static uint32_t saturated(uint64_t n)
{
  return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* What is wrong stands here, unless reading failed, which has been told. */
static hc_rc wrong(hc_json *j, const char *what)
{
  if (j->failed < 0) return j->failed;
  return hc_fail(j->e, HC_EINPUT, hc_json_name(j), saturated(j->line), saturated(j->column), "%s", what);
}

static int peek_token(hc_json *j)
{
  int c;
  while ((c = peek(j)) == ' ' || c == '\n' || c == '\t' || c == '\r') pass(j);
  return c;
}

static hc_rc put(hc_json *j, const char *s, size_t n)
{
  if (j->text.size + n > HC_JSON_TEXT_LIMIT)
    return wrong(j, "this string or number is longer than 1 MiB, which no workload needs");
  hc_buffer_add(&j->text, s, n);
  return j->text.failed ? HC_ENOMEM : 0;
}

static hc_rc put_byte(hc_json *j)
{
  const char c = *j->at;
  pass(j);
  return put(j, &c, 1);
}

/* The bytes up to `to`, of which none ends a line, at once. */
static hc_rc put_run(hc_json *j, const char *to)
{
  const size_t n = (size_t)(to - j->at);
  const char *from = j->at;
  j->at = to;
  j->column += n;
  return put(j, from, n);
}

/* ---- scalars ---- */

static hc_rc digits(hc_json *j)
{
  int c = peek(j);
  if (c < '0' || c > '9') return wrong(j, "a digit is missing in this number; JSON writes 0.5, 10, -1, 1e-3");
  for (; c >= '0' && c <= '9'; c = peek(j)) {
    const char *to = j->at;
    while (to < j->end && *to >= '0' && *to <= '9') to++;
    TRY(put_run(j, to));
  }
  return 0;
}

static hc_rc number(hc_json *j)
{
  if (peek(j) == '-') TRY(put_byte(j));
  if (peek(j) == '0') TRY(put_byte(j));
  else TRY(digits(j));
  if (peek(j) == '.') {
    TRY(put_byte(j));
    TRY(digits(j));
  }
  if (peek(j) == 'e' || peek(j) == 'E') {
    TRY(put_byte(j));
    if (peek(j) == '+' || peek(j) == '-') TRY(put_byte(j));
    TRY(digits(j));
  }
  return 0;
}

static hc_rc word(hc_json *j, const char *rest)
{
  for (; *rest; rest++) {
    if (peek(j) != (unsigned char)*rest)
      return wrong(j, "a bare word here is true, false or null; other text needs quotes");
    pass(j);
  }
  return 0;
}

static bool is_bare(int c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c > 0 && strchr("_-+.%", c));
}

static hc_rc bare(hc_json *j)
{
  while (is_bare(peek(j))) TRY(put_byte(j));
  return 0;
}

/* Digits of a base, at least `least` and at most `most` of them. */
static hc_rc code(hc_json *j, uint32_t base, int least, int most, uint32_t *out)
{
  *out = 0;
  for (int i = 0; i < most; i++) {
    const int c = peek(j);
    uint32_t digit = 16;
    if (c >= '0' && c <= '9') digit = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f') digit = (uint32_t)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') digit = (uint32_t)(c - 'A' + 10);
    if (digit >= base && i >= least) return 0;
    if (digit >= base)
      return wrong(j, most == 4 ? "\\u needs four hexadecimal digits" : "an escape without its digits");
    *out = *out * base + digit;
    pass(j);
  }
  return 0;
}

/* Behind "\u": one unit, or two that are halves of a character. */
static hc_rc character(hc_json *j)
{
  uint32_t c, low;
  char s[4];
  size_t n;
  TRY(code(j, 16, 4, 4, &c));
  if (c >= 0xd800 && c < 0xdc00) {
    TRY(word(j, "\\u"));
    TRY(code(j, 16, 4, 4, &low));
    c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
  }
  if (c == 0 || (c >= 0xd800 && c < 0xe000))
    return wrong(j, "this \\u stands for no character that a text can hold");
  n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1; c >>= 6) s[i] = (char)(0x80 | (c & 0x3f));
  s[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
  return put(j, s, n);
}

/* YSON has the last three letters, and bytes by their codes, too. */
static hc_rc escape(hc_json *j)
{
  static const char from[] = "\"\\/bfnrtav'", to[] = "\"\\/\b\f\n\r\t\a\v'";
  const int c = peek(j);
  const char *known = c > 0 ? strchr(from, c) : NULL;
  const bool octal = j->is_yson && c >= '0' && c <= '7';
  uint32_t byte;
  if (known && known - from >= 8 && !j->is_yson) known = NULL;
  if (octal || (j->is_yson && c == 'x')) {
    if (!octal) pass(j);
    TRY(code(j, octal ? 8 : 16, 1, octal ? 3 : 2, &byte));
    return put(j, &(char){(char)(byte & 255)}, 1);
  }
  if (c != 'u' && !known) return wrong(j, "unknown escape; a backslash itself is written twice");
  pass(j);
  return known ? put(j, &to[known - from], 1) : character(j);
}

/* Up to what needs a look in a string, in this block. @param high in and out: with a byte that is no ASCII */
static hc_rc put_plain(hc_json *j, bool *high)
{
  const char *to = j->at;
  unsigned char all = 0;
  for (; to < j->end && (unsigned char)*to >= 0x20 && *to != '"' && *to != '\\'; to++)
    all |= (unsigned char)*to;
  *high |= all >= 0x80;
  return put_run(j, to);
}

static hc_rc string(hc_json *j)
{
  bool high = false;
  int c;
  pass(j); /* the quote */
  while ((c = peek(j)) != '"') {
    if (c == NOTHING) return wrong(j, "the text stops within a string: the file is truncated");
    if (c < 0x20 && !j->is_yson)
      return wrong(j, "a line break or control character within a string; write it as \\n or \\u0009");
    if (c == '\\') {
      pass(j);
      TRY(escape(j));
    } else {
      TRY(c < 0x20 ? put_byte(j) : put_plain(j, &high));
    }
  }
  pass(j);
  for (size_t i = 0, n; high && i < j->text.size && !j->is_yson; i += n) {
    uint32_t code;
    n = hc_utf8_decode(j->text.data + i, j->text.size - i, &code);
    if (n == 0)
      return wrong(j, "the string that ends here is not UTF-8; iconv turns other encodings into it");
  }
  return 0;
}

/* What a bare word of YSON is: a number, or a text that is no word of the language. */
static hc_rc end_bare(hc_json *j, hc_json_token *out)
{
  static const char *const words[] = {"null", "false", "%false", "true", "%true"};
  static const hc_json_kind kinds[] = {HC_JSON_NULL, HC_JSON_FALSE, HC_JSON_FALSE, HC_JSON_TRUE,
                                       HC_JSON_TRUE};
  hc_buffer *t = &j->text;
  TRY(bare(j));
  out->kind = strchr("0123456789+-.", t->data[0]) ? HC_JSON_NUMBER : HC_JSON_STRING;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (t->size == strlen(words[i]) && memcmp(t->data, words[i], t->size) == 0) out->kind = kinds[i];
  if (out->kind == HC_JSON_NUMBER && t->size > 1 && t->data[t->size - 1] == 'u') t->size--;
  return 0;
}

/* ---- structure ---- */

static hc_rc open_bracket(hc_json *j, char closing)
{
  if (j->depth == HC_JSON_DEPTH) return wrong(j, "objects and arrays nest deeper than 64 levels here");
  pass(j);
  j->closing[j->depth++] = closing;
  j->has_item = j->before_value = false;
  return 0;
}

/* '}', ']', '>'; 0 at the top. */
static char closing_of(const hc_json *j)
{
  return j->depth > 0 ? j->closing[j->depth - 1] : '\0';
}

static hc_rc no_value(hc_json *j, int c)
{
  if (c == NOTHING)
    return wrong(j, "the text stops where a value is expected: the file is empty or truncated");
  if (!j->is_yson) return wrong(j, "a value is expected here: a number, \"text\", true, false, null, { or [");
  if (c < 32)
    return wrong(j, "binary YSON: write it as text (yson format \"text\" or \"pretty\"), or as JSON");
  return wrong(j, "a value begins with {, [, #, a quote, a digit or a letter");
}

static hc_rc value(hc_json *j, int c, hc_json_token *out)
{
  switch (c) {
    case '{': out->kind = HC_JSON_OBJECT; return open_bracket(j, '}');
    case '[': out->kind = HC_JSON_ARRAY; return open_bracket(j, ']');
    case '"': out->kind = HC_JSON_STRING; return string(j);
    default: break;
  }
  if (j->is_yson) {
    if (c != '#') return is_bare(c) ? end_bare(j, out) : no_value(j, c);
    out->kind = HC_JSON_NULL;
    pass(j);
    return 0;
  }
  switch (c) {
    case 't': out->kind = HC_JSON_TRUE; return word(j, "true");
    case 'f': out->kind = HC_JSON_FALSE; return word(j, "false");
    case 'n': out->kind = HC_JSON_NULL; return word(j, "null");
    default: break;
  }
  out->kind = HC_JSON_NUMBER;
  return c == '-' || (c >= '0' && c <= '9') ? number(j) : no_value(j, c);
}

static bool separates(const hc_json *j, int c)
{
  return c == ',' || (c == ';' && j->is_yson);
}

/* At the top: JSON has one value, YSON any number of them. */
static hc_rc separate_values(hc_json *j, int *c)
{
  while (j->is_yson && separates(j, *c)) {
    pass(j);
    *c = peek_token(j);
  }
  if (*c == NOTHING && (j->has_item || j->is_yson)) return j->failed;
  return j->has_item && !j->is_yson
             ? wrong(j, "something follows the end of the text; one object or array is read")
             : 1;
}

/* Go past a closing sign. @return 0. Behind attributes comes their value. */
static hc_rc close_bracket(hc_json *j)
{
  pass(j);
  j->before_value = j->closing[--j->depth] == '>';
  j->has_item = true;
  return 0;
}

/* What stands between members or items. @return 1 with the byte after it in `*c`, or 0 at the end. */
static hc_rc separate(hc_json *j, int *c)
{
  const char closing = closing_of(j);
  *c = peek_token(j);
  if (closing == '\0') return separate_values(j, c);
  if (*c == closing) return close_bracket(j);
  if (!j->has_item) return 1;
  if (*c == NOTHING) return wrong(j, "the text stops within an object or array: the file is truncated");
  if (!separates(j, *c)) {
    if (j->is_yson) return wrong(j, "expected ; or , or the end of what was opened");
    return wrong(j, closing == '}' ? "a comma or } is expected here" : "a comma or ] is expected here");
  }
  pass(j);
  *c = peek_token(j);
  if (*c != closing) return 1;
  if (j->is_yson) return close_bracket(j);
  return wrong(j, "a comma stands before the closing bracket; leave it out");
}

static hc_rc key(hc_json *j, int c, hc_json_token *out)
{
  out->kind = HC_JSON_KEY;
  if (c == NOTHING) return wrong(j, "the text stops within an object: the file is truncated");
  if (c == '"') TRY(string(j));
  else if (!j->is_yson) return wrong(j, "a key in quotes is expected here");
  else if (is_bare(c)) TRY(bare(j));
  else return wrong(j, "expected a key, or the end of the map");
  c = peek_token(j);
  if (c != ':' && !(c == '=' && j->is_yson))
    return wrong(j, j->is_yson ? "expected = or : behind a key" : "a colon is expected behind the key");
  pass(j);
  j->before_value = true;
  return 0;
}

static hc_rc next(hc_json *j, hc_json_token *out);

/* From the sign that opens them to behind the one that closes them. */
static hc_rc pass_attributes(hc_json *j, int *c)
{
  const size_t before = j->depth;
  hc_json_token ignored;
  TRY(open_bracket(j, '>'));
  while (j->depth > before) {
    const hc_rc rc = next(j, &ignored);
    if (rc < 0) return rc;
  }
  *c = peek_token(j);
  return 0;
}

static hc_rc next(hc_json *j, hc_json_token *out)
{
  int c;
  if (!j->begun && peek(j) == 0xef) TRY(word(j, "\xef\xbb\xbf"));
  j->begun = true;
  if (j->before_value) {
    c = peek_token(j);
  } else {
    const hc_rc rc = separate(j, &c);
    if (rc != 1) return rc;
  }
  const bool is_key = !j->before_value && (closing_of(j) == '}' || closing_of(j) == '>');
  while (!is_key && j->is_yson && c == '<' && !j->heeds_attributes) TRY(pass_attributes(j, &c));
  *out = (hc_json_token){.line = saturated(j->line), .column = saturated(j->column)};
  j->text.size = 0;
  j->has_item = true;
  j->before_value = false;
  if (is_key) {
    TRY(key(j, c, out));
  } else if (j->is_yson && c == '<') {
    out->kind = HC_JSON_ATTRIBUTES;
    TRY(open_bracket(j, '>'));
  } else {
    TRY(value(j, c, out));
  }
  hc_buffer_add(&j->text, "", 1);
  if (j->text.failed) return HC_ENOMEM;
  out->text = j->text.data;
  out->size = --j->text.size;
  return 1;
}

hc_rc hc_json_next(hc_json *j, hc_json_token *out, hc_error *e)
{
  j->e = e;
  const hc_rc rc = next(j, out);
  j->e = NULL;
  if (rc == HC_ENOMEM)
    return hc_fail(e, rc, hc_json_name(j), saturated(j->line), 0, "out of memory while reading");
  return rc;
}

hc_rc hc_json_member(hc_json *j, const char *const *keys, size_t count, size_t *which, hc_json_token *value,
                     hc_error *e)
{
  const hc_rc rc = hc_json_next(j, value, e);
  if (rc != 1) return rc;
  for (*which = 0; *which < count; ++*which) /* most differ in their first letter */
    if (keys[*which][0] == value->text[0] && strcmp(keys[*which], value->text) == 0) break;
  return hc_json_next(j, value, e);
}

hc_rc hc_json_skip(hc_json *j, const hc_json_token *t, hc_error *e)
{
  hc_json_token next = *t;
  hc_rc rc = t->kind == HC_JSON_KEY ? hc_json_next(j, &next, e) : 1;
  const size_t before = j->depth;
  if (next.kind < HC_JSON_OBJECT) return rc < 0 ? rc : 0;
  while (rc >= 0 && j->depth >= before) rc = hc_json_next(j, &next, e);
  return rc < 0 ? rc : 0;
}

/* ---- opening, closing ---- */

static hc_rc open_file(const hc_allocator *a, const char *path, bool is_yson, hc_json **out, hc_error *e)
{
  hc_json *j = hc_alloc(a, sizeof *j);
  if (!j) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  j->allocator = a;
  j->line = j->column = 1;
  j->is_yson = is_yson;
  hc_buffer_init(&j->text, a);
  const hc_rc rc = hc_input_open(a, path, &j->in, e);
  if (rc < 0) {
    hc_json_free(j);
    return rc;
  }
  *out = j;
  return 0;
}

hc_rc hc_json_open_text(const hc_allocator *a, const char *name, const char *text, size_t size,
                        hc_json **out)
{
  hc_json *j = hc_alloc(a, sizeof *j);
  if (!j) return HC_ENOMEM;
  j->allocator = a;
  j->name = name;
  j->at = text;
  j->end = text + size;
  j->line = j->column = 1;
  hc_buffer_init(&j->text, a);
  *out = j;
  return 0;
}

hc_rc hc_json_open(const hc_allocator *a, const char *path, hc_json **out, hc_error *e)
{
  return open_file(a, path, false, out, e);
}

hc_rc hc_json_open_yson(const hc_allocator *a, const char *path, hc_json **out, hc_error *e)
{
  return open_file(a, path, true, out, e);
}

void hc_json_heed_attributes(hc_json *j)
{
  j->heeds_attributes = true;
}

void hc_json_free(hc_json *j)
{
  if (!j) return;
  if (j->in) hc_input_free(j->in);
  hc_buffer_fini(&j->text);
  hc_free(j->allocator, j, sizeof *j);
}

const char *hc_json_name(const hc_json *j)
{
  return j->in ? hc_input_name(j->in) : j->name;
}

uint64_t hc_json_bytes(const hc_json *j)
{
  uint64_t done, total;
  hc_input_progress(j->in, &done, &total);
  return done;
}

bool hc_json_seekable(const hc_json *j)
{
  return hc_input_seekable(j->in);
}

void hc_json_progress(const hc_json *j, uint64_t *done, uint64_t *total)
{
  hc_input_progress(j->in, done, total);
}
