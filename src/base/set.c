/* set.c -- which item of an array has a key. See set.h. Open addressing with linear probing, at most 70 %
 * full; what is taken out is filled by shifting back, so there are no tombstones. */
#include "base/set.h"

#include <string.h>

#include "base/util.h"

void hc_set_init(hc_set *s, const hc_allocator *a)
{
  *s = (hc_set){.allocator = a};
}

void hc_set_fini(hc_set *s)
{
  if (s->slots) hc_free(s->allocator, s->slots, s->cap * sizeof *s->slots);
  hc_set_init(s, s->allocator);
}

static const void *key_of(hc_keys keys, uint32_t at)
{
  return (const char *)keys.first + (size_t)at * keys.size;
}

/* The slot with these bits, or the first free one on the way to it. There is a free one. */
static size_t slot_with(const hc_set *s, uint64_t bits)
{
  size_t i = (size_t)(bits >> 32) & (s->cap - 1);
  while (s->slots[i] != 0 && s->slots[i] != bits) i = (i + 1) & (s->cap - 1);
  return i;
}

static uint64_t bits_of(hc_keys keys, uint32_t at)
{
  return hc_set_mark(key_of(keys, at), keys.bytes) << 32 | (at + 1);
}

static hc_rc grow(hc_set *s)
{
  const size_t cap = s->cap ? 2 * s->cap : 16;
  uint64_t *slots = hc_alloc(s->allocator, cap * sizeof *slots);
  if (!slots) return HC_ENOMEM;
  for (size_t i = 0; i < s->cap; i++) {
    size_t to = (size_t)(s->slots[i] >> 32) & (cap - 1);
    if (s->slots[i] == 0) continue;
    while (slots[to] != 0) to = (to + 1) & (cap - 1);
    slots[to] = s->slots[i];
  }
  if (s->slots) hc_free(s->allocator, s->slots, s->cap * sizeof *s->slots);
  s->slots = slots;
  s->cap = cap;
  return 0;
}

hc_rc hc_set_put(hc_set *s, hc_keys keys, uint32_t at)
{
  const uint64_t bits = bits_of(keys, at);
  if (10 * (s->count + 1) > 7 * s->cap) TRY(grow(s));
  s->slots[slot_with(s, bits)] = bits;
  s->count++;
  return 0;
}

void hc_set_remove(hc_set *s, hc_keys keys, uint32_t at)
{
  size_t hole, i;
  if (s->count == 0) return;
  hole = slot_with(s, bits_of(keys, at));
  if (s->slots[hole] == 0) return;
  for (i = (hole + 1) & (s->cap - 1); s->slots[i] != 0; i = (i + 1) & (s->cap - 1)) {
    const size_t home = (size_t)(s->slots[i] >> 32) & (s->cap - 1);
    if (((i - home) & (s->cap - 1)) < ((i - hole) & (s->cap - 1))) continue; /* would come before its home */
    s->slots[hole] = s->slots[i];
    hole = i;
  }
  s->slots[hole] = 0;
  s->count--;
}
