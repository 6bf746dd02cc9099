/* best_fit.c -- the smallest free range that holds the task; if none does, as few ranges as possible.
 *
 * As few as possible means the largest ones, whole, and for what is then left the smallest range that holds
 * it. Ties go to the lower id. Cost: O(ranges) for each range taken.
 *
 * On hosts: the one on which least is left, the sum over dimensions of w (free - need) / n. Bound: the
 * same over the least shares of a box; it is the score to the bit where all hosts of the box are alike. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale; /* hosts */
} options;

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

static size_t place(const void *unused, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units, found;
  const hc_range *last = NULL; /* the one taken whole most recently */
  size_t n = 0;
  HC_UNUSED(unused);
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

static double score(void *self, const hc_host_view *h)
{
  hc_shares x;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  return -hc_shares_left(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  hc_share_box x;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  return -hc_shares_left(&x.low);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {HC_SCALE_PARAMS(options, scale, "host"), {.name = NULL}};

const hc_place_type hc_place_best_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "best_fit",
         .summary = "the smallest free range that holds the task, or the host on which the least is left "
                    "free",
         .detail =
             "If no free range holds the task, the largest ranges are taken whole, and for the rest of the "
             "task the smallest range that holds it. Ties go to the lower ids. A task fits whenever enough "
             "processors are free. On hosts: the least sum over dimensions of weight x (free - need) / "
             "divisor, the lower host of equal ones. With weights: [1] and normalise: nothing only cores "
             "count. The FGD simulator's BestFit weighs cpu and gpu alike, divided by its largest host: "
             "weights: [0.5, 0, 0, 0.5], normalise: amounts, amounts: [128, 0, 0, 8].",
         .source = "Panigrahy et al., Heuristics for Vector Bin Packing, Microsoft Research 2011",
         .params = params, .options_size = sizeof(options)},
    .place = place,
    .chooser = chooser,
};
