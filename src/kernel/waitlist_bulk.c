/* waitlist_bulk.c -- a waitlist as a whole: sorted anew by other keys, saved, loaded, hashed.
 *
 * Sorting takes all entries out, merge-sorts them, and builds the tree from below with nearly full nodes.
 * An order whose keys vary seldom changes places much, so entries that are in order already are recognised
 * first. */
#include "kernel/waitlist_parts.h"

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

static hc_waiting entry_of(const leaf *l, uint32_t i)
{
  return (hc_waiting){.key = l->key[i],
                      .serial = l->serial[i],
                      .task = l->task[i],
                      .units = l->units[i],
                      .estimate = l->estimate[i]};
}

static inline bool is_before(const hc_waiting *a, const hc_waiting *b)
{
  return a->key != b->key ? a->key < b->key : a->serial < b->serial;
}

HC_SORT_STABLE(sort_entries, hc_waiting, is_before(a, b))

enum { LEAF_FILL = ENTRIES - 3, INNER_FILL = FANOUT - 2 }; /* of a tree that is built at once */

/* Build a tree that holds sorted entries; nearly full leaves and nodes. Room for them was reserved. */
static void build(hc_waitlist *w, const hc_waiting *sorted, size_t n)
{
  size_t fill = n <= ENTRIES ? ENTRIES : LEAF_FILL;
  uint32_t begin = 0, end;
  uint64_t low = w->units_low, high = w->units_high;
  uint32_t classes = w->classes;
  hc_waittree_clear(w);
  w->classes = classes;
  w->units_low = low;
  w->units_high = high;
  w->count = n;
  for (size_t i = 0; i < n; i++) {
    uint32_t l = (uint32_t)(i / fill);
    if (l == w->leaf_count) (void)hc_waittree_leaf(w);
    hc_waittree_put(&w->leaves[l], w->leaves[l].count++, &sorted[i]);
  }
  end = (uint32_t)w->leaf_count;
  /* Nodes of one level are numbered in a row; each level is built from the one below. */
  for (bool over_leaves = true; end - begin > 1; over_leaves = false) {
    uint32_t above = (uint32_t)w->inner_count;
    for (uint32_t child = begin; child < end; child++) {
      uint32_t node = above + (child - begin) / INNER_FILL, c = (child - begin) % INNER_FILL, first = child;
      if (node == w->inner_count) (void)hc_waittree_inner(w);
      inner *in = &w->inners[node];
      in->child[c] = child;
      in->count++;
      if (c > 0) {
        if (!over_leaves) {
          for (uint32_t d = 0; d < w->height; d++) first = w->inners[first].child[0];
        }
        in->key[c - 1] = w->leaves[first].key[0];
        in->serial[c - 1] = w->leaves[first].serial[0];
      }
      hc_waittree_refresh(w, in, c, over_leaves);
    }
    w->height++;
    begin = above;
    end = (uint32_t)w->inner_count;
    w->root = begin;
  }
}

hc_rc hc_waittree_rekey(hc_waitlist *w, int64_t (*key)(void *ctx, hc_task task), void *ctx)
{
  hc_waiting few[ENTRIES + ENTRIES / 2], *items = few;
  size_t n = 0, room = (w->count + w->count / 2) * sizeof *items;
  path p;
  if (w->count > ENTRIES) {
    size_t leaves = w->count / LEAF_FILL + 1, inners = leaves / (INNER_FILL - 1) + HEIGHT_LIMIT;
    TRY(hc_waittree_reserve(w, leaves > w->leaf_count ? leaves - w->leaf_count : 0,
                            inners > w->inner_count ? inners - w->inner_count : 0));
    items = w->allocator->resize(w->allocator->ctx, NULL, 0, room);
    if (!items) return HC_ENOMEM;
  }
  hc_waittree_begin(w, &p);
  do {
    const leaf *l = &w->leaves[p.leaf];
    for (uint32_t i = 0; i < l->count; i++) {
      items[n] = entry_of(l, i);
      items[n].key = key(ctx, l->task[i]);
      n++;
    }
  } while (hc_waittree_leaf_after(w, &p));
  sort_entries(items, n, items + w->count);
  build(w, items, n);
  if (items != few) hc_free(w->allocator, items, room);
  return 0;
}

/* An entry in a snapshot: no padding. */
typedef struct saved {
  int64_t key;
  uint64_t serial, task;
  int64_t units;
  hc_time estimate;
} saved;

static hc_rc load(hc_waitlist *w, hc_visitor *v, uint64_t count)
{
  hc_waiting last = {0};
  hc_waittree_clear(w);
  w->units_low = w->units_high = 0;
  for (uint64_t i = 0; i < count; i++) {
    saved s;
    HC_VISIT(v, s);
    hc_waiting e = {
        .key = s.key, .serial = s.serial, .task = (hc_task)s.task, .units = s.units, .estimate = s.estimate};
    if (s.units < 0 || s.task >= HC_NO_TASK || s.serial == UINT64_MAX) return HC_EINPUT;
    if (i > 0 && !is_before(&last, &e)) return HC_EINPUT;
    TRY(hc_waittree_insert(w, &e));
    hc_waitlist_count_units(w, e.units);
    last = e;
  }
  return 0;
}

/* Entry by entry, in order: the tree's shape depends on its history, what it holds does not. */
hc_rc hc_waittree_visit(hc_waitlist *w, hc_visitor *v)
{
  path p;
  uint64_t count = w->count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) return load(w, v, count);
  hc_waittree_begin(w, &p);
  do {
    const leaf *l = &w->leaves[p.leaf];
    saved block[ENTRIES];
    for (uint32_t i = 0; i < l->count; i++) {
      block[i] = (saved){.key = l->key[i],
                         .serial = l->serial[i],
                         .task = l->task[i],
                         .units = l->units[i],
                         .estimate = l->estimate[i]};
    }
    TRY(hc_visit_bytes(v, block, l->count * sizeof block[0]));
  } while (hc_waittree_leaf_after(w, &p));
  return 0;
}
