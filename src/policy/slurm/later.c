/* later.c -- see later.h. */
#include "policy/slurm/later.h"

#include <string.h>

#include "base/util.h"

static hc_rc make(hc_slurm_later *l, const hc_slurm_books *b)
{
  const hc_allocator *a = b->allocator;
  l->amounts = (size_t)b->nodes.count * b->nodes.dims;
  l->free = hc_alloc(a, l->amounts * sizeof *l->free);
  l->on = hc_alloc(a, b->nodes.count * sizeof *l->on);
  l->idle = hc_alloc(a, b->words * sizeof *l->idle);
  l->some = hc_alloc(a, b->words * sizeof *l->some);
  l->other = hc_alloc(a, b->words * sizeof *l->other);
  return l->free && l->on && l->idle && l->some && l->other ? 0 : HC_ENOMEM;
}

hc_rc hc_slurm_later_begin(hc_slurm_later *l, const hc_slurm_books *b)
{
  if (!l->free) TRY(make(l, b));
  memcpy(l->free, b->free, l->amounts * sizeof *l->free);
  memcpy(l->on, b->on, b->nodes.count * sizeof *l->on);
  memcpy(l->idle, b->idle, b->words * sizeof *l->idle);
  memcpy(l->some, b->some, b->words * sizeof *l->some);
  memset(l->other, 0, b->words * sizeof *l->other);
  l->sum = b->sum;
  return 0;
}

void hc_slurm_later_fini(hc_slurm_later *l, const hc_slurm_books *b)
{
  const hc_allocator *a = b->allocator;
  hc_free(a, l->free, l->amounts * sizeof *l->free);
  hc_free(a, l->on, b->nodes.count * sizeof *l->on);
  hc_free(a, l->idle, b->words * sizeof *l->idle);
  hc_free(a, l->some, b->words * sizeof *l->some);
  hc_free(a, l->other, b->words * sizeof *l->other);
  *l = (hc_slurm_later){0};
}

void hc_slurm_later_changed(hc_slurm_later *l, const hc_host_room *nodes, size_t count)
{
  for (size_t i = 0; i < count; i++) l->other[nodes[i].host / 64] |= UINT64_C(1) << nodes[i].host % 64;
}

void hc_slurm_later_reset(hc_slurm_later *l, const hc_slurm_books *b)
{
  const size_t dims = b->nodes.dims;
  l->sum = b->sum;
  for (uint32_t w = 0; w < b->words; w++) {
    if (l->other[w] == 0) continue;
    l->idle[w] = b->idle[w];
    l->some[w] = b->some[w];
    for (uint64_t bits = l->other[w]; bits != 0; bits &= bits - 1) {
      const size_t host = w * 64 + (size_t)__builtin_ctzll(bits);
      memcpy(l->free + host * dims, b->free + host * dims, dims * sizeof *l->free);
      l->on[host] = b->on[host];
    }
    l->other[w] = 0;
  }
}

void hc_slurm_later_take(hc_slurm_later *l, const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i];
    const uint64_t bit = UINT64_C(1) << host % 64;
    int64_t *free = l->free + (size_t)host * dims;
    for (uint32_t d = 0; d < dims; d++) free[d] += x->amounts[(size_t)i * dims + d];
    l->sum += x->amounts[(size_t)i * dims];
    if (free[0] > 0) l->some[host / 64] |= bit;
    if (--l->on[host] == 0) l->idle[host / 64] |= bit;
    l->other[host / 64] |= bit;
  }
}
