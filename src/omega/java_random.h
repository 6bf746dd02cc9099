/* java_random.h -- java.util.Random, bit for bit: a linear congruential generator of 48 bits.
 *
 * A draw advances the state s' = (s * 0x5DEECE66D + 11) mod 2^48 and hands out its high bits. The state is kept without
 * the final "mod 2^48": what overflows into the upper 16 bits never comes down again, so that a draw costs a
 * multiplication and an addition, and the bits are cut out where they are used.
 *
 * nextInt(n) takes 31 bits modulo n, and draws again where the last, incomplete round of n values would favour small
 * ones; if n is a power of two it takes the high bits instead. The remainder by a divisor that is known beforehand is two
 * multiplications (hc_java_magic), which matters: a simulated day draws up to 10^10 of them.
 * Source: the specification of java.util.Random; Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019,
 * doi:10.1002/spe.2689. */
#ifndef HC_OMEGA_JAVA_RANDOM_H
#define HC_OMEGA_JAVA_RANDOM_H

#include "base/wide.h"

#define HC_JAVA_FACTOR UINT64_C(0x5DEECE66D)
#define HC_JAVA_TERM UINT64_C(0xB)

static inline uint64_t hc_java_seed(int64_t seed)
{
  return ((uint64_t)seed ^ HC_JAVA_FACTOR) & ((UINT64_C(1) << 48) - 1);
}

static inline uint64_t hc_java_next(uint64_t s)
{
  return s * HC_JAVA_FACTOR + HC_JAVA_TERM;
}

/* The 31 bits from which nextInt(n) is made. */
static inline uint32_t hc_java_bits31(uint64_t s)
{
  return (uint32_t)(s >> 17) & UINT32_C(0x7fffffff);
}

/* What a remainder by n needs; 0 for powers of two, which nextInt treats otherwise. */
static inline uint64_t hc_java_magic(uint32_t n)
{
  return (n & (n - 1)) == 0 ? 0 : UINT64_MAX / n + 1;
}

/* x mod n for x < 2^32, with the magic of n. */
static inline uint32_t hc_java_remainder(uint32_t x, uint32_t n, uint64_t magic)
{
  const uint64_t low = magic * x;
  return (uint32_t)(uint64_t)((hc_uint128)low * n >> 64);
}

/* nextInt(n), n > 0. @param magic of n */
static inline uint32_t hc_java_below(uint64_t *s, uint32_t n, uint64_t magic)
{
  uint32_t bits, i;
  *s = hc_java_next(*s);
  bits = hc_java_bits31(*s);
  if (!magic) return (uint32_t)((uint64_t)n * bits >> 31);
  i = hc_java_remainder(bits, n, magic);
  while (bits - i + (n - 1) > UINT32_C(0x7fffffff)) {
    *s = hc_java_next(*s);
    bits = hc_java_bits31(*s);
    i = hc_java_remainder(bits, n, magic);
  }
  return i;
}

/* nextFloat() and nextDouble(), in [0, 1): 24 and 53 bits. */
static inline float hc_java_float(uint64_t *s)
{
  *s = hc_java_next(*s);
  return (float)((*s >> 24) & 0xffffff) / (float)(1 << 24);
}

static inline double hc_java_double(uint64_t *s)
{
  uint64_t high;
  *s = hc_java_next(*s);
  high = (*s >> 22) & 0x3ffffff;
  *s = hc_java_next(*s);
  return (double)((high << 27) + ((*s >> 21) & 0x7ffffff)) * 0x1p-53;
}

#endif
