/* decimal.c -- decimals as they were published, exactly.
 *
 * Digits and places, then a product in whole numbers of 128 bits, rounded up: what is held in part is held,
 * and nothing becomes zero. Digits past the eighteenth behind the point are dropped, upwards. Cost: about 20
 * ns. */
#include "base/wide.h"
#include "table/sheet.h"

#define LARGEST_AMOUNT ((int64_t)1 << 52) /* fits a double */
#define MOST_DIGITS 18

typedef struct decimal {
  uint64_t digits; /* below 10^18 */
  uint32_t places;
  bool dropped;
} decimal;

/* Add a digit. False: there are too many. */
static bool add_digit(decimal *d, unsigned digit, bool fraction)
{
  if (d->digits >= UINT64_C(100000000000000000)) {
    if (!fraction) return false;
    d->dropped |= digit != 0;
    return true;
  }
  d->digits = d->digits * 10 + digit;
  d->places += fraction;
  return true;
}

/* Move the point by an exponent. */
static bool shift(decimal *d, int64_t by)
{
  for (; by > 0 && d->places > 0; by--) d->places--;
  for (; by > 0; by--)
    if (d->digits > UINT64_C(10000000000000000)) return d->digits == 0;
    else d->digits *= 10;
  for (; by < 0 && d->digits > 0; by++) {
    if (d->places < MOST_DIGITS) {
      d->places++;
    } else {
      d->dropped |= d->digits % 10 != 0;
      d->digits /= 10;
    }
  }
  return true;
}

/* What stands behind the e of "1e-05". */
static bool read_exponent(const char *p, const char *end, int64_t *by)
{
  const bool is_signed = p < end && (*p == '-' || *p == '+');
  const hc_field rest = {.text = p + is_signed, .length = (size_t)(end - p) - is_signed};
  if (rest.length == 0 || rest.length > 6 || (is_signed && !hc_is_digit(rest.text[0]))) return false;
  if (!hc_field_whole(&rest, by)) return false;
  if (is_signed && *p == '-') *by = -*by;
  return true;
}

bool hc_field_decimal(const hc_field *f, uint64_t *digits, uint32_t *places, bool *negative)
{
  const char *p = f->text, *end = p + f->length;
  decimal d = {0};
  bool fraction = false, any = false;
  int64_t by = 0;
  *negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  for (; p < end && (hc_is_digit(*p) || (*p == '.' && !fraction)); p++) {
    if (*p == '.') fraction = true;
    else if (!add_digit(&d, (unsigned)(*p - '0'), fraction)) return false;
    any |= *p != '.';
  }
  if (!any) return false;
  if (p < end && ((*p != 'e' && *p != 'E') || !read_exponent(p + 1, end, &by) || !shift(&d, by)))
    return false;
  *digits = d.digits + d.dropped; /* upwards */
  *places = d.places;
  return true;
}

bool hc_scale_up(uint64_t digits, uint32_t places, hc_unit u, int64_t *out, double *error)
{
  hc_uint128 den = u.den;
  for (uint32_t i = 0; i < places; i++) den *= 10;
  const hc_uint128 n = (hc_uint128)digits * u.num;
  hc_uint128 q = n / den;
  const hc_uint128 rest = n - q * den;
  q += rest > 0;
  if (q > (hc_uint128)LARGEST_AMOUNT) return false;
  *out = (int64_t)q;
  *error = rest > 0 ? (double)(den - rest) / (double)n : 0;
  return true;
}
