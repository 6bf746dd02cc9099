/* needs.c -- vectors of needs, each kept once. See needs.h. */
#include "policy/share/needs.h"

#include <string.h>

#include "base/util.h"

void hc_needs_init(hc_needs *n, const hc_allocator *a, uint32_t dims)
{
  *n = (hc_needs){.allocator = a, .dims = dims, .vacant = HC_NO_KIND};
  hc_map_init(&n->by_hash, a);
}

void hc_needs_fini(hc_needs *n)
{
  const hc_allocator *a = n->allocator;
  if (!a) return;
  hc_free(a, n->need, n->need_cap * n->dims * sizeof *n->need);
  hc_free(a, n->hash, n->hash_cap * sizeof *n->hash);
  hc_free(a, n->held, n->held_cap * sizeof *n->held);
  hc_free(a, n->next, n->next_cap * sizeof *n->next);
  hc_map_fini(&n->by_hash);
  *n = (hc_needs){0};
}

static uint64_t hash_of(const hc_needs *n, const int64_t *need)
{
  uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t d = 0; d < n->dims; d++) {
    h = (h ^ (uint64_t)need[d]) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  return h;
}

static hc_rc widen(hc_needs *n)
{
  const size_t count = n->count + 1;
  TRY(hc_reserve(n->allocator, (void **)&n->need, &n->need_cap, count, n->dims * sizeof *n->need));
  TRY(hc_reserve(n->allocator, (void **)&n->hash, &n->hash_cap, count, sizeof *n->hash));
  TRY(hc_reserve(n->allocator, (void **)&n->held, &n->held_cap, count, sizeof *n->held));
  return hc_reserve(n->allocator, (void **)&n->next, &n->next_cap, count, sizeof *n->next);
}

hc_rc hc_needs_hold(hc_needs *n, const int64_t *need, uint32_t *kind)
{
  const uint64_t hash = hash_of(n, need);
  const uint32_t first = hc_map_get(&n->by_hash, hash);
  uint32_t i = first;
  while (i != HC_NO_KIND && memcmp(hc_needs_of(n, i), need, n->dims * sizeof *need) != 0) i = n->next[i];
  if (i == HC_NO_KIND) {
    if (n->vacant == HC_NO_KIND) TRY(widen(n));
    i = n->vacant == HC_NO_KIND ? (uint32_t)n->count : n->vacant;
    TRY(hc_map_set(&n->by_hash, hash, i));
    if (i == n->vacant) n->vacant = n->next[i];
    else n->count++;
    memcpy(n->need + (size_t)i * n->dims, need, n->dims * sizeof *need);
    n->hash[i] = hash;
    n->next[i] = first;
    n->held[i] = 0;
  }
  n->held[i]++;
  *kind = i;
  return 0;
}

void hc_needs_drop(hc_needs *n, uint32_t kind)
{
  uint32_t at;
  if (--n->held[kind] > 0) return;
  at = hc_map_get(&n->by_hash, n->hash[kind]);
  if (at != kind) {
    while (n->next[at] != kind) at = n->next[at];
    n->next[at] = n->next[kind];
  } else if (n->next[kind] == HC_NO_KIND) {
    hc_map_remove(&n->by_hash, n->hash[kind]);
  } else {
    (void)hc_map_set(&n->by_hash, n->hash[kind], n->next[kind]); /* the key is there: it needs no room */
  }
  n->next[kind] = n->vacant;
  n->vacant = kind;
}
