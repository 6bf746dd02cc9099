/* number.c -- numbers as Python rounds and writes them. */
#include "irmasim/number.h"

#include <stdio.h>
#include <string.h>

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

/* What hc_format_real writes, taken apart: its digits, and where the point stands among them. */
static size_t digits_of(double x, char *digits, int *point)
{
  char text[32];
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
  if (x != x) return to + sprintf(to, "nan");
  if (x - x != 0) return to + sprintf(to, x < 0 ? "-inf" : "inf");
  const size_t count = digits_of(x, digits, &point);
  if (x < 0 || (x == 0 && 1 / x < 0)) *to++ = '-';
  if (x != 0 && (point > 16 || point < -3)) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    memcpy(to, digits + 1, count - 1);
    to += count - 1;
    return to + sprintf(to, "e%c%02d", point < 1 ? '-' : '+', point < 1 ? 1 - point : point - 1);
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
  char *end = x.is_whole ? buf + sprintf(buf, "%.0f", x.value) : write_real(x.value, buf);
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
