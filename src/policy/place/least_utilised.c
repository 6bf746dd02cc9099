/* least_utilised.c -- the hosts of which least is used: LUNF, least utilised node first.
 *
 * What is used now is the weighted sum of the criterion `utilisation`: tasks and local load together. Where
 * hosts are never shared and have no local load every host that fits is unused, and this is the first fit;
 * `by: past` then takes those that have been used least since time 0. Cost: a look at each host that fits. */
#include "policy/placing.h"

enum { BY_NOW, BY_PAST };

typedef struct options {
  hc_list weights; /* double */
  int by;
} options;

static double now(void *self, const hc_host_view *h)
{
  const hc_list *weights = &((const options *)self)->weights;
  double sum = 0;
  for (uint32_t d = 0; d < h->dimensions; d++) {
    const double weight = h->which[d] < weights->count ? ((const double *)weights->items)[h->which[d]] : 0;
    if (h->capacity[d] <= 0) continue;
    sum += weight * (1 - (double)h->free[d] / (double)h->capacity[d] * (h->load ? 1 - h->load[d] : 1));
  }
  return -sum;
}

static double past(void *self, const hc_host_view *h)
{
  HC_UNUSED(self);
  return -h->past;
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  const bool by_past = ((const options *)o)->by == BY_PAST;
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST,
                      .self = (void *)o,
                      .score = by_past ? past : now,
                      .reads_past = by_past,
                      .reads_load = !by_past};
}

static const hc_param params[] = {
    HC_PARAM(REALS, options, weights, "1", "[0.6, 0.3, 0.1]", 0, 1e6,
             "Weight of each dimension: cpu, memory, disk, gpu, then others in the order in which the run "
             "names them. Those behind the end of the list do not count."),
    HC_PARAM(CHOICE, options, by, "now|past", "now",
             "Which use is compared. now: what tasks and local load use now. past: the mean since time 0 of "
             "what tasks held of the first dimension."),
    {.name = NULL}};

const hc_place_type hc_place_least_utilised = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "least_utilised",
         .summary = "the hosts of which least is used, by tasks and local load",
         .detail =
             "The host with the least sum over dimensions of weight x used, where used = 1 - free (1 - local "
             "load) / amount; of equal ones the lower host." HC_LOWEST_TEXT,
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: LUNF, "
                   "least utilised node first", .params = params,
         .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
