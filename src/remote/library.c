/* library.c -- policies that are other programs, as a library of components: a core has none. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

extern const hc_policy_type hc_policy_process, hc_policy_elastisim;
static const hc_component *const components[] = {&hc_policy_process.component,
                                                 &hc_policy_elastisim.component, NULL};

extern const hc_plugin hc_library_remote;
const hc_plugin hc_library_remote = {
    .size = sizeof hc_library_remote, .abi = HC_ABI, .name = "remote", .components = components};
