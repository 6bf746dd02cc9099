/* past.c -- see past.h. */
#include "policy/slurm/past.h"

#include <string.h>

#include "base/util.h"

void hc_slurm_past_fini(hc_slurm_past *p, const hc_allocator *a)
{
  hc_free(a, p->items, p->cap * sizeof *p->items);
  hc_free(a, p->nodes, p->node_cap * sizeof *p->nodes);
}

void hc_slurm_past_begin(hc_slurm_past *p, uint64_t version)
{
  if (p->version != version) p->count = 0;
  p->version = version;
  p->at = 0;
}

static bool is_same_job(const hc_slurm_found *x, const hc_slurm_found *y)
{
  return x->serial == y->serial && x->limit == y->limit && x->partition == y->partition;
}

const hc_slurm_found *hc_slurm_past_next(const hc_slurm_past *p, uint64_t version, const hc_slurm_found *key,
                                         int64_t now)
{
  const hc_slurm_found *x = p->version == version && p->at < p->count ? &p->items[p->at] : NULL;
  return x && is_same_job(x, key) && now < x->until ? x : NULL;
}

static size_t size_of(const hc_slurm_found *x)
{
  return x->words.end - x->words.first;
}

void hc_slurm_past_nodes(const hc_slurm_past *p, const hc_slurm_found *x, uint64_t *nodes, uint32_t words)
{
  memset(nodes, 0, words * sizeof *nodes);
  if (size_of(x) > 0) memcpy(nodes + x->words.first, p->nodes + x->nodes, size_of(x) * sizeof *nodes);
}

/* Is the same planned, so that those behind it find the same plan? */
static bool is_same(const hc_slurm_past *p, const hc_slurm_found *x, const hc_slurm_found *y,
                    const uint64_t *nodes)
{
  return is_same_job(x, y) && x->start == y->start && x->is_taken == y->is_taken &&
         x->words.first == y->words.first && x->words.end == y->words.end &&
         (size_of(x) == 0 ||
          memcmp(p->nodes + x->nodes, nodes + x->words.first, size_of(x) * sizeof *nodes) == 0);
}

hc_rc hc_slurm_past_keep(hc_slurm_past *p, const hc_allocator *a, uint64_t version,
                         const hc_slurm_found *found, const uint64_t *nodes, uint32_t words)
{
  hc_slurm_found x = *found;
  if (p->version != version) return 0;
  const hc_slurm_found *last = p->at > 0 ? &p->items[p->at - 1] : NULL;
  x.words = x.start != HC_NEVER ? hc_slurm_words_of(nodes, words) : (hc_slurm_words){0, 0};
  x.nodes = last ? last->nodes + size_of(last) : 0;
  if (p->at < p->count && is_same(p, &p->items[p->at], &x, nodes)) {
    p->items[p->at++].until = x.until;
    return 0;
  }
  TRY(hc_reserve(a, (void **)&p->items, &p->cap, p->at + 1, sizeof *p->items));
  TRY(hc_reserve(a, (void **)&p->nodes, &p->node_cap, x.nodes + size_of(&x), sizeof *p->nodes));
  if (size_of(&x) > 0) memcpy(p->nodes + x.nodes, nodes + x.words.first, size_of(&x) * sizeof *nodes);
  p->items[p->at++] = x;
  p->count = p->at;
  return 0;
}
