/* fields.c -- what the fields of a table say: numbers, amounts, durations, and dates.
 *
 * Strict where a mistake would pass unseen: no hexadecimal, no NaN, no infinities, no negative amount, no 31
 * February. Lenient where people differ: "12.0" is a whole number, a month may have one digit under a
 * pattern, durations may be clocks. Fractions of an amount are rounded up: what is held in part is held.
 *
 * A date without an offset is local time of a zone. The offset of a day before is tried first, then that of a
 * day after; so an hour that a clock shows twice is taken as the first of the two. Names of months are
 * English.
 *
 * Cost: about 5 ns for a whole number, 50 ns for a date, 150 ns with a zone. */
#include "base/fields.h"

#include <string.h>

#include "base/util.h"

#define LARGEST_AMOUNT ((int64_t)1 << 52) /* fits a double */
#define MOST_DIGITS 18                    /* always fit 64 bits */
#define STAMP 19                          /* bytes of 2024-01-31T09:30:00 */

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* ---- numbers ---- */

/* The digits at the begin of [s, s + n). @return how many; 0 also if they are too many. */
static size_t digits(const char *s, size_t n, int64_t *out)
{
  int64_t v = 0;
  size_t i = 0;
  for (; i < n && hc_is_digit(s[i]); i++) {
    if (i == MOST_DIGITS) return 0;
    v = v * 10 + (s[i] - '0');
  }
  *out = v;
  return i;
}

bool hc_field_whole(const hc_field *f, int64_t *out)
{
  const bool negative = f->length > 0 && f->text[0] == '-';
  const char *s = f->text + negative, *end = f->text + f->length;
  int64_t v = 0;
  const size_t n = digits(s, f->length - negative, &v);
  if (n == 0) return false;
  s += n;
  if (s < end) {
    if (*s++ != '.' || s == end) return false;
    while (s < end && *s == '0') s++;
    if (s < end) return false;
  }
  *out = negative ? -v : v;
  return true;
}

/* Only what a decimal is made of: keeps out nan, inf, hexadecimal and the friendlier forms of options. */
static bool is_decimal(const hc_field *f)
{
  for (size_t i = 0; i < f->length; i++) {
    const char c = f->text[i];
    if (!hc_is_digit(c) && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') return false;
  }
  return f->length > 0;
}

/* A decimal times a unit, to the nearest. What is left of the point is exact; what is right of it is a
 * fraction of the unit, for which a double is fine enough. */
static bool scaled(const hc_field *f, int64_t unit, int64_t *out)
{
  int64_t whole = 0;
  hc_time fraction = 0;
  double x;
  const size_t n = digits(f->text, f->length, &whole);
  if (n == f->length && n > 0) return !__builtin_mul_overflow(whole, unit, out) && *out != HC_NEVER;
  if (!is_decimal(f)) return false;
  if (unit == HC_SECOND) {
    if (hc_parse_seconds(f->text, f->length, &fraction) < 0 || fraction < 0) return false;
    *out = fraction;
    return fraction != HC_NEVER;
  }
  if (n > 0 && f->text[n] == '.' && hc_parse_seconds(f->text + n, f->length - n, &fraction) == 0 &&
      fraction <= HC_SECOND) {
    int64_t product;
    x = (double)fraction / 1e9 * (double)unit + 0.5;
    return !__builtin_mul_overflow(whole, unit, &product) &&
           !__builtin_add_overflow(product, (int64_t)x, out) && *out != HC_NEVER;
  }
  if (hc_parse_real(f->text, f->length, &x) < 0 || x < 0) return false;
  x = x * (double)unit + 0.5;
  if (!(x < 9.2e18)) return false;
  *out = (int64_t)x;
  return true;
}

bool hc_field_amount(const hc_field *f, int64_t unit, int64_t *out)
{
  int64_t whole = 0;
  double x;
  if (f->length > 0 && digits(f->text, f->length, &whole) == f->length) {
    if (__builtin_mul_overflow(whole, unit, &whole) || whole > LARGEST_AMOUNT) return false;
    *out = whole;
    return true;
  }
  if (!is_decimal(f) || hc_parse_real(f->text, f->length, &x) < 0 || x < 0) return false;
  x *= (double)unit;
  if (!(x <= (double)LARGEST_AMOUNT)) return false;
  whole = (int64_t)x;
  *out = whole + ((double)whole < x);
  return true;
}

bool hc_field_size(const hc_field *f, int64_t unit, int64_t *out)
{
  int64_t size;
  if (is_decimal(f)) return hc_field_amount(f, unit, out);
  if (f->length == 0 || !hc_is_digit(f->text[0])) return false;
  if (hc_parse_size(f->text, f->length, &size) < 0 || size < 0 || size > LARGEST_AMOUNT) return false;
  *out = size;
  return true;
}

bool hc_field_duration(const hc_field *f, hc_time unit, hc_time *out)
{
  hc_time t;
  if (scaled(f, unit, out)) return true;
  if (is_decimal(f) || f->length == 0 || !hc_is_digit(f->text[0])) return false;
  if (hc_parse_time(f->text, f->length, &t) < 0 || t < 0 || t == HC_NEVER) return false;
  *out = t;
  return true;
}

/* ---- dates ---- */

typedef struct moment {
  hc_calendar date;
  hc_time fraction;
  int32_t offset; /* seconds east of UTC */
  int half;       /* of the day: 0 not said, 1 AM, 2 PM */
  bool has_offset;
} moment;

static bool number(const char **s, const char *end, size_t least, size_t most, int *out)
{
  int64_t v = 0;
  const size_t n = digits(*s, HC_MIN((size_t)(end - *s), most), &v);
  if (n < least || n == 0) return false;
  *s += n;
  *out = (int)v;
  return true;
}

static bool month_name(const char **s, const char *end, int *out)
{
  static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (end - *s < 3) return false;
  for (int i = 0; i < 12; i++) {
    const char *m = names + 3 * i;
    if (lower((*s)[0]) != m[0] || lower((*s)[1]) != m[1] || lower((*s)[2]) != m[2]) continue;
    *s += 3;
    *out = i + 1;
    return true;
  }
  return false;
}

/* Z, +01:00, +0100, +01 */
static bool offset_part(const char **s, const char *end, moment *m)
{
  int hours, minutes = 0;
  bool west;
  if (*s == end) return false;
  m->has_offset = true;
  if (**s == 'Z' || **s == 'z') {
    ++*s;
    return true;
  }
  west = **s == '-';
  if (!west && **s != '+') return false;
  ++*s;
  if (!number(s, end, 2, 2, &hours)) return false;
  if (*s < end && **s == ':') ++*s;
  if (*s < end && hc_is_digit(**s) && !number(s, end, 2, 2, &minutes)) return false;
  if (hours > 18 || minutes > 59) return false;
  m->offset = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
  return true;
}

static bool fraction_part(const char **s, const char *end, hc_time *out)
{
  hc_time unit = HC_SECOND, sum = 0;
  const char *first = *s;
  for (; *s < end && hc_is_digit(**s); ++*s) {
    unit /= 10; /* past nine digits: nothing */
    sum += (**s - '0') * unit;
  }
  *out = sum;
  return *s > first;
}

static bool half_part(const char **s, const char *end, int *out)
{
  if (end - *s < 2 || lower((*s)[1]) != 'm') return false;
  if (lower(**s) != 'a' && lower(**s) != 'p') return false;
  *out = lower(**s) == 'a' ? 1 : 2;
  *s += 2;
  return true;
}

static bool match(const char **s, const char *end, const char *pattern, moment *m);

static bool directive(char d, const char **s, const char *end, moment *m)
{
  hc_calendar *c = &m->date;
  int v;
  switch (d) {
    case 'Y':
      if (!number(s, end, 4, 4, &v)) return false;
      c->year = v;
      return true;
    case 'y':
      if (!number(s, end, 2, 2, &v)) return false;
      c->year = v + (v < 69 ? 2000 : 1900);
      return true;
    case 'm': return number(s, end, 1, 2, &c->month);
    case 'd': return number(s, end, 1, 2, &c->day);
    case 'e':
      while (*s < end && **s == ' ') ++*s;
      return number(s, end, 1, 2, &c->day);
    case 'b': return month_name(s, end, &c->month);
    case 'H':
    case 'I': return number(s, end, 1, 2, &c->hour);
    case 'p': return half_part(s, end, &m->half);
    case 'M': return number(s, end, 1, 2, &c->minute);
    case 'S': return number(s, end, 1, 2, &c->second);
    case 'f': return fraction_part(s, end, &m->fraction);
    case 'z': return offset_part(s, end, m);
    case 'F': return match(s, end, "%Y-%m-%d", m);
    case 'T': return match(s, end, "%H:%M:%S", m);
    case '%': return *s < end && *(*s)++ == '%';
    default: return false;
  }
}

/* Match the begin of the text; `*s` moves past it. */
static bool match(const char **s, const char *end, const char *pattern, moment *m)
{
  for (; *pattern; pattern++) {
    if (*pattern == '%') {
      if (!directive(*++pattern, s, end, m)) return false;
    } else if (*pattern == ' ') {
      while (*s < end && (**s == ' ' || **s == '\t')) ++*s;
    } else {
      if (*s == end || **s != *pattern) return false;
      ++*s;
    }
  }
  return true;
}

/* "2024-01-31T09:30:00", or with a blank: as nearly all dates are written. */
static bool read_stamp(const char s[STAMP], moment *m)
{
  static const uint8_t digits[] = {0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18};
  int v[7] = {0};
  for (size_t i = 0; i < HC_ARRAY_LEN(digits); i++) {
    const unsigned d = (unsigned char)s[digits[i]] - (unsigned)'0';
    if (d > 9) return false;
    v[i / 2] = v[i / 2] * 10 + (int)d;
  }
  if (s[4] != '-' || s[7] != '-' || (s[10] != 'T' && s[10] != ' ') || s[13] != ':' || s[16] != ':')
    return false;
  *m = (moment){.date = {.year = v[0] * 100 + v[1],
                         .month = v[2],
                         .day = v[3],
                         .hour = v[4],
                         .minute = v[5],
                         .second = v[6]}};
  return true;
}

static bool match_iso(const char **s, const char *end, moment *m)
{
  if (end - *s == STAMP && read_stamp(*s, m)) {
    *s = end;
    return true;
  }
  if (end - *s < 10 || !match(s, end, "%Y-%m-%d", m)) return false;
  if (*s == end) return true;
  if (**s != 'T' && **s != 't' && **s != ' ') return false;
  ++*s;
  if (!match(s, end, "%H:%M", m)) return false;
  if (*s < end && **s == ':' && !match(s, end, ":%S", m)) return false;
  if (*s < end && (**s == '.' || **s == ',')) {
    ++*s;
    if (!fraction_part(s, end, &m->fraction)) return false;
  }
  while (*s < end && **s == ' ') ++*s;
  return *s == end || offset_part(s, end, m);
}

/* Unix seconds of what clocks of a zone read; of an hour that they show twice the first that is not before
 * `after`. */
static int64_t in_zone(int64_t local, const hc_zone *zone, int64_t after)
{
  const int32_t before = hc_zone_offset(zone, local - 86400), later = hc_zone_offset(zone, local + 86400);
  const int64_t first = local - before, second = local - later;
  if (before == later) return first;
  const bool is_first = hc_zone_offset(zone, first) == before;
  if (is_first && first >= after) return first;
  return hc_zone_offset(zone, second) == later ? second : first;
}

static bool is_date(const hc_calendar *c)
{
  static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int64_t y = c->year;
  const bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
  return y > 0 && c->month > 0 && c->month <= 12 && c->day > 0 &&
         c->day <= days[c->month - 1] + (c->month == 2 && leap) && c->hour <= 23 && c->minute <= 59 &&
         c->second <= 60; /* a leap second */
}

/* Unix seconds, without the fraction. */
static bool resolve(moment *m, const hc_zone *zone, int64_t after, int64_t *out)
{
  hc_calendar *c = &m->date;
  if (m->half > 0 && (c->hour < 1 || c->hour > 12)) return false;
  if (m->half > 0) c->hour = c->hour % 12 + (m->half == 2 ? 12 : 0);
  if (!is_date(c)) return false;
  *out = hc_calendar_unix(c, m->has_offset ? m->offset : 0);
  if (!m->has_offset && zone) *out = in_zone(*out, zone, after);
  return true;
}

const char *hc_moment_format_init(hc_moment_format *f, const char *text, hc_time unit)
{
  static const char known[] = "YymdebHIpMSfzFT%";
  bool year = false, day = false;
  *f = (hc_moment_format){.pattern = text, .unit = unit};
  if (strcmp(text, "unix") == 0) f->kind = HC_MOMENT_UNIX;
  else if (strcmp(text, "iso") == 0) f->kind = HC_MOMENT_ISO;
  else if (strcmp(text, "seconds") != 0) f->kind = HC_MOMENT_PATTERN;
  if (f->kind != HC_MOMENT_PATTERN) return NULL;
  for (const char *p = text; *p; p++) {
    if (*p != '%') continue;
    if (*++p == '\0' || !strchr(known, *p)) return "has a % that means nothing here";
    year |= *p == 'Y' || *p == 'y' || *p == 'F';
    day |= *p == 'd' || *p == 'e' || *p == 'F';
  }
  return year && day ? NULL : "gives no date";
}

bool hc_field_moment(const hc_field *f, const hc_moment_format *format, const hc_zone *zone, hc_time *out)
{
  moment m = {.date = {.month = 1, .day = 1}};
  const char *s = f->text, *end = f->text + f->length;
  int64_t seconds;
  switch (format->kind) {
    case HC_MOMENT_SECONDS:
    case HC_MOMENT_UNIX: return scaled(f, format->unit, out);
    case HC_MOMENT_ISO:
      if (!match_iso(&s, end, &m)) return false;
      break;
    case HC_MOMENT_PATTERN:
      if (!match(&s, end, format->pattern, &m)) return false;
      break;
  }
  return s == end && resolve(&m, zone, INT64_MIN, &seconds) &&
         !__builtin_mul_overflow(seconds, HC_SECOND, &seconds) &&
         !__builtin_add_overflow(seconds, m.fraction, out);
}

bool hc_read_stamp(const char *s, size_t n, const hc_zone *zone, int64_t after, int64_t *out)
{
  const char *end = s + n, *p = s + STAMP;
  moment m;
  if (n != STAMP && n != STAMP + 1 && n != STAMP + 5 && n != STAMP + 6) return false; /* Z, +0100, +01:00 */
  return read_stamp(s, &m) && (p == end || offset_part(&p, end, &m)) && p == end &&
         resolve(&m, zone, after, out);
}

/* ---- text ---- */

hc_rc hc_field_text(const hc_field *f, hc_buffer *scratch, const char **text, size_t *length)
{
  *text = f->text;
  *length = f->length;
  if (!f->doubled) return 0;
  scratch->size = 0;
  for (size_t i = 0; i < f->length; i++) {
    hc_buffer_add(scratch, f->text + i, 1);
    if (f->text[i] == '"') i++;
  }
  if (scratch->failed) return HC_ENOMEM;
  *text = scratch->data;
  *length = scratch->size;
  return 0;
}
