/* bounded.h -- an allocator that gives so many bytes at most, and knows whether they were given back. */
#ifndef HC_TESTS_FUZZ_BOUNDED_H
#define HC_TESTS_FUZZ_BOUNDED_H

#include "hindcast/base.h"

typedef struct bounds {
  size_t most, used; /* bytes */
} bounds;

/* hc_allocator's resize, over bounds. */
static inline void *bounded(void *ctx, void *p, size_t old_size, size_t new_size)
{
  bounds *b = (bounds *)ctx;
  const hc_allocator *a = hc_default_allocator();
  void *q;
  if (new_size > old_size && b->used + (new_size - old_size) > b->most) return NULL;
  q = a->resize(a->ctx, p, old_size, new_size);
  if (q || new_size == 0) b->used = b->used - old_size + new_size;
  return q;
}

#endif
