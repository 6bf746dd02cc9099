/* idle.c -- nothing, for a time: a fixed delay, whatever the hosts. */
#include "execution/timed.h"

static const hc_param params[] = {HC_PARAM(TIME, hc_timed, time, "s", NULL, 0, 9e9,
                                           "Length of the profile, the same on any hosts. Default: 0."),
                                  {0}};

const hc_profile_type hc_profile_idle = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "idle",
                  .summary = "no activity, for a fixed time",
                  .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile idle",
                  .params = params, .options_size = sizeof(hc_timed)},
    .is_uniform = true,
    .resume = hc_timed_resume};
