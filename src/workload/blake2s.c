/* blake2s.c -- BLAKE2s-256 with or without a key, as RFC 7693 defines it.
 *
 * Written from the specification; the test has its vectors. Words are read little-endian byte by byte, so
 * that every machine gives the same hash. It hashes whole messages only, and is no faster than it needs to
 * be. Source: RFC 7693, Saarinen and Aumasson, 2015. */
#include "workload/blake2s.h"

#include <string.h>

#include "base/util.h"

#define BLOCK ((size_t)64)

static const uint32_t initial[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                    0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};

/* Which word of the message each round takes when. */
static const uint8_t schedule[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint32_t turn(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

static void mix(uint32_t *v, unsigned a, unsigned b, unsigned c, unsigned d, uint32_t x, uint32_t y)
{
  v[a] += v[b] + x;
  v[d] = turn(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 12);
  v[a] += v[b] + y;
  v[d] = turn(v[d] ^ v[a], 8);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 7);
}

/* Take in one block. @param length bytes hashed with it. */
static void compress(uint32_t state[8], const uint8_t *block, uint64_t length, bool is_last)
{
  uint32_t v[16], m[16];
  for (unsigned i = 0; i < 16; i++, block += 4)
    m[i] = (uint32_t)block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16 | (uint32_t)block[3] << 24;
  for (unsigned i = 0; i < 8; i++) {
    v[i] = state[i];
    v[i + 8] = initial[i];
  }
  v[12] ^= (uint32_t)length;
  v[13] ^= (uint32_t)(length >> 32);
  if (is_last) v[14] = ~v[14];
  for (unsigned r = 0; r < 10; r++) {
    const uint8_t *s = schedule[r];
    for (unsigned i = 0; i < 4; i++) mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
    for (unsigned i = 0; i < 4; i++)
      mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[2 * i + 8]], m[s[2 * i + 9]]);
  }
  for (unsigned i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
}

void hc_blake2s(const void *key, size_t key_size, const void *data, size_t n, uint8_t out[HC_BLAKE2S_SIZE])
{
  const uint8_t *p = data;
  uint8_t block[BLOCK] = {0};
  uint64_t length = 0;
  uint32_t state[8];
  memcpy(state, initial, sizeof state);
  state[0] ^= 0x01010000u ^ (uint32_t)key_size << 8 ^ HC_BLAKE2S_SIZE;
  if (key_size > 0) {
    memcpy(block, key, key_size);
    length = BLOCK;
    compress(state, block, length, n == 0);
  }
  for (; n > BLOCK; n -= BLOCK, p += BLOCK) {
    length += BLOCK;
    compress(state, p, length, false);
  }
  if (n > 0 || key_size == 0) { /* the last block, filled up with zeros */
    memset(block, 0, sizeof block);
    if (n > 0) memcpy(block, p, n);
    compress(state, block, length + n, true);
  }
  for (unsigned i = 0; i < HC_BLAKE2S_SIZE; i++) out[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}
