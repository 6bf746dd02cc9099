/* jobs.c -- the record of a workload: what arrives, and how long it is thought about. */
#include "omega/omega.h"
#include "omega/options.h"

static const hc_param params[] = {
    HC_PARAM(
        TEXT, hc_omega_workload_options, name, "Jobs",
        "Name of the workload, such as Batch or Service. Names of its schedulers and figures end in it."),
    HC_PARAM(COMPONENT, hc_omega_workload_options, arrivals, HC_KIND_ARRIVALS, "table",
             "Where its jobs come from: a table, or a generator."),
    HC_PARAM(TIME, hc_omega_workload_options, think_job, "s", "0.1", 0, 1e6,
             "Think time of each attempt to schedule a job."),
    HC_PARAM(TIME, hc_omega_workload_options, think_task, "s", "0.005", 0, 1e6,
             "Further think time of an attempt for each task of the job that is not yet placed."),
    HC_PARAM(INT, hc_omega_workload_options, schedulers, "schedulers", "1", 1, 4096,
             "Number of schedulers, to which its jobs go round robin. The architecture monolithic has one "
             "for all workloads."),
    HC_PARAM(REAL, hc_omega_workload_options, interarrival_scale, "1", "1", 1e-9, 1e9,
             "Factor of the gaps between generated jobs; a table stays as it is."),
    HC_PARAM(BOOL, hc_omega_workload_options, blacklist, "true",
             "Whether its schedulers leave out the share of machines given by `blacklist` of the world."),
    HC_PARAM(COMPONENT, hc_omega_workload_options, mold, HC_KIND_MOLD, NULL,
             "Policy that settles how many workers a job with more activities than tasks starts with, by "
             "what is idle when its scheduler begins to think. Not under two_level, whose schedulers do not "
             "see the cell. Default: as many workers as tasks."),
    {0}};

const hc_component hc_workload_jobs = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_WORKLOAD),
    .name = "jobs",
    .summary =
        "a workload of a closed world: which jobs arrive, and how long its schedulers think about them",
    .params = params,
    .options_size = sizeof(hc_omega_workload_options),
};
