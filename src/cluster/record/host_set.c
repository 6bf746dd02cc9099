/* host_set.c -- hosts that belong together under a name. */
#include "cluster/record.h"

typedef hc_host_set_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL, "Name of the set. Required."),
    HC_PARAM(TEXTS, options, hosts, "all", "Which hosts. " HC_HOSTS_HELP),
    HC_PARAM(BOOL, options, partition, "false",
             "Is it a partition? Tasks that name it as theirs run in it and nowhere else."),
    HC_PARAM(BOOL, options, failure_domain, "false",
             "Do its hosts fail together? The metric failure_domains counts what the worst such set would "
             "take down."),
    HC_PARAM(TIME, options, max_time, "s", "never", 1e-9, 1e10,
             "Longest limit of a task that names the set: a task with a longer limit, or without one, is "
             "rejected (no_host). never: any limit."),
    HC_PARAM(TEXTS, options, of, NULL,
             "Partitions of the log that stand for this set, by name or number: their tasks run in it and "
             "nowhere else, unless a task names its set itself. \"*\": all partitions that no other set "
             "names, and tasks without one; where some set has an `of` and none has that, a task of another "
             "partition is an error."),
    HC_PARAM(
        INT, options, max_size, "slots", "0", 0, 4e9,
        "Greatest size of a task that names the set: hosts, or processors where the task names no number of "
        "hosts; a larger task is rejected (no_host). 0: any size."),
    {0}};

const hc_component hc_set_host_set = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SET),
    .name = "host_set",
    .summary = "a partition, a failure domain, or any other named set of hosts",
    .detail =
        "Sets may overlap. `use` may be left out: sets: [{name: batch, hosts: [c, m-0], partition: true}]. "
        "Partitions of a log are bound to hosts by `of`: sets: [{name: batch, hosts: c, of: [batch, debug], "
        "max_time: 1d}, {name: rest, hosts: m, of: ['*']}].",
    .params = params,
    .options_size = sizeof(options),
};
