/* swf_row.c -- one line of the Standard Workload Format as numbers.
 *
 * Two ways. Nearly all rows are whole numbers separated by blanks; they are scanned in one pass without
 * looking back. Whatever else a row holds (decimals, exponents, numbers beyond 64 bits, nonsense) makes it
 * take the second way, which cuts the row into fields first and knows where each begins.
 *
 * Missing is -1 (also "-1.0"). Another negative time or amount is malformed, as are NaN, infinity,
 * hexadecimal, an id that is not whole, and times past 292 years. Fractions of a processor or byte are
 * rounded up: what is held in part is held. Memory is KB of 1024 bytes. Columns past 18 are not looked at. Of
 * several predecessors ("1&2&3", as Alea writes) the last is kept. Source: the archive's definition,
 * https://www.cs.huji.ac.il/labs/parallel/workload/swf.html */
#include "workload/swf_row.h"

#include <string.h>

#include "base/lexer.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/spec.h"

enum {
#define X(name, kind, member, of) name,
  HC_SWF_COLUMNS(X)
#undef X
};

#define LARGEST_AMOUNT ((int64_t)1 << 52) /* also fits a double, and 1024 times it an int64_t */

bool hc_swf_is_comment(const char *line)
{
  while (hc_is_blank(*line)) line++;
  return *line == ';' || *line == '\0';
}

/* What a member holds of a number that is in its units. */
#define TAKEN_WHOLE(v) v
#define TAKEN_STATE(v) (int32_t)(v)
#define TAKEN_TIME(v) v
#define TAKEN_AMOUNT(v) v
#define TAKEN_KIB(v) v

/* ---- the first way ---- */

/* @return what follows the number, or NULL if it is not a plain whole one of at most 18 digits. */
static inline const char *plain(const char *p, int64_t *out)
{
  const char *first;
  uint64_t v;
  unsigned d;
  int64_t sign = 0;
  while (hc_is_blank(*p)) p++;
  if (*p == '-') {
    if (p[1] == '1' &&
        hc_is_blank(p[2])) { /* by far the most frequent number: one guess instead of several */
      *out = -1;
      return p + 2;
    }
    sign = -1;
    p++;
  }
  first = p;
  v = (unsigned char)*p - (unsigned)'0';
  if (v > 9) return NULL;
  while ((d = (unsigned char)*++p - (unsigned)'0') <= 9) v = v * 10 + d;
  if (p - first > 18 || (*p != '\0' && !hc_is_blank(*p))) return NULL;
  *out = ((int64_t)v ^ sign) - sign;
  return p;
}

/* -1 becomes HC_UNKNOWN, everything else is multiplied; whatever is out of range is noted in `*bad`. */
static inline int64_t scaled(int64_t v, int64_t unit, int64_t most, uint64_t *bad)
{
  *bad |= (uint64_t)v + 1 > (uint64_t)most + 1;
  return v == -1 ? HC_UNKNOWN : (int64_t)((uint64_t)v * (uint64_t)unit);
}

static bool fast_row(const char *line, hc_time unit, hc_task_spec *t)
{
  const int64_t longest = INT64_MAX / unit;
  int64_t f[HC_SWF_FIELDS];
  uint64_t bad;
  for (int i = 0; i < HC_SWF_FIELDS; i++) {
    line = plain(line, &f[i]);
    if (!line) return false;
  }
  bad = f[STATUS] != (int32_t)f[STATUS];
#define SCALED_WHOLE(v) v
#define SCALED_STATE(v) (int32_t)(v)
#define SCALED_TIME(v) scaled(v, unit, longest, &bad)
#define SCALED_AMOUNT(v) scaled(v, 1, LARGEST_AMOUNT, &bad)
#define SCALED_KIB(v) scaled(v, 1024, LARGEST_AMOUNT, &bad)
#define X(name, kind, member, of) t->member = SCALED_##kind(f[name]);
  HC_SWF_COLUMNS(X)
#undef X
  return bad == 0;
}

/* ---- the second way ---- */

typedef enum field_kind { IS_WHOLE, IS_STATE, IS_TIME, IS_AMOUNT, IS_KIB } field_kind;

static const uint8_t field_kinds[HC_SWF_FIELDS] = {
#define X(name, kind, member, of) IS_##kind,
    HC_SWF_COLUMNS(X)
#undef X
};

/* Only what a decimal number is made of: keeps out nan, inf, hexadecimal and the friendlier forms of options.
 * */
static bool is_decimal(const char *s, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const char c = s[i];
    if ((c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E') return false;
  }
  return n > 0;
}

/* Seconds are read exactly; another unit goes through a real number, which is exact below 2^53 of them. */
static bool read_time(const char *s, size_t n, hc_time unit, int64_t *out)
{
  hc_time t;
  double x;
  if (unit != HC_SECOND) {
    if (hc_parse_real(s, n, &x) < 0 || x > (double)(INT64_MAX / unit) * 0.999 || (x < 0 && x != -1))
      return false;
    *out = x < 0 ? HC_UNKNOWN : (hc_time)(x * (double)unit + 0.5);
    return true;
  }
  if (hc_parse_seconds(s, n, &t) < 0 || t == HC_NEVER || (t < 0 && t != -HC_SECOND)) return false;
  *out = t < 0 ? HC_UNKNOWN : t;
  return true;
}

static bool read_amount(const char *s, size_t n, int64_t unit, int64_t *out)
{
  double x;
  int64_t whole;
  if (hc_parse_real(s, n, &x) < 0 || x > (double)LARGEST_AMOUNT || (x < 0 && x > -1) || x < -1) return false;
  x *= (double)unit; /* a power of two: exact */
  whole = (int64_t)x;
  *out = x < 0 ? HC_UNKNOWN : whole + ((double)whole < x);
  return true;
}

static bool read_whole(const char *s, size_t n, int64_t *out)
{
  double x;
  if (hc_parse_int(s, n, out) == 0) return true;
  if (hc_parse_real(s, n, &x) < 0 || x > (double)LARGEST_AMOUNT || x < -(double)LARGEST_AMOUNT) return false;
  *out = (int64_t)x;
  return (double)*out == x;
}

static bool read_field(field_kind kind, const char *s, size_t n, hc_time unit, int64_t *out)
{
  if (!is_decimal(s, n)) return false;
  switch (kind) {
    case IS_WHOLE: return read_whole(s, n, out);
    case IS_STATE: return read_whole(s, n, out) && *out == (int32_t)*out;
    case IS_TIME: return read_time(s, n, unit, out);
    case IS_AMOUNT: return read_amount(s, n, 1, out);
    case IS_KIB: return read_amount(s, n, 1024, out);
  }
  return false;
}

/* Alea joins several predecessors by "&". There is room for one: the last, which such logs submit last. */
static const char *last_of_list(const char *s, const char *end)
{
  const char *p = end;
  while (p > s && p[-1] != '&') p--;
  for (const char *q = s; q < p; q++)
    if ((*q < '0' || *q > '9') && *q != '&') return s;
  return p;
}

static bool slow_row(const char *line, hc_time unit, hc_task_spec *t, uint32_t *column)
{
  int64_t f[HC_SWF_FIELDS];
  const char *p = line;
  for (int i = 0; i < HC_SWF_FIELDS; i++) {
    const char *first;
    while (hc_is_blank(*p)) p++;
    for (first = p; *p && !hc_is_blank(*p);) p++;
    if (i == PRECEDING) first = last_of_list(first, p);
    if (!read_field((field_kind)field_kinds[i], first, (size_t)(p - first), unit, &f[i])) {
      *column = (uint32_t)(first - line) + 1;
      return false;
    }
  }
#define X(name, kind, member, of) t->member = TAKEN_##kind(f[name]);
  HC_SWF_COLUMNS(X)
#undef X
  return true;
}

/* ---- both ---- */

int hc_swf_row(const char *line, hc_time unit, bool alcf, hc_task_spec *out, uint32_t *column)
{
  if (!fast_row(line, unit, out) && !slow_row(line, unit, out, column)) return 0;
  if (alcf) {
    if (out->limit == HC_UNKNOWN) out->limit = out->cpu_time;
    out->cpu_time = HC_UNKNOWN;
  }
  out->cancel_at = HC_NEVER;
  out->priority = 0;
  hc_spec_plain(out);
  return 1;
}

/* ---- writing ---- */

/* An amount in units of `unit`; -1 if not known. Negative amounts do not occur: reading refuses them. */
static inline char *put_amount(char *p, int64_t n, int64_t unit)
{
  if (n < 0 || n == HC_NEVER) return hc_put_text(p, "-1");
  return n % unit == 0 ? hc_put_uint(p, (uint64_t)(n / unit)) : hc_put_parts(p, n, unit);
}

char *hc_swf_put(char *p, const hc_task_spec *t, const hc_batch *b)
{
#define PUT_WHOLE(v) hc_put_int(p, v)
#define PUT_STATE(v) hc_put_int(p, v)
#define PUT_TIME(v) put_amount(p, v, HC_SECOND)
#define PUT_AMOUNT(v) put_amount(p, v, 1)
#define PUT_KIB(v) put_amount(p, v, 1024)
#define X(name, kind, member, of) p = hc_put_char(PUT_##kind(of->member), ' ');
  HC_SWF_COLUMNS(X)
#undef X
  p[-1] = '\n';
  return p;
}

void hc_swf_write_spec(hc_buffer *out, const hc_task_spec *t)
{
  const hc_batch b = {t->procs_used, t->procs_asked, t->memory_used, t->memory_asked};
  char line[HC_SWF_ROW];
  hc_buffer_add(out, line, (size_t)(hc_swf_put(line, t, &b) - line));
}

/* ---- keys ---- */

typedef struct title {
  size_t size; /* of the whole block */
  size_t length;
  char text[];
} title;

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The first line that is no comment, if it begins with a letter. */
hc_rc hc_swf_line_begin(const hc_allocator *a, const void *options, const char *text, size_t size,
                        void **layout, hc_error *e)
{
  HC_UNUSED(options);
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    const size_t n = end ? (size_t)(end - (text + at)) : size - at;
    size_t first = 0;
    while (first < n && hc_is_blank(text[at + first])) first++;
    if (first < n && is_letter(text[at + first])) {
      title *t = hc_alloc(a, sizeof *t + n);
      if (!t) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory while sorting");
      t->size = sizeof *t + n;
      t->length = n;
      memcpy(t->text, text + at, n);
      *layout = t;
      return 0;
    }
    if (first < n && text[at + first] != ';') return 0;
    at += n + 1;
  }
  return 0;
}

void hc_swf_line_end(const hc_allocator *a, void *layout)
{
  hc_free(a, layout, ((title *)layout)->size);
}

/* A field of the line. @return its end. */
static inline const char *next_field(const char *p, const char *end, const char **first)
{
  while (p < end && hc_is_blank(*p)) p++;
  for (*first = p; p < end && !hc_is_blank(*p);) p++;
  return p;
}

/* A plain whole number of at most 18 digits. */
static inline bool plain_field(const char *p, const char *end, int64_t *out)
{
  int64_t v = 0;
  if (p == end || end - p > 18) return false;
  for (; p < end; p++) {
    const unsigned d = (unsigned char)*p - (unsigned)'0';
    if (d > 9) return false;
    v = v * 10 + (int64_t)d;
  }
  *out = v;
  return true;
}

hc_line_kind hc_swf_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const title *t = layout;
  const char *end = line + n, *first, *p = next_field(line, end, &first);
  if (p == first || *first == ';') return HC_LINE_HEAD;
  if (t && is_letter(*first) && t->length == n && memcmp(t->text, line, n) == 0) return HC_LINE_HEAD;
  if (!plain_field(first, p, id) && !read_field(IS_WHOLE, first, (size_t)(p - first), HC_SECOND, id))
    *id = -1;
  p = next_field(p, end, &first);
  if (plain_field(first, p, submit) && *submit <= INT64_MAX / HC_SECOND - 1) {
    *submit *= HC_SECOND;
    return HC_LINE_ROW;
  }
  if (!read_field(IS_TIME, first, (size_t)(p - first), HC_SECOND, submit) || *submit == HC_UNKNOWN)
    return HC_LINE_BROKEN;
  return HC_LINE_ROW;
}
