/* first_fit.c -- the free processors with the lowest ids, or the lowest host that fits. Cost on
 * processors: O(ranges taken). */
#include "policy/placing.h"

static void chooser(const void *options, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(options);
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_FIRST};
}

const hc_place_type hc_place_first_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "first_fit",
         .summary = "the free processors with the lowest ids, or the lowest host that fits",
         .detail = "Takes free ranges of processors from the lowest up, the last one in part. A task fits "
                   "whenever enough processors are free. On hosts: the first host in order of declaration "
                   "with room for the task."},
    .place = hc_place_lowest,
    .chooser = chooser,
};
