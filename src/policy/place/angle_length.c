/* angle_length.c -- the angle between need and free, times how much longer the free vector is.
 *
 * Score: -(1 - cos) |free| / |need|: how much of what is free points away from what is needed, in units of
 * the need. Among hosts in proportion it does not choose; a small host slightly askew is better than a
 * large one. Bound: the least of it over the box (placing.c), or 0 where its hosts have different
 * divisors. */
#include "base/math.h"
#include "policy/placing.h"

typedef struct options {
  hc_scale scale;
} options;

static uint32_t set_vectors(const hc_shares *low, const hc_shares *high, double *a, double *from, double *to)
{
  for (uint32_t i = 0; i < low->count; i++) {
    a[i] = low->at[i].weight * low->at[i].need;
    from[i] = low->at[i].weight * low->at[i].free;
    to[i] = low->at[i].weight * high->at[i].free;
  }
  return low->count;
}

static double length(const double *a, uint32_t n)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += a[i] * a[i];
  return hc_sqrt(sum);
}

static double score(void *self, const hc_host_view *h)
{
  double a[HC_DIMENSIONS], f[HC_DIMENSIONS], need;
  hc_shares x;
  uint32_t n;
  hc_shares_read(&((const options *)self)->scale, NULL, h, &x);
  n = set_vectors(&x, &x, a, f, f);
  need = length(a, n);
  return need > 0 ? -(hc_aside(a, f, n) / need) : 0;
}

static double bound(void *self, const hc_host_box *b)
{
  double a[HC_DIMENSIONS], from[HC_DIMENSIONS], to[HC_DIMENSIONS], need;
  hc_share_box x;
  uint32_t n;
  if (!hc_share_box_read(&((const options *)self)->scale, NULL, b, &x)) return -__builtin_inf();
  if (!x.fixed) return 0;
  n = set_vectors(&x.low, &x.high, a, from, to);
  need = length(a, n);
  if (!(need > 0)) return 0;
  return -((x.point ? hc_aside(a, from, n) : hc_aside_least(a, from, to, n)) / need);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {HC_SCALE_PARAMS(options, scale, "host"), {.name = NULL}};

const hc_place_type hc_place_angle_length = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "angle_length",
         .summary = "the host whose free amounts deviate least from the direction of the task's need",
         .detail = "Score of a host: -(1 - cos(need, free)) |free| / |need|. The packing of YTsaurus "
                   "compares cpu and memory divided by the cell's totals: weights: [1, 1], normalise: "
                   "cell." HC_LOWEST_TEXT,
         .source = "YTsaurus, scheduler, packing metric AngleLength", .params = params,
         .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
