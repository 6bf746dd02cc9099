/* recycle.c -- an allocator that gives back to the next run what the last one had. */
#include "study/recycle.h"

#include <string.h>

#include "base/mem.h"
#include "base/util.h"

#define CLASSES (4 * 64)
#define LEAST 32

struct hc_recycler {
  const hc_allocator *below;
  hc_allocator allocator;
  void *free[CLASSES]; /* chains through the first word */
  size_t held, limit;
};

/* Class of a size, and the bytes that its blocks have: 2^k x 1, 1.25, 1.5, 1.75. */
static unsigned class_of(size_t size, size_t *rounded)
{
  const size_t n = HC_MAX(size, (size_t)LEAST);
  const unsigned k = 63u - (unsigned)__builtin_clzll((unsigned long long)n);
  const size_t quarter = ((size_t)1 << k) / 4;
  const size_t steps = (n - ((size_t)1 << k) + quarter - 1) / quarter; /* 0 to 4 */
  *rounded = ((size_t)1 << k) + steps * quarter;
  return k * 4 + (unsigned)steps;
}

static void *take(hc_recycler *r, size_t size)
{
  size_t rounded;
  const unsigned c = class_of(size, &rounded);
  void *p = r->free[c];
  if (!p) return r->below->resize(r->below->ctx, NULL, 0, rounded);
  memcpy(&r->free[c], p, sizeof p);
  r->held -= rounded;
  return p;
}

static void give(hc_recycler *r, void *p, size_t size)
{
  size_t rounded;
  const unsigned c = class_of(size, &rounded);
  if (r->held + rounded > r->limit) {
    (void)r->below->resize(r->below->ctx, p, rounded, 0);
    return;
  }
  memcpy(p, &r->free[c], sizeof p);
  r->free[c] = p;
  r->held += rounded;
}

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  hc_recycler *r = ctx;
  size_t was, is;
  void *q;
  if (new_size > SIZE_MAX / 4) return NULL;
  if (!p) return new_size ? take(r, new_size) : NULL;
  if (new_size == 0) {
    give(r, p, old_size);
    return NULL;
  }
  if (class_of(old_size, &was) == class_of(new_size, &is)) return p;
  q = take(r, new_size);
  if (!q) return NULL;
  memcpy(q, p, HC_MIN(old_size, new_size));
  give(r, p, old_size);
  return q;
}

hc_recycler *hc_recycler_new(const hc_allocator *below, size_t limit)
{
  hc_recycler *r = hc_alloc(below, sizeof *r);
  if (!r) return NULL;
  r->below = below;
  r->limit = limit;
  r->allocator = (hc_allocator){r, resize, below->files};
  return r;
}

void hc_recycler_free(hc_recycler *r)
{
  if (!r) return;
  for (unsigned c = 0; c < CLASSES; c++) {
    while (r->free[c]) {
      void *p = r->free[c];
      const size_t quarter = ((size_t)1 << (c / 4)) / 4;
      memcpy(&r->free[c], p, sizeof p);
      (void)r->below->resize(r->below->ctx, p, ((size_t)1 << (c / 4)) + c % 4 * quarter, 0);
    }
  }
  hc_free(r->below, r, sizeof *r);
}

const hc_allocator *hc_recycler_allocator(const hc_recycler *r)
{
  return &r->allocator;
}
