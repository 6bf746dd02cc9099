/* user_pool.c -- users who share together. */
#include "policy/fair_record.h"

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
    {0}};

const hc_component hc_pool_user_pool = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_POOL),
    .name = "user_pool",
    .summary = "users who share together, in a tree of such pools",
    .detail =
        "`use` may be left out: pools: [{name: research, weight: 2}, {name: physics, parent: research, users: "
        "[ann, 17]}]",
    .params = params,
    .options_size = sizeof(options),
};
