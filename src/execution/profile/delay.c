/* delay.c -- a fixed time, as Batsim's profile of that name: the same as idle. */
#include "execution/timed.h"

static const hc_param params[] = {HC_PARAM(TIME, hc_timed, time, "s", NULL, 0, 9e9,
                                           "Length of the profile, the same on any hosts. Default: 0."),
                                  {0}};

const hc_profile_type hc_profile_delay = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "delay",
                  .summary = "a fixed time",
                  .detail = "The same as the profile `idle`, under the name that Batsim gives it.",
                  .source = "Batsim 4.2.1, profile delay", .params = params,
                  .options_size = sizeof(hc_timed)},
    .is_uniform = true,
    .resume = hc_timed_resume};
