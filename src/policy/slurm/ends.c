/* ends.c -- see ends.h. */
#include "policy/slurm/ends.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"

void hc_slurm_ends_init(hc_slurm_ends *e, const hc_slurm_books *b)
{
  *e = (hc_slurm_ends){.books = b};
}

static void gains_fini(hc_slurm_gains *g, const hc_allocator *a)
{
  hc_free(a, g->items, g->cap * sizeof *g->items);
  hc_free(a, g->ends, g->end_cap * sizeof *g->ends);
}

void hc_slurm_ends_fini(hc_slurm_ends *e)
{
  if (!e->books) return;
  const hc_allocator *a = e->books->allocator;
  for (size_t i = 0; i < e->shape_count; i++) {
    gains_fini(&e->shapes[i].gains, a);
    hc_free(a, e->shapes[i].free, e->books->nodes.count * sizeof *e->shapes[i].free);
  }
}

/* ---- lists ---- */

/* One more node with so many slots: in one of the list's last gains, if that is of the same word and slots.
 * The list begins at `first`. */
static hc_rc add(hc_slurm_gains *g, const hc_allocator *a, size_t first, uint32_t word, uint64_t nodes,
                 uint32_t slots)
{
  for (size_t i = g->count; i-- > first && g->items[i].word == word;)
    if (g->items[i].slots == slots) {
      g->items[i].nodes |= nodes;
      return 0;
    }
  TRY(hc_reserve(a, (void **)&g->items, &g->cap, g->count + 1, sizeof *g->items));
  g->items[g->count++] = (hc_slurm_gain){word, slots, nodes};
  return 0;
}

/* The list that is made is complete. */
static hc_rc close_list(hc_slurm_gains *g, const hc_allocator *a)
{
  TRY(hc_reserve(a, (void **)&g->ends, &g->end_cap, g->known + 1, sizeof *g->ends));
  g->ends[g->known++] = (uint32_t)g->count;
  return 0;
}

/* ---- shapes ---- */

/* How many slots go on a node, of which so much is free. */
static uint32_t room_of(const hc_slurm_shape *s, int64_t free)
{
  if (s->kind == HC_SLURM_NOTHING) return 0;
  if (s->kind == HC_SLURM_WHOLE) return free == 0;
  if (free < s->need) return 0;
  if (s->kind == HC_SLURM_SPREAD || free - s->need < s->need) return 1;
  return (uint32_t)HC_MIN(free / s->need, (int64_t)UINT32_MAX);
}

/* What there is now. Of a word whose idle nodes are alike one of them speaks for all. */
static hc_rc list_now(hc_slurm_ends *e, hc_slurm_shape *s)
{
  const hc_slurm_books *b = e->books;
  const bool whole = s->kind == HC_SLURM_WHOLE;
  for (uint32_t h = 0; h < b->nodes.count; h++)
    s->free[h] = whole ? (int64_t)b->on[h] : b->free[(size_t)h * b->nodes.dims];
  for (uint32_t w = 0; w < b->words; w++) {
    const size_t first = s->gains.count;
    uint64_t bits = whole ? b->idle[w] : b->some[w];
    const uint64_t alike = b->uniform[w] || whole ? bits & b->idle[w] : 0;
    while (bits != 0) {
      const uint32_t i = (uint32_t)__builtin_ctzll(bits), room = room_of(s, s->free[w * 64 + i]);
      const uint64_t nodes = alike >> i & 1 ? alike : UINT64_C(1) << i;
      if (room > 0) TRY(add(&s->gains, b->allocator, first, w, nodes, room));
      bits &= ~nodes;
    }
  }
  return close_list(&s->gains, b->allocator);
}

/* What comes with the end of a job. */
static hc_rc list_end(hc_slurm_ends *e, hc_slurm_shape *s, const hc_slurm_busy *x)
{
  const hc_slurm_books *b = e->books;
  const size_t first = s->gains.count;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i], before = room_of(s, s->free[host]);
    s->free[host] += s->kind == HC_SLURM_WHOLE ? -1 : x->amounts[(size_t)i * b->nodes.dims];
    const uint32_t more = room_of(s, s->free[host]) - before;
    TRY(add(&s->gains, b->allocator, first, host / 64, UINT64_C(1) << host % 64, more));
  }
  return close_list(&s->gains, b->allocator);
}

static void forget(hc_slurm_gains *g)
{
  g->count = g->known = 0;
}

hc_rc hc_slurm_ends_reach(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank)
{
  const hc_slurm_books *b = e->books;
  while (s->gains.known <= rank) TRY(list_end(e, s, &b->jobs[b->by_end[s->gains.known - 1]]));
  return 0;
}

static hc_rc find(hc_slurm_ends *e, hc_slurm_shape_kind kind, int64_t need, hc_slurm_shape **out)
{
  for (size_t i = 0; i < e->shape_count; i++) {
    hc_slurm_shape *s = *out = &e->shapes[i];
    if (s->kind == kind && s->need == need) return 0;
  }
  if (e->shape_count < HC_SLURM_SHAPES) {
    hc_slurm_shape *s = &e->shapes[e->shape_count];
    *s = (hc_slurm_shape){.free = hc_alloc(e->books->allocator, e->books->nodes.count * sizeof *s->free)};
    if (!s->free) return HC_ENOMEM;
    *out = &e->shapes[e->shape_count++];
  } else *out = &e->shapes[e->next++ % HC_SLURM_SHAPES];
  (*out)->kind = kind;
  (*out)->need = need;
  forget(&(*out)->gains);
  return 0;
}

hc_rc hc_slurm_ends_shape(hc_slurm_ends *e, const hc_slurm_ask *ask, hc_slurm_shape **out, bool *is_exact)
{
  const hc_slurm_books *b = e->books;
  const hc_slurm_shape_kind kind = ask->is_whole                       ? HC_SLURM_WHOLE
                                   : b->shared[0] || ask->need[0] <= 0 ? HC_SLURM_NOTHING
                                   : ask->is_spread                    ? HC_SLURM_SPREAD
                                                                       : HC_SLURM_SLOTS;
  const int64_t need = kind == HC_SLURM_SLOTS || kind == HC_SLURM_SPREAD ? ask->need[0] : 0;
  hc_slurm_shape *s;
  TRY(find(e, kind, need, out));
  s = *out;
  /* Switches may be in the way of a job for which there is room. */
  *is_exact = !b->nodes.tree && kind != HC_SLURM_NOTHING && ask->most == 0 &&
              (kind != HC_SLURM_SLOTS || ask->least <= 1);
  for (uint32_t d = 1; d < b->nodes.dims && !ask->is_whole; d++)
    *is_exact = *is_exact && (b->shared[d] || ask->need[d] <= 0);
  if (s->version == b->version && s->gains.known > 0) return 0;
  forget(&s->gains);
  s->version = b->version;
  s->most = kind == HC_SLURM_NOTHING ? UINT32_MAX
            : kind == HC_SLURM_SLOTS ? (uint32_t)HC_MIN(b->largest / need, (int64_t)UINT32_MAX)
                                     : 1;
  return list_now(e, s);
}
