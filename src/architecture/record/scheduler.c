/* scheduler.c -- one of the schedulers that share a cell: which tasks it takes, and how long it thinks. */
#include "architecture/scheduler/options.h"

typedef hc_scheduler_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL,
             "Name of the scheduler, with which the names of its figures end. Required."),
    HC_PARAM(
        TEXT, options, takes, NULL,
        "Which tasks the scheduler takes: an expression over user, group, queue, priority, units, slots, "
        "estimate (s), cpus and memory (bytes) of a slot, with -1 for what is not known, as in `priority >= "
        "9` or, by names, `queue in (\"prod\", \"urgent\")`; or `service`, the Omega paper's split: 1 if the "
        "priority is 9 or above and the queue (the scheduling class, of Google's trace of 2011) is neither 0 "
        "nor 1, else 0. Each task goes to the first scheduler of the list that takes it; all tasks of a job "
        "go to the scheduler of the first. Default: all tasks."),
    HC_PARAM(INT, options, count, "schedulers", "1", 1, 200,
             "Number of such schedulers, each with its own queue; jobs are spread over them."),
    HC_PARAM(TIME, options, think_job, "s", "0.1s", 0, 1e9,
             "Fixed part of a decision on a job, which takes think_job + think_task x (its tasks that have "
             "not started)."),
    HC_PARAM(TIME, options, think_task, "s", "5ms", 0, 1e9,
             "What each task that has not started adds to a decision on its job, as `think_job` says."),
    HC_PARAM(CHOICE, options, think_law, HC_THINK_LAWS, "fixed",
             "Distribution of the think time around that value as its mean; fixed: always that value."),
    HC_PARAM(REAL, options, think_cv, "1", "1", 0, 100, "Coefficient of variation of a lognormal time."),
    HC_PARAM(TEXTS, options, hosts, NULL,
             "With the architectures partitions and federation: the scheduler's own hosts, as numbers from "
             "0: \"17\", \"0-99\"."),
    HC_PARAM(REAL, options, blacklist, "1", "0", 0, 0.99,
             "Share of all hosts that the scheduler never uses, drawn at random, for each scheduler of "
             "`count` by itself. Memory and time grow with the number of ranges of hosts that are left."),
    HC_PARAM(REAL, options, max_share, "1", "1", 0, 1,
             "Limit, checked when it commits: the share of the cell that its running tasks may hold, in "
             "each dimension. 1: none."),
    HC_PARAM(REAL, options, max_cpus, "cores", "0", 0, 1e12,
             "Limit: cores that its running tasks may hold. 0: none."),
    HC_PARAM(SIZE, options, max_memory, "B", "0", 0, 1e18,
             "Limit: memory that its running tasks may hold. 0: none."),
    HC_PARAM(INT, options, max_jobs, "jobs", "0", 0, 1e9,
             "Limit: jobs of the scheduler that may run at a time; further ones wait with all of their "
             "tasks. 0: none."),
    HC_PARAM(INT, options, min_priority, "1", "-1000000000", -1e9, 1e9,
             "Limit: the lowest priority of a task that it may start."),
    HC_PARAM(INT, options, max_priority, "1", "1000000000", -1e9, 1e9,
             "Limit: the highest priority of a task that it may start."),
    HC_PARAM(CHOICE, options, limits, HC_LIMITS, "enforce",
             "What happens to a start that breaks a limit. enforce: it is refused, and its job comes back "
             "after `retry`, and may be given up. report: the task starts. In both cases it is counted, by "
             "limit."),
    HC_PARAM(TEXT, options, all_or_nothing, NULL,
             "Jobs of which no task starts when a start of one is refused: an expression as in `takes`, over "
             "the first of the tasks that have not started, as in `priority >= 9`; 1: all jobs, 0: none. "
             "Default: as `commit` of the architecture says."),
    HC_PARAM(TEXT, options, gang, NULL,
             "Jobs that start whole or not at all: an expression as in `takes`, over the first of the tasks "
             "that have not started; 1: all jobs. A decision that finds no room for all of these starts "
             "none, and if one start is refused, all are. Default: none, so that the tasks for which there "
             "is room start, with `all_or_nothing` too."),
    HC_PARAM(BOOL, options, preempts, "false",
             "May a start that does not fit any more when it commits stop running tasks of lower priority on "
             "its hosts? The lowest priority goes first, of equal ones the latest start, until the start "
             "fits. Stopped tasks wait again, with the scheduler that had started them, and do all of their "
             "work anew."),
    HC_PARAM(TIME, options, objective, "s", "30s", 0, 1e9,
             "How long its jobs may wait for their first attempt: the objective of the figures jobs_within "
             "and days_within."),
    HC_PARAM(COMPONENT, options, policy, HC_KIND_POLICY, NULL,
             "Policy for decisions on a job: its selector says which tasks start. Its order must be fcfs, "
             "without reservations or shares, since it is shown one job at a time; the placement is `place`. "
             "Default: as the run's policy says."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, NULL,
             "Placement of its tasks. Default: that of the run's policy; a placement in the scheduler's own "
             "`policy` is refused."),
    HC_PARAM(COMPONENT, options, mold, HC_KIND_MOLD, NULL,
             "Rule for the number of slots with which jobs start that are one task of several slots on "
             "hosts: with more slots a task runs for a shorter time. It is applied when the scheduler begins "
             "to think; a job that did not start in this way is tried with its own number of slots next. "
             "With the architectures shared_state and multi_path. Default: the slots that jobs ask for."),
    HC_PARAM(TEXT, options, activities, NULL,
             "With `mold`: greatest number of slots that are of use to a job: an expression as in `takes`, "
             "such as `4 * slots`."),
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
