/* fastest.c -- the fastest hosts that fit: FNF, fastest node first.
 *
 * A task runs at the pace of its slowest host, so one slow host among fast ones wastes them; this takes the
 * fastest that there are and leaves the slow ones. Cost: a look at each host that fits. */
#include "policy/placing.h"

static double score(void *self, const hc_host_view *h)
{
  HC_UNUSED(self);
  return h->speed;
}

static void chooser(const void *options, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(options);
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .score = score, .is_fixed = true};
}

const hc_place_type hc_place_fastest = {
    .component = {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "fastest",
                  .summary = "the hosts with the greatest speed",
                  .detail = "The lower host of equally fast ones." HC_LOWEST_TEXT,
                  .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: "
                            "FNF, fastest node first"},
    .place = hc_place_lowest,
    .chooser = chooser,
};
