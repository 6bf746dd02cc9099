/* library.c -- the closed world `functions` as a library of components: its world, its hosts and
 * applications, what invokes them, and what learns how long to keep containers.
 *
 * A way to make invocations is one file and one line in invocations.def, a keeper one in keepers.def. */
#include "functions/functions.h"
#include "hindcast/plugin.h"
#include "hindcast/world.h"

static const hc_needed invocations_need[] = {{"make", offsetof(hc_invocations_type, make)}, {NULL, 0}};

static const hc_needed keepers_need[] = {{"init", offsetof(hc_keeper_type, init)},
                                         {"idle", offsetof(hc_keeper_type, idle)},
                                         {"windows", offsetof(hc_keeper_type, windows)},
                                         {NULL, 0}};

static const hc_kind_type kinds[] = {
    {HC_KIND_NODE, "node", "hosts of a world that runs functions", sizeof(hc_component), true, NULL},
    {HC_KIND_APPLICATION, "application", "applications whose functions are invoked", sizeof(hc_component),
     true, NULL},
    {HC_KIND_INVOCATIONS, "invocation", "what is invoked, and when", sizeof(hc_invocations_type), false,
     invocations_need},
    {HC_KIND_KEEPER, "keeper", "how long idle containers are kept, by what is learned of their applications",
     sizeof(hc_keeper_type), false, keepers_need},
    {.word = NULL}};

extern const hc_world_type hc_world_functions;
extern const hc_component hc_node_hosts, hc_application_function;

#define HC_INVOCATIONS(x) extern const hc_invocations_type hc_invocations_##x;
#include "functions/invocations.def"
#undef HC_INVOCATIONS

#define HC_KEEPER(x) extern const hc_keeper_type hc_keeper_##x;
#include "functions/keepers.def"
#undef HC_KEEPER

#define HC_INVOCATIONS(x) &hc_invocations_##x.component,
#define HC_KEEPER(x) &hc_keeper_##x.component,
static const hc_component *const components[] = {&hc_world_functions.component, &hc_node_hosts,
                                                 &hc_application_function,
#include "functions/invocations.def"
#include "functions/keepers.def"
                                                 NULL};

extern const hc_plugin hc_library_functions;
const hc_plugin hc_library_functions = {sizeof(hc_plugin), HC_ABI, "functions", components, kinds};
