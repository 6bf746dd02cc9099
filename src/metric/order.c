/* order.c -- rows in the order of their keys. See order.h. */
#include "metric/order.h"

#include <string.h>

#include "base/radix.h"
#include "base/util.h"

hc_rc hc_order_make(hc_order *o, const hc_allocator *a, const void *rows, size_t count, size_t size)
{
  hc_pair *pairs = hc_alloc(a, count * sizeof *pairs);
  hc_rc rc = pairs ? hc_reserve(a, (void **)&o->at, &o->cap, count, sizeof *o->at) : HC_ENOMEM;
  for (size_t i = 0; rc >= 0 && i < count; i++) {
    int64_t key;
    memcpy(&key, (const char *)rows + i * size, sizeof key);
    pairs[i] = (hc_pair){hc_pair_key(key), i};
  }
  if (rc >= 0) rc = hc_pairs_sort(a, pairs, count);
  for (size_t i = 0; rc >= 0 && i < count; i++) o->at[i] = (size_t)pairs[i].value;
  hc_free(a, pairs, count * sizeof *pairs);
  return rc;
}

void hc_order_fini(hc_order *o, const hc_allocator *a)
{
  hc_free(a, o->at, o->cap * sizeof *o->at);
  *o = (hc_order){0};
}
