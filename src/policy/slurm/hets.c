/* hets.c -- see hets.h. */
#include "policy/slurm/hets.h"

#include "base/state.h"
#include "base/util.h"

void hc_slurm_hets_init(hc_slurm_hets *h, const hc_allocator *a)
{
  *h = (hc_slurm_hets){.allocator = a};
  hc_map_init(&h->by_job, a);
}

void hc_slurm_hets_fini(hc_slurm_hets *h)
{
  if (!h->allocator) return;
  hc_map_fini(&h->by_job);
  hc_free(h->allocator, h->items, h->cap * sizeof *h->items);
}

hc_rc hc_slurm_hets_visit(hc_slurm_hets *h, hc_visitor *v)
{
  TRY(hc_map_visit(&h->by_job, v));
  return hc_visit_array(v, (void **)&h->items, &h->count, &h->cap, sizeof *h->items);
}

hc_rc hc_slurm_hets_join(hc_slurm_hets *h, int64_t job, uint32_t *out)
{
  const uint32_t at = hc_map_get(&h->by_job, (uint64_t)job);
  *out = at + 1;
  if (at != HC_MAP_NONE) return 0;
  TRY(hc_reserve(h->allocator, (void **)&h->items, &h->cap, h->count + 1, sizeof *h->items));
  TRY(hc_map_set(&h->by_job, (uint64_t)job, (uint32_t)h->count));
  h->items[h->count++] = (hc_slurm_het){.job = job};
  *out = (uint32_t)h->count;
  return 0;
}
