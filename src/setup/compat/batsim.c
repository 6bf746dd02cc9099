/* batsim.c -- the semantics of Batsim 4 with batsched, on platforms of SimGrid.
 *
 * Data only. What it has beside this is the network that its messages go through and the host that its
 * scheduler is on: keys `network` and `master` of the architecture `messages`. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"run", "architecture", "messages"},
    {"batsim", "ties", "id"},
    {"simgrid", "roles", "batsim"},
    {"simgrid", "whole_hosts", "true"},
    {"simgrid", "order", "name"},
    {"simgrid", "flops", "1e9"},
    {"simgrid", "factors", "plain"}, /* of the network: L07 has no factors of TCP */
    {"activities", "cpu_speed", "1e9"},
    {"activities", "sharing", "bottleneck"},
    {"activities", "delay_at_limit", "killed"},
    {"easy_book", "margin", "5s"}, /* the default of batsched's --rjms_delay */
    {"easy_book", "dates", "binary"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_batsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "batsim",
         .summary = "Batsim 4: parallel tasks over a platform of SimGrid, and a scheduler behind messages",
         .detail =
             "Hosts are those of the platform without the master, numbered by their names as text, each "
             "given whole to a task; storage hosts have no cores. Parallel tasks share as SimGrid's L07 "
             "does, and no factors of TCP apply. A profile that is a delay is killed if the delay is as long "
             "as its limit. Jobs of one time come in the order of their ids as text. The scheduler is told "
             "of submissions and ends, and starts tasks, by messages that are taken one at a time. With "
             "`network` and `master` of the architecture `messages` they take the time that they take in "
             "Batsim, else no time. batsched's easy_bf is `select: easy_book`, and easy_bf_fast is `select: "
             "{use: easy_book, promise: time}`.",
         .source = "Batsim 4.2.1; Dutot et al., JSSPP 2016, doi:10.1007/978-3-319-61756-5_10"},
    .entries = entries,
};
