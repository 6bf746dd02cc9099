/* waitlist_parts.h -- the tree of a waitlist, for the two files that work on it: waitlist.c on one entry
 * at a time, waitlist_bulk.c on all of them. */
#ifndef HC_ARCHITECTURE_WAITLIST_PARTS_H
#define HC_ARCHITECTURE_WAITLIST_PARTS_H

#include "architecture/waitlist.h"

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
#define NOBODY HC_NEVER        /* estimate of a class that has no task */
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
  hc_time shortest[CLASSES][FANOUT]; /* least estimate in a class or below; NOBODY past the count */
} inner;

struct hc_waitlist {
  const hc_allocator *allocator;
  leaf *leaves;
  inner *inners;
  size_t leaf_count, leaf_cap, inner_count, inner_cap;
  uint32_t free_leaf, free_inner;
  uint32_t root, height; /* height 0: the root is a leaf */
  uint32_t classes;      /* those of tasks seen so far; nodes do not keep the rows behind */
  size_t count;
  uint64_t units_low, units_high; /* their sum: 128 bits */
};

typedef struct path {
  uint32_t node[HEIGHT_LIMIT], index[HEIGHT_LIMIT];
  uint32_t leaf, pos; /* pos may be the leaf's count */
} path;

hc_rc hc_waittree_reserve(hc_waitlist *w, size_t leaves,
                          size_t inners);   /* room for so many more: 0 or HC_ENOMEM */
uint32_t hc_waittree_leaf(hc_waitlist *w);  /* an empty leaf; wants reserved room */
uint32_t hc_waittree_inner(hc_waitlist *w); /* an empty inner node; wants reserved room */
void hc_waittree_clear(hc_waitlist *w);     /* no entry; keeps the memory */
void hc_waittree_refresh(hc_waitlist *w, inner *in, uint32_t c, bool over_leaves); /* look at child c anew */
void hc_waittree_begin(const hc_waitlist *w, path *p);                             /* to the first entry */
bool hc_waittree_next(const hc_waitlist *w, path *p); /* to the next leaf; false behind the last */

static inline void hc_waittree_put(leaf *l, uint32_t pos, const hc_waiting *e)
{
  l->key[pos] = e->key;
  l->serial[pos] = e->serial;
  l->units[pos] = e->units;
  l->estimate[pos] = e->estimate;
  l->task[pos] = e->task;
}

#endif
