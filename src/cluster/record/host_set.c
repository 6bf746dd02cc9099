/* host_set.c -- hosts that belong together under a name. */
#include "cluster/record.h"

typedef hc_host_set_options options;

static const hc_param params[] = {
    {.name = "name",
     .type = HC_TEXT,
     .offset = offsetof(options, name),
     .help = "Name of the set. Required."},
    {.name = "hosts",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, hosts),
     .fallback = "all",
     .help = "Which hosts. " HC_HOSTS_HELP},
    {.name = "partition",
     .type = HC_BOOL,
     .offset = offsetof(options, partition),
     .fallback = "false",
     .help = "It is a partition: tasks that name it as theirs run in it and nowhere else."},
    {.name = "failure_domain",
     .type = HC_BOOL,
     .offset = offsetof(options, failure_domain),
     .fallback = "false",
     .help = "Its hosts fail together: metrics count what the worst such set would take down."},
    {.name = "max_time",
     .type = HC_TIME,
     .unit = "s",
     .offset = offsetof(options, max_time),
     .fallback = "never",
     .min = 1e-9,
     .max = 1e10,
     .help =
         "Longest time limit of a task that names it: one with a longer one, or none, is rejected (no_host). never: any."},
    {0}};

const hc_component hc_set_host_set = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SET),
    .name = "host_set",
    .summary = "a partition, a failure domain, or any other named set of hosts",
    .detail =
        "Sets may overlap. `use` may be left out: sets: [{name: batch, hosts: [c, m-0], partition: true}]",
    .params = params,
    .options_size = sizeof(options),
};
