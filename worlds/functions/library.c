/* library.c -- the closed world `functions` as a library of components: its world, its hosts and
 * applications, and what invokes them.
 *
 * A way to make invocations is one file and one line in invocations.def. */
#include "functions/functions.h"
#include "hindcast/plugin.h"
#include "hindcast/world.h"

static const hc_needed invocations_need[] = {{"make", offsetof(hc_invocations_type, make)}, {NULL, 0}};

static const hc_kind_type kinds[] = {
    {HC_KIND_NODE, "node", "hosts of a world that runs functions", sizeof(hc_component), true, NULL},
    {HC_KIND_APPLICATION, "application", "applications whose functions are invoked", sizeof(hc_component),
     true, NULL},
    {HC_KIND_INVOCATIONS, "invocation", "what is invoked, and when", sizeof(hc_invocations_type), false,
     invocations_need},
    {.word = NULL}};

extern const hc_world_type hc_world_functions;
extern const hc_component hc_node_hosts, hc_application_function;

#define HC_INVOCATIONS(x) extern const hc_invocations_type hc_invocations_##x;
#include "functions/invocations.def"
#undef HC_INVOCATIONS

#define HC_INVOCATIONS(x) &hc_invocations_##x.component,
static const hc_component *const components[] = {&hc_world_functions.component, &hc_node_hosts,
                                                 &hc_application_function,
#include "functions/invocations.def"
                                                 NULL};

extern const hc_plugin hc_library_functions;
const hc_plugin hc_library_functions = {sizeof(hc_plugin), HC_ABI, "functions", components, kinds};
