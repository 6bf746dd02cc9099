/* functions.c -- the world `functions`: a cloud that runs invocations of functions in containers.
 *
 * This file is the table of what can be said. See world.h for where the rest is, and docs/functions.md for
 * what it means. */
#include "functions/world.h"

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, hc_fn_options, nodes, HC_KIND_NODE, "[]", "The hosts. Required."),
    HC_PARAM(COMPONENTS, hc_fn_options, applications, HC_KIND_APPLICATION, "[]",
             "The applications. An application that is invoked and not declared by name is like the one with "
             "the name *."),
    HC_PARAM(COMPONENTS, hc_fn_options, invocations, HC_KIND_INVOCATIONS, "[]",
             "What is invoked, and when. Several entries are merged by time of arrival."),
    HC_PARAM(CHOICE, hc_fn_options, scheduler, "first_fit|least_loaded|round_robin|random|hash", "first_fit",
             "Which host gets an invocation, among those that could hold its container if they were empty. "
             "first_fit: the first with a container of the application that has room, starting ones "
             "included, else the first with memory for another container, else the first. least_loaded: the "
             "one with the least `load`. round_robin: each in turn. random: each with the same probability. "
             "hash: begins at the application's number modulo the number of hosts, and goes on as "
             "`hash_step` and `warm_first` say."),
    HC_PARAM(CHOICE, hc_fn_options, load, "shares|invocations", "shares",
             "With scheduler least_loaded: what the load of a host is. shares: sum of the shares of its busy "
             "containers. invocations: number of its invocations, queued ones included."),
    HC_PARAM(BOOL, hc_fn_options, prefer_warm, "false",
             "With scheduler least_loaded: whether, among equally loaded hosts, those with a container that "
             "is up and has room come first."),
    HC_PARAM(BOOL, hc_fn_options, avoid_queueing, "false",
             "With scheduler least_loaded: whether hosts on which the invocation would be queued come last."),
    HC_PARAM(INT, hc_fn_options, hash_step, "hosts", "1", 1, 1000000,
             "With scheduler hash: distance from a host to the next one that is tried."),
    HC_PARAM(BOOL, hc_fn_options, warm_first, "true",
             "With scheduler hash: whether a host with a container that is up and has room is looked for "
             "among all hosts before one with memory for another container."),
    HC_PARAM(CHOICE, hc_fn_options, invoker, "fifo|strict|greedy", "fifo",
             "How a host queues invocations for which it has neither a container nor the memory for one. "
             "fifo: the first one blocks those behind it, but an invocation that arrives and need not wait "
             "is not queued. strict: an invocation that arrives while others are queued is queued behind "
             "them. greedy: any queued invocation that can go on does."),
    HC_PARAM(CHOICE, hc_fn_options, cpu, "ignored|isolated|contended", "contended",
             "How cores are shared. ignored: each invocation takes its duration. isolated: a container waits "
             "until its share and those of the busy containers are at most the cores, and then becomes busy. "
             "contended: an invocation progresses at the rate min(1, cores / sum of the shares of busy "
             "containers) / number of invocations in its container."),
    HC_PARAM(TIME, hc_fn_options, keep_alive, "s", "10m", 0, 1e10,
             "How long a container without invocations is kept. 0: not at all. never: for ever."),
    HC_PARAM(BOOL, hc_fn_options, reset, "true",
             "Whether keep_alive begins anew each time the container has no invocation left. false: it "
             "begins the first time only, and a container that is busy at its end is not kept afterwards."),
    HC_PARAM(TIME, hc_fn_options, prewarm, "s", "0", 0, 1e9,
             "Above 0: a container without invocations ends at once, and after this time another one is "
             "started on the first host with room, unless its application was invoked meanwhile; that one is "
             "kept for keep_alive. 0: no container is made ahead."),
    HC_PARAM(COMPONENT, hc_fn_options, keeper, HC_KIND_KEEPER, NULL,
             "The keeper that learns how long idle containers are kept, and when others are made ahead, in "
             "place of keep_alive, reset and prewarm. Default: none."),
    {0}};

const hc_world_type hc_world_functions = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "functions",
         .summary = "a cloud that runs functions: containers, cold starts, keep-alive, contention for cores",
         .detail =
             "An invocation of an application goes to a host, and there to a container of the application: "
             "one that is up and runs fewer invocations than its concurrency, else one that is starting, "
             "else a new one, which takes its start time (a cold start) and holds its memory until it ends. "
             "The duration of an invocation is the time that it takes at rate 1. execution slowdown = end - "
             "start - duration, total slowdown = end - arrival - duration; relative slowdowns are these / "
             "duration. Times are whole nanoseconds; an end is the first of them at which all work is done. "
             "There is no network, and hosts do not fail.",
         .source = "DSLab FaaS, github.com/osukhoroslov/dslab", .figures = hc_fn_figures, .params = params,
         .options_size = sizeof(hc_fn_options)},
    .init = hc_fn_new,
    .advance = hc_fn_advance,
    .progress = hc_fn_progress,
    .finish = hc_fn_finish,
    .fini = hc_fn_free};
