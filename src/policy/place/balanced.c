/* balanced.c -- the host on which the dimensions are used most evenly.
 *
 * Score: 1 - the standard deviation, over the host's dimensions, of the used shares behind the task; it is
 * that of the shares left. With judge: change, the deviation before less that behind: how much the task evens
 * out. In two or more dimensions sqrt(n) x deviation is the distance from the line along which all shares are
 * equal.
 *
 * Bound: the least deviation of numbers of which each lies in its own interval, which is that of each held
 * as near as it can to one common level. With judge: change, less than the deviation of the need alone (a
 * deviation is a norm), and no more than half the widest range before, less that. */
#include "base/math.h"
#include "policy/placing.h"

enum { BEHIND, CHANGE };

typedef struct options {
  hc_scale scale;
  int judge;
} options;

enum { NEED, FREE, LEFT };

static double value_of(const hc_share *x, int which)
{
  return which == NEED ? x->need : which == FREE ? x->free : x->left;
}

static double deviation(const hc_shares *x, int which)
{
  double mean = 0, squares = 0;
  if (!(x->weight > 0)) return 0;
  for (uint32_t i = 0; i < x->count; i++) mean += x->at[i].weight * value_of(&x->at[i], which);
  mean /= x->weight;
  for (uint32_t i = 0; i < x->count; i++) {
    double away = value_of(&x->at[i], which) - mean;
    squares += x->at[i].weight * (away * away);
  }
  return hc_sqrt(squares / x->weight);
}

static double score_of(const options *o, const hc_shares *x)
{
  if (o->judge == BEHIND) return 1 - deviation(x, LEFT);
  return deviation(x, FREE) - deviation(x, LEFT);
}

static double score(void *self, const hc_host_view *h)
{
  const options *o = self;
  hc_shares x;
  hc_shares_read(&o->scale, NULL, h, &x);
  return score_of(o, &x);
}

/* Sum of weight x (distance of each interval from a level)^2, and which level suits the intervals that it
 * is outside of, all others at the level. */
static double squares_at(const hc_share_box *b, double level, double *better)
{
  double squares = 0, sum = 0, weight = 0;
  for (uint32_t i = 0; i < b->low.count; i++) {
    double low = b->low.at[i].left, high = b->high.at[i].left, w = b->low.at[i].weight;
    double at = level < low ? low : level > high ? high : level;
    if (at > level || at < level) {
      squares += w * ((at - level) * (at - level));
      sum += w * at;
      weight += w;
    }
  }
  *better = weight > 0 ? sum / weight : level;
  return squares;
}

/* The sum is convex in the level, and a parabola between two ends of intervals: try each end, and the
 * lowest point of the parabola on either side of it. */
static double least_deviation(const hc_share_box *b)
{
  double least = -1, better, unused;
  if (!b->sure || b->low.count == 0) return 0;
  for (uint32_t i = 0; i < 2 * b->low.count; i++) {
    double level = i < b->low.count ? b->low.at[i].left : b->high.at[i - b->low.count].left;
    for (int side = -1; side <= 1; side++) {
      double squares = squares_at(b, level + side * HC_PLACING_SLACK, &better);
      if (least < 0 || squares < least) least = squares;
      squares = squares_at(b, better, &unused);
      if (squares < least) least = squares;
    }
  }
  least = hc_sqrt(least / b->low.weight) - HC_PLACING_SLACK;
  return HC_MAX(least, 0);
}

static double half_range_before(const hc_share_box *b)
{
  double low = 1, high = 0;
  for (uint32_t i = 0; i < b->low.count; i++) {
    low = HC_MIN(low, b->low.at[i].free);
    high = HC_MAX(high, b->high.at[i].free);
  }
  return high > low ? (high - low) / 2 : 0;
}

static double bound(void *self, const hc_host_box *b)
{
  const options *o = self;
  hc_share_box x;
  double before;
  if (!hc_share_box_read(&o->scale, NULL, b, &x)) return -__builtin_inf();
  if (x.point) return score_of(o, &x.low);
  if (o->judge == BEHIND) return 1 - least_deviation(&x);
  before = half_range_before(&x) - least_deviation(&x);
  if (x.fixed) before = HC_MIN(before, deviation(&x.low, NEED));
  return before + HC_PLACING_SLACK;
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST,
                      .self = (void *)o,
                      .score = score,
                      .bound = bound,
                      .is_share = ((const options *)o)->judge == BEHIND};
}

static const hc_param params[] = {
    HC_WEIGHTS_PARAM(options, scale),
    HC_PARAM(CHOICE, options, judge, "behind|change", "behind",
             "What is scored. behind: how even the use of the host is with the task on it. change: how much "
             "more even the task makes it."),
    {.name = NULL}};

const hc_place_type hc_place_balanced = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "balanced",
         .summary = "the host on which, with the task, the dimensions are used most evenly",
         .detail =
             "Score of a host: 1 - standard deviation of (used + need) / capacity over its dimensions, "
             "weighted: Kubernetes' BalancedAllocation. judge: change scores the deviation without the task "
             "less that with it, which orders hosts with equally many dimensions as DSLab's "
             "DeltaPerpDistance does. A host with one dimension is always even." HC_LOWEST_TEXT,
         .source = "Kubernetes, scheduler plugin NodeResourcesBalancedAllocation; Gulati et al., VMware "
                   "distributed resource management, 2012, for the change",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
