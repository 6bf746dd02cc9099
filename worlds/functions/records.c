/* records.c -- the records of hosts and of applications. */
#include "functions/functions.h"

static const hc_param node_params[] = {
    HC_PARAM(INT, hc_fn_node_options, count, "hosts", "1", 1, 1000000, "Number of such hosts."),
    HC_PARAM(INT, hc_fn_node_options, cores, "cores", "1", 1, 1000000, "Cores of each host."),
    HC_PARAM(SIZE, hc_fn_node_options, memory, "B", "1GiB", 1, 1e18, "Memory of each host, for containers."),
    {0}};

extern const hc_component hc_node_hosts;
const hc_component hc_node_hosts = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_NODE),     .name = "hosts",
    .summary = "hosts of a world that runs functions", .params = node_params,
    .options_size = sizeof(hc_fn_node_options),
};

static const hc_param application_params[] = {
    HC_PARAM(TEXT, hc_fn_application_options, name, "*",
             "Name of the application, as invocations give it. *: all applications that are not declared by "
             "name."),
    HC_PARAM(REAL, hc_fn_application_options, share, "cores", "1", 0, 1e6,
             "Number of cores that a busy container may take. An invocation that has a container for itself "
             "progresses at rate 1 while the busy containers of its host have shares of at most its cores in "
             "sum."),
    HC_PARAM(SIZE, hc_fn_application_options, memory, "B", "128MiB", 0, 1e18,
             "Memory that a container holds from the begin of its start to its end."),
    HC_PARAM(INT, hc_fn_application_options, concurrency, "invocations", "1", 1, 1000000,
             "Greatest number of invocations that a container runs at one time."),
    HC_PARAM(TIME, hc_fn_application_options, start, "s", "1", 0, 1e9,
             "Cold start: how long a container takes to start."),
    {0}};

extern const hc_component hc_application_function;
const hc_component hc_application_function = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_APPLICATION),
    .name = "function",
    .summary = "an application whose functions are invoked, and what its containers take",
    .params = application_params,
    .options_size = sizeof(hc_fn_application_options),
};
