/* predictsim.c -- the semantics of predictsim, the simulator of backfilling with predicted run times.
 *
 * Data only. Under it, EASY and FCFS agree with predictsim job by job, on inputs with ties too. Its
 * statistics are not part of this: the trim `pyss` has them. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "instant_order",
     "arrivals_first"}, /* submissions before ends; no difference while it decides once */
    {"run", "overrun",
     "kill_planned_long"}, /* request := max(request, run) for plans, run := min(request, run) */
    {"run", "processors", "asked"},
    {"conservative", "replan", "compress"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_predictsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "predictsim",
         .summary = "predictsim: one decision an instant, plans stretched to the run time",
         .detail =
             "At one instant submissions come before ends, and the scheduler runs once after both. A task "
             "that runs longer than it asked for is ended at its request, but planned with its run time. "
             "Processors are those asked for, else those allocated. The reservation of EASY is computed anew "
             "at each decision; a backfilled task may end exactly when the reservation begins, or use the "
             "extra processors. predictsim skips candidates that are at least as wide and as long as one "
             "that did not fit, which changes its speed only.",
         .source = "predictsim, a fork of pyss (2015, 2024)"},
    .entries = entries,
};
