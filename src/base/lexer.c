/* lexer.c -- lines cut into fields. See lexer.h. */
#include "base/lexer.h"

#include "base/util.h"

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool hc_field_is(const hc_field *f, const char *word)
{
  return strlen(word) == f->length && memcmp(f->text, word, f->length) == 0;
}

bool hc_same_word(const char *a, size_t n, const char *b)
{
  size_t i = 0;
  while (i < n && b[i] && lower(a[i]) == lower(b[i])) i++;
  return i == n && b[i] == '\0';
}

static const char *behind_joints(const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '_' || *p == '-')) p++;
  return p;
}

bool hc_same_title(const hc_field *f, const char *title, size_t n)
{
  const char *p = f->text, *end = p + f->length, *t = title, *title_end = title + n;
  for (;; p++, t++) {
    p = behind_joints(p, end);
    t = behind_joints(t, title_end);
    if (p == end || t == title_end) return p == end && t == title_end;
    if (lower(*p) != lower(*t)) return false;
  }
}

size_t hc_lexer_cut(const hc_lexer *l, const char *line, size_t n, hc_field *out, size_t cap)
{
  const char *p = line, *flaw = NULL;
  size_t count = 0;
  hc_field f;
  int is;
  for (; (is = hc_lexer_next(l, &p, line + n, &f, &flaw)) == 1; count++)
    if (count < cap) out[count] = f;
  return is < 0 ? 0 : count;
}

int hc_lexer_nth(const hc_lexer *l, const char *line, size_t n, size_t number, hc_field *out)
{
  const char *p = line, *flaw = NULL;
  int is = 1;
  while (number-- > 0 && is == 1) is = hc_lexer_next(l, &p, line + n, out, &flaw);
  return is;
}

char hc_lexer_guess(const char *line, size_t n)
{
  static const char candidates[] = "\t|;,";
  size_t counts[sizeof candidates] = {0}, most = 0;
  char best = '\0';
  bool open = false, blank = false;
  for (size_t i = 0; i < n; i++) {
    const char *c = line[i] ? strchr(candidates, line[i]) : NULL;
    if (line[i] == '"') open = !open;
    if (open) continue;
    if (c) counts[c - candidates]++;
    blank |= line[i] == ' ';
  }
  for (size_t i = 0; candidates[i]; i++) {
    if (counts[i] <= most) continue;
    most = counts[i];
    best = candidates[i];
  }
  return best ? best : blank ? ' ' : ',';
}

bool hc_lexer_skips(const char *line, size_t n, const char *comment)
{
  const size_t m = strlen(comment);
  size_t i = 0;
  while (i < n && (hc_is_blank(line[i]) || line[i] == '\r')) i++;
  return i == n || (m > 0 && n - i >= m && memcmp(line + i, comment, m) == 0);
}

const char *hc_lexer_first(const char *text, size_t size, const char *comment, size_t *n, bool *whole)
{
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    size -= 3;
  }
  while (size > 0) {
    const char *newline = memchr(text, '\n', size);
    *n = newline ? (size_t)(newline - text) : size;
    *whole = newline != NULL;
    if (!hc_lexer_skips(text, *n, comment)) {
      if (text[*n - 1] == '\r') --*n;
      return text;
    }
    if (!newline) break;
    text += *n + 1;
    size -= *n + 1;
  }
  return NULL;
}

/* ---- titles ---- */

size_t hc_title_among(const char *const *titles, size_t count, const char *title)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(titles[i], title) == 0) return i + 1;
  for (size_t i = 0; i < count; i++)
    if (hc_same_word(titles[i], strlen(titles[i]), title)) return i + 1;
  return 0;
}

const char *hc_title_near(const char *const *titles, size_t count, const char *word)
{
  const char *best = NULL;
  size_t least = HC_MIN((strlen(word) + 2) / 3, (size_t)3) + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t n = hc_edit_distance(word, titles[i], least);
    if (n >= least) continue;
    least = n;
    best = titles[i];
  }
  return best;
}
