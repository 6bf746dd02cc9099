/* freeset.c -- a sorted array of ranges that never touch: what is given back grows its neighbours or joins
 * them. */
#include "cluster/freeset.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

/* Ids are 32 bits and a range may end at 2^32: ends are compared in 64. */
static inline uint64_t end_of(hc_range r)
{
  return (uint64_t)r.first + r.count;
}

/* Number of ranges that begin at or before an id. */
static size_t rank_of(const hc_freeset *f, uint32_t id)
{
  size_t begin = 0, n = f->count;
  while (n > 0) {
    size_t half = n / 2;
    if (f->ranges[begin + half].first <= id) {
      begin += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return begin;
}

void hc_freeset_init(hc_freeset *f, const hc_allocator *a)
{
  *f = (hc_freeset){.allocator = a};
}

void hc_freeset_fini(hc_freeset *f)
{
  hc_free(f->allocator, f->ranges, f->cap * sizeof *f->ranges);
  hc_freeset_init(f, f->allocator);
}

static hc_rc open_range(hc_freeset *f, size_t i, hc_range r)
{
  TRY(hc_reserve(f->allocator, (void **)&f->ranges, &f->cap, f->count + 1, sizeof *f->ranges));
  memmove(&f->ranges[i + 1], &f->ranges[i], (f->count - i) * sizeof *f->ranges);
  f->ranges[i] = r;
  f->count++;
  return 0;
}

static void close_range(hc_freeset *f, size_t i)
{
  f->count--;
  memmove(&f->ranges[i], &f->ranges[i + 1], (f->count - i) * sizeof *f->ranges);
}

hc_rc hc_freeset_add(hc_freeset *f, hc_range r)
{
  size_t i = rank_of(f, r.first); /* the range behind; the one before is i - 1 */
  bool joins_left, joins_right;
  if (r.count == 0) return 0;
  if (end_of(r) > (uint64_t)UINT32_MAX + 1) return HC_ECONFLICT;
  if (i > 0 && end_of(f->ranges[i - 1]) > r.first) return HC_ECONFLICT;
  if (i < f->count && end_of(r) > f->ranges[i].first) return HC_ECONFLICT;
  joins_left = i > 0 && end_of(f->ranges[i - 1]) == r.first;
  joins_right = i < f->count && end_of(r) == f->ranges[i].first;
  if (joins_left && joins_right) {
    f->ranges[i - 1].count += r.count + f->ranges[i].count;
    close_range(f, i);
  } else if (joins_left) {
    f->ranges[i - 1].count += r.count;
  } else if (joins_right) {
    f->ranges[i].first = r.first;
    f->ranges[i].count += r.count;
  } else {
    TRY(open_range(f, i, r));
  }
  f->free += r.count;
  return 0;
}

hc_rc hc_freeset_remove(hc_freeset *f, hc_range r)
{
  size_t i;
  hc_range before, behind, *held;
  if (r.count == 0) return 0;
  if (!hc_freeset_holds(f, r)) return HC_ECONFLICT;
  i = rank_of(f, r.first) - 1;
  held = &f->ranges[i];
  before = (hc_range){held->first, r.first - held->first};
  behind = (hc_range){r.first + r.count, (uint32_t)(end_of(*held) - end_of(r))};
  if (before.count > 0 && behind.count > 0) {
    TRY(open_range(f, i + 1, behind));
    f->ranges[i] = before;
  } else if (before.count > 0) {
    *held = before;
  } else if (behind.count > 0) {
    *held = behind;
  } else {
    close_range(f, i);
  }
  f->free -= r.count;
  return 0;
}

bool hc_freeset_holds(const hc_freeset *f, hc_range r)
{
  size_t i = rank_of(f, r.first);
  if (r.count == 0) return true;
  return i > 0 && end_of(r) <= end_of(f->ranges[i - 1]);
}

uint32_t hc_freeset_longest(const hc_freeset *f)
{
  uint32_t longest = 0;
  for (size_t i = 0; i < f->count; i++) longest = HC_MAX(longest, f->ranges[i].count);
  return longest;
}

hc_rc hc_freeset_visit(hc_freeset *f, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, f->ranges, f->count, f->cap);
  if (!hc_visit_loading(v)) return 0;
  f->free = 0;
  for (size_t i = 0; i < f->count; i++) {
    hc_range r = f->ranges[i];
    bool touches = i > 0 && end_of(f->ranges[i - 1]) >= r.first;
    if (r.count == 0 || touches || end_of(r) > (uint64_t)UINT32_MAX + 1) {
      f->count = i; /* what is left is in order */
      return HC_EINPUT;
    }
    f->free += r.count;
  }
  return 0;
}
