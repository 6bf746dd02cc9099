/* omega.c -- the world `omega`: Google's light-weight simulator of cluster schedulers, as it should be, or as
 * it was.
 *
 * This file is the table of what can be said. See world.h for where the rest is, and docs/omega.md for what
 * it means. */
#include "omega/report.h"
#include "omega/world.h"

static const hc_param params[] = {
    HC_PARAM(CHOICE, hc_omega_options, architecture, "monolithic|shared_state|two_level", "shared_state",
             "Architecture of the schedulers. monolithic: one scheduler for all workloads. shared_state: "
             "each scheduler decides on the state of the cell when it began to think, and then commits. "
             "two_level: an allocator offers everything free to one scheduler at a time."),
    HC_PARAM(CHOICE, hc_omega_options, conflict, "resource_fit|sequence_numbers", "resource_fit",
             "With shared_state: when the placement of a task conflicts. resource_fit: the task no longer "
             "fits. sequence_numbers: the machine has changed since the scheduler saw it."),
    HC_PARAM(CHOICE, hc_omega_options, transaction, "incremental|all_or_nothing", "incremental",
             "With shared_state: what a conflict of a task means for the other tasks of the attempt. "
             "incremental: nothing. all_or_nothing: none of them starts."),
    HC_PARAM(INT, hc_omega_options, machines, "machines", "10000", 1, 10000000,
             "Number of machines, all equal."),
    HC_PARAM(REAL, hc_omega_options, cpus, "cpus", "4", 1e-6, 1e6, "Cores of each machine."),
    HC_PARAM(REAL, hc_omega_options, memory, "GB", "16", 0, 1e9,
             "Memory of each machine, in GB of 2^30 bytes."),
    HC_PARAM(TIME, hc_omega_options, run_time, "s", "1d", 0, 1e9,
             "Length of the run. The first event after it still happens."),
    HC_PARAM(COMPONENTS, hc_omega_options, workloads, HC_KIND_WORKLOAD, "[]",
             "The workloads, each with its schedulers."),
    HC_PARAM(COMPONENTS, hc_omega_options, prefill, HC_KIND_PREFILL, "[]", "What runs when the run begins."),
    HC_PARAM(REAL, hc_omega_options, blacklist, "1", "0", 0, 1,
             "Share of machines that each scheduler never uses."),
    HC_PARAM(CHOICE, hc_omega_options, pick, "choose|probe", "choose",
             "How a machine is found for a task. choose: drawn from an index of the machines on which it "
             "fits, each with the same probability. probe: the original's random probing without repetition, "
             "draw by draw; the distribution is the same, and it is slower."),
    HC_PARAM(CHOICE, hc_omega_options, ties, "inserted|heap", "inserted",
             "The order of events at exactly the same time. inserted: the order in which they were made. "
             "heap: the order in which they leave the original's heap, which is slower; the figure `ties` "
             "counts how often it could have mattered."),
    HC_PARAM(CHOICES, hc_omega_options, defects,
             "quantile|tail|clock|uniforms|seed|percentile|shapes|idle|conflicts|swept|mean_gap|leak|offers|"
             "attempted|sequence|blacklist|all",
             "[]",
             "Which defects of the original are reproduced; docs/omega-defects.md says what each does."),
    HC_PARAM(TIME, hc_omega_options, swept, "s", NULL, 0, 1e6,
             "Think time of a job, in place of think_job, for the workload that a sweep changes: the last "
             "one; with defect `swept` under shared_state the first. Default: think_job."),
    HC_PARAM(TIME, hc_omega_options, swept_task, "s", NULL, 0, 1e6,
             "Think time of a task, in place of think_task, for the same workload. Default: think_task."),
    HC_PARAM(CHOICE, hc_omega_options, sweeps, "last|all", "last",
             "Which workloads `swept` and `swept_task` change. last: one, as `swept` says. all: all of them, "
             "the single path of a monolithic scheduler."),
    HC_PARAM(TIME, hc_omega_options, offer_interval, "s", "1", 0, 1e6,
             "With two_level: time for which the allocator collects requests before it makes an offer."),
    HC_PARAM(TIME, hc_omega_options, offer_think, "s", "0.001", 0, 1e6,
             "With two_level: time that the allocator takes to make an offer."),
    HC_PARAM(TEXTS, hc_omega_options, offer_order, NULL,
             "With two_level: names of schedulers, such as [MesosService, MesosBatch]. Of requests with "
             "equal dominant shares, that of the scheduler named earlier gets the offer; schedulers that are "
             "not named come after these. In the original this order is that of a hash set of objects, which "
             "differs from one Java process to another. Default: the last scheduler first."),
    HC_PARAM(REAL, hc_omega_options, least_offer_cpus, "cpus", "100", 0, 1e9,
             "With two_level: no offer is made while fewer cpus than this are free."),
    HC_PARAM(REAL, hc_omega_options, least_offer_memory, "GB", "100", 0, 1e9,
             "With two_level: no offer is made while less memory than this is free, in GB of 2^30 bytes; the "
             "original compares free cpus with it (defect `offers`)."),
    HC_PARAM(TIME, hc_omega_options, retry_delay, "s", "1", 0, 1e6,
             "Time after which a job with tasks left comes back to its queue."),
    HC_PARAM(INT, hc_omega_options, hopeless_attempts, "attempts", "100", 0, 1e9,
             "A job of which no task was placed in more attempts than this is given up."),
    HC_PARAM(INT, hc_omega_options, most_attempts, "attempts", "1000", 0, 1e9,
             "A job with more attempts than this is given up."),
    HC_PARAM(TIME, hc_omega_options, monitor, "s", "1", 1e-3, 1e6,
             "Time between two samples of utilisation."),
    HC_PARAM(TIME, hc_omega_options, objective, "s", "30", 0, 1e9,
             "Time for the figure `jobs_within`: the share of jobs whose first attempt began within it after "
             "their arrival."),
    {0}};

const hc_world_type hc_world_omega = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "omega",
         .summary = "Google's light-weight simulator of monolithic, two-level and shared-state scheduling",
         .detail = "All machines are equal and have two resources; a job has a number of equal tasks; a "
                   "scheduler takes time to think about a job and its tasks, and finds machines at random. "
                   "There are no failures, constraints, priorities or preemption. With `compat: google2013` "
                   "it repeats Google's program (the original) bit for bit, defects included; without it "
                   "each defect is corrected, and `defects` puts some of them back.",
         .source = "github.com/google/cluster-scheduler-simulator; Schwarzkopf et al., EuroSys 2013, "
                   "doi:10.1145/2465351.2465386",
         .figures = hc_omega_figures, .params = params, .options_size = sizeof(hc_omega_options)},
    .init = hc_omega_world_new,
    .advance = hc_omega_world_advance,
    .progress = hc_omega_world_progress,
    .finish = hc_omega_world_finish,
    .fini = hc_omega_world_free};
