/* cqsim.c -- the semantics of CQSim.
 *
 * Data only. Its EASY and conservative backfilling plan waiting tasks with their true run times, and
 * running ones with what they asked for: results under it use knowledge that no real scheduler has. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "instant_order", "ends_first"},
    {"run", "oracle", "true"}, /* needed for the next */
    {"run", "believe_waiting", "run"},
    {"run", "believe_running", "limit"},
    {"run", "overrun", "kill"}, /* cut when the log is loaded */
    {"run", "processors", "asked"},
    {"run", "zero_length", "drop"},
    {"run", "end_order", "start"},
    {"monolithic", "call", "per_event"},
    {"conservative", "replan", "always"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_cqsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "cqsim",
         .summary = "CQSim: a decision after each event, true run times of waiting tasks",
         .detail =
             "At one instant ends come before submissions, and the scheduler runs after each single one. "
             "Backfilling plans waiting tasks with their true run times and running ones with what they "
             "asked for, so the preset sets `oracle: true`. A run time beyond the request is cut to it. "
             "Processors are those asked for; tasks of no length are dropped. Conservative backfilling makes "
             "the whole plan anew, in the order of the queue, at each decision. Where a task's requested "
             "number of processors is missing, the allocated number is taken, which CQSim does not do.",
         .source = "CQSim, SPEAR group, Illinois Institute of Technology and University of Illinois Chicago"},
    .entries = entries,
};
