/* user_pool.c -- users who share together. */
#include "policy/share/user_pool.h"

typedef hc_user_pool_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL, "Name of the pool. Required."),
    HC_PARAM(TEXT, options, parent, NULL,
             "The pool that it is a part of, which stands before it in the list. Default: the root."),
    HC_PARAM(REAL, options, weight, "1", "1", 1e-9, 1e9,
             "How much it is due beside the others of its parent."),
    HC_PARAM(TEXTS, options, users, NULL,
             "Who is in it: numbers, or names that a generator gives. Users that no pool names are children "
             "of the root."),
    HC_PARAM(TEXTS, options, groups, NULL, "yt: groups whose tasks go here if no pool names their user."),
    HC_PARAM(TEXTS, options, queues, NULL,
             "yt: queues whose tasks go here if no pool names their user or group. A queue that has a "
             "pool's name need not be listed."),
    HC_PARAM(CHOICE, options, mode, "fair_share|fifo", "fair_share",
             "yt: fair_share divides by weight; fifo gives all to one operation after the other, by weight, "
             "then as they came. A fifo pool has no pools in it."),
    HC_PARAM(TEXTS, options, strong, NULL,
             "yt: guaranteed at any time: [cpu=100, memory=30%], in cores, bytes (400GiB), devices or "
             "units, or as a share of the cell. Dimensions that are not named follow the main one: the same "
             "part of the parent's guarantee."),
    HC_PARAM(TEXTS, options, limit, NULL,
             "yt: the most that it may hold, written as `strong`. Not named: any amount."),
    HC_PARAM(CHOICE, options, integral, "none|burst|relaxed", "none",
             "yt: a guarantee out of a volume that `flow` fills and use empties. burst: up to `burst` as if "
             "it were strong; relaxed: up to three times the flow, of what guarantees leave."),
    HC_PARAM(REAL, options, burst, "1", "0", 0, 1e6,
             "yt: share of the cell, in each dimension, with integral: burst."),
    HC_PARAM(REAL, options, flow, "1", "0", 0, 1e6,
             "yt: share of the cell that flows into the volume; a day of it is the most that is saved."),
    HC_PARAM(INT, options, max_running, "operations", "0", 0, 1e9,
             "yt: so many operations in it, and in pools in it, at a time; others wait as they came. 0: any "
             "number."),
    HC_PARAM(BOOL, options, gangs, "false",
             "yt: its operations are due all that they want or nothing. Tasks still start one by one."),
    HC_PARAM(
        TEXT, options, tags, NULL,
        "yt: formula over the features and attributes of hosts (`ssd & !slow`, `kernel >= 5`): its "
        "operations, and those of pools in it, use only hosts of which it is true, and it is due no more "
        "than they have. Default: any host."),
    HC_PARAM(
        BOOL, options, graceful, "false",
        "yt: tasks of its operations are preempted gracefully. Those beyond their operation's fair share are "
        "told to go whenever their host is offered, whether or not others want it, and may run on for "
        "`grace`; they are not stopped for others, and an operation that is not below its fair share starts "
        "nothing."),
    HC_PARAM(TIME, options, history, "s", "0", 0, 1e10,
             "yt: what its members (pools and operations) used counts against them: the weight of each is "
             "multiplied by 2 to the power of minus its use, the dominant share of the cell, averaged with "
             "weights that halve in so long. 0: use does not count."),
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
