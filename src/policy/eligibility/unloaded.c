/* unloaded.c -- hosts without local load: LUF, local utilisation free. */
#include "hindcast/placement.h"

static bool admits(const hc_policy *self, const hc_host_state *h)
{
  (void)self;
  for (uint32_t d = 0; d < h->dimensions; d++)
    if (h->load[d] > 0) return false;
  return true;
}

const hc_eligibility_type hc_eligibility_unloaded = {
    .component = {HC_COMPONENT_HEAD(hc_eligibility_type, HC_KIND_ELIGIBILITY), .name = "unloaded",
                  .summary = "hosts that have no local load in any dimension",
                  .detail = "Without local load this is the same as always.",
                  .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: "
                            "LUF, local utilisation free"},
    .admits = admits,
};
