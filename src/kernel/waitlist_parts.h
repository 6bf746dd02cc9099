/* waitlist_parts.h -- the line and the tree of a waitlist, for the three files that work on them:
 * waitlist.c on one entry of the tree at a time, waitlist_bulk.c on all of them, waitlist_line.c on the
 * line before it. */
#ifndef HC_KERNEL_WAITLIST_PARTS_H
#define HC_KERNEL_WAITLIST_PARTS_H

#include "kernel/waitlist.h"

enum {
  ENTRIES = 31,    /* of a leaf */
  FANOUT = 16,     /* children of an inner node */
  KEYS = 15,       /* its separators */
  CLASSES = 48,    /* the last one takes everything above 12 million units */
  LEAF_SPARSE = 8, /* fewer entries: merged if the two ... */
  LEAF_ROOMY = 24, /* ... have at most so many together */
  INNER_SPARSE = 4,
  INNER_ROOMY = 12,
  HEIGHT_LIMIT = 16 /* levels of inner nodes */
};

#define NONE UINT32_MAX
#define EMPTY_CLASS HC_NEVER   /* estimate of a class that has no task */
#define ENDLESS (HC_NEVER - 1) /* what an unknown estimate counts as in a node */

/* Places past the count hold the greatest key and serial, so that a search needs no count. */
typedef struct leaf {
  int64_t key[ENTRIES];
  uint32_t count, next_free;
  uint64_t serial[ENTRIES];
  int64_t units[ENTRIES];
  hc_time estimate[ENTRIES];
  hc_task task[ENTRIES];
} leaf;

typedef struct inner {
  int64_t key[KEYS]; /* (key, serial)[i]: no entry of child i+1 is before it, all of child i are */
  uint64_t serial[KEYS];
  uint32_t count, next_free;
  uint32_t child[FANOUT];            /* leaves in the lowest inner nodes */
  int64_t units[FANOUT];             /* least of each child; INT64_MAX past the count */
  uint64_t kinds[FANOUT];            /* at least the bits of each child's tasks */
  hc_time shortest[CLASSES][FANOUT]; /* least estimate in a class or below; EMPTY_CLASS past the count */
} inner;

/* Entries that came in order: a ring in which those that were taken out of the middle leave a hole. */
typedef struct line {
  hc_waiting *items;       /* [cap], a power of two; task HC_NO_TASK: a hole */
  size_t head, count, cap; /* count: holes included */
  size_t held;             /* without them */
  int64_t least;           /* units of the smallest; 0: not known */
} line;

struct hc_waitlist {
  const hc_allocator *allocator;
  const hc_kinds *kinds; /* NULL: all tasks are of bit 63 */
  line line;
  uint64_t units_low, units_high; /* their sum in line and tree: 128 bits */
  leaf *leaves;
  inner *inners;
  size_t leaf_count, leaf_cap, inner_count, inner_cap;
  uint32_t free_leaf, free_inner;
  uint32_t root, height; /* height 0: the root is a leaf */
  uint32_t classes;      /* those of tasks seen so far; nodes do not keep the rows behind */
  size_t count;          /* in the tree */
};

typedef struct path {
  uint32_t node[HEIGHT_LIMIT], index[HEIGHT_LIMIT];
  uint32_t leaf, pos; /* pos may be the leaf's count */
} path;

hc_rc hc_waittree_insert(hc_waitlist *w, const hc_waiting *entry);
int64_t hc_waittree_remove(hc_waitlist *w, int64_t key, uint64_t serial); /* the units of what went */
hc_task hc_waittree_next(const hc_waitlist *w, hc_cursor *at, const hc_filter *filter, uint64_t without);
hc_task hc_waittree_first(const hc_waitlist *w, hc_cursor *at);
hc_task hc_waittree_at(const hc_waitlist *w, size_t k);
int64_t hc_waittree_smallest(const hc_waitlist *w);
hc_rc hc_waittree_rekey(hc_waitlist *w, int64_t (*key)(void *ctx, hc_task task), void *ctx);
hc_rc hc_waittree_visit(hc_waitlist *w, hc_visitor *v);
hc_rc hc_waittree_reserve(hc_waitlist *w, size_t leaves,
                          size_t inners);   /* room for so many more: 0 or HC_ENOMEM */
uint32_t hc_waittree_leaf(hc_waitlist *w);  /* an empty leaf; wants reserved room */
uint32_t hc_waittree_inner(hc_waitlist *w); /* an empty inner node; wants reserved room */
void hc_waittree_clear(hc_waitlist *w);     /* no entry; keeps the memory */
void hc_waittree_refresh(hc_waitlist *w, inner *in, uint32_t c, bool over_leaves); /* look at child c anew */
void hc_waittree_begin(const hc_waitlist *w, path *p);                             /* to the first entry */
bool hc_waittree_leaf_after(const hc_waitlist *w, path *p); /* to the next leaf; false behind the last */

static inline void hc_waitlist_count_units(hc_waitlist *w, int64_t units)
{
  uint64_t low = w->units_low + (uint64_t)units;
  w->units_high += (uint64_t)(low < w->units_low);
  w->units_low = low;
}

static inline void hc_waitlist_discount_units(hc_waitlist *w, int64_t units)
{
  w->units_high -= (uint64_t)(w->units_low < (uint64_t)units);
  w->units_low -= (uint64_t)units;
}

static inline uint64_t hc_waitlist_kind(const hc_waitlist *w, hc_task t)
{
  return UINT64_C(1) << (w->kinds && t < w->kinds->count ? w->kinds->of[t] : 63);
}

static inline void hc_waittree_put(leaf *l, uint32_t pos, const hc_waiting *e)
{
  l->key[pos] = e->key;
  l->serial[pos] = e->serial;
  l->units[pos] = e->units;
  l->estimate[pos] = e->estimate;
  l->task[pos] = e->task;
}

#endif
