/* waitlist.c -- the queue of waiting tasks as a B+-tree by (key, serial).
 *
 * A leaf holds up to 31 entries, one array a member. An inner node has up to 16 children and keeps for
 * each the least units in it, and for each size class the least estimate of the child's tasks *of that
 * class or a smaller one*. So one row of 16 numbers answers for one class of a query which children to
 * look into; a child whose least units exceed the query's is passed over whatever its class. What remains
 * to be tried in vain are leaves whose only short tasks are larger than the query but in its class: the
 * adversarial case of the benchmark.
 *
 * Estimates fall as the class rises, so an insertion stops at the first class that has a shorter task
 * already; a removal looks again only if the task was the shortest, and only at the classes in which it
 * was.
 *
 * Nodes are in two flat arrays and are named by index; freed ones are used again: a queue at its steady
 * length does not allocate. A node less than a quarter full is merged with a neighbour if both fit well;
 * an empty one is freed. A queue of up to 31 tasks is one leaf. Serials are below UINT64_MAX. Measured by
 * bench/bench_waitlist. */
#include "kernel/waitlist.h"

#include <string.h>

#include "base/util.h"
#include "kernel/waitlist_parts.h"

/* 1 2 3 4 5-6 7-8 9-12 13-16 ...: two classes an octave. */
static inline uint32_t class_of(int64_t units)
{
  uint64_t u = (uint64_t)units - 1;
  uint32_t octave, c;
  if (units <= 2) return units == 2;
  octave = 63 - (uint32_t)__builtin_clzll(u); /* 2^octave <= units - 1 < 2^(octave + 1) */
  c = 2 * octave + (uint32_t)(u >> (octave - 1) & 1);
  return c < CLASSES ? c : CLASSES - 1;
}

static inline hc_time rank_estimate(hc_time estimate)
{
  return estimate < ENDLESS ? estimate : ENDLESS;
}

static inline uint32_t is_before(int64_t key, uint64_t serial, int64_t k, uint64_t s)
{
  return (uint32_t)(key < k) | ((uint32_t)(key == k) & (uint32_t)(serial <= s));
}

/* How many of a leaf's entries are at or before (k, s): two steps of independent comparisons, 3 and then
 * 7. */
static inline uint32_t rank_leaf(const leaf *l, int64_t k, uint64_t s)
{
  uint32_t p = 8 * (is_before(l->key[7], l->serial[7], k, s) + is_before(l->key[15], l->serial[15], k, s) +
                    is_before(l->key[23], l->serial[23], k, s));
  uint32_t n = p;
  for (uint32_t i = p; i < p + 7; i++) n += is_before(l->key[i], l->serial[i], k, s);
  return n;
}

/* Which child of an inner node (k, s) belongs to: 3 comparisons, and then 3. */
static inline uint32_t rank_inner(const inner *in, int64_t k, uint64_t s)
{
  uint32_t p = 4 * (is_before(in->key[3], in->serial[3], k, s) + is_before(in->key[7], in->serial[7], k, s) +
                    is_before(in->key[11], in->serial[11], k, s));
  return p + is_before(in->key[p], in->serial[p], k, s) + is_before(in->key[p + 1], in->serial[p + 1], k, s) +
         is_before(in->key[p + 2], in->serial[p + 2], k, s);
}

/* Go to the first entry behind (k, s). */
static inline void descend(const hc_waitlist *w, int64_t k, uint64_t s, path *p)
{
  uint32_t node = w->root;
  for (uint32_t d = 0; d < w->height; d++) {
    uint32_t i = rank_inner(&w->inners[node], k, s);
    p->node[d] = node;
    p->index[d] = i;
    node = w->inners[node].child[i];
  }
  p->leaf = node;
  p->pos = rank_leaf(&w->leaves[node], k, s);
}

void hc_waittree_begin(const hc_waitlist *w, path *p)
{
  uint32_t node = w->root;
  for (uint32_t d = 0; d < w->height; d++) {
    p->node[d] = node;
    p->index[d] = 0;
    node = w->inners[node].child[0];
  }
  p->leaf = node;
  p->pos = 0;
}

bool hc_waittree_leaf_after(const hc_waitlist *w, path *p)
{
  uint32_t d = w->height;
  do {
    if (d-- == 0) return false;
  } while (p->index[d] + 1 == w->inners[p->node[d]].count);
  p->index[d]++;
  for (; d + 1 < w->height; d++) {
    p->node[d + 1] = w->inners[p->node[d]].child[p->index[d]];
    p->index[d + 1] = 0;
  }
  p->leaf = w->inners[p->node[d]].child[p->index[d]];
  return true;
}

/* ---- nodes ---- */

hc_rc hc_waittree_reserve(hc_waitlist *w, size_t leaves, size_t inners)
{
  if (w->leaf_count + leaves >= NONE || w->inner_count + inners >= NONE) return HC_ENOMEM;
  TRY(hc_reserve(w->allocator, (void **)&w->leaves, &w->leaf_cap, w->leaf_count + leaves, sizeof *w->leaves));
  return hc_reserve(w->allocator, (void **)&w->inners, &w->inner_cap, w->inner_count + inners,
                    sizeof *w->inners);
}

static void blank_leaf(leaf *l, uint32_t from)
{
  for (uint32_t i = from; i < ENTRIES; i++) {
    l->key[i] = INT64_MAX;
    l->serial[i] = UINT64_MAX;
  }
}

static void blank_inner(inner *in, uint32_t from, uint32_t classes)
{
  for (uint32_t i = from > 0 ? from - 1 : 0; i < KEYS; i++) {
    in->key[i] = INT64_MAX;
    in->serial[i] = UINT64_MAX;
  }
  for (uint32_t i = from; i < FANOUT; i++) in->units[i] = INT64_MAX;
  for (uint32_t k = 0; k < classes; k++) {
    for (uint32_t i = from; i < FANOUT; i++) in->shortest[k][i] = EMPTY_CLASS;
  }
}

uint32_t hc_waittree_leaf(hc_waitlist *w)
{
  uint32_t l = w->free_leaf;
  if (l != NONE) w->free_leaf = w->leaves[l].next_free;
  else l = (uint32_t)w->leaf_count++;
  w->leaves[l].count = 0;
  blank_leaf(&w->leaves[l], 0);
  return l;
}

uint32_t hc_waittree_inner(hc_waitlist *w)
{
  uint32_t n = w->free_inner;
  if (n != NONE) w->free_inner = w->inners[n].next_free;
  else n = (uint32_t)w->inner_count++;
  w->inners[n].count = 0;
  blank_inner(&w->inners[n], 0, w->classes);
  return n;
}

static void free_node(hc_waitlist *w, uint32_t node, bool is_leaf)
{
  if (is_leaf) {
    w->leaves[node].next_free = w->free_leaf;
    w->free_leaf = node;
  } else {
    w->inners[node].next_free = w->free_inner;
    w->free_inner = node;
  }
}

static uint32_t node_count(const hc_waitlist *w, uint32_t node, bool is_leaf)
{
  return is_leaf ? w->leaves[node].count : w->inners[node].count;
}

static void move_entries(leaf *to, uint32_t at, const leaf *from, uint32_t begin, uint32_t n)
{
  memmove(&to->key[at], &from->key[begin], n * sizeof to->key[0]);
  memmove(&to->serial[at], &from->serial[begin], n * sizeof to->serial[0]);
  memmove(&to->units[at], &from->units[begin], n * sizeof to->units[0]);
  memmove(&to->estimate[at], &from->estimate[begin], n * sizeof to->estimate[0]);
  memmove(&to->task[at], &from->task[begin], n * sizeof to->task[0]);
}

/* Children with what is known of them; the separators are the caller's. */
static void move_children(inner *to, uint32_t at, const inner *from, uint32_t begin, uint32_t n,
                          uint32_t classes)
{
  memmove(&to->child[at], &from->child[begin], n * sizeof to->child[0]);
  memmove(&to->units[at], &from->units[begin], n * sizeof to->units[0]);
  memmove(&to->kinds[at], &from->kinds[begin], n * sizeof to->kinds[0]);
  for (uint32_t k = 0; k < classes; k++) {
    memmove(&to->shortest[k][at], &from->shortest[k][begin], n * sizeof to->shortest[0][0]);
  }
}

static void move_keys(inner *to, uint32_t at, const inner *from, uint32_t begin, uint32_t n)
{
  memmove(&to->key[at], &from->key[begin], n * sizeof to->key[0]);
  memmove(&to->serial[at], &from->serial[begin], n * sizeof to->serial[0]);
}

/* ---- what a node knows of its children ---- */

static int64_t leaf_units(const leaf *l)
{
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < l->count; i++) least = l->units[i] < least ? l->units[i] : least;
  return least;
}

static int64_t inner_units(const inner *in)
{
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < FANOUT; i++) least = in->units[i] < least ? in->units[i] : least;
  return least;
}

static uint64_t kinds_of(const hc_waitlist *w, uint32_t node, bool is_leaf)
{
  const leaf *l = &w->leaves[node];
  const inner *in = &w->inners[node];
  uint64_t all = 0;
  if (is_leaf && !w->kinds) return UINT64_C(1) << 63;
  if (is_leaf)
    for (uint32_t i = 0; i < l->count; i++) all |= hc_waitlist_kind(w, l->task[i]);
  else
    for (uint32_t i = 0; i < in->count; i++) all |= in->kinds[i];
  return all;
}

static hc_time row_least(const hc_time row[FANOUT])
{
  hc_time a = row[0], b = row[1];
  for (uint32_t i = 2; i < FANOUT; i += 2) {
    a = row[i] < a ? row[i] : a;
    b = row[i + 1] < b ? row[i + 1] : b;
  }
  return HC_MIN(a, b);
}

/* The column of a leaf: least estimate of class k or below, for k from `first` to `last`. */
static void leaf_column(const leaf *l, uint32_t first, uint32_t last, hc_time column[CLASSES])
{
  for (uint32_t k = first; k <= last; k++) column[k] = EMPTY_CLASS;
  for (uint32_t i = 0; i < l->count; i++) {
    uint32_t k = class_of(l->units[i]);
    hc_time e = rank_estimate(l->estimate[i]);
    if (k > last) continue;
    if (k < first) k = first;
    if (e < column[k]) column[k] = e;
  }
  for (uint32_t k = first + 1; k <= last; k++) column[k] = HC_MIN(column[k], column[k - 1]);
}

void hc_waittree_refresh(hc_waitlist *w, inner *in, uint32_t c, bool over_leaves)
{
  hc_time column[CLASSES];
  in->kinds[c] = kinds_of(w, in->child[c], over_leaves);
  if (over_leaves) {
    const leaf *l = &w->leaves[in->child[c]];
    in->units[c] = leaf_units(l);
    leaf_column(l, 0, w->classes - 1, column);
    for (uint32_t k = 0; k < w->classes; k++) in->shortest[k][c] = column[k];
  } else {
    const inner *below = &w->inners[in->child[c]];
    in->units[c] = inner_units(below);
    for (uint32_t k = 0; k < w->classes; k++) in->shortest[k][c] = row_least(below->shortest[k]);
  }
}

/* ---- splitting: only when an entry meets a full leaf ---- */

static void open_child(const hc_waitlist *w, inner *in, uint32_t c, uint32_t node, int64_t key,
                       uint64_t serial)
{
  move_children(in, c + 1, in, c, in->count - c, w->classes);
  move_keys(in, c, in, c - 1, in->count - c);
  in->key[c - 1] = key;
  in->serial[c - 1] = serial;
  in->child[c] = node;
  in->count++;
}

/* Split child c of a node that has room. Where entries are appended, the left part stays nearly full. */
static void split_child(hc_waitlist *w, uint32_t node, uint32_t c, bool over_leaves, bool at_end)
{
  uint32_t right = over_leaves ? hc_waittree_leaf(w) : hc_waittree_inner(w);
  inner *in = &w->inners[node];
  if (over_leaves) {
    leaf *from = &w->leaves[in->child[c]], *to = &w->leaves[right];
    uint32_t keep = at_end ? ENTRIES - 3 : (ENTRIES + 1) / 2;
    to->count = from->count - keep;
    move_entries(to, 0, from, keep, to->count);
    from->count = keep;
    blank_leaf(from, keep);
    open_child(w, in, c + 1, right, to->key[0], to->serial[0]);
  } else {
    inner *from = &w->inners[in->child[c]], *to = &w->inners[right];
    uint32_t keep = at_end ? FANOUT - 3 : FANOUT / 2;
    int64_t key = from->key[keep - 1];
    uint64_t serial = from->serial[keep - 1];
    to->count = from->count - keep;
    move_children(to, 0, from, keep, to->count, w->classes);
    move_keys(to, 0, from, keep, to->count - 1);
    from->count = keep;
    blank_inner(from, keep, w->classes);
    open_child(w, in, c + 1, right, key, serial);
  }
  hc_waittree_refresh(w, in, c, over_leaves);
  hc_waittree_refresh(w, in, c + 1, over_leaves);
}

/* Put an inner node with one child above the root. */
static void grow_root(hc_waitlist *w)
{
  uint32_t root = hc_waittree_inner(w);
  w->inners[root].child[0] = w->root;
  w->inners[root].count = 1;
  hc_waittree_refresh(w, &w->inners[root], 0, w->height == 0);
  w->root = root;
  w->height++;
}

/* Split what is full on the way to (k, s), from the top, so that its leaf has room. Changes nothing if it
 * fails. */
static hc_rc make_room(hc_waitlist *w, int64_t k, uint64_t s)
{
  uint32_t node;
  bool at_end = true; /* nothing is to the right of the way */
  if (w->height + 1 >= HEIGHT_LIMIT) return HC_ENOMEM;
  TRY(hc_waittree_reserve(w, 1, w->height + 2));
  if (w->height == 0 || w->inners[w->root].count == FANOUT) grow_root(w);
  node = w->root;
  for (uint32_t d = 0; d < w->height; d++) {
    bool over_leaves = d + 1 == w->height;
    uint32_t c = rank_inner(&w->inners[node], k, s), child = w->inners[node].child[c];
    at_end = at_end && c + 1 == w->inners[node].count;
    if (node_count(w, child, over_leaves) == (over_leaves ? (uint32_t)ENTRIES : (uint32_t)FANOUT)) {
      const leaf *l = &w->leaves[over_leaves ? child : 0];
      bool appends = at_end && (!over_leaves || is_before(l->key[ENTRIES - 1], l->serial[ENTRIES - 1], k, s));
      split_child(w, node, c, over_leaves, appends);
      c += is_before(w->inners[node].key[c], w->inners[node].serial[c], k, s);
    }
    node = w->inners[node].child[c];
  }
  return 0;
}

/* ---- inserting ---- */

/* A task of a greater class than any before: its rows begin as those of the greatest so far. */
static void add_classes(hc_waitlist *w, uint32_t classes)
{
  for (size_t n = 0; n < w->inner_count; n++) {
    inner *in = &w->inners[n];
    for (uint32_t k = w->classes; k < classes; k++) {
      memcpy(in->shortest[k], in->shortest[w->classes - 1], sizeof in->shortest[k]);
    }
  }
  w->classes = classes;
}

hc_rc hc_waittree_insert(hc_waitlist *w, const hc_waiting *entry)
{
  path p;
  leaf *l;
  uint32_t first = class_of(entry->units);
  descend(w, entry->key, entry->serial, &p);
  l = &w->leaves[p.leaf];
  if (l->count == ENTRIES) {
    TRY(make_room(w, entry->key, entry->serial));
    descend(w, entry->key, entry->serial, &p);
    l = &w->leaves[p.leaf];
  }
  if (p.pos < l->count) move_entries(l, p.pos + 1, l, p.pos, l->count - p.pos);
  hc_waittree_put(l, p.pos, entry);
  l->count++;
  w->count++;
  if (first >= w->classes) add_classes(w, first + 1);
  for (uint32_t d = w->height; d-- > 0;) {
    inner *in = &w->inners[p.node[d]];
    hc_time e = rank_estimate(entry->estimate);
    uint32_t c = p.index[d];
    if (entry->units < in->units[c]) in->units[c] = entry->units;
    in->kinds[c] |= hc_waitlist_kind(w, entry->task);
    for (uint32_t k = first; k < w->classes && in->shortest[k][c] > e; k++) in->shortest[k][c] = e;
  }
  return 0;
}

/* ---- removing and merging ---- */

static void close_child(const hc_waitlist *w, inner *in, uint32_t c)
{
  uint32_t k = c > 0 ? c - 1 : 0; /* the separator that goes */
  move_children(in, c, in, c + 1, in->count - c - 1, w->classes);
  if (k + 2 < in->count) move_keys(in, k, in, k + 1, in->count - k - 2);
  in->count--;
  blank_inner(in, in->count, w->classes);
}

/* Child c has become small: free it if it is empty, or merge it with a neighbour if the two fit well. */
static void shrink(hc_waitlist *w, inner *in, uint32_t c, bool over_leaves)
{
  uint32_t n = node_count(w, in->child[c], over_leaves), roomy = over_leaves ? LEAF_ROOMY : INNER_ROOMY;
  if (n == 0) {
    free_node(w, in->child[c], over_leaves);
    close_child(w, in, c);
    return;
  }
  for (uint32_t side = 0; side < 2; side++) {
    uint32_t left = side == 0 ? c : c - 1, other = side == 0 ? c + 1 : c - 1;
    if (other >= in->count || n + node_count(w, in->child[other], over_leaves) > roomy) continue;
    uint32_t a = in->child[left], b = in->child[left + 1];
    if (over_leaves) {
      leaf *to = &w->leaves[a];
      move_entries(to, to->count, &w->leaves[b], 0, w->leaves[b].count);
      to->count += w->leaves[b].count;
    } else {
      inner *to = &w->inners[a];
      const inner *from = &w->inners[b];
      move_children(to, to->count, from, 0, from->count, w->classes);
      move_keys(to, to->count, from, 0, from->count - 1);
      to->key[to->count - 1] = in->key[left];
      to->serial[to->count - 1] = in->serial[left];
      to->count += from->count;
    }
    free_node(w, b, over_leaves);
    close_child(w, in, left + 1);
    hc_waittree_refresh(w, in, left, over_leaves);
    return;
  }
}

static void lower_root(hc_waitlist *w)
{
  while (w->height > 0 && w->inners[w->root].count <= 1) {
    bool is_empty = w->inners[w->root].count == 0;
    uint32_t child = w->inners[w->root].child[0];
    free_node(w, w->root, false);
    w->root = child;
    w->height--;
    if (is_empty) { /* its last leaf was just freed, so this needs no room */
      w->height = 0;
      w->root = hc_waittree_leaf(w);
    }
  }
}

/* Has a leaf a task that is as small and as short? Round estimates being popular, it mostly has. */
static bool has_as_short(const leaf *l, int64_t units, hc_time e)
{
  for (uint32_t i = 0; i < l->count; i++) {
    if ((l->units[i] <= units) & (rank_estimate(l->estimate[i]) <= e)) return true;
  }
  return false;
}

/* An entry of `units` left child c: its class, and others up to `last`, may have lost their shortest task,
 * of e. Narrows the classes to those that did. @return false if nothing changed here, nor can above. */
static bool forget(hc_waitlist *w, inner *in, uint32_t c, bool over_leaves, int64_t units, hc_time e,
                   uint32_t *last)
{
  hc_time column[CLASSES];
  uint32_t first = class_of(units), k = first;
  while (k <= *last && in->shortest[k][c] == e) k++;
  if (k == first) return false;
  *last = k - 1;
  if (over_leaves) {
    if (has_as_short(&w->leaves[in->child[c]], units, e)) return false;
    leaf_column(&w->leaves[in->child[c]], first, *last, column);
    for (k = first; k <= *last && column[k] != e; k++) in->shortest[k][c] = column[k];
  } else {
    const inner *below = &w->inners[in->child[c]];
    for (k = first; k <= *last; k++) {
      hc_time least = row_least(below->shortest[k]);
      if (least == e) break; /* and in each greater class */
      in->shortest[k][c] = least;
    }
  }
  if (k == first) return false;
  *last = k - 1;
  return true;
}

static void remove_upwards(hc_waitlist *w, const path *p, int64_t units, hc_time e)
{
  uint32_t last = w->classes - 1;
  bool look_units = true, look_estimates = true, look_kinds = w->kinds != NULL;
  for (uint32_t d = w->height; d-- > 0;) {
    bool over_leaves = d + 1 == w->height;
    inner *in = &w->inners[p->node[d]];
    uint32_t c = p->index[d];
    look_units = look_units && in->units[c] == units;
    if (look_units) {
      in->units[c] =
          over_leaves ? leaf_units(&w->leaves[in->child[c]]) : inner_units(&w->inners[in->child[c]]);
      look_units = in->units[c] != units;
    }
    if (look_kinds) {
      const uint64_t had = in->kinds[c];
      in->kinds[c] = kinds_of(w, in->child[c], over_leaves);
      look_kinds = in->kinds[c] != had;
    }
    look_estimates = look_estimates && forget(w, in, c, over_leaves, units, e, &last);
    if (node_count(w, in->child[c], over_leaves) <
        (over_leaves ? (uint32_t)LEAF_SPARSE : (uint32_t)INNER_SPARSE)) {
      shrink(w, in, c, over_leaves);
    }
  }
  if (w->height > 0 && w->inners[w->root].count <= 1) lower_root(w);
}

int64_t hc_waittree_remove(hc_waitlist *w, int64_t key, uint64_t serial)
{
  path p;
  leaf *l;
  uint32_t i;
  int64_t units;
  hc_time estimate;
  descend(w, key, serial, &p);
  l = &w->leaves[p.leaf];
  i = p.pos - 1;
  HC_ASSERT(p.pos > 0 && i < l->count && l->key[i] == key && l->serial[i] == serial);
  units = l->units[i];
  estimate = l->estimate[i];
  l->count--;
  if (i < l->count) move_entries(l, i, l, i + 1, l->count - i);
  l->key[l->count] = INT64_MAX;
  l->serial[l->count] = UINT64_MAX;
  w->count--;
  remove_upwards(w, &p, units, rank_estimate(estimate));
  return units;
}

/* ---- asking ---- */

/* A filter, as the tree looks at it. */
typedef struct sieve {
  int64_t units;    /* at most */
  int64_t any_long; /* so small that any estimate will do */
  hc_time estimate;
  uint32_t class;
  uint64_t kinds; /* of any of them */
} sieve;

static sieve sieve_of(const hc_waitlist *w, const hc_filter *f, uint64_t without)
{
  sieve s = {.units = INT64_MAX,
             .any_long = INT64_MAX,
             .estimate = HC_NEVER,
             .class = w->classes - 1,
             .kinds = ~without};
  if (f) {
    s.units = f->max_units;
    s.estimate = f->max_estimate;
    s.any_long = f->max_estimate == HC_NEVER ? f->max_units : HC_MIN(f->or_units, f->max_units);
    s.class = HC_MIN(class_of(f->max_units), s.class);
  }
  return s;
}

static inline uint32_t sift_leaf(const hc_waitlist *w, const leaf *l, uint32_t i, const sieve *s)
{
  for (; i < l->count; i++) {
    int64_t units = l->units[i];
    if (~s->kinds && !(hc_waitlist_kind(w, l->task[i]) & s->kinds)) continue;
    if ((units <= s->any_long) | ((units <= s->units) & (l->estimate[i] <= s->estimate))) break;
  }
  return i;
}

/* First child from c on that holds, or may hold, a task that passes. */
static inline uint32_t sift_inner(const inner *in, uint32_t c, const sieve *s)
{
  const hc_time *shortest = in->shortest[s->class];
  for (; c < in->count; c++) {
    if (!(in->kinds[c] & s->kinds)) continue;
    if ((in->units[c] <= s->any_long) | ((in->units[c] <= s->units) & (shortest[c] <= s->estimate))) break;
  }
  return c;
}

/* Go to the next leaf that holds, or may hold, a task that passes. A node's promise may be broken by all
 * of its children, if one has the small task and another the short one; then the search goes on to its
 * right. */
static bool sift_on(const hc_waitlist *w, path *p, const sieve *s)
{
  for (uint32_t d = w->height; d-- > 0;) {
    const inner *in = &w->inners[p->node[d]];
    uint32_t c = sift_inner(in, p->index[d] + 1, s);
    while (c < in->count) {
      p->index[d] = c;
      if (d + 1 == w->height) {
        p->leaf = in->child[c];
        p->pos = 0;
        return true;
      }
      p->node[++d] = in->child[c];
      in = &w->inners[p->node[d]];
      c = sift_inner(in, 0, s);
    }
  }
  return false;
}

/* Move on to the first entry, the one at the path included, that passes. */
static inline bool sift(const hc_waitlist *w, path *p, const sieve *s)
{
  do {
    const leaf *l = &w->leaves[p->leaf];
    p->pos = sift_leaf(w, l, p->pos, s);
    if (p->pos < l->count) return true;
  } while (sift_on(w, p, s));
  return false;
}

hc_task hc_waittree_next(const hc_waitlist *w, hc_cursor *at, const hc_filter *filter, uint64_t without)
{
  path p;
  const leaf *l;
  sieve s = sieve_of(w, filter, without);
  if (at->inside) {
    descend(w, at->key, at->serial, &p);
  } else {
    hc_waittree_begin(w, &p);
  }
  if (!sift(w, &p, &s)) return HC_NO_TASK;
  l = &w->leaves[p.leaf];
  *at = (hc_cursor){.key = l->key[p.pos], .serial = l->serial[p.pos], .inside = true};
  return l->task[p.pos];
}

hc_task hc_waittree_first(const hc_waitlist *w, hc_cursor *at)
{
  uint32_t node = w->root;
  const leaf *l;
  for (uint32_t d = 0; d < w->height; d++) node = w->inners[node].child[0];
  l = &w->leaves[node];
  if (l->count == 0) return HC_NO_TASK;
  *at = (hc_cursor){.key = l->key[0], .serial = l->serial[0], .inside = true};
  return l->task[0];
}

hc_task hc_waittree_at(const hc_waitlist *w, size_t k)
{
  path p;
  hc_waittree_begin(w, &p);
  while (k >= w->leaves[p.leaf].count) {
    const bool is_there = (k -= w->leaves[p.leaf].count, hc_waittree_leaf_after(w, &p));
    HC_ASSERT(is_there);
  }
  return w->leaves[p.leaf].task[k];
}

int64_t hc_waittree_smallest(const hc_waitlist *w)
{
  if (w->count == 0) return 0;
  return w->height == 0 ? leaf_units(&w->leaves[w->root]) : inner_units(&w->inners[w->root]);
}

/* ---- life ---- */

void hc_waittree_clear(hc_waitlist *w)
{
  w->leaf_count = 0;
  w->inner_count = 0;
  w->free_leaf = NONE;
  w->free_inner = NONE;
  w->height = 0;
  w->count = 0;
  w->classes = 1;
  w->root = hc_waittree_leaf(w);
}

hc_rc hc_waitlist_new(const hc_allocator *a, hc_waitlist **out)
{
  hc_waitlist *w = hc_alloc(a, sizeof *w);
  if (!w) return HC_ENOMEM;
  w->allocator = a;
  if (hc_waittree_reserve(w, 1, 0) < 0) {
    hc_free(a, w, sizeof *w);
    return HC_ENOMEM;
  }
  hc_waittree_clear(w);
  *out = w;
  return 0;
}

void hc_waitlist_free(hc_waitlist *w)
{
  const hc_allocator *a;
  if (!w) return;
  a = w->allocator;
  hc_free(a, w->leaves, w->leaf_cap * sizeof *w->leaves);
  hc_free(a, w->inners, w->inner_cap * sizeof *w->inners);
  hc_free(a, w->line.items, w->line.cap * sizeof *w->line.items);
  hc_free(a, w, sizeof *w);
}
