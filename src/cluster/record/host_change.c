/* host_change.c -- something that happens to some hosts at one time. */
#include "cluster/record.h"

typedef hc_host_change_options options;

static const hc_param params[] = {
    HC_PARAM(TIME, options, at, "s", NULL, 0, 1e10, "When, from the origin of the run. Required."),
    HC_PARAM(TEXTS, options, hosts, NULL, "Which hosts. " HC_HOSTS_HELP " Required."),
    HC_PARAM(CHOICE, options, change, HC_HOST_CHANGES, "down",
             "up: it joins or returns, with the amounts that it last had. down: it leaves, and what runs on "
             "it does so no more. drain: it takes nothing new, and what runs on it runs on "
             "(evict_after). resize: it has the amounts given here. fail: it looks as before, and what is "
             "on it does nothing, until a change `down` says when that is found."),
    HC_PARAM(TIME, options, until, "s", NULL, 0, 1e10,
             "When it is up again after down or drain; absent: another change says so, or it never is."),
    HC_PARAM(TEXTS, options, amounts, NULL,
             "NAME=AMOUNT that it has from now on (resize): cpus=10.5, memory=64GiB, disk=1TB, gpus=2, or "
             "any other dimension. Those not named stay."),
    HC_PARAM(
        TIME, options, announced, "s", "never", 0, 1e10,
        "The time from which on policies know of it, 0 from the beginning; not after `at`. Of down: they "
        "start nothing that would by its estimate run into it, and know when the hosts are up again. Of "
        "drain: they promise nothing that would start in it, and know the same. Of up: they know that "
        "hosts return which are away, or drain, until then. Of resize: they start nothing that a smaller "
        "host would have no room for, and promise what a larger one has from then on; not of GPUs. "
        "never: a failure, which nothing knows of before it happens."),
    HC_PARAM(
        TIME, options, evict_after, "s", "never", 0, 1e10,
        "Of drain: so long after it what still runs on the hosts is evicted, unless they are up again, as by "
        "a taint of effect NoExecute. Policies that know of an announced drain do not know of this. never: it "
        "runs on."),
    HC_PARAM(
        CHOICE, options, evict, HC_EVICTS, "requeue",
        "What becomes of tasks that are evicted. requeue: they wait again, and begin anew. checkpoint: they "
        "wait again, and go on from what they have done. stop: that is their end."),
    HC_PARAM(
        INT, options, tolerate, NULL, "2000000000", -1e18, 1e18,
        "Tasks of at least this priority are not evicted. Default: as Kubernetes' classes for its own pods."),
    {0}};

const hc_component hc_change_host_change = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_CHANGE),
    .name = "host_change",
    .summary = "hosts go down, come up, drain, change in size or fail unseen",
    .detail = "`use` may be left out: changes: [{at: 1h, hosts: 'c-[0-4]', change: down, until: 2h}]",
    .params = params,
    .options_size = sizeof(options),
};
