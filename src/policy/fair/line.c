/* line.c -- a tournament that prunes by need. See fair_line.h. */
#include "policy/fair_line.h"

#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/fair_choose.h"

static const int64_t *least_of(const hc_line *l, uint32_t node)
{
  return l->least + (size_t)node * l->dims;
}

static bool fits(const hc_line *l, uint32_t node, const int64_t *free)
{
  const int64_t *need = least_of(l, node);
  for (uint32_t d = 0; free && d < l->dims; d++)
    if (need[d] > free[d]) return false;
  return true;
}

/* Does `a` come before `b`? */
static bool before(const hc_line *l, uint32_t a, uint32_t b)
{
  if (a == HC_NOBODY || b == HC_NOBODY) return b == HC_NOBODY && a != HC_NOBODY;
  if (l->key[a] != l->key[b]) return l->key[a] < l->key[b];
  return l->tie[a] != l->tie[b] ? l->tie[a] < l->tie[b] : a < b;
}

static void play(hc_line *l, uint32_t node)
{
  const uint32_t left = l->winner[2 * node], right = l->winner[2 * node + 1];
  int64_t *least = l->least + (size_t)node * l->dims;
  l->winner[node] = before(l, right, left) ? right : left;
  for (uint32_t d = 0; d < l->dims; d++)
    least[d] = HC_MIN(least_of(l, 2 * node)[d], least_of(l, 2 * node + 1)[d]);
}

static void put(hc_line *l, uint32_t i, const int64_t *need)
{
  int64_t *least = l->least + (size_t)(l->leaves + i) * l->dims;
  l->winner[l->leaves + i] = need ? i : HC_NOBODY;
  for (uint32_t d = 0; d < l->dims; d++) least[d] = need ? need[d] : INT64_MAX;
}

void hc_line_fini(hc_line *l)
{
  if (!l->allocator) return;
  hc_free(l->allocator, l->key, l->leaves * sizeof *l->key);
  hc_free(l->allocator, l->tie, l->leaves * sizeof *l->tie);
  hc_free(l->allocator, l->winner, 2 * (size_t)l->leaves * sizeof *l->winner);
  hc_free(l->allocator, l->least, 2 * (size_t)l->leaves * l->dims * sizeof *l->least);
  *l = (hc_line){0};
}

hc_rc hc_line_grow(hc_line *l, const hc_allocator *a, uint32_t dims, uint32_t count)
{
  hc_line new = {.allocator = a, .dims = dims, .leaves = 16};
  if (count <= l->leaves) return 0;
  if (count > UINT32_MAX / 4) return HC_ELIMIT;
  while (new.leaves < count) new.leaves *= 2;
  new.key = hc_alloc(a, new.leaves * sizeof *new.key);
  new.tie = hc_alloc(a, new.leaves * sizeof *new.tie);
  new.winner = hc_alloc(a, 2 * (size_t) new.leaves * sizeof *new.winner);
  new.least = hc_alloc(a, 2 * (size_t) new.leaves *dims * sizeof *new.least);
  if (!new.key || !new.tie || !new.winner || !new.least) {
    hc_line_fini(&new);
    return HC_ENOMEM;
  }
  for (uint32_t i = 0; i < new.leaves; i++) {
    const bool is_in = i < l->leaves && hc_line_has(l, i);
    put(&new, i, is_in ? least_of(l, l->leaves + i) : NULL);
    if (is_in) new.key[i] = l->key[i];
    if (is_in) new.tie[i] = l->tie[i];
  }
  for (uint32_t node = new.leaves; node-- > 1;) play(&new, node);
  hc_line_fini(l);
  *l = new;
  return 0;
}

void hc_line_set(hc_line *l, uint32_t i, double key, uint64_t tie, const int64_t *need)
{
  l->key[i] = key;
  l->tie[i] = tie;
  put(l, i, need);
  for (uint32_t node = (l->leaves + i) / 2; node > 0; node /= 2) play(l, node);
}

/* Better than `best`, below this node, and fitting? A node's winner is the best below it whether it fits or not. */
static void seek(const hc_line *l, uint32_t node, const int64_t *free, uint32_t *best)
{
  const uint32_t winner = l->winner[node];
  uint32_t first;
  if (!before(l, winner, *best) || !fits(l, node, free)) return;
  if (fits(l, l->leaves + winner, free)) {
    *best = winner;
    return;
  }
  if (node >= l->leaves) return;
  first = 2 * node + (l->winner[2 * node] != winner);
  seek(l, first, free, best);
  seek(l, first ^ 1, free, best);
}

uint32_t hc_line_first(const hc_line *l, const int64_t *free)
{
  uint32_t best = HC_NOBODY;
  if (l->leaves > 0) seek(l, 1, free, &best);
  return best;
}
