/* worst_fit.c -- the host that keeps most: sum of weight x what is left, each dimension as a share.
 *
 * Score: sum of w (free - need) / n. Bound: the same over the greatest shares of a box; it is the score to
 * the bit where all hosts of the box are alike. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
} options;

static double score(void *self, const hc_host_view *h)
{
  hc_shares x;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  return hc_shares_left(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  hc_share_box x;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  return hc_shares_left(&x.high);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {HC_SCALE_PARAMS(options, scale, "host"), {.name = NULL}};

const hc_place_type hc_place_worst_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "worst_fit",
         .summary = "the host on which the most is left free",
         .detail =
             "Score of a host: the sum over dimensions of weight x (free - need) / divisor. The highest "
             "wins, of equal ones the lower host. With weights: [1] and normalise: nothing only cores "
             "count." HC_LOWEST_TEXT,
         .source = "Panigrahy et al., Heuristics for Vector Bin Packing, Microsoft Research 2011",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
