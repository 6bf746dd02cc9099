/* number.c -- numbers as Python rounds and writes them. */
#include "irmasim/number.h"

#include <stdio.h>
#include <string.h>

#include "base/wide.h"

double hc_irm_round9(double x)
{
  const double scaled = x * 1e9, whole = hc_irm_round(scaled), off = scaled - whole;
  char text[32], *to = text;
  int64_t digits = 0;
  if (off < 0.499 && off > -0.499) return whole / 1e9; /* a quotient of exact numbers: the nearest double */
  (void)snprintf(text, sizeof text, "%.9f", x);        /* near a tie: of the exact value */
  for (const char *c = text; *c; c++)
    if (*c >= '0' && *c <= '9') *to++ = *c;
  *to = '\0';
  (void)hc_parse_int(text, (size_t)(to - text), &digits);
  return (x < 0 ? -(double)digits : (double)digits) / 1e9;
}

static size_t whole_digits(uint64_t n, char *to)
{
  char text[24], *at = text + sizeof text;
  do *--at = (char)('0' + n % 10);
  while (n /= 10);
  memcpy(to, at, (size_t)(text + sizeof text - at));
  return (size_t)(text + sizeof text - at);
}

static hc_uint128 power_of_ten(int n)
{
  hc_uint128 x = 1;
  while (n-- > 0) x *= 10;
  return x;
}

/* The fewest digits that read back as x, 15 to 17 before trailing zeros go, for 1e-4 <= x < 1e15: exactly, in
 * whole numbers. x = m / 2^k, and x 10^p = q + a rest has 17 digits before its point; the nearest multiple of
 * 100, 10 or 1 is taken that is nearer to x 10^p than half of 10^p / 2^k, the way to the next double. Cost:
 * 60 ns. @return 0: a tie, or a power of two, whose ways down and up differ */
static size_t digits_within(double x, char *digits, int *point)
{
  const uint64_t least = 10000000000000000u; /* of 17 digits */
  uint64_t bits, q, near = 0;
  hc_uint128 power, all;
  int p = 2;
  memcpy(&bits, &x, sizeof bits);
  const uint64_t m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
  const int k = 1075 - (int)(bits >> 52);
  if (m == 1ull << 52) return 0;
  for (double limit = 1e14; p < 21 && x < limit; limit /= 10) p++;
  power = power_of_ten(p);
  all = m * power;
  q = (uint64_t)(all >> k);
  if (q < least || q >= least * 10) { /* limits below 1 are not exact */
    power = power_of_ten(p += q < least ? 1 : -1);
    all = m * power;
    q = (uint64_t)(all >> k);
  }
  for (uint64_t unit = 100; unit > 0; unit /= 10) {
    const uint64_t below = q / unit * unit;
    const hc_uint128 rest = all - ((hc_uint128)below << k), whole = (hc_uint128)unit << k;
    if (2 * rest == whole) return 0;
    const bool is_up = 2 * rest > whole;
    const hc_uint128 off = is_up ? whole - rest : rest;
    near = below + (is_up ? unit : 0);
    if (2 * off < power || (2 * off == power && m % 2 == 0)) break;
  }
  const size_t count = whole_digits(near, digits);
  *point = (int)count - p;
  return count;
}

/* What hc_format_real writes, taken apart: its digits, and where the point stands among them. */
static size_t digits_of(double x, char *digits, int *point)
{
  char text[32];
  size_t within = x >= 1e-4 && x < 1e15 ? digits_within(x, digits, point) : 0;
  while (within > 1 && digits[within - 1] == '0') within--;
  if (within > 0) return within;
  const size_t n = hc_format_real(x, text);
  size_t count = 0;
  int64_t power = 0;
  *point = -1;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '.') {
      *point = (int)count;
    } else if (text[i] == 'e') {
      (void)hc_parse_int(text + i + 1, n - i - 1, &power);
      break;
    } else if (text[i] != '-') {
      digits[count++] = text[i];
    }
  }
  if (*point < 0) *point = (int)count;
  *point += (int)power;
  while (count > 1 && digits[0] == '0') { /* 0.001 */
    memmove(digits, digits + 1, --count);
    --*point;
  }
  while (count > 1 && digits[count - 1] == '0') count--; /* 1200 */
  return count;
}

static char *write_real(double x, char *to)
{
  char digits[32];
  int point;
  if (x != x) return to + snprintf(to, 8, "nan");
  if (x - x != 0) return to + snprintf(to, 8, x < 0 ? "-inf" : "inf");
  const size_t count = digits_of(x < 0 ? -x : x, digits, &point);
  if (x < 0 || (x == 0 && 1 / x < 0)) *to++ = '-';
  if (x != 0 && (point > 16 || point < -3)) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    memcpy(to, digits + 1, count - 1);
    to += count - 1;
    return to + snprintf(to, 8, "e%c%02d", point < 1 ? '-' : '+', point < 1 ? 1 - point : point - 1);
  }
  if (point <= 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = point; i < 0; i++) *to++ = '0';
    memcpy(to, digits, count);
    return to + count;
  }
  for (int i = 0; i < point; i++) *to++ = (size_t)i < count ? digits[i] : '0';
  *to++ = '.';
  if ((size_t)point >= count) *to++ = '0';
  for (size_t i = (size_t)point; i < count; i++) *to++ = digits[i];
  return to;
}

char *hc_irm_write(hc_irm_number x, char *buf)
{
  const double size = x.value < 0 ? -x.value : x.value;
  char *to = buf, *end;
  if (!x.is_whole) end = write_real(x.value, to);
  else if (!(size < 1e19)) end = to + snprintf(to, 40, "%.0f", x.value); /* products of sums: rounded */
  else {
    if (x.value < 0) *to++ = '-';
    end = to + whole_digits((uint64_t)size, to);
  }
  *end = '\0';
  return end;
}

bool hc_irm_read(const char *s, size_t n, hc_irm_number *out)
{
  size_t i = n > 0 && (s[0] == '-' || s[0] == '+'), first = i;
  while (i < n && s[i] >= '0' && s[i] <= '9') i++;
  if (n > 40 || hc_parse_real(s, n, &out->value) < 0) return false;
  out->is_whole = i == n && i > first;
  return !out->is_whole || (out->value <= 9007199254740992.0 && out->value >= -9007199254740992.0);
}
