/* functions.c -- the world `functions`: a cloud that runs invocations of functions in containers.
 *
 * This file is the table of what can be said. See world.h for where the rest is, and docs/functions.md for
 * what it means. */
#include "functions/world.h"

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, hc_fn_options, nodes, HC_KIND_NODE, "[]", "Hosts."),
    HC_PARAM(COMPONENTS, hc_fn_options, applications, HC_KIND_APPLICATION, "[]",
             "Applications. One that is invoked and not named is as that of the name * says."),
    HC_PARAM(COMPONENTS, hc_fn_options, invocations, HC_KIND_INVOCATIONS, "[]",
             "What is invoked, and when. Several are merged by time of arrival."),
    HC_PARAM(
        CHOICE, hc_fn_options, scheduler, "first_fit|least_loaded|round_robin|random|hash", "first_fit",
        "Which host gets an invocation, of those that have the memory for its container when they are empty. "
        "first_fit: the first with a container of the application that has room, starting ones included, "
        "else "
        "the first with memory for another, else the first. least_loaded: the least of what `load` says. "
        "round_robin: each in turn. random: all are equally likely. hash: the one of the application's "
        "number "
        "modulo the hosts, and on from there as `hash_step` and `warm_first` say."),
    HC_PARAM(CHOICE, hc_fn_options, load, "shares|invocations", "shares",
             "least_loaded: what the load of a host is. shares: sum of the shares of its busy containers. "
             "invocations: number of invocations that it has, queued ones included."),
    HC_PARAM(
        BOOL, hc_fn_options, prefer_warm, "false",
        "least_loaded: whether of equal hosts one with a container that is up and has room comes first."),
    HC_PARAM(BOOL, hc_fn_options, avoid_queueing, "false",
             "least_loaded: whether hosts on which the invocation would be queued come last."),
    HC_PARAM(INT, hc_fn_options, hash_step, "hosts", "1", 1, 1000000,
             "hash: from a host to that which is looked at next."),
    HC_PARAM(
        BOOL, hc_fn_options, warm_first, "true",
        "hash: whether a host with a container that is up and has room is looked for first, among all, and "
        "only "
        "then one with memory for another."),
    HC_PARAM(
        CHOICE, hc_fn_options, invoker, "fifo|strict|greedy", "fifo",
        "What becomes of invocations for which their host has neither a container nor the memory for one: "
        "they "
        "are queued on it. fifo: the first blocks those behind it; one that arrives and need not wait does "
        "not. "
        "strict: one that arrives while others are queued is queued behind them. greedy: whichever can go on "
        "does."),
    HC_PARAM(
        CHOICE, hc_fn_options, cpu, "ignored|isolated|contended", "contended",
        "How cores are shared. ignored: each invocation takes its duration. isolated: a container becomes "
        "busy "
        "only while the shares of busy containers are no more than the cores, and waits until then. "
        "contended: "
        "an invocation progresses at the rate min(1, cores / sum of the shares of busy containers) / "
        "invocations in its container."),
    HC_PARAM(TIME, hc_fn_options, keep_alive, "s", "10m", 0, 1e10,
             "How long a container without invocations is kept. 0: not at all. never: for ever."),
    HC_PARAM(
        BOOL, hc_fn_options, reset, "true",
        "Whether that time begins anew each time it has none. false: it begins when it has none first, and a "
        "container that is busy at its end is not kept after."),
    HC_PARAM(TIME, hc_fn_options, prewarm, "s", "0", 0, 1e9,
             "Above 0: a container without invocations ends at once, and this later one is started for its "
             "application on the first host with room, unless it was invoked meanwhile; that is kept for "
             "keep_alive. "
             "0: none is made ahead."),
    HC_PARAM(COMPONENT, hc_fn_options, keeper, HC_KIND_KEEPER, NULL,
             "What learns how long idle containers are kept, and when others are made ahead, in place of "
             "keep_alive, reset and prewarm. Default: none, and these hold."),
    {0}};

const hc_world_type hc_world_functions = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "functions",
         .summary = "a cloud that runs functions: containers, cold starts, keep-alive, contention for cores",
         .detail =
             "An invocation of an application goes to a host, and there to a container of the application: "
             "one that "
             "is up and runs fewer invocations than its concurrency, else one that still starts, else a new "
             "one, "
             "which takes its start time (a cold start) and holds its memory until it ends. The duration of "
             "an "
             "invocation is what it takes at rate 1. execution slowdown = end - start - duration, total "
             "slowdown = "
             "end - arrival - duration; relative: / duration. Times are whole nanoseconds, ends the first "
             "at which "
             "all work is done. There is no network, and hosts do not fail.",
         .source = "DSLab FaaS, github.com/osukhoroslov/dslab", .figures = hc_fn_figures, .params = params,
         .options_size = sizeof(hc_fn_options)},
    .init = hc_fn_new,
    .advance = hc_fn_advance,
    .progress = hc_fn_progress,
    .finish = hc_fn_finish,
    .fini = hc_fn_free};
