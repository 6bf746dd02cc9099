/* wide.h -- sums of time and of time x amount that cannot overflow: 128 bits, and 192 for time x time x
 * amount.
 *
 * 93,312 processors overflow 64-bit nanoseconds in 28 hours. The two-word struct keeps 8-byte alignment and
 * no padding, so it may be visited as state; the compiler's 128-bit type appears in this file only. All of it
 * is inline: one addition is two instructions, one product three. No division but one: results leave as the
 * nearest double. */
#ifndef HC_BASE_WIDE_H
#define HC_BASE_WIDE_H

#include "hindcast/base.h"

__extension__ typedef __int128 hc_int128;
__extension__ typedef unsigned __int128 hc_uint128;

/* A signed 128-bit number: hi * 2^64 + lo. Zero-initialised it is 0. */
typedef struct hc_wide {
  uint64_t lo;
  int64_t hi;
} hc_wide;

/* A non-negative 192-bit number, least word first. */
typedef struct hc_wider {
  uint64_t word[3];
} hc_wider;

static inline hc_int128 hc_wide_load(hc_wide w)
{
  return (hc_int128)((hc_uint128)(uint64_t)w.hi << 64 | w.lo);
}

static inline hc_wide hc_wide_store(hc_int128 x)
{
  return (hc_wide){.lo = (uint64_t)x, .hi = (int64_t)(x >> 64)};
}

/* The next three carry by hand: compilers join the halves of a sum in memory through the stack, at twice the
 * cost. */
static inline void hc_wide_add(hc_wide *sum, int64_t x)
{
  uint64_t lo = sum->lo + (uint64_t)x;
  sum->hi = (int64_t)((uint64_t)sum->hi + (uint64_t)(x >> 63) + (lo < (uint64_t)x));
  sum->lo = lo;
}

/* sum += a * b */
static inline void hc_wide_add_product(hc_wide *sum, int64_t a, int64_t b)
{
  hc_int128 p = (hc_int128)a * b;
  uint64_t low = (uint64_t)p, lo = sum->lo + low;
  sum->hi = (int64_t)((uint64_t)sum->hi + (uint64_t)(p >> 64) + (lo < low));
  sum->lo = lo;
}

/* sum += x */
static inline void hc_wide_add_wide(hc_wide *sum, hc_wide x)
{
  uint64_t lo = sum->lo + x.lo;
  sum->hi = (int64_t)((uint64_t)sum->hi + (uint64_t)x.hi + (lo < x.lo));
  sum->lo = lo;
}

static inline hc_wide hc_wide_product(int64_t a, int64_t b)
{
  return hc_wide_store((hc_int128)a * b);
}

static inline hc_wide hc_wide_plus(hc_wide a, hc_wide b)
{
  return hc_wide_store((hc_int128)((hc_uint128)hc_wide_load(a) + (hc_uint128)hc_wide_load(b)));
}

static inline hc_wide hc_wide_minus(hc_wide a, hc_wide b)
{
  return hc_wide_store((hc_int128)((hc_uint128)hc_wide_load(a) - (hc_uint128)hc_wide_load(b)));
}

/* Times a 64-bit factor, modulo 2^128. */
static inline hc_wide hc_wide_times(hc_wide a, int64_t b)
{
  return hc_wide_store((hc_int128)((hc_uint128)hc_wide_load(a) * (hc_uint128)(hc_int128)b));
}

/* The nearest 64-bit number: saturates at both ends. */
static inline int64_t hc_wide_clamp(hc_wide w)
{
  hc_int128 x = hc_wide_load(w);
  return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/* a / b of numbers that are not negative, b > 0, rounded up or down; saturates. */
static inline int64_t hc_wide_divide(hc_wide a, int64_t b, bool up)
{
  const hc_int128 x = hc_wide_load(a), whole = x / b;
  return hc_wide_clamp(hc_wide_store(whole + (up && whole * b != x)));
}

/* The nearest double. */
static inline double hc_wide_real(hc_wide w)
{
  return (double)hc_wide_load(w);
}

/* a / b; NaN if b is 0, as a mean over nothing is. */
static inline double hc_wide_ratio(hc_wide a, hc_wide b)
{
  return b.lo == 0 && b.hi == 0 ? __builtin_nan("") : hc_wide_real(a) / hc_wide_real(b);
}

/* sum += w * b; neither may be negative. */
static inline void hc_wider_add_product(hc_wider *sum, hc_wide w, uint64_t b)
{
  hc_uint128 low = (hc_uint128)w.lo * b;
  hc_uint128 high = (hc_uint128)(uint64_t)w.hi * b + (uint64_t)(low >> 64);
  hc_uint128 t = (hc_uint128)sum->word[0] + (uint64_t)low;
  sum->word[0] = (uint64_t)t;
  t = (hc_uint128)sum->word[1] + (uint64_t)high + (uint64_t)(t >> 64);
  sum->word[1] = (uint64_t)t;
  sum->word[2] += (uint64_t)(high >> 64) + (uint64_t)(t >> 64);
}

/* Within three roundings of the true value. */
static inline double hc_wider_real(hc_wider w)
{
  double high = (double)w.word[2] * 0x1p64 + (double)w.word[1];
  return high * 0x1p64 + (double)w.word[0];
}

#endif
