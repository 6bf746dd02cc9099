/* order.h -- rows of a table in the order of their keys, kept beside them. */
#ifndef HC_METRIC_ORDER_H
#define HC_METRIC_ORDER_H

#include "base/mem.h"

typedef struct hc_order {
  size_t *at; /* [rows] places of the rows by ascending key */
  size_t cap;
} hc_order;

/* @param rows [count] of `size` bytes, each of which begins with its key, an int64_t. @return 0 or HC_ENOMEM.
 * Cost: as hc_pairs_sort. */
hc_rc hc_order_make(hc_order *o, const hc_allocator *a, const void *rows, size_t count, size_t size);
void hc_order_fini(hc_order *o, const hc_allocator *a);

#endif
