/* first_fit.c -- the free processors with the lowest ids. Cost: O(ranges taken). */
#include "base/util.h"
#include "hindcast/policy.h"

static size_t place(const void *options, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t n = 0;
  HC_UNUSED(options);
  for (size_t i = 0; i < in->free_count && left > 0; i++) {
    out[n] = in->free[i];
    if (out[n].count > left) out[n].count = (uint32_t)left;
    left -= out[n++].count;
  }
  return left > 0 ? 0 : n;
}

const hc_place_type hc_place_first_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "first_fit",
         .summary = "the free processors with the lowest ids",
         .detail = "Takes free ranges from the lowest up, the last one in part. A task fits whenever enough "
                   "processors are free."},
    .place = place,
};
