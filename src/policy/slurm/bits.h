/* bits.h -- sets of nodes as bits, 64 to a word. */
#ifndef HC_POLICY_SLURM_BITS_H
#define HC_POLICY_SLURM_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* A function that counts bits is compiled twice, and the processor that it runs on takes one of the two:
 * where it has an instruction for that, hc_bits_of becomes it. Which one is chosen while the program is
 * loaded, before the thread sanitizer is there, into which the choice itself would call. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__POPCNT__) && !defined(__SANITIZE_THREAD__)
#define HC_COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define HC_COUNTS_BITS
#endif

/* A function that one of those calls becomes part of it, or would be compiled but once. */
#ifdef __GNUC__
#define HC_PART_OF_IT static inline __attribute__((always_inline))
#else
#define HC_PART_OF_IT static inline
#endif

static inline bool hc_bit_is(const uint64_t *bits, uint32_t i)
{
  return bits[i / 64] >> i % 64 & 1;
}

static inline void hc_bit_put(uint64_t *bits, uint32_t i, bool on)
{
  const uint64_t bit = UINT64_C(1) << i % 64;
  bits[i / 64] = on ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

/** How many are set: sums of neighbours, two bits wide, then four, eight, all. */
static inline uint32_t hc_bits_of(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint32_t hc_bits_in(const uint64_t *bits, uint32_t words)
{
  uint32_t n = 0;
  for (uint32_t w = 0; w < words; w++) n += bits[w] != 0 ? hc_bits_of(bits[w]) : 0;
  return n;
}

#endif
