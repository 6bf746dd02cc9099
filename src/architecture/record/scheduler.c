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
         "Which tasks are its own: an expression over user, group, queue, priority, units, estimate (s), cpus and "
         "memory (bytes) of a slot, with -1 for what is not known, as in `priority >= 9`. Each task goes to the first "
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
     .help = "See think_job."},
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
     .help = "Architecture partitions: the hosts that are its own, as numbers from 0: \"17\", \"0-99\"."},
    {.name = "blacklist",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "0",
     .min = 0,
     .max = 0.99,
     .offset = offsetof(options, blacklist),
     .help = "Share of all hosts that it never uses, as a picky one: drawn at random, for each scheduler of `count` by "
             "itself. Costs memory and time by the ranges of hosts that are left."},
    {.name = "policy",
     .type = HC_COMPONENT,
     .kind = HC_KIND_POLICY,
     .offset = offsetof(options, policy),
     .help = "How it decides. Not given: as the run's policy says."},
    {.name = "place",
     .type = HC_COMPONENT,
     .kind = HC_KIND_PLACE,
     .offset = offsetof(options, place),
     .help =
         "Which hosts its tasks get. Not given: what its policy says; a policy of its own that names a placement is "
         "not heard in this, so name it here."},
    {0}};

const hc_component hc_scheduler_scheduler = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_SCHEDULER),
    .name = "scheduler",
    .summary = "which tasks it takes, and how long it thinks about a job",
    .detail =
        "`use` may be left out: schedulers: [{name: service, takes: \"priority >= 9\", think_job: 10s}, {name: batch, "
        "count: 4}]",
    .source =
        "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 4.1: t_decision = t_job + t_task x "
        "tasks",
    .params = params,
    .options_size = sizeof(options),
};
