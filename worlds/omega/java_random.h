/* java_random.h -- java.util.Random, bit for bit: a linear congruential generator of 48 bits.
 *
 * A draw advances the state s' = (s * 0x5DEECE66D + 11) mod 2^48 and hands out its high bits. The state is
 * kept in the upper 48 bits of a word, so that "mod 2^48" and cutting out the high bits cost nothing: a draw
 * is a multiplication, an addition and a shift.
 *
 * nextInt(n) takes 31 bits modulo n, and draws again where the last, incomplete round of n values would
 * favour small ones; if n is a power of two it takes the high bits instead. The quotient by a divisor that is
 * known beforehand is the high word of one multiplication (hc_java_magic), which matters: a simulated day
 * draws up to 10^10 of them. Source: the specification of java.util.Random; Granlund, Montgomery, "Division
 * by invariant integers using multiplication", 1994, doi:10.1145/178243.178249. */
#ifndef HC_OMEGA_JAVA_RANDOM_H
#define HC_OMEGA_JAVA_RANDOM_H

#include "base/wide.h"

#define HC_JAVA_FACTOR UINT64_C(0x5DEECE66D)
#define HC_JAVA_TERM UINT64_C(0xB)

static inline uint64_t hc_java_seed(int64_t seed)
{
  return ((uint64_t)seed ^ HC_JAVA_FACTOR) << 16;
}

static inline uint64_t hc_java_next(uint64_t s)
{
  return s * HC_JAVA_FACTOR + (HC_JAVA_TERM << 16);
}

/* The 31 bits from which nextInt(n) is made. */
static inline uint32_t hc_java_bits31(uint64_t s)
{
  return (uint32_t)(s >> 33);
}

/* What a quotient by n needs; 0 for powers of two, which nextInt treats otherwise. */
static inline uint64_t hc_java_magic(uint32_t n)
{
  return (n & (n - 1)) == 0 ? 0 : UINT64_MAX / n + 1;
}

/* x / n, with the magic of n: it is 2^64 / n and less than 1 too large, so x times it is less than 2^32 too
 * large, and the quotient is exact. */
static inline uint32_t hc_java_quotient(uint32_t x, uint64_t magic)
{
  return (uint32_t)(uint64_t)((hc_uint128)magic * x >> 64);
}

/* nextInt(n), n > 0. @param magic of n */
static inline uint32_t hc_java_below(uint64_t *s, uint32_t n, uint64_t magic)
{
  uint32_t bits, round;
  do {
    *s = hc_java_next(*s);
    bits = hc_java_bits31(*s);
    if (!magic) return (uint32_t)((uint64_t)n * bits >> 31);
    round = hc_java_quotient(bits, magic) * n;
  } while (round + (n - 1) > UINT32_C(0x7fffffff));
  return bits - round;
}

/* nextFloat() and nextDouble(), in [0, 1): 24 and 53 bits. */
static inline float hc_java_float(uint64_t *s)
{
  *s = hc_java_next(*s);
  return (float)(*s >> 40) / (float)(1 << 24);
}

static inline double hc_java_double(uint64_t *s)
{
  uint64_t high;
  *s = hc_java_next(*s);
  high = *s >> 38;
  *s = hc_java_next(*s);
  return (double)((high << 27) + (*s >> 37)) * 0x1p-53;
}

#endif
