/* most_allocated.c -- the host that is used most, task included: Kubernetes' MostAllocated.
 *
 * Score: mean over the host's dimensions of (used + need) / capacity, which is 1 - the mean of what is
 * left. Bound: the same over the least shares of a box. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
} options;

static double score(void *self, const hc_host_view *h)
{
  hc_shares x;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  return 1 - hc_shares_left_mean(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  hc_share_box x;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  return 1 - hc_share_box_left_least(&x);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){
      .how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound, .is_share = true};
}

static const hc_param params[] = {HC_WEIGHTS_PARAM(options, scale), {.name = NULL}};

const hc_place_type hc_place_most_allocated = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "most_allocated",
         .summary = "the host of which the greatest share is used, the task included",
         .detail = "Score of a host: the weighted mean, over the dimensions that it has, of (used + need) / "
                   "capacity: bin packing by the mean. Kubernetes cuts to whole hundredths; here nothing is "
                   "cut." HC_LOWEST_TEXT,
         .source = "Kubernetes, scheduler plugin NodeResourcesFit with the strategy MostAllocated",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
