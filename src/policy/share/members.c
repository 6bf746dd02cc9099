/* members.c -- the tree of pools itself: members come, go and change; see policy/share/pools.h.
 *
 * Members of a pool stay in the order in which they were added, whatever numbers they got, so that sums are
 * of the same terms in the same order. A change marks the element and everything above it, up to the first
 * that is marked already: what is marked is always marked to the root. */
#include "base/mem.h"
#include "base/util.h"
#include "policy/share/pools.h"

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "pools", 0, 0, "no memory for fair shares");
}

void hc_pools_mark(hc_pools *p, uint32_t id)
{
  while (!p->pools[id].is_dirty) {
    p->pools[id].is_dirty = true;
    if (id == HC_POOL_ROOT) return;
    id = p->pools[id].parent;
  }
}

hc_pool_wish hc_pool_plain(void)
{
  hc_pool_wish w = {.weight = 1};
  for (int r = 0; r < HC_DIMENSIONS; r++) w.limit[r] = 1;
  return w;
}

static hc_rc check_wish(const hc_pools *p, hc_pool_kind kind, const hc_pool_wish *w, hc_error *e)
{
  if (!(w->weight > 0) || w->weight > 1e300)
    return hc_fail(e, HC_EINPUT, "pools", 0, 0, "a weight is %g: give a finite number above 0", w->weight);
  if (!(w->burst >= 0) || !(w->integral_share >= 0))
    return hc_fail(e, HC_EINPUT, "pools", 0, 0, "integral guarantees of %g and %g: give 0 or more", w->burst,
                   w->integral_share);
  for (uint32_t r = 0; r < p->dims; r++) {
    if (!(w->limit[r] >= 0) || !(w->strong[r] >= 0))
      return hc_fail(e, HC_EINPUT, "pools", 0, 0, "limit %g, guarantee %g: give 0 or more", w->limit[r],
                     w->strong[r]);
    if (kind == HC_POOL_JOB && !(w->usage[r] >= 0 && w->demand[r] >= w->usage[r] && w->demand[r] <= 1e300))
      return hc_fail(e, HC_EINPUT, "pools", 0, 0, "usage %g, demand %g: a demand contains the usage",
                     w->usage[r], w->demand[r]);
  }
  return 0;
}

static void take(hc_pools *p, uint32_t id, const hc_pool_wish *w)
{
  hc_pool *x = &p->pools[id];
  x->wish = *w;
  for (uint32_t r = 0; r < p->dims; r++) x->wish.limit[r] = HC_MIN(w->limit[r], 1.0);
}

hc_rc hc_pools_init(hc_pools *p, const hc_allocator *a, uint32_t dims, hc_error *e)
{
  hc_pool_wish plain = hc_pool_plain();
  *p = (hc_pools){.allocator = a, .dims = dims, .free = HC_POOL_NONE, .is_changed = true};
  if (dims == 0 || dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "pools", 0, 0, "%u dimensions: there can be 1 to %d", dims, HC_DIMENSIONS);
  if (hc_reserve(a, (void **)&p->pools, &p->cap, 1, sizeof *p->pools) < 0) return no_memory(e);
  p->pools[0] = (hc_pool){.is_here = true,
                          .is_dirty = true,
                          .first = HC_POOL_NONE,
                          .last = HC_POOL_NONE,
                          .next = HC_POOL_NONE,
                          .before = HC_POOL_NONE};
  p->count = 1;
  take(p, HC_POOL_ROOT, &plain);
  return 0;
}

hc_rc hc_pools_add(hc_pools *p, uint32_t parent, hc_pool_kind kind, const hc_pool_wish *wish, uint32_t *id,
                   hc_error *e)
{
  uint32_t i = p->free;
  hc_curve curve = {0};
  TRY(check_wish(p, kind, wish, e));
  if (parent >= p->count || !p->pools[parent].is_here || p->pools[parent].kind == HC_POOL_JOB ||
      (p->pools[parent].kind == HC_POOL_FIFO && kind != HC_POOL_JOB))
    return hc_fail(e, HC_EINPUT, "pools", 0, 0,
                   "%u cannot have this member: a job has none, a fifo pool jobs only", parent);
  if (i == HC_POOL_NONE) {
    if (p->count == UINT32_MAX ||
        hc_reserve(p->allocator, (void **)&p->pools, &p->cap, p->count + 1, sizeof *p->pools) < 0)
      return no_memory(e);
    i = (uint32_t)p->count++;
  } else {
    p->free = p->pools[i].next;
    curve = p->pools[i].curve; /* its memory */
  }
  p->pools[i] = (hc_pool){.kind = kind,
                          .is_here = true,
                          .is_dirty = true,
                          .parent = parent,
                          .first = HC_POOL_NONE,
                          .last = HC_POOL_NONE,
                          .next = HC_POOL_NONE,
                          .before = p->pools[parent].last,
                          .curve = curve};
  take(p, i, wish);
  if (p->pools[parent].last == HC_POOL_NONE) p->pools[parent].first = i;
  else p->pools[p->pools[parent].last].next = i;
  p->pools[parent].last = i;
  hc_pools_mark(p, parent);
  p->is_changed = true;
  *id = i;
  return 0;
}

void hc_pools_remove(hc_pools *p, uint32_t id)
{
  hc_pool *x = &p->pools[id];
  HC_ASSERT(id != HC_POOL_ROOT && x->is_here && x->first == HC_POOL_NONE);
  if (x->before == HC_POOL_NONE) p->pools[x->parent].first = x->next;
  else p->pools[x->before].next = x->next;
  if (x->next == HC_POOL_NONE) p->pools[x->parent].last = x->before;
  else p->pools[x->next].before = x->before;
  hc_pools_mark(p, x->parent);
  x->is_here = false;
  x->next = p->free;
  p->free = id;
  p->is_changed = true;
}

hc_rc hc_pools_set(hc_pools *p, uint32_t id, const hc_pool_wish *wish, hc_error *e)
{
  TRY(check_wish(p, p->pools[id].kind, wish, e));
  take(p, id, wish);
  hc_pools_mark(p, id);
  p->is_changed = true; /* guarantees may have come or gone */
  return 0;
}

void hc_pools_job(hc_pools *p, uint32_t id, const double *usage, const double *demand)
{
  hc_pool *x = &p->pools[id];
  HC_ASSERT(x->kind == HC_POOL_JOB);
  for (uint32_t r = 0; r < p->dims; r++) {
    x->wish.usage[r] = usage[r];
    x->wish.demand[r] = HC_MAX(demand[r], usage[r]);
  }
  hc_pools_mark(p, id);
}
