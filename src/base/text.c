/* text.c -- numbers, times and sizes to text and back, without a locale.
 *
 * A decimal is read once into (digits, exponent) and every parser works on that in integers, so that nothing
 * is rounded twice and no result depends on the C library. Two things are left to the C library, in a form in
 * which its locale has no say: strtod is only shown digits and an exponent, never a decimal point, and of
 * what printf writes only the digits are taken. Quotation for JSON and CSV is at the end. The calendar is in
 * zone.c.
 *
 * It does not skip white space, and it does not accept inf, nan, hexadecimal or a decimal comma.
 * Cost: hc_parse_seconds takes a few nanoseconds for whole numbers; nothing here allocates except the two
 * appenders. */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/util.h"

/* ---- decimals ---- */

#define DIGITS_KEPT 19               /* the most that always fit 64 bits */
#define POWER_LIMIT 1000000000000000 /* no text is long enough to make up for a larger one */

/* (-1)^negative * (digits + a tail below one) * 10^exponent. */
typedef struct decimal {
  uint64_t digits;
  int64_t exponent;
  int64_t power; /* the part of the exponent that was written behind "e" */
  int next;      /* first digit that did not fit: the leading one of the tail */
  bool sticky;   /* a later digit of the tail is not zero */
  bool negative;
} decimal;

static bool is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

/* Digits from *at on, into `d`; a digit behind the point also lowers the exponent. Returns how many there
 * were. */
static size_t scan_digits(const char *s, size_t n, size_t *at, bool underscores, bool fraction, decimal *d,
                          size_t *kept)
{
  size_t i = *at, count = 0;
  for (; i < n; i++) {
    if (underscores && s[i] == '_' && count > 0 && s[i - 1] != '_' && i + 1 < n && is_digit(s[i + 1]))
      continue;
    if (!is_digit(s[i])) break;
    int digit = s[i] - '0';
    count++;
    if (*kept < DIGITS_KEPT) {
      d->digits = d->digits * 10 + (uint64_t)digit;
      if (d->digits > 0) ++*kept;
      if (fraction) d->exponent--;
    } else {
      if (*kept == DIGITS_KEPT) d->next = digit;
      else if (digit > 0) d->sticky = true;
      ++*kept;
      if (!fraction) d->exponent++;
    }
  }
  *at = i;
  return count;
}

/* Reads [sign] digits [. digits] [e [sign] digits] from the start of `s`. Returns the length used, 0 if there
 * is no number. Either side of the point may be empty, not both. */
static size_t scan_decimal(const char *s, size_t n, bool underscores, bool exponent, decimal *d)
{
  size_t i = 0, kept = 0, count;
  *d = (decimal){0};
  if (n > 0 && (s[0] == '-' || s[0] == '+')) d->negative = s[i++] == '-';
  count = scan_digits(s, n, &i, underscores, false, d, &kept);
  if (i < n && s[i] == '.') {
    i++;
    count += scan_digits(s, n, &i, underscores, true, d, &kept);
  }
  if (count == 0) return 0;
  if (exponent && i < n && (s[i] == 'e' || s[i] == 'E')) {
    bool down = false;
    int64_t power = 0;
    i++;
    if (i < n && (s[i] == '-' || s[i] == '+')) down = s[i++] == '-';
    if (i == n || !is_digit(s[i])) return 0;
    for (; i < n && is_digit(s[i]); i++)
      if (power < POWER_LIMIT) power = power * 10 + (s[i] - '0');
    d->power = down ? -power : power;
    d->exponent += d->power;
  }
  return i;
}

/* Multiply by 10^d->exponent into a whole number, rounding halves up. `*exact` tells whether nothing was
 * rounded. Returns false if the magnitude does not fit 64 bits. */
static bool decimal_round(const decimal *d, uint64_t *out, bool *exact)
{
  uint64_t value = d->digits, unit = 1, rest;
  bool tail = d->next > 0 || d->sticky;
  bool up;
  *exact = true;
  *out = value;
  if (value == 0) return true; /* a tail only exists behind 19 digits */
  if (d->exponent > 0) {
    if (d->exponent >= 20) return false;
    for (int64_t i = 0; i < d->exponent; i++)
      if (__builtin_mul_overflow(value, (uint64_t)10, &value)) return false;
    *exact = !tail;
    *out = value;
    return true;
  }
  if (d->exponent < -DIGITS_KEPT) { /* below 10^-1 of the last place: it rounds to zero */
    *out = 0;
    *exact = false;
    return true;
  }
  for (int64_t i = 0; i > d->exponent; i--) unit *= 10;
  rest = value % unit;
  if (unit == 1) up = d->negative ? d->next > 5 || (d->next == 5 && d->sticky) : d->next >= 5;
  else up = rest > unit / 2 || (rest == unit / 2 && (!d->negative || tail));
  *exact = rest == 0 && !tail;
  value /= unit;
  if (up && __builtin_add_overflow(value, (uint64_t)1, &value)) return false;
  *out = value;
  return true;
}

hc_rc hc_parse_int(const char *s, size_t n, int64_t *out)
{
  decimal d;
  uint64_t value;
  bool exact;
  size_t used = scan_decimal(s, n, true, true, &d);
  if (used == 0 || used != n || !decimal_round(&d, &value, &exact) || !exact) return HC_EINPUT;
  if (value > (uint64_t)INT64_MAX + (d.negative ? 1u : 0u)) return HC_EINPUT;
  *out = d.negative ? (int64_t)(0 - value) : (int64_t)value;
  return 0;
}

/* ---- doubles ---- */

#define REAL_DIGITS 800 /* 767 significant digits decide any double; a final 1 stands for the rest */
#define EXACT_POWER 22  /* 10^22 is the last power of ten that a double holds exactly */
#define EXACT_DIGITS ((uint64_t)1 << 53)

/* The slow way: significant digits and an exponent, without a point, for strtod, which rounds correctly. */
static double real_of_text(const char *s, size_t n, int64_t power)
{
  char buf[REAL_DIGITS + 32];
  size_t kept = 0;
  bool point = false, sticky = false;
  for (size_t i = 0; i < n && s[i] != 'e' && s[i] != 'E'; i++) {
    if (s[i] == '.') point = true;
    if (!is_digit(s[i])) continue;
    if (kept < REAL_DIGITS) {
      if (kept > 0 || s[i] != '0') buf[kept++] = s[i];
      if (point) power--;
    } else {
      sticky = sticky || s[i] != '0';
      if (!point) power++;
    }
  }
  if (sticky) {
    buf[kept++] = '1';
    power--;
  }
  (void)snprintf(buf + kept, sizeof buf - kept, "e%lld", (long long)power);
  return strtod(buf, NULL);
}

/* One correctly rounded operation on two exact doubles is correctly rounded (Clinger 1990). Needs doubles
 * without excess precision, which x86-64 and aarch64 have. */
hc_rc hc_parse_real(const char *s, size_t n, double *out)
{
  static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  decimal d;
  double x;
  size_t used = scan_decimal(s, n, false, true, &d);
  if (used == 0 || used != n) return HC_EINPUT;
  if (d.digits == 0) x = 0;
  else if (d.digits <= EXACT_DIGITS && d.exponent >= 0 && d.exponent <= EXACT_POWER)
    x = (double)d.digits * powers[d.exponent];
  else if (d.digits <= EXACT_DIGITS && d.exponent < 0 && d.exponent >= -EXACT_POWER)
    x = (double)d.digits / powers[-d.exponent];
  else x = real_of_text(s, n, d.power);
  if (x - x != 0) return HC_EINPUT; /* overflowed to infinity */
  *out = d.negative ? -x : x;
  return 0;
}

/* The digits of `x` > 0 rounded to `count` places, without trailing zeros; `*power` is that of the first
 * digit. */
static size_t real_digits(double x, int count, char *digits, int *power)
{
  char buf[48];
  size_t n = 0, i = 0;
  (void)snprintf(buf, sizeof buf, "%.*e", count - 1, x);
  for (; buf[i] && buf[i] != 'e'; i++)
    if (is_digit(buf[i])) digits[n++] = buf[i]; /* whatever else stands there is the locale's decimal point */
  *power = (int)strtol(buf + i + 1, NULL, 10);
  while (n > 1 && digits[n - 1] == '0') n--;
  return n;
}

/* The fewest digits that read back as `x` > 0. Fifteen always survive a double, so that for normal numbers
 * the search begins there; subnormal ones have fewer to give. */
static size_t shortest_digits(double x, char *digits, int *power)
{
  char text[48];
  size_t n = 0;
  for (int count = x < 2.2250738585072014e-308 ? 1 : 15; count <= 17; count++) {
    double back = 0;
    int length;
    n = real_digits(x, count, digits, power);
    length = snprintf(text, sizeof text, "%.*se%d", (int)n, digits, *power - (int)n + 1);
    if (hc_parse_real(text, (size_t)length, &back) == 0 && back == x) break;
  }
  return n;
}

size_t hc_format_real(double x, char *buf)
{
  char digits[32];
  char *p = buf;
  int power = 0, n;
  if (x - x != 0) return (size_t)snprintf(buf, 32, "null"); /* not a number, or infinite */
  if (x < 0 || (x == 0 && 1 / x < 0)) {
    *p++ = '-';
    x = -x;
  }
  if (x < 1e15 && x == (double)(int64_t)x) return (size_t)(p - buf + snprintf(p, 24, "%lld", (long long)x));
  n = (int)shortest_digits(x, digits, &power);
  if (power < -5 || power > 16) {
    *p++ = digits[0];
    if (n > 1) *p++ = '.';
    for (int i = 1; i < n; i++) *p++ = digits[i];
    return (size_t)(p - buf + snprintf(p, 8, "e%d", power));
  }
  if (power < 0) {
    *p++ = '0';
    *p++ = '.';
  }
  for (int i = power; i < -1; i++) *p++ = '0';
  for (int i = 0; i < n || i <= power; i++) {
    if (i == power + 1 && i > 0) *p++ = '.';
    *p++ = i < n ? digits[i] : '0';
  }
  *p = '\0';
  return (size_t)(p - buf);
}

/* ---- times ---- */

/* Nanoseconds with a sign, saturated: HC_UNKNOWN is never the result of reading a number. */
static hc_time time_of(bool negative, uint64_t magnitude)
{
  if (magnitude > (uint64_t)HC_NEVER) magnitude = (uint64_t)HC_NEVER;
  return negative ? -(hc_time)magnitude : (hc_time)magnitude;
}

hc_rc hc_parse_seconds(const char *s, size_t n, hc_time *out)
{
  decimal d;
  uint64_t value = 0;
  bool exact;
  size_t used;
  if (n > 0 &&
      n <= 11) { /* nearly every field of a trace: a sign and at most ten digits, which fit any word */
    size_t sign = s[0] == '-', i = sign;
    for (; i < n && is_digit(s[i]); i++) value = value * 10 + (uint64_t)(s[i] - '0');
    if (i == n && i > sign && value < (uint64_t)(HC_NEVER / HC_SECOND)) {
      *out = sign ? -(hc_time)value * HC_SECOND : (hc_time)value * HC_SECOND;
      return 0;
    }
  }
  used = scan_decimal(s, n, false, true, &d);
  if (used == 0 || used != n) return HC_EINPUT;
  d.exponent += 9;
  if (!decimal_round(&d, &value, &exact)) value = UINT64_MAX;
  *out = time_of(d.negative, value);
  return 0;
}

#define PART_DIGITS 15 /* decimals of an amount with a unit that are used; 10^15 * 1024 fits 64 bits */

/* An amount with a unit: whole + part / one, made larger by one small factor after another, exactly. */
typedef struct amount {
  uint64_t whole, part, one;
  bool overflow;
} amount;

static amount amount_of(const decimal *d)
{
  amount a = {.whole = d->digits, .one = 1};
  a.overflow = d->exponent > 0 && d->digits > 0;
  if (d->exponent < 0) {
    int64_t places = -d->exponent;
    uint64_t digits = d->digits;
    for (; places > PART_DIGITS; places--) digits /= 10;
    for (int64_t i = 0; i < places; i++) a.one *= 10;
    a.whole = digits / a.one;
    a.part = digits % a.one;
  }
  return a;
}

static void amount_times(amount *a, uint32_t factor)
{
  uint64_t carried = a->part * factor;
  a->part = carried % a->one;
  if (__builtin_mul_overflow(a->whole, (uint64_t)factor, &a->whole)) a->overflow = true;
  if (__builtin_add_overflow(a->whole, carried / a->one, &a->whole)) a->overflow = true;
}

/* Position of a time unit in the chain week, day, hour, minute, second, ms, us, ns; -1 if it is none. */
static int time_unit(const char *s, size_t n)
{
  static const char *const units[] = {"w", "d", "h", "m", "s", "ms", "us", "ns"};
  enum { MINUTE = 3 };
  for (int i = 0; i < (int)HC_ARRAY_LEN(units); i++)
    if (strlen(units[i]) == n && memcmp(units[i], s, n) == 0) return i;
  return n == 3 && memcmp("min", s, n) == 0 ? MINUTE : -1;
}

/* "1h30m": units in falling order, each at most once. */
static hc_rc parse_units(const char *s, size_t n, bool negative, hc_time *out)
{
  static const uint32_t factors[] = {7, 24, 60, 60, 1000, 1000, 1000};
  uint64_t sum = 0;
  int last = -1;
  size_t i = 0;
  while (i < n) {
    decimal d;
    amount a;
    size_t used, length = 0;
    int unit;
    if (!is_digit(s[i]) && s[i] != '.') return HC_EINPUT; /* one sign for the whole, in front */
    used = scan_decimal(s + i, n - i, false, false, &d);
    if (used == 0) return HC_EINPUT;
    i += used;
    while (i + length < n && s[i + length] >= 'a' && s[i + length] <= 'z') length++;
    unit = time_unit(s + i, length);
    if (unit <= last) return HC_EINPUT;
    last = unit;
    i += length;
    a = amount_of(&d);
    for (size_t f = (size_t)unit; f < HC_ARRAY_LEN(factors); f++) amount_times(&a, factors[f]);
    if (a.overflow || a.whole > (uint64_t)HC_NEVER) a.whole = (uint64_t)HC_NEVER;
    sum = HC_MIN(sum + a.whole + (a.part >= a.one - a.part), (uint64_t)HC_NEVER);
  }
  *out = time_of(negative, sum);
  return last < 0 ? HC_EINPUT : 0;
}

/* Whole number below `limit` up to the character `stop`; moves behind it. */
static bool clock_part(const char **s, const char *end, char stop, uint64_t limit, uint64_t *out)
{
  const char *p = *s;
  uint64_t value = 0;
  for (; p < end && is_digit(*p); p++)
    if ((value = value * 10 + (uint64_t)(*p - '0')) >= limit) return false;
  if (p == *s || p == end || *p != stop) return false;
  *s = p + 1;
  *out = value;
  return true;
}

/* "[D-]HH:MM:SS", the last with decimals if wanted. Without days, hours may be as many as they are. */
static hc_rc parse_clock(const char *s, size_t n, bool negative, hc_time *out)
{
  const char *end = s + n;
  const uint64_t most = 100000000000;
  uint64_t days = 0, hours, minutes;
  hc_time rest, sum;
  bool dated = memchr(s, '-', n) != NULL;
  if (dated && !clock_part(&s, end, '-', most, &days)) return HC_EINPUT;
  if (!clock_part(&s, end, ':', dated ? 24 : most, &hours) || !clock_part(&s, end, ':', 60, &minutes))
    return HC_EINPUT;
  if (s == end || !is_digit(*s)) return HC_EINPUT;
  for (const char *p = s; p < end; p++)
    if (!is_digit(*p) && *p != '.') return HC_EINPUT;
  TRY(hc_parse_seconds(s, (size_t)(end - s), &rest));
  if (rest >= HC_MINUTE) return HC_EINPUT;
  if (__builtin_mul_overflow((hc_time)(days * 1440 + hours * 60 + minutes), HC_MINUTE, &sum)) sum = HC_NEVER;
  sum = hc_time_add(sum, rest);
  *out = negative ? -sum : sum;
  return 0;
}

hc_rc hc_parse_time(const char *s, size_t n, hc_time *out)
{
  bool negative = n > 0 && s[0] == '-';
  if (n == 5 && memcmp(s, "never", 5) == 0) {
    *out = HC_NEVER;
    return 0;
  }
  if (n == 0) return HC_EINPUT;
  if (memchr(s, ':', n)) return parse_clock(s + negative, n - negative, negative, out);
  if (s[n - 1] >= 'a' && s[n - 1] <= 'z') return parse_units(s + negative, n - negative, negative, out);
  return hc_parse_seconds(s, n, out);
}

size_t hc_format_seconds(hc_time t, char *buf)
{
  uint64_t m = t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
  uint64_t second = (uint64_t)HC_SECOND;
  int n;
  if (t == HC_NEVER) return (size_t)snprintf(buf, 32, "never");
  if (t == HC_UNKNOWN) return (size_t)snprintf(buf, 32, "unknown");
  n = snprintf(buf, 32, "%s%llu", t < 0 ? "-" : "", (unsigned long long)(m / second));
  if (m % second == 0) return (size_t)n;
  n += snprintf(buf + n, 32 - (size_t)n, ".%09llu", (unsigned long long)(m % second));
  while (buf[n - 1] == '0') n--;
  buf[n] = '\0';
  return (size_t)n;
}

/* `m` in units of `unit` with one decimal, which is left out if it is zero. False if that would read 1000 or
 * more (or `limit`), where the next unit reads better. */
static bool format_tenths(uint64_t m, uint64_t unit, uint64_t limit, const char *sign, const char *name,
                          char *buf)
{
  uint64_t whole = m / unit, tenths = (m % unit) / (unit / 10);
  if (unit > 1 && (m % unit) % (unit / 10) >= unit / 10 - (m % unit) % (unit / 10)) tenths++;
  if (tenths == 10) {
    whole++;
    tenths = 0;
  }
  if (whole >= limit) return false;
  if (tenths > 0) (void)snprintf(buf, 32, "%s%llu.%d %s", sign, (unsigned long long)whole, (int)tenths, name);
  else (void)snprintf(buf, 32, "%s%llu %s", sign, (unsigned long long)whole, name);
  return true;
}

size_t hc_format_duration(hc_time t, char *buf)
{
  uint64_t m = t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
  const char *sign = t < 0 ? "-" : "";
  uint64_t s;
  int n;
  if (t == HC_NEVER || t == HC_UNKNOWN) return hc_format_seconds(t, buf);
  if (t == 0) return (size_t)snprintf(buf, 32, "0 s");
  if (m < 1000) return (size_t)snprintf(buf, 32, "%s%d ns", sign, (int)m);
  if (format_tenths(m, (uint64_t)HC_US, 1000, sign, "us", buf)) return strlen(buf);
  if (format_tenths(m, (uint64_t)HC_MS, 1000, sign, "ms", buf)) return strlen(buf);
  if (format_tenths(m, (uint64_t)HC_SECOND, 60, sign, "s", buf)) return strlen(buf);
  s = (m + (uint64_t)HC_SECOND / 2) / (uint64_t)HC_SECOND;
  n = snprintf(buf, 32, "%s", sign);
  if (s >= 86400) n += snprintf(buf + n, 24, "%llud ", (unsigned long long)(s / 86400));
  s %= 86400;
  n += snprintf(buf + n, 9, "%02u:%02u:%02u", (unsigned)(s / 3600) % 24, (unsigned)(s / 60) % 60,
                (unsigned)s % 60);
  return (size_t)n;
}

/* ---- sizes and counts ---- */

/* A prefix of a unit, if one stands at *at: how often what stands before it is taken times `*factor`. */
static int scan_prefix(const char *s, size_t n, size_t *at, uint32_t *factor)
{
  static const char prefixes[] = "kmgtpe";
  const char *prefix = *at < n && s[*at] != '\0' ? strchr(prefixes, s[*at] | 0x20) : NULL;
  *factor = 1000;
  if (!prefix) return 0;
  if (++*at < n && s[*at] == 'i') {
    *factor = 1024;
    ++*at;
  }
  return (int)(prefix - prefixes) + 1;
}

hc_rc hc_parse_size(const char *s, size_t n, int64_t *out)
{
  decimal d;
  amount a;
  uint32_t factor;
  size_t used = n > 0 && s[0] != '-' && s[0] != '+' ? scan_decimal(s, n, true, false, &d) : 0;
  if (used == 0 || d.exponent < -PART_DIGITS) return HC_EINPUT;
  const int times = scan_prefix(s, n, &used, &factor);
  if (used < n && (s[used] == 'B' || s[used] == 'b')) used++;
  if (used != n) return HC_EINPUT;
  a = amount_of(&d);
  for (int i = 0; i < times; i++) amount_times(&a, factor);
  if (a.part >= a.one - a.part) a.whole++;
  if (a.overflow || a.whole > INT64_MAX) return HC_EINPUT;
  *out = (int64_t)a.whole;
  return 0;
}

/* Units of amounts that need not be whole. A prefix may stand without a word behind it, as for sizes. */
typedef struct amount_unit {
  const char *unit, *words[3], *examples, *pattern;
} amount_unit;

static const amount_unit *amount_unit_of(const char *unit)
{
  static const amount_unit units[] = {
      {"B", {"B", "b"}, "64MiB, 1GB, or a number of bytes", "^[-+0-9.eE_]+([kKMGTPE]i?)?[Bb]?$"},
      {"work",
       {"f", "flop", "flops"},
       "2Gflop, 500Mf, or a number",
       "^[-+0-9.eE_]+([kKMGTPE]i?)?(f|flops?)?$"},
      {"work/s",
       {"f", "flops", "flop/s"},
       "10Gf, 2.5Gflop/s, or a number",
       "^[-+0-9.eE_]+([kKMGTPE]i?)?(f|flops|flop/s)?$"}};
  for (size_t i = 0; unit && i < HC_ARRAY_LEN(units); i++)
    if (strcmp(units[i].unit, unit) == 0) return &units[i];
  return NULL;
}

const char *hc_amount_examples(const char *unit)
{
  const amount_unit *u = amount_unit_of(unit);
  return u ? u->examples : NULL;
}

const char *hc_amount_pattern(const char *unit)
{
  const amount_unit *u = amount_unit_of(unit);
  return u ? u->pattern : NULL;
}

static bool is_unit_word(const amount_unit *u, const char *s, size_t n)
{
  bool is = n == 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(u->words) && u->words[i]; i++)
    is |= strlen(u->words[i]) == n && memcmp(u->words[i], s, n) == 0;
  return is;
}

hc_rc hc_parse_amount(const char *s, size_t n, const char *unit, double *out)
{
  const amount_unit *u = amount_unit_of(unit);
  uint32_t factor;
  double x;
  decimal d;
  if (hc_parse_real(s, n, out) == 0) return 0;
  size_t used = u && n > 0 && s[0] != '-' && s[0] != '+' ? scan_decimal(s, n, false, false, &d) : 0;
  if (used == 0 || hc_parse_real(s, used, &x) < 0) return HC_EINPUT;
  double times = 1;
  for (int i = scan_prefix(s, n, &used, &factor); i > 0; i--) times *= factor;
  if (!is_unit_word(u, s + used, n - used)) return HC_EINPUT;
  *out = x * times;
  return 0;
}

size_t hc_format_count(int64_t n, char *buf)
{
  char digits[24];
  uint64_t m = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)m);
  char *p = buf;
  if (n < 0) *p++ = '-';
  for (int i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0) *p++ = ',';
    *p++ = digits[i];
  }
  *p = '\0';
  return (size_t)(p - buf);
}

size_t hc_format_size(int64_t bytes, char *buf)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  uint64_t m = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
  const char *sign = bytes < 0 ? "-" : "";
  if (m < 1024) return (size_t)snprintf(buf, 32, "%s%d B", sign, (int)m);
  for (size_t i = 1; i < HC_ARRAY_LEN(units); i++)
    if (format_tenths(m, (uint64_t)1 << (10 * i), 1024, sign, units[i], buf)) break;
  return strlen(buf);
}

/* ---- words ---- */

static bool is_word(const char *s, size_t n, const char *word)
{
  for (size_t i = 0; i < n; i++) {
    char c = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 0x20) : s[i];
    if (c != word[i]) return false; /* also at the end of `word` */
  }
  return word[n] == '\0';
}

hc_rc hc_parse_bool(const char *s, size_t n, bool *out)
{
  static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off"};
  if (n > 5 || memchr(s, '\0', n)) return HC_EINPUT;
  for (size_t i = 0; i < HC_ARRAY_LEN(yes); i++) {
    bool claim = is_word(s, n, yes[i]);
    if (!claim && !is_word(s, n, no[i])) continue;
    *out = claim;
    return 0;
  }
  return HC_EINPUT;
}

#define WORD_LIMIT 64 /* longer words are never a slip of the finger */

/* Damerau's distance in its restricted form: no letter is edited twice. Three rows of the table are enough.
 */
size_t hc_edit_distance(const char *a, const char *b, size_t limit)
{
  size_t rows[3][WORD_LIMIT + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  size_t an = strlen(a), bn = strlen(b);
  if (an > WORD_LIMIT || bn > WORD_LIMIT || (an > bn ? an - bn : bn - an) >= limit) return limit;
  for (size_t j = 0; j <= bn; j++) above[j] = j;
  for (size_t i = 1; i <= an; i++) {
    size_t best = row[0] = i, *spare;
    for (size_t j = 1; j <= bn; j++) {
      size_t d = above[j - 1] + (a[i - 1] != b[j - 1]);
      d = HC_MIN(d, HC_MIN(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d = HC_MIN(d, before[j - 2] + 1);
      row[j] = d;
      best = HC_MIN(best, d);
    }
    if (best > limit)
      return limit; /* a swap reaches back two rows, so one more than the limit is needed to stop */
    spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return HC_MIN(above[bn], limit);
}

/* ---- quoting ---- */

void hc_json_string(hc_buffer *out, const char *s, size_t n)
{
  static const char letters[] = "btn?fr"; /* escapes of the codes 8 to 13; 11 has none */
  size_t plain = 0, i = 0;
  hc_buffer_text(out, "\"");
  while (i < n) {
    uint32_t code = (unsigned char)s[i];
    const size_t length = code < 0x80 ? 1 : hc_utf8_decode(s + i, n - i, &code);
    if (length > 0 && code >= 0x20 && code != '"' && code != '\\') {
      i += length;
      continue;
    }
    hc_buffer_add(out, s + plain, i - plain);
    if (length == 0) hc_buffer_text(out, "\xef\xbf\xbd");
    else if (code == '"' || code == '\\') hc_buffer_printf(out, "\\%c", (char)code);
    else if (code >= 8 && code <= 13 && code != 11) hc_buffer_printf(out, "\\%c", letters[code - 8]);
    else hc_buffer_printf(out, "\\u%04x", (unsigned)code);
    i += length > 0 ? length : 1;
    plain = i;
  }
  hc_buffer_add(out, s + plain, n - plain);
  hc_buffer_text(out, "\"");
}

size_t hc_shown_char(const char *s, size_t n, const char *keep, char out[8])
{
  const unsigned char c = (unsigned char)s[0];
  const bool is_c1 = c == 0xc2 && n > 1 && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] < 0xa0;
  if (is_c1) {
    (void)snprintf(out, 8, "\\u%04x", (unsigned)(unsigned char)s[1]);
    return 2;
  }
  out[0] = s[0];
  out[1] = '\0';
  if ((c < 0x20 || c == 0x7f) && (c == 0 || !strchr(keep, s[0]))) (void)snprintf(out, 8, "\\x%02x", c);
  return 1;
}

void hc_shown_text(hc_buffer *out, const char *s, size_t n, const char *keep)
{
  char shown[8];
  size_t plain = 0; /* from here to i all stays as it is */
  for (size_t i = 0, step; i < n; i += step) {
    step = hc_shown_char(s + i, n - i, keep, shown);
    if (shown[0] == s[i] && shown[1] == '\0') continue;
    hc_buffer_add(out, s + plain, i - plain);
    hc_buffer_text(out, shown);
    plain = i + step;
  }
  hc_buffer_add(out, s + plain, n - plain);
}

void hc_xml_text(hc_buffer *out, const char *s, size_t n)
{
  for (size_t i = 0, step; i < n; i += step) {
    uint32_t code = 0;
    step = hc_utf8_decode(s + i, n - i, &code);
    if (step == 0 || code == 0xfffe || code == 0xffff) {
      hc_buffer_text(out, "\xef\xbf\xbd");
      step = step ? step : 1;
    } else if (code == '&') {
      hc_buffer_text(out, "&amp;");
    } else if (code == '<') {
      hc_buffer_text(out, "&lt;");
    } else {
      hc_shown_text(out, s + i, step, "");
    }
  }
}

void hc_csv_field(hc_buffer *out, const char *s, size_t n)
{
  bool special = false;
  for (size_t i = 0; i < n; i++)
    special = special || s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
  if (!special) {
    hc_buffer_add(out, s, n);
    return;
  }
  hc_buffer_text(out, "\"");
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '"') hc_buffer_text(out, "\"");
    hc_buffer_add(out, s + i, 1);
  }
  hc_buffer_text(out, "\"");
}

/* ---- bytes as text ---- */

void hc_base64(hc_buffer *out, const void *data, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = data;
  char piece[4096];
  size_t n = 0;
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    uint32_t x = (uint32_t)p[i] << 16;
    if (left > 1) x |= (uint32_t)p[i + 1] << 8;
    if (left > 2) x |= p[i + 2];
    piece[n++] = digits[x >> 18];
    piece[n++] = digits[x >> 12 & 63];
    piece[n++] = left > 1 ? digits[x >> 6 & 63] : '=';
    piece[n++] = left > 2 ? digits[x & 63] : '=';
    if (n == sizeof piece || left <= 3) {
      hc_buffer_add(out, piece, n);
      n = 0;
    }
  }
}
