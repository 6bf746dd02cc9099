/* line.c -- rows by need, a tournament of rows, and an order in blocks. See line.h. */
#include "policy/share/line.h"

#include <string.h>

#include "base/util.h"
#include "policy/share/choose.h"

bool hc_line_before(const hc_line *l, uint32_t a, uint32_t b)
{
  if (a == HC_NOBODY || b == HC_NOBODY) return b == HC_NOBODY && a != HC_NOBODY;
  if (l->key[a] != l->key[b]) return l->key[a] < l->key[b];
  return l->tie[a] != l->tie[b] ? l->tie[a] < l->tie[b] : a < b;
}

/* ---- the tournament ---- */

static int64_t *least_of(const hc_line *l, uint32_t node)
{
  return l->least + (size_t)node * l->dims;
}

static bool fits(const int64_t *need, const int64_t *free, uint32_t dims)
{
  for (uint32_t d = 0; d < dims; d++)
    if (need[d] > free[d]) return false;
  return true;
}

static void play(hc_line *l, uint32_t node)
{
  const uint32_t left = l->winner[2 * node], right = l->winner[2 * node + 1];
  l->winner[node] = hc_line_before(l, right, left) ? right : left;
}

static void lessen(hc_line *l, uint32_t node)
{
  const int64_t *left = least_of(l, 2 * node), *right = least_of(l, 2 * node + 1);
  int64_t *least = least_of(l, node);
  for (uint32_t d = 0; d < l->dims; d++) least[d] = HC_MIN(left[d], right[d]);
}

/* The first of a row is another, or has another key. */
static void replay(hc_line *l, uint32_t kind)
{
  const hc_row *r = &l->rows[kind];
  uint32_t node = l->leaves + kind;
  l->winner[node] = r->count > 0 ? r->users[0] : HC_NOBODY;
  while ((node /= 2) > 0) play(l, node);
}

/* A row has its first user, or has lost its last. */
static void open_row(hc_line *l, uint32_t kind, bool is_open)
{
  uint32_t node = l->leaves + kind;
  const int64_t *need = hc_needs_of(&l->needs, kind);
  for (uint32_t d = 0; d < l->dims; d++) least_of(l, node)[d] = is_open ? need[d] : INT64_MAX;
  while ((node /= 2) > 0) lessen(l, node);
}

static hc_rc widen(hc_line *l, uint32_t kinds)
{
  const hc_allocator *a = l->allocator;
  const uint32_t old = l->leaves;
  uint32_t leaves = HC_MAX(old, 16), *winner;
  int64_t *least;
  size_t rows = l->row_cap;
  if (kinds <= old) return 0;
  while (leaves < kinds) leaves *= 2;
  TRY(hc_reserve(a, (void **)&l->rows, &l->row_cap, leaves, sizeof *l->rows));
  for (; rows < l->row_cap; rows++) l->rows[rows] = (hc_row){0};
  winner = hc_alloc(a, 2 * (size_t)leaves * sizeof *winner);
  least = hc_alloc(a, 2 * (size_t)leaves * l->dims * sizeof *least);
  if (!winner || !least) {
    hc_free(a, winner, 2 * (size_t)leaves * sizeof *winner);
    hc_free(a, least, 2 * (size_t)leaves * l->dims * sizeof *least);
    return HC_ENOMEM;
  }
  hc_free(a, l->winner, 2 * (size_t)old * sizeof *winner);
  hc_free(a, l->least, 2 * (size_t)old * l->dims * sizeof *least);
  l->winner = winner;
  l->least = least;
  l->leaves = leaves;
  for (uint32_t k = 0; k < leaves; k++) {
    const bool is_open = k < l->row_cap && l->rows[k].count > 0;
    winner[leaves + k] = is_open ? l->rows[k].users[0] : HC_NOBODY;
    for (uint32_t d = 0; d < l->dims; d++)
      least_of(l, leaves + k)[d] = is_open ? hc_needs_of(&l->needs, k)[d] : INT64_MAX;
  }
  for (uint32_t node = leaves; node-- > 1;) {
    play(l, node);
    lessen(l, node);
  }
  return 0;
}

/* ---- a row ---- */

static void rise(hc_line *l, hc_row *r, uint32_t at, uint32_t i)
{
  for (; at > 0 && hc_line_before(l, i, r->users[(at - 1) / 2]); at = (at - 1) / 2) {
    r->users[at] = r->users[(at - 1) / 2];
    l->at[r->users[at]] = at;
  }
  r->users[at] = i;
  l->at[i] = at;
}

static void settle(hc_line *l, hc_row *r, uint32_t at, uint32_t i)
{
  for (uint32_t child = 2 * at + 1; child < r->count; child = 2 * at + 1) {
    if (child + 1 < r->count && hc_line_before(l, r->users[child + 1], r->users[child])) child++;
    if (!hc_line_before(l, r->users[child], i)) break;
    r->users[at] = r->users[child];
    l->at[r->users[at]] = at;
    at = child;
  }
  rise(l, r, at, i);
}

static hc_rc enter(hc_line *l, uint32_t i, const int64_t *need)
{
  uint32_t kind;
  hc_row *r;
  hc_rc rc;
  TRY(hc_needs_hold(&l->needs, need, &kind));
  rc = widen(l, kind + 1);
  r = &l->rows[kind];
  if (rc == 0) rc = hc_reserve(l->allocator, (void **)&r->users, &r->cap, r->count + 1, sizeof *r->users);
  if (rc < 0) {
    hc_needs_drop(&l->needs, kind);
    return rc;
  }
  l->kind[i] = kind;
  rise(l, r, (uint32_t)r->count++, i);
  if (r->count == 1) {
    open_row(l, kind, true);
    l->misses = l->next_miss = 0;
  }
  if (l->at[i] == 0) replay(l, kind);
  return 0;
}

static void leave(hc_line *l, uint32_t i)
{
  const uint32_t kind = l->kind[i], at = l->at[i];
  hc_row *r = &l->rows[kind];
  l->kind[i] = HC_NO_KIND;
  r->count--;
  if (at < r->count) settle(l, r, at, r->users[r->count]);
  if (at == 0) replay(l, kind);
  if (r->count == 0) open_row(l, kind, false);
  hc_needs_drop(&l->needs, kind);
}

/* ---- the order ---- */

/* The last block whose first user is not behind `i`; 0 if there is none. */
static size_t block_of(const hc_line *l, uint32_t i)
{
  size_t low = 0, high = l->block_count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (hc_line_before(l, i, l->blocks[middle]->user[0])) high = middle;
    else low = middle;
  }
  return low;
}

/* How many in the block stand before `i`. */
static uint32_t rank_in(const hc_line *l, const hc_line_block *b, uint32_t i)
{
  uint32_t low = 0, high = b->count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (hc_line_before(l, b->user[middle], i)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_rc add_block(hc_line *l, size_t at)
{
  hc_line_block *b;
  TRY(hc_reserve(l->allocator, (void **)&l->blocks, &l->block_cap, l->block_count + 1,
                 sizeof(hc_line_block *)));
  b = hc_alloc(l->allocator, sizeof *b);
  if (!b) return HC_ENOMEM;
  memmove(l->blocks + at + 1, l->blocks + at, (l->block_count - at) * sizeof(hc_line_block *));
  l->blocks[at] = b;
  l->block_count++;
  return 0;
}

static hc_rc insert(hc_line *l, uint32_t i)
{
  size_t at;
  uint32_t rank;
  hc_line_block *b;
  if (l->block_count == 0) TRY(add_block(l, 0));
  at = block_of(l, i);
  b = l->blocks[at];
  if (b->count == HC_LINE_BLOCK) { /* in two */
    hc_line_block *half;
    TRY(add_block(l, at + 1));
    half = l->blocks[at + 1];
    half->count = HC_LINE_BLOCK / 2;
    b->count -= half->count;
    memcpy(half->user, b->user + b->count, half->count * sizeof *b->user);
    if (!hc_line_before(l, i, half->user[0])) b = half;
  }
  rank = rank_in(l, b, i);
  memmove(b->user + rank + 1, b->user + rank, (b->count - rank) * sizeof *b->user);
  b->user[rank] = i;
  b->count++;
  return 0;
}

/* While its key is still the one by which it stands. */
static void extract(hc_line *l, uint32_t i)
{
  const size_t at = block_of(l, i);
  hc_line_block *b = l->blocks[at];
  const uint32_t rank = rank_in(l, b, i);
  HC_ASSERT(rank < b->count && b->user[rank] == i);
  b->count--;
  memmove(b->user + rank, b->user + rank + 1, (b->count - rank) * sizeof *b->user);
  if (b->count > 0) return;
  hc_free(l->allocator, b, sizeof *b);
  l->block_count--;
  memmove(l->blocks + at, l->blocks + at + 1, (l->block_count - at) * sizeof(hc_line_block *));
}

uint32_t hc_line_next(const hc_line *l, hc_line_walk *w)
{
  if (w->block < l->block_count && w->at == l->blocks[w->block]->count) {
    w->block++;
    w->at = 0;
  }
  return w->block < l->block_count ? l->blocks[w->block]->user[w->at++] : HC_NOBODY;
}

/* ---- life ---- */

void hc_line_fini(hc_line *l)
{
  const hc_allocator *a = l->allocator;
  if (!a) return;
  for (size_t k = 0; k < l->row_cap; k++)
    hc_free(a, l->rows[k].users, l->rows[k].cap * sizeof *l->rows[k].users);
  for (size_t b = 0; b < l->block_count; b++) hc_free(a, l->blocks[b], sizeof *l->blocks[b]);
  hc_free(a, l->rows, l->row_cap * sizeof *l->rows);
  hc_free(a, l->blocks, l->block_cap * sizeof(hc_line_block *));
  hc_free(a, l->key, l->key_cap * sizeof *l->key);
  hc_free(a, l->tie, l->tie_cap * sizeof *l->tie);
  hc_free(a, l->kind, l->kind_cap * sizeof *l->kind);
  hc_free(a, l->at, l->at_cap * sizeof *l->at);
  hc_free(a, l->winner, 2 * (size_t)l->leaves * sizeof *l->winner);
  hc_free(a, l->least, 2 * (size_t)l->leaves * l->dims * sizeof *l->least);
  hc_needs_fini(&l->needs);
  *l = (hc_line){.is_ordered = l->is_ordered};
}

hc_rc hc_line_grow(hc_line *l, const hc_allocator *a, uint32_t dims, uint32_t count)
{
  if (count <= l->places) return 0;
  if (count > UINT32_MAX / 4) return HC_ELIMIT;
  if (!l->allocator) {
    l->allocator = a;
    l->dims = dims;
    hc_needs_init(&l->needs, a, dims);
  }
  TRY(hc_reserve(a, (void **)&l->key, &l->key_cap, count, sizeof *l->key));
  TRY(hc_reserve(a, (void **)&l->tie, &l->tie_cap, count, sizeof *l->tie));
  TRY(hc_reserve(a, (void **)&l->kind, &l->kind_cap, count, sizeof *l->kind));
  TRY(hc_reserve(a, (void **)&l->at, &l->at_cap, count, sizeof *l->at));
  for (; l->places < count; l->places++) {
    l->key[l->places] = 0;
    l->tie[l->places] = 0;
    l->kind[l->places] = HC_NO_KIND;
  }
  return 0;
}

/* ---- questions and changes ---- */

hc_rc hc_line_set(hc_line *l, uint32_t i, double key, uint64_t tie, const int64_t *need)
{
  const bool was_in = hc_line_has(l, i);
  const bool is_alike =
      was_in && need && memcmp(hc_needs_of(&l->needs, l->kind[i]), need, l->dims * sizeof *need) == 0;
  if (is_alike && l->key[i] == key && l->tie[i] == tie) return 0;
  if (was_in && l->is_ordered) extract(l, i);
  if (was_in && !is_alike) leave(l, i);
  l->key[i] = key;
  l->tie[i] = tie;
  if (is_alike) {
    hc_row *r = &l->rows[l->kind[i]];
    const bool was_first = l->at[i] == 0;
    settle(l, r, l->at[i], i);
    if (was_first || l->at[i] == 0) replay(l, l->kind[i]);
  } else if (need) {
    TRY(enter(l, i, need));
  }
  return need && l->is_ordered ? insert(l, i) : 0;
}

/* Better than `best`, below this node, and fitting? A node's winner is the best below it whether it fits or
 * not. */
static void seek(const hc_line *l, uint32_t node, const int64_t *free, uint32_t *best)
{
  const uint32_t winner = l->winner[node];
  uint32_t first;
  if (!hc_line_before(l, winner, *best) || !fits(least_of(l, node), free, l->dims)) return;
  if (fits(hc_needs_of(&l->needs, l->kind[winner]), free, l->dims)) {
    *best = winner;
    return;
  }
  if (node >= l->leaves) return;
  first = 2 * node + (l->winner[2 * node] != winner);
  seek(l, first, free, best);
  seek(l, first ^ 1, free, best);
}

static bool is_missed(const hc_line *l, const int64_t *free)
{
  for (uint32_t k = 0; k < l->misses; k++)
    if (fits(free, l->miss[k], l->dims)) return true;
  return false;
}

uint32_t hc_line_first(hc_line *l, const int64_t *free)
{
  uint32_t best = HC_NOBODY;
  if (l->leaves == 0) return HC_NOBODY;
  if (!free) return l->winner[1];
  if (is_missed(l, free)) return HC_NOBODY;
  seek(l, 1, free, &best);
  if (best != HC_NOBODY) return best;
  memcpy(l->miss[l->next_miss], free, l->dims * sizeof *free);
  l->misses = HC_MAX(l->misses, l->next_miss + 1);
  l->next_miss = (l->next_miss + 1) % HC_LINE_MISSES;
  return HC_NOBODY;
}
