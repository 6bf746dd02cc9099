/* contiguous.c -- one range of consecutive processors, or nothing: the task then waits although enough may
 * be free. Cost: O(free ranges). */
#include "base/util.h"
#include "hindcast/placement.h"

enum { FIRST, BEST };

typedef struct options {
  int choose;
} options;

static size_t place(const void *p, const hc_place_input *in, hc_range *out)
{
  const options *o = p;
  const hc_range *found = NULL;
  for (size_t i = 0; i < in->free_count; i++) {
    const hc_range *r = &in->free[i];
    if (r->count < in->units || (found && r->count >= found->count)) continue;
    found = r;
    if (o->choose == FIRST) break;
  }
  if (!found || in->units <= 0) return 0;
  *out = (hc_range){found->first, (uint32_t)in->units};
  return 1;
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, choose, "first|best", "first",
             "first: the lowest free range that is long enough. best: the shortest one, the lower of two."),
    {0}};

const hc_place_type hc_place_contiguous = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "contiguous",
         .summary = "one range of consecutive processors, or the task does not fit",
         .detail = "A task may have to wait although enough processors are free: free processors that are "
                   "scattered do not count, and reservations look for a time with a range that is long "
                   "enough.",
         .params = params, .options_size = sizeof(options)},
    .contiguous = true,
    .place = place,
};
