/* best_fit.c -- the smallest free range that holds the task; if none does, as few ranges as possible.
 *
 * As few as possible means the largest ones, whole, and for what is then left the smallest range that
 * holds it. Ties go to the lower id. Cost: O(ranges) for each range taken. */
#include "base/util.h"
#include "hindcast/policy.h"

/* Ranges in the order in which they are taken whole: larger first, then lower. */
static bool is_before(hc_range a, hc_range b)
{
  return a.count > b.count || (a.count == b.count && a.first < b.first);
}

/* The smallest range of at least `units` that was not taken: one behind `last` in the order. -1: none. */
static int64_t smallest_that_holds(const hc_place_input *in, int64_t units, const hc_range *last)
{
  int64_t best = -1;
  for (size_t i = 0; i < in->free_count; i++) {
    hc_range r = in->free[i];
    if (r.count < units || (last && !is_before(*last, r))) continue;
    if (best < 0 || r.count < in->free[best].count) best = (int64_t)i;
  }
  return best;
}

static int64_t largest_left(const hc_place_input *in, const hc_range *last)
{
  int64_t best = -1;
  for (size_t i = 0; i < in->free_count; i++) {
    hc_range r = in->free[i];
    if (last && !is_before(*last, r)) continue;
    if (best < 0 || is_before(r, in->free[best])) best = (int64_t)i;
  }
  return best;
}

static size_t put(hc_range *out, size_t n, hc_range r)
{
  size_t i = n;
  for (; i > 0 && out[i - 1].first > r.first; i--) out[i] = out[i - 1];
  out[i] = r;
  return n + 1;
}

static size_t place(const void *options, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units, found;
  const hc_range *last = NULL; /* the one taken whole most recently */
  size_t n = 0;
  HC_UNUSED(options);
  if (left <= 0) return 0;
  while ((found = smallest_that_holds(in, left, last)) < 0) {
    found = largest_left(in, last);
    if (found < 0) return 0; /* not enough is free */
    last = &in->free[found];
    n = put(out, n, *last);
    left -= last->count;
  }
  return put(out, n, (hc_range){in->free[found].first, (uint32_t)left});
}

const hc_place_type hc_place_best_fit = {
    .component = {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "best_fit",
                  .summary = "the smallest free range that holds the task, else as few ranges as possible",
                  .detail =
                      "If no range holds it, the largest are taken whole, and for what is left the smallest "
                      "that holds it. Ties go to the lower ids. A task fits whenever enough processors are "
                      "free."},
    .place = place,
};
