/* kinds.c -- see kinds.h. */
#include "policy/slurm/kinds.h"

#include <string.h>

#include "base/util.h"

hc_rc hc_slurm_kinds_init(hc_slurm_kinds *k, const hc_allocator *a)
{
  *k = (hc_slurm_kinds){.kinds = hc_alloc(a, HC_SLURM_KINDS * sizeof *k->kinds), .cycle = 1};
  return k->kinds ? 0 : HC_ENOMEM;
}

static void notes_fini(hc_slurm_notes *n, const hc_allocator *a)
{
  hc_free(a, n->items, n->cap * sizeof *n->items);
}

void hc_slurm_kinds_fini(hc_slurm_kinds *k, const hc_allocator *a)
{
  for (size_t i = 0; k->kinds && i < HC_SLURM_KINDS; i++) {
    notes_fini(&k->kinds[i].read, a);
    notes_fini(&k->kinds[i].written, a);
  }
  hc_free(a, k->kinds, HC_SLURM_KINDS * sizeof *k->kinds);
}

void hc_slurm_kinds_clear(hc_slurm_kinds *k)
{
  k->cycle++;
  k->count = 0;
}

static size_t place_of(const hc_slurm_kind *x)
{
  uint64_t h = x->slots;
  h = h * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)x->limit;
  h = h * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)x->need;
  h = h * UINT64_C(0x9e3779b97f4a7c15) + (x->partition ^ x->shape << 32);
  return (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 56) % HC_SLURM_KINDS;
}

static bool is_same(const hc_slurm_kind *a, const hc_slurm_kind *b)
{
  return a->partition == b->partition && a->slots == b->slots && a->limit == b->limit && a->need == b->need &&
         a->shape == b->shape;
}

/* Until when its notes go. */
static int64_t last_of(const hc_slurm_kind *x)
{
  return x->written.items[x->written.count - 1].until;
}

/* Of the kinds that ask for no more the one whose notes go furthest, so that least is left to be found out.
 * NULL: none has any. */
static const hc_slurm_kind *next_to(const hc_slurm_kinds *k, const hc_slurm_kind *key)
{
  const hc_slurm_kind *best = NULL;
  for (size_t i = 0; i < k->count; i++) {
    const hc_slurm_kind *x = &k->kinds[k->of_cycle[i]];
    if (x->slots > key->slots || x->limit > key->limit || x->partition != key->partition ||
        x->need != key->need || x->shape != key->shape)
      continue;
    if (x->written.count > 0 && (!best || last_of(x) > last_of(best))) best = x;
  }
  return best;
}

/* The first of its kind, in place of what was there. */
static hc_rc open_kind(hc_slurm_kinds *k, const hc_allocator *a, size_t at, const hc_slurm_kind *key)
{
  hc_slurm_kind *x = &k->kinds[at];
  const hc_slurm_kind *other = next_to(k, key);
  const size_t count = other ? other->written.count : 0;
  TRY(hc_reserve(a, (void **)&x->read.items, &x->read.cap, count, sizeof *x->read.items));
  if (count > 0) memmove(x->read.items, other->written.items, count * sizeof *x->read.items);
  x->read.count = count;
  if (x->cycle != k->cycle) k->of_cycle[k->count++] = (uint32_t)at;
  x->partition = key->partition;
  x->slots = key->slots;
  x->limit = key->limit;
  x->need = key->need;
  x->shape = key->shape;
  x->cycle = k->cycle;
  return 0;
}

hc_rc hc_slurm_kinds_begin(hc_slurm_kinds *k, const hc_allocator *a, const hc_slurm_kind *key,
                           hc_slurm_kind **out)
{
  const size_t at = place_of(key);
  hc_slurm_kind *x = *out = &k->kinds[at];
  if (x->cycle == k->cycle && is_same(x, key)) {
    const hc_slurm_notes read = x->read;
    x->read = x->written;
    x->written = read;
  } else TRY(open_kind(k, a, at, key));
  x->written.count = 0;
  x->at = 0;
  return 0;
}

const hc_slurm_note *hc_slurm_kind_read(hc_slurm_kind *k, int64_t from)
{
  const hc_slurm_note *items = k->read.items;
  while (k->at + 1 < k->read.count && items[k->at + 1].from <= from) k->at++;
  if (k->at >= k->read.count || items[k->at].from > from || items[k->at].until <= from) return NULL;
  return &items[k->at];
}

hc_rc hc_slurm_kind_write(hc_slurm_kind *k, const hc_allocator *a, const hc_slurm_note *note)
{
  hc_slurm_notes *n = &k->written;
  TRY(hc_reserve(a, (void **)&n->items, &n->cap, n->count + 1, sizeof *n->items));
  if (n->count > 0 && n->items[n->count - 1].from == note->from) n->count--;
  n->items[n->count++] = *note;
  return 0;
}
