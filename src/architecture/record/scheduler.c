/* scheduler.c -- one of the schedulers that share a cell: which tasks it takes, and how long it thinks. */
#include "architecture/scheduler.h"

typedef hc_scheduler_options options;

static const hc_param params[] = {
    {.name = "name",
     .type = HC_TEXT,
     .offset = offsetof(options, name),
     .help = "What its figures end with. Required."},
    {.name = "takes",
     .type = HC_TEXT,
     .offset = offsetof(options, takes),
     .help =
         "Which tasks are its own: an expression over user, group, queue, priority, units, slots, estimate (s), cpus and "
         "memory (bytes) of a slot, with -1 for what is not known, as in `priority >= 9`; or `service`, the Omega paper's "
         "split: 1 if the priority is 9 or above and the queue (the scheduling class, of Google's trace of 2011) is "
         "neither 0 nor 1, else 0. Each task goes to the first "
         "scheduler of the list that takes it; all tasks of a job go where the first of them went. Not given: all."},
    {.name = "count",
     .type = HC_INT,
     .unit = "schedulers",
     .fallback = "1",
     .min = 1,
     .max = 200,
     .offset = offsetof(options, count),
     .help = "So many that are alike, each with its own queue; jobs are spread over them."},
    {.name = "think_job",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "0.1s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, think_job),
     .help = "A decision on a job takes think_job + think_task x (its tasks that have not started)."},
    {.name = "think_task",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "5ms",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, think_task),
     .help = "What each task that has not started adds to a decision on its job, as `think_job` says."},
    {.name = "think_law",
     .type = HC_CHOICE,
     .choices = HC_THINK_LAWS,
     .fallback = "fixed",
     .offset = offsetof(options, think_law),
     .help = "That time, or a time drawn around it as a mean."},
    {.name = "think_cv",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "1",
     .min = 0,
     .max = 100,
     .offset = offsetof(options, think_cv),
     .help = "Coefficient of variation of a lognormal time."},
    {.name = "hosts",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, hosts),
     .help =
         "Architectures partitions and federation: the hosts that are its own, as numbers from 0: \"17\", \"0-99\"."},
    {.name = "blacklist",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "0",
     .min = 0,
     .max = 0.99,
     .offset = offsetof(options, blacklist),
     .help =
         "Share of all hosts that it never uses, as a picky one: drawn at random, for each scheduler of `count` by "
         "itself. Costs memory and time by the ranges of hosts that are left."},
    {.name = "max_share",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "1",
     .min = 0,
     .max = 1,
     .offset = offsetof(options, max_share),
     .help =
         "Limit, checked when it commits: the share of the cell that its running tasks may hold, in each dimension. 1: none."},
    {.name = "max_cpus",
     .type = HC_REAL,
     .unit = "cores",
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .offset = offsetof(options, max_cpus),
     .help = "Limit: cores that its running tasks may hold. 0: none."},
    {.name = "max_memory",
     .type = HC_SIZE,
     .unit = "B",
     .fallback = "0",
     .min = 0,
     .max = 1e18,
     .offset = offsetof(options, max_memory),
     .help = "Limit: memory that its running tasks may hold. 0: none."},
    {.name = "max_jobs",
     .type = HC_INT,
     .unit = "jobs",
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, max_jobs),
     .help = "Limit: jobs of it that may run at a time; another one waits with all of its tasks. 0: none."},
    {.name = "min_priority",
     .type = HC_INT,
     .unit = "1",
     .fallback = "-1000000000",
     .min = -1e9,
     .max = 1e9,
     .offset = offsetof(options, min_priority),
     .help = "Limit: the lowest priority of a task that it may start."},
    {.name = "max_priority",
     .type = HC_INT,
     .unit = "1",
     .fallback = "1000000000",
     .min = -1e9,
     .max = 1e9,
     .offset = offsetof(options, max_priority),
     .help = "Limit: the highest."},
    {.name = "limits",
     .type = HC_CHOICE,
     .choices = HC_LIMITS,
     .fallback = "enforce",
     .offset = offsetof(options, limits),
     .help =
         "enforce: a start that breaks a limit is refused, and its job comes back after `retry`; it may be given up. "
         "report: it starts. Either way it is counted, by the limit."},
    {.name = "all_or_nothing",
     .type = HC_TEXT,
     .offset = offsetof(options, all_or_nothing),
     .help =
         "Jobs of which, when something is refused, nothing starts: an expression as in `takes`, over the first of the "
         "tasks that are left, as in `priority >= 9`; 1: all of its jobs, 0: none. Not given: as the architecture's "
         "`commit` says."},
    {.name = "gang",
     .type = HC_TEXT,
     .offset = offsetof(options, gang),
     .help =
         "Jobs that start whole or not at all: an expression as in `takes`, over the first of the tasks that are left; 1: "
         "all of its jobs. Where a decision finds no room for all that are left it wishes none, and if one is refused, all "
         "are. Not given: none, so that what there is room for starts, under `all_or_nothing` too."},
    {.name = "preempts",
     .type = HC_BOOL,
     .fallback = "false",
     .offset = offsetof(options, preempts),
     .help =
         "A start that does not fit any more when it commits may stop running tasks of lower priority on its hosts: "
         "lowest first, of these who started last, until it fits. They wait again, as jobs of the scheduler that had "
         "started them, and do all of their work anew."},
    {.name = "objective",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "30s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, objective),
     .help =
         "How long its jobs may wait for their first attempt: the objective of the figures jobs_within and days_within."},
    {.name = "policy",
     .type = HC_COMPONENT,
     .kind = HC_KIND_POLICY,
     .offset = offsetof(options, policy),
     .help =
         "How it decides on a job: which of its tasks start, by the selector. Of the order fcfs, and without reservations or "
         "shares, since it is shown one job at a time; its placement is `place`. Default: as the run's policy says."},
    {.name = "place",
     .type = HC_COMPONENT,
     .kind = HC_KIND_PLACE,
     .offset = offsetof(options, place),
     .help =
         "Which hosts its tasks get. Default: what the run's policy says; a placement in a `policy` of its own is refused."},
    {.name = "mold",
     .type = HC_COMPONENT,
     .kind = HC_KIND_MOLD,
     .offset = offsetof(options, mold),
     .help =
         "With how many slots its jobs start, of those that are one task of several slots on hosts: more of them run for a "
         "shorter time. It is asked when the scheduler begins to think; a job that did not start so is tried with its own "
         "next. Architectures shared_state and multi_path. Not given: with those they ask for."},
    {.name = "activities",
     .type = HC_TEXT,
     .offset = offsetof(options, activities),
     .help =
         "With `mold`: more slots than this are of no use to a job. An expression as in `takes`, as in `4 * slots`."},
    {0}};

const hc_component hc_scheduler_scheduler = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SCHEDULER),
    .name = "scheduler",
    .summary = "which tasks it takes, and how long it thinks about a job",
    .detail =
        "`use` may be left out: schedulers: [{name: service, takes: service, think_job: 10s}, {name: batch, "
        "count: 4}]",
    .source =
        "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 4.1: t_decision = t_job + t_task x "
        "tasks",
    .params = params,
    .options_size = sizeof(options),
};
