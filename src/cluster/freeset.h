/* freeset.h -- which processors are free: ascending, disjoint ranges that never touch.
 *
 * An array of ranges with binary search: a machine of 93,312 processors has a few hundred free ranges at a
 * time, and moving those is cheaper than walking a tree. Cost O(log ranges + ranges moved) an operation. */
#ifndef HC_CLUSTER_FREESET_H
#define HC_CLUSTER_FREESET_H

#include "base/mem.h"

typedef struct hc_freeset {
  const hc_allocator *allocator;
  hc_range *ranges;
  size_t count, cap;
  int64_t free; /* ids in all */
} hc_freeset;

void hc_freeset_init(hc_freeset *f, const hc_allocator *a);
void hc_freeset_fini(hc_freeset *f);
hc_rc hc_freeset_add(hc_freeset *f,
                     hc_range r); /* give back: 0, HC_ENOMEM; HC_ECONFLICT if any id was free */
hc_rc hc_freeset_remove(hc_freeset *f,
                        hc_range r); /* take: 0, HC_ENOMEM; HC_ECONFLICT if any id was not free */
bool hc_freeset_holds(const hc_freeset *f, hc_range r); /* all of it is free */
uint32_t hc_freeset_longest(const hc_freeset *f);       /* length of the longest range; O(ranges) */
hc_rc hc_freeset_visit(hc_freeset *f, hc_visitor *v);

#endif
