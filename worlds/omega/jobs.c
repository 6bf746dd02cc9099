/* jobs.c -- the record of a workload: what arrives, and how long it is thought about. */
#include "omega/omega.h"
#include "omega/options.h"

static const hc_param params[] = {
    HC_PARAM(TEXT, hc_omega_workload_options, name, "Jobs",
             "What it is called: Batch, Service. Names of schedulers and of figures end in it."),
    HC_PARAM(COMPONENT, hc_omega_workload_options, arrivals, HC_KIND_ARRIVALS, "table",
             "What its jobs are made from."),
    HC_PARAM(TIME, hc_omega_workload_options, think_job, "s", "0.1", 0, 1e6,
             "How long its scheduler thinks about each attempt at a job."),
    HC_PARAM(TIME, hc_omega_workload_options, think_task, "s", "0.005", 0, 1e6,
             "How much longer for each task of it that has not been placed yet."),
    HC_PARAM(INT, hc_omega_workload_options, schedulers, "schedulers", "1", 1, 4096,
             "How many schedulers its jobs are dealt out to, round robin. A monolithic world has one for "
             "all."),
    HC_PARAM(REAL, hc_omega_workload_options, interarrival_scale, "1", "1", 1e-9, 1e9,
             "Gaps between generated jobs are multiplied by it; a table stays as it is."),
    HC_PARAM(BOOL, hc_omega_workload_options, blacklist, "true",
             "Whether its schedulers leave out the share of machines that the world's `blacklist` says."),
    HC_PARAM(COMPONENT, hc_omega_workload_options, mold, HC_KIND_MOLD, NULL,
             "How many workers a job of it starts with, if it has more activities than tasks: its scheduler "
             "sees what is idle when it begins to think. Default: as many as it has tasks. Not under "
             "two_level, whose schedulers do not see the cell."),
    {0}};

const hc_component hc_workload_jobs = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_WORKLOAD),
    .name = "jobs",
    .summary = "a workload of a closed world: what arrives, and how it is thought about",
    .params = params,
    .options_size = sizeof(hc_omega_workload_options),
};
