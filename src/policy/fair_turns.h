/* fair_turns.h -- whose turn it is: users in the order of what they have, as the books say.
 *
 * Every rule is a key of a user that changes only when what the user has, or what the cell has, changes: so the next
 * user is the head of a line that is kept in order, and a start or an end moves one of them. The tree of pools (H-DRF)
 * keeps its own order, and the line then only says who could fit. */
#ifndef HC_POLICY_FAIR_TURNS_H
#define HC_POLICY_FAIR_TURNS_H

#include "policy/fair_books.h"
#include "policy/fair_choose.h"
#include "policy/fair_line.h"

#define HC_SHARE_RULES "drf|max_min|asset|fifo|hdrf" /* in the order of hc_share_rule */
typedef enum hc_share_rule {
  HC_SHARE_DRF,     /* max_r used_r / capacity_r */
  HC_SHARE_MAX_MIN, /* the same of one dimension */
  HC_SHARE_ASSET,   /* sum_r used_r / capacity_r */
  HC_SHARE_FIFO,    /* whose first task is first in the queue */
  HC_SHARE_HDRF     /* H-DRF over a tree of pools */
} hc_share_rule;

typedef struct hc_turns_options {
  hc_share_rule rule;
  hc_hdrf_rule tree_rule;
  const char *dimension;  /* MAX_MIN */
  const hc_list *weights; /* const char *: "ann=2" */
  const hc_list *pools;   /* hc_chosen, whose options are hc_user_pool_options */
  hc_lexicon *lexicon;
} hc_turns_options;

typedef struct hc_turns {
  const hc_allocator *allocator;
  hc_turns_options o;
  uint32_t dimension; /* the lexicon's number */
  uint8_t which[HC_DIMENSIONS];
  int64_t capacity[HC_DIMENSIONS]; /* as it was at the last decision */
  hc_map weight_of, pool_of;       /* user -> place in o.weights; pool from 1 */
  double *weights;                 /* [o.weights->count] */
  hc_books books;
  hc_line line;
  uint32_t in_line; /* how many */
  hc_hdrf tree;
  bool has_tree;     /* it is up to date with the books */
  bool is_broken;    /* something could not be noted for want of memory: the run ends with this round */
  uint32_t *by_leaf; /* [leaf_cap] users by id, in the order of the tree's leaves */
  size_t leaf_cap;
} hc_turns;

/* @return 0, HC_EUSAGE (a weight or a pool that makes no sense, with its name), HC_ENOMEM. */
hc_rc hc_turns_init(hc_turns *t, const hc_allocator *a, const hc_turns_options *o, hc_error *e);
void hc_turns_fini(hc_turns *t);
/* As hc_policy_type.hears. @param idle out: the user who has nothing any more, or HC_NOBODY. */
hc_rc hc_turns_hear(hc_turns *t, const hc_services *s, const hc_view *v, hc_heard what, hc_task task,
                    const int64_t *amounts, uint32_t *idle);
/* Before a decision: see what the cell has now. Cost: O(dimensions), O(users) if that has changed. */
hc_rc hc_turns_open(hc_turns *t, const hc_services *s, const hc_view *v);
/* Whose turn it is, of those who wait and could fit into `free` (NULL: anything), or HC_NOBODY if nobody could. With
 * H-DRF it may be somebody who does not fit there. */
uint32_t hc_turns_next(hc_turns *t, const int64_t *free);
/* Take somebody out of the line, or put it back. */
void hc_turns_leave(hc_turns *t, uint32_t user, bool is_out);
/* Does user `x` come before `y` in the line? */
bool hc_turns_before(const hc_turns *t, uint32_t x, uint32_t y);
hc_rc hc_turns_visit(hc_turns *t, hc_visitor *v);

#endif
