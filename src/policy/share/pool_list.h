/* pool_list.h -- the pools that a configuration lists, as a tree: which is in which, by name.
 *
 * Pools have numbers from 1, in the order of the list; 0 is the root, above all of them. A pool stands behind
 * the one that it is in, so parents have lower numbers. What is said of a pool besides is the reader's. */
#ifndef HC_POLICY_SHARE_POOL_LIST_H
#define HC_POLICY_SHARE_POOL_LIST_H

#include "policy/share/due.h"
#include "policy/share/user_pool.h"

typedef struct hc_pool_list {
  const hc_allocator *allocator;
  const hc_list *pools; /* borrowed: hc_chosen, whose options are hc_user_pool_options */
  hc_names names;       /* the id of a pool's name is its number, less 1 */
  uint32_t *parent;     /* [rooms] */
  size_t rooms;         /* 1 + pools->count: the list may be gone before this is */
} hc_pool_list;

/* @param dues users are put into their pools there; `where` of it is for messages @return 0, HC_EUSAGE (a
 * pool without a name, two of one name, a parent that does not stand before, a user in two pools),
 * HC_ENOMEM. */
hc_rc hc_pool_list_read(hc_pool_list *l, const hc_list *pools, hc_dues *dues, hc_error *e);
void hc_pool_list_fini(hc_pool_list *l);
/* The number of the pool of this name; 0: there is none. */
uint32_t hc_pool_list_find(const hc_pool_list *l, const char *name);
/* @param i  from 1 */
static inline const hc_user_pool_options *hc_pool_list_at(const hc_pool_list *l, uint32_t i)
{
  return ((const hc_chosen *)l->pools->items)[i - 1].options;
}

#endif
