/* pools_state.c -- a tree of pools saved, loaded and hashed: see policy/share/pools.h.
 *
 * Curves are no state: they follow from what is said of each element, and are drawn again when they are asked
 * for. Bytes are laid out without gaps, so that equal trees have equal hashes. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/share/pools.h"

enum {
  WISH_USAGE,
  WISH_DEMAND,
  WISH_LIMIT,
  WISH_STRONG,
  USAGE,
  DEMAND,
  STRONG,
  INTEGRAL,
  GUARANTEE,
  FAIR,
  VECTORS
};

typedef struct saved_pool {
  uint32_t kind, parent, first, last, next, before, is_here, is_gang, how, unused;
  int64_t rank;
  double weight, burst, integral_share;
  double vectors[VECTORS][HC_DIMENSIONS];
} saved_pool;

/* Where the vectors of an element are, in the order above. */
static void find_vectors(hc_pool *x, double **at)
{
  at[WISH_USAGE] = x->wish.usage;
  at[WISH_DEMAND] = x->wish.demand;
  at[WISH_LIMIT] = x->wish.limit;
  at[WISH_STRONG] = x->wish.strong;
  at[USAGE] = x->usage;
  at[DEMAND] = x->demand;
  at[STRONG] = x->strong;
  at[INTEGRAL] = x->integral;
  at[GUARANTEE] = x->guarantee;
  at[FAIR] = x->fair;
}

static void pack(hc_pool *x, saved_pool *out)
{
  double *at[VECTORS];
  find_vectors(x, at);
  memset(out, 0, sizeof *out);
  out->kind = (uint32_t)x->kind;
  out->parent = x->parent;
  out->first = x->first;
  out->last = x->last;
  out->next = x->next;
  out->before = x->before;
  out->is_here = x->is_here;
  out->is_gang = x->wish.is_gang;
  out->how = (uint32_t)x->wish.integral;
  out->rank = x->wish.rank;
  out->weight = x->wish.weight;
  out->burst = x->wish.burst;
  out->integral_share = x->wish.integral_share;
  for (int i = 0; i < VECTORS; i++) memcpy(out->vectors[i], at[i], sizeof out->vectors[i]);
}

static void unpack(const saved_pool *in, hc_pool *x)
{
  double *at[VECTORS];
  *x = (hc_pool){.kind = (hc_pool_kind)in->kind,
                 .is_here = in->is_here != 0,
                 .is_dirty = in->is_here != 0,
                 .parent = in->parent,
                 .first = in->first,
                 .last = in->last,
                 .next = in->next,
                 .before = in->before,
                 .wish = {.weight = in->weight,
                          .rank = in->rank,
                          .is_gang = in->is_gang != 0,
                          .integral = (hc_pool_integral)in->how,
                          .burst = in->burst,
                          .integral_share = in->integral_share}};
  find_vectors(x, at);
  for (int i = 0; i < VECTORS; i++) memcpy(at[i], in->vectors[i], sizeof in->vectors[i]);
}

static bool is_sound(const saved_pool *x, size_t count)
{
  const uint32_t links[] = {x->first, x->last, x->next, x->before};
  bool sound = x->kind <= HC_POOL_JOB && x->how <= HC_INTEGRAL_RELAXED && x->parent < count && x->weight > 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(links); i++) sound &= links[i] == HC_POOL_NONE || links[i] < count;
  return sound;
}

static hc_rc load(hc_pools *p, const saved_pool *saved, size_t count)
{
  for (size_t i = 0; i < p->count; i++)
    hc_free(p->allocator, p->pools[i].curve.knots, p->pools[i].curve.cap * sizeof *p->pools[i].curve.knots);
  p->count = 0;
  TRY(hc_reserve(p->allocator, (void **)&p->pools, &p->cap, count, sizeof *p->pools));
  if (count == 0) return HC_EINPUT;
  for (size_t i = 0; i < count; i++) {
    if (!is_sound(&saved[i], count)) return HC_EINPUT;
    unpack(&saved[i], &p->pools[p->count++]);
  }
  p->is_changed = true;
  return 0;
}

hc_rc hc_pools_visit(hc_pools *p, hc_visitor *v)
{
  saved_pool *saved = NULL;
  size_t count = 0, cap = 0;
  hc_rc rc = 0;
  HC_VISIT(v, p->free);
  if (!hc_visit_loading(v)) {
    rc = hc_reserve(p->allocator, (void **)&saved, &cap, p->count, sizeof *saved);
    for (size_t i = 0; rc == 0 && i < p->count; i++) pack(&p->pools[i], &saved[count++]);
  }
  if (rc == 0) rc = hc_visit_array(v, (void **)&saved, &count, &cap, sizeof *saved);
  if (rc == 0 && hc_visit_loading(v)) rc = load(p, saved, count);
  if (rc == 0 && p->free != HC_POOL_NONE && p->free >= p->count) rc = HC_EINPUT;
  hc_free(p->allocator, saved, cap * sizeof *saved);
  return rc;
}
