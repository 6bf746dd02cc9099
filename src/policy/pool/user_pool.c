/* user_pool.c -- users who share together. */
#include "policy/share/user_pool.h"

typedef hc_user_pool_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL, "Name of the pool. Required."),
    HC_PARAM(TEXT, options, parent, NULL,
             "The pool that it is a part of, which stands before it in the list. Default: the root."),
    HC_PARAM(REAL, options, weight, "1", "1", 1e-9, 1e9,
             "Weight of the pool among the children of its parent."),
    HC_PARAM(TEXTS, options, users, NULL,
             "Users of the pool, by the name that the source has, or by number. Users that no pool names are "
             "children of the root."),
    HC_PARAM(TEXTS, options, groups, NULL,
             "yt: groups whose tasks belong to the pool if no pool names their user."),
    HC_PARAM(TEXTS, options, queues, NULL,
             "yt: queues whose tasks belong to the pool if no pool names their user or group. A queue that "
             "has a pool's name need not be listed."),
    HC_PARAM(CHOICE, options, mode, "fair_share|fifo", "fair_share",
             "yt: how the pool's share is divided. fair_share: by weight; fifo: all to one operation after "
             "the other, by weight, then by arrival. A fifo pool has no pools in it."),
    HC_PARAM(TEXTS, options, strong, NULL,
             "yt: amounts guaranteed at any time: [cpu=100, memory=30%], in cores, bytes (400GiB), devices "
             "or units, or as a share of the cell. Dimensions that are not named follow the main one: the "
             "same part of the parent's guarantee."),
    HC_PARAM(TEXTS, options, limit, NULL,
             "yt: upper limits of what the pool may hold, written like `strong`. Dimensions that are not "
             "named have no limit."),
    HC_PARAM(CHOICE, options, integral, "none|burst|relaxed", "none",
             "yt: a guarantee out of a volume that `flow` fills and use empties. none: no such guarantee; "
             "burst: up to `burst`, like a strong guarantee; relaxed: up to three times the flow, out of "
             "what guarantees leave."),
    HC_PARAM(REAL, options, burst, "1", "0", 0, 1e6,
             "yt: with integral: burst, the guaranteed share of the cell, in each dimension."),
    HC_PARAM(REAL, options, flow, "1", "0", 0, 1e6,
             "yt: share of the cell that flows into the volume, which holds at most what flows in a day."),
    HC_PARAM(INT, options, max_running, "operations", "0", 0, 1e9,
             "yt: greatest number of running operations in the pool and in pools in it; others wait in order "
             "of arrival. 0: no limit."),
    HC_PARAM(BOOL, options, gangs, "false",
             "yt: is the fair share of its operations all that they want, or nothing? Tasks still start one "
             "by one."),
    HC_PARAM(
        TEXT, options, tags, NULL,
        "yt: formula over the features and attributes of hosts (`ssd & !slow`, `kernel >= 5`): its "
        "operations, and those of pools in it, use only hosts of which it is true, and it is due no more "
        "than they have. Default: any host."),
    HC_PARAM(
        BOOL, options, graceful, "false",
        "yt: are tasks of its operations preempted gracefully? Tasks beyond their operation's fair share are "
        "told to go whenever their host is offered, even if no other task wants it, and may run on for "
        "`grace`; they are not stopped for others, and an operation that is not below its fair share starts "
        "no task."),
    HC_PARAM(TIME, options, history, "s", "0", 0, 1e10,
             "yt: half-life of past use. The weight of each member (pool or operation) is multiplied by "
             "2^-h, where h is the dominant share of the cell that it held, averaged over the past with "
             "weights that halve in this time. 0: past use does not count."),
    {0}};

const hc_component hc_pool_user_pool = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_POOL),
    .name = "user_pool",
    .summary = "users who share together, in a tree of such pools",
    .detail = "`use` may be left out: pools: [{name: research, weight: 2}, {name: physics, parent: research, "
              "users: [ann, 17]}]. The policy fair (share: hdrf) knows name, parent, weight and users, and "
              "refuses the rest.",
    .params = params,
    .options_size = sizeof(options),
};
