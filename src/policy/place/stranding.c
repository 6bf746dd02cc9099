/* stranding.c -- best fit that also avoids to leave one dimension free while another is used up.
 *
 * Borg's hybrid of best fit and E-PVM was not published; what is known is that it reduces stranded amounts
 * and packs a few per cent better than best fit. This is a stand-in, with that aim and no claim beyond it.
 *
 * Score: -(sum of w left + lambda (greatest left - least left)), where left = (free - need) / capacity.
 * Bound: the sum of the least shares, and the range that intervals between the corners have at least. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
  double lambda;
} options;

/* Greatest low end less least high end: no vector between the corners has a smaller range. */
static double range(const hc_shares *low, const hc_shares *high)
{
  double most = 0, least = 1;
  for (uint32_t i = 0; i < low->count; i++) {
    most = HC_MAX(most, low->at[i].left);
    least = HC_MIN(least, high->at[i].left);
  }
  return most > least ? most - least : 0;
}

static double score(void *self, const hc_host_view *h)
{
  const options *o = self;
  hc_shares x;
  hc_shares_read(&o->scale, NULL, h, &x);
  return -(hc_shares_left(&x) + o->lambda * range(&x, &x));
}

static double bound(void *self, const hc_host_box *b)
{
  const options *o = self;
  hc_share_box x;
  if (!hc_share_box_read(&o->scale, NULL, b, &x)) return -__builtin_inf();
  return -(hc_shares_left(&x.low) + o->lambda * range(&x.low, &x.high));
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_WEIGHTS_PARAM(options, scale),
    HC_PARAM(REAL, options, lambda, "1", "1", 0, 1e6,
             "Weight of the difference between the freest and the fullest dimension, compared with their "
             "sum."),
    {.name = NULL}};

const hc_place_type hc_place_stranding = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "stranding",
         .summary = "best fit that avoids leaving one dimension free while another is used up",
         .detail =
             "Score of a host: -(sum of weight x left + lambda (greatest left - least left)), left = (free - "
             "need) / capacity. This formula is our own, with the aim of Borg's hybrid score, which was not "
             "published." HC_LOWEST_TEXT,
         .source =
             "after Verma et al., Large-scale cluster management at Google with Borg, EuroSys 2015, section "
             "3.2",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
