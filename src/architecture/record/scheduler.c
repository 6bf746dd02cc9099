/* scheduler.c -- one of the schedulers that share a cell: which tasks it takes, and how long it thinks. */
#include "architecture/scheduler/options.h"

typedef hc_scheduler_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL, "What its figures end with. Required."),
    HC_PARAM(
        TEXT, options, takes, NULL,
        "Which tasks are its own: an expression over user, group, queue, priority, units, slots, "
        "estimate (s), cpus and memory (bytes) of a slot, with -1 for what is not known, as in "
        "`priority >= 9` or, by names, `queue in (\"prod\", \"urgent\")`; or `service`, the Omega paper's split: 1 if the priority is 9 or above and "
        "the queue (the scheduling class, of Google's trace of 2011) is neither 0 nor 1, else 0. Each "
        "task goes to the first scheduler of the list that takes it; all tasks of a job go where the "
        "first of them went. Default: all."),
    HC_PARAM(INT, options, count, "schedulers", "1", 1, 200,
             "So many that are alike, each with its own queue; jobs are spread over them."),
    HC_PARAM(TIME, options, think_job, "s", "0.1s", 0, 1e9,
             "A decision on a job takes think_job + think_task x (its tasks that have not started)."),
    HC_PARAM(TIME, options, think_task, "s", "5ms", 0, 1e9,
             "What each task that has not started adds to a decision on its job, as `think_job` says."),
    HC_PARAM(CHOICE, options, think_law, HC_THINK_LAWS, "fixed",
             "That time, or a time drawn around it as a mean."),
    HC_PARAM(REAL, options, think_cv, "1", "1", 0, 100, "Coefficient of variation of a lognormal time."),
    HC_PARAM(TEXTS, options, hosts, NULL,
             "Architectures partitions and federation: the hosts that are its own, as numbers from 0: "
             "\"17\", \"0-99\"."),
    HC_PARAM(REAL, options, blacklist, "1", "0", 0, 0.99,
             "Share of all hosts that it never uses, as a picky one: drawn at random, for each scheduler of "
             "`count` by itself. Costs memory and time by the ranges of hosts that are left."),
    HC_PARAM(REAL, options, max_share, "1", "1", 0, 1,
             "Limit, checked when it commits: the share of the cell that its running tasks may hold, in "
             "each dimension. 1: none."),
    HC_PARAM(REAL, options, max_cpus, "cores", "0", 0, 1e12,
             "Limit: cores that its running tasks may hold. 0: none."),
    HC_PARAM(SIZE, options, max_memory, "B", "0", 0, 1e18,
             "Limit: memory that its running tasks may hold. 0: none."),
    HC_PARAM(INT, options, max_jobs, "jobs", "0", 0, 1e9,
             "Limit: jobs of it that may run at a time; another one waits with all of its tasks. 0: none."),
    HC_PARAM(INT, options, min_priority, "1", "-1000000000", -1e9, 1e9,
             "Limit: the lowest priority of a task that it may start."),
    HC_PARAM(INT, options, max_priority, "1", "1000000000", -1e9, 1e9, "Limit: the highest."),
    HC_PARAM(CHOICE, options, limits, HC_LIMITS, "enforce",
             "enforce: a start that breaks a limit is refused, and its job comes back after `retry`; it may "
             "be given up. report: it starts. Either way it is counted, by the limit."),
    HC_PARAM(TEXT, options, all_or_nothing, NULL,
             "Jobs of which, when something is refused, nothing starts: an expression as in `takes`, over "
             "the first of the tasks that are left, as in `priority >= 9`; 1: all of its jobs, 0: none. Not "
             "given: as the architecture's `commit` says."),
    HC_PARAM(TEXT, options, gang, NULL,
             "Jobs that start whole or not at all: an expression as in `takes`, over the first of the tasks "
             "that are left; 1: all of its jobs. Where a decision finds no room for all that are left it "
             "wishes none, and if one is refused, all are. Default: none, so that what there is room for "
             "starts, under `all_or_nothing` too."),
    HC_PARAM(BOOL, options, preempts, "false",
             "A start that does not fit any more when it commits may stop running tasks of lower priority "
             "on its hosts: lowest first, of these who started last, until it fits. They wait again, as "
             "jobs of the scheduler that had started them, and do all of their work anew."),
    HC_PARAM(TIME, options, objective, "s", "30s", 0, 1e9,
             "How long its jobs may wait for their first attempt: the objective of the figures jobs_within "
             "and days_within."),
    HC_PARAM(COMPONENT, options, policy, HC_KIND_POLICY, NULL,
             "How it decides on a job: which of its tasks start, by the selector. Of the order fcfs, and "
             "without reservations or shares, since it is shown one job at a time; its placement is "
             "`place`. Default: as the run's policy says."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, NULL,
             "Which hosts its tasks get. Default: what the run's policy says; a placement in a `policy` of "
             "its own is refused."),
    HC_PARAM(COMPONENT, options, mold, HC_KIND_MOLD, NULL,
             "With how many slots its jobs start, of those that are one task of several slots on hosts: "
             "more of them run for a shorter time. It is asked when the scheduler begins to think; a job "
             "that did not start so is tried with its own next. Architectures shared_state and multi_path. "
             "Default: with those they ask for."),
    HC_PARAM(TEXT, options, activities, NULL,
             "With `mold`: more slots than this are of no use to a job. An expression as in `takes`, as in "
             "`4 * slots`."),
    {0}};

const hc_component hc_scheduler_scheduler = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SCHEDULER),
    .name = "scheduler",
    .summary = "which tasks it takes, and how long it thinks about a job",
    .detail =
        "`use` may be left out: schedulers: [{name: service, takes: service, think_job: 10s}, {name: batch, "
        "count: 4}]",
    .source =
        "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 4.1: t_decision = t_job + "
        "t_task x tasks",
    .params = params,
    .options_size = sizeof(options),
};
