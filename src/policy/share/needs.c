/* needs.c -- vectors of needs, each kept once. See needs.h. */
#include "policy/share/needs.h"

#include <string.h>

#include "base/util.h"

void hc_needs_init(hc_needs *n, const hc_allocator *a, uint32_t dims)
{
  *n = (hc_needs){.allocator = a, .dims = dims, .vacant = HC_NO_KIND};
  hc_set_init(&n->known, a);
}

void hc_needs_fini(hc_needs *n)
{
  const hc_allocator *a = n->allocator;
  if (!a) return;
  hc_free(a, n->need, n->need_cap * n->dims * sizeof *n->need);
  hc_free(a, n->held, n->held_cap * sizeof *n->held);
  hc_free(a, n->next, n->next_cap * sizeof *n->next);
  hc_set_fini(&n->known);
  *n = (hc_needs){0};
}

static hc_keys keys_of(const hc_needs *n)
{
  const size_t size = n->dims * sizeof *n->need;
  return (hc_keys){n->need, size, size};
}

static hc_rc widen(hc_needs *n)
{
  const size_t count = n->count + 1;
  TRY(hc_reserve(n->allocator, (void **)&n->need, &n->need_cap, count, n->dims * sizeof *n->need));
  TRY(hc_reserve(n->allocator, (void **)&n->held, &n->held_cap, count, sizeof *n->held));
  return hc_reserve(n->allocator, (void **)&n->next, &n->next_cap, count, sizeof *n->next);
}

hc_rc hc_needs_hold(hc_needs *n, const int64_t *need, uint32_t *kind)
{
  uint32_t i = hc_set_find(&n->known, keys_of(n), need);
  if (i == HC_NO_KIND) {
    if (n->vacant == HC_NO_KIND) TRY(widen(n));
    i = n->vacant == HC_NO_KIND ? (uint32_t)n->count : n->vacant;
    memcpy(n->need + (size_t)i * n->dims, need, n->dims * sizeof *need);
    TRY(hc_set_put(&n->known, keys_of(n), i));
    if (i == n->vacant) n->vacant = n->next[i];
    else n->count++;
    n->held[i] = 0;
  }
  n->held[i]++;
  *kind = i;
  return 0;
}

void hc_needs_drop(hc_needs *n, uint32_t kind)
{
  if (--n->held[kind] > 0) return;
  hc_set_remove(&n->known, keys_of(n), kind);
  n->next[kind] = n->vacant;
  n->vacant = kind;
}
