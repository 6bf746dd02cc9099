/* yson.c -- YSON text, and JSON, token by token. See base/yson.h.
 *
 * One level of nesting is its closing sign and whether an item stands in it already, so that a separator must come before
 * the next. Attributes are a level like a map, read and forgotten. Cost: about 8 ns a byte. */
#include "base/yson.h"

#include <string.h>

#include "base/input.h"
#include "base/util.h"

#define NO_BYTE (-1)

typedef struct level {
  char close; /* '}', ']', '>'; 0: the top */
  bool has_item;
  bool after_attributes; /* the value that they are of comes next */
} level;

struct hc_yson {
  const hc_allocator *allocator;
  hc_input *in;
  const char *at, *end;
  uint32_t line, column; /* of the byte at hand */
  bool after_key, heeds_attributes;
  size_t depth;
  level levels[HC_YSON_DEPTH + 1];
  hc_buffer text;
};

hc_rc hc_yson_open(const hc_allocator *a, const char *path, hc_yson **out, hc_error *e)
{
  hc_yson *y = hc_alloc(a, sizeof *y);
  hc_rc rc;
  if (!y) return HC_ENOMEM;
  y->allocator = a;
  y->line = y->column = 1;
  hc_buffer_init(&y->text, a);
  rc = hc_input_open(a, path, &y->in, e);
  if (rc < 0) hc_yson_free(y);
  else *out = y;
  return rc < 0 ? rc : 0;
}

void hc_yson_free(hc_yson *y)
{
  if (!y) return;
  if (y->in) hc_input_free(y->in);
  hc_buffer_fini(&y->text);
  hc_free(y->allocator, y, sizeof *y);
}

void hc_yson_heed_attributes(hc_yson *y)
{
  y->heeds_attributes = true;
}

const char *hc_yson_name(const hc_yson *y)
{
  return hc_input_name(y->in);
}

uint64_t hc_yson_bytes(const hc_yson *y)
{
  uint64_t done, total;
  hc_input_progress(y->in, &done, &total);
  return done;
}

static hc_rc wrong(const hc_yson *y, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, hc_yson_name(y), y->line, y->column, "%s", what);
}

/* ---- bytes ---- */

/* The byte at hand, NO_BYTE at the end of the text. */
static hc_rc peek(hc_yson *y, int *out, hc_error *e)
{
  while (y->at == y->end) {
    char *data;
    size_t size;
    const hc_rc rc = hc_input_block(y->in, &data, &size, e);
    if (rc < 0) return rc;
    *out = NO_BYTE;
    if (rc == 0) return 0;
    y->at = data;
    y->end = data + size;
  }
  *out = (unsigned char)*y->at;
  return 0;
}

static void pass(hc_yson *y)
{
  const bool newline = *y->at++ == '\n';
  if (newline && y->line < UINT32_MAX) y->line++;
  if (newline) y->column = 1;
  else if (y->column < UINT32_MAX) y->column++;
}

static hc_rc pass_blanks(hc_yson *y, int *c, hc_error *e)
{
  for (;;) {
    TRY(peek(y, c, e));
    if (*c != ' ' && *c != '\t' && *c != '\r' && *c != '\n') return 0;
    pass(y);
  }
}

static hc_rc keep(hc_yson *y, int c, hc_error *e)
{
  const char byte = (char)c;
  if (y->text.size >= HC_YSON_TEXT_LIMIT) return wrong(y, "a text longer than 1 MiB", e);
  hc_buffer_add(&y->text, &byte, 1);
  return y->text.failed ? HC_ENOMEM : 0;
}

/* ---- texts and words ---- */

static int digit_of(int c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/* A number of up to `most` digits, at least `least`, of this base. */
static hc_rc digits(hc_yson *y, int least, int most, int base, uint32_t *out, hc_error *e)
{
  *out = 0;
  for (int i = 0; i < most; i++) {
    int c;
    TRY(peek(y, &c, e));
    if (digit_of(c) >= base) return i < least ? wrong(y, "an escape without its digits", e) : 0;
    *out = *out * (uint32_t)base + (uint32_t)digit_of(c);
    pass(y);
  }
  return 0;
}

static hc_rc keep_character(hc_yson *y, uint32_t u, hc_error *e)
{
  if (u < 0x80) return keep(y, (int)u, e);
  if (u < 0x800) TRY(keep(y, (int)(0xc0 | u >> 6), e));
  if (u >= 0x10000) TRY(keep(y, (int)(0xf0 | u >> 18), e));
  if (u >= 0x10000) TRY(keep(y, (int)(0x80 | (u >> 12 & 63)), e));
  else if (u >= 0x800) TRY(keep(y, (int)(0xe0 | u >> 12), e));
  if (u >= 0x800) TRY(keep(y, (int)(0x80 | (u >> 6 & 63)), e));
  return keep(y, (int)(0x80 | (u & 63)), e);
}

static bool is_low(uint32_t u)
{
  return u >= 0xdc00 && u < 0xe000;
}

/* Behind \u: a character, or the first half of one. */
static hc_rc unicode(hc_yson *y, hc_error *e)
{
  uint32_t u, low = 0;
  int c;
  TRY(digits(y, 4, 4, 16, &u, e));
  if (is_low(u)) return wrong(y, "half a character: \\ud800 to \\udbff come first", e);
  if (u >= 0xd800 && u < 0xdc00) {
    TRY(peek(y, &c, e));
    if (c == '\\') pass(y);
    TRY(peek(y, &c, e));
    if (c == 'u') pass(y);
    if (c == 'u') TRY(digits(y, 4, 4, 16, &low, e));
    if (!is_low(low)) return wrong(y, "half a character: \\udc00 to \\udfff must follow", e);
    u = 0x10000 + ((u - 0xd800) << 10 | (low - 0xdc00));
  }
  return keep_character(y, u, e);
}

static hc_rc escape(hc_yson *y, hc_error *e)
{
  static const char names[] = "ntrbfav\"\\/'", bytes[] = "\n\t\r\b\f\a\v\"\\/'";
  const char *known;
  uint32_t u;
  int c;
  TRY(peek(y, &c, e));
  if (c == NO_BYTE) return wrong(y, "a text that is not closed", e);
  if (c >= '0' && c <= '7') {
    TRY(digits(y, 1, 3, 8, &u, e));
    return keep(y, (int)(u & 255), e);
  }
  known = c ? strchr(names, c) : NULL;
  if (!known && c != 'x' && c != 'u') return wrong(y, "no such escape", e);
  pass(y);
  if (c == 'u') return unicode(y, e);
  if (known) return keep(y, bytes[known - names], e);
  TRY(digits(y, 1, 2, 16, &u, e));
  return keep(y, (int)u, e);
}

static hc_rc quoted(hc_yson *y, hc_error *e)
{
  int c;
  pass(y);
  for (;;) {
    TRY(peek(y, &c, e));
    if (c == NO_BYTE) return wrong(y, "a text that is not closed", e);
    pass(y);
    if (c == '"') return 0;
    if (c == '\\') TRY(escape(y, e));
    else TRY(keep(y, c, e));
  }
}

static bool is_word(int c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c > 0 && strchr("_-+.%", c));
}

static hc_rc word(hc_yson *y, hc_error *e)
{
  int c;
  for (;;) {
    TRY(peek(y, &c, e));
    if (!is_word(c)) return 0;
    TRY(keep(y, c, e));
    pass(y);
  }
}

/* ---- tokens ---- */

static hc_rc open_level(hc_yson *y, char close, hc_error *e)
{
  if (y->depth == HC_YSON_DEPTH) return wrong(y, "nested deeper than 64 levels", e);
  y->levels[++y->depth] = (level){.close = close};
  y->after_key = false;
  pass(y);
  return 0;
}

static void end_word(hc_yson *y, hc_yson_token *t)
{
  const char first = y->text.data[0];
  t->kind = HC_YSON_TEXT;
  if (strcmp(y->text.data, "true") == 0 || strcmp(y->text.data, "%true") == 0) t->kind = HC_YSON_TRUE;
  if (strcmp(y->text.data, "false") == 0 || strcmp(y->text.data, "%false") == 0) t->kind = HC_YSON_FALSE;
  if (strcmp(y->text.data, "null") == 0) t->kind = HC_YSON_NULL;
  if (!strchr("0123456789+-.", first)) return;
  t->kind = HC_YSON_NUMBER;
  if (y->text.size > 1 && y->text.data[y->text.size - 1] == 'u') y->text.data[--y->text.size] = '\0';
}

static hc_rc end_text(hc_yson *y, hc_yson_token *t)
{
  hc_buffer_add(&y->text, "", 1); /* a NUL, which is no part of it */
  if (y->text.failed) return HC_ENOMEM;
  y->text.size--;
  if (t->kind == HC_YSON_NUMBER) end_word(y, t);
  t->text = y->text.data;
  t->size = y->text.size;
  return 1;
}

static hc_rc attributes(hc_yson *y, hc_error *e)
{
  const bool after_key = y->after_key;
  hc_yson_token t;
  hc_rc rc;
  TRY(open_level(y, '>', e));
  while ((rc = hc_yson_next(y, &t, e)) == 1) TRY(hc_yson_skip(y, &t, e));
  y->after_key = after_key;
  return rc;
}

static hc_rc value(hc_yson *y, int c, hc_yson_token *t, hc_error *e)
{
  if (c == '<' && y->heeds_attributes) {
    *t = (hc_yson_token){.kind = HC_YSON_ATTRIBUTES, .line = y->line, .column = y->column, .text = ""};
    y->levels[y->depth].after_attributes = true;
    TRY(open_level(y, '>', e));
    return 1;
  }
  while (c == '<') {
    TRY(attributes(y, e));
    TRY(pass_blanks(y, &c, e));
  }
  *t = (hc_yson_token){.kind = HC_YSON_NULL, .line = y->line, .column = y->column, .text = ""};
  y->levels[y->depth].has_item = true;
  y->levels[y->depth].after_attributes = false;
  y->after_key = false;
  y->text.size = 0;
  if (c == '{' || c == '[') {
    t->kind = c == '{' ? HC_YSON_MAP : HC_YSON_LIST;
    TRY(open_level(y, c == '{' ? '}' : ']', e));
    return 1;
  }
  if (c == '#') {
    pass(y);
    return 1;
  }
  t->kind = c == '"' ? HC_YSON_TEXT : HC_YSON_NUMBER; /* a word, till it is known which */
  if (c == '"') TRY(quoted(y, e));
  else if (is_word(c)) TRY(word(y, e));
  else if (c == NO_BYTE) return wrong(y, "the file ends within a value", e);
  else if (c < 32)
    return wrong(y, "binary YSON: write it as text (yson format \"text\" or \"pretty\"), or as JSON", e);
  else return wrong(y, "a value begins with {, [, #, a quote, a digit or a letter", e);
  return end_text(y, t);
}

static hc_rc key(hc_yson *y, int c, hc_yson_token *t, hc_error *e)
{
  *t = (hc_yson_token){.kind = HC_YSON_KEY, .line = y->line, .column = y->column};
  y->text.size = 0;
  if (c == '"') TRY(quoted(y, e));
  else if (is_word(c)) TRY(word(y, e));
  else return wrong(y, "expected a key, or the end of the map", e);
  TRY(pass_blanks(y, &c, e));
  if (c != '=' && c != ':') return wrong(y, "expected = or : behind a key", e);
  pass(y);
  y->after_key = true;
  return end_text(y, t);
}

/* Past what stands between two items. @return 1 if the level ends here, 0, or an error */
static hc_rc between(hc_yson *y, int *c, hc_error *e)
{
  level *l = &y->levels[y->depth];
  TRY(pass_blanks(y, c, e));
  if (l->close == 0) { /* at the top a newline is enough */
    while (*c == ';' || *c == ',') {
      pass(y);
      TRY(pass_blanks(y, c, e));
    }
    return *c == NO_BYTE;
  }
  if (l->has_item && *c != l->close) {
    if (*c != ';' && *c != ',') return wrong(y, "expected ; or , or the end of what was opened", e);
    pass(y);
    TRY(pass_blanks(y, c, e));
  }
  if (*c != l->close) return 0;
  pass(y);
  y->depth--;
  return 1;
}

hc_rc hc_yson_next(hc_yson *y, hc_yson_token *out, hc_error *e)
{
  int c;
  if (y->after_key || y->levels[y->depth].after_attributes) {
    TRY(pass_blanks(y, &c, e));
    return value(y, c, out, e);
  }
  const hc_rc rc = between(y, &c, e);
  if (rc != 0) return rc < 0 ? rc : 0;
  return y->levels[y->depth].close == '}' || y->levels[y->depth].close == '>' ? key(y, c, out, e)
                                                                              : value(y, c, out, e);
}

static bool opens(const hc_yson_token *t)
{
  return t->kind == HC_YSON_MAP || t->kind == HC_YSON_LIST || t->kind == HC_YSON_ATTRIBUTES;
}

hc_rc hc_yson_skip(hc_yson *y, const hc_yson_token *t, hc_error *e)
{
  hc_yson_token next = *t;
  size_t open;
  hc_rc rc;
  if (t->kind == HC_YSON_KEY) {
    rc = hc_yson_next(y, &next, e);
    if (rc < 0) return rc;
  }
  open = opens(&next);
  while (open > 0) {
    rc = hc_yson_next(y, &next, e);
    if (rc < 0) return rc;
    if (rc == 0) open--;
    else open += opens(&next);
  }
  return 0;
}
