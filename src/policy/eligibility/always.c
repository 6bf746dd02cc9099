/* always.c -- every host may be used. */
#include "hindcast/placement.h"

const hc_eligibility_type hc_eligibility_always = {
    .component = {HC_COMPONENT_HEAD(hc_eligibility_type, HC_KIND_ELIGIBILITY), .name = "always",
                  .summary = "every host may be used",
                  .detail = "Local load does not matter."},
};
