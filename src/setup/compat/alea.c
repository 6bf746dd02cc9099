/* alea.c -- the semantics of Alea, without the defect of its backfilling.
 *
 * Data only. FCFS agrees job by job. The rules of EASY are the ones below, but Alea applies them to a
 * table of numbered processors that is wrong after each start, and its conservative plan is a list with
 * gaps. Neither is modelled: docs/oracles.md says what they do, and tests/oracles/alea_model.py shows that
 * this is the difference. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "instant_order", "ends_first"},
    {"run", "overrun", "extend"}, /* its loader raises a limit that is too short to the run time */
    {"run", "processors", "used"},
    {"run", "too_large", "clamp"},
    {"easy", "window", "strict"},
    {"conservative", "replan", "compress"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_alea = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "alea",
         .summary = "Alea: allocated processors, strict backfilling",
         .detail =
             "A limit shorter than the run time is raised to it when the log is loaded. A missing limit is "
             "the run time; for the constant limits that Alea's loader has for some logs use `no_limit: "
             "assume`. Processors are those allocated; a task larger than the machine is made to fit. A "
             "backfilled task must end strictly before the reservation begins. FCFS agrees with Alea job by "
             "job. Backfilling does not: Alea guesses which processors a running task holds, and takes those "
             "of a task that has just started for free, a defect that is not modelled here.",
         .source = "Alea, CESNET and Masaryk University, on GridSim 5"},
    .entries = entries,
};
