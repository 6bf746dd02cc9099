/* always.c -- every offer is taken. */
#include "base/util.h"
#include "hindcast/sharing.h"

const hc_accept_type hc_accept_always = {
    .component = {HC_COMPONENT_HEAD(hc_accept_type, HC_KIND_ACCEPT), .name = "always",
                  .summary = "takes every host on which the task fits"},
};
