/* random.c -- MT19937 as Python's module random seeds and uses it. */
#include "irmasim/random.h"

#define WORDS 624
#define MIDDLE 397

static void start(hc_irm_random *r, uint32_t seed)
{
  r->state[0] = seed;
  for (uint32_t i = 1; i < WORDS; i++)
    r->state[i] = 1812433253u * (r->state[i - 1] ^ (r->state[i - 1] >> 30)) + i;
  r->next = WORDS;
}

/* By an array of one word. */
void hc_irm_seed(hc_irm_random *r, uint32_t seed)
{
  uint32_t i = 1, *s = r->state;
  start(r, 19650218u);
  for (uint32_t k = 0; k < WORDS; k++) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1664525u)) + seed;
    if (++i == WORDS) {
      s[0] = s[WORDS - 1];
      i = 1;
    }
  }
  for (uint32_t k = 1; k < WORDS; k++) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1566083941u)) - i;
    if (++i == WORDS) {
      s[0] = s[WORDS - 1];
      i = 1;
    }
  }
  s[0] = 0x80000000u;
  r->next = WORDS;
}

static void refill(hc_irm_random *r)
{
  uint32_t *s = r->state;
  for (uint32_t i = 0; i < WORDS; i++) {
    const uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % WORDS] & 0x7fffffffu);
    s[i] = s[(i + MIDDLE) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  r->next = 0;
}

static uint32_t word(hc_irm_random *r)
{
  if (r->next == WORDS) refill(r);
  uint32_t y = r->state[r->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double hc_irm_unit(hc_irm_random *r)
{
  const uint32_t high = word(r) >> 5, low = word(r) >> 6;
  return ((double)high * 67108864.0 + (double)low) / 9007199254740992.0;
}

/* As many bits as n has, until they are below it. */
uint32_t hc_irm_below(hc_irm_random *r, uint32_t n)
{
  int bits = 0;
  uint32_t x;
  while (bits < 32 && n >> bits) bits++;
  do x = word(r) >> (32 - bits);
  while (x >= n);
  return x;
}

void hc_irm_shuffle(hc_irm_random *r, uint32_t *items, size_t n)
{
  for (size_t i = n; i-- > 1;) {
    const uint32_t j = hc_irm_below(r, (uint32_t)i + 1), x = items[i];
    items[i] = items[j];
    items[j] = x;
  }
}
