/* window_fit.c -- the hosts whose window in the schedule the task fills best: BF, best fit over windows.
 *
 * A host's window lasts from now to the first time for which it is promised to another task (a reservation of
 * hosts, easy {reserve: hosts}); it is endless if there is none. The best host has the least time left over
 * in its window behind the task; among equals, the least memory and disk left over. A window that is too
 * short is the worst. The task is taken to run as on the host by itself: on several it may run longer, and is
 * then refused by the reservation, not here. Whether memory and disk that local load takes are free the
 * description does not say: they are, by default, and `free: load` takes them off. With selectors that
 * promise no hosts all windows are endless, and this is the tightest fit of memory and disk. Cost: a look at
 * each host that fits. */
#include "policy/placing.h"

enum { FREE_OF_TASKS, FREE_OF_LOAD };

typedef struct options {
  hc_scale scale;
  int free;
} options;

static double score(void *self, const hc_host_view *h)
{
  double left;
  HC_UNUSED(self);
  if (h->window == HC_NEVER || h->estimate == HC_NEVER)
    return h->window == HC_NEVER ? -1e300 : -__builtin_inf();
  left = (double)h->window - (double)h->estimate / h->speed;
  return left >= 0 ? -left : -__builtin_inf();
}

static double tie(void *self, const hc_host_view *h)
{
  const options *o = self;
  hc_shares x;
  double left;
  hc_shares_read(&o->scale, NULL, h, &x);
  left = hc_shares_left(&x);
  for (uint32_t i = 0; o->free == FREE_OF_LOAD && h->load && i < x.count; i++)
    left -= x.at[i].weight * x.at[i].free * h->load[x.at[i].dimension];
  return -left;
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST,
                      .self = (void *)o,
                      .score = score,
                      .tie = tie,
                      .reads_load = ((const options *)o)->free == FREE_OF_LOAD};
}

static const hc_param params[] = {
    HC_SCALE_PARAMS(options, scale, "host"),
    HC_PARAM(CHOICE, options, free, "tasks|load", "tasks",
             "What counts as free in the sum over dimensions. tasks: what tasks leave; local load is "
             "ignored, so that a host with most of its memory taken by local load counts as unused. load: "
             "what tasks and local load leave, free (1 - load); load of the cores counts too, unless their "
             "weight is 0."),
    {.name = NULL}};

const hc_place_type hc_place_window_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "window_fit",
         .summary = "the hosts with the least time left over before they are promised to another task",
         .detail =
             "The host with the least (window - estimate / speed), then with the least sum over dimensions "
             "of weight x (free - need) / divisor, then the lower host. A host's window ends when easy "
             "{reserve: hosts} has promised it to another task. Local load does not reduce free amounts, "
             "unless `free: load`." HC_LOWEST_TEXT,
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: BF, best "
                   "fit over the windows of the schedule", .params = params,
         .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
