/* none.c -- nothing that runs is ever stopped. */
#include "hindcast/sharing.h"

const hc_preempt_type hc_preempt_none = {
    .component = {HC_COMPONENT_HEAD(hc_preempt_type, HC_KIND_PREEMPT), .name = "none",
                  .summary = "no running task is ever stopped"},
};
