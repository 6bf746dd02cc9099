/* setting.c -- keys of the policy that have other values from a time on. */
#include "setup/options.h"

static const hc_param params[] = {
    HC_PARAM(
        TIME, hc_setting_options, at, "s", NULL, 0, 1e18,
        "Time of the change, from the origin of the trace; decisions at that time already follow it."),
    HC_PARAM(
        TEXTS, hc_setting_options, set, NULL,
        "The keys and their values, as --set takes them: policy.select.depth=5, or policy=sjf+easy. They are "
        "added to earlier changes, and hold until a later change sets the same keys again."),
    {.name = NULL},
};

const hc_component hc_setting_setting = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SETTING),
    .name = "setting",
    .summary = "keys of the policy that have other values from a time on",
    .detail =
        "`use` may be left out: changes: [{at: 9h, set: policy.select.depth=5}, {at: 18h, set: "
        "[policy.order=sjf, policy.select=easy]}]. Running tasks go on, the queue is sorted anew, a new "
        "selector, or one with changed parameters, begins without promises, and a decision follows at once. "
        "Only the policy batch can change, under the architecture monolithic; other changes are refused with "
        "the reason when the run starts.",
    .params = params,
    .options_size = sizeof(hc_setting_options),
};
