/* drfh.c -- the host whose free amounts are in the same ratios to each other as the task's: best fit of DRFH.
 *
 * Score: -(sum of w |need_r / need_1 - free_r / free_1|), where 1 is the first dimension that the task
 * needs. Bound: each ratio of a box lies between two quotients of its corners, and each distance is at
 * least that of the two intervals; the score to the bit where they are points. */
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
} options;

/* The first dimension that is needed; `count` if there is none. */
static uint32_t reference(const hc_shares *x)
{
  uint32_t i = 0;
  while (i < x->count && !(x->at[i].need > 0)) i++;
  return i;
}

static double apart(double a, double b)
{
  return a > b ? a - b : b - a;
}

static double score(void *self, const hc_host_view *h)
{
  double sum = 0;
  hc_shares x;
  uint32_t one;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  one = reference(&x);
  if (one == x.count) return 0;
  for (uint32_t i = 0; i < x.count; i++)
    if (i != one) sum += x.at[i].weight * apart(x.at[i].need / x.at[one].need, x.at[i].free / x.at[one].free);
  return -sum;
}

/* Distance of two intervals; 0 if they touch. */
static double gap(const double a[2], const double b[2])
{
  return b[0] > a[1] ? b[0] - a[1] : a[0] > b[1] ? a[0] - b[1] : 0;
}

static double bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  hc_share_box x;
  uint32_t one;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  one = reference(&x.low); /* what is needed, every host of the box has */
  if (one == x.low.count) return 0;
  for (uint32_t i = 0; i < x.low.count; i++) {
    const hc_share *low = &x.low.at[i], *high = &x.high.at[i];
    double need[2] = {low->need / x.high.at[one].need, high->need / x.low.at[one].need};
    double free[2] = {low->free / x.high.at[one].free, high->free / x.low.at[one].free};
    if (i != one) sum += low->weight * gap(need, free);
  }
  return -sum;
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {HC_SCALE_PARAMS(options, scale, "host"), {.name = NULL}};

const hc_place_type hc_place_drfh = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "drfh",
         .summary = "the host whose free amounts have the same ratios as the task's",
         .detail =
             "Score of a host: minus the sum over dimensions of weight x |need_r / need_1 - free_r / "
             "free_1|, where 1 is the first dimension that the task needs. The source divides by the totals "
             "of the cell: normalise: cell." HC_LOWEST_TEXT,
         .source =
             "Wang, Li and Liang, Dominant resource fairness in cloud computing systems with heterogeneous "
             "servers, INFOCOM 2014",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
