/* accasim.c -- the semantics of AccaSim, with its reservation that protects nothing.
 *
 * Data only. Its EASY computes a reservation for the head of the queue, but hands backfilling an empty
 * list of reserved nodes; and it tries the head again only when the computed time has come. Both are kept
 * here. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "instant_order", "ends_first"},
    {"run", "overrun", "run_on"},
    {"run", "processors", "asked"},
    {"run", "too_large", "reject"},
    {"run", "zero_length", "keep"},
    {"easy", "protect", "false"},
    {"easy", "sticky", "true"},
    {"easy", "retry", "after_reservation"},
    {"best_fit", "normalise", "amounts"}, /* BF: the least sum of what is free, of cores, KiB and the rest */
    {"best_fit", "amounts", "[1, 1024, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_accasim = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "accasim",
         .summary = "AccaSim: no kill at the limit, an EASY that does not protect its reservation",
         .detail =
             "At one instant ends come before submissions, and the dispatcher runs once after both. Nothing "
             "is ended at its limit; a task of no length ends in the instant in which it starts. Processors "
             "are those asked for, else those allocated; a task larger than the machine is rejected. The "
             "reservation of EASY is computed once and kept: the head of the queue is tried again only at "
             "the first event from that time on, even if the machine is empty before, and backfilled tasks "
             "may take its processors. On hosts (`cell: {use: accasim, as: hosts}`) best fit takes the node "
             "with the least sum of free cores, memory in KiB and other units. FIFO agrees with AccaSim job "
             "by job.",
         .source = "AccaSim (2020), its dispatchers FIFO and EBF"},
    .entries = entries,
};
