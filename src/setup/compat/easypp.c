/* easypp.c -- EASY++, as predictsim ran it in 2015: backfilling with predicted run times.
 *
 * Data only. The algorithm is that of Tsafrir, Etsion and Feitelson (2007): the head is served in order of
 * arrival, the others are tried shortest prediction first; its predictor is the mean of the user's last two
 * run times, corrected step by step. How events of one instant are taken is that of pyss, from which
 * predictsim came. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "policy", "easy"},
    {"easy", "candidates", "sjf"},
    {"run", "predictor", "last_two"},
    {"run", "correction", "steps"},
    {"run", "instant_order", "arrivals_first"},
    {"run", "end_order", "start"},
    {"run", "due_ends_first", "true"},
    {"run", "overrun", "kill_planned_long"},
    {"run", "processors", "asked"},
    {"run", "too_large", "clamp"},
    {"run", "zero_length", "second"},
    {"monolithic", "call", "per_event"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_easypp = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "easypp",
         .summary = "EASY++ as predictsim ran it in 2015: predicted run times, shortest first",
         .detail =
             "EASY with the predictor `last_two` and its correction by steps; queued tasks behind the head "
             "are tried in order of their predictions (`candidates: sjf`). A task is predicted once, when it "
             "is submitted. At one instant corrections come first, then submissions, then ends, and the "
             "scheduler runs after each submission and each end; what ends at an instant is known to the "
             "predictor after the submissions of that instant. A task that runs longer than it asked for is "
             "ended at its request, but planned with its run time, at most.",
         .source = "Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007, doi:10.1109/TPDS.2007.70606; "
                   "predictsim (2015)"},
    .entries = entries,
};
