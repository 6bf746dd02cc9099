/* table.c -- a table as text, row by row.
 *
 * Lines are cut out of the input's blocks where they lie; only one that spans two blocks is copied. A tar
 * archive (recognised by its magic and checksum) is read as the one file in it, which is how some traces are
 * published; of several, reading one and dropping the others would not be noticed, so they are refused.
 * A line is cut as base/lexer.h says; a quoted field does not span lines. The separator, if not given, is the
 * one of tab, bar, semicolon and comma that the first row has most of, else a comma.
 * Sources: RFC 4180; POSIX.1-2017, pax, ustar interchange format. Cost: about 1 ns per byte. */
#include "base/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"

#define HEAD ((size_t)512) /* a record of an archive */
#define MOST_FIELDS 4096
#define MOST_AMOUNT 0x1p52
#define NEARLY 1e-12 /* what a product of doubles may be too large by, relative */

/* ---- bytes ---- */

/* Have unread bytes at hand. @return 1, 0 at the end, or an error. */
static hc_rc want(hc_table *t, hc_error *e)
{
  hc_rc rc;
  if (t->chunk_size > 0) return 1;
  rc = hc_input_block(t->in, &t->chunk, &t->chunk_size, e);
  if (rc <= 0) t->chunk_size = 0;
  return rc;
}

static void use(hc_table *t, size_t n)
{
  t->chunk += n;
  t->chunk_size -= n;
  t->s.position += n;
}

/* Copy up to `n` bytes into `out`. @return how many there were, or an error. */
static int64_t take(hc_table *t, char *out, size_t n, hc_error *e)
{
  size_t got = 0;
  while (got < n) {
    size_t part;
    hc_rc rc = want(t, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    part = HC_MIN(t->chunk_size, n - got);
    memcpy(out + got, t->chunk, part);
    use(t, part);
    got += part;
  }
  return (int64_t)got;
}

/* ---- an archive ---- */

static bool is_octal(const char *s, size_t n, uint64_t *out)
{
  uint64_t x = 0;
  size_t i = 0, digits = 0;
  while (i < n && s[i] == ' ') i++;
  for (; i < n && s[i] >= '0' && s[i] <= '7'; i++, digits++) x = x * 8 + (uint64_t)(s[i] - '0');
  *out = x;
  return digits > 0 && (i == n || s[i] == '\0' || s[i] == ' ');
}

/* Is it the header of a file in an archive? Its sum counts the bytes of the sum itself as blanks. */
static bool is_header(const char *h, uint64_t *size)
{
  uint64_t sum = 0, said;
  if (memcmp(h + 257, "ustar", 5) != 0 || !is_octal(h + 148, 8, &said)) return false;
  for (size_t i = 0; i < HEAD; i++) sum += i >= 148 && i < 156 ? (uint8_t)' ' : (uint8_t)h[i];
  return sum == said && is_octal(h + 124, 12, size);
}

/* Files whose names begin with a dot are what some systems add on their own. */
static bool is_wanted(const char *h)
{
  char name[101];
  const char *slash, *base;
  memcpy(name, h, 100);
  name[100] = '\0';
  slash = strrchr(name, '/');
  base = slash ? slash + 1 : name;
  return (h[156] == '0' || h[156] == '\0') && base[0] != '.' && base[0] != '\0';
}

static hc_rc broken_archive(const hc_table *t, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the tar archive %s; unpack it and give the file itself", what);
}

/* Pass over headers, and over files that are not wanted, from `head` on. @return 1: at the data of a file;
 * 0: at the end of the archive. */
static hc_rc find_file(hc_table *t, bool at_header, hc_error *e)
{
  for (;; at_header = false) {
    uint64_t size = 0;
    int64_t got = at_header ? (int64_t)HEAD : take(t, t->head, HEAD, e);
    if (got < 0) return (hc_rc)got;
    if ((size_t)got < HEAD || t->head[0] == '\0') return 0;
    if (!is_header(t->head, &size)) return broken_archive(t, "is damaged", e);
    if (is_wanted(t->head)) {
      t->s.left = size;
      return 1;
    }
    for (size = (size + HEAD - 1) / HEAD * HEAD; size > 0;) {
      size_t part;
      hc_rc rc = want(t, e);
      if (rc < 0) return rc;
      if (rc == 0) return broken_archive(t, "stops before its end", e);
      part = t->chunk_size < size ? t->chunk_size : (size_t)size;
      use(t, part);
      size -= part;
    }
  }
}

/* The file in the archive is at its end: is there another? */
static hc_rc end_file(hc_table *t, hc_error *e)
{
  char rest[HEAD];
  int64_t got = take(t, rest, (HEAD - t->s.position % HEAD) % HEAD, e);
  hc_rc rc = got < 0 ? (hc_rc)got : find_file(t, false, e);
  if (rc > 0) return broken_archive(t, "holds more than one file", e);
  t->s.ended = true;
  return rc;
}

/* Look at the first bytes: an archive, or text which is then still to be read. */
static hc_rc start(hc_table *t, hc_error *e)
{
  uint64_t size;
  int64_t got;
  got = take(t, t->head, HEAD, e);
  if (got < 0) return (hc_rc)got;
  t->s.started = true;
  if ((size_t)got < HEAD || !is_header(t->head, &size)) {
    hc_buffer_add(&t->carry, t->head, (size_t)got);
    return t->carry.failed ? hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory") : 0;
  }
  t->s.is_archive = true;
  hc_rc rc = find_file(t, true, e);
  return rc != 0 ? HC_MIN(rc, 0) : broken_archive(t, "holds no file", e);
}

/* ---- lines ---- */

/* How many bytes of the chunk belong to the text. @return 1 with some, 0 at the end. */
static hc_rc text_at_hand(hc_table *t, size_t *n, hc_error *e)
{
  hc_rc rc;
  if (t->s.ended) return 0;
  if (t->s.is_archive && t->s.left == 0) return end_file(t, e);
  rc = want(t, e);
  if (rc == 0 && t->s.is_archive) return broken_archive(t, "stops before its end", e);
  *n = t->s.is_archive && t->s.left < t->chunk_size ? (size_t)t->s.left : t->chunk_size;
  return rc;
}

static void use_text(hc_table *t, size_t n)
{
  use(t, n);
  if (t->s.is_archive) t->s.left -= n;
}

static hc_rc bad_line(hc_table *t, hc_error *e, const char *why)
{
  const uint64_t line = t->s.lines + 1;
  return hc_fail(e, HC_EINPUT, t->name, line < UINT32_MAX ? (uint32_t)line : UINT32_MAX, 0, "%s", why);
}

static hc_rc hand_out(hc_table *t, char *line, size_t size, char **out, hc_error *e)
{
  if (size > 0 && line[size - 1] == '\r') size--;
  if (size > HC_LINE_LIMIT)
    return bad_line(t, e, "the line is too long; give a text file with one row per line");
  if (memchr(line, '\0', size)) return bad_line(t, e, "a NUL byte: this is binary data, not text");
  line[size] = '\0';
  *out = line;
  t->s.lines++;
  return 1;
}

/* The text that `start` read ahead lies in `carry` and may hold several lines. */
static hc_rc line_of_carry(hc_table *t, char **out, bool *found, hc_error *e)
{
  char *newline = t->carry.size > 0 ? memchr(t->carry.data, '\n', t->carry.size) : NULL;
  size_t size;
  *found = newline != NULL;
  if (!newline) return 0;
  size = (size_t)(newline - t->carry.data);
  memcpy(t->head, t->carry.data, size + 1);
  memmove(t->carry.data, newline + 1, t->carry.size - size - 1);
  t->carry.size -= size + 1;
  return hand_out(t, t->head, size, out, e);
}

static hc_rc next_line(hc_table *t, char **out, hc_error *e)
{
  bool found = false;
  if (!t->s.started) TRY(start(t, e));
  if (t->carry.size > 0) {
    hc_rc rc = line_of_carry(t, out, &found, e);
    if (found || rc < 0) return rc;
  }
  for (;;) {
    size_t n = 0;
    char *line, *newline;
    hc_rc rc = text_at_hand(t, &n, e);
    if (rc < 0) return rc;
    line = t->chunk;
    newline = rc > 0 ? memchr(line, '\n', n) : NULL;
    if (newline) n = (size_t)(newline - line);
    if (rc == 0 && t->carry.size == 0) return 0;
    if (rc > 0) use_text(t, n + (newline != NULL));
    if (newline && t->carry.size == 0) return hand_out(t, line, n, out, e);
    if (rc > 0) hc_buffer_add(&t->carry, line, n);
    if (t->carry.failed) return hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory");
    if (rc == 0 || newline || t->carry.size > HC_LINE_LIMIT + 1) {
      n = t->carry.size;
      t->carry.size = 0; /* stays where it is until the next call */
      return hand_out(t, t->carry.data, n, out, e);
    }
  }
}

/* ---- fields ---- */

/* The text of a field, which ends in a NUL from now on, its doubled quotes halved where they are. */
static hc_table_field end_text(char *text, const hc_field *f)
{
  char *to = text;
  for (size_t i = 0; i < f->length; i++, to++) {
    *to = text[i];
    i += f->doubled && text[i] == '"';
  }
  *to = '\0';
  return (hc_table_field){.text = text, .size = (uint32_t)(to - text)};
}

static hc_rc cut(hc_table *t, char *line, hc_error *e)
{
  const hc_lexer l = {.separator = t->separator, .quotes = true};
  const char *p = line, *const end = line + strlen(line), *flaw = NULL, *wrong = NULL;
  uint32_t at = 0;
  int is = 1;
  for (t->count = 0; !wrong; t->count++) {
    hc_field f;
    is = hc_lexer_next(&l, &p, end, &f, &flaw);
    if (is == 0) return 1;
    at = (uint32_t)((is < 0 ? p : f.text) - line) + 1;
    if (is == 1 && at > 1 && line[at - 2] == '"') at--; /* where its quote is */
    if (is < 0) wrong = "a quote that opens here is not closed in its line; close it";
    else if (flaw) wrong = "text follows a closed quote; double the quotes inside a quoted field";
    else if (t->count == MOST_FIELDS) wrong = "a row of more than 4096 fields";
    if (wrong) break;
    if (hc_reserve(t->carry.allocator, (void **)&t->fields, &t->field_cap, t->count + 1, sizeof *t->fields) <
        0)
      return hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory");
    t->fields[t->count] = end_text(line + (f.text - line), &f);
    t->fields[t->count].at = at;
  }
  return hc_fail(e, is == 1 && !flaw ? HC_ELIMIT : HC_EINPUT, t->name, (uint32_t)HC_MIN(t->line, UINT32_MAX),
                 at, "%s", wrong);
}

hc_rc hc_table_next(hc_table *t, hc_error *e)
{
  char *line, *begin;
  do {
    hc_rc rc = next_line(t, &line, e);
    if (rc <= 0) {
      t->count = 0;
      return rc;
    }
    if (t->s.lines == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3; /* a byte order mark */
    begin = line + strspn(line, " \t");
  } while (*begin == '\0' || *begin == '#');
  t->line = t->s.lines;
  if (!t->separator && (t->separator = hc_lexer_guess(line, strlen(line))) == ' ')
    t->separator = ','; /* one column of texts with blanks in them */
  return cut(t, line, e);
}

/* ---- titles ---- */

hc_rc hc_table_keep_titles(hc_table *t)
{
  t->titles = hc_arena_alloc(&t->texts, t->count * sizeof *t->titles);
  t->title_count = 0;
  if (!t->titles) return HC_ENOMEM;
  for (size_t i = 0; i < t->count; i++) {
    t->titles[i] = hc_arena_text(&t->texts, t->fields[i].text, t->fields[i].size);
    if (!t->titles[i]) return HC_ENOMEM;
    t->title_count++;
  }
  return 0;
}

/* ---- values ---- */

const char *hc_table_text(const hc_table *t, size_t column)
{
  return column - 1 < t->count ? t->fields[column - 1].text : "";
}

size_t hc_table_size(const hc_table *t, size_t column)
{
  return column - 1 < t->count ? t->fields[column - 1].size : 0;
}

bool hc_table_whole(const hc_table *t, size_t column, int64_t *out)
{
  return hc_parse_int(hc_table_text(t, column), hc_table_size(t, column), out) == 0;
}

bool hc_table_real(const hc_table *t, size_t column, double *out)
{
  return hc_parse_real(hc_table_text(t, column), hc_table_size(t, column), out) == 0;
}

bool hc_table_amount(const hc_table *t, size_t column, double unit, int64_t *out)
{
  double x;
  int64_t whole;
  if (!hc_table_real(t, column, &x) || x < 0) return false;
  x *= unit;
  if (!(x <= MOST_AMOUNT)) return false;
  whole = (int64_t)x;
  *out = whole + (x - (double)whole > NEARLY * x);
  return true;
}

hc_rc hc_table_fail(const hc_table *t, size_t column, hc_error *e, const char *text, ...)
{
  char why[512];
  va_list args;
  va_start(args, text);
  (void)vsnprintf(why, sizeof why, text, args);
  va_end(args);
  return hc_fail(e, HC_EINPUT, t->name, (uint32_t)HC_MIN(t->line, UINT32_MAX),
                 column - 1 < t->count ? t->fields[column - 1].at : 0, "%s", why);
}

/* ---- opening and moving ---- */

hc_rc hc_table_open(hc_table *t, const hc_allocator *a, const char *path, hc_error *e)
{
  memset(t, 0, sizeof *t);
  hc_arena_init(&t->texts, a);
  hc_buffer_init(&t->carry, a);
  TRY(hc_input_open(a, path, &t->in, e));
  t->name = hc_input_name(t->in);
  t->head = hc_arena_alloc(&t->texts, HEAD);
  return t->head ? 0 : hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory");
}

void hc_table_close(hc_table *t)
{
  if (!t->carry.allocator) return;
  hc_free(t->carry.allocator, t->fields, t->field_cap * sizeof *t->fields);
  hc_input_free(t->in);
  hc_buffer_fini(&t->carry);
  hc_arena_fini(&t->texts);
  memset(t, 0, sizeof *t);
}

hc_rc hc_table_visit(hc_table *t, hc_visitor *v, hc_error *e)
{
  if (!hc_visit_loading(v)) {
    hc_table at = {.s = t->s};
    at.s.position -= t->carry.size; /* read ahead */
    at.s.separator = (uint8_t)t->separator;
    return hc_visit_bytes(v, &at.s, sizeof at.s);
  }
  TRY(hc_visit_bytes(v, &t->s, sizeof t->s));
  t->separator = (char)t->s.separator;
  t->chunk_size = t->carry.size = t->count = 0;
  return hc_input_seek(t->in, t->s.position, t->s.lines, e);
}
