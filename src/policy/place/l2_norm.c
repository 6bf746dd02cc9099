/* l2_norm.c -- the host whose free vector is nearest to the task's: Panigrahy's norm-based greedy.
 *
 * Score: -(sum of w ((free - need) / n)^2). Bound: the same over the least shares of a box. */
#include "policy/placing.h"

typedef struct options {
  hc_learner_options learner; /* first */
} options;

static double distance(const hc_shares *x)
{
  double sum = 0;
  for (uint32_t i = 0; i < x->count; i++) sum += x->at[i].weight * (x->at[i].left * x->at[i].left);
  return sum;
}

static double score(void *self, const hc_host_view *h)
{
  const hc_learner *l = self;
  hc_shares x;
  hc_shares_read(&((const options *)l->options)->learner.scale, &l->demand, h, &x);
  return -distance(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  const hc_learner *l = self;
  hc_share_box x;
  if (!hc_share_box_read(&((const options *)l->options)->learner.scale, &l->demand, b, &x))
    return -__builtin_inf();
  return -distance(&x.low);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(o);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = self, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_SCALE_PARAMS(options, learner.scale, "host"), HC_LEARNER_PARAMS(options, learner), {.name = NULL}};

const hc_place_type hc_place_l2_norm = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "l2_norm",
         .summary = "the host whose free amounts are nearest to the task's",
         .detail =
             "Score of a host: minus the sum over dimensions of weight x ((free - need) / divisor)^2. The "
             "weights of the source are 1, the mean demand, or exp(rate x mean demand): see weigh. DSLab's "
             "L2NormDiff takes the cell's present use as weights, which a placement is not told: give "
             "weights." HC_LOWEST_TEXT,
         .source = "Panigrahy et al., Heuristics for Vector Bin Packing, Microsoft Research 2011",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = hc_learner_init,
    .arrived = hc_learner_arrived,
    .visit = hc_learner_visit,
    .fini = hc_learner_fini,
};
