/* setting.c -- keys of the policy that have other values from a time on. */
#include "setup/options.h"

static const hc_param params[] = {
    HC_PARAM(
        TIME, hc_setting_options, at, "s", NULL, 0, 1e18,
        "From when on, counted from the origin of the trace: what is decided at that time is decided by it."),
    HC_PARAM(
        TEXTS, hc_setting_options, set, NULL,
        "The keys and their values, as --set takes them: policy.select.depth=5, or policy=sjf+easy. They lie "
        "upon what was set before, and hold until a later change sets them again."),
    {.name = NULL},
};

const hc_component hc_setting_setting = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SETTING),
    .name = "setting",
    .summary = "keys of the policy that have other values from a time on",
    .detail =
        "`use` may be left out: changes: [{at: 9h, set: policy.select.depth=5}, {at: 18h, set: "
        "[policy.order=sjf, policy.select=easy]}]. What runs goes on, what is queued is sorted anew, a "
        "selector that is another one, or has another parameter, begins with nothing promised, and a "
        "decision follows at once. Only a policy that is made of an order, a selector and a placement "
        "(batch) can change, under the architecture monolithic; what cannot is refused with the reason when "
        "the run starts.",
    .params = params,
    .options_size = sizeof(hc_setting_options),
};
