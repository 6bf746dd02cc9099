/* user_pool.c -- users who share together. */
#include "policy/share/user_pool.h"

typedef hc_user_pool_options options;

static const hc_param params[] = {
    {.name = "name",
     .type = HC_TEXT,
     .offset = offsetof(options, name),
     .help = "Name of the pool. Required."},
    {.name = "parent",
     .type = HC_TEXT,
     .offset = offsetof(options, parent),
     .help = "The pool that it is a part of, which stands before it in the list. Not given: the root."},
    {.name = "weight",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .offset = offsetof(options, weight),
     .help = "How much it is due beside the others of its parent."},
    {.name = "users",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, users),
     .help =
         "Who is in it: numbers, or names that a generator gives. Users that no pool names are children of the root."},
    {.name = "groups",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, groups),
     .help = "yt: groups whose tasks go here if no pool names their user."},
    {.name = "queues",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, queues),
     .help =
         "yt: queues whose tasks go here if no pool names their user or group. A queue that has a pool's name need not be listed."},
    {.name = "mode",
     .type = HC_CHOICE,
     .choices = "fair_share|fifo",
     .fallback = "fair_share",
     .offset = offsetof(options, mode),
     .help =
         "yt: fair_share divides by weight; fifo gives all to one operation after the other, by weight, then as they came. A "
         "fifo pool has no pools in it."},
    {.name = "strong",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, strong),
     .help =
         "yt: guaranteed at any time: [cpu=100, memory=30%], in cores, bytes (400GiB), devices or units, or as a share of the "
         "cell. Dimensions that are not named follow the main one: the same part of the parent's guarantee."},
    {.name = "limit",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, limit),
     .help = "yt: the most that it may hold, written as `strong`. Not named: any amount."},
    {.name = "integral",
     .type = HC_CHOICE,
     .choices = "none|burst|relaxed",
     .fallback = "none",
     .offset = offsetof(options, integral),
     .help =
         "yt: a guarantee out of a volume that `flow` fills and use empties. burst: up to `burst` as if it were strong; "
         "relaxed: up to three times the flow, of what guarantees leave."},
    {.name = "burst",
     .type = HC_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .unit = "1",
     .offset = offsetof(options, burst),
     .help = "yt: share of the cell, in each dimension, with integral: burst."},
    {.name = "flow",
     .type = HC_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .unit = "1",
     .offset = offsetof(options, flow),
     .help = "yt: share of the cell that flows into the volume; a day of it is the most that is saved."},
    {.name = "max_running",
     .type = HC_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "operations",
     .offset = offsetof(options, max_running),
     .help =
         "yt: so many operations in it, and in pools in it, at a time; others wait as they came. 0: any number."},
    {.name = "gangs",
     .type = HC_BOOL,
     .fallback = "false",
     .offset = offsetof(options, gangs),
     .help = "yt: its operations are due all that they want or nothing. Tasks still start one by one."},
    {0}};

const hc_component hc_pool_user_pool = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_POOL),
    .name = "user_pool",
    .summary = "users who share together, in a tree of such pools",
    .detail =
        "`use` may be left out: pools: [{name: research, weight: 2}, {name: physics, parent: research, users: "
        "[ann, 17]}]. The policy fair (share: hdrf) knows name, parent, weight and users, and refuses the rest.",
    .params = params,
    .options_size = sizeof(options),
};
