/* set.h -- which item of an array has a key, where keys are bytes that each item holds at the same place.
 *
 * Items are the caller's, and known by their numbers; no two in the set have the same key. Beside a number
 * the table keeps 32 bits of the key's hash, so that items are hardly ever looked at in vain, and two keys of
 * one hash are two. A key that is one number of 64 bits has hc_map (mem.h), a text hc_names. Not for keys
 * with padding in them: it is compared too. Nothing here is saved: a set is made again from the items that it
 * held.
 *
 * Cost: a hash of the key and about one look at an item, per call; 12 to 24 bytes an item. */
#ifndef HC_BASE_SET_H
#define HC_BASE_SET_H

#include <string.h>

#include "base/mem.h"

typedef struct hc_set {
  const hc_allocator *allocator;
  uint64_t *slots; /* [cap] an item's number + 1, above it the hash; 0: free */
  size_t cap, count;
} hc_set;

/* Where the keys are: `bytes` of each item of `size` bytes, from `first` on in the first item. */
typedef struct hc_keys {
  const void *first;
  size_t size, bytes;
} hc_keys;

void hc_set_init(hc_set *s, const hc_allocator *a);
void hc_set_fini(hc_set *s); /* gives all memory back; the set is empty, and may be used again */
/* 32 bits of the hash of a key. Here, as the search is, so that the size of keys is known where it is
 * called. */
static inline uint64_t hc_set_mixed(uint64_t h, uint64_t word)
{
  h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

static inline uint64_t hc_set_mark(const void *key, size_t bytes)
{
  const char *p = key;
  uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ bytes, word;
  uint32_t half;
  for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word) {
    memcpy(&word, p, sizeof word);
    h = hc_set_mixed(h, word);
  }
  if (bytes >= sizeof half) {
    memcpy(&half, p, sizeof half);
    h = hc_set_mixed(h, half);
    bytes -= sizeof half;
    p += sizeof half;
  }
  for (; bytes > 0; bytes--) h = hc_set_mixed(h, (unsigned char)*p++);
  return h * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/** The item with a key. @return HC_MAP_NONE if there is none in the set. */
static inline uint32_t hc_set_find(const hc_set *s, hc_keys keys, const void *key)
{
  if (s->count == 0) return HC_MAP_NONE;
  const uint64_t mark = hc_set_mark(key, keys.bytes);
  for (size_t i = (size_t)mark & (s->cap - 1); s->slots[i] != 0; i = (i + 1) & (s->cap - 1)) {
    const uint32_t at = (uint32_t)s->slots[i] - 1;
    if (s->slots[i] >> 32 == mark &&
        memcmp((const char *)keys.first + (size_t)at * keys.size, key, keys.bytes) == 0)
      return at;
  }
  return HC_MAP_NONE;
}

/** Take in item `at`, whose key no item in the set has. @return 0 or HC_ENOMEM (nothing changed). */
hc_rc hc_set_put(hc_set *s, hc_keys keys, uint32_t at);
/** Leave out item `at`, whose key is still what it was; nothing happens if it is not in the set. */
void hc_set_remove(hc_set *s, hc_keys keys, uint32_t at);

#endif
