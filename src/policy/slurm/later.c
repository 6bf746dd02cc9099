/* later.c -- see later.h. */
#include "policy/slurm/later.h"

#include <string.h>

#include "base/util.h"

typedef hc_slurm_later_state state;

static hc_rc make(state *s, const hc_slurm_books *b)
{
  const hc_allocator *a = b->allocator;
  if (s->some) return 0;
  s->free = hc_alloc(a, (size_t)b->nodes.count * b->nodes.dims * sizeof *s->free);
  s->on = hc_alloc(a, b->nodes.count * sizeof *s->on);
  s->idle = hc_alloc(a, b->words * sizeof *s->idle);
  s->others = hc_alloc(a, b->words * sizeof *s->others);
  s->some = hc_alloc(a, b->words * sizeof *s->some);
  return s->others && s->free && s->on && s->idle && s->some ? 0 : HC_ENOMEM;
}

void hc_slurm_later_free(state *s, const hc_slurm_books *b)
{
  const hc_allocator *a = b->allocator;
  hc_free(a, s->free, (size_t)b->nodes.count * b->nodes.dims * sizeof *s->free);
  hc_free(a, s->on, b->nodes.count * sizeof *s->on);
  hc_free(a, s->idle, b->words * sizeof *s->idle);
  hc_free(a, s->some, b->words * sizeof *s->some);
  hc_free(a, s->others, b->words * sizeof *s->others);
}

void hc_slurm_later_fini(hc_slurm_later *l, const hc_slurm_books *b)
{
  for (size_t i = 0; i < HC_SLURM_LATER_STATES; i++) hc_slurm_later_free(&l->states[i], b);
  *l = (hc_slurm_later){0};
}

/* Begin as another state, or with nodes as they are. */
static void copy(state *s, const hc_slurm_books *b, const state *from)
{
  const size_t dims = b->nodes.dims, bytes = b->words * sizeof *s->idle;
  if (from) memcpy(s->others, from->others, bytes);
  else memset(s->others, 0, bytes);
  memcpy(s->idle, from ? from->idle : b->idle, bytes);
  memcpy(s->some, from ? from->some : b->some, bytes);
  s->sum = from ? from->sum : b->sum;
  s->rank = from ? from->rank : 0;
  for (uint32_t w = 0; w < b->words; w++)
    for (uint64_t bits = s->others[w]; bits != 0; bits &= bits - 1) {
      const size_t host = w * 64 + (size_t)__builtin_ctzll(bits);
      for (size_t d = 0; d < dims; d++) s->free[host * dims + d] = from->free[host * dims + d];
      s->on[host] = from->on[host];
    }
}

void hc_slurm_later_take(state *s, const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const size_t dims = b->nodes.dims;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i], w = host / 64;
    const uint64_t bit = UINT64_C(1) << host % 64;
    const bool is_other = s->others[w] & bit;
    int64_t *free = s->free + host * dims;
    const int64_t *before = is_other ? free : b->free + host * dims, *more = x->amounts + i * dims;
    for (size_t d = 0; d < dims; d++) free[d] = before[d] + more[d];
    s->on[host] = (is_other ? s->on[host] : b->on[host]) - 1;
    s->sum += more[0];
    s->others[w] |= bit;
    if (free[0] > 0) s->some[w] |= bit;
    if (s->on[host] == 0) s->idle[w] |= bit;
  }
}

hc_rc hc_slurm_later_begin(state *s, const hc_slurm_books *b)
{
  TRY(make(s, b));
  copy(s, b, NULL);
  return 0;
}

hc_slurm_room hc_slurm_later_room(const state *s, const hc_slurm_books *b)
{
  return (hc_slurm_room){
      .free = b->free, .idle = s->idle, .some = s->some, .sum = s->sum, .others = s->others, .then = s->free};
}

/* The one with the most jobs taken away, of those with at most `rank`; NULL: nodes as they are. */
static state *nearest(hc_slurm_later *l, size_t rank)
{
  state *best = NULL;
  for (size_t i = 0; i < l->count; i++) {
    state *s = &l->states[i];
    if (s->rank <= rank && (!best || s->rank > best->rank)) best = s;
  }
  return best;
}

/* Where the next one goes: where there is room, or in place of the one that was asked for longest ago. */
static state *place(hc_slurm_later *l)
{
  state *oldest = &l->states[0];
  if (l->count < HC_SLURM_LATER_STATES) return &l->states[l->count++];
  for (size_t i = 1; i < l->count; i++)
    if (l->states[i].used < oldest->used) oldest = &l->states[i];
  return oldest;
}

hc_rc hc_slurm_later_at(hc_slurm_later *l, const hc_slurm_books *b, size_t rank, hc_slurm_room *out)
{
  if (rank == 0) {
    *out = hc_slurm_now(b);
    return 0;
  }
  if (l->version != b->version) l->count = 0;
  l->version = b->version;
  state *s = nearest(l, rank);
  if (!s || s->rank != rank) {
    const state *from = s;
    s = place(l);
    TRY(make(s, b));
    if (s != from) copy(s, b, from);
    while (s->rank < rank) hc_slurm_later_take(s, b, &b->jobs[b->by_end[s->rank++]]);
  }
  s->used = ++l->asked;
  *out = hc_slurm_later_room(s, b);
  return 0;
}
