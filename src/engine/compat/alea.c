/* alea.c -- the semantics of Alea, as far as they are known.
 *
 * Data only. FCFS agrees job by job. EASY does not, nor can it be expected to: the strict comparison below
 * explains a part of the differences only (with exact estimates 2,916 of 5,000 starts still differ). */
#include "engine/config.h"

static const hc_preset_entry entries[] = {
    {"run", "instant_order", "ends_first"},
    {"run", "overrun", "extend"}, /* estimate := max(limit, run) */
    {"run", "processors", "used"},
    {"run", "too_large", "clamp"},
    {"easy", "window", "strict"},
    {"conservative", "replan", "compress"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_alea = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "alea",
         .summary = "Alea: limits raised to the run time, strict backfilling",
         .detail =
             "Nothing is ended at its limit: a limit shorter than the run time is raised to it. A missing "
             "limit is the run time; the constants that Alea's loader has for some logs are given with "
             "`no_limit: assume`. Processors are those allocated; a task larger than the machine is made "
             "to fit. A backfilled task must end strictly before the reservation begins. FCFS agrees with "
             "Alea job by job. EASY does not: Alea starts one task a call, and counts as extra only the "
             "processors whose expected end equals the reserved instant.",
         .source = "Alea, CESNET and Masaryk University, on GridSim 5"},
    .entries = entries,
};
