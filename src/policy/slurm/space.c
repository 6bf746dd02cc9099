/* space.c -- see space.h. Source: the plan of sched/backfill of Slurm 22.05, as it behaves. */
#include "policy/slurm/space.h"

#include <string.h>

#include "base/util.h"

void hc_slurm_space_init(hc_slurm_space *s, const hc_allocator *a, size_t words)
{
  *s = (hc_slurm_space){.allocator = a, .words = words};
}

void hc_slurm_space_fini(hc_slurm_space *s)
{
  for (size_t i = 0; i < s->cap; i++)
    hc_free(s->allocator, s->stretches[i].nodes, s->words * sizeof(uint64_t));
  hc_free(s->allocator, s->stretches, s->cap * sizeof *s->stretches);
  *s = (hc_slurm_space){0};
}

static hc_rc reserve(hc_slurm_space *s, size_t need)
{
  size_t cap = s->cap;
  TRY(hc_reserve(s->allocator, (void **)&s->stretches, &cap, need, sizeof *s->stretches));
  for (; s->cap < cap; s->cap++) s->stretches[s->cap].nodes = NULL;
  for (size_t i = s->count; i < need; i++) {
    hc_slurm_stretch *x = &s->stretches[i];
    if (!x->nodes && !(x->nodes = hc_alloc(s->allocator, s->words * sizeof(uint64_t)))) return HC_ENOMEM;
  }
  return 0;
}

hc_rc hc_slurm_space_clear(hc_slurm_space *s, int64_t begin, int64_t end, const uint64_t *all)
{
  s->count = 0;
  TRY(reserve(s, 1));
  s->stretches[0].begin = begin;
  s->stretches[0].end = end;
  memcpy(s->stretches[0].nodes, all, s->words * sizeof *all);
  s->count = 1;
  return 0;
}

static bool offers_more(const uint64_t *than, const uint64_t *nodes, size_t words)
{
  for (size_t w = 0; w < words; w++)
    if (nodes[w] & ~than[w]) return true;
  return false;
}

int64_t hc_slurm_space_mask(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes)
{
  int64_t again = 0;
  for (size_t i = 0; i < s->count; i++) {
    const hc_slurm_stretch *x = &s->stretches[i];
    if (x->end <= from) continue;
    if (again == 0 && i + 1 < s->count && offers_more(x->nodes, x[1].nodes, s->words)) again = x->end;
    if (x->begin > to) break;
    for (size_t w = 0; w < s->words; w++) nodes[w] &= x->nodes[w];
  }
  return again;
}

bool hc_slurm_space_has(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes)
{
  for (size_t i = 0; i < s->count && s->stretches[i].begin < to; i++) {
    const hc_slurm_stretch *x = &s->stretches[i];
    if (x->end > from && offers_more(x->nodes, nodes, s->words)) return false;
  }
  return true;
}

/* Let a stretch begin at `at`, if one spans it. */
static hc_rc cut(hc_slurm_space *s, int64_t at)
{
  for (size_t i = 0; i < s->count; i++) {
    if (s->stretches[i].begin >= at || s->stretches[i].end <= at) continue;
    TRY(reserve(s, s->count + 1));
    hc_slurm_stretch *x = s->stretches, vacant = x[s->count];
    memmove(x + i + 2, x + i + 1, (s->count - i - 1) * sizeof *x);
    memcpy(vacant.nodes, x[i].nodes, s->words * sizeof *vacant.nodes);
    x[i + 1] = (hc_slurm_stretch){at, x[i].end, vacant.nodes};
    x[i].end = at;
    s->count++;
    return 0;
  }
  return 0;
}

/* Stretches that offer the same are one. */
static void join(hc_slurm_space *s)
{
  size_t n = 0;
  for (size_t i = 1; i < s->count; i++) {
    hc_slurm_stretch *last = &s->stretches[n], *x = &s->stretches[i];
    if (memcmp(last->nodes, x->nodes, s->words * sizeof *x->nodes) == 0) {
      last->end = x->end;
      continue;
    }
    if (++n == i) continue;
    const hc_slurm_stretch moved = *x;
    *x = s->stretches[n];
    s->stretches[n] = moved;
  }
  s->count = n + 1;
}

hc_rc hc_slurm_space_take(hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes)
{
  TRY(cut(s, from));
  TRY(cut(s, to));
  for (size_t i = 0; i < s->count; i++) {
    hc_slurm_stretch *x = &s->stretches[i];
    for (size_t w = 0; x->begin >= from && x->end <= to && w < s->words; w++) x->nodes[w] &= ~nodes[w];
  }
  join(s);
  return 0;
}
