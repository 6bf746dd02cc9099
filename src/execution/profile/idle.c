/* idle.c -- nothing, for a time: a fixed delay, whatever the hosts. */
#include "execution/timed.h"

static const hc_param params[] = {
    HC_PARAM(TIME, hc_timed, time, "s", NULL, 0, 9e9, "How long nothing is done, whatever the hosts."), {0}};

const hc_profile_type hc_profile_idle = {.component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE),
                                                       .name = "idle", .summary = "nothing, for a time",
                                                       .source = "DSLab-CS, profile idle", .params = params,
                                                       .options_size = sizeof(hc_timed)},
                                         .is_uniform = true,
                                         .resume = hc_timed_resume};
