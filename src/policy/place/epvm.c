/* epvm.c -- opportunity cost: the host on which an exponential price rises least. It spreads load.
 *
 * Score: -(sum of w (N^((used + need) / capacity) - N^(used / capacity))), written N^u (N^d - 1). Bound:
 * the same over the least use of a box, widened where powers of different exponents are compared. */
#include "base/math.h"
#include "policy/placing.h"

#define LEAST 1.001 /* a base of 1 has no price */

typedef struct options {
  hc_scale scale;
  double hosts;
} options;

/* The base of the price. */
static double base_of(const options *o, const hc_cell_totals *cell)
{
  if (o->hosts >= LEAST) return o->hosts;
  return cell && cell->hosts > 1 ? (double)cell->hosts : 2; /* with one host there is nothing to choose */
}

/* @param low where the need is read, `high` where the free share is: use is least where most is free. */
static double rise(const options *o, const hc_cell_totals *cell, const hc_shares *low, const hc_shares *high)
{
  const double base = base_of(o, cell);
  double sum = 0;
  for (uint32_t i = 0; i < low->count; i++)
    sum += low->at[i].weight * (hc_pow(base, 1 - high->at[i].free) * (hc_pow(base, low->at[i].need) - 1));
  return sum;
}

static double score(void *self, const hc_host_view *h)
{
  const options *o = self;
  hc_shares x;
  hc_shares_read(&o->scale, NULL, h, &x);
  return -rise(o, h->cell, &x, &x);
}

static double bound(void *self, const hc_host_box *b)
{
  const options *o = self;
  hc_share_box x;
  if (!hc_share_box_read(&o->scale, NULL, b, &x)) return -__builtin_inf();
  if (x.point) return -rise(o, b->cell, &x.low, &x.high);
  return -(rise(o, b->cell, &x.low, &x.high) * (1 - HC_PLACING_SLACK) - HC_PLACING_SLACK);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_WEIGHTS_PARAM(options, scale),
    HC_PARAM(REAL, options, hosts, "hosts", "0", 0, 1e9,
             "The base N of the price, from 1.001. 0 (or less than that): the number of hosts that are up "
             "at the time, as in the source."),
    {.name = NULL}};

const hc_place_type hc_place_epvm = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "epvm",
         .summary = "the host on which an exponential price of use rises least (E-PVM, early Borg)",
         .detail =
             "Score of a host: minus the sum over dimensions of weight x (N^((used + need) / capacity) - "
             "N^(used / capacity)). A large N avoids hosts of which one dimension is nearly "
             "full." HC_LOWEST_TEXT,
         .source =
             "Amir et al., An opportunity cost approach for job assignment in a scalable computing cluster, "
             "IEEE TPDS 11 (2000); Verma et al., EuroSys 2015",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
