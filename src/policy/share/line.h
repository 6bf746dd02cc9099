/* line.h -- the least of n keys among those whose need fits.
 *
 * Users that need the same stand in one row, a heap; the rows play a tournament, whose nodes know the least
 * that any user below them needs, dimension by dimension: what cannot fit is passed over by the row and by
 * the subtree. A change of a key replays one path, without looking at needs. What did not fit for any user is
 * remembered until one needs something that none needed before: a host with no more than that is passed over
 * at once.
 *
 * On wish the line is also kept in order (is_ordered), in blocks, so that its first m are a walk. */
#ifndef HC_POLICY_SHARE_LINE_H
#define HC_POLICY_SHARE_LINE_H

#include "hindcast/task.h"
#include "policy/share/needs.h"

enum { HC_LINE_MISSES = 4, HC_LINE_BLOCK = 128 };

/* Users of one need: a heap by key. */
typedef struct hc_row {
  uint32_t *users;
  size_t count, cap;
} hc_row;

/* Users one after another in the order of their keys. */
typedef struct hc_line_block {
  uint32_t count, user[HC_LINE_BLOCK];
} hc_line_block;

typedef struct hc_line {
  const hc_allocator *allocator;
  uint32_t dims, places; /* places: how many users there may be */
  size_t key_cap, tie_cap, kind_cap, at_cap;
  bool is_ordered;
  double *key;    /* [places] */
  uint64_t *tie;  /* [places] decides between equal keys; then the lower index */
  uint32_t *kind; /* [places] of its need; HC_NO_KIND: it is not in the line */
  uint32_t *at;   /* [places] where it is in its row */
  hc_needs needs;
  hc_row *rows; /* [row_cap] by kind */
  size_t row_cap;
  uint32_t leaves;  /* a power of two, or 0 */
  uint32_t *winner; /* [2 leaves] node 1 is the root, leaf k is leaves + k: the first of row k; HC_NOBODY */
  int64_t *least;   /* [2 leaves][dims] */
  int64_t miss[HC_LINE_MISSES][HC_DIMENSIONS]; /* what no user fits into */
  uint32_t misses, next_miss;
  hc_line_block **blocks; /* [block_count] */
  size_t block_count, block_cap;
} hc_line;

/* Where a walk is. Zeroed: before the first. */
typedef struct hc_line_walk {
  size_t block;
  uint32_t at;
} hc_line_walk;

/* Room for `count` places; what is in it stays. @return 0 or HC_ENOMEM. */
hc_rc hc_line_grow(hc_line *l, const hc_allocator *a, uint32_t dims, uint32_t count);
void hc_line_fini(hc_line *l);
/* Put a user in, or change its key or its need. @param need [dims]; NULL: take it out. @return 0, HC_ENOMEM.
 * Cost: O(log count), and O(dims log kinds) where the first or the last that needs it comes or leaves. */
hc_rc hc_line_set(hc_line *l, uint32_t i, double key, uint64_t tie, const int64_t *need);
/* The first that needs at most `free` [dims] (NULL: any), or HC_NOBODY. Cost: O(1) if the first of all does,
 * or none fits and that is known; else O(dims log kinds) where needs are alike, and at worst O(dims
 * kinds). */
uint32_t hc_line_first(hc_line *l, const int64_t *free);
/* The next of a line that is_ordered, or HC_NOBODY. The line must not change meanwhile. */
uint32_t hc_line_next(const hc_line *l, hc_line_walk *w);
bool hc_line_before(const hc_line *l, uint32_t x, uint32_t y);
static inline bool hc_line_has(const hc_line *l, uint32_t i)
{
  return l->kind[i] != HC_NO_KIND;
}

#endif
