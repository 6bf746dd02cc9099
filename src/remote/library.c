/* library.c -- policies that are other programs, as a library of components: a core has none. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

extern const hc_policy_type hc_policy_process;
static const hc_component *const components[] = {&hc_policy_process.component, NULL};

extern const hc_plugin hc_library_remote;
const hc_plugin hc_library_remote = {
    .size = sizeof hc_library_remote, .abi = HC_ABI, .name = "remote", .components = components};
