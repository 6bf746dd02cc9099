/* random.c -- each set of free processors is as likely as any other.
 *
 * Selection sampling: walk the free ones in order and take each with probability wanted / left. The draws
 * belong to the task's serial, so that they do not depend on what was placed before; a task that was given a
 * place and did not keep it draws others. Cost: O(free processors), not ranges. Source: Knuth, The Art of
 * Computer Programming, volume 2, section 3.4.2, algorithm S. */
#include "base/math.h"
#include "base/util.h"
#include "hindcast/placement.h"

static size_t place(const void *options, const hc_place_input *in, hc_range *out)
{
  hc_draws draws = {.seed = in->seed,
                    .replication = in->replication,
                    .entity = in->serial,
                    .purpose = HC_PURPOSE_PLACE,
                    .draw = in->draws << 32};
  uint64_t left = 0, wanted = in->units > 0 ? (uint64_t)in->units : 0;
  size_t n = 0;
  HC_UNUSED(options);
  for (size_t i = 0; i < in->free_count; i++) left += in->free[i].count;
  if (left < wanted) return 0;
  for (size_t i = 0; i < in->free_count && wanted > 0; i++) {
    uint32_t first = in->free[i].first, count = in->free[i].count;
    bool is_open = false; /* the last processor was taken, too */
    for (uint32_t k = 0; k < count && wanted > 0; k++, left--) {
      bool take = left == wanted || hc_random_below(&draws, left) < wanted;
      if (take && is_open) out[n - 1].count++;
      else if (take) out[n++] = (hc_range){first + k, 1};
      is_open = take;
      wanted -= take;
    }
  }
  return n;
}

static void chooser(const void *options, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(options);
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_SAMPLE, .sample = 1};
}

const hc_place_type hc_place_random = {
    .component = {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "random",
                  .summary = "free processors, or hosts that fit, drawn at random",
                  .detail =
                      "Each set of free processors of the right number is equally likely; the draw is named "
                      "by (seed, replication, serial); a task that was refused or stopped draws anew. A task "
                      "fits whenever enough processors are free. On hosts: each that holds the task is "
                      "equally likely."},
    .place = place,
    .chooser = chooser,
};
