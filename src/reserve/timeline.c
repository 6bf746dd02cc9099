/* timeline.c -- future availability as a B+-tree of breakpoints.
 *
 * A leaf holds up to 31 breakpoints: their times, and the level just after each, counted from the leaf's
 * start. An inner node holds, for each of up to 32 children, the level at the child's start, counted from
 * its own, and the least and greatest level in the child, counted from the child's start. A change adds
 * itself to what stands behind it in one node of each level, which is a short run over contiguous memory;
 * a question adds one number a level, and compares levels without summing. Thirty-one keys are searched in
 * two steps of independent comparisons (3, then 7).
 *
 * Extremes are found when they are asked for: a change only marks the children that it passed as stale.
 * Several changes between two questions are the common case, and often meet in one leaf.
 *
 * Nodes are in two flat arrays and are named by index; freed ones are used again, so that a timeline at
 * its steady size does not allocate. A node less than a quarter full is merged with a neighbour if both
 * fit well; an empty one is freed. A timeline of up to 31 breakpoints is one leaf, and keeps no extremes
 * at all.
 *
 * Levels are not guarded against overflow: amounts are units of a cell. Cost: O(log n) as the header says;
 * measured by bench/bench_timeline. */
#include "reserve/timeline.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

enum {
  KEYS = 31,        /* breakpoints of a leaf, separators of an inner node */
  FANOUT = 32,      /* children of an inner node */
  SPARSE = 8,       /* a node with fewer is merged if ... */
  ROOMY = 24,       /* ... the two together have at most so many */
  HEIGHT_LIMIT = 16 /* levels of inner nodes; far more than 2^32 nodes need */
};

/* Unused times are HC_NEVER, so that a search needs no count. */
typedef struct leaf {
  int64_t at[KEYS];
  uint32_t count, next_free; /* of breakpoints; the list of free leaves */
  int64_t level[KEYS];
} leaf;

typedef struct inner {
  int64_t key[KEYS]; /* key[i]: no breakpoint of child i+1 is earlier, none of child i is as late */
  uint32_t count, next_free;
  int64_t before[FANOUT], total;     /* level at each child's start, and at the node's end */
  int64_t low[FANOUT], high[FANOUT]; /* of each child, from its start; wrong where stale */
  uint32_t child[FANOUT];            /* leaves in the lowest inner nodes */
  uint32_t stale; /* set of children; if a node's own is not empty, its parent has it too */
} inner;

#define NONE UINT32_MAX

struct hc_timeline {
  const hc_allocator *allocator;
  leaf *leaves;
  inner *inners;
  size_t leaf_count, leaf_cap, inner_count, inner_cap;
  uint32_t free_leaf, free_inner;
  uint32_t root, height; /* height 0: the root is a leaf */
  size_t count;
  int64_t base;
};

/* The way from the root to a place: which child at each level, and the level at the start of each node. */
typedef struct path {
  uint32_t node[HEIGHT_LIMIT], index[HEIGHT_LIMIT];
  int64_t start[HEIGHT_LIMIT];
  uint32_t leaf, pos; /* pos: of the breakpoint; may be the leaf's count */
  int64_t leaf_start;
} path;

/* How many of the 31 keys are <= x; x < HC_NEVER. */
static inline uint32_t rank_of(const int64_t *key, int64_t x)
{
  uint32_t p = 8 * ((uint32_t)(key[7] <= x) + (uint32_t)(key[15] <= x) + (uint32_t)(key[23] <= x));
  const int64_t *k = key + p;
  return p + ((uint32_t)(k[0] <= x) + (uint32_t)(k[1] <= x) + (uint32_t)(k[2] <= x) + (uint32_t)(k[3] <= x)) +
         ((uint32_t)(k[4] <= x) + (uint32_t)(k[5] <= x) + (uint32_t)(k[6] <= x));
}

/* Go to the first breakpoint later than x. */
static inline void descend(const hc_timeline *t, hc_time x, path *p)
{
  uint32_t node = t->root;
  int64_t start = t->base;
  for (uint32_t d = 0; d < t->height; d++) {
    const inner *in = &t->inners[node];
    uint32_t i = rank_of(in->key, x);
    p->node[d] = node;
    p->index[d] = i;
    p->start[d] = start;
    start += in->before[i];
    node = in->child[i];
  }
  p->leaf = node;
  p->leaf_start = start;
  p->pos = rank_of(t->leaves[node].at, x);
}

/* ---- nodes ---- */

static hc_rc reserve_nodes(hc_timeline *t, size_t leaves, size_t inners)
{
  if (t->leaf_count + leaves >= NONE || t->inner_count + inners >= NONE) return HC_ENOMEM;
  TRY(hc_reserve(t->allocator, (void **)&t->leaves, &t->leaf_cap, t->leaf_count + leaves, sizeof *t->leaves));
  return hc_reserve(t->allocator, (void **)&t->inners, &t->inner_cap, t->inner_count + inners,
                    sizeof *t->inners);
}

/* The two that make nodes want room that was reserved. */
static uint32_t new_leaf(hc_timeline *t)
{
  uint32_t l = t->free_leaf;
  if (l != NONE) t->free_leaf = t->leaves[l].next_free;
  else l = (uint32_t)t->leaf_count++;
  t->leaves[l].count = 0;
  for (int i = 0; i < KEYS; i++) t->leaves[l].at[i] = HC_NEVER;
  return l;
}

static uint32_t new_inner(hc_timeline *t)
{
  uint32_t n = t->free_inner;
  if (n != NONE) t->free_inner = t->inners[n].next_free;
  else n = (uint32_t)t->inner_count++;
  t->inners[n].count = 0;
  t->inners[n].stale = 0;
  for (int i = 0; i < KEYS; i++) t->inners[n].key[i] = HC_NEVER;
  return n;
}

static void free_node(hc_timeline *t, uint32_t node, bool is_leaf)
{
  if (is_leaf) {
    t->leaves[node].next_free = t->free_leaf;
    t->free_leaf = node;
  } else {
    t->inners[node].next_free = t->free_inner;
    t->free_inner = node;
  }
}

static uint32_t node_count(const hc_timeline *t, uint32_t node, bool is_leaf)
{
  return is_leaf ? t->leaves[node].count : t->inners[node].count;
}

/* ---- extremes ---- */

static void leaf_extremes(const leaf *l, int64_t *least, int64_t *greatest)
{
  int64_t low = l->level[0], high = low;
  for (uint32_t i = 1; i < l->count; i++) {
    low = l->level[i] < low ? l->level[i] : low;
    high = l->level[i] > high ? l->level[i] : high;
  }
  *least = low;
  *greatest = high;
}

static void freshen(inner *inners, const leaf *leaves, inner *in, uint32_t depth);

static void inner_extremes(inner *inners, const leaf *leaves, inner *in, uint32_t depth, int64_t *least,
                           int64_t *greatest)
{
  int64_t low, high;
  freshen(inners, leaves, in, depth);
  low = in->before[0] + in->low[0];
  high = in->before[0] + in->high[0];
  for (uint32_t i = 1; i < in->count; i++) {
    int64_t l = in->before[i] + in->low[i], h = in->before[i] + in->high[i];
    low = l < low ? l : low;
    high = h > high ? h : high;
  }
  *least = low;
  *greatest = high;
}

/* Bring the extremes of a node's children up to date. @param depth levels of inner nodes below this one.
 * Recursion is as deep as the tree. Extremes are a cache, so that a question, to which the tree is const,
 * may fill it. */
static void freshen(inner *inners, const leaf *leaves, inner *in, uint32_t depth)
{
  while (in->stale) {
    uint32_t c = (uint32_t)__builtin_ctz(in->stale);
    in->stale &= in->stale - 1;
    if (depth == 0) leaf_extremes(&leaves[in->child[c]], &in->low[c], &in->high[c]);
    else inner_extremes(inners, leaves, &inners[in->child[c]], depth - 1, &in->low[c], &in->high[c]);
  }
}

/* The node at level d, to be asked for extremes. */
static inline const inner *fresh(const hc_timeline *t, uint32_t node, uint32_t d)
{
  inner *in = &t->inners[node];
  if (in->stale) freshen(t->inners, t->leaves, in, t->height - 1 - d);
  return in;
}

/* ---- splitting: only when a breakpoint meets a full leaf ---- */

/* The set of children when one is put in at c, and when it is taken out. */
static uint32_t set_open(uint32_t set, uint32_t c)
{
  uint32_t lower = (UINT32_C(1) << c) - 1;
  return (set & lower) | (set & ~lower) << 1;
}

static uint32_t set_close(uint32_t set, uint32_t c)
{
  uint32_t lower = (UINT32_C(1) << c) - 1;
  return (set & lower) | (set >> 1 & ~lower);
}

static void open_child(inner *in, uint32_t c, uint32_t node, int64_t key, int64_t before)
{
  size_t tail = in->count - c;
  memmove(&in->key[c], &in->key[c - 1], tail * sizeof in->key[0]);
  memmove(&in->before[c + 1], &in->before[c], tail * sizeof in->before[0]);
  memmove(&in->low[c + 1], &in->low[c], tail * sizeof in->low[0]);
  memmove(&in->high[c + 1], &in->high[c], tail * sizeof in->high[0]);
  memmove(&in->child[c + 1], &in->child[c], tail * sizeof in->child[0]);
  in->key[c - 1] = key;
  in->before[c] = before;
  in->child[c] = node;
  in->stale = set_open(in->stale, c) | UINT32_C(1) << c | UINT32_C(1) << (c - 1);
  in->count++;
}

/* Move the upper part of a full leaf to a new one. @return its first time. @param total what is left. */
static int64_t split_leaf(leaf *from, leaf *to, uint32_t keep, int64_t *total)
{
  uint32_t n = from->count - keep;
  *total = from->level[keep - 1];
  for (uint32_t i = 0; i < n; i++) {
    to->at[i] = from->at[keep + i];
    to->level[i] = from->level[keep + i] - *total;
    from->at[keep + i] = HC_NEVER;
  }
  to->count = n;
  from->count = keep;
  return to->at[0];
}

static int64_t split_inner(inner *from, inner *to, uint32_t keep, int64_t *total)
{
  uint32_t n = from->count - keep;
  int64_t key = from->key[keep - 1];
  *total = from->before[keep];
  for (uint32_t i = 0; i < n; i++) {
    to->before[i] = from->before[keep + i] - *total;
    to->low[i] = from->low[keep + i];
    to->high[i] = from->high[keep + i];
    to->child[i] = from->child[keep + i];
    if (i > 0) to->key[i - 1] = from->key[keep + i - 1];
  }
  for (uint32_t i = keep - 1; i < KEYS; i++) from->key[i] = HC_NEVER;
  to->total = from->total - *total;
  from->total = *total;
  to->stale = from->stale >> keep;
  from->stale &= (UINT32_C(1) << keep) - 1;
  to->count = n;
  from->count = keep;
  return key;
}

/* Split child c of a node that has room. Where times are appended, the left part stays nearly full. */
static void split_child(hc_timeline *t, uint32_t node, uint32_t c, bool over_leaves, bool at_end)
{
  uint32_t right = over_leaves ? new_leaf(t) : new_inner(t);
  inner *in = &t->inners[node];
  uint32_t left = in->child[c];
  int64_t total, key;
  uint32_t keep = at_end ? KEYS - 3 : (KEYS + 1) / 2;
  if (over_leaves) key = split_leaf(&t->leaves[left], &t->leaves[right], keep, &total);
  else key = split_inner(&t->inners[left], &t->inners[right], keep, &total);
  open_child(in, c + 1, right, key, in->before[c] + total);
}

/* Put an inner node with one child above the root. */
static void grow_root(hc_timeline *t)
{
  uint32_t root = new_inner(t);
  inner *in = &t->inners[root];
  in->child[0] = t->root;
  in->count = 1;
  in->before[0] = 0;
  in->total = t->height == 0 ? t->leaves[t->root].level[KEYS - 1] : t->inners[t->root].total;
  in->stale = 1;
  t->root = root;
  t->height++;
}

/* Split what is full on the way to `x`, from the top, so that its leaf has room. Changes nothing if it
 * fails. */
static hc_rc make_room(hc_timeline *t, hc_time x)
{
  uint32_t node;
  if (t->height + 1 >= HEIGHT_LIMIT) return HC_ENOMEM;
  TRY(reserve_nodes(t, 1, t->height + 2));
  if (t->height == 0 || t->inners[t->root].count == FANOUT) grow_root(t);
  node = t->root;
  for (uint32_t d = 0; d < t->height; d++) {
    bool over_leaves = d + 1 == t->height;
    uint32_t c = rank_of(t->inners[node].key, x), child = t->inners[node].child[c];
    uint32_t full = over_leaves ? KEYS : FANOUT;
    if (node_count(t, child, over_leaves) == full) {
      bool at_end = over_leaves && t->leaves[child].at[KEYS - 1] < x;
      split_child(t, node, c, over_leaves, at_end);
      c += t->inners[node].key[c] <= x;
    }
    node = t->inners[node].child[c];
  }
  return 0;
}

/* ---- merging ---- */

static void close_child(inner *in, uint32_t c)
{
  size_t tail = in->count - c - 1;
  uint32_t k = c > 0 ? c - 1 : 0; /* the separator that goes */
  memmove(&in->key[k], &in->key[k + 1], (KEYS - 1 - k) * sizeof in->key[0]);
  in->key[KEYS - 1] = HC_NEVER;
  memmove(&in->before[c], &in->before[c + 1], tail * sizeof in->before[0]);
  memmove(&in->low[c], &in->low[c + 1], tail * sizeof in->low[0]);
  memmove(&in->high[c], &in->high[c + 1], tail * sizeof in->high[0]);
  memmove(&in->child[c], &in->child[c + 1], tail * sizeof in->child[0]);
  in->stale = set_close(in->stale, c);
  in->count--;
}

static void merge_leaves(leaf *to, const leaf *from)
{
  int64_t total = to->level[to->count - 1];
  for (uint32_t i = 0; i < from->count; i++) {
    to->at[to->count + i] = from->at[i];
    to->level[to->count + i] = from->level[i] + total;
  }
  to->count += from->count;
}

static void merge_inners(inner *to, const inner *from, int64_t key)
{
  uint32_t n = to->count;
  for (uint32_t i = 0; i < from->count; i++) {
    to->key[n + i - 1] = i > 0 ? from->key[i - 1] : key;
    to->before[n + i] = from->before[i] + to->total;
    to->low[n + i] = from->low[i];
    to->high[n + i] = from->high[i];
    to->child[n + i] = from->child[i];
  }
  to->total += from->total;
  to->stale |= from->stale << n;
  to->count += from->count;
}

/* Child c has become small: free it if it is empty, or merge it with a neighbour if the two fit well. */
static void shrink(hc_timeline *t, inner *in, uint32_t c, bool over_leaves)
{
  uint32_t n = node_count(t, in->child[c], over_leaves);
  if (n == 0) {
    free_node(t, in->child[c], over_leaves);
    close_child(in, c);
    return;
  }
  for (uint32_t side = 0; side < 2; side++) {
    uint32_t left = side == 0 ? c : c - 1, other = side == 0 ? c + 1 : c - 1;
    if (other >= in->count || n + node_count(t, in->child[other], over_leaves) > ROOMY) continue;
    uint32_t a = in->child[left], b = in->child[left + 1];
    if (over_leaves) merge_leaves(&t->leaves[a], &t->leaves[b]);
    else merge_inners(&t->inners[a], &t->inners[b], in->key[left]);
    free_node(t, b, over_leaves);
    close_child(in, left + 1);
    in->stale |= UINT32_C(1) << left;
    return;
  }
}

static void lower_root(hc_timeline *t)
{
  while (t->height > 0 && t->inners[t->root].count <= 1) {
    inner *in = &t->inners[t->root];
    uint32_t child = in->count == 1 ? in->child[0] : NONE;
    free_node(t, t->root, false);
    if (child == NONE) { /* an empty tree: its last leaf was just freed, so this needs no room */
      t->height = 0;
      t->root = new_leaf(t);
      return;
    }
    t->root = child;
    t->height--;
  }
}

/* ---- changing ---- */

static inline void leaf_insert(leaf *l, uint32_t pos, hc_time at, int64_t change)
{
  size_t tail = l->count - pos;
  memmove(&l->at[pos + 1], &l->at[pos], tail * sizeof l->at[0]);
  memmove(&l->level[pos + 1], &l->level[pos], tail * sizeof l->level[0]);
  l->at[pos] = at;
  l->level[pos] = pos > 0 ? l->level[pos - 1] : 0;
  l->count++;
  for (uint32_t i = pos; i < l->count; i++) l->level[i] += change;
}

static inline void leaf_remove(leaf *l, uint32_t pos, int64_t change)
{
  size_t tail = --l->count - pos;
  memmove(&l->at[pos], &l->at[pos + 1], tail * sizeof l->at[0]);
  memmove(&l->level[pos], &l->level[pos + 1], tail * sizeof l->level[0]);
  l->at[l->count] = HC_NEVER;
  for (uint32_t i = pos; i < l->count; i++) l->level[i] += change;
}

/* What a change in child c does to a node: everything behind moves, the child's extremes are no longer
 * known. */
static inline void carry(hc_timeline *t, inner *in, uint32_t c, int64_t change, bool over_leaves)
{
  for (uint32_t i = c + 1; i < in->count; i++) in->before[i] += change;
  in->total += change;
  in->stale |= UINT32_C(1) << c;
  if (node_count(t, in->child[c], over_leaves) < SPARSE) shrink(t, in, c, over_leaves);
}

hc_rc hc_timeline_add(hc_timeline *t, hc_time at, int64_t change)
{
  path p;
  leaf *l;
  if (change == 0 || at == HC_NEVER) return 0;
  descend(t, at, &p);
  l = &t->leaves[p.leaf];
  if (p.pos > 0 && l->at[p.pos - 1] == at) {
    uint32_t i = p.pos - 1;
    int64_t had = l->level[i] - (i > 0 ? l->level[i - 1] : 0);
    if (had + change == 0) {
      leaf_remove(l, i, change);
      t->count--;
    } else {
      for (; i < l->count; i++) l->level[i] += change;
    }
  } else {
    if (l->count == KEYS) {
      TRY(make_room(t, at));
      descend(t, at, &p);
      l = &t->leaves[p.leaf];
    }
    leaf_insert(l, p.pos, at, change);
    t->count++;
  }
  for (uint32_t d = t->height; d-- > 0;)
    carry(t, &t->inners[p.node[d]], p.index[d], change, d + 1 == t->height);
  if (t->height > 0 && t->inners[t->root].count <= 1) lower_root(t);
  return 0;
}

/* ---- asking ---- */

int64_t hc_timeline_level(const hc_timeline *t, hc_time at)
{
  uint32_t node = t->root, pos;
  int64_t level = t->base;
  if (at == HC_NEVER) at--;
  for (uint32_t d = 0; d < t->height; d++) {
    const inner *in = &t->inners[node];
    uint32_t i = rank_of(in->key, at);
    level += in->before[i];
    node = in->child[i];
  }
  pos = rank_of(t->leaves[node].at, at);
  return pos > 0 ? level + t->leaves[node].level[pos - 1] : level;
}

static inline int64_t level_before(const hc_timeline *t, const path *p)
{
  return p->pos > 0 ? p->leaf_start + t->leaves[p->leaf].level[p->pos - 1] : p->leaf_start;
}

/* Least of a leaf's levels [begin, end) and `least`. */
static inline int64_t leaf_least(const leaf *l, uint32_t begin, uint32_t end, int64_t start, int64_t least)
{
  for (uint32_t i = begin; i < end; i++) least = start + l->level[i] < least ? start + l->level[i] : least;
  return least;
}

static inline int64_t inner_least(const inner *in, uint32_t begin, uint32_t end, int64_t start, int64_t least)
{
  for (uint32_t i = begin; i < end; i++) {
    int64_t low = start + in->before[i] + in->low[i];
    least = low < least ? low : least;
  }
  return least;
}

int64_t hc_timeline_least(const hc_timeline *t, hc_time from, hc_time to)
{
  path a, b;
  uint32_t d = 0;
  int64_t least;
  const leaf *l;
  if (from == HC_NEVER || to <= from) return hc_timeline_level(t, from);
  descend(t, from, &a);
  descend(t, to - 1, &b);
  least = level_before(t, &a);
  l = &t->leaves[a.leaf];
  while (d < t->height && a.index[d] == b.index[d]) d++;
  if (d == t->height) return leaf_least(l, a.pos, b.pos, a.leaf_start, least);
  least = inner_least(fresh(t, a.node[d], d), a.index[d] + 1, b.index[d], a.start[d], least);
  for (d++; d < t->height; d++) {
    const inner *in = fresh(t, a.node[d], d);
    least = inner_least(in, a.index[d] + 1, in->count, a.start[d], least);
    least = inner_least(fresh(t, b.node[d], d), 0, b.index[d], b.start[d], least);
  }
  least = leaf_least(l, a.pos, l->count, a.leaf_start, least);
  return leaf_least(&t->leaves[b.leaf], 0, b.pos, b.leaf_start, least);
}

/* First place from `i` on whose level is below (or, rising, not below) the bound; the count if none. */
static inline uint32_t seek_leaf(const leaf *l, uint32_t i, int64_t bound, bool rising)
{
  while (i < l->count && (l->level[i] < bound) == rising) i++;
  return i;
}

/* First child from `i` on in which there is such a place. */
static inline uint32_t seek_inner(const inner *in, uint32_t i, int64_t bound, bool rising)
{
  if (rising) {
    while (i < in->count && in->before[i] + in->high[i] < bound) i++;
  } else {
    while (i < in->count && in->before[i] + in->low[i] >= bound) i++;
  }
  return i;
}

/* Move on to the first breakpoint, this one included, whose level is below `want` (or, rising, not below
 * it). */
static inline bool seek(const hc_timeline *t, path *p, int64_t want, bool rising)
{
  const leaf *l = &t->leaves[p->leaf];
  const inner *in;
  uint32_t d = t->height, i = 0;
  p->pos = seek_leaf(l, p->pos, want - p->leaf_start, rising);
  if (p->pos < l->count) return true;
  do { /* up, to the first node that has such a child further right */
    if (d-- == 0) return false;
    in = fresh(t, p->node[d], d);
    i = seek_inner(in, p->index[d] + 1, want - p->start[d], rising);
  } while (i == in->count);
  for (;;) { /* and down */
    int64_t start = p->start[d] + in->before[i];
    uint32_t node = in->child[i];
    p->index[d] = i;
    if (++d == t->height) {
      p->leaf = node;
      p->leaf_start = start;
      p->pos = seek_leaf(&t->leaves[node], 0, want - start, rising);
      return true;
    }
    p->node[d] = node;
    p->start[d] = start;
    in = fresh(t, node, d);
    i = seek_inner(in, 0, want - start, rising);
  }
}

hc_time hc_timeline_earliest(const hc_timeline *t, hc_time from, hc_time duration, int64_t want)
{
  path p;
  hc_time start = from;
  if (from == HC_NEVER) return HC_NEVER;
  descend(t, from, &p);
  if (level_before(t, &p) < want) {
    if (!seek(t, &p, want, true)) return HC_NEVER;
    start = t->leaves[p.leaf].at[p.pos++];
  }
  while (seek(t, &p, want, false)) {
    if (t->leaves[p.leaf].at[p.pos] >= hc_time_add(start, duration)) return start;
    if (!seek(t, &p, want, true)) return HC_NEVER;
    start = t->leaves[p.leaf].at[p.pos++];
  }
  return start;
}

/* If the path stands behind its leaf, go to the next leaf's first breakpoint. */
static bool settle(const hc_timeline *t, path *p)
{
  uint32_t d = t->height;
  if (p->pos < t->leaves[p->leaf].count) return true;
  do {
    if (d-- == 0) return false;
  } while (p->index[d] + 1 == t->inners[p->node[d]].count);
  p->index[d]++;
  for (; d + 1 < t->height; d++) {
    p->node[d + 1] = t->inners[p->node[d]].child[p->index[d]];
    p->index[d + 1] = 0;
  }
  p->leaf = t->inners[p->node[d]].child[p->index[d]];
  p->pos = 0;
  return true;
}

bool hc_timeline_first(const hc_timeline *t, hc_time from, hc_time *at, int64_t *change)
{
  path p;
  const leaf *l;
  if (from == INT64_MIN) from++; /* nothing is that early */
  descend(t, from - 1, &p);
  if (!settle(t, &p)) return false;
  l = &t->leaves[p.leaf];
  *at = l->at[p.pos];
  *change = l->level[p.pos] - (p.pos > 0 ? l->level[p.pos - 1] : 0);
  return true;
}

int64_t hc_timeline_base(const hc_timeline *t)
{
  return t->base;
}

void hc_timeline_base_add(hc_timeline *t, int64_t change)
{
  t->base += change;
}

size_t hc_timeline_count(const hc_timeline *t)
{
  return t->count;
}

/* ---- life ---- */

static void clear(hc_timeline *t)
{
  t->leaf_count = 0;
  t->inner_count = 0;
  t->free_leaf = NONE;
  t->free_inner = NONE;
  t->height = 0;
  t->count = 0;
  t->root = new_leaf(t);
}

hc_rc hc_timeline_new(const hc_allocator *a, int64_t base, hc_timeline **out)
{
  hc_timeline *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  t->allocator = a;
  t->base = base;
  if (reserve_nodes(t, 1, 0) < 0) {
    hc_free(a, t, sizeof *t);
    return HC_ENOMEM;
  }
  clear(t);
  *out = t;
  return 0;
}

void hc_timeline_free(hc_timeline *t)
{
  const hc_allocator *a;
  if (!t) return;
  a = t->allocator;
  hc_free(a, t->leaves, t->leaf_cap * sizeof *t->leaves);
  hc_free(a, t->inners, t->inner_cap * sizeof *t->inners);
  hc_free(a, t, sizeof *t);
}

typedef struct breakpoint {
  hc_time at;
  int64_t change;
} breakpoint;

static hc_rc load(hc_timeline *t, hc_visitor *v, uint64_t count)
{
  hc_time last = INT64_MIN;
  clear(t);
  for (uint64_t i = 0; i < count; i++) {
    breakpoint b;
    HC_VISIT(v, b);
    if ((i > 0 && b.at <= last) || b.at == HC_NEVER || b.change == 0) return HC_EINPUT;
    TRY(hc_timeline_add(t, b.at, b.change));
    last = b.at;
  }
  return 0;
}

/* Breakpoint by breakpoint, in order: the tree's shape depends on its history, what it holds does not. */
hc_rc hc_timeline_visit(hc_timeline *t, hc_visitor *v)
{
  path p;
  uint64_t count = t->count;
  HC_VISIT(v, t->base);
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) return load(t, v, count);
  descend(t, INT64_MIN, &p);
  for (p.pos = 0; settle(t, &p); p.pos = t->leaves[p.leaf].count) {
    const leaf *l = &t->leaves[p.leaf];
    breakpoint block[KEYS];
    for (uint32_t i = 0; i < l->count; i++) {
      block[i] = (breakpoint){.at = l->at[i], .change = l->level[i] - (i > 0 ? l->level[i - 1] : 0)};
    }
    TRY(hc_visit_bytes(v, block, l->count * sizeof block[0]));
  }
  return 0;
}
