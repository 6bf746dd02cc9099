/* random.c -- random streams by Philox4x64-10, and variates from them.
 *
 * Draw k of a stream is a pure function of its name, so a stream is five numbers, needs no warming up, and
 * any draw can be had at once. The block of four words is computed anew for each draw: nothing is kept
 * that a snapshot would have to hold; who draws many at once keeps it for himself (hc_draw_block). Draws
 * used: bits, unit, exponential 1; below 1, more with probability under n / 2^64; normal 2 for each try, of
 * which pi/4 succeed. Not cryptographic. Cost: about 15 ns a draw.
 * Source: Salmon, Moraes, Dror, Shaw, SC'11, doi:10.1145/2063384.2063405. */
#include "base/math.h"
#include "base/wide.h"

/* The full product of two words; the low half is returned. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
  hc_uint128 p = (hc_uint128)a * b;
  *high = (uint64_t)(p >> 64);
  return (uint64_t)p;
}

void hc_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
  uint64_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3], k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t high0, high2;
    uint64_t low0 = multiply(x0, 0xd2e7470ee14c6c93u, &high0),
             low2 = multiply(x2, 0xca5a826395121157u, &high2);
    x0 = high2 ^ x1 ^ k0;
    x1 = low2;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 += 0x9e3779b97f4a7c15u; /* the golden ratio */
    k1 += 0xbb67ae8584caa73bu; /* sqrt(3) - 1 */
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

uint64_t hc_random_bits(hc_draws *s)
{
  const uint64_t counter[4] = {s->draw / 4, s->entity, s->replication, 0}, key[2] = {s->seed, s->purpose};
  uint64_t block[4];
  hc_philox(counter, key, block);
  return block[s->draw++ % 4];
}

double hc_random_unit(hc_draws *s)
{
  return (double)(hc_random_bits(s) >> 11) * 0x1p-53;
}

/* The high half of bits * n is uniform once the low halves that come once too often are refused.
 * Source: Lemire, ACM TOMACS 29(1), 2019, doi:10.1145/3230636. */
uint64_t hc_random_below(hc_draws *s, uint64_t n)
{
  uint64_t high, low = multiply(hc_random_bits(s), n, &high);
  if (low < n) {
    uint64_t surplus = (0 - n) % n; /* 2^64 mod n */
    while (low < surplus) low = multiply(hc_random_bits(s), n, &high);
  }
  return high;
}

static uint64_t block_bits(hc_draw_block *b)
{
  if (!b->has_words || b->s.draw % 4 == 0) {
    const uint64_t counter[4] = {b->s.draw / 4, b->s.entity, b->s.replication, 0};
    const uint64_t key[2] = {b->s.seed, b->s.purpose};
    hc_philox(counter, key, b->words);
    b->has_words = true;
  }
  return b->words[b->s.draw++ % 4];
}

uint64_t hc_random_block_below(hc_draw_block *b, uint64_t n)
{
  uint64_t high, low = multiply(block_bits(b), n, &high);
  if (low < n) {
    const uint64_t surplus = (0 - n) % n;
    while (low < surplus) low = multiply(block_bits(b), n, &high);
  }
  return high;
}

double hc_random_exponential(hc_draws *s, double mean)
{
  return -mean * hc_log(1.0 - hc_random_unit(s)); /* 1 - u is in (0, 1]: never the logarithm of 0 */
}

/* Polar method: a point in the unit disc gives two normal numbers, of which the second is dropped, since
 * keeping it would make the stream's state more than its counter. Source: Marsaglia & Bray, SIAM Rev.
 * 6(3), 1964, doi:10.1137/1006063. */
double hc_random_normal(hc_draws *s, double mean, double deviation)
{
  double x, r;
  do {
    x = 2.0 * hc_random_unit(s) - 1.0;
    double y = 2.0 * hc_random_unit(s) - 1.0;
    r = x * x + y * y;
  } while (r >= 1.0 || r == 0);
  return mean + deviation * x * hc_sqrt(-2.0 * hc_log(r) / r);
}
