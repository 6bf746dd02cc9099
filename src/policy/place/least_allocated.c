/* least_allocated.c -- the host that is used least, task included: Kubernetes' LeastAllocated.
 *
 * Score: mean over the host's dimensions of (free - need) / capacity. It differs from worst_fit in being a
 * mean: a host with one dimension less loses nothing by it. Bound: the mean of the greatest shares; where
 * hosts of a box differ in what dimensions they have, the greatest share alone. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
} options;

static double score(void *self, const hc_host_view *h)
{
  hc_shares x;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  return hc_shares_left_mean(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  hc_share_box x;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  return hc_share_box_left_most(&x);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){
      .how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound, .is_share = true};
}

static const hc_param params[] = {HC_WEIGHTS_PARAM(options, scale), {.name = NULL}};

const hc_place_type hc_place_least_allocated = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "least_allocated",
         .summary = "the host of which the smallest share is used, the task included",
         .detail =
             "Score of a host: the weighted mean, over the dimensions that it has, of (free - need) / "
             "capacity. Kubernetes scores cpu and memory and cuts to whole hundredths; here every dimension "
             "counts by its weight and nothing is cut." HC_LOWEST_TEXT,
         .source = "Kubernetes, scheduler plugin NodeResourcesFit with the strategy LeastAllocated",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
