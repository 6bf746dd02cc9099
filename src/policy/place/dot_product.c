/* dot_product.c -- the host whose free vector has the greatest product with the task's: Tetris' alignment.
 *
 * Score: sum of w (need / n) (free / n). Bound: the same over the greatest shares of a box; with prefer:
 * smallest the negative of the same over the least. */
#include "policy/placing.h"

enum { LARGEST, SMALLEST };

typedef struct options {
  hc_learner_options learner; /* first */
  int prefer;
} options;

static double product(const hc_shares *x)
{
  double sum = 0;
  for (uint32_t i = 0; i < x->count; i++) sum += x->at[i].weight * (x->at[i].need * x->at[i].free);
  return sum;
}

static double score(void *self, const hc_host_view *h)
{
  const hc_learner *l = self;
  const options *o = l->options;
  hc_shares x;
  hc_shares_read(&o->learner.scale, &l->demand, h, &x);
  return o->prefer == LARGEST ? product(&x) : -product(&x);
}

static double bound(void *self, const hc_host_box *b)
{
  const hc_learner *l = self;
  const options *o = l->options;
  hc_share_box x;
  if (!hc_share_box_read(&o->learner.scale, &l->demand, b, &x)) return -__builtin_inf();
  return o->prefer == LARGEST ? product(&x.high) : -product(&x.low);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(o);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = self, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_SCALE_PARAMS(options, learner.scale, "host"),
    HC_LEARNER_PARAMS(options, learner),
    HC_PARAM(CHOICE, options, prefer, "largest|smallest", "largest",
             "Which product wins. largest: as in Tetris and Panigrahy et al. smallest: as in the FGD "
             "simulator, whose score is 1 - product."),
    {.name = NULL}};

const hc_place_type hc_place_dot_product = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "dot_product",
         .summary = "the host whose free amounts have the greatest product with the task's",
         .detail =
             "Score of a host: the sum over dimensions of weight x (need / divisor) x (free / divisor). "
             "Tetris and DSLab divide by what the host has. The FGD simulator's DotProduct scores 1 - x, "
             "and so prefers the smallest: prefer: smallest, with normalise: host (its `node`), amounts "
             "(its `max`) or task (its `pod`). Its x is the mean over dimensions, and with `pod` "
             "tanh(mean / 10), which order hosts as the sum does. DSLab's "
             "WeightedDotProduct takes the cell's present use as weights, which a placement is not told: "
             "give weights, or weigh: demand." HC_LOWEST_TEXT,
         .source =
             "Grandl et al., Multi-resource packing for cluster schedulers, SIGCOMM 2014; Panigrahy et al., "
             "Heuristics for Vector Bin Packing, 2011",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = hc_learner_init,
    .arrived = hc_learner_arrived,
    .visit = hc_learner_visit,
    .fini = hc_learner_fini,
};
