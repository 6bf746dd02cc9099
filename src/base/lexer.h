/* lexer.h -- the one place where a line of text is cut into fields.
 *
 * A field is a borrowed piece of its line, which stays as it is, so that an error can show it. It lies
 * between separators, without the blanks around it; or between quotes as RFC 4180 has them, with each quote
 * inside written twice. Beyond the standard: a quote inside a field that does not begin with one is an
 * ordinary character. Does not know lines: who reads says where one begins and ends. Source: RFC 4180. Cost:
 * about 1 ns per byte. */
#ifndef HC_BASE_LEXER_H
#define HC_BASE_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Without the blanks or the quotes around it. */
typedef struct hc_field {
  const char *text;
  size_t length;
  bool doubled; /* it holds quotes, each written twice */
} hc_field;

typedef struct hc_lexer {
  char separator; /* ' ': any run of blanks */
  bool quotes;    /* a field may be quoted, and then hold separators */
  bool one_line;  /* a quote that the line does not close is an ordinary character */
} hc_lexer;

static inline bool hc_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static inline bool hc_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static inline bool hc_lexer_separates(const hc_lexer *l, char c)
{
  return l->separator == ' ' ? hc_is_blank(c) : c == l->separator;
}

/* Blanks that only surround: a tab may be the separator. */
static inline bool hc_lexer_pads(const hc_lexer *l, char c)
{
  return c == ' ' || (c == '\t' && l->separator != '\t');
}

/* A quoted field, from behind its first quote. @return what follows its last quote; NULL: it is not closed.
 */
static inline const char *hc_lexer_quoted(const char *p, const char *end, hc_field *f)
{
  f->text = p;
  for (;;) {
    const char *q = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
    if (!q) return NULL;
    f->length = (size_t)(q - f->text);
    if (q + 1 == end || q[1] != '"') return q + 1;
    f->doubled = true;
    p = q + 2;
  }
}

/** The field that begins at `p`. @param flaw  becomes the first place where text follows a closed quote, if
 * it was NULL
 *  @return its end, where a separator or the end of the line is; NULL: a quote is open at the end. */
static inline const char *hc_lexer_field(const hc_lexer *l, const char *p, const char *end, hc_field *f,
                                         const char **flaw)
{
  hc_field quoted = {0};
  while (p < end && hc_lexer_pads(l, *p)) p++;
  if (l->quotes && p < end && *p == '"') {
    const char *closed = hc_lexer_quoted(p + 1, end, &quoted);
    if (!closed && !l->one_line) return NULL;
    if (closed) {
      *f = quoted;
      p = closed;
      while (p < end && hc_lexer_pads(l, *p) && !hc_lexer_separates(l, *p)) p++;
      if (p < end && !hc_lexer_separates(l, *p) && !*flaw) *flaw = p;
      while (p < end && !hc_lexer_separates(l, *p)) p++;
      return p;
    }
  }
  *f = (hc_field){.text = p};
  const char separator = l->separator, other = separator == ' ' ? '\t' : separator;
  while (p < end && *p != separator && *p != other) p++;
  f->length = (size_t)(p - f->text);
  while (f->length > 0 && hc_lexer_pads(l, f->text[f->length - 1])) f->length--;
  return p;
}

/** The fields of a line one by one. @param p  where the next begins: at first the begin of the line; NULL
 * behind the last. Where a quote is open it stays there. @return 1, 0: there is no more, -1: a quote is
 * open at the end */
static inline int hc_lexer_next(const hc_lexer *l, const char **p, const char *end, hc_field *f,
                                const char **flaw)
{
  if (!*p) return 0;
  while (*p < end && hc_lexer_pads(l, **p)) ++*p;
  if (*p == end && l->separator == ' ') return 0; /* blanks at the end separate nothing */
  const char *behind = hc_lexer_field(l, *p, end, f, flaw);
  if (!behind) return -1;
  *p = behind < end ? behind + 1 : NULL;
  return 1;
}

/** Cut a whole line. @param out  [cap] the first fields; @return how many there are, which may be more; 0: a
 * quote is open at its end. */
size_t hc_lexer_cut(const hc_lexer *l, const char *line, size_t n, hc_field *out, size_t cap);
/** One field of a line, by its number from 1. @return 1, 0 if the line has fewer, -1 if a quote is open. */
int hc_lexer_nth(const hc_lexer *l, const char *line, size_t n, size_t number, hc_field *out);
/** The one of tab, bar, semicolon and comma that a line has most of, outside quotes; if it has none, blanks,
 * or a comma if there are none of these either. */
char hc_lexer_guess(const char *line, size_t n);
/** Whether a line is no row: empty, or beginning with `comment` (""; nothing does) behind blanks. */
bool hc_lexer_skips(const char *line, size_t n, const char *comment);
/** The first line that is a row, without its end and a byte order mark. @param whole  whether its end is in
 * the text
 *  @return NULL: there is none. */
const char *hc_lexer_first(const char *text, size_t size, const char *comment, size_t *n, bool *whole);

bool hc_field_is(const hc_field *f, const char *word);     /* as written */
bool hc_same_word(const char *a, size_t n, const char *b); /* whatever the case of its ASCII letters */
/** Whether a field is a title: whatever its case, and whether its words are joined by blanks, lines or
 * nothing. */
bool hc_same_title(const hc_field *f, const char *title, size_t n);
/** Number of a title, from 1: as written, else whatever the case of its ASCII letters; 0: it is not there. */
size_t hc_title_among(const char *const *titles, size_t count, const char *title);
/** The title nearest to a word; NULL if none is near. */
const char *hc_title_near(const char *const *titles, size_t count, const char *word);

#endif
