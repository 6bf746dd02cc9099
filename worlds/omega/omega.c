/* omega.c -- the world `omega`: Google's light-weight simulator of cluster schedulers, as it should be, or as
 * it was.
 *
 * This file is the table of what can be said. See world.h for where the rest is, and docs/omega.md for what
 * it means. */
#include "omega/report.h"
#include "omega/world.h"

static const hc_param params[] = {
    HC_PARAM(CHOICE, hc_omega_options, architecture, "monolithic|shared_state|two_level", "shared_state",
             "monolithic: one scheduler for all workloads. shared_state: schedulers that decide on what "
             "they saw and then commit. two_level: an allocator offers everything free to one scheduler at "
             "a time."),
    HC_PARAM(CHOICE, hc_omega_options, conflict, "resource_fit|sequence_numbers", "resource_fit",
             "shared_state: when a task conflicts. resource_fit: it does not fit any more. "
             "sequence_numbers: something was placed on its machine since."),
    HC_PARAM(CHOICE, hc_omega_options, transaction, "incremental|all_or_nothing", "incremental",
             "shared_state: what a conflict does to the job's other tasks. incremental: nothing. "
             "all_or_nothing: none starts."),
    HC_PARAM(INT, hc_omega_options, machines, "machines", "10000", 1, 10000000,
             "How many machines, all alike."),
    HC_PARAM(REAL, hc_omega_options, cpus, "cpus", "4", 1e-6, 1e6, "Cores of each machine."),
    HC_PARAM(REAL, hc_omega_options, memory, "GB", "16", 0, 1e9,
             "Memory of each machine, in GB of 2^30 bytes."),
    HC_PARAM(TIME, hc_omega_options, run_time, "s", "1d", 0, 1e9,
             "How long is simulated. The first event after it still happens."),
    HC_PARAM(COMPONENTS, hc_omega_options, workloads, HC_KIND_WORKLOAD, "[]",
             "What arrives, and who decides about it."),
    HC_PARAM(COMPONENTS, hc_omega_options, prefill, HC_KIND_PREFILL, "[]", "What runs when it begins."),
    HC_PARAM(REAL, hc_omega_options, blacklist, "1", "0", 0, 1,
             "Share of machines that each scheduler never uses."),
    HC_PARAM(CHOICE, hc_omega_options, pick, "choose|probe", "choose",
             "How a machine is found for a task. choose: one of those on which it fits, all equally likely, "
             "from an index. probe: the original's random probing without repetition, draw by draw; the "
             "same distribution, slower."),
    HC_PARAM(CHOICE, hc_omega_options, ties, "inserted|heap", "inserted",
             "What comes first of events at exactly one time. inserted: what was put in first. heap: what "
             "falls out of the original's heap, which is slower; the figure `ties` says how many times it "
             "could have mattered."),
    HC_PARAM(CHOICES, hc_omega_options, defects,
             "quantile|tail|clock|uniforms|seed|percentile|shapes|idle|conflicts|swept|mean_gap|leak|offers|"
             "attempted|sequence|blacklist|all",
             "[]",
             "Which defects of the original are reproduced; docs/omega-defects.md says what each does."),
    HC_PARAM(TIME, hc_omega_options, swept, "s", NULL, 0, 1e6,
             "Think time a job, in place of its own, of the workload that a sweep changes: the last. With "
             "defect `swept`, under shared_state, the first."),
    HC_PARAM(
        TIME, hc_omega_options, swept_task, "s", NULL, 0, 1e6,
        "Think time a task, in place of its own, of the workload that a sweep changes, as `swept` says."),
    HC_PARAM(CHOICE, hc_omega_options, sweeps, "last|all", "last",
             "Of which workloads `swept` and `swept_task` are. all: the single path of a monolithic "
             "scheduler."),
    HC_PARAM(TIME, hc_omega_options, offer_interval, "s", "1", 0, 1e6,
             "two_level: so long the allocator gathers requests before it makes an offer."),
    HC_PARAM(TIME, hc_omega_options, offer_think, "s", "0.001", 0, 1e6,
             "two_level: so long an offer takes to be made."),
    HC_PARAM(TEXTS, hc_omega_options, offer_order, NULL,
             "two_level: names of schedulers, as in [MesosService, MesosBatch]: of those that ask with "
             "equal dominant shares the earlier in this list gets the offer, and those that it leaves out "
             "come after them. The original's order is that of a hash set of objects, which differs from "
             "one Java process to another. Default: the last scheduler first."),
    HC_PARAM(REAL, hc_omega_options, least_offer_cpus, "cpus", "100", 0, 1e9,
             "two_level: no offer is made while less than this is free."),
    HC_PARAM(REAL, hc_omega_options, least_offer_memory, "GB", "100", 0, 1e9,
             "two_level: no offer is made while less memory than this is free; the original compares free "
             "cpus with it (defect offers)."),
    HC_PARAM(TIME, hc_omega_options, retry_delay, "s", "1", 0, 1e6,
             "A job with tasks left comes back to its queue after this."),
    HC_PARAM(INT, hc_omega_options, hopeless_attempts, "attempts", "100", 0, 1e9,
             "A job of which nothing was placed in more attempts than this is given up."),
    HC_PARAM(INT, hc_omega_options, most_attempts, "attempts", "1000", 0, 1e9,
             "A job with more attempts than this is given up."),
    HC_PARAM(TIME, hc_omega_options, monitor, "s", "1", 1e-3, 1e6, "How often utilisation is sampled."),
    HC_PARAM(TIME, hc_omega_options, objective, "s", "30", 0, 1e9,
             "The figure `jobs_within` is the share of jobs whose first attempt began within it."),
    {0}};

const hc_world_type hc_world_omega = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "omega",
         .summary = "Google's light-weight simulator of monolithic, two-level and shared-state scheduling",
         .detail =
             "Machines are all alike and have two resources; a job is a number of equal tasks; a scheduler "
             "takes time to think about a job and its tasks, and finds machines at random. No failures, "
             "constraints, priorities or preemption. With compat: google2013 it repeats the original bit for "
             "bit, defects included; without, each defect is as it should be, and can be put back by name.",
         .source = "github.com/google/cluster-scheduler-simulator; Schwarzkopf et al., EuroSys 2013, "
                   "doi:10.1145/2465351.2465386",
         .figures = hc_omega_figures, .params = params, .options_size = sizeof(hc_omega_options)},
    .init = hc_omega_world_new,
    .advance = hc_omega_world_advance,
    .progress = hc_omega_world_progress,
    .finish = hc_omega_world_finish,
    .fini = hc_omega_world_free};
