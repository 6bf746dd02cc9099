/* irmasim.c -- the world `irmasim`: IRMaSim's own platforms, workloads and workload managers.
 *
 * This file is the table of what can be said. See irmasim.h for where the rest is, and docs/irmasim.md for
 * what it means. */
#include "irmasim/irmasim.h"

static const hc_param params[] = {
    HC_PARAM(FILE, hc_irm_options, options, NULL,
             "IRMaSim's options file. Files that it names are looked for beside it; the parameters below "
             "override what it says."),
    HC_PARAM(FILE, hc_irm_options, platform, NULL,
             "Platform file, JSON: platform, node and processor types."),
    HC_PARAM(FILE, hc_irm_options, library, NULL,
             "Folder with IRMaSim's library: platforms.json, node_types.json, processor_types.json. Default: "
             "none."),
    HC_PARAM(TEXT, hc_irm_options, platform_name, NULL, "Name of the platform in these files."),
    HC_PARAM(FILE, hc_irm_options, workload, NULL, "Workload file, JSON or CSV."),
    HC_PARAM(TEXT, hc_irm_options, manager, NULL,
             "Workload manager: Minimal, Heuristic, EnergyHeuristic, Backfill, Duplex; NodeWM under modelV2. "
             "Default: Minimal."),
    HC_PARAM(TEXT, hc_irm_options, job_selection, NULL,
             "Which job is next. For Heuristic: random, first, shortest, longest, smallest, low_mem or "
             "low_mem_ops. For EnergyHeuristic: lowest or highest, by `metric`. Default: first, or lowest."),
    HC_PARAM(TEXT, hc_irm_options, resource_selection, NULL,
             "Which node is next. For Heuristic: random, first, high_gflops, high_cores, low_cores, "
             "high_mem, high_mem_bw or low_power. For EnergyHeuristic: lowest or highest, by `metric`. For "
             "Backfill: random, first, high_cores, high_mem, high_mem_bw, low_power, energy_lowest, "
             "energy_highest, edp_lowest or edp_highest. Default: first, or lowest."),
    HC_PARAM(TEXT, hc_irm_options, metric, NULL,
             "What EnergyHeuristic compares: energy, edp or timetasks. Default: energy."),
    HC_PARAM(TEXT, hc_irm_options, scheduling_option, NULL,
             "Rule of the manager Duplex: min_min, max_min, or duplex, which takes the better of the two at "
             "the first submission and keeps it. Default: duplex."),
    HC_PARAM(INT, hc_irm_options, seed, "1", "-1", -1, 4294967295.0,
             "Seed of Python's random generator. -1: as the options file says, else 0."),
    HC_PARAM(
        INT, hc_irm_options, trajectories, "1", "-1", -1, 1e6,
        "How many times jobs are taken from the workload and run. -1: as the options file says, else once."),
    HC_PARAM(INT, hc_irm_options, trajectory_origin, "jobs", "-1", -1, 4e9,
             "Number of jobs of the workload that are left out before the first. -1: as the options file "
             "says, which may be `random`, else 0."),
    HC_PARAM(INT, hc_irm_options, trajectory_length, "jobs", "-1", -1, 4e9,
             "Number of jobs that are taken. 0: all. -1: as the options file says, which may be `random`, "
             "else all."),
    HC_PARAM(BOOL, hc_irm_options, logs, "true",
             "Whether IRMaSim's logs are part of the result, for the exporter irmasim."),
    {0}};

const hc_world_type hc_world_irmasim = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "irmasim",
         .summary = "IRMaSim: jobs on the cores of nodes that contend for memory bandwidth and draw power",
         .detail = "A job has tasks of equal size, each on a core. Under modelV1, for each processor: a task "
                   "that asks for y of the x MB/s that the n + 1 tasks of the processor ask for runs at a "
                   "share p of its core's speed. p = 1 for x < c, p = d for x > (d + b c - 1) / b, else p = "
                   "1 + b (x - c), to nine decimals; d = s(z) k / (1 + k) + 1 / (1 + k), k = 0.6 n, z = (y - "
                   "(da - n) db) / (dc - n dd), s(z) = 1 - z^3 (6 z^2 - 15 z + 10) for z from 0 to 1, 1 "
                   "below and 0 above. Under modelV2, for each node, with x and y in GB/s: p = B + 0.9 (C - "
                   "B) exp(-exp(A (x - D))), where A, B and D are linear in y and in n, and C is quadratic "
                   "in y and linear in n. Work that is done is rounded to whole operations at each event of "
                   "the platform. A processor draws static + dynamic power of its busy cores; when idle "
                   "min_power x static; before its first task nothing. Times of task rows are rounded to "
                   "nanoseconds. IRMaSim's reinforcement learning (its manager Policy) is left out.",
         .source = "IRMaSim, commit 7a51f14, github.com/irmasim/IRMaSim (MIT licence)",
         .figures = hc_irm_figures, .params = params, .options_size = sizeof(hc_irm_options)},
    .init = hc_irm_new,
    .advance = hc_irm_advance,
    .progress = hc_irm_progress,
    .finish = hc_irm_finish,
    .fini = hc_irm_free};
