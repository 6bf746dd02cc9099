/* jobs.c -- the record of a workload: what arrives, and how long it is thought about. */
#include "omega/omega.h"
#include "omega/options.h"

#define AT(member) .offset = offsetof(hc_omega_workload_options, member)

static const hc_param params[] = {
    {.name = "name",
     .type = HC_TEXT,
     .fallback = "Jobs",
     AT(name),
     .help = "What it is called: Batch, Service. Names of schedulers and of figures end in it."},
    {.name = "arrivals",
     .type = HC_COMPONENT,
     .kind = HC_KIND_ARRIVALS,
     AT(arrivals),
     .fallback = "table",
     .help = "What its jobs are made from."},
    {.name = "think_job",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "0.1",
     .min = 0,
     .max = 1e6,
     AT(think_job),
     .help = "How long its scheduler thinks about each attempt at a job."},
    {.name = "think_task",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "0.005",
     .min = 0,
     .max = 1e6,
     AT(think_task),
     .help = "How much longer for each task of it that has not been placed yet."},
    {.name = "schedulers",
     .type = HC_INT,
     .unit = "schedulers",
     .fallback = "1",
     .min = 1,
     .max = 4096,
     AT(schedulers),
     .help =
         "How many schedulers its jobs are dealt out to, round robin. A monolithic world has one for all."},
    {.name = "interarrival_scale",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     AT(interarrival_scale),
     .help = "Gaps between generated jobs are multiplied by it; a table stays as it is."},
    {.name = "blacklist",
     .type = HC_BOOL,
     .fallback = "true",
     AT(blacklist),
     .help = "Whether its schedulers leave out the share of machines that the world's `blacklist` says."},
    {.name = "mold",
     .type = HC_COMPONENT,
     .kind = HC_KIND_MOLD,
     AT(mold),
     .help =
         "How many workers a job of it starts with, if it has more activities than tasks: its scheduler sees what is "
         "idle when it begins to think. Not given: as many as it has tasks. Not under two_level, whose schedulers do not "
         "see the cell."},
    {0}};

const hc_component hc_workload_jobs = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_WORKLOAD),
    .name = "jobs",
    .summary = "a workload of a closed world: what arrives, and how it is thought about",
    .params = params,
    .options_size = sizeof(hc_omega_workload_options),
};
