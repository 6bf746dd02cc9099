/* irmasim.c -- the world `irmasim`: IRMaSim's own platforms, workloads and workload managers.
 *
 * This file is the table of what can be said. See irmasim.h for where the rest is, and docs/irmasim.md for
 * what it means. */
#include "irmasim/irmasim.h"

static const hc_param params[] = {
    HC_PARAM(FILE, hc_irm_options, options, NULL,
             "Its options file. What it names is looked for beside it; keys below stand above what it says."),
    HC_PARAM(FILE, hc_irm_options, platform, NULL,
             "Platform file, JSON: platform, node and processor types."),
    HC_PARAM(
        FILE, hc_irm_options, library, NULL,
        "Folder with its library: platforms.json, node_types.json, processor_types.json. Default: none."),
    HC_PARAM(TEXT, hc_irm_options, platform_name, NULL, "Which platform of these is meant."),
    HC_PARAM(FILE, hc_irm_options, workload, NULL, "Workload file, JSON or CSV."),
    HC_PARAM(TEXT, hc_irm_options, manager, NULL,
             "Workload manager: Minimal, Heuristic, EnergyHeuristic, Backfill, Duplex; NodeWM under modelV2. "
             "Default: Minimal."),
    HC_PARAM(
        TEXT, hc_irm_options, job_selection, NULL,
        "Which job is next. Heuristic: random, first, shortest, longest, smallest, low_mem, low_mem_ops. "
        "EnergyHeuristic: lowest, highest, by metric. Default: first, lowest."),
    HC_PARAM(TEXT, hc_irm_options, resource_selection, NULL,
             "Which node is next. Heuristic: random, first, high_gflops, high_cores, low_cores, high_mem, "
             "high_mem_bw, low_power. EnergyHeuristic: lowest, highest. Backfill: random, first, high_cores, "
             "high_mem, high_mem_bw, low_power, energy_lowest, energy_highest, edp_lowest, edp_highest. "
             "Default: first, lowest."),
    HC_PARAM(TEXT, hc_irm_options, metric, NULL,
             "What EnergyHeuristic looks at: energy, edp, timetasks. Default: energy."),
    HC_PARAM(TEXT, hc_irm_options, scheduling_option, NULL,
             "Of Duplex: min_min, max_min, or duplex, which takes the better of the two at the first "
             "submission and keeps to it. Default: duplex."),
    HC_PARAM(INT, hc_irm_options, seed, "1", "-1", -1, 4294967295.0,
             "Seed of Python's random. -1: as the options file says, or 0."),
    HC_PARAM(INT, hc_irm_options, trajectories, "1", "-1", -1, 1e6,
             "How often jobs are taken from the workload and run. -1: as the options file says, or once."),
    HC_PARAM(
        INT, hc_irm_options, trajectory_origin, "jobs", "-1", -1, 4e9,
        "How many jobs of the workload are left out before the first. -1: as the options file says, which "
        "may be `random`, or 0."),
    HC_PARAM(INT, hc_irm_options, trajectory_length, "jobs", "-1", -1, 4e9,
             "How many jobs are taken. 0: all. -1: as the options file says, which may be `random`, or 0."),
    HC_PARAM(BOOL, hc_irm_options, logs, "true",
             "Whether its logs are part of the result, for the exporter irmasim."),
    {0}};

const hc_world_type hc_world_irmasim = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "irmasim",
         .summary = "IRMaSim: jobs on the cores of nodes that contend for memory bandwidth and draw power",
         .detail =
             "A job is tasks of equal size, each on a core. modelV1, by processor: a task that asks for "
             "y of the x MB/s that its n + 1 tasks ask for runs at a share p of its core's speed: p = 1 "
             "for x < c, d for x > (d + b c - 1) / b, else 1 + b (x - c); d = s(z) k / (1 + k) + 1 / (1 "
             "+ k), k = 0.6 n, z = (y - (da - n) db) / (dc - n dd), s(z) = 1 - z^3 (6 z^2 - 15 z + 10) "
             "within 0..1, to nine decimals. modelV2, by node, x and y in thousands: p = B + 0.9 (C - B) "
             "exp(-exp(A (x - D))), A, B, D linear in y and n, C square in y. Work that is done is "
             "rounded to whole operations at each event of the platform. A processor draws static + "
             "dynamic power of busy cores; idle, min_power x static; nothing before its first task. "
             "Times of task rows are rounded to nanoseconds. Reinforcement learning (its manager Policy) "
             "is not part of it.",
         .source = "IRMaSim, commit 7a51f14, github.com/irmasim/IRMaSim (MIT licence)",
         .figures = hc_irm_figures, .params = params, .options_size = sizeof(hc_irm_options)},
    .init = hc_irm_new,
    .advance = hc_irm_advance,
    .progress = hc_irm_progress,
    .finish = hc_irm_finish,
    .fini = hc_irm_free};
