/* host_change.c -- something that happens to some hosts at one time. */
#include "cluster/record.h"

typedef hc_host_change_options options;

static const hc_param params[] = {
    HC_PARAM(TIME, options, at, "s", NULL, 0, 1e10,
             "Time of the change, from the origin of the run. Required."),
    HC_PARAM(TEXTS, options, hosts, NULL, "Which hosts. " HC_HOSTS_HELP " Required."),
    HC_PARAM(CHOICE, options, change, HC_HOST_CHANGES, "down",
             "up: the host joins or returns, with the amounts that it last had. down: it leaves, and its "
             "tasks are lost (host_loss). drain: no task starts on it, and running tasks go on "
             "(evict_after). resize: it gets `amounts`. fail: it looks as before and its tasks do no work, "
             "until a later change `down`, at which the failure is found."),
    HC_PARAM(TIME, options, until, "s", NULL, 0, 1e10,
             "Time at which the hosts are up again after down or drain. Default: when another change says "
             "so, or never."),
    HC_PARAM(TEXTS, options, amounts, NULL,
             "NAME=AMOUNT that the hosts have from then on (resize): cpus=10.5, memory=64GiB, disk=1TB, "
             "gpus=2, or any other dimension. Dimensions that are not named stay as they are."),
    HC_PARAM(
        TIME, options, announced, "s", "never", 0, 1e10,
        "The time from which on policies know of it, 0 from the beginning; not after `at`. down: they start "
        "no task there that would, by its estimate, still run then, and know when the hosts are up again. "
        "drain: they promise no start there in that time, and know when the hosts are up again. up: they "
        "know that hosts which are away, or drain, return then. resize: they start no task for which a "
        "smaller host would have no room, and promise what a larger one has from then on; amounts of GPUs "
        "cannot be announced. never: policies do not know of it before it happens, as of a failure."),
    HC_PARAM(
        TIME, options, evict_after, "s", "never", 0, 1e10,
        "With drain: time after which tasks that still run on the hosts are evicted, unless the hosts are up "
        "again, as by a taint of effect NoExecute. Policies that know of an announced drain do not know of "
        "the eviction. never: tasks run on."),
    HC_PARAM(
        CHOICE, options, evict, HC_EVICTS, "requeue",
        "What becomes of evicted tasks. requeue: they wait again, and begin anew. checkpoint: they wait "
        "again, and go on from what they have done. stop: they are killed."),
    HC_PARAM(
        INT, options, tolerate, NULL, "2000000000", -1e18, 1e18,
        "Tasks of at least this priority are not evicted. The default is the lowest priority of Kubernetes' "
        "classes for its own pods."),
    {0}};

const hc_component hc_change_host_change = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_CHANGE),
    .name = "host_change",
    .summary = "hosts go down, come up, drain, change in size or fail silently",
    .detail = "`use` may be left out: changes: [{at: 1h, hosts: 'c-[0-4]', change: down, until: 2h}]",
    .params = params,
    .options_size = sizeof(options),
};
